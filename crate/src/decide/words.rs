//! Choices among known words, and what is made of the word that is chosen.
//!
//! Kernels choose words without a type (`selp.b32`: the place of a maximum) and go on with masks and
//! conversions. What is made of the chosen word is a choice, by the same conditions, among what is made
//! of each: `f(if c then 8 else 1) = if c then f(8) else f(1)`.
//!
//! Guarantees: the form equals the term.
//! Misses: operations on two chosen words; more than [`MOST`] words and choices, or [`DEEPEST`]
//! operations on one.

use super::forms::{Poly, Step};
use super::normalize::{Normalizer, finite};
use super::rational::Rational;
use crate::term::eval::{Quantity, applied, lone_unknown};
use crate::term::{Node, Term};
use rustc_hash::FxHashMap;

/// Words, choices and operations that are looked at for one term.
const MOST: usize = 16_384;
/// Operations on one word, one after the other.
const DEEPEST: u32 = 64;

/// An operation on one word that is not known yet.
struct Operation {
    term: Term,
    /// The operand that is that word.
    on: Term,
    /// The operation that takes its result.
    then: Option<usize>,
    /// How many are done in all.
    depth: u32,
}

impl Normalizer<'_> {
    /// What is made of a chosen word, a number or a condition. `None` while parts are missing;
    /// `Some(None)` where it is something else.
    pub(super) fn of_chosen_words(
        &mut self,
        side: usize,
        root: Term,
        missing: &mut Vec<Term>,
    ) -> Step<Option<Option<Poly>>> {
        let terms = self.sides[side].terms;
        let mut operations: Vec<Operation> = Vec::new();
        let mut numbers: FxHashMap<(Term, Option<usize>), usize> = FxHashMap::default();
        let mut done: FxHashMap<(Term, Option<usize>), Poly> = FxHashMap::default();
        let mut open = vec![(root, None)];
        let mut waits = false;
        while let Some((term, then)) = open.last().copied() {
            if done.contains_key(&(term, then)) {
                open.pop();
                continue;
            }
            if done.len() + open.len() > MOST {
                return Ok(Some(None));
            }
            self.forms.tick(1)?;
            let node = terms.node(term);
            let made = if let Some(word) = self.known_word(side, term) {
                let Some(made) = self.made_of(side, word, then, &operations)? else { return Ok(Some(None)) };
                made
            } else if let Node::Select(condition, a, b) = node {
                let (x, y) = (done.get(&(a, then)).copied(), done.get(&(b, then)).copied());
                let (Some(x), Some(y)) = (x, y) else {
                    open.extend([(b, then), (a, then)]);
                    continue;
                };
                match self.get(side, condition, missing)? {
                    Some(value) => self.chosen(side, (condition, finite(value)?), x, y)?,
                    None => {
                        waits = true;
                        Poly::ZERO
                    }
                }
            } else {
                let on = lone_unknown(&node, |operand| self.known_word(side, operand));
                let Some(on) = on else { return Ok(Some(None)) };
                let depth = then.map_or(0, |then: usize| operations[then].depth) + 1;
                if depth > DEEPEST {
                    return Ok(Some(None));
                }
                let number = *numbers.entry((term, then)).or_insert_with(|| {
                    operations.push(Operation { term, on, then, depth });
                    operations.len() - 1
                });
                match done.get(&(on, Some(number))) {
                    Some(made) => *made,
                    None => {
                        open.push((on, Some(number)));
                        continue;
                    }
                }
            };
            done.insert((term, then), made);
        }
        Ok((!waits).then(|| done.get(&(root, None)).copied()))
    }

    fn known_word(&self, side: usize, term: Term) -> Option<Quantity> {
        if let Some(constant) = term.as_constant() {
            return Some(self.sides[side].meanings[constant].quantity());
        }
        match self.sides[side].terms.node(term) {
            Node::BitConstant(bits) => Some(Quantity::Bits(bits)),
            _ => None,
        }
    }

    /// What operations make of a word in the end, if that is known exactly.
    fn made_of(
        &mut self,
        side: usize,
        word: Quantity,
        then: Option<usize>,
        operations: &[Operation],
    ) -> Step<Option<Poly>> {
        let (mut word, mut next) = (word, then);
        while let Some(operation) = next.map(|number| &operations[number]) {
            let node = self.sides[side].terms.node(operation.term);
            word = applied(&node, operation.on, word, |term| self.known_word(side, term));
            next = operation.then;
        }
        match word {
            Quantity::Exact(number) => {
                self.forms.rational(Rational::new(*number.numer(), *number.denom())).map(Some)
            }
            Quantity::Condition(true) => Ok(Some(Poly::ONE)),
            Quantity::Condition(false) => Ok(Some(Poly::ZERO)),
            _ => Ok(None),
        }
    }
}
