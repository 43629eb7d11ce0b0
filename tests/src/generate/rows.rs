//! The instructions that kernels are drawn from.
//!
//! Operand letters: `r` 32 bits, `l` 64, `s` 16, `p` predicate, `q` predicate on data, `f` f32, `d`
//! f64, `h` packed f16 or bf16; `#` a small number or a register, `@` a byte. The result comes first.
//! Capital letters are constants that keep values small, `1` a register of the result's class.

#[rustfmt::skip]
pub(super) const INTEGERS: [&str; 84] = [
    "add.s32 rrr", "sub.s32 rrr", "mul.lo.s32 rrr", "mul.hi.s32 rrr", "mul.hi.u32 rrr", "mad.lo.s32 rrrr",
    "mad.hi.u32 rrrr", "and.b32 rrr", "or.b32 rrr", "xor.b32 rrr", "not.b32 rr", "shl.b32 rr#",
    "shr.s32 rr#", "shr.u32 rr#", "min.s32 rrr", "max.u32 rrr", "min.u32 rrr", "max.s32 rrr", "abs.s32 rr",
    "neg.s32 rr", "popc.b32 rr", "clz.b32 rr", "brev.b32 rr", "bfind.u32 rr", "bfind.s32 rr",
    "bfe.u32 rr##", "bfe.s32 rr##", "bfi.b32 rrr##", "prmt.b32 rrrr", "lop3.b32 rrrr@",
    "shf.l.wrap.b32 rrr#", "shf.r.clamp.b32 rrr#", "sad.u32 rrrr", "mul24.lo.u32 rrr", "mad24.lo.s32 rrrr",
    "dp4a.u32.s32 rrrr", "dp2a.lo.s32.s32 rrrr", "selp.b32 rrrp", "cnot.b32 rr", "add.sat.s32 rrr",
    "sub.sat.s32 rrr", "szext.wrap.s32 rr#", "bmsk.clamp.b32 r##", "slct.s32.s32 rrrr",
    "set.lt.u32.s32 rrr", "add.s64 lll", "sub.s64 lll", "mul.lo.s64 lll", "mul.hi.u64 lll",
    "mul.hi.s64 lll", "and.b64 lll", "or.b64 lll", "xor.b64 lll", "not.b64 ll", "neg.s64 ll", "abs.s64 ll",
    "shl.b64 ll#", "shr.s64 ll#", "shr.u64 ll#", "min.s64 lll", "max.u64 lll", "mul.wide.u32 lrr",
    "mul.wide.s32 lrr", "mad.wide.u32 lrrl", "mad.lo.s64 llll", "popc.b64 rl", "clz.b64 rl", "brev.b64 ll",
    "bfe.u64 ll##", "bfe.s64 ll##", "bfi.b64 lll##", "cvt.u64.u32 lr", "cvt.s64.s32 lr", "cvt.u32.u64 rl",
    "selp.b64 lllp", "mul.wide.s16 rss", "mul.wide.u16 rss", "cvt.s32.s16 rs", "cvt.u32.u16 rs",
    "cvt.s32.s8 rr", "cvt.u32.u8 rr", "cvt.sat.s8.s32 rr", "cvt.sat.u32.s64 rl", "bfind.shiftamt.u64 rl",
];
#[rustfmt::skip]
pub(super) const SHORTS: [&str; 17] = [
    "add.s16 sss", "sub.s16 sss", "mul.lo.u16 sss", "mul.hi.s16 sss", "mul.hi.u16 sss", "mad.lo.s16 ssss",
    "and.b16 sss", "xor.b16 sss", "not.b16 ss", "shl.b16 ss#", "shr.s16 ss#", "shr.u16 ss#", "min.s16 sss",
    "max.u16 sss", "neg.s16 ss", "cvt.u16.u32 sr", "cvt.sat.u16.s32 sr",
];
#[rustfmt::skip]
pub(super) const PREDICATES: [&str; 16] = [
    "setp.eq.s32 prr", "setp.ne.u32 prr", "setp.lt.s32 prr", "setp.le.u32 prr", "setp.gt.s32 prr",
    "setp.hs.u32 prr", "setp.lt.u64 pll", "setp.ge.s64 pll", "setp.lo.u16 pss", "setp.gt.s16 pss",
    "setp.lt.and.s32 prrp", "setp.gt.xor.u32 prrp", "and.pred ppp", "or.pred ppp", "xor.pred ppp",
    "not.pred pp",
];
#[rustfmt::skip]
pub(super) const FLOATS: [&str; 14] = [
    "add.f32 fff", "sub.f32 fff", "fma.rn.f32 fffF", "mul.f32 fF1", "mul.f32 fF1", "neg.f32 ff",
    "abs.f32 ff", "min.f32 fff", "max.f32 fff", "selp.f32 fffp", "selp.f32 fffq", "add.f32 ffF",
    "fma.rn.f32 fF1f", "slct.f32.s32 fffr",
];
#[rustfmt::skip]
pub(super) const DOUBLES: [&str; 10] = [
    "add.f64 ddd", "sub.f64 ddd", "fma.rn.f64 dD1d", "mul.f64 dD1", "neg.f64 dd", "abs.f64 dd",
    "min.f64 ddd", "max.f64 ddd", "selp.f64 dddp", "cvt.f64.f32 df",
];
#[rustfmt::skip]
pub(super) const HALVES: [&str; 9] = [
    "add.f16x2 hhh", "sub.f16x2 hhh", "mul.f16x2 hH1", "fma.rn.f16x2 hH1h", "min.f16x2 hhh",
    "max.f16x2 hhh", "neg.f16x2 hh", "abs.f16x2 hh", "fma.rn.relu.f16x2 hH1h",
];
#[rustfmt::skip]
pub(super) const BRAINS: [&str; 9] = [
    "add.bf16x2 hhh", "sub.bf16x2 hhh", "mul.bf16x2 hB1", "fma.rn.bf16x2 hB1h", "min.bf16x2 hhh",
    "max.bf16x2 hhh", "neg.bf16x2 hh", "abs.bf16x2 hh", "fma.rn.relu.bf16x2 hB1h",
];
