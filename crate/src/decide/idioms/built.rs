//! Functions of arguments of which something is known.
//!
//! `powf(x, y)` asks whether x is negative, infinite, a number, 1. Of `powf(v·v + 1, y)` terms answer some of these
//! questions, as compilers do, and of `powf(a / b, y)` others stay that nobody asks of data: neither is the shape of
//! the function as it stands. So the shapes are kept with all their questions, for arguments that may be anything.
//! What a term may be a function of is looked for where the two go along with each other; then the function is built
//! for that argument, with what is known of it, and is the term, or stands in its place in one arm of it
//! ([`super::moved`]), or is not.
//!
//! Guarantees: what is found is the function's own code for its arguments. Code that has lost more than half of its
//! steps is no function: what a library makes of small arguments may be `2·x`, which says nothing.
//! Misses: arguments that the term shows nowhere as such; products whose sign went into a constant.

use super::moved::Moved;
use super::shape::{Bindings, PLACEHOLDERS};
use super::{Finder, Found, Shape};
use crate::term::eval::{operands, with_operands};
use crate::term::{Constant, Likeness, Node, Number, Relation, Term, Terms};
use num_traits::Signed;
use rustc_hash::{FxHashMap, FxHashSet};

/// Pairs of steps that are looked at for arguments.
const STEPS: u32 = 512;
/// Arguments that are tried for one function.
const TRIES: usize = 4;
/// Nodes of an argument that are looked at for its sign.
const NODES: u32 = 64;
/// Shapes that may have a number in common for it to tell them from others.
const COMMON: usize = 8;
/// Bits for shapes below a node; shapes share them.
const BITS: u32 = 64;

/// A shape with all its questions.
pub(super) struct General {
    pub(super) shape: Shape,
    pub(super) root: Term,
    /// Steps of what it is for plain arguments.
    steps: usize,
    /// Numbers that few others have.
    numbers: Vec<Number>,
}

impl General {
    pub(super) fn new(open: &Terms, root: Term, terms: &Terms, shape: Shape) -> General {
        let numbers = constants(open, root).map(|constant| open.constant_at(constant).number.clone());
        let numbers = numbers.filter(tells);
        let mut numbers: Vec<Number> = numbers.collect();
        let mut seen = FxHashSet::default();
        numbers.retain(|number| seen.insert(number.clone()));
        General { root, steps: cone(terms, shape.root).len(), numbers, shape }
    }
}

/// Whether a number is one that not every code has.
fn tells(number: &Number) -> bool {
    matches!(number, Number::Rational(value) if value.numer().bits() + value.denom().bits() > 12)
}

fn constants(terms: &Terms, root: Term) -> impl Iterator<Item = usize> + '_ {
    let operands = cone(terms, root).into_iter().flat_map(|step| operands(&terms.node_at(step)));
    operands.flatten().filter_map(|term| term.as_constant())
}

/// Gives each shape the numbers that tell it from others; `same`: the first constant that is the same number.
pub(super) fn tell(terms: &Terms, same: &[usize], by_kind: &mut [Vec<Shape>]) {
    let mut rows: FxHashMap<usize, FxHashSet<usize>> = FxHashMap::default();
    for shape in by_kind.iter_mut().flatten() {
        let constants = constants(terms, shape.root).filter(|at| tells(&terms.constant_at(*at).number));
        shape.numbers = constants.map(|constant| same[constant]).collect();
        shape.numbers.sort_unstable();
        shape.numbers.dedup();
        for number in &shape.numbers {
            rows.entry(*number).or_default().insert(shape.row);
        }
    }
    for shape in by_kind.iter_mut().flatten() {
        shape.numbers.retain(|number| rows[number].len() <= COMMON);
    }
}

/// For each number, the bits of the shapes that it may tell.
pub(super) fn signs(all: &[General]) -> FxHashMap<Number, u64> {
    let mut users: FxHashMap<&Number, Vec<usize>> = FxHashMap::default();
    for General { numbers, shape, .. } in all {
        numbers.iter().for_each(|number| users.entry(number).or_default().push(shape.row));
    }
    users.retain(|_, rows| {
        rows.dedup();
        rows.len() <= COMMON
    });
    users
        .into_iter()
        .map(|(number, rows)| (number.clone(), rows.into_iter().map(bit).fold(0, |a, b| a | b)))
        .collect()
}

