//! Norms, cosines, distances; and roots that are nearly something else.

use super::*;
use crate::term::Relation;

/// 1/√(Σx²/n + ε) in several ways, and what gradients make of it: its square and its cube.
fn rms(b: &mut Build, x: &[Term], form: usize) -> Vec<Term> {
    let (share, small) = (b.q(1, x.len() as i64), b.q(1, 100_000));
    let scale = match form {
        0 | 1 => {
            let squares = b.sum_of_squares(x);
            let mean = b.0.fma(squares, share, small);
            if form == 0 {
                b.rsqrt(mean)
            } else {
                let root = b.sqrt(mean);
                b.div(Term::ONE, root)
            }
        }
        2 => {
            // Scaled by the largest magnitude.
            let sizes: Vec<Term> = x.iter().map(|x| b.abs(*x)).collect();
            let max = b.max(&sizes);
            let scaled: Vec<Term> = x.iter().map(|x| b.div(*x, max)).collect();
            let squares = b.sum_of_squares(&scaled);
            let by = b.mul(max, max);
            let small = b.div(small, by);
            let mean = b.0.fma(squares, share, small);
            let root = b.sqrt(mean);
            let root = b.mul(root, max);
            b.div(Term::ONE, root)
        }
        _ => {
            // √n/√(Σx² + nε)
            let n = b.q(x.len() as i64, 1);
            let small = b.mul(n, small);
            let squares = b.sum_of_squares(x);
            let sum = b.add(squares, small);
            let (above, below) = (b.sqrt(n), b.rsqrt(sum));
            b.mul(above, below)
        }
    };
    let square = if form == 0 {
        let squares = b.sum_of_squares(x);
        let mean = b.0.fma(squares, share, small);
        b.div(Term::ONE, mean)
    } else {
        b.mul(scale, scale)
    };
    let cube = b.mul(square, scale);
    let part = b.mul(x[0], cube);
    let normed = b.mul(x[0], scale);
    vec![normed, square, b.0.fma(part, x[0], scale)]
}

#[test]
fn rms_norms_and_their_gradients() {
    for size in SIZES {
        let forms: [Formulation<'_>; 4] = [
            &|b| rms(b, &b.elements(0, size), 0),
            &|b| rms(b, &b.elements(0, size), 1),
            &|b| rms(b, &b.elements(0, size), 2),
            &|b| rms(b, &b.elements(0, size), 3),
        ];
        alike(&format!("rms of {size}"), &forms);
    }
}

