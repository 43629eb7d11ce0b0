//! Polynomials with integer coefficients over unknowns, and conditions on them.
//!
//! An address is affine in the thread's index, but a size that is a product of sizes (`blockIdx.x * blockDim.x`,
//! `row * width`) is a monomial of degree two. Terms stand in a fixed order, so that equal polynomials compare equal.
//! Arithmetic is exact: what has too many terms, too high a degree or a coefficient beyond 2¹⁰⁰ has no polynomial
//! (`None`), and is an unknown to whoever asked.

use std::collections::{BTreeMap, BTreeSet};

/// A quantity that a proof is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Unknown(pub(super) u32);

/// A product of unknowns, ascending; the empty one is 1.
pub(super) type Monomial = Vec<Unknown>;

/// A sum of monomials, each so many times (never 0).
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Poly {
    terms: BTreeMap<Monomial, i128>,
}

const MOST_TERMS: usize = 48;
const HIGHEST_DEGREE: usize = 5;
const LARGEST: i128 = 1 << 100;

impl Poly {
    pub(super) fn constant(value: i128) -> Poly {
        let mut poly = Poly::default();
        if value != 0 {
            poly.terms.insert(Vec::new(), value);
        }
        poly
    }

    pub(super) fn unknown(unknown: Unknown) -> Poly {
        Poly::monomial(vec![unknown], 1)
    }

    pub(super) fn monomial(monomial: Monomial, coefficient: i128) -> Poly {
        Poly { terms: BTreeMap::from([(monomial, coefficient)]) }
    }

    /// Its value, if it has no unknowns.
    pub(super) fn value(&self) -> Option<i128> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    pub(super) fn terms(&self) -> impl Iterator<Item = (&Monomial, i128)> {
        self.terms.iter().map(|(monomial, coefficient)| (monomial, *coefficient))
    }

    pub(super) fn unknowns(&self) -> impl Iterator<Item = Unknown> {
        self.terms.keys().flatten().copied()
    }

    /// `self + other · scale`.
    pub(super) fn plus(&self, other: &Poly, scale: i128) -> Option<Poly> {
        let mut sum = self.clone();
        for (monomial, coefficient) in &other.terms {
            sum.add_term(monomial.clone(), coefficient.checked_mul(scale)?)?;
        }
        sum.sized()
    }

    fn add_term(&mut self, monomial: Monomial, coefficient: i128) -> Option<()> {
        use std::collections::btree_map::Entry;
        match self.terms.entry(monomial) {
            Entry::Vacant(entry) => {
                if coefficient != 0 {
                    entry.insert(coefficient);
                }
            }
            Entry::Occupied(mut entry) => {
                let sum = entry.get().checked_add(coefficient)?;
                if sum == 0 {
                    entry.remove();
                } else {
                    *entry.get_mut() = sum;
                }
            }
        }
        Some(())
    }

    fn sized(self) -> Option<Poly> {
        let fits = self.terms.len() <= MOST_TERMS
            && self.terms.iter().all(|(monomial, value)| {
                monomial.len() <= HIGHEST_DEGREE && value.unsigned_abs() < LARGEST as u128
            });
        fits.then_some(self)
    }

    /// `self + value`.
    pub(super) fn offset(&self, value: i128) -> Option<Poly> {
        self.plus(&Poly::constant(1), value)
    }

