//! Steps as products, their logarithms and their roots.
//!
//! # Why this is sound
//! *Logarithms* stand for ln|·|, a homomorphism from the products of non-zero functions to the sums: `ln|f·g|`
//! is `ln|f| + ln|g|` whatever their signs are, and where a kernel takes a logarithm of what is not positive,
//! the ledger excludes it. A leading summand may vanish at some input where the sum does not; there
//! ln|·| of numbers that are neither 0 nor infinite extends to all products as a homomorphism, because the
//! additive group of the reals is divisible, and an identity that holds for free variables holds for that
//! extension.
//!
//! *Roots*: √(Π f^k) is Π |f|^⌊k/2⌋ · √f over the odd k. Where the sign of f is known, s² = ±f; factors of
//! unknown sign make one radicand together, which is not negative where the root is defined.

use super::atoms::Classified;
use super::constants;
use super::demands::{exponent_scale, inner};
use super::field::{self, LEVELS, Residue, ZERO};
use super::heads::Heads;
use super::products::{Divisor, Product};
use super::value::{Kind, Levels, Sign, Value, by_level};
use super::walk::Walk;
use crate::decide::{Exact, Factor, Meaning};
use crate::term::{Node, Term, Unary};
use num_rational::{BigRational, Ratio};
use num_traits::ToPrimitive;

