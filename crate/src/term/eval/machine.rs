//! What a machine computes where reals have no value: a number over zero is infinite, the logarithm of zero is -∞,
//! and 0 / 0, logarithms and roots of negative numbers are not numbers.
//!
//! The ledger assumes that a kernel does nothing of this where it has not asked. Where one of two kernels has asked,
//! or does it another way, and the other one has not, this tells them apart ([`Machine`]).
//!
//! Guarantees: a divisor counts as zero only where it is the same on the machine: nothing that it was computed from
//! was rounded. [`Quantity::Undefined`] stays only what nobody wrote.
//! Misses: poles that go into exponentials, bits and integers, of which nothing is said; the sign of zero.

use super::{Domain, Quantity, Reals, Small};
use crate::term::{Node, Relation, Term, Terms, Unary};
use num_traits::{Signed, Zero};
use std::cmp::Ordering;

/// What a machine has for a term.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Seen {
    /// The value.
    pub value: Quantity,
    /// What stands below the term, whether or not the value hangs on it.
    pub below: Steps,
    /// What of it was done: not what choices leave out.
    pub done: Steps,
    /// The machine may have another number, near this one.
    rounded: bool,
}

/// Steps that have no real result for all operands.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Steps(u8);

impl Steps {
    const DIVIDED: Steps = Steps(1);
    const ROOT: Steps = Steps(2);
    const LOGARITHM: Steps = Steps(4);
    /// One that has none for some operand.
    const PARTIAL: Steps = Steps(8);
    /// The question whether something is a number.
    const ASKED: Steps = Steps(16);
    /// Those that have none for this operand.
    const WITHOUT: Steps = Steps(7);

    const fn or(self, other: Steps) -> Steps {
        Steps(self.0 | other.0)
    }

    const fn has(self, other: Steps) -> bool {
        self.0 & other.0 != 0
    }

    /// Those without a real result, in words, as what somebody does; nothing if there are none.
    pub fn words(self) -> Option<&'static str> {
        Some(match Steps(self.0 & Steps::WITHOUT.0) {
            Steps(0) => return None,
            Steps::DIVIDED => "divides by zero",
            Steps::ROOT => "takes the root of a negative number",
            Steps::LOGARITHM => "takes a logarithm of what is not positive",
            _ => "divides by zero, or takes a root or a logarithm out of its range",
        })
    }
}

impl Seen {
    /// Whether nothing without a real result was done, or it was asked whether that is a number.
    pub fn is_clean(&self) -> bool {
        !self.done.has(Steps::WITHOUT) || self.below.has(Steps::ASKED)
    }

    /// Whether choices leave out what has no real result, or everything that may have none.
    pub fn avoids(&self) -> bool {
        let leaves_out = |steps: Steps| self.below.has(steps) && !self.done.has(steps);
        leaves_out(Steps::WITHOUT) || leaves_out(Steps::PARTIAL)
    }
}

/// Evaluation over the reals, with a machine's results where those have none.
pub struct Machine<'a> {
    /// The values of leaves.
    pub reals: Reals<'a>,
    /// The store whose questions it answers: whether something is a number, or infinite.
    pub terms: &'a Terms,
}

