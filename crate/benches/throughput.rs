//! How fast the stages are on two kernels of the corpus: softmax at N = 1,024 (1,024 threads) and
//! the naive 32×32 matrix product over 512 columns. `cargo bench` prints a table of times and of
//! thread-instructions a second, and before it what each kernel executes and holds.
//!
//! Not measured here: whole questions end to end, and the browser.

use divan::counter::{BytesCount, ItemsCount};
use std::path::Path;
use warpproof::base::{Budget, Format, Source};
use warpproof::ir::{self, Kernel};
use warpproof::sim::{Binding, BoundParameter, Initial, Options, Run, Setup, TensorSetup, simulate};
use warpproof::spec::{Launch, Role};
use warpproof::syntax;

/// A kernel of the corpus and how it is launched.
struct Work {
    name: &'static str,
    ptx: &'static str,
    block: [u32; 3],
    /// Name, shape, role.
    tensors: &'static [(&'static str, &'static [u64], Role)],
    /// Multiply-adds on symbolic values that the kernel does.
    multiply_adds: u64,
}

const WORKS: &[Work] = &[
    Work {
        name: "softmax naive, N = 1024",
        ptx: "softmax/softmax_naive.n1024.precise.ptx",
        block: [1024, 1, 1],
        tensors: &[("x", &[1024], Role::In), ("y", &[1024], Role::Out)],
        multiply_adds: 0,
    },
    Work {
        name: "softmax online, N = 1024",
        ptx: "softmax/softmax_online.n1024.precise.ptx",
        block: [1024, 1, 1],
        tensors: &[("x", &[1024], Role::In), ("y", &[1024], Role::Out)],
        multiply_adds: 0,
    },
    Work {
        name: "matmul 32×32×512, naive",
        ptx: "matmul/matmul_naive.k512.ptx",
        block: [32, 32, 1],
        tensors: &[("A", &[32, 512], Role::In), ("B", &[512, 32], Role::In), ("C", &[32, 32], Role::Out)],
        multiply_adds: 32 * 32 * 512,
    },
    Work {
        name: "matmul 32×32×512, tiled",
        ptx: "matmul/matmul_tiled.k512.ptx",
        block: [32, 32, 1],
        tensors: &[("A", &[32, 512], Role::In), ("B", &[512, 32], Role::In), ("C", &[32, 32], Role::Out)],
        multiply_adds: 32 * 32 * 512,
    },
];

impl Work {
    fn text(&self) -> String {
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/kernels");
        std::fs::read_to_string(kernels.join(self.ptx)).expect("the corpus is part of the repository")
    }

    fn kernel(&self) -> Kernel {
        let parsed = syntax::parse(Source::Optimized, &self.text());
        ir::lower(Source::Optimized, &parsed.module, None).expect("corpus kernels lower").kernel
    }

    fn setup(&self) -> Setup {
        let mut first = 0;
        let mut tensors = Vec::new();
        let mut parameters = Vec::new();
        for (index, (name, shape, role)) in self.tensors.iter().enumerate() {
            let count: u64 = shape.iter().product();
            let initial = match role {
                Role::Out => Initial::Undefined,
                Role::In | Role::InOut => Initial::Symbolic { first },
            };
            first += count as u32;
            tensors.push(TensorSetup {
                name: (*name).to_owned(),
                format: Some(Format::F32),
                shape: Some(shape.to_vec()),
                strides: None,
                role: Some(*role),
                initial,
                reserved: count,
            });
            let binding = Binding::Pointer { tensor: index, offset: 0 };
            parameters.push(BoundParameter { offset: 8 * index as u32, size: 8, binding });
        }
        let launch = Launch { grid: [1, 1, 1], block: self.block, ctas: vec![[0, 0, 0]], dynamic_shared: 0 };
        Setup { launch, tensors, parameters }
    }

    fn run(&self, kernel: &Kernel, setup: &Setup) -> Run {
        let options = Options { timeline_events: 0, ..Options::default() };
        let run = simulate(&options, &Budget::default(), kernel, setup);
        assert!(run.faults.is_empty(), "{}: {:?}", self.name, run.faults);
        run
    }
}

#[divan::bench(args = [0, 1, 2, 3], sample_count = 5, sample_size = 1)]
fn simulation(bencher: divan::Bencher<'_, '_>, work: usize) {
    let work = &WORKS[work];
    let (kernel, setup) = (work.kernel(), work.setup());
    let executed = work.run(&kernel, &setup).stats.thread_instructions;
    bencher.counter(ItemsCount::new(executed)).bench(|| work.run(&kernel, &setup));
}

#[divan::bench(args = [0, 1, 2, 3])]
fn parsing(bencher: divan::Bencher<'_, '_>, work: usize) {
    let text = WORKS[work].text();
    bencher.counter(BytesCount::of_str(&text)).bench(|| syntax::parse(Source::Optimized, &text));
}

fn main() {
    println!(
        "{:28} {:>20} {:>12} {:>14} {:>20}",
        "kernel", "thread-instructions", "term nodes", "bytes held", "bytes/multiply-add"
    );
    for (index, work) in WORKS.iter().enumerate() {
        let run = work.run(&work.kernel(), &work.setup());
        let each = match work.multiply_adds {
            0 => "-".to_owned(),
            count => format!("{:.1}", (run.stats.terms * 16) as f64 / count as f64),
        };
        let stats = run.stats;
        println!(
            "{index} {:26} {:>20} {:>12} {:>14} {each:>20}",
            work.name, stats.thread_instructions, stats.terms, stats.bytes
        );
    }
    divan::main();
}
