//! Copies of boxes of tensors (`cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`; PTX ISA 9.0,
//! 9.7.9.25.5).
//!
//! A tensor copy is a bulk copy (see `bulk`) of the bytes that its tensor map and its coordinates say (see
//! `boxes`). Only bytes inside of the tensor are touched in global memory; a barrier object counts those of
//! the whole box. Tensor maps are opaque: the spec says what they hold, and where they lie is all that
//! a kernel knows of them.
//!
//! A box begins at a multiple of 128 bytes of shared memory. Where an array is not declared to lie like
//! that, its address is the machine's choice, as everywhere (see `looks`); that dynamic shared memory begins
//! at a multiple of 1,024 bytes is an assumption.
//!
//! Guarantees: a copy whose map nobody has described, or one that the sources leave open, is *unsupported*.
//! Misses: maps that the kernel makes or changes itself (`tensormap.replace`), and the ways of copying that the
//! instruction table lists as missing.

use super::boxes::{Piece, TensorMap};
use super::bulk::{Move, Transfer};
use super::copies::{Extent, Flight};
use super::machine::Machine;
use super::memory::{DYNAMIC, MAP_BYTES, Owner, PARAMETERS, Spot};
use super::outcome::{AccessKind, FaultKind};
use super::race::lanes;
use super::setup::{Binding, Setup};
use crate::base::Format;
use crate::isa::{Access, PhaserOp, Space, Strength, TensorCopy, TensorWay};

