//! Library functions, recognized in the code that compilers inline for them.
//!
//! `expf` in a precise build is thirteen instructions with a rounding trick and a shift of float
//! bits; over the reals that means nothing until it is seen as a whole. For each row of [`IDIOMS`]
//! the function alone was compiled and run: what came out are the shapes. This pass finds them in
//! the terms of a kernel and rebuilds the cone with the real functions in their place. It works on
//! terms, not on instructions, so neither register allocation nor scheduling matters; a product
//! that a compiler fused into a following addition or negated is found too.
//!
//! Guarantees: only shapes of the table are replaced, constants equal to the last bit; operands
//! stand before the terms that use them, as in every store; what is replaced is counted. A store
//! without idioms is not copied.
//! Misses: shapes that an optimizer rearranged across the function's border.

mod built;
mod duplicated;
mod guarded;
mod moved;
mod shape;
mod signed;
mod table;
mod text;

pub use table::{IDIOMS, Idiom};
pub use text::print;

use crate::base::{Budget, Exhausted, Format};
use crate::term::eval::{operands, with_operands};
use crate::term::{Node, Number, Term, Terms, Through, Unary};
use built::{General, Workshop};
use guarded::Guard;
use moved::Moved;
use rustc_hash::{FxHashMap, FxHashSet};
use shape::{Bindings, Matcher, Step};
use std::sync::LazyLock;

/// A store in which idioms were replaced.
pub struct Rewritten {
    /// The new store: the cone of the roots, nothing else.
    pub terms: Terms,
    /// The roots in the new store, in the order given.
    pub roots: Vec<Term>,
    /// How often each idiom (by name, in the order of the table) was replaced.
    pub recognized: Vec<(&'static str, u64)>,
}

/// The shapes of all rows, over placeholders.
struct Shapes {
    terms: Terms,
    steps: Vec<Step>,
    /// By what a shape's last step is ([`kind`]).
    by_kind: Vec<Vec<Shape>>,
    /// With all their questions, over arguments that may be anything.
    open: Terms,
    general: Vec<General>,
    /// Which of these a number tells.
    told: FxHashMap<Number, u64>,
    /// The comparisons in shapes, and whose (kind and place): what a guard may know.
    conditions: Vec<(Term, Vec<(usize, usize)>)>,
    /// The first constant of `terms` that is a number …
    numbers: FxHashMap<Number, usize>,
    /// … and the first that is the same number, for each constant.
    same: Vec<usize>,
}

/// One shape of a row of the table.
#[derive(Clone)]
struct Shape {
    row: usize,
    root: Term,
    /// The last step.
    last: Node,
    /// Its first two operands.
    operands: [Class; 2],
    /// Of a function that chooses among words in the end: it is the word of a float.
    word: Option<Format>,
    /// How many arguments it has.
    arguments: usize,
    /// Numbers of it that few others have: code without any of them is not this function's.
    numbers: Vec<usize>,
}

/// What an operand is, at a glance: most terms are seen not to fit without a walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Element,
    Constant,
    /// A step of that kind.
    Step(usize),
    Missing,
}

impl Class {
    fn of(terms: &Terms, term: Option<Term>) -> Class {
        match term {
            None => Class::Missing,
            Some(term) if term.as_constant().is_some() => Class::Constant,
            Some(term) if term.as_node().is_none() => Class::Element,
            Some(term) => Class::Step(kind(&terms.node(term))),
        }
    }

    /// Whether a term of class `term` may match an operand of this class of a shape, in which an
    /// element is a placeholder.
    fn admits(self, term: Class) -> bool {
        matches!(self, Class::Element | Class::Missing) || self == term
    }
}

impl Shape {
    /// Whether a step with these operands may match, in whatever order.
    fn admits(&self, [x, y]: [Class; 2]) -> bool {
        let [a, b] = self.operands;
        a.admits(x) && b.admits(y) || a.admits(y) && b.admits(x)
    }
}

