//! The append-only store and its smart constructors.

use super::beyond::{Beyond, is_infinite};
use super::bounds;
use super::chunks::{BITS, Cached, Chunks, Packed};
use super::compared::Comparison;
use super::constant::{Constant, Number};
use super::gap::Gaps;
use super::node::{BitOp, Node, Relation, Rounding, Unary};
use super::partial::Partial;
use super::recent::{Latest, Recent};
use super::through::Narrow;
use super::{Named, Term};
use crate::base::{Format, FormatClass};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

impl Packed {
    /// The words that are terms.
    #[inline]
    pub(super) fn operands(&self) -> [u32; 3] {
        // Where there are fewer, constants stand for them.
        let none = Term::ZERO.0;
        match OPS[(self.head & OP) as usize] {
            Op::Fma | Op::Select | Op::Bits => [self.a, self.b, self.c],
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Max | Op::Min => [self.a, self.b, none],
            Op::Compare | Op::And | Op::Or | Op::Apply => [self.a, self.b, none],
            Op::Unary | Op::Round | Op::Not | Op::BitsOf | Op::FromBits => [self.a, none, none],
            Op::BitConstant => [none; 3],
        }
    }

    /// Decoded.
    #[inline]
    fn node(self) -> Node {
        let Packed { head, a, b, c } = self;
        let (ta, tb, tc) = (Term(a), Term(b), Term(c));
        let (small, smaller) = ((head >> 8 & 0xff) as usize, (head >> 16 & 0xff) as usize);
        match OPS[(head & OP) as usize] {
            Op::Add => Node::Add(ta, tb),
            Op::Sub => Node::Sub(ta, tb),
            Op::Mul => Node::Mul(ta, tb),
            Op::Fma => Node::Fma(ta, tb, tc),
            Op::Div => Node::Div(ta, tb),
            Op::Unary => Node::Unary(Unary::ALL[small], ta),
            Op::Max => Node::Max(ta, tb),
            Op::Min => Node::Min(ta, tb),
            Op::Select => Node::Select(ta, tb, tc),
            Op::Round => Node::Round(ROUNDINGS[small], Format::ALL[smaller], ta),
            Op::Compare => Node::Compare(RELATIONS[small], ta, tb),
            Op::And => Node::And(ta, tb),
            Op::Or => Node::Or(ta, tb),
            Op::Not => Node::Not(ta),
            Op::BitsOf => Node::BitsOf(Format::ALL[small], ta),
            Op::BitConstant => Node::BitConstant(u64::from(b) << 32 | u64::from(a)),
            Op::Bits => Node::Bits(BitOp::ALL[small], smaller as u8, ta, tb, tc),
            Op::FromBits => Node::FromBits(Format::ALL[small], ta),
            Op::Apply => Node::Apply((head >> 16) as u16, ta, tb),
        }
    }

