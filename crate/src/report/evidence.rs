//! The decision per output tensor: counts, groups with a sample, and the counterexample.

use super::bind::Bound;
use super::compare::{Comparison, OneSided, Output, Place};
use super::expression::{Side, expression, place};
use super::model::{Answer, Counterexample, OutputGroup, OutputReport};
use super::texts::Texts;
use super::witness;
use crate::base::Source;
use crate::decide::{Decision, Equality, Witness};
use crate::diag::{Code, Diagnostic};
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
}

/// Output reports of a pair, and one diagnostic for every tensor that is not equal.
pub fn outputs(
    scene: &Scene<'_>,
    comparison: &Comparison,
    decision: &Decision,
) -> (Vec<OutputReport>, Vec<Diagnostic>) {
    let mut reports: Vec<OutputReport> =
        comparison.outputs.iter().map(|output| empty(scene.bound, output)).collect();
    for (at, output) in comparison.outputs.iter().enumerate() {
        let report = &mut reports[at];
        for contents in [false, true] {
            let some: Vec<&OneSided> =
                output.one_sided.iter().filter(|one| one.contents == contents).collect();
            if let Some(first) = some.first() {
                report.elements += some.len() as u64;
                report.groups.push(one_sided(scene, output, first, some.len() as u64));
                match contents {
                    false => report.different += some.len() as u64,
                    true => report.unknown += some.len() as u64,
                }
            }
        }
    }
    for group in &decision.groups {
        // A group may span tensors; its members ascend, and so do the outputs.
        let mut rest = group.members.as_slice();
        while let Some(first) = rest.first() {
            let place = comparison.places[*first as usize];
            let length =
                rest.partition_point(|pair| comparison.places[*pair as usize].output == place.output);
            let (terms, report) = (comparison.pairs[*first as usize], &mut reports[place.output]);
            let (answer, reason, hint) = answer(&group.equality);
            report.elements += length as u64;
            match answer {
                Answer::Equal | Answer::Single => report.equal += length as u64,
                Answer::Different => report.different += length as u64,
                Answer::Unknown => report.unknown += length as u64,
            }
            report.groups.push(OutputGroup {
                answer,
                elements: length as u64,
                sample: comparison.outputs[place.output].name(scene.bound, place.index),
                index: place.index,
                reason,
                hint,
                reference: Some(expression(
                    scene.texts,
                    &scene.bound.elements,
                    &scene.sides[0],
                    terms.0,
                    place.writers[0],
                )),
                optimized: Some(expression(
                    scene.texts,
                    &scene.bound.elements,
                    &scene.sides[1],
                    terms.1,
                    place.writers[1],
                )),
            });
            rest = &rest[length..];
        }
    }
    for report in &mut reports {
        report.groups.sort_by_key(|group| (order(group.answer), group.index));
        report.more_groups = report.groups.len().saturating_sub(GROUPS) as u64;
        report.groups.truncate(GROUPS);
    }
    let diagnostics = reports.iter().flat_map(diagnostics).collect();
    (reports, diagnostics)
}

/// Output reports of a single kernel.
pub fn single(scene: &Scene<'_>, comparison: &Comparison) -> Vec<OutputReport> {
    let mut reports: Vec<OutputReport> =
        comparison.outputs.iter().map(|output| empty(scene.bound, output)).collect();
    for (place, (term, _)) in comparison.places.iter().zip(&comparison.pairs) {
        let report = &mut reports[place.output];
        report.elements += 1;
        if report.groups.len() == SAMPLES {
            report.more_groups += 1;
            continue;
        }
        report.groups.push(OutputGroup {
            answer: Answer::Single,
            elements: 1,
            sample: comparison.outputs[place.output].name(scene.bound, place.index),
            index: place.index,
            reason: String::new(),
            hint: None,
            reference: None,
            optimized: Some(expression(
                scene.texts,
                &scene.bound.elements,
                &scene.sides[1],
                *term,
                place.writers[1],
            )),
        });
    }
    reports
}

