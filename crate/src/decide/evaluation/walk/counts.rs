//! Sums of what conditions choose, compared with numbers: how many scores a mask lets through.
//!
//! What conditions choose among numbers is one of a few, each in its place (`conditions`). A sum of such is below a
//! number where one summand is this and the rest is below what that leaves, so where it is below is a Boolean
//! function of the conditions: `count < 1`, `count == 0` and `not (any of them)` are one, whatever type counts.
//!
//! Guarantees: a place is where the comparison holds, at all inputs.
//! Misses: sums of two sums that may both be more than [`CHOICES`] numbers.
//! Cost: one look for each summand and each number that it is compared with on the way; running sums share theirs.

use super::super::lattice::Place;
use super::Walk;
use super::masks::Shape;
use crate::decide::Meaning;
use crate::decide::evaluation::atoms::Atoms;
use crate::decide::evaluation::demands::ALL;
use crate::term::{Node, Relation, Term, Unary};
use num_rational::BigRational;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Numbers among which a summand may choose.
const CHOICES: usize = 16;
/// Looks that one comparison may take.
const LOOKS: usize = 1 << 17;

/// A number, and where something is it.
type Choice = (BigRational, Place);

/// How a number that conditions choose is put together.
#[derive(Clone)]
enum Made {
    /// One of a few, each in its place.
    Of(Rc<[Choice]>),
    /// One of a few more than another such number.
    Plus(Term, Rc<[Choice]>),
    /// The first where a condition holds, the second elsewhere.
    Either(Place, Term, Term),
    /// The negative of another such number.
    Negative(Term),
}

#[derive(Clone)]
struct Counted {
    least: BigRational,
    greatest: BigRational,
    made: Made,
}

#[derive(Default)]
pub(super) struct Counts {
    known: FxHashMap<Term, Counted>,
    /// Where a number is below a bound, or (`true`) at most it.
    below: FxHashMap<(Term, BigRational, bool), Place>,
}

