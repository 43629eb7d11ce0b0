//! The arena of normal forms: monomials, polynomials and atoms, all interned.
//!
//! A polynomial is a sum of `coefficient · monomial`, sorted by monomial; a monomial is
//! `Π atom^rational · exp(polynomial)`; an atom is whatever cannot be opened further: a tensor
//! element, a named constant, a root of a prime, a sum kept closed (a denominator, a radicand, a
//! long sum used many times), a maximum, a condition's indicator, an uninterpreted function of
//! polynomials. Coefficients are rational; √2, π and ln 2 are atoms, so sums over them need no
//! field of their own.
//!
//! Why this way: products of monomials, sums of exponents (`e^a·e^b = e^(a+b)`, memoized) and
//! equality are then operations on small numbers, and an exponent that telescopes costs as much
//! as one that does not.
//!
//! Guarantees: every operation is an identity of real numbers wherever the operands are defined
//! (divisors non-zero, radicands and logarithms in range: noted in [`Forms::notes`]). Closed sums
//! make forms not unique; [`Forms::vanishes`] opens them as far as needed.
//! Source: the exp-polynomial normal form of *Equivalence Checking of ML GPU Kernels*, §5.

mod atoms;
mod conditions;
mod contests;
mod extrema;
mod functions;
mod powers;
mod ranges;
mod render;
mod rewrite;
mod roots;
mod signs;
mod slices;
mod squares;
mod unfold;
mod valuation;
mod vanish;

pub(super) use atoms::{Kind, Sign};
pub(super) use render::BESIDE;
pub(super) use rewrite::Rule;
pub(super) use signs::Divisors;

use super::rational::{LARGEST_BITS, Rational};
use crate::base::{Budget, Exhausted};
use crate::diag::Assumption;
use crate::term::{Elements, Interval};
use contests::Candidate;
use rustc_hash::FxHashMap;
use slices::Slices;
use std::collections::BTreeSet;

/// An interned polynomial.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Poly(pub(super) u32);

impl Poly {
    pub(super) const ZERO: Poly = Poly(0);
    pub(super) const ONE: Poly = Poly(1);
}

/// An interned monomial.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Mono(pub(super) u32);

impl Mono {
    pub(super) const ONE: Mono = Mono(0);
}

/// An interned atom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Atom(pub(super) u32);

/// An interned coefficient.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Coef(u32);

impl Coef {
    const ONE: Coef = Coef(0);
}

/// A rational exponent, small.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Power {
    pub(super) above: i16,
    pub(super) below: u16,
}

impl Power {
    pub(super) const ONE: Power = Power { above: 1, below: 1 };
    pub(super) const MINUS_ONE: Power = Power { above: -1, below: 1 };
    pub(super) const HALF: Power = Power { above: 1, below: 2 };

    pub(super) fn new(above: i64, below: i64) -> Option<Power> {
        let common = num_integer::gcd(above, below).max(1) * below.signum();
        Some(Power {
            above: (above / common).try_into().ok()?,
            below: i16::try_from(below / common).ok()? as u16,
        })
    }

    fn pack(self) -> u32 {
        u32::from(self.above as u16) << 16 | u32::from(self.below)
    }

    fn unpack(word: u32) -> Power {
        Power { above: (word >> 16) as u16 as i16, below: word as u16 }
    }

    fn plus(self, other: Power) -> Option<Power> {
        let (a, b, c, d) =
            (i64::from(self.above), i64::from(self.below), i64::from(other.above), i64::from(other.below));
        Power::new(a * d + c * b, b * d)
    }

    fn times(self, other: Power) -> Option<Power> {
        Power::new(
            i64::from(self.above) * i64::from(other.above),
            i64::from(self.below) * i64::from(other.below),
        )
    }

    fn is_integer(self) -> bool {
        self.below == 1
    }

    fn floor(self) -> i16 {
        self.above.div_euclid(self.below as i16)
    }

    fn rational(self) -> Rational {
        Rational::new(self.above.into(), self.below.into())
    }

    fn value(self) -> (i64, i64) {
        (self.above.into(), self.below.into())
    }
}

/// `coefficient · monomial`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Product {
    pub(super) coefficient: Rational,
    pub(super) mono: Mono,
}

impl Product {
    pub(super) const ONE: Product = Product { coefficient: Rational::ONE, mono: Mono::ONE };
}

/// Why an operation gave up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// The whole run has to end.
    Exhausted(Exhausted),
    /// This question has no answer here, and why.
    Unknown(String),
}

