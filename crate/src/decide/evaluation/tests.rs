//! Families of formulas, each written in several ways, at every size; and next to them what must
//! not be equal: one weight off, a rescale that is missing, a tile that is wrong.

use super::*;
use crate::base::Format;
use crate::decide::{Options, Problem};
use crate::diag::Ledger;
use crate::term::{Relation, Terms, Unary};
use num_rational::BigRational;

/// Whether evaluation finds one side's terms equal to the other's.
pub(super) fn proves(build: impl Fn(&mut Build, bool) -> Vec<Term>) -> bool {
    with_seed(build, None)
}

/// The same where integers, from [`INTEGERS`] on, are required to lie between others.
pub(super) fn proves_within(
    bounds: &[(u32, [i64; 2])],
    build: impl Fn(&mut Build, bool) -> Vec<Term>,
) -> bool {
    answers(build, None, bounds).into_iter().all(|proved| proved)
}

/// Which of one side's terms it finds equal to the other's.
pub(super) fn proved(build: impl Fn(&mut Build, bool) -> Vec<Term>) -> Vec<bool> {
    answers(build, None, &[])
}

fn with_seed(build: impl Fn(&mut Build, bool) -> Vec<Term>, seed: Option<[u64; 2]>) -> bool {
    answers(build, seed, &[]).into_iter().all(|proved| proved)
}

/// Elements from here on are integers, eight of each format.
pub(super) const INTEGERS: u32 = 1 << 20;
pub(super) const FORMATS: [Format; 3] = [Format::U8, Format::S8, Format::U32];

fn answers(
    build: impl Fn(&mut Build, bool) -> Vec<Term>,
    seed: Option<[u64; 2]>,
    bounds: &[(u32, [i64; 2])],
) -> Vec<bool> {
    let (mut reference, mut optimized) = (Build(Terms::new()), Build(Terms::new()));
    let mut elements = Elements::default();
    elements.push("x", vec![1 << 20], Format::F32, 1 << 20);
    for format in FORMATS {
        elements.push(format.name(), vec![8], format, 8);
    }
    for terms in [&mut reference.0, &mut optimized.0] {
        for block in elements.blocks() {
            terms.note_elements(block.first, block.format);
        }
    }
    let left = build(&mut reference, false);
    let right = build(&mut optimized, true);
    let pairs: Vec<(Term, Term)> = left.into_iter().zip(right).collect();
    elements.set_bounds(bounds);
    let problem =
        Problem { reference: &reference.0, optimized: &optimized.0, elements: &elements, pairs: &pairs };
    let budget = Budget::default();
    let reading =
        Reading::of(&Options::default(), &budget, &problem, &pairs, &mut Ledger::default()).expect("small");
    let evaluated = match seed {
        None => evaluate(&budget, &reading, &elements),
        Some(seed) => {
            let cones = [0, 1]
                .map(|side| Cone::of(reading.terms(side), reading.roots(side), &budget).expect("small"));
            let plain = (&cones, [None, None]);
            at_points(&budget, &reading, &elements, plain, seed, (Way::Apart, [0, 1], false))
                .map(|found| found.0)
        }
    };
    evaluated.expect("small").proved.iter().map(Option::is_some).collect()
}

/// A store under construction, with short names.
pub(super) struct Build(pub(super) Terms);

impl Build {
    pub(super) fn e(&self, index: u32) -> Term {
        Term::element(index)
    }
    pub(super) fn q(&mut self, above: i64, below: i64) -> Term {
        self.0.rational(BigRational::new(above.into(), below.into()))
    }
    pub(super) fn f(&mut self, function: Unary, a: Term) -> Term {
        self.0.unary(function, a)
    }
    pub(super) fn exp_of(&mut self, a: Term, minus: Term) -> Term {
        let shifted = self.0.sub(a, minus);
        self.0.unary(Unary::Exp, shifted)
    }
    pub(super) fn dot(&mut self, a: &[Term], b: &[Term]) -> Term {
        a.iter().zip(b).fold(Term::ZERO, |sum, (a, b)| self.0.fma(*a, *b, sum))
    }
    pub(super) fn sum(&mut self, all: &[Term]) -> Term {
        all.iter().fold(Term::ZERO, |sum, term| self.0.add(sum, *term))
    }
    pub(super) fn max(&mut self, all: &[Term]) -> Term {
        all.iter().fold(Term::MINUS_INFINITY, |max, term| self.0.max(max, *term))
    }
    pub(super) fn elements(&self, from: u32, count: usize) -> Vec<Term> {
        (from..from + count as u32).map(Term::element).collect()
    }
}

