//! Gradients of softmax, attention, layer and RMS norm, GELU; variances merged from parts.

use super::*;
use crate::term::Named;

/// The weights `e^x/Σ e^x`.
pub(super) fn softmax(b: &mut Build, x: &[Term], form: usize) -> Vec<Term> {
    let shift = match form {
        0 => Term::ZERO,
        1 => b.max(x),
        2 => b.e(900_000),
        _ => {
            // By the logarithm of the sum.
            let e: Vec<Term> = x.iter().map(|x| b.exp(*x)).collect();
            let sum = b.sum(&e);
            let log = b.ln(sum);
            return x.iter().map(|x| b.exp_of(*x, log)).collect();
        }
    };
    let e: Vec<Term> = x.iter().map(|x| b.exp_of(*x, shift)).collect();
    let sum = b.sum(&e);
    if form == 2 {
        let inverse = b.0.unary(Unary::Recip, sum);
        return e.iter().map(|e| b.mul(*e, inverse)).collect();
    }
    e.iter().map(|e| b.div(*e, sum)).collect()
}

#[test]
fn softmax_and_its_gradient() {
    at_every_size("gradient of softmax", 6, &[6, 7], |b, size, form| {
        let (x, g) = (b.elements(0, size), b.elements(10_000, size));
        let p = softmax(b, &x, [0, 1, 2, 3, 1, 0, 1, 0][form]);
        let at = size - 1;
        let mean = match form {
            6 => b.dot(&p[1..], &g[1..]),
            _ => b.dot(&p, &g),
        };
        vec![match form {
            4 => {
                // p·g - p·Σ p·g
                let (one, two) = (b.mul(p[at], g[at]), b.mul(p[at], mean));
                b.sub(one, two)
            }
            5 => {
                // Σ p·(g_i - g_j) over j, by p_i
                let gaps: Vec<Term> = g.iter().map(|g| b.sub(b.e(10_000 + at as u32), *g)).collect();
                let mean = b.dot(&p, &gaps);
                b.mul(mean, p[at])
            }
            7 => {
                let gap = b.sub(g[at], mean);
                b.mul(p[0], gap)
            }
            _ => {
                let gap = b.sub(g[at], mean);
                b.mul(p[at], gap)
            }
        }]
    });
}

#[test]
fn cross_entropy_and_its_gradient() {
    at_every_size("cross-entropy", 4, &[4, 5], |b, size, form| {
        let (x, y) = (b.elements(0, size), b.elements(10_000, size));
        let p = softmax(b, &x, form % 4);
        // -Σ y·ln p, and what it is by x for all that y may be: p·Σ y - y.
        let logs: Vec<Term> = p.iter().map(|p| b.ln(*p)).collect();
        let mut loss = Term::ZERO;
        for (log, y) in logs.iter().zip(&y).skip(usize::from(form == 4)) {
            let part = b.mul(*log, *y);
            loss = b.sub(loss, part);
        }
        let total = b.sum(&y);
        let own = b.mul(p[0], total);
        let last = if form == 5 { y[size - 1] } else { y[0] };
        vec![loss, b.sub(own, last)]
    });
}

#[test]
fn gradients_of_attention() {
    at_every_size("gradient of attention", 4, &[4, 5], |b, size, form| {
        let (s, v, u) = (b.elements(0, size), b.elements(10_000, size), b.elements(20_000, size));
        let [g, h] = [0, 1].map(|at| b.e(30_000 + at));
        let p = softmax(b, &s, form % 4);
        // dP = v·g + u·h; D = Σ P·dP = o·g + ō·h.
        let mut steps = Vec::with_capacity(size);
        for (v, u) in v.iter().zip(&u) {
            let one = b.mul(*v, g);
            steps.push(b.0.fma(*u, h, one));
        }
        let whole = if form % 2 == 0 {
            b.dot(&p, &steps)
        } else {
            let (o, other) = (b.dot(&p, &v), b.dot(&p, &u));
            b.dot(&[o, other], &[g, h])
        };
        let whole = if form == 4 { b.mul(whole, p[0]) } else { whole };
        let gap = b.sub(steps[0], if form == 5 { steps[size - 1] } else { whole });
        vec![b.mul(p[0], gap), b.mul(p[size - 1], g)]
    });
}

