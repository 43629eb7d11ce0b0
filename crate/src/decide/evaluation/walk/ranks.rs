//! What comparisons of candidates choose: places of maxima, the largest few, sorting by rank.
//!
//! Candidates are numbers that are compared with each other, and nothing else is asked of their values:
//! all that is chosen follows from their weak order.
//!
//! - *A choice that is a number of the row* (insertion, exchange, the second largest by branches). Let f be
//!   what a step is worth for candidates that are 0 or 1, a Boolean function of them. If f is monotone, it
//!   is a maximum of minima g of the candidates, and the step is g if it is g in every order
//!   (`exchanges` for one choice between such, [`Walk::ordered`] for any).
//! - *A choice that comes with a candidate* (its index). Beside one candidate, every other is below, equal
//!   or above: three states. How comparisons come out, as far as it follows from the states of all
//!   others, is a pair of Boolean functions, "may be true" and "may be false"; so is whether the step
//!   may be p and may be something else. If never both, the step is p exactly where the one holds: a
//!   diagram, one for each function, is the key of [step = p], a free variable. Any step is
//!   Σ [step = p]·p.
//!   The largest of all candidates is such a one as well, beside which all are below or equal, and some one
//!   is equal; so is the smallest.
//! - *Any choice among a row* is g if beside every candidate that g is, the step is that candidate.
//!
//! Guarantees: what has one key is one function of the candidates, whatever their order, ties included.
//! Misses: what does not follow from the order beside one candidate; conditions whose relation is lost
//! because both may come out either way; what exceeds the steps of [`Lattice`](super::super::lattice).
//! Source: the principle of zeros and ones (Knuth 3, §5.3.4); Ovchinnikov, *Max-min representation of
//! piecewise linear functions* (2002); Kleene's three values.

use super::*;
use crate::decide::evaluation::lattice::{Beside, How, Key};
use num_rational::BigRational;

/// Numbers that one step may be.
const MOST_NUMBERS: usize = 256;
/// Steps of the analysis that are kept.
const MOST_KNOWN: usize = 1 << 20;
/// Parts of one condition that are taken apart.
pub(super) const MOST_PARTS: usize = 64;

/// What is asked of a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Question {
    /// Whether it holds.
    Holds,
    /// Which constant it is.
    Number,
    /// Whether it is below, equal to or above.
    Side,
    /// Whether it is the payload of that number.
    Is(u32),
}

/// Where a step may be what.
#[derive(Clone, Debug)]
enum Seen {
    /// Where it may hold, and where it may not.
    Truth([Place; 2]),
    Numbers(Vec<(BigRational, Place)>),
    /// Below, equal, above.
    Sides([Place; 3]),
}

/// What a choice may be.
struct Chosen {
    /// Numbers of payloads, with the candidates that are compared next to each.
    payloads: Vec<(u32, Term, Vec<u32>)>,
    /// All candidates that are compared, ascending.
    candidates: Vec<u32>,
    /// Whether it may be infinite as well.
    infinite: bool,
}

#[derive(Default)]
pub(super) struct Ranks {
    /// Choices whose value something else than a choice or a comparison takes.
    tops: FxHashSet<Term>,
    /// Whether a step chooses among constants.
    counts: Vec<bool>,
    known: FxHashMap<(Beside, Question, Term), Seen>,
    sides: FxHashMap<(Beside, Place), [Place; 2]>,
}

