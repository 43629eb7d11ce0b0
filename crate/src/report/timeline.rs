//! The timeline as flat numbers, ready to cross into JavaScript as typed arrays.

use super::pyramid::{Level, pyramid};
use super::texts::Texts;
use crate::base::Source;
use crate::ir::{Instr, Kernel};
use crate::isa::{ClusterOp, Effect, MatrixOp, TensorMemoryOp};
use crate::sim::{RaceEnd, Timeline};

/// A kernel's timeline as it was recorded, and where its instructions stand.
#[derive(Clone, PartialEq, Debug)]
pub struct Recording {
    /// Which kernel.
    pub side: Source,
    timeline: Timeline,
    /// Line of each instruction, from 1.
    lines: Vec<u32>,
    /// Class of each instruction.
    classes: Vec<u32>,
}

/// What an instruction is for, as far as the drawing tells instructions apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstructionClass {
    /// Integers, bits, addresses, moves and whatever is no other class.
    Integer,
    /// Numbers with a fraction, matrices too.
    Float,
    /// Memory: loads, stores, atomics, copies.
    Memory,
    /// Branches, exits.
    Control,
    /// Threads meet: barriers, collectives of a warp, fences, barrier objects.
    Together,
}

impl InstructionClass {
    fn of(instr: &Instr) -> InstructionClass {
        match &instr.effect {
            Effect::Lanewise(op) if op.dst.is_float() || op.src[0].is_float() => InstructionClass::Float,
            Effect::Matrix(op) if op.product().is_some() => InstructionClass::Float,
            Effect::Matrix(MatrixOp::Warpgroup(_)) => InstructionClass::Together,
            Effect::TensorMemory(TensorMemoryOp::Multiply(_)) => InstructionClass::Float,
            Effect::TensorMemory(TensorMemoryOp::Load(_) | TensorMemoryOp::Store(_)) => {
                InstructionClass::Memory
            }
            Effect::TensorMemory(_) => InstructionClass::Together,
            Effect::Load(_)
            | Effect::Store(_)
            | Effect::Atomic { .. }
            | Effect::Fetch(_)
            | Effect::Copy(_)
            | Effect::Matrix(_) => InstructionClass::Memory,
            Effect::Branch | Effect::BranchIndexed | Effect::Exit | Effect::Forbidden(_) => {
                InstructionClass::Control
            }
            Effect::Barrier { .. }
            | Effect::WarpSync
            | Effect::Shuffle(_)
            | Effect::Vote(_)
            | Effect::Match { .. }
            | Effect::Redux { .. }
            | Effect::Elect
            | Effect::Phaser(_)
            | Effect::Cluster(ClusterOp::Arrive { .. } | ClusterOp::Wait)
            | Effect::Fence(..) => InstructionClass::Together,
            Effect::Lanewise(_)
            | Effect::Move { .. }
            | Effect::Pack { .. }
            | Effect::Unpack { .. }
            | Effect::ToGeneric(_)
            | Effect::FromGeneric(_)
            | Effect::IsSpace(_)
            | Effect::IsView(_)
            | Effect::Inquire(_)
            | Effect::SurfacePlace(_)
            | Effect::ActiveMask
            | Effect::Cluster(_)
            | Effect::ReadClock
            | Effect::Response(_)
            | Effect::Claim(_)
            | Effect::Nothing
            | Effect::Unsupported => InstructionClass::Integer,
        }
    }
}

