//! Against the other evaluator, node by node.

use super::*;
use crate::term::eval::{Domain, Reals};

/// A small generator; the sweep is the same every time.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = self.0 ^ self.0 >> 29;
        // Any, small, at the ends, or next to a power of two.
        match word >> 61 {
            0 => word >> 8 & 0x7f,
            1 => u64::MAX - (word >> 8 & 3),
            2 => (1 << (word >> 8 & 63)) - (word >> 16 & 1),
            3 => 1 << (word >> 8 & 63),
            _ => word,
        }
    }
}

fn other(own: &Exact) -> Quantity {
    match own {
        Whole(_) | Number(_) => Quantity::rational(&own.big().unwrap()),
        Word(word) => Quantity::Bits(*word),
        Holds(holds) => Quantity::Condition(*holds),
        Nothing => Quantity::Unknown,
    }
}

/// What both evaluators make of a node of two or three operands.
fn both(of: &Node, operands: &[Exact]) -> (Exact, Quantity) {
    let at = |term: Term| term.as_element().unwrap() as usize;
    let own = node(of, &[], |term| &operands[at(term)]).unwrap_or(Nothing);
    let reals = Reals { element: &|_| Quantity::Unknown, constants: &[] };
    (own, reals.node(of, |term| other(&operands[at(term)])))
}

fn agree(of: &Node, operands: &[Exact]) {
    let (own, found) = both(of, operands);
    if let Quantity::Within(_) = found {
        assert!(own.big().is_some());
        return;
    }
    assert_eq!(other(&own), found, "{of:?} of {operands:?}");
}

const A: Term = Term::element(0);
const B: Term = Term::element(1);
const C: Term = Term::element(2);

#[test]
fn words() {
    let mut random = Random(1);
    for op in BitOp::ALL.into_iter().filter(|op| *op != BitOp::Other) {
        for width in [1u8, 4, 8, 16, 32, 64] {
            if op == BitOp::Concat && width == 1 {
                continue;
            }
            for _ in 0..400 {
                let (a, mut b) = (random.word(), random.word());
                if matches!(op, BitOp::Extend | BitOp::ExtendSigned) {
                    b %= u64::from(width) + 1;
                } else if matches!(
                    op,
                    BitOp::ShiftLeft | BitOp::ShiftRight | BitOp::ShiftRightSigned | BitOp::Slice
                ) && !random.word().is_multiple_of(4)
                {
                    b %= u64::from(width) + 2;
                }
                agree(&Node::Bits(op, width, A, B, C), &[Word(a), Word(b), Word(0)]);
            }
        }
    }
}

#[test]
fn numbers() {
    let mut random = Random(2);
    let integers = [Format::U8, Format::S8, Format::U16, Format::S16, Format::U32, Format::S32, Format::S64];
    let floats = [Format::F64, Format::F32, Format::F16, Format::Bf16, Format::E4m3, Format::E5m2];
    for _ in 0..20_000 {
        let small = |word: u64| (word as i64) >> (word >> 3 & 31).max(2);
        let fraction = |above: u64, below: u64| fraction(small(above) >> 24, (below >> 40).max(1) as i64);
        let a = match random.word() % 3 {
            0 => Whole(small(random.word()).into()),
            1 => fraction(random.word(), 1 << 40 << (random.word() % 24)),
            _ => fraction(random.word(), random.word()),
        };
        let b = Whole((small(random.word()) >> 30).into());
        let (own, word) = (&[a.clone(), b.clone(), Whole(3)], [Word(random.word())]);
        for node in [
            Node::Add(A, B),
            Node::Sub(A, B),
            Node::Mul(A, B),
            Node::Fma(A, B, C),
            Node::Div(B, C),
            Node::Max(A, B),
            Node::Min(A, B),
        ] {
            let (own, found) = both(&node, own);
            // Where that one has only an enclosure, this one lies inside.
            match found {
                Quantity::Exact(_) => assert_eq!(other(&own), found, "{node:?} of {a:?}, {b:?}"),
                _ => assert!(own.big().is_some()),
            }
        }
        for function in [Unary::Neg, Unary::Abs, Unary::Floor, Unary::Ceil, Unary::Trunc, Unary::RoundEven] {
            agree(&Node::Unary(function, A), own);
        }
        for relation in [Relation::Less, Relation::LessEqual, Relation::Equal] {
            agree(&Node::Compare(relation, A, B), own);
        }
        for format in integers {
            agree(&Node::FromBits(format, A), &word);
            if matches!(a, Whole(_)) {
                agree(&Node::BitsOf(format, A), own);
            }
        }
        for format in floats {
            let (read, found) = both(&Node::FromBits(format, A), &word);
            if let Quantity::Exact(_) = found {
                assert_eq!(other(&read), found, "{format:?} of {word:x?}");
                let (back, found) = both(&Node::BitsOf(format, A), &[read]);
                assert_eq!(other(&back), found, "{format:?} of {word:x?}");
            }
            let (bits, found) = both(&Node::BitsOf(format, A), own);
            if let Quantity::Bits(_) = found {
                assert_eq!(other(&bits), found, "{format:?} of {a:?}");
            }
        }
        for mode in [Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up] {
            let (rounded, found) = both(&Node::Round(mode, Format::F32, A), own);
            if let Quantity::Exact(_) = found {
                assert_eq!(other(&rounded), found, "{mode:?} of {a:?}");
            }
        }
    }
}

#[test]
fn what_has_no_value_has_none() {
    let zero = Whole(0);
    for node in [Node::Div(A, B), Node::Unary(Unary::Recip, B)] {
        assert_eq!(both(&node, &[Whole(1), zero.clone()]).0, Nothing);
    }
    assert_eq!(both(&Node::And(A, B), &[Nothing, Holds(false)]).0, Holds(false));
    assert_eq!(both(&Node::And(A, B), &[Nothing, Holds(true)]).0, Nothing);
    assert_eq!(both(&Node::Select(A, B, C), &[Holds(true), Whole(1), Nothing]).0, Whole(1));
    assert_eq!(both(&Node::Select(A, B, C), &[Holds(false), Whole(1), Nothing]).0, Nothing);
    assert_eq!(both(&Node::FromBits(Format::F32, A), &[Word(0x7f80_0000)]).0, Nothing);
    assert_eq!(both(&Node::Unary(Unary::Exp, A), &[Whole(0)]).0, Nothing);
}
