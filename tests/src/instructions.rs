//! Single instructions, executed by the simulator and by the independent machine.
//!
//! A row of the instruction table is spelled out into its opcodes; an opcode becomes a kernel whose
//! threads each load operands from a tensor of 64-bit words, execute it, and store the results. The
//! operands' widths come from the manual's rules (below), not from the table.

use crate::machine::op::Op;
use crate::machine::{Machine, memory::Global, program, soft};
use crate::program::Dice;
use warpproof::base::{Budget, Format, Source};
use warpproof::sim::{self, Binding, BoundParameter, Initial, Options, Setup, TensorSetup};
use warpproof::spec::Launch;
use warpproof::term::Terms;
use warpproof::{ir, syntax};

/// An opcode with its operands as the form writes them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spelled {
    pub opcode: String,
    pub operands: Vec<String>,
}

/// All opcodes of a form in the table's notation, at most `most`, evenly spread.
pub fn spell(form: &str, most: usize) -> Vec<Spelled> {
    let mut parts = form.split(';').map(str::trim);
    let head = parts.next().unwrap_or("");
    let choices: Vec<(&str, Vec<&str>)> = parts
        .filter_map(|part| {
            let (name, values) = part.split_once('=')?;
            Some((name.trim().trim_start_matches('.'), values.split_whitespace().map(|v| &v[1..]).collect()))
        })
        .collect();
    let (opcode, operands) = head.split_once(' ').unwrap_or((head, ""));
    let base = opcode.split(['.', '{']).next().unwrap_or("");
    let mut groups: Vec<Vec<String>> = Vec::new();
    let mut rest = &opcode[base.len()..];
    while let Some(start) = rest.find('.') {
        let optional = start > 0 && rest.as_bytes()[start - 1] == b'{';
        let tail = &rest[start + 1..];
        let end = tail.find(['.', '{', '}']).unwrap_or(tail.len());
        let name = &tail[..end];
        let values =
            choices.iter().find(|(own, _)| *own == name).map_or(vec![name], |(_, values)| values.clone());
        let mut group: Vec<String> = values.iter().map(|value| format!(".{value}")).collect();
        if optional {
            group.push(String::new());
        }
        groups.push(group);
        rest = &tail[end..];
    }
    let all: usize = groups.iter().map(Vec::len).product();
    // A stride that shares no factor with the sizes visits every choice of every group.
    let step = (all / most.max(1)).max(1) | 1;
    let operands: Vec<String> = split(operands);
    (0..all)
        .step_by(if all <= most { 1 } else { step })
        .map(|mut at| {
            let mut opcode = base.to_owned();
            for group in &groups {
                opcode += &group[at % group.len()];
                at /= group.len();
            }
            Spelled { opcode, operands: operands.clone() }
        })
        .collect()
}

fn split(operands: &str) -> Vec<String> {
    let required = operands.split("{,").next().unwrap_or("");
    required
        .split(", ")
        .map(|operand| operand.trim().to_owned())
        .filter(|operand| !operand.is_empty())
        .collect()
}

/// Bits of the destination and of the sources; 1 is a predicate.
pub fn widths(spelled: &Spelled) -> Option<(Vec<u32>, Vec<u32>)> {
    let op = Op::new(&spelled.opcode);
    let bits = op.ty.map(|ty| ty.bits);
    let pair = spelled.operands.first().is_some_and(|d| d.contains('|'));
    let sources = spelled.operands.len().checked_sub(1)?;
    let all = |width: u32| vec![width; sources];
    let named = |name: &str| -> Option<u32> {
        Some(match name {
            "f16x2" | "bf16x2" | "tf32" => 32,
            "u16x2" | "s16x2" => 32,
            "f32x2" => 64,
            "e4m3x2" | "e5m2x2" | "e2m3x2" | "e3m2x2" | "ue8m0x2" => 16,
            "e2m1x2" => 8,
            // No register is narrower than 16 bits.
            name => crate::machine::op::Type::named(name)?.bits.max(16),
        })
    };
    let (d, mut s) = match op.base.as_str() {
        "setp" => (vec![1; if pair { 2 } else { 1 }], all(bits?)),
        "testp" => (vec![1], all(bits?)),
        "set" => (vec![named(op.suffixes.iter().rev().nth(1)?)?], all(named(op.suffixes.last()?)?)),
        "selp" => (vec![bits?], vec![bits?, bits?, 1]),
        "slct" => {
            let to = op.other?.bits;
            (vec![to], vec![to, to, bits?])
        }
        "lop3" if pair => (vec![32, 1], vec![32, 32, 32, 1]),
        "cvt" if op.has("pack") => (vec![32], all(32)),
        "cvt" => {
            let [to, from] = op.suffixes.get(op.suffixes.len().checked_sub(2)?..)? else { return None };
            (vec![named(to)?], all(named(from)?))
        }
        "mul" | "mad" if op.has("wide") => {
            let mut s = all(bits?);
            if sources == 3 {
                s[2] = 2 * bits?;
            }
            (vec![2 * bits?], s)
        }
        "popc" | "clz" | "bfind" => (vec![32], all(bits?)),
        "bfe" => (vec![bits?], vec![bits?, 32, 32]),
        "bfi" => (vec![bits?], vec![bits?, bits?, 32, 32]),
        "shl" | "shr" => (vec![bits?], vec![bits?, 32]),
        "dp4a" | "dp2a" | "fns" | "prmt" | "lop3" | "szext" | "bmsk" | "shf" => (vec![32], all(32)),
        "add" | "sub" | "fma"
            if op.other.is_some_and(|other| other.float().is_some()) && op.float.is_some() =>
        {
            let mut s = all(op.other?.bits);
            let halves = if op.base == "fma" { 2 } else { 1 };
            s[..halves].fill(16);
            (vec![op.other?.bits], s)
        }
        _ => (vec![bits?], all(bits?)),
    };
    if ["setp", "set"].contains(&op.base.as_str()) && s.len() == 3 {
        s[2] = 1;
    }
    Some((d, s))
}