#[test]
fn cosines() {
    for size in SIZES {
        let cosine = |b: &mut Build, form: usize| {
            let (x, y) = (b.elements(0, size), b.elements(10_000, size));
            let (xx, yy, xy) = (b.dot(&x, &x), b.dot(&y, &y), b.dot(&x, &y));
            match form {
                0 => {
                    let (r, s) = (b.sqrt(xx), b.sqrt(yy));
                    let below = b.mul(r, s);
                    b.div(xy, below)
                }
                1 => {
                    let product = b.mul(xx, yy);
                    let r = b.rsqrt(product);
                    b.mul(xy, r)
                }
                2 => {
                    let (r, s) = (b.rsqrt(xx), b.rsqrt(yy));
                    let x: Vec<Term> = x.iter().map(|x| b.mul(*x, r)).collect();
                    let y: Vec<Term> = y.iter().map(|y| b.mul(*y, s)).collect();
                    b.dot(&x, &y)
                }
                3 => {
                    let quotient = b.div(xx, yy);
                    let root = b.sqrt(quotient);
                    let part = b.mul(xy, root);
                    b.div(part, xx)
                }
                // One factor too many; the sum's root for the product's; a root that is missing.
                4 => {
                    let (r, s) = (b.sqrt(xx), b.sqrt(yy));
                    let below = b.mul(r, s);
                    let below = b.mul(below, s);
                    b.div(xy, below)
                }
                5 => {
                    let sum = b.add(xx, yy);
                    let r = b.rsqrt(sum);
                    b.mul(xy, r)
                }
                _ => {
                    let r = b.sqrt(xx);
                    let below = b.mul(r, xx);
                    b.div(xy, below)
                }
            }
        };
        let forms: [Formulation<'_>; 4] =
            [&|b| vec![cosine(b, 0)], &|b| vec![cosine(b, 1)], &|b| vec![cosine(b, 2)], &|b| {
                vec![cosine(b, 3)]
            }];
        alike(&format!("cosines of {size}"), &forms);
        if size < 20 {
            let forms: [Formulation<'_>; 4] =
                [&|b| vec![cosine(b, 0)], &|b| vec![cosine(b, 4)], &|b| vec![cosine(b, 5)], &|b| {
                    vec![cosine(b, 6)]
                }];
            apart(&format!("cosines of {size}"), &forms);
        }
    }
}

#[test]
fn roots_and_their_squares() {
    alike(
        "√(x²(y+z))²",
        &[
            &|b| {
                let sum = b.add(b.e(1), b.e(2));
                let square = b.mul(b.e(0), b.e(0));
                let radicand = b.mul(square, sum);
                let root = b.sqrt(radicand);
                vec![root, b.mul(root, root)]
            },
            &|b| {
                let sum = b.add(b.e(1), b.e(2));
                let (size, root) = (b.abs(b.e(0)), b.sqrt(sum));
                let square = b.mul(b.e(0), b.e(0));
                vec![b.mul(size, root), b.mul(square, sum)]
            },
        ],
    );
    alike(
        "1/(√x + √y)",
        &[
            &|b| {
                let (r, s) = (b.sqrt(b.e(0)), b.sqrt(b.e(1)));
                let sum = b.add(r, s);
                vec![b.div(Term::ONE, sum)]
            },
            &|b| {
                let (r, s) = (b.sqrt(b.e(0)), b.sqrt(b.e(1)));
                let (above, below) = (b.sub(r, s), b.sub(b.e(0), b.e(1)));
                vec![b.div(above, below)]
            },
        ],
    );
    alike(
        "√(e^x)",
        &[
            &|b| {
                let e = b.exp(b.e(0));
                vec![b.sqrt(e)]
            },
            &|b| {
                let half = b.q(1, 2);
                let h = b.mul(b.e(0), half);
                vec![b.exp(h)]
            },
            &|b| {
                let (e, half) = (b.exp(b.e(0)), b.q(1, 2));
                let l = b.ln(e);
                let h = b.mul(l, half);
                vec![b.exp(h)]
            },
        ],
    );
}

#[test]
fn roots_keep_their_sign() {
    let x = |b: &Build| b.e(0);
    apart(
        "√(x²), x and -x",
        &[
            &|b| vec![x(b)],
            &|b| vec![b.0.neg(x(b))],
            &|b| {
                let square = b.mul(x(b), x(b));
                vec![b.sqrt(square)]
            },
            &|b| {
                let square = b.mul(x(b), x(b));
                let root = b.sqrt(square);
                vec![b.0.neg(root)]
            },
        ],
    );
    // √(x² + 2xy + y²) is |x + y|: unknown, but neither x + y nor its negative.
    let hidden = |b: &mut Build| {
        let sum = b.add(b.e(0), b.e(1));
        let (xx, xy, yy) = (b.mul(b.e(0), b.e(0)), b.mul(b.e(0), b.e(1)), b.mul(b.e(1), b.e(1)));
        let two = b.q(2, 1);
        let part = b.0.fma(xy, two, xx);
        let square = b.add(part, yy);
        (sum, square)
    };
    apart(
        "a hidden square",
        &[
            &|b| vec![hidden(b).0],
            &|b| {
                let sum = hidden(b).0;
                vec![b.0.neg(sum)]
            },
            &|b| {
                let square = hidden(b).1;
                vec![b.sqrt(square)]
            },
            &|b| {
                let square = hidden(b).1;
                let root = b.sqrt(square);
                vec![b.0.neg(root)]
            },
            // 1/(x + y + √(…)) and the like are 1/(2(x + y)) or a division by 0.
            &|b| {
                let (sum, square) = hidden(b);
                let root = b.sqrt(square);
                let both = b.add(root, sum);
                vec![b.div(Term::ONE, both)]
            },
            &|b| {
                let (sum, square) = hidden(b);
                let root = b.sqrt(square);
                let both = b.sub(root, sum);
                vec![b.div(Term::ONE, both)]
            },
            &|b| {
                let sum = hidden(b).0;
                let twice = b.add(sum, sum);
                vec![b.div(Term::ONE, twice)]
            },
        ],
    );
    // √x·√y is √(xy) where both are defined; -√… never is, nor is the root of another product.
    apart(
        "roots of products",
        &[
            &|b| {
                let (r, s) = (b.sqrt(b.e(0)), b.sqrt(b.e(1)));
                vec![b.mul(r, s)]
            },
            &|b| {
                let (r, s) = (b.sqrt(b.e(0)), b.sqrt(b.e(1)));
                vec![b.add(r, s)]
            },
            &|b| {
                let sum = b.add(b.e(0), b.e(1));
                vec![b.sqrt(sum)]
            },
            &|b| {
                let (r, s) = (b.sqrt(b.e(0)), b.sqrt(b.e(1)));
                let p = b.mul(r, s);
                vec![b.0.neg(p)]
            },
            &|b| vec![b.mul(b.e(0), b.e(1))],
        ],
    );
}

/// A row over its norm, which is limited; and a norm that is limited.
#[test]
fn limited_norms() {
    fn row(b: &mut Build, size: usize) -> (Vec<Term>, Term) {
        let x = b.elements(0, size);
        let square = b.sum_of_squares(&x);
        (x, square)
    }
    fn scaled(b: &mut Build, x: &[Term], factor: Term) -> Vec<Term> {
        x.iter().map(|own| b.mul(*own, factor)).collect()
    }
    type Norm = fn(&mut Build, usize) -> Vec<Term>;
    const NORMALIZED: [Norm; 5] = [
        // x / max(|x|, c)
        |b, size| {
            let (x, square) = row(b, size);
            let (norm, least) = (b.sqrt(square), b.q(1, 8));
            let norm = b.0.max(norm, least);
            x.iter().map(|own| b.div(*own, norm)).collect()
        },
        // x · rsqrt(max(q, c²))
        |b, size| {
            let (x, square) = row(b, size);
            let least = b.q(1, 64);
            let square = b.0.max(square, least);
            let factor = b.rsqrt(square);
            scaled(b, &x, factor)
        },
        // x · (q > c² ? rsqrt(q) : 1/c)
        |b, size| {
            let (x, square) = row(b, size);
            let (least, eight, factor) = (b.q(1, 64), b.q(8, 1), b.rsqrt(square));
            let large = b.0.compare(Relation::Less, least, square);
            let factor = b.0.select(large, factor, eight);
            scaled(b, &x, factor)
        },
        // x · (|x| < c ? 1/c : 1/|x|)
        |b, size| {
            let (x, square) = row(b, size);
            let (least, eight, norm) = (b.q(1, 8), b.q(8, 1), b.sqrt(square));
            let small = b.0.compare(Relation::Less, norm, least);
            let factor = b.div(Term::ONE, norm);
            let factor = b.0.select(small, eight, factor);
            scaled(b, &x, factor)
        },
        // x · min(rsqrt(q), 1/c)
        |b, size| {
            let (x, square) = row(b, size);
            let (eight, factor) = (b.q(8, 1), b.rsqrt(square));
            let factor = b.0.min(factor, eight);
            scaled(b, &x, factor)
        },
    ];
    const CLIPPED: [Norm; 3] = [
        // x · min(1, c/|x|)
        |b, size| {
            let (x, square) = row(b, size);
            let (most, norm) = (b.q(3, 1), b.sqrt(square));
            let factor = b.div(most, norm);
            let factor = b.0.min(factor, Term::ONE);
            scaled(b, &x, factor)
        },
        // |x| > c ? x·c/|x| : x
        |b, size| {
            let (x, square) = row(b, size);
            let (most, norm) = (b.q(3, 1), b.sqrt(square));
            let large = b.0.compare(Relation::Less, most, norm);
            let factor = b.div(most, norm);
            let factor = b.0.select(large, factor, Term::ONE);
            scaled(b, &x, factor)
        },
        // x · 3·rsqrt(max(q, 9))
        |b, size| {
            let (x, square) = row(b, size);
            let (three, nine) = (b.q(3, 1), b.q(9, 1));
            let square = b.0.max(square, nine);
            let factor = b.rsqrt(square);
            let factor = b.mul(factor, three);
            scaled(b, &x, factor)
        },
    ];
    const LENGTHS: [Norm; 2] = [
        |b, size| {
            let square = row(b, size).1;
            vec![b.sqrt(square)]
        },
        |b, size| {
            let square = row(b, size).1;
            let root = b.sqrt(square);
            vec![b.0.max(root, Term::ZERO)]
        },
    ];
    const WRONG: [Norm; 2] = [
        |b, size| {
            let (x, square) = row(b, size);
            let least = b.q(1, 8);
            let square = b.0.max(square, least);
            let factor = b.rsqrt(square);
            scaled(b, &x, factor)
        },
        |b, size| {
            let (x, square) = row(b, size);
            let (least, eight, factor) = (b.q(1, 64), b.q(8, 1), b.rsqrt(square));
            let large = b.0.compare(Relation::Less, least, square);
            let factor = b.0.select(large, eight, factor);
            scaled(b, &x, factor)
        },
    ];
    for size in [2, 3, 8, 17, 70] {
        for forms in [&NORMALIZED[..], &CLIPPED, &LENGTHS] {
            for (at, form) in forms.iter().enumerate() {
                let other = forms[(at + 1) % forms.len()];
                alike(
                    &format!("{size}: {at}"),
                    &[&|b: &mut Build| form(b, size), &|b: &mut Build| other(b, size)],
                );
            }
        }
        for wrong in WRONG {
            for form in NORMALIZED {
                apart(&format!("{size}"), &[&|b: &mut Build| form(b, size), &|b: &mut Build| wrong(b, size)]);
            }
        }
    }
}
