//! Roots: numbers s with s² = r, and nothing else assumed of them.
//!
//! A value that depends on roots is carried as its *parts*: an element of F[s₁, …, sₖ] / (sᵢ² - rᵢ), a sum of
//! products of different roots with residues for coefficients. An identity in this ring holds whichever root
//! of rᵢ each sᵢ is, so it holds for the positive one; a root of the residue itself would have the wrong
//! sign in half of all cases, and √(x²) would be x by luck. i = √-1 is the first of them, and makes sin and
//! cos of e^(iθ). Beside its parts, a value has the residue of the same sum with a free variable for each
//! root: this is what keys are made of, and all that is left of a value with more than [`MOST`] parts. That is
//! sound as well: it only forgets sᵢ² = rᵢ from there on.
//!
//! Guarantees: sums, products and quotients are those of the ring; a quotient by a number that is not
//! invertible there is one of the residues with free variables.
//! Misses: relations between roots that do not follow from the way radicands are made of factors, as
//! √(x² + 2xy + y²) = |x + y|.

use super::constants::ROOT_OF_VALUE;
use super::field::{self, LEVELS, ONE, Residue, ZERO};
use super::value::{Levels, Sign, Value, by_level};
use rustc_hash::FxHashMap;

/// Parts that a value may have.
const MOST: usize = 16;
/// Roots that a divisor is freed of.
const DEEPEST: usize = 6;
/// √-1.
pub(super) const I: u32 = 0;

/// A product of different roots with its coefficient.
#[derive(Clone, Debug)]
struct Part {
    roots: Vec<u32>,
    at: [Residue; LEVELS],
}

/// What a root is of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Of {
    Base(u32),
    Negative(u32),
    /// Of the square of a class's first member.
    Square(u32),
    Prime(u64),
}

struct Root {
    square: Value,
    at: [Residue; LEVELS],
}

/// The roots of both kernels, and the parts of the values that depend on them.
pub(super) struct Roots {
    seed: [u64; 2],
    roots: Vec<Root>,
    known: FxHashMap<Of, u32>,
    parts: Vec<Vec<Part>>,
}

impl Roots {
    pub(super) fn new(seed: [u64; 2]) -> Roots {
        let mut roots = Roots { seed, roots: Vec::new(), known: FxHashMap::default(), parts: Vec::new() };
        roots.push(Value::ONE.negated(7));
        roots
    }

    fn push(&mut self, square: Value) -> u32 {
        let id = self.roots.len() as u32;
        let at = by_level!(7, L => field::random_residue(self.seed, L, ROOT_OF_VALUE | u64::from(id)));
        self.roots.push(Root { square, at });
        id
    }

    pub(super) fn count(&self) -> usize {
        self.roots.len()
    }

    /// The root of a base, or of its negative, which has residues at all levels.
    pub(super) fn root(&mut self, base: u32, square: Value, negative: bool, levels: Levels) -> Value {
        let of = if negative { Of::Negative(base) } else { Of::Base(base) };
        let square = if negative { self.negated(square, 7) } else { square };
        self.root_of(of, square, levels)
    }

    /// |number|, of a class's first member, which has residues at all levels.
    pub(super) fn magnitude(&mut self, class: u32, number: Value, levels: Levels) -> Value {
        self.root_of(Of::Square(class), number.times(number, 7), levels)
    }

    /// The root of a prime, which has that residue or variable.
    pub(super) fn of_prime(&mut self, prime: u64, root: [Residue; LEVELS], levels: Levels) -> Value {
        let number = by_level!(7, L => [field::integer(L, prime.into()); field::LANES]);
        let square = Value { sign: Sign::POSITIVE, ..Value::finite(number) };
        let known = self.known.contains_key(&Of::Prime(prime));
        let value = self.root_of(Of::Prime(prime), square, levels);
        if known {
            return value;
        }
        let id = self.known[&Of::Prime(prime)];
        self.roots[id as usize].at = root;
        self.root_of(Of::Prime(prime), square, levels)
    }

    fn root_of(&mut self, of: Of, square: Value, levels: Levels) -> Value {
        let id = match self.known.get(&of) {
            Some(id) => *id,
            None => {
                let id = self.push(square);
                self.known.insert(of, id);
                id
            }
        };
        let square = self.roots[id as usize].square;
        let part = Part { roots: vec![id], at: [ONE; LEVELS] };
        let sign = Sign { not_zero: square.sign.not_zero, ..Sign::NOT_NEGATIVE };
        let value = Value {
            sign,
            chosen: square.chosen,
            degree: [1.0, 0.0],
            sample: field::random_real(self.seed, ROOT_OF_VALUE | u64::from(id)),
            ..Value::finite([ZERO; LEVELS])
        };
        self.value(value, vec![part], levels)
    }

    /// A value of two parts: `plain + i·turned`.
    pub(super) fn complex(&mut self, plain: Value, turned: [Residue; LEVELS], levels: Levels) -> Value {
        let parts = vec![Part { roots: Vec::new(), at: plain.at }, Part { roots: vec![I], at: turned }];
        self.value(plain, parts, levels)
    }

    /// A value with those parts.
    fn value(&mut self, like: Value, mut parts: Vec<Part>, levels: Levels) -> Value {
        let asked =
            |at: &[Residue; LEVELS]| (0..LEVELS).any(|level| levels >> level & 1 == 1 && at[level] != ZERO);
        parts.retain(|part| asked(&part.at));
        let mut at = [ZERO; LEVELS];
        for part in &parts {
            let mut own = part.at;
            for root in &part.roots {
                let root = &self.roots[*root as usize].at;
                own = by_level!(levels, L => field::multiply(L, own[L], root[L]));
            }
            at = by_level!(levels, L => field::add(L, at[L], own[L]));
        }
        let plain = parts.iter().all(|part| part.roots.is_empty());
        let parts = if plain || parts.len() > MOST {
            0
        } else {
            parts.sort_by(|a, b| a.roots.cmp(&b.roots));
            self.parts.push(parts);
            self.parts.len() as u32
        };
        Value { at, parts, ..like }
    }

