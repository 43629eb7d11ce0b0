//! Numbers that a word is read as: the integer of n bits, with a sign or without, that is congruent to a form.
//!
//! A form that lies in the range, or is moved there by a multiple of 2ⁿ, is that integer. Forms that are congruent
//! to it are tried as well: what its quotients are of in the place of what that is congruent to, all bits of an
//! element of which it has some, and both sides of its comparisons. What is left is an atom.
//!
//! Guarantees: the form equals the integer at all inputs.
//! Misses: ranges that follow from several numbers together, beyond what quotients and comparisons tell.

use super::{BIT, Range, WRAP, integer, power_of_two, range_of};
use crate::base::{Format, FormatClass};
use crate::decide::forms::{Atom, Forms, Kind, Mono, Poly, Power, Product, Step};
use crate::decide::normalize::Normalizer;
use crate::decide::rational::Rational;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::One;

impl Normalizer<'_> {
    /// The integer of so many bits, with a sign or without, that is congruent to a form.
    pub(super) fn fitted(&mut self, signed: bool, n: u32, poly: Poly) -> Step<Poly> {
        if !self.is_integer(poly) {
            let atom = self.forms.opaque(false, &[4, u32::from(signed), n], &[poly]);
            return self.forms.atom_poly(atom);
        }
        if signed
            && let Some((_, divisor)) = self.signed_remainder(poly)?
            && divisor <= BigInt::one() << (n - 1)
        {
            return Ok(poly);
        }
        let reduced = self.reduced(poly, n)?;
        for form in [poly, reduced] {
            if let Some(inside) = self.moved_into(signed, n, form)? {
                return Ok(inside);
            }
        }
        for form in [self.as_divided(n, reduced)?, self.in_own_bits(poly)?].into_iter().flatten() {
            if let Some(inside) = self.moved_into(signed, n, form)? {
                return Ok(inside);
            }
        }
        // In range with the other sign: the highest bit is what differs.
        if let Some(other) = self.moved_into(!signed, n, reduced)? {
            // One bit is its own sign.
            if n == 1 {
                return self.forms.negated(other);
            }
            let top = self.part(other, n - 1, 1)?;
            let by_sign = |form: &mut Self, top: Poly| {
                let turn = if signed { power_of_two(n).negated() } else { power_of_two(n) };
                let turn = form.forms.scaled(top, &turn)?;
                form.forms.plus(other, turn)
            };
            let turned = by_sign(self, top)?;
            let (least, most) = range_of(signed, n);
            let inside = |range: Option<Range>| range.is_some_and(|(low, high)| least <= low && high <= most);
            if !signed && !inside(self.range_of_form(turned)) {
                // By a comparison, whose two sides are looked at where somebody asks for its range.
                let below = self.forms.negated(other)?;
                let negative = self.positive(below)?;
                let compared = by_sign(self, negative)?;
                if inside(self.range_of_form(compared)) {
                    return Ok(compared);
                }
            }
            return Ok(turned);
        }
        if n <= 64
            && self.has_comparison(poly)
            && let Some(cases) = self.fitted_by_cases(range_of(signed, n), n, poly, &[])?
        {
            return Ok(cases);
        }
        let atom = self.forms.opaque(false, &[WRAP, n, u32::from(signed)], &[reduced]);
        self.forms.atom_poly(atom)
    }

    /// The same modulo 2ⁿ, with what its quotients are of as they have it: `x - ⌊w/7⌋` with the word w that x is
    /// congruent to.
    pub(super) fn as_divided(&mut self, n: u32, poly: Poly) -> Step<Option<Poly>> {
        let atoms: Vec<Atom> = self.quotients_in(poly).map(|(atom, _)| atom).collect();
        let mut sum = poly;
        for atom in atoms {
            let (_, parts) = self.forms.opaque_parts(atom);
            let wrapped = self.forms.as_atom(parts[0]).filter(|(_, positive)| *positive);
            let wrapped = wrapped.and_then(|(atom, _)| match self.forms.kind(atom) {
                Kind::Opaque => Some(self.forms.opaque_parts(atom)),
                _ => None,
            });
            let plain = match wrapped {
                Some((name, of)) if name[0] == WRAP && name[1] >= n => of[0],
                _ => self.reduced(parts[0], n)?,
            };
            if plain == parts[0] {
                continue;
            }
            let coefficients = |forms: &Forms<'_>, of: Poly| -> Vec<(Mono, Rational)> {
                let terms =
                    (0..forms.len(of)).map(|at| (forms.mono_at(of, at), forms.coefficient_at(of, at)));
                terms.filter(|(mono, _)| *mono != Mono::ONE).map(|(mono, own)| (mono, own.clone())).collect()
            };
            let (own, of) = (coefficients(&self.forms, plain), coefficients(&self.forms, sum));
            let times = |(mono, own): &(Mono, Rational)| {
                let found = of.iter().find(|(other, _)| other == mono);
                found.map(|(_, found)| found.times(&own.reciprocal()))
            };
            let Some(scale) = own.first().and_then(times).filter(Rational::is_integer) else { continue };
            if own.iter().all(|term| times(term).as_ref() == Some(&scale)) {
                let turn = self.forms.minus(parts[0], plain)?;
                let turn = self.forms.scaled(turn, &scale)?;
                sum = self.forms.plus(sum, turn)?;
            }
        }
        Ok((sum != poly).then_some(sum))
    }

    /// The same with elements of which it has bits, too, written by all of their bits.
    pub(super) fn in_own_bits(&mut self, poly: Poly) -> Step<Option<Poly>> {
        let named = |forms: &Forms<'_>, atom: Atom| match forms.kind(atom) {
            Kind::Condition => match forms.opaque_parts(atom).0[..] {
                [BIT, element, _, format] if !Format::ALL[format as usize].is_float() => Some(element),
                _ => None,
            },
            _ => None,
        };
        let seen: Vec<u32> =
            self.atoms_in(poly).into_iter().filter_map(|atom| named(&self.forms, atom)).collect();
        let mut sum = poly;
        for at in 0..if seen.is_empty() { 0 } else { self.forms.len(poly) } {
            let Product { coefficient, mono } = self.forms.term(poly, at);
            if self.forms.factor_count(mono) != 1 || self.forms.exponent(mono) != Poly::ZERO {
                continue;
            }
            let (atom, power) = self.forms.factor(mono, 0);
            let Kind::Element(element) = self.forms.kind(atom) else { continue };
            let Some(format) = self.forms.integer_format(element).filter(|_| seen.contains(&element)) else {
                continue;
            };
            if power != Power::ONE {
                continue;
            }
            let number = self.forms.atom_poly(atom)?;
            let own = self.forms.scaled(number, &coefficient)?;
            sum = self.forms.minus(sum, own)?;
            for place in 0..format.bits() {
                let top = format.class() == FormatClass::Signed && place + 1 == format.bits();
                let unit = power_of_two(place).times(&coefficient);
                let unit = if top { unit.negated() } else { unit };
                let bit = self.bit_of_element(element, place, format)?;
                let bit = self.forms.scaled(bit, &unit)?;
                sum = self.forms.plus(sum, bit)?;
            }
        }
        Ok((sum != poly).then_some(sum))
    }

    /// A form plus a multiple of 2ⁿ, if that has a place among the integers of n bits.
    pub(super) fn moved_into(&mut self, signed: bool, n: u32, poly: Poly) -> Step<Option<Poly>> {
        let Some((low, high)) = self.range_of_form(poly) else { return Ok(None) };
        if n > 100 {
            return Ok(None);
        }
        let (least, most) = range_of(signed, n);
        let turns = Integer::div_ceil(&(least - low), &(1i128 << n));
        let turn = turns << n;
        if low + turn < least || high + turn > most {
            return Ok(None);
        }
        let turn = self.forms.rational(integer(turn))?;
        self.forms.plus(poly, turn).map(Some)
    }
}
