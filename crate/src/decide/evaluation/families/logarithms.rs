//! Log-sum-exp, log-softmax, cross-entropy, softplus, mish.

use super::*;
use crate::term::Named;

#[derive(Clone, Copy)]
enum Lse {
    Plain,
    Maximum,
    /// Another row's element in the place of the maximum.
    Stranger,
    Tiled(usize),
    Halves,
    /// Halves, each finished, merged from their logarithms.
    Merged,
    Base2,
    /// Hostile: a tile that is not rescaled; an element twice; the maximum forgotten; ln for log₂.
    Forgetful,
    Twice,
    NoMaximum,
    Wrong2,
}

/// `ln Σ e^x`.
fn lse(b: &mut Build, x: &[Term], form: Lse) -> Term {
    match form {
        Lse::Plain => {
            let e: Vec<Term> = x.iter().map(|x| b.exp(*x)).collect();
            let sum = b.sum(&e);
            b.ln(sum)
        }
        Lse::Maximum | Lse::Stranger | Lse::NoMaximum | Lse::Twice => {
            let max = if matches!(form, Lse::Stranger) { b.e(999_999) } else { b.max(x) };
            let mut e: Vec<Term> = x.iter().map(|x| b.exp_of(*x, max)).collect();
            if matches!(form, Lse::Twice) {
                e.push(e[x.len() / 2]);
            }
            let sum = b.sum(&e);
            let log = b.ln(sum);
            if matches!(form, Lse::NoMaximum) { log } else { b.add(max, log) }
        }
        Lse::Tiled(_) | Lse::Forgetful => {
            let tile = if let Lse::Tiled(tile) = form { tile } else { 2 };
            let (mut sum, mut max) = (Term::ZERO, Term::MINUS_INFINITY);
            for (at, x) in x.chunks(tile).enumerate() {
                let of_tile = b.max(x);
                let next = b.0.max(max, of_tile);
                let rescale = b.exp_of(max, next);
                let e: Vec<Term> = x.iter().map(|x| b.exp_of(*x, next)).collect();
                let more = b.sum(&e);
                let forget = matches!(form, Lse::Forgetful) && at == 1;
                sum = if forget { b.add(sum, more) } else { b.0.fma(sum, rescale, more) };
                max = next;
            }
            let log = b.ln(sum);
            b.add(log, max)
        }
        Lse::Halves | Lse::Merged if x.len() > 1 => {
            let (one, two) = x.split_at(x.len() / 2);
            let (one, two) = (lse(b, one, form), lse(b, two, form));
            let max = b.0.max(one, two);
            if matches!(form, Lse::Halves) {
                // The larger is not needed: any shift will do.
                let (e, f) = (b.exp(one), b.exp(two));
                let sum = b.add(e, f);
                return b.ln(sum);
            }
            let (e, f) = (b.exp_of(one, max), b.exp_of(two, max));
            let sum = b.add(e, f);
            let log = b.ln(sum);
            b.add(max, log)
        }
        Lse::Halves | Lse::Merged => x[0],
        Lse::Base2 | Lse::Wrong2 => {
            let (log2e, ln2) = (b.0.named(Named::Log2E), b.0.named(Named::Ln2));
            let y: Vec<Term> = x.iter().map(|x| b.mul(*x, log2e)).collect();
            let max = b.max(&y);
            let e: Vec<Term> = y
                .iter()
                .map(|y| {
                    let gap = b.sub(*y, max);
                    b.f(Unary::Exp2, gap)
                })
                .collect();
            let sum = b.sum(&e);
            let log = b.f(if matches!(form, Lse::Base2) { Unary::Log2 } else { Unary::Log }, sum);
            let all = b.add(log, max);
            b.mul(all, ln2)
        }
    }
}

const LSE: [Lse; 8] = [
    Lse::Plain,
    Lse::Maximum,
    Lse::Stranger,
    Lse::Tiled(1),
    Lse::Tiled(5),
    Lse::Halves,
    Lse::Merged,
    Lse::Base2,
];

fn check_all(
    what: &str,
    size: usize,
    equal: bool,
    forms: &[Lse],
    build: fn(&mut Build, Lse, usize) -> Vec<Term>,
) {
    let built: Vec<_> = forms.iter().map(|form| move |b: &mut Build| build(b, *form, size)).collect();
    let forms: Vec<Formulation<'_>> = built.iter().map(|form| form as Formulation<'_>).collect();
    let what = format!("{what} of {size}");
    if equal { alike(&what, &forms) } else { apart(&what, &forms) }
}

