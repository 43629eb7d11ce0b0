//! Witnesses are found, small and true; what is equal has none.

use super::*;
use crate::base::Format;
use crate::decide::{Meanings, Options};
use crate::diag::Ledger;
use crate::term::{Relation, Unary};

fn elements() -> Elements {
    let mut elements = Elements::default();
    elements.push("A", vec![8, 64], Format::F32, 512);
    elements.push("n", vec![16], Format::U32, 16);
    elements
}

fn found(build: impl Fn(&mut Terms, bool) -> Term) -> Search {
    let mut stores = [Terms::new(), Terms::new()];
    let pair = (build(&mut stores[0], false), build(&mut stores[1], true));
    let budget = Budget::default();
    let roots = ([pair.0], [pair.1]);
    let sides = [(&stores[0], roots.0.as_slice()), (&stores[1], roots.1.as_slice())];
    let meanings = Meanings::of(&Options::default(), &budget, sides, &mut Ledger::default()).unwrap();
    let elements = elements();
    let question = Question {
        outputs: false,
        terms: [&stores[0], &stores[1]],
        meanings: &meanings,
        elements: &elements,
    };
    let search = search(&question, pair, &budget, 1, &mut 0).unwrap();
    if let Search::Different(witness) = &search {
        let [a, b] = witness.values;
        assert!(a.1 < b.0 || b.1 < a.0, "the sides touch: {a:?} {b:?}");
    }
    search
}

fn witness(build: impl Fn(&mut Terms, bool) -> Term) -> Witness {
    match found(build) {
        Search::Different(witness) => witness,
        other => panic!("{other:?}"),
    }
}

fn values(witness: &Witness) -> Vec<(u32, String)> {
    witness.inputs.iter().map(|(element, value)| (*element, value.to_string())).collect()
}

fn x(at: u32) -> Term {
    Term::element(at)
}

fn product_chain(terms: &mut Terms, count: u32, skip: Option<u32>) -> Term {
    (0..count).filter(|k| Some(*k) != skip).fold(Term::ZERO, |sum, k| terms.fma(x(k), x(256 + k), sum))
}

#[test]
fn a_missing_product_shrinks_to_its_two_factors() {
    let witness = witness(|terms, optimized| product_chain(terms, 64, optimized.then_some(17)));
    assert_eq!(values(&witness), [(17, "1".to_owned()), (273, "1".to_owned())]);
    assert_eq!(witness.default, big(Ratio::zero()));
    assert_eq!(witness.values, [(1.0, 1.0), (0.0, 0.0)]);
    assert_eq!(witness.difference, "the optimized kernel lacks the summand A[0][17]·A[4][17]");
}

#[test]
fn both_expressions_are_shown_with_the_difference_marked() {
    let mut stores = [Terms::new(), Terms::new()];
    let pair = (product_chain(&mut stores[0], 64, None), product_chain(&mut stores[1], 64, Some(17)));
    let (budget, elements) = (Budget::default(), elements());
    let roots = ([pair.0], [pair.1]);
    let sides = [(&stores[0], roots.0.as_slice()), (&stores[1], roots.1.as_slice())];
    let meanings = Meanings::of(&Options::default(), &budget, sides, &mut Ledger::default()).unwrap();
    let question = Question {
        outputs: false,
        terms: [&stores[0], &stores[1]],
        meanings: &meanings,
        elements: &elements,
    };
    let [reference, optimized] = contrast(&question, pair, &budget).unwrap().expressions;
    let marked: Vec<&str> = reference.segments.iter().filter(|s| s.marked).map(|s| s.text.as_str()).collect();
    assert_eq!(marked, ["A[0][17]·A[4][17]"]);
    assert!(optimized.segments.iter().all(|segment| !segment.marked));
    assert!(reference.mathml.contains("class=\"marked\""));
}

#[test]
fn the_differing_part_is_named() {
    let sentence = |build: &dyn Fn(&mut Terms, bool) -> Term| witness(build).difference;
    assert_eq!(
        sentence(&|terms, optimized| {
            let product = terms.mul(x(0), x(if optimized { 2 } else { 1 }));
            let exp = terms.unary(Unary::Exp, product);
            let sum = terms.add(x(5), exp);
            terms.mul(sum, x(6))
        }),
        "the optimized kernel has e^(A[0][0]·A[0][2]) where the reference has e^(A[0][0]·A[0][1])"
    );
    assert_eq!(
        sentence(&|terms, optimized| {
            let sum = if optimized { terms.sub(x(0), x(1)) } else { terms.add(x(0), x(1)) };
            terms.unary(Unary::Exp, sum)
        }),
        "the optimized kernel has A[0][1] with the opposite sign"
    );
    assert_eq!(
        sentence(&|terms, optimized| {
            let quotient = terms.div(x(0), x(1));
            if optimized { quotient } else { terms.mul(quotient, x(2)) }
        }),
        "the optimized kernel lacks the factor A[0][2]"
    );
    assert_eq!(
        sentence(&|terms, optimized| {
            let count = if optimized { 7 } else { 8 };
            (0..count).fold(Term::MINUS_INFINITY, |max, k| terms.max(max, x(k)))
        }),
        "the optimized kernel lacks the candidate A[0][7]"
    );
}

#[test]
fn equal_functions_have_no_witness() {
    let search = found(|terms, optimized| {
        let order: Vec<u32> = if optimized { (0..64).rev().collect() } else { (0..64).collect() };
        order.into_iter().fold(Term::ZERO, |sum, k| terms.fma(x(k), x(256 + k), sum))
    });
    assert!(matches!(search, Search::Alike { defined, .. } if defined > 10), "{search:?}");
}

