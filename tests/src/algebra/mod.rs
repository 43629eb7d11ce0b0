//! Expressions that know nothing of the tool: drawn at random, rewritten by sound laws, changed in
//! one place, and evaluated by interval arithmetic of 192 bits.
//!
//! What it is for: the decision procedure is asked about pairs whose answer is known from how they
//! were made (`rewrite`: equal; `mutate`: different where `value` says so), and every witness is
//! evaluated again by other arithmetic. Only [`build`] touches the tool's terms.

pub mod build;
pub mod draw;
pub mod mutate;
pub mod rewrite;
pub mod value;

use num_rational::Ratio;
use std::fmt;
use std::rc::Rc;

/// An exact constant.
pub type Fraction = Ratio<i128>;
/// A shared expression.
pub type E = Rc<Expr>;

/// An expression over inputs `x0, x1, …`.
#[derive(PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// An input.
    X(u32),
    /// An exact constant.
    C(Fraction),
    /// log₂ e.
    Log2E,
    /// ln 2.
    Ln2,
    /// An operation.
    Op(Op, Vec<E>),
}

/// Operations; the last five are, or take first, conditions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    /// `a · b + c`.
    Fma,
    Neg,
    Recip,
    Sqrt,
    Rsqrt,
    Exp,
    Exp2,
    Log,
    Log2,
    Tanh,
    Erf,
    Abs,
    Max,
    Min,
    /// `if c then a else b`.
    Select,
    Less,
    LessEqual,
    And,
    Or,
    Not,
}

impl Op {
    /// Whether it gives a condition.
    pub fn is_condition(self) -> bool {
        matches!(self, Op::Less | Op::LessEqual | Op::And | Op::Or | Op::Not)
    }
}

/// An operation on operands.
pub fn op<const N: usize>(op: Op, operands: [&E; N]) -> E {
    Rc::new(Expr::Op(op, operands.into_iter().cloned().collect()))
}

/// An input.
pub fn x(index: u32) -> E {
    Rc::new(Expr::X(index))
}

/// A fraction.
pub fn c(above: i128, below: i128) -> E {
    Rc::new(Expr::C(Ratio::new(above, below)))
}

macro_rules! short {
    ($($name:ident($($operand:ident),+) = $op:ident;)+) => {
        $(#[allow(missing_docs)] pub fn $name($($operand: &E),+) -> E { op(Op::$op, [$($operand),+]) })+
    };
}
short! {
    add(a, b) = Add; sub(a, b) = Sub; mul(a, b) = Mul; div(a, b) = Div; neg(a) = Neg; recip(a) = Recip;
    sqrt(a) = Sqrt; rsqrt(a) = Rsqrt; exp(a) = Exp; exp2(a) = Exp2; log(a) = Log; log2(a) = Log2;
    tanh(a) = Tanh; erf(a) = Erf; abs(a) = Abs; max(a, b) = Max; min(a, b) = Min; less(a, b) = Less;
    less_equal(a, b) = LessEqual; and(a, b) = And; or(a, b) = Or; not(a) = Not; select(c, a, b) = Select;
    fma(a, b, c) = Fma;
}

impl Expr {
    /// The operands of an operation.
    pub fn operands(&self) -> &[E] {
        match self {
            Expr::Op(_, operands) => operands,
            _ => &[],
        }
    }

    /// Whether it is a condition.
    pub fn is_condition(&self) -> bool {
        matches!(self, Expr::Op(op, _) if op.is_condition())
    }

    /// Whether its value is positive for evident reasons.
    pub fn is_positive(&self) -> bool {
        match self {
            Expr::C(value) => *value > Ratio::from_integer(0),
            Expr::Log2E | Expr::Ln2 => true,
            Expr::X(_) => false,
            Expr::Op(op, on) => match op {
                Op::Exp | Op::Exp2 => true,
                Op::Add => {
                    on[0].is_positive() && on[1].is_non_negative()
                        || on[1].is_positive() && on[0].is_non_negative()
                }
                Op::Mul | Op::Div | Op::Min => on[0].is_positive() && on[1].is_positive(),
                Op::Max => on[0].is_positive() || on[1].is_positive(),
                Op::Recip | Op::Sqrt | Op::Rsqrt | Op::Abs => on[0].is_positive(),
                Op::Fma => {
                    (on[0] == on[1] || on[0].is_positive() && on[1].is_positive()) && on[2].is_positive()
                }
                Op::Select => on[1].is_positive() && on[2].is_positive(),
                _ => false,
            },
        }
    }

    /// Whether its value is at least 0 for evident reasons.
    pub fn is_non_negative(&self) -> bool {
        self.is_positive()
            || match self {
                Expr::C(value) => *value >= Ratio::from_integer(0),
                Expr::Op(Op::Mul, on) => on[0] == on[1] || on[0].is_non_negative() && on[1].is_non_negative(),
                Expr::Op(Op::Add, on) => on[0].is_non_negative() && on[1].is_non_negative(),
                Expr::Op(Op::Abs | Op::Sqrt, _) => true,
                Expr::Op(Op::Max, on) => on.iter().any(|operand| operand.is_non_negative()),
                _ => false,
            }
    }

    /// How many nodes it has written out as a tree, up to a bound.
    pub fn size(&self) -> usize {
        self.operands().iter().fold(
            1,
            |sum: usize, operand| {
                if sum > 100_000 { sum } else { sum + operand.size() }
            },
        )
    }
}

/// All places of a tree, in order; a place is the way from the root.
pub fn places(root: &E) -> Vec<(Vec<usize>, E)> {
    let mut found = vec![(Vec::new(), root.clone())];
    let mut next = 0;
    while next < found.len() {
        let (way, at) = found[next].clone();
        for (index, operand) in at.operands().iter().enumerate() {
            let mut way = way.clone();
            way.push(index);
            found.push((way, operand.clone()));
        }
        next += 1;
    }
    found
}

/// The tree with another expression at one place.
pub fn replaced(root: &E, way: &[usize], by: &E) -> E {
    let Some((first, rest)) = way.split_first() else { return by.clone() };
    let Expr::Op(op, operands) = &**root else { return root.clone() };
    let mut operands = operands.clone();
    operands[*first] = replaced(&operands[*first], rest, by);
    Rc::new(Expr::Op(*op, operands))
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::X(index) => write!(f, "x{index}"),
            Expr::C(value) => write!(f, "{value}"),
            Expr::Log2E => write!(f, "log2e"),
            Expr::Ln2 => write!(f, "ln2"),
            Expr::Op(op, on) => match (op, on.as_slice()) {
                (Op::Add, [a, b]) => write!(f, "({a} + {b})"),
                (Op::Sub, [a, b]) => write!(f, "({a} - {b})"),
                (Op::Mul, [a, b]) => write!(f, "({a} * {b})"),
                (Op::Div, [a, b]) => write!(f, "({a} / {b})"),
                (Op::Less, [a, b]) => write!(f, "({a} < {b})"),
                (Op::LessEqual, [a, b]) => write!(f, "({a} <= {b})"),
                _ => {
                    write!(f, "{}(", format!("{op:?}").to_lowercase())?;
                    for (at, operand) in on.iter().enumerate() {
                        write!(f, "{}{operand}", if at > 0 { ", " } else { "" })?;
                    }
                    write!(f, ")")
                }
            },
        }
    }
}
