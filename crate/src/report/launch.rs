//! The launch of each kernel: what the spec says, what the PTX says, and the defaults.

use super::text::numbers::grouped;
use crate::base::{Source, Span};
use crate::diag::{Assumption, Code, Diagnostic, Ledger};
use crate::ir::{Kernel, RegisterKind, SpecialReg};
use crate::spec::{Ctas, Launch, LaunchPatch, Side, Spec};

/// CTAs that `ctas = "all"` may stand for.
pub(super) const MAX_CTAS: u64 = 1 << 16;

/// A launch, and what had to be inferred for it.
pub struct Resolved {
    /// The launch.
    pub launch: Launch,
    /// What was inferred.
    pub inferred: Vec<Diagnostic>,
}

/// Completes the launch of one kernel. `fallback` is the block of the other kernel of a pair,
/// used where neither spec nor PTX says anything; `source` is which kernel it is, if there are two.
pub fn resolve(
    spec: &Spec,
    side: &Side,
    source: Option<Source>,
    kernel: &Kernel,
    fallback: Option<[u32; 3]>,
    ledger: &mut Ledger,
) -> Result<Resolved, Diagnostic> {
    let mut inferred = Vec::new();
    let mut infer = |what: String| {
        ledger.note(Assumption::Inferred(what.clone()), 1, None);
        inferred.push(Diagnostic::info(Code::V011, what));
    };
    let grid = side.launch.grid.or(spec.launch.grid).unwrap_or([1, 1, 1]);
    let block = match side.launch.block.or(spec.launch.block) {
        Some(block) => block,
        None => {
            let (block, from) = if let Some(block) = kernel.required_block {
                (block, "as `.reqntid` requires")
            } else if let Some(block) = fallback {
                (block, "with which the other kernel is launched")
            } else if let Some(block) = kernel.max_block {
                (block, "the most that `.maxntid` allows")
            } else {
                return Err(Diagnostic::error(
                    Code::V010,
                    format!("the PTX does not say how many threads run `{}`", kernel.title()),
                )
                .note(format!(
                    "add `block = {:?}` under [launch], with the block size the kernel is launched with",
                    proposed(kernel)[0]
                )));
            };
            infer(format!("the block of `{}` was inferred: {}, {from}", kernel.title(), extents(block)));
            block
        }
    };
    fits(&side.launch, &spec.launch, kernel, block)?;
    let ctas = match side.launch.ctas.as_ref().or(spec.launch.ctas.as_ref()) {
        Some(Ctas::List(list)) => list.clone(),
        Some(Ctas::All) => all(&side.launch, &spec.launch, grid)?,
        None => vec![[0, 0, 0]],
    };
    let cluster = cluster(side, spec, kernel, grid)?;
    let ctas = of_clusters(&ctas, grid, cluster);
    let in_grid: u64 = grid.iter().map(|extent| u64::from(*extent)).product();
    if (ctas.len() as u64) < in_grid {
        let ran = match ctas.as_slice() {
            [[x, y, z]] => format!("only CTA ({x},{y},{z})"),
            _ => format!("only {} CTAs", ctas.len()),
        };
        ledger.note(
            Assumption::Other(format!(
                "{ran} of the {} in the grid ran; the others behave alike{}",
                grouped(in_grid),
                source.map_or(String::new(), |source| format!(" ({source})"))
            )),
            1,
            None,
        );
    }
    let dynamic_shared = side.launch.dynamic_shared.or(spec.launch.dynamic_shared);
    let uses = dynamic_shared.is_none() && uses_dynamic_shared(kernel);
    if uses && reads_its_size(kernel) {
        inferred.push(
            Diagnostic::warning(
                Code::V010,
                format!("`{}` uses dynamic shared memory, and the launch gives it none, although the kernel asks how much there is", kernel.title()),
            )
            .note("add `dynamic_shared = …` (bytes) under [launch]"),
        );
    }
    let open = uses && !reads_its_size(kernel);
    let dynamic_shared = dynamic_shared.or((!open).then_some(0));
    Ok(Resolved { launch: Launch { grid, block, cluster, ctas, dynamic_shared }, inferred })
}

/// Blocks that a kernel about whose launch nothing is said may be meant for, the likeliest first: square tiles, and
/// flat ones, where it asks for `%tid.y`; those first that a shared array has room for, with or without a column more
/// than the tile.
pub fn proposed(kernel: &Kernel) -> Vec<[u32; 3]> {
    let asks = |axis: u8| {
        let own = |register: &RegisterKind| matches!(register, RegisterKind::Special(SpecialReg::Tid(of)) if *of == axis);
        kernel.registers.iter().any(own)
    };
    let mut blocks = match (asks(2), asks(1)) {
        (true, _) => vec![[8, 8, 8], [8, 8, 4], [4, 4, 4]],
        (false, true) => vec![[16, 16, 1], [8, 8, 1], [32, 32, 1], [32, 8, 1], [32, 4, 1], [16, 8, 1]],
        (false, false) => vec![[128, 1, 1], [256, 1, 1], [64, 1, 1], [32, 1, 1]],
    };
    let arrays = kernel.variables.iter().filter(|variable| variable.space == crate::isa::Space::Shared);
    let sizes: Vec<u64> = arrays.filter_map(|variable| variable.size).collect();
    let fits = |[x, y, z]: &[u32; 3]| {
        let [x, y, z] = [*x, *y, *z].map(u64::from);
        let elements = [x * y * z, x * (x + 1), (x + 1) * y, x];
        let room = |elements: &u64| [1, 2, 4, 8].iter().any(|bytes| sizes.contains(&(elements * bytes)));
        elements[..if y > 1 { 3 } else { 4 }].iter().any(room)
    };
    blocks.sort_by_key(|block| !fits(block));
    let threads = |block: &[u32; 3]| block.iter().product::<u32>();
    let most = kernel.max_block.map_or(1024, |block| threads(&block));
    let allowed: Vec<[u32; 3]> = blocks.iter().copied().filter(|block| threads(block) <= most).collect();
    if allowed.is_empty() { vec![kernel.max_block.unwrap_or([1, 1, 1])] } else { allowed }
}

