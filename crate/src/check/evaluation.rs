//! The second opinion on *equal*: both sides around a real input, in prime fields.
//!
//! `decide/evaluation` makes free variables of maxima and conditions and so proves all inputs at once.
//! This asks the same question the other way round: at an input drawn at random, every maximum and
//! every condition comes out one way, and around that input the term *is* the branch taken: a function
//! of sums, products, quotients and exponentials, whose values in a prime field are equal if and (but for a
//! chance of degree / 2^61) only if the functions are. Which branch is told by enclosures of reals.
//! Nothing is shared with `decide` but terms and what constants mean: other primes, other arithmetic
//! ([`field`]), other points, other code.
//!
//! What is none of these operations gets a residue hashed from its arguments' residues. That is a
//! function of them like any other, so equal values are evidence of equality; but laws of that
//! function do not hold, so unequal values are none against it: such a value is *loose*. Two unequal
//! values that are not loose, or enclosures that lie apart, refute.
//!
//! Guarantees: linear in the steps. A refutation is a mistake of `decide` (or of this).
//! Misses: an input on a border (a condition that holds at one point only) is met by chance only:
//! [`points`](super::points) tries those. No value where a branch hangs on bits, roundings or ties.

use super::field::{LEVELS, Residue, prime};
use crate::base::{Budget, Exhausted, FormatClass};
use crate::decide::{Factor, Meaning, Reading};
use crate::term::eval::{Cone, Slots, operands};
use crate::term::{Elements, Interval, Node, Relation, Term, Unary};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use std::cell::Cell;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// What is wanted of a step: levels as bits, and its real value.
type Wants = u8;
const LEVEL: Wants = (1 << LEVELS) - 1;
const REAL: Wants = 1 << LEVELS;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Number,
    Infinity,
    MinusInfinity,
    Holds(bool),
    /// No value, or none that is known.
    Nothing,
}

/// The value of a term at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    kind: Kind,
    /// Unequal residues say nothing.
    loose: bool,
    at: [Residue; LEVELS],
    real: Interval,
}

/// How two values compare.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Meeting {
    Same,
    Apart(String),
    /// This says nothing.
    Open,
}

impl Value {
    const NOTHING: Value =
        Value { kind: Kind::Nothing, loose: false, at: [Residue::ZERO; LEVELS], real: Interval::WHOLE };

    fn number(at: [Residue; LEVELS], real: Interval, loose: bool) -> Value {
        Value { kind: Kind::Number, loose, at, real }
    }

    fn of(kind: Kind) -> Value {
        Value { kind, ..Value::NOTHING }
    }

    fn integer(value: i64, wants: Wants) -> Value {
        let at = each(wants, |level| signed(level, value));
        Value::number(at, Interval::point(value as f64), false)
    }

    fn is_number(&self) -> bool {
        self.kind == Kind::Number
    }

    /// The sign, where it is certain.
    fn sign(&self) -> Option<Ordering> {
        match self.kind {
            Kind::Infinity => Some(Ordering::Greater),
            Kind::MinusInfinity => Some(Ordering::Less),
            Kind::Number if self.real.low() > 0.0 => Some(Ordering::Greater),
            Kind::Number if self.real.high() < 0.0 => Some(Ordering::Less),
            _ => None,
        }
    }

    /// Both sides' values of one output.
    pub(super) fn meet(&self, other: &Value) -> Meeting {
        match (self.kind, other.kind) {
            (Kind::Number, Kind::Number) if self.real.is_apart(other.real) => Meeting::Apart(format!(
                "at a point the two sides are in [{:e}, {:e}] and [{:e}, {:e}]",
                self.real.low(),
                self.real.high(),
                other.real.low(),
                other.real.high()
            )),
            (Kind::Number, Kind::Number) if self.at[0] == other.at[0] => Meeting::Same,
            (Kind::Number, Kind::Number) if !self.loose && !other.loose => {
                Meeting::Apart("the two sides have different values in a prime field".to_owned())
            }
            (Kind::Number, Kind::Number) | (Kind::Nothing, _) | (_, Kind::Nothing) => Meeting::Open,
            (a, b) if a == b => Meeting::Same,
            (Kind::Holds(_), Kind::Holds(_)) => {
                Meeting::Apart("a condition comes out differently on the two sides".to_owned())
            }
            _ => Meeting::Open,
        }
    }
}

