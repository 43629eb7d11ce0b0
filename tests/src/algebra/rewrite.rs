//! Laws of the reals, applied at random places: what comes out is the same function wherever both
//! are defined.
//!
//! A law that needs a sign asks [`Expr::is_positive`], which sees evident signs only; a law that
//! brings a divisor in brings a positive one. Families follow what compilers and kernel authors do.

use super::draw::{fraction, positive};
use super::*;
use crate::program::Dice;

/// Families of laws, by the names of the report; the last one draws from all.
pub const FAMILIES: [&str; 11] = [
    "order",
    "distribution",
    "constants",
    "quotients",
    "rescaling",
    "exp and log",
    "base two",
    "maxima",
    "choices",
    "roots",
    "all",
];

/// Trees beyond this size are not made larger.
const LARGEST: usize = 400;

/// An expression equal to another, and the laws that were applied.
pub fn rewritten(dice: &mut Dice, start: &E, family: &str, steps: u64) -> (E, Vec<&'static str>) {
    let mut current = start.clone();
    let mut applied = Vec::new();
    for _ in 0..steps * 4 {
        if applied.len() as u64 >= steps {
            break;
        }
        let all = places(&current);
        let (way, at) = &all[dice.below(all.len() as u64) as usize];
        let chosen = match family {
            "all" => FAMILIES[dice.below(10) as usize],
            // Every family needs its operands brought together.
            _ if dice.below(4) == 0 => "order",
            family => family,
        };
        let Some(by) = law(dice, at, chosen, &all) else { continue };
        if by == *at {
            continue;
        }
        let next = replaced(&current, way, &by);
        if next.size() <= LARGEST.max(current.size()) {
            current = next;
            applied.push(FAMILIES[FAMILIES.iter().position(|name| *name == chosen).unwrap_or(0)]);
        }
    }
    (current, applied)
}

fn law(dice: &mut Dice, at: &E, family: &str, all: &[(Vec<usize>, E)]) -> Option<E> {
    if family == "choices" {
        return choices(dice, at, all);
    }
    if at.is_condition() {
        return None;
    }
    match family {
        "order" => order(dice, at),
        "distribution" => distribution(dice, at),
        "constants" => constants(dice, at),
        "quotients" => quotients(dice, at),
        "rescaling" => rescaling(dice, at, all),
        "exp and log" => exp_and_log(dice, at),
        "base two" => base_two(at),
        "maxima" => maxima(dice, at, all),
        _ => roots(dice, at),
    }
}

/// The operation and operands, if it is one.
fn parts(at: &E) -> Option<(Op, &[E])> {
    match &**at {
        Expr::Op(op, operands) => Some((*op, operands)),
        _ => None,
    }
}

fn of(at: &E, wanted: Op) -> Option<&[E]> {
    parts(at).filter(|(op, _)| *op == wanted).map(|(_, operands)| operands)
}

fn value(at: &E) -> Option<Fraction> {
    match &**at {
        Expr::C(value) => Some(*value),
        _ => None,
    }
}

/// Of all numeric parts of the expression, one.
fn anything(dice: &mut Dice, all: &[(Vec<usize>, E)]) -> Option<E> {
    let (_, part) = &all[dice.below(all.len() as u64) as usize];
    (!part.is_condition() && part.size() < 40).then(|| part.clone())
}

fn order(dice: &mut Dice, at: &E) -> Option<E> {
    let (op, on) = parts(at)?;
    let again = |a: &E, b: &E| self::op(op, [a, b]);
    match op {
        Op::Add | Op::Mul | Op::Max | Op::Min => match dice.below(3) {
            0 => Some(again(&on[1], &on[0])),
            1 => of(&on[0], op).map(|inner| again(&inner[0], &again(&inner[1], &on[1]))),
            _ => of(&on[1], op).map(|inner| again(&again(&on[0], &inner[0]), &inner[1])),
        }
        .or_else(|| {
            (op == Op::Add).then(|| of(&on[0], Op::Mul).map(|m| fma(&m[0], &m[1], &on[1]))).flatten()
        }),
        Op::Sub => match dice.below(4) {
            0 => Some(add(&on[0], &neg(&on[1]))),
            1 => Some(neg(&sub(&on[1], &on[0]))),
            2 => of(&on[0], Op::Add).map(|inner| add(&inner[0], &sub(&inner[1], &on[1]))),
            _ => of(&on[1], Op::Sub).map(|inner| add(&sub(&on[0], &inner[0]), &inner[1])),
        },
        Op::Neg => match parts(&on[0]) {
            Some((Op::Neg, inner)) => Some(inner[0].clone()),
            Some((Op::Sub, inner)) => Some(sub(&inner[1], &inner[0])),
            Some((Op::Mul, inner)) => Some(mul(&neg(&inner[0]), &inner[1])),
            _ => Some(mul(&c(-1, 1), &on[0])),
        },
        Op::Fma => Some(add(&mul(&on[0], &on[1]), &on[2])),
        _ => None,
    }
}

