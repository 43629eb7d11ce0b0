//! What the PTX shows about parameters and variables: which parameters are pointers, and what lies there.
//!
//! Addresses are followed from `ld.param` and from variables' names through moves, `cvta`, local memory and address arithmetic to whatever
//! stands in brackets (loads and stores, copies, prefetches, instructions that are not known), over all
//! of the code at once (registers are not told apart by time). An access's element format is its own if
//! that is a float; an untyped access (`.b32`, as Triton writes, or `.u32`) takes the format of the
//! float instructions that its values meet, or the sign of the integer instructions to which signs matter
//! (compilers load and store all integers as `.u32`). What is only copied to shared memory takes the format
//! in which shared memory is read.
//!
//! A struct that is passed by value has the fields that are read of it, each of the size of the loads that read it
//! (what overlaps is one field, and what is loaded and not used is none), unless the kernel reads parameters at places that it works out.
//!
//! What textures and surfaces are read through counts as a pointer, and it is noted as what it is used.
//!
//! This is inference for what a spec leaves out, not proof: a wrong guess shows in the report as
//! inferred, and no verdict rests on it silently.

use super::kernel::{Constant, Field, Instr, Kernel, Parameter, Reading, RegisterKind};
use crate::base::{Declared, Format, FormatClass, declared};
use crate::isa::{
    self, Bulk, CopyOp, Effect, Geometry, MapField, MatrixOp, Meaning, Space, ViewKind, WarpgroupOp,
};

/// Parameters and fields of structs, then variables, as bits of a set; what lies beyond the last bit is not followed.
type Set = u128;
const MOST: usize = Set::BITS as usize;

/// A parameter, or a field of one.
struct Place {
    parameter: usize,
    field: Option<usize>,
    /// In the parameter block.
    bytes: std::ops::Range<i64>,
}

