//! Both sides at every value of the integers that they depend on, exactly: for claims that say so.
//!
//! Another evaluator than `term/eval`: numbers are integers of 128 bits or rationals of any size, words are
//! unsigned integers together with nothing else, floats are rounded and taken apart by arithmetic with powers
//! of two. It has no intervals; what is not exact has no value here.
//!
//! Guarantees: a claim is confirmed only if both sides have the same exact value at every value that the elements'
//! formats and bounds allow.
//! Misses: functions that are irrational nearly everywhere have no value, nor have operations without a meaning.

use crate::base::{Budget, Exhausted, Format};
use crate::decide::{Meaning, Reading};
use crate::term::eval::{Cone, Quantity, number_of, with_operands};
use crate::term::{BitOp, Elements, Node, Relation, Rounding, Term, Unary};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// Values of all elements together that are looked at.
const MOST: i128 = 1 << 16;
/// Steps that a node counts for.
const EFFORT: u64 = 4;

/// What a node is at a point.
#[derive(Clone, PartialEq, Debug)]
enum Exact {
    Whole(i128),
    /// A fraction, or an integer that has no place above.
    Number(Box<BigRational>),
    Word(u64),
    Holds(bool),
    /// No value, or none that is followed.
    Nothing,
}

use Exact::{Holds, Nothing, Number, Whole, Word};

impl Exact {
    fn of(value: BigRational) -> Exact {
        match value.is_integer().then(|| value.numer().to_i128()).flatten() {
            Some(whole) => Whole(whole),
            None => Number(Box::new(value)),
        }
    }

    /// As a number of any size.
    fn big(&self) -> Option<BigRational> {
        match self {
            Whole(whole) => Some(BigRational::from_integer((*whole).into())),
            Number(value) => Some((**value).clone()),
            Word(_) | Holds(_) | Nothing => None,
        }
    }

    fn word(&self) -> Option<u64> {
        if let Word(word) = self { Some(*word) } else { None }
    }

    fn holds(&self) -> Option<bool> {
        if let Holds(holds) = self { Some(*holds) } else { None }
    }
}

fn plus(a: &Exact, b: &Exact) -> Option<Exact> {
    if let (Whole(a), Whole(b)) = (a, b)
        && let Some(sum) = a.checked_add(*b)
    {
        return Some(Whole(sum));
    }
    Some(Exact::of(a.big()? + b.big()?))
}

fn minus(a: &Exact, b: &Exact) -> Option<Exact> {
    if let (Whole(a), Whole(b)) = (a, b)
        && let Some(difference) = a.checked_sub(*b)
    {
        return Some(Whole(difference));
    }
    Some(Exact::of(a.big()? - b.big()?))
}

fn times(a: &Exact, b: &Exact) -> Option<Exact> {
    if let (Whole(a), Whole(b)) = (a, b)
        && let Some(product) = a.checked_mul(*b)
    {
        return Some(Whole(product));
    }
    Some(Exact::of(a.big()? * b.big()?))
}

fn quotient(a: &Exact, b: &Exact) -> Option<Exact> {
    let below = b.big()?;
    if below.is_zero() {
        return None;
    }
    if let (Whole(a), Whole(b)) = (a, b)
        && a.checked_rem(*b) == Some(0)
    {
        return a.checked_div(*b).map(Whole);
    }
    Some(Exact::of(a.big()? / below))
}

fn compared(a: &Exact, b: &Exact) -> Option<Ordering> {
    match (a, b) {
        (Whole(a), Whole(b)) => Some(a.cmp(b)),
        _ => Some(a.big()?.cmp(&b.big()?)),
    }
}

fn function(function: Unary, a: &Exact) -> Option<Exact> {
    let whole = matches!(a, Whole(_));
    let rounded = |round: fn(BigRational) -> BigRational| Some(Exact::of(round(a.big()?)));
    match function {
        Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven if whole => Some(a.clone()),
        Unary::Floor => rounded(|a| a.floor()),
        Unary::Ceil => rounded(|a| a.ceil()),
        Unary::Trunc => rounded(|a| a.trunc()),
        Unary::RoundEven => rounded(to_even),
        Unary::Neg => minus(&Whole(0), a),
        Unary::Abs if compared(a, &Whole(0))? == Ordering::Less => minus(&Whole(0), a),
        Unary::Abs => Some(a.clone()),
        Unary::Recip => quotient(&Whole(1), a),
        _ => None,
    }
}

