//! Copies of boxes of tensors (`cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`; PTX ISA 9.0,
//! 9.7.9.25.5).
//!
//! A tensor copy is a bulk copy (see `bulk`) of the bytes that its tensor map and its coordinates say (see
//! `boxes`). Only bytes inside of the tensor are touched in global memory; a barrier object counts those of
//! the whole box. Tensor maps are opaque: the spec says what they hold, and where they lie is all that
//! a kernel knows of them, unless it has made them itself (see `drafts`).
//!
//! A box begins at a multiple of 128 bytes of shared memory. Where an array is not declared to lie like
//! that, its address is the machine's choice, as everywhere (see `looks`); that dynamic shared memory begins
//! at a multiple of 1,024 bytes is an assumption.
//!
//! Guarantees: a copy whose map nobody has described, or one that the sources leave open, is *unsupported*.
//! Misses: the ways of copying that the instruction table lists as missing.

use super::boxes::{Cut, Piece, TensorMap};
use super::bulk::{From, Move, Transfer};
use super::copies::{Extent, Flight};
use super::machine::Machine;
use super::memory::{DYNAMIC, MAP_BYTES, Owner, PARAMETERS, Spot};
use super::outcome::{AccessKind, FaultKind};
use super::race::lanes;
use super::setup::{Binding, Setup};
use crate::base::Format;
use crate::isa::{Access, PhaserOp, Space, Strength, TensorCopy, TensorWay, reduces};
use std::borrow::Cow;

/// What the address of a box in shared memory is a multiple of.
const ALIGN: u32 = 128;

/// A tensor map that a copy uses.
struct Found<'m> {
    map: Cow<'m, TensorMap>,
    /// The region of its tensor, and where that begins there.
    base: (usize, u64),
    /// Where the map itself is, if the kernel has made it.
    own: Option<Extent>,
}

/// What the ledger says of boxes in dynamic shared memory.
const PLACED: &str = "dynamic shared memory begins at a multiple of 1,024 bytes, which today's drivers see to where there are no static arrays, and the PTX does not ask for";

impl<'a> Machine<'a> {
    /// Executes a tensor copy of each lane.
    pub(super) fn tensor_copies(&mut self, index: usize, pc: u32, mask: u32, copy: TensorCopy) {
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        let mut known = mask;
        for reg in src {
            known = self.concrete_lanes(index, pc, known, *reg, "an operand of the tensor copy");
        }
        if known == 0 {
            return;
        }
        let Some(addresses) = self.addresses(index, pc, known) else { return };
        let near = usize::from(copy.way != TensorWay::Prefetch);
        let rank = usize::from(copy.rank);
        for lane in lanes(known) {
            let words: Vec<u64> = src.iter().map(|reg| self.warps[index].word(*reg, lane)).collect();
            let place = if near == 1 { words[1] } else { addresses[lane as usize] };
            let Some(found) = self.tensor_map(index, pc, lane, place) else { continue };
            let map = &found.map;
            if map.axes.len() != rank {
                let why = format!(
                    "it copies a box of {rank} dimensions, and its tensor map has {}, so what it does is undefined",
                    map.axes.len()
                );
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                continue;
            }
            let numbers = &words[1 + near..];
            let (coordinates, offsets) = (copy.coordinates(), copy.offsets());
            let cut = Cut {
                cut: copy.cut,
                at: numbers[..coordinates].iter().map(|word| i64::from(*word as i32)).collect(),
                offsets: numbers[coordinates..][..offsets]
                    .iter()
                    .map(|word| i64::from(*word as u16))
                    .collect(),
            };
            if let Some(misfit) = map.misfit(&cut) {
                let why = format!("{misfit}, so what it does is undefined");
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                continue;
            }
            let to = addresses[lane as usize];
            match copy.way {
                TensorWay::Prefetch => {}
                TensorWay::Load => {
                    let rest = &numbers[coordinates + offsets..];
                    let (counter, ranks) = (rest[0], rest.get(1).copied());
                    let places = ((to, Some(counter)), copy.paired);
                    for (to, counter) in self.destinations(index, pc, lane, places, ranks) {
                        let op = PhaserOp::Expect;
                        let counter = counter.and_then(|at| self.object(index, pc, lane, op, at));
                        let Some(counter) = counter else { continue };
                        let Some(flight) =
                            self.start_tensor_copy(index, pc, lane, (&found, &cut), to, copy.way)
                        else {
                            continue;
                        };
                        self.let_fly(index, pc, lane, flight, Some((counter, map.bytes(copy.cut) as u32)));
                    }
                }
                TensorWay::Store | TensorWay::Update(_) => {
                    let Some(flight) = self.start_tensor_copy(index, pc, lane, (&found, &cut), to, copy.way)
                    else {
                        continue;
                    };
                    self.let_fly(index, pc, lane, flight, None);
                }
            }
        }
    }