    #[inline]
    fn hash(self) -> u64 {
        let mut hash = (u64::from(self.a) << 32 | u64::from(self.b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ hash >> 29 ^ u64::from(self.c) << 32 ^ u64::from(self.head))
            .wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash ^ hash >> 32
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Op {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    Unary,
    Max,
    Min,
    Select,
    Round,
    Compare,
    And,
    Or,
    Not,
    BitsOf,
    BitConstant,
    Bits,
    FromBits,
    Apply,
}

const OPS: [Op; 19] = [
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Fma,
    Op::Div,
    Op::Unary,
    Op::Max,
    Op::Min,
    Op::Select,
    Op::Round,
    Op::Compare,
    Op::And,
    Op::Or,
    Op::Not,
    Op::BitsOf,
    Op::BitConstant,
    Op::Bits,
    Op::FromBits,
    Op::Apply,
];

const ROUNDINGS: [Rounding; 4] = [Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up];
const RELATIONS: [Relation; 3] = [Relation::Less, Relation::LessEqual, Relation::Equal];

/// The bits of a head that say which operation it is; above them is what its values may be ([`Beyond`]), and then
/// what the operation needs to be told.
const OP: u32 = 0x1f;
const BEYOND: u32 = 0xe0;

/// Bytes of a budget that a node takes at least.
const LEAST_BYTES: u64 = 4;
/// What a constant takes, with its numerator and denominator: it is held twice, once to be found.
const CONSTANT_BYTES: u64 = 320;
/// Nodes that have numbers, with room for what is built before somebody looks.
const MOST: usize = (1 << 30) - (1 << 24);
/// Absorbed nodes that are remembered.
const MOST_ABSORBED: usize = 1 << 16;
/// Limits within limits that a comparison looks through.
const LIMITS: u32 = 16;

/// The terms that one kernel builds.
pub struct Terms {
    nodes: Chunks,
    /// Nodes `a · b + c` of leaves `a` and `b`: a matrix product builds millions, none twice.
    products: Latest,
    /// All other nodes.
    others: Recent,
    constants: Vec<Constant>,
    constant_ids: FxHashMap<Constant, Term>,
    float_ids: FxHashMap<(Format, u64), Term>,
    functions: Vec<String>,
    /// Something is infinite or undefined, maybe.
    extended: bool,
    pub(super) partial: Partial,
    /// Nodes that a zero absorbed: no other node needs to have them.
    absorbed: BTreeSet<u32>,
    /// Values of which bits are missing.
    pub(super) gaps: Gaps,
    /// The formats of elements: of those from a number on, ascending.
    formats: Vec<(u32, Format)>,
    /// The ranges of integers that are chosen among others, where somebody asked.
    pub(super) ranges: FxHashMap<Term, (i128, i128)>,
    /// Least and greatest integer of the formats that floats were converted to.
    pub(super) converted: FxHashMap<Term, (i128, i128)>,
    /// Which terms went through f16.
    pub(super) narrow: [Narrow; 2],
    /// Which nodes comparisons of floats made, ascending.
    pub(super) comparisons: Vec<Comparison>,
}

/// Reads the nodes of a store, fastest where they are neighbours of those that were read before.
pub struct Reader<'a> {
    nodes: Cached<'a>,
}

impl Reader<'_> {
    /// [`Terms::node_at`].
    #[inline]
    pub fn node_at(&mut self, index: usize) -> Node {
        self.nodes.at(index).node()
    }

    /// [`Terms::fma_at`].
    #[inline]
    pub fn fma_at(&mut self, index: usize) -> Option<(Term, Term, Term)> {
        let Packed { head, a, b, c } = self.nodes.at(index);
        (head & OP == Op::Fma as u32).then_some((Term(a), Term(b), Term(c)))
    }
}

/// A shared view for readers on several threads (the store is plain data once built).
pub type TermsView<'a> = &'a Terms;

impl Default for Terms {
    fn default() -> Self {
        Terms::new()
    }
}

impl Terms {
    /// log₂ of the nodes that [`Terms::last_needed`] speaks of together.
    pub const PIECE: u32 = BITS;

    /// An empty store, with the fixed constants in place.
    pub fn new() -> Self {
        let mut terms = Terms {
            nodes: Chunks::new(),
            products: Latest::new(),
            others: Recent::new(),
            constants: Vec::new(),
            constant_ids: FxHashMap::default(),
            float_ids: FxHashMap::default(),
            functions: Vec::new(),
            extended: false,
            partial: Partial::default(),
            absorbed: BTreeSet::new(),
            gaps: Gaps::new(),
            formats: Vec::new(),
            ranges: FxHashMap::default(),
            converted: FxHashMap::default(),
            narrow: Default::default(),
            comparisons: Vec::new(),
        };
        let exact = |number| Constant::new(number, None);
        for number in [
            Number::Rational(BigRational::zero()),
            Number::Rational(BigRational::one()),
            Number::Rational(-BigRational::one()),
            Number::Infinity,
            Number::MinusInfinity,
            Number::True,
            Number::False,
        ] {
            terms.constant(exact(number));
        }
        terms
    }

    /// How many nodes there are (elements and constants are none).
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing was built.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 0
    }

    /// For each 2^[`Terms::PIECE`] nodes in a row, the number of the last such row that has an operand there.
    pub fn last_needed(&self) -> Vec<u32> {
        self.nodes.last_needed()
    }

    /// Bytes held, for budgets: what is done with terms later takes some for each node, however little keeping
    /// them takes.
    pub fn bytes(&self) -> u64 {
        let nodes = self.nodes.bytes().max(LEAST_BYTES * self.len() as u64);
        let nodes = if self.len() > MOST { u64::MAX / 2 } else { nodes };
        let constants = CONSTANT_BYTES * self.constants.len() as u64;
        nodes + constants + self.products.bytes() + self.others.bytes() + self.gaps.bytes()
    }

    /// Notes the format of the elements from `first` on, up to the next that was noted.
    pub fn note_elements(&mut self, first: u32, format: Format) {
        match self.formats.binary_search_by_key(&first, |known| known.0) {
            Ok(at) => self.formats[at].1 = format,
            Err(at) => self.formats.insert(at, (first, format)),
        }
    }

    /// Notes that a node went into a product with 0, which is 0 only where the node has a value.
    fn note_absorbed(&mut self, term: Term) {
        if let Some(node) = term.as_node()
            && self.absorbed.len() < MOST_ABSORBED
        {
            self.absorbed.insert(node as u32);
        }
    }

