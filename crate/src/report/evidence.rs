//! The decision per output tensor: counts, groups with a sample, and the counterexample.

use super::bind::Bound;
use super::compare::{Comparison, OneSided, Output, Place};
use super::expression::{Printing, Sample, Side};
use super::families;
use super::grid;
use super::model::{Answer, Counterexample, OutputGroup, OutputReport};
use super::origins;
use super::text::numbers::grouped;
use super::texts::Texts;
use super::witness;
use crate::base::{Budget, Exhausted, Format, FormatClass, Source};
use crate::decide::{self, Decision, Equality, Reading, Witness};
use crate::diag::{Assumption, Code, Diagnostic, Ledger};
use crate::sim;
use crate::spec::Spec;

/// Groups listed for each tensor.
const GROUPS: usize = 16;
/// Outputs of a single kernel listed for each tensor.
const SAMPLES: usize = 8;

/// What is shown from.
pub struct Scene<'a> {
    /// The texts.
    pub texts: &'a Texts<'a>,
    /// The question.
    pub bound: &'a Bound,
    /// Reference and optimized, or one kernel twice.
    pub sides: [Side<'a>; 2],
    /// Elements that the kernels touched, by tensor.
    pub reached: &'a [u64],
    /// The user's choices.
    pub options: decide::Options,
    /// How the decision read the pairs that are not alike as they stand.
    pub reading: Option<&'a Reading<'a>>,
    /// For cancellation.
    pub budget: &'a Budget,
}

impl Scene<'_> {
    /// How terms are printed here.
    pub fn printing(&self) -> Printing<'_> {
        Printing {
            texts: self.texts,
            elements: &self.bound.elements,
            sides: self.sides,
            options: self.options,
            reading: self.reading,
            budget: self.budget,
        }
    }
}

impl Scene<'_> {
    /// What `decide` says of a reference and two kernels, where the reference is a formula.
    fn told(&self, text: String) -> String {
        match self.sides[0].kernel.formula {
            true => text
                .replace("where the reference has", "where the formula has")
                .replace("the two kernels differ", "formula and kernel differ"),
            false => text,
        }
    }
}

/// A group and the terms of its sample.
type Group = (OutputGroup, Sample);

/// Output reports of a pair, and one diagnostic for every group that is not equal.
pub fn outputs(
    scene: &Scene<'_>,
    comparison: &Comparison,
    decision: &Decision,
) -> Result<(Vec<OutputReport>, Vec<Diagnostic>), Exhausted> {
    let mut reports: Vec<OutputReport> =
        comparison.outputs.iter().map(|output| empty(scene.bound, output)).collect();
    let mut groups: Vec<Vec<Group>> = vec![Vec::new(); reports.len()];
    for (at, output) in comparison.outputs.iter().enumerate() {
        let mut rest: Vec<&OneSided> = output.one_sided.iter().collect();
        while let Some(first) = rest.first().copied() {
            let kind = |one: &OneSided| (one.contents, one.writer);
            let (some, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|one| kind(one) == kind(first));
            groups[at].push(one_sided(scene, output, first, some.len() as u64));
            rest = others;
        }
    }
    for group in &decision.groups {
        // A group may span tensors; its members ascend, and so do the outputs.
        let mut rest = group.members.as_slice();
        while let Some(first) = rest.first() {
            let Place { output, index, writers } = comparison.places[*first as usize];
            let length = rest.partition_point(|pair| comparison.places[*pair as usize].output == output);
            let (f, g) = comparison.pairs[*first as usize];
            let (answer, mut reason, hint) = answer(&group.equality);
            reason = scene.told(reason);
            if let Equality::Equal(certificate) = &group.equality {
                reason = match (rest.len() < group.members.len(), length > 1) {
                    (true, _) => certificate.of_others(),
                    (false, true) => {
                        certificate.of_several(&comparison.outputs[output].name(scene.bound, index))
                    }
                    (false, false) => reason,
                };
            }
            let sample = Sample { terms: [Some(f), Some(g)], writers, compare: answer != Answer::Equal };
            let group = OutputGroup {
                answer,
                elements: length as u64,
                sample: comparison.outputs[output].name(scene.bound, index),
                index,
                reason,
                pattern: None,
                hint,
                reference: None,
                optimized: None,
            };
            groups[output].push((group, sample));
            rest = &rest[length..];
        }
    }
    for (report, groups) in reports.iter_mut().zip(groups) {
        finish(scene, report, groups, GROUPS)?;
    }
    let formula = scene.sides[0].kernel.formula;
    let diagnostics = reports.iter().flat_map(|report| diagnostics(report, formula)).collect();
    Ok((reports, diagnostics))
}

