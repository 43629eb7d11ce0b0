//! What threads hand on through memory: fences, releasing writes, and what others make of them.
//!
//! Two ways lead from a thread to another. A *release* (a releasing write, or a fence before a strong write) says
//! what its thread has done and knows; an acquire that sees it learns that. And of two `fence.sc`, the one that has
//! to come first is known by whoever executes the other, also through threads that only met (`told`, `past`). Both
//! count where the scope of each holds the other's thread.
//!
//! Source: PTX ISA 9.0, 8.8 and 8.9. Guarantees and misses: those of [`signals`](super::signals).

use super::clock::Arrival;
use super::history::{Release, Released};
use super::machine::Machine;
use super::race::lanes;
use super::signals::{RESIDENT, wide};
use crate::ir::Kernel;
use crate::isa::{Effect, Order, Scope, Strength};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::rc::Rc;

impl<'a> Machine<'a> {
    /// A thread executes a fence.
    pub(super) fn signal_fence(&mut self, index: usize, pc: u32, mask: u32, scope: Scope, order: Order) {
        if self.signals.is_none() {
            return;
        }
        for lane in lanes(mask) {
            let thread = self.warps[index].first() + lane;
            let global = self.first_thread + thread;
            self.lock_fence(thread, scope, order);
            let Some(signals) = &mut self.signals else { return };
            if order.acquires() {
                let seen = signals.seen.remove(&global).unwrap_or_default();
                let told = (order == Order::Sequential).then(|| signals.told.remove(&global)).flatten();
                if let Some(told) = told {
                    self.learn_released(pc, thread, scope, true, &told);
                }
                for (load, loaded, released) in seen {
                    let rest = self.learn_released(
                        pc,
                        thread,
                        loaded.min(scope),
                        order == Order::Sequential,
                        &released,
                    );
                    self.look_later(global, (load, loaded, rest));
                }
            }
            let Some(signals) = &mut self.signals else { return };
            if order.releases() {
                let arrival = self.clocks.arrive(thread);
                let past = signals.sequential.get(&global).cloned().unwrap_or_default();
                let told = self.told(global);
                let mut own = Release { arrival, scope, sequential: false, past, told };
                let Some(signals) = &mut self.signals else { return };
                if order == Order::Sequential && wide(scope) {
                    let (past, told) = Default::default();
                    own.past = Rc::new([Release { sequential: true, past, told, ..own.clone() }]);
                    signals.sequential.insert(global, Rc::clone(&own.past));
                }
                signals.fenced.insert(global, own);
            }
        }
    }

    /// What a write tells whoever sees it, by its thread itself.
    pub(super) fn own_releases(&mut self, pc: u32, thread: u32, strength: Strength) -> Vec<Release> {
        let global = self.first_thread + thread;
        let (scope, releases) = match strength {
            Strength::Strong(scope, order) => (Some(scope), order.releases()),
            Strength::Weak | Strength::Surface | Strength::NonCoherent | Strength::Texture => (None, false),
        };
        let fenced = self.fenced_here(pc);
        let signals = self.signals.as_ref();
        let past = signals.and_then(|signals| signals.sequential.get(&global)).cloned().unwrap_or_default();
        let own = match scope {
            // A fence right before it releases the write, too: who sees it knows of it (PTX ISA 9.0, 8.9.5).
            Some(scope) if releases || fenced.is_some() => {
                let scope = if releases { scope } else { scope.min(fenced.unwrap_or(scope)) };
                let arrival = self.clocks.arrive(thread);
                let told = self.told(global);
                Some(Release { arrival, scope, sequential: false, past: Rc::clone(&past), told })
            }
            // A fence before a strong write releases what came before the fence.
            Some(scope) => {
                let fenced = self.signals.as_ref().and_then(|signals| signals.fenced.get(&global));
                fenced.map(|fenced| Release { scope: scope.min(fenced.scope), ..fenced.clone() })
            }
            None => None,
        };
        // What others of its CTA have done before a `fence.sc` and a barrier.
        let others = scope.filter(|scope| wide(*scope)).map_or(&[][..], |_| &past[..]);
        let others: Vec<Release> = others
            .iter()
            .filter(|other| !own.as_ref().is_some_and(|own| other.is_within(own)))
            .cloned()
            .collect();
        own.into_iter().chain(others).collect()
    }

    /// The scope of a releasing fence that stands right before a write, with no other access in between.
    pub(super) fn fenced_here(&mut self, pc: u32) -> Option<Scope> {
        let kernel = self.kernel;
        let signals = self.signals.as_mut()?;
        *signals.fences.entry(pc).or_insert_with(|| fence_before(kernel, pc))
    }

    /// What a thread has seen, for its next fence.
    pub(super) fn look_later(&mut self, global: u32, seen: (u32, Scope, Released)) {
        if let Some(signals) = self.signals.as_mut().filter(|_| !seen.2.is_empty()) {
            signals.seen.entry(global).or_default().push(seen);
        }
    }