/// Whether the instruction reads or writes the carry.
fn carries(op: &Op) -> bool {
    op.has("cc") || ["addc", "subc", "madc"].contains(&op.base.as_str())
}

/// The kernel: thread `t` reads words `4t…4t+3` and writes words `4t…4t+3`.
fn kernel(spelled: &Spelled, d: &[u32], s: &[u32]) -> String {
    let op = Op::new(&spelled.opcode);
    let mut body = String::new();
    for (at, width) in s.iter().enumerate() {
        body += &format!("ld.global.b64 %w{at}, [%in+{}];\n", 8 * at);
        body += &match width {
            1 => format!("and.b64 %w{at}, %w{at}, 1; setp.ne.u64 %s{at}p, %w{at}, 0;\n"),
            64 => format!("mov.b64 %s{at}q, %w{at};\n"),
            width => format!("cvt.u{width}.u64 %s{at}{}, %w{at};\n", letter(*width)),
        };
    }
    if carries(&op) {
        // The condition code comes from the fourth word: a sum that carries, or a borrow.
        body += "ld.global.b64 %w3, [%in+24]; cvt.u32.u64 %c, %w3; and.b32 %c, %c, 1; neg.s32 %c, %c;\n";
        body +=
            if op.base.starts_with("sub") { "sub.cc.u32 %c, 0, %c;\n" } else { "add.cc.u32 %c, %c, 1;\n" };
    }
    // A part of a register (`a.b1`) and a minus (`-a`) are taken as they are written.
    let written = |at: usize| spelled.operands.get(at).map_or("", String::as_str);
    let part = |at: usize| written(at).find('.').map_or("", |dot| &written(at)[dot..]);
    let source = |at: usize, width: u32| {
        let minus = if written(at + 1).starts_with('-') { "-" } else { "" };
        format!("{minus}%s{at}{}{}", letter(width), part(at + 1))
    };
    let mut operands = vec![match d {
        [one] => format!("%d0{}", letter(*one)),
        _ => format!("%d0{}|%d1{}", letter(d[0]), letter(d[1])),
    }];
    operands.extend(s.iter().enumerate().map(|(at, width)| source(at, *width)));
    if op.base == "lop3" {
        // The table is an immediate; the caller's fourth word cannot reach it.
        if d.len() == 2 {
            operands.insert(4, "0x96".to_owned());
        } else {
            operands[4] = "0x96".to_owned();
        }
    }
    body += &format!("{} {};\n", spelled.opcode, operands.join(", "));
    if carries(&op) {
        let after = if op.base.starts_with("sub") { "subc" } else { "addc" };
        body += &format!("{after}.u32 %c, 0, 0; cvt.u64.u32 %w0, %c; st.global.b64 [%out+8], %w0;\n");
    }
    for (at, width) in d.iter().enumerate() {
        body += &match width {
            1 => format!("selp.b64 %w0, 1, 0, %d{at}p;\n"),
            64 => format!("mov.b64 %w0, %d{at}q;\n"),
            width => format!("cvt.u64.u{width} %w0, %d{at}{};\n", letter(*width)),
        };
        body += &format!("st.global.b64 [%out+{}], %w0;\n", 8 * at);
    }
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 k_in, .param .u64 k_out)\n{{\n\
         .reg .b64 %in, %out, %t; .reg .b32 %c, %thr; .reg .b64 %w<4>;\n\
         .reg .pred %s0p, %s1p, %s2p, %s3p, %d0p, %d1p; .reg .b8 %s0b, %d0b; .reg .b16 %s0h, %s1h, %s2h, %s3h, %d0h, %d1h;\n\
         .reg .b32 %s0w, %s1w, %s2w, %s3w, %d0w, %d1w; .reg .b64 %s0q, %s1q, %s2q, %s3q, %d0q, %d1q;\n\
         ld.param.u64 %in, [k_in]; ld.param.u64 %out, [k_out];\n\
         mov.u32 %thr, %tid.x; mul.wide.u32 %t, %thr, 32; add.s64 %in, %in, %t; add.s64 %out, %out, %t;\n\
         {body}ret;\n}}\n"
    )
}