/// Output reports of a single kernel.
#[cold]
pub fn single(scene: &Scene<'_>, comparison: &Comparison) -> Result<Vec<OutputReport>, Exhausted> {
    let mut reports: Vec<OutputReport> =
        comparison.outputs.iter().map(|output| empty(scene.bound, output)).collect();
    let mut groups: Vec<Vec<Group>> = vec![Vec::new(); reports.len()];
    let mut written = vec![0u64; reports.len()];
    for (place, (term, _)) in comparison.places.iter().zip(&comparison.pairs) {
        written[place.output] += 1;
        if groups[place.output].len() == SAMPLES {
            continue;
        }
        let group = OutputGroup {
            answer: Answer::Single,
            elements: 1,
            sample: comparison.outputs[place.output].name(scene.bound, place.index),
            index: place.index,
            reason: String::new(),
            pattern: None,
            hint: None,
            reference: None,
            optimized: None,
        };
        let sample = Sample { terms: [None, Some(*term)], writers: [None, place.writers[1]], compare: false };
        groups[place.output].push((group, sample));
    }
    for ((report, groups), written) in reports.iter_mut().zip(groups).zip(written) {
        finish(scene, report, groups, SAMPLES)?;
        report.elements = written;
        report.more_groups = written - report.groups.len() as u64;
    }
    Ok(reports)
}

/// Counts the groups, and lists the worst and first of them with their expressions.
fn finish(
    scene: &Scene<'_>,
    report: &mut OutputReport,
    mut groups: Vec<Group>,
    listed: usize,
) -> Result<(), Exhausted> {
    for (group, _) in &groups {
        report.elements += group.elements;
        match group.answer {
            Answer::Equal | Answer::Single => report.equal += group.elements,
            Answer::Close => report.close += group.elements,
            Answer::Different => report.different += group.elements,
            Answer::Unknown => report.unknown += group.elements,
        }
    }
    groups.sort_by_key(|(group, _)| (order(group.answer), group.index));
    let mut groups = families::join(&report.tensor, &report.shape, groups);
    report.more_groups = groups.len().saturating_sub(listed) as u64;
    groups.truncate(listed);
    let samples: Vec<Sample> = groups.iter().map(|(_, sample)| *sample).collect();
    let expressions = scene.printing().render(&samples)?;
    for ((mut group, _), [reference, optimized]) in groups.into_iter().zip(expressions) {
        group.reference = reference;
        group.optimized = optimized;
        report.groups.push(group);
    }
    Ok(())
}

/// The counterexample to show: the witness with the fewest inputs, then the first element.
pub fn counterexample(
    scene: &Scene<'_>,
    spec: &Spec,
    comparison: &Comparison,
    decision: &Decision,
    trace: Option<&sim::Options>,
) -> Result<Option<Counterexample>, Exhausted> {
    let candidates = decision.groups.iter().filter_map(|group| match &group.equality {
        Equality::Different(witness) if witness.point.is_none() => Some((group.members[0], witness)),
        Equality::Different(_) | Equality::Equal(_) | Equality::Close(_) | Equality::Unknown(_) => None,
    });
    let Some((pair, witness)): Option<(u32, &Witness)> =
        candidates.min_by_key(|(pair, witness)| (witness.inputs.len(), *pair))
    else {
        return Ok(None);
    };
    let Place { output, index, writers } = comparison.places[pair as usize];
    let (f, g) = comparison.pairs[pair as usize];
    let sample = Sample { terms: [Some(f), Some(g)], writers, compare: true };
    let [reference, optimized] = scene.printing().render(&[sample])?.remove(0);
    let bound = scene.bound;
    let output = &comparison.outputs[output];
    let integers = are_integers(bound, output);
    let value = |side: usize, term| {
        witness::value(scene.sides[side], term, witness, witness.values[side], integers, scene.budget)
    };
    let (reference_value, optimized_value) = (value(0, f)?, value(1, g)?);
    let origins = match trace {
        Some(options) if cfg!(feature = "afterwards") => {
            Some(origins::trace(scene, options, &sample, (output.tensor, index))?)
        }
        _ => None,
    };
    Ok(Some(Counterexample {
        tensor: bound.tensors[output.tensor].name.clone(),
        element: output.name(bound, index),
        index,
        inputs: witness::inputs(bound, &comparison.roles, witness),
        reference_value,
        optimized_value,
        difference: scene.told(witness.difference.clone()) + &vanishing(scene, output, witness),
        reference,
        optimized,
        origins,
        spec: witness::replay(spec, bound, witness, scene.reached),
    }))
}

/// Whether neither inputs nor outputs are floats, and no kernel computes with any.
pub fn only_integers(bound: &Bound, ledger: &Ledger) -> bool {
    let float = |format: Format| format.class() == FormatClass::Float;
    let inputs = bound.elements.blocks().iter().any(|block| float(block.format));
    let tensors = bound.tensors.iter().flat_map(|tensor| tensor.formats.iter().copied().flatten()).any(float);
    // A kernel that computes with floats has noted where.
    let computed = ledger
        .entries()
        .any(|(assumption, noted)| *assumption == Assumption::FiniteValues && noted.first.is_some());
    !(inputs || tensors || computed)
}

/// Whether the elements of an output are integers.
fn are_integers(bound: &Bound, output: &Output) -> bool {
    let mut formats = bound.tensors[output.tensor].formats.iter().copied().flatten();
    formats.all(|format| format.class() != FormatClass::Float)
}

