//! Recording the timeline: what each warp's lanes did when, in logical steps.

use super::outcome::{AccessKind, EventKind, Segment, Timeline, TimelineAccess};

/// A timeline under construction, limited in size.
pub(super) struct Trace {
    timeline: Timeline,
    limit: usize,
    /// Number of the running CTA's warp 0.
    first_warp: u32,
}

impl Trace {
    /// Keeps at most `limit` events; 0 keeps none.
    pub(super) fn new(limit: usize) -> Self {
        Trace { timeline: Timeline::default(), limit, first_warp: 0 }
    }

    /// The next CTA begins; its warps follow the earlier ones.
    pub(super) fn begin_cta(&mut self, index: usize, warps: u32) {
        self.first_warp = index as u32 * warps;
        self.timeline.warps = self.first_warp + warps;
    }

    fn room(&mut self) -> bool {
        let events = self.timeline.segments.len() + self.timeline.accesses.len();
        if events >= self.limit {
            self.timeline.truncated = self.limit > 0;
            return false;
        }
        true
    }

    /// Lanes of a warp did something during steps `start..end`.
    pub(super) fn segment(&mut self, warp: u32, steps: (u32, u32), mask: u32, kind: EventKind, instr: u32) {
        if steps.0 < steps.1 && mask != 0 && self.room() {
            self.timeline.steps = self.timeline.steps.max(steps.1);
            let warp = self.first_warp + warp;
            self.timeline.segments.push(Segment { warp, start: steps.0, end: steps.1, mask, kind, instr });
        }
    }

    /// A CTA barrier released its threads.
    pub(super) fn barrier(&mut self, step: u32, id: u32, instr: u32) {
        if self.room() {
            self.timeline.barriers.push((step, id, instr));
        }
    }

    /// Lanes accessed memory.
    pub(super) fn access(
        &mut self,
        warp: u32,
        step: u32,
        mask: u32,
        instr: u32,
        kind: AccessKind,
        shared: bool,
    ) {
        if self.limit > 0 && self.room() {
            let warp = self.first_warp + warp;
            self.timeline.accesses.push(TimelineAccess { warp, step, mask, instr, kind, shared });
        }
    }

    /// The finished timeline, segments in order of warp and time.
    pub(super) fn finish(mut self) -> Timeline {
        self.timeline.segments.sort_by_key(|segment| (segment.warp, segment.start, segment.mask));
        self.timeline
    }
}
