//! One instruction of one thread.

use super::float;
use super::integer::{self, cut, number};
use super::memory::{self, FUNCTION_BASE, Space};
use super::op::{Class, Op, Type};
use super::program::{Arg, Slot};
use super::run::{Background, Barrier, Frame, Machine, Pending, Phaser, State, Stop};
use super::{soft, video};
use rustc_apfloat::Round;
use std::rc::Rc;
use warpproof::base::Format;

/// The sum, minimum or maximum of two floats in an atomic.
fn combined(op: &Op, format: Format, a: u64, b: u64) -> u64 {
    if op.has("add") {
        return soft::add(format, a, b, Round::NearestTiesToEven);
    }
    let below = soft::value(format, a) < soft::value(format, b);
    if below == op.has("min") { a } else { b }
}

/// What comes next.
pub(super) enum Flow {
    Next,
    Jump(usize),
    Blocked,
    /// Asked in vain: let others run.
    Yield,
    /// The same, to ask again.
    Again,
    Exit,
}

pub(super) fn refused(op: &Op) -> Stop {
    Stop::Refused(op.text.clone())
}

/// The space and own address of an access.
fn place(space: Space, address: u64) -> (Space, u64) {
    if space == Space::Generic { memory::resolve(address) } else { (space, address) }
}

