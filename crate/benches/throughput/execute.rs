//! Executing: thread-instructions a second by class, and multiply-adds.

use super::work::{
    ATTENTION_FLASH, ATTENTION_PLAIN, FLOATS, INTEGER, MATMUL_NAIVE, MATMUL_TILED, MEMORY, SOFTMAX_NAIVE,
    SOFTMAX_ONLINE, Work,
};
use divan::counter::ItemsCount;
use std::time::Instant;
use warpproof::term::{Term, Terms};

/// One class of instructions each, with nothing else but a loop.
const CLASSES: [&Work; 3] = [&INTEGER, &MEMORY, &FLOATS];
const KERNELS: [&Work; 6] =
    [&SOFTMAX_NAIVE, &SOFTMAX_ONLINE, &MATMUL_NAIVE, &MATMUL_TILED, &ATTENTION_PLAIN, &ATTENTION_FLASH];

fn execute(bencher: divan::Bencher<'_, '_>, work: &Work) {
    let (kernel, setup) = (work.kernel(), work.setup());
    let executed = work.run(&kernel, &setup).stats.thread_instructions;
    bencher.counter(ItemsCount::new(executed)).bench(|| work.run(&kernel, &setup));
}

/// Items are thread-instructions.
#[divan::bench(args = CLASSES, sample_count = 5, sample_size = 1)]
fn class(bencher: divan::Bencher<'_, '_>, work: &Work) {
    execute(bencher, work);
}

/// Items are thread-instructions.
#[divan::bench(args = KERNELS, sample_count = 5, sample_size = 1)]
fn kernel(bencher: divan::Bencher<'_, '_>, work: &Work) {
    execute(bencher, work);
}

/// Multiply-adds appended to a store, without a machine around them. Items are multiply-adds.
#[divan::bench(args = [1 << 16, 1 << 20, 1 << 23], sample_count = 5, sample_size = 1)]
fn appending(bencher: divan::Bencher<'_, '_>, count: u32) {
    bencher.counter(ItemsCount::new(count)).bench(|| {
        let mut terms = Terms::new();
        let mut sum = Term::element(0);
        for at in 0..count {
            sum = terms.fma(Term::element(at & 1023), Term::element(at >> 10), sum);
        }
        (terms.len(), sum)
    });
}

/// A table of what each kernel executes and holds, which divan cannot show: bytes, and nanoseconds
/// of the whole execution for each of its multiply-adds (one run).
pub fn facts() {
    println!(
        "{:38} {:>20} {:>12} {:>14} {:>20} {:>18}",
        "kernel", "thread-instructions", "term nodes", "bytes held", "bytes/multiply-add", "ns/multiply-add"
    );
    for work in CLASSES.iter().chain(&KERNELS) {
        let (kernel, setup) = (work.kernel(), work.setup());
        let begun = Instant::now();
        let stats = work.run(&kernel, &setup).stats;
        let time = begun.elapsed().as_nanos() as f64;
        let each = |amount: f64| match work.multiply_adds {
            0 => "-".to_owned(),
            count => format!("{:.1}", amount / count as f64),
        };
        println!(
            "{:38} {:>20} {:>12} {:>14} {:>20} {:>18}",
            work.name,
            stats.thread_instructions,
            stats.terms,
            stats.bytes,
            each(stats.bytes as f64),
            each(time)
        );
    }
}
