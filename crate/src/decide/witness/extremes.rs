//! Integers at which words behave as nowhere else.
//!
//! What overflows does so at the ends of a range, what carries at powers of two, what takes bytes for bytes at
//! bytes of 0, 1, 127, 128 and 255, and a division by way of a product is wrong, if it is, at multiples of the
//! divisor. Random integers hit none of these, and two of them at once never. So each element gets them, and two
//! elements all pairs of them, the most telling first.
//!
//! Guarantees: integers that the elements can be; deterministic. Misses: nothing is proved by finding none.

use super::points::Kind;
use crate::decide::fingerprint::random;
use crate::decide::integers::Point;
use crate::term::eval::{Cone, Quantity};
use crate::term::{Elements, Node};
use num_rational::BigRational;
use std::collections::BTreeSet;

/// Constants that are looked at, and divisors.
const CONSTANTS: usize = 32;
const DIVISORS: usize = 8;
/// Multiples of each divisor beside those at the ends, each with its neighbours.
const MULTIPLES: u64 = 24;
/// Points of more than two elements.
const MIXED: u64 = 2048;
/// Bytes that words are made of.
const BYTES: [u64; 10] = [0x00, 0x01, 0x7f, 0x80, 0xff, 0x81, 0x0f, 0xf0, 0x55, 0xaa];

/// What an element can be, and the telling ones of that.
struct Own {
    element: u32,
    values: Vec<i128>,
}

/// Points for the integers of a pair's cones, the most telling first; none where there are none.
pub(in crate::decide) fn extremes(
    elements: &Elements,
    cones: &[Cone; 2],
    constants: &[Vec<Quantity>; 2],
) -> Vec<Point> {
    let mut all = [cones[0].elements(), cones[1].elements()].concat();
    all.sort_unstable();
    all.dedup();
    if all.iter().all(|element| range(elements, *element).is_none()) {
        return Vec::new();
    }
    let numbers = numbers(cones, constants);
    let divisors = divisors(&numbers);
    let mut own: Vec<Own> = Vec::new();
    let mut others: Point = Vec::new();
    for element in all {
        match range(elements, element) {
            Some(range) => own.push(Own { element, values: telling(range, &numbers, &divisors) }),
            // Floats are small, and not all the same.
            None => others.push((element, BigRational::from_integer((1 + element % 3).into()))),
        }
    }
    let at = |choice: &dyn Fn(usize) -> i128| {
        let mut point = others.clone();
        let values = own.iter().enumerate();
        point.extend(values.map(|(at, own)| (own.element, BigRational::from_integer(choice(at).into()))));
        point.sort_unstable();
        point
    };
    let value = |of: usize, number: usize| own[of].values[number.min(own[of].values.len() - 1)];
    let most = own.iter().map(|own| own.values.len()).max().unwrap_or(0);
    let mut points = Vec::new();
    match own.len() {
        0 => {}
        1 => points.extend((0..most).map(|number| at(&|_| value(0, number)))),
        2 => {
            // Of pairs, those first that are both near the front.
            for shell in 0..most {
                for other in 0..=shell {
                    points.push(at(&|of| value(of, if of == 0 { shell } else { other })));
                    points.push(at(&|of| value(of, if of == 0 { other } else { shell })));
                }
            }
        }
        _ => {
            points.extend((0..most).map(|number| at(&|of| value(of, number))));
            points.extend((0..MIXED).map(|round| {
                // A few of the first ones only, at first.
                let reach = 4 + round as usize / 8;
                at(&|of| value(of, random(round, of as u64) as usize % reach.min(own[of].values.len())))
            }));
        }
    }
    points
}

/// The least and the greatest integer that an element can be.
fn range(elements: &Elements, element: u32) -> Option<[i128; 2]> {
    let format = elements.block_of(element)?.format;
    match Kind::of(format) {
        Kind::Float(_) => None,
        Kind::Signed(_) => elements.integers(element),
        Kind::Unsigned(bits) => elements.integers(element).or(Some([0, (1 << bits) - 1])),
    }
}

/// Integers among the constants.
fn numbers(cones: &[Cone; 2], constants: &[Vec<Quantity>; 2]) -> Vec<i128> {
    let mut found = BTreeSet::new();
    for (cone, constants) in cones.iter().zip(constants) {
        for step in cone.steps() {
            if let Node::BitConstant(bits) = step {
                found.insert(i128::from(*bits));
            }
        }
        for constant in cone.constants() {
            if let Some(Quantity::Exact(value)) = constants.get(*constant as usize)
                && value.is_integer()
            {
                found.insert(i128::from(*value.numer()));
            }
        }
        if found.len() > CONSTANTS {
            break;
        }
    }
    found.into_iter().take(CONSTANTS).collect()
}

