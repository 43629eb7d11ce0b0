//! What was written to a place and read of it by strong accesses: one history, the same for all threads.

use super::asked::Asked;
use super::bits::mask as low_bits;
use super::clock::{Arrival, Clocks};
use super::outcome::Site;
use super::race::Kind;
use crate::base::Format;
use crate::isa::{AtomicOp, Scope};
use crate::term::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A place: the CTA for shared memory (0 for global), region and offset.
pub(super) type Key = (u32, usize, u64);

/// What an update does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Update {
    pub(super) kind: Kind,
    /// By what, if that says it all.
    pub(super) operand: Option<Value>,
}

/// What a write tells whoever sees it.
pub(super) type Released = Rc<[Release]>;

/// What a thread had done and knew at one of its fences or releasing writes, for those who acquire it.
#[derive(Clone)]
pub(super) struct Release {
    pub(super) arrival: Arrival,
    /// For whom.
    pub(super) scope: Scope,
    /// It is that of `fence.sc` before the write, by whatever thread: who sees the write learns it at a `fence.sc`
    /// of its own, which comes after that one in the order of all of them.
    pub(super) sequential: bool,
    /// Of the fences before it: what is of use to those whom its reader tells.
    pub(super) past: Released,
    /// Fences that come before the thread's next `fence.sc`, and so before that of whoever learns this.
    pub(super) told: Released,
}

impl Release {
    /// Whether who learns the other learns this, too, at the same fences: not all of those who may acquire the one
    /// hand the other on.
    pub(super) fn is_within(&self, other: &Release) -> bool {
        let reaches = other.scope >= self.scope && self.sequential == other.sequential;
        reaches
            && match self.sequential {
                true => self.arrival.is_within(&other.arrival),
                false => Clocks::precedes(self.arrival.thread, self.arrival.epoch(), &other.arrival),
            }
    }
}

/// The history of a place.
pub(super) struct Place {
    pub(super) bytes: u32,
    pub(super) writes: Vec<Write>,
    pub(super) reads: Vec<Read>,
    /// How far threads that load have got.
    pub(super) progress: FxHashMap<u32, Progress>,
    /// Who has loaded here, or tried, and when last.
    pub(super) readers: FxHashMap<u32, (u32, u32)>,
    /// What threads have seen on a way back on which they met others, who know of it now.
    pub(super) told: FxHashMap<u32, usize>,
}

/// How far a thread has got in the history of a place.
#[derive(Clone, Copy, Default)]
pub(super) struct Progress {
    /// It went on with so many writes.
    pub(super) passed: usize,
    /// With fewer than so many it only waits.
    pub(super) tried: usize,
    /// What it has loaded, of which it will show whether it goes on with that.
    pub(super) last: usize,
}

pub(super) struct Write {
    pub(super) value: Value,
    /// Who, with what it knew; `None` for what was there before the kernel.
    pub(super) by: Option<Arrival>,
    pub(super) pc: u32,
    pub(super) scope: Option<Scope>,
    /// For an update, what it does.
    pub(super) update: Option<Update>,
    pub(super) released: Released,
    /// All earlier writes are before this one.
    pub(super) last: bool,
}

/// A load that let its thread go on.
pub(super) struct Read {
    /// What it saw, and how many writes there were.
    pub(super) at: usize,
    pub(super) of: usize,
    pub(super) thread: u32,
    pub(super) epoch: u32,
    pub(super) pc: u32,
    pub(super) site: Site,
    /// What it is loaded for, if that is no more than a way to go.
    pub(super) asked: Option<Asked>,
    /// Everything up to what it saw is before it in every schedule, and nothing else was written yet.
    pub(super) knows: bool,
}

impl Write {
    /// An update by a value that is the same wherever it says so.
    pub(super) fn adds_known(&self) -> bool {
        matches!(self.update, Some(Update { operand: Some(Value::Concrete(_)), .. }))
    }

    /// What an update adds to integers.
    fn summand(&self) -> Option<(u64, Format)> {
        match self.update {
            Some(Update { kind: (AtomicOp::Add, format, _), operand: Some(Value::Concrete(word)) })
                if !format.is_float() =>
            {
                Some((word, format))
            }
            _ => None,
        }
    }
}

