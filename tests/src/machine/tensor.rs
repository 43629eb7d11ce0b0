//! Boxes of tensors, from the manual's words (PTX ISA 9.0, 5.5; 9.7.9.25.5): element by element, and swizzled as
//! its figures number the chunks.
//!
//! A tensor map is opaque to a kernel: here its first eight bytes are its number.

use super::memory::Space;
use super::op::Op;
use super::program::Arg;
use super::run::{Background, Machine, Pending, Stop};
use super::step::refused;

/// What a tensor map holds. Dimensions are innermost first, as in coordinates.
#[derive(Clone, PartialEq, Debug)]
pub struct Map {
    /// Which tensor.
    pub tensor: usize,
    /// Bytes from that tensor's beginning to the map's.
    pub offset: u64,
    /// The elements' type, as opcodes name it, and their bytes.
    pub ty: &'static str,
    pub bytes: u64,
    pub sizes: Vec<u64>,
    /// In bytes.
    pub strides: Vec<u64>,
    pub span: Vec<u64>,
    pub steps: Vec<u64>,
    pub swizzle: &'static str,
}

type Figure = &'static [[u64; 8]];

/// The manual's figures: in each line of 128 bytes the number of the 16 bytes that stand at each place.
const FIGURES: &[(&str, Figure)] = &[
    ("none", &[[0, 1, 2, 3, 4, 5, 6, 7]]),
    ("32B", &[[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6]]),
    (
        "64B",
        &[
            [0, 1, 2, 3, 4, 5, 6, 7],
            [1, 0, 3, 2, 5, 4, 7, 6],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [3, 2, 1, 0, 7, 6, 5, 4],
        ],
    ),
    (
        "128B",
        &[
            [0, 1, 2, 3, 4, 5, 6, 7],
            [1, 0, 3, 2, 5, 4, 7, 6],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [3, 2, 1, 0, 7, 6, 5, 4],
            [4, 5, 6, 7, 0, 1, 2, 3],
            [5, 4, 7, 6, 1, 0, 3, 2],
            [6, 7, 4, 5, 2, 3, 0, 1],
            [7, 6, 5, 4, 3, 2, 1, 0],
        ],
    ),
    (
        "128B atom 32B",
        &[
            [0, 1, 2, 3, 4, 5, 6, 7],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [4, 5, 6, 7, 0, 1, 2, 3],
            [6, 7, 4, 5, 2, 3, 0, 1],
        ],
    ),
    ("128B atom 64B", &[[0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 7, 0, 1, 2, 3]]),
];

fn swizzled(swizzle: &str, address: u64) -> Option<u64> {
    let (_, figure) = FIGURES.iter().find(|(name, _)| *name == swizzle)?;
    let line = &figure[(address / 128) as usize % figure.len()];
    let chunk = address % 128 / 16;
    let place = line.iter().position(|number| *number == chunk)? as u64;
    Some(address / 128 * 128 + place * 16 + address % 16)
}

impl Map {
    /// The elements of a box: the address in shared memory of each, and the offset in the tensor if it lies in it.
    fn elements(&self, at: &[i64], start: u64) -> Option<Vec<(u64, Option<u64>)>> {
        let counts: Vec<u64> =
            self.span.iter().zip(&self.steps).map(|(span, step)| span.div_ceil(*step)).collect();
        let mut all = Vec::new();
        for number in 0..counts.iter().product() {
            let mut rest = number;
            let mut offset = Some(self.offset);
            for dimension in 0..counts.len() {
                let index = rest % counts[dimension];
                rest /= counts[dimension];
                let coordinate = at[dimension] + (index * self.steps[dimension]) as i64;
                let inside = coordinate >= 0 && (coordinate as u64) < self.sizes[dimension];
                offset =
                    offset.filter(|_| inside).map(|sum| sum + coordinate as u64 * self.strides[dimension]);
            }
            all.push((swizzled(self.swizzle, start + number * self.bytes)?, offset));
        }
        Some(all)
    }
}

