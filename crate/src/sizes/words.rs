//! What integer instructions make of polynomials.
//!
//! A register of `n` bits is held as an integer that is congruent to it modulo 2ⁿ; sums and products need no more.
//! Where the number itself counts (a comparison, a wider word, a quotient), it is that integer if it provably lies
//! in the format. If not, but if it does for all sizes up to [`SMALL`], some of which may lead there, and the format has
//! 32 bits or more, that it does is an assumption, which the answer names; else it is whatever number of the format is congruent. What an instruction means is asked of its
//! row: of the term that it makes of the integers.

use super::poly::{Condition, Poly, Unknown};
use super::prover::Prover;
use super::solve::{ASIDE, GLANCE};
use super::unknowns::Scope;
use crate::base::Format;
use crate::term::{BitOp, Node, Relation, Term, Terms, Unary};
use num_traits::ToPrimitive;

/// What all sizes are at most where a sum is seen to fit.
const SMALL: i128 = 1024;

/// Where an instruction stands.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) pc: u32,
    /// What holds there.
    pub(super) path: &'a [Condition],
}

/// The least and the greatest integer of a format; those of bits are without a sign.
fn limits(format: Format) -> [i128; 2] {
    format.as_integer(format.integers().is_some_and(|[low, _]| low < 0)).integers().unwrap_or_default()
}

/// The integers of so many bits.
fn of_bits(signed: bool, bits: u32) -> Option<Format> {
    let formats = [Format::U8, Format::U16, Format::U32, Format::U64];
    Some(formats.into_iter().find(|format| format.bits() == bits)?.as_integer(signed))
}

/// What is a multiple of 2ⁿ, and no number, by that.
fn multiple(poly: &Poly, bits: u32) -> Option<Poly> {
    let unit = 1i128 << bits;
    let divides = poly.value().is_none() && poly.terms().all(|(_, coefficient)| coefficient % unit == 0);
    let add = |sum: Poly, (monomial, coefficient): (&Vec<Unknown>, i128)| {
        sum.plus(&Poly::monomial(monomial.clone(), coefficient / unit), 1)
    };
    if divides { poly.terms().try_fold(Poly::default(), add) } else { None }
}

/// What a term of integers is.
pub(super) enum Meant {
    Number(Poly),
    Truth(Condition),
}