impl Walk<'_> {
    /// Finds what is asked for its rank.
    pub(super) fn find_ranked(&mut self) {
        let mut counts = vec![false; self.cone.steps().len()];
        let constant = |counts: &[bool], term: Term| {
            term.as_constant().is_some() || term.as_node().is_some_and(|step| counts[step])
        };
        let mut tops: FxHashSet<Term> = self.cone.roots().iter().copied().collect();
        for (at, node) in self.cone.steps().iter().enumerate() {
            let taken: &[Term] = match node {
                Node::Select(_, a, b) => {
                    counts[at] = constant(&counts, *a) && constant(&counts, *b);
                    continue;
                }
                Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) | Node::Max(a, b) | Node::Min(a, b) => {
                    counts[at] = constant(&counts, *a) && constant(&counts, *b);
                    &[*a, *b]
                }
                Node::Unary(Unary::Neg, a) => {
                    counts[at] = constant(&counts, *a);
                    &[*a]
                }
                // As a number, 0 or 1.
                Node::Compare(..) | Node::Not(_) | Node::And(..) | Node::Or(..) => {
                    counts[at] = true;
                    continue;
                }
                _ => &crate::term::eval::operands(node).into_iter().flatten().collect::<Vec<_>>(),
            };
            // A sum of constants, or the smallest of them, is looked at as a whole.
            if !(counts[at] && matches!(node, Node::Max(..) | Node::Min(..))) {
                tops.extend(taken);
            }
        }
        self.ranks = Ranks { tops, counts, ..Ranks::default() };
    }

    fn counts(&self, term: Term) -> bool {
        term.as_constant().is_some() || term.as_node().is_some_and(|step| self.ranks.counts[step])
    }

    /// The value of a step by orders of candidates.
    pub(super) fn ranked(&mut self, own: Term) -> Option<Value> {
        if self.atoms.way != Way::Ranked || self.supposed.any() || !self.ranks.tops.contains(&own) {
            return None;
        }
        let chooses = match self.cone.steps()[own.as_node()?] {
            Node::Select(..) => true,
            Node::Max(..) | Node::Min(..) => self.counts(own),
            Node::Compare(..) | Node::Not(_) | Node::And(..) | Node::Or(..) => true,
            _ => false,
        };
        if !chooses {
            return None;
        }
        if self.ranks.known.len() > MOST_KNOWN {
            self.ranks.known.clear();
        }
        if !matches!(self.cone.steps()[own.as_node()?], Node::Select(..) | Node::Max(..) | Node::Min(..)) {
            return self.condition(own);
        }
        let chosen = self.payloads(own)?;
        if self.is_of_row(&chosen)
            && let Some(value) = self.ordered(own)
        {
            return Some(value);
        }
        if chosen.infinite { None } else { self.distributed(own, chosen) }
    }

    /// A choice among a row that is a maximum of minima of it.
    fn ordered(&mut self, own: Term) -> Option<Value> {
        let Seen::Sides([below, _, place]) = self.see(Beside::Bits, Question::Side, own)? else {
            return None;
        };
        let lattice = &mut self.atoms.lattice;
        if lattice.combine(How::Without, Place::ALWAYS, place)? != below
            || !lattice.is_of_candidates(place)
            || !lattice.is_monotone(place)
        {
            return None;
        }
        let candidates = lattice.support(place);
        for candidate in &candidates {
            let [at_least, above] = self.beside(Beside::One(*candidate), place)?;
            let equal = self.atoms.lattice.combine(How::Without, at_least, above)?;
            let sides = self.see(Beside::One(*candidate), Question::Side, own)?;
            let Seen::Sides([below, _, above]) = sides else { return None };
            let other = self.atoms.lattice.combine(How::Either, below, above)?;
            if self.atoms.lattice.combine(How::Both, other, equal)? != Place::NEVER {
                return None;
            }
        }
        if candidates.is_empty() { None } else { self.known_by(own, place) }
    }

    /// A condition that is used as a number.
    fn condition(&mut self, own: Term) -> Option<Value> {
        let mut close = self.compared_in(own);
        close.sort_unstable();
        close.dedup();
        let far = self.candidates_of(Question::Holds, own)?;
        let keys = self.keys(Question::Holds, own, &close, &far)?;
        if keys.is_empty() { None } else { Some(self.atoms.indicator(&keys)) }
    }

    /// Beside which candidates a question has one answer in each state of the others, and where that is
    /// yes: the largest or smallest of all, or else those that stand close, or else one of the others.
    fn keys(&mut self, question: Question, own: Term, close: &[u32], all: &[u32]) -> Option<Vec<Key>> {
        // Of no candidates none is the largest.
        let ends = if all.is_empty() { [].as_slice() } else { &[Beside::Top, Beside::Bottom] };
        for at in ends.iter().copied() {
            let domain = self.domain(at, all)?;
            let Seen::Truth([is, other]) = self.see(at, question, own)? else { return None };
            let (is, other) = (self.both(is, domain)?, self.both(other, domain)?);
            if self.both(is, other)? == Place::NEVER {
                return Some(vec![Key { at, among: domain, place: is }]);
            }
        }
        let mut keys = Vec::new();
        let far = all.iter().filter(|candidate| !close.contains(candidate));
        for (candidate, near) in close.iter().map(|close| (close, true)).chain(far.map(|far| (far, false))) {
            if !near && !keys.is_empty() {
                break;
            }
            let at = Beside::One(*candidate);
            let Seen::Truth([is, other]) = self.see(at, question, own)? else { return None };
            if self.both(is, other)? == Place::NEVER {
                keys.push(Key { at, among: Place::ALWAYS, place: is });
            }
        }
        Some(keys)
    }

    /// Some candidate is the largest, or the smallest.
    fn domain(&mut self, at: Beside, all: &[u32]) -> Option<Place> {
        let mut domain = Place::NEVER;
        for candidate in all {
            let own = self.atoms.lattice.of(*candidate)?;
            let [at_least, above] = self.beside(at, own)?;
            let lattice = &mut self.atoms.lattice;
            let equal = lattice.combine(How::Without, at_least, above)?;
            domain = lattice.combine(How::Either, domain, equal)?;
        }
        Some(domain)
    }

    /// A choice among payloads, each of which comes with a candidate.
    fn distributed(&mut self, own: Term, chosen: Chosen) -> Option<Value> {
        let Chosen { payloads, candidates, .. } = chosen;
        let mut decided: Vec<(Term, Vec<Key>)> = Vec::with_capacity(payloads.len());
        let mut rest: Option<Term> = None;
        for (number, payload, close) in payloads {
            let keys = self.keys(Question::Is(number), own, &close, &candidates)?;
            if !keys.is_empty() {
                decided.push((payload, keys));
            } else if rest.replace(payload).is_some() {
                return None;
            }
        }
        if rest.is_none() {
            // It is one of them: a variable that is not there yet is what the others leave.
            let last = decided.iter().position(|(_, keys)| self.atoms.known_indicator(keys).is_none());
            if let Some(last) = last {
                let mut left = Value::ONE;
                for (_, keys) in decided.iter().enumerate().filter(|(at, _)| *at != last).map(|(_, own)| own)
                {
                    left = left.minus(self.atoms.indicator(keys), ALL);
                }
                self.atoms.set_indicator(&decided[last].1, left);
            }
        }
        let rest = rest.map_or(Value::ZERO, |rest| self.get(rest, ALL));
        let mut sum = rest;
        for (payload, keys) in decided {
            let weight = self.atoms.indicator(&keys);
            let gain = self.get(payload, ALL).minus(rest, ALL);
            sum = sum.plus(weight.times(gain, ALL), ALL);
        }
        sum.is_finite().then_some(Value { chosen: true, ..sum })
    }

    /// What a choice may be, each with the candidates that are compared next to it, and all candidates.
    fn payloads(&mut self, own: Term) -> Option<Chosen> {
        let mut payloads: Vec<(u32, Term, Vec<u32>)> = Vec::new();
        let mut infinite = false;
        let (mut open, mut seen) = (vec![(own, Vec::new(), false)], FxHashSet::default());
        while let Some((term, close, among)) = open.pop() {
            let mut numbers = among;
            let (close, parts) = match term.as_node().map(|step| self.cone.steps()[step]) {
                Some(Node::Select(condition, a, b)) => (self.compared_in(condition), vec![a, b]),
                Some(Node::Max(a, b) | Node::Min(a, b)) if self.counts(term) => {
                    numbers = true;
                    (close, vec![a, b])
                }
                _ => {
                    let value = self.get(term, ALL);
                    if matches!(value.kind, Kind::Infinity | Kind::MinusInfinity) {
                        infinite = true;
                        continue;
                    }
                    // The smaller of numbers is one of them as it stands.
                    if !value.is_finite() || self.is_shaped(term) || among && term.as_constant().is_none() {
                        return None;
                    }
                    let number = self.candidate_of(value);
                    match payloads.iter_mut().find(|known| known.0 == number) {
                        Some(known) => known.2.extend(close),
                        None => payloads.push((number, term, close)),
                    }
                    continue;
                }
            };
            if seen.insert((term, numbers)) {
                open.extend(parts.into_iter().map(|part| (part, close.clone(), numbers)));
            }
        }
        payloads.sort_by_key(|payload| payload.0);
        for payload in &mut payloads {
            payload.2.sort_unstable();
            payload.2.dedup();
        }
        Some(Chosen { payloads, candidates: self.candidates_of(Question::Is(0), own)?, infinite })
    }

    /// Whether all that may be chosen is compared as well, or constant.
    fn is_of_row(&mut self, chosen: &Chosen) -> bool {
        let mut some = false;
        chosen.payloads.iter().all(|(_, payload, _)| {
            if payload.as_constant().is_some() {
                return true;
            }
            some = true;
            let Some(Some(place)) = self.side_of(*payload) else { return false };
            self.atoms.lattice.support(place).iter().all(|own| chosen.candidates.binary_search(own).is_ok())
        }) && some
    }

    /// All candidates that are compared for an answer.
    fn candidates_of(&mut self, question: Question, own: Term) -> Option<Vec<u32>> {
        let mut open = vec![(question, own)];
        let (mut seen, mut candidates) = (FxHashSet::default(), FxHashSet::default());
        while let Some((question, term)) = open.pop() {
            if !seen.insert((question, term)) {
                continue;
            }
            let parts = self.parts_of(question, term);
            if question == Question::Side && parts.is_empty() {
                let place = self.side_of(term)?;
                candidates.extend(place.map_or(Vec::new(), |place| self.atoms.lattice.support(place)));
            }
            open.extend(parts);
        }
        let mut candidates: Vec<u32> = candidates.into_iter().collect();
        candidates.sort_unstable();
        Some(candidates)
    }

    /// Candidates that stand alone in the comparisons of a condition.
    fn compared_in(&mut self, condition: Term) -> Vec<u32> {
        let (mut open, mut found, mut left) = (vec![condition], Vec::new(), MOST_PARTS);
        while let Some(term) = open.pop() {
            left -= 1;
            if left == 0 {
                break;
            }
            match term.as_node().map(|step| self.cone.steps()[step]) {
                Some(Node::Not(a)) => open.push(a),
                Some(Node::And(a, b) | Node::Or(a, b)) => open.extend([a, b]),
                Some(Node::Compare(_, a, b)) if !(self.counts(a) && self.counts(b)) => {
                    for side in [a, b] {
                        if let Some(Some(place)) = self.side_of(side)
                            && let [one] = self.atoms.lattice.support(place)[..]
                        {
                            found.push(one);
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The step at hand has no value yet.
    fn has_value(&self, term: Term) -> bool {
        term.as_node().is_none_or(|step| step < self.steps.len())
    }

    /// A condition that comes out one way for all inputs.
    fn fixed(&self, condition: Term) -> Option<bool> {
        if !self.has_value(condition) {
            return None;
        }
        let holds = self.get(condition, 1);
        let known = holds.is_finite() && (holds.is_zero() || holds.at[0] == field::ONE);
        known.then(|| !holds.is_zero())
    }

    /// The function of thresholds of what is compared as a whole: nothing for an infinity, and `None` for
    /// what is lost.
    pub(super) fn side_of(&mut self, term: Term) -> Option<Option<Place>> {
        if !self.has_value(term) {
            return None;
        }
        let value = self.get(term, ALL);
        match value.kind {
            Kind::Finite if !self.is_shaped(term) => Some(Some(self.place(term)?)),
            Kind::Infinity | Kind::MinusInfinity => Some(None),
            _ => None,
        }
    }

    /// Whether a step that is compared is taken apart.
    fn is_chosen(&self, term: Term) -> bool {
        let node = term.as_node().map(|step| self.cone.steps()[step]);
        matches!(node, Some(Node::Select(..) | Node::Max(..) | Node::Min(..)))
            && ![&self.largest, &self.smallest].iter().any(|known| known.contains_key(&term))
            && !self.places.contains_key(&term)
    }

    /// What an answer is made of.
    fn parts_of(&self, question: Question, term: Term) -> Vec<(Question, Term)> {
        use Question::{Holds, Is, Number, Side};
        let Some(step) = term.as_node() else { return Vec::new() };
        match (question, self.cone.steps()[step]) {
            (Holds, _) if self.fixed(term).is_some() => Vec::new(),
            (Holds, Node::Not(a)) => vec![(Holds, a)],
            (Holds, Node::And(a, b) | Node::Or(a, b)) => vec![(Holds, a), (Holds, b)],
            (Holds, Node::Select(c, a, b)) => vec![(Holds, c), (Holds, a), (Holds, b)],
            (Holds, Node::Compare(_, a, b)) => {
                let question = if self.counts(a) && self.counts(b) { Number } else { Side };
                vec![(question, a), (question, b)]
            }
            (Number, Node::Select(c, a, b)) => vec![(Holds, c), (Number, a), (Number, b)],
            (
                Number,
                Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) | Node::Max(a, b) | Node::Min(a, b),
            ) => vec![(Number, a), (Number, b)],
            (Number, Node::Unary(Unary::Neg, a)) => vec![(Number, a)],
            (Number, Node::Compare(..) | Node::Not(_) | Node::And(..) | Node::Or(..)) => vec![(Holds, term)],
            (Side, _) if !self.is_chosen(term) => Vec::new(),
            (Side, Node::Select(c, a, b)) => vec![(Holds, c), (Side, a), (Side, b)],
            (Side, Node::Max(a, b) | Node::Min(a, b)) => vec![(Side, a), (Side, b)],
            (Is(own), Node::Select(c, a, b)) => vec![(Holds, c), (Is(own), a), (Is(own), b)],
            (Is(_), Node::Max(..) | Node::Min(..)) if self.counts(term) => vec![(Number, term)],
            _ => Vec::new(),
        }
    }

    /// The answer to a question, without recursion: choices may be as deep as a row is long.
    fn see(&mut self, at: Beside, question: Question, term: Term) -> Option<Seen> {
        let mut open = vec![(question, term)];
        while let Some((question, term)) = open.last().copied() {
            if self.ranks.known.contains_key(&(at, question, term)) {
                open.pop();
                continue;
            }
            let parts = self.parts_of(question, term);
            let before = open.len();
            open.extend(parts.iter().filter(|part| !self.ranks.known.contains_key(&(at, part.0, part.1))));
            if open.len() == before {
                let answers: Vec<Seen> =
                    parts.iter().map(|part| self.ranks.known[&(at, part.0, part.1)].clone()).collect();
                let seen = self.answer(at, question, term, &answers)?;
                self.ranks.known.insert((at, question, term), seen);
                open.pop();
            }
        }
        self.ranks.known.get(&(at, question, term)).cloned()
    }

    fn answer(&mut self, at: Beside, question: Question, term: Term, parts: &[Seen]) -> Option<Seen> {
        let node = term.as_node().map(|step| self.cone.steps()[step]);
        let always = |holds: bool| {
            let [one, two] = [Place::ALWAYS, Place::NEVER];
            Seen::Truth(if holds { [one, two] } else { [two, one] })
        };
        match (question, parts) {
            (_, [Seen::Truth(holds), a, b]) => self.picked(*holds, a, b),
            (Question::Holds, [Seen::Truth([yes, no])]) => Some(Seen::Truth([*no, *yes])),
            (Question::Holds, [Seen::Truth(a), Seen::Truth(b)]) => {
                let (yes, no) = if matches!(node, Some(Node::And(..))) {
                    (How::Both, How::Either)
                } else {
                    (How::Either, How::Both)
                };
                let lattice = &mut self.atoms.lattice;
                Some(Seen::Truth([lattice.combine(yes, a[0], b[0])?, lattice.combine(no, a[1], b[1])?]))
            }
            (Question::Holds, [a, b]) => {
                let Some(Node::Compare(relation, ..)) = node else { return None };
                self.compared_beside(at, relation, a, b)
            }
            (Question::Holds, _) => {
                if let Some(holds) = self.fixed(term) {
                    return Some(always(holds));
                }
                if !self.has_value(term) {
                    return None;
                }
                let holds = self.get(term, ALL);
                if !holds.is_finite() {
                    return None;
                }
                let place = self.atoms.apart(&holds)?;
                let not = self.atoms.lattice.combine(How::Without, Place::ALWAYS, place)?;
                Some(Seen::Truth([place, not]))
            }
            (Question::Number, []) => {
                let Meaning::Number(exact) = &self.meanings[term.as_constant()?] else { return None };
                Some(Seen::Numbers(vec![(exact.as_rational()?.clone(), Place::ALWAYS)]))
            }
            (Question::Number, [Seen::Truth([yes, no])]) => {
                let [one, zero] = [1, 0].map(|number| BigRational::from_integer(number.into()));
                Some(Seen::Numbers(vec![(one, *yes), (zero, *no)]))
            }
            (Question::Number, [Seen::Numbers(a)]) => {
                Some(Seen::Numbers(a.iter().map(|(number, place)| (-number, *place)).collect()))
            }
            (Question::Number, [Seen::Numbers(a), Seen::Numbers(b)]) => {
                let mut all = Vec::new();
                for (x, p) in a {
                    for (y, q) in b {
                        let number = match node? {
                            Node::Add(..) => x + y,
                            Node::Sub(..) => x - y,
                            Node::Mul(..) => x * y,
                            Node::Max(..) => x.max(y).clone(),
                            Node::Min(..) => x.min(y).clone(),
                            _ => return None,
                        };
                        self.add_number(&mut all, number, *p, *q)?;
                    }
                }
                Some(Seen::Numbers(all))
            }
            (Question::Side, [Seen::Sides(a), Seen::Sides(b)]) => {
                let largest = matches!(node, Some(Node::Max(..)));
                let [low, high] = if largest { [0, 2] } else { [2, 0] };
                let mut sides = [Place::NEVER; 3];
                sides[low] = self.both(a[low], b[low])?;
                sides[high] = self.atoms.lattice.combine(How::Either, a[high], b[high])?;
                for (x, y) in [(a[1], b[1]), (a[1], b[low]), (a[low], b[1])] {
                    self.meet_in(&mut sides[1], x, y)?;
                }
                Some(Seen::Sides(sides))
            }
            (Question::Side, _) => {
                let (always, never) = (Place::ALWAYS, Place::NEVER);
                let Some(place) = self.side_of(term)? else {
                    let up = self.get(term, ALL).kind == Kind::Infinity;
                    return Some(Seen::Sides(if up {
                        [never, never, always]
                    } else {
                        [always, never, never]
                    }));
                };
                let [at_least, above] = self.beside(at, place)?;
                let lattice = &mut self.atoms.lattice;
                let below = lattice.combine(How::Without, always, at_least)?;
                Some(Seen::Sides([below, lattice.combine(How::Without, at_least, above)?, above]))
            }
            (Question::Is(own), [Seen::Numbers(numbers)]) => {
                let target = self.atoms.value_of(own);
                let small = field::rational(&target.at);
                // A constant that is no small fraction is not looked for among others.
                if small.is_none() && target.at[0].iter().all(|lane| *lane == target.at[0][0]) {
                    return None;
                }
                let (mut is, mut other) = (Place::NEVER, Place::NEVER);
                for (number, place) in numbers {
                    let side =
                        if small.is_some_and(|value| same(value, number)) { &mut is } else { &mut other };
                    *side = self.atoms.lattice.combine(How::Either, *side, *place)?;
                }
                Some(Seen::Truth([is, other]))
            }
            (Question::Is(own), _) => {
                if !self.has_value(term) {
                    return None;
                }
                let value = self.get(term, ALL);
                value.is_finite().then(|| self.candidate_of(value) == own).map(always)
            }
            _ => None,
        }
    }

    fn both(&mut self, a: Place, b: Place) -> Option<Place> {
        self.atoms.lattice.combine(How::Both, a, b)
    }

    /// Adds what is in both to a place.
    fn meet_in(&mut self, place: &mut Place, a: Place, b: Place) -> Option<()> {
        let both = self.both(a, b)?;
        *place = self.atoms.lattice.combine(How::Either, *place, both)?;
        Some(())
    }

    fn add_number(
        &mut self,
        all: &mut Vec<(BigRational, Place)>,
        number: BigRational,
        p: Place,
        q: Place,
    ) -> Option<()> {
        let place = self.both(p, q)?;
        if place == Place::NEVER {
            return Some(());
        }
        match all.iter_mut().find(|known| known.0 == number) {
            Some(known) => known.1 = self.atoms.lattice.combine(How::Either, known.1, place)?,
            None => all.push((number, place)),
        }
        (all.len() <= MOST_NUMBERS).then_some(())
    }

    /// One of two, by a condition.
    fn picked(&mut self, [yes, no]: [Place; 2], a: &Seen, b: &Seen) -> Option<Seen> {
        match (a, b) {
            (Seen::Truth(a), Seen::Truth(b)) => Some(Seen::Truth(self.picked_of([yes, no], a, b)?)),
            (Seen::Sides(a), Seen::Sides(b)) => Some(Seen::Sides(self.picked_of([yes, no], a, b)?)),
            (Seen::Numbers(a), Seen::Numbers(b)) => {
                let mut all = Vec::new();
                for (side, numbers) in [(yes, a), (no, b)] {
                    for (number, place) in numbers {
                        self.add_number(&mut all, number.clone(), side, *place)?;
                    }
                }
                Some(Seen::Numbers(all))
            }
            _ => None,
        }
    }

    fn picked_of<const N: usize>(
        &mut self,
        [yes, no]: [Place; 2],
        a: &[Place; N],
        b: &[Place; N],
    ) -> Option<[Place; N]> {
        let mut own = [Place::NEVER; N];
        for (own, (a, b)) in own.iter_mut().zip(a.iter().zip(b)) {
            self.meet_in(own, yes, *a)?;
            self.meet_in(own, no, *b)?;
        }
        Some(own)
    }

    /// How a comparison may come out.
    fn compared_beside(&mut self, at: Beside, relation: Relation, a: &Seen, b: &Seen) -> Option<Seen> {
        let (mut yes, mut no) = (Place::NEVER, Place::NEVER);
        match (a, b) {
            (Seen::Numbers(a), Seen::Numbers(b)) => {
                for (x, p) in a {
                    for (y, q) in b {
                        let holds = match relation {
                            Relation::Less => x < y,
                            Relation::LessEqual => x <= y,
                            Relation::Equal => x == y,
                        };
                        self.meet_in(if holds { &mut yes } else { &mut no }, *p, *q)?;
                    }
                }
            }
            (Seen::Sides(a), Seen::Sides(b)) => {
                for (i, p) in a.iter().enumerate() {
                    for (j, q) in b.iter().enumerate() {
                        let open = i == j && i != 1 && at != Beside::Bits;
                        let holds = match relation {
                            Relation::Less => i < j,
                            Relation::LessEqual => i <= j,
                            Relation::Equal => i == j,
                        };
                        if holds || open {
                            self.meet_in(&mut yes, *p, *q)?;
                        }
                        if !holds || open {
                            self.meet_in(&mut no, *p, *q)?;
                        }
                    }
                }
            }
            _ => return None,
        }
        Some(Seen::Truth([yes, no]))
    }

    /// Where something is at least what it is compared with, and where it is above it.
    fn beside(&mut self, at: Beside, place: Place) -> Option<[Place; 2]> {
        if at == Beside::Bits {
            return Some([place; 2]);
        }
        if let Some(known) = self.ranks.sides.get(&(at, place)) {
            return Some(*known);
        }
        let lattice = &mut self.atoms.lattice;
        let sides = match at {
            Beside::Bits => [place; 2],
            Beside::Top => [lattice.beside(place, None)?[0], Place::NEVER],
            Beside::Bottom => [Place::ALWAYS, lattice.beside(place, None)?[1]],
            Beside::One(candidate) => lattice.beside(place, Some(candidate))?,
        };
        self.ranks.sides.insert((at, place), sides);
        Some(sides)
    }
}

/// Whether a fraction is a number.
fn same(fraction: (i64, i64), number: &BigRational) -> bool {
    *number == BigRational::new(fraction.0.into(), fraction.1.into())
}