impl From<Exhausted> for Stop {
    fn from(exhausted: Exhausted) -> Stop {
        Stop::Exhausted(exhausted)
    }
}

pub(super) type Step<T> = Result<T, Stop>;

pub(super) fn unknown<T>(message: impl Into<String>) -> Step<T> {
    Err(Stop::Unknown(message.into()))
}

/// Steps that a monomial counts for.
const EFFORT: u64 = 2;
/// Monomials that one question may touch before the answer is "unknown".
const WORK: u64 = 400_000_000;
/// The same for each of many questions, once others have touched as many.
const LEAST_WORK: u64 = 1_000_000;

/// The arena.
#[derive(Clone)]
pub(super) struct Forms<'a> {
    budget: &'a Budget,
    elements: &'a Elements,
    /// Monomials touched, and how many may be.
    work: u64,
    limit: u64,
    /// How many the present question and those after it may touch.
    left: u64,
    /// Bytes it may hold.
    memory: u64,
    coefficients: Vec<Rational>,
    coefficient_ids: FxHashMap<Rational, u32>,
    monos: Slices,
    polys: Slices,
    atoms: Slices,
    signs: Vec<Sign>,
    ranges: Vec<Interval>,
    sums: FxHashMap<(Poly, Poly), Poly>,
    /// Closed sums: what a polynomial is as `coefficient · monomial`.
    closed: FxHashMap<Poly, Product>,
    /// What polynomials raised to a power are, and what that assumes.
    powers: FxHashMap<(Poly, Power), (Product, Vec<Assumption>)>,
    valuations: valuation::Valuations,
    /// Candidates of contests, by the winner's payload and the largest score, and how many they are.
    contests: FxHashMap<(Poly, Poly), Vec<Candidate>>,
    contest_size: usize,
    /// What was assumed on the way.
    pub(super) notes: BTreeSet<Assumption>,
    /// Maxima of more candidates than this stay whole inside another.
    flatten: usize,
    /// How signs of divisors are written.
    divisors: Divisors,
    scratch: Vec<u32>,
}