    pub(super) fn times(&self, other: &Poly) -> Option<Poly> {
        if self.terms.len() * other.terms.len() > 4 * MOST_TERMS {
            return None;
        }
        let mut product = Poly::default();
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                let mut both: Monomial = a.iter().chain(b).copied().collect();
                both.sort_unstable();
                product.add_term(both, x.checked_mul(*y)?)?;
            }
        }
        product.sized()
    }

    pub(super) fn scaled(&self, scale: i128) -> Option<Poly> {
        Poly::default().plus(self, scale)
    }

    /// The same modulo 2ⁿ, with the coefficients nearest to 0.
    pub(super) fn modulo(mut self, bits: u32) -> Poly {
        if bits > 64 {
            return self;
        }
        let (all, half) = (1i128 << bits, 1i128 << (bits - 1));
        for value in self.terms.values_mut() {
            if value.unsigned_abs() >= half as u128 {
                let rest = value.rem_euclid(all);
                *value = if rest >= half { rest - all } else { rest };
            }
        }
        self.terms.retain(|_, value| *value != 0);
        self
    }

    /// What all coefficients have in common, the constant's left out; 0 for a constant.
    pub(super) fn common(&self) -> i128 {
        let own = self.terms.iter().filter(|(monomial, _)| !monomial.is_empty());
        own.fold(0, |common, (_, value)| num_integer::gcd(common, *value))
    }

    pub(super) fn constant_part(&self) -> i128 {
        self.terms.get(&Vec::new()).copied().unwrap_or_default()
    }

    /// Divided by what its coefficients but the constant have in common; the constant is rounded down.
    fn divided(&self, by: i128) -> Poly {
        if by == 1 {
            return self.clone();
        }
        let mut terms: BTreeMap<Monomial, i128> =
            self.terms.iter().map(|(monomial, value)| (monomial.clone(), value.div_euclid(by))).collect();
        terms.retain(|_, value| *value != 0);
        Poly { terms }
    }

    /// Divided by what all its coefficients have in common.
    pub(super) fn primitive(&self) -> Poly {
        let all = num_integer::gcd(self.common(), self.constant_part());
        if all == 0 { self.clone() } else { self.divided(all) }
    }

    /// With other polynomials in the place of unknowns.
    pub(super) fn put_in(&self, value: &dyn Fn(Unknown) -> Option<Poly>) -> Option<Poly> {
        if self.unknowns().all(|unknown| value(unknown).is_none()) {
            return Some(self.clone());
        }
        let mut sum = Poly::default();
        for (monomial, coefficient) in &self.terms {
            let mut product = Poly::constant(*coefficient);
            for unknown in monomial {
                let factor = value(*unknown).unwrap_or_else(|| Poly::unknown(*unknown));
                product = product.times(&factor)?;
            }
            sum = sum.plus(&product, 1)?;
        }
        Some(sum)
    }

    /// `a` and `b` with `self = a + b · unknown`, where `a` is free of it.
    pub(super) fn split(&self, unknown: Unknown) -> (Poly, Poly) {
        let (mut rest, mut cofactor) = (Poly::default(), Poly::default());
        for (monomial, value) in &self.terms {
            match monomial.iter().position(|own| *own == unknown) {
                None => drop(rest.terms.insert(monomial.clone(), *value)),
                Some(at) => {
                    let mut without = monomial.clone();
                    without.remove(at);
                    cofactor.terms.insert(without, *value);
                }
            }
        }
        (rest, cofactor)
    }

    pub(super) fn degree(&self) -> usize {
        self.terms.keys().map(Vec::len).max().unwrap_or_default()
    }
}

/// A condition on unknowns, without negations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Condition {
    /// Holds always: the empty conjunction is written so.
    True,
    /// Holds never.
    False,
    /// `poly ≥ 0`.
    AtLeast(Poly),
    /// `poly = 0`.
    Zero(Poly),
    /// All hold.
    All(Vec<Condition>),
    /// One holds.
    Any(Vec<Condition>),
}

impl Condition {
    pub(super) fn at_least(poly: Poly) -> Condition {
        match poly.value() {
            Some(value) if value >= 0 => Condition::True,
            Some(_) => Condition::False,
            None => Condition::AtLeast(poly.divided(poly.common())),
        }
    }

    pub(super) fn zero(poly: Poly) -> Condition {
        let common = poly.common();
        match poly.value() {
            Some(0) => Condition::True,
            Some(_) => Condition::False,
            None if poly.constant_part() % common != 0 => Condition::False,
            None => Condition::Zero(poly.divided(common)),
        }
    }

    /// `a ≤ b`; holds also where that cannot be written.
    pub(super) fn at_most(a: &Poly, b: &Poly) -> Option<Condition> {
        Some(Condition::at_least(b.plus(a, -1)?))
    }

    pub(super) fn less(a: &Poly, b: &Poly) -> Option<Condition> {
        Some(Condition::at_least(b.plus(a, -1)?.offset(-1)?))
    }

