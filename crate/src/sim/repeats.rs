//! What warps compute alike: results of uniform instructions, kept by their place in a warp's run.
//!
//! The warps of a block mostly run the same instructions, many of them on values that are the same
//! in all lanes and in all warps. The n-th such instruction of a warp looks at what the n-th one of
//! the warp before was; if it was the same instruction on the same words, the result is taken over,
//! and no term is built.
//!
//! Guarantees: a result comes from the same instruction on the same words, and the instructions that
//! are asked about are functions of those. Misses: warps whose runs differ in the number of such
//! instructions, and runs of more than [`PLACES`] of them between two warps' turns. Not counted against the
//! memory budget: 4 MiB at most.

/// Places, a power of two; 56 bytes each, taken as they are needed.
const PLACES: u32 = 1 << 16;

/// An instruction and what it works on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) pc: u32,
    /// Which of the words are symbols, bit by bit.
    pub(super) symbolic: u32,
    pub(super) words: [u64; 4],
}

impl Question {
    #[inline]
    fn is(&self, other: &Question) -> bool {
        // All at once: a loop that ends at the first difference costs more.
        let [a, b, c, d] = self.words;
        let [e, f, g, h] = other.words;
        let kinds = (self.pc ^ other.pc) | (self.symbolic ^ other.symbolic);
        (u64::from(kinds) | (a ^ e) | (b ^ f) | (c ^ g) | (d ^ h)) == 0
    }
}

/// A result in all lanes: concrete bits, or a symbol's encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Answer {
    pub(super) word: u64,
    pub(super) symbolic: bool,
}

/// The last answers.
#[derive(Default)]
pub(super) struct Repeats {
    answers: Vec<(Question, Answer)>,
}

impl Repeats {
    /// The answer that was kept at a place, if it was to this question.
    #[inline]
    pub(super) fn find(&self, place: u32, question: &Question) -> Option<Answer> {
        let (known, answer) = self.answers.get((place % PLACES) as usize)?;
        known.is(question).then_some(*answer)
    }

    /// Keeps an answer.
    pub(super) fn keep(&mut self, place: u32, question: Question, answer: Answer) {
        let place = (place % PLACES) as usize;
        if let Some(kept) = self.answers.get_mut(place) {
            *kept = (question, answer);
        } else if place == self.answers.len() {
            // A warp begins at place 0 and counts on, so it comes to every place there is.
            self.answers.push((question, answer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_question_is_answered() {
        let mut repeats = Repeats::default();
        let question = |pc, word| Question { pc, symbolic: 1, words: [word, 0, 0, 0] };
        let answer = Answer { word: 3, symbolic: true };
        assert_eq!(repeats.find(0, &question(7, 5)), None);
        repeats.keep(0, question(7, 5), answer);
        assert_eq!(repeats.find(0, &question(7, 5)), Some(answer));
        assert_eq!(repeats.find(PLACES, &question(7, 5)), Some(answer));
        for other in [question(8, 5), question(7, 6), Question { symbolic: 0, ..question(7, 5) }] {
            assert_eq!(repeats.find(0, &other), None);
        }
        repeats.keep(9, question(7, 5), answer);
        assert_eq!(repeats.find(9, &question(7, 5)), None, "places are taken one after the other");
    }
}