/// The nearest integer; of two, the even one.
fn to_even(a: BigRational) -> BigRational {
    let half = BigRational::new(1.into(), 2.into());
    let up = (&a + &half).floor();
    let is_tie = (&a + &half).is_integer();
    if is_tie && up.numer().is_odd() { up - BigRational::one() } else { up }
}

/// Digits of the exponent and of the fraction.
fn digits(format: Format) -> Option<(i64, i64)> {
    Some(match format {
        Format::F64 => (11, 52),
        Format::F32 => (8, 23),
        Format::F16 => (5, 10),
        Format::Bf16 => (8, 7),
        Format::E5m2 => (5, 2),
        Format::E4m3 => (4, 3),
        Format::E2m3 => (2, 3),
        Format::E3m2 => (3, 2),
        Format::E2m1 => (2, 1),
        _ => return None,
    })
}

fn power(exponent: i64) -> BigRational {
    let size = BigRational::from_integer(BigInt::one() << exponent.unsigned_abs());
    if exponent < 0 { size.recip() } else { size }
}

/// The exponent of a number's first digit: 2 to it is at most its size, and twice that is more.
fn first_digit(size: &BigRational) -> i64 {
    let mut exponent = size.numer().bits() as i64 - size.denom().bits() as i64;
    while power(exponent) > *size {
        exponent -= 1;
    }
    while power(exponent + 1) <= *size {
        exponent += 1;
    }
    exponent
}

/// The distance of a format's numbers around one of that size.
fn spacing((exponent, fraction): (i64, i64), size: &BigRational) -> (BigRational, i64) {
    let least = 2 - (1 << (exponent - 1));
    let first = first_digit(size).max(least);
    (power(first - fraction), first - least + 1)
}

/// A number rounded to a float format that has a place for it.
fn round(mode: Rounding, format: Format, a: &Exact) -> Option<Exact> {
    let value = a.big()?;
    if value.is_zero() {
        return Some(Whole(0));
    }
    let digits = digits(format)?;
    let (step, _) = spacing(digits, &value.abs());
    let steps = &value / &step;
    let rounded = match mode {
        Rounding::NearestEven => to_even(steps),
        Rounding::Zero => steps.trunc(),
        Rounding::Down => steps.floor(),
        Rounding::Up => steps.ceil(),
    };
    let rounded = rounded * step;
    let largest = power((1 << (digits.0 - 1)) - 1);
    (rounded.abs() < largest * BigRational::from_integer(2.into())).then(|| Exact::of(rounded))
}

fn low_bits(word: u64, bits: u32) -> u64 {
    match bits {
        0 => 0,
        64.. => word,
        _ => word % (1 << bits),
    }
}

/// The integer of a word's low bits with their sign.
fn signed(word: u64, bits: u32) -> i128 {
    let word = i128::from(low_bits(word, bits));
    if bits > 0 && word >> (bits - 1).min(63) & 1 == 1 { word - (1i128 << bits.min(64)) } else { word }
}

/// The bits that hold a number in a format.
fn bits_of(format: Format, a: &Exact) -> Option<Exact> {
    if !format.is_float() {
        let low = match a {
            Whole(whole) => *whole as u64,
            _ => {
                let value = a.big().filter(BigRational::is_integer)?;
                value.numer().mod_floor(&(BigInt::one() << 64)).to_u64()?
            }
        };
        return Some(Word(low_bits(low, format.bits())));
    }
    let value = a.big()?;
    if value.is_zero() {
        return Some(Word(0));
    }
    let (exponent, fraction) = digits(format)?;
    let (step, field) = spacing((exponent, fraction), &value.abs());
    let steps = value.abs() / step;
    let steps = steps.is_integer().then(|| steps.numer().to_i64()).flatten()?;
    // Numbers below the least normal one have the field 0, and no first digit that goes without saying.
    let (field, rest) = if steps < 1 << fraction { (0, steps) } else { (field, steps - (1 << fraction)) };
    if field >= 1 << exponent {
        return None;
    }
    let sign = i64::from(value.is_negative());
    let word = (sign << exponent | field) << fraction | rest;
    // Formats without infinities have numbers where others have them, and some places that are none.
    let back = number(format, word as u64)?;
    (compared(&back, a)? == Ordering::Equal).then_some(Word(word as u64))
}