/// Fills [`Parameter::fields`](super::Parameter), `reading`, `pointer` and `pointee`.
pub(super) fn infer(kernel: &mut Kernel, addresses: &[super::Reg]) {
    let formats = Formats::new(kernel);
    let blocks = parameter_addresses(kernel);
    let fields = fields(kernel, &blocks, &formats);
    for (parameter, fields) in kernel.parameters.iter_mut().zip(fields) {
        parameter.fields = fields;
    }
    for (parameter, reading) in readings(kernel, &blocks, &formats).into_iter().enumerate() {
        kernel.parameters[parameter].reading = reading;
    }
    let places = places(kernel);
    let origins = follow(kernel, &blocks, &places);
    let mut known: Set = 0;
    for (at, place) in places.iter().enumerate().take(MOST) {
        if kernel.parameters[place.parameter].pointer {
            known |= 1 << at;
        }
    }
    for instr in &kernel.code {
        match instr.effect {
            Effect::FromGeneric(_) => known |= origins.direct[kernel.src(instr)[0].index()],
            // What a tensor map is of.
            Effect::Copy(CopyOp::Replace(MapField::Address, _)) => {
                known |= origins.direct[kernel.src(instr)[1].index()];
            }
            _ => {}
        }
    }
    let count = places.len();
    for variable in count..(count + kernel.variables.len()).min(MOST) {
        known |= 1 << variable;
    }
    let mut pointees: Vec<Option<Format>> = vec![None; count + kernel.variables.len()];
    // Where it is not seen what an instruction writes to, nothing is known of any.
    let mut written: Option<Set> = Some(0);
    for instr in &kernel.code {
        let Some((format, values)) = accessed(kernel, instr) else {
            if may_write(&instr.effect) {
                written = None;
            }
            continue;
        };
        let base = kernel.src(instr)[0].index();
        let chosen = origins.pointers(base, known);
        known |= chosen;
        if !matches!(instr.effect, Effect::Load(_) | Effect::Matrix(MatrixOp::Load(_))) {
            written = written.filter(|_| chosen != 0).map(|all| all | chosen);
        }
        let format = formats.element(format, values.first().map(|reg| reg.index()));
        for (at, pointee) in pointees.iter_mut().enumerate().take(MOST) {
            if chosen >> at & 1 == 1 {
                *pointee = Some(pointee.map_or(format, |known| join(known, format)));
            }
        }
    }
    let mut views: Vec<Option<(ViewKind, Option<Geometry>)>> = vec![None; count + kernel.variables.len()];
    for instr in &kernel.code {
        let src = kernel.src(instr);
        let (kind, geometry, result) = match instr.effect {
            Effect::Fetch(fetch) => {
                let result = (fetch.result.is_float() && !fetch.packed).then_some(fetch.result);
                (ViewKind::Texture, Some(fetch.geometry), result)
            }
            Effect::SurfacePlace(place) => (ViewKind::Surface, Some(place.geometry), None),
            Effect::Inquire(_) if isa::row(instr.row).is_some_and(|row| row.name == "suq") => {
                (ViewKind::Surface, None, None)
            }
            Effect::Inquire(_) => (ViewKind::Texture, None, None),
            _ => continue,
        };
        let mut note = |reg: super::Reg, kind, geometry: Option<Geometry>, result: Option<Format>| {
            let chosen = origins.pointers(reg.index(), known);
            known |= chosen;
            for at in (0..views.len().min(MOST)).filter(|at| chosen >> at & 1 == 1) {
                let before = views[at].and_then(|(_, geometry)| geometry);
                if views[at].is_none() || geometry.is_some() {
                    views[at] = Some((kind, before.or(geometry)));
                }
                pointees[at] = pointees[at].or(result);
            }
        };
        note(src[0], kind, geometry, result);
        if let (Effect::Fetch(_), true) = (instr.effect, src.get(1) != src.first()) {
            note(src[1], ViewKind::Sampler, None, None);
        }
    }
    // Where an address may come from several parameters, the pointer is the one that is used as such
    // elsewhere, or directly.
    for reg in chosen_from(kernel, addresses) {
        known |= origins.pointers(reg.index(), known);
    }
    let copied = shared_element(kernel, &formats);
    for instr in &kernel.code {
        let global = match instr.effect {
            Effect::Copy(CopyOp::Start | CopyOp::Bulk(Bulk::ToShared)) => 1,
            Effect::Copy(CopyOp::Bulk(Bulk::ToGlobal) | CopyOp::Update(..)) => 0,
            _ => continue,
        };
        let from = origins.set[kernel.src(instr)[global].index()] & known;
        for (at, pointee) in pointees.iter_mut().enumerate().take(MOST) {
            if from >> at & 1 == 1 && pointee.is_none() {
                *pointee = copied;
            }
        }
    }
    for (variable, pointee) in kernel.variables.iter_mut().zip(pointees.split_off(count)) {
        variable.pointee = pointee;
    }
    for (at, (place, pointee)) in places.into_iter().zip(pointees).enumerate() {
        let is_pointer = at < MOST && known >> at & 1 == 1;
        let written = written.filter(|_| at < MOST).map(|all| all >> at & 1 == 1);
        let parameter = &mut kernel.parameters[place.parameter];
        match place.field {
            Some(field) => {
                let field = &mut parameter.fields[field];
                field.written = written;
                (field.pointer, field.pointee, field.view) = (is_pointer, pointee, views[at]);
            }
            None => {
                parameter.pointer |= is_pointer;
                parameter.written = written;
                (parameter.pointee, parameter.view) = (pointee, views[at]);
            }
        }
    }
}

/// Takes over what the source declares, where the kernel's mangled name says it: an `int*` points at integers with a
/// sign and a `float*` at floats, although both are loaded as bits. Accesses that show another float, or elements
/// smaller than the declared, go first: there the pointer has been cast.
pub(super) fn declare(kernel: &mut Kernel) {
    let Some(all) = declared(&kernel.name).filter(|all| all.len() == kernel.parameters.len()) else { return };
    let fits = |(parameter, declared): (&Parameter, &Declared)| {
        !declared.pointer || (!parameter.aggregate && parameter.size == 8)
    };
    if !kernel.parameters.iter().zip(&all).all(fits) {
        return;
    }
    for (parameter, declared) in kernel.parameters.iter_mut().zip(all) {
        if declared.pointer {
            parameter.pointer = true;
            let casts = |format: Format| {
                parameter.pointee.is_some_and(|shown| shown.is_float() || shown.bytes() < format.bytes())
            };
            if parameter.view.is_none() {
                parameter.pointee = declared.format.filter(|format| !casts(*format)).or(parameter.pointee);
            }
        }
        parameter.declared = Some(declared);
    }
}

