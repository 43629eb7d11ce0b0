//! Fingerprints: terms evaluated in prime fields, with exp as a homomorphism.
//!
//! Every element gets a random value modulo a prime p, an independent one modulo q, where
//! p = 2q + 1 is prime too, and a random real. Sums, products and quotients are computed modulo
//! both. 2 generates the subgroup of order q of the field of p, so `2^h` is `2^(h mod q) mod p`: it
//! turns sums modulo q into products modulo p, and `2^1` is 2. `e^h` is `2^(h·λ)`, where λ is the
//! value of log₂ e modulo q and ln 2 is its inverse, so that `e^(ln 2)` is 2 as well. What depends
//! on the order of the reals (max, |x|, if) follows the real values: around a point without ties
//! a term *is* the branch taken there, so equal functions still have equal fingerprints.
//!
//! What differs is found with them, part by part (`witness/contrast`).
//!
//! Guarantees: if two terms are the same function, and both have fingerprints, these are equal.
//! Equal fingerprints make equal functions likely (up to the chance of hitting a root: about
//! degree / 2^61), and prove nothing.
//! Misses: no fingerprint for logarithms, sin, cos, erf, roots of anything but constants, roundings and
//! bits, nested exponentials, ln 10 inside an exponent, ties.
//! Source: *Equivalence Checking of ML GPU Kernels*, §5; Schwartz and Zippel for the chance.

use super::constants::{Exact, Factor, Meaning};
use crate::base::{Budget, Exhausted, Format, FormatClass};
use crate::term::eval::{Cone, Domain, Quantity, Reals, evaluate, operands, with_operands};
use crate::term::flatten::Part;
use crate::term::{Node, Term, Terms, Unary};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::{BigRational, Ratio};
use num_traits::{One, ToPrimitive};
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::LazyLock;

/// The order of the subgroup: a prime, 3 modulo 4, in whose field 2, 3, 5, 7, 11 and 13 are squares.
const Q: u64 = 2_305_843_009_213_497_599;
/// The field: `2·Q + 1`, a prime with the same properties.
const P: u64 = 4_611_686_018_426_995_199;

/// Digests of all parts of a term: fingerprints where there are some, and a hash of operation and
/// operands elsewhere. Equal parts that are written differently may have different digests then.
pub(super) struct Digests {
    cone: Cone,
    values: Values,
}

impl Digests {
    pub(super) fn of(
        terms: &Terms,
        root: Term,
        meanings: &[Meaning],
        seed: u64,
        budget: &Budget,
    ) -> Result<Digests, Exhausted> {
        let cone = Cone::of(terms, &[root], budget)?;
        let values = evaluate_in_fields(terms, &cone, meanings, seed, true, budget)?;
        Ok(Digests { cone, values })
    }

    /// The digest of a part of the term.
    pub(super) fn part(&self, terms: &Terms, part: Part) -> u64 {
        match (part, terms.node(part.term())) {
            (Part::Product(_), Node::Fma(a, b, _)) => multiply(self.term(a), self.term(b), P),
            _ => self.term(part.term()),
        }
    }

    /// The digest of the reciprocal.
    pub(super) fn reciprocal(digest: u64) -> u64 {
        invert(digest, P).unwrap_or(0)
    }

    fn term(&self, term: Term) -> u64 {
        let value = match term.as_node() {
            Some(node) => self.cone.step_of(node).map(|step| self.values.steps[step]),
            None => Some(self.values.leaf(term)),
        };
        value.and_then(|value| value.p).unwrap_or(0)
    }
}

/// The values of the steps of a cone, and of its leaves.
struct Values {
    seed: u64,
    steps: Vec<Value>,
    constants: Vec<(Option<u64>, Option<u64>)>,
}

impl Values {
    fn leaf(&self, term: Term) -> Value {
        let (p, q) = match (term.as_element(), term.as_constant()) {
            (Some(element), _) => element_residues(self.seed, element),
            (_, Some(constant)) => self.constants.get(constant).copied().unwrap_or((None, None)),
            _ => (None, None),
        };
        Value { p, q, real: Quantity::Unknown }
    }
}

