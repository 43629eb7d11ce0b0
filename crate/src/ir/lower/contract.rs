//! Contracts in comments: `// warpproof: assert %r1 < 32`.
//!
//! Only names are looked up here. What a condition means is found where it is decided (`report/contracts`).

use super::operand::Want;
use super::{Code, Context, Diagnostic, Lowering, Try};
use crate::base::Format;
use crate::ir::kernel::{Claim, ClaimKind};
use crate::isa::Effect;
use crate::syntax::ast::{Contract, Ident, Operand, OperandKind, Type};

/// The words that contracts begin with.
const WORDS: [(&str, ClaimKind); 5] = [
    ("requires", ClaimKind::Requires),
    ("config", ClaimKind::Requires),
    ("ensures", ClaimKind::Ensures),
    ("assert", ClaimKind::Assert),
    ("invariant", ClaimKind::Assert),
];

impl<'m> Lowering<'m> {
    /// Notes a contract; an assertion becomes an instruction that reads its registers.
    pub(super) fn contract(&mut self, contract: &'m Contract) -> Try<()> {
        let text = self.text(contract.text);
        let word = text.split_whitespace().next().unwrap_or("");
        let Some((_, kind)) = WORDS.iter().find(|(known, _)| *known == word) else {
            let message = format!("`{word}` is no contract");
            let known: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
            let diagnostic = Diagnostic::error(Code::V013, message).at(self.source, contract.span);
            return Err(self.error(diagnostic.note(format!("contracts begin with {}", known.join(", ")))));
        };
        let condition = text[word.len()..].trim_start();
        let context = Context { guard: None, span: contract.span, row: u32::MAX, opcode: u32::MAX };
        let (mut registers, mut sources) = (Vec::new(), Vec::new());
        for (register, part) in &contract.registers {
            let (format, said) = self.format_of(register, part.as_ref());
            let bits = format.map_or(1, Format::bits);
            let (name, full) = (register.name, self.text(register.name));
            let (kind, full) = match part {
                Some(part) if !said => {
                    let kind = OperandKind::Component { name, component: part.name };
                    (kind, format!("{full}.{}", self.text(part.name)))
                }
                Some(part) => (OperandKind::Name(name), format!("{full}.{}", self.text(part.name))),
                None => (OperandKind::Name(name), full.to_owned()),
            };
            let operand = Operand { span: register.span, kind };
            sources.push(self.source(context, &operand, Want::bits(bits))?);
            registers.push((full, format, said));
        }
        if *kind != ClaimKind::Assert && !registers.is_empty() {
            let message =
                format!("`{word}` speaks of the whole launch, and a register belongs to one thread");
            return Err(self.error_at(Code::V013, contract.span, message));
        }
        let claim = Claim {
            kind: *kind,
            word: word.to_owned(),
            text: condition.to_owned(),
            span: contract.span.behind(text.len() - condition.len()),
            registers,
            others: condition.contains("other(") || condition.contains("other_in_block("),
        };
        // A function that is inlined several times says the same at each place.
        let at = match self.claims.iter().position(|known| *known == claim) {
            Some(at) => at,
            None => {
                self.claims.push(claim);
                self.claims.len() - 1
            }
        };
        if *kind == ClaimKind::Assert {
            self.plain(context, Effect::Claim(at as u32), &[], &sources);
        }
        Ok(())
    }

    /// How a register is read, and whether the author says so: `%r1.f32`. Bits without a type are read as
    /// signed integers, as C's `int`.
    fn format_of(&mut self, register: &Ident, part: Option<&Ident>) -> (Option<Format>, bool) {
        if let Some(format) = part.and_then(|part| Format::from_name(self.text(part.name))) {
            return (Some(format), true);
        }
        let ty = self.scopes.type_of(&self.module.names, register.name);
        let format = match ty {
            Some(Type::Predicate) => None,
            Some(Type::Scalar(Format::B16)) => Some(Format::S16),
            Some(Type::Scalar(Format::B32)) => Some(Format::S32),
            Some(Type::Scalar(Format::B64)) => Some(Format::S64),
            Some(Type::Scalar(format)) => Some(format),
            // What the machine predefines; what nobody declares is an error where it is looked up.
            _ => Some(Format::U32),
        };
        (format, false)
    }
}
