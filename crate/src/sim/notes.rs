//! The assumptions that executing made, counted by instruction.
//!
//! The simulator counts, for each instruction, on how many lanes it met symbolic values; what
//! reading those as real numbers ignores follows from the instruction alone.

use super::machine::Machine;
use crate::base::{Format, FormatClass};
use crate::diag::{Assumption, Label, Ledger};
use crate::isa::tensor_memory::ProductKind;
use crate::isa::{AtomicOp, Effect, Lanewise, Meaning, TensorMemoryOp, known_function};
use crate::term::eval::Reach;
use crate::term::{Node, Term, Unary};

/// Operations on floats that are exact.
const EXACT: [&str; 9] = ["abs", "neg", "min", "max", "copysign", "mov", "selp", "slct", "setp"];

/// What the run assumed.
pub(super) fn ledger(machine: &Machine<'_>) -> Ledger {
    let kernel = machine.kernel;
    let place = |pc: u32| {
        let span = kernel.code[pc as usize].span;
        Some(Label { source: kernel.source, span, text: String::new() })
    };
    let mut ledger = Ledger::default();
    let mut floats = None;
    for (pc, count) in machine.symbolic_uses.iter().enumerate().filter(|(_, count)| **count > 0) {
        let effect = &kernel.code[pc].effect;
        let opcode = kernel.opcode(pc as u32);
        let touches_floats = match effect {
            Effect::Lanewise(op) => op.dst.is_float() || op.src[0].is_float(),
            Effect::Atomic { access, .. } => access.format.is_float(),
            Effect::Matrix(op) => op.product().is_some_and(|product| product.d.format.is_float()),
            Effect::TensorMemory(op) => multiplies_floats(op),
            // Of what bulk copies update, only floats are counted.
            Effect::Copy(op) => op.updates().is_some(),
            _ => false,
        };
        if touches_floats {
            let (total, _) = floats.get_or_insert((0, pc as u32));
            *total += count;
        }
        for assumption in of(effect, opcode) {
            ledger.note(assumption, *count, place(pc as u32));
        }
    }
    if let Some((count, pc)) = floats {
        ledger.note(Assumption::FiniteValues, count, place(pc));
    }
    for (pc, count) in machine.asked_finite.iter().enumerate().filter(|(_, count)| **count > 0) {
        let opcode = kernel.opcode(pc as u32).to_owned();
        ledger.note(Assumption::AskedFinite(opcode), *count, place(pc as u32));
    }
    note_absorbed(machine, &mut ledger);
    // Of concrete numbers hardware's approximation is not what was computed with, either.
    for (pc, count) in machine.roundings.looked_at() {
        let opcode = kernel.opcode(pc);
        if approximates(opcode) {
            ledger.note(Assumption::ApproximationExact(opcode.to_owned()), count, place(pc));
        }
    }
    for (what, (count, pc)) in &machine.granted {
        ledger.note(Assumption::Other((*what).to_owned()), *count, place(*pc));
    }
    for (what, (count, pc)) in &machine.granted_far {
        ledger.note(Assumption::Other(what.clone()), *count, place(*pc));
    }
    if machine.alike.0 > 0 {
        let what = "lanes of a warp that store one value to one place with one instruction do not race";
        ledger.note(Assumption::Other(what.to_owned()), machine.alike.0, place(machine.alike.1));
    }
    ledger
}

/// `0 · √x` is 0 where √x has a value: what a zero absorbed is in no term, so that no proof can say it.
fn note_absorbed(machine: &Machine<'_>, ledger: &mut Ledger) {
    let absorbed: Vec<Term> = machine.terms.absorbed().collect();
    if absorbed.is_empty() {
        return;
    }
    let Ok(reach) = Reach::of(&machine.terms, &absorbed, machine.budget) else { return };
    for node in reach.nodes() {
        let assumption = match machine.terms.node_at(node) {
            Node::Div(_, divisor) if divisor.as_constant().is_none() => Assumption::DenominatorNonZero(
                "a divisor whose quotient goes into a product with 0".to_owned(),
            ),
            Node::Unary(Unary::Recip, _) => Assumption::DenominatorNonZero(
                "a divisor whose quotient goes into a product with 0".to_owned(),
            ),
            Node::Unary(function @ (Unary::Sqrt | Unary::Rsqrt | Unary::Log | Unary::Log2), _) => {
                let name = match function {
                    Unary::Sqrt => "sqrt",
                    Unary::Rsqrt => "rsqrt",
                    _ => "a logarithm",
                };
                Assumption::ArgumentInRange(format!(
                    "the argument of {name} whose value goes into a product with 0"
                ))
            }
            _ => continue,
        };
        ledger.note(assumption, 1, None);
    }
}

