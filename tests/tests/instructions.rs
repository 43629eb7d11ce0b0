//! The instruction table against cases worked out by hand and against the independent machine.
//!
//! `instructions.table.txt` holds results computed from the manual's text: simulator and machine
//! must both give them. Beyond that, every row whose instruction is a function of its sources' bits
//! is spelled out, and both execute it on edge cases and random operands. A row without either is an
//! error, unless a corpus case that both agree on executes it, or [`ELSEWHERE`] says why not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use warpproof::isa::{self, Row, Shape, Support};
use warpproof::spec;
use warpproof_tests::agreement::{Ending, Question};
use warpproof_tests::corpus::cases;
use warpproof_tests::instructions::{
    self, Spelled, execute, float_of, is_open, is_video, lanewise, same, widths, with_parts, word,
};
use warpproof_tests::machine::op::Op;
use warpproof_tests::program::Dice;

/// Opcodes of a form that the short form of the tests executes.
const OPCODES: usize = 250;
/// Operands of an opcode.
const OPERANDS: usize = 160;

/// Rows that neither way reaches, by the beginning of their example, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("mma.sp", "the machine has no sparse products; the corpus compares them with dense ones"),
    (
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
        "the machine has no quad pairs; the corpus compares them with plain loops",
    ),
    (
        "wmma.load.a.sync.aligned.row.m8n8k32",
        "the machine has no bytes' parts; the corpus compares them with loops",
    ),
    ("wmma.load.b.sync.aligned.col.m8n8k32", "the same"),
    ("wmma.mma.sync.aligned.row.col.m8n8k32", "the same"),
    ("wmma.mma.xor.popc", "the same"),
    (
        "clusterlaunchcontrol",
        "the machine has no registers of 128 bits, and runs every block; the corpus compares such kernels with plain ones",
    ),
    ("membar", "it orders accesses, which this machine does in order anyway"),
    ("call", "a call is inlined, so that no row is left of it; the corpus compares such kernels"),
    ("ret", "the same"),
    ("trap", "it ends the kernel; the corpus has the verdict"),
    ("brkpt", "it ends the kernel"),
];

/// Which comparison goes with which integer type, as ptxas 13.0 takes them: `lo`, `ls`, `hi`, `hs`
/// with unsigned numbers, the other orders with numbers, equality with everything.
#[test]
fn comparisons_go_with_the_types_that_assemblers_take() {
    for op in ["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"] {
        for ty in ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f16", "f32", "f64"] {
            let taken = match op {
                "eq" | "ne" => true,
                "lo" | "ls" | "hi" | "hs" => ty.starts_with('u'),
                _ => !ty.starts_with('b'),
            };
            for (opcode, first) in [
                (format!("setp.{op}.{ty}"), Shape::Scalar),
                (format!("setp.{op}.and.{ty}"), Shape::Pair),
                (format!("set.{op}.u32.{ty}"), Shape::Scalar),
                (format!("set.{op}.xor.f32.{ty}"), Shape::Scalar),
            ] {
                let mut parts = opcode.split('.');
                let (base, suffixes) = (parts.next().unwrap_or(""), parts.collect::<Vec<_>>());
                let count = if suffixes.contains(&"and") || suffixes.contains(&"xor") { 3 } else { 2 };
                let shapes: Vec<Shape> =
                    [first].into_iter().chain(std::iter::repeat_n(Shape::Scalar, count)).collect();
                assert_eq!(isa::find(base, &suffixes, &shapes).is_ok(), taken, "{opcode}");
            }
        }
    }
}

