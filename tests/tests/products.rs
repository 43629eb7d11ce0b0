//! Matrix products of a warp against plain loops over matrices of small integers.
//!
//! Each lane of the optimized kernel loads the registers of its fragments, multiplies, and stores
//! its part of D; the reference kernel copies what the loops computed. All contents are concrete, so
//! that an equality is one of bits. Who holds which element is written here a second time, from the
//! formulas and figures of the PTX manual (9.0, 9.7.14.5 and 9.7.14.6) for each shape, and the
//! verdict must turn when one expected element is changed.

use std::fmt::Write;
use warpproof::base::Budget;
use warpproof::report::{self, Input, RunOptions, Verdict};

/// Number of the matrix, row, column.
type Place = (usize, usize, usize);

/// How one operand is held: elements of a lane, their bits and encoding, and where each belongs.
struct Held {
    slots: usize,
    bits: usize,
    encode: fn(i64) -> u64,
    place: Box<dyn Fn(usize, usize) -> Place>,
}

fn held(
    slots: usize,
    bits: usize,
    encode: fn(i64) -> u64,
    place: impl Fn(usize, usize) -> Place + 'static,
) -> Held {
    Held { slots, bits, encode, place: Box::new(place) }
}

impl Held {
    fn registers(&self) -> usize {
        self.slots * self.bits / 32
    }

    /// The registers of a lane that holds its part of matrices.
    fn words(&self, lane: usize, value: impl Fn(Place) -> i64) -> Vec<u32> {
        let mut words = vec![0u32; self.registers()];
        for slot in 0..self.slots {
            let element = (self.encode)(value((self.place)(lane, slot)));
            let at = slot * self.bits;
            words[at / 32] |= ((element & ((1u64 << self.bits) - 1)) << (at % 32)) as u32;
        }
        words
    }
}

fn integer(value: i64) -> u64 {
    value as u64
}

/// A half of a small integer.
fn half(value: i64) -> u64 {
    let size = value.unsigned_abs();
    if size == 0 {
        return 0;
    }
    let exponent = size.ilog2();
    assert!(exponent <= 10, "{value} has no exact half here");
    let fraction = (size << (10 - exponent)) & 0x3ff;
    u64::from(value < 0) << 15 | u64::from(exponent + 15) << 10 | fraction
}

fn single(value: i64) -> u64 {
    u64::from((value as f32).to_bits())
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % count
    }

    /// From `low` to `high`, both included.
    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }
}

/// A product D = A · B + C, or several of them side by side.
struct Product {
    opcode: String,
    matrices: usize,
    shape: (usize, usize, usize),
    a: Held,
    b: Held,
    c: Held,
    d: Held,
    /// Smallest and largest elements of A, B and C.
    ranges: [(i64, i64); 3],
    /// What two elements make together.
    pairing: fn(i64, i64) -> i64,
    /// From the exact sum to D.
    finish: fn(i64) -> i64,
}

impl Product {
    fn check(&self) {
        let (m, n, k) = self.shape;
        let mut dice = Dice(self.opcode.len() as u64);
        let mut draw =
            |count: usize, (low, high)| -> Vec<i64> { (0..count).map(|_| dice.between(low, high)).collect() };
        let a = draw(self.matrices * m * k, self.ranges[0]);
        let b = draw(self.matrices * k * n, self.ranges[1]);
        let c = draw(self.matrices * m * n, self.ranges[2]);
        let mut d = c.clone();
        for q in 0..self.matrices {
            for row in 0..m {
                for col in 0..n {
                    let sum = &mut d[(q * m + row) * n + col];
                    for at in 0..k {
                        *sum += (self.pairing)(a[(q * m + row) * k + at], b[(q * k + at) * n + col]);
                    }
                    *sum = (self.finish)(*sum);
                }
            }
        }
        let (mut given, mut expected) = (Vec::new(), Vec::new());
        for lane in 0..32 {
            given.extend(self.a.words(lane, |(q, row, col)| a[(q * m + row) * k + col]));
            given.extend(self.b.words(lane, |(q, row, col)| b[(q * k + row) * n + col]));
            given.extend(self.c.words(lane, |(q, row, col)| c[(q * m + row) * n + col]));
            expected.extend(self.d.words(lane, |(q, row, col)| d[(q * m + row) * n + col]));
        }
        compare(&self.opcode, &[&self.a, &self.b, &self.c, &self.d], &[], "", &given, expected);
    }
}

