//! Laws of evaluation: exact values lie in the enclosures, and the known points are hit.

use super::*;
use crate::base::Format;
use crate::term::{Relation, Terms, Unary};
use num_rational::Ratio;
use proptest::prelude::*;

/// Builds a term from a program of small numbers: each step combines earlier ones.
fn program(terms: &mut Terms, steps: &[(u8, u8, u8, u8)]) -> Term {
    let mut pool: Vec<Term> = (0..4).map(Term::element).collect();
    pool.push(terms.integer(3));
    pool.push(terms.rational(num_rational::BigRational::new(5.into(), 7.into())));
    pool.push(Term::ONE);
    for (op, a, b, c) in steps {
        let pick = |at: &u8| pool[pool.len() - 1 - usize::from(*at) % pool.len().min(9)];
        let (a, b, c) = (pick(a), pick(b), pick(c));
        let term = match op % 14 {
            0 => terms.add(a, b),
            1 => terms.sub(a, b),
            2 => terms.mul(a, b),
            3 => terms.fma(a, b, c),
            4 => terms.div(a, b),
            5 => terms.max(a, b),
            6 => terms.min(a, b),
            7 => {
                let less = terms.compare(Relation::Less, a, b);
                terms.select(less, b, c)
            }
            8 => terms.unary(Unary::Abs, a),
            9 => terms.unary(Unary::Recip, a),
            10 => terms.unary(Unary::Floor, a),
            11 => terms.unary(Unary::RoundEven, a),
            12 => terms.neg(a),
            _ => terms.unary(Unary::Sqrt, a),
        };
        pool.push(term);
    }
    pool[pool.len() - 1]
}

pub(super) fn constants(terms: &Terms) -> Vec<Quantity> {
    terms
        .constants()
        .iter()
        .map(|constant| match &constant.number {
            crate::term::Number::Rational(value) => Quantity::rational(value),
            crate::term::Number::Infinity => Quantity::Infinity,
            crate::term::Number::MinusInfinity => Quantity::MinusInfinity,
            _ => Quantity::Unknown,
        })
        .collect()
}

fn at(terms: &Terms, root: Term, element: &dyn Fn(u32) -> Quantity) -> Quantity {
    let budget = Budget::default();
    let cone = Cone::of(terms, &[root], &budget).unwrap();
    let domain = Reals { element, constants: &constants(terms) };
    evaluate(&cone, &domain, &budget, &mut Vec::new()).unwrap()[0]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn exact_values_lie_in_the_enclosures(
        steps in prop::collection::vec(any::<(u8, u8, u8, u8)>(), 1..24),
        inputs in prop::array::uniform4(-6i64..7),
    ) {
        let mut terms = Terms::new();
        let root = program(&mut terms, &steps);
        let exact = at(&terms, root, &|element| Quantity::integer(inputs[element as usize]));
        let near = |element: u32| Quantity::Within(Interval::point(inputs[element as usize] as f64));
        let enclosed = at(&terms, root, &near);
        if let (Quantity::Exact(value), Some(interval)) = (exact, enclosed.interval()) {
            let hull = Interval::of_ratio(value);
            prop_assert!(
                interval.low() <= hull.high() && hull.low() <= interval.high(),
                "{} not in {:?}", value, interval
            );
        }
        if exact == Quantity::Undefined {
            prop_assert!(!enclosed.is_finite(), "undefined, but {:?}", enclosed);
        }
    }
}

#[test]
fn exponentials_are_exact_where_they_can_be() {
    let mut terms = Terms::new();
    let x = Term::element(0);
    let exp2 = terms.unary(Unary::Exp2, x);
    let exp = terms.unary(Unary::Exp, x);
    let log2 = terms.unary(Unary::Log2, exp2);
    let integer = |value: i64| move |_: u32| Quantity::integer(value);
    assert_eq!(at(&terms, exp2, &integer(-3)), Quantity::Exact(Ratio::new(1, 8)));
    assert_eq!(at(&terms, log2, &integer(-3)), Quantity::integer(-3));
    assert_eq!(at(&terms, exp, &integer(0)), Quantity::integer(1));
    assert!(at(&terms, exp, &integer(1)).interval().unwrap().contains(std::f64::consts::E));
    let half = at(&terms, exp2, &|_| Quantity::Exact(Ratio::new(1, 2))).interval().unwrap();
    assert!(half.contains(std::f64::consts::SQRT_2) && half.high() - half.low() < 1e-13);
}

