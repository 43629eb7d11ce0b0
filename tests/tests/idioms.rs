//! The shapes that the idiom table matches are what its kernels compute.

use num_rational::BigRational;
use std::fmt::Write;
use warpproof::base::{Budget, Format, Source};
use warpproof::decide::idioms::{IDIOMS, print};
use warpproof::sim::{self, Binding, BoundParameter, Initial, Options, Setup, TensorSetup};
use warpproof::spec::Launch;
use warpproof::{ir, syntax};
use warpproof_tests::corpus::root;

const HEAD: &str = "\
# What compilers inline for library functions: the steps of what each kernel of the idiom table
# computes. UPDATE_EXPECT=1 cargo test -p warpproof-tests --test idioms writes this file.
";

/// What a kernel's first thread stores: the shape of `kernel`, `kernel@parameter` or `kernel#literal`.
fn shape(kernel: &str) -> String {
    let (kernel, literal) = kernel.split_once('#').map_or((kernel, None), |(kernel, at)| (kernel, Some(at)));
    let (path, parameter) =
        kernel.split_once('@').map_or((kernel, None), |(path, at)| (path, at.parse().ok()));
    let text = std::fs::read_to_string(root().join("kernels").join(format!("{path}.ptx")))
        .unwrap_or_else(|error| panic!("{path}.ptx: {error}"));
    let parsed = syntax::parse(Source::Optimized, &text);
    assert!(parsed.diagnostics.is_empty(), "{path}: {:?}", parsed.diagnostics);
    let kernel =
        ir::lower(Source::Optimized, &parsed.module, None).unwrap_or_else(|_| panic!("{path}")).kernel;
    let threads = kernel.required_block.map_or(1, |block| block[0]);
    let format = |first: usize| match path.split('/').next() {
        Some("half") => Format::F16,
        Some("bfloat") => Format::Bf16,
        Some("double") => Format::F64,
        Some("rounded_word") if first > 0 => Format::Bf16,
        _ => Format::F32,
    };
    let tensor = |first: usize| TensorSetup {
        variable: None,
        name: format!("x{first}"),
        format: Some(format(first)),
        shape: Some(vec![u64::from(threads)]),
        strides: None,
        role: None,
        initial: Initial::Symbolic { first: first as u32 * threads },
        reserved: u64::from(threads),
        others: None,
    };
    let pointer = |at: usize| BoundParameter {
        offset: 8 * at as u32,
        size: 8,
        binding: Binding::Pointer { tensor: at, offset: 0 },
    };
    let count = kernel.parameters.len();
    let setup = Setup {
        maps: Default::default(),
        unknowable: (0, 0),
        contents: Default::default(),
        bounds: Vec::new(),
        launch: Launch {
            grid: [1, 1, 1],
            block: [threads, 1, 1],
            cluster: [1; 3],
            ctas: vec![[0, 0, 0]],
            dynamic_shared: Some(0),
        },
        tensors: (0..count).map(tensor).collect(),
        views: Vec::new(),
        parameters: (0..count).map(pointer).collect(),
    };
    let budget = Budget::default();
    let options = Options { open_inputs: true, ..Options::default() };
    let run = sim::simulate(&options, &budget, &kernel, &setup);
    assert!(run.faults.is_empty(), "{path}: {:?}", run.faults);
    let output = parameter.unwrap_or(count - 1);
    let state = run.tensors.iter().find(|state| state.tensor == output).expect("the output was written");
    let Some((value, _)) = state.elements.get(0) else { panic!("{path} does not write parameter {output}") };
    let text = print(&run.terms, value, &budget).expect("the budget has no limit");
    let exact = literal.map(|literal| {
        let value: f64 = literal.parse().expect("a number");
        let value = if format(0) == Format::F64 { value } else { f64::from(value as f32) };
        BigRational::from_float(value).expect("finite").to_string()
    });
    // The first element of the n-th parameter is its n-th input; the literal comes behind them.
    let name = |word: &str| match word.strip_prefix('x') {
        Some(element) => {
            let element: u32 = element.parse().expect("a number");
            assert!(element.is_multiple_of(threads), "{path}: another thread's input");
            format!("x{}", element / threads)
        }
        None if exact.as_deref() == Some(word) => format!("x{output}"),
        None => word.to_owned(),
    };
    let line = |line: &str| line.split(' ').map(name).collect::<Vec<_>>().join(" ") + "\n";
    text.lines().map(line).collect()
}

#[test]
fn shapes_are_what_their_kernels_compute() {
    let mut text = HEAD.to_owned();
    for kernel in IDIOMS.iter().flat_map(|idiom| idiom.kernels) {
        write!(text, "\n[{kernel}]\n{}", shape(kernel)).expect("strings take everything");
    }
    let path = root().join("../../crate/src/decide/idioms/shapes.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &text).expect("the repository can be written");
    }
    let committed = std::fs::read_to_string(&path).expect("the file is committed");
    let line = committed.lines().zip(text.lines()).position(|(a, b)| a != b);
    assert!(committed == text, "shapes.txt differs from line {line:?} on (UPDATE_EXPECT=1 rewrites it)");
}
