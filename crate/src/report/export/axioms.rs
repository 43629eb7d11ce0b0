//! How an exponent falls into parts: the instances of `e^(a+b) = e^a · e^b` that a file states.
//!
//! SMT-LIB's reals have no exponential. The file declares one and states, for every exponential
//! that occurs, that it is positive and, where its argument is a sum, a difference or a constant
//! multiple of either, the functional equation for that one place. With `e^(x - m) · e^m = e^x` at
//! each place, a softmax becomes a question about rational functions of `e^x` and `e^m`.
//!
//! Guarantees: every instance is true of the real exponential. Misses: instances that no argument
//! of the kernels shows; exponents nested in sums of sums are split at the outermost sum only.

use crate::decide::{Exact, Factor, Meaning};
use crate::term::{Node, Term, Terms, Unary};
use std::fmt::Write;

/// A part of an exponent, without its factor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Term(Term),
    Product(Term, Term),
}

/// An exponent as `Σ factor · part`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Split(pub(super) Vec<(Exact, Part)>);

impl Split {
    /// The terms that the parts name.
    pub(super) fn terms(&self) -> impl Iterator<Item = Term> {
        self.0
            .iter()
            .flat_map(|(_, part)| match part {
                Part::Term(term) => [Some(*term), None],
                Part::Product(a, b) => [Some(*a), Some(*b)],
            })
            .flatten()
    }
}

/// The parts of an exponent, if it falls into any or loses a factor.
pub(super) fn split(terms: &Terms, meanings: &[Meaning], function: Unary, argument: Term) -> Option<Split> {
    let factor = match function {
        Unary::Exp2 => Factor::Ln2.to_the(1)?,
        _ => Exact::integer(1),
    };
    let (outer, inner) = peel(terms, meanings, factor, argument);
    let parts = match terms.node(inner) {
        Node::Add(a, b) => vec![peeled(terms, meanings, outer.clone(), a), peeled(terms, meanings, outer, b)],
        Node::Sub(a, b) => {
            let negated = outer.negated();
            vec![peeled(terms, meanings, outer, a), peeled(terms, meanings, negated, b)]
        }
        Node::Fma(a, b, c) => {
            let (factor, part) = match (number(meanings, a), number(meanings, b)) {
                (Some(a), _) => (outer.times(a)?, Part::Term(b)),
                (_, Some(b)) => (outer.times(b)?, Part::Term(a)),
                _ => (outer.clone(), Part::Product(a, b)),
            };
            let first = match part {
                Part::Term(term) => peeled(terms, meanings, factor, term),
                product => (factor, product),
            };
            vec![first, peeled(terms, meanings, outer, c)]
        }
        // Only a factor that changed says anything new.
        _ if inner != argument => vec![(outer, Part::Term(inner))],
        _ => return None,
    };
    Some(Split(parts))
}

fn peeled(terms: &Terms, meanings: &[Meaning], factor: Exact, term: Term) -> (Exact, Part) {
    let (factor, term) = peel(terms, meanings, factor, term);
    (factor, Part::Term(term))
}

/// Moves signs and constant factors out of a term.
fn peel(terms: &Terms, meanings: &[Meaning], mut factor: Exact, mut term: Term) -> (Exact, Term) {
    loop {
        let (inner, next) = match terms.node(term) {
            Node::Unary(Unary::Neg, a) => (a, Some(factor.negated())),
            Node::Mul(a, b) => match (number(meanings, a), number(meanings, b)) {
                (Some(a), _) => (b, factor.times(a)),
                (_, Some(b)) => (a, factor.times(b)),
                _ => return (factor, term),
            },
            Node::Div(a, b) => match number(meanings, b).and_then(Exact::reciprocal) {
                Some(inverse) => (a, factor.times(&inverse)),
                None => return (factor, term),
            },
            _ => return (factor, term),
        };
        let Some(next) = next else { return (factor, term) };
        (factor, term) = (next, inner);
    }
}

/// The value of a constant other than 0.
fn number(meanings: &[Meaning], term: Term) -> Option<&Exact> {
    match meanings.get(term.as_constant()?)? {
        Meaning::Number(exact) if !exact.is_zero() => Some(exact),
        _ => None,
    }
}

/// A rational in SMT-LIB.
pub(super) fn rational(value: &num_rational::BigRational) -> String {
    let magnitude = if value.is_integer() {
        format!("{}.0", value.numer().magnitude())
    } else {
        format!("(/ {}.0 {}.0)", value.numer().magnitude(), value.denom())
    };
    if num_traits::Signed::is_negative(value) { format!("(- {magnitude})") } else { magnitude }
}

/// A constant in SMT-LIB, over declared names for irrational factors; each is handed to `declare`.
pub(super) fn exact(value: &Exact, declare: &mut dyn FnMut(Factor, i64)) -> String {
    if let Some(value) = value.as_rational() {
        return rational(value);
    }
    let mut text = format!("(* {}", rational(value.coefficient()));
    for (factor, power) in value.factors() {
        declare(*factor, *power.denom());
        let name = root_name(*factor, *power.denom());
        for _ in 0..power.numer().unsigned_abs() {
            let _ =
                if *power.numer() < 0 { write!(text, " (/ 1.0 {name})") } else { write!(text, " {name}") };
        }
    }
    text + ")"
}

/// The name of a factor's root.
pub(super) fn root_name(factor: Factor, degree: i64) -> String {
    let name = match factor {
        Factor::Prime(prime) => prime.to_string(),
        Factor::Pi => "pi".to_owned(),
        Factor::Ln2 => "ln2".to_owned(),
        Factor::Ln10 => "ln10".to_owned(),
        Factor::E => "e".to_owned(),
    };
    if degree == 1 { format!("const.{name}") } else { format!("const.{name}.root{degree}") }
}

/// What the file says about a declared constant: enclosing rationals 10^-38 apart; of a root, its
/// power.
pub(super) fn root_facts(factor: Factor, degree: i64) -> String {
    let name = root_name(factor, degree);
    let mut text = format!("(declare-fun {name} () Real)\n");
    let (low, high) = factor.bounds();
    if degree == 1 {
        let _ = writeln!(text, "(assert (< {} {name}))", rational(&low));
        let _ = writeln!(text, "(assert (< {name} {}))", rational(&high));
        return text;
    }
    let power = format!("(*{})", format!(" {name}").repeat(degree.unsigned_abs() as usize));
    let whole = match factor {
        Factor::Prime(_) => rational(&low),
        _ => root_name(factor, 1),
    };
    let _ = writeln!(text, "(assert (< 0.0 {name}))\n(assert (= {power} {whole}))");
    text
}
