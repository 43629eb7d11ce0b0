//! Smooth activations and activations in pieces, with their slopes, in sums over rows.

use super::*;
use crate::term::{Named, Relation};

/// `Σ w·f(x)` and `Σ u·f'(x)` over the rows.
fn over_rows(b: &mut Build, size: usize, row: impl Fn(&mut Build, Term) -> [Term; 2]) -> Vec<Term> {
    let mut all = [Term::ZERO; 2];
    for at in 0..size as u32 {
        let [value, slope] = row(b, b.e(at));
        let (w, u) = (b.e(10_000 + at), b.e(20_000 + at));
        all = [b.0.fma(value, w, all[0]), b.0.fma(slope, u, all[1])];
    }
    all.to_vec()
}

/// σ(x) and 1 - σ(x).
fn sigmoid(b: &mut Build, x: Term, form: usize) -> [Term; 2] {
    let minus = b.f(Unary::Neg, x);
    let (up, down) = (b.exp(x), b.exp(minus));
    let (above, below) = (b.add(up, Term::ONE), b.add(down, Term::ONE));
    match form {
        0 => {
            let own = b.div(Term::ONE, below);
            [own, b.sub(Term::ONE, own)]
        }
        1 => [b.div(up, above), b.0.unary(Unary::Recip, above)],
        2 => {
            let half = b.q(1, 2);
            let inner = b.mul(x, half);
            let tanh = b.f(Unary::Tanh, inner);
            let own = b.0.fma(tanh, half, half);
            [own, b.sub(Term::ONE, own)]
        }
        _ => {
            // In base 2, as fast exponentials are.
            let log2e = b.0.named(Named::Log2E);
            let scaled = b.mul(minus, log2e);
            let power = b.f(Unary::Exp2, scaled);
            let sum = b.add(Term::ONE, power);
            [b.0.unary(Unary::Recip, sum), b.div(power, sum)]
        }
    }
}

#[test]
fn silu_and_its_slope() {
    at_every_size("silu", 4, &[4, 5], |b, size, form| {
        over_rows(b, size, |b, x| {
            let [share, rest] = sigmoid(b, x, form % 4);
            let value = b.mul(x, share);
            let slope = match form {
                // σ + x·σ·(1 - σ)
                0 => {
                    let both = b.mul(share, rest);
                    b.0.fma(x, both, share)
                }
                // σ·(1 + x·(1 - σ))
                1 | 2 => {
                    let inner = b.0.fma(x, rest, Term::ONE);
                    b.mul(share, inner)
                }
                // y + σ·(1 - y)
                3 => {
                    let gap = b.sub(Term::ONE, value);
                    b.0.fma(share, gap, value)
                }
                4 => b.0.fma(value, share, share),
                _ => b.mul(share, rest),
            };
            [value, slope]
        })
    });
}

#[test]
fn gated_units() {
    // x·σ(x)·y, and its slope by y and by x.
    at_every_size("swiglu", 4, &[4], |b, size, form| {
        let mut outputs = Vec::new();
        for at in 0..size as u32 {
            let (x, y) = (b.e(at), b.e(30_000 + at));
            let [share, rest] = sigmoid(b, x, form % 4);
            let gate = if form == 4 { b.mul(y, share) } else { b.mul(x, share) };
            let own = if form % 2 == 0 {
                b.mul(gate, y)
            } else {
                let product = b.mul(x, y);
                b.mul(product, share)
            };
            let inner = b.0.fma(x, rest, Term::ONE);
            let slope = b.mul(share, inner);
            outputs.push((own, b.mul(slope, y)));
        }
        let (one, two): (Vec<Term>, Vec<Term>) = outputs.into_iter().unzip();
        vec![b.sum(&one), b.sum_of_squares(&two)]
    });
}

#[test]
fn softplus_and_its_slope() {
    at_every_size("softplus", 5, &[5, 6], |b, size, form| {
        over_rows(b, size, |b, x| {
            let minus = b.f(Unary::Neg, x);
            let of = |b: &mut Build, exponent: Term| {
                let power = b.exp(exponent);
                let sum = b.add(Term::ONE, power);
                b.ln(sum)
            };
            let value = match form {
                0 | 5 => of(b, x),
                1 => {
                    let log = of(b, minus);
                    b.add(x, log)
                }
                2 => {
                    let size = b.abs(x);
                    let size = b.f(Unary::Neg, size);
                    let (max, log) = (b.0.max(x, Term::ZERO), of(b, size));
                    b.add(max, log)
                }
                3 => {
                    // -ln (1 - σ(x))
                    let [_, rest] = sigmoid(b, x, 0);
                    let log = b.ln(rest);
                    b.f(Unary::Neg, log)
                }
                _ => {
                    // x - ln σ(x)
                    let [share, _] = sigmoid(b, x, 2);
                    let log = b.ln(share);
                    b.sub(x, log)
                }
            };
            let [share, rest] = sigmoid(b, x, form % 4);
            [if form == 6 { b.add(value, x) } else { value }, if form == 5 { rest } else { share }]
        })
    });
}