fn evaluate_in_fields(
    terms: &Terms,
    cone: &Cone,
    meanings: &[Meaning],
    seed: u64,
    total: bool,
    budget: &Budget,
) -> Result<Values, Exhausted> {
    let quantities: Vec<Quantity> = meanings.iter().map(Meaning::quantity).collect();
    let element = |element: u32| real_value(seed, element, terms.element_format(element));
    let residues = |meaning: &Meaning| match constant(seed, meaning) {
        (None, None) if total => (Some(hash(&format!("{meaning:?}")) % P), Some(hash(&"q") % Q)),
        residues => residues,
    };
    let fields = Fields {
        terms,
        seed,
        total,
        constants: meanings.iter().map(residues).collect(),
        reals: Reals { element: &element, constants: &quantities },
        lambda: modulo_q(seed, LAMBDA),
    };
    let mut steps = Vec::new();
    evaluate(cone, &fields, budget, &mut steps)?;
    Ok(Values { seed, steps, constants: fields.constants })
}

fn hash(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    random(1, hasher.finish())
}

/// Names of random values that are no elements.
const LAMBDA: u64 = 1 << 40;
const NAMED: u64 = 1 << 41;

/// A value in both fields (where it has one) and on the real line.
#[derive(Clone, Copy, Debug)]
struct Value {
    p: Option<u64>,
    q: Option<u64>,
    real: Quantity,
}

struct Fields<'a> {
    terms: &'a Terms,
    seed: u64,
    /// Give every node a value, a hash where there is no fingerprint.
    total: bool,
    constants: Vec<(Option<u64>, Option<u64>)>,
    reals: Reals<'a>,
    /// log₂ e modulo q.
    lambda: u64,
}

impl Domain for Fields<'_> {
    type Value = Value;

    fn element(&self, element: u32) -> Value {
        let (p, q) = element_residues(self.seed, element);
        Value { p, q, real: self.reals.element(element) }
    }

    fn constant(&self, constant: usize) -> Value {
        let (p, q) = self.constants.get(constant).copied().unwrap_or((None, None));
        Value { p, q, real: self.reals.constant(constant) }
    }

    #[inline(always)]
    fn node(&self, node: &Node, value: impl Fn(Term) -> Value) -> Value {
        let mut result = self.strict(node, &value);
        if self.total && (result.p.is_none() || result.q.is_none()) {
            // `1/√x` is what stands below the line in `y/√x`.
            let (hashed, inverse) = match *node {
                Node::Unary(Unary::Rsqrt, a) => (self.hashed(&Node::Unary(Unary::Sqrt, a), &value), true),
                _ => (self.hashed(node, &value), false),
            };
            let residue = |m: u64| match inverse {
                true => invert(hashed % m, m).unwrap_or(0),
                false => hashed % m,
            };
            result.p = result.p.or(Some(residue(P)));
            result.q = result.q.or(Some(residue(Q)));
        }
        result
    }
}