/// The texts of the shapes of all kernels, by the kernel's name.
fn texts() -> FxHashMap<&'static str, &'static str> {
    let blocks = include_str!("shapes.txt").split("\n[").skip(1);
    blocks.filter_map(|block| block.split_once("]\n")).map(|(name, text)| (name, text.trim_end())).collect()
}

static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
    let mut terms = Terms::new();
    let (mut open, mut general) = (Terms::new(), Vec::new());
    open.open_elements();
    let mut by_kind: Vec<Vec<Shape>> = (0..KINDS).map(|_| Vec::new()).collect();
    let placeholders: Vec<Term> = (0..shape::PLACEHOLDERS as u32).map(Term::element).collect();
    let (texts, mut seen) = (texts(), FxHashSet::default());
    let mut numbers = FxHashMap::default();
    for (row, idiom) in IDIOMS.iter().enumerate() {
        for kernel in idiom.kernels {
            // A new row has none: the test is about to write it.
            let Some(text) = texts.get(kernel) else { continue };
            // Builds of several compilers are often the same.
            if !seen.insert((row, *text)) {
                continue;
            }
            let Some(all) = text::read(&mut open, text, &placeholders, &mut numbers) else { continue };
            // What is left of it for data.
            let root = built::instance(&open, all, &placeholders, &mut terms, false);
            // Who goes on with the word that a function ends with never reads it as a float.
            let word = match terms.node(root) {
                Node::FromBits(format, word) => Some((word, Some(format))),
                _ => None,
            };
            // Around functions that have been recognized, floats are chosen and not their words.
            let floats = built::of_floats(&mut terms, root);
            let forms = [(root, None), (floats, None)].into_iter().chain(word);
            for (at, (root, word)) in forms.enumerate() {
                let last = terms.node(root);
                let [first, second, _] = operands(&last);
                let operands = [first, second].map(|term| Class::of(&terms, term));
                let shapes: &mut Vec<Shape> = &mut by_kind[kind(&last)];
                let known = shapes.iter().any(|other| (other.row, other.root) == (row, root));
                if root.as_node().is_some() && !known {
                    let arguments = guarded::placeholders(&terms, root);
                    let numbers = Vec::new();
                    let shape = Shape { row, root, last, operands, word, arguments, numbers };
                    if at == 0 {
                        general.push(General::new(&open, all, &terms, shape.clone()));
                    }
                    shapes.push(shape);
                }
            }
        }
    }
    let told = built::signs(&general);
    let mut numbers: FxHashMap<Number, usize> = FxHashMap::default();
    let same = (terms.constants().iter().enumerate())
        .map(|(at, constant)| *numbers.entry(constant.number.clone()).or_insert(at))
        .collect::<Vec<usize>>();
    built::tell(&terms, &same, &mut by_kind);
    let conditions = guarded::conditions(&terms, &by_kind);
    Shapes { steps: Step::all(&terms), terms, by_kind, open, general, told, conditions, numbers, same }
});

/// How many kinds of steps can end a shape.
const KINDS: usize = 12;

/// A number for what a step is, as far as the search for shapes tells steps apart.
fn kind(node: &Node) -> usize {
    match node {
        Node::Mul(..) | Node::Fma(..) => 0,
        Node::Add(..) | Node::Sub(..) => 1,
        Node::Select(..) => 2,
        Node::FromBits(..) => 3,
        Node::Div(..) => 4,
        Node::Unary(Unary::Recip, _) => 5,
        Node::Unary(..) => 6,
        Node::Max(..) | Node::Min(..) => 7,
        Node::Bits(..) | Node::BitsOf(..) | Node::BitConstant(..) => 8,
        Node::Round(..) => 9,
        Node::Compare(..) | Node::And(..) | Node::Or(..) | Node::Not(_) => 10,
        Node::Apply(..) | Node::Element(_) | Node::Constant(_) => 11,
    }
}

/// An idiom found at a node: `±meaning(bindings) + addend`, or that inside `moved`, and that again behind a
/// guard.
struct Found {
    row: usize,
    bindings: Bindings,
    /// The bindings whose negatives are the arguments.
    negative: [bool; shape::PLACEHOLDERS],
    /// The node is the word of that float.
    word: Option<Format>,
    negated: bool,
    addend: Option<Term>,
    moved: Option<Moved>,
    guard: Option<Guard>,
}

