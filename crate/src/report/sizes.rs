//! Every size: a spec with a range without an end, asked of `sizes`, and sizes to try.
//!
//! Of every kernel, and for each combination of the names that are not open, a proof is sought that no size has a
//! data race, an access out of bounds or barrier divergence. What is not claimed for every size (equality,
//! uninitialized reads, …) is asked of samples, one by one as a sweep does, and so is everything where there is no
//! proof; then sizes at which the same question has no proof either are among the samples, the smallest that are
//! found. A fault is told only if a sample has it.

use super::Input;
use super::arguments::{Asked as Question, assign};
use super::bind::{Bound, bind};
use super::model::{Asked, CombinationReport, KernelSizes, SizesReport, Verdict};
use super::pipeline::{fronts, side_of};
use super::sweep::{asked, counts};
use super::texts::{Texts, cuda};
use crate::base::{Budget, Source};
use crate::diag::{Assumption, Diagnostic, Label, Ledger, Severity};
use crate::formula::Whole;
use crate::ir::Kernel;
use crate::sim::Binding;
use crate::sizes::{self, Answer, Extent, Given, Name, Named, Tensor, Unproved};
use crate::spec::{self, Argument, Ctas, Key, LaunchPatch, Literal, Side, Spec, Sweep, Written, written_at};

/// Parts of a run's fuel that are work for one kernel and one combination of the names that are not open, and for
/// one size that is tried.
const WORK: u64 = 8;
const TRIAL: u64 = 2_000;
/// Sizes that are tried where there is no proof, and those of them that become samples.
const TRIALS: usize = 30;
const MORE: usize = 4;

/// What is proved, and the samples that are still to be asked.
pub struct AllSizes {
    pub(super) asked: Asked,
    pub(super) report: SizesReport,
    pub(super) ledger: Ledger,
}

impl AllSizes {
    /// Whether all kernels are proved.
    pub fn proved(&self) -> bool {
        self.report.proved
    }

    /// The samples.
    pub fn asked(&self) -> &Asked {
        &self.asked
    }
}

/// Asks about every size; none if the spec does not, or cannot be used, which `check` then says.
pub fn all_sizes(input: &Input<'_>, budget: &Budget) -> Option<AllSizes> {
    let (spec, complaints) = input.read_spec();
    let sweep = spec.sweep.as_ref().filter(|sweep| sweep.is_open())?;
    if complaints.iter().any(|complaint| complaint.severity == Severity::Error) {
        return None;
    }
    let mut all = AllSizes {
        asked: asked(input, sweep, &usable(input, sweep, sweep.combinations.clone())),
        report: SizesReport { proved: true, every: every(sweep), kernels: Vec::new() },
        ledger: Ledger::default(),
    };
    let kernels: Vec<(Source, Kernel)> = fronts(input, &spec)
        .into_iter()
        .filter_map(|(source, front)| Some((source, front.kernel?)))
        .collect();
    let asked_of: Vec<Question<'_>> = kernels
        .iter()
        .map(|(source, kernel)| Question {
            source: *source,
            side: side_of(&spec, *source),
            kernel,
            formula: None,
        })
        .collect();
    let (Ok(bound), Ok(assigned)) = (bind(&spec, &asked_of), assign(&spec, &asked_of)) else {
        // What is missing is told of the samples.
        all.report.proved = false;
        return Some(all);
    };
    let arguments = assigned.arguments;
    all.report.proved = !asked_of.is_empty();
    let texts = Texts::new(input.reference, input.optimized, input.spec);
    let mut more: Vec<Vec<i64>> = Vec::new();
    for fixed in fixed(sweep) {
        for (at, kernel) in asked_of.iter().enumerate() {
            let question = question(&spec, sweep, &fixed, kernel, &arguments[at], &bound, at);
            let answer = match (&question, only_some(&spec, kernel.side, &bound, at)) {
                (Ok(_), Some(reason)) => Err(Unproved { reason, pc: None, other: None, possible: false }),
                (Ok(question), None) => {
                    match sizes::prove(kernel.kernel, question, budget.fuel / WORK, budget) {
                        Answer::Proved { assumed } => Ok(assumed),
                        Answer::Unknown(unproved) => Err(unproved),
                    }
                }
                (Err(reason), _) => {
                    Err(Unproved { reason: reason.clone(), pc: None, other: None, possible: false })
                }
            };
            if let (Ok(question), Err(unproved)) = (&question, &answer)
                && unproved.possible
            {
                more.extend(breaking(kernel.kernel, question, sweep, &fixed, budget));
            }
            all.note(&texts, kernel, &case(&fixed), answer);
        }
    }
    if all.report.proved {
        all.ledger.note(
            Assumption::Other(
                "at sizes that were not asked one by one: loops end, and nothing is read that was never written"
                    .to_owned(),
            ),
            1,
            None,
        );
    }
    if !more.is_empty() {
        more.extend(sweep.combinations.iter().cloned());
        more.sort_unstable();
        more.dedup();
        all.asked = asked(input, sweep, &usable(input, sweep, more));
    }
    Some(all)
}