    fn parts(&self, value: &Value) -> Vec<Part> {
        match value.parts {
            0 => vec![Part { roots: Vec::new(), at: value.at }],
            at => self.parts[at as usize - 1].clone(),
        }
    }

    pub(super) fn negated(&mut self, value: Value, levels: Levels) -> Value {
        let plain = value.negated(levels);
        if value.parts == 0 || !value.is_finite() {
            return plain;
        }
        let mut parts = self.parts(&value);
        for part in &mut parts {
            part.at = by_level!(levels, L => field::negate(L, part.at[L]));
        }
        self.value(plain, parts, levels)
    }

    #[inline]
    pub(super) fn plus(&mut self, a: Value, b: Value, levels: Levels) -> Value {
        let plain = a.plus(b, levels);
        if a.parts | b.parts == 0 || !a.is_finite() || !b.is_finite() {
            return plain;
        }
        let mut parts = self.parts(&a);
        add_parts(&mut parts, self.parts(&b), levels);
        self.value(plain, parts, levels)
    }

    #[inline]
    pub(super) fn minus(&mut self, a: Value, b: Value, levels: Levels) -> Value {
        if a.parts | b.parts == 0 {
            return a.minus(b, levels);
        }
        let other = self.negated(b, levels);
        self.plus(a, other, levels)
    }

    #[inline]
    pub(super) fn times(&mut self, a: Value, b: Value, levels: Levels) -> Value {
        let plain = a.times(b, levels);
        if a.parts | b.parts == 0 || !a.is_finite() || !b.is_finite() {
            return plain;
        }
        let (x, y) = (self.parts(&a), self.parts(&b));
        let more = self.degree_of_common(&x, &y);
        let degree = [plain.degree[0] + more, plain.degree[1] + more];
        match self.product(&x, &y, levels) {
            Some(parts) => self.value(Value { degree, ..plain }, parts, levels),
            None => plain,
        }
    }

    /// What squares of roots that both have add to the degree.
    fn degree_of_common(&self, x: &[Part], y: &[Part]) -> f32 {
        let of = |parts: &[Part]| {
            let mut roots: Vec<u32> = parts.iter().flat_map(|part| part.roots.iter().copied()).collect();
            roots.sort_unstable();
            roots.dedup();
            roots
        };
        let (x, y) = (of(x), of(y));
        let common = x.iter().filter(|root| y.contains(root));
        common.map(|root| self.roots[*root as usize].square.degree.iter().sum::<f32>()).sum()
    }

    /// The product of two sums; `None` if it gets too long.
    fn product(&self, x: &[Part], y: &[Part], levels: Levels) -> Option<Vec<Part>> {
        let mut result = Vec::new();
        for a in x {
            for b in y {
                let at = by_level!(levels, L => field::multiply(L, a.at[L], b.at[L]));
                let (own, common): (Vec<u32>, Vec<u32>) =
                    a.roots.iter().partition(|root| !b.roots.contains(root));
                let mut roots: Vec<u32> =
                    b.roots.iter().copied().filter(|root| !common.contains(root)).chain(own).collect();
                roots.sort_unstable();
                let mut terms = vec![Part { roots, at }];
                // A radicand holds only roots that came before.
                for root in common {
                    let square = self.roots[root as usize].square;
                    terms = self.product(&terms, &self.parts(&square), levels)?;
                }
                add_parts(&mut result, terms, levels);
                (result.len() <= 2 * MOST).then_some(())?;
            }
        }
        Some(result)
    }

    /// `1 / value`.
    pub(super) fn inverse(&mut self, value: Value, levels: Levels) -> Value {
        if value.parts == 0 || !value.is_finite() {
            return value.inverse(levels);
        }
        let sign = Sign { not_zero: true, ..value.sign };
        match self.freed(value, levels, DEEPEST) {
            Some(inverse) => Value { sign, chosen: value.chosen, ..inverse },
            None => value.inverse(levels),
        }
    }

    /// `conjugate / (value · conjugate)`, until no root is left below.
    fn freed(&mut self, value: Value, levels: Levels, left: usize) -> Option<Value> {
        let parts = self.parts(&value);
        let last = parts.iter().filter_map(|part| part.roots.last()).max().copied();
        let Some(last) = last else {
            let inverse = value.inverse(levels);
            return inverse.is_finite().then_some(inverse);
        };
        let left = left.checked_sub(1)?;
        let mut turned = parts;
        for part in turned.iter_mut().filter(|part| part.roots.last() == Some(&last)) {
            part.at = by_level!(levels, L => field::negate(L, part.at[L]));
        }
        let conjugate = self.value(Value { sign: Sign::default(), ..value }, turned, levels);
        let norm = self.times(value, conjugate, levels);
        let below = self.freed(norm, levels, left)?;
        Some(self.times(conjugate, below, levels))
    }
}

fn add_parts(sum: &mut Vec<Part>, more: Vec<Part>, levels: Levels) {
    for part in more {
        match sum.iter_mut().find(|known| known.roots == part.roots) {
            Some(known) => known.at = by_level!(levels, L => field::add(L, known.at[L], part.at[L])),
            None => sum.push(part),
        }
    }
}