fn each(wants: Wants, residue: impl Fn(usize) -> Residue) -> [Residue; LEVELS] {
    let mut at = [Residue::ZERO; LEVELS];
    for (level, at) in at.iter_mut().enumerate() {
        if wants >> level & 1 == 1 {
            *at = residue(level);
        }
    }
    at
}

fn signed(level: usize, value: i64) -> Residue {
    let size = Residue::of(level, value.unsigned_abs());
    if value < 0 { Residue::ZERO.minus(level, size) } else { size }
}

/// A random word of two others: multiplication folded, twice.
fn mixed(seed: u64, word: u64) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let once = fold(seed ^ 0xa076_1d64_78bd_642f, word ^ 0xe703_7ed1_a0b4_28db);
    fold(once ^ 0x8ebc_6af0_9c88_c6e3, seed.rotate_left(32) ^ 0x5899_65cc_7537_4cc3)
}

/// Names of random values that are no elements.
const LAMBDA: u64 = 1 << 40;
const ROOT_OF_PI: u64 = 2 << 40;
const LN_10: u64 = 3 << 40;
const E: u64 = 4 << 40;
const ROOT: u64 = 5 << 40;

/// A hash of both cones: points belong to the question, so that nobody can write a kernel for them.
pub(super) fn seed_of(cones: &[Cone; 2], point: u64) -> u64 {
    cones.iter().fold(mixed(0x7365_636f_6e64, point), |seed, cone| {
        let mut hasher = rustc_hash::FxHasher::default();
        cone.steps().hash(&mut hasher);
        cone.elements().hash(&mut hasher);
        for root in cone.roots() {
            root.raw().hash(&mut hasher);
        }
        mixed(seed, hasher.finish())
    })
}

/// What is wanted of each step.
fn wanted(cone: &Cone, of_roots: Wants) -> Vec<Wants> {
    let mut wants = vec![0; cone.steps().len()];
    let want = |wants: &mut [Wants], term: Term, more: Wants| {
        if let Some(step) = term.as_node() {
            wants[step] |= more;
        }
    };
    cone.roots().iter().for_each(|root| want(&mut wants, *root, of_roots));
    for (at, node) in cone.steps().iter().enumerate().rev() {
        let own: Wants = wants[at];
        let (levels, real) = (own & LEVEL, own & REAL);
        let inner = match node {
            Node::Add(..)
            | Node::Sub(..)
            | Node::Mul(..)
            | Node::Fma(..)
            | Node::Div(..)
            | Node::Unary(Unary::Neg | Unary::Recip, _) => own,
            Node::Unary(Unary::Exp | Unary::Exp2 | Unary::Tanh, _) => {
                levels << 1 & LEVEL | levels >> (LEVELS - 1) | real
            }
            Node::Max(..) | Node::Min(..) | Node::Unary(Unary::Abs, _) => own | 1 | REAL,
            Node::Compare(..)
            | Node::Unary(Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven, _) => 1 | REAL,
            Node::Select(..) => own,
            Node::And(..) | Node::Or(..) | Node::Not(_) => REAL,
            _ => 1 | real,
        };
        for (place, operand) in operands(node).into_iter().flatten().enumerate() {
            let condition = matches!(node, Node::Select(..)) && place == 0;
            want(&mut wants, operand, if condition { REAL } else { inner });
        }
    }
    wants
}

