//! Equality by cases: every way in which the comparisons that occur can come out.
//!
//! A difference that does not vanish as it stands may still be zero because maxima, absolute
//! values and conditions know of each other: `if a < b then b else a` is `max(a, b)`. The
//! procedure splits on one comparison at a time, drops cases that contradict the facts gathered so
//! far (linear arithmetic over monomials, of which some are integers), resolves what the facts imply, and asks
//! again whether the difference vanishes. In a case `p = 0` an element is eliminated. A rounding, a quotient and
//! a part of a word are known to lie next to what they are of. In a case that is about integers alone and leaves
//! a difference, integers are solved for at which it is not zero: inputs to try, and no more.
//!
//! Guarantees: *zero* only if the difference is zero in every case, and the cases cover all
//! inputs. Bounded: too many cases, or a maximum of too many candidates, leave it open.
//! Source: DESIGN §5.3.

use super::forms::{Atom, Forms, Kind, Mono, Poly, Power, Product, Rule, Step, Stop};
use super::integers::{PART, QUOTIENT, WRAP, fraction, integers_of};
use super::linear::{Constraint, contradictory, integers_in};
use super::rational::Rational;
use crate::term::Unary;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// Cases looked at for one question.
const MOST_CASES: u32 = 512;
/// Comparisons assumed at once.
const DEEPEST: usize = 24;
/// Candidates of a maximum that is split on.
const MOST_CANDIDATES: usize = 8;
/// So many coefficients of constraints, or monomials that are only read, cost as much as one that is made.
const CHEAPER: u64 = 64;
/// Facts over more monomials than this are not reasoned about.
const MOST_VARIABLES: usize = 64;

/// `poly > 0`, or `poly ≥ 0`.
#[derive(Clone, Debug)]
struct Fact {
    poly: Poly,
    strict: bool,
}

/// What one case assumes.
#[derive(Clone, Default, Debug)]
struct Case {
    facts: Vec<Fact>,
    /// Opaque conditions and how they come out.
    conditions: BTreeMap<Atom, bool>,
    /// Elements eliminated by equations, in the order of their elimination.
    eliminated: Vec<(Atom, Poly)>,
    /// What was divided by, as far as the case made something else of it that may be zero.
    divisors: Vec<Poly>,
}

/// One way a comparison can come out.
enum Branch {
    Facts(Vec<Fact>),
    Condition(Atom, bool),
    /// `poly = 0`.
    Equation(Poly),
}

/// What looking at all cases came to.
pub(super) enum Cases {
    /// The difference is zero in each of so many.
    Zero(u32),
    /// It is not zero in one in which these elements, and 0 for all others, may be.
    Elsewhere(Vec<(u32, i128)>),
    /// Nothing was shown.
    Open,
}

/// What was looked at so far.
#[derive(Default)]
struct Looked {
    cases: u32,
    point: Option<Vec<(u32, i128)>>,
}

/// Whether a difference is zero in all cases, as far as that is seen while touching `work` monomials.
pub(super) fn vanishes_by_cases(forms: &mut Forms<'_>, difference: Poly, work: u64) -> Step<Cases> {
    if first_comparison(forms, difference).is_none() {
        return Ok(Cases::Open);
    }
    let mut looked = Looked::default();
    forms.limit_work(work);
    // What a case assumes on the way is no assumption of the answer.
    let notes = forms.notes.clone();
    let shown = match asks_for_a_zero(forms, difference) {
        Ok(true) => Ok(false),
        Ok(false) => vanishes_in(forms, difference, Case::default(), &mut looked),
        Err(stop) => Err(stop),
    };
    forms.notes = notes;
    match shown {
        // A case without an answer was not shown.
        Ok(true) => Ok(Cases::Zero(looked.cases)),
        Ok(false) | Err(Stop::Unknown(_)) => Ok(looked.point.map_or(Cases::Open, Cases::Elsewhere)),
        Err(stop) => Err(stop),
    }
}

