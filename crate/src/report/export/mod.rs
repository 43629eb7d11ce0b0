//! The verification conditions of a comparison, for other programs to decide.
//!
//! For every compared output element a file holds the reference's and the optimized kernel's
//! expression over the tensors' elements, as `decide` reads them: inlined library code stands as
//! the function that it computes, recovered constants as what they mean. Every step that is used
//! more than once, or that is no link of a sum, is one definition, so a file is as long as the
//! terms are, not as their expansion.
//!
//! [`Language::Smt2`]: an SMT-LIB 2 script that is unsatisfiable only if all pairs are equal.
//! [`Language::Sympy`]: a Python program that builds all pairs and compares them.
//!
//! Guarantees: numbers are exact; what the language has no meaning for is an uninterpreted
//! function, so that *unsat* stays a proof; what would make the file say something else (infinities
//! in SMT-LIB, an element that only one kernel writes) is refused in one sentence. Nothing is
//! decided here.
//! Misses: the assumption ledger, which only a report shows; the file states the kinds.

mod axioms;
mod guards;
mod plan;
mod smt;
mod sympy;
#[cfg(test)]
mod tests;

use crate::base::{Budget, Exhausted};
use crate::decide::{Options, Problem, Reading};
use crate::diag::Ledger;
use crate::term::{Elements, Term};
use plan::Plan;

/// What to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// SMT-LIB 2, for Z3, cvc5 and others.
    Smt2,
    /// Python, for SymPy (and, with another import, SymEngine).
    Sympy,
}

/// Why there is no text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// It has no translation, and why.
    Refused(String),
    /// It ran out of its budget.
    Exhausted(Exhausted),
}

impl From<Exhausted> for Failure {
    fn from(exhausted: Exhausted) -> Self {
        Failure::Exhausted(exhausted)
    }
}

/// One compared element: its name, and the term of each kernel.
struct Pair {
    name: String,
    terms: [Term; 2],
}

/// Everything that a writer needs.
struct Conditions<'a> {
    /// Reference and optimized kernel.
    plans: [Plan<'a>; 2],
    pairs: Vec<Pair>,
    elements: &'a Elements,
    /// What the file is about, one line each.
    title: Vec<String>,
    budget: &'a Budget,
}

/// The text of a problem's conditions; `name` gives the output element of a pair.
pub fn conditions(
    language: Language,
    options: &Options,
    budget: &Budget,
    problem: &Problem<'_>,
    kernels: [&str; 2],
    name: &dyn Fn(usize) -> String,
) -> Result<String, Failure> {
    let reading = Reading::of(options, budget, problem, problem.pairs, &mut Ledger::default())?;
    let plan = |side: usize| {
        Plan::of(language, reading.terms(side), reading.roots(side), reading.meanings.side(side), budget)
    };
    let pair = |at: usize| Pair { name: name(at), terms: reading.pair(at).into() };
    let conditions = Conditions {
        plans: [plan(0)?, plan(1)?],
        pairs: (0..problem.pairs.len()).map(pair).collect(),
        elements: problem.elements,
        title: title(kernels, problem.pairs.len(), options),
        budget,
    };
    match language {
        Language::Smt2 => smt::write(&conditions),
        Language::Sympy => sympy::write(&conditions),
    }
}

/// What stands at the top of every file.
fn title(kernels: [&str; 2], pairs: usize, options: &Options) -> Vec<String> {
    let [reference, optimized] = kernels;
    let elements =
        if pairs == 1 { "1 output element".to_owned() } else { format!("{pairs} output elements") };
    let constants = if options.exact_constants {
        "Constants are exactly their bits."
    } else {
        "Rounded constants stand for what their authors meant (0f3FB8AA3B for log2 e)."
    };
    vec![
        format!("Written by Warpproof {}.", env!("CARGO_PKG_VERSION")),
        format!("Do `{reference}` (reference) and `{optimized}` (optimized) compute the same {elements}?"),
        "Instructions mean their real-number operations, without rounding, infinities and NaN.".to_owned(),
        "Inlined library code (expf, division, ...) is already replaced by the function it computes."
            .to_owned(),
        constants.to_owned(),
        "Where they are used, denominators are assumed not to be zero, arguments of roots and logarithms in range."
            .to_owned(),
    ]
}

/// A number of the file grew beyond the memory that a run may hold.
fn within(text: &str, budget: &Budget) -> Result<(), Exhausted> {
    budget.poll()?;
    if text.len() as u64 > budget.memory { Err(Exhausted::Memory) } else { Ok(()) }
}
