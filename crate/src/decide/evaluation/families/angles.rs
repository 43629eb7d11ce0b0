//! Rotations, addition theorems, odd and even functions.

use super::*;

impl Build {
    fn sin(&mut self, a: Term) -> Term {
        self.f(Unary::Sin, a)
    }
    fn cos(&mut self, a: Term) -> Term {
        self.f(Unary::Cos, a)
    }
}

/// (x + iy)·e^(iθ).
fn turned(b: &mut Build, x: Term, y: Term, angle: Term) -> [Term; 2] {
    let (s, c) = (b.sin(angle), b.cos(angle));
    let (ys, xs) = (b.mul(y, s), b.mul(x, s));
    let xc = b.mul(x, c);
    [b.sub(xc, ys), b.0.fma(y, c, xs)]
}

#[test]
fn rotations_add_up() {
    for size in 1..40 {
        let once = |b: &mut Build| {
            let angles = b.elements(10, size);
            let angle = b.sum(&angles);
            turned(b, b.e(0), b.e(1), angle).to_vec()
        };
        let steps = |b: &mut Build| {
            let mut at = [b.e(0), b.e(1)];
            for angle in b.elements(10, size) {
                at = turned(b, at[0], at[1], angle);
            }
            at.to_vec()
        };
        let back = |b: &mut Build| {
            let angles = b.elements(10, size);
            let angle = b.sum(&angles);
            let there = b.add(angle, angle);
            let n = b.0.neg(angle);
            let at = turned(b, b.e(0), b.e(1), there);
            turned(b, at[0], at[1], n).to_vec()
        };
        alike(&format!("rotations by {size}"), &[&once, &steps, &back]);
        // The length stays.
        alike(
            "lengths",
            &[
                &|b| {
                    let at = steps(b);
                    vec![b.dot(&at, &at)]
                },
                &|b| {
                    let at = [b.e(0), b.e(1)];
                    vec![b.dot(&at, &at)]
                },
            ],
        );
    }
}

#[test]
fn identities_of_angles() {
    alike(
        "sin 2x",
        &[
            &|b| {
                let twice = b.add(b.e(0), b.e(0));
                vec![b.sin(twice), b.cos(twice)]
            },
            &|b| {
                let (s, c, two) = (b.sin(b.e(0)), b.cos(b.e(0)), b.q(2, 1));
                let product = b.mul(s, c);
                let (ss, cc) = (b.mul(s, s), b.mul(c, c));
                vec![b.mul(two, product), b.sub(cc, ss)]
            },
            &|b| {
                let n = b.0.neg(b.e(0));
                let (s, c, two) = (b.sin(n), b.cos(n), b.q(-2, 1));
                let product = b.mul(s, c);
                let ss = b.mul(s, s);
                vec![b.mul(two, product), b.0.fma(ss, two, Term::ONE)]
            },
        ],
    );
    apart(
        "sin and cos",
        &[
            &|b| vec![b.sin(b.e(0))],
            &|b| vec![b.cos(b.e(0))],
            &|b| {
                let n = b.0.neg(b.e(0));
                vec![b.sin(n)]
            },
            &|b| {
                let twice = b.add(b.e(0), b.e(0));
                vec![b.sin(twice)]
            },
            &|b| {
                let s = b.sin(b.e(0));
                vec![b.add(s, s)]
            },
            &|b| {
                let (s, c) = (b.sin(b.e(0)), b.cos(b.e(0)));
                vec![b.mul(s, c)]
            },
            &|b| {
                let c = b.cos(b.e(0));
                let cc = b.mul(c, c);
                let ss = b.sub(Term::ONE, cc);
                vec![b.sqrt(ss)]
            },
            &|b| {
                let (s, c) = (b.sin(b.e(0)), b.cos(b.e(0)));
                let (ss, cc) = (b.mul(s, s), b.mul(c, c));
                vec![b.sub(ss, cc)]
            },
            &|b| {
                let e = b.exp(b.e(0));
                vec![b.sin(e)]
            },
            &|b| {
                let (s, t) = (b.sin(b.e(0)), b.sin(b.e(1)));
                vec![b.add(s, t)]
            },
            &|b| {
                let sum = b.add(b.e(0), b.e(1));
                vec![b.sin(sum)]
            },
        ],
    );
}
