//! Rows on bytes and halfwords of registers against exact integers, and on pairs of floats.

use super::probe::{Probe, Visit};

const WORDS: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x00ff_8001,
    0x1234_89ab,
];

/// What an operation makes of two numbers.
type Operation = fn(i128, i128) -> i128;

fn number(bits: u64, width: u32, signed: bool) -> i128 {
    let value = i128::from(bits & ((1 << width) - 1));
    if signed && value >> (width - 1) & 1 == 1 { value - (1 << width) } else { value }
}

fn word(value: i128) -> u64 {
    (value & 0xffff_ffff) as u64
}

/// Parts of `width` bits, each by itself.
fn parts(s: &[u64], width: u32, signed: bool, f: Operation) -> u64 {
    (0..32 / width).fold(0, |word, at| {
        let part = |source: u64| number(source >> (at * width), width, signed);
        let result = f(part(s[0]), part(s[1])) & ((1 << width) - 1);
        word | (result as u64) << (at * width)
    })
}

fn average(a: i128, b: i128) -> i128 {
    if a + b >= 0 { (a + b + 1) >> 1 } else { (a + b) >> 1 }
}

/// All probes with what they expect.
pub(super) fn probes(visit: Visit<'_>) {
    let mut on_words = |text: &str, f: &dyn Fn(&[u64]) -> u64| {
        let names: Vec<&str> = ["%r2", "%r3", "%r4"].into_iter().filter(|name| text.contains(name)).collect();
        visit(Probe::new(text), &|probe| {
            let sources: Vec<(&str, &[u64])> = names.iter().map(|name| (*name, &WORDS[..])).collect();
            probe.check(&sources, &["%r1"], |s| vec![f(s)]);
        });
    };
    let plain: [(&str, Operation); 5] = [
        ("vadd", |a, b| a + b),
        ("vsub", |a, b| a - b),
        ("vabsdiff", |a, b| (a - b).abs()),
        ("vmin", |a, b| a.min(b)),
        ("vmax", |a, b| a.max(b)),
    ];
    let halves: [(&str, Operation); 3] =
        [("add.u16x2", |a, b| a + b), ("min.s16x2", |a, b| a.min(b)), ("max.s16x2", |a, b| a.max(b))];
    for (opcode, f) in halves {
        on_words(&format!("{opcode} %r1, %r2, %r3"), &|s| parts(s, 16, opcode.contains("s16"), f));
    }
    for (name, f) in plain {
        on_words(&format!("{name}.s32.s32.s32 %r1, %r2, %r3"), &|s| {
            word(f(number(s[0], 32, true), number(s[1], 32, true)))
        });
        on_words(&format!("{name}.u32.u32.s32 %r1.b1, %r2.h1, %r3.b2, %r4"), &|s| {
            let result = f(number(s[0] >> 16, 16, false), number(s[1] >> 16, 8, true));
            s[2] & 0xffff_00ff | (word(result) & 255) << 8
        });
        on_words(&format!("{name}.s32.s32.s32.sat %r1, %r2, %r3"), &|s| {
            let result = f(number(s[0], 32, true), number(s[1], 32, true));
            word(result.clamp(-(1 << 31), (1 << 31) - 1))
        });
    }
    let and_average: [(&str, Operation); 6] =
        [plain[0], plain[1], plain[2], plain[3], plain[4], ("vavrg", average)];
    for (name, f) in and_average {
        on_words(&format!("{name}2.s32.s32.s32 %r1, %r2, %r3, 0"), &|s| parts(s, 16, true, f));
        on_words(&format!("{name}4.u32.u32.u32 %r1, %r2, %r3, 0"), &|s| parts(s, 8, false, f));
    }
    on_words("vshl.u32.u32.u32.clamp %r1, %r2, %r3", &|s| {
        if s[1] > 31 { 0 } else { s[0] << s[1] & 0xffff_ffff }
    });
    on_words("vshr.s32.s32.u32.wrap %r1, %r2, %r3", &|s| word(number(s[0], 32, true) >> (s[1] & 31)));
    on_words("vmad.s32.s32.s32.sat.shr7 %r1, -%r2.h1, %r3.b2, %r4", &|s| {
        let product = number(s[0] >> 16, 16, true) * number(s[1] >> 16, 8, true);
        word(((number(s[2], 32, true) - product) >> 7).clamp(-(1 << 31), (1 << 31) - 1))
    });
    on_words("vset.s32.u32.lt %r1, %r2, %r3", &|s| {
        u64::from(number(s[0], 32, true) < number(s[1], 32, false))
    });
    on_words("vset2.u32.u32.ge %r1, %r2, %r3, 0", &|s| parts(s, 16, false, |a, b| i128::from(a >= b)));
    on_words("vset4.s32.s32.ne.add %r1, %r2, %r3, %r4", &|s| {
        word(i128::from(s[2]) + i128::from(parts(s, 8, true, |a, b| i128::from(a != b)).count_ones()))
    });
    on_words("fns.b32 %r1, %r2, 3, 1", &|s| match s[0] >> 3 {
        0 => 0xffff_ffff,
        above => u64::from(above.trailing_zeros()) + 3,
    });
    let clamped = |value: u64, least: i128, most: i128| number(value, 32, true).clamp(least, most) as u64;
    on_words("cvt.pack.sat.s16.s32 %r1, %r2, %r3", &|s| {
        clamped(s[0], -32768, 32767) << 16 & 0xffff_0000 | clamped(s[1], -32768, 32767) & 0xffff
    });
    on_words("cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4", &|s| {
        s[2] << 16 & 0xffff_0000 | clamped(s[0], 0, 255) << 8 | clamped(s[1], 0, 255)
    });
    on_words("cvt.pack.sat.s4.s32.b32 %r1, %r2, %r3, %r4", &|s| {
        s[2] << 8 & 0xffff_ff00 | (clamped(s[0], -8, 7) & 15) << 4 | clamped(s[1], -8, 7) & 15
    });
    visit(Probe::new("lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x96, %p2"), &|probe| {
        let sources: [(&str, &[u64]); 4] =
            [("%r2", &WORDS), ("%r3", &WORDS), ("%r4", &WORDS), ("%p2", &[0, 1])];
        probe.check(&sources, &["%r1", "%p1"], |s| {
            let d = s[0] ^ s[1] ^ s[2];
            vec![d, u64::from(d != 0) | s[3]]
        });
    });
    let pairs: [u64; 6] = [
        0,
        0x3f80_0000_4000_0000,
        0xbf80_0000_3fc0_0000,
        0x4048_f5c3_3eaa_aaab,
        0x7149_f2ca_0000_0001,
        0x8000_0000_c2f7_0000,
    ];
    type Real = fn(&[f32]) -> f32;
    let of_floats: [(&str, Real); 4] = [
        ("add.f32x2 %rd1, %rd2, %rd3", |s| s[0] + s[1]),
        ("sub.f32x2 %rd1, %rd2, %rd3", |s| s[0] - s[1]),
        ("mul.f32x2 %rd1, %rd2, %rd3", |s| s[0] * s[1]),
        ("fma.rn.f32x2 %rd1, %rd2, %rd3, %rd4", |s| s[0].mul_add(s[1], s[2])),
    ];
    for (text, f) in of_floats {
        let names: Vec<&str> =
            ["%rd2", "%rd3", "%rd4"].into_iter().filter(|name| text.contains(name)).collect();
        visit(Probe::new(text), &|probe| {
            let sources: Vec<(&str, &[u64])> = names.iter().map(|name| (*name, &pairs[..])).collect();
            probe.check(&sources, &["%rd1"], |s| {
                let half = |at: u32| {
                    let parts: Vec<f32> = s.iter().map(|pair| f32::from_bits((pair >> at) as u32)).collect();
                    u64::from(f(&parts).to_bits()) << at
                };
                vec![half(0) | half(32)]
            });
        });
    }
}

#[test]
fn parts_of_registers_compute_what_the_manual_says() {
    probes(&mut |probe, check| check(&probe));
}