struct Walk<'a> {
    reading: &'a Reading<'a>,
    side: usize,
    elements: &'a Elements,
    seed: u64,
    constants: Vec<Value>,
    lambda: [Residue; LEVELS],
    slots: &'a Slots,
    values: Vec<Value>,
    /// Elements that were read lately, by a hash of their numbers.
    leaves: Vec<Cell<Leaf>>,
}

/// What an element is worth, as far as that was wanted.
#[derive(Clone, Copy)]
struct Leaf {
    element: u32,
    wants: Wants,
    value: Value,
}

/// log₂ of the elements that are remembered.
const LEAVES: u32 = 10;
/// Steps that a node counts for.
const EFFORT: u64 = 16;

/// The values of a cone's roots at the point that belongs to a seed; with enclosures of all, or only
/// where a branch hangs on one.
pub(super) fn values(
    reading: &Reading<'_>,
    side: usize,
    (cone, slots): (&Cone, &Slots),
    elements: &Elements,
    (seed, enclosed): (u64, bool),
    budget: &Budget,
) -> Result<Vec<Value>, Exhausted> {
    let lambda = std::array::from_fn(|level| random(seed, level, LAMBDA));
    let mut constants = vec![Value::NOTHING; reading.meanings.side(side).len()];
    let enclosures = reading.meanings.quantities(side);
    for constant in cone.constants().iter().map(|constant| *constant as usize) {
        let real = enclosures[constant].interval().unwrap_or(Interval::WHOLE);
        constants[constant] = constant_value(seed, &lambda, &reading.meanings.side(side)[constant], real);
    }
    let wants = wanted(cone, if enclosed { 1 | REAL } else { 1 });
    budget.poll()?;
    let values = vec![Value::NOTHING; slots.count()];
    let leaves = vec![Cell::new(Leaf { element: 0, wants: 0, value: Value::NOTHING }); 1 << LEAVES];
    let mut walk = Walk { reading, side, elements, seed, constants, lambda, slots, values, leaves };
    for (at, node) in cone.steps().iter().enumerate() {
        if at.is_multiple_of(4096) {
            budget.spend_block(at, cone.steps().len(), 4096, EFFORT)?;
        }
        let value = walk.node(node, wants[at]);
        let slot = walk.slots.at(at);
        walk.values[slot] = value;
    }
    Ok(cone.roots().iter().map(|root| walk.get(*root, 1 | REAL)).collect())
}

pub(super) fn random(seed: u64, level: usize, name: u64) -> Residue {
    Residue::random(level, mixed(seed, name << 4 | level as u64))
}

