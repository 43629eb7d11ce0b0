//! A kernel tells its formula: the outputs as a program in the language of formulas, and proved.
//!
//! [`candidates`] is asked after a kernel ran without faults: the terms of some elements become one form with
//! letters (`forms`), which is written with letters and as arrays (`write`), and gets the names of operators
//! (`naming`); what has no such form is compared with a few programs that textbooks have (`guesses`). All of
//! that is guessing: each guess has to give the kernel's values at a few inputs (`trial`), and [`tell`] then
//! asks [`check`](super::check) whether the kernel equals it, as if the user had written it. Only what comes out
//! as *equivalent* is told.
//!
//! Guaranteed: a formula that is told was proved for the launch it is told for, by the same stages as any other
//! reference, with the same assumptions. Misses: kernels whose outputs follow several patterns; what the
//! headers of `forms` and `guesses` say.

mod forms;
mod guesses;
mod naming;
mod pieces;
mod trial;
mod write;

use super::compare::Comparison;
use super::evidence::Scene;
use super::model::{Answer, CheckedFormula, FormulaForms, Telling, TensorReport, ToldOutput, Verdict};
use super::{Input, RunOptions, check};
use crate::base::{Budget, Exhausted};
use crate::decide::{Meanings, idioms};
use crate::diag::Ledger;
use crate::formula::{self, Dialect};
use crate::spec::{self, Literal, Role, Spec};
use crate::term::eval::{Reach, with_operands};
use crate::term::{Node, Term, Terms, Unary};
use forms::{Form, Forms, coordinates, general};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use trial::Trial;
use write::Writer;

/// Elements at which a formula is tried.
const TRIED: usize = 10;
/// Proofs that are asked for.
const PROOFS: usize = 8;
/// Characters of a formula that is short.
const SHORT: usize = 240;
/// Up to that many, a formula that was found from the terms is not compared with textbooks.
const PLAIN: usize = 90;
/// Other sizes that are asked about.
const SIZES: usize = 2;

/// What one output may be, best first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidates {
    /// The tensor.
    pub output: String,
    /// Assignments in the language of formulas.
    pub programs: Vec<String>,
}

/// What the outputs of a kernel may be.
#[cold]
pub(super) fn candidates(
    scene: &Scene<'_>,
    spec: &Spec,
    comparison: &Comparison,
) -> Result<Vec<Candidates>, Exhausted> {
    let each = |(at, output): (usize, &super::compare::Output)| {
        let places: Vec<(u64, Term)> = comparison
            .places
            .iter()
            .zip(&comparison.pairs)
            .filter(|(place, _)| place.output == at && place.writers[1].is_some())
            .map(|(place, (term, _))| (place.index, *term))
            .collect();
        let programs = match places.is_empty() {
            true => Vec::new(),
            false => {
                let output = (output.tensor, output.shape.as_slice());
                let programs = Subject::of(scene, spec, output, &places)?.programs()?;
                match programs.is_empty() {
                    true => pieces::programs(scene, spec, output, &places)?,
                    false => programs,
                }
            }
        };
        Ok(Candidates { output: scene.bound.tensors[output.tensor].name.clone(), programs })
    };
    comparison.outputs.iter().enumerate().map(each).collect()
}

/// One output of a kernel.
struct Subject<'a> {
    scene: &'a Scene<'a>,
    trial: Trial<'a>,
    /// The terms of the elements that are tried, library code recognized.
    terms: Terms,
    roots: Vec<Term>,
    meanings: Meanings,
    /// For the first of them, axes and the places (among the elements that are tried) of neighbours along them: the
    /// next ones, and the ones before where there are some.
    neighbours: [Vec<(usize, usize)>; 2],
}

