//! True claims pass; forged ones do not.

use super::evaluation::{self, Meeting};
use super::{AROUND, Ahead, Checked, Claim, cones_of, decision, values_ahead};
use crate::base::{Budget, Format};
use crate::decide::{
    Certificate, Decision, Equality, Group, Method, Options, Problem, Reading, Witness, decide,
};
use crate::diag::Ledger;
use crate::term::{Elements, Term, Terms, Unary};
use num_rational::BigRational;
use std::sync::atomic::AtomicBool;

struct Pair {
    reference: Terms,
    optimized: Terms,
    elements: Elements,
    pairs: Vec<(Term, Term)>,
}

impl Pair {
    /// One pair of terms over three elements.
    fn new(build: impl Fn(&mut Terms, bool) -> Term) -> Pair {
        let (mut reference, mut optimized) = (Terms::new(), Terms::new());
        let pairs = vec![(build(&mut reference, false), build(&mut optimized, true))];
        let mut elements = Elements::default();
        elements.push("x", vec![3], Format::F32, 3);
        Pair { reference, optimized, elements, pairs }
    }

    fn problem(&self) -> Problem<'_> {
        Problem {
            reference: &self.reference,
            optimized: &self.optimized,
            elements: &self.elements,
            pairs: &self.pairs,
        }
    }

    fn honest(&self) -> Checked {
        let (options, budget) = (Options::default(), Budget::default());
        let decided = decide(&options, &budget, &self.problem()).unwrap();
        self.checked(&decided)
    }

    fn forged(&self, equality: Equality) -> Checked {
        let groups = vec![Group { members: vec![0], equality }];
        let forged = Decision { groups, ledger: Ledger::default() };
        self.checked(&forged)
    }

    /// The second opinion, which is the same when it was prepared.
    fn checked(&self, decided: &Decision) -> Checked {
        let (options, budget, problem) = (Options::default(), Budget::default(), self.problem());
        let checked = decision(&options, &budget, &problem, decided, Ahead::default()).unwrap();
        let reading = Reading::of(&options, &budget, &problem, &self.pairs, &mut Ledger::default()).unwrap();
        let ahead = |unwanted| values_ahead(&budget, problem.elements, &reading, &AtomicBool::new(unwanted));
        assert!(ahead(true).is_none());
        let values = ahead(false);
        assert!(values.is_some());
        let ahead = Ahead { reading: Some(&reading), values };
        assert_eq!(decision(&options, &budget, &problem, decided, ahead).unwrap(), checked);
        checked
    }
}

fn certificate(method: Method) -> Equality {
    Equality::Equal(Certificate { summary: String::new(), method })
}

/// (x+y)² against x² + 2xy + y², or with 3xy.
fn square(wrong: bool) -> Pair {
    Pair::new(|terms, optimized| {
        let (x, y) = (Term::element(0), Term::element(1));
        if !optimized {
            let sum = terms.add(x, y);
            return terms.mul(sum, sum);
        }
        let factor = terms.integer(if wrong { 3 } else { 2 });
        let product = terms.mul(x, y);
        let square = terms.mul(x, x);
        let rest = terms.fma(factor, product, square);
        terms.fma(y, y, rest)
    })
}

/// √(x²) against |x|, or x.
fn root(wrong: bool) -> Pair {
    Pair::new(|terms, optimized| {
        let x = Term::element(0);
        if optimized {
            return if wrong { x } else { terms.unary(Unary::Abs, x) };
        }
        let square = terms.mul(x, x);
        terms.unary(Unary::Sqrt, square)
    })
}

/// x·y + z² with either product fused to the sum, or with two factors exchanged.
fn fused(wrong: bool) -> Pair {
    Pair::new(|terms, optimized| {
        let (x, y, z) = (Term::element(0), Term::element(1), Term::element(2));
        if !optimized {
            let square = terms.mul(z, z);
            return terms.fma(x, y, square);
        }
        let product = if wrong { terms.mul(x, z) } else { terms.mul(y, x) };
        terms.fma(z, if wrong { y } else { z }, product)
    })
}

#[test]
fn either_product_of_a_sum_may_be_fused() {
    let pair = fused(false);
    let decided = decide(&Options::default(), &Budget::default(), &pair.problem()).unwrap();
    let Equality::Equal(found) = &decided.groups[0].equality else { panic!("not equal") };
    assert_eq!(found.method, Method::SameExpression);
    assert_eq!(pair.honest(), Checked { confirmed: 1, ..Checked::default() });
    assert!(matches!(
        decide(&Options::default(), &Budget::default(), &fused(true).problem()).unwrap().groups[0].equality,
        Equality::Different(_)
    ));
}

