//! Logical functions of three operands (`lop3`) as ands, ors and exclusive ors of their bits.
//!
//! A table that only its number names would make a mask an unreadable pattern: a compiler writes
//! `w & 0x000f000f | 0x64006400` as one instruction. What it computes is written with the operations
//! that other instructions have, so that both kernels' ways to take bits apart meet, and so that it
//! can be evaluated. Constants go first; among several ways the one with the fewest negations is
//! taken, and a table that has none of two steps is an exclusive or of ands (its algebraic normal form).

use super::bits::{mask, operate};
use crate::term::{BitOp, Terms, Value};

/// The tables of the operands themselves.
const OPERANDS: [u8; 3] = [0xf0, 0xcc, 0xaa];
const STEPS: [BitOp; 3] = [BitOp::And, BitOp::Or, BitOp::Xor];
/// The operand that comes last, and the two before it.
const ORDERS: [[usize; 3]; 3] = [[0, 1, 2], [0, 2, 1], [1, 2, 0]];

/// The function with that table of three values of `width` bits, not all of them concrete.
pub(super) fn table(terms: &mut Terms, width: u32, values: &[Value; 3], table: u8) -> Value {
    let mut values = *values;
    for (at, value) in values.iter_mut().enumerate() {
        // An operand that the table does not look at may be anything.
        if cofactor(table, at, false) == cofactor(table, at, true) {
            *value = Value::Concrete(0);
        }
    }
    let symbolic: Vec<usize> = (0..3).filter(|at| !matches!(values[*at], Value::Concrete(_))).collect();
    match symbolic[..] {
        [] => Value::Concrete(mask(bitwise(table, values.map(word)), width)),
        [one] => of_one(terms, width, &values, table, one),
        _ => two_steps(terms, width, &values, table)
            .unwrap_or_else(|| normal_form(terms, width, &values, table)),
    }
}

/// The table once an operand's bit is known, at the places where it is set.
fn cofactor(table: u8, operand: usize, bit: bool) -> u8 {
    let shift = 4 >> operand;
    let on = OPERANDS[operand];
    if bit { table & on | (table & on) >> shift } else { table & !on | (table & !on) << shift }
}

fn word(value: Value) -> u64 {
    match value {
        Value::Concrete(word) => word,
        _ => 0,
    }
}

/// The function of three words.
fn bitwise(table: u8, [a, b, c]: [u64; 3]) -> u64 {
    (0..8).filter(|row| table >> row & 1 == 1).fold(0, |result, row| {
        let pick = |word: u64, at: u32| if row >> at & 1 == 1 { word } else { !word };
        result | pick(a, 2) & pick(b, 1) & pick(c, 0)
    })
}

/// Two operands are concrete: each bit of the third is kept, negated or replaced.
fn of_one(terms: &mut Terms, width: u32, values: &[Value; 3], table: u8, one: usize) -> Value {
    let with = |word_of_one: u64| {
        let mut words = values.map(word);
        words[one] = word_of_one;
        mask(bitwise(table, words), width)
    };
    let (clear, set) = (with(0), with(u64::MAX));
    let kept = Value::Concrete(clear ^ set);
    let masked = operate_any(terms, BitOp::And, width, values[one], kept);
    let join = if clear & (clear ^ set) == 0 { BitOp::Or } else { BitOp::Xor };
    operate_any(terms, join, width, masked, Value::Concrete(clear))
}

