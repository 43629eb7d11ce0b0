//! The decision procedure on terms built directly: what must be equal, and next to each case the
//! near miss that must not be.

use warpproof::base::{Budget, Format};
use warpproof::decide::{Decision, Equality, Options, Problem, decide};
use warpproof::term::{Elements, Named, Relation, Rounding, Term, Terms, Unary};

/// A store under construction, with short names.
struct Build(Terms);

impl Build {
    fn e(&self, index: u32) -> Term {
        Term::element(index)
    }
    fn q(&mut self, above: i64, below: i64) -> Term {
        self.0.rational(num_rational::BigRational::new(above.into(), below.into()))
    }
    fn exp(&mut self, a: Term) -> Term {
        self.0.unary(Unary::Exp, a)
    }
    fn f(&mut self, function: Unary, a: Term) -> Term {
        self.0.unary(function, a)
    }
    fn sum(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        let mut total = Term::ZERO;
        for term in terms {
            total = self.0.add(total, term);
        }
        total
    }
    fn elements(&self, range: std::ops::Range<u32>) -> Vec<Term> {
        range.map(Term::element).collect()
    }
}

fn run(elements: u64, build: impl Fn(&mut Build, bool) -> Vec<Term>) -> Decision {
    let (mut reference, mut optimized) = (Build(Terms::new()), Build(Terms::new()));
    let left = build(&mut reference, false);
    let right = build(&mut optimized, true);
    let mut numbering = Elements::default();
    numbering.push("x", vec![elements], Format::F32, elements);
    let pairs: Vec<(Term, Term)> = left.into_iter().zip(right).collect();
    let problem =
        Problem { reference: &reference.0, optimized: &optimized.0, elements: &numbering, pairs: &pairs };
    decide(&Options::default(), &Budget::default(), &problem).expect("the budget is ample")
}

/// All pairs of the two sides are equal.
#[track_caller]
fn equal(elements: u64, build: impl Fn(&mut Build, bool) -> Vec<Term>) -> Decision {
    let decision = run(elements, build);
    for group in &decision.groups {
        assert!(
            matches!(group.equality, Equality::Equal(_)),
            "outputs {:?}…: {:?}",
            &group.members[..group.members.len().min(4)],
            group.equality
        );
    }
    decision
}

/// Some pair of the two sides differs and comes with inputs, and none of those that should differ
/// is called equal.
#[track_caller]
fn different(elements: u64, build: impl Fn(&mut Build, bool) -> Vec<Term>) -> Decision {
    let decision = run(elements, build);
    for group in &decision.groups {
        let Equality::Different(witness) = &group.equality else { panic!("{:?}", group.equality) };
        let [(low, high), (from, to)] = witness.values;
        assert!(high < from || to < low, "{witness:?}");
        assert!(!witness.difference.is_empty());
    }
    decision
}

/// No pair of the two sides gets an answer.
#[track_caller]
fn undecided(elements: u64, build: impl Fn(&mut Build, bool) -> Vec<Term>) {
    for group in run(elements, build).groups {
        assert!(matches!(group.equality, Equality::Unknown(_)), "{:?}", group.equality);
    }
}

fn maximum(b: &mut Build, terms: &[Term]) -> Term {
    let mut largest = Term::MINUS_INFINITY;
    for term in terms {
        largest = b.0.max(largest, *term);
    }
    largest
}

/// Figure 1 of the paper, left: three passes.
fn naive_softmax(b: &mut Build, x: &[Term]) -> Vec<Term> {
    let m = maximum(b, x);
    let mut shifted = Vec::new();
    for x in x {
        let difference = b.0.sub(*x, m);
        shifted.push(b.exp(difference));
    }
    let total = b.sum(shifted.clone());
    shifted.into_iter().map(|e| b.0.div(e, total)).collect()
}

/// Figure 1 of the paper, right: running maximum and running sum, in base 2 as compilers write it.
fn online_softmax(b: &mut Build, x: &[Term], rescale: bool) -> Vec<Term> {
    let log2e = b.0.named(Named::Log2E);
    let exp = |b: &mut Build, a: Term| {
        let scaled = b.0.mul(a, log2e);
        b.f(Unary::Exp2, scaled)
    };
    let (mut m, mut total) = (Term::MINUS_INFINITY, Term::ZERO);
    for x in x {
        let next = b.0.max(m, *x);
        let difference = b.0.sub(m, next);
        let factor = if rescale { exp(b, difference) } else { Term::ONE };
        let difference = b.0.sub(*x, next);
        let own = exp(b, difference);
        total = b.0.fma(total, factor, own);
        m = next;
    }
    let inverse = b.f(Unary::Recip, total);
    x.iter()
        .map(|x| {
            let difference = b.0.sub(*x, m);
            let own = exp(b, difference);
            b.0.mul(own, inverse)
        })
        .collect()
}

