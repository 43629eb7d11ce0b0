//! The differing parts of a counterexample, traced to the instructions that made them.
//!
//! What is marked in the printed expressions is a part of a term; the part's node is looked for in a
//! second run of its kernel ([`crate::sim::origins`]). A tensor element was read, not made: the
//! instruction that brought it in is named, and the one that first used it within the whole. A
//! constant has no instruction of its own, and what recognized library code stands for has no single
//! one: then it is the one that made the nearest enclosing part, and the step says so.
//!
//! Guarantees: see [`crate::sim::origins`]; nothing here is kept while verifying, and the report is
//! the same with or without it.
//! Misses: of a sum over an index the first member is traced, for all of them.

use super::Input;
use super::bind::Bound;
use super::compare::{Place, collect, disagreements};
use super::evidence::Scene;
use super::expression::{Printing, Sample, Side};
use super::model::{OriginRole, OriginStep, Origins, PartOrigin};
use super::pipeline::on_each;
use super::ready::Ready;
use super::texts::{Texts, cuda};
use crate::base::{Budget, Exhausted};
use crate::decide::{Meanings, idioms};
use crate::diag::Ledger;
use crate::sim::{self, Thread};
use crate::term::eval::operands;
use crate::term::flatten::{Part, flatten_sum};
use crate::term::print::{Expression, Printer};
use crate::term::{Term, Terms};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::mem::discriminant;

/// Kernels of up to so many thread-instructions are traced without being asked for, where a person
/// waits for the answer anyway: it takes about a second.
pub const TRACEABLE: u64 = 20_000_000;

/// Leaves of an enclosing part that are shown.
const LEAVES: usize = 8;
/// Nodes looked at for the use of a leaf.
const SEARCHED: usize = 1 << 16;
/// Longer sums are not compared summand by summand.
const SUMMANDS: usize = 1024;
/// Marked parts that are traced on each side.
const TRACED: usize = 16;

/// The element of a counterexample.
#[derive(Clone, Debug, serde::Deserialize)]
#[cfg_attr(feature = "wasm", derive(tsify::Tsify))]
pub struct OriginQuestion {
    /// The output tensor.
    pub tensor: String,
    /// The element's flat index.
    pub index: u64,
}

/// A part to trace, as far as it is known without running anything.
struct Traced {
    origin: PartOrigin,
    /// What to look for, and what the step then is.
    wanted: Vec<(OriginRole, String, Term)>,
}

/// Runs both kernels again and traces what differs in one element; `None` for texts that do not run
/// or an element that is not compared.
pub fn origins(input: &Input<'_>, question: &OriginQuestion, budget: &Budget) -> Option<Origins> {
    let (spec, _) = input.read_spec();
    let Ready { kernels, mut bound, options: read, .. } = Ready::new(input, budget)?;
    let options = sim::Options {
        collectives_order_memory: spec.options.collectives_order_memory,
        timeline_events: 0,
        ..sim::Options::default()
    };
    let [(first, reference), (second, optimized)] = kernels.as_slice() else { return None };
    let run = |bound: &Bound| {
        let run = |at: usize| sim::simulate(&options, budget, [reference, optimized][at], &bound.setups[at]);
        on_each(bound, 2, run, |run| run.unnumbered)
    };
    let mut runs = run(&bound);
    let changes = disagreements(&bound, &runs.iter().collect::<Vec<_>>());
    if !changes.is_empty() {
        bound.agree(changes);
        runs = run(&bound);
    }
    let comparison = collect(&bound, &mut runs.iter_mut().collect::<Vec<_>>(), &[reference, optimized]);
    bound.settle();
    let asked = |place: &Place| {
        place.index == question.index
            && bound.tensors[comparison.outputs[place.output].tensor].name == question.tensor
    };
    let at = comparison.places.iter().position(asked)?;
    let (place, (f, g)) = (comparison.places[at], comparison.pairs[at]);
    let texts = Texts::new(input.reference, input.optimized, input.spec);
    let scene = Scene {
        texts: &texts,
        bound: &bound,
        sides: [
            Side { source: *first, kernel: reference, terms: &runs[0].terms },
            Side { source: *second, kernel: optimized, terms: &runs[1].terms },
        ],
        reached: &[],
        options: read,
        reading: None,
        budget,
    };
    let sample = Sample { terms: [Some(f), Some(g)], writers: place.writers, compare: true };
    trace(&scene, &options, &sample, (comparison.outputs[place.output].tensor, place.index)).ok()
}

