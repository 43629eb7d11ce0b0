//! Infinities apart: what a kernel's own ±∞ make of a value, as conditions beside a finite value.
//!
//! A mask writes -∞ where its data say so, and the normal form of a sum has no place for a number that is infinite
//! at some inputs. So a value becomes four: where it is +∞, where it is -∞, where it is not a number, and what it is
//! everywhere else. Two values are equal if and only if all four are, and there is nowhere that either is not
//! followed. Each of these is an ordinary question about finite numbers and conditions, for evaluation, normal forms
//! and the search for inputs alike.
//!
//! Infinities follow IEEE 754: ∞ - ∞ and 0 · ∞ are not numbers, no ordered comparison holds with one, a maximum or
//! minimum is the other operand. What divides by zero, or takes a root or logarithm out of range, is left to the
//! assumption that it does not, as everywhere.
//!
//! Guarantees: the four parts together are the value at all inputs, or it is given up.
//! Misses: infinities that are read as bits, converted to integers, or go into uninterpreted functions.

use super::evaluation::LEAST_BITS;
use super::idioms::build;
use super::trials::at;
use super::witness::Question;
use super::{Certificate, Equality, Method, Options, Problem, Reading, Witness, portion};
use crate::base::{Budget, Exhausted, Format};
use crate::diag::Ledger;
use crate::term::eval::{Cone, Reach, with_operands};
use crate::term::{Node, Number, Relation, Term, Terms, Unary};
use rustc_hash::FxHashMap;

/// Nodes of a budget that the parts of one node take, about.
const STEPS: u64 = 16;

/// A value's parts as numbers.
const NUMBERS: usize = 5;
/// Questions about one pair of values: each of these, the last one for either side.
const PARTS: usize = NUMBERS + 1;
/// What each is about: of what is not followed on either side, that it is nowhere.
const NAMES: [&str; PARTS] = [
    "the value where it is finite",
    "where the value is ∞",
    "where the value is -∞",
    "where the value is undefined (NaN)",
    FOLLOWED,
    FOLLOWED,
];
const FOLLOWED: &str = "whether the value is followed everywhere";

/// A value as parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    /// What it is where none of the following hold.
    pub(super) finite: Term,
    /// Where it is +∞.
    pub(super) up: Term,
    /// Where it is -∞.
    pub(super) down: Term,
    /// Where it is not a number.
    pub(super) lost: Term,
    /// Where it is not known what it is.
    pub(super) open: Term,
}

impl Parts {
    const fn finite(finite: Term) -> Parts {
        Parts { finite, up: Term::FALSE, down: Term::FALSE, lost: Term::FALSE, open: Term::FALSE }
    }

    fn is_finite(&self) -> bool {
        (self.up, self.down, self.lost) == (Term::FALSE, Term::FALSE, Term::FALSE)
    }

    fn negated(self, finite: Term) -> Parts {
        Parts { finite, up: self.down, down: self.up, ..self }
    }
}