/// The number that a word holds in a format.
fn number(format: Format, word: u64) -> Option<Exact> {
    let bits = format.bits();
    if format.is_float() {
        let own = match format {
            Format::F64 | Format::F32 | Format::F16 | Format::Bf16 => digits(format)?,
            _ => {
                return match number_of(format, word) {
                    Quantity::Exact(value) => Some(fraction(*value.numer(), *value.denom())),
                    _ => None,
                };
            }
        };
        let word = low_bits(word, bits);
        let rest = low_bits(word, own.1 as u32) as i64;
        let field = low_bits(word >> own.1, own.0 as u32) as i64;
        if field == (1 << own.0) - 1 {
            return None;
        }
        let least = 2 - (1 << (own.0 - 1));
        let (steps, first) =
            if field == 0 { (rest, least) } else { (rest + (1 << own.1), field + least - 1) };
        let size = BigRational::from_integer(steps.into()) * power(first - own.1);
        return Some(Exact::of(if word >> (bits - 1) == 1 { -size } else { size }));
    }
    Some(Whole(match format.class() {
        crate::base::FormatClass::Signed => signed(word, bits),
        _ => low_bits(word, bits).into(),
    }))
}

fn fraction(above: i64, below: i64) -> Exact {
    Exact::of(BigRational::new(above.into(), below.into()))
}

/// An operation on words: each as arithmetic on integers, or bit by bit.
fn operated(op: BitOp, width: u32, a: u64, b: Option<u64>) -> Option<Exact> {
    let whole = a;
    let a = low_bits(a, width);
    let modulo = |value: i128| Some(Word(low_bits(value.rem_euclid(1i128 << 64) as u64, width)));
    let scale = |by: u64| 1u128.checked_shl(u32::try_from(by).unwrap_or(u32::MAX)).unwrap_or(0);
    match op {
        BitOp::Not => return modulo(-1 - i128::from(a)),
        BitOp::Negate => return modulo(-i128::from(a)),
        BitOp::PopCount => return modulo((0..width).filter(|at| a >> at & 1 == 1).count() as i128),
        BitOp::LeadingZeros => {
            return modulo((0..width).rev().take_while(|at| a >> at & 1 == 0).count() as i128);
        }
        BitOp::Reverse => {
            return modulo((0..width).map(|at| i128::from(a >> at & 1) << (width - 1 - at)).sum());
        }
        _ => {}
    }
    let by = b?;
    let b = low_bits(by, width);
    let (x, y) = (signed(a, width), signed(b, width));
    match op {
        BitOp::Add => modulo(i128::from(a) + i128::from(b)),
        BitOp::Sub => modulo(i128::from(a) - i128::from(b)),
        BitOp::Mul => Some(Word(low_bits((u128::from(a) * u128::from(b)) as u64, width))),
        BitOp::MulHigh => Some(Word((u128::from(a) * u128::from(b) / (1u128 << width)) as u64)),
        BitOp::And | BitOp::Or | BitOp::Xor => {
            let bit = |at: u32| match (op, a >> at & 1, b >> at & 1) {
                (BitOp::And, a, b) => u64::from(a + b == 2),
                (BitOp::Or, a, b) => u64::from(a + b > 0),
                (_, a, b) => (a + b) % 2,
            };
            Some(Word((0..width).map(|at| bit(at) << at).sum()))
        }
        BitOp::ShiftLeft => match scale(b) {
            _ if b >= width.into() => Some(Word(0)),
            scale => Some(Word(low_bits(u128::from(a).wrapping_mul(scale) as u64, width))),
        },
        BitOp::ShiftRight => match scale(b) {
            _ if b >= width.into() => Some(Word(0)),
            scale => Some(Word((u128::from(a) / scale) as u64)),
        },
        BitOp::ShiftRightSigned => modulo(x.div_euclid(scale(b.min(u64::from(width) - 1)) as i128)),
        BitOp::Min => Some(Word(if a < b { a } else { b })),
        BitOp::Max => Some(Word(if a < b { b } else { a })),
        BitOp::MinSigned => modulo(if x < y { x } else { y }),
        BitOp::MaxSigned => modulo(if x < y { y } else { x }),
        BitOp::Concat => {
            let half = width / 2;
            modulo(i128::from(low_bits(a, half)) + (i128::from(low_bits(b, width - half)) << half))
        }
        BitOp::Slice => match scale(by) {
            _ if by >= 64 => Some(Word(0)),
            scale => Some(Word(low_bits((u128::from(whole) / scale) as u64, width))),
        },
        BitOp::Extend => Some(Word(low_bits(a, u32::try_from(b).ok()?))),
        BitOp::ExtendSigned => modulo(signed(a, u32::try_from(b).ok().filter(|narrow| *narrow <= width)?)),
        BitOp::Equal => Some(Holds(a == b)),
        BitOp::Less => Some(Holds(a < b)),
        BitOp::LessSigned => Some(Holds(x < y)),
        _ => None,
    }
}