impl Domain for Machine<'_> {
    type Value = Seen;

    fn element(&self, element: u32) -> Seen {
        known(self.reals.element(element))
    }

    fn constant(&self, constant: usize) -> Seen {
        known(self.reals.constant(constant))
    }

    fn node(&self, node: &Node, value: impl Fn(Term) -> Seen) -> Seen {
        let of = |term: Term| value(term).value;
        let zero = |term: Term| matches!(of(term), Quantity::Exact(exact) if exact.is_zero());
        let negative = |term: Term| matches!(of(term), Quantity::Exact(exact) if exact.is_negative());
        // What is zero only over the reals may be anything small.
        let if_certain =
            |below: Term, result: Quantity| if value(below).rounded { Quantity::Unknown } else { result };
        let (found, own) = match *node {
            Node::Element(element) => return self.element(element),
            Node::Constant(constant) => return self.constant(constant),
            Node::Div(a, b) if zero(b) => (if_certain(b, over_zero(of(a))), Steps::DIVIDED),
            Node::Unary(Unary::Recip | Unary::Rsqrt, a) if zero(a) => {
                (if_certain(a, Quantity::Pole), Steps::DIVIDED)
            }
            Node::Unary(Unary::Sqrt | Unary::Rsqrt, a) if negative(a) => {
                (if_certain(a, Quantity::NotANumber), Steps::ROOT)
            }
            Node::Unary(Unary::Log | Unary::Log2, a) if zero(a) => {
                (if_certain(a, Quantity::MinusInfinity), Steps::LOGARITHM)
            }
            Node::Unary(Unary::Log | Unary::Log2, a) if negative(a) => {
                (if_certain(a, Quantity::NotANumber), Steps::LOGARITHM)
            }
            Node::Apply(name, a, _) => (Terms::answered(self.terms.function_name(name), of(a)), Steps::ASKED),
            Node::Compare(Relation::Equal, a, b) if a == b => (self.reals.node(node, of), Steps::ASKED),
            _ => (self.reals.node(node, of), Steps::default()),
        };
        let known = |term: Term| term.as_constant().is_some();
        let is_partial = match *node {
            Node::Div(_, below) => !known(below),
            Node::Unary(function, a) => function.is_partial() && !known(a),
            _ => false,
        };
        let own = if is_partial { own.or(Steps::PARTIAL) } else { own };
        let (mut below, mut done, mut rounded) = (own, own, false);
        for operand in super::operands(node).into_iter().flatten() {
            let operand = value(operand);
            (below, done) = (below.or(operand.below), done.or(operand.done));
            rounded |= operand.rounded;
        }
        let exact = |term: Term| zero(term) && !value(term).rounded;
        match *node {
            // The branch that is not taken rounds nothing and does nothing.
            Node::Select(condition, a, b) => {
                let taken = value(if of(condition) == Quantity::Condition(true) { a } else { b });
                let condition = value(condition);
                rounded = condition.rounded || taken.rounded;
                done = condition.done.or(taken.done);
            }
            Node::Mul(a, b) if exact(a) || exact(b) => rounded = false,
            Node::Fma(a, b, c) if exact(a) || exact(b) => rounded = value(c).rounded,
            _ => {}
        }
        Seen { value: found, below, done, rounded: rounded || !has_place(found) }
    }
}

fn known(value: Quantity) -> Seen {
    let none = Steps::default();
    Seen { value, below: none, done: none, rounded: !has_place(value) }
}

/// A value over zero, whose sign nobody knows.
fn over_zero(above: Quantity) -> Quantity {
    match above.order(Quantity::ZERO) {
        Ok(Ordering::Equal) => Quantity::NotANumber,
        Ok(_) => Quantity::Pole,
        Err(_) if matches!(above, Quantity::NotANumber | Quantity::Pole) => above,
        Err(_) => Quantity::Unknown,
    }
}