/// Parameters, with structs as their fields where these are known.
fn places(kernel: &Kernel) -> Vec<Place> {
    let mut places = Vec::new();
    for (parameter, own) in kernel.parameters.iter().enumerate() {
        let start = i64::from(own.offset);
        if own.fields.is_empty() {
            places.push(Place { parameter, field: None, bytes: start..start + i64::from(own.size) });
        }
        for (field, part) in own.fields.iter().enumerate() {
            let start = start + i64::from(part.offset);
            places.push(Place { parameter, field: Some(field), bytes: start..start + i64::from(part.size) });
        }
    }
    places
}

/// What is read of each struct.
fn fields(kernel: &Kernel, blocks: &[Option<u32>], formats: &Formats) -> Vec<Vec<Field>> {
    let mut fields: Vec<Vec<Field>> = vec![Vec::new(); kernel.parameters.len()];
    let mut is_read = vec![false; kernel.registers.len()];
    for reg in kernel.code.iter().flat_map(|instr| kernel.src(instr)) {
        is_read[reg.index()] = true;
    }
    for instr in &kernel.code {
        let Effect::Load(access) = instr.effect else { continue };
        if access.space != Space::Param {
            continue;
        }
        let Some(base) = blocks[kernel.src(instr)[0].index()] else {
            // It may be any of them.
            return vec![Vec::new(); kernel.parameters.len()];
        };
        let (size, dst) = (access.format.bytes(), kernel.dst(instr));
        let first = i64::from(base).wrapping_add(instr.offset);
        // Several bytes that are all used are one.
        let bytewise = size == 1 && dst.len() > 1 && dst.iter().all(|reg| is_read[reg.index()]);
        for (at, reg) in dst.iter().enumerate().filter(|(_, reg)| is_read[reg.index()]) {
            let start = first.wrapping_add(at as i64 * i64::from(size));
            let holds = |p: &super::Parameter| {
                (i64::from(p.offset)..i64::from(p.offset) + i64::from(p.size)).contains(&start)
            };
            let Some(parameter) = kernel.parameters.iter().position(holds) else { continue };
            let own = &kernel.parameters[parameter];
            if !own.aggregate {
                continue;
            }
            let offset = (start - i64::from(own.offset)) as u32;
            let format = formats.element(access.format, Some(reg.index()));
            let field = |offset: u32, size: u32, format: Format| Field {
                offset,
                size,
                format,
                pointer: false,
                pointee: None,
                view: None,
                written: None,
                bytewise,
            };
            if bytewise {
                let all = match dst.len() {
                    2 => Format::B16,
                    4 => Format::B32,
                    _ => Format::B64,
                };
                fields[parameter].push(field(offset, dst.len() as u32, all));
                break;
            }
            // Two floats that are read together are two.
            let parts = if format.is_float() { size / format.bytes() } else { 1 }.max(1);
            let each = size / parts;
            fields[parameter].extend((0..parts).map(|part| field(offset + part * each, each, format)));
        }
    }
    let whole = |fields: &[Field], own: &super::Parameter| matches!(fields, [one] if one.size == own.size && !one.bytewise);
    let mut fields: Vec<Vec<Field>> = fields.into_iter().map(joined).collect();
    for (fields, own) in fields.iter_mut().zip(&kernel.parameters) {
        // What is read as one number is one.
        if whole(fields, own) {
            fields.clear();
        }
    }
    fields
}