#[test]
fn softmax_naive_and_online() {
    for n in [1, 2, 4, 33, 128] {
        let decision = equal(n, |b, optimized| {
            let x = b.elements(0..n as u32);
            if optimized { online_softmax(b, &x, true) } else { naive_softmax(b, &x) }
        });
        assert_eq!(decision.groups.iter().map(|group| group.members.len()).sum::<usize>(), n as usize);
    }
}

#[test]
fn softmax_without_rescaling_is_different() {
    for n in [2, 4, 33] {
        different(n, |b, optimized| {
            let x = b.elements(0..n as u32);
            if optimized { online_softmax(b, &x, false) } else { naive_softmax(b, &x) }
        });
    }
}

/// Layer normalization: mean and variance by two passes, or by sums of x and x².
fn layer_norm(b: &mut Build, n: u32, one_pass: bool, wrong: bool) -> Vec<Term> {
    let x = b.elements(0..n);
    let over = b.q(1, n.into());
    let total = b.sum(x.clone());
    let mean = b.0.mul(total, over);
    let variance = if one_pass {
        let mut squares = Term::ZERO;
        for x in &x {
            squares = b.0.fma(*x, *x, squares);
        }
        let squares = b.0.mul(squares, over);
        let square = b.0.mul(mean, mean);
        if wrong { b.0.add(squares, square) } else { b.0.sub(squares, square) }
    } else {
        let mut squares = Term::ZERO;
        for x in &x {
            let difference = b.0.sub(*x, mean);
            squares = b.0.fma(difference, difference, squares);
        }
        b.0.mul(squares, over)
    };
    let epsilon = b.q(1, 100_000);
    let variance = b.0.add(variance, epsilon);
    let scale = b.f(Unary::Rsqrt, variance);
    x.iter()
        .map(|x| {
            let difference = b.0.sub(*x, mean);
            b.0.mul(difference, scale)
        })
        .collect()
}

#[test]
fn layer_norm_one_and_two_passes() {
    for n in [2, 5, 16, 64, 200] {
        equal(n, |b, optimized| layer_norm(b, n as u32, optimized, false));
        different(n, |b, optimized| layer_norm(b, n as u32, optimized, true));
    }
}

#[test]
fn sums_in_any_order() {
    equal(64, |b, optimized| {
        let mut x = b.elements(0..64);
        if optimized {
            x.reverse();
        }
        vec![b.sum(x)]
    });
    different(64, |b, optimized| {
        let mut x = b.elements(0..64);
        if optimized {
            x.pop();
        }
        vec![b.sum(x)]
    });
}

#[test]
fn quotients() {
    // a/b + c/d = (a·d + c·b) / (b·d), and not over b + d.
    let build = |wrong: bool| {
        move |b: &mut Build, optimized: bool| {
            let [x, y, z, w] = [0, 1, 2, 3].map(|index| b.e(index));
            if optimized {
                let (p, q) = (b.0.mul(x, w), b.0.mul(z, y));
                let above = b.0.add(p, q);
                let below = if wrong { b.0.add(y, w) } else { b.0.mul(y, w) };
                vec![b.0.div(above, below)]
            } else {
                let (p, q) = (b.0.div(x, y), b.0.div(z, w));
                vec![b.0.add(p, q)]
            }
        }
    };
    equal(4, build(false));
    different(4, build(true));
    // (x² - y²) / (x - y) = x + y.
    let build = |wrong: bool| {
        move |b: &mut Build, optimized: bool| {
            let (x, y) = (b.e(0), b.e(1));
            if optimized {
                return vec![if wrong { b.0.sub(x, y) } else { b.0.add(x, y) }];
            }
            let (p, q) = (b.0.mul(x, x), b.0.mul(y, y));
            let (above, below) = (b.0.sub(p, q), b.0.sub(x, y));
            vec![b.0.div(above, below)]
        }
    };
    let decision = equal(2, build(false));
    assert!(decision.ledger.entries().any(|(assumption, _)| {
        matches!(assumption, warpproof::diag::Assumption::DenominatorNonZero(text) if text == "x[0] - x[1]")
    }));
    different(2, build(true));
}

