//! Means of what a mask lets through, and what else is asked of how many there are.

use super::*;
use crate::term::Relation;

/// What is done about a row that is masked whole.
const GUARDS: [fn(&mut Build, Row) -> Term; 8] = [
    // s / max(c, 1)
    |b, row| {
        let below = b.0.max(row.count, Term::ONE);
        b.div(row.sum, below)
    },
    // c > 0 ? s / c : 0
    |b, row| {
        let some = b.0.compare(Relation::Less, Term::ZERO, row.count);
        row.mean_where(b, some)
    },
    // c >= 1 ? s / c : 0
    |b, row| {
        let some = b.0.compare(Relation::LessEqual, Term::ONE, row.count);
        row.mean_where(b, some)
    },
    // c == 0 ? 0 : s / c
    |b, row| {
        let none = b.0.compare(Relation::Equal, row.count, Term::ZERO);
        let some = b.0.not(none);
        row.mean_where(b, some)
    },
    // any ? s / c : 0
    |b, row| row.mean_where(b, row.any),
    // c < 1/2 ? 0 : s / c
    |b, row| {
        let half = b.q(1, 2);
        let some = b.0.compare(Relation::LessEqual, half, row.count);
        row.mean_where(b, some)
    },
    // s · (1 / max(c, 1))
    |b, row| {
        let below = b.0.max(row.count, Term::ONE);
        let factor = b.div(Term::ONE, below);
        b.mul(row.sum, factor)
    },
    // s / max(c, 1/8)
    |b, row| {
        let little = b.q(1, 8);
        let below = b.0.max(row.count, little);
        b.div(row.sum, below)
    },
];

/// The same without or with a wrong guard.
const WRONG: [fn(&mut Build, Row) -> Term; 3] = [
    |b, row| {
        let two = b.q(2, 1);
        let below = b.0.max(row.count, two);
        b.div(row.sum, below)
    },
    |b, row| {
        let some = b.0.compare(Relation::Less, Term::ONE, row.count);
        row.mean_where(b, some)
    },
    |b, row| {
        let below = b.add(row.count, Term::ONE);
        b.div(row.sum, below)
    },
];

struct Row {
    sum: Term,
    count: Term,
    any: Term,
}

impl Row {
    fn mean_where(&self, b: &mut Build, some: Term) -> Term {
        let mean = b.div(self.sum, self.count);
        b.0.select(some, mean, Term::ZERO)
    }
}

/// By branches, by selects, by weights, or counted by halves and from behind.
fn row(b: &mut Build, size: usize, form: usize) -> Row {
    let values = b.elements(0, size);
    let half = b.q(1, 2);
    let masks: Vec<Term> =
        b.elements(10_000, size).into_iter().map(|m| b.0.compare(Relation::Less, half, m)).collect();
    let (mut sum, mut count) = (Term::ZERO, Term::ZERO);
    let mut any = b.0.compare(Relation::Less, Term::ONE, Term::ZERO);
    let order: Vec<usize> = if form == 3 { (0..size).rev().collect() } else { (0..size).collect() };
    for at in order {
        let mask = masks[at];
        any = b.0.or(any, mask);
        match form {
            0 => {
                let (more, next) = (b.add(sum, values[at]), b.add(count, Term::ONE));
                (sum, count) = (b.0.select(mask, more, sum), b.0.select(mask, next, count));
            }
            1 => {
                let (own, one) =
                    (b.0.select(mask, values[at], Term::ZERO), b.0.select(mask, Term::ONE, Term::ZERO));
                (sum, count) = (b.add(sum, own), b.add(count, one));
            }
            2 => {
                let weight = b.0.select(mask, Term::ONE, Term::ZERO);
                (sum, count) = (b.0.fma(weight, values[at], sum), b.add(count, weight));
            }
            _ => {
                let (own, part) =
                    (b.0.select(mask, values[at], Term::ZERO), b.0.select(mask, half, Term::ZERO));
                (sum, count) = (b.add(sum, own), b.add(count, part));
            }
        }
    }
    if form == 3 {
        count = b.add(count, count);
    }
    Row { sum, count, any }
}

fn mean(form: usize, size: usize, guard: fn(&mut Build, Row) -> Term) -> impl Fn(&mut Build) -> Vec<Term> {
    move |b| {
        let row = row(b, size, form);
        vec![guard(b, row)]
    }
}

#[test]
fn means_of_what_is_there() {
    for size in [1, 2, 3, 4, 5, 8, 17, 33, 70] {
        for (at, guard) in GUARDS.iter().enumerate() {
            let (one, other) = ((size + at) % 3, (size + at + 1) % 3);
            let first = mean(one, size, GUARDS[(at + 1) % GUARDS.len()]);
            let second = mean(other, size, *guard);
            alike(&format!("{size}, guard {at}, {one} and {other}"), &[&first, &second]);
        }
        for (at, wrong) in WRONG.iter().enumerate() {
            // Of one, none or more than one is none.
            let first = mean(0, size, GUARDS[at]);
            apart(&format!("{size}, wrong guard {at}"), &[&first, &mean(1, size, *wrong)]);
        }
    }
}

/// How many there are, compared with a number.
fn asks(size: usize, form: usize, most: i64) -> impl Fn(&mut Build) -> Vec<Term> {
    move |b| {
        let Row { count, sum, .. } = row(b, size, form);
        let (bound, half) = (b.q(most, 1), b.q(2 * most + 1, 2));
        let (few, many) = match form {
            0 => (b.0.compare(Relation::LessEqual, count, bound), false),
            1 => (b.0.compare(Relation::Less, count, half), false),
            _ => (b.0.compare(Relation::Less, bound, count), true),
        };
        let [a, other] = if many { [Term::ZERO, sum] } else { [sum, Term::ZERO] };
        vec![b.0.select(few, a, other)]
    }
}

#[test]
fn some_of_many() {
    for (size, most) in [(3, 1), (5, 2), (17, 5), (40, 20), (70, 3)] {
        alike(
            &format!("{most} of {size}"),
            &[&asks(size, 0, most), &asks(size, 1, most), &asks(size, 2, most)],
        );
        apart(&format!("{most} of {size}"), &[&asks(size, 0, most), &asks(size, 2, most + 1)]);
    }
}
