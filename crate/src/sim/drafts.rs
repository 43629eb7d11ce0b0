//! Tensor maps that a kernel makes itself (`tensormap.replace`, `tensormap.cp_fenceproxy`; PTX ISA 9.0,
//! 9.7.9.26 and 9.7.13.16), as Triton does.
//!
//! A draft begins where `tensormap.replace` meets 128 bytes of zeros in shared memory, all of whose fields are 0,
//! and each such instruction writes all 128 bytes. What those hold then nobody can read; that they are still
//! the draft shows in who wrote them last. A warp copies a draft to global memory with
//! `tensormap.cp_fenceproxy`, which releases it, and tensor copies use it there. They read it through a
//! proxy of their own: whoever uses it must come after the copy, and behind a
//! `fence.proxy.tensormap::generic.acquire` of the map's 128 bytes, which lies on the way, in whichever thread.
//! A lane of the warp that has copied it may execute that at once: the copy is one step of them all. Until the tensor
//! copy has ended, it reads the map.
//!
//! Guarantees: a map is used as its fields say, or the copy is *unsupported*.
//! Misses, and so *unsupported*: drafts that begin as copies of other maps, and changes of maps in global memory.

use super::boxes::{Axis, TensorMap};
use super::copies::Extent;
use super::machine::Machine;
use super::memory::{MAP_BYTES, Owner, Spot};
use super::outcome::{AccessKind, FaultKind};
use super::race::{Accessor, Conflict, Hand, lanes};
use crate::base::Format;
use crate::isa::{Access, CopyOp, Effect, MapField, Space, Strength, Swizzle};
use crate::term::Value;
use std::collections::BTreeMap;

/// What an address of a draft is a multiple of.
const ALIGN: u32 = 64;
/// Dimensions of a tensor map.
const MOST: usize = 5;
/// What strides, addresses and rows of boxes are multiples of.
const UNIT: u64 = 16;

/// The fields of a tensor map, as they were set.
#[derive(Clone, Default)]
pub(super) struct Draft {
    address: u64,
    /// Dimensions, less one.
    rank: u64,
    spans: [u64; MOST],
    sizes: [u64; MOST],
    /// In bytes; of the dimensions but the innermost.
    strides: [u64; MOST],
    steps: [u64; MOST],
    format: u64,
    interleave: u64,
    swizzle: u64,
    atomicity: u64,
    fill: u64,
    /// The warp that has published it: the global number of its first thread.
    publisher: u32,
    /// Threads that have acquired it, by their global numbers, and their epochs then.
    acquired: Vec<(u32, u32)>,
}

/// Drafts, by region and offset.
pub(super) type Drafts = BTreeMap<(usize, u64), Draft>;

impl Draft {
    /// Sets a field, or an entry of it. Whether there is such an entry.
    fn set(&mut self, field: MapField, entry: u64, value: u64) -> bool {
        let entry = entry as usize;
        let place = match field {
            MapField::Box => self.spans.get_mut(entry),
            MapField::Size => self.sizes.get_mut(entry),
            MapField::Stride => self.strides[..MOST - 1].get_mut(entry),
            MapField::Step => self.steps.get_mut(entry),
            MapField::Address => Some(&mut self.address),
            MapField::Rank => Some(&mut self.rank),
            MapField::Format => Some(&mut self.format),
            MapField::Interleave => Some(&mut self.interleave),
            MapField::Swizzle => Some(&mut self.swizzle),
            MapField::Atomicity => Some(&mut self.atomicity),
            MapField::Fill => Some(&mut self.fill),
        };
        place.map(|place| *place = value).is_some()
    }

