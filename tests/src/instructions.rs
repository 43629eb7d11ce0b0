//! Single instructions, executed by the simulator and by the independent machine.
//!
//! A row of the instruction table is spelled out into its opcodes; an opcode becomes a kernel whose
//! threads each load operands from a tensor of 64-bit words, execute it, and store the results. The
//! operands' widths come from the manual's rules (below), not from the table.

use crate::agreement::{Job, Pointer};
use crate::machine::op::Op;
use crate::machine::{Machine, memory::Global, program, soft};
use crate::program::Dice;
use crate::words::tensor;
use warpproof::base::{Budget, Format, Source};
use warpproof::isa::{self, Action, Effect, Row, Shape, Support};
use warpproof::sim::{self, Binding, BoundParameter, Initial, Options, Setup};
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

/// The opcodes of a video instruction, each with every `stride`-th choice of parts and, of products, of signs.
pub fn with_parts(row: &Row, stride: usize) -> Vec<Spelled> {
    let side_by_side = row.name.ends_with(['2', '4']);
    let parts: &[&str] = if side_by_side { &[""] } else { &["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"] };
    let signs: &[[&str; 3]] = match row.name {
        "vmad" => &[["", "", ""], ["-", "", ""], ["", "-", ""], ["", "", "-"], ["-", "-", ""]],
        _ => &[["", "", ""]],
    };
    let mut all = Vec::new();
    for spelled in row.forms.iter().flat_map(|form| spell(form, 3000)) {
        let op = Op::new(&spelled.opcode);
        let third = spelled.operands.len() == 4
            || ["add", "min", "max"].iter().any(|second| spelled.opcode.ends_with(&format!(".{second}")));
        for (a, b) in parts.iter().flat_map(|a| parts.iter().map(move |b| (a, b))) {
            // A third source is what a part is put into.
            for into in parts.iter().filter(|into| !into.is_empty() && !third) {
                let operands = [format!("d{into}"), format!("a{a}"), format!("b{b}"), "c".to_owned()];
                all.push(Spelled { opcode: spelled.opcode.clone(), operands: operands.to_vec() });
            }
            for sign in signs.iter().filter(|sign| !op.has("po") || !sign.contains(&"-")) {
                let mut operands =
                    vec!["d".to_owned(), format!("{}a{a}", sign[0]), format!("{}b{b}", sign[1])];
                operands.extend(third.then(|| format!("{}c", sign[2])));
                all.push(Spelled { opcode: spelled.opcode.clone(), operands });
            }
        }
    }
    all.into_iter().step_by(stride).collect()
}

/// Whether a row is one of the video instructions.
pub fn is_video(row: &Row) -> bool {
    row.section.starts_with("9.7.18.")
}

/// The opcodes of a row that are functions of their sources' bits, at most `most` of each form.
pub fn opcodes(row: &Row, most: usize) -> impl Iterator<Item = Spelled> {
    row.forms.iter().flat_map(move |form| spell(form, most)).filter(resolves).filter(is_legal)
}

/// The first opcode of a row that the table takes, if it is a function of its sources' bits.
pub fn lanewise(row: &Row) -> bool {
    row.support == Support::Full
        && row.forms.iter().flat_map(|form| spell(form, 40)).any(|spelled| resolves(&spelled))
}

fn resolves(spelled: &Spelled) -> bool {
    let op = Op::new(&spelled.opcode);
    if ["mov", "cvta", "isspacep", "createpolicy"].contains(&op.base.as_str()) {
        return false;
    }
    let shapes: Vec<Shape> = spelled
        .operands
        .iter()
        .map(|operand| if operand.contains('|') { Shape::Pair } else { Shape::Scalar })
        .collect();
    let suffixes: Vec<&str> = op.suffixes.iter().map(String::as_str).collect();
    match isa::find(&op.base, &suffixes, &shapes).map(|found| found.action) {
        Ok(Action::Effect(Effect::Lanewise(_)) | Action::Carry { .. }) => true,
        Ok(Action::Steps(steps)) => steps.iter().all(|step| {
            matches!(step.effect, Effect::Lanewise(_) | Effect::Pack { .. } | Effect::Unpack { .. })
        }),
        _ => false,
    }
}