fn letter(width: u32) -> char {
    match width {
        1 => 'p',
        8 => 'b',
        16 => 'h',
        32 => 'w',
        _ => 'q',
    }
}

/// Results of an opcode for some operands, by simulator and machine: for each row of operands the
/// destinations, then the carry if there is one.
pub type Results = (Vec<Vec<u64>>, Vec<Vec<u64>>);

/// Runs an opcode on rows of four words; `None` if the table does not take it.
pub fn execute(spelled: &Spelled, rows: &[[u64; 4]]) -> Option<Result<Results, String>> {
    let (d, s) = widths(spelled)?;
    let text = kernel(spelled, &d, &s);
    let parsed = syntax::parse(Source::Optimized, &text);
    if !parsed.diagnostics.is_empty() {
        return Some(Err(format!("{:?}", parsed.diagnostics[0])));
    }
    let lowered = match ir::lower(Source::Optimized, &parsed.module, None) {
        Ok(lowered) => lowered,
        Err(errors) => return Some(Err(format!("{:?}", errors.first().map(|error| &error.message)))),
    };
    let op = Op::new(&spelled.opcode);
    let outs = d.len() + usize::from(carries(&op));
    let launch = Launch {
        grid: [1, 1, 1],
        block: [rows.len() as u32, 1, 1],
        ctas: vec![[0, 0, 0]],
        cluster: [1; 3],
        dynamic_shared: Some(0),
    };
    let count = 4 * rows.len() as u64;
    let tensor = |name: &str, initial: Initial| TensorSetup {
        variable: None,
        name: name.to_owned(),
        format: Some(Format::U64),
        shape: Some(vec![count]),
        strides: None,
        role: None,
        initial,
        reserved: count,
        others: None,
    };
    let words: Vec<u64> = rows.iter().flatten().copied().collect();
    let pointer = |at: usize| BoundParameter {
        offset: 8 * at as u32,
        size: 8,
        binding: Binding::Pointer { tensor: at, offset: 0 },
    };
    let setup = Setup {
        maps: Default::default(),
        unknowable: (0, 0),
        contents: Default::default(),
        bounds: Vec::new(),
        launch: launch.clone(),
        tensors: vec![tensor("in", Initial::Concrete(words.clone())), tensor("out", Initial::Undefined)],
        views: Vec::new(),
        parameters: vec![pointer(0), pointer(1)],
    };
    let options = Options { timeline_events: 0, ..Options::default() };
    let run = sim::simulate(&options, &Budget::default(), &lowered.kernel, &setup);
    if let Some(fault) = run.faults.first() {
        return Some(Err(format!("the simulator: {:?}", fault.kind)));
    }
    let read = |row: usize, at: usize| {
        run.tensors[1].elements.get((4 * row + at) as u64).and_then(|(term, _)| bits(&run.terms, term))
    };
    let simulated: Option<Vec<Vec<u64>>> =
        (0..rows.len()).map(|row| (0..outs).map(|at| read(row, at)).collect()).collect();
    let Some(simulated) = simulated else { return Some(Err("the simulator gives no number".to_owned())) };

    let mut global = Global::default();
    let program = match program::build(&parsed.module, None, &mut global) {
        Ok(program) => program,
        Err(why) => return Some(Err(format!("the machine has no {why}"))),
    };
    let image: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let places = [global.place(image.clone()), global.place(vec![0xa5; image.len()])];
    let parameters: Vec<u8> = places.iter().flat_map(|place| place.to_le_bytes()).collect();
    let mut machine = Machine::new(&program, &launch, global, &parameters, 1);
    if let Err(stop) = machine.run(1 << 24) {
        return Some(Err(format!("the machine: {stop:?}")));
    }
    let read =
        |row: usize, at: usize| machine.global.read(places[1] + 8 * (4 * row + at) as u64, 8).unwrap_or(0);
    let executed = (0..rows.len()).map(|row| (0..outs).map(|at| read(row, at)).collect()).collect();
    Some(Ok((simulated, executed)))
}

