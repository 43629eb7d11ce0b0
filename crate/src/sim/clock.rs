//! Happens-before as vector clocks.
//!
//! Thread `t` of the running CTA has an epoch, which grows at every synchronization it takes part
//! in, and a base: for every thread of the CTA the last epoch of it that `t` has synchronized
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
//! that their accesses have happened. Nor does a copy publish what its thread has done, although whoever
//! sees the end of a phase that waits for the copy knows that its thread has started it. Kernels with such
//! instructions have a second set of clocks
//! (`sight`), for which `.relaxed` orders like everything else. It answers what a thread knows
//! ([`Clocks::follows`], [`Clocks::precedes`]); races are found with the first.
//!
//! What comes before a bulk copy in this order reaches its proxy only if a proxy fence lies on the way
//! (PTX ISA 9.0, 8.9.5: proxy-preserved base causality order). Kernels with bulk copies keep, beside what
//! a thread knows, how much of that such fences have handed over ([`Handed`]), for shared and for
//! global memory. It travels as knowledge does, and grows to all of it where a thread executes the fence.
//!
//! Deviation from the paper: its context 𝒳 asks whether two threads synchronized *with each
//! other*. Order is transitive, so a chain of synchronizations through third threads orders too;
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
    /// How many numbers each CTA has in the global numbering: members, and barrier objects that bulk copies
    /// arrive at, which write and read in their name.
    stride: u32,
    /// Threads of them, and how many of those one CTA has: of a cluster, each CTA.
    threads: u32,
    own: u32,
    /// Those of all CTAs that are known here; behind them are barrier objects, whose number may grow.
    all: u32,
    /// Of those, where the running CTA's begin.
    offset: u32,
    /// What threads know without being able to rely on it, where that is more.
    sight: Option<Box<Sight>>,
    /// What has been handed to the asynchronous proxy, as far as each thread knows; empty in kernels that
    /// do not use that.
    handed: Vec<Handed>,
    /// The last that a thread has learned.
    learned: Option<Box<Learned>>,
}

/// What a thread knew, what it was told, and what it knew then: those who wait for one phase have mostly known the
/// same before, and share what they know afterwards.
struct Learned {
    before: Rc<[u32]>,
    /// Who arrived, in which epoch, and what they knew.
    told: Vec<(u32, u32, Rc<[u32]>)>,
    after: Rc<[u32]>,
    floor: u32,
}

/// More arrivals than that are not remembered: they are told to few.
const TOLD: usize = 8;

impl Learned {
    fn is_of(&self, before: &Rc<[u32]>, arrivals: &[Arrival], count: usize) -> bool {
        let same = |(arrival, told): (&Arrival, &(u32, u32, Rc<[u32]>))| {
            (arrival.thread, arrival.epoch) == (told.0, told.1) && Rc::ptr_eq(&arrival.base, &told.2)
        };
        Rc::ptr_eq(before, &self.before)
            && arrivals.len() == self.told.len()
            && self.after.len() == count
            && arrivals.iter().zip(&self.told).all(same)
    }
}

/// For every thread the last epoch of it that a proxy fence has handed over, in shared and global memory.
type Handed = [Rc<[u32]>; 2];

/// Memory that a proxy fence is for, as an index of [`Handed`].
pub(super) const SHARED: usize = 0;
/// The same.
pub(super) const GLOBAL: usize = 1;

/// The second set of clocks, and what fences make of `.relaxed`: an arrival behind a fence publishes
/// what came before the fence, and a fence behind a wait acquires (PTX ISA 9.0, 8.8).
struct Sight {
    clocks: Clocks,
    /// What threads had done and knew at their last fences.
    fenced: BTreeMap<u32, Arrival>,
    /// Arrivals that threads have seen by `.relaxed` waits since their last fence.
    seen: BTreeMap<u32, Vec<Arrival>>,
}

/// The first epoch of a barrier object: later than those of threads, whose floors say nothing of objects.
const OBJECT: u32 = 1 << 30;

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
    handed: Option<Handed>,
}

impl Arrival {
    /// The thread's epoch then, as [`Clocks::present`] counts.
    pub(super) fn epoch(&self) -> u32 {
        self.seen().epoch
    }

    fn seen(&self) -> &Arrival {
        self.sight.as_deref().unwrap_or(self)
    }

