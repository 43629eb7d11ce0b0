//! Looking for witnesses across many output elements without paying for each anew.
//!
//! Elements of one kernel tend to be wrong in the same way: inputs that showed a difference at one
//! element are tried at the next before a search. Searches that found nothing are few in each
//! portion; after that, only elements that differ at one of a few plain points are searched. And
//! once searches were long, what differs at a plain point is just that: different. What is left undecided and is
//! about integers is tried where integers are special, and where bits were seen to differ.
//!
//! Guarantees: those of `witness`; deterministic.

use super::Witness;
use super::integers::Point;
use super::witness::{
    self, Excluded, NOTICEABLE, Question, Rounded, Search, Sides, contrast, extremes, plain, roughest,
};
use crate::base::{Budget, Exhausted};
use crate::term::Term;
use crate::term::eval::{Cone, Formats, Interval, Quantity, Reals, evaluate};
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

/// Witnesses kept for the next elements.
const KEPT: usize = 3;
/// Searches without result in one portion before plain points have to ask for one.
const FRUITLESS: u32 = 3;
/// Nodes that the searches of one portion may evaluate before plain points decide.
const ENOUGH: u64 = 200_000;
/// Nodes that may be evaluated at special integers, for one pair and for all.
const SPECIAL: u64 = 1 << 23;
const SPECIAL_IN_ALL: u64 = 1 << 25;
/// Differences that do not show in the first digits, after which no clearer one is waited for.
const FAINTS: u32 = 256;
/// Fixed, so that reports are reproducible.
const SEED: u64 = 0x7761_7270;

/// What earlier elements of a portion taught.
#[derive(Default)]
pub(super) struct Trials {
    kept: Vec<Witness>,
    fruitless: u32,
    /// Nodes evaluated by searches.
    spent: u64,
}

/// Pairs that are evaluated together at plain points.
pub(super) const AHEAD: usize = 16;

/// The pairs that differ at a plain point, with the values there.
pub(super) fn plainly_different(
    question: &Question<'_>,
    pairs: &[(Term, Term)],
    budget: &Budget,
) -> Result<Vec<Option<Witness>>, Exhausted> {
    let (left, right): (Vec<Term>, Vec<Term>) = pairs.iter().copied().unzip();
    let cones = [Cone::of(question.terms[0], &left, budget)?, Cone::of(question.terms[1], &right, budget)?];
    let constants = [question.meanings.enclosures(0), question.meanings.enclosures(1)];
    let formats = Formats::of(question.terms, &cones);
    let mut found = vec![None; pairs.len()];
    for point in 1..3 {
        let element = |element: u32| plain(question.elements, point, element);
        let values = |side: usize| {
            let domain = Reals { element: &element, constants: &constants[side] };
            let mut steps = Vec::new();
            let mut values = evaluate(&cones[side], &domain, budget, &mut steps)?;
            if let Some(formats) = &formats[side] {
                // What overflows on the way shows nothing.
                let there = formats.evaluate(&cones[side], &domain, budget, &mut steps)?;
                values
                    .iter_mut()
                    .zip(there)
                    .filter(|(value, there)| **value != *there)
                    .for_each(|(value, _)| *value = Quantity::Unknown);
            }
            Ok::<_, Exhausted>(values)
        };
        let (reference, optimized) = (values(0)?, values(1)?);
        for (found, values) in found.iter_mut().zip(reference.into_iter().zip(optimized)) {
            if let (None, Some(values)) = (&found, apart(values.into())) {
                let (inputs, default) = (Vec::new(), BigRational::zero());
                let difference = String::new();
                *found = Some(Witness { point: Some(point), inputs, default, values, difference });
            }
        }
    }
    Ok(found)
}

impl Trials {
    /// Searches have taken so long that there should be no more for every pair that differs.
    pub(super) fn are_costly(&self) -> bool {
        self.spent > ENOUGH
    }

