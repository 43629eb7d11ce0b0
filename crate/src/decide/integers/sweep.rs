//! Words that both sides compute on the way, shown equal one after the other, the innermost first.
//!
//! Two programs for one function of integers compute many of the same words: the state after each round of a hash or
//! of a generator of random numbers. Written out as functions of the inputs these have no small form; as functions of
//! the words before them they do. So every term gets a class, and terms of one class are one function of the inputs.
//! Terms built alike of the same classes are of one class, and words and integers that are one sum of multiples of
//! classes. Others are looked at if they have the same values at random inputs ([`POINTS`]): their diagrams are compared, worked out over the classes some steps below as if these were
//! inputs, first of the nearest, then of those further down. In the first of two looks, sums on the way are known
//! by their classes wherever they lie, and the bits of a product with a number are variables as well.
//!
//! Guarantees: terms of one class are equal at all inputs. What they have in common at random inputs only says what to
//! look at.
//! Misses: words that need a law of arithmetic which diagrams are too large for, and words that only one side computes.
//! Source: Kuehlmann, Krohm: *Equivalence Checking Using Cuts and Heaps*, 1997.

use super::Integers;
use super::circuits::{Look, Place};
use crate::base::{Budget, Exhausted};
use crate::decide::fingerprint::random;
use crate::decide::normalize::{Normalizer, Value};
use crate::decide::witness::{Kind, Question};
use crate::term::eval::{Cone, Quantity, Reals, Small, evaluate, operands};
use crate::term::{BitOp, Node, Term, Unary};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{One, ToPrimitive};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::VecDeque;
use std::hash::Hasher;

/// Random inputs that tell words apart.
const POINTS: u64 = 24;
/// Common classes above those that count as inputs, and what one look may cost.
const LOOKS: [(u32, u32); 5] = [(0, 20_000), (1, 40_000), (2, 80_000), (4, 160_000), (8, 320_000)];
/// Terms of a word that are looked through for what it has in common with another.
const LOOKED_THROUGH: usize = 400;
/// Classes with the same values at random inputs that a word is compared with.
const CANDIDATES: usize = 3;
/// Steps that all looks of one portion may take.
const STEPS: u64 = 6_000_000;
/// Nodes that are evaluated at random inputs.
const NODES: usize = 4_000_000;
/// Nodes of a sum that are looked through for its summands.
const SUMMANDS: u32 = 200;
/// Stands for the width of sums that are integers.
const EXACT: u32 = u32::MAX;
/// Stands for 1 among summands.
const UNIT: u64 = u64::MAX - 1;

/// What the values of a class are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    /// Integers of so many bits, with their sign.
    Number(u32),
    /// Patterns of so many bits.
    Pattern(u32),
    Condition,
    Other,
}

/// One function of the inputs.
#[derive(Clone, Copy)]
struct Class {
    side: usize,
    term: Term,
    sort: Sort,
}

/// What is known of the terms of both sides.
#[derive(Clone, Default)]
pub(super) struct Sweep {
    classes: Vec<Class>,
    of: [FxHashMap<Term, u32>; 2],
    by_key: FxHashMap<[u64; 5], u32>,
    /// By the summands of a sum, and its width.
    by_sum: FxHashMap<(u32, Vec<(u64, u64)>), u32>,
    by_values: FxHashMap<u64, Vec<u32>>,
    /// The patterns of the lowest bits of numbers, and how many these are.
    low: FxHashMap<u32, (u32, u32)>,
    /// Names of functions that nothing is known of.
    names: Vec<String>,
    steps: u64,
    nodes: usize,
}

impl Sweep {
    /// The lowest bits of a number that are a pattern's as well: that pattern's class, how many bits these are, and how
    /// many of them may be other than 0.
    pub(super) fn low_bits(&self, class: u32) -> Option<(u32, u32, u32)> {
        let (pattern, n) = *self.low.get(&class)?;
        match self.classes[pattern as usize].sort {
            Sort::Pattern(bits) => Some((pattern, n, bits.min(n))),
            _ => None,
        }
    }