/// Executes an instruction on registers full of given words and compares with expected words.
fn compare(
    opcode: &str,
    operands: &[&Held; 4],
    more: &[&str],
    tail: &str,
    given: &[u32],
    mut expected: Vec<u32>,
) {
    let counts = operands.map(|operand| operand.registers());
    let all = counts[..3].iter().sum::<usize>() + more.len();
    let mut next = 0;
    let mut vector = |count: usize| {
        let names: Vec<String> = (next..next + count).map(|at| format!("%r{at}")).collect();
        next += count;
        format!("{{{}}}", names.join(", "))
    };
    let sources: Vec<String> = counts[..3].iter().map(|count| vector(*count)).collect();
    vector(more.len());
    let destination = vector(counts[3]);
    let extra: String = more.iter().map(|name| format!(", {name}")).collect();
    let head = |name: &str, words: usize| {
        format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry {name}(.param .u64 {name}_0, \
             .param .u64 {name}_1)\n.reqntid 32\n{{\n.reg .b32 %r<64>; .reg .b32 %t; .reg .b64 %rd<8>;\n\
             ld.param.u64 %rd0, [{name}_0]; ld.param.u64 %rd1, [{name}_1];\nmov.u32 %t, %tid.x;\n\
             mul.wide.u32 %rd2, %t, {}; add.s64 %rd0, %rd0, %rd2;\n\
             mul.wide.u32 %rd3, %t, {}; add.s64 %rd1, %rd1, %rd3;\n",
            4 * words,
            4 * counts[3]
        )
    };
    let mut optimized = head("product", all);
    for at in 0..all {
        writeln!(optimized, "ld.global.u32 %r{at}, [%rd0+{}];", 4 * at).expect("text");
    }
    writeln!(optimized, "{opcode} {destination}, {}{extra}{tail};", sources.join(", ")).expect("text");
    let mut reference = head("copy", counts[3]);
    for at in 0..counts[3] {
        writeln!(optimized, "st.global.u32 [%rd1+{}], %r{};", 4 * at, all + at).expect("text");
        let offset = 4 * at;
        writeln!(reference, "ld.global.u32 %r0, [%rd0+{offset}]; st.global.u32 [%rd1+{offset}], %r0;")
            .expect("text");
    }
    optimized += "ret;\n}\n";
    reference += "ret;\n}\n";
    let verdict = |expected: &[u32]| {
        let spec = format!(
            "[reference]\nargs = [\"E\", \"D\"]\n[optimized]\nargs = [\"X\", \"D\"]\n\
             [tensors.X]\ntype = \"u32\"\nshape = [{}]\ncontents = {given:?}\n\
             [tensors.E]\ntype = \"u32\"\nshape = [{}]\ncontents = {expected:?}\n\
             [tensors.D]\ntype = \"u32\"\nshape = [{}]\nrole = \"out\"\n",
            given.len(),
            expected.len(),
            expected.len()
        );
        let input = Input {
            reference: Some(&reference),
            optimized: &optimized,
            spec: Some(&spec),
            ..Input::default()
        };
        report::check(&input, &RunOptions::default(), &Budget::default()).report
    };
    let report = verdict(&expected);
    assert_eq!(
        report.verdict,
        Verdict::Equivalent,
        "{opcode}: {}\n{:#?}\n{optimized}",
        report.summary,
        report.diagnostics
    );
    let at = expected.len() / 3;
    expected[at] ^= 1 << 29;
    let report = verdict(&expected);
    let said = format!("{opcode} with another D: {}\n{:#?}", report.summary, report.diagnostics);
    assert_eq!(report.verdict, Verdict::NotEquivalent, "{said}");
}

fn wrapped(sum: i64) -> i64 {
    i64::from(sum as i32)
}

fn clamped(sum: i64) -> i64 {
    sum.clamp(i32::MIN.into(), i32::MAX.into())
}

/// The four products of Volta's quad pairs, in every layout and with every pair of sums.
#[test]
fn quad_pairs() {
    // Low and high group of four lanes, and the number of the computation.
    let row_of = |lane: usize, within: usize| if lane < 16 { within } else { within + 4 };
    let number = |lane: usize| lane % 16 / 4;
    for (a_layout, b_layout) in [("row", "col"), ("row", "row"), ("col", "col"), ("col", "row")] {
        for (d_type, c_type) in [("f32", "f32"), ("f16", "f16"), ("f32", "f16")] {
            let sums = |name: &str| match name {
                "f16" => held(8, 16, half, move |lane, i| (number(lane), row_of(lane, lane % 4), i)),
                _ => held(8, 32, single, move |lane, i| {
                    let x = (lane & 0b1) + (i & 0b10);
                    (number(lane), row_of(lane, x), (i & 0b100) + (lane & 0b10) + (i & 0b1))
                }),
            };
            let product = Product {
                opcode: format!("mma.sync.aligned.m8n8k4.{a_layout}.{b_layout}.{d_type}.f16.f16.{c_type}"),
                matrices: 4,
                shape: (8, 8, 4),
                a: match a_layout {
                    "row" => held(4, 16, half, move |lane, i| (number(lane), row_of(lane, lane % 4), i)),
                    _ => held(4, 16, half, move |lane, i| (number(lane), row_of(lane, i), lane % 4)),
                },
                b: match b_layout {
                    "row" => held(4, 16, half, move |lane, i| (number(lane), lane % 4, row_of(lane, i))),
                    _ => held(4, 16, half, move |lane, i| (number(lane), i, row_of(lane, lane % 4))),
                },
                c: sums(c_type),
                d: sums(d_type),
                ranges: [(-9, 9), (-9, 9), (-99, 99)],
                pairing: |a, b| a * b,
                finish: |sum| sum,
            };
            product.check();
        }
    }
}

/// C and D of integers in shapes of eight or sixteen rows.
fn integer_sums(rows: usize) -> Held {
    held(rows / 4, 32, integer, |lane, i| {
        let row = if i < 2 { lane >> 2 } else { (lane >> 2) + 8 };
        (0, row, lane % 4 * 2 + (i & 1))
    })
}

#[test]
fn four_bits() {
    for (shape, name) in [((8, 8, 32), "m8n8k32"), ((16, 8, 32), "m16n8k32"), ((16, 8, 64), "m16n8k64")] {
        for (a_type, b_type) in [("s4", "s4"), ("u4", "u4"), ("s4", "u4"), ("u4", "s4")] {
            let range = |name| if name == "s4" { (-8, 7) } else { (0, 15) };
            let a = match name {
                "m8n8k32" => held(8, 4, integer, |lane, i| (0, lane >> 2, lane % 4 * 8 + i)),
                "m16n8k32" => held(16, 4, integer, |lane, i| {
                    (0, if i < 8 { lane >> 2 } else { (lane >> 2) + 8 }, lane % 4 * 8 + (i & 7))
                }),
                _ => held(32, 4, integer, |lane, i| {
                    let row = if i < 8 || (16..24).contains(&i) { lane >> 2 } else { (lane >> 2) + 8 };
                    (0, row, lane % 4 * 8 + (i & 7) + if i < 16 { 0 } else { 32 })
                }),
            };
            let b = held(shape.2 / 4, 4, integer, |lane, i| {
                (0, lane % 4 * 8 + (i & 7) + if i < 8 { 0 } else { 32 }, lane >> 2)
            });
            for saturate in [false, true] {
                // With sums near the end of the range, so that some wrap or saturate.
                let far = i64::from(i32::MAX) - 60;
                let product = Product {
                    opcode: format!(
                        "mma.sync.aligned.{name}.row.col{}.s32.{a_type}.{b_type}.s32",
                        if saturate { ".satfinite" } else { "" }
                    ),
                    matrices: 1,
                    shape,
                    a: held(a.slots, 4, integer, copy(&a)),
                    b: held(b.slots, 4, integer, copy(&b)),
                    c: integer_sums(shape.0),
                    d: integer_sums(shape.0),
                    ranges: [range(a_type), range(b_type), (far, i32::MAX.into())],
                    pairing: |a, b| a * b,
                    finish: if saturate { clamped } else { wrapped },
                };
                product.check();
            }
        }
    }
}

/// The places of an operand, as a table.
fn copy(operand: &Held) -> impl Fn(usize, usize) -> Place + 'static {
    let table: Vec<Place> = (0..32)
        .flat_map(|lane| (0..operand.slots).map(move |i| (lane, i)))
        .map(|(lane, i)| (operand.place)(lane, i))
        .collect();
    let slots = operand.slots;
    move |lane, i| table[lane * slots + i]
}