#[test]
fn true_claims_pass() {
    for (pair, by_field) in [(square(false), true), (root(false), false), (square(true), true)] {
        let checked = pair.honest();
        assert_eq!(checked.refuted, []);
        assert_eq!((checked.confirmed, checked.by_points), if by_field { (1, 0) } else { (0, 1) });
    }
    let same = Pair::new(|terms, optimized| {
        let (x, y) = (Term::element(0), Term::element(1));
        let extra = terms.exp_of(if optimized { y } else { x });
        let one = terms.add(x, y);
        let other = if optimized { terms.mul(one, x) } else { terms.mul(x, one) };
        let _ = extra;
        terms.max(other, y)
    });
    assert_eq!(same.honest(), Checked { confirmed: 1, ..Checked::default() });
}

#[test]
fn forged_certificates_are_refuted() {
    for method in [Method::SameExpression, Method::NormalForm { terms: 3 }, Method::Cases { cases: 2 }] {
        for pair in [square(true), root(true), fused(true)] {
            let checked = pair.forged(certificate(method));
            assert_eq!(checked.refuted.len(), 1, "{method:?}");
            assert_eq!(checked.confirmed + checked.by_points, 0);
        }
    }
}

#[test]
fn refuted_answers_are_taken_back() {
    let pair = square(true);
    let equality = certificate(Method::NormalForm { terms: 3 });
    let group = |members: Vec<u32>, equality| Group { members, equality };
    let mut forged = Decision {
        groups: vec![group(vec![0, 1, 2], equality.clone()), group(vec![3], equality)],
        ledger: Ledger::default(),
    };
    let pairs = vec![pair.pairs[0]; 4];
    let problem = Problem { pairs: &pairs, ..pair.problem() };
    let checked =
        decision(&Options::default(), &Budget::default(), &problem, &forged, Ahead::default()).unwrap();
    assert_eq!(checked.refuted.len(), 4);
    super::withdraw(&mut forged, &checked.refuted[1..2]);
    let members: Vec<&[u32]> = forged.groups.iter().map(|group| group.members.as_slice()).collect();
    assert_eq!(members, [&[0, 2][..], &[1], &[3]]);
    assert!(matches!(forged.groups[1].equality, Equality::Unknown(_)));
    assert!(matches!(forged.groups[0].equality, Equality::Equal(_)));
}

#[test]
fn forged_witnesses_are_refuted() {
    let integer = |value: i64| BigRational::from_integer(value.into());
    let witness = |x: i64, y: i64, values| {
        Equality::Different(Witness {
            point: None,
            inputs: vec![(0, integer(x)), (1, integer(y))],
            default: integer(0),
            values,
            difference: String::new(),
        })
    };
    let right = [(4.0, 4.0), (5.0, 5.0)];
    assert_eq!(square(true).forged(witness(1, 1, right)).confirmed, 1);
    // No difference there; other values than reported; no difference at all.
    assert_eq!(square(true).forged(witness(0, 1, right)).refuted.len(), 1);
    assert_eq!(square(true).forged(witness(1, 1, [(4.0, 4.0), (7.0, 7.0)])).refuted.len(), 1);
    assert_eq!(square(false).forged(witness(1, 1, right)).refuted.len(), 1);
}

impl Terms {
    fn exp_of(&mut self, a: Term) -> Term {
        self.unary(Unary::Exp, a)
    }
}

/// A pair over 300 inputs, built for the reference (`false`) and the optimized kernel (`true`).
fn three_hundred(build: impl Fn(&mut Terms, bool) -> Vec<Term>) -> Pair {
    let (mut reference, mut optimized) = (Terms::new(), Terms::new());
    let pairs = build(&mut reference, false).into_iter().zip(build(&mut optimized, true)).collect();
    let mut elements = Elements::default();
    elements.push("x", vec![300], Format::F32, 300);
    Pair { reference, optimized, elements, pairs }
}

