//! Places of maxima, the largest two, sorting by exchanges, insertion and rank; and random choices by
//! comparisons against all orders of what is compared.

use super::*;
use crate::term::Relation;

impl Build {
    fn greater(&mut self, a: Term, b: Term) -> Term {
        self.0.compare(Relation::Less, b, a)
    }
    fn not_less(&mut self, a: Term, b: Term) -> Term {
        self.0.compare(Relation::LessEqual, b, a)
    }
    fn same(&mut self, a: Term, b: Term) -> Term {
        self.0.compare(Relation::Equal, a, b)
    }
    fn integer(&mut self, value: usize) -> Term {
        self.q(value as i64, 1)
    }
}

/// How a place is found.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Place {
    First,
    Last,
    /// From the end, with ≥.
    Down,
    /// Neighbours, then neighbours of these.
    Tree,
    /// Halves of a row, the smaller place where scores tie.
    Halves,
    /// As `Halves`, one tie goes to the larger place.
    Unfair,
    /// By equality with the maximum, from the end.
    Equal,
    /// By equality with the maximum, from the beginning.
    EqualLast,
    /// The smallest place of those that are equal to the maximum.
    Smallest,
}

fn place(b: &mut Build, x: &[Term], payloads: &[Term], form: Place) -> Term {
    let n = x.len();
    let (mut best, mut at) = (x[0], payloads[0]);
    match form {
        Place::First | Place::Last => {
            for i in 1..n {
                let c = if form == Place::First { b.greater(x[i], best) } else { b.not_less(x[i], best) };
                (best, at) = (b.0.select(c, x[i], best), b.0.select(c, payloads[i], at));
            }
            at
        }
        Place::Down => {
            (best, at) = (x[n - 1], payloads[n - 1]);
            for i in (0..n - 1).rev() {
                let c = b.not_less(x[i], best);
                (best, at) = (b.0.select(c, x[i], best), b.0.select(c, payloads[i], at));
            }
            at
        }
        Place::Tree | Place::Halves | Place::Unfair => {
            let mut row: Vec<(Term, Term)> = x.iter().copied().zip(payloads.iter().copied()).collect();
            let mut places: Vec<Term> = (0..n).map(|at| b.integer(at)).collect();
            let merge =
                |b: &mut Build, row: &mut Vec<(Term, Term)>, places: &mut Vec<Term>, i: usize, j: usize| {
                    let ((p, a), (q, c)) = (row[i], row[j]);
                    let mut better = b.greater(q, p);
                    if form != Place::Tree {
                        let tie = b.same(q, p);
                        let smaller = if form == Place::Unfair && j == n - 1 {
                            b.greater(places[j], places[i])
                        } else {
                            b.greater(places[i], places[j])
                        };
                        let tie = b.0.and(tie, smaller);
                        better = b.0.or(better, tie);
                    }
                    row[i] = (b.0.select(better, q, p), b.0.select(better, c, a));
                    places[i] = b.0.select(better, places[j], places[i]);
                };
            if form == Place::Tree {
                let mut step = 1;
                while step < n {
                    for i in (0..n).step_by(2 * step).filter(|i| i + step < n) {
                        merge(b, &mut row, &mut places, i, i + step);
                    }
                    step *= 2;
                }
            } else {
                let mut step = n.next_power_of_two() / 2;
                while step > 0 {
                    for i in (0..step).filter(|i| i + step < n) {
                        merge(b, &mut row, &mut places, i, i + step);
                    }
                    step /= 2;
                }
            }
            row[0].1
        }
        Place::Equal | Place::EqualLast => {
            let max = b.max(x);
            let order: Vec<usize> =
                if form == Place::Equal { (0..n).rev().collect() } else { (0..n).collect() };
            at = payloads[order[0]];
            for i in order {
                let c = b.same(x[i], max);
                at = b.0.select(c, payloads[i], at);
            }
            at
        }
        Place::Smallest => {
            let max = b.max(x);
            let none = b.integer(n);
            let mut at = none;
            for i in 0..n {
                let c = b.same(max, x[i]);
                let own = b.0.select(c, payloads[i], none);
                at = b.0.min(at, own);
            }
            at
        }
    }
}