pub(super) const SIZES: [usize; 74] = {
    let mut sizes = [0; 74];
    let mut at = 0;
    while at < 70 {
        sizes[at] = at + 1;
        at += 1;
    }
    sizes[70] = 128;
    sizes[71] = 257;
    sizes[72] = 1000;
    sizes[73] = 3000;
    sizes
};

/// How softmax-like weights are put together.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Form {
    NoMaximum,
    Maximum,
    /// Subtracts another row's element, which is no maximum.
    Stranger,
    Online,
    /// Tiles of so many, each with its maximum, rescaled, normalized at the end.
    Tiled(usize),
    /// The same, normalized after every tile.
    Normalized(usize),
    /// Halves, each with its maximum, merged.
    Merged,
    /// As `Tiled`, without the rescale of one tile.
    Forgetful(usize),
    /// As `Tiled`, with a weight used twice.
    Twice(usize),
}

/// `Σ e^s v / Σ e^s`.
fn attention(b: &mut Build, s: &[Term], v: &[Term], form: Form) -> Term {
    let (above, below, _) = partial(b, s, v, form);
    if matches!(form, Form::Normalized(_)) { above } else { b.0.div(above, below) }
}

/// `Σ e^(s-m) v`, `Σ e^(s-m)` and m.
fn partial(b: &mut Build, s: &[Term], v: &[Term], form: Form) -> (Term, Term, Term) {
    match form {
        Form::NoMaximum | Form::Maximum | Form::Stranger => {
            let max = match form {
                Form::NoMaximum => Term::ZERO,
                Form::Maximum => b.max(s),
                _ => b.e(999_999),
            };
            let weights: Vec<Term> = s.iter().map(|s| b.exp_of(*s, max)).collect();
            (b.dot(&weights, v), b.sum(&weights), max)
        }
        Form::Merged if s.len() > 1 => {
            let half = s.len() / 2;
            let one = partial(b, &s[..half], &v[..half], form);
            let two = partial(b, &s[half..], &v[half..], form);
            let max = b.0.max(one.2, two.2);
            let (x, y) = (b.exp_of(one.2, max), b.exp_of(two.2, max));
            (b.dot(&[one.0, two.0], &[x, y]), b.dot(&[one.1, two.1], &[x, y]), max)
        }
        Form::Merged => partial(b, s, v, Form::Maximum),
        Form::Online => partial(b, s, v, Form::Tiled(1)),
        Form::Tiled(tile) | Form::Normalized(tile) | Form::Forgetful(tile) | Form::Twice(tile) => {
            let (mut above, mut below, mut max) = (Term::ZERO, Term::ZERO, Term::MINUS_INFINITY);
            for (at, (s, v)) in s.chunks(tile).zip(v.chunks(tile)).enumerate() {
                let of_tile = b.max(s);
                let next = b.0.max(max, of_tile);
                let mut rescale = b.exp_of(max, next);
                if matches!(form, Form::Forgetful(_)) && at == 1 {
                    rescale = Term::ONE;
                }
                let mut weights: Vec<Term> = s.iter().map(|s| b.exp_of(*s, next)).collect();
                let more = b.dot(&weights, v);
                if matches!(form, Form::Twice(_)) && at == 1 {
                    weights.push(weights[0]);
                }
                let sum = b.sum(&weights);
                let total = b.0.fma(below, rescale, sum);
                if matches!(form, Form::Normalized(_)) {
                    let before = b.0.mul(above, below);
                    let all = b.0.fma(before, rescale, more);
                    above = b.0.div(all, total);
                } else {
                    above = b.0.fma(above, rescale, more);
                }
                (below, max) = (total, next);
            }
            (above, below, max)
        }
    }
}