fn bit(row: usize) -> u64 {
    1 << (row as u32 % BITS)
}

/// The steps below a term, operands first.
fn cone(terms: &Terms, root: Term) -> Vec<usize> {
    let (mut open, mut seen) = (vec![root], FxHashSet::default());
    while let Some(term) = open.pop() {
        if let Some(step) = term.as_node()
            && seen.insert(step)
        {
            open.extend(operands(&terms.node_at(step)).into_iter().flatten());
        }
    }
    let mut steps: Vec<usize> = seen.into_iter().collect();
    steps.sort_unstable();
    steps
}

/// A shape for these arguments, with what is known of them; of their signs, too, where compilers have seen those.
pub(super) fn instance(open: &Terms, root: Term, arguments: &[Term], new: &mut Terms, signs: bool) -> Term {
    let mut known: FxHashMap<Term, Term> = FxHashMap::default();
    let place = |new: &mut Terms, known: &FxHashMap<Term, Term>, term: Term| match (
        term.as_constant(),
        term.as_element(),
    ) {
        (Some(constant), _) => new.constant(open.constant_at(constant).clone()),
        (_, Some(placeholder)) => arguments[placeholder as usize],
        _ => known[&term],
    };
    for step in cone(open, root) {
        let old = open.node_at(step);
        let node = with_operands(&old, |operand| place(new, &known, operand));
        let own = match node {
            Node::Apply(function, of, _) => new.asked_again(open.function_name(function), of),
            Node::Compare(relation, a, b)
                if signs && let Some(holds) = decided_by_sign(new, relation, a, b) =>
            {
                if holds {
                    Term::TRUE
                } else {
                    Term::FALSE
                }
            }
            Node::Compare(relation, a, b) if super::asks_of_extremes(a, b) => {
                new.compare_asked(relation, a, b)
            }
            // Whether something is a number is asked in two parts; asking the first again gives both.
            Node::And(a, b) if has_part(new, a, b) => a,
            Node::And(a, b) if has_part(new, b, a) => b,
            _ => new.made(&node),
        };
        known.insert(Term::from_node(step), own);
    }
    place(new, &known, root)
}

/// A shape in which floats are chosen wherever it reads a word as a float that it has chosen among words.
pub(super) fn of_floats(terms: &mut Terms, root: Term) -> Term {
    let mut places: FxHashMap<Term, Term> = FxHashMap::default();
    for step in cone(terms, root) {
        let node =
            with_operands(&terms.node_at(step), |operand| places.get(&operand).copied().unwrap_or(operand));
        let own = match node {
            Node::FromBits(format, word) => super::of_words(terms, format, word),
            Node::Apply(function, a, b) => {
                let name = terms.function_name(function).to_owned();
                terms.apply(&name, a, b)
            }
            _ => terms.made(&node),
        };
        places.insert(Term::from_node(step), own);
    }
    places.get(&root).copied().unwrap_or(root)
}

/// Whether a condition is that `part` holds, and something else.
fn has_part(terms: &Terms, condition: Term, part: Term) -> bool {
    matches!(terms.node(condition), Node::And(a, b) if a == part || b == part)
}

/// Whether a comparison with zero, or of what is not negative with what is, holds.
fn decided_by_sign(terms: &Terms, relation: Relation, a: Term, b: Term) -> Option<bool> {
    let positive = |term: Term| terms.is_not_negative(term, &mut { NODES });
    let negative = |term: Term| terms.as_rational(term).is_some_and(Signed::is_negative);
    match relation {
        Relation::Less if b == Term::ZERO || negative(b) => positive(a).then_some(false),
        Relation::LessEqual if negative(b) => positive(a).then_some(false),
        Relation::LessEqual if a == Term::ZERO || negative(a) => positive(b).then_some(true),
        Relation::Less if negative(a) => positive(b).then_some(true),
        Relation::Equal if negative(a) && positive(b) || negative(b) && positive(a) => Some(false),
        _ => None,
    }
}

/// Copies of terms in a store in which functions are built.
pub(super) struct Workshop {
    new: Terms,
    copies: FxHashMap<Term, Term>,
    likeness: Likeness,
    /// For each node the shapes of which a number stands below it.
    signs: Vec<u64>,
}