    /// What it says, without the tensor; or what is wrong with it.
    fn map(&self) -> Result<TensorMap, &'static str> {
        // PTX ISA 9.0, the tables of 9.7.9.26.
        let format = match self.format {
            0 => Format::U8,
            1 => Format::U16,
            2 => Format::U32,
            3 => Format::S32,
            4 => Format::U64,
            5 => Format::S64,
            6 => Format::F16,
            7 => Format::F32,
            9 => Format::F64,
            10 => Format::Bf16,
            _ => return Err("has elements of a type that is not supported"),
        };
        let swizzle = match (self.swizzle, self.atomicity) {
            (0, _) => Swizzle::None,
            (1, 0) => Swizzle::B32,
            (2, 0) => Swizzle::B64,
            (3, 0) => Swizzle::B128,
            (3, 1) => Swizzle::B128Atom32,
            (3, 3) => Swizzle::B128Atom64,
            _ => return Err("has a swizzle that is not supported"),
        };
        if self.interleave != 0 || self.fill > 1 {
            return Err("has a layout that is not supported");
        }
        let rank = self.rank as usize + 1;
        let bytes = u64::from(format.bytes());
        if rank > MOST || !self.address.is_multiple_of(UNIT) {
            return Err("is not one: it has 1 to 5 dimensions, and begins at a multiple of 16 bytes");
        }
        let axis = |at: usize| {
            let (size, stride) = (self.sizes[at], if at == 0 { bytes } else { self.strides[at - 1] });
            let step = if at == 0 { 1 } else { self.steps[at] };
            let fits = (1..=256).contains(&self.spans[at]) && size > 0 && (1..=8).contains(&step);
            let lies = at == 0 || stride.is_multiple_of(UNIT) && stride < 1 << 40;
            (fits && lies).then_some(Axis {
                size,
                stride: stride / bytes,
                span: self.spans[at] as u32,
                step: step as u32,
            })
        };
        let axes: Option<Vec<Axis>> = (0..rank).map(axis).collect();
        let Some(axes) = axes else {
            return Err("is not one: a size, a stride or an extent of its boxes is out of range");
        };
        let row = u64::from(axes[0].span) * bytes;
        let width = swizzle.width().map_or(row, u64::from);
        if !row.is_multiple_of(UNIT) || row > width {
            return Err("is not one: the rows of its boxes do not fit their swizzle, or 16 bytes");
        }
        if row < width {
            return Err("has boxes with rows that are shorter than their swizzle is wide");
        }
        let nan = self.fill == 1;
        Ok(TensorMap { tensor: 0, format, offset: 0, axes, swizzle, pixels: None, nan, unsupported: None })
    }
}

fn access(space: Space) -> Access {
    Access { space, format: Format::B32, vector: 1, strength: Strength::Weak }
}

impl<'a> Machine<'a> {
    /// Each lane changes a tensor map.
    pub(super) fn replace_in_maps(
        &mut self,
        index: usize,
        pc: u32,
        mask: u32,
        field: MapField,
        space: Space,
    ) {
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        let mut known = mask;
        for reg in src {
            known = self.concrete_lanes(index, pc, known, *reg, "a field of a tensor map");
        }
        if known == 0 {
            return;
        }
        let Some(addresses) = self.addresses(index, pc, known) else { return };
        for lane in lanes(known) {
            let word = |at: usize| self.warps[index].word(src[at], lane);
            let (entry, value) = (word(1), word(src.len() - 1));
            let address = addresses[lane as usize];
            let kind = AccessKind::Write;
            let spot =
                self.aligned_spot(index, pc, lane, access(space), kind, address, MAP_BYTES as u32, ALIGN);
            let Some((region, offset)) = spot else { continue };
            let found = self.draft_at(region, offset).cloned();
            let mut draft = match (self.memory.regions[region].space, found) {
                (Space::Shared, Some(draft)) => draft,
                (Space::Shared, None) if self.is_zero(region, offset) => Draft::default(),
                (Space::Shared, None) => {
                    let why = "a tensor map that a kernel makes begins as 128 bytes of zeros here; what others hold is not known";
                    self.park(index, 1 << lane, pc, FaultKind::Unsupported(why.to_owned()));
                    continue;
                }
                _ => {
                    let why = "changes of tensor maps in global memory are not followed; make them in shared memory and copy them with tensormap.cp_fenceproxy";
                    self.park(index, 1 << lane, pc, FaultKind::Unsupported(why.to_owned()));
                    continue;
                }
            };
            if !draft.set(field, entry, value) {
                let why = format!("a tensor map has no entry {entry} there");
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                continue;
            }
            let by = self.accessor(index, pc, 1 << lane, self.clocks.epoch(self.warps[index].first() + lane));
            let whole = Extent::one(region, offset, MAP_BYTES);
            if self.memory.regions[region].flights > 0 {
                self.write_under_copies(index, pc, lane, region, offset, MAP_BYTES as u32);
            }
            let granule = u64::from(self.memory.regions[region].cells.granule());
            for at in whole.granules(granule) {
                let shadow = self.memory.regions[region].shadow_at(at);
                let conflict = self.detector.write(&self.clocks, shadow, &by, Hand::Thread);
                self.judge(index, pc, (kind, region, at), &by, None, conflict);
            }
            self.keep_draft(region, offset, draft);
        }
    }

