//! What every constant of two kernels means, decided once for both.
//!
//! A meaning is a function of the value alone: equal constants mean the same in both kernels, and
//! a constant and its negation mean opposite numbers. A value that occurs in several formats is
//! judged by the most precise of them. What [`recovery`](super::recovery) leaves exact gets a
//! second chance: a constant that only one kernel has may be a product, quotient or reciprocal of
//! constants of the other (`0.3137·log₂ e` folded by a compiler).
//!
//! Guarantees: every reading other than the exact bits is in the ledger.
//! Misses: products of three constants; folding across more than one rounding per operation.

use super::exact::{Exact, Factor};
use super::recovery::{left_over, recover, rounds_to};
use crate::base::{Budget, Exhausted, Format};
use crate::decide::Options;
use crate::diag::{Assumption, Ledger};
use crate::term::eval::{Quantity, Reach, operands};
use crate::term::{Constant, Interval, Number, Term, Terms};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// What a constant stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A real number.
    Number(Exact),
    /// +∞.
    Infinity,
    /// -∞.
    MinusInfinity,
    /// Not a number, as floats have it.
    NotANumber,
    /// What was never written: whatever it reaches has no value.
    Unwritten,
    /// The condition that always holds.
    True,
    /// The condition that never holds.
    False,
}

impl Meaning {
    /// The exact value of the bits.
    fn of_number(number: &Number) -> Meaning {
        match number {
            Number::Rational(value) => Meaning::Number(Exact::rational(value.clone())),
            Number::Named(named) => Meaning::Number(Exact::named(*named)),
            Number::Infinity => Meaning::Infinity,
            Number::MinusInfinity => Meaning::MinusInfinity,
            Number::NotANumber => Meaning::NotANumber,
            Number::Unwritten => Meaning::Unwritten,
            Number::True => Meaning::True,
            Number::False => Meaning::False,
        }
    }
}

impl Meaning {
    /// The value for evaluation.
    pub fn quantity(&self) -> Quantity {
        match self {
            Meaning::Number(exact) => match exact.as_rational() {
                Some(rational) => Quantity::rational(rational),
                None => Quantity::Within(exact.enclosure()),
            },
            Meaning::Infinity => Quantity::Infinity,
            Meaning::MinusInfinity => Quantity::MinusInfinity,
            Meaning::NotANumber => Quantity::NotANumber,
            Meaning::Unwritten => Quantity::Undefined,
            Meaning::True => Quantity::Condition(true),
            Meaning::False => Quantity::Condition(false),
        }
    }
}

/// The meanings of the constants of (reference, optimized), indexed like their constant tables.
#[derive(Clone, Debug)]
pub struct Meanings {
    sides: [Vec<Meaning>; 2],
    names: [Vec<Option<String>>; 2],
    computed: [Vec<Computed>; 2],
    spreads: [Vec<Option<Spread>>; 2],
    /// Which kernels use a magnitude.
    used: BTreeMap<BigRational, [bool; 2]>,
}

/// A constant that a kernel computed from concrete numbers, as the hardware rounds them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Computed {
    /// Its index in the constant table.
    pub constant: usize,
    /// What the hardware gets.
    pub value: f64,
    /// How far the real number may be from that.
    pub error: f64,
}

impl std::fmt::Display for Computed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.error.is_finite() {
            return write!(f, "{} (by an unknown amount)", self.value);
        }
        write!(f, "{} (by up to {:.1e})", self.value, self.error)
    }
}

/// A rounded constant that some root uses.
struct Rounded {
    /// `None` when the same value also occurs as an exact number.
    format: Option<Format>,
    /// Uses in each kernel.
    uses: [u64; 2],
    /// The recovered meaning of the magnitude, and how it reads.
    meaning: Option<(Exact, String)>,
    /// The meaning came from constants of the other kernel.
    derived: bool,
}

/// Tables longer than this are data, not constants that mean something.
const MOST_CONSTANTS: usize = 10_000;
/// How many constants below 1 are multiplied with one another.
const MOST_RATES: usize = 6;
/// How many constants of one kernel are multiplied with one another.
const MOST_FACTORS: usize = 48;

