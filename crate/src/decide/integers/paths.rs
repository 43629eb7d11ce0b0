//! Inputs read off two diagrams that differ.
//!
//! Two functions of bits that are not the same have different diagrams, and wherever both ask a bit, they still
//! differ for one answer at least. So a walk down both at once, towards what differs, ends at a 0 and a 1, and the
//! answers on the way are inputs that tell the two apart, however rare those are.
//!
//! Guarantees: none: what is read off is to be evaluated. Where all bits that are asked are those of elements, it
//! differs. Misses: bits of products that were given names of their own may not come out as the walk has them.

use super::circuits::Place;
use super::diagrams::Bit;
use super::{Leaf, Word};
use crate::base::FormatClass;
use crate::decide::fingerprint::random;
use crate::decide::normalize::Normalizer;
use crate::term::Term;
use crate::term::eval::{Quantity, number_of};
use num_rational::BigRational;
use rustc_hash::FxHashMap;

/// Walks for each bit of the result, where all bits asked are those of elements, and where some are not.
const WALKS: u64 = 2;
const MORE_WALKS: u64 = 16;
/// Walks in all.
const MOST: usize = 256;

/// Elements with numbers.
pub(in crate::decide) type Point = Vec<(u32, BigRational)>;

impl Normalizer<'_> {
    /// Points at which two integers differ if what their circuits ask comes out as they have it; none where they
    /// have no circuits, or the same.
    pub(in crate::decide) fn where_circuits_differ(&mut self, a: Term, b: Term) -> Vec<Point> {
        let Some([x, y]) = self.both_words(a, b) else { return Vec::new() };
        let mut points: Vec<Point> = Vec::new();
        for (at, (x, y)) in x.iter().zip(&y).enumerate().filter(|(_, (x, y))| x != y) {
            let mut walks = WALKS;
            let mut walk = 0;
            while walk < walks && points.len() < MOST {
                let (answers, only_elements) = self.apart(*x, *y, (at as u64) << 8 | walk);
                if !only_elements {
                    walks = MORE_WALKS;
                }
                if let Some(point) = self.point_of(&answers, walk)
                    && !points.contains(&point)
                {
                    points.push(point);
                }
                walk += 1;
            }
        }
        points
    }

    fn both_words(&mut self, a: Term, b: Term) -> Option<[Word; 2]> {
        let places = [Place::whole(0, a), Place::whole(1, b)];
        let width = self.number_width(places[0])?.max(self.number_width(places[1])?);
        Some([self.number_word(places[0], width)?, self.number_word(places[1], width)?])
    }

    /// Answers that lead to where two functions differ, and whether all of them are about elements.
    fn apart(&self, mut a: Bit, mut b: Bit, seed: u64) -> (FxHashMap<(u32, u32), bool>, bool) {
        let diagrams = &self.integers.diagrams;
        let (mut answers, mut only_elements) = (FxHashMap::default(), true);
        loop {
            let (x, y) = (diagrams.asks(a), diagrams.asks(b));
            let place =
                |asked: &Option<((u32, u32), Bit, Bit)>| asked.map(|((leaf, place), ..)| (place, leaf));
            let Some(first) = [place(&x), place(&y)].into_iter().flatten().min() else { break };
            let split = |bit: Bit, asked: Option<((u32, u32), Bit, Bit)>| match asked {
                Some(((leaf, place), low, high)) if (place, leaf) == first => [low, high],
                _ => [bit, bit],
            };
            let ([a0, a1], [b0, b1]) = (split(a, x), split(b, y));
            // Low the first time, so that what may be 0 is; any way, more and more often.
            let any = random(seed, u64::from(first.0) << 32 | u64::from(first.1)) >> 60;
            let high = a0 == b0 || a1 != b1 && any < seed & 0xff;
            (a, b) = if high { (a1, b1) } else { (a0, b0) };
            answers.insert((first.1, first.0), high);
            only_elements &= matches!(self.integers.leaves[first.1 as usize], Leaf::Element(..));
        }
        (answers, only_elements)
    }

    /// The numbers that elements have whose bits are these; those that nobody asked are 0, or any in every other
    /// walk.
    fn point_of(&self, answers: &FxHashMap<(u32, u32), bool>, walk: u64) -> Option<Point> {
        let mut words: FxHashMap<u32, u64> = FxHashMap::default();
        for leaf in 0..self.integers.leaves.len() as u32 {
            let Leaf::Element(element, format) = self.integers.leaves[leaf as usize] else { continue };
            let mut rest = if walk % 2 == 1 { random(walk, element.into()) } else { 0 };
            let mut asked = false;
            for place in 0..format.bits() {
                if let Some(answer) = answers.get(&(leaf, place)) {
                    asked = true;
                    rest = rest & !(1 << place) | u64::from(*answer) << place;
                }
            }
            if asked || walk % 2 == 1 {
                words.insert(element, rest & u64::MAX >> (64 - format.bits()));
            }
        }
        let mut point = Point::new();
        for (element, word) in words {
            let format = self.forms.element_format(element)?;
            let number = match format.class() {
                FormatClass::Float => match number_of(format, word) {
                    Quantity::Exact(value) => {
                        BigRational::new((*value.numer()).into(), (*value.denom()).into())
                    }
                    _ => return None,
                },
                FormatClass::Signed => {
                    let unused = 64 - format.bits();
                    BigRational::from_integer(((word << unused) as i64 >> unused).into())
                }
                FormatClass::Unsigned | FormatClass::Bits => BigRational::from_integer(word.into()),
            };
            point.push((element, number));
        }
        point.sort_unstable();
        Some(point)
    }
}
