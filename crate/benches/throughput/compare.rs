//! Comparing: elements decided and re-checked a second, and terms brought into normal form.

use super::work::{
    ATTENTION_FLASH, ATTENTION_PLAIN, MATMUL_NAIVE, MATMUL_TILED, Pair, SOFTMAX_NAIVE, SOFTMAX_ONLINE,
};
use divan::counter::ItemsCount;
use warpproof::base::{Budget, Format};
use warpproof::decide::{Decision, Equality, Method, Options, Problem};
use warpproof::term::{Elements, Term, Terms};
use warpproof::{check, decide};

const PAIRS: [&str; 3] = ["matrix product 32×32×512", "softmax, N = 1024", "attention 16×64×512"];

fn pair(name: &str) -> Pair {
    match name {
        "matrix product 32×32×512" => Pair::new(&MATMUL_NAIVE, &MATMUL_TILED),
        "softmax, N = 1024" => Pair::new(&SOFTMAX_NAIVE, &SOFTMAX_ONLINE),
        _ => Pair::new(&ATTENTION_PLAIN, &ATTENTION_FLASH),
    }
}

impl Pair {
    fn problem(&self) -> Problem<'_> {
        let [reference, optimized] = &self.runs;
        Problem {
            reference: &reference.terms,
            optimized: &optimized.terms,
            elements: &self.elements,
            pairs: &self.pairs,
        }
    }
}

fn decided(problem: &Problem<'_>) -> Decision {
    let decision = decide::decide(&Options::default(), &Budget::default(), problem).expect("within limits");
    let equal = |equality: &Equality| matches!(equality, Equality::Equal(_));
    assert!(decision.groups.iter().all(|group| equal(&group.equality)), "these pairs are equal");
    decision
}

/// Items are output elements.
#[divan::bench(args = PAIRS, sample_count = 5, sample_size = 1)]
fn deciding(bencher: divan::Bencher<'_, '_>, name: &str) {
    let pair = pair(name);
    bencher.counter(ItemsCount::new(pair.pairs.len())).bench(|| decided(&pair.problem()));
}

/// Items are output elements.
#[divan::bench(args = PAIRS, sample_count = 5, sample_size = 1)]
fn checking(bencher: divan::Bencher<'_, '_>, name: &str) {
    let pair = pair(name);
    let problem = pair.problem();
    let decision = decided(&problem);
    bencher.counter(ItemsCount::new(pair.pairs.len())).bench(|| {
        check::decision(&Options::default(), &Budget::default(), &problem, &decision, check::Ahead::default())
            .expect("within limits")
    });
}

/// Output elements of the sums below.
const SUMS: u32 = 64;

/// `Σ a[k]·b[k]` for each of [`SUMS`] elements, summed up or down.
fn sums(terms: &mut Terms, length: u32, down: bool) -> Vec<Term> {
    let sum = |element: u32| {
        let product = |k: u32| (Term::element(k), Term::element(length + (k + element) % length));
        let mut sum = terms.integer(0);
        for step in 0..length {
            let (a, b) = product(if down { length - 1 - step } else { step });
            sum = terms.fma(a, b, sum);
        }
        sum
    };
    (0..SUMS).map(sum).collect()
}

/// Sums of products in opposite orders: nothing is built alike, so both sides need their normal
/// form. Items are terms of both sides.
#[divan::bench(args = [128, 1024, 8192], sample_count = 10, sample_size = 1)]
fn normal_form(bencher: divan::Bencher<'_, '_>, length: u32) {
    let (mut reference, mut optimized) = (Terms::new(), Terms::new());
    let ups = sums(&mut reference, length, false);
    let downs = sums(&mut optimized, length, true);
    let mut elements = Elements::default();
    for name in ["a", "b"] {
        elements.push(name, vec![u64::from(length)], Format::F32, u64::from(length));
    }
    let pairs: Vec<(Term, Term)> = ups.into_iter().zip(downs).collect();
    let problem =
        Problem { reference: &reference, optimized: &optimized, elements: &elements, pairs: &pairs };
    let by_form = |equality: &Equality| matches!(equality, Equality::Equal(c) if matches!(c.method, Method::NormalForm { .. }));
    assert!(decided(&problem).groups.iter().all(|group| by_form(&group.equality)), "their forms are equal");
    bencher.counter(ItemsCount::new(reference.len() + optimized.len())).bench(|| decided(&problem));
}
