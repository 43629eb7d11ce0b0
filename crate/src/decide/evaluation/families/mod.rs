//! Families of formulas, each in several formulations, at every size; and what is nearly the same and must
//! not be equal.

mod angles;
mod choices;
mod conditions;
mod entropy;
mod logarithms;
mod masks;
mod ranks;
mod roots;

pub(super) use super::tests::{Build, SIZES, proved, proves};
use crate::term::{Term, Unary};

/// One way to write a row of outputs.
type Formulation<'a> = &'a dyn Fn(&mut Build) -> Vec<Term>;

/// All are the same function.
fn alike(what: &str, forms: &[Formulation<'_>]) {
    for (at, form) in forms.iter().enumerate() {
        for (sides, first) in [(0, forms[0]), (1, *form)] {
            let second = if sides == 0 { form } else { &forms[0] };
            assert!(
                proves(|b, optimized| if optimized { second(b) } else { first(b) }),
                "{what}: 0 and {at}"
            );
        }
    }
    // Not through the first one.
    if let [_, others @ .., last] = forms {
        for (at, other) in others.iter().enumerate() {
            assert!(
                proves(|b, optimized| if optimized { other(b) } else { last(b) }),
                "{what}: {} and last",
                at + 1
            );
        }
    }
}

/// No two are.
fn apart(what: &str, forms: &[Formulation<'_>]) {
    for (at, first) in forms.iter().enumerate() {
        for (place, second) in forms.iter().enumerate().skip(at + 1) {
            for (first, second) in [(first, second), (second, first)] {
                let equal = proves(|b, optimized| if optimized { second(b) } else { first(b) });
                assert!(!equal, "{what}: {at} and {place}");
            }
        }
    }
}

impl Build {
    fn exp(&mut self, a: Term) -> Term {
        self.f(Unary::Exp, a)
    }
    fn ln(&mut self, a: Term) -> Term {
        self.f(Unary::Log, a)
    }
    fn sqrt(&mut self, a: Term) -> Term {
        self.f(Unary::Sqrt, a)
    }
    fn rsqrt(&mut self, a: Term) -> Term {
        self.f(Unary::Rsqrt, a)
    }
    fn abs(&mut self, a: Term) -> Term {
        self.f(Unary::Abs, a)
    }
    fn mul(&mut self, a: Term, b: Term) -> Term {
        self.0.mul(a, b)
    }
    fn add(&mut self, a: Term, b: Term) -> Term {
        self.0.add(a, b)
    }
    fn sub(&mut self, a: Term, b: Term) -> Term {
        self.0.sub(a, b)
    }
    fn div(&mut self, a: Term, b: Term) -> Term {
        self.0.div(a, b)
    }
    fn sum_of_squares(&mut self, x: &[Term]) -> Term {
        self.dot(x, x)
    }
}
