//! Pairs over bytes and halfwords, also such as differ at one value only, or have no value at one; and words whose
//! difference no random input shows.

use super::{Ahead, Checked, decision};
use crate::base::{Budget, Format};
use crate::decide::{Certificate, Decision, Equality, Group, Method, Options, Problem, decide};
use crate::diag::Ledger;
use crate::term::{BitOp, Elements, Relation, Term, Terms, Unary};
use num_rational::BigRational;

/// A pair over two elements of a format.
struct Pair {
    sides: [Terms; 2],
    elements: Elements,
    pairs: Vec<(Term, Term)>,
}

impl Pair {
    fn new(format: Format, build: impl Fn(&mut Terms, bool) -> Term) -> Pair {
        let mut sides = [Terms::new(), Terms::new()];
        let [reference, optimized] = &mut sides;
        let pairs = vec![(build(reference, false), build(optimized, true))];
        let mut elements = Elements::default();
        elements.push("x", vec![2], format, 2);
        Pair { sides, elements, pairs }
    }

    fn problem(&self) -> Problem<'_> {
        let Pair { sides: [reference, optimized], elements, pairs } = self;
        Problem { reference, optimized, elements, pairs }
    }

    fn decided(&self) -> Equality {
        let (options, budget) = (Options::default(), Budget::default());
        let decided = decide(&options, &budget, &self.problem()).unwrap();
        let checked = self.checked(&decided);
        assert_eq!(checked.refuted, [], "{:?}", decided.groups[0].equality);
        decided.groups[0].equality.clone()
    }

    fn checked(&self, decided: &Decision) -> Checked {
        let (options, budget) = (Options::default(), Budget::default());
        decision(&options, &budget, &self.problem(), decided, Ahead::default()).unwrap()
    }

    /// Whether a forged claim passes.
    fn passes(&self) -> bool {
        let method = Method::EveryValue { values: 256 };
        let equality = Equality::Equal(Certificate { summary: String::new(), method });
        let groups = vec![Group { members: vec![0], equality }];
        self.checked(&Decision { groups, ledger: Ledger::default() }).refuted.is_empty()
    }
}

const X: Term = Term::element(0);
const Y: Term = Term::element(1);

/// An entry of a table by an index, by comparisons one after the other.
fn entry(terms: &mut Terms, table: &[i128], at: Term) -> Term {
    let mut found = terms.integer(table[0]);
    for (place, entry) in table.iter().enumerate().skip(1) {
        let place = terms.integer(place as i128);
        let here = terms.compare(Relation::Equal, at, place);
        let entry = terms.integer(*entry);
        found = terms.select(here, entry, found);
    }
    found
}

fn table() -> Vec<i128> {
    (0..256u32).map(|at| i128::from(at.wrapping_mul(2_654_435_761) >> 24)).collect()
}

/// The table's entry by its formula.
fn hashed(terms: &mut Terms, at: Term) -> Term {
    let word = terms.bits_of(Format::U32, at);
    let factor = terms.bit_constant(2_654_435_761);
    let product = terms.bits(BitOp::Mul, 32, word, factor, Term::ZERO);
    let by = terms.bit_constant(24);
    let high = terms.bits(BitOp::ShiftRight, 32, product, by, Term::ZERO);
    terms.from_bits(Format::U32, high)
}

#[test]
fn a_table_is_its_formula_or_differs_at_one_entry() {
    let pair = Pair::new(
        Format::U8,
        |terms, optimized| {
            if optimized { hashed(terms, X) } else { entry(terms, &table(), X) }
        },
    );
    assert!(matches!(pair.decided(), Equality::Equal(_)));
    assert!(pair.passes());
    for wrong in [0, 1, 77, 128, 255] {
        let pair = Pair::new(Format::U8, |terms, optimized| {
            let mut table = table();
            table[wrong] += 1;
            if optimized { hashed(terms, X) } else { entry(terms, &table, X) }
        });
        let Equality::Different(witness) = pair.decided() else { panic!("{wrong}: different") };
        let at = witness
            .inputs
            .first()
            .map_or_else(|| BigRational::from_integer(0.into()), |(_, value)| value.clone());
        assert_eq!(at, BigRational::from_integer(wrong.into()));
        assert!(!pair.passes(), "{wrong}");
    }
}

#[test]
fn two_bytes_may_differ_at_one_pair_of_values() {
    // x·y from a table of quarter squares; with one entry that only 251 and 254 use.
    let product = |wrong: Option<usize>| {
        Pair::new(Format::U8, move |terms, optimized| {
            if !optimized {
                return terms.mul(X, Y);
            }
            let mut squares: Vec<i128> = (0..511).map(|at| at * at / 4).collect();
            if let Some(wrong) = wrong {
                squares[wrong] += 1;
            }
            let sum = terms.add(X, Y);
            let difference = terms.sub(X, Y);
            let apart = terms.unary(Unary::Abs, difference);
            let [sum, apart] = [sum, apart].map(|at| entry(terms, &squares, at));
            terms.sub(sum, apart)
        })
    };
    let pair = product(None);
    let Equality::Equal(certificate) = pair.decided() else { panic!("equal") };
    assert_eq!(certificate.method, Method::EveryValue { values: 65_536 });
    // Only 255 and 255 have that sum.
    let pair = product(Some(510));
    let Equality::Different(witness) = pair.decided() else { panic!("different") };
    assert_eq!(witness.inputs.len(), 2);
    assert!(!pair.passes());
}