/// Reads the shapes, which is done once.
pub(super) fn prepare() {
    LazyLock::force(&SHAPES);
}

/// Replaces the idioms below `roots`; `None` if there are none.
pub fn rewrite(terms: &Terms, roots: &[Term], budget: &Budget) -> Result<Option<Rewritten>, Exhausted> {
    Ok(rewrite_traceably(terms, roots, budget)?.map(|(mut rewritten, places)| {
        rewritten.terms.note_comparisons(terms, &places);
        rewritten
    }))
}

/// The same, and for each old node what stands in its place; [`Term::ZERO`] where nothing does.
pub fn rewrite_traceably(
    terms: &Terms,
    roots: &[Term],
    budget: &Budget,
) -> Result<Option<(Rewritten, Vec<Term>)>, Exhausted> {
    let first = replaced(terms, roots, budget)?;
    let (own, own_roots) = match &first {
        Some((rewritten, _)) => (&rewritten.terms, &rewritten.roots[..]),
        None => (terms, roots),
    };
    // What is not found as it stands may be in several branches.
    let Some(undone) = duplicated::undone(own, own_roots, budget)? else { return Ok(first) };
    let joined_roots: Vec<Term> = own_roots.iter().map(|root| undone.place(*root)).collect();
    let second = replaced(&undone.terms, &joined_roots, budget)?;
    if second.is_none() && !undone.words {
        return Ok(first);
    }
    let (mut rewritten, places) = match second {
        Some((mut rewritten, second)) => {
            let mut last = |term: Term| place_of(term, &undone.terms, &second, &mut rewritten.terms);
            let places = match &first {
                Some((_, places)) => places.iter().map(|place| last(undone.place(*place))).collect(),
                None => undone.places.iter().map(|place| last(*place)).collect(),
            };
            (rewritten, places)
        }
        None => {
            let places: Vec<Term> = match &first {
                Some((_, places)) => places.iter().map(|place| undone.place(*place)).collect(),
                None => undone.places.clone(),
            };
            let (terms, roots, recognized) = (undone.terms, joined_roots, Vec::new());
            (Rewritten { terms, roots, recognized }, places)
        }
    };
    if let Some((first, _)) = first {
        rewritten.recognized_before(first.recognized);
    }
    Ok(Some((rewritten, places)))
}

