//! PTX text to a syntax tree, and back.
//!
//! [`parse`] never fails: it gives the tree of what it could read and a diagnostic for each thing it
//! could not, with the place, what was expected and what was found. [`print`] writes a tree as
//! canonical PTX; `parse ∘ print` is the identity on trees (spans apart).
//!
//! The grammar is hand-written recursive descent over nom parsers, without a token stream: PTX needs
//! one token of look-ahead, files reach a million lines, and a failed statement must give a message
//! that names what a person would expect, not the last alternative tried. What each part reads is in
//! its header: `lex` (words, numbers, comments), `constant` (constant expressions), `operand`,
//! `statement`, `declare` (registers, variables, parameters), `module` (the top level), `recover`
//! (errors and where to go on).
//!
//! Guarantees: linear time in the text; no panic and no stack overflow on any text (nesting ends at
//! [`MAX_DEPTH`]); at most [`MAX_ERRORS`] errors; the same text gives the same tree.
//! Misses: nothing is resolved or checked here. Unknown opcodes, undeclared names, wrong operand
//! counts and declarations that make no sense are the business of `ir`.
//!
//! Source: PTX ISA 9.0, chapters 4–6 and 11.

// Fields and variants of the tree that say what they are called need no second sentence.
#![allow(missing_docs)]

pub mod ast;
mod constant;
mod declare;
mod foreign;
mod grammar;
mod lex;
mod module;
mod names;
mod operand;
mod print;
mod recover;
mod spans;
mod statement;
#[cfg(test)]
mod tests;

pub use print::{print, print_instruction};
pub use recover::{MAX_DEPTH, MAX_ERRORS};

use crate::base::Source;
use crate::diag::{Code, Diagnostic};

/// What [`parse`] gives.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Everything that could be read.
    pub module: ast::Module,
    /// What could not, in source order; empty for a good module.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a module. `which` is the text that diagnostics point into; spans are byte offsets of
/// `text`. Line ends may be CRLF, a byte-order mark and trailing NULs (as NVRTC leaves) are skipped.
pub fn parse(which: Source, text: &str) -> Parsed {
    let mut grammar = grammar::Grammar::new(which, text.trim_end_matches('\0'));
    if u32::try_from(text.len()).is_err() {
        let message = "a module of more than 4 GiB is not read";
        return Parsed {
            module: ast::Module::default(),
            diagnostics: vec![Diagnostic::error(Code::B001, message)],
        };
    }
    let input = grammar.source.as_bytes();
    let items = grammar.items(input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input));
    if items.is_empty()
        && let Some(foreign) = foreign::recognize(text)
        && let Some(first) = grammar.diagnostics.first()
    {
        // What else the parser says of such a text is noise.
        let message = format!("this is {}, not a PTX file", foreign.name);
        let mut diagnostic = Diagnostic::error(Code::P009, message);
        diagnostic.primary.clone_from(&first.primary);
        if let Some(label) = &mut diagnostic.primary {
            label.text.clear();
        }
        diagnostic.notes = foreign.ways.iter().map(|way| (*way).to_owned()).collect();
        grammar.diagnostics = vec![diagnostic];
    }
    Parsed { module: ast::Module { names: grammar.names, items }, diagnostics: grammar.diagnostics }
}
