//! CTAs of a grid that do not run, and whether those that do speak for them.
//!
//! Where a spec leaves open which CTAs run, the first one does, and that the others behave alike is in the ledger.
//! That can be no more than an assumption, and here it is known to be wrong: where CTAs work together (one adds to
//! what another has counted, or waits for it), and where the kernels divide the outputs between their CTAs in
//! different ways (one element a thread, four elements a thread). Then all CTAs of both are run.
//!
//! Guarantees: what a CTA that does not run may write or change is not called different.
//! Misses: what CTAs do to each other against the rules (races) is only seen where all of them run.

use super::arguments::Asked;
use super::bind::Bound;
use super::compare::{Comparison, Place};
use crate::base::Source;
use crate::decide::{Decision, Equality, Reason};
use crate::ir::Kernel;
use crate::isa::{Access, CopyOp, Effect, Space, Strength, TensorWay};
use crate::sim::Run;
use crate::spec::{Launch, Spec};

/// Whether all CTAs should run of kernels of which only some did: their CTAs work together or write different
/// elements, the spec leaves open which run, and all of them fit the budget.
pub fn should_run(
    spec: &Spec,
    asked: &[Asked<'_>],
    bound: &Bound,
    comparison: &Comparison,
    runs: &[&Run],
    fuel: u64,
) -> bool {
    if spec.names_ctas() {
        return false;
    }
    let launches: Vec<&Launch> = bound.setups.iter().map(|setup| &setup.launch).collect();
    let fits = launches.iter().zip(runs).all(|(launch, run)| {
        let each = run.stats.thread_instructions / launch.ctas.len().max(1) as u64;
        launch.in_grid() <= super::launch::MAX_CTAS && each.saturating_mul(launch.in_grid()) <= fuel
    });
    let part = |at: usize| leaves_out(asked[at].kernel, launches[at]);
    let together = asked.iter().enumerate().any(|(at, asked)| part(at) && works_together(asked.kernel));
    let last = asked.len() - 1;
    let elsewhere = last > 0
        && (comparison.places.iter().any(|place| {
            [0, last].into_iter().zip(place.writers).any(|(at, writer)| writer.is_none() && part(at))
        }) || comparison
            .outputs
            .iter()
            .flat_map(|output| &output.one_sided)
            .any(|element| part(if element.writer == Source::Reference { last } else { 0 })));
    fits && (together || elsewhere)
}

/// Whether a kernel has CTAs that were not run; a formula has none.
pub fn leaves_out(kernel: &Kernel, launch: &Launch) -> bool {
    !kernel.formula && !launch.runs_all()
}

/// Whether the CTAs of a kernel may work together: it has accesses to global memory that order or update something, or
/// does the work of others.
fn works_together(kernel: &Kernel) -> bool {
    let global = |access: &Access| matches!(access.space, Space::Global | Space::Generic);
    kernel.code.iter().any(|instr| match &instr.effect {
        Effect::Atomic { access, .. } => global(access),
        Effect::Load(access) | Effect::Store(access) => {
            global(access) && matches!(access.strength, Strength::Strong(..))
        }
        Effect::Copy(CopyOp::Update(..) | CopyOp::TakeOver { .. }) => true,
        Effect::Copy(CopyOp::Tensor(copy)) => matches!(copy.way, TensorWay::Update(_)),
        _ => false,
    })
}

/// That CTAs of a kernel that were not run may do something to an element.
pub fn open(kernel: &Kernel, does: &str) -> Reason {
    Reason {
        message: format!("other CTAs of `{}`, which were not run, may {does} it", kernel.title()),
        hint: Some("run all CTAs of the grid: `ctas = \"all\"` in the spec".to_owned()),
    }
}

/// Takes back differences that CTAs which were not run may undo.
pub fn withdraw(comparison: &Comparison, bound: &Bound, kernels: [&Kernel; 2], decision: &mut Decision) {
    let part = [0, 1].map(|at| leaves_out(kernels[at], &bound.setups[at].launch));
    if part == [false; 2] {
        return;
    }
    let together = kernels.map(works_together);
    let reason = |place: &Place| {
        let does = |at: usize| match place.writers[at] {
            None => Some("write"),
            Some(_) => together[at].then_some("change"),
        };
        (0..2).filter(|at| part[*at]).find_map(|at| Some(open(kernels[at], does(at)?)))
    };
    for group in &mut decision.groups {
        if matches!(group.equality, Equality::Different(_) | Equality::Close(_))
            && let Some(why) =
                group.members.iter().find_map(|pair| reason(&comparison.places[*pair as usize]))
        {
            group.equality = Equality::Unknown(why);
        }
    }
}