impl Place {
    /// The writes after what a load saw that some schedule puts before the load.
    pub(super) fn late<'p>(&'p self, read: &'p Read) -> impl Iterator<Item = (usize, &'p Write)> {
        let later = self.writes.iter().enumerate().skip(read.at + 1);
        later.filter(|(at, write)| {
            let after = |by| Clocks::precedes(read.thread, read.epoch, by);
            *at < read.of || !write.by.as_ref().is_some_and(after)
        })
    }

    /// Whether who acquires another write can rely on all that one gave.
    pub(super) fn gives(&self, one: usize, write: &Write) -> bool {
        let given = &self.writes[one].released;
        given.iter().all(|given| write.released.iter().any(|other| given.is_within(other)))
    }

    /// Whether everything up to what a load saw is before another write in every schedule, by what its writer
    /// knows or has seen.
    pub(super) fn are_before(&self, read: &Read, (at, write): (usize, &Write)) -> bool {
        let Some(by) = &write.by else { return false };
        let seen = |other: &Read| {
            other.at >= read.at && other.of <= at && Clocks::precedes(other.thread, other.epoch, by)
        };
        if self.reads.iter().any(seen) {
            return true;
        }
        let before = |other: &Write| {
            other.by.as_ref().is_none_or(|other| Clocks::precedes(other.thread, other.epoch(), by))
        };
        // From the last on, until one that all earlier ones are before.
        for other in self.writes[..=read.at].iter().rev() {
            if !before(other) {
                return false;
            }
            if other.last {
                return true;
            }
        }
        true
    }

    // ---- what other schedules do -----------------------------------------------------------

    /// The spans of the history: the first and the last write of each. Every schedule fills a span with the same
    /// writes, in one order or another.
    pub(super) fn spans(&self) -> Vec<[usize; 2]> {
        let count = self.writes.len();
        if self.writes.iter().all(|write| write.last) {
            return (1..count).map(|at| [at, at]).collect();
        }
        let mut early = vec![0usize; count + 1];
        (1..count).for_each(|at| early[self.earliest(at)] += 1);
        let (mut spans, mut from, mut placed) = (Vec::new(), 1, 0);
        for (at, new) in early.iter().enumerate().take(count).skip(1) {
            placed += new;
            // All that may stand up to here, and no more than fit.
            if placed == at {
                spans.push([from, at]);
                from = at + 1;
            }
        }
        spans
    }

    /// The first position at which a write stands in some schedule, at least: others are before it, or what its
    /// writer has seen.
    fn earliest(&self, at: usize) -> usize {
        let Some(by) = &self.writes[at].by else { return at };
        let mut before = 0;
        for (other, write) in self.writes.iter().enumerate().take(at).skip(1).rev() {
            let known = write.by.as_ref().is_none_or(|one| Clocks::precedes(one.thread, one.epoch(), by));
            before += usize::from(known);
            if known && write.last {
                before += other - 1;
                break;
            }
        }
        let seen = |read: &&Read| read.of <= at && Clocks::precedes(read.thread, read.epoch, by);
        let seen = self.reads.iter().filter(seen).map(|read| read.at).max();
        before.max(seen.unwrap_or(0)) + 1
    }

    /// Whether updates are all the same, so that what they leave does not depend on their order.
    pub(super) fn are_like(&self, [from, to]: [usize; 2]) -> bool {
        let own = &self.writes[from..=to];
        own.iter().all(|write| write.adds_known() && write.update == own[0].update)
    }

    /// What an update in a span may find there; `None` if that is not known.
    pub(super) fn found_by(&self, at: usize, [from, to]: [usize; 2], most: usize) -> Option<Vec<u64>> {
        let word = |at: usize| match self.writes[at].value {
            Value::Concrete(word) => Some(word),
            Value::Symbolic(_) | Value::Undefined(_) => None,
        };
        if to - from >= most {
            return None;
        }
        if from == to || self.are_like([from, to]) {
            let mut words = (from - 1..to).map(word).collect::<Option<Vec<u64>>>()?;
            words.sort_unstable();
            words.dedup();
            return Some(words);
        }
        let others = (from..=to).filter(|other| *other != at);
        self.sums(word(from - 1)?, others, most)
    }

    /// The words that a load shows which saw one position, or any of these writes after it, in whatever order they
    /// come; `None` if that is not known, or too much.
    pub(super) fn shown(
        &self,
        at: usize,
        late: &[usize],
        spans: &[[usize; 2]],
        most: usize,
    ) -> Option<Vec<u64>> {
        let word = |at: usize| match self.writes[at].value {
            Value::Concrete(word) => Some(word),
            Value::Symbolic(_) | Value::Undefined(_) => None,
        };
        let mut words = vec![word(at)?];
        for span @ [from, to] in spans.iter().copied().filter(|[_, to]| *to > at) {
            let own = late.iter().copied().filter(|at| (from..=to).contains(at));
            if from == to || self.are_like(span) {
                own.clone().try_for_each(|at| word(at).map(|word| words.push(word)))?;
            } else if own.clone().next().is_some() {
                // Whoever went on with some of them is judged elsewhere.
                let start = if at < from { word(from - 1)? } else { return None };
                words.extend(self.sums(start, own, most)?);
            }
        }
        Some(words)
    }

    /// What a span holds while not all of its updates have been made.
    pub(super) fn partial_sums(&self, [from, to]: [usize; 2], most: usize) -> Option<Vec<u64>> {
        let Value::Concrete(word) = self.writes[from - 1].value else { return None };
        let (mut found, mut left_out) = (BTreeSet::new(), BTreeSet::new());
        for missing in from..=to {
            // Of updates that add the same, any may be the missing one.
            if left_out.insert(self.writes[missing].summand()?.0) {
                found.extend(self.sums(word, (from..=to).filter(|at| *at != missing), most)?);
            }
        }
        Some(found.into_iter().collect())
    }

    /// What some of these updates make of a word, in any order, none and all of them included; `None` if that is
    /// not known, or too much.
    pub(super) fn sums(
        &self,
        word: u64,
        updates: impl Iterator<Item = usize>,
        most: usize,
    ) -> Option<Vec<u64>> {
        let mut sums = BTreeSet::from([word]);
        for at in updates {
            let (summand, format) = self.writes[at].summand()?;
            let added = |word: &u64| low_bits(word.wrapping_add(summand), format.bits());
            let more: Vec<u64> = sums.iter().map(added).collect();
            sums.extend(more);
            if sums.len() > most {
                return None;
            }
        }
        Some(sums.into_iter().collect())
    }
}
