//! Both sides at points of the reals, in enclosures.

use super::Reading;
use crate::base::{Budget, Exhausted};
use crate::decide::Witness;
use crate::term::Term;
use crate::term::eval::{Cone, Quantity, Reals, evaluate};
use rustc_hash::FxHashMap;

/// Points at which equalities are tried.
const POINTS: u64 = 6;

/// How two terms compare at the points tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Agreement {
    /// Their enclosures meet at this many points, all where both are defined.
    Everywhere(u32),
    /// Both are defined at none of the points.
    Nowhere,
    /// Their enclosures are disjoint somewhere.
    Apart(String),
}

/// Small fractions of both signs; the first points are smooth, the others have ties and zeros.
fn coordinate(point: u64, element: u32) -> Quantity {
    let mut x = (u64::from(element) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(point << 17);
    x = (x ^ x >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 29;
    match point {
        0 | 1 => Quantity::dyadic((x % 193) as i64 - 96, 6),
        2 => Quantity::dyadic((x % 97) as i64 + 1, 5),
        3 => Quantity::integer((x % 5) as i64 - 2),
        _ => Quantity::dyadic((x % 41) as i64 - 20, (x >> 32) as u32 % 4),
    }
}

/// Compares both sides of several pairs at all points.
pub(super) fn agreement(
    reading: &Reading<'_>,
    a: &[Term],
    b: &[Term],
    budget: &Budget,
) -> Result<Vec<Agreement>, Exhausted> {
    let cones = [Cone::of(reading.terms[0], a, budget)?, Cone::of(reading.terms[1], b, budget)?];
    let constants = [reading.meanings.quantities(0), reading.meanings.quantities(1)];
    let mut result = vec![Agreement::Nowhere; a.len()];
    let mut scratch = Vec::new();
    for point in 0..POINTS {
        let element = |element: u32| coordinate(point, element);
        let mut values = [Vec::new(), Vec::new()];
        for side in 0..2 {
            let domain = Reals { element: &element, constants: &constants[side] };
            values[side] = evaluate(&cones[side], &domain, budget, &mut scratch)?;
        }
        for (at, agreement) in result.iter_mut().enumerate() {
            let (Some(x), Some(y)) = (values[0][at].interval(), values[1][at].interval()) else { continue };
            if x.is_apart(y) {
                *agreement = Agreement::Apart(format!(
                    "at a point the two sides are in [{:e}, {:e}] and [{:e}, {:e}]",
                    x.low(),
                    x.high(),
                    y.low(),
                    y.high()
                ));
            } else if x.is_bounded() && y.is_bounded() {
                match agreement {
                    Agreement::Everywhere(points) => *points += 1,
                    Agreement::Nowhere => *agreement = Agreement::Everywhere(1),
                    Agreement::Apart(_) => {}
                }
            }
        }
    }
    Ok(result)
}

/// Why a witness does not show a difference, if it does not.
pub(super) fn refute_witness(
    reading: &Reading<'_>,
    (a, b): (Term, Term),
    witness: &Witness,
    budget: &Budget,
) -> Result<Option<String>, Exhausted> {
    let inputs: FxHashMap<u32, Quantity> =
        witness.inputs.iter().map(|(element, value)| (*element, Quantity::rational(value))).collect();
    let rest = Quantity::rational(&witness.default);
    let element = |element: u32| inputs.get(&element).copied().unwrap_or(rest);
    let mut values = [Quantity::Unknown; 2];
    for (side, term) in [a, b].into_iter().enumerate() {
        let cone = Cone::of(reading.terms[side], &[term], budget)?;
        let constants = reading.meanings.quantities(side);
        let domain = Reals { element: &element, constants: &constants };
        values[side] = evaluate(&cone, &domain, budget, &mut Vec::new())?[0];
    }
    let infinite = |value: Quantity| matches!(value, Quantity::Infinity | Quantity::MinusInfinity);
    Ok(match (values[0].interval(), values[1].interval()) {
        (Some(x), Some(y)) if x.is_apart(y) => {
            let within = |value: crate::term::Interval, claimed: (f64, f64)| {
                value.low() <= claimed.1 && claimed.0 <= value.high()
            };
            if within(x, witness.values[0]) && within(y, witness.values[1]) {
                None
            } else {
                Some("the values at the witness are not those reported".to_owned())
            }
        }
        (Some(_), Some(_)) => Some("the two sides are not certainly apart at the witness".to_owned()),
        (None, Some(_)) if infinite(values[0]) => None,
        (Some(_), None) if infinite(values[1]) => None,
        _ if infinite(values[0]) && infinite(values[1]) && values[0] != values[1] => None,
        _ => Some("a side has no value at the witness".to_owned()),
    })
}
