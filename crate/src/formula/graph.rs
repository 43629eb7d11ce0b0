//! What a formula means: a graph of arrays whose elements are computed when they are asked for.
//!
//! Equal operations are one node. Numbers are folded; shapes are known; nothing depends on what elements are.

use crate::base::{Format, FormatClass, Span};
use crate::term::{BitOp, Named};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use rustc_hash::FxHashMap;

/// How high the graph may be: evaluation goes down it.
const HEIGHT: u32 = 600;

/// A node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Id(pub(super) u32);

/// What kind of thing the elements are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Conditions.
    Truth,
    /// Whole numbers as they are written: they take the type of what they meet.
    Whole,
    /// Integers of a format, which wrap around.
    Word(Format),
    /// Reals.
    Real,
}

/// A function of elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Function {
    Add,
    Subtract,
    Multiply,
    Divide,
    Negate,
    /// To a whole power.
    Power(i64),
    Exp,
    Exp2,
    Log,
    Log2,
    Sqrt,
    Cbrt,
    Abs,
    Sin,
    Cos,
    Tanh,
    Atan,
    Erf,
    Floor,
    Ceil,
    Round,
    Trunc,
    Maximum,
    Minimum,
    Less,
    LessEqual,
    Equal,
    And,
    Or,
    Not,
    Where,
    /// 1 where a condition holds, 0 elsewhere.
    Indicator,
    /// A whole number in a word.
    Wrap(Format),
    /// A real number made a word: towards 0, and taken to be in range.
    Integer(Format),
    /// An operation on the bits of words.
    Bits(BitOp, Format),
}

/// How elements along an axis become one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Fold {
    Sum,
    Product,
    Max,
    Min,
    All,
    Any,
    ArgMax,
    ArgMin,
}

/// A number that is known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Number {
    Rational(BigRational),
    Named(Named),
    Infinity,
    MinusInfinity,
    True,
    False,
}

/// An operation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// An input, by its place in the scope.
    Input(usize),
    /// A number, everywhere.
    Number(Number),
    /// `start + step · index`, of one axis.
    Arange(i64, i64),
    /// For each axis a step in the source: its flat index is `offset + Σ index · stride`.
    View(Id, i64, Vec<i64>),
    /// The same elements, row by row.
    Reshape(Id),
    /// Sources behind one another along an axis.
    Join(Vec<Id>, usize),
    /// A source behind so many elements along each axis, and another value around it.
    Pad(Id, Vec<u64>, Id),
    /// A function of elements at the same place.
    Map(Function, Vec<Id>),
    /// The last axis of the source, folded.
    Fold(Fold, Id),
    /// The running sum along the last axis.
    Scan(Id),
    /// An element of the source for each place: one index for each axis of the source.
    At(Id, Vec<Id>),
}

/// A node: an operation and what is known of its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// The extents.
    pub shape: Vec<u64>,
    /// What the elements are.
    pub kind: Kind,
    /// Where in the formula, for what goes wrong later.
    pub span: Span,
    height: u32,
    /// How many nodes read it.
    pub uses: u32,
}

/// The nodes of a formula; operands come before those who use them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    known: FxHashMap<(Op, Vec<u64>, Kind), Id>,
}

/// The graph would be too high.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooHigh;

