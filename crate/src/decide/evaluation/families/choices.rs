//! Choices that two formulations take at different places: before or after what is made of them.

use super::*;
use crate::term::Relation;

/// How a step of online softmax chooses.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    Max,
    /// Both factors chosen.
    Factors,
    /// One power, of what is not the larger; `+ 1` behind the choice.
    Hoisted,
    /// e^-|s - m|.
    Size,
    /// The larger and the smaller, and the power of their difference.
    Sorted,
    /// As `Hoisted`, rescaled in the wrong branch at the last key.
    Exchanged,
    /// As `Size`, at the last key the new weight is 1 in both branches.
    Surplus,
}

/// `Σ e^(s-m) v`, `Σ e^(s-m)`, and m.
fn online(b: &mut Build, s: &[Term], v: &[Term], form: Step) -> [Term; 3] {
    let (mut above, mut below, mut max) = (v[0], Term::ONE, s[0]);
    let count = v.len();
    for (at, (s, v)) in s.iter().zip(v).enumerate().skip(1) {
        let c = b.0.compare(Relation::Less, max, *s);
        let (old, new, next) = match form {
            Step::Max => {
                let next = b.0.max(max, *s);
                (b.exp_of(max, next), b.exp_of(*s, next), next)
            }
            Step::Factors => {
                let (old, new) = (b.exp_of(max, *s), b.exp_of(*s, max));
                (b.0.select(c, old, Term::ONE), b.0.select(c, Term::ONE, new), b.0.select(c, *s, max))
            }
            Step::Hoisted | Step::Exchanged => {
                let (low, high) = (b.0.select(c, max, *s), b.0.select(c, *s, max));
                let e = b.exp_of(low, high);
                let (x, y) =
                    if form == Step::Exchanged && at == count - 1 { (Term::ONE, e) } else { (e, Term::ONE) };
                (b.0.select(c, x, y), b.0.select(c, y, x), high)
            }
            Step::Size | Step::Surplus => {
                let gap = b.sub(*s, max);
                let size = b.f(Unary::Abs, gap);
                let size = b.f(Unary::Neg, size);
                let e = b.exp(size);
                let c = b.0.compare(Relation::LessEqual, *s, max);
                let surplus = form == Step::Surplus && at == count - 1;
                let new = if surplus { Term::ONE } else { e };
                (b.0.select(c, Term::ONE, e), b.0.select(c, new, Term::ONE), b.0.max(*s, max))
            }
            Step::Sorted => {
                let (low, high) = (b.0.min(max, *s), b.0.max(max, *s));
                let e = b.exp_of(low, high);
                (b.0.select(c, e, Term::ONE), b.0.select(c, Term::ONE, e), high)
            }
        };
        let part = b.mul(new, *v);
        above = b.0.fma(above, old, part);
        below = match form {
            Step::Hoisted => {
                // l·e + 1 or l + e, the sum behind the choice.
                let (x, e) = (b.mul(below, old), b.0.select(c, Term::ONE, new));
                let x = b.0.select(c, x, below);
                b.add(x, e)
            }
            _ => b.0.fma(below, old, new),
        };
        max = next;
    }
    [above, below, max]
}

const STEPS: [Step; 5] = [Step::Max, Step::Factors, Step::Hoisted, Step::Size, Step::Sorted];

fn check_online(what: &str, size: usize, build: fn(&mut Build, [Term; 3], Term) -> Term) {
    let of = |b: &mut Build, form: Step| {
        let (s, v) = (b.elements(0, size), b.elements(10_000, size));
        let whole = online(b, &s, &v, form);
        vec![build(b, whole, s[0])]
    };
    for form in STEPS {
        let equal = proves(|b, optimized| of(b, if optimized { form } else { Step::Max }));
        assert!(equal, "{what} of {size}, {form:?}");
    }
    if (3..20).contains(&size) {
        for wrong in [Step::Exchanged, Step::Surplus] {
            for form in STEPS {
                let equal = proves(|b, optimized| of(b, if optimized { wrong } else { form }));
                assert!(!equal, "{what} of {size}, {wrong:?} and {form:?}");
            }
        }
    }
}

