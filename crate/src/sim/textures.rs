//! Reads of textures (`tex`, `tld4`).
//!
//! A coordinate chooses one texel along its axis, or two with a weight for a linear filter; where it depends on data
//! it chooses among several, each under its condition ([`super::coordinates`]).
//! What is read is a sum of products of weights and elements of the tensor, and a choice among such sums.
//!
//! Guarantees: the texels that the coordinates mean, exactly, over the reals; reads count for races, and what this
//! kernel writes is never known to a texture, whatever synchronizes. What a texture lacks in channels is 0, and its fourth channel 1.
//! Misses (*unsupported*): levels of detail other than 0; faces of a cube where a linear filter reaches over an edge;
//! layers outside; 64-bit floats; coordinates that lie between two texels by rounding alone. *Not structured*:
//! coordinates that depend on data where they have too many values, or a mirror is in between.
//!
//! Source: PTX ISA 9.0, 9.7.10; CUDA C++ programming guide, "Texture fetching", "Cubemap textures", "Texture gather";
//! for channels that are not there, OpenCL C, "image channel order".

use super::bits::{choose, concat};
use super::contradiction::is_contradictory;
use super::coordinates::{Corner, Places, Trouble};
use super::gaps::extended;
use super::machine::Machine;
use super::outcome::{AccessKind, FaultKind};
use super::pivots::VALUES;
use super::race::lanes;
use super::setup::Sampling;
use super::views::Extents;
use crate::base::{Format, FormatClass};
use crate::isa::{Access, Fetch, Level, Space, Strength, ViewKind, WARP};
use crate::spec::{Filter, ReadMode};
use crate::term::{Symbol, Term, Terms, Value};
use num_rational::BigRational;
use num_traits::ToPrimitive;

/// What the ledger says of channels that are not there.
const NO_CHANNEL: &str =
    "channels that a texture does not have are read as 0, and the fourth as 1, as OpenCL has it";

/// What is read, and how.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub(super) view: usize,
    pub(super) region: usize,
    pub(super) extents: Extents,
    pub(super) linear: bool,
    pub(super) normalized: bool,
}

impl<'a> Machine<'a> {
    /// Reads a texture on the lanes of `mask`.
    pub(super) fn fetch(&mut self, index: usize, pc: u32, mask: u32, fetch: Fetch) {
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        self.fetching = pc;
        let mask = self.at_base_level(index, pc, mask, fetch);
        for (view, group) in self.by_view(index, pc, mask, src[0], &[ViewKind::Texture]) {
            let samplers = match src[1] == src[0] {
                true => vec![(view, group)],
                false => self.by_view(index, pc, group, src[1], &[ViewKind::Sampler, ViewKind::Texture]),
            };
            for (sampler, group) in samplers {
                let sampling = self.setup.views[sampler].sampling.clone();
                let reading = self.reading(view, &sampling, fetch);
                let reading = match reading {
                    Ok(reading) => reading,
                    Err(why) => {
                        self.park(index, group, pc, FaultKind::Unsupported(why));
                        continue;
                    }
                };
                self.trace_access(index, pc, reading.region, group, AccessKind::Read);
                for lane in lanes(group) {
                    self.fetch_lane((index, pc, lane), fetch, &reading, &sampling);
                    if self.out_of_steps() {
                        self.halt(index, mask);
                        return;
                    }
                }
            }
        }
    }

    /// The lanes that ask for the largest level.
    fn at_base_level(&mut self, index: usize, pc: u32, mask: u32, fetch: Fetch) -> u32 {
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        if fetch.level == Level::Base {
            return mask;
        }
        let offsets = if fetch.offset { usize::from(fetch.geometry.axes) } else { 0 };
        let mut good = mask;
        for reg in &src[2 + fetch.geometry.words()..src.len() - offsets] {
            good = self.concrete_lanes(index, pc, good, *reg, "the level of detail");
            let words = self.warps[index].words(*reg);
            let at_base = |word: u64| match fetch.level {
                Level::Number if fetch.integers => word as u32 as i32 <= 0,
                Level::Number => f32::from_bits(word as u32) <= 0.0,
                Level::Base | Level::Gradient => f32::from_bits(word as u32) == 0.0,
            };
            let other = lanes(good).filter(|lane| !at_base(words[*lane as usize]));
            let other = other.fold(0, |other, lane| other | 1 << lane);
            if other != 0 {
                let why = "levels of detail other than 0 (smaller copies of the texture) are not supported";
                self.park(index, other, pc, FaultKind::Unsupported(why.to_owned()));
                good &= !other;
            }
        }
        good
    }