impl AllSizes {
    fn note(
        &mut self,
        texts: &Texts<'_>,
        asked: &Question<'_>,
        case: &str,
        answer: Result<Vec<u32>, Unproved>,
    ) {
        let kernel = asked.kernel;
        let place = |pc: u32| texts.location(asked.source, kernel.code[pc as usize].span);
        let mut told = KernelSizes {
            side: asked.source.into(),
            kernel: kernel.title().into_owned(),
            case: case.to_owned(),
            proved: answer.is_ok(),
            reason: None,
            at: None,
            other: None,
            cuda: None,
        };
        match answer {
            Ok(assumed) => {
                for pc in assumed {
                    let label = Label {
                        source: asked.source,
                        span: kernel.code[pc as usize].span,
                        text: String::new(),
                    };
                    let text = "the integers that addresses and conditions are made of fit their words: they do for \
                                sizes up to 1,024, and are taken to for larger ones";
                    self.ledger.note(Assumption::Other(text.to_owned()), 1, Some(label));
                }
            }
            Err(unproved) => {
                self.report.proved = false;
                told.reason = Some(unproved.reason);
                told.at = unproved.pc.map(place);
                told.other = unproved.other.map(place);
                told.cuda = unproved.pc.and_then(|pc| cuda(kernel, pc));
            }
        }
        self.report.kernels.push(told);
    }
}

/// Samples with a launch that no device refuses.
fn usable(input: &Input<'_>, sweep: &Sweep, samples: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
    let text = input.spec.unwrap_or_default();
    let reads = |values: &Vec<i64>| {
        let (_, complaints) = spec::parse_over(&sweep.text_of(text, values), input.overrides);
        complaints.iter().all(|complaint: &Diagnostic| complaint.severity != Severity::Error)
    };
    let usable: Vec<Vec<i64>> = samples.iter().filter(|values| reads(values)).cloned().collect();
    if usable.is_empty() { samples } else { usable }
}

/// `every N ≥ 1 and every M ≥ 64 that is a multiple of 64`
fn every(sweep: &Sweep) -> String {
    let each = sweep.axes.iter().filter_map(|axis| {
        let spec::Open { from, step } = axis.open?;
        let steps = if step == 1 { String::new() } else { format!(" in steps of {step}") };
        Some(format!("every {} ≥ {from}{steps}", axis.name))
    });
    let mut text = each.collect::<Vec<_>>().join(" and ");
    let mut conditions = sweep.when.iter().map(|when| when.code.trim()).peekable();
    if conditions.peek().is_some() {
        text += &format!(" with {}", conditions.collect::<Vec<_>>().join(" and "));
    }
    text
}

