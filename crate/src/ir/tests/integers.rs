//! Integer, logic, shift, bit-field and integer comparison rows against exact integers.

use super::probe::{Probe, Visit};

/// `(suffix, width, signed)`
const TYPES: [(&str, u32, bool); 6] = [
    ("u16", 16, false),
    ("u32", 32, false),
    ("u64", 64, false),
    ("s16", 16, true),
    ("s32", 32, true),
    ("s64", 64, true),
];

/// The registers of a width.
fn bank(width: u32) -> &'static str {
    match width {
        1 => "%p",
        16 => "%rs",
        32 => "%r",
        _ => "%rd",
    }
}

fn edges(width: u32) -> Vec<u64> {
    let sign = 1u64 << (width - 1);
    let all = mask(-1, width);
    let spread = mask(0x1234_5678_9abc_def0, width);
    vec![
        0,
        1,
        2,
        3,
        7,
        100,
        sign - 1,
        sign,
        sign + 1,
        all - 1,
        all,
        spread,
        mask(0x00ff_8080_7fff_8001, width),
    ]
}

fn mask(value: i128, width: u32) -> u64 {
    (value & ((1i128 << width) - 1)) as u64
}

/// The number that bits stand for.
fn number(bits: u64, width: u32, signed: bool) -> i128 {
    let value = i128::from(bits);
    if signed && bits >> (width - 1) & 1 == 1 { value - (1i128 << width) } else { value }
}

/// All probes with what they expect.
pub(super) fn probes(visit: Visit<'_>) {
    let mut typed = |opcode: &str,
                     sources: usize,
                     f: &dyn Fn(&[i128], u32, bool) -> i128,
                     types: &[(&str, u32, bool)]| {
        for &(suffix, width, signed) in types {
            let r = bank(width);
            let names: Vec<String> = (2..2 + sources).map(|at| format!("{r}{at}")).collect();
            let probe = Probe::new(&format!("{opcode}.{suffix} {r}1, {}", names.join(", ")));
            let values = edges(width);
            visit(probe, &|probe| {
                let sources: Vec<(&str, &[u64])> =
                    names.iter().map(|name| (name.as_str(), &values[..])).collect();
                probe.check(&sources, &[&format!("{r}1")], |s| {
                    let s: Vec<i128> = s.iter().map(|bits| number(*bits, width, signed)).collect();
                    vec![mask(f(&s, width, signed), width)]
                });
            });
        }
    };
    let signed = &TYPES[3..];
    typed("add", 2, &|s, _, _| s[0] + s[1], &TYPES);
    typed("sub", 2, &|s, _, _| s[0] - s[1], &TYPES);
    typed("add.sat", 2, &|s, _, _| (s[0] + s[1]).clamp(i32::MIN.into(), i32::MAX.into()), &TYPES[4..5]);
    typed("sub.sat", 2, &|s, _, _| (s[0] - s[1]).clamp(i32::MIN.into(), i32::MAX.into()), &TYPES[4..5]);
    typed("mul.lo", 2, &|s, _, _| s[0].wrapping_mul(s[1]), &TYPES);
    typed("mul.hi", 2, &|s, w, _| high(s[0], s[1], w), &TYPES);
    typed("mad.lo", 3, &|s, _, _| s[0].wrapping_mul(s[1]).wrapping_add(s[2]), &TYPES);
    typed("mad.hi", 3, &|s, w, _| high(s[0], s[1], w) + s[2], &TYPES);
    typed("sad", 3, &|s, _, _| s[2] + (s[0] - s[1]).abs(), &TYPES);
    typed("div", 2, &|s, _, _| if s[1] == 0 { -1 } else { s[0] / s[1] }, &TYPES);
    typed("rem", 2, &|s, _, _| if s[1] == 0 { s[0] } else { s[0] % s[1] }, &TYPES);
    typed("abs", 1, &|s, _, _| s[0].abs(), signed);
    typed("neg", 1, &|s, _, _| -s[0], signed);
    typed("min", 2, &|s, _, _| s[0].min(s[1]), &TYPES);
    typed("max", 2, &|s, _, _| s[0].max(s[1]), &TYPES);
    typed("min.relu", 2, &|s, _, _| s[0].min(s[1]).max(0), &TYPES[4..5]);
    typed("max.relu", 2, &|s, _, _| s[0].max(s[1]).max(0), &TYPES[4..5]);
    let low24 = |x: i128, signed: bool| number(mask(x, 24), 24, signed);
    let pair = [TYPES[1], TYPES[4]];
    typed("mul24.lo", 2, &|s, _, g| low24(s[0], g) * low24(s[1], g), &pair);
    typed("mul24.hi", 2, &|s, _, g| (low24(s[0], g) * low24(s[1], g)) >> 16, &pair);
    typed("mad24.lo", 3, &|s, _, g| low24(s[0], g) * low24(s[1], g) + s[2], &pair);
    typed("mad24.hi", 3, &|s, _, g| ((low24(s[0], g) * low24(s[1], g)) >> 16) + s[2], &pair);
    let bits = [("b32", 32, false), ("b64", 64, false)];
    typed("brev", 1, &|s, w, _| (0..w).map(|at| (s[0] >> at & 1) << (w - 1 - at)).sum(), &bits);
    let logic = [("b16", 16, false), ("b32", 32, false), ("b64", 64, false)];
    typed("and", 2, &|s, _, _| s[0] & s[1], &logic);
    typed("or", 2, &|s, _, _| s[0] | s[1], &logic);
    typed("xor", 2, &|s, _, _| s[0] ^ s[1], &logic);
    typed("not", 1, &|s, _, _| !s[0], &logic);
    typed("cnot", 1, &|s, _, _| i128::from(s[0] == 0), &logic);
    typed("min", 2, &|s, _, _| s[0].min(s[1]), &TYPES[..1]);
    let mut one =
        |text: &str, sources: &[(&str, &[u64])], outputs: &[&str], f: &dyn Fn(&[u64]) -> Vec<u64>| {
            visit(Probe::new(text), &|probe| probe.check(sources, outputs, f));
        };
    wide(&mut one);
    counting(&mut one);
    fields(&mut one);
    shifts(&mut one);
    dots(&mut one);
    chains(&mut one);
    comparisons(&mut one);
}