    /// The nodes that a zero absorbed, ascending; the first many of them.
    pub fn absorbed(&self) -> impl Iterator<Item = Term> {
        self.absorbed.iter().map(|node| Term::from_node(*node as usize))
    }

    /// The formats noted by [`Terms::note_elements`].
    pub fn element_formats(&self) -> impl Iterator<Item = (u32, Format)> {
        self.formats.iter().copied()
    }

    /// The format of an element, if it was noted.
    pub fn element_format(&self, element: u32) -> Option<Format> {
        let at = self.formats.partition_point(|known| known.0 <= element).checked_sub(1)?;
        Some(self.formats[at].1)
    }

    /// The constant table's entry.
    pub fn constant_at(&self, index: usize) -> &Constant {
        &self.constants[index]
    }

    /// All constants, in the order of their first use.
    pub fn constants(&self) -> &[Constant] {
        &self.constants
    }

    /// The name of an uninterpreted function.
    pub fn function_name(&self, function: u16) -> &str {
        &self.functions[usize::from(function)]
    }

    /// Decodes a term.
    #[inline]
    pub fn node(&self, term: Term) -> Node {
        if let Some(element) = term.as_element() {
            return Node::Element(element);
        }
        if let Some(constant) = term.as_constant() {
            return Node::Constant(constant);
        }
        self.node_at(term.raw() as usize)
    }

    /// Decodes the node with that index; operands have smaller indices.
    #[inline]
    pub fn node_at(&self, index: usize) -> Node {
        self.nodes.at(index).node()
    }