    /// What was released is before what the thread does from now on, where the scopes hold each other. What is left
    /// for a `fence.sc`, if this is none.
    pub(super) fn learn_released(
        &mut self,
        pc: u32,
        thread: u32,
        scope: Scope,
        sequential: bool,
        released: &Released,
    ) -> Released {
        let global = self.first_thread + thread;
        let holds = |release: &&Release| {
            let near = !release.sequential && self.clocks.same_cta(release.arrival.thread, global);
            (sequential || !release.sequential) && (near || wide(scope) && wide(release.scope))
        };
        let learned: Vec<&Release> = released.iter().filter(holds).collect();
        let left: Released = match sequential {
            true => Rc::new([]),
            false => released.iter().filter(|release| release.sequential).cloned().collect(),
        };
        if learned.is_empty() {
            return left;
        }
        let arrivals: Vec<Arrival> = learned.iter().map(|release| release.arrival.clone()).collect();
        let past: Vec<Release> = learned.iter().flat_map(|release| release.past.iter().cloned()).collect();
        let told: Vec<Release> = learned.iter().flat_map(|release| release.told.iter().cloned()).collect();
        match sequential {
            _ if told.is_empty() => {}
            true => _ = self.learn_released(pc, thread, scope, true, &told.into()),
            false => {
                let own = self.signals.as_ref().and_then(|signals| signals.told.get(&global));
                let all: Vec<Release> = own.iter().flat_map(|own| own.iter().cloned()).chain(told).collect();
                let told = self.by_cta(&all);
                self.signals.as_mut().map(|signals| signals.told.insert(global, told));
            }
        }
        if let Some(signals) = self.signals.as_mut().filter(|_| !past.is_empty()) {
            let own = signals.sequential.get(&global).cloned().unwrap_or_default();
            let all: Vec<Release> = own.iter().cloned().chain(past).collect();
            let known = self.by_cta(&all);
            if let Some(signals) = &mut self.signals {
                signals.sequential.insert(global, known);
            }
        }
        if let Some(tickets) = &mut self.tickets {
            let ctas = arrivals.iter().map(|arrival| arrival.thread / self.clocks.count());
            ctas.for_each(|other| tickets.meet(self.cta_index, other));
        }
        let away = |arrival: &Arrival| !self.clocks.same_cta(arrival.thread, global);
        if self.waits_through_memory && arrivals.iter().any(away) {
            self.granted.entry(RESIDENT).or_insert((0, pc)).0 += 1;
        }
        if self.locks.is_some() {
            // What comes before may be in no section, and what comes after in one.
            self.clocks.step(thread);
        }
        self.clocks.learn(&arrivals, thread);
        self.lock_learned([thread].into_iter());
        left
    }

    /// Fences that come before the next `fence.sc` of a thread, by what it and those have seen whom it knows of.
    pub(super) fn told(&self, global: u32) -> Released {
        let Some(signals) = &self.signals else { return Released::default() };
        let told = signals.told.get(&global).cloned().unwrap_or_default();
        let seen = signals.seen.get(&global).into_iter().flatten().filter(|(_, scope, _)| wide(*scope));
        let seen = seen.flat_map(|(.., released)| released.iter().filter(|release| release.sequential));
        let seen: Vec<Release> = seen.cloned().collect();
        match seen[..] {
            [] => told,
            _ => self.by_cta(&told.iter().cloned().chain(seen).collect::<Vec<_>>()),
        }
    }

    /// Fences, those of each CTA as one.
    fn by_cta(&self, all: &[Release]) -> Released {
        let mut of: BTreeMap<u32, Vec<Arrival>> = BTreeMap::new();
        for release in all {
            of.entry(release.arrival.thread / self.clocks.count()).or_default().push(release.arrival.clone());
        }
        let one = |arrivals: Vec<Arrival>| {
            let arrival = Arrival::together(&arrivals)?;
            let (past, told) = Default::default();
            Some(Release { arrival, scope: Scope::Gpu, sequential: true, past, told })
        };
        of.into_values().filter_map(one).collect()
    }

    /// Threads of the CTA go on from where they have met, and know of each other's fences.
    pub(super) fn signal_meeting(&mut self, met: impl Iterator<Item = u32> + Clone) {
        self.lock_learned(met.clone());
        let Some(signals) = &self.signals else { return };
        let first = self.first_thread;
        let (mut behind, mut ahead): (Vec<Released>, Vec<Released>) = (Vec::new(), Vec::new());
        let add = |all: &mut Vec<Released>, more: &Released| {
            if !all.last().is_some_and(|last| Rc::ptr_eq(last, more)) {
                all.push(Rc::clone(more));
            }
        };
        for thread in met.clone().map(|thread| first + thread) {
            signals.sequential.get(&thread).into_iter().for_each(|known| add(&mut behind, known));
            add(&mut ahead, &self.told(thread));
        }
        ahead.retain(|told| !told.is_empty());
        let together = |all: &[Released]| match all {
            [] => None,
            [one] => Some(Rc::clone(one)),
            _ => Some(self.by_cta(&all.iter().flat_map(|known| known.iter().cloned()).collect::<Vec<_>>())),
        };
        let (behind, ahead) = (together(&behind), together(&ahead));
        let Some(signals) = &mut self.signals else { return };
        for thread in met.map(|thread| first + thread) {
            behind.iter().for_each(|behind| _ = signals.sequential.insert(thread, Rc::clone(behind)));
            ahead.iter().for_each(|ahead| _ = signals.told.insert(thread, Rc::clone(ahead)));
        }
    }
}

/// The scope of a releasing fence right before an instruction, on the only way to it.
fn fence_before(kernel: &Kernel, pc: u32) -> Option<Scope> {
    let jumps = kernel.code.iter().filter(|instr| matches!(instr.effect, Effect::Branch));
    let targets: FxHashSet<u32> =
        jumps.map(|instr| instr.target).chain(kernel.tables.iter().flatten().copied()).collect();
    for at in (0..pc).rev().take_while(|at| !targets.contains(&(at + 1))) {
        let instr = &kernel.code[at as usize];
        match instr.effect {
            Effect::Fence(scope, order) if instr.guard.is_none() => {
                return order.releases().then_some(scope);
            }
            Effect::Lanewise(_) | Effect::Move { .. } | Effect::Nothing => {}
            _ => return None,
        }
    }
    None
}
