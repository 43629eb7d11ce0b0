//! Atoms: what polynomials are made of, their signs, and the rules their powers obey.

use super::{Atom, Candidate, Forms, Mono, Poly, Power, Product, Rational, Step, unknown};
use crate::term::Unary;

/// What an atom is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::decide) enum Kind {
    /// A tensor element.
    Element(u32),
    /// π.
    Pi,
    /// ln 10 (ln 2 is the logarithm of 2).
    Ln10,
    /// A prime (or an integer that was not factored), under a fractional power.
    Prime(u64),
    /// The logarithm of a polynomial.
    Log(Poly),
    /// A sum kept closed.
    Sum(Poly),
    /// |p|.
    Abs(Poly),
    /// The largest of several polynomials.
    Max,
    /// The payload of the first of several candidates with the largest score.
    Contest,
    /// A function of one polynomial.
    Function(Unary, Poly),
    /// 1 where p > 0, else 0.
    Positive(Poly),
    /// 1 where p = 0, else 0.
    Zero(Poly),
    /// 1 where an opaque condition holds, else 0.
    Condition,
    /// An uninterpreted function of polynomials.
    Opaque,
}

/// What is known about the sign of a value wherever it is defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::decide) enum Sign {
    Positive,
    NonNegative,
    Zero,
    NonPositive,
    Negative,
    Unknown,
}

impl Sign {
    fn negated(self) -> Sign {
        match self {
            Sign::Positive => Sign::Negative,
            Sign::NonNegative => Sign::NonPositive,
            Sign::NonPositive => Sign::NonNegative,
            Sign::Negative => Sign::Positive,
            Sign::Zero | Sign::Unknown => self,
        }
    }

    /// Not negative, for sure.
    pub(in crate::decide) fn is_non_negative(self) -> bool {
        matches!(self, Sign::Positive | Sign::NonNegative | Sign::Zero)
    }

    /// Not zero, for sure.
    pub(in crate::decide) fn is_non_zero(self) -> bool {
        matches!(self, Sign::Positive | Sign::Negative)
    }

    fn plus(self, other: Sign) -> Sign {
        use Sign::*;
        match (self, other) {
            (Zero, sign) | (sign, Zero) => sign,
            (Positive, Positive | NonNegative) | (NonNegative, Positive) => Positive,
            (NonNegative, NonNegative) => NonNegative,
            (Negative, Negative | NonPositive) | (NonPositive, Negative) => Negative,
            (NonPositive, NonPositive) => NonPositive,
            _ => Unknown,
        }
    }

    fn times(self, other: Sign) -> Sign {
        use Sign::*;
        match (self, other) {
            (Zero, _) | (_, Zero) => Zero,
            (Unknown, _) | (_, Unknown) => Unknown,
            (Positive, sign) | (sign, Positive) => sign,
            (Negative, sign) | (sign, Negative) => sign.negated(),
            (NonNegative, NonNegative) | (NonPositive, NonPositive) => NonNegative,
            (NonNegative, NonPositive) | (NonPositive, NonNegative) => NonPositive,
        }
    }
}

const ELEMENT: u32 = 0;
const PI: u32 = 1;
const LN10: u32 = 2;
const PRIME: u32 = 3;
const LOG: u32 = 4;
const SUM: u32 = 5;
const ABS: u32 = 6;
const MAX: u32 = 7;
const FUNCTION: u32 = 8;
const POSITIVE: u32 = 9;
const ZERO: u32 = 10;
const CONDITION: u32 = 11;
const OPAQUE: u32 = 12;
const CONTEST: u32 = 13;

