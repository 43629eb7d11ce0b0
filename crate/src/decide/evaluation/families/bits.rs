//! Numbers that are read out of few bits, however they are read.

use super::super::field::random;
use super::*;
use crate::base::{Format, FormatClass};
use crate::term::{BitOp, Relation};

/// The integer that the lower bits of a word are in a format.
fn number(format: Format, word: u32) -> i64 {
    let unused = 64 - format.bits();
    match format.class() {
        FormatClass::Signed => (i64::from(word) << unused) >> unused,
        _ => i64::from(word) & (i64::MAX >> (unused - 1)),
    }
}

/// An operation with a constant on words of 32 bits.
type Line = (usize, u32);

const OPS: [BitOp; 8] = [
    BitOp::And,
    BitOp::Or,
    BitOp::Xor,
    BitOp::ShiftLeft,
    BitOp::ShiftRight,
    BitOp::ShiftRightSigned,
    BitOp::Add,
    BitOp::Mul,
];

fn program(seed: u64) -> Vec<Line> {
    let draw = |at: u64, below: u64| random([seed, 5], at) % below;
    (0..1 + draw(0, 5))
        .map(|at| {
            let op = draw(3 * at + 1, OPS.len() as u64) as usize;
            let shift = matches!(OPS[op], BitOp::ShiftLeft | BitOp::ShiftRight | BitOp::ShiftRightSigned);
            (op, draw(3 * at + 2, if shift { 8 } else { 256 }) as u32)
        })
        .collect()
}

fn at(program: &[Line], word: u32) -> u32 {
    program.iter().fold(word, |word, (op, by)| match OPS[*op] {
        BitOp::And => word & by,
        BitOp::Or => word | by,
        BitOp::Xor => word ^ by,
        BitOp::ShiftLeft => word << by,
        BitOp::ShiftRight => word >> by,
        BitOp::ShiftRightSigned => (word as i32 >> by) as u32,
        BitOp::Add => word.wrapping_add(*by),
        _ => word.wrapping_mul(*by),
    })
}

/// `wide`: the bits are those of the number in a word of 32 bits, not of the byte.
fn built(b: &mut Build, element: u32, (from, to): (Format, Format), program: &[Line], wide: bool) -> Term {
    let own = b.e(element);
    let pattern = b.0.bits_of(if wide { Format::U32 } else { from }, own);
    // As kernels widen bytes.
    let mut word = match (from.bits(), from.class()) {
        _ if wide => pattern,
        (8, class) => {
            let op = if class == FormatClass::Signed { BitOp::ExtendSigned } else { BitOp::Extend };
            let narrow = b.0.bit_constant(8);
            b.0.bits(op, 32, pattern, narrow, Term::ZERO)
        }
        _ => pattern,
    };
    for (op, by) in program {
        let by = b.0.bit_constant((*by).into());
        word = b.0.bits(OPS[*op], 32, word, by, Term::ZERO);
    }
    b.0.from_bits(to, word)
}

