//! Groups of an output whose reasons differ in their indices alone, told once with letters.
//!
//! `y[0]: lacks x[0]`, `y[1]: lacks x[1]`, … become `y[i]: lacks x[i]`. Numbers between brackets are
//! compared with the coordinates of the element: each has to be the same number everywhere or one
//! coordinate plus the same number everywhere. Where one sentence does not fit all, each part of the
//! tensor that has one is told on its own, with where it lies, if it is a box (the two quarters of a
//! matrix that were exchanged) or every second element of one.
//!
//! Guarantees: with the coordinates of any of the samples for the letters, the sentence is the one that
//! was there for it.
//! Misses: indices that are products of coordinates, and parts that are no boxes.

use super::model::{Answer, OutputGroup};
use crate::term::coordinates;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// What coordinates are called, where the sentence does not use the letter itself.
const LETTERS: [&str; 8] = ["i", "j", "m", "n", "p", "q", "r", "s"];

/// A sentence: text, and after each piece but the last a number that stood between brackets.
struct Sentence<'a> {
    pieces: Vec<&'a str>,
    numbers: Vec<u64>,
}

fn sentence(text: &str) -> Sentence<'_> {
    let (mut pieces, mut numbers) = (Vec::new(), Vec::new());
    let (mut depth, mut start, mut at) = (0usize, 0, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            digit if digit.is_ascii_digit() => {
                let end = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                // Not a part of a name or of a fraction.
                let beside = |byte: Option<&u8>| {
                    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(byte))
                };
                let stands_alone =
                    !beside(at.checked_sub(1).map(|before| &bytes[before])) && !beside(bytes.get(end));
                if let (true, true, Ok(number)) = (depth > 0, stands_alone, text[at..end].parse()) {
                    pieces.push(&text[start..at]);
                    numbers.push(number);
                    start = end;
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    pieces.push(&text[start..]);
    Sentence { pieces, numbers }
}

/// The sentence for a family, and its elements with the letters, if it has some.
struct Told {
    pattern: Option<String>,
    sentence: String,
}

/// What a number of a sentence is in all sentences of a family.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Index {
    Number(u64),
    Coordinate { dimension: usize, offset: i64 },
}

/// The answer, the hint and the text between the numbers: what a family has in common.
type Key<'a> = (u8, Option<&'a str>, Vec<&'a str>);

/// Joins the groups that one sentence can tell; the first of each keeps its place.
pub(super) fn join<T>(tensor: &str, shape: &[u64], groups: Vec<(OutputGroup, T)>) -> Vec<(OutputGroup, T)> {
    let mut families: FxHashMap<Key<'_>, Vec<(usize, Vec<u64>)>> = FxHashMap::default();
    for (at, (group, _)) in groups.iter().enumerate() {
        if !matches!(group.answer, Answer::Different | Answer::Unknown | Answer::Close) {
            continue;
        }
        let Sentence { pieces, numbers } = sentence(&group.reason);
        let key = (group.answer as u8, group.hint.as_deref(), pieces);
        families.entry(key).or_default().push((at, numbers));
    }
    // For the first of each family the others, and the sentence for all.
    let mut told: FxHashMap<usize, (u64, Told)> = FxHashMap::default();
    let mut joined = vec![false; groups.len()];
    for ((.., pieces), members) in &families {
        for part in parts(members, &groups, shape) {
            let [first, others @ ..] = part.members.as_slice() else { continue };
            if others.is_empty() {
                continue;
            }
            let whole = part.members.len() == members.len();
            let within = match (extent(&part.members, &groups, shape), whole) {
                (Some(extent), _) => extent,
                (None, true) => {
                    shape.iter().map(|extent| Extent { low: 0, high: extent - 1, step: 1 }).collect()
                }
                (None, false) => continue,
            };
            let Some(reason) = tell(tensor, shape, pieces, &part.indices, &within) else { continue };
            others.iter().for_each(|at| joined[*at] = true);
            told.insert(*first, (part.members.iter().map(|at| groups[*at].0.elements).sum(), reason));
        }
    }
    let kept = groups.into_iter().enumerate().filter(|(at, _)| !joined[*at]);
    kept.map(|(at, (mut group, of))| {
        if let Some((elements, reason)) = told.remove(&at) {
            (group.elements, group.pattern, group.reason) = (elements, reason.pattern, reason.sentence);
        }
        (group, of)
    })
    .collect()
}

/// Members whose numbers follow their coordinates in one way.
struct Part {
    members: Vec<usize>,
    indices: Vec<Index>,
}

