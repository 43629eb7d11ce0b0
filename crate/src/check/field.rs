//! Arithmetic modulo three primes, for the second opinion: others than those of `decide`, by another
//! method (Montgomery's), and one random point at a time.
//!
//! p₂, p₁ = 2p₂ + 1 and p₀ = 2p₁ + 1 are prime and 7 modulo 8, so 2 is a square in all three fields and
//! generates groups of order p₁ and p₂ in the outer two: `2^h` of an exponent one level further in
//! turns sums into products. The primes 3 to 13 are squares as well, for √2, √3, ….
//!
//! Source: Montgomery, *Modular Multiplication Without Trial Division* (1985); a search upwards from 1.03 · 10^18.

/// How many primes.
pub(super) const LEVELS: usize = 3;
/// The primes, the outermost first.
const PRIMES: [u64; LEVELS] =
    [4_120_000_000_107_220_319, 2_060_000_000_053_610_159, 1_030_000_000_026_805_079];
/// Minus the inverses of the primes modulo 2^64.
const INVERSES: [u64; LEVELS] =
    [minus_inverse(PRIMES[0]), minus_inverse(PRIMES[1]), minus_inverse(PRIMES[2])];
/// 2^128 modulo the primes: what carries a number over.
const CARRIERS: [u64; LEVELS] = [carrier(PRIMES[0]), carrier(PRIMES[1]), carrier(PRIMES[2])];

const fn minus_inverse(prime: u64) -> u64 {
    let (mut inverse, mut step) = (1u64, 0);
    while step < 6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(prime.wrapping_mul(inverse)));
        step += 1;
    }
    inverse.wrapping_neg()
}

const fn carrier(prime: u64) -> u64 {
    let once = (1u128 << 64) % prime as u128;
    (once * once % prime as u128) as u64
}

/// A number modulo the prime of a level, times 2^64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Residue(u64);

/// `product / 2^64`.
#[inline(always)]
fn reduced(level: usize, product: u128) -> u64 {
    let factor = (product as u64).wrapping_mul(INVERSES[level]);
    let whole = ((product + u128::from(factor) * u128::from(PRIMES[level])) >> 64) as u64;
    if whole >= PRIMES[level] { whole - PRIMES[level] } else { whole }
}

impl Residue {
    pub(super) const ZERO: Residue = Residue(0);

    /// Of a number below 2^64.
    pub(super) fn of(level: usize, number: u64) -> Residue {
        Residue(reduced(level, u128::from(number % PRIMES[level]) * u128::from(CARRIERS[level])))
    }

    /// A random one, of a random word.
    #[inline]
    pub(super) fn random(level: usize, word: u64) -> Residue {
        Residue(word % PRIMES[level])
    }

    pub(super) fn number(self, level: usize) -> u64 {
        reduced(level, self.0.into())
    }

    /// What tells it from others.
    pub(super) fn word(self) -> u64 {
        self.0
    }

    #[inline(always)]
    pub(super) fn plus(self, level: usize, other: Residue) -> Residue {
        let sum = self.0 + other.0;
        Residue(if sum >= PRIMES[level] { sum - PRIMES[level] } else { sum })
    }

    #[inline(always)]
    pub(super) fn minus(self, level: usize, other: Residue) -> Residue {
        Residue(if self.0 >= other.0 { self.0 - other.0 } else { self.0 + PRIMES[level] - other.0 })
    }

    #[inline(always)]
    pub(super) fn times(self, level: usize, other: Residue) -> Residue {
        Residue(reduced(level, u128::from(self.0) * u128::from(other.0)))
    }

    pub(super) fn to_the(self, level: usize, mut exponent: u64) -> Residue {
        let (mut result, mut base) = (Residue::of(level, 1), self);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result.times(level, base);
            }
            base = base.times(level, base);
            exponent >>= 1;
        }
        result
    }

    /// `1 / self`; `None` of 0.
    pub(super) fn inverse(self, level: usize) -> Option<Residue> {
        (self != Residue::ZERO).then(|| self.to_the(level, PRIMES[level] - 2))
    }

    /// The square root that is itself a square, of a square.
    pub(super) fn root(self, level: usize) -> Option<Residue> {
        let root = self.to_the(level, PRIMES[level].div_ceil(4));
        (root.times(level, root) == self).then_some(root)
    }

    /// `2^self` one level further out.
    pub(super) fn power_of_two(self, level: usize) -> Residue {
        Residue::of(level, 2).to_the(level, self.number(level + 1))
    }
}

/// The prime of a level.
pub(super) fn prime(level: usize) -> u64 {
    PRIMES[level]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(base: u64, prime: u64) -> bool {
        let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(prime)) as u64;
        let (mut result, mut power, mut exponent) = (1, base, prime - 1);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = times(result, power);
            }
            power = times(power, power);
            exponent >>= 1;
        }
        result == 1
    }

    #[test]
    fn the_primes_are_primes_in_a_chain_and_2_has_the_order_of_the_next() {
        for level in 0..LEVELS {
            let prime = PRIMES[level];
            // p - 1 is twice a prime q above √p, so a base of order q or 2q proves p prime (Pocklington).
            assert!([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37].into_iter().all(|base| passes(base, prime)));
            assert_eq!(prime % 8, 7);
            if level + 1 < LEVELS {
                assert_eq!(prime, 2 * PRIMES[level + 1] + 1);
                assert_eq!(Residue::of(level, 2).to_the(level, PRIMES[level + 1]), Residue::of(level, 1));
            }
            assert!(
                [2, 3, 5, 7, 11, 13]
                    .into_iter()
                    .all(|square| Residue::of(level, square).root(level).is_some())
            );
        }
    }

    #[test]
    fn arithmetic_is_that_of_the_integers_modulo_the_prime() {
        for (level, prime) in PRIMES.into_iter().enumerate() {
            let numbers: Vec<u64> = [0, 1, 2, 3, prime / 2, prime - 1]
                .into_iter()
                .chain((1..40).map(|k: u64| k.wrapping_mul(0x9e37_79b9_7f4a_7c15) % prime))
                .collect();
            let modulo = |value: u128| (value % u128::from(prime)) as u64;
            for a in &numbers {
                let x = Residue::of(level, *a);
                assert_eq!(x.number(level), *a);
                assert_eq!(
                    x.inverse(level).map(|inverse| inverse.times(level, x).number(level)),
                    (*a != 0).then_some(1)
                );
                for b in &numbers {
                    let (y, [wide, other]) = (Residue::of(level, *b), [*a, *b].map(u128::from));
                    assert_eq!(x.plus(level, y).number(level), modulo(wide + other));
                    assert_eq!(x.minus(level, y).number(level), modulo(wide + u128::from(prime) - other));
                    assert_eq!(x.times(level, y).number(level), modulo(wide * other));
                    if level + 1 < LEVELS {
                        let [one, two] = [*a, *b].map(|number| Residue::of(level + 1, number));
                        let sum = one.plus(level + 1, two).power_of_two(level);
                        assert_eq!(sum, one.power_of_two(level).times(level, two.power_of_two(level)));
                    }
                }
            }
        }
    }
}
