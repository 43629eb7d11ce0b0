//! Pairs that random search (`decisions`) found undecided, slow or endless, made small, next to near
//! misses that must stay different.

use std::time::{Duration, Instant};
use warpproof::base::{Budget, Format};
use warpproof::decide::{Equality, Options, Problem, decide};
use warpproof::term::{Elements, Relation, Term, Terms, Unary};
use warpproof_tests::algebra::build::build;
use warpproof_tests::algebra::{
    E, abs, add, c, exp, less, log, max, min, mul, neg, recip, select, sqrt, sub, x,
};

fn ask(stores: &[Terms; 2], pair: (Term, Term)) -> Equality {
    let mut elements = Elements::default();
    elements.push("x", vec![1024], Format::F32, 1024);
    let problem =
        Problem { reference: &stores[0], optimized: &stores[1], elements: &elements, pairs: &[pair] };
    let decision = decide(&Options::default(), &Budget::default(), &problem).expect("the budget is ample");
    decision.groups[0].equality.clone()
}

fn question(a: &E, b: &E) -> Equality {
    let mut stores = [Terms::new(), Terms::new()];
    let pair = (build(&mut stores[0], a, false), build(&mut stores[1], b, false));
    ask(&stores, pair)
}

#[test]
fn gaps_that_random_pairs_showed() {
    let (a, b, z) = (x(0), x(1), x(2));
    let difference = sub(&a, &b);
    let squared = add(&sub(&mul(&a, &a), &mul(&c(2, 1), &mul(&a, &b))), &mul(&b, &b));
    let (p, q) = (add(&mul(&a, &a), &c(1, 1)), add(&exp(&b), &c(3, 1)));
    let twice = |a: &E| mul(&c(2, 1), a);
    let power = add(&add(&c(1, 1), &twice(&exp(&a))), &exp(&twice(&a)));
    let chosen = |a: &E, b: &E| select(&less(a, b), &mul(b, &z), &mul(a, &z));
    let pairs = [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (10, 11), (12, 13), (14, 15)];
    let sum = |of: &dyn Fn(&E, &E) -> E| {
        pairs.iter().map(|(p, q)| of(&x(*p + 10), &x(*q + 10))).reduce(|sum, next| add(&sum, &next)).unwrap()
    };
    let rows = [
        ("a perfect square", sqrt(&squared), abs(&difference), difference.clone()),
        (
            "its reciprocal root",
            recip(&sqrt(&power)),
            recip(&add(&c(1, 1), &exp(&a))),
            recip(&add(&c(2, 1), &exp(&a))),
        ),
        ("a product of roots", mul(&sqrt(&p), &sqrt(&q)), sqrt(&mul(&p, &q)), sqrt(&add(&p, &q))),
        (
            "roots beside what both sides have",
            add(&mul(&sqrt(&p), &sqrt(&q)), &z),
            add(&z, &sqrt(&mul(&p, &q))),
            sub(&z, &sqrt(&mul(&p, &q))),
        ),
        (
            "a sum of maxima and of choices",
            sum(&|a, b| mul(&max(a, b), &z)),
            sum(&chosen),
            add(&sum(&chosen), &chosen(&a, &b)),
        ),
        (
            "magnitudes and choices",
            sum(&|a, b| mul(&abs(&sub(a, b)), &z)),
            sum(&|a, b| select(&less(a, b), &mul(&sub(b, a), &z), &mul(&sub(a, b), &z))),
            neg(&sum(&|a, b| mul(&abs(&sub(a, b)), &z))),
        ),
    ];
    for (name, a, b, wrong) in rows {
        let (right, wrong) = (question(&a, &b), question(&a, &wrong));
        assert!(matches!(right, Equality::Equal(_)), "{name}: {right:?}");
        assert!(matches!(wrong, Equality::Different(_)), "{name}: {wrong:?}");
    }
}

