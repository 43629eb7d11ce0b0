//! What stands around the body of a generated kernel: declarations, first values, stores.

use super::{INPUTS, Kernel};
use std::fmt::Write;

/// Device functions: an f32 and a u32 one, by parameters in memory.
const FUNCTIONS: &str = "\
.func (.param .b32 q) blend(.param .b32 q0, .param .b32 q1)
{
.reg .f32 %x, %y, %z;
ld.param.f32 %x, [q0];
ld.param.f32 %y, [q1];
max.f32 %z, %x, %y;
fma.rn.f32 %z, %z, 0f3F000000, %x;
st.param.f32 [q], %z;
ret;
}
.func (.param .b32 q) steps(.param .b32 q0)
{
.reg .b32 %v, %n;
.reg .pred %odd, %one;
ld.param.b32 %v, [q0];
and.b32 %v, %v, 63;
mov.u32 %n, 0;
again:
setp.le.u32 %one, %v, 1;
@%one bra done;
and.b32 %n, %n, 65535;
shr.u32 %v, %v, 1;
add.u32 %n, %n, 3;
bra again;
done:
st.param.b32 [q], %n;
ret;
}
";

/// Everything before the body: all registers have values.
pub(super) fn open(kernel: &Kernel, out: &mut String) {
    let have = kernel.registers;
    let threads = kernel.threads;
    let mut line = |text: String| writeln!(out, "{text}").expect("memory");
    line(".version 8.5\n.target sm_90\n.address_size 64".to_owned());
    line(FUNCTIONS.to_owned());
    let parameters: Vec<String> = ["a", "b", "c", "x", "y", "z", "w", "n", "m"]
        .iter()
        .map(|name| format!(".param .u64 {name}"))
        .collect();
    line(format!(".visible .entry generated({})\n{{", parameters.join(", ")));
    line(".reg .pred %p<8>, %q<4>, %t, %v<64>;".to_owned());
    line(format!(
        ".reg .b32 %z<4>, %r<{}>, %h<{}>, %i<4>, %c<2>, %m<16>, %o<16>, %n<64>, %tix, %lan, %gid, %cta;",
        have.int, have.half
    ));
    line(format!(".reg .f32 %f<{}>, %g0;", have.float));
    line(format!(".reg .f64 %d<{}>, %e0;", have.double));
    line(format!(".reg .b64 %l<{}>, %a<4>, %ga, %gb, %gc, %gx, %gy, %gz, %gw, %gn, %gm;", have.long));
    line(format!(".reg .b16 %s<{}>, %u<2>;", have.short));
    line(format!(".shared .align 16 .b8 sf[{}];", 4 * threads));
    line(format!(".shared .align 16 .b8 si[{}];", 4 * threads));
    line(".shared .align 16 .b8 sum[16];".to_owned());
    line(".shared .align 16 .b8 big[256];".to_owned());
    line(".local .align 16 .b8 loc[64];".to_owned());
    for name in ["a", "b", "c", "x", "y", "z", "w", "n", "m"] {
        line(format!("ld.param.u64 %g{name}, [{name}];"));
    }
    line("mov.u32 %tix, %tid.x;\nmov.u32 %lan, %laneid;\nmov.u32 %cta, %ctaid.x;".to_owned());
    line(format!("mad.lo.u32 %gid, %cta, {threads}, %tix;"));
    line(format!("and.b32 %i0, %tix, {};", INPUTS - 1));
    for (base, bytes, to) in [("%ga", 4, 0), ("%gb", 8, 1), ("%gc", 2, 2), ("%gn", 4, 3)] {
        line(format!("mul.wide.u32 %a{to}, %i0, {bytes};\nadd.s64 %a{to}, %a{to}, {base};"));
    }
    // Registers get different values: neighbours of the thread's own elements.
    for at in 0..have.int {
        match at % 3 {
            0 => line(format!("add.u32 %r{at}, %gid, {};", at * 7)),
            1 => line(format!("mul.lo.u32 %r{at}, %tix, {};", at * 2654435 + 1)),
            _ => line(format!("ld.global.b32 %r{at}, [%a3];")),
        }
    }
    let next = |at: u32, bytes: u32, to: u32, base: &str| {
        format!(
            "add.u32 %i1, %gid, {};\nand.b32 %i1, %i1, {};\nmul.wide.u32 %a{to}, %i1, {bytes};\n\
             add.s64 %a{to}, %a{to}, {base};",
            at * 5,
            INPUTS - 1
        )
    };
    for at in 0..have.float {
        line(next(at, 4, 0, "%ga"));
        line(format!("ld.global.f32 %f{at}, [%a0];"));
    }
    for at in 0..have.double {
        line(next(at, 8, 1, "%gb"));
        line(format!("ld.global.f64 %d{at}, [%a1];"));
    }
    for at in 0..have.half {
        line(next(at, 2, 2, "%gc"));
        line(format!(
            "ld.global.b16 %u0, [%a2];\nld.global.b16 %u1, [%gc+{}];\nmov.b32 %h{at}, {{%u0, %u1}};",
            2 * at
        ));
    }
    for at in 0..4 {
        line(next(at, 4, 0, "%gm"));
        line(format!("ld.global.b32 %z{at}, [%a0];"));
    }
    for at in 0..have.long {
        line(format!("mul.wide.u32 %l{at}, %r{}, {};", at % have.int, at * 1000 + 3));
    }
    for at in 0..have.short {
        line(format!("cvt.u16.u32 %s{at}, %r{};", at % have.int));
    }
    for at in 0..8 {
        line(format!("setp.lt.u32 %p{at}, %lan, {};", 4 * at + 2));
    }
    for at in 0..4 {
        line(format!("setp.lt.f32 %q{at}, %f{}, 0f3E800000;", at % have.float));
    }
    // Local and shared memory hold something everywhere.
    for at in 0..8 {
        line(format!("st.local.f32 [loc+{}], %f{};", 4 * at, at % have.float));
        line(format!("st.local.b32 [loc+{}], %r{};", 32 + 4 * at, at % have.int));
    }
    line("shl.b32 %i0, %tix, 2;\nmov.u32 %i1, sf;\nadd.u32 %i2, %i1, %i0;".to_owned());
    line("st.shared.f32 [%i2], %f0;\nmov.u32 %i1, si;\nadd.u32 %i2, %i1, %i0;".to_owned());
    line("st.shared.b32 [%i2], %r0;".to_owned());
    line("setp.eq.u32 %t, %tix, 0;".to_owned());
    line("@%t st.shared.b32 [sum], 0;\n@%t st.shared.b32 [sum+4], 0;".to_owned());
    line("@%t st.shared.b32 [sum+8], -1;\n@%t st.shared.f32 [sum+12], 0f00000000;".to_owned());
    line("bar.sync 0;".to_owned());
}

