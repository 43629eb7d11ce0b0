//! Polynomials as text, for assumptions and reasons.
//!
//! Terms stand in alphabetical order, so that the text does not depend on the order in which
//! atoms were met; long sums and products are cut to their size, and inside of something else, so are long
//! texts: what is nested has many parts of many parts.

use super::{Atom, Forms, Kind, Mono, Poly, Power, Product, Rational};
use crate::term::Unary;
use rustc_hash::FxHashMap;

/// How it begins where forms are shown beside one another.
pub(in crate::decide) const BESIDE: &str = "reference ";
/// Sums with more terms than this are not spelled out.
const SPELLED: usize = 6;
/// How deep sums inside of atoms are spelled out.
const DEPTH: usize = 3;
/// Products with more factors than this are not spelled out, inside of something else those of more than
/// [`SPELLED`].
const FACTORS: usize = 24;
/// Sums inside of something else that take more bytes than this are not spelled out.
const LONG: usize = 1000;

impl Forms<'_> {
    /// A polynomial for people.
    pub(in crate::decide) fn render(&self, poly: Poly) -> String {
        self.render_to(poly, DEPTH)
    }

    /// What only one of two polynomials has.
    pub(in crate::decide) fn render_difference(&self, [reference, optimized]: [Poly; 2]) -> String {
        let only = |a: Poly, b: Poly| -> Vec<Product> {
            let known: FxHashMap<Mono, &Rational> =
                (0..self.len(b)).map(|at| (self.mono_at(b, at), self.coefficient_at(b, at))).collect();
            (0..self.len(a))
                .filter(|at| known.get(&self.mono_at(a, *at)) != Some(&self.coefficient_at(a, *at)))
                .map(|at| self.term(a, at))
                .collect()
        };
        let (left, right) = (only(reference, optimized), only(optimized, reference));
        let shared = self.len(reference) - left.len();
        let side = |terms: Vec<Product>| match terms.len() {
            0 => "0".to_owned(),
            count if count > SPELLED => format!("a sum of {count} terms"),
            _ => self.render_terms(&terms, DEPTH),
        };
        let rest = match shared {
            0 => String::new(),
            1 => " (beside one term that both have)".to_owned(),
            _ => format!(" (beside {shared} terms that both have)"),
        };
        format!("{BESIDE}{}, optimized {}{rest}", side(left), side(right))
    }

    fn render_to(&self, poly: Poly, depth: usize) -> String {
        let count = self.len(poly);
        if count == 0 {
            return "0".to_owned();
        }
        let cut = || if count == 1 { "…".to_owned() } else { format!("a sum of {count} terms") };
        if depth == 0 || count > SPELLED {
            return cut();
        }
        let terms: Vec<Product> = (0..count).map(|at| self.term(poly, at)).collect();
        let text = self.render_terms(&terms, depth);
        if depth < DEPTH && text.len() > LONG { cut() } else { text }
    }

    fn render_terms(&self, terms: &[Product], depth: usize) -> String {
        let mut terms: Vec<(String, bool)> = terms
            .iter()
            .map(|term| {
                let mono = self.render_mono(term.mono, depth);
                let size = term.coefficient.magnitude();
                let text = match (mono.is_empty(), size == Rational::ONE) {
                    (true, _) => size.to_string(),
                    (false, true) => mono,
                    (false, false) => format!("{size}·{mono}"),
                };
                (text, term.coefficient.is_negative())
            })
            .collect();
        terms.sort();
        let mut text = String::new();
        for (at, (term, negative)) in terms.iter().enumerate() {
            text.push_str(match (at, negative) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            });
            text.push_str(term);
        }
        text
    }

    fn render_mono(&self, mono: Mono, depth: usize) -> String {
        let count = self.factor_count(mono);
        if count > if depth < DEPTH { SPELLED } else { FACTORS } {
            return format!("(a product of {count} factors)");
        }
        let mut parts: Vec<String> = (0..count)
            .map(|at| {
                let (atom, power) = self.factor(mono, at);
                let base = self.render_atom(atom, depth);
                if power == Power::ONE {
                    base
                } else if power.below == 1 {
                    format!("{base}^{}", power.above)
                } else {
                    format!("{base}^({}/{})", power.above, power.below)
                }
            })
            .collect();
        parts.sort();
        let exponent = self.exponent(mono);
        if exponent != Poly::ZERO {
            parts.push(format!("exp({})", self.render_to(exponent, depth - 1)));
        }
        parts.join("·")
    }

    fn render_atom(&self, atom: Atom, depth: usize) -> String {
        let inner = |poly| self.render_to(poly, depth - 1);
        match self.kind(atom) {
            Kind::Element(element) => self.elements.name(element),
            Kind::Pi => "π".to_owned(),
            Kind::Ln10 => "ln 10".to_owned(),
            Kind::Prime(prime) => prime.to_string(),
            Kind::Log(poly) => format!("ln({})", inner(poly)),
            Kind::Sum(poly) => format!("({})", inner(poly)),
            Kind::Abs(poly) => format!("|{}|", inner(poly)),
            Kind::Max => {
                let arguments = self.max_arguments(atom);
                if arguments.len() > SPELLED {
                    format!("max of {}", arguments.len())
                } else {
                    let mut texts: Vec<String> = arguments.into_iter().map(inner).collect();
                    texts.sort();
                    format!("max({})", texts.join(", "))
                }
            }
            Kind::Contest => format!("winner of {}", self.contest_candidates(atom).len()),
            Kind::Function(function, poly) => format!("{}({})", function_name(function), inner(poly)),
            Kind::Positive(poly) => format!("[{} > 0]", inner(poly)),
            Kind::Zero(poly) => format!("[{} = 0]", inner(poly)),
            Kind::Condition => "[bit condition]".to_owned(),
            Kind::Opaque => {
                let (_, arguments) = self.opaque_parts(atom);
                let texts: Vec<String> = arguments.into_iter().map(inner).collect();
                format!("opaque({})", texts.join(", "))
            }
        }
    }
}

fn function_name(function: Unary) -> String {
    format!("{function:?}").to_lowercase()
}
