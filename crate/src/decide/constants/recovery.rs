//! Recovery: which real number did the author of a rounded constant mean?
//!
//! Candidates are the simple numbers that round to exactly these bits: `r·K` and `√(r·K)` for
//! rationals `r` and products `K` of π, ln 2, ln 10 and e, and decimals with few digits. Each
//! candidate has a cost in bits (how long it takes to write down); about 2^cost candidates are
//! that cheap, so one that lands in an interval of relative width 2^-precision by chance has cost
//! near the precision. A candidate is believed when it is cheaper than that by [`CREDIBLE`] bits
//! and cheaper than every other one, the exact value included, by [`GAP`] bits; otherwise the
//! constant keeps its exact value, which is always safe.
//!
//! Guarantees: a recovered number rounds (to nearest) to the given bits, strictly inside the
//! rounding interval, whose lower half is narrower below a power of two; so two different
//! constants of one format are not read as the same number. One exception, which the description
//! (and so the ledger) names: 1/√n and log₂ e/√n may be what single-precision arithmetic gives
//! when it rounds after every step, as compilers do when they fold `1.0f/sqrtf(96.0f)`. That can
//! lie a unit away, and must then be exactly those bits.
//! Misses: truncated constants, sums of named constants, and anything long.

use super::exact::{Exact, Factor};
use super::simplest::simplest_between;
use crate::base::Format;
use crate::term::slack;
use num_bigint::BigInt;
use num_rational::{BigRational, Ratio};
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};
use std::sync::LazyLock;

/// How many bits cheaper than the format's precision a candidate must be.
const CREDIBLE: f64 = 7.5;
/// The dearest candidate that is believed in any format.
const DEAREST: f64 = 22.0;
/// How many bits cheaper than the runner-up.
const GAP: f64 = 4.0;

/// Significand bits (with the hidden one) and the exponent of the smallest positive number.
fn precision(format: Format) -> Option<(i64, i64)> {
    Some(match format {
        Format::F64 => (53, -1074),
        Format::F32 | Format::Tf32 => (24, -149),
        Format::F16 => (11, -24),
        Format::Bf16 => (8, -133),
        Format::E5m2 => (3, -16),
        Format::E4m3 => (4, -9),
        _ => return None,
    })
}

/// The reals that certainly round to a positive number of a format: strictly between
/// `low · 2^exponent` and `high · 2^exponent`.
struct Rounding {
    low: BigInt,
    high: BigInt,
    exponent: i64,
}

impl Rounding {
    fn of(value: &BigRational, format: Format) -> Option<Rounding> {
        let (bits, smallest) = precision(format)?;
        let first = exponent_of(value);
        let unit = (first - bits + 1).max(smallest);
        let significand = value * power_of_two(-unit);
        if !significand.is_integer() {
            return None;
        }
        let significand: BigInt = significand.to_integer() << 2;
        // Below a power of two the floats lie twice as close.
        let below = if value == &power_of_two(first) && unit > smallest { 1 } else { 2 };
        Some(Rounding { low: &significand - below, high: significand + 2, exponent: unit - 2 })
    }

    fn low(&self) -> BigRational {
        BigRational::from_integer(self.low.clone()) * power_of_two(self.exponent)
    }

    fn high(&self) -> BigRational {
        BigRational::from_integer(self.high.clone()) * power_of_two(self.exponent)
    }
}

/// Whether a number certainly rounds to `value` in a format.
pub(super) fn rounds_to(number: &Exact, value: &BigRational, format: Format) -> bool {
    if number.is_negative() != value.is_negative() {
        return false;
    }
    let Some(rounding) = Rounding::of(&value.abs(), format) else { return false };
    let positive = if number.is_negative() { number.negated() } else { number.clone() };
    match positive.as_rational() {
        Some(rational) => &rounding.low() < rational && rational < &rounding.high(),
        None => positive.bounds().is_some_and(|(low, high)| rounding.low() < low && high < rounding.high()),
    }
}

