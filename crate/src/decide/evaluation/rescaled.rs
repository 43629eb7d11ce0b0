//! Sums that are rescaled where a branch lets a score through: written as sums that are rescaled always.
//!
//! Online softmax over the keys that a mask lets through is
//! `if c { q = max(m, x); s = s·e^(m-q) + e^(x-q); m = q }`. The maximum behind the branch, `n = if c { q } else { m }`,
//! is one of masked candidates, which the walk knows (`walk/masks`). Where c holds, q is n; where it does not, m is n and
//! `e^(m-n)` is 1 unless m is infinite. So `if c { s·e^(m-q) + g } else { s }` is `s·f + (if c { g } else { 0 })`, where g is
//! read with n for q and f is `e^(m-n)`, or 1 where c does not hold and m is infinite.
//!
//! Guarantees: the new cone's roots are the old one's at all inputs, on the extended line. What the branch guards stays
//! behind a guard, and m is defined everywhere.
//! Misses: factors that are no exponential of multiples of m and q, sums whose branch does more than that, and maxima
//! of quotients, roots or logarithms.

use crate::decide::Meaning;
use crate::term::eval::{Cone, operands, with_operands};
use crate::term::{Node, Relation, Term, Terms, Unary};
use rustc_hash::FxHashMap;

/// Steps that are written anew in one branch.
const MOST: usize = 64;
/// Summands of an exponent.
const SUMMANDS: usize = 12;
/// Choices by one condition that are looked at.
const TAKEN: usize = 16;
/// Branches within branches.
const WITHIN: usize = 3;

/// A number that is taken over where a condition holds: a maximum, most of the time.
#[derive(Clone, Copy)]
struct Taken {
    /// What it is where it is taken over, and what it was.
    new: Term,
    old: Term,
    /// Whether it is taken over where the condition holds, or where it does not.
    then: bool,
}

struct Rewriting<'a> {
    old: &'a Cone,
    steps: Vec<Node>,
    nodes: Vec<u32>,
    places: Vec<Term>,
    /// The infinities that occur.
    infinities: Vec<Term>,
    /// Which steps are defined wherever their elements are.
    total: Vec<bool>,
    /// What is taken over under which condition.
    taken: FxHashMap<Term, Vec<Taken>>,
    /// Choices that there are already.
    chosen: FxHashMap<Node, Term>,
    /// Choices are not looked into.
    shallow: bool,
    of: usize,
}

impl Rewriting<'_> {
    fn push(&mut self, node: Node) -> Term {
        let next = Term::from_node(self.steps.len());
        // A choice that is made twice is one.
        if let Node::Select(..) = node {
            let known = *self.chosen.entry(node).or_insert(next);
            if known != next {
                return known;
            }
        }
        self.steps.push(node);
        self.nodes.push(self.old.node(self.of).raw());
        next
    }

    fn place(&self, term: Term) -> Term {
        term.as_node().map_or(term, |step| self.places[step])
    }

    /// A term of the old cone with another in the place of a step; `None` if that is too long.
    fn with(&mut self, term: Term, of: Term, by: Term, known: &mut FxHashMap<Term, Term>) -> Option<Term> {
        if term == of {
            return Some(by);
        }
        let Some(step) = term.as_node().filter(|step| of.as_node().is_none_or(|first| first < *step)) else {
            return Some(self.place(term));
        };
        if self.shallow && matches!(self.old.steps()[step], Node::Select(..)) {
            return Some(self.place(term));
        }
        if let Some(new) = known.get(&term) {
            return Some(*new);
        }
        if known.len() >= MOST {
            return None;
        }
        // Marked before its operands, so that these count.
        known.insert(term, self.place(term));
        let node = self.old.steps()[step];
        let mut changed = Some(false);
        let new = with_operands(&node, |operand| {
            let found = self.with(operand, of, by, known);
            match (found, &mut changed) {
                (Some(new), Some(any)) => *any |= new != self.place(operand),
                _ => changed = None,
            }
            found.unwrap_or(operand)
        });
        let new = if changed? { self.push(new) } else { self.place(term) };
        known.insert(term, new);
        Some(new)
    }
}