/// How a family adds a probe.
type One<'a> = &'a mut dyn FnMut(&str, &[(&str, &[u64])], &[&str], &dyn Fn(&[u64]) -> Vec<u64>);

fn high(a: i128, b: i128, width: u32) -> i128 {
    // Both factors have at most 64 bits; split one so that nothing overflows 128.
    let (a_high, a_low) = (a >> 32, a & 0xffff_ffff);
    let low = a_low * b;
    let upper = a_high * b + (low >> 32);
    if width == 64 { upper >> 32 } else { (a * b) >> width }
}

fn wide(one: One<'_>) {
    for (suffix, width, signed) in
        [("u16", 16, false), ("s16", 16, true), ("u32", 32, false), ("s32", 32, true)]
    {
        let (r, w, values) = (bank(width), bank(2 * width), edges(width));
        let (a, b, d, c) = (format!("{r}2"), format!("{r}3"), format!("{w}1"), format!("{w}4"));
        let product = |s: &[u64]| number(s[0], width, signed) * number(s[1], width, signed);
        one(&format!("mul.wide.{suffix} {d}, {a}, {b}"), &[(&a, &values), (&b, &values)], &[&d], &|s| {
            vec![mask(product(s), 2 * width)]
        });
        let addends = edges(2 * width);
        one(
            &format!("mad.wide.{suffix} {d}, {a}, {b}, {c}"),
            &[(&a, &values), (&b, &values), (&c, &addends)],
            &[&d],
            &|s| vec![mask(product(s) + number(s[2], 2 * width, signed), 2 * width)],
        );
    }
}

fn counting(one: One<'_>) {
    for width in [32, 64] {
        let (r, values) = (bank(width), edges(width));
        let a = format!("{r}2");
        let bit = |s: &[u64], at: u32| s[0] >> at & 1 == 1;
        one(&format!("popc.b{width} %r1, {a}"), &[(&a, &values)], &["%r1"], &|s| {
            vec![(0..width).filter(|at| bit(s, *at)).count() as u64]
        });
        one(&format!("clz.b{width} %r1, {a}"), &[(&a, &values)], &["%r1"], &|s| {
            vec![(0..width).rev().take_while(|at| !bit(s, *at)).count() as u64]
        });
        for signed in [false, true] {
            let t = if signed { 's' } else { 'u' };
            let found = move |s: &[u64]| {
                let negative = signed && bit(s, width - 1);
                (0..width).rev().find(|at| bit(s, *at) != negative)
            };
            one(&format!("bfind.{t}{width} %r1, {a}"), &[(&a, &values)], &["%r1"], &|s| {
                vec![found(s).map_or(0xffff_ffff, u64::from)]
            });
            one(&format!("bfind.shiftamt.{t}{width} %r1, {a}"), &[(&a, &values)], &["%r1"], &|s| {
                vec![found(s).map_or(0xffff_ffff, |at| u64::from(width - 1 - at))]
            });
        }
    }
}

