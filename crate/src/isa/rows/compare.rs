//! Comparison and selection, of every type (PTX ISA 9.0, 9.7.6 and 9.7.7).
//!
//! `setp` with a second destination gives `(a ? b) op c` and `(not (a ? b)) op c`; the plain form
//! is one effect, the combined one is taken apart. `set` and `slct` are `setp` and `selp`.

use crate::base::Format;
use crate::isa::half::Float;
use crate::isa::lanes::{PRED, lanes, lanewise, pure, typed};
use crate::isa::real::{Cmp, Join, comparison};
use crate::isa::table::{Action, Arg, Row, Step, Support};
use crate::isa::{Effect, LaneFn, Lanewise, Meaning, Pattern, real};
use crate::term::BitOp;

/// The operator, and whether it also holds when an operand is NaN.
fn operator(name: &str, format: Format) -> Option<(Cmp, bool)> {
    let float = format.is_float();
    Some(match name {
        "eq" => (Cmp::Eq, false),
        "ne" => (Cmp::Ne, false),
        "lt" => (Cmp::Lt, false),
        "le" => (Cmp::Le, false),
        "gt" => (Cmp::Gt, false),
        "ge" => (Cmp::Ge, false),
        "lo" if !float => (Cmp::Lt, false),
        "ls" if !float => (Cmp::Le, false),
        "hi" if !float => (Cmp::Gt, false),
        "hs" if !float => (Cmp::Ge, false),
        "equ" if float => (Cmp::Eq, true),
        "neu" if float => (Cmp::Ne, true),
        "ltu" if float => (Cmp::Lt, true),
        "leu" if float => (Cmp::Le, true),
        "gtu" if float => (Cmp::Gt, true),
        "geu" if float => (Cmp::Ge, true),
        "num" if float => (Cmp::Num, false),
        "nan" if float => (Cmp::Nan, false),
        _ => return None,
    })
}

fn join(name: Option<&str>) -> Option<Join> {
    Some(match name {
        None => Join::None,
        Some("and") => Join::And,
        Some("or") => Join::Or,
        Some("xor") => Join::Xor,
        Some(_) => return None,
    })
}

macro_rules! int_comparison {
    ($f:expr, $op:tt, $join:expr) => {
        match $join {
            Join::None => match $f { $crate::isa::rows::compare::ints!() => unreachable!(), _ => return None },
            _ => return None,
        }
    };
}
#[allow(unused_macros)]
macro_rules! ints {
    () => { _ };
}