/// A variance is not negative, however it is computed and however many values it is of: clamping it
/// changes nothing. Less than that can be negative.
#[test]
fn clamped_variances_are_variances() {
    for count in [2, 3, 32, 200, 1024] {
        let all = |of: &dyn Fn(&E) -> E| (0..count).map(|at| of(&x(at))).reduce(|a, b| add(&a, &b)).unwrap();
        let share = c(1, i128::from(count));
        let mean = mul(&all(&|x| x.clone()), &share);
        let squares = mul(&all(&|x| mul(x, x)), &share);
        let variance = sub(&squares, &mul(&mean, &mean));
        let clamped = sqrt(&add(&max(&variance, &c(0, 1)), &c(1, 64)));
        let right = question(&clamped, &sqrt(&add(&variance, &c(1, 64))));
        assert!(matches!(right, Equality::Equal(_)), "{count}: {right:?}");
        let less = sub(&variance, &mul(&x(0), &mul(&x(0), &c(1, 4))));
        let wrong = question(&max(&less, &c(0, 1)), &less);
        assert!(matches!(wrong, Equality::Different(_)), "{count}: {wrong:?}");
    }
    let (a, b) = (x(0), x(1));
    let sides = |slope: i128| add(&add(&mul(&a, &a), &mul(&c(slope, 1), &mul(&a, &b))), &mul(&b, &b));
    let right = question(&abs(&sides(-2)), &sides(-2));
    assert!(matches!(right, Equality::Equal(_)), "{right:?}");
    let wrong = question(&abs(&sides(-3)), &sides(-3));
    assert!(matches!(wrong, Equality::Different(_)), "{wrong:?}");
    let parabola = |below: i128| add(&sub(&mul(&a, &a), &mul(&c(2, 1), &a)), &c(below, 1));
    let right = question(&max(&parabola(1), &c(0, 1)), &parabola(1));
    assert!(matches!(right, Equality::Equal(_)), "{right:?}");
    let wrong = question(&max(&parabola(0), &c(0, 1)), &parabola(0));
    assert!(matches!(wrong, Equality::Different(_)), "{wrong:?}");
}

/// How a comparison of two bests decides which place goes on.
#[derive(Clone, Copy)]
enum Ties {
    /// Of equal ones the left one's.
    Left,
    /// Of equal ones the right one's.
    Right,
    /// Of equal ones the smaller place.
    Smaller,
    /// Of equal ones the larger place.
    Larger,
}

/// The larger of two bests with its place; places of equal ones as `ties` says.
fn contest(terms: &mut Terms, (a, i): (Term, Term), (b, j): (Term, Term), ties: Ties) -> (Term, Term) {
    let right = match ties {
        Ties::Left => terms.compare(Relation::Less, a, b),
        Ties::Right => terms.compare(Relation::LessEqual, a, b),
        Ties::Smaller | Ties::Larger => {
            let (more, same) = (terms.compare(Relation::Less, a, b), terms.compare(Relation::Equal, a, b));
            let (low, high) = if matches!(ties, Ties::Smaller) { (j, i) } else { (i, j) };
            let goes = terms.compare(Relation::Less, low, high);
            let both = terms.and(same, goes);
            terms.or(more, both)
        }
    };
    (terms.select(right, b, a), terms.select(right, j, i))
}

