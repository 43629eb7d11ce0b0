//! Where values are kept while a cone is evaluated: a place is used again once nobody needs its value.
//!
//! A chain of a thousand additions needs one place, not a thousand. What is live at a time fits the
//! caches, whatever the number of steps.
//!
//! Guarantees: when a step is evaluated, the places of its operands hold their values; those of roots
//! are never used again. 5 bytes a step, of which 4 stay.

use super::{Cone, operands};

/// A place for the value of each step.
pub struct Slots {
    of: Vec<u32>,
    count: usize,
}

impl Slots {
    /// Finds places for the steps of a cone, which are evaluated in order.
    pub fn of(cone: &Cone) -> Slots {
        let steps = cone.steps();
        // Which operands, as bits, a step is the last one to need.
        let mut last = vec![0u8; steps.len()];
        let mut needed = vec![0u64; steps.len().div_ceil(64)];
        for root in cone.roots().iter().filter_map(|root| root.as_node()) {
            needed[root / 64] |= 1 << (root % 64);
        }
        for (at, node) in steps.iter().enumerate().rev() {
            for (place, operand) in operands(node).into_iter().enumerate() {
                let Some(step) = operand.and_then(|operand| operand.as_node()) else { continue };
                let bit = 1 << (step % 64);
                last[at] |= u8::from(needed[step / 64] & bit == 0) << place;
                needed[step / 64] |= bit;
            }
        }
        let (mut of, mut free, mut count) = (vec![0u32; steps.len()], Vec::new(), 0);
        for (at, node) in steps.iter().enumerate() {
            if last[at] != 0 {
                for (place, operand) in operands(node).into_iter().enumerate() {
                    if let Some(step) = operand.and_then(|operand| operand.as_node())
                        && last[at] >> place & 1 == 1
                    {
                        free.push(of[step]);
                    }
                }
            }
            of[at] = free.pop().unwrap_or_else(|| {
                count += 1;
                count as u32 - 1
            });
        }
        Slots { of, count }
    }

    /// The place of a step's value.
    #[inline]
    pub fn at(&self, step: usize) -> usize {
        self.of[step] as usize
    }

    /// How many places there are.
    pub fn count(&self) -> usize {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Budget;
    use crate::term::{Term, Terms};

    #[test]
    fn operands_are_there_when_they_are_needed() {
        let mut terms = Terms::new();
        let mut word = 7u64;
        let mut next = |below: usize| {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (word >> 33) as usize % below
        };
        let mut pool: Vec<Term> = (0..4).map(Term::element).collect();
        for _ in 0..3000 {
            let near = pool.len() - pool.len().min(1 + next(40));
            let [a, b] = [pool[near], pool[next(pool.len())]];
            pool.push(if next(2) == 0 { terms.mul(a, b) } else { terms.fma(a, a, b) });
        }
        let roots: Vec<Term> = (0..50).map(|_| pool[next(pool.len())]).collect();
        let cone = Cone::of(&terms, &roots, &Budget::default()).unwrap();
        let slots = Slots::of(&cone);
        let mut owner = vec![usize::MAX; slots.count()];
        for (at, node) in cone.steps().iter().enumerate() {
            for step in operands(node).into_iter().flatten().filter_map(|operand| operand.as_node()) {
                assert_eq!(owner[slots.at(step)], step);
            }
            owner[slots.at(at)] = at;
        }
        for step in cone.roots().iter().filter_map(|root| root.as_node()) {
            assert_eq!(owner[slots.at(step)], step);
        }
    }

    #[test]
    fn a_chain_takes_one_place() {
        let mut terms = Terms::new();
        let chain =
            (1..1000).fold(Term::element(0), |sum, at| terms.fma(Term::element(at), Term::element(1), sum));
        let cone = Cone::of(&terms, &[chain], &Budget::default()).unwrap();
        assert_eq!(Slots::of(&cone).count(), 1);
    }
}