fn vanishes_in(forms: &mut Forms<'_>, difference: Poly, mut case: Case, looked: &mut Looked) -> Step<bool> {
    looked.cases += 1;
    if looked.cases > MOST_CASES || case.facts.len() > DEEPEST || !divides(forms, difference, &mut case)? {
        return Ok(false);
    }
    let difference = resolve(forms, difference, &case)?;
    if forms.vanishes(difference)? {
        return Ok(true);
    }
    let Some(atom) = first_comparison(forms, difference) else {
        let pinched = is_pinched(forms, &case, difference)?;
        if !pinched && looked.point.is_none() {
            looked.point = point_of(forms, &case, difference)?;
        }
        return Ok(pinched);
    };
    for branch in branches(forms, atom)? {
        let Some(case) = extend(forms, &case, branch)? else { continue };
        if !vanishes_in(forms, difference, case, looked)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether nothing that a difference divides by, or divided by before it cancelled, is zero in a case.
fn divides(forms: &mut Forms<'_>, difference: Poly, case: &mut Case) -> Step<bool> {
    let own = divisors_of(forms, difference, &mut 0);
    let carried = std::mem::take(&mut case.divisors);
    for (divisor, is_carried) in
        own.into_iter().map(|own| (own, false)).chain(carried.into_iter().map(|own| (own, true)))
    {
        let resolved = resolve(forms, divisor, case)?;
        if resolved == Poly::ZERO {
            return Ok(false);
        }
        if (is_carried || resolved != divisor) && !forms.sign(resolved).is_non_zero() {
            case.divisors.push(resolved);
        }
    }
    Ok(true)
}

/// What a polynomial and all that it mentions divide by, as far as it may be zero. Counts the monomials.
fn divisors_of(forms: &mut Forms<'_>, root: Poly, read: &mut u64) -> Vec<Poly> {
    let mut seen = BTreeSet::from([root]);
    let mut open = vec![root];
    let mut divisors = BTreeSet::new();
    while let Some(poly) = open.pop() {
        *read += forms.len(poly) as u64;
        for at in 0..forms.len(poly) {
            let mono = forms.mono_at(poly, at);
            for index in 0..forms.factor_count(mono) {
                let (atom, power) = forms.factor(mono, index);
                if power.above < 0 && !forms.atom_sign(atom).is_non_zero() {
                    divisors.insert(atom);
                }
            }
        }
        forms.parts(poly, &mut |part| {
            if seen.insert(part) {
                open.push(part);
            }
        });
    }
    let as_it_stands = |atom: Atom| match forms.kind(atom) {
        Kind::Sum(body) => Ok(body),
        _ => Err(atom),
    };
    let divisors: Vec<Result<Poly, Atom>> = divisors.into_iter().map(as_it_stands).collect();
    let poly = |divisor| match divisor {
        Ok(body) => Some(body),
        Err(atom) => forms.atom_poly(atom).ok(),
    };
    divisors.into_iter().filter_map(poly).collect()
}

/// Whether a term is divided by what is zero wherever its conditions hold: a kernel asked, so that it need not
/// divide there.
fn asks_for_a_zero(forms: &mut Forms<'_>, difference: Poly) -> Step<bool> {
    let one = Rational::ONE;
    let mut read = 0;
    if divisors_of(forms, difference, &mut read).is_empty() {
        return Ok(false);
    }
    for at in 0..forms.len(difference) {
        let term = forms.term(difference, at);
        let factors = (0..forms.factor_count(term.mono)).map(|index| forms.factor(term.mono, index).0);
        let conditions: Vec<Atom> = factors.filter(|atom| forms.is_indicator(*atom)).collect();
        if conditions.is_empty() {
            continue;
        }
        let term = forms.poly(&Product { coefficient: one.clone(), mono: term.mono })?;
        let divisors = divisors_of(forms, term, &mut read);
        count(forms, std::mem::take(&mut read))?;
        let mut case = Case::default();
        for condition in conditions.into_iter().filter(|_| !divisors.is_empty()) {
            let branch = match forms.kind(condition) {
                Kind::Positive(p) => Branch::Facts(vec![Fact { poly: p, strict: true }]),
                Kind::Zero(p) => Branch::Equation(p),
                _ => Branch::Condition(condition, true),
            };
            match extend(forms, &case, branch)? {
                Some(extended) => case = extended,
                None => break,
            }
        }
        for divisor in divisors {
            if resolve(forms, divisor, &case)? == Poly::ZERO {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether the facts leave a polynomial no other value than 0: a rounding that is at most -128 of what is more
/// than -128.
fn is_pinched(forms: &mut Forms<'_>, case: &Case, poly: Poly) -> Step<bool> {
    let negated = forms.negated(poly)?;
    Ok(follows(forms, case, poly, false)? && follows(forms, case, negated, false)?)
}

/// The ways in which the comparison behind an atom can come out; they cover everything.
fn branches(forms: &mut Forms<'_>, atom: Atom) -> Step<Vec<Branch>> {
    let at_least = |poly, strict| Branch::Facts(vec![Fact { poly, strict }]);
    Ok(match forms.kind(atom) {
        Kind::Positive(p) | Kind::Zero(p) | Kind::Abs(p) => {
            let below = forms.negated(p)?;
            vec![at_least(p, true), at_least(below, true), Branch::Equation(p)]
        }
        Kind::Max | Kind::Contest => {
            let (scores, in_order) = rivals(forms, atom);
            let mut branches = Vec::with_capacity(scores.len());
            for (at, winner) in scores.iter().enumerate() {
                let mut facts = Vec::with_capacity(scores.len() - 1);
                for (other, score) in scores.iter().enumerate().filter(|(other, _)| *other != at) {
                    let strict = in_order && other < at;
                    facts.push(Fact { poly: forms.minus(*winner, *score)?, strict });
                }
                branches.push(Branch::Facts(facts));
            }
            branches
        }
        _ => vec![Branch::Condition(atom, true), Branch::Condition(atom, false)],
    })
}

/// The case with one more assumption; `None` if that cannot be.
fn extend(forms: &mut Forms<'_>, case: &Case, branch: Branch) -> Step<Option<Case>> {
    let mut case = case.clone();
    match branch {
        Branch::Condition(atom, holds) => {
            case.conditions.insert(atom, holds);
            return Ok(Some(case));
        }
        Branch::Facts(facts) => case.facts.extend(facts),
        Branch::Equation(poly) => {
            let negated = forms.negated(poly)?;
            case.facts.extend([Fact { poly, strict: false }, Fact { poly: negated, strict: false }]);
            if let Some((atom, value)) = forms.solved_for(poly)? {
                case.eliminated.push((atom, value));
                for at in 0..case.facts.len() {
                    case.facts[at].poly = substitute(forms, case.facts[at].poly, atom, value)?;
                }
                // An integer still has the range of its format.
                if let Some((low, high)) = range_of_element(forms, atom) {
                    let whole = |value: i128| Rational::from_big(&BigRational::from_integer(value.into()));
                    let (low, high) = (forms.rational(whole(low))?, forms.rational(whole(high))?);
                    let room = [forms.minus(value, low)?, forms.minus(high, value)?];
                    case.facts.extend(room.map(|poly| Fact { poly, strict: false }));
                }
            }
        }
    }
    // Trivial facts only cost time.
    let mut feasible = true;
    case.facts.retain(|fact| match forms.constant(fact.poly) {
        Some(value) => {
            feasible &= value.is_positive() || (value.is_zero() && !fact.strict);
            false
        }
        None => true,
    });
    if !feasible || impossible(forms, &case.facts, None)? {
        return Ok(None);
    }
    Ok(Some(case))
}

/// Least and greatest value of an element that is an integer.
fn range_of_element(forms: &Forms<'_>, atom: Atom) -> Option<(i128, i128)> {
    match forms.kind(atom) {
        Kind::Element(element) => forms.integer_format(element).map(integers_of),
        _ => None,
    }
}

fn substitute(forms: &mut Forms<'_>, poly: Poly, atom: Atom, value: Poly) -> Step<Poly> {
    forms.rewrite(poly, &mut |_, other| Ok((other == atom).then_some(value)))
}

/// The polynomial with everything put in that a case implies.
fn resolve(forms: &mut Forms<'_>, poly: Poly, case: &Case) -> Step<Poly> {
    let mut poly = poly;
    for (atom, value) in &case.eliminated {
        poly = substitute(forms, poly, *atom, *value)?;
    }
    let mut rule = |forms: &mut Forms<'_>, atom: Atom| implied(forms, atom, case);
    let rule: &mut Rule<'_> = &mut rule;
    forms.rewrite(poly, rule)
}

/// What a case makes of an atom.
fn implied(forms: &mut Forms<'_>, atom: Atom, case: &Case) -> Step<Option<Poly>> {
    if let Some(holds) = case.conditions.get(&atom) {
        return Ok(Some(if *holds { Poly::ONE } else { Poly::ZERO }));
    }
    match forms.kind(atom) {
        Kind::Positive(p) => {
            if follows(forms, case, p, true)? {
                return Ok(Some(Poly::ONE));
            }
            let below = forms.negated(p)?;
            Ok(follows(forms, case, below, false)?.then_some(Poly::ZERO))
        }
        Kind::Zero(p) => {
            let below = forms.negated(p)?;
            if follows(forms, case, p, true)? || follows(forms, case, below, true)? {
                return Ok(Some(Poly::ZERO));
            }
            let equal = follows(forms, case, p, false)? && follows(forms, case, below, false)?;
            Ok(equal.then_some(Poly::ONE))
        }
        Kind::Abs(p) => {
            if follows(forms, case, p, false)? {
                return Ok(Some(p));
            }
            let below = forms.negated(p)?;
            Ok(follows(forms, case, below, false)?.then_some(below))
        }
        kind @ (Kind::Max | Kind::Contest) => {
            let (scores, in_order) = rivals(forms, atom);
            if scores.len() > MOST_VARIABLES {
                return Ok(None);
            }
            let left = forms
                .unbeaten(&scores, in_order, |forms, lead, strict| follows(forms, case, lead, strict))?;
            if left.len() == scores.len() {
                return Ok(None);
            }
            if matches!(kind, Kind::Max) {
                let left: Vec<Poly> = left.into_iter().map(|at| scores[at]).collect();
                return forms.max_of(&left).map(Some);
            }
            let candidates = forms.contest_candidates(atom);
            let left = left.into_iter().map(|at| candidates[at]).collect();
            let left = forms.who_may_win(left)?;
            forms.first_of(&left).map(Some)
        }
        _ => Ok(None),
    }
}

/// Whether the facts imply `poly > 0` (or `≥ 0`).
fn follows(forms: &mut Forms<'_>, case: &Case, poly: Poly, strict: bool) -> Step<bool> {
    forms.tick(64)?;
    let negated = forms.negated(poly)?;
    impossible(forms, &case.facts, Some(Fact { poly: negated, strict: !strict }))
}

/// Integers at which a difference is not zero in a case, if it is about integers alone.
fn point_of(forms: &mut Forms<'_>, case: &Case, difference: Poly) -> Step<Option<Vec<(u32, i128)>>> {
    for side in [difference, forms.negated(difference)?] {
        let mut aside = Aside::default();
        let also = Some(Fact { poly: side, strict: true });
        let Some(constraints) = constraints_of(forms, &case.facts, also, &mut aside) else { continue };
        let is_whole = |variable: u32| aside.has(variable) || forms.is_whole_mono(Mono(variable));
        let mut work = 0;
        let point = integers_in(&constraints, &is_whole, &mut work);
        count(forms, work)?;
        let Some(point) = point else { continue };
        let mut elements: BTreeMap<Atom, i128> = BTreeMap::new();
        for (variable, value) in point.iter().filter(|(variable, _)| !aside.has(**variable)) {
            let mono = Mono(*variable);
            if forms.factor_count(mono) == 1 && forms.factor(mono, 0).1 == Power::ONE {
                elements.insert(forms.factor(mono, 0).0, *value);
            }
        }
        // What was eliminated is a sum of what is left.
        for (atom, value) in case.eliminated.iter().rev() {
            let mut sum = Rational::ZERO;
            for at in 0..forms.len(*value) {
                let term = forms.term(*value, at);
                let known = match term.mono {
                    Mono::ONE => 1,
                    mono if forms.factor_count(mono) == 1 => {
                        elements.get(&forms.factor(mono, 0).0).copied().unwrap_or_default()
                    }
                    _ => return Ok(None),
                };
                let known = Rational::from_big(&BigRational::from_integer(known.into()));
                sum = sum.plus(&term.coefficient.times(&known));
            }
            let sum = sum.to_big();
            let Some(whole) = sum.is_integer().then(|| sum.to_integer().to_i128()).flatten() else {
                return Ok(None);
            };
            elements.insert(*atom, whole);
        }
        let element = |(atom, value): (Atom, i128)| match forms.kind(atom) {
            Kind::Element(element) => Some((element, value)),
            _ => None,
        };
        let values: Vec<(u32, i128)> = elements.into_iter().filter_map(element).collect();
        let has_place = |(element, value): &(u32, i128)| {
            let format = forms.integer_format(*element);
            format.map(integers_of).is_some_and(|(low, high)| low <= *value && *value <= high)
        };
        if values.iter().all(has_place) {
            return Ok(Some(values));
        }
    }
    Ok(None)
}

/// Counts what is cheap.
fn count(forms: &mut Forms<'_>, work: u64) -> Step<()> {
    if work < CHEAPER { Ok(()) } else { forms.tick(work / CHEAPER) }
}

/// Whether facts contradict each other, monomials taken as unknowns of known sign.
fn impossible(forms: &mut Forms<'_>, facts: &[Fact], also: Option<Fact>) -> Step<bool> {
    let mut aside = Aside::default();
    let Some(constraints) = constraints_of(forms, facts, also, &mut aside) else { return Ok(false) };
    let mut work = 0;
    let is_whole = |variable| aside.has(variable) || forms.is_whole_mono(Mono(variable));
    let impossible = contradictory(constraints, &is_whole, &mut work);
    count(forms, work)?;
    Ok(impossible)
}

/// Facts, and what is known of the monomials in them; `None` if there are too many.
fn constraints_of(
    forms: &Forms<'_>,
    facts: &[Fact],
    also: Option<Fact>,
    aside: &mut Aside,
) -> Option<Vec<Constraint>> {
    let mut constraints = Vec::with_capacity(facts.len() + 1);
    let mut variables: BTreeSet<Mono> = BTreeSet::new();
    for fact in facts.iter().chain(&also) {
        let mut terms = BTreeMap::new();
        let mut constant = Rational::ZERO;
        for at in 0..forms.len(fact.poly) {
            let mono = forms.mono_at(fact.poly, at);
            let coefficient = forms.coefficient_at(fact.poly, at).clone();
            if mono == Mono::ONE {
                constant = coefficient;
            } else {
                variables.insert(mono);
                terms.insert(mono.0, coefficient);
            }
            if variables.len() > MOST_VARIABLES {
                return None;
            }
        }
        constraints.push(Constraint { terms, constant, strict: fact.strict });
    }
    // What is rounded, divided or cut lies next to what is left of it.
    let mut open: Vec<Mono> = variables.iter().copied().collect();
    while let Some(mono) = open.pop() {
        for constraint in neighbours(forms, mono, aside) {
            for variable in constraint.terms.keys().filter(|variable| !aside.has(**variable)) {
                let variable = Mono(*variable);
                if variables.len() < MOST_VARIABLES && variables.insert(variable) {
                    open.push(variable);
                }
            }
            constraints.push(constraint);
        }
    }
    let is_whole = |variable: u32| aside.has(variable) || forms.is_whole_mono(Mono(variable));
    constraints.iter_mut().for_each(|constraint| tighten(constraint, &is_whole));
    for mono in &variables {
        let mut bound = |side: Rational, constant: Rational, strict: bool| {
            constraints.push(Constraint { terms: BTreeMap::from([(mono.0, side)]), constant, strict });
        };
        let sign = forms.mono_sign(*mono);
        if sign.is_non_negative() {
            bound(Rational::ONE, Rational::ZERO, sign.is_non_zero());
        }
        let range = forms.mono_range(*mono);
        if let Some(low) = BigRational::from_float(range.low()).filter(|low| !low.is_zero()) {
            bound(Rational::ONE, Rational::from_big(&-low), false);
        }
        if let Some(high) = BigRational::from_float(range.high()) {
            bound(Rational::MINUS_ONE, Rational::from_big(&high), false);
        }
    }
    Some(constraints)
}

/// Integers that stand for no monomial: how many words or units something is beside the part that is asked for.
#[derive(Default)]
struct Aside(u32);

impl Aside {
    fn fresh(&mut self) -> u32 {
        self.0 += 1;
        u32::MAX - self.0
    }

    fn has(&self, variable: u32) -> bool {
        variable >= u32::MAX - self.0
    }
}

/// What is known about a monomial that is rounded, a quotient, or a part of a word, and about what it is of, which
/// is an integer for the last two; nothing for others.
fn neighbours(forms: &Forms<'_>, mono: Mono, aside: &mut Aside) -> Vec<Constraint> {
    if forms.factor_count(mono) != 1 || forms.exponent(mono) != Poly::ZERO {
        return Vec::new();
    }
    let (atom, power) = forms.factor(mono, 0);
    if power != Power::ONE {
        return Vec::new();
    }
    // `scale·of - unit·(this, and what is aside)` lies between two bounds, or on them.
    let between = |of: Poly, scale: &Rational, others: &[(u32, Rational)], bounds: [(Rational, bool); 2]| {
        let sides = [Rational::ONE, Rational::MINUS_ONE];
        let constraint = |(side, (bound, strict)): (Rational, (Rational, bool))| {
            let mut terms: BTreeMap<u32, Rational> = BTreeMap::new();
            let mut constant = bound.times(&side.negated());
            let mut add = |variable: u32, coefficient: &Rational| {
                let sum = terms.entry(variable).or_insert(Rational::ZERO);
                *sum = sum.plus(&coefficient.times(&side));
            };
            others.iter().for_each(|(variable, coefficient)| add(*variable, coefficient));
            for at in 0..forms.len(of) {
                let taken = forms.coefficient_at(of, at).times(scale);
                match forms.mono_at(of, at) {
                    Mono::ONE => constant = constant.plus(&taken.times(&side)),
                    mono => add(mono.0, &taken),
                }
            }
            terms.retain(|_, coefficient| !coefficient.is_zero());
            Constraint { terms, constant, strict }
        };
        sides.into_iter().zip(bounds).map(constraint).collect::<Vec<Constraint>>()
    };
    let whole = |value: u64| Rational::from_big(&BigRational::from_integer(value.into()));
    let two_to = |exponent: u32| Rational::from_big(&BigRational::from_integer(BigInt::from(1) << exponent));
    let less = |value: &Rational| value.plus(&Rational::MINUS_ONE);
    match forms.kind(atom) {
        Kind::Function(function, of) if forms.len(of) <= MOST_VARIABLES => {
            // How far below and above; whether it may be that far.
            let bounds = match function {
                Unary::Floor => [(Rational::ZERO, false), (Rational::ONE, true)],
                Unary::Trunc => [(Rational::MINUS_ONE, true), (Rational::ONE, true)],
                Unary::RoundEven => [(Rational::new(-1, 2), false), (Rational::new(1, 2), false)],
                _ => return Vec::new(),
            };
            between(of, &Rational::ONE, &[(mono.0, Rational::MINUS_ONE)], bounds)
        }
        Kind::Opaque => {
            let (name, parts) = forms.opaque_parts(atom);
            let Some(of) = parts.first().copied().filter(|of| forms.len(*of) <= MOST_VARIABLES) else {
                return Vec::new();
            };
            match name[..] {
                [QUOTIENT, ..] => {
                    let Some((above, below)) = fraction(&name) else { return Vec::new() };
                    let below = whole(below);
                    let others = [(mono.0, below.negated())];
                    between(of, &whole(above), &others, [(Rational::ZERO, false), (less(&below), false)])
                }
                [WRAP, n, signed] => {
                    let others = [(mono.0, Rational::MINUS_ONE), (aside.fresh(), two_to(n))];
                    let same = [(Rational::ZERO, false), (Rational::ZERO, false)];
                    let mut all = between(of, &Rational::ONE, &others, same);
                    let (least, most) = match signed {
                        0 => (Rational::ZERO, less(&two_to(n))),
                        _ => (two_to(n - 1).negated(), less(&two_to(n - 1))),
                    };
                    let own = [(mono.0, Rational::ONE)];
                    all.extend(between(Poly::ZERO, &Rational::ONE, &own, [(least, false), (most, false)]));
                    all
                }
                [PART, at, length] => {
                    let unit = two_to(at);
                    let others = [(mono.0, unit.negated()), (aside.fresh(), two_to(at + length))];
                    let mut all =
                        between(of, &Rational::ONE, &others, [(Rational::ZERO, false), (less(&unit), false)]);
                    let own = [(mono.0, Rational::ONE)];
                    let bounds = [(Rational::ZERO, false), (less(&two_to(length)), false)];
                    all.extend(between(Poly::ZERO, &Rational::ONE, &own, bounds));
                    all
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// A sum of integers is at least the integer above what it is more than.
fn tighten(constraint: &mut Constraint, is_whole: &dyn Fn(u32) -> bool) {
    let mut whole = constraint.terms.iter();
    if whole.all(|(variable, coefficient)| coefficient.is_integer() && is_whole(*variable)) {
        let constant = constraint.constant.to_big();
        let lowered = match constraint.strict && constant.is_integer() {
            true => constant - BigRational::from_integer(1.into()),
            false => constant.floor(),
        };
        (constraint.constant, constraint.strict) = (Rational::from_big(&lowered), false);
    }
}

/// The innermost comparison that a polynomial depends on: atoms only mention older ones.
fn first_comparison(forms: &Forms<'_>, root: Poly) -> Option<Atom> {
    forms.atoms_below(root).into_iter().find(|atom| match forms.kind(*atom) {
        Kind::Positive(_) | Kind::Zero(_) | Kind::Abs(_) | Kind::Condition => true,
        Kind::Max | Kind::Contest => rivals(forms, *atom).0.len() <= MOST_CANDIDATES,
        _ => false,
    })
}

/// What a maximum or a contest compares, and whether the earlier of two that tie wins.
fn rivals(forms: &Forms<'_>, atom: Atom) -> (Vec<Poly>, bool) {
    match forms.kind(atom) {
        Kind::Contest => (forms.contest_candidates(atom).into_iter().map(|(score, _)| score).collect(), true),
        _ => (forms.max_arguments(atom), false),
    }
}
