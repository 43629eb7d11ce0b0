//! Which texels a coordinate means, along one axis.
//!
//! A coordinate x of an axis of N texels is first multiplied by N if it is normalized. Without a filter the texel is ⌊x⌋;
//! a linear filter takes ⌊x − ½⌋ and the one after it, weighted by distance. What lies outside is an address mode's
//! affair: the edge (clamp), the same again (wrap), the same the other way round (mirror), or nothing (border).
//! Whether a mode applies to a coordinate or to the texels next to it comes to the same, but for a coordinate that is
//! mirrored: there the texel of a whole number is that of the mirrored number.
//!
//! Guarantees: exact for the numbers that coordinates are; where a coordinate was rounded on its way and another
//! texel may be meant, nothing is chosen ([`Place::Between`]). Between texels a linear filter does not jump, so that there
//! the nearest whole number stands for all that it may be rounded from.
//! Misses: the hardware's own rounding of coordinates and weights to 8 bits of fraction, which the ledger names.
//!
//! Source: CUDA C++ programming guide, "Texture fetching"; PTX ISA 9.0, 5.3.

use crate::spec::AddressMode;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// A coordinate in texels, and how far it may be from the one that is meant.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Coordinate {
    pub(super) value: BigRational,
    pub(super) error: BigRational,
}

/// What a coordinate means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// One texel; `None` is outside.
    One(Option<u64>),
    /// Two, and how much of the way to the second: exactly, if the coordinate is exact.
    Two([Option<u64>; 2], i64),
    /// It is one texel or another, by rounding.
    Between,
}

/// Parts of a texel that the hardware tells apart along an axis.
pub(super) const PARTS: i64 = 256;

impl Coordinate {
    /// The texel in which it lies.
    pub(super) fn nearest(&self, size: u64, mode: AddressMode) -> Place {
        let (low, high) = (&self.value - &self.error, &self.value + &self.error);
        let (low, high) = (whole(&low, mode), whole(&high, mode));
        match (low, high) {
            (Some(low), Some(high)) if low == high => Place::One(match mode {
                AddressMode::Mirror if self.value.is_integer() => mirrored(low, size),
                _ => texel(low, size, mode),
            }),
            _ => Place::Between,
        }
    }

    /// Whether it lies so near to the end of a texel that the hardware's own rounding may count.
    pub(super) fn is_near_border(&self) -> bool {
        let parts = &self.value * BigRational::from_integer(PARTS.into());
        let beyond =
            (parts.floor().to_integer() % BigInt::from(PARTS) + BigInt::from(PARTS)) % BigInt::from(PARTS);
        !parts.is_integer() && (beyond.is_zero() || beyond == BigInt::from(PARTS - 1))
    }

    /// The two texels between which it lies, and the number of the first as if there were no end; half a texel has been
    /// taken away. `strict`: that they are these two matters by itself.
    pub(super) fn around(&self, size: u64, mode: AddressMode, strict: bool) -> Place {
        let near = self.value.round();
        let on = (&self.value - &near).abs() <= self.error;
        if strict && on && !self.error.is_zero() {
            return Place::Between;
        }
        let near = if on { &near } else { &self.value };
        let Some(first) = whole(near, mode) else { return Place::Between };
        Place::Two([texel(first, size, mode), texel(first + 1, size, mode)], first)
    }
}

/// The whole number below. Far outside all are alike, unless the texels begin again.
fn whole(value: &BigRational, mode: AddressMode) -> Option<i64> {
    const FAR: i64 = 1 << 60;
    let near = value.floor().to_integer().to_i64().filter(|at| at.unsigned_abs() < FAR as u64);
    match mode {
        AddressMode::Clamp | AddressMode::Border if near.is_none() => {
            Some(if value.is_negative() { -FAR } else { FAR })
        }
        _ => near,
    }
}

/// The texel of a whole number of an axis.
pub(super) fn texel(at: i64, size: u64, mode: AddressMode) -> Option<u64> {
    let count = size as i64;
    let found = match mode {
        AddressMode::Clamp => at.clamp(0, count - 1),
        AddressMode::Wrap => at.rem_euclid(count),
        AddressMode::Mirror => match at.rem_euclid(2 * count) {
            at if at < count => at,
            at => 2 * count - 1 - at,
        },
        AddressMode::Border if (0..count).contains(&at) => at,
        AddressMode::Border => return None,
    };
    Some(found as u64)
}