/// That an output's format has no place for what a witness shows, where it is so: both are 0 or infinite there.
#[cold]
fn vanishing(scene: &Scene<'_>, output: &Output, witness: &Witness) -> String {
    let formats: Vec<Format> = scene.bound.tensors[output.tensor].formats.iter().copied().flatten().collect();
    // Half of the smallest number, which is rounded to zero, and where rounding to infinity begins.
    let ends = |format: &Format| match format {
        Format::F32 | Format::Tf32 => Some((2f64.powi(-150), 2f64.powi(128))),
        Format::Bf16 => Some((2f64.powi(-134), 2f64.powi(128))),
        Format::F16 => Some((2f64.powi(-25), 65_520.0)),
        _ => None,
    };
    let all = |within: &dyn Fn(f64, (f64, f64)) -> bool| {
        let of = |format: &Format| {
            let in_format =
                |ends| witness.values.iter().all(|(low, high)| within(*low, ends) && within(*high, ends));
            ends(format).is_some_and(in_format)
        };
        formats.iter().all(of)
    };
    let Some(format) = formats.first() else { return String::new() };
    let (size, stored) = if all(&|value, (least, _)| value.abs() <= least) {
        ("small", "0")
    } else if all(&|value, (_, most)| value.is_finite() && value >= most) {
        ("large", "∞")
    } else if all(&|value, (_, most)| value.is_finite() && value <= -most) {
        ("large", "-∞")
    } else {
        return String::new();
    };
    format!(
        "; both values are too {size} for {format}: at these inputs a GPU stores {stored} for both, and inputs that \
         show more were not found"
    )
}

#[cold]
fn empty(bound: &Bound, output: &Output) -> OutputReport {
    OutputReport {
        tensor: bound.tensors[output.tensor].name.clone(),
        shape: output.shape.clone(),
        elements: 0,
        equal: 0,
        close: 0,
        different: 0,
        unknown: 0,
        unwritten: output.unwritten,
        groups: Vec::new(),
        more_groups: 0,
    }
}

#[cold]
fn one_sided(scene: &Scene<'_>, output: &Output, first: &OneSided, count: u64) -> Group {
    let (side, silent, other) = match first.writer {
        Source::Reference => (0, 1, Source::Optimized),
        Source::Optimized | Source::Spec => (1, 0, Source::Reference),
    };
    let kernel = scene.sides[silent].kernel;
    let part = grid::leaves_out(kernel, &scene.bound.setups[silent].launch);
    let (reason, hint) = match first.contents {
        _ if part => {
            let open = grid::open(kernel, "write");
            (open.message, open.hint)
        }
        false if scene.sides[0].kernel.formula => {
            let told = match first.writer {
                Source::Reference => "the formula says what it is, and the kernel does not write it",
                _ => "the kernel writes it, and the formula does not say what it is",
            };
            (told.to_owned(), None)
        }
        false => (format!("only the {} kernel writes it", first.writer), None),
        true => (format!("the {other} kernel leaves the initial contents"), None),
    };
    let mut sample = Sample::default();
    sample.terms[side] = Some(first.value);
    sample.writers[side] = Some(first.instr);
    let group = OutputGroup {
        answer: if first.contents || part { Answer::Unknown } else { Answer::Different },
        elements: count,
        sample: output.name(scene.bound, first.index),
        index: first.index,
        reason,
        pattern: None,
        hint,
        reference: None,
        optimized: None,
    };
    (group, sample)
}

fn answer(equality: &Equality) -> (Answer, String, Option<String>) {
    match equality {
        Equality::Equal(certificate) => (Answer::Equal, certificate.summary.clone(), None),
        Equality::Close(close) => (Answer::Close, close.summary.clone(), None),
        Equality::Different(witness) => (Answer::Different, witness.difference.clone(), None),
        Equality::Unknown(reason) => (Answer::Unknown, reason.message.clone(), reason.hint.clone()),
    }
}

fn order(answer: Answer) -> u8 {
    match answer {
        Answer::Different => 0,
        Answer::Unknown => 1,
        Answer::Close => 2,
        Answer::Equal | Answer::Single => 3,
    }
}

fn diagnostics(report: &OutputReport, formula: bool) -> Vec<Diagnostic> {
    let both = if formula { "the formula and the kernel" } else { "the kernels" };
    let mut found = Vec::new();
    for group in &report.groups {
        let others = match group.elements {
            1 => String::new(),
            more => format!(" and {} more", grouped(more - 1)),
        };
        let diagnostic = match group.answer {
            Answer::Equal | Answer::Close | Answer::Single => continue,
            Answer::Different if group.reference.is_some() && group.optimized.is_some() => Diagnostic::error(
                Code::Q001,
                format!("`{}`{others}: {both} give different values", group.sample),
            ),
            Answer::Different => {
                Diagnostic::error(Code::Q003, format!("`{}`{others}: {}", group.sample, group.at_reason()))
            }
            Answer::Unknown => {
                Diagnostic::warning(Code::Q002, format!("`{}`{others}: {}", group.sample, group.at_reason()))
            }
        };
        found.push(match &group.hint {
            Some(hint) => diagnostic.note(hint.clone()),
            None => diagnostic,
        });
    }
    found
}
