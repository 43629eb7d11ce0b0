//! The timeline as flat numbers, ready to cross into JavaScript as typed arrays.

use crate::base::Source;
use crate::ir::Kernel;
use crate::sim::Timeline;

/// One kernel's timeline. Rows of the flat arrays have the stated number of columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlatTimeline {
    /// Which kernel.
    pub side: Source,
    /// Warps shown.
    pub warps: u32,
    /// One past the last step.
    pub steps: u32,
    /// Later events are missing.
    pub truncated: bool,
    /// Six columns: warp, first step, one past the last step, lane mask, kind (order of
    /// [`EventKind`](crate::sim::EventKind)), instruction.
    pub segments: Vec<u32>,
    /// Three columns: step, barrier id, instruction.
    pub barriers: Vec<u32>,
    /// Six columns: warp, step, lane mask, instruction, kind (order of
    /// [`AccessKind`](crate::sim::AccessKind)), 1 for shared and 0 for global.
    pub accesses: Vec<u32>,
    /// Two columns, one row an instruction: first byte and one past the last byte in the PTX.
    pub instructions: Vec<u32>,
}

/// Flattens a kernel's timeline.
pub fn flatten(side: Source, kernel: &Kernel, timeline: &Timeline) -> FlatTimeline {
    FlatTimeline {
        side,
        warps: timeline.warps,
        steps: timeline.steps,
        truncated: timeline.truncated,
        segments: timeline
            .segments
            .iter()
            .flat_map(|s| [s.warp, s.start, s.end, s.mask, s.kind as u32, s.instr])
            .collect(),
        barriers: timeline.barriers.iter().flat_map(|(step, id, instr)| [*step, *id, *instr]).collect(),
        accesses: timeline
            .accesses
            .iter()
            .flat_map(|a| [a.warp, a.step, a.mask, a.instr, a.kind as u32, u32::from(a.shared)])
            .collect(),
        instructions: kernel.code.iter().flat_map(|instr| [instr.span.start, instr.span.end]).collect(),
    }
}