impl Fields<'_> {
    /// The fingerprint, where there is one.
    fn strict(&self, node: &Node, value: impl Fn(Term) -> Value) -> Value {
        let real = self.reals.node(node, |term| value(term).real);
        let in_both = |operation: &dyn Fn(u64, &[u64; 3]) -> Option<u64>, operands: &[Term]| {
            let (mut in_p, mut in_q) = (Some([0u64; 3]), Some([0u64; 3]));
            for (at, operand) in operands.iter().enumerate() {
                let operand = value(*operand);
                for (residues, residue) in [(&mut in_p, operand.p), (&mut in_q, operand.q)] {
                    match (residues.as_mut(), residue) {
                        (Some(residues), Some(residue)) => residues[at] = residue,
                        _ => *residues = None,
                    }
                }
            }
            Value {
                p: in_p.and_then(|residues| operation(P, &residues)),
                q: in_q.and_then(|residues| operation(Q, &residues)),
                real,
            }
        };
        let as_is = |chosen: Value| Value { real, ..chosen };
        let nothing = Value { p: None, q: None, real };
        match *node {
            Node::Add(a, b) => in_both(&|m, v| Some(add(v[0], v[1], m)), &[a, b]),
            Node::Sub(a, b) => in_both(&|m, v| Some(add(v[0], m - v[1], m)), &[a, b]),
            Node::Mul(a, b) => in_both(&|m, v| Some(multiply(v[0], v[1], m)), &[a, b]),
            Node::Fma(a, b, c) => in_both(&|m, v| Some(add(multiply(v[0], v[1], m), v[2], m)), &[a, b, c]),
            Node::Div(a, b) => in_both(&|m, v| Some(multiply(v[0], invert(v[1], m)?, m)), &[a, b]),
            Node::Unary(Unary::Neg, a) => in_both(&|m, v| Some(negate(v[0], m)), &[a]),
            Node::Unary(Unary::Recip, a) => in_both(&|m, v| invert(v[0], m), &[a]),
            Node::Unary(Unary::Exp2, a) => self.exponential(value(a), 1, real),
            Node::Unary(Unary::Exp, a) => self.exponential(value(a), self.lambda, real),
            Node::Unary(Unary::Tanh, a) => {
                // 1 - 2 / (1 + e^(2a))
                let power = self.exponential(value(a), multiply(2, self.lambda, Q), real);
                let below = power.p.and_then(|power| invert(add(power, 1, P), P));
                Value { p: below.map(|below| add(1, P - multiply(2, below, P), P)), q: None, real }
            }
            Node::Unary(Unary::Abs, a) => match value(a).real.order(Quantity::ZERO) {
                Ok(std::cmp::Ordering::Less) => in_both(&|m, v| Some(negate(v[0], m)), &[a]),
                Ok(std::cmp::Ordering::Greater) => as_is(value(a)),
                _ => nothing,
            },
            // Around a point where it is no jump, a step function is a constant.
            Node::Unary(Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven, a) => {
                match (value(a).real, real) {
                    (Quantity::Exact(inner), Quantity::Exact(whole))
                        if *inner.denom() > 2 && whole.is_integer() =>
                    {
                        let residue = |m: u64| Some(whole.numer().rem_euclid(m as i64) as u64);
                        Value { p: residue(P), q: residue(Q), real }
                    }
                    _ => nothing,
                }
            }
            Node::Max(a, b) | Node::Min(a, b) => {
                let (a, b) = (value(a), value(b));
                match (a.real.order(b.real), matches!(node, Node::Max(..))) {
                    (Ok(std::cmp::Ordering::Less), true) | (Ok(std::cmp::Ordering::Greater), false) => {
                        as_is(b)
                    }
                    (Ok(std::cmp::Ordering::Greater), true) | (Ok(std::cmp::Ordering::Less), false) => {
                        as_is(a)
                    }
                    // A tie: the same value whichever wins, or no fingerprint.
                    _ if a.p == b.p && a.q == b.q => as_is(a),
                    _ => nothing,
                }
            }
            Node::Select(condition, a, b) => match value(condition).real {
                Quantity::Condition(true) => as_is(value(a)),
                Quantity::Condition(false) => as_is(value(b)),
                _ => nothing,
            },
            _ => nothing,
        }
    }
}

impl Fields<'_> {
    /// A hash of the operation and its operands.
    fn hashed(&self, node: &Node, value: impl Fn(Term) -> Value) -> u64 {
        let name = match node {
            Node::Apply(function, ..) => self.terms.function_name(*function),
            _ => "",
        };
        let mut operation = with_operands(node, |_| Term::ZERO);
        if let Node::Apply(function, ..) = &mut operation {
            *function = 0;
        }
        let residues = operands(node).map(|operand| operand.map(|operand| value(operand).p));
        hash(&(operation, name, residues))
    }

    /// `2^(scale·h)`.
    fn exponential(&self, exponent: Value, scale: u64, real: Quantity) -> Value {
        if exponent.real == Quantity::MinusInfinity {
            return Value { p: Some(0), q: Some(0), real };
        }
        let p = exponent.q.map(|h| power_of_two(multiply(h, scale, Q)));
        Value { p, q: None, real }
    }
}

/// A constant in both fields.
fn constant(seed: u64, meaning: &Meaning) -> (Option<u64>, Option<u64>) {
    let Meaning::Number(exact) = meaning else { return (None, None) };
    (residue(seed, exact, P), residue(seed, exact, Q))
}

