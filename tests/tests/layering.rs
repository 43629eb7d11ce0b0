//! The architecture as it is drawn: modules import only from layers above their own, and files
//! stay readable.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use warpproof_tests::corpus::files;

/// `DESIGN.md`, section 1. Modules of one layer do not import each other, except where listed.
const LAYERS: [(&str, u32); 15] = [
    ("base", 1),
    ("diag", 2),
    ("term", 2),
    ("isa", 3),
    ("decide", 3),
    ("syntax", 4),
    ("check", 4),
    ("ir", 5),
    ("spec", 5),
    ("formula", 4),
    ("sim", 6),
    ("sizes", 6),
    ("report", 7),
    ("wasm", 8),
    ("cli", 8),
];

/// Pairs that may not meet although their layers would allow it.
const FORBIDDEN: [(&str, &str); 5] =
    [("sim", "syntax"), ("sim", "decide"), ("spec", "ir"), ("check", "isa"), ("syntax", "decide")];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crate/src")
}

fn layer(module: &str) -> u32 {
    LAYERS.iter().find(|(name, _)| *name == module).unwrap_or_else(|| panic!("no layer for `{module}`")).1
}

/// The top-level modules that a line names after `crate::`; `use crate::{a, b::c}` names two.
fn named(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in line.split("crate::").skip(1) {
        let word = |text: &str| -> String {
            text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        };
        match part.strip_prefix('{') {
            None => found.push(word(part)),
            Some(list) => {
                let mut depth = 0;
                let mut start = true;
                for (at, c) in list.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => start = true,
                        c if start && c.is_alphabetic() => {
                            found.push(word(&list[at..]));
                            start = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    found
}

/// Production code of each module: what stands before a file's unit tests.
fn edges() -> BTreeMap<(String, String), String> {
    let mut edges = BTreeMap::new();
    for path in files(&source(), "rs") {
        let below = path.strip_prefix(source()).expect("below the source").to_owned();
        let module = below
            .components()
            .next()
            .and_then(|part| part.as_os_str().to_str())
            .unwrap_or_default()
            .to_owned();
        let test_file = below
            .components()
            .any(|part| ["tests", "tests.rs"].map(Some).contains(&part.as_os_str().to_str()));
        if ["lib.rs", "main.rs"].contains(&module.as_str()) || test_file {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable source");
        let production = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        // Comments may speak of anything; `use` lists may span lines.
        let code: String = production
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect::<Vec<_>>()
            .join(" ");
        for target in named(&code) {
            if target != module && LAYERS.iter().any(|(name, _)| *name == target) {
                edges.entry((module.clone(), target)).or_insert_with(|| below.display().to_string());
            }
        }
    }
    edges
}

#[test]
fn imports_point_up() {
    let edges = edges();
    assert!(edges.len() > 10, "the walk found only {edges:?}");
    for ((from, to), file) in &edges {
        // `diag` and `term` share a row, as do `isa` and `decide`: rows are sets, not chains.
        assert!(layer(to) < layer(from), "{file}: `{from}` imports `{to}`, which is not above it");
        assert!(!FORBIDDEN.contains(&(from.as_str(), to.as_str())), "{file}: `{from}` must not know `{to}`");
    }
}

#[test]
fn use_lists_are_read_whole() {
    assert_eq!(named("use crate::{base::{A, B}, diag::C, term};"), ["base", "diag", "term"]);
    assert_eq!(named("x: crate::sim::Run, y: crate::isa::Space"), ["sim", "isa"]);
}

#[test]
fn term_and_decision_speak_no_ptx() {
    for module in ["term", "decide", "check"] {
        for path in files(&source().join(module), "rs") {
            let text = std::fs::read_to_string(&path).expect("readable source");
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                for word in ["isa::", "syntax::", "ir::", "sim::"] {
                    assert!(
                        !code.contains(&format!("crate::{word}")),
                        "{}:{}: {line}",
                        path.display(),
                        number + 1
                    );
                }
            }
        }
    }
}

/// Below the faces nothing reads a clock, touches files or starts processes.
#[test]
fn the_core_is_pure() {
    for (module, layer) in LAYERS {
        if layer == 8 {
            continue;
        }
        for path in files(&source().join(module), "rs") {
            let text = std::fs::read_to_string(&path).expect("readable source");
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let test_file =
                path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs");
            for word in ["std::time", "std::fs", "std::net", "std::process", "std::env::"] {
                assert!(test_file || !code.contains(word), "{}: `{word}` below the faces", path.display());
            }
        }
    }
}

#[test]
fn files_stay_readable() {
    const LIMIT: usize = 1000;
    // Tables are as long as what they list.
    let table =
        |path: &Path| path.components().any(|part| part.as_os_str() == "rows") || path.ends_with("codes.rs");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for folder in ["crate/src", "tests/src", "tests/tests"] {
        for path in files(&root.join(folder), "rs") {
            let lines = std::fs::read_to_string(&path).expect("readable source").lines().count();
            assert!(lines <= LIMIT || table(&path), "{} has {lines} lines", path.display());
        }
    }
}

#[test]
fn every_module_opens_with_a_header() {
    for path in files(&source(), "rs") {
        let text = std::fs::read_to_string(&path).expect("readable source");
        assert!(text.starts_with("//!"), "{} does not say what it is", path.display());
    }
}
