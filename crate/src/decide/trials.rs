//! Looking for witnesses across many output elements without paying for each anew.
//!
//! Elements of one kernel tend to be wrong in the same way: inputs that showed a difference at one
//! element are tried at the next before a search. Searches that found nothing are few in each
//! portion; after that, only elements that differ at one of a few plain points are searched.
//!
//! Guarantees: those of `witness`; deterministic.

use super::Witness;
use super::witness::{self, NOTICEABLE, Question, Search};
use crate::base::{Budget, Exhausted};
use crate::term::Term;
use crate::term::eval::{Cone, Interval, Quantity, Reals, evaluate};
use rustc_hash::FxHashMap;

/// Witnesses kept for the next elements.
const KEPT: usize = 3;
/// Searches without result in one portion before plain points have to ask for one.
const FRUITLESS: u32 = 3;
/// Fixed, so that reports are reproducible.
const SEED: u64 = 0x7761_7270;

/// What earlier elements of a portion taught.
#[derive(Default)]
pub(super) struct Trials {
    kept: Vec<Witness>,
    fruitless: u32,
}

impl Trials {
    /// Looks for inputs on which a pair differs.
    pub(super) fn search(
        &mut self,
        question: &Question<'_>,
        pair: (Term, Term),
        budget: &Budget,
    ) -> Result<Search, Exhausted> {
        if !self.kept.is_empty() || self.fruitless >= FRUITLESS {
            let both = Both::new(question, pair, budget)?;
            for known in &self.kept {
                let inputs: FxHashMap<u32, Quantity> = known
                    .inputs
                    .iter()
                    .map(|(element, value)| (*element, Quantity::rational(value)))
                    .collect();
                let rest = Quantity::rational(&known.default);
                let values = both.values(budget, &|element| inputs.get(&element).copied().unwrap_or(rest))?;
                if let Some(values) = apart(values) {
                    let inputs = known.inputs.iter().filter(|(element, _)| both.mentions(*element));
                    return Ok(Search::Different(Witness {
                        inputs: inputs.cloned().collect(),
                        default: known.default.clone(),
                        values,
                        difference: String::new(),
                    }));
                }
            }
            if self.fruitless >= FRUITLESS {
                let mut differs = false;
                for point in 1..4u64 {
                    let element = |element: u32| plain(point, element);
                    differs |= apart(both.values(budget, &element)?).is_some();
                }
                if !differs {
                    return Ok(Search::Alike(3));
                }
            }
        }
        let search = witness::search(question, pair, budget, SEED)?;
        match &search {
            Search::Different(found) if self.kept.len() < KEPT => self.kept.push(found.clone()),
            Search::Different(_) => {}
            Search::Close(_) | Search::Alike(_) => self.fruitless += 1,
        }
        Ok(search)
    }
}

/// A small integer for each element, different at each point.
fn plain(point: u64, element: u32) -> Quantity {
    let mixed = (u64::from(element) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(2 * point + 1));
    Quantity::integer((mixed >> 40) as i64 % 7 - 2)
}

/// Both sides of a pair, ready to be evaluated.
struct Both {
    cones: [Cone; 2],
    constants: [Vec<Quantity>; 2],
}

impl Both {
    fn new(question: &Question<'_>, pair: (Term, Term), budget: &Budget) -> Result<Both, Exhausted> {
        Ok(Both {
            cones: [
                Cone::of(question.terms[0], &[pair.0], budget)?,
                Cone::of(question.terms[1], &[pair.1], budget)?,
            ],
            constants: [question.meanings.quantities(0), question.meanings.quantities(1)],
        })
    }

    fn mentions(&self, element: u32) -> bool {
        self.cones.iter().any(|cone| cone.elements().binary_search(&element).is_ok())
    }

    fn values(&self, budget: &Budget, element: &dyn Fn(u32) -> Quantity) -> Result<[Quantity; 2], Exhausted> {
        let mut values = [Quantity::Unknown; 2];
        for (side, value) in values.iter_mut().enumerate() {
            let domain = Reals { element, constants: &self.constants[side] };
            *value = evaluate(&self.cones[side], &domain, budget, &mut Vec::new())?[0];
        }
        Ok(values)
    }
}

/// The enclosures of two finite values that are certainly and noticeably different.
fn apart(values: [Quantity; 2]) -> Option<[(f64, f64); 2]> {
    let [a, b]: [Interval; 2] = [values[0].interval()?, values[1].interval()?];
    if !a.is_bounded() || !b.is_bounded() {
        return None;
    }
    let gap = (a.low() - b.high()).max(b.low() - a.high());
    let size = a.abs().high().max(b.abs().high());
    (gap > NOTICEABLE * size).then(|| [(a.low(), a.high()), (b.low(), b.high())])
}
