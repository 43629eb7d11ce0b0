//! Drawing a kernel's body.

use super::rows::{BRAINS, DOUBLES, FLOATS, HALVES, INTEGERS, PREDICATES, SHORTS};
use super::{Arg, INPUTS, Inst, Kernel, Registers, Stmt};
use crate::program::Dice;

/// How large a kernel may get.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// One warp and few outputs: for questions of equality.
    Small,
    /// Up to four warps.
    Large,
}

/// A random kernel.
pub fn draw(dice: &mut Dice, size: Size) -> Kernel {
    let threads = match size {
        Size::Small => 32,
        Size::Large => [32, 64, 96, 128][dice.below(4) as usize],
    };
    let blocks = match size {
        Size::Small => 1 + dice.below(2) as u32,
        Size::Large => [1, 1, 2, 3][dice.below(4) as usize],
    };
    let registers = Registers { int: 8, float: 6, double: 3, half: 4, long: 4, short: 3 };
    // One kind of arithmetic at a time: the error bound is that of the coarsest.
    let kind = dice.below(5);
    let brain = kind == 4;
    let stores = match (size, kind) {
        (Size::Small, 0 | 1) => [4, 6, 0, 0],
        (Size::Small, 2) => [0, 6, 3, 0],
        (Size::Small, _) => [0, 6, 0, 3],
        (_, 0 | 1) => [4, 4, 0, 0],
        (_, 2) => [0, 4, 2, 0],
        _ => [0, 4, 0, 2],
    };
    let length = match size {
        Size::Small => 6 + dice.below(14),
        Size::Large => 10 + dice.below(30),
    };
    let symbols = dice.below(3) == 0;
    let mut pen = Pen { dice, registers, threads, stores, brain, sizes: [8; 4], arrays: 0 };
    let mut body = Vec::new();
    for _ in 0..length {
        if symbols && pen.below(3) == 0 {
            pen.symbol(&mut body);
        }
        pen.stmt(&mut body, 0, true);
    }
    Kernel { blocks, threads, stores, brain, symbols, body, registers }
}

pub(super) struct Pen<'a> {
    dice: &'a mut Dice,
    registers: Registers,
    threads: u32,
    pub(super) stores: [u32; 4],
    pub(super) brain: bool,
    /// What the integers that depend on data do not exceed, in magnitude.
    sizes: [i64; 4],
    /// Named registers for masks, one pair each time they are used.
    arrays: u32,
}

pub(super) fn reg(name: &str) -> Arg {
    Arg::Reg(name.to_owned())
}

pub(super) fn imm(value: impl ToString) -> Arg {
    Arg::Imm(value.to_string())
}

pub(super) fn inst(op: &str, defs: usize, args: Vec<Arg>) -> Stmt {
    Stmt::Inst(Inst { guard: None, op: op.to_owned(), defs, args })
}