/// The CTAs of a cluster: as the spec says, or the PTX.
fn cluster(side: &Side, spec: &Spec, kernel: &Kernel, grid: [u32; 3]) -> Result<[u32; 3], Diagnostic> {
    let said = side.launch.cluster.or(spec.launch.cluster);
    let fail =
        |message: String| at(Diagnostic::error(Code::V010, message), place(&side.launch, &spec.launch));
    if let (Some(said), Some(required)) = (said, kernel.required_cluster)
        && said != required
    {
        return Err(fail(format!(
            "`{}` requires clusters of {} (`.reqnctapercluster`), the launch has {}",
            kernel.title(),
            extents(required),
            extents(said)
        )));
    }
    let cluster = said.or(kernel.required_cluster).unwrap_or([1; 3]);
    if cluster.contains(&0) || grid.iter().zip(cluster).any(|(extent, of)| !extent.is_multiple_of(of)) {
        return Err(fail(format!(
            "a grid of {} is no whole number of clusters of {}",
            extents(grid),
            extents(cluster)
        )));
    }
    Ok(cluster)
}

/// The CTAs of all clusters that some of these belong to, cluster by cluster.
fn of_clusters(ctas: &[[u32; 3]], grid: [u32; 3], [x, y, z]: [u32; 3]) -> Vec<[u32; 3]> {
    let inside = |cta: &&[u32; 3]| cta.iter().zip(grid).all(|(at, extent)| *at < extent);
    if x * y * z == 1 || !ctas.iter().all(|cta| inside(&cta)) {
        return ctas.to_vec();
    }
    let mut firsts: Vec<[u32; 3]> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for cta in ctas {
        let first = [cta[0] / x * x, cta[1] / y * y, cta[2] / z * z];
        if seen.insert(first) {
            firsts.push(first);
        }
    }
    let of = |[fx, fy, fz]: [u32; 3]| {
        let ranks = (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])));
        ranks.map(move |[i, j, k]| [fx + i, fy + j, fz + k])
    };
    firsts.into_iter().flat_map(of).collect()
}

/// Whether the kernel asks how much shared memory it has.
fn reads_its_size(kernel: &Kernel) -> bool {
    kernel.registers.contains(&RegisterKind::Special(SpecialReg::DynamicSharedSize))
}

/// `.extern .shared x[]` is among the kernel's variables.
pub fn uses_dynamic_shared(kernel: &Kernel) -> bool {
    kernel.variables.iter().any(|v| v.space == crate::isa::Space::Shared && v.size.is_none())
}

/// "128×1×1"
pub fn extents([x, y, z]: [u32; 3]) -> String {
    format!("{x}×{y}×{z}")
}

fn place(side: &LaunchPatch, launch: &LaunchPatch) -> Option<Span> {
    side.span.or(launch.span)
}

#[cold]
fn at(diagnostic: Diagnostic, span: Option<Span>) -> Diagnostic {
    match span {
        Some(span) => diagnostic.at(Source::Spec, span),
        None => diagnostic,
    }
}

/// A block that the kernel's own directives rule out cannot be launched.
fn fits(
    side: &LaunchPatch,
    launch: &LaunchPatch,
    kernel: &Kernel,
    block: [u32; 3],
) -> Result<(), Diagnostic> {
    if let Some(required) = kernel.required_block.filter(|required| *required != block) {
        let message = format!(
            "`{}` requires blocks of {} (`.reqntid`), the launch has {}",
            kernel.title(),
            extents(required),
            extents(block)
        );
        return Err(at(Diagnostic::error(Code::V010, message), place(side, launch)));
    }
    let threads = |block: [u32; 3]| block.iter().map(|extent| u64::from(*extent)).product::<u64>();
    if let Some(most) = kernel.max_block.filter(|most| threads(*most) < threads(block)) {
        let message = format!(
            "`{}` allows at most {} threads in a block (`.maxntid`), the launch has {}",
            kernel.title(),
            threads(most),
            threads(block)
        );
        return Err(at(Diagnostic::error(Code::V010, message), place(side, launch)));
    }
    Ok(())
}

#[cold]
fn all(side: &LaunchPatch, launch: &LaunchPatch, grid: [u32; 3]) -> Result<Vec<[u32; 3]>, Diagnostic> {
    let count: u64 = grid.iter().map(|extent| u64::from(*extent)).product();
    if count > MAX_CTAS {
        let message = format!("`ctas = \"all\"` means {count} CTAs; at most {MAX_CTAS} can run");
        return Err(at(Diagnostic::error(Code::V010, message), place(side, launch)));
    }
    let [gx, gy, gz] = grid;
    Ok((0..gz).flat_map(|z| (0..gy).flat_map(move |y| (0..gx).map(move |x| [x, y, z]))).collect())
}