#[test]
fn a_side_without_a_value_somewhere_proves_nothing() {
    // x·(x - 7)/(x - 7) has no value at 7: claimed to be x at every value, it is not confirmed.
    let pair = Pair::new(Format::S8, |terms, optimized| {
        let seven = terms.integer(7);
        let apart = terms.sub(X, seven);
        let product = terms.mul(X, apart);
        if optimized { terms.div(product, apart) } else { X }
    });
    assert!(!pair.passes());
    // √x is rational at few places.
    let pair = Pair::new(Format::U8, |terms, optimized| {
        let root = terms.unary(Unary::Sqrt, X);
        if optimized { terms.mul(root, root) } else { X }
    });
    assert!(!pair.passes());
    // Floats and words of 32 bits have too many values.
    for format in [Format::F32, Format::S32, Format::B8] {
        let same = Pair::new(format, |terms, optimized| if optimized { X } else { terms.add(X, Term::ZERO) });
        assert!(!same.passes(), "{format:?}");
    }
}

#[test]
fn bounds_say_which_values_there_are() {
    // max(x, 3) is x from 3 on.
    let mut pair = Pair::new(Format::S32, |terms, optimized| {
        let three = terms.integer(3);
        if optimized { X } else { terms.max(X, three) }
    });
    for (low, passes) in [(3, true), (2, false)] {
        pair.elements.set_bounds(&[(0, [low, 100])]);
        assert_eq!(pair.passes(), passes, "{low}");
    }
}

/// A word of an element.
fn word(terms: &mut Terms, element: Term) -> Term {
    terms.bits_of(Format::U32, element)
}

fn of_words(build: impl Fn(&mut Terms, bool, Term, Term) -> Term) -> Pair {
    Pair::new(Format::U32, move |terms, optimized| {
        let [x, y] = [X, Y].map(|element| word(terms, element));
        let result = build(terms, optimized, x, y);
        terms.from_bits(Format::U32, result)
    })
}

#[test]
fn words_that_differ_at_one_pair_of_values_are_found_to() {
    // A sum, but at one pair of words.
    for (one, other) in
        [(0u64, 0u64), (0x8000_0000, 0x8000_0000), (0x1234_5678, 0x9abc_def0), (0xffff_ffff, 7)]
    {
        let pair = of_words(|terms, optimized, x, y| {
            let sum = terms.bits(BitOp::Add, 32, x, y, Term::ZERO);
            if !optimized {
                return sum;
            }
            let [one, other] = [one, other].map(|word| terms.bit_constant(word));
            let a = terms.bits(BitOp::Equal, 32, x, one, Term::ZERO);
            let b = terms.bits(BitOp::Equal, 32, y, other, Term::ZERO);
            let both = terms.and(a, b);
            let wrong = terms.bits(BitOp::Xor, 32, sum, one, Term::ZERO);
            let odd = terms.bit_constant(1);
            let wrong = terms.bits(BitOp::Xor, 32, wrong, odd, Term::ZERO);
            terms.select(both, wrong, sum)
        });
        let Equality::Different(witness) = pair.decided() else { panic!("{one:x}, {other:x}") };
        let at = |element: u32| {
            let listed = witness.inputs.iter().find(|(own, _)| *own == element);
            listed.map_or(witness.default.clone(), |(_, value)| value.clone())
        };
        let whole = |word: u64| BigRational::from_integer(word.into());
        if one != 0xffff_ffff {
            assert_eq!([at(0), at(1)], [whole(one), whole(other)]);
        }
    }
}

#[test]
fn a_carry_that_is_lost_is_found() {
    // The upper half of a product of 64 bits from products of halves, with a sum that overflows; at 2^64 - 1 only
    // with numbers that no i64 holds.
    let pair = Pair::new(Format::U64, |terms, optimized| {
        let [x, y] = [X, Y].map(|element| terms.bits_of(Format::U64, element));
        let high = if !optimized {
            terms.bits(BitOp::MulHigh, 64, x, y, Term::ZERO)
        } else {
            let [low, half] = [0xffff_ffff, 32].map(|word| terms.bit_constant(word));
            let [x0, y0] = [x, y].map(|word| terms.bits(BitOp::And, 64, word, low, Term::ZERO));
            let [x1, y1] = [x, y].map(|word| terms.bits(BitOp::ShiftRight, 64, word, half, Term::ZERO));
            let mut of = |op, a, b| terms.bits(op, 64, a, b, Term::ZERO);
            let (one, other) = (of(BitOp::Mul, x0, y1), of(BitOp::Mul, x1, y0));
            let low = of(BitOp::Mul, x0, y0);
            let carry = of(BitOp::ShiftRight, low, half);
            let middle = of(BitOp::Add, one, other);
            let middle = of(BitOp::Add, middle, carry);
            let up = of(BitOp::ShiftRight, middle, half);
            let top = of(BitOp::Mul, x1, y1);
            of(BitOp::Add, up, top)
        };
        terms.from_bits(Format::U64, high)
    });
    assert!(matches!(pair.decided(), Equality::Different(_)));
}