#[test]
fn every_row_computes_what_the_independent_machine_computes() {
    let soak = std::env::var_os("WARPPROOF_SOAK_SECONDS").is_some();
    let seed = std::env::var("WARPPROOF_SOAK_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1u64);
    let (opcodes, operands) = if soak { (3000, 1024) } else { (OPCODES, OPERANDS) };
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9) | 1);
    let mut wrong: BTreeMap<String, String> = BTreeMap::new();
    let (mut rows, mut spelled_out, mut compared) = (0, 0, 0u64);
    for row in isa::rows().filter(|row| lanewise(row)) {
        rows += 1;
        let mut executed = 0;
        for spelled in instructions::opcodes(row, opcodes) {
            let float = float_of(&spelled).or(Op::new(&spelled.opcode).float);
            let inputs: Vec<[u64; 4]> = (0..operands)
                .map(|_| [(); 4].map(|()| word(&mut dice, float)))
                .filter(|operands| !is_open(&spelled, operands))
                .collect();
            match execute(&spelled, &inputs) {
                None => continue,
                Some(Err(why)) => {
                    wrong.insert(spelled.opcode.clone(), why);
                }
                Some(Ok((simulated, machine))) => {
                    let width = widths(&spelled).map_or(64, |(d, _)| d[0]);
                    for ((input, one), two) in inputs.iter().zip(&simulated).zip(&machine) {
                        compared += 1;
                        if !one.iter().zip(two).all(|(one, two)| same(&spelled, width, *one, *two)) {
                            wrong.entry(spelled.opcode.clone()).or_insert_with(|| {
                                format!("{input:x?}: simulator {one:x?}, machine {two:x?}")
                            });
                        }
                    }
                }
            }
            executed += 1;
        }
        spelled_out += executed;
        if executed == 0 {
            wrong.insert(row.example.to_owned(), "no opcode of the row was executed".to_owned());
        }
    }
    println!("instructions: {rows} rows, {spelled_out} opcodes, {compared} results compared");
    let text: String = wrong.iter().map(|(opcode, what)| format!("{opcode}: {what}\n")).collect();
    assert!(wrong.is_empty(), "{} opcodes differ:\n{text}", wrong.len());
    assert!(rows >= 80 && compared > 250_000, "{rows} rows, {compared} results");
    // An opcode that the table no longer takes is not compared, which must not go unnoticed.
    assert!(soak || spelled_out >= 1655, "only {spelled_out} opcodes");
}