    /// What is read, or why not.
    fn reading(&mut self, view: usize, sampling: &Sampling, fetch: Fetch) -> Result<Reading, String> {
        let (region, mut extents) = self.extents(view, fetch.geometry, fetch.result)?;
        let name = self.setup.views[view].name.clone();
        let linear = sampling.filter == Some(Filter::Linear) && !fetch.integers && fetch.gather.is_none();
        let normalized = fetch.geometry.cube || sampling.normalized == Some(true);
        if fetch.integers && sampling.normalized == Some(true) {
            return Err(format!("integer coordinates of `{name}`, whose coordinates are normalized"));
        }
        let (held, result) = (extents.format, fetch.result);
        let wide = held.bytes() == 8 || held == Format::F32;
        if !result.is_float() && (held.is_float() || held.bytes() == 8) && wide {
            // Texels have no channels of 64 bits: they are read as words, as floats are that somebody wants as bits.
            extents.channels *= u64::from(held.bytes() / 4);
            extents.format = Format::B32;
            self.note_view(format!("`{name}`, which holds {held}, is read as words of 32 bits"));
        }
        let normalizes = sampling.read == Some(ReadMode::NormalizedFloat) && held.bytes() < 4;
        let fits = match (result.is_float(), extents.format) {
            (true, Format::F32 | Format::F16) => true,
            (true, held) => !held.is_float() && held.bytes() < 4 && sampling.read != Some(ReadMode::Element),
            (false, held) => !held.is_float() && held.bytes() <= 4 && !normalizes && !linear,
        };
        if !fits || !matches!(extents.channels, 1 | 2 | 4) {
            let how = if linear { "a filter" } else { "a texture" };
            return Err(format!(
                "`{name}` has texels of {} × {held}, of which {how} makes no .{result}",
                extents.channels
            ));
        }
        if result.is_float() && !held.is_float() && sampling.read.is_none() {
            self.note_view(format!(
                "`{name}` is read with read = \"normalized_float\", as floats of {held} are"
            ));
        }
        for (said, what) in [
            (sampling.filter.is_some() || fetch.integers || fetch.gather.is_some(), "filter = \"point\""),
            (sampling.normalized.is_some() || fetch.integers || normalized, "normalized = false"),
        ] {
            if !said {
                self.note_view(format!(
                    "`{name}` is read with {what}, as a cudaTextureDesc of zeros says: the spec does not"
                ));
            }
        }
        Ok(Reading { view, region, extents, linear, normalized })
    }

    /// Something that is taken for granted about a texture.
    pub(super) fn note_view(&mut self, what: String) {
        let pc = self.fetching;
        self.granted_far.entry(what).or_insert((0, pc)).0 += 1;
    }

    fn fetch_lane(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        fetch: Fetch,
        reading: &Reading,
        sampling: &Sampling,
    ) {
        match self.texels((index, lane), pc, fetch, reading, sampling) {
            Ok(axes) => self.read_texels((index, pc, lane), fetch, reading, &axes),
            Err(Trouble::Unsupported(why)) => self.park(index, 1 << lane, pc, FaultKind::Unsupported(why)),
            Err(Trouble::NotStructured(why)) => {
                self.park(index, 1 << lane, pc, FaultKind::NotStructured(why))
            }
            Err(Trouble::Missing(reg, what)) => {
                self.concrete_lanes(index, pc, 1 << lane, reg, what);
            }
        }
    }

    // ---- reading ---------------------------------------------------------------------------