impl Workshop {
    /// Of a store in which functions have been found; nothing if no number is left that tells a shape.
    pub(super) fn new(
        terms: &Terms,
        told: &FxHashMap<Number, u64>,
        needed: &[u64],
        found: &FxHashMap<usize, Found>,
    ) -> Option<Workshop> {
        let told = |constant: usize| told.get(&terms.constant_at(constant).number).copied().unwrap_or(0);
        let told: Vec<u64> = (0..terms.constants().len()).map(told).collect();
        let (mut signs, mut any) = (vec![0u64; 64 * needed.len()], false);
        let mut reader = terms.reader();
        for at in 0..signs.len() {
            if needed[at / 64] >> (at % 64) & 1 == 0 || found.contains_key(&at) {
                continue;
            }
            let below = operands(&reader.node_at(at)).into_iter().flatten().map(|term| {
                let constant = || term.as_constant().map_or(0, |constant| told[constant]);
                term.as_node().map_or_else(constant, |step| signs[step])
            });
            signs[at] = below.fold(0, |all, one| all | one);
            any |= signs[at] != 0;
        }
        any.then(|| Workshop {
            new: Terms::beside(terms),
            copies: FxHashMap::default(),
            likeness: Likeness::default(),
            signs,
        })
    }

    fn copy(&mut self, terms: &Terms, root: Term) -> Term {
        let mut open = vec![(root, false)];
        while let Some((term, ready)) = open.pop() {
            if self.copies.contains_key(&term) {
                continue;
            }
            let own = match (term.as_node(), term.as_constant()) {
                (Some(step), _) => {
                    let node = terms.node_at(step);
                    if !ready {
                        open.push((term, true));
                        open.extend(operands(&node).into_iter().flatten().map(|operand| (operand, false)));
                        continue;
                    }
                    let node = with_operands(&node, |operand| self.copies[&operand]);
                    let own = match node {
                        Node::Apply(function, a, b) => self.new.apply(terms.function_name(function), a, b),
                        _ => self.new.made(&node),
                    };
                    self.new.note_through(own, terms, term);
                    own
                }
                // As shapes have them: the number alone.
                (_, Some(constant)) => {
                    let number = terms.constant_at(constant).number.clone();
                    self.new.constant(Constant::new(number, None))
                }
                _ => term,
            };
            self.copies.insert(term, own);
        }
        self.copies[&root]
    }
}

/// Where a shape and a term go along with each other.
struct Along<'a> {
    open: &'a Terms,
    terms: &'a Terms,
    left: u32,
    bindings: Bindings,
    found: Vec<Bindings>,
    arguments: usize,
}

impl Along<'_> {
    fn walk(&mut self, shape: Term, term: Term) {
        let Some(left) = self.left.checked_sub(1).filter(|_| self.found.len() < TRIES) else { return };
        self.left = left;
        if let Some(placeholder) = shape.as_element() {
            let before = self.bindings;
            self.bindings[placeholder as usize] = Some(term);
            if self.bindings[..self.arguments].iter().all(Option::is_some)
                && !self.found.contains(&self.bindings)
            {
                self.found.push(self.bindings);
            }
            // The first place that shows an argument is as good as any other.
            if before[placeholder as usize].is_some() {
                self.bindings = before;
            }
            return;
        }
        let Some(step) = shape.as_node() else { return };
        let own = self.open.node_at(step);
        let same = term.as_node().map(|at| self.terms.node_at(at)).filter(|other| goes_along(&own, other));
        match (own, same) {
            (_, Some(other)) => {
                let [own, other] = [operands(&own), operands(&other)];
                let pairs: Vec<(Term, Term)> =
                    own.into_iter().zip(other).filter_map(|(a, b)| Some((a?, b?))).collect();
                let crossed = matches!(
                    self.open.node_at(step),
                    Node::Add(..) | Node::Mul(..) | Node::Fma(..) | Node::Max(..) | Node::Min(..)
                ) || matches!(self.open.node_at(step), Node::Bits(op, ..) if op.commutes());
                // What is deep first: conditions ask of arguments in other forms.
                pairs.iter().rev().for_each(|(a, b)| self.walk(*a, *b));
                if crossed && pairs.len() >= 2 {
                    self.walk(pairs[0].0, pairs[1].1);
                    self.walk(pairs[1].0, pairs[0].1);
                }
                // Two choices, of which the shape's first one is answered and gone.
                if let Node::Select(_, a, b) = self.open.node_at(step) {
                    self.walk(a, term);
                    self.walk(b, term);
                }
            }
            (Node::Select(_, a, b), None) => {
                self.walk(a, term);
                self.walk(b, term);
            }
            (Node::Max(a, b) | Node::Min(a, b), None) => {
                self.walk(a, term);
                self.walk(b, term);
            }
            _ => {}
        }
    }
}

