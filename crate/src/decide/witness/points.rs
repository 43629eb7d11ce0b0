//! Where to look: inputs that tend to tell functions apart, the most telling first.
//!
//! Small integers of both signs find nearly every difference of polynomials; positive ones keep
//! roots and logarithms defined; negative ones show a maximum that starts from zero; halves show
//! how ties are rounded; spread ones separate exponentials and maxima; tiny ones bring out constants
//! that are added to variances; equal and ascending ones show off-by-one errors; a large one that
//! only one side reads shows what a maximum left out; any integers show bits that others have not.

use crate::base::{Format, FormatClass};
use crate::decide::fingerprint::random;
use crate::term::Elements;
use crate::term::eval::{Cone, Small};
use num_rational::Ratio;
use num_traits::Zero;

/// What values an element may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::decide) enum Kind {
    /// A number of that float format.
    Float(Format),
    /// An integer of so many bits.
    Signed(u32),
    Unsigned(u32),
}

impl Kind {
    pub(in crate::decide) fn of(format: Format) -> Kind {
        match format.class() {
            FormatClass::Float => Kind::Float(format),
            FormatClass::Signed => Kind::Signed(format.bits()),
            FormatClass::Unsigned | FormatClass::Bits => Kind::Unsigned(format.bits()),
        }
    }

    /// A value of this kind near another.
    pub(in crate::decide) fn admit(self, value: Small) -> Small {
        if let Kind::Float(format) = self {
            return representable(value, format);
        }
        let Some((least, most)) = self.range() else { return value };
        let whole = value.trunc();
        let near = if least == 0 && whole < Ratio::zero() { -whole } else { whole };
        near.clamp(Ratio::from_integer(least), Ratio::from_integer(most))
    }

    /// The least and the greatest integer of this kind (of 64 bits: as far as is exact).
    fn range(self) -> Option<(i64, i64)> {
        match self {
            Kind::Float(_) => None,
            Kind::Signed(bits) if bits < 64 => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            Kind::Unsigned(bits) if bits < 63 => Some((0, (1 << bits) - 1)),
            Kind::Signed(_) => Some((-i64::MAX, i64::MAX)),
            Kind::Unsigned(_) => Some((0, i64::MAX)),
        }
    }
}

/// Whether all elements of two cones can have a value.
pub(in crate::decide) fn admits(elements: &Elements, cones: &[Cone; 2], value: Small) -> bool {
    let kind = |element: &u32| {
        elements.block_of(*element).map_or(Kind::Float(Format::F64), |block| Kind::of(block.format))
    };
    let within = |element: &u32| {
        elements.integers(*element).is_none_or(|[least, most]| {
            let value = i128::from(value.to_integer());
            least <= value && value <= most
        })
    };
    let mut all = cones.iter().flat_map(|cone| cone.elements());
    all.all(|element| kind(element).admit(value) == value && within(element))
}

