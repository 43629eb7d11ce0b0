//! Tests of the lowering.

use crate::base::Source;
use crate::ir::{Lowered, dump, lower};
use crate::syntax::parse;

/// Lowers the only kernel of a text; diagnostics as lines.
fn lowered(text: &str) -> Result<Lowered, String> {
    let parsed = parse(Source::Optimized, text);
    if !parsed.diagnostics.is_empty() {
        return Err(format!("{:#?}", parsed.diagnostics));
    }
    lower(Source::Optimized, &parsed.module, None).map_err(|errors| {
        let each = errors.iter().map(|error| {
            let place = error.primary.as_ref().map_or("", |label| label.span.text(text));
            let notes: String = error.notes.iter().map(|note| format!(" ({note})")).collect();
            format!("{} {} at `{place}`{notes}", error.code, error.message)
        });
        each.collect::<Vec<_>>().join("\n")
    })
}

/// All PTX files of the corpus, in order.
fn corpus() -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpus"))];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(folder).expect("the corpus is there");
        for path in entries.map(|entry| entry.expect("readable").path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ptx") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// What the compilers emit lowers without an error, and everything in it is supported but for the
/// cases that are there to be unsupported.
#[test]
fn the_corpus_lowers() {
    let files = corpus();
    assert!(!files.is_empty());
    for path in files {
        let shown = path.display();
        let text = std::fs::read_to_string(&path).expect("readable");
        let invalid = path.components().any(|part| part.as_os_str() == "invalid_ptx");
        let unsupported = shown.to_string().contains("unsupported");
        let parsed = parse(Source::Optimized, &text);
        for entry in crate::ir::entries(&parsed.module) {
            match lower(Source::Optimized, &parsed.module, Some(entry)) {
                Ok(Lowered { kernel, .. }) => {
                    assert!(unsupported || kernel.notes.is_empty(), "{shown}: {:?}", kernel.notes);
                    assert!(dump(&kernel).lines().count() >= kernel.code.len());
                }
                Err(errors) => assert!(invalid, "{shown}: {errors:#?}"),
            }
        }
    }
}

#[test]
fn names_that_are_not_declared_are_reported_with_the_nearest() {
    let errors = lowered(
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .b32 %r<3>, count; add.s32 count, %r1, coumt; ret; }",
    );
    assert_eq!(errors.unwrap_err(), "V001 name coumt is not declared here at `coumt` (did you mean count?)");
}
