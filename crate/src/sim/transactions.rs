//! Bytes that barrier objects count (`expect_tx`, `complete_tx`, bulk copies; PTX ISA 9.0, 9.7.13.15.5 f.).
//!
//! A phase that expects bytes ends when no arrival and no byte is pending. Copies bring theirs at any
//! moment after their start, so the phase is let go on for as long as anybody can do anything else:
//! only when all wait do those phases end that wait for nothing but copies. By then every copy that can be
//! among theirs has started, and the two counts say what has surely ended:
//!
//! - as many bytes as are expected: all copies have;
//! - fewer: the phase never ends, and the report of the deadlock says how many bytes are owed;
//! - more: the phase ends as soon as some copies have brought what it expects, if any make that sum. A
//!   copy has ended for sure only if every such sum needs it; the others stay under way for everybody,
//!   so whoever touches their bytes is in a race. What a later phase of that object waits for is *not
//!   structured*.
//!
//! For the counts to be those of every schedule, whoever expects bytes or starts a copy must know that the
//! phase before has ended, and bytes must be expected before some arrival of their phase.
//!
//! Guarantees: a copy is taken to have ended only for threads that know of the end of a phase which cannot
//! end without it. Misses: a count that leaves its range only because copies come early is found where all
//! of them together do that.

use super::clock::Arrival;
use super::copies::Flight;
use super::machine::Machine;
use super::outcome::{FaultKind, Misuse};
use super::phaser::MOST;
use std::collections::BTreeSet;

/// Bytes of the present phase of a barrier object.
#[derive(Default)]
pub(super) struct Transactions {
    /// How many it has been told to expect.
    expected: u64,
    /// Threads that told it, and their epochs then.
    pub(super) told: Vec<(u32, u32)>,
    /// What brings them.
    copies: Vec<Counted>,
    /// An earlier phase ended with copies of which nobody knows whether it has counted them.
    unclear: bool,
}

/// Something that brings bytes.
#[derive(Clone)]
pub(super) struct Counted {
    pub(super) bytes: u64,
    /// The copy and its thread; nothing where a thread counts bytes itself.
    pub(super) flight: Option<(u32, Flight)>,
    /// What its thread had done and knew then.
    pub(super) start: Arrival,
}

impl Transactions {
    /// Whether the phase counts no bytes.
    fn is_empty(&self) -> bool {
        self.expected == 0 && self.copies.is_empty()
    }

    /// Expected bytes that nothing brings; below zero, those beyond what is expected.
    pub(super) fn owed(&self) -> i64 {
        self.expected as i64 - self.copies.iter().map(|copy| copy.bytes as i64).sum::<i64>()
    }

    /// Bulk copies under way, with their threads.
    pub(super) fn flights(&self) -> impl Iterator<Item = &(u32, Flight)> {
        self.copies.iter().filter_map(|copy| copy.flight.as_ref())
    }

    /// Whether some of the copies, without one of `less` bytes if any is given, bring what is expected.
    fn can_end(&self, less: Option<u64>) -> bool {
        let left_out = less.and_then(|bytes| self.copies.iter().position(|copy| copy.bytes == bytes));
        let mut sums = BTreeSet::from([0]);
        for (_, copy) in self.copies.iter().enumerate().filter(|(at, _)| Some(*at) != left_out) {
            let grown: Vec<u64> = sums.iter().map(|sum| sum + copy.bytes).collect();
            sums.extend(grown.into_iter().filter(|sum| *sum <= self.expected));
        }
        sums.contains(&self.expected)
    }

    /// The phase ends; gives the copies that it has surely waited for.
    pub(super) fn end_phase(&mut self) -> Vec<Counted> {
        let exact = self.owed() == 0;
        let sizes: BTreeSet<u64> = self.copies.iter().map(|copy| copy.bytes).collect();
        let needed: BTreeSet<u64> =
            sizes.into_iter().filter(|bytes| exact || !self.can_end(Some(*bytes))).collect();
        let (landed, left): (Vec<Counted>, Vec<Counted>) =
            std::mem::take(&mut self.copies).into_iter().partition(|copy| needed.contains(&copy.bytes));
        self.copies = left;
        self.unclear |= !self.copies.is_empty();
        self.expected = 0;
        self.told.clear();
        landed
    }
}

impl<'a> Machine<'a> {
    /// Whether the present phase of an object counts bytes.
    pub(super) fn counts_bytes(&self, address: u64) -> bool {
        self.phasers.objects.get(&address).is_some_and(|object| !object.bytes.is_empty())
    }

    /// Whether all have arrived in the present phase of an object, and only bytes are missing.
    pub(super) fn waits_for_bytes(&self, address: u64) -> bool {
        self.counts_bytes(address) && self.phasers.pending(address) == 0
    }

