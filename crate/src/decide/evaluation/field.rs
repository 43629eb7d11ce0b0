//! A tower of three prime fields, in several independent lanes.
//!
//! p₂, p₁ = 2p₂ + 1 and p₀ = 2p₁ + 1 are prime, so the squares of F(p₀) are a group of prime order
//! p₁, and those of F(p₁) one of order p₂. 2 is a square in both and generates them: `2^h` in F(p₀)
//! is a function of h in F(p₁), and turns sums there into products here. In each field the primes up
//! to 13 are squares (for √2, √3, √6, …), and every number has one root of each odd degree up to
//! 11, because p - 1 is twice a prime.
//!
//! Guarantees: arithmetic is exact; the tests check primality and the orders.
//! Source: a search below 2^60, downwards, for the first such p₂.

use std::sync::LazyLock;

/// Independent random points that are evaluated at once.
pub(super) const LANES: usize = 4;
/// Levels of nested exponentials that are followed.
pub(super) const LEVELS: usize = 3;
/// Orders of the fields, the outermost first. Field `level` lies just below 2^(62 - level).
pub(super) const PRIMES: [u64; LEVELS] =
    [4_611_686_018_331_100_799, 2_305_843_009_165_550_399, 1_152_921_504_582_775_199];

/// A residue in each lane.
pub(super) type Residue = [u64; LANES];

pub(super) const ZERO: Residue = [0; LANES];
pub(super) const ONE: Residue = [1; LANES];

#[inline(always)]
fn multiply_one(level: usize, a: u64, b: u64) -> u64 {
    let bits = 62 - level as u32;
    let (below, gap) = ((1u64 << bits) - 1, (1u64 << bits) - PRIMES[level]);
    // The upper part of the product folds onto the lower: 2^bits is the gap.
    let product = u128::from(a) * u128::from(b);
    let folded = u128::from((product >> bits) as u64) * u128::from(gap) + u128::from(product as u64 & below);
    let folded = (folded >> bits) as u64 * gap + (folded as u64 & below);
    if folded >= PRIMES[level] { folded - PRIMES[level] } else { folded }
}

#[inline(always)] // also where the browser's engine is compiled for size
pub(super) fn multiply(level: usize, a: Residue, b: Residue) -> Residue {
    std::array::from_fn(|lane| multiply_one(level, a[lane], b[lane]))
}

#[inline(always)]
pub(super) fn add(level: usize, a: Residue, b: Residue) -> Residue {
    std::array::from_fn(|lane| {
        let sum = a[lane] + b[lane];
        if sum >= PRIMES[level] { sum - PRIMES[level] } else { sum }
    })
}

#[inline(always)]
pub(super) fn subtract(level: usize, a: Residue, b: Residue) -> Residue {
    std::array::from_fn(|lane| {
        if a[lane] >= b[lane] { a[lane] - b[lane] } else { a[lane] + PRIMES[level] - b[lane] }
    })
}

#[inline(always)]
pub(super) fn negate(level: usize, a: Residue) -> Residue {
    subtract(level, ZERO, a)
}

fn power_one(level: usize, mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply_one(level, result, base);
        }
        base = multiply_one(level, base, base);
        exponent >>= 1;
    }
    result
}

pub(super) fn power(level: usize, base: Residue, exponent: u64) -> Residue {
    base.map(|base| power_one(level, base, exponent))
}

/// `1 / a`; `None` if that is 0 in some lane.
pub(super) fn invert(level: usize, a: Residue) -> Option<Residue> {
    if a.contains(&0) {
        return None;
    }
    if a == ONE {
        return Some(a);
    }
    // One inversion for all lanes: each is the inverse of the product times the others.
    let mut before = [1u64; LANES];
    let mut product = 1;
    for lane in 0..LANES {
        before[lane] = product;
        product = multiply_one(level, product, a[lane]);
    }
    let mut inverse = power_one(level, product, PRIMES[level] - 2);
    let mut result = ZERO;
    for lane in (0..LANES).rev() {
        result[lane] = multiply_one(level, inverse, before[lane]);
        inverse = multiply_one(level, inverse, a[lane]);
    }
    Some(result)
}

/// The root of an odd degree that does not divide p - 1.
pub(super) fn odd_root(level: usize, a: Residue, degree: u64) -> Option<Residue> {
    let order = u128::from(PRIMES[level] - 1);
    let exponent = (1..u128::from(degree)).find(|k| (k * order + 1) % u128::from(degree) == 0)?;
    Some(power(level, a, ((exponent * order + 1) / u128::from(degree)) as u64))
}

/// The root of a number that is a square modulo the prime.
pub(super) fn square_root(level: usize, a: u64) -> Option<u64> {
    let root = power_one(level, a, PRIMES[level] / 4 + 1);
    (multiply_one(level, root, root) == a).then_some(root)
}

/// `2^(digit · 256^place)` at a level.
type Powers = [[u64; 256]; 8];

static POWERS_OF_TWO: LazyLock<[Powers; LEVELS - 1]> = LazyLock::new(|| {
    std::array::from_fn(|level| {
        let mut table = [[1; 256]; 8];
        let mut base = 2;
        for row in &mut table {
            for digit in 1..256 {
                row[digit] = multiply_one(level, row[digit - 1], base);
            }
            base = multiply_one(level, row[255], base);
        }
        table
    })
});

/// `2^exponent` at a level, of an exponent that is a residue one level further in.
pub(super) fn power_of_two(level: usize, exponent: Residue) -> Residue {
    let table = &POWERS_OF_TWO[level];
    exponent.map(|exponent| {
        let digits = table.iter().zip(exponent.to_le_bytes());
        digits.fold(1, |power, (row, digit)| multiply_one(level, power, row[usize::from(digit)]))
    })
}