impl Prover<'_> {
    /// Whether a polynomial lies between two numbers wherever the path leads there.
    pub(super) fn lies(
        &mut self,
        poly: &Poly,
        [low, high]: [i128; 2],
        path: &[Condition],
        most_work: u64,
    ) -> bool {
        let (least, most) = self.table.interval(poly);
        let above = least.is_some_and(|least| least >= low);
        let below = most.is_some_and(|most| most <= high);
        if self.quick > 0 {
            return above && below;
        }
        let below_low = poly.scaled(-1).and_then(|poly| poly.offset(low - 1));
        let above_high = poly.offset(-high - 1);
        (above || below_low.is_some_and(|poly| self.refutes(poly, path, most_work)))
            && (below || above_high.is_some_and(|poly| self.refutes(poly, path, most_work)))
    }

    /// Whether `poly ≥ 0` cannot hold there.
    fn refutes(&mut self, poly: Poly, path: &[Condition], most_work: u64) -> bool {
        // What nothing holds back can be as large as it likes.
        let free = |unknown: Unknown| {
            let known = self.table.get(unknown);
            let mut terms = poly.terms().filter(|(monomial, _)| monomial.contains(&unknown)).peekable();
            let (up, down) = (known.high.is_none(), known.low.is_none());
            let grows = |(monomial, coefficient): (&Vec<Unknown>, i128)| {
                let others = monomial.iter().filter(|other| **other != unknown);
                let positive = others.clone().count() + 1 == monomial.len()
                    && others.into_iter().all(|other| self.table.get(*other).low.is_some_and(|low| low >= 1));
                positive && (coefficient > 0 && up || coefficient < 0 && down && monomial.len() == 1)
            };
            terms.peek().is_some()
                && known.facts == Condition::True
                && terms.all(grows)
                && !path.iter().any(|condition| condition.unknowns().contains(&unknown))
        };
        if poly.unknowns().any(free) {
            return false;
        }
        let mut all = vec![Condition::at_least(poly)];
        all.extend_from_slice(path);
        self.excludes(&all, most_work)
    }

    /// The number that a register holds in a format of integers.
    pub(super) fn number(&mut self, poly: &Poly, format: Format, at: At<'_>) -> Option<Poly> {
        let [low, high] = limits(format);
        let modulus = high - low + 1;
        if let Some(value) = poly.value() {
            let rest = value.rem_euclid(modulus);
            return Some(Poly::constant(if rest > high { rest - modulus } else { rest }));
        }
        let key = (poly.clone(), format);
        if self.fits.get(&key).is_some_and(|path| at.path.starts_with(path)) {
            return Some(poly.clone());
        }
        let data = self.table.is_data(poly);
        let small = |unknown: &Unknown| {
            Poly::unknown(*unknown).scaled(-1).and_then(|poly| poly.offset(SMALL)).map(Condition::at_least)
        };
        let mut path = at.path.to_vec();
        path.extend(self.sizes.iter().filter_map(small));
        // Narrow words are meant to wrap, or do at sizes that people use. Where no small size leads there, nothing is seen.
        let assumes = !data && format.bits() >= 32 && self.leads_small(at.path, &path);
        if !assumes {
            path.truncate(at.path.len());
        }
        if self.lies(poly, [low, high], &path, ASIDE) {
            if assumes && !self.lies(poly, [low, high], at.path, GLANCE) {
                self.assumed.insert(at.pc);
            }
            self.fits.insert(key, at.path.to_vec());
            return Some(poly.clone());
        }
        if let Some(known) = self.numbers.get(&key) {
            return Some(known.clone());
        }
        // A number of the format that differs by a multiple of 2ⁿ.
        let scope = self.table.scope(poly);
        let number = match data {
            true => self.table.add_data(scope, low, high),
            false => self.table.add(scope, Some(low), Some(high)),
        };
        let times = self.table.add(scope, None, None);
        let number = Poly::unknown(number);
        let difference = number.plus(poly, -1)?.plus(&Poly::unknown(times), -modulus)?;
        let unknown = number.unknowns().next()?;
        self.table.set_facts(unknown, Condition::zero(difference));
        self.table.set_residue(unknown, poly.clone());
        self.numbers.insert(key, number.clone());
        Some(number)
    }

    /// Whether small sizes may lead there, `small` being the path with what makes them small.
    fn leads_small(&mut self, path: &[Condition], small: &[Condition]) -> bool {
        if let Some(known) = self.leads_small.get(path) {
            return *known;
        }
        let leads = !self.excludes(small, ASIDE);
        if self.quick == 0 {
            self.leads_small.insert(path.to_vec(), leads);
        }
        leads
    }

    /// Anything of a format.
    pub(super) fn anything(&mut self, format: Format, scope: Scope) -> Poly {
        let [low, high] = limits(format);
        Poly::unknown(self.table.add_data(scope, low, high))
    }

    /// One of several polynomials, each under a condition of which one holds.
    pub(super) fn choose(&mut self, ways: Vec<(Condition, Poly)>) -> Option<Poly> {
        if let [(_, first), rest @ ..] = &ways[..]
            && rest.iter().all(|(_, other)| other == first)
        {
            return Some(first.clone());
        }
        // Addresses in one memory have one base.
        let base = ways[0].1.unknowns().find(|unknown| self.bases.contains(unknown)).map(Poly::unknown);
        if let Some(base) = base {
            let offset = |(condition, poly): (Condition, Poly)| Some((condition, poly.plus(&base, -1)?));
            let ways: Vec<_> = ways.into_iter().map(offset).collect::<Option<_>>()?;
            let mixed = |poly: &Poly| poly.unknowns().any(|unknown| self.bases.contains(&unknown));
            if ways.iter().any(|(_, poly)| mixed(poly)) {
                return None;
            }
            return self.choose(ways)?.plus(&base, 1);
        }
        let (mut low, mut high) = (Some(i128::MAX), Some(i128::MIN));
        let mut scope = Scope::Launch;
        for (condition, poly) in &ways {
            let (least, most) = self.table.interval(poly);
            low = low.zip(least).map(|(a, b)| a.min(b));
            high = high.zip(most).map(|(a, b)| a.max(b));
            scope = scope.max(self.table.scope(poly)).max(self.table.scope_of(condition));
        }
        let data = ways.iter().any(|(_, poly)| self.table.is_data(poly));
        let unknown = match (data, low, high) {
            (true, Some(low), Some(high)) => self.table.add_data(scope, low, high),
            _ => self.table.add(scope, low, high),
        };
        let chosen = Poly::unknown(unknown);
        let mut cases = Vec::new();
        for (condition, poly) in ways {
            cases.push(Condition::all([condition, Condition::equal(&chosen, &poly)?]));
        }
        self.table.set_facts(unknown, Condition::any(cases));
        Some(chosen)
    }

    /// A condition about which nothing is known.
    pub(super) fn any_truth(&mut self, scope: Scope) -> Condition {
        let unknown = self.table.add_data(scope, 0, 1);
        Condition::at_least(Poly::unknown(unknown).offset(-1).unwrap_or_default())
    }

    /// The quotient of two numbers, towards zero; `None` if the divisor may be 0 or either may be negative.
    fn quotient(&mut self, a: &Poly, b: &Poly, at: At<'_>) -> Option<Poly> {
        if let Some(divisor) = b.value() {
            if divisor <= 0 {
                return None;
            }
            if self.lies(a, [0, i128::MAX / 4], at.path, ASIDE) {
                return self.table.quotient(a, divisor);
            }
            // Towards zero: ⌊a / d⌋ where a ≥ 0, -⌊-a / d⌋ elsewhere.
            let negative = a.scaled(-1)?;
            let down = self.table.quotient(a, divisor)?;
            let up = self.table.quotient(&negative, divisor)?.scaled(-1)?;
            let positive = Condition::at_least(a.clone());
            let other = positive.not()?;
            return self.choose(vec![(positive, down), (other, up)]);
        }
        let positive = self.lies(b, [1, i128::MAX / 4], at.path, ASIDE)
            && self.lies(a, [0, i128::MAX / 4], at.path, ASIDE);
        if !positive {
            return None;
        }
        let key = (a.clone(), b.clone());
        if let Some(known) = self.ratios.get(&key) {
            return Some(known.clone());
        }
        let scope = self.table.scope(a).max(self.table.scope(b));
        let most = self.table.interval(a).1;
        let unknown = self.table.add(scope, Some(0), most);
        let quotient = Poly::unknown(unknown);
        // a = q·b + r, 0 ≤ r < b, where b > 0 and a ≥ 0: elsewhere nothing is said.
        let rest = a.plus(&quotient.times(b)?, -1)?;
        let facts = Condition::all([Condition::at_least(rest.clone()), Condition::less(&rest, b)?]);
        let outside = [Condition::at_least(b.scaled(-1)?), Condition::at_least(a.scaled(-1)?.offset(-1)?)];
        self.table.set_facts(unknown, Condition::any([facts, Condition::any(outside)]));
        self.ratios.insert(key, quotient.clone());
        Some(quotient)
    }

    /// The low bits of a word.
    fn low_bits(&mut self, a: &Poly, bits: u32) -> Option<Poly> {
        let a = a.clone().modulo(bits.max(1));
        let quotient = self.table.quotient(&a, 1 << bits)?;
        a.plus(&quotient, -(1 << bits))
    }

    /// An operation on words of `width` bits; integers that are congruent to them.
    pub(super) fn word(&mut self, op: BitOp, width: u32, s: [&Poly; 2], at: At<'_>) -> Option<Poly> {
        let [a, b] = s;
        let (signed, unsigned) = (of_bits(true, width)?, of_bits(false, width)?);
        let known = |poly: &Poly| Some((poly.value()?.rem_euclid(1 << width)) as u128);
        let shift = |poly: &Poly| Some(poly.value()?.rem_euclid(1 << 32).min(i128::from(width)) as u32);
        Some(match op {
            BitOp::Add => a.plus(b, 1)?.modulo(width),
            BitOp::Sub => a.plus(b, -1)?.modulo(width),
            BitOp::Mul => a.times(b)?.modulo(width),
            BitOp::Negate => a.scaled(-1)?.modulo(width),
            BitOp::Not => a.scaled(-1)?.offset(-1)?.modulo(width),
            BitOp::And => match (known(a), known(b)) {
                (None, None) => return None,
                (Some(mask), None) => self.masked(b, mask, width)?,
                (_, Some(mask)) => self.masked(a, mask, width)?,
            },
            BitOp::Or | BitOp::Xor => {
                let ones = (1u128 << width) - 1;
                if op == BitOp::Xor && known(b) == Some(ones) {
                    return self.word(BitOp::Not, width, [a, a], at);
                }
                self.disjoint(a, b, width).or_else(|| self.disjoint(b, a, width))?
            }
            BitOp::ShiftLeft => match shift(b)? {
                by if by >= width => Poly::default(),
                by => a.scaled(1 << by)?.modulo(width),
            },
            BitOp::ShiftRight | BitOp::ShiftRightSigned
                if shift(b)? > 0 && shift(b)? < width && multiple(a, shift(b)?).is_some() =>
            {
                // What was shifted to the left as far, or farther: a field of the word, wherever that wraps.
                let (by, field) = (shift(b)?, multiple(a, shift(b)?)?);
                let half = match op {
                    BitOp::ShiftRightSigned => 1i128 << (width - by - 1),
                    _ => 0,
                };
                self.low_bits(&field.offset(half)?, width - by)?.offset(-half)?
            }
            BitOp::ShiftRight => {
                let by = shift(b)?;
                let a = self.number(a, unsigned, at)?;
                if by >= width { Poly::default() } else { self.table.quotient(&a, 1 << by)? }
            }
            BitOp::ShiftRightSigned => {
                let by = shift(b)?;
                let a = self.number(a, signed, at)?;
                self.table.quotient(&a, 1 << by.min(width - 1))?
            }
            BitOp::Extend => self.low_bits(a, shift(b)?)?,
            BitOp::ExtendSigned => {
                let bits = shift(b)?;
                let half = 1i128 << (bits.max(1) - 1);
                self.low_bits(&a.offset(half)?, bits)?.offset(-half)?
            }
            BitOp::MulHigh => {
                let [a, b] = [self.number(a, unsigned, at)?, self.number(b, unsigned, at)?];
                self.table.quotient(&a.times(&b)?, 1 << width)?
            }
            BitOp::Min | BitOp::Max | BitOp::MinSigned | BitOp::MaxSigned => {
                let format = if matches!(op, BitOp::Min | BitOp::Max) { unsigned } else { signed };
                let [a, b] = [self.number(a, format, at)?, self.number(b, format, at)?];
                self.extreme(&a, &b, matches!(op, BitOp::Max | BitOp::MaxSigned))?
            }
            BitOp::PopCount | BitOp::LeadingZeros => {
                let scope = self.table.scope(a);
                Poly::unknown(self.table.add_data(scope, 0, width.into()))
            }
            BitOp::Slice
            | BitOp::Concat
            | BitOp::Reverse
            | BitOp::Equal
            | BitOp::Less
            | BitOp::LessSigned
            | BitOp::Other => {
                return None;
            }
        })
    }

    /// The bits of a word where a mask has ones: a few fields.
    fn masked(&mut self, a: &Poly, mask: u128, width: u32) -> Option<Poly> {
        let mut sum = Poly::default();
        let mut bit = 0;
        while bit < width {
            let rest = mask >> bit;
            if rest & 1 == 0 {
                bit += 1;
                continue;
            }
            let end = (bit + rest.trailing_ones()).min(width);
            // The bits below `end`, less those below `bit`.
            let below = if end == width { a.clone() } else { self.low_bits(a, end)? };
            let less = if bit == 0 { Poly::default() } else { self.low_bits(a, bit)? };
            sum = sum.plus(&below, 1)?.plus(&less, -1)?;
            bit = end;
        }
        Some(sum.modulo(width))
    }

    /// `a + b`, if `a` has zeros where `b` may have ones.
    fn disjoint(&mut self, a: &Poly, b: &Poly, width: u32) -> Option<Poly> {
        let low = a.terms().fold(0, |common, (_, value)| num_integer::gcd(common, value));
        let bits = if low == 0 { width } else { low.trailing_zeros() };
        let (least, most) = self.table.interval(b);
        let fits = least? >= 0 && most? < 1i128.checked_shl(bits)?;
        if fits { a.plus(b, 1) } else { None }
    }

    pub(super) fn extreme(&mut self, a: &Poly, b: &Poly, largest: bool) -> Option<Poly> {
        let a_less = Condition::at_most(a, b)?;
        let b_less = Condition::less(b, a)?;
        let (with_a, with_b) = if largest { (b_less, a_less) } else { (a_less, b_less) };
        match (&with_a, &with_b) {
            (Condition::True, _) => Some(a.clone()),
            (_, Condition::True) => Some(b.clone()),
            _ => self.choose(vec![(with_a, a.clone()), (with_b, b.clone())]),
        }
    }

    /// What a term says of the integers that its elements stand for; `None` where polynomials cannot say it.
    pub(super) fn meant(
        &mut self,
        terms: &Terms,
        term: Term,
        sources: &[Meant],
        at: At<'_>,
    ) -> Option<Meant> {
        let number = |meant: Meant| match meant {
            Meant::Number(poly) => Some(poly),
            Meant::Truth(_) => None,
        };
        if let Some(value) = terms.as_rational(term) {
            let whole = value.is_integer().then(|| value.numer().to_i128()).flatten()?;
            return Some(Meant::Number(Poly::constant(whole)));
        }
        if terms.node(term) == terms.node(Term::TRUE) {
            return Some(Meant::Truth(Condition::True));
        }
        if terms.node(term) == terms.node(Term::FALSE) {
            return Some(Meant::Truth(Condition::False));
        }
        macro_rules! of {
            ($term:expr) => {
                number(self.meant(terms, $term, sources, at)?)?
            };
        }
        macro_rules! truth {
            ($term:expr) => {
                match self.meant(terms, $term, sources, at)? {
                    Meant::Truth(condition) => condition,
                    Meant::Number(_) => return None,
                }
            };
        }
        Some(Meant::Number(match terms.node(term) {
            Node::Element(index) => match sources.get(index as usize)? {
                Meant::Number(poly) => poly.clone(),
                Meant::Truth(_) => return None,
            },
            Node::Add(a, b) => of!(a).plus(&of!(b), 1)?,
            Node::Sub(a, b) => of!(a).plus(&of!(b), -1)?,
            Node::Mul(a, b) => of!(a).times(&of!(b))?,
            Node::Fma(a, b, c) => of!(a).times(&of!(b))?.plus(&of!(c), 1)?,
            Node::Unary(Unary::Neg, a) => of!(a).scaled(-1)?,
            Node::Unary(Unary::Abs, a) => {
                let a = of!(a);
                self.extreme(&a, &a.scaled(-1)?, true)?
            }
            Node::Unary(Unary::Trunc, a) => match terms.node(a) {
                Node::Div(a, b) => {
                    let (a, b) = (of!(a), of!(b));
                    self.quotient(&a, &b, at)?
                }
                // A division by a constant is a product with its reciprocal.
                Node::Mul(a, b) => {
                    let by = terms.as_rational(b).or_else(|| terms.as_rational(a))?;
                    let a = if terms.as_rational(b).is_some() { a } else { b };
                    if by.numer().to_i128()? != 1 {
                        return None;
                    }
                    let divisor = Poly::constant(by.denom().to_i128()?);
                    let a = of!(a);
                    self.quotient(&a, &divisor, at)?
                }
                _ => return None,
            },
            Node::Max(a, b) => {
                let (a, b) = (of!(a), of!(b));
                self.extreme(&a, &b, true)?
            }
            Node::Min(a, b) => {
                let (a, b) = (of!(a), of!(b));
                self.extreme(&a, &b, false)?
            }
            Node::Select(condition, a, b) => {
                let (condition, a, b) = (truth!(condition), of!(a), of!(b));
                let other = condition.not()?;
                self.choose(vec![(condition, a), (other, b)])?
            }
            Node::BitsOf(format, a) if !format.is_float() => of!(a),
            Node::BitConstant(bits) => Poly::constant(bits.into()),
            Node::FromBits(format, a) if !format.is_float() => {
                let a = of!(a);
                self.number(&a, format, at)?
            }
            Node::Bits(BitOp::Slice, _, a, b, _) => {
                let width = match terms.node(a) {
                    Node::BitsOf(format, _) => format.bits(),
                    Node::Bits(_, width, ..) => width.into(),
                    _ => return None,
                };
                let (a, by) = (of!(a), of!(b).value()?);
                match by {
                    0 => a,
                    _ => {
                        let a = self.number(&a, of_bits(false, width)?, at)?;
                        self.table.quotient(&a, 1 << by)?
                    }
                }
            }
            Node::Bits(op, width, a, b, _) => {
                let a = of!(a);
                let b = of!(b);
                self.word(op, width.into(), [&a, &b], at)?
            }
            Node::Compare(relation, a, b) => {
                // A source that is a condition stands as one that is greater than 0.
                let condition = |term: Term| match sources.get(term.as_element()? as usize)? {
                    Meant::Truth(condition) => Some(condition),
                    Meant::Number(_) => None,
                };
                if let (Relation::Less, Some(condition)) = (relation, condition(b)) {
                    return (a == Term::ZERO).then(|| Meant::Truth(condition.clone()));
                }
                if let (Relation::LessEqual, Some(condition)) = (relation, condition(a)) {
                    return Some(Meant::Truth(condition.not().filter(|_| b == Term::ZERO)?));
                }
                let (a, b) = (of!(a), of!(b));
                return Some(Meant::Truth(match relation {
                    Relation::Less => Condition::less(&a, &b)?,
                    Relation::LessEqual => Condition::at_most(&a, &b)?,
                    Relation::Equal => Condition::equal(&a, &b)?,
                }));
            }
            Node::And(a, b) => return Some(Meant::Truth(Condition::all([truth!(a), truth!(b)]))),
            Node::Or(a, b) => return Some(Meant::Truth(Condition::any([truth!(a), truth!(b)]))),
            Node::Not(a) => return Some(Meant::Truth(truth!(a).not()?)),
            _ => return None,
        }))
    }
}
