//! What the coordinates of a texture mean: a layer, and along each axis one texel or two with weights, each at one
//! place or at several that data choose among.
//!
//! A concrete coordinate is a number of which it is known how far its rounding may have led ([`super::rounding`]). One
//! that depends on data is followed like an address: its texel is a whole number, clamped to the axis, and has few
//! values ([`super::pivots`]); the weight of a filter is what is left of it.
//!
//! Guarantees and misses: those of [`super::textures`].
//!
//! Source: CUDA C++ programming guide, "Texture fetching", "Cubemap textures"; PTX ISA 9.0, 9.7.10.

use super::bits::as_number;
use super::chosen::chances;
use super::contradiction::is_contradictory;
use super::machine::Machine;
use super::pivots::by_pivots;
use super::setup::Sampling;
use super::texels::{Coordinate, PARTS, Place, half, texel};
use super::textures::Reading;
use crate::base::Format;
use crate::ir::Reg;
use crate::isa::Fetch;
use crate::spec::AddressMode;
use crate::term::{Number, Term, Terms, Unary, Value, decode, slack};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

/// What the ledger says of weights that the hardware rounds.
const NOT_ROUNDED: &str =
    "weights of linear filters are not rounded: the hardware keeps 8 bits of their fraction";
/// The same of coordinates without a filter.
const NOT_ROUNDED_PLACE: &str = "coordinates of textures are not rounded: the hardware keeps 8 bits of their fraction, and some are nearer to a texel's end";
/// Why nothing is read.
pub(super) enum Trouble {
    Unsupported(String),
    NotStructured(String),
    /// The register lacks bits, which another part tells of.
    Missing(Reg, &'static str),
}

/// Places along an axis, one of which it is, each with its condition; none is outside.
pub(super) type Places = Vec<(Term, Option<u64>)>;

/// One of the texels along an axis that make a value together.
pub(super) struct Corner {
    pub(super) weight: Term,
    pub(super) places: Places,
}

impl<'a> Machine<'a> {
    /// The layers and, along each axis, the texels that a lane's coordinates may mean.
    pub(super) fn texels(
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
            layers = self.layers(index, lane, src[at], count)?;
            at += 1;
        }
        if geometry.cube {
            let direction = [src[at], src[at + 1], src[at + 2]];
            let (face, places) = self.face(index, lane, direction, reading, fetch)?;
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
            found.push(self.axis((index, lane), (*reg, axis, offset), fetch, reading, sampling)?);
        }
        Ok(found)
    }

    fn layers(&mut self, index: usize, lane: u32, reg: Reg, count: u64) -> Result<Places, Trouble> {
        let all: Vec<(Term, i64)> = match self.warps[index].get(reg, lane) {
            Value::Concrete(word) => vec![(Term::TRUE, i64::from(word as u32))],
            Value::Undefined(_) => return Err(Trouble::Missing(reg, "the layer")),
            value => {
                let layer = as_number(&mut self.terms, Format::U32, value).unwrap_or(Term::ZERO);
                self.values(index, lane, (reg, "the layer"), layer)?
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
        lane: u32,
        (reg, what): (Reg, &str),
        root: Term,
    ) -> Result<Vec<(Term, i64)>, Trouble> {
        let guard = self.condition(index, lane);
        let found = chances(&mut self.terms, &self.setup.bounds, root);
        let found =
            found.or_else(|| by_pivots(&mut self.terms, (&self.setup.bounds, guard), root, self.budget));
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
        let said =
            sampling.address.get(axis).or(sampling.address.first().filter(|_| sampling.address.len() == 1));
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
            return self.on_a_line((index, lane), (reg, offset), value, (reading, size));
        }
        let word = match value {
            Value::Concrete(word) => word,
            Value::Undefined(_) => return Err(Trouble::Missing(reg, what)),
            Value::Symbolic(_) => {
                let mode = self.mode(reading, sampling, axis, true);
                return self.axis_of_data(
                    (index, lane),
                    (reg, what, offset),
                    value,
                    fetch,
                    (reading, size, mode),
                );
            }
        };
        if fetch.integers {
            let at = i64::from(word as u32 as i32) + offset;
            let mode = self.mode(reading, sampling, axis, !(0..size as i64).contains(&at));
            return Ok(one(texel(at, size, mode)));
        }
        let around = reading.linear || fetch.gather.is_some();
        let scale = reading.normalized.then_some(size);
        if let Some(at) = self.clearly(word, scale, offset).filter(|_| !around) {
            let mode = self.mode(reading, sampling, axis, !(0..size as i64).contains(&at));
            return Ok(one(texel(at, size, mode)));
        }
        let coordinate = self.coordinate(word, scale, offset)?;
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
        Trouble::Unsupported(format!(
            "{what}, about {near:.3} in texels, was rounded on its way and lies at a border: which texel is read depends on rounding (coordinates at the centres of texels, as (i + 0.5) / n, do not)"
        ))
    }

    /// A texel of a line by its number (`tex1Dfetch`), where nothing is said of what lies outside.
    fn on_a_line(
        &mut self,
        (index, lane): (usize, u32),
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
                self.values(index, lane, (reg, what), at)?
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

    /// The texel in which a concrete coordinate lies, where it is so far from the next that doubles tell, whatever
    /// was rounded: the common case.
    fn clearly(&self, word: u64, scale: Option<u64>, offset: i64) -> Option<i64> {
        // Twice what the hardware tells apart.
        const MARGIN: f64 = 2.0 / PARTS as f64;
        let scale = scale.unwrap_or(1) as f64;
        let at = f64::from(f32::from_bits(word as u32)) * scale + offset as f64;
        let beyond = at - at.floor();
        let error = self.roundings.bound(Format::F32, word) * scale;
        let clear =
            at.abs() < f64::from(1 << 26) && error < MARGIN / 4.0 && beyond > MARGIN && beyond < 1.0 - MARGIN;
        clear.then(|| at.floor() as i64)
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
        let near = self.places_of_data((index, lane), (reg, what), floor, (size, mode))?;
        if !around || weight == Term::ZERO {
            return Ok(vec![Corner { weight: Term::ONE, places: near }]);
        }
        let next = self.terms.add(floor, Term::ONE);
        let far = self.places_of_data((index, lane), (reg, what), next, (size, mode))?;
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
        let found = self.values(index, lane, (reg, what), root)?;
        Ok(found.into_iter().map(|(when, at)| (when, texel(at, size, mode))).collect())
    }

    /// The face of a cube in a direction, and the texels on it.
    fn face(
        &mut self,
        index: usize,
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
                    "a direction to an edge of a cube, where the manual does not say which face is read"
                        .to_owned(),
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
            let error =
                (&parts[at].error + &parts[major].error) / &whole * BigRational::from_integer(length.into());
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
                    if coordinate.value == BigRational::from_integer(first.into())
                        && fetch.gather.is_none() =>
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
