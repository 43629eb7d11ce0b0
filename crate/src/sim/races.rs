//! Races found in a run, one for each pair of instructions and region.

use super::machine::Machine;
use super::outcome::{AccessKind, Race, RaceSide, Site};
use super::race::Conflict;
use crate::isa::{Bulk, CopyOp, Effect, MatrixOp, Space, TensorMemoryOp, WarpgroupOp};
use crate::term::Term;
use std::collections::BTreeSet;

/// Different races that are kept.
const KEPT: usize = 32;

/// The races of a run, in order of discovery.
#[derive(Default)]
pub(super) struct Races {
    pub(super) found: Vec<Race>,
    seen: BTreeSet<(u32, u32, usize)>,
    /// Races of further pairs of instructions, which are not kept.
    pub(super) unlisted: u64,
}

impl<'a> Machine<'a> {
    /// Records that the present access of a lane is unordered with an earlier one.
    pub(super) fn record_race(
        &mut self,
        index: usize,
        pc: u32,
        kind: AccessKind,
        region: usize,
        offset: u64,
        conflict: Conflict,
    ) {
        let race = |machine: &mut Self| machine.race(index, pc, kind, region, offset, conflict);
        self.list_race((pc, conflict.instr), region, race);
    }

    /// Lists a race that a warp has found where it is now: a suspicion if it may not come there.
    pub(super) fn list_race_here(
        &mut self,
        index: usize,
        pair: (u32, u32),
        region: usize,
        race: impl FnOnce(&mut Self) -> Race,
    ) {
        match self.condition(index, 0) {
            Term::TRUE => self.list_race(pair, region, race),
            condition => self.suspect_race(region, condition, None, race, pair),
        }
    }

    /// Lists a race of two instructions in a region, unless one is listed already.
    pub(super) fn list_race(
        &mut self,
        (one, two): (u32, u32),
        region: usize,
        race: impl FnOnce(&mut Self) -> Race,
    ) {
        if !self.races.seen.insert((one.min(two), one.max(two), region)) {
            return;
        }
        if self.races.found.len() >= KEPT {
            self.races.unlisted += 1;
            return;
        }
        let race = race(self);
        self.races.found.push(race);
    }

    /// The present access of a lane and an earlier one that it is unordered with, in words too.
    pub(super) fn race(
        &mut self,
        index: usize,
        pc: u32,
        kind: AccessKind,
        region: usize,
        offset: u64,
        conflict: Conflict,
    ) -> Race {
        let race = self.quiet_race(index, pc, kind, region, offset, conflict);
        let cta = self.cta_behind(conflict.other);
        let step = self.warps[index].step;
        self.trace.race((cta, race.first.site), (index as u32, conflict.lane, step, pc));
        race
    }