    /// The class of a term, and what its values are.
    pub(super) fn class(&self, side: usize, term: Term) -> Option<(u32, Sort)> {
        let class = *self.of[side].get(&term)?;
        Some((class, self.classes[class as usize].sort))
    }
}

impl Normalizer<'_> {
    /// Whether two terms, the reference's and the other's, are shown to be one function by the words that they are made
    /// of. `true` is a proof, `false` says nothing.
    pub(in crate::decide) fn same_by_words(
        &mut self,
        question: &Question<'_>,
        (a, b): (Term, Term),
        budget: &Budget,
    ) -> Result<bool, Exhausted> {
        let cones = [Cone::of(question.terms[0], &[a], budget)?, Cone::of(question.terms[1], &[b], budget)?];
        let has_words =
            |cone: &Cone| cone.steps().iter().any(|step| matches!(step, Node::Bits(..) | Node::FromBits(..)));
        if !cones.iter().any(has_words) {
            return Ok(false);
        }
        let fresh = Integers::new();
        let mut own = std::mem::replace(&mut self.integers, fresh);
        self.integers.circuits.sweep = Some(std::mem::take(&mut own.sweep));
        let found = self.sweep_both(question, &cones, (a, b), budget);
        own.sweep = self.integers.circuits.sweep.take().unwrap_or_default();
        self.integers = own;
        found
    }

    fn sweep(&mut self) -> &mut Sweep {
        self.integers.circuits.sweep.get_or_insert_default()
    }

    fn sweep_both(
        &mut self,
        question: &Question<'_>,
        cones: &[Cone; 2],
        (a, b): (Term, Term),
        budget: &Budget,
    ) -> Result<bool, Exhausted> {
        let steps: usize = cones.iter().map(|cone| cone.steps().len()).sum();
        self.sweep().nodes += steps * POINTS as usize;
        if self.sweep().nodes > NODES {
            return Ok(false);
        }
        let values = [0, 1].map(|side| values_at_points(question, side, &cones[side], budget));
        let [first, second] = values;
        let values = [first?, second?];
        for (side, cone) in cones.iter().enumerate() {
            for (step, node) in cone.steps().iter().enumerate() {
                let term = cone.node(step);
                if self.sweep().of[side].contains_key(&term) {
                    continue;
                }
                budget.spend(8)?;
                let before = self.sweep().steps;
                self.classify(side, term, node, values[side][step]);
                let taken = self.sweep().steps - before;
                budget.spend(8 * taken)?;
            }
        }
        if let (Some(x), Some(y)) = (self.code(0, a), self.code(1, b))
            && x == y
        {
            return Ok(true);
        }
        let shown = self.shown((0, a), (1, b));
        Ok(shown)
    }

    /// The class of a term whose operands have theirs.
    fn classify(&mut self, side: usize, term: Term, step: &Node, values: Values) {
        self.find_class(side, term, step, values);
        // A number and the pattern of its lowest bits are two classes: these bits are the same.
        if let Node::BitsOf(format, number) = self.sides[side].terms.node(term)
            && !format.is_float()
            && let (Some((number, Sort::Number(_))), Some((pattern, _))) =
                (self.sweep().class(side, number), self.sweep().class(side, term))
        {
            let known = self.sweep().low.entry(number).or_insert((pattern, format.bits()));
            if known.1 < format.bits() {
                *known = (pattern, format.bits());
            }
        }
    }

    fn find_class(&mut self, side: usize, term: Term, step: &Node, values: Values) {
        let key = self.key(side, term);
        if let Some(key) = key
            && let Some(class) = self.sweep().by_key.get(&key).copied()
        {
            self.sweep().of[side].insert(term, class);
            return;
        }
        let sum = self.sum(side, term);
        if let Some(sum) = &sum
            && let Some(class) = self.sweep().by_sum.get(sum).copied()
        {
            let sweep = self.sweep();
            sweep.of[side].insert(term, class);
            sweep.by_key.extend(key.map(|key| (key, class)));
            return;
        }
        let sort = match values.kind {
            Some(Quantity::Bits(_)) => Sort::Pattern(self.width_of(side, term)),
            Some(Quantity::Condition(_)) => Sort::Condition,
            Some(Quantity::Exact(_) | Quantity::Large(..)) => {
                self.width_in_sweep(side, term).map_or(Sort::Other, Sort::Number)
            }
            _ => Sort::Other,
        };
        let mut found = None;
        if sort != Sort::Other && !matches!(step, Node::BitConstant(_)) {
            let all = self.sweep().by_values.get(&values.hash).cloned().unwrap_or_default();
            for class in all.into_iter().rev().take(CANDIDATES) {
                let other = self.sweep().classes[class as usize];
                if std::mem::discriminant(&other.sort) == std::mem::discriminant(&sort)
                    && self.shown((other.side, other.term), (side, term))
                {
                    found = Some(class);
                    break;
                }
            }
        }
        let sweep = self.sweep();
        let class = found.unwrap_or(sweep.classes.len() as u32);
        match sweep.classes.get_mut(class as usize) {
            // All of them are one function: what one has no place for is 0 in all of them.
            Some(known) => {
                known.sort = match (known.sort, sort) {
                    (Sort::Number(a), Sort::Number(b)) => Sort::Number(a.min(b)),
                    (Sort::Pattern(a), Sort::Pattern(b)) => Sort::Pattern(a.min(b)),
                    (sort, _) => sort,
                }
            }
            None => {
                sweep.classes.push(Class { side, term, sort });
                if sort != Sort::Other {
                    sweep.by_values.entry(values.hash).or_default().push(class);
                }
            }
        }
        sweep.of[side].insert(term, class);
        if let Some(key) = key {
            sweep.by_key.entry(key).or_insert(class);
        }
        if let Some(sum) = sum {
            sweep.by_sum.entry(sum).or_insert(class);
        }
        if let Sort::Pattern(bits) = sort {
            sweep.by_sum.entry((bits, vec![(class.into(), 1)])).or_insert(class);
        }
    }

    /// The multiples of classes whose sum modulo 2ⁿ a pattern of n bits is, or an integer that fits 64 bits; `None` for
    /// what is no sum.
    fn sum(&mut self, side: usize, term: Term) -> Option<(u32, Vec<(u64, u64)>)> {
        let node = self.sides[side].terms.node(term);
        let (n, exact) = match node {
            Node::Bits(op, width, ..) if !op.is_condition() => (u32::from(width), false),
            Node::BitsOf(format, _) if !format.is_float() => (format.bits(), false),
            // Two integers of 64 bits that are congruent modulo 2⁶⁴ are one.
            Node::Add(..) | Node::Sub(..) | Node::Mul(..) | Node::Fma(..) | Node::Unary(Unary::Neg, _) => {
                self.width_in_sweep(side, term).filter(|width| *width <= 64)?;
                (64, true)
            }
            _ => return None,
        };
        let mut sum = Sum { side, n, within: None, parts: FxHashMap::default(), left: SUMMANDS };
        match exact {
            true => self.add_number(&mut sum, term, 1)?,
            false => self.add_pattern(&mut sum, term, 1)?,
        }
        let parts = sum.sorted().into_iter().map(|(code, part)| (code, part.factor)).collect();
        Some((if exact { EXACT } else { n }, parts))
    }

    /// What a sum of n bits at a place of a look is a multiple of: the multiples that are summed, without a factor which
    /// all of them have in common, and that factor. Numbers are divided by it modulo 2ⁿ; the one that leaves the
    /// shortest numbers is chosen, and `None` where that is 1.
    pub(super) fn common_factor(&mut self, place: Place, n: u32, number: bool) -> Option<(Vec<Part>, u64)> {
        if n > 64 {
            return None;
        }
        let (side, term) = (place.side, place.term);
        let mut sum = Sum { side, n, within: Some(place), parts: FxHashMap::default(), left: SUMMANDS };
        match number {
            true => self.add_number(&mut sum, term, 1)?,
            false => self.add_pattern(&mut sum, term, 1)?,
        }
        let parts: Vec<Part> = sum.sorted().into_iter().map(|(_, part)| part).collect();
        let mask = mask(n);
        let length = |factor: u64| 64 - factor.min(factor.wrapping_neg() & mask).leading_zeros();
        let divided = |by: u64| parts.iter().map(move |part| part.factor.wrapping_mul(inverse(by)) & mask);
        let odd = parts.iter().map(|part| part.factor).filter(|factor| factor % 2 == 1);
        let all = |by: u64| divided(by).map(length).sum::<u32>();
        let factor = odd.chain([1]).min_by_key(|by| (all(*by), *by != 1))?;
        let without = divided(factor).zip(&parts).map(|(factor, part)| Part { factor, ..*part }).collect();
        (parts.len() > 1 && factor != 1).then_some((without, factor))
    }

    /// Adds a multiple of a pattern's lowest n bits.
    fn add_pattern(&mut self, sum: &mut Sum, term: Term, factor: u64) -> Option<()> {
        let terms = self.sides[sum.side].terms;
        let known = |term: Term| match terms.node(term) {
            Node::BitConstant(bits) => Some(bits),
            _ => None,
        };
        sum.left = sum.left.saturating_sub(1);
        match terms.node(term) {
            Node::BitConstant(bits) => return sum.add(UNIT, Part::one(factor.wrapping_mul(bits))),
            _ if sum.left == 0 || self.ends_there(sum, term) => {}
            Node::BitsOf(format, number) if !format.is_float() && format.bits() >= sum.n => {
                return self.add_number(sum, number, factor);
            }
            Node::Bits(op, width, a, b, _) if u32::from(width) >= sum.n => match op {
                BitOp::Add => {
                    self.add_pattern(sum, a, factor)?;
                    return self.add_pattern(sum, b, factor);
                }
                BitOp::Sub => {
                    self.add_pattern(sum, a, factor)?;
                    return self.add_pattern(sum, b, factor.wrapping_neg());
                }
                BitOp::Negate => return self.add_pattern(sum, a, factor.wrapping_neg()),
                BitOp::Mul => {
                    if let Some(by) = known(b) {
                        return self.add_pattern(sum, a, factor.wrapping_mul(by));
                    }
                    if let Some(by) = known(a) {
                        return self.add_pattern(sum, b, factor.wrapping_mul(by));
                    }
                }
                BitOp::ShiftLeft => {
                    if let Some(by) = known(b).filter(|by| *by < u64::from(width)) {
                        return self.add_pattern(sum, a, factor.wrapping_shl(by as u32));
                    }
                }
                BitOp::Slice if known(b) == Some(0) => return self.add_pattern(sum, a, factor),
                BitOp::Extend | BitOp::ExtendSigned
                    if known(b).is_some_and(|narrow| narrow >= sum.n.into()) =>
                {
                    return self.add_pattern(sum, a, factor);
                }
                BitOp::Concat if u32::from(width) / 2 >= sum.n => return self.add_pattern(sum, a, factor),
                _ => {}
            },
            _ => {}
        }
        let code = self.code(sum.side, term)?;
        sum.add(code, Part { term: Some(term), number: false, factor })
    }

    /// Whether what is summed in a look is not looked into.
    fn ends_there(&self, sum: &Sum, term: Term) -> bool {
        sum.within.is_some_and(|place| term != place.term && self.ends_at(place.side, term))
    }

    /// Adds a multiple of an integer modulo 2ⁿ.
    fn add_number(&mut self, sum: &mut Sum, term: Term, factor: u64) -> Option<()> {
        let whole = |this: &mut Self, term: Term| {
            let value = this.known_integer(sum.side, term)?;
            value.mod_floor(&(BigInt::one() << 64u32)).to_u64()
        };
        if let Some(value) = whole(self, term) {
            return sum.add(UNIT, Part::one(factor.wrapping_mul(value)));
        }
        sum.left = sum.left.saturating_sub(1);
        let node = self.sides[sum.side].terms.node(term);
        match node {
            _ if sum.left == 0 || self.ends_there(sum, term) => {}
            Node::Add(a, b) | Node::Sub(a, b) => {
                self.add_number(sum, a, factor)?;
                let factor = if matches!(node, Node::Sub(..)) { factor.wrapping_neg() } else { factor };
                return self.add_number(sum, b, factor);
            }
            Node::Unary(Unary::Neg, a) => return self.add_number(sum, a, factor.wrapping_neg()),
            Node::Mul(a, b) | Node::Fma(a, b, _) => {
                let by = whole(self, b).map(|by| (a, by)).or_else(|| Some((b, whole(self, a)?)));
                if let Some((other, by)) = by {
                    self.add_number(sum, other, factor.wrapping_mul(by))?;
                    return match node {
                        Node::Fma(.., c) => self.add_number(sum, c, factor),
                        _ => Some(()),
                    };
                }
            }
            Node::FromBits(format, pattern) if !format.is_float() && format.bits() >= sum.n => {
                return self.add_pattern(sum, pattern, factor);
            }
            _ => {}
        }
        // Multiples of what is no integer are not taken modulo 2ⁿ.
        self.width_in_sweep(sum.side, term)?;
        let code = self.code(sum.side, term)?;
        sum.add(code, Part { term: Some(term), number: true, factor })
    }

    /// Whether two terms have the same diagrams over some of what they are made of.
    fn shown(&mut self, a: (usize, Term), b: (usize, Term)) -> bool {
        let common = self.common(a, b);
        let mut last = FxHashSet::default();
        for (level, cost) in LOOKS {
            let ends = self.ends(&common, [a, b], level);
            if level > 0 && ends == last {
                break;
            }
            for (whole, opaque) in [(true, true), (false, true), (true, false), (false, false)] {
                if self.sweep().steps > STEPS {
                    return false;
                }
                let sweep = self.integers.circuits.sweep.take();
                self.integers = Integers::new();
                self.integers.circuits.sweep = sweep;
                self.integers.circuits.look = Look { ends: ends.clone(), whole, opaque };
                self.integers.diagrams.limit(cost);
                let place = |(side, term)| Place::in_sweep(side, term);
                let same = self.same_in_sweep(place(a), place(b));
                self.integers.diagrams.next_question();
                let taken = self.integers.diagrams.take_steps();
                self.sweep().steps += taken + 100;
                if same == Some(true) {
                    return true;
                }
            }
            last = ends;
        }
        false
    }

    /// The classes that both terms are made of, as far as they are looked through, without their own.
    fn common(&mut self, a: (usize, Term), b: (usize, Term)) -> FxHashSet<u32> {
        let [first, second] = [a, b].map(|(side, term)| {
            let mut seen = FxHashSet::default();
            let mut classes = FxHashSet::default();
            let mut ahead = VecDeque::from([term]);
            while let Some(term) = ahead.pop_front().filter(|_| seen.len() < LOOKED_THROUGH) {
                for operand in operands(&self.sides[side].terms.node(term)).into_iter().flatten() {
                    if seen.insert(operand) {
                        classes.extend(self.sweep().of[side].get(&operand));
                        ahead.push_back(operand);
                    }
                }
            }
            classes
        });
        first.intersection(&second).copied().collect()
    }

    /// Where a look ends: at the terms of common classes that so many others of them lie above, by the shortest way.
    fn ends(
        &mut self,
        common: &FxHashSet<u32>,
        roots: [(usize, Term); 2],
        level: u32,
    ) -> FxHashSet<(usize, Term)> {
        let mut ends = FxHashSet::default();
        for (side, root) in roots {
            let mut seen = FxHashSet::from_iter([root]);
            let mut ahead = VecDeque::from([(root, 0)]);
            while let Some((term, above)) = ahead.pop_front().filter(|_| seen.len() < 2 * LOOKED_THROUGH) {
                for operand in operands(&self.sides[side].terms.node(term)).into_iter().flatten() {
                    if !seen.insert(operand) {
                        continue;
                    }
                    let is_common =
                        self.sweep().of[side].get(&operand).is_some_and(|class| common.contains(class));
                    match is_common {
                        true if above == level => _ = ends.insert((side, operand)),
                        true => ahead.push_back((operand, above + 1)),
                        false => ahead.push_front((operand, above)),
                    }
                }
            }
        }
        ends
    }

    /// What a term is, for both sides.
    fn code(&mut self, side: usize, term: Term) -> Option<u64> {
        if let Some(element) = term.as_element() {
            return Some(1 << 60 | u64::from(element));
        }
        if term.as_constant().is_some() {
            return match self.look_up(side, term) {
                Ok(Some(Value::Finite(poly))) => Some(2 << 60 | u64::from(poly.0)),
                Ok(Some(Value::Infinite(positive))) => Some(3 << 60 | u64::from(positive)),
                _ => None,
            };
        }
        self.sweep().of[side].get(&term).map(|class| u64::from(*class))
    }

    /// How a term is made of what it is made of; `None` where that cannot be said.
    fn key(&mut self, side: usize, term: Term) -> Option<[u64; 5]> {
        let node = self.sides[side].terms.node(term);
        let mut codes = [u64::MAX; 3];
        for (code, operand) in codes.iter_mut().zip(operands(&node)) {
            if let Some(operand) = operand {
                *code = self.code(side, operand)?;
            }
        }
        let commutes = match node {
            Node::Add(..)
            | Node::Mul(..)
            | Node::Fma(..)
            | Node::Max(..)
            | Node::Min(..)
            | Node::And(..)
            | Node::Or(..) => true,
            Node::Bits(op, ..) => op.commutes(),
            _ => false,
        };
        if commutes {
            codes[..2].sort_unstable();
        }
        let [a, b, c] = codes;
        let (own, more) = match node {
            Node::Element(_) | Node::Constant(_) => return None,
            Node::Add(..) => (1, 0),
            Node::Sub(..) => (2, 0),
            Node::Mul(..) => (3, 0),
            Node::Fma(..) => (4, 0),
            Node::Div(..) => (5, 0),
            Node::Max(..) => (6, 0),
            Node::Min(..) => (7, 0),
            Node::And(..) => (8, 0),
            Node::Or(..) => (9, 0),
            Node::Not(_) => (10, 0),
            Node::Select(..) => (11, 0),
            Node::Compare(relation, ..) => (12, relation as u64),
            Node::Unary(function, _) => (13, function as u64),
            Node::Round(mode, format, _) => (14, (mode as u64) << 32 | format as u64),
            Node::BitsOf(format, _) => (15, format as u64),
            Node::FromBits(format, _) => (16, format as u64),
            Node::BitConstant(bits) => (17, bits),
            Node::Bits(op, width, ..) => (18, (op as u64) << 32 | u64::from(width)),
            Node::Apply(function, ..) => {
                let name = self.sides[side].terms.function_name(function).to_owned();
                let names = &mut self.sweep().names;
                let number = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                    names.push(name);
                    names.len() - 1
                });
                (19, number as u64)
            }
        };
        Some([own, more, a, b, c])
    }
}

