//! Binary cross-entropy: logarithms of probabilities and of what is left of them, however both are written.

use super::*;

/// How a probability and the rest of it are written.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Sigmoid {
    /// 1/(1 + e^-x), and 1 minus that.
    Plain,
    /// e^x/(1 + e^x), and 1 minus that.
    Power,
    /// (1 + tanh(x/2))/2, and 1 minus that.
    Tanh,
    /// 1/(1 + e^-x), and 1/(1 + e^x).
    Apart,
    /// 1/(1 + e^-x), and e^-x/(1 + e^-x).
    Quotient,
    /// 1 - 1/(1 + e^x), and 1 minus that.
    Left,
    /// By two exponentials: e^a/(e^a + e^b) for x = a - b, and the same for b.
    Two,
    /// Wrong: 1 - 1/(1 + e^x) for both; 1 + σ for 1 - σ.
    Same,
    More,
}

const RIGHT: [Sigmoid; 7] = [
    Sigmoid::Plain,
    Sigmoid::Power,
    Sigmoid::Tanh,
    Sigmoid::Apart,
    Sigmoid::Quotient,
    Sigmoid::Left,
    Sigmoid::Two,
];

/// σ(x) and 1 - σ(x).
fn sigmoid(b: &mut Build, x: Term, form: Sigmoid) -> [Term; 2] {
    let minus = b.f(Unary::Neg, x);
    let (power, other) = (b.exp(x), b.exp(minus));
    let (sum, above) = (b.add(Term::ONE, other), b.add(Term::ONE, power));
    let plain = b.div(Term::ONE, sum);
    match form {
        Sigmoid::Apart => [plain, b.div(Term::ONE, above)],
        Sigmoid::Quotient => [plain, b.div(other, sum)],
        Sigmoid::Same => [plain, plain],
        Sigmoid::More => [plain, b.add(Term::ONE, plain)],
        Sigmoid::Two => {
            // Any two whose difference is x.
            let shift = b.e(900_000);
            let (one, two) = (b.add(x, shift), b.exp(shift));
            let one = b.exp(one);
            let sum = b.add(one, two);
            [b.div(one, sum), b.div(two, sum)]
        }
        Sigmoid::Plain | Sigmoid::Power | Sigmoid::Tanh | Sigmoid::Left => {
            let own = match form {
                Sigmoid::Plain => plain,
                Sigmoid::Power => b.div(power, above),
                Sigmoid::Left => {
                    let rest = b.0.unary(Unary::Recip, above);
                    b.sub(Term::ONE, rest)
                }
                _ => {
                    let half = b.q(1, 2);
                    let inner = b.mul(x, half);
                    let tanh = b.f(Unary::Tanh, inner);
                    b.0.fma(tanh, half, half)
                }
            };
            [own, b.sub(Term::ONE, own)]
        }
    }
}

/// `Σ -(y·ln σ(x) + (1 - y)·ln (1 - σ(x)))`.
fn by_logarithms(b: &mut Build, size: usize, form: Sigmoid) -> Term {
    let mut sum = Term::ZERO;
    for at in 0..size as u32 {
        let (x, y) = (b.e(at), b.e(10_000 + at));
        let [one, two] = sigmoid(b, x, form);
        let (one, two) = (b.ln(one), b.ln(two));
        let rest = b.sub(Term::ONE, y);
        let part = b.mul(rest, two);
        let part = b.0.fma(y, one, part);
        sum = b.sub(sum, part);
    }
    sum
}

/// The same by logits: ln(1 + e^x) - x·y, ln(1 + e^-x) + (1 - y)·x, max(x, 0) - x·y + ln(1 + e^-|x|).
fn by_logits(b: &mut Build, size: usize, form: usize) -> Term {
    let mut sum = Term::ZERO;
    for at in 0..size as u32 {
        let (x, y) = (b.e(at), b.e(10_000 + at));
        let minus = b.f(Unary::Neg, x);
        let exponent = match form {
            0 => x,
            1 => minus,
            _ => {
                let size = b.abs(x);
                b.f(Unary::Neg, size)
            }
        };
        let power = b.exp(exponent);
        let more = b.add(Term::ONE, power);
        let log = b.ln(more);
        let part = match form {
            0 => b.mul(minus, y),
            1 => {
                let rest = b.sub(Term::ONE, y);
                b.mul(rest, x)
            }
            _ => {
                let above = b.0.max(x, Term::ZERO);
                b.0.fma(minus, y, above)
            }
        };
        let part = b.add(part, log);
        sum = b.add(sum, part);
    }
    sum
}

