//! Numbers as products of powers: what logarithms and roots need to know of their arguments.
//!
//! A [`Product`] is `coefficient · Π base^k · e^exponent`, and equal to the value that it belongs to. A
//! *base* is known by its residues: an element, an atom, or a sum divided by its *leading summand*. That
//! summand is found by giving every base and every exponent a random real weight: of two products the one
//! with the larger total leads, which a common factor does not change. So `Σ e^x`, `e^m·Σ e^(x-m)` and the
//! same merged from tiles have one base and differ in the exponent alone, and so have `Σ (x/m)²` and
//! `m⁻²·Σ x²`.
//!
//! Guarantees: a product is equal to its value, whatever the weights. Weights, and the reals that they are
//! made of, only choose among true ways to write a value.
//! Misses: where leading summands cancel, the whole value is its own base, but for sums of quotients
//! ([`heads`](super::heads)); sums are not factored.

use super::constants::{LOG, LOG_OF_PRIME};
use super::field::{self, LEVELS, ONE, Residue, ZERO};
use super::heads::Heads;
use super::value::{Levels, Sign, Value, by_level};
use num_rational::Ratio;
use rustc_hash::{FxHashMap, FxHashSet};

/// Factors that a product may have; what has more is a base.
const MOST_FACTORS: usize = 32;
/// Powers of one base that leading summands are multiplied by.
const MOST_LIFTED: i32 = 8;
/// Primes below this are told apart in the logarithm of a coefficient.
const LARGEST_PRIME: i128 = 1 << 10;
/// Weights closer than this are looked at as residues.
pub(super) const TIE: f64 = 1e-9;

#[derive(Clone, Debug)]
pub(super) struct Product {
    /// Reduced, not zero, with a positive denominator.
    pub(super) coefficient: (i128, i128),
    /// By base, with powers that are not zero.
    pub(super) factors: Vec<(u32, Ratio<i32>)>,
    pub(super) exponent: Option<Value>,
    /// Without the coefficient.
    pub(super) at: [Residue; LEVELS],
    /// Where it has residues.
    pub(super) levels: Levels,
    /// A bound on its degree.
    pub(super) degree: f32,
    weight: f64,
}

impl Product {
    pub(super) fn constant(coefficient: (i128, i128)) -> Product {
        Product {
            coefficient,
            factors: Vec::new(),
            exponent: None,
            at: [ONE; LEVELS],
            levels: 7,
            degree: 0.0,
            weight: 0.0,
        }
    }

    /// `e^exponent`, which has those residues.
    pub(super) fn exponential(exponent: Value, power: &Value, levels: Levels) -> Product {
        Product {
            at: power.at,
            levels,
            degree: power.degree[0],
            weight: exponent.sample,
            exponent: Some(exponent),
            ..Product::constant((1, 1))
        }
    }

    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// Whether it is a constant multiple of another.
    pub(super) fn is_multiple_of(&self, other: &Product) -> bool {
        self.at[0] == other.at[0]
    }

    /// Adds a multiple of it.
    pub(super) fn add(&mut self, other: &Product) -> Option<()> {
        let ((a, b), (c, d)) = (self.coefficient, other.coefficient);
        let above = a.checked_mul(d)?.checked_add(c.checked_mul(b)?)?;
        self.coefficient = if above == 0 { (0, 1) } else { reduced(above, b.checked_mul(d)?)? };
        self.levels &= other.levels;
        Some(())
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.coefficient.0 == 0
    }

    pub(super) fn negated(mut self) -> Product {
        self.coefficient.0 = -self.coefficient.0;
        self
    }

