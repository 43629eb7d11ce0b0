//! Addresses that data choose among known ones.
//!
//! Of `p ? a[i] : b[i]` compilers make one load, whose address is chosen: `selp`, or a multiple of a
//! chosen index; `x[idx[i]]` has one for each value of an index that the spec bounds, or that is a byte, and
//! `x[i & 63]` for each value of what the kernel itself bounds (`pivots`). Such a load,
//! store or atomic is executed once for each address that it may have, under the condition that it has it, like a
//! guarded instruction (`predicate`); what is loaded is the same choice among what lies there.
//!
//! Guarantees: the effect of the instruction, whichever address it has within what the spec requires. An address that
//! the guard rules out in plain sight is not looked at; faults at the others are suspects like those of guarded
//! instructions (`suspects`).
//! Misses: more than [`MOST`] choices, or [`VALUES`] values of an index; copies; what `pivots` misses.

use super::contradiction::is_contradictory;
use super::machine::Machine;
use super::pivots::{Bounds, VALUES, by_pivots};
use super::race::lanes;
use crate::ir::Reg;
use crate::isa::{Access, Effect, WARP};
use crate::term::eval::{Quantity, Small, applied, lone_unknown};
use crate::term::{Node, Relation, Term, Terms, Value, integers};
use rustc_hash::FxHashMap;

/// Addresses that one access may have.
const MOST: usize = 64;

/// How an access is executed.
type Execute<'a> = fn(&mut Machine<'a>, usize, u32, u32, Access);

/// A word, and when it is the one.
pub(super) type Chance = (Term, u64);

/// A term on the way to words, when it is reached, and what is done to it: operations, the last of which
/// is done first, each with its operand that is not known.
type Way = (Term, Term, Vec<(Term, Term)>);

impl<'a> Machine<'a> {
    /// Executes an access for those lanes of `mask` whose address is chosen among known ones. Returns
    /// the others.
    #[inline]
    pub(super) fn at_each_address(
        &mut self,
        index: usize,
        pc: u32,
        mask: u32,
        access: Access,
        execute: Execute<'a>,
    ) -> u32 {
        let base = self.kernel.src(&self.kernel.code[pc as usize])[0];
        let symbolic = self.warps[index].special(base) & mask;
        if symbolic != 0 {
            self.open_tickets(index, base, symbolic);
        }
        let symbolic = self.warps[index].special(base) & mask;
        if symbolic == 0 { mask } else { self.at_chosen(index, pc, (mask, symbolic), base, access, execute) }
    }

    #[inline(never)]
    fn at_chosen(
        &mut self,
        index: usize,
        pc: u32,
        (mask, symbolic): (u32, u32),
        base: Reg,
        access: Access,
        execute: Execute<'a>,
    ) -> u32 {
        let follows = self.follow(index, pc, mask);
        let (symbolic, mask) = (symbolic & follows & self.warps[index].special(base), follows);
        let mut chosen: Vec<(u32, Value, Vec<Chance>)> = Vec::new();
        for lane in lanes(symbolic) {
            let value = self.warps[index].get(base, lane);
            let Value::Symbolic(symbol) = value else { continue };
            let bounds = &self.setup.bounds;
            let found = chances(&mut self.terms, bounds, symbol.term);
            let guard = self.condition(index, lane);
            let found = found.or_else(|| {
                by_pivots(&mut self.terms, (&self.setup.bounds, guard), symbol.term, self.budget)
            });
            if let Some(mut chances) = found {
                chances.retain(|(condition, _)| {
                    let both = self.terms.and(guard, *condition);
                    !is_contradictory(&self.terms, both)
                });
                chosen.push((lane, value, chances));
            }
        }
        if self.out_of_steps() {
            self.halt(index, mask);
            return 0;
        }
        let instr = &self.kernel.code[pc as usize];
        let loads = match instr.effect {
            Effect::Load(_) => true,
            Effect::Atomic { .. } => !self.kernel.dst(instr).is_empty(),
            _ => false,
        };
        let overwrites = self.kernel.dst(instr).contains(&base);
        let most = chosen.iter().map(|(_, _, chances)| chances.len()).max().unwrap_or(0);
        // Lanes that have loaded from one of their addresses.
        let mut loaded = 0;
        for at in (0..most).rev() {
            let mut conditions = [Term::FALSE; WARP];
            let mut now = 0;
            let before = self.warps[index].snapshot();
            for (lane, _, chances) in &chosen {
                let Some((condition, word)) = chances.get(at) else { continue };
                if self.warps[index].faulted >> lane & 1 == 1 {
                    continue;
                }
                conditions[*lane as usize] = *condition;
                now |= 1 << lane;
                self.warps[index].set(base, *lane, Value::Concrete(*word));
            }
            self.suspected = 0;
            let done = self.under(index, now, &conditions, |machine| {
                execute(machine, index, pc, now, access);
                now
            });
            if !(loads && overwrites) {
                for (lane, value, _) in chosen.iter().filter(|(lane, ..)| now >> lane & 1 == 1) {
                    self.warps[index].set(base, *lane, *value);
                }
            }
            if loads {
                // The first is loaded by whoever has come so far; the others are chosen before it. What
                // cannot be loaded is not chosen: it is a fault, or never the address.
                let spared = std::mem::take(&mut self.suspected) & now;
                self.merge(index, done & loaded & !spared, &conditions, &before);
                self.warps[index].restore(&before, spared);
                loaded |= done & !spared;
            }
        }
        let lanes = chosen.iter().fold(0, |lanes, (lane, ..)| lanes | 1 << lane);
        if loads && lanes & !loaded != 0 {
            self.suspected = lanes & !loaded;
            self.spare(index, pc);
        }
        mask & !lanes
    }
}

