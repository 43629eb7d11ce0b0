//! Values of polynomials in a prime field, to find equal ones among those that look different.
//!
//! Two fields: exponents are valued in the field of order q, everything else in the field of order
//! p = 2q + 1, where `e^h` is g^(value of h) for a fixed g of order q; so exponentials of sums are
//! products. Elements get values with roots of all small degrees, conditions 0 or 1, and opaque
//! atoms whatever their number hashes to.
//!
//! Guarantees: none for equality (a value only proposes a candidate). Where a value is marked
//! faithful, provably equal polynomials have equal values, so unequal values end the search.
//! Source: DESIGN §5.2; polynomial identity testing after Schwartz and Zippel.

use super::{Atom, Coef, Forms, Kind, Mono, Poly, Power, Step};
use rustc_hash::{FxHashMap, FxHashSet};

const Q: u64 = 288_230_376_151_789_679;
const P: u64 = 576_460_752_303_579_359;
const G: u64 = 9;
const INVERSE_P: u128 = (1 << 120) / P as u128;
const INVERSE_Q: u128 = (1 << 120) / Q as u128;
/// Elements are powers of this degree, so that they have roots of small degree.
const ROOTS: u64 = 5040;

/// A value in both fields, and whether each is faithful.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value {
    pub(super) main: u64,
    exponent: u64,
    pub(super) faithful: bool,
    faithful_exponent: bool,
}

#[derive(Clone, Default)]
pub(super) struct Valuations {
    polys: FxHashMap<Poly, Value>,
    /// `e^h` in the main field.
    powers: FxHashMap<Poly, u64>,
    seen: FxHashMap<(u64, u64), Vec<Poly>>,
    /// All that `seen` holds.
    representatives: FxHashSet<Poly>,
    /// Coefficients in both fields, by number, where they were asked for; `None` in a field's place
    /// where they have no value.
    coefficients: Vec<Option<Option<(u64, u64)>>>,
    /// Elements in both fields, by number, where they were asked for: in pages, because a kernel may
    /// touch a few elements at the end of a large tensor.
    elements: Vec<Option<Box<Page>>>,
    /// `G^(digit · 256^place)`, made at first use.
    generator: Vec<[u64; 256]>,
    /// Values that wait for that of a part, on the stack.
    depth: u32,
}

/// Values that call for one another on the stack; what is nested deeper is kept on the heap.
const DEEPEST: u32 = 64;

const PAGE: usize = 256;
type Page = [Option<(u64, u64)>; PAGE];

impl Valuations {
    /// An element in both fields: a number of each, raised so that it has roots of small degrees.
    fn element(&mut self, element: u32) -> (u64, u64) {
        let (page, at) = (element as usize / PAGE, element as usize % PAGE);
        if let Some(Some(known)) = self.elements.get(page).map(|page| page.as_ref().and_then(|page| page[at]))
        {
            return known;
        }
        let (main, exponent) = element_roots(element);
        let value = (raise(main, ROOTS, P), raise(exponent, ROOTS, Q));
        if page >= self.elements.len() {
            self.elements.resize(page + 1, None);
        }
        self.elements[page].get_or_insert_with(|| Box::new([None; PAGE]))[at] = Some(value);
        value
    }

    /// `G^exponent` modulo P, digit by digit.
    fn generator_power(&mut self, exponent: u64) -> u64 {
        if self.generator.is_empty() {
            let mut base = G;
            for _ in 0..8 {
                let mut row = [1u64; 256];
                for digit in 1..256 {
                    row[digit] = multiply(row[digit - 1], base, P);
                }
                base = multiply(row[255], base, P);
                self.generator.push(row);
            }
        }
        let digits = exponent.to_le_bytes();
        self.generator
            .iter()
            .zip(digits)
            .fold(1, |power, (row, digit)| multiply(power, row[usize::from(digit)], P))
    }
}

