//! Evaluation as the machine's formats have it: what is too large for f16 is infinite, what is too large for an
//! integer is clamped. Where one side looks at the words of floats, it sees what f16 and bf16 make of numbers that they
//! have no place for; of those nothing is said. Nothing is rounded.
//!
//! Guarantees: where no term of a cone went through such a format, there is nothing to evaluate
//! ([`Formats::of`] is `None`). A number that may or may not be too large is [`Quantity::Unknown`].

use super::bits::bits_of;
use super::{Cone, Domain, Quantity, Reals, value_of};
use crate::base::{Budget, Exhausted, Format};
use crate::term::{Node, Term, Terms, Through};
use num_rational::{BigRational, Ratio};
use rustc_hash::FxHashMap;

/// The largest number of f16, and the least that is infinite there.
const LARGEST: i64 = 65_504;
const OVERFLOW: f64 = 65_520.0;

/// Which steps and elements of a cone went through formats.
pub struct Formats {
    steps: FxHashMap<usize, Through>,
    elements: FxHashMap<u32, Through>,
    /// Words are looked at.
    words: bool,
}

impl Formats {
    /// Of two cones, each over its store.
    pub fn of(terms: [&Terms; 2], cones: &[Cone; 2]) -> [Option<Formats>; 2] {
        let words = cones.iter().any(looks_at_words);
        [0, 1].map(|side| Formats::of_one(terms[side], &cones[side], words))
    }

    fn of_one(terms: &Terms, cone: &Cone, words: bool) -> Option<Formats> {
        let counts = |through: &Through| words || *through != Through::Float(Format::Bf16);
        let steps: FxHashMap<usize, Through> = (0..cone.steps().len())
            .filter_map(|step| Some((step, terms.through(cone.node(step)).filter(counts)?)))
            .collect();
        let elements: FxHashMap<u32, Through> = cone
            .elements()
            .iter()
            .filter_map(|element| Some((*element, terms.through(Term::element(*element)).filter(counts)?)))
            .collect();
        (!steps.is_empty() || !elements.is_empty()).then_some(Formats { steps, elements, words })
    }

    /// [`evaluate`](super::evaluate), as the formats have it.
    pub fn evaluate(
        &self,
        cone: &Cone,
        reals: &Reals<'_>,
        budget: &Budget,
        values: &mut Vec<Quantity>,
    ) -> Result<Vec<Quantity>, Exhausted> {
        let element = |element: u32| {
            let value = (reals.element)(element);
            self.elements.get(&element).map_or(value, |through| self.held(*through, value))
        };
        let reals = Reals { element: &element, constants: reals.constants };
        values.clear();
        for (at, step) in cone.steps().iter().enumerate() {
            if at.is_multiple_of(4096) {
                budget.spend_block(at, cone.steps().len(), 4096, Reals::EFFORT)?;
            }
            let value = reals.node(step, |operand| value_of(&reals, values, operand));
            values.push(self.steps.get(&at).map_or(value, |through| self.held(*through, value)));
        }
        Ok(cone.roots().iter().map(|root| value_of(&reals, values, *root)).collect())
    }

    /// What a number is in a format that it went through.
    fn held(&self, through: Through, value: Quantity) -> Quantity {
        match through {
            Through::Float(format)
                if self.words
                    && matches!(value, Quantity::Exact(_))
                    && !matches!(bits_of(format, value), Quantity::Bits(_)) =>
            {
                Quantity::Unknown
            }
            Through::Float(Format::Bf16) => value,
            _ => large(through, value),
        }
    }
}

/// Whether something depends on the words of floats.
fn looks_at_words(cone: &Cone) -> bool {
    cone.steps().iter().any(|step| matches!(step, Node::BitsOf(format, _) if format.is_float()))
}

