//! What a term can be. [`Node`] is the decoded view of a 16-byte packed node.

use super::Term;
use crate::base::Format;

/// Unary real functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Unary {
    Neg,
    Recip,
    Sqrt,
    Rsqrt,
    Exp,
    Exp2,
    Log,
    Log2,
    Sin,
    Cos,
    Tanh,
    Erf,
    /// Between -π/2 and π/2.
    Atan,
    Cbrt,
    Abs,
    Floor,
    Ceil,
    Trunc,
    /// To the nearest integer, ties to even.
    RoundEven,
}

impl Unary {
    /// Whether some operands have no real result.
    pub fn is_partial(self) -> bool {
        matches!(self, Unary::Recip | Unary::Sqrt | Unary::Rsqrt | Unary::Log | Unary::Log2)
    }

    /// Whether its values are integers.
    pub fn is_rounding(self) -> bool {
        matches!(self, Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven)
    }

    /// All of them, in declaration order.
    pub const ALL: [Unary; 19] = [
        Unary::Neg,
        Unary::Recip,
        Unary::Sqrt,
        Unary::Rsqrt,
        Unary::Exp,
        Unary::Exp2,
        Unary::Log,
        Unary::Log2,
        Unary::Sin,
        Unary::Cos,
        Unary::Tanh,
        Unary::Erf,
        Unary::Atan,
        Unary::Cbrt,
        Unary::Abs,
        Unary::Floor,
        Unary::Ceil,
        Unary::Trunc,
        Unary::RoundEven,
    ];
}

/// Comparisons between reals. The others are these with operands swapped or negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Relation {
    Less,
    LessEqual,
    Equal,
}

/// Directed rounding, kept as an uninterpreted function of its operand (magic-number tricks rely
/// on it, so reading it as the identity could prove too much).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Rounding {
    NearestEven,
    Zero,
    Down,
    Up,
}

/// Operations on opaque bit patterns; the width in bits rides along.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum BitOp {
    And,
    Or,
    Xor,
    Not,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    Add,
    Sub,
    Mul,
    MulHigh,
    Min,
    Max,
    MinSigned,
    MaxSigned,
    Negate,
    /// `a` joined below `b`: the width is that of the result, both halves have half of it.
    Concat,
    /// Bits `b` (constant) and up of `a`, as many as the width says.
    Slice,
    /// The low `b` (constant) bits of `a` with zeros above them.
    Extend,
    /// The low `b` (constant) bits of `a` with copies of the highest of them above.
    ExtendSigned,
    /// How many bits of `a` are one.
    PopCount,
    /// How many bits of `a` above the highest that is one are zero.
    LeadingZeros,
    /// The bits of `a` in the opposite order.
    Reverse,
    /// Equality, unsigned and signed order: these give conditions ([`BitOp::is_condition`]).
    Equal,
    Less,
    LessSigned,
    /// Anything else: `c` numbers the operation, so only the same operation on the same operands meets.
    Other,
}

impl BitOp {
    /// Whether its operands may change places.
    pub fn commutes(self) -> bool {
        use BitOp::*;
        matches!(self, And | Or | Xor | Add | Mul | MulHigh | Min | Max | MinSigned | MaxSigned | Equal)
    }

    /// Whether it gives a condition, not a word.
    pub fn is_condition(self) -> bool {
        matches!(self, BitOp::Equal | BitOp::Less | BitOp::LessSigned)
    }

    /// All of them, in declaration order.
    pub const ALL: [BitOp; 27] = [
        BitOp::And,
        BitOp::Or,
        BitOp::Xor,
        BitOp::Not,
        BitOp::ShiftLeft,
        BitOp::ShiftRight,
        BitOp::ShiftRightSigned,
        BitOp::Add,
        BitOp::Sub,
        BitOp::Mul,
        BitOp::MulHigh,
        BitOp::Min,
        BitOp::Max,
        BitOp::MinSigned,
        BitOp::MaxSigned,
        BitOp::Negate,
        BitOp::Concat,
        BitOp::Slice,
        BitOp::Extend,
        BitOp::ExtendSigned,
        BitOp::PopCount,
        BitOp::LeadingZeros,
        BitOp::Reverse,
        BitOp::Equal,
        BitOp::Less,
        BitOp::LessSigned,
        BitOp::Other,
    ];
}

/// One step of a term, decoded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A tensor element (or symbolic scalar), by its flat number.
    Element(u32),
    /// An entry of the constant table.
    Constant(usize),
    /// `a + b`.
    Add(Term, Term),
    /// `a - b`.
    Sub(Term, Term),
    /// `a · b`.
    Mul(Term, Term),
    /// `a · b + c`: the link of a multiply-add chain.
    Fma(Term, Term, Term),
    /// `a / b`.
    Div(Term, Term),
    /// A function of one real.
    Unary(Unary, Term),
    /// The larger.
    Max(Term, Term),
    /// The smaller.
    Min(Term, Term),
    /// `if condition then a else b`.
    Select(Term, Term, Term),
    /// A directed or integer-trick rounding of a real in a format; uninterpreted.
    Round(Rounding, Format, Term),
    /// A comparison of reals; a condition.
    Compare(Relation, Term, Term),
    /// Both conditions hold.
    And(Term, Term),
    /// At least one holds.
    Or(Term, Term),
    /// The condition does not hold.
    Not(Term),
    /// The bits that hold a real in a format.
    BitsOf(Format, Term),
    /// A constant bit pattern.
    BitConstant(u64),
    /// An operation on bit patterns of that many bits.
    Bits(BitOp, u8, Term, Term, Term),
    /// The real (or integer) that a bit pattern holds in a format.
    FromBits(Format, Term),
    /// A named function of two reals that is not interpreted.
    Apply(u16, Term, Term),
}

impl Node {
    /// What has no real result where this is zero.
    pub fn divisor(&self) -> Option<Term> {
        match *self {
            Node::Div(_, of) | Node::Unary(Unary::Recip | Unary::Rsqrt | Unary::Log | Unary::Log2, of) => {
                Some(of)
            }
            _ => None,
        }
    }

    /// Whether it is known by its operands alone: equal for equal ones, and nothing else is said of it here.
    pub fn is_opaque(&self) -> bool {
        matches!(
            self,
            Node::Round(..)
                | Node::BitsOf(..)
                | Node::BitConstant(_)
                | Node::Bits(..)
                | Node::FromBits(..)
                | Node::Apply(..)
        )
    }
}