/// As what the number of each parameter is taken: by the loads that read all of it, and the instructions that what is
/// loaded meets.
fn readings(kernel: &Kernel, blocks: &[Option<u32>], formats: &Formats) -> Vec<Option<Reading>> {
    let mut shown: Vec<(Option<Format>, bool)> = vec![(None, false); kernel.parameters.len()];
    for instr in &kernel.code {
        let Effect::Load(access) = instr.effect else { continue };
        let (Space::Param, Some(base)) = (access.space, blocks[kernel.src(instr)[0].index()]) else {
            continue;
        };
        for (at, reg) in kernel.dst(instr).iter().enumerate() {
            let size = access.format.bytes();
            let start = i64::from(base).wrapping_add(instr.offset).wrapping_add(at as i64 * i64::from(size));
            let whole = |p: &Parameter| i64::from(p.offset) == start && p.size == size;
            let Some(parameter) = kernel.parameters.iter().position(whole) else { continue };
            let (float, integer) = &mut shown[parameter];
            let group = formats.group[reg.index()] as usize;
            let met = formats.whole[group].filter(|format| format.bits() == access.format.bits());
            *float = float.or(Some(access.format).filter(|format| format.is_float())).or(met);
            *integer |= formats.signs[group].is_some();
        }
    }
    let reading = |(float, integer): (Option<Format>, bool)| match (float, integer) {
        (Some(format), false) => Some(Reading::Float(format)),
        (None, true) => Some(Reading::Integer),
        _ => None,
    };
    shown.into_iter().map(reading).collect()
}

/// Fields in order, with those that overlap as one; none if one of them has no size of a number.
fn joined(mut fields: Vec<Field>) -> Vec<Field> {
    fields.sort_by_key(|field| (field.offset, std::cmp::Reverse(field.size)));
    let mut joined: Vec<Field> = Vec::new();
    for field in fields {
        match joined.last_mut() {
            Some(last) if last.offset == field.offset && last.size == field.size => {
                last.format = join(last.format, field.format);
            }
            Some(last) if field.offset < last.offset + last.size => {
                last.size = last.size.max(field.offset + field.size - last.offset);
            }
            _ => joined.push(field),
        }
    }
    match joined.iter().all(|field| matches!(field.size, 1 | 2 | 4 | 8)) {
        true => joined,
        false => Vec::new(),
    }
}

/// Which parameters a register's value may come from.
struct Origins {
    /// Through any address arithmetic.
    set: Vec<Set>,
    /// Through moves alone.
    direct: Vec<Set>,
    /// What local memory holds: structs are copied there to be indexed.
    local: Set,
}

impl Origins {
    /// Which of the places that an address may come from are pointers, given which are: an index that was itself a
    /// parameter may be among them; the pointer is the one that is used as such elsewhere, or directly. What is
    /// loaded from local memory may be any that was put there.
    fn pointers(&self, address: usize, known: Set) -> Set {
        let all = self.set[address];
        let certain = all & (known | self.direct[address]);
        match () {
            () if self.local != 0 && all & self.local == self.local => certain | self.local,
            () if certain != 0 => certain,
            () => all,
        }
    }

    /// Whether that was news.
    fn add(&mut self, reg: usize, set: Set, direct: Set) -> bool {
        let news = set & !self.set[reg] | direct & !self.direct[reg];
        self.set[reg] |= set;
        self.direct[reg] |= direct;
        news != 0
    }
}

