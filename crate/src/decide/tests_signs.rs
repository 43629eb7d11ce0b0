//! Conditions in other words: rows of choices, each in several formulations, and what is nearly the same.

use super::{Equality, Options, Problem, decide};
use crate::base::{Budget, Format};
use crate::term::{Elements, Relation, Term, Terms, Unary};

struct Row<'a> {
    terms: &'a mut Terms,
    /// The elements of this place.
    x: Term,
    y: Term,
    z: Term,
    last: bool,
}

impl Row<'_> {
    fn number(&mut self, number: i128) -> Term {
        self.terms.integer(number)
    }
    fn above(&mut self, a: Term, b: Term) -> Term {
        self.terms.compare(Relation::Less, b, a)
    }
    fn exceeds(&mut self, a: Term, bound: i128) -> Term {
        let bound = self.number(bound);
        self.above(a, bound)
    }
    fn is_below(&mut self, a: Term, bound: i128) -> Term {
        let bound = self.number(bound);
        self.above(bound, a)
    }
    fn squared(&mut self, a: Term) -> Term {
        self.terms.mul(a, a)
    }
    fn f(&mut self, function: Unary, a: Term) -> Term {
        self.terms.unary(function, a)
    }
    fn both(&mut self, a: Term, b: Term) -> Term {
        self.terms.and(a, b)
    }
    fn either(&mut self, a: Term, b: Term) -> Term {
        self.terms.or(a, b)
    }
}

type Form<'a> = &'a dyn Fn(&mut Row<'_>) -> Term;

/// `Σ (c ? x : y)` over places, for a condition of each place.
fn chosen(terms: &mut Terms, size: usize, form: Form<'_>) -> Term {
    let mut sum = Term::ZERO;
    for at in 0..size as u32 {
        let [x, y, z] = [0, 1000, 2000].map(|from| Term::element(from + at));
        let condition = form(&mut Row { terms, x, y, z, last: at + 1 == size as u32 });
        let part = terms.select(condition, x, y);
        sum = terms.add(sum, part);
    }
    sum
}

fn equal(size: usize, one: Form<'_>, two: Form<'_>) -> bool {
    matches!(answer(size, one, two), Equality::Equal(_))
}

fn answer(size: usize, one: Form<'_>, two: Form<'_>) -> Equality {
    let (mut reference, mut optimized) = (Terms::new(), Terms::new());
    let pair = (chosen(&mut reference, size, one), chosen(&mut optimized, size, two));
    let mut elements = Elements::default();
    elements.push("x", vec![3000], Format::F32, 3000);
    let problem =
        Problem { reference: &reference, optimized: &optimized, elements: &elements, pairs: &[pair] };
    let mut decision = decide(&Options::default(), &Budget::default(), &problem).expect("small");
    decision.groups.remove(0).equality
}

/// All say the same, and none says what the last one says.
fn family(what: &str, forms: &[Form<'_>], wrong: Form<'_>) {
    for size in [1, 2, 3, 7, 16, 33, 70] {
        for (at, form) in forms.iter().enumerate().skip(1) {
            assert!(equal(size, forms[0], *form), "{what} of {size}: 0 and {at}");
            assert!(equal(size, *form, forms[at - 1]), "{what} of {size}: {at} and {}", at - 1);
        }
    }
    for (at, form) in forms.iter().enumerate() {
        assert!(!equal(1, *form, wrong) && !equal(3, *form, wrong), "{what}: {at} and wrong");
        // Wrong at the last place alone.
        let nearly = |row: &mut Row<'_>| if row.last { wrong(row) } else { form(row) };
        assert!(!equal(5, *form, &nearly), "{what}: {at} and nearly");
    }
}

#[test]
fn squares_magnitudes_and_intervals() {
    let square = |row: &mut Row<'_>| {
        let square = row.squared(row.x);
        row.exceeds(square, 4)
    };
    let magnitude = |row: &mut Row<'_>| {
        let size = row.f(Unary::Abs, row.x);
        row.exceeds(size, 2)
    };
    let outside = |row: &mut Row<'_>| {
        let (above, below) = (row.exceeds(row.x, 2), row.is_below(row.x, -2));
        row.either(above, below)
    };
    let product = |row: &mut Row<'_>| {
        let two = row.number(2);
        let (a, b) = (row.terms.sub(row.x, two), row.terms.add(row.x, two));
        let product = row.terms.mul(a, b);
        row.exceeds(product, 0)
    };
    let root = |row: &mut Row<'_>| {
        let square = row.squared(row.x);
        let root = row.f(Unary::Sqrt, square);
        row.exceeds(root, 2)
    };
    let with_border = |row: &mut Row<'_>| {
        let square = row.squared(row.x);
        let four = row.number(4);
        row.terms.compare(Relation::LessEqual, four, square)
    };
    family("x² > 4", &[&square, &magnitude, &outside, &product, &root], &with_border);
}