#[test]
fn attention_is_attention_however_it_is_written() {
    let forms = [
        Form::NoMaximum,
        Form::Stranger,
        Form::Online,
        Form::Tiled(7),
        Form::Normalized(1),
        Form::Normalized(5),
        Form::Merged,
    ];
    for size in SIZES {
        for form in forms {
            let equal = proves(|b, optimized| {
                let (s, v) = (b.elements(0, size), b.elements(10_000, size));
                let form = if optimized { form } else { Form::Maximum };
                vec![attention(b, &s, &v, form)]
            });
            assert!(equal, "{size} keys, {form:?}");
        }
    }
}

#[test]
fn attention_with_a_fault_is_not_attention() {
    for size in 3..40 {
        for form in [Form::Forgetful(1), Form::Forgetful(2), Form::Twice(1), Form::Twice(2)] {
            let equal = proves(|b, optimized| {
                let (s, v) = (b.elements(0, size), b.elements(10_000, size));
                vec![attention(b, &s, &v, if optimized { form } else { Form::NoMaximum })]
            });
            assert!(!equal, "{size} keys, {form:?}");
            // One value from elsewhere.
            let equal = proves(|b, optimized| {
                let (s, mut v) = (b.elements(0, size), b.elements(10_000, size));
                if optimized {
                    v[size - 1] = v[0];
                }
                vec![attention(b, &s, &v, Form::Tiled(3))]
            });
            assert!(!equal);
        }
    }
}

/// A variance: of two passes, of one, or Welford's; `off` puts one weight off.
fn variance(b: &mut Build, x: &[Term], form: usize, off: bool) -> Term {
    let n = x.len() as i64;
    let share = b.q(1, n);
    match form {
        0 | 1 => {
            let sum = b.sum(x);
            let mean = b.0.mul(sum, share);
            if form == 1 {
                let squares = b.dot(x, x);
                let squares = b.0.mul(squares, share);
                let square = b.0.mul(mean, mean);
                return b.0.sub(squares, square);
            }
            let gaps: Vec<Term> = x.iter().map(|x| b.0.sub(*x, mean)).collect();
            let squares = b.dot(&gaps, &gaps);
            b.0.mul(squares, share)
        }
        _ => {
            let (mut mean, mut squares) = (Term::ZERO, Term::ZERO);
            for (at, x) in x.iter().enumerate() {
                let gap = b.0.sub(*x, mean);
                let share = b.q(1, at as i64 + 1 + i64::from(off && at == 1));
                mean = b.0.fma(gap, share, mean);
                let after = b.0.sub(*x, mean);
                squares = b.0.fma(gap, after, squares);
            }
            b.0.mul(squares, share)
        }
    }
}

#[test]
fn layer_norms_by_two_passes_by_one_and_by_welford() {
    for size in SIZES {
        for form in [1, 2] {
            let norm = |b: &mut Build, form: usize, off: bool| {
                let x = b.elements(0, size);
                let variance = variance(b, &x, form, off);
                let small = b.q(1, 100_000);
                let variance = b.0.add(variance, small);
                let scale = if form == 0 {
                    b.f(Unary::Rsqrt, variance)
                } else {
                    let root = b.f(Unary::Sqrt, variance);
                    b.0.div(Term::ONE, root)
                };
                vec![b.0.mul(x[0], scale)]
            };
            assert!(proves(|b, optimized| norm(b, if optimized { form } else { 0 }, false)), "{size}");
            if form == 2 && size > 1 {
                assert!(!proves(|b, optimized| norm(b, if optimized { 2 } else { 0 }, true)), "{size}");
            }
        }
    }
}