/// Random readings of all bytes: what is proved is equal for all of them, and the other way round. Also as conditions
/// that choose between two numbers.
#[test]
fn random_readings_of_bytes() {
    let (mut equal, mut different) = (0, 0);
    for round in 0..6000 {
        let draw = |at: u64, below: u64| random([round, 9], at) % below;
        let kind = draw(0, 2) as usize;
        let (format, element) = (FORMATS[kind], INTEGERS + 8 * kind as u32);
        let to = [Format::S32, Format::U32][draw(1, 2) as usize];
        let one = program(round);
        let mut two = one.clone();
        match draw(2, 4) {
            0 => two.insert(
                draw(3, one.len() as u64 + 1) as usize,
                [(0, 0xff), (1, 0), (6, 0), (7, 1)][draw(4, 4) as usize],
            ),
            1 => two[draw(5, one.len() as u64) as usize].1 ^= 1 << draw(6, 3),
            2 => two = program(round + 1_000_000),
            _ => two.reverse(),
        }
        let threshold = draw(7, 40) as i64 - 8;
        let asks = draw(8, 2) == 0;
        let relation = [Relation::Less, Relation::LessEqual, Relation::Equal][draw(9, 3) as usize];
        let wide = draw(10, 2) == 0;
        let value = |program: &[Line], byte: u32| {
            let number = number(to, at(program, number(format, byte) as u32));
            match (asks, relation) {
                (false, _) => number,
                (_, Relation::Less) => i64::from(number < threshold),
                (_, Relation::LessEqual) => i64::from(number <= threshold),
                (_, Relation::Equal) => i64::from(number == threshold),
            }
        };
        let same = (0..256).all(|byte| value(&one, byte) == value(&two, byte));
        let proved = proves(|b, optimized| {
            let read =
                built(b, element, (format, to), if optimized { &two } else { &one }, wide && optimized);
            let [x, y] = [b.e(0), b.e(1)];
            if !asks {
                return vec![b.mul(read, x)];
            }
            let threshold = b.q(threshold, 1);
            let holds = b.0.compare(relation, read, threshold);
            vec![b.0.select(holds, x, y)]
        });
        let what =
            format!("{format:?} as {to:?}, {relation:?} {threshold} ({asks}, {wide}): {one:?} {two:?}");
        assert!(same || !proved, "{what}");
        // The bits of wide words are told apart, also where they are a byte's sign.
        assert!(!same || proved || wide, "{what}");
        equal += usize::from(same);
        different += usize::from(!same);
    }
    assert!(equal > 1000 && different > 1000, "{equal} equal, {different} different");
}

/// Four bits of a word in several ways, and all of its bytes together.
#[test]
fn parts_of_words() {
    let element = INTEGERS + 16;
    let word = |b: &mut Build| {
        let own = b.e(element);
        b.0.bits_of(Format::U32, own)
    };
    let bits = |b: &mut Build, op: BitOp, word: Term, by: u64| {
        let by = b.0.bit_constant(by);
        b.0.bits(op, 32, word, by, Term::ZERO)
    };
    let nibble = |b: &mut Build, at: u64, form: usize| {
        let whole = word(b);
        match form {
            0 => {
                let low = bits(b, BitOp::ShiftRight, whole, 4 * at);
                let part = bits(b, BitOp::And, low, 15);
                b.0.from_bits(Format::U32, part)
            }
            1 => {
                let part = bits(b, BitOp::And, whole, 15 << (4 * at));
                let low = bits(b, BitOp::ShiftRight, part, 4 * at);
                b.0.from_bits(Format::S32, low)
            }
            // In the fraction of a float of 2^23.
            2 => {
                let low = bits(b, BitOp::ShiftRight, whole, 4 * at);
                let part = bits(b, BitOp::And, low, 15);
                let float = bits(b, BitOp::Or, part, 0x4b00_0000);
                let (float, shift) = (b.0.from_bits(Format::F32, float), b.q(1 << 23, 1));
                b.sub(float, shift)
            }
            // Wrong: a bit too many.
            _ => {
                let low = bits(b, BitOp::ShiftRight, whole, 4 * at);
                let part = bits(b, BitOp::And, low, 31);
                b.0.from_bits(Format::U32, part)
            }
        }
    };
    for at in 0..7 {
        let form = |form: usize| move |b: &mut Build| vec![nibble(b, at, form)];
        alike(&format!("nibble {at}"), &[&form(0), &form(1), &form(2)]);
        apart(&format!("nibble {at}"), &[&form(0), &form(3)]);
    }
    let together = |b: &mut Build, from: u64| {
        let parts: Vec<Term> = (from..8)
            .map(|at| {
                let (part, weight) = (nibble(b, at, usize::from(at % 2 == 1)), b.q(1 << (4 * at), 1));
                b.mul(part, weight)
            })
            .collect();
        vec![b.sum(&parts)]
    };
    alike("bytes together", &[&|b| vec![b.e(element)], &|b| together(b, 0)]);
    apart("bytes together", &[&|b| vec![b.e(element)], &|b| together(b, 1)]);
}
