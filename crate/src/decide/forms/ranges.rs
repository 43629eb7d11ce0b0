//! Intervals that values lie in for all inputs: what is known without knowing the elements.
//!
//! Constants have tight ones, tanh and conditions are bounded, everything over an element is not;
//! that much decides `3 - tanh x > 0` and `max(ln 2, 1)`.
//!
//! Guarantees: the value lies in the range wherever it is defined.

use super::{Atom, Forms, Kind, Mono, Poly, Power};
use crate::base::Format;
use crate::term::{Interval, Unary};
use num_rational::Ratio;

/// Longer sums are not worth the time.
const LONGEST: usize = 64;
/// Longest sums and most atoms of which all corners are tried.
const CORNERED: usize = 16;
const DIMENSIONS: usize = 6;

impl Forms<'_> {
    /// The range of a polynomial.
    pub(in crate::decide) fn range(&self, poly: Poly) -> Interval {
        if self.len(poly) > LONGEST || self.has_unbounded_atom(poly) {
            return Interval::WHOLE;
        }
        let mut total = Interval::point(0.0);
        for at in 0..self.len(poly) {
            let own = self.mono_range(self.mono_at(poly, at));
            if own == Interval::WHOLE {
                return Interval::WHOLE;
            }
            let coefficient = Interval::of_rational(&self.coefficient_at(poly, at).to_big());
            total = total.plus_exactly(own.times_exactly(coefficient));
        }
        match self.range_at_corners(poly) {
            Some(range) => Interval::new(total.low().max(range.low()), total.high().min(range.high())),
            None => total,
        }
    }

    /// The range of a polynomial that is linear in each of a few atoms that all have ends: it is least and
    /// largest at corners of the box that these make (`p + q - p·q` between 0 and 1).
    fn range_at_corners(&self, poly: Poly) -> Option<Interval> {
        if !(2..=CORNERED).contains(&self.len(poly)) {
            return None;
        }
        let mut atoms: Vec<(Atom, Interval)> = Vec::new();
        let mut terms: Vec<(Interval, Vec<usize>)> = Vec::with_capacity(self.len(poly));
        let mut products = false;
        for at in 0..self.len(poly) {
            let mono = self.mono_at(poly, at);
            let count = self.factor_count(mono);
            if self.exponent(mono) != Poly::ZERO {
                return None;
            }
            products |= count > 1;
            let mut factors = Vec::with_capacity(count);
            for at in 0..count {
                let (atom, power) = self.factor(mono, at);
                let range = self.ranges[atom.0 as usize];
                if power != Power::ONE || !range.is_bounded() {
                    return None;
                }
                factors.push(atoms.iter().position(|(known, _)| *known == atom).unwrap_or_else(|| {
                    atoms.push((atom, range));
                    atoms.len() - 1
                }));
            }
            terms.push((Interval::of_rational(&self.coefficient_at(poly, at).to_big()), factors));
        }
        if !products || atoms.len() > DIMENSIONS {
            return None;
        }
        let corner = |corner: usize| {
            let end = |at: usize| {
                let range = atoms[at].1;
                Interval::point(if corner >> at & 1 == 1 { range.high() } else { range.low() })
            };
            terms.iter().fold(Interval::point(0.0), |sum, (coefficient, factors)| {
                let product =
                    factors.iter().fold(*coefficient, |product, at| product.times_exactly(end(*at)));
                sum.plus_exactly(product)
            })
        };
        (0..1 << atoms.len()).map(corner).reduce(Interval::hull)
    }

    /// Whether a term is a multiple of an atom that may be anything: most are, and that is seen at
    /// a glance.
    fn has_unbounded_atom(&self, poly: Poly) -> bool {
        (0..self.len(poly)).any(|at| {
            let mono = self.mono_at(poly, at);
            self.factor_count(mono) == 1 && self.exponent(mono) == Poly::ZERO && {
                let (atom, power) = self.factor(mono, 0);
                power == Power::ONE && self.ranges[atom.0 as usize] == Interval::WHOLE
            }
        })
    }

    /// The range of a monomial.
    pub(in crate::decide) fn mono_range(&self, mono: Mono) -> Interval {
        let mut range = Interval::point(1.0);
        let count = self.factor_count(mono);
        let share = self.share(mono);
        if let Some((_, shared)) = share {
            range = shared;
        }
        for at in 0..count {
            if share.is_some_and(|(both, _)| both.contains(&at)) {
                continue;
            }
            let (atom, power) = self.factor(mono, at);
            let own = self.ranges[atom.0 as usize];
            let (above, below) = power.value();
            let own = match (above, below) {
                (1, 1) => own,
                (2..=8, 1) => {
                    // An even power is one of the size.
                    let square = own.abs().times_exactly(own.abs());
                    let even = (1..above / 2).fold(square, |product, _| product.times_exactly(square));
                    if above % 2 == 0 { even } else { even.times_exactly(own) }
                }
                _ => own.power(Ratio::new(above, below)),
            };
            range = range.times_exactly(own);
        }
        let exponent = self.exponent(mono);
        if exponent == Poly::ZERO { range } else { range.times_exactly(self.range(exponent).exp()) }
    }

    /// Two factors, a number over the largest of magnitudes among which is its own, and their range: a row that
    /// is divided by its largest magnitude lies between -1 and 1.
    fn share(&self, mono: Mono) -> Option<([usize; 2], Interval)> {
        let count = self.factor_count(mono);
        let least = |power: Power| power == Power { above: -1, below: 1 };
        let below = (0..count).filter(|at| least(self.factor(mono, *at).1));
        below.filter(|at| matches!(self.kind(self.factor(mono, *at).0), Kind::Max | Kind::Abs(_))).find_map(
            |below| {
                let largest = self.factor(mono, below).0;
                let above = (0..count).filter(|at| self.factor(mono, *at).1 == Power::ONE);
                above.filter(|at| *at != below).find_map(|above| {
                    let own = self.factor(mono, above).0;
                    let bounded = self.bounds(largest, own)?;
                    let least = if self.ranges[own.0 as usize].low() >= 0.0 { 0.0 } else { -1.0 };
                    bounded.then_some(([above, below], Interval::new(least, 1.0)))
                })
            },
        )
    }

    /// Whether an atom is at least the magnitude of another one for all inputs, by its candidates; `None` if it
    /// is no magnitude and no maximum.
    fn bounds(&self, largest: Atom, own: Atom) -> Option<bool> {
        let of = |atom: Atom| match self.kind(atom) {
            Kind::Abs(inside) => self.as_atom(inside).map(|(inside, _)| inside),
            _ => None,
        };
        let arguments = match self.kind(largest) {
            Kind::Max => self.max_arguments(largest),
            Kind::Abs(_) => return Some(of(largest) == Some(own)),
            _ => return None,
        };
        let never_negative = self.ranges[own.0 as usize].low() >= 0.0;
        let (mut up, mut down) = (false, never_negative);
        for argument in arguments {
            match self.as_atom(argument) {
                Some((atom, positive)) if atom == own => {
                    up |= positive;
                    down |= !positive;
                }
                Some((atom, true)) if of(atom) == Some(own) => return Some(true),
                _ => {}
            }
        }
        Some(up && down)
    }

    /// A polynomial that is an atom, or the negative of one (`false`).
    pub(in crate::decide) fn as_atom(&self, poly: Poly) -> Option<(Atom, bool)> {
        if self.len(poly) != 1 {
            return None;
        }
        let mono = self.mono_at(poly, 0);
        if self.factor_count(mono) != 1 || self.exponent(mono) != Poly::ZERO {
            return None;
        }
        let (atom, power) = self.factor(mono, 0);
        let positive = match self.coefficient_at(poly, 0).as_small() {
            Some((1, 1)) => true,
            Some((-1, 1)) => false,
            _ => return None,
        };
        (power == Power::ONE).then_some((atom, positive))
    }

    /// The range of an atom that was just made.
    pub(super) fn range_of_new(&self, atom: Atom) -> Interval {
        let unit = Interval::new(-1.0, 1.0);
        match self.kind(atom) {
            Kind::Element(element) => match self.element_format(element) {
                Some(format) if !format.is_float() => {
                    let (low, high) = crate::term::integers(format);
                    Interval::new(low as f64, high as f64)
                }
                // No input is infinite.
                Some(format) => match format {
                    Format::F16 => Interval::new(-65_504.0, 65_504.0),
                    Format::E4m3 => Interval::new(-448.0, 448.0),
                    Format::E5m2 => Interval::new(-57_344.0, 57_344.0),
                    Format::Ue8m0 => Interval::new((-127f64).exp2(), 127f64.exp2()),
                    _ => Interval::WHOLE,
                },
                _ => Interval::WHOLE,
            },
            Kind::Opaque => Interval::WHOLE,
            Kind::Pi => Interval::PI,
            Kind::Ln10 => Interval::LN_10,
            Kind::Prime(prime) => {
                Interval::of_rational(&num_rational::BigRational::from_integer(prime.into()))
            }
            Kind::Log(p) => self.range(p).ln().unwrap_or(Interval::WHOLE),
            Kind::Sum(p) => self.range(p),
            Kind::Abs(p) => self.range(p).abs(),
            Kind::Max => {
                let arguments = self.max_arguments(atom);
                if arguments.len() > LONGEST {
                    return Interval::WHOLE;
                }
                let ranges = arguments.into_iter().map(|argument| self.range(argument));
                ranges.reduce(Interval::max).unwrap_or(Interval::WHOLE)
            }
            Kind::Contest => {
                let payloads =
                    self.contest_candidates(atom).into_iter().map(|(_, payload)| self.range(payload));
                payloads.reduce(Interval::hull).unwrap_or(Interval::WHOLE)
            }
            Kind::Function(function, p) => match function {
                Unary::Erf => self.range(p).erf(),
                Unary::Atan => self.range(p).atan(),
                Unary::Sin | Unary::Cos => unit,
                Unary::Floor | Unary::Trunc | Unary::RoundEven => {
                    let range = self.range(p);
                    Interval::new(range.low().floor(), range.high().ceil())
                }
                _ => Interval::WHOLE,
            },
            Kind::Positive(_) | Kind::Zero(_) | Kind::Condition => Interval::new(0.0, 1.0),
        }
    }
}