impl<'a> Forms<'a> {
    pub(super) fn new(budget: &'a Budget, elements: &'a Elements) -> Forms<'a> {
        let mut forms = Forms {
            budget,
            elements,
            work: 0,
            limit: WORK,
            left: WORK,
            memory: budget.memory / 8,
            coefficients: vec![Rational::ONE],
            coefficient_ids: FxHashMap::default(),
            monos: Slices::new(),
            polys: Slices::new(),
            atoms: Slices::new(),
            signs: Vec::new(),
            ranges: Vec::new(),
            sums: FxHashMap::default(),
            closed: FxHashMap::default(),
            powers: FxHashMap::default(),
            valuations: valuation::Valuations::default(),
            contests: FxHashMap::default(),
            contest_size: 0,
            notes: BTreeSet::new(),
            flatten: extrema::FEW,
            divisors: Divisors::Apart,
            scratch: Vec::new(),
        };
        forms.coefficient_ids.insert(Rational::ONE, 0);
        forms.monos.intern(&[Poly::ZERO.0]);
        forms.polys.intern(&[]);
        forms.polys.intern(&[Mono::ONE.0, Coef::ONE.0]);
        forms
    }

    /// The format of an element.
    pub(super) fn element_format(&self, element: u32) -> Option<crate::base::Format> {
        self.elements.block_of(element).map(|block| block.format)
    }

    // ---- effort ----------------------------------------------------------------------------

    /// Counts `work` monomials; polls the budget every so often.
    pub(super) fn tick(&mut self, work: u64) -> Step<()> {
        let before = self.work;
        self.work += work;
        if before >> 12 != self.work >> 12 {
            self.budget.spend(EFFORT * (self.work - (before & !0xfff)))?;
            if self.monos.len() > 1 << 30 || self.polys.len() > 1 << 30 {
                return unknown("the expressions have too many different terms");
            }
            let bytes = self.monos.bytes()
                + self.polys.bytes()
                + self.atoms.bytes()
                + self.sums.len() as u64 * 24
                + self.contest_size as u64 * 8
                + self.coefficients.len() as u64 * 64;
            if bytes > self.memory {
                return unknown("the expanded expression does not fit the memory budget");
            }
            if self.work > self.limit {
                return unknown("expanding the expressions takes too many steps");
            }
        }
        Ok(())
    }

    /// Starts counting work for the next question. All questions together may take what one may; those that
    /// come after it is used up may take little.
    pub(super) fn next_question(&mut self) {
        self.left = self.left.saturating_sub(self.work).max(LEAST_WORK);
        self.work = 0;
        self.limit = self.left;
    }

    /// Allows only so many monomials more for what follows.
    pub(super) fn limit_work(&mut self, work: u64) {
        self.limit = self.left.min(self.work + work);
    }

    // ---- coefficients ----------------------------------------------------------------------

    /// Counts what computing a coefficient took, and refuses those that are too long.
    #[inline]
    fn pay(&mut self, value: &Rational) -> Step<()> {
        match value.effort() {
            0 => Ok(()),
            effort => self.pay_long(value, effort),
        }
    }

    #[cold]
    fn pay_long(&mut self, value: &Rational, effort: u64) -> Step<()> {
        if value.bits() > LARGEST_BITS {
            return unknown("coefficients grow beyond 65536 bits");
        }
        self.tick(effort)
    }

    fn coef(&mut self, value: &Rational) -> Step<Coef> {
        if value.is_one() {
            return Ok(Coef::ONE);
        }
        if let Some(id) = self.coefficient_ids.get(value) {
            return Ok(Coef(*id));
        }
        self.pay(value)?;
        let id = self.coefficients.len() as u32;
        self.coefficients.push(value.clone());
        self.coefficient_ids.insert(value.clone(), id);
        Ok(Coef(id))
    }

    // ---- monomials -------------------------------------------------------------------------

    /// The exponent of e in a monomial.
    #[inline]
    pub(super) fn exponent(&self, mono: Mono) -> Poly {
        Poly(self.monos.get(mono.0)[0])
    }

    /// How many atoms a monomial has.
    #[inline]
    pub(super) fn factor_count(&self, mono: Mono) -> usize {
        self.monos.get(mono.0).len() / 2
    }

    /// Atom number `at` of a monomial and its exponent; atoms ascend.
    #[inline]
    pub(super) fn factor(&self, mono: Mono, at: usize) -> (Atom, Power) {
        let words = self.monos.get(mono.0);
        (Atom(words[1 + 2 * at]), Power::unpack(words[2 + 2 * at]))
    }

    /// The exponent of an atom in a monomial, if it occurs.
    pub(super) fn power_of(&self, mono: Mono, atom: Atom) -> Option<Power> {
        (0..self.factor_count(mono)).map(|at| self.factor(mono, at)).find(|f| f.0 == atom).map(|f| f.1)
    }

    /// `e^exponent` as a monomial (no constants taken out: see [`Forms::exp`]).
    fn exp_mono(&mut self, exponent: Poly) -> Mono {
        Mono(self.monos.intern(&[exponent.0]))
    }

    /// `atom^power`, whatever the atom's own rules say.
    pub(super) fn atom_power(&mut self, atom: Atom, power: Power) -> Step<Product> {
        let raw = Mono(self.monos.intern(&[Poly::ZERO.0, atom.0, power.pack()]));
        if self.has_rule(atom, power) {
            self.reduce(raw)
        } else {
            Ok(Product { coefficient: Rational::ONE, mono: raw })
        }
    }

    /// `a · b`.
    pub(super) fn mono_times(&mut self, a: Mono, b: Mono) -> Step<Product> {
        let plain = |mono| Ok(Product { coefficient: Rational::ONE, mono });
        if a == Mono::ONE {
            return plain(b);
        }
        if b == Mono::ONE {
            return plain(a);
        }
        let (ea, eb) = (self.exponent(a), self.exponent(b));
        let exponent = self.exponent_sum(ea, eb)?;
        let mut out = std::mem::take(&mut self.scratch);
        out.clear();
        out.push(exponent.0);
        let (x, y) = (self.monos.get(a.0), self.monos.get(b.0));
        let (mut i, mut j, mut rules) = (1, 1, false);
        while i < x.len() || j < y.len() {
            if j >= y.len() || (i < x.len() && x[i] < y[j]) {
                out.extend_from_slice(&x[i..i + 2]);
                i += 2;
            } else if i >= x.len() || y[j] < x[i] {
                out.extend_from_slice(&y[j..j + 2]);
                j += 2;
            } else {
                let Some(power) = Power::unpack(x[i + 1]).plus(Power::unpack(y[j + 1])) else {
                    return unknown("exponents grow beyond 16 bits");
                };
                if power.above != 0 {
                    rules |= self.has_rule(Atom(x[i]), power);
                    out.extend_from_slice(&[x[i], power.pack()]);
                }
                i += 2;
                j += 2;
            }
        }
        let mono = Mono(self.monos.intern(&out));
        self.scratch = out;
        if rules { self.reduce(mono) } else { plain(mono) }
    }

    /// `a · b`.
    pub(super) fn product(&mut self, a: &Product, b: &Product) -> Step<Product> {
        let mut product = self.mono_times(a.mono, b.mono)?;
        product.coefficient = product.coefficient.times(&a.coefficient).times(&b.coefficient);
        self.pay(&product.coefficient)?;
        Ok(product)
    }

    // ---- polynomials -----------------------------------------------------------------------

    /// How many monomials.
    #[inline]
    pub(super) fn len(&self, poly: Poly) -> usize {
        self.polys.get(poly.0).len() / 2
    }

    /// Monomial number `at`.
    #[inline]
    pub(super) fn mono_at(&self, poly: Poly, at: usize) -> Mono {
        Mono(self.polys.get(poly.0)[2 * at])
    }

    /// Coefficient number `at`.
    #[inline]
    pub(super) fn coefficient_at(&self, poly: Poly, at: usize) -> &Rational {
        &self.coefficients[self.coef_at(poly, at).0 as usize]
    }

    #[inline]
    fn coef_at(&self, poly: Poly, at: usize) -> Coef {
        Coef(self.polys.get(poly.0)[2 * at + 1])
    }

    /// Term number `at`.
    pub(super) fn term(&self, poly: Poly, at: usize) -> Product {
        Product { coefficient: self.coefficient_at(poly, at).clone(), mono: self.mono_at(poly, at) }
    }

    /// The only term, if there is only one.
    pub(super) fn single(&self, poly: Poly) -> Option<Product> {
        (self.len(poly) == 1).then(|| self.term(poly, 0))
    }

    /// The value, if it is rational.
    pub(super) fn constant(&self, poly: Poly) -> Option<Rational> {
        match self.polys.get(poly.0) {
            [] => Some(Rational::ZERO),
            [mono, coef] if *mono == Mono::ONE.0 => Some(self.coefficients[*coef as usize].clone()),
            _ => None,
        }
    }

    /// A single term as a polynomial.
    pub(super) fn poly(&mut self, product: &Product) -> Step<Poly> {
        if product.coefficient.is_zero() {
            return Ok(Poly::ZERO);
        }
        let coef = self.coef(&product.coefficient)?;
        Ok(Poly(self.polys.intern(&[product.mono.0, coef.0])))
    }

    /// A rational as a polynomial.
    pub(super) fn rational(&mut self, value: Rational) -> Step<Poly> {
        self.poly(&Product { coefficient: value, mono: Mono::ONE })
    }

    /// An atom as a polynomial.
    pub(super) fn atom_poly(&mut self, atom: Atom) -> Step<Poly> {
        let product = self.atom_power(atom, Power::ONE)?;
        self.poly(&product)
    }

    /// `a + b`, memoized: for exponents, which are added again and again.
    pub(super) fn plus(&mut self, a: Poly, b: Poly) -> Step<Poly> {
        if a == Poly::ZERO {
            return Ok(b);
        }
        if b == Poly::ZERO {
            return Ok(a);
        }
        let key = (a.min(b), a.max(b));
        if let Some(sum) = self.sums.get(&key) {
            return Ok(*sum);
        }
        let sum = self.merge(a, b)?;
        self.sums.insert(key, sum);
        Ok(sum)
    }

    fn merge(&mut self, a: Poly, b: Poly) -> Step<Poly> {
        self.tick((self.len(a) + self.len(b)) as u64)?;
        let mut out = Vec::with_capacity(self.polys.get(a.0).len() + self.polys.get(b.0).len());
        let (mut i, mut j) = (0, 0);
        loop {
            let (x, y) = (self.polys.get(a.0), self.polys.get(b.0));
            if i >= x.len() || j >= y.len() {
                out.extend_from_slice(&x[i..]);
                out.extend_from_slice(&y[j..]);
                break;
            }
            if x[i] < y[j] {
                out.extend_from_slice(&x[i..i + 2]);
                i += 2;
            } else if y[j] < x[i] {
                out.extend_from_slice(&y[j..j + 2]);
                j += 2;
            } else {
                let (mono, p, q) = (x[i], x[i + 1], y[j + 1]);
                let sum = self.coefficients[p as usize].plus(&self.coefficients[q as usize]);
                if !sum.is_zero() {
                    let coef = self.coef(&sum)?;
                    out.extend_from_slice(&[mono, coef.0]);
                }
                i += 2;
                j += 2;
            }
        }
        Ok(Poly(self.polys.intern(&out)))
    }

    /// `factor · poly`.
    pub(super) fn scaled(&mut self, poly: Poly, factor: &Rational) -> Step<Poly> {
        if factor.is_zero() {
            return Ok(Poly::ZERO);
        }
        if factor.is_one() {
            return Ok(poly);
        }
        self.tick(self.len(poly) as u64)?;
        let mut out = Vec::with_capacity(self.len(poly) * 2);
        for at in 0..self.len(poly) {
            let scaled = self.coefficient_at(poly, at).times(factor);
            let coef = self.coef(&scaled)?;
            out.extend_from_slice(&[self.mono_at(poly, at).0, coef.0]);
        }
        Ok(Poly(self.polys.intern(&out)))
    }

    /// `-poly`.
    pub(super) fn negated(&mut self, poly: Poly) -> Step<Poly> {
        self.scaled(poly, &Rational::MINUS_ONE)
    }

    /// `a - b`.
    pub(super) fn minus(&mut self, a: Poly, b: Poly) -> Step<Poly> {
        if a == b {
            return Ok(Poly::ZERO);
        }
        let b = self.negated(b)?;
        self.plus(a, b)
    }

    /// `poly · factor`.
    pub(super) fn times_product(&mut self, poly: Poly, factor: &Product) -> Step<Poly> {
        if factor.mono == Mono::ONE {
            return self.scaled(poly, &factor.coefficient);
        }
        let mut sum = Accumulator::default();
        self.accumulate(&mut sum, poly, factor)?;
        self.finish(sum)
    }

    /// `a · b`, distributed.
    pub(super) fn times(&mut self, a: Poly, b: Poly) -> Step<Poly> {
        let (few, many) = if self.len(a) <= self.len(b) { (a, b) } else { (b, a) };
        let mut sum = Accumulator::default();
        for at in 0..self.len(few) {
            let factor = self.term(few, at);
            self.accumulate(&mut sum, many, &factor)?;
        }
        self.finish(sum)
    }

    /// Adds `poly · factor` to a sum.
    pub(super) fn accumulate(&mut self, sum: &mut Accumulator, poly: Poly, factor: &Product) -> Step<()> {
        self.tick(1 + self.len(poly) as u64)?;
        for at in 0..self.len(poly) {
            let mut product = self.mono_times(self.mono_at(poly, at), factor.mono)?;
            product.coefficient =
                product.coefficient.times(self.coefficient_at(poly, at)).times(&factor.coefficient);
            self.pay(&product.coefficient)?;
            sum.add(&product);
        }
        Ok(())
    }

    /// The polynomial that a sum adds up to.
    pub(super) fn finish(&mut self, mut sum: Accumulator) -> Step<Poly> {
        sum.combine();
        let mut out = Vec::with_capacity(sum.terms.len() * 2);
        for (mono, coefficient) in &sum.terms {
            out.extend_from_slice(&[mono.0, self.coef(coefficient)?.0]);
        }
        Ok(Poly(self.polys.intern(&out)))
    }
}

/// A sum being added up: its terms as they come, equal monomials combined now and then.
#[derive(Default)]
pub(super) struct Accumulator {
    terms: Vec<(Mono, Rational)>,
    /// How many terms there were after they were combined last.
    combined: usize,
}

/// Terms that are kept before equal ones are combined.
const UNCOMBINED: usize = 64;

impl Accumulator {
    pub(super) fn add(&mut self, product: &Product) {
        if product.coefficient.is_zero() {
            return;
        }
        // Twice as many: each combination is paid for by what was added since the last.
        if self.terms.len() >= UNCOMBINED + 2 * self.combined {
            self.combine();
        }
        self.terms.push((product.mono, product.coefficient.clone()));
    }

    /// Leaves one term of each monomial, in order, and none with the coefficient 0.
    fn combine(&mut self) {
        self.terms.sort_unstable_by_key(|(mono, _)| *mono);
        self.terms.dedup_by(|(mono, coefficient), (kept, sum)| {
            let same = mono == kept;
            if same {
                *sum = sum.plus(coefficient);
            }
            same
        });
        self.terms.retain(|(_, coefficient)| !coefficient.is_zero());
        self.combined = self.terms.len();
    }
}