#[test]
fn the_first_and_the_last_place_of_a_maximum() {
    for size in (1..13).chain([17]) {
        let written = |places: bool, form: Place| {
            move |b: &mut Build| {
                let x = b.elements(0, size);
                let payloads =
                    if places { (0..size).map(|at| b.integer(at)).collect() } else { b.elements(5000, size) };
                vec![place(b, &x, &payloads, form)]
            }
        };
        let forms = [Place::First, Place::Down, Place::Tree, Place::Equal];
        for other in forms {
            let (one, two) = (written(false, Place::First), written(false, other));
            alike(&format!("payloads of {size}, {other:?}"), &[&one, &two]);
        }
        for other in [Place::Halves, Place::Smallest, Place::Equal].into_iter().filter(|_| size < 18) {
            let (one, two) = (written(true, Place::First), written(true, other));
            alike(&format!("places of {size}, {other:?}"), &[&one, &two]);
        }
        let (one, two) = (written(false, Place::Last), written(false, Place::EqualLast));
        alike(&format!("last of {size}"), &[&one, &two]);
        if size > 1 {
            let (one, two) = (written(true, Place::First), written(true, Place::Last));
            apart(&format!("ties of {size}"), &[&one, &two]);
        }
        if size > 2 {
            let (one, two) = (written(true, Place::First), written(true, Place::Unfair));
            apart(&format!("one tie of {size}"), &[&one, &two]);
        }
    }
}

/// The two largest, and their places.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Two {
    /// `if (v > a) {b = a; a = v} else if (v > b) b = v`
    Branch,
    /// `b = max(b, min(a, v)); a = max(a, v)`
    Network,
    Sort,
    /// The maximum, and the largest of the others.
    Others,
    /// As `Branch`, a new maximum does not hand the old one down.
    Forgetful,
}

fn two(b: &mut Build, x: &[Term], form: Two) -> Vec<Term> {
    let (mut first, mut second) = (x[0], Term::MINUS_INFINITY);
    match form {
        Two::Branch | Two::Forgetful => {
            for (at, v) in x.iter().enumerate().skip(1) {
                let (c, d) = (b.greater(*v, first), b.greater(*v, second));
                let lower = b.0.select(d, *v, second);
                let down = if form == Two::Forgetful && at == x.len() - 1 { second } else { first };
                second = b.0.select(c, down, lower);
                first = b.0.select(c, *v, first);
            }
        }
        Two::Network => {
            for v in &x[1..] {
                let least = b.0.min(first, *v);
                second = b.0.max(second, least);
                first = b.0.max(first, *v);
            }
        }
        Two::Sort => {
            let mut x = x.to_vec();
            for end in 1..x.len() {
                for at in (1..=end).rev() {
                    let c = b.greater(x[at], x[at - 1]);
                    (x[at - 1], x[at]) = (b.0.select(c, x[at], x[at - 1]), b.0.select(c, x[at - 1], x[at]));
                }
            }
            (first, second) = (x[0], x[1]);
        }
        Two::Others => {
            let places: Vec<Term> = (0..x.len()).map(|at| b.integer(at)).collect();
            let at = place(b, x, &places, Place::First);
            first = b.max(x);
            for (own, v) in places.iter().zip(x) {
                let it = b.same(*own, at);
                let it = b.0.not(it);
                let more = b.greater(*v, second);
                let c = b.0.and(it, more);
                second = b.0.select(c, *v, second);
            }
        }
    }
    vec![first, second]
}

#[test]
fn the_largest_two() {
    for size in 2..16 {
        let written = |form: Two| {
            move |b: &mut Build| {
                let x = b.elements(0, size);
                two(b, &x, form)
            }
        };
        for other in
            [Two::Branch, Two::Sort, Two::Others].into_iter().filter(|form| *form != Two::Others || size < 9)
        {
            let (one, two) = (written(Two::Network), written(other));
            alike(&format!("{size}, {other:?}"), &[&one, &two]);
        }
        if size > 2 {
            let (one, two, three) = (written(Two::Branch), written(Two::Network), written(Two::Forgetful));
            apart(&format!("{size}"), &[&one, &three]);
            apart(&format!("{size}"), &[&two, &three]);
        }
    }
}