/// `(x ∘ y) ∘ z`, each negated or not.
fn two_steps(terms: &mut Terms, width: u32, values: &[Value; 3], table: u8) -> Option<Value> {
    let step = |op: BitOp, a: u8, b: u8| match op {
        BitOp::And => a & b,
        BitOp::Or => a | b,
        _ => a ^ b,
    };
    let mut negations: Vec<u8> = (0..8).collect();
    negations.sort_by_key(|negated| negated.count_ones());
    for negated in negations {
        let operand = |at: usize| OPERANDS[at] ^ if negated >> at & 1 == 1 { 0xff } else { 0 };
        for [x, y, z] in ORDERS {
            for first in STEPS {
                for second in STEPS {
                    if step(second, step(first, operand(x), operand(y)), operand(z)) != table {
                        continue;
                    }
                    let mut operands = *values;
                    for (at, value) in operands.iter_mut().enumerate() {
                        if negated >> at & 1 == 1 {
                            *value = complement(terms, width, *value);
                        }
                    }
                    let inner = operate_any(terms, first, width, operands[x], operands[y]);
                    return Some(operate_any(terms, second, width, inner, operands[z]));
                }
            }
        }
    }
    None
}

/// The exclusive or of the products that the table has.
fn normal_form(terms: &mut Terms, width: u32, values: &[Value; 3], table: u8) -> Value {
    // The Möbius transform of the table: which products occur.
    let mut products = table;
    for (shift, on) in [(4, 0xf0u8), (2, 0xcc), (1, 0xaa)] {
        products ^= products << shift & on;
    }
    let ones = Value::Concrete(mask(u64::MAX, width));
    let mut sum = Value::Concrete(0);
    for product in (0..8u8).filter(|product| products >> product & 1 == 1) {
        let mut result = ones;
        for (at, value) in values.iter().enumerate() {
            if product >> (2 - at) & 1 == 1 {
                result = operate_any(terms, BitOp::And, width, result, *value);
            }
        }
        sum = operate_any(terms, BitOp::Xor, width, sum, result);
    }
    sum
}

fn complement(terms: &mut Terms, width: u32, value: Value) -> Value {
    match value {
        Value::Concrete(word) => Value::Concrete(mask(!word, width)),
        other => operate(terms, BitOp::Not, width, &[other]),
    }
}

/// An operation on values that may both be concrete.
fn operate_any(terms: &mut Terms, op: BitOp, width: u32, a: Value, b: Value) -> Value {
    let (Value::Concrete(x), Value::Concrete(y)) = (a, b) else {
        return operate(terms, op, width, &[a, b]);
    };
    let word = match op {
        BitOp::And => x & y,
        BitOp::Or => x | y,
        _ => x ^ y,
    };
    Value::Concrete(mask(word, width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Budget, Format};
    use crate::term::eval::{Cone, Quantity, Reals, evaluate};
    use crate::term::{Symbol, Term};

    /// Every table, with any of the operands concrete, gives the words that the instruction gives.
    #[test]
    fn every_table_is_the_function_it_names() {
        let words = [0x0f0f_1234u64, 0x00ff_5678, 0x3355_9abc];
        for number in 0..=255u8 {
            for concrete in 0..7u8 {
                let mut terms = Terms::new();
                let mut values = words.map(Value::Concrete);
                for (at, value) in values.iter_mut().enumerate() {
                    if concrete >> at & 1 == 0 {
                        let bits = terms.bits_of(Format::U32, Term::element(at as u32));
                        *value = Value::Symbolic(Symbol::bits(bits));
                    }
                }
                let expected = mask(bitwise(number, words), 32);
                let found = match table(&mut terms, 32, &values, number) {
                    Value::Concrete(found) => Quantity::Bits(found),
                    Value::Symbolic(symbol) => {
                        let pattern =
                            super::super::bits::as_bits(&mut terms, Value::Symbolic(symbol), 32).unwrap();
                        let element = |at: u32| Quantity::integer(words[at as usize] as i64);
                        let domain = Reals { element: &element, constants: &[] };
                        let cone = Cone::of(&terms, &[pattern], &Budget::default()).unwrap();
                        evaluate(&cone, &domain, &Budget::default(), &mut Vec::new()).unwrap()[0]
                    }
                    Value::Undefined(_) => panic!("table {number:x} is defined"),
                };
                assert_eq!(found, Quantity::Bits(expected), "table {number:x}, concrete {concrete:b}");
            }
        }
    }
}
