//! The texts of a question, and positions in them: the one place where byte spans become lines.

use super::model::{CudaCall, CudaLocation, Location};
use crate::base::{LineIndex, Source, Span};
use crate::ir::Kernel;
use crate::spec::Formula;
use std::iter::successors;

/// Excerpts are for people: a line longer than this (minified or binary input) is cut.
const EXCERPT: usize = 400;

/// Inlined calls that a place names at most.
const CALLS: usize = 8;

struct Text<'a> {
    text: &'a str,
    lines: LineIndex,
}

/// Where the text of a formula stands in the spec.
enum Written {
    /// From this byte on, letter by letter.
    From(u32),
    /// With escapes, somewhere in this string.
    Within(Span),
}

/// The reference PTX, the optimized PTX and the spec.
pub struct Texts<'a> {
    texts: [Option<Text<'a>>; 3],
    formula: Option<Written>,
}

impl<'a> Texts<'a> {
    /// Indexes the texts there are.
    pub fn new(reference: Option<&'a str>, optimized: &'a str, spec: Option<&'a str>) -> Self {
        let index = |text: &'a str| Text { text, lines: LineIndex::new(text) };
        Texts { texts: [reference.map(index), Some(index(optimized)), spec.map(index)], formula: None }
    }

    /// Places in the reference are places in a formula, which may stand in the spec.
    pub fn set_formula(&mut self, formula: &Formula) {
        if formula.span == Span::default() {
            return;
        }
        let (start, written) = (formula.span.start, formula.span.text(self.text(Source::Spec)));
        let from = written.find(&formula.code).and_then(|at| u32::try_from(at).ok());
        self.formula = Some(match from {
            Some(from) => Written::From(start + from),
            None => Written::Within(formula.span),
        });
    }

    /// The text in which a place really is, and where.
    fn place(&self, source: Source, span: Span) -> (Source, Span) {
        match self.formula {
            Some(Written::From(from)) if source == Source::Reference => {
                (Source::Spec, Span { start: from + span.start, end: from + span.end })
            }
            Some(Written::Within(whole)) if source == Source::Reference => (Source::Spec, whole),
            _ => (source, span),
        }
    }

    /// A whole text; empty if it is not there.
    pub fn text(&self, source: Source) -> &str {
        self.texts[source as usize].as_ref().map_or("", |text| text.text)
    }

    /// The line on which a span begins, from 1; 1 for a text that is not there.
    pub fn line(&self, source: Source, span: Span) -> u32 {
        let (source, span) = self.place(source, span);
        let text = self.texts[source as usize].as_ref();
        text.map_or(1, |text| text.lines.position(text.text, span.start).line)
    }

    /// A span with line, column and the line's text.
    pub fn location(&self, source: Source, span: Span) -> Location {
        let (source, span) = self.place(source, span);
        let mut location = Location {
            source: source.into(),
            start: span.start,
            end: span.end,
            line: 1,
            column: 1,
            excerpt: String::new(),
        };
        if let Some(Text { text, lines }) = &self.texts[source as usize] {
            let position = lines.position(text, span.start);
            location.line = position.line;
            location.column = position.column;
            location.excerpt = lines.text(text, position.line).chars().take(EXCERPT).collect();
        }
        location
    }
}

/// The CUDA line of an instruction, where `.loc` tells, and of the calls inlined around it.
pub fn cuda(kernel: &Kernel, instr: u32) -> Option<CudaLocation> {
    let file = |of: u32| kernel.files.get(of as usize).cloned().unwrap_or_default();
    let location = kernel.locations.get(kernel.code.get(instr as usize)?.location as usize)?;
    // A caller has the lower number, so this ends; a recursive function may be its own caller.
    let inlined_at = successors(kernel.locations.get(location.caller as usize), |call| {
        kernel.locations.get(call.caller as usize)
    })
    .take(CALLS)
    .map(|call| CudaCall { file: file(call.file), line: call.line, column: call.column })
    .collect();
    Some(CudaLocation { file: file(location.file), line: location.line, column: location.column, inlined_at })
}