/// The names that are not open, each with a value: all combinations, whether a sample has them or not, but for those
/// that a condition on these names alone excludes.
fn fixed(sweep: &Sweep) -> Vec<Vec<(String, i64)>> {
    let mut all: Vec<Vec<(String, i64)>> = vec![Vec::new()];
    for axis in sweep.axes.iter().filter(|axis| axis.open.is_none()) {
        let with = |known: &Vec<(String, i64)>| {
            let each = axis.values.iter().map(|value| (axis.name.clone(), *value));
            each.map(|own| known.iter().cloned().chain([own]).collect()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    let conditions: Vec<Whole> = sweep.when.iter().filter_map(|when| Whole::parse(&when.code).ok()).collect();
    all.retain(|values| conditions.iter().all(|when| when.holds(values).unwrap_or(true)));
    all
}

fn case(fixed: &[(String, i64)]) -> String {
    fixed.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

/// Why not all CTAs of the grid are asked about.
fn only_some(spec: &Spec, side: &Side, bound: &Bound, at: usize) -> Option<String> {
    let ctas = side.launch.ctas.as_ref().or(spec.launch.ctas.as_ref());
    let written = side.launch.grid.is_some() || spec.launch.grid.is_some();
    let one = bound.setups[at].launch.grid == [1, 1, 1] && !written;
    (!one && ctas != Some(&Ctas::All))
        .then(|| "a proof is about all CTAs of the grid: add `ctas = \"all\"` under [launch]".to_owned())
}

/// An integer that may be written as an expression.
fn extent(written: &[Written], key: Key, at: [usize; 2], value: i64) -> Result<Extent, String> {
    match written_at(written, key, at, value) {
        Some(code) => expression(code),
        None => Ok(Extent::Known(value)),
    }
}

fn expression(code: &str) -> Result<Extent, String> {
    Whole::parse(code).map(Extent::Written).map_err(|problem| problem.message)
}

/// The question about one kernel.
fn question(
    spec: &Spec,
    sweep: &Sweep,
    fixed: &[(String, i64)],
    asked: &Question<'_>,
    arguments: &[Argument],
    bound: &Bound,
    at: usize,
) -> Result<sizes::Question, String> {
    let setup = &bound.setups[at];
    let mut names = Vec::new();
    for axis in &sweep.axes {
        let known = fixed.iter().find(|(name, _)| *name == axis.name).map(|(_, value)| *value);
        let value = match (axis.open, known) {
            (Some(spec::Open { from, step }), _) => Named::Open { from, step },
            (None, known) => Named::Is(Extent::Known(known.unwrap_or_default())),
        };
        names.push(Name { name: axis.name.clone(), value });
    }
    for scalar in spec.scalars.iter().filter(|scalar| !scalar.swept) {
        let Ok(Literal::Integer(value)) = scalar.value else { continue };
        let value = match &scalar.code {
            Some(code) => expression(code)?,
            None => Extent::Known(value),
        };
        names.push(Name { name: scalar.name.clone(), value: Named::Is(value) });
    }
    let when = sweep.when.iter().filter_map(|when| Whole::parse(&when.code).ok()).collect();
    let patch = |given: &dyn Fn(&LaunchPatch) -> bool| -> &[Written] {
        let patches = [&asked.side.launch, &spec.launch];
        patches.into_iter().find(|patch| given(patch)).map_or(&[], |patch| &patch.written)
    };
    let axes =
        |key: Key, given: &dyn Fn(&LaunchPatch) -> bool, values: [u32; 3]| -> Result<[Extent; 3], String> {
            let [x, y, z] = [0, 1, 2].map(|axis| extent(patch(given), key, [0, axis], values[axis].into()));
            Ok([x?, y?, z?])
        };
    let mut tensors = Vec::new();
    for (tensor, setup) in bound.tensors.iter().zip(&setup.tensors) {
        let declared = tensor.declared.as_ref();
        let list = |key: Key, values: &Vec<u64>| -> Result<Vec<Extent>, String> {
            let written = declared.map_or(&[][..], |tensor| &tensor.written);
            let each = values.iter().enumerate();
            each.map(|(at, value)| extent(written, key, [0, at], *value as i64)).collect()
        };
        let bytes = setup.format.map(|format| format.bytes());
        let shape = setup.shape.as_ref().filter(|_| bytes.is_some());
        tensors.push(Tensor {
            name: tensor.name.clone(),
            bytes: bytes.unwrap_or(1),
            shape: shape.map(|shape| list(Key::Shape, shape)).transpose()?,
            strides: setup.strides.as_ref().map(|strides| list(Key::Strides, strides)).transpose()?,
            variable: setup.variable,
        });
    }
    let mut parameters = Vec::new();
    for parameter in &setup.parameters {
        let place =
            asked.kernel.parameters.iter().zip(arguments).enumerate().find_map(|(at, (own, argument))| {
                let within =
                    parameter.offset.checked_sub(own.offset).filter(|within| *within < own.size.max(1))?;
                Some(match argument {
                    Argument::Struct(fields) => {
                        let field = fields.iter().position(|(offset, _)| *offset == within)?;
                        (&fields[field].1, [at, field], None)
                    }
                    other => (other, [at, 0], Some(own.format)),
                })
            });
        let Some((argument, place, format)) = place else { continue };
        let given = match parameter.binding {
            Binding::Pointer { tensor, offset } => Given::Pointer {
                tensor,
                offset: extent(&asked.side.written, Key::Offset, place, offset as i64)?,
                bytes: tensors[tensor].bytes,
            },
            Binding::Symbolic(..) | Binding::View(_) | Binding::Map(_) | Binding::Maps(_) => Given::Any,
            Binding::Bits(_) if format.is_some_and(|format| format.is_float()) => Given::Any,
            Binding::Bits(bits) => Given::Integer(match argument {
                Argument::Name(name) if names.iter().any(|known| known.name == *name) => expression(name)?,
                Argument::Literal(Literal::Integer(value)) => {
                    extent(&asked.side.written, Key::Argument, place, *value)?
                }
                _ => Extent::Known(bits as i64),
            }),
        };
        parameters.push((parameter.offset, parameter.size, given));
    }
    Ok(sizes::Question {
        names,
        when,
        grid: axes(Key::Grid, &|patch| patch.grid.is_some(), setup.launch.grid)?,
        block: axes(Key::Block, &|patch| patch.block.is_some(), setup.launch.block)?,
        dynamic_shared: extent(
            patch(&|patch| patch.dynamic_shared.is_some()),
            Key::DynamicShared,
            [0, 0],
            setup.launch.dynamic_shared.unwrap_or(0) as i64,
        )?,
        tensors,
        parameters,
    })
}

/// The smallest sizes found at which the question about them alone has no proof either.
fn breaking(
    kernel: &Kernel,
    question: &sizes::Question,
    sweep: &Sweep,
    fixed: &[(String, i64)],
    budget: &Budget,
) -> Vec<Vec<i64>> {
    let mut found = Vec::new();
    let belongs = |values: &&Vec<i64>| {
        let pairs = sweep.axes.iter().zip(values.iter());
        let same = |(axis, value): (&spec::Axis, &i64)| {
            axis.open.is_some() || fixed.iter().any(|(name, own)| *name == axis.name && own == value)
        };
        pairs.into_iter().all(same)
    };
    let mut candidates: Vec<Vec<i64>> = sweep.combinations.iter().filter(belongs).cloned().collect();
    // With one open name, every small size.
    let open: Vec<usize> = (0..sweep.axes.len()).filter(|at| sweep.axes[*at].open.is_some()).collect();
    if let ([at], Some(first)) = (&open[..], candidates.first().cloned())
        && let Some(spec::Open { from, step }) = sweep.axes[*at].open
    {
        for steps in 0..40 {
            let mut values = first.clone();
            values[*at] = from + steps * step;
            candidates.push(values);
        }
    }
    candidates.sort_unstable();
    candidates.dedup();
    for values in candidates.into_iter().take(TRIALS) {
        let named: Vec<(String, i64)> =
            sweep.axes.iter().zip(&values).map(|(axis, value)| (axis.name.clone(), *value)).collect();
        let holds = |when: &Whole| when.holds(&named).unwrap_or(true);
        if question.when.iter().all(holds)
            && sizes::may_fail(kernel, question, &named, budget.fuel / TRIAL, budget)
        {
            found.push(values);
            if found.len() == MORE {
                break;
            }
        }
    }
    found
}

/// The verdict on every size, and its sentences.
pub(super) fn of_every_size(
    samples: Verdict,
    summary: &str,
    sizes: &SizesReport,
    combinations: &[CombinationReport],
) -> (Verdict, String) {
    const CLAIM: &str = "No data race, no access out of bounds and no barrier divergence";
    let every = &sizes.every;
    let count = combinations.len();
    let apart = summary.trim_end_matches(" Nothing is said about other sizes.");
    if samples.exit_status() != 0 {
        let verdict = match sizes.proved {
            true => format!(
                "{CLAIM} for {every}: these are proved. The sizes that were asked one by one: {apart}"
            ),
            false => format!("{apart} For {every}, nothing is proved."),
        };
        return (samples, verdict);
    }
    let each = counts(combinations, None);
    if sizes.proved {
        let text = format!(
            "{CLAIM} for {every}. {count} sizes were asked one by one: {each}. Equality, uninitialized reads and all \
             else are not claimed for other sizes."
        );
        return (Verdict::RaceFree, text);
    }
    let open = sizes.kernels.iter().find(|kernel| !kernel.proved);
    let why = open.map_or(String::new(), |kernel| {
        let line = kernel
            .at
            .as_ref()
            .map_or(String::new(), |at| format!(" (line {} of `{}`)", at.line, kernel.kernel));
        format!("{}{line}", kernel.reason.as_deref().unwrap_or_default())
    });
    let text = format!(
        "Unknown for {every}: {why}. {count} sizes were asked one by one: {each}. Nothing is said about other sizes."
    );
    (Verdict::Unknown, text)
}