/// A concrete 64-bit word.
fn bits(terms: &Terms, term: warpproof::term::Term) -> Option<u64> {
    let value = terms.as_rational(term)?;
    value.to_integer().to_u64_digits().1.first().copied().or(Some(0))
}

/// The float format that destination and sources are, for choosing operands and comparing NaNs.
pub fn float_of(spelled: &Spelled) -> Option<Format> {
    let op = Op::new(&spelled.opcode);
    if op.base == "cvt" || op.base == "set" {
        let to = op.suffixes.iter().rev().nth(1)?;
        return match to.as_str() {
            "tf32" => Some(Format::F32),
            "f16x2" => Some(Format::F16),
            "bf16x2" => Some(Format::Bf16),
            to => crate::machine::op::Type::named(to)?.float(),
        };
    }
    match () {
        _ if op.has("f16x2") => Some(Format::F16),
        _ if op.has("bf16x2") => Some(Format::Bf16),
        _ if op.has("f32x2") => Some(Format::F32),
        _ => op.other.and_then(|other| other.float()).or(op.float),
    }
}

/// Whether two results are the same: bits, any NaN like any other, approximate functions to two
/// units in the last place.
pub fn same(spelled: &Spelled, width: u32, a: u64, b: u64) -> bool {
    if a == b {
        return true;
    }
    let Some(format) = float_of(spelled) else { return false };
    let op = Op::new(&spelled.opcode);
    if op.base == "setp" || op.base == "testp" {
        return false;
    }
    let slack = if op.has("approx") || op.has("full") { 2 } else { 0 };
    let each = format.bits();
    (0..width.max(each) / each).all(|at| {
        let half = |value: u64| crate::machine::integer::cut(value >> (at * each), each);
        let (a, b) = (half(a), half(b));
        a == b || soft::is_nan(format, a) && soft::is_nan(format, b) || a.abs_diff(b) <= slack
    })
}

/// A word with something to trip over: small numbers, ends of ranges, shift widths, the edges of
/// every float format; or anything.
pub fn word(dice: &mut Dice, float: Option<Format>) -> u64 {
    const EDGES: [u64; 40] = [
        0,
        1,
        2,
        3,
        7,
        8,
        15,
        16,
        17,
        24,
        31,
        32,
        33,
        63,
        64,
        65,
        127,
        128,
        255,
        256,
        0x7f,
        0x80,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_ffff,
        0xffff_fffe,
        0x7fff_ffff_ffff_ffff,
        0x8000_0000_0000_0000,
        0x8000_0000_0000_0001,
        0xffff_ffff_ffff_ffff,
        0xffff_ffff_ffff_ffe0,
        0x0102_0304,
        0xfffe_8001,
        0x0001_0000,
        0x00ff_00ff,
        0x1_0000_0000,
    ];
    const F32: [u32; 24] = [
        0,
        0x8000_0000,
        0x3f80_0000,
        0xbf80_0000,
        1,
        0x8000_0001,
        0x7f_ffff,
        0x80_0000,
        0x7f7f_ffff,
        0xff7f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x3f00_0000,
        0x3fc0_0000,
        0x4020_0000,
        0xc020_0000,
        0x3f80_0001,
        0x4f00_0000,
        0xcf00_0000,
        0x4f80_0000,
        0x5f00_0000,
        0x477f_e000,
        0x477f_f000,
    ];
    match (dice.below(4), float) {
        (0, _) => EDGES[dice.below(40) as usize],
        (1, Some(format)) => {
            let edge = f64::from(f32::from_bits(F32[dice.below(24) as usize]));
            let half = soft::from_value(format, edge, rustc_apfloat::Round::NearestTiesToEven);
            if format.bits() == 16 { half << 16 | dice.below(1 << 16) } else { half }
        }
        (2, Some(format)) => {
            let value =
                (dice.below(1 << 24) as f64 - f64::from(1 << 23)) / f64::from(1 << (dice.below(24) + 4));
            let one = soft::from_value(format, value, rustc_apfloat::Round::NearestTiesToEven);
            if format.bits() == 16 { one << 16 | one } else { one }
        }
        _ => dice.below(u64::MAX) ^ dice.below(u64::MAX) << 53,
    }
}
