//! Float and conversion rows against exact rationals.

use super::exact::{BF16, F16, F32, F64, MODES, Mode, Shape, Value};
use super::probe::{Probe, Visit};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

/// The registers of a float format.
fn bank(shape: Shape) -> &'static str {
    match shape.bits {
        16 => "%rs",
        32 => "%f",
        _ => "%fd",
    }
}

/// How a family adds a probe.
type One<'a> = &'a mut dyn FnMut(&str, &[(&str, &[u64])], &[&str], &dyn Fn(&[u64]) -> Vec<u64>);

/// All probes with what they expect.
pub(super) fn probes(visit: Visit<'_>) {
    let mut one =
        |text: &str, sources: &[(&str, &[u64])], outputs: &[&str], f: &dyn Fn(&[u64]) -> Vec<u64>| {
            visit(Probe::new(text), &|probe| probe.check(sources, outputs, f));
        };
    arithmetic(&mut one);
    extremes(&mut one);
    signs(&mut one);
    comparisons(&mut one);
    pairs(&mut one);
    mixed(&mut one);
    to_integers(&mut one);
    from_integers(&mut one);
    integers(&mut one);
    between_floats(&mut one);
    narrow_conversions(&mut one);
    scale_conversions(&mut one);
    elementary(&mut one);
}

fn arithmetic(one: One<'_>) {
    type Operation = fn(Shape, &[u64], Mode) -> u64;
    let operations: [(&str, usize, Operation); 7] = [
        ("add", 2, |f, s, m| f.add(s[0], s[1], m)),
        ("sub", 2, |f, s, m| f.add(s[0], s[1] ^ f.sign(), m)),
        ("mul", 2, |f, s, m| f.multiply_add(s[0], s[1], None, m)),
        ("fma", 3, |f, s, m| f.multiply_add(s[0], s[1], Some(s[2]), m)),
        ("div", 2, |f, s, m| f.divide(s[0], s[1], m)),
        ("rcp", 1, |f, s, m| f.divide(f.round(&BigRational::from_integer(1.into()), Mode::Nearest), s[0], m)),
        ("sqrt", 1, |f, s, m| f.root(s[0], m)),
    ];
    for shape in [F16, BF16, F32, F64] {
        let r = bank(shape);
        for (name, count, operation) in operations {
            let values = if count == 3 { shape.few_edges() } else { shape.edges() };
            let half = shape.bits == 16;
            if half && matches!(name, "div" | "rcp" | "sqrt") {
                continue;
            }
            let names: Vec<String> = (2..2 + count).map(|at| format!("{r}{at}")).collect();
            let sources: Vec<(&str, &[u64])> = names.iter().map(|n| (n.as_str(), &values[..])).collect();
            for (suffix, mode) in MODES {
                if half && mode != Mode::Nearest {
                    continue;
                }
                let text = format!("{name}.{suffix}.{} {r}1, {}", shape.name, names.join(", "));
                one(&text, &sources, &[&format!("{r}1")], &|s| vec![operation(shape, s, mode)]);
            }
            if shape == F32 {
                let text = format!("{name}.rn.ftz.f32 {r}1, {}", names.join(", "));
                one(&text, &sources, &["%f1"], &|s| {
                    let s: Vec<u64> = s.iter().map(|bits| shape.flush(*bits)).collect();
                    vec![shape.flush(operation(shape, &s, Mode::Nearest))]
                });
            }
            if (shape == F32 || shape == F16) && matches!(name, "add" | "sub" | "mul" | "fma") {
                let text = format!("{name}.rn.sat.{} {r}1, {}", shape.name, names.join(", "));
                one(&text, &sources, &[&format!("{r}1")], &|s| {
                    vec![shape.saturate(operation(shape, s, Mode::Nearest))]
                });
            }
        }
    }
    let values = F32.few_edges();
    let sources: &[(&str, &[u64])] = &[("%f2", &values), ("%f3", &values), ("%f4", &values)];
    one("mad.rz.f32 %f1, %f2, %f3, %f4", sources, &["%f1"], &|s| {
        vec![F32.multiply_add(s[0], s[1], Some(s[2]), Mode::Zero)]
    });
    one("div.full.f32 %f1, %f2, %f3", &sources[..2], &["%f1"], &|s| {
        vec![F32.divide(s[0], s[1], Mode::Nearest)]
    });
    one("add.f32 %f1, %f2, %f3", &sources[..2], &["%f1"], &|s| vec![F32.add(s[0], s[1], Mode::Nearest)]);
    one(
        "fma.rn.relu.f16 %rs1, %rs2, %rs3, %rs4",
        &[("%rs2", &F16.few_edges()), ("%rs3", &F16.few_edges()), ("%rs4", &F16.few_edges())],
        &["%rs1"],
        &|s| {
            let sum = F16.multiply_add(s[0], s[1], Some(s[2]), Mode::Nearest);
            vec![if sum & F16.sign() != 0 { 0 } else { sum }]
        },
    );
}