const HOSTILE: [Lse; 5] = [Lse::Plain, Lse::Forgetful, Lse::Twice, Lse::NoMaximum, Lse::Wrong2];

#[test]
fn log_sum_exp() {
    for size in SIZES {
        check_all("log-sum-exp", size, true, &LSE, |b, form, size| {
            let x = b.elements(0, size);
            vec![lse(b, &x, form)]
        });
    }
    for size in [3, 4, 17] {
        check_all("log-sum-exp", size, false, &HOSTILE, |b, form, size| {
            let x = b.elements(0, size);
            vec![lse(b, &x, form)]
        });
    }
}

#[test]
fn log_softmax_cross_entropy_and_the_way_back() {
    let build: fn(&mut Build, Lse, usize) -> Vec<Term> = |b, form, size| {
        let (x, t) = (b.elements(0, size), b.elements(10_000, size));
        let lse = lse(b, &x, form);
        let log_softmax = b.sub(x[0], lse);
        // e^(x - lse), its gradient, and Σ t·(lse - x).
        let soft = b.exp_of(x[size - 1], lse);
        let gradient = b.sub(soft, t[0]);
        let losses: Vec<Term> = x.iter().map(|x| b.sub(lse, *x)).collect();
        let loss = b.dot(&losses, &t);
        let twice = b.add(log_softmax, log_softmax);
        let square = b.exp(twice);
        vec![log_softmax, soft, gradient, loss, square]
    };
    for size in SIZES {
        check_all("log-softmax", size, true, &LSE, build);
    }
    check_all("log-softmax", 9, false, &HOSTILE, build);
    // Softmax by division.
    for size in [1, 2, 7, 40] {
        let by_division = |b: &mut Build| {
            let x = b.elements(0, size);
            let e: Vec<Term> = x.iter().map(|x| b.exp(*x)).collect();
            let sum = b.sum(&e);
            let soft = b.div(e[0], sum);
            let log = b.ln(soft);
            vec![soft, log]
        };
        let by_logarithm = |b: &mut Build| {
            let x = b.elements(0, size);
            let lse = lse(b, &x, Lse::Maximum);
            let log = b.sub(x[0], lse);
            vec![b.exp(log), log]
        };
        alike("softmax", &[&by_division, &by_logarithm]);
    }
}

#[test]
fn logarithms_of_products_and_powers() {
    let x = |b: &Build| b.e(0);
    alike(
        "ln x² y/z",
        &[
            &|b| {
                let square = b.mul(x(b), x(b));
                let above = b.mul(square, b.e(1));
                let whole = b.div(above, b.e(2));
                vec![b.ln(whole)]
            },
            &|b| {
                let two = b.q(2, 1);
                let (s, l, m) = (b.abs(x(b)), b.ln(b.e(1)), b.ln(b.e(2)));
                let log = b.ln(s);
                let part = b.0.fma(two, log, l);
                vec![b.sub(part, m)]
            },
            &|b| {
                let quotient = b.div(b.e(1), b.e(2));
                let root = b.sqrt(quotient);
                let whole = b.mul(x(b), root);
                let log = b.ln(whole);
                vec![b.add(log, log)]
            },
        ],
    );
    alike(
        "ln 12·s - ln 3",
        &[
            &|b| {
                let (e, f, twelve) = (b.exp(b.e(0)), b.exp(b.e(1)), b.q(12, 1));
                let sum = b.add(e, f);
                let scaled = b.mul(sum, twelve);
                let three = b.q(3, 1);
                let (l, m) = (b.ln(scaled), b.ln(three));
                vec![b.sub(l, m)]
            },
            &|b| {
                let (e, f, two) = (b.exp(b.e(0)), b.exp(b.e(1)), b.0.named(Named::Ln2));
                let sum = b.add(e, f);
                let l = b.ln(sum);
                let m = b.add(two, two);
                vec![b.add(l, m)]
            },
        ],
    );
    // Near misses: another base, another power, a sum for a product, one for the other.
    apart(
        "logarithms",
        &[
            &|b| vec![b.ln(b.e(0))],
            &|b| vec![b.f(Unary::Log2, b.e(0))],
            &|b| {
                let square = b.mul(b.e(0), b.e(0));
                vec![b.ln(square)]
            },
            &|b| {
                let sum = b.add(b.e(0), b.e(1));
                vec![b.ln(sum)]
            },
            &|b| {
                let (l, m) = (b.ln(b.e(0)), b.ln(b.e(1)));
                vec![b.add(l, m)]
            },
            &|b| {
                let (l, m) = (b.ln(b.e(0)), b.ln(b.e(1)));
                vec![b.mul(l, m)]
            },
            &|b| {
                let twice = b.add(b.e(0), b.e(0));
                vec![b.ln(twice)]
            },
            &|b| {
                let three = b.q(3, 1);
                let scaled = b.mul(b.e(0), three);
                vec![b.ln(scaled)]
            },
            &|b| {
                let log = b.ln(b.e(0));
                vec![b.exp(log)]
            },
            &|b| {
                let next = b.add(b.e(0), Term::ONE);
                vec![b.ln(next)]
            },
            &|b| {
                let small = b.q(10_000_001, 10_000_000);
                let scaled = b.mul(b.e(0), small);
                vec![b.ln(scaled)]
            },
        ],
    );
}