impl Walk<'_> {
    pub(super) fn is_counted(&self, term: Term) -> bool {
        self.counts.known.contains_key(&term)
    }

    fn choice_of(&self, term: Term) -> Option<Rc<[Choice]>> {
        if let Meaning::Number(exact) = self.meanings.get(term.as_constant()?)? {
            return Some([(exact.as_rational()?.clone(), Place::ALWAYS)].into());
        }
        None
    }

    fn choices(&self, term: Term) -> Option<Rc<[Choice]>> {
        match self.counts.known.get(&term) {
            Some(Counted { made: Made::Of(choices), .. }) => Some(choices.clone()),
            Some(_) => None,
            None => self.choice_of(term),
        }
    }

    fn bounds(&self, term: Term) -> Option<[BigRational; 2]> {
        if let Some(Counted { least, greatest, .. }) = self.counts.known.get(&term) {
            return Some([least.clone(), greatest.clone()]);
        }
        let number = self.choice_of(term)?[0].0.clone();
        Some([number.clone(), number])
    }

    /// Notes that a step is such a number, if it is one.
    pub(super) fn note_count(&mut self, own: Term, node: &Node) {
        if let Some(counted) = self.counted(node) {
            self.counts.known.insert(own, counted);
        }
    }

    fn counted(&mut self, node: &Node) -> Option<Counted> {
        let is_known = |term: &Term| self.counts.known.contains_key(term);
        match node {
            Node::Select(_, a, b) => {
                let fit = |term: &Term| is_known(term) || term.as_constant().is_some();
                if !fit(a) || !fit(b) {
                    return None;
                }
            }
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) if is_known(a) || is_known(b) => {}
            Node::Max(a, b) | Node::Min(a, b) if is_known(a) || is_known(b) => {}
            Node::Fma(a, b, c) if is_known(a) || is_known(b) || is_known(c) => {}
            Node::Unary(Unary::Neg, a) if is_known(a) => {}
            _ => return None,
        }
        let few = self.chosen_among(node);
        let made = match few {
            Some(choices) => Made::Of(choices),
            None => match *node {
                Node::Add(a, b) => self.plus(a, b)?,
                Node::Sub(a, b) => Made::Plus(a, negated(&self.choices(b)?)),
                Node::Fma(a, b, c) => {
                    let (a, b) = (self.choices(a)?, self.choices(b)?);
                    Made::Plus(c, together(self.atoms, &a, &b, |x, y| x * y)?)
                }
                Node::Select(condition, a, b) => Made::Either(self.place_where(condition)?, a, b),
                Node::Unary(Unary::Neg, a) => Made::Negative(a),
                _ => return None,
            },
        };
        let [least, greatest] = match &made {
            Made::Of(choices) => ends(choices)?,
            Made::Plus(rest, choices) => {
                let ([low, high], [least, greatest]) = (self.bounds(*rest)?, ends(choices)?);
                [low + least, high + greatest]
            }
            Made::Either(_, a, b) => {
                let ([low, high], [least, greatest]) = (self.bounds(*a)?, self.bounds(*b)?);
                [low.min(least), high.max(greatest)]
            }
            Made::Negative(a) => self.bounds(*a).map(|[low, high]| [-high, -low])?,
        };
        Some(Counted { least, greatest, made })
    }

    fn plus(&self, a: Term, b: Term) -> Option<Made> {
        match (self.choices(a), self.choices(b)) {
            (_, Some(choices)) => Some(Made::Plus(a, choices)),
            (Some(choices), _) => Some(Made::Plus(b, choices)),
            _ => None,
        }
    }

    /// The few numbers that a step is one of.
    fn chosen_among(&mut self, node: &Node) -> Option<Rc<[Choice]>> {
        let pair = |walk: &Self, a: Term, b: Term| Some((walk.choices(a)?, walk.choices(b)?));
        match *node {
            Node::Add(a, b) => pair(self, a, b).and_then(|(a, b)| together(self.atoms, &a, &b, |x, y| x + y)),
            Node::Sub(a, b) => pair(self, a, b).and_then(|(a, b)| together(self.atoms, &a, &b, |x, y| x - y)),
            Node::Mul(a, b) => pair(self, a, b).and_then(|(a, b)| together(self.atoms, &a, &b, |x, y| x * y)),
            Node::Max(a, b) => {
                pair(self, a, b).and_then(|(a, b)| together(self.atoms, &a, &b, |x, y| x.max(y).clone()))
            }
            Node::Min(a, b) => {
                pair(self, a, b).and_then(|(a, b)| together(self.atoms, &a, &b, |x, y| x.min(y).clone()))
            }
            Node::Fma(a, b, c) => {
                let ((a, b), c) = (pair(self, a, b)?, self.choices(c)?);
                let product = together(self.atoms, &a, &b, |x, y| x * y)?;
                together(self.atoms, &product, &c, |x, y| x + y)
            }
            Node::Unary(Unary::Neg, a) => Some(negated(&self.choices(a)?)),
            Node::Select(condition, a, b) => {
                let (a, b) = pair(self, a, b)?;
                let place = self.place_where(condition)?;
                let mut all = Vec::with_capacity(a.len() + b.len());
                for (number, at) in a.iter() {
                    all.push((number.clone(), self.atoms.both(*at, place)?));
                }
                for (number, at) in b.iter() {
                    all.push((number.clone(), self.atoms.without(*at, place)?));
                }
                collected(self.atoms, all)
            }
            _ => None,
        }
    }

    /// Where a comparison of such a number with a constant holds.
    pub(super) fn compared_count(&mut self, relation: Relation, a: Term, b: Term) -> Option<Place> {
        let number = |term: Term| Some(self.choice_of(term)?[0].0.clone());
        let (count, bound, turned) = match (self.is_counted(a), self.is_counted(b)) {
            (true, false) => (a, number(b)?, false),
            (false, true) => (b, number(a)?, true),
            _ => return None,
        };
        match (relation, turned) {
            (Relation::Less, false) => self.count_below(count, &bound, false),
            (Relation::LessEqual, false) => self.count_below(count, &bound, true),
            (Relation::Less, true) => {
                let most = self.count_below(count, &bound, true)?;
                self.atoms.without(Place::ALWAYS, most)
            }
            (Relation::LessEqual, true) => {
                let below = self.count_below(count, &bound, false)?;
                self.atoms.without(Place::ALWAYS, below)
            }
            (Relation::Equal, _) => {
                let [below, most] = [false, true].map(|equal| self.count_below(count, &bound, equal));
                self.atoms.without(most?, below?)
            }
        }
    }

    /// Where such a number is below a bound, or at most it, as far as its ends tell; what is left to ask otherwise.
    fn told_by_ends(&self, term: Term, bound: &BigRational, equal: bool) -> Option<Option<Place>> {
        let [least, greatest] = self.bounds(term)?;
        let is_in = |number: &BigRational| number < bound || equal && number == bound;
        Some(match () {
            () if is_in(&greatest) => Some(Place::ALWAYS),
            () if !is_in(&least) => Some(Place::NEVER),
            () => self.counts.below.get(&(term, bound.clone(), equal)).copied(),
        })
    }

    fn count_below(&mut self, term: Term, bound: &BigRational, equal: bool) -> Option<Place> {
        if let Some(place) = self.told_by_ends(term, bound, equal)? {
            return Some(place);
        }
        // What is asked on the way, by step: what is asked of a step is known before its operands are looked at.
        let step = |term: Term| term.as_node();
        let mut asked: BTreeMap<usize, BTreeSet<(BigRational, bool)>> = BTreeMap::new();
        asked.entry(step(term)?).or_default().insert((bound.clone(), equal));
        let (mut open, mut looks) = (vec![step(term)?], 0);
        let mut order = BTreeSet::new();
        let mut queue = BTreeSet::from([open.pop()?]);
        while let Some(at) = queue.pop_last() {
            order.insert(at);
            let made = self.counts.known.get(&Term::from_node(at))?.made.clone();
            for (bound, equal) in asked.get(&at)?.clone() {
                looks += 1;
                if looks > LOOKS {
                    return None;
                }
                for (operand, bound, equal) in made.asks(&bound, equal) {
                    if self.told_by_ends(operand, &bound, equal)?.is_none() {
                        let operand = step(operand)?;
                        asked.entry(operand).or_default().insert((bound, equal));
                        queue.insert(operand);
                    }
                }
            }
        }
        for at in order {
            let own = Term::from_node(at);
            let made = self.counts.known.get(&own)?.made.clone();
            for (bound, equal) in asked.remove(&at)? {
                let place = self.place_of_made(&made, &bound, equal)?;
                self.counts.below.insert((own, bound, equal), place);
            }
        }
        self.counts.below.get(&(term, bound.clone(), equal)).copied()
    }

    /// The same of a step whose operands are known.
    fn place_of_made(&mut self, made: &Made, bound: &BigRational, equal: bool) -> Option<Place> {
        match made {
            Made::Of(choices) => {
                let mut place = Place::NEVER;
                for (number, at) in choices.iter() {
                    if number < bound || equal && number == bound {
                        place = self.atoms.either(place, *at)?;
                    }
                }
                Some(place)
            }
            Made::Plus(rest, choices) => {
                let mut place = Place::NEVER;
                for (number, at) in choices.iter() {
                    let below = self.told_by_ends(*rest, &(bound - number), equal)??;
                    let both = self.atoms.both(*at, below)?;
                    place = self.atoms.either(place, both)?;
                }
                Some(place)
            }
            Made::Either(condition, a, b) => {
                let [a, b] = [a, b].map(|term| self.told_by_ends(*term, bound, equal));
                let (one, two) = (self.atoms.both(*condition, a??)?, self.atoms.without(b??, *condition)?);
                self.atoms.either(one, two)
            }
            Made::Negative(a) => {
                let above = self.told_by_ends(*a, &-bound, !equal)??;
                self.atoms.without(Place::ALWAYS, above)
            }
        }
    }

    /// A maximum or minimum of such a number and a constant: the constant where the number is beyond it, in a piece
    /// of its own, so that what is divided by it is divided by one thing in each place.
    pub(super) fn bounded_count(&mut self, [a, b]: [Term; 2], largest: bool) -> Option<Shape> {
        let (count, constant) = match (self.is_counted(a), self.is_counted(b)) {
            (true, false) => (a, b),
            (false, true) => (b, a),
            _ => return None,
        };
        let sides = if largest { [count, constant] } else { [constant, count] };
        let beyond = self.compared_count(Relation::Less, sides[0], sides[1])?;
        let shape = self.shape(count, ALL)?;
        self.within_and(beyond, &shape, self.get(constant, ALL))
    }
}