#[test]
fn undefined_points_are_told_from_unclear_ones() {
    let mut terms = Terms::new();
    let (x, y) = (Term::element(0), Term::element(1));
    let quotient = terms.div(y, x);
    let root = terms.unary(Unary::Sqrt, x);
    let log = terms.unary(Unary::Log, x);
    let unknown = terms.apply("f", x, y);
    let positive = terms.compare(Relation::Less, Term::ZERO, x);
    let guarded = terms.select(positive, quotient, Term::ONE);
    let zero = |_: u32| Quantity::ZERO;
    assert_eq!(at(&terms, quotient, &zero), Quantity::Undefined);
    assert_eq!(at(&terms, root, &|_| Quantity::integer(-1)), Quantity::Undefined);
    assert_eq!(at(&terms, log, &zero), Quantity::Undefined);
    assert_eq!(at(&terms, unknown, &zero), Quantity::Unknown);
    assert_eq!(at(&terms, guarded, &zero), Quantity::integer(1));
    let around = |_: u32| Quantity::Within(Interval::new(-1.0, 1.0));
    assert_eq!(at(&terms, quotient, &around), Quantity::Unknown);
}

#[test]
fn infinities_follow_their_limits() {
    let mut terms = Terms::new();
    let x = Term::element(0);
    let infinity = terms.number(crate::base::Format::F32, 0x7f80_0000);
    let scaled = terms.mul(x, infinity);
    let gone = terms.sub(scaled, infinity);
    let less = terms.max(scaled, x);
    assert_eq!(at(&terms, scaled, &|_| Quantity::integer(2)), Quantity::Infinity);
    assert_eq!(at(&terms, scaled, &|_| Quantity::integer(-2)), Quantity::MinusInfinity);
    assert_eq!(at(&terms, scaled, &|_| Quantity::ZERO), Quantity::NotANumber);
    assert_eq!(at(&terms, gone, &|_| Quantity::integer(2)), Quantity::NotANumber);
    assert_eq!(at(&terms, less, &|_| Quantity::integer(-2)), Quantity::integer(-2));
}

#[test]
fn large_sums_stay_enclosed_beyond_64_bits() {
    let mut terms = Terms::new();
    let mut power = Term::element(0);
    for _ in 0..6 {
        power = terms.mul(power, power);
    }
    let value = at(&terms, power, &|_| Quantity::integer(3)).interval().unwrap();
    assert!(value.contains(3f64.powi(64)) && value.high() / value.low() < 1.0 + 1e-12);
}

/// What is limited compares as its value does, and a choice by such a comparison is the limit it was.
#[test]
fn comparisons_look_through_limits() {
    let relations = [Relation::Less, Relation::LessEqual, Relation::Equal];
    let limits = || (-2..=2i64).flat_map(|limit| [(limit, true), (limit, false)]);
    for ((outer, outer_max), (limit, is_max)) in limits().flat_map(|one| limits().map(move |two| (one, two)))
    {
        let terms = &mut Terms::new();
        terms.note_elements(0, Format::S32);
        let x = Term::element(0);
        let limited = |terms: &mut Terms, inner: Term, limit: i64, is_max: bool| {
            let limit = terms.integer(limit.into());
            if is_max { terms.max(inner, limit) } else { terms.min(inner, limit) }
        };
        let inner = limited(terms, x, limit, is_max);
        let term = limited(terms, inner, outer, outer_max);
        for (value, relation, first) in (-3..=3)
            .flat_map(|value| relations.map(|relation| (value, relation)))
            .flat_map(|(value, relation)| [(value, relation, true), (value, relation, false)])
        {
            let constant = terms.integer(value.into());
            let (a, b) = if first { (term, constant) } else { (constant, term) };
            let holds = terms.compare(relation, a, b);
            let chosen = terms.select(holds, a, b);
            for twice in (-8..=8i64).step_by(2) {
                let at_x =
                    |_: u32| Quantity::rational(&num_rational::BigRational::new(twice.into(), 2.into()));
                let clamp = |x: i64, limit: i64, is_max: bool| {
                    if is_max { x.max(2 * limit) } else { x.min(2 * limit) }
                };
                let number = clamp(clamp(twice, limit, is_max), outer, outer_max);
                let (l, r) = if first { (number, 2 * value) } else { (2 * value, number) };
                let expected = match relation {
                    Relation::Less => l < r,
                    Relation::LessEqual => l <= r,
                    Relation::Equal => l == r,
                };
                let one = terms.select(holds, Term::ONE, Term::ZERO);
                let case = (outer, outer_max, limit, is_max, value, relation, first, twice);
                assert_eq!(at(terms, one, &at_x), Quantity::integer(expected.into()), "{case:?}");
                let picked = Quantity::rational(&num_rational::BigRational::new(
                    (if expected { l } else { r }).into(),
                    2.into(),
                ));
                assert_eq!(at(terms, chosen, &at_x), picked, "{case:?}");
            }
        }
    }
}