/// The integer as a residue, whatever its sign.
pub(super) fn integer(level: usize, value: i128) -> u64 {
    value.rem_euclid(i128::from(PRIMES[level])) as u64
}

/// The fraction of small integers that a number stands for, if it is the same in all lanes and at all
/// levels. Modulo one prime, a large fraction or a root may look like a small one (of either sign);
/// modulo three, none does by accident.
pub(super) fn rational(number: &[Residue; LEVELS]) -> Option<(i64, i64)> {
    let found = small_fraction(0, number[0])?;
    (1..LEVELS).all(|level| fraction(level, found) == Some(number[level])).then_some(found)
}

/// The fraction of integers below 2^29 that a residue may stand for, if it is the same in all lanes.
/// There is at most one.
fn small_fraction(level: usize, value: Residue) -> Option<(i64, i64)> {
    const LARGEST: i128 = 1 << 29;
    if value.iter().any(|lane| *lane != value[0]) {
        return None;
    }
    // The first remainder below the limit in Euclid's algorithm (Wang 1981).
    let (mut r, mut next) = (i128::from(PRIMES[level]), i128::from(value[0]));
    let (mut t, mut t_next) = (0i128, 1i128);
    while next > LARGEST {
        let quotient = r / next;
        (r, next) = (next, r - quotient * next);
        (t, t_next) = (t_next, t - quotient * t_next);
    }
    let (above, below) = if t_next < 0 { (-next, -t_next) } else { (next, t_next) };
    (below != 0 && below <= LARGEST).then_some((above as i64, below as i64))
}

/// A fraction as a residue.
pub(super) fn fraction(level: usize, (above, below): (i64, i64)) -> Option<Residue> {
    let above = [integer(level, above.into()); LANES];
    let below = invert(level, [integer(level, below.into()); LANES])?;
    Some(multiply(level, above, below))
}

/// A random word for a key: two rounds of the finalizer of splitmix64.
#[inline(always)]
pub(super) fn random(seed: [u64; 2], key: u64) -> u64 {
    let mut word = seed[0] ^ key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) ^ seed[1];
    word = (word ^ word >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 29).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 32
}

/// A random real between -1 and 1 for a key.
pub(super) fn random_real(seed: [u64; 2], key: u64) -> f64 {
    (random([seed[1], seed[0]], key) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// A random residue for a key.
#[inline(always)]
pub(super) fn random_residue(seed: [u64; 2], level: usize, key: u64) -> Residue {
    std::array::from_fn(|lane| {
        let word = random(seed, key << 4 | (level * LANES + lane) as u64);
        (word >> 2) % PRIMES[level]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Miller and Rabin with bases that decide all numbers of 64 bits.
    fn is_prime(n: u64) -> bool {
        let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(n)) as u64;
        let to_the = |mut base: u64, mut exponent: u64| {
            let mut result = 1;
            while exponent > 0 {
                if exponent & 1 == 1 {
                    result = times(result, base);
                }
                base = times(base, base);
                exponent >>= 1;
            }
            result
        };
        let twos = (n - 1).trailing_zeros();
        [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37].into_iter().all(|base| {
            let mut power = to_the(base, (n - 1) >> twos);
            let mut passes = power == 1;
            for _ in 0..twos {
                passes |= power == n - 1;
                power = times(power, power);
            }
            passes
        })
    }

    #[test]
    fn the_tower_is_what_it_is_said_to_be() {
        for level in 0..LEVELS {
            assert!(is_prime(PRIMES[level]));
            assert_eq!(PRIMES[level] % 4, 3);
            assert!(PRIMES[level] < 1 << (62 - level));
            if level + 1 < LEVELS {
                assert_eq!(PRIMES[level], 2 * PRIMES[level + 1] + 1);
                assert_eq!(power_one(level, 2, PRIMES[level + 1]), 1);
            }
            for square in [2, 3, 5, 7, 11, 13] {
                assert!(square_root(level, square).is_some());
            }
            for degree in [3, 5, 7, 9, 11] {
                let root = odd_root(level, [2, 12345, 678_910_111_213, 7], degree).expect("coprime");
                assert_eq!(power(level, root, degree), [2, 12345, 678_910_111_213, 7]);
            }
        }
    }

    #[test]
    fn products_quotients_and_powers_are_those_of_the_field() {
        for (level, prime) in PRIMES.into_iter().enumerate() {
            let mut numbers = vec![0, 1, 2, prime / 2, prime - 2, prime - 1];
            numbers.extend((0..40).map(|key| random([3, 4], key) % prime));
            for a in &numbers {
                for b in &numbers {
                    let exact = u128::from(*a) * u128::from(*b) % u128::from(prime);
                    assert_eq!(u128::from(multiply_one(level, *a, *b)), exact);
                }
                let lanes = [*a, 7, prime - 1, *a % 1000 + 1];
                match invert(level, lanes) {
                    Some(inverse) => assert_eq!(multiply(level, lanes, inverse), ONE),
                    None => assert_eq!(*a, 0),
                }
                if level + 1 < LEVELS {
                    assert_eq!(power_of_two(level, lanes), lanes.map(|lane| power_one(level, 2, lane)));
                }
            }
        }
    }

    #[test]
    fn small_fractions_are_found_and_nothing_else() {
        for (above, below) in [(0, 1), (1, 1), (-1, 3), (22, 7), (-7_000_001, 9_999_999)] {
            let residue = fraction(0, (above, below)).expect("not zero");
            assert_eq!(small_fraction(0, residue), Some((above, below)));
        }
        assert_eq!(small_fraction(0, [1, 1, 1, 2]), None);
        assert!((0..100).all(|key| small_fraction(0, random_residue([1, 2], 0, key)).is_none()));
    }
}