/// Answers the pairs of a reading that are open though a mask wrote infinities below them, `chosen` with their
/// answers: by their parts, as questions of their own.
pub(super) fn decide_apart(
    options: &Options,
    budget: &Budget,
    problem: &Problem<'_>,
    reading: &Reading<'_>,
    chosen: &[usize],
    equalities: &mut [Equality],
    ledger: &mut Ledger,
) -> Result<(), Exhausted> {
    let mut masked = Vec::new();
    for (place, at) in chosen.iter().enumerate() {
        if matches!(equalities[place], Equality::Unknown(_))
            && (writes_infinities(reading, 0, *at, budget)? || writes_infinities(reading, 1, *at, budget)?)
        {
            masked.push((place, reading.pair(*at)));
        }
    }
    if masked.is_empty() {
        return Ok(());
    }
    let (left, right): (Vec<Term>, Vec<Term>) = masked.iter().map(|(_, pair)| *pair).unzip();
    let mut reference = Apart::of(reading.terms(0), &left, budget)?;
    let mut optimized = Apart::of(reading.terms(1), &right, budget)?;
    let mut parts = Vec::with_capacity(masked.len());
    for at in 0..masked.len() {
        let ([a @ .., open_a], [b @ .., open_b]) = (reference.numbers(at), optimized.numbers(at));
        parts.extend(a.into_iter().zip(b));
        // That both are open at the same inputs says nothing of what they are there.
        parts.extend([(open_a, Term::ZERO), (Term::ZERO, open_b)]);
    }
    let again = Problem {
        reference: &reference.terms,
        optimized: &optimized.terms,
        elements: problem.elements,
        pairs: &parts,
    };
    // Counted for itself, so that what is told of the whole question goes on.
    let own = budget.for_part();
    let decided = portion::decide(&Options { outputs: false, ..*options }, &own, &again, |_, _| ())?.decision;
    budget.spend(own.spent())?;
    let mut answers: Vec<Option<&Equality>> = vec![None; parts.len()];
    for group in &decided.groups {
        group.members.iter().for_each(|member| answers[*member as usize] = Some(&group.equality));
    }
    let question = Question {
        outputs: reading.outputs,
        terms: [reading.terms(0), reading.terms(1)],
        meanings: &reading.meanings,
        elements: problem.elements,
    };
    let mut any_equal = false;
    for ((place, pair), answers) in masked.iter().zip(answers.chunks(PARTS)) {
        let answer = together(answers, |witness| at(&question, *pair, witness, budget))?;
        any_equal |= matches!(answer, Some(Equality::Equal(_) | Equality::Close(_)));
        match answer {
            Some(answer) => equalities[*place] = answer,
            None => {
                let open = |answer: &Option<&Equality>| match answer {
                    Some(Equality::Unknown(reason)) => Some(reason.message.clone()),
                    _ => None,
                };
                let open = answers.iter().zip(NAMES).find_map(|(answer, name)| Some((open(answer)?, name)));
                if let (Equality::Unknown(reason), Some((message, name))) = (&mut equalities[*place], open) {
                    reason.message = format!("{name}: {message}");
                }
            }
        }
    }
    if any_equal {
        ledger.adopt(&decided.ledger);
    }
    Ok(())
}

/// What the answers about its parts say of a value; nothing where they leave it open.
fn together(
    answers: &[Option<&Equality>],
    seen: impl Fn(&Witness) -> Result<Option<Witness>, Exhausted>,
) -> Result<Option<Equality>, Exhausted> {
    for answer in answers {
        if let Some(Equality::Different(witness)) = answer
            && let Some(witness) = seen(witness)?
        {
            return Ok(Some(Equality::Different(witness)));
        }
    }
    let (mut close, mut bits, mut finite) = (None, None, None);
    for answer in answers {
        match answer {
            Some(Equality::Close(closeness)) => close = Some(closeness.clone()),
            Some(Equality::Equal(Certificate { summary, method })) => {
                if let Method::Evaluation { points, bits: own } = *method {
                    let least = bits.map_or(own, |(_, least): (u32, u32)| least.min(own));
                    bits = Some((points, least));
                }
                finite = finite.or(Some(summary));
            }
            Some(Equality::Different(_) | Equality::Unknown(_)) | None => return Ok(None),
        }
    }
    if let Some(close) = close {
        return Ok(Some(Equality::Close(close)));
    }
    let Some(finite) = finite else { return Ok(None) };
    let same = "infinite, undefined and finite at the same inputs";
    // Whatever the parts were shown by, it was of the parts. A chance of error is that of all of them together.
    let (summary, method) = match bits {
        Some((points, bits)) => {
            let bits = bits.saturating_sub(10);
            if f64::from(bits) < LEAST_BITS {
                return Ok(None);
            }
            let summary = format!("{same}, and the same where finite: chance of error < 2^-{bits}");
            (summary, Method::Evaluation { points, bits })
        }
        None => (format!("{same}, and where finite, {finite}"), Method::CommonDenominator { terms: 1 }),
    };
    Ok(Some(Equality::Equal(Certificate { summary, method })))
}

/// Whether constants that are no finite numbers are below a root.
fn writes_infinities(
    reading: &Reading<'_>,
    side: usize,
    at: usize,
    budget: &Budget,
) -> Result<bool, Exhausted> {
    let (terms, root) = (reading.terms(side), reading.roots(side)[at]);
    let beyond = |constant: usize| {
        matches!(
            terms.constant_at(constant).number,
            Number::Infinity | Number::MinusInfinity | Number::NotANumber
        )
    };
    let cone = Cone::of(terms, &[root], budget)?;
    Ok(root.as_constant().is_some_and(beyond) || cone.constants().iter().any(|at| beyond(*at as usize)))
}

