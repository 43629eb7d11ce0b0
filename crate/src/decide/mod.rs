//! Decides whether two terms are the same function of the tensor elements.
//!
//! For each output element, these are tried in order:
//!
//! 1. terms of the same structure are equal (`same`);
//! 2. so are sums of the same products (`sums`);
//! 3. terms with the same values at random points of prime fields are equal (`evaluation`);
//! 4. terms with the same normal form are equal (`normalize`, `forms`), and so are terms whose difference vanishes
//!    once closed sums are opened, or comparisons are written as signs of their factors (`forms/signs`);
//! 5. terms that depend on few bits of integers are equal if they have the same value at each setting of these
//!    (`everywhere`);
//! 6. terms whose infinities and finite values are equal, each by itself, are equal (`apart`);
//! 7. terms that are equal with a condition taken to hold, and with it taken not to, are equal (`split`, `zeros`);
//! 8. otherwise only concrete inputs show *different*, whatever numbers the rounded constants stand for; a
//!    difference that the rounding of constants explains is *close* (`closeness`); everything else is *unknown*,
//!    with a reason.
//!
//! An answer *equal* is taken back where a side divides by what it has asked to be zero (`asked`), or leaves out a
//! division by zero that the other one makes (`avoided`); and where both leave it out, unless it is shown there, too
//! (`left_out`).
//!
//! Elements are decided in parallel, in portions whose boundaries depend on the question alone.
//!
//! Guarantees: *equal* means equal as real functions wherever both sides are defined, under the assumptions in the
//! ledger. *Different* comes with inputs. The answer does not depend on the number of threads.
//! Misses: see the headers of `forms` and `vanish`.
//! Source: *Equivalence Checking of ML GPU Kernels*, Theorem 5 and Corollary 6; DESIGN §5.

mod alike;
mod apart;
mod asked;
mod avoided;
mod cases;
mod choices;
mod closeness;
mod constants;
mod evaluation;
mod everywhere;
mod fingerprint;
mod forms;
mod grid;
pub mod idioms;
mod integers;
mod left_out;
mod linear;
mod normalize;
mod one_way;
mod patterns;
mod portion;
mod rational;
mod reach;
mod reading;
mod same;
mod split;
mod sums;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_signs;
mod trials;
mod uses;
pub mod witness;
mod words;
mod zeros;

pub use alike::Alike;
pub use constants::{Exact, Factor, Meaning, Meanings, Spread};
pub use grid::{Held, look_everywhere};
pub use one_way::{OneWay, What, one_way, resting_on_reals};
pub use reach::reach;
pub use reading::Reading;

use crate::base::{Budget, Exhausted, exact};
use crate::diag::Ledger;
use crate::term::{Elements, Term, Terms};
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;

/// What to compare: two stores, and pairs of terms (reference, optimized), one pair for each
/// output element.
pub struct Problem<'a> {
    /// The terms of the reference kernel.
    pub reference: &'a Terms,
    /// The terms of the optimized kernel.
    pub optimized: &'a Terms,
    /// The shared numbering of inputs.
    pub elements: &'a Elements,
    /// Output elements.
    pub pairs: &'a [(Term, Term)],
}

/// Choices of the user.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Read float constants as exactly their bits.
    pub exact_constants: bool,
    /// Prove without chance: normal forms alone, no evaluation at random points.
    pub exact_proof: bool,
    /// Take conversions that saturate by themselves for conversions of what is in range.
    pub in_range: bool,
    /// The pairs are outputs of two kernels: where one has no real value (it divides by zero, …), what a machine has
    /// there counts. Parts of values and conditions may be anything where they have none.
    pub outputs: bool,
}

/// The answer for one pair. Never a bare boolean.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Equality {
    /// Equal, with what `check` needs to see it again.
    Equal(Certificate),
    /// Equal up to the rounding of constants; not known to be equal.
    Close(Closeness),
    /// Different, with inputs that show it.
    Different(Witness),
    /// Neither was found, and why.
    Unknown(Reason),
}

