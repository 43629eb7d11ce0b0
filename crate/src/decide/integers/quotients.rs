//! Quotients of integers by constants, in one form however they are computed.
//!
//! `⌊x·a/b⌋` for 0 ≤ x ≤ R is the same for all fractions between one of a denominator of at most R and
//! the next of those: it depends on the largest such fraction that is at most a/b, and that one is the
//! form. Compilers write `x / 3` as `⌊x·0xAAAAAAAB / 2^33⌋`, and the largest fraction is 1/3. A number that
//! may be negative is its sign times its magnitude, and `⌊-z·a/b⌋ = -(⌊z·c⌋ + 1)` for z ≥ 1, where c is the
//! largest fraction *below* a/b.
//!
//! Guarantees: the form equals the quotient at all integers in range.
//! Source: Granlund, Montgomery: *Division by Invariant Integers using Multiplication*, 1994, for what is
//! computed; Farey sequences for the form.

use super::{QUOTIENT, integer};
use crate::decide::forms::{Kind, Poly, Power, Step};
use crate::decide::normalize::Normalizer;
use crate::decide::rational::Rational;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::ToPrimitive;

/// The fraction in an atom's name.
pub(super) fn fraction(name: &[u32]) -> Option<(u64, u64)> {
    let [QUOTIENT, a, b, c, d] = name[..] else { return None };
    Some((u64::from(a) << 32 | u64::from(b), u64::from(c) << 32 | u64::from(d)))
}

impl Normalizer<'_> {
    /// `a / b` rounded towards zero, for an integer a in a known range and a constant b.
    pub(in crate::decide) fn truncated_quotient(&mut self, a: Poly, b: Poly) -> Step<Option<Poly>> {
        let Some((divisor, 1)) = self.forms.constant(b).and_then(|value| value.as_small()) else {
            return Ok(None);
        };
        if divisor == 0 || divisor == i64::MIN || !self.is_integer(a) {
            return Ok(None);
        }
        let Some((low, _)) = self.range_of_form(a) else { return Ok(None) };
        let size = u128::from(divisor.unsigned_abs());
        let quotient = if low >= 0 {
            self.quotient(a, 1, size, false)?
        } else {
            let magnitude = self.forms.magnitude(a)?;
            let Some(quotient) = self.quotient(magnitude, 1, size, false)? else { return Ok(None) };
            self.with_sign_of(a, quotient).map(Some)?
        };
        match quotient {
            Some(quotient) if divisor < 0 => self.forms.negated(quotient).map(Some),
            quotient => Ok(quotient),
        }
    }

    fn negative(&mut self, a: Poly) -> Step<Poly> {
        let below = self.forms.negated(a)?;
        self.forms.positive(below)
    }

    fn with_sign_of(&mut self, a: Poly, magnitude: Poly) -> Step<Poly> {
        let negative = self.negative(a)?;
        let opposite = self.forms.negated(magnitude)?;
        self.forms.choose(negative, opposite, magnitude)
    }

    /// Bits of a multiple of an integer, or of a quotient, as a quotient; `None` if it is none.
    pub(super) fn part_as_quotient(&mut self, poly: Poly, at: u32, length: u32) -> Step<Option<Poly>> {
        if at > 64 || !self.is_integer(poly) {
            return Ok(None);
        }
        // Bits of a quotient are a quotient by more.
        if let Some(term) = self.forms.single(poly)
            && term.coefficient.is_one()
            && self.forms.factor_count(term.mono) == 1
            && let (atom, Power::ONE) = self.forms.factor(term.mono, 0)
            && self.forms.kind(atom) == Kind::Opaque
            && let (name, parts) = self.forms.opaque_parts(atom)
            && let Some((above, below)) = fraction(&name)
        {
            let of = self.quotient(parts[0], above.into(), u128::from(below) << at, false)?;
            return match of {
                Some(quotient) => self.fitted(false, length, quotient).map(Some),
                None => Ok(None),
            };
        }
        if self.forms.constant(poly).is_some() {
            return Ok(None);
        }
        let mut common = BigInt::default();
        for index in 0..self.forms.len(poly) {
            common = common.gcd(&self.forms.coefficient_at(poly, index).to_big().to_integer());
        }
        let Some(factor) = common.to_u64() else { return Ok(None) };
        // By powers of two alone, the bits say more.
        if factor.is_power_of_two() || factor == 0 {
            return Ok(None);
        }
        let scale = integer(factor.into()).reciprocal();
        let of = self.forms.scaled(poly, &scale)?;
        let Some((low, _)) = self.range_of_form(of) else { return Ok(None) };
        let (above, below) = (u128::from(factor), 1u128 << at);
        let value = if low >= 0 {
            let Some(quotient) = self.quotient(of, above, below, false)? else { return Ok(None) };
            quotient
        } else {
            let magnitude = self.forms.magnitude(of)?;
            let up = self.quotient(magnitude, above, below, false)?;
            let down = self.quotient(magnitude, above, below, true)?;
            let (Some(up), Some(down)) = (up, down) else { return Ok(None) };
            let negative = self.negative(of)?;
            let down = self.forms.plus(down, Poly::ONE)?;
            let down = self.forms.negated(down)?;
            self.forms.choose(negative, down, up)?
        };
        self.fitted(false, length, value).map(Some)
    }

    /// `⌊x·a/b⌋` for an integer x that is not negative; `strict`: of the largest fraction below a/b.
    fn quotient(&mut self, x: Poly, a: u128, b: u128, strict: bool) -> Step<Option<Poly>> {
        let Some((low, high)) = self.range_of_form(x) else { return Ok(None) };
        if low < 0 || high >= 1 << 63 || b >= 1 << 100 {
            return Ok(None);
        }
        if high == 0 {
            return Ok(Some(Poly::ZERO));
        }
        // A multiple of the divisor.
        let common = a.gcd(&b);
        let (a, b) = (a / common, b / common);
        let divides = |value: &Rational| value.to_big().to_integer().is_multiple_of(&BigInt::from(b));
        if !strict && (0..self.forms.len(x)).all(|at| divides(self.forms.coefficient_at(x, at))) {
            let scale = Rational::from_big(&num_rational::BigRational::new(a.into(), b.into()));
            return self.forms.scaled(x, &scale).map(Some);
        }
        let mut whole = a / b;
        let mut rest = a % b;
        if strict && rest == 0 {
            // Just below an integer.
            whole -= 1;
            rest = b;
        }
        let Some((above, below)) = largest_fraction(rest, b, high as u128, strict) else { return Ok(None) };
        let base = self.forms.scaled(x, &integer(whole as i128))?;
        let fraction = match (above, below) {
            (0, _) => Poly::ZERO,
            (_, 1) => self.forms.scaled(x, &integer(above as i128))?,
            (1, _) if below.is_power_of_two() && below.trailing_zeros() < 63 => {
                let at = below.trailing_zeros();
                self.part(x, at, 64 - at)?
            }
            // Bits say more.
            _ if below.is_power_of_two() => return Ok(None),
            _ => {
                let (Ok(above), Ok(below)) = (u64::try_from(above), u64::try_from(below)) else {
                    return Ok(None);
                };
                let words = [above >> 32, above & 0xffff_ffff, below >> 32, below & 0xffff_ffff];
                let [p, q, r, s] = words.map(|word| word as u32);
                let atom = self.forms.opaque(false, &[QUOTIENT, p, q, r, s], &[x]);
                if let Some(most) = high.checked_mul(i128::from(above)) {
                    self.integers.quotients.insert(atom, (0, most / i128::from(below)));
                }
                self.forms.atom_poly(atom)?
            }
        };
        self.forms.plus(base, fraction).map(Some)
    }
}

