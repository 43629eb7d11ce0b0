//! Terms by whose values an address or a condition is known.
//!
//! An index that a kernel bounds itself (`x & 63`, a clamp, a guard around the access, a count of bits, the rank
//! of an element) has few values whatever it is made of, and a condition has two. So a term is followed down to
//! those that have few: they are its pivots, and it has one value for each combination of theirs. Integers of the
//! inputs are preferred where the spec bounds them all; otherwise the pivots are those with the fewest combinations.
//!
//! Guarantees: where the guard holds, the term has one of the values, under its condition. Combinations that no
//! inputs give are among them.
//! Misses: more than [`VALUES`] combinations; terms whose range takes more than what stands in them one by one
//! (`term/range`); words of more than 64 bits; more than [`WORK`] nodes on the way, counted for each combination.

use super::chosen::{Chance, Chances};
use super::contradiction::{bounded, is_contradictory};
use crate::base::{Budget, Format};
use crate::term::eval::{Cone, Domain, Quantity, Reals, Small, operands};
use crate::term::{BitOp, Node, Ranges, Relation, Term, Terms};
use num_rational::BigRational;
use rustc_hash::{FxHashMap, FxHashSet};

/// Combinations of values that a term may depend on.
pub(super) const VALUES: i128 = 1024;

/// Nodes that are evaluated for all combinations of one term together.
const WORK: i128 = 1 << 17;

/// Terms, and how many combinations of values they have.
type Pivots = (Vec<Term>, i128);

/// Between which numbers elements lie that the spec bounds.
pub(super) type Bounds<'a> = &'a [(u32, [i64; 2])];

/// The same, and what holds where it is asked.
pub(super) type Facts<'a> = (Bounds<'a>, Term);

/// Which pivots are preferred.
#[derive(Clone, Copy, PartialEq)]
enum Prefer {
    /// Those with the fewest combinations.
    Few,
    /// The deepest, so that what depends on the same is not taken for independent.
    Deep,
}

/// The words that a term can be where the guard holds, whatever is done to its pivots.
pub(super) fn by_pivots(
    terms: &mut Terms,
    facts: Facts<'_>,
    root: Term,
    budget: &Budget,
) -> Option<Vec<Chance>> {
    let table = Table::of(terms, facts, (root, Prefer::Few), budget)?;
    let mut found = Chances::default();
    for combination in 0..table.count {
        let mut condition = Term::TRUE;
        for (pivot, value) in table.combination(combination) {
            let is = equals(terms, pivot, value)?;
            condition = terms.and(condition, is);
        }
        if condition != Term::FALSE {
            let word = table.value(terms, combination);
            found.add(terms, condition, word, &[])?;
        }
    }
    Some(found.all)
}

/// How a condition may come out (not, and so) where the guard holds; `None` if there are too many combinations to
/// tell.
pub(super) fn outcomes(
    terms: &mut Terms,
    (bounds, guard): Facts<'_>,
    condition: Term,
    budget: &Budget,
) -> Option<[bool; 2]> {
    let two = terms.integer(2);
    let inner = terms.select(condition, two, Term::ONE);
    let root = terms.select(guard, inner, Term::ZERO);
    let mut found = [false; 2];
    let mut note = |value: Quantity| match value {
        Quantity::Exact(number) if number == Small::from_integer(0) => Some(()),
        Quantity::Exact(number) => {
            found[usize::from(number == Small::from_integer(2))] = true;
            Some(())
        }
        _ => None,
    };
    if let Some(value) = constant(terms, root) {
        note(value)?;
        return Some(found);
    }
    let table = Table::of(terms, (bounds, guard), (root, Prefer::Deep), budget)?;
    for combination in 0..table.count {
        note(table.value(terms, combination))?;
    }
    Some(found)
}

/// Whether a condition may hold at some inputs, as far as is seen.
pub(super) fn is_possible(terms: &mut Terms, bounds: Bounds<'_>, condition: Term, budget: &Budget) -> bool {
    !is_contradictory(terms, condition)
        && outcomes(terms, (bounds, condition), Term::TRUE, budget) != Some([false; 2])
}

/// What a term is for each combination of its pivots' values.
struct Table {
    root: Term,
    pivots: Vec<(Term, Values)>,
    count: i128,
    /// What lies between, operands first.
    steps: Vec<Term>,
    constants: Vec<Quantity>,
}