/// The place of the largest of many values is the same from front to back, from back to front, over
/// neighbours, over halves, over halves again and again, if all agree on ties; and another if not.
#[test]
fn places_of_maxima_depend_on_ties_alone() {
    let halves = |terms: &mut Terms, mut field: Vec<(Term, Term)>, ties| {
        while field.len() > 1 {
            let right = field.split_off(field.len() / 2);
            field = field.into_iter().zip(right).map(|(a, b)| contest(terms, a, b, ties)).collect();
        }
        field[0].1
    };
    let neighbours = |terms: &mut Terms, mut field: Vec<(Term, Term)>, ties| {
        while field.len() > 1 {
            field = field.chunks(2).map(|two| contest(terms, two[0], two[1], ties)).collect();
        }
        field[0].1
    };
    let field = |terms: &mut Terms, count: u32| -> Vec<(Term, Term)> {
        (0..count).map(|at| (Term::element(at), terms.integer(at.into()))).collect()
    };
    for count in [2, 4, 8, 32, 256, 1024] {
        let mut stores = [Terms::new(), Terms::new()];
        let [plain, other] = &mut stores;
        let all = field(plain, count);
        let first =
            all.iter().copied().reduce(|best, next| contest(plain, best, next, Ties::Left)).unwrap().1;
        let last =
            all.iter().copied().reduce(|best, next| contest(plain, best, next, Ties::Right)).unwrap().1;
        let back =
            all.iter().rev().copied().reduce(|best, next| contest(plain, best, next, Ties::Right)).unwrap().1;
        let all = field(other, count);
        let trees = [
            (halves(other, all.clone(), Ties::Smaller), true, false),
            (neighbours(other, all.clone(), Ties::Left), true, false),
            (neighbours(other, all.clone(), Ties::Smaller), true, false),
            (halves(other, all.clone(), Ties::Larger), false, true),
            (neighbours(other, all.clone(), Ties::Right), false, true),
            // Of four and more, halves put the third before the second.
            (halves(other, all.clone(), Ties::Left), count < 4, false),
            (halves(other, all, Ties::Right), false, count < 4),
        ];
        for (at, (tree, is_first, is_last)) in trees.into_iter().enumerate() {
            for (plain, equal) in [(first, is_first), (back, is_first), (last, is_last)] {
                let begun = Instant::now();
                let answer = ask(&stores, (plain, tree));
                assert_eq!(matches!(answer, Equality::Equal(_)), equal, "tree {at} of {count}: {answer:?}");
                assert_eq!(
                    matches!(answer, Equality::Different(_)),
                    !equal,
                    "tree {at} of {count}: {answer:?}"
                );
                assert!(begun.elapsed() < Duration::from_secs(20), "tree {at} of {count}");
            }
        }
    }
}

/// `max(a, min(a, b))` is `a`, as often as that is nested, and beside other terms.
#[test]
fn absorbed_maxima_vanish() {
    let absorbed = |a: &E, other: u32| {
        let inner = max(a, &min(&max(a, &x(other)), a));
        min(&max(&inner, &min(&inner, &x(other + 1))), &max(&inner, &x(other + 2)))
    };
    let a = exp(&x(0));
    let nested = (1..40).fold(a.clone(), |nested, at| absorbed(&nested, 3 * at));
    let beside = |of: &E| mul(&add(of, &x(200)), &x(201));
    let right = question(&beside(&nested), &beside(&a));
    assert!(matches!(right, Equality::Equal(_)), "{right:?}");
    let wrong = question(&beside(&max(&nested, &x(202))), &beside(&a));
    assert!(matches!(wrong, Equality::Different(_)), "{wrong:?}");
}

