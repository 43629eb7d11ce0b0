//! Rows whose conditions are written in other words, summed and put to use; and rows with another border, or
//! with one wrong piece.

use super::*;
use crate::term::Relation;

/// What a row makes of its three elements.
type RowForm = fn(&mut Build, [Term; 3]) -> Term;

/// How rows are put together.
#[derive(Clone, Copy, Debug)]
enum Use {
    Sum,
    Weighted,
    /// Over the sum of exponentials of other elements, as a probability.
    Divided,
    /// In an exponent.
    Power,
}

/// The last row may be another one.
fn rows(b: &mut Build, size: usize, form: RowForm, last: RowForm, used: Use) -> Vec<Term> {
    let (mut sum, mut powers) = (Term::ZERO, Term::ZERO);
    for at in 0..size as u32 {
        let all = [0, 10_000, 20_000].map(|from| b.e(from + at));
        let form = if at + 1 == size as u32 { last } else { form };
        let row = form(b, all);
        sum = match used {
            Use::Weighted => {
                let weight = b.e(30_000 + at);
                b.0.fma(row, weight, sum)
            }
            _ => b.add(sum, row),
        };
        let power = b.exp(all[2]);
        powers = b.add(powers, power);
    }
    vec![match used {
        Use::Divided => b.div(sum, powers),
        Use::Power => b.exp(sum),
        Use::Sum | Use::Weighted => sum,
    }]
}

const USES: [Use; 4] = [Use::Sum, Use::Weighted, Use::Divided, Use::Power];

/// All are the same at every size, and none is a wrong one, be it the last row alone.
fn family(what: &str, forms: &[RowForm], wrong: &[RowForm]) {
    let same = |one: RowForm, two: RowForm, last: RowForm, size: usize, used: Use| {
        proves(
            |b, optimized| {
                if optimized { rows(b, size, two, last, used) } else { rows(b, size, one, one, used) }
            },
        )
    };
    for size in SIZES {
        for (place, form) in forms.iter().enumerate() {
            if size > 8 && place != size % forms.len() {
                continue;
            }
            let other = forms[(place + 1 + size % (forms.len() - 1)) % forms.len()];
            let used = USES[size % USES.len()];
            assert!(same(*form, other, other, size, used), "{what}, {size} rows: {place}, {used:?}");
        }
    }
    for (place, form) in forms.iter().enumerate() {
        for (number, wrong) in wrong.iter().enumerate() {
            for size in [1, 2, 5] {
                for used in USES {
                    let equal =
                        same(*form, *form, *wrong, size, used) || same(*wrong, *wrong, *form, size, used);
                    assert!(!equal, "{what}: {place} and the wrong {number}, {size}, {used:?}");
                }
            }
        }
    }
}

impl Build {
    fn exceeds(&mut self, a: Term, c: Term) -> Term {
        self.0.compare(Relation::Less, c, a)
    }
    fn least(&mut self, a: Term, c: Term) -> Term {
        self.0.compare(Relation::LessEqual, c, a)
    }
    fn choose(&mut self, c: Term, a: Term, other: Term) -> Term {
        self.0.select(c, a, other)
    }
}