#[test]
fn mish_and_its_slope() {
    // x·t with t = tanh(ln(1 + e^x)); its slope is t + x·(1 - t²)·σ.
    at_every_size("mish", 4, &[4, 5], |b, size, form| {
        over_rows(b, size, |b, x| {
            let (power, two) = (b.exp(x), b.q(2, 1));
            let t = match form {
                0 | 4 => {
                    let sum = b.add(Term::ONE, power);
                    let log = b.ln(sum);
                    b.f(Unary::Tanh, log)
                }
                1 | 5 => {
                    // (w² - 1)/(w² + 1)
                    let w = b.add(Term::ONE, power);
                    let square = b.mul(w, w);
                    let (above, below) = (b.sub(square, Term::ONE), b.add(square, Term::ONE));
                    b.div(above, below)
                }
                2 => {
                    // n/(n + 2) with n = e^x·(e^x + 2)
                    let more = b.add(power, two);
                    let n = b.mul(power, more);
                    let below = b.add(n, two);
                    b.div(n, below)
                }
                _ => {
                    // 1 - 2/(w² + 1)
                    let w = b.add(power, Term::ONE);
                    let below = b.0.fma(w, w, Term::ONE);
                    let part = b.div(two, below);
                    b.sub(Term::ONE, part)
                }
            };
            let [share, _] = sigmoid(b, x, form % 4);
            let square = if form == 4 { t } else { b.mul(t, t) };
            let rest = b.sub(Term::ONE, square);
            let steep = b.mul(rest, share);
            let slope = b.0.fma(x, steep, t);
            [b.mul(if form == 5 { power } else { x }, t), slope]
        })
    });
}

fn above_zero(b: &mut Build, x: Term, strict: bool) -> Term {
    b.0.compare(if strict { Relation::Less } else { Relation::LessEqual }, Term::ZERO, x)
}

#[test]
fn exponential_units_in_rows() {
    // x where x is positive, a·(e^x - 1) below; α = 7/4 and λ = 21/20 around both (SELU).
    at_every_size("selu", 5, &[5, 6], |b, size, form| {
        let mut sum = Term::ZERO;
        for at in 0..size as u32 {
            let x = b.e(at);
            let (alpha, lambda) = (b.q(7, 4), b.q(21, 20));
            let min = b.0.min(x, Term::ZERO);
            let power = b.exp(if form == 3 { min } else { x });
            let gap = b.sub(power, Term::ONE);
            let low = b.mul(gap, if form == 5 { lambda } else { alpha });
            let own = match form {
                0 | 5 => {
                    let c = above_zero(b, x, true);
                    b.0.select(c, x, low)
                }
                1 => {
                    let c = above_zero(b, x, false);
                    b.0.select(c, x, low)
                }
                2 => {
                    let (up, down) = (b.0.max(x, Term::ZERO), b.0.min(low, Term::ZERO));
                    b.add(up, down)
                }
                3 => {
                    let up = b.0.max(x, Term::ZERO);
                    b.add(up, low)
                }
                4 => {
                    // Each part by a branch of its own.
                    let (c, zero) = (above_zero(b, x, true), Term::ZERO);
                    let (up, down) = (b.0.select(c, x, zero), b.0.select(c, zero, low));
                    b.add(up, down)
                }
                _ => {
                    let c = above_zero(b, x, true);
                    b.0.select(c, low, x)
                }
            };
            let own = b.mul(own, lambda);
            sum = b.0.fma(own, b.e(10_000 + at), sum);
        }
        vec![sum]
    });
}

#[test]
fn leaky_units_in_rows() {
    at_every_size("leaky", 6, &[6, 7], |b, size, form| {
        let mut sum = Term::ZERO;
        for at in 0..size as u32 {
            let (x, slope, rest) = (b.e(at), b.q(1, 100), b.q(99, 100));
            let small = b.mul(x, slope);
            let own = match form {
                0 => b.0.max(x, small),
                1 | 6 => {
                    let c = above_zero(b, x, true);
                    if form == 6 { b.0.select(c, small, x) } else { b.0.select(c, x, small) }
                }
                2 => {
                    let c = above_zero(b, x, false);
                    let factor = b.0.select(c, Term::ONE, slope);
                    b.mul(x, factor)
                }
                3 => {
                    let (up, down) = (b.0.max(x, Term::ZERO), b.0.min(x, Term::ZERO));
                    b.0.fma(down, slope, up)
                }
                4 => {
                    let up = b.0.max(x, Term::ZERO);
                    b.0.fma(up, rest, small)
                }
                5 => {
                    // x·(1 + s)/2 + |x|·(1 - s)/2
                    let (size, p, q) = (b.abs(x), b.q(101, 200), b.q(99, 200));
                    let part = b.mul(size, q);
                    b.0.fma(x, p, part)
                }
                _ => {
                    let up = b.0.max(x, Term::ZERO);
                    b.add(up, small)
                }
            };
            sum = b.0.fma(own, b.e(10_000 + at), sum);
        }
        vec![sum, b.exp(sum)]
    });
}
