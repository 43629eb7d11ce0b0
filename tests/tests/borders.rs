//! Guards: two functions that differ only where a guard asks, which is a set of measure zero, are
//! different. Every pair here differs by construction; none may be called equal.

use warpproof::base::{Budget, Format};
use warpproof::decide::{Equality, Options, Problem, decide};
use warpproof::term::{Elements, Relation, Term, Terms, Unary};

fn answer(build: impl Fn(&mut Terms, bool) -> Term) -> Equality {
    let (mut reference, mut optimized) = (Terms::new(), Terms::new());
    let pairs = [(build(&mut reference, false), build(&mut optimized, true))];
    let mut elements = Elements::default();
    elements.push("x", vec![4], Format::F32, 4);
    let problem =
        Problem { reference: &reference, optimized: &optimized, elements: &elements, pairs: &pairs };
    let mut decision = decide(&Options::default(), &Budget::default(), &problem).expect("small");
    decision.groups.remove(0).equality
}

/// What is zero where the guard asks.
const GAPS: [fn(&mut Terms) -> Term; 5] = [
    |terms| {
        let number = terms.integer(37);
        terms.sub(Term::element(0), number)
    },
    |_| Term::element(0),
    |terms| terms.sub(Term::element(0), Term::element(1)),
    |terms| {
        let twice = terms.add(Term::element(1), Term::element(1));
        terms.sub(Term::element(0), twice)
    },
    |terms| {
        let two = terms.integer(2);
        terms.fma(Term::element(2), two, Term::element(3))
    },
];

/// What is undefined there.
const PARTIAL: [fn(&mut Terms, Term) -> Term; 4] = [
    |terms, gap| terms.div(Term::ONE, gap),
    |terms, gap| {
        let square = terms.mul(gap, gap);
        terms.unary(Unary::Rsqrt, square)
    },
    |terms, gap| terms.div(Term::element(3), gap),
    |terms, gap| {
        let square = terms.mul(gap, gap);
        terms.div(Term::ONE, square)
    },
];

/// What is done with the guarded value.
const OUTSIDE: [fn(&mut Terms, Term) -> Term; 6] = [
    |terms, value| {
        let above = terms.compare(Relation::Less, Term::element(1), value);
        terms.select(above, Term::element(3), Term::element(2))
    },
    |terms, value| {
        let square = terms.mul(value, value);
        let above = terms.compare(Relation::Less, Term::ONE, square);
        let seven = terms.integer(7);
        terms.select(above, Term::element(3), seven)
    },
    |terms, value| {
        let three = terms.integer(3);
        let sum = terms.add(value, three);
        terms.div(Term::element(1), sum)
    },
    |_, value| value,
    |terms, value| terms.mul(value, Term::element(3)),
    |terms, value| {
        let square = terms.mul(value, value);
        let seven = terms.integer(7);
        let sum = terms.add(square, seven);
        terms.div(value, sum)
    },
];

#[test]
fn a_guard_with_another_value_is_never_equal() {
    let mut different = 0;
    let mut asked = 0;
    for gap in GAPS {
        for partial in PARTIAL {
            for outside in OUTSIDE {
                // Each of `OUTSIDE` tells these apart. (Whether 1 is below the square it asks of 1 and 0, and of 2 and 5,
                // with the same answer: such guards are equal.)
                for (first, second) in [(2, 0), (1, 5)] {
                    let answer = answer(|terms, optimized| {
                        let gap = gap(terms);
                        let guard = terms.compare(Relation::Equal, gap, Term::ZERO);
                        let instead = terms.integer(if optimized { second } else { first });
                        let value = partial(terms, gap);
                        let value = terms.select(guard, instead, value);
                        outside(terms, value)
                    });
                    assert!(!matches!(answer, Equality::Equal(_)), "{answer:?}");
                    different += u32::from(matches!(answer, Equality::Different(_)));
                    asked += 1;
                }
            }
        }
    }
    assert!(different * 10 >= asked * 7, "{different} of {asked} are shown to differ");
}

#[test]
fn a_guard_that_one_side_lacks_is_never_equal() {
    for gap in GAPS {
        for partial in PARTIAL {
            for outside in OUTSIDE {
                for instead in [0, 1, -1] {
                    let answer = answer(|terms, optimized| {
                        let gap = gap(terms);
                        let guard = terms.compare(Relation::Equal, gap, Term::ZERO);
                        let mut value = partial(terms, gap);
                        if !optimized {
                            let instead = terms.integer(instead);
                            value = terms.select(guard, instead, value);
                        }
                        outside(terms, value)
                    });
                    assert!(!matches!(answer, Equality::Equal(_)), "{instead}: {answer:?}");
                }
            }
        }
    }
}

#[test]
fn a_difference_at_one_point_is_a_difference() {
    for gap in GAPS {
        for outside in OUTSIDE {
            let answer = answer(|terms, optimized| {
                let mut value = Term::element(2);
                if optimized {
                    let gap = gap(terms);
                    let guard = terms.compare(Relation::Equal, gap, Term::ZERO);
                    let other = terms.add(value, Term::ONE);
                    value = terms.select(guard, other, value);
                }
                outside(terms, value)
            });
            assert!(!matches!(answer, Equality::Equal(_)), "{answer:?}");
        }
    }
}