fn distribution(dice: &mut Dice, at: &E) -> Option<E> {
    let (op, on) = parts(at)?;
    match op {
        Op::Mul => {
            let (a, b) = if dice.below(2) == 0 { (&on[0], &on[1]) } else { (&on[1], &on[0]) };
            match parts(a)? {
                (Op::Add, inner) => Some(add(&mul(&inner[0], b), &mul(&inner[1], b))),
                (Op::Sub, inner) => {
                    // (p - q)(p + q) = p² - q².
                    if of(b, Op::Add) == Some(inner) {
                        return Some(sub(&mul(&inner[0], &inner[0]), &mul(&inner[1], &inner[1])));
                    }
                    Some(sub(&mul(&inner[0], b), &mul(&inner[1], b)))
                }
                (Op::Neg, inner) => Some(neg(&mul(&inner[0], b))),
                (Op::Div, inner) => Some(div(&mul(&inner[0], b), &inner[1])),
                _ => None,
            }
        }
        Op::Add | Op::Sub => {
            if on[0] == on[1] {
                return Some(if op == Op::Add { mul(&c(2, 1), &on[0]) } else { c(0, 1) });
            }
            let join = |a: &E, b: &E| self::op(op, [a, b]);
            if let (Some(a), Some(b)) = (of(&on[0], Op::Mul), of(&on[1], Op::Mul)) {
                for (shared, own) in [(0, 1), (1, 0)] {
                    for (other, rest) in [(0, 1), (1, 0)] {
                        if a[shared] == b[other] {
                            return Some(mul(&a[shared], &join(&a[own], &b[rest])));
                        }
                    }
                }
                // p² - q².
                if op == Op::Sub && a[0] == a[1] && b[0] == b[1] {
                    return Some(mul(&sub(&a[0], &b[0]), &add(&a[0], &b[0])));
                }
            }
            if let (Some(a), Some(b)) = (of(&on[0], Op::Div), of(&on[1], Op::Div))
                && a[1] == b[1]
            {
                return Some(div(&join(&a[0], &b[0]), &a[1]));
            }
            None
        }
        Op::Div => match parts(&on[0])? {
            (Op::Add, inner) => Some(add(&div(&inner[0], &on[1]), &div(&inner[1], &on[1]))),
            (Op::Sub, inner) => Some(sub(&div(&inner[0], &on[1]), &div(&inner[1], &on[1]))),
            (Op::Mul, inner) => Some(mul(&inner[0], &div(&inner[1], &on[1]))),
            _ => None,
        },
        _ => None,
    }
}

fn constants(dice: &mut Dice, at: &E) -> Option<E> {
    let small = |value: &Fraction| value.numer().abs() < 1 << 20 && *value.denom() < 1 << 20;
    if let Some(own) = value(at) {
        let other = value(&positive(dice))?;
        let (first, second, join): (Fraction, Fraction, fn(&E, &E) -> E) = match dice.below(4) {
            0 => (own - other, other, add),
            1 => (own + other, other, sub),
            2 => (own / other, other, mul),
            _ => (own * other, other, div),
        };
        let constant = |value| Rc::new(Expr::C(value));
        return (small(&first) && small(&second)).then(|| join(&constant(first), &constant(second)));
    }
    if let Some((op, [a, b])) = parts(at)
        && let (Some(a), Some(b)) = (value(a), value(b))
    {
        let folded = match op {
            Op::Add => a + b,
            Op::Sub => a - b,
            Op::Mul => a * b,
            Op::Div if b != Fraction::from_integer(0) => a / b,
            Op::Max => a.max(b),
            Op::Min => a.min(b),
            _ => return None,
        };
        return small(&folded).then(|| Rc::new(Expr::C(folded)));
    }
    let (some, one) = (fraction(dice), c(1, 1));
    Some(match dice.below(6) {
        0 => sub(&add(at, &some), &some),
        1 => div(&mul(at, &some), &some),
        2 => mul(&add(at, at), &c(1, 2)),
        3 => mul(at, &one),
        4 => add(at, &c(0, 1)),
        _ => fma(at, &c(2, 1), &neg(at)),
    })
}