#[test]
fn single_bits() {
    for (shape, name) in [((8, 8, 128), "m8n8k128"), ((16, 8, 128), "m16n8k128"), ((16, 8, 256), "m16n8k256")]
    {
        for op in ["xor", "and"] {
            let product = Product {
                opcode: format!("mma.sync.aligned.{name}.row.col.s32.b1.b1.s32.{op}.popc"),
                matrices: 1,
                shape,
                a: match name {
                    "m8n8k128" => held(32, 1, integer, |lane, i| (0, lane >> 2, lane % 4 * 32 + i)),
                    "m16n8k128" => held(64, 1, integer, |lane, i| {
                        (0, if i < 32 { lane >> 2 } else { (lane >> 2) + 8 }, lane % 4 * 32 + (i & 0x1f))
                    }),
                    _ => held(128, 1, integer, |lane, i| {
                        let row = if i < 32 || (64..96).contains(&i) { lane >> 2 } else { (lane >> 2) + 8 };
                        (0, row, lane % 4 * 32 + (i & 0x1f) + if i < 64 { 0 } else { 128 })
                    }),
                },
                b: held(shape.2 / 4, 1, integer, |lane, i| {
                    (0, lane % 4 * 32 + (i & 0x1f) + if i < 32 { 0 } else { 128 }, lane >> 2)
                }),
                c: integer_sums(shape.0),
                d: integer_sums(shape.0),
                ranges: [(0, 1), (0, 1), (i64::from(i32::MAX) - 90, i32::MAX.into())],
                pairing: if op == "xor" { |a, b| a ^ b } else { |a, b| a & b },
                finish: wrapped,
            };
            product.check();
        }
    }
}