/// The larger or smaller by the manual's rules.
fn extreme(shape: Shape, a: u64, b: u64, larger: bool, nan: bool) -> u64 {
    match (shape.decode(a), shape.decode(b)) {
        (Value::Nan, Value::Nan) => shape.nan(),
        (Value::Nan, _) => {
            if nan {
                shape.nan()
            } else {
                b
            }
        }
        (_, Value::Nan) => {
            if nan {
                shape.nan()
            } else {
                a
            }
        }
        _ => {
            // Floats without NaN are ordered like sign-magnitude integers, -0 below +0.
            let key = |bits: u64| {
                let size = (bits & (shape.sign() - 1)) as i64;
                if bits & shape.sign() != 0 { -size - 1 } else { size }
            };
            if (key(a) > key(b)) == larger { a } else { b }
        }
    }
}

fn extremes(one: One<'_>) {
    for shape in [F16, BF16, F32, F64] {
        let (r, values) = (bank(shape), shape.edges());
        let (d, a, b) = (format!("{r}1"), format!("{r}2"), format!("{r}3"));
        let sources: &[(&str, &[u64])] = &[(&a, &values), (&b, &values)];
        for (name, larger) in [("min", false), ("max", true)] {
            one(&format!("{name}.{} {d}, {a}, {b}", shape.name), sources, &[&d], &|s| {
                vec![extreme(shape, s[0], s[1], larger, false)]
            });
            if shape == F64 {
                continue;
            }
            one(&format!("{name}.NaN.{} {d}, {a}, {b}", shape.name), sources, &[&d], &|s| {
                vec![extreme(shape, s[0], s[1], larger, true)]
            });
            one(&format!("{name}.xorsign.abs.{} {d}, {a}, {b}", shape.name), sources, &[&d], &|s| {
                let low = shape.sign() - 1;
                let result = extreme(shape, s[0] & low, s[1] & low, larger, false);
                let sign = (s[0] ^ s[1]) & shape.sign();
                vec![if result == shape.nan() { result } else { result | sign }]
            });
        }
    }
    let values = F32.edges();
    let sources: &[(&str, &[u64])] = &[("%f2", &values), ("%f3", &values), ("%f4", &values)];
    one("max.f32 %f1, %f2, %f3, %f4", sources, &["%f1"], &|s| {
        vec![extreme(F32, extreme(F32, s[0], s[1], true, false), s[2], true, false)]
    });
    one("min.NaN.f32 %f1, %f2, %f3, %f4", sources, &["%f1"], &|s| {
        vec![extreme(F32, extreme(F32, s[0], s[1], false, true), s[2], false, true)]
    });
    one("max.ftz.f32 %f1, %f2, %f3", &sources[..2], &["%f1"], &|s| {
        vec![extreme(F32, F32.flush(s[0]), F32.flush(s[1]), true, false)]
    });
}