/// Every level of these has the one below it several times; what differs lies at the bottom. Writing
/// out how they differ took all memory there is.
#[test]
fn choices_inside_choices_are_refuted_at_once() {
    let nested = |terms: &mut Terms, last: u32| {
        (0..64).fold(Term::ONE, |sum, at| {
            let condition = terms.compare(Relation::Less, sum, Term::element(64 + at));
            let other = Term::element(if at == 63 { last } else { at });
            let chosen = terms.select(condition, Term::element(128 + at), other);
            terms.add(sum, chosen)
        })
    };
    for last in [3, 63] {
        let mut stores = [Terms::new(), Terms::new()];
        let pair = (nested(&mut stores[0], 63), nested(&mut stores[1], last));
        let begun = Instant::now();
        let answer = ask(&stores, pair);
        assert_eq!(matches!(answer, Equality::Equal(_)), last == 63, "{answer:?}");
        assert_eq!(matches!(answer, Equality::Different(_)), last == 3);
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}

/// Σ over 64 inputs of a choice by a comparison of its own: in another order, with one bound changed,
/// and with all changed.
#[test]
fn many_choices_of_their_own_take_no_time() {
    let sum = |terms: &mut Terms, order: &mut dyn Iterator<Item = u32>, bound: &dyn Fn(u32) -> i128| {
        let mut sum = Term::ZERO;
        for index in order {
            let (own, next) = (Term::element(index), Term::element(64 + index));
            let bound = terms.integer(bound(index));
            let condition = terms.compare(Relation::Less, own, bound);
            let product = terms.mul(own, next);
            let chosen = terms.select(condition, product, next);
            sum = terms.add(sum, chosen);
        }
        sum
    };
    let changes: [&dyn Fn(u32) -> i128; 4] =
        [&|_| 3, &|at| if at == 40 { 4 } else { 3 }, &|_| 4, &|at| i128::from(at)];
    for (at, bound) in changes.into_iter().enumerate() {
        let mut stores = [Terms::new(), Terms::new()];
        let pair =
            (sum(&mut stores[0], &mut (0..64), &|_| 3), sum(&mut stores[1], &mut (0..64).rev(), bound));
        let begun = Instant::now();
        let answer = ask(&stores, pair);
        assert_eq!(matches!(answer, Equality::Equal(_)), at == 0, "{answer:?}");
        assert_eq!(matches!(answer, Equality::Different(_)), at > 0);
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}

/// Fractions inside fractions, whichever input is called what: which power can be divided out of a
/// sum depends on the order of its terms.
#[test]
fn fractions_are_the_same_under_every_name() {
    for names in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let [a, b, z] = names.map(x);
        let positive = |e: &E| add(&mul(e, e), &c(1, 1));
        let root = |e: &E| sqrt(&positive(e));
        let one = c(1, 1);
        let rows = [
            ("1/(a+1/b)", recip(&add(&a, &recip(&b))), mul(&b, &recip(&add(&mul(&a, &b), &one)))),
            (
                "1/(a+1/(b+1/z))",
                recip(&add(&a, &recip(&add(&b, &recip(&z))))),
                mul(&add(&mul(&b, &z), &one), &recip(&add(&add(&mul(&mul(&a, &b), &z), &a), &z))),
            ),
            (
                "ab/(ab²+abz)",
                mul(&mul(&a, &b), &recip(&add(&mul(&mul(&a, &b), &b), &mul(&mul(&a, &b), &z)))),
                recip(&add(&b, &z)),
            ),
            (
                "√p/(√p+p)",
                mul(&root(&a), &recip(&add(&root(&a), &positive(&a)))),
                recip(&add(&one, &root(&a))),
            ),
            (
                "√p/(p+√p·z)",
                mul(&root(&a), &recip(&add(&positive(&a), &mul(&root(&a), &z)))),
                recip(&add(&root(&a), &z)),
            ),
            (
                "√a/(a+√a·z)",
                mul(&sqrt(&a), &recip(&add(&a, &mul(&sqrt(&a), &z)))),
                recip(&add(&sqrt(&a), &z)),
            ),
            ("√a/(√a+a)", mul(&sqrt(&a), &recip(&add(&sqrt(&a), &a))), recip(&add(&sqrt(&a), &one))),
        ];
        let p = positive(&b);
        let under_roots = [
            (
                "√(a²+1/p)",
                sqrt(&add(&mul(&a, &a), &recip(&p))),
                mul(&sqrt(&add(&mul(&mul(&a, &a), &p), &one)), &recip(&sqrt(&p))),
            ),
            ("√(√p+p)", sqrt(&add(&sqrt(&p), &p)), mul(&sqrt(&sqrt(&p)), &sqrt(&add(&one, &sqrt(&p))))),
            (
                "√(a²p+p²)",
                sqrt(&add(&mul(&mul(&a, &a), &p), &mul(&p, &p))),
                mul(&sqrt(&p), &sqrt(&add(&mul(&a, &a), &p))),
            ),
        ];
        for (name, left, right) in rows.into_iter().chain(under_roots) {
            let answer = question(&left, &right);
            assert!(matches!(answer, Equality::Equal(_)), "{name} {names:?}: {answer:?}");
            let answer = question(&left, &mul(&right, &add(&one, &mul(&b, &b))));
            assert!(matches!(answer, Equality::Different(_)), "{name} {names:?}: {answer:?}");
        }
    }
}

/// Logarithms of products and numbers: equal where the law says so, and never where a factor is lost.
#[test]
fn logarithms_keep_every_factor() {
    for names in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let [a, b, z] = names.map(x);
        let positive = |e: &E| add(&mul(e, e), &c(1, 1));
        let p = positive(&a);
        let sum = add(&b, &z);
        for (left, right) in [
            (log(&mul(&c(6, 1), &p)), add(&add(&log(&c(2, 1)), &log(&c(3, 1))), &log(&p))),
            (log(&mul(&exp(&a), &p)), add(&a, &log(&p))),
            (sub(&log(&c(6, 1)), &log(&c(3, 1))), log(&c(2, 1))),
            (
                log(&c(45, 28)),
                sub(&add(&log(&c(5, 1)), &log(&c(9, 1))), &add(&log(&c(4, 1)), &log(&c(7, 1)))),
            ),
        ] {
            let answer = question(&left, &right);
            assert!(matches!(answer, Equality::Equal(_)), "{left:?} = {right:?}: {answer:?}");
        }
        for (left, right) in [
            (log(&mul(&a, &sum)), log(&sum)),
            (log(&mul(&sum, &a)), log(&a)),
            (log(&mul(&c(2, 1), &sum)), log(&sum)),
            (log(&mul(&mul(&a, &b), &sum)), log(&mul(&a, &sum))),
            (log(&mul(&sum, &sum)), log(&sum)),
            (log(&mul(&exp(&a), &p)), log(&p)),
            (log(&recip(&p)), log(&p)),
        ] {
            let answer = question(&left, &right);
            assert!(!matches!(answer, Equality::Equal(_)), "{left:?} = {right:?}: {answer:?}");
        }
    }
}

