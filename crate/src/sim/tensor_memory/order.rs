//! Which operations on tensor memory come before which (PTX ISA 9.0, 9.7.16.6).
//!
//! An operation is what one instruction does there: `alloc` and `dealloc` at once, loads, stores, copies and products
//! beside the threads that start them. That one is over when another starts is known in three ways:
//!
//! - a warp has waited for its loads or stores (`wait::ld`, `wait::st`), and the other is started by that warp, or by a
//!   thread that has synchronized with all lanes of it since;
//! - a product or a copy: its thread has committed it to a barrier object afterwards, and who starts the other has waited for that
//!   phase, or synchronized with somebody who has;
//! - the two are products of the same kind and shape into the same place, or a copy from shared memory and a product
//!   after it, which run in the order in which they are started: by one thread, or by two with `fence::before_thread_sync`, a synchronization and
//!   `fence::after_thread_sync` between them.
//!
//! What runs beside its thread may start earlier than the thread comes to it, before a synchronization in front of it: so
//! what a thread knows counts for these only as it was at its last `fence::after_thread_sync`. Synchronization of any
//! strength will do, `.relaxed` too: what counts is how far threads have come. Triton writes none of these fences; the
//! option `tensor_fences_implied` is its reading, in which they start where their thread does.
//!
//! Guarantees: two operations on one place of which one writes, and which none of these order, are a race.
//! Deviation: the manual shows a `fence::before_thread_sync` also behind a `wait`, before another thread goes on. Since the
//! thread does not go on before its loads and stores are over, and libraries leave that out (CUTLASS where an epilogue
//! gives the accumulator back), it is an assumption.
//! Registers that a load fills are there for whoever reads them (9.7.16.6.4.5): a missing `wait::ld` shows where what was
//! loaded is overwritten or given back.
//! Missed: what a product reads in shared memory is ordered as other asynchronous reads are, also without a
//! `fence::after_thread_sync` behind the wait for a copy, which libraries leave out.

use super::{NOBODY, TensorMemory};
use crate::isa::tensor_memory::{ProductKind, UNIT};
use crate::isa::{Space, WARP};
use crate::sim::clock::Arrival;
use crate::sim::machine::Machine;
use crate::sim::outcome::{AccessKind, Place, Race, RaceSide, Site};
use crate::sim::race::lanes;

use rustc_hash::FxHashMap;

/// What the ledger says of loads and stores that are waited for.
const WAITED: &str = "a load from or a store into tensor memory that its warp has waited for is over before what its threads do then, without a tcgen05.fence::before_thread_sync";

/// Stands for a region in the list of races.
const TENSOR_MEMORY: usize = usize::MAX - 1;

/// What an operation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Columns are taken, or given back.
    Life,
    Load,
    Store,
    Product(Accumulator),
    /// A copy from shared memory.
    Copy,
}

impl Kind {
    /// Whether it runs beside its thread until a commit covers it.
    fn is_committed(self) -> bool {
        matches!(self, Kind::Product(_) | Kind::Copy)
    }

    /// Whether it runs before another that the same thread starts later (9.7.16.6.2).
    fn leads(self, other: Kind) -> bool {
        match (self, other) {
            (Kind::Product(before), Kind::Product(after)) => before == after,
            (Kind::Copy, Kind::Product(_)) => true,
            _ => false,
        }
    }
}

/// What products have in common that run in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Accumulator {
    pub(super) address: u32,
    pub(super) kind: ProductKind,
    pub(super) shape: (u32, u32),
}

/// How it is known that an operation is over.
#[derive(Clone, Debug)]
enum Over {
    NotYet,
    /// Its lanes have come so far.
    Waited(Box<[u32; WARP]>),
    /// An agent has, which stands for the products of its thread.
    Committed(u32, u32),
}

/// What an instruction does in tensor memory.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    kind: Kind,
    pc: u32,
    /// Its threads: lane 0 of the warp, and which lanes.
    first: u32,
    mask: u32,
    /// Of a single thread, the epoch in which it started.
    epoch: u32,
    over: Over,
}

