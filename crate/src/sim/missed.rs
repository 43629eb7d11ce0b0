//! Counters that never meet what they are compared with.
//!
//! `for (i = 0; i != 7; i += 2)` steps over its end for ever. In a loop, registers that are made of each
//! other and of unchanging ones by sums, differences, products and copies keep some of their low bits, if
//! each of these instructions keeps them: that is checked for the values at hand, with as many bits of each
//! register as all of them together allow. A counter that differs from its target there never meets it.
//!
//! Guarantees: what is said never to be equal is not, in whatever order and however often the
//! instructions of the loop are executed from here on.
//! Misses: targets that are met after very many rounds; orders (`i < n`), which end.

use super::race::lanes;
use super::warp::Warp;
use crate::ir::{Kernel, Reg};
use crate::isa::{Effect, Lanes, Lanewise, Meaning, WARP};
use crate::term::BitOp;
use std::collections::BTreeMap;

/// The counters of a loop.
#[derive(Default)]
pub(super) struct Counters {
    /// The instructions that write them.
    steps: Vec<u32>,
    /// The instructions that ask whether one is equal to something.
    questions: Vec<u32>,
}

impl Counters {
    /// Those of a loop, by the instructions that are in it.
    pub(super) fn of(kernel: &Kernel, inside: &[bool]) -> Counters {
        let code = || kernel.code.iter().enumerate().filter(|(at, _)| inside[*at]);
        let mut keeps = vec![true; kernel.registers.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (_, instr) in code() {
                let kept =
                    keeps_remainders(&instr.effect) && kernel.src(instr).iter().all(|reg| keeps[reg.index()]);
                for reg in kernel.dst(instr).iter().filter(|_| !kept) {
                    changed |= std::mem::replace(&mut keeps[reg.index()], false);
                }
            }
        }
        let (mut steps, mut questions) = (Vec::new(), Vec::new());
        for (at, instr) in code() {
            if kernel.dst(instr).iter().any(|reg| keeps[reg.index()]) {
                steps.push(at as u32);
            } else if asks_equality(&instr.effect).is_some()
                && kernel.src(instr).iter().all(|reg| keeps[reg.index()])
            {
                questions.push(at as u32);
            }
        }
        Counters { steps, questions }
    }

    /// The questions that are never answered with yes, for the lanes of a group as it stands.
    pub(super) fn missed(&self, kernel: &Kernel, warp: &Warp, mask: u32) -> Vec<u32> {
        if self.questions.is_empty() {
            return Vec::new();
        }
        let mut kept: BTreeMap<Reg, [u32; WARP]> = BTreeMap::new();
        let mut changed = true;
        while changed {
            changed = false;
            for at in &self.steps {
                let instr = &kernel.code[*at as usize];
                for target in kernel.dst(instr) {
                    let step = kept_by(warp, mask, &instr.effect, (kernel.src(instr), *target), &kept);
                    let known = kept.entry(*target).or_insert([u64::BITS; WARP]);
                    for (known, step) in known.iter_mut().zip(step) {
                        changed |= step < *known;
                        *known = step.min(*known);
                    }
                }
            }
        }
        let is_missed = |at: &&u32| {
            let instr = &kernel.code[**at as usize];
            let ([a, b, ..], Some(width)) = (kernel.src(instr), asks_equality(&instr.effect)) else {
                return false;
            };
            let known = (warp.symbolic(*a) | warp.symbolic(*b)) & mask == 0;
            let (x, y) = (warp.words(*a), warp.words(*b));
            known
                && lanes(mask).all(|lane| {
                    let lane = lane as usize;
                    let bits = |reg: &Reg| kept.get(reg).map_or(u64::BITS, |kept| kept[lane]);
                    (x[lane] ^ y[lane]) & low_bits(bits(a).min(bits(b)).min(width)) != 0
                })
        };
        self.questions.iter().filter(is_missed).copied().collect()
    }
}

/// How many low bits of its target an instruction keeps, lane by lane, if of its sources so many are kept.
fn kept_by(
    warp: &Warp,
    mask: u32,
    effect: &Effect,
    (sources, target): (&[Reg], Reg),
    kept: &BTreeMap<Reg, [u32; WARP]>,
) -> [u32; WARP] {
    let symbolic = sources.iter().chain([&target]).any(|reg| warp.symbolic(*reg) & mask != 0);
    if symbolic || sources.is_empty() || sources.len() > 2 {
        return [0; WARP];
    }
    let none: Lanes = [0; WARP];
    let words = [0, 1].map(|at| sources.get(at).map_or(none, |reg| warp.words(*reg)));
    let (mut result, mut second) = (none, none);
    match effect {
        Effect::Lanewise(op) => {
            (op.concrete)(&[&words[0], &words[1], &none, &none], &mut result, &mut second);
        }
        _ => result = words[0],
    }
    let now = warp.words(target);
    let mut bits = [u64::BITS; WARP];
    for lane in lanes(mask) {
        let lane = lane as usize;
        bits[lane] = (result[lane] ^ now[lane]).trailing_zeros();
        for reg in sources {
            bits[lane] = kept.get(reg).map_or(bits[lane], |kept| bits[lane].min(kept[lane]));
        }
    }
    bits
}

/// Whether the remainders of the results modulo each power of two follow from those of the sources.
fn keeps_remainders(effect: &Effect) -> bool {
    match effect {
        Effect::Move { .. } => true,
        Effect::Lanewise(op) if op.destinations == 1 && !op.dst.is_float() => match op.pattern.op {
            BitOp::Add | BitOp::Sub | BitOp::Mul | BitOp::Negate => op.sources <= 2,
            _ => matches!(op.meaning, Meaning::Convert) && is_copy(op),
        },
        _ => false,
    }
}

/// A conversion between integers that keeps the low bits of both.
fn is_copy(op: &Lanewise) -> bool {
    !op.src[0].is_float() && op.sources == 1
}

/// The width of what is asked, if an instruction asks whether two integers are equal.
fn asks_equality(effect: &Effect) -> Option<u32> {
    match effect {
        Effect::Lanewise(op) if op.pattern.op == BitOp::Equal && op.sources == 2 => Some(op.src[0].bits()),
        _ => None,
    }
}

fn low_bits(count: u32) -> u64 {
    if count >= u64::BITS { u64::MAX } else { (1 << count) - 1 }
}
