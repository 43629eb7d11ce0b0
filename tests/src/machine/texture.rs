//! Textures and surfaces, as the manual and the CUDA C++ programming guide say, in doubles.
//!
//! A reference is a number at which nothing lies. Levels of detail but the first, samplers of their own and references
//! of the module are refused by name.

use super::integer::cut;
use super::memory::Space;
use super::op::Op;
use super::program::Arg;
use super::run::{Machine, Stop};
use super::soft;
use rustc_apfloat::Round;
use warpproof::base::{Format, FormatClass};

/// What lies outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Address {
    Wrap,
    Clamp,
    Mirror,
    Border,
}

/// A texture or a surface: dense rows of texels in global memory.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// The number that stands for it.
    pub reference: u64,
    /// Where its first byte lies.
    pub base: u64,
    pub surface: bool,
    /// What a channel holds.
    pub format: Format,
    /// The extents of the tensor, the channels last if there are several.
    pub shape: Vec<u64>,
    pub linear: bool,
    pub address: [Address; 3],
    pub normalized: bool,
}

/// Extents of a view for an instruction.
struct Texels {
    layers: u64,
    /// Along x, y, z.
    size: [u64; 3],
    channels: u64,
}

fn refused(what: &str) -> Stop {
    Stop::Refused(what.to_owned())
}

/// Axes, and whether a layer comes first; the faces of a cube are layers.
fn geometry(op: &Op) -> Result<(usize, bool), Stop> {
    for (name, found) in [
        ("1d", (1, false)),
        ("2d", (2, false)),
        ("3d", (3, false)),
        ("a1d", (1, true)),
        ("a2d", (2, true)),
        ("cube", (2, true)),
        ("acube", (2, true)),
    ] {
        if op.has(name) {
            return Ok(found);
        }
    }
    Err(refused(&op.text))
}

/// The face of a cube in a direction, and where on it, from 0 to 1: the guide's table.
fn face(direction: [u64; 3]) -> (u64, [u64; 2]) {
    let [x, y, z] = direction.map(|word| f64::from(f32::from_bits(word as u32)));
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, m, s, t) = if ax >= ay && ax >= az {
        if x >= 0.0 { (0, ax, -z, -y) } else { (1, ax, z, -y) }
    } else if ay >= az {
        if y >= 0.0 { (2, ay, x, z) } else { (3, ay, x, -z) }
    } else if z >= 0.0 {
        (4, az, x, -y)
    } else {
        (5, az, -x, -y)
    };
    (face, [s, t].map(|minor| u64::from((((minor / m + 1.0) / 2.0) as f32).to_bits())))
}

impl View {
    fn texels(&self, axes: usize, layered: bool) -> Result<Texels, Stop> {
        let mut shape = self.shape.clone();
        let rank = axes + usize::from(layered);
        let mut channels = 1;
        if shape.len() == rank + 1 {
            channels = shape.pop().unwrap_or(1);
        }
        if shape.len() != rank {
            return Err(refused("a texture of another shape"));
        }
        let layers = if layered { shape.remove(0) } else { 1 };
        let mut size = [1; 3];
        for (size, extent) in size.iter_mut().zip(shape.iter().rev()) {
            *size = *extent;
        }
        Ok(Texels { layers, size, channels })
    }

    /// The index along an axis of N texels, or none.
    fn index(&self, at: f64, count: u64, axis: usize) -> Option<f64> {
        let n = count as f64;
        let mode = match self.address[axis] {
            // "cudaAddressModeWrap and cudaAddressModeMirror are only supported for normalized coordinates".
            Address::Wrap | Address::Mirror if !self.normalized => Address::Clamp,
            mode => mode,
        };
        match mode {
            Address::Clamp => Some(at.clamp(0.0, n - 1.0)),
            Address::Border => (at >= 0.0 && at < n).then_some(at),
            Address::Wrap => Some(at - n * (at / n).floor()),
            Address::Mirror => {
                let within = at - 2.0 * n * (at / (2.0 * n)).floor();
                Some(if within < n { within } else { 2.0 * n - 1.0 - within })
            }
        }
    }
}

