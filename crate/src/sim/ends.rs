//! How lanes and runs come to an end: returns, faults, budgets.

use super::machine::Machine;
use super::outcome::{Around, Fault, FaultKind, Site, Stats};
use super::race::lanes;
use super::trace::EventKind;
use crate::base::Exhausted;
use crate::isa::Effect;

/// Threads of a fault that are listed beside the first.
pub(super) const OTHERS: usize = 64;
/// Threads that a warp's instruction counts for at least: with fewer it takes no less time.
pub(super) const FEWEST: u64 = 32;
/// What instructions count for beside themselves that take longer than arithmetic, so that the same fuel
/// takes about the same time whatever a kernel does: for a warp's access to memory or collective, and for
/// each lane of an atomic, an arrival at a barrier, what is computed from what nobody wrote, and an operation on a
/// barrier object or copy.
pub(super) const ACCESS: u64 = 16;
pub(super) const ATOMIC: u64 = 8;
pub(super) const ARRIVAL: u64 = 16;
pub(super) const GAP: u64 = 64;
pub(super) const OBJECT: u64 = 96;
/// Multiplications of a matrix instruction that count for one.
pub(super) const PRODUCTS: u64 = 2;
/// Bytes that may be added before somebody counts what is held.
pub(super) const FRESH: u64 = 4 << 20;
/// Different faults that are kept.
const FAULTS: usize = 16;

impl Fault {
    /// Further threads have the same fault.
    pub(super) fn join(&mut self, threads: &[u32]) {
        for thread in threads {
            let known = self.site.is_some_and(|site| site.thread.linear == *thread);
            if known || self.others.contains(thread) {
                continue;
            }
            match self.others.len() < OTHERS {
                true => self.others.push(*thread),
                false => self.more += 1,
            }
        }
    }
}

/// The fuel used so far: thread-instructions, and for a warp of few threads what it takes all the same.
#[inline]
pub(super) fn spent(stats: &Stats) -> u64 {
    stats.thread_instructions.max(stats.warp_instructions * FEWEST)
}

impl Stats {
    /// All fuel used so far.
    pub fn fuel(&self) -> u64 {
        spent(self) + self.charged
    }
}

impl<'a> Machine<'a> {
    /// The running CTA has come to its end, or to where it stays.
    pub(super) fn end_cta(&mut self) {
        if !self.report_spinning() {
            let stuck = self.warps.iter().any(|warp| warp.alive() != 0);
            let stopped = self.warps.iter().any(|warp| warp.faulted != 0);
            if stuck
                && !stopped
                && !self.is_exhausted()
                && self.faults.iter().all(|fault| fault.kind.goes_on())
            {
                self.report_deadlock();
            }
        }
        if self.setup.launch.dynamic_shared.is_none() {
            self.dynamic_reached = self.dynamic_reached.max(self.memory.dynamic_reached());
        }
        self.observe_end();
        self.end_contents();
        self.trace_end();
        self.end_copies();
        self.end_bulk_copies();
        self.end_tensor_memory();
        self.end_remote();
    }

    /// Takes fuel for what an instruction costs beside itself.
    #[inline]
    pub(super) fn charge(&mut self, cost: u64) {
        self.fuel = self.fuel.saturating_sub(cost);
        self.stats.charged += cost;
    }

    /// Lanes return: they count as arrived wherever others wait for them.
    pub(super) fn exit(&mut self, index: usize, mask: u32) {
        let first = self.warps[index].first();
        for lane in lanes(mask) {
            let arrival = self.clocks.arrive(first + lane);
            self.returned.push(arrival);
        }
        self.warps[index].exited |= mask;
        self.complete_barriers();
        self.complete_cluster();
        self.complete_meetings(index);
    }

    /// Stops lanes at a fault. Under a condition on the inputs it is a suspect, and most lanes go on; what
    /// follows from having been misled by what nobody wrote is not listed.
    pub(super) fn park(&mut self, index: usize, mask: u32, pc: u32, kind: FaultKind) {
        let mask = if self.guards.is_empty() { mask } else { self.suspect(index, mask, pc, &kind) };
        if mask == 0 {
            return;
        }
        let first = self.warps[index].first();
        self.halt(index, mask);
        let follows = match kind {
            FaultKind::BarrierDivergence(..) => self.unknowns.has_misled_any(),
            _ => self.unknowns.has_misled(lanes(mask).map(|lane| first + lane)),
        };
        if !follows {
            self.list(index, mask, pc, kind);
        }
    }