/// What may be divided by: small constants, and d where a constant, with or without a digit in front of it that
/// a register has no room for, is 2^k/d rounded.
fn divisors(numbers: &[i128]) -> Vec<i128> {
    let mut found = BTreeSet::new();
    for number in numbers.iter().map(|number| number.abs()) {
        if (3..1 << 20).contains(&number) {
            found.insert(number);
        }
        for multiplier in [number, number + (1 << 16), number + (1 << 32), number + (1 << 64)] {
            for power in 8..=96u32 {
                let whole = 1i128 << power;
                if multiplier < 3 || whole / multiplier >= 1 << 20 || whole / multiplier < 3 {
                    continue;
                }
                let divisor = (whole + multiplier / 2) / multiplier;
                if (divisor * multiplier - whole).abs() < divisor {
                    found.insert(divisor);
                }
            }
        }
    }
    let odd = |divisor: &i128| divisor.count_ones() == 1;
    let mut found: Vec<i128> = found.into_iter().filter(|divisor| !odd(divisor)).collect();
    found.truncate(4 * DIVISORS);
    found
}

/// The integers of a range to try, the most telling first.
fn telling([least, most]: [i128; 2], numbers: &[i128], divisors: &[i128]) -> Vec<i128> {
    let mut found: Vec<i128> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut add = |value: i128| {
        if (least..=most).contains(&value) && seen.insert(value) {
            found.push(value);
        }
    };
    [0, 1, most, least, -1, most - 1, least + 1, 2, -2, 3, 7, 10, most / 2, most / 2 + 1, least / 2]
        .into_iter()
        .for_each(&mut add);
    for number in numbers {
        [*number, number + 1, number - 1, -number].into_iter().for_each(&mut add);
    }
    let bits = 128 - (most - least).leading_zeros();
    // A word with a sign is read as it would be without one.
    let word = |word: u128| {
        let value = (word & ((1 << bits.min(127)) - 1)) as i128;
        if least < 0 && value > most { value - (1 << bits) } else { value }
    };
    for byte in BYTES {
        // The same byte everywhere, in one place, and everywhere else.
        let bytes = bits.div_ceil(8);
        let all = (0..bytes).fold(0u128, |all, at| all | u128::from(byte) << (8 * at));
        add(word(all));
        for at in 0..bytes {
            let one = u128::from(byte) << (8 * at);
            [one, !(0xff << (8 * at)) | one, all & !(0xff << (8 * at))]
                .into_iter()
                .for_each(|value| add(word(value)));
        }
    }
    for half in
        [0x00ff_00ff_00ff_00ffu128, 0x0000_ffff_0000_ffff, 0x0000_0000_ffff_ffff, 0xffff_ffff_0000_0000]
    {
        [half, half << 8, half << 16, half + 1].into_iter().for_each(|value| add(word(value)));
    }
    for divisor in divisors {
        let count = most / divisor;
        let random = (0..MULTIPLES).map(|at| i128::from(random(at, *divisor as u64)) % (count + 1));
        for multiple in [1, count, count - 1, count / 2, 2].into_iter().chain(random) {
            [0, -1, 1].into_iter().for_each(|beside| add(multiple * divisor + beside));
        }
    }
    for place in 0..bits {
        let power = 1i128 << place;
        [power, power - 1, power + 1, -power, -power - 1, -power + 1, most - power, most + 1 - power]
            .into_iter()
            .for_each(&mut add);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_divisors_are_among_them() {
        // ⌊x·m/2^k⌋ for 1000, with a multiplier of 32 bits and with one of 33.
        assert!(divisors(&[274_877_907]).contains(&1000));
        assert!(divisors(&[103_079_215]).contains(&1000));
        let signed = telling([-(1 << 31), (1 << 31) - 1], &[], &[]);
        for value in [i128::from(i32::MIN), i32::MAX.into(), 0x0101_0101, -0x7f7f_7f80, -1] {
            assert!(signed.contains(&value), "{value}");
        }
        let wide = telling([0, u64::MAX.into()], &[], &[1000]);
        assert!(
            wide.contains(&u64::MAX.into()) && wide.contains(&(u128::from(u64::MAX) as i128 / 1000 * 1000))
        );
        assert!(wide.iter().all(|value| (0..=i128::from(u64::MAX)).contains(value)));
    }
}