/// Whether the manual has the combination: the table takes a few that assemblers reject.
fn is_legal(spelled: &Spelled) -> bool {
    let op = Op::new(&spelled.opcode);
    let float = |name: &str| ["f32", "f16", "f16x2"].contains(&name);
    let halves = |name: &&String| ["f16x2", "bf16x2"].contains(&name.as_str());
    match op.base.as_str() {
        // Flushing where the type has none, and pairs of one kind into pairs of the other.
        "setp" | "set" => {
            let last = op.suffixes.last().map_or("", String::as_str);
            let packed: Vec<&String> = op.suffixes.iter().filter(halves).collect();
            (!op.has("ftz") || float(last)) && packed.windows(2).all(|two| two[0] == two[1])
        }
        // f16 has no flushing form, bf16 no other.
        "ex2" => !op.has("f16") && !op.has("f16x2") || !op.has("ftz"),
        // bf16 does not flush.
        "fma" => !op.has("ftz") || !op.suffixes.iter().any(|name| name.starts_with("bf16")),
        _ => true,
    }
}

/// What the manual leaves open for these operands.
pub fn is_open(spelled: &Spelled, operands: &[u64; 4]) -> bool {
    let op = Op::new(&spelled.opcode);
    let bits = op.ty.map_or(64, |ty| ty.bits);
    let low = |at: usize| crate::machine::integer::cut(operands[at], bits);
    match op.base.as_str() {
        "div" | "rem" if op.float.is_none() => low(1) == 0,
        // The base must name a bit.
        "fns" => operands[1] & 0xffff_ffff > 31,
        _ => false,
    }
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
    let into = spelled.operands.first().map_or("", String::as_str);
    let into = into.find('.').map_or("", |dot| &into[dot..]);
    let mut operands = vec![match d {
        [one] => format!("%d0{}{into}", letter(*one)),
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

/// Runs an opcode on rows of four words by simulator and machine; `None` if it has no widths.
pub fn execute(spelled: &Spelled, rows: &[[u64; 4]]) -> Option<Result<Results, String>> {
    let task = Task::new(spelled, rows)?;
    Some(task.simulated().and_then(|simulated| Ok((simulated, task.executed()?))))
}

/// An opcode's kernel on rows of four words.
pub struct Task {
    pub ptx: String,
    words: Vec<u64>,
    rows: usize,
    outs: usize,
    launch: Launch,
}

impl Task {
    /// `None` if the opcode has no widths.
    pub fn new(spelled: &Spelled, rows: &[[u64; 4]]) -> Option<Task> {
        let (d, s) = widths(spelled)?;
        Some(Task {
            ptx: kernel(spelled, &d, &s),
            words: rows.iter().flatten().copied().collect(),
            rows: rows.len(),
            outs: d.len() + usize::from(carries(&Op::new(&spelled.opcode))),
            launch: Launch {
                grid: [1, 1, 1],
                block: [rows.len() as u32, 1, 1],
                ctas: vec![[0, 0, 0]],
                cluster: [1; 3],
                dynamic_shared: Some(0),
            },
        })
    }

    /// What hardware is to run: the second tensor holds what comes out.
    pub fn job(&self) -> Job {
        let image = self.image();
        Job {
            entry: "k".to_owned(),
            launch: self.launch.clone(),
            parameters: vec![0; 16],
            pieces: vec![(0, 8), (8, 8)],
            pointers: (0..2).map(|at| Pointer { place: 8 * at, tensor: at, offset: 0 }).collect(),
            maps: Vec::new(),
            mapped: Vec::new(),
            images: vec![image.clone(), vec![0xa5; image.len()]],
            views: Vec::new(),
        }
    }

    fn image(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// The results in a tensor of words.
    pub fn read(&self, image: &[u8]) -> Vec<Vec<u64>> {
        let word = |at: usize| {
            image
                .get(8 * at..8 * at + 8)
                .and_then(|bytes| bytes.try_into().ok())
                .map_or(0, u64::from_le_bytes)
        };
        (0..self.rows).map(|row| (0..self.outs).map(|at| word(4 * row + at)).collect()).collect()
    }

    pub fn simulated(&self) -> Result<Vec<Vec<u64>>, String> {
        let parsed = syntax::parse(Source::Optimized, &self.ptx);
        if !parsed.diagnostics.is_empty() {
            return Err(format!("{:?}", parsed.diagnostics[0]));
        }
        let lowered = ir::lower(Source::Optimized, &parsed.module, None)
            .map_err(|errors| format!("{:?}", errors.first().map(|error| &error.message)))?;
        let count = self.words.len() as u64;
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
            launch: self.launch.clone(),
            tensors: vec![
                tensor("in", Format::U64, count, Initial::Concrete(self.words.clone())),
                tensor("out", Format::U64, count, Initial::Undefined),
            ],
            views: Vec::new(),
            parameters: vec![pointer(0), pointer(1)],
        };
        let options = Options { timeline_events: 0, ..Options::default() };
        let run = sim::simulate(&options, &Budget::default(), &lowered.kernel, &setup);
        if let Some(fault) = run.faults.first() {
            return Err(format!("the simulator: {:?}", fault.kind));
        }
        let read = |row: usize, at: usize| {
            run.tensors[1].elements.get((4 * row + at) as u64).and_then(|(term, _)| bits(&run.terms, term))
        };
        (0..self.rows)
            .map(|row| (0..self.outs).map(|at| read(row, at)).collect())
            .collect::<Option<_>>()
            .ok_or_else(|| "the simulator gives no number".to_owned())
    }

    fn executed(&self) -> Result<Vec<Vec<u64>>, String> {
        let parsed = syntax::parse(Source::Optimized, &self.ptx);
        let mut global = Global::default();
        let program = program::build(&parsed.module, None, &mut global)
            .map_err(|why| format!("the machine has no {why}"))?;
        let image = self.image();
        let places = [global.place(image.clone()), global.place(vec![0xa5; image.len()])];
        let parameters: Vec<u8> = places.iter().flat_map(|place| place.to_le_bytes()).collect();
        let mut machine = Machine::new(&program, &self.launch, global, &parameters, 1);
        machine.run(1 << 24).map_err(|stop| format!("the machine: {stop:?}"))?;
        Ok(self.read(machine.global.region(places[1]).unwrap_or_default()))
    }
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

/// How far an approximate instruction's result on f32 or f64 may be from its function's value (PTX ISA 9.0, 9.7.3):
/// the power of two of the relative error, or of the absolute one.
const APPROXIMATIONS: &[(&str, i32, Option<i32>)] = &[
    ("sin.approx", -60, Some(-20)),
    ("cos.approx", -60, Some(-20)),
    ("lg2.approx", -22, Some(-22)),
    ("tanh.approx.f32", -10, None),
    // Of their operands and results only the upper halves count.
    ("rcp.approx.ftz.f64", -19, None),
    ("rsqrt.approx.ftz.f64", -19, None),
];

/// Whether hardware's result is near enough: the same, or within what the manual grants an approximation.
pub fn near(spelled: &Spelled, width: u32, hardware: u64, exact: u64) -> bool {
    if same(spelled, width, hardware, exact) {
        return true;
    }
    let bound = APPROXIMATIONS.iter().find(|(name, ..)| spelled.opcode.starts_with(name));
    let (Some((_, relative, absolute)), Some(format)) = (bound, float_of(spelled)) else { return false };
    let [a, b] = [hardware, exact].map(|bits| soft::value(format, bits));
    let distance = (a - b).abs();
    distance <= b.abs() * 2f64.powi(*relative) || absolute.is_some_and(|power| distance <= 2f64.powi(power))
}

/// Why hardware need not give what simulator and machine give for these operands, although the manual says it: what
/// it grants an approximation there has no bound, or the driver (580.159, CUDA 13.0, on an H200) does otherwise.
pub fn strays(spelled: &Spelled, operands: &[u64; 4]) -> Option<&'static str> {
    let op = Op::new(&spelled.opcode);
    let float = |at: usize| f32::from_bits(operands[at] as u32);
    let beyond = |at: usize| operands[at] & 0xffff_ffff > 255;
    match op.base.as_str() {
        "sin" | "cos" if float(0).abs() > std::f32::consts::PI => {
            Some("far from zero, sin and cos have no bound")
        }
        "div" if op.has("approx") && float(1).abs() > 2f32.powi(126) => {
            Some("quotients by more than 2^126 are 0")
        }
        "bfe" if op.ty.is_some_and(|ty| ty.bits == 64) && (beyond(1) || beyond(2)) => {
            Some("of place and length of 64-bit fields all bits count, not the low eight")
        }
        "bfi" if op.ty.is_some_and(|ty| ty.bits == 64) && (beyond(2) || beyond(3)) => {
            Some("of place and length of 64-bit fields all bits count, not the low eight")
        }
        "cvt" if op.has("rp") && op.has("ftz") && op.has("sat") && op.has("f16") => {
            Some("subnormal f32 are not flushed where they are rounded up to f16 and saturated")
        }
        _ => None,
    }
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