fn signs(one: One<'_>) {
    for shape in [F16, BF16, F32, F64] {
        let (r, values) = (bank(shape), shape.edges());
        let (d, a) = (format!("{r}1"), format!("{r}2"));
        let or_nan = |bits: u64| if shape.decode(bits) == Value::Nan { shape.nan() } else { bits };
        one(&format!("neg.{} {d}, {a}", shape.name), &[(&a, &values)], &[&d], &|s| {
            vec![or_nan(s[0] ^ shape.sign())]
        });
        one(&format!("abs.{} {d}, {a}", shape.name), &[(&a, &values)], &[&d], &|s| {
            vec![or_nan(s[0] & (shape.sign() - 1))]
        });
    }
    for shape in [F32, F64] {
        let (r, values) = (bank(shape), shape.edges());
        let (d, a, b) = (format!("{r}1"), format!("{r}2"), format!("{r}3"));
        one(
            &format!("copysign.{} {d}, {a}, {b}", shape.name),
            &[(&a, &values), (&b, &values)],
            &[&d],
            &|s| {
                let result = s[1] & (shape.sign() - 1) | s[0] & shape.sign();
                vec![if shape.decode(result) == Value::Nan { shape.nan() } else { result }]
            },
        );
        let size = |s: &[u64]| s[0] & (shape.sign() - 1);
        let normal = 1u64 << shape.fraction;
        type Test<'a> = &'a dyn Fn(u64) -> bool;
        let tests: [(&str, Test<'_>); 6] = [
            ("finite", &|x| x < shape.infinity()),
            ("infinite", &|x| x == shape.infinity()),
            ("number", &|x| x <= shape.infinity()),
            ("notanumber", &|x| x > shape.infinity()),
            ("normal", &|x| x == 0 || x >= normal && x < shape.infinity()),
            ("subnormal", &|x| x > 0 && x < normal),
        ];
        for (name, test) in tests {
            one(&format!("testp.{name}.{} %p1, {a}", shape.name), &[(&a, &values)], &["%p1"], &|s| {
                vec![test(size(s)).into()]
            });
        }
    }
}

/// The comparison, and whether it holds with a NaN.
fn compare(shape: Shape, name: &str, a: u64, b: u64) -> bool {
    let (a, b) = (shape.decode(a), shape.decode(b));
    let unordered = a == Value::Nan || b == Value::Nan;
    let key = |v: &Value| match v {
        Value::Infinite(true) => (-1, BigRational::zero()),
        Value::Infinite(false) | Value::Nan => (1, BigRational::zero()),
        Value::Finite(_, x) => (0, x.clone()),
    };
    let order = key(&a).cmp(&key(&b));
    let ordered = match name.trim_end_matches('u') {
        "eq" => order.is_eq(),
        "ne" => order.is_ne(),
        "lt" => order.is_lt(),
        "le" => order.is_le(),
        "gt" => order.is_gt(),
        "ge" => order.is_ge(),
        _ => return (name == "num") != unordered,
    };
    let with_nan = name.len() == 3;
    if unordered { with_nan } else { ordered }
}

const COMPARISONS: [&str; 14] =
    ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"];

fn comparisons(one: One<'_>) {
    for shape in [F16, BF16, F32, F64] {
        let (r, values) = (bank(shape), shape.edges());
        let (a, b) = (format!("{r}2"), format!("{r}3"));
        let sources: &[(&str, &[u64])] = &[(&a, &values), (&b, &values)];
        for name in COMPARISONS {
            one(&format!("setp.{name}.{} %p1|%p2, {a}, {b}", shape.name), sources, &["%p1", "%p2"], &|s| {
                let holds = compare(shape, name, s[0], s[1]);
                vec![holds.into(), (!holds).into()]
            });
        }
    }
    let values = F32.edges();
    one("setp.leu.ftz.f32 %p1, %f2, %f3", &[("%f2", &values), ("%f3", &values)], &["%p1"], &|s| {
        vec![compare(F32, "leu", F32.flush(s[0]), F32.flush(s[1])).into()]
    });
    one(
        "set.eq.f16.f16 %rs1, %rs2, %rs3",
        &[("%rs2", &F16.edges()), ("%rs3", &F16.edges())],
        &["%rs1"],
        &|s| vec![if compare(F16, "eq", s[0], s[1]) { 0x3c00 } else { 0 }],
    );
    one(
        "slct.f32.f32 %f1, %f2, %f3, %f4",
        &[("%f2", &[1, 2]), ("%f3", &[3, 4]), ("%f4", &values)],
        &["%f1"],
        &|s| vec![if compare(F32, "ge", s[2], 0) { s[0] } else { s[1] }],
    );
}

/// Two halves in one register.
fn pairs(one: One<'_>) {
    for shape in [F16, BF16] {
        let edges = shape.few_edges();
        let words: Vec<u64> =
            edges.iter().zip(edges.iter().rev()).map(|(low, high)| high << 16 | low).collect();
        let sources: &[(&str, &[u64])] = &[("%r2", &words), ("%r3", &words), ("%r4", &words)];
        let t = shape.name;
        let both = |s: &[u64], f: &dyn Fn(&[u64]) -> u64| {
            let side = |by: u32| f(&s.iter().map(|word| word >> by & 0xffff).collect::<Vec<_>>());
            vec![side(16) << 16 | side(0)]
        };
        let near = Mode::Nearest;
        one(&format!("add.{t}x2 %r1, %r2, %r3"), &sources[..2], &["%r1"], &|s| {
            both(s, &|h| shape.add(h[0], h[1], near))
        });
        one(&format!("sub.{t}x2 %r1, %r2, %r3"), &sources[..2], &["%r1"], &|s| {
            both(s, &|h| shape.add(h[0], h[1] ^ shape.sign(), near))
        });
        one(&format!("mul.{t}x2 %r1, %r2, %r3"), &sources[..2], &["%r1"], &|s| {
            both(s, &|h| shape.multiply_add(h[0], h[1], None, near))
        });
        one(&format!("fma.rn.{t}x2 %r1, %r2, %r3, %r4"), sources, &["%r1"], &|s| {
            both(s, &|h| shape.multiply_add(h[0], h[1], Some(h[2]), near))
        });
        one(&format!("max.{t}x2 %r1, %r2, %r3"), &sources[..2], &["%r1"], &|s| {
            both(s, &|h| extreme(shape, h[0], h[1], true, false))
        });
        one(&format!("neg.{t}x2 %r1, %r2"), &sources[..1], &["%r1"], &|s| {
            both(s, &|h| if shape.decode(h[0]) == Value::Nan { shape.nan() } else { h[0] ^ shape.sign() })
        });
        one(&format!("setp.lt.{t}x2 %p1|%p2, %r2, %r3"), &sources[..2], &["%p1", "%p2"], &|s| {
            let side = |by: u32| compare(shape, "lt", s[0] >> by & 0xffff, s[1] >> by & 0xffff).into();
            vec![side(0), side(16)]
        });
        let unit = shape.round(&BigRational::from_integer(1.into()), near);
        one(&format!("set.ge.{t}x2.{t}x2 %r1, %r2, %r3"), &sources[..2], &["%r1"], &|s| {
            both(s, &|h| if compare(shape, "ge", h[0], h[1]) { unit } else { 0 })
        });
    }
}

fn mixed(one: One<'_>) {
    let (halves, values) = (F16.few_edges(), F32.few_edges());
    let near = Mode::Nearest;
    let wide = |bits: u64| F16.convert(bits, F32, near);
    let sources: &[(&str, &[u64])] = &[("%rs2", &halves), ("%f3", &values)];
    one("add.f32.f16 %f1, %rs2, %f3", sources, &["%f1"], &|s| vec![F32.add(wide(s[0]), s[1], near)]);
    one("sub.rz.f32.f16 %f1, %rs2, %f3", sources, &["%f1"], &|s| {
        vec![F32.add(wide(s[0]), s[1] ^ F32.sign(), Mode::Zero)]
    });
    one(
        "fma.rn.f32.f16 %f1, %rs2, %rs3, %f4",
        &[("%rs2", &halves), ("%rs3", &halves), ("%f4", &values)],
        &["%f1"],
        &|s| vec![F32.multiply_add(wide(s[0]), wide(s[1]), Some(s[2]), near)],
    );
}

const INTEGERS: [(&str, u32, bool); 8] = [
    ("u8", 8, false),
    ("u16", 16, false),
    ("u32", 32, false),
    ("u64", 64, false),
    ("s8", 8, true),
    ("s16", 16, true),
    ("s32", 32, true),
    ("s64", 64, true),
];

/// The register an integer of that width is converted in; bytes live in halfwords.
fn integer_bank(width: u32) -> (&'static str, u32) {
    match width {
        8 | 16 => ("%rs", 16),
        32 => ("%r", 32),
        _ => ("%rd", 64),
    }
}

fn range(width: u32, signed: bool) -> (BigInt, BigInt) {
    let one = BigInt::from(1);
    if signed {
        (-(&one << (width - 1)), (&one << (width - 1)) - 1)
    } else {
        (BigInt::zero(), (&one << width) - 1)
    }
}

/// An integer's bits in a register of `bits` bits.
fn encode(value: &BigInt, bits: u32) -> u64 {
    let modulus = BigInt::from(1) << bits;
    let wrapped = ((value % &modulus) + &modulus) % &modulus;
    u64::try_from(wrapped).expect("below 2^64")
}

fn numbers(width: u32, signed: bool) -> Vec<BigInt> {
    let (low, high) = range(width, signed);
    let around =
        [low.clone(), low + 1, BigInt::from(1), BigInt::zero(), high.clone() - 1, high.clone(), high / 3];
    around.to_vec()
}

fn to_integers(one: One<'_>) {
    for shape in [F16, F32, F64] {
        let r = bank(shape);
        let mut values = shape.edges();
        for text in ["2.5", "3.5", "-2.5", "-0.5", "0.5", "1.5", "127.5", "-128.5", "255.5", "65504", "-1"] {
            let value: f64 = text.parse().expect("a number");
            values.push(shape.round(&BigRational::from_float(value).expect("finite"), Mode::Nearest));
        }
        for power in [31, 32, 63, 64] {
            let value = shape.round(&BigRational::from_integer(BigInt::from(1) << power), Mode::Zero);
            values.extend([value, value - 1, value | shape.sign()]);
        }
        let a = format!("{r}2");
        for (t, width, signed) in INTEGERS {
            let (bank, bits) = integer_bank(width);
            let d = format!("{bank}1");
            for (suffix, mode) in MODES {
                let (low, high) = range(width, signed);
                let nan =
                    if shape == F64 || width == 64 { BigInt::from(1) << (width - 1) } else { BigInt::zero() };
                let nan = if signed && nan > high { -nan } else { nan };
                one(&format!("cvt.{suffix}i.{t}.{} {d}, {a}", shape.name), &[(&a, &values)], &[&d], &|s| {
                    let value = match shape.decode(s[0]) {
                        Value::Nan => nan.clone(),
                        Value::Infinite(true) => low.clone(),
                        Value::Infinite(false) => high.clone(),
                        Value::Finite(_, x) => Shape::whole(&x, mode).clamp(low.clone(), high.clone()),
                    };
                    vec![encode(&value, bits)]
                });
            }
        }
        for (suffix, mode) in MODES {
            let d = format!("{r}1");
            one(&format!("cvt.{suffix}i.{0}.{0} {d}, {a}", shape.name), &[(&a, &values)], &[&d], &|s| {
                vec![match shape.decode(s[0]) {
                    Value::Finite(negative, x) => {
                        let whole = BigRational::from_integer(Shape::whole(&x, mode));
                        if whole.is_zero() {
                            if negative { shape.sign() } else { 0 }
                        } else {
                            shape.round(&whole, Mode::Nearest)
                        }
                    }
                    Value::Nan => shape.nan(),
                    Value::Infinite(_) => s[0],
                }]
            });
        }
    }
}

fn from_integers(one: One<'_>) {
    for shape in [F16, F32, F64] {
        let d = format!("{}1", bank(shape));
        for (t, width, signed) in INTEGERS {
            let (bank, _) = integer_bank(width);
            let a = format!("{bank}2");
            let mut values: Vec<u64> = numbers(width, signed).iter().map(|n| encode(n, width)).collect();
            values.push(encode(&BigInt::from(0x0123_4567_89ab_cdefu64), width));
            for (suffix, mode) in MODES {
                one(&format!("cvt.{suffix}.{}.{t} {d}, {a}", shape.name), &[(&a, &values)], &[&d], &|s| {
                    let negative = signed && s[0] >> (width - 1) & 1 == 1;
                    let value =
                        BigInt::from(s[0]) - if negative { BigInt::from(1) << width } else { BigInt::zero() };
                    vec![if value.is_zero() {
                        0
                    } else {
                        shape.round(&BigRational::from_integer(value), mode)
                    }]
                });
            }
        }
    }
}

fn integers(one: One<'_>) {
    for (from, from_width, from_signed) in INTEGERS {
        let (from_bank, from_bits) = integer_bank(from_width);
        let a = format!("{from_bank}2");
        // Bytes are read from the low half of a halfword, whatever stands above.
        let noise = if from_bits > from_width { 0xab00 } else { 0 };
        let values: Vec<u64> =
            numbers(from_width, from_signed).iter().map(|n| encode(n, from_width) | noise).collect();
        for (to, to_width, to_signed) in INTEGERS {
            let (to_bank, to_bits) = integer_bank(to_width);
            let d = format!("{to_bank}1");
            let value = |s: &[u64]| {
                let bits = if from_width == 64 { s[0] } else { s[0] & ((1 << from_width) - 1) };
                let negative = from_signed && bits >> (from_width - 1) & 1 == 1;
                BigInt::from(bits) - if negative { BigInt::from(1) << from_width } else { BigInt::zero() }
            };
            one(&format!("cvt.{to}.{from} {d}, {a}"), &[(&a, &values)], &[&d], &|s| {
                let low = encode(&value(s), to_width);
                let negative = to_signed && low >> (to_width - 1) & 1 == 1;
                let extended =
                    BigInt::from(low) - if negative { BigInt::from(1) << to_width } else { BigInt::zero() };
                vec![encode(&extended, to_bits)]
            });
            let (least, greatest) = range(to_width, to_signed);
            one(&format!("cvt.sat.{to}.{from} {d}, {a}"), &[(&a, &values)], &[&d], &|s| {
                vec![encode(&value(s).clamp(least.clone(), greatest.clone()), to_bits)]
            });
        }
    }
}

fn between_floats(one: One<'_>) {
    for from in [F16, BF16, F32, F64] {
        let mut values = from.edges();
        // Ties and near-ties for every narrower format.
        for low in [0x1000u64, 0x1001, 0x0fff, 0x3000, 0x8000, 0x8001, 0x1000_0000, 0x3000_0000] {
            let one = from.round(&BigRational::from_integer(1.into()), Mode::Nearest);
            values.push(one | low & ((1 << from.fraction) - 1));
        }
        let a = format!("{}2", bank(from));
        for to in [F16, BF16, F32, F64] {
            if from == to {
                continue;
            }
            let d = format!("{}1", bank(to));
            if from.bits < to.bits {
                one(&format!("cvt.{}.{} {d}, {a}", to.name, from.name), &[(&a, &values)], &[&d], &|s| {
                    vec![from.convert(s[0], to, Mode::Nearest)]
                });
                continue;
            }
            for (suffix, mode) in MODES {
                one(
                    &format!("cvt.{suffix}.{}.{} {d}, {a}", to.name, from.name),
                    &[(&a, &values)],
                    &[&d],
                    &|s| vec![from.convert(s[0], to, mode)],
                );
            }
        }
    }
    let values = F32.edges();
    one("cvt.sat.f32.f32 %f1, %f2", &[("%f2", &values)], &["%f1"], &|s| vec![F32.saturate(s[0])]);
    one("cvt.rn.relu.f16.f32 %rs1, %f2", &[("%f2", &values)], &["%rs1"], &|s| {
        let half = F32.convert(s[0], F16, Mode::Nearest);
        vec![if half & F16.sign() != 0 { 0 } else { half }]
    });
    for (t, half) in [("f16x2", F16), ("bf16x2", BF16)] {
        one(
            &format!("cvt.rn.{t}.f32 %r1, %f2, %f3"),
            &[("%f2", &values), ("%f3", &values)],
            &["%r1"],
            &|s| vec![F32.convert(s[0], half, Mode::Nearest) << 16 | F32.convert(s[1], half, Mode::Nearest)],
        );
    }
    // TF32 has f32's exponent and ten fraction bits; ties go away from zero.
    let near: Vec<u64> = (0..8).map(|low| 0x3f80_0000 + low * 0x800).collect();
    one("cvt.rna.tf32.f32 %r1, %f2", &[("%f2", &near)], &["%r1"], &|s| vec![(s[0] + 0x1000) & !0x1fff]);
    one("cvt.rn.tf32.f32 %r1, %f2", &[("%f2", &near)], &["%r1"], &|s| {
        let tie = s[0] & 0x1fff == 0x1000;
        let even = s[0] & 0x2000 == 0;
        vec![if tie && even { s[0] - 0x1000 } else { (s[0] + 0x1000) & !0x1fff }]
    });
}

/// A float of at most eight bits: digits of the exponent and of the fraction.
#[derive(Clone, Copy)]
struct Narrow {
    name: &'static str,
    exponent: u32,
    fraction: u32,
}

const NARROW: [Narrow; 5] = [
    Narrow { name: "e4m3", exponent: 4, fraction: 3 },
    Narrow { name: "e5m2", exponent: 5, fraction: 2 },
    Narrow { name: "e2m3", exponent: 2, fraction: 3 },
    Narrow { name: "e3m2", exponent: 3, fraction: 2 },
    Narrow { name: "e2m1", exponent: 2, fraction: 1 },
];

impl Narrow {
    fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    /// Where it lies beside a neighbour.
    fn bits(self) -> u32 {
        if self.name == "e2m1" { 4 } else { 8 }
    }

    /// What it holds: e4m3 has no infinities and one NaN, e5m2 is like a short f16, the others are all numbers.
    fn value(self, bits: u64) -> Option<f64> {
        let (bias, top) = ((1 << (self.exponent - 1)) - 1, (1 << self.exponent) - 1);
        let power = (bits >> self.fraction & top) as i32;
        let digits = (bits & ((1 << self.fraction) - 1)) as f64 / f64::from(1u32 << self.fraction);
        let special = match self.name {
            "e4m3" => bits & 0x7f == 0x7f,
            "e5m2" => power == 31,
            _ => false,
        };
        let magnitude =
            if power == 0 { digits * 2f64.powi(1 - bias) } else { (1.0 + digits) * 2f64.powi(power - bias) };
        (!special).then_some(if bits & self.sign() == 0 { magnitude } else { -magnitude })
    }

    /// The one nearest to a number, of two the even one; what is out of range becomes the largest.
    fn nearest(self, value: f64) -> u64 {
        let finite = |bits: &u64| self.value(*bits).is_some();
        let largest = (0..self.sign()).filter(finite).max().unwrap();
        if value.is_nan() {
            return if self.fraction + self.exponent == 7 { 0x7f } else { largest };
        }
        let sign = if value.is_sign_negative() { self.sign() } else { 0 };
        let nearest =
            (0..self.sign()).filter_map(|bits| Some((bits, self.value(bits)?))).min_by(|(a, x), (b, y)| {
                let (x, y) = ((x - value.abs()).abs(), (y - value.abs()).abs());
                x.total_cmp(&y).then((a & 1).cmp(&(b & 1)))
            });
        sign | if value.abs() >= self.value(largest).unwrap() { largest } else { nearest.unwrap().0 }
    }
}

/// Numbers around every number of a narrow format, and others.
fn around(narrow: Narrow) -> Vec<u64> {
    let mut values = vec![f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 3.3, -17.7, 1e-5, -1e6, 1e30, -0.0];
    let numbers: Vec<f32> = (0..narrow.sign()).filter_map(|bits| Some(narrow.value(bits)? as f32)).collect();
    for two in numbers.windows(2) {
        let tie = (two[0] + two[1]) / 2.0;
        values.extend([two[0], -tie, tie, tie.next_up(), tie.next_down()]);
    }
    let last = *numbers.last().unwrap();
    values.extend([last, -last, last * 1.03, last * 1.1, last * 1.3]);
    values.into_iter().map(|value| value.to_bits().into()).collect()
}

fn narrow_conversions(one: One<'_>) {
    let float = |bits: u64| f64::from(f32::from_bits(bits as u32));
    for narrow in NARROW {
        let (name, bits) = (narrow.name, narrow.bits());
        let (bank, part) = (if bits == 4 { "%b" } else { "%rs" }, (1u64 << bits) - 1);
        let values = around(narrow);
        let others: Vec<u64> = values.iter().copied().step_by(values.len() / 4).collect();
        for relu in ["", ".relu"] {
            let convert = |bits: u64| {
                let value = float(bits);
                let clipped = if relu.is_empty() || value > 0.0 || value.is_nan() { value } else { 0.0 };
                narrow.nearest(clipped)
            };
            let to = format!("{bank}1");
            let operands = [("%f2", values.as_slice()), ("%f3", others.as_slice())];
            let text = format!("cvt.rn.satfinite{relu}.{name}x2.f32 {to}, %f2, %f3");
            one(&text, &operands, &[&to], &|s| vec![convert(s[0]) << bits | convert(s[1])]);
            for (packed, half) in [("f16x2", F16), ("bf16x2", BF16)] {
                let halves: Vec<u64> = values.iter().map(|v| F32.convert(*v, half, Mode::Nearest)).collect();
                let pairs: Vec<u64> =
                    halves.iter().zip(halves.iter().rev()).map(|(a, b)| a << 16 | b).collect();
                let text = format!("cvt.rn.satfinite{relu}.{name}x2.{packed} {to}, %r2");
                one(&text, &[("%r2", &pairs)], &[&to], &|s| {
                    let each = |word: u64| convert(half.convert(word & 0xffff, F32, Mode::Nearest));
                    vec![each(s[0] >> 16) << bits | each(s[0])]
                });
            }
        }
        let all: Vec<u64> = (0..=part)
            .map(|low| low << bits | (low * 37 + 11) & part)
            .map(|pair| if bits == 8 { pair & ((2 * narrow.sign() - 1) * 0x101) } else { pair })
            .collect();
        for (packed, half) in [("f16x2", F16), ("bf16x2", BF16)] {
            let from = format!("{bank}2");
            one(&format!("cvt.rn.{packed}.{name}x2 %r1, {from}"), &[(&from, &all)], &["%r1"], &|s| {
                let each = |bits: u64| match narrow.value(bits) {
                    Some(value) => F32.convert((value as f32).to_bits().into(), half, Mode::Nearest),
                    None if name == "e5m2" && bits & 3 == 0 => {
                        (bits & 0x80) << 8 | if half.fraction == 10 { 0x7c00 } else { 0x7f80 }
                    }
                    None => half.nan(),
                };
                vec![each(s[0] >> bits & part) << 16 | each(s[0] & part)]
            });
        }
    }
}

/// Scales are powers of two: the exponent of an f32, rounded down or up.
fn scale_conversions(one: One<'_>) {
    let mut values: Vec<u64> =
        (0..=0xffu64).flat_map(|power| [0, 1, 0x40_0000, 0x7f_ffff].map(|low| power << 23 | low)).collect();
    values.extend([0x8000_0000, 0xbfc0_0000, 0xff80_0000, 0x40_0001, 0x20_0000]);
    let scale = |bits: u64, up: bool, finite: bool| {
        let bits = bits & 0x7fff_ffff;
        if bits > 0x7f80_0000 {
            return 0xff;
        }
        // Nothing is below 2⁻¹²⁷, which is the f32 0x00400000.
        let up = up && bits & 0x7f_ffff != 0 && bits > 0x40_0000;
        let power = (bits >> 23) + u64::from(up);
        if finite { power.min(0xfe) } else { power }
    };
    for (mode, up) in [("rz", false), ("rp", true)] {
        for (satfinite, finite) in [("", false), (".satfinite", true)] {
            let text = format!("cvt.{mode}{satfinite}.ue8m0x2.f32 %rs1, %f2, %f3");
            let operands = [("%f2", values.as_slice()), ("%f3", &values[77..79])];
            one(&text, &operands, &["%rs1"], &|s| {
                vec![scale(s[0], up, finite) << 8 | scale(s[1], up, finite)]
            });
            let pairs: Vec<u64> =
                values.iter().zip(values.iter().rev()).map(|(a, b)| a >> 16 << 16 | b >> 16).collect();
            let text = format!("cvt.{mode}{satfinite}.ue8m0x2.bf16x2 %rs1, %r2");
            one(&text, &[("%r2", &pairs)], &["%rs1"], &|s| {
                let each = |half: u64| scale((half & 0xffff) << 16, up, finite);
                vec![each(s[0] >> 16) << 8 | each(s[0])]
            });
        }
    }
    let all: Vec<u64> = (0..=0xff).map(|low| low << 8 | (0xff - low)).collect();
    one("cvt.rn.bf16x2.ue8m0x2 %r1, %rs2", &[("%rs2", &all)], &["%r1"], &|s| {
        let each = |byte: u64| match byte {
            0 => 0x40,
            0xff => 0x7fff,
            _ => byte << 7,
        };
        vec![each(s[0] >> 8) << 16 | each(s[0] & 0xff)]
    });
}

/// Approximate functions: within an ulp of the host's own f64 library.
fn elementary(one: One<'_>) {
    let values: Vec<u64> =
        [0.0f32, 1.0, -1.0, 0.5, 2.0, -3.25, 10.0, 1e-3, 88.0].iter().map(|x| x.to_bits().into()).collect();
    type Function = fn(f64) -> f64;
    let functions: [(&str, Function); 6] = [
        ("ex2.approx", f64::exp2),
        ("lg2.approx", f64::log2),
        ("sin.approx", f64::sin),
        ("cos.approx", f64::cos),
        ("tanh.approx", f64::tanh),
        ("rsqrt.approx", |x| 1.0 / x.sqrt()),
    ];
    for (name, function) in functions {
        one(&format!("{name}.f32 %f1, %f2"), &[("%f2", &values)], &["%f1"], &|s| {
            let value = function(f32::from_bits(s[0] as u32).into()) as f32;
            vec![if value.is_nan() { F32.nan() } else { value.to_bits().into() }]
        });
    }
}

#[test]
fn float_rows_are_correctly_rounded() {
    probes(&mut |probe, check| check(&probe));
}