impl<'a> Subject<'a> {
    fn of(
        scene: &'a Scene<'a>,
        spec: &'a Spec,
        output: (usize, &'a [u64]),
        places: &[(u64, Term)],
    ) -> Result<Subject<'a>, Exhausted> {
        let known: FxHashMap<u64, Term> = places.iter().copied().collect();
        let shape = output.1;
        let first = middle(places, shape);
        // An element from the middle, its neighbour along each axis, and some others.
        let mut indices = vec![first];
        let mut neighbours: [Vec<(usize, usize)>; 2] = Default::default();
        let mut stride = 1;
        let strides: Vec<u64> = shape
            .iter()
            .rev()
            .map(|extent| {
                let own = stride;
                stride *= extent;
                own
            })
            .collect();
        for (axis, stride) in strides.iter().rev().enumerate() {
            let at = coordinates(first, shape)[axis] as u64;
            let place = |other: u64| first - at * stride + other * stride;
            let known = |other: &u64| known.contains_key(&place(*other));
            let (after, before) = ((at + 1..shape[axis]).find(known), (0..at).rev().find(known));
            for (side, other) in [after.or(before), before.or(after)].into_iter().enumerate() {
                let Some(other) = other.map(place) else { continue };
                let found = indices.iter().position(|index| *index == other).unwrap_or_else(|| {
                    indices.push(other);
                    indices.len() - 1
                });
                neighbours[side].push((axis, found));
            }
        }
        let spread = (0..TRIED).map(|at| places[at * (places.len() - 1) / (TRIED - 1)].0);
        for index in spread {
            if !indices.contains(&index) {
                indices.push(index);
            }
        }
        let asked: Vec<Term> = indices.iter().map(|index| known[index]).collect();
        let own = scene.sides[1].terms;
        let (terms, roots) = match idioms::rewrite(own, &asked, scene.budget)? {
            Some(rewritten) => (rewritten.terms, rewritten.roots),
            None => copied(own, &asked, scene.budget, false)?,
        };
        let sides = [(&terms, roots.as_slice()), (&terms, roots.as_slice())];
        let meanings = Meanings::of(&scene.options, scene.budget, sides, &mut Ledger::default())?;
        let elements = &scene.bound.elements;
        let values =
            trial::values(&terms, &roots, &meanings.quantities(0), elements, (trial::POINTS, scene.budget))?;
        let (question, reached) = ((spec, scene.bound), scene.reached);
        let (options, budget) = (scene.options, scene.budget);
        let trial = Trial { question, reached, output, indices, values, options, budget };
        Ok(Subject { scene, trial, terms, roots, meanings, neighbours })
    }

    /// Assignments that agree with the kernel where they were tried, best first.
    fn programs(&self) -> Result<Vec<String>, Exhausted> {
        let bound = self.scene.bound;
        let name = bound.tensors[self.trial.output.0].name.as_str();
        let shape = |input: &str| shape(self.scene, input);
        let taken = |letter: &str| {
            bound.tensors.iter().any(|tensor| tensor.name == letter)
                || bound.named.iter().any(|named| named.name == letter)
                || self.trial.question.0.scalars.iter().any(|scalar| scalar.name == letter)
        };
        let writer = Writer { shape: &shape, taken: &taken, extents: self.trial.output.1 };
        // Programs with the sizes of their forms; at one size arrays come before letters.
        let mut programs: Vec<(usize, String)> = Vec::new();
        // As it is computed, and with 0 for each maximum: what a softmax subtracts for stability has no part in
        // what it is. Where that is another function, the trials say so.
        let plain = self.form(&self.terms, &self.roots, &self.meanings);
        for form in plain.into_iter().chain(self.without_maxima()?) {
            let whole = naming::with_whole_ranges(&form, &writer);
            let written = |form: &Rc<Form>| writer.as_arrays(name, form);
            if written(&whole).is_some_and(|program| self.trial.holds(&program)) {
                let holds =
                    &mut |form: &Rc<Form>| written(form).is_some_and(|program| self.trial.holds(&program));
                for form in [naming::named(&whole, &writer, holds), whole.clone()] {
                    programs.extend(written(&form).map(|program| (form.size(), program)));
                }
            }
            let by_letters = writer.by_letters(name, &whole).filter(|program| self.trial.holds(program));
            programs.extend(by_letters.map(|program| (whole.size(), program)));
        }
        programs.retain(|(_, program)| program.len() <= SHORT);
        programs.sort_by_key(|(size, _)| *size);
        let mut programs: Vec<String> = programs.into_iter().map(|(_, program)| program).collect();
        programs.dedup();
        let longest = programs.first().map_or(SHORT, String::len);
        if programs.is_empty() || longest > PLAIN {
            let inputs: Vec<(String, Vec<u64>, bool)> = bound
                .tensors
                .iter()
                .filter(|tensor| tensor.name != name)
                .filter_map(|tensor| {
                    Some((tensor.name.clone(), shape(&tensor.name)?, tensor.format().is_float()))
                })
                .collect();
            let numbers = self.meanings.side(0);
            for guess in guesses::guesses(&inputs, self.trial.output.1, numbers) {
                self.scene.budget.poll()?;
                let program = format!("{name} = {guess}");
                if program.len() < longest && self.trial.holds(&program) {
                    programs.insert(0, program);
                    break;
                }
            }
        }
        Ok(programs)
    }