/// A multiple modulo 2ⁿ.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Of what; of 1 if of nothing else.
    pub(super) term: Option<Term>,
    /// It is an integer, and no pattern.
    pub(super) number: bool,
    pub(super) factor: u64,
}

impl Part {
    fn one(factor: u64) -> Part {
        Part { term: None, number: false, factor }
    }
}

/// Multiples of classes on the way to a sum modulo 2ⁿ.
struct Sum {
    side: usize,
    n: u32,
    /// In a look: what is summed.
    within: Option<Place>,
    parts: FxHashMap<u64, Part>,
    /// Nodes that may still be looked through.
    left: u32,
}

impl Sum {
    fn add(&mut self, code: u64, part: Part) -> Option<()> {
        let known = self.parts.entry(code).or_insert(Part { factor: 0, ..part });
        known.factor = known.factor.wrapping_add(part.factor);
        Some(())
    }

    /// The multiples that are not 0, by their codes.
    fn sorted(self) -> Vec<(u64, Part)> {
        let mask = mask(self.n);
        let reduced =
            self.parts.into_iter().map(|(code, part)| (code, Part { factor: part.factor & mask, ..part }));
        let mut parts: Vec<(u64, Part)> = reduced.filter(|(_, part)| part.factor != 0).collect();
        parts.sort_unstable_by_key(|(code, _)| *code);
        parts
    }
}