/// The counterexample to show: the witness with the fewest inputs, then the first element.
pub fn counterexample(
    scene: &Scene<'_>,
    spec: &Spec,
    comparison: &Comparison,
    decision: &Decision,
) -> Option<Counterexample> {
    let candidates = decision.groups.iter().filter_map(|group| match &group.equality {
        Equality::Different(witness) => Some((group.members[0], witness)),
        Equality::Equal(_) | Equality::Unknown(_) => None,
    });
    let (pair, witness): (u32, &Witness) =
        candidates.min_by_key(|(pair, witness)| (witness.inputs.len(), *pair))?;
    let Place { output, index, writers } = comparison.places[pair as usize];
    let (f, g) = comparison.pairs[pair as usize];
    let bound = scene.bound;
    let output = &comparison.outputs[output];
    Some(Counterexample {
        tensor: bound.tensors[output.tensor].name.clone(),
        element: output.name(bound, index),
        index,
        inputs: witness::inputs(bound, witness),
        reference_value: witness::enclosure(witness.values[0]),
        optimized_value: witness::enclosure(witness.values[1]),
        difference: witness.difference.clone(),
        reference: Some(expression(scene.texts, &bound.elements, &scene.sides[0], f, writers[0])),
        optimized: Some(expression(scene.texts, &bound.elements, &scene.sides[1], g, writers[1])),
        spec: witness::replay(spec, bound, witness),
    })
}

fn empty(bound: &Bound, output: &Output) -> OutputReport {
    OutputReport {
        tensor: bound.tensors[output.tensor].name.clone(),
        shape: output.shape.clone(),
        elements: 0,
        equal: 0,
        different: 0,
        unknown: 0,
        unwritten: output.unwritten,
        groups: Vec::new(),
        more_groups: 0,
    }
}

fn one_sided(scene: &Scene<'_>, output: &Output, first: &OneSided, count: u64) -> OutputGroup {
    let side = usize::from(first.writer != Source::Reference);
    let written = |side: usize| (side == usize::from(first.writer != Source::Reference)).then_some(());
    let other = if side == 0 { Source::Optimized } else { Source::Reference };
    let side_expression = |at: usize| {
        written(at).map(|()| {
            let writer =
                Some(first.instr).filter(|instr| place(scene.texts, &scene.sides[at], *instr).is_some());
            expression(scene.texts, &scene.bound.elements, &scene.sides[at], first.value, writer)
        })
    };
    OutputGroup {
        answer: if first.contents { Answer::Unknown } else { Answer::Different },
        elements: count,
        sample: output.name(scene.bound, first.index),
        index: first.index,
        reason: match first.contents {
            false => format!("only the {} kernel writes it", first.writer),
            true => format!("the {other} kernel leaves the initial contents"),
        },
        hint: None,
        reference: side_expression(0),
        optimized: side_expression(1),
    }
}

fn answer(equality: &Equality) -> (Answer, String, Option<String>) {
    match equality {
        Equality::Equal(certificate) => (Answer::Equal, certificate.summary.clone(), None),
        Equality::Different(witness) => (Answer::Different, witness.difference.clone(), None),
        Equality::Unknown(reason) => (Answer::Unknown, reason.message.clone(), reason.hint.clone()),
    }
}

fn order(answer: Answer) -> u8 {
    match answer {
        Answer::Different => 0,
        Answer::Unknown => 1,
        Answer::Equal | Answer::Single => 2,
    }
}

fn diagnostics(report: &OutputReport) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for group in &report.groups {
        let others = match group.elements {
            1 => String::new(),
            more => format!(" and {} more", more - 1),
        };
        let diagnostic = match group.answer {
            Answer::Equal | Answer::Single => continue,
            Answer::Different if group.reference.is_some() && group.optimized.is_some() => Diagnostic::error(
                Code::Q001,
                format!("`{}`{others}: the kernels give different values", group.sample),
            ),
            Answer::Different => {
                Diagnostic::error(Code::Q003, format!("`{}`{others}: {}", group.sample, group.reason))
            }
            Answer::Unknown => {
                Diagnostic::warning(Code::Q002, format!("`{}`{others}: {}", group.sample, group.reason))
            }
        };
        found.push(match &group.hint {
            Some(hint) => diagnostic.note(hint.clone()),
            None => diagnostic,
        });
    }
    found
}