/// What the address of a box in shared memory is a multiple of.
const ALIGN: u32 = 128;

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
            let Some(map) = self.tensor_map(index, pc, lane, place) else { continue };
            if map.axes.len() != rank {
                let why = format!(
                    "it copies a box of {rank} dimensions, and its tensor map of `{1}` has {0}, so what it does is undefined",
                    map.axes.len(),
                    self.setup.tensors[map.tensor].name
                );
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                continue;
            }
            let at: Vec<i64> = words[1 + near..][..rank].iter().map(|word| i64::from(*word as i32)).collect();
            let to = addresses[lane as usize];
            match copy.way {
                TensorWay::Prefetch => {}
                TensorWay::Load => {
                    let op = PhaserOp::Expect;
                    let Some(counter) = self.object(index, pc, lane, op, words[2 + rank]) else { continue };
                    let Some(flight) = self.start_tensor_copy(index, pc, lane, (map, &at), to, copy.way)
                    else {
                        continue;
                    };
                    self.let_fly(index, pc, lane, flight, Some((counter, map.bytes() as u32)));
                }
                TensorWay::Store | TensorWay::Update(_) => {
                    let Some(flight) = self.start_tensor_copy(index, pc, lane, (map, &at), to, copy.way)
                    else {
                        continue;
                    };
                    self.let_fly(index, pc, lane, flight, None);
                }
            }
        }
    }

    /// The tensor map at a generic address; stops the lane where there is none.
    fn tensor_map(&mut self, index: usize, pc: u32, lane: u32, address: u64) -> Option<&'a TensorMap> {
        let setup: &'a Setup = self.setup;
        let found = match self.memory.locate(Space::Generic, address) {
            Spot::Region(PARAMETERS, offset) => {
                setup.parameters.iter().find_map(|bound| match bound.binding {
                    Binding::Map(map) if i64::from(bound.offset) == offset => Some(map),
                    _ => None,
                })
            }
            Spot::Region(region, offset) => match self.memory.regions[region].owner {
                Owner::Maps(_) if self.memory.regions[region].written => {
                    let why = "what a tensor map holds that the kernel writes is not followed".to_owned();
                    self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                    return None;
                }
                Owner::Maps(stored) => {
                    let (first, count) = setup.maps.stored[stored];
                    let at = u64::try_from(offset).ok().filter(|at| at.is_multiple_of(MAP_BYTES));
                    at.map(|at| (at / MAP_BYTES) as usize).filter(|at| *at < count).map(|at| first + at)
                }
                _ => None,
            },
            Spot::Local(_) | Spot::Nowhere => None,
        };
        let map = found.and_then(|map| setup.maps.all.get(map));
        let why = match map {
            Some(TensorMap { unsupported: Some(why), .. }) => Some((*why).to_owned()),
            Some(_) => None,
            None => {
                let access = access(Space::Generic, Format::B8);
                Some(format!(
                    "what the tensor map at {} holds is not known: say so among `args`, {{ tensor_map = \"A\", box = [64, 64] }}",
                    self.place(access, address).text
                ))
            }
        };
        match why {
            None => map,
            Some(why) => {
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                None
            }
        }
    }

    fn start_tensor_copy(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        (map, at): (&'a TensorMap, &[i64]),
        address: u64,
        way: TensorWay,
    ) -> Option<Flight> {
        let load = way == TensorWay::Load;
        let (near, far) = match way {
            TensorWay::Load => (AccessKind::Write, AccessKind::Read),
            TensorWay::Update(_) => (AccessKind::Read, AccessKind::Atomic),
            TensorWay::Store | TensorWay::Prefetch => (AccessKind::Read, AccessKind::Write),
        };
        let update = match way {
            TensorWay::Update(op) => Some((op, map.format)),
            _ => None,
        };
        if let Some((op, format)) = update.filter(|(op, format)| !crate::isa::reduces(*op, *format)) {
            let why = format!("the manual has no bulk copy that does {op:?} with elements of type {format}");
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return None;
        }
        // The shared side, as a whole.
        let bytes = u32::try_from(map.bytes()).unwrap_or(u32::MAX);
        let shared = access(Space::Shared, map.format);
        if !address.is_multiple_of(ALIGN.into()) {
            let place = self.place(shared, address);
            self.park(index, 1 << lane, pc, FaultKind::Misaligned(near, place, ALIGN));
            return None;
        }
        let (box_region, start) = self.aligned_spot(index, pc, lane, shared, near, address, bytes, 1)?;
        if box_region == DYNAMIC && self.memory.assumed.is_some() {
            self.granted.entry(PLACED).or_insert((0, pc)).0 += 1;
        }
        let rows = map.rows(at);
        if map.nan && load && rows.iter().any(|row| row.element.is_none()) {
            let why = "the NaN that fills what lies outside of the tensor is not modelled".to_owned();
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return None;
        }
        // The global side, row by row.
        let mut outside: Vec<(u64, u64)> = Vec::new();
        let mut region = 0;
        for row in &rows {
            let Some(element) = row.element else { continue };
            let global = access(Space::Global, map.format);
            let place = self.memory.address(self.memory.tensor(map.tensor), element as i64);
            let spot = self.aligned_spot(index, pc, lane, global, far, place, row.bytes as u32, 1)?;
            region = spot.0;
            match outside.last_mut() {
                Some((last, count)) if *last + *count == spot.1 => *count += row.bytes,
                _ => outside.push((spot.1, row.bytes)),
            }
        }
        if way == TensorWay::Store && overlap(&outside) {
            let why =
                "this tensor map sees an element twice, so what a copy leaves there is undefined".to_owned();
            self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
            return None;
        }
        let pieces = map.swizzled(&rows, address);
        let inside = match load {
            true => vec![(start, bytes.into())],
            false => joined(pieces.iter().filter(|piece| piece.element.is_some()), start),
        };
        let moves = pieces.iter().filter(|piece| load || piece.element.is_some()).map(|piece| {
            let (near, far) = (start + piece.at, piece.element);
            match load {
                true => Move { from: far, to: near, bytes: piece.bytes },
                false => Move { from: Some(near), to: far.unwrap_or(0), bytes: piece.bytes },
            }
        });
        let moves = moves.collect();
        let step = map.format.bytes();
        let tensor = (!outside.is_empty()).then(|| Extent::many(region, outside));
        let near = Extent::many(box_region, inside);
        let transfer = match (load, tensor) {
            (true, source) => Transfer { target: near, source, moves, step, update },
            (false, Some(target)) => Transfer { target, source: Some(near), moves, step, update },
            // Nothing of the box lies in the tensor.
            (false, None) => {
                let target = Extent::many(box_region, Vec::new());
                Transfer { target, source: None, moves: Vec::new(), step, update: None }
            }
        };
        Some(self.start_transfer(index, pc, lane, transfer))
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
