//! Sums that are rescaled where a branch lets a score through: written as sums that are rescaled always.
//!
//! Online softmax over the keys that a mask lets through is
//! `if c { q = max(m, x); s = s·e^(m-q) + e^(x-q); m = q }`. The maximum behind the branch, `n = if c { q } else { m }`,
//! is one of masked candidates, which the walk knows (`walk/masks`). Where c holds, q is n; where it does not, m is n and
//! `e^(m-n)` is 1 unless m is infinite. So `if c { s·e^(m-q) + g } else { s }` is `s·f + (if c { g } else { 0 })`, where g is
//! read with n for q and f is `e^(m-n)`, or 1 where c does not hold and m is infinite.
//!
//! Where the branch asks for the new maximum itself, `if m < x { s·e^(m-x) + v } else { s + v·e^(x-m) }`, both are
//! `s·e^(m-q) + v·e^(x-q)` with q for the larger of m and x: the one factor or the other is 1.
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
    /// How far they go.
    reach: Vec<Reach>,
    meanings: &'a [Meaning],
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
        let sorted = |a: Term, b: Term| if a.raw() <= b.raw() { (a, b) } else { (b, a) };
        let key = match node {
            Node::Select(..) => Some(node),
            Node::Max(a, b) => Some(Node::Max(sorted(a, b).0, sorted(a, b).1)),
            Node::Min(a, b) => Some(Node::Min(sorted(a, b).0, sorted(a, b).1)),
            _ => None,
        };
        if let Some(key) = key {
            let known = *self.chosen.entry(key).or_insert(next);
            if known != next {
                return known;
            }
        }
        self.steps.push(node);
        self.nodes.push(self.old.node(self.of).raw());
        next
    }

    fn reach(&self, term: Term) -> Reach {
        reach_of(&self.reach, self.meanings, term)
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

impl Rewriting<'_> {
    /// A power of a multiple of the difference of two numbers, or its exponent, with others in their places.
    fn with_exponent(&mut self, term: Term, numbers: [Term; 2], by: [Term; 2]) -> Term {
        if let Some(at) = numbers.iter().position(|number| *number == term) {
            return by[at];
        }
        let node = term.as_node().map(|step| self.old.steps()[step]);
        let linear = match node {
            Some(Node::Add(..) | Node::Sub(..) | Node::Unary(Unary::Neg | Unary::Exp | Unary::Exp2, _)) => {
                node
            }
            Some(Node::Mul(a, b) | Node::Fma(a, b, _))
                if a.as_constant().is_some() || b.as_constant().is_some() =>
            {
                node
            }
            _ => None,
        };
        let Some(node) = linear else { return self.place(term) };
        let new = with_operands(&node, |operand| self.with_exponent(operand, numbers, by));
        self.push(new)
    }
}

/// How far a number may go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// A number for all inputs.
    Finite,
    /// A number or -∞.
    Down,
    /// Anything.
    Unknown,
}

/// How far steps go.
fn reaches(cone: &Cone, total: &[bool], meanings: &[Meaning]) -> Vec<Reach> {
    let mut all: Vec<Reach> = Vec::with_capacity(total.len());
    for (step, is_total) in cone.steps().iter().zip(total) {
        let of = |term: Term| reach_of(&all, meanings, term);
        let parts = || operands(step).into_iter().flatten().map(of);
        all.push(match step {
            Node::Max(a, b) | Node::Min(a, b) | Node::Select(_, a, b) => of(*a).max(of(*b)),
            _ if *is_total && parts().all(|part| part == Reach::Finite) => Reach::Finite,
            _ => Reach::Unknown,
        });
    }
    all
}

fn reach_of(steps: &[Reach], meanings: &[Meaning], term: Term) -> Reach {
    match (term.as_node(), term.as_constant()) {
        (Some(step), _) => steps[step],
        (_, Some(constant)) => match meanings.get(constant) {
            Some(Meaning::Number(_) | Meaning::True | Meaning::False) => Reach::Finite,
            Some(Meaning::MinusInfinity) => Reach::Down,
            _ => Reach::Unknown,
        },
        _ => Reach::Finite,
    }
}

/// The multiples that a linear term is a sum of.
type Parts = FxHashMap<(Term, Vec<Term>), i32>;