fn follow(kernel: &Kernel, blocks: &[Option<u32>], places: &[Place]) -> Origins {
    let count = kernel.registers.len();
    let mut origins = Origins { set: vec![0; count], direct: vec![0; count], local: 0 };
    for (at, kind) in kernel.registers.iter().enumerate() {
        if let RegisterKind::Constant(
            Constant::Address { variable, .. } | Constant::AddressHalf { variable, .. },
        ) = kind
            && let Some(bit) = (1 as Set).checked_shl(places.len() as u32 + variable)
        {
            origins.add(at, bit, bit);
        }
    }
    let is_local = |access: &isa::Access| access.space == Space::Local && access.format.bits() == 64;
    let mut changed = true;
    while changed {
        changed = false;
        for instr in &kernel.code {
            let (dst, src) = (kernel.dst(instr), kernel.src(instr));
            match instr.effect {
                Effect::Store(access) if is_local(&access) => {
                    let held =
                        src[1..].iter().fold(origins.local, |held, reg| held | origins.set[reg.index()]);
                    changed |= std::mem::replace(&mut origins.local, held) != held;
                }
                Effect::Load(access) if is_local(&access) => {
                    for reg in dst {
                        changed |= origins.add(reg.index(), origins.local, 0);
                    }
                }
                Effect::Load(access) if access.space == Space::Param => {
                    for (at, reg) in dst.iter().enumerate() {
                        let offset = instr.offset.wrapping_add(at as i64 * i64::from(access.format.bytes()));
                        let base = blocks[src[0].index()];
                        let set = base.map_or(0, |base| parameter_at(places, base, offset, access.format));
                        changed |= origins.add(reg.index(), set, set);
                    }
                }
                Effect::SurfacePlace(_) => {
                    changed |= origins.add(dst[0].index(), origins.set[src[0].index()], 0);
                }
                Effect::Move { .. } | Effect::FromGeneric(_) | Effect::ToGeneric(_) => {
                    let (set, direct) = (origins.set[src[0].index()], origins.direct[src[0].index()]);
                    changed |= origins.add(dst[0].index(), set, direct);
                }
                // Pointers are taken apart to be exchanged between lanes.
                Effect::Shuffle(_) | Effect::Pack { .. } | Effect::Unpack { .. } => {
                    let values = if let Effect::Shuffle(_) = instr.effect { &src[..1] } else { src };
                    let set = values.iter().fold(0, |set, reg| set | origins.set[reg.index()]);
                    let to = if let Effect::Shuffle(_) = instr.effect { &dst[..1] } else { dst };
                    for reg in to {
                        changed |= origins.add(reg.index(), set, 0);
                    }
                }
                Effect::Lanewise(_) => {
                    let of = |at: usize| src.get(at).map_or(0, |reg: &super::Reg| origins.set[reg.index()]);
                    let set = match isa::row(instr.row).map(|row| row.name) {
                        Some("add" | "sub" | "selp" | "slct" | "and" | "or" | "min" | "max") => of(0) | of(1),
                        Some("addc" | "subc") => of(0) | of(1),
                        Some("mad" | "madc") => of(2),
                        Some("cvt" | "lop3") => of(0),
                        _ => 0,
                    };
                    changed |= origins.add(dst[0].index(), set, 0);
                }
                _ => {}
            }
        }
    }
    origins
}

/// Where in the parameter block a register points, for registers that hold nothing else: nvcc
/// moves the address of a struct parameter to a register first.
fn parameter_addresses(kernel: &Kernel) -> Vec<Option<u32>> {
    let at = |reg: &super::Reg| match kernel.registers[reg.index()] {
        RegisterKind::Constant(Constant::ParameterAddress(at)) => Some(at),
        _ => None,
    };
    let mut addresses: Vec<Option<u32>> =
        (0..kernel.registers.len()).map(|reg| at(&super::Reg(reg as u32))).collect();
    let mut written = vec![0u32; kernel.registers.len()];
    for instr in &kernel.code {
        for reg in kernel.dst(instr) {
            written[reg.index()] += 1;
        }
    }
    for instr in &kernel.code {
        if let Effect::Move { .. } = instr.effect
            && let Some(address) = at(&kernel.src(instr)[0])
            && written[kernel.dst(instr)[0].index()] == 1
        {
            addresses[kernel.dst(instr)[0].index()] = Some(address);
        }
    }
    addresses
}

/// The place that a load of a pointer-sized value reads.
fn parameter_at(places: &[Place], base: u32, offset: i64, format: Format) -> Set {
    if format.bits() != 64 || format.is_float() {
        return 0;
    }
    let start = i64::from(base).wrapping_add(offset);
    match places.iter().position(|place| place.bytes.contains(&start)) {
        Some(at) if at < MOST => 1 << at,
        _ => 0,
    }
}

/// Format and values of an access that may go to a tensor.
fn accessed<'k>(kernel: &'k Kernel, instr: &Instr) -> Option<(Format, &'k [super::Reg])> {
    let outside = |space| matches!(space, Space::Global | Space::Generic | Space::Const);
    match instr.effect {
        Effect::Load(access) if outside(access.space) => Some((access.format, kernel.dst(instr))),
        Effect::Store(access) if outside(access.space) => Some((access.format, &kernel.src(instr)[1..])),
        Effect::Atomic { access, .. } if outside(access.space) => {
            Some((access.format, &kernel.src(instr)[1..]))
        }
        Effect::Matrix(MatrixOp::Load(stored) | MatrixOp::Store(stored)) if outside(stored.space) => {
            Some((stored.fragment.format, &[]))
        }
        _ => None,
    }
}