impl Table {
    fn of(
        terms: &Terms,
        (bounds, guard): Facts<'_>,
        (root, prefer): (Term, Prefer),
        budget: &Budget,
    ) -> Option<Table> {
        // Whoever asks looks whether the budget is used up (`out_of_steps`).
        let cone = Cone::of(terms, &[root], budget).ok()?;
        let elements = cone.elements().iter().map(|element| Term::element(*element));
        let nodes: Vec<Term> = elements.chain((0..cone.steps().len()).map(|step| cone.node(step))).collect();
        let own = cone.elements().iter().filter_map(|element| {
            let at = bounds.binary_search_by_key(element, |(known, _)| *known).ok()?;
            let number = |end: i64| Some(BigRational::from_integer(end.into()));
            Some((Term::element(*element), bounds[at].1.map(number)))
        });
        let ranges = terms.ranges_in(nodes.iter().copied(), own.chain(bounded(terms, guard)));
        let (pivots, count) = of_elements(terms, &ranges, cone.elements()).or_else(|| {
            let mut covers = FxHashMap::default();
            for node in &nodes {
                let found = cover(terms, &ranges, &covers, *node, prefer);
                covers.insert(*node, found);
            }
            covers.remove(&root).flatten()
        })?;
        if pivots.is_empty() {
            return None;
        }
        let steps = between(terms, root, &pivots, &nodes);
        if count * steps.len() as i128 > WORK {
            return None;
        }
        let constants = (0..terms.constants().len())
            .map(|at| constant(terms, Term::constant(at)).unwrap_or(Quantity::Unknown))
            .collect();
        let pivots: Option<Vec<(Term, Values)>> =
            pivots.into_iter().map(|pivot| Some((pivot, Values::of(terms, &ranges, pivot)?))).collect();
        Some(Table { root, pivots: pivots?, count, steps, constants })
    }

    /// The values of the pivots in a combination.
    fn combination(&self, at: i128) -> impl Iterator<Item = (Term, i128)> {
        let mut rest = at;
        self.pivots.iter().map(move |(pivot, values)| {
            let value = values.number(rest % values.count());
            rest /= values.count();
            (*pivot, value)
        })
    }

    /// The value of the root in a combination.
    fn value(&self, terms: &Terms, combination: i128) -> Quantity {
        let mut values: FxHashMap<Term, Quantity> = FxHashMap::default();
        for (pivot, value) in self.combination(combination) {
            let value = match () {
                () if is_word(terms, pivot) => Quantity::Bits(value as u64),
                () if is_condition(terms, pivot) => Quantity::Condition(value == 1),
                () => Quantity::Exact(Small::from_integer(value as i64)),
            };
            values.insert(pivot, value);
        }
        for step in &self.steps {
            let domain = Reals { element: &|_| Quantity::Unknown, constants: &self.constants };
            let value = domain.node(&terms.node(*step), |operand| {
                values
                    .get(&operand)
                    .copied()
                    .or_else(|| constant(terms, operand))
                    .unwrap_or(Quantity::Unknown)
            });
            values.insert(*step, value);
        }
        values.get(&self.root).copied().unwrap_or(Quantity::Unknown)
    }
}

/// The value of a constant.
fn constant(terms: &Terms, term: Term) -> Option<Quantity> {
    match term {
        Term::TRUE => Some(Quantity::Condition(true)),
        Term::FALSE => Some(Quantity::Condition(false)),
        _ => super::chosen::known(terms, term),
    }
}

/// All elements as pivots, if each has few values.
fn of_elements(terms: &Terms, ranges: &Ranges, elements: &[u32]) -> Option<Pivots> {
    let all: Vec<Term> = elements.iter().map(|element| Term::element(*element)).collect();
    let mut count = 1;
    for element in &all {
        count *= Values::of(terms, ranges, *element)?.count();
        if count > VALUES {
            return None;
        }
    }
    Some((all, count))
}

/// The values that a whole number or a word may have.
#[derive(Clone, Copy)]
enum Values {
    /// All from one to another.
    From(i128, i128),
    /// Words of which these bits may be ones.
    Of(u64),
}