    pub(super) fn times(&self, other: &Product) -> Option<Product> {
        let mut factors: Vec<(u32, Ratio<i32>)> =
            Vec::with_capacity(self.factors.len() + other.factors.len());
        let (mut a, mut b) = (self.factors.as_slice(), other.factors.as_slice());
        while let Some(next) = a.first().into_iter().chain(b.first()).map(|factor| factor.0).min() {
            let mut power = Ratio::from_integer(0);
            for side in [&mut a, &mut b] {
                if let Some((factor, rest)) = side.split_first().filter(|(factor, _)| factor.0 == next) {
                    power = sum(power, factor.1)?;
                    *side = rest;
                }
            }
            if *power.numer() != 0 {
                factors.push((next, power));
            }
        }
        let exponent = match (self.exponent, other.exponent) {
            (Some(a), Some(b)) => Some(a.plus(b, 7)).filter(|sum| sum.at[0] != ZERO),
            (a, b) => a.or(b),
        };
        let levels = self.levels & other.levels;
        (factors.len() <= MOST_FACTORS).then_some(())?;
        Some(Product {
            coefficient: reduced(
                self.coefficient.0.checked_mul(other.coefficient.0)?,
                self.coefficient.1.checked_mul(other.coefficient.1)?,
            )?,
            factors,
            exponent,
            at: by_level!(levels, L => field::multiply(L, self.at[L], other.at[L])),
            levels,
            degree: self.degree + other.degree,
            weight: self.weight + other.weight,
        })
    }

    /// To a whole power.
    pub(super) fn power(&self, power: i32) -> Option<Product> {
        let by = Ratio::from_integer(power);
        let count = power.unsigned_abs();
        let (above, below) = (self.coefficient.0.checked_pow(count)?, self.coefficient.1.checked_pow(count)?);
        let mut at = [ZERO; LEVELS];
        for (level, at) in at.iter_mut().enumerate().filter(|(level, _)| self.levels >> level & 1 == 1) {
            let base = if power < 0 { field::invert(level, self.at[level])? } else { self.at[level] };
            *at = field::power(level, base, count.into());
        }
        if power == 0 {
            return Some(Product::constant((1, 1)));
        }
        let scaled = |(base, own): &(u32, Ratio<i32>)| Some((*base, product(*own, by)?));
        Some(Product {
            coefficient: if power < 0 { reduced(below, above)? } else { (above, below) },
            factors: self.factors.iter().map(scaled).collect::<Option<_>>()?,
            exponent: self.exponent.map(|exponent| exponent.scaled((power.into(), 1), 7)),
            at,
            levels: self.levels,
            degree: self.degree * count as f32,
            weight: self.weight * f64::from(power),
        })
    }

    /// Its positive root of a degree, if the coefficient has one; `root` has its residues.
    pub(super) fn root(&self, degree: i32, root: &Value, levels: Levels) -> Option<Product> {
        let whole = |n: i128| {
            let guess = (n as f64).powf(1.0 / f64::from(degree)).round() as i128;
            (guess.checked_pow(degree as u32) == Some(n)).then_some(guess)
        };
        let coefficient = (whole(self.coefficient.0)?, whole(self.coefficient.1)?);
        let by = Ratio::new(1, degree);
        let scaled = |(base, own): &(u32, Ratio<i32>)| Some((*base, product(*own, by)?));
        let mut at = [ZERO; LEVELS];
        for (level, at) in at.iter_mut().enumerate().filter(|(level, _)| levels >> level & 1 == 1) {
            *at = field::multiply(level, root.at[level], inverse_of(level, coefficient)?);
        }
        Some(Product {
            coefficient,
            factors: self.factors.iter().map(scaled).collect::<Option<_>>()?,
            exponent: self.exponent.map(|exponent| exponent.scaled((1, degree.into()), 7)),
            at,
            levels,
            degree: root.degree[0] + root.degree[1],
            weight: self.weight / f64::from(degree),
        })
    }

    /// The leading summand of a sum, from those of its two parts; `None` if they cancel.
    pub(super) fn leading(self, other: Product) -> Option<Product> {
        let gap = self.weight - other.weight;
        if gap.abs() <= TIE * (1.0 + self.weight.abs()) && self.is_multiple_of(&other) {
            let mut sum = self;
            sum.add(&other)?;
            return Some(sum).filter(|sum| !sum.is_nothing());
        }
        Some(if gap > 0.0 || gap == 0.0 && self.at[0] > other.at[0] { self } else { other })
    }

