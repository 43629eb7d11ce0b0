//! Kernels with their launches, and pairs of them: what is measured.

use std::path::Path;
use warpproof::base::{Budget, Format, Source};
use warpproof::ir::{self, Kernel};
use warpproof::sim::{Binding, BoundParameter, Initial, Options, Run, Setup, TensorSetup, simulate};
use warpproof::spec::{Launch, Role};
use warpproof::syntax;
use warpproof::term::{Elements, Term};

/// Name, format, shape and role of a tensor; all arguments of these kernels are pointers to one.
pub type Tensor = (&'static str, Format, &'static [u64], Role);

/// A kernel and how it is launched.
pub struct Work {
    /// What the tables call it.
    pub name: &'static str,
    /// Its file, below the repository's root.
    pub file: &'static str,
    pub block: [u32; 3],
    pub tensors: &'static [Tensor],
    /// Multiply-adds on symbolic values that it does.
    pub multiply_adds: u64,
}

const F32: Format = Format::F32;
const SOFTMAX: &[Tensor] = &[("x", F32, &[1024], Role::In), ("y", F32, &[1024], Role::Out)];
const MATMUL: &[Tensor] =
    &[("A", F32, &[32, 512], Role::In), ("B", F32, &[512, 32], Role::In), ("C", F32, &[32, 32], Role::Out)];
const ATTENTION: &[Tensor] = &[
    ("Q", F32, &[16, 64], Role::In),
    ("K", F32, &[512, 64], Role::In),
    ("V", F32, &[512, 64], Role::In),
    ("O", F32, &[16, 64], Role::Out),
];

/// Integer and control work alone.
pub const INTEGER: Work = Work {
    name: "integers and branches",
    file: "crate/benches/kernels/integer.ptx",
    block: [1024, 1, 1],
    tensors: &[("out", Format::U32, &[1024], Role::Out)],
    multiply_adds: 0,
};

/// Loads and stores with their race shadow.
pub const MEMORY: Work = Work {
    name: "loads and stores, race shadow",
    file: "crate/benches/kernels/memory.ptx",
    block: [256, 1, 1],
    tensors: &[("x", F32, &[256_000], Role::In), ("y", F32, &[256_000], Role::Out)],
    multiply_adds: 0,
};

/// Symbolic floats without memory.
pub const FLOATS: Work = Work {
    name: "symbolic floats",
    file: "crate/benches/kernels/floats.ptx",
    block: [256, 1, 1],
    tensors: &[("x", F32, &[512], Role::In), ("y", F32, &[256], Role::Out)],
    multiply_adds: 256 * 2000 * 4,
};

pub const SOFTMAX_NAIVE: Work = Work {
    name: "softmax naive, N = 1024",
    file: "tests/corpus/kernels/softmax/softmax_naive.n1024.precise.ptx",
    block: [1024, 1, 1],
    tensors: SOFTMAX,
    multiply_adds: 0,
};

pub const SOFTMAX_ONLINE: Work = Work {
    name: "softmax online, N = 1024",
    file: "tests/corpus/kernels/softmax/softmax_online.n1024.precise.ptx",
    block: [1024, 1, 1],
    tensors: SOFTMAX,
    multiply_adds: 0,
};

pub const MATMUL_NAIVE: Work = Work {
    name: "matmul 32×32×512, naive",
    file: "tests/corpus/kernels/matmul/matmul_naive.k512.ptx",
    block: [32, 32, 1],
    tensors: MATMUL,
    multiply_adds: 32 * 32 * 512,
};

pub const MATMUL_TILED: Work = Work {
    name: "matmul 32×32×512, tiled",
    file: "tests/corpus/kernels/matmul/matmul_tiled.k512.ptx",
    block: [32, 32, 1],
    tensors: MATMUL,
    multiply_adds: 32 * 32 * 512,
};

pub const ATTENTION_PLAIN: Work = Work {
    name: "attention 16×64×512, plain",
    file: "tests/corpus/kernels/attention/attention_plain.full.precise.ptx",
    block: [16, 1, 1],
    tensors: ATTENTION,
    multiply_adds: 2 * 16 * 64 * 512,
};

pub const ATTENTION_FLASH: Work = Work {
    name: "attention 16×64×512, FlashAttention-1",
    file: "tests/corpus/kernels/attention/flash1.full.precise.ptx",
    block: [128, 1, 1],
    tensors: ATTENTION,
    multiply_adds: 2 * 16 * 64 * 512,
};

impl std::fmt::Display for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Work {
    pub fn text(&self) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(self.file);
        std::fs::read_to_string(path).expect("the kernels are part of the repository")
    }

    pub fn kernel(&self) -> Kernel {
        let parsed = syntax::parse(Source::Optimized, &self.text());
        ir::lower(Source::Optimized, &parsed.module, None).expect("these kernels lower").kernel
    }

    pub fn setup(&self) -> Setup {
        let mut first = 0;
        let mut tensors = Vec::new();
        let mut parameters = Vec::new();
        for (index, (name, format, shape, role)) in self.tensors.iter().enumerate() {
            let reserved: u64 = shape.iter().product();
            let initial = match role {
                Role::Out | Role::Scratch => Initial::Undefined,
                Role::In | Role::InOut => Initial::Symbolic { first },
            };
            first += reserved as u32;
            tensors.push(TensorSetup {
                variable: None,
                name: (*name).to_owned(),
                format: Some(*format),
                shape: Some(shape.to_vec()),
                strides: None,
                role: Some(*role),
                initial,
                reserved,
                others: None,
            });
            let binding = Binding::Pointer { tensor: index, offset: 0 };
            parameters.push(BoundParameter { offset: 8 * index as u32, size: 8, binding });
        }
        let launch = Launch {
            grid: [1, 1, 1],
            block: self.block,
            cluster: [1; 3],
            ctas: vec![[0, 0, 0]],
            dynamic_shared: Some(0),
        };
        Setup {
            launch,
            tensors,
            views: Vec::new(),
            parameters,
            maps: Default::default(),
            unknowable: (0, 0),
            contents: Default::default(),
            bounds: Vec::new(),
        }
    }

    pub fn run(&self, kernel: &Kernel, setup: &Setup) -> Run {
        let options = Options { timeline_events: 0, ..Options::default() };
        let run = simulate(&options, &Budget::default(), kernel, setup);
        assert!(run.faults.is_empty(), "{}: {:?}", self.name, run.faults);
        run
    }

    /// The terms of its last tensor, the output.
    fn outputs(&self, run: &Run) -> Vec<Term> {
        let state = run.tensors.iter().find(|state| state.tensor == self.tensors.len() - 1);
        state.expect("it has an output").elements.iter().map(|(_, term, _)| term).collect()
    }
}

/// Two kernels that were executed, ready to be compared.
pub struct Pair {
    pub runs: [Run; 2],
    pub elements: Elements,
    pub pairs: Vec<(Term, Term)>,
}

impl Pair {
    pub fn new(reference: &Work, optimized: &Work) -> Pair {
        let runs = [reference, optimized].map(|work| work.run(&work.kernel(), &work.setup()));
        let mut elements = Elements::default();
        for (name, format, shape, _) in reference.tensors {
            elements.push(*name, shape.to_vec(), *format, shape.iter().product());
        }
        let pairs = reference.outputs(&runs[0]).into_iter().zip(optimized.outputs(&runs[1])).collect();
        Pair { runs, elements, pairs }
    }
}
