//! Symbolic values made readable, with the place that stored them.
//!
//! What is shown is what `decide` saw: library code that was recognized appears as the function it
//! computes, recovered constants under their names. Where two expressions have the same outline,
//! the parts that only one of them has are marked.

use super::Input;
use super::difference::{is_short, mark_differences};
use super::model::{Expression, Location};
use super::ready::Ready;
use super::texts::{Texts, cuda};
use crate::base::{Budget, Exhausted, Source};
use crate::decide::{Alike, Meanings, Options, Reading, idioms};
use crate::diag::Ledger;
use crate::ir::Kernel;
use crate::sim::Held;
use crate::term::print::{self, Printer, Segment};
use crate::term::{Elements, Term, Terms};
use std::cell::LazyCell;

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
    /// A reading that may have what is printed.
    pub reading: Option<&'a Reading<'a>>,
    /// For cancellation.
    pub budget: &'a Budget,
}

/// What places or registers of a kernel hold, in order, each with the instruction that wrote it: numbers as
/// expressions.
pub fn of_held<'h>(
    input: &Input<'_>,
    ready: &Ready,
    side: Side<'_>,
    held: impl Iterator<Item = (&'h Held, Option<u32>)> + Clone,
    budget: &Budget,
) -> Result<Vec<Option<Expression>>, Exhausted> {
    let printing = Printing {
        texts: &Texts::new(input.reference, input.optimized, input.spec),
        elements: &ready.bound.settled(),
        sides: [side, side],
        options: ready.options,
        reading: None,
        budget,
    };
    let samples: Vec<Sample> = held
        .clone()
        .filter_map(|(held, writer)| match held {
            Held::Number(term) => {
                Some(Sample { terms: [Some(*term), None], writers: [writer, None], compare: false })
            }
            Held::Nothing | Held::Bits => None,
        })
        .collect();
    let mut rendered = printing.render(&samples)?.into_iter();
    let shown = |(held, _): (&Held, _)| match held {
        Held::Number(_) => rendered.next().and_then(|[value, _]| value),
        Held::Nothing | Held::Bits => None,
    };
    Ok(held.map(shown).collect())
}

impl Printing<'_> {
    /// The expressions of some samples, in order.
    pub fn render(&self, samples: &[Sample]) -> Result<Vec<[Option<Expression>; 2]>, Exhausted> {
        let read = self.reading.and_then(|reading| {
            let pair = |sample: &Sample| reading.of_pair((sample.terms[0]?, sample.terms[1]?));
            Some((reading, samples.iter().map(pair).collect::<Option<Vec<_>>>()?))
        });
        if let Some((reading, pairs)) = read {
            let (left, right) = pairs.into_iter().unzip();
            let shown = [(reading.terms(0), left), (reading.terms(1), right)];
            return Ok(self.render_read(samples, shown, &reading.meanings));
        }
        let roots =
            [0, 1].map(|side| samples.iter().filter_map(|sample| sample.terms[side]).collect::<Vec<_>>());
        let [left, right] =
            [0, 1].map(|side| idioms::rewrite(self.sides[side].terms, &roots[side], self.budget));
        let rewritten = [left?, right?];
        let shown = [0, 1].map(|side| match &rewritten[side] {
            Some(rewritten) => (&rewritten.terms, rewritten.roots.clone()),
            None => (self.sides[side].terms, roots[side].clone()),
        });
        let sides = [0, 1].map(|side: usize| (shown[side].0, shown[side].1.as_slice()));
        // The readings are already in the ledger of the decision.
        let meanings = Meanings::of(&self.options, self.budget, sides, &mut Ledger::default())?;
        Ok(self.render_read(samples, shown, &meanings))
    }

    /// The same for samples that were read: each side's terms, and a root for each sample that has one.
    fn render_read(
        &self,
        samples: &[Sample],
        shown: [(&Terms, Vec<Term>); 2],
        meanings: &Meanings,
    ) -> Vec<[Option<Expression>; 2]> {
        // Both sides are made ready side by side.
        let trees = |side: usize| -> Vec<Option<print::Expression>> {
            let (terms, roots) = &shown[side];
            let constant = |at: usize| meanings.name(side, at).map(str::to_owned);
            let printer = self.printer(terms, &constant);
            let mut roots = roots.iter();
            let tree = |sample: &Sample| {
                sample.terms[side]?;
                Some(printer.expression(*roots.next()?, &[]))
            };
            samples.iter().map(tree).collect()
        };
        let (mut left, mut right) = rayon::join(|| trees(0), || trees(1));
        let mut roots = [0, 1].map(|side: usize| shown[side].1.iter().copied());
        for (sample, trees) in samples.iter().zip(left.iter_mut().zip(&mut right)) {
            let [first, second] = [0, 1].map(|side| sample.terms[side].and_then(|_| roots[side].next()));
            if let ((Some(a), Some(b)), true, Some(f), Some(g)) = (trees, sample.compare, first, second) {
                self.mark([a, b], [shown[0].0, shown[1].0], [f, g], meanings);
            }
        }
        let written = |side: usize, trees: Vec<Option<print::Expression>>| -> Vec<Option<Expression>> {
            let write = |(tree, sample): (Option<print::Expression>, &Sample)| {
                Some(self.expression(&tree?, side, sample))
            };
            trees.into_iter().zip(samples).map(write).collect()
        };
        let (left, right) = rayon::join(|| written(0, left), || written(1, right));
        left.into_iter().zip(right).map(|(left, right)| [left, right]).collect()
    }

    /// Marks what only one of two expressions has.
    pub fn mark(
        &self,
        [a, b]: [&mut print::Expression; 2],
        terms: [&Terms; 2],
        roots: [Term; 2],
        meanings: &Meanings,
    ) {
        let labelled = LazyCell::new(|| {
            [0, 1].map(|side| {
                let constant = |at: usize| meanings.name(side, at).map(str::to_owned);
                self.printer(terms[side], &constant).labelled(roots[side])
            })
        });
        // A verdict is not given up for marks: where no steps are left, there are more of them.
        let alike = LazyCell::new(|| Alike::of(terms, roots, meanings, self.budget).ok().flatten());
        let trees = if is_short(a) || is_short(b) {
            [Some(&labelled[0].0), Some(&labelled[1].0)]
        } else {
            [None, None]
        };
        let same = |x: usize, y: usize| {
            alike.as_ref().is_some_and(|alike| alike.are(labelled[0].1[x], labelled[1].1[y]))
        };
        mark_differences(a, b, trees, &same);
        // Where everything differs, marks say nothing.
        unmark(a);
        unmark(b);
    }

    /// A printer for what is shown.
    pub fn printer<'t>(
        &'t self,
        terms: &'t Terms,
        constant: &'t dyn Fn(usize) -> Option<String>,
    ) -> Printer<'t> {
        Printer { terms, elements: self.elements, constant, limit: LEAVES }
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
