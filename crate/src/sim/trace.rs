//! Recording the timeline: what each warp's lanes did when, in logical steps.
//!
//! Time is logical: a warp's steps are the instructions it executes, and whoever leaves a barrier
//! continues at the step of the last arrival. A stretch of execution ends wherever control does not
//! go on to the next instruction, so within one, step `s` executes instruction
//! `instr + (s - start)`: no event per instruction is needed to know what ran when.
//!
//! Missed: what comes after the limit on events (the timeline says that it is cut); which of its
//! steps a warp spent on which side of a stretch that was predicated is shown in the order of
//! execution, one side after the other.

use super::barrier::Wait;
use super::machine::Machine;
use super::outcome::{AccessKind, Site};
use super::race::lanes;

/// What lanes do for a while.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SegmentKind {
    /// They execute.
    Run,
    /// They wait at a CTA barrier or for a phase of a barrier object.
    WaitBarrier,
    /// They wait for lanes of their warp.
    WaitWarp,
    /// They wait for ever.
    Stuck,
}

/// Lanes of one warp doing one thing for a while.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// First step.
    pub start: u32,
    /// One past the last step.
    pub end: u32,
    /// Lanes.
    pub mask: u32,
    /// What.
    pub kind: SegmentKind,
    /// Instruction at its start.
    pub instr: u32,
}

/// What happens at one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// Shared memory is read.
    SharedRead,
    /// Shared memory is written.
    SharedWrite,
    /// Shared memory is updated atomically.
    SharedAtomic,
    /// Global memory is read.
    GlobalRead,
    /// Global memory is written.
    GlobalWrite,
    /// Global memory is updated atomically.
    GlobalAtomic,
    /// A copy in the background starts.
    Copy,
    /// Lanes of a warp exchange values, meet, or multiply matrices.
    Collective,
    /// Lanes stop at a fault.
    Fault,
}

impl EventKind {
    /// An access to shared or global memory.
    pub(super) fn access(kind: AccessKind, shared: bool) -> EventKind {
        match (kind, shared) {
            (AccessKind::Read, true) => EventKind::SharedRead,
            (AccessKind::Write, true) => EventKind::SharedWrite,
            (AccessKind::Atomic, true) => EventKind::SharedAtomic,
            (AccessKind::Read, false) => EventKind::GlobalRead,
            (AccessKind::Write, false) => EventKind::GlobalWrite,
            (AccessKind::Atomic, false) => EventKind::GlobalAtomic,
        }
    }
}

/// Lanes of a warp at one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// When.
    pub step: u32,
    /// Lanes.
    pub mask: u32,
    /// What.
    pub kind: EventKind,
    /// Instruction.
    pub instr: u32,
}

/// A background copy under way, from its start to the wait that covers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InFlight {
    /// Warp that started it.
    pub warp: u32,
    /// When it started.
    pub start: u32,
    /// When it was known to have ended.
    pub end: u32,
    /// Lanes that started it.
    pub mask: u32,
    /// Instruction.
    pub instr: u32,
}

/// A CTA barrier lets its threads go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Release {
    /// CTA, counted over those run.
    pub cta: u32,
    /// When.
    pub step: u32,
    /// Barrier number.
    pub id: u32,
    /// Instruction of the first that waited.
    pub instr: u32,
}

/// One side of a race on the timeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RaceEnd {
    /// Warp.
    pub warp: u32,
    /// Lane in it.
    pub lane: u32,
    /// When; for the earlier access the last execution of its instruction before the later one.
    pub step: u32,
    /// Instruction.
    pub instr: u32,
}

/// What happened when. Warps are numbered over all CTAs run: CTA index × warps per CTA + warp.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Timeline {
    /// Warps of each CTA.
    pub warps_per_cta: u32,
    /// One past the last step.
    pub steps: u32,
    /// Of each warp, in order of their start.
    pub segments: Vec<Vec<Segment>>,
    /// Of each warp, in order of time.
    pub events: Vec<Vec<Event>>,
    /// Background copies.
    pub flights: Vec<InFlight>,
    /// CTA barriers, in order of release.
    pub barriers: Vec<Release>,
    /// The races found, in order of discovery: the access that ran first, and the other.
    pub races: Vec<[RaceEnd; 2]>,
    /// The event limit was reached; later events are missing.
    pub truncated: bool,
}

