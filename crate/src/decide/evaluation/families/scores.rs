//! Attention by how its scores are made and where they are scaled; split over keys and merged by the logarithms of
//! sums; causal rows; softmax in base 2; its gradient from the logarithm that the way forward kept.

use super::*;
use crate::term::Named;

/// Elements of a key.
const HEAD: usize = 3;

/// The scores of a query against keys.
fn scores(b: &mut Build, count: usize) -> Vec<Term> {
    let q = b.elements(90_000, HEAD);
    (0..count)
        .map(|at| {
            let k = b.elements((HEAD * at) as u32, HEAD);
            b.dot(&q, &k)
        })
        .collect()
}

/// e^(c·s - m), however the scale is put.
fn weights(b: &mut Build, s: &[Term], form: usize) -> Vec<Term> {
    let (scale, log2e) = (b.q(1, 8), b.0.named(Named::Log2E));
    match form {
        // Scaled before the maximum.
        0 => {
            let s: Vec<Term> = s.iter().map(|s| b.mul(*s, scale)).collect();
            let max = b.max(&s);
            s.iter().map(|s| b.exp_of(*s, max)).collect()
        }
        // Behind it; by the maximum of the first tile.
        1 | 4 => {
            let known = if form == 1 { s } else { &s[..s.len().min(3)] };
            let max = b.max(known);
            s.iter()
                .map(|s| {
                    let gap = b.sub(*s, max);
                    let gap = b.mul(gap, scale);
                    b.exp(gap)
                })
                .collect()
        }
        // In base 2, with one multiply-add.
        2 => {
            let (max, both) = (b.max(s), b.mul(scale, log2e));
            let shift = b.mul(max, both);
            let shift = b.f(Unary::Neg, shift);
            s.iter()
                .map(|s| {
                    let exponent = b.0.fma(*s, both, shift);
                    b.f(Unary::Exp2, exponent)
                })
                .collect()
        }
        // Without a maximum; wrong in base 2.
        3 | 5 => s
            .iter()
            .map(|s| {
                let scaled = b.mul(*s, scale);
                if form == 5 { b.f(Unary::Exp2, scaled) } else { b.exp(scaled) }
            })
            .collect(),
        // Wrong (as base 2 for base e above): unscaled.
        _ => s.iter().map(|s| b.exp(*s)).collect(),
    }
}

#[test]
fn scales_before_and_behind_the_maximum() {
    at_every_size("scaled softmax", 5, &[5, 6], |b, size, form| {
        let s = b.elements(0, size + 1);
        let weights = weights(b, &s, form);
        let (sum, v) = (b.sum(&weights), b.elements(10_000, size + 1));
        let (above, part) = (b.dot(&weights, &v), b.div(weights[0], sum));
        vec![b.div(above, sum), part]
    });
}

/// `Σ p·v` of some keys with ln Σ e^s.
fn part(b: &mut Build, s: &[Term], v: &[Term], form: usize) -> (Term, Term) {
    let max = if form.is_multiple_of(2) { b.max(s) } else { Term::ZERO };
    let weights: Vec<Term> = s.iter().map(|s| b.exp_of(*s, max)).collect();
    let (above, below) = (b.dot(&weights, v), b.sum(&weights));
    let log = b.ln(below);
    (b.div(above, below), b.add(log, max))
}

#[test]
fn keys_split_and_merged_by_logarithms() {
    // Whole; halves with weights e^(l - lse); tiles of 7, one after the other; by the larger logarithm.
    at_every_size("split keys", 5, &[5, 6], |b, size, form| {
        let (s, v) = (scores(b, size + 1), b.elements(10_000, size + 1));
        let tile = match form {
            0 => s.len(),
            1 | 5 => s.len().div_ceil(2),
            // At most 16, since the bound on the degree doubles with each.
            2 => s.len().div_ceil(16).max(7),
            6 => 1,
            _ => s.len().div_ceil(3),
        };
        let parts: Vec<(Term, Term)> =
            s.chunks(tile).zip(v.chunks(tile)).map(|(s, v)| part(b, s, v, form)).collect();
        let (outputs, logs): (Vec<Term>, Vec<Term>) = parts.into_iter().unzip();
        if form == 2 {
            // o + (o' - o)·σ(l' - l)
            let (mut output, mut log) = (outputs[0], logs[0]);
            for (next, own) in outputs.iter().zip(&logs).skip(1) {
                let power = b.exp_of(log, *own);
                let below = b.add(Term::ONE, power);
                let share = b.div(Term::ONE, below);
                let gap = b.sub(*next, output);
                output = b.0.fma(gap, share, output);
                let more = b.ln(share);
                log = b.sub(*own, more);
            }
            return vec![output, log];
        }
        let shift = match form {
            3 => b.max(&logs),
            4 => logs[0],
            _ => Term::ZERO,
        };
        let powers: Vec<Term> = logs.iter().map(|log| b.exp_of(*log, shift)).collect();
        let sum = b.sum(&powers);
        let log = b.ln(sum);
        let lse = b.add(log, shift);
        let shares: Vec<Term> = if form == 5 {
            // All parts count the same.
            let share = b.q(1, logs.len() as i64);
            vec![share; logs.len()]
        } else {
            logs.iter().map(|log| b.exp_of(*log, lse)).collect()
        };
        let output = b.dot(&outputs, &shares);
        vec![output, if form == 6 { logs[0] } else { lse }]
    });
}

