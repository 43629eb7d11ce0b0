//! Happens-before as vector clocks.
//!
//! Thread `t` of the running CTA has an epoch, which grows at every synchronisation it takes part
//! in, and a base: for every thread of the CTA the last epoch of it that `t` has synchronised
//! with, directly or through others. An access of thread `u` in epoch `e` happens before thread
//! `t`'s present exactly if `t == u` or `base(t)[u] ≥ e`. Bases are shared: after a barrier all
//! its threads hold the same one. Threads of other CTAs are never ordered.
//!
//! Kernels whose copies arrive at barrier objects have an agent beside each thread, with a clock
//! of its own: what it did happens before those only who waited for that barrier object, and before
//! its thread once that has waited for the copies. That a copy has happened does not say that it has
//! arrived, so each phase that copies arrive in has an end, an event of the object, which those know
//! who waited for it.
//!
//! What a thread knows and what it may rely on are two things where a barrier object is used with
//! `.relaxed`: whoever sees a phase end knows that all have arrived, and so which phase is next, but not
//! that their accesses have happened. Kernels with such instructions have a second set of clocks
//! (`sight`), for which `.relaxed` orders like everything else. It answers what a thread knows
//! ([`Clocks::follows`], [`Clocks::precedes`]); races are found with the first.
//!
//! Deviation from the paper: its context 𝒳 asks whether two threads synchronised *with each
//! other*. Order is transitive, so a chain of synchronisations through third threads orders too;
//! reporting such a pair would report a race that no execution can show.

use crate::isa::WARP;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The clocks of one CTA's threads.
pub(super) struct Clocks {
    epoch: Vec<u32>,
    base: Vec<Rc<[u32]>>,
    /// The smallest entry of each thread's base: what any thread did up to then is in the past.
    floor: Vec<u32>,
    /// What the threads of each warp have in common; `None` until it is asked for again.
    together: Vec<Cell<Option<Together>>>,
    /// Global number of the first thread that is known here: of the running CTA, or of the launch.
    first: u32,
    /// Threads and agents of a CTA.
    members: u32,
    /// Those of all CTAs that are known here; behind them are barrier objects, whose number may grow.
    all: u32,
    /// Of those, where the running CTA's begin.
    offset: u32,
    /// What threads know without being able to rely on it, where that is more.
    sight: Option<Box<Sight>>,
}

/// The second set of clocks, and what fences make of `.relaxed`: an arrival behind a fence publishes
/// what came before the fence, and a fence behind a wait acquires (PTX ISA 9.0, 8.8).
struct Sight {
    clocks: Clocks,
    /// The threads' last fences: epoch and base then.
    fenced: BTreeMap<u32, (u32, Rc<[u32]>)>,
    /// Arrivals that threads have seen by `.relaxed` waits since their last fence.
    seen: BTreeMap<u32, Vec<Arrival>>,
}

/// The epoch of reads that no write is ordered with, whatever happens: later than all others.
pub(super) const NEVER: u32 = i32::MAX as u32;

/// What the threads of a warp have in common.
#[derive(Clone, Copy)]
struct Together {
    /// Their epoch, if it is the same.
    epoch: Option<u32>,
    /// The least of their floors.
    floor: u32,
}

/// What a thread knew when it arrived somewhere; or the end of a phase.
#[derive(Clone)]
pub(super) struct Arrival {
    /// The thread, agent or barrier object, counted among those that the clocks know.
    pub(super) thread: u32,
    epoch: u32,
    base: Rc<[u32]>,
    /// The same in the second set of clocks.
    sight: Option<Box<Arrival>>,
}

impl Arrival {
    /// The thread's epoch then, as [`Clocks::present`] counts.
    pub(super) fn epoch(&self) -> u32 {
        self.seen().epoch
    }

    fn seen(&self) -> &Arrival {
        self.sight.as_deref().unwrap_or(self)
    }

    /// Whether everything that it says another one says, too.
    pub(super) fn is_within(&self, other: &Arrival) -> bool {
        let known = |thread: usize| {
            let own = if thread == other.thread as usize { other.epoch } else { 0 };
            other.base.get(thread).copied().unwrap_or(0).max(own)
        };
        let base = Rc::ptr_eq(&self.base, &other.base)
            || self.base.iter().enumerate().all(|(thread, epoch)| *epoch <= known(thread));
        base && self.epoch <= known(self.thread as usize)
    }