    /// Whether a thread comes to an object while only copies keep its phase from ending, and has not waited
    /// for that. What it does counts for the next phase if they are quick: that is a fault, and it goes on that
    /// way, so that races of what it goes on to do are seen.
    pub(super) fn runs_ahead(&mut self, index: usize, pc: u32, lane: u32, address: u64) -> bool {
        let thread = self.warps[index].first() + lane;
        let Some(object) = self.phasers.objects.get(&address) else { return false };
        let ends = object.bytes.can_end(None) && !object.bytes.unclear;
        if !ends || !self.waits_for_bytes(address) || !self.follows_last_phase(address, thread) {
            return false;
        }
        let why = "which phase this arrival counts for depends on the schedule".to_owned();
        self.list(index, 1 << lane, pc, FaultKind::DependsOnSchedule(why));
        self.end_phase(index, pc, lane, address);
        true
    }

    /// A lane's thread tells an object to expect bytes; it knows that the phase before has ended, or runs
    /// `ahead`. Whether it could.
    pub(super) fn expect(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        address: u64,
        bytes: u32,
        ahead: bool,
    ) -> bool {
        let thread = self.warps[index].first() + lane;
        if !ahead && !self.follows_last_phase(address, thread) {
            self.depends(index, pc, lane, "which phase expects these bytes");
            return false;
        }
        let epoch = self.clocks.present(thread);
        let Some(object) = self.phasers.objects.get_mut(&address) else { return false };
        object.bytes.expected += u64::from(bytes);
        object.bytes.told.push((thread, epoch));
        self.changes += 1;
        self.holds_count(index, pc, lane, address)
    }

    /// A lane's thread counts bytes as if a copy had brought them.
    pub(super) fn bring_bytes(&mut self, index: usize, pc: u32, lane: u32, address: u64, bytes: u32) {
        let thread = self.warps[index].first() + lane;
        if !self.count_bytes(index, pc, lane, address, (bytes, None)) {
            return;
        }
        let arrival = self.clocks.arrive_relaxed(thread);
        if let Some(object) = self.phasers.objects.get_mut(&address) {
            object.arrivals.push(arrival);
        }
    }

    /// An object counts the bytes that a lane's copy, or its thread itself, brings. Whether it could.
    pub(super) fn count_bytes(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        address: u64,
        (bytes, flight): (u32, Option<Flight>),
    ) -> bool {
        let thread = self.warps[index].first() + lane;
        if !self.follows_last_phase(address, thread) {
            self.depends(index, pc, lane, "which phase of the barrier object counts these bytes");
            return false;
        }
        let start = self.clocks.start(thread);
        let flight = flight.map(|flight| (thread, flight));
        let Some(object) = self.phasers.objects.get_mut(&address) else { return false };
        object.bytes.copies.push(Counted { bytes: bytes.into(), flight, start });
        self.changes += 1;
        self.holds_count(index, pc, lane, address)
    }

    /// Stops a lane that takes an object's count of bytes out of its range. Whether it has not.
    fn holds_count(&mut self, index: usize, pc: u32, lane: u32, address: u64) -> bool {
        let Some(object) = self.phasers.objects.get(&address) else { return false };
        let most = i64::from(MOST);
        let (expected, owed) = (object.bytes.expected as i64, object.bytes.owed());
        if expected <= most && owed >= -most {
            return true;
        }
        let count = if expected > most { expected } else { owed };
        let what = format!(
            "takes the transaction count of `{}` to {count}; it goes from -{most} to {most}",
            self.phaser_name(address)
        );
        self.park(index, 1 << lane, pc, FaultKind::Misuse(Misuse::Transactions, what));
        false
    }

    /// Nobody can go on. Ends the first phase that somebody waits for and that only waits for copies; whether
    /// there is one.
    pub(super) fn end_counted_phase(&mut self) -> bool {
        let due = self.phasers.objects.iter().find_map(|(address, object)| {
            let (thread, pc, _) = object.waiting.first()?;
            let ends = object.pending == 0 && !object.bytes.is_empty() && object.bytes.can_end(None);
            ends.then_some((*address, *thread, *pc))
        });
        let Some((address, thread, pc)) = due else { return false };
        let (index, lane) = (thread as usize / 32, thread % 32);
        let Some(object) = self.phasers.objects.get_mut(&address) else { return false };
        if object.bytes.unclear {
            let waiting = std::mem::take(&mut object.waiting);
            for (thread, pc, _) in waiting {
                self.waits[thread as usize] = None;
                let what = "which copies this phase has counted, after one that got more than it expected,";
                self.depends(thread as usize / 32, pc, thread % 32, what);
            }
            return true;
        }
        self.end_phase(index, pc, lane, address);
        true
    }
}
