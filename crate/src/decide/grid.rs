//! Conditions that compare inputs with numbers, each input by itself: decided by looking everywhere.
//!
//! Where each comparison has one input in it, linearly, such a condition does not change between the
//! numbers at which its comparisons turn. So it is enough to evaluate it at each of these numbers, at one
//! between any two neighbours, and at one on either side, of those that the input's format holds: of
//! integers the whole numbers, of floats the whole number of each gap that is next to 0, or the number of
//! fewest digits ([`simplest`]), which is one that the format holds if there is any. All combinations for all inputs are tried.
//!
//! Guarantees: an answer is right for all finite inputs of their formats; what is found makes the
//! condition hold, and is a number of the input's format. Misses: sums of several inputs, products, functions; more than [`MOST`]
//! combinations.

use crate::base::{Format, FormatClass};
use crate::term::{Elements, Node, Relation, Term, Terms};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, Zero};
use std::collections::BTreeMap;

/// Combinations that are tried.
const MOST: usize = 1 << 14;
/// Parts of a condition.
const LARGEST: usize = 1 << 10;

/// Whether a condition can hold.
pub enum Held {
    /// For these inputs; all others are 0.
    At(Vec<(u32, BigRational)>),
    /// Never.
    Never,
}

/// A comparison of an input with a number: `sign·(input − number) relation 0`.
struct Turn {
    element: u32,
    number: BigRational,
    relation: Relation,
    positive: bool,
}

/// Whether a condition can hold, if it is one of those that this is about.
pub fn look_everywhere(terms: &Terms, elements: &Elements, condition: Term) -> Option<Held> {
    let mut turns = BTreeMap::new();
    let mut order = Vec::new();
    collect(terms, condition, &mut turns, &mut order)?;
    let mut numbers: BTreeMap<u32, Vec<BigRational>> = BTreeMap::new();
    for turn in turns.values() {
        numbers.entry(turn.element).or_default().push(turn.number.clone());
    }
    let mut combinations = 1usize;
    let mut inputs: Vec<(u32, Vec<BigRational>)> = Vec::new();
    for (element, turning) in numbers {
        let places = places(elements.block_of(element)?.format, turning)?;
        combinations = combinations.checked_mul(places.len()).filter(|count| *count <= MOST)?;
        inputs.push((element, places));
    }
    let mut point: BTreeMap<u32, &BigRational> = BTreeMap::new();
    let mut values: BTreeMap<Term, bool> = BTreeMap::new();
    for combination in 0..combinations {
        let mut rest = combination;
        for (element, places) in &inputs {
            point.insert(*element, &places[rest % places.len()]);
            rest /= places.len();
        }
        values.clear();
        for part in &order {
            let value = holds(terms, *part, &turns, &point, &values);
            values.insert(*part, value);
        }
        if values.get(&condition).copied().unwrap_or(condition == Term::TRUE) {
            let listed = point.into_iter().filter(|(_, value)| !value.is_zero());
            return Some(Held::At(listed.map(|(element, value)| (element, value.clone())).collect()));
        }
    }
    Some(Held::Never)
}

/// The parts of a condition, operands first, and its comparisons.
fn collect(
    terms: &Terms,
    condition: Term,
    turns: &mut BTreeMap<Term, Turn>,
    order: &mut Vec<Term>,
) -> Option<()> {
    let mut open = vec![(condition, false)];
    let mut seen = std::collections::BTreeSet::new();
    while let Some((part, below)) = open.pop() {
        if below {
            order.push(part);
            continue;
        }
        if part == Term::TRUE || part == Term::FALSE || !seen.insert(part) {
            continue;
        }
        if seen.len() > LARGEST {
            return None;
        }
        open.push((part, true));
        match terms.node(part) {
            Node::And(a, b) | Node::Or(a, b) => open.extend([(a, false), (b, false)]),
            Node::Not(a) => open.push((a, false)),
            Node::Select(a, b, c) => open.extend([(a, false), (b, false), (c, false)]),
            Node::Compare(relation, a, b) => {
                turns.insert(part, turn(terms, relation, a, b)?);
            }
            _ => return None,
        }
    }
    Some(())
}

/// A comparison, solved for its only input.
fn turn(terms: &Terms, relation: Relation, a: Term, b: Term) -> Option<Turn> {
    let ((one, first, more), (other, second, less)) = (linear(terms, a, 0)?, linear(terms, b, 0)?);
    let element = match (one, other) {
        (Some(one), Some(other)) if one != other => return None,
        (one, other) => one.or(other)?,
    };
    let factor = first - second;
    if factor.is_zero() {
        return None;
    }
    let number = (less - more) / &factor;
    let positive = factor > BigRational::zero();
    Some(Turn { element, number, relation, positive })
}

