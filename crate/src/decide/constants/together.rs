//! Another reading, for two sides that the first one leaves apart: constants of both kernels read together.
//!
//! A compiler folds `sqrtf(2 / π)` in steps and ends beside the number that somebody else writes down; one
//! kernel holds `k·0.044715` as one constant, or 1 - 0.9f, where the other has both factors, or 0.1. So a
//! constant of one kernel that nothing else explains is read as a number made of the constants that are
//! understood or stand in the other kernel: 2ⁿ·E, and 1 - E, for products E of up to three of them or of their
//! reciprocals, the fewest that do, and the nearest among those.
//!
//! Guarantees: a constant is read as nothing that lies farther off than it may be by rounding ([`Spread`]);
//! different constants of one kernel are read as different numbers; what was read here explains no other
//! constant. A proof with this reading is one up to rounding, never an equality.
//! Misses: sums other than with 1; constants that two kernels share but mean differently.

use super::exact::{Exact, Factor};
use super::meanings::{Meaning, Meanings, Spread};
use crate::base::{Budget, Exhausted};
use crate::term::{Interval, Number, Terms};
use num_rational::{BigRational, Ratio};
use num_traits::{Signed, ToPrimitive};
use std::collections::BTreeMap;

/// Constants of which products are made.
const MOST_FACTORS: usize = 24;
/// Powers of two that may stand before a product.
const POWERS: std::ops::RangeInclusive<i64> = -3..=3;

/// A constant read anew.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::decide) struct Reread {
    /// As it is written.
    pub(in crate::decide) written: f64,
    /// What it is read as.
    pub(in crate::decide) read: Exact,
}

impl Reread {
    /// How far it is from what is written, as a part of that.
    pub(in crate::decide) fn part(&self) -> f64 {
        (self.read.enclosure().minus(Interval::point(self.written)).abs().high() / self.written).abs()
    }
}

/// A constant's magnitude, in both kernels.
struct Known {
    used: [bool; 2],
    /// How far the number meant may be.
    radius: f64,
    meaning: Exact,
    /// Its meaning is another number than its bits: it was recognized.
    recognized: bool,
}

impl Known {
    fn is_loose(&self) -> bool {
        self.radius > 0.0 && !self.recognized && self.used[0] != self.used[1]
    }
}

/// The same meanings, but for constants that are read anew, and which those are; `None` if there are none.
pub(in crate::decide) fn together(
    meanings: &Meanings,
    terms: [&Terms; 2],
    budget: &Budget,
) -> Result<Option<(Meanings, Vec<Reread>)>, Exhausted> {
    let mut known = listed(meanings, terms);
    let mut reread: BTreeMap<BigRational, Exact> = BTreeMap::new();
    // The optimized kernel's first: what was read anew explains nothing.
    for side in [1, 0] {
        let factors = factors_of(&known, &reread, side);
        let loose = known.iter().filter(|(_, constant)| constant.is_loose() && constant.used[side]);
        let loose: Vec<BigRational> = loose.map(|(value, _)| value.clone()).collect();
        for value in loose {
            budget.poll()?;
            let taken = |meaning: &Exact| {
                known.values().any(|constant| constant.used[side] && constant.meaning == *meaning)
            };
            let Some(read) = explained(&value, known[&value].radius, &factors, taken) else { continue };
            if let Some(constant) = known.get_mut(&value) {
                constant.meaning = read.clone();
            }
            reread.insert(value, read);
        }
    }
    if reread.is_empty() {
        return Ok(None);
    }
    let anew = |number: &Number| match number {
        Number::Rational(value) => {
            let read = reread.get(&value.abs())?;
            Some(Meaning::Number(if value.is_negative() { read.negated() } else { read.clone() }))
        }
        _ => None,
    };
    let mut others = meanings.clone();
    for (side, terms) in terms.into_iter().enumerate() {
        for (constant, meaning) in terms.constants().iter().zip(others.side_mut(side)) {
            if let Some(anew) = anew(&constant.number) {
                *meaning = anew;
            }
        }
    }
    let reread =
        reread.into_iter().filter_map(|(value, read)| Some(Reread { written: value.to_f64()?, read }));
    Ok(Some((others, reread.collect())))
}

/// The constants that kernels use, by magnitude.
fn listed(meanings: &Meanings, terms: [&Terms; 2]) -> BTreeMap<BigRational, Known> {
    let mut known: BTreeMap<BigRational, Known> = BTreeMap::new();
    for (side, terms) in terms.into_iter().enumerate() {
        let spreads = meanings.spreads(side).iter().zip(meanings.side(side));
        for (constant, (spread, meaning)) in terms.constants().iter().zip(spreads) {
            let (Number::Rational(value), Meaning::Number(meaning)) = (&constant.number, meaning) else {
                continue;
            };
            if !meanings.is_used(side, value) {
                continue;
            }
            let radius = spread.map_or(0.0, |Spread { radius, .. }| radius);
            let recognized = meaning.as_rational() != Some(value);
            let meaning = if meaning.is_negative() { meaning.negated() } else { meaning.clone() };
            let entry =
                known.entry(value.abs()).or_insert(Known { used: [false; 2], radius, meaning, recognized });
            entry.used[side] = true;
            entry.radius = entry.radius.max(radius);
        }
    }
    known
}

/// A number that others are made of, and about how large it is.
struct Operand {
    meaning: Exact,
    size: f64,
}

impl Operand {
    fn of(meaning: Exact) -> Option<Operand> {
        let interval = meaning.enclosure();
        let size = (interval.low() + interval.high()) / 2.0;
        (size.is_finite() && size > 0.0 && size != 1.0).then_some(Operand { meaning, size })
    }
}

