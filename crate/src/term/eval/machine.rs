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
use crate::term::{Node, Term, Terms, Unary};
use num_traits::{Signed, Zero};
use std::cmp::Ordering;

/// What a machine has for a term.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Seen {
    /// The value.
    pub value: Quantity,
    /// What was done on the way that has no real result, whether or not the value hangs on it; and whether a choice
    /// has left something out that may have none.
    pub done: Done,
    /// The machine may have another number, near this one.
    rounded: bool,
}

/// Steps without a real result.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Done(u8);

impl Done {
    const DIVIDED: Done = Done(1);
    const ROOT: Done = Done(2);
    const LOGARITHM: Done = Done(4);
    /// A choice has left one out, or what may be one.
    const LEFT_OUT: Done = Done(8);
    /// What has no real result for some operand.
    const MAY: Done = Done(16);

    /// Both together.
    pub const fn or(self, other: Done) -> Done {
        Done(self.0 | other.0)
    }

    const fn has(self, other: Done) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether there were any.
    pub fn any(self) -> bool {
        self.has(Done::DIVIDED.or(Done::ROOT).or(Done::LOGARITHM))
    }

    /// Whether there were none, or a choice left one out.
    pub fn is_asked(self) -> bool {
        self.has(Done::LEFT_OUT) || !self.any()
    }

    /// In words, as what somebody does.
    pub fn words(self) -> &'static str {
        match Done(self.0 & !(Done::LEFT_OUT.0 | Done::MAY.0)) {
            Done::DIVIDED => "divides by zero",
            Done::ROOT => "takes the root of a negative number",
            Done::LOGARITHM => "takes a logarithm of what is not positive",
            _ => "divides by zero, or takes a root or a logarithm out of its range",
        }
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
            Node::Div(a, b) if zero(b) => (if_certain(b, over_zero(of(a))), Done::DIVIDED),
            Node::Unary(Unary::Recip | Unary::Rsqrt, a) if zero(a) => {
                (if_certain(a, Quantity::Pole), Done::DIVIDED)
            }
            Node::Unary(Unary::Sqrt | Unary::Rsqrt, a) if negative(a) => {
                (if_certain(a, Quantity::NotANumber), Done::ROOT)
            }
            Node::Unary(Unary::Log | Unary::Log2, a) if zero(a) => {
                (if_certain(a, Quantity::MinusInfinity), Done::LOGARITHM)
            }
            Node::Unary(Unary::Log | Unary::Log2, a) if negative(a) => {
                (if_certain(a, Quantity::NotANumber), Done::LOGARITHM)
            }
            Node::Apply(name, a, _) => {
                (Terms::answered(self.terms.function_name(name), of(a)), Done::default())
            }
            _ => (self.reals.node(node, of), Done::default()),
        };
        let known = |term: Term| term.as_constant().is_some();
        let may = match *node {
            Node::Div(_, below) => !known(below),
            Node::Unary(Unary::Recip | Unary::Rsqrt | Unary::Sqrt | Unary::Log | Unary::Log2, a) => !known(a),
            _ => false,
        };
        let (mut done, mut rounded) = (if may { own.or(Done::MAY) } else { own }, false);
        for operand in super::operands(node).into_iter().flatten() {
            done = done.or(value(operand).done);
            rounded |= value(operand).rounded;
        }
        let exact = |term: Term| zero(term) && !value(term).rounded;
        match *node {
            // The branch that is not taken rounds nothing.
            Node::Select(condition, a, b) => {
                let holds = of(condition) == Quantity::Condition(true);
                let (taken, other) = if holds { (a, b) } else { (b, a) };
                if value(other).done.has(Done::MAY) {
                    done = done.or(Done::LEFT_OUT);
                }
                rounded = value(condition).rounded || value(taken).rounded;
            }
            Node::Mul(a, b) if exact(a) || exact(b) => rounded = false,
            Node::Fma(a, b, c) if exact(a) || exact(b) => rounded = value(c).rounded,
            _ => {}
        }
        Seen { value: found, done, rounded: rounded || !has_place(found) }
    }
}

fn known(value: Quantity) -> Seen {
    Seen { value, done: Done::default(), rounded: !has_place(value) }
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
    use crate::term::Relation;
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
        assert_eq!((found.value, found.done.words()), (Quantity::ZERO, "divides by zero"));
    }

    #[test]
    fn what_a_choice_leaves_out_was_done_all_the_same() {
        let guarded = |terms: &mut Terms, [x, z]: [Term; 2]| {
            let quotient = terms.div(x, z);
            let asked = terms.compare(Relation::Equal, z, Term::ZERO);
            terms.select(asked, Term::ZERO, quotient)
        };
        let found = at(guarded, [1, 0]);
        assert_eq!((found.value, found.done.any()), (Quantity::ZERO, true));
        assert!(!at(guarded, [1, 2]).done.any());
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