/// How an earlier operation stands to one that starts now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Standing {
    /// It is over, or runs first; with the assumption, or without.
    Before { assumed: bool },
    /// Nobody has waited for it.
    Running,
    /// Who starts the other does not know that it is over.
    Unordered,
    /// They do, and what they start may start before.
    Unfenced,
}

/// A lane and a column.
pub(super) type Spot = (u32, u32);

impl TensorMemory {
    /// Whether products of one thread that was at `epoch` come before those that another starts, by what that one saw.
    fn follows(&self, thread: u32, epoch: u32, seen: &Arrival) -> bool {
        self.fences[thread as usize].iter().any(|fence| *fence >= epoch && seen.has_seen(thread, fence + 1))
    }
}

impl<'a> Machine<'a> {
    /// Lanes start an operation.
    pub(super) fn start_operation(&mut self, index: usize, pc: u32, mask: u32, kind: Kind) -> u32 {
        let first = self.warps[index].first();
        let epoch = self.clocks.present(first + mask.trailing_zeros());
        let over = match kind {
            Kind::Life => self.over_now(first),
            Kind::Load | Kind::Store | Kind::Product(_) | Kind::Copy => Over::NotYet,
        };
        let operations = &mut self.tensor_memory.operations;
        operations.push(Operation { kind, pc, first, mask, epoch, over });
        operations.len() as u32 - 1
    }

    fn over_now(&self, first: u32) -> Over {
        let last = self.block.saturating_sub(1);
        let epochs = std::array::from_fn(|lane| self.clocks.present((first + lane as u32).min(last)));
        Over::Waited(Box::new(epochs))
    }

    /// A warp's loads, or its stores, are over.
    pub(super) fn wait_for_moves(&mut self, index: usize, which: usize) {
        let over = self.over_now(self.warps[index].first());
        for operation in std::mem::take(&mut self.tensor_memory.moving[index][which]) {
            self.tensor_memory.operations[operation as usize].over = over.clone();
        }
    }

    /// An agent stands for a product from an epoch on.
    pub(super) fn committed(&mut self, operation: u32, agent: u32, epoch: u32) {
        self.tensor_memory.operations[operation as usize].over = Over::Committed(agent, epoch);
    }

    /// The instruction of an operation, and its first thread.
    pub(super) fn site_of(&self, operation: u32) -> Site {
        let operation = &self.tensor_memory.operations[operation as usize];
        Site { instr: operation.pc, thread: self.thread(operation.first + operation.mask.trailing_zeros()) }
    }

    /// Whether an operation is over before what some lanes do now, at once.
    pub(super) fn is_before(&mut self, operation: u32, index: usize, mask: u32) -> bool {
        let first = self.warps[index].first();
        matches!(self.standing_of(operation, Kind::Life, first, mask), Standing::Before { .. })
    }

    fn standing_of(&self, earlier: u32, kind: Kind, first: u32, mask: u32) -> Standing {
        let earlier = &self.tensor_memory.operations[earlier as usize];
        let mut assumed = false;
        for thread in lanes(mask).map(|lane| first + lane) {
            match self.standing_to(earlier, kind, first, thread) {
                Standing::Before { assumed: with } => assumed |= with,
                other => return other,
            }
        }
        Standing::Before { assumed }
    }

    fn standing_to(&self, earlier: &Operation, kind: Kind, first: u32, thread: u32) -> Standing {
        let now = self.clocks.sees(thread);
        let fenced = match self.options.tensor_fences_implied {
            true => Some(&now),
            false => self.tensor_memory.seen[thread as usize].as_ref(),
        };
        let starter = earlier.first + earlier.mask.trailing_zeros();
        let ordered = |seen: &Arrival| self.tensor_memory.follows(starter, earlier.epoch, seen);
        if earlier.kind.leads(kind) && (starter == thread || fenced.is_some_and(ordered)) {
            return Standing::Before { assumed: false };
        }
        self.over(earlier, kind, first, thread, &now, fenced)
    }