/// A term as an input times a number, and a number more.
fn linear(terms: &Terms, term: Term, depth: u32) -> Option<(Option<u32>, BigRational, BigRational)> {
    if let Some(element) = term.as_element() {
        return Some((Some(element), BigRational::one(), BigRational::zero()));
    }
    if let Some(number) = terms.as_rational(term) {
        return Some((None, BigRational::zero(), number.clone()));
    }
    if depth > 16 {
        return None;
    }
    let part = |term: Term| linear(terms, term, depth + 1);
    let sum = |a: Term, b: Term, sign: i64| {
        let ((one, x, u), (other, y, v)) = (part(a)?, part(b)?);
        if one.is_some() && other.is_some() && one != other {
            return None;
        }
        let sign = BigRational::from_integer(sign.into());
        Some((one.or(other), x + &sign * y, u + &sign * v))
    };
    match terms.node(term) {
        Node::Add(a, b) => sum(a, b, 1),
        Node::Sub(a, b) => sum(a, b, -1),
        Node::Unary(crate::term::Unary::Neg, a) => {
            let (element, factor, more) = part(a)?;
            Some((element, -factor, -more))
        }
        Node::Mul(a, b) => match (part(a)?, part(b)?) {
            ((None, _, number), (element, factor, more)) | ((element, factor, more), (None, _, number)) => {
                Some((element, factor * &number, more * number))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The numbers themselves, and one in each gap between and around them, of those that the format holds.
fn places(format: Format, mut numbers: Vec<BigRational>) -> Option<Vec<BigRational>> {
    let whole = |number: i128| BigRational::from_integer(number.into());
    let mut places = Vec::new();
    if format.is_float() {
        let held = Finite::of(format)?;
        numbers.push(held.largest.clone());
        numbers.push(-held.largest.clone());
        numbers.sort_unstable();
        numbers.dedup();
        for (at, number) in numbers.iter().enumerate() {
            places.push(number.clone());
            if let Some(next) = numbers.get(at + 1) {
                let whole = whole_between(number, next).filter(|whole| held.has(whole));
                places.push(whole.unwrap_or_else(|| simplest(number, next)));
            }
        }
        places.retain(|place| held.has(place));
    } else {
        // The integers next to each number stand for the gaps as well.
        let bits = format.bits();
        let (least, most) = match format.class() {
            FormatClass::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            _ => (0, (1i128 << bits.min(64)) - 1),
        };
        let one = BigRational::one();
        for number in &numbers {
            places.extend([number.floor() - &one, number.floor(), number.ceil(), number.ceil() + &one]);
        }
        places.retain(|place| (&whole(least)..=&whole(most)).contains(&place));
        // Where all of them lie outside of the format's range, any number does.
    }
    places.push(BigRational::zero());
    places.sort_by_cached_key(|place| (place.numer().abs(), place.denom().clone(), place.is_negative()));
    places.dedup();
    Some(places)
}

/// The whole number next to 0 strictly between two numbers, the first the lesser.
fn whole_between(low: &BigRational, high: &BigRational) -> Option<BigRational> {
    let one = BigRational::one();
    let place = if high <= &BigRational::zero() {
        high.ceil() - one
    } else if low < &BigRational::zero() {
        BigRational::zero()
    } else {
        low.floor() + one
    };
    (low < &place && &place < high).then_some(place)
}

/// The dyadic number of fewest digits strictly between two numbers, the first the lesser: the multiple
/// of the largest power of two that has one there, next to 0.
fn simplest(low: &BigRational, high: &BigRational) -> BigRational {
    if low.is_negative() && high.is_positive() {
        return BigRational::zero();
    }
    if high <= &BigRational::zero() {
        return -simplest(&-high, &-low);
    }
    // 2^exponent > high, and then smaller ones until a multiple lies between.
    let mut step = BigRational::one();
    let two = BigRational::from_integer(2.into());
    while &step <= high {
        step *= &two;
    }
    loop {
        let place = ((low / &step).floor() + BigRational::one()) * &step;
        if &place < high {
            return place;
        }
        step /= &two;
    }
}

/// The finite numbers of a float format.
struct Finite {
    /// Binary digits of a significand.
    digits: u64,
    /// The exponent of the least number above 0.
    smallest: i64,
    largest: BigRational,
}

impl Finite {
    fn of(format: Format) -> Option<Finite> {
        let (digits, smallest, exponent) = match format {
            Format::E4m3 => (4, -9, 8),
            Format::E5m2 => (3, -16, 15),
            Format::F16 => (11, -24, 15),
            Format::Bf16 => (8, -133, 127),
            Format::Tf32 => (11, -136, 127),
            Format::F32 => (24, -149, 127),
            Format::F64 => (53, -1074, 1023),
            _ => return None,
        };
        // E4M3 has NaN where the last significand would be.
        let top = if format == Format::E4m3 { 14 } else { (1i64 << digits) - 1 };
        let largest = BigRational::from_integer(BigInt::from(top))
            * BigRational::from_integer(2.into()).pow(exponent - digits + 1);
        Some(Finite { digits: digits as u64, smallest, largest })
    }

    fn has(&self, number: &BigRational) -> bool {
        if number.is_zero() {
            return true;
        }
        let (numer, denom) = (number.numer(), number.denom());
        let (twos, halves) = (numer.trailing_zeros().unwrap_or(0), denom.trailing_zeros().unwrap_or(0));
        denom.bits() == halves + 1
            && numer.bits() - twos <= self.digits
            && twos as i64 - halves as i64 >= self.smallest
            && number.abs() <= self.largest
    }
}

fn holds(
    terms: &Terms,
    part: Term,
    turns: &BTreeMap<Term, Turn>,
    point: &BTreeMap<u32, &BigRational>,
    values: &BTreeMap<Term, bool>,
) -> bool {
    let value = |term: Term| match term {
        Term::TRUE => true,
        Term::FALSE => false,
        _ => values.get(&term).copied().unwrap_or(false),
    };
    match terms.node(part) {
        Node::And(a, b) => value(a) && value(b),
        Node::Or(a, b) => value(a) || value(b),
        Node::Not(a) => !value(a),
        Node::Select(a, b, c) => {
            if value(a) {
                value(b)
            } else {
                value(c)
            }
        }
        _ => turns.get(&part).is_some_and(|turn| {
            let input = point[&turn.element];
            let (a, b) = if turn.positive { (input, &turn.number) } else { (&turn.number, input) };
            match turn.relation {
                Relation::Less => a < b,
                Relation::LessEqual => a <= b,
                Relation::Equal => a == b,
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Format;

    #[test]
    fn integers_have_nothing_between_neighbours_and_reals_have() {
        let mut elements = Elements::default();
        let m = Term::element(elements.push("m", vec![1], Format::S32, 1).unwrap());
        let x = Term::element(elements.push("x", vec![1], Format::F32, 1).unwrap());
        let terms = &mut Terms::new();
        for (input, never) in [(m, true), (x, false)] {
            let four = terms.integer(4);
            let doubled = terms.add(input, input);
            let (from, to) = (
                terms.compare(Relation::LessEqual, Term::ZERO, input),
                terms.compare(Relation::Less, input, four),
            );
            let mut all = terms.and(from, to);
            for number in 0..4 {
                let number = terms.integer(2 * number);
                let equal = terms.compare(Relation::Equal, doubled, number);
                let apart = terms.not(equal);
                all = terms.and(all, apart);
            }
            match look_everywhere(terms, &elements, all) {
                Some(Held::Never) => assert!(never),
                Some(Held::At(inputs)) => assert!(!never && inputs.len() == 1),
                None => panic!("this is what it is about"),
            }
        }
        let both = terms.compare(Relation::Less, m, x);
        assert!(look_everywhere(terms, &elements, both).is_none());
    }

    #[test]
    fn numbers_are_looked_for_as_far_as_the_format_reaches_and_no_further() {
        let ten = BigRational::from_integer(10.into());
        let cases = [
            (Format::F32, ten.clone().pow(30), true),
            (Format::F32, ten.clone().pow(39), false),
            (Format::F64, ten.pow(300), true),
            (Format::F16, BigRational::from_integer(65_503.into()), true),
            (Format::F16, BigRational::from_integer(65_504.into()), false),
            (Format::E4m3, BigRational::from_integer(447.into()), true),
            (Format::E4m3, BigRational::from_integer(448.into()), false),
            (Format::U8, BigRational::from_integer(254.into()), true),
            (Format::U8, BigRational::from_integer(255.into()), false),
        ];
        for (format, number, above) in cases {
            let mut elements = Elements::default();
            let x = Term::element(elements.push("x", vec![1], format, 1).unwrap());
            let terms = &mut Terms::new();
            let number = terms.rational(number);
            let condition = terms.compare(Relation::Less, number, x);
            match look_everywhere(terms, &elements, condition) {
                Some(Held::At(inputs)) => {
                    assert!(above && Finite::of(format).is_none_or(|held| held.has(&inputs[0].1)))
                }
                Some(Held::Never) => assert!(!above, "{format:?}"),
                None => panic!("this is what it is about"),
            }
        }
    }

    #[test]
    fn the_simplest_number_of_a_gap_is_a_number_of_the_format_if_there_is_one() {
        let number = |bits: u32| BigRational::from_float(f32::from_bits(bits)).unwrap();
        let held = Finite::of(Format::F32).unwrap();
        for bits in [0u32, 1, 0x7f_ffff, 0x80_0000, 0x3f80_0000, 0x3f7f_ffff, 0x4b80_0000, 0x7f7f_fffd] {
            let (low, high) = (number(bits), number(bits + 2));
            for [low, high] in [[low.clone(), high.clone()], [-high, -low]] {
                let between = simplest(&low, &high);
                assert!(low < between && between < high && held.has(&between), "{bits:#x}");
            }
            assert!(!held.has(&simplest(&number(bits), &number(bits + 1))), "{bits:#x}");
        }
    }
}