/// A row sorted by insertion, with a flag for "still moving", or by counting what is smaller.
fn inserted(b: &mut Build, x: &[Term]) -> Vec<Term> {
    let mut x = x.to_vec();
    for end in 1..x.len() {
        let (key, old) = (x[end], x.clone());
        let mut moving: Option<Term> = None;
        for at in (0..end).rev() {
            let c = b.greater(old[at], key);
            let c = moving.map_or(c, |moving| b.0.and(moving, c));
            let rest = match moving {
                Some(moving) => b.0.select(moving, key, old[at + 1]),
                None => key,
            };
            x[at + 1] = b.0.select(c, old[at], rest);
            moving = Some(c);
        }
        if let Some(moving) = moving {
            x[0] = b.0.select(moving, key, old[0]);
        }
    }
    x
}

fn by_rank(b: &mut Build, x: &[Term], ties: bool) -> Vec<Term> {
    let n = x.len();
    let ranks: Vec<Term> = (0..n)
        .map(|i| {
            let mut count = Term::ZERO;
            for j in (0..n).filter(|j| *j != i) {
                let c = if j < i && ties { b.not_less(x[i], x[j]) } else { b.greater(x[i], x[j]) };
                let one = b.0.select(c, Term::ONE, Term::ZERO);
                count = b.0.add(count, one);
            }
            count
        })
        .collect();
    (0..n)
        .map(|k| {
            let k = b.integer(k);
            (0..n).fold(Term::ZERO, |row, i| {
                let c = b.same(ranks[i], k);
                b.0.select(c, x[i], row)
            })
        })
        .collect()
}

fn exchanged(b: &mut Build, x: &[Term]) -> Vec<Term> {
    let mut x = x.to_vec();
    for end in (1..x.len()).rev() {
        for at in 0..end {
            (x[at], x[at + 1]) = (b.0.min(x[at], x[at + 1]), b.0.max(x[at], x[at + 1]));
        }
    }
    x
}

#[test]
fn sorting_by_insertion_and_by_rank() {
    for size in 1..10 {
        let row = move |b: &mut Build| b.elements(0, size);
        let network = move |b: &mut Build| {
            let x = row(b);
            exchanged(b, &x)
        };
        let insertion = move |b: &mut Build| {
            let x = row(b);
            inserted(b, &x)
        };
        alike(&format!("insertion of {size}"), &[&network, &insertion]);
        if size < 7 {
            let ranks = move |b: &mut Build| {
                let x = row(b);
                by_rank(b, &x, true)
            };
            alike(&format!("ranks of {size}"), &[&network, &ranks]);
        }
        if size > 1 {
            let wrong = move |b: &mut Build| {
                let x = row(b);
                by_rank(b, &x, false)
            };
            apart(&format!("ranks without ties of {size}"), &[&network, &wrong]);
        }
    }
}

/// Random choices by comparisons, and what they are for some row.
struct Random {
    word: u64,
    /// Numbers of the row, constants, conditions: with their values in all rows.
    numbers: Vec<(Term, Vec<i64>)>,
    payloads: Vec<(Term, Vec<i64>)>,
    conditions: Vec<(Term, Vec<i64>)>,
}