/// What one comparison says about another, and maxima one of whose members cannot be the largest.
#[test]
fn comparisons_and_ranges_inside_each_other() {
    let (a, b, z, w) = (x(0), x(1), x(2), x(3));
    let (zero, one, two) = (c(0, 1), c(1, 1), c(2, 1));
    let below = neg(&exp(&a));
    let choose = |bound: &E, then: &E, other: &E| select(&less(bound, &a), then, other);
    for (left, right) in [
        (choose(&one, &choose(&zero, &b, &z), &w), choose(&one, &b, &w)),
        (choose(&zero, &w, &choose(&one, &b, &z)), choose(&zero, &w, &z)),
        (choose(&zero, &choose(&zero, &b, &z), &w), choose(&zero, &b, &w)),
        (mul(&choose(&zero, &b, &one), &choose(&zero, &z, &one)), choose(&zero, &mul(&b, &z), &one)),
        (max(&below, &two), two.clone()),
        (max(&max(&below, &neg(&exp(&b))), &two), two.clone()),
        (max(&add(&z, &below), &add(&z, &two)), add(&z, &two)),
        (mul(&abs(&a), &abs(&a)), mul(&a, &a)),
        (mul(&abs(&a), &abs(&b)), abs(&mul(&a, &b))),
    ] {
        let answer = question(&left, &right);
        assert!(matches!(answer, Equality::Equal(_)), "{left:?} = {right:?}: {answer:?}");
        let answer = question(&left, &add(&right, &mul(&b, &z)));
        assert!(matches!(answer, Equality::Different(_)), "{left:?}: {answer:?}");
    }
}

/// sin x cannot reach 2.
#[test]
fn a_sine_below_the_other_member_is_dropped() {
    for bound in [2, 0] {
        let mut stores = [Terms::new(), Terms::new()];
        let sine = stores[0].unary(Unary::Sin, Term::element(0));
        let limit = stores[0].integer(bound);
        let left = stores[0].max(sine, limit);
        let right = stores[1].integer(bound);
        let answer = ask(&stores, (left, right));
        assert_eq!(matches!(answer, Equality::Equal(_)), bound > 0, "{bound}: {answer:?}");
        assert_eq!(matches!(answer, Equality::Different(_)), bound == 0, "{bound}: {answer:?}");
    }
}