const POSITIONS: &[u64] = &[0, 1, 5, 8, 31, 32, 33, 63, 64, 65, 255, 256, 0x102];

fn fields(one: One<'_>) {
    for width in [32u32, 64] {
        let (r, values) = (bank(width), edges(width));
        let (d, a, b) = (format!("{r}1"), format!("{r}2"), format!("{r}3"));
        for signed in [false, true] {
            let t = if signed { 's' } else { 'u' };
            one(
                &format!("bfe.{t}{width} {d}, {a}, %r4, %r5"),
                &[(&a, &values), ("%r4", POSITIONS), ("%r5", POSITIONS)],
                &[&d],
                // The manual's own pseudo-code.
                &|s| {
                    let (pos, len, msb) = (s[1] & 0xff, s[2] & 0xff, u64::from(width) - 1);
                    let bit = |at: u64| s[0] >> at & 1;
                    let sign = if !signed || len == 0 { 0 } else { bit((pos + len - 1).min(msb)) };
                    let bits =
                        (0..=msb).map(|i| if i < len && pos + i <= msb { bit(pos + i) } else { sign } << i);
                    vec![bits.sum()]
                },
            );
        }
        one(
            &format!("bfi.b{width} {d}, {a}, {b}, %r4, %r5"),
            &[(&a, &values), (&b, &values), ("%r4", POSITIONS), ("%r5", POSITIONS)],
            &[&d],
            &|s| {
                let (pos, len) = (s[2] & 0xff, s[3] & 0xff);
                let mut f = s[1];
                for i in 0..len {
                    if pos + i < u64::from(width) {
                        f = f & !(1 << (pos + i)) | (s[0] >> i & 1) << (pos + i);
                    }
                }
                vec![f]
            },
        );
    }
    let values = edges(32);
    for (mode, clamp) in [("clamp", true), ("wrap", false)] {
        let cut = move |n: u64| if clamp { n.min(32) } else { n & 31 };
        one(
            &format!("bmsk.{mode}.b32 %r1, %r2, %r3"),
            &[("%r2", POSITIONS), ("%r3", POSITIONS)],
            &["%r1"],
            &|s| {
                vec![
                    (0..32)
                        .filter(|at| (cut(s[0])..cut(s[0]) + cut(s[1])).contains(at))
                        .map(|at| 1 << at)
                        .sum(),
                ]
            },
        );
        for (t, signed) in [("u32", false), ("s32", true)] {
            one(
                &format!("szext.{mode}.{t} %r1, %r2, %r3"),
                &[("%r2", &values), ("%r3", POSITIONS)],
                &["%r1"],
                &|s| {
                    let n = cut(s[1]) as u32;
                    vec![if n == 0 { 0 } else { mask(number(mask(s[0].into(), n), n, signed), 32) }]
                },
            );
        }
    }
    one(
        "lop3.b32 %r1, %r2, %r3, %r4, 0x96",
        &[("%r2", &values), ("%r3", &values), ("%r4", &values)],
        &["%r1"],
        &|s| vec![s[0] ^ s[1] ^ s[2]],
    );
    one(
        "lop3.b32 %r1, %r2, %r3, %r4, 0xca",
        &[("%r2", &values), ("%r3", &values), ("%r4", &values)],
        &["%r1"],
        &|s| vec![s[0] & s[1] | !s[0] & 0xffff_ffff & s[2]],
    );
    let selectors = [0x3210, 0x7654, 0x0123, 0x5410, 0x7632, 0xfedc, 0x8888, 0xba98, 0x1111];
    let sources: &[(&str, &[u64])] = &[("%r2", &values), ("%r3", &values), ("%r4", &selectors)];
    let byte = |s: &[u64], at: u64| (s[1] << 32 | s[0]) >> (8 * at) & 0xff;
    let join = |bytes: [u64; 4]| bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24;
    one("prmt.b32 %r1, %r2, %r3, %r4", sources, &["%r1"], &|s| {
        vec![join([0, 1, 2, 3].map(|at| {
            let pick = s[2] >> (4 * at) & 15;
            let value = byte(s, pick & 7);
            if pick & 8 == 0 {
                value
            } else if value & 0x80 != 0 {
                0xff
            } else {
                0
            }
        }))]
    });
    // The manual's tables of source bytes, for selector values 0 to 3 (0, 1 for rc16).
    let tables: [(&str, [[u64; 4]; 4]); 6] = [
        ("f4e", [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]]),
        ("b4e", [[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]]),
        ("rc8", [[0; 4], [1; 4], [2; 4], [3; 4]]),
        ("ecl", [[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3; 4]]),
        ("ecr", [[0; 4], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]]),
        ("rc16", [[0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]]),
    ];
    for (mode, table) in tables {
        let sources: &[(&str, &[u64])] = &[("%r2", &values), ("%r3", &values), ("%r4", &[0, 1, 2, 3])];
        one(&format!("prmt.b32.{mode} %r1, %r2, %r3, %r4"), sources, &["%r1"], &|s| {
            vec![join(table[s[2] as usize].map(|at| byte(s, at)))]
        });
    }
}

