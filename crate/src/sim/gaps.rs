//! How missing bits travel through instructions.
//!
//! As in MemorySanitizer (Stepanov, Serebryany, CGO 2015), but with the condition under which each bit is
//! missing, and where it comes from. What is moved (halves, bytes, fields, shifts by what is
//! known) is missing in its new place. `and` with a known 0 and `or` with a known 1 give what is known.
//! A sum lacks the bits from the lowest missing one on. A choice lacks what the chosen side lacks, and the
//! bits in which both sides may differ if the choice itself is not known. Whatever else has an operand of which some
//! bits are missing lacks all of its result: also `x ^ x` and `0 · x`, since nothing says that a
//! place that nobody wrote gives the same twice, or a number.
//!
//! Guarantees: a bit that is not missing has the same value whatever the missing bits are; what is present
//! is worked out as if missing bits were zeros, so it is what one possible execution computes. Misses: what only
//! arithmetic would show (comparisons that differ in a bit that is there, products with zero).

use super::bits::{as_condition, choose as choose_present, mask, slice as slice_present};
use super::bytes::known_bits;
use crate::base::{Format, FormatClass};
use crate::isa::{Lanes, Lanewise, Meaning, WARP};
use crate::term::{BitOp, Missing, Node, Relation, Term, Terms, Value};
use num_rational::BigRational;
use rustc_hash::FxHashMap;

/// `bits` bits of an incomplete value, from bit `at` on.
pub(super) fn slice(terms: &mut Terms, value: Value, width: u32, at: u32, bits: u32) -> Value {
    let present = terms.present(value);
    let present = slice_present(terms, present, width, at, bits);
    let moved = |missing: &Missing| Missing { bits: mask(missing.bits >> at, bits), ..*missing };
    let missing = terms.missing(value).iter().map(moved).collect();
    terms.incomplete(present, missing)
}

/// Two values of half the width as one of `width` bits; at least one is incomplete.
pub(super) fn concat(terms: &mut Terms, low: Value, high: Value, width: u32) -> Value {
    if (low, high) == (Value::NEVER, Value::NEVER) {
        return low;
    }
    let half = width / 2;
    let (below, above) = (terms.present(low), terms.present(high));
    let present = super::bits::concat(terms, below, above, width);
    let below =
        terms.missing(low).iter().map(|missing| Missing { bits: mask(missing.bits, half), ..*missing });
    let mut all: Vec<Missing> = below.collect();
    let shifted = |missing: &Missing| Missing { bits: mask(missing.bits, half) << half, ..*missing };
    all.extend(terms.missing(high).iter().map(shifted));
    terms.incomplete(present, all)
}

/// `if condition then a else b`, of which at least one is incomplete.
pub(super) fn choose(terms: &mut Terms, condition: Term, a: Value, b: Value, format: Format) -> Value {
    let (then, otherwise) = (terms.present(a), terms.present(b));
    // Where nothing is there, anything may be: what the other side has.
    let present = match (terms.is_nothing(a, format.bits()), terms.is_nothing(b, format.bits())) {
        (true, _) => otherwise,
        (_, true) => then,
        _ => choose_present(terms, condition, then, otherwise, format),
    };
    let not = terms.not(condition);
    let mut all = Vec::new();
    for (value, when) in [(a, condition), (b, not)] {
        for missing in terms.missing(value).to_vec() {
            let when = terms.both(when, missing.when);
            all.push(Missing { when, ..missing });
        }
    }
    terms.incomplete(present, all)
}

/// All `bits` of a result are missing where any of these are.
pub(super) fn spread(missing: &[Missing], bits: u64) -> Vec<Missing> {
    missing.iter().filter(|missing| missing.bits != 0).map(|missing| Missing { bits, ..*missing }).collect()
}

/// The function on the words of one lane.
pub(super) fn compute(op: &Lanewise, words: &[u64; 4]) -> (u64, u64) {
    let sources = words.map(|word| [word; WARP]);
    let (mut first, mut second): (Lanes, Lanes) = ([0; WARP], [0; WARP]);
    (op.concrete)(&[&sources[0], &sources[1], &sources[2], &sources[3]], &mut first, &mut second);
    (first[0], second[0])
}