impl Pen<'_> {
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        self.dice.below(u64::from(bound)) as u32
    }

    pub(super) fn name(&mut self, class: char) -> String {
        let have = self.registers;
        let count = match class {
            'r' => have.int,
            'l' => have.long,
            's' => have.short,
            'p' => 8,
            'q' => 4,
            'f' => have.float,
            'd' => have.double,
            _ => have.half,
        };
        format!("%{class}{}", self.below(count))
    }

    pub(super) fn any(&mut self, class: char) -> Arg {
        Arg::Reg(self.name(class))
    }

    /// An operand for a letter.
    fn operand(&mut self, letter: char) -> Arg {
        match letter {
            '#' if self.below(2) == 0 => imm(self.dice.below(40)),
            '#' => self.any('r'),
            '@' => imm(self.dice.below(256)),
            'r' if self.below(4) == 0 => {
                let picks = [0i64, 1, -1, 7, 31, 255, 65535, -128, 2147483647, -2147483648, 12345];
                imm(picks[self.below(11) as usize])
            }
            // Factors are constants: values stay small.
            'F' => imm(["0f3F000000", "0fBF000000", "0f40000000", "0f3E800000", "0f3FC00000"]
                [self.below(5) as usize]),
            'D' => {
                imm(["0d3FE0000000000000", "0dBFE0000000000000", "0d4000000000000000"]
                    [self.below(3) as usize])
            }
            'H' => imm(["0x38003800", "0xB8003800", "0x3400BC00", "0x3A003C00"][self.below(4) as usize]),
            'B' => imm(["0x3F003F00", "0xBF003F00", "0x3E80BF80", "0x3F403F80"][self.below(4) as usize]),
            letter => self.any(letter),
        }
    }

    /// An instruction of a table row.
    fn row(&mut self, row: &str) -> Inst {
        let (op, letters) = row.split_once(' ').expect("an opcode and operands");
        let class = letters.chars().next().unwrap_or('r');
        let mut args = vec![self.any(class)];
        let mut before = class;
        for letter in letters.chars().skip(1) {
            // `1` is an operand of the result's kind.
            before = if letter == '1' { class } else { letter };
            args.push(self.operand(before));
        }
        debug_assert!(before != ' ');
        // What takes floats and constants alike has its registers first.
        let guard = (self.below(7) == 0).then(|| (self.name('p'), self.below(2) == 0));
        Inst { guard, op: op.to_owned(), defs: 1, args }
    }

    fn simple(&mut self, body: &mut Vec<Stmt>) {
        let row = |pen: &mut Self, table: &[&str]| {
            let at = pen.below(table.len() as u32) as usize;
            pen.row(table[at])
        };
        let inst = match (self.below(10), self.stores) {
            (0..3, _) => row(self, &INTEGERS),
            (3, _) => row(self, &SHORTS),
            (4, _) => row(self, &PREDICATES),
            (_, [0, _, 0, _]) if self.brain => row(self, &BRAINS),
            (_, [0, _, 0, _]) => row(self, &HALVES),
            (_, [0, ..]) => row(self, &DOUBLES[..9]),
            _ => row(self, &FLOATS),
        };
        body.push(Stmt::Inst(inst));
    }

    /// An instruction on integers that depend on data, which stay small: sums of such integers are
    /// taken not to overflow.
    fn symbol(&mut self, body: &mut Vec<Stmt>) {
        let [to, one, two] = [(); 3].map(|()| self.below(4) as usize);
        let (z, x, y) = (format!("%z{to}"), format!("%z{one}"), format!("%z{two}"));
        let (a, b) = (self.sizes[one], self.sizes[two]);
        if a.max(b) > 1 << 16 {
            body.push(inst("and.b32", 1, vec![reg(&x), reg(&x), imm(1023)]));
            body.push(inst("max.s32", 1, vec![reg(&y), reg(&x), imm(-5)]));
            (self.sizes[one], self.sizes[two]) = (1023, 1023);
            return;
        }
        let by = i64::from(self.below(4));
        let mask = [1, 7, 60, 255, 4095][self.below(5) as usize];
        let (op, args, size) = match self.below(18) {
            0 => ("add.s32", vec![reg(&x), reg(&y)], a + b),
            1 => ("sub.s32", vec![reg(&x), reg(&y)], a + b),
            2 => ("min.s32", vec![reg(&x), reg(&y)], a.max(b)),
            3 => ("max.s32", vec![reg(&x), reg(&y)], a.max(b)),
            4 => ("neg.s32", vec![reg(&x)], a),
            5 => ("abs.s32", vec![reg(&x)], a),
            6 => ("mul.lo.s32", vec![reg(&x), imm(by - 1)], 2 * a),
            7 => ("mad.lo.s32", vec![reg(&x), imm(by), reg(&y)], 3 * a + b),
            8 => ("and.b32", vec![reg(&x), imm(mask)], mask),
            9 => ("or.b32", vec![reg(&x), imm(mask)], 2 * a.max(mask) + 1),
            10 => ("xor.b32", vec![reg(&x), reg(&y)], 2 * a.max(b) + 1),
            11 => ("shl.b32", vec![reg(&x), imm(by)], a << by),
            12 => ("shr.s32", vec![reg(&x), imm(by)], a + 1),
            13 => ("not.b32", vec![reg(&x)], a + 1),
            14 => ("add.s32", vec![reg(&x), imm(by * 5 - 7)], a + 8),
            15 => {
                let p = self.any('p');
                ("selp.b32", vec![reg(&x), reg(&y), p], a.max(b))
            }
            16 => {
                let q = self.any('q');
                let op = ["setp.lt.s32", "setp.le.s32", "setp.eq.s32", "setp.lo.u32"][by as usize];
                body.push(inst(op, 1, vec![q, reg(&x), reg(&y)]));
                return;
            }
            _ if self.stores[0] > 0 => {
                let f = self.any('f');
                body.push(inst("and.b32", 1, vec![reg("%i0"), reg(&x), imm(15)]));
                body.push(inst("cvt.rn.f32.u32", 1, vec![f, reg("%i0")]));
                return;
            }
            _ => ("sub.s32", vec![reg(&x), imm(by)], a + by),
        };
        body.push(inst(op, 1, [vec![reg(&z)], args].concat()));
        self.sizes[to] = size;
    }

    fn stmt(&mut self, body: &mut Vec<Stmt>, depth: u32, uniform: bool) {
        match self.below(if uniform { 27 } else { 18 }) {
            0..8 => self.simple(body),
            8 => self.function(body),
            9 => self.load(body),
            10 => self.local(body),
            11 => self.odd(body),
            12 if depth < 2 && self.stores[0] > 0 && self.below(2) == 0 => {
                // A branch on data: floats and nothing else, so that both sides can be followed.
                let predicate = self.name('q');
                let mut sides = [Vec::new(), Vec::new()];
                for side in &mut sides {
                    for _ in 0..1 + self.below(2) {
                        let at = self.below(9) as usize;
                        let row = self.row(FLOATS[at]);
                        side.push(Stmt::Inst(Inst { guard: None, ..row }));
                    }
                }
                let [then, other] = sides;
                body.push(Stmt::If(predicate, then, other));
            }
            12 | 13 if depth < 2 => {
                let predicate = self.name('p');
                let then = self.block(depth, false);
                let other = if self.below(2) == 0 { self.block(depth, false) } else { Vec::new() };
                body.push(Stmt::If(predicate, then, other));
            }
            14 if depth < 2 => {
                let index = self.any('r');
                body.push(inst("and.b32", 1, vec![reg("%i3"), index, imm(3)]));
                let arms = (0..4).map(|_| self.block(depth, false)).collect();
                body.push(Stmt::Switch("%i3".to_owned(), arms));
            }
            15 if depth < 2 => {
                let times = self.any('r');
                body.push(inst("and.b32", 1, vec![reg("%i0"), times, imm(3)]));
                let looped = self.block(depth, false);
                body.push(Stmt::Loop(reg("%i0"), looped));
            }
            16 if depth < 2 => {
                let times = imm(1 + self.below(4));
                let looped = self.block(depth, uniform);
                body.push(Stmt::Loop(times, looped));
            }
            17 => {
                let result = self.name('r');
                let arguments = vec![self.name('r')];
                body.push(Stmt::Call { result, function: "steps", float: false, arguments });
            }
            18 | 19 if uniform => self.stage(body),
            20 | 21 if uniform => self.warp(body),
            22 if uniform => self.count(body),
            23 if uniform => self.masked(body),
            24 | 25 if uniform => self.pieces(body),
            26 if uniform => self.matrix(body),
            _ => self.simple(body),
        }
    }

    fn block(&mut self, depth: u32, uniform: bool) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..1 + self.below(4) {
            self.stmt(&mut body, depth + 1, uniform);
        }
        body
    }

    /// A function of one number, its argument brought into range.
    fn function(&mut self, body: &mut Vec<Stmt>) {
        match self.stores {
            [0, _, 0, _] => {
                let (to, from) = (self.any('h'), self.any('h'));
                body.push(inst("mov.b32", 1, vec![Arg::Vec(vec!["%u0".into(), "%u1".into()]), from]));
                let op = match self.brain {
                    true => ["abs.bf16", "neg.bf16"],
                    false => ["abs.f16", "neg.f16"],
                }[self.below(2) as usize];
                body.push(inst(op, 1, vec![reg("%u0"), reg("%u1")]));
                body.push(inst("mov.b32", 1, vec![to, Arg::Vec(vec!["%u1".into(), "%u0".into()])]));
            }
            [0, ..] => {
                let (to, from, above) = (self.any('d'), self.any('d'), self.any('d'));
                body.push(inst("abs.f64", 1, vec![reg("%e0"), from]));
                body.push(inst("add.f64", 1, vec![reg("%e0"), reg("%e0"), imm("0d3FE8000000000000")]));
                match self.below(3) {
                    0 => body.push(inst("sqrt.rn.f64", 1, vec![to, reg("%e0")])),
                    1 => body.push(inst("rcp.rn.f64", 1, vec![to, reg("%e0")])),
                    _ => body.push(inst("div.rn.f64", 1, vec![to, above, reg("%e0")])),
                }
            }
            _ => {
                let (to, from, above) = (self.any('f'), self.any('f'), self.any('f'));
                if self.below(3) == 0 {
                    // An exponential of something small.
                    body.push(inst("min.f32", 1, vec![reg("%g0"), from, imm("0f40000000")]));
                    body.push(inst("max.f32", 1, vec![reg("%g0"), reg("%g0"), imm("0fC0000000")]));
                    let op = ["ex2.approx.f32", "tanh.approx.f32", "ex2.approx.ftz.f32", "sin.approx.f32"];
                    body.push(inst(op[self.below(4) as usize], 1, vec![to, reg("%g0")]));
                    return;
                }
                if self.below(4) == 0 {
                    let arguments = vec![self.name('f'), self.name('f')];
                    let result = self.name('f');
                    body.push(Stmt::Call { result, function: "blend", float: true, arguments });
                    return;
                }
                body.push(inst("abs.f32", 1, vec![reg("%g0"), from]));
                body.push(inst("add.f32", 1, vec![reg("%g0"), reg("%g0"), imm("0f3F400000")]));
                let op = ["sqrt.rn.f32", "rcp.rn.f32", "lg2.approx.f32", "rsqrt.approx.f32", "div.rn.f32"];
                let at = self.below(5) as usize;
                let mut args = vec![to, reg("%g0")];
                if at == 4 {
                    args.insert(1, above);
                }
                body.push(inst(op[at], 1, args));
            }
        }
    }

    /// An index in `%i0`, some of the bits of `mask`; with `choice`, now and then data choose between two.
    fn index(&mut self, body: &mut Vec<Stmt>, mask: u32, choice: bool) {
        let index = self.any('r');
        body.push(inst("and.b32", 1, vec![reg("%i0"), index, imm(mask)]));
        if choice && self.below(8) == 0 {
            let (other, q) = (self.any('r'), self.any('q'));
            body.push(inst("and.b32", 1, vec![reg("%i1"), other, imm(mask)]));
            body.push(inst("selp.b32", 1, vec![reg("%i0"), reg("%i0"), reg("%i1"), q]));
        }
    }

    /// The address of an element of an input in `%a0`; further elements may follow it. With `choice`, data
    /// may have a say.
    fn element(&mut self, body: &mut Vec<Stmt>, (base, bytes): (&str, u32), mask: u32, choice: bool) {
        self.index(body, mask, choice);
        body.push(inst("mul.wide.u32", 1, vec![reg("%a0"), reg("%i0"), imm(bytes)]));
        body.push(inst("add.s64", 1, vec![reg("%a0"), reg("%a0"), reg(base)]));
    }

    fn load(&mut self, body: &mut Vec<Stmt>) {
        let half = INPUTS / 2 - 1;
        let mem = |offset: i64| Arg::Mem("%a0".to_owned(), offset);
        let further = i64::from(self.below(INPUTS / 2));
        match (self.below(4), self.stores) {
            (0, _) => {
                self.element(body, ("%gn", 4), half, false);
                let op =
                    ["ld.global.b32", "ld.global.u8", "ld.global.s8", "ld.global.s16", "ld.global.nc.u32"];
                let (to, at) = (self.any('r'), self.below(5) as usize);
                body.push(inst(op[at], 1, vec![to, mem(4 * further)]));
            }
            (1, [1..=4, ..]) => {
                self.element(body, ("%ga", 4), 60, true);
                body.push(inst("ld.global.v4.f32", 1, vec![self.several('f', 4), mem(0)]));
            }
            (2, [1..=4, ..]) => {
                self.element(body, ("%ga", 4), 62, true);
                body.push(inst("ld.global.v2.f32", 1, vec![self.several('f', 2), mem(0)]));
            }
            (_, [1..=4, ..]) => {
                self.element(body, ("%ga", 4), half, true);
                let to = self.any('f');
                body.push(inst("ld.global.f32", 1, vec![to, mem(4 * further)]));
            }
            (_, [_, _, 1..=4, _]) => {
                self.element(body, ("%gb", 8), half, true);
                let to = self.any('d');
                body.push(inst("ld.global.f64", 1, vec![to, mem(8 * further)]));
            }
            _ => {
                self.element(body, ("%gc", 2), 30, true);
                let to = self.any('h');
                body.push(inst("ld.global.b32", 1, vec![to, mem(4 * (further / 4))]));
            }
        }
    }

    /// Different registers of a class.
    pub(super) fn several(&mut self, class: char, count: u32) -> Arg {
        let first = self.below(4);
        let have = match class {
            'f' => self.registers.float,
            'd' => self.registers.double,
            'h' => self.registers.half,
            _ => self.registers.int,
        };
        Arg::Vec((0..count).map(|at| format!("%{class}{}", (first + at) % have)).collect())
    }

    fn local(&mut self, body: &mut Vec<Stmt>) {
        let float = self.stores[0] > 0 && self.below(2) == 0;
        self.index(body, 7, float);
        body.push(inst("mul.wide.u32", 1, vec![reg("%a1"), reg("%i0"), imm(4)]));
        body.push(inst("mov.u64", 1, vec![reg("%a0"), imm("loc")]));
        body.push(inst("add.s64", 1, vec![reg("%a0"), reg("%a0"), reg("%a1")]));
        let (class, ty, offset) = if float { ('f', "f32", 0) } else { ('r', "b32", 32) };
        let place = Arg::Mem("%a0".to_owned(), offset);
        let value = self.any(class);
        body.push(match self.below(2) {
            0 => inst(&format!("st.local.{ty}"), 0, vec![place, value]),
            _ => inst(&format!("ld.local.{ty}"), 1, vec![value, place]),
        });
    }

    /// Instructions that come in groups or have several results.
    fn odd(&mut self, body: &mut Vec<Stmt>) {
        match self.below(6) {
            0 => {
                let (low, high) = (self.row("add.cc.u32 rrr"), self.row("addc.u32 rrr"));
                body.extend([low, high].map(|one| Stmt::Inst(Inst { guard: None, ..one })));
            }
            1 => {
                let (low, high) = (self.row("sub.cc.u32 rrr"), self.row("subc.u32 rrr"));
                body.extend([low, high].map(|one| Stmt::Inst(Inst { guard: None, ..one })));
            }
            2 => {
                let op = ["div.u32", "rem.u32", "div.s32", "rem.s32"][self.below(4) as usize];
                let (to, above, below) = (self.any('r'), self.any('r'), self.any('r'));
                body.push(inst("and.b32", 1, vec![reg("%i0"), below, imm(1023)]));
                body.push(inst("or.b32", 1, vec![reg("%i0"), reg("%i0"), imm(1)]));
                body.push(inst(op, 1, vec![to, above, reg("%i0")]));
            }
            3 => {
                let (to, from) = (self.any('l'), self.several('r', 2));
                body.push(inst("mov.b64", 1, vec![to, from]));
            }
            4 => {
                let (to, from) = (self.several('r', 2), self.any('l'));
                body.push(inst("mov.b64", 1, vec![to, from]));
            }
            _ if self.stores[0] > 0 => match self.below(3) {
                0 => {
                    let (from, to) = (self.any('r'), self.any('f'));
                    body.push(inst("and.b32", 1, vec![reg("%i0"), from, imm(15)]));
                    body.push(inst("cvt.rn.f32.u32", 1, vec![to, reg("%i0")]));
                }
                1 => {
                    let (q, x, y) = (self.any('q'), self.any('f'), self.any('f'));
                    let op = ["setp.lt.f32", "setp.ge.f32"][self.below(2) as usize];
                    body.push(inst(op, 1, vec![q, x, y]));
                }
                _ => {
                    let (guard, mut one) = ((self.name('q'), self.below(2) == 0), self.row("add.f32 fff"));
                    one.guard = Some(guard);
                    body.push(Stmt::Inst(one));
                }
            },
            _ => {
                let pair = Arg::Pair("%p0".to_owned(), format!("%p{}", 1 + self.below(7)));
                let (x, y) = (self.any('r'), self.any('r'));
                body.push(inst("setp.lt.s32", 1, vec![pair, x, y]));
            }
        }
    }

    fn barrier(&mut self, body: &mut Vec<Stmt>) {
        let threads = self.threads;
        body.push(match self.below(4) {
            0 => inst("barrier.sync", 0, vec![imm(0)]),
            1 => inst("bar.sync", 0, vec![imm(1), imm(threads)]),
            _ => inst("bar.sync", 0, vec![imm(0)]),
        });
    }

    /// A value goes through shared memory, by a store or a copy in the background.
    fn stage(&mut self, body: &mut Vec<Stmt>) {
        let float = self.stores[0] > 0 && self.below(2) == 0;
        let (array, class, ty) = if float { ("sf", 'f', "f32") } else { ("si", 'r', "b32") };
        let place = || Arg::Mem("%i2".to_owned(), 0);
        self.barrier(body);
        body.push(inst("shl.b32", 1, vec![reg("%i2"), reg("%tix"), imm(2)]));
        body.push(inst("mov.u32", 1, vec![reg("%i1"), imm(array)]));
        body.push(inst("add.u32", 1, vec![reg("%i2"), reg("%i2"), reg("%i1")]));
        if self.below(3) == 0 {
            self.element(body, (if float { "%ga" } else { "%gn" }, 4), INPUTS - 1, false);
            let from = Arg::Mem("%a0".to_owned(), 0);
            body.push(inst("cp.async.ca.shared.global", 0, vec![place(), from, imm(4)]));
            if self.below(2) == 0 {
                body.push(inst("cp.async.commit_group", 0, Vec::new()));
                body.push(inst("cp.async.wait_group", 0, vec![imm(0)]));
            } else {
                body.push(inst("cp.async.wait_all", 0, Vec::new()));
            }
        } else {
            let value = self.any(class);
            body.push(inst(&format!("st.shared.{ty}"), 0, vec![place(), value]));
        }
        self.barrier(body);
        for _ in 0..1 + self.below(2) {
            let pairs = self.below(3) == 0;
            let (index, span) = (self.any('r'), if pairs { self.threads / 2 } else { self.threads });
            body.push(inst("rem.u32", 1, vec![reg("%i2"), index, imm(span)]));
            body.push(inst("shl.b32", 1, vec![reg("%i2"), reg("%i2"), imm(if pairs { 3 } else { 2 })]));
            body.push(inst("add.u32", 1, vec![reg("%i2"), reg("%i2"), reg("%i1")]));
            let (width, to) = if pairs { (".v2", self.several(class, 2)) } else { ("", self.any(class)) };
            body.push(inst(&format!("ld.shared{width}.{ty}"), 1, vec![to, place()]));
        }
    }

    /// What a whole warp does together.
    fn warp(&mut self, body: &mut Vec<Stmt>) {
        let everybody = || imm("0xffffffff");
        match self.below(6) {
            0..3 => {
                let class = if self.stores[0] > 0 && self.below(2) == 0 { 'f' } else { 'r' };
                let (to, from) = (self.any(class), self.any(class));
                let to = match (to, self.below(3)) {
                    (Arg::Reg(name), 0) => Arg::Pair(name, self.name('p')),
                    (to, _) => to,
                };
                let (mode, clamp) =
                    [("up", 0), ("down", 31), ("bfly", 31), ("idx", 31)][self.below(4) as usize];
                let segment = [0, 0, 16, 24, 28][self.below(5) as usize] << 8;
                let by = if self.below(2) == 0 { imm(self.dice.below(32)) } else { self.any('r') };
                let by = match by {
                    Arg::Reg(_) => {
                        body.push(inst("and.b32", 1, vec![reg("%i0"), by, imm(31)]));
                        reg("%i0")
                    }
                    by => by,
                };
                let op = format!("shfl.sync.{mode}.b32");
                body.push(inst(&op, 1, vec![to, from, by, imm(segment | clamp), everybody()]));
            }
            3 => {
                let (to, p) = (self.any('r'), self.any('p'));
                body.push(inst("vote.sync.ballot.b32", 1, vec![to, p, everybody()]));
            }
            4 => {
                let (to, p) = (self.any('p'), self.any('p'));
                let op = ["vote.sync.any.pred", "vote.sync.all.pred", "vote.sync.uni.pred"]
                    [self.below(3) as usize];
                body.push(inst(op, 1, vec![to, p, everybody()]));
            }
            _ => {
                let (to, from) = (self.any('r'), self.any('r'));
                let ops = [
                    "redux.sync.add.s32",
                    "redux.sync.min.s32",
                    "redux.sync.max.u32",
                    "redux.sync.and.b32",
                    "redux.sync.or.b32",
                    "redux.sync.xor.b32",
                    "match.any.sync.b32",
                ];
                body.push(inst(ops[self.below(7) as usize], 1, vec![to, from, everybody()]));
            }
        }
    }

    /// Floats as bits: a double's halves go to other lanes, a sign is cut off or turned, halves of a
    /// pair change places.
    fn pieces(&mut self, body: &mut Vec<Stmt>) {
        let halves = || Arg::Vec(vec!["%n62".into(), "%n63".into()]);
        match self.stores {
            [0, _, 0, _] => {
                let order = ["0x5410", "0x7632", "0x1032", "0x3254", "0x5432"][self.below(5) as usize];
                let (to, x, y) = (self.any('h'), self.any('h'), self.any('h'));
                body.push(inst("prmt.b32", 1, vec![to, x, y, imm(order)]));
            }
            [0, ..] => {
                let (to, from, by) = (self.any('d'), self.any('d'), self.below(32));
                body.push(inst("mov.b64", 1, vec![halves(), from]));
                for half in ["%n62", "%n63"] {
                    let args = vec![reg(half), reg(half), imm(by), imm(31), imm("0xffffffff")];
                    body.push(inst("shfl.sync.bfly.b32", 1, args));
                }
                body.push(inst("mov.b64", 1, vec![to, halves()]));
            }
            _ => {
                let (to, from) = (self.any('f'), self.any('f'));
                body.push(inst("mov.b32", 1, vec![reg("%n62"), from]));
                let (op, bits) =
                    [("and.b32", "0x7fffffff"), ("xor.b32", "0x80000000")][self.below(2) as usize];
                body.push(inst(op, 1, vec![reg("%n62"), reg("%n62"), imm(bits)]));
                body.push(inst("mov.b32", 1, vec![to, reg("%n62")]));
            }
        }
    }

    /// Threads count something together; everybody reads it behind a barrier.
    fn count(&mut self, body: &mut Vec<Stmt>) {
        if self.below(3) == 0 {
            let (p, to) = (self.any('p'), self.any('r'));
            body.push(inst("bar.red.popc.u32", 1, vec![to, imm(0), p]));
            return;
        }
        self.barrier(body);
        let (op, offset) =
            [("add.u32", 0), ("max.s32", 4), ("min.u32", 8), ("xor.b32", 0)][self.below(4) as usize];
        let place = Arg::Imm(format!("[sum+{offset}]"));
        let value = self.any('r');
        let guard = (self.below(2) == 0).then(|| (self.name('p'), self.below(2) == 0));
        let op = format!("red.shared.{op}");
        body.push(Stmt::Inst(Inst { guard, op, defs: 0, args: vec![place.clone(), value] }));
        self.barrier(body);
        let to = self.any('r');
        body.push(inst("ld.shared.b32", 1, vec![to, place]));
    }

    /// A branch whose lanes talk to each other: the mask is taken before it.
    fn masked(&mut self, body: &mut Vec<Stmt>) {
        let predicate = self.name('p');
        let (mask, first) = (format!("%m{}", self.arrays % 16), format!("%o{}", self.arrays % 16));
        self.arrays += 1;
        let everybody = imm("0xffffffff");
        body.push(inst("vote.sync.ballot.b32", 1, vec![reg(&mask), reg(&predicate), everybody]));
        body.push(inst("brev.b32", 1, vec![reg(&first), reg(&mask)]));
        body.push(inst("clz.b32", 1, vec![reg(&first), reg(&first)]));
        let mut then = Vec::new();
        for _ in 0..1 + self.below(3) {
            let (to, from) = (self.any('r'), self.any('r'));
            then.push(match self.below(3) {
                0 => inst("redux.sync.add.s32", 1, vec![to, from, reg(&mask)]),
                1 => inst("bar.warp.sync", 0, vec![reg(&mask)]),
                _ => inst("shfl.sync.idx.b32", 1, vec![to, from, reg(&first), imm(31), reg(&mask)]),
            });
            self.simple(&mut then);
        }
        body.push(Stmt::If(predicate, then, Vec::new()));
    }
}
