//! Textures, samplers and surfaces: which one a word stands for, how its tensor is laid out for it, and where an
//! access to a surface goes.
//!
//! A reference is a place of no bytes ([`super::memory::Owner::View`]), so that it is compared, stored and chosen like any
//! address, and nothing else can be done with it. A tensor has the axes of the view, outermost first: layers or depth,
//! height, width, and the channels if a texel has several. A surface is that tensor's memory: an access to it is
//! an address here and a load, a store or an atomic there, so that races and addresses that depend on data are those of memory.
//! That a row of a surface need not begin where the one before it ends is of no consequence: the first coordinate counts
//! bytes of its row.
//!
//! Guarantees: a place outside in any coordinate is outside, whatever lies behind the end of a row. Misses: levels of
//! detail; formats that are compressed; what lies between the layers of a cube.
//!
//! Source: PTX ISA 9.0, 5.3, 9.7.10, 9.7.11.

use super::bits::as_number;
use super::machine::Machine;
use super::memory::Memory;
use super::outcome::{AccessKind, FaultKind, Place};
use super::race::lanes;
use super::setup::ViewSetup;
use crate::base::Format;
use crate::ir::Reg;
use crate::isa::{Geometry, Inquiry, Outside, SurfacePlace, ViewKind, WARP};
use crate::term::{Relation, Symbol, Term, Value};

/// How far behind a surface's bytes places lie that are outside of it, though there might be bytes of another row: less
/// than regions lie apart ([`super::memory`]).
pub(super) const OUTSIDE: u64 = 1 << 33;

/// A tensor as texels. Distances are in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Extents {
    /// Texels along x, y and z.
    pub(super) size: [u64; 3],
    /// How far one lies from the next along x, y and z.
    pub(super) step: [u64; 3],
    /// Layers, or faces of cubes.
    pub(super) layers: u64,
    /// How far they lie apart.
    pub(super) layer_step: u64,
    /// Channels of a texel.
    pub(super) channels: u64,
    /// What a channel is.
    pub(super) format: Format,
}

impl Extents {
    /// Bytes of a texel.
    pub(super) fn texel(&self) -> u64 {
        self.channels * u64::from(self.format.bytes())
    }

    /// Bytes of a row.
    fn row(&self) -> u64 {
        self.size[0] * self.texel()
    }

    /// The byte at which a texel begins.
    pub(super) fn offset(&self, layer: u64, at: [u64; 3]) -> u64 {
        let texel: u64 = at.iter().zip(self.step).map(|(at, step)| at * step).sum();
        layer * self.layer_step + texel
    }

    /// A tensor of a format as a view of some geometry sees it.
    fn of(
        view: &ViewSetup,
        (shape, strides): (&[u64], Option<&[u64]>),
        format: Format,
        geometry: Geometry,
    ) -> Result<Extents, String> {
        let rank = geometry.rank();
        let bytes = u64::from(format.bytes());
        let dense = |shape: &[u64]| -> Vec<u64> {
            (0..shape.len()).map(|at| shape[at + 1..].iter().product()).collect()
        };
        let mut axes: Vec<(u64, u64)> = match strides {
            Some(strides) => shape.iter().copied().zip(strides.iter().copied()).collect(),
            None => shape.iter().copied().zip(dense(shape)).collect(),
        };
        let last = axes.last().copied().unwrap_or((1, 1));
        let axis_of_channels = axes.len() == rank + 1
            && match view.channels {
                Some(channels) => last.0 == channels,
                None => matches!(last.0, 1 | 2 | 4),
            };
        let mut channels = view.channels.unwrap_or(1);
        if axis_of_channels {
            channels = last.0;
            axes.pop();
        } else {
            // A line of texels may be any memory.
            if rank == 1 && axes.len() > 1 && strides.is_none() {
                axes = vec![(shape.iter().product(), 1)];
            }
            if let Some(last) = axes.last_mut().filter(|_| channels > 1) {
                if !last.0.is_multiple_of(channels) || last.1 != 1 {
                    return Err(format!("its rows are not made of texels of {channels} channels"));
                }
                *last = (last.0 / channels, channels);
            }
        }
        if channels > 1 && axis_of_channels && last.1 != 1 {
            return Err("the channels of a texel do not lie one behind the other".to_owned());
        }
        if axes.len() != rank {
            let wanted = match (geometry.axes, geometry.layered || geometry.cube) {
                (1, false) => "a width",
                (1, true) => "layers and a width",
                (2, false) => "a height and a width",
                (2, true) if geometry.cube => "faces, a height and a width",
                (2, true) => "layers, a height and a width",
                _ => "a depth, a height and a width",
            };
            return Err(format!(
                "its shape {shape:?} is not that of {wanted}, and of channels if there are any"
            ));
        }
        let mut extents = Extents { size: [1; 3], step: [0; 3], layers: 1, layer_step: 0, channels, format };
        for (at, (size, stride)) in axes.iter().rev().take(geometry.axes.into()).enumerate() {
            (extents.size[at], extents.step[at]) = (*size, stride * bytes);
        }
        if geometry.layered || geometry.cube {
            (extents.layers, extents.layer_step) = (axes[0].0, axes[0].1 * bytes);
        }
        if geometry.cube && (extents.size[0] != extents.size[1] || !extents.layers.is_multiple_of(6)) {
            return Err(format!("its shape {shape:?} is not that of cubes: six square faces each"));
        }
        Ok(extents)
    }
}