    /// The form of the elements that are neighbours.
    fn form(&self, terms: &Terms, roots: &[Term], meanings: &Meanings) -> Option<Rc<Form>> {
        let elements = &self.scene.bound.elements;
        let format = self.scene.bound.tensors[self.trial.output.0].format();
        let mut forms = Forms::new(terms, elements, meanings.side(0), format);
        let shape = self.trial.output.1;
        let mut sample = |at: usize| Some((coordinates(self.trial.indices[at], shape), forms.of(roots[at])?));
        let mut made = |neighbours: &[(usize, usize)]| {
            let places = std::iter::once(0).chain(neighbours.iter().map(|(_, at)| *at));
            let samples = places.map(&mut sample).collect::<Option<Vec<_>>>()?;
            let axes: Vec<usize> = neighbours.iter().map(|(axis, _)| *axis).collect();
            general(&samples, &axes)
        };
        made(&self.neighbours[0]).or_else(|| made(&self.neighbours[1]))
    }

    /// The form of the same elements with 0 for each maximum, if there are some.
    fn without_maxima(&self) -> Result<Option<Rc<Form>>, Exhausted> {
        let reach = Reach::of(&self.terms, &self.roots, self.scene.budget)?;
        if !reach.nodes().any(|node| matches!(self.terms.node_at(node), Node::Max(..))) {
            return Ok(None);
        }
        let (terms, roots) = copied(&self.terms, &self.roots, self.scene.budget, true)?;
        let sides = [(&terms, roots.as_slice()), (&terms, roots.as_slice())];
        let (options, budget) = (&self.scene.options, self.scene.budget);
        let meanings = Meanings::of(options, budget, sides, &mut Ledger::default())?;
        Ok(self.form(&terms, &roots, &meanings))
    }
}

/// The extents of a tensor.
fn shape(scene: &Scene<'_>, name: &str) -> Option<Vec<u64>> {
    let at = scene.bound.tensors.iter().position(|tensor| tensor.name == name)?;
    let declared = scene.bound.tensors[at].shape().cloned();
    Some(declared.unwrap_or_else(|| vec![scene.reached[at]]))
}

/// An element from the middle of those that were written, away from borders.
fn middle(places: &[(u64, Term)], shape: &[u64]) -> u64 {
    let of = |index: u64| coordinates(index, shape);
    let all = || places.iter().map(|(index, _)| of(*index));
    let centre: Vec<i64> = (0..shape.len())
        .map(|axis| {
            let (low, high) = (all().map(|at| at[axis]).min(), all().map(|at| at[axis]).max());
            (low.unwrap_or(0) + high.unwrap_or(0)) / 2
        })
        .collect();
    let distance = |index: u64| of(index).iter().zip(&centre).map(|(a, b)| a.abs_diff(*b)).sum::<u64>();
    places.iter().map(|(index, _)| *index).min_by_key(|index| distance(*index)).unwrap_or(0)
}

/// The cones of some terms in a store of their own, with 0 for each maximum where that is asked.
fn copied(
    terms: &Terms,
    roots: &[Term],
    budget: &Budget,
    without_maxima: bool,
) -> Result<(Terms, Vec<Term>), Exhausted> {
    let reach = Reach::of(terms, roots, budget)?;
    let mut new = Terms::new();
    for (first, format) in terms.element_formats() {
        new.note_elements(first, format);
    }
    let mut places: FxHashMap<Term, Term> = FxHashMap::default();
    let map = |new: &mut Terms, places: &FxHashMap<Term, Term>, term: Term| match term.as_constant() {
        Some(constant) => new.constant(terms.constant_at(constant).clone()),
        None => places.get(&term).copied().unwrap_or(term),
    };
    for node in reach.nodes() {
        budget.spend(1)?;
        let old = terms.node_at(node);
        let copy = match old {
            Node::Max(..) if without_maxima => Term::ZERO,
            _ => {
                let node = with_operands(&old, |operand| map(&mut new, &places, operand));
                match node {
                    Node::Sub(a, b) if a == b => Term::ZERO,
                    Node::Unary(Unary::Exp | Unary::Exp2, Term::ZERO) => Term::ONE,
                    _ => idioms::build(&mut new, terms, &node),
                }
            }
        };
        places.insert(Term::from_node(node), copy);
    }
    let roots = roots.iter().map(|root| map(&mut new, &places, *root)).collect();
    Ok((new, roots))
}