/// Adds them; some terms are not taken apart.
fn add_parts(
    steps: &[Node],
    whole: &[Term],
    term: Term,
    (sign, mut factors): (i32, Vec<Term>),
    sum: &mut Parts,
) -> Option<()> {
    if sum.len() > SUMMANDS {
        return None;
    }
    let node = term.as_node().filter(|_| !whole.contains(&term)).map(|step| steps[step]);
    match node {
        Some(Node::Add(a, b)) => {
            add_parts(steps, whole, a, (sign, factors.clone()), sum)?;
            add_parts(steps, whole, b, (sign, factors), sum)
        }
        Some(Node::Sub(a, b)) => {
            add_parts(steps, whole, a, (sign, factors.clone()), sum)?;
            add_parts(steps, whole, b, (-sign, factors), sum)
        }
        Some(Node::Unary(Unary::Neg, a)) => add_parts(steps, whole, a, (-sign, factors), sum),
        Some(Node::Mul(a, b) | Node::Fma(a, b, _))
            if a.as_constant().is_some() || b.as_constant().is_some() =>
        {
            let (constant, other) = if a.as_constant().is_some() { (a, b) } else { (b, a) };
            if let Some(Node::Fma(.., c)) = node {
                add_parts(steps, whole, c, (sign, factors.clone()), sum)?;
            }
            factors.push(constant);
            factors.sort_unstable_by_key(|factor| factor.raw());
            add_parts(steps, whole, other, (sign, factors), sum)
        }
        _ => {
            *sum.entry((term, factors)).or_default() += sign;
            Some(())
        }
    }
}

/// What numbers are taken over by the choices of a cone, by their conditions.
fn all_taken(steps: &[Node], is_known: impl Fn(Term) -> bool) -> FxHashMap<Term, Vec<Taken>> {
    let mut all: FxHashMap<Term, Vec<Taken>> = FxHashMap::default();
    for node in steps {
        let Node::Select(condition, a, b) = *node else { continue };
        let of = all.entry(condition).or_default();
        if of.len() < TAKEN {
            of.extend([Taken { new: a, old: b, then: true }, Taken { new: b, old: a, then: false }]);
        }
    }
    // A comparison says which of both is taken over, as its maximum.
    for (condition, of) in &mut all {
        if let Some([less, greater]) = compared(steps, *condition)
            && is_known(less)
            && is_known(greater)
        {
            let [a, b] = [less, greater];
            of.extend([Taken { new: b, old: a, then: true }, Taken { new: a, old: b, then: false }]);
        }
    }
    all
}

/// What a condition says is less, and what greater (or as large).
fn compared(steps: &[Node], condition: Term) -> Option<[Term; 2]> {
    match steps[condition.as_node()?] {
        Node::Compare(Relation::Less | Relation::LessEqual, a, b) => Some([a, b]),
        _ => None,
    }
}

/// What an exponent of e or 2 is the sum of, if it is linear in what may be infinite.
fn exponent_parts(steps: &[Node], infinities: &[Term], whole: &[Term], factor: Term) -> Option<Parts> {
    let Node::Unary(Unary::Exp | Unary::Exp2, exponent) = steps[factor.as_node()?] else { return None };
    let mut sum = Parts::default();
    add_parts(steps, whole, exponent, (1, Vec::new()), &mut sum)?;
    // What is infinite is not left out.
    if sum.values().any(|count| *count == 0) {
        return None;
    }
    // An infinite multiple of nothing is not nothing.
    if sum.keys().any(|(_, factors)| factors.iter().any(|factor| infinities.contains(factor))) {
        return None;
    }
    Some(sum)
}

/// Whether a sum is nothing where one number is another.
fn vanishes(steps: &[Node], whole: &[Term], sum: &Parts, taken: &Taken) -> bool {
    let mut merged = Parts::default();
    for ((term, factors), count) in sum {
        if *term != taken.new {
            *merged.entry((*term, factors.clone())).or_default() += count;
        } else if add_parts(steps, whole, taken.old, (*count, factors.clone()), &mut merged).is_none() {
            return false;
        }
    }
    merged.values().all(|count| *count == 0)
}

/// Whether a factor is e or 2 to a multiple of what a number was less what it is: 1 where that is the same.
fn is_by(steps: &[Node], infinities: &[Term], whole: &[Term], factor: Term, taken: &Taken) -> bool {
    exponent_parts(steps, infinities, whole, factor).is_some_and(|sum| {
        sum.keys().any(|(term, _)| *term == taken.new) && vanishes(steps, whole, &sum, taken)
    })
}

