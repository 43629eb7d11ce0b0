//! The unknowns of a proof, and what is known of each.

use super::poly::{Condition, Poly, Unknown};
use std::collections::BTreeMap;

/// For whom an unknown has one value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Scope {
    /// All threads of the launch, at all times.
    Launch,
    /// All threads of a CTA, whenever they are behind the same barrier for the same time.
    Cta,
    /// Each thread its own.
    Thread,
}

/// What is known of an unknown. Its facts hold in every execution, whether or not it gets to the place where the
/// unknown has its value: then there is some value for which they hold.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) low: Option<i128>,
    pub(super) high: Option<i128>,
    pub(super) facts: Condition,
    pub(super) scope: Scope,
    /// It is `⌊poly / divisor⌋`.
    pub(super) quotient: Option<(Poly, i128)>,
    /// It is the number from `low` to `high` that is congruent to this polynomial.
    pub(super) residue: Option<Poly>,
    /// It is what a load or something as hard to tell gave: no index that anybody wrote down.
    pub(super) data: bool,
}

/// All of them.
#[derive(Clone, Default, Debug)]
pub(super) struct Table {
    entries: Vec<Known>,
    quotients: BTreeMap<(Poly, i128), Unknown>,
}

impl Table {
    pub(super) fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    pub(super) fn get(&self, unknown: Unknown) -> &Known {
        &self.entries[unknown.0 as usize]
    }

    pub(super) fn set_facts(&mut self, unknown: Unknown, facts: Condition) {
        self.entries[unknown.0 as usize].facts = facts;
    }

    pub(super) fn set_residue(&mut self, unknown: Unknown, of: Poly) {
        self.entries[unknown.0 as usize].residue = Some(of);
    }

    pub(super) fn add(&mut self, scope: Scope, low: Option<i128>, high: Option<i128>) -> Unknown {
        let facts = Condition::True;
        self.entries.push(Known { low, high, facts, scope, quotient: None, residue: None, data: false });
        Unknown(self.len() - 1)
    }

    /// What nobody wrote down, between two numbers.
    pub(super) fn add_data(&mut self, scope: Scope, low: i128, high: i128) -> Unknown {
        let unknown = self.add(scope, Some(low), Some(high));
        self.entries[unknown.0 as usize].data = true;
        unknown
    }

    /// Forgets the unknowns from that one on.
    pub(super) fn truncate(&mut self, length: u32) {
        self.entries.truncate(length as usize);
        self.quotients.retain(|_, unknown| unknown.0 < length);
    }

    /// The widest scope that all of a polynomial's unknowns share.
    pub(super) fn scope(&self, poly: &Poly) -> Scope {
        poly.unknowns().map(|unknown| self.get(unknown).scope).max().unwrap_or(Scope::Launch)
    }

    pub(super) fn scope_of(&self, condition: &Condition) -> Scope {
        let unknowns = condition.unknowns();
        unknowns.into_iter().map(|unknown| self.get(unknown).scope).max().unwrap_or(Scope::Launch)
    }

    pub(super) fn is_data(&self, poly: &Poly) -> bool {
        poly.unknowns().any(|unknown| self.get(unknown).data)
    }

    /// `⌊poly / divisor⌋`, for a positive divisor.
    pub(super) fn quotient(&mut self, poly: &Poly, divisor: i128) -> Option<Poly> {
        if let Some(value) = poly.value() {
            return Some(Poly::constant(value.div_euclid(divisor)));
        }
        if divisor == 1 {
            return Some(poly.clone());
        }
        // What is divisible comes out.
        let mut whole = Poly::default();
        let mut rest = Poly::default();
        for (monomial, value) in poly.terms() {
            let term = Poly::monomial(monomial.clone(), 1);
            let (times, left) = (value.div_euclid(divisor), value.rem_euclid(divisor));
            // A coefficient that is not divisible stays as it is, but for the constant.
            let (times, left) = if left != 0 && !monomial.is_empty() { (0, value) } else { (times, left) };
            whole = whole.plus(&term, times)?;
            rest = rest.plus(&term, left)?;
        }
        if let Some(value) = rest.value() {
            return whole.offset(value.div_euclid(divisor));
        }
        let (low, high) = self.interval(&rest);
        if let (Some(low), Some(high)) = (low, high)
            && low.div_euclid(divisor) == high.div_euclid(divisor)
        {
            return whole.offset(low.div_euclid(divisor));
        }
        let key = (rest.clone(), divisor);
        if let Some(known) = self.quotients.get(&key) {
            return whole.plus(&Poly::unknown(*known), 1);
        }
        let (scope, data) = (self.scope(&rest), self.is_data(&rest));
        let floor = |bound: i128| bound.div_euclid(divisor);
        let quotient = self.add(scope, low.map(floor), high.map(floor));
        let remainder = rest.plus(&Poly::unknown(quotient), -divisor)?;
        let upper = remainder.scaled(-1)?.offset(divisor - 1)?;
        let known = &mut self.entries[quotient.0 as usize];
        known.facts = Condition::all([Condition::at_least(remainder), Condition::at_least(upper)]);
        (known.quotient, known.data) = (Some((rest, divisor)), data);
        self.quotients.insert(key, quotient);
        whole.plus(&Poly::unknown(quotient), 1)
    }

