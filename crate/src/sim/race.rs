//! Exact data races: who touched which bytes, and whether anything orders it.
//!
//! Every granule of shared and global memory has a [`Shadow`]: the last write, the reads since
//! it, the atomics since it. An access races with an earlier conflicting one exactly if that one
//! does not happen before it ([`Clocks`]). This is FastTrack's idea: it suffices to keep the last
//! write, and those reads that no later read happens after, because order is transitive; so a
//! race is found if and only if there is one (the paper's Theorems 1 and 2, with transitive
//! order; see `clock`). By confluence one schedule is enough.
//!
//! Reader sets are interned and the step "add these lanes" is memoised: neighbouring bytes have
//! the same history, so a broadcast read by a whole block costs one table look-up a warp.
//!
//! Atomics of one commutative operation whose results nobody uses do not conflict with each
//! other. An atomic whose result is used conflicts with every unordered atomic: not as a race,
//! but because its value depends on the schedule ([`Conflict::Observed`]).

use super::clock::Clocks;
use super::outcome::AccessKind;
use crate::isa::AtomicOp;
use rustc_hash::FxHashMap;

const NOBODY: u32 = u32::MAX;

/// The history of one granule.
#[derive(Clone, Copy)]
pub(super) struct Shadow {
    writer: u32,
    write_epoch: u32,
    write_instr: u32,
    readers: u32,
    atomics: u32,
    atomic_op: Option<AtomicOp>,
    observed: bool,
}

impl Default for Shadow {
    fn default() -> Self {
        Shadow {
            writer: NOBODY,
            write_epoch: 0,
            write_instr: NOBODY,
            readers: EMPTY,
            atomics: EMPTY,
            atomic_op: None,
            observed: false,
        }
    }
}

impl Shadow {
    /// The instruction that wrote last, if any did.
    pub(super) fn last_writer(&self) -> Option<u32> {
        (self.write_instr != NOBODY).then_some(self.write_instr)
    }
}

/// Lanes of one warp in one epoch at one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Party {
    /// Global number of the warp's lane 0.
    first: u32,
    mask: u32,
    epoch: u32,
    instr: u32,
}

const EMPTY: u32 = 0;

/// Interned sets of parties.
pub(super) struct Parties {
    sets: Vec<Box<[Party]>>,
    ids: FxHashMap<Box<[Party]>, u32>,
    steps: FxHashMap<(u32, Party), u32>,
}

/// The lanes that make an access together: the same instruction, address, and epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accessor {
    /// Lane 0 of the warp, counted in the CTA.
    pub(super) warp_first: u32,
    /// Lane 0 of the warp, global number.
    pub(super) global_first: u32,
    /// The lanes.
    pub(super) mask: u32,
    /// Their common epoch.
    pub(super) epoch: u32,
    /// The instruction.
    pub(super) instr: u32,
}

/// An earlier access that nothing orders before the present one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Conflict {
    /// Global number of the other thread.
    pub(super) other: u32,
    /// Its instruction.
    pub(super) instr: u32,
    /// What it did.
    pub(super) kind: AccessKind,
    /// The lane of the present access.
    pub(super) lane: u32,
    /// Both are atomics that do not race, but a result that is used depends on their order.
    pub(super) observed: bool,
}

impl Default for Parties {
    fn default() -> Self {
        let empty: Box<[Party]> = Box::new([]);
        Parties {
            sets: vec![empty.clone()],
            ids: FxHashMap::from_iter([(empty, EMPTY)]),
            steps: FxHashMap::default(),
        }
    }
}

impl Parties {
    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> u64 {
        let sets: usize = self.sets.iter().map(|set| set.len() * size_of::<Party>() * 2 + 48).sum();
        (sets + self.steps.capacity() * 40) as u64
    }

    fn intern(&mut self, set: Vec<Party>) -> u32 {
        let set: Box<[Party]> = set.into();
        if let Some(id) = self.ids.get(&set) {
            return *id;
        }
        let id = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.ids.insert(set, id);
        id
    }

    /// The set with the accessor added, less the parties that happen before it.
    fn add(&mut self, clocks: &Clocks, set: u32, by: &Accessor) -> u32 {
        let party = Party { first: by.global_first, mask: by.mask, epoch: by.epoch, instr: by.instr };
        let old = &self.sets[set as usize];
        // Just after a synchronisation the whole old set is in the past: its first party tells.
        let stale = old.first().is_some_and(|first| {
            let lane = by.mask.trailing_zeros();
            past(clocks, first, by.warp_first + lane)
        });
        if stale {
            let lane = by.mask.trailing_zeros();
            let mut kept: Vec<Party> =
                old.iter().filter(|party| !past(clocks, party, by.warp_first + lane)).copied().collect();
            kept.push(party);
            return self.intern(kept);
        }
        if let Some(next) = self.steps.get(&(set, party)) {
            return *next;
        }
        let known = old.iter().any(|have| {
            have.first == party.first && have.epoch == party.epoch && have.mask & party.mask == party.mask
        });
        let next = if known {
            set
        } else {
            let mut grown = old.to_vec();
            let same = grown.iter_mut().find(|have| {
                have.first == party.first && have.epoch == party.epoch && have.instr == party.instr
            });
            match same {
                Some(have) => have.mask |= party.mask,
                None => grown.push(party),
            }
            self.intern(grown)
        };
        self.steps.insert((set, party), next);
        next
    }