impl Forms<'_> {
    /// The polynomial that stands for all those proved equal to this one; itself if it is the
    /// first.
    pub(super) fn representative(&mut self, poly: Poly) -> Step<Poly> {
        if self.len(poly) < 2 && !self.opens(poly) {
            return Ok(poly);
        }
        if self.valuations.representatives.contains(&poly) {
            return Ok(poly);
        }
        let value = self.valuation(poly)?;
        let key = (value.main, value.exponent);
        let candidates = self.valuations.seen.get(&key).cloned().unwrap_or_default();
        for candidate in candidates {
            if !self.opens(poly) && !self.opens(candidate) {
                continue;
            }
            let difference = self.minus(poly, candidate)?;
            if self.vanishes(difference)? {
                return Ok(candidate);
            }
        }
        self.valuations.seen.entry(key).or_default().push(poly);
        self.valuations.representatives.insert(poly);
        Ok(poly)
    }

    /// Whether a closed sum occurs, so that equal polynomials may look different.
    fn opens(&self, poly: Poly) -> bool {
        (0..self.len(poly)).any(|at| self.has_closed(self.mono_at(poly, at)))
    }

    pub(super) fn valuation(&mut self, poly: Poly) -> Step<Value> {
        if let Some(value) = self.valuations.polys.get(&poly) {
            return Ok(*value);
        }
        if self.valuations.depth >= DEEPEST {
            return self.valuation_of_nested(poly);
        }
        self.valuations.depth += 1;
        let value = self.valuation_by_parts(poly);
        self.valuations.depth -= 1;
        value
    }

    /// The same, those of all parts first, without a call for each.
    #[cold]
    fn valuation_of_nested(&mut self, poly: Poly) -> Step<Value> {
        let mut open = vec![poly];
        loop {
            let Some(next) = open.last().copied() else { return self.valuation(poly) };
            let before = open.len();
            if !self.valuations.polys.contains_key(&next) {
                self.push_parts(next, &mut open);
                if open.len() > before {
                    continue;
                }
                self.valuation_by_parts(next)?;
            }
            open.pop();
        }
    }

    /// Polynomials within this one, which were made before it, that have no value yet.
    fn push_parts(&self, poly: Poly, open: &mut Vec<Poly>) {
        for at in 0..self.len(poly) {
            let mono = self.mono_at(poly, at);
            let factors = (0..self.factor_count(mono)).map(|at| self.kind(self.factor(mono, at).0));
            let bodies = factors.filter_map(|kind| match kind {
                Kind::Sum(body) | Kind::Abs(body) => Some(body),
                _ => None,
            });
            let exponent = Some(self.exponent(mono)).filter(|exponent| *exponent != Poly::ZERO);
            open.extend(bodies.chain(exponent).filter(|part| !self.valuations.polys.contains_key(part)));
        }
    }

    fn valuation_by_parts(&mut self, poly: Poly) -> Step<Value> {
        self.tick(self.len(poly) as u64)?;
        let mut total = Value { main: 0, exponent: 0, faithful: true, faithful_exponent: true };
        for at in 0..self.len(poly) {
            let mono = self.mono_at(poly, at);
            let value = self.mono_valuation(mono)?;
            total.faithful &= value.faithful;
            total.faithful_exponent &= value.faithful_exponent;
            match self.coefficient_valuation(self.coef_at(poly, at)) {
                Some((main, exponent)) => {
                    total.main = add(total.main, multiply(value.main, main, P), P);
                    total.exponent = add(total.exponent, multiply(value.exponent, exponent, Q), Q);
                }
                None => (total.faithful, total.faithful_exponent) = (false, false),
            }
        }
        self.valuations.polys.insert(poly, total);
        Ok(total)
    }

    fn coefficient_valuation(&mut self, coef: Coef) -> Option<(u64, u64)> {
        let at = coef.0 as usize;
        if let Some(Some(known)) = self.valuations.coefficients.get(at) {
            return *known;
        }
        let coefficient = &self.coefficients[at];
        let field = |prime| coefficient.modulo(prime).map(|(above, below)| divide(above, below, prime));
        let value = field(P).zip(field(Q));
        if at >= self.valuations.coefficients.len() {
            self.valuations.coefficients.resize(at + 1, None);
        }
        self.valuations.coefficients[at] = Some(value);
        value
    }

    fn mono_valuation(&mut self, mono: Mono) -> Step<Value> {
        let mut total = Value { main: 1, exponent: 1, faithful: true, faithful_exponent: true };
        let exponent = self.exponent(mono);
        if exponent != Poly::ZERO {
            let value = self.valuation(exponent)?;
            let power = match self.valuations.powers.get(&exponent) {
                Some(known) => *known,
                None => {
                    let power = self.valuations.generator_power(value.exponent);
                    self.valuations.powers.insert(exponent, power);
                    power
                }
            };
            total.main = power;
            total.faithful = value.faithful_exponent;
            // A tower of exponentials would need a third field.
            total.exponent = mix(u64::from(exponent.0), 0x65_78_70) % Q;
            total.faithful_exponent = false;
        }
        for at in 0..self.factor_count(mono) {
            let (atom, power) = self.factor(mono, at);
            let value = self.atom_valuation(atom, power)?;
            total.main = multiply(total.main, value.main, P);
            total.exponent = multiply(total.exponent, value.exponent, Q);
            total.faithful &= value.faithful;
            total.faithful_exponent &= value.faithful_exponent;
        }
        Ok(total)
    }

    fn atom_valuation(&mut self, atom: Atom, power: Power) -> Step<Value> {
        let kind = self.kind(atom);
        let whole = power.floor();
        let rest = Power { above: power.above - whole * power.below as i16, below: power.below };
        let exact = |main, exponent| Value { main, exponent, faithful: true, faithful_exponent: true };
        if let Kind::Element(element) = kind {
            if power == Power::ONE {
                let (main, exponent) = self.valuations.element(element);
                return Ok(exact(main, exponent));
            }
            let (main, exponent) = element_roots(element);
            let degree = u64::from(power.below);
            if !ROOTS.is_multiple_of(degree) {
                return Ok(Value {
                    faithful: false,
                    faithful_exponent: false,
                    ..exact(mix(main, u64::from(power.pack())) % P, mix(exponent, 3) % Q)
                });
            }
            let times = i64::from(power.above) * (ROOTS / degree) as i64;
            return Ok(exact(raise_signed(main, times, P), raise_signed(exponent, times, Q)));
        }
        let mut base = match kind {
            Kind::Sum(body) => self.valuation(body)?,
            Kind::Abs(body) => {
                let value = self.valuation(body)?;
                if mix(u64::from(atom.0), 4) & 1 == 0 {
                    value
                } else {
                    Value { main: (P - value.main) % P, exponent: (Q - value.exponent) % Q, ..value }
                }
            }
            Kind::Prime(prime) => exact(prime % P, prime % Q),
            _ if self.is_indicator(atom) => {
                let bit = mix(u64::from(atom.0), 5) & 1;
                exact(bit, bit)
            }
            _ => exact(mix(u64::from(atom.0), 6) % P, mix(u64::from(atom.0), 7) % Q),
        };
        if whole != 1 || rest.above != 0 {
            base.main = raise_signed(base.main, whole.into(), P);
            base.exponent = raise_signed(base.exponent, whole.into(), Q);
        }
        if rest.above != 0 {
            let seed = u64::from(atom.0) << 32 | u64::from(rest.pack());
            base.main = multiply(base.main, mix(seed, 8) % P, P);
            base.exponent = multiply(base.exponent, mix(seed, 9) % Q, Q);
            (base.faithful, base.faithful_exponent) = (false, false);
        }
        Ok(base)
    }
}