/// The results of a pure instruction on values of which some are incomplete, given what it makes of
/// what is present.
pub(super) fn results(
    terms: &mut Terms,
    op: &Lanewise,
    values: &[Value],
    (first, second): (Value, Value),
) -> (Value, Value) {
    let mut lacks: Vec<Vec<Missing>> = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        let width = op.src[at].bits();
        let seen = |missing: &Missing| Missing { bits: mask(missing.bits, width), ..*missing };
        lacks.push(terms.missing(*value).iter().map(seen).filter(|missing| missing.bits != 0).collect());
    }
    let all: Vec<Missing> = lacks.iter().flatten().copied().collect();
    if all.is_empty() {
        return (first, second);
    }
    if matches!(op.meaning, Meaning::Select) {
        return (select(terms, op.dst, [values[0], values[1], values[2]]), second);
    }
    let missing = of_first(terms, op, values, &lacks, &all);
    let other = match op.meaning {
        // The other destination of a comparison is its negation.
        Meaning::Compare(_) => missing.clone(),
        _ => spread(&all, u64::MAX),
    };
    (lacking(terms, first, missing, op.dst), terms.incomplete(second, other))
}

/// A value in a format that lacks bits. Of a symbol that is not there at all nothing is kept, so that long
/// computations on what nobody wrote take no room.
pub(super) fn lacking(terms: &mut Terms, present: Value, missing: Vec<Missing>, format: Format) -> Value {
    let value = terms.incomplete(present, missing);
    if !matches!(present, Value::Symbolic(_)) || !terms.is_nothing(value, format.bits()) {
        return value;
    }
    let missing = terms.missing(value).to_vec();
    terms.incomplete(Value::Concrete(0), missing)
}

/// The bits that the first result lacks.
fn of_first(
    terms: &mut Terms,
    op: &Lanewise,
    values: &[Value],
    lacks: &[Vec<Missing>],
    all: &[Missing],
) -> Vec<Missing> {
    let width = op.dst.bits();
    let everything = mask(u64::MAX, width);
    if op.moves > 0 {
        return moved(terms, op, values, lacks).unwrap_or_else(|| spread(all, everything));
    }
    match op.meaning {
        Meaning::Bits(op @ (BitOp::And | BitOp::Or)) => {
            let mut found = Vec::new();
            for (at, lack) in lacks.iter().enumerate().take(2) {
                let (zeros, ones) = known(terms, values[1 - at], &lacks[1 - at], width);
                let decided = if op == BitOp::And { zeros } else { ones };
                found
                    .extend(lack.iter().map(|missing| Missing { bits: missing.bits & !decided, ..*missing }));
            }
            found
        }
        Meaning::Bits(BitOp::Xor | BitOp::Not) => all.to_vec(),
        Meaning::Table => table(terms, values, lacks).unwrap_or_else(|| spread(all, everything)),
        Meaning::Logic(function) => logic(terms, function, values, lacks),
        Meaning::Compare(function) if values.len() == 3 => combined(terms, function, values, lacks),
        Meaning::Real(_) | Meaning::Partial(_) | Meaning::Bits(_)
            if !op.dst.is_float()
                && values.len() <= 2
                && op.src[..values.len()].iter().all(|source| source.bits() == width)
                && matches!(op.pattern.op, BitOp::Add | BitOp::Sub | BitOp::Mul | BitOp::Negate) =>
        {
            let from = |bits: u64| !(bits & bits.wrapping_neg()).wrapping_sub(1) & everything;
            all.iter().map(|missing| Missing { bits: from(missing.bits), ..*missing }).collect()
        }
        _ => spread(all, everything),
    }
}

/// Bits that only change places; `None` where it is not known which.
fn moved(terms: &Terms, op: &Lanewise, values: &[Value], lacks: &[Vec<Missing>]) -> Option<Vec<Missing>> {
    let moves = usize::from(op.moves);
    let mut words = [0; 4];
    for at in moves..values.len() {
        let Value::Concrete(word) = terms.present(values[at]) else { return None };
        if !lacks[at].is_empty() {
            return None;
        }
        words[at] = word;
    }
    let mut found = Vec::new();
    for (at, lack) in lacks.iter().enumerate().take(moves) {
        for missing in lack {
            let mut words = words;
            words[at] = missing.bits;
            found.push(Missing { bits: mask(compute(op, &words).0, op.dst.bits()), ..*missing });
        }
    }
    Some(found)
}

/// The bits of an operand that are known to be zeros, and to be ones.
fn known(terms: &mut Terms, value: Value, lack: &[Missing], width: u32) -> (u64, u64) {
    let present = terms.present(value);
    let (zeros, ones) = match present {
        Value::Concrete(word) => (!word, word),
        _ => known_bits(terms, present, width),
    };
    let there = !lack.iter().fold(0, |bits, missing| bits | missing.bits);
    (zeros & there, ones & there)
}