    /// Reads what the layer and the axes have chosen.
    fn read_texels(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        fetch: Fetch,
        reading: &Reading,
        axes: &[Vec<Corner>],
    ) {
        let kernel = self.kernel;
        let dst = kernel.dst(&kernel.code[pc as usize]);
        // Corners with the product of their weights, the first axis first.
        let mut corners: Vec<(Vec<&Places>, Term)> = vec![(Vec::new(), Term::ONE)];
        for axis in axes {
            let mut more = Vec::with_capacity(corners.len() * axis.len());
            for corner in axis {
                for (places, weight) in &corners {
                    let places = places.iter().copied().chain([&corner.places]).collect();
                    more.push((places, product(&mut self.terms, *weight, corner.weight)));
                }
            }
            corners = more;
        }
        let mut found: Vec<([Value; 4], Term)> = Vec::with_capacity(corners.len());
        for (places, weight) in &corners {
            match self.corner((index, pc, lane), fetch, reading, places) {
                Ok(Some(values)) => found.push((values, *weight)),
                Ok(None) => return, // No inputs come here.
                Err(count) => {
                    let why =
                        format!("the coordinates depend on input data and have {count} values together");
                    self.park(index, 1 << lane, pc, FaultKind::NotStructured(why));
                    return;
                }
            }
        }
        let read: [Value; 4] = match (fetch.gather, &found[..]) {
            // Counter-clockwise from the lower left, with y downwards.
            (Some(component), [a, b, c, d]) => [c, d, b, a].map(|corner| corner.0[usize::from(component)]),
            _ => std::array::from_fn(|channel| self.sum(fetch.result, &found, channel)),
        };
        let values: Vec<Value> = match fetch.packed {
            true => read.chunks(2).map(|pair| concat(&mut self.terms, pair[0], pair[1], 32)).collect(),
            false => read.to_vec(),
        };
        for (reg, value) in dst.iter().zip(&values) {
            self.warps[index].set(*reg, lane, *value);
        }
        if fetch.resident {
            self.warps[index].set(dst[values.len()], lane, Value::Concrete(1));
            self.note_view("the texels of all textures are in memory (no texture is sparse)".to_owned());
        }
    }

    /// A channel of corners by their weights.
    fn sum(&mut self, result: Format, corners: &[([Value; 4], Term)], channel: usize) -> Value {
        if let [(values, Term::ONE)] = corners {
            return values[channel];
        }
        let mut sum = Term::ZERO;
        for (values, weight) in corners {
            let Some(number) = self.number(result, values[channel]) else { return values[channel] };
            sum = self.terms.fma(*weight, number, sum);
        }
        self.as_float(result, sum)
    }

    /// The channels of a texel whose place data may choose; nothing if no inputs come here, and how many places there
    /// are if these are too many.
    fn corner(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        fetch: Fetch,
        reading: &Reading,
        axes: &[&Places],
    ) -> Result<Option<[Value; 4]>, i128> {
        let count: i128 = axes.iter().map(|places| places.len() as i128).product();
        if count > VALUES {
            return Err(count);
        }
        if count > 1 {
            self.charge(super::ends::ACCESS * count as u64);
        }
        let guard = self.condition(index, lane);
        let mut result: Option<[Value; 4]> = None;
        for number in (0..count as usize).rev() {
            let (mut rest, mut when, mut at) = (number, Term::TRUE, Some([0; 4]));
            for (axis, places) in axes.iter().enumerate() {
                let (condition, place) = places[rest % places.len()];
                rest /= places.len();
                when = self.terms.and(when, condition);
                at = at.zip(place).map(|(mut at, place)| {
                    at[axis] = place;
                    at
                });
            }
            let both = self.terms.and(guard, when);
            if when == Term::FALSE || is_contradictory(&self.terms, both) {
                continue;
            }
            let mut read = [Value::Concrete(0); 4];
            let mut run = |machine: &mut Self| {
                read = machine.channels((index, pc, lane), fetch, reading, at);
                1 << lane
            };
            if when == Term::TRUE {
                run(self);
            } else {
                self.under(index, 1 << lane, &[when; WARP], run);
            }
            result = Some(match result {
                None => read,
                Some(others) => std::array::from_fn(|at| {
                    choose(&mut self.terms, when, read[at], others[at], fetch.result)
                }),
            });
        }
        Ok(result)
    }

