//! Cheap trials of a formula: is it the kernel's function at a few elements and a few inputs?
//!
//! What differs is no formula of the kernel. What agrees is a guess that is worth a proof, and nothing more.

use super::super::bind::Bound;
use super::super::formula::elements;
use crate::base::{Budget, Exhausted};
use crate::decide::witness::plain;
use crate::decide::{Meanings, Options};
use crate::diag::Ledger;
use crate::spec::Spec;
use crate::term::eval::{Cone, Quantity, Reals, evaluate};
use crate::term::{Elements, Term, Terms};
use num_rational::Ratio;

/// By what part of the larger one two values may differ.
const SAME: f64 = 1e-9;
/// Inputs: all positive at the first point, of both signs at the others.
pub const POINTS: u64 = 3;

/// The kernel's values at some elements of one output.
pub struct Trial<'a> {
    /// The question.
    pub question: (&'a Spec, &'a Bound),
    /// Elements that the kernel touched, by tensor.
    pub reached: &'a [u64],
    /// The tensor, and its extents.
    pub output: (usize, &'a [u64]),
    /// The elements.
    pub indices: Vec<u64>,
    /// The kernel's values there, for each point.
    pub values: Vec<Vec<Quantity>>,
    /// The user's choices.
    pub options: Options,
    /// What may be spent.
    pub budget: &'a Budget,
}

impl Trial<'_> {
    /// Whether a program gives the kernel's values.
    pub fn holds(&self, code: &str) -> bool {
        self.agrees(code, 1, 1) && self.agrees(code, self.indices.len(), POINTS)
    }

    fn agrees(&self, code: &str, count: usize, points: u64) -> bool {
        let budget = &self.budget.apart();
        let reached = |at: usize| self.reached.get(at).copied().unwrap_or(0);
        let indices = &self.indices[..count];
        let Some((terms, roots)) = elements(code, self.question, &reached, self.output, indices, budget)
        else {
            return false;
        };
        let sides = [(&terms, roots.as_slice()), (&terms, roots.as_slice())];
        let Ok(meanings) = Meanings::of(&self.options, budget, sides, &mut Ledger::default()) else {
            return false;
        };
        let Ok(values) =
            values(&terms, &roots, &meanings.quantities(0), &self.question.1.elements, (points, budget))
        else {
            return false;
        };
        let mut seen = false;
        for (own, kernel) in values.iter().zip(&self.values) {
            for (a, b) in own.iter().zip(kernel) {
                match same(*a, *b) {
                    Some(true) => seen = true,
                    Some(false) => return false,
                    None => {}
                }
            }
        }
        // At one point a function may have no value.
        seen || points < POINTS
    }
}

/// The values of some terms at each point.
pub fn values(
    terms: &Terms,
    roots: &[Term],
    constants: &[Quantity],
    elements: &Elements,
    (points, budget): (u64, &Budget),
) -> Result<Vec<Vec<Quantity>>, Exhausted> {
    let cone = Cone::of(terms, roots, budget)?;
    let at = |point: u64| {
        let element = |element: u32| {
            let format = elements.block_of(element).map(|block| block.format);
            if format.is_some_and(|format| !format.is_float()) {
                return plain(elements, point + 1, element);
            }
            let mixed = (u64::from(element) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ (point << 17)) >> 41;
            let size = (mixed % 31) as i64 + 1;
            let negative = point > 0 && mixed & 0x400 != 0;
            Quantity::Exact(Ratio::new(if negative { -size } else { size }, 16))
        };
        evaluate(&cone, &Reals { element: &element, constants }, budget, &mut Vec::new())
    };
    (0..points).map(at).collect()
}

/// Whether two values are the same, as far as they say.
fn same(a: Quantity, b: Quantity) -> Option<bool> {
    let bounded = |value: Quantity| value.interval().filter(|interval| interval.is_bounded());
    match (a, b) {
        (Quantity::Exact(a), Quantity::Exact(b)) => Some(a == b),
        (Quantity::Bits(a), Quantity::Bits(b)) => Some(a == b),
        _ => {
            let (a, b) = (bounded(a)?, bounded(b)?);
            let gap = (a.low() - b.high()).max(b.low() - a.high());
            Some(gap <= SAME * a.abs().high().max(b.abs().high()))
        }
    }
}