/// Everything behind the body: the first registers of each class are the outputs.
pub(super) fn close(kernel: &Kernel, out: &mut String) {
    let mut line = |text: String| writeln!(out, "{text}").expect("memory");
    let [floats, ints, doubles, halves] = kernel.stores;
    for (count, bytes, base, class, ty) in [
        (floats, 4, "%gx", "%f", "f32"),
        (ints, 4, "%gy", "%r", "b32"),
        (doubles, 8, "%gz", "%d", "f64"),
        (halves, 4, "%gw", "%h", "b32"),
    ] {
        line(format!("mul.wide.u32 %a0, %gid, {};\nadd.s64 %a0, %a0, {base};", bytes * count));
        if count == 4 && bytes == 4 && !(class == "%r" && kernel.symbols) {
            line(format!("st.global.v4.{ty} [%a0], {{{class}0, {class}1, {class}2, {class}3}};"));
            continue;
        }
        let symbols = if class == "%r" && kernel.symbols { 2 } else { 0 };
        for at in 0..count - symbols {
            line(format!("st.global.{ty} [%a0+{}], {class}{at};", bytes * at));
        }
        for at in count - symbols..count {
            line(format!("st.global.{ty} [%a0+{}], %z{};", bytes * at, count - 1 - at));
        }
    }
    line("ret;\n}".to_owned());
}