impl Meanings {
    /// Reads the constants below `roots` of (reference, optimized); readings other than the exact
    /// bits go to the ledger.
    pub fn of(
        options: &Options,
        budget: &Budget,
        sides: [(&Terms, &[Term]); 2],
        ledger: &mut Ledger,
    ) -> Result<Meanings, Exhausted> {
        let mut values: BTreeMap<BigRational, Rounded> = BTreeMap::new();
        if !options.exact_constants {
            for (side, (terms, roots)) in sides.into_iter().enumerate() {
                collect(terms, &uses(terms, roots, budget)?, side, &mut values);
            }
            if values.len() <= MOST_CONSTANTS {
                read(&mut values, budget)?;
            }
        }
        for (value, rounded) in &values {
            if let (Some((_, text)), Some(format)) = (&rounded.meaning, rounded.format) {
                let assumption = Assumption::ConstantRecovered(literal(value, format), text.clone());
                ledger.note(assumption, rounded.uses[0] + rounded.uses[1], None);
            }
        }
        let names = sides.map(|(terms, _)| {
            terms.constants().iter().map(|constant| name(&constant.number, &values)).collect()
        });
        let computed = sides.map(|(terms, _)| computed(terms));
        let near_one = if options.exact_constants { Vec::new() } else { products_below_one(&values) };
        let spreads = sides.map(|(terms, _)| {
            let each = |constant| spread(options, constant, &values, &near_one);
            terms.constants().iter().map(each).collect()
        });
        let sides = sides.map(|(terms, _)| {
            terms.constants().iter().map(|constant| meaning(options, constant, &values)).collect()
        });
        let used = values.into_iter().map(|(value, rounded)| (value, rounded.uses.map(|uses| uses > 0)));
        Ok(Meanings { sides, names, computed, spreads, used: used.collect() })
    }

    /// Whether a kernel uses a number or its negation as a constant; no, where constants are read exactly.
    pub(super) fn is_used(&self, side: usize, value: &BigRational) -> bool {
        self.used.get(&value.abs()).is_some_and(|used| used[side])
    }

    pub(super) fn side_mut(&mut self, side: usize) -> &mut [Meaning] {
        &mut self.sides[side]
    }

    /// The meanings for one side: 0 is the reference, 1 the optimized kernel.
    pub fn side(&self, side: usize) -> &[Meaning] {
        &self.sides[side]
    }

    /// How a recovered constant reads (`log₂ e/√128`), for printing.
    pub fn name(&self, side: usize, constant: usize) -> Option<&str> {
        self.names[side].get(constant)?.as_deref()
    }

    /// The same as values for evaluation.
    pub fn quantities(&self, side: usize) -> Vec<Quantity> {
        self.sides[side].iter().map(Meaning::quantity).collect()
    }

    /// The same, where a rounded constant may be any number that its bits may stand for, and what a
    /// kernel computed from known numbers any that the hardware rounds to it. For differences and for
    /// equality up to rounding, never for equality.
    pub fn enclosures(&self, side: usize) -> Vec<Quantity> {
        let mut quantities = self.quantities(side);
        for ((quantity, spread), own) in quantities.iter_mut().zip(&self.spreads[side]).zip(1..) {
            let Some(Spread { bits, radius }) = spread else { continue };
            let around = bits.plus(Interval::new(-radius, *radius));
            *quantity = Quantity::Fixed(own, quantity.interval().map_or(around, |read| read.hull(around)));
        }
        quantities
    }

    /// The same, with every constant exactly as its bits are.
    pub fn as_written(&self, side: usize) -> Vec<Quantity> {
        let mut quantities = self.quantities(side);
        for (quantity, spread) in quantities.iter_mut().zip(&self.spreads[side]) {
            if let Some(Spread { bits, .. }) = spread {
                *quantity = Quantity::Within(*bits);
            }
        }
        quantities
    }

