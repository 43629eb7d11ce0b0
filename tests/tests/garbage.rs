//! What nobody wrote: random kernels that move it about, beside the machine, which puts garbage there.
//!
//! A kernel of a few threads loads, packs, shifts, masks, permutes, chooses, spills and exchanges words, of which some
//! registers and some bytes of shared and local memory were never written, and stores a few at the end. Where
//! the tool finds no fault, the machine's outputs must be the same whatever the garbage is. Where it reports an uninitialized
//! read, some garbage must show in an output, a branch or an address; it may fail to where garbage meets itself, and that
//! is counted.

use std::fmt::Write;
use warpproof::report::Verdict;
use warpproof::spec::parse;
use warpproof_tests::agreement::Question;
use warpproof_tests::ask::analyze;
use warpproof_tests::program::Dice;

const THREADS: u64 = 4;
const WORDS: u64 = 7;
/// Bytes of shared and of local memory for each thread.
const ROOM: u64 = 32;

/// How values enter: as bits that the spec gives, or as symbolic floats.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Data {
    Bits,
    Floats,
}

struct Writer {
    dice: Dice,
    text: String,
    labels: u32,
}

impl Writer {
    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.dice.below(list.len() as u64) as usize]
    }

    fn reg(&mut self) -> String {
        format!("%r{}", self.dice.below(WORDS))
    }

    fn wide(&mut self) -> String {
        format!("%w{}", self.dice.below(3))
    }

    fn offset(&mut self, bytes: u64) -> u64 {
        self.dice.below(ROOM / bytes) * bytes
    }

    fn mask(&mut self) -> u32 {
        let from = self.dice.below(32) as u32;
        match self.dice.below(5) {
            0 => 0xff << (8 * (from % 4)),
            1 => 0xffff << (16 * (from % 2)),
            2 => 1 << from,
            3 => u32::MAX >> from,
            _ => self.dice.below(1 << 32) as u32,
        }
    }

    fn say(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
    }

    /// One instruction that moves what is there or not, or works on it.
    fn step(&mut self) {
        let (a, b, d) = (self.reg(), self.reg(), self.reg());
        let (w, v) = (self.wide(), self.wide());
        let (memory, base) = if self.dice.below(3) == 0 { ("local", "%lo") } else { ("shared", "%sh") };
        let mask = self.mask();
        let by = self.dice.below(33);
        let line = match self.dice.below(27) {
            0 => format!("st.{memory}.u32 [{base}+{}], {a};", self.offset(4)),
            1 => format!("ld.{memory}.u32 {d}, [{base}+{}];", self.offset(4)),
            2 => {
                let kind = self.pick(&["u8", "s8"]);
                format!("ld.{memory}.{kind} {d}, [{base}+{}];", self.offset(1))
            }
            3 => {
                let kind = self.pick(&["u16", "s16"]);
                format!("ld.{memory}.{kind} {d}, [{base}+{}];", self.offset(2))
            }
            4 => format!("st.{memory}.u8 [{base}+{}], {a};", self.offset(1)),
            5 => format!("st.{memory}.u16 [{base}+{}], {a};", self.offset(2)),
            6 => format!("st.{memory}.v2.u32 [{base}+{}], {{{a}, {b}}};", self.offset(8)),
            7 => {
                let at = self.offset(16);
                format!("ld.{memory}.v4.u32 {{%r0, %r1, %r2, %r3}}, [{base}+{at}];")
            }
            8 => format!("ld.{memory}.u64 {w}, [{base}+{}];", self.offset(8)),
            9 => format!("st.{memory}.u64 [{base}+{}], {w};", self.offset(8)),
            10 => format!("mov.b64 {w}, {{{a}, {b}}};"),
            11 => format!("mov.b64 {{%r4, %r5}}, {w};"),
            12 => {
                let op = self.pick(&["and", "or", "xor"]);
                format!("{op}.b32 {d}, {a}, {mask:#x};")
            }
            13 => {
                let op = self.pick(&["and", "or", "xor"]);
                format!("{op}.b32 {d}, {a}, {b};")
            }
            14 => {
                let op = self.pick(&["shl.b32", "shr.u32", "shr.s32"]);
                format!("{op} {d}, {a}, {by};")
            }
            15 => {
                let op = self.pick(&["shf.l.wrap", "shf.r.clamp", "shf.l.clamp", "shf.r.wrap"]);
                format!("{op}.b32 {d}, {a}, {b}, {by};")
            }
            16 => format!("prmt.b32 {d}, {a}, {b}, {:#x};", self.dice.below(0x10000)),
            17 => format!("bfi.b32 {d}, {a}, {b}, {}, {};", self.dice.below(32), self.dice.below(33)),
            18 => {
                let kind = self.pick(&["u32", "s32"]);
                format!("bfe.{kind} {d}, {a}, {}, {};", self.dice.below(32), self.dice.below(33))
            }
            19 => format!("lop3.b32 {d}, {a}, {b}, {mask:#x}, {:#x};", self.dice.below(256)),
            20 => {
                let op = self.pick(&["add.u32", "sub.u32", "mul.lo.u32"]);
                format!("{op} {d}, {a}, {};", 1 + self.dice.below(9))
            }
            21 => {
                let p = self.pick(&["%even", "%never", "%low"]);
                format!("selp.b32 {d}, {a}, {b}, {p};")
            }
            22 => {
                let p = self.pick(&["%even", "!%even", "%never", "%low"]);
                format!("@{p} mov.u32 {d}, {a};")
            }
            23 => format!("shfl.sync.bfly.b32 {d}, {a}, 1, 31, 0xf;"),
            24 => {
                let kind = self.pick(&["u32.u8", "s32.s8", "u32.u16", "s32.s16"]);
                format!("cvt.{kind} {d}, {a};")
            }
            25 => {
                let op = self.pick(&["shl.b64", "shr.u64"]);
                format!("{op} {v}, {w}, {by};")
            }
            _ => format!("cvt.u32.u64 {d}, {w};"),
        };
        self.say(&line);
    }

    /// A decision: rarely, on something that may not be there.
    fn decide(&mut self) {
        let (a, d) = (self.reg(), self.reg());
        let (label, mask) = (self.labels, self.mask());
        self.labels += 1;
        self.say(&format!("and.b32 %t0, {a}, {mask:#x};"));
        self.say("setp.ne.u32 %q, %t0, 0;");
        let pure = self.dice.below(2) == 0;
        if pure {
            self.say(&format!("@%q mov.u32 {d}, 5;"));
        } else {
            self.say(&format!("@%q bra L{label};"));
            self.say(&format!("mov.u32 {d}, 7;"));
            self.say(&format!("L{label}:"));
        }
    }
}

