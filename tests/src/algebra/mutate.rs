//! One change in one place. Most make another function; some are identities by accident, which
//! `value` tells.

use super::draw::{INPUTS, fraction};
use super::*;
use crate::program::Dice;

/// Kinds of changes, by the names of the report.
pub const KINDS: [&str; 10] = [
    "sign",
    "constant",
    "input",
    "operands swapped",
    "term dropped",
    "max for min",
    "relation",
    "exponent",
    "function",
    "term doubled",
];

/// The expression changed in one place, if a change of that kind is possible.
pub fn mutated(dice: &mut Dice, root: &E, kind: &str) -> Option<E> {
    let all = places(root);
    let changes: Vec<(&Vec<usize>, E)> =
        all.iter().filter_map(|(way, at)| Some((way, change(dice, at, kind)?))).collect();
    if changes.is_empty() {
        return None;
    }
    let (way, by) = &changes[dice.below(changes.len() as u64) as usize];
    let changed = replaced(root, way, by);
    (changed != *root).then_some(changed)
}

fn change(dice: &mut Dice, at: &E, kind: &str) -> Option<E> {
    let (op, on) = match &**at {
        Expr::Op(op, on) => (Some(*op), on.as_slice()),
        _ => (None, [].as_slice()),
    };
    match (kind, op) {
        ("sign", Some(Op::Add)) => Some(sub(&on[0], &on[1])),
        ("sign", Some(Op::Sub)) => Some(add(&on[0], &on[1])),
        ("sign", Some(Op::Neg)) => Some(on[0].clone()),
        ("constant", None) => match &**at {
            Expr::C(value) => Some(match dice.below(3) {
                0 => Rc::new(Expr::C(value + Fraction::from_integer(1))),
                1 => Rc::new(Expr::C(value * Fraction::new(5, 4) + Fraction::new(1, 64))),
                _ => fraction(dice),
            }),
            Expr::Log2E => Some(Rc::new(Expr::Ln2)),
            Expr::Ln2 => Some(Rc::new(Expr::Log2E)),
            _ => None,
        },
        ("input", None) => match &**at {
            Expr::X(index) => Some(x((index + 1 + dice.below(u64::from(INPUTS) - 1) as u32) % INPUTS)),
            _ => None,
        },
        ("operands swapped", Some(Op::Sub | Op::Div | Op::Less | Op::LessEqual)) => {
            Some(self::op(op?, [&on[1], &on[0]]))
        }
        ("operands swapped", Some(Op::Select)) => Some(select(&on[0], &on[2], &on[1])),
        ("term dropped", Some(Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Max | Op::Min)) => {
            Some(on[dice.below(2) as usize].clone())
        }
        ("term dropped", Some(Op::And | Op::Or)) => Some(on[dice.below(2) as usize].clone()),
        ("max for min", Some(Op::Max)) => Some(min(&on[0], &on[1])),
        ("max for min", Some(Op::Min)) => Some(max(&on[0], &on[1])),
        ("max for min", Some(Op::And)) => Some(or(&on[0], &on[1])),
        ("max for min", Some(Op::Or)) => Some(and(&on[0], &on[1])),
        ("relation", Some(Op::Less)) => Some(less_equal(&on[0], &on[1])),
        ("relation", Some(Op::LessEqual)) => Some(less(&on[0], &on[1])),
        ("exponent", Some(Op::Exp)) => Some(exp(&mul(&c(2, 1), &on[0]))),
        ("exponent", Some(Op::Mul)) if on[0] == on[1] => Some(mul(&on[0], &mul(&on[0], &on[0]))),
        ("exponent", Some(Op::Sqrt)) => Some(on[0].clone()),
        ("exponent", Some(Op::Rsqrt)) => Some(recip(&on[0])),
        ("function", Some(Op::Exp)) => Some(exp2(&on[0])),
        ("function", Some(Op::Exp2)) => Some(exp(&on[0])),
        ("function", Some(Op::Log)) => Some(log2(&on[0])),
        ("function", Some(Op::Tanh)) => Some(erf(&on[0])),
        ("function", Some(Op::Erf)) => Some(tanh(&on[0])),
        ("function", Some(Op::Rsqrt)) => Some(sqrt(&on[0])),
        ("function", Some(Op::Recip)) => Some(on[0].clone()),
        ("function", Some(Op::Abs)) => Some(on[0].clone()),
        ("term doubled", Some(Op::Add)) => Some(add(at, &on[dice.below(2) as usize])),
        ("term doubled", Some(Op::Mul)) => Some(mul(at, &on[dice.below(2) as usize])),
        _ => None,
    }
}