/// The mean and the sum of squares about it: of two passes, of one, Welford's, Chan's merge of halves or tiles.
fn moments(b: &mut Build, x: &[Term], form: usize) -> (Term, Term) {
    let count = x.len() as i64;
    match form {
        0 | 1 => {
            let (sum, share) = (b.sum(x), b.q(1, count));
            let mean = b.mul(sum, share);
            if form == 1 {
                let (squares, part) = (b.dot(x, x), b.mul(sum, mean));
                return (mean, b.sub(squares, part));
            }
            let gaps: Vec<Term> = x.iter().map(|x| b.sub(*x, mean)).collect();
            (mean, b.dot(&gaps, &gaps))
        }
        2 => {
            let (mut mean, mut squares) = (Term::ZERO, Term::ZERO);
            for (at, x) in x.iter().enumerate() {
                let (gap, share) = (b.sub(*x, mean), b.q(1, at as i64 + 1));
                mean = b.0.fma(gap, share, mean);
                let after = b.sub(*x, mean);
                squares = b.0.fma(gap, after, squares);
            }
            (mean, squares)
        }
        _ if count == 1 => (x[0], Term::ZERO),
        _ => {
            // Of n and m values: the gap between the means counts n·m/(n + m) times.
            let left = if form == 4 { (x.len() - 1).min(5) } else { x.len() / 2 };
            let (one, two) = x.split_at(left);
            let ((a, p), (c, q)) = (moments(b, one, form), moments(b, two, form));
            let (n, m) = (one.len() as i64, two.len() as i64);
            let gap = b.sub(c, a);
            let by = b.q(m, n + m);
            let mean = b.0.fma(gap, by, a);
            let both = b.add(p, q);
            let weight = b.q(n * m, n + m + i64::from(form == 5));
            let square = b.mul(gap, gap);
            (mean, b.0.fma(square, weight, both))
        }
    }
}

#[test]
fn norms_by_merged_moments() {
    at_every_size("group norm", 5, &[5], |b, size, form| {
        let x = b.elements(0, size);
        let (mean, squares) = moments(b, &x, form);
        let (share, small) = (b.q(1, size as i64), b.q(1, 100_000));
        let mut variance = b.mul(squares, share);
        if form == 3 {
            // A variance is not negative: clamping it changes nothing.
            variance = b.0.max(variance, Term::ZERO);
        }
        let variance = b.add(variance, small);
        let scale = b.rsqrt(variance);
        let gap = b.sub(x[0], mean);
        let normed = b.mul(gap, scale);
        vec![b.0.fma(normed, b.e(10_000), b.e(10_001))]
    });
}

