//! A timeline summed up at several scales, so that a canvas never draws more than its pixels.
//!
//! Level 0 has bins of `1 << shift` steps, each further level bins of four times as many. A bin of
//! a warp says which lanes ran and which waited in it, how much of it they did, and how many
//! events it saw. Sums are kept as shares of 255, so a bin is four words at every scale.
//!
//! Guarantees: at most [`BINS`] bins on level 0, whatever the length; nothing that happened in a
//! bin is missing from its masks and flags. Shares and counts saturate and round.

use crate::sim::{EventKind, Segment, SegmentKind, Timeline};

/// Words of a bin.
pub const WORDS: usize = 4;
/// Bins on the finest level, at most.
const BINS: u64 = 1 << 18;
/// Steps of the finest bins, as a power of two, at least.
const FINEST: u32 = 3;
/// Each level has bins four times as long as the one before.
const FACTOR: u32 = 2;
/// Levels end once a warp has at most this many bins.
const COARSEST: u32 = 256;

/// Flags of a bin, in the top byte of its last word.
const FAULT: u32 = 1;
const IN_FLIGHT: u32 = 2;
const DIVERGED: u32 = 4;
const COLLECTIVE: u32 = 8;

/// One scale of a timeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Level {
    /// A bin has `1 << shift` steps.
    pub shift: u32,
    /// Bins of each warp.
    pub bins: u32,
    /// Warp by warp, bin by bin, four words:
    /// lanes that ran; lanes that waited; shares of 255 of the 32 lanes' time, from the low byte up:
    /// ran, waited at a barrier, waited for lanes, waited for ever; and, from the low byte up, reads,
    /// writes, other events, flags (1 fault, 2 copies in flight, 4 some lanes ran without the others,
    /// 8 collective).
    pub words: Vec<u32>,
}

/// A bin while it is filled: masks, lane-steps by kind of segment, counts, flags.
#[derive(Clone, Copy, Default)]
struct Bin {
    ran: u32,
    waited: u32,
    lane_steps: [u64; 4],
    counts: [u32; 3],
    flags: u32,
}

impl Bin {
    fn add(&mut self, other: &Bin) {
        self.ran |= other.ran;
        self.waited |= other.waited;
        self.flags |= other.flags;
        self.lane_steps.iter_mut().zip(other.lane_steps).for_each(|(sum, more)| *sum += more);
        self.counts.iter_mut().zip(other.counts).for_each(|(sum, more)| *sum = sum.saturating_add(more));
    }

    fn words(&self, shift: u32) -> [u32; WORDS] {
        let whole = 32u64 << shift;
        // What there is at all shows: a share is never rounded to nothing.
        let share = |steps: u64| ((steps * 255).div_ceil(whole)).min(255) as u32;
        let shares = self.lane_steps.map(share);
        let counts = self.counts.map(|count| count.min(255));
        [
            self.ran,
            self.waited,
            shares[0] | shares[1] << 8 | shares[2] << 16 | shares[3] << 24,
            counts[0] | counts[1] << 8 | counts[2] << 16 | self.flags << 24,
        ]
    }
}

/// All levels of a timeline, the finest first.
pub fn pyramid(timeline: &Timeline) -> Vec<Level> {
    let warps = timeline.segments.len();
    let mut shift = FINEST;
    while (u64::from(timeline.steps) >> shift) * warps as u64 > BINS {
        shift += 1;
    }
    let mut bins = (timeline.steps >> shift) + 1;
    let mut filled: Vec<Bin> = (0..warps).flat_map(|warp| fill(timeline, warp, shift, bins)).collect();
    for flight in &timeline.flights {
        let of_warp = &mut filled[flight.warp as usize * bins as usize..][..bins as usize];
        let last = ((flight.end.max(flight.start + 1) - 1) >> shift).min(bins - 1);
        let first = (flight.start >> shift).min(last);
        of_warp[first as usize..=last as usize].iter_mut().for_each(|bin| bin.flags |= IN_FLIGHT);
    }
    let mut levels = Vec::new();
    loop {
        let words = filled.iter().flat_map(|bin| bin.words(shift)).collect();
        levels.push(Level { shift, bins, words });
        if bins <= COARSEST {
            return levels;
        }
        let coarser = bins.div_ceil(1 << FACTOR);
        filled =
            (0..warps).flat_map(|warp| merge(&filled[warp * bins as usize..][..bins as usize])).collect();
        (bins, shift) = (coarser, shift + FACTOR);
    }
}

