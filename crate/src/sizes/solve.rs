//! Whether conditions on unknowns can hold together.
//!
//! Monomials of a higher degree are taken for unknowns of their own, about which three things are said: the product
//! of a fact and of what is not negative is a fact; where an equation is `a + b·s = 0`, `b` is less than, equal to,
//! or greater than 0; and so on in what is left. That is what Euclidean division needs: from `row·width + column =
//! row'·width + column'` and columns below `width` follows that rows and columns are the same. The linear rest is
//! decided by [`Constraints`]. A disjunction is looked into only if the point that was found does not fulfil it.
//!
//! Guarantees: *refuted* conditions hold for no integers. Misses: what needs products of two facts, and what takes
//! more work than there is.

use super::poly::{Condition, Monomial, Poly, Unknown};
use super::unknowns::{Scope, Table};
use crate::base::{Constraints, Linear, OutOfReach, Point};
use std::collections::{BTreeMap, BTreeSet};

/// What came of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// They cannot hold together.
    Refuted,
    /// Integers for which they hold.
    Holds,
    /// Neither was found.
    Open,
}

/// How much may be done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// Coefficients that may be looked at, for all questions together.
    pub(super) left: u64,
}

/// Coefficients for one question, and for one system of linear constraints.
pub(super) const QUESTION: u64 = 4_000_000;
const SYSTEM: u64 = 200_000;
/// The same where an answer is only of use: whether a number fits, whether a bound holds; and where there is
/// another.
pub(super) const ASIDE: u64 = 300_000;
pub(super) const GLANCE: u64 = 20_000;
/// Coefficients for a point that says where to look next.
const GUIDE: u64 = 30_000;
/// Cases of one question.
const CASES: u32 = 300;
/// Products of facts in one system.
const PRODUCTS: usize = 300;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Atom {
    poly: Poly,
    /// `= 0`, not `≥ 0`.
    zero: bool,
}

struct Search<'t> {
    table: &'t Table,
    work: u64,
    cases: u32,
    /// Facts are multiplied by unknowns of this scope.
    factors: Scope,
}

/// Everything on one way through the cases.
#[derive(Clone, Default)]
struct Case {
    atoms: Vec<Atom>,
    open: Vec<Vec<Condition>>,
    known: BTreeSet<Unknown>,
    /// Cofactors whose sign is settled.
    signs: BTreeSet<Poly>,
    fail: bool,
}

/// Whether these conditions, and the facts about their unknowns, can hold together.
pub(super) fn solve(table: &Table, conditions: &[Condition], work: &mut Work, most: u64) -> Found {
    let mut found = Found::Open;
    // Sizes are what other things are multiplied by; other factors are tried if that does not do.
    for factors in [Scope::Launch, Scope::Cta, Scope::Thread] {
        let given = most.min(work.left);
        let mut search = Search { table, work: given, cases: CASES, factors };
        let mut case = Case::default();
        conditions.iter().for_each(|condition| search.take(&mut case, condition));
        found = search.search(case);
        work.left -= given - search.work;
        if found != Found::Open || most == GLANCE {
            break;
        }
    }
    found
}