impl Walk<'_> {
    fn get(&self, term: Term, wants: Wants) -> Value {
        if let Some(step) = term.as_node() {
            return self.values[self.slots.at(step)];
        }
        match (term.as_element(), term.as_constant()) {
            (Some(element), _) => self.leaf(element, wants),
            (_, Some(constant)) => self.constants[constant],
            _ => Value::NOTHING,
        }
    }

    /// [`Walk::element`], remembered: the next lane or row reads it again.
    fn leaf(&self, element: u32, wants: Wants) -> Value {
        let place = &self.leaves[(element.wrapping_mul(0x9e37_79b1) >> (32 - LEAVES)) as usize];
        let known = place.get();
        // What is remembered is just what is wanted: no value depends on who asked before.
        if known.element == element && known.wants == wants && wants != 0 {
            return known.value;
        }
        let value = self.element(element, wants);
        place.set(Leaf { element, wants, value });
        value
    }

    fn element(&self, element: u32, wants: Wants) -> Value {
        let name = u64::from(element);
        let real = match wants & REAL {
            0 => Interval::WHOLE,
            _ => {
                let word = mixed(self.seed, !name);
                let block = self.elements.block_of(element).filter(|block| !block.format.is_float());
                Interval::point(match block {
                    // Integers are integers, within their format.
                    Some(block) if block.format.class() == FormatClass::Signed => (word % 120) as f64 - 60.0,
                    Some(_) => (word % 120) as f64,
                    // Odd, over 2^18: between -4 and 4.
                    None => ((word >> 43 | 1) as f64 - 1_048_576.0) / 262_144.0,
                })
            }
        };
        Value::number(each(wants, |level| random(self.seed, level, name)), real, false)
    }

    fn node(&self, node: &Node, wants: Wants) -> Value {
        let get = |term: Term| self.get(term, wants);
        match *node {
            Node::Element(_) | Node::Constant(_) => Value::NOTHING,
            Node::Add(a, b) => plus(get(a), get(b), wants),
            Node::Sub(a, b) => plus(get(a), negated(get(b), wants), wants),
            Node::Mul(a, b) => times(get(a), get(b), wants),
            Node::Fma(a, b, c) => plus(times(get(a), get(b), wants), get(c), wants),
            Node::Div(a, b) => times(get(a), inverse(get(b), wants), wants),
            Node::Max(a, b) | Node::Min(a, b) => {
                let [a, b] = [a, b].map(|operand| self.get(operand, wants | 1 | REAL));
                match (order(&a, &b), matches!(node, Node::Max(..))) {
                    (None, _) => Value::NOTHING,
                    (Some(Ordering::Less), true) | (Some(Ordering::Greater), false) => b,
                    _ => a,
                }
            }
            Node::Compare(relation, a, b) => {
                let [a, b] = [a, b].map(|operand| self.get(operand, 1 | REAL));
                order(&a, &b).map_or(Value::NOTHING, |order| {
                    Value::of(Kind::Holds(match relation {
                        Relation::Less => order.is_lt(),
                        Relation::LessEqual => order.is_le(),
                        Relation::Equal => order.is_eq(),
                    }))
                })
            }
            Node::Select(condition, a, b) => match self.get(condition, REAL).kind {
                Kind::Holds(true) => get(a),
                Kind::Holds(false) => get(b),
                _ => Value::NOTHING,
            },
            Node::And(a, b) => match (get(a).kind, get(b).kind) {
                (Kind::Holds(false), _) | (_, Kind::Holds(false)) => Value::of(Kind::Holds(false)),
                (Kind::Holds(true), Kind::Holds(true)) => Value::of(Kind::Holds(true)),
                _ => Value::NOTHING,
            },
            Node::Or(a, b) => match (get(a).kind, get(b).kind) {
                (Kind::Holds(true), _) | (_, Kind::Holds(true)) => Value::of(Kind::Holds(true)),
                (Kind::Holds(false), Kind::Holds(false)) => Value::of(Kind::Holds(false)),
                _ => Value::NOTHING,
            },
            Node::Not(a) => match get(a).kind {
                Kind::Holds(holds) => Value::of(Kind::Holds(!holds)),
                _ => Value::NOTHING,
            },
            Node::Unary(function, a) => self.unary(function, a, wants),
            Node::Round(mode, format, a) => self.hashed([40, mode as u64, format as u64], &[a], wants),
            Node::BitsOf(format, a) => self.hashed([41, format as u64, 0], &[a], wants),
            Node::BitConstant(bits) => self.hashed([42, bits, 0], &[], wants),
            Node::FromBits(format, a) => self.hashed([44, format as u64, 0], &[a], wants),
            Node::Bits(op, width, a, b, c) => {
                let mut parts = [a, b, c];
                if op.commutes() {
                    parts[..2].sort_by_key(|part| self.get(*part, 1).at[0]);
                }
                let hashed = self.hashed([43, op as u64, width.into()], &parts, wants);
                if op.is_condition() { Value::NOTHING } else { hashed }
            }
            Node::Apply(function, a, b) => {
                let mut hasher = rustc_hash::FxHasher::default();
                self.reading.terms(self.side).function_name(function).hash(&mut hasher);
                self.hashed([45, hasher.finish(), 0], &[a, b], wants)
            }
        }
    }

    /// A function of its arguments of which nothing else is known.
    fn hashed(&self, name: [u64; 3], arguments: &[Term], wants: Wants) -> Value {
        let mut key = name.into_iter().fold(self.seed, mixed);
        for argument in arguments {
            let value = self.get(*argument, 1);
            if !value.is_number() {
                return Value::NOTHING;
            }
            key = mixed(key, value.at[0].word());
        }
        Value::number(each(wants, |level| random(key, level, 0)), Interval::WHOLE, true)
    }

    fn unary(&self, function: Unary, a: Term, wants: Wants) -> Value {
        let x = self.get(a, LEVEL | REAL);
        match function {
            Unary::Neg => return negated(x, wants),
            Unary::Recip => return inverse(x, wants),
            Unary::Exp => return self.exponential(a, x, (1, true), wants),
            Unary::Exp2 => return self.exponential(a, x, (1, false), wants),
            Unary::Tanh => {
                // 1 - 2/(1 + e^(2a))
                let one = Value::integer(1, wants);
                let below = inverse(plus(one, self.exponential(a, x, (2, true), wants), wants), wants);
                let value = plus(one, negated(plus(below, below, wants), wants), wants);
                return Value { real: x.real.tanh(), ..value };
            }
            Unary::Abs => {
                return match x.sign() {
                    Some(Ordering::Less) => negated(x, wants),
                    Some(_) => x,
                    None => Value::NOTHING,
                };
            }
            _ => {}
        }
        match (function, x.kind) {
            (_, Kind::Number) => {}
            (Unary::Rsqrt, Kind::Infinity) => return Value::integer(0, wants),
            (Unary::Sqrt | Unary::Cbrt | Unary::Log | Unary::Log2, Kind::Infinity) => return x,
            _ => return Value::NOTHING,
        }
        let enclosure = |interval: Option<Interval>| interval.unwrap_or(Interval::WHOLE);
        // Outside of its domain it has no value, and an enclosure would say that it has.
        let outside = match function {
            Unary::Sqrt => x.real.low() < 0.0 && x.at[0] != Residue::ZERO,
            Unary::Rsqrt | Unary::Log | Unary::Log2 => x.real.low() <= 0.0,
            _ => false,
        };
        if wants & REAL != 0 && outside {
            return Value::NOTHING;
        }
        let (real, name) = match function {
            Unary::Sqrt if x.at[0] == Residue::ZERO => return Value::integer(0, wants),
            Unary::Sqrt => (enclosure(x.real.sqrt()), Unary::Sqrt),
            Unary::Rsqrt => {
                let root = self.hashed([46, Unary::Sqrt as u64, 0], &[a], wants);
                return inverse(Value { real: enclosure(x.real.sqrt()), ..root }, wants);
            }
            Unary::Log => (enclosure(x.real.ln()), Unary::Log),
            Unary::Log2 => {
                let log = self.hashed([46, Unary::Log as u64, 0], &[a], wants);
                let at = each(wants, |level| log.at[level].times(level, self.lambda[level]));
                let real = enclosure(x.real.ln()).times(Interval::LOG2_E);
                return Value { at, real, ..log };
            }
            Unary::Sin => (x.real.sin(), function),
            Unary::Cos => (x.real.cos(), function),
            Unary::Erf => (x.real.erf(), function),
            Unary::Atan => (x.real.atan(), function),
            Unary::Cbrt => (x.real.cbrt(), function),
            _ => {
                // Around a point where it is no jump, a step function is a constant.
                let (halves, low) = (x.real.monotone(|x| (2.0 * x).floor()), 2.0 * x.real.low());
                let whole = x.real.monotone(match function {
                    Unary::Floor => f64::floor,
                    Unary::Ceil => f64::ceil,
                    Unary::Trunc => f64::trunc,
                    _ => f64::round_ties_even,
                });
                if halves.as_point().is_some() && low.floor() != low && low.abs() < 1e15 {
                    return Value::integer(whole.low() as i64, wants);
                }
                (whole, function)
            }
        };
        Value { real, ..self.hashed([46, name as u64, 0], &[a], wants) }
    }

    /// `b^(factor · x)` for b = e or 2.
    fn exponential(&self, a: Term, x: Value, (factor, natural): (u64, bool), wants: Wants) -> Value {
        match x.kind {
            Kind::Number => {}
            Kind::MinusInfinity => return Value::integer(0, wants),
            Kind::Infinity => return x,
            _ => return Value::NOTHING,
        }
        let deepest = LEVELS - 1;
        let mut at = each(wants & !(1 << deepest), |level| {
            let mut exponent = x.at[level + 1].times(level + 1, Residue::of(level + 1, factor));
            if natural {
                exponent = exponent.times(level + 1, self.lambda[level + 1]);
            }
            exponent.power_of_two(level)
        });
        let mut loose = x.loose;
        if wants >> deepest & 1 == 1 {
            at[deepest] = self.hashed([47, factor, u64::from(natural)], &[a], LEVEL).at[deepest];
            loose = true;
        }
        let real = match (wants & REAL, natural) {
            (0, _) => Interval::WHOLE,
            (_, false) => x.real.exp2(),
            (_, true) => x.real.times(Interval::point(factor as f64)).exp(),
        };
        Value::number(at, real, loose)
    }
}

