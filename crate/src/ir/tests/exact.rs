//! Floating point by definition: exact rationals, and rounding by looking for the neighbours.
//!
//! Positive finite floats are ordered like their bits, so the neighbours of a number are found by
//! bisection over bit patterns, and the mode picks one. Slow and obviously right.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// A float format by its digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) name: &'static str,
    pub(super) bits: u32,
    pub(super) fraction: u32,
}

pub(super) const F16: Shape = Shape { name: "f16", bits: 16, fraction: 10 };
pub(super) const BF16: Shape = Shape { name: "bf16", bits: 16, fraction: 7 };
pub(super) const F32: Shape = Shape { name: "f32", bits: 32, fraction: 23 };
pub(super) const F64: Shape = Shape { name: "f64", bits: 64, fraction: 52 };

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Nearest,
    Zero,
    Down,
    Up,
}

pub(super) const MODES: [(&str, Mode); 4] =
    [("rn", Mode::Nearest), ("rz", Mode::Zero), ("rm", Mode::Down), ("rp", Mode::Up)];

/// What bits stand for.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    Nan,
    Infinite(bool),
    /// The sign tells zeros apart.
    Finite(bool, BigRational),
}

impl Shape {
    fn exponent_bits(self) -> u32 {
        self.bits - 1 - self.fraction
    }

    pub(super) fn infinity(self) -> u64 {
        ((1 << self.exponent_bits()) - 1) << self.fraction
    }

    pub(super) fn nan(self) -> u64 {
        self.infinity() | ((1 << self.fraction) - 1)
    }

    pub(super) fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    pub(super) fn decode(self, bits: u64) -> Value {
        let negative = bits & self.sign() != 0;
        let magnitude = bits & (self.sign() - 1);
        if magnitude > self.infinity() {
            return Value::Nan;
        }
        if magnitude == self.infinity() {
            return Value::Infinite(negative);
        }
        let value = self.magnitude(magnitude);
        Value::Finite(negative, if negative { -value } else { value })
    }

    /// The number of non-negative finite bits; the first pattern past the finite ones stands for
    /// the power of two that would come next.
    fn magnitude(self, bits: u64) -> BigRational {
        let bias = (1i64 << (self.exponent_bits() - 1)) - 1;
        let power = (bits >> self.fraction) as i64;
        let digits = bits & ((1 << self.fraction) - 1);
        let hidden = if power > 0 { 1u64 << self.fraction } else { 0 };
        let exponent = power.max(1) - bias - i64::from(self.fraction);
        let scale = BigRational::from_integer(BigInt::from(1) << exponent.unsigned_abs());
        let whole = BigRational::from_integer(BigInt::from(digits | hidden));
        if exponent < 0 { whole / scale } else { whole * scale }
    }

    /// Bits of a non-zero rational, rounded.
    pub(super) fn round(self, value: &BigRational, mode: Mode) -> u64 {
        let negative = value.is_negative();
        let size = value.abs();
        let below = self.bisect(|candidate| *candidate <= size);
        let exact = self.magnitude(below) == size;
        let up = match mode {
            _ if exact => false,
            Mode::Zero => false,
            Mode::Down => negative,
            Mode::Up => !negative,
            Mode::Nearest => {
                let middle = (self.magnitude(below) + self.magnitude(below + 1)) / BigInt::from(2);
                size > middle || size == middle && below & 1 == 1
            }
        };
        (if negative { self.sign() } else { 0 }) | (below + u64::from(up))
    }