    /// The same, for operations that do not run in order by themselves.
    fn over(
        &self,
        earlier: &Operation,
        kind: Kind,
        first: u32,
        thread: u32,
        now: &Arrival,
        fenced: Option<&Arrival>,
    ) -> Standing {
        let known = |seen: Option<&Arrival>| match (&earlier.over, seen) {
            (Over::NotYet, _) => Some(false),
            // What a warp does together is that of all its lanes.
            (Over::Waited(_), _) if earlier.first == first && !kind.is_committed() => Some(true),
            (Over::Waited(epochs), seen) => Some(lanes(earlier.mask).all(|lane| {
                let other = earlier.first + lane;
                other == thread || seen.is_some_and(|seen| seen.has_seen(other, epochs[lane as usize]))
            })),
            (Over::Committed(agent, epoch), seen) => {
                Some(seen.is_some_and(|seen| seen.has_seen(*agent, *epoch)))
            }
        };
        if matches!(earlier.over, Over::NotYet) {
            return Standing::Running;
        }
        if known(Some(now)) != Some(true) {
            return Standing::Unordered;
        }
        // What happens at once comes when its thread does, and columns are there once they are taken.
        let at_once = kind == Kind::Life || earlier.kind == Kind::Life;
        if !at_once && known(fenced) != Some(true) {
            return Standing::Unfenced;
        }
        let Over::Waited(epochs) = &earlier.over else { return Standing::Before { assumed: false } };
        let published = |lane: u32| {
            let other = earlier.first + lane;
            earlier.first == first || self.tensor_memory.follows(other, epochs[lane as usize], now)
        };
        let assumed = earlier.kind != Kind::Life && !lanes(earlier.mask).all(published);
        Standing::Before { assumed }
    }

    /// Lanes touch places in tensor memory with an operation that has started: finds what it is in a race with, and
    /// remembers it.
    pub(super) fn touch_tensor(
        &mut self,
        index: usize,
        operation: u32,
        spots: impl Iterator<Item = Spot>,
        access: AccessKind,
    ) {
        let Operation { kind, pc, first, mask, .. } = self.tensor_memory.operations[operation as usize];
        let rank = self.rank_of_tensor_memory(index);
        let mut standings: FxHashMap<u32, Standing> = FxHashMap::default();
        let mut found: Vec<(u32, AccessKind, Standing, Spot)> = Vec::new();
        for spot in spots {
            let at = TensorMemory::index(spot.0, spot.1);
            let touched = &self.tensor_memory.own[rank].touched[at];
            let writer = Some(touched.writer).filter(|writer| *writer != NOBODY && *writer != operation);
            let readers = if access == AccessKind::Read { &[][..] } else { &touched.readers };
            let writes = writer.iter().map(|writer| (*writer, AccessKind::Write));
            let reads = readers.iter().map(|reader| (*reader, AccessKind::Read));
            for (earlier, how) in writes.chain(reads.filter(|(reader, _)| *reader != operation)) {
                let standing =
                    *standings.entry(earlier).or_insert_with(|| self.standing_of(earlier, kind, first, mask));
                let listed = found.iter().any(|(other, ..)| *other == earlier);
                if !matches!(standing, Standing::Before { .. }) && !listed {
                    found.push((earlier, how, standing, spot));
                }
            }
            let touched = &mut self.tensor_memory.own[rank].touched[at];
            match access {
                AccessKind::Read if touched.readers.contains(&operation) => {}
                AccessKind::Read => touched.readers.push(operation),
                AccessKind::Write | AccessKind::Atomic => {
                    touched.writer = operation;
                    touched.readers.clear();
                }
            }
        }
        if standings.values().any(|standing| *standing == Standing::Before { assumed: true }) {
            self.granted.entry(WAITED).or_insert((0, pc)).0 += 1;
        }
        for (earlier, how, standing, spot) in found {
            self.tensor_race(index, operation, access, (earlier, how, standing), spot);
        }
    }

    /// Columns are used that somebody has given back: a race with that, if nothing orders the two.
    pub(super) fn race_with_life(&mut self, index: usize, operation: u32, earlier: u32, spot: Spot) -> bool {
        let Operation { first, mask, kind, .. } = self.tensor_memory.operations[operation as usize];
        let standing = self.standing_of(earlier, kind, first, mask);
        if matches!(standing, Standing::Before { .. }) {
            return false;
        }
        let access = if kind == Kind::Load { AccessKind::Read } else { AccessKind::Write };
        self.tensor_race(index, operation, access, (earlier, AccessKind::Write, standing), spot);
        true
    }