/// A timeline under construction, limited in size.
pub(super) struct Trace {
    timeline: Timeline,
    limit: usize,
    kept: usize,
    cta: u32,
    releases: u64,
    /// Number of the running CTA's warp 0.
    first_warp: u32,
}

/// A stretch of instructions that a group executes one after the other.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    start: u32,
    pc: u32,
    mask: u32,
    /// Instructions executed so far.
    pub(super) ran: u32,
}

impl Stretch {
    /// Begins at a step, an instruction and with these lanes.
    pub(super) fn new(start: u32, pc: u32, mask: u32) -> Stretch {
        Stretch { start, pc, mask, ran: 0 }
    }

    /// Whether the next instruction belongs to it.
    #[inline]
    pub(super) fn goes_on(&self, step: u32, pc: u32, mask: u32) -> bool {
        pc == self.pc.wrapping_add(self.ran) && mask == self.mask && step == self.start + self.ran
    }
}

/// Copies in flight that start and end alike are looked for among this many latest ones.
const LATEST: usize = 16;

impl Trace {
    /// Keeps at most `limit` events; 0 keeps none.
    pub(super) fn new(limit: usize) -> Self {
        Trace { timeline: Timeline::default(), limit, kept: 0, cta: 0, releases: 0, first_warp: 0 }
    }

    /// Whether anything is kept.
    #[inline]
    pub(super) fn on(&self) -> bool {
        self.limit > 0
    }

    /// The next CTA, or the next cluster of so many, begins; its warps follow the earlier ones.
    pub(super) fn begin_cta(&mut self, index: usize, warps: u32, ranks: u32) {
        self.cta = index as u32 * ranks;
        self.first_warp = index as u32 * warps;
        self.timeline.warps_per_cta = warps / ranks;
        let all = self.timeline.segments.len().max((self.first_warp + warps) as usize);
        self.timeline.segments.resize(all, Vec::new());
        self.timeline.events.resize(all, Vec::new());
    }

    fn room(&mut self) -> bool {
        if self.kept >= self.limit {
            self.timeline.truncated = self.limit > 0;
            return false;
        }
        self.kept += 1;
        true
    }

    /// Lanes of a warp did something during steps `start..end`.
    pub(super) fn segment(&mut self, warp: u32, steps: (u32, u32), mask: u32, kind: SegmentKind, instr: u32) {
        if steps.0 < steps.1 && mask != 0 && self.room() {
            self.timeline.steps = self.timeline.steps.max(steps.1);
            let segments = &mut self.timeline.segments[(self.first_warp + warp) as usize];
            segments.push(Segment { start: steps.0, end: steps.1, mask, kind, instr });
        }
    }

    /// A stretch of execution has ended.
    pub(super) fn stretch(&mut self, warp: u32, stretch: Stretch) {
        let Stretch { start, pc, mask, ran } = stretch;
        self.segment(warp, (start, start + ran), mask, SegmentKind::Run, pc);
    }

    /// A CTA barrier released its threads.
    pub(super) fn barrier(&mut self, rank: u32, step: u32, id: u32, instr: u32) {
        self.releases += 1;
        if self.room() {
            self.timeline.barriers.push(Release { cta: self.cta + rank, step, id, instr });
        }
    }

    /// CTA barriers released so far, kept or not.
    pub(super) fn releases(&self) -> u64 {
        self.releases
    }

    /// Something happened at a step.
    pub(super) fn event(&mut self, warp: u32, step: u32, mask: u32, instr: u32, kind: EventKind) {
        if mask != 0 && self.room() {
            // Steps count executed instructions from 1: the one that executes now has the one before.
            let step = step.saturating_sub(1);
            let events = &mut self.timeline.events[(self.first_warp + warp) as usize];
            match events.last_mut() {
                Some(last) if (last.step, last.instr, last.kind) == (step, instr, kind) => last.mask |= mask,
                _ => events.push(Event { step, mask, kind, instr }),
            }
        }
    }

