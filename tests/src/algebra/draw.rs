//! Random expressions with the shapes that machine-learning kernels have.

use super::*;
use crate::program::Dice;

/// How many inputs an expression draws from.
pub const INPUTS: u32 = 6;

/// Shapes, by the names of the report.
pub const SHAPES: [&str; 16] = [
    "sum of products",
    "polynomial",
    "softmax",
    "online softmax",
    "attention",
    "log-sum-exp",
    "norm",
    "gelu",
    "sigmoid",
    "quotients",
    "maxima",
    "clamp",
    "choices",
    "powers of two",
    "roots",
    "nested",
];

/// Further shapes, of whole kernels and of choices that meet at a border.
pub const KERNELS: [&str; 10] = [
    "tiled attention",
    "scores",
    "variance",
    "cosine",
    "soft cap",
    "elu",
    "argmax",
    "min-max network",
    "guarded quotient",
    "silu by parts",
];

/// A small fraction that is neither 0 nor 1.
pub fn fraction(dice: &mut Dice) -> E {
    loop {
        let value = Fraction::new(dice.below(19) as i128 - 9, [1, 1, 2, 3, 4, 8][dice.below(6) as usize]);
        if value != Fraction::from_integer(0) && value != Fraction::from_integer(1) {
            return Rc::new(Expr::C(value));
        }
    }
}

/// A small positive fraction other than 1.
pub fn positive(dice: &mut Dice) -> E {
    let value = fraction(dice);
    match &*value {
        Expr::C(value) if *value < Fraction::from_integer(0) => {
            let value = -*value;
            Rc::new(Expr::C(if value == Fraction::from_integer(1) { Fraction::new(3, 2) } else { value }))
        }
        _ => value,
    }
}

fn input(dice: &mut Dice) -> E {
    x(dice.below(INPUTS.into()) as u32)
}

/// An input, or something small made of inputs.
fn leaf(dice: &mut Dice) -> E {
    match dice.below(8) {
        0 => fraction(dice),
        1 => add(&input(dice), &input(dice)),
        2 => mul(&input(dice), &input(dice)),
        3 => mul(&fraction(dice), &input(dice)),
        4 => sub(&input(dice), &input(dice)),
        _ => input(dice),
    }
}

fn leaves(dice: &mut Dice, least: u64, most: u64) -> Vec<E> {
    (0..least + dice.below(most - least + 1)).map(|_| leaf(dice)).collect()
}

/// Different inputs, as a row of a matrix.
fn row(dice: &mut Dice, least: u64) -> Vec<E> {
    let first = dice.below(INPUTS.into()) as u32;
    let count = least + dice.below(5 - least);
    (0..count as u32).map(|at| x((first + at) % INPUTS)).collect()
}

fn fold(parts: &[E], join: fn(&E, &E) -> E) -> E {
    let rest = parts[1..].iter();
    rest.fold(parts[0].clone(), |sum, part| join(&sum, part))
}

fn sum(parts: impl IntoIterator<Item = E>) -> E {
    fold(&parts.into_iter().collect::<Vec<_>>(), add)
}

/// Something positive.
fn weight(dice: &mut Dice) -> E {
    match dice.below(4) {
        0 => exp(&leaf(dice)),
        1 => {
            let a = leaf(dice);
            add(&mul(&a, &a), &positive(dice))
        }
        2 => add(&exp(&leaf(dice)), &exp(&leaf(dice))),
        _ => add(&abs(&leaf(dice)), &positive(dice)),
    }
}

fn sigmoid(a: &E) -> E {
    recip(&add(&c(1, 1), &exp(&neg(a))))
}

fn condition(dice: &mut Dice) -> E {
    let (a, b) = (leaf(dice), if dice.below(2) == 0 { fraction(dice) } else { leaf(dice) });
    let first = if dice.below(2) == 0 { less(&a, &b) } else { less_equal(&a, &b) };
    match dice.below(6) {
        0 => and(&first, &less(&leaf(dice), &leaf(dice))),
        1 => or(&first, &less(&leaf(dice), &leaf(dice))),
        2 => not(&first),
        _ => first,
    }
}

