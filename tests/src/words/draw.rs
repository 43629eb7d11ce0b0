//! Forms: loads, instructions on integers of every width, stores.
//!
//! An instruction is written with `$d` for its result, `$a` for its operand and `$b` for the thread's
//! second word of that width; what it does to widths stands beside it. [`instructions`] lists all of one
//! width, once with each type, mode and a few constants that matter (edges of fields, signs, selectors).

use crate::program::Dice;
use warpproof::base::Format;

/// Where a result is stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Out {
    U8,
    U16,
    U32,
    U64,
    F32,
}

impl Out {
    pub const ALL: [Out; 5] = [Out::U8, Out::U16, Out::U32, Out::U64, Out::F32];

    pub fn format(self) -> Format {
        match self {
            Out::U8 => Format::U8,
            Out::U16 => Format::U16,
            Out::U32 => Format::U32,
            Out::U64 => Format::U64,
            Out::F32 => Format::F32,
        }
    }

    pub fn bytes(self) -> usize {
        self.format().bytes() as usize
    }
}

/// A register's kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    W16,
    W32,
    W64,
    /// An f32 in a 32-bit register.
    Float,
}

use Width::{Float, W16, W32, W64};

impl Width {
    fn letter(self) -> char {
        match self {
            W16 => 'h',
            W32 | Float => 'r',
            W64 => 'd',
        }
    }
}

/// What is computed for one output.
#[derive(Clone, Debug)]
pub struct Form {
    /// Instructions up to the result.
    pub body: String,
    /// The register with the result.
    register: String,
    pub out: Out,
    /// The result depends on the thread's first byte alone.
    pub of_one_byte: bool,
}

impl Form {
    /// A form of more than a byte.
    pub fn new(body: String, register: String, out: Out) -> Form {
        Form { body, register, out, of_one_byte: false }
    }

    /// The store of the result of form `at`.
    pub fn store(&self, at: usize) -> String {
        let ty = match self.out {
            Out::F32 => "f32".to_owned(),
            out => format!("u{}", 8 * out.bytes()),
        };
        format!("st.global.{ty} [%o{:?}+{}], {};\n", self.out, at * self.out.bytes(), self.register)
    }
}

/// An instruction (or a few) from one width to another; whether it uses the second word.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub text: String,
    pub to: Width,
}

fn each(list: &mut Vec<Instruction>, to: Width, texts: impl IntoIterator<Item = String>) {
    list.extend(texts.into_iter().map(|text| Instruction { text, to }));
}

/// All instructions on registers of a width.
pub fn instructions(from: Width) -> Vec<Instruction> {
    let mut list = Vec::new();
    match from {
        W16 => narrow(&mut list),
        W32 => words(&mut list),
        W64 => doubles(&mut list),
        Float => floats(&mut list),
    }
    list
}

/// Conversions from types that a register holds.
fn conversions(list: &mut Vec<Instruction>, sources: &[&str]) {
    for from in sources {
        for (to, width) in [
            ("u8", W16),
            ("s8", W16),
            ("u16", W16),
            ("s16", W16),
            ("u8", W32),
            ("s8", W32),
            ("u32", W32),
            ("s32", W32),
            ("u64", W64),
            ("s64", W64),
        ] {
            each(list, width, [format!("cvt.{to}.{from} $d, $a;"), format!("cvt.sat.{to}.{from} $d, $a;")]);
        }
        if from.ends_with('8') || from.ends_with("16") {
            each(list, Float, [format!("cvt.rn.f32.{from} $d, $a;")]);
        }
    }
}

fn typed(list: &mut Vec<Instruction>, bits: u32, width: Width, constants: &[&str]) {
    for sign in ["u", "s"] {
        for constant in constants {
            for op in ["add", "sub", "mul.lo", "mul.hi", "min", "max", "div", "rem"] {
                if !(op == "div" || op == "rem") || *constant != "0" && *constant != "$b" {
                    each(list, width, [format!("{op}.{sign}{bits} $d, $a, {constant};")]);
                }
            }
            each(list, width, [format!("mad.lo.{sign}{bits} $d, $a, {constant}, $a;")]);
            each(list, width, [format!("mad.hi.{sign}{bits} $d, $a, {constant}, $a;")]);
            each(list, width, [format!("sad.{sign}{bits} $d, $a, {constant}, $a;")]);
            for relation in ["lt", "le", "eq", "ge"] {
                each(
                    list,
                    width,
                    [format!(
                        "setp.{relation}.{sign}{bits} %p0, $a, {constant}; selp.b{bits} $d, $a, 7, %p0;"
                    )],
                );
            }
        }
        for by in [0, 1, 4, 7, 8, 9, bits / 2, bits - 1, bits, bits + 3] {
            each(
                list,
                width,
                [format!("shr.{sign}{bits} $d, $a, {by};"), format!("shl.b{bits} $d, $a, {by};")],
            );
        }
    }
    for mask in ["0", "1", "0x7f", "0x80", "0xff", "0xf0f", "0xff00", "-1", "$b"] {
        for op in ["and", "or", "xor"] {
            each(list, width, [format!("{op}.b{bits} $d, $a, {mask};")]);
        }
    }
    each(list, width, [format!("not.b{bits} $d, $a;"), format!("neg.s{bits} $d, $a;")]);
    each(list, width, [format!("abs.s{bits} $d, $a;"), format!("cnot.b{bits} $d, $a;")]);
}