/// One kernel's timeline summed up, for a first picture; [`TimelineDetail`] has the rest. Rows of the flat arrays have the stated number of columns. Warps are
/// numbered over all CTAs run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlatTimeline {
    /// Which kernel.
    pub side: Source,
    /// Warps shown.
    pub warps: u32,
    /// Warps of each CTA.
    pub warps_per_cta: u32,
    /// One past the last step.
    pub steps: u32,
    /// Later events are missing.
    pub truncated: bool,
    /// Segments and events in the detail.
    pub recorded: u32,
    /// Background copies, five columns: warp, first step, one past the last, lane mask, instruction.
    pub flights: Vec<u32>,
    /// Four columns, in order of release: CTA, step, barrier id, instruction.
    pub barriers: Vec<u32>,
    /// Eight columns, in order of the report's races of this side: warp, lane, step, instruction of
    /// either access.
    pub races: Vec<u32>,
    /// Line of each instruction, from 1.
    pub lines: Vec<u32>,
    /// Class of each instruction (order of [`InstructionClass`]).
    pub classes: Vec<u32>,
    /// The same at coarser scales.
    pub levels: Vec<Level>,
}

/// What happened one by one; there may be millions of rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimelineDetail {
    /// Five columns, warp by warp in order of their start: first step, one past the last, lane mask,
    /// kind (order of [`SegmentKind`](crate::sim::SegmentKind)), instruction at the first step.
    pub segments: Vec<u32>,
    /// First row of each warp in `segments`, and one past the last.
    pub segment_starts: Vec<u32>,
    /// Four columns, warp by warp in order of time: step, lane mask, kind (order of
    /// [`EventKind`](crate::sim::EventKind)), instruction.
    pub events: Vec<u32>,
    /// First row of each warp in `events`, and one past the last.
    pub event_starts: Vec<u32>,
}

impl Recording {
    /// Keeps a kernel's timeline.
    pub(super) fn new(texts: &Texts<'_>, side: Source, kernel: &Kernel, timeline: Timeline) -> Recording {
        let lines = kernel.code.iter().map(|instr| texts.line(side, instr.span)).collect();
        let classes = kernel.code.iter().map(|instr| InstructionClass::of(instr) as u32).collect();
        Recording { side, timeline, lines, classes }
    }

    /// What happened one by one, as numbers.
    pub fn detail(&self) -> TimelineDetail {
        let timeline = &self.timeline;
        TimelineDetail {
            segments: rows(&timeline.segments, |s| [s.start, s.end, s.mask, s.kind as u32, s.instr]),
            segment_starts: starts(timeline.segments.iter().map(Vec::len)),
            events: rows(&timeline.events, |e| [e.step, e.mask, e.kind as u32, e.instr]),
            event_starts: starts(timeline.events.iter().map(Vec::len)),
        }
    }

    /// The timeline summed up, as numbers.
    pub fn flatten(&self) -> FlatTimeline {
        let timeline = &self.timeline;
        let end = |end: RaceEnd| [end.warp, end.lane, end.step, end.instr];
        FlatTimeline {
            side: self.side,
            warps: timeline.segments.len() as u32,
            warps_per_cta: timeline.warps_per_cta.max(1),
            steps: timeline.steps,
            truncated: timeline.truncated,
            recorded: timeline
                .segments
                .iter()
                .map(Vec::len)
                .chain(timeline.events.iter().map(Vec::len))
                .sum::<usize>() as u32,
            flights: timeline
                .flights
                .iter()
                .flat_map(|f| [f.warp, f.start, f.end, f.mask, f.instr])
                .collect(),
            barriers: timeline.barriers.iter().flat_map(|b| [b.cta, b.step, b.id, b.instr]).collect(),
            races: timeline.races.iter().flatten().flat_map(|side| end(*side)).collect(),
            lines: self.lines.clone(),
            classes: self.classes.clone(),
            levels: pyramid(timeline),
        }
    }
}

/// All rows in one piece, allocated at once: there are millions.
fn rows<T, const COLUMNS: usize>(of: &[Vec<T>], row: fn(&T) -> [u32; COLUMNS]) -> Vec<u32> {
    let mut all = Vec::with_capacity(of.iter().map(Vec::len).sum::<usize>() * COLUMNS);
    of.iter().flatten().for_each(|one| all.extend_from_slice(&row(one)));
    all
}

fn starts(lengths: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut sum = 0;
    let next = lengths.map(|length| {
        sum += length as u32;
        sum
    });
    std::iter::once(0).chain(next).collect()
}