    /// Which constants of one side stand for numbers that may be others than their bits.
    pub fn spreads(&self, side: usize) -> &[Option<Spread>] {
        &self.spreads[side]
    }

    /// The constants of one side that were computed with rounding, ascending.
    pub fn computed(&self, side: usize) -> &[Computed] {
        &self.computed[side]
    }
}

/// What a constant may stand for: every number so near to its bits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    /// The number that its bits are.
    pub bits: Interval,
    /// How far others may be; ∞ where nothing is known.
    pub radius: f64,
}

/// What a constant may stand for, if that is more than the number of its bits: what its rounding allows,
/// what it was recognized as, and what was lost while it was computed.
fn spread(
    options: &Options,
    constant: &Constant,
    values: &BTreeMap<BigRational, Rounded>,
    near_one: &[(f64, u32)],
) -> Option<Spread> {
    let Number::Rational(value) = &constant.number else { return None };
    let bits = Interval::of_rational(value);
    let mut radius = constant.error();
    if !options.exact_constants {
        radius = radius.max(constant.slack());
        if let Some(format) = constant.rounded {
            radius = radius.max(left_over(&value.abs(), format)).max(left_of_one(value, format, near_one));
        }
        if let Meaning::Number(read) = meaning(options, constant, values)
            && read.as_rational() != Some(value)
        {
            radius = radius.max(read.enclosure().minus(bits).abs().high());
        }
    }
    (radius > 0.0).then_some(Spread { bits, radius })
}

/// The products of up to three constants between 1/2 and 1, and of how many: decay rates and their powers.
fn products_below_one(values: &BTreeMap<BigRational, Rounded>) -> Vec<(f64, u32)> {
    let half = BigRational::new(1.into(), 2.into());
    let between = values.range(half..BigRational::one()).filter(|(_, rounded)| rounded.format.is_some());
    let rates: Vec<f64> = between.filter_map(|(value, _)| value.to_f64()).take(MOST_RATES).collect();
    let mut products: Vec<(f64, u32)> = rates.iter().map(|rate| (*rate, 1)).collect();
    for count in 2..=3 {
        let shorter: Vec<f64> =
            products.iter().filter(|(_, of)| of + 1 == count).map(|(rate, _)| *rate).collect();
        products.extend(shorter.iter().flat_map(|a| rates.iter().map(move |b| (a * b, count))));
    }
    products
}

/// How far the number meant may be from a constant that is what one of these products leaves of 1, folded with
/// a rounding after every step: each step's is that of numbers near 1. 0 if it is none.
fn left_of_one(value: &BigRational, format: Format, products: &[(f64, u32)]) -> f64 {
    let unit = match format {
        Format::F32 => f64::from(f32::EPSILON) / 2.0,
        Format::F64 => f64::EPSILON / 2.0,
        _ => return 0.0,
    };
    let Some(size) = value.to_f64().map(f64::abs).filter(|size| *size < 0.5) else { return 0.0 };
    let off = |(product, count): &(f64, u32)| (1.0 - product - size).abs() <= 1.5 * unit * f64::from(*count);
    products
        .iter()
        .filter(|known| off(known))
        .map(|(_, count)| 1.5 * unit * f64::from(*count))
        .fold(0.0, f64::max)
}

/// The constants that were computed with rounding.
fn computed(terms: &Terms) -> Vec<Computed> {
    let rounded = terms.constants().iter().enumerate().filter(|(_, constant)| constant.error() > 0.0);
    rounded
        .filter_map(|(constant, known)| match &known.number {
            Number::Rational(value) => {
                Some(Computed { constant, value: value.to_f64()?, error: known.error() })
            }
            _ => None,
        })
        .collect()
}