    /// The same, of which the timeline does not know.
    pub(super) fn quiet_race(
        &self,
        index: usize,
        pc: u32,
        kind: AccessKind,
        region: usize,
        offset: u64,
        conflict: Conflict,
    ) -> Race {
        let first = RaceSide {
            site: Site { instr: conflict.instr, thread: self.thread_behind(conflict.other, conflict.instr) },
            kind: conflict.kind,
        };
        let thread = self.thread(self.warps[index].first() + conflict.lane);
        let second = RaceSide { site: Site { instr: pc, thread }, kind };
        let bytes = self.memory.regions[region].cells.granule();
        let place = self.region_place(region, offset, bytes);
        let publishes =
            |pc: u32| matches!(self.kernel.code[pc as usize].effect, Effect::Copy(CopyOp::Publish));
        let ordering = if conflict.unfenced && publishes(conflict.instr) {
            "the two are in order, but tensor copies read tensor maps through a proxy of their own, which sees what threads have made only behind a fence for that map: a fence.proxy.tensormap::generic.acquire of its 128 bytes is missing on the way".to_owned()
        } else if conflict.unfenced {
            let fence = match place.space {
                Space::Shared => "fence.proxy.async.shared::cta",
                _ => "fence.proxy.async",
            };
            format!(
                "the two are in order, but {} go through a proxy of their own, which sees what threads have done only behind a fence: a {fence} is missing, right after the access or right before the {}",
                if self.is_product(pc) {
                    "products of a warpgroup"
                } else if self.is_in_tensor_memory(pc) {
                    "products in tensor memory"
                } else {
                    "bulk copies"
                },
                self.deed(pc),
            )
        } else if conflict.under_way {
            let whose =
                if first.site.thread == thread { "its own thread" } else { "the thread that started it" };
            match self.is_bulk(conflict.instr) {
                Some(false) => format!(
                    "the bulk copy is still under way: {whose} has not waited for it (cp.async.bulk.wait_group; with .read it ends when the copy has read its source)"
                ),
                Some(true) => "the bulk copy is still under way: the phase of the barrier object that counts its bytes has not been waited for, or can end without it".to_owned(),
                None if self.is_in_tensor_memory(conflict.instr) => "the product may still be running: no tcgen05.commit of its thread covers it, so no wait for a barrier object tells that it has read its matrices".to_owned(),
                None => format!(
                    "the copy is still under way: {whose} has not waited for it (cp.async.wait_group, or a barrier object that it arrives at)"
                ),
            }
        } else if self.is_product(conflict.instr) {
            "nothing orders the two: a product has read its matrices for threads that have waited for its group (wgmma.wait_group), and for whoever knows that they have".to_owned()
        } else if self.is_in_tensor_memory(conflict.instr) {
            "nothing orders the two: a product has read its matrices for those who have waited for the barrier object that a tcgen05.commit behind it arrives at, and who know that they have".to_owned()
        } else if (first.kind, kind) == (AccessKind::Atomic, AccessKind::Atomic)
            && self.is_bulk(pc).is_some() != self.is_bulk(conflict.instr).is_some()
        {
            "one of the two is an atomic of a thread and the other a bulk copy, which goes through a proxy of its own: they do not exclude each other, and nothing orders them".to_owned()
        } else if self.is_bulk(conflict.instr) == Some(false) && first.kind == AccessKind::Atomic {
            "nothing orders the two: a bulk copy has changed memory for a thread that has waited for its group (cp.async.bulk.wait_group without .read), and for those that synchronize with it afterwards".to_owned()
        } else if self.is_bulk(conflict.instr) == Some(true) {
            "nothing orders the two: a bulk copy has ended for threads that have waited for the phase of the barrier object that counts its bytes".to_owned()
        } else if [pc, conflict.instr].iter().any(|pc| self.kernel.code[*pc as usize].effect.is_view_read()) {
            "textures and surfaces are read through a cache that does not learn of what this kernel writes, whatever synchronizes: what was there before the kernel may be read, or what was written".to_owned()
        } else if [pc, conflict.instr].iter().any(|pc| self.is_incoherent(*pc)) {
            "the load goes through the non-coherent path (`.nc`), for memory that nothing writes while the kernel runs: it may see what was there before or after, whatever synchronizes".to_owned()
        } else if (first.kind, kind) == (AccessKind::Atomic, AccessKind::Atomic) {
            "the threads belong to different CTAs, and the scope of an atomic holds only the threads of one: the two do not exclude each other".to_owned()
        } else if first.site.thread.cta != thread.cta {
            match self.signals {
                Some(_) => "the threads belong to different CTAs, and no release in one that the other acquires lies between: a flag orders if it is stored with .release (or behind a fence) and loaded with .acquire (or before a fence), both of a scope that holds the two CTAs".to_owned(),
                None => "the threads belong to different CTAs, which nothing orders".to_owned(),
            }
        } else {
            let (one, two) = (first.site.thread.linear, thread.linear);
            let barriers = self.stats.cta_barriers;
            match (barriers, one / 32 == two / 32) {
                (0, true) => "no barrier was passed; threads of one warp are not ordered by themselves".to_owned(),
                (0, false) => "no barrier was passed".to_owned(),
                (_, true) => {
                    "no barrier lies between the two accesses; threads of one warp are not ordered by themselves"
                        .to_owned()
                }
                (_, false) => "no barrier lies between the two accesses".to_owned(),
            }
        };
        let schedule = if conflict.unfenced {
            vec![
                format!("{} {}s {}, and {} starts its {} afterwards;", first.site.thread, verb(first.kind), place.text, thread, self.deed(pc)),
                "that may find there what was before, or leave there what it brought before: proxies see one another's writes only through a fence".to_owned(),
            ]
        } else if self.kernel.code[pc as usize].effect.is_view_read() && kind == AccessKind::Read {
            vec![
                format!(
                    "{} {}s {}, and {} reads it afterwards, by coordinates;",
                    first.site.thread,
                    verb(first.kind),
                    place.text,
                    thread
                ),
                "the cache that this goes through may have what was there before the kernel, and need not"
                    .to_owned(),
            ]
        } else {
            vec![
                format!("{} runs up to its access, {} runs up to its access;", first.site.thread, thread),
                format!(
                    "then {} {}s {} and {} {}s it next,",
                    first.site.thread,
                    verb(first.kind),
                    place.text,
                    thread,
                    verb(kind)
                ),
                "or the two go the other way round: no barrier keeps either order".to_owned(),
            ]
        };
        Race {
            first,
            second,
            place,
            ordering,
            schedule,
            hidden_by_collectives: false,
            unfenced: conflict.unfenced,
        }
    }
}

impl Machine<'_> {
    /// For an instruction that starts a bulk copy, whether it counts its bytes at a barrier object.
    fn is_bulk(&self, pc: u32) -> Option<bool> {
        match self.kernel.code[pc as usize].effect {
            Effect::Copy(op) => op.bulk().map(|bulk| bulk != Bulk::ToGlobal),
            _ => None,
        }
    }

    /// Whether an instruction starts a product of a warpgroup.
    fn is_product(&self, pc: u32) -> bool {
        let effect = &self.kernel.code[pc as usize].effect;
        matches!(effect, Effect::Matrix(MatrixOp::Warpgroup(WarpgroupOp::Multiply(_))))
    }

    /// Whether an instruction starts a product in tensor memory.
    fn is_in_tensor_memory(&self, pc: u32) -> bool {
        matches!(self.kernel.code[pc as usize].effect, Effect::TensorMemory(TensorMemoryOp::Multiply(_)))
    }

    /// What an instruction starts that goes through the proxy of bulk copies.
    fn deed(&self, pc: u32) -> &'static str {
        if self.is_product(pc) || self.is_in_tensor_memory(pc) { "product" } else { "copy" }
    }

    /// Whether an instruction loads through the non-coherent path.
    fn is_incoherent(&self, pc: u32) -> bool {
        self.kernel.code[pc as usize].effect.is_incoherent()
    }
}

fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Atomic => "update",
    }
}
