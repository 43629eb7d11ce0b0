//! What is known of a number in a branch, because it would be undefined elsewhere, is not known of the same
//! function outside of it.

use super::*;
use crate::term::Relation;

/// x, where it is in some domain.
type Through = fn(&mut Build, Term) -> (Term, Term);

/// With the condition that it is defined.
const THROUGH: [Through; 3] = [
    |b, x| {
        let root = b.sqrt(x);
        (b.0.compare(Relation::LessEqual, Term::ZERO, x), b.mul(root, root))
    },
    |b, x| {
        let inverse = b.div(Term::ONE, x);
        let same = b.0.compare(Relation::Equal, x, Term::ZERO);
        (b.0.not(same), b.div(Term::ONE, inverse))
    },
    |b, x| {
        let log = b.ln(x);
        (b.0.compare(Relation::Less, Term::ZERO, x), b.exp(log))
    },
];

/// What is made of it, in its branch or of x itself.
const MADE: [fn(&mut Build, Term) -> Term; 9] = [
    |b, x| {
        let next = b.add(x, Term::ONE);
        b.sqrt(next)
    },
    |b, x| {
        let next = b.add(x, Term::ONE);
        b.ln(next)
    },
    |b, x| b.abs(x),
    |b, x| b.0.max(x, Term::ZERO),
    |b, x| b.0.min(x, Term::ZERO),
    |b, x| {
        let next = b.add(x, Term::ONE);
        b.0.max(next, Term::ZERO)
    },
    |b, x| {
        let c = b.0.compare(Relation::LessEqual, Term::ZERO, x);
        b.0.select(c, b.e(1), b.e(2))
    },
    |b, x| {
        let c = b.0.compare(Relation::Less, Term::ZERO, x);
        b.0.select(c, b.e(1), b.e(2))
    },
    |b, x| {
        let c = b.0.compare(Relation::Equal, x, Term::ZERO);
        b.0.select(c, b.e(2), b.e(1))
    },
];

/// What is made of a number.
type Function = fn(&mut Build, Term) -> Term;

/// What is the same only where x is in a domain.
const PAIRS: [[Function; 2]; 9] = [
    [MADE[2], |_, x| x],
    [MADE[3], |_, x| x],
    [MADE[4], |_, _| Term::ZERO],
    [MADE[6], |b, _| b.e(1)],
    [MADE[7], |b, _| b.e(1)],
    [MADE[8], |b, _| b.e(1)],
    [MADE[5], |b, x| b.add(x, Term::ONE)],
    [
        |b, x| {
            let next = b.add(x, Term::ONE);
            let square = b.mul(next, next);
            b.sqrt(square)
        },
        |b, x| b.add(x, Term::ONE),
    ],
    [
        |b, x| {
            let square = b.mul(x, x);
            let log = b.ln(square);
            let half = b.q(1, 2);
            let log = b.mul(log, half);
            b.exp(log)
        },
        |_, x| x,
    ],
];

#[test]
fn what_is_known_in_a_branch_is_not_known_elsewhere() {
    for (number, through) in THROUGH.iter().enumerate() {
        for (inner, made) in MADE.iter().enumerate() {
            for (outer, pair) in PAIRS.iter().enumerate() {
                for sides in [[0, 1], [1, 0]] {
                    let equal = proves(|b, optimized| {
                        let x = b.e(0);
                        let (domain, same) = through(b, x);
                        let inside = made(b, same);
                        let guarded = b.0.select(domain, inside, Term::ZERO);
                        let outside = pair[sides[usize::from(optimized)]](b, x);
                        vec![b.add(guarded, outside)]
                    });
                    assert!(!equal, "{number}, {inner}, {outer}, {sides:?}");
                }
            }
        }
    }
}

/// Where the roots of both are taken anyway, a quotient's root is the quotient of the roots; in a branch that may
/// not be taken, this says nothing.
#[test]
fn roots_of_quotients_where_both_roots_are_taken() {
    let quotient = |form: usize| {
        move |b: &mut Build| {
            let (v, c) = (b.e(0), b.e(1));
            let (p, q, all) = (b.sqrt(v), b.sqrt(c), b.div(v, c));
            let root = match form {
                0 => b.sqrt(all),
                1 => b.div(p, q),
                _ => b.div(q, p),
            };
            let product = b.mul(p, q);
            vec![b.add(product, root)]
        }
    };
    alike("√(v/c)", &[&quotient(0), &quotient(1)]);
    apart("√(v/c)", &[&quotient(0), &quotient(2)]);
    let guarded = |form: usize| {
        move |b: &mut Build| {
            let (v, c) = (b.e(0), b.e(1));
            let (p, q, all) = (b.sqrt(v), b.sqrt(c), b.mul(v, c));
            let (product, condition) = (b.mul(p, q), b.0.compare(Relation::Less, Term::ZERO, b.e(2)));
            let asked = b.0.select(condition, product, Term::ZERO);
            let square = b.mul(all, v);
            let factor = match form {
                0 => {
                    let square = b.mul(square, v);
                    b.sqrt(square)
                }
                _ => {
                    let root = b.sqrt(all);
                    b.mul(root, v)
                }
            };
            vec![b.add(asked, factor)]
        }
    };
    // √(v³c) is -v·√(vc) where both are negative.
    apart("guarded", &[&guarded(0), &guarded(1)]);
}
