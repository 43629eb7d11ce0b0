//! Rebuilding polynomials with some atoms replaced.
//!
//! Bottom-up over everything a polynomial mentions (exponents, closed sums, candidates of maxima,
//! conditions, arguments), with an explicit stack: nesting may be as deep as a kernel's loop is
//! long. Every atom is made again from its rebuilt parts by the constructor that made it, so what
//! a replacement simplifies is simplified.
//!
//! Guarantees: if the rule replaces atoms by equal values (under whatever the caller assumes), the
//! result equals the polynomial.

use super::{Accumulator, Atom, Forms, Kind, Mono, Poly, Power, Product, Rational, Step, unknown};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What an atom is to be replaced by, if anything.
pub(in crate::decide) type Rule<'r> = dyn FnMut(&mut Forms<'_>, Atom) -> Step<Option<Poly>> + 'r;

/// Sums up to this long are opened when they were rebuilt.
const SHORT: usize = 16;

#[derive(Default)]
struct Rebuilt {
    polys: FxHashMap<Poly, Poly>,
    atoms: FxHashMap<Atom, Poly>,
}

impl Forms<'_> {
    /// The polynomial with `rule` applied to every atom, repeatedly until nothing changes.
    pub(in crate::decide) fn rewrite(&mut self, poly: Poly, rule: &mut Rule<'_>) -> Step<Poly> {
        let mut poly = poly;
        for _ in 0..8 {
            let next = self.rewrite_once(poly, rule)?;
            if next == poly {
                break;
            }
            poly = next;
        }
        Ok(poly)
    }

    fn rewrite_once(&mut self, root: Poly, rule: &mut Rule<'_>) -> Step<Poly> {
        let mut done = Rebuilt::default();
        let mut stack = vec![root];
        while let Some(poly) = stack.last().copied() {
            if done.polys.contains_key(&poly) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.parts(poly, &mut |part| {
                if !done.polys.contains_key(&part) {
                    stack.push(part);
                }
            });
            if stack.len() == before {
                let rebuilt = self.rebuild(poly, &mut done, rule)?;
                done.polys.insert(poly, rebuilt);
                stack.pop();
            }
        }
        Ok(done.polys[&root])
    }

    /// The polynomials that a polynomial mentions.
    pub(in crate::decide) fn parts(&self, poly: Poly, visit: &mut dyn FnMut(Poly)) {
        for at in 0..self.len(poly) {
            let mono = self.mono_at(poly, at);
            let exponent = self.exponent(mono);
            if exponent != Poly::ZERO {
                visit(exponent);
            }
            for index in 0..self.factor_count(mono) {
                self.atom_parts(self.factor(mono, index).0, visit);
            }
        }
    }

    /// All atoms that a polynomial mentions, however deep, oldest first.
    pub(in crate::decide) fn atoms_below(&self, root: Poly) -> BTreeSet<Atom> {
        let mut seen = FxHashSet::from_iter([root]);
        let mut open = vec![root];
        let mut atoms = BTreeSet::new();
        while let Some(poly) = open.pop() {
            for at in 0..self.len(poly) {
                let mono = self.mono_at(poly, at);
                atoms.extend((0..self.factor_count(mono)).map(|index| self.factor(mono, index).0));
            }
            self.parts(poly, &mut |part| {
                if seen.insert(part) {
                    open.push(part);
                }
            });
        }
        atoms
    }

    /// The polynomials that an atom mentions.
    pub(in crate::decide) fn atom_parts(&self, atom: Atom, visit: &mut dyn FnMut(Poly)) {
        match self.kind(atom) {
            Kind::Element(_) | Kind::Pi | Kind::Ln10 | Kind::Prime(_) => {}
            Kind::Log(p)
            | Kind::Sum(p)
            | Kind::Abs(p)
            | Kind::Function(_, p)
            | Kind::Positive(p)
            | Kind::Zero(p) => visit(p),
            Kind::Max => self.max_arguments(atom).into_iter().for_each(visit),
            Kind::Contest => {
                for (score, payload) in self.contest_candidates(atom) {
                    visit(score);
                    visit(payload);
                }
            }
            Kind::Condition | Kind::Opaque => self.opaque_parts(atom).1.into_iter().for_each(visit),
        }
    }

    fn rebuild(&mut self, poly: Poly, done: &mut Rebuilt, rule: &mut Rule<'_>) -> Step<Poly> {
        let mut sum = Accumulator::default();
        let one = Product { coefficient: Rational::ONE, mono: Mono::ONE };
        for at in 0..self.len(poly) {
            self.tick(1)?;
            let term = self.term(poly, at);
            let exponent = self.exponent(term.mono);
            let mut factor = Product { coefficient: term.coefficient, mono: Mono::ONE };
            if exponent != Poly::ZERO {
                let exponential = self.exp(done.polys[&exponent])?;
                factor = self.product(&factor, &exponential)?;
            }
            let mut open: Option<Poly> = None;
            let mut bases = Vec::with_capacity(self.factor_count(term.mono));
            for index in 0..self.factor_count(term.mono) {
                let (atom, power) = self.factor(term.mono, index);
                bases.push((self.rebuild_atom(atom, done, rule)?, power));
            }
            // A condition that fails takes its term along, also one that is undefined: the kernel does
            // not compute it then. Any other factor that is zero makes a term zero only where the term
            // is defined: 0 · (1/0) is what clearing a denominator left of a guarded division.
            let zero = |at: &usize| bases[*at].0 == Poly::ZERO && bases[*at].1.above > 0;
            let zeros: Vec<usize> = (0..bases.len()).filter(zero).collect();
            let fails = |at: &usize| self.is_indicator(self.factor(term.mono, *at).0);
            if zeros.iter().any(fails) {
                continue;
            }
            if !zeros.is_empty() {
                let below = |(_, (_, power)): &(usize, &(Poly, Power))| power.above < 0;
                for (index, (base, _)) in bases.iter().enumerate().filter(below) {
                    if *base == Poly::ZERO {
                        return unknown("a denominator is zero in one of the cases");
                    }
                    // What makes it zero may come later: |x| + x, before x is known to be negative.
                    let own = self.poly_of_atom(self.factor(term.mono, index).0)?;
                    if *base != own && !self.sign(*base).is_non_zero() {
                        return unknown("a denominator may be zero in one of the cases");
                    }
                }
                continue;
            }
            for (base, power) in bases {
                if base == Poly::ZERO {
                    return unknown("a denominator is zero in one of the cases");
                } else if let Some(base) = self.single(base) {
                    let base = self.power_of_product(&base, power)?;
                    factor = self.product(&factor, &base)?;
                } else if power.is_integer() && (1..=4).contains(&power.above) && self.len(base) <= SHORT {
                    for _ in 0..power.above {
                        open = Some(match open {
                            Some(open) => self.times(open, base)?,
                            None => base,
                        });
                    }
                } else {
                    let base = self.power_or_closed(base, power)?;
                    factor = self.product(&factor, &base)?;
                }
            }
            match open {
                Some(open) => self.accumulate(&mut sum, open, &factor)?,
                None => {
                    let product = self.product(&factor, &one)?;
                    sum.add(&product);
                }
            }
        }
        self.finish(sum)
    }

    fn rebuild_atom(&mut self, atom: Atom, done: &mut Rebuilt, rule: &mut Rule<'_>) -> Step<Poly> {
        if let Some(known) = done.atoms.get(&atom) {
            return Ok(*known);
        }
        let own = self.poly_of_atom(atom)?;
        let mut changed = false;
        self.atom_parts(atom, &mut |part| changed |= done.polys[&part] != part);
        let mut rebuilt = own;
        if changed || self.kind(atom) == Kind::Max {
            rebuilt = match self.kind(atom) {
                Kind::Log(p) => self.log(done.polys[&p])?,
                Kind::Sum(p) => {
                    let body = done.polys[&p];
                    if self.len(body) <= SHORT {
                        body
                    } else {
                        let closed = self.closed(body)?;
                        self.poly(&closed)?
                    }
                }
                Kind::Abs(p) => self.magnitude(done.polys[&p])?,
                Kind::Function(function, p) => self.function(function, done.polys[&p])?,
                Kind::Positive(p) => self.positive(done.polys[&p])?,
                Kind::Zero(p) => self.zero(done.polys[&p])?,
                Kind::Max => {
                    let arguments: Vec<Poly> =
                        self.max_arguments(atom).iter().map(|argument| done.polys[argument]).collect();
                    self.max_of(&arguments)?
                }
                Kind::Contest => {
                    let rebuilt = |poly: &Poly| done.polys[poly];
                    let candidates = self.contest_candidates(atom);
                    let candidates =
                        candidates.iter().map(|(score, payload)| (rebuilt(score), rebuilt(payload)));
                    let candidates = self.who_may_win(candidates.collect())?;
                    self.first_of(&candidates)?
                }
                Kind::Condition | Kind::Opaque => {
                    let condition = self.is_indicator(atom);
                    let (name, arguments) = self.opaque_parts(atom);
                    let mut canonical = Vec::with_capacity(arguments.len());
                    for argument in arguments {
                        canonical.push(self.canonical(done.polys[&argument])?);
                    }
                    let atom = self.opaque(condition, &name, &canonical);
                    self.poly_of_atom(atom)?
                }
                Kind::Element(_) | Kind::Pi | Kind::Ln10 | Kind::Prime(_) => own,
            };
        }
        if rebuilt == own
            && let Some(replaced) = rule(self, atom)?
        {
            rebuilt = replaced;
        }
        done.atoms.insert(atom, rebuilt);
        Ok(rebuilt)
    }

    /// The atom to the power 1, as it stands.
    fn poly_of_atom(&mut self, atom: Atom) -> Step<Poly> {
        let mono = Mono(self.monos.intern(&[Poly::ZERO.0, atom.0, Power::ONE.pack()]));
        self.poly(&Product { coefficient: Rational::ONE, mono })
    }
}