impl Made {
    /// What has to be known of operands.
    fn asks(&self, bound: &BigRational, equal: bool) -> Vec<(Term, BigRational, bool)> {
        match self {
            Made::Of(_) => Vec::new(),
            Made::Plus(rest, choices) => {
                choices.iter().map(|(number, _)| (*rest, bound - number, equal)).collect()
            }
            Made::Either(_, a, b) => vec![(*a, bound.clone(), equal), (*b, bound.clone(), equal)],
            // -a < t where not a ≤ -t.
            Made::Negative(a) => vec![(*a, -bound, !equal)],
        }
    }
}

fn ends(choices: &[Choice]) -> Option<[BigRational; 2]> {
    let numbers = || choices.iter().map(|(number, _)| number);
    Some([numbers().min()?.clone(), numbers().max()?.clone()])
}

fn negated(choices: &[Choice]) -> Rc<[Choice]> {
    choices.iter().map(|(number, at)| (-number, *at)).collect()
}

/// Each of one side with each of the other.
fn together(
    atoms: &mut Atoms,
    a: &[Choice],
    b: &[Choice],
    by: impl Fn(&BigRational, &BigRational) -> BigRational,
) -> Option<Rc<[Choice]>> {
    let mut all = Vec::with_capacity(a.len() * b.len());
    for (x, at) in a {
        for (y, other) in b {
            all.push((by(x, y), atoms.both(*at, *other)?));
        }
    }
    collected(atoms, all)
}

/// Choices of one number as one; none if there are too many.
fn collected(atoms: &mut Atoms, all: Vec<Choice>) -> Option<Rc<[Choice]>> {
    let mut places: BTreeMap<BigRational, Place> = BTreeMap::new();
    for (number, at) in all {
        if at == Place::NEVER {
            continue;
        }
        let known = places.entry(number).or_insert(Place::NEVER);
        *known = atoms.either(*known, at)?;
        if places.len() > CHOICES {
            return None;
        }
    }
    (!places.is_empty()).then(|| places.into_iter().collect())
}