impl Machine<'_> {
    /// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor` and the prefetch.
    pub(super) fn tensor_copy(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        let known = [
            "reduce",
            "async",
            "bulk",
            "prefetch",
            "tensor",
            "1d",
            "2d",
            "3d",
            "4d",
            "5d",
            "L2",
            "global",
            "shared::cta",
            "shared::cluster",
            "tile",
            "bulk_group",
            "mbarrier::complete_tx::bytes",
            "cta_group::1",
            "add",
            "min",
            "max",
            "inc",
            "dec",
            "and",
            "or",
            "xor",
        ];
        if op.suffixes.iter().any(|suffix| !known.contains(&suffix.as_str())) {
            return Err(refused(op));
        }
        let place = args.iter().position(|arg| matches!(arg, Arg::Coordinates(..)));
        let Some((place, Arg::Coordinates(address, parts))) = place.map(|place| (place, &args[place])) else {
            return Err(refused(op));
        };
        let address = self.address(thread, address)?;
        let number = self.load(thread, Space::Generic, address, 8)?;
        let map = self.maps.get(number as usize).ok_or(Stop::Fault("no tensor map".to_owned()))?.clone();
        let at: Vec<i64> = parts
            .iter()
            .map(|part| Ok(i64::from(self.value(thread, part, None)? as u32 as i32)))
            .collect::<Result<_, Stop>>()?;
        if at.len() != map.sizes.len() {
            return Err(Stop::Fault("as many coordinates as the tensor map has dimensions".to_owned()));
        }
        if op.has("prefetch") {
            return Ok(());
        }
        let load = place == 1;
        let shared = self.address(thread, &args[usize::from(place == 0)])?;
        self.aligned(shared, 128)?;
        let elements = map.elements(&at, shared).ok_or_else(|| refused(op))?;
        let base = self.bases[map.tensor];
        let elements = elements.into_iter().map(|(to, from)| (to, from.map(|from| base + from))).collect();
        let change =
            ["add", "min", "max", "inc", "dec", "and", "or", "xor"].into_iter().find(|name| op.has(name));
        let change = change.map(|name| match (name, map.ty) {
            ("add", ty @ ("f16" | "bf16")) => format!("red.global.add.noftz.{ty}"),
            ("and" | "or" | "xor", _) => format!("red.global.{name}.b{}", map.bytes * 8),
            (name, ty) => format!("red.global.{name}.{ty}"),
        });
        let object = if load { Some(self.address(thread, &args[2])?) } else { None };
        self.bulk = true;
        let what = Background::Boxed { elements, bytes: map.bytes, change, object };
        self.threads[thread].pending.push(Pending { group: None, what });
        Ok(())
    }

    /// A copy of a box happens: into shared memory if a barrier object counts it, else out of it.
    pub(super) fn copy_box(
        &mut self,
        thread: usize,
        elements: &[(u64, Option<u64>)],
        bytes: u64,
        change: Option<&str>,
        object: Option<u64>,
    ) -> Result<(), Stop> {
        let size = bytes as usize;
        let change = change.map(Op::new);
        for (shared, global) in elements {
            match (object, global) {
                (Some(_), None) => self.store(thread, Space::Shared, *shared, size, 0)?,
                (Some(_), Some(global)) => {
                    let value = self.load(thread, Space::Global, *global, size)?;
                    self.store(thread, Space::Shared, *shared, size, value)?;
                }
                (None, None) => {}
                (None, Some(global)) => {
                    let value = self.load(thread, Space::Shared, *shared, size)?;
                    match &change {
                        Some(change) => self.change(thread, change, *global, value)?,
                        None => self.store(thread, Space::Global, *global, size, value)?,
                    }
                }
            }
        }
        match object {
            Some(object) => {
                let all = elements.len() as i64 * bytes as i64;
                self.count(self.threads[thread].cta, object, -all)
            }
            None => Ok(()),
        }
    }

    /// An element in global memory changes as by `red`.
    pub(super) fn change(&mut self, thread: usize, op: &Op, address: u64, value: u64) -> Result<(), Stop> {
        let place = Arg::Memory(Box::new(Arg::Int(address)), 0);
        self.atomic(thread, op, &[place, Arg::Bits(value)])
    }
}