/// Sums of floats in shapes of sixteen rows.
fn float_sums(name: &str) -> Held {
    let place = |lane: usize, i: usize| {
        let row = if i < 2 { lane >> 2 } else { (lane >> 2) + 8 };
        (0, row, lane % 4 * 2 + (i & 1))
    };
    if name == "f16" { held(4, 16, half, place) } else { held(4, 32, single, place) }
}

fn brain(value: i64) -> u64 {
    single(value) >> 16
}

/// An e4m3 of a small integer.
fn fp8(value: i64) -> u64 {
    let size = value.unsigned_abs();
    let code = [0x00, 0x38, 0x40, 0x44, 0x48, 0x4a, 0x4c, 0x4e, 0x50][size as usize];
    u64::from(value < 0) << 7 | code
}

/// A sparse matrix: stored elements by row, and the four bits of each chunk of a row.
struct Sparse {
    stored: Vec<Vec<i64>>,
    dense: Vec<Vec<i64>>,
    bits: Vec<Vec<u32>>,
}

impl Sparse {
    /// Sixteen rows of `k` columns; `kind` is "pairs" (two of four), "one" (one of two) or "double"
    /// (two pairs of four).
    fn new(dice: &mut Dice, k: usize, kind: &str, ordered: bool, (low, high): (i64, i64)) -> Sparse {
        let (mut stored, mut dense, mut bits) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..16 {
            let (mut left, mut full, mut codes) = (Vec::new(), vec![0; k], Vec::new());
            let size = if kind == "one" {
                2
            } else if kind == "pairs" {
                4
            } else {
                8
            };
            for start in (0..k).step_by(size) {
                let mut positions = [dice.below(4) as usize, dice.below(3) as usize];
                positions[1] = (positions[0] + 1 + positions[1]) % 4;
                if ordered {
                    positions.sort_unstable();
                }
                match kind {
                    "one" => {
                        let at = positions[0] % 2;
                        left.push(dice.between(low, high));
                        full[start + at] = left[left.len() - 1];
                        codes.push(if at == 0 { 0b0100 } else { 0b1110 });
                    }
                    _ => {
                        let each = size / 4;
                        for position in positions {
                            for within in 0..each {
                                left.push(dice.between(low, high));
                                full[start + position * each + within] = left[left.len() - 1];
                            }
                        }
                        codes.push((positions[0] | positions[1] << 2) as u32);
                    }
                }
            }
            stored.push(left);
            dense.push(full);
            bits.push(codes);
        }
        Sparse { stored, dense, bits }
    }
}

/// Which lane of a group gives the bits of a chunk, counted from the first that gives any, and from
/// which bit on: read off the figures of the metadata layouts.
fn metadata_of(form: &str, row: usize, chunk: usize) -> (usize, usize) {
    let upper = row / 8;
    match form {
        // One lane: four chunks of the upper row behind four of the lower row.
        "m16n8k16 16" | "m16n8k8 32" => (0, upper * 16 + chunk * 4),
        // Two lanes, each with four chunks of both rows.
        "m16n8k32 16" | "m16n8k16 32" => (chunk / 4, upper * 16 + chunk % 4 * 4),
        // Two lanes, one for each row.
        "m16n8k32 8" | "m16n8k64 4" => (upper, chunk * 4),
        // Four lanes: both rows, then the second half of both.
        "m16n8k64 8" | "m16n8k128 4" => (chunk / 8 * 2 + upper, chunk % 8 * 4),
        other => panic!("{other}"),
    }
}

