//! Functions of bits as reduced ordered decision diagrams.
//!
//! A node asks one bit and goes on with one of two others; nodes are shared, so that a function has one
//! diagram (Bryant, *Graph-Based Algorithms for Boolean Function Manipulation*, 1986). Bits are asked
//! lowest place first, those of all words in turn: sums, differences, comparisons, shifts, masks and
//! counts stay small in that order. Products of unknown words do not, and end at the limit.
//!
//! Guarantees: two functions are the same if and only if their diagrams are.
//! Misses: functions that need more than [`MOST`] nodes, or [`STEPS`] steps in one question: `None`.

use rustc_hash::FxHashMap;

/// Nodes that are kept.
const MOST: usize = 1 << 20;
/// Steps that one question may take.
const STEPS: u32 = 400_000;

/// Bits that are asked one after the other: each is a call on the stack.
const DEEPEST: u32 = 1024;

/// A function of bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::decide) struct Bit(pub(in crate::decide) u32);

impl Bit {
    pub(super) const ZERO: Bit = Bit(0);
    pub(super) const ONE: Bit = Bit(1);
}

/// Bits of a word, lowest first.
pub(super) type Word = Vec<Bit>;

/// The diagrams of all functions so far.
#[derive(Clone)]
pub(in crate::decide) struct Diagrams {
    /// What is asked, and where it goes on if that bit is 0 or 1.
    nodes: Vec<(u64, Bit, Bit)>,
    ids: FxHashMap<(u64, Bit, Bit), Bit>,
    choices: FxHashMap<(Bit, Bit, Bit), Bit>,
    steps: u32,
    /// Steps that one question may take.
    most: u32,
    /// Steps of earlier questions.
    taken: u64,
    depth: u32,
}

impl Diagrams {
    pub(super) fn new() -> Diagrams {
        let end = (u64::MAX, Bit::ZERO, Bit::ZERO);
        let nodes = vec![end, end];
        Diagrams {
            nodes,
            ids: FxHashMap::default(),
            choices: FxHashMap::default(),
            steps: 0,
            most: STEPS,
            taken: 0,
            depth: 0,
        }
    }

    /// Starts counting steps for the next question.
    pub(in crate::decide) fn next_question(&mut self) {
        self.taken += u64::from(std::mem::take(&mut self.steps));
    }

    /// Lets each question take so many steps.
    pub(super) fn limit(&mut self, steps: u32) {
        self.most = steps;
    }

    /// Steps of all questions but the present one since this was asked last.
    pub(in crate::decide) fn take_steps(&mut self) -> u64 {
        std::mem::take(&mut self.taken)
    }

    fn node(&mut self, asks: u64, low: Bit, high: Bit) -> Option<Bit> {
        if low == high {
            return Some(low);
        }
        if let Some(known) = self.ids.get(&(asks, low, high)) {
            return Some(*known);
        }
        if self.nodes.len() >= MOST {
            return None;
        }
        let id = Bit(self.nodes.len() as u32);
        self.nodes.push((asks, low, high));
        self.ids.insert((asks, low, high), id);
        Some(id)
    }

    /// The bit at a place of a leaf.
    pub(super) fn variable(&mut self, leaf: u32, place: u32) -> Option<Bit> {
        self.node(u64::from(place) << 32 | u64::from(leaf), Bit::ZERO, Bit::ONE)
    }

    /// What a function asks first, and what it is for either answer.
    pub(super) fn asks(&self, bit: Bit) -> Option<((u32, u32), Bit, Bit)> {
        let (asks, low, high) = self.nodes[bit.0 as usize];
        (bit > Bit::ONE).then_some(((asks as u32, (asks >> 32) as u32), low, high))
    }

    fn split(&self, bit: Bit, asks: u64) -> (Bit, Bit) {
        let (own, low, high) = self.nodes[bit.0 as usize];
        if own == asks && bit > Bit::ONE { (low, high) } else { (bit, bit) }
    }

    /// `if condition then a else b`.
    pub(super) fn choose(&mut self, condition: Bit, a: Bit, b: Bit) -> Option<Bit> {
        match (condition, a, b) {
            (Bit::ONE, ..) => return Some(a),
            (Bit::ZERO, ..) => return Some(b),
            (_, Bit::ONE, Bit::ZERO) => return Some(condition),
            _ if a == b => return Some(a),
            _ => {}
        }
        if let Some(known) = self.choices.get(&(condition, a, b)) {
            return Some(*known);
        }
        self.steps += 1;
        if self.steps > self.most || self.choices.len() > 4 * MOST {
            return None;
        }
        let asks = [condition, a, b].map(|bit| self.nodes[bit.0 as usize].0).into_iter().min()?;
        let ((c0, c1), (a0, a1), (b0, b1)) =
            (self.split(condition, asks), self.split(a, asks), self.split(b, asks));
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let low = self.choose(c0, a0, b0);
        let high = low.and_then(|_| self.choose(c1, a1, b1));
        self.depth -= 1;
        let (low, high) = (low?, high?);
        let result = self.node(asks, low, high)?;
        self.choices.insert((condition, a, b), result);
        Some(result)
    }

    pub(super) fn not(&mut self, a: Bit) -> Option<Bit> {
        self.choose(a, Bit::ZERO, Bit::ONE)
    }

