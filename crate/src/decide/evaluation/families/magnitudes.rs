//! The largest magnitude of a row, and the row divided by it: the scales of quantization.

use super::*;

fn scaled(b: &mut Build, size: usize, form: usize) -> Vec<Term> {
    let x = b.elements(0, size);
    let max = match form {
        // max |x|
        0 => {
            let sizes: Vec<Term> = x.iter().map(|x| b.abs(*x)).collect();
            b.max(&sizes)
        }
        // From 0 on.
        1 => x.iter().fold(Term::ZERO, |max, x| {
            let size = b.abs(*x);
            b.0.max(max, size)
        }),
        // The least and the largest of the row and 0.
        2 | 4 => {
            let low = x.iter().fold(Term::ZERO, |low, x| b.0.min(low, *x));
            let high = x.iter().fold(Term::ZERO, |high, x| b.0.max(high, *x));
            let below = b.0.neg(low);
            // Wrong: the least alone.
            if form == 4 { below } else { b.0.max(high, below) }
        }
        // Numbers and their negatives, the last ones first.
        _ => {
            let mut all = x.clone();
            // Wrong: the first one's negative is missing.
            let skipped = usize::from(form == 5);
            let negatives: Vec<Term> = x.iter().skip(skipped).map(|x| b.0.neg(*x)).collect();
            all.extend(negatives);
            all.reverse();
            b.max(&all)
        }
    };
    let share = b.div(x[size / 2], max);
    vec![max, share]
}

#[test]
fn rows_over_their_largest_magnitude() {
    at_every_size("largest magnitude", 4, &[4, 5], scaled);
}

/// Magnitudes beside other candidates: |x| and a bound, where the bound is 0, below it and above it.
#[test]
fn magnitudes_beside_bounds() {
    for bound in [-1, 0, 1] {
        let form = |b: &mut Build, form: usize| {
            let (x, y) = (b.elements(0, 2)[0], b.elements(0, 2)[1]);
            let bound = b.q(bound, 3);
            let [x, y] = match form {
                0 => [b.abs(x), b.abs(y)],
                _ => [x, y].map(|x| {
                    let negative = b.0.neg(x);
                    b.0.max(negative, x)
                }),
            };
            vec![b.max(&[x, bound, y])]
        };
        alike(&format!("{bound}/3"), &[&|b| form(b, 0), &|b| form(b, 1)]);
    }
    // 0 counts where only one of two numbers has its negative beside it, and a bound above it does.
    let with = |b: &mut Build, more: Option<i64>| {
        let x = b.elements(0, 2);
        let negative = b.0.neg(x[0]);
        let more: Vec<Term> = more.map(|more| b.q(more, 1)).into_iter().collect();
        let all: Vec<Term> = [x[1], negative].into_iter().chain(more).collect();
        vec![b.max(&all)]
    };
    apart("bounds", &[&|b| with(b, None), &|b| with(b, Some(0)), &|b| with(b, Some(1))]);
}