#[test]
fn layer_norms_backward() {
    at_every_size("layer norm backward", 4, &[4, 5], |b, size, form| {
        let (x, g) = (b.elements(0, size), b.elements(10_000, size));
        let (mean, squares) = moments(b, &x, [0, 1, 2, 3, 0, 1][form]);
        let (share, small) = (b.q(1, size as i64), b.q(1, 100_000));
        let variance = b.0.fma(squares, share, small);
        let r = b.rsqrt(variance);
        let (sum, dot) = (b.sum(&g), b.dot(&g, &x));
        let at = size - 1;
        vec![match form {
            // r·(g - mean g - x̂·mean g·x̂)
            0 | 4 => {
                let normed: Vec<Term> = x
                    .iter()
                    .map(|x| {
                        let gap = b.sub(*x, mean);
                        b.mul(gap, r)
                    })
                    .collect();
                let inner = b.dot(&g, &normed);
                let (one, two) = (b.mul(sum, share), b.mul(inner, share));
                let part = if form == 4 { two } else { b.mul(two, normed[at]) };
                let gap = b.sub(g[at], one);
                let gap = b.sub(gap, part);
                b.mul(gap, r)
            }
            // r·g + p·x + q with p = (Σg·μ - Σg·x)·r³/n and q = -p·μ - Σg·r/n
            1 | 5 => {
                let (square, product) = (b.mul(r, r), b.mul(sum, mean));
                let gap = b.sub(product, dot);
                let p = b.mul(gap, r);
                let p = b.mul(p, square);
                let p = b.mul(p, share);
                let (pm, sr) = (b.mul(p, mean), b.mul(sum, r));
                let sr = b.mul(sr, share);
                let q = b.add(pm, sr);
                let first = b.mul(r, g[at]);
                let part = b.0.fma(p, x[at], first);
                if form == 5 { b.add(part, q) } else { b.sub(part, q) }
            }
            // r/n·(n·g - Σg - (x - μ)·r²·Σ g·(x - μ))
            2 => {
                let gaps: Vec<Term> = x.iter().map(|x| b.sub(*x, mean)).collect();
                let inner = b.dot(&g, &gaps);
                let (n, square) = (b.q(size as i64, 1), b.mul(r, r));
                let part = b.mul(gaps[at], square);
                let part = b.mul(part, inner);
                let all = b.mul(n, g[at]);
                let all = b.sub(all, sum);
                let all = b.sub(all, part);
                let all = b.mul(all, share);
                b.mul(all, r)
            }
            // With √ and a division, and r³ as r/variance.
            _ => {
                let root = b.sqrt(variance);
                let product = b.mul(mean, sum);
                let inner = b.sub(dot, product);
                let gap = b.sub(x[at], mean);
                let part = b.mul(gap, inner);
                let part = b.mul(part, share);
                let part = b.div(part, variance);
                let mean = b.mul(sum, share);
                let all = b.sub(g[at], mean);
                let all = b.sub(all, part);
                b.div(all, root)
            }
        }]
    });
}