/// 300 quotients over one long sum, against the same with the sum built backwards.
fn quotients(wrong: bool) -> Pair {
    let build = |terms: &mut Terms, optimized: bool| -> Vec<Term> {
        let exponentials: Vec<Term> = (0..300).map(|at| terms.unary(Unary::Exp, Term::element(at))).collect();
        let mut order: Vec<usize> = (0..300).collect();
        if optimized {
            order.reverse();
        }
        let sum = order.iter().fold(Term::ZERO, |sum, at| terms.add(sum, exponentials[*at]));
        let forged = wrong && optimized;
        (0..300).map(|at| terms.div(exponentials[if forged && at == 299 { 0 } else { at }], sum)).collect()
    };
    three_hundred(build)
}

#[test]
fn outputs_that_share_are_evaluated_together_and_none_is_missed() {
    let honest = quotients(false).honest();
    assert_eq!((honest.confirmed, honest.skipped), (300, 0));
    let pair = quotients(true);
    let equality = certificate(Method::NormalForm { terms: 1 });
    let groups = vec![Group { members: (0..300).collect(), equality }];
    let forged = Decision { groups, ledger: Ledger::default() };
    let checked =
        decision(&Options::default(), &Budget::default(), &pair.problem(), &forged, Ahead::default())
            .unwrap();
    assert_eq!(checked.confirmed, 299);
    assert_eq!(checked.refuted.iter().map(|refuted| refuted.pair).collect::<Vec<_>>(), [299]);
}

#[test]
fn smaller_budgets_make_smaller_batches_until_one_output_does_not_fit() {
    let pair = quotients(false);
    let options = Options::default();
    let decided = decide(&options, &Budget::default(), &pair.problem()).unwrap();
    let with = |memory: u64| {
        decision(&options, &Budget::new(1 << 20, memory), &pair.problem(), &decided, Ahead::default())
    };
    assert_eq!(with(1 << 20).unwrap().confirmed, 300);
    assert_eq!(with(1 << 16), Err(crate::base::Exhausted::Memory));
}

/// 300 outputs that all differ: a long sum lacks its last summand.
fn all_wrong() -> Pair {
    let build = |terms: &mut Terms, optimized: bool| -> Vec<Term> {
        let last = if optimized { 299 } else { 300 };
        let sum = (0..last).fold(Term::ZERO, |sum, at| terms.add(sum, Term::element(at)));
        (0..300).map(|at| terms.mul(Term::element(at), sum)).collect()
    };
    three_hundred(build)
}

#[test]
fn of_many_wrong_outputs_the_first_are_described_and_all_confirmed() {
    let pair = all_wrong();
    let (options, budget) = (Options::default(), Budget::default());
    let decided = decide(&options, &budget, &pair.problem()).unwrap();
    let witnesses: Vec<&Witness> = (decided.groups.iter())
        .filter_map(|group| match &group.equality {
            Equality::Different(witness) => Some(witness),
            Equality::Equal(_) | Equality::Close(_) | Equality::Unknown(_) => None,
        })
        .collect();
    assert_eq!(witnesses.len(), 300);
    assert!(witnesses.iter().any(|witness| witness.point.is_none() && !witness.inputs.is_empty()));
    assert!(witnesses.iter().filter(|witness| witness.point.is_some()).count() > 100);
    assert!(witnesses[..16].iter().all(|witness| !witness.difference.is_empty()));
    let checked = decision(&options, &budget, &pair.problem(), &decided, Ahead::default()).unwrap();
    assert_eq!((checked.confirmed, checked.refuted.len()), (300, 0));
}

#[test]
fn a_forged_plain_point_is_refuted() {
    let forged = Witness {
        point: Some(1),
        inputs: Vec::new(),
        default: BigRational::from_integer(0.into()),
        values: [(0.0, 0.0), (1.0, 1.0)],
        difference: String::new(),
    };
    assert_eq!(square(false).forged(Equality::Different(forged)).refuted.len(), 1);
}

