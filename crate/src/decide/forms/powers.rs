//! Rational powers: quotients, roots, and sums kept closed.
//!
//! A sum of several terms is raised to a power as one atom, after its content (leading
//! exponential, common factors, leading coefficient) is divided out, so that sums which differ by
//! a factor share their atom: `Σe^(x_j-m)` and `Σe^(x_j)` do. The choice of what leads is by an
//! order of monomials that multiplication respects, which makes the content of `c·p` that of `p`
//! times `c`.
//!
//! Guarantees: the result equals `poly^power` wherever the latter is defined; divisors and even
//! roots of values whose sign is not evident are noted. Roots follow the sign: `√(x²) = |x|`, and
//! only non-negative factors leave an even root.
//! Misses: factoring beyond monomial content and perfect squares (see `roots`).

use super::{Accumulator, Atom, Forms, Kind, Mono, Poly, Power, Product, Rational, Step, unknown};
use crate::decide::{Exact, Factor};
use crate::diag::Assumption;
use num_rational::Ratio;
use std::cmp::Ordering;

/// Closed sums are flattened into one another up to this many terms.
const LARGEST_FLAT: u64 = 1 << 14;

impl Forms<'_> {
    /// `poly^power`; the power is not 0. Sums become closed atoms, also for whole powers. Remembered,
    /// with what it assumes: every output of a row divides by the same sum.
    pub(in crate::decide) fn power(&mut self, poly: Poly, power: Power) -> Step<Product> {
        if let Some((product, assumed)) = self.powers.get(&(poly, power)) {
            self.notes.extend(assumed.iter().cloned());
            return Ok(product.clone());
        }
        let mut assumed = Vec::new();
        if poly == Poly::ZERO {
            if power.above < 0 {
                return unknown("a denominator is zero for all inputs");
            }
            return Ok(Product { coefficient: Rational::ZERO, mono: Mono::ONE });
        }
        let sign = self.sign(poly);
        if power.above < 0 && !sign.is_non_zero() {
            assumed.push(Assumption::DenominatorNonZero(self.render(poly)));
        }
        if power.below.is_multiple_of(2) && !sign.is_non_negative() {
            assumed.push(Assumption::ArgumentInRange(self.render(poly)));
        }
        self.notes.extend(assumed.iter().cloned());
        let product = self.power_or_closed(poly, power)?;
        self.powers.insert((poly, power), (product.clone(), assumed));
        Ok(product)
    }

    /// `1 / poly`.
    pub(in crate::decide) fn reciprocal(&mut self, poly: Poly) -> Step<Product> {
        self.power(poly, Power::MINUS_ONE)
    }

    /// A sum as one closed factor.
    pub(in crate::decide) fn closed(&mut self, poly: Poly) -> Step<Product> {
        if let Some(known) = self.closed.get(&poly) {
            return Ok(known.clone());
        }
        let product = self.power_or_closed(poly, Power::ONE)?;
        self.closed.insert(poly, product.clone());
        Ok(product)
    }

    /// [`Forms::power`] without notes.
    pub(super) fn power_or_closed(&mut self, poly: Poly, power: Power) -> Step<Product> {
        if let Some(product) = self.single(poly) {
            return self.power_of_product(&product, power);
        }
        // Sums of sums are one flat sum, whichever way they were nested.
        if let Some(flat) = self.with_sums_opened(poly, true, LARGEST_FLAT)? {
            if flat == Poly::ZERO {
                if power.above < 0 {
                    return unknown("a denominator is zero for all inputs");
                }
                return Ok(Product { coefficient: Rational::ZERO, mono: Mono::ONE });
            }
            return self.power_or_closed(flat, power);
        }
        let (content, rest) = match self.known_content(poly, power)? {
            Some(known) => known,
            None => {
                let content = self.content(poly, power.below.is_multiple_of(2))?;
                let inverse = self.inverse(&content)?;
                let rest = self.times_product(poly, &inverse)?;
                if let Some(product) = self.single(rest) {
                    let product = self.product(&product, &content)?;
                    return self.power_of_product(&product, power);
                }
                let rest = self.representative(rest)?;
                (content, rest)
            }
        };
        let outside = self.power_of_product(&content, power)?;
        if power.below.is_multiple_of(2)
            && let Some(twice) = power.times(Power { above: 2, below: 1 })
            && let Some(root) = self.square_root(rest)?
        {
            let root = self.magnitude(root)?;
            let inside = self.power_or_closed(root, twice)?;
            return self.product(&outside, &inside);
        }
        let atom = self.atom(Kind::Sum(rest));
        let inside = self.atom_power(atom, power)?;
        self.product(&outside, &inside)
    }

    /// The decomposition of an equal polynomial that was closed before, if one is known.
    fn known_content(&mut self, poly: Poly, power: Power) -> Step<Option<(Product, Poly)>> {
        let same = self.representative(poly)?;
        if same == poly {
            return Ok(None);
        }
        let content = self.content(same, power.below.is_multiple_of(2))?;
        let inverse = self.inverse(&content)?;
        let rest = self.times_product(same, &inverse)?;
        if self.len(rest) < 2 {
            return Ok(None);
        }
        let rest = self.representative(rest)?;
        Ok(Some((content, rest)))
    }

    /// `1 / product` by rules of exponents only.
    pub(super) fn inverse(&mut self, product: &Product) -> Step<Product> {
        let exponent = self.exponent(product.mono);
        let exponent = self.negated(exponent)?;
        let mut result =
            Product { coefficient: product.coefficient.reciprocal(), mono: self.exp_mono(exponent) };
        for at in 0..self.factor_count(product.mono) {
            let (atom, power) = self.factor(product.mono, at);
            let factor = self.atom_power(atom, Power { above: -power.above, below: power.below })?;
            result = self.product(&result, &factor)?;
        }
        Ok(result)
    }

    /// What can be divided out of a sum: the exponential of its leading term, the lowest power of
    /// each atom that all terms share, and the leading coefficient. With `positive`, only what is
    /// known to be positive, and squares.
    fn content(&mut self, poly: Poly, positive: bool) -> Step<Product> {
        let lead = self.leading(poly);
        let first = self.mono_at(poly, lead);
        let mut coefficient = self.coefficient_at(poly, lead).clone();
        if positive {
            coefficient = coefficient.magnitude();
        }
        let exponent = self.exponent(first);
        let mut content = Product { coefficient, mono: self.exp_mono(exponent) };
        // Atoms with a negative power anywhere, or in every term.
        let mut lowest: Vec<(Atom, Power, usize)> = Vec::new();
        for at in 0..self.len(poly) {
            let mono = self.mono_at(poly, at);
            for index in 0..self.factor_count(mono) {
                let (atom, power) = self.factor(mono, index);
                match lowest.binary_search_by_key(&atom, |entry| entry.0) {
                    Ok(found) => {
                        let entry = &mut lowest[found];
                        entry.2 += 1;
                        if less(power, entry.1) {
                            entry.1 = power;
                        }
                    }
                    // An atom that the terms before lacked can only matter when negative.
                    Err(place) if at == 0 || power.above < 0 => lowest.insert(place, (atom, power, 1)),
                    Err(_) => {}
                }
            }
        }
        let total = self.len(poly);
        for (atom, power, count) in lowest {
            if self.is_indicator(atom) || (count < total && power.above > 0) {
                continue;
            }
            let mut power = power;
            if positive && !self.atom_sign(atom).is_non_negative() && !power.below.is_multiple_of(2) {
                // Only whole squares leave an even root.
                let whole = power.floor();
                power = Power { above: whole - whole.rem_euclid(2), below: 1 };
            }
            if power.above != 0 {
                let factor = self.atom_power(atom, power)?;
                content = self.product(&content, &factor)?;
            }
        }
        Ok(content)
    }

    /// The index of the leading term: the largest in an order that multiplication respects, among
    /// the terms without closed sums if there are any.
    pub(super) fn leading(&self, poly: Poly) -> usize {
        let mut best: Option<(bool, usize)> = None;
        for at in 0..self.len(poly) {
            let mono = self.mono_at(poly, at);
            let open = !self.has_closed(mono);
            let better = match best {
                None => true,
                Some((best_open, _)) if best_open != open => open,
                Some((_, other)) => self.compare(mono, self.mono_at(poly, other)) == Ordering::Greater,
            };
            if better {
                best = Some((open, at));
            }
        }
        best.map_or(0, |(_, at)| at)
    }

    pub(super) fn has_closed(&self, mono: Mono) -> bool {
        (0..self.factor_count(mono)).any(|at| matches!(self.kind(self.factor(mono, at).0), Kind::Sum(_)))
    }

    /// A total order with `a < b ⇔ a·c < b·c`: the first atom whose powers differ decides, then
    /// the first term of the exponents whose coefficients differ.
    pub(super) fn compare(&self, a: Mono, b: Mono) -> Ordering {
        let (x, y) = (self.monos.get(a.0), self.monos.get(b.0));
        let (mut i, mut j) = (1, 1);
        let zero = Power { above: 0, below: 1 };
        while i < x.len() || j < y.len() {
            let left = x.get(i).copied().unwrap_or(u32::MAX);
            let right = y.get(j).copied().unwrap_or(u32::MAX);
            let atom = left.min(right);
            let mut powers = (zero, zero);
            if left == atom {
                powers.0 = Power::unpack(x[i + 1]);
                i += 2;
            }
            if right == atom {
                powers.1 = Power::unpack(y[j + 1]);
                j += 2;
            }
            if powers.0 != powers.1 {
                return if less(powers.0, powers.1) { Ordering::Less } else { Ordering::Greater };
            }
        }
        self.compare_sums(Poly(x[0]), Poly(y[0]))
    }

    /// A total order with `a < b ⇔ a + c < b + c` and `a < b ⇔ q·a < q·b` for positive q.
    pub(super) fn compare_sums(&self, a: Poly, b: Poly) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let (x, y) = (self.polys.get(a.0), self.polys.get(b.0));
        let (mut i, mut j) = (0, 0);
        while i < x.len() || j < y.len() {
            let left = x.get(i).copied().unwrap_or(u32::MAX);
            let right = y.get(j).copied().unwrap_or(u32::MAX);
            let mono = left.min(right);
            let mut coefs = (&Rational::ZERO, &Rational::ZERO);
            if left == mono {
                coefs.0 = &self.coefficients[x[i + 1] as usize];
                i += 2;
            }
            if right == mono {
                coefs.1 = &self.coefficients[y[j + 1] as usize];
                j += 2;
            }
            match coefs.0.cmp(coefs.1) {
                Ordering::Equal => {}
                order => return order,
            }
        }
        Ordering::Equal
    }

    /// `product^power` by rules of exponents and signs.
    pub(super) fn power_of_product(&mut self, product: &Product, power: Power) -> Step<Product> {
        if power == Power::ONE {
            return Ok(product.clone());
        }
        let mono = product.mono;
        let exponent = self.exponent(mono);
        let exponent = self.scaled(exponent, &power.rational())?;
        let mut result = Product { coefficient: Rational::ONE, mono: self.exp_mono(exponent) };
        let mut sign = Rational::ONE;
        // The number.
        if power.is_integer() {
            let Some(value) = product.coefficient.power(power.above.into()) else {
                return unknown("a constant is raised to an absurd power");
            };
            result.coefficient = value;
        } else {
            let magnitude = self.root_of_number(&product.coefficient.magnitude(), power)?;
            result = self.product(&result, &magnitude)?;
            if product.coefficient.is_negative() {
                if power.below.is_multiple_of(2) {
                    sign = Rational::MINUS_ONE;
                } else if power.above % 2 != 0 {
                    result.coefficient = result.coefficient.negated();
                }
            }
        }
        // The atoms; those of unknown sign with odd powers stay together under an even root.
        let mut pending = Vec::new();
        for at in 0..self.factor_count(mono) {
            let (atom, own) = self.factor(mono, at);
            let Some(total) = own.times(power) else {
                return unknown("exponents grow beyond 16 bits");
            };
            let even_root = power.below.is_multiple_of(2);
            if !even_root || self.atom_sign(atom).is_non_negative() || own.below.is_multiple_of(2) {
                let factor = self.atom_power(atom, total)?;
                result = self.product(&result, &factor)?;
            } else if own.above % 2 == 0 {
                let inner = self.atom_poly(atom)?;
                let factor = self.magnitude_atom(inner)?;
                let factor = self.atom_power(factor, total)?;
                result = self.product(&result, &factor)?;
            } else {
                pending.push((atom, own));
            }
        }
        if let [(atom, own)] = pending[..]
            && !sign.is_negative()
            && let Some(total) = own.times(power)
        {
            let factor = self.atom_power(atom, total)?;
            return self.product(&result, &factor);
        }
        if pending.is_empty() && !sign.is_negative() {
            return Ok(result);
        }
        let mut inner = Product { coefficient: sign, mono: Mono::ONE };
        for (atom, own) in pending {
            let factor = self.atom_power(atom, own)?;
            inner = self.product(&inner, &factor)?;
        }
        let inner = self.poly(&inner)?;
        let atom = self.atom(Kind::Sum(inner));
        let factor = self.atom_power(atom, power)?;
        self.product(&result, &factor)
    }

    /// `value^power` for a positive rational: whole numbers times roots of primes where those are
    /// found, else the root of the number as it stands.
    fn root_of_number(&mut self, value: &Rational, power: Power) -> Step<Product> {
        let (above, below) = power.value();
        if let Some(exact) = Exact::rational(value.to_big()).power(Ratio::new(above, below)) {
            return self.exact(&exact);
        }
        let constant = self.rational(value.clone())?;
        let atom = self.atom(Kind::Sum(constant));
        self.atom_power(atom, power)
    }

    /// An exact constant.
    pub(in crate::decide) fn exact(&mut self, exact: &Exact) -> Step<Product> {
        let mut result = Product { coefficient: Rational::from_big(exact.coefficient()), mono: Mono::ONE };
        for (factor, power) in exact.factors() {
            let Some(power) = Power::new(*power.numer(), *power.denom()) else {
                return unknown("a constant has an absurd power");
            };
            let factor = match factor {
                Factor::Prime(prime) => {
                    let atom = self.atom(Kind::Prime(*prime));
                    self.atom_power(atom, power)?
                }
                Factor::Pi => {
                    let atom = self.atom(Kind::Pi);
                    self.atom_power(atom, power)?
                }
                Factor::Ln2 => {
                    let atom = self.ln_integer(2)?;
                    self.atom_power(atom, power)?
                }
                Factor::Ln10 => {
                    let atom = self.atom(Kind::Ln10);
                    self.atom_power(atom, power)?
                }
                Factor::E => {
                    let exponent = self.rational(power.rational())?;
                    Product { coefficient: Rational::ONE, mono: self.exp_mono(exponent) }
                }
            };
            result = self.product(&result, &factor)?;
        }
        Ok(result)
    }

    /// ln n for an integer above 1.
    pub(super) fn ln_integer(&mut self, n: i64) -> Step<Atom> {
        let constant = self.rational(Rational::new(n, 1))?;
        Ok(self.atom(Kind::Log(constant)))
    }

    /// The sum of several products.
    pub(in crate::decide) fn sum_of(&mut self, products: &[Product]) -> Step<Poly> {
        let mut sum = Accumulator::default();
        for product in products {
            sum.add(product);
        }
        self.finish(sum)
    }
}

fn less(a: Power, b: Power) -> bool {
    i64::from(a.above) * i64::from(b.below) < i64::from(b.above) * i64::from(a.below)
}