fn shifts(one: One<'_>) {
    for width in [16u32, 32, 64] {
        let (r, values) = (bank(width), edges(width));
        let (d, a) = (format!("{r}1"), format!("{r}2"));
        let amount: &[u64] = &[0, 1, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 0xffff_ffff];
        let sources: &[(&str, &[u64])] = &[(&a, &values), ("%r3", amount)];
        let by = |s: &[u64]| s[1].min(u64::from(width)) as u32;
        one(&format!("shl.b{width} {d}, {a}, %r3"), sources, &[&d], &|s| {
            vec![mask(i128::from(s[0]).checked_shl(by(s)).unwrap_or(0), width)]
        });
        for (t, signed) in [("b", false), ("u", false), ("s", true)] {
            one(&format!("shr.{t}{width} {d}, {a}, %r3"), sources, &[&d], &|s| {
                vec![mask(number(s[0], width, signed) >> by(s), width)]
            });
        }
    }
    let values = edges(32);
    for (mode, clamp) in [("clamp", true), ("wrap", false)] {
        let cut = move |n: u64| if clamp { n.min(32) } else { n & 31 };
        let sources: &[(&str, &[u64])] = &[("%r2", &values), ("%r3", &values), ("%r4", POSITIONS)];
        let word = |s: &[u64]| u128::from(s[1] << 32 | s[0]);
        one(&format!("shf.l.{mode}.b32 %r1, %r2, %r3, %r4"), sources, &["%r1"], &|s| {
            vec![(word(s) << cut(s[2]) >> 32) as u32 as u64]
        });
        one(&format!("shf.r.{mode}.b32 %r1, %r2, %r3, %r4"), sources, &["%r1"], &|s| {
            vec![(word(s) >> cut(s[2])) as u32 as u64]
        });
    }
}

fn dots(one: One<'_>) {
    let values = edges(32);
    let sources: &[(&str, &[u64])] = &[("%r2", &values), ("%r3", &values), ("%r4", &values)];
    for (ta, ga) in [("u32", false), ("s32", true)] {
        for (tb, gb) in [("u32", false), ("s32", true)] {
            let byte = |word: u64, at: u32, signed| number(word >> (8 * at) & 0xff, 8, signed);
            let half = |word: u64, at: u32, signed| number(word >> (16 * at) & 0xffff, 16, signed);
            one(&format!("dp4a.{ta}.{tb} %r1, %r2, %r3, %r4"), sources, &["%r1"], &|s| {
                let sum: i128 = (0..4).map(|at| byte(s[0], at, ga) * byte(s[1], at, gb)).sum();
                vec![mask(sum + i128::from(s[2]), 32)]
            });
            for (mode, first) in [("lo", 0), ("hi", 2)] {
                one(&format!("dp2a.{mode}.{ta}.{tb} %r1, %r2, %r3, %r4"), sources, &["%r1"], &|s| {
                    let sum: i128 = (0..2).map(|at| half(s[0], at, ga) * byte(s[1], first + at, gb)).sum();
                    vec![mask(sum + i128::from(s[2]), 32)]
                });
            }
        }
    }
}

