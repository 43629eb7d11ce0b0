//! Families of choices, each written in several ways, at every size; and beside each what differs
//! from it at one place only: a border, a tie, a swapped branch.

use super::tests::{Build, SIZES, proves};
use crate::term::{Relation, Term, Unary};

type Form = fn(&mut Build) -> Term;

impl Build {
    /// `[a > b]`.
    fn above(&mut self, a: Term, b: Term) -> Term {
        self.0.compare(Relation::Less, b, a)
    }
    /// `[a ≥ b]`.
    fn at_least(&mut self, a: Term, b: Term) -> Term {
        self.0.compare(Relation::LessEqual, b, a)
    }
    fn n(&mut self, value: i64) -> Term {
        self.q(value, 1)
    }
}

/// All forms of a group are equal, and none is equal to what stands beside them.
fn family(name: &str, equal: &[Form], different: &[Form]) {
    for (at, first) in equal.iter().enumerate() {
        for (place, second) in equal.iter().enumerate() {
            let same = proves(|b, optimized| vec![if optimized { second(b) } else { first(b) }]);
            assert!(same, "{name}: {at} and {place}");
        }
        for (place, other) in different.iter().enumerate() {
            for turned in [false, true] {
                let same = proves(|b, optimized| vec![if optimized != turned { other(b) } else { first(b) }]);
                assert!(!same, "{name}: {at} and the wrong {place}");
            }
        }
    }
}

/// How a running maximum is chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Running {
    Max,
    /// `if (s > m) { rescale; m = s }`, then the weight.
    Branch,
    /// The same with `≥`.
    BranchOrEqual,
    /// `s > m ? (acc·e^(m-s) + v, …) : (acc + e^(s-m)·v, …)`.
    Whole,
    /// `m ≥ s ? m : s` and a factor for each.
    Factors,
    /// As `Branch`; one rescale is forgotten.
    Forgetful,
    /// As `Whole`, with the exponents exchanged in one branch.
    Exchanged,
}

/// Online softmax, base e or 2 with a scale.
fn online(b: &mut Build, s: &[Term], v: &[Term], form: Running, scale: Option<Term>) -> [Term; 3] {
    let (mut above, mut below, mut max) = (v[0], Term::ONE, s[0]);
    let power = |b: &mut Build, a: Term, minus: Term| match scale {
        None => b.exp_of(a, minus),
        Some(scale) => {
            let gap = b.0.sub(a, minus);
            let gap = b.0.mul(gap, scale);
            b.f(Unary::Exp2, gap)
        }
    };
    for (at, (s, v)) in s.iter().zip(v).enumerate().skip(1) {
        match form {
            Running::Max => {
                let next = b.0.max(max, *s);
                let (old, new) = (power(b, max, next), power(b, *s, next));
                let part = b.0.mul(new, *v);
                above = b.0.fma(above, old, part);
                below = b.0.fma(below, old, new);
                max = next;
            }
            Running::Branch | Running::BranchOrEqual | Running::Forgetful => {
                let c = if form == Running::BranchOrEqual { b.at_least(*s, max) } else { b.above(*s, max) };
                let factor = power(b, max, *s);
                let (x, y) = (b.0.mul(above, factor), b.0.mul(below, factor));
                if form != Running::Forgetful || at != 1 {
                    above = b.0.select(c, x, above);
                }
                below = b.0.select(c, y, below);
                max = b.0.select(c, *s, max);
                let weight = power(b, *s, max);
                above = b.0.fma(weight, *v, above);
                below = b.0.add(below, weight);
            }
            Running::Whole | Running::Exchanged => {
                let c = b.above(*s, max);
                let (old, new) = (power(b, max, *s), power(b, *s, max));
                let (old, new) = if form == Running::Exchanged && at == 1 { (new, old) } else { (old, new) };
                let (x, y) = (b.0.fma(above, old, *v), b.0.fma(new, *v, above));
                above = b.0.select(c, x, y);
                let (x, y) = (b.0.fma(below, old, Term::ONE), b.0.add(below, new));
                below = b.0.select(c, x, y);
                max = b.0.select(c, *s, max);
            }
            Running::Factors => {
                let c = b.at_least(max, *s);
                let (old, new) = (power(b, max, *s), power(b, *s, max));
                let (old, new) = (b.0.select(c, Term::ONE, old), b.0.select(c, new, Term::ONE));
                max = b.0.select(c, max, *s);
                let part = b.0.mul(new, *v);
                above = b.0.fma(above, old, part);
                below = b.0.fma(below, old, new);
            }
        }
    }
    [above, below, max]
}