#[test]
fn squares_and_magnitudes() {
    const FORMS: [RowForm; 7] = [
        |b, [x, y, z]| {
            let (square, four) = (b.mul(x, x), b.q(4, 1));
            let c = b.exceeds(square, four);
            b.choose(c, y, z)
        },
        |b, [x, y, z]| {
            let (two, minus) = (b.q(2, 1), b.q(-2, 1));
            let (up, down) = (b.exceeds(x, two), b.exceeds(minus, x));
            let c = b.0.or(up, down);
            b.choose(c, y, z)
        },
        |b, [x, y, z]| {
            let (size, two) = (b.abs(x), b.q(2, 1));
            let c = b.exceeds(size, two);
            b.choose(c, y, z)
        },
        |b, [x, y, z]| {
            let two = b.q(2, 1);
            let (one, other) = (b.sub(x, two), b.add(x, two));
            let product = b.mul(one, other);
            let c = b.exceeds(product, Term::ZERO);
            b.choose(c, y, z)
        },
        |b, [x, y, z]| {
            let square = b.mul(x, x);
            let (root, two) = (b.sqrt(square), b.q(2, 1));
            let c = b.least(two, root);
            b.choose(c, z, y)
        },
        // One after the other.
        |b, [x, y, z]| {
            let (two, minus) = (b.q(2, 1), b.q(-2, 1));
            let (up, down) = (b.exceeds(x, two), b.exceeds(minus, x));
            let other = b.choose(down, y, z);
            b.choose(up, y, other)
        },
        // By the larger of both.
        |b, [x, y, z]| {
            let (minus, two) = (b.f(Unary::Neg, x), b.q(2, 1));
            let size = b.0.max(x, minus);
            let gap = b.sub(size, two);
            let c = b.exceeds(gap, Term::ZERO);
            b.choose(c, y, z)
        },
    ];
    const WRONG: [RowForm; 3] = [
        // Another border.
        |b, [x, y, z]| {
            let (square, four) = (b.mul(x, x), b.q(4, 1));
            let c = b.least(square, four);
            b.choose(c, y, z)
        },
        |b, [x, y, z]| {
            let (two, minus) = (b.q(2, 1), b.q(-2, 1));
            let (up, down) = (b.least(x, two), b.exceeds(minus, x));
            let c = b.0.or(up, down);
            b.choose(c, y, z)
        },
        |b, [x, y, z]| {
            let two = b.q(2, 1);
            let c = b.exceeds(x, two);
            b.choose(c, y, z)
        },
    ];
    family("x² > 4", &FORMS, &WRONG);
}

#[test]
fn signs_of_products() {
    const FORMS: [RowForm; 4] = [
        |b, [x, y, z]| {
            let product = b.mul(x, y);
            let c = b.exceeds(product, Term::ZERO);
            b.choose(c, z, x)
        },
        |b, [x, y, z]| {
            let (a, c) = (b.exceeds(x, Term::ZERO), b.exceeds(y, Term::ZERO));
            let (d, e) = (b.exceeds(Term::ZERO, x), b.exceeds(Term::ZERO, y));
            let (up, down) = (b.0.and(a, c), b.0.and(d, e));
            let c = b.0.or(up, down);
            b.choose(c, z, x)
        },
        |b, [x, y, z]| {
            let (power, square) = (b.exp(z), b.mul(y, y));
            let cube = b.mul(square, y);
            let product = b.mul(cube, x);
            let product = b.mul(product, power);
            let c = b.exceeds(product, Term::ZERO);
            b.choose(c, z, x)
        },
        |b, [x, y, z]| {
            let (a, c) = (b.exceeds(x, Term::ZERO), b.exceeds(y, Term::ZERO));
            let (d, e) = (b.exceeds(Term::ZERO, x), b.exceeds(Term::ZERO, y));
            let (up, down) = (b.choose(c, z, x), b.choose(e, z, x));
            let other = b.choose(d, down, x);
            b.choose(a, up, other)
        },
    ];
    const WRONG: [RowForm; 2] = [
        |b, [x, y, z]| {
            let product = b.mul(x, y);
            let c = b.least(product, Term::ZERO);
            b.choose(c, z, x)
        },
        |b, [x, y, z]| {
            let (a, c) = (b.exceeds(x, Term::ZERO), b.exceeds(y, Term::ZERO));
            let c = b.0.and(a, c);
            b.choose(c, z, x)
        },
    ];
    family("x·y > 0", &FORMS, &WRONG);
}