/// One side's roots in parts, in a store of their own.
pub(super) struct Apart {
    pub(super) terms: Terms,
    pub(super) roots: Vec<Parts>,
}

impl Apart {
    pub(super) fn of(old: &Terms, roots: &[Term], budget: &Budget) -> Result<Apart, Exhausted> {
        let mut new = Terms::beside(old);
        let mut known: FxHashMap<Term, Parts> = FxHashMap::default();
        let reach = Reach::of(old, roots, budget)?;
        for node in reach.nodes() {
            budget.spend(STEPS)?;
            if new.bytes() > budget.memory {
                return Err(Exhausted::Memory);
            }
            let own = Term::from_node(node);
            let mut taking = Taking { old, new: &mut new, known: &known };
            let mut parts = taking.parts(&old.node_at(node));
            if matches!(old.node_at(node), Node::FromBits(..)) && !old.is_defined(own) {
                // Bits that a kernel has set itself may be those of ∞ or NaN.
                parts.open = Term::TRUE;
            }
            new.note_through(parts.finite, old, own);
            known.insert(own, parts);
        }
        let roots = roots.iter().map(|root| Taking { old, new: &mut new, known: &known }.of(*root)).collect();
        Ok(Apart { terms: new, roots })
    }

    /// A root's parts as numbers: what it is where it is finite, and 1 where it is +∞, -∞, not a number, not known.
    pub(super) fn numbers(&mut self, root: usize) -> [Term; NUMBERS] {
        let Parts { finite, up, down, lost, open } = self.roots[root];
        let infinite = self.terms.or(up, down);
        let elsewhere = self.terms.or(infinite, lost);
        let finite = self.terms.select(elsewhere, Term::ZERO, finite);
        let [up, down, lost, open] =
            [up, down, lost, open].map(|place| self.terms.select(place, Term::ONE, Term::ZERO));
        [finite, up, down, lost, open]
    }
}

/// One node, made again.
struct Taking<'a> {
    old: &'a Terms,
    new: &'a mut Terms,
    known: &'a FxHashMap<Term, Parts>,
}