/// Chains: two or three words as one long number.
fn chains(one: One<'_>) {
    for (t, width) in [("u32", 32u32), ("s32", 32), ("u64", 64)] {
        let (r, values) = (bank(width), edges(width)[4..].to_vec());
        let name = |at: u32| format!("{r}{at}");
        let n: Vec<String> = (0..10).map(name).collect();
        let sources: Vec<(&str, &[u64])> = (2..6).map(|at| (n[at].as_str(), &values[..])).collect();
        // Bits of a·2^w + b, as (low, high), without leaving 128 bits.
        let text = |first: &str, second: &str| {
            format!(
                "{first}.{t} {r}1, {r}2, {r}4; {second}.{t} {r}6, {r}3, {r}5; {second0}.{t} {r}7, 0, 0",
                second0 = if first.starts_with("add") { "addc" } else { "subc" }
            )
        };
        let outputs: Vec<&str> = vec![&n[1], &n[6], &n[7]];
        one(&text("add.cc", "addc.cc"), &sources, &outputs, &|s| {
            let low = u128::from(s[0]) + u128::from(s[2]);
            let high = u128::from(s[1]) + u128::from(s[3]) + (low >> width);
            vec![mask(low as i128, width), mask(high as i128, width), (high >> width) as u64]
        });
        one(&text("sub.cc", "subc.cc"), &sources, &outputs, &|s| {
            let low = i128::from(s[0]) - i128::from(s[2]);
            let high = i128::from(s[1]) - i128::from(s[3]) - i128::from(low < 0);
            vec![mask(low, width), mask(high, width), mask(-i128::from(high < 0), width)]
        });
        // a·b + c in two words: mad.lo.cc, madc.hi.
        let signed = t.starts_with('s');
        let text = format!("mad.lo.cc.{t} {r}1, {r}2, {r}3, {r}4; madc.hi.{t} {r}6, {r}2, {r}3, {r}5");
        one(&text, &sources, &[&n[1], &n[6]], &|s| {
            let (a, b) = (number(s[0], width, signed), number(s[1], width, signed));
            let low = u128::from(mask(a.wrapping_mul(b), width)) + u128::from(s[2]);
            let upper = high(a, b, width) + i128::from(s[3]) + (low >> width) as i128;
            vec![mask(low as i128, width), mask(upper, width)]
        });
        let text = format!(
            "mad.hi.cc.{t} {r}1, {r}2, {r}3, {r}4; madc.lo.cc.{t} {r}6, {r}2, {r}3, {r}5; addc.{t} {r}7, 0, 0"
        );
        one(&text, &sources, &outputs, &|s| {
            let (a, b) = (number(s[0], width, signed), number(s[1], width, signed));
            let first = u128::from(mask(high(a, b, width), width)) + u128::from(s[2]);
            let second = u128::from(mask(a.wrapping_mul(b), width)) + u128::from(s[3]) + (first >> width);
            vec![mask(first as i128, width), mask(second as i128, width), (second >> width) as u64]
        });
    }
}