impl<'a> Machine<'a> {
    /// The lanes whose register stands for a view of a kind, by view; the others stop.
    pub(super) fn by_view(
        &mut self,
        index: usize,
        pc: u32,
        mask: u32,
        reg: Reg,
        kinds: &[ViewKind],
    ) -> Vec<(usize, u32)> {
        let name = kinds[0].name();
        let known = self.concrete_lanes(index, pc, mask, reg, &format!("the {name}"));
        let mut found: Vec<(usize, u32)> = Vec::new();
        for lane in lanes(known) {
            let word = self.warps[index].word(reg, lane);
            let view = self.memory.view_at(word);
            match view.filter(|view| kinds.contains(&self.setup.views[*view].kind)) {
                Some(view) => match found.iter_mut().find(|(known, _)| *known == view) {
                    Some((_, mask)) => *mask |= 1 << lane,
                    None => found.push((view, 1 << lane)),
                },
                None => {
                    let what = match view {
                        Some(view) => {
                            let view = &self.setup.views[view];
                            format!("`{}`, which is a {}", view.name, view.kind.name())
                        }
                        None => "a number of which nothing is known".to_owned(),
                    };
                    let why = format!(
                        "`{}` gets {what}, in the place of a {name}: where references come from is for the spec to say, as {{ {name} = \"…\" }} among `args`, or under [views] for a variable",
                        self.kernel.opcode(pc)
                    );
                    self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                }
            }
        }
        found
    }

    /// The region of a view's tensor, and its texels; `fallback` is the format if nothing is known of it.
    pub(super) fn extents(
        &mut self,
        view: usize,
        geometry: Geometry,
        fallback: Format,
    ) -> Result<(usize, Extents), String> {
        let view = &self.setup.views[view];
        let explain = |why: String| format!("the {} `{}`: {why}", view.kind.name(), view.name);
        let tensor = view.tensor.ok_or_else(|| explain("it views nothing".to_owned()))?;
        let region = Memory::tensor_region(tensor);
        let format = self.memory.regions[region].format.unwrap_or(fallback);
        let setup = &self.setup.tensors[tensor];
        let shape = setup.shape.as_deref().ok_or_else(|| explain("its extents are not known".to_owned()))?;
        Extents::of(view, (shape, setup.strides.as_deref()), format, geometry)
            .map(|extents| (region, extents))
            .map_err(explain)
    }