#[test]
fn logarithms_deep_inside_exponents() {
    let deep = |b: &mut Build, form: usize| {
        let x = b.e(0);
        let s = match form {
            0 => b.exp(x),
            1 => b.exp(b.e(1)),
            2 => {
                let e = b.exp(x);
                b.add(e, Term::ONE)
            }
            _ => Term::ONE,
        };
        let log = b.ln(s);
        // No constant multiple, so that the logarithm's own value counts.
        let h = b.mul(log, b.e(2));
        let power = b.exp(h);
        let power = b.exp(power);
        vec![b.exp(power)]
    };
    apart("e^e^e^(y·ln s)", &[&|b| deep(b, 0), &|b| deep(b, 1), &|b| deep(b, 2), &|b| deep(b, 3)]);
    let plain = |b: &mut Build| {
        let h = b.mul(b.e(0), b.e(2));
        let power = b.exp(h);
        let power = b.exp(power);
        vec![b.exp(power)]
    };
    alike("e^e^e^(y·x)", &[&|b| deep(b, 0), &plain]);
}

#[test]
fn softplus_and_mish() {
    let softplus = |b: &mut Build, form: usize| {
        let (x, zero) = (b.e(0), Term::ZERO);
        match form {
            0 => {
                let e = b.exp(x);
                let sum = b.add(e, Term::ONE);
                b.ln(sum)
            }
            1 => {
                let n = b.sub(zero, x);
                let e = b.exp(n);
                let sum = b.add(e, Term::ONE);
                let log = b.ln(sum);
                b.add(x, log)
            }
            2 => {
                // -ln σ(-x)
                let e = b.exp(x);
                let sum = b.add(e, Term::ONE);
                let sigmoid = b.0.unary(Unary::Recip, sum);
                let log = b.ln(sigmoid);
                b.sub(zero, log)
            }
            _ => {
                // 2·ln √(1 + e^x)
                let e = b.exp(x);
                let sum = b.add(e, Term::ONE);
                let root = b.sqrt(sum);
                let log = b.ln(root);
                b.add(log, log)
            }
        }
    };
    let mish = move |b: &mut Build, form: usize| {
        if form == 4 {
            let (e, two) = (b.exp(b.e(0)), b.q(2, 1));
            let more = b.add(e, two);
            let n = b.mul(e, more);
            let below = b.add(n, two);
            let t = b.div(n, below);
            let s = softplus(b, 0);
            return vec![s, b.mul(b.e(0), t)];
        }
        let s = softplus(b, form);
        let t = b.f(Unary::Tanh, s);
        vec![s, b.mul(b.e(0), t)]
    };
    alike("mish", &[&|b| mish(b, 0), &|b| mish(b, 1), &|b| mish(b, 2), &|b| mish(b, 3), &|b| mish(b, 4)]);
    apart(
        "softplus",
        &[
            &|b| vec![softplus(b, 0)],
            &|b| {
                let s = softplus(b, 0);
                vec![b.sub(s, b.e(0))]
            },
            &|b| {
                let e = b.exp(b.e(0));
                vec![b.ln(e)]
            },
        ],
    );
}