#[test]
fn online_softmax_by_a_branch() {
    let right = [Running::Branch, Running::BranchOrEqual, Running::Whole, Running::Factors];
    for size in SIZES {
        for form in right {
            for scaled in [false, true] {
                let whole = |b: &mut Build, form: Running| {
                    let (s, v) = (b.elements(0, size), b.elements(10_000, size));
                    let scale = scaled.then(|| b.e(99_999));
                    online(b, &s, &v, form, scale).to_vec()
                };
                let equal = proves(|b, optimized| whole(b, if optimized { form } else { Running::Max }));
                assert!(equal, "{size} keys, {form:?}, scaled {scaled}");
            }
        }
    }
    for size in 2..30 {
        for form in [Running::Forgetful, Running::Exchanged] {
            for other in [Running::Max, Running::Branch, Running::Whole] {
                assert!(!proves(|b, optimized| {
                    let (s, v) = (b.elements(0, size), b.elements(10_000, size));
                    vec![online(b, &s, &v, if optimized { form } else { other }, None)[0]]
                }));
            }
        }
    }
}

#[test]
fn borders_that_meet_and_borders_that_do_not() {
    // x ≤ 37 ? x·y : 74·y - x·y
    fn bent(b: &mut Build, strict: bool, height: i64) -> Term {
        let border = b.n(37);
        let c = if strict { b.0.compare(Relation::Less, b.e(0), border) } else { b.at_least(border, b.e(0)) };
        let up = b.0.mul(b.e(0), b.e(1));
        let top = b.n(height);
        let top = b.0.mul(top, b.e(1));
        let down = b.0.sub(top, up);
        b.0.select(c, up, down)
    }
    family("bent", &[|b| bent(b, true, 74), |b| bent(b, false, 74)], &[|b| bent(b, true, 75)]);
    family("gap", &[|b| bent(b, true, 75)], &[|b| bent(b, false, 75)]);
    // Where d is a product, one factor is not the border: y > 0 and x·y > 0.
    fn factors(b: &mut Build, strict: bool) -> Term {
        let product = b.0.mul(b.e(0), b.e(1));
        let c = if strict { b.above(product, Term::ZERO) } else { b.at_least(product, Term::ZERO) };
        b.0.select(c, b.e(0), Term::ZERO)
    }
    family("factors", &[|b| factors(b, true)], &[|b| factors(b, false)]);
    // A guard at the border itself.
    fn at_border(b: &mut Build, there: Option<i64>) -> Term {
        let three = b.n(3);
        let value = b.0.mul(b.e(0), b.e(1));
        let Some(there) = there else { return value };
        let c = b.0.compare(Relation::Equal, b.e(0), three);
        let there = b.n(there);
        let there = b.0.mul(there, b.e(1));
        b.0.select(c, there, value)
    }
    family("at", &[|b| at_border(b, None), |b| at_border(b, Some(3))], &[|b| at_border(b, Some(4))]);
    // What is singular at the border does not meet what is not.
    fn singular(b: &mut Build, guarded: bool) -> Term {
        let value = b.0.mul(b.e(0), b.e(1));
        let inverse = b.0.div(Term::ONE, b.e(0));
        let odd = b.0.mul(value, inverse);
        let c = b.0.compare(Relation::Equal, b.e(0), Term::ZERO);
        let other = b.0.add(b.e(1), Term::ONE);
        if guarded { b.0.select(c, other, odd) } else { b.e(1) }
    }
    family("singular", &[|b| singular(b, true)], &[|b| singular(b, false)]);
}