/// Whether f32 has a place for exactly this number; of what is no number, whether it is certain.
fn has_place(value: Quantity) -> bool {
    const DIGITS: u32 = 24;
    const LARGEST_SCALE: u32 = 60;
    let fits = |exact: Small| {
        let (above, below) = (exact.numer().unsigned_abs(), *exact.denom() as u64);
        if above == 0 {
            return true;
        }
        let digits = 64 - above.leading_zeros() - above.trailing_zeros();
        digits <= DIGITS && below.is_power_of_two() && below.trailing_zeros() <= LARGEST_SCALE
    };
    match value {
        Quantity::Exact(exact) => fits(exact),
        Quantity::Within(_) | Quantity::Fixed(..) | Quantity::Large(..) => false,
        Quantity::Undefined | Quantity::Unknown => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Budget;
    use crate::term::eval::{Cone, evaluate};

    /// What a term is where element 0 and 1 have these values.
    fn at(build: impl Fn(&mut Terms, [Term; 2]) -> Term, values: [i64; 2]) -> Seen {
        let mut terms = Terms::default();
        let root = build(&mut terms, [0, 1].map(Term::element));
        let cone = Cone::of(&terms, &[root], &Budget::default()).expect("small");
        let constants = crate::term::eval::tests::constants(&terms);
        let element = |element: u32| Quantity::integer(values[element as usize]);
        let domain = Machine { reals: Reals { element: &element, constants: &constants }, terms: &terms };
        evaluate(&cone, &domain, &Budget::default(), &mut Vec::new()).expect("small")[0]
    }

    #[test]
    fn a_number_over_zero_is_infinite_and_its_inverse_is_zero() {
        let quotient = |terms: &mut Terms, [x, z]: [Term; 2]| terms.div(x, z);
        assert_eq!(at(quotient, [1, 0]).value, Quantity::Pole);
        assert_eq!(at(quotient, [0, 0]).value, Quantity::NotANumber);
        assert_eq!(at(quotient, [1, 2]).value, Quantity::dyadic(1, 1));
        let inverse = |terms: &mut Terms, [x, z]: [Term; 2]| {
            let below = terms.div(x, z);
            terms.div(x, below)
        };
        let found = at(inverse, [1, 0]);
        assert_eq!((found.value, found.done.words()), (Quantity::ZERO, Some("divides by zero")));
        assert!(!found.is_clean() && !found.avoids());
    }

    #[test]
    fn what_a_choice_leaves_out_is_not_done() {
        let guarded = |terms: &mut Terms, [x, z]: [Term; 2]| {
            let quotient = terms.div(x, z);
            let asked = terms.compare(Relation::Equal, z, Term::ZERO);
            terms.select(asked, Term::ZERO, quotient)
        };
        let found = at(guarded, [1, 0]);
        assert_eq!((found.value, found.below.words()), (Quantity::ZERO, Some("divides by zero")));
        assert!(found.done.words().is_none() && found.is_clean() && found.avoids());
        assert!(!at(guarded, [1, 2]).avoids());
        // All divisions are left out, of which none would be one by zero.
        let chosen = |terms: &mut Terms, [x, z]: [Term; 2]| {
            let below = terms.add(z, Term::ONE);
            let quotient = terms.div(x, below);
            let asked = terms.compare(Relation::Equal, z, Term::ZERO);
            terms.select(asked, Term::ZERO, quotient)
        };
        assert!(at(chosen, [1, 0]).avoids());
        // A guard of something else, which divides on both ways, avoids nothing.
        let either = |terms: &mut Terms, [x, z]: [Term; 2]| {
            let below = terms.add(z, Term::ONE);
            let (quotient, other) = (terms.div(x, below), terms.div(z, below));
            let asked = terms.compare(Relation::Equal, z, Term::ZERO);
            terms.select(asked, other, quotient)
        };
        assert!(!at(either, [1, 0]).avoids());
    }

    #[test]
    fn who_asks_whether_it_is_a_number_knows_what_comes_out() {
        let asks = |terms: &mut Terms, [x, z]: [Term; 2]| {
            let quotient = terms.div(x, z);
            let is_number = terms.asked_number(quotient);
            terms.select(is_number, Term::ONE, Term::ZERO)
        };
        let found = at(asks, [0, 0]);
        assert_eq!((found.value, found.is_clean()), (Quantity::ZERO, true));
        assert_eq!(at(asks, [1, 0]).value, Quantity::integer(1));
    }

    #[test]
    fn what_is_zero_only_without_rounding_divides_nothing() {
        // z / 49 · 49 - z is zero over the reals.
        let nearly = |terms: &mut Terms, [x, z]: [Term; 2]| {
            let number = terms.integer(49);
            let part = terms.div(z, number);
            let again = terms.mul(part, part);
            let square = terms.mul(z, z);
            let scale = terms.integer(49 * 49);
            let whole = terms.div(square, scale);
            let below = terms.sub(again, whole);
            terms.div(x, below)
        };
        assert_eq!(at(nearly, [1, 3]).value, Quantity::Unknown);
    }
}