/// The largest fraction with a denominator of at most `most` that is at most `a/b` (below it, if
/// `strict`), where 0 ≤ a/b ≤ 1: a walk down the tree of Stern and Brocot, many steps at once.
fn largest_fraction(a: u128, b: u128, most: u128, strict: bool) -> Option<(u128, u128)> {
    if a == b && !strict {
        return Some((1, 1));
    }
    let (mut low, mut high) = ((0u128, 1u128), (1u128, 1u128));
    if a == 0 {
        return Some(low);
    }
    loop {
        // low ≤ a/b < high, or low < a/b ≤ high.
        let to_high = high.0.checked_mul(b)?.checked_sub(a.checked_mul(high.1)?)?;
        let to_low = a.checked_mul(low.1)?.checked_sub(low.0.checked_mul(b)?)?;
        let room = (most.checked_sub(low.1)?) / high.1;
        let steps = match (to_high, strict) {
            (0, _) => room,
            (_, false) => (to_low / to_high).min(room),
            (_, true) => (to_low.checked_sub(1)? / to_high).min(room),
        };
        low = (low.0 + steps * high.0, low.1 + steps * high.1);
        let to_low = a.checked_mul(low.1)?.checked_sub(low.0.checked_mul(b)?)?;
        if to_low == 0 {
            return Some(low);
        }
        let room = most.saturating_sub(high.1) / low.1;
        let closer = match strict {
            false => (to_high.saturating_sub(1) / to_low).min(room),
            true => (to_high / to_low).min(room),
        };
        high = (high.0 + closer * low.0, high.1 + closer * low.1);
        if steps == 0 && closer == 0 || low.1 + high.1 > most {
            return Some(low);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every fraction with small parts, against all fractions below it.
    #[test]
    fn the_largest_fraction_is_found() {
        for b in 1..40u128 {
            for a in 0..=b {
                for most in 1..30u128 {
                    for strict in [false, true] {
                        let fits = |p: u128, q: u128| if strict { p * b < a * q } else { p * b <= a * q };
                        let mut best = None;
                        for q in 1..=most {
                            let Some(p) = (0..=q).rev().find(|p| fits(*p, q)) else { continue };
                            if best.is_none_or(|(x, y)| p * y > x * q) {
                                best = Some((p, q));
                            }
                        }
                        let Some((p, q)) = best else { continue };
                        let (x, y) = largest_fraction(a, b, most, strict).unwrap();
                        assert_eq!(
                            x * q,
                            p * y,
                            "{a}/{b} up to {most}, strict {strict}: {x}/{y}, not {p}/{q}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn multipliers_of_compilers_are_divisions() {
        let most = u128::from(u32::MAX);
        assert_eq!(largest_fraction(0xAAAA_AAAB, 1 << 33, most, false), Some((1, 3)));
        assert_eq!(largest_fraction(0xCCCC_CCCD, 1 << 35, most, false), Some((1, 10)));
        assert_ne!(largest_fraction(0xAAAA_AAAA, 1 << 33, most, false), Some((1, 3)));
    }
}