/// A node, given its operands' values.
fn node<'v>(node: &Node, constants: &'v [Exact], value: impl Fn(Term) -> &'v Exact) -> Option<Exact> {
    match *node {
        Node::Constant(constant) => constants.get(constant).cloned(),
        Node::Add(a, b) => plus(value(a), value(b)),
        Node::Sub(a, b) => minus(value(a), value(b)),
        Node::Mul(a, b) => times(value(a), value(b)),
        Node::Fma(a, b, c) => plus(&times(value(a), value(b))?, value(c)),
        Node::Div(a, b) => quotient(value(a), value(b)),
        Node::Unary(of, a) => function(of, value(a)),
        Node::Max(a, b) | Node::Min(a, b) => {
            let (a, b) = (value(a), value(b));
            let less = compared(a, b)? == Ordering::Less;
            Some(if less == matches!(node, Node::Max(..)) { b } else { a }.clone())
        }
        Node::Select(condition, a, b) => {
            Some(if value(condition).holds()? { value(a) } else { value(b) }.clone())
        }
        Node::Round(mode, format, a) => round(mode, format, value(a)),
        Node::Compare(relation, a, b) => {
            let order = compared(value(a), value(b))?;
            Some(Holds(match relation {
                Relation::Less => order == Ordering::Less,
                Relation::LessEqual => order != Ordering::Greater,
                Relation::Equal => order == Ordering::Equal,
            }))
        }
        // One that does not hold is enough, whatever the other is; and the other way around.
        Node::And(a, b) | Node::Or(a, b) => {
            let decisive = matches!(node, Node::Or(..));
            match (value(a).holds(), value(b).holds()) {
                (Some(a), _) if a == decisive => Some(Holds(decisive)),
                (_, Some(b)) if b == decisive => Some(Holds(decisive)),
                (Some(_), Some(_)) => Some(Holds(!decisive)),
                _ => None,
            }
        }
        Node::Not(a) => value(a).holds().map(|holds| Holds(!holds)),
        Node::BitsOf(format, a) => bits_of(format, value(a)),
        Node::BitConstant(bits) => Some(Word(bits)),
        Node::Bits(op, width, a, b, _) => operated(op, width.into(), value(a).word()?, value(b).word()),
        Node::FromBits(format, a) => number(format, value(a).word()?),
        Node::Element(_) | Node::Apply(..) => None,
    }
}

/// One side, ready to be evaluated.
struct Side {
    cone: Cone,
    constants: Vec<Exact>,
    values: Vec<Exact>,
}

impl Side {
    fn of(reading: &Reading<'_>, side: usize, root: Term, budget: &Budget) -> Result<Side, Exhausted> {
        let constants = reading.meanings.side(side).iter().map(|meaning| match meaning {
            Meaning::Number(exact) => exact.as_rational().map_or(Nothing, |value| Exact::of(value.clone())),
            Meaning::True => Holds(true),
            Meaning::False => Holds(false),
            Meaning::Infinity | Meaning::MinusInfinity | Meaning::NotANumber | Meaning::Unwritten => Nothing,
        });
        let constants = constants.collect();
        Ok(Side { cone: Cone::of(reading.terms(side), &[root], budget)?, constants, values: Vec::new() })
    }