#[test]
fn online_softmax_with_hoisted_choices() {
    for size in SIZES {
        check_online("attention", size, |b, [above, below, _], _| b.div(above, below));
        check_online("sum", size, |_, [_, below, _], _| below);
    }
}

#[test]
fn logarithms_of_online_sums_with_hoisted_choices() {
    for size in SIZES {
        check_online("log-sum-exp", size, |b, [_, below, max], _| {
            let log = b.ln(below);
            b.add(log, max)
        });
        check_online("cross-entropy", size, |b, [_, below, max], first| {
            let log = b.ln(below);
            let gap = b.sub(first, max);
            b.sub(log, gap)
        });
    }
}

/// How logaddexp is written.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Lae {
    /// ln(e^a + e^b), from the start: ln Σ e^x.
    Sum,
    /// max + ln(1 + e^-|a - b|).
    Size,
    /// max + ln(1 + e^(min - max)).
    Sorted,
    /// a > b ? a + ln(1 + e^(b - a)) : b + ln(1 + e^(a - b)).
    Branch,
    /// The larger by a choice, the power by another.
    Mixed,
    /// a + ln(1 + e^(b - a)).
    Plain,
    /// max + ln(e^(a - max) + e^(b - max)).
    Both,
    /// As `Size`, at one place without the minus; as `Branch`, one branch exchanged.
    Wrong,
    Crossed,
}

fn chained(b: &mut Build, x: &[Term], form: Lae) -> Term {
    if form == Lae::Sum {
        let e: Vec<Term> = x.iter().map(|x| b.exp(*x)).collect();
        let sum = b.sum(&e);
        return b.ln(sum);
    }
    let one_more = |b: &mut Build, power: Term| {
        let sum = b.add(power, Term::ONE);
        b.ln(sum)
    };
    let mut all = x[0];
    for (at, x) in x.iter().enumerate().skip(1) {
        let wrong = at == 1;
        let c = b.0.compare(Relation::Less, *x, all);
        all = match form {
            Lae::Size | Lae::Wrong => {
                let (gap, max) = (b.sub(all, *x), b.0.max(all, *x));
                let size = b.f(Unary::Abs, gap);
                let size = if form == Lae::Wrong && wrong { size } else { b.f(Unary::Neg, size) };
                let power = b.exp(size);
                let log = one_more(b, power);
                b.add(max, log)
            }
            Lae::Sorted => {
                let (min, max) = (b.0.min(all, *x), b.0.max(all, *x));
                let power = b.exp_of(min, max);
                let log = one_more(b, power);
                b.add(max, log)
            }
            Lae::Branch | Lae::Crossed => {
                let (up, down) = (b.exp_of(*x, all), b.exp_of(all, *x));
                let (up, down) = if form == Lae::Crossed && wrong { (down, up) } else { (up, down) };
                let (up, down) = (one_more(b, up), one_more(b, down));
                let (up, down) = (b.add(up, all), b.add(down, *x));
                b.0.select(c, up, down)
            }
            Lae::Mixed => {
                let max = b.0.select(c, all, *x);
                let gap = b.sub(*x, all);
                let other = b.f(Unary::Neg, gap);
                let c = b.0.compare(Relation::LessEqual, *x, all);
                let gap = b.0.select(c, gap, other);
                let power = b.exp(gap);
                let log = one_more(b, power);
                b.add(log, max)
            }
            Lae::Plain => {
                let power = b.exp_of(*x, all);
                let log = one_more(b, power);
                b.add(all, log)
            }
            Lae::Both => {
                let max = b.0.max(all, *x);
                let (e, f) = (b.exp_of(all, max), b.exp_of(*x, max));
                let sum = b.add(e, f);
                let log = b.ln(sum);
                b.add(max, log)
            }
            Lae::Sum => unreachable!("not chained"),
        };
    }
    all
}

