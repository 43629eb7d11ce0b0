//! Symbolic values made readable, with the place that stored them.
//!
//! What is shown is what `decide` saw: library code that was recognised appears as the function it
//! computes, recovered constants under their names. Where two expressions have the same outline,
//! the parts that only one of them has are marked.

use super::difference::mark_differences;
use super::model::{Expression, Location};
use super::texts::{Texts, cuda};
use crate::base::{Budget, Exhausted, Source};
use crate::decide::{Meanings, Options, idioms};
use crate::diag::Ledger;
use crate::ir::Kernel;
use crate::term::print::{self, Printer, Segment};
use crate::term::{Elements, Term, Terms};

/// About how many leaves an expression shows.
const LEAVES: usize = 48;

/// One kernel's side.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// Which text.
    pub source: Source,
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its terms.
    pub terms: &'a Terms,
}

/// A term of each kernel, and the instructions that stored them; a side may be missing.
#[derive(Clone, Copy, Default)]
pub struct Sample {
    /// Reference and optimized.
    pub terms: [Option<Term>; 2],
    /// Who wrote them.
    pub writers: [Option<u32>; 2],
    /// Whether to mark what only one side has.
    pub compare: bool,
}

/// What expressions are made from.
pub struct Printing<'a> {
    /// The texts, for places.
    pub texts: &'a Texts<'a>,
    /// Names of the inputs.
    pub elements: &'a Elements,
    /// Reference and optimized (or one kernel twice).
    pub sides: [Side<'a>; 2],
    /// The user's choices.
    pub options: Options,
    /// For cancellation.
    pub budget: &'a Budget,
}

impl Printing<'_> {
    /// The expressions of some samples, in order.
    pub fn render(&self, samples: &[Sample]) -> Result<Vec<[Option<Expression>; 2]>, Exhausted> {
        let roots =
            [0, 1].map(|side| samples.iter().filter_map(|sample| sample.terms[side]).collect::<Vec<_>>());
        let rewritten = [
            idioms::rewrite(self.sides[0].terms, &roots[0], self.budget)?,
            idioms::rewrite(self.sides[1].terms, &roots[1], self.budget)?,
        ];
        let shown = |side: usize| match &rewritten[side] {
            Some(rewritten) => (&rewritten.terms, &rewritten.roots),
            None => (self.sides[side].terms, &roots[side]),
        };
        let [(left, left_roots), (right, right_roots)] = [shown(0), shown(1)];
        // The readings are already in the ledger of the decision.
        let meanings = Meanings::of(
            &self.options,
            self.budget,
            [(left, left_roots), (right, right_roots)],
            &mut Ledger::default(),
        )?;
        let mut next = [0, 0];
        let mut tree = |sample: &Sample, side: usize| {
            sample.terms[side]?;
            let (terms, roots) = if side == 0 { (left, left_roots) } else { (right, right_roots) };
            let root = roots[next[side]];
            next[side] += 1;
            let constant = |at: usize| meanings.name(side, at).map(str::to_owned);
            let printer = Printer { terms, elements: self.elements, constant: &constant, limit: LEAVES };
            Some(printer.expression(root, &[]))
        };
        let mut rendered = Vec::with_capacity(samples.len());
        for sample in samples {
            let mut trees = [tree(sample, 0), tree(sample, 1)];
            if let ([Some(a), Some(b)], true) = (&mut trees, sample.compare) {
                mark_differences(a, b);
                // Where everything differs, marks say nothing.
                unmark(a);
                unmark(b);
            }
            let [a, b] = trees;
            rendered.push([
                a.map(|tree| self.expression(&tree, 0, sample)),
                b.map(|tree| self.expression(&tree, 1, sample)),
            ]);
        }
        Ok(rendered)
    }

    fn expression(&self, tree: &print::Expression, side: usize, sample: &Sample) -> Expression {
        let (side, writer) = (&self.sides[side], sample.writers[side]);
        let mut expression = Expression {
            text: String::new(),
            marks: Vec::new(),
            mathml: String::new(),
            stored_at: writer.and_then(|instr| self.place(side, instr)),
            cuda: writer.and_then(|instr| cuda(side.kernel, instr)),
        };
        expression.show(&tree.segments(), tree.to_mathml());
        expression
    }

    fn place(&self, side: &Side<'_>, instr: u32) -> Option<Location> {
        let instr = side.kernel.code.get(instr as usize)?;
        Some(self.texts.location(side.source, instr.span))
    }
}

/// Takes away a mark around the whole.
fn unmark(tree: &mut print::Expression) {
    if let print::Expression::Marked(inner) = tree {
        *tree = std::mem::replace(inner, print::Expression::Ellipsis);
    }
}

impl Expression {
    /// Takes over a text in pieces.
    pub(super) fn show(&mut self, segments: &[Segment], mathml: String) {
        self.text.clear();
        self.marks.clear();
        for segment in segments {
            let start = self.text.len() as u32;
            self.text.push_str(&segment.text);
            if segment.marked {
                self.marks.push([start, self.text.len() as u32]);
            }
        }
        self.mathml = mathml;
    }
}
