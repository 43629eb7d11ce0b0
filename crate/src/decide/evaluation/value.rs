//! What a term is worth at the random points: residues, and what stands beside them.
//!
//! A value is finite, infinite, or lost (undefined, or beyond what is followed). Beside the residues
//! of a finite one stand what is known of its sign wherever it is defined, and a bound on its degree
//! as a quotient of polynomials in elements, atoms and exponentials.

use super::field::{self, LEVELS, ONE, Residue, ZERO};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Finite,
    Infinity,
    MinusInfinity,
    /// Undefined, or not followed.
    Lost,
}

/// What is known of a sign, wherever the value is defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Sign {
    pub(super) not_negative: bool,
    pub(super) not_positive: bool,
    pub(super) not_zero: bool,
}

impl Sign {
    pub(super) const POSITIVE: Sign = Sign { not_negative: true, not_positive: false, not_zero: true };
    pub(super) const NOT_NEGATIVE: Sign = Sign { not_negative: true, not_positive: false, not_zero: false };

    pub(super) fn of(above: i64) -> Sign {
        Sign { not_negative: above >= 0, not_positive: above <= 0, not_zero: above != 0 }
    }

    pub(super) fn negated(self) -> Sign {
        Sign { not_negative: self.not_positive, not_positive: self.not_negative, not_zero: self.not_zero }
    }

    pub(super) fn is_positive(self) -> bool {
        self.not_negative && self.not_zero
    }

    pub(super) fn plus(self, other: Sign) -> Sign {
        let (up, down) = (self.not_negative && other.not_negative, self.not_positive && other.not_positive);
        Sign {
            not_negative: up,
            not_positive: down,
            not_zero: (up || down) && (self.not_zero || other.not_zero),
        }
    }

    pub(super) fn times(self, other: Sign) -> Sign {
        let with = |a: bool, b: bool, c: bool, d: bool| a && b || c && d;
        Sign {
            not_negative: with(self.not_negative, other.not_negative, self.not_positive, other.not_positive),
            not_positive: with(self.not_negative, other.not_positive, self.not_positive, other.not_negative),
            not_zero: self.not_zero && other.not_zero,
        }
    }

    /// What holds of both.
    pub(super) fn or(self, other: Sign) -> Sign {
        Sign {
            not_negative: self.not_negative && other.not_negative,
            not_positive: self.not_positive && other.not_positive,
            not_zero: self.not_zero && other.not_zero,
        }
    }
}

/// Levels that are asked for, as bits.
pub(super) type Levels = u8;

#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) kind: Kind,
    pub(super) sign: Sign,
    /// Whether it depends on the variable of a condition.
    pub(super) chosen: bool,
    /// Bounds on the degrees of numerator and denominator.
    pub(super) degree: [f32; 2],
    /// What it would be with random reals for all variables: only ever orders summands.
    pub(super) sample: f64,
    /// Its form in roots (`roots`), if it has one; arithmetic here forgets it.
    pub(super) parts: u32,
    /// Residues at the levels that were asked for.
    pub(super) at: [Residue; LEVELS],
}

/// Evaluates an expression for each level asked for, with the level as a constant.
macro_rules! by_level {
    ($levels:expr, $level:ident => $residue:expr) => {{
        let mut residues = [ZERO; LEVELS];
        if $levels & 1 != 0 {
            const $level: usize = 0;
            residues[0] = $residue;
        }
        if $levels & 2 != 0 {
            const $level: usize = 1;
            residues[1] = $residue;
        }
        if $levels & 4 != 0 {
            const $level: usize = 2;
            residues[2] = $residue;
        }
        residues
    }};
}
pub(super) use by_level;

impl Value {
    pub(super) const LOST: Value = Value { kind: Kind::Lost, ..Value::finite([ZERO; LEVELS]) };
    pub(super) const ZERO: Value = Value { sign: Sign::zero(), ..Value::finite([ZERO; LEVELS]) };
    pub(super) const ONE: Value = Value { sign: Sign::POSITIVE, sample: 1.0, ..Value::finite([ONE; LEVELS]) };

    pub(super) const fn finite(at: [Residue; LEVELS]) -> Value {
        let (sign, degree) = (Sign::of_nothing(), [0.0; 2]);
        Value { kind: Kind::Finite, sign, chosen: false, degree, sample: 0.0, parts: 0, at }
    }

    /// A free variable.
    pub(super) const fn unknown(at: [Residue; LEVELS], sample: f64) -> Value {
        Value { degree: [1.0, 0.0], sample, ..Value::finite(at) }
    }

    pub(super) fn infinite(up: bool) -> Value {
        Value { kind: if up { Kind::Infinity } else { Kind::MinusInfinity }, ..Value::LOST }
    }

    pub(super) fn is_finite(&self) -> bool {
        self.kind == Kind::Finite
    }

    /// It, if it is finite.
    pub(super) fn checked(self) -> Option<Value> {
        self.is_finite().then_some(self)
    }