/// Traces what differs between the two terms of a sample, which both kernels left in an element.
pub fn trace(
    scene: &Scene<'_>,
    options: &sim::Options,
    sample: &Sample,
    element: (usize, u64),
) -> Result<Origins, Exhausted> {
    let [reference, optimized] = scene.printing().parts(sample)?;
    let run = |side: usize, traced: Vec<Traced>| steps(scene, options, sample, element, side, traced);
    let (reference, optimized) = rayon::join(|| run(0, reference), || run(1, optimized));
    scene.budget.poll()?;
    Ok(Origins { reference, optimized })
}

/// Runs one kernel again and says where its parts come from.
fn steps(
    scene: &Scene<'_>,
    options: &sim::Options,
    sample: &Sample,
    element: (usize, u64),
    at: usize,
    traced: Vec<Traced>,
) -> Vec<PartOrigin> {
    let side = &scene.sides[at];
    let wanted: Vec<Term> = traced.iter().flat_map(|part| &part.wanted).map(|(.., term)| *term).collect();
    let setup = &scene.bound.setups[at];
    let found = match side.kernel.formula {
        true => sim::Origins { of: vec![Vec::new(); wanted.len()], storer: None },
        false => sim::origins(options, scene.budget, side.kernel, setup, (side.terms, &wanted), element),
    };
    let step = |role, of: &str, instr: u32, thread: String| {
        let span = side.kernel.code.get(instr as usize)?.span;
        Some(OriginStep {
            role,
            of: of.to_owned(),
            at: scene.texts.location(side.source, span),
            cuda: cuda(side.kernel, instr),
            opcode: side.kernel.opcode(instr).to_owned(),
            thread,
        })
    };
    let mut of = found.of.iter();
    let mut parts = Vec::new();
    for Traced { mut origin, wanted } in traced {
        for (role, text, _) in &wanted {
            for found in of.next().into_iter().flatten() {
                let who = if found.whole_warp { warp(found.thread) } else { found.thread.to_string() };
                origin.steps.extend(step(*role, text, found.instr, who));
            }
        }
        if let (true, Some(instr)) = (origin.steps.is_empty(), sample.writers[at]) {
            let who = found.storer.map_or_else(String::new, |thread| thread.to_string());
            origin.steps.extend(step(OriginRole::Stores, "", instr, who));
        }
        parts.push(origin);
    }
    parts
}

/// `warp 2 of CTA (1,0,0)`
fn warp(thread: Thread) -> String {
    let [x, y, z] = thread.cta;
    let cta = if thread.cta == [0, 0, 0] { String::new() } else { format!(" of CTA ({x},{y},{z})") };
    format!("warp {}{cta}", thread.linear / 32)
}