    /// The present operation and an earlier one touch a place, and nothing orders them.
    fn tensor_race(
        &mut self,
        index: usize,
        operation: u32,
        access: AccessKind,
        (earlier, how, standing): (u32, AccessKind, Standing),
        (lane, column): Spot,
    ) {
        let sites = [earlier, operation].map(|operation| self.site_of(operation));
        let kind = self.tensor_memory.operations[earlier as usize].kind;
        let ordering = match (standing, kind) {
            (Standing::Running, Kind::Product(_)) => {
                "the product may still be running: no tcgen05.commit that covers it has been waited for"
            }
            (Standing::Running, Kind::Load) => {
                "the load may still be running: no tcgen05.wait::ld has waited for it"
            }
            (Standing::Running, Kind::Store) => {
                "the store may still be running: no tcgen05.wait::st has waited for it"
            }
            (Standing::Unordered, Kind::Product(_)) => {
                "the product may still be running: who comes second has not waited for the barrier object that its tcgen05.commit arrives at"
            }
            (Standing::Running, Kind::Copy) => {
                "the copy may still be running: no tcgen05.commit that covers it has been waited for"
            }
            (Standing::Unordered, Kind::Copy) => {
                "the copy may still be running: who comes second has not waited for the barrier object that its tcgen05.commit arrives at"
            }
            (Standing::Unfenced, _) => {
                "what runs in tensor memory may start before its thread comes to it: a tcgen05.fence::after_thread_sync is missing between the synchronization and the second (with `tensor_fences_implied = true` under [options] it counts as there)"
            }
            (Standing::Running | Standing::Unordered | Standing::Before { .. }, _) => {
                "no synchronization orders the two"
            }
        };
        let [first, second] =
            [(sites[0], how), (sites[1], access)].map(|(site, kind)| RaceSide { site, kind });
        let race = move |_: &mut Self| {
            Race {
            first,
            second,
            place: Place {
                space: Space::Local,
                text: format!("lane {lane}, column {column} of tensor memory"),
                name: "tensor memory".to_owned(),
                offset: i64::from(column * 4),
                size: None,
                unit: 4,
            },
            ordering: ordering.to_owned(),
            schedule: vec![
                "what works on tensor memory runs beside the threads that started it, until they have waited for it;".to_owned(),
                "so the two may come in either order".to_owned(),
            ],
            hidden_by_collectives: false,
            unfenced: false,
        }
        };
        self.list_race_here(index, (sites[0].instr, sites[1].instr), TENSOR_MEMORY, race);
    }

    /// Whether places belong to columns that are taken; stops lanes where they do not.
    pub(super) fn columns_are_taken(
        &mut self,
        index: usize,
        operation: u32,
        mask: u32,
        columns: std::ops::Range<u32>,
        lane: u32,
    ) -> bool {
        let pc = self.tensor_memory.operations[operation as usize].pc;
        let opcode = self.kernel.opcode(pc);
        let most = crate::isa::tensor_memory::COLUMNS;
        if columns.end > most {
            let what = format!(
                "executes `{opcode}` on the columns {} to {} of tensor memory, which has {most}",
                columns.start,
                columns.end - 1
            );
            self.misuse_columns(index, pc, mask, what);
            return false;
        }
        let own = self.own_tensor_memory(index);
        let free = columns.clone().find(|column| own.units[(column / UNIT) as usize].is_none());
        let Some(column) = free else { return true };
        let given = own.given[(column / UNIT) as usize];
        if given != NOBODY && self.race_with_life(index, operation, given, (lane, column)) {
            self.halt(index, mask);
            return false;
        }
        let why = match given {
            NOBODY => "which no tcgen05.alloc has given",
            _ => "which tcgen05.dealloc has given back",
        };
        let what = format!("executes `{opcode}` on column {column} of tensor memory, {why}");
        self.misuse_columns(index, pc, mask, what);
        false
    }
}