    /// What several say together; `None` of none.
    pub(super) fn together(arrivals: &[Arrival]) -> Option<Arrival> {
        let first = arrivals.first()?;
        let mut known: Vec<u32> = first.base.to_vec();
        let mut last = &first.base;
        for arrival in arrivals {
            if !Rc::ptr_eq(&arrival.base, last) && !Rc::ptr_eq(&arrival.base, &first.base) {
                known.resize(known.len().max(arrival.base.len()), 0);
                for (known, theirs) in known.iter_mut().zip(arrival.base.iter()) {
                    *known = (*known).max(*theirs);
                }
                last = &arrival.base;
            }
        }
        for arrival in arrivals {
            known.resize(known.len().max(arrival.thread as usize + 1), 0);
            let own = &mut known[arrival.thread as usize];
            *own = (*own).max(arrival.epoch);
        }
        Some(Arrival { base: known.into(), sight: None, ..first.clone() })
    }
}

impl Clocks {
    /// Threads `first..first + count` in the global numbering, none synchronised. Agents count.
    pub(super) fn new(first: u32, count: u32) -> Self {
        let zero: Rc<[u32]> = vec![0; count as usize].into();
        Clocks {
            epoch: vec![1; count as usize],
            base: vec![zero; count as usize],
            floor: vec![0; count as usize],
            together: vec![Cell::new(None); (count as usize).div_ceil(WARP)],
            first,
            members: count,
            all: count,
            offset: 0,
            sight: None,
        }
    }

    /// The threads of all CTAs of a launch, which may synchronise with one another.
    pub(super) fn of_launch(ctas: u32, count: u32) -> Self {
        let warps = (count as usize).div_ceil(WARP);
        Clocks {
            together: vec![Cell::new(None); warps * ctas as usize],
            members: count,
            ..Clocks::new(0, ctas * count)
        }
    }

    /// Another CTA of the launch runs.
    pub(super) fn enter(&mut self, cta: u32) {
        self.offset = cta * self.members;
    }

    /// Whether two threads, by their global numbers, are of one CTA.
    pub(super) fn same_cta(&self, one: u32, other: u32) -> bool {
        one / self.members == other / self.members
    }

    /// Who arrived, counted in the running CTA, which is its own.
    pub(super) fn local(&self, arrival: &Arrival) -> u32 {
        arrival.thread - self.offset
    }

    fn at(&self, thread: u32) -> usize {
        (self.offset + thread) as usize
    }

    fn warp(&self, first: u32) -> usize {
        let before = (self.offset / self.members) as usize * (self.members as usize).div_ceil(WARP);
        before + first as usize / WARP
    }

    /// The same, where some instructions are `.relaxed`.
    pub(super) fn with_sight(first: u32, count: u32) -> Self {
        let clocks = Clocks::new(first, count);
        let sight = Sight { clocks, fenced: BTreeMap::new(), seen: BTreeMap::new() };
        Clocks { sight: Some(Box::new(sight)), ..Clocks::new(first, count) }
    }

    /// The present epoch of a thread or agent for questions of who knows what.
    pub(super) fn present(&self, thread: u32) -> u32 {
        self.sight.as_ref().map_or(self.epoch(thread), |sight| sight.clocks.epoch(thread))
    }

    /// The present epoch of a thread of the CTA.
    #[inline]
    pub(super) fn epoch(&self, thread: u32) -> u32 {
        self.epoch[self.at(thread)]
    }

    /// The present epoch of all lanes of the warp that begins at thread `first`, if they have the same.
    #[inline]
    pub(super) fn common_epoch(&self, first: u32) -> Option<u32> {
        self.together(first).epoch
    }

    #[inline]
    fn together(&self, first: u32) -> Together {
        let kept = &self.together[self.warp(first)];
        kept.get().unwrap_or_else(|| {
            let lanes = self.at(first)..self.at((first + WARP as u32).min(self.members));
            let epochs = &self.epoch[lanes.clone()];
            let together = Together {
                epoch: epochs.iter().all(|epoch| *epoch == epochs[0]).then_some(epochs[0]),
                floor: self.floor[lanes].iter().copied().min().unwrap_or(0),
            };
            kept.set(Some(together));
            together
        })
    }

    /// A thread's epoch or floor has changed.
    fn changed(&self, thread: u32) {
        self.together[self.warp(thread)].set(None);
    }

    /// Global number of the first thread that is known here.
    #[inline]
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// Every access of the CTA in an epoch up to this happens before the present of `thread`.
    #[inline]
    pub(super) fn floor(&self, thread: u32) -> u32 {
        self.floor[self.at(thread)]
    }

    /// Whether an access by `other` (global number) in `epoch` happens before the present of
    /// `thread` (counted in the CTA).
    #[inline]
    pub(super) fn ordered(&self, other: u32, epoch: u32, thread: u32) -> bool {
        let other = other.wrapping_sub(self.first);
        if other >= self.all {
            return false;
        }
        other == self.offset + thread && epoch != NEVER
            || epoch <= self.floor(thread)
            || self.knows(thread, other) >= epoch
    }