#[test]
fn radicals() {
    // √(x²) = |x|, not x.
    equal(1, |b, optimized| {
        let x = b.e(0);
        let square = b.0.mul(x, x);
        vec![if optimized { b.f(Unary::Abs, x) } else { b.f(Unary::Sqrt, square) }]
    });
    different(1, |b, optimized| {
        let x = b.e(0);
        let square = b.0.mul(x, x);
        vec![if optimized { x } else { b.f(Unary::Sqrt, square) }]
    });
    // (√(x+y))² = x+y; rsqrt(p)·p = sqrt(p).
    equal(2, |b, optimized| {
        let p = b.0.add(Term::element(0), Term::element(1));
        let root = b.f(Unary::Sqrt, p);
        let inverse = b.f(Unary::Rsqrt, p);
        if optimized { vec![p, root] } else { vec![b.0.mul(root, root), b.0.mul(inverse, p)] }
    });
    // √8 = 2·√2, but √(x·y) is not √x·√y everywhere, although it is where the latter is defined.
    equal(0, |b, optimized| {
        let (two, eight) = (b.q(2, 1), b.q(8, 1));
        let root = b.f(Unary::Sqrt, if optimized { two } else { eight });
        vec![if optimized { b.0.mul(two, root) } else { root }]
    });
}

#[test]
fn exponentials_and_logarithms() {
    // e^(x + 3·ln 2) = 8·e^x; 2^(x·log₂ e) = e^x; log₂(e^x) = x·log₂ e.
    equal(1, |b, optimized| {
        let x = b.e(0);
        let (ln2, log2e) = (b.0.named(Named::Ln2), b.0.named(Named::Log2E));
        let (three, eight) = (b.q(3, 1), b.q(8, 1));
        let own = b.exp(x);
        if optimized {
            vec![b.0.mul(eight, own), own, b.0.mul(x, log2e)]
        } else {
            let shifted = b.0.fma(three, ln2, x);
            let scaled = b.0.mul(x, log2e);
            vec![b.exp(shifted), b.f(Unary::Exp2, scaled), b.f(Unary::Log2, own)]
        }
    });
    different(1, |b, optimized| {
        let (x, ln2, three) = (b.e(0), b.0.named(Named::Ln2), b.q(3, 1));
        let own = b.exp(x);
        if optimized {
            let seven = b.q(7, 1);
            vec![b.0.mul(seven, own)]
        } else {
            let shifted = b.0.fma(three, ln2, x);
            vec![b.exp(shifted)]
        }
    });
    // ln Σe^(x-m) + m = ln Σe^x.
    equal(4, |b, optimized| {
        let x = b.elements(0..4);
        let m = maximum(b, &x);
        let mut terms = Vec::new();
        for x in x {
            let x = if optimized { x } else { b.0.sub(x, m) };
            terms.push(b.exp(x));
        }
        let total = b.sum(terms);
        let log = b.f(Unary::Log, total);
        vec![if optimized { log } else { b.0.add(log, m) }]
    });
}

#[test]
fn maxima() {
    // max(a+c, b+c) = max(a, b) + c; max(2a, 2b) = 2·max(a, b); nested ones flatten.
    equal(3, |b, optimized| {
        let [x, y, z] = [0, 1, 2].map(|index| b.e(index));
        let two = b.q(2, 1);
        if optimized {
            let largest = b.0.max(x, y);
            let inner = b.0.max(y, z);
            vec![b.0.add(largest, z), b.0.mul(two, largest), b.0.max(x, inner)]
        } else {
            let (p, q) = (b.0.add(x, z), b.0.add(y, z));
            let (r, s) = (b.0.mul(two, x), b.0.mul(two, y));
            let inner = b.0.max(z, x);
            vec![b.0.max(p, q), b.0.max(r, s), b.0.max(inner, y)]
        }
    });
    // A negative factor turns the maximum into a minimum.
    let negative = |right: bool| {
        move |b: &mut Build, optimized: bool| {
            let (x, y, factor) = (b.e(0), b.e(1), b.q(-2, 1));
            if optimized {
                let chosen = if right { b.0.min(x, y) } else { b.0.max(x, y) };
                vec![b.0.mul(factor, chosen)]
            } else {
                let (p, q) = (b.0.mul(factor, x), b.0.mul(factor, y));
                vec![b.0.max(p, q)]
            }
        }
    };
    equal(2, negative(true));
    different(2, negative(false));
}