impl Printing<'_> {
    /// The marked parts of both expressions of a sample; the whole where nothing is marked.
    fn parts(&self, sample: &Sample) -> Result<[Vec<Traced>; 2], Exhausted> {
        let roots = sample.terms.map(|term| term.unwrap_or(Term::ZERO));
        let rewritten = [
            idioms::rewrite_traceably(self.sides[0].terms, &[roots[0]], self.budget)?,
            idioms::rewrite_traceably(self.sides[1].terms, &[roots[1]], self.budget)?,
        ];
        let shown = |side: usize| match &rewritten[side] {
            Some((new, _)) => (&new.terms, new.roots.as_slice()),
            None => (self.sides[side].terms, &roots[side..=side]),
        };
        let meanings =
            Meanings::of(&self.options, self.budget, [shown(0), shown(1)], &mut Ledger::default())?;
        let constants = [0, 1].map(|side| {
            let meanings = &meanings;
            move |at: usize| meanings.name(side, at).map(str::to_owned)
        });
        let printers = [0, 1].map(|side| self.printer(shown(side).0, &constants[side]));
        let mut trees = [0, 1].map(|side| printers[side].expression(shown(side).1[0], &[]));
        let [a, b] = &mut trees;
        self.mark([a, b], [shown(0).0, shown(1).0], [shown(0).1[0], shown(1).1[0]], &meanings);
        let labelled = [0, 1].map(|side| printers[side].labelled(shown(side).1[0]));
        let marked = [0, 1].map(|side| Marked::of(&trees[side], &labelled[side].0));
        Ok([0, 1].map(|side| {
            let places = rewritten[side].as_ref().map(|(_, places)| places.as_slice());
            let search = Search { printer: &printers[side], terms: shown(side).0, places };
            let part = |side: usize, at: usize| {
                marked[side].get(at).and_then(|marked| Some(labelled[side].1[*marked.chain.last()?]))
            };
            let traced = |at: usize| {
                let mut traced = search.traced(&marked[side][at], &labelled[side].1);
                // Of two sums, what one has and the other has not says more than the sums.
                if let (Some(own), Some(other)) = (part(side, at), part(1 - side, at)) {
                    traced.wanted.extend(search.alone(own, &printers[1 - side], other));
                }
                traced
            };
            (0..marked[side].len().min(TRACED)).map(traced).collect()
        }))
    }
}

/// A marked part of a printed tree.
struct Marked {
    mark: Option<u32>,
    formula: Option<u32>,
    text: String,
    /// Labels from the whole down to it.
    chain: Vec<usize>,
}

impl Marked {
    fn of(tree: &Expression, labelled: &Expression) -> Vec<Marked> {
        let mut found: Vec<(&Expression, Vec<usize>)> = Vec::new();
        collect_marked(tree, labelled, &mut Vec::new(), &mut found);
        let (mut text, mut formula) = (Vec::new(), Vec::new());
        in_order(tree, |choice| choice, &mut text);
        // A formula has a choice's first value before its condition.
        in_order(tree, |[condition, a, b]| [a, condition, b], &mut formula);
        let number = |order: &[&Expression], part: &Expression| {
            order.iter().position(|other| std::ptr::eq(*other, part)).map(|at| at as u32)
        };
        let numbered = found.into_iter().map(|(part, chain)| Marked {
            mark: number(&text, part),
            formula: number(&formula, part),
            text: part.to_string(),
            chain,
        });
        let mut all: Vec<Marked> = numbered.collect();
        if all.is_empty()
            && let Expression::Labelled(label, _) = labelled
        {
            let text = tree.to_string();
            all.push(Marked { mark: None, formula: None, text, chain: vec![*label] });
        }
        all
    }
}

/// The marked parts in the order of the text, each with the labels around it. The two trees are to
/// differ in nothing but marks and labels; what lies below a place where they do is left out.
fn collect_marked<'e>(
    tree: &'e Expression,
    labelled: &Expression,
    chain: &mut Vec<usize>,
    found: &mut Vec<(&'e Expression, Vec<usize>)>,
) {
    let (depth, mut labelled) = (chain.len(), labelled);
    while let Expression::Labelled(label, inner) = labelled {
        chain.push(*label);
        labelled = inner;
    }
    if let Expression::Marked(_) = tree {
        found.push((tree, chain.clone()));
    } else if discriminant(tree) == discriminant(labelled)
        && tree.children().len() == labelled.children().len()
    {
        for (tree, labelled) in tree.children().into_iter().zip(labelled.children()) {
            collect_marked(tree, labelled, chain, found);
        }
    }
    chain.truncate(depth);
}