/// The bits of a function given by its table that depend on missing ones.
fn table(terms: &mut Terms, values: &[Value], lacks: &[Vec<Missing>]) -> Option<Vec<Missing>> {
    let Value::Concrete(table) = values[3] else { return None };
    let mut facts = [(0, 0); 3];
    for (at, fact) in facts.iter_mut().enumerate() {
        *fact = known(terms, values[at], &lacks[at], 32);
    }
    let mut found = Vec::new();
    for (at, lack) in lacks.iter().enumerate().take(3) {
        // Where some way that the other two may be lets this operand decide.
        let others: Vec<usize> = (0..3).filter(|other| *other != at).collect();
        let mut decides = 0;
        for way in 0..4u32 {
            let bit = |number: usize| way >> number & 1;
            let mut row = 0;
            let mut possible = u64::MAX;
            for (number, other) in others.iter().enumerate() {
                let (zeros, ones) = facts[*other];
                possible &= if bit(number) == 1 { !zeros } else { !ones };
                row |= bit(number) << (2 - other);
            }
            let set = row | 1 << (2 - at);
            if (table >> row ^ table >> set) & 1 == 1 {
                decides |= possible;
            }
        }
        found.extend(lack.iter().map(|missing| Missing { bits: missing.bits & decides, ..*missing }));
    }
    Some(found)
}

/// When a function of conditions depends on the missing ones.
fn logic(
    terms: &mut Terms,
    function: fn(&mut Terms, &[Term]) -> Term,
    values: &[Value],
    lacks: &[Vec<Missing>],
) -> Vec<Missing> {
    let missing: Vec<usize> = (0..values.len()).filter(|at| !lacks[*at].is_empty()).collect();
    let mut operands = [Term::FALSE; 4];
    for (at, value) in values.iter().enumerate() {
        let present = terms.present(*value);
        operands[at] = as_condition(terms, present).unwrap_or(Term::FALSE);
    }
    let mut ways = Vec::new();
    for way in 0..1u32 << missing.len() {
        let mut operands = operands;
        for (number, at) in missing.iter().enumerate() {
            operands[*at] = if way >> number & 1 == 1 { Term::TRUE } else { Term::FALSE };
        }
        ways.push(function(terms, &operands[..values.len()]));
    }
    where_they_differ(terms, &ways, lacks)
}

/// When a comparison combined with a condition depends on what is missing.
fn combined(
    terms: &mut Terms,
    function: fn(&mut Terms, &[Term]) -> Term,
    values: &[Value],
    lacks: &[Vec<Missing>],
) -> Vec<Missing> {
    let present = terms.present(values[2]);
    let condition = as_condition(terms, present).unwrap_or(Term::FALSE);
    let conditions = if lacks[2].is_empty() { vec![condition] } else { vec![Term::FALSE, Term::TRUE] };
    let mut ways = Vec::new();
    for condition in conditions {
        // Less, equal and greater: whatever is compared, and how.
        for (a, b) in [(Term::ZERO, Term::ONE), (Term::ONE, Term::ONE), (Term::ONE, Term::ZERO)] {
            ways.push(function(terms, &[a, b, condition]));
        }
    }
    where_they_differ(terms, &ways, lacks)
}

fn where_they_differ(terms: &mut Terms, ways: &[Term], lacks: &[Vec<Missing>]) -> Vec<Missing> {
    let all = ways.iter().fold(Term::TRUE, |all, way| terms.and(all, *way));
    let any = ways.iter().fold(Term::FALSE, |any, way| terms.or(any, *way));
    let not = terms.not(all);
    let differ = terms.both(any, not);
    let mut found = Vec::new();
    for missing in lacks.iter().flatten() {
        found.push(Missing { bits: 1, when: terms.both(differ, missing.when), ..*missing });
    }
    found
}

/// `if source 2 then source 0 else source 1`.
pub(super) fn select(terms: &mut Terms, format: Format, [a, b, says]: [Value; 3]) -> Value {
    let present = terms.present(says);
    let lack = terms.missing(says).to_vec();
    let condition = as_condition(terms, present).unwrap_or(Term::FALSE);
    let chosen = choose_present(terms, condition, a, b, format);
    if lack.is_empty() {
        return chosen;
    }
    let differ = match (terms.present(a), terms.present(b)) {
        _ if a == b => 0,
        (Value::Concrete(a), Value::Concrete(b)) => a ^ b,
        _ => u64::MAX,
    };
    // What either side lacks may be what is chosen.
    let mut all: Vec<Missing> = spread(&lack, mask(differ, format.bits()));
    let lacking =
        terms.missing(a).iter().chain(terms.missing(b)).fold(0, |bits, missing| bits | missing.bits);
    all.extend(spread(&lack, mask(lacking, format.bits())));
    all.extend(terms.missing(chosen).to_vec());
    let present = terms.present(chosen);
    terms.incomplete(present, all)
}