/// Video instructions: every part, sign, scale and minus, on words with something to trip over.
#[test]
fn parts_of_words_are_those_of_the_independent_machine() {
    let soak = std::env::var_os("WARPPROOF_SOAK_SECONDS").is_some();
    let mut dice = Dice(7);
    let (mut opcodes, mut compared) = (BTreeSet::new(), 0u64);
    let mut open = BTreeSet::new();
    let mut wrong = String::new();
    for one in
        isa::rows().filter(|row| is_video(row)).flat_map(|row| with_parts(row, if soak { 1 } else { 7 }))
    {
        opcodes.insert(one.opcode.clone());
        let inputs: Vec<[u64; 4]> = (0..24).map(|_| [(); 4].map(|()| word(&mut dice, None))).collect();
        match execute(&one, &inputs) {
            Some(Ok((simulated, machine))) => {
                compared += inputs.len() as u64;
                if simulated != machine {
                    let row = (0..inputs.len()).find(|row| simulated[*row] != machine[*row]);
                    let row = row.unwrap_or(0);
                    wrong += &format!(
                        "{one:?} on {:x?}: simulator {:x?}, machine {:x?}\n",
                        inputs[row], simulated[row], machine[row]
                    );
                }
            }
            Some(Err(why)) if why.contains("left open") => {
                open.insert(one.opcode);
            }
            other => wrong += &format!("{one:?}: {other:?}\n"),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    println!(
        "video: {} opcodes, {compared} results compared, open in some form: {}",
        opcodes.len(),
        open.len()
    );
    // What is open is in the header of `isa/video.rs`; an opcode that joins it must not go unnoticed.
    assert!(
        opcodes.len() > 700 && compared > 100_000 && open.len() <= 317,
        "{} opcodes, {compared} results",
        opcodes.len()
    );
}

/// `opcode a b c = d e`, in hexadecimal; `#` begins a comment.
fn table() -> Vec<(Spelled, [u64; 4], Vec<u64>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/instructions.table.txt");
    let text = std::fs::read_to_string(path).expect("the table is committed");
    text.lines()
        .map(|line| line.split('#').next().unwrap_or("").trim())
        .filter(|line| !line.is_empty())
        .map(|line| {
            let (left, right) = line.split_once('=').unwrap_or_else(|| panic!("{line}"));
            let mut words = left.split_whitespace();
            let opcode = words.next().unwrap_or("").to_owned();
            let number = |word: &str| {
                u64::from_str_radix(word, 16).unwrap_or_else(|error| panic!("{line}: {word}: {error}"))
            };
            let inputs: Vec<u64> = words.map(number).collect();
            let expected: Vec<u64> = right.split_whitespace().map(number).collect();
            let op = Op::new(&opcode);
            // Of a carry chain, the last input is the carry in and the last output the carry out.
            let chain = op.has("cc") || ["addc", "subc", "madc"].contains(&op.base.as_str());
            let sources = if chain { inputs.len() - 1 } else { inputs.len() };
            let outs = if chain { 1 } else { expected.len() };
            let is_lop3 = op.base == "lop3" && expected.len() == 2;
            let mut operands = vec![if outs == 2 { "p|q".to_owned() } else { "d".to_owned() }];
            operands.extend((0..sources).map(|at| format!("s{at}")));
            if is_lop3 {
                // Its table is an immediate.
                operands.insert(4, "table".to_owned());
            }
            let mut four = [0; 4];
            four[..sources].copy_from_slice(&inputs[..sources]);
            if chain {
                four[3] = inputs[sources];
            }
            (Spelled { opcode, operands }, four, expected)
        })
        .collect()
}

#[test]
fn results_worked_out_by_hand() {
    let mut wrong = String::new();
    let table = table();
    for (spelled, inputs, expected) in &table {
        let width = widths(spelled).map_or(64, |(d, _)| d[0]);
        match execute(spelled, &[*inputs]) {
            Some(Ok((simulated, machine))) => {
                for (who, found) in [("simulator", &simulated[0]), ("machine", &machine[0])] {
                    let fits = found.len() == expected.len()
                        && found.iter().zip(expected).all(|(a, b)| same(spelled, width, *a, *b));
                    if !fits {
                        wrong += &format!(
                            "{} {inputs:x?}: {who} gives {found:x?}, by hand {expected:x?}\n",
                            spelled.opcode
                        );
                    }
                }
            }
            Some(Err(why)) => wrong += &format!("{}: {why}\n", spelled.opcode),
            None => wrong += &format!("{}: the table does not take it\n", spelled.opcode),
        }
    }
    println!("instructions: {} results by hand", table.len());
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_row_has_a_case() {
    let by_hand: BTreeSet<String> = table()
        .iter()
        .filter_map(|(spelled, ..)| {
            let op = Op::new(&spelled.opcode);
            let suffixes: Vec<&str> = op.suffixes.iter().map(String::as_str).collect();
            let pair = spelled.operands[0].contains('|');
            let shapes: Vec<Shape> = (0..spelled.operands.len())
                .map(|at| if at == 0 && pair { Shape::Pair } else { Shape::Scalar })
                .collect();
            let found = isa::find(&op.base, &suffixes, &shapes).ok()?;
            Some(isa::row(found.row)?.example.to_owned())
        })
        .collect();
    let mut missing = Vec::new();
    let mut others = Vec::new();
    for (at, row) in isa::rows().enumerate().filter(|(_, row)| row.support == Support::Full) {
        if lanewise(row) {
            if !by_hand.contains(row.example) {
                missing.push(format!("{}: no result by hand in instructions.table.txt", row.example));
            }
        } else if !ELSEWHERE.iter().any(|(name, _)| row.example.starts_with(name)) {
            others.push((at as u32, row));
        }
    }
    missing.extend(without_a_case(&others));
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The rows that no corpus case executes on which simulator and machine agree.
fn without_a_case(rows: &[(u32, &Row)]) -> Vec<String> {
    let mut open: BTreeMap<u32, &Row> = rows.iter().copied().collect();
    let mut texts: Vec<_> = cases()
        .into_iter()
        .filter(|case| ["equivalent", "race_free", "not_equivalent"].contains(&case.expected.as_str()))
        .filter_map(|case| case.read().ok())
        .collect();
    // Small kernels first: they run faster, and the suites of single instructions are small.
    texts.sort_by_key(|texts| texts.optimized.0.len());
    for texts in texts {
        let (spec, _) = spec::parse(&texts.spec);
        let sides = [(texts.reference.as_ref(), &spec.reference), (Some(&texts.optimized), &spec.optimized)];
        for (ptx, side) in sides {
            let Some((ptx, _)) = ptx else { continue };
            let Ok(question) = Question::new(ptx, &spec, side) else { continue };
            let held: Vec<u32> = question.rows().into_iter().filter(|row| open.contains_key(row)).collect();
            if !held.is_empty() && matches!(question.compare(&[1], 400_000), Ending::Agrees(_)) {
                held.iter().for_each(|row| {
                    open.remove(row);
                });
            }
        }
        if open.is_empty() {
            break;
        }
    }
    open.values()
        .map(|row| format!("{}: no corpus case executes it on which the machine agrees", row.example))
        .collect()
}