fn residue(seed: u64, exact: &Exact, modulus: u64) -> Option<u64> {
    let mut value = rational_residue(exact.coefficient(), modulus)?;
    let lambda = modulo_q(seed, LAMBDA);
    for (factor, exponent) in exact.factors() {
        let base = match (factor, modulus) {
            // e = e^1 is a power of 2, in the field of p.
            (Factor::E, P) => {
                let exponent = rational_residue(&big(*exponent), Q)?;
                value = multiply(value, power(2, multiply(lambda, exponent, Q), P), P);
                continue;
            }
            (Factor::Ln2, Q) => invert(lambda, Q)?,
            // e^(ln 10) would have to be 10.
            (Factor::Ln10, Q) => return None,
            (Factor::Prime(prime), _) => root(prime % modulus, modulus)?,
            (Factor::Pi, _) => random(seed, NAMED) % modulus,
            (Factor::Ln2, _) => random(seed, NAMED + 1) % modulus,
            (Factor::Ln10, _) => random(seed, NAMED + 2) % modulus,
            (Factor::E, _) => random(seed, NAMED + 3) % modulus,
        };
        // Primes have half exponents here, as powers of their root; the others whole ones.
        let steps = if matches!(factor, Factor::Prime(_)) { exponent * 2 } else { *exponent };
        if !steps.is_integer() {
            return None;
        }
        let steps = steps.to_integer();
        let base = if steps < 0 { invert(base, modulus)? } else { base };
        value = multiply(value, power(base, steps.unsigned_abs(), modulus), modulus);
    }
    Some(value)
}

fn big(value: Ratio<i64>) -> BigRational {
    BigRational::new((*value.numer()).into(), (*value.denom()).into())
}

fn rational_residue(value: &BigRational, modulus: u64) -> Option<u64> {
    let reduce = |n: &BigInt| n.mod_floor(&BigInt::from(modulus)).to_u64();
    Some(multiply(reduce(value.numer())?, invert(reduce(value.denom())?, modulus)?, modulus))
}

/// The principal square root, which is multiplicative; for moduli 3 modulo 4.
fn root(value: u64, modulus: u64) -> Option<u64> {
    let root = power(value, modulus / 4 + 1, modulus);
    (multiply(root, root, modulus) == value).then_some(root)
}

fn add(a: u64, b: u64, modulus: u64) -> u64 {
    let sum = a + b;
    if sum >= modulus { sum - modulus } else { sum }
}

fn negate(a: u64, modulus: u64) -> u64 {
    if a == 0 { 0 } else { modulus - a }
}

/// Both moduli lie just below a power of 2, so a product's upper part folds onto its lower.
#[inline]
fn multiply(a: u64, b: u64, modulus: u64) -> u64 {
    let bits = if modulus == P { 62 } else { 61 };
    let (below, gap) = ((1u64 << bits) - 1, (1u64 << bits) - modulus);
    let product = u128::from(a) * u128::from(b);
    let folded = u128::from((product >> bits) as u64) * u128::from(gap) + u128::from(product as u64 & below);
    let folded = (folded >> bits) as u64 * gap + (folded as u64 & below);
    if folded >= modulus { folded - modulus } else { folded }
}

fn power(mut base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, base, modulus);
        }
        base = multiply(base, base, modulus);
        exponent >>= 1;
    }
    result
}

/// `2^(digit · 256^place)` modulo P.
static POWERS_OF_TWO: LazyLock<[[u64; 256]; 8]> = LazyLock::new(|| {
    let mut table = [[1; 256]; 8];
    let mut base = 2;
    for row in &mut table {
        for digit in 1..256 {
            row[digit] = multiply(row[digit - 1], base, P);
        }
        base = multiply(row[255], base, P);
    }
    table
});

/// `2^exponent` modulo P.
fn power_of_two(exponent: u64) -> u64 {
    let digits = POWERS_OF_TWO.iter().zip(exponent.to_le_bytes());
    digits.fold(1, |power, (row, digit)| multiply(power, row[usize::from(digit)], P))
}

/// `1 / a`; `None` for 0.
fn invert(a: u64, modulus: u64) -> Option<u64> {
    (a != 0).then(|| if a.is_one() { 1 } else { power(a, modulus - 2, modulus) })
}