#[test]
fn choices_between_multiples_of_what_is_asked() {
    family(
        "relu",
        &[
            |b| b.0.max(b.e(0), Term::ZERO),
            |b| {
                let c = b.above(b.e(0), Term::ZERO);
                b.0.select(c, b.e(0), Term::ZERO)
            },
            |b| {
                let c = b.at_least(b.e(0), Term::ZERO);
                b.0.select(c, b.e(0), Term::ZERO)
            },
            |b| {
                let c = b.at_least(Term::ZERO, b.e(0));
                b.0.select(c, Term::ZERO, b.e(0))
            },
        ],
        &[
            |b| {
                let c = b.above(b.e(0), Term::ONE);
                b.0.select(c, b.e(0), Term::ZERO)
            },
            |b| {
                let c = b.at_least(Term::ZERO, b.e(0));
                b.0.select(c, b.e(0), Term::ZERO)
            },
        ],
    );
    // y where x is positive: the border matters.
    family(
        "gate",
        &[|b| {
            let c = b.above(b.e(0), Term::ZERO);
            b.0.select(c, b.e(1), Term::ZERO)
        }],
        &[|b| {
            let c = b.at_least(b.e(0), Term::ZERO);
            b.0.select(c, b.e(1), Term::ZERO)
        }],
    );
    // relu(x)·y: it does not.
    family(
        "gated",
        &[
            |b| {
                let relu = b.0.max(b.e(0), Term::ZERO);
                b.0.mul(relu, b.e(1))
            },
            |b| {
                let product = b.0.mul(b.e(0), b.e(1));
                let c = b.above(b.e(0), Term::ZERO);
                b.0.select(c, product, Term::ZERO)
            },
            |b| {
                let product = b.0.mul(b.e(0), b.e(1));
                let c = b.at_least(b.e(0), Term::ZERO);
                b.0.select(c, product, Term::ZERO)
            },
        ],
        &[|b| {
            let relu = b.0.max(b.e(1), Term::ZERO);
            b.0.mul(relu, b.e(0))
        }],
    );
}

/// Ways to sort.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Sort {
    Bubble,
    Insertion,
    OddEven,
    Bitonic,
    /// Compare and exchange by selects.
    Exchange,
    /// As `Insertion`, one exchange is missing.
    Missing,
}

fn sorted(b: &mut Build, x: &[Term], form: Sort) -> Vec<Term> {
    let mut x = x.to_vec();
    let n = x.len();
    let exchange = |b: &mut Build, x: &mut [Term], i: usize, j: usize| {
        let (p, q) = (x[i], x[j]);
        if form == Sort::Exchange {
            let c = b.above(p, q);
            (x[i], x[j]) = (b.0.select(c, q, p), b.0.select(c, p, q));
        } else {
            (x[i], x[j]) = (b.0.min(p, q), b.0.max(p, q));
        }
    };
    match form {
        Sort::Bubble | Sort::Exchange => {
            for end in (1..n).rev() {
                for at in 0..end {
                    exchange(b, &mut x, at, at + 1);
                }
            }
        }
        Sort::Insertion | Sort::Missing => {
            for end in 1..n {
                for at in (0..end).rev() {
                    if form != Sort::Missing || (end, at) != (n - 1, n / 2 - 1) {
                        exchange(b, &mut x, at, at + 1);
                    }
                }
            }
        }
        Sort::OddEven => {
            for round in 0..n {
                for at in (round % 2..n.saturating_sub(1)).step_by(2) {
                    exchange(b, &mut x, at, at + 1);
                }
            }
        }
        Sort::Bitonic => {
            // Of any length: Batcher's merge exchange.
            let top = n.next_power_of_two();
            let mut p = top / 2;
            while p > 0 {
                let (mut q, mut r, mut d) = (top / 2, 0, p);
                loop {
                    for i in 0..n.saturating_sub(d) {
                        if i & p == r {
                            exchange(b, &mut x, i, i + d);
                        }
                    }
                    if q == p {
                        break;
                    }
                    (d, q, r) = (q - p, q / 2, p);
                }
                p /= 2;
            }
        }
    }
    x
}

#[test]
fn sorting_networks() {
    for size in (1..=16).chain([31, 70]) {
        let forms = [Sort::Insertion, Sort::OddEven, Sort::Bitonic, Sort::Exchange];
        for form in forms {
            let equal = proves(|b, optimized| {
                let x = b.elements(0, size);
                sorted(b, &x, if optimized { form } else { Sort::Bubble })
            });
            assert!(equal, "{size}, {form:?}");
        }
        if size > 3 {
            assert!(!proves(|b, optimized| {
                let x = b.elements(0, size);
                sorted(b, &x, if optimized { Sort::Missing } else { Sort::Bubble })
            }));
        }
    }
}