    /// Lists a fault of some lanes.
    pub(super) fn list(&mut self, index: usize, mask: u32, pc: u32, kind: FaultKind) {
        let first = self.warps[index].first();
        self.trace.event(index as u32, self.warps[index].step, mask, pc, EventKind::Fault);
        let threads: Vec<u32> = lanes(mask).map(|lane| first + lane).collect();
        let same = |fault: &&mut Fault| {
            fault.site.is_some_and(|site| site.instr == pc)
                && std::mem::discriminant(&fault.kind) == std::mem::discriminant(&kind)
        };
        if let Some(fault) = self.faults.iter_mut().find(same) {
            fault.join(&threads);
        } else if self.faults.len() < FAULTS {
            let site = Site { instr: pc, thread: self.thread(threads[0]) };
            let mut fault = Fault::new(kind, Some(site));
            fault.join(&threads[1..]);
            self.faults.push(fault);
        } else {
            self.unlisted += 1;
        }
    }

    /// Lists a fault that was found when all was over, once for each instruction.
    pub(super) fn list_at(&mut self, site: Option<Site>, kind: FaultKind) {
        let same = |fault: &&mut Fault| {
            fault.site.map(|site| site.instr) == site.map(|site| site.instr)
                && std::mem::discriminant(&fault.kind) == std::mem::discriminant(&kind)
        };
        if let Some(fault) = self.faults.iter_mut().find(same) {
            if let Some(site) = site {
                fault.join(&[site.thread.linear]);
            }
        } else if self.faults.len() < FAULTS {
            self.faults.push(Fault::new(kind, site));
        } else {
            self.unlisted += 1;
        }
    }

    /// Stops lanes without a fault of their own: one of those they act with has it.
    pub(super) fn halt(&mut self, index: usize, mask: u32) {
        self.warps[index].faulted |= mask;
        self.parked = true;
    }

    /// Whether the run must stop: cancelled, or too much memory.
    pub(super) fn poll(&mut self) -> bool {
        let progress = self.budget.progress();
        let delta = self.stats.thread_instructions - self.reported;
        self.reported = self.stats.thread_instructions;
        progress.executed.fetch_add(delta, std::sync::atomic::Ordering::Relaxed);
        if let Err(why) = self.budget.poll() {
            self.exhausted = Some(why);
        } else if self.memory.unnumbered || self.may_hold_more() && self.bytes() > self.budget.memory {
            self.exhausted = Some(Exhausted::Memory);
        }
        self.exhausted.is_some()
    }

    /// Whether so much may have been added since the bytes held were last counted that it is time to
    /// count them again.
    fn may_hold_more(&mut self) -> bool {
        let nodes = self.terms.len().saturating_sub(self.counted) as u64;
        let due = self.memory.fresh > FRESH || nodes > FRESH / 16;
        if due {
            (self.memory.fresh, self.counted) = (0, self.terms.len());
        }
        due || self.stats.warp_instructions >> 10 & 0x3f == 0
    }

    /// Whether looking through terms has used up the budget; then the run ends here.
    pub(super) fn out_of_steps(&mut self) -> bool {
        if let Err(why) = self.budget.spend(0) {
            self.exhausted.get_or_insert(why);
        }
        self.is_exhausted()
    }

    pub(super) fn out_of_fuel(&mut self, index: usize, pc: u32, mask: u32) {
        let why = *self.exhausted.get_or_insert(Exhausted::Fuel);
        let kind = match why {
            Exhausted::Fuel => FaultKind::EndlessLoop(self.enclosing_loop(pc)),
            Exhausted::Cancelled | Exhausted::Memory | Exhausted::Time => FaultKind::Exhausted(why),
        };
        let lane = mask.trailing_zeros();
        let site = Site { instr: pc, thread: self.thread(self.warps[index].first() + lane) };
        self.faults.push(Fault::new(kind, Some(site)));
    }

    /// The smallest loop around an instruction.
    pub(super) fn enclosing_loop(&self, pc: u32) -> Option<Around> {
        let backward = self.kernel.code.iter().enumerate().filter_map(|(at, instr)| {
            let at = at as u32;
            let back = matches!(instr.effect, Effect::Branch) && instr.target <= at;
            (back && instr.target <= pc && pc <= at).then_some((instr.target, at))
        });
        let smallest = backward.min_by_key(|(target, branch)| branch - target);
        smallest.map(|(first, last)| Around { first, last, rounds: self.backs[last as usize] })
    }

    /// A CTA barrier has been released; the run may be asked to end here.
    pub(super) fn after_release(&mut self) {
        if self.options.stop_at_barrier == Some(self.trace.releases()) {
            self.exhausted = Some(Exhausted::Cancelled);
        }
    }

    /// Whether the run must end.
    pub(super) fn is_exhausted(&self) -> bool {
        self.exhausted.is_some()
    }
}