#[test]
fn choices() {
    // Both sides of a choice are equal; a choice moves out of a sum.
    equal(3, |b, optimized| {
        let [x, y, z] = [0, 1, 2].map(|index| b.e(index));
        let c = b.0.compare(Relation::Less, x, y);
        let (p, q) = (b.0.add(x, y), b.0.add(y, z));
        let chosen = b.0.select(c, p, q);
        if optimized {
            let inner = b.0.select(c, x, z);
            vec![b.0.add(inner, y)]
        } else {
            vec![chosen]
        }
    });
    // The other branch is something else.
    different(3, |b, optimized| {
        let [x, y, z] = [0, 1, 2].map(|index| b.e(index));
        let c = b.0.compare(Relation::Less, x, y);
        vec![if optimized { b.0.select(c, z, x) } else { b.0.select(c, x, z) }]
    });
}

/// A binary term and what it should be next to a near miss of it.
type Binary = fn(&mut Build, Term, Term) -> Term;

#[test]
fn comparisons_meet_maxima() {
    let rows: [(&str, Binary, Binary, Binary); 6] = [
        (
            "if a < b then b else a = max(a, b), not min",
            |b, x, y| {
                let c = b.0.compare(Relation::Less, x, y);
                b.0.select(c, y, x)
            },
            |b, x, y| b.0.max(x, y),
            |b, x, y| b.0.min(x, y),
        ),
        (
            "if a ≤ b then b else a = if b < a then a else b",
            |b, x, y| {
                let c = b.0.compare(Relation::LessEqual, x, y);
                b.0.select(c, y, x)
            },
            |b, x, y| {
                let c = b.0.compare(Relation::Less, y, x);
                b.0.select(c, x, y)
            },
            |b, x, y| {
                let c = b.0.compare(Relation::Less, y, x);
                b.0.select(c, y, x)
            },
        ),
        (
            "max + min = sum, not difference",
            |b, x, y| {
                let (p, q) = (b.0.max(x, y), b.0.min(x, y));
                b.0.add(p, q)
            },
            |b, x, y| b.0.add(x, y),
            |b, x, y| b.0.sub(x, y),
        ),
        (
            "max - min = |a - b|, not |a + b|",
            |b, x, y| {
                let (p, q) = (b.0.max(x, y), b.0.min(x, y));
                b.0.sub(p, q)
            },
            |b, x, y| {
                let d = b.0.sub(x, y);
                b.f(Unary::Abs, d)
            },
            |b, x, y| {
                let d = b.0.add(x, y);
                b.f(Unary::Abs, d)
            },
        ),
        (
            "if a = b then a else b = b, not a",
            |b, x, y| {
                let c = b.0.compare(Relation::Equal, x, y);
                b.0.select(c, x, y)
            },
            |_, _, y| y,
            |_, x, _| x,
        ),
        (
            "relu as a choice, not of the negative",
            |b, x, y| {
                let c = b.0.compare(Relation::Less, Term::ZERO, x);
                let r = b.0.select(c, x, Term::ZERO);
                b.0.mul(r, y)
            },
            |b, x, y| {
                let r = b.0.max(x, Term::ZERO);
                b.0.mul(r, y)
            },
            |b, x, y| {
                let r = b.0.min(x, Term::ZERO);
                b.0.mul(r, y)
            },
        ),
    ];
    for (what, left, right, wrong) in rows {
        println!("{what}");
        let pick = |side: Binary, b: &mut Build| {
            let (x, y) = (b.e(0), b.e(1));
            vec![side(b, x, y)]
        };
        equal(2, |b, optimized| pick(if optimized { right } else { left }, b));
        different(2, |b, optimized| pick(if optimized { wrong } else { left }, b));
    }
}