/// The members by the way in which their numbers follow the coordinates: for each number the one that
/// leaves the fewest parts.
fn parts<T>(members: &[(usize, Vec<u64>)], groups: &[(OutputGroup, T)], shape: &[u64]) -> Vec<Part> {
    let places: Vec<Vec<u64>> =
        members.iter().map(|(at, _)| coordinates(groups[*at].0.index, shape)).collect();
    let slots: Vec<Vec<Index>> = (0..members[0].1.len())
        .map(|slot| index(members.iter().map(|(_, numbers)| numbers[slot]), &places, shape.len()))
        .collect();
    let mut parts: FxHashMap<Vec<Index>, Vec<usize>> = FxHashMap::default();
    for (nth, (at, _)) in members.iter().enumerate() {
        parts.entry(slots.iter().map(|slot| slot[nth]).collect()).or_default().push(*at);
    }
    parts.into_iter().map(|(indices, members)| Part { members, indices }).collect()
}

/// Where a coordinate lies: every so many from the lowest to the highest.
#[derive(Clone, Copy)]
struct Extent {
    low: u64,
    high: u64,
    step: u64,
}

/// The range of each coordinate, if the members are all elements that lie in these ranges.
fn extent<T>(members: &[usize], groups: &[(OutputGroup, T)], shape: &[u64]) -> Option<Vec<Extent>> {
    if members.iter().any(|at| groups[*at].0.elements != 1) {
        return None;
    }
    let places: Vec<Vec<u64>> = members.iter().map(|at| coordinates(groups[*at].0.index, shape)).collect();
    let along = |dimension: usize| {
        let own = places.iter().map(|place| place[dimension]);
        let (low, high) = (own.clone().min()?, own.clone().max()?);
        Some(Extent { low, high, step: own.fold(0, |step, at| gcd(step, at - low)).max(1) })
    };
    let extents: Vec<Extent> = (0..shape.len()).map(along).collect::<Option<_>>()?;
    let all: u64 = extents.iter().map(|extent| (extent.high - extent.low) / extent.step + 1).product();
    // Two elements are a progression whatever they are.
    let regular =
        extents.iter().all(|extent| extent.step == 1 || (extent.high - extent.low) / extent.step > 1);
    (all == members.len() as u64 && regular).then_some(extents)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What a number is in each member: itself, or a coordinate plus an offset, whichever has the fewest
/// values, and of these the one that is most often the coordinate itself.
fn index(
    numbers: impl Iterator<Item = u64> + Clone,
    coordinates: &[Vec<u64>],
    dimensions: usize,
) -> Vec<Index> {
    let itself: Vec<Index> = numbers.clone().map(Index::Number).collect();
    let beside = (0..dimensions).filter_map(|dimension| {
        let all = numbers.clone().zip(coordinates).map(|(number, at)| {
            let offset = i64::try_from(number).ok()?.checked_sub(i64::try_from(at[dimension]).ok()?)?;
            Some(Index::Coordinate { dimension, offset })
        });
        all.collect::<Option<Vec<Index>>>()
    });
    let cost = |reading: &Vec<Index>| {
        let moved = |index: &&Index| matches!(index, Index::Coordinate { offset, .. } if *offset != 0);
        (reading.iter().collect::<FxHashSet<_>>().len(), reading.iter().filter(moved).count())
    };
    std::iter::once(itself).chain(beside).min_by_key(cost).expect("a number is itself")
}

/// The sentence with letters, for the elements `within` these ranges or for all; `None` where one would
/// be misread.
fn tell(tensor: &str, shape: &[u64], pieces: &[&str], indices: &[Index], within: &[Extent]) -> Option<Told> {
    let used = |letter: &str| pieces.iter().any(|piece| words(piece).any(|word| word == letter));
    let mut letters = LETTERS.iter().filter(|letter| !used(letter));
    let letters: Vec<&str> = shape.iter().map(|_| letters.next().copied()).collect::<Option<_>>()?;
    let mut text = String::new();
    let fixed = |dimension: usize| {
        let Extent { low, high, .. } = within[dimension];
        (low == high).then_some(low)
    };
    let follows =
        |index: &Index| matches!(index, Index::Coordinate { dimension, .. } if fixed(*dimension).is_none());
    let pattern = indices.iter().any(follows).then(|| {
        let (mut element, mut ranges) = (tensor.to_owned(), String::new());
        for (dimension, letter) in letters.iter().enumerate() {
            let Extent { low, high, step } = within[dimension];
            match fixed(dimension) {
                Some(number) => write!(element, "[{number}]").expect("writing to a String"),
                None => write!(element, "[{letter}]").expect("writing to a String"),
            }
            match step {
                _ if low == high => {}
                1 if (low, high) == (0, shape[dimension] - 1) => {}
                1 => write!(ranges, ", {letter} = {low}…{high}").expect("writing to a String"),
                _ => write!(ranges, ", {letter} = {low}, {} … {high}", low + step)
                    .expect("writing to a String"),
            }
        }
        element + &ranges
    });
    for (at, piece) in pieces.iter().enumerate() {
        text.push_str(piece);
        match indices.get(at) {
            Some(Index::Number(number)) => write!(text, "{number}").expect("writing to a String"),
            Some(Index::Coordinate { dimension, offset }) if fixed(*dimension).is_some() => {
                let number = fixed(*dimension).map_or(0, |number| number.wrapping_add_signed(*offset));
                write!(text, "{number}").expect("writing to a String");
            }
            Some(Index::Coordinate { dimension, offset }) => {
                let bound = piece.ends_with(['·', '-', '/']) || pieces[at + 1].starts_with(['·', '/']);
                match offset {
                    0 => text.push_str(letters[*dimension]),
                    _ if bound => return None,
                    _ => write!(text, "{}{offset:+}", letters[*dimension]).expect("writing to a String"),
                }
            }
            None => {}
        }
    }
    Some(Told { pattern, sentence: text })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(shape: &[u64], reason: impl Fn(u64) -> String) -> Vec<(String, u64)> {
        let groups = (0..shape.iter().product()).map(|index| {
            let group = OutputGroup {
                answer: Answer::Different,
                elements: 1,
                sample: String::new(),
                index,
                reason: reason(index),
                pattern: None,
                hint: None,
                reference: None,
                optimized: None,
            };
            (group, ())
        });
        join("y", shape, groups.collect())
            .into_iter()
            .map(|(group, ())| {
                let place = group.pattern.map_or_else(String::new, |pattern| format!("{pattern}: "));
                (place + &group.reason, group.elements)
            })
            .collect()
    }

    #[test]
    fn indices_that_follow_the_element_become_letters() {
        let found =
            told(&[3, 4], |at| format!("lacks x[{}][{}] of Σ[k=0…7] w[{}][k]", at / 4, at % 4 + 2, at % 4));
        assert_eq!(found, [("y[i][j]: lacks x[i][j+2] of Σ[k=0…7] w[j][k]".to_owned(), 12)]);
    }

    #[test]
    fn a_letter_of_the_sentence_is_not_taken() {
        let found = told(&[4], |at| format!("lacks i·x[{at}]"));
        assert_eq!(found, [("y[j]: lacks i·x[j]".to_owned(), 4)]);
    }

    #[test]
    fn a_coordinate_that_is_one_number_has_no_letter() {
        let found = told(&[2, 4], |at| format!("lacks x[{}][{}]", 3 * (at / 4) * (at / 4) + 1, at % 4));
        let rows = ["y[0][j]: lacks x[1][j]", "y[1][j]: lacks x[4][j]"];
        assert_eq!(found, rows.map(|row| (row.to_owned(), 4)));
    }

    #[test]
    fn each_half_has_its_sentence() {
        let found = told(&[4, 4], |at| {
            let (i, j) = (at / 4, at % 4);
            format!("has x[{}][{}] for x[{j}][{i}]", (j + 2) % 4, (i + 2) % 4)
        });
        let sentence = |rows: &str, columns: &str, i: &str, j: &str| {
            (format!("y[i][j], i = {rows}, j = {columns}: has x[{j}][{i}] for x[j][i]"), 4)
        };
        let expected = [
            sentence("0…1", "0…1", "i+2", "j+2"),
            sentence("0…1", "2…3", "i+2", "j-2"),
            sentence("2…3", "0…1", "i-2", "j+2"),
            sentence("2…3", "2…3", "i-2", "j-2"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn every_second_element_has_its_sentence() {
        let found = told(&[6], |at| format!("has x[{}]", at ^ 1));
        let expected = [("y[i], i = 0, 2 … 4: has x[i+1]", 3), ("y[i], i = 1, 3 … 5: has x[i-1]", 3)];
        assert_eq!(found, expected.map(|(told, count)| (told.to_owned(), count)));
    }

    #[test]
    fn what_follows_no_coordinate_stays_apart() {
        assert_eq!(told(&[4], |at| format!("lacks x[{}]", at * at + at)).len(), 4);
        // 2·(j+1) is not 2·j+1.
        assert_eq!(told(&[3], |at| format!("lacks x[2·{}]", at + 1)).len(), 3);
        // Numbers outside of brackets are values.
        assert_eq!(told(&[3], |at| format!("lacks {at}·x[0]")).len(), 3);
    }
}