/// Adds the multiples that a linear term is a sum of.
fn add_parts(
    steps: &[Node],
    term: Term,
    (sign, mut factors): (i32, Vec<Term>),
    sum: &mut FxHashMap<(Term, Vec<Term>), i32>,
) -> Option<()> {
    if sum.len() > SUMMANDS {
        return None;
    }
    let node = term.as_node().map(|step| steps[step]);
    match node {
        Some(Node::Add(a, b)) => {
            add_parts(steps, a, (sign, factors.clone()), sum)?;
            add_parts(steps, b, (sign, factors), sum)
        }
        Some(Node::Sub(a, b)) => {
            add_parts(steps, a, (sign, factors.clone()), sum)?;
            add_parts(steps, b, (-sign, factors), sum)
        }
        Some(Node::Unary(Unary::Neg, a)) => add_parts(steps, a, (-sign, factors), sum),
        Some(Node::Mul(a, b) | Node::Fma(a, b, _))
            if a.as_constant().is_some() || b.as_constant().is_some() =>
        {
            let (constant, other) = if a.as_constant().is_some() { (a, b) } else { (b, a) };
            if let Some(Node::Fma(.., c)) = node {
                add_parts(steps, c, (sign, factors.clone()), sum)?;
            }
            factors.push(constant);
            factors.sort_unstable_by_key(|factor| factor.raw());
            add_parts(steps, other, (sign, factors), sum)
        }
        _ => {
            *sum.entry((term, factors)).or_default() += sign;
            Some(())
        }
    }
}

/// What numbers are taken over by the choices of a cone, by their conditions.
fn all_taken(steps: &[Node]) -> FxHashMap<Term, Vec<Taken>> {
    let mut all: FxHashMap<Term, Vec<Taken>> = FxHashMap::default();
    for node in steps {
        let Node::Select(condition, a, b) = *node else { continue };
        let of = all.entry(condition).or_default();
        if of.len() < TAKEN {
            of.extend([Taken { new: a, old: b, then: true }, Taken { new: b, old: a, then: false }]);
        }
    }
    all
}

/// The number that is taken over where a factor is e or 2 to a multiple of what it was less what it is: one of those
/// `known` for the condition, or a maximum.
fn taken_by(steps: &[Node], infinities: &[Term], factor: Term, then: bool, known: &[Taken]) -> Option<Taken> {
    let Node::Unary(Unary::Exp | Unary::Exp2, exponent) = steps[factor.as_node()?] else { return None };
    let mut sum = FxHashMap::default();
    add_parts(steps, exponent, (1, Vec::new()), &mut sum)?;
    // What is infinite is not left out.
    if sum.values().any(|count| *count == 0) {
        return None;
    }
    // An infinite multiple of nothing is not nothing.
    if sum.keys().any(|(_, factors)| factors.iter().any(|factor| infinities.contains(factor))) {
        return None;
    }
    let vanishes = |taken: &Taken| {
        let mut merged = FxHashMap::default();
        for ((term, factors), count) in &sum {
            if *term != taken.new {
                *merged.entry((*term, factors.clone())).or_default() += count;
            } else if add_parts(steps, taken.old, (*count, factors.clone()), &mut merged).is_none() {
                return false;
            }
        }
        merged.values().all(|count| *count == 0)
    };
    let candidates = sum.keys().filter_map(|(new, _)| match steps[new.as_node()?] {
        Node::Max(a, b) | Node::Min(a, b) => Some([a, b].map(|old| Taken { new: *new, old, then })),
        _ => None,
    });
    let known = known
        .iter()
        .copied()
        .filter(|taken| taken.then == then && sum.keys().any(|(new, _)| *new == taken.new));
    known.chain(candidates.flatten()).find(vanishes)
}

/// What is added to a rescaled sum.
#[derive(Clone, Copy)]
enum Rest {
    Nothing,
    Term(Term),
    Product(Term, Term),
}