#[test]
fn chained_logaddexp() {
    let right = [Lae::Plain, Lae::Size, Lae::Sorted, Lae::Branch, Lae::Mixed, Lae::Both];
    for size in SIZES {
        for form in right {
            let equal = proves(|b, optimized| {
                let x = b.elements(0, size);
                vec![chained(b, &x, if optimized { form } else { Lae::Sum })]
            });
            assert!(equal, "{size}, {form:?}");
        }
    }
    for size in 2..20 {
        for wrong in [Lae::Wrong, Lae::Crossed] {
            for form in right {
                let equal = proves(|b, optimized| {
                    let x = b.elements(0, size);
                    vec![chained(b, &x, if optimized { wrong } else { form })]
                });
                assert!(!equal, "{size}, {wrong:?} and {form:?}");
            }
        }
    }
}

type Form = fn(&mut Build, Term) -> Term;

/// All forms are equal for single elements, and none is what stands beside them.
fn family(name: &str, equal: &[Form], different: &[Form]) {
    for (at, first) in equal.iter().enumerate() {
        for (place, second) in equal.iter().enumerate() {
            let same = proves(|b, optimized| {
                let x = b.e(0);
                vec![if optimized { second(b, x) } else { first(b, x) }]
            });
            assert!(same, "{name}: {at} and {place}");
        }
        for (place, other) in different.iter().enumerate() {
            let same = proves(|b, optimized| {
                let x = b.e(0);
                vec![if optimized { other(b, x) } else { first(b, x) }]
            });
            assert!(!same, "{name}: {at} and the wrong {place}");
        }
    }
}

fn is_above(b: &mut Build, a: Term, c: Term) -> Term {
    b.0.compare(Relation::Less, c, a)
}

#[test]
fn softplus() {
    fn of_power(b: &mut Build, exponent: Term) -> Term {
        let power = b.exp(exponent);
        let sum = b.add(Term::ONE, power);
        b.ln(sum)
    }
    fn by_size(b: &mut Build, x: Term) -> Term {
        let size = b.f(Unary::Abs, x);
        let size = b.f(Unary::Neg, size);
        let (max, log) = (b.0.max(x, Term::ZERO), of_power(b, size));
        b.add(max, log)
    }
    family(
        "softplus",
        &[
            of_power,
            by_size,
            |b, x| {
                let (minus, c) = (b.f(Unary::Neg, x), is_above(b, x, Term::ZERO));
                let (low, high) = (of_power(b, minus), of_power(b, x));
                let low = b.add(low, x);
                b.0.select(c, low, high)
            },
            |b, x| {
                let (minus, c) = (b.f(Unary::Neg, x), is_above(b, x, Term::ZERO));
                let other = b.0.select(c, minus, x);
                let (log, max) = (of_power(b, other), b.0.select(c, x, Term::ZERO));
                b.add(log, max)
            },
        ],
        &[
            // By a threshold.
            |b, x| {
                let border = b.q(20, 1);
                let c = is_above(b, x, border);
                let log = of_power(b, x);
                b.0.select(c, x, log)
            },
            |b, x| {
                let size = b.f(Unary::Abs, x);
                let (max, log) = (b.0.max(x, Term::ZERO), of_power(b, size));
                b.add(max, log)
            },
        ],
    );
}

#[test]
fn increasing_functions_of_maxima() {
    for function in [Unary::Exp, Unary::Exp2, Unary::Log, Unary::Sqrt, Unary::Tanh, Unary::Cbrt] {
        for size in [1, 2, 3, 7, 70, 1000] {
            for largest in [true, false] {
                let choose = |b: &mut Build, all: &[Term], form: usize| {
                    all.iter().skip(1).fold(all[0], |best, next| match (form, largest) {
                        (0, true) => b.0.max(best, *next),
                        (0, false) => b.0.min(best, *next),
                        (_, up) => {
                            let c = if up { is_above(b, *next, best) } else { is_above(b, best, *next) };
                            b.0.select(c, *next, best)
                        }
                    })
                };
                let whole = |b: &mut Build, form: usize| {
                    let x = b.elements(0, size);
                    let inside =
                        |b: &mut Build| -> Vec<Term> { x.iter().map(|x| b.f(function, *x)).collect() };
                    vec![match form {
                        0 | 1 => {
                            let best = choose(b, &x, form);
                            b.f(function, best)
                        }
                        _ => {
                            let all = inside(b);
                            choose(b, &all, form - 2)
                        }
                    }]
                };
                for form in 1..4 {
                    let equal = proves(|b, optimized| whole(b, if optimized { form } else { 0 }));
                    assert!(equal, "{function:?} of {size}, {form}, largest {largest}");
                }
            }
        }
    }
    family(
        "the other one",
        &[|b, x| {
            let max = b.0.max(x, b.e(1));
            b.exp(max)
        }],
        &[
            |b, x| {
                let (x, y) = (b.exp(x), b.exp(b.e(1)));
                b.0.min(x, y)
            },
            |b, x| {
                let (x, y) = (b.f(Unary::Exp2, x), b.f(Unary::Exp2, b.e(1)));
                b.0.max(x, y)
            },
        ],
    );
}