impl Rewritten {
    /// Adds what was recognized in a pass before.
    fn recognized_before(&mut self, before: Vec<(&'static str, u64)>) {
        for (name, count) in before {
            match self.recognized.iter_mut().find(|(known, _)| *known == name) {
                Some((_, total)) => *total += count,
                None => self.recognized.push((name, count)),
            }
        }
        self.recognized.sort_by_key(|(name, _)| IDIOMS.iter().position(|idiom| idiom.name == *name));
    }

    /// How many of its numbers tell functions: of code in which none was found.
    fn left(&self) -> usize {
        self.terms.constants().iter().filter(|constant| SHAPES.told.contains_key(&constant.number)).count()
    }
}

/// Where a term of a store is in a later one, by the places of the store's nodes there.
fn place_of(term: Term, old: &Terms, places: &[Term], new: &mut Terms) -> Term {
    match (term.as_node(), term.as_constant()) {
        (Some(step), _) => places.get(step).copied().unwrap_or(Term::ZERO),
        (_, Some(constant)) => new.constant(old.constant_at(constant).clone()),
        _ => term,
    }
}

/// Functions within functions that are found one after the other.
const MOST_PASSES: usize = 4;

/// Idioms replaced as they stand; where code is left that may be one, those within others first, if that leaves less.
/// (A function asks for the words of its argument. If that is itself the word of a function, the outer one's code has
/// another form until the inner one is recognized.)
fn replaced(
    terms: &Terms,
    roots: &[Term],
    budget: &Budget,
) -> Result<Option<(Rewritten, Vec<Term>)>, Exhausted> {
    let Some(direct) = replaced_once(terms, roots, false, budget)? else { return Ok(None) };
    let left = direct.0.left();
    if left == 0 {
        return Ok(Some(direct));
    }
    let Some((mut inner, mut places)) = replaced_once(terms, roots, true, budget)? else {
        return Ok(Some(direct));
    };
    for _ in 0..MOST_PASSES {
        let Some((mut outer, next)) = replaced_once(&inner.terms, &inner.roots, false, budget)? else {
            break;
        };
        for place in &mut places {
            *place = place_of(*place, &inner.terms, &next, &mut outer.terms);
        }
        outer.recognized_before(inner.recognized);
        inner = outer;
    }
    Ok(Some(if inner.left() < left { (inner, places) } else { direct }))
}

/// Idioms replaced in one pass, from the roots down; if `plain`, only such as are in the table as they stand.
fn replaced_once(
    terms: &Terms,
    roots: &[Term],
    plain: bool,
    budget: &Budget,
) -> Result<Option<(Rewritten, Vec<Term>)>, Exhausted> {
    let numbers = terms.constants().iter().map(|constant| SHAPES.numbers.get(&constant.number).copied());
    let numbers: Vec<Option<usize>> = numbers.collect();
    let search = |workshop: Option<Workshop>| {
        let matcher = Matcher::new((&SHAPES.terms, &SHAPES.steps, &SHAPES.same), (terms, &numbers));
        let present = numbers.iter().copied().flatten().collect();
        Finder { terms, shapes: &SHAPES, matcher, present, asked: FxHashMap::default(), workshop, plain }
            .search(roots, budget)
    };
    let (mut needed, mut found) = search(None)?;
    if !plain && let Some(workshop) = Workshop::new(terms, &SHAPES.told, &needed, &found) {
        (needed, found) = search(Some(workshop))?;
    }
    if found.is_empty() {
        return Ok(None);
    }
    let mut new = Terms::beside(terms);
    let mut recognized = vec![0u64; IDIOMS.len()];
    let mut places: Vec<Term> = vec![Term::ZERO; needed.len() * 64];
    // Which nodes have a function below them that was found.
    let mut above = vec![0u64; needed.len()];
    let mut copied = FxHashMap::default();
    for node in 0..needed.len() * 64 {
        if node.is_multiple_of(8192) {
            budget.spend(8192)?;
        }
        if needed[node / 64] >> (node % 64) & 1 == 0 {
            continue;
        }
        let at = node;
        let is_above = |above: &[u64], term: Term| {
            term.as_node().is_some_and(|step| above[step / 64] >> (step % 64) & 1 == 1)
        };
        let mut map = |new: &mut Terms, term: Term| match (term.as_node(), term.as_constant()) {
            (Some(node), _) => places[node],
            (_, Some(constant)) => {
                *copied.entry(constant).or_insert_with(|| new.constant(terms.constant_at(constant).clone()))
            }
            _ => term,
        };
        places[node] = match found.get(&node) {
            Some(found) => {
                above[at / 64] |= 1 << (at % 64);
                let mut values = [Term::ZERO; shape::PLACEHOLDERS];
                for ((value, binding), negative) in values.iter_mut().zip(found.bindings).zip(found.negative)
                {
                    *value = binding.map_or(Term::ZERO, |term| map(&mut new, term));
                    if negative {
                        *value = new.neg(*value);
                    }
                }
                recognized[found.row] += 1;
                let mut result = (IDIOMS[found.row].meaning)(&mut new, &values);
                if found.negated {
                    result = new.neg(result);
                }
                if let Some(addend) = found.addend {
                    let addend = map(&mut new, addend);
                    result = new.add(result, addend);
                }
                if let Some(format) = found.word {
                    result = new.bits_of(format, result);
                }
                let Some(moved) = &found.moved else {
                    places[node] = result;
                    continue;
                };
                // The operations that stood inside the choice, now around the function.
                let mut around = FxHashMap::from_iter([(moved.core, result)]);
                for step in &moved.steps {
                    let old = terms.node_at(*step);
                    let step_again = with_operands(&old, |operand| match around.get(&operand) {
                        Some(inside) => *inside,
                        None => map(&mut new, operand),
                    });
                    result = build(&mut new, terms, &step_again);
                    around.insert(Term::from_node(*step), result);
                }
                match &found.guard {
                    Some(Guard { condition, other, holds }) => {
                        let [condition, other] = [*condition, *other].map(|term| map(&mut new, term));
                        let (a, b) = if *holds { (result, other) } else { (other, result) };
                        new.select(condition, a, b)
                    }
                    None => result,
                }
            }
            None => {
                let old = terms.node_at(node);
                let node = with_operands(&old, |operand| map(&mut new, operand));
                let any = operands(&old).into_iter().flatten().any(|operand| is_above(&above, operand));
                above[at / 64] |= u64::from(any) << (at % 64);
                match (old, node) {
                    // What was a library's code may turn out to be a function that is not defined everywhere.
                    (Node::Compare(_, a, b), Node::Compare(relation, x, y))
                        if any && asks_of_extremes(x, y) && !terms.is_partial(a) && !terms.is_partial(b) =>
                    {
                        new.compare_asked(relation, x, y)
                    }
                    _ => build(&mut new, terms, &node),
                }
            }
        };
        new.note_through(places[node], terms, Term::from_node(node));
    }
    let roots = roots
        .iter()
        .map(|root| match (root.as_node(), root.as_constant()) {
            (Some(node), _) => places[node],
            (_, Some(constant)) => new.constant(terms.constant_at(constant).clone()),
            _ => *root,
        })
        .collect();
    let mut names: Vec<(&'static str, u64)> = Vec::new();
    for (idiom, count) in IDIOMS.iter().zip(recognized).filter(|(_, count)| *count > 0) {
        match names.iter_mut().find(|(name, _)| *name == idiom.name) {
            Some((_, total)) => *total += count,
            None => names.push((idiom.name, count)),
        }
    }
    Ok(Some((Rewritten { terms: new, roots, recognized: names }, places)))
}

struct Finder<'a> {
    terms: &'a Terms,
    shapes: &'a Shapes,
    matcher: Matcher<'a>,
    /// The numbers of shapes that are in the terms.
    present: FxHashSet<usize>,
    /// For each comparison with a number that was met, the conditions of shapes that it may decide.
    asked: FxHashMap<guarded::Asked, Vec<usize>>,
    /// Where functions are built, if some may be there that are not found as they stand.
    workshop: Option<Workshop>,
    /// Only what is in the table as it stands is looked for.
    plain: bool,
}

impl Finder<'_> {
    /// From the roots down: which nodes are needed once idioms are replaced, and the idioms.
    fn search(
        mut self,
        roots: &[Term],
        budget: &Budget,
    ) -> Result<(Vec<u64>, FxHashMap<usize, Found>), Exhausted> {
        let count = roots.iter().filter_map(|root| root.as_node()).max().map_or(0, |most| most + 1);
        let mut needed = vec![0u64; count.div_ceil(64)];
        let mut found = FxHashMap::default();
        let mark = |needed: &mut Vec<u64>, term: Term| {
            if let Some(node) = term.as_node() {
                needed[node / 64] |= 1 << (node % 64);
            }
        };
        roots.iter().for_each(|root| mark(&mut needed, *root));
        // Users stand behind their operands, so one pass backwards sees every user first.
        let mut reader = self.terms.reader();
        for at in (0..count).rev() {
            if at.is_multiple_of(8192) {
                budget.spend(8192)?;
            }
            if needed[at / 64] >> (at % 64) & 1 == 0 {
                continue;
            }
            let node = reader.node_at(at);
            let mut idiom = self.find(at, &node);
            if !self.plain {
                idiom = idiom.or_else(|| self.find_moved(&node));
                idiom = idiom.or_else(|| self.find_guarded(&node));
                idiom = idiom.or_else(|| self.find_signed(at, &node));
                idiom = idiom.or_else(|| self.find_built(at, &node));
            }
            match idiom.filter(|idiom| self.is_in_its_format(at, idiom)) {
                Some(idiom) => {
                    if let Some(Guard { condition, other, .. }) = &idiom.guard {
                        [*condition, *other].into_iter().for_each(|term| mark(&mut needed, term));
                    }
                    idiom.bindings.into_iter().flatten().for_each(|term| mark(&mut needed, term));
                    idiom.addend.into_iter().for_each(|term| mark(&mut needed, term));
                    if let Some(moved) = &idiom.moved {
                        let inside = |term: &Term| {
                            let step = term.as_node();
                            *term == moved.core || step.is_some_and(|step| moved.steps.contains(&step))
                        };
                        for step in &moved.steps {
                            let operands = operands(&self.terms.node_at(*step)).into_iter().flatten();
                            operands.filter(|term| !inside(term)).for_each(|term| mark(&mut needed, term));
                        }
                    }
                    found.insert(at, idiom);
                }
                None => operands(&node).into_iter().flatten().for_each(|term| mark(&mut needed, term)),
            }
        }
        Ok((needed, found))
    }