    /// The last epoch of another thread, agent or barrier object that a thread has synchronised with.
    #[inline]
    fn knows(&self, thread: u32, other: u32) -> u32 {
        self.base[self.at(thread)].get(other as usize).copied().unwrap_or(0)
    }

    /// Whether an access by `other` (global number) in `epoch` surely happens before the present of
    /// all lanes of the warp that begins at thread `first`. Says no too often, and is quick.
    #[inline]
    pub(super) fn ordered_before_all(&self, other: u32, epoch: u32, first: u32) -> bool {
        other.wrapping_sub(self.first) < self.all && epoch <= self.together(first).floor
    }

    /// How many threads a CTA has, with agents.
    pub(super) fn count(&self) -> u32 {
        self.members
    }

    /// One more barrier object, by its number.
    pub(super) fn object(&mut self) -> u32 {
        if let Some(sight) = &mut self.sight {
            sight.clocks.object();
        }
        self.epoch.push(1);
        self.epoch.len() as u32 - 1
    }

    /// A phase of a barrier object ends. Whoever learns that has learned all that happened before.
    pub(super) fn end_phase(&mut self, object: u32) -> Arrival {
        let epoch = &mut self.epoch[object as usize];
        *epoch += 1;
        let epoch = *epoch - 1;
        let sight = self.sight.as_mut().map(|sight| Box::new(sight.clocks.end_phase(object)));
        Arrival { thread: object, epoch, base: Rc::new([]), sight }
    }

    /// The smallest of what is known of threads and agents.
    fn least(&self, known: &[u32]) -> u32 {
        known[..self.all as usize].iter().copied().min().unwrap_or(0)
    }

    /// Brings threads that act together to a common epoch: the latest of theirs. (Epochs may skip
    /// numbers; only their order counts.)
    pub(super) fn align(&mut self, threads: std::ops::Range<u32>) {
        let range = self.at(threads.start)..self.at(threads.end);
        let latest = self.epoch[range.clone()].iter().copied().max().unwrap_or(0);
        self.epoch[range].fill(latest);
        threads.for_each(|thread| self.changed(thread));
    }

    /// The agent of a thread arrives somewhere. What the thread knew when it set the agent to work
    /// came before; what the thread itself did is not published by that.
    pub(super) fn arrive_for(&mut self, agent: u32, thread: u32) -> Arrival {
        let at = agent as usize;
        let sight = self.sight.as_mut().map(|sight| Box::new(sight.clocks.arrive_for(agent, thread)));
        let base = Rc::clone(&self.base[thread as usize]);
        let arrival = Arrival { thread: agent, epoch: self.epoch[at], base, sight };
        self.epoch[at] += 1;
        self.changed(agent);
        arrival
    }

    /// Everything in `arrivals` now happens before the present of `thread`, which need not be one
    /// of them.
    pub(super) fn learn(&mut self, arrivals: &[Arrival], thread: u32) {
        if let Some(sight) = &mut self.sight {
            sight.see(arrivals, thread);
        }
        let at = self.at(thread);
        let mut known: Vec<u32> = self.base[at].to_vec();
        known.resize(self.epoch.len(), 0);
        let mut last: Option<&Rc<[u32]>> = None;
        for arrival in arrivals {
            if !last.is_some_and(|last| Rc::ptr_eq(last, &arrival.base)) {
                for (known, theirs) in known.iter_mut().zip(arrival.base.iter()) {
                    *known = (*known).max(*theirs);
                }
                last = Some(&arrival.base);
            }
            let own = &mut known[arrival.thread as usize];
            *own = (*own).max(arrival.epoch);
        }
        self.floor[at] = self.least(&known);
        self.base[at] = known.into();
        self.changed(thread);
    }

    /// A thread knows of the arrivals, and may rely on nothing: a `.relaxed` wait.
    pub(super) fn see(&mut self, arrivals: &[Arrival], thread: u32) {
        if let Some(sight) = &mut self.sight {
            sight.see(arrivals, thread);
            sight.seen.entry(thread).or_default().extend(arrivals.iter().cloned());
        }
    }

    /// A thread executes a memory fence.
    pub(super) fn fence(&mut self, thread: u32) {
        let Some(sight) = &mut self.sight else { return };
        let seen = sight.seen.remove(&thread).unwrap_or_default();
        self.learn(&seen, thread);
        let at = thread as usize;
        let before = (self.epoch[at], Rc::clone(&self.base[at]));
        self.epoch[at] += 1;
        self.changed(thread);
        if let Some(sight) = &mut self.sight {
            sight.fenced.insert(thread, before);
        }
    }