/// A random expression of one shape.
pub fn draw(dice: &mut Dice, shape: &str) -> E {
    match shape {
        "sum of products" => {
            sum((0..2 + dice.below(4)).map(|_| mul(&leaf(dice), &leaf(dice))).collect::<Vec<_>>())
        }
        "polynomial" => {
            let mut value = leaf(dice);
            for _ in 0..2 + dice.below(3) {
                value = match dice.below(4) {
                    0 => mul(&value, &value),
                    1 => mul(&value, &leaf(dice)),
                    2 => sub(&value, &leaf(dice)),
                    _ => add(&value, &leaf(dice)),
                };
            }
            value
        }
        "softmax" | "attention" => {
            let row = row(dice, 2);
            let m = fold(&row, max);
            let own: Vec<E> = row.iter().map(|x| exp(&sub(x, &m))).collect();
            let total = sum(own.iter().cloned());
            if shape == "softmax" {
                return div(&own[dice.below(own.len() as u64) as usize], &total);
            }
            let values: Vec<E> = own.iter().map(|weight| mul(weight, &leaf(dice))).collect();
            div(&sum(values), &total)
        }
        "online softmax" => {
            let row = row(dice, 2);
            let (mut m, mut total) = (row[0].clone(), c(1, 1));
            for x in &row[1..] {
                let next = max(&m, x);
                total = add(&mul(&total, &exp(&sub(&m, &next))), &exp(&sub(x, &next)));
                m = next;
            }
            div(&exp(&sub(&row[0], &m)), &total)
        }
        "log-sum-exp" => {
            let row = row(dice, 2);
            let m = fold(&row, max);
            let value = add(&log(&sum(row.iter().map(|x| exp(&sub(x, &m))))), &m);
            if dice.below(2) == 0 { sub(&row[0], &value) } else { value }
        }
        "norm" => {
            let row = row(dice, 2);
            let over = c(1, row.len() as i128);
            let mean = mul(&sum(row.iter().cloned()), &over);
            let centred: Vec<E> =
                if dice.below(2) == 0 { row.clone() } else { row.iter().map(|x| sub(x, &mean)).collect() };
            let square = mul(&sum(centred.iter().map(|d| mul(d, d))), &over);
            mul(&centred[0], &rsqrt(&add(&square, &positive(dice))))
        }
        "gelu" => {
            let a = leaf(dice);
            if dice.below(2) == 0 {
                let inner = mul(&a, &rsqrt(&c(2, 1)));
                return mul(&mul(&c(1, 2), &a), &add(&c(1, 1), &erf(&inner)));
            }
            let cube = mul(&mul(&a, &a), &a);
            let inner = mul(&positive(dice), &add(&a, &mul(&c(44_715, 1_000_000), &cube)));
            mul(&mul(&c(1, 2), &a), &add(&c(1, 1), &tanh(&inner)))
        }
        "sigmoid" => {
            let a = leaf(dice);
            match dice.below(4) {
                0 => mul(&a, &sigmoid(&a)),
                1 => mul(&sigmoid(&a), &sub(&c(1, 1), &sigmoid(&a))),
                2 => log(&add(&c(1, 1), &exp(&a))),
                _ => mul(&tanh(&a), &sigmoid(&leaf(dice))),
            }
        }
        "quotients" => {
            let mut value = div(&leaf(dice), &weight(dice));
            for _ in 0..1 + dice.below(2) {
                let other = div(&leaf(dice), &weight(dice));
                value = match dice.below(3) {
                    0 => mul(&value, &other),
                    1 => sub(&value, &other),
                    _ => add(&value, &other),
                };
            }
            value
        }
        "maxima" => {
            let (all, few) = (fold(&leaves(dice, 2, 4), max), fold(&leaves(dice, 2, 3), min));
            match dice.below(3) {
                0 => sub(&all, &few),
                1 => max(&all, &few),
                _ => add(&mul(&positive(dice), &all), &leaf(dice)),
            }
        }
        "clamp" => {
            let a = leaf(dice);
            match dice.below(4) {
                0 => max(&a, &c(0, 1)),
                1 => min(&max(&a, &c(-2, 1)), &c(3, 1)),
                2 => select(&less(&c(0, 1), &a), &a, &mul(&c(1, 100), &a)),
                _ => mul(&a, &min(&max(&add(&a, &c(3, 1)), &c(0, 1)), &c(6, 1))),
            }
        }
        "choices" => {
            let mut value = leaf(dice);
            for _ in 0..1 + dice.below(3) {
                value = select(&condition(dice), &value, &leaf(dice));
                if dice.below(2) == 0 {
                    value = add(&value, &leaf(dice));
                }
            }
            value
        }
        "powers of two" => {
            let row = row(dice, 2);
            let scale = mul(&Rc::new(Expr::Log2E), &positive(dice));
            let m = mul(&fold(&row, max), &scale);
            let own: Vec<E> = row.iter().map(|x| exp2(&sub(&mul(x, &scale), &m))).collect();
            div(&own[0], &sum(own.iter().cloned()))
        }
        "roots" => {
            let (a, b) = (weight(dice), weight(dice));
            match dice.below(4) {
                0 => mul(&sqrt(&a), &sqrt(&b)),
                1 => div(&leaf(dice), &sqrt(&add(&a, &b))),
                2 => mul(&a, &rsqrt(&a)),
                _ => sqrt(&mul(&a, &b)),
            }
        }
        "tiled attention" | "scores" => {
            // Two inputs a score, three keys, tiles of one or two; normalized at the end or as it goes.
            let (tile, as_it_goes) = (1 + dice.below(2) as usize, dice.below(2) == 0);
            let score = |key: u32| mul(&c(1, 2), &fma(&x(0), &x(key), &mul(&x(1), &x(key % INPUTS + 1))));
            let scores: Vec<E> = (1..4).map(score).collect();
            if shape == "scores" {
                let own: Vec<E> = scores.iter().map(exp).collect();
                let values: Vec<E> =
                    own.iter().zip(2..).map(|(weight, at)| mul(weight, &x(at % INPUTS))).collect();
                return div(&sum(values), &sum(own));
            }
            let mut state: Option<(E, E, E)> = None;
            for (at, tile) in scores.chunks(tile).enumerate() {
                let of_tile = fold(tile, max);
                let next = state.as_ref().map_or(of_tile.clone(), |(m, ..)| max(m, &of_tile));
                let own: Vec<E> = tile.iter().map(|score| exp(&sub(score, &next))).collect();
                let value = |key: usize| x((at * tile.len() + key) as u32 % INPUTS);
                let mut above = sum(own.iter().enumerate().map(|(key, weight)| mul(weight, &value(key))));
                let mut below = sum(own.iter().cloned());
                if let Some((m, total, out)) = &state {
                    let rescale = exp(&sub(m, &next));
                    let before = if as_it_goes { mul(out, total) } else { out.clone() };
                    above = fma(&before, &rescale, &above);
                    below = fma(total, &rescale, &below);
                }
                let out = if as_it_goes { div(&above, &below) } else { above };
                state = Some((next, below, out));
            }
            let Some((_, below, above)) = state else { return x(0) };
            if as_it_goes { above } else { div(&above, &below) }
        }
        "variance" => {
            let row = row(dice, 2);
            let over = c(1, row.len() as i128);
            let mean = mul(&sum(row.iter().cloned()), &over);
            let squares = mul(&sum(row.iter().map(|x| mul(x, x))), &over);
            let variance = sub(&squares, &mul(&mean, &mean));
            let variance = if dice.below(2) == 0 { max(&variance, &c(0, 1)) } else { variance };
            div(&sub(&row[0], &mean), &sqrt(&add(&variance, &c(1, 8))))
        }
        "cosine" => {
            let (a, b) = (row(dice, 2), row(dice, 2));
            let dot = |a: &[E], b: &[E]| sum(a.iter().zip(b).map(|(a, b)| mul(a, b)));
            mul(
                &dot(&a, &b),
                &mul(&rsqrt(&add(&dot(&a, &a), &c(1, 1))), &rsqrt(&add(&dot(&b, &b), &c(1, 1)))),
            )
        }
        "soft cap" => {
            let (cap, a) = (positive(dice), leaf(dice));
            let (m, b) = (mul(&cap, &tanh(&div(&a, &cap))), leaf(dice));
            div(&exp(&m), &add(&exp(&m), &exp(&b)))
        }
        "elu" => {
            let a = leaf(dice);
            let below = sub(&exp(&min(&a, &c(0, 1))), &c(1, 1));
            match dice.below(2) {
                0 => fma(&positive(dice), &below, &max(&a, &c(0, 1))),
                _ => select(&less_equal(&a, &c(0, 1)), &mul(&positive(dice), &sub(&exp(&a), &c(1, 1))), &a),
            }
        }
        "argmax" => {
            let row = row(dice, 2);
            let (mut best, mut place) = (row[0].clone(), c(0, 1));
            for (at, value) in row.iter().enumerate().skip(1) {
                place = select(&less(&best, value), &c(at as i128, 1), &place);
                best = max(&best, value);
            }
            place
        }
        "min-max network" => {
            let mut row = row(dice, 3);
            for _ in 0..2 + dice.below(3) {
                let at = dice.below(row.len() as u64 - 1) as usize;
                (row[at], row[at + 1]) = (min(&row[at], &row[at + 1]), max(&row[at], &row[at + 1]));
            }
            row[dice.below(row.len() as u64) as usize].clone()
        }
        "guarded quotient" => {
            let (a, b) = (leaf(dice), leaf(dice));
            let none = and(&less_equal(&b, &c(0, 1)), &less_equal(&c(0, 1), &b));
            select(&none, &fraction(dice), &div(&mul(&a, &b), &b))
        }
        "silu by parts" => {
            let a = leaf(dice);
            let e = exp(&neg(&abs(&a)));
            select(&less(&a, &c(0, 1)), &div(&mul(&a, &e), &add(&c(1, 1), &e)), &div(&a, &add(&c(1, 1), &e)))
        }
        _ => {
            // One shape inside another, in place of an input.
            let (outer, inner) = (dice.below(15) as usize, dice.below(15) as usize);
            let (outer, inner) = (draw(dice, SHAPES[outer]), draw(dice, SHAPES[inner]));
            let inputs: Vec<_> =
                places(&outer).into_iter().filter(|(_, at)| matches!(**at, Expr::X(_))).collect();
            if inputs.is_empty() {
                return inner;
            }
            replaced(&outer, &inputs[dice.below(inputs.len() as u64) as usize].0, &inner)
        }
    }
}