    /// Whether a node is of the format that a function in half precision is rounded to: a word of it, or what went
    /// through it, or chooses or adds to such for single inputs.
    fn is_in_its_format(&self, at: usize, found: &Found) -> bool {
        let Some(format) = IDIOMS[found.row].format() else { return true };
        let node = self.terms.node_at(at);
        if found.word == Some(format) || matches!(node, Node::FromBits(own, _) if own == format) {
            return true;
        }
        let parts = operands(&node).into_iter().flatten().chain([Term::from_node(at)]);
        let went = |term: Term| self.terms.through(term) == Some(Through::Float(format));
        parts.filter(|term| term.as_node().is_some()).any(went)
    }

    fn find(&mut self, at: usize, node: &Node) -> Option<Found> {
        let shapes = &self.shapes.by_kind[kind(node)];
        let [first, second, _] = operands(node);
        let is_product = matches!(node, Node::Mul(..) | Node::Fma(..));
        let classes = [first, second].map(|term| Class::of(self.terms, term));
        let factors =
            [first, second].map(|term| Class::of(self.terms, term.map(|term| self.positive(term).0)));
        let mut fitting = shapes.iter().filter(|shape| {
            let product = is_product && matches!(shape.last, Node::Mul(..));
            shape.admits(if product { factors } else { classes })
        });
        fitting.find_map(|shape| self.found_as(shape, at, node))
    }