/// What a number is in a format that has no place for large ones.
fn large(through: Through, value: Quantity) -> Quantity {
    let ends = match value {
        Quantity::Infinity => (f64::INFINITY, f64::INFINITY),
        Quantity::MinusInfinity => (f64::NEG_INFINITY, f64::NEG_INFINITY),
        _ => match value.interval() {
            Some(interval) => (interval.low(), interval.high()),
            None => return value,
        },
    };
    match through {
        Through::Float(_) => half(value, ends),
        Through::Integers(least, most) => {
            let end = |end: i128| Quantity::rational(&BigRational::from_integer(end.into()));
            match value {
                Quantity::Exact(exact) if i128::from(*exact.numer()) > most * i128::from(*exact.denom()) => {
                    end(most)
                }
                Quantity::Exact(exact) if i128::from(*exact.numer()) < least * i128::from(*exact.denom()) => {
                    end(least)
                }
                Quantity::Exact(_) => value,
                _ if ends.0 >= most as f64 => end(most),
                _ if ends.1 <= least as f64 => end(least),
                _ if ends.1 <= most as f64 && ends.0 >= least as f64 => value,
                _ => Quantity::Unknown,
            }
        }
    }
}

fn half(value: Quantity, (low, high): (f64, f64)) -> Quantity {
    let largest = LARGEST as f64;
    if -largest <= low && high <= largest {
        value
    } else if low >= OVERFLOW {
        Quantity::Infinity
    } else if high <= -OVERFLOW {
        Quantity::MinusInfinity
    } else if low >= largest && high < OVERFLOW {
        Quantity::Exact(Ratio::from_integer(LARGEST))
    } else if high <= -largest && low > -OVERFLOW {
        Quantity::Exact(Ratio::from_integer(-LARGEST))
    } else {
        Quantity::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Unary;

    /// The root's value where element 0 is that.
    fn at(terms: &Terms, root: Term, x: i64) -> Quantity {
        let cone = Cone::of(terms, &[root], &Budget::default()).unwrap();
        let reals = Reals { element: &|_| Quantity::integer(x), constants: &[] };
        let words = looks_at_words(&cone);
        let formats = Formats::of_one(terms, &cone, words).expect("something went through a format");
        formats.evaluate(&cone, &reals, &Budget::default(), &mut Vec::new()).unwrap()[0]
    }

    #[test]
    fn large_numbers_are_infinite_in_f16() {
        let mut terms = Terms::new();
        let x = Term::element(0);
        let square = terms.mul(x, x);
        let negated = terms.neg(square);
        terms.note_float(Format::F16, square);
        for (x, value) in
            [(2, Quantity::integer(-4)), (255, Quantity::integer(-65_025)), (256, Quantity::MinusInfinity)]
        {
            assert_eq!(at(&terms, negated, x), value);
        }
        terms.note_float(Format::F16, x);
        let sum = terms.add(x, square);
        assert_eq!(at(&terms, sum, 65_504), Quantity::Infinity);
        let twice = terms.add(x, x);
        assert_eq!(at(&terms, twice, 65_519), Quantity::integer(131_008));
        assert_eq!(at(&terms, twice, -65_519), Quantity::integer(-131_008));
        assert_eq!(at(&terms, twice, -65_520), Quantity::MinusInfinity);
    }

    #[test]
    fn who_looks_at_words_sees_what_formats_hold() {
        let mut terms = Terms::new();
        let x = Term::element(0);
        let square = terms.mul(x, x);
        terms.note_float(Format::Bf16, square);
        let word = terms.bits_of(Format::F32, square);
        let same = terms.from_bits(Format::S32, word);
        assert_eq!(at(&terms, same, 3), Quantity::integer(i64::from(9f32.to_bits())));
        // 17² has nine digits in base 2, and bf16 has a place for eight.
        assert_eq!(at(&terms, same, 17), Quantity::Unknown);
    }

    #[test]
    fn large_integers_are_clamped() {
        let mut terms = Terms::new();
        let whole = terms.unary(Unary::Floor, Term::element(0));
        terms.note_conversion(Format::S32, whole, whole);
        let most = i64::from(i32::MAX);
        for (x, value) in [(7, 7), (most + 1, most), (-most - 9, -most - 1)] {
            assert_eq!(at(&terms, whole, x), Quantity::integer(value));
        }
    }
}