#[test]
fn sparse() {
    let mut dice = Dice(42);
    let forms = [
        ("m16n8k16", "f32.f16.f16.f32", 16, half as fn(i64) -> u64, 4),
        ("m16n8k32", "f16.f16.f16.f16", 16, half, 2),
        ("m16n8k16", "f32.bf16.bf16.f32", 16, brain, 4),
        ("m16n8k32", "f32.bf16.bf16.f32", 16, brain, 2),
        ("m16n8k8", "f32.tf32.tf32.f32", 32, single, 4),
        ("m16n8k16", "f32.tf32.tf32.f32", 32, single, 2),
        ("m16n8k64", "f32.e4m3.e4m3.f32", 8, fp8, 1),
        ("m16n8k32", "s32.s8.s8.s32", 8, integer, 2),
        ("m16n8k64", "s32.u8.s8.s32", 8, integer, 1),
        ("m16n8k64", "s32.s4.s4.s32", 4, integer, 2),
        ("m16n8k128", "s32.u4.s4.s32", 4, integer, 1),
    ];
    for (name, types, bits, encode, selectors) in forms {
        for variant in ["sp", "sp::ordered_metadata"] {
            for selector in 0..selectors {
                let k: usize = name.rsplit('k').next().and_then(|k| k.parse().ok()).expect("a depth");
                let kind = if bits == 32 {
                    "one"
                } else if bits == 4 {
                    "double"
                } else {
                    "pairs"
                };
                let ordered = variant != "sp";
                let (low, high) = match types {
                    _ if types.contains("u4") => (0, 15),
                    _ if types.contains("u8") => (0, 255),
                    _ if types.contains("s8") => (-128, 127),
                    _ => (-8, 7),
                };
                let a = Sparse::new(&mut dice, k, kind, ordered, (low, high));
                let b_range = if types.contains("s8") { (-128, 127) } else { (-8, 7) };
                let b: Vec<i64> = (0..k * 8).map(|_| dice.between(b_range.0, b_range.1)).collect();
                let c: Vec<i64> = (0..16 * 8).map(|_| dice.between(-99, 99)).collect();
                let mut d = c.clone();
                for row in 0..16 {
                    for col in 0..8 {
                        for at in 0..k {
                            d[row * 8 + col] += a.dense[row][at] * b[at * 8 + col];
                        }
                    }
                }
                // Elements of a register, and columns that a register covers in four lanes.
                let each = 32 / bits;
                let wide = 4 * each;
                let a_held = held(k / 4, bits, encode, move |lane, i| {
                    let (register, within) = (i / each, i % each);
                    let row = (lane >> 2) + register % 2 * 8;
                    (0, row, register / 2 * wide + lane % 4 * each + within)
                });
                let b_held = held(k / 4, bits, encode, move |lane, i| {
                    (0, i / each * wide + lane % 4 * each + i % each, lane >> 2)
                });
                let sums = || if types.starts_with('s') { integer_sums(16) } else { float_sums(&types[..3]) };
                let (c_held, d_held) = (sums(), sums());
                let givers = 4 / selectors;
                // Lanes that give no metadata hold what would be undefined.
                let mut metadata = [0u32; 32];
                for row in 0..16 {
                    for (chunk, code) in a.bits[row].iter().enumerate() {
                        let (word, bit) = metadata_of(&format!("{name} {bits}"), row, chunk);
                        metadata[row % 8 * 4 + selector * givers + word] |= code << bit;
                    }
                }
                let (mut given, mut expected) = (Vec::new(), Vec::new());
                for (lane, word) in metadata.into_iter().enumerate() {
                    given.extend(a_held.words(lane, |(_, row, col)| a.stored[row][col]));
                    given.extend(b_held.words(lane, |(_, row, col)| b[row * 8 + col]));
                    given.extend(c_held.words(lane, |(_, row, col)| c[row * 8 + col]));
                    given.push(word);
                    expected.extend(d_held.words(lane, |(_, row, col)| d[row * 8 + col]));
                }
                let all: usize = [&a_held, &b_held, &c_held].iter().map(|held| held.registers()).sum();
                let opcode = format!("mma.{variant}.sync.aligned.{name}.row.col.{types}");
                compare(
                    &opcode,
                    &[&a_held, &b_held, &c_held, &d_held],
                    &[&format!("%r{all}")],
                    &format!(", {selector}"),
                    &given,
                    expected,
                );
            }
        }
    }
}
