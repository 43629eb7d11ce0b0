//! Tests of the PTX front end.

mod corpus;
mod errors;
mod forms;
mod fuzz;
mod generate;

use super::{Parsed, parse, print};
use crate::base::{LineIndex, Source};

/// Parses a text that must be good.
fn good(text: &str) -> Parsed {
    let parsed = parse(Source::Optimized, text);
    assert!(parsed.diagnostics.is_empty(), "{text}\n{}", errors(text, &parsed));
    parsed
}

/// `parse ∘ print` is the identity on the tree of `text`; gives the printed form.
fn round_trip(text: &str) -> String {
    let first = good(text).module;
    let printed = print(&first);
    let second = good(&printed).module;
    let (first, second) = (first.without_spans(), second.without_spans());
    assert!(first == second, "{text}\n{printed}\n{first:#?}\n{second:#?}");
    assert_eq!(print(&second), printed);
    printed
}

/// The diagnostics of a text, one a line: `line:column code message «text at the span»`.
fn errors(text: &str, parsed: &Parsed) -> String {
    let lines = LineIndex::new(text);
    let mut out = String::new();
    for diagnostic in &parsed.diagnostics {
        let span = diagnostic.primary.as_ref().expect("parse errors have a place").span;
        let at = lines.position(text, span.start);
        let (line, column, code) = (at.line, at.column, diagnostic.code);
        out +=
            &format!("{line}:{column} {code} {} «{}»\n", diagnostic.message, span.text(text).escape_debug());
    }
    out
}
