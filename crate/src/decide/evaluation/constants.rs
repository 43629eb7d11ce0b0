//! Constants as residues.
//!
//! A rational is itself. √2 is a root modulo the prime, so that √2·√2 = 2 and √2·√3 = √6; e is
//! `2^λ`, where λ, the value of log₂ e, is a random residue of its own at each level, and ln 2 is its
//! inverse: then e^(ln 2) = 2. √π, ln 10 and roots that the field lacks are free variables: what holds
//! whatever they are holds for what they are.

use super::field::{self, LANES, LEVELS, Residue};
use crate::decide::constants::{Exact, Factor};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::{BigRational, Ratio};
use num_traits::ToPrimitive;

/// Names of random residues: what they belong to stands in the upper bits.
pub(super) const ELEMENT: u64 = 1 << 40;
pub(super) const ATOM: u64 = 2 << 40;
pub(super) const POSITIVE: u64 = 4 << 40;
pub(super) const NEGATIVE: u64 = 5 << 40;
const NAMED: u64 = 6 << 40;
const ROOT: u64 = 7 << 40;
/// The root of a base (`roots`), and the logarithms of bases and primes (`products`).
pub(super) const ROOT_OF_VALUE: u64 = 8 << 40;
pub(super) const LOG: u64 = 9 << 40;
pub(super) const LOG_OF_PRIME: u64 = 10 << 40;
/// What a side has where it has no value.
pub(super) const MISSING: u64 = 11 << 40;

/// log₂ e at a level.
pub(super) fn lambda(seed: [u64; 2], level: usize) -> Residue {
    field::random_residue(seed, level, NAMED)
}

/// What i·log₂ e is at a level: a variable, since nothing is used of it but that e^(i(a + b)) is a product.
pub(super) fn turn(seed: [u64; 2], level: usize) -> Residue {
    field::random_residue(seed, level, NAMED + 4)
}

/// ln 10 at a level.
pub(super) fn ln_10(seed: [u64; 2], level: usize) -> Residue {
    field::random_residue(seed, level, NAMED + 3)
}

/// The residue of a constant at a level; `None` where a power is absurd.
pub(super) fn residue(seed: [u64; 2], level: usize, exact: &Exact) -> Option<Residue> {
    let mut value = rational(level, exact.coefficient())?;
    for (factor, power) in exact.factors() {
        let factor = match factor {
            Factor::Prime(prime) => prime_power(seed, level, *prime, *power)?,
            Factor::E if level + 1 < LEVELS => {
                let power = rational(level + 1, &big(*power))?;
                let exponent = field::multiply(level + 1, lambda(seed, level + 1), power);
                field::power_of_two(level, exponent)
            }
            Factor::E => whole_power(level, field::random_residue(seed, level, NAMED + 1), *power)?,
            // The variable is √π: halves of π's powers are whole.
            Factor::Pi => whole_power(level, field::random_residue(seed, level, NAMED + 2), *power * 2)?,
            Factor::Ln10 => whole_power(level, ln_10(seed, level), *power)?,
            Factor::Ln2 => whole_power(level, lambda(seed, level), -*power)?,
        };
        value = field::multiply(level, value, factor);
    }
    Some(value)
}

/// A bound on the degree of a constant's residue.
pub(super) fn degree(exact: &Exact) -> f32 {
    let powers =
        exact.factors().iter().map(|(_, power)| 2.0 * power.ceil().to_integer().unsigned_abs() as f32 + 2.0);
    powers.sum()
}

fn prime_power(seed: [u64; 2], level: usize, prime: u64, power: Ratio<i64>) -> Option<Residue> {
    let (mut degree, mut root) = (*power.denom() as u64, prime % field::PRIMES[level]);
    while degree.is_multiple_of(2) {
        match field::square_root(level, root) {
            Some(square_root) => (degree, root) = (degree / 2, square_root),
            None => {
                let name = ROOT | prime << 16 | degree;
                return whole_power(level, field::random_residue(seed, level, name), power * *power.denom());
            }
        }
    }
    let root = if degree == 1 { [root; LANES] } else { field::odd_root(level, [root; LANES], degree)? };
    whole_power(level, root, power * *power.denom())
}

fn whole_power(level: usize, base: Residue, power: Ratio<i64>) -> Option<Residue> {
    if !power.is_integer() {
        return None;
    }
    let power = power.to_integer();
    let base = if power < 0 { field::invert(level, base)? } else { base };
    Some(field::power(level, base, power.unsigned_abs()))
}

fn big(value: Ratio<i64>) -> BigRational {
    BigRational::new((*value.numer()).into(), (*value.denom()).into())
}

fn rational(level: usize, value: &BigRational) -> Option<Residue> {
    let reduce = |n: &BigInt| n.mod_floor(&BigInt::from(field::PRIMES[level])).to_u64();
    let above = [reduce(value.numer())?; LANES];
    let below = field::invert(level, [reduce(value.denom())?; LANES])?;
    Some(field::multiply(level, above, below))
}