/// What `value`, rounded to `format`, is read as; with a description. `None` when nothing simple
/// is certain.
pub(super) fn recover(value: &BigRational, format: Format) -> Option<(Exact, String)> {
    let (bits, _) = precision(format)?;
    if value.is_zero() || (value.is_integer() && value.numer().bits() <= bits as u64) {
        return None;
    }
    let rounding = Rounding::of(&value.abs(), format)?;
    let dearest = (bits as f64 - CREDIBLE).min(DEAREST);
    let mut candidates = Candidates { found: Vec::new(), limit: dearest + GAP };
    candidates.push(rational_cost(&value.abs()), Exact::rational(value.abs()), String::new());
    decimals(&value.abs(), &rounding, &mut candidates);
    for (form, product) in FORMS.iter().zip(PRODUCTS.iter()) {
        form.candidates(product, &rounding, &mut candidates);
    }
    if format == Format::F32 {
        folded(value, &mut candidates);
    }
    let (cost, exact, text) = candidates.clear_winner()?;
    let unchanged = exact.as_rational() == Some(&value.abs());
    if unchanged || cost > dearest {
        return None;
    }
    if value.is_negative() { Some((exact.negated(), format!("-{text}"))) } else { Some((exact, text)) }
}

struct Candidates {
    found: Vec<(f64, Exact, String)>,
    /// What costs more is neither believed nor close to what is.
    limit: f64,
}

impl Candidates {
    fn push(&mut self, cost: f64, exact: Exact, text: String) {
        match self.found.iter_mut().find(|(_, known, _)| *known == exact) {
            Some(known) if known.0 > cost => *known = (cost, exact, text),
            Some(_) => {}
            None => self.found.push((cost, exact, text)),
        }
    }

    /// The cheapest, if it is cheaper than all others by the gap.
    fn clear_winner(mut self) -> Option<(f64, Exact, String)> {
        self.found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let runner_up = self.found.get(1).map_or(f64::INFINITY, |second| second.0);
        let winner = self.found.into_iter().next()?;
        (winner.0 + GAP <= runner_up).then_some(winner)
    }
}

/// Decimals with up to seven digits inside the interval: the shortest one.
fn decimals(value: &BigRational, rounding: &Rounding, candidates: &mut Candidates) {
    let (low, high) = (rounding.low(), rounding.high());
    let ten = BigRational::from_integer(10.into());
    // The decimal exponent of the first digit, from the binary one; off by one does not matter.
    let first = (exponent_of(value) as f64 * std::f64::consts::LOG10_2).floor() as i32;
    for digits in 0..8 {
        let unit = first + 1 - digits;
        let scale = Pow::pow(&ten, unit);
        let count = (value / &scale).round();
        let candidate = &count * &scale;
        if count.is_zero() || candidate <= low || candidate >= high {
            continue;
        }
        // People write decimals: they start ahead of other rationals of the same length.
        let cost = (log2(count.numer()) - 1.5).max(0.0) + f64::from(unit.abs() + 1).log2() / 2.0;
        candidates.push(cost, Exact::rational(candidate.clone()), plain(&candidate));
        return;
    }
}

/// `c^degree = r·K`: a shape that constants take.
struct Form {
    degree: i32,
    /// The powers of π, ln 2, ln 10 and e in K.
    powers: &'static [(Factor, i64)],
    cost: f64,
    /// How the K's part is written: before and after the root or fraction.
    name: &'static str,
}

const fn form(degree: i32, powers: &'static [(Factor, i64)], cost: f64, name: &'static str) -> Form {
    Form { degree, powers, cost, name }
}

const FORMS: &[Form] = {
    use Factor::{E, Ln2, Ln10, Pi};
    &[
        form(1, &[], 0.0, ""),
        form(1, &[(Pi, 1)], 2.0, "π"),
        form(1, &[(Pi, -1)], 2.0, "1/π"),
        form(1, &[(Pi, 2)], 5.0, "π²"),
        form(1, &[(Pi, -2)], 5.0, "1/π²"),
        form(1, &[(Ln2, 1)], 2.0, "ln 2"),
        form(1, &[(Ln2, -1)], 2.0, "log₂ e"),
        form(1, &[(Ln10, 1)], 3.0, "ln 10"),
        form(1, &[(Ln10, -1)], 3.0, "log₁₀ e"),
        form(1, &[(Ln2, 1), (Ln10, -1)], 3.0, "log₁₀ 2"),
        form(1, &[(Ln2, -1), (Ln10, 1)], 3.0, "log₂ 10"),
        form(1, &[(E, 1)], 3.0, "e"),
        form(1, &[(E, -1)], 3.0, "1/e"),
        form(2, &[], 2.0, ""),
        form(2, &[(Pi, 1)], 4.0, "√π"),
        form(2, &[(Pi, -1)], 4.0, "1/√π"),
        form(2, &[(Ln2, -2)], 4.0, "log₂ e"),
        form(2, &[(Ln2, 2)], 4.0, "ln 2"),
    ]
};