/// The meaning of one table entry.
fn meaning(options: &Options, constant: &Constant, values: &BTreeMap<BigRational, Rounded>) -> Meaning {
    let recovered = match &constant.number {
        Number::Rational(value) if constant.is_limit() && options.in_range => {
            return if value.is_negative() { Meaning::MinusInfinity } else { Meaning::Infinity };
        }
        Number::Rational(value) if !values.is_empty() => values
            .get(&value.abs())
            .and_then(|rounded| rounded.meaning.as_ref())
            .map(|(exact, _)| if value.is_negative() { exact.negated() } else { exact.clone() }),
        _ => None,
    };
    recovered.map_or_else(|| Meaning::of_number(&constant.number), Meaning::Number)
}

/// How a number's text stands below a line: in brackets, unless it is one word.
fn below(text: &str) -> String {
    match text.chars().all(char::is_alphanumeric) {
        true => text.to_owned(),
        false => format!("({text})"),
    }
}

/// How one table entry reads, if it was recovered.
fn name(number: &Number, values: &BTreeMap<BigRational, Rounded>) -> Option<String> {
    let Number::Rational(value) = number else { return None };
    let (_, text) = values.get(&value.abs())?.meaning.as_ref()?;
    Some(if value.is_negative() { format!("-{text}") } else { text.clone() })
}

/// How often each constant is an operand below the roots.
fn uses(terms: &Terms, roots: &[Term], budget: &Budget) -> Result<Vec<u64>, Exhausted> {
    let mut uses = vec![0u64; terms.constants().len()];
    let mut count = |term: Term| {
        if let Some(constant) = term.as_constant() {
            uses[constant] += 1;
        }
    };
    roots.iter().for_each(|root| count(*root));
    let mut reader = terms.reader();
    for node in Reach::of(terms, roots, budget)?.nodes() {
        operands(&reader.node_at(node)).into_iter().flatten().for_each(&mut count);
    }
    Ok(uses)
}

fn collect(terms: &Terms, uses: &[u64], side: usize, values: &mut BTreeMap<BigRational, Rounded>) {
    for (constant, count) in terms.constants().iter().zip(uses) {
        let Number::Rational(value) = &constant.number else { continue };
        if *count == 0 || value.is_zero() || constant.is_limit() {
            continue;
        }
        let known = values.entry(value.abs()).or_insert(Rounded {
            format: constant.rounded,
            uses: [0, 0],
            meaning: None,
            derived: false,
        });
        known.uses[side] += count;
        known.format = match (known.format, constant.rounded) {
            (Some(a), Some(b)) => Some(if precise(b) > precise(a) { b } else { a }),
            _ => None,
        };
    }
}

/// More significand bits come later.
fn precise(format: Format) -> u32 {
    match format {
        Format::F64 => 53,
        Format::F32 | Format::Tf32 => 24,
        Format::F16 => 11,
        Format::Bf16 => 8,
        Format::E4m3 => 4,
        Format::E5m2 | Format::E3m2 => 3,
        Format::E2m3 => 4,
        Format::E2m1 => 2,
        Format::Ue8m0 => 1,
        // Not rounded: as precise as can be.
        _ => u32::MAX,
    }
}

/// Recovers values on their own, then as combinations of the other kernel's.
fn read(values: &mut BTreeMap<BigRational, Rounded>, budget: &Budget) -> Result<(), Exhausted> {
    for (value, rounded) in values.iter_mut() {
        budget.poll()?;
        rounded.meaning = rounded.format.and_then(|format| recover(value, format));
    }
    // The optimized kernel's first: what was derived is no basis for deriving the other way round.
    for side in [1, 0] {
        let factors = factors_of(values, 1 - side);
        for (value, rounded) in values.iter_mut() {
            budget.poll()?;
            let only_here = rounded.uses[side] > 0 && rounded.uses[1 - side] == 0;
            let format = rounded.format.filter(|format| matches!(format, Format::F32 | Format::F64));
            if let (true, None, Some(format)) = (only_here, &rounded.meaning, format) {
                rounded.meaning = combination(value, format, &factors);
                rounded.derived = rounded.meaning.is_some();
            }
        }
    }
    Ok(())
}

/// A constant of the other kernel: its bits, what it means, how it reads.
struct Operand {
    bits: Option<f64>,
    meaning: Exact,
    text: String,
}