fn quotients(dice: &mut Dice, at: &E) -> Option<E> {
    let (op, on) = parts(at)?;
    match op {
        Op::Div => match dice.below(6) {
            0 => Some(mul(&on[0], &recip(&on[1]))),
            1 => {
                let factor = positive(dice);
                Some(div(&mul(&on[0], &factor), &mul(&on[1], &factor)))
            }
            2 => of(&on[0], Op::Div).map(|inner| div(&inner[0], &mul(&inner[1], &on[1]))),
            3 => of(&on[1], Op::Div).map(|inner| div(&mul(&on[0], &inner[1]), &inner[0])),
            4 => Some(recip(&div(&on[1], &on[0]))).filter(|_| on[0].is_positive()),
            _ => Some(neg(&div(&on[0], &neg(&on[1])))),
        },
        Op::Recip => match parts(&on[0]) {
            Some((Op::Recip, inner)) => Some(inner[0].clone()),
            Some((Op::Div, inner)) => Some(div(&inner[1], &inner[0])),
            Some((Op::Mul, inner)) => Some(mul(&recip(&inner[0]), &recip(&inner[1]))),
            _ => Some(div(&c(1, 1), &on[0])),
        },
        // Over a common denominator.
        Op::Add | Op::Sub => {
            let fraction = |side: &E| match parts(side) {
                Some((Op::Div, inner)) => (inner[0].clone(), inner[1].clone()),
                Some((Op::Recip, inner)) => (c(1, 1), inner[0].clone()),
                _ => (side.clone(), c(1, 1)),
            };
            let ((a, b), (p, q)) = (fraction(&on[0]), fraction(&on[1]));
            if value(&b).is_some() && value(&q).is_some() {
                return None;
            }
            let above = self::op(op, [&mul(&a, &q), &mul(&p, &b)]);
            Some(div(&above, &mul(&b, &q)))
        }
        Op::Mul => match (of(&on[0], Op::Div), of(&on[1], Op::Div)) {
            (Some(a), Some(b)) => Some(div(&mul(&a[0], &b[0]), &mul(&a[1], &b[1]))),
            (None, Some(b)) => Some(div(&mul(&on[0], &b[0]), &b[1])),
            _ => of(&on[1], Op::Recip).map(|inner| div(&on[0], &inner[0])),
        },
        _ => None,
    }
}

/// Online rescaling: a factor e^(m - n) goes in here and out there.
fn rescaling(dice: &mut Dice, at: &E, all: &[(Vec<usize>, E)]) -> Option<E> {
    let (op, on) = parts(at)?;
    match op {
        Op::Exp => {
            let m = anything(dice, all)?;
            match parts(&on[0]) {
                // e^(x - n) = e^(x - m) · e^(m - n).
                Some((Op::Sub, inner)) => Some(mul(&exp(&sub(&inner[0], &m)), &exp(&sub(&m, &inner[1])))),
                _ => Some(mul(&exp(&sub(&on[0], &m)), &exp(&m))),
            }
        }
        Op::Mul => {
            let (a, b) = (of(&on[0], Op::Exp)?, of(&on[1], Op::Exp)?);
            match (of(&a[0], Op::Sub), of(&b[0], Op::Sub)) {
                (Some(a), Some(b)) if a[1] == b[0] => Some(exp(&sub(&a[0], &b[1]))),
                _ => Some(exp(&add(&a[0], &b[0]))),
            }
        }
        Op::Div => {
            let m = anything(dice, all)?;
            let factor = exp(&neg(&m));
            Some(div(&mul(&on[0], &factor), &mul(&on[1], &factor)))
        }
        // log p = log(p·e^-m) + m.
        Op::Log => {
            let m = anything(dice, all)?;
            Some(add(&log(&mul(&on[0], &exp(&neg(&m)))), &m))
        }
        Op::Add if of(&on[0], Op::Exp).is_some() => {
            let m = anything(dice, all)?;
            let inside = add(&mul(&on[0], &exp(&neg(&m))), &mul(&on[1], &exp(&neg(&m))));
            Some(mul(&inside, &exp(&m)))
        }
        _ => None,
    }
}