#[test]
fn products_of_matrices_by_seven_multiplications() {
    let strassen = |b: &mut Build, off: bool| {
        let (a, c) = (b.elements(0, 4), b.elements(4, 4));
        let mut m = Vec::new();
        type Sum = [(usize, i64); 2];
        let sums: [(Sum, Sum); 7] = [
            ([(0, 1), (3, 1)], [(0, 1), (3, 1)]),
            ([(2, 1), (3, 1)], [(0, 1), (0, 0)]),
            ([(0, 1), (0, 0)], [(1, 1), (3, -1)]),
            ([(3, 1), (0, 0)], [(2, 1), (0, -1)]),
            ([(0, 1), (1, 1)], [(3, 1), (0, 0)]),
            ([(2, 1), (0, -1)], [(0, 1), (1, 1)]),
            ([(1, 1), (3, -1)], [(2, 1), (3, 1)]),
        ];
        for (left, right) in sums {
            let mut side = |of: &[Term], parts: [(usize, i64); 2]| {
                let weights: Vec<Term> = parts.iter().map(|part| b.q(part.1, 1)).collect();
                b.dot(&[of[parts[0].0], of[parts[1].0]], &weights)
            };
            let (left, right) = (side(&a, left), side(&c, right));
            m.push(b.0.mul(left, right));
        }
        let first = b.sum(&[m[0], m[3], m[6]]);
        let second = if off { m[5] } else { m[4] };
        vec![b.0.sub(first, second), b.0.add(m[2], m[4])]
    };
    let plain = |b: &mut Build| {
        let (a, c) = (b.elements(0, 4), b.elements(4, 4));
        vec![b.dot(&[a[0], a[1]], &[c[0], c[2]]), b.dot(&[a[0], a[1]], &[c[1], c[3]])]
    };
    assert!(proves(|b, optimized| if optimized { strassen(b, false) } else { plain(b) }));
    assert!(!proves(|b, optimized| if optimized { strassen(b, true) } else { plain(b) }));
}

#[test]
fn activations_in_their_textbook_forms() {
    type Form = fn(&mut Build) -> Term;
    let groups: [&[Form]; 5] = [
        // silu
        &[
            |b| {
                let n = b.0.neg(b.e(0));
                let e = b.f(Unary::Exp, n);
                let below = b.0.add(Term::ONE, e);
                b.0.div(b.e(0), below)
            },
            |b| {
                let e = b.f(Unary::Exp, b.e(0));
                let below = b.0.add(Term::ONE, e);
                let part = b.0.div(e, below);
                b.0.mul(b.e(0), part)
            },
            |b| {
                let half = b.q(1, 2);
                let h = b.0.mul(b.e(0), half);
                let t = b.f(Unary::Tanh, h);
                let s = b.0.fma(t, half, half);
                b.0.mul(b.e(0), s)
            },
        ],
        // mish, with two nested exponentials: x·tanh(ln(1 + e^x))
        &[
            |b| {
                let e = b.f(Unary::Exp, b.e(0));
                let w = b.0.add(Term::ONE, e);
                let square = b.0.mul(w, w);
                let (above, below) = (b.0.sub(square, Term::ONE), b.0.add(square, Term::ONE));
                let t = b.0.div(above, below);
                b.0.mul(b.e(0), t)
            },
            |b| {
                let e = b.f(Unary::Exp, b.e(0));
                let two = b.q(2, 1);
                let n = b.0.add(e, two);
                let n = b.0.mul(e, n);
                let below = b.0.add(n, two);
                let t = b.0.div(n, below);
                b.0.mul(b.e(0), t)
            },
        ],
        // relu
        &[
            |b| b.0.max(b.e(0), Term::ZERO),
            |b| {
                let c = b.0.compare(Relation::Less, Term::ZERO, b.e(0));
                b.0.select(c, b.e(0), Term::ZERO)
            },
            |b| {
                let size = b.f(Unary::Abs, b.e(0));
                let sum = b.0.add(b.e(0), size);
                let half = b.q(1, 2);
                b.0.mul(sum, half)
            },
            |b| {
                let n = b.0.neg(b.e(0));
                let least = b.0.min(n, Term::ZERO);
                b.0.neg(least)
            },
        ],
        // leaky relu
        &[
            |b| {
                let tenth = b.q(1, 10);
                let small = b.0.mul(b.e(0), tenth);
                b.0.max(b.e(0), small)
            },
            |b| {
                let tenth = b.q(1, 10);
                let small = b.0.mul(b.e(0), tenth);
                let c = b.0.compare(Relation::Less, b.e(0), Term::ZERO);
                b.0.select(c, small, b.e(0))
            },
            |b| {
                let nine = b.q(9, 10);
                let tenth = b.q(1, 10);
                let above = b.0.max(b.e(0), Term::ZERO);
                let part = b.0.mul(above, nine);
                b.0.fma(b.e(0), tenth, part)
            },
        ],
        // the larger of two
        &[
            |b| b.0.max(b.e(0), b.e(1)),
            |b| {
                let (sum, gap) = (b.0.add(b.e(0), b.e(1)), b.0.sub(b.e(1), b.e(0)));
                let gap = b.f(Unary::Abs, gap);
                let twice = b.0.add(sum, gap);
                let half = b.q(1, 2);
                b.0.mul(twice, half)
            },
            |b| {
                let (sum, least) = (b.0.add(b.e(0), b.e(1)), b.0.min(b.e(1), b.e(0)));
                b.0.sub(sum, least)
            },
        ],
    ];
    for (number, group) in groups.iter().enumerate() {
        for (at, first) in group.iter().enumerate() {
            for (place, second) in group.iter().enumerate() {
                let equal = proves(|b, optimized| vec![if optimized { second(b) } else { first(b) }]);
                assert!(equal, "group {number}: {at} and {place}");
            }
            for other in groups.iter().enumerate().filter(|other| other.0 != number) {
                assert!(!proves(|b, optimized| vec![if optimized { other.1[0](b) } else { first(b) }]));
            }
        }
    }
}

