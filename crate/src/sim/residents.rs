//! CTAs that take turns, because they wait for one another through memory ([`super::signals`]).
//!
//! A CTA runs until none of its threads can go on; then the next one does. Those that wait for memory are
//! asked again in ascending order for as long as one of them gets on. What then still waits, waits for ever,
//! if all CTAs of the grid have run.

use super::barrier::Barriers;
use super::cells::Cells;
use super::clock::Arrival;
use super::collective::{Came, Rendezvous};
use super::copies::Flights;
use super::machine::Machine;
use super::memory::Region;
use super::outcome::{Fault, FaultKind, Site, WaitGroup, WaitKind};
use super::rounds::Rounds;
use super::signals;
use super::warp::{Group, Warp};
use super::{barrier::Wait, suspects::Spoiled};
use crate::isa::{Effect, Space, WARP};

/// What a CTA has for itself.
pub(super) struct Resident {
    index: u32,
    first_thread: u32,
    warps: Vec<Warp>,
    locals: Vec<Cells>,
    barriers: Barriers,
    waits: Vec<Option<Wait>>,
    came: Vec<Option<Came>>,
    meetings: Vec<Vec<Rendezvous>>,
    returned: Vec<Arrival>,
    flights: Flights,
    rounds: Rounds,
    spoiled: Spoiled,
    shared: Vec<Region>,
}

impl Resident {
    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> u64 {
        let warps: u64 = self.warps.iter().map(Warp::bytes).sum();
        let locals: u64 = self.locals.iter().map(Cells::bytes).sum();
        warps + locals + self.shared.iter().map(|region| region.cells.bytes()).sum::<u64>()
    }
}

impl<'a> Machine<'a> {
    /// The running CTA only waits for memory to change.
    pub(super) fn waits_for_memory(&self) -> bool {
        self.signals.is_some() && self.warps.iter().any(|warp| !warp.spinning.is_empty())
    }

    /// The running CTA makes room for another.
    pub(super) fn leave(&mut self) -> Resident {
        let shared = self.memory.take_shared(self.setup.launch.dynamic_shared);
        Resident {
            index: self.cta_index,
            first_thread: self.first_thread,
            warps: std::mem::take(&mut self.warps),
            locals: std::mem::take(&mut self.locals),
            barriers: std::mem::take(&mut self.barriers),
            waits: std::mem::take(&mut self.waits),
            came: std::mem::take(&mut self.came),
            meetings: std::mem::take(&mut self.meetings),
            returned: std::mem::take(&mut self.returned),
            flights: std::mem::replace(&mut self.flights, Flights::new(0)),
            rounds: std::mem::take(&mut self.rounds),
            spoiled: std::mem::take(&mut self.suspects.spoiled),
            shared,
        }
    }

    /// A CTA that has made room takes it again.
    fn enter(&mut self, resident: Resident) {
        self.cta_index = resident.index;
        self.first_thread = resident.first_thread;
        self.warps = resident.warps;
        self.locals = resident.locals;
        self.barriers = resident.barriers;
        self.waits = resident.waits;
        self.came = resident.came;
        self.meetings = resident.meetings;
        self.returned = resident.returned;
        self.flights = resident.flights;
        self.rounds = resident.rounds;
        self.suspects.spoiled = resident.spoiled;
        self.memory.put_shared(resident.shared);
        self.clocks.enter(resident.index);
        self.trace.begin_cta(resident.index as usize, self.warps.len() as u32, 1);
    }

    /// CTAs that wait for memory go on as it changes, until all have ended or none gets on.
    pub(super) fn take_turns(&mut self, mut waiting: Vec<Resident>) {
        self.away = waiting.iter().map(Resident::bytes).sum();
        let mut got_on = true;
        while got_on && !waiting.is_empty() && !self.is_over() {
            got_on = false;
            for resident in std::mem::take(&mut waiting) {
                if self.is_over() {
                    return;
                }
                self.enter(resident);
                if self.wake_spinning() {
                    got_on = true;
                    self.run_cta();
                }
                if self.waits_for_memory() && !self.is_over() {
                    waiting.push(self.leave());
                } else {
                    self.end_cta();
                }
            }
        }
        if let Some(stuck) = waiting.into_iter().next().filter(|_| !self.is_over()) {
            self.enter(stuck);
            self.report_waiting();
            self.trace_end();
        }
    }

    /// Threads wait for what nobody will store.
    pub(super) fn report_waiting(&mut self) {
        let mut groups: Vec<WaitGroup> = Vec::new();
        // The first that CTAs share.
        let mut outside = None;
        for index in 0..self.warps.len() {
            for (Group { pc, mask }, _) in self.warps[index].spinning.clone() {
                let instr = &self.kernel.code[pc as usize];
                let tried = match instr.effect {
                    Effect::Atomic { access, .. } if self.tries(pc) => Some(access),
                    _ => signals::looked(self.kernel, instr),
                };
                let Some(access) = tried else { continue };
                for (lane, region, offset) in self.spots(index, pc, mask, access) {
                    let thread = index as u32 * WARP as u32 + lane;
                    let place = self.region_place(region, offset, access.format.bytes()).text;
                    let common = self.memory.regions[region].space != Space::Shared;
                    if common && outside.is_none() {
                        outside = Some((Site { instr: pc, thread: self.thread(thread) }, place.clone()));
                    }
                    let kind = match self.is_lock(region, offset) {
                        true => WaitKind::Lock { place, holder: self.holder_of(region, offset) },
                        false => WaitKind::Memory { place },
                    };
                    match groups.iter_mut().find(|group| group.site.instr == pc && group.kind == kind) {
                        Some(group) => group.threads.push(thread),
                        None => {
                            let site = Site { instr: pc, thread: self.thread(thread) };
                            groups.push(WaitGroup {
                                threads: vec![thread],
                                site,
                                kind,
                                waits_for: Vec::new(),
                            });
                        }
                    }
                }
            }
        }
        let Some(first) = groups.first() else { return };
        let site = first.site;
        let launch = &self.setup.launch;
        let grid: u64 = launch.grid.iter().map(|extent| u64::from(*extent)).product();
        if (launch.ctas.len() as u64) < grid
            && let Some((site, place)) = outside
        {
            let why =
                format!("this waits for {place} to change, and one of the CTAs that are not run may do that");
            self.faults.push(Fault::new(FaultKind::WaitsForOthers(why), Some(site)));
            return;
        }
        groups.extend(self.waiting_groups(|_| true));
        self.faults.push(Fault::new(FaultKind::Deadlock(groups), Some(site)));
    }

    /// Lanes of a warp that wait for memory.
    pub(super) fn is_waiting_load(&self, pc: u32) -> bool {
        let looks = || signals::looked(self.kernel, &self.kernel.code[pc as usize]).is_some();
        self.signals.is_some() && (self.tries(pc) || looks())
    }

    /// Whether nothing is to be run any more.
    pub(super) fn is_over(&self) -> bool {
        let fatal = |fault: &Fault| !matches!(fault.kind, FaultKind::Uninitialized(..));
        self.is_exhausted() || self.faults.iter().any(fatal)
    }
}