/// How a row is masked, and what happens where all of it is.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Masked {
    /// Maximum, weights, sum.
    Three,
    /// The same with the mask added.
    Added,
    /// Masked weights, without a maximum.
    Weights,
    /// A maximum of -∞ counts as 0, and a sum of 0 gives 0.
    Guarded,
    /// 0 where the maximum is -∞.
    Else,
    /// One key at a time, guarded.
    Online,
    /// Tiles of three, guarded.
    Tiles,
    /// As `Guarded`, one key is not masked.
    Open,
    /// As `Guarded`, with -10⁹ for -∞.
    Large,
    /// As `Guarded`, but 1 for rows that are masked altogether.
    One,
    /// As `Online`, without a guard.
    Unguarded,
}

fn masked(b: &mut Build, n: usize, form: Masked) -> Vec<Term> {
    let (x, v, mask) = (b.elements(0, n), b.elements(10_000, n), b.elements(20_000, n));
    let border = b.q(1, 2);
    let conditions: Vec<Term> = mask.iter().map(|m| b.above(*m, border)).collect();
    let low = if form == Masked::Large { b.n(-1_000_000_000) } else { Term::MINUS_INFINITY };
    let s: Vec<Term> = (0..n)
        .map(|at| match form {
            Masked::Added => {
                let add = b.0.select(conditions[at], Term::ZERO, low);
                b.0.add(x[at], add)
            }
            Masked::Open if at == n / 2 => x[at],
            _ => b.0.select(conditions[at], x[at], low),
        })
        .collect();
    let nothing = |b: &mut Build, m: Term| b.0.compare(Relation::Equal, m, Term::MINUS_INFINITY);
    match form {
        Masked::Weights => {
            let weights: Vec<Term> = (0..n)
                .map(|at| {
                    let power = b.f(Unary::Exp, x[at]);
                    b.0.select(conditions[at], power, Term::ZERO)
                })
                .collect();
            let (above, below) = (b.dot(&weights, &v), b.sum(&weights));
            vec![b.0.div(above, below)]
        }
        Masked::Three
        | Masked::Added
        | Masked::Guarded
        | Masked::Else
        | Masked::Open
        | Masked::Large
        | Masked::One => {
            let max = b.max(&s);
            let none = nothing(b, max);
            let guarded = !matches!(form, Masked::Three | Masked::Added | Masked::Else);
            let shift = if guarded { b.0.select(none, Term::ZERO, max) } else { max };
            let weights: Vec<Term> = s.iter().map(|s| b.exp_of(*s, shift)).collect();
            let (above, below) = (b.dot(&weights, &v), b.sum(&weights));
            let value = b.0.div(above, below);
            if form == Masked::Else {
                return vec![b.0.select(none, Term::ZERO, value)];
            }
            if !guarded {
                return vec![value];
            }
            let some = b.above(below, Term::ZERO);
            vec![b.0.select(some, value, if form == Masked::One { Term::ONE } else { Term::ZERO })]
        }
        Masked::Online | Masked::Tiles | Masked::Unguarded => {
            let (mut above, mut below, mut max) = (Term::ZERO, Term::ZERO, Term::MINUS_INFINITY);
            let tile = if form == Masked::Tiles { 3 } else { 1 };
            for (s, v) in s.chunks(tile).zip(v.chunks(tile)) {
                let of_tile = b.max(s);
                let next = b.0.max(max, of_tile);
                let none = nothing(b, next);
                let shift = if form == Masked::Unguarded { next } else { b.0.select(none, Term::ZERO, next) };
                let rescale = b.exp_of(max, shift);
                let weights: Vec<Term> = s.iter().map(|s| b.exp_of(*s, shift)).collect();
                let (more, sum) = (b.dot(&weights, v), b.sum(&weights));
                above = b.0.fma(above, rescale, more);
                below = b.0.fma(below, rescale, sum);
                max = next;
            }
            let value = b.0.div(above, below);
            if form == Masked::Unguarded {
                return vec![value];
            }
            let zero = b.0.compare(Relation::Equal, below, Term::ZERO);
            vec![b.0.select(zero, Term::ZERO, value)]
        }
    }
}