fn narrow(list: &mut Vec<Instruction>) {
    conversions(list, &["u8", "s8", "u16", "s16"]);
    typed(list, 16, W16, &["0", "3", "7", "-5", "128", "0x7fff", "$b"]);
    for sign in ["u", "s"] {
        for factor in ["3", "-5", "0x101", "$b"] {
            each(list, W32, [format!("mul.wide.{sign}16 $d, $a, {factor};")]);
            each(list, W32, [format!("mad.wide.{sign}16 $d, $a, {factor}, 77;")]);
        }
    }
    each(list, W32, ["mov.b32 $d, {$a, $b};".to_owned(), "mov.b32 $d, {$b, $a};".to_owned()]);
    each(list, Float, ["cvt.rn.f16.u8 %h9, $a; cvt.f32.f16 $d, %h9;".to_owned()]);
    each(list, Float, ["cvt.rn.f16.s8 %h9, $a; cvt.f32.f16 $d, %h9;".to_owned()]);
}

fn words(list: &mut Vec<Instruction>) {
    conversions(list, &["u8", "s8", "u16", "s16", "u32", "s32"]);
    typed(list, 32, W32, &["0", "3", "7", "-5", "128", "255", "0x55555556", "0x80000000", "$b"]);
    for selector in [
        "0x3210", "0x4440", "0x8880", "0x9991", "0x7610", "0x0123", "0x5140", "0xba98", "0xc480", "0x7777",
        "0x3f2e", "0x8000",
    ] {
        for other in ["0", "-1", "$b"] {
            each(list, W32, [format!("prmt.b32 $d, $a, {other}, {selector};")]);
            each(list, W32, [format!("prmt.b32 $d, {other}, $a, {selector};")]);
        }
    }
    for mode in ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"] {
        for way in 0..4 {
            each(list, W32, [format!("prmt.b32.{mode} $d, $a, $b, {way};")]);
        }
    }
    for (at, length) in [
        (0, 8),
        (0, 1),
        (0, 0),
        (7, 1),
        (8, 8),
        (3, 5),
        (4, 4),
        (0, 32),
        (24, 8),
        (28, 9),
        (31, 1),
        (32, 4),
        (0, 7),
    ] {
        for sign in ["u", "s"] {
            each(list, W32, [format!("bfe.{sign}32 $d, $a, {at}, {length};")]);
        }
        each(list, W32, [format!("bfi.b32 $d, $a, $b, {at}, {length};")]);
        each(list, W32, [format!("bfi.b32 $d, $b, $a, {at}, {length};")]);
        each(list, W32, [format!("bfi.b32 $d, $a, 0x12345678, {at}, {length};")]);
    }
    for count in [0, 1, 7, 8, 9, 16, 31, 32, 40] {
        for sign in ["u", "s"] {
            for mode in ["clamp", "wrap"] {
                each(list, W32, [format!("szext.{mode}.{sign}32 $d, $a, {count};")]);
            }
        }
        for mode in ["clamp", "wrap"] {
            each(
                list,
                W32,
                [format!("bmsk.{mode}.b32 $d, $a, {count};"), format!("bmsk.{mode}.b32 $d, {count}, $a;")],
            );
            for side in ["l", "r"] {
                each(list, W32, [format!("shf.{side}.{mode}.b32 $d, $a, $b, {count};")]);
                each(list, W32, [format!("shf.{side}.{mode}.b32 $d, $b, $a, {count};")]);
            }
        }
    }
    for (sign, factor) in
        [("u", "3"), ("s", "3"), ("u", "-5"), ("s", "-5"), ("u", "$b"), ("s", "$b"), ("s", "0x55555556")]
    {
        each(list, W64, [format!("mul.wide.{sign}32 $d, $a, {factor};")]);
        each(list, W64, [format!("mov.u64 %d9, 99; mad.wide.{sign}32 $d, $a, {factor}, %d9;")]);
        for half in ["lo", "hi"] {
            each(list, W32, [format!("mul24.{half}.{sign}32 $d, $a, {factor};")]);
            each(list, W32, [format!("mad24.{half}.{sign}32 $d, $a, {factor}, 5;")]);
        }
    }
    for a in ["u", "s"] {
        for b in ["u", "s"] {
            for other in ["0x01010101", "0xff80017f", "$b"] {
                each(list, W32, [format!("dp4a.{a}32.{b}32 $d, $a, {other}, 11;")]);
                each(list, W32, [format!("dp4a.{a}32.{b}32 $d, {other}, $a, $a;")]);
                for half in ["lo", "hi"] {
                    each(list, W32, [format!("dp2a.{half}.{a}32.{b}32 $d, $a, {other}, 11;")]);
                    each(list, W32, [format!("dp2a.{half}.{a}32.{b}32 $d, {other}, $a, 11;")]);
                }
            }
        }
    }
    for number in ["0x96", "0xe8", "0x1e", "0x80", "0xca", "0x01", "0xf0"] {
        each(list, W32, [format!("lop3.b32 $d, $a, $b, 0xff0f, {number};")]);
        each(list, W32, [format!("lop3.b32 $d, 0x80, $a, $b, {number};")]);
    }
    each(list, W32, ["popc.b32 $d, $a;", "clz.b32 $d, $a;", "brev.b32 $d, $a;"].map(str::to_owned));
    for sign in ["u", "s"] {
        each(list, W32, [format!("bfind.{sign}32 $d, $a;"), format!("bfind.shiftamt.{sign}32 $d, $a;")]);
    }
    for other in ["0x7ffffff0", "-100", "$b"] {
        each(list, W32, [format!("add.sat.s32 $d, $a, {other};"), format!("sub.sat.s32 $d, $a, {other};")]);
    }
    // Carries: two words added to two others.
    for other in ["0xffffff80", "$b"] {
        each(
            list,
            W64,
            [
                format!("add.cc.u32 %r9, $a, {other}; addc.u32 %r10, $a, 3; mov.b64 $d, {{%r9, %r10}};"),
                format!("sub.cc.u32 %r9, $a, {other}; subc.u32 %r10, $a, 3; mov.b64 $d, {{%r9, %r10}};"),
                format!(
                    "mad.lo.cc.u32 %r9, $a, {other}, 200; madc.hi.u32 %r10, $a, {other}, 1; mov.b64 $d, {{%r9, %r10}};"
                ),
                format!(
                    "mad.lo.cc.u32 %r9, $a, {other}, $a; madc.hi.s32 %r10, $a, {other}, 1; mov.b64 $d, {{%r9, %r10}};"
                ),
            ],
        );
    }
    each(list, W64, ["mov.b64 $d, {$a, $b};".to_owned(), "mov.b64 $d, {$b, $a};".to_owned()]);
    each(list, W16, ["mov.b32 {$d, %h9}, $a;".to_owned(), "mov.b32 {%h9, $d}, $a;".to_owned()]);
    for part in ["0", "1", "2", "3"] {
        for sign in ["u", "s"] {
            each(list, W32, [format!("st.shared.b32 [%s], $a; ld.shared.{sign}8 $d, [%s+{part}];")]);
        }
    }
}