fn negated(a: Value, wants: Wants) -> Value {
    match a.kind {
        Kind::Number => Value {
            at: each(wants, |level| Residue::ZERO.minus(level, a.at[level])),
            real: a.real.negated(),
            ..a
        },
        Kind::Infinity => Value::of(Kind::MinusInfinity),
        Kind::MinusInfinity => Value::of(Kind::Infinity),
        _ => Value::NOTHING,
    }
}

fn plus(a: Value, b: Value, wants: Wants) -> Value {
    match (a.kind, b.kind) {
        (Kind::Number, Kind::Number) => Value {
            kind: Kind::Number,
            loose: a.loose || b.loose,
            at: each(wants, |level| a.at[level].plus(level, b.at[level])),
            real: if wants & REAL == 0 { Interval::WHOLE } else { a.real.plus(b.real) },
        },
        (Kind::Infinity | Kind::MinusInfinity, Kind::Number) => a,
        (Kind::Number, Kind::Infinity | Kind::MinusInfinity) => b,
        (Kind::Infinity | Kind::MinusInfinity, kind) if kind == a.kind => a,
        _ => Value::NOTHING,
    }
}

fn times(a: Value, b: Value, wants: Wants) -> Value {
    match (a.kind, b.kind) {
        (Kind::Number, Kind::Number) => Value {
            kind: Kind::Number,
            loose: a.loose || b.loose,
            at: each(wants, |level| a.at[level].times(level, b.at[level])),
            real: if wants & REAL == 0 { Interval::WHOLE } else { a.real.times(b.real) },
        },
        (
            Kind::Number | Kind::Infinity | Kind::MinusInfinity,
            Kind::Number | Kind::Infinity | Kind::MinusInfinity,
        ) => match (a.sign(), b.sign()) {
            (Some(a), Some(b)) if a == b => Value::of(Kind::Infinity),
            (Some(_), Some(_)) => Value::of(Kind::MinusInfinity),
            _ => Value::NOTHING,
        },
        _ => Value::NOTHING,
    }
}