impl Values {
    /// The values of a term, if these are few.
    fn of(terms: &Terms, ranges: &Ranges, term: Term) -> Option<Self> {
        let mask = match terms.node(term) {
            Node::Bits(BitOp::And, _, a, b, _) => {
                [a, b].into_iter().find_map(|side| match terms.node(side) {
                    Node::BitConstant(mask) => Some(mask),
                    _ => None,
                })
            }
            _ => None,
        };
        let all = match is_condition(terms, term) {
            true => Some(Self::From(0, 1)),
            false => ranges.of(term).map(|(low, high)| Self::From(low, high)),
        };
        let some = mask.map(Self::Of);
        all.into_iter()
            .chain(some)
            .filter(|values| (1..=VALUES).contains(&values.count()))
            .min_by_key(Self::count)
    }

    fn count(&self) -> i128 {
        match *self {
            Self::From(low, high) => high.saturating_sub(low).saturating_add(1),
            Self::Of(mask) => 1 << mask.count_ones(),
        }
    }

    /// One of them, counted from 0.
    fn number(&self, at: i128) -> i128 {
        match *self {
            Self::From(low, _) => low + at,
            Self::Of(mut mask) => {
                let (mut word, mut at) = (0, at);
                while mask != 0 {
                    let bit = mask & mask.wrapping_neg();
                    if at & 1 == 1 {
                        word |= bit;
                    }
                    (mask, at) = (mask ^ bit, at >> 1);
                }
                word.into()
            }
        }
    }
}

/// The pivots of a term, whose operands have been looked at: those of its operands together, or itself.
fn cover(
    terms: &Terms,
    ranges: &Ranges,
    covers: &FxHashMap<Term, Option<Pivots>>,
    term: Term,
    prefer: Prefer,
) -> Option<Pivots> {
    let own = Values::of(terms, ranges, term).map(|values| (vec![term], values.count()));
    let mut together = Some((Vec::new(), 1));
    if term.as_node().is_none() {
        together = None;
    }
    for operand in operands(&terms.node(term)).into_iter().flatten() {
        if constant(terms, operand).is_some() {
            continue;
        }
        let Some((mut all, _)) = together.take() else { break };
        let Some(Some((more, _))) = covers.get(&operand) else { break };
        all.extend(more.iter().copied());
        all.sort_unstable();
        all.dedup();
        let count = all.iter().try_fold(1i128, |count, pivot| {
            Some(count * Values::of(terms, ranges, *pivot)?.count()).filter(|count| *count <= VALUES)
        });
        together = count.map(|count| (all, count));
    }
    match (own, together) {
        (Some(own), Some(together)) => {
            Some(if prefer == Prefer::Few && own.1 < together.1 { own } else { together })
        }
        (own, together) => own.or(together),
    }
}

/// What lies between a root and its pivots, operands first.
fn between(terms: &Terms, root: Term, pivots: &[Term], nodes: &[Term]) -> Vec<Term> {
    let mut open = vec![root];
    let mut seen = FxHashSet::default();
    while let Some(term) = open.pop() {
        if !pivots.contains(&term) && term.as_node().is_some() && seen.insert(term) {
            open.extend(operands(&terms.node(term)).into_iter().flatten());
        }
    }
    nodes.iter().copied().filter(|node| seen.contains(node)).collect()
}

/// The condition that a pivot has a value.
fn equals(terms: &mut Terms, pivot: Term, value: i128) -> Option<Term> {
    if is_condition(terms, pivot) {
        return Some(if value == 1 { pivot } else { terms.not(pivot) });
    }
    let number = match terms.node(pivot) {
        Node::BitsOf(format, _) => terms.from_bits(unsigned(format.bits())?, pivot),
        Node::Bits(op, width, ..) if !op.is_condition() => terms.from_bits(unsigned(width.into())?, pivot),
        _ => pivot,
    };
    let value = terms.integer(value);
    Some(terms.compare(Relation::Equal, number, value))
}

fn unsigned(bits: u32) -> Option<Format> {
    [Format::U8, Format::U16, Format::U32, Format::U64].into_iter().find(|format| format.bits() == bits)
}

/// Whether a term holds or does not.
fn is_condition(terms: &Terms, term: Term) -> bool {
    match terms.node(term) {
        Node::Compare(..) | Node::And(..) | Node::Or(..) | Node::Not(_) => true,
        Node::Bits(op, ..) => op.is_condition(),
        _ => false,
    }
}

/// Whether a term is a word and no number.
fn is_word(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::BitsOf(..) | Node::Bits(..) | Node::BitConstant(_))
        && !is_condition(terms, term)
}