/// The constants of one kernel, and the named numbers that compilers fold into them.
fn factors_of(values: &BTreeMap<BigRational, Rounded>, side: usize) -> Vec<Operand> {
    let of_side = values
        .iter()
        .filter(|(value, rounded)| rounded.uses[side] > 0 && !rounded.derived && !value.is_one());
    let mut factors: Vec<Operand> = of_side
        .take(MOST_FACTORS)
        .map(|(value, rounded)| {
            let (meaning, text) = rounded.meaning.clone().unwrap_or_else(|| {
                let float = value.to_f64().unwrap_or(f64::INFINITY);
                (Exact::rational(value.clone()), format!("{float}"))
            });
            Operand { bits: value.to_f64(), meaning, text }
        })
        .collect();
    for (factor, power, text) in
        [(Factor::Ln2, -1, "log₂ e"), (Factor::Ln2, 1, "ln 2"), (Factor::Ln10, 1, "ln 10")]
    {
        if let Some(meaning) = factor.to_the(power) {
            factors.push(Operand { bits: None, meaning, text: text.to_owned() });
        }
    }
    factors
}

/// The one reciprocal, product or quotient of two operands that rounds to `value`.
fn combination(value: &BigRational, format: Format, factors: &[Operand]) -> Option<(Exact, String)> {
    let target = value.to_f64()?;
    let mut found: Option<(Exact, String)> = None;
    let mut offer = |meaning: Option<Exact>, folded: Option<f64>, text: &dyn Fn() -> String| {
        // Far most combinations are far off: floats tell.
        let Some(meaning) = meaning else { return true };
        let interval = meaning.enclosure();
        if interval.high() < target * (1.0 - 1e-6) || interval.low() > target * (1.0 + 1e-6) {
            return true;
        }
        let as_folded = folded.is_some_and(|folded| match format {
            Format::F32 => f64::from(folded as f32) == target,
            _ => folded == target,
        });
        if !as_folded && !rounds_to(&meaning, value, format) {
            return true;
        }
        match &found {
            Some((known, _)) => *known == meaning,
            None => {
                found = Some((meaning, text()));
                true
            }
        }
    };
    for (at, a) in factors.iter().enumerate() {
        let reciprocal =
            offer(a.meaning.reciprocal(), a.bits.map(f64::recip), &|| format!("1/{}", below(&a.text)));
        if !reciprocal {
            return None;
        }
        for b in &factors[at..] {
            let both = a.bits.zip(b.bits);
            let product = offer(a.meaning.times(&b.meaning), both.map(|(a, b)| a * b), &|| {
                format!("{} · {}", a.text, b.text)
            });
            let over = |a: &Operand, b: &Operand| b.meaning.reciprocal().and_then(|b| a.meaning.times(&b));
            let quotient =
                offer(over(a, b), both.map(|(a, b)| a / b), &|| format!("{}/{}", a.text, below(&b.text)));
            let inverse =
                offer(over(b, a), both.map(|(a, b)| b / a), &|| format!("{}/{}", b.text, below(&a.text)));
            if !(product && quotient && inverse) {
                return None;
            }
        }
    }
    found
}