    /// Whether a thread that did something in `epoch` ([`Clocks::present`]) had done it before an arrival.
    pub(super) fn precedes(thread: u32, epoch: u32, arrival: &Arrival) -> bool {
        let arrival = arrival.seen();
        if arrival.thread == thread {
            return arrival.epoch >= epoch;
        }
        arrival.base.get(thread as usize).is_some_and(|known| *known >= epoch)
    }

    /// Whether a thread knows of an arrival.
    pub(super) fn follows(&self, arrival: &Arrival, thread: u32) -> bool {
        if let (Some(sight), Some(seen)) = (&self.sight, &arrival.sight) {
            return sight.clocks.follows(seen, thread);
        }
        self.relies(arrival, thread)
    }

    /// Whether what came before an arrival happens before the present of a thread.
    pub(super) fn relies(&self, arrival: &Arrival, thread: u32) -> bool {
        arrival.thread == self.offset + thread || self.knows(thread, arrival.thread) >= arrival.epoch
    }

    /// Records a `.relaxed` arrival: what came before the thread's last fence is published.
    pub(super) fn arrive_relaxed(&mut self, thread: u32) -> Arrival {
        let fenced = self.sight.as_ref().and_then(|sight| sight.fenced.get(&thread)).cloned();
        let (epoch, base) = fenced.unwrap_or_else(|| (0, Rc::new([])));
        let sight = self.sight.as_mut().map(|sight| Box::new(sight.clocks.arrive(thread)));
        Arrival { thread, epoch, base, sight }
    }

    /// Records that a thread arrives at a synchronisation: what it did so far is published.
    pub(super) fn arrive(&mut self, thread: u32) -> Arrival {
        let sight = self.sight.as_mut().map(|sight| Box::new(sight.clocks.arrive(thread)));
        let arrival = Arrival { sight, ..self.stamp(thread) };
        let at = self.at(thread);
        self.epoch[at] += 1;
        self.changed(thread);
        arrival
    }

    /// What a thread has done and knows now.
    pub(super) fn stamp(&self, thread: u32) -> Arrival {
        let at = self.at(thread);
        Arrival { thread: at as u32, epoch: self.epoch[at], base: Rc::clone(&self.base[at]), sight: None }
    }

    /// Something that a thread (global number) did in an epoch.
    pub(super) fn mark(&self, thread: u32, epoch: u32) -> Arrival {
        Arrival { thread: thread - self.first, epoch, base: Rc::new([]), sight: None }
    }

    /// What a thread knows is what it knew then.
    pub(super) fn forget(&mut self, thread: u32, since: &Arrival) {
        let at = self.at(thread);
        self.base[at] = Rc::clone(&since.base);
        self.floor[at] = self.least(&since.base);
        self.changed(thread);
    }

    /// Everything in `arrivals` now happens before the present of every thread in `leaving`, all of
    /// which are among the arrivals and have done nothing since.
    pub(super) fn join(&mut self, arrivals: &[Arrival], leaving: impl Iterator<Item = u32>) {
        let Some(first) = arrivals.first() else { return };
        let mut joined: Vec<u32> = first.base.to_vec();
        joined.resize(self.epoch.len(), 0);
        let mut last = &first.base;
        for arrival in arrivals {
            // Threads that left the same barrier share their base: most joins see only a few.
            if !Rc::ptr_eq(&arrival.base, last) && !Rc::ptr_eq(&arrival.base, &first.base) {
                for (known, theirs) in joined.iter_mut().zip(arrival.base.iter()) {
                    *known = (*known).max(*theirs);
                }
                last = &arrival.base;
            }
        }
        for arrival in arrivals {
            let known = &mut joined[arrival.thread as usize];
            *known = (*known).max(arrival.epoch);
        }
        let joined: Rc<[u32]> = joined.into();
        let floor = self.least(&joined);
        for thread in leaving {
            if let Some(sight) = &mut self.sight {
                sight.see(arrivals, thread);
            }
            // Whoever leaves a barrier has arrived there, so the join covers its own base.
            let at = self.at(thread);
            debug_assert!(self.base[at].iter().zip(joined.iter()).all(|(own, new)| own <= new));
            self.base[at] = Rc::clone(&joined);
            self.floor[at] = floor;
            self.changed(thread);
        }
    }
}

impl Sight {
    /// A thread knows of the arrivals.
    fn see(&mut self, arrivals: &[Arrival], thread: u32) {
        let seen: Vec<Arrival> = arrivals.iter().map(|arrival| arrival.seen().clone()).collect();
        self.clocks.learn(&seen, thread);
    }
}
