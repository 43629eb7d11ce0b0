//! Families of formulas, each in several formulations, at every size; and what is nearly the same and must
//! not be equal.

mod activations;
mod angles;
mod bits;
mod choices;
mod conditions;
mod counts;
mod entropy;
mod gradients;
mod guards;
mod logarithms;
mod magnitudes;
mod masks;
mod ranks;
mod roots;
mod scores;
mod steps;
mod tables;
mod transforms;

pub(super) use super::tests::{Build, FORMATS, INTEGERS, SIZES, proved, proves, proves_within};
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

/// All formulations at every size, and that the wrong ones are none of them.
fn at_every_size(
    what: &str,
    right: usize,
    wrong: &[usize],
    build: fn(&mut Build, usize, usize) -> Vec<Term>,
) {
    for size in SIZES {
        for form in 1..right {
            // Each with its neighbour, and with the first one at small sizes.
            let others: &[usize] = if size < 8 { &[form - 1, 0] } else { &[form - 1] };
            for other in others {
                let equal = proves(|b, optimized| build(b, size, if optimized { form } else { *other }));
                assert!(equal, "{what} of {size}: {other} and {form}");
            }
        }
    }
    for size in [2, 3, 9] {
        for wrong in wrong {
            for form in 0..right {
                for (one, two) in [(form, *wrong), (*wrong, form)] {
                    let equal = proves(|b, optimized| build(b, size, if optimized { two } else { one }));
                    assert!(!equal, "{what} of {size}: {form} and the wrong {wrong}");
                }
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