/// The texel of a coordinate that is a whole number: in a mirrored stretch, 1 − x of it.
fn mirrored(at: i64, size: u64) -> Option<u64> {
    let count = size as i64;
    let within = at.rem_euclid(2 * count);
    let at = if within < count { within } else { (2 * count - within).min(count - 1) };
    Some(at as u64)
}

/// One half.
pub(super) fn half() -> BigRational {
    BigRational::new(BigInt::one(), BigInt::from(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(numerator: i64, denominator: i64) -> Coordinate {
        let value = BigRational::new(numerator.into(), denominator.into());
        Coordinate { value, error: BigRational::zero() }
    }

    #[test]
    fn modes_say_what_lies_outside() {
        use AddressMode::*;
        let row = |mode| (-5..=8).map(|at| texel(at, 4, mode)).collect::<Vec<_>>();
        let some = |all: &[u64]| all.iter().map(|at| Some(*at)).collect::<Vec<_>>();
        assert_eq!(row(Clamp), some(&[0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3]));
        assert_eq!(row(Wrap), some(&[3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]));
        assert_eq!(row(Mirror), some(&[3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0]));
        assert_eq!(row(Border)[4..10], [None, Some(0), Some(1), Some(2), Some(3), None]);
    }

    #[test]
    fn a_coordinate_is_in_one_texel() {
        for (numerator, texel) in [(-1, 0), (0, 0), (1, 0), (2, 1), (7, 3), (8, 3)] {
            assert_eq!(at(numerator, 2).nearest(4, AddressMode::Clamp), Place::One(Some(texel)));
        }
        // 1 - frac(x), as the guide has it: 5 of 4 texels is 3 in the mirror, 5½ is 2½.
        assert_eq!(at(5, 1).nearest(4, AddressMode::Mirror), Place::One(Some(3)));
        assert_eq!(at(11, 2).nearest(4, AddressMode::Mirror), Place::One(Some(2)));
        assert_eq!(at(4, 1).nearest(4, AddressMode::Mirror), Place::One(Some(3)));
        assert_eq!(at(-1, 2).nearest(4, AddressMode::Mirror), Place::One(Some(0)));
    }

    #[test]
    fn far_outside_is_the_edge() {
        let far = Coordinate { value: BigRational::from_float(1e30f64).unwrap(), error: BigRational::zero() };
        assert_eq!(far.nearest(4, AddressMode::Clamp), Place::One(Some(3)));
        assert_eq!(far.nearest(4, AddressMode::Border), Place::One(None));
        assert_eq!(far.nearest(4, AddressMode::Wrap), Place::Between);
        assert_eq!(far.around(4, AddressMode::Clamp, false), Place::Two([Some(3), Some(3)], 1 << 60));
    }

    #[test]
    fn what_was_rounded_at_a_border_is_in_none() {
        let error = BigRational::new(1.into(), 1_000_000.into());
        let rounded = Coordinate { error: error.clone(), ..at(2, 1) };
        assert_eq!(rounded.nearest(4, AddressMode::Clamp), Place::Between);
        assert_eq!(rounded.around(4, AddressMode::Clamp, true), Place::Between);
        let two = Place::Two([Some(2), Some(3)], 2);
        assert_eq!(rounded.around(4, AddressMode::Clamp, false), two);
        let below = Coordinate { value: at(2, 1).value - &error, error };
        assert_eq!(below.around(4, AddressMode::Clamp, false), two);
    }

    #[test]
    fn a_filter_reads_beyond_the_edge() {
        assert_eq!(at(-1, 2).around(4, AddressMode::Clamp, false), Place::Two([Some(0), Some(0)], -1));
        assert_eq!(at(-1, 2).around(4, AddressMode::Wrap, false), Place::Two([Some(3), Some(0)], -1));
        assert_eq!(at(7, 2).around(4, AddressMode::Border, false), Place::Two([Some(3), None], 3));
    }
}
