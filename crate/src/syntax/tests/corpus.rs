//! Every PTX file of the test corpus parses, prints and parses to the same tree.

use std::path::{Path, PathBuf};

use super::{good, round_trip};
use crate::base::Source;
use crate::syntax::parse;

/// All PTX files under a folder, in order of their names.
pub(super) fn ptx_under(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ptx") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The folder with the compiled kernels.
pub(super) fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/kernels")
}

/// Kernels with an error on purpose.
const WRONG: &[&str] = &["missing_comma.ptx"];

#[test]
fn every_kernel_of_the_corpus_round_trips() {
    let mut instructions = 0;
    for path in ptx_under(&kernels()) {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        if path.file_name().is_some_and(|name| WRONG.iter().any(|wrong| name == *wrong)) {
            assert!(!parse(Source::Reference, &text).diagnostics.is_empty(), "{}", path.display());
            continue;
        }
        let printed = round_trip(&text);
        let module = good(&text).module;
        assert!(module.version().is_some(), "{}: no version", path.display());
        assert!(module.functions().any(|function| function.is_entry), "{}: no kernel", path.display());
        // The tree holds every statement: outside comments, strings and debugging sections, the print
        // has as many semicolons as the source.
        if !text.contains(".section") {
            assert_eq!(semicolons(&text), semicolons(&printed), "{}", path.display());
        }
        instructions += semicolons(&printed);
    }
    assert!(instructions > 0, "no kernel under {}", kernels().display());
}

fn semicolons(text: &str) -> usize {
    text.lines().map(|line| line.split("//").next().unwrap_or("").matches(';').count()).sum()
}