fn exp_and_log(dice: &mut Dice, at: &E) -> Option<E> {
    if at.is_positive() && dice.below(8) == 0 {
        return Some(exp(&log(at)));
    }
    let (op, on) = parts(at)?;
    let one = c(1, 1);
    match op {
        Op::Exp => match parts(&on[0]) {
            Some((Op::Add, inner)) => Some(mul(&exp(&inner[0]), &exp(&inner[1]))),
            Some((Op::Sub, inner)) => Some(div(&exp(&inner[0]), &exp(&inner[1]))),
            Some((Op::Neg, inner)) => Some(recip(&exp(&inner[0]))),
            Some((Op::Log, inner)) => Some(inner[0].clone()),
            Some((Op::Mul, inner)) if value(&inner[0]) == Some(Fraction::from_integer(2)) => {
                Some(mul(&exp(&inner[1]), &exp(&inner[1])))
            }
            _ => {
                let half = exp(&mul(&c(1, 2), &on[0]));
                Some(mul(&half, &half))
            }
        },
        Op::Log => match parts(&on[0]) {
            Some((Op::Exp, inner)) => Some(inner[0].clone()),
            Some((Op::Mul, inner)) if inner.iter().all(|factor| factor.is_positive()) => {
                Some(add(&log(&inner[0]), &log(&inner[1])))
            }
            Some((Op::Div, inner)) if inner.iter().all(|factor| factor.is_positive()) => {
                Some(sub(&log(&inner[0]), &log(&inner[1])))
            }
            _ if on[0].is_positive() => Some(neg(&log(&recip(&on[0])))),
            _ => None,
        },
        Op::Add | Op::Sub if of(&on[0], Op::Log).is_some() => {
            let inner = &of(&on[0], Op::Log)?[0];
            Some(log(&if op == Op::Add { mul(inner, &exp(&on[1])) } else { div(inner, &exp(&on[1])) }))
        }
        Op::Tanh => {
            let twice = exp(&mul(&c(2, 1), &on[0]));
            Some(match dice.below(4) {
                0 => div(&sub(&twice, &one), &add(&twice, &one)),
                1 => sub(&one, &div(&c(2, 1), &add(&twice, &one))),
                2 => neg(&tanh(&neg(&on[0]))),
                _ => {
                    let (up, down) = (exp(&on[0]), exp(&neg(&on[0])));
                    div(&sub(&up, &down), &add(&up, &down))
                }
            })
        }
        Op::Erf => Some(neg(&erf(&neg(&on[0])))),
        // 1 / (1 + e^-x) = e^x / (1 + e^x) = (1 + tanh(x/2)) / 2.
        Op::Recip => {
            let below = of(&on[0], Op::Add)?;
            let power = of(&below[1], Op::Exp)?;
            if value(&below[0]) != Some(Fraction::from_integer(1)) {
                return None;
            }
            let other = neg(&power[0]);
            Some(if dice.below(2) == 0 {
                div(&exp(&other), &add(&one, &exp(&other)))
            } else {
                mul(&c(1, 2), &add(&one, &tanh(&mul(&c(1, 2), &other))))
            })
        }
        _ => None,
    }
}