/// Why two terms are equal; what it rests on stands in the decision's ledger.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Certificate {
    /// One sentence for people ("both are a sum of 64 terms", …).
    pub summary: String,
    /// How it was shown.
    pub method: Method,
}

impl Certificate {
    /// The certificate stands for a pair that was shown equal in the same way as well: its sentence becomes one that
    /// is true of both.
    fn cover(&mut self, other: &Certificate) {
        if self.summary == other.summary {
            return;
        }
        let form = |certificate: &Certificate| {
            certificate.summary.is_empty() || certificate.summary.starts_with(Self::NORMAL_FORM)
        };
        let forms = form(self) && form(other);
        let sentence = match (&mut self.method, other.method) {
            (Method::SameSum { terms, most }, Method::SameSum { terms: fewest, most: largest }) => {
                (*terms, *most) = ((*terms).min(fewest), (*most).max(largest));
                Self::same_sum(*terms, *most)
            }
            // What the first one's form is, its group says of the first one alone.
            (Method::NormalForm { .. }, _) if forms => return,
            (Method::NormalForm { .. }, _) => "both sides have one normal form, or the same bits".to_owned(),
            (Method::CommonDenominator { .. }, _) => {
                "the difference is zero once both sides are simplified".to_owned()
            }
            (Method::Cases { .. }, _) => "the difference is zero in each case of the comparisons".to_owned(),
            // A chance of error that is large enough for both.
            (Method::Evaluation { bits, .. }, Method::Evaluation { bits: fewer, .. }) if fewer < *bits => {
                self.method = other.method;
                other.summary.clone()
            }
            _ => return,
        };
        self.summary = sentence;
    }

    /// How the sentence about a normal form begins.
    const NORMAL_FORM: &str = "both sides have the normal form ";

    /// Both sides add up from `terms` to `most` products.
    pub(crate) fn same_sum(terms: u32, most: u32) -> String {
        match terms == most {
            true => format!("both sides add up the same {terms} summands, in another order"),
            false => format!("both sides add up the same {terms} to {most} summands, in another order"),
        }
    }

    /// The sentence for a group of several pairs, of which the first is `named` so.
    pub fn of_several(&self, named: &str) -> String {
        match self.summary.strip_prefix(Self::NORMAL_FORM) {
            Some(form) => format!("both sides have the same normal form; that of {named} is {form}"),
            None => self.summary.clone(),
        }
    }

    /// The sentence for other pairs of the group: shown in the same way, but the form and the numbers in
    /// the summary are the first one's.
    pub fn of_others(&self) -> String {
        let sentence = match self.method {
            Method::SameSum { .. } => "both sides add up the same summands, in another order",
            Method::NormalForm { .. } => "both sides have the same normal form",
            Method::Cases { .. } => "the difference is zero in each case of the comparisons",
            Method::EveryValue { .. } => "both sides have the same value at every value of the inputs",
            Method::SameExpression | Method::Evaluation { .. } | Method::CommonDenominator { .. } => {
                &self.summary
            }
        };
        sentence.to_owned()
    }
}

/// How an equality was shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Method {
    /// Both sides are the same expression, up to commutativity.
    SameExpression,
    /// Both sides add up the same products of inputs, in some order.
    SameSum {
        /// How many products; of several pairs, the fewest.
        terms: u32,
        /// The most.
        most: u32,
    },
    /// Both sides have a normal form with this many terms.
    NormalForm {
        /// Terms of the common form.
        terms: u32,
    },
    /// The difference of the normal forms is zero over a common denominator.
    CommonDenominator {
        /// Terms of the reference's form.
        terms: u32,
    },
    /// Both sides have the same residues at random points of prime fields.
    Evaluation {
        /// How many points.
        points: u32,
        /// The chance that they differ all the same is below 2 to the minus this.
        bits: u32,
    },
    /// Both sides were evaluated at every value of the integers that they depend on, and are the same.
    EveryValue {
        /// How many values.
        values: u32,
    },
    /// The difference is zero in every way the comparisons can come out.
    Cases {
        /// How many cases were looked at.
        cases: u32,
    },
}