impl Machine<'_> {
    /// The value of an operand, in an instruction of that float type.
    pub(super) fn value(&self, thread: usize, arg: &Arg, float: Option<Format>) -> Result<u64, Stop> {
        Ok(match arg {
            Arg::Reg(register) => self.threads[thread].regs[*register],
            Arg::Not(register) => self.threads[thread].regs[*register] ^ 1,
            Arg::Symbol(Space::Shared, own) => self.own_shared(thread, *own),
            Arg::Symbol(_, own) => *own,
            Arg::Special(name) => self.special(thread, name)?,
            Arg::Bits(bits) => *bits,
            other => match other.literal(float) {
                Some(bits) => bits,
                None => return Err(Stop::Refused(format!("an operand {other:?}"))),
            },
        })
    }

    /// Writes a register.
    pub(super) fn set(&mut self, thread: usize, arg: &Arg, value: u64) -> Result<(), Stop> {
        match arg {
            Arg::Reg(register) => {
                self.threads[thread].regs[*register] = cut(value, self.program.widths[*register]);
                Ok(())
            }
            Arg::Sink => Ok(()),
            _ => Err(Stop::Refused(format!("a destination {arg:?}"))),
        }
    }

    fn special(&self, thread: usize, name: &str) -> Result<u64, Stop> {
        let own = &self.threads[thread];
        let (lane, warp) = (own.linear % 32, own.linear / 32);
        let [x, y, z] = self.launch.block;
        let axis = match name.rsplit('.').next() {
            Some("x") => 0,
            Some("y") => 1,
            Some("z") => 2,
            _ => 3,
        };
        let stem = name.split('.').next().unwrap_or(name);
        Ok(match (stem, axis) {
            ("%tid", 0..3) => u64::from(own.tid[axis]),
            ("%ntid", 0..3) => u64::from(self.launch.block[axis]),
            ("%ctaid", 0..3) => u64::from(self.ctas[own.cta].id[axis]),
            ("%nctaid", 0..3) => u64::from(self.launch.grid[axis]),
            ("%laneid", _) => u64::from(lane),
            ("%warpid", _) => u64::from(warp),
            ("%nwarpid", _) => u64::from((x * y * z).div_ceil(32)),
            ("WARP_SZ", _) => 32,
            ("%lanemask_eq", _) => 1 << lane,
            ("%lanemask_lt", _) => (1 << lane) - 1,
            ("%lanemask_le", _) => (1 << (lane + 1)) - 1,
            ("%lanemask_gt", _) => 0xffff_ffff & !((1 << (lane + 1)) - 1),
            ("%lanemask_ge", _) => 0xffff_ffff & !((1 << lane) - 1),
            ("%dynamic_smem_size", _) => self.launch.dynamic_shared.unwrap_or(0),
            _ => {
                let of_cluster = self.special_of_cluster(own.cta, stem, axis);
                return of_cluster.ok_or_else(|| Stop::Refused(name.to_owned()));
            }
        })
    }

    /// Reads up to eight bytes.
    pub(super) fn load(&self, thread: usize, space: Space, address: u64, count: usize) -> Result<u64, Stop> {
        let (space, own) = place(space, address);
        let value = match space {
            Space::Shared => {
                let (cta, own) = self.in_cluster(self.threads[thread].cta, own);
                self.ctas[cta].shared.read(own, count)
            }
            Space::Local => self.threads[thread].local.read(own, count),
            Space::Param if own >= FUNCTION_BASE => self.threads[thread].function.read(own, count),
            Space::Param => self.parameters.read(own, count),
            _ => self.global.read(own, count),
        };
        value.ok_or_else(|| Stop::Fault(format!("read of {count} bytes at {space:?} {own:#x}")))
    }

    /// Writes up to eight bytes.
    pub(super) fn store(
        &mut self,
        thread: usize,
        space: Space,
        address: u64,
        count: usize,
        value: u64,
    ) -> Result<(), Stop> {
        let (space, own) = place(space, address);
        let cta = self.threads[thread].cta;
        let done = match space {
            Space::Shared => {
                let (cta, own) = self.in_cluster(cta, own);
                self.ctas[cta].shared.write(own, count, value)
            }
            Space::Local => self.threads[thread].local.write(own, count, value),
            Space::Param if own >= FUNCTION_BASE => self.threads[thread].function.write(own, count, value),
            Space::Param => None,
            _ => self.global.write(own, count, value),
        };
        done.ok_or_else(|| Stop::Fault(format!("write of {count} bytes at {space:?} {own:#x}")))
    }

    pub(super) fn address(&self, thread: usize, arg: &Arg) -> Result<u64, Stop> {
        match arg {
            Arg::Memory(base, offset) => Ok(self.value(thread, base, None)?.wrapping_add_signed(*offset)),
            arg => self.value(thread, arg, None),
        }
    }

    pub(super) fn aligned(&self, address: u64, bytes: u64) -> Result<(), Stop> {
        if address.is_multiple_of(bytes.max(1)) {
            Ok(())
        } else {
            Err(Stop::Fault(format!("address {address:#x} is not aligned to {bytes} bytes")))
        }
    }

    pub(super) fn step(&mut self, thread: usize) -> Result<Flow, Stop> {
        let program = self.program;
        let inst = &program.code[self.threads[thread].pc];
        let op: &Rc<Op> = &inst.op;
        if let Some((register, negated)) = inst.guard
            && (self.threads[thread].regs[register] & 1 == 1) == negated
        {
            return Ok(Flow::Next);
        }
        let args = &inst.args;
        match op.base.as_str() {
            "bra" => match &args[0] {
                Arg::Target(target) => return Ok(Flow::Jump(*target)),
                _ => return Err(refused(op)),
            },
            "brx" => {
                let index = self.value(thread, &args[0], None)? as usize;
                match &args[1] {
                    Arg::Targets(targets) if index < targets.len() => return Ok(Flow::Jump(targets[index])),
                    _ => return Err(refused(op)),
                }
            }
            "exit" => return Ok(Flow::Exit),
            "ret" => return self.give_back(thread),
            "call" => return self.call(thread, op, args),
            "barrier" if op.has("cluster") => return self.cluster_barrier(thread, op),
            "mapa" | "getctarank" => self.map(thread, op, args)?,
            "bar" | "barrier" if !op.has("warp") => return self.barrier(thread, op, args),
            "bar" | "shfl" | "vote" | "match" | "redux" | "elect" | "mma" | "wmma" | "ldmatrix"
            | "stmatrix" | "movmatrix" | "wgmma" | "activemask" => return self.meet(thread, op, args),
            "tcgen05" if op.has("sync") => return self.meet(thread, op, args),
            "tcgen05" => self.in_tensor_memory(thread, op, args)?,
            "membar" | "fence" | "prefetch" | "prefetchu" | "nanosleep" | "griddepcontrol" | "setmaxnreg"
            | "applypriority" | "pmevent" => {}
            "createpolicy" => self.set(thread, &args[0], 0)?,
            "ld" | "ldu" => self.read(thread, op, args)?,
            // Zeros, from an address on (9.7.9.13).
            "st" if op.has("bulk") => {
                let (address, bytes) = (self.address(thread, &args[0])?, self.value(thread, &args[1], None)?);
                self.aligned(address | bytes, 8)?;
                for at in (0..bytes).step_by(8) {
                    self.store(thread, op.space().unwrap_or(Space::Generic), address + at, 8, 0)?;
                }
            }
            "st" | "red" if op.has("async") => self.send(thread, op, args)?,
            "st" => self.write(thread, op, args)?,
            "atom" | "red" => self.atomic(thread, op, args)?,
            "tex" | "tld4" => self.texture(thread, op, args)?,
            "txq" | "suq" | "istypep" => self.inquiry(thread, op, args)?,
            "suld" | "sust" | "sured" => self.surface(thread, op, args)?,
            "cp" => self.copy(thread, op, args)?,
            "tensormap" => self.tensor_map(thread, op, args)?,
            "mbarrier" => {
                if self.phaser(thread, op, args)? {
                    return Ok(Flow::Yield);
                }
            }
            "cvta" => {
                let value = self.value(thread, &args[1], None)?;
                let space = op.space().ok_or_else(|| refused(op))?;
                let result = if op.has("to") {
                    let (found, own) = memory::resolve(value);
                    let fits = found == space || found == Space::Global && space == Space::Const;
                    if fits { own } else { value.wrapping_sub(memory::generic(space, 0)) }
                } else {
                    memory::generic(space, value)
                };
                self.set(thread, &args[0], result)?;
            }
            "isspacep" => {
                let (found, _) = memory::resolve(self.value(thread, &args[1], None)?);
                self.set(thread, &args[0], u64::from(Some(found) == op.space()))?;
            }
            "mov" => self.mov(thread, op, args)?,
            "stacksave" => self.set(thread, &args[0], self.threads[thread].taken)?,
            "stackrestore" => self.threads[thread].taken = self.value(thread, &args[0], None)?,
            "alloca" => {
                let size = self.value(thread, &args[1], None)?;
                let align = args.get(2).map_or(Ok(8), |arg| self.value(thread, arg, None))?;
                let start = self.threads[thread].taken.next_multiple_of(align);
                let end = start + size;
                let dice = &mut self.dice;
                let local = &mut self.threads[thread].local;
                while local.base + (local.bytes.len() as u64) < end {
                    local.bytes.push(dice.below(256) as u8);
                }
                self.threads[thread].taken = end;
                self.set(thread, &args[0], start)?;
            }
            "discard" => {
                let address = self.address(thread, &args[0])?;
                self.aligned(address, 128)?;
                for at in 0..16 {
                    let garbage = self.dice.below(u64::MAX);
                    self.store(thread, op.space().unwrap_or(Space::Generic), address + 8 * at, 8, garbage)?;
                }
            }
            "setp" => self.setp(thread, op, args)?,
            "set" => {
                let [to, from] = [op.other, op.ty].map(|ty| ty.ok_or_else(|| refused(op)));
                let (to, from) = (to?, from?);
                let a = self.value(thread, &args[1], from.float())?;
                let b = self.value(thread, &args[2], from.float())?;
                let packed = op.suffixes.iter().rev().find_map(|suffix| match suffix.as_str() {
                    "f16x2" => Some(Format::F16),
                    "bf16x2" => Some(Format::Bf16),
                    _ => None,
                });
                let value = match packed {
                    Some(format) => {
                        let third = args.get(3).map(|arg| self.value(thread, arg, None)).transpose()?;
                        let half = |at: u32| {
                            let holds =
                                float::compare(op, from, a >> at & 0xffff, b >> at & 0xffff, Some(format))?;
                            let holds = float::join(op, holds, third.map(|third| third & 1 == 1));
                            let one = if to.bits == 32 && to.class != Class::Bits {
                                0xffff
                            } else {
                                soft::one(format)
                            };
                            Some(if holds { one << at } else { 0 })
                        };
                        half(0).zip(half(16)).map(|(low, high)| low | high)
                    }
                    None => {
                        let third = args.get(3).map(|arg| self.value(thread, arg, None)).transpose()?;
                        float::compare(op, from, a, b, None)
                            .map(|holds| float::join(op, holds, third.map(|third| third & 1 == 1)))
                            .map(|holds| if holds { float::truth(to) } else { 0 })
                    }
                };
                self.set(thread, &args[0], value.ok_or_else(|| refused(op))?)?;
            }
            "selp" => {
                let at = if self.value(thread, &args[3], None)? & 1 == 1 { 1 } else { 2 };
                let value = self.value(thread, &args[at], op.float)?;
                self.set(thread, &args[0], cut(value, op.ty.map_or(64, |ty| ty.bits)))?;
            }
            "slct" => {
                let (to, from) = op.other.zip(op.ty).ok_or_else(|| refused(op))?;
                let c = self.value(thread, &args[3], from.float())?;
                let first = match from.float() {
                    Some(format) => {
                        let c = if op.has("ftz") { soft::flush(format, c) } else { c };
                        soft::value(format, c) >= 0.0
                    }
                    None => number(from, c) >= 0,
                };
                let value = self.value(thread, &args[if first { 1 } else { 2 }], to.float())?;
                self.set(thread, &args[0], cut(value, to.bits))?;
            }
            "testp" => {
                let format = op.float.ok_or_else(|| refused(op))?;
                let a = self.value(thread, &args[1], op.float)?;
                let value = float::test(op, format, a).ok_or_else(|| refused(op))?;
                self.set(thread, &args[0], u64::from(value))?;
            }
            "cvt" if op.has("pack") => {
                let s: Vec<u64> =
                    args[1..].iter().map(|arg| self.value(thread, arg, None)).collect::<Result<_, _>>()?;
                self.set(thread, &args[0], video::pack(op, &s).ok_or_else(|| refused(op))?)?;
            }
            "cvt" => {
                let source = op.ty.and_then(Type::float);
                let s: Vec<u64> =
                    args[1..].iter().map(|arg| self.value(thread, arg, source)).collect::<Result<_, _>>()?;
                let mut value = float::convert(op, &s).ok_or_else(|| refused(op))?;
                if let Some(to) = op.other.filter(|to| to.class == Class::Signed) {
                    value = number(to, value) as u64;
                }
                self.set(thread, &args[0], value)?;
            }
            "trap" | "brkpt" => return Err(Stop::Fault(op.base.clone())),
            "vadd" | "vmad" | "vsub" | "vabsdiff" | "vmin" | "vmax" | "vshl" | "vshr" | "vset" | "vadd2"
            | "vsub2" | "vavrg2" | "vabsdiff2" | "vmin2" | "vmax2" | "vset2" | "vadd4" | "vsub4"
            | "vavrg4" | "vabsdiff4" | "vmin4" | "vmax4" | "vset4" => {
                let split = |arg: &Arg| match arg {
                    Arg::Part(register, name) => (Arg::Reg(*register), Some(name.clone())),
                    arg => (arg.clone(), None),
                };
                let (to, selector) = split(&args[0]);
                let sources: Vec<video::Source> = args[1..]
                    .iter()
                    .map(|arg| {
                        let (arg, minus) = match arg {
                            Arg::Minus(inner) => (&**inner, true),
                            arg => (arg, false),
                        };
                        let (arg, part) = split(arg);
                        Ok(video::Source { word: self.value(thread, &arg, None)?, part, minus })
                    })
                    .collect::<Result<_, Stop>>()?;
                let value = video::run(op, selector.as_deref(), &sources).ok_or_else(|| refused(op))?;
                self.set(thread, &to, value)?;
            }
            _ => self.compute(thread, op, args)?,
        }
        Ok(Flow::Next)
    }

    /// What is a function of its sources' bits.
    fn compute(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        // `bfi`, `shf` and others say their type last; `f16x2` counts as 32 bits.
        let ty = op.ty.ok_or_else(|| refused(op))?;
        let packed = op.has("f16x2") || op.has("bf16x2") || op.has("f32x2");
        if ty.class == Class::Predicate {
            let s: Vec<u64> =
                args[1..].iter().map(|arg| self.value(thread, arg, None)).collect::<Result<_, _>>()?;
            let value = match op.base.as_str() {
                "and" => s[0] & s[1],
                "or" => s[0] | s[1],
                "xor" => s[0] ^ s[1],
                "not" => s[0] ^ 1,
                _ => return Err(refused(op)),
            };
            return self.set(thread, &args[0], value & 1);
        }
        if let ("lop3", Arg::Pair(d, p)) = (op.base.as_str(), &args[0]) {
            let s: Vec<u64> =
                args[1..].iter().map(|arg| self.value(thread, arg, None)).collect::<Result<_, _>>()?;
            let value = integer::run(op, ty, &s[..4], &mut false).ok_or_else(|| refused(op))?;
            let (some, q) = (value != 0, s[4] & 1 == 1);
            self.set(thread, d, value)?;
            return self.set(thread, p, u64::from(if op.has("and") { some && q } else { some || q }));
        }
        let float = op.float;
        let s: Vec<u64> =
            args[1..].iter().map(|arg| self.value(thread, arg, float)).collect::<Result<_, _>>()?;
        let halves = match () {
            _ if op.has("u16x2") => Some(Class::Unsigned),
            _ if op.has("s16x2") => Some(Class::Signed),
            _ => None,
        };
        let value = if let Some(class) = halves {
            let half = |at: u32| {
                let parts: Vec<u64> = s.iter().map(|value| cut(value >> at, 16)).collect();
                integer::run(op, Type { class, bits: 16 }, &parts, &mut false)
            };
            half(0).zip(half(16)).map(|(low, high)| low | high << 16)
        } else if float.is_some() || packed {
            float::run(op, &s)
        } else {
            integer::run(op, ty, &s, &mut self.threads[thread].carry)
        };
        self.set(thread, &args[0], value.ok_or_else(|| refused(op))?)
    }

    fn mov(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        let bits = op.ty.ok_or_else(|| refused(op))?.bits;
        match (&args[0], &args[1]) {
            (Arg::Vector(parts), from) => {
                let value = self.value(thread, from, op.float)?;
                let each = bits / parts.len() as u32;
                for (at, part) in parts.iter().enumerate() {
                    self.set(thread, part, cut(value >> (at as u32 * each), each))?;
                }
                Ok(())
            }
            (to, Arg::Vector(parts)) => {
                let each = bits / parts.len() as u32;
                let mut value = 0;
                for (at, part) in parts.iter().enumerate() {
                    value |= cut(self.value(thread, part, None)?, each) << (at as u32 * each);
                }
                self.set(thread, to, value)
            }
            (to, from) => {
                let value = self.value(thread, from, op.float)?;
                self.set(thread, to, cut(value, bits))
            }
        }
    }

    fn setp(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        let ty = op.ty.ok_or_else(|| refused(op))?;
        let a = self.value(thread, &args[1], op.float)?;
        let b = self.value(thread, &args[2], op.float)?;
        let half = match () {
            _ if op.has("f16x2") => Some(Format::F16),
            _ if op.has("bf16x2") => Some(Format::Bf16),
            _ => None,
        };
        if let (Some(format), Arg::Pair(p, q)) = (half, &args[0]) {
            let third = args.get(3).map(|arg| self.value(thread, arg, None)).transpose()?;
            for (at, to) in [(0, p), (16, q)] {
                let holds = float::compare(op, ty, a >> at & 0xffff, b >> at & 0xffff, Some(format))
                    .map(|holds| float::join(op, holds, third.map(|third| third & 1 == 1)));
                self.set(thread, to, u64::from(holds.ok_or_else(|| refused(op))?))?;
            }
            return Ok(());
        }
        let holds = float::compare(op, ty, a, b, None).ok_or_else(|| refused(op))?;
        let third = match args.get(3) {
            Some(arg) => Some(self.value(thread, arg, None)? & 1 == 1),
            None => None,
        };
        let (value, other) = (float::join(op, holds, third), float::join(op, !holds, third));
        match &args[0] {
            Arg::Pair(p, q) => {
                self.set(thread, p, u64::from(value))?;
                self.set(thread, q, u64::from(other))
            }
            p => self.set(thread, p, u64::from(value)),
        }
    }

    fn read(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        let ty = op.ty.ok_or_else(|| refused(op))?;
        let bytes = u64::from(ty.bits / 8);
        let address = self.address(thread, &args[1])?;
        let space = op.space().unwrap_or(Space::Generic);
        let count = op.vector();
        self.aligned(address, bytes * count as u64)?;
        let parts = match &args[0] {
            Arg::Vector(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut values = Vec::new();
        for at in 0..count {
            let value = self.load(thread, space, address + at as u64 * bytes, bytes as usize)?;
            values.push(if ty.class == Class::Signed { number(ty, value) as u64 } else { value });
        }
        if parts.len() != count {
            return Err(refused(op));
        }
        parts.iter().zip(values).try_for_each(|(part, value)| self.set(thread, part, value))
    }

    fn write(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        let ty = op.ty.ok_or_else(|| refused(op))?;
        let bytes = u64::from(ty.bits / 8);
        let address = self.address(thread, &args[0])?;
        let space = op.space().unwrap_or(Space::Generic);
        self.aligned(address, bytes * op.vector() as u64)?;
        let parts = match &args[1] {
            Arg::Vector(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        for (at, part) in parts.iter().enumerate() {
            let value = cut(self.value(thread, part, op.float)?, ty.bits);
            self.store(thread, space, address + at as u64 * bytes, bytes as usize, value)?;
        }
        Ok(())
    }

    /// An element of a vector atomic; gives the old value.
    fn element(&mut self, thread: usize, op: &Op, place: &Arg, value: &Arg) -> Result<u64, Stop> {
        let ty = op.ty.ok_or_else(|| refused(op))?;
        let old = self.load(
            thread,
            op.space().unwrap_or(Space::Generic),
            self.address(thread, place)?,
            (ty.bits / 8) as usize,
        )?;
        let one = Op::new(&op.text.replacen("atom", "red", 1));
        self.atomic(thread, &one, &[place.clone(), value.clone()])?;
        Ok(old)
    }

    pub(super) fn atomic(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        let ty = op.ty.ok_or_else(|| refused(op))?;
        let returns = op.base == "atom";
        let (to, rest) = if returns { (Some(&args[0]), &args[1..]) } else { (None, args) };
        let address = self.address(thread, &rest[0])?;
        let space = op.space().unwrap_or(Space::Generic);
        let bytes = (ty.bits / 8) as usize;
        self.aligned(address, bytes as u64 * op.vector() as u64)?;
        if let Arg::Vector(parts) = &rest[1] {
            // Each element by itself.
            let one = Op::new(&op.text.replace(".v2", "").replace(".v4", "").replace(".v8", ""));
            let mut old = Vec::new();
            for (at, part) in parts.iter().enumerate() {
                let place = Arg::Memory(Box::new(Arg::Int(address)), (at * bytes) as i64);
                old.push(self.element(thread, &one, &place, part)?);
            }
            return match to {
                Some(Arg::Vector(to)) => {
                    to.iter().zip(old).try_for_each(|(to, old)| self.set(thread, to, old))
                }
                _ => Ok(()),
            };
        }
        let old = self.load(thread, space, address, bytes)?;
        let b = cut(self.value(thread, &rest[1], op.float)?, ty.bits);
        let nearest = Round::NearestTiesToEven;
        let name = ["add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"]
            .into_iter()
            .find(|name| op.has(name))
            .ok_or_else(|| refused(op))?;
        let halves = |format: Format| {
            let half = |at: u32| {
                let (a, b) = (old >> at & 0xffff, b >> at & 0xffff);
                combined(op, format, a, b) << at
            };
            half(0) | half(16)
        };
        let new = match (name, op.float) {
            (_, _) if op.has("f16x2") => halves(Format::F16),
            (_, _) if op.has("bf16x2") => halves(Format::Bf16),
            ("min" | "max", Some(format)) => combined(op, format, old, b),
            ("add", Some(format)) => soft::add(format, old, b, nearest),
            ("exch", _) => b,
            ("cas", _) => {
                let new = cut(self.value(thread, &rest[2], None)?, ty.bits);
                if old == b { new } else { old }
            }
            (_, Some(_)) => return Err(refused(op)),
            ("add", None) => cut(old.wrapping_add(b), ty.bits),
            ("min", None) => cut(number(ty, old).min(number(ty, b)) as u64, ty.bits),
            ("max", None) => cut(number(ty, old).max(number(ty, b)) as u64, ty.bits),
            ("inc", None) => {
                if old >= b {
                    0
                } else {
                    old + 1
                }
            }
            ("dec", None) => {
                if old == 0 || old > b {
                    b
                } else {
                    old - 1
                }
            }
            ("and", None) => old & b,
            ("or", None) => old | b,
            _ => old ^ b,
        };
        self.store(thread, space, address, bytes, new)?;
        match to {
            Some(to) => self.set(thread, to, old),
            None => Ok(()),
        }
    }

    fn barrier(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<Flow, Stop> {
        let reduces = op.has("red");
        let rest = if reduces { &args[1..] } else { args };
        let id = self.value(thread, &rest[0], None)? as u32;
        let counted = rest.len() > 1 + usize::from(reduces);
        let expected = if counted { Some(self.value(thread, &rest[1], None)? as u32) } else { None };
        let vote =
            if reduces { Some(self.value(thread, &rest[rest.len() - 1], None)? & 1 == 1) } else { None };
        let cta = self.threads[thread].cta;
        let waits = !op.has("arrive");
        let barrier =
            self.ctas[cta].barriers.entry(id).or_insert_with(|| Barrier { expected, ..Barrier::default() });
        if barrier.expected != expected {
            return Err(Stop::Fault("threads disagree about a barrier's count".to_owned()));
        }
        barrier.arrived.push((thread, waits));
        barrier.votes.extend(vote);
        if waits {
            self.threads[thread].state = State::Barrier(id as usize);
        }
        self.try_barrier(cta, id)?;
        Ok(if waits { Flow::Blocked } else { Flow::Next })
    }

    /// Gives the result of a reduction to a thread that waited for it.
    pub(super) fn reduced(&mut self, thread: usize, votes: &[bool]) -> Result<(), Stop> {
        let program = self.program;
        let inst = &program.code[self.threads[thread].pc];
        if !inst.op.has("red") {
            return Ok(());
        }
        let value = match () {
            _ if inst.op.has("and") => u64::from(votes.iter().all(|vote| *vote)),
            _ if inst.op.has("or") => u64::from(votes.iter().any(|vote| *vote)),
            _ => votes.iter().filter(|vote| **vote).count() as u64,
        };
        self.set(thread, &inst.args[0], value)
    }

    fn meet(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<Flow, Stop> {
        let masked = matches!(op.base.as_str(), "bar" | "shfl" | "vote" | "match" | "redux" | "elect");
        let mask = match args.last() {
            // Without `.sync`, all that are left.
            Some(mask) if masked && op.has("sync") => self.value(thread, mask, None)? as u32,
            _ => u32::MAX,
        };
        let lane = thread - self.warp(thread).start;
        if mask >> lane & 1 == 0 {
            return Err(Stop::Fault(format!("lane {lane} is not a member of its own `{}`", op.base)));
        }
        self.threads[thread].state = State::Warp(mask);
        self.try_collective(thread)?;
        Ok(Flow::Blocked)
    }

    fn copy(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        if op.has("bulk") && op.has("tensor") {
            return self.tensor_copy(thread, op, args);
        }
        if op.has("bulk") && op.has("reduce") {
            return self.bulk_change(thread, op, args);
        }
        if op.suffixes.first().is_none_or(|first| first != "async") {
            return Err(refused(op));
        }
        if op.has("bulk") {
            return self.bulk_copy(thread, op, args);
        }
        let own = &mut self.threads[thread];
        match op.suffixes[1].as_str() {
            "commit_group" => {
                own.groups += 1;
                let group = own.groups;
                let open = own.pending.iter_mut().filter(|p| p.group.is_none() && p.what.in_group());
                open.for_each(|p| p.group = Some(group));
                Ok(())
            }
            "wait_all" => self.wait(thread, |pending| pending.what.in_group()),
            "wait_group" => {
                let newest = self.value(thread, &args[0], None)?;
                let groups = self.threads[thread].groups;
                let old = |group| group + newest <= groups;
                self.wait(thread, |pending| pending.what.in_group() && pending.group.is_some_and(old))
            }
            "mbarrier" => {
                let (_, object) = self.object(thread, op, &args[0])?;
                let cta = self.threads[thread].cta;
                if !op.has("noinc")
                    && let Some(phaser) = self.ctas[cta].phasers.get_mut(&object)
                {
                    phaser.pending += 1;
                }
                self.threads[thread].pending.push(Pending { group: None, what: Background::Arrive(object) });
                Ok(())
            }
            _ => {
                let to = self.address(thread, &args[0])?;
                let from = self.address(thread, &args[1])?;
                let bytes = self.value(thread, &args[2], None)?;
                self.aligned(to, bytes)?;
                self.aligned(from, bytes)?;
                // The fourth operand: bytes to read, or a predicate under which nothing is read.
                let read = match args.get(3) {
                    None => bytes,
                    _ if op.has("L2::cache_hint") => return Err(refused(op)),
                    Some(Arg::Reg(register)) if self.program.widths[*register] == 1 => {
                        if self.threads[thread].regs[*register] & 1 == 1 { 0 } else { bytes }
                    }
                    Some(arg) => cut(self.value(thread, arg, None)?, 32).min(bytes),
                };
                self.threads[thread]
                    .pending
                    .push(Pending { group: None, what: Background::Copy { to, from, bytes, read } });
                Ok(())
            }
        }
    }

    /// `cp.reduce.async.bulk` to global memory: elements change as by `red` (9.7.9.25.4.2).
    fn bulk_change(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        let Some(change) = op.text.strip_prefix("cp.reduce.async.bulk.global.shared::cta.bulk_group.") else {
            return Err(refused(op));
        };
        let bytes = u64::from(op.ty.ok_or_else(|| refused(op))?.bits / 8);
        let (to, from) = (self.address(thread, &args[0])?, self.address(thread, &args[1])?);
        let size = cut(self.value(thread, &args[2], None)?, 32);
        for number in [to, from, size] {
            self.aligned(number, 16)?;
        }
        let elements = (0..size / bytes).map(|at| (from + at * bytes, Some(to + at * bytes))).collect();
        // Halves have a minimum and a maximum alone only here.
        let change = Some(format!("red.global.{change}"));
        self.bulk = true;
        let what = Background::Boxed { elements, bytes, change, object: None };
        self.threads[thread].pending.push(Pending { group: None, what });
        Ok(())
    }

    /// `st.async` and `red.async` (9.7.9.12, 9.7.13.7).
    fn send(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        let ty = op.ty.ok_or_else(|| refused(op))?;
        if op.has("global") || !op.has("mbarrier::complete_tx::bytes") {
            return Err(refused(op));
        }
        let (to, object) = (self.address(thread, &args[0])?, self.address(thread, &args[2])?);
        let bytes = u64::from(ty.bits / 8);
        self.aligned(to, bytes * op.vector() as u64)?;
        let parts = match &args[1] {
            Arg::Vector(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let values = parts.iter().map(|part| Ok(cut(self.value(thread, part, op.float)?, ty.bits)));
        let values = values.collect::<Result<Vec<u64>, Stop>>()?;
        let name = op.suffixes.iter().rev().nth(1).filter(|_| op.base == "red");
        let change =
            name.map(|name| format!("red.shared::cluster.{name}.{}", op.suffixes[op.suffixes.len() - 1]));
        self.bulk = true;
        let what = Background::Sent { to, values, bytes, change, object };
        self.threads[thread].pending.push(Pending { group: None, what });
        Ok(())
    }

    /// Bulk copies; both addresses and the size are multiples of 16 (9.7.9.25.4.1).
    fn bulk_copy(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<(), Stop> {
        let own = &mut self.threads[thread];
        match op.suffixes[2].as_str() {
            "commit_group" => {
                own.bulk_groups += 1;
                let group = own.bulk_groups;
                let open = own.pending.iter_mut().filter(|p| p.group.is_none() && p.what.in_bulk_group());
                open.for_each(|p| p.group = Some(group));
                return Ok(());
            }
            // With `.read`, the copies may still have to write; that they have is one of the ways it can go.
            "wait_group" => {
                let newest = self.value(thread, &args[0], None)?;
                let groups = self.threads[thread].bulk_groups;
                let old = |group| group + newest <= groups;
                return self.wait(thread, |p| p.what.in_bulk_group() && p.group.is_some_and(old));
            }
            "prefetch" if !op.has("tensor") => return Ok(()),
            "global" | "shared::cta" | "shared::cluster" => {}
            _ => return Err(refused(op)),
        }
        let stores = match (op.suffixes[2].as_str(), op.suffixes[3].as_str()) {
            ("global", "shared::cta") => true,
            ("shared::cta" | "shared::cluster", "global") | ("shared::cluster", "shared::cta") => false,
            _ => return Err(refused(op)),
        };
        let across = op.suffixes[3] == "shared::cta" && !stores;
        let known = ["async", "bulk", "global", "shared::cta", "shared::cluster", "bulk_group"];
        let counts = "mbarrier::complete_tx::bytes";
        if op.suffixes.iter().any(|suffix| !known.contains(&suffix.as_str()) && suffix != counts) {
            return Err(refused(op));
        }
        let (to, from) = (self.address(thread, &args[0])?, self.address(thread, &args[1])?);
        let bytes = cut(self.value(thread, &args[2], None)?, 32);
        for number in [to, from, bytes] {
            self.aligned(number, 16)?;
        }
        let (to, from, object) = match stores {
            true => ((Space::Global, to), (Space::Shared, from), None),
            false => {
                let outof = if across { Space::Shared } else { Space::Global };
                ((Space::Shared, to), (outof, from), Some(self.address(thread, &args[3])?))
            }
        };
        self.bulk = true;
        let what = Background::Bulk { to, from, bytes, object };
        self.threads[thread].pending.push(Pending { group: None, what });
        Ok(())
    }

    fn object(&self, thread: usize, op: &Op, arg: &Arg) -> Result<(usize, u64), Stop> {
        let address = self.address(thread, arg)?;
        let own = match op.space() {
            Some(Space::Shared) => address,
            _ => match memory::resolve(address) {
                (Space::Shared, own) => own,
                _ => return Err(refused(op)),
            },
        };
        Ok(self.in_cluster(self.threads[thread].cta, own))
    }

    /// Whether it asked for a phase that has not ended.
    fn phaser(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<bool, Stop> {
        // The state that an arrival returns: the phase, and how many arrivals it lacked.
        let token = |phaser: Phaser| phaser.phase << 32 | phaser.pending;
        let none = || Stop::Fault("no barrier object".to_owned());
        match op.suffixes[0].as_str() {
            "init" => {
                let (cta, object) = self.object(thread, op, &args[0])?;
                let count = cut(self.value(thread, &args[1], None)?, 32);
                self.ctas[cta]
                    .phasers
                    .insert(object, Phaser { expected: count, pending: count, phase: 0, bytes: 0 });
                Ok(false)
            }
            "inval" => {
                let (cta, object) = self.object(thread, op, &args[0])?;
                self.ctas[cta].phasers.remove(&object).map(|_| false).ok_or_else(none)
            }
            kind @ ("arrive" | "arrive_drop") => {
                let (cta, object) = self.object(thread, op, &args[1])?;
                let mut count = args.get(2).map_or(Ok(1), |arg| self.value(thread, arg, None))?;
                if op.has("expect_tx") {
                    self.count(cta, object, count as i64)?;
                    count = 1;
                }
                if kind == "arrive_drop"
                    && let Some(phaser) = self.ctas[cta].phasers.get_mut(&object)
                {
                    phaser.expected -= count.min(phaser.expected);
                }
                let before = self.arrive(cta, object, count)?;
                self.set(thread, &args[0], token(before)).map(|()| false)
            }
            "test_wait" | "try_wait" => {
                let (cta, object) = self.object(thread, op, &args[1])?;
                let phaser = *self.ctas[cta].phasers.get(&object).ok_or_else(none)?;
                let asked = self.value(thread, &args[2], None)?;
                let over =
                    if op.has("parity") { phaser.phase & 1 != asked & 1 } else { phaser.phase > asked >> 32 };
                self.set(thread, &args[0], u64::from(over)).map(|()| !over)
            }
            kind @ ("expect_tx" | "complete_tx") => {
                let (cta, object) = self.object(thread, op, &args[0])?;
                let bytes = cut(self.value(thread, &args[1], None)?, 32) as i64;
                self.count(cta, object, if kind == "expect_tx" { bytes } else { -bytes }).map(|()| false)
            }
            "pending_count" => {
                let state = self.value(thread, &args[1], None)?;
                self.set(thread, &args[0], cut(state, 32)).map(|()| false)
            }
            _ => Err(refused(op)),
        }
    }

    fn call(&mut self, thread: usize, op: &Op, args: &[Arg]) -> Result<Flow, Stop> {
        let at = args.iter().position(|arg| matches!(arg, Arg::Function(_))).ok_or_else(|| refused(op))?;
        let Arg::Function(index) = args[at] else { return Err(refused(op)) };
        let program = self.program;
        let list = |arg: Option<&Arg>| match arg {
            Some(Arg::Vector(parts)) => parts.clone(),
            _ => Vec::new(),
        };
        let Some((start, parameters, _)) = program.function(index) else {
            return Err(Stop::Refused(format!("a call of {}", program.function_name(index))));
        };
        for (arg, slot) in list(args.get(at + 1)).iter().zip(parameters) {
            self.pass(thread, arg, slot, true)?;
        }
        let results = if at > 0 { list(args.first()) } else { Vec::new() };
        let back = self.threads[thread].pc + 1;
        self.threads[thread].stack.push(Frame { back, function: index, results });
        if self.threads[thread].stack.len() > 64 {
            return Err(Stop::Refused("a deep call".to_owned()));
        }
        Ok(Flow::Jump(start))
    }

    fn give_back(&mut self, thread: usize) -> Result<Flow, Stop> {
        let Some(frame) = self.threads[thread].stack.pop() else { return Ok(Flow::Exit) };
        let program = self.program;
        if let Some((_, _, returns)) = program.function(frame.function) {
            for (arg, slot) in frame.results.iter().zip(returns) {
                self.pass(thread, arg, slot, false)?;
            }
        }
        Ok(Flow::Jump(frame.back))
    }

    /// Copies an argument into a callee's slot, or a result out of it.
    fn pass(&mut self, thread: usize, arg: &Arg, slot: &Slot, into: bool) -> Result<(), Stop> {
        if let (Some(register), true) = (slot.register, into) {
            let value = self.value(thread, arg, None)?;
            return self.set(thread, &Arg::Reg(register), value);
        }
        if let Some(register) = slot.register {
            let value = self.threads[thread].regs[register];
            return self.set(thread, arg, value);
        }
        let Arg::Symbol(Space::Param, outside) = *arg else {
            return Err(Stop::Refused("an argument that is no parameter".to_owned()));
        };
        for at in 0..slot.size {
            let (from, to) = if into { (outside, slot.address) } else { (slot.address, outside) };
            let byte = self.load(thread, Space::Param, from + at, 1)?;
            self.store(thread, Space::Param, to + at, 1, byte)?;
        }
        Ok(())
    }
}
