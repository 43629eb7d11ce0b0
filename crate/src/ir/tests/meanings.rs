//! What instructions mean over the reals, printed: registers are named variables.

use super::probe::{lowered, module};
use crate::base::Format;
use crate::ir::{Constant, RegisterKind};
use crate::isa::{Effect, Meaning};
use crate::term::print::Printer;
use crate::term::{Elements, Term, Terms};
use expect_test::{Expect, expect};

/// The meaning of each of some instructions, a line each.
fn check(instructions: &[&str], expected: Expect) {
    let lines: Vec<String> =
        instructions.iter().map(|text| format!("{text}  means  {}", meaning(text))).collect();
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

fn meaning(instruction: &str) -> String {
    let kernel = lowered(&module(&format!("{instruction};"))).expect("lowers").kernel;
    let mut terms = Terms::new();
    let mut elements = Elements::default();
    let mut said = Vec::new();
    for instr in &kernel.code {
        let Effect::Lanewise(lanes) = instr.effect else { continue };
        let mut sources = Vec::new();
        for (at, reg) in kernel.src(instr).iter().enumerate() {
            sources.push(match kernel.registers[reg.index()] {
                RegisterKind::Constant(Constant::Bits(bits)) => terms.number(lanes.src[at], bits),
                _ => {
                    let name = kernel.register_names[reg.index()].trim_start_matches('%');
                    Term::element(elements.push(name, vec![], Format::F32, 1).expect("room"))
                }
            });
        }
        let term = match lanes.meaning {
            Meaning::Real(f) | Meaning::Compare(f) | Meaning::Logic(f) => Some(f(&mut terms, &sources)),
            Meaning::Partial(f) => f(&mut terms, &sources),
            Meaning::Carry(f) => Some(f(&mut terms, &sources).0),
            Meaning::Convert => Some(sources[0]),
            Meaning::Select => Some(terms.select(sources[2], sources[0], sources[1])),
            Meaning::Bits(op) => {
                said.push(format!("bits {op:?}"));
                continue;
            }
            Meaning::Table => {
                said.push("table".to_owned());
                continue;
            }
            Meaning::Rearrange(..) => {
                said.push("bytes".to_owned());
                continue;
            }
            Meaning::Dot { signed } => {
                said.push(format!("dot {signed:?}"));
                continue;
            }
            Meaning::None => None,
        };
        said.push(match term {
            Some(term) => {
                let printer = Printer { terms: &terms, elements: &elements, constant: &|_| None, limit: 100 };
                let format = if lanes.dst == Format::B8 { "condition" } else { lanes.dst.name() };
                format!("{format} {}", printer.text(term))
            }
            None => "nothing".to_owned(),
        });
    }
    said.join(" | ")
}

#[test]
fn arithmetic_ignores_rounding_to_nearest_only() {
    check(
        &[
            "add.f32 %f1, %f2, %f3",
            "add.rn.ftz.sat.f32 %f1, %f2, %f3",
            "sub.rm.f32 %f1, %f2, %f3",
            "mul.rp.f64 %fd1, %fd2, %fd3",
            "fma.rn.f32 %f1, %f2, %f3, %f4",
            "fma.rz.f32 %f1, %f2, %f3, %f4",
            "div.full.f32 %f1, %f2, %f3",
            "div.rz.f32 %f1, %f2, %f3",
            "rcp.approx.ftz.f32 %f1, %f2",
            "sqrt.rn.f32 %f1, %f2",
            "rsqrt.approx.f32 %f1, %f2",
            "ex2.approx.ftz.f32 %f1, %f2",
            "lg2.approx.f32 %f1, %f2",
            "max.NaN.f32 %f1, %f2, %f3",
            "min.f32 %f1, %f2, %f3, %f4",
            "copysign.f32 %f1, %f2, %f3",
            "fma.rn.relu.f16 %rs1, %rs2, %rs3, %rs4",
        ],
        expect![[r#"
            add.f32 %f1, %f2, %f3  means  f32 f2 + f3
            add.rn.ftz.sat.f32 %f1, %f2, %f3  means  f32 min(max(f2 + f3, 0), 1)
            sub.rm.f32 %f1, %f2, %f3  means  f32 round_down_f32(f2 - f3)
            mul.rp.f64 %fd1, %fd2, %fd3  means  f64 round_up_f64(fd2·fd3)
            fma.rn.f32 %f1, %f2, %f3, %f4  means  f32 f4 + f2·f3
            fma.rz.f32 %f1, %f2, %f3, %f4  means  f32 round_to_zero_f32(f4 + f2·f3)
            div.full.f32 %f1, %f2, %f3  means  f32 f2/f3
            div.rz.f32 %f1, %f2, %f3  means  f32 round_to_zero_f32(f2/f3)
            rcp.approx.ftz.f32 %f1, %f2  means  f32 1/f2
            sqrt.rn.f32 %f1, %f2  means  f32 √f2
            rsqrt.approx.f32 %f1, %f2  means  f32 1/√f2
            ex2.approx.ftz.f32 %f1, %f2  means  f32 2^f2
            lg2.approx.f32 %f1, %f2  means  f32 log₂(f2)
            max.NaN.f32 %f1, %f2, %f3  means  f32 max(f2, f3)
            min.f32 %f1, %f2, %f3, %f4  means  f32 min(f2, f3, f4)
            copysign.f32 %f1, %f2, %f3  means  f32 if f2 < 0 then -|f3| else |f3|
            fma.rn.relu.f16 %rs1, %rs2, %rs3, %rs4  means  f16 max(rs4 + rs2·rs3, 0)
        "#]],
    );
}

/// Adding 1.5·2²³ and taking it away rounds to an integer: that must not read as the identity.
#[test]
fn magic_constants_keep_their_rounding() {
    check(
        &[
            "add.f32 %f1, %f2, 0f4B400000",
            "add.f32 %f1, 0fCB400000, %f2",
            "fma.rn.f32 %f1, %f2, 0f3FB8AA3B, 0f4B400001",
            "sub.f32 %f1, %f2, 0f4A800000",
            "add.f32 %f1, %f2, 0f4A7FFFFF",
            "add.f64 %fd1, %fd2, 0d4338000000000000",
            "add.f64 %fd1, %fd2, 0d4310000000000000",
            "add.f16 %rs1, %rs2, 0x6400",
            "mul.f32 %f1, %f2, 0f4B400000",
            "add.f32 %f1, %f2, 0fFF800000",
        ],
        expect![[r#"
            add.f32 %f1, %f2, 0f4B400000  means  f32 round_f32(12582912 + f2)
            add.f32 %f1, 0fCB400000, %f2  means  f32 round_f32(-12582912 + f2)
            fma.rn.f32 %f1, %f2, 0f3FB8AA3B, 0f4B400001  means  f32 round_f32(12582913 + 1.442695·f2)
            sub.f32 %f1, %f2, 0f4A800000  means  f32 round_f32(-4194304 + f2)
            add.f32 %f1, %f2, 0f4A7FFFFF  means  f32 4194303.8 + f2
            add.f64 %fd1, %fd2, 0d4338000000000000  means  f64 round_f64(6.755399441055744e15 + fd2)
            add.f64 %fd1, %fd2, 0d4310000000000000  means  f64 1.125899906842624e15 + fd2
            add.f16 %rs1, %rs2, 0x6400  means  f16 round_f16(1024 + rs2)
            mul.f32 %f1, %f2, 0f4B400000  means  f32 12582912·f2
            add.f32 %f1, %f2, 0fFF800000  means  f32 -∞
        "#]],
    );
}

#[test]
fn conversions_read_as_the_number() {
    check(
        &[
            "cvt.rn.f16.f32 %rs1, %f2",
            "cvt.rz.f16.f32 %rs1, %f2",
            "cvt.f32.f16 %f1, %rs2",
            "cvt.rna.tf32.f32 %r1, %f2",
            "cvt.rn.f32.s32 %f1, %r2",
            "cvt.rzi.s32.f32 %r1, %f2",
            "cvt.rzi.u32.f32 %r1, %f2",
            "cvt.rni.f32.f32 %f1, %f2",
            "cvt.rmi.s64.f64 %rd1, %fd2",
            "cvt.sat.f32.f32 %f1, %f2",
            "cvt.s64.s32 %rd1, %r2",
            "cvt.u32.u64 %r1, %rd2",
            "cvt.u64.s32 %rd1, %r2",
            "cvt.sat.u8.s32 %rs1, %r2",
            "cvt.rn.bf16x2.f32 %r1, %f2, %f3",
        ],
        expect![[r#"
            cvt.rn.f16.f32 %rs1, %f2  means  f16 f2
            cvt.rz.f16.f32 %rs1, %f2  means  f16 round_to_zero_f16(f2)
            cvt.f32.f16 %f1, %rs2  means  f32 rs2
            cvt.rna.tf32.f32 %r1, %f2  means  tf32 f2
            cvt.rn.f32.s32 %f1, %r2  means  f32 r2
            cvt.rzi.s32.f32 %r1, %f2  means  s32 trunc(f2)
            cvt.rzi.u32.f32 %r1, %f2  means  u32 max(trunc(f2), 0)
            cvt.rni.f32.f32 %f1, %f2  means  f32 round(f2)
            cvt.rmi.s64.f64 %rd1, %fd2  means  s64 ⌊fd2⌋
            cvt.sat.f32.f32 %f1, %f2  means  f32 min(max(0, f2), 1)
            cvt.s64.s32 %rd1, %r2  means  s64 r2
            cvt.u32.u64 %r1, %rd2  means  u32 rd2
            cvt.u64.s32 %rd1, %r2  means  u64 r2
            cvt.sat.u8.s32 %rs1, %r2  means  u8 min(max(0, r2), 255)
            cvt.rn.bf16x2.f32 %r1, %f2, %f3  means  bf16 f2 | bf16 f3
        "#]],
    );
}

#[test]
fn integers_and_conditions() {
    check(
        &[
            "add.s32 %r1, %r2, %r3",
            "mad.wide.s32 %rd1, %r2, %r3, %rd4",
            "mul.hi.u32 %r1, %r2, %r3",
            "mul.hi.s32 %r1, %r2, %r3",
            "div.u32 %r1, %r2, %r3",
            "rem.s32 %r1, %r2, %r3",
            "shl.b32 %r1, %r2, 2",
            "setp.leu.f32 %p1, %f2, %f3",
            "setp.ge.s32 %p1, %r2, %r3",
            "setp.ne.b32 %p1, %r2, 0",
            "setp.num.f32 %p1, %f2, %f3",
            "setp.nan.f32 %p1, %f2, %f3",
            "setp.lt.and.f32 %p1, %f2, %f3, %p4",
            "xor.pred %p1, %p2, %p3",
            "selp.f32 %f1, %f2, %f3, %p4",
            "slct.f32.s32 %f1, %f2, %f3, %r4",
            "set.gt.f32.f32 %f1, %f2, %f3",
            "call.uni (%f1), expf, (%f2)",
        ],
        expect![[r#"
            add.s32 %r1, %r2, %r3  means  b32 r2 + r3
            mad.wide.s32 %rd1, %r2, %r3, %rd4  means  s64 rd4 + r2·r3
            mul.hi.u32 %r1, %r2, %r3  means  u32 from_bits_u32(slice(bits_u64(r2·r3), 0x20))
            mul.hi.s32 %r1, %r2, %r3  means  s32 from_bits_s32(slice(bits_s64(r2·r3), 0x20))
            div.u32 %r1, %r2, %r3  means  u32 trunc(r2/r3)
            rem.s32 %r1, %r2, %r3  means  s32 r2 - trunc(r2/r3)·r3
            shl.b32 %r1, %r2, 2  means  bits ShiftLeft
            setp.leu.f32 %p1, %f2, %f3  means  condition f2 ≤ f3
            setp.ge.s32 %p1, %r2, %r3  means  condition r3 ≤ r2
            setp.ne.b32 %p1, %r2, 0  means  condition not(0 = r2)
            setp.num.f32 %p1, %f2, %f3  means  condition true
            setp.nan.f32 %p1, %f2, %f3  means  condition false
            setp.lt.and.f32 %p1, %f2, %f3, %p4  means  condition f2 < f3 | condition  and p4
            xor.pred %p1, %p2, %p3  means  condition if p2 then not(p3) else p3
            selp.f32 %f1, %f2, %f3, %p4  means  f32 if p4 then f2 else f3
            slct.f32.s32 %f1, %f2, %f3, %r4  means  condition 0 ≤ r4 | f32 if  then f2 else f3
            set.gt.f32.f32 %f1, %f2, %f3  means  condition f3 < f2 | f32 if  then 1 else 0
            call.uni (%f1), expf, (%f2)  means  f32 e^f2
        "#]],
    );
}