#[test]
fn activations_in_pieces() {
    // α·(e^x - 1)
    fn low(b: &mut Build, x: Term) -> Term {
        let (power, alpha) = (b.exp(x), b.q(7, 4));
        let gap = b.sub(power, Term::ONE);
        b.mul(gap, alpha)
    }
    fn pieces(b: &mut Build, x: Term, below: Term) -> Term {
        let (up, down) = (b.0.max(x, Term::ZERO), b.0.min(below, Term::ZERO));
        b.add(up, down)
    }
    let elu: [Form; 4] = [
        |b, x| {
            let below = low(b, x);
            pieces(b, x, below)
        },
        |b, x| {
            let (below, c) = (low(b, x), is_above(b, x, Term::ZERO));
            b.0.select(c, x, below)
        },
        |b, x| {
            let (below, c) = (low(b, x), b.0.compare(Relation::LessEqual, Term::ZERO, x));
            b.0.select(c, x, below)
        },
        |b, x| {
            let min = b.0.min(x, Term::ZERO);
            let (below, max) = (low(b, min), b.0.max(x, Term::ZERO));
            b.add(max, below)
        },
    ];
    family(
        "elu",
        &elu,
        &[
            |b, x| {
                let (below, c) = (low(b, x), is_above(b, x, Term::ONE));
                b.0.select(c, x, below)
            },
            |b, x| {
                let (power, alpha) = (b.exp(x), b.q(7, 4));
                let gap = b.sub(power, alpha);
                pieces(b, x, gap)
            },
        ],
    );
    // In base 2, as fast exponentials are.
    family(
        "elu of base 2",
        &[
            |b, x| {
                let log2e = b.0.named(crate::term::Named::Log2E);
                let scaled = b.mul(x, log2e);
                let power = b.f(Unary::Exp2, scaled);
                let (alpha, beta) = (b.q(3, 2), b.q(-3, 2));
                let below = b.0.fma(power, alpha, beta);
                pieces(b, x, below)
            },
            |b, x| {
                let (power, alpha, c) = (b.exp(x), b.q(3, 2), is_above(b, x, Term::ZERO));
                let gap = b.sub(power, Term::ONE);
                let below = b.mul(gap, alpha);
                b.0.select(c, x, below)
            },
        ],
        &[|b, x| {
            let (power, alpha, c) = (b.f(Unary::Exp2, x), b.q(3, 2), is_above(b, x, Term::ZERO));
            let gap = b.sub(power, Term::ONE);
            let below = b.mul(gap, alpha);
            b.0.select(c, x, below)
        }],
    );
    family(
        "power of a maximum",
        &[
            |b, x| {
                let max = b.0.max(x, b.e(1));
                b.exp(max)
            },
            |b, x| {
                let log2e = b.0.named(crate::term::Named::Log2E);
                let (x, y) = (b.mul(x, log2e), b.mul(b.e(1), log2e));
                let (x, y) = (b.f(Unary::Exp2, x), b.f(Unary::Exp2, y));
                b.0.max(x, y)
            },
        ],
        &[|b, x| {
            let minus = b.q(-1, 2);
            let (x, y) = (b.mul(x, minus), b.mul(b.e(1), minus));
            let max = b.0.max(x, y);
            let minus = b.q(-2, 1);
            let max = b.mul(max, minus);
            b.exp(max)
        }],
    );
    family(
        "leaky",
        &[
            |b, x| {
                let slope = b.q(1, 100);
                let below = b.mul(slope, x);
                b.0.max(x, below)
            },
            |b, x| {
                let slope = b.q(1, 100);
                let (up, down) = (b.0.max(x, Term::ZERO), b.0.min(x, Term::ZERO));
                b.0.fma(slope, down, up)
            },
            |b, x| {
                let slope = b.q(1, 100);
                let (below, c) = (b.mul(slope, x), is_above(b, x, Term::ZERO));
                b.0.select(c, x, below)
            },
        ],
        &[|b, x| {
            let slope = b.q(1, 100);
            let below = b.mul(slope, x);
            b.0.min(x, below)
        }],
    );
    family(
        "sigmoid",
        &[
            |b, x| {
                let minus = b.f(Unary::Neg, x);
                let power = b.exp(minus);
                let sum = b.add(Term::ONE, power);
                b.div(Term::ONE, sum)
            },
            |b, x| {
                let size = b.f(Unary::Abs, x);
                let size = b.f(Unary::Neg, size);
                let power = b.exp(size);
                let sum = b.add(Term::ONE, power);
                let c = is_above(b, x, Term::ZERO);
                let above = b.0.select(c, Term::ONE, power);
                b.div(above, sum)
            },
        ],
        &[|b, x| {
            let size = b.f(Unary::Abs, x);
            let power = b.exp(size);
            let sum = b.add(Term::ONE, power);
            let c = is_above(b, x, Term::ZERO);
            let above = b.0.select(c, Term::ONE, power);
            b.div(above, sum)
        }],
    );
    family(
        "size of a product",
        &[
            |b, x| {
                let product = b.mul(x, b.e(1));
                b.f(Unary::Abs, product)
            },
            |b, x| {
                let (x, y) = (b.f(Unary::Abs, x), b.f(Unary::Abs, b.e(1)));
                b.mul(x, y)
            },
        ],
        &[|b, x| {
            let x = b.f(Unary::Abs, x);
            b.mul(x, b.e(1))
        }],
    );
}