    /// `txq`, `suq`.
    pub(super) fn inquire(&mut self, index: usize, pc: u32, mask: u32, what: Inquiry) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr)[0], kernel.src(instr));
        let mut mask = mask;
        if let Some(level) = src.get(1) {
            mask = self.concrete_lanes(index, pc, mask, *level, "the level of detail");
            let words = self.warps[index].words(*level);
            let other: u32 =
                lanes(mask).filter(|lane| words[*lane as usize] != 0).map(|lane| 1 << lane).sum();
            if other != 0 {
                let why = "a texture has no level of detail here but 0".to_owned();
                self.park(index, other, pc, FaultKind::Unsupported(why));
                mask &= !other;
            }
        }
        for (view, lanes) in self.by_view(index, pc, mask, src[0], &[ViewKind::Texture, ViewKind::Surface]) {
            match self.answer(view, what) {
                Ok(number) => self.warps[index].set_concrete(dst, lanes, &[number; WARP]),
                Err(why) => self.park(index, lanes, pc, FaultKind::Unsupported(why)),
            }
        }
    }

    fn answer(&mut self, at: usize, what: Inquiry) -> Result<u64, String> {
        let view = &self.setup.views[at];
        let shape = view.tensor.and_then(|tensor| self.setup.tensors[tensor].shape.as_ref());
        let plain = |axes: u8| Geometry { axes, layered: false, cube: false };
        let geometry = match (view.geometry, shape.map(Vec::len)) {
            (Some(geometry), _) => geometry,
            (None, Some(rank @ (1 | 2))) => plain(rank as u8),
            _ => {
                return Err(format!(
                    "what the axes of `{}` are is not known: nothing reads it here",
                    view.name
                ));
            }
        };
        let normalized = view.sampling.normalized.unwrap_or(false);
        let (_, extents) = self.extents(at, geometry, Format::B32)?;
        Ok(match what {
            Inquiry::Width => extents.size[0],
            Inquiry::Height => extents.size[1],
            Inquiry::Depth => extents.size[2],
            Inquiry::ArraySize if geometry.cube => {
                return Err("what the size of a list of cubes counts is not known".to_owned());
            }
            Inquiry::ArraySize => extents.layers,
            Inquiry::NormalizedCoordinates => normalized.into(),
            Inquiry::Levels | Inquiry::Samples => 1,
        })
    }

    /// `istypep`.
    pub(super) fn is_view(&mut self, index: usize, pc: u32, mask: u32, kind: ViewKind) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr)[0], kernel.src(instr)[0]);
        let known = self.concrete_lanes(index, pc, mask, src, "the reference");
        let words = self.warps[index].words(src).map(|word| {
            let view = self.memory.view_at(word);
            u64::from(view.is_some_and(|view| self.setup.views[view].kind == kind))
        });
        self.warps[index].set_concrete(dst, known, &words);
    }

    /// The address of a place in a surface.
    pub(super) fn surface_place(&mut self, index: usize, pc: u32, mask: u32, place: SurfacePlace) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let src = kernel.src(instr);
        for (view, group) in self.by_view(index, pc, mask, src[0], &[ViewKind::Surface]) {
            match self.surface_extents(view, place) {
                Ok((region, extents)) => {
                    for lane in lanes(group) {
                        self.place_lane(index, pc, lane, place, (region, &extents));
                    }
                }
                Err(why) => self.park(index, group, pc, FaultKind::Unsupported(why)),
            }
        }
    }

    fn surface_extents(&mut self, view: usize, place: SurfacePlace) -> Result<(usize, Extents), String> {
        let (region, extents) = self.extents(view, place.geometry, Format::B32)?;
        let name = &self.setup.views[view].name;
        if self.memory.regions[region].size.is_none_or(|size| size >= OUTSIDE) {
            return Err(format!("the surface `{name}` has no size, or one beyond 8 GiB"));
        }
        if extents.step[0] != extents.texel() {
            return Err(format!(
                "the texels of a row of the surface `{name}` do not lie one behind the other"
            ));
        }
        if place.formatted && (extents.format.bytes() != 4 || extents.texel() != u64::from(place.bytes)) {
            return Err(format!(
                "a formatted access of {} bytes to `{name}`, whose texels have {} channels of {}, converts, and that is not supported",
                place.bytes, extents.channels, extents.format
            ));
        }
        Ok((region, extents))
    }

    fn place_lane(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        place: SurfacePlace,
        (region, extents): (usize, &Extents),
    ) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (dst, src) = (kernel.dst(instr), kernel.src(instr));
        // The layer, then x, y and z: what each may be at most, and how far it leads.
        let texel = extents.texel();
        let (x_most, x_step) = match place.formatted {
            true => (extents.size[0] as i64 - 1, texel),
            false => (extents.row() as i64 - i64::from(place.bytes), 1),
        };
        let mut ranges: Vec<(i64, u64, bool)> = Vec::with_capacity(4);
        if place.geometry.layered {
            ranges.push((extents.layers as i64 - 1, extents.layer_step, false));
        }
        ranges.push((x_most, x_step, true));
        for axis in 1..usize::from(place.geometry.axes) {
            ranges.push((extents.size[axis] as i64 - 1, extents.step[axis], true));
        }
        let values: Vec<Value> = src[1..].iter().map(|reg| self.warps[index].get(*reg, lane)).collect();
        for (value, reg) in values.iter().zip(&src[1..]) {
            if matches!(value, Value::Undefined(_)) {
                self.concrete_lanes(index, pc, 1 << lane, *reg, "a coordinate");
                return;
            }
        }
        let start = self.memory.address(region, 0);
        let word = |value: &Value, signed: bool| match value {
            Value::Concrete(word) if signed => Some(i64::from(*word as u32 as i32)),
            Value::Concrete(word) => Some(i64::from(*word as u32)),
            _ => None,
        };
        let known: Option<Vec<i64>> =
            values.iter().zip(&ranges).map(|(value, (_, _, signed))| word(value, *signed)).collect();
        let Some(known) = known else {
            return self.place_symbolic((index, lane), dst, place, &values, &ranges, start);
        };
        let inside = known.iter().zip(&ranges).all(|(at, (most, ..))| (0..=*most).contains(at));
        if !inside && place.outside == Outside::Trap {
            let fault = self.outside_surface(place, &known, (region, extents));
            self.park(index, 1 << lane, pc, fault);
        }
        let x = known[usize::from(place.geometry.layered)];
        if !place.formatted && x.rem_euclid(i64::from(place.bytes)) != 0 {
            let kind = if place.reads { AccessKind::Read } else { AccessKind::Write };
            let at = Place { offset: x, ..self.region_place(region, 0, 1) };
            self.park(index, 1 << lane, pc, FaultKind::Misaligned(kind, at, place.bytes));
        }
        // A suspect goes on, at the nearest place inside.
        let offset: u64 = known
            .iter()
            .zip(&ranges)
            .map(|(at, (most, step, _))| (*at).clamp(0, (*most).max(0)) as u64 * step)
            .sum();
        self.warps[index].set(dst[0], lane, Value::Concrete(start.wrapping_add(offset)));
        if let Some(flag) = dst.get(1) {
            self.warps[index].set(*flag, lane, Value::Concrete(inside.into()));
        }
    }

    fn outside_surface(
        &mut self,
        place: SurfacePlace,
        known: &[i64],
        (region, extents): (usize, &Extents),
    ) -> FaultKind {
        let kind = if place.reads { AccessKind::Read } else { AccessKind::Write };
        let at = self.region_place(region, 0, extents.format.bytes());
        let width = match place.formatted {
            true => ("x", extents.size[0], ""),
            false => ("x", extents.row(), " bytes"),
        };
        let layer = [("layer", extents.layers, "")];
        let axes = [width, ("y", extents.size[1], ""), ("z", extents.size[2], "")];
        let sides = layer.iter().filter(|_| place.geometry.layered).chain(&axes);
        let words: Vec<String> = known
            .iter()
            .zip(sides)
            .map(|(at, (name, size, unit))| format!("{name} = {at} of {size}{unit}"))
            .collect();
        let text = format!("{}({})", at.name, words.join(", "));
        FaultKind::OutOfBounds(kind, Place { text, ..at })
    }

    /// Coordinates that depend on data: the address does, and whether it lies inside.
    fn place_symbolic(
        &mut self,
        (index, lane): (usize, u32),
        dst: &[Reg],
        place: SurfacePlace,
        values: &[Value],
        ranges: &[(i64, u64, bool)],
        start: u64,
    ) {
        let mut address = self.terms.integer(start.into());
        let mut inside = Term::TRUE;
        for (value, (most, step, signed)) in values.iter().zip(ranges) {
            let format = if *signed { Format::S32 } else { Format::U32 };
            let Some(at) = as_number(&mut self.terms, format, *value) else { return };
            let [low, high] = [0, (*most).max(0)].map(|end| self.terms.integer(end.into()));
            let not_below = self.terms.compare(Relation::LessEqual, low, at);
            let not_above = self.terms.compare(Relation::LessEqual, at, high);
            inside = self.terms.and(inside, not_below);
            inside = self.terms.and(inside, not_above);
            let at = match place.outside {
                Outside::Clamp | Outside::Zero => {
                    let at = self.terms.max(at, low);
                    self.terms.min(at, high)
                }
                Outside::Trap => at,
            };
            let step = self.terms.integer((*step).into());
            let far = self.terms.mul(at, step);
            address = self.terms.add(address, far);
        }
        // Along a line what lies outside has an address outside; elsewhere it gets one.
        if place.outside == Outside::Trap && ranges.len() > 1 {
            let far = self.terms.integer(OUTSIDE.into());
            let nowhere = self.terms.add(address, far);
            address = self.terms.select(inside, address, nowhere);
        }
        let symbol = Value::Symbolic(Symbol::number(Format::S64, address));
        self.warps[index].set(dst[0], lane, symbol);
        if let Some(flag) = dst.get(1) {
            self.warps[index].set(*flag, lane, super::bits::predicate(inside));
        }
    }
}