/// Finds the formula of a kernel and proves it.
#[cold]
pub fn tell(input: &Input<'_>, options: &RunOptions<'_>, budget: &Budget) -> Telling {
    let alone = Input { reference: None, single: true, ..*input };
    let options = RunOptions { formulas: true, timeline_events: 0, origins: None, export: None, ..*options };
    let outcome = check(&alone, &options, &budget.apart());
    let options = RunOptions { formulas: false, ..options };
    let (mut spec, _) = alone.read_spec();
    spec.reference = spec::Side::default();
    let mut told: Vec<(Candidates, usize)> = outcome.candidates.into_iter().map(|found| (found, 0)).collect();
    let mut telling = Telling {
        formula: None,
        forms: None,
        outputs: Vec::new(),
        checked: Vec::new(),
        report: outcome.report,
    };
    let mut dropped: Vec<String> = Vec::new();
    for _ in 0..PROOFS {
        // What has no candidate left is not told.
        told.retain(|(candidates, at)| {
            let left = *at < candidates.programs.len();
            if !left {
                dropped.push(candidates.output.clone());
            }
            left
        });
        if told.is_empty() || telling.report.verdict != Verdict::RaceFree {
            break;
        }
        for tensor in spec.tensors.iter_mut().filter(|tensor| dropped.contains(&tensor.name)) {
            tensor.role = Some(Role::In);
        }
        let code: Vec<&str> = told.iter().map(|(candidates, at)| candidates.programs[*at].as_str()).collect();
        let code = in_order(code);
        let report = proof(input, &spec, &code, &options, budget);
        if report.verdict == Verdict::Equivalent {
            for (candidates, at) in &told {
                let formula = Some(candidates.programs[*at].clone());
                telling.outputs.push(ToldOutput { tensor: candidates.output.clone(), formula });
            }
            telling.checked.push(checked(&spec, &report));
            telling.checked.extend(elsewhere(input, &spec, &code, &options, budget));
            telling.report.assumptions = report.assumptions;
            telling.forms = forms_of(&code, &report.tensors);
            telling.formula = Some(code);
            break;
        }
        // The outputs that are not equal go on to their next candidate; all do where nothing says which.
        let wrong = |name: &str| {
            let output = report.outputs.iter().find(|output| output.tensor == name);
            output.is_none_or(|output| output.groups.iter().any(|group| group.answer != Answer::Equal))
        };
        let any = told.iter().any(|(candidates, _)| wrong(&candidates.output));
        for (candidates, at) in &mut told {
            if wrong(&candidates.output) || !any {
                *at += 1;
            }
        }
    }
    let rest: Vec<String> = telling
        .report
        .outputs
        .iter()
        .map(|output| output.tensor.clone())
        .filter(|name| telling.outputs.iter().all(|told| told.tensor != *name))
        .collect();
    telling.outputs.extend(rest.into_iter().map(|tensor| ToldOutput { tensor, formula: None }));
    telling
}

/// Assignments as one program: who reads what a tensor held before comes before its assignment.
fn in_order(assignments: Vec<&str>) -> String {
    let reads = |code: &str, name: &str| {
        let (program, _) = formula::parse(code);
        program.targets() != [name] && program.mentions().contains(&name)
    };
    let target = |code: &str| code.split([' ', '[']).next().unwrap_or_default().to_owned();
    let (mut rest, mut ordered) = (assignments, Vec::new());
    while !rest.is_empty() {
        let free = |code: &&str| rest.iter().all(|other| !reads(other, &target(code)));
        // Where each waits for another, no order is right, and the proof says so.
        let next = rest.iter().position(free).unwrap_or(0);
        ordered.push(rest.remove(next));
    }
    ordered.join("\n")
}

/// A formula for other readers; `None` for a formula that cannot be read, which does not happen to one that was
/// proved.
fn forms_of(code: &str, tensors: &[TensorReport]) -> Option<FormulaForms> {
    let (program, problems) = formula::parse(code);
    let shape =
        |name: &str| tensors.iter().find(|tensor| tensor.name == name).map(|tensor| tensor.shape.clone());
    let write = |dialect| formula::write(&program, dialect, &shape);
    problems.is_empty().then(|| FormulaForms {
        numpy: write(Dialect::NumPy),
        torch: write(Dialect::PyTorch),
        latex: write(Dialect::Latex),
    })
}

/// The answer to whether a kernel computes a formula.
fn proof(
    input: &Input<'_>,
    spec: &Spec,
    code: &str,
    options: &RunOptions<'_>,
    budget: &Budget,
) -> super::model::Report {
    let mut spec = spec.clone();
    spec.formula = Some(spec::Formula { code: code.to_owned(), span: Default::default() });
    let text = spec::print(&spec.frozen());
    let question =
        Input { reference: None, optimized: input.optimized, spec: Some(&text), ..Input::default() };
    check(&question, options, &budget.apart()).report
}

