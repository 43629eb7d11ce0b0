//! Inverses of trigonometric and hyperbolic functions, by one arctangent, roots and logarithms.
//!
//! One function with laws of its own is enough: half an angle is an arctangent of what the angle's sine and
//! cosine give, `atan2(y, x) = 2·atan(y / (√(x² + y²) + x))`. That has a value wherever the function does not
//! depend on the sign of a zero (all but y = 0, x ≤ 0), and `asin x`, of the angle between x and √(1 - x²), on
//! all of [-1, 1]. So `asin x` and `atan2(x, √(1 - x²))` are the same by algebra alone.
//!
//! Guarantees: equal to the function wherever the terms have a value.
//! Source: Abramowitz and Stegun, 4.4 and 4.6.20 to 4.6.22.

use super::{Named, Term, Terms, Unary};
use num_rational::BigRational;

/// The angle of the point (x, y), for y other than 0 or positive x.
pub fn atan2(terms: &mut Terms, y: Term, x: Term) -> Term {
    let square = terms.mul(x, x);
    let squares = terms.fma(y, y, square);
    let radius = terms.unary(Unary::Sqrt, squares);
    let below = terms.add(radius, x);
    twice_atan(terms, y, below)
}

/// Between -π/2 and π/2, for x between -1 and 1.
pub fn asin(terms: &mut Terms, x: Term) -> Term {
    let square = terms.mul(x, x);
    let rest = terms.sub(Term::ONE, square);
    let cosine = terms.unary(Unary::Sqrt, rest);
    let below = terms.add(cosine, Term::ONE);
    twice_atan(terms, x, below)
}

/// Between 0 and π, for x between -1 and 1.
pub fn acos(terms: &mut Terms, x: Term) -> Term {
    let pi = terms.named(Named::Pi);
    let right = halved(terms, pi);
    let asin = asin(terms, x);
    terms.sub(right, asin)
}

/// `ln(x + √(x² + 1))`.
pub fn asinh(terms: &mut Terms, x: Term) -> Term {
    let square = terms.fma(x, x, Term::ONE);
    let root = terms.unary(Unary::Sqrt, square);
    let sum = terms.add(x, root);
    terms.unary(Unary::Log, sum)
}

/// `ln(x + √(x² - 1))`, for x from 1 on.
pub fn acosh(terms: &mut Terms, x: Term) -> Term {
    let square = terms.fma(x, x, Term::MINUS_ONE);
    let root = terms.unary(Unary::Sqrt, square);
    let sum = terms.add(x, root);
    terms.unary(Unary::Log, sum)
}

/// `ln((1 + x) / (1 - x)) / 2`, for x between -1 and 1.
pub fn atanh(terms: &mut Terms, x: Term) -> Term {
    let (above, below) = (terms.add(x, Term::ONE), terms.sub(Term::ONE, x));
    let quotient = terms.div(above, below);
    let log = terms.unary(Unary::Log, quotient);
    halved(terms, log)
}

fn twice_atan(terms: &mut Terms, above: Term, below: Term) -> Term {
    let tangent = terms.div(above, below);
    let half = terms.unary(Unary::Atan, tangent);
    terms.add(half, half)
}

fn halved(terms: &mut Terms, x: Term) -> Term {
    let half = terms.rational(BigRational::new(1.into(), 2.into()));
    terms.mul(x, half)
}