fn comparisons(one: One<'_>) {
    type Test = fn(i128, i128) -> bool;
    let signed: [(&str, Test); 6] = [
        ("eq", |a, b| a == b),
        ("ne", |a, b| a != b),
        ("lt", |a, b| a < b),
        ("le", |a, b| a <= b),
        ("gt", |a, b| a > b),
        ("ge", |a, b| a >= b),
    ];
    let unsigned: [(&str, Test); 4] =
        [("lo", |a, b| a < b), ("ls", |a, b| a <= b), ("hi", |a, b| a > b), ("hs", |a, b| a >= b)];
    for (t, width, is_signed) in TYPES {
        let (r, values) = (bank(width), edges(width));
        let (a, b) = (format!("{r}2"), format!("{r}3"));
        let more: &[(&str, Test)] = if is_signed { &[] } else { &unsigned };
        for (name, test) in signed.iter().chain(more) {
            let holds = |s: &[u64]| test(number(s[0], width, is_signed), number(s[1], width, is_signed));
            let sources: &[(&str, &[u64])] = &[(&a, &values), (&b, &values)];
            one(&format!("setp.{name}.{t} %p1|%p2, {a}, {b}"), sources, &["%p1", "%p2"], &|s| {
                vec![holds(s).into(), (!holds(s)).into()]
            });
            one(&format!("set.{name}.u32.{t} %r1, {a}, {b}"), sources, &["%r1"], &|s| {
                vec![if holds(s) { 0xffff_ffff } else { 0 }]
            });
            let with: &[(&str, &[u64])] = &[(&a, &values), (&b, &values), ("%p3", &[0, 1])];
            for (join, f) in [
                ("and", (|a, b| a & b) as fn(bool, bool) -> bool),
                ("or", |a, b| a | b),
                ("xor", |a, b| a ^ b),
            ] {
                let text = format!("setp.{name}.{join}.{t} %p1|%p2, {a}, {b}, !%p3");
                one(&text, with, &["%p1", "%p2"], &|s| {
                    let c = s[2] == 0;
                    vec![f(holds(s), c).into(), f(!holds(s), c).into()]
                });
                one(&format!("setp.{name}.{join}.{t} %p1, {a}, {b}, %p3"), with, &["%p1"], &|s| {
                    vec![f(holds(s), s[2] == 1).into()]
                });
            }
        }
    }
    let values = edges(32);
    one(
        "set.lt.and.f32.s32 %f1, %r2, %r3, %p4",
        &[("%r2", &values), ("%r3", &values), ("%p4", &[0, 1])],
        &["%f1"],
        &|s| {
            let holds = number(s[0], 32, true) < number(s[1], 32, true) && s[2] == 1;
            vec![if holds { 1f32.to_bits().into() } else { 0 }]
        },
    );
    for width in [16, 32, 64] {
        let (r, values) = (bank(width), edges(width));
        let (d, a, b) = (format!("{r}1"), format!("{r}2"), format!("{r}3"));
        one(
            &format!("selp.b{width} {d}, {a}, {b}, %p4"),
            &[(&a, &values), (&b, &values), ("%p4", &[0, 1])],
            &[&d],
            &|s| vec![if s[2] == 1 { s[0] } else { s[1] }],
        );
        one(
            &format!("slct.u{width}.s32 {d}, {a}, {b}, %r9"),
            &[(&a, &values), (&b, &values), ("%r9", &edges(32))],
            &[&d],
            &|s| vec![if (s[2] as i32) >= 0 { s[0] } else { s[1] }],
        );
    }
    let truth: &[(&str, &[u64])] = &[("%p2", &[0, 1]), ("%p3", &[0, 1])];
    one("and.pred %p1, %p2, !%p3", truth, &["%p1"], &|s| vec![s[0] & (s[1] ^ 1)]);
    one("or.pred %p1, %p2, %p3", truth, &["%p1"], &|s| vec![s[0] | s[1]]);
    one("xor.pred %p1, %p2, %p3", truth, &["%p1"], &|s| vec![s[0] ^ s[1]]);
    one("not.pred %p1, %p2", &truth[..1], &["%p1"], &|s| vec![s[0] ^ 1]);
    let (words, halves) = (edges(32), edges(16));
    one("mov.b64 %rd1, {%r2, %r3}", &[("%r2", &words), ("%r3", &words)], &["%rd1"], &|s| {
        vec![s[1] << 32 | s[0]]
    });
    one("mov.b64 {%r1, %r2}, %rd3", &[("%rd3", &edges(64))], &["%r1", "%r2"], &|s| {
        vec![s[0] & 0xffff_ffff, s[0] >> 32]
    });
    one("mov.b32 %r1, {%rs2, %rs3}", &[("%rs2", &halves), ("%rs3", &halves)], &["%r1"], &|s| {
        vec![s[1] << 16 | s[0]]
    });
    one("mov.u32 %r1, %r2", &[("%r2", &words)], &["%r1"], &|s| vec![s[0]]);
    one("createpolicy.fractional.L2::evict_first.b64 %rd1, 1.0", &[], &["%rd1"], &|_| vec![0]);
}

#[test]
fn integer_rows_compute_what_the_manual_says() {
    probes(&mut |probe, check| check(&probe));
}