#[test]
fn gelu_and_its_gradient() {
    // By erf: Φ(x)·x, and Φ(x) + x·e^(-x²/2)/√(2π).
    at_every_size("gelu by erf", 4, &[4, 5], |b, size, form| {
        let mut all = [Term::ZERO; 2];
        for at in 0..size as u32 {
            let x = b.e(at);
            let (half, two) = (b.q(1, 2), b.q(2, 1));
            let root = b.sqrt(if form == 1 { half } else { two });
            let scaled = match form {
                1 => b.mul(x, root),
                _ => b.div(x, root),
            };
            let erf = match form {
                2 => {
                    let turned = b.f(Unary::Neg, scaled);
                    let erf = b.f(Unary::Erf, turned);
                    b.f(Unary::Neg, erf)
                }
                4 => b.f(Unary::Erf, x),
                _ => b.f(Unary::Erf, scaled),
            };
            let phi = match form {
                3 => {
                    // 1 - (1 - erf)/2
                    let rest = b.sub(Term::ONE, erf);
                    let rest = b.mul(rest, half);
                    b.sub(Term::ONE, rest)
                }
                _ => b.0.fma(erf, half, half),
            };
            let square = b.mul(x, x);
            let power = if form == 3 {
                let minus = b.q(-1, 2);
                let log2e = b.0.named(Named::Log2E);
                let scaled = b.mul(square, minus);
                let scaled = b.mul(scaled, log2e);
                b.f(Unary::Exp2, scaled)
            } else {
                let scaled = b.mul(square, half);
                let scaled = b.f(Unary::Neg, scaled);
                b.exp(scaled)
            };
            let pi = b.0.named(Named::Pi);
            let density = if form == 1 {
                let (root, two) = (b.sqrt(pi), b.sqrt(half));
                let over = b.div(two, root);
                b.mul(power, over)
            } else {
                let circle = b.mul(pi, two);
                let root = b.sqrt(if form == 5 { pi } else { circle });
                b.div(power, root)
            };
            let slope = b.0.fma(x, density, phi);
            let weight = b.e(10_000 + at);
            all = [b.0.fma(x, phi, all[0]), b.0.fma(slope, weight, all[1])];
        }
        all.to_vec()
    });
    // By tanh: u = c·(x + a·x³); ½x(1 + tanh u), x·σ(2u), and their slopes.
    at_every_size("gelu by tanh", 4, &[4], |b, size, form| {
        let mut all = [Term::ZERO; 2];
        for at in 0..size as u32 {
            let x = b.e(at);
            let (half, two, three, a, c) = (b.q(1, 2), b.q(2, 1), b.q(3, 1), b.e(20_000), b.e(20_001));
            let square = b.mul(x, x);
            let inner = b.mul(square, a);
            let inner = b.0.fma(inner, x, x);
            let u = b.mul(inner, c);
            let steep = b.mul(square, a);
            let steep = b.0.fma(steep, three, Term::ONE);
            let steep = b.mul(steep, c);
            let twice = b.mul(u, two);
            let (share, slope) = match form {
                0 | 4 => {
                    // ½(1 + t), ½·(1 - t²)·u'
                    let t = b.f(Unary::Tanh, u);
                    let share = b.0.fma(t, half, half);
                    let rest = b.mul(t, t);
                    let rest = b.sub(Term::ONE, if form == 4 { t } else { rest });
                    let rest = b.mul(rest, half);
                    (share, b.mul(rest, steep))
                }
                1 => {
                    // σ = 1/(1 + e^-2u), 2·σ·(1 - σ)·u'
                    let minus = b.f(Unary::Neg, twice);
                    let power = b.exp(minus);
                    let sum = b.add(power, Term::ONE);
                    let share = b.0.unary(Unary::Recip, sum);
                    let rest = b.sub(Term::ONE, share);
                    let both = b.mul(share, rest);
                    let both = b.mul(both, two);
                    (share, b.mul(both, steep))
                }
                2 => {
                    let power = b.exp(twice);
                    let sum = b.add(power, Term::ONE);
                    let share = b.div(power, sum);
                    let both = b.div(share, sum);
                    let both = b.add(both, both);
                    (share, b.mul(both, steep))
                }
                _ => {
                    // By e^u and e^-u.
                    let minus = b.f(Unary::Neg, u);
                    let (p, q) = (b.exp(u), b.exp(minus));
                    let sum = b.add(p, q);
                    let share = b.div(p, sum);
                    let square = b.mul(sum, sum);
                    let both = b.div(two, square);
                    (share, b.mul(both, steep))
                }
            };
            let slope = b.0.fma(slope, x, share);
            let weight = b.e(10_000 + at);
            all = [b.0.fma(x, share, all[0]), b.0.fma(slope, weight, all[1])];
        }
        all.to_vec()
    });
}

#[test]
fn scores_with_bias_windows_and_caps() {
    at_every_size("scores", 4, &[4], |b, size, form| {
        let (s, v) = (b.elements(0, size), b.elements(10_000, size));
        let (cap, slope) = (b.q(30, 1), b.q(1, 16));
        let scores: Vec<Term> = s
            .iter()
            .enumerate()
            .map(|(at, s)| {
                // A linear bias by distance, and a soft cap by tanh or by its exponential.
                let distance = b.q(at as i64 - size as i64 + 1, 1);
                let biased = match form {
                    1 => {
                        let bias = b.mul(distance, slope);
                        b.add(*s, bias)
                    }
                    4 => b.0.fma(slope, slope, *s),
                    _ => b.0.fma(distance, slope, *s),
                };
                let inner = b.div(biased, cap);
                let capped = if form == 2 {
                    let twice = b.add(inner, inner);
                    let power = b.exp(twice);
                    let (above, below) = (b.sub(power, Term::ONE), b.add(power, Term::ONE));
                    b.div(above, below)
                } else {
                    b.f(Unary::Tanh, inner)
                };
                b.mul(capped, cap)
            })
            .collect();
        // The last half of them, or all but what lies further back than 20.
        let from = (size / 2).min(size.saturating_sub(20));
        let p = softmax(b, &scores[from..], form % 4);
        vec![b.dot(&p, &v[from..])]
    });
}