    /// Looks for inputs on which a pair differs.
    pub(super) fn search(
        &mut self,
        question: &Question<'_>,
        pair: (Term, Term),
        budget: &Budget,
    ) -> Result<Search, Exhausted> {
        if !self.kept.is_empty() || self.fruitless >= FRUITLESS {
            let both = Both::new(question, pair, budget)?;
            for known in &self.kept {
                let found = both.at(question, &known.inputs, &known.default, budget)?;
                // Inputs that show two numbers tell more.
                if let Some(found) = found.filter(|found| shows_numbers(found) || !shows_numbers(known)) {
                    return Ok(Search::Different(found));
                }
            }
            if self.fruitless >= FRUITLESS {
                let (mut differs, mut defined, tried) = (false, 0, 3);
                for point in 1..=u64::from(tried) {
                    let element = |element: u32| plain(question.elements, point, element);
                    let values = both.values(budget, &element)?;
                    let open = |value: &Quantity| matches!(value, Quantity::Undefined | Quantity::Unknown);
                    defined += u32::from(!values.iter().any(open));
                    differs |= apart(values).is_some();
                }
                if !differs {
                    let alike = Search::Alike { defined, tried };
                    return Ok(both.rounded(question, budget)?.map_or(alike, Search::Rounded));
                }
            }
        }
        let search = witness::search(question, pair, budget, SEED, &mut self.spent)?;
        match &search {
            Search::Different(found) if self.kept.len() < KEPT => self.kept.push(found.clone()),
            Search::Different(_) => {}
            Search::Close(_) | Search::Rounded(_) | Search::Alike { .. } => self.fruitless += 1,
        }
        Ok(search)
    }

    /// A witness, if a pair differs at one of these points, or, if it is about integers, where those are special.
    /// Elements that a point does not name are 0. So many pairs share what may be evaluated.
    pub(super) fn at_special(
        &mut self,
        question: &Question<'_>,
        pair: (Term, Term),
        (first, pairs): (Vec<Point>, usize),
        budget: &Budget,
    ) -> Result<Option<Witness>, Exhausted> {
        let both = Both::new(question, pair, budget)?;
        let nodes = (both.cones[0].steps().len() + both.cones[1].steps().len() + 1) as u64;
        let count = first.len();
        let most = SPECIAL.min(SPECIAL_IN_ALL / pairs.max(1) as u64) / nodes;
        let special = match most {
            0 => Vec::new(),
            _ => extremes(question.elements, &both.cones, &both.constants),
        };
        // A difference that nobody would see in the first few digits waits for a clearer one.
        let (mut faint, mut faints) = (None, 0);
        for point in first.into_iter().chain(special).take(count + most as usize) {
            if !can_be(question, &point) {
                continue;
            }
            let Some(found) = both.at(question, &point, &BigRational::zero(), budget)? else { continue };
            let clear = noticeable(&found);
            if clear || faint.is_none() {
                faint = Some(point);
            }
            faints += 1;
            if clear || faints == FAINTS {
                break;
            }
        }
        let Some(point) = faint else { return Ok(None) };
        let point = both.smaller(question, point, budget)?;
        let Some(mut found) = both.at(question, &point, &BigRational::zero(), budget)? else {
            return Ok(None);
        };
        found.inputs.retain(|(_, value)| !value.is_zero());
        if found.difference.is_empty() {
            found.difference = contrast(question, pair, budget)?.sentence;
        }
        if self.kept.len() < KEPT {
            self.kept.push(found.clone());
        }
        Ok(Some(found))
    }

    /// A witness, if a pair differs where these elements have these values and all others are 0.
    pub(super) fn at(
        &mut self,
        question: &Question<'_>,
        pair: (Term, Term),
        point: &[(u32, i128)],
        budget: &Budget,
    ) -> Result<Option<Witness>, Exhausted> {
        let whole = |value: i128| BigRational::from_integer(value.into());
        let inputs: Vec<(u32, BigRational)> =
            point.iter().map(|(element, value)| (*element, whole(*value))).collect();
        let both = Both::new(question, pair, budget)?;
        let found = both.at(question, &inputs, &BigRational::zero(), budget)?;
        if let Some(found) = &found
            && self.kept.len() < KEPT
        {
            self.kept.push(found.clone());
        }
        Ok(found)
    }
}

/// Both sides of a pair, ready to be evaluated.
struct Both {
    cones: [Cone; 2],
    constants: [Vec<Quantity>; 2],
    formats: [Option<Formats>; 2],
    /// Inputs at which a side has no number count only if somebody asks about them.
    assumes: bool,
}

impl Both {
    fn new(question: &Question<'_>, pair: (Term, Term), budget: &Budget) -> Result<Both, Exhausted> {
        let cones = [
            Cone::of(question.terms[0], &[pair.0], budget)?,
            Cone::of(question.terms[1], &[pair.1], budget)?,
        ];
        Ok(Both {
            formats: Formats::of(question.terms, &cones),
            cones,
            constants: [question.meanings.enclosures(0), question.meanings.enclosures(1)],
            assumes: true,
        })
    }

