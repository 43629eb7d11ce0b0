//! Reads of textures (`tex`, `tld4`).
//!
//! A coordinate chooses one texel along its axis, or two with a weight for a linear filter ([`super::texels`]); where it
//! depends on data it chooses among several, each under its condition, found like the addresses of loads ([`super::pivots`]).
//! What is read is a sum of products of weights and elements of the tensor, and a choice among such sums.
//!
//! Guarantees: the texels that the coordinates mean, exactly, over the reals; reads count for races, and what this
//! kernel writes is never known to a texture, whatever synchronizes. What a texture lacks in channels is 0, and its fourth channel 1.
//! Misses (*unsupported*): levels of detail other than 0; faces of a cube where a linear filter reaches over an edge;
//! layers outside; 64-bit floats. *Not structured*: coordinates that depend on data where they have too many values or a
//! mirror is in between, and those which lie between two texels by rounding alone.
//!
//! Source: PTX ISA 9.0, 9.7.10; CUDA C++ programming guide, "Texture fetching", "Cubemap textures", "Texture gather";
//! for channels that are not there, OpenCL C, "image channel order".

use super::bits::{as_number, choose, concat};
use super::chosen::chances;
use super::contradiction::is_contradictory;
use super::gaps::extended;
use super::machine::Machine;
use super::outcome::{AccessKind, FaultKind};
use super::pivots::{VALUES, by_pivots};
use super::race::lanes;
use super::setup::Sampling;
use super::texels::{Coordinate, PARTS, Place, half, texel};
use super::views::Extents;
use crate::base::{Format, FormatClass};
use crate::ir::Reg;
use crate::isa::{Access, Fetch, Level, Space, Strength, ViewKind, WARP};
use crate::spec::{AddressMode, Filter, ReadMode};
use crate::term::{Number, Symbol, Term, Terms, Unary, Value, decode, slack};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

/// What the ledger says of weights that the hardware rounds.
const NOT_ROUNDED: &str = "weights of linear filters are not rounded: the hardware keeps 8 bits of their fraction";
/// The same of coordinates without a filter.
const NOT_ROUNDED_PLACE: &str =
    "coordinates of textures are not rounded: the hardware keeps 8 bits of their fraction, and some are nearer to a texel's end";
/// The same of channels that are not there.
const NO_CHANNEL: &str =
    "channels that a texture does not have are read as 0, and the fourth as 1, as OpenCL has it";