impl Machine<'_> {
    fn view(&self, thread: usize, arg: &Arg) -> Result<View, Stop> {
        let reference = self.value(thread, arg, None)?;
        let found = self.views.iter().find(|view| view.reference == reference);
        found.cloned().ok_or_else(|| refused("a reference of the module"))
    }

    /// The reference, the layer and the coordinates as bits.
    fn bracketed(&self, thread: usize, op: &Op, arg: &Arg) -> Result<(View, u64, Vec<u64>), Stop> {
        let (axes, layered) = geometry(op)?;
        let Arg::Place(place, rest) = arg else { return Err(refused(&op.text)) };
        let Arg::Memory(reference, 0) = &**place else { return Err(refused(&op.text)) };
        let [at] = &rest[..] else { return Err(refused("a sampler of its own")) };
        let parts = match at {
            Arg::Vector(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut words = Vec::new();
        for part in parts {
            words.push(cut(self.value(thread, part, Some(Format::F32))?, 32));
        }
        let cube = if op.has("acube") { words.remove(0) } else { 0 };
        if op.has("cube") || op.has("acube") {
            let (face, place) = face([words[0], words[1], words[2]]);
            return Ok((self.view(thread, reference)?, cube * 6 + face, place.to_vec()));
        }
        words.truncate(axes + usize::from(layered));
        let layer = if layered { words.remove(0) } else { 0 };
        Ok((self.view(thread, reference)?, layer, words))
    }

    /// The bits of a channel of a texel.
    fn texel(
        &self,
        thread: usize,
        view: &View,
        texels: &Texels,
        at: [u64; 4],
        channel: u64,
    ) -> Result<u64, Stop> {
        let [layer, x, y, z] = at;
        let [width, height, depth] = texels.size;
        let number = ((layer * depth + z) * height + y) * width + x;
        let bytes = u64::from(view.format.bytes());
        let address = view.base + (number * texels.channels + channel) * bytes;
        self.load(thread, Space::Global, address, bytes as usize)
    }

    /// A channel of a texel as a real number; outside is 0.
    fn number(
        &self,
        thread: usize,
        view: &View,
        texels: &Texels,
        at: Option<[u64; 4]>,
        channel: u64,
    ) -> Result<f64, Stop> {
        let Some(at) = at else { return Ok(0.0) };
        let bits = self.texel(thread, view, texels, at, channel)?;
        let value = soft::value(view.format, bits);
        Ok(match view.format.class() {
            FormatClass::Float => value,
            FormatClass::Signed => (value / ((1u64 << (view.format.bits() - 1)) - 1) as f64).max(-1.0),
            _ => value / ((1u64 << view.format.bits()) - 1) as f64,
        })
    }

    /// `tex`, `tld4`.
    pub(super) fn texture(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        let gathers = op.base == "tld4";
        let mut rest = args[2..].iter();
        for _ in 0..usize::from(op.has("level")) + 2 * usize::from(op.has("grad")) {
            let level = rest.next().ok_or_else(|| refused(&op.text))?;
            let parts = match level {
                Arg::Vector(parts) => parts.as_slice(),
                one => std::slice::from_ref(one),
            };
            for part in parts {
                if cut(self.value(thread, part, Some(Format::F32))?, 31) != 0 {
                    return Err(refused("a level of detail"));
                }
            }
        }
        let mut moved = [0.0; 3];
        for offset in rest {
            let Arg::Vector(parts) = offset else { return Err(refused("a comparison of depths")) };
            for (moved, part) in moved.iter_mut().zip(parts) {
                *moved = f64::from(self.value(thread, part, None)? as u32 as i32);
            }
        }
        let cube = op.has("cube") || op.has("acube");
        let (axes, layered) = geometry(op)?;
        let (mut view, layer, words) = self.bracketed(thread, op, &args[1])?;
        let mut texels = view.texels(axes, layered)?;
        if layer >= texels.layers {
            return Err(refused("a layer outside"));
        }
        let float = op.has("f16x2") || op.other.is_some_and(|ty| ty.float().is_some());
        if !float && view.format.is_float() && view.format.bytes() >= 4 {
            // No channel has 64 bits: doubles are read as two words.
            texels.channels *= u64::from(view.format.bytes() / 4);
            view.format = Format::B32;
        }
        let integers = !gathers && op.ty == super::op::Type::named("s32");
        let packed = op.has("f16x2");
        let half = super::op::Type::named("f16");
        let result = if packed { half } else { op.other }.ok_or_else(|| refused(&op.text))?;
        let (to, resident) = match &args[0] {
            Arg::Pair(to, resident) => (&**to, Some(&**resident)),
            to => (to, None),
        };
        let Arg::Vector(to) = to else { return Err(refused(&op.text)) };
        let linear = view.linear && !integers && !gathers;
        let around = linear || gathers;
        // For each axis the first texel, and how far beyond it the place is.
        let mut places = [(0.0, 0.0); 3];
        for (axis, word) in words.iter().enumerate() {
            let x = match integers {
                true => f64::from(*word as u32 as i32),
                false => f64::from(f32::from_bits(*word as u32)),
            };
            let normalized = cube || view.normalized && !integers;
            let x = if normalized { x * texels.size[axis] as f64 } else { x } + moved[axis];
            let x = if around { x - 0.5 } else { x };
            places[axis] = (x.floor(), x - x.floor());
        }
        let at = |corner: [f64; 3]| {
            let mut place = [layer, 0, 0, 0];
            for axis in 0..axes {
                place[axis + 1] = view.index(places[axis].0 + corner[axis], texels.size[axis], axis)? as u64;
            }
            Some(place)
        };
        let float = result.float();
        let mut values = [0; 4];
        for (number, to) in values.iter_mut().enumerate() {
            let channel = if gathers {
                ["r", "g", "b", "a"].iter().position(|name| op.has(name)).unwrap_or(0)
            } else {
                number
            } as u64;
            // Counter-clockwise from the lower left; y grows downwards.
            let corner = if gathers {
                [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3]][number]
            } else {
                [0.0; 3]
            };
            if channel >= texels.channels {
                let one = match float {
                    Some(format) => soft::one(format),
                    None => 1,
                };
                *to = if channel == 3 { one } else { 0 };
                continue;
            }
            let bits = match (linear, float) {
                (true, Some(format)) => {
                    let mut sum = 0.0;
                    for corners in 0..1 << axes {
                        let mut corner = [0.0; 3];
                        let mut weight = 1.0;
                        for axis in 0..axes {
                            let far = corners >> axis & 1 == 1;
                            corner[axis] = f64::from(u8::from(far));
                            weight *= if far { places[axis].1 } else { 1.0 - places[axis].1 };
                        }
                        sum += weight * self.number(thread, &view, &texels, at(corner), channel)?;
                    }
                    soft::from_value(format, sum, Round::NearestTiesToEven)
                }
                (false, Some(format)) => {
                    let value = self.number(thread, &view, &texels, at(corner), channel)?;
                    soft::from_value(format, value, Round::NearestTiesToEven)
                }
                (_, None) => match at(corner) {
                    None => 0,
                    Some(at) => {
                        let bits = self.texel(thread, &view, &texels, at, channel)?;
                        match view.format.class() {
                            FormatClass::Float => return Err(refused("floats as integers")),
                            FormatClass::Signed => cut(soft::value(view.format, bits) as i64 as u64, 32),
                            _ => bits,
                        }
                    }
                },
            };
            *to = bits;
        }
        for (number, to) in to.iter().enumerate() {
            let value = match packed {
                true => values[2 * number] | values[2 * number + 1] << 16,
                false => values[number],
            };
            self.set(thread, to, value)?;
        }
        match resident {
            Some(resident) => self.set(thread, resident, 1),
            None => Ok(()),
        }
    }

    /// `txq`, `suq`, `istypep`.
    pub(super) fn inquiry(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        let reference = match &args[1] {
            Arg::Memory(reference, 0) => &**reference,
            reference => reference,
        };
        let view = self.view(thread, reference)?;
        if op.base == "istypep" {
            return self.set(
                thread,
                &args[0],
                u64::from(op.has("surfref") == view.surface && !op.has("samplerref")),
            );
        }
        // Which axis is which is certain of a plane alone.
        let plane = match view.shape[..] {
            [height, width] | [height, width, 2 | 4] => [width, height],
            _ => return Err(refused("a question about another shape")),
        };
        match () {
            () if op.has("width") => self.set(thread, &args[0], plane[0]),
            () if op.has("height") => self.set(thread, &args[0], plane[1]),
            () => Err(refused(&op.text)),
        }
    }

    /// `suld`, `sust`, `sured`.
    pub(super) fn surface(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        let (axes, layered) = geometry(op)?;
        let loads = op.base == "suld";
        let (place, value) = if loads { (&args[1], &args[0]) } else { (&args[0], &args[1]) };
        let (view, layer, words) = self.bracketed(thread, op, place)?;
        let texels = view.texels(axes, layered)?;
        let ty = op.ty.ok_or_else(|| refused(&op.text))?;
        let bytes = u64::from(ty.bits / 8);
        let total = bytes * op.vector() as u64;
        let texel = texels.channels * u64::from(view.format.bytes());
        let formatted = op.has("p");
        if formatted && (total != texel || view.format.bytes() != 4) {
            return Err(refused("a formatted access that converts"));
        }
        let [width, height, depth] = texels.size;
        let row = (width * texel) as i64;
        // Layer, x in bytes, y, z; and the last that is inside.
        let mut at = [layer as i64, 0, 0, 0];
        for (axis, word) in words.iter().enumerate() {
            at[axis + 1] =
                i64::from(*word as u32 as i32) * if axis == 0 && formatted { texel as i64 } else { 1 };
        }
        let last = [texels.layers as i64 - 1, row - total as i64, height as i64 - 1, depth as i64 - 1];
        let inside = at.iter().zip(last).all(|(at, last)| (0..=last).contains(at));
        if at[1].rem_euclid(total as i64) != 0 {
            return Err(Stop::Fault(format!("`{}` at byte {} of a row", op.text, at[1])));
        }
        let parts = match value {
            Arg::Vector(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        if !inside {
            if op.has("zero") {
                return match loads {
                    true => parts.iter().try_for_each(|part| self.set(thread, part, 0)),
                    false => Ok(()),
                };
            }
            if !op.has("clamp") {
                return Err(Stop::Fault(format!("`{}` outside", op.text)));
            }
            for (at, last) in at.iter_mut().zip(last) {
                *at = (*at).clamp(0, last.max(0));
            }
        }
        let [layer, x, y, z] = at.map(|at| at as u64);
        let address = view.base + ((layer * depth + z) * height + y) * width * texel + x;
        for (number, part) in parts.iter().enumerate() {
            let address = address + number as u64 * bytes;
            match op.base.as_str() {
                "suld" => {
                    let value = self.load(thread, Space::Global, address, bytes as usize)?;
                    self.set(thread, part, value)?;
                }
                "sust" => {
                    let value = cut(self.value(thread, part, None)?, ty.bits);
                    self.store(thread, Space::Global, address, bytes as usize, value)?;
                }
                _ => {
                    let name = ["add", "min", "max", "and", "or"].into_iter().find(|name| op.has(name));
                    let name = name.ok_or_else(|| refused(&op.text))?;
                    let suffix = op.suffixes.iter().rev().find(|name| super::op::Type::named(name).is_some());
                    let one = Op::new(&format!("red.global.{name}.{}", suffix.map_or("", String::as_str)));
                    let place = Arg::Memory(Box::new(Arg::Int(address)), 0);
                    self.atomic(thread, &one, &[place, part.clone()])?;
                }
            }
        }
        Ok(())
    }
}