/// The number of a format that is nearest, and none beyond the largest.
fn representable(value: Small, format: Format) -> Small {
    if format == Format::Ue8m0 {
        let power = (*value.numer() as f64 / *value.denom() as f64).abs().max(2f64.powi(-60)).log2();
        let scale = Ratio::from_integer(1i64 << (power.round() as i64).unsigned_abs().min(60));
        return if power < 0.0 { scale.recip() } else { scale };
    }
    let (digits, smallest, largest) = match format {
        Format::E4m3 => (4, -9, 448.0),
        Format::E5m2 => (3, -16, 57_344.0),
        Format::E2m3 => (4, -3, 7.5),
        Format::E3m2 => (3, -4, 28.0),
        Format::E2m1 => (2, -1, 6.0),
        Format::F16 => (11, -24, 65_504.0),
        Format::Bf16 => (8, -60, f64::from(f32::MAX)),
        Format::F32 | Format::Tf32 => (24, -60, f64::from(f32::MAX)),
        _ => (53, -60, f64::MAX),
    };
    let float = (*value.numer() as f64 / *value.denom() as f64).clamp(-largest, largest);
    if float == 0.0 {
        return Ratio::zero();
    }
    let first = (float.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let unit = (first - digits + 1).max(smallest);
    let count = (float / f64::from(unit).exp2()).round_ties_even() as i64;
    let scale = 1i64.checked_shl(unit.unsigned_abs()).filter(|_| unit.unsigned_abs() < 62);
    match scale {
        Some(scale) if unit < 0 => Ratio::new(count, scale),
        Some(scale) => count.checked_mul(scale).map_or(value, Ratio::from_integer),
        None => value,
    }
}

/// How the values of one try come about.
#[derive(Clone, Copy)]
enum Pattern {
    /// Random integers in a range, divided by the last number.
    Random(i64, i64, i64),
    /// The same everywhere.
    Constant(i64),
    /// `low, low + 1, …`, so many different ones.
    Ascending(i64, i64),
    /// Random powers of two between these exponents.
    Powers(i64, i64),
    /// One where the index lies in this half (of that many), zero elsewhere.
    Part(usize, usize),
    /// This where only one side knows the element, random small integers elsewhere.
    Lone(i64),
    /// Any integer of its format, where an element is one; random small ones elsewhere.
    Any,
    /// One at the ends of its range, next to a power of two, or small.
    Edge,
}

const PATTERNS: &[Pattern] = &[
    Pattern::Random(-3, 3, 1),
    Pattern::Random(1, 5, 1),
    Pattern::Lone(9),
    Pattern::Ascending(-3, 7),
    Pattern::Constant(1),
    Pattern::Random(-5, -1, 1),
    Pattern::Random(-8, 8, 1),
    Pattern::Random(-16, 16, 8),
    Pattern::Random(-8, 8, 256),
    Pattern::Constant(0),
    Pattern::Random(0, 1, 1),
    Pattern::Powers(-3, 3),
    Pattern::Random(-7, 7, 2),
    Pattern::Random(1, 16, 64),
    Pattern::Lone(-9),
    Pattern::Random(-1000, 1000, 1),
    Pattern::Part(0, 2),
    Pattern::Part(1, 2),
    Pattern::Random(-1, 1, 1),
    Pattern::Ascending(1, 64),
    Pattern::Part(0, 4),
    Pattern::Part(3, 4),
    Pattern::Random(-40, 40, 1),
    Pattern::Part(1, 4),
    Pattern::Part(2, 4),
    Pattern::Powers(-12, 12),
];

/// Tries before those around thresholds.
const FIRST: usize = 5;
/// Tries with any integers and with those at the ends of their ranges, in turn.
const INTEGERS: usize = 12;
/// Tries around each threshold.
const AROUND: usize = 5;

/// Tries a fraction beside each threshold, after all others of all rounds.
const BESIDE: usize = 4;
/// Tries in which each element lies near some threshold, after these.
const MIXED: usize = 12;
/// Tries between each threshold and the next one, after these.
const BETWEEN: usize = 2;

/// How often the tries are gone through, each time with other random numbers.
const ROUNDS: usize = 3;

/// How many tries there are.
pub(super) fn tries(thresholds: &[Small], kinds: &[Kind]) -> usize {
    ROUNDS * (early(thresholds, kinds) + late(thresholds))
}

/// How many there are before they repeat with other random numbers.
fn early(thresholds: &[Small], kinds: &[Kind]) -> usize {
    let integers = kinds.iter().any(|kind| !matches!(kind, Kind::Float(_)));
    PATTERNS.len() + if integers { INTEGERS } else { 0 } + AROUND * thresholds.len()
}

/// How many there are in the end before they repeat.
fn late(thresholds: &[Small]) -> usize {
    if thresholds.is_empty() {
        return 0;
    }
    BESIDE * thresholds.len() + MIXED + BETWEEN * (thresholds.len() - 1)
}

/// The values of all elements (by rank) in one try. Thresholds are numbers that the terms compare
/// with: on both sides of one, a guard goes both ways. Lone elements occur on one side only.
pub(super) fn point(
    seed: u64,
    attempt: usize,
    kinds: &[Kind],
    lone: &[bool],
    thresholds: &[Small],
) -> Vec<Small> {
    let seed = random(seed, attempt as u64);
    let early = early(thresholds, kinds);
    if let Some(after) = attempt.checked_sub(ROUNDS * early).filter(|_| !thresholds.is_empty()) {
        return beside(seed, after % late(thresholds), thresholds, kinds);
    }
    let place = attempt % early;
    match place.checked_sub(FIRST) {
        None => patterned(seed, PATTERNS[place], kinds, lone),
        Some(late) if late < AROUND * thresholds.len() => {
            let round = attempt / early;
            around(seed, (thresholds[late / AROUND], late % AROUND), round, kinds)
        }
        Some(late) => {
            // Only where there are integers is there a try beyond the patterns.
            let at = FIRST + late - AROUND * thresholds.len();
            let integers = if at.is_multiple_of(2) { Pattern::Any } else { Pattern::Edge };
            patterned(seed, PATTERNS.get(at).copied().unwrap_or(integers), kinds, lone)
        }
    }
}

/// Values next to a threshold, and on it; then some on it and the others small, because what stands beside a
/// guard need not be of its size; the last time half of it and half as much again, of either sign, because a
/// rounded threshold is on neither side of itself.
fn around(seed: u64, (threshold, time): (Small, usize), round: usize, kinds: &[Kind]) -> Vec<Small> {
    let step = Ratio::from_integer(1 + threshold.to_integer().abs() / 64);
    let value = |rank: usize| {
        let word = random(seed, rank as u64);
        if time + 1 == AROUND {
            let part = threshold * Ratio::new(1 + 2 * (word >> 8 & 1) as i64, 2);
            return if word & 1 == 0 { part } else { -part };
        }
        // One half on the threshold, or, later, beyond it, and the other half small: positive ones first, for
        // roots and powers; at last any half.
        if let Some(half) = (time + 3).checked_sub(AROUND) {
            let own = if round < 2 { rank & 1 } else { (word >> 24) as usize & 1 };
            if own == half {
                return if round == 1 { threshold * Ratio::from_integer(4) } else { threshold };
            }
            let small = (word >> 8) as i64 % if round == 0 { 3 } else { 5 };
            return Ratio::from_integer(if round == 0 { small + 1 } else { small - 2 });
        }
        threshold + Ratio::from_integer((word % 3) as i64 - 1) * step
    };
    kinds.iter().enumerate().map(|(rank, kind)| kind.admit(value(rank))).collect()
}

/// Values a quarter beside a threshold and 1 or 2, in turn: what two roundings make different lies between
/// two thresholds. Then all of them near thresholds of their own. In the end half of them lie midway between a threshold and
/// the next one, however close those are.
fn beside(seed: u64, late: usize, thresholds: &[Small], kinds: &[Kind]) -> Vec<Small> {
    let between = late.checked_sub(BESIDE * thresholds.len() + MIXED).map(|at| {
        let mut ascending = thresholds.to_vec();
        ascending.sort_unstable();
        let low = at / BETWEEN;
        ((ascending[low] + ascending[low + 1]) / Ratio::from_integer(2), at % BETWEEN)
    });
    let quarters = |word: u64| Ratio::new((word >> 16) as i64 % 7 - 3, 4);
    let value = |rank: usize| {
        let word = random(seed, rank as u64);
        match (between, thresholds.get(late / BESIDE)) {
            (Some((midway, half)), _) if rank & 1 == half => midway,
            (Some(_), _) => Ratio::from_integer(1 + (word >> 8 & 1) as i64),
            (None, Some(threshold)) if rank & 1 == late & 1 => {
                threshold + Ratio::new(if late & 2 == 0 { 1 } else { -1 }, 4)
            }
            (None, Some(_)) => Ratio::from_integer(1 + (word >> 8 & 1) as i64 * (late & 1) as i64),
            (None, None) => thresholds[(word >> 32) as usize % thresholds.len()] + quarters(word),
        }
    };
    kinds.iter().enumerate().map(|(rank, kind)| kind.admit(value(rank))).collect()
}

fn patterned(seed: u64, pattern: Pattern, kinds: &[Kind], lone: &[bool]) -> Vec<Small> {
    let count = kinds.len();
    let value = |rank: usize| {
        let word = random(seed, rank as u64);
        let within = |low: i64, high: i64| low + (word % (high - low + 1) as u64) as i64;
        match pattern {
            Pattern::Random(low, high, scale) => Ratio::new(within(low, high), scale),
            Pattern::Any => match kinds[rank].range() {
                Some((least, most)) => {
                    let count = (i128::from(most) - i128::from(least) + 1) as u128;
                    let offset = (u128::from(word) % count) as i128;
                    Ratio::from_integer((i128::from(least) + offset) as i64)
                }
                None => Ratio::from_integer(within(-8, 8)),
            },
            Pattern::Edge => match kinds[rank].range() {
                Some((least, most)) => {
                    let step = (word >> 8) as i64 % 3;
                    let power = 1i64 << ((word >> 16) % 62);
                    Ratio::from_integer(match word % 5 {
                        0 => least + step,
                        1 => most - step,
                        2 => power - 1 + step,
                        3 if least < 0 => -power + step,
                        _ => step,
                    })
                }
                None => Ratio::from_integer(within(-8, 8)),
            },
            Pattern::Constant(value) => Ratio::from_integer(value),
            Pattern::Ascending(low, period) => Ratio::from_integer(low + rank as i64 % period),
            Pattern::Powers(low, high) => {
                let power = within(low, high);
                let scale = Ratio::from_integer(1i64 << power.unsigned_abs());
                if power < 0 { scale.recip() } else { scale }
            }
            Pattern::Lone(value) if lone[rank] => Ratio::from_integer(value),
            Pattern::Lone(_) => Ratio::from_integer(within(-2, 2)),
            Pattern::Part(part, of) => Ratio::from_integer(i64::from(count > 0 && rank * of / count == part)),
        }
    };
    kinds.iter().enumerate().map(|(rank, kind)| kind.admit(value(rank))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_numbers_of_their_format() {
        let of = |above: i64, below: i64, format| Kind::of(format).admit(Ratio::new(above, below));
        assert_eq!(of(876, 1, Format::E4m3), Ratio::from_integer(448));
        assert_eq!(of(-17, 1, Format::E4m3), Ratio::from_integer(-16));
        assert_eq!(of(1, 1000, Format::E4m3), Ratio::new(1, 512));
        assert_eq!(of(0, 1, Format::E2m1), Ratio::from_integer(0));
        assert_eq!(of(-5, 1, Format::Ue8m0), Ratio::from_integer(4));
        assert_eq!(of(1, 1000, Format::Ue8m0), Ratio::new(1, 1024));
        assert_eq!(of(999, 1, Format::E5m2), Ratio::from_integer(1024));
        assert_eq!(of(2049, 1, Format::F16), Ratio::from_integer(2048));
        assert_eq!(of(100_000, 1, Format::F16), Ratio::from_integer(65_504));
        assert_eq!(of(1, 3, Format::Bf16), Ratio::new(171, 512));
        assert_eq!(of(1, 10, Format::F32), Ratio::new(13_421_773, 1 << 27));
        for format in [Format::E4m3, Format::F16, Format::F32, Format::F64] {
            for exact in [0, 1, -3, 16] {
                assert_eq!(of(exact, 8, format), Ratio::new(exact, 8));
            }
        }
    }
}