    /// A background copy has ended.
    fn flight(&mut self, warp: u32, (start, end): (u32, u32), mask: u32, instr: u32) {
        let new = InFlight { warp: self.first_warp + warp, start, end, mask, instr };
        let alike = |old: &&mut InFlight| InFlight { mask, ..**old } == new;
        if let Some(old) = self.timeline.flights.iter_mut().rev().take(LATEST).find(alike) {
            old.mask |= mask;
        } else if self.room() {
            self.timeline.flights.push(new);
        }
    }

    /// The present access of a lane races with an earlier one.
    pub(super) fn race(&mut self, first: (u32, Site), second: (u32, u32, u32, u32)) {
        if !self.on() {
            return;
        }
        let (cta, site) = first;
        let warp = cta * self.timeline.warps_per_cta + site.thread.linear / 32;
        let lane = site.thread.linear % 32;
        let events = self.timeline.events.get(warp as usize).map_or(&[][..], Vec::as_slice);
        let earlier =
            events.iter().rev().find(|event| event.instr == site.instr && event.mask >> lane & 1 == 1);
        let (index, other, step, instr) = second;
        let step = step.saturating_sub(1);
        let first = RaceEnd { warp, lane, step: earlier.map_or(step, |event| event.step), instr: site.instr };
        let second = RaceEnd { warp: self.first_warp + index, lane: other, step, instr };
        self.timeline.races.push([first, second]);
    }

    /// The finished timeline, segments in order of time.
    pub(super) fn finish(mut self) -> Timeline {
        let last = self.timeline.steps;
        let steps = last + 3.max(last / 8);
        for segments in &mut self.timeline.segments {
            for segment in segments.iter_mut().filter(|segment| segment.kind == SegmentKind::Stuck) {
                segment.end = steps;
                self.timeline.steps = steps;
            }
            segments.sort_by_key(|segment| (segment.start, segment.mask));
        }
        for flight in &mut self.timeline.flights {
            flight.end = flight.end.min(self.timeline.steps);
        }
        self.timeline
    }
}

impl<'a> Machine<'a> {
    /// A copy that a lane started at step `since` has ended now.
    pub(super) fn trace_flight(&mut self, thread: u32, since: u32, instr: u32) {
        if self.trace.on() {
            let warp = thread / 32;
            let now = self.warps[warp as usize].step.max(since + 1) - 1;
            self.trace.flight(warp, (since.saturating_sub(1), now.max(since)), 1 << (thread % 32), instr);
        }
    }

    /// The running CTA has come to its end: whoever waits now waits for ever, and copies that
    /// nobody waited for are still under way.
    pub(super) fn trace_end(&mut self) {
        if !self.trace.on() {
            return;
        }
        for warp in 0..self.warps.len() as u32 {
            let mut stuck: Vec<(u32, u32, u32)> = Vec::new();
            let alive = self.warps[warp as usize].alive();
            for lane in lanes(alive) {
                let Some(Some(wait)) = self.waits.get((warp * 32 + lane) as usize) else { continue };
                let (Wait::Barrier { pc, since, .. }
                | Wait::Lanes { pc, since }
                | Wait::Phaser { pc, since, .. }
                | Wait::Products { pc, since, .. }
                | Wait::Columns { pc, since, .. }
                | Wait::Cluster { pc, since }) = *wait;
                match stuck.iter_mut().find(|(at, from, _)| (*at, *from) == (pc, since)) {
                    Some((_, _, mask)) => *mask |= 1 << lane,
                    None => stuck.push((pc, since, 1 << lane)),
                }
            }
            for (pc, since, mask) in stuck {
                self.trace.segment(warp, (since, since + 1), mask, SegmentKind::Stuck, pc);
            }
        }
        let flights = self.flights.under_way().chain(self.bulk.under_way()).chain(self.phasers.under_way());
        let flights = flights.chain(self.tensor_memory.under_way());
        let began: Vec<_> = flights.map(|(thread, flight)| (thread, flight.began())).collect();
        for (thread, (since, instr)) in began {
            self.trace.flight(thread / 32, (since.saturating_sub(1), u32::MAX), 1 << (thread % 32), instr);
        }
    }
}