impl Forms<'_> {
    /// What an atom is.
    #[inline]
    pub(in crate::decide) fn kind(&self, atom: Atom) -> Kind {
        let words = self.atoms.get(atom.0);
        match words[0] {
            ELEMENT => Kind::Element(words[1]),
            PI => Kind::Pi,
            LN10 => Kind::Ln10,
            PRIME => Kind::Prime(u64::from(words[1]) << 32 | u64::from(words[2])),
            LOG => Kind::Log(Poly(words[1])),
            SUM => Kind::Sum(Poly(words[1])),
            ABS => Kind::Abs(Poly(words[1])),
            MAX => Kind::Max,
            FUNCTION => Kind::Function(Unary::ALL[words[1] as usize], Poly(words[2])),
            POSITIVE => Kind::Positive(Poly(words[1])),
            ZERO => Kind::Zero(Poly(words[1])),
            CONDITION => Kind::Condition,
            CONTEST => Kind::Contest,
            _ => Kind::Opaque,
        }
    }

    /// The candidates of a maximum, ascending.
    pub(in crate::decide) fn max_arguments(&self, atom: Atom) -> Vec<Poly> {
        debug_assert_eq!(self.kind(atom), Kind::Max);
        self.atoms.get(atom.0)[1..].iter().map(|word| Poly(*word)).collect()
    }

    /// What an opaque atom or condition applies (words) and to which polynomials.
    pub(in crate::decide) fn opaque_parts(&self, atom: Atom) -> (Vec<u32>, Vec<Poly>) {
        let words = self.atoms.get(atom.0);
        let names = words[1] as usize;
        let arguments = words[2 + names..].iter().map(|word| Poly(*word)).collect();
        (words[2..2 + names].to_vec(), arguments)
    }

    /// The candidates of a contest, in the order in which ties are won.
    pub(in crate::decide) fn contest_candidates(&self, atom: Atom) -> Vec<Candidate> {
        debug_assert_eq!(self.kind(atom), Kind::Contest);
        self.atoms.get(atom.0)[1..].chunks_exact(2).map(|pair| (Poly(pair[0]), Poly(pair[1]))).collect()
    }

    /// The atom of that kind (not for maxima, contests and opaque ones).
    pub(in crate::decide) fn atom(&mut self, kind: Kind) -> Atom {
        match kind {
            Kind::Element(element) => self.intern_atom(&[ELEMENT, element], Sign::Unknown),
            Kind::Pi => self.intern_atom(&[PI], Sign::Positive),
            Kind::Ln10 => self.intern_atom(&[LN10], Sign::Positive),
            Kind::Prime(n) => self.intern_atom(&[PRIME, (n >> 32) as u32, n as u32], Sign::Positive),
            Kind::Log(p) => {
                let sign = match self.constant(p) {
                    Some(value) if value > Rational::ONE => Sign::Positive,
                    _ => Sign::Unknown,
                };
                self.intern_atom(&[LOG, p.0], sign)
            }
            Kind::Sum(p) => {
                let sign = self.sign(p);
                self.intern_atom(&[SUM, p.0], sign)
            }
            Kind::Abs(p) => {
                let sign = if self.sign(p).is_non_zero() { Sign::Positive } else { Sign::NonNegative };
                self.intern_atom(&[ABS, p.0], sign)
            }
            Kind::Function(function, p) => self.intern_atom(&[FUNCTION, function as u32, p.0], Sign::Unknown),
            Kind::Positive(p) => self.intern_atom(&[POSITIVE, p.0], Sign::NonNegative),
            Kind::Zero(p) => self.intern_atom(&[ZERO, p.0], Sign::NonNegative),
            Kind::Max | Kind::Contest | Kind::Condition | Kind::Opaque => {
                unreachable!("these have their own constructors")
            }
        }
    }

    /// The atom of an element, if there is one.
    pub(in crate::decide) fn known_element(&self, element: u32) -> Option<Atom> {
        self.atoms.find(&[ELEMENT, element]).map(Atom)
    }

    /// The maximum of a sorted set of at least two.
    pub(super) fn max_atom(&mut self, arguments: &[Poly]) -> Atom {
        let mut sign = Sign::Unknown;
        for argument in arguments {
            match self.sign(*argument) {
                Sign::Positive => sign = Sign::Positive,
                Sign::NonNegative | Sign::Zero if sign == Sign::Unknown => sign = Sign::NonNegative,
                _ => {}
            }
        }
        let mut words = vec![MAX];
        words.extend(arguments.iter().map(|poly| poly.0));
        self.intern_atom(&words, sign)
    }

    /// The contest of at least three candidates.
    pub(super) fn contest_atom(&mut self, candidates: &[Candidate]) -> Atom {
        let all =
            |wanted: fn(Sign) -> bool| candidates.iter().all(|(_, payload)| wanted(self.sign(*payload)));
        let sign = if all(|sign| sign == Sign::Positive) {
            Sign::Positive
        } else if all(Sign::is_non_negative) {
            Sign::NonNegative
        } else {
            Sign::Unknown
        };
        let mut words = vec![CONTEST];
        words.extend(candidates.iter().flat_map(|(score, payload)| [score.0, payload.0]));
        self.intern_atom(&words, sign)
    }

    /// An uninterpreted function (or condition) of polynomials.
    pub(in crate::decide) fn opaque(&mut self, condition: bool, name: &[u32], arguments: &[Poly]) -> Atom {
        let (tag, sign) = if condition { (CONDITION, Sign::NonNegative) } else { (OPAQUE, Sign::Unknown) };
        let mut words = vec![tag, name.len() as u32];
        words.extend_from_slice(name);
        words.extend(arguments.iter().map(|poly| poly.0));
        self.intern_atom(&words, sign)
    }

    fn intern_atom(&mut self, words: &[u32], sign: Sign) -> Atom {
        let atom = Atom(self.atoms.intern(words));
        if atom.0 as usize == self.signs.len() {
            self.signs.push(sign);
            let range = self.range_of_new(atom);
            self.ranges.push(range);
        }
        atom
    }

    /// Whether a value is 0 or 1, so that its powers are itself.
    pub(in crate::decide) fn is_indicator(&self, atom: Atom) -> bool {
        matches!(self.kind(atom), Kind::Positive(_) | Kind::Zero(_) | Kind::Condition)
    }

    // ---- signs -----------------------------------------------------------------------------

    pub(in crate::decide) fn atom_sign(&self, atom: Atom) -> Sign {
        self.signs[atom.0 as usize]
    }

    /// The sign of `atom^power` wherever that is defined.
    fn power_sign(&self, atom: Atom, power: Power) -> Sign {
        let defined = |sign| {
            if power.above < 0 && sign == Sign::NonNegative { Sign::Positive } else { sign }
        };
        match self.atom_sign(atom) {
            Sign::Positive => Sign::Positive,
            Sign::NonNegative | Sign::Zero => defined(Sign::NonNegative),
            _ if power.below.is_multiple_of(2) => defined(Sign::NonNegative),
            Sign::Negative if power.above % 2 == 0 => Sign::Positive,
            _ if power.above % 2 == 0 => defined(Sign::NonNegative),
            sign => sign,
        }
    }

    pub(in crate::decide) fn mono_sign(&self, mono: Mono) -> Sign {
        (0..self.factor_count(mono)).fold(Sign::Positive, |sign, at| {
            let (atom, power) = self.factor(mono, at);
            sign.times(self.power_sign(atom, power))
        })
    }

    /// The sign of a polynomial, if its terms agree, its range tells, or its squares outweigh the rest.
    pub(in crate::decide) fn sign(&self, poly: Poly) -> Sign {
        match self.sign_of_terms(poly) {
            Sign::Unknown => {
                let range = self.range(poly);
                if range.low() > 0.0 {
                    Sign::Positive
                } else if range.high() < 0.0 {
                    Sign::Negative
                } else if range.low() == 0.0 {
                    Sign::NonNegative
                } else if range.high() == 0.0 {
                    Sign::NonPositive
                } else {
                    self.quadratic_sign(poly)
                }
            }
            sign => sign,
        }
    }

    fn sign_of_terms(&self, poly: Poly) -> Sign {
        let mut total = Sign::Zero;
        for at in 0..self.len(poly) {
            let mut sign = self.mono_sign(self.mono_at(poly, at));
            if self.coefficient_at(poly, at).is_negative() {
                sign = sign.negated();
            }
            total = total.plus(sign);
            if total == Sign::Unknown {
                break;
            }
        }
        total
    }

    // ---- rules for powers ------------------------------------------------------------------

    /// Whether `atom^power` is something simpler.
    pub(super) fn has_rule(&self, atom: Atom, power: Power) -> bool {
        match self.atoms.get(atom.0)[0] {
            PRIME => power.above < 0 || power.above >= power.below as i16,
            ABS => power.is_integer() && !(0..=1).contains(&power.above),
            POSITIVE | ZERO | CONDITION => power.above > 0 && power != Power::ONE,
            _ => false,
        }
    }

    /// Applies the rules of all atoms in a monomial: `√2·√2 = 2`, `|p|² = p²`, `[c]² = [c]`.
    pub(super) fn reduce(&mut self, mono: Mono) -> Step<Product> {
        let mut result = Product::ONE;
        let mut kept = vec![self.exponent(mono).0];
        for at in 0..self.factor_count(mono) {
            let (atom, power) = self.factor(mono, at);
            if !self.has_rule(atom, power) {
                kept.extend_from_slice(&[atom.0, power.pack()]);
                continue;
            }
            match self.kind(atom) {
                Kind::Prime(prime) => {
                    let whole = power.floor();
                    let base = Rational::from_big(&num_rational::BigRational::from_integer(prime.into()));
                    let Some(value) = base.power(whole.into()) else {
                        return unknown("a constant grows beyond 65536 bits");
                    };
                    result.coefficient = result.coefficient.times(&value);
                    let rest = power.above - whole * power.below as i16;
                    if rest != 0 {
                        let rest = Power { above: rest, below: power.below };
                        kept.extend_from_slice(&[atom.0, rest.pack()]);
                    }
                }
                Kind::Abs(p) => {
                    let odd = power.above.rem_euclid(2);
                    if odd == 1 {
                        kept.extend_from_slice(&[atom.0, Power::ONE.pack()]);
                    }
                    let even = Power { above: power.above - odd, below: 1 };
                    let square = self.power_or_closed(p, even)?;
                    result = self.product(&result, &square)?;
                }
                _ => kept.extend_from_slice(&[atom.0, Power::ONE.pack()]),
            }
        }
        let kept = Product { coefficient: Rational::ONE, mono: Mono(self.monos.intern(&kept)) };
        self.product(&result, &kept)
    }
}