fn mask(n: u32) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// The inverse of an odd number modulo 2⁶⁴: each step doubles how many of its lowest bits are right.
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |found: u64, _| found.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(found))))
}

/// What a term is worth at all points.
#[derive(Clone, Copy)]
struct Values {
    hash: u64,
    kind: Option<Quantity>,
}

fn values_at_points(
    question: &Question<'_>,
    side: usize,
    cone: &Cone,
    budget: &Budget,
) -> Result<Vec<Values>, Exhausted> {
    let constants = question.meanings.enclosures(side);
    let mut found = vec![Values { hash: 0, kind: None }; cone.steps().len()];
    let mut scratch = Vec::new();
    for point in 0..POINTS {
        let element = |element: u32| Quantity::Exact(at_random(question, point, element));
        let domain = Reals { element: &element, constants: &constants };
        evaluate(cone, &domain, budget, &mut scratch)?;
        for (found, value) in found.iter_mut().zip(&scratch) {
            let mut hasher = FxHasher::default();
            hasher.write_u64(found.hash);
            match *value {
                Quantity::Bits(bits) => hasher.write_u64(bits),
                Quantity::Condition(holds) => hasher.write_u8(u8::from(holds)),
                Quantity::Exact(value) => {
                    hasher.write_i64(*value.numer());
                    hasher.write_i64(*value.denom());
                }
                Quantity::Large(low, _) => hasher.write_u64(low),
                _ => hasher.write_u8(2),
            }
            found.hash = hasher.finish();
            if found.kind.is_none()
                && matches!(
                    value,
                    Quantity::Bits(_) | Quantity::Condition(_) | Quantity::Exact(_) | Quantity::Large(..)
                )
            {
                found.kind = Some(*value);
            }
        }
    }
    Ok(found)
}

/// A value of an element: of the size of its format at most points, small at others.
fn at_random(question: &Question<'_>, point: u64, element: u32) -> Small {
    let word = random(point + 1, u64::from(element));
    let kind = question.elements.block_of(element).map(|block| Kind::of(block.format));
    let Some(kind) = kind else { return Ratio::from_integer((word % 17) as i64 - 8) };
    let bits = match (kind, point % 6) {
        (Kind::Float(_), small) => {
            return kind.admit(Ratio::new((word >> 20) as i64 >> (4 * small), 1 << 16));
        }
        (Kind::Signed(bits) | Kind::Unsigned(bits), 0..5) => bits,
        (Kind::Signed(bits) | Kind::Unsigned(bits), _) => bits.min(4),
    };
    match kind {
        Kind::Signed(_) => kind.admit(Ratio::from_integer((word as i64) >> (64 - bits.min(63)))),
        _ => kind.admit(Ratio::from_integer((word >> (64 - bits.min(63))) as i64)),
    }
}