impl Random {
    fn next(&mut self, most: usize) -> usize {
        self.word = self.word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.word >> 33) as usize % most
    }

    fn pick(&mut self, kind: usize) -> (Term, Vec<i64>) {
        let len = [&self.numbers, &self.payloads, &self.conditions][kind].len();
        let at = self.next(len);
        [&self.numbers, &self.payloads, &self.conditions][kind][at].clone()
    }

    fn step(&mut self, b: &mut Build) {
        let map =
            |a: &[i64], b: &[i64], f: fn(i64, i64) -> i64| a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect();
        match self.next(12) {
            0 => {
                let ((x, a), (y, c)) = (self.pick(0), self.pick(0));
                self.numbers.push((b.0.max(x, y), map(&a, &c, i64::max)));
            }
            1 => {
                let ((x, a), (y, c)) = (self.pick(0), self.pick(0));
                self.numbers.push((b.0.min(x, y), map(&a, &c, i64::min)));
            }
            kind @ 2..=6 => {
                let kind = usize::from(kind > 3);
                let ((p, z), (x, a), (y, c)) = (self.pick(2), self.pick(kind), self.pick(kind));
                let values = z.iter().zip(a.iter().zip(&c)).map(|(z, (a, c))| if *z == 1 { *a } else { *c });
                let made = (b.0.select(p, x, y), values.collect());
                if kind == 0 { &mut self.numbers } else { &mut self.payloads }.push(made);
            }
            kind @ 7..=9 => {
                let kind = usize::from(kind == 9);
                let ((x, a), (y, c)) = (self.pick(kind), self.pick(kind));
                let (relation, f): (_, fn(i64, i64) -> i64) = match self.next(3) {
                    0 => (Relation::Less, |a, b| i64::from(a < b)),
                    1 => (Relation::LessEqual, |a, b| i64::from(a <= b)),
                    _ => (Relation::Equal, |a, b| i64::from(a == b)),
                };
                self.conditions.push((b.0.compare(relation, x, y), map(&a, &c, f)));
            }
            10 => {
                let ((x, a), (y, c)) = (self.pick(2), self.pick(2));
                let made = if self.next(2) == 0 {
                    (b.0.and(x, y), map(&a, &c, |a, b| a & b))
                } else {
                    (b.0.or(x, y), map(&a, &c, |a, b| a | b))
                };
                self.conditions.push(made);
            }
            _ => {
                let (x, a) = self.pick(2);
                self.conditions.push((b.0.not(x), a.iter().map(|a| 1 - a).collect()));
            }
        }
    }
}

#[test]
fn random_choices_are_proved_only_where_all_orders_agree() {
    const ROW: usize = 3;
    let (mut equal, mut found) = (0, 0);
    for seed in 0..60u64 {
        // All weak orders of the row.
        let rows: Vec<Vec<i64>> = (0..ROW.pow(ROW as u32))
            .map(|row| (0..ROW).map(|at| (row / ROW.pow(at as u32) % ROW) as i64).collect())
            .collect();
        let build = |b: &mut Build| {
            let mut random = Random {
                word: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1,
                numbers: Vec::new(),
                payloads: Vec::new(),
                conditions: Vec::new(),
            };
            for at in 0..ROW {
                random.numbers.push((b.e(at as u32), rows.iter().map(|row| row[at]).collect()));
                let payload = b.integer(10 + at);
                random.payloads.push((payload, vec![10 + at as i64; rows.len()]));
            }
            let first = b.greater(b.e(0), b.e(1));
            random.conditions.push((first, rows.iter().map(|row| i64::from(row[0] > row[1])).collect()));
            for _ in 0..60 {
                random.step(b);
            }
            random
        };
        let random = build(&mut Build(crate::term::Terms::new()));
        // Neighbours among what is equal or nearly so: by how many rows tell them apart.
        for payloads in [false, true] {
            let list = if payloads { &random.payloads } else { &random.numbers };
            let mut pairs = Vec::new();
            for at in 0..list.len() {
                for other in 0..at {
                    let apart = list[at].1.iter().zip(&list[other].1).filter(|(a, b)| a != b).count();
                    if apart <= 3 && list[at].0 != list[other].0 {
                        pairs.push((at, other, apart));
                    }
                }
            }
            pairs.truncate(60);
            if pairs.is_empty() {
                continue;
            }
            let answers = proved(|b, optimized| {
                let random = build(b);
                let list = if payloads { &random.payloads } else { &random.numbers };
                pairs.iter().map(|pair| list[if optimized { pair.1 } else { pair.0 }].0).collect()
            });
            for ((one, two, apart), proved) in pairs.iter().zip(answers) {
                assert!(!proved || *apart == 0, "seed {seed}: {one} and {two} differ in {apart} rows");
                equal += u32::from(*apart == 0);
                found += u32::from(proved);
            }
        }
    }
    assert!(equal > 300 && found * 10 > equal * 7, "{found} of {equal}");
}