    /// The tensor map at a generic address; stops the lane where there is none.
    fn tensor_map(&mut self, index: usize, pc: u32, lane: u32, address: u64) -> Option<Found<'a>> {
        let setup: &'a Setup = self.setup;
        let given = match self.memory.locate(Space::Generic, address) {
            Spot::Region(PARAMETERS, offset) => {
                setup.parameters.iter().find_map(|bound| match bound.binding {
                    Binding::Map(map) if i64::from(bound.offset) == offset => Some(map),
                    _ => None,
                })
            }
            Spot::Region(region, offset) => {
                let place = (region, u64::try_from(offset).unwrap_or(u64::MAX));
                if self.draft_at(place.0, place.1).is_some() {
                    let (map, base, own) = self.made_map(index, pc, lane, place)?;
                    return Some(Found { map: Cow::Owned(map), base, own: Some(own) });
                }
                match self.memory.regions[region].owner {
                    Owner::Maps(stored) if !self.memory.regions[region].written => {
                        let (first, count) = setup.maps.stored[stored];
                        let at = place.1 / MAP_BYTES;
                        let found = place.1.is_multiple_of(MAP_BYTES) && at < count as u64;
                        found.then_some(first + at as usize)
                    }
                    _ => None,
                }
            }
            Spot::Local(_) | Spot::Nowhere => None,
        };
        let map = given.and_then(|map| setup.maps.all.get(map));
        let why = match map {
            Some(TensorMap { unsupported: None, .. }) => None,
            Some(TensorMap { unsupported: Some(why), .. }) => Some((*why).to_owned()),
            None => Some(format!(
                "what the tensor map at {} holds is not known: say so among `args`, {{ tensor_map = \"A\", box = [64, 64] }}",
                self.place(access(Space::Generic, Format::B8), address).text
            )),
        };
        if let Some(why) = why {
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return None;
        }
        let base = |map: &TensorMap| (self.memory.tensor(map.tensor), 0);
        map.map(|map| Found { map: Cow::Borrowed(map), base: base(map), own: None })
    }

    /// Starts a copy of a box, at these coordinates in the tensor and at an address in shared memory.
    fn start_tensor_copy(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        (found, cut): (&Found<'_>, &Cut),
        address: u64,
        way: TensorWay,
    ) -> Option<Flight> {
        let map = &found.map;
        let load = way == TensorWay::Load;
        let update = match way {
            TensorWay::Update(op) => Some((op, map.format)),
            _ => None,
        };
        if let Some((op, format)) = update.filter(|(op, format)| !reduces(*op, *format)) {
            let why = format!("the manual has no bulk copy that does {op:?} with elements of type {format}");
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return None;
        }
        let (box_region, start) =
            self.box_at(index, pc, lane, (map.format, map.bytes(cut.cut)), address, load)?;
        let mut rows = map.rows(cut);
        if map.nan && load && rows.iter().any(|row| row.element.is_none()) {
            let why = "the NaN that fills what lies outside of the tensor is not modelled".to_owned();
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return None;
        }
        for element in rows.iter_mut().filter_map(|row| row.element.as_mut()) {
            *element = element.saturating_add(found.base.1);
        }
        let far = match way {
            TensorWay::Load | TensorWay::Prefetch => AccessKind::Read,
            TensorWay::Store => AccessKind::Write,
            TensorWay::Update(_) => AccessKind::Atomic,
        };
        let outside = self.rows_at(index, pc, lane, (found, &rows), far)?;
        if way == TensorWay::Store && overlap(&outside) {
            let why = "it writes an element twice, so what it leaves there is undefined".to_owned();
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return None;
        }
        let pieces = map.swizzled(&rows, address);
        let inside = match load {
            true => vec![(start, map.bytes(cut.cut))],
            false => joined(pieces.iter().filter(|piece| piece.element.is_some()), start),
        };
        let moves = pieces.iter().filter_map(|piece| match (load, start + piece.at, piece.element) {
            (true, to, from) => {
                Some(Move { from: from.map_or(From::Zeros, From::Place), to, bytes: piece.bytes })
            }
            (false, from, to) => Some(Move { from: From::Place(from), to: to?, bytes: piece.bytes }),
        });
        let moves = moves.collect();
        let near = Extent::many(box_region, inside);
        let tensor = (!outside.is_empty()).then(|| Extent::many(found.base.0, outside));
        let (target, source, update) = match (load, tensor) {
            (true, source) => (near, source, None),
            (false, Some(target)) => (target, Some(near), update),
            // Nothing of the box lies in the tensor.
            (false, None) => (Extent::many(box_region, Vec::new()), None, None),
        };
        let transfer =
            Transfer { target, source, map: found.own.clone(), moves, step: map.format.bytes(), update };
        Some(self.start_transfer(index, pc, lane, transfer))
    }

    /// The region and offset of a box in shared memory.
    fn box_at(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        (format, bytes): (Format, u64),
        address: u64,
        load: bool,
    ) -> Option<(usize, u64)> {
        let kind = if load { AccessKind::Write } else { AccessKind::Read };
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let access = access(Space::Shared, format);
        if !address.is_multiple_of(ALIGN.into()) {
            let place = self.place(access, address);
            self.park(index, 1 << lane, pc, FaultKind::Misaligned(kind, place, ALIGN));
            return None;
        }
        let found = self.aligned_spot(index, pc, lane, access, kind, address, bytes, 1)?;
        if found.0 == DYNAMIC && self.memory.assumed.is_some() {
            self.granted.entry(PLACED).or_insert((0, pc)).0 += 1;
        }
        Some(found)
    }

    /// The stretches of a tensor's region in which the rows of a box lie.
    fn rows_at(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        (found, rows): (&Found<'_>, &[Piece]),
        kind: AccessKind,
    ) -> Option<Vec<(u64, u64)>> {
        let access = access(Space::Global, found.map.format);
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for row in rows {
            let Some(element) = row.element else { continue };
            let offset = i64::try_from(element).unwrap_or(i64::MAX);
            let address = self.memory.address(found.base.0, offset);
            // What lies so far away that it would be another array's is outside as well.
            if offset.unsigned_abs() >= self.memory.reach(Space::Global) {
                let place = self.place(access, address);
                self.park(index, 1 << lane, pc, FaultKind::OutOfBounds(kind, place));
                return None;
            }
            let (_, at) = self.aligned_spot(index, pc, lane, access, kind, address, row.bytes as u32, 1)?;
            match runs.last_mut() {
                Some((last, count)) if *last + *count == at => *count += row.bytes,
                _ => runs.push((at, row.bytes)),
            }
        }
        Some(runs)
    }
}

/// Whether stretches of bytes overlap.
fn overlap(runs: &[(u64, u64)]) -> bool {
    let mut runs = runs.to_vec();
    runs.sort_unstable();
    runs.windows(2).any(|pair| pair[0].0 + pair[0].1 > pair[1].0)
}

fn access(space: Space, format: Format) -> Access {
    Access { space, format, vector: 1, strength: Strength::Weak }
}

/// Bytes of a box in shared memory, in order and as few stretches as they are.
fn joined<'p>(pieces: impl Iterator<Item = &'p Piece>, start: u64) -> Vec<(u64, u64)> {
    let mut all: Vec<(u64, u64)> = pieces.map(|piece| (start + piece.at, piece.bytes)).collect();
    all.sort_unstable();
    all.dedup_by(|next, last| {
        let follows = last.0 + last.1 == next.0;
        if follows {
            last.1 += next.1;
        }
        follows
    });
    all
}
