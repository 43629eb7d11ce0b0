//! What one lane of a register, or one cell of memory, can hold, and its 64-bit encoding.

use super::{Gap, Term};
use crate::base::Format;

/// What a symbolic payload stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SymbolKind {
    /// The bits of a number in a format; the term is a real.
    Number(Format),
    /// A condition (a predicate register).
    Condition,
    /// An opaque bit pattern; the term is a bit pattern.
    Bits,
}

/// A symbolic payload: what it is, its term, and which slice of it (counted in the holder's
/// granules; 0 unless the value spans several memory cells).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symbol {
    /// What the term stands for.
    pub kind: SymbolKind,
    /// The term.
    pub term: Term,
}

impl Value {
    /// A place that was never written.
    pub const NEVER: Value = Value::Undefined(Gap::NEVER);
}

impl Symbol {
    /// A number in a format.
    #[inline]
    pub fn number(format: Format, term: Term) -> Symbol {
        Symbol { kind: SymbolKind::Number(format), term }
    }

    /// A condition.
    #[inline]
    pub fn condition(term: Term) -> Symbol {
        Symbol { kind: SymbolKind::Condition, term }
    }

    /// An opaque bit pattern.
    #[inline]
    pub fn bits(term: Term) -> Symbol {
        Symbol { kind: SymbolKind::Bits, term }
    }

    /// 40-bit encoding: kind in bits 32..40, term in bits 0..32. Higher bits are the holder's.
    #[inline]
    pub fn encode(self) -> u64 {
        let kind = match self.kind {
            SymbolKind::Number(format) => format as u8,
            SymbolKind::Condition => 0x40,
            SymbolKind::Bits => 0x41,
        };
        u64::from(kind) << 32 | u64::from(self.term.raw())
    }

    /// The inverse of [`Symbol::encode`]; ignores bits 40 and up.
    #[inline]
    pub fn decode(code: u64) -> Symbol {
        let kind = match (code >> 32) as u8 {
            0x40 => SymbolKind::Condition,
            0x41 => SymbolKind::Bits,
            format => SymbolKind::Number(Format::ALL[usize::from(format)]),
        };
        Symbol { kind, term: Term::from_raw(code as u32) }
    }
}

/// One lane's value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Concrete bits.
    Concrete(u64),
    /// Symbolic.
    Symbolic(Symbol),
    /// Bits are missing: nobody has written them.
    Undefined(Gap),
}