/// Two terms that differ by no more than the rounding of constants explains: see `decide/closeness` for
/// what exactly is known.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Closeness {
    /// No coefficient differs by more than this part of the largest beside it, with the constants exactly
    /// as they are written.
    #[serde(with = "exact::bits")]
    pub part: f64,
    /// One sentence for people.
    pub summary: String,
}

/// Inputs on which two terms differ.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Witness {
    /// The inputs are those of this plain point ([`witness::plain`]), and none are listed: one of
    /// many outputs that differ, for which no smaller ones were looked for.
    pub point: Option<u64>,
    /// Values of elements; all others are [`Witness::default`].
    #[serde(with = "exact::rationals")]
    pub inputs: Vec<(u32, num_rational::BigRational)>,
    /// The value of every element not listed.
    #[serde(with = "exact::rational")]
    pub default: num_rational::BigRational,
    /// Enclosures of the value on each side (reference, optimized).
    #[serde(with = "exact::enclosures")]
    pub values: [(f64, f64); 2],
    /// What differs, in words (which term is missing or extra).
    pub difference: String,
}

/// Why no answer was found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Reason {
    /// One sentence.
    pub message: String,
    /// What to try.
    pub hint: Option<String>,
}

/// The answers for all pairs.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Answers; pairs that share one (same shape, or the same terms) are listed together.
    pub groups: Vec<Group>,
    /// Assumptions made while deciding.
    pub ledger: Ledger,
}

/// Pairs with the same answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Group {
    /// Indices into [`Problem::pairs`], ascending.
    pub members: Vec<u32>,
    /// The answer.
    pub equality: Equality,
}

/// The groups of portions of the pairs, each counted from 0, as those of all pairs.
pub fn joined(portions: impl IntoIterator<Item = (u32, Vec<Group>)>) -> Vec<Group> {
    let mut all = portion::Groups::default();
    for (first, groups) in portions {
        for Group { members, equality } in groups {
            all.add(&equality, members.into_iter().map(|member| first + member));
        }
    }
    all.groups
}

impl Group {
    /// The group's answer is told of another member as well.
    fn take(&mut self, other: &Equality) {
        if let (Equality::Equal(known), Equality::Equal(other)) = (&mut self.equality, other) {
            return known.cover(other);
        }
        if let (Equality::Close(known), Equality::Close(other)) = (&mut self.equality, other)
            && other.part > known.part
        {
            known.clone_from(other);
        }
    }
}

/// Does what is the same for all questions, once: for a thread that has nothing else to do.
pub fn prepare() {
    idioms::prepare();
}

/// Decides all pairs, in parallel; the result does not depend on the number of threads.
pub fn decide(options: &Options, budget: &Budget, problem: &Problem<'_>) -> Result<Decision, Exhausted> {
    decide_while(options, budget, problem, |_, _| ()).map(|decided| decided.decision)
}

/// Which pairs evaluation at random points finds equal, and nothing else is asked: for tests.
pub fn equal_by_evaluation(
    options: &Options,
    budget: &Budget,
    problem: &Problem<'_>,
) -> Result<Vec<bool>, Exhausted> {
    let reading = Reading::of(options, budget, problem, problem.pairs, &mut Ledger::default())?;
    let evaluated = evaluation::evaluate(budget, &reading, problem.elements)?;
    Ok(evaluated.proved.iter().map(Option::is_some).collect())
}

/// A decision, and what came up on the way.
pub struct Decided<'a, R> {
    /// The decision.
    pub decision: Decision,
    /// How the pairs were read that are not alike as they stand, if there are any.
    pub reading: Option<Reading<'a>>,
    /// What was done meanwhile, if there was time.
    pub meanwhile: Option<R>,
}

/// The same; where one thread has to go ahead alone, another does something `meanwhile` with what
/// was read, and is told once not all pairs were found equal.
pub fn decide_while<'a, R: Send>(
    options: &Options,
    budget: &Budget,
    problem: &Problem<'a>,
    meanwhile: impl FnOnce(&Reading<'a>, &AtomicBool) -> R + Send,
) -> Result<Decided<'a, R>, Exhausted> {
    budget.poll()?;
    portion::decide(options, budget, problem, meanwhile)
}