    /// Whether the two differ at a plain point with constants as the hardware computes them.
    fn rounded(&self, question: &Question<'_>, budget: &Budget) -> Result<Option<Rounded>, Exhausted> {
        let numbers = roughest(&self.cones, question.meanings);
        if numbers.is_empty() {
            return Ok(None);
        }
        let constants = [question.meanings.quantities(0), question.meanings.quantities(1)];
        let mut part = 0.0f64;
        for point in 1..4u64 {
            let element = |element: u32| plain(question.elements, point, element);
            if let Some([a, b]) = bounded(self.values_with(&constants, budget, &element)?) {
                part = part.max(a.gap(b));
            }
        }
        Ok((part > 0.0).then_some(Rounded { part, numbers }))
    }

    /// A witness, if the two differ at inputs.
    fn at(
        &self,
        question: &Question<'_>,
        inputs: &[(u32, BigRational)],
        default: &BigRational,
        budget: &Budget,
    ) -> Result<Option<Witness>, Exhausted> {
        let known: FxHashMap<u32, Quantity> =
            inputs.iter().map(|(element, value)| (*element, Quantity::rational(value))).collect();
        let rest = Quantity::rational(default);
        let element = |element: u32| known.get(&element).copied().unwrap_or(rest);
        let values = self.values(budget, &element)?;
        let witness = |values: [(f64, f64); 2]| Witness {
            point: None,
            inputs: inputs.iter().filter(|(element, _)| self.mentions(*element)).cloned().collect(),
            default: default.clone(),
            values,
            difference: String::new(),
        };
        if question.outputs && values.contains(&Quantity::Undefined) {
            let sides = Sides { terms: question.terms, cones: &self.cones, constants: &self.constants };
            let found = match self.assumes {
                true => sides.told_apart(&self.formats, &element, question.elements, budget)?,
                false => sides.where_excluded(&self.formats, &element, budget)?.into_iter().next().flatten(),
            };
            let found = found.filter(Excluded::differs);
            return Ok(found.map(|found| Witness {
                difference: found.sentence().unwrap_or_default(),
                ..witness(found.values().map(witness::ends))
            }));
        }
        let least = if roughest(&self.cones, question.meanings).is_empty() { 0.0 } else { NOTICEABLE };
        // Large integers may be told apart though their enclosures are not.
        let unlike = || {
            let differ = least == 0.0 && values[0].order(values[1]).is_ok_and(std::cmp::Ordering::is_ne);
            let [a, b] = bounded(values).filter(|_| differ)?;
            Some([(a.low(), a.high()), (b.low(), b.high())])
        };
        Ok(apart_by(values, least).or_else(unlike).map(witness))
    }

    /// The point with as many elements at 0 or 1 as still show the difference.
    fn smaller(
        &self,
        question: &Question<'_>,
        mut point: Point,
        budget: &Budget,
    ) -> Result<Point, Exhausted> {
        point.retain(|(element, _)| self.mentions(*element));
        let clear =
            self.at(question, &point, &BigRational::zero(), budget)?.is_some_and(|at| noticeable(&at));
        for at in 0..point.len() {
            for small in [BigRational::zero(), BigRational::one()] {
                if point[at].1 == small {
                    break;
                }
                let before = std::mem::replace(&mut point[at].1, small);
                let found = self.at(question, &point, &BigRational::zero(), budget)?;
                if can_be(question, &point[at..=at])
                    && found.is_some_and(|found| noticeable(&found) || !clear)
                {
                    break;
                }
                point[at].1 = before;
            }
        }
        Ok(point)
    }

    fn mentions(&self, element: u32) -> bool {
        self.cones.iter().any(|cone| cone.elements().binary_search(&element).is_ok())
    }

    fn values(&self, budget: &Budget, element: &dyn Fn(u32) -> Quantity) -> Result<[Quantity; 2], Exhausted> {
        self.values_with(&self.constants, budget, element)
    }