    /// A node as a shape, if it is one.
    fn found_as(&mut self, shape: &Shape, at: usize, node: &Node) -> Option<Found> {
        let ((bindings, negated), addend) = match (shape.last, *node) {
            (Node::Mul(a, b), Node::Mul(x, y)) => (self.product((a, b), (x, y))?, None),
            (Node::Mul(a, b), Node::Fma(x, y, z)) => (self.product((a, b), (x, y))?, Some(z)),
            _ => ((self.whole(shape.root, Term::from_node(at))?, false), None),
        };
        let (row, word, negative) = (shape.row, shape.word, Default::default());
        Some(Found { row, bindings, negative, word, negated, addend, moved: None, guard: None })
    }

    /// A function some of whose arguments are negative, or a product whose sign stands in a constant.
    fn find_signed(&mut self, at: usize, node: &Node) -> Option<Found> {
        let term = Term::from_node(at);
        let shapes = &self.shapes.by_kind[kind(node)];
        let (factors, addend) = match *node {
            Node::Mul(x, y) => (Some((x, y)), None),
            Node::Fma(x, y, z) => (Some((x, y)), Some(z)),
            _ => (None, None),
        };
        let classes =
            operands(node).map(|term| Class::of(self.terms, term.map(|term| self.positive(term).0)));
        let fitting = shapes.iter().filter(|shape| shape.admits([classes[0], classes[1]]));
        // Of a product the sign may have gone into a constant factor while no argument has one.
        let masks = |arguments: usize| usize::from(factors.is_none())..1 << arguments;
        fitting.flat_map(|shape| masks(shape.arguments).map(move |mask| (shape, mask))).find_map(
            |(shape, mask)| {
                let negative = std::array::from_fn(|at| mask >> at & 1 == 1);
                let mut search = |matches: &mut dyn FnMut(&mut Matcher<'_>) -> bool| {
                    (self.matcher.negative, self.matcher.left) = (negative, signed::MOST);
                    let bindings = self.matcher.run(matches);
                    self.matcher.negative = Default::default();
                    bindings
                };
                let Shape { row, root, last, word, .. } = *shape;
                let (bindings, negated, addend) = match (last, factors) {
                    (Node::Mul(a, b), Some(factors)) => [false, true].into_iter().find_map(|minus| {
                        let bindings = search(&mut |it| it.product_signed((a, b), factors, minus))?;
                        Some((bindings, minus, addend))
                    })?,
                    _ => (search(&mut |it| it.matches_signed(root, term, false))?, false, None),
                };
                Some(Found { row, bindings, negative, word, negated, addend, moved: None, guard: None })
            },
        )
    }