fn base_two(at: &E) -> Option<E> {
    let (op, on) = parts(at)?;
    let (log2e, ln2) = (Rc::new(Expr::Log2E), Rc::new(Expr::Ln2));
    match op {
        Op::Exp => Some(exp2(&mul(&on[0], &log2e))),
        Op::Exp2 => match parts(&on[0]) {
            Some((Op::Sub, inner)) => Some(div(&exp2(&inner[0]), &exp2(&inner[1]))),
            Some((Op::Add, inner)) => Some(mul(&exp2(&inner[0]), &exp2(&inner[1]))),
            Some((Op::Mul, inner)) if *inner[1] == Expr::Log2E => Some(exp(&inner[0])),
            _ => Some(exp(&mul(&on[0], &ln2))),
        },
        Op::Log => Some(mul(&log2(&on[0]), &ln2)),
        Op::Log2 => Some(mul(&log(&on[0]), &log2e)),
        Op::Mul if *on[1] == Expr::Log2E => Some(div(&on[0], &ln2)),
        Op::Sub => {
            let (a, b) = (of(&on[0], Op::Mul)?, of(&on[1], Op::Mul)?);
            (a[1] == b[1]).then(|| mul(&sub(&a[0], &b[0]), &a[1]))
        }
        _ => None,
    }
}

fn maxima(dice: &mut Dice, at: &E, all: &[(Vec<usize>, E)]) -> Option<E> {
    if dice.below(6) == 0 {
        let other = anything(dice, all)?;
        return Some(match dice.below(3) {
            0 => max(at, at),
            // Absorption.
            1 => max(at, &min(at, &other)),
            _ => min(at, &max(&other, at)),
        });
    }
    let (op, on) = parts(at)?;
    match op {
        Op::Max => match dice.below(6) {
            0 => Some(neg(&min(&neg(&on[0]), &neg(&on[1])))),
            1 => Some(mul(&c(1, 2), &add(&add(&on[0], &on[1]), &abs(&sub(&on[0], &on[1]))))),
            2 => Some(add(&max(&sub(&on[0], &on[1]), &c(0, 1)), &on[1])),
            3 => Some(select(&less(&on[0], &on[1]), &on[1], &on[0])),
            4 => {
                let factor = positive(dice);
                Some(div(&max(&mul(&factor, &on[0]), &mul(&factor, &on[1])), &factor))
            }
            // Distribution of max over min.
            _ => of(&on[1], Op::Min).map(|inner| min(&max(&on[0], &inner[0]), &max(&on[0], &inner[1]))),
        },
        Op::Min => match dice.below(3) {
            0 => Some(neg(&max(&neg(&on[0]), &neg(&on[1])))),
            1 => Some(sub(&add(&on[0], &on[1]), &max(&on[0], &on[1]))),
            _ => Some(select(&less_equal(&on[0], &on[1]), &on[0], &on[1])),
        },
        Op::Abs => match dice.below(3) {
            0 => Some(max(&on[0], &neg(&on[0]))),
            1 => Some(abs(&neg(&on[0]))),
            _ => Some(sqrt(&mul(&on[0], &on[0]))),
        },
        Op::Add => {
            let (a, b) = if dice.below(2) == 0 { (&on[0], &on[1]) } else { (&on[1], &on[0]) };
            let (op, inner) = parts(a).filter(|(op, _)| matches!(op, Op::Max | Op::Min))?;
            Some(self::op(op, [&add(&inner[0], b), &add(&inner[1], b)]))
        }
        Op::Sub => {
            let inner = of(&on[1], Op::Max)?;
            Some(min(&sub(&on[0], &inner[0]), &sub(&on[0], &inner[1])))
        }
        Op::Mul if on[0].is_positive() => {
            let inner = of(&on[1], Op::Max)?;
            Some(max(&mul(&on[0], &inner[0]), &mul(&on[0], &inner[1])))
        }
        Op::Exp => of(&on[0], Op::Max).map(|inner| max(&exp(&inner[0]), &exp(&inner[1]))),
        _ => None,
    }
}