#[test]
fn huber_losses() {
    const FORMS: [RowForm; 6] = [
        |b, [x, y, _]| {
            let (gap, half) = (b.sub(x, y), b.q(1, 2));
            let (size, square) = (b.abs(gap), b.mul(gap, gap));
            let (square, line) = (b.mul(square, half), b.sub(size, half));
            let c = b.least(Term::ONE, size);
            b.choose(c, square, line)
        },
        // The border in the other branch, where both meet.
        |b, [x, y, _]| {
            let (gap, half) = (b.sub(x, y), b.q(1, 2));
            let (size, square) = (b.abs(gap), b.mul(gap, gap));
            let (square, line) = (b.mul(square, half), b.sub(size, half));
            let c = b.exceeds(Term::ONE, size);
            b.choose(c, square, line)
        },
        // By the square.
        |b, [x, y, _]| {
            let (gap, half) = (b.sub(y, x), b.q(1, 2));
            let (size, square) = (b.abs(gap), b.mul(gap, gap));
            let (part, line) = (b.mul(square, half), b.sub(size, half));
            let c = b.exceeds(square, Term::ONE);
            b.choose(c, line, part)
        },
        // By two comparisons.
        |b, [x, y, _]| {
            let (gap, half, minus) = (b.sub(x, y), b.q(1, 2), b.q(-1, 1));
            let square = b.mul(gap, gap);
            let (part, up, other) = (b.mul(square, half), b.sub(gap, half), b.f(Unary::Neg, gap));
            let down = b.sub(other, half);
            let (c, d) = (b.exceeds(gap, Term::ONE), b.exceeds(minus, gap));
            let inner = b.choose(d, down, part);
            b.choose(c, up, inner)
        },
        // ½·q² + (|d| - q) with q = min(|d|, 1).
        |b, [x, y, _]| {
            let (gap, half) = (b.sub(x, y), b.q(1, 2));
            let size = b.abs(gap);
            let near = b.0.min(size, Term::ONE);
            let (square, rest) = (b.mul(near, near), b.sub(size, near));
            b.0.fma(square, half, rest)
        },
        // c·(d - c/2) with c = d limited to ±1.
        |b, [x, y, _]| {
            let (gap, half, minus) = (b.sub(x, y), b.q(1, 2), b.q(-1, 1));
            let low = b.0.max(gap, minus);
            let near = b.0.min(low, Term::ONE);
            let part = b.mul(near, half);
            let rest = b.sub(gap, part);
            b.mul(near, rest)
        },
    ];
    const WRONG: [RowForm; 2] = [
        |b, [x, y, _]| {
            let (gap, half) = (b.sub(x, y), b.q(1, 2));
            let (size, square) = (b.abs(gap), b.mul(gap, gap));
            let (square, line) = (b.mul(square, half), b.sub(gap, half));
            let c = b.least(Term::ONE, size);
            b.choose(c, square, line)
        },
        |b, [x, y, _]| {
            let (gap, half, two) = (b.sub(x, y), b.q(1, 2), b.q(2, 1));
            let (size, square) = (b.abs(gap), b.mul(gap, gap));
            let (square, line) = (b.mul(square, half), b.sub(size, half));
            let c = b.exceeds(two, size);
            b.choose(c, square, line)
        },
    ];
    family("huber", &FORMS, &WRONG);
}

#[test]
fn limits() {
    const FORMS: [RowForm; 5] = [
        |b, [x, ..]| {
            let six = b.q(6, 1);
            let low = b.0.max(x, Term::ZERO);
            b.0.min(low, six)
        },
        |b, [x, ..]| {
            let six = b.q(6, 1);
            let high = b.0.min(x, six);
            b.0.max(high, Term::ZERO)
        },
        |b, [x, ..]| {
            let six = b.q(6, 1);
            let (up, down) = (b.exceeds(x, six), b.exceeds(Term::ZERO, x));
            let inner = b.choose(down, Term::ZERO, x);
            b.choose(up, six, inner)
        },
        // max(x, 0) - max(x - 6, 0)
        |b, [x, ..]| {
            let six = b.q(6, 1);
            let gap = b.sub(x, six);
            let (one, two) = (b.0.max(x, Term::ZERO), b.0.max(gap, Term::ZERO));
            b.sub(one, two)
        },
        // (|x| - |x - 6| + 6)/2
        |b, [x, ..]| {
            let (six, half) = (b.q(6, 1), b.q(1, 2));
            let gap = b.sub(x, six);
            let (one, two) = (b.abs(x), b.abs(gap));
            let gap = b.sub(one, two);
            let sum = b.add(gap, six);
            b.mul(sum, half)
        },
    ];
    const WRONG: [RowForm; 2] = [
        |b, [x, ..]| {
            let six = b.q(6, 1);
            let up = b.exceeds(x, six);
            let low = b.0.max(x, Term::ZERO);
            b.choose(up, x, low)
        },
        |b, [x, ..]| {
            let five = b.q(5, 1);
            let low = b.0.max(x, Term::ZERO);
            b.0.min(low, five)
        },
    ];
    family("limits", &FORMS, &WRONG);
}