#[test]
fn signs_of_products_and_quotients() {
    let product = |row: &mut Row<'_>| {
        let product = row.terms.mul(row.y, row.z);
        row.exceeds(product, 0)
    };
    let cases = |row: &mut Row<'_>| {
        let (a, b) = (row.exceeds(row.y, 0), row.exceeds(row.z, 0));
        let (c, d) = (row.is_below(row.y, 0), row.is_below(row.z, 0));
        let (up, down) = (row.both(a, b), row.both(c, d));
        row.either(up, down)
    };
    let chosen = |row: &mut Row<'_>| {
        let (above, below) = (row.exceeds(row.z, 0), row.is_below(row.z, 0));
        let (up, down) = (row.exceeds(row.y, 0), row.is_below(row.y, 0));
        let other = row.terms.select(down, below, Term::FALSE);
        row.terms.select(up, above, other)
    };
    let scaled = |row: &mut Row<'_>| {
        let power = row.f(Unary::Exp, row.x);
        let (cubed, product) = (row.squared(row.y), row.terms.mul(row.y, row.z));
        let product = row.terms.mul(product, power);
        let gain = row.terms.mul(cubed, product);
        row.exceeds(gain, 0)
    };
    let same = |row: &mut Row<'_>| {
        let (a, b) = (row.exceeds(row.y, 0), row.exceeds(row.z, 0));
        row.both(a, b)
    };
    family("y·z > 0", &[&product, &cases, &chosen, &scaled], &same);
}

#[test]
fn increasing_functions() {
    let plain = |row: &mut Row<'_>| row.above(row.y, row.z);
    let powers = |row: &mut Row<'_>| {
        let (a, b) = (row.f(Unary::Exp, row.y), row.f(Unary::Exp, row.z));
        row.above(a, b)
    };
    let quotient = |row: &mut Row<'_>| {
        let gap = row.terms.sub(row.y, row.z);
        let power = row.f(Unary::Exp, gap);
        row.exceeds(power, 1)
    };
    let tanh = |row: &mut Row<'_>| {
        let gap = row.terms.sub(row.y, row.z);
        let tanh = row.f(Unary::Tanh, gap);
        row.exceeds(tanh, 0)
    };
    let turned = |row: &mut Row<'_>| {
        let not = row.terms.compare(Relation::LessEqual, row.y, row.z);
        row.terms.not(not)
    };
    let shifted = |row: &mut Row<'_>| {
        let (a, b) = (row.f(Unary::Exp, row.y), row.f(Unary::Exp, row.z));
        let b = row.terms.add(b, b);
        row.above(a, b)
    };
    family("y > z", &[&plain, &powers, &quotient, &tanh, &turned], &shifted);
}

/// Conditions that differ on a tie alone, which lies behind a function without exact values.
#[test]
fn ties_behind_functions_are_differences() {
    let functions = [Unary::Exp, Unary::Exp2, Unary::Tanh, Unary::Erf, Unary::Cbrt];
    for function in functions {
        for nested in [false, true] {
            let strict = |row: &mut Row<'_>| {
                let (mut a, mut b) = (row.f(function, row.y), row.f(function, row.z));
                if nested {
                    (a, b) = (row.f(Unary::Tanh, a), row.f(Unary::Tanh, b));
                }
                row.above(a, b)
            };
            let weak = |row: &mut Row<'_>| row.terms.compare(Relation::LessEqual, row.z, row.y);
            for (one, two) in [(&strict as Form<'_>, &weak as Form<'_>), (&weak, &strict)] {
                assert!(different(one, two), "{function:?}, nested {nested}");
            }
        }
    }
}

fn different(one: Form<'_>, two: Form<'_>) -> bool {
    matches!(answer(2, one, two), Equality::Different(_))
}