    /// The first member of a set that is not in the past of every lane of the accessor.
    fn unordered(&self, clocks: &Clocks, set: u32, by: &Accessor) -> Option<(u32, u32, u32)> {
        for party in &self.sets[set as usize] {
            for lane in lanes(by.mask) {
                for other in lanes(party.mask) {
                    if !clocks.ordered(party.first + other, party.epoch, by.warp_first + lane) {
                        return Some((party.first + other, party.instr, lane));
                    }
                }
            }
        }
        None
    }
}

/// Whether all lanes of a party are in the past of a thread, or are that thread.
fn past(clocks: &Clocks, party: &Party, thread: u32) -> bool {
    lanes(party.mask).all(|lane| clocks.ordered(party.first + lane, party.epoch, thread))
}

/// The set bits of a mask, ascending.
pub(super) fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            lane
        })
    })
}

/// The state that all granules share.
#[derive(Default)]
pub(super) struct Detector {
    /// Reader and atomic sets.
    pub(super) parties: Parties,
}

impl Detector {
    fn earlier_write(&self, clocks: &Clocks, shadow: &Shadow, by: &Accessor) -> Option<Conflict> {
        if shadow.writer == NOBODY {
            return None;
        }
        let lane = lanes(by.mask)
            .find(|lane| !clocks.ordered(shadow.writer, shadow.write_epoch, by.warp_first + lane))?;
        Some(Conflict {
            other: shadow.writer,
            instr: shadow.write_instr,
            kind: AccessKind::Write,
            lane,
            observed: false,
        })
    }

    fn earlier(&self, clocks: &Clocks, set: u32, by: &Accessor, kind: AccessKind) -> Option<Conflict> {
        if set == EMPTY {
            return None;
        }
        let (other, instr, lane) = self.parties.unordered(clocks, set, by)?;
        Some(Conflict { other, instr, kind, lane, observed: false })
    }

    /// Lanes read the granule.
    #[inline]
    pub(super) fn read(&mut self, clocks: &Clocks, shadow: &mut Shadow, by: &Accessor) -> Option<Conflict> {
        let conflict = self
            .earlier_write(clocks, shadow, by)
            .or_else(|| self.earlier(clocks, shadow.atomics, by, AccessKind::Atomic));
        shadow.readers = self.parties.add(clocks, shadow.readers, by);
        conflict
    }

    /// One lane writes the granule; several lanes at once race with each other.
    #[inline]
    pub(super) fn write(&mut self, clocks: &Clocks, shadow: &mut Shadow, by: &Accessor) -> Option<Conflict> {
        let conflict = self
            .earlier_write(clocks, shadow, by)
            .or_else(|| self.earlier(clocks, shadow.readers, by, AccessKind::Read))
            .or_else(|| self.earlier(clocks, shadow.atomics, by, AccessKind::Atomic));
        *shadow = Shadow {
            writer: by.global_first + by.mask.trailing_zeros(),
            write_epoch: by.epoch,
            write_instr: by.instr,
            ..Shadow::default()
        };
        conflict
    }

    /// One lane updates the granule atomically.
    pub(super) fn atomic(
        &mut self,
        clocks: &Clocks,
        shadow: &mut Shadow,
        by: &Accessor,
        op: AtomicOp,
        observed: bool,
    ) -> Option<Conflict> {
        let mut conflict = self
            .earlier_write(clocks, shadow, by)
            .or_else(|| self.earlier(clocks, shadow.readers, by, AccessKind::Read));
        if conflict.is_none()
            && let Some(other) = self.earlier(clocks, shadow.atomics, by, AccessKind::Atomic)
        {
            let depends = observed || shadow.observed || shadow.atomic_op != Some(op) || !commutes(op);
            conflict = depends.then_some(Conflict { observed: true, ..other });
        }
        if shadow.atomics == EMPTY {
            shadow.observed = false;
        }
        shadow.atomics = self.parties.add(clocks, shadow.atomics, by);
        shadow.atomic_op = Some(op);
        shadow.observed |= observed;
        conflict
    }
}

/// Whether the order of two such operations never shows in memory.
fn commutes(op: AtomicOp) -> bool {
    match op {
        AtomicOp::Add | AtomicOp::Min | AtomicOp::Max | AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => true,
        AtomicOp::Inc | AtomicOp::Dec | AtomicOp::Exchange | AtomicOp::CompareSwap => false,
    }
}
