//! Exponentials, and powers along a sum that holds logarithms.
//!
//! e^h is 2^(λh), one level further out than h. Where h is a sum with a logarithm in it, its power is made
//! along the sum: e^(a + c·ln s) is e^a · s^c for whole and half c. The logarithm is defined for positive s
//! alone (the ledger says so, unless its sign is known), and there both are the same.
//!
//! Misses: other fractional powers, and multiples of logarithms by what is no constant, are powers of the
//! value.

use super::constants;
use super::demands::{Scaled, Summand, exponent_scale, inner, summands};
use super::field::{self, LEVELS, ZERO};
use super::products::Product;
use super::value::{Kind, Levels, Sign, Value, by_level};
use super::walk::Walk;
use crate::decide::Exact;
use crate::term::{Node, Term};
use num_traits::ToPrimitive;

/// e to a multiple of a step, its leading summand, and it as a product, where they are asked for.
#[derive(Clone)]
pub(super) struct Power {
    pub(super) value: Value,
    pub(super) leading: Option<Product>,
    pub(super) split: Option<Product>,
}

impl Power {
    const LOST: Power = Power { value: Value::LOST, leading: None, split: None };
}

impl Walk<'_> {
    /// `b^(times · a)` for b = e or 2.
    pub(super) fn power(&mut self, a: Term, natural: bool, times: i64, levels: Levels) -> Value {
        let Some(scale) = exponent_scale(natural, times) else { return Value::LOST };
        match self.known_power(a, &scale) {
            Some(power) => power.value,
            None => self.power_of_value(a, &scale, levels),
        }
    }

    /// What was made along a sum.
    pub(super) fn known_power(&self, a: Term, scale: &Exact) -> Option<&Power> {
        let step = a.as_node()?;
        let at = self.demands.powers.get(&step)?.iter().position(|known| known.scale == *scale)?;
        self.products.powers.get(&(step, at))
    }

    /// The exponent `scale · a`.
    pub(super) fn exponent(&self, value: Value, scale: &Exact, levels: Levels) -> Value {
        let Some(number) = scale.as_rational() else {
            let mut at = [ZERO; LEVELS];
            for (level, at) in at.iter_mut().enumerate().filter(|(level, _)| levels >> level & 1 == 1) {
                let Some(factor) = constants::residue(self.atoms.seed, level, scale) else {
                    return Value::LOST;
                };
                *at = field::multiply(level, value.at[level], factor);
            }
            let range = scale.enclosure();
            let sample = value.sample * (range.low() + range.high()) / 2.0;
            let degree = [value.degree[0] + 4.0, value.degree[1]];
            return Value { at, sample, degree, parts: 0, sign: Sign::default(), ..value };
        };
        match (number.numer().to_i64(), number.denom().to_i64()) {
            (Some(1), Some(1)) => value,
            (Some(above), Some(below)) => value.scaled((above, below), levels),
            _ => Value::LOST,
        }
    }

    fn power_of_value(&mut self, a: Term, scale: &Exact, levels: Levels) -> Value {
        let value = self.get(a, inner(levels));
        let kind = match (value.kind, scale.is_negative()) {
            (Kind::Infinity, true) => Kind::MinusInfinity,
            (Kind::MinusInfinity, true) => Kind::Infinity,
            (kind, _) => kind,
        };
        match kind {
            Kind::Finite => {}
            Kind::MinusInfinity => return Value::ZERO,
            kind => return Value { kind, ..Value::LOST },
        }
        let exponent = self.exponent(value, scale, inner(levels));
        self.exponential(exponent, levels)
    }

    /// e to a finite value, which has residues one level further in.
    pub(super) fn exponential(&mut self, exponent: Value, levels: Levels) -> Value {
        if !exponent.is_finite() {
            return Value::LOST;
        }
        let mut at = [ZERO; LEVELS];
        for level in (0..LEVELS - 1).filter(|level| levels >> level & 1 == 1) {
            let power = field::multiply(level + 1, exponent.at[level + 1], self.lambda[level + 1]);
            at[level] = field::power_of_two(level, power);
        }
        if levels & 4 != 0 {
            let mut key = vec![47];
            self.key_of(&exponent, &mut key);
            at[LEVELS - 1] = self.atoms.atom(4, key).at[LEVELS - 1];
        }
        let degree = 1.0 + exponent.degree[0] + exponent.degree[1];
        let (sample, chosen) = (exponent.sample.exp(), exponent.chosen);
        Value { sign: Sign::POSITIVE, sample, degree: [degree, 0.0], chosen, ..Value::finite(at) }
    }

    /// e to all multiples of a step that are asked for.
    pub(super) fn powers_of(&mut self, at: usize, node: &Node) {
        let count = self.demands.powers.get(&at).map_or(0, Vec::len);
        for number in 0..count {
            let Scaled { scale, levels, products } = self.demands.powers[&at][number].clone();
            let settled = self.worlds.settled.get(&at).copied();
            let made = match settled {
                Some(copy) => Some(match self.known_power(copy, &scale) {
                    Some(power) => power.clone(),
                    None => self.leaf_power(copy, &scale, levels, products),
                }),
                None => summands(node, &scale, self.meanings)
                    .and_then(|summands| self.along(summands, levels, products)),
            };
            let mut power = match made {
                Some(power) => power,
                None => {
                    let own = Term::from_node(at);
                    let have = self.demands.steps[at].levels;
                    if inner(levels) & !have != 0 {
                        Power::LOST
                    } else {
                        Power { value: self.power_of_value(own, &scale, levels), ..Power::LOST }
                    }
                }
            };
            if products == 0 || !power.value.is_finite() {
                power = Power { leading: None, split: None, ..power };
            }
            self.products.powers.insert((at, number), power);
        }
    }

    fn along(&mut self, summands: Vec<Summand>, levels: Levels, products: Levels) -> Option<Power> {
        let all = levels | products;
        let one = (products != 0).then(|| Product::constant((1, 1)));
        let mut whole = Power { value: Value::ONE, leading: one.clone(), split: one };
        for summand in summands {
            let factor = match summand {
                Summand::Power(term, scale) => match self.known_power(term, &scale) {
                    Some(power) => power.clone(),
                    None => self.leaf_power(term, &scale, levels, products),
                },
                Summand::Argument(term, power) => self.argument_power(term, &power, levels, products),
                Summand::Product(a, b, scale) => {
                    let inside = inner(all) | products | u8::from(products != 0);
                    let (a, b) = (self.get(a, inside), self.get(b, inside));
                    let exponent = self.exponent(a.times(b, inside), &scale, inside);
                    self.of_exponent(exponent, levels, products)
                }
            };
            let both = |a: Option<Product>, b: Option<Product>| a?.times(&b?);
            whole = Power {
                value: self.atoms.roots.times(whole.value, factor.value, levels),
                leading: both(whole.leading, factor.leading),
                split: both(whole.split, factor.split),
            };
        }
        // What cancels between the factors does not count.
        if let Some(split) = &whole.split {
            let degree = self.atoms.bases.degree(split);
            if degree < whole.value.degree[0] {
                whole.value.degree = [degree, degree.min(whole.value.degree[1])];
            }
        }
        Some(whole)
    }

    fn leaf_power(&mut self, term: Term, scale: &Exact, levels: Levels, products: Levels) -> Power {
        let value = self.get(term, 0);
        if !value.is_finite() {
            return Power { value: self.power_of_value(term, scale, levels), ..Power::LOST };
        }
        let inside = inner(levels) | inner(products) | products | u8::from(products != 0);
        let exponent = self.exponent(self.get(term, inside), scale, inside);
        self.of_exponent(exponent, levels, products)
    }

    pub(super) fn of_exponent(&mut self, exponent: Value, levels: Levels, products: Levels) -> Power {
        let all = levels | products;
        let value = self.exponential(exponent, all);
        let product =
            (products != 0 && value.is_finite()).then(|| Product::exponential(exponent, &value, products));
        let value = Value { at: by_level!(levels, L => value.at[L]), ..value };
        Power { value, leading: product.clone(), split: product }
    }

    /// The argument of a logarithm to a whole or half power.
    fn argument_power(&mut self, term: Term, power: &Exact, levels: Levels, products: Levels) -> Power {
        let Some(power) = power.as_rational() else { return Power::LOST };
        let (Some(count), Some(degree)) = (power.numer().to_i32(), power.denom().to_i32()) else {
            return Power::LOST;
        };
        let all = levels | products;
        let mut base = self.get(term, all);
        let mut forms = [true, false].map(|leading| self.term_product(term, leading, products));
        if !base.is_finite() {
            return Power::LOST;
        }
        if degree == 2 {
            base = self.square_root(term, self.get(term, 7), all);
            // The leading summand of a root is no root of one.
            let root = forms[1].take().and_then(|form| form.root(2, &base, products));
            forms = [None, root];
        }
        // In a branch that is not taken, the logarithm may be of anything.
        if !self.guarded {
            base = base.with_sign(Sign::POSITIVE);
        }
        let mut value = Value::ONE;
        let mut left = count.unsigned_abs();
        while left > 0 {
            if left & 1 == 1 {
                value = self.atoms.roots.times(value, base, levels);
            }
            base = self.atoms.roots.times(base, base, levels);
            left >>= 1;
        }
        if count < 0 {
            value = self.atoms.roots.inverse(value, levels);
        }
        let [leading, split] =
            forms.map(|form| form.filter(|_| products != 0).and_then(|form| form.power(count)));
        Power { value, leading, split }
    }
}