    pub(super) fn and(&mut self, a: Bit, b: Bit) -> Option<Bit> {
        self.choose(a, b, Bit::ZERO)
    }

    pub(super) fn or(&mut self, a: Bit, b: Bit) -> Option<Bit> {
        self.choose(a, Bit::ONE, b)
    }

    pub(super) fn xor(&mut self, a: Bit, b: Bit) -> Option<Bit> {
        let not_b = self.not(b)?;
        self.choose(a, not_b, b)
    }

    /// `a + b` of words of one length, modulo 2ⁿ.
    pub(super) fn sum(&mut self, a: &[Bit], b: &[Bit]) -> Option<Word> {
        let mut carry = Bit::ZERO;
        let mut sum = Vec::with_capacity(a.len());
        for (a, b) in a.iter().zip(b) {
            let half = self.xor(*a, *b)?;
            sum.push(self.xor(half, carry)?);
            carry = self.choose(half, carry, *a)?;
        }
        Some(sum)
    }

    /// `-a` modulo 2ⁿ.
    pub(super) fn negated(&mut self, a: &[Bit]) -> Option<Word> {
        let mut turned = Vec::with_capacity(a.len());
        for bit in a {
            turned.push(self.not(*bit)?);
        }
        let mut one = vec![Bit::ZERO; a.len()];
        if let Some(first) = one.first_mut() {
            *first = Bit::ONE;
        }
        self.sum(&turned, &one)
    }

    /// `factor · a` modulo 2ⁿ.
    pub(super) fn scaled(&mut self, a: &[Bit], factor: u128) -> Option<Word> {
        let mut sum = vec![Bit::ZERO; a.len()];
        let mut rest = factor;
        let mut place = 0;
        // Digits -1, 0, 1: runs of ones cost one subtraction.
        while rest != 0 && place < a.len() {
            if rest & 1 == 1 {
                let mut moved = vec![Bit::ZERO; place];
                moved.extend_from_slice(&a[..a.len() - place]);
                let negative = rest & 3 == 3;
                if negative {
                    moved = self.negated(&moved)?;
                    rest = rest.wrapping_add(1);
                } else {
                    rest -= 1;
                }
                sum = self.sum(&sum, &moved)?;
            }
            rest >>= 1;
            place += 1;
        }
        Some(sum)
    }

    /// `a · b` modulo 2ⁿ.
    pub(super) fn product(&mut self, a: &[Bit], b: &[Bit]) -> Option<Word> {
        let mut sum = vec![Bit::ZERO; a.len()];
        for (place, bit) in b.iter().enumerate().filter(|(_, bit)| **bit != Bit::ZERO) {
            let mut part = vec![Bit::ZERO; place];
            for other in &a[..a.len() - place] {
                part.push(self.and(*bit, *other)?);
            }
            sum = self.sum(&sum, &part)?;
        }
        Some(sum)
    }

    /// Bit by bit.
    pub(super) fn choose_words(&mut self, condition: Bit, a: &[Bit], b: &[Bit]) -> Option<Word> {
        a.iter().zip(b).map(|(a, b)| self.choose(condition, *a, *b)).collect()
    }

    /// Whether no bit is 1.
    pub(super) fn is_zero(&mut self, a: &[Bit]) -> Option<Bit> {
        let mut any = Bit::ZERO;
        for bit in a {
            any = self.or(any, *bit)?;
        }
        self.not(any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(diagrams: &mut Diagrams, leaf: u32, bits: u32, width: usize) -> Word {
        let mut word: Word = (0..bits).map(|place| diagrams.variable(leaf, place).unwrap()).collect();
        word.resize(width, Bit::ZERO);
        word
    }

    #[test]
    fn arithmetic_has_one_form() {
        let mut all = Diagrams::new();
        let (x, y) = (word(&mut all, 0, 32, 33), word(&mut all, 1, 32, 33));
        // (x & y) + ((x ^ y) >> 1) is (x + y) >> 1 without overflow.
        let sum = all.sum(&x, &y).unwrap();
        let both: Word = x.iter().zip(&y).map(|(x, y)| all.and(*x, *y).unwrap()).collect();
        let mut half: Word = x.iter().zip(&y).map(|(x, y)| all.xor(*x, *y).unwrap()).collect();
        half.rotate_left(1);
        half[32] = Bit::ZERO;
        let average = all.sum(&both, &half).unwrap();
        assert_eq!(average[..32], sum[1..33]);
        // A sum of 32 bits has lost what the average's last bit is.
        let lost = all.sum(&x[..32], &y[..32]).unwrap();
        assert_eq!(lost[1..], average[..31]);
        assert_ne!(average[31], Bit::ZERO);
        // 3x + x is x shifted twice.
        let three = all.scaled(&x, 3).unwrap();
        assert_eq!(all.sum(&three, &x).unwrap()[2..], x[..31]);
    }

    #[test]
    fn products_of_large_words_end_at_the_limit() {
        let mut all = Diagrams::new();
        let (x, y) = (word(&mut all, 0, 32, 64), word(&mut all, 1, 32, 64));
        assert_eq!(all.product(&x, &y), None);
        let (x, y) = (word(&mut all, 2, 4, 8), word(&mut all, 3, 4, 8));
        all.next_question();
        assert_eq!(all.product(&x, &y), all.product(&y, &x));
    }
}