#[test]
fn borders_are_carried_as_they_are() {
    // [x ≥ 0] - [x > 0] is 1 at x = 0 alone, and so is what is made of it.
    let at_zero: Form = |b, x| {
        let (one, two) = (b.0.compare(Relation::LessEqual, Term::ZERO, x), is_above(b, x, Term::ZERO));
        let (one, two) = (b.0.select(one, Term::ONE, Term::ZERO), b.0.select(two, Term::ONE, Term::ZERO));
        b.sub(one, two)
    };
    let none: Form = |_, _| Term::ZERO;
    family("at zero", &[at_zero], &[none]);
    // The border in the two parts of one formula: 1 + [x > 0] + [x < 0] is 1 at x = 0.
    let parted: Form = |b, x| {
        let (up, down) = (is_above(b, x, Term::ZERO), is_above(b, Term::ZERO, x));
        let (up, down) = (b.0.select(up, b.e(1), Term::ZERO), b.0.select(down, b.e(1), Term::ZERO));
        b.add(up, down)
    };
    let whole: Form = |b, _| b.e(1);
    family("parted", &[parted], &[whole]);
    // A weak and a strict border, hidden in a power.
    let weak: Form = |b, x| {
        let c = is_above(b, x, Term::ZERO);
        let v = b.0.select(c, b.e(1), b.e(2));
        b.exp(v)
    };
    let strict: Form = |b, x| {
        let c = b.0.compare(Relation::LessEqual, Term::ZERO, x);
        let (y, z) = (b.exp(b.e(1)), b.exp(b.e(2)));
        b.0.select(c, y, z)
    };
    let same: Form = |b, x| {
        let c = is_above(b, x, Term::ZERO);
        let (y, z) = (b.exp(b.e(1)), b.exp(b.e(2)));
        b.0.select(c, y, z)
    };
    family("in a power", &[weak, same], &[strict]);
}