/// Integers `least ≤ K · 2^unit ≤ most`.
type Product = (BigInt, BigInt, i64);

/// The K of each form.
static PRODUCTS: LazyLock<Vec<Product>> = LazyLock::new(|| FORMS.iter().map(Form::product).collect());

/// Bits of the fixed-point quotients that the search works on.
const FIXED: i64 = 97;

impl Form {
    /// Adds the simplest rationals `r` whose number of this form lies in the interval, as they
    /// stand and relative to a power of two.
    #[inline(never)]
    fn candidates(&self, product: &Product, rounding: &Rounding, candidates: &mut Candidates) {
        let (least, most, unit) = product;
        let (low, high) =
            (Pow::pow(&rounding.low, self.degree as u32), Pow::pow(&rounding.high, self.degree as u32));
        let shift = FIXED + most.bits() as i64 - high.bits() as i64;
        if shift < 0 || !low.is_positive() {
            return;
        }
        // Rounded inwards: strictly inside for every value that K can have between its bounds.
        let low = ((low << shift) / least + 1u8).to_u128();
        let high = ((high << shift) / most).to_u128();
        let (Some(low), Some(high)) = (low, high) else { return };
        // The rationals looked for lie between low and high times this power of two.
        let exponent = i64::from(self.degree) * rounding.exponent + unit - shift;
        let top = i64::from(low.ilog2());
        for below in [Some(top), (0..=124).contains(&-exponent).then_some(-exponent)].into_iter().flatten() {
            let scale = exponent + below;
            let unit = 1u128 << below;
            let Some(middle) = simplest_between((low, unit), (high, unit)) else { continue };
            let around = [simplest_between((low, unit), middle), simplest_between(middle, (high, unit))];
            for (above, below) in std::iter::once(Some(middle)).chain(around).flatten() {
                self.candidate(above, below, scale, candidates);
            }
        }
    }

    fn candidate(&self, above: u128, below: u128, scale: i64, candidates: &mut Candidates) {
        let odd = |n: u128| (n >> n.trailing_zeros()) as f64;
        let power = scale + i64::from(above.trailing_zeros()) - i64::from(below.trailing_zeros());
        let length = odd(above).log2() + odd(below).log2();
        // A named number alone, or scaled by a power of two, needs no further evidence.
        let scaled = if self.cost > 0.0 && length > 0.0 { 3.0 } else { 0.0 };
        let cost = self.cost + length + ((power.abs() + 1) as f64).log2() + scaled;
        if cost > candidates.limit {
            return;
        }
        let rational = BigRational::new(above.into(), below.into()) * power_of_two(scale);
        if let Some(exact) = self.exact(&rational) {
            candidates.push(cost, exact, self.text(&rational));
        }
    }

    fn product(&self) -> Product {
        let mut bounds = (BigRational::one(), BigRational::one());
        for (factor, power) in self.powers {
            let (low, high) = factor.bounds();
            let (low, high) = if *power > 0 { (low, high) } else { (high, low) };
            bounds.0 *= Pow::pow(&low, *power as i32);
            bounds.1 *= Pow::pow(&high, *power as i32);
        }
        let unit = if self.powers.is_empty() { 0 } else { 120 };
        let scale = power_of_two(unit);
        ((bounds.0 * &scale).floor().to_integer(), (bounds.1 * scale).ceil().to_integer(), unit)
    }

    fn exact(&self, rational: &BigRational) -> Option<Exact> {
        let mut value = Exact::rational(rational.clone());
        for (factor, power) in self.powers {
            value = value.times(&Exact::factor(*factor, Ratio::from_integer(*power))?)?;
        }
        value.power(Ratio::new(1, i64::from(self.degree)))
    }