impl Taking<'_> {
    fn of(&mut self, term: Term) -> Parts {
        let Some(constant) = term.as_constant() else {
            return self.known.get(&term).copied().unwrap_or(Parts::finite(term));
        };
        let constant = self.old.constant_at(constant);
        match constant.number {
            Number::Infinity => Parts { up: Term::TRUE, ..Parts::finite(Term::ZERO) },
            Number::MinusInfinity => Parts { down: Term::TRUE, ..Parts::finite(Term::ZERO) },
            Number::NotANumber => Parts { lost: Term::TRUE, ..Parts::finite(Term::ZERO) },
            Number::Unwritten => Parts { open: Term::TRUE, ..Parts::finite(Term::ZERO) },
            _ => Parts::finite(self.new.constant(constant.clone())),
        }
    }

    fn any<const N: usize>(&mut self, places: [Term; N]) -> Term {
        places.into_iter().fold(Term::FALSE, |all, place| self.new.or(all, place))
    }

    fn all<const N: usize>(&mut self, places: [Term; N]) -> Term {
        places.into_iter().fold(Term::TRUE, |all, place| self.new.and(all, place))
    }

    fn without(&mut self, place: Term, other: Term) -> Term {
        let not = self.new.not(other);
        self.new.and(place, not)
    }

    fn infinite(&mut self, of: &Parts) -> Term {
        self.any([of.up, of.down])
    }

    /// Where it is a finite number.
    fn number(&mut self, of: &Parts) -> Term {
        let elsewhere = self.any([of.up, of.down, of.lost]);
        self.new.not(elsewhere)
    }

    /// Where it is finite and positive (or negative, or zero).
    fn signed(&mut self, of: &Parts, relation: Relation, [a, b]: [Term; 2]) -> Term {
        let holds = self.new.compare(relation, a, b);
        let number = self.number(of);
        self.all([number, holds])
    }

    fn parts(&mut self, node: &Node) -> Parts {
        match *node {
            Node::Add(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                let finite = self.new.add(a.finite, b.finite);
                self.sum(&a, &b, finite)
            }
            Node::Sub(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                let finite = self.new.sub(a.finite, b.finite);
                self.sum(&a, &b.negated(b.finite), finite)
            }
            Node::Mul(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                let finite = self.new.mul(a.finite, b.finite);
                self.product(&a, &b, finite)
            }
            Node::Fma(a, b, c) => {
                let (a, b, c) = (self.of(a), self.of(b), self.of(c));
                let product = self.product(&a, &b, Term::ZERO);
                let finite = self.new.fma(a.finite, b.finite, c.finite);
                self.sum(&product, &c, finite)
            }
            Node::Div(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.quotient(&a, &b)
            }
            Node::Unary(function, a) => {
                let a = self.of(a);
                self.unary(function, &a)
            }
            Node::Max(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.larger(&a, &b, true)
            }
            Node::Min(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                let [x, y] = [&a, &b].map(|of| of.negated(of.finite));
                let least = self.larger(&x, &y, false);
                least.negated(least.finite)
            }
            Node::Select(condition, a, b) => {
                let (condition, a, b) = (self.of(condition), self.of(a), self.of(b));
                self.chosen(&condition, &a, &b)
            }
            Node::Compare(relation, a, b) => {
                let is_own = a == b && relation == Relation::Equal;
                let (a, b) = (self.of(a), self.of(b));
                let holds = if is_own { self.new.not(a.lost) } else { self.compared(relation, &a, &b) };
                Parts { open: self.any([a.open, b.open]), ..Parts::finite(holds) }
            }
            Node::Round(_, format, a) => {
                let a = self.of(a);
                let finite = build(self.new, self.old, &with_operands(node, |_| a.finite));
                let is_lost = format == Format::Ue8m0 && !a.is_finite();
                Parts { finite, open: if is_lost { Term::TRUE } else { a.open }, ..a }
            }
            Node::Element(_)
            | Node::Constant(_)
            | Node::BitConstant(_)
            | Node::And(..)
            | Node::Or(..)
            | Node::Not(_) => self.again(node, false),
            // What is infinite has bits, which are not followed.
            Node::BitsOf(..) | Node::FromBits(..) | Node::Bits(..) | Node::Apply(..) => {
                self.again(node, true)
            }
        }
    }

    /// A node of operands that are finite; where they are not, and it has to know, it is not known.
    fn again(&mut self, node: &Node, knows: bool) -> Parts {
        let mut open = Term::FALSE;
        let mut lost = Vec::new();
        let node = with_operands(node, |operand| {
            let of = self.of(operand);
            open = self.new.or(open, of.open);
            lost.extend([of.up, of.down, of.lost]);
            of.finite
        });
        if knows {
            open = lost.into_iter().fold(open, |open, place| self.new.or(open, place));
        }
        Parts { open, ..Parts::finite(build(self.new, self.old, &node)) }
    }

    fn sum(&mut self, a: &Parts, b: &Parts, finite: Term) -> Parts {
        let [one, other] = [self.all([a.up, b.down]), self.all([a.down, b.up])];
        let lost = self.any([a.lost, b.lost, one, other]);
        let [up, down] = [self.any([a.up, b.up]), self.any([a.down, b.down])];
        let [up, down] = [self.without(up, lost), self.without(down, lost)];
        Parts { finite, up, down, lost, open: self.any([a.open, b.open]) }
    }

    fn product(&mut self, a: &Parts, b: &Parts, finite: Term) -> Parts {
        let mut lost = self.any([a.lost, b.lost]);
        let (mut up, mut down) = (Term::FALSE, Term::FALSE);
        for (own, by) in [(a, b), (b, a)] {
            if own.up == Term::FALSE && own.down == Term::FALSE {
                continue;
            }
            let [positive, negative, zero] = [
                self.signed(by, Relation::Less, [Term::ZERO, by.finite]),
                self.signed(by, Relation::Less, [by.finite, Term::ZERO]),
                self.signed(by, Relation::Equal, [Term::ZERO, by.finite]),
            ];
            let [positive, negative] = [self.any([positive, by.up]), self.any([negative, by.down])];
            let infinite = self.infinite(own);
            let nothing = self.all([infinite, zero]);
            lost = self.any([lost, nothing]);
            let [one, other] = [self.all([own.up, positive]), self.all([own.down, negative])];
            up = self.any([up, one, other]);
            let [one, other] = [self.all([own.up, negative]), self.all([own.down, positive])];
            down = self.any([down, one, other]);
        }
        let [up, down] = [self.without(up, lost), self.without(down, lost)];
        Parts { finite, up, down, lost, open: self.any([a.open, b.open]) }
    }

    fn quotient(&mut self, a: &Parts, b: &Parts) -> Parts {
        let vanishes = self.infinite(b);
        let quotient = self.new.div(a.finite, b.finite);
        let finite = self.new.select(vanishes, Term::ZERO, quotient);
        let [above, below] = [self.infinite(a), self.infinite(b)];
        let both = self.all([above, below]);
        let lost = self.any([a.lost, b.lost, both]);
        let (mut up, mut down) = (Term::FALSE, Term::FALSE);
        if above != Term::FALSE {
            let positive = self.signed(b, Relation::Less, [Term::ZERO, b.finite]);
            let negative = self.signed(b, Relation::Less, [b.finite, Term::ZERO]);
            let [one, other] = [self.all([a.up, positive]), self.all([a.down, negative])];
            up = self.any([one, other]);
            let [one, other] = [self.all([a.up, negative]), self.all([a.down, positive])];
            down = self.any([one, other]);
        }
        let [up, down] = [self.without(up, lost), self.without(down, lost)];
        Parts { finite, up, down, lost, open: self.any([a.open, b.open]) }
    }

    fn unary(&mut self, function: Unary, a: &Parts) -> Parts {
        let inside = self.new.unary(function, a.finite);
        if a.is_finite() {
            return Parts { open: a.open, ..Parts::finite(inside) };
        }
        let (of, never) = (*a, Term::FALSE);
        match function {
            Unary::Neg => a.negated(inside),
            Unary::Exp | Unary::Exp2 => {
                Parts { finite: self.new.select(a.down, Term::ZERO, inside), down: never, ..of }
            }
            Unary::Abs => Parts { finite: inside, up: self.infinite(a), down: never, ..of },
            Unary::Recip => {
                let infinite = self.infinite(a);
                Parts { finite: self.new.select(infinite, Term::ZERO, inside), up: never, down: never, ..of }
            }
            Unary::Sqrt | Unary::Log | Unary::Log2 => {
                Parts { finite: inside, down: never, lost: self.any([a.lost, a.down]), ..of }
            }
            Unary::Rsqrt => Parts {
                finite: self.new.select(a.up, Term::ZERO, inside),
                up: never,
                down: never,
                lost: self.any([a.lost, a.down]),
                ..of
            },
            Unary::Cbrt => Parts { finite: inside, ..of },
            Unary::Sin | Unary::Cos => {
                Parts { finite: inside, up: never, down: never, lost: self.any([a.lost, a.up, a.down]), ..of }
            }
            Unary::Tanh | Unary::Erf => {
                let low = self.new.select(a.down, Term::MINUS_ONE, inside);
                Parts { finite: self.new.select(a.up, Term::ONE, low), up: never, down: never, ..of }
            }
            Unary::Atan | Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven => {
                Parts { open: self.any([a.open, a.up, a.down, a.lost]), ..Parts::finite(inside) }
            }
        }
    }

    /// The larger of two; the finite part is a minimum unless `largest`, of what is not negated.
    fn larger(&mut self, a: &Parts, b: &Parts, largest: bool) -> Parts {
        let [low_a, low_b] = [self.any([a.down, a.lost]), self.any([b.down, b.lost])];
        let extreme = match largest {
            true => self.new.max(a.finite, b.finite),
            false => self.new.min(a.finite, b.finite),
        };
        let only_a = self.new.select(low_b, a.finite, extreme);
        let finite = self.new.select(low_a, b.finite, only_a);
        let [both, lost] = [self.all([low_a, low_b]), self.all([a.lost, b.lost])];
        let down = self.without(both, lost);
        Parts { finite, up: self.any([a.up, b.up]), down, lost, open: self.any([a.open, b.open]) }
    }

    fn chosen(&mut self, condition: &Parts, a: &Parts, b: &Parts) -> Parts {
        let holds = condition.finite;
        let nowhere = |of: &Parts| [of.up, of.down, of.lost].contains(&Term::TRUE);
        let finite = match (nowhere(a), nowhere(b)) {
            (true, _) => b.finite,
            (_, true) => a.finite,
            _ => self.new.select(holds, a.finite, b.finite),
        };
        let mut pick = |a: Term, b: Term| self.new.select(holds, a, b);
        let [up, down, lost, open] =
            [pick(a.up, b.up), pick(a.down, b.down), pick(a.lost, b.lost), pick(a.open, b.open)];
        Parts { finite, up, down, lost, open: self.any([condition.open, open]) }
    }

    fn compared(&mut self, relation: Relation, a: &Parts, b: &Parts) -> Term {
        let [number_a, number_b] = [self.number(a), self.number(b)];
        let holds = self.new.compare(relation, a.finite, b.finite);
        let finite = self.all([number_a, number_b, holds]);
        match relation {
            Relation::Less => {
                let [above, below] = [self.any([number_b, b.up]), self.all([number_a, b.up])];
                let low = self.all([a.down, above]);
                self.any([finite, low, below])
            }
            Relation::LessEqual => {
                let [low, high] = [self.without(a.down, b.lost), self.without(b.up, a.lost)];
                self.any([finite, low, high])
            }
            Relation::Equal => {
                let [up, down] = [self.all([a.up, b.up]), self.all([a.down, b.down])];
                self.any([finite, up, down])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::eval::{Quantity, Reals, evaluate};
    use num_traits::ToPrimitive;

    /// Inputs: all combinations of these, for three elements.
    const VALUES: [i64; 4] = [-2, 0, 1, 3];
    const ELEMENTS: usize = 3;
    const POINTS: usize = VALUES.len().pow(ELEMENTS as u32);

    fn input(point: usize, element: u32) -> i64 {
        VALUES[point / VALUES.len().pow(element) % VALUES.len()]
    }

    /// Programs of numbers and conditions, with what floats make of them at each point.
    struct Program {
        terms: Terms,
        numbers: Vec<(Term, Vec<f64>)>,
        conditions: Vec<(Term, Vec<bool>)>,
        state: u64,
    }

    impl Program {
        fn new(seed: u64) -> Program {
            let all = |value: f64| vec![value; POINTS];
            let elements = (0..ELEMENTS as u32).map(|element| {
                (Term::element(element), (0..POINTS).map(|point| input(point, element) as f64).collect())
            });
            let constants = [
                (Term::MINUS_INFINITY, all(f64::NEG_INFINITY)),
                (Term::INFINITY, all(f64::INFINITY)),
                (Term::ZERO, all(0.0)),
                (Term::ONE, all(1.0)),
                (Term::MINUS_ONE, all(-1.0)),
            ];
            let numbers = elements.chain(constants).collect();
            Program { terms: Terms::new(), numbers, conditions: Vec::new(), state: seed * 2 + 1 }
        }

        fn draw(&mut self, below: usize) -> usize {
            self.state = self.state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (self.state >> 33) as usize % below
        }

        fn number(&mut self) -> (Term, Vec<f64>) {
            let at = self.draw(self.numbers.len());
            self.numbers[at].clone()
        }

        fn condition(&mut self) -> (Term, Vec<bool>) {
            if self.conditions.is_empty() || self.draw(4) == 0 {
                let ((a, x), (b, y)) = (self.number(), self.number());
                let relation = [Relation::Less, Relation::LessEqual, Relation::Equal][self.draw(3)];
                let holds = |(x, y): (&f64, &f64)| match relation {
                    Relation::Less => x < y,
                    Relation::LessEqual => x <= y,
                    Relation::Equal => x == y,
                };
                let found = (self.terms.compare(relation, a, b), x.iter().zip(&y).map(holds).collect());
                self.conditions.push(found);
            }
            let at = self.draw(self.conditions.len());
            self.conditions[at].clone()
        }

        fn step(&mut self) {
            let ((a, x), (b, y)) = (self.number(), self.number());
            let both =
                |f: fn(f64, f64) -> f64| x.iter().zip(&y).map(|(x, y)| f(*x, *y)).collect::<Vec<f64>>();
            let one = |f: fn(f64) -> f64| x.iter().map(|x| f(*x)).collect::<Vec<f64>>();
            let new = match self.draw(14) {
                0 => (self.terms.add(a, b), both(|x, y| x + y)),
                1 => (self.terms.sub(a, b), both(|x, y| x - y)),
                2 => (self.terms.mul(a, b), both(|x, y| x * y)),
                3 => {
                    let (c, z) = self.number();
                    let sum = both(|x, y| x * y).iter().zip(&z).map(|(p, z)| p + z).collect();
                    (self.terms.fma(a, b, c), sum)
                }
                4 => (self.terms.max(a, b), both(f64::max)),
                5 => (self.terms.min(a, b), both(f64::min)),
                6 => (self.terms.neg(a), one(|x| -x)),
                7 => (self.terms.unary(Unary::Abs, a), one(f64::abs)),
                8 if x.iter().all(|x| !x.is_finite() || x.fract() == 0.0) => {
                    (self.terms.unary(Unary::Exp2, a), one(f64::exp2))
                }
                9 => (
                    self.terms.extreme_unless_undefined(a, b, true),
                    both(|x, y| if x.is_nan() || y.is_nan() { f64::NAN } else { x.max(y) }),
                ),
                // As reductions without a maximum write it.
                10 | 11 => {
                    let holds = self.terms.compare(Relation::Less, a, b);
                    let chosen = both(|x, y| if x < y { y } else { x });
                    (self.terms.select(holds, b, a), chosen)
                }
                _ => {
                    let (condition, holds) = self.condition();
                    let chosen = holds
                        .iter()
                        .zip(x.iter().zip(&y))
                        .map(|(holds, (x, y))| if *holds { *x } else { *y });
                    (self.terms.select(condition, a, b), chosen.collect())
                }
            };
            // What has few digits is exact everywhere.
            let exact = |value: f64| (value * 4096.0).fract() == 0.0 && value.abs() < 1e6;
            if new.1.iter().all(|value| !value.is_finite() || exact(*value)) {
                self.numbers.push(new);
            }
        }
    }

    fn at(terms: &Terms, roots: &[Term], point: usize) -> Vec<Quantity> {
        let budget = Budget::default();
        let cone = Cone::of(terms, roots, &budget).unwrap();
        let constants: Vec<Quantity> = (terms.constants().iter())
            .map(|constant| match &constant.number {
                Number::Rational(value) => Quantity::rational(value),
                Number::Infinity => Quantity::Infinity,
                Number::MinusInfinity => Quantity::MinusInfinity,
                Number::NotANumber => Quantity::NotANumber,
                Number::True => Quantity::Condition(true),
                Number::False => Quantity::Condition(false),
                _ => Quantity::Unknown,
            })
            .collect();
        let element = |element: u32| Quantity::integer(input(point, element));
        evaluate(&cone, &Reals { element: &element, constants: &constants }, &budget, &mut Vec::new())
            .unwrap()
    }

    fn as_float(value: Quantity) -> f64 {
        match value {
            Quantity::Exact(value) => value.to_f64().unwrap(),
            Quantity::Infinity => f64::INFINITY,
            Quantity::MinusInfinity => f64::NEG_INFINITY,
            Quantity::NotANumber => f64::NAN,
            other => panic!("{other:?} is no number"),
        }
    }

    fn answers(of: impl Fn(&mut Terms, [Term; 3]) -> [Term; 2]) -> (Equality, crate::check::Checked) {
        let mut terms = Terms::new();
        let [x, mask, other] = [0, 1, 2].map(Term::element);
        let pair = of(&mut terms, [x, mask, other]);
        let mut elements = crate::term::Elements::default();
        elements.push("x", vec![3], Format::F32, 3);
        let problem =
            Problem { reference: &terms, optimized: &terms, elements: &elements, pairs: &[pair.into()] };
        let (options, budget) = (Options::default(), Budget::default());
        let decision = crate::decide::decide(&options, &budget, &problem).unwrap();
        let checked =
            crate::check::decision(&options, &budget, &problem, &decision, Default::default()).unwrap();
        (decision.groups[0].equality.clone(), checked)
    }

    fn masked(terms: &mut Terms, [x, mask]: [Term; 2], otherwise: Term) -> Term {
        let holds = terms.compare(Relation::Less, Term::ZERO, mask);
        terms.select(holds, x, otherwise)
    }

    /// What is not followed where a mask is off is not the same there for being unknown on both sides.
    #[test]
    fn what_is_followed_on_neither_side_is_not_equal() {
        for function in [Unary::Trunc, Unary::Floor, Unary::Atan] {
            let (answer, _) = answers(|terms, [x, mask, _]| {
                [Term::MINUS_INFINITY, Term::INFINITY].map(|otherwise| {
                    let value = masked(terms, [x, mask], otherwise);
                    terms.unary(function, value)
                })
            });
            assert!(!matches!(answer, Equality::Equal(_) | Equality::Close(_)), "{function:?}: {answer:?}");
        }
    }

    /// However its parts were shown, the whole is confirmed as what it is.
    #[test]
    fn proofs_of_parts_are_confirmed() {
        let count = |terms: &mut Terms, [x, mask, other]: [Term; 3], by_maximum: bool| {
            let [a, b] = [[x, mask], [other, x]].map(|of| masked(terms, of, Term::MINUS_INFINITY));
            let most = terms.max(a, b);
            let none = terms.compare(Relation::Equal, most, Term::MINUS_INFINITY);
            if by_maximum {
                return terms.select(none, Term::ZERO, most);
            }
            let [first, second] = [mask, x].map(|of| terms.compare(Relation::Less, Term::ZERO, of));
            let both = terms.max(x, other);
            let one = terms.select(second, both, x);
            let two = terms.select(second, other, Term::ZERO);
            terms.select(first, one, two)
        };
        let (answer, checked) =
            answers(|terms, inputs| [true, false].map(|by_maximum| count(terms, inputs, by_maximum)));
        assert!(matches!(answer, Equality::Equal(_)), "{answer:?}");
        assert_eq!(checked.refuted, Vec::new());
    }

    /// Values and their parts are what floats make of the same program at every input, and what may be infinite or
    /// undefined says so.
    #[test]
    fn infinities_are_those_of_floats() {
        let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
        let (mut infinite, mut undefined) = (0, 0);
        for seed in 0..400 {
            let mut program = Program::new(seed);
            (0..24).for_each(|_| program.step());
            let Program { terms, numbers, .. } = &program;
            let roots: Vec<Term> = numbers.iter().map(|(term, _)| *term).collect();
            let mut apart = Apart::of(terms, &roots, &Budget::default()).unwrap();
            let parts: Vec<Term> = (0..roots.len()).flat_map(|root| apart.numbers(root)).collect();
            for point in 0..POINTS {
                let values = at(terms, &roots, point);
                let parts = at(&apart.terms, &parts, point);
                for (((term, expected), value), parts) in
                    numbers.iter().zip(values).zip(parts.chunks(NUMBERS))
                {
                    let expected = expected[point];
                    let context =
                        || format!("program {seed}, {:?} at {point}: {expected}", terms.node(*term));
                    assert!(same(as_float(value), expected), "{}, not {value:?}", context());
                    infinite += u32::from(expected.is_infinite());
                    undefined += u32::from(expected.is_nan());
                    assert!(!expected.is_infinite() || terms.may_be_infinite(*term), "{}", context());
                    assert!(!expected.is_nan() || !terms.is_defined(*term), "{}", context());
                    let [finite, up, down, lost, open]: [f64; NUMBERS] =
                        parts.iter().map(|part| as_float(*part)).collect::<Vec<_>>().try_into().unwrap();
                    let places =
                        [expected == f64::INFINITY, expected == f64::NEG_INFINITY, expected.is_nan()];
                    assert_eq!(
                        [up, down, lost],
                        places.map(|place| f64::from(u8::from(place))),
                        "{}",
                        context()
                    );
                    assert_eq!(open, 0.0, "{}", context());
                    assert!(
                        same(finite, if expected.is_finite() { expected } else { 0.0 }),
                        "{}, not {finite}",
                        context()
                    );
                }
            }
        }
        assert!(infinite > 10_000 && undefined > 1000, "{infinite} and {undefined}");
    }
}