/// Values of which nothing is known show no difference, and infinities only of different signs.
#[test]
fn a_witness_needs_values() {
    use crate::term::eval::Quantity;
    let witness = Witness {
        point: None,
        inputs: Vec::new(),
        default: BigRational::from_integer(0.into()),
        values: [(0.0, 0.0), (1.0, 1.0)],
        difference: String::new(),
    };
    let (up, down, none) = (Quantity::Infinity, Quantity::MinusInfinity, Quantity::Unknown);
    let end = |value| match value {
        Quantity::Infinity => (f64::INFINITY, f64::INFINITY),
        Quantity::MinusInfinity => (f64::NEG_INFINITY, f64::NEG_INFINITY),
        _ => (0.0, 0.0),
    };
    let shown = |a, b| {
        // Other values than these are never shown.
        assert!(super::points::refute_values([a, b], &witness).is_some(), "{a:?}, {b:?}");
        let claimed = Witness { values: [end(a), end(b)], ..witness.clone() };
        super::points::refute_values([a, b], &claimed).is_none()
    };
    assert!(shown(up, down) && shown(down, up) && shown(Quantity::ZERO, up) && shown(down, Quantity::ZERO));
    for (a, b) in [(up, up), (down, down), (none, none), (none, up), (down, none)] {
        assert!(!shown(a, b) && !shown(b, a), "{a:?}, {b:?}");
    }
}

/// x·c against x/3, where the kernel computed c = 0.375 and it may be off by `error`.
fn computed(error: f64) -> Pair {
    Pair::new(|terms, optimized| {
        let x = Term::element(0);
        if optimized {
            let third = terms.rational(BigRational::new(1.into(), 3.into()));
            return terms.mul(x, third);
        }
        let constant = terms.computed(Format::F32, 0x3ec0_0000, error);
        terms.mul(x, constant)
    })
}

#[test]
fn differences_that_rounding_explains_are_refuted_and_equalities_not_confirmed() {
    let integer = |value: i64| BigRational::from_integer(value.into());
    let different = |point| {
        let inputs = if point == Some(1) { Vec::new() } else { vec![(0, integer(24))] };
        let (default, difference) = (integer(0), String::new());
        // Wide enough for the values at any of the points.
        let values = [(-1e9, 1e9), (-1e9, 1e9)];
        Equality::Different(Witness { point, inputs, default, values, difference })
    };
    // 0.375 is 0.041666… more than a third.
    for (error, refuted) in [(0.0, 0), (0.04, 0), (0.042, 1), (f64::INFINITY, 1)] {
        for point in [None, Some(1)] {
            assert_eq!(computed(error).forged(different(point)).refuted.len(), refuted, "{error} {point:?}");
        }
        // However wide: as computed, the two are not equal.
        for method in [Method::SameExpression, Method::NormalForm { terms: 1 }] {
            assert_eq!(computed(error).forged(certificate(method)).refuted.len(), 1, "{error}");
        }
    }
    let decided = |error| {
        let pair = computed(error);
        decide(&Options::default(), &Budget::default(), &pair.problem()).unwrap().groups[0].equality.clone()
    };
    assert!(matches!(decided(0.04), Equality::Different(_)));
    assert!(matches!(decided(0.042), Equality::Close(close) if (0.11..0.12).contains(&close.part)));
}

#[test]
fn a_kernel_that_is_right_only_at_the_points_of_a_known_seed_is_found_out() {
    let seeds = [0x1234_5678_9abc_def0, 0x0fed_cba9_8765_4321];
    let residues = seeds.map(|seed| evaluation::random(seed, 0, 0).number(0));
    // x against x + (x - r)·(x - s), which is x wherever x is r or s.
    let pair = Pair::new(|terms, optimized| {
        let x = Term::element(0);
        let gaps = residues.map(|residue| {
            let residue = terms.integer(residue.into());
            terms.sub(x, residue)
        });
        if optimized { terms.fma(gaps[0], gaps[1], x) } else { x }
    });
    let (budget, problem) = (Budget::default(), pair.problem());
    let reading =
        Reading::of(&Options::default(), &budget, &problem, &pair.pairs, &mut Ledger::default()).unwrap();
    let claims = [Claim { pair: 0, terms: reading.pair(0) }];
    let (cones, slots) = cones_of(&budget, &reading, &claims).unwrap();
    let meeting = |seed: u64| {
        let [one, two] = [0, 1].map(|side| {
            let own = (&cones[side], &slots[side]);
            evaluation::values(&reading, side, own, &pair.elements, (seed, false), &budget).unwrap()[0]
        });
        one.meet(&two)
    };
    assert!(seeds.into_iter().all(|seed| meeting(seed) == Meeting::Same));
    for point in 0..AROUND {
        assert!(matches!(meeting(evaluation::seed_of(&cones, point)), Meeting::Apart(_)));
    }
    assert_eq!(pair.forged(certificate(Method::Evaluation { points: 4, bits: 100 })).refuted.len(), 1);
}