/// The number that is taken over where a factor is e or 2 to a multiple of what it was less what it is: one of those
/// `known` for the condition, or a maximum.
fn taken_by(steps: &[Node], infinities: &[Term], factor: Term, then: bool, known: &[Taken]) -> Option<Taken> {
    let sum = exponent_parts(steps, infinities, &[], factor)?;
    let candidates = sum.keys().filter_map(|(new, _)| match steps[new.as_node()?] {
        Node::Max(a, b) | Node::Min(a, b) => Some([a, b].map(|old| Taken { new: *new, old, then })),
        _ => None,
    });
    let known = known.iter().copied().filter(|taken| taken.then == then);
    known.chain(candidates.flatten()).find(|taken| {
        let whole = [taken.new, taken.old];
        [&whole[..1], &whole].into_iter().any(|whole| is_by(steps, infinities, whole, factor, taken))
    })
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
    let total = total(terms, old);
    let reach = reaches(old, &total, meanings);
    let is_known = |term: Term| reach_of(&reach, meanings, term) != Reach::Unknown;
    let mut new = Rewriting {
        old,
        steps: Vec::with_capacity(count),
        nodes: Vec::with_capacity(count),
        places: Vec::with_capacity(count),
        infinities,
        taken: all_taken(steps, is_known),
        total,
        reach,
        meanings,
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
                let taken = taken.or_else(|| new.sum_compared(condition, [a, b]));
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
        if taken.old.as_node().is_some_and(|step| !self.total[step])
            && self.reach(taken.old) == Reach::Unknown
        {
            return None;
        }
        let order = |new: Term, old: Term| if taken.then { [new, old] } else { [old, new] };
        let (own, condition) = (condition, self.place(condition));
        let (before, after) = (self.place(taken.old), self.place(taken.new));
        let [then, other] = order(after, before);
        // Where a comparison says which is taken over, it is the larger one, and what is larger than a number is no -∞.
        let sides = if taken.then { [taken.old, taken.new] } else { [taken.new, taken.old] };
        let is_larger = compared(steps, own) == Some(sides)
            && sides.iter().all(|side| self.reach(*side) != Reach::Unknown);
        let is_finite = is_larger && self.reach(taken.new) == Reach::Finite;
        let maximum = if is_larger { Node::Max(before, after) } else { Node::Select(condition, then, other) };
        let maximum = self.push(maximum);
        let mut known = FxHashMap::default();
        let before_it = self.place(factor);
        let both = [taken.new, taken.old];
        let mut factor = if is_larger && is_by(steps, &self.infinities, &both, factor, &taken) {
            self.with_exponent(factor, both, [maximum, before])
        } else {
            self.with(factor, taken.new, maximum, &mut known)?
        };
        if factor == before_it {
            return None;
        }
        for infinity in if is_finite { Vec::new() } else { self.infinities.clone() } {
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

    /// A sum that a comparison rescales, or what is added to it, as one in which both are rescaled.
    fn sum_compared(&mut self, condition: Term, [a, b]: [Term; 2]) -> Option<Term> {
        let [less, greater] = compared(self.old.steps(), condition)?;
        // Where the condition holds, `greater` is the maximum and `less` the minimum.
        let ways = [
            ([a, b], [greater, less], true),
            ([b, a], [less, greater], true),
            ([a, b], [less, greater], false),
            ([b, a], [greater, less], false),
        ];
        ways.into_iter().find_map(|(sides, [new, old], is_largest)| {
            let reach = |term: Term| self.reach(term);
            // What the new number is compared with is finite where it is the larger: -∞ is no maximum of a number.
            let is_fit = match is_largest {
                true => reach(new) == Reach::Finite && reach(old) <= Reach::Down,
                false => reach(new) == Reach::Finite && reach(old) == Reach::Finite,
            };
            is_fit.then(|| self.sum_taken_over(sides, [new, old], is_largest)).flatten()
        })
    }

    fn sum_taken_over(
        &mut self,
        [rescaled, kept]: [Term; 2],
        [new, old]: [Term; 2],
        is_largest: bool,
    ) -> Option<Term> {
        let steps = self.old.steps();
        let taken = Taken { new, old, then: true };
        let is_one = |factor: Term| is_by(steps, &self.infinities, &[new, old], factor, &taken);
        let sums = match steps[kept.as_node()?] {
            Node::Add(a, b) => vec![(a, Rest::Term(b)), (b, Rest::Term(a))],
            Node::Fma(a, b, c) => vec![(c, Rest::Product(a, b))],
            _ => return None,
        };
        let (sum, factor, power, value) = sums.into_iter().find_map(|(sum, added)| {
            let (factor, rest) = as_rescaled(steps, rescaled, sum)?;
            let Rest::Term(gain) = rest else { return None };
            let product = match added {
                Rest::Term(term) if gain == Term::ONE && is_one(term) => Some((term, None)),
                Rest::Term(term) => match steps[term.as_node()?] {
                    Node::Mul(a, b) if b == gain && is_one(a) => Some((a, Some(b))),
                    Node::Mul(a, b) if a == gain && is_one(b) => Some((b, Some(a))),
                    _ => None,
                },
                Rest::Product(a, b) if b == gain && is_one(a) => Some((a, Some(b))),
                Rest::Product(a, b) if a == gain && is_one(b) => Some((b, Some(a))),
                _ => None,
            };
            let (power, value) = product.filter(|_| is_one(factor))?;
            Some((sum, factor, power, value))
        })?;
        let (before, after) = (self.place(old), self.place(new));
        let extreme = self.push(if is_largest { Node::Max(before, after) } else { Node::Min(before, after) });
        let factor = self.with_exponent(factor, [new, old], [extreme, before]);
        let power = self.with_exponent(power, [new, old], [after, extreme]);
        let gain = match value {
            Some(value) => self.push(Node::Mul(power, self.place(value))),
            None => power,
        };
        Some(self.push(Node::Fma(self.place(sum), factor, gain)))
    }
}