/// A random word for a key: the finalizer of splitmix64.
pub(super) fn random(seed: u64, key: u64) -> u64 {
    let mut word = seed ^ key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

fn element_residues(seed: u64, element: u32) -> (Option<u64>, Option<u64>) {
    let key = u64::from(element);
    (Some(random(seed, key) % P), Some(modulo_q(seed, key)))
}

/// A random value modulo q for a key, not 0.
fn modulo_q(seed: u64, key: u64) -> u64 {
    random(seed ^ 0x5851_f42d_4c95_7f2d, key) % (Q - 1) + 1
}

/// A real value for an element, in general position: between -4 and 4, or an integer away from the ends of
/// its format, where comparisons leave room for few integers.
fn real_value(seed: u64, element: u32, format: Option<Format>) -> Quantity {
    let word = random(seed ^ 0x2545_f491_4f6c_dd1d, u64::from(element));
    if let Some(format) = format.filter(|format| !format.is_float()) {
        let half = 1i64 << (format.bits() - 1).min(20);
        let number = 3 + (word >> 8) as i64 % (half - 6).max(1);
        let narrow = format.bits() <= 20;
        return Quantity::integer(match (word & 1, format.class()) {
            (1, FormatClass::Signed) => -number,
            (1, _) if narrow => number + half,
            _ => number,
        });
    }
    // Odd, over 2^17.
    let numerator = (word % 524_287) as i64 * 2 + 1;
    Quantity::dyadic(numerator - 524_288, 17)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::{Meanings, Options};
    use crate::diag::Ledger;
    use crate::term::{Named, Relation};

    /// The values modulo p of roots that have one without a hash.
    fn print(terms: &Terms, roots: &[Term]) -> Vec<Option<u64>> {
        let (budget, mut ledger) = (Budget::default(), Ledger::default());
        let sides = [(terms, roots), (terms, roots)];
        let meanings = Meanings::of(&Options::default(), &budget, sides, &mut ledger).unwrap();
        let cone = Cone::of(terms, roots, &budget).unwrap();
        let values = evaluate_in_fields(terms, &cone, meanings.side(0), 7, false, &budget).unwrap();
        let root = |root: &Term| match root.as_node() {
            Some(step) => values.steps[step].p,
            None => values.leaf(*root).p,
        };
        cone.roots().iter().map(root).collect()
    }

    #[test]
    fn the_fields_are_what_they_are_said_to_be() {
        assert_eq!(P, 2 * Q + 1);
        for modulus in [P, Q] {
            assert_eq!(modulus % 4, 3);
            // Fermat for a few bases; the generating search ran a full primality test.
            for base in [2u64, 3, 5, 7, 11, 13, 17] {
                assert_eq!(power(base, modulus - 1, modulus), 1);
            }
            for square in [2u64, 3, 5, 7, 11, 13] {
                assert!(root(square, modulus).is_some(), "{square}");
            }
        }
        assert_eq!(power(2, Q, P), 1);
    }

    #[test]
    fn products_and_powers_are_those_of_the_field() {
        for modulus in [P, Q] {
            let mut edges: Vec<u64> = vec![0, 1, 2, modulus / 2, modulus - 2, modulus - 1];
            edges.extend((0..40).map(|key| random(3, key) % modulus));
            for a in &edges {
                for b in &edges {
                    let exact = u128::from(*a) * u128::from(*b) % u128::from(modulus);
                    assert_eq!(u128::from(multiply(*a, *b, modulus)), exact);
                }
                assert_eq!(power_of_two(*a), power(2, *a, P));
            }
        }
    }

    #[test]
    fn exponentials_are_homomorphic() {
        let mut terms = Terms::new();
        let (x, y) = (Term::element(0), Term::element(1));
        let sum = terms.add(x, y);
        let [ex, ey, exy] = [x, y, sum].map(|t| terms.unary(Unary::Exp, t));
        let product = terms.mul(ex, ey);
        let log2e = terms.named(Named::Log2E);
        let scaled = terms.mul(x, log2e);
        let power = terms.unary(Unary::Exp2, scaled);
        let ln2 = terms.named(Named::Ln2);
        let two = terms.unary(Unary::Exp, ln2);
        let exact = terms.integer(2);
        let double = terms.add(ex, ex);
        let also = terms.mul(two, ex);
        let found = print(&terms, &[product, exy, power, ex, two, exact, double, also, ey]);
        assert!(found.iter().all(Option::is_some));
        assert_eq!(found[0], found[1]);
        assert_eq!(found[2], found[3]);
        assert_eq!(found[4], found[5]);
        assert_eq!(found[6], found[7]);
        assert_ne!(found[3], found[8]);
    }

    #[test]
    fn e_to_a_rational_meets_its_name() {
        let mut terms = Terms::new();
        let third = terms.rational(BigRational::new(1.into(), 3.into()));
        let exp = terms.unary(Unary::Exp, third);
        let cube = terms.mul(exp, exp);
        let cube = terms.mul(cube, exp);
        let e = terms.unary(Unary::Exp, Term::ONE);
        let found = print(&terms, &[cube, e]);
        assert!(found[0].is_some() && found[0] == found[1]);
        let meaning = Meaning::Number(Factor::E.to_the(1).unwrap());
        assert_eq!(constant(7, &meaning).0, found[0]);
    }

    #[test]
    fn roots_of_constants_multiply() {
        let mut terms = Terms::new();
        let constants = [0.707_106_77f32, 1.732_050_8, 1.224_744_9];
        let [a, b, c] =
            constants.map(|value| terms.number(crate::base::Format::F32, u64::from(value.to_bits())));
        let x = Term::element(0);
        let [a, b, c] = [a, b, c].map(|t| terms.mul(t, x));
        let left = terms.mul(a, b);
        let right = terms.mul(c, x);
        let found = print(&terms, &[left, right]);
        assert!(found[0].is_some() && found[0] == found[1]);
    }

    #[test]
    fn softmax_meets_its_rescaled_form() {
        let mut terms = Terms::new();
        let x: Vec<Term> = (0..4).map(Term::element).collect();
        let max = x.iter().fold(Term::MINUS_INFINITY, |max, x| terms.max(max, *x));
        let mut exponentials = Vec::new();
        for x in &x {
            let shifted = terms.sub(*x, max);
            exponentials.push(terms.unary(Unary::Exp, shifted));
        }
        let sum = exponentials.iter().fold(Term::ZERO, |sum, e| terms.add(sum, *e));
        let naive = terms.div(exponentials[0], sum);
        let (mut m, mut d) = (Term::MINUS_INFINITY, Term::ZERO);
        for x in &x {
            let next = terms.max(m, *x);
            let change = terms.sub(m, next);
            let rescale = terms.unary(Unary::Exp, change);
            let shifted = terms.sub(*x, next);
            let exp = terms.unary(Unary::Exp, shifted);
            d = terms.fma(d, rescale, exp);
            m = next;
        }
        let shifted = terms.sub(x[0], m);
        let exp = terms.unary(Unary::Exp, shifted);
        let online = terms.div(exp, d);
        let wrong = terms.div(exp, exponentials[1]);
        let found = print(&terms, &[naive, online, wrong]);
        assert!(found[0].is_some());
        assert_eq!(found[0], found[1]);
        assert_ne!(found[0], found[2]);
    }

    #[test]
    fn order_follows_the_reals() {
        let mut terms = Terms::new();
        let (x, y) = (Term::element(0), Term::element(1));
        let max = terms.max(x, y);
        let less = terms.compare(Relation::Less, x, y);
        let select = terms.select(less, y, x);
        let difference = terms.sub(x, y);
        let abs = terms.unary(Unary::Abs, difference);
        let sum = terms.add(x, y);
        let sum = terms.add(sum, abs);
        let half = terms.rational(BigRational::new(1.into(), 2.into()));
        let average = terms.mul(sum, half);
        let min = terms.min(x, y);
        let sine = terms.unary(Unary::Sin, x);
        let found = print(&terms, &[max, select, average, min, sine]);
        assert!(found[0].is_some() && found[0] == found[1] && found[1] == found[2]);
        assert_ne!(found[0], found[3]);
        assert_eq!(found[4], None);
    }
}