    /// Whether it says that a thread, agent or barrier object had come so far.
    pub(super) fn has_seen(&self, thread: u32, epoch: u32) -> bool {
        self.base.get(thread as usize).is_some_and(|known| *known >= epoch)
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
    /// Threads `first..first + count` in the global numbering, none synchronized. Agents count.
    pub(super) fn new(first: u32, count: u32) -> Self {
        let zero: Rc<[u32]> = vec![0; count as usize].into();
        Clocks {
            epoch: vec![1; count as usize],
            base: vec![zero; count as usize],
            floor: vec![0; count as usize],
            together: vec![Cell::new(None); (count as usize).div_ceil(WARP)],
            first,
            members: count,
            stride: count,
            threads: count,
            own: count,
            all: count,
            offset: 0,
            sight: None,
            handed: Vec::new(),
            learned: None,
        }
    }

    /// The threads of all CTAs of a launch, which may synchronize with one another.
    pub(super) fn of_launch(ctas: u32, count: u32) -> Self {
        let warps = (count as usize).div_ceil(WARP);
        Clocks {
            together: vec![Cell::new(None); warps * ctas as usize],
            members: count,
            stride: count,
            ..Clocks::new(0, ctas * count)
        }
    }

    /// Another CTA of the launch runs.
    pub(super) fn enter(&mut self, cta: u32) {
        self.offset = cta * self.members;
    }

    /// The threads are those of a cluster, in which each CTA has so many.
    pub(super) fn divide(&mut self, threads: u32, own: u32) {
        (self.threads, self.own) = (threads, own);
    }

    /// Whether two threads, by their global numbers, are of one CTA.
    pub(super) fn same_cta(&self, one: u32, other: u32) -> bool {
        let rank = |number: u32| number % self.stride % self.threads / self.own;
        one / self.stride == other / self.stride && rank(one) == rank(other)
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

    /// The same, where bulk copies have a proxy of their own, and a CTA has so many numbers.
    pub(super) fn add_proxies(&mut self, stride: u32) {
        self.stride = stride;
        self.handed = self.base.iter().map(|base| [Rc::clone(base), Rc::clone(base)]).collect();
    }

    /// A thread executes a proxy fence: all that it has done and knows is handed over.
    pub(super) fn fence_proxy(&mut self, thread: u32, memory: [bool; 2]) {
        let at = self.at(thread);
        if self.handed.is_empty() {
            return;
        }
        let mut known = self.base[at].to_vec();
        known[at] = self.epoch[at];
        let known: Rc<[u32]> = known.into();
        for (handed, _) in self.handed[at].iter_mut().zip(memory).filter(|(_, covered)| *covered) {
            *handed = Rc::clone(&known);
        }
        self.epoch[at] += 1;
        self.changed(thread);
    }

    /// Whether what `other` (global number) did in `epoch` has been handed to the asynchronous proxy before
    /// the present of `thread`.
    pub(super) fn is_handed(&self, other: u32, epoch: u32, thread: u32, memory: usize) -> bool {
        let Some(handed) = self.handed.get(self.at(thread)) else { return false };
        let other = other.wrapping_sub(self.first) as usize;
        handed[memory].get(other).is_some_and(|known| *known >= epoch)
    }

    /// Lanes of the warp that begins at thread `first`, such that every lane knows of the same as one of them of what
    /// has been handed over.
    pub(super) fn differently_handed(&self, first: u32, memory: usize) -> impl Iterator<Item = u32> {
        let of = move |lane: u32| self.handed.get(self.at(first + lane)).map(|handed| &handed[memory]);
        (0..WARP as u32).filter(move |lane| {
            let same = |one: Option<&Rc<[u32]>>, other: Option<&Rc<[u32]>>| match (one, other) {
                (Some(one), Some(other)) => Rc::ptr_eq(one, other),
                (one, other) => one.is_none() && other.is_none(),
            };
            *lane == 0 || !same(of(*lane), of(*lane - 1))
        })
    }

    fn handed_by(&self, at: usize) -> Option<Handed> {
        self.handed.get(at).cloned()
    }

    /// What arrivals say has been handed over, a thread now knows as well.
    fn take_handed(&mut self, arrivals: &[Arrival], at: usize) {
        let Some(own) = self.handed.get_mut(at) else { return };
        for (memory, known) in own.iter_mut().enumerate() {
            let mut all: Option<Vec<u32>> = None;
            let mut last: Option<&Rc<[u32]>> = None;
            for handed in arrivals.iter().filter_map(|arrival| arrival.handed.as_ref()) {
                let theirs = &handed[memory];
                if Rc::ptr_eq(theirs, known) || last.is_some_and(|last| Rc::ptr_eq(last, theirs)) {
                    continue;
                }
                let all = all.get_or_insert_with(|| known.to_vec());
                all.resize(all.len().max(theirs.len()), 0);
                all.iter_mut().zip(theirs.iter()).for_each(|(own, theirs)| *own = (*own).max(*theirs));
                last = Some(theirs);
            }
            if let Some(all) = all {
                *known = all.into();
            }
        }
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
        if other >= self.all.max(self.stride) {
            return false;
        }
        other == self.offset + thread && epoch != NEVER
            || epoch <= self.floor(thread)
            || self.knows(thread, other) >= epoch
    }

    /// The last epoch of another thread, agent or barrier object that a thread has synchronized with.
    #[inline]
    fn knows(&self, thread: u32, other: u32) -> u32 {
        self.base[self.at(thread)].get(other as usize).copied().unwrap_or(0)
    }

    /// Whether an access by `other` (global number) in `epoch` surely happens before the present of
    /// all lanes of the warp that begins at thread `first`. Says no too often, and is quick.
    #[inline]
    pub(super) fn ordered_before_all(&self, other: u32, epoch: u32, first: u32) -> bool {
        other.wrapping_sub(self.first) < self.all.max(self.stride) && epoch <= self.together(first).floor
    }

    /// How many numbers a CTA has, of threads, agents, and barrier objects.
    pub(super) fn count(&self) -> u32 {
        self.stride
    }

    /// One more barrier object, by its number.
    pub(super) fn object(&mut self) -> u32 {
        if let Some(sight) = &mut self.sight {
            sight.clocks.object();
        }
        self.epoch.push(OBJECT);
        self.base.push(Rc::new([]));
        self.floor.push(0);
        self.epoch.len() as u32 - 1
    }

    /// A phase of a barrier object ends. Whoever learns that has learned all that happened before, and
    /// what was known where the bulk copies started that the phase has waited for.
    pub(super) fn end_phase(&mut self, object: u32, starts: &[Arrival]) -> Arrival {
        let epoch = &mut self.epoch[object as usize];
        *epoch += 1;
        let epoch = *epoch - 1;
        let sight = self.sight.as_mut().map(|sight| {
            // That a copy has started says that its thread has come that far.
            let seen: Vec<Arrival> = starts.iter().map(|start| start.seen().clone()).collect();
            let mut end = sight.clocks.end_phase(object, &seen);
            let mut known = end.base.to_vec();
            for start in &seen {
                let own = &mut known[start.thread as usize];
                *own = (*own).max(start.epoch);
            }
            end.base = known.into();
            Box::new(end)
        });
        let mut base: Rc<[u32]> = Rc::new([]);
        for start in starts.iter() {
            if Rc::ptr_eq(&base, &start.base) {
                continue;
            }
            let mut known = start.base.to_vec();
            known.resize(known.len().max(base.len()), 0);
            known.iter_mut().zip(base.iter()).for_each(|(known, other)| *known = (*known).max(*other));
            base = known.into();
        }
        Arrival { thread: object, epoch, base, sight, handed: None }
    }

    /// Who stands for a copy that has ended, an agent or a barrier object, knows what its thread did; or nothing
    /// again.
    pub(super) fn stand_for(&mut self, who: u32, start: Option<&Arrival>) {
        self.base[who as usize] = match start {
            None => Rc::new([]),
            Some(start) => {
                let mut known = start.base.to_vec();
                known[start.thread as usize] = start.epoch;
                known.into()
            }
        };
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
        let handed = self.handed_by(thread as usize);
        let arrival = Arrival { thread: agent, epoch: self.epoch[at], base, sight, handed };
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
        let learned = self.learned.as_ref();
        match learned.filter(|learned| learned.is_of(&self.base[at], arrivals, self.epoch.len())) {
            Some(learned) => {
                self.floor[at] = learned.floor;
                self.base[at] = Rc::clone(&learned.after);
            }
            None => self.learn_anew(arrivals, at),
        }
        self.take_handed(arrivals, at);
        self.changed(thread);
    }

    fn learn_anew(&mut self, arrivals: &[Arrival], at: usize) {
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
        let (after, floor): (Rc<[u32]>, u32) = (known.as_slice().into(), self.least(&known));
        let before = std::mem::replace(&mut self.base[at], Rc::clone(&after));
        self.floor[at] = floor;
        if arrivals.len() <= TOLD {
            let told = |arrival: &Arrival| (arrival.thread, arrival.epoch, Rc::clone(&arrival.base));
            let told = arrivals.iter().map(told).collect();
            self.learned = Some(Box::new(Learned { before, told, after, floor }));
        }
    }

    /// A thread knows of the arrivals, and may rely on nothing: a `.relaxed` wait.
    pub(super) fn see(&mut self, arrivals: &[Arrival], thread: u32) {
        if let Some(sight) = &mut self.sight {
            sight.see(arrivals, thread);
            sight.seen.entry(thread).or_default().extend(arrivals.iter().cloned());
        }
    }

    /// A thread knows of the arrivals, and nothing will ever let it rely on them.
    pub(super) fn notice(&mut self, arrivals: &[Arrival], thread: u32) {
        if let Some(sight) = &mut self.sight {
            sight.see(arrivals, thread);
        }
    }

    /// A thread executes a memory fence.
    pub(super) fn fence(&mut self, thread: u32) {
        let Some(sight) = &mut self.sight else { return };
        let seen = sight.seen.remove(&thread).unwrap_or_default();
        self.learn(&seen, thread);
        let at = thread as usize;
        let before = self.stamp(thread);
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
        let sight = self.sight.as_mut().map(|sight| Box::new(sight.clocks.arrive(thread)));
        match fenced {
            Some(before) => Arrival { sight, ..before },
            None => Arrival { thread, epoch: 0, base: Rc::new([]), sight, handed: None },
        }
    }

    /// Records that a thread arrives at a synchronization: what it did so far is published.
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
        let (base, handed) = (Rc::clone(&self.base[at]), self.handed_by(at));
        Arrival { thread: at as u32, epoch: self.epoch[at], base, sight: None, handed }
    }

    /// The same, with what it knows without being able to rely on it.
    pub(super) fn start(&self, thread: u32) -> Arrival {
        let sight = self.sight.as_ref().map(|sight| Box::new(sight.clocks.stamp(thread)));
        Arrival { sight, ..self.stamp(thread) }
    }

    /// What a thread knows now of how far others have come, whether it may rely on that or not.
    pub(super) fn sees(&self, thread: u32) -> Arrival {
        self.sight.as_ref().map_or_else(|| self.stamp(thread), |sight| sight.clocks.stamp(thread))
    }

    /// A thread's epoch ends without anybody learning of it: gives its number, as [`Clocks::present`] counts.
    pub(super) fn step(&mut self, thread: u32) -> u32 {
        let before = self.present(thread);
        if let Some(sight) = &mut self.sight {
            sight.clocks.step(thread);
        }
        let at = self.at(thread);
        self.epoch[at] += 1;
        self.changed(thread);
        before
    }

    /// The agent of a thread arrives somewhere, because what the thread has started is over. Whoever learns that
    /// knows how far the thread has come, too, and may rely on what it knew.
    pub(super) fn commit_for(&mut self, agent: u32, thread: u32) -> Arrival {
        let own = self.present(thread);
        self.step(thread);
        let mut arrival = self.arrive_for(agent, thread);
        if let Some(seen) = &mut arrival.sight {
            let mut known = seen.base.to_vec();
            known[thread as usize] = known[thread as usize].max(own);
            seen.base = known.into();
        }
        arrival
    }

    /// Something that a thread (global number) did in an epoch.
    pub(super) fn mark(&self, thread: u32, epoch: u32) -> Arrival {
        Arrival { thread: thread - self.first, epoch, base: Rc::new([]), sight: None, handed: None }
    }

    /// What a thread knows is what it knew then.
    pub(super) fn forget(&mut self, thread: u32, since: &Arrival) {
        let at = self.at(thread);
        self.base[at] = Rc::clone(&since.base);
        self.floor[at] = self.least(&since.base);
        if let (Some(own), Some(handed)) = (self.handed.get_mut(at), &since.handed) {
            *own = handed.clone();
        }
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
        // All that leave have arrived, so they end up with the same.
        let mut handed: Option<Handed> = None;
        for thread in leaving {
            if let Some(sight) = &mut self.sight {
                sight.see(arrivals, thread);
            }
            // Whoever leaves a barrier has arrived there, so the join covers its own base.
            let at = self.at(thread);
            debug_assert!(self.base[at].iter().zip(joined.iter()).all(|(own, new)| own <= new));
            self.base[at] = Rc::clone(&joined);
            self.floor[at] = floor;
            match (&handed, self.handed.get_mut(at)) {
                (Some(handed), Some(own)) => *own = handed.clone(),
                _ => self.take_handed(arrivals, at),
            }
            handed = handed.or_else(|| self.handed_by(at));
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