    /// A value over this product, at its levels.
    pub(super) fn divide(&self, value: &Value) -> Option<[Residue; LEVELS]> {
        let mut rest = [ZERO; LEVELS];
        for (level, rest) in rest.iter_mut().enumerate().filter(|(level, _)| self.levels >> level & 1 == 1) {
            let below = field::invert(level, self.at[level])?;
            let below = field::multiply(level, below, inverse_of(level, self.coefficient)?);
            *rest = field::multiply(level, value.at[level], below);
        }
        Some(rest)
    }
}

/// What a value is divided by.
#[derive(Clone, Default)]
pub(super) struct Divisor {
    /// Whole powers of bases, below 0.
    pub(super) factors: Vec<(u32, Ratio<i32>)>,
    /// A bound on the degree of what is divided, and whether that is known to be no quotient.
    pub(super) degree: f32,
    pub(super) plain: bool,
    /// The leading summands of what is divided, if they are asked for.
    pub(super) heads: Option<Heads>,
}

impl Divisor {
    /// Of a value that is divided by nothing that is known.
    pub(super) fn none(value: &Value) -> Divisor {
        let [above, below] = value.degree;
        Divisor { factors: Vec::new(), degree: above + below, plain: below == 0.0, heads: None }
    }
}

impl Divisor {
    pub(super) fn negated(self) -> Divisor {
        Divisor { heads: self.heads.map(Heads::negated), ..self }
    }
}

fn sum(a: Ratio<i32>, b: Ratio<i32>) -> Option<Ratio<i32>> {
    num_traits::CheckedAdd::checked_add(&a, &b)
}

fn product(a: Ratio<i32>, b: Ratio<i32>) -> Option<Ratio<i32>> {
    num_traits::CheckedMul::checked_mul(&a, &b)
}

fn reduced(above: i128, below: i128) -> Option<(i128, i128)> {
    let common = num_integer::gcd(above, below);
    let (above, below) = (above.checked_div(common)?, below.checked_div(common)?);
    Some(if below < 0 { (above.checked_neg()?, below.checked_neg()?) } else { (above, below) })
}

/// One over a fraction.
fn inverse_of(level: usize, (above, below): (i128, i128)) -> Option<Residue> {
    if (above, below) == (1, 1) {
        return Some(ONE);
    }
    let inverse = field::invert(level, [field::integer(level, above); field::LANES])?;
    Some(field::multiply(level, inverse, [field::integer(level, below); field::LANES]))
}

/// What products are made of.
pub(super) struct Base {
    /// It, with its residues at some levels.
    pub(super) value: Value,
    pub(super) levels: Levels,
    /// It is the magnitude of this product: |x| for x.
    size_of: Option<Product>,
    weight: f64,
    /// Its leading summands, if they are known.
    heads: Option<Heads>,
}

/// The bases of both kernels.
#[derive(Default)]
pub(super) struct Bases {
    list: Vec<Base>,
    known: FxHashMap<Residue, u32>,
    /// Products of values that were split.
    split: FxHashMap<Residue, Product>,
    /// What is met now may be undefined where its branch is not taken: its sign says nothing of the same function
    /// elsewhere.
    pub(super) doubtful: bool,
    /// Bases that are taken not to be negative; and those whose roots were asked, wherever they count, so that
    /// this may be assumed.
    pub(super) assumed: FxHashSet<Residue>,
    pub(super) asked: FxHashSet<Residue>,
    /// Bases of unknown sign that stood together below one root.
    pub(super) together: FxHashSet<Residue>,
}