fn inverse(a: Value, wants: Wants) -> Value {
    match a.kind {
        Kind::Number => {}
        Kind::Infinity | Kind::MinusInfinity => return Value::integer(0, wants),
        _ => return Value::NOTHING,
    }
    let mut at = [Residue::ZERO; LEVELS];
    for (level, at) in at.iter_mut().enumerate().filter(|(level, _)| wants >> level & 1 == 1) {
        match a.at[level].inverse(level) {
            Some(inverse) => *at = inverse,
            None => return Value::NOTHING,
        }
    }
    Value { at, real: a.real.reciprocal().unwrap_or(Interval::WHOLE), ..a }
}

/// How two values are ordered around this point: by enclosures, or because they are one function.
fn order(a: &Value, b: &Value) -> Option<Ordering> {
    let rank = |value: &Value| match value.kind {
        Kind::MinusInfinity => Some(-1),
        Kind::Number => Some(0),
        Kind::Infinity => Some(1),
        _ => None,
    };
    match (rank(a)?, rank(b)?) {
        (0, 0) if a.real.is_apart(b.real) => a.real.low().partial_cmp(&b.real.low()),
        (0, 0) => (a.at[0] == b.at[0]).then_some(Ordering::Equal),
        (a, b) => Some(a.cmp(&b)),
    }
}

