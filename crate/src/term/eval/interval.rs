//! Outward-rounded intervals: two floats that a real number certainly lies between.
//!
//! Sums, products, quotients and square roots are correctly rounded by the machine, so one step
//! outwards encloses them. The other functions come from the `libm` crate (the same code on every
//! platform, so that results are byte-identical in the browser), whose documented errors are below
//! 2 units in the last place, tanh and erf a few more; [`MARGIN`] allows 32 and then one step.
//!
//! Guarantees: if the operands lie in their intervals, the result lies in its interval, whenever
//! the operation is defined on all of the operands; otherwise `None`. An infinite end means "not
//! bounded by a float", never the value ∞.
//! Misses: tight ranges of sin and cos over wide intervals (they give [-1, 1]).

use num_integer::Integer;
use num_rational::{BigRational, Ratio};
use num_traits::{Signed, ToPrimitive, Zero};
use std::f64::consts;

/// Relative error allowed to a library function: 32 units in the last place.
const MARGIN: f64 = 32.0 * f64::EPSILON;

/// `low ≤ x ≤ high`; neither end is NaN.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    /// Every real.
    pub const WHOLE: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
    /// π = 3.14159265358979323846…
    pub const PI: Interval = Interval { low: consts::PI, high: consts::PI.next_up() };
    /// π/2 = 1.57079632679489661923…
    pub const HALF_PI: Interval = Interval { low: consts::FRAC_PI_2, high: consts::FRAC_PI_2.next_up() };
    /// ln 2 = 0.69314718055994530941…
    pub const LN_2: Interval = Interval { low: consts::LN_2, high: consts::LN_2.next_up() };
    /// ln 10 = 2.30258509299404568401…
    pub const LN_10: Interval = Interval { low: consts::LN_10.next_down(), high: consts::LN_10 };
    /// log₂ e = 1.44269504088896340735…
    pub const LOG2_E: Interval = Interval { low: consts::LOG2_E, high: consts::LOG2_E.next_up() };
    /// e = 2.71828182845904523536…
    pub const E: Interval = Interval { low: consts::E, high: consts::E.next_up() };

    /// The interval between two floats, whichever is smaller; everything if one is NaN.
    pub fn new(a: f64, b: f64) -> Interval {
        if a.is_nan() || b.is_nan() { Interval::WHOLE } else { Interval { low: a.min(b), high: a.max(b) } }
    }

    /// Exactly one float.
    pub fn point(value: f64) -> Interval {
        Interval::new(value, value)
    }

    /// The floats next to a rational (the same one twice when it is a float).
    pub fn of_rational(value: &BigRational) -> Interval {
        let Some(near) = value.to_f64().filter(|near| near.is_finite()) else {
            return if value.is_negative() {
                Interval { low: f64::NEG_INFINITY, high: f64::MIN }
            } else {
                Interval { low: f64::MAX, high: f64::INFINITY }
            };
        };
        match BigRational::from_float(near).map(|exact| exact.cmp(value)) {
            Some(std::cmp::Ordering::Equal) => Interval::point(near),
            // The conversion is within one unit, but nothing promises on which side.
            _ => Interval { low: near.next_down().next_down(), high: near.next_up().next_up() },
        }
    }

    /// The floats next to a small rational.
    pub fn of_ratio(value: Ratio<i64>) -> Interval {
        const EXACT: i64 = 1 << 53;
        let (above, below) = (*value.numer(), *value.denom());
        if above.abs() > EXACT || below > EXACT {
            return Interval::of_rational(&BigRational::new(above.into(), below.into()));
        }
        let near = above as f64 / below as f64;
        if below & (below - 1) == 0 { Interval::point(near) } else { Interval::around(near) }
    }

    /// The lower end.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The upper end.
    pub fn high(self) -> f64 {
        self.high
    }

    /// The one value, if there is only one.
    pub fn as_point(self) -> Option<f64> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether a float lies inside.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether both ends are finite.
    pub fn is_bounded(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// Whether the two share no point.
    pub fn is_apart(self, other: Interval) -> bool {
        self.high < other.low || other.high < self.low
    }

    /// By what part of the larger one, in size, the two certainly differ.
    pub fn gap(self, other: Interval) -> f64 {
        let gap = (self.low() - other.high()).max(other.low() - self.high());
        if gap > 0.0 { gap / self.abs().high().max(other.abs().high()) } else { 0.0 }
    }

    /// The smallest interval that holds both.
    pub fn hull(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// One step outwards from a correctly rounded result.
    fn around(near: f64) -> Interval {
        Interval::outwards(near, near)
    }

    fn outwards(low: f64, high: f64) -> Interval {
        if low.is_nan() || high.is_nan() {
            return Interval::WHOLE;
        }
        Interval { low: low.next_down(), high: high.next_up() }
    }

    /// The error margin of a library function, outwards from its results at both ends.
    fn margin(low: f64, high: f64) -> Interval {
        let tiny = f64::MIN_POSITIVE;
        Interval::outwards(low - low.abs() * MARGIN - tiny, high + high.abs() * MARGIN + tiny)
    }

    /// The part of `self` inside `[low, high]`, for results whose range is known.
    fn clip(self, low: f64, high: f64) -> Interval {
        Interval { low: self.low.clamp(low, high), high: self.high.clamp(low, high) }
    }

    /// `x + y`.
    pub fn plus(self, other: Interval) -> Interval {
        Interval::outwards(self.low + other.low, self.high + other.high)
    }

    /// `x + y`, whose ends are those of the sum where floats have a place for them.
    pub fn plus_exactly(self, other: Interval) -> Interval {
        let wide = self.plus(other);
        let exact = |a: f64, b: f64| (a + b - a == b && a + b - b == a).then_some(a + b);
        Interval {
            low: exact(self.low, other.low).unwrap_or(wide.low),
            high: exact(self.high, other.high).unwrap_or(wide.high),
        }
    }

    /// `x · y`, each of whose ends is that of the product where the floats that make it are short, 0 or infinite.
    pub fn times_exactly(self, other: Interval) -> Interval {
        let corner = |x: f64, y: f64| {
            // An infinite end stands for unbounded finite values, so 0 · ∞ contributes 0.
            let product = if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
            let exact = product == 0.0 && (x == 0.0 || y == 0.0)
                || x.is_infinite()
                || y.is_infinite()
                || is_short(x) && is_short(y);
            if exact { (product, product) } else { (product.next_down(), product.next_up()) }
        };
        let corners = [
            corner(self.low, other.low),
            corner(self.low, other.high),
            corner(self.high, other.low),
            corner(self.high, other.high),
        ];
        Interval {
            low: corners.iter().map(|(low, _)| *low).fold(f64::INFINITY, f64::min),
            high: corners.iter().map(|(_, high)| *high).fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// `x - y`.
    pub fn minus(self, other: Interval) -> Interval {
        self.plus(other.negated())
    }

    /// `-x`.
    pub fn negated(self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }

    /// `x · y`.
    pub fn times(self, other: Interval) -> Interval {
        // An infinite end stands for unbounded finite values, so 0 · ∞ contributes 0.
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        let corners = [
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ];
        let low = corners.iter().copied().fold(f64::INFINITY, f64::min);
        let high = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Interval::outwards(low, high)
    }

    /// `1 / x`; `None` if 0 is possible.
    pub fn reciprocal(self) -> Option<Interval> {
        if self.contains(0.0) {
            return None;
        }
        // Exact for powers of two, and 0 for what has no end.
        let exact = |x: f64| x.is_infinite() || x.is_normal() && x.to_bits() << 12 == 0 && x.abs() < 1e300;
        let (low, high) = (1.0 / self.high, 1.0 / self.low);
        Some(Interval {
            low: if exact(self.high) { low } else { low.next_down() },
            high: if exact(self.low) { high } else { high.next_up() },
        })
    }

    /// `x / y`; `None` if `y` may be 0.
    pub fn divided(self, other: Interval) -> Option<Interval> {
        Some(self.times(other.reciprocal()?))
    }

    /// √x; `None` if `x` may be negative.
    pub fn sqrt(self) -> Option<Interval> {
        if self.low < 0.0 {
            return None;
        }
        // Exact where a short float is the root.
        let root = |x: f64, outward: fn(f64) -> f64| {
            let near = x.sqrt();
            if near == 0.0 || is_short(near) && near * near == x { near } else { outward(near) }
        };
        Some(
            Interval { low: root(self.low, f64::next_down), high: root(self.high, f64::next_up) }
                .clip(0.0, f64::INFINITY),
        )
    }

    /// e^x.
    pub fn exp(self) -> Interval {
        Interval::margin(libm::exp(self.low), libm::exp(self.high)).clip(0.0, f64::INFINITY)
    }

    /// 2^x.
    pub fn exp2(self) -> Interval {
        Interval::margin(libm::exp2(self.low), libm::exp2(self.high)).clip(0.0, f64::INFINITY)
    }

    /// ln x; `None` unless `x` is certainly positive.
    pub fn ln(self) -> Option<Interval> {
        (self.low > 0.0).then(|| Interval::margin(libm::log(self.low), libm::log(self.high)))
    }

    /// sin x.
    pub fn sin(self) -> Interval {
        self.wave(libm::sin, consts::FRAC_PI_2)
    }

    /// cos x.
    pub fn cos(self) -> Interval {
        self.wave(libm::cos, 0.0)
    }

    /// A sine that has its maximum at `peak`: monotone between extrema, otherwise ±1.
    fn wave(self, function: fn(f64) -> f64, peak: f64) -> Interval {
        const UNIT: Interval = Interval { low: -1.0, high: 1.0 };
        // Beyond this the position of the extrema is uncertain by more than the margin below.
        if !self.is_bounded() || self.low.abs().max(self.high.abs()) > 1e6 || self.high - self.low > 3.0 {
            return UNIT;
        }
        let (a, b) = (function(self.low), function(self.high));
        let mut hull = Interval::new(a, b);
        // Absolute margin: near a zero the relative error of the argument's position dominates.
        hull = Interval { low: hull.low - 1e-15, high: hull.high + 1e-15 };
        let slack = 1e-9;
        let turn = |offset: f64| {
            let first = ((self.low - slack - offset) / consts::TAU).ceil();
            offset + first * consts::TAU <= self.high + slack
        };
        if turn(peak) {
            hull.high = 1.0;
        }
        if turn(peak - consts::PI) {
            hull.low = -1.0;
        }
        hull.clip(-1.0, 1.0)
    }

    /// tanh x.
    pub fn tanh(self) -> Interval {
        Interval::margin(libm::tanh(self.low), libm::tanh(self.high)).clip(-1.0, 1.0)
    }

    /// The error function.
    pub fn erf(self) -> Interval {
        Interval::margin(libm::erf(self.low), libm::erf(self.high)).clip(-1.0, 1.0)
    }

    /// arctan x.
    pub fn atan(self) -> Interval {
        let most = Interval::HALF_PI.high;
        Interval::margin(libm::atan(self.low), libm::atan(self.high)).clip(-most, most)
    }

    /// ∛x.
    pub fn cbrt(self) -> Interval {
        Interval::margin(libm::cbrt(self.low), libm::cbrt(self.high))
    }

    /// |x|.
    pub fn abs(self) -> Interval {
        if self.low >= 0.0 {
            self
        } else if self.high <= 0.0 {
            self.negated()
        } else {
            Interval { low: 0.0, high: self.high.max(-self.low) }
        }
    }

    /// The larger.
    pub fn max(self, other: Interval) -> Interval {
        Interval { low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    /// The smaller.
    pub fn min(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    /// A function that never decreases and is exact on floats (floor, rounding to a format).
    pub fn monotone(self, function: impl Fn(f64) -> f64) -> Interval {
        Interval::new(function(self.low), function(self.high))
    }

    /// x to a rational power, for `x` that is not negative (everything otherwise).
    pub fn power(self, power: Ratio<i64>) -> Interval {
        if self.low < 0.0 {
            return Interval::WHOLE;
        }
        if power.is_negative() {
            return self.power(-power).reciprocal().unwrap_or(Interval::WHOLE);
        }
        let (whole, rest) = power.numer().div_rem(power.denom());
        let mut value = Interval::point(1.0);
        if whole > 64 {
            let ln = self.ln().unwrap_or(Interval::WHOLE);
            return ln.times(Interval::of_ratio(power)).exp();
        }
        for _ in 0..whole {
            value = value.times_exactly(self);
        }
        let rest = Ratio::new(rest, *power.denom());
        if rest.is_zero() {
            value
        } else if rest == Ratio::new(1, 2) {
            value.times_exactly(self.sqrt().unwrap_or(Interval::WHOLE))
        } else {
            let ln = self.ln().unwrap_or(Interval::WHOLE);
            value.times(ln.times(Interval::of_ratio(rest)).exp())
        }
    }
}

/// So few binary digits, and so near to 1, that products of two are exact.
fn is_short(x: f64) -> bool {
    // From the first digit that is one up to the last.
    let digits = 53 - (x.to_bits() & ((1 << 52) - 1) | 1 << 52).trailing_zeros();
    x == 0.0 || x.is_normal() && digits <= 26 && (1e-100..1e100).contains(&x.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(above: i64, below: i64) -> BigRational {
        BigRational::new(above.into(), below.into())
    }

    /// First digits of a real as a rational, rounded down and up.
    fn digits(text: &str) -> [BigRational; 2] {
        let (whole, rest) = text.split_once('.').unwrap();
        let scale = num_bigint::BigInt::from(10).pow(rest.len() as u32);
        let low: num_bigint::BigInt = format!("{whole}{rest}").parse().unwrap();
        [BigRational::new(low.clone(), scale.clone()), BigRational::new(low + 1, scale)]
    }

    #[test]
    fn named_constants_lie_strictly_inside_neighbouring_floats() {
        for (interval, text) in [
            (Interval::PI, "3.14159265358979323846264338327950288"),
            (Interval::HALF_PI, "1.57079632679489661923132169163975144"),
            (Interval::LN_2, "0.69314718055994530941723212145817656"),
            (Interval::LN_10, "2.30258509299404568401799145468436420"),
            (Interval::LOG2_E, "1.44269504088896340735992468100189213"),
            (Interval::E, "2.71828182845904523536028747135266249"),
        ] {
            let [low, high] = digits(text);
            assert!(BigRational::from_float(interval.low()).unwrap() < low, "{text}");
            assert!(high < BigRational::from_float(interval.high()).unwrap(), "{text}");
            assert_eq!(interval.low().next_up(), interval.high(), "{text}");
        }
    }

    #[test]
    fn short_ends_stay_exact() {
        let unit = Interval::new(-1.0, 0.5);
        let product = unit.times_exactly(unit);
        assert_eq!((product.low(), product.high()), (-0.5, 1.0));
        let sum = unit.plus_exactly(Interval::new(0.25, 3.0));
        assert_eq!((sum.low(), sum.high()), (-0.75, 3.5));
        // 0.1 + 0.2 and 0.1 · 0.1 have no place; an end without a place goes outwards alone.
        let tenths = Interval::new(0.1, 2.0);
        let (sum, product) = (tenths.plus_exactly(Interval::new(0.2, 1.0)), tenths.times_exactly(tenths));
        assert!(sum.low() < 0.1 + 0.2 && sum.high() == 3.0);
        assert!(product.low() < 0.1 * 0.1 && product.high() == 4.0);
        let whole = Interval::WHOLE.plus_exactly(unit);
        assert_eq!((whole.low(), whole.high()), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(Interval::WHOLE.times_exactly(unit).high(), f64::INFINITY);
    }

    #[test]
    fn rationals_are_enclosed_and_floats_are_points() {
        for value in [ratio(1, 3), ratio(-22, 7), ratio(i64::MAX, 3), ratio(1, i64::MAX)] {
            let interval = Interval::of_rational(&value);
            assert!(BigRational::from_float(interval.low()).unwrap() < value);
            assert!(value < BigRational::from_float(interval.high()).unwrap());
        }
        assert_eq!(Interval::of_rational(&ratio(3, 8)).as_point(), Some(0.375));
        assert_eq!(Interval::of_ratio(Ratio::new(-3, 8)).as_point(), Some(-0.375));
        let third = Interval::of_ratio(Ratio::new(1, 3));
        assert!(third.low() < third.high() && third.contains(1.0 / 3.0));
        let huge = BigRational::from_integer(num_bigint::BigInt::from(10).pow(400));
        assert_eq!(Interval::of_rational(&huge), Interval::new(f64::MAX, f64::INFINITY));
    }

    #[test]
    fn functions_enclose_known_values() {
        let one = Interval::point(1.0);
        let holds = |interval: Interval, text: &str| {
            let [low, high] = digits(text);
            BigRational::from_float(interval.low()).unwrap() <= low
                && high <= BigRational::from_float(interval.high()).unwrap()
                && interval.high() - interval.low() < 1e-13
        };
        assert!(holds(one.exp(), "2.71828182845904523536028747135266249"));
        assert!(holds(Interval::point(2.0).ln().unwrap(), "0.69314718055994530941723212145817656"));
        assert!(holds(one.sin(), "0.84147098480789650665250232163029899"));
        assert!(holds(one.cos(), "0.54030230586813971740093660744297660"));
        assert!(holds(one.tanh(), "0.76159415595576488811945828260479359"));
        assert!(holds(one.erf(), "0.84270079294971486934122063508260925"));
        assert!(holds(Interval::point(2.0).atan(), "1.10714871779409050301706546017853704"));
        assert!(holds(Interval::point(2.0).cbrt(), "1.25992104989487316476721060727822835"));
        assert!(holds(Interval::point(2.0).sqrt().unwrap(), "1.41421356237309504880168872420969807"));
        assert!(holds(
            Interval::point(2.0).power(Ratio::new(-3, 2)),
            "0.35355339059327376220042218105242451"
        ));
    }

    #[test]
    fn extrema_of_waves_are_found() {
        let interval = Interval::new(1.0, 2.0);
        assert_eq!(interval.sin().high(), 1.0);
        assert!(interval.sin().low() < 0.8415 && interval.sin().low() > 0.84);
        assert_eq!(Interval::new(3.0, 3.3).cos().low(), -1.0);
        assert_eq!(Interval::new(-0.5, 0.25).cos().high(), 1.0);
        assert!(Interval::new(4.0, 4.5).cos().high() < 0.0);
    }

    #[test]
    fn undefined_arguments_have_no_interval() {
        assert_eq!(Interval::new(-1.0, 1.0).reciprocal(), None);
        assert_eq!(Interval::new(-1.0, 1.0).sqrt(), None);
        assert_eq!(Interval::new(0.0, 1.0).ln(), None);
        assert!(Interval::WHOLE.times(Interval::point(0.0)).contains(0.0));
        assert_eq!(Interval::WHOLE.minus(Interval::WHOLE), Interval::WHOLE);
    }
}