impl Bases {
    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, base: u32) -> &Base {
        &self.list[base as usize]
    }

    /// The product that a value is, if one that has it was split.
    pub(super) fn split(&self, value: &Value, levels: Levels) -> Option<Product> {
        self.split.get(&value.at[0]).filter(|known| levels & !known.levels == 0).cloned()
    }

    pub(super) fn keep_split(&mut self, value: &Value, product: &Product) {
        self.split.entry(value.at[0]).or_insert_with(|| product.clone());
    }

    /// A value as a product of one base.
    pub(super) fn base(
        &mut self,
        seed: [u64; 2],
        value: &Value,
        levels: Levels,
        size_of: Option<Product>,
        leads: bool,
    ) -> Product {
        let next = self.list.len() as u32;
        let id = *self.known.entry(value.at[0]).or_insert(next);
        let weight = if leads { field::random_real(seed, LOG | u64::from(id)) } else { 0.0 };
        if id == next {
            let mut value = *value;
            if self.doubtful {
                value.sign = Sign::default();
            }
            value.sign.not_negative |= self.assumed.contains(&value.at[0]);
            self.list.push(Base { value, levels, size_of, weight, heads: None });
            self.list[id as usize].heads = leads.then(|| Heads::of(self.of_base(id)));
        } else if levels & !self.list[id as usize].levels != 0 {
            let base = &mut self.list[id as usize];
            base.value = Value { sign: base.value.sign, ..*value };
            base.levels = levels;
        }
        Product { at: value.at, levels, ..self.of_base(id) }
    }

    /// A base as a product.
    fn of_base(&self, id: u32) -> Product {
        let Base { value, levels, weight, .. } = self.get(id);
        Product {
            factors: vec![(id, Ratio::from_integer(1))],
            at: value.at,
            levels: *levels,
            degree: value.degree[0] + value.degree[1],
            weight: *weight,
            ..Product::constant((1, 1))
        }
    }

    /// Keeps the leading summands of the only base of a product.
    pub(super) fn keep_heads(&mut self, product: &Product, heads: Option<Heads>) {
        if let [(base, _)] = product.factors[..] {
            let own = &mut self.list[base as usize].heads;
            *own = own.take().or(heads);
        }
    }

    /// Leading summands, multiplied by a power of a base.
    fn lifted(&self, heads: Heads, base: u32, times: Ratio<i32>) -> Option<Heads> {
        (times.is_integer() && times.to_integer() <= MOST_LIFTED).then_some(())?;
        let own = self.get(base).heads.as_ref();
        (0..times.to_integer()).try_fold(heads, |all, _| all.times(own?))
    }

    /// Even powers of |x| as powers of x.
    pub(super) fn settled(&self, mut product: Product) -> Option<Product> {
        let even = |base: u32, power: Ratio<i32>| {
            let square = power.is_integer() && power.to_integer().abs() >= 2;
            let size = square.then(|| self.get(base)).filter(|size| size.size_of.is_some())?;
            Some((base, power.to_integer() / 2 * 2, size))
        };
        while let Some((base, power, size)) =
            product.factors.iter().find_map(|(base, power)| even(*base, *power))
        {
            let own = self.of_base(base);
            let other = size.size_of.as_ref()?.power(power)?;
            product = product.times(&own.power(-power)?)?.times(&other)?;
        }
        Some(product)
    }

    /// A bound on the degree of a product.
    pub(super) fn degree(&self, product: &Product) -> f32 {
        let of_base = |(base, power): &(u32, Ratio<i32>)| {
            let [above, below] = self.get(*base).value.degree;
            (*power.numer() as f32 / *power.denom() as f32).abs().ceil() * (above + below)
        };
        let exponent = product.exponent.map_or(0.0, |own| 1.0 + own.degree[0] + own.degree[1]);
        product.factors.iter().map(of_base).sum::<f32>() + exponent
    }

    /// What a product is divided by.
    pub(super) fn divisor(&self, product: &Product, asked: bool) -> Option<Divisor> {
        let (factors, above): (Vec<_>, Vec<_>) =
            product.factors.iter().copied().partition(|(_, power)| *power.numer() < 0);
        let whole = factors.iter().all(|(_, power)| power.is_integer());
        let plain = above.iter().all(|(base, _)| self.get(*base).value.degree[1] == 0.0);
        let heads = asked.then(|| self.heads_of(product, &above)).flatten();
        let degree = self.degree(&Product { factors: above, ..product.clone() });
        whole.then_some(Divisor { factors, degree, plain, heads })
    }

    /// The leading summands of a product without what it is divided by.
    fn heads_of(&self, product: &Product, above: &[(u32, Ratio<i32>)]) -> Option<Heads> {
        let contrary: Vec<_> = product.factors.iter().map(|(base, power)| (*base, -power)).collect();
        let plain = product.times(&self.of_factors(&contrary)?)?;
        let whole = above.iter().filter(|(_, power)| power.is_integer());
        whole.into_iter().try_fold(Heads::of(plain), |heads, (base, power)| self.lifted(heads, *base, *power))
    }

    /// What two values are divided by together: their product, or their sum over what both divide.
    pub(super) fn common_divisor(&self, a: &Divisor, b: &Divisor, product: bool) -> Option<Divisor> {
        let mut factors = a.factors.clone();
        for (base, power) in &b.factors {
            match factors.iter_mut().find(|(known, _)| known == base) {
                Some((_, known)) => *known = if product { sum(*known, *power)? } else { *power.min(known) },
                None => factors.push((*base, *power)),
            }
        }
        factors.sort_unstable();
        (factors.len() <= MOST_FACTORS).then_some(())?;
        let plain = a.plain && b.plain;
        let pair = a.heads.as_ref().zip(b.heads.as_ref());
        if product {
            let heads = pair.and_then(|(a, b)| a.times(b)?.settled(|product| self.settled(product)));
            let whole = Divisor { factors, degree: a.degree + b.degree, plain, heads };
            return self.settled_divisor(whole);
        }
        // What each is multiplied by.
        let more = |own: &Divisor, base: u32, power: Ratio<i32>| {
            let known = own.factors.iter().find(|(known, _)| *known == base);
            known.map_or(Ratio::from_integer(0), |known| known.1) - power
        };
        let [one, two] = [a, b].map(|own| {
            let lifted = factors.iter().map(|(base, power)| {
                let [above, below] = self.get(*base).value.degree;
                more(own, *base, *power).to_integer() as f32 * (above + below)
            });
            own.degree + lifted.sum::<f32>()
        });
        let lifted = |own: &Divisor, heads: &Heads| {
            let mut all = factors.iter();
            all.try_fold(heads.clone(), |heads, (base, power)| {
                self.lifted(heads, *base, more(own, *base, *power))
            })
        };
        let heads = pair.and_then(|(x, y)| lifted(a, x)?.plus(&lifted(b, y)?));
        let degree = if plain { one.max(two) } else { one + two };
        Some(Divisor { factors, degree, plain, heads })
    }

    /// Even powers of |x| as powers of x.
    fn settled_divisor(&self, whole: Divisor) -> Option<Divisor> {
        let is_size =
            |(base, power): &(u32, Ratio<i32>)| *power.numer() <= -2 && self.get(*base).size_of.is_some();
        if whole.heads.is_none() || !whole.factors.iter().any(is_size) {
            return Some(whole);
        }
        let own = self.divisor(&self.settled(self.of_factors(&whole.factors)?)?, true)?;
        let heads = whole.heads.zip(own.heads).and_then(|(one, two)| one.times(&two));
        Some(Divisor { heads, degree: whole.degree + own.degree, plain: whole.plain && own.plain, ..own })
    }

    /// The product of powers of bases; `None` if that is too long.
    pub(super) fn of_factors(&self, factors: &[(u32, Ratio<i32>)]) -> Option<Product> {
        let mut all = Product::constant((1, 1));
        for (base, power) in factors.iter().filter(|(_, power)| power.is_integer()) {
            let own = self.of_base(*base);
            all = all.times(&own.power(power.to_integer())?)?;
        }
        Some(all)
    }

    /// What is known of the sign of a product.
    pub(super) fn sign(&self, product: &Product) -> Sign {
        let mut sign = Sign::of(product.coefficient.0.signum() as i64);
        for (base, power) in &product.factors {
            let own = self.get(*base).value.sign;
            sign = sign.times(match (power.is_integer(), power.numer() % 2 == 0) {
                (true, true) => Sign { not_zero: own.not_zero, ..Sign::NOT_NEGATIVE },
                (true, false) => own,
                (false, _) => Sign { not_zero: own.not_zero, ..Sign::NOT_NEGATIVE },
            });
        }
        sign
    }

    /// `ln |product|`: for every base a variable, for the coefficient one for each prime, and the exponent.
    pub(super) fn logarithm(&self, seed: [u64; 2], product: &Product, levels: Levels) -> Value {
        let mut sum = product.exponent.unwrap_or(Value::finite([ZERO; LEVELS]));
        let mut open: Vec<(&Product, Ratio<i64>)> = vec![(product, Ratio::from_integer(1))];
        while let Some((product, times)) = open.pop() {
            for (base, power) in &product.factors {
                let power = times * Ratio::new(i64::from(*power.numer()), i64::from(*power.denom()));
                let log = match &self.get(*base).size_of {
                    Some(other) => {
                        open.push((other, power));
                        if let Some(exponent) = other.exponent {
                            let part = exponent.scaled((*power.numer(), *power.denom()), levels);
                            sum = sum.plus(part, levels);
                        }
                        continue;
                    }
                    None => free(seed, LOG | u64::from(*base), levels),
                };
                sum = sum.plus(log.scaled((*power.numer(), *power.denom()), levels), levels);
            }
            for (number, sign) in [(product.coefficient.0, 1), (product.coefficient.1, -1)] {
                let mut rest = number.unsigned_abs() as i128;
                let mut prime = 2;
                while rest > 1 {
                    if prime > LARGEST_PRIME || prime * prime > rest {
                        prime = rest;
                    }
                    let mut count = 0;
                    while rest % prime == 0 {
                        rest /= prime;
                        count += sign;
                    }
                    if count != 0 {
                        let power = times * Ratio::from_integer(count);
                        let log = log_of_prime(seed, prime, levels);
                        sum = sum.plus(log.scaled((*power.numer(), *power.denom()), levels), levels);
                    }
                    prime += 1;
                }
            }
        }
        sum.with_sign(Sign::default())
    }
}

fn free(seed: [u64; 2], name: u64, levels: Levels) -> Value {
    let at = by_level!(levels, L => field::random_residue(seed, L, name));
    Value::unknown(at, field::random_real(seed, name))
}

/// ln 2 is 1/λ, ln 5 is ln 10 - ln 2; those of other primes, and of numbers that are not taken apart, are
/// variables.
fn log_of_prime(seed: [u64; 2], number: i128, levels: Levels) -> Value {
    let two = |level: usize| field::invert(level, super::constants::lambda(seed, level));
    match number {
        2 => {
            let at = by_level!(levels, L => two(L).unwrap_or(ZERO));
            Value::unknown(at, std::f64::consts::LN_2)
        }
        5 => {
            let ten = by_level!(levels, L => super::constants::ln_10(seed, L));
            Value::unknown(ten, std::f64::consts::LN_10).minus(log_of_prime(seed, 2, levels), levels)
        }
        _ => {
            // All of the number goes into the points: no two share a variable.
            let (low, high) = (number as u64, (number >> 64) as u64);
            let own = field::random(seed, low);
            free([own, field::random([seed[1], own], high)], LOG_OF_PRIME, levels)
        }
    }
}