/// What is multiplied with the old sum, and what is added: `sum = old·factor + rest`.
fn as_rescaled(steps: &[Node], sum: Term, old: Term) -> Option<(Term, Rest)> {
    let factor = |term: Term| match steps[term.as_node()?] {
        Node::Mul(a, b) if a == old => Some(b),
        Node::Mul(a, b) if b == old => Some(a),
        _ => None,
    };
    match steps[sum.as_node()?] {
        Node::Fma(a, b, c) if a == old => Some((b, Rest::Term(c))),
        Node::Fma(a, b, c) if b == old => Some((a, Rest::Term(c))),
        Node::Fma(a, b, c) => Some((factor(c)?, Rest::Product(a, b))),
        Node::Add(a, b) => match (factor(a), factor(b)) {
            (Some(factor), _) => Some((factor, Rest::Term(b))),
            (_, Some(factor)) => Some((factor, Rest::Term(a))),
            _ => None,
        },
        Node::Mul(..) => Some((factor(sum)?, Rest::Nothing)),
        _ => None,
    }
}

/// Which steps are defined wherever their elements are.
fn total(terms: &Terms, cone: &Cone) -> Vec<bool> {
    let mut all: Vec<bool> = Vec::with_capacity(cone.steps().len());
    for (at, node) in cone.steps().iter().enumerate() {
        let own = terms.is_defined(cone.node(at));
        let own = own
            && match node {
                Node::Div(_, b) => *b != Term::ZERO && b.as_constant().is_some(),
                Node::Unary(function, _) => {
                    use Unary::{Abs, Atan, Cbrt, Cos, Erf, Exp, Exp2, Neg, Sin, Tanh};
                    let everywhere = [Abs, Atan, Cbrt, Cos, Erf, Exp, Exp2, Neg, Sin, Tanh];
                    everywhere.contains(function) || function.is_rounding()
                }
                Node::FromBits(format, _) => !format.is_float(),
                Node::Apply(..) => false,
                _ => true,
            };
        let of = |term: Term| term.as_node().is_none_or(|step| all[step]);
        all.push(own && operands(node).into_iter().flatten().all(of));
    }
    all
}

/// A cone in which such sums are rescaled always; none if there are no such sums.
pub(super) fn rescaled(terms: &Terms, cone: &Cone, meanings: &[Meaning]) -> Option<Cone> {
    let mut new = once(terms, cone, meanings, true)?;
    for _ in 1..WITHIN {
        match once(terms, &new, meanings, false) {
            Some(further) => new = further,
            None => break,
        }
    }
    Some(new)
}

/// The same of branches that hold no other ones.
fn once(terms: &Terms, old: &Cone, meanings: &[Meaning], first: bool) -> Option<Cone> {
    let steps = old.steps();
    if !steps.iter().any(|node| matches!(node, Node::Select(..))) {
        return None;
    }
    let infinite =
        |constant: &&u32| matches!(meanings[**constant as usize], Meaning::MinusInfinity | Meaning::Infinity);
    let infinities = old.constants().iter().filter(infinite);
    let infinities = infinities.map(|constant| Term::constant(*constant as usize)).collect();
    let count = steps.len();
    let mut new = Rewriting {
        old,
        steps: Vec::with_capacity(count),
        nodes: Vec::with_capacity(count),
        places: Vec::with_capacity(count),
        infinities,
        total: total(terms, old),
        taken: all_taken(steps),
        chosen: FxHashMap::default(),
        shallow: false,
        of: 0,
    };
    let mut found = false;
    for (at, step) in steps.iter().enumerate() {
        new.of = at;
        let place = match *step {
            Node::Select(condition, a, b) => {
                let taken = new.sum_taken(condition, [a, b], true);
                let taken = taken.or_else(|| new.sum_taken(condition, [b, a], false));
                taken.or_else(|| first.then(|| new.first_taken(condition, [a, b])).flatten())
            }
            _ => None,
        };
        found |= place.is_some();
        let place = place.unwrap_or_else(|| {
            let node = with_operands(step, |operand| new.place(operand));
            new.push(node)
        });
        new.places.push(place);
    }
    let roots = old.roots().iter().map(|root| new.place(*root)).collect();
    let Rewriting { steps, nodes, .. } = new;
    found.then(|| old.rewritten(steps, nodes, roots, &[Term::ZERO, Term::ONE]))
}