/// An incomplete register's value as the low `bits` bits that a store moves.
pub(super) fn fitted(terms: &mut Terms, value: Value, bits: u32) -> Value {
    if value == Value::NEVER {
        return value;
    }
    let present = terms.present(value);
    let present = super::access::fit(terms, present, bits);
    let seen = |missing: &Missing| Missing { bits: mask(missing.bits, bits), ..*missing };
    let missing = terms.missing(value).iter().map(seen).collect();
    terms.incomplete(present, missing)
}

/// Loaded bits in a register of `width` bits: signed formats extend their sign.
pub(super) fn extended(terms: &mut Terms, value: Value, format: Format, width: u32) -> Value {
    let extend = |bits: u64| match format.class() {
        FormatClass::Signed if width > format.bits() => {
            let unused = 64 - format.bits();
            mask(((bits << unused) as i64 >> unused) as u64, width)
        }
        _ => bits,
    };
    match value {
        Value::Concrete(bits) => Value::Concrete(extend(bits)),
        Value::Symbolic(_) => super::access::extend_symbol(terms, value, format, width),
        Value::Undefined(_) => {
            let seen =
                |missing: &Missing| Missing { bits: extend(mask(missing.bits, format.bits())), ..*missing };
            let missing = terms.missing(value).iter().map(seen).collect();
            let present = match terms.present(value) {
                Value::Concrete(bits) => Value::Concrete(extend(bits)),
                other => super::access::extend_symbol(terms, other, format, width),
            };
            terms.incomplete(present, missing)
        }
    }
}

/// An incomplete address, so much further on, if what is there is known.
pub(super) fn shifted(terms: &mut Terms, value: Value, by: u64) -> Option<Value> {
    let Value::Concrete(address) = terms.present(value) else { return None };
    let missing = spread(terms.missing(value), u64::MAX);
    Some(terms.incomplete(Value::Concrete(address.wrapping_add(by)), missing))
}

/// Whether a condition can hold, as far as its own structure tells: of the comparisons in it, those of
/// one number with constants, and those of the same two numbers, are taken together; others to be
/// independent. More than [`COMPARED`] of them, or a long formula, are not looked into.
pub(super) fn is_possible(terms: &Terms, condition: Term) -> bool {
    if matches!(condition, Term::TRUE | Term::FALSE) {
        return condition == Term::TRUE;
    }
    let mut tables = Tables { comparisons: Vec::new(), known: FxHashMap::default(), depth: 0 };
    let Some(table) = tables.of(terms, condition) else { return true };
    let ranges: Vec<[Option<Range>; 2]> = tables
        .comparisons
        .iter()
        .map(|comparison| [false, true].map(|holds| range(terms, *comparison, holds)))
        .collect();
    (0..1usize << ranges.len()).filter(|way| table[way / 64] >> (way % 64) & 1 == 1).any(|way| {
        let ranges: Vec<&Range> =
            ranges.iter().enumerate().filter_map(|(at, range)| range[way >> at & 1].as_ref()).collect();
        // On a line, what meets pairwise meets in a point.
        ranges.iter().enumerate().all(|(at, one)| ranges[..at].iter().all(|other| one.meets(other)))
    })
}

/// A bound, and whether it is not reached.
type Bound = Option<(BigRational, bool)>;

/// What a comparison says of a number, or of the difference of two.
struct Range {
    of: (Term, Term),
    low: Bound,
    high: Bound,
}

impl Range {
    fn meets(&self, other: &Range) -> bool {
        let below = |low: &Bound, high: &Bound| match (low, high) {
            (Some((low, open)), Some((high, closed))) => low < high || low == high && !open && !closed,
            _ => true,
        };
        self.of != other.of || below(&self.low, &other.high) && below(&other.low, &self.high)
    }
}

/// What it says that a comparison holds, or that it does not.
fn range(terms: &Terms, comparison: Term, holds: bool) -> Option<Range> {
    let Node::Compare(relation, a, b) = terms.node(comparison) else { return None };
    let (of, at, turned) = match (terms.as_rational(a), terms.as_rational(b)) {
        (_, Some(at)) => ((a, Term::ZERO), at.clone(), false),
        (Some(at), None) => ((b, Term::ZERO), at.clone(), true),
        (None, None) => ((a.min(b), a.max(b)), BigRational::default(), a > b),
    };
    let bound = |open: bool| Some((at.clone(), open));
    let (low, high) = match (relation, holds) {
        (Relation::Less, true) => (None, bound(true)),
        (Relation::Less, false) => (bound(false), None),
        (Relation::LessEqual, true) => (None, bound(false)),
        (Relation::LessEqual, false) => (bound(true), None),
        (Relation::Equal, true) => (bound(false), bound(false)),
        (Relation::Equal, false) => return None,
    };
    let (low, high) = if turned { (high, low) } else { (low, high) };
    Some(Range { of, low, high })
}

