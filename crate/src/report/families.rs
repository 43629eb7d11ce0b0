//! Groups of an output whose reasons differ in their indices alone, told once with letters.
//!
//! `y[0]: lacks x[0]`, `y[1]: lacks x[1]`, … become `y[i]: lacks x[i]`. Numbers between brackets are
//! compared with the coordinates of the element: each has to be the same number everywhere or one
//! coordinate plus the same number everywhere.
//!
//! Guarantees: with the coordinates of any of the samples for the letters, the sentence is the one that
//! was there for it.
//! Misses: indices that are products of coordinates, and families that hold for a part of the samples only.

use super::model::{Answer, OutputGroup};
use crate::term::coordinates;
use rustc_hash::FxHashMap;
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
        let [(first, _), others @ ..] = members.as_slice() else { continue };
        if others.is_empty() {
            continue;
        }
        let coordinates: Vec<Vec<u64>> =
            members.iter().map(|(at, _)| coordinates(groups[*at].0.index, shape)).collect();
        let indices: Option<Vec<Index>> = (0..members[0].1.len())
            .map(|slot| index(members.iter().map(|(_, numbers)| numbers[slot]), &coordinates))
            .collect();
        let Some(reason) = indices.and_then(|indices| tell(tensor, shape.len(), pieces, &indices)) else {
            continue;
        };
        others.iter().for_each(|(at, _)| joined[*at] = true);
        told.insert(*first, (members.iter().map(|(at, _)| groups[*at].0.elements).sum(), reason));
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

fn index(numbers: impl Iterator<Item = u64> + Clone, coordinates: &[Vec<u64>]) -> Option<Index> {
    let first = numbers.clone().next()?;
    if numbers.clone().all(|number| number == first) {
        return Some(Index::Number(first));
    }
    let dimensions = coordinates.first()?.len();
    let offset = |number: u64, at: u64| i64::try_from(number).ok()?.checked_sub(i64::try_from(at).ok()?);
    let fitting = (0..dimensions).filter_map(|dimension| {
        let expected = offset(first, coordinates[0][dimension])?;
        let mut all = numbers.clone().zip(coordinates);
        all.all(|(number, at)| offset(number, at[dimension]) == Some(expected))
            .then_some(Index::Coordinate { dimension, offset: expected })
    });
    fitting.min_by_key(|index| matches!(index, Index::Coordinate { offset, .. } if *offset != 0))
}

/// The sentence with letters; `None` where one would be misread.
fn tell(tensor: &str, dimensions: usize, pieces: &[&str], indices: &[Index]) -> Option<Told> {
    let used = |letter: &str| pieces.iter().any(|piece| words(piece).any(|word| word == letter));
    let mut letters = LETTERS.iter().filter(|letter| !used(letter));
    let letters: Vec<&str> = (0..dimensions).map(|_| letters.next().copied()).collect::<Option<_>>()?;
    let mut text = String::new();
    let pattern = indices.iter().any(|index| matches!(index, Index::Coordinate { .. })).then(|| {
        let element: String = letters.iter().map(|letter| format!("[{letter}]")).collect();
        format!("{tensor}{element}")
    });
    for (at, piece) in pieces.iter().enumerate() {
        text.push_str(piece);
        match indices.get(at) {
            Some(Index::Number(number)) => write!(text, "{number}").expect("writing to a String"),
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
    fn what_follows_no_coordinate_stays_apart() {
        assert_eq!(told(&[3], |at| format!("lacks x[{}]", at * at)).len(), 3);
        // 2·(j+1) is not 2·j+1.
        assert_eq!(told(&[3], |at| format!("lacks x[2·{}]", at + 1)).len(), 3);
        // Numbers outside of brackets are values.
        assert_eq!(told(&[3], |at| format!("lacks {at}·x[0]")).len(), 3);
    }
}