fn kernel(seed: u64, data: Data) -> String {
    let mut writer =
        Writer { dice: Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), text: String::new(), labels: 0 };
    let given = 2 + writer.dice.below(WORDS - 2);
    for at in 0..given {
        writer.say(&format!("ld.global.u32 %r{at}, [%in+{}];", 4 * at));
    }
    for at in 0..writer.dice.below(6) {
        let line = format!("st.shared.u32 [%sh+{}], %r{};", 4 * (at + writer.dice.below(3)), at % given);
        writer.say(&line);
    }
    for _ in 0..4 + writer.dice.below(14) {
        writer.step();
    }
    if data == Data::Bits && writer.dice.below(3) == 0 {
        writer.decide();
    }
    for at in 0..2 {
        let reg = writer.reg();
        let mask = if writer.dice.below(2) == 0 { u32::MAX } else { writer.mask() };
        writer.say(&format!("and.b32 %t0, {reg}, {mask:#x};"));
        writer.say(&format!("st.global.u32 [%out+{}], %t0;", 4 * at));
    }
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 x, .param .u64 o)\n{{\n\
         \x20   .shared .align 16 .b8 s[{}];\n    .local .align 16 .b8 l[{ROOM}];\n    .reg .pred %even, %never, %low, %q;\n\
         \x20   .reg .b32 %r<{WORDS}>;\n    .reg .b32 %me, %sh, %lo, %t0, %t1;\n    .reg .b64 %w<3>, %in, %out, %at;\n\
         \x20   ld.param.u64 %in, [x];\n    ld.param.u64 %out, [o];\n    mov.u32 %me, %tid.x;\n\
         \x20   mul.wide.u32 %at, %me, {};\n    add.u64 %in, %in, %at;\n    mul.wide.u32 %at, %me, 8;\n    add.u64 %out, %out, %at;\n\
         \x20   mov.u32 %sh, s;\n    mad.lo.u32 %sh, %me, {ROOM}, %sh;\n    mov.u32 %lo, l;\n\
         \x20   and.b32 %t1, %me, 1;\n    setp.eq.u32 %even, %t1, 0;\n    setp.gt.u32 %never, %me, 99;\n    setp.lt.u32 %low, %me, 2;\n{}    ret;\n}}\n",
        THREADS * ROOM,
        4 * WORDS,
        writer.text
    )
}