    /// The channels of a texel, as far as somebody reads them.
    fn channels(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        fetch: Fetch,
        reading: &Reading,
        at: Option<[u64; 4]>,
    ) -> [Value; 4] {
        let kernel = self.kernel;
        let dst = kernel.dst(&kernel.code[pc as usize]);
        let extents = &reading.extents;
        let offset = at.map(|[layer, x, y, z]| extents.offset(layer, [x, y, z]));
        if let Some(offset) = offset {
            self.touch_texel((index, pc, lane), reading, offset);
        }
        let mut values = [Value::Concrete(0); 4];
        for (channel, value) in values.iter_mut().enumerate() {
            let wanted = match fetch.gather {
                Some(component) => usize::from(component) == channel,
                None => {
                    let at = if fetch.packed { channel / 2 } else { channel };
                    dst.get(at).is_some_and(|reg| self.is_read[reg.index()])
                }
            };
            if wanted {
                *value = self.channel((index, pc, lane), fetch.result, reading, offset, channel as u64);
            }
        }
        values
    }

    /// Notes that a texel is read.
    fn touch_texel(&mut self, (index, pc, lane): (usize, u32, u32), reading: &Reading, offset: u64) {
        let (region, bytes) = (reading.region, reading.extents.texel());
        let format = reading.extents.format;
        let access = Access { space: Space::Global, format, vector: 1, strength: Strength::Texture };
        self.prepare_at(region, offset, bytes as u32, access, AccessKind::Read);
        if self.memory.regions[region].watched {
            let epoch = self.clocks.epoch(self.warps[index].first() + lane);
            let by = self.reader(index, pc, (1 << lane, epoch), Strength::Texture);
            self.touch_read(index, pc, region, offset..offset + bytes, &by);
        }
    }

    /// One channel of a texel as a result; outside it is 0.
    fn channel(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        result: Format,
        reading: &Reading,
        offset: Option<u64>,
        channel: u64,
    ) -> Value {
        let extents = &reading.extents;
        let held = extents.format;
        if channel >= extents.channels {
            self.note_view(NO_CHANNEL.to_owned());
            return Value::Concrete(match (channel == 3, result) {
                (false, _) => 0,
                (true, Format::F32) => 0x3f80_0000,
                (true, Format::F16) => 0x3c00,
                (true, _) => 1,
            });
        }
        let Some(offset) = offset else { return Value::Concrete(0) };
        let offset = offset + channel * u64::from(held.bytes());
        let value = self.memory.regions[reading.region].cells.read(&mut self.terms, offset, held.bytes());
        let value = self.as_read((index, pc, lane), (Some(reading.region), offset), held.bytes(), value);
        match (value, result.is_float()) {
            (Value::Undefined(_), _) => value,
            (_, false) => extended(&mut self.terms, value, held, 32),
            (_, true) if held == result => value,
            (_, true) => match self.texel_number(held, value) {
                Some(number) => self.as_float(result, number),
                None => value,
            },
        }
    }

    /// A channel as a number of a float result.
    fn texel_number(&mut self, format: Format, value: Value) -> Option<Term> {
        let number = self.number(format, value)?;
        if format.is_float() {
            return Some(number);
        }
        let signed = format.class() == FormatClass::Signed;
        let most = (1i64 << (format.bits() - u32::from(signed))) - 1;
        let share = self.terms.rational(BigRational::new(1.into(), most.into()));
        let number = product(&mut self.terms, number, share);
        // The least number of a signed format is a little more than one too small.
        Some(if signed { self.terms.max(number, Term::MINUS_ONE) } else { number })
    }

    /// A number in a float register: as bits where it is known and exact.
    fn as_float(&mut self, format: Format, number: Term) -> Value {
        let exact = self.terms.as_rational(number).and_then(|value| {
            let near = value.to_f32()?;
            (format == Format::F32 && BigRational::from_float(near).as_ref() == Some(value)).then_some(near)
        });
        match exact {
            Some(near) => Value::Concrete(near.to_bits().into()),
            None => Value::Symbolic(Symbol::number(format, number)),
        }
    }
}

/// A product, of which known numbers are one number.
fn product(terms: &mut Terms, a: Term, b: Term) -> Term {
    match (terms.as_rational(a).cloned(), terms.as_rational(b).cloned()) {
        (Some(a), Some(b)) => terms.rational(a * b),
        _ => terms.mul(a, b),
    }
}