impl Rewriting<'_> {
    /// What there is where a condition holds, and nothing elsewhere, of a number that is taken over there: of what that
    /// is after the choice, as sums are that are rescaled later.
    fn first_taken(&mut self, condition: Term, [a, b]: [Term; 2]) -> Option<Term> {
        let then = match (a, b) {
            (_, Term::ZERO) => true,
            (Term::ZERO, _) => false,
            _ => return None,
        };
        let sum = if then { a } else { b };
        for taken in self.taken.get(&condition).cloned().unwrap_or_default() {
            // What is made later is no part of the sum.
            let is_there = |term: Term| term.as_node().is_none_or(|step| step < self.places.len());
            let is_fit = is_there(taken.new) && is_there(taken.old);
            let new = taken.new.as_node().map(|step| self.old.steps()[step]);
            let is_bound = matches!(new, Some(Node::Max(..) | Node::Min(..) | Node::Select(..)));
            if taken.then != then || taken.new == sum || !is_fit || !is_bound {
                continue;
            }
            let (old, new) = (self.place(taken.old), self.place(taken.new));
            let own = self.place(condition);
            let order = |new: Term, old: Term| if then { [new, old] } else { [old, new] };
            let [one, other] = order(new, old);
            let after = self.push(Node::Select(own, one, other));
            self.shallow = true;
            let replaced = self.with(sum, taken.new, after, &mut FxHashMap::default());
            self.shallow = false;
            if let Some(replaced) = replaced.filter(|replaced| *replaced != self.place(sum)) {
                let [one, other] = order(replaced, Term::ZERO);
                return Some(self.push(Node::Select(own, one, other)));
            }
        }
        None
    }

    /// A sum that is rescaled where a condition holds (`then`) or does not, and kept elsewhere, as one that is rescaled always.
    fn sum_taken(&mut self, condition: Term, [sum, kept]: [Term; 2], then: bool) -> Option<Term> {
        let steps = self.old.steps();
        let (factor, rest) = as_rescaled(steps, sum, kept)?;
        let known = self.taken.get(&condition).map_or(&[][..], Vec::as_slice);
        let taken = taken_by(steps, &self.infinities, factor, then, known)?;
        if taken.old.as_node().is_some_and(|step| !self.total[step]) {
            return None;
        }
        let order = |new: Term, old: Term| if taken.then { [new, old] } else { [old, new] };
        let condition = self.place(condition);
        let (before, after) = (self.place(taken.old), self.place(taken.new));
        let [then, other] = order(after, before);
        let maximum = self.push(Node::Select(condition, then, other));
        let mut known = FxHashMap::default();
        let before_it = self.place(factor);
        let mut factor = self.with(factor, taken.new, maximum, &mut known)?;
        if factor == before_it {
            return None;
        }
        for infinity in self.infinities.clone() {
            let left_out = if taken.then { self.push(Node::Not(condition)) } else { condition };
            let infinite = self.push(Node::Compare(Relation::Equal, before, infinity));
            let both = self.push(Node::And(left_out, infinite));
            factor = self.push(Node::Select(both, Term::ONE, factor));
        }
        let kept = self.place(kept);
        let mut with = |this: &mut Self, term: Term| this.with(term, taken.new, maximum, &mut known);
        let rest = match rest {
            Rest::Nothing => return Some(self.push(Node::Mul(kept, factor))),
            Rest::Term(term) => with(self, term)?,
            Rest::Product(a, b) => {
                let (a, b) = (with(self, a)?, with(self, b)?);
                self.push(Node::Mul(a, b))
            }
        };
        let [then, other] = order(rest, Term::ZERO);
        let rest = self.push(Node::Select(condition, then, other));
        Some(self.push(Node::Fma(kept, factor, rest)))
    }
}