/// Why nothing is read.
enum Trouble {
    Unsupported(String),
    NotStructured(String),
    /// The register lacks bits, which another part tells of.
    Missing(Reg, &'static str),
}

/// Places along an axis, one of which it is, each with its condition; none is outside.
type Places = Vec<(Term, Option<u64>)>;

/// One of the texels along an axis that make a value together.
struct Corner {
    weight: Term,
    places: Places,
}

/// What is read, and how.
#[derive(Clone, Copy)]
struct Reading {
    view: usize,
    region: usize,
    extents: Extents,
    linear: bool,
    normalized: bool,
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
            (true, held) => {
                !held.is_float() && held.bytes() < 4 && sampling.read != Some(ReadMode::Element)
            }
            (false, held) => !held.is_float() && held.bytes() <= 4 && !normalizes && !linear,
        };
        if !fits || !matches!(extents.channels, 1 | 2 | 4) {
            let how = if linear { ", filtered," } else { "" };
            return Err(format!(
                "a texel of `{name}`, {} channels of {held},{how} cannot be read as .{result}",
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
    fn note_view(&mut self, what: String) {
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
            Err(Trouble::NotStructured(why)) => self.park(index, 1 << lane, pc, FaultKind::NotStructured(why)),
            Err(Trouble::Missing(reg, what)) => {
                self.concrete_lanes(index, pc, 1 << lane, reg, what);
            }
        }
    }

    /// The layers and, along each axis, the texels that a lane's coordinates may mean.
    fn texels(
        &mut self,
        (index, lane): (usize, u32),
        pc: u32,
        fetch: Fetch,
        reading: &Reading,
        sampling: &Sampling,
    ) -> Result<Vec<Vec<Corner>>, Trouble> {
        let kernel = self.kernel;
        let src = kernel.src(&kernel.code[pc as usize]);
        let (geometry, axes) = (fetch.geometry, usize::from(fetch.geometry.axes));
        let mut layers = vec![(Term::TRUE, Some(0))];
        let mut at = 2;
        if geometry.layered {
            let count = reading.extents.layers / if geometry.cube { 6 } else { 1 };
            layers = self.layers(index, pc, lane, src[at], count)?;
            at += 1;
        }
        if geometry.cube {
            let direction = [src[at], src[at + 1], src[at + 2]];
            let (face, places) = self.face(index, pc, lane, direction, reading, fetch)?;
            for (_, layer) in &mut layers {
                *layer = layer.map(|layer| layer * 6 + face);
            }
            let layers = vec![Corner { weight: Term::ONE, places: layers }];
            return Ok(std::iter::once(layers).chain(places).collect());
        }
        let coordinates = &src[at..at + axes];
        let offsets = if fetch.offset { &src[src.len() - axes..] } else { &[] };
        let mut found = vec![vec![Corner { weight: Term::ONE, places: layers }]];
        for (axis, reg) in coordinates.iter().enumerate() {
            let offset = match offsets.get(axis) {
                Some(reg) => match self.warps[index].get(*reg, lane) {
                    Value::Concrete(word) => i64::from(word as u32 as i32),
                    _ => return Err(Trouble::Missing(*reg, "the offset of the coordinates")),
                },
                None => 0,
            };
            found.push(self.axis((index, lane), pc, (*reg, axis, offset), fetch, reading, sampling)?);
        }
        Ok(found)
    }

    fn layers(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        reg: Reg,
        count: u64,
    ) -> Result<Places, Trouble> {
        let all: Vec<(Term, i64)> = match self.warps[index].get(reg, lane) {
            Value::Concrete(word) => vec![(Term::TRUE, i64::from(word as u32))],
            Value::Undefined(_) => return Err(Trouble::Missing(reg, "the layer")),
            value => {
                let layer = as_number(&mut self.terms, Format::U32, value).unwrap_or(Term::ZERO);
                self.values(index, pc, lane, (reg, "the layer"), layer)?
            }
        };
        if let Some((_, layer)) = all.iter().find(|(_, layer)| !(0..count as i64).contains(layer)) {
            return Err(Trouble::Unsupported(format!(
                "layer {layer} of a texture of {count}: the manual does not say what is read outside"
            )));
        }
        Ok(all.into_iter().map(|(when, layer)| (when, Some(layer as u64))).collect())
    }

    /// The whole numbers that a term may be, and when.
    fn values(
        &mut self,
        index: usize,
        _pc: u32,
        lane: u32,
        (reg, what): (Reg, &str),
        root: Term,
    ) -> Result<Vec<(Term, i64)>, Trouble> {
        let guard = self.condition(index, lane);
        let found = chances(&mut self.terms, &self.setup.bounds, root);
        let found = found.or_else(|| {
            by_pivots(&mut self.terms, (&self.setup.bounds, guard), root, self.budget)
        });
        let Some(mut found) = found else {
            return Err(Trouble::NotStructured(self.dependence(index, reg, 1 << lane, what)));
        };
        found.retain(|(condition, _)| {
            let both = self.terms.and(guard, *condition);
            !is_contradictory(&self.terms, both)
        });
        Ok(found.into_iter().map(|(when, word)| (when, word as i64)).collect())
    }

    /// What is said of coordinates outside along an axis, noted where it is not said.
    fn mode(&mut self, reading: &Reading, sampling: &Sampling, axis: usize, outside: bool) -> AddressMode {
        let said = sampling.address.get(axis).or(sampling.address.first().filter(|_| sampling.address.len() == 1));
        let mode = said.copied().unwrap_or(AddressMode::Wrap);
        let name = |machine: &Self| machine.setup.views[reading.view].name.clone();
        if said.is_none() && outside {
            let mode = if reading.normalized { AddressMode::Wrap } else { AddressMode::Clamp };
            let what = format!(
                "`{}` is read outside with address = \"{}\", as a cudaTextureDesc of zeros says: the spec does not",
                name(self),
                mode.name()
            );
            self.note_view(what);
        }
        match mode {
            AddressMode::Wrap | AddressMode::Mirror if !reading.normalized => {
                if said.is_some() && outside {
                    let what = format!(
                        "`{}` is read outside with address = \"clamp\": \"{}\" is for normalized coordinates only, and CUDA takes the edge without them",
                        name(self),
                        mode.name()
                    );
                    self.note_view(what);
                }
                AddressMode::Clamp
            }
            mode => mode,
        }
    }

    /// The texels that a coordinate may mean.
    fn axis(
        &mut self,
        (index, lane): (usize, u32),
        pc: u32,
        (reg, axis, offset): (Reg, usize, i64),
        fetch: Fetch,
        reading: &Reading,
        sampling: &Sampling,
    ) -> Result<Vec<Corner>, Trouble> {
        let size = reading.extents.size[axis];
        let what = ["the x coordinate", "the y coordinate", "the z coordinate"][axis];
        let value = self.warps[index].get(reg, lane);
        let line = fetch.integers && reading.extents.size[1] == 1 && fetch.geometry.rank() == 1;
        if line && sampling.address.is_empty() {
            return self.on_a_line((index, lane), pc, (reg, offset), value, (reading, size));
        }
        let word = match value {
            Value::Concrete(word) => word,
            Value::Undefined(_) => return Err(Trouble::Missing(reg, what)),
            Value::Symbolic(_) => {
                let mode = self.mode(reading, sampling, axis, true);
                return self.axis_of_data((index, lane), pc, (reg, what, offset), value, fetch, (reading, size, mode));
            }
        };
        if fetch.integers {
            let at = i64::from(word as u32 as i32) + offset;
            let mode = self.mode(reading, sampling, axis, !(0..size as i64).contains(&at));
            return Ok(one(texel(at, size, mode)));
        }
        let coordinate = self.coordinate(word, reading.normalized.then_some(size), offset)?;
        let around = reading.linear || fetch.gather.is_some();
        let coordinate = match around {
            true => Coordinate { value: coordinate.value - half(), ..coordinate },
            false => coordinate,
        };
        let first = coordinate.value.floor().to_integer();
        let last = if around { &first + BigInt::from(1) } else { first.clone() };
        let outside = first.is_negative() || last >= BigInt::from(size);
        let mode = self.mode(reading, sampling, axis, outside);
        let place = match around {
            true => coordinate.around(size, mode, fetch.gather.is_some()),
            false => coordinate.nearest(size, mode),
        };
        if !reading.linear && coordinate.is_near_border() {
            self.note_view(NOT_ROUNDED_PLACE.to_owned());
        }
        match place {
            Place::One(at) => Ok(one(at)),
            Place::Two([a, b], first) => {
                let weight = match fetch.gather {
                    Some(_) => Term::ONE,
                    None => self.weight(word, reading.normalized.then_some(size), offset, &coordinate, first),
                };
                Ok(two(&mut self.terms, [a, b], weight, fetch.gather.is_some()))
            }
            Place::Between => Err(self.between(what, &coordinate)),
        }
    }

    fn between(&self, what: &str, coordinate: &Coordinate) -> Trouble {
        let near = coordinate.value.to_f64().unwrap_or(0.0);
        Trouble::NotStructured(format!(
            "{what}, about {near:.3} in texels, was rounded on its way and lies at a border: which texel is read depends on rounding (coordinates at the centres of texels, as (i + 0.5) / n, do not)"
        ))
    }

    /// A texel of a line by its number (`tex1Dfetch`), where nothing is said of what lies outside.
    fn on_a_line(
        &mut self,
        (index, lane): (usize, u32),
        pc: u32,
        (reg, offset): (Reg, i64),
        value: Value,
        (reading, size): (&Reading, u64),
    ) -> Result<Vec<Corner>, Trouble> {
        let what = "the x coordinate";
        let all = match value {
            Value::Concrete(word) => vec![(Term::TRUE, i64::from(word as u32 as i32) + offset)],
            Value::Undefined(_) => return Err(Trouble::Missing(reg, what)),
            Value::Symbolic(_) => {
                let at = as_number(&mut self.terms, Format::S32, value).unwrap_or(Term::ZERO);
                let offset = self.terms.integer(offset.into());
                let at = self.terms.add(at, offset);
                self.values(index, pc, lane, (reg, what), at)?
            }
        };
        if let Some((_, at)) = all.iter().find(|(_, at)| !(0..size as i64).contains(at)) {
            let name = &self.setup.views[reading.view].name;
            return Err(Trouble::Unsupported(format!(
                "texel {at} of `{name}`, which has {size}, is read, and the spec does not say what lies outside: write address = \"border\" (0, as cudaResourceTypeLinear has it) or \"clamp\" into its {{ texture = … }}"
            )));
        }
        let places = all.into_iter().map(|(when, at)| (when, Some(at as u64))).collect();
        Ok(vec![Corner { weight: Term::ONE, places }])
    }

    /// A concrete coordinate in texels.
    fn coordinate(&mut self, word: u64, scale: Option<u64>, offset: i64) -> Result<Coordinate, Trouble> {
        let Number::Rational(value) = decode(Format::F32, word & 0xffff_ffff) else {
            return Err(Trouble::Unsupported("a coordinate of a texture is no finite number".to_owned()));
        };
        let error = self.roundings.bound(Format::F32, word);
        let error = BigRational::from_float(error).unwrap_or_else(BigRational::zero);
        let scale = BigRational::from_integer(scale.unwrap_or(1).into());
        let offset = BigRational::from_integer(offset.into());
        Ok(Coordinate { value: value * &scale + offset, error: error * scale })
    }

    /// How much of the way to the second of two texels a coordinate is.
    fn weight(
        &mut self,
        word: u64,
        scale: Option<u64>,
        offset: i64,
        coordinate: &Coordinate,
        first: i64,
    ) -> Term {
        let beyond = &coordinate.value - BigRational::from_integer(first.into());
        let Number::Rational(value) = decode(Format::F32, word & 0xffff_ffff) else { return Term::ZERO };
        if !(&beyond * BigRational::from_integer(PARTS.into())).is_integer() {
            self.note_view(NOT_ROUNDED.to_owned());
        }
        if coordinate.error.is_zero() && slack(&value, Format::F32) == 0.0 {
            return self.terms.rational(beyond);
        }
        // A number that was rounded, by the kernel or by who wrote it, stands for another.
        let number = self.number(Format::F32, Value::Concrete(word)).unwrap_or(Term::ZERO);
        let number = match scale {
            Some(scale) => {
                let scale = self.terms.integer(scale.into());
                self.terms.mul(number, scale)
            }
            None => number,
        };
        let whole = BigRational::from_integer((first - offset).into()) + half();
        let whole = self.terms.rational(whole);
        self.terms.sub(number, whole)
    }

    /// The texels of a coordinate that depends on data.
    fn axis_of_data(
        &mut self,
        (index, lane): (usize, u32),
        pc: u32,
        (reg, what, offset): (Reg, &'static str, i64),
        value: Value,
        fetch: Fetch,
        (reading, size, mode): (&Reading, u64, AddressMode),
    ) -> Result<Vec<Corner>, Trouble> {
        let format = if fetch.integers { Format::S32 } else { Format::F32 };
        let Some(mut at) = as_number(&mut self.terms, format, value) else {
            return Err(Trouble::Missing(reg, what));
        };
        let around = reading.linear || fetch.gather.is_some();
        if reading.normalized {
            let scale = self.terms.integer(size.into());
            at = self.terms.mul(at, scale);
        }
        if around || offset != 0 {
            let mut by = BigRational::from_integer(offset.into());
            if around {
                by -= half();
            }
            let by = self.terms.rational(by);
            at = self.terms.add(at, by);
        }
        let whole = fetch.integers || self.terms.is_integer(at);
        let floor = if whole { at } else { self.terms.unary(Unary::Floor, at) };
        let weight = match (fetch.gather, whole) {
            (Some(_), _) => Term::ONE,
            (None, true) => Term::ZERO,
            (None, false) => self.terms.sub(at, floor),
        };
        if reading.linear && !whole {
            self.note_view(NOT_ROUNDED.to_owned());
        }
        let near = self.places_of_data((index, lane), pc, (reg, what), floor, (size, mode))?;
        if !around || weight == Term::ZERO {
            return Ok(vec![Corner { weight: Term::ONE, places: near }]);
        }
        let next = self.terms.add(floor, Term::ONE);
        let far = self.places_of_data((index, lane), pc, (reg, what), next, (size, mode))?;
        let rest = match fetch.gather {
            Some(_) => Term::ONE,
            None => self.terms.sub(Term::ONE, weight),
        };
        Ok(vec![Corner { weight: rest, places: near }, Corner { weight, places: far }])
    }

    /// The texels that a whole number may mean which depends on data.
    fn places_of_data(
        &mut self,
        (index, lane): (usize, u32),
        pc: u32,
        (reg, what): (Reg, &'static str),
        at: Term,
        (size, mode): (u64, AddressMode),
    ) -> Result<Places, Trouble> {
        let count = size as i128;
        let (root, low, high) = match mode {
            AddressMode::Mirror => {
                let what = format!("{what}, which is mirrored,");
                return Err(Trouble::NotStructured(self.dependence(index, reg, 1 << lane, &what)));
            }
            AddressMode::Clamp => (at, 0, count - 1),
            AddressMode::Border => (at, -1, count),
            AddressMode::Wrap => {
                let period = self.terms.integer(count);
                let turns = self.terms.div(at, period);
                let turns = self.terms.unary(Unary::Floor, turns);
                let back = self.terms.mul(turns, period);
                (self.terms.sub(at, back), 0, count - 1)
            }
        };
        let [low, high] = [low, high].map(|end| self.terms.integer(end));
        let root = self.terms.max(root, low);
        let root = self.terms.min(root, high);
        let found = self.values(index, pc, lane, (reg, what), root)?;
        Ok(found.into_iter().map(|(when, at)| (when, texel(at, size, mode))).collect())
    }

    /// The face of a cube in a direction, and the texels on it.
    fn face(
        &mut self,
        index: usize,
        _pc: u32,
        lane: u32,
        direction: [Reg; 3],
        reading: &Reading,
        fetch: Fetch,
    ) -> Result<(u64, Vec<Vec<Corner>>), Trouble> {
        let mut parts = Vec::with_capacity(3);
        for reg in direction {
            match self.warps[index].get(reg, lane) {
                Value::Concrete(word) => parts.push(self.coordinate(word, None, 0)?),
                Value::Undefined(_) => return Err(Trouble::Missing(reg, "the direction")),
                Value::Symbolic(_) => {
                    let why = self.dependence(index, reg, 1 << lane, "the direction into a cube");
                    return Err(Trouble::NotStructured(why));
                }
            }
        }
        let size = |at: usize| parts[at].value.abs();
        let major = (0..3).max_by_key(|at| size(*at)).unwrap_or(0);
        for other in (0..3).filter(|other| *other != major) {
            if size(major) - size(other) <= &parts[major].error + &parts[other].error {
                return Err(Trouble::Unsupported(
                    "a direction to an edge of a cube, where the manual does not say which face is read".to_owned(),
                ));
            }
        }
        let negative = parts[major].value.is_negative();
        // CUDA C++ programming guide, "Cubemap textures": face, and what s and t are.
        let (s, t) = match (major, negative) {
            (0, false) => ((2, true), (1, true)),
            (0, true) => ((2, false), (1, true)),
            (1, false) => ((0, false), (2, false)),
            (1, true) => ((0, false), (2, true)),
            (_, false) => ((0, false), (1, true)),
            (_, true) => ((0, true), (1, true)),
        };
        let face = 2 * major as u64 + u64::from(negative);
        let length = reading.extents.size[0];
        let mut places = Vec::with_capacity(2);
        for (at, turned) in [s, t] {
            let minor = if turned { -&parts[at].value } else { parts[at].value.clone() };
            let whole = size(major);
            // (s / |m| + 1) / 2 of the face.
            let scale = BigRational::new(length.into(), BigInt::from(2));
            let value = (&minor / &whole + BigRational::from_integer(1.into())) * &scale;
            let error = (&parts[at].error + &parts[major].error) / &whole * BigRational::from_integer(length.into());
            let around = reading.linear || fetch.gather.is_some();
            let coordinate = match around {
                true => Coordinate { value: value - half(), error },
                false => Coordinate { value, error },
            };
            let place = match around {
                true => coordinate.around(length, AddressMode::Border, fetch.gather.is_some()),
                false => coordinate.nearest(length, AddressMode::Clamp),
            };
            places.push(match place {
                Place::One(at) => one(at),
                Place::Two([Some(a), Some(b)], first) => {
                    let beyond = &coordinate.value - BigRational::from_integer(first.into());
                    if !coordinate.error.is_zero() && fetch.gather.is_none() {
                        return Err(Trouble::Unsupported(
                            "a filter of a cube at a direction that was rounded on its way".to_owned(),
                        ));
                    }
                    let gathers = fetch.gather.is_some();
                    let weight = if gathers { Term::ONE } else { self.terms.rational(beyond) };
                    two(&mut self.terms, [Some(a), Some(b)], weight, gathers)
                }
                Place::Two([Some(a), None], first) | Place::Two([None, Some(a)], first)
                    if coordinate.value == BigRational::from_integer(first.into()) && fetch.gather.is_none() =>
                {
                    one(Some(a))
                }
                Place::Two(..) => {
                    return Err(Trouble::Unsupported(
                        "a filter that reaches over an edge of a cube is not supported".to_owned(),
                    ));
                }
                Place::Between => return Err(self.between("the place on a face", &coordinate)),
            });
        }
        Ok((face, places))
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
                    let why = format!("the coordinates depend on input data and have {count} values together");
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

/// One texel, surely.
fn one(at: Option<u64>) -> Vec<Corner> {
    vec![Corner { weight: Term::ONE, places: vec![(Term::TRUE, at)] }]
}

/// Two texels, of which the second has the weight; or both whole, for a gather.
fn two(terms: &mut Terms, [a, b]: [Option<u64>; 2], weight: Term, gathers: bool) -> Vec<Corner> {
    let corner = |at: Option<u64>, weight: Term| Corner { weight, places: vec![(Term::TRUE, at)] };
    match () {
        () if gathers => vec![corner(a, Term::ONE), corner(b, Term::ONE)],
        () if a == b || weight == Term::ZERO => one(a),
        () => {
            let known = terms.as_rational(weight).cloned();
            let rest = match known {
                Some(known) => terms.rational(BigRational::from_integer(1.into()) - known),
                None => terms.sub(Term::ONE, weight),
            };
            vec![corner(a, rest), corner(b, weight)]
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