impl Graph {
    /// Whether elements are taken at indices.
    pub fn takes_indices(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.op, Op::At(..)))
    }

    /// A node.
    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Its extents.
    pub fn shape(&self, id: Id) -> &[u64] {
        &self.node(id).shape
    }

    /// What its elements are.
    pub fn kind(&self, id: Id) -> Kind {
        self.node(id).kind
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node, or finds it.
    pub fn push(&mut self, op: Op, shape: Vec<u64>, kind: Kind, span: Span) -> Result<Id, TooHigh> {
        let key = (op, shape, kind);
        if let Some(id) = self.known.get(&key) {
            return Ok(*id);
        }
        let (op, shape, kind) = key.clone();
        let operands = op.operands();
        let height = operands.iter().map(|id| self.node(*id).height + 1).max().unwrap_or(0);
        if height > HEIGHT {
            return Err(TooHigh);
        }
        for operand in operands {
            self.nodes[operand.0 as usize].uses += 1;
        }
        let id = Id(self.nodes.len() as u32);
        self.nodes.push(Node { op, shape, kind, span, height, uses: 0 });
        self.known.insert(key, id);
        Ok(id)
    }

    /// The number that a node is everywhere.
    pub fn number(&self, id: Id) -> Option<&Number> {
        match &self.node(id).op {
            Op::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The same if it is a rational.
    pub fn rational(&self, id: Id) -> Option<&BigRational> {
        match self.number(id)? {
            Number::Rational(value) => Some(value),
            _ => None,
        }
    }
}

impl Op {
    /// The nodes that it reads.
    pub fn operands(&self) -> Vec<Id> {
        match self {
            Op::Input(_) | Op::Number(_) | Op::Arange(..) => Vec::new(),
            Op::View(source, ..) | Op::Reshape(source) | Op::Fold(_, source) | Op::Scan(source) => {
                vec![*source]
            }
            Op::Join(sources, _) | Op::Map(_, sources) => sources.clone(),
            Op::Pad(source, _, around) => vec![*source, *around],
            Op::At(source, indices) => std::iter::once(*source).chain(indices.iter().copied()).collect(),
        }
    }
}

/// What a function of known numbers gives, where that is a number or a condition that can be written down.
pub fn folded(function: Function, arguments: &[&Number]) -> Option<Number> {
    let truth = |holds: bool| if holds { Number::True } else { Number::False };
    match (function, arguments) {
        (Function::Not, [Number::True]) => return Some(Number::False),
        (Function::Not, [Number::False]) => return Some(Number::True),
        (Function::And, [a @ (Number::True | Number::False), b @ (Number::True | Number::False)]) => {
            return Some(truth(matches!((a, b), (Number::True, Number::True))));
        }
        (Function::Or, [a @ (Number::True | Number::False), b @ (Number::True | Number::False)]) => {
            return Some(truth(!matches!((a, b), (Number::False, Number::False))));
        }
        (Function::Indicator, [Number::True]) => return Some(Number::Rational(BigRational::one())),
        (Function::Indicator, [Number::False]) => return Some(Number::Rational(BigRational::zero())),
        (Function::Where, [Number::True, a, _]) | (Function::Where, [Number::False, _, a]) => {
            return Some((*a).clone());
        }
        (Function::Negate, [Number::Infinity]) => return Some(Number::MinusInfinity),
        (Function::Negate, [Number::MinusInfinity]) => return Some(Number::Infinity),
        _ => {}
    }
    let values = arguments.iter().map(|number| match number {
        Number::Rational(value) => Some(value),
        _ => None,
    });
    let values: Vec<&BigRational> = values.collect::<Option<_>>()?;
    let value = match (function, values.as_slice()) {
        (Function::Add, [a, b]) => *a + *b,
        (Function::Subtract, [a, b]) => *a - *b,
        (Function::Multiply, [a, b]) => *a * *b,
        (Function::Divide, [a, b]) if !b.is_zero() => *a / *b,
        (Function::Negate, [a]) => -*a,
        (Function::Power(power), [a]) if power.abs() <= 64 && (power >= 0 || !a.is_zero()) => {
            num_traits::pow::Pow::pow(*a, power as i32)
        }
        (Function::Abs, [a]) => a.abs(),
        (Function::Floor, [a]) => a.floor(),
        (Function::Ceil, [a]) => a.ceil(),
        (Function::Trunc, [a]) => a.trunc(),
        (Function::Maximum, [a, b]) => (*a).max(*b).clone(),
        (Function::Minimum, [a, b]) => (*a).min(*b).clone(),
        (Function::Bits(op, format), [a, b]) => bits_of(op, format, a, b)?,
        (Function::Less, [a, b]) => return Some(truth(a < b)),
        (Function::LessEqual, [a, b]) => return Some(truth(a <= b)),
        (Function::Equal, [a, b]) => return Some(truth(a == b)),
        _ => return None,
    };
    Some(Number::Rational(value))
}

/// Operations on the bits of small whole numbers, if the result is one of the format's.
fn bits_of(op: BitOp, format: Format, a: &BigRational, b: &BigRational) -> Option<BigRational> {
    let small = |value: &BigRational| {
        value
            .is_integer()
            .then(|| value.to_integer().to_i64())
            .flatten()
            .filter(|value| value.abs() < 1 << 31)
    };
    let (a, b) = (small(a)?, small(b)?);
    let value = match op {
        BitOp::And => a & b,
        BitOp::Or => a | b,
        BitOp::Xor => a ^ b,
        BitOp::ShiftLeft if (0..32).contains(&b) => a << b,
        BitOp::ShiftRightSigned if (0..64).contains(&b) => a >> b,
        _ => return None,
    };
    let (value, bits) = (i128::from(value), format.bits());
    let fits = match format.class() {
        FormatClass::Signed => (-(1i128 << (bits - 1))..1 << (bits - 1)).contains(&value),
        _ => (0..1i128 << bits).contains(&value),
    };
    fits.then(|| BigRational::from_integer(value.into()))
}