/// Whether two nodes are the same operation.
fn goes_along(one: &Node, other: &Node) -> bool {
    let bare = |node: &Node| with_operands(node, |_| Term::ZERO);
    !matches!(one, Node::Apply(..)) && bare(one) == bare(other)
}

impl Finder<'_> {
    /// A function whose code has been changed by what is known of its arguments.
    pub(super) fn find_built(&mut self, at: usize, node: &Node) -> Option<Found> {
        let mut workshop = self.workshop.take()?;
        let found = self.find_in(&mut workshop, at, node);
        self.workshop = Some(workshop);
        found
    }

    fn find_in(&mut self, workshop: &mut Workshop, at: usize, node: &Node) -> Option<Found> {
        let below = workshop.signs[at];
        if below == 0 || matches!(node, Node::Bits(..) | Node::BitsOf(..)) {
            return None;
        }
        let shapes = self.shapes;
        let (terms, open) = (self.terms, &shapes.open);
        let term = Term::from_node(at);
        shapes.general.iter().filter(|general| below & bit(general.shape.row) != 0).find_map(|general| {
            let Shape { row, word, arguments, .. } = general.shape;
            if word.is_some() {
                return None;
            }
            let (bindings, found) = ([None; PLACEHOLDERS], Vec::new());
            let mut along = Along { open, terms, left: STEPS, bindings, found, arguments };
            along.walk(general.root, term);
            along.found.into_iter().find_map(|bindings| {
                // A function of itself it is not.
                if bindings.iter().flatten().any(|argument| *argument == term) {
                    return None;
                }
                let arguments =
                    bindings.map(|argument| argument.map_or(Term::ZERO, |term| workshop.copy(terms, term)));
                let copy = workshop.copy(terms, term);
                [false, true].into_iter().find_map(|signs| {
                    let built = instance(open, general.root, &arguments, &mut workshop.new, signs);
                    if 2 * remaining(&workshop.new, built, &arguments) <= general.steps {
                        return None;
                    }
                    let moved = match workshop.likeness.alike(&workshop.new, built, copy) {
                        true => None,
                        false => Some(self.moved_in(workshop, node, built)?),
                    };
                    let (negative, word, negated, addend, guard) = Default::default();
                    Some(Found { row, bindings, negative, word, negated, addend, moved, guard })
                })
            })
        })
    }

    /// What stands around a function that was built, if its choice stands after that ([`super::moved`]).
    fn moved_in(&self, workshop: &mut Workshop, node: &Node, built: Term) -> Option<Moved> {
        let (Node::Select(condition, a, b), Node::Select(own, own_a, own_b)) =
            (*node, workshop.new.node(built))
        else {
            return None;
        };
        let condition = workshop.copy(self.terms, condition);
        if !workshop.likeness.alike(&workshop.new, own, condition) {
            return None;
        }
        [(a, b, own_a, own_b), (b, a, own_b, own_a)].into_iter().find_map(
            |(constant, arm, own_constant, own_core)| {
                let start = workshop.new.constant_at(own_constant.as_constant()?).number.clone();
                let folded = &self.terms.constant_at(constant.as_constant()?).number;
                self.inside(arm).into_iter().find_map(|core| {
                    let copy = workshop.copy(self.terms, core);
                    let is_it = workshop.likeness.alike(&workshop.new, own_core, copy);
                    let steps = is_it.then(|| self.around(arm, core))?;
                    self.folds(&steps, core, &start, folded).then_some(Moved { core, steps })
                })
            },
        )
    }
}

/// The steps of a function's code above its arguments.
fn remaining(terms: &Terms, root: Term, arguments: &[Term]) -> usize {
    let (mut open, mut seen) = (vec![root], FxHashSet::default());
    while let Some(term) = open.pop() {
        if let Some(step) = term.as_node()
            && !arguments.contains(&term)
            && seen.insert(step)
        {
            open.extend(operands(&terms.node_at(step)).into_iter().flatten());
        }
    }
    seen.len()
}