/// Roots of an element's values, of degree [`ROOTS`].
fn element_roots(element: u32) -> (u64, u64) {
    (mix(element.into(), 1) % P, mix(element.into(), 2) % Q)
}

fn mix(seed: u64, salt: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt.wrapping_mul(0xd1b5_4a32_d192_ed03);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

fn add(a: u64, b: u64, prime: u64) -> u64 {
    let sum = a + b;
    if sum >= prime { sum - prime } else { sum }
}

fn multiply(a: u64, b: u64, prime: u64) -> u64 {
    if a == 1 {
        return b;
    }
    if b == 1 {
        return a;
    }
    // Barrett: `inverse` is ⌊2^120 / prime⌋, and the estimated quotient is at most 3 short.
    let inverse = if prime == P { INVERSE_P } else { INVERSE_Q };
    let product = u128::from(a) * u128::from(b);
    let quotient = ((product >> 57) * inverse) >> 63;
    let mut rest = (product - quotient * u128::from(prime)) as u64;
    while rest >= prime {
        rest -= prime;
    }
    rest
}

fn divide(above: u64, below: u64, prime: u64) -> u64 {
    if below == 1 { above } else { multiply(above, raise(below, prime - 2, prime), prime) }
}

fn raise(base: u64, mut power: u64, prime: u64) -> u64 {
    let (mut base, mut result) = (base, 1);
    while power > 0 {
        if power & 1 == 1 {
            result = multiply(result, base, prime);
        }
        base = multiply(base, base, prime);
        power >>= 1;
    }
    result
}

fn raise_signed(base: u64, power: i64, prime: u64) -> u64 {
    let value = raise(base, power.unsigned_abs(), prime);
    if power < 0 { raise(value, prime - 2, prime) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_has_order_q() {
        assert_eq!(P, 2 * Q + 1);
        assert_eq!(raise(G, Q, P), 1);
        assert_ne!(raise(G, 2, P), 1);
        assert_eq!(multiply(7, raise_signed(7, -1, P), P), 1);
    }

    #[test]
    fn an_element_far_away_takes_one_page() {
        let mut valuations = Valuations::default();
        let far = 1 << 28;
        let values = [far, far + 1, far].map(|element| valuations.element(element));
        assert_eq!(values[0], values[2]);
        assert_ne!(values[0], values[1]);
        assert_eq!(valuations.elements.iter().flatten().count(), 1);
        assert!(valuations.elements.capacity() * size_of::<Option<Box<Page>>>() < 32 << 20);
    }

    #[test]
    fn powers_by_digits() {
        let mut valuations = Valuations::default();
        for exponent in [0, 1, 255, 256, 0x1234_5678_9abc, Q - 1, Q] {
            assert_eq!(valuations.generator_power(exponent), raise(G, exponent, P));
        }
    }

    #[test]
    fn products_are_reduced_exactly() {
        let mut x = 1u64;
        for step in 0..20_000u64 {
            x = mix(x, step);
            let y = mix(x, step + 1);
            for prime in [P, Q] {
                let (a, b) = (x % prime, y % prime);
                for (a, b) in [(a, b), (prime - 1, b), (prime - 1, prime - 1), (0, b)] {
                    assert_eq!(
                        u128::from(multiply(a, b, prime)),
                        u128::from(a) * u128::from(b) % u128::from(prime)
                    );
                }
            }
        }
    }
}