/// The marked parts in the order of a rendering, which may show a choice's parts in another.
fn in_order<'e>(
    tree: &'e Expression,
    choice: fn([&'e Expression; 3]) -> [&'e Expression; 3],
    found: &mut Vec<&'e Expression>,
) {
    match tree {
        Expression::Marked(_) => found.push(tree),
        Expression::If(condition, a, b) => {
            choice([condition, a, b]).into_iter().for_each(|part| in_order(part, choice, found));
        }
        _ => tree.children().into_iter().for_each(|part| in_order(part, choice, found)),
    }
}

/// From parts that are shown to terms that the kernel built.
struct Search<'a> {
    printer: &'a Printer<'a>,
    /// The terms that are shown.
    terms: &'a Terms,
    /// What stands for each of the kernel's nodes among them, if that is not the node itself.
    places: Option<&'a [Term]>,
}

impl Search<'_> {
    fn traced(&self, marked: &Marked, labels: &[Part]) -> Traced {
        let origin = PartOrigin {
            mark: marked.mark,
            formula: marked.formula,
            text: marked.text.clone(),
            steps: Vec::new(),
        };
        let mut wanted = Vec::new();
        if let Some((label, above)) = marked.chain.split_last() {
            let term = labels[*label].term();
            let made = term.as_node().and_then(|_| self.built(term));
            if term.as_element().is_some() {
                wanted.push((OriginRole::Reads, marked.text.clone(), term));
            }
            match made {
                Some(term) => wanted.push((OriginRole::Makes, marked.text.clone(), term)),
                None => wanted.extend(above.iter().rev().find_map(|label| self.around(term, labels[*label]))),
            }
        }
        Traced { origin, wanted }
    }

    /// The kernel's own term for one that is shown.
    fn built(&self, term: Term) -> Option<Term> {
        match self.places {
            None => Some(term),
            Some(places) => places.iter().position(|place| *place == term).map(Term::from_node),
        }
    }

    /// The first summand of a sum that another sum has not, and the inputs that are its factors.
    fn alone(&self, own: Part, printer: &Printer<'_>, other: Part) -> Vec<(OriginRole, String, Term)> {
        let [own, other] =
            [(self.terms, own), (printer.terms, other)].map(|(terms, part)| flatten_sum(terms, part));
        if own.total.min(other.total) < 2 || own.total.max(other.total) > SUMMANDS {
            return Vec::new();
        }
        let text = |printer: &Printer<'_>, (negative, part): &(bool, Part)| {
            (*negative, Printer { limit: LEAVES, ..*printer }.part(*part, &[]).to_string())
        };
        let others: FxHashSet<_> = other.list.iter().map(|summand| text(printer, summand)).collect();
        let alone = own.list.iter().find(|summand| !others.contains(&text(self.printer, summand)));
        let Some(summand @ (_, part)) = alone else { return Vec::new() };
        let made = self.built(part.term()).filter(|_| part.term().as_node().is_some());
        let mut wanted: Vec<_> =
            made.map(|term| (OriginRole::Makes, text(self.printer, summand).1, term)).into_iter().collect();
        for input in part.members(self.terms).into_iter().flatten().filter(|term| term.as_element().is_some())
        {
            wanted.push((OriginRole::Reads, self.printer.text(input), input));
        }
        wanted
    }

    /// The nearest part around a term, within another, that an instruction may have made.
    fn around(&self, term: Term, within: Part) -> Option<(OriginRole, String, Term)> {
        let whole = within.term();
        whole.as_node()?;
        let user = self.user(term, whole).filter(|user| self.built(*user).is_some()).unwrap_or(whole);
        let text = Printer { limit: LEAVES, ..*self.printer }.text(user);
        Some((OriginRole::MakesAround, text, self.built(user)?))
    }

    /// The node nearest to `whole` that has `term` for an operand.
    fn user(&self, term: Term, whole: Term) -> Option<Term> {
        let mut waiting = VecDeque::from([whole]);
        for _ in 0..SEARCHED {
            let at = waiting.pop_front()?;
            let inner = operands(&self.terms.node(at));
            if inner.contains(&Some(term)) {
                return Some(at);
            }
            waiting.extend(inner.into_iter().flatten().filter(|term| term.as_node().is_some()));
        }
        None
    }
}