    /// The root's value where elements have these.
    fn at(&mut self, own: &[(u32, Exact)], budget: &Budget) -> Result<Exact, Exhausted> {
        let Side { cone, constants, values } = self;
        budget.spend(EFFORT * cone.steps().len() as u64 + 1)?;
        values.clear();
        for step in cone.steps() {
            let next = node(step, constants, |term| place(term, values, own, constants)).unwrap_or(Nothing);
            values.push(next);
        }
        Ok(place(cone.roots()[0], values, own, constants).clone())
    }
}

fn place<'v>(term: Term, values: &'v [Exact], own: &'v [(u32, Exact)], constants: &'v [Exact]) -> &'v Exact {
    match (term.as_node(), term.as_element()) {
        (Some(step), _) => &values[step],
        (_, Some(element)) => {
            own.binary_search_by_key(&element, |(own, _)| *own).map_or(&Nothing, |at| &own[at].1)
        }
        _ => term.as_constant().and_then(|at| constants.get(at)).unwrap_or(&Nothing),
    }
}

/// A pair but for the names of its elements: nodes and root of each side, and what integers the elements can be.
type Shape = ([(Vec<Node>, Term); 2], Vec<[i128; 2]>);

/// What was found out about pairs.
#[derive(Default)]
pub(super) struct Everywhere {
    seen: FxHashMap<Shape, Option<String>>,
}

impl Everywhere {
    /// Why a pair is not the same at every value of its elements, if it is not seen to be.
    pub(super) fn refute(
        &mut self,
        reading: &Reading<'_>,
        elements: &Elements,
        (a, b): (Term, Term),
        budget: &Budget,
    ) -> Result<Option<String>, Exhausted> {
        let mut sides = [Side::of(reading, 0, a, budget)?, Side::of(reading, 1, b, budget)?];
        let mut own: Vec<u32> = sides.iter().flat_map(|side| side.cone.elements()).copied().collect();
        own.sort_unstable();
        own.dedup();
        let mut ranges: Vec<(u32, [i128; 2])> = Vec::new();
        let mut count = 1i128;
        for element in &own {
            let Some([low, high]) = elements.integers(*element) else {
                return Ok(Some(format!("{} is no integer", elements.name(*element))));
            };
            count = count.saturating_mul(high - low + 1);
            ranges.push((*element, [low, high]));
        }
        if count > MOST {
            return Ok(Some("the inputs have too many values to look at each".to_owned()));
        }
        let renamed = |term: Term| match term.as_element() {
            Some(element) => Term::element(own.partition_point(|other| *other < element) as u32),
            None => term,
        };
        let shape = [0, 1].map(|side: usize| {
            let cone = &sides[side].cone;
            let steps = cone.steps().iter().map(|step| with_operands(step, renamed)).collect();
            (steps, renamed(cone.roots()[0]))
        });
        let shape = (shape, ranges.iter().map(|(_, range)| *range).collect());
        if let Some(known) = self.seen.get(&shape) {
            return Ok(known.clone());
        }
        let found = refute_at(&mut sides, &ranges, budget)?;
        self.seen.insert(shape, found.clone());
        Ok(found)
    }
}

fn refute_at(
    sides: &mut [Side; 2],
    ranges: &[(u32, [i128; 2])],
    budget: &Budget,
) -> Result<Option<String>, Exhausted> {
    // Like the digits of a number, the last one first.
    let mut at: Vec<(u32, Exact)> = ranges.iter().map(|(own, [low, _])| (*own, Whole(*low))).collect();
    loop {
        let values = [sides[0].at(&at, budget)?, sides[1].at(&at, budget)?];
        match &values {
            [Nothing, _] | [_, Nothing] => {
                return Ok(Some("a side has no exact value at one value of the inputs".to_owned()));
            }
            [one, other] if one != other => {
                return Ok(Some(format!(
                    "the two sides are {one:?} and {other:?} at one value of the inputs"
                )));
            }
            _ => {}
        }
        let next = at.iter_mut().zip(ranges).rev().find_map(|((_, value), (_, [low, high]))| {
            let Whole(whole) = value else { return None };
            if *whole < *high {
                *whole += 1;
                return Some(());
            }
            *whole = *low;
            None
        });
        if next.is_none() {
            return Ok(None);
        }
    }
}

#[cfg(test)]
mod tests;