impl Walk<'_> {
    /// What a term is as a product, or its leading summand.
    pub(super) fn term_product(&mut self, term: Term, leading: bool, levels: Levels) -> Option<Product> {
        if let Some(step) = term.as_node() {
            let known = if leading { &self.products.leading } else { &self.products.split };
            return known.get(&step).cloned();
        }
        if let Some(constant) = term.as_constant() {
            let Meaning::Number(exact) = &self.meanings[constant] else { return None };
            let exact = exact.clone();
            return self.constant_product(term, &exact, levels);
        }
        let value = self.get(term, levels);
        self.opaque_product(&value, levels)
    }

    /// A rational times a power of e, and everything else as a base.
    fn constant_product(&mut self, term: Term, exact: &Exact, levels: Levels) -> Option<Product> {
        let coefficient = exact.coefficient();
        let (Some(above), Some(below)) = (coefficient.numer().to_i128(), coefficient.denom().to_i128())
        else {
            let value = self.get(term, levels);
            return self.opaque_product(&value, levels);
        };
        let mut product = Product::constant((above, below));
        for (factor, power) in exact.factors() {
            let value = self.number(&Exact::factor(*factor, *power)?, levels)?;
            let part = if *factor == Factor::E {
                let exponent = Value::ONE.scaled((*power.numer(), *power.denom()), 7);
                Product::exponential(exponent, &value, levels)
            } else {
                self.atoms.bases.base(self.atoms.seed, &value, levels, None, true)
            };
            product = product.times(&part)?;
        }
        Some(product)
    }

    /// A value that is its own base; up to a rational factor, where it has residues at all levels.
    pub(super) fn opaque_product(&mut self, value: &Value, levels: Levels) -> Option<Product> {
        if value.is_zero() {
            return None;
        }
        let seed = self.atoms.seed;
        self.key_degree = self.key_degree.max(value.degree[0] + value.degree[1]);
        if levels == 7
            && let Classified::Member(member) = self.classify(value)?
        {
            let at = self.atoms.first(member.class);
            let (above, below) = member.ratio;
            let sign = if above > 0 { value.sign } else { value.sign.negated() };
            let first = Value { at, sign, parts: 0, ..*value };
            let base = self.atoms.bases.base(seed, &first, levels, None, true);
            return Product::constant((above.into(), below.into())).times(&base);
        }
        Some(self.atoms.bases.base(seed, value, levels, None, true))
    }

    /// Keeps what a step is as a product.
    pub(super) fn product_of(&mut self, at: usize, node: &Node, value: &Value) {
        let demand = self.demands.steps[at];
        let divisor = match self.worlds.settled.get(&at).copied() {
            Some(copy) => Some(self.divisor_of(copy, demand.heads, demand.products)),
            None => self.divisor(node, value, demand.heads, demand.products),
        };
        let divisor = divisor.filter(|divisor| !divisor.factors.is_empty() || divisor.heads.is_some());
        if let Some(divisor) = &divisor {
            self.products.divisors.insert(at, divisor.clone());
        }
        if !value.is_finite() || value.is_zero() {
            return;
        }
        let levels = demand.products;
        self.key_degree = self.key_degree.max(value.degree[0] + value.degree[1]);
        if let Some(copy) = self.worlds.settled.get(&at).copied() {
            for leading in [true, false] {
                let Some(product) = self.term_product(copy, leading, levels) else { continue };
                let known = if leading { &mut self.products.leading } else { &mut self.products.split };
                known.insert(at, product);
            }
            return;
        }
        if self.products.leading.contains_key(&at) {
            return;
        }
        let Some(leading) =
            self.formed(node, value, true, levels).or_else(|| self.opaque_product(value, levels))
        else {
            return;
        };
        if demand.split {
            let known = self.atoms.bases.split(value, levels);
            // Leading summands are kept with bases, whoever met these first.
            let made = match &known {
                Some(_) if !demand.heads => None,
                _ => self.split_of(node, value, (&leading, divisor), levels),
            };
            let split = known.or_else(|| made.inspect(|made| self.atoms.bases.keep_split(value, made)));
            if let Some(split) = split {
                self.products.split.insert(at, split);
            }
        }
        self.products.leading.insert(at, leading);
    }

    fn split_of(
        &mut self,
        node: &Node,
        value: &Value,
        (leading, divisor): (&Product, Option<Divisor>),
        levels: Levels,
    ) -> Option<Product> {
        let heads = divisor.as_ref().and_then(|divisor| divisor.heads.clone());
        let is_sum = match node {
            Node::Add(..) | Node::Sub(..) | Node::Fma(..) => true,
            Node::Unary(Unary::Tanh, _) => heads.is_some(),
            _ => false,
        };
        if !is_sum {
            return self.formed(node, value, false, levels).or_else(|| self.opaque_product(value, levels));
        }
        let leading = heads.as_ref().map_or(leading, Heads::first);
        // ln(1 + e^(x - ln s)) is ln(s + e^x) - ln s: a sum of quotients has its divisors for factors.
        let divided = divisor.filter(|divisor| !divisor.factors.is_empty()).and_then(|divisor| {
            let product = self.atoms.bases.of_factors(&divisor.factors)?.times(leading)?;
            let product = self.atoms.bases.settled(product)?;
            (levels & !product.levels == 0).then_some((product, divisor.degree + leading.degree))
        });
        let own = leading.degree;
        let whole = divided.as_ref().map_or(leading, |(product, _)| product);
        let at = whole.divide(value)?;
        if at[0] == field::ONE {
            return Some(whole.clone());
        }
        // The sign of the rest follows from those of the value and of the summand.
        let sign = value.sign.times(self.atoms.bases.sign(whole));
        let degree = match divided {
            Some((_, degree)) => [degree, own],
            None => [value.degree[0] + own, value.degree[1] + own],
        };
        self.key_degree = self.key_degree.max(degree[0] + degree[1]);
        let rest = Value { at, sign, degree, parts: 0, ..*value };
        let base = self.atoms.bases.base(self.atoms.seed, &rest, levels, None, false);
        let over = leading.power(-1);
        let heads = heads.as_ref().and_then(|heads| heads.scaled(over.as_ref()?));
        self.atoms.bases.keep_heads(&base, heads);
        whole.times(&base)
    }

    /// What a term is divided by, with the leading summands of what is divided if they are asked for.
    fn divisor_of(&mut self, term: Term, asked: bool, levels: Levels) -> Divisor {
        if let Some(known) = term.as_node().and_then(|step| self.products.divisors.get(&step)) {
            return known.clone();
        }
        let plain = Divisor::none(&self.get(term, 0));
        if !asked || term.as_node().is_some() || self.vanishes(term) {
            return plain;
        }
        let heads = self.term_product(term, true, levels).map(Heads::of);
        Divisor { heads, ..plain }
    }

    /// What a quotient's divisor divides by.
    fn divided_by(&mut self, term: Term, levels: Levels) -> Option<Divisor> {
        let below = self.term_product(term, false, levels)?.power(-1)?;
        self.atoms.bases.divisor(&below, true)
    }

    /// What a sum of quotients by arguments of logarithms is divided by, or, where leading summands are asked
    /// for, one of any quotients.
    fn divisor(&mut self, node: &Node, value: &Value, asked: bool, levels: Levels) -> Option<Divisor> {
        if self.products.powers.is_empty() && !asked {
            return None;
        }
        let of = |walk: &mut Self, term: Term| walk.divisor_of(term, asked, levels);
        match *node {
            Node::Unary(function @ (Unary::Exp | Unary::Exp2), a)
                if let Some(scale) = exponent_scale(function == Unary::Exp, 1)
                    && let Some(power) = self.known_power(a, &scale) =>
            {
                return self.atoms.bases.divisor(power.split.as_ref()?, asked);
            }
            Node::Unary(Unary::Neg, a) => return Some(of(self, a).negated()),
            Node::Mul(a, b) => {
                let (a, b) = (of(self, a), of(self, b));
                return self.atoms.bases.common_divisor(&a, &b, true);
            }
            Node::Add(a, b) | Node::Sub(a, b) => {
                let empty = [a, b].map(|term| asked && self.vanishes(term));
                let (a, mut b) = (of(self, a), of(self, b));
                if matches!(node, Node::Sub(..)) {
                    b = b.negated();
                }
                return match empty {
                    [true, _] => Some(b),
                    [_, true] => Some(a),
                    _ => self.atoms.bases.common_divisor(&a, &b, false),
                };
            }
            Node::Fma(a, b, c) => {
                let empty = asked && (self.vanishes(a) || self.vanishes(b));
                let alone = asked && self.vanishes(c);
                let (a, b, c) = (of(self, a), of(self, b), of(self, c));
                if empty {
                    return Some(c);
                }
                let product = self.atoms.bases.common_divisor(&a, &b, true)?;
                return if alone {
                    Some(product)
                } else {
                    self.atoms.bases.common_divisor(&product, &c, false)
                };
            }
            _ if !asked => return None,
            Node::Unary(Unary::Recip, a) => return self.divided_by(a, levels),
            Node::Div(a, b) => {
                let (a, b) = (of(self, a), self.divided_by(b, levels)?);
                return self.atoms.bases.common_divisor(&a, &b, true);
            }
            Node::Unary(Unary::Tanh, a) => return self.divisor_of_tanh(a, levels),
            _ => {}
        }
        if !value.is_finite() || value.is_zero() {
            return None;
        }
        let product =
            self.formed(node, value, true, levels).or_else(|| self.opaque_product(value, levels))?;
        Some(Divisor { heads: Some(Heads::of(product)), ..Divisor::none(value) })
    }

    /// (e^2a - 1)/(e^2a + 1)
    fn divisor_of_tanh(&mut self, a: Term, levels: Levels) -> Option<Divisor> {
        let scale = exponent_scale(true, 2)?;
        let power = match self.known_power(a, &scale) {
            Some(power) => power.split.clone()?,
            None => {
                let inside = levels | inner(levels) | 1;
                let exponent = self.exponent(self.get(a, inside), &scale, inside);
                let power = self.exponential(exponent, levels);
                Product::exponential(exponent, &power.checked()?, levels)
            }
        };
        (power.factors.is_empty() && levels & !power.levels == 0).then_some(())?;
        let (one, power_heads) = (Heads::of(Product::constant((1, 1))), Heads::of(power.clone()));
        let sum = power_heads.plus(&one)?;
        let (lead, over) = (sum.first(), sum.first().power(-1)?);
        let own = Value { degree: [power.degree, 0.0], ..Value::finite(power.at) };
        let whole = own.scaled((power.coefficient.0 as i64, power.coefficient.1 as i64), levels);
        let whole = whole.plus(Value::ONE, levels);
        let degree = [power.degree + lead.degree, lead.degree];
        let rest = Value { at: lead.divide(&whole)?, sign: Sign::POSITIVE, degree, ..whole };
        self.key_degree = self.key_degree.max(degree[0] + degree[1]);
        let base = self.atoms.bases.base(self.atoms.seed, &rest, levels, None, false);
        self.atoms.bases.keep_heads(&base, sum.scaled(&over));
        let heads = power_heads.plus(&one.negated()).and_then(|heads| heads.scaled(&over));
        Some(Divisor {
            heads,
            degree: power.degree + lead.degree,
            ..self.atoms.bases.divisor(&base.power(-1)?, false)?
        })
    }

    /// What a step is made of, as a product or as the leading summand.
    fn formed(&mut self, node: &Node, value: &Value, leading: bool, levels: Levels) -> Option<Product> {
        let of = |walk: &mut Self, term: Term| walk.term_product(term, leading, levels);
        match *node {
            Node::Mul(a, b) => {
                let product = of(self, a)?.times(&of(self, b)?)?;
                self.atoms.bases.settled(product)
            }
            Node::Div(a, b) => {
                let quotient = of(self, a)?.times(&of(self, b)?.power(-1)?)?;
                self.atoms.bases.settled(quotient)
            }
            Node::Add(a, b) | Node::Sub(a, b) => {
                let sign = matches!(node, Node::Sub(..));
                let turned = |product: Product| if sign { product.negated() } else { product };
                match (self.vanishes(a), self.vanishes(b)) {
                    (true, _) => of(self, b).map(turned),
                    (_, true) => of(self, a),
                    _ => of(self, a)?.leading(turned(of(self, b)?)),
                }
            }
            Node::Fma(a, b, c) => {
                if self.vanishes(a) || self.vanishes(b) {
                    return of(self, c);
                }
                let product = of(self, a)?.times(&of(self, b)?)?;
                let product = self.atoms.bases.settled(product)?;
                if self.vanishes(c) { Some(product) } else { product.leading(of(self, c)?) }
            }
            Node::Unary(Unary::Neg, a) => Some(of(self, a)?.negated()),
            Node::Unary(Unary::Recip, a) => of(self, a)?.power(-1),
            Node::Unary(function @ (Unary::Exp | Unary::Exp2), a) => {
                let scale = exponent_scale(function == Unary::Exp, 1)?;
                if let Some(power) = self.known_power(a, &scale) {
                    return if leading { power.leading.clone() } else { power.split.clone() };
                }
                let inside = levels | inner(levels) | 1;
                let exponent = self.exponent(self.get(a, inside), &scale, inside);
                Some(Product::exponential(exponent, value, levels))
            }
            Node::Unary(function @ (Unary::Sqrt | Unary::Rsqrt | Unary::Cbrt), a) => {
                let argument = self.term_product(a, false, levels)?;
                let degree = if function == Unary::Cbrt { 3 } else { 2 };
                if function != Unary::Rsqrt {
                    return argument.root(degree, value, levels);
                }
                let root = self.atoms.roots.inverse(*value, levels);
                argument.root(degree, &root, levels)?.power(-1)
            }
            Node::Unary(Unary::Abs, a) => {
                let argument = self.term_product(a, false, levels)?;
                Some(self.atoms.bases.base(self.atoms.seed, value, levels, Some(argument), true))
            }
            _ => None,
        }
    }

    /// Whether a term is 0.
    fn vanishes(&self, term: Term) -> bool {
        self.get(term, 1).is_zero()
    }

    /// `ln |value|`.
    pub(super) fn logarithm(&mut self, a: Term, value: &Value, levels: Levels) -> Value {
        if value.is_zero() {
            return Value { kind: Kind::Lost, ..Value::LOST };
        }
        // Exponents have residues where the product has.
        match self.term_product(a, false, levels | 1).filter(|product| levels & !product.levels == 0) {
            Some(product) => self.atoms.bases.logarithm(self.atoms.seed, &product, levels),
            None => Value::LOST,
        }
    }

    /// The root of a term, whose value has residues at all levels.
    pub(super) fn square_root(&mut self, a: Term, value: Value, levels: Levels) -> Value {
        if value.is_zero() {
            return Value::ZERO;
        }
        let product = self.term_product(a, false, 7).filter(|product| product.levels == 7);
        let root = product.and_then(|product| self.root_of(&product, levels));
        match root
            .or_else(|| self.opaque_product(&value, 7).and_then(|product| self.root_of(&product, levels)))
        {
            Some(root) => Value { chosen: value.chosen, ..root },
            None => Value::LOST,
        }
    }

    /// A positive constant.
    fn number(&self, exact: &Exact, levels: Levels) -> Option<Value> {
        let mut at = [ZERO; LEVELS];
        for (level, at) in at.iter_mut().enumerate().filter(|(level, _)| levels >> level & 1 == 1) {
            *at = constants::residue(self.atoms.seed, level, exact)?;
        }
        let range = exact.enclosure();
        let sample = (range.low() + range.high()) / 2.0;
        let degree = if exact.as_rational().is_some() { 0.0 } else { 4.0 };
        Some(Value { sample, sign: Sign::POSITIVE, degree: [degree, 0.0], ..Value::finite(at) })
    }

    fn root_of(&mut self, product: &Product, levels: Levels) -> Option<Value> {
        let (above, below) = product.coefficient;
        let number = BigRational::new(above.abs().into(), below.into());
        let number = Exact::rational(number).power(Ratio::new(1, 2))?;
        let mut root = self.number(&Exact::rational(number.coefficient().clone()), levels)?;
        for (factor, power) in number.factors() {
            let part = Exact::factor(*factor, *power)?;
            let value = self.number(&part, 7)?;
            let value = match factor {
                Factor::Prime(prime) if *power == Ratio::new(1, 2) => {
                    self.atoms.roots.of_prime(*prime, value.at, levels)
                }
                _ => value,
            };
            root = self.atoms.roots.times(root, value, levels);
        }
        root.sign = Sign::POSITIVE;
        let mut negative = above < 0;
        let mut open: Vec<u32> = Vec::new();
        // Whether the other factors are positive, so that the last one's sign is that of the whole.
        let mut alone = !negative && self.is_unconditional();
        for (base, power) in &product.factors {
            if !power.is_integer() {
                return None;
            }
            let value = self.atoms.bases.get(*base).value;
            if self.atoms.bases.get(*base).levels != 7 {
                return None;
            }
            let half = power.to_integer().div_euclid(2);
            alone &= half == 0 || value.sign.not_zero;
            if half != 0 {
                let mut part = if half % 2 == 0 { value } else { self.magnitude(value, 7) };
                if half < 0 {
                    part = self.atoms.roots.inverse(part, 7);
                }
                for _ in 0..half.unsigned_abs() {
                    root = self.atoms.roots.times(root, part, levels);
                }
            }
            if power.to_integer().rem_euclid(2) == 1 {
                if value.sign.not_negative || value.sign.not_positive {
                    let turned = !value.sign.not_negative;
                    negative ^= turned;
                    alone &= value.sign.is_positive();
                    let part = self.atoms.roots.root(*base, value, turned, levels);
                    root = self.atoms.roots.times(root, part, levels);
                } else {
                    open.push(*base);
                }
            }
        }
        match open.as_slice() {
            [] if negative => return None,
            [] => {}
            [base] => {
                let value = self.atoms.bases.get(*base).value;
                if alone {
                    self.atoms.bases.asked.insert(value.at[0]);
                }
                let part = self.atoms.roots.root(*base, value, negative, levels);
                root = self.atoms.roots.times(root, part, levels);
            }
            [first, rest @ ..] => {
                let own = open.iter().map(|base| self.atoms.bases.get(*base).value.at[0]);
                let own: Vec<Residue> = own.collect();
                self.atoms.bases.together.extend(own);
                let mut value = self.atoms.bases.get(*first).value;
                for base in rest {
                    let other = self.atoms.bases.get(*base).value;
                    value = self.atoms.roots.times(value, other, 7);
                }
                let base = self.atoms.bases.base(self.atoms.seed, &value, 7, None, true).factors[0].0;
                let part = self.atoms.roots.root(base, value, negative, levels);
                root = self.atoms.roots.times(root, part, levels);
            }
        }
        if let Some(exponent) = product.exponent {
            let part = self.exponential(exponent.scaled((1, 2), 7), levels);
            root = self.atoms.roots.times(root, part, levels);
        }
        Some(Value { at: by_level!(levels, L => root.at[L]), ..root })
    }
}