    /// Whether it is 0, wherever it is defined.
    pub(super) fn is_zero(&self) -> bool {
        self.is_finite() && self.at[0] == ZERO
    }

    pub(super) fn with_sign(self, sign: Sign) -> Value {
        Value { sign, ..self }
    }

    fn negated_kind(self) -> Kind {
        match self.kind {
            Kind::Infinity => Kind::MinusInfinity,
            Kind::MinusInfinity => Kind::Infinity,
            kind => kind,
        }
    }

    pub(super) fn negated(self, levels: Levels) -> Value {
        Value {
            kind: self.negated_kind(),
            sign: self.sign.negated(),
            chosen: self.chosen,
            degree: self.degree,
            sample: -self.sample,
            parts: 0,
            at: by_level!(levels, L => field::negate(L, self.at[L])),
        }
    }

    pub(super) fn plus(self, other: Value, levels: Levels) -> Value {
        match (self.kind, other.kind) {
            (Kind::Finite, Kind::Finite) => Value {
                kind: Kind::Finite,
                sign: self.sign.plus(other.sign),
                chosen: self.chosen || other.chosen,
                degree: sum_degree(self.degree, other.degree),
                sample: self.sample + other.sample,
                parts: 0,
                at: by_level!(levels, L => field::add(L, self.at[L], other.at[L])),
            },
            (a, b) if a == b => self,
            (_, Kind::Finite) => self,
            (Kind::Finite, _) => other,
            _ => Value::LOST,
        }
    }

    pub(super) fn minus(self, other: Value, levels: Levels) -> Value {
        match (self.kind, other.kind) {
            (Kind::Finite, Kind::Finite) => Value {
                kind: Kind::Finite,
                sign: self.sign.plus(other.sign.negated()),
                chosen: self.chosen || other.chosen,
                degree: sum_degree(self.degree, other.degree),
                sample: self.sample - other.sample,
                parts: 0,
                at: by_level!(levels, L => field::subtract(L, self.at[L], other.at[L])),
            },
            _ => self.plus(other.negated(levels), levels),
        }
    }

    pub(super) fn times(self, other: Value, levels: Levels) -> Value {
        match (self.kind, other.kind) {
            (Kind::Finite, Kind::Finite) => Value {
                kind: Kind::Finite,
                sign: self.sign.times(other.sign),
                chosen: self.chosen || other.chosen,
                degree: [self.degree[0] + other.degree[0], self.degree[1] + other.degree[1]],
                sample: self.sample * other.sample,
                parts: 0,
                at: by_level!(levels, L => field::multiply(L, self.at[L], other.at[L])),
            },
            (Kind::Lost, _) | (_, Kind::Lost) => Value::LOST,
            (Kind::Finite, _) => other.times(self, levels),
            (_, Kind::Finite) if other.sign.is_positive() => self,
            (_, Kind::Finite) if other.sign.negated().is_positive() => self.negated(levels),
            (_, Kind::Finite) => Value::LOST,
            (a, b) => Value::infinite(a == b),
        }
    }

    /// `self · factor`, of a constant.
    pub(super) fn scaled(self, factor: (i64, i64), levels: Levels) -> Value {
        let residue = |level: usize| field::fraction(level, factor);
        let mut at = [ZERO; LEVELS];
        for (level, at) in at.iter_mut().enumerate().filter(|(level, _)| levels >> level & 1 == 1) {
            match residue(level) {
                Some(factor) => *at = field::multiply(level, self.at[level], factor),
                None => return Value::LOST,
            }
        }
        let sample = self.sample * factor.0 as f64 / factor.1 as f64;
        Value { at, sign: self.sign.times(Sign::of(factor.0)), sample, parts: 0, ..self }
    }

    /// `1 / self`.
    pub(super) fn inverse(self, levels: Levels) -> Value {
        match self.kind {
            Kind::Finite => {}
            Kind::Infinity | Kind::MinusInfinity => return Value::ZERO,
            Kind::Lost => return self,
        }
        let mut at = [ZERO; LEVELS];
        for (level, at) in at.iter_mut().enumerate().filter(|(level, _)| levels >> level & 1 == 1) {
            match field::invert(level, self.at[level]) {
                Some(inverse) => *at = inverse,
                None => return Value::LOST,
            }
        }
        let sign = Sign { not_zero: true, ..self.sign };
        let degree = [self.degree[1], self.degree[0]];
        Value { sign, degree, sample: self.sample.recip(), parts: 0, at, ..self }
    }
}

impl Sign {
    const fn of_nothing() -> Sign {
        Sign { not_negative: false, not_positive: false, not_zero: false }
    }

    const fn zero() -> Sign {
        Sign { not_negative: true, not_positive: true, not_zero: false }
    }
}

fn sum_degree(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    if a[1] == 0.0 && b[1] == 0.0 {
        return [a[0].max(b[0]), 0.0];
    }
    [(a[0] + b[1]).max(b[0] + a[1]), a[1] + b[1]]
}