    /// `3·π/4`, `log₂ e/√128`, `√(2/π)` as a person would write it.
    fn text(&self, rational: &BigRational) -> String {
        let root = |n: &BigInt| {
            let whole = n.sqrt();
            if self.degree == 1 {
                n.to_string()
            } else if &whole * &whole == *n {
                whole.to_string()
            } else {
                format!("√{n}")
            }
        };
        let (above, below) = (rational.numer(), rational.denom());
        let (over, under) = match self.name.strip_prefix("1/") {
            Some(under) => ("", under),
            None => (self.name, ""),
        };
        let join = |number: &BigInt, name: &str| match (number.is_one(), name.is_empty()) {
            (_, true) => root(number),
            (true, false) => name.to_owned(),
            (false, false) => format!("{}·{name}", root(number)),
        };
        let (above, below) = (join(above, over), join(below, under));
        if below == "1" {
            above
        } else if below.contains('·') {
            format!("{above}/({below})")
        } else {
            format!("{above}/{below}")
        }
    }
}

/// How far the number meant may be from a positive constant that is what a difference of larger numbers
/// left over: then it has their rounding, not its own. 0 if it is not recognized as one.
///
/// `1 - 0.9f` is 0.100000024: one less the constant is a number that somebody would write. And the
/// cosine of a rounded π/2 is what π/2 lacked, where 0 was meant: 6.1e-17 in double precision.
pub(super) fn left_over(value: &BigRational, format: Format) -> f64 {
    let one = BigRational::one();
    let mut most = 0.0f64;
    for whole in [&one - value, &one + value, value - &one] {
        if whole.is_positive() && recover(&whole, format).is_some() {
            most = most.max(slack(&whole, format));
        }
    }
    if is_residue_of_pi(value, format) { most.max(value.to_f64().unwrap_or(0.0)) } else { most }
}

/// Whether `value` is how far a float next to a multiple of π/2 lies from it: its sine or cosine there.
/// Once in 2^(digits of `value`) that is so by chance.
fn is_residue_of_pi(value: &BigRational, format: Format) -> bool {
    let (low, _) = Factor::Pi.bounds();
    // The next single of the largest angle is the farthest.
    let most = (&low * BigRational::new(QUADRANTS.into(), 2.into())).to_f32().unwrap_or(0.0);
    if value.to_f64().is_some_and(|value| value > 4.0 * (f64::from(most.next_up()) - f64::from(most))) {
        return false;
    }
    let Some(off) = BigRational::from_float(slack(value, format)) else { return false };
    (1..=QUADRANTS).any(|quadrant| {
        let angle = &low * BigRational::new(quadrant.into(), 2.into());
        [angle.clone() - value, angle.clone() + value].iter().any(|near| {
            let double = near.to_f64().unwrap_or(0.0);
            let unit = angle.to_f64().map_or(0.0, |angle| angle.next_up() - angle);
            let single = f64::from(double as f32);
            let singles = angle.to_f32().map_or(0.0, |angle| f64::from(angle.next_up()) - f64::from(angle));
            [(double, unit), (single, singles)].into_iter().any(|(float, unit)| {
                let Some(float) = BigRational::from_float(float) else { return false };
                let next = BigRational::from_float(2.0 * unit).is_some_and(|near| *value <= near);
                next && (float - near).abs() <= off
            })
        })
    })
}

/// Quarter turns whose neighbours are tried: two turns.
const QUADRANTS: i64 = 8;

/// How a number is described that only repeated rounding explains.
const STEPWISE: &str = "rounded after every step";

/// Numbers that single-precision arithmetic on constants leaves behind: 1/√n, and its product with
/// log₂ e, rounded after every step. Such a constant may lie outside its own rounding interval
/// around the number meant, so it must be exactly what the steps give.
fn folded(value: &BigRational, candidates: &mut Candidates) {
    let Some(target) = value.abs().to_f32().filter(|target| *target > 0.0) else { return };
    let log2e = std::f32::consts::LOG2_E;
    for (scale, name) in [(None, "1"), (Some(log2e), "log₂ e")] {
        let root = f64::from(scale.unwrap_or(1.0)) / f64::from(target);
        let near = (root * root).round();
        if !(2.0..=4096.0).contains(&near) {
            continue;
        }
        let n = near as f32;
        let reciprocal = n.sqrt().recip();
        let steps = match scale {
            None => [reciprocal, reciprocal],
            Some(log2e) => [reciprocal * log2e, log2e / n.sqrt()],
        };
        if !steps.contains(&target) {
            continue;
        }
        let n = near as i64;
        let odd = (n >> n.trailing_zeros()) as f64;
        let cost = odd.log2() + f64::from(n.trailing_zeros() + 1).log2() + 5.0;
        let power = if scale.is_some() { Factor::Ln2.to_the(-1) } else { Some(Exact::integer(1)) };
        let exact = Exact::integer(n).power(Ratio::new(-1, 2)).and_then(|root| power?.times(&root));
        if let Some(exact) = exact {
            candidates.push(cost, exact, format!("{name}/√{n} ({STEPWISE})"));
        }
    }
}