#[test]
fn complex_products_by_three_multiplications() {
    let product = |b: &mut Build, three: bool, off: bool| {
        let [x, y, u, v] = [0, 1, 2, 3].map(|at| b.e(at));
        if !three {
            let (xu, yv) = (b.0.mul(x, u), b.0.mul(y, v));
            let yu = b.0.mul(y, u);
            return vec![b.0.sub(xu, yv), b.0.fma(x, v, yu)];
        }
        let sum = b.0.add(u, v);
        let k1 = b.0.mul(x, sum);
        let gap = b.0.sub(v, u);
        let k2 = b.0.mul(x, gap);
        let sum = b.0.add(x, if off { x } else { y });
        let k3 = b.0.mul(v, sum);
        let _ = k1;
        let second = {
            let sum = b.0.add(x, y);
            let p = b.0.mul(u, sum);
            b.0.add(p, k2)
        };
        let first = {
            let sum = b.0.add(u, v);
            let p = b.0.mul(x, sum);
            b.0.sub(p, k3)
        };
        vec![first, second]
    };
    assert!(proves(|b, optimized| product(b, optimized, false)));
    assert!(!proves(|b, optimized| product(b, optimized, true)));
}

#[test]
fn borders_count() {
    // Equal but where x = 37, whichever way that is asked, and whatever is done there.
    for relation in [Relation::Equal, Relation::Less, Relation::LessEqual] {
        let guarded = |b: &mut Build, other: bool| {
            let number = b.q(37, 1);
            let gap = b.0.sub(b.e(0), number);
            let size = b.f(Unary::Abs, gap);
            let c = match relation {
                Relation::Equal => b.0.compare(Relation::Equal, gap, Term::ZERO),
                _ => b.0.compare(Relation::LessEqual, size, Term::ZERO),
            };
            let instead = b.q(if other { 5 } else { 4 }, 1);
            let inverse = b.0.div(Term::ONE, gap);
            let value = b.0.select(c, instead, inverse);
            vec![b.0.mul(b.e(1), value)]
        };
        assert!(proves(|b, _| guarded(b, false)));
        assert!(!proves(guarded));
        // Less against not greater.
        assert!(!proves(|b, optimized| {
            let c = b.0.compare(if optimized { Relation::Less } else { Relation::LessEqual }, b.e(0), b.e(1));
            vec![b.0.select(c, b.e(2), b.e(3))]
        }));
    }
}

