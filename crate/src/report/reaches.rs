//! Where one kernel reaches further than the other in a tensor whose size nobody declares.
//!
//! Such a tensor is as large as what is accessed, so no access is out of bounds; but where one kernel does with fewer
//! elements, the other may well read past the end. The kernel that reaches further is run once more with as many
//! elements as the other reaches: the first access outside is the one to look at.
//!
//! Guarantees: every tensor of which one kernel reaches more elements is named. Misses: where both reach too far.

use super::arguments::Asked;
use super::bind::{Bound, BoundTensor};
use super::compare::Comparison;
use super::model::TensorReport;
use crate::base::Budget;
use crate::diag::{Code, Diagnostic};
use crate::sim::{self, AccessKind, FaultKind, Run, Setup};
use crate::spec::Role;

/// One warning a tensor.
pub(super) fn further(
    options: &sim::Options,
    budget: &Budget,
    asked: &[Asked<'_>],
    bound: &Bound,
    runs: &[&Run],
) -> Vec<Diagnostic> {
    let open = bound.tensors.iter().enumerate().filter(|(_, tensor)| tensor.shape().is_none());
    open.filter_map(|(tensor, _)| {
        let reached = |run: &Run| {
            let state = run.tensors.iter().find(|state| state.tensor == tensor)?;
            (state.reached > 0).then_some(state.reached)
        };
        let (first, second) = (reached(runs[0])?, reached(runs[1])?);
        let far = match first.cmp(&second) {
            std::cmp::Ordering::Less => 1,
            std::cmp::Ordering::Equal => return None,
            std::cmp::Ordering::Greater => 0,
        };
        Some(warning(options, budget, asked, bound, (tensor, far), [first, second]))
    })
    .collect()
}

#[cold]
fn warning(
    options: &sim::Options,
    budget: &Budget,
    asked: &[Asked<'_>],
    bound: &Bound,
    (tensor, far): (usize, usize),
    reached: [u64; 2],
) -> Diagnostic {
    let name = &bound.tensors[tensor].name;
    let [more, fewer] = [far, 1 - far].map(|at| reached[at]);
    let titles = [far, 1 - far].map(|at| format!("the {} kernel", asked[at].source));
    let elements = |count: u64| if count == 1 { "1 element".to_owned() } else { format!("{count} elements") };
    let message = format!(
        "{} reaches {} of `{name}`, {} only {fewer}: the spec does not say how many `{name}` has, so nobody checked whether that is out of bounds",
        titles[0],
        elements(more),
        titles[1]
    );
    let mut diagnostic = Diagnostic::warning(Code::M005, message);
    let mut setup: Setup = bound.setups[far].clone();
    setup.tensors[tensor].shape = Some(vec![fewer]);
    let options = sim::Options { timeline_events: 0, ..*options };
    let run = sim::simulate(&options, budget, asked[far].kernel, &setup);
    let outside = run.faults.iter().find_map(|fault| match &fault.kind {
        FaultKind::OutOfBounds(kind, place) if place.name == *name => Some((kind, place, fault.site?)),
        _ => None,
    });
    if let Some((kind, place, site)) = outside {
        let span =
            asked[far].kernel.code.get(site.instr as usize).map(|instr| instr.span).unwrap_or_default();
        let does = match kind {
            AccessKind::Read => "reads",
            AccessKind::Write => "writes",
            AccessKind::Atomic => "atomically updates",
        };
        diagnostic = diagnostic.at(asked[far].source, span);
        if let Some(primary) = &mut diagnostic.primary {
            primary.text = format!("{} {does} `{}` here", site.thread, place.text);
        }
    }
    diagnostic
        .note(format!("say how many it has: `[tensors.{name}]` with `shape = [{fewer}]`, or `[{more}]`"))
}

/// Whether no thread came to a tensor that the source of a kernel could write: it would be an output.
pub(super) fn untouched(bound: &Bound, runs: &[&Run], asked: &[Asked<'_>], tensor: usize) -> bool {
    let mut states = runs.iter().flat_map(|run| &run.tensors).filter(|state| state.tensor == tensor);
    let writable = |(asked, setup): (&Asked<'_>, &Setup)| {
        let own = |binding: &sim::Binding| matches!(binding, sim::Binding::Pointer { tensor: of, .. } if *of == tensor);
        let declared = |offset: u32| {
            let parameter = asked.kernel.parameters.iter().find(|parameter| parameter.offset == offset)?;
            parameter.declared.as_ref().filter(|declared| declared.pointer && !declared.constant)
        };
        let parameters = setup.parameters.iter().filter(|parameter| own(&parameter.binding));
        parameters.map(|parameter| parameter.offset).any(|offset| declared(offset).is_some())
    };
    states.all(|state| !state.read && !state.written) && asked.iter().zip(&bound.setups).any(writable)
}

/// Elements of a tensor that some kernel touched.
pub(super) fn reached(tensor: usize, runs: &[&Run]) -> u64 {
    let states = runs.iter().flat_map(|run| &run.tensors).filter(|state| state.tensor == tensor);
    states.map(|state| state.reached).max().unwrap_or(0)
}

/// How the tensors of a question were understood.
pub(super) fn tensor_reports(
    bound: &Bound,
    comparison: &Comparison,
    runs: &[&Run],
    asked: &[Asked<'_>],
) -> Vec<TensorReport> {
    let each = |(at, tensor): (usize, &BoundTensor)| {
        let state = |run: usize| {
            let taken = *tensor.taken.get(run)?;
            runs.get(run).filter(|_| taken)?.tensors.iter().find(|state| state.tensor == at)
        };
        let format = |run: usize| state(run).map(|state| state.format.to_string());
        TensorReport {
            name: tensor.name.clone(),
            reference_format: if runs.len() == 2 { format(0) } else { None },
            optimized_format: format(runs.len() - 1),
            // How many elements a tensor has that no thread came to, nobody knows.
            shape: tensor.shape().cloned().unwrap_or_else(|| match reached(at, runs) {
                0 => Vec::new(),
                elements => vec![elements],
            }),
            declared_shape: tensor.shape().is_some(),
            role: match tensor.role().is_none() && untouched(bound, runs, asked, at) {
                true => Role::Out.name().to_owned(),
                false => comparison.roles[at].name().to_owned(),
            },
            declared_role: tensor.role().is_some(),
        }
    };
    bound.tensors.iter().enumerate().map(each).collect()
}