    fn values_with(
        &self,
        constants: &[Vec<Quantity>; 2],
        budget: &Budget,
        element: &dyn Fn(u32) -> Quantity,
    ) -> Result<[Quantity; 2], Exhausted> {
        let mut values = [Quantity::Unknown; 2];
        for (side, value) in values.iter_mut().enumerate() {
            let domain = Reals { element, constants: &constants[side] };
            *value = evaluate(&self.cones[side], &domain, budget, &mut Vec::new())?[0];
            if let Some(formats) = &self.formats[side]
                && formats.evaluate(&self.cones[side], &domain, budget, &mut Vec::new())?[0] != *value
            {
                // What overflows on the way shows nothing.
                *value = Quantity::Unknown;
            }
        }
        Ok(values)
    }
}

/// Inputs at which a pair differs, and that somebody asks about, as a witness, made small and described if that is
/// wanted; nothing if it does not differ there.
pub(super) fn smallest(
    question: &Question<'_>,
    pair: (Term, Term),
    value: &dyn Fn(u32) -> BigRational,
    shrink: bool,
    budget: &Budget,
) -> Result<Option<Witness>, Exhausted> {
    let both = Both { assumes: false, ..Both::new(question, pair, budget)? };
    let mut elements = [both.cones[0].elements(), both.cones[1].elements()].concat();
    elements.sort_unstable();
    elements.dedup();
    let steps = both.cones[0].steps().len() + both.cones[1].steps().len();
    let shrink = shrink && (elements.len() * steps) as u64 <= SPECIAL;
    let mut point: Point = elements.into_iter().map(|element| (element, value(element))).collect();
    if shrink && both.at(question, &point, &BigRational::zero(), budget)?.is_some() {
        point = both.smaller(question, point, budget)?;
    }
    let Some(mut found) = both.at(question, &point, &BigRational::zero(), budget)? else { return Ok(None) };
    found.inputs.retain(|(_, value)| !value.is_zero());
    if shrink && found.difference.is_empty() {
        found.difference = contrast(question, pair, budget)?.sentence;
    }
    Ok(Some(found))
}

/// The inputs of a witness as one for another pair, if that differs there.
pub(super) fn at(
    question: &Question<'_>,
    pair: (Term, Term),
    known: &Witness,
    budget: &Budget,
) -> Result<Option<Witness>, Exhausted> {
    let listed;
    let (inputs, default) = match known.point {
        None => (&known.inputs, &known.default),
        Some(point) => {
            let mut witness = known.clone();
            witness.list(question, pair, point, budget)?;
            listed = witness;
            (&listed.inputs, &listed.default)
        }
    };
    let found = Both::new(question, pair, budget)?.at(question, inputs, default, budget)?;
    Ok(match found {
        Some(mut found) => {
            if found.difference.is_empty() {
                found.difference = witness::contrast(question, pair, budget)?.sentence;
            }
            Some(found)
        }
        None => None,
    })
}

/// Whether both sides of a witness are finite numbers.
fn shows_numbers(found: &Witness) -> bool {
    found.values.iter().all(|(low, high)| low.is_finite() && high.is_finite())
}

/// Whether the two sides of a witness differ in their first few digits.
fn noticeable(found: &Witness) -> bool {
    if !shows_numbers(found) {
        return true;
    }
    let [a, b] = found.values.map(|(low, high)| Interval::new(low, high));
    a.gap(b) > NOTICEABLE
}

/// Whether all integers of a point lie where they are required to.
fn can_be(question: &Question<'_>, point: &[(u32, BigRational)]) -> bool {
    point.iter().all(|(element, value)| {
        question.elements.integers(*element).is_none_or(|ends| {
            let [least, most] = ends.map(|end| BigRational::from_integer(end.into()));
            least <= *value && *value <= most
        })
    })
}

/// The enclosures of two values that are certainly and noticeably different.
fn apart(values: [Quantity; 2]) -> Option<[(f64, f64); 2]> {
    apart_by(values, NOTICEABLE)
}

/// The same of values that differ by more than a part of the larger one, or of which one is infinite or not a number.
fn apart_by(values: [Quantity; 2], least: f64) -> Option<[(f64, f64); 2]> {
    if values.iter().any(|value| !value.is_finite()) {
        return witness::unlike(values).then(|| values.map(witness::ends));
    }
    let [a, b] = bounded(values)?;
    (a.gap(b) > least).then(|| [(a.low(), a.high()), (b.low(), b.high())])
}

fn bounded(values: [Quantity; 2]) -> Option<[Interval; 2]> {
    let both = [values[0].interval()?, values[1].interval()?];
    both.iter().all(|value| value.is_bounded()).then_some(both)
}
