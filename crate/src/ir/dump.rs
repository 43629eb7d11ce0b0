//! A kernel as text, for tests and debugging: one line an instruction.

use super::kernel::{Constant, Guard, Instr, Kernel, Reg, RegisterKind};
use crate::isa::{self, Access, Effect, Strength};
use std::fmt::Write;

/// Writes all of a kernel.
pub fn dump(kernel: &Kernel) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_kernel(kernel, &mut out);
    out
}

fn write_kernel(kernel: &Kernel, out: &mut String) -> std::fmt::Result {
    writeln!(out, "kernel {}", kernel.name)?;
    for p in &kernel.parameters {
        write!(out, "param {} .{} at {} size {}", p.name, p.format, p.offset, p.size)?;
        if p.pointer {
            let pointee = p.pointee.map_or("?", |format| format.name());
            write!(out, " pointer to {pointee}")?;
        }
        writeln!(out)?;
        for field in &p.fields {
            write!(out, "  field .{} at {} size {}", field.format, field.offset, field.size)?;
            if field.pointer {
                write!(out, " pointer to {}", field.pointee.map_or("?", |format| format.name()))?;
            }
            writeln!(out)?;
        }
    }
    for (at, v) in kernel.variables.iter().enumerate() {
        write!(out, "var {at} .{} {} .{} align {}", v.space.name(), v.name, v.format, v.align)?;
        match v.size {
            Some(size) => write!(out, " size {size} at {}", v.offset)?,
            None => write!(out, " dynamic at {}", v.offset)?,
        }
        if v.initialized {
            let shown: Vec<String> = v.init.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
            let more = if v.init.len() > 16 { " …" } else { "" };
            write!(out, " = {}{more}", shown.join(" "))?;
            for (place, target) in &v.relocations {
                write!(out, " [{place}] = {}", constant(kernel, target))?;
            }
        }
        writeln!(out)?;
    }
    for (at, instr) in kernel.code.iter().enumerate() {
        write!(out, "{at:4}: ")?;
        write_instr(kernel, at, instr, out)?;
    }
    Ok(())
}

fn write_instr(kernel: &Kernel, at: usize, instr: &Instr, out: &mut String) -> std::fmt::Result {
    if let Some(Guard { predicate, negated }) = instr.guard {
        write!(out, "@{}{} ", if negated { "!" } else { "" }, register(kernel, predicate))?;
    }
    let list = |regs: &[Reg]| regs.iter().map(|reg| register(kernel, *reg)).collect::<Vec<_>>().join(", ");
    let dst = list(kernel.dst(instr));
    if !dst.is_empty() {
        write!(out, "{dst} = ")?;
    }
    write!(out, "{}", effect(instr))?;
    let src = kernel.src(instr);
    match instr.effect {
        Effect::Load(_) | Effect::Store(_) | Effect::Atomic { .. } => {
            write!(out, " [{}{:+}]", register(kernel, src[0]), instr.offset)?;
            if src.len() > 1 {
                write!(out, ", {}", list(&src[1..]))?;
            }
        }
        _ if !src.is_empty() => write!(out, " {}", list(src))?,
        _ => {}
    }
    match instr.effect {
        Effect::Branch => write!(out, " -> {}", instr.target)?,
        Effect::BranchIndexed => write!(out, " -> {:?}", kernel.tables[instr.target as usize])?,
        Effect::Unsupported => write!(out, " ({})", kernel.note(at as u32))?,
        _ => {}
    }
    if kernel.reconverge.get(at).is_some_and(|meet| *meet != u32::MAX) {
        write!(out, " meets {}", kernel.reconverge[at])?;
    }
    if let Some(location) = kernel.locations.get(instr.location as usize) {
        write!(out, "  // line {}", location.line)?;
    }
    writeln!(out)
}

/// A register as messages name it.
pub(super) fn register(kernel: &Kernel, reg: Reg) -> String {
    match &kernel.registers[reg.index()] {
        RegisterKind::Constant(value) => constant(kernel, value),
        _ => match kernel.register_names[reg.index()].as_str() {
            "" => reg.to_string(),
            name => name.to_owned(),
        },
    }
}

fn constant(kernel: &Kernel, value: &Constant) -> String {
    match value {
        Constant::Bits(bits) if *bits < 1 << 16 => bits.to_string(),
        Constant::Bits(bits) => format!("{bits:#x}"),
        Constant::Address { variable, offset, generic } => {
            let name = &kernel.variables[*variable as usize].name;
            let plus = if *offset == 0 { String::new() } else { format!("{offset:+}") };
            if *generic { format!("generic(&{name}{plus})") } else { format!("&{name}{plus}") }
        }
        Constant::AddressHalf { variable, upper } => {
            let name = &kernel.variables[*variable as usize].name;
            format!("{}(&{name})", if *upper { "upper" } else { "lower" })
        }
        Constant::ParameterAddress(at) => format!("&param{at:+}"),
    }
}

fn effect(instr: &Instr) -> String {
    let access = |verb: &str, a: &Access| {
        let vector = if a.vector > 1 { format!(".v{}", a.vector) } else { String::new() };
        let strong = match a.strength {
            Strength::Strong(..) => ".strong",
            Strength::NonCoherent => ".nc",
            Strength::Texture => ".texture",
            Strength::Surface => ".surface",
            Strength::Weak => "",
        };
        format!("{verb}.{}{vector}{strong}.{}", a.space.name(), a.format)
    };
    match &instr.effect {
        Effect::Lanewise(lanes) => {
            let name = isa::row(instr.row).map_or("lanes", |row| row.name);
            let formats: Vec<&str> = lanes.src[..lanes.sources.into()].iter().map(|f| f.name()).collect();
            format!("{name}<{} -> {}>", formats.join(" "), lanes.dst)
        }
        Effect::Load(a) => access("load", a),
        Effect::Store(a) => access("store", a),
        Effect::Atomic { op, access: a } => access(&format!("atomic {op:?}").to_lowercase(), a),
        Effect::Move { bits } => format!("move.{bits}"),
        Effect::Pack { bits } => format!("pack.{bits}"),
        Effect::Unpack { bits } => format!("unpack.{bits}"),
        Effect::ToGeneric(space) => format!("to_generic.{}", space.name()),
        Effect::FromGeneric(space) => format!("from_generic.{}", space.name()),
        Effect::IsSpace(space) => format!("is_space.{}", space.name()),
        Effect::Branch => "branch".into(),
        Effect::BranchIndexed => "branch_indexed".into(),
        Effect::Exit => "exit".into(),
        other => format!("{other:?}").to_lowercase(),
    }
}