#[test]
fn binary_cross_entropy() {
    for size in SIZES {
        let logits: Vec<_> = (0..3).map(|form| move |b: &mut Build| vec![by_logits(b, size, form)]).collect();
        let plain: Vec<_> =
            RIGHT.iter().map(|form| move |b: &mut Build| vec![by_logarithms(b, size, *form)]).collect();
        let forms = logits.iter().map(|form| form as Formulation<'_>);
        let forms: Vec<_> = forms.chain(plain.iter().map(|form| form as Formulation<'_>)).collect();
        alike(&format!("binary cross-entropy of {size}"), &forms);
        if size < 6 {
            for wrong in [Sigmoid::Same, Sigmoid::More] {
                let wrong = move |b: &mut Build| vec![by_logarithms(b, size, wrong)];
                for form in &forms {
                    apart(&format!("binary cross-entropy of {size}"), &[form, &wrong]);
                }
            }
        }
    }
}

/// The logarithm of all but one of a row's probabilities.
#[test]
fn the_rest_of_a_row() {
    for size in SIZES.into_iter().skip(1) {
        let rest = move |b: &mut Build, form: usize| {
            let x = b.elements(0, size);
            let shift = if form == 3 { b.max(&x) } else { b.e(5_000) };
            let e: Vec<Term> = x.iter().map(|x| b.exp_of(*x, shift)).collect();
            let (sum, others) = (b.sum(&e), b.sum(&e[1..]));
            vec![match form {
                0 => {
                    let (log, all) = (b.ln(others), b.ln(sum));
                    b.sub(log, all)
                }
                1 | 3 => {
                    let part = b.div(e[0], sum);
                    let part = b.sub(Term::ONE, part);
                    b.ln(part)
                }
                2 => {
                    let part = b.div(others, sum);
                    b.ln(part)
                }
                4 => {
                    let parts: Vec<Term> = e[1..].iter().map(|e| b.div(*e, sum)).collect();
                    let part = b.sum(&parts);
                    b.ln(part)
                }
                _ => {
                    let part = b.div(e[1], sum);
                    let part = b.sub(Term::ONE, part);
                    b.ln(part)
                }
            }]
        };
        let what = format!("the rest of {size}");
        alike(&what, &[&|b| rest(b, 0), &|b| rest(b, 1), &|b| rest(b, 2), &|b| rest(b, 3), &|b| rest(b, 4)]);
        apart(&what, &[&|b| rest(b, 0), &|b| rest(b, 5)]);
    }
}

/// What is no product of known ones, and logarithms where a factor has another sign.
#[test]
fn sums_of_quotients_that_are_not_the_same() {
    let quotient = |b: &mut Build, form: usize| {
        let (x, y) = (b.e(0), b.e(1));
        let (p, q) = (b.exp(x), b.exp(y));
        let (one, two) = (b.add(Term::ONE, p), b.add(Term::ONE, q));
        let (a, c) = (b.div(Term::ONE, one), b.div(Term::ONE, two));
        let value = match form {
            0 => b.sub(a, c),
            1 => b.sub(c, a),
            2 => b.mul(a, c),
            3 => b.add(a, c),
            4 => {
                let gap = b.sub(q, p);
                let product = b.mul(one, two);
                let twice = b.add(product, product);
                b.div(gap, twice)
            }
            _ => {
                let gap = b.sub(q, p);
                b.div(gap, one)
            }
        };
        vec![b.ln(value)]
    };
    let forms: Vec<_> = [0, 2, 3, 4, 5].iter().map(|form| move |b: &mut Build| quotient(b, *form)).collect();
    let forms: Vec<Formulation<'_>> = forms.iter().map(|form| form as Formulation<'_>).collect();
    apart("ln of quotients", &forms);
    let product = |b: &mut Build| {
        let (p, q) = (b.exp(b.e(0)), b.exp(b.e(1)));
        let gap = b.sub(q, p);
        let (one, two) = (b.add(Term::ONE, p), b.add(Term::ONE, q));
        let (gap, one, two) = (b.ln(gap), b.ln(one), b.ln(two));
        let rest = b.add(one, two);
        vec![b.sub(gap, rest)]
    };
    alike("ln of a difference", &[&|b| quotient(b, 0), &product]);
}