    pub(super) fn equal(a: &Poly, b: &Poly) -> Option<Condition> {
        Some(Condition::zero(a.plus(b, -1)?))
    }

    pub(super) fn all(parts: impl IntoIterator<Item = Condition>) -> Condition {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Condition::True => {}
                Condition::False => return Condition::False,
                Condition::All(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        // Not less and not more is the same.
        if let [Condition::AtLeast(a), Condition::AtLeast(b)] = &flat[..]
            && a.plus(b, 1) == Some(Poly::default())
        {
            return Condition::zero(a.clone());
        }
        match flat.len() {
            0 => Condition::True,
            1 => flat.remove(0),
            _ => Condition::All(flat),
        }
    }

    pub(super) fn any(parts: impl IntoIterator<Item = Condition>) -> Condition {
        let mut flat = Vec::new();
        let parts: Vec<Condition> = parts.into_iter().collect();
        if let [a, b] = &parts[..]
            && (a.not().as_ref() == Some(b) || b.not().as_ref() == Some(a))
        {
            return Condition::True;
        }
        for part in parts {
            match part {
                Condition::False => {}
                Condition::True => return Condition::True,
                Condition::Any(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        flat.dedup();
        match flat.len() {
            0 => Condition::False,
            1 => flat.remove(0),
            _ => Condition::Any(flat),
        }
    }

    /// Its negation; `None` where numbers become too large.
    pub(super) fn not(&self) -> Option<Condition> {
        Some(match self {
            Condition::True => Condition::False,
            Condition::False => Condition::True,
            Condition::AtLeast(poly) => Condition::at_least(poly.scaled(-1)?.offset(-1)?),
            Condition::Zero(poly) => Condition::any([
                Condition::at_least(poly.offset(-1)?),
                Condition::at_least(poly.scaled(-1)?.offset(-1)?),
            ]),
            Condition::All(parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(Condition::not).collect();
                Condition::any(parts?)
            }
            Condition::Any(parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(Condition::not).collect();
                Condition::all(parts?)
            }
        })
    }

    pub(super) fn visit(&self, see: &mut dyn FnMut(&Poly)) {
        match self {
            Condition::True | Condition::False => {}
            Condition::AtLeast(poly) | Condition::Zero(poly) => see(poly),
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| part.visit(see)),
        }
    }

    pub(super) fn unknowns(&self) -> BTreeSet<Unknown> {
        let mut found = BTreeSet::new();
        self.visit(&mut |poly| found.extend(poly.unknowns()));
        found
    }

    /// With other polynomials in the place of unknowns; what cannot be written any more is taken to hold. Atoms
    /// over what `forget` names are taken to hold, too.
    pub(super) fn put_in(
        &self,
        value: &dyn Fn(Unknown) -> Option<Poly>,
        forget: &dyn Fn(Unknown) -> bool,
    ) -> Condition {
        let atom = |poly: &Poly| match poly.unknowns().any(forget) {
            true => None,
            false => poly.put_in(value),
        };
        match self {
            Condition::True => Condition::True,
            Condition::False => Condition::False,
            Condition::AtLeast(poly) => atom(poly).map_or(Condition::True, Condition::at_least),
            Condition::Zero(poly) => atom(poly).map_or(Condition::True, Condition::zero),
            Condition::All(parts) => Condition::all(parts.iter().map(|part| part.put_in(value, forget))),
            Condition::Any(parts) => Condition::any(parts.iter().map(|part| part.put_in(value, forget))),
        }
    }

    /// Whether it holds where unknowns have these values; what has none is 0.
    pub(super) fn holds(&self, value: &dyn Fn(&Poly) -> Option<i128>) -> Option<bool> {
        Some(match self {
            Condition::True => true,
            Condition::False => false,
            Condition::AtLeast(poly) => value(poly)? >= 0,
            Condition::Zero(poly) => value(poly)? == 0,
            Condition::All(parts) => {
                for part in parts {
                    if !part.holds(value)? {
                        return Some(false);
                    }
                }
                true
            }
            Condition::Any(parts) => {
                for part in parts {
                    if part.holds(value)? {
                        return Some(true);
                    }
                }
                false
            }
        })
    }
}