/// The words that a term can be, and when; `None` if they are not all known, or too many.
pub(super) fn chances(terms: &mut Terms, bounds: Bounds<'_>, root: Term) -> Option<Vec<Chance>> {
    let mut found = Chances::default();
    let mut open: Vec<Way> = vec![(root, Term::TRUE, Vec::new())];
    while let Some((term, condition, mut operations)) = open.pop() {
        if condition == Term::FALSE {
            continue;
        }
        if found.chosen + open.len() > MOST || operations.len() > MOST {
            return None;
        }
        if let Some(word) = known(terms, term) {
            let before = found.all.len();
            found.add(terms, condition, word, &operations)?;
            found.chosen += found.all.len() - before;
            continue;
        }
        if let Some(element) = term.as_element() {
            let [low, high] = bounds_of(terms, bounds, element)?;
            found.chosen += 1;
            for value in low..=high {
                let number = terms.integer(value.into());
                let is = terms.compare(Relation::Equal, term, number);
                let condition = terms.and(condition, is);
                found.add(terms, condition, Quantity::Exact(Small::from_integer(value)), &operations)?;
            }
            continue;
        }
        match terms.node(term) {
            Node::Select(choice, a, b) => {
                let not = terms.not(choice);
                let (then, otherwise) = (terms.and(condition, choice), terms.and(condition, not));
                open.push((b, otherwise, operations.clone()));
                open.push((a, then, operations));
            }
            node => {
                let on = lone_unknown(&node, |term| known(terms, term))?;
                operations.push((term, on));
                open.push((on, condition, operations));
            }
        }
    }
    (!found.all.is_empty()).then_some(found.all)
}

/// Words in the order in which they were found.
#[derive(Default)]
pub(super) struct Chances {
    pub(super) all: Vec<Chance>,
    places: FxHashMap<u64, usize>,
    /// How many choices led to them: one for each word that is known, one for all values of an index.
    chosen: usize,
}

impl Chances {
    /// Adds what operations make of a word, under a condition.
    pub(super) fn add(
        &mut self,
        terms: &mut Terms,
        condition: Term,
        word: Quantity,
        operations: &[(Term, Term)],
    ) -> Option<()> {
        let word = operations.iter().rev().fold(word, |word, (operation, on)| {
            applied(&terms.node(*operation), *on, word, |term| known(terms, term))
        });
        let word = match word {
            Quantity::Bits(word) => word,
            Quantity::Exact(number) if number.is_integer() => number.to_integer() as u64,
            _ => return None,
        };
        match self.places.get(&word) {
            Some(at) => self.all[*at].0 = terms.or(self.all[*at].0, condition),
            None => {
                self.places.insert(word, self.all.len());
                self.all.push((condition, word));
            }
        }
        Some(())
    }
}

/// Between which numbers an integer lies, if these are few: as the spec requires, or because it is a byte.
fn bounds_of(terms: &Terms, bounds: Bounds<'_>, element: u32) -> Option<[i64; 2]> {
    let format = terms.element_format(element).filter(|format| !format.is_float())?;
    let (low, high) = integers(format);
    let own = bounds.binary_search_by_key(&element, |(known, _)| *known);
    let [least, most] = own.map_or([i64::MIN, i64::MAX], |at| bounds[at].1);
    let (low, high) = (low.max(least.into()), high.min(most.into()));
    (low <= high && high - low < VALUES).then_some([low as i64, high as i64])
}

/// The value of a constant.
pub(super) fn known(terms: &Terms, term: Term) -> Option<Quantity> {
    match terms.node(term) {
        Node::BitConstant(bits) => Some(Quantity::Bits(bits)),
        Node::Constant(_) => terms.as_rational(term).map(Quantity::rational),
        _ => None,
    }
}
