//! Boxes of tensors, from the manual's words (PTX ISA 9.0, 5.5; 9.7.9.25.5): element by element, and swizzled as
//! its figures number the chunks; four rows of a matrix; pixels of images.
//!
//! A tensor map is opaque to a kernel: here its first eight bytes are its number. One that a kernel makes is
//! bytes that are drawn anew with each change, so that it shows if somebody else writes there.

use super::cluster::{in_cta, rank_in};
use super::memory::Space;
use super::op::Op;
use super::program::Arg;
use super::run::{Background, Machine, Pending, Stop};
use super::step::refused;
use std::collections::HashMap;

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
    /// Of a map for pixels: how many, and the first and the last position in each dimension of an image.
    pub pixels: Option<(u64, Vec<(i64, i64)>)>,
    pub swizzle: &'static str,
}

/// A tensor map that a kernel has made, and the bytes that stand for it.
#[derive(Clone, Debug)]
pub(super) struct Made {
    fields: HashMap<(String, u64), u64>,
    bytes: [u64; 16],
}

/// The types of elements by their numbers (PTX ISA 9.0, 9.7.9.26).
const TYPES: [(&str, u64); 11] = [
    ("u8", 1),
    ("u16", 2),
    ("u32", 4),
    ("s32", 4),
    ("u64", 8),
    ("s64", 8),
    ("f16", 2),
    ("f32", 4),
    ("f32", 4),
    ("f64", 8),
    ("bf16", 2),
];

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
    /// The elements of a copy: the address in shared memory of each, and the offset in the tensor if it lies in it.
    fn elements(&self, mode: &str, at: &[i64], moved: &[i64], start: u64) -> Option<Vec<(u64, Option<u64>)>> {
        let places = match mode {
            "tile" if self.pixels.is_none() => return self.tile(at, start),
            "tile::gather4" | "tile::scatter4" if self.span[1] == 1 => self.four_rows(at),
            "im2col" | "im2col_no_offs" => self.columns(at, moved)?,
            _ => return None,
        };
        let offset = |place: &Vec<i64>| {
            let inside = place.iter().zip(&self.sizes).all(|(at, size)| *at >= 0 && (*at as u64) < *size);
            let far = place.iter().zip(&self.strides).map(|(at, stride)| *at as u64 * stride);
            inside.then(|| self.offset + far.sum::<u64>())
        };
        places
            .iter()
            .enumerate()
            .map(|(number, place)| {
                Some((swizzled(self.swizzle, start + number as u64 * self.bytes)?, offset(place)))
            })
            .collect()
    }

    /// The elements of four rows, each with its coordinates (5.5.3, tiled modes).
    fn four_rows(&self, at: &[i64]) -> Vec<Vec<i64>> {
        let columns = 0..self.span[0] as i64;
        at[1..].iter().flat_map(|row| columns.clone().map(|column| vec![at[0] + column, *row])).collect()
    }

    /// The elements of pixels (5.5.4): the window of each image is gone through line by line.
    fn columns(&self, at: &[i64], moved: &[i64]) -> Option<Vec<Vec<i64>>> {
        let (count, window) = self.pixels.as_ref()?;
        let stride = |dimension: usize| self.steps[dimension + 1] as usize;
        let line = |dimension: usize, first: i64| (first..=window[dimension].1).step_by(stride(dimension));
        let mut all: Vec<Vec<i64>> = Vec::new();
        // The present pixel's image, then its places from the outermost dimension to the innermost.
        let mut image = *at.last()?;
        let mut begun = false;
        while (all.len() as u64) < *count {
            let first = |dimension: usize| if begun { window[dimension].0 } else { at[dimension + 1] };
            let mut of_image: Vec<Vec<i64>> = vec![Vec::new()];
            let mut ahead = true;
            for dimension in (0..window.len()).rev() {
                let mut next = Vec::new();
                for (number, outer) in of_image.iter().enumerate() {
                    // Only the very first line of an image begins in its middle.
                    let from = if ahead && number == 0 { first(dimension) } else { window[dimension].0 };
                    next.extend(line(dimension, from).map(|place| [vec![place], outer.clone()].concat()));
                }
                ahead = ahead && !next.is_empty();
                of_image = next;
            }
            for place in of_image {
                let place = place
                    .iter()
                    .enumerate()
                    .map(|(dimension, at)| at + moved.get(dimension).copied().unwrap_or(0));
                all.push(place.chain([image]).collect());
            }
            begun = true;
            image += 1;
        }
        all.truncate(*count as usize);
        let channels = 0..self.span[0] as i64;
        Some(
            all.iter()
                .flat_map(|pixel| {
                    channels.clone().map(|channel| [vec![at[0] + channel], pixel.clone()].concat())
                })
                .collect(),
        )
    }

    fn tile(&self, at: &[i64], start: u64) -> Option<Vec<(u64, Option<u64>)>> {
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

impl Made {
    /// What it says; its addresses are absolute.
    fn map(&self) -> Option<Map> {
        let field = |name: &str, entry: usize| {
            self.fields.get(&(name.to_owned(), entry as u64)).copied().unwrap_or(0)
        };
        let rank = field("rank", 0) as usize + 1;
        let (ty, bytes) = *TYPES.get(field("elemtype", 0) as usize)?;
        let swizzle = match (field("swizzle_mode", 0), field("swizzle_atomicity", 0)) {
            (0, _) => "none",
            (1, 0) => "32B",
            (2, 0) => "64B",
            (3, 0) => "128B",
            (3, 1) => "128B atom 32B",
            (3, 3) => "128B atom 64B",
            _ => return None,
        };
        if field("interleave_layout", 0) != 0 || field("fill_mode", 0) != 0 || field("elemtype", 0) == 8 {
            return None;
        }
        let list = |name: &str| (0..rank).map(|at| field(name, at)).collect::<Vec<u64>>();
        let mut steps = list("element_stride");
        steps[0] = 1;
        let strides = (0..rank).map(|at| if at == 0 { bytes } else { field("global_stride", at - 1) });
        Some(Map {
            tensor: usize::MAX,
            offset: field("global_address", 0),
            ty,
            bytes,
            sizes: list("global_dim"),
            strides: strides.collect(),
            span: list("box_dim"),
            steps,
            pixels: None,
            swizzle,
        })
    }
}

impl Machine<'_> {
    /// The tensor map that a kernel has made at an address, if nobody has written there since.
    fn made_at(&self, thread: usize, space: Space, address: u64) -> Result<Option<Made>, Stop> {
        let key = self.place_of_map(thread, space, address);
        let Some(made) = self.made.get(&key) else { return Ok(None) };
        for (at, word) in made.bytes.iter().enumerate() {
            if self.load(thread, space, address + at as u64 * 8, 8)? != *word {
                return Ok(None);
            }
        }
        Ok(Some(made.clone()))
    }

    /// Each CTA has shared memory of its own.
    fn place_of_map(&self, thread: usize, space: Space, address: u64) -> (usize, u64) {
        match space {
            Space::Shared => (self.threads[thread].cta + 1, address),
            _ => (0, address),
        }
    }

    fn keep_map(
        &mut self,
        thread: usize,
        space: Space,
        address: u64,
        fields: HashMap<(String, u64), u64>,
    ) -> Result<(), Stop> {
        let bytes = [(); 16].map(|()| self.dice.below(u64::MAX));
        for (at, word) in bytes.iter().enumerate() {
            self.store(thread, space, address + at as u64 * 8, 8, *word)?;
        }
        let key = self.place_of_map(thread, space, address);
        self.made.insert(key, Made { fields, bytes });
        Ok(())
    }

    /// Where in global memory the tensor maps lie that the kernel has made.
    pub fn maps_made(&self) -> impl Iterator<Item = u64> {
        self.made.keys().filter(|(cta, _)| *cta == 0).map(|(_, address)| *address)
    }

    /// `tensormap.replace` in shared memory, and `tensormap.cp_fenceproxy`.
    pub(super) fn tensor_map(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        let address = self.address(thread, &args[0])?;
        if op.has("cp_fenceproxy") {
            let from = self.address(thread, &args[1])?;
            self.aligned(address | from, 128)?;
            let made = self.made_at(thread, Space::Shared, from)?.ok_or_else(|| refused(op))?;
            return self.keep_map(thread, Space::Global, address, made.fields);
        }
        if !op.has("replace") || !op.has("tile") || op.space() != Some(Space::Shared) {
            return Err(refused(op));
        }
        let mut fields = match self.made_at(thread, Space::Shared, address)? {
            Some(made) => made.fields,
            None => {
                for at in 0..16 {
                    if self.load(thread, Space::Shared, address + at * 8, 8)? != 0 {
                        return Err(refused(op));
                    }
                }
                HashMap::new()
            }
        };
        let entry = if args.len() > 2 { self.value(thread, &args[1], None)? } else { 0 };
        let value = self.value(thread, &args[args.len() - 1], None)?;
        fields.insert((op.suffixes[2].clone(), entry), value);
        self.keep_map(thread, Space::Shared, address, fields)
    }

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
            "tile::gather4",
            "tile::scatter4",
            "im2col",
            "im2col_no_offs",
            "bulk_group",
            "mbarrier::complete_tx::bytes",
            "multicast::cluster",
            "cta_group::1",
            "cta_group::2",
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
        let place = args.iter().position(|arg| matches!(arg, Arg::Place(..)));
        let Some((place, Arg::Place(address, rest))) = place.map(|place| (place, &args[place])) else {
            return Err(refused(op));
        };
        let [Arg::Vector(parts)] = &rest[..] else { return Err(refused(op)) };
        let address = self.address(thread, address)?;
        let map = match self.made_at(thread, Space::Generic, address)? {
            Some(made) => made.map().ok_or_else(|| refused(op))?,
            None => {
                let number = self.load(thread, Space::Generic, address, 8)?;
                self.maps.get(number as usize).ok_or(Stop::Fault("no tensor map".to_owned()))?.clone()
            }
        };
        let at: Vec<i64> = parts
            .iter()
            .map(|part| Ok(i64::from(self.value(thread, part, None)? as u32 as i32)))
            .collect::<Result<_, Stop>>()?;
        let modes = ["tile::gather4", "tile::scatter4", "im2col", "im2col_no_offs"];
        let mode = modes.into_iter().find(|mode| op.has(mode)).unwrap_or("tile");
        let coordinates = if mode.contains("er4") { 5 } else { map.sizes.len() };
        if at.len() != coordinates {
            return Err(Stop::Fault("as many coordinates as the tensor map has dimensions".to_owned()));
        }
        if op.has("prefetch") {
            return Ok(());
        }
        let load = place == 1;
        let shared = self.address(thread, &args[usize::from(place == 0)])?;
        self.aligned(shared, 128)?;
        let mut further = args[usize::from(load) + 2..].iter();
        let mut moved = Vec::new();
        if mode == "im2col" {
            let parts = match further.next() {
                Some(Arg::Vector(parts)) => &parts[..],
                Some(one) => std::slice::from_ref(one),
                None => return Err(refused(op)),
            };
            for part in parts {
                moved.push(i64::from(self.value(thread, part, None)? as u16));
            }
        }
        let elements = map.elements(mode, &at, &moved, shared).ok_or_else(|| refused(op))?;
        let base = self.bases.get(map.tensor).copied().unwrap_or(0);
        let elements: Vec<(u64, Option<u64>)> =
            elements.into_iter().map(|(to, from)| (to, from.map(|from| base + from))).collect();
        let change =
            ["add", "min", "max", "inc", "dec", "and", "or", "xor"].into_iter().find(|name| op.has(name));
        let change = change.map(|name| match (name, map.ty) {
            ("add", ty @ ("f16" | "bf16")) => format!("red.global.add.noftz.{ty}"),
            ("and" | "or" | "xor", _) => format!("red.global.{name}.b{}", map.bytes * 8),
            (name, ty) => format!("red.global.{name}.{ty}"),
        });
        let object = if load { Some(self.address(thread, &args[2])?) } else { None };
        self.bulk = true;
        let (bytes, pair) = (map.bytes, op.has("cta_group::2"));
        let Some(object) = object.filter(|_| op.has("multicast::cluster")) else {
            // Without a pair the object is where the box goes.
            let apart = object.is_some_and(|object| (rank_in(object) ^ rank_in(shared)) > u64::from(pair));
            if apart {
                return Err(refused(op));
            }
            let what = Background::Boxed { elements, bytes, change, object };
            self.threads[thread].pending.push(Pending { group: None, what });
            return Ok(());
        };
        let ranks = self.value(thread, further.next().ok_or_else(|| refused(op))?, None)?;
        for rank in (0..16).filter(|rank| ranks >> rank & 1 == 1) {
            let elements = elements.iter().map(|(to, from)| (in_cta(rank, *to), *from)).collect();
            // Of each pair the CTA counts that is even or odd like that of the object.
            let counts = if pair { rank & !1 | rank_in(object) & 1 } else { rank };
            let object = Some(in_cta(counts, object));
            let what = Background::Boxed { elements, bytes, change: None, object };
            self.threads[thread].pending.push(Pending { group: None, what });
        }
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
                let (cta, object) = self.in_cluster(self.threads[thread].cta, object);
                self.count(cta, object, -all)
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