fn softmax(terms: &mut Terms, count: u32, rescale: bool) -> Term {
    let (mut max, mut sum) = (Term::MINUS_INFINITY, Term::ZERO);
    for k in 0..count {
        let next = terms.max(max, x(k));
        let change = terms.sub(max, next);
        let factor = terms.unary(Unary::Exp, change);
        let shifted = terms.sub(x(k), next);
        let exp = terms.unary(Unary::Exp, shifted);
        sum = if rescale { terms.fma(sum, factor, exp) } else { terms.add(sum, exp) };
        max = next;
    }
    let shifted = terms.sub(x(0), max);
    let exp = terms.unary(Unary::Exp, shifted);
    terms.div(exp, sum)
}

#[test]
fn a_missing_rescaling_shows_on_one_larger_element() {
    let witness = witness(|terms, optimized| softmax(terms, 64, !optimized));
    assert_eq!(witness.inputs.len(), 1, "{witness:?}");
    assert!(witness.default.is_integer());
}

#[test]
fn exponentials_that_agree_stay_alike() {
    let search = found(|terms, optimized| {
        let (a, b) = (x(0), x(1));
        if optimized {
            let sum = terms.add(a, b);
            terms.unary(Unary::Exp, sum)
        } else {
            let (a, b) = (terms.unary(Unary::Exp, a), terms.unary(Unary::Exp, b));
            terms.mul(a, b)
        }
    });
    assert!(matches!(search, Search::Alike { .. }), "{search:?}");
}

#[test]
fn neighbours_of_a_rounded_constant_show_nothing() {
    let constant = |optimized: bool| 0.337_412f32.to_bits() + u32::from(optimized);
    let search = found(|terms, optimized| {
        let constant = terms.number(Format::F32, u64::from(constant(optimized)));
        terms.mul(x(0), constant)
    });
    assert!(matches!(search, Search::Alike { defined, .. } if defined > 10), "{search:?}");
}

#[test]
fn an_added_constant_under_a_root_shows_on_tiny_inputs() {
    let witness = witness(|terms, optimized| {
        let epsilon = terms.number(Format::F32, u64::from(if optimized { 1e-6f32 } else { 1e-5 }.to_bits()));
        let square = terms.mul(x(0), x(0));
        let sum = terms.add(square, epsilon);
        let root = terms.unary(Unary::Rsqrt, sum);
        terms.mul(root, x(0))
    });
    assert_eq!(witness.inputs.len(), 1);
}

#[test]
fn integers_get_integers_and_unsigned_ones_no_sign() {
    let n = |at: u32| Term::element(512 + at);
    let witness = witness(|terms, optimized| {
        let product = terms.mul(n(0), n(1));
        if optimized { terms.mul(product, n(2)) } else { product }
    });
    assert!(witness.inputs.iter().all(|(_, value)| value.is_integer() && *value >= big(Ratio::zero())));
}

#[test]
fn guards_are_followed() {
    let witness = witness(|terms, optimized| {
        let limit = terms.integer(2);
        let relation = if optimized { Relation::LessEqual } else { Relation::Less };
        let guard = terms.compare(relation, limit, x(0));
        terms.select(guard, x(1), x(0))
    });
    let values = values(&witness);
    assert_eq!(values.iter().find(|(element, _)| *element == 0).map(|(_, value)| value.as_str()), Some("2"));
}

#[test]
fn both_sides_of_a_far_threshold_are_tried() {
    let witness = witness(|terms, optimized| {
        let limit = terms.integer(-126);
        let below = terms.compare(Relation::Less, x(0), limit);
        let small = if optimized { Term::ZERO } else { x(0) };
        terms.select(below, small, x(0))
    });
    assert_eq!(witness.inputs.len(), 1);
    assert!(witness.inputs[0].1 < big(Ratio::from_integer(-126)), "{witness:?}");
}

#[test]
fn denominators_stay_away_from_zero() {
    let witness = witness(|terms, optimized| {
        let sum = (0..20).fold(Term::ZERO, |sum, k| terms.add(sum, x(k)));
        let above = if optimized { x(1) } else { x(0) };
        terms.div(above, sum)
    });
    assert!(witness.inputs.len() <= 2, "{witness:?}");
}

#[test]
fn nowhere_defined_is_told() {
    let search = found(|terms, optimized| {
        let square = terms.mul(x(0), x(0));
        let below = terms.neg(square);
        let below = terms.sub(below, Term::ONE);
        let root = terms.unary(Unary::Sqrt, below);
        if optimized { root } else { terms.add(root, Term::ONE) }
    });
    assert!(matches!(search, Search::Alike { defined: 0, .. }), "{search:?}");
}

#[test]
fn the_same_seed_gives_the_same_witness() {
    let build = |terms: &mut Terms, optimized: bool| product_chain(terms, 200, optimized.then_some(3));
    assert_eq!(format!("{:?}", found(build)), format!("{:?}", found(build)));
}

#[test]
fn values_that_f32_has_a_place_for_come_first() {
    // Away from 0, both sides are next to nothing.
    let witness = witness(|terms, optimized| {
        let square = terms.mul(x(0), x(0));
        let scale = terms.number(Format::F32, u64::from((-300f32).to_bits()));
        let scaled = terms.mul(square, scale);
        let power = terms.unary(Unary::Exp, scaled);
        if optimized { terms.add(power, power) } else { power }
    });
    assert_eq!(witness.values, [(1.0, 1.0), (2.0, 2.0)]);
}