/// Whether it starts a product of floats in tensor memory.
fn multiplies_floats(op: &TensorMemoryOp) -> bool {
    matches!(op, TensorMemoryOp::Multiply(product) if product.kind != ProductKind::I8)
}

/// What reading one instruction over the reals assumes.
fn of(effect: &Effect, opcode: &str) -> Vec<Assumption> {
    let mut found = Vec::new();
    match effect {
        Effect::Lanewise(op) => found.extend(of_lanewise(op, opcode)),
        Effect::Atomic { op: AtomicOp::Add, access } if access.format.is_float() => {
            found.push(Assumption::RoundingIgnored(opcode.to_owned()));
        }
        Effect::Copy(op) if op.updates() == Some(AtomicOp::Add) => {
            found.push(Assumption::RoundingIgnored(opcode.to_owned()));
        }
        Effect::TensorMemory(op) if multiplies_floats(op) => {
            found.push(Assumption::RoundingIgnored(opcode.to_owned()));
            if opcode.contains("kind::tf32") {
                found.push(Assumption::OperandsTruncated(opcode.to_owned()));
            }
        }
        Effect::Matrix(op) => {
            if let Some(product) = op.product() {
                if product.d.format.is_float() {
                    found.push(Assumption::RoundingIgnored(opcode.to_owned()));
                } else if product.saturate {
                    found.push(Assumption::SumsInRange(opcode.to_owned()));
                }
                if product.a.format == Format::Tf32 {
                    found.push(Assumption::OperandsTruncated(opcode.to_owned()));
                }
            }
        }
        _ => {}
    }
    if opcode.contains(".ftz") {
        found.push(Assumption::FlushToZeroIgnored);
    }
    found
}

fn of_lanewise(op: &Lanewise, opcode: &str) -> Option<Assumption> {
    let base = opcode.split('.').next().unwrap_or(opcode);
    let (from, to) = (op.src[0], op.dst);
    match op.meaning {
        // Into f16 it is the clamp that it says, whatever is assumed.
        Meaning::Real(_) if opcode.contains(".satfinite") && to != Format::F16 => {
            Some(Assumption::Saturates(opcode.to_owned()))
        }
        // Into narrow integers, too.
        Meaning::Real(_) if from.is_float() && !to.is_float() && to.bits() <= 16 => None,
        Meaning::Convert if from.is_float() && to.is_float() => {
            narrows(from, to).then(|| Assumption::ConversionIdentity(opcode.to_owned()))
        }
        Meaning::Convert if to.is_float() => {
            (from.bits() >= to.bits()).then(|| Assumption::ConversionIdentity(opcode.to_owned()))
        }
        Meaning::Dot { .. } => None,
        // Integers are exact; what a float becomes is clamped where it has no place among them.
        Meaning::Convert | Meaning::Real(_) | Meaning::Partial(_) if !to.is_float() => {
            from.is_float().then_some(Assumption::ConvertedInRange)
        }
        Meaning::Real(_) | Meaning::Partial(_) => {
            if EXACT.contains(&base) {
                None
            } else if approximates(opcode) {
                Some(Assumption::ApproximationExact(opcode.to_owned()))
            } else if known_function(opcode).is_some() {
                Some(Assumption::LibraryFunction(opcode.to_owned()))
            } else {
                Some(Assumption::RoundingIgnored(opcode.to_owned()))
            }
        }
        Meaning::Convert
        | Meaning::Compare(_)
        | Meaning::Logic(_)
        | Meaning::Select
        | Meaning::Bits(_)
        | Meaning::Table
        | Meaning::Rearrange(..)
        | Meaning::Carry(_)
        | Meaning::None => None,
    }
}

/// Whether hardware computes a function only approximately.
fn approximates(opcode: &str) -> bool {
    opcode.contains(".approx") || opcode.contains(".full")
}

/// Whether a conversion between float formats can lose something.
fn narrows(from: Format, to: Format) -> bool {
    debug_assert!(from.class() == FormatClass::Float);
    from.bits() > to.bits() || from.bits() == to.bits() && from != to
}
