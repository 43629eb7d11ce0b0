//! Symbolic values made readable, with the place that stored them.

use super::model::{Expression, Location};
use super::texts::{Texts, cuda};
use crate::base::Source;
use crate::ir::Kernel;
use crate::term::{Elements, Term, Terms};

/// One kernel's side of an expression.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// Which text.
    pub source: Source,
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its terms.
    pub terms: &'a Terms,
}

/// Where an instruction stands.
pub fn place(texts: &Texts<'_>, side: &Side<'_>, instr: u32) -> Option<Location> {
    let instr = side.kernel.code.get(instr as usize)?;
    Some(texts.location(side.source, instr.span))
}

/// The expression of a term.
pub fn expression(
    texts: &Texts<'_>,
    elements: &Elements,
    side: &Side<'_>,
    term: Term,
    writer: Option<u32>,
) -> Expression {
    let _ = (elements, side.terms, term);
    Expression {
        text: String::new(),
        marks: Vec::new(),
        mathml: String::new(),
        stored_at: writer.and_then(|instr| place(texts, side, instr)),
        cuda: writer.and_then(|instr| cuda(side.kernel, instr)),
    }
}