fn spec_text(data: Data, dice: &mut Dice) -> String {
    let count = THREADS * WORDS;
    let input = match data {
        Data::Floats => "type = \"f32\"".to_owned(),
        Data::Bits => {
            let words: Vec<String> = (0..count).map(|_| dice.below(1 << 31).to_string()).collect();
            format!("type = \"u32\"\ncontents = [{}]", words.join(", "))
        }
    };
    format!(
        "[launch]\ngrid = [1, 1, 1]\nblock = [{THREADS}, 1, 1]\n[optimized]\nargs = [\"x\", \"o\"]\n\
         [tensors.x]\n{input}\nshape = [{count}]\nrole = \"in\"\n\
         [tensors.o]\ntype = \"u32\"\nshape = [{}]\nrole = \"out\"\n",
        2 * THREADS
    )
}

#[derive(Default, Debug)]
struct Tally {
    fine: u32,
    reported: u32,
    shown: u32,
    other: u32,
}

fn try_one(seed: u64, data: Data, tally: &mut Tally) {
    let ptx = kernel(seed, data);
    let text = spec_text(data, &mut Dice(seed | 1));
    let report = analyze(&ptx, &text);
    if report.verdict == Verdict::InvalidPtx {
        panic!("{ptx}");
    }
    let (parsed, _) = parse(&text);
    let question = Question::new(&ptx, &parsed, &parsed.optimized).expect("a kernel");
    let job = question.launch(seed);
    let mut images = Vec::new();
    for garbage in 0..12 {
        match question.on_machine(&job, 1 + 7 * garbage, 100_000) {
            Ok(executed) => images.push(executed.images),
            Err(ending) => panic!("seed {seed}: the machine: {ending:?}\n{ptx}"),
        }
    }
    let same = images.iter().all(|image| *image == images[0]);
    match report.verdict {
        Verdict::RaceFree => {
            assert!(
                same,
                "seed {seed}, {data:?}: outputs depend on garbage, and nobody says so\n{ptx}\n{text}"
            );
            tally.fine += 1;
        }
        Verdict::UninitializedRead => {
            tally.reported += 1;
            tally.shown += u32::from(!same);
        }
        _ => tally.other += 1,
    }
}

#[test]
fn outputs_depend_on_garbage_where_the_tool_says_so() {
    let count = std::env::var("GARBAGE").ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    for data in [Data::Bits, Data::Floats] {
        let mut tally = Tally::default();
        for seed in 1..=count {
            try_one(seed, data, &mut tally);
        }
        println!("{data:?}: {tally:?}");
        assert!(tally.fine > count as u32 / 10 && tally.reported > count as u32 / 10, "{tally:?}");
        assert!(tally.other < count as u32 / 20, "{tally:?}");
        // Garbage that meets itself (x ^ x) is what is left.
        assert!(tally.shown * 100 >= tally.reported * 97, "{tally:?}");
    }
}