#[test]
fn causal_rows() {
    // Each row by itself; kept sums and values from row to row; masked by -∞; one key too many.
    for size in SIZES.into_iter().filter(|size| *size <= 70) {
        let causal = |b: &mut Build, form: usize| {
            let (s, v) = (b.elements(0, size), b.elements(10_000, size));
            let mut outputs = Vec::with_capacity(size);
            match form {
                0 | 3 => {
                    for row in 0..size {
                        let end = if form == 3 && row == (size - 1) / 2 { row + 2 } else { row + 1 };
                        let p = gradients::softmax(b, &s[..end], row % 2);
                        outputs.push(b.dot(&p, &v[..end]));
                    }
                }
                1 => {
                    let (mut above, mut below, mut max) = (Term::ZERO, Term::ZERO, Term::MINUS_INFINITY);
                    for (s, v) in s.iter().zip(&v) {
                        let next = b.0.max(max, *s);
                        let (old, new) = (b.exp_of(max, next), b.exp_of(*s, next));
                        let part = b.mul(new, *v);
                        above = b.0.fma(above, old, part);
                        below = b.0.fma(below, old, new);
                        max = next;
                        outputs.push(b.div(above, below));
                    }
                }
                _ => {
                    for row in 0..size {
                        let masked: Vec<Term> = s
                            .iter()
                            .enumerate()
                            .map(|(at, s)| if at <= row { *s } else { Term::MINUS_INFINITY })
                            .collect();
                        let p = gradients::softmax(b, &masked, 1);
                        outputs.push(b.dot(&p, &v));
                    }
                }
            }
            outputs
        };
        for form in 1..3 {
            for other in 0..form {
                assert!(
                    proves(|b, optimized| causal(b, if optimized { form } else { other })),
                    "{size}: {other} and {form}"
                );
            }
        }
        if (2..12).contains(&size) {
            for form in 0..3 {
                assert!(
                    !proves(|b, optimized| causal(b, if optimized { 3 } else { form })),
                    "{size}: {form}"
                );
            }
        }
    }
}

#[test]
fn the_way_back_through_attention() {
    // dS = P·(dO·v - D) and what it comes to for the query, with P by division or by the kept logarithm.
    at_every_size("attention backward", 4, &[4, 5], |b, size, form| {
        let (s, v) = (scores(b, size + 1), b.elements(10_000, size + 1));
        let g = b.e(91_000);
        let p: Vec<Term> = match form {
            1 | 5 => {
                let (_, log) = part(b, &s, &v, 0);
                s.iter().map(|s| b.exp_of(*s, log)).collect()
            }
            _ => gradients::softmax(b, &s, form % 4),
        };
        let output = b.dot(&p, &v);
        let whole = match form {
            2 => {
                // Σ P·dP
                let steps: Vec<Term> = v.iter().map(|v| b.mul(*v, g)).collect();
                b.dot(&p, &steps)
            }
            4 => output,
            _ => b.mul(output, g),
        };
        let mut query = Term::ZERO;
        for (at, (p, v)) in p.iter().zip(&v).enumerate() {
            let step = b.mul(*v, g);
            let own = if form == 3 {
                let (one, two) = (b.mul(*p, step), b.mul(*p, whole));
                b.sub(one, two)
            } else {
                let gap = b.sub(step, whole);
                b.mul(*p, gap)
            };
            let place = if form == 5 && at == 0 { HEAD } else { HEAD * at };
            query = b.0.fma(own, b.e(place as u32), query);
        }
        vec![query, b.mul(p[size], g)]
    });
}
