//! Outputs of several pieces, side by side: `concat([a, b], axis=-1)`.
//!
//! A line of elements along an axis is cut where the terms become other ones, or where their indices jump; each
//! piece is then an output of its own, with a form of its own. What cuts a line cuts the whole output, if it does:
//! the formula is tried and proved as a whole like any other.
//!
//! Misses: more pieces than [`MOST`], and pieces along two axes.

use super::super::evidence::Scene;
use super::forms::{Affine, Form, Forms, Letter, coordinates};
use super::write::Writer;
use super::{Subject, copied, naming};
use crate::base::Exhausted;
use crate::decide::{Meanings, idioms};
use crate::diag::Ledger;
use crate::spec::Spec;
use crate::term::Term;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Pieces of an output.
const MOST: usize = 4;
/// Elements of a line.
const LONGEST: u64 = 4096;

/// What an output of several pieces may be.
pub fn programs(
    scene: &Scene<'_>,
    spec: &Spec,
    output: (usize, &[u64]),
    places: &[(u64, Term)],
) -> Result<Vec<String>, Exhausted> {
    for axis in (0..output.1.len()).rev() {
        let starts = starts(scene, output, places, axis)?;
        if !(2..=MOST).contains(&starts.len()) {
            continue;
        }
        if let Some(program) = side_by_side(scene, spec, output, places, axis, &starts)? {
            return Ok(vec![program]);
        }
    }
    Ok(Vec::new())
}

/// Where the pieces of a line along an axis begin; nothing where a line is not written or has no form.
fn starts(
    scene: &Scene<'_>,
    (tensor, shape): (usize, &[u64]),
    places: &[(u64, Term)],
    axis: usize,
) -> Result<Vec<u64>, Exhausted> {
    let known: FxHashMap<u64, Term> = places.iter().copied().collect();
    let stride: u64 = shape[axis + 1..].iter().product();
    let middle = places[places.len() / 2].0;
    let first = middle - coordinates(middle, shape)[axis] as u64 * stride;
    let line = (0..shape[axis]).map(|at| known.get(&(first + at * stride)).copied());
    let Some(line) = (shape[axis] <= LONGEST).then(|| line.collect::<Option<Vec<Term>>>()).flatten() else {
        return Ok(Vec::new());
    };
    let own = scene.sides[1].terms;
    let (terms, roots) = match idioms::rewrite(own, &line, scene.budget)? {
        Some(rewritten) => (rewritten.terms, rewritten.roots),
        None => copied(own, &line, scene.budget, false)?,
    };
    let sides = [(&terms, roots.as_slice()), (&terms, roots.as_slice())];
    let meanings = Meanings::of(&scene.options, scene.budget, sides, &mut Ledger::default())?;
    let format = scene.bound.tensors[tensor].format();
    let mut forms = Forms::new(&terms, &scene.bound.elements, meanings.side(0), format);
    let mut starts = vec![0];
    let mut before: Option<(Form, Vec<i64>, Option<Vec<i64>>)> = None;
    for (at, root) in (0..).zip(&roots) {
        let Some(form) = forms.of(*root) else { return Ok(Vec::new()) };
        let mut numbers = Vec::new();
        let bare = form.split(&mut numbers);
        let goes_on = before.take().and_then(|(other, last, steps)| {
            let own: Vec<i64> = numbers.iter().zip(&last).map(|(a, b)| a - b).collect();
            (other == bare && steps.is_none_or(|steps| steps == own)).then_some(own)
        });
        if goes_on.is_none() && at > 0 {
            starts.push(at);
        }
        before = Some((bare, numbers, goes_on));
    }
    Ok(starts)
}

/// The pieces as one array, if each has a form.
fn side_by_side(
    scene: &Scene<'_>,
    spec: &Spec,
    output: (usize, &[u64]),
    places: &[(u64, Term)],
    axis: usize,
    starts: &[u64],
) -> Result<Option<String>, Exhausted> {
    let ends = starts[1..].iter().copied().chain([output.1[axis]]);
    let mut pieces = Vec::new();
    for (start, end) in starts.iter().zip(ends) {
        let within = |index: u64| (*start..end).contains(&(coordinates(index, output.1)[axis] as u64));
        let own: Vec<(u64, Term)> = places.iter().copied().filter(|(index, _)| within(*index)).collect();
        let subject = Subject::of(scene, spec, output, &own)?;
        let Some(form) = subject.form(&subject.terms, &subject.roots, &subject.meanings) else {
            return Ok(None);
        };
        let mut extents = output.1.to_vec();
        extents[axis] = end - start;
        pieces.push((subject, from_its_start(&form, axis as Letter, *start as i64), extents));
    }
    let name = scene.bound.tensors[output.0].name.as_str();
    let shape = |input: &str| super::shape(scene, input);
    let text = |form: &Rc<Form>, extents: &[u64]| {
        let writer = Writer { shape: &shape, taken: &|_| true, extents };
        let program = writer.as_arrays(name, form)?;
        program.strip_prefix(name)?.strip_prefix(" = ").map(str::to_owned)
    };
    let whole = |texts: &[String]| {
        let axis = if axis + 1 == output.1.len() { "-1".to_owned() } else { axis.to_string() };
        format!("{name} = concat([{}], axis={axis})", texts.join(", "))
    };
    let plain = pieces.iter().map(|(_, form, extents)| text(form, extents)).collect::<Option<Vec<_>>>();
    let Some(mut texts) = plain else { return Ok(None) };
    for at in 0..pieces.len() {
        let (subject, form, extents) = &pieces[at];
        let writer = Writer { shape: &shape, taken: &|_| true, extents };
        let with = |form: &Rc<Form>| {
            let mut texts = texts.clone();
            texts[at] = text(form, extents)?;
            Some(texts)
        };
        let holds =
            &mut |form: &Rc<Form>| with(form).is_some_and(|texts| subject.trial.holds(&whole(&texts)));
        if !holds(form) {
            return Ok(None);
        }
        if let Some(named) = with(&naming::named(form, &writer, holds)) {
            texts = named;
        }
    }
    let program = whole(&texts);
    Ok((program.len() <= super::SHORT).then_some(program))
}

/// The form of a piece, its axis counted from where it begins.
fn from_its_start(form: &Rc<Form>, axis: Letter, start: i64) -> Rc<Form> {
    let hole = |hole: &Affine| {
        let step = hole.steps.iter().find(|(letter, _)| *letter == axis).map_or(0, |(_, step)| *step);
        Affine { base: hole.base + step * start, steps: hole.steps.clone() }
    };
    form.rebuilt(hole, &mut |part| from_its_start(part, axis, start))
}