/// Whether an instruction that is no access as [`accessed`] knows them may write to global memory all the same.
fn may_write(effect: &Effect) -> bool {
    match effect {
        Effect::Copy(CopyOp::Start | CopyOp::Bulk(Bulk::ToShared)) => false,
        Effect::Copy(_) | Effect::SurfacePlace(_) | Effect::TensorMemory(_) | Effect::Unsupported => true,
        _ => false,
    }
}

/// Registers that hold addresses, with those that they are copied or chosen from.
fn chosen_from(kernel: &Kernel, addresses: &[super::Reg]) -> Vec<super::Reg> {
    let mut is_address = vec![false; kernel.registers.len()];
    let mut all: Vec<super::Reg> = Vec::new();
    let mut take = |all: &mut Vec<super::Reg>, reg: super::Reg| {
        if !std::mem::replace(&mut is_address[reg.index()], true) {
            all.push(reg);
        }
    };
    addresses.iter().for_each(|reg| take(&mut all, *reg));
    let mut sources: Vec<Vec<super::Reg>> = vec![Vec::new(); kernel.registers.len()];
    for instr in &kernel.code {
        let from = match instr.effect {
            Effect::Move { .. } | Effect::FromGeneric(_) | Effect::ToGeneric(_) => 1,
            Effect::Lanewise(lanes) if matches!(lanes.meaning, Meaning::Select) => 2,
            _ => continue,
        };
        sources[kernel.dst(instr)[0].index()].extend(&kernel.src(instr)[..from]);
    }
    let mut at = 0;
    while let Some(reg) = all.get(at).copied() {
        std::mem::take(&mut sources[reg.index()]).into_iter().for_each(|source| take(&mut all, source));
        at += 1;
    }
    all
}

/// The format in which shared memory is read.
fn shared_element(kernel: &Kernel, formats: &Formats) -> Option<Format> {
    let tiles =
        kernel.code.iter().any(|instr| matches!(instr.effect, Effect::Matrix(MatrixOp::LoadTiles(_))));
    let read = kernel.code.iter().filter_map(|instr| match instr.effect {
        Effect::Load(access) if access.space == Space::Shared => {
            Some(formats.element(access.format, kernel.dst(instr).first().map(|reg| reg.index())))
        }
        Effect::Matrix(MatrixOp::Load(stored)) if stored.space == Space::Shared => {
            Some(stored.fragment.format)
        }
        Effect::Matrix(MatrixOp::Multiply(product)) if tiles => Some(in_bytes(product.a.format)),
        Effect::Matrix(MatrixOp::Warpgroup(WarpgroupOp::Multiply(op))) => Some(op.product.a.format),
        _ => None,
    });
    read.reduce(join)
}

/// The format in which memory holds what has it: of less than a byte, plain bytes.
fn in_bytes(format: Format) -> Format {
    if format.is_below_byte() { Format::B8 } else { format }
}

/// The formats that registers meet, for groups of registers that copy one another.
struct Formats {
    group: Vec<u32>,
    /// The float format as a whole.
    whole: Vec<Option<Format>>,
    /// The float format of the halves that a register is taken apart into (or put together from).
    parts: Vec<Option<Format>>,
    /// Where it is an integer as a whole: its width, and how many instructions more read or give it with a sign
    /// than without, of those to which that matters; where there are none, the same of what it is added to or
    /// made of.
    signs: Vec<Option<(u32, i64)>>,
}