    /// The greatest finite bits whose number satisfies `holds` (true below, false above).
    fn bisect(self, holds: impl Fn(&BigRational) -> bool) -> u64 {
        let (mut low, mut high) = (0, self.infinity());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if holds(&self.magnitude(middle)) { low = middle } else { high = middle }
        }
        low
    }

    fn zero(self, negative: bool) -> u64 {
        if negative { self.sign() } else { 0 }
    }

    fn rounded(self, value: BigRational, mode: Mode, zero_negative: bool) -> u64 {
        if value.is_zero() { self.zero(zero_negative) } else { self.round(&value, mode) }
    }

    fn infinite(self, negative: bool) -> u64 {
        self.zero(negative) | self.infinity()
    }

    /// `a·b + c`; without `c`, the product alone.
    pub(super) fn multiply_add(self, a: u64, b: u64, c: Option<u64>, mode: Mode) -> u64 {
        use Value::*;
        let (a, b) = (self.decode(a), self.decode(b));
        let c_value = c.map(|c| self.decode(c));
        let negative = |v: &Value| matches!(v, Infinite(true) | Finite(true, _));
        let product_negative = negative(&a) != negative(&b);
        let product = match (&a, &b) {
            (Nan, _) | (_, Nan) => return self.nan(),
            (Infinite(_), Finite(_, x)) | (Finite(_, x), Infinite(_)) if x.is_zero() => return self.nan(),
            (Infinite(_), _) | (_, Infinite(_)) => Infinite(product_negative),
            (Finite(_, x), Finite(_, y)) => Finite(product_negative, x * y),
        };
        match (product, c_value) {
            (_, Some(Nan)) => self.nan(),
            (Infinite(n), Some(Infinite(m))) if n != m => self.nan(),
            (Infinite(n), _) | (_, Some(Infinite(n))) => self.infinite(n),
            (Finite(n, x), None) => self.rounded(x, mode, n),
            (Finite(n, x), Some(Finite(m, y))) => {
                let zero_negative = if n == m && x.is_zero() && y.is_zero() { n } else { mode == Mode::Down };
                self.rounded(x + y, mode, zero_negative)
            }
            (Nan, _) => self.nan(),
        }
    }

    pub(super) fn add(self, a: u64, b: u64, mode: Mode) -> u64 {
        let one = self.round(&BigRational::from_integer(1.into()), Mode::Nearest);
        self.multiply_add(a, one, Some(b), mode)
    }

    pub(super) fn divide(self, a: u64, b: u64, mode: Mode) -> u64 {
        use Value::*;
        let (x, y) = (self.decode(a), self.decode(b));
        let negative = (a ^ b) & self.sign() != 0;
        match (x, y) {
            (Nan, _) | (_, Nan) | (Infinite(_), Infinite(_)) => self.nan(),
            (Infinite(_), _) => self.infinite(negative),
            (_, Infinite(_)) => self.zero(negative),
            (Finite(_, x), Finite(_, y)) => match (x.is_zero(), y.is_zero()) {
                (true, true) => self.nan(),
                (false, true) => self.infinite(negative),
                _ => self.rounded(x / y, mode, negative),
            },
        }
    }

    pub(super) fn root(self, a: u64, mode: Mode) -> u64 {
        match self.decode(a) {
            Value::Nan => self.nan(),
            Value::Finite(_, x) if x.is_zero() => a,
            Value::Finite(true, _) | Value::Infinite(true) => self.nan(),
            Value::Infinite(false) => a,
            Value::Finite(false, x) => {
                let below = self.bisect(|candidate| candidate * candidate <= x);
                let low = self.magnitude(below);
                let middle = (&low + self.magnitude(below + 1)) / BigInt::from(2);
                let up = match mode {
                    _ if &low * &low == x => false,
                    Mode::Nearest => &middle * &middle < x,
                    Mode::Up => true,
                    Mode::Zero | Mode::Down => false,
                };
                below + u64::from(up)
            }
        }
    }

    /// The same number in another format.
    pub(super) fn convert(self, bits: u64, to: Shape, mode: Mode) -> u64 {
        match self.decode(bits) {
            Value::Nan => to.nan(),
            Value::Infinite(negative) => to.infinite(negative),
            Value::Finite(negative, value) => to.rounded(value, mode, negative),
        }
    }

    /// Rounded to an integer.
    pub(super) fn whole(value: &BigRational, mode: Mode) -> BigInt {
        match mode {
            Mode::Zero => value.trunc().to_integer(),
            Mode::Down => value.floor().to_integer(),
            Mode::Up => value.ceil().to_integer(),
            Mode::Nearest => {
                let low = value.floor().to_integer();
                let distance = value - BigRational::from_integer(low.clone());
                let half = BigRational::new(1.into(), 2.into());
                let odd = &low % 2 != BigInt::zero();
                if distance > half || distance == half && odd { low + 1 } else { low }
            }
        }
    }

    /// A subnormal becomes a zero of its sign.
    pub(super) fn flush(self, bits: u64) -> u64 {
        if bits & self.infinity() == 0 { bits & self.sign() } else { bits }
    }

    /// To [0, 1]; NaN to 0.
    pub(super) fn saturate(self, bits: u64) -> u64 {
        let one = self.round(&BigRational::from_integer(1.into()), Mode::Nearest);
        match self.decode(bits) {
            Value::Nan | Value::Infinite(true) | Value::Finite(true, _) => 0,
            _ => bits.min(one),
        }
    }

    /// A selection of [`Shape::edges`] for operations of three numbers.
    pub(super) fn few_edges(self) -> Vec<u64> {
        let edges = self.edges();
        [0, 1, 2, 6, 9, 12, 14, 17, 20, 22, 24].map(|at| edges[at]).to_vec()
    }

    /// Numbers where something can go wrong.
    pub(super) fn edges(self) -> Vec<u64> {
        let one = self.round(&BigRational::from_integer(1.into()), Mode::Nearest);
        let three = self.round(&BigRational::from_integer(3.into()), Mode::Nearest);
        let half = self.round(&BigRational::new(1.into(), 2.into()), Mode::Nearest);
        let tenth = self.round(&BigRational::new(1.into(), 10.into()), Mode::Nearest);
        let least_normal = 1u64 << self.fraction;
        let positive = [
            0,
            1,
            least_normal - 1,
            least_normal,
            tenth,
            half,
            one - 1,
            one,
            one + 1,
            three,
            self.infinity() - 1,
            self.infinity(),
        ];
        let mut edges: Vec<u64> = positive.into_iter().flat_map(|bits| [bits, bits | self.sign()]).collect();
        edges.push(self.nan());
        edges
    }
}