fn checked(spec: &Spec, report: &super::model::Report) -> CheckedFormula {
    let scalars = spec.scalars.iter().filter_map(|scalar| match scalar.value {
        Ok(Literal::Integer(value)) => Some(format!("{} = {value}", scalar.name)),
        _ => None,
    });
    let tensors = report.tensors.iter().map(|tensor| format!("{}{:?}", tensor.name, tensor.shape));
    CheckedFormula {
        sizes: scalars.chain(tensors).collect::<Vec<_>>().join(", "),
        elements: report.outputs.iter().map(|output| output.elements).sum(),
        unwritten: report.outputs.iter().map(|output| output.unwritten).sum(),
    }
}

/// The same formula at other sizes: each whole number of the spec that is also an extent, changed in both places.
fn elsewhere(
    input: &Input<'_>,
    spec: &Spec,
    code: &str,
    options: &RunOptions<'_>,
    budget: &Budget,
) -> Vec<CheckedFormula> {
    let mut found = Vec::new();
    for at in 0..spec.scalars.len() {
        let Ok(Literal::Integer(value)) = spec.scalars[at].value else { continue };
        let own = |tensor: &spec::Tensor| {
            tensor
                .shape
                .as_ref()
                .is_some_and(|shape| shape.iter().any(|extent| i128::from(*extent) == i128::from(value)))
        };
        if value < 2 || !spec.tensors.iter().any(own) {
            continue;
        }
        for other in [value / 2, value + value / 2] {
            if found.len() == SIZES || other < 1 {
                break;
            }
            let mut changed = spec.clone();
            changed.scalars[at].value = Ok(Literal::Integer(other));
            for shape in changed.tensors.iter_mut().filter_map(|tensor| tensor.shape.as_mut()) {
                shape
                    .iter_mut()
                    .filter(|extent| i128::from(**extent) == i128::from(value))
                    .for_each(|extent| *extent = other as u64);
            }
            let report = proof(input, &changed, code, options, budget);
            if report.verdict == Verdict::Equivalent {
                found.push(checked(&changed, &report));
            }
        }
    }
    found
}

impl Telling {
    /// The answer in one sentence.
    pub fn summary(&self) -> String {
        let kernel = self.report.kernels.first().map_or("the kernel", |kernel| kernel.title.as_str());
        let missing: Vec<String> = self
            .outputs
            .iter()
            .filter(|output| output.formula.is_none())
            .map(|output| format!("`{}`", output.tensor))
            .collect();
        match (&self.formula, missing.is_empty()) {
            (Some(_), true) => format!("`{kernel}` computes this formula, over the real numbers."),
            (Some(_), false) => format!(
                "`{kernel}` computes this formula, over the real numbers; for {} no short formula was found.",
                missing.join(", ")
            ),
            (None, _) if self.report.verdict != Verdict::RaceFree => {
                format!("No formula, because of what the analysis found: {}", self.report.summary)
            }
            (None, _) => format!("No short formula was found that `{kernel}` could be proved to compute."),
        }
    }

    /// The formula and what was checked, for a terminal.
    pub fn text(&self) -> String {
        let mark = if self.formula.is_some() { "✓ proved" } else { "? no formula" };
        let mut text = format!("{mark}\n  {}\n", self.summary());
        for line in self.formula.iter().flat_map(|formula| formula.lines()) {
            text += &format!("\n    {line}");
        }
        if let Some(first) = self.checked.first() {
            text += &format!("\n\nchecked as a reference, each element for all inputs\n  {}\n", first.text());
            text.extend(self.checked[1..].iter().map(|other| format!("  {}\n", other.text())));
        }
        text
    }

    /// As indented JSON.
    pub fn to_json(&self) -> String {
        // Serializing plain owned data to a string cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// 0 with a formula for each output, 2 where there is none for some, otherwise that of the analysis.
    pub fn exit_status(&self) -> u8 {
        match self.report.verdict {
            Verdict::RaceFree if self.outputs.iter().all(|output| output.formula.is_some()) => 0,
            Verdict::RaceFree => 2,
            verdict => verdict.exit_status(),
        }
    }
}

impl CheckedFormula {
    fn text(&self) -> String {
        let elements =
            if self.elements == 1 { "1 element".to_owned() } else { format!("{} elements", self.elements) };
        let rest = match self.unwritten {
            0 => String::new(),
            more => format!("; {more} more are not written by the CTAs that ran"),
        };
        format!("{}: {elements}{rest}", self.sizes)
    }
}