    /// All lanes of a warp copy a tensor map to global memory.
    pub(super) fn publish_map(&mut self, index: usize, pc: u32, mask: u32) {
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        for reg in src {
            if self.concrete_lanes(index, pc, mask, *reg, "an operand of the copy of a tensor map") != mask {
                return;
            }
        }
        let Some(addresses) = self.addresses(index, pc, mask) else { return };
        let lane = mask.trailing_zeros();
        let (to, from) = (addresses[lane as usize], self.warps[index].word(src[1], lane));
        let alike = lanes(mask).all(|other| {
            let own = (addresses[other as usize], self.warps[index].word(src[1], other));
            own == (to, from) && self.warps[index].word(src[2], other) as u32 == MAP_BYTES as u32
        });
        if !alike {
            let why = "all lanes of a warp copy one tensor map together, of 128 bytes".to_owned();
            self.park(index, mask, pc, FaultKind::Unsupported(why));
            return;
        }
        let bytes = MAP_BYTES as u32;
        let (near, far) = (access(Space::Shared), access(Space::Global));
        let source = self.aligned_spot(index, pc, lane, near, AccessKind::Read, from, bytes, bytes);
        let Some((shared, start)) = source else { return };
        let target = self.aligned_spot(index, pc, lane, far, AccessKind::Write, to, bytes, bytes);
        let Some((global, place)) = target else { return };
        let Some(draft) = self.draft_at(shared, start).cloned() else {
            let why = "what is copied here is no tensor map that the kernel has made".to_owned();
            self.park(index, mask, pc, FaultKind::Unsupported(why));
            return;
        };
        self.touch(index, pc, AccessKind::Read, shared, start, bytes);
        self.touch(index, pc, AccessKind::Write, global, place, bytes);
        let publisher = self.first_thread + self.warps[index].first();
        self.keep_draft(global, place, Draft { publisher, acquired: Vec::new(), ..draft });
    }

    /// Each lane's thread acquires a tensor map.
    pub(super) fn acquire_maps(&mut self, index: usize, pc: u32, mask: u32) {
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        let known = self.concrete_lanes(index, pc, mask, src[0], "the address of the tensor map");
        let known = self.concrete_lanes(index, pc, known, src[1], "how much is acquired");
        // Under a condition on data, it may not be executed.
        if known == 0 || !self.guards.is_empty() {
            return;
        }
        let Some(addresses) = self.addresses(index, pc, known) else { return };
        for lane in lanes(known) {
            let size = self.warps[index].word(src[1], lane) as u32;
            let spot = self.memory.locate(Space::Generic, addresses[lane as usize]);
            let Spot::Region(region, offset) = spot else { continue };
            let place = (region, offset as u64);
            if u64::from(size) != MAP_BYTES || self.draft_at(region, place.1).is_none() {
                continue;
            }
            let thread = self.warps[index].first() + lane;
            let epoch = self.clocks.epoch(thread);
            let by = self.accessor(index, pc, 1 << lane, epoch);
            let knows = self.unordered_with_map(place, &by).is_none();
            let Some(draft) = self.drafts.get_mut(&place) else { continue };
            let me = self.first_thread + thread;
            if (knows || draft.publisher == by.global_first)
                && draft.acquired.iter().all(|(other, _)| *other != me)
            {
                draft.acquired.push((me, epoch));
            }
        }
    }