/// What is understood, and what stands in the other kernel and was not read anew; with all reciprocals.
fn factors_of(
    known: &BTreeMap<BigRational, Known>,
    reread: &BTreeMap<BigRational, Exact>,
    side: usize,
) -> Vec<Operand> {
    let usable = known.iter().filter(|(value, constant)| {
        !reread.contains_key(*value) && (constant.used[1 - side] || !constant.is_loose())
    });
    let mut factors: Vec<Operand> =
        usable.filter_map(|(_, constant)| Operand::of(constant.meaning.clone())).take(MOST_FACTORS).collect();
    factors.extend(
        [(Factor::Ln2, 1), (Factor::Ln10, 1)]
            .into_iter()
            .filter_map(|(factor, power)| Operand::of(Exact::factor(factor, Ratio::from_integer(power))?)),
    );
    let inverse: Vec<Operand> =
        factors.iter().filter_map(|factor| Operand::of(factor.meaning.reciprocal()?)).collect();
    factors.extend(inverse);
    factors
}

/// The number made of the fewest factors that is so near to a constant, and the nearest of those.
fn explained(
    value: &BigRational,
    radius: f64,
    factors: &[Operand],
    taken: impl Fn(&Exact) -> bool,
) -> Option<Exact> {
    let target = value.to_f64().filter(|target| radius < *target)?;
    let bits = Interval::of_rational(value);
    // Far most products are far off: floats tell.
    let near = |size: f64| (size - target).abs() <= radius * 2.0;
    for count in 1..=3 {
        let mut best: Option<(f64, Exact)> = None;
        let mut offer = |meaning: Option<Exact>| {
            let Some(meaning) = meaning.filter(|meaning| !meaning.is_zero() && !meaning.is_negative()) else {
                return;
            };
            let off = meaning.enclosure().minus(bits).abs().high();
            if off <= radius && best.as_ref().is_none_or(|(least, _)| off < *least) && !taken(&meaning) {
                best = Some((off, meaning));
            }
        };
        each_product(factors, count, 0, 1.0, &mut Vec::new(), &mut |chosen, size| {
            let product =
                || chosen.iter().try_fold(Exact::integer(1), |so_far, factor| so_far.times(&factor.meaning));
            for power in POWERS {
                if near(size * (power as f64).exp2()) {
                    let scale = Exact::factor(Factor::Prime(2), Ratio::from_integer(power));
                    offer(product().and_then(|product| product.times(&scale?)));
                }
            }
            if near(1.0 - size) {
                offer(product().and_then(|product| Exact::integer(1).plus(&product.negated())));
            }
        });
        if let Some((_, meaning)) = best {
            return Some(meaning);
        }
    }
    None
}

/// All products of `count` factors from `first` on, in order.
fn each_product<'a>(
    factors: &'a [Operand],
    count: usize,
    first: usize,
    size: f64,
    chosen: &mut Vec<&'a Operand>,
    see: &mut dyn FnMut(&[&'a Operand], f64),
) {
    if count == 0 {
        return see(chosen, size);
    }
    for (at, factor) in factors.iter().enumerate().skip(first) {
        chosen.push(factor);
        each_product(factors, count - 1, at, size * factor.size, chosen, see);
        chosen.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Format;
    use crate::decide::Options;
    use crate::diag::Ledger;
    use crate::term::Term;

    /// What constants of (reference, optimized) are read as together, as text.
    fn read(reference: &[f32], optimized: &[f32]) -> Vec<String> {
        let mut stores = [Terms::new(), Terms::new()];
        let mut roots = [Vec::new(), Vec::new()];
        for (side, constants) in [reference, optimized].into_iter().enumerate() {
            for value in constants {
                let constant = stores[side].number(Format::F32, value.to_bits().into());
                roots[side].push(stores[side].mul(Term::element(0), constant));
            }
        }
        let sides = [(&stores[0], roots[0].as_slice()), (&stores[1], roots[1].as_slice())];
        let (options, budget) = (Options::default(), Budget::default());
        let meanings = Meanings::of(&options, &budget, sides, &mut Ledger::default()).unwrap();
        let found = together(&meanings, [&stores[0], &stores[1]], &budget).unwrap();
        found.map_or(Vec::new(), |(_, reread)| reread.iter().map(|one| one.read.to_string()).collect())
    }

    #[test]
    fn neighbours_and_products_are_explained() {
        let stepwise = 0.797_884_5f32; // sqrtf(2.0f / 3.14159265f), one unit below the root
        assert_eq!(read(&[stepwise], &[0.797_884_6]), ["√2·π^(-1/2)"]);
        assert_eq!(read(&[stepwise], &[1.595_769_2]), ["√2·π^(-1/2)"]);
        assert_eq!(read(&[1.595_769_2, 0.044_715], &[0.035_677_407]).len(), 1);
        assert_eq!(read(&[0.9], &[1.0 - 0.9]), ["1/10"]);
        assert_eq!(read(&[0.123_456_79], &[0.123_456_79f32.next_up()]).len(), 1);
    }

    #[test]
    fn what_is_farther_off_is_not() {
        assert!(read(&[0.797_884_4], &[0.797_884_6]).is_empty(), "three units");
        assert!(read(&[0.5], &[0.500_000_2]).is_empty(), "three units");
        assert!(read(&[0.797_884_6, 0.044_715], &[0.035_677_5]).is_empty());
        // Two constants of one kernel stay two numbers.
        assert!(read(&[0.123_456_79, 0.123_456_79f32.next_up()], &[0.123_456_79]).is_empty());
    }
}