#[test]
fn masks_of_minus_infinity() {
    let undefined = [Masked::Three, Masked::Added, Masked::Weights];
    let guarded = [Masked::Guarded, Masked::Else, Masked::Online, Masked::Tiles];
    for size in (1..=8).chain([13, 31, 70]) {
        for group in [&undefined[..], &guarded[..]] {
            for first in group {
                for second in group {
                    let equal =
                        proves(|b, optimized| masked(b, size, if optimized { *second } else { *first }));
                    assert!(equal, "{size}: {first:?} and {second:?}");
                }
            }
        }
        for first in undefined.into_iter().chain(guarded) {
            let wrong = [Masked::Open, Masked::Large, Masked::One, Masked::Unguarded];
            let other = if guarded.contains(&first) { Masked::Three } else { Masked::Guarded };
            for second in wrong.into_iter().chain([other]) {
                // With one key there is no order in which it is met, and its weight divided by itself is 1.
                let alone = first == Masked::Weights || second == Masked::Unguarded;
                if size == 1 && alone && !guarded.contains(&first) {
                    continue;
                }
                let equal = proves(|b, optimized| masked(b, size, if optimized { second } else { first }));
                assert!(!equal, "{size}: {first:?} and the wrong {second:?}");
            }
        }
    }
}

#[test]
fn powers_that_are_one_at_the_border_and_powers_that_are_not() {
    // x > y ? z·e^h : z, with ≥ for >: the same if h = 0 where x = y.
    fn rescaled(b: &mut Build, form: usize, strict: bool) -> Term {
        let (x, y, z) = (b.e(0), b.e(1), b.e(2));
        let gap = b.0.sub(y, x);
        let exponent = match form {
            0 => b.0.mul(gap, b.e(3)),
            1 => b.0.mul(x, y),
            2 => b.0.div(Term::ONE, gap),
            _ => b.0.add(gap, Term::ONE),
        };
        let power = b.f(Unary::Exp, exponent);
        let c = if strict { b.above(x, y) } else { b.at_least(x, y) };
        let scaled = b.0.mul(z, power);
        b.0.select(c, scaled, z)
    }
    family("meets", &[|b| rescaled(b, 0, true), |b| rescaled(b, 0, false)], &[|b| rescaled(b, 3, true)]);
    family("product", &[|b| rescaled(b, 1, true)], &[|b| rescaled(b, 1, false)]);
    family("singular", &[|b| rescaled(b, 2, true)], &[|b| rescaled(b, 2, false)]);
    family("shifted", &[|b| rescaled(b, 3, true)], &[|b| rescaled(b, 3, false)]);
}

#[test]
fn candidates_in_places_are_no_thresholds() {
    // max(0, min(t < 1 ? 0 : 1, t)) differs from the same with ≤ at t = 1.
    fn clamped(b: &mut Build, strict: bool) -> Term {
        let c = if strict { b.above(Term::ONE, b.e(0)) } else { b.at_least(Term::ONE, b.e(0)) };
        let step = b.0.select(c, Term::ZERO, Term::ONE);
        let least = b.0.min(step, b.e(0));
        b.0.max(Term::ZERO, least)
    }
    family("clamped", &[|b| clamped(b, true)], &[|b| clamped(b, false)]);
}

#[test]
fn masks_met_in_another_order() {
    // A sum and a maximum from the last key to the first, of 300 keys.
    for wrong in [false, true] {
        let softmax = |b: &mut Build, turned: bool| {
            let (x, mask) = (b.elements(0, 300), b.elements(20_000, 300));
            let mut s: Vec<Term> = (0..300)
                .map(|at| {
                    let c = b.above(mask[at], Term::ZERO);
                    let own = if wrong && turned && at == 150 { x[149] } else { x[at] };
                    b.0.select(c, own, Term::MINUS_INFINITY)
                })
                .collect();
            let last = s[299];
            if turned {
                s.reverse();
            }
            let max = b.max(&s);
            let weights: Vec<Term> = s.iter().map(|s| b.exp_of(*s, max)).collect();
            let (sum, above) = (b.sum(&weights), b.exp_of(last, max));
            vec![b.0.div(above, sum)]
        };
        assert_eq!(proves(softmax), !wrong);
    }
}
