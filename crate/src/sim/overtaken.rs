//! Clusters that have not begun, whose work running ones do in their place (`clusterlaunchcontrol`; PTX ISA 9.0,
//! 9.7.13.17).
//!
//! A request is answered in the background: 16 bytes come to shared memory through the asynchronous proxy, and a barrier
//! object counts them. They are opaque to a kernel; here they are the numbers of the cluster's first CTA and whether there is
//! one. A cluster that has been taken over does not run. Which have not begun when somebody asks is not known before
//! the run, so the question is asked in three worlds (see `looks`): in one the first to ask takes all, in one nobody takes any, and
//! in one each takes the last.
//!
//! Guarantees: none is taken over twice, and only those that would run here (where none would, each request is refused,
//! which the ledger says). A request of a CTA that has read in a response that there
//! is none left is undefined, and *unsupported*; of such a response only that can be read.
//! Misses: other ways to divide the clusters; kernels that look at the bytes of a response in another way than by
//! `query_cancel`.

use super::bits;
use super::bulk::{From, Move, Transfer};
use super::copies::Extent;
use super::machine::Machine;
use super::outcome::{AccessKind, FaultKind};
use super::race::lanes;
use crate::base::Format;
use crate::ir::{Instr, Kernel};
use crate::isa::{Access, Answer, CopyOp, Effect, PhaserOp, Space, Strength};
use crate::term::Value;
use std::collections::BTreeSet;

/// Bytes of a response.
const BYTES: u32 = 16;

/// Which clusters of a launch may be taken over. By their numbers among those of the launch.
#[derive(Default)]
pub(super) struct Overtaken {
    /// Those that have neither begun nor been taken over; nothing of kernels that do not ask.
    open: Option<BTreeSet<usize>>,
    /// Those that have taken one.
    takers: BTreeSet<u32>,
    /// Those that have read that there is none.
    refused: BTreeSet<u32>,
}

impl Overtaken {
    /// A launch of so many clusters begins.
    pub(super) fn of(kernel: &Kernel, clusters: usize) -> Self {
        let asks = |instr: &Instr| matches!(instr.effect, Effect::Copy(CopyOp::TakeOver { .. }));
        let open = kernel.code.iter().any(asks).then(|| (0..clusters).collect());
        Overtaken { open, ..Overtaken::default() }
    }

    /// A cluster begins; whether it does, and nobody has taken it over.
    pub(super) fn begins(&mut self, cluster: usize) -> bool {
        self.open.as_mut().is_none_or(|open| open.remove(&cluster))
    }

    /// A cluster takes over another one, if there is one that it gets in this world.
    fn take(&mut self, by: u32, choice: u32) -> Option<usize> {
        let open = self.open.as_mut()?;
        let taken = match choice {
            0 => open.pop_first(),
            1 => None,
            _ if self.takers.contains(&by) => None,
            _ => open.pop_last(),
        }?;
        self.takers.insert(by);
        Some(taken)
    }
}

impl Machine<'_> {
    /// Each lane asks for a cluster that has not begun.
    pub(super) fn ask_for_cluster(&mut self, index: usize, pc: u32, mask: u32, all: bool) {
        let src = self.kernel.src(&self.kernel.code[pc as usize]);
        let known = self.concrete_lanes(index, pc, mask, src[1], "the address of the barrier object");
        if known == 0 {
            return;
        }
        let Some(addresses) = self.addresses(index, pc, known) else { return };
        let ranks = all.then(|| (1 << self.ranks) - 1);
        for lane in lanes(known) {
            if self.overtaken.refused.contains(&self.cta_index) {
                let why = "it asks for another thread block after it has read that there is none, so what it does is undefined";
                self.park(index, 1 << lane, pc, FaultKind::Unsupported(why.to_owned()));
                continue;
            }
            let taken = self.overtaken.take(self.cta_index, self.options.world.choice);
            let first = taken.map(|cluster| self.setup.launch.ctas[cluster * self.ranks as usize]);
            let words: Vec<Value> = match first {
                Some(first) => first.iter().chain([&1]).map(|word| Value::Concrete((*word).into())).collect(),
                None => vec![Value::NEVER, Value::NEVER, Value::NEVER, Value::Concrete(0)],
            };
            let counter = self.warps[index].word(src[1], lane);
            let places = ((addresses[lane as usize], Some(counter)), false);
            for (to, counter) in self.destinations(index, pc, lane, places, ranks) {
                let counter =
                    counter.and_then(|counter| self.object(index, pc, lane, PhaserOp::Expect, counter));
                let Some(counter) = counter else { continue };
                let access =
                    Access { space: Space::Shared, format: Format::B32, vector: 4, strength: Strength::Weak };
                let spot = self.aligned_spot(index, pc, lane, access, AccessKind::Write, to, BYTES, BYTES);
                let Some((region, to)) = spot else { continue };
                let moves = words.iter().zip((to..).step_by(4));
                let moves =
                    moves.map(|(word, to)| Move { from: From::Register(*word), to, bytes: 4 }).collect();
                let target = Extent::one(region, to, BYTES.into());
                let transfer = Transfer { target, source: None, map: None, moves, step: 4, update: None };
                let flight = self.start_transfer(index, pc, lane, transfer);
                self.let_fly(index, pc, lane, flight, Some((counter, BYTES)));
            }
        }
    }

    /// Each lane reads a response.
    pub(super) fn read_response(&mut self, index: usize, pc: u32, mask: u32, answer: Answer) {
        let instr = &self.kernel.code[pc as usize];
        let (dst, src) = (self.kernel.dst(instr), self.kernel.src(instr));
        for lane in lanes(mask) {
            let [low, high] = [0, 1].map(|half| self.warps[index].get(src[half], lane));
            let mut word = |at: u32| {
                let half = if at < 2 { low } else { high };
                bits::slice(&mut self.terms, half, 64, at % 2 * 32, 32)
            };
            let read = match answer {
                Answer::Axis(axis) => vec![word(axis.into())],
                Answer::First => vec![word(0), word(1), word(2), Value::NEVER],
                Answer::Taken => vec![word(3)],
            };
            if read == [Value::Concrete(0)] && answer == Answer::Taken {
                self.overtaken.refused.insert(self.cta_index);
            }
            for (reg, value) in dst.iter().zip(read) {
                self.warps[index].set(*reg, lane, value);
            }
        }
    }
}