/// Comparisons whose ways to come out are gone through.
const COMPARED: usize = 12;
/// Formulas that are looked at.
const FORMULAS: usize = 512;
/// Formulas within one another.
const DEEPEST: u32 = 128;

/// For each way that the comparisons may come out, whether a formula holds then.
type Table = [u64; (1 << COMPARED) / 64];

struct Tables {
    comparisons: Vec<Term>,
    known: FxHashMap<Term, Table>,
    /// Formulas that are waiting for others within them.
    depth: u32,
}

impl Tables {
    fn of(&mut self, terms: &Terms, formula: Term) -> Option<Table> {
        match formula {
            Term::TRUE => return Some([u64::MAX; (1 << COMPARED) / 64]),
            Term::FALSE => return Some([0; (1 << COMPARED) / 64]),
            _ => {}
        }
        if let Some(table) = self.known.get(&formula) {
            return Some(*table);
        }
        if self.known.len() >= FORMULAS || self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let joined = |a: Table, b: Table, join: fn(u64, u64) -> u64| -> Table {
            std::array::from_fn(|at| join(a[at], b[at]))
        };
        let table = match terms.node(formula) {
            Node::And(a, b) => joined(self.of(terms, a)?, self.of(terms, b)?, |a, b| a & b),
            Node::Or(a, b) => joined(self.of(terms, a)?, self.of(terms, b)?, |a, b| a | b),
            Node::Not(a) => self.of(terms, a)?.map(|word| !word),
            _ => {
                let number = self.comparisons.len();
                if number >= COMPARED {
                    return None;
                }
                self.comparisons.push(formula);
                std::array::from_fn(|word| {
                    (0..64)
                        .filter(|bit| (word * 64 + bit) >> number & 1 == 1)
                        .fold(0, |all, bit| all | 1 << bit)
                })
            }
        };
        self.depth -= 1;
        self.known.insert(formula, table);
        Some(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Origin;

    #[test]
    fn formulas_that_exclude_themselves_are_impossible() {
        let mut terms = Terms::new();
        let [p, q] = [0, 2].map(|at| terms.compare(Relation::Less, Term::element(at), Term::element(at + 1)));
        let (not_p, either) = (terms.not(p), terms.or(p, q));
        let neither = terms.not(either);
        let (one, never) = (terms.and(not_p, either), terms.and(neither, q));
        assert!(is_possible(&terms, one));
        assert!(!is_possible(&terms, never));
        assert!(!is_possible(&terms, Term::FALSE));
    }

    #[test]
    fn a_number_is_not_above_two_and_below_one() {
        let mut terms = Terms::new();
        let x = Term::element(0);
        let two = terms.integer(2);
        let above = terms.compare(Relation::Less, two, x);
        let (below, positive) =
            (terms.compare(Relation::LessEqual, x, Term::ONE), terms.compare(Relation::Less, Term::ZERO, x));
        let not_positive = terms.not(positive);
        for (other, possible) in [(below, false), (positive, true), (not_positive, false)] {
            let both = terms.and(above, other);
            assert_eq!(is_possible(&terms, both), possible);
        }
        let (y, z) = (Term::element(1), Term::element(2));
        let (one, other) = (terms.compare(Relation::Less, y, z), terms.compare(Relation::LessEqual, z, y));
        let both = terms.and(one, other);
        assert!(!is_possible(&terms, both));
    }

    #[test]
    fn a_choice_lacks_what_the_chosen_side_lacks() {
        let mut terms = Terms::new();
        let c = terms.compare(Relation::Less, Term::element(0), Term::ZERO);
        let x = Value::Concrete(5);
        let value = choose(&mut terms, c, x, Value::NEVER, Format::B32);
        let not = terms.not(c);
        let expected = Missing { origin: Origin::NEVER, when: not, bits: u64::MAX };
        assert_eq!((terms.present(value), terms.missing(value)), (x, &[expected][..]));
        let other = choose(&mut terms, not, Value::Concrete(6), value, Format::B32);
        assert!(terms.missing(other).is_empty(), "each side fills what the other lacks");
    }
}