#[test]
fn increasing_functions() {
    const FORMS: [RowForm; 5] = [
        |b, [x, y, z]| {
            let c = b.exceeds(x, y);
            b.choose(c, z, x)
        },
        |b, [x, y, z]| {
            let (p, q) = (b.exp(x), b.exp(y));
            let c = b.exceeds(p, q);
            b.choose(c, z, x)
        },
        |b, [x, y, z]| {
            let gap = b.sub(y, x);
            let tanh = b.f(Unary::Tanh, gap);
            let c = b.least(tanh, Term::ZERO);
            b.choose(c, x, z)
        },
        |b, [x, y, z]| {
            let gap = b.sub(x, y);
            let power = b.exp(gap);
            let more = b.add(power, Term::ONE);
            let two = b.q(2, 1);
            let c = b.exceeds(more, two);
            b.choose(c, z, x)
        },
        // x³ > y³
        |b, [x, y, z]| {
            let (p, q) = (b.mul(x, x), b.mul(y, y));
            let (p, q) = (b.mul(p, x), b.mul(q, y));
            let c = b.exceeds(p, q);
            b.choose(c, z, x)
        },
    ];
    const WRONG: [RowForm; 2] = [
        |b, [x, y, z]| {
            let (p, q) = (b.exp(x), b.exp(y));
            let c = b.least(p, q);
            b.choose(c, z, x)
        },
        |b, [x, y, z]| {
            let (p, q) = (b.mul(x, x), b.mul(y, y));
            let c = b.exceeds(p, q);
            b.choose(c, z, x)
        },
    ];
    family("x > y", &FORMS, &WRONG);
}

/// A guard is one whatever stands around it, and a row that is undefined somewhere is not written anew.
#[test]
fn guards_in_other_words() {
    let guarded = |b: &mut Build, size: usize, form: usize| {
        let mut sum = Term::ZERO;
        for at in 0..size as u32 {
            let x = b.e(at);
            let inverse = b.div(Term::ONE, x);
            let square = b.mul(x, x);
            let c = match form {
                0 => b.0.compare(Relation::Equal, x, Term::ZERO),
                1 => b.0.compare(Relation::Equal, square, Term::ZERO),
                2 => {
                    let (up, down) = (b.exceeds(x, Term::ZERO), b.exceeds(Term::ZERO, x));
                    let any = b.0.or(up, down);
                    b.0.not(any)
                }
                3 => b.least(Term::ZERO, square),
                // Without a guard, and with one elsewhere.
                4 => Term::FALSE,
                _ => b.0.compare(Relation::Equal, x, Term::ONE),
            };
            let row = b.choose(c, Term::ZERO, inverse);
            let (more, seven) = (b.mul(row, row), b.q(7, 1));
            let below = b.add(more, seven);
            let row = b.div(row, below);
            sum = b.add(sum, row);
        }
        vec![sum]
    };
    for size in [1, 2, 7, 33, 70] {
        for form in 1..4 {
            for (one, two) in [(0, form), (form, 0)] {
                let equal = proves(|b, optimized| guarded(b, size, if optimized { one } else { two }));
                assert!(equal, "{size}: {form}");
            }
        }
    }
    for form in 0..4 {
        for wrong in 4..6 {
            for (one, two) in [(wrong, form), (form, wrong)] {
                let equal = proves(|b, optimized| guarded(b, 2, if optimized { one } else { two }));
                assert!(!equal, "{form} and the wrong {wrong}");
            }
        }
    }
}

#[test]
fn sums_of_squares() {
    const FORMS: [RowForm; 3] = [
        |b, [x, y, z]| {
            let square = b.mul(x, x);
            let sum = b.0.fma(y, y, square);
            let c = b.exceeds(sum, Term::ZERO);
            b.choose(c, z, x)
        },
        |b, [x, y, z]| {
            let (c, d) =
                (b.0.compare(Relation::Equal, x, Term::ZERO), b.0.compare(Relation::Equal, y, Term::ZERO));
            let both = b.0.and(c, d);
            b.choose(both, x, z)
        },
        // Where both are 0, x is 0 as well.
        |b, [x, y, z]| {
            let (p, q) = (b.abs(x), b.abs(y));
            let sum = b.add(p, q);
            let c = b.0.compare(Relation::Equal, sum, Term::ZERO);
            b.choose(c, Term::ZERO, z)
        },
    ];
    const WRONG: [RowForm; 2] = [
        |b, [x, y, z]| {
            let sum = b.add(x, y);
            let c = b.exceeds(sum, Term::ZERO);
            b.choose(c, z, x)
        },
        |_, [_, _, z]| z,
    ];
    family("x² + y² > 0", &FORMS, &WRONG);
}