fn doubles(list: &mut Vec<Instruction>) {
    conversions(list, &["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]);
    typed(list, 64, W64, &["0", "3", "-5", "128", "0x100000000", "0x5555555555555556", "$b"]);
    for (at, length) in [(0, 8), (0, 64), (31, 2), (32, 32), (60, 9), (0, 0), (7, 1)] {
        for sign in ["u", "s"] {
            each(list, W64, [format!("bfe.{sign}64 $d, $a, {at}, {length};")]);
        }
        each(list, W64, [format!("bfi.b64 $d, $a, $b, {at}, {length};")]);
    }
    each(list, W32, ["mov.b64 {$d, %r9}, $a;".to_owned(), "mov.b64 {%r9, $d}, $a;".to_owned()]);
    each(list, W32, ["popc.b64 $d, $a;".to_owned(), "clz.b64 $d, $a;".to_owned()]);
    each(list, W64, ["brev.b64 $d, $a;".to_owned()]);
    for sign in ["u", "s"] {
        each(list, W32, [format!("bfind.{sign}64 $d, $a;")]);
    }
    for other in ["0xffffffffffffff80", "$b"] {
        each(
            list,
            W64,
            [
                format!("add.cc.u64 %d9, $a, {other}; addc.u64 $d, $a, 0;"),
                format!("mad.lo.cc.u64 %d9, $a, {other}, $a; madc.hi.u64 $d, $a, {other}, 0;"),
                format!("sub.cc.u64 %d9, $a, {other}; subc.u64 $d, $a, 0;"),
            ],
        );
    }
}

fn floats(list: &mut Vec<Instruction>) {
    for mode in ["rni", "rzi", "rmi", "rpi"] {
        // What is out of range is clamped by hardware and taken to be in range by the tool, which says so.
        for (to, width) in [("u32", W32), ("s32", W32), ("u64", W64), ("s64", W64)] {
            each(list, width, [format!("cvt.{mode}.{to}.f32 $d, $a;")]);
            each(list, width, [format!("mul.f32 %r9, $a, 0f3E800000; cvt.{mode}.{to}.f32 $d, %r9;")]);
        }
    }
    for constant in ["0fBF000000", "0f42FE0000"] {
        each(list, Float, [format!("add.f32 $d, $a, {constant};"), format!("max.f32 $d, $a, {constant};")]);
    }
    each(list, Float, ["neg.f32 $d, $a;".to_owned(), "abs.f32 $d, $a;".to_owned()]);
}

/// A load of a word that depends on the first byte alone if `narrow`, into register 0, and of a second
/// word into register 1.
fn load(dice: &mut Dice, width: Width, narrow: bool) -> String {
    let letter = width.letter();
    let pick = |dice: &mut Dice, list: &[&'static str]| list[dice.below(list.len() as u64) as usize];
    let ty = match (narrow, width) {
        (true, _) => pick(dice, &["u8", "s8", "b8"]),
        (false, W16) => pick(dice, &["u16", "s16", "b16", "s8"]),
        (false, _) => pick(dice, &["u16", "s16", "b16", "u32", "s32", "b32", "s8"]),
    };
    // No register is narrower than the word.
    let ty = if width == W32 || width == W64 || ty.ends_with('8') || ty.ends_with("16") { ty } else { "u16" };
    match dice.below(6) {
        // Through shared memory, with another sign.
        0 if narrow => {
            let back = pick(dice, &["u8", "s8", "b8"]);
            format!(
                "ld.global.{ty} %{letter}0, [%x]; st.shared.u8 [%s], %{letter}0; ld.shared.{back} %{letter}0, [%s];\n"
            )
        }
        1 if narrow => {
            let back = pick(dice, &["u8", "s8", "b8"]);
            format!(
                "ld.global.{ty} %{letter}0, [%x]; st.shared.b16 [%s], %{letter}0; ld.shared.{back} %{letter}0, [%s];\n"
            )
        }
        2 if narrow => format!("ld.global.v2.{ty} {{%{letter}0, %{letter}2}}, [%x];\n"),
        3 if narrow => {
            format!("ld.global.v4.{ty} {{%{letter}0, %{letter}2, %{letter}3, %{letter}4}}, [%x];\n")
        }
        _ => format!("ld.global.{ty} %{letter}0, [%x];\n"),
    }
}

/// A form with these instructions, the first of which works on a register of `width`.
fn form(dice: &mut Dice, width: Width, narrow: bool, steps: &[Instruction]) -> Form {
    let load = load(dice, width, narrow);
    with_load(dice, load, (width, narrow), steps)
}

fn with_load(dice: &mut Dice, load: String, (width, narrow): (Width, bool), steps: &[Instruction]) -> Form {
    let mut body = load;
    let letter = width.letter();
    let mut second = false;
    let (mut register, mut held) = (format!("%{letter}0"), width);
    let (mut number, mut one_byte) = (2, narrow);
    for step in steps {
        let mut text = step.text.clone();
        if text.contains("$b") {
            one_byte = false;
            second = true;
            text = text.replace("$b", &format!("%{}15", held.letter()));
        }
        number += 1;
        let next = format!("%{}{number}", step.to.letter());
        body += &text.replace("$a", &register).replace("$d", &next);
        body.push('\n');
        (register, held) = (next, step.to);
    }
    if second {
        let sign = if dice.below(2) == 0 { "u" } else { "s" };
        body = format!(
            "ld.global.{sign}8 %h15, [%x+1]; ld.global.{sign}8 %r15, [%x+1]; ld.global.{sign}8 %d15, [%x+1];\n{body}"
        );
    }
    let out = match held {
        Float => Out::F32,
        W16 => [Out::U8, Out::U16][dice.below(2) as usize],
        W32 => [Out::U8, Out::U16, Out::U32, Out::U32][dice.below(4) as usize],
        W64 => [Out::U8, Out::U32, Out::U64, Out::U64][dice.below(4) as usize],
    };
    Form { body, register, out, of_one_byte: one_byte }
}

/// A form for each instruction on each width.
pub fn each_instruction(dice: &mut Dice) -> Vec<Form> {
    let mut forms = Vec::new();
    for width in [W16, W32, W64] {
        for step in instructions(width) {
            let narrow = dice.below(4) != 0;
            forms.push(form(dice, width, narrow, &[step]));
        }
    }
    let convert = |from: &str| Instruction { text: format!("cvt.rn.f32.{from} $d, $a;"), to: Float };
    for step in instructions(Float) {
        let first = convert(["u8", "s8", "s16"][dice.below(3) as usize]);
        forms.push(form(dice, W32, true, &[first, step]));
    }
    forms
}

/// A form for some of the instructions on words that are loaded from fewer bytes than they have, but from more than
/// one.
pub fn of_wider_words(dice: &mut Dice) -> Vec<Form> {
    let mut forms = Vec::new();
    // All bytes of the register, of which the upper ones are zeros.
    let whole = Instruction { text: "bfe.u64 $d, $a, 0, 64;".to_owned(), to: W64 };
    forms.push(with_load(dice, "ld.global.u32 %d0, [%x];\n".to_owned(), (W64, false), &[whole]));
    for width in [W32, W64] {
        let types: &[&str] = match width {
            W32 => &["u16", "s16", "b16"],
            _ => &["u16", "s16", "b16", "u32", "s32", "b32"],
        };
        let steps = instructions(width);
        for ty in types {
            for _ in 0..8 {
                let step = steps[dice.below(steps.len() as u64) as usize].clone();
                let letter = width.letter();
                let load = format!("ld.global.{ty} %{letter}0, [%x];\n");
                forms.push(with_load(dice, load, (width, false), &[step]));
            }
        }
    }
    forms
}

/// Forms of one to three instructions.
pub fn some(dice: &mut Dice, count: usize) -> Vec<Form> {
    let known = [W16, W32, W64, Float].map(instructions);
    let of = |width: Width| &known[width as usize];
    (0..count)
        .map(|_| {
            let width = [W16, W32, W32, W64][dice.below(4) as usize];
            let mut held = width;
            let mut steps: Vec<Instruction> = Vec::new();
            for _ in 0..1 + dice.below(3) {
                let list = of(held);
                let step = list[dice.below(list.len() as u64) as usize].clone();
                held = step.to;
                steps.push(step);
            }
            let narrow = dice.below(4) != 0;
            form(dice, width, narrow, &steps)
        })
        .collect()
}

/// Quotients of 32-bit numbers by a constant, as compilers write them with a multiplier `m` and a shift,
/// and whether they are the quotient: [`Form`]s with the truth, after one that divides.
pub fn divisions(divisor: u32, signed: bool) -> (Form, Vec<(Form, bool)>) {
    let sign = if signed { "s" } else { "u" };
    let whole = |body: String| Form {
        body: format!("ld.global.b32 %r0, [%x];\n{body}"),
        register: "%r9".to_owned(),
        out: Out::U32,
        of_one_byte: false,
    };
    let exact = whole(format!("div.{sign}32 %r9, %r0, {divisor};\n"));
    let d = i128::from(divisor);
    let log = 32 - (divisor - 1).leading_zeros();
    let mut forms = Vec::new();
    for shift in [log.saturating_sub(1), log] {
        // The multiplier that is right, and those beside it.
        let power = 1i128 << (32 + shift);
        for multiplier in [-1, 0, 1].map(|off| power / d + 1 + off) {
            if !(1..1 << 33).contains(&multiplier) || shift == 0 || signed && multiplier >= 1 << 32 {
                continue;
            }
            let excess = multiplier * d - power;
            let word = multiplier as u32;
            // The largest number that is one short of a multiple.
            let most = if signed { 1i128 << 31 } else { (1 << 32) - 1 };
            let last = (most + 1) / d * d - 1;
            let (body, right) = match signed {
                true => {
                    let body = if multiplier < 1 << 31 {
                        format!("mul.hi.s32 %r1, %r0, {word};\n")
                    } else {
                        format!("mul.hi.s32 %r1, %r0, {};\nadd.s32 %r1, %r1, %r0;\n", word as i32)
                    };
                    let body = format!(
                        "{body}shr.s32 %r2, %r1, {shift};\nshr.u32 %r3, %r0, 31;\nadd.s32 %r9, %r2, %r3;\n"
                    );
                    let above = (most - 1 + 1) / d * d - 1;
                    (body, excess > 0 && above * excess < power && last * excess <= power)
                }
                false if multiplier < 1 << 32 => {
                    let body = format!("mul.hi.u32 %r1, %r0, {word};\nshr.u32 %r9, %r1, {shift};\n");
                    (body, excess >= 0 && last * excess < power)
                }
                false => {
                    let body = format!(
                        "mul.hi.u32 %r1, %r0, {word};\nsub.u32 %r2, %r0, %r1;\nshr.u32 %r3, %r2, 1;\nadd.u32 %r4, %r3, %r1;\nshr.u32 %r9, %r4, {};\n",
                        shift - 1
                    );
                    (body, excess >= 0 && last * excess < power)
                }
            };
            forms.push((whole(body), right));
        }
    }
    (exact, forms)
}

/// Quotients of signed 32-bit numbers by a positive constant, rounded down, as people write them, and whether they
/// are that at all numbers: [`Form`]s with the truth, after one that asks the remainder.
pub fn floors(divisor: u32) -> (Form, Vec<(Form, bool)>) {
    let whole = |body: String| Form {
        body: format!("ld.global.b32 %r0, [%x];\n{body}"),
        register: "%r9".to_owned(),
        out: Out::U32,
        of_one_byte: false,
    };
    let (d, most) = (divisor, divisor - 1);
    let divided = format!("div.s32 %r1, %r0, {d};\nrem.s32 %r2, %r0, {d};\n");
    let exact =
        format!("{divided}setp.lt.s32 %p1, %r2, 0;\nselp.b32 %r3, -1, 0, %p1;\nadd.s32 %r9, %r1, %r3;\n");
    let by_cases = |negative: &str| {
        format!("{negative}div.s32 %r3, %r0, {d};\nsetp.ge.s32 %p1, %r0, 0;\nselp.b32 %r9, %r3, %r2, %p1;\n")
    };
    let forms = [
        (
            format!(
                "{divided}setp.ne.s32 %p1, %r2, 0;\nsetp.lt.s32 %p2, %r0, 0;\nand.pred %p1, %p1, %p2;\n\
                 selp.b32 %r3, 1, 0, %p1;\nsub.s32 %r9, %r1, %r3;\n"
            ),
            true,
        ),
        (
            format!(
                "div.s32 %r1, %r0, {d};\nmul.lo.s32 %r2, %r1, {d};\nsetp.ne.s32 %p1, %r2, %r0;\n\
                 shr.s32 %r3, %r0, 31;\nselp.b32 %r4, %r3, 0, %p1;\nadd.s32 %r9, %r1, %r4;\n"
            ),
            true,
        ),
        (by_cases(&format!("not.b32 %r1, %r0;\ndiv.s32 %r2, %r1, {d};\nnot.b32 %r2, %r2;\n")), true),
        (
            format!(
                "shr.s32 %r1, %r0, 31;\nxor.b32 %r2, %r0, %r1;\ndiv.s32 %r3, %r2, {d};\nxor.b32 %r9, %r3, %r1;\n"
            ),
            true,
        ),
        // What wraps around at the least number.
        (
            by_cases(&format!(
                "neg.s32 %r1, %r0;\nadd.s32 %r1, %r1, {most};\ndiv.s32 %r2, %r1, {d};\nneg.s32 %r2, %r2;\n"
            )),
            false,
        ),
        // One too little at multiples.
        (
            format!(
                "div.s32 %r1, %r0, {d};\nsetp.lt.s32 %p1, %r0, 0;\nselp.b32 %r3, -1, 0, %p1;\nadd.s32 %r9, %r1, %r3;\n"
            ),
            false,
        ),
        // The remainder is never that.
        (
            format!(
                "{divided}setp.lt.s32 %p1, %r2, -{most};\nselp.b32 %r3, -1, 0, %p1;\nadd.s32 %r9, %r1, %r3;\n"
            ),
            false,
        ),
    ];
    (whole(exact), forms.into_iter().map(|(body, right)| (whole(body), right)).collect())
}
