//! How fast the parts are, one by one: `cargo bench -p warpproof` (`npm run bench:parts`). Parsing
//! in bytes, executing in thread-instructions by class, comparing in output elements and terms, each
//! a second.
//!
//! `execute` holds the simulator, `compare` what comes after it, `work` the kernels: those of
//! `kernels/` have one class of instructions each, the others are the corpus's. Words on the command
//! line choose: `cargo bench -p warpproof -- deciding`.
//! Not measured here: whole questions end to end, and the browser (`npm run bench`).

mod compare;
mod execute;
mod work;

use divan::counter::BytesCount;
use warpproof::base::Source;
use warpproof::{ir, syntax};
use work::{ATTENTION_FLASH, INTEGER, MATMUL_TILED, SOFTMAX_ONLINE, Work};

const TEXTS: [&Work; 4] = [&INTEGER, &MATMUL_TILED, &SOFTMAX_ONLINE, &ATTENTION_FLASH];

#[divan::bench(args = TEXTS)]
fn parsing(bencher: divan::Bencher<'_, '_>, work: &Work) {
    let text = work.text();
    bencher.counter(BytesCount::of_str(&text)).bench(|| syntax::parse(Source::Optimized, &text));
}

#[divan::bench(args = TEXTS)]
fn lowering(bencher: divan::Bencher<'_, '_>, work: &Work) {
    let text = work.text();
    let parsed = syntax::parse(Source::Optimized, &text);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        ir::lower(Source::Optimized, &parsed.module, None).map(|lowered| lowered.kernel.code.len()).ok()
    });
}

fn main() {
    // Not when Cargo lists or tests the benchmarks.
    if std::env::args().any(|argument| argument == "--bench") {
        execute::facts();
    }
    divan::main();
}
