//! Launches that no GPU would accept.

use super::outcome::{Fault, FaultKind, Run};
use super::setup::Setup;
use crate::ir::Kernel;
use crate::isa::Space;

/// Threads that a block may have.
const THREADS: u64 = 1024;
/// Shared memory that a block may have on any device so far (sm_90: 227 KiB; rounded up).
pub(super) const SHARED: u64 = 228 << 10;

/// Shared variables of a kernel whose CTAs form clusters: the addresses of all of 16 CTAs have to fit into 32 bits.
const MOST_IN_CLUSTERS: usize = 100;

/// Why a kernel cannot be launched so, if it cannot.
pub(super) fn impossible(kernel: &Kernel, setup: &Setup) -> Option<String> {
    let launch = &setup.launch;
    let threads: u64 = launch.block.iter().map(|extent| u64::from(*extent)).product();
    if threads == 0 || threads > THREADS {
        return Some(format!("a block must have 1 to {THREADS} threads, not {threads}"));
    }
    if let Some(required) = kernel.required_block
        && required != launch.block
    {
        let [x, y, z] = required;
        return Some(format!("the kernel requires blocks of {x}×{y}×{z} threads (.reqntid)"));
    }
    if let Some(most) = kernel.max_block {
        let most: u64 = most.iter().map(|extent| u64::from(*extent)).product();
        if threads > most {
            return Some(format!(
                "the kernel allows at most {most} threads a block (.maxntid), not {threads}"
            ));
        }
    }
    let shared = kernel.shared_bytes + launch.dynamic_shared.unwrap_or(0);
    if shared > SHARED {
        return Some(format!("a block may have at most {SHARED} bytes of shared memory, not {shared}"));
    }
    if launch.ctas.is_empty() {
        return Some("no CTA is run".to_owned());
    }
    let ranks: u32 = launch.cluster.iter().product();
    if ranks == 0 || !launch.ctas.len().is_multiple_of(ranks as usize) {
        return Some("the CTAs that are run are no whole clusters".to_owned());
    }
    let shared = kernel.variables.iter().filter(|variable| variable.space == Space::Shared).count();
    if ranks > 1 && shared > MOST_IN_CLUSTERS {
        return Some(format!("clusters of kernels with more than {MOST_IN_CLUSTERS} shared variables"));
    }
    let outside =
        launch.ctas.iter().find(|cta| cta.iter().zip(&launch.grid).any(|(at, extent)| at >= extent));
    if let Some([x, y, z]) = outside {
        return Some(format!("CTA ({x},{y},{z}) lies outside the grid"));
    }
    let all = threads * launch.ctas.len() as u64;
    (all > 1 << 31).then(|| format!("{all} threads are too many for one run; run fewer CTAs"))
}

/// The outcome of a launch that no GPU would accept.
pub(super) fn refused(why: String) -> Run {
    Run { faults: vec![Fault::new(FaultKind::Launch(why), None)], ..Run::default() }
}