fn choices(dice: &mut Dice, at: &E, all: &[(Vec<usize>, E)]) -> Option<E> {
    let (op, on) = parts(at)?;
    match op {
        Op::Less => Some(not(&less_equal(&on[1], &on[0]))),
        Op::LessEqual => Some(if dice.below(2) == 0 {
            not(&less(&on[1], &on[0]))
        } else {
            less_equal(&sub(&on[0], &on[1]), &c(0, 1))
        }),
        Op::And => {
            Some(if dice.below(2) == 0 { and(&on[1], &on[0]) } else { not(&or(&not(&on[0]), &not(&on[1]))) })
        }
        Op::Or => {
            Some(if dice.below(2) == 0 { or(&on[1], &on[0]) } else { not(&and(&not(&on[0]), &not(&on[1]))) })
        }
        Op::Not => match parts(&on[0])? {
            (Op::Not, inner) => Some(inner[0].clone()),
            (Op::Less, inner) => Some(less_equal(&inner[1], &inner[0])),
            (Op::LessEqual, inner) => Some(less(&inner[1], &inner[0])),
            _ => None,
        },
        Op::Select => match dice.below(4) {
            0 => Some(select(&not(&on[0]), &on[2], &on[1])),
            1 => Some(add(&on[2], &select(&on[0], &sub(&on[1], &on[2]), &c(0, 1)))),
            2 => match parts(&on[0])? {
                (Op::And, inner) => Some(select(&inner[0], &select(&inner[1], &on[1], &on[2]), &on[2])),
                (Op::Or, inner) => Some(select(&inner[0], &on[1], &select(&inner[1], &on[1], &on[2]))),
                _ => Some(select(&on[0], &select(&on[0], &on[1], &on[2]), &on[2])),
            },
            // What the two branches share moves out.
            _ => match (parts(&on[1])?, parts(&on[2])?) {
                ((p, a), (q, b)) if p == q && a.len() == 2 && a[1] == b[1] && !p.is_condition() => {
                    Some(self::op(p, [&select(&on[0], &a[0], &b[0]), &a[1]]))
                }
                _ => None,
            },
        },
        // The same on both sides of any choice.
        _ if dice.below(8) == 0 => {
            let conditions: Vec<&E> =
                all.iter().map(|(_, part)| part).filter(|part| part.is_condition()).collect();
            if conditions.is_empty() {
                return None;
            }
            let condition = conditions[dice.below(conditions.len() as u64) as usize];
            Some(select(condition, at, &add(at, &c(0, 1))))
        }
        // A choice moves out of an operation.
        _ => {
            let index = on.iter().position(|operand| of(operand, Op::Select).is_some())?;
            let inner = of(&on[index], Op::Select)?;
            let with = |branch: &E| replaced(at, &[index], branch);
            Some(select(&inner[0], &with(&inner[1]), &with(&inner[2])))
        }
    }
}

fn roots(dice: &mut Dice, at: &E) -> Option<E> {
    if at.is_positive() && dice.below(10) == 0 {
        let root = sqrt(at);
        return Some(mul(&root, &root));
    }
    let (op, on) = parts(at)?;
    let is_positive = on[0].is_positive();
    match op {
        Op::Sqrt if is_positive => Some(match dice.below(3) {
            0 => mul(&on[0], &rsqrt(&on[0])),
            1 => recip(&rsqrt(&on[0])),
            _ => match parts(&on[0]) {
                Some((Op::Mul, inner)) if inner.iter().all(|factor| factor.is_positive()) => {
                    mul(&sqrt(&inner[0]), &sqrt(&inner[1]))
                }
                _ => mul(&c(1, 2), &sqrt(&mul(&c(4, 1), &on[0]))),
            },
        }),
        Op::Rsqrt if is_positive => Some(match dice.below(3) {
            0 => recip(&sqrt(&on[0])),
            1 => div(&sqrt(&on[0]), &on[0]),
            _ => {
                let factor = positive(dice);
                mul(&factor, &rsqrt(&mul(&on[0], &mul(&factor, &factor))))
            }
        }),
        Op::Mul => {
            if let (Some(a), Some(b)) = (of(&on[0], Op::Sqrt), of(&on[1], Op::Sqrt))
                && a[0].is_positive()
                && b[0].is_positive()
            {
                return Some(if a[0] == b[0] { a[0].clone() } else { sqrt(&mul(&a[0], &b[0])) });
            }
            let inner = of(&on[1], Op::Rsqrt)?;
            Some(div(&on[0], &sqrt(&inner[0])))
        }
        Op::Div => of(&on[1], Op::Sqrt).map(|inner| mul(&on[0], &rsqrt(&inner[0]))),
        Op::Exp => {
            let half = exp(&div(&on[0], &c(2, 1)));
            Some(sqrt(&mul(&exp(&on[0]), &mul(&half, &half))))
        }
        _ => None,
    }
}