impl Search<'_> {
    fn take(&mut self, case: &mut Case, condition: &Condition) {
        let mut waiting = vec![condition.clone()];
        while let Some(condition) = waiting.pop() {
            match condition {
                Condition::True => {}
                Condition::False => case.fail = true,
                Condition::AtLeast(poly) => self.atom(case, Atom { poly, zero: false }, &mut waiting),
                Condition::Zero(poly) => self.atom(case, Atom { poly, zero: true }, &mut waiting),
                Condition::All(parts) => waiting.extend(parts.into_iter().rev()),
                Condition::Any(parts) => case.open.push(parts),
            }
        }
    }

    fn atom(&mut self, case: &mut Case, atom: Atom, waiting: &mut Vec<Condition>) {
        if case.atoms.contains(&atom) {
            return;
        }
        let unknowns: Vec<Unknown> = atom.poly.unknowns().collect();
        case.atoms.push(atom);
        for unknown in unknowns {
            if !case.known.insert(unknown) {
                continue;
            }
            let known = self.table.get(unknown);
            let own = Poly::unknown(unknown);
            if let Some(low) = known.low
                && let Some(poly) = own.offset(-low)
            {
                case.atoms.push(Atom { poly, zero: false });
            }
            if let Some(high) = known.high
                && let Some(poly) = own.scaled(-1).and_then(|poly| poly.offset(high))
            {
                case.atoms.push(Atom { poly, zero: false });
            }
            waiting.push(known.facts.clone());
        }
    }

    fn search(&mut self, case: Case) -> Found {
        if case.fail {
            return Found::Refuted;
        }
        if self.cases == 0 || self.work == 0 {
            return Found::Open;
        }
        self.cases -= 1;
        let (system, names) = self.linear(&case);
        let given = SYSTEM.min(self.work);
        let mut left = given;
        let excluded = system.clone().excluded(&mut left);
        self.work -= given - left;
        if excluded == Ok(true) {
            return Found::Refuted;
        }
        // A point says where to look next.
        let given = GUIDE.min(self.work);
        let mut left = given;
        let solved = match excluded {
            Ok(_) => system.solve(&mut left),
            Err(_) => Err(OutOfReach),
        };
        self.work -= given - left;
        let point = match solved {
            Ok(None) => return Found::Refuted,
            Ok(Some(point)) => Some(point),
            Err(_) => None,
        };
        if point.is_none()
            && !case.open.iter().any(|parts| parts.iter().all(|part| value_of(part).is_some()))
            && let Some(cofactor) = self.cofactor(&case, &|_| false)
        {
            return self.by_sign(&case, cofactor);
        }
        // A disjunction that the point does not fulfil; without a point, any.
        let value = |poly: &Poly| {
            let mut sum = 0i128;
            for (monomial, coefficient) in poly.terms() {
                let factor = match monomial.is_empty() {
                    true => 1,
                    false => valued(&names, point.as_ref()?, monomial)?,
                };
                sum = sum.checked_add(coefficient.checked_mul(factor)?)?;
            }
            Some(sum)
        };
        let meets = |parts: &Vec<Condition>| parts.iter().any(|part| part.holds(&value) == Some(true));
        let single = |parts: &Vec<Condition>| parts.iter().all(|part| value_of(part).is_some());
        let unmet = case.open.iter().position(|parts| single(parts) && !meets(parts));
        let unmet = unmet.or_else(|| case.open.iter().position(|parts| !meets(parts)));
        if let Some(at) = unmet {
            let mut rest = case;
            let parts = rest.open.remove(at);
            let cases = parts.into_iter().map(|part| vec![part]).collect();
            return self.each(&rest, cases, None);
        }
        let consistent = |monomial: &Monomial| {
            let Some(point) = &point else { return false };
            let product = monomial.iter().try_fold(1i128, |product, unknown| {
                product.checked_mul(valued(&names, point, &vec![*unknown])?)
            });
            product.is_some() && product == valued(&names, point, monomial)
        };
        if point.is_some() && names.keys().filter(|monomial| monomial.len() > 1).all(consistent) {
            return Found::Holds;
        }
        // One of few values, of which every product is known; then a factor's sign; then what is left.
        let wrong: BTreeSet<Unknown> = names
            .keys()
            .filter(|monomial| monomial.len() > 1 && !consistent(monomial))
            .flatten()
            .copied()
            .collect();
        let few = |parts: &Vec<Condition>| {
            parts.iter().all(|part| value_of(part).is_some_and(|unknown| wrong.contains(&unknown)))
        };
        let cofactor = self.cofactor(&case, &consistent);
        let branch = case
            .open
            .iter()
            .position(few)
            .or_else(|| if cofactor.is_none() && !case.open.is_empty() { Some(0) } else { None });
        if let Some(at) = branch {
            let mut rest = case;
            let cases = rest.open.remove(at).into_iter().map(|part| vec![part]).collect();
            return self.each(&rest, cases, None);
        }
        match cofactor {
            Some(cofactor) => self.by_sign(&case, cofactor),
            None => Found::Open,
        }
    }

    /// A factor is 0, less, or more.
    fn by_sign(&mut self, case: &Case, cofactor: Poly) -> Found {
        let cases = [Some(Condition::zero(cofactor.clone())), less(&cofactor, -1), less(&cofactor, 1)];
        match cases.into_iter().map(|one| Some(vec![one?])).collect::<Option<Vec<_>>>() {
            Some(cases) => self.each(case, cases, Some(cofactor)),
            None => Found::Open,
        }
    }

    /// All cases are refuted, or some is not.
    fn each(&mut self, rest: &Case, cases: Vec<Vec<Condition>>, sign: Option<Poly>) -> Found {
        let mut open = false;
        for conditions in cases {
            let mut case = rest.clone();
            case.signs.extend(sign.clone());
            conditions.iter().for_each(|condition| self.take(&mut case, condition));
            match self.search(case) {
                Found::Refuted => {}
                Found::Holds => return Found::Holds,
                Found::Open => open = true,
            }
        }
        if open { Found::Open } else { Found::Refuted }
    }

    /// A factor whose sign is not known yet, in an atom with a monomial that is not what its factors make.
    fn cofactor(&self, case: &Case, consistent: &dyn Fn(&Monomial) -> bool) -> Option<Poly> {
        let mut best: Option<(u32, Poly)> = None;
        for (place, atom) in case.atoms.iter().enumerate() {
            if !atom.poly.terms().any(|(monomial, _)| monomial.len() > 1 && !consistent(monomial)) {
                continue;
            }
            let unknowns: BTreeSet<Unknown> = atom.poly.unknowns().collect();
            for unknown in unknowns {
                let cofactor = atom.poly.split(unknown).1.primitive();
                if cofactor.value().is_some() || case.signs.contains(&cofactor) {
                    continue;
                }
                let (low, high) = self.table.interval(&cofactor);
                let both = low.is_none_or(|low| low < 0) && high.is_none_or(|high| high > 0);
                let settled = low.is_some_and(|low| low > 0) || high.is_some_and(|high| high < 0);
                if settled {
                    continue;
                }
                // Equations first, then what can have either sign; what was asked stands first.
                let cost = u32::from(!atom.zero) * 4 + u32::from(!both) * 8 + u32::from(place > 8);
                let cost = cost * 8 + cofactor.degree() as u32;
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, cofactor));
                }
            }
        }
        best.map(|(_, cofactor)| cofactor)
    }

    /// The atoms and products of them, with a name for each monomial.
    fn linear(&self, case: &Case) -> (Constraints, BTreeMap<Monomial, u32>) {
        let mut names: BTreeMap<Monomial, u32> = BTreeMap::new();
        let mut system = Constraints::default();
        let products = self.products(case);
        for atom in case.atoms.iter().chain(&products) {
            let mut sum = Linear::default();
            let mut fits = true;
            for (monomial, coefficient) in atom.poly.terms() {
                let part = match monomial.is_empty() {
                    true => Linear::constant(coefficient),
                    false => {
                        let next = names.len() as u32;
                        Linear::variable(*names.entry(monomial.clone()).or_insert(next), coefficient)
                    }
                };
                match sum.plus(&part, 1) {
                    Ok(more) => sum = more,
                    Err(_) => fits = false,
                }
            }
            // Fewer constraints say less.
            match (fits, atom.zero) {
                (false, _) => {}
                (true, true) => system.zero(sum),
                (true, false) => system.at_least(&sum),
            }
        }
        (system, names)
    }

    /// Products of atoms and of factors that are not negative, as far as they speak of the monomials that occur.
    fn products(&self, case: &Case) -> Vec<Atom> {
        let mut made = BTreeSet::new();
        // Products bring monomials of their own, of which more has to be said.
        let mut seen = BTreeSet::new();
        for _ in 0..2 {
            let known = case.atoms.iter().chain(&made);
            let all = known.flat_map(|atom| atom.poly.terms().map(|(monomial, _)| monomial));
            let monomials: BTreeSet<Monomial> =
                all.filter(|monomial| monomial.len() > 1 && !seen.contains(*monomial)).cloned().collect();
            for monomial in &monomials {
                self.products_for(case, monomial, &mut made);
            }
            seen.extend(monomials);
        }
        made.into_iter().collect()
    }

    fn products_for(&self, case: &Case, monomial: &Monomial, made: &mut BTreeSet<Atom>) {
        for (at, unknown) in monomial.iter().enumerate() {
            let mut factor = monomial.clone();
            factor.remove(at);
            let known = |own: &Unknown| self.table.get(*own);
            if factor.iter().any(|own| known(own).scope > self.factors) {
                continue;
            }
            let positive = factor.iter().all(|own| known(own).low.is_some_and(|low| low >= 0));
            let times = Poly::monomial(factor, 1);
            let mentions =
                |atom: &&Atom| atom.poly.terms().any(|(own, _)| own.len() == 1 && own[0] == *unknown);
            for atom in case.atoms.iter().filter(mentions).filter(|atom| atom.zero || positive) {
                if made.len() < PRODUCTS
                    && let Some(poly) = atom.poly.times(&times)
                {
                    made.insert(Atom { poly, zero: atom.zero });
                }
            }
        }
    }
}

fn valued(names: &BTreeMap<Monomial, u32>, point: &Point, monomial: &Monomial) -> Option<i128> {
    Some(point.get(names.get(monomial)?).copied().unwrap_or_default())
}

/// The unknown that has one value, if that is what a condition says.
fn value_of(condition: &Condition) -> Option<Unknown> {
    match condition {
        Condition::Zero(poly) if poly.degree() == 1 => poly.unknowns().next(),
        _ => None,
    }
}

/// `poly · sign ≥ 1`
fn less(poly: &Poly, sign: i128) -> Option<Condition> {
    Some(Condition::at_least(poly.scaled(sign)?.offset(-1)?))
}
