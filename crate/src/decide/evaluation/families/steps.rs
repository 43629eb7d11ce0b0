//! Steps of optimizers, rearranged.

use super::*;

/// Adam with weight decay: the corrections by constants, or by scalars that the host works out.
fn adam(b: &mut Build, size: usize, form: usize, by_scalars: bool) -> Vec<Term> {
    let (beta, gamma, small, rate, decay) =
        (b.q(9, 10), b.q(999, 1000), b.q(1, 1000), b.q(1, 100), b.q(1, 50));
    let (rest, other) = (b.q(1, 10), b.q(1, 1000));
    // After two steps: 1 - β², 1 - γ².
    let (first, second) = match by_scalars {
        true => (b.e(90_000), b.e(90_001)),
        false => (b.q(19, 100), b.q(1999, 1_000_000)),
    };
    let mut outputs = Vec::new();
    for at in 0..size as u32 {
        let [x, g, m, v] = [0, 10_000, 20_000, 30_000].map(|from| b.e(from + at));
        let (m, v) = if form.is_multiple_of(2) {
            let (old, new) = (b.mul(m, beta), b.mul(g, rest));
            let square = b.mul(g, g);
            let (kept, more) = (b.mul(v, gamma), b.mul(square, other));
            (b.add(old, new), b.add(kept, more))
        } else {
            let gap = b.sub(g, m);
            let square = b.0.fma(g, g, Term::ZERO);
            let wide = b.sub(square, v);
            (b.0.fma(gap, rest, m), b.0.fma(wide, other, v))
        };
        let step = match form {
            // (m/c)/(√(v/d) + ε)
            0 | 4 => {
                let (m, v) = (b.div(m, first), b.div(v, if form == 4 { first } else { second }));
                let root = b.sqrt(v);
                let below = b.add(root, small);
                b.div(m, below)
            }
            // √d/c·m/(√v + ε·√d)
            1 => {
                let (root, of) = (b.sqrt(v), b.sqrt(second));
                let small = b.mul(small, of);
                let below = b.add(root, small);
                let by = b.div(of, first);
                let quotient = b.div(m, below);
                b.mul(quotient, by)
            }
            // (1/c)·m/(√v/√d + ε)
            2 => {
                let (root, of) = (b.sqrt(v), b.sqrt(second));
                let root = b.div(root, of);
                let below = b.add(root, small);
                let by = b.div(Term::ONE, first);
                let above = b.mul(m, by);
                b.div(above, below)
            }
            // By the inverse root of what corrects.
            3 => {
                let (root, of) = (b.sqrt(v), b.rsqrt(second));
                let below = b.0.fma(root, of, small);
                let below = b.mul(below, first);
                let inverse = b.0.unary(Unary::Recip, below);
                b.mul(m, inverse)
            }
            // Wrong: ε inside of the root.
            _ => {
                let v = b.div(v, second);
                let v = b.add(v, small);
                let (m, root) = (b.div(m, first), b.rsqrt(v));
                b.mul(m, root)
            }
        };
        let next = if form.is_multiple_of(2) {
            let whole = b.0.fma(decay, x, step);
            let whole = b.mul(whole, rate);
            b.sub(x, whole)
        } else {
            let share = b.q(4999, 5000);
            let (kept, part) = (b.mul(x, share), b.mul(step, rate));
            b.sub(kept, part)
        };
        outputs.push(next);
    }
    let squares = b.sum_of_squares(&outputs);
    outputs.push(squares);
    outputs
}

#[test]
fn adam_with_constant_corrections() {
    at_every_size("adam", 4, &[4, 5], |b, size, form| adam(b, size.min(300), form, false));
}

#[test]
fn adam_with_corrections_from_outside() {
    at_every_size("adam", 4, &[4, 5], |b, size, form| adam(b, size.min(300), form, true));
}

#[test]
fn momentum() {
    at_every_size("momentum", 4, &[4], |b, size, form| {
        let mut sum = Term::ZERO;
        for at in 0..size as u32 {
            let [x, g, m] = [0, 10_000, 20_000].map(|from| b.e(from + at));
            let (rate, beta) = (b.e(90_000), b.e(90_001));
            let next = b.0.fma(beta, m, g);
            let own = match form {
                // x - η·(g + β·m')
                0 => {
                    let step = b.0.fma(beta, next, g);
                    let step = b.mul(step, rate);
                    b.sub(x, step)
                }
                // x - η·g - ηβ·m'
                1 => {
                    let (one, both) = (b.mul(rate, g), b.mul(rate, beta));
                    let two = b.mul(both, next);
                    let own = b.sub(x, one);
                    b.sub(own, two)
                }
                // x - η·((1 + β)·g + β²·m)
                2 => {
                    let (more, square) = (b.add(Term::ONE, beta), b.mul(beta, beta));
                    let part = b.mul(square, m);
                    let step = b.0.fma(more, g, part);
                    let minus = b.f(Unary::Neg, rate);
                    b.0.fma(minus, step, x)
                }
                // x + η·β·m - ((1 + β)·η·m' with (1 + β)·m' = m' + β·m'
                3 => {
                    let (one, two) = (b.0.fma(beta, next, next), b.mul(beta, m));
                    let step = b.sub(two, one);
                    b.0.fma(rate, step, x)
                }
                _ => {
                    let step = b.mul(next, rate);
                    b.sub(x, step)
                }
            };
            sum = b.0.fma(own, b.e(30_000 + at), sum);
        }
        vec![sum]
    });
}