fn merge(bins: &[Bin]) -> Vec<Bin> {
    let sum = |some: &[Bin]| {
        some.iter().fold(Bin::default(), |mut sum, bin| {
            sum.add(bin);
            sum
        })
    };
    bins.chunks(1 << FACTOR).map(sum).collect()
}

fn fill(timeline: &Timeline, warp: usize, shift: u32, bins: u32) -> Vec<Bin> {
    let mut filled = vec![Bin::default(); bins as usize];
    let present = timeline.segments[warp].iter().fold(0, |all, segment| all | segment.mask);
    for segment in &timeline.segments[warp] {
        let Segment { start, end, mask, kind, .. } = *segment;
        for at in start >> shift..=(end - 1) >> shift {
            let overlap = end.min((at + 1) << shift) - start.max(at << shift);
            let bin = &mut filled[at as usize];
            bin.lane_steps[kind as usize] += u64::from(overlap) * u64::from(mask.count_ones());
            match kind {
                SegmentKind::Run => {
                    bin.ran |= mask;
                    bin.flags |= if mask == present { 0 } else { DIVERGED };
                }
                SegmentKind::WaitBarrier | SegmentKind::WaitWarp | SegmentKind::Stuck => bin.waited |= mask,
            }
        }
    }
    for event in &timeline.events[warp] {
        let bin = &mut filled[(event.step >> shift).min(bins - 1) as usize];
        match event.kind {
            EventKind::SharedRead | EventKind::GlobalRead => bin.counts[0] += 1,
            EventKind::SharedWrite | EventKind::GlobalWrite => bin.counts[1] += 1,
            EventKind::SharedAtomic | EventKind::GlobalAtomic => {
                bin.counts[0] += 1;
                bin.counts[1] += 1;
            }
            EventKind::Copy => bin.counts[2] += 1,
            EventKind::Collective => {
                bin.counts[2] += 1;
                bin.flags |= COLLECTIVE;
            }
            EventKind::Fault => bin.flags |= FAULT,
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Event;

    /// One warp that runs `ran` steps with all lanes, then waits as long with its lower half.
    fn timeline(ran: u32) -> Timeline {
        let run = Segment { start: 0, end: ran, mask: u32::MAX, kind: SegmentKind::Run, instr: 0 };
        let wait =
            Segment { start: ran, end: 2 * ran, mask: 0xffff, kind: SegmentKind::WaitBarrier, instr: 9 };
        let fault = Event { step: 1, mask: 1, kind: EventKind::Fault, instr: 1 };
        let write = Event { step: ran - 1, mask: 1, kind: EventKind::SharedWrite, instr: 2 };
        Timeline {
            warps_per_cta: 1,
            steps: 2 * ran,
            segments: vec![vec![run, wait]],
            events: vec![vec![fault, write]],
            ..Timeline::default()
        }
    }

    #[test]
    fn a_bin_says_who_ran_who_waited_and_how_much() {
        let levels = pyramid(&timeline(16));
        assert_eq!((levels[0].shift, levels[0].bins), (3, 5));
        let bins: Vec<&[u32]> = levels[0].words.chunks(WORDS).collect();
        assert_eq!(bins[0], [u32::MAX, 0, 255, FAULT << 24]);
        assert_eq!(bins[1], [u32::MAX, 0, 255, 1 << 8]);
        assert_eq!(bins[2], [0, 0xffff, 128 << 8, 0]);
        assert_eq!(bins[4], [0; 4]);
    }

    #[test]
    fn coarser_levels_forget_nothing() {
        let levels = pyramid(&timeline(100_000));
        assert!(levels.len() > 3);
        for level in &levels {
            let bins = || level.words.chunks(WORDS);
            assert_eq!(bins().count(), level.bins as usize);
            assert_eq!(bins().fold(0, |all, bin| all | bin[0]), u32::MAX);
            assert_eq!(bins().fold(0, |all, bin| all | bin[1]), 0xffff);
            assert_eq!(bins().filter(|bin| bin[3] >> 24 == FAULT).count(), 1);
        }
        assert!(levels.last().is_some_and(|level| level.bins <= COARSEST));
    }

    #[test]
    fn a_long_wait_does_not_make_it_large() {
        let levels = pyramid(&timeline(1 << 30));
        assert!(u64::from(levels[0].bins) <= BINS + 1);
    }
}