fn constant_value(seed: u64, lambda: &[Residue; LEVELS], meaning: &Meaning, real: Interval) -> Value {
    let exact = match meaning {
        Meaning::Number(exact) => exact,
        Meaning::True | Meaning::False => return Value::of(Kind::Holds(*meaning == Meaning::True)),
        Meaning::Infinity => return Value::of(Kind::Infinity),
        Meaning::MinusInfinity => return Value::of(Kind::MinusInfinity),
        Meaning::NotANumber | Meaning::Unwritten => return Value::NOTHING,
    };
    let (mut at, mut loose) = ([Residue::ZERO; LEVELS], false);
    for (level, at) in at.iter_mut().enumerate() {
        let Some(mut value) = fraction(level, exact.coefficient()) else { return Value::NOTHING };
        for (factor, power) in exact.factors() {
            // Of primes and π, half powers are whole powers of their root.
            let is_root = matches!(factor, Factor::Prime(_) | Factor::Pi);
            let steps = if is_root { power * 2 } else { *power };
            let base = match factor {
                Factor::Prime(number) => Residue::of(level, *number).root(level),
                Factor::E if level + 1 < LEVELS => {
                    let power = BigRational::new((*power.numer()).into(), (*power.denom()).into());
                    let Some(exponent) = fraction(level + 1, &power) else { return Value::NOTHING };
                    let power = exponent.times(level + 1, lambda[level + 1]).power_of_two(level);
                    value = value.times(level, power);
                    continue;
                }
                Factor::E => Some(random(seed, level, E)),
                Factor::Pi => Some(random(seed, level, ROOT_OF_PI)),
                Factor::Ln10 => Some(random(seed, level, LN_10)),
                Factor::Ln2 => lambda[level].inverse(level),
            };
            let factor = match base.filter(|_| steps.is_integer()) {
                Some(base) => whole_power(level, base, steps.to_integer()),
                // No such root here: known by its name alone.
                None => {
                    loose = true;
                    let word = *power.numer() as u64 ^ (*power.denom() as u64).rotate_left(20);
                    let number = if let Factor::Prime(number) = factor { *number } else { 0 };
                    Some(random(mixed(mixed(seed, word), number), level, ROOT))
                }
            };
            let Some(factor) = factor else { return Value::NOTHING };
            value = value.times(level, factor);
        }
        *at = value;
    }
    Value::number(at, real, loose)
}

fn whole_power(level: usize, base: Residue, power: i64) -> Option<Residue> {
    let base = if power < 0 { base.inverse(level)? } else { base };
    Some(base.to_the(level, power.unsigned_abs()))
}

fn fraction(level: usize, value: &BigRational) -> Option<Residue> {
    let residue = |number: &BigInt| {
        let number = number.mod_floor(&BigInt::from(prime(level))).to_u64();
        number.map(|number| Residue::of(level, number))
    };
    Some(residue(value.numer())?.times(level, residue(value.denom())?.inverse(level)?))
}