#[test]
fn sorting_networks() {
    // The median of three two ways; the largest of four by a network of exchanges.
    let median = |right: bool| {
        move |b: &mut Build, optimized: bool| {
            let [x, y, z] = [0, 1, 2].map(|index| b.e(index));
            let (low, high) = (b.0.min(x, y), b.0.max(x, y));
            if optimized {
                let capped = b.0.min(high, z);
                return vec![b.0.max(low, capped)];
            }
            let (smallest, largest) = (b.0.min(low, z), b.0.max(high, z));
            let total = b.0.add(x, y);
            let total = if right { b.0.add(total, z) } else { b.0.sub(total, z) };
            let rest = b.0.sub(total, smallest);
            vec![b.0.sub(rest, largest)]
        }
    };
    equal(3, median(true));
    different(3, median(false));
}

#[test]
fn a_guarded_quotient() {
    // if x = 0 then 7 else y/x·x: 7 only where x = 0.
    let build = |value: i64| {
        move |b: &mut Build, optimized: bool| {
            let (x, y, seven) = (b.e(0), b.e(1), b.q(7, 1));
            let zero = b.0.compare(Relation::Equal, x, Term::ZERO);
            if optimized {
                let other = b.q(value, 1);
                return vec![b.0.select(zero, other, y)];
            }
            let quotient = b.0.div(y, x);
            let back = b.0.mul(quotient, x);
            vec![b.0.select(zero, seven, back)]
        }
    };
    equal(2, build(7));
    different(2, build(0));
}

#[test]
fn a_long_maximum_that_survives() {
    // ln Σe^(x-m) + m with a running maximum, against a maximum taken at once.
    for n in [4u32, 40, 100] {
        equal(n.into(), |b, optimized| {
            let mut x = b.elements(0..n);
            let largest = maximum(b, &x);
            if optimized {
                x.reverse();
                let reversed = maximum(b, &x);
                return vec![reversed, b.exp(reversed)];
            }
            // Uses of the intermediate maxima keep them apart.
            let mut total = Term::ZERO;
            let mut running = Term::MINUS_INFINITY;
            for x in x {
                let next = b.0.max(running, x);
                if running != Term::MINUS_INFINITY {
                    let step = b.0.sub(next, running);
                    total = b.0.add(total, step);
                }
                running = next;
            }
            let again = b.0.add(total, b.e(0));
            let own = b.exp(largest);
            vec![again, own]
        });
    }
}

#[test]
fn what_has_no_real_value_is_compared() {
    // NaN, whatever is added.
    equal(1, |b, optimized| {
        let (x, nan) = (b.e(0), b.0.number(Format::F32, 0x7fc0_0000));
        vec![if optimized { b.0.add(x, nan) } else { b.0.sub(x, nan) }]
    });
    // ∞, -∞, or NaN where x is 0.
    equal(1, |b, optimized| {
        let x = b.e(0);
        let up = b.0.mul(x, Term::INFINITY);
        vec![if optimized { up } else { b.0.add(up, x) }]
    });
}

#[test]
fn a_rounding_is_not_followed() {
    // A rounding is not the identity.
    undecided(1, |b, optimized| {
        let x = b.e(0);
        vec![if optimized { x } else { b.0.round(Rounding::Zero, Format::F32, x) }]
    });
}

#[test]
#[ignore = "prints times"]
fn times() {
    for (name, n) in [("softmax", 1024u64), ("softmax", 4096)] {
        let start = std::time::Instant::now();
        equal(n, |b, optimized| {
            let x = b.elements(0..n as u32);
            if optimized { online_softmax(b, &x, true) } else { naive_softmax(b, &x) }
        });
        println!("{name} {n}: {:?}", start.elapsed());
    }
    for n in [1024u64, 4096] {
        let start = std::time::Instant::now();
        equal(n, |b, optimized| layer_norm(b, n as u32, optimized, false));
        println!("layer norm {n}: {:?}", start.elapsed());
        let start = std::time::Instant::now();
        different(n, |b, optimized| layer_norm(b, n as u32, optimized, true));
        println!("wrong layer norm {n}: {:?}", start.elapsed());
    }
    let start = std::time::Instant::now();
    equal(1, |b, optimized| {
        let mut outputs = Vec::new();
        for i in 0..64u32 {
            for j in 0..64u32 {
                let mut total = Term::ZERO;
                for step in 0..1024u32 {
                    let k = if optimized { (step % 32) * 32 + step / 32 } else { step };
                    total = b.0.fma(b.e(i * 1024 + k), b.e(65536 + k * 64 + j), total);
                }
                outputs.push(total);
            }
        }
        outputs
    });
    println!("reordered 64x64x1024 product: {:?}", start.elapsed());
}