    fn whole(&mut self, shape: Term, term: Term) -> Option<Bindings> {
        self.matcher.run(|it| it.matches(shape, term))
    }

    /// A term without its minus sign, and whether it had one.
    fn positive(&self, term: Term) -> (Term, bool) {
        match self.terms.node(term) {
            Node::Unary(Unary::Neg, inner) => (inner, true),
            _ => (term, false),
        }
    }

    /// A product of two factors, either of which may have been negated.
    fn product(&mut self, shape: (Term, Term), (x, y): (Term, Term)) -> Option<(Bindings, bool)> {
        let ((x, x_negated), (y, y_negated)) = (self.positive(x), self.positive(y));
        let bindings = self.matcher.run(|it| it.either_order(shape, (x, y)))?;
        Some((bindings, x_negated != y_negated))
    }
}

/// The node again, in another store; operands are already there.
pub fn build(new: &mut Terms, old: &Terms, node: &Node) -> Term {
    match *node {
        Node::Apply(function, a, b) => new.apply(old.function_name(function), a, b),
        Node::FromBits(format, a) => of_words(new, format, a),
        ref other => new.made(other),
    }
}

/// Whether a comparison asks if something is a number, or infinite.
pub(super) fn asks_of_extremes(a: Term, b: Term) -> bool {
    a == b || [a, b].iter().any(|term| *term == Term::INFINITY || *term == Term::MINUS_INFINITY)
}

/// Choices between words that are read as floats one by one.
const CHOSEN: usize = 1 << 16;

/// The float of a word, and of one chosen among words of floats the choice among those: a recognized
/// function is one of them.
pub(super) fn of_words(new: &mut Terms, format: Format, word: Term) -> Term {
    let (mut choices, mut open, mut any) = (FxHashSet::default(), vec![word], false);
    while let Some(word) = open.pop() {
        match new.node(word) {
            Node::Select(_, a, b) if choices.insert(word) => open.extend([a, b]),
            Node::BitsOf(of, _) => any |= of == format && of.is_float(),
            _ => {}
        }
        if choices.len() > CHOSEN {
            return new.from_bits(format, word);
        }
    }
    if choices.is_empty() || !any {
        return new.from_bits(format, word);
    }
    // What is chosen is older than the choice.
    let mut choices: Vec<Term> = choices.into_iter().collect();
    choices.sort_unstable_by_key(|choice| choice.as_node());
    let mut floats: FxHashMap<Term, Term> = FxHashMap::default();
    for choice in choices {
        let Node::Select(condition, a, b) = new.node(choice) else { continue };
        let [a, b] =
            [a, b].map(|word| floats.get(&word).copied().unwrap_or_else(|| new.from_bits(format, word)));
        let float = new.select(condition, a, b);
        floats.insert(choice, float);
    }
    floats[&word]
}

#[cfg(test)]
mod tests;