/// A constant as its bits and its value: `0f3FB8AA3B = 1.442695`.
fn literal(value: &BigRational, format: Format) -> String {
    let float = value.to_f64().unwrap_or(f64::INFINITY);
    match format {
        Format::F32 | Format::Tf32 => format!("0f{:08X} = {}", (float as f32).to_bits(), float as f32),
        Format::F64 => format!("0d{:016X} = {float}", float.to_bits()),
        _ => format!("{float} ({format})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_pair(
        options: &Options,
        reference: &[(Format, u64)],
        optimized: &[(Format, u64)],
    ) -> ([Vec<Meaning>; 2], Vec<String>) {
        let mut stores = [Terms::new(), Terms::new()];
        let mut roots = [Vec::new(), Vec::new()];
        for (side, constants) in [reference, optimized].into_iter().enumerate() {
            for (format, bits) in constants {
                let constant = stores[side].number(*format, *bits);
                roots[side].push(stores[side].mul(Term::element(0), constant));
            }
        }
        let mut ledger = Ledger::default();
        let sides = [(&stores[0], roots[0].as_slice()), (&stores[1], roots[1].as_slice())];
        let meanings = Meanings::of(options, &Budget::default(), sides, &mut ledger).unwrap();
        let of = |side: usize| meanings.side(side)[7..].to_vec();
        (
            [of(0), of(1)],
            ledger.entries().map(|(assumption, noted)| format!("{assumption:?} {}", noted.count)).collect(),
        )
    }

    fn single(value: f32) -> (Format, u64) {
        (Format::F32, u64::from(value.to_bits()))
    }

    fn text(meaning: &Meaning) -> String {
        let Meaning::Number(exact) = meaning else { panic!("{meaning:?}") };
        exact.to_string()
    }

    #[test]
    fn recoveries_are_noted_and_can_be_turned_off() {
        let log2e = single(std::f32::consts::LOG2_E);
        let (meanings, ledger) = read_pair(&Options::default(), &[log2e], &[log2e]);
        assert_eq!(text(&meanings[0][0]), "log₂ e");
        assert_eq!(meanings[0], meanings[1]);
        assert_eq!(ledger, [r#"ConstantRecovered("0f3FB8AA3B = 1.442695", "log₂ e") 2"#]);
        let exact = Options { exact_constants: true, ..Options::default() };
        let (meanings, ledger) = read_pair(&exact, &[log2e], &[log2e]);
        assert_eq!(text(&meanings[0][0]), "12102203/8388608");
        assert_eq!(ledger.len(), 0);
    }

    #[test]
    fn one_value_has_one_meaning_in_both_formats() {
        let third = (Format::F16, 0x3555);
        let same = single(1365.0 / 4096.0);
        let (meanings, _) = read_pair(&Options::default(), &[third], &[same]);
        assert_eq!(meanings[0], meanings[1]);
        assert_eq!(text(&meanings[0][0]), "1365/4096");
        let (meanings, _) = read_pair(&Options::default(), &[third], &[single(1.0 / 3.0)]);
        assert_eq!(meanings[0], meanings[1]);
        assert_eq!(text(&meanings[0][0]), "1/3");
    }

    #[test]
    fn signs_go_along() {
        let (meanings, _) = read_pair(&Options::default(), &[single(-0.1)], &[single(0.1)]);
        assert_eq!(text(&meanings[0][0]), "-1/10");
        assert_eq!(text(&meanings[1][0]), "1/10");
    }

    #[test]
    fn products_of_the_other_kernels_constants() {
        let scale = 0.313_734_63f32;
        let folded = single((f64::from(scale) * std::f64::consts::LOG2_E) as f32);
        let (meanings, ledger) = read_pair(&Options::default(), &[single(scale)], &[folded]);
        let Meaning::Number(product) = &meanings[1][0] else { panic!() };
        assert_eq!(product.factors().len(), 1);
        assert_eq!(product.coefficient(), &BigRational::from_float(scale).unwrap());
        assert_eq!(ledger.len(), 1);
        // Three units off is not the product, whichever of the two is read freely.
        let off = single(f32::from_bits(folded.1 as u32 + 3));
        let (meanings, ledger) = read_pair(&Options::default(), &[single(scale)], &[off]);
        assert_eq!(text(&meanings[1][0]), "15187523/33554432");
        assert_eq!(ledger.len(), 0);
    }

    #[test]
    fn a_reciprocal_of_the_other_kernels_constant() {
        let scale = 0.313_734_63f32;
        let (meanings, _) = read_pair(&Options::default(), &[single(scale)], &[single(scale.recip())]);
        let Meaning::Number(value) = &meanings[1][0] else { panic!() };
        assert_eq!(value.coefficient(), &BigRational::from_float(scale).unwrap().recip());
    }
}
