//! Random terms: every polynomial has the term's value, inside of its range; and products from halves meet.

use super::*;
use crate::base::Budget;
use crate::decide::constants::Meanings;
use crate::decide::forms::Forms;
use crate::decide::normalize::Side;
use crate::decide::{Options, uses};
use crate::diag::Ledger;
use crate::term::eval::{Cone, Domain, Quantity, Reals, evaluate};
use crate::term::{Elements, Terms};
use num_rational::BigRational;

/// A small generator; the sweep is the same every time.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.word() >> 20) as usize % limit
    }
}

/// Runs what wants a normalizer over two stores.
fn with<R>(
    sides: [&Terms; 2],
    elements: &Elements,
    roots: [&[Term]; 2],
    run: impl FnOnce(&mut Normalizer<'_>, &Meanings) -> R,
) -> R {
    let (options, budget) = (Options::default(), Budget::default());
    let own = [(sides[0], roots[0]), (sides[1], roots[1])];
    let meanings = Meanings::of(&options, &budget, own, &mut Ledger::default()).unwrap();
    let counts = [0, 1].map(|side| uses::count(&budget, sides[side], roots[side]).unwrap());
    let side = |at: usize| Side { terms: sides[at], uses: &counts[at], meanings: meanings.side(at) };
    let mut normalizer = Normalizer::new(Forms::new(&budget, elements), [side(0), side(1)]);
    run(&mut normalizer, &meanings)
}

/// The value of a polynomial where elements have these.
fn at(floors: &Floors<'_, '_>, poly: &Poly, own: &[BigInt]) -> BigInt {
    let atom = |id: &u32| match &floors.atoms[*id as usize] {
        Atom::Element(element) => own[*element as usize].clone(),
        Atom::Floor(of, k) => at(floors, of, own).div_floor(&power(*k)),
        Atom::Quotient(of, divisor) => at(floors, of, own).div_floor(divisor),
        Atom::Word(op, width, sides) => {
            let [a, b] = [0, 1].map(|side: usize| {
                let low = at(floors, &sides[side], own).mod_floor(&power(64));
                Quantity::Bits(low.to_u64().unwrap())
            });
            let [x, y] = [0, 1].map(Term::element);
            let reals = Reals { element: &|_| Quantity::Unknown, constants: &[] };
            match reals.node(&Node::Bits(*op, *width, x, y, y), |term| if term == x { a } else { b }) {
                Quantity::Bits(bits) => bits.into(),
                other => panic!("{op:?} is {other:?}"),
            }
        }
    };
    poly.0
        .iter()
        .map(|(mono, coefficient)| mono.iter().map(atom).fold(coefficient.clone(), |a, b| a * b))
        .sum()
}

/// Words of 8 bits and numbers, of an element of 8 bits without a sign and one with it.
fn pool(seed: u64, size: usize) -> (Terms, Vec<Term>) {
    let mut random = Random(seed);
    let mut terms = Terms::new();
    let mut numbers: Vec<Term> =
        vec![Term::element(0), Term::element(1), terms.integer(3), terms.integer(-1)];
    let mut words: Vec<Term> =
        vec![terms.bits_of(Format::U8, numbers[0]), terms.bits_of(Format::S8, numbers[1])];
    words.extend([0x0f, 0xf0, 0x80, 0xff, 1, 0x3c].map(|bits| terms.bit_constant(bits)));
    while numbers.len() < size {
        let (a, b) = (numbers[random.below(numbers.len())], numbers[random.below(numbers.len())]);
        let (v, w) = (words[random.below(words.len())], words[random.below(words.len())]);
        let by = terms.bit_constant(random.below(9) as u64);
        use BitOp::*;
        match random.below(16) {
            0 => numbers.push(terms.add(a, b)),
            1 => numbers.push(terms.sub(a, b)),
            2 => numbers.push(terms.mul(a, b)),
            3 | 4 => {
                let format = [Format::U8, Format::S8][random.below(2)];
                numbers.push(terms.from_bits(format, v));
            }
            5 => {
                let relation = [Relation::Less, Relation::LessEqual, Relation::Equal][random.below(3)];
                let condition = terms.compare(relation, a, b);
                numbers.push(terms.select(condition, b, a));
            }
            6 => {
                let op = [Less, LessSigned, Equal][random.below(3)];
                let condition = terms.bits(op, 8, v, w, Term::ZERO);
                words.push(terms.select(condition, w, v));
            }
            7 => words.push(terms.bits_of([Format::U8, Format::S8][random.below(2)], a)),
            8 => {
                let op = [ShiftLeft, ShiftRight, ShiftRightSigned, Extend, ExtendSigned][random.below(5)];
                words.push(terms.bits(op, 8, v, by, Term::ZERO));
            }
            9 => {
                let pair = terms.bits(Concat, 16, v, w, Term::ZERO);
                words.push(terms.bits(Slice, 8, pair, by, Term::ZERO));
            }
            10 => {
                let ops = [Not, Negate, PopCount, LeadingZeros, Reverse];
                words.push(terms.bits(ops[random.below(5)], 8, v, v, Term::ZERO));
            }
            11 => {
                let divisor = terms.integer([1, 2, 4, 5, 16][random.below(5)]);
                let quotient = terms.div(a, divisor);
                numbers.push(terms.unary(Unary::Trunc, quotient));
            }
            _ => {
                let ops = [
                    And,
                    Or,
                    Xor,
                    Add,
                    Sub,
                    Mul,
                    MulHigh,
                    Min,
                    Max,
                    MinSigned,
                    MaxSigned,
                    And,
                    Or,
                    ShiftLeft,
                    ShiftRight,
                    ShiftRightSigned,
                ];
                words.push(terms.bits(ops[random.below(ops.len())], 8, v, w, Term::ZERO));
            }
        }
    }
    (terms, numbers)
}

#[test]
fn polynomials_have_the_values_of_their_terms() {
    let (mut followed, mut met) = (0, 0);
    for seed in 0..40 {
        let (terms, numbers) = pool(seed, 40);
        let mut elements = Elements::default();
        elements.push("x", vec![], Format::U8, 1);
        elements.push("y", vec![], Format::S8, 1);
        with([&terms, &terms], &elements, [&numbers, &numbers], |normalizer, meanings| {
            let mut floors = Floors::new(normalizer);
            let values: Vec<(Term, Option<Value>)> = numbers
                .iter()
                .map(|number| {
                    floors.work = 0;
                    (*number, floors.number(0, *number, DEEPEST))
                })
                .collect();
            let constants = meanings.quantities(0);
            let cone = Cone::of(&terms, &numbers, &Budget::default()).unwrap();
            let mut seen: Vec<Vec<BigInt>> = vec![Vec::new(); numbers.len()];
            let mut random = Random(seed);
            for point in 0..300 {
                let own = match point {
                    0..16 => [[0, 255, 128, 127][point / 4], [0, -1, -128, 127][point % 4]],
                    _ => [(random.word() >> 33 & 255) as i64, (random.word() >> 33) as u8 as i8 as i64],
                };
                let element = |element: u32| Quantity::integer(own[element as usize]);
                let domain = Reals { element: &element, constants: &constants };
                let found = evaluate(&cone, &domain, &Budget::default(), &mut Vec::new()).unwrap();
                let own = own.map(BigInt::from);
                for (place, ((term, value), found)) in values.iter().zip(found).enumerate() {
                    let Some(value) = value else { continue };
                    let exact = at(&floors, &value.poly, &own);
                    assert_eq!(
                        Quantity::rational(&BigRational::from_integer(exact.clone())),
                        found,
                        "{seed}: {term:?} at {own:?}"
                    );
                    assert!(value.range.0 <= exact && exact <= value.range.1, "{seed}: {term:?} at {own:?}");
                    seen[place].push(exact);
                }
            }
            for (a, (_, x)) in values.iter().enumerate() {
                let Some(x) = x else { continue };
                followed += 1;
                for (b, (_, y)) in values.iter().enumerate().take(a) {
                    if y.as_ref().is_some_and(|y| x.is_same(y)) {
                        assert_eq!(seen[a], seen[b], "{seed}: {a} and {b}");
                        met += 1;
                    }
                }
            }
        });
    }
    assert!(followed > 1000 && met > 100, "{followed} followed, {met} met");
}

const X: Term = Term::element(0);
const Y: Term = Term::element(1);

/// An operation on words of that width.
type Make<'t> = &'t mut dyn FnMut(BitOp, Term, Term) -> Term;

/// Whether two functions of words of two elements are seen to be the same.
fn meet(
    format: Format,
    build: impl Fn(bool, &mut dyn FnMut(u64) -> Term, Make<'_>, [Term; 2]) -> Term,
) -> bool {
    let mut elements = Elements::default();
    elements.push("x", vec![2], format, 2);
    let width = format.bits() as u8;
    let sides = [false, true].map(|optimized| {
        let mut terms = Terms::new();
        let words = [X, Y].map(|element| terms.bits_of(format, element));
        let cell = std::cell::RefCell::new(terms);
        let word = build(
            optimized,
            &mut |bits| cell.borrow_mut().bit_constant(bits),
            &mut |op, a, b| cell.borrow_mut().bits(op, width, a, b, Term::ZERO),
            words,
        );
        let mut terms = cell.into_inner();
        let root = terms.from_bits(format, word);
        (terms, root)
    });
    let [(a, x), (b, y)] = &sides;
    with([a, b], &elements, [&[*x], &[*y]], |normalizer, _| normalizer.same_in_floors(*x, *y))
}

/// The upper half of a product from products of halves; `wrong` leaves out a carry, a mask, or a product.
fn from_halves(format: Format, signed: bool, wrong: usize) -> bool {
    use BitOp::*;
    let half = u64::from(format.bits() / 2);
    meet(format, |optimized, word, make, [x, y]| {
        let (low, by, top) = (word((1 << half) - 1), word(half), word(2 * half - 1));
        let high = if optimized {
            let [x0, y0] = [x, y].map(|w| make(And, w, low));
            let [x1, y1] = [x, y].map(|w| make(ShiftRight, w, by));
            let first = make(Mul, x0, y0);
            let carried = make(ShiftRight, first, by);
            let one = make(Mul, x0, y1);
            let one = if wrong == 1 { one } else { make(Add, one, carried) };
            let rest = if wrong == 2 { one } else { make(And, one, low) };
            let upper = make(ShiftRight, one, by);
            let two = make(Mul, x1, y0);
            let two = make(Add, two, rest);
            let three = make(Mul, x1, if wrong == 3 { y0 } else { y1 });
            let sum = make(Add, three, upper);
            let last = make(ShiftRight, two, by);
            make(Add, sum, last)
        } else {
            make(MulHigh, x, y)
        };
        if !signed {
            return high;
        }
        // What a sign is worth is taken off, in two ways.
        [(x, y), (y, x)].into_iter().fold(high, |high, (one, other)| {
            let sign = make(ShiftRightSigned, one, top);
            let excess = if optimized { make(And, sign, other) } else { make(Mul, sign, other) };
            if optimized { make(Sub, high, excess) } else { make(Add, high, excess) }
        })
    })
}

#[test]
fn products_from_halves_meet_and_wrong_ones_do_not() {
    for format in [Format::U32, Format::U64, Format::S32, Format::U16] {
        for signed in [false, true] {
            assert!(from_halves(format, signed, 0), "{format:?} {signed}");
            for wrong in 1..=3 {
                assert!(!from_halves(format, signed, wrong), "{format:?} {signed} {wrong}");
            }
        }
    }
}

#[test]
fn carries_and_masks_meet() {
    use BitOp::*;
    // (x & y) + (x | y) is x + y; (x ^ 0xff) + 1 is -x of the low byte, and of nothing else.
    assert!(meet(Format::U32, |optimized, _, make, [x, y]| {
        if !optimized {
            return make(Add, x, y);
        }
        let (both, any) = (make(And, x, y), make(Or, x, y));
        make(Add, both, any)
    }));
    for (mask, same) in [(0xffff_ffff, true), (0x7fff_ffff, false), (0xff, false)] {
        let met = meet(Format::U32, |optimized, word, make, [x, _]| {
            if !optimized {
                return make(Negate, x, x);
            }
            let (mask, one) = (word(mask), word(1));
            let turned = make(Xor, x, mask);
            make(Add, turned, one)
        });
        assert_eq!(met, same, "{mask:x}");
    }
}