    /// What a lane reads a draft after that it is not ordered with.
    fn unordered_with_map(&mut self, (region, offset): (usize, u64), by: &Accessor) -> Option<Conflict> {
        let granule = u64::from(self.memory.regions[region].cells.granule());
        Extent::one(region, offset, MAP_BYTES).granules(granule).find_map(|at| {
            let shadow = self.memory.regions[region].shadow_at(at);
            self.detector.before_read(&self.clocks, shadow, by)
        })
    }

    /// The map that a lane's copy finds in global memory, with the region of its tensor, where it begins there, and
    /// its own place; `None` after stopping the lane.
    pub(super) fn made_map(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        (region, offset): (usize, u64),
    ) -> Option<(TensorMap, (usize, u64), Extent)> {
        let own = Extent::one(region, offset, MAP_BYTES);
        let thread = self.warps[index].first() + lane;
        let draft = self.drafts.get(&(region, offset))?;
        let seen = |(other, epoch): &(u32, u32)| self.clocks.ordered(*other, *epoch, thread);
        let acquired = draft.acquired.iter().any(seen);
        let (map, address, other) = (draft.map(), draft.address, draft.publisher);
        let by = self.accessor(index, pc, 1 << lane, self.clocks.epoch(thread));
        let unordered = self.unordered_with_map((region, offset), &by).is_some();
        self.read_for_copy(index, pc, lane, &own, false);
        if !unordered && !acquired {
            let instr = self.memory.regions[region].shadow_at(offset).last_writer().unwrap_or(pc);
            let kind = AccessKind::Write;
            let conflict =
                Conflict { other, instr, kind, lane, observed: false, under_way: false, unfenced: true };
            self.judge(index, pc, (AccessKind::Read, region, offset), &by, None, Some(conflict));
        }
        let map = match map {
            Ok(map) => map,
            Err(what) => {
                let why = format!("the tensor map that the kernel has made {what}");
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                return None;
            }
        };
        match self.memory.locate(Space::Global, address) {
            Spot::Region(of, at)
                if at >= 0
                    && matches!(self.memory.regions[of].owner, Owner::Tensor(_) | Owner::Variable(_)) =>
            {
                Some((map, (of, at as u64), own))
            }
            _ => {
                let place = self.place(access(Space::Global), address);
                self.park(index, 1 << lane, pc, FaultKind::OutOfBounds(AccessKind::Read, place));
                None
            }
        }
    }

    /// The draft at a place, if nobody has written there since.
    pub(super) fn draft_at(&self, region: usize, offset: u64) -> Option<&Draft> {
        let draft = self.drafts.get(&(region, offset))?;
        let granule = u64::from(self.memory.regions[region].cells.granule());
        let made = |at: u64| {
            let instr = self.memory.regions[region].history(at).and_then(|shadow| shadow.last_writer());
            instr.is_some_and(|instr| {
                let effect = &self.kernel.code[instr as usize].effect;
                matches!(effect, Effect::Copy(CopyOp::Replace(..) | CopyOp::Publish))
            })
        };
        Extent::one(region, offset, MAP_BYTES).granules(granule).all(made).then_some(draft)
    }

    /// Whether the bytes of a tensor map are zeros.
    fn is_zero(&mut self, region: usize, offset: u64) -> bool {
        (0..MAP_BYTES).step_by(4).all(|at| self.piece((region, offset), at as u32, 4) == Value::Concrete(0))
    }

    /// A draft lies at a place from now on, and none that it overlaps. What its bytes are nobody knows.
    fn keep_draft(&mut self, region: usize, offset: u64, draft: Draft) {
        let near = (region, offset.saturating_sub(MAP_BYTES - 1))..(region, offset + MAP_BYTES);
        let overlapped: Vec<(usize, u64)> = self.drafts.range(near).map(|(place, _)| *place).collect();
        for place in overlapped {
            self.drafts.remove(&place);
        }
        self.drafts.insert((region, offset), draft);
        for at in (0..MAP_BYTES).step_by(4) {
            let cells = &mut self.memory.regions[region].cells;
            cells.write(&mut self.terms, offset + at, 4, Value::NEVER);
        }
        self.changes += 1;
    }
}
