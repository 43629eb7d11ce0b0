//! Products of small matrices by a whole warp.
//!
//! Values that are used again are multiplied by constants only, so that they stay small.

use super::draw::{Pen, imm, inst, reg};
use super::{Arg, Inst, Stmt};

/// An opcode, and the class and number of registers of its sum, its first and its second factor. `c` are
/// constants.
type Product = (&'static str, [(char, u32); 3]);

/// Of f16 inputs, in f32.
const SINGLE: [Product; 2] = [
    ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", [('f', 4), ('h', 4), ('h', 2)]),
    ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", [('f', 4), ('h', 2), ('h', 1)]),
];
const DOUBLE: [Product; 1] =
    [("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", [('d', 2), ('d', 1), ('e', 1)])];
const HALF: [Product; 4] = [
    ("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", [('h', 2), ('h', 4), ('c', 2)]),
    ("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", [('h', 2), ('h', 2), ('c', 1)]),
    ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", [('f', 4), ('h', 4), ('c', 2)]),
    ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", [('f', 4), ('h', 2), ('c', 1)]),
];
const BRAIN: [Product; 2] = [
    ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", [('f', 4), ('h', 4), ('c', 2)]),
    ("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", [('f', 4), ('h', 2), ('c', 1)]),
];
const INTEGER: [Product; 12] = [
    ("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", [('r', 4), ('r', 4), ('r', 2)]),
    ("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32", [('r', 4), ('r', 4), ('r', 2)]),
    ("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", [('r', 4), ('r', 4), ('r', 2)]),
    ("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32", [('r', 4), ('r', 2), ('r', 1)]),
    ("mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32", [('r', 2), ('r', 1), ('r', 1)]),
    ("mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", [('r', 4), ('r', 4), ('r', 2)]),
    ("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.s4.s32", [('r', 4), ('r', 2), ('r', 1)]),
    ("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", [('r', 2), ('r', 1), ('r', 1)]),
    ("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", [('r', 4), ('r', 4), ('r', 2)]),
    ("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", [('r', 4), ('r', 2), ('r', 1)]),
    ("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", [('r', 2), ('r', 1), ('r', 1)]),
    ("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", [('r', 2), ('r', 1), ('r', 1)]),
];

/// Products that are two of half the depth, and those: the registers of both factors in halves.
const HALVES: [(&str, &str); 5] = [
    (SINGLE[0].0, SINGLE[1].0),
    (HALF[0].0, HALF[1].0),
    (BRAIN[0].0, BRAIN[1].0),
    (INTEGER[0].0, "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32"),
    (INTEGER[5].0, "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32"),
];

impl Pen<'_> {
    /// A product added to a sum, or a matrix that is transposed.
    pub(super) fn matrix(&mut self, body: &mut Vec<Stmt>) {
        let (integers, halves) = (self.below(3) == 0, self.stores[0] == 0 && self.stores[2] == 0);
        if self.below(5) == 0 {
            let class = if halves { 'h' } else { 'r' };
            let (to, from) = (self.any(class), self.any(class));
            body.push(inst("movmatrix.sync.aligned.m8n8.trans.b16", 1, vec![to, from]));
            return;
        }
        let products: &[Product] = match self.stores {
            _ if integers => &INTEGER,
            [0, _, 0, _] if self.brain => &BRAIN,
            [0, _, 0, _] => &HALF,
            [0, ..] => &DOUBLE,
            _ => &SINGLE,
        };
        let (op, [sum, first, second]) = products[self.below(products.len() as u32) as usize];
        // What the constants are read from.
        match (second.0, self.brain) {
            ('c', false) => self.constants(body, "mov.b32", ["%c0", "%c1"], ["0x2C00AC00", "0xB0002800"]),
            ('c', true) => self.constants(body, "mov.b32", ["%c0", "%c1"], ["0x3D80BD80", "0xBE003D00"]),
            ('e', _) => body.push(inst("mov.f64", 1, vec![reg("%e0"), imm("0dBFC0000000000000")])),
            _ => {}
        }
        let to = self.several(sum.0, sum.1);
        let args = vec![to.clone(), self.fragment(first), self.fragment(second), self.fragment(sum)];
        body.push(inst(op, 1, args));
        if let (true, Arg::Vec(sums)) = (halves && sum.0 == 'f', to) {
            let op = if self.brain { "cvt.rn.bf16x2.f32" } else { "cvt.rn.f16x2.f32" };
            let at = self.below(2) as usize;
            let args = vec![self.any('h'), reg(&sums[at]), reg(&sums[at + 2])];
            body.push(inst(op, 1, args));
        }
    }

    fn constants(&mut self, body: &mut Vec<Stmt>, op: &str, to: [&str; 2], values: [&str; 2]) {
        for to in to {
            let value = values[self.below(2) as usize];
            body.push(inst(op, 1, vec![reg(to), imm(value)]));
        }
    }

    fn fragment(&mut self, (class, count): (char, u32)) -> Arg {
        Arg::Vec(
            (0..count)
                .map(|at| match class {
                    'c' | 'e' => format!("%{class}{at}"),
                    _ => self.name(class),
                })
                .collect(),
        )
    }
}

/// A product as two of half the depth, one after the other.
pub(super) fn halved(inst: &Inst) -> Option<[Inst; 2]> {
    let (_, op) = HALVES.iter().find(|(whole, _)| *whole == inst.op)?;
    let [Arg::Vec(to), Arg::Vec(first), Arg::Vec(second), sum] = &inst.args[..] else { return None };
    let ((a, b), (c, d)) =
        (first.split_at_checked(first.len() / 2)?, second.split_at_checked(second.len() / 2)?);
    // The first half must leave what the second reads.
    if b.iter().chain(d).any(|name| to.contains(name)) {
        return None;
    }
    let half = |first: &[String], second: &[String], sum: &Arg| Inst {
        op: (*op).to_owned(),
        args: vec![Arg::Vec(to.clone()), Arg::Vec(first.to_vec()), Arg::Vec(second.to_vec()), sum.clone()],
        ..inst.clone()
    };
    Some([half(a, c, sum), half(b, d, &Arg::Vec(to.clone()))])
}
