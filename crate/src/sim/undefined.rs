//! What nobody wrote: where it comes from, and where it decides.
//!
//! Reading what nobody wrote is no fault. Missing bits travel with the value ([`super::gaps`]), and are one
//! where they decide an address, a branch, whether an access happens, or how threads meet, and
//! where they are left in an output. The report then names both places.
//!
//! A thread that decides by missing bits goes on as if they were zeros, which is one of the ways in which the kernel
//! may run, so that what lies behind is found as well: a race counts before what it may cause. Other
//! faults of a thread that was misled are consequences and not listed. A thread that has decided so
//! at one instruction [`PATIENCE`] times stops there, so that no loop runs on what nobody wrote for ever.
//!
//! Under a condition on the inputs, missing bits are suspects (`suspects`): the thread goes on with what is
//! there where the condition does not hold.
//!
//! Guarantees: no verdict rests on a bit that nobody wrote.

use super::gaps;
use super::machine::Machine;
use super::outcome::{Decides, FaultKind, Site, Unwritten};
use super::race::lanes;
use crate::ir::{Guard, Reg, RegisterKind};
use crate::isa::{Effect, Space, WARP};
use crate::term::{Gap, Missing, Origin, Term, Terms, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How often a thread may decide by missing bits at one instruction.
const PATIENCE: u32 = 64;

/// Where a value was first read: the instruction, the region (none for local memory), the offset.
type Reading = (u32, Option<usize>, u64);

/// What a run knows of missing bits.
#[derive(Default)]
pub(super) struct Unknowns {
    /// What each register holds at first.
    gaps: Vec<Gap>,
    /// What the origins behind those of the registers stand for.
    sources: Vec<Unwritten>,
    readings: BTreeMap<Reading, Origin>,
    /// Who stored values that lack bits.
    stored: BTreeMap<(usize, u64), Site>,
    /// How often a thread decided by missing bits at an instruction.
    decisions: BTreeMap<(u32, u32), u32>,
    /// Threads that did.
    misled: BTreeSet<u32>,
}

impl Unknowns {
    /// Of a run with these registers.
    pub(super) fn new(terms: &mut Terms, registers: &[RegisterKind]) -> Unknowns {
        let gap = |(at, _): (usize, &RegisterKind)| {
            let missing = Missing { origin: Origin(at as u32 + 1), when: Term::TRUE, bits: u64::MAX };
            match terms.incomplete(Value::Concrete(0), vec![missing]) {
                Value::Undefined(gap) => gap,
                Value::Concrete(_) | Value::Symbolic(_) => Gap::NEVER,
            }
        };
        let gaps = registers.iter().enumerate().map(gap).collect();
        terms.count_gaps_from_here();
        Unknowns { gaps, ..Unknowns::default() }
    }

    /// What each register holds at first.
    pub(super) fn registers(&self) -> &[Gap] {
        &self.gaps
    }

    fn enter(&mut self, source: Unwritten) -> Origin {
        self.sources.push(source);
        Origin((self.gaps.len() + self.sources.len()) as u32)
    }

    /// Whether what one of these threads does may follow from what nobody wrote.
    pub(super) fn has_misled(&self, mut threads: impl Iterator<Item = u32>) -> bool {
        !self.misled.is_empty() && threads.any(|thread| self.misled.contains(&thread))
    }

    /// Whether some thread has decided by what nobody wrote.
    pub(super) fn has_misled_any(&self) -> bool {
        !self.misled.is_empty()
    }
}

impl<'a> Machine<'a> {
    // ---- where missing bits come from ------------------------------------------------------

    /// A value as a lane reads it from memory: bits that were never written come from there.
    #[inline]
    pub(super) fn as_read(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        (region, offset): (Option<usize>, u64),
        bytes: u32,
        value: Value,
    ) -> Value {
        match value {
            Value::Undefined(_) => self.as_first_read((index, pc, lane), (region, offset), bytes, value),
            whole => whole,
        }
    }

    #[inline(never)]
    fn as_first_read(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        (region, offset): (Option<usize>, u64),
        bytes: u32,
        value: Value,
    ) -> Value {
        let mut missing = self.terms.missing(value).to_vec();
        for part in missing.iter_mut().filter(|part| part.origin == Origin::NEVER) {
            // A place of whole elements, unless parts of one are there.
            let at =
                (offset + u64::from(part.bits.trailing_zeros() / 8)) / u64::from(bytes) * u64::from(bytes);
            let key = (pc, region, at);
            part.origin = match self.unknowns.readings.get(&key) {
                Some(known) => *known,
                None => {
                    let site = Site { instr: pc, thread: self.thread(self.warps[index].first() + lane) };
                    let place = match region {
                        Some(region) => self.region_place(region, at, bytes),
                        None => self.local_place(at, bytes),
                    };
                    let origin = self.unknowns.enter(Unwritten::Memory(place, site));
                    self.unknowns.readings.insert(key, origin);
                    origin
                }
            };
        }
        let present = self.terms.present(value);
        self.terms.incomplete(present, missing)
    }

    /// What a lane gets that nobody gives.
    pub(super) fn nothing_from(&mut self, source: Unwritten) -> Value {
        self.nothing_again(None, source).1
    }

    /// The same, of one source for all who ask with the origin that it returned.
    pub(super) fn nothing_again(&mut self, known: Option<Origin>, source: Unwritten) -> (Origin, Value) {
        let origin = known.unwrap_or_else(|| self.unknowns.enter(source));
        let missing = Missing { origin, when: Term::TRUE, bits: u64::MAX };
        (origin, self.terms.incomplete(Value::Concrete(0), vec![missing]))
    }

    fn unwritten(&mut self, origin: Origin, reg: Option<Reg>) -> Unwritten {
        let registers = self.unknowns.gaps.len();
        let at = origin.0 as usize;
        match (at.checked_sub(registers + 1).and_then(|at| self.unknowns.sources.get(at)), reg) {
            (Some(source), _) => {
                if let (Unwritten::Racing(..), Some(idle)) = (source, &mut self.idle) {
                    idle.used = true;
                }
                source.clone()
            }
            (None, _) if (1..=registers).contains(&at) => {
                Unwritten::Register(self.register_name(Reg(at as u32 - 1)))
            }
            (None, Some(reg)) => Unwritten::Register(self.register_name(reg)),
            (None, None) => Unwritten::Register("a register".to_owned()),
        }
    }

    // ---- where they decide -----------------------------------------------------------------

    /// Where missing bits of a value come from that may be missing under the lane's present
    /// conditions, and under which condition any are.
    fn lacks(&mut self, (index, lane): (usize, u32), value: Value, bits: u64) -> Option<(Missing, Term)> {
        let guard = self.condition(index, lane);
        let mut found: Option<(Missing, Term)> = None;
        for missing in self.terms.missing(value).to_vec() {
            let when = self.terms.both(guard, missing.when);
            if missing.bits & bits == 0 || !gaps::is_possible(&self.terms, when) {
                continue;
            }
            found = Some(match found {
                Some((first, before)) => (first, self.terms.or(before, when)),
                None => (missing, when),
            });
        }
        found
    }

    /// A register decides something. On lanes that lack bits of it under the present conditions this is a
    /// fault, and they are returned; afterwards all lanes hold what is there.
    pub(super) fn decide(&mut self, index: usize, pc: u32, mask: u32, reg: Reg, what: &str) -> u32 {
        let bits = match self.kernel.registers[reg.index()] {
            RegisterKind::Virtual { bits: 1 } => 1,
            _ => u64::MAX,
        };
        let mut found = 0;
        for lane in lanes(self.warps[index].undefined(reg) & mask) {
            let value = self.warps[index].get(reg, lane);
            if let Some((missing, condition)) = self.lacks((index, lane), value, bits) {
                let from = self.unwritten(missing.origin, Some(reg));
                let kind = FaultKind::Uninitialized(from, Decides::Use(what.to_owned()));
                if condition == Term::TRUE {
                    self.list(index, 1 << lane, pc, kind);
                    found |= 1 << lane;
                } else {
                    // Where the condition does not hold, what is there is what was written.
                    self.suspect_under(index, lane, pc, &kind, condition);
                }
            }
            let present = self.terms.present(value);
            self.warps[index].set(reg, lane, present);
        }
        found
    }

    /// A predicate of which lanes of `mask` lack the bit guards the instruction at `pc`. Returns the
    /// lanes that are done with it.
    #[inline(never)]
    pub(super) fn guarded_by_nothing(&mut self, index: usize, pc: u32, mask: u32, guard: Guard) -> u32 {
        let effect = &self.kernel.code[pc as usize].effect;
        if matches!(
            effect,
            Effect::Lanewise(_) | Effect::Move { .. } | Effect::Pack { .. } | Effect::Unpack { .. }
        ) {
            self.perhaps(index, pc, mask, guard);
            return mask;
        }
        let what = if matches!(effect, Effect::Branch) { "a branch" } else { "whether this is executed" };
        let misled = self.decide(index, pc, mask, guard.predicate, what);
        let first = self.warps[index].first();
        let mut stopped = 0;
        for lane in lanes(misled) {
            self.unknowns.misled.insert(first + lane);
            let times = self.unknowns.decisions.entry((first + lane, pc)).or_insert(0);
            *times += 1;
            stopped |= u32::from(*times > PATIENCE) << lane;
        }
        if stopped != 0 {
            self.halt(index, stopped);
        }
        stopped
    }

    /// A pure instruction that lanes may or may not execute: nobody wrote what says so.
    fn perhaps(&mut self, index: usize, pc: u32, mask: u32, guard: Guard) {
        let kernel = self.kernel;
        let dst = kernel.dst(&kernel.code[pc as usize]);
        let before: Vec<[Value; WARP]> = dst
            .iter()
            .map(|reg| std::array::from_fn(|lane| self.warps[index].get(*reg, lane as u32)))
            .collect();
        let says: [Value; WARP] =
            std::array::from_fn(|lane| self.warps[index].get(guard.predicate, lane as u32));
        self.execute(index, pc, mask);
        for (reg, before) in dst.iter().zip(before) {
            for lane in lanes(mask & !self.warps[index].faulted) {
                let (now, then) = (self.warps[index].get(*reg, lane), before[lane as usize]);
                let (yes, no) = if guard.negated { (then, now) } else { (now, then) };
                let format = super::predicate::format_of(&kernel.registers[reg.index()]);
                let value = gaps::select(&mut self.terms, format, [yes, no, says[lane as usize]]);
                self.warps[index].set(*reg, lane, value);
            }
        }
    }

    /// The lanes of an access whose address is known; those by whose address nobody has written go on
    /// without it, and what they load nobody has written either.
    pub(super) fn follow(&mut self, index: usize, pc: u32, mask: u32) -> u32 {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let base = kernel.src(instr)[0];
        let undefined = self.warps[index].undefined(base) & mask;
        if undefined == 0 {
            return mask;
        }
        let addresses: [Value; WARP] = std::array::from_fn(|lane| self.warps[index].get(base, lane as u32));
        let lost = self.decide(index, pc, undefined, base, "an address");
        for lane in lanes(lost) {
            let missing = gaps::spread(self.terms.missing(addresses[lane as usize]), u64::MAX);
            let value = self.terms.incomplete(Value::Concrete(0), missing);
            for reg in kernel.dst(instr) {
                self.warps[index].set(*reg, lane, value);
            }
        }
        mask & !lost
    }

    // ---- where they are left ---------------------------------------------------------------

    /// Remembers who stores a value that lacks bits.
    #[inline]
    pub(super) fn note_stored(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        at: (usize, u64),
        value: Value,
    ) {
        if let Value::Undefined(_) = value
            && self.memory.regions[at.0].space == Space::Global
        {
            let site = Site { instr: pc, thread: self.thread(self.warps[index].first() + lane) };
            self.unknowns.stored.insert(at, site);
        }
    }

    /// What an element of an output holds in the end, as far as somebody wrote it: bits that were read
    /// where nobody had written them are a fault; where nobody has written the element under some conditions, it has no
    /// value under them.
    pub(super) fn left(
        &mut self,
        region: usize,
        offset: u64,
        bytes: u32,
        value: Value,
    ) -> (Value, Option<Term>) {
        let missing = self.terms.missing(value).to_vec();
        let mut unwritten = Term::FALSE;
        for part in missing {
            if !gaps::is_possible(&self.terms, part.when) {
                continue;
            }
            if part.origin == Origin::NEVER {
                unwritten = self.terms.or(unwritten, part.when);
                continue;
            }
            let from = self.unwritten(part.origin, None);
            let place = self.region_place(region, offset, bytes);
            let before = offset.saturating_sub(15);
            let stored = self.unknowns.stored.range((region, before)..(region, offset + u64::from(bytes)));
            let site = stored.last().map(|(_, site)| *site);
            let kind = FaultKind::Uninitialized(from, Decides::Output(place));
            if part.when != Term::TRUE {
                self.suspect_at(site, &kind, part.when);
                continue;
            }
            self.list_at(site, kind);
            return (Value::NEVER, None);
        }
        if unwritten == Term::TRUE {
            return (Value::NEVER, None);
        }
        (self.terms.present(value), Some(unwritten).filter(|unwritten| *unwritten != Term::FALSE))
    }
}
