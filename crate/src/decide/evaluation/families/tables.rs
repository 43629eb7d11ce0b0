//! What one integer chooses: an entry of a table, however it is looked up.

use super::super::field::random;
use super::*;
use crate::term::Relation;

/// Entry `i` of a row, for an integer i that is one of its places.
fn entry(b: &mut Build, size: usize, form: usize) -> Vec<Term> {
    let (x, at) = (b.elements(0, size + 1), b.e(INTEGERS));
    let is = |b: &mut Build, place: usize| {
        let place = b.q(place as i64, 1);
        b.0.compare(Relation::Equal, at, place)
    };
    let found = match form {
        // One place after the other; the last one is what is left.
        0 => (0..size - 1).rev().fold(x[size - 1], |rest, place| {
            let here = is(b, place);
            b.0.select(here, x[place], rest)
        }),
        // From the other end, each asked for.
        1 => (0..size).fold(Term::ZERO, |rest, place| {
            let here = is(b, place);
            b.0.select(here, x[place], rest)
        }),
        // Added up: each entry is 0 elsewhere. (Wrong: the first one is left out; the next one stands in its place.)
        2 | 6 | 7 => (usize::from(form == 6)..size).fold(Term::ZERO, |sum, place| {
            let here = is(b, place);
            let entry = if form == 7 && place == 0 { x[size] } else { x[place] };
            let part = b.0.select(here, entry, Term::ZERO);
            b.0.add(sum, part)
        }),
        // The sum goes on where it is the place.
        3 => (0..size).fold(Term::ZERO, |sum, place| {
            let here = is(b, place);
            let more = b.0.add(sum, x[place]);
            b.0.select(here, more, sum)
        }),
        // By halves, the comparison turned around at every other step.
        4 => halves(b, at, &x[..size], 0),
        // In steps: below the next place, and not below this one.
        _ => (0..size).fold(Term::ZERO, |sum, place| {
            let [low, high] = [place, place + 1].map(|place| b.q(2 * place as i64 - 1, 2));
            let below = b.0.compare(Relation::Less, at, high);
            let above = b.0.compare(Relation::LessEqual, low, at);
            let here = b.0.and(above, below);
            let part = b.0.select(here, x[place], Term::ZERO);
            b.0.add(sum, part)
        }),
    };
    let shared = b.mul(found, x[0]);
    vec![found, shared]
}

fn halves(b: &mut Build, at: Term, x: &[Term], from: usize) -> Term {
    let middle = x.len() / 2;
    if middle == 0 {
        return x[0];
    }
    let [low, high] =
        [(&x[..middle], from), (&x[middle..], from + middle)].map(|(x, from)| halves(b, at, x, from));
    let threshold = b.q((from + middle) as i64, 1);
    if middle.is_multiple_of(2) {
        let below = b.0.compare(Relation::Less, at, threshold);
        b.0.select(below, low, high)
    } else {
        let above = b.0.compare(Relation::LessEqual, threshold, at);
        b.0.select(above, high, low)
    }
}

#[test]
fn entries_of_tables() {
    let asked = |size: usize, one: usize, two: usize| {
        let bounds = [(INTEGERS, [0, size as i64 - 1])];
        proves_within(&bounds, |b, optimized| entry(b, size, if optimized { two } else { one }))
    };
    for size in (1..=70).chain([128, 256]) {
        for form in 1..6 {
            assert!(asked(size, form - 1, form), "{size}: {} and {form}", form - 1);
            assert!(asked(size, form, 0), "{size}: {form} and 0");
        }
    }
    for size in [1, 2, 3, 17] {
        for form in 0..6 {
            for wrong in [6, 7] {
                assert!(!asked(size, form, wrong) && !asked(size, wrong, form), "{size}: {form} and {wrong}");
            }
        }
    }
}

/// Where all of the row is not required, what is left at other places counts; bytes have 256 places by themselves.
#[test]
fn places_beside_the_table() {
    let asked = |size: usize, one: usize, two: usize| {
        proves(|b, optimized| entry(b, size, if optimized { two } else { one }))
    };
    for (size, same) in [(255, false), (256, true)] {
        assert_eq!(asked(size, 0, 1), same, "{size}");
        assert_eq!(asked(size, 4, 2), same, "{size}");
        assert!(asked(size, 1, 2) && asked(size, 3, 5), "{size}");
    }
}

/// What programs are made of: places of two numbers before, and a number or threshold.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Op {
    Add,
    Sub,
    Times(i64),
    Square,
    Select,
    /// An integer, or the sum of both, against a multiple of a half, beside 3 times the integer.
    Compare(Relation, usize, i64),
    And,
    Or,
    Not,
}

type Line = (Op, [usize; 3]);

const NUMBERS: usize = 4;
const SIDE: i64 = 6;