/// Bits to write a rational down; powers of two count by their exponent.
fn rational_cost(value: &BigRational) -> f64 {
    let shifts = |n: &BigInt| n.trailing_zeros().unwrap_or(0);
    let (above, below) = (value.numer().abs(), value.denom().clone());
    let (up, down) = (shifts(&above), shifts(&below));
    log2(&(above >> up)) + log2(&(below >> down)) + ((up + down + 1) as f64).log2()
}

/// log₂ of a positive integer, near enough for costs.
fn log2(value: &BigInt) -> f64 {
    match value.to_f64() {
        Some(float) if float.is_finite() => float.log2(),
        _ => value.bits() as f64,
    }
}

/// ⌊log₂ value⌋ of a positive rational.
fn exponent_of(value: &BigRational) -> i64 {
    let guess = value.numer().bits() as i64 - value.denom().bits() as i64;
    if power_of_two(guess) <= *value { guess } else { guess - 1 }
}

fn power_of_two(exponent: i64) -> BigRational {
    let power = BigRational::from_integer(BigInt::one() << exponent.unsigned_abs());
    if exponent < 0 { power.recip() } else { power }
}

/// A decimal fraction in plain or scientific notation.
fn plain(value: &BigRational) -> String {
    match value.to_f64() {
        Some(float) if (1e-4..1e7).contains(&float) => format!("{float}"),
        Some(float) => format!("{float:e}"),
        None => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(value: f32) -> Option<String> {
        let value = BigRational::from_float(value).unwrap();
        recover(&value, Format::F32).map(|(_, text)| text)
    }

    #[test]
    fn familiar_constants() {
        for (value, text) in [
            (f32::from_bits(0x3fb8_aa3b), "log₂ e"),
            (std::f32::consts::LN_2, "ln 2"),
            (std::f32::consts::PI, "π"),
            (std::f32::consts::FRAC_PI_2, "π/2"),
            (std::f32::consts::FRAC_1_PI, "1/π"),
            (std::f32::consts::TAU, "2·π"),
            (std::f32::consts::SQRT_2, "√2"),
            (std::f32::consts::FRAC_1_SQRT_2, "1/√2"),
            (std::f32::consts::LOG2_10, "log₂ 10"),
            (std::f32::consts::LOG10_2, "log₁₀ 2"),
            (std::f32::consts::LN_10, "ln 10"),
            (std::f32::consts::E, "e"),
            (0.797_884_6, "√2/√π"),
            (0.398_942_3, "1/(√2·√π)"),
            (0.044_715, "0.044715"),
            (0.1, "0.1"),
            (-0.1, "-0.1"),
            (1e-5, "1e-5"),
            (1e-6, "1e-6"),
            (1e-12, "1e-12"),
            (1.702, "1.702"),
            (1.0 / 3.0, "1/3"),
            (1.0 / 768.0, "1/768"),
            (1.0 / 1000.0, "0.001"),
            (1.0 / 10007.0, "1/10007"),
            (5.0 / 7.0, "5/7"),
            ((1.0 / 128f64.sqrt()) as f32, "1/√128"),
            (0.127_517_43, "log₂ e/√128"),
            (0.180_336_88, "log₂ e/8"),
            (1.0 / (80.0f64).sqrt() as f32, "1/√80"),
            ((std::f64::consts::LOG2_E / 96f64.sqrt()) as f32, "log₂ e/√96"),
            (0.01, "0.01"),
            (128f32.sqrt().recip(), "1/√128"),
            // Rounded after the root and again after the division, 1/√96 lies one unit too low.
            (96f32.sqrt().recip(), "1/√96 (rounded after every step)"),
            (48f32.sqrt().recip() * std::f32::consts::LOG2_E, "log₂ e/√48 (rounded after every step)"),
        ] {
            assert_eq!(read(value).as_deref(), Some(text), "{value}");
        }
    }

    #[test]
    fn exact_and_unclear_constants_stay() {
        for value in [
            0.5f32,
            3.0,
            0.75,
            12_582_913.0,
            -12_583_039.0,
            252.0,
            0.001_953_125,
            1e10,
            f32::from_bits(0x32a5_7060), // the low part of log₂ e in expf
            f32::from_bits(0x3f31_7200), // the high part of ln 2 in Cody and Waite's reduction
        ] {
            assert_eq!(read(value), None, "{value}");
        }
    }

    #[test]
    fn neighbours_of_familiar_constants_are_not_them() {
        for value in [std::f32::consts::LOG2_E, 0.1f32, 1.0 / 3.0] {
            for near in [value.next_up(), value.next_down()] {
                assert_eq!(read(near), None, "{near}");
            }
        }
    }

    #[test]
    fn short_formats_recover_only_what_is_obvious() {
        let half = |bits: i64, power: i64| BigRational::new(bits.into(), BigInt::one() << power);
        assert_eq!(recover(&half(1365, 12), Format::F16).unwrap().1, "1/3");
        assert_eq!(recover(&half(1365, 12), Format::F32), None);
        assert_eq!(recover(&half(1477, 10), Format::F16).unwrap().1, "log₂ e");
        assert_eq!(recover(&half(171, 9), Format::Bf16), None);
        assert_eq!(recover(&BigRational::from_float(0.1f64).unwrap(), Format::F64).unwrap().1, "0.1");
        assert_eq!(recover(&BigRational::from_float(0.1f32).unwrap(), Format::F64), None);
        let log2e = BigRational::from_float(std::f64::consts::LOG2_E / 128f64.sqrt()).unwrap();
        assert_eq!(recover(&log2e, Format::F64).unwrap().1, "log₂ e/√128");
    }

    #[test]
    fn the_interval_is_narrower_below_a_power_of_two() {
        let one = BigRational::one();
        let rounding = Rounding::of(&one, Format::F32).unwrap();
        assert_eq!(&one - rounding.low(), power_of_two(-25));
        assert_eq!(rounding.high() - &one, power_of_two(-24));
        let smallest = Rounding::of(&power_of_two(-126), Format::F32).unwrap();
        assert_eq!(power_of_two(-126) - smallest.low(), power_of_two(-150));
    }

    #[test]
    fn what_a_difference_left_over_has_the_rounding_of_larger_numbers() {
        let of = |value: f32| left_over(&BigRational::from_float(value).unwrap(), Format::F32);
        // One less 0.9, and 1.1 less one: the rounding of 1.1 is the larger.
        assert_eq!(of(1.0 - 0.9f32), 1.5 * f64::from(-23).exp2());
        assert_eq!(of(1.0 - 0.999f32), 1.5 * f64::from(-24).exp2());
        for residue in [6.123_234e-17f32, 1.224_646_9e-16, 1.836_970_1e-16, 4.371_139e-8, 8.742_278e-8] {
            assert_eq!(of(residue), f64::from(residue), "{residue}");
        }
        for value in [0.1f32, 0.300_000_1, 1e-16, 3e-17, 1e-7, 6.2e-17, std::f32::consts::PI] {
            assert_eq!(of(value), 0.0, "{value}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        /// Whatever is recovered rounds to the bits it was recovered from, or says what it needs.
        #[test]
        fn recovered_numbers_round_back(bits in 0x3000_0000u32..0x4b00_0000) {
            let value = f32::from_bits(bits);
            if let Some((exact, text)) = recover(&BigRational::from_float(value).unwrap(), Format::F32) {
                let interval = exact.enclosure();
                if text.contains(STEPWISE) {
                    // Three roundings: never further than two units.
                    let off = (interval.low() as f32).to_bits().abs_diff(bits);
                    prop_assert!(off <= 2, "{} is {} units off", text, off);
                    return Ok(());
                }
                prop_assert_eq!(interval.low() as f32, value);
                prop_assert_eq!(interval.high() as f32, value);
            }
        }
    }

    /// Random constants have no simple meaning: a census, so that the thresholds stay honest.
    #[test]
    fn few_random_constants_are_recovered() {
        let mut state = 1u32;
        let recovered = (0..2000)
            .filter(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                read(f32::from_bits(0x3f00_0000 | state >> 9)).is_some()
            })
            .count();
        assert!(recovered <= 30, "{recovered} of 2000");
    }
}
