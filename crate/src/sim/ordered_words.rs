//! The larger and the smaller of two floats by an atomic that compares integers (see [`crate::ir`] for the pair of them
//! that serves all floats). Signed ones are right for operands that are not negative, as in `atomicMax((int*)p,
//! __float_as_int(fabsf(x)))`, and unsigned ones, with minimum and maximum exchanged, for those that are, whatever is
//! there; and they commute.
//!
//! Guarantees: an update becomes one of floats only where it is one for all floats in memory, but for -0 and NaN, which
//! the report says.
//! Misses: signs that are not in plain sight in the operand or in the condition of the update; unsigned maxima of what
//! is not negative (they need that the same holds of what is there).

use super::bits::as_bits;
use super::contradiction::is_contradictory;
use super::machine::Machine;
use crate::base::{Format, FormatClass};
use crate::isa::AtomicOp;
use crate::term::{Node, Relation, Symbol, Term, Value};

/// What is taken for granted.
pub(super) const FLOATS: &str = "no float that an atomic compares as an integer is -0 or NaN";

/// Nodes of an operand that are looked at for its sign.
const NODES: u32 = 64;

impl Machine<'_> {
    /// The update of floats that one of integers is.
    pub(super) fn as_floats(
        &mut self,
        lane: u32,
        op: AtomicOp,
        integer: Format,
        operand: Value,
    ) -> Option<(AtomicOp, Format, Value)> {
        let Value::Symbolic(_) = operand else { return None };
        let signed = match (op, integer.class()) {
            (AtomicOp::Max | AtomicOp::Min, FormatClass::Signed) => true,
            (AtomicOp::Max | AtomicOp::Min, FormatClass::Unsigned) => false,
            _ => return None,
        };
        let word = as_bits(&mut self.terms, operand, integer.bits())?;
        let Node::BitsOf(format @ (Format::F32 | Format::F64), number) = self.terms.node(word) else {
            return None;
        };
        if format.bits() != integer.bits() {
            return None;
        }
        // Signed ones are right for what is not negative, unsigned ones, turned round, for what is: a comparison of the
        // float, or of its word, may say so.
        let as_signed = if integer.bits() == 64 { Format::S64 } else { Format::S32 };
        let as_integer = self.terms.from_bits(as_signed, word);
        let (zero, minus_one) = (Term::ZERO, Term::MINUS_ONE);
        let wrong = match signed {
            true => [(Relation::Less, number, zero), (Relation::LessEqual, as_integer, minus_one)],
            false => [(Relation::LessEqual, zero, number), (Relation::LessEqual, zero, as_integer)],
        };
        let seen = signed && self.terms.is_not_negative(number, &mut { NODES });
        let fits = seen
            || wrong.into_iter().any(|(relation, a, b)| {
                let wrong = self.terms.compare(relation, a, b);
                self.never_under_guard(lane, wrong)
            });
        if !fits {
            return None;
        }
        let op = match (op, signed) {
            (AtomicOp::Max, true) | (AtomicOp::Min, false) => AtomicOp::Max,
            _ => AtomicOp::Min,
        };
        Some((op, format, Value::Symbolic(Symbol::number(format, number))))
    }

    /// Whether a lane is where it is only if a condition does not hold, in plain sight.
    fn never_under_guard(&mut self, lane: u32, condition: Term) -> bool {
        let guard = self.guards.last().map_or(Term::TRUE, |guards| guards[lane as usize]);
        let both = self.terms.and(guard, condition);
        both == Term::FALSE || is_contradictory(&self.terms, both)
    }
}