impl Formats {
    fn new(kernel: &Kernel) -> Formats {
        let count = kernel.registers.len();
        let mut group: Vec<u32> = (0..count as u32).collect();
        let is_register =
            |reg: super::Reg| matches!(kernel.registers[reg.index()], RegisterKind::Virtual { .. });
        let mut unite = |a: super::Reg, b: super::Reg| {
            if is_register(a) && is_register(b) {
                let (a, b) = (root(&mut group, a.0), root(&mut group, b.0));
                group[a.max(b) as usize] = a.min(b);
            }
        };
        for instr in &kernel.code {
            let (dst, src) = (kernel.dst(instr), kernel.src(instr));
            match instr.effect {
                Effect::Move { .. } | Effect::Shuffle(_) => unite(dst[0], src[0]),
                Effect::Lanewise(lanes) if matches!(lanes.meaning, Meaning::Select) => {
                    unite(dst[0], src[0]);
                    unite(dst[0], src[1]);
                }
                _ => {}
            }
        }
        let roots: Vec<u32> = (0..count as u32).map(|reg| root(&mut group, reg)).collect();
        let (whole, parts, signs) = (vec![None; count], vec![None; count], vec![None; count]);
        let mut formats = Formats { group: roots, whole, parts, signs };
        let width = |reg: super::Reg| match kernel.registers[reg.index()] {
            RegisterKind::Virtual { bits } => Some(bits),
            _ => None,
        };
        // Groups that meet where signs do not matter.
        let mut kin: Vec<u32> = (0..count as u32).collect();
        for instr in &kernel.code {
            if let Effect::Lanewise(lanes) = instr.effect {
                let (dst, src) = (kernel.dst(instr), kernel.src(instr));
                let mut neutral: Option<u32> = None;
                let counts =
                    matches!(lanes.meaning, Meaning::Real(_) | Meaning::Partial(_) | Meaning::Compare(_));
                for (reg, format) in src.iter().zip(lanes.src).chain([(&dst[0], lanes.dst)]) {
                    let Some(bits) = width(*reg) else { continue };
                    let group = formats.group[reg.index()] as usize;
                    if format.is_below_byte() {
                        // It shares its bytes with others.
                    } else if format.is_float() {
                        formats.whole[group].get_or_insert(format);
                    } else if bits == format.bits() && (counts || format.class() != FormatClass::Bits) {
                        formats.signs[group].get_or_insert((bits, 0)).1 += match format.class() {
                            FormatClass::Signed => 1,
                            FormatClass::Unsigned => -1,
                            FormatClass::Bits | FormatClass::Float => 0,
                        };
                        if format.class() == FormatClass::Bits {
                            let own = root(&mut kin, group as u32);
                            let other = neutral.map_or(own, |other| root(&mut kin, other));
                            kin[own.max(other) as usize] = own.min(other);
                            neutral = Some(own.min(other));
                        }
                    }
                }
            }
        }
        let mut of_kin = vec![0; count];
        for (group, signs) in formats.signs.iter().enumerate() {
            of_kin[root(&mut kin, group as u32) as usize] += signs.map_or(0, |(_, signs)| signs);
        }
        for (group, signs) in formats.signs.iter_mut().enumerate() {
            if let Some((_, signs @ 0)) = signs {
                *signs = of_kin[root(&mut kin, group as u32) as usize];
            }
        }
        for instr in &kernel.code {
            let (dst, src) = (kernel.dst(instr), kernel.src(instr));
            let (whole, parts) = match instr.effect {
                Effect::Unpack { .. } => (src[0], dst),
                Effect::Pack { .. } => (dst[0], src),
                _ => continue,
            };
            let group = formats.group[whole.index()] as usize;
            let format = parts.iter().find_map(|part| formats.whole[formats.group[part.index()] as usize]);
            formats.parts[group] = formats.parts[group].or(format);
        }
        formats
    }

    /// The element format of an access of `format` whose (first) value is in a register.
    fn element(&self, format: Format, value: Option<usize>) -> Format {
        if format.is_float() {
            return format;
        }
        let Some(group) = value.map(|reg| self.group[reg] as usize) else { return format };
        match (self.whole[group], self.parts[group]) {
            (Some(float), _) if float.bits() == format.bits() => float,
            (_, Some(float)) if float.bits() < format.bits() => float,
            _ => match self.signs[group] {
                Some((bits, signs)) if bits == format.bits() && format.class() != FormatClass::Signed => {
                    format.as_integer(signs > 0)
                }
                _ => format,
            },
        }
    }
}

fn root(group: &mut [u32], mut reg: u32) -> u32 {
    while group[reg as usize] != reg {
        let above = group[group[reg as usize] as usize];
        group[reg as usize] = above;
        reg = above;
    }
    reg
}

/// One format for two accesses of one tensor: floats win, then numbers over bits, then the smaller.
fn join(a: Format, b: Format) -> Format {
    let rank = |format: Format| match format.class() {
        FormatClass::Float => 0,
        FormatClass::Signed | FormatClass::Unsigned => 1,
        FormatClass::Bits => 2,
    };
    let key = |format: Format| (rank(format).min(1), format.bits(), rank(format), format);
    if key(b) < key(a) { b } else { a }
}