/// Random programs: numbers and conditions apart, each of those before it.
fn program(seed: u64, linear: bool) -> (Vec<Line>, Vec<Line>) {
    let mut drawn = 0;
    let mut draw = |below: usize| {
        drawn += 1;
        (random([seed, 77], drawn) % below as u64) as usize
    };
    let (mut conditions, mut numbers): (Vec<Line>, Vec<Line>) = (Vec::new(), Vec::new());
    for _ in 0..6 {
        let count = conditions.len();
        let integers = if linear { 1 } else { 3 };
        let op = match draw(6) {
            3 if count > 0 => Op::And,
            4 if count > 0 => Op::Or,
            5 if count > 0 => Op::Not,
            kind => {
                let relation = [Relation::Less, Relation::LessEqual, Relation::Equal][kind % 3];
                Op::Compare(relation, draw(integers), draw(2 * SIDE as usize + 2) as i64 - 1)
            }
        };
        let of = if count > 0 { [draw(count), draw(count), 0] } else { [0; 3] };
        conditions.push((op, of));
    }
    for _ in 0..7 {
        let count = NUMBERS + numbers.len();
        let op = match draw(10) {
            0 => Op::Add,
            1 => Op::Sub,
            2 => Op::Times(draw(5) as i64 - 2),
            3 if !linear => Op::Square,
            _ => Op::Select,
        };
        let late = |draw: &mut dyn FnMut(usize) -> usize| count - 1 - draw(count.min(5));
        let of = match op {
            Op::Select => [draw(conditions.len()), late(&mut draw), draw(count)],
            _ => [late(&mut draw), draw(count), 0],
        };
        numbers.push((op, of));
    }
    (conditions, numbers)
}

fn built(b: &mut Build, (conditions, numbers): &(Vec<Line>, Vec<Line>)) -> Vec<Term> {
    let [e, f] = [0, 1].map(|at| b.e(INTEGERS + at));
    let sum = b.add(e, f);
    let (mut holds, mut values) = (Vec::new(), b.elements(0, NUMBERS));
    for (op, [x, y, _]) in conditions {
        let condition = match op {
            Op::Compare(relation, integer, halves) => {
                let (three, number) = (b.q(3, 1), b.q(3 * halves, 2));
                let thrice = b.mul(three, [e, f, sum][*integer]);
                b.0.compare(*relation, thrice, number)
            }
            Op::And => b.0.and(holds[*x], holds[*y]),
            Op::Or => b.0.or(holds[*x], holds[*y]),
            _ => b.0.not(holds[*x]),
        };
        holds.push(condition);
    }
    for (op, [x, y, z]) in numbers {
        let value = match op {
            Op::Add => b.add(values[*x], values[*y]),
            Op::Sub => b.sub(values[*x], values[*y]),
            Op::Times(factor) => {
                let factor = b.q(*factor, 1);
                b.mul(factor, values[*x])
            }
            Op::Square => b.mul(values[*x], values[*x]),
            _ => b.0.select(holds[*x], values[*y], values[*z]),
        };
        values.push(value);
    }
    vec![values[values.len() - 1]]
}

/// What a program comes to for all pairs of integers.
fn values((conditions, numbers): &(Vec<Line>, Vec<Line>)) -> Vec<i128> {
    let mut all = Vec::new();
    for point in 0..SIDE * SIDE {
        let (e, f) = (point % SIDE, point / SIDE);
        let (mut holds, mut values): (_, Vec<i128>) = (Vec::new(), vec![1_000_003, 20_011, -307, 11]);
        for (op, [x, y, _]) in conditions {
            holds.push(match op {
                Op::Compare(relation, integer, halves) => {
                    let twice = 2 * [e, f, e + f][*integer];
                    match relation {
                        Relation::Less => twice < *halves,
                        Relation::LessEqual => twice <= *halves,
                        Relation::Equal => twice == *halves,
                    }
                }
                Op::And => holds[*x] && holds[*y],
                Op::Or => holds[*x] || holds[*y],
                _ => !holds[*x],
            });
        }
        for (op, [x, y, z]) in numbers {
            let of = |at: &usize| -> i128 { values[*at] };
            values.push(match op {
                Op::Add => of(x).wrapping_add(of(y)),
                Op::Sub => of(x).wrapping_sub(of(y)),
                Op::Times(factor) => of(x).wrapping_mul((*factor).into()),
                Op::Square => of(x).wrapping_mul(of(x)),
                _ if holds[*x] => values[*y],
                _ => values[*z],
            });
        }
        all.push(values[values.len() - 1]);
    }
    all
}

/// Random choices by two integers: what is proved is equal at all of them. By one integer alone, with sums: what is
/// equal is proved.
#[test]
fn random_choices() {
    let bounds = [(INTEGERS, [0, SIDE - 1]), (INTEGERS + 1, [0, SIDE - 1])];
    let (mut equal, mut different) = (0, 0);
    for round in 0..4000 {
        let linear = round % 2 == 0;
        let one = program(round, linear);
        // The same with one line changed, or another program that may have the same values.
        let mut two = one.clone();
        let draw = |at: u64, below: usize| (random([round, 99], at) % below as u64) as usize;
        let other = program(round + 1_000_000, linear);
        let changed = draw(0, two.0.len());
        two.0[changed].0 = match (two.0[changed].0, other.0[changed].0) {
            (Op::And | Op::Or, _) => [Op::And, Op::Or][draw(1, 2)],
            (Op::Compare(relation, integer, halves), _) => {
                let relation = [relation, Relation::Less, Relation::LessEqual][draw(2, 3)];
                Op::Compare(relation, integer, halves + draw(3, 3) as i64 - 1)
            }
            (op, _) => op,
        };
        if draw(4, 3) == 0 {
            two.1[draw(5, one.1.len())].1[1] = draw(6, NUMBERS);
        }
        let same = values(&one) == values(&two);
        let proved = proves_within(&bounds, |b, optimized| built(b, if optimized { &two } else { &one }));
        assert!(same || !proved, "{one:?}\n{two:?}");
        assert!(!linear || proved || !same, "not proved: {one:?}\n{two:?}");
        equal += usize::from(same);
        different += usize::from(!same);
    }
    assert!(equal > 500 && different > 500, "{equal} equal, {different} different");
}