#[test]
fn a_guarded_divisor_that_is_a_condition_proves_nothing() {
    // c ? 1/c : y is y where c fails, and not y + 1 - c·y.
    assert!(!proves(|b, optimized| {
        let c = b.0.compare(Relation::Less, b.e(0), b.e(1));
        let number = b.0.select(c, Term::ONE, Term::ZERO);
        if optimized {
            let sum = b.0.add(b.e(2), Term::ONE);
            let part = b.0.mul(number, b.e(2));
            return vec![b.0.sub(sum, part)];
        }
        // One variable more, so that the choice inside is not folded.
        let zero = b.0.sub(number, number);
        let divisor = b.0.add(number, zero);
        let inverse = b.0.div(Term::ONE, divisor);
        vec![b.0.select(c, inverse, b.e(2))]
    }));
}

#[test]
fn roots_do_not_become_what_they_may_be_the_negative_of() {
    assert!(!proves(|b, optimized| {
        let square = b.0.mul(b.e(0), b.e(0));
        vec![if optimized { b.e(0) } else { b.f(Unary::Sqrt, square) }]
    }));
    assert!(!proves(|b, optimized| {
        let size = b.f(Unary::Abs, b.e(0));
        vec![if optimized { b.e(0) } else { size }]
    }));
    assert!(proves(|b, optimized| {
        let four = b.q(4, 1);
        let scaled = b.0.mul(b.e(0), four);
        let root = b.f(Unary::Sqrt, if optimized { b.e(0) } else { scaled });
        vec![if optimized { b.0.add(root, root) } else { root }]
    }));
}

#[test]
fn who_knows_the_points_gains_nothing() {
    // x·(x - r)·…, zero in each lane of a seed that is known: equal to 0 there, and nowhere else.
    let seed = [12, 34];
    let residues = field::random_residue(seed, 0, constants::ELEMENT);
    let wrong = |b: &mut Build, optimized: bool| {
        let mut value = b.e(0);
        for residue in residues {
            let residue = b.0.integer(residue.into());
            let gap = b.0.sub(b.e(0), residue);
            value = b.0.mul(value, gap);
        }
        vec![if optimized { b.e(1) } else { b.0.add(value, b.e(1)) }]
    };
    assert!(with_seed(wrong, Some(seed)));
    assert!(!proves(wrong));
}

#[test]
fn a_million_links_need_no_stack() {
    assert!(proves(|b, optimized| {
        let mut chain = b.e(0);
        for at in 0..300_000 {
            let other = b.e(1 + at % 1000);
            chain = if optimized { b.0.add(other, chain) } else { b.0.add(chain, other) };
            chain = b.0.sub(chain, other);
        }
        vec![if optimized { chain } else { b.e(0) }]
    }));
}

#[test]
fn a_constant_that_looks_like_another_sign_keeps_its_own() {
    // Modulo one prime, a few in a hundred large fractions look like a small negative one.
    for number in 0..200i64 {
        let build = |b: &mut Build, optimized: bool| {
            let factor = b.q(1_000_000_007 + 12_345 * number, 1_099_511_627_776 + number);
            let scaled = b.0.mul(b.e(0), factor);
            let above = b.0.max(scaled, Term::ZERO);
            let plain = b.0.max(b.e(0), Term::ZERO);
            // max(c·x, 0) against c·max(x, 0), and against c·(max(x, 0) - x) = c·max(-x, 0).
            let other = b.0.sub(plain, b.e(0));
            let other = b.0.mul(other, factor);
            vec![if optimized { above } else { other }]
        };
        assert!(!proves(build), "{number}");
    }
}