    /// For reading one node after the other, up or down.
    pub fn reader(&self) -> Reader<'_> {
        Reader { nodes: Cached::new(&self.nodes) }
    }

    /// The node with that index as it is kept: its operation with everything that is no operand, as
    /// one number, and room for three operands. Equal numbers are equal operations.
    #[inline]
    pub fn step_at(&self, index: usize) -> (u32, [Term; 3]) {
        let Packed { head, a, b, c } = self.nodes.at(index);
        (head & !BEYOND, [Term(a), Term(b), Term(c)])
    }

    /// The operands of the node with that index if it is `a · b + c`, without decoding any other:
    /// nearly all nodes of a long sum are.
    #[inline]
    pub fn fma_at(&self, index: usize) -> Option<(Term, Term, Term)> {
        let Packed { head, a, b, c } = self.nodes.at(index);
        (head & OP == Op::Fma as u32).then_some((Term(a), Term(b), Term(c)))
    }

    #[inline]
    fn push(&mut self, op: Op, small: u32, a: u32, b: u32, c: u32) -> Term {
        let mut packed = Packed { head: op as u32 | small << 8, a, b, c };
        if self.extended || is_infinite(Term(a)) || is_infinite(Term(b)) || is_infinite(Term(c)) {
            let beyond = self.beyond_by_operands(&packed.node());
            packed.head |= u32::from(beyond.0) << 5;
            self.extended |= beyond != Beyond::NEVER;
        }
        let leaves = op == Op::Fma && Term(a).as_node().is_none() && Term(b).as_node().is_none();
        let Terms { nodes, products, others, .. } = self;
        let (hash, id) = (packed.hash(), nodes.len());
        let is_it = |id: usize| nodes.get(id) == Some(packed);
        let known = if leaves {
            products.find_or_keep(hash, id, is_it)
        } else {
            others.find_or_keep(hash, id, is_it, |id| nodes.get(id).map_or(hash, |node| node.hash()))
        };
        if let Some(id) = known {
            return Term::from_node(id);
        }
        nodes.push(packed);
        if !self.partial.is_empty() || matches!(op, Op::Div | Op::Unary) {
            self.note_partial(id, &packed.node());
        }
        Term::from_node(id)
    }

    // ---- constants -------------------------------------------------------------------------

    /// Interns a constant.
    pub fn constant(&mut self, constant: Constant) -> Term {
        if let Some(term) = self.constant_ids.get(&constant) {
            return *term;
        }
        let term = Term::constant(self.constants.len());
        self.extended |= constant.number == Number::NotANumber;
        self.constants.push(constant.clone());
        self.constant_ids.insert(constant, term);
        term
    }

    /// An exact rational.
    pub fn rational(&mut self, value: BigRational) -> Term {
        self.constant(Constant::new(Number::Rational(value), None))
    }

    /// An exact integer.
    pub fn integer(&mut self, value: i128) -> Term {
        self.rational(BigRational::from_integer(value.into()))
    }

    /// Where a conversion into a float format saturates, below and above.
    pub fn limits(&mut self, format: Format) -> [Term; 2] {
        [true, false].map(|lower| self.constant(Constant::limit(format, lower)))
    }

    /// A named real.
    pub fn named(&mut self, name: Named) -> Term {
        self.constant(Constant::new(Number::Named(name), None))
    }

    /// The number that `bits` hold in a format: floats remember that they were rounded, integers
    /// are exact. -0 is 0.
    pub fn number(&mut self, format: Format, bits: u64) -> Term {
        if let Some(term) = self.float_ids.get(&(format, bits)) {
            return *term;
        }
        let term = self.constant(read(format, bits));
        self.float_ids.insert((format, bits), term);
        term
    }

    /// The same for a number that a kernel computed from concrete ones: the real number may be as far
    /// from it as `error` says. A constant of its own, also where it is 0 or 1.
    pub fn computed(&mut self, format: Format, bits: u64, error: f64) -> Term {
        self.constant(read(format, bits).computed(error))
    }

    /// Not a number.
    pub fn not_a_number(&mut self) -> Term {
        self.constant(Constant::new(Number::NotANumber, None))
    }

    /// What was never written.
    pub fn never_written(&mut self) -> Term {
        self.constant(Constant::new(Number::Unwritten, None))
    }

    /// The rational value of a constant term.
    pub fn as_rational(&self, term: Term) -> Option<&BigRational> {
        match &self.constants[term.as_constant()?].number {
            Number::Rational(value) => Some(value),
            _ => None,
        }
    }

    // ---- real operations -------------------------------------------------------------------

    /// `a + b`.
    #[inline]
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        if a == Term::ZERO {
            return b;
        }
        if b == Term::ZERO {
            return a;
        }
        if is_infinite(a) || is_infinite(b) {
            return self.add_infinite(a, b);
        }
        self.push(Op::Add, 0, a.0.min(b.0), a.0.max(b.0), 0)
    }

    /// A sum with ±∞, which it is if nothing else in it may be the other infinity or undefined.
    #[cold]
    fn add_infinite(&mut self, a: Term, b: Term) -> Term {
        let (infinite, other) = if is_infinite(a) { (a, b) } else { (b, a) };
        let opposite = if infinite == Term::INFINITY { Beyond::DOWN } else { Beyond::UP };
        match self.beyond(other) {
            beyond if !beyond.any(opposite.or(Beyond::UNDEFINED)) => infinite,
            _ if other.as_constant().is_some() => self.not_a_number(),
            _ => self.push(Op::Add, 0, a.0.min(b.0), a.0.max(b.0), 0),
        }
    }

    /// A product with ±∞, where the sign of the other factor is known.
    #[cold]
    fn mul_infinite(&mut self, a: Term, b: Term) -> Option<Term> {
        let (infinite, other) = if is_infinite(a) { (a, b) } else { (b, a) };
        match &self.constants[other.as_constant()?].number {
            Number::Rational(value) if value.is_zero() => Some(self.not_a_number()),
            Number::Rational(value) if value.is_positive() => Some(infinite),
            Number::Rational(_) | Number::MinusInfinity => Some(self.neg(infinite)),
            Number::Named(_) | Number::Infinity => Some(infinite),
            _ => Some(self.not_a_number()),
        }
    }

    /// `a - b`.
    #[inline]
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        if b == Term::ZERO {
            return a;
        }
        if a == Term::ZERO {
            return self.neg(b);
        }
        if self.as_rational(b).is_some() || is_infinite(a) || is_infinite(b) {
            let negated = self.neg(b);
            return self.add(a, negated);
        }
        self.push(Op::Sub, 0, a.0, b.0, 0)
    }

    /// `a · b`. Zero absorbs what is finite, as all data are, which the ledger states.
    #[inline]
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        if a == Term::ONE {
            return b;
        }
        if b == Term::ONE {
            return a;
        }
        if a == Term::MINUS_ONE {
            return self.neg(b);
        }
        if b == Term::MINUS_ONE {
            return self.neg(a);
        }
        if (a == Term::ZERO || b == Term::ZERO)
            && self.beyond(a) == Beyond::NEVER
            && self.beyond(b) == Beyond::NEVER
        {
            self.note_absorbed(a);
            self.note_absorbed(b);
            return Term::ZERO;
        }
        if (is_infinite(a) || is_infinite(b))
            && let Some(product) = self.mul_infinite(a, b)
        {
            return product;
        }
        self.push(Op::Mul, 0, a.0.min(b.0), a.0.max(b.0), 0)
    }

    /// `a · b + c`.
    #[inline]
    pub fn fma(&mut self, a: Term, b: Term, c: Term) -> Term {
        if c == Term::ZERO
            || is_infinite(c)
            || a.as_constant().is_some_and(|id| id < 7)
            || b.as_constant().is_some_and(|id| id < 7)
        {
            let product = self.mul(a, b);
            return self.add(product, c);
        }
        self.push(Op::Fma, 0, a.0.min(b.0), a.0.max(b.0), c.0)
    }

    /// `a / b`.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        if b == Term::ONE {
            return a;
        }
        self.push(Op::Div, 0, a.0, b.0, 0)
    }

    /// `-a`.
    #[inline]
    pub fn neg(&mut self, a: Term) -> Term {
        if let Some(constant) = a.as_constant() {
            let known = &self.constants[constant];
            let (rounded, error) = (known.rounded, known.error());
            let negated = match known.number.clone() {
                Number::Rational(value) => Some(Number::Rational(-value)),
                Number::Infinity => Some(Number::MinusInfinity),
                Number::MinusInfinity => Some(Number::Infinity),
                _ => None,
            };
            if let Some(number) = negated {
                return self.constant(Constant::new(number, rounded).computed(error));
            }
        }
        if let Node::Unary(Unary::Neg, inner) = self.node(a) {
            return inner;
        }
        self.push(Op::Unary, Unary::Neg as u32, a.0, 0, 0)
    }

    /// A function of one real. Limits at ±∞ and trivial values are folded where they are exact.
    pub fn unary(&mut self, function: Unary, a: Term) -> Term {
        match (function, a) {
            (Unary::Neg, _) => return self.neg(a),
            (Unary::Exp | Unary::Exp2, Term::MINUS_INFINITY) => return Term::ZERO,
            (Unary::Exp | Unary::Exp2 | Unary::Cos, Term::ZERO) => return Term::ONE,
            (Unary::Exp | Unary::Exp2 | Unary::Sqrt | Unary::Abs, Term::INFINITY) => return Term::INFINITY,
            (Unary::Recip | Unary::Rsqrt, Term::INFINITY) => return Term::ZERO,
            (Unary::Recip | Unary::Rsqrt | Unary::Sqrt | Unary::Abs | Unary::Cbrt, Term::ONE) => {
                return Term::ONE;
            }
            (Unary::Log | Unary::Log2, Term::ONE) => return Term::ZERO,
            (Unary::Abs, Term::MINUS_INFINITY) => return Term::INFINITY,
            (
                Unary::Sqrt
                | Unary::Abs
                | Unary::Sin
                | Unary::Tanh
                | Unary::Erf
                | Unary::Atan
                | Unary::Cbrt
                | Unary::Floor
                | Unary::Ceil
                | Unary::Trunc
                | Unary::RoundEven,
                Term::ZERO,
            ) => return Term::ZERO,
            _ => {}
        }
        if let Some(whole) = a.as_constant().and_then(|at| self.constants[at].whole(function)) {
            return self.rational(whole);
        }
        self.push(Op::Unary, function as u32, a.0, 0, 0)
    }

    /// The larger of two.
    #[inline]
    pub fn max(&mut self, a: Term, b: Term) -> Term {
        if a == b || b == Term::MINUS_INFINITY && self.is_defined(a) || a == Term::INFINITY {
            return a;
        }
        if a == Term::MINUS_INFINITY && self.is_defined(b) || b == Term::INFINITY {
            return b;
        }
        if self.is_defined(a)
            && self.is_defined(b)
            && let Some(only) = bounds::limited(self, a, b, true)
        {
            return only;
        }
        self.push(Op::Max, 0, a.0.min(b.0), a.0.max(b.0), 0)
    }

    /// The smaller of two.
    #[inline]
    pub fn min(&mut self, a: Term, b: Term) -> Term {
        if a == b || b == Term::INFINITY && self.is_defined(a) || a == Term::MINUS_INFINITY {
            return a;
        }
        if a == Term::INFINITY && self.is_defined(b) || b == Term::MINUS_INFINITY {
            return b;
        }
        if self.is_defined(a)
            && self.is_defined(b)
            && let Some(only) = bounds::limited(self, a, b, false)
        {
            return only;
        }
        self.push(Op::Min, 0, a.0.min(b.0), a.0.max(b.0), 0)
    }

    /// `if condition then a else b`, for reals, conditions and bit patterns alike.
    pub fn select(&mut self, condition: Term, a: Term, b: Term) -> Term {
        if condition == Term::TRUE || a == b {
            return a;
        }
        if condition == Term::FALSE {
            return b;
        }
        if (a, b) == (Term::TRUE, Term::FALSE) {
            return condition;
        }
        if (a, b) == (Term::FALSE, Term::TRUE) {
            return self.not(condition);
        }
        if let Node::Not(inner) = self.node(condition) {
            return self.select(inner, b, a);
        }
        // `if (x < y) x = y` is how reductions without fmaxf say max; what is undefined stays, as no comparison holds.
        if let Node::Compare(Relation::Less | Relation::LessEqual, x, y) = self.node(condition)
            && self.is_defined(b)
        {
            if (a, b) == (y, x) {
                return self.max(x, y);
            }
            if (a, b) == (x, y) {
                return self.min(x, y);
            }
        }
        // The same where a comparison has looked through a limit.
        if let Node::Compare(relation @ (Relation::Less | Relation::LessEqual), ..) = self.node(condition)
            && (self.limited(a).is_some() && b.as_constant().is_some()
                || self.limited(b).is_some() && a.as_constant().is_some())
        {
            if self.compare_limited(relation, a, b) == Some(condition) {
                return self.min(a, b);
            }
            if self.compare_limited(relation, b, a) == Some(condition) {
                return self.max(a, b);
            }
        }
        // Who asks for NaN and gives NaN either way has not asked.
        if self.is_idle_question(condition, a, b) {
            return a;
        }
        // Inside a choice its condition is known.
        let a = match self.node(a) {
            Node::Select(same, then, _) if same == condition => then,
            _ => a,
        };
        let b = match self.node(b) {
            Node::Select(same, _, otherwise) if same == condition => otherwise,
            _ => b,
        };
        if a == b {
            return a;
        }
        self.push(Op::Select, 0, condition.0, a.0, b.0)
    }

    /// A rounding that must not be read as the identity.
    pub fn round(&mut self, mode: Rounding, format: Format, a: Term) -> Term {
        self.push(Op::Round, mode as u32 | (format as u32) << 8, a.0, 0, 0)
    }

    /// A named function of two reals (pass [`Term::ZERO`] for a missing operand).
    pub fn apply(&mut self, name: &str, a: Term, b: Term) -> Term {
        let index = self.functions.iter().position(|known| known == name).unwrap_or_else(|| {
            self.functions.push(name.to_owned());
            self.functions.len() - 1
        });
        self.push(Op::Apply, (index as u32) << 8, a.0, b.0, 0)
    }

    // ---- conditions ------------------------------------------------------------------------

    /// A comparison of reals. Constants are folded; `(if c then 1 else 0) = 0` gives `c` back.
    pub fn compare(&mut self, relation: Relation, a: Term, b: Term) -> Term {
        // What is undefined is not equal to itself.
        if a == b && (relation == Relation::Less || self.is_defined(a)) {
            return if relation == Relation::Less { Term::FALSE } else { Term::TRUE };
        }
        if let (Some(x), Some(y)) = (self.as_rational(a), self.as_rational(b)) {
            let holds = match relation {
                Relation::Less => x < y,
                Relation::LessEqual => x <= y,
                Relation::Equal => x == y,
            };
            return if holds { Term::TRUE } else { Term::FALSE };
        }
        let defined = self.is_defined(a) && self.is_defined(b);
        // Nothing lies beyond an infinity.
        let (low, high) = (Term::MINUS_INFINITY, Term::INFINITY);
        match relation {
            Relation::Less if a == high || b == low => return Term::FALSE,
            Relation::LessEqual if defined && (a == low || b == high) => return Term::TRUE,
            Relation::Less if a == low && self.beyond(b) == Beyond::NEVER => return Term::TRUE,
            Relation::Less if b == high && self.beyond(a) == Beyond::NEVER => return Term::TRUE,
            _ => {}
        }
        if defined && let Some(holds) = bounds::decided(self, relation, a, b) {
            return if holds { Term::TRUE } else { Term::FALSE };
        }
        if let (Node::Select(condition, x, y), Some(_)) = (self.node(a), b.as_constant())
            && x.as_constant().is_some()
            && y.as_constant().is_some()
        {
            let x = self.compare(relation, x, b);
            let y = self.compare(relation, y, b);
            return self.select(condition, x, y);
        }
        if let Some(found) = self.compare_limited(relation, a, b) {
            return found;
        }
        if let Some(range) = self.unsigned_range(relation, a, b) {
            return range;
        }
        if relation == Relation::Equal
            && (a == Term::ZERO || b == Term::ZERO)
            && let Some(none) = self.nothing_set(if a == Term::ZERO { b } else { a })
        {
            return none;
        }
        let (a, b) = if relation == Relation::Equal && a > b { (b, a) } else { (a, b) };
        self.push(Op::Compare, relation as u32, a.0, b.0, 0)
    }

    /// What is limited by a constant, and the constant.
    fn limited(&self, term: Term) -> Option<(Term, Term)> {
        match self.node(term) {
            Node::Max(x, y) | Node::Min(x, y) if self.as_rational(x).is_some() => Some((y, x)),
            Node::Max(x, y) | Node::Min(x, y) if self.as_rational(y).is_some() => Some((x, y)),
            _ => None,
        }
    }

    /// An integer that is limited by a constant compared with another one: whether the limit is the reason, or what it limits.
    fn compare_limited(&mut self, relation: Relation, a: Term, b: Term) -> Option<Term> {
        let (first, node, (inner, limit), value) = match (self.limited(a), self.limited(b)) {
            (Some(found), None) => (true, self.node(a), found, b),
            (None, Some(found)) => (false, self.node(b), found, a),
            _ => return None,
        };
        self.as_rational(value)?;
        // What libraries do with floats is recognized by how they limit them.
        self.is_integer(inner).then_some(())?;
        // Limits within limits are looked through to a small depth.
        let mut inside = inner;
        for depth in 0.. {
            match self.limited(inside) {
                Some(_) if depth == LIMITS => return None,
                Some((deeper, _)) => inside = deeper,
                None => break,
            }
        }
        let mut on = |term: Term| match first {
            true => self.compare(relation, term, value),
            false => self.compare(relation, value, term),
        };
        let by_limit = on(limit);
        let is_max = matches!(node, Node::Max(..));
        if relation != Relation::Equal {
            // A maximum is below what all of it is below, and above what some of it is above.
            return Some(match (is_max == first, by_limit == Term::TRUE) {
                (true, true) | (false, false) => on(inner),
                (true, false) => Term::FALSE,
                (false, true) => Term::TRUE,
            });
        }
        let up = |one: Term, other: Term| if is_max { (one, other) } else { (other, one) };
        if by_limit == Term::TRUE {
            let (low, high) = up(inner, limit);
            return Some(self.compare(Relation::LessEqual, low, high));
        }
        let (low, high) = up(limit, value);
        Some(match self.compare(Relation::Less, low, high) {
            Term::TRUE => self.compare(Relation::Equal, inner, value),
            _ => Term::FALSE,
        })
    }

    /// An integer that may be negative read as one without a sign and compared with a constant that both kinds
    /// have: how compilers ask whether it lies in a range that begins at 0.
    fn unsigned_range(&mut self, relation: Relation, a: Term, b: Term) -> Option<Term> {
        let signed = |store: &Self, term: Term| match store.node(term) {
            Node::FromBits(to, bits) if to.class() == FormatClass::Unsigned => match store.node(bits) {
                Node::BitsOf(from, inner) if !from.is_float() && from.bits() == to.bits() => {
                    Some((inner, from.bits()))
                }
                _ => None,
            },
            _ => None,
        };
        let ((inner, bits), constant, constant_first) = match (signed(self, a), signed(self, b)) {
            (Some(found), None) => (found, b, false),
            (None, Some(found)) => (found, a, true),
            _ => return None,
        };
        let value = self.as_rational(constant)?.clone();
        // What is negative is larger than the constant, and nothing else has lost a bit.
        let whole = 1i128 << bits;
        let value_fits = |most: i128| value < BigRational::from_integer(most.into());
        let (low, high) = super::range::ends_of(self, inner);
        if value.is_negative() || high >= whole || low < -whole || !value_fits(low.min(0) + whole) {
            return None;
        }
        // c < u means that u ≤ c does not hold.
        let within = match (relation, constant_first) {
            (Relation::Equal, _) => return Some(self.compare(Relation::Equal, inner, constant)),
            (Relation::Less, false) | (Relation::LessEqual, true) => Relation::Less,
            (Relation::LessEqual, false) | (Relation::Less, true) => Relation::LessEqual,
        };
        let from = self.compare(Relation::LessEqual, Term::ZERO, inner);
        let to = self.compare(within, inner, constant);
        let inside = self.and(from, to);
        Some(if constant_first { self.not(inside) } else { inside })
    }

    /// Both hold.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        if a == b || b == Term::TRUE || a == Term::FALSE {
            return a;
        }
        if a == Term::TRUE || b == Term::FALSE {
            return b;
        }
        self.push(Op::And, 0, a.0.min(b.0), a.0.max(b.0), 0)
    }

    /// At least one holds.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        if a == b || b == Term::FALSE || a == Term::TRUE {
            return a;
        }
        if a == Term::FALSE || b == Term::TRUE {
            return b;
        }
        self.push(Op::Or, 0, a.0.min(b.0), a.0.max(b.0), 0)
    }

    /// Does not hold.
    pub fn not(&mut self, a: Term) -> Term {
        if a == Term::TRUE {
            return Term::FALSE;
        }
        if a == Term::FALSE {
            return Term::TRUE;
        }
        if let Node::Not(inner) = self.node(a) {
            return inner;
        }
        self.push(Op::Not, 0, a.0, 0, 0)
    }

    // ---- bit patterns ----------------------------------------------------------------------

    /// The bits that hold a number in a format. Of an integer they are its remainder modulo 2ⁿ,
    /// whatever its size.
    pub fn bits_of(&mut self, format: Format, a: Term) -> Term {
        if let Node::FromBits(from, bits) = self.node(a) {
            let integers = !from.is_float() && !format.is_float();
            if from == format || integers && from.bits() == format.bits() {
                return bits;
            }
            // The integer in a word of another width: its low bits, or it with its sign or zeros above.
            let width = format.bits() as u8;
            if integers && from.bits() > format.bits() {
                let from = self.bit_constant(0);
                return self.bits(BitOp::Slice, width, bits, from, Term::ZERO);
            }
            if integers {
                let signed = from.class() == FormatClass::Signed;
                let op = if signed { BitOp::ExtendSigned } else { BitOp::Extend };
                let narrow = self.bit_constant(from.bits().into());
                return self.bits(op, width, bits, narrow, Term::ZERO);
            }
        }
        self.push(Op::BitsOf, format as u32, a.0, 0, 0)
    }

    /// The integer of that format whose bits are those of an integer of any size: itself where it is
    /// seen to have a place there, otherwise what is left of it modulo 2ⁿ.
    #[inline]
    pub fn wrapped(&mut self, format: Format, a: Term) -> Term {
        if super::range::lies_in(self, format, a) {
            super::range::remember(self, a);
            return a;
        }
        let bits = self.bits_of(format, a);
        self.from_bits(format, bits)
    }

    /// A constant bit pattern.
    pub fn bit_constant(&mut self, bits: u64) -> Term {
        self.push(Op::BitConstant, 0, bits as u32, (bits >> 32) as u32, 0)
    }

    /// An operation on bit patterns of `width` bits; unused operands are [`Term::ZERO`].
    pub fn bits(&mut self, op: BitOp, width: u8, a: Term, b: Term, c: Term) -> Term {
        self.push(Op::Bits, op as u32 | u32::from(width) << 8, a.0, b.0, c.0)
    }

    /// The number that a bit pattern holds in a format.
    pub fn from_bits(&mut self, format: Format, bits: Term) -> Term {
        match self.node(bits) {
            Node::BitsOf(from, inner) if from == format && from.is_float() => inner,
            // An integer may be larger than its format.
            Node::BitsOf(from, inner)
                if !from.is_float()
                    && !format.is_float()
                    && super::range::lies_in(self, format, inner)
                    && from.bits() == format.bits() =>
            {
                inner
            }
            Node::BitConstant(value) => self.number(format, value),
            Node::Bits(BitOp::Or, width, a, b, _) if format == Format::F32 => {
                let joined = self.without_idle_question(a, b).map(|a| (a, b));
                let joined = joined.or_else(|| self.without_idle_question(b, a).map(|b| (a, b)));
                let bits =
                    joined.map_or(bits, |(a, b)| self.bits(BitOp::Or, width, a.min(b), a.max(b), Term::ZERO));
                self.push(Op::FromBits, format as u32, bits.0, 0, 0)
            }
            // A choice between words, as branches leave it, is one between numbers.
            Node::BitsOf(from, inner)
                if format.is_float() && !from.is_float() && from.bits() == format.bits() =>
            {
                match self.choice_of_numbers(format, inner) {
                    Some(choice) => choice,
                    None => self.push(Op::FromBits, format as u32, bits.0, 0, 0),
                }
            }
            _ => self.push(Op::FromBits, format as u32, bits.0, 0, 0),
        }
    }

    /// What a node may be beside a finite number; nothing for an element.
    #[inline]
    pub(super) fn beyond_of_node(&self, term: Term) -> Beyond {
        match term.as_node().filter(|_| self.extended) {
            Some(id) => Beyond(self.nodes.get(id).map_or(0, |node| (node.head >> 5 & 7) as u8)),
            None => Beyond::NEVER,
        }
    }
}

/// What bits hold in a format; whole numbers of few digits count as exact.
fn read(format: Format, bits: u64) -> Constant {
    let number = super::constant::decode(format, bits);
    let whole =
        matches!(&number, Number::Rational(value) if value.is_integer() && value.numer().bits() <= 11);
    let rounded = (format.is_float() && matches!(number, Number::Rational(_)) && !whole).then_some(format);
    Constant::new(number, rounded)
}
