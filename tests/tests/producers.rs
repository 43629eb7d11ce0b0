//! PTX as others write it: LLVM, Triton, hand-written code, compilers of long ago.
//!
//! `producers.txt` holds small modules, each with one habit: declarations, operands, expressions and
//! directives that today's nvcc does not write. All but those for PTX before 3.0 are accepted by ptxas of
//! CUDA 12.9 or 13.0. Each must be read without a complaint, printed and read again as the same, lowered,
//! and, where it has the usual two parameters, executed.

use std::path::Path;
use warpproof::base::Source;
use warpproof::report::Verdict;
use warpproof::{ir, syntax};
use warpproof_tests::ask::analyze;

/// Modules that no honest semantics executes yet, and what stops them.
const STOPPED: &[(&str, Verdict)] =
    &[("recursion", Verdict::Unsupported), ("malloc/free", Verdict::Unsupported)];

fn modules() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/producers.txt");
    let text = std::fs::read_to_string(path).expect("the modules are committed");
    let mut modules = Vec::new();
    for module in text.split("=== ").skip(1) {
        let (name, text) = module.split_once('\n').expect("a name and a module");
        // The last newline is that before the next name.
        modules.push((name.to_owned(), text.strip_suffix('\n').unwrap_or(text).to_owned()));
    }
    modules
}

#[test]
fn every_habit_is_read_lowered_and_executed() {
    let modules = modules();
    let mut wrong = String::new();
    for (name, text) in &modules {
        let parsed = syntax::parse(Source::Optimized, text);
        if let Some(complaint) = parsed.diagnostics.first() {
            wrong += &format!("{name}: {}\n", complaint.message);
            continue;
        }
        let again = syntax::parse(Source::Optimized, &syntax::print(&parsed.module));
        if again.module.without_spans() != parsed.module.clone().without_spans() {
            wrong += &format!("{name}: printed it is another\n");
        }
        let entries = ir::entries(&parsed.module);
        if let Err(errors) = ir::lower(Source::Optimized, &parsed.module, entries.last().copied()) {
            wrong += &format!("{name}: {}\n", errors[0].message);
            continue;
        }
        if !text.contains("k(.param .u64 A, .param .u64 B)") {
            continue;
        }
        let tensor = |name: &str| {
            format!(
                "[tensors.{name}]\ntype = \"u32\"\nshape = [256]\nrole = \"inout\"\ncontents = \"iota\"\n"
            )
        };
        let spec = format!(
            "[launch]\ngrid = [1, 1, 1]\nblock = [32, 1, 1]\n[optimized]\nargs = [\"A\", \"B\"]\n{}{}",
            tensor("A"),
            tensor("B")
        );
        let verdict = analyze(text, &spec).verdict;
        let stopped = STOPPED.iter().find(|(own, _)| own == name).map(|(_, verdict)| *verdict);
        let fits = match stopped {
            Some(expected) => verdict == expected,
            None => !matches!(
                verdict,
                Verdict::Unsupported | Verdict::InvalidPtx | Verdict::InvalidSpec | Verdict::Unknown
            ),
        };
        if !fits {
            wrong += &format!("{name}: {verdict:?}\n");
        }
    }
    assert!(modules.len() >= 100, "only {} modules", modules.len());
    assert!(wrong.is_empty(), "{wrong}");
}