    /// The value of a polynomial where some unknowns have one, if the others are quotients of it.
    pub(super) fn evaluate(&self, poly: &Poly, value: &dyn Fn(Unknown) -> Option<i128>) -> Option<i128> {
        let mut sum = 0i128;
        for (monomial, coefficient) in poly.terms() {
            let mut product = coefficient;
            for unknown in monomial {
                let factor = match value(*unknown) {
                    Some(known) => known,
                    None => match self.get(*unknown) {
                        Known { quotient: Some((inner, divisor)), .. } => {
                            self.evaluate(inner, value)?.div_euclid(*divisor)
                        }
                        Known { residue: Some(inner), low: Some(low), high: Some(high), .. } => {
                            let distance = self.evaluate(inner, value)?.checked_sub(*low)?;
                            distance.rem_euclid(high - low + 1) + low
                        }
                        _ => return None,
                    },
                };
                product = product.checked_mul(factor)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    /// With what numbers are congruent to in their place, where that is said of them.
    pub(super) fn unwrapped(&self, poly: &Poly) -> Poly {
        let mut poly = poly.clone();
        for _ in 0..8 {
            let inner = |unknown: Unknown| {
                let known = self.entries.get(unknown.0 as usize)?;
                known.residue.clone()
            };
            match poly.put_in(&inner) {
                Some(next) if next != poly => poly = next,
                _ => break,
            }
        }
        poly
    }

    /// Numbers between which a polynomial lies, from those of its unknowns alone.
    pub(super) fn interval(&self, poly: &Poly) -> (Option<i128>, Option<i128>) {
        let (mut low, mut high) = (Some(0i128), Some(0i128));
        for (monomial, coefficient) in poly.terms() {
            let (mut least, mut most) = (Some(coefficient), Some(coefficient));
            for unknown in monomial {
                let known = self.get(*unknown);
                (least, most) = product((least, most), (known.low, known.high));
            }
            low = low.zip(least).and_then(|(a, b)| a.checked_add(b));
            high = high.zip(most).and_then(|(a, b)| a.checked_add(b));
        }
        (low, high)
    }
}

type Interval = (Option<i128>, Option<i128>);

/// Where the product of two numbers lies.
fn product(a: Interval, b: Interval) -> Interval {
    if let ((Some(al), Some(ah)), (Some(bl), Some(bh))) = (a, b) {
        let corners = [al.checked_mul(bl), al.checked_mul(bh), ah.checked_mul(bl), ah.checked_mul(bh)];
        let corners: Option<Vec<i128>> = corners.into_iter().collect();
        return match corners {
            Some(corners) => (corners.iter().min().copied(), corners.iter().max().copied()),
            None => (None, None),
        };
    }
    // With one end open only the sign helps.
    let positive = |x: Interval| x.0.is_some_and(|low| low >= 0);
    let negative = |x: Interval| x.1.is_some_and(|high| high <= 0);
    let times = |x: Option<i128>, y: Option<i128>| x.zip(y).and_then(|(x, y)| x.checked_mul(y));
    match () {
        () if positive(a) && positive(b) => (times(a.0, b.0), times(a.1, b.1)),
        () if negative(a) && positive(b) => (times(a.0, b.1), times(a.1, b.0)),
        () if positive(a) && negative(b) => (times(a.1, b.0), times(a.0, b.1)),
        () => (None, None),
    }
}
