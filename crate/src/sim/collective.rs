//! Warp-level meetings: `bar.warp.sync`, shuffles, votes, matches, reductions, elections.
//!
//! The lanes that the member mask names meet, wherever each of them stands, once all of them that
//! have not returned execute the same kind of instruction with the same mask: the manual has them wait
//! for "all non-exited threads" of the mask (`shfl`, `vote`, `match`, `redux`; PTX ISA 9.0, 9.7.9.6 and
//! 9.7.13). Of `bar.warp.sync` and `elect` it says "all threads"; that lanes which have returned count as
//! come there too, as CUDA's guide has it for `__syncwarp`, is a line in the ledger. Only `bar.warp.sync` orders memory, unless the option
//! `collectives_order_memory` asks for the paper's reading: then every collective, matrix instructions
//! too, orders its lanes before and after it. Reading a lane that does not take part gives an undefined
//! value, as the manual says.
//!
//! A lane that is not in its own mask is a fault. So is a mask that names a lane which executes the same
//! kind of instruction, unordered with this, with a mask of others, and returns without having come with
//! this one (if it does not return, that is a deadlock). Lanes that return without either count as come.
//! Matrix instructions need all lanes: one that has returned is a fault.

use super::barrier::Wait;
use super::bits::{as_bits, as_condition, as_operand, plain, predicate};
use super::gaps::spread;
use super::machine::{Flow, Machine};
use super::outcome::{Fault, FaultKind, Misuse, Site, Unwritten};
use super::race::lanes;
use super::trace::{EventKind, SegmentKind};
use crate::base::Format;
use crate::isa::{
    CopyOp, Effect, MatchMode, MatrixOp, ReduceOp, ShuffleMode, TensorMemoryOp, VoteMode, WARP, WarpgroupOp,
};
use crate::term::{BitOp, Missing, Symbol, Term, Terms, Value};

/// Lanes that wait for the others of their member mask.
#[derive(Clone, Debug)]
pub(super) struct Rendezvous {
    members: u32,
    kind: u32,
    pub(super) arrived: u32,
    pcs: [u32; WARP],
}

impl Rendezvous {
    /// Members that have not come.
    pub(super) fn missing(&self) -> u32 {
        self.members & !self.arrived
    }
}

/// What is taken for granted where such a mask names lanes that have returned.
const RETURNED: &str =
    "lanes that have returned count as come where the mask of bar.warp.sync or elect.sync names them";

/// A lane's last collective: its kind, mask and instruction, and the lane's epoch then.
#[derive(Clone, Copy)]
pub(super) struct Came {
    kind: u32,
    members: u32,
    pc: u32,
    epoch: u32,
}

/// "lanes 0–15", "lane 3".
fn lanes_text(mask: u32) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for lane in lanes(mask) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => runs.push((lane, lane)),
        }
    }
    let run = |(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}–{last}"),
    };
    let runs: Vec<String> = runs.iter().map(run).collect();
    format!("{} {}", if mask.count_ones() == 1 { "lane" } else { "lanes" }, runs.join(", "))
}

/// "lane 3 has", "lanes 0–15 have".
fn have(mask: u32) -> String {
    format!("{} {}", lanes_text(mask), if mask.count_ones() == 1 { "has" } else { "have" })
}

/// Whether all 32 lanes have to execute an instruction together.
fn is_of_whole_warp(effect: &Effect) -> bool {
    matches!(effect, Effect::Matrix(_) | Effect::TensorMemory(_) | Effect::Copy(CopyOp::Publish))
}

/// Whether a warp that executes it goes on by itself, perhaps later.
fn is_wait(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Matrix(MatrixOp::Warpgroup(WarpgroupOp::Wait))
            | Effect::TensorMemory(TensorMemoryOp::Allocate { .. })
    )
}

/// Instructions meet only their own kind.
fn kind_of(effect: &Effect, pc: u32) -> u32 {
    match effect {
        Effect::WarpSync => 0,
        Effect::Shuffle(mode) => 1 + *mode as u32,
        Effect::Vote(mode) => 8 + *mode as u32,
        Effect::Match { mode, .. } => 16 + *mode as u32,
        Effect::Redux { op, .. } => 24 + *op as u32,
        Effect::Elect => 32,
        // All lanes must execute the very same instruction.
        _ => 64 + pc,
    }
}

impl<'a> Machine<'a> {
    /// Executes a warp-level collective for lanes that arrive together.
    pub(super) fn meet(&mut self, index: usize, pc: u32, mask: u32) -> Flow {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        if is_of_whole_warp(&instr.effect) {
            return self.meet_whole_warp(index, pc, mask);
        }
        let Some(member_reg) = kernel.src(instr).last().copied() else { return Flow::Next };
        let mut rest = self.concrete_lanes(index, pc, mask, member_reg, "the member mask");
        let words = *self.warps[index].lanes(member_reg);
        let mut all_done = rest == mask;
        while rest != 0 {
            let leader = rest.trailing_zeros();
            let members = words[leader as usize] as u32;
            let together = lanes(rest).filter(|lane| words[*lane as usize] as u32 == members);
            let together = together.fold(0, |lanes, lane| lanes | 1 << lane);
            rest &= !together;
            let strangers = together & !members;
            if strangers != 0 {
                let what = format!(
                    "executes `{}` with the member mask {members:#010x}, which does not name its own {}",
                    kernel.opcode(pc),
                    lanes_text(strangers)
                );
                self.park(index, strangers, pc, FaultKind::Misuse(Misuse::Mask, what));
            }
            let together = together & members;
            if together == 0 {
                all_done = false;
                continue;
            }
            self.come(index, pc, together, members);
            let required = members & self.warps[index].present & !self.warps[index].exited;
            if together == required && together == mask {
                self.check_absent(index, members, together, &[pc; WARP]);
                self.complete(index, members, together, &[pc; WARP]);
                return Flow::Next;
            }
            all_done = false;
            self.join_meeting(index, pc, together, members);
        }
        debug_assert!(!all_done || mask == 0);
        Flow::Leave
    }

    /// A meeting of all 32 lanes at one instruction.
    fn meet_whole_warp(&mut self, index: usize, pc: u32, mask: u32) -> Flow {
        if mask == u32::MAX {
            self.complete(index, mask, mask, &[pc; WARP]);
            // A wait for products, or for columns, lets the warp go on by itself.
            let waited = is_wait(&self.kernel.code[pc as usize].effect);
            return if waited { Flow::Leave } else { Flow::Next };
        }
        let warp = &self.warps[index];
        if warp.present & !warp.exited != u32::MAX {
            self.park_incomplete(index, pc, mask);
            return Flow::Next;
        }
        self.join_meeting(index, pc, mask, u32::MAX);
        Flow::Leave
    }

    /// Stops lanes that execute a matrix instruction though others of their warp have returned, or never
    /// were.
    fn park_incomplete(&mut self, index: usize, pc: u32, mask: u32) {
        let (warp, opcode) = (&self.warps[index], self.kernel.opcode(pc));
        let kind = match warp.present & warp.exited {
            0 => FaultKind::Unsupported(format!(
                "`{opcode}` needs all 32 lanes of the warp, which has {}",
                warp.threads
            )),
            gone => FaultKind::Misuse(
                Misuse::Warp,
                format!("executes `{opcode}`, which needs the whole warp; {} returned", have(gone)),
            ),
        };
        self.park(index, mask, pc, kind);
    }

    fn join_meeting(&mut self, index: usize, pc: u32, together: u32, members: u32) {
        let kind = kind_of(&self.kernel.code[pc as usize].effect, pc);
        let since = self.warps[index].step;
        let meetings = &mut self.meetings[index];
        let fits = |meeting: &Rendezvous| {
            meeting.members == members && meeting.kind == kind && meeting.arrived & together == 0
        };
        let at = meetings.iter().position(fits).unwrap_or_else(|| {
            meetings.push(Rendezvous { members, kind, arrived: 0, pcs: [0; WARP] });
            meetings.len() - 1
        });
        meetings[at].arrived |= together;
        let first = self.warps[index].first();
        for lane in lanes(together) {
            self.meetings[index][at].pcs[lane as usize] = pc;
            self.waits[(first + lane) as usize] = Some(Wait::Lanes { pc, since });
        }
        self.complete_meetings(index);
    }

    /// Completes the meetings of a warp whose members have all come or returned.
    pub(super) fn complete_meetings(&mut self, index: usize) {
        let exited = self.warps[index].exited | !self.warps[index].present;
        while let Some(at) = self.meetings[index].iter().position(|meeting| meeting.missing() & !exited == 0)
        {
            let meeting = self.meetings[index].remove(at);
            let first = self.warps[index].first();
            let pc = meeting.pcs[meeting.arrived.trailing_zeros() as usize];
            if is_of_whole_warp(&self.kernel.code[pc as usize].effect) && meeting.missing() != 0 {
                lanes(meeting.arrived).for_each(|lane| self.waits[(first + lane) as usize] = None);
                self.park_incomplete(index, pc, meeting.arrived);
                continue;
            }
            self.check_absent(index, meeting.members, meeting.arrived, &meeting.pcs);
            self.complete(index, meeting.members, meeting.arrived, &meeting.pcs);
            let step = self.warps[index].step;
            let waited = is_wait(&self.kernel.code[pc as usize].effect);
            for lane in lanes(meeting.arrived & !self.warps[index].faulted).filter(|_| !waited) {
                let pc = meeting.pcs[lane as usize];
                if let Some(Wait::Lanes { since, .. }) = self.waits[(first + lane) as usize].take() {
                    self.trace.segment(index as u32, (since, step), 1 << lane, SegmentKind::WaitWarp, pc);
                }
                self.warps[index].resume(pc + 1, 1 << lane);
            }
        }
    }

    /// The lanes meet; each stands at its own instruction.
    fn complete(&mut self, index: usize, members: u32, met: u32, pcs: &[u32; WARP]) {
        self.stats.warp_syncs += 1;
        self.warps[index].meet(met);
        let kernel = self.kernel;
        let leader = met.trailing_zeros() as usize;
        if self.locks.is_some() {
            let first = self.warps[index].first();
            let came = met | members & self.warps[index].exited;
            self.lock_meeting(lanes(came).map(|lane| first + lane), lanes(met).map(|lane| first + lane));
        }
        self.trace.event(index as u32, self.warps[index].step, met, pcs[leader], EventKind::Collective);
        let orders = self.options.collectives_order_memory;
        if orders {
            self.order_warp(index, members, met);
        }
        match kernel.code[pcs[leader] as usize].effect {
            Effect::WarpSync if orders => {}
            Effect::WarpSync => self.order_warp(index, members, met),
            Effect::Matrix(op) if met == u32::MAX => {
                self.matrix(index, pcs[leader], op);
                if orders {
                    // What it loads and stores itself comes before what its lanes do then.
                    self.order_warp(index, members, met);
                }
            }
            Effect::TensorMemory(op) => self.on_tensor_memory(index, pcs[leader], met, op),
            Effect::Copy(op) => self.copy(index, pcs[leader], met, op),
            Effect::Shuffle(mode) => self.shuffle(index, met, pcs, mode),
            Effect::Vote(mode) => self.vote(index, met, pcs, mode),
            Effect::Match { mode, bits } => self.match_lanes(index, met, pcs, mode, bits),
            Effect::Redux { op, format } => self.redux(index, met, pcs, op, format),
            Effect::Elect => {
                // Any member may be elected.
                let leader = match self.options.world.choice {
                    0 => leader,
                    1 => met.ilog2() as usize,
                    _ => {
                        (if met.is_power_of_two() { met } else { met & (met - 1) }).trailing_zeros() as usize
                    }
                };
                for lane in lanes(met) {
                    let instr = &kernel.code[pcs[lane as usize] as usize];
                    let dst = kernel.dst(instr);
                    self.warps[index].set(dst[0], lane, Value::Concrete(leader as u64));
                    if let Some(second) = dst.get(1) {
                        self.warps[index].set(
                            *second,
                            lane,
                            Value::Concrete(u64::from(lane as usize == leader)),
                        );
                    }
                }
            }
            _ => {}
        }
    }

    /// Notes with which mask lanes come to a collective.
    fn come(&mut self, index: usize, pc: u32, together: u32, members: u32) {
        let kind = kind_of(&self.kernel.code[pc as usize].effect, pc);
        let first = self.warps[index].first();
        for lane in lanes(together) {
            let thread = first + lane;
            self.came[thread as usize] = Some(Came { kind, members, pc, epoch: self.clocks.epoch(thread) });
        }
    }

    /// Lanes meet without some that the mask names, because those have returned.
    fn check_absent(&mut self, index: usize, members: u32, met: u32, pcs: &[u32; WARP]) {
        let absent = members & !met & self.warps[index].exited & self.warps[index].present;
        if absent == 0 {
            return;
        }
        let first = self.warps[index].first();
        let pc = pcs[met.trailing_zeros() as usize];
        let kind = kind_of(&self.kernel.code[pc as usize].effect, pc);
        let (global, me) = (self.first_thread + first, first + met.trailing_zeros());
        let other = lanes(absent).find_map(|lane| {
            let came = self.came[(first + lane) as usize]?;
            let unordered = !self.clocks.ordered(global + lane, came.epoch, me);
            // With a mask that names one of these it has met them before.
            let elsewhere = came.members & met == 0;
            (came.kind == kind && elsewhere && unordered).then_some((lane, came))
        });
        let Some((lane, came)) = other else {
            if matches!(self.kernel.code[pc as usize].effect, Effect::WarpSync | Effect::Elect) {
                let noted = self.granted.entry(RETURNED).or_insert((0, pc));
                noted.0 += u64::from(absent.count_ones());
            }
            return;
        };
        let what = format!(
            "executes `{}` with the member mask {members:#010x}; {} named in it {} not come, and lane {lane} executes `{}` with the mask {:#010x} instead",
            self.kernel.opcode(pc),
            lanes_text(absent),
            if absent.count_ones() == 1 { "does" } else { "do" },
            self.kernel.opcode(came.pc),
            came.members
        );
        let site = Site { instr: pc, thread: self.thread(me) };
        let known = |fault: &Fault| {
            matches!(fault.kind, FaultKind::Misuse(Misuse::Mask, _))
                && fault.site.is_some_and(|site| site.instr == pc)
        };
        if !self.faults.iter().any(known) {
            let kind = FaultKind::Misuse(Misuse::Mask, what);
            self.faults.push(Fault::new(kind, Some(site)));
        }
    }

    /// Everything that the lanes did comes before everything that they do from now on.
    pub(super) fn order_warp(&mut self, index: usize, members: u32, met: u32) {
        let first = self.warps[index].first();
        let mut arrivals: Vec<_> = lanes(met).map(|lane| self.clocks.arrive(first + lane)).collect();
        // Members that have returned count as arrived: their return comes before this.
        let gone = members & self.warps[index].exited;
        let returned = self.returned.iter().filter(|arrival| {
            let lane = self.clocks.local(arrival).wrapping_sub(first);
            lane < WARP as u32 && gone >> lane & 1 == 1
        });
        arrivals.extend(returned.cloned());
        let met: Vec<u32> = lanes(met).map(|lane| first + lane).collect();
        self.clocks.join(&arrivals, met.iter().copied());
        self.signal_meeting(met.iter().copied());
    }

    fn source(&self, index: usize, pcs: &[u32; WARP], lane: u32, at: usize) -> Value {
        let instr = &self.kernel.code[pcs[lane as usize] as usize];
        self.warps[index].get(self.kernel.src(instr)[at], lane)
    }

    fn shuffle(&mut self, index: usize, met: u32, pcs: &[u32; WARP], mode: ShuffleMode) {
        let kernel = self.kernel;
        let mut values = [Value::NEVER; WARP];
        for lane in lanes(met) {
            values[lane as usize] = self.source(index, pcs, lane, 0);
        }
        for lane in lanes(met) {
            let pc = pcs[lane as usize];
            let instr = &kernel.code[pc as usize];
            for reg in &kernel.src(instr)[1..3] {
                self.decide(index, pc, 1 << lane, *reg, "the partner of a shuffle");
            }
            let (Value::Concrete(b), Value::Concrete(c)) =
                (self.source(index, pcs, lane, 1), self.source(index, pcs, lane, 2))
            else {
                let why = "the partner of a shuffle depends on input data".to_owned();
                self.park(index, 1 << lane, pc, FaultKind::NotStructured(why));
                continue;
            };
            let (partner, valid) = partner(mode, lane, b as u32, c as u32);
            let from = if valid { partner } else { lane };
            let value = if met >> from & 1 == 1 {
                values[from as usize]
            } else {
                let site = Site { instr: pc, thread: self.thread(self.warps[index].first() + lane) };
                self.nothing_from(Unwritten::Lane(from, site))
            };
            let dst = kernel.dst(instr);
            self.warps[index].set(dst[0], lane, value);
            if let Some(second) = dst.get(1) {
                self.warps[index].set(*second, lane, Value::Concrete(u64::from(valid)));
            }
        }
    }

    fn vote(&mut self, index: usize, met: u32, pcs: &[u32; WARP], mode: VoteMode) {
        let kernel = self.kernel;
        let mut conditions = [Term::FALSE; WARP];
        let mut missing = Vec::new();
        let mut there = [Term::FALSE; WARP];
        for lane in lanes(met) {
            let value = self.source(index, pcs, lane, 0);
            let present = self.terms.present(value);
            conditions[lane as usize] = as_condition(&mut self.terms, present).unwrap_or(Term::FALSE);
            let lacks: Vec<_> =
                self.terms.missing(value).iter().filter(|missing| missing.bits & 1 == 1).copied().collect();
            let whens = lacks.iter().fold(Term::FALSE, |any, missing| self.terms.or(any, missing.when));
            there[lane as usize] = self.terms.not(whens);
            missing.extend(lacks.into_iter().map(|missing| (lane, missing)));
        }
        let all = lanes(met).fold(Term::TRUE, |all, lane| self.terms.and(all, conditions[lane as usize]));
        let any = lanes(met).fold(Term::FALSE, |any, lane| self.terms.or(any, conditions[lane as usize]));
        let value = match mode {
            VoteMode::All => predicate(all),
            VoteMode::Any => predicate(any),
            VoteMode::Uniform => {
                let none = self.terms.not(any);
                predicate(self.terms.or(all, none))
            }
            VoteMode::Ballot => {
                let votes = lanes(met).filter(|lane| conditions[*lane as usize] == Term::TRUE);
                let known = votes.fold(0u32, |mask, lane| mask | 1 << lane);
                let is_open = |lane: &u32| !matches!(conditions[*lane as usize], Term::TRUE | Term::FALSE);
                let open: Vec<u32> = lanes(met).filter(is_open).collect();
                match open[..] {
                    [] => Value::Concrete(known.into()),
                    // A bit for each lane.
                    _ => {
                        let ballot =
                            open.into_iter().fold(self.terms.integer(known.into()), |ballot, lane| {
                                let bit = self.terms.integer(1 << lane);
                                let vote = self.terms.select(conditions[lane as usize], bit, Term::ZERO);
                                self.terms.add(ballot, vote)
                            });
                        Value::Symbolic(Symbol::number(Format::U32, ballot))
                    }
                }
            }
        };
        let value = self.voted(met, mode, (&conditions, &there), missing, value);
        for lane in lanes(met) {
            let dst = kernel.dst(&kernel.code[pcs[lane as usize] as usize])[0];
            self.warps[index].set(dst, lane, value);
        }
    }

    /// The outcome of a vote in which some lanes' bits are missing: unless others' decide it.
    fn voted(
        &mut self,
        met: u32,
        mode: VoteMode,
        (conditions, there): (&[Term; WARP], &[Term; WARP]),
        missing: Vec<(u32, Missing)>,
        value: Value,
    ) -> Value {
        if missing.is_empty() {
            return value;
        }
        let mut open = Term::TRUE;
        for lane in lanes(met).map(|lane| lane as usize) {
            let not = self.terms.not(conditions[lane]);
            let decided = match mode {
                VoteMode::All => self.terms.both(there[lane], not),
                VoteMode::Any => self.terms.both(there[lane], conditions[lane]),
                VoteMode::Uniform | VoteMode::Ballot => Term::FALSE,
            };
            let undecided = self.terms.not(decided);
            open = self.terms.both(open, undecided);
        }
        let mut parts = Vec::with_capacity(missing.len());
        for (lane, part) in missing {
            let bits = if mode == VoteMode::Ballot { 1 << lane } else { 1 };
            parts.push(Missing { bits, when: self.terms.both(open, part.when), ..part });
        }
        self.terms.incomplete(value, parts)
    }

    fn match_lanes(&mut self, index: usize, met: u32, pcs: &[u32; WARP], mode: MatchMode, width: u32) {
        let kernel = self.kernel;
        let mut words = [0; WARP];
        let mut missing = Vec::new();
        for lane in lanes(met) {
            let value = self.source(index, pcs, lane, 0);
            missing.extend(self.terms.missing(value).to_vec());
            let Value::Concrete(word) = self.terms.present(value) else {
                let why = "the lanes that match depend on input data".to_owned();
                self.park(index, met, pcs[lane as usize], FaultKind::NotStructured(why));
                return;
            };
            words[lane as usize] = super::bits::mask(word, width);
        }
        for lane in lanes(met) {
            let same = lanes(met).filter(|other| words[*other as usize] == words[lane as usize]);
            let same = same.fold(0u32, |mask, other| mask | 1 << other);
            let dst = kernel.dst(&kernel.code[pcs[lane as usize] as usize]);
            let value = match mode {
                MatchMode::Any => same,
                MatchMode::All if same == met => met,
                MatchMode::All => 0,
            };
            let value = Value::Concrete(u64::from(value));
            let value = self.terms.incomplete(value, spread(&missing, u64::from(u32::MAX)));
            self.warps[index].set(dst[0], lane, value);
            if let Some(second) = dst.get(1) {
                let all = Value::Concrete(u64::from(same == met));
                let all = self.terms.incomplete(all, spread(&missing, 1));
                self.warps[index].set(*second, lane, all);
            }
        }
    }

    fn redux(&mut self, index: usize, met: u32, pcs: &[u32; WARP], op: ReduceOp, format: Format) {
        let kernel = self.kernel;
        let mut values: Vec<Value> = lanes(met).map(|lane| self.source(index, pcs, lane, 0)).collect();
        let missing: Vec<Missing> =
            values.iter().flat_map(|value| self.terms.missing(*value).to_vec()).collect();
        for value in &mut values {
            *value = self.terms.present(*value);
        }
        let folded = values[1..]
            .iter()
            .try_fold(values[0], |sum, value| combine(&mut self.terms, op, format, sum, *value));
        let pc = pcs[met.trailing_zeros() as usize];
        let Some(folded) = folded else {
            let why = "this reduction has no meaning on symbolic operands".to_owned();
            self.park(index, met, pc, FaultKind::Unsupported(why));
            return;
        };
        let folded = self.terms.incomplete(folded, spread(&missing, u64::from(u32::MAX)));
        for lane in lanes(met) {
            let dst = kernel.dst(&kernel.code[pcs[lane as usize] as usize])[0];
            self.warps[index].set(dst, lane, folded);
        }
    }
}

/// The lane a shuffle reads from, and whether it is in range (PTX ISA 9.0, shfl.sync).
fn partner(mode: ShuffleMode, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (offset, clamp, segment) = (b & 0x1f, c & 0x1f, c >> 8 & 0x1f);
    let most = lane & segment | clamp & !segment & 0x1f;
    let least = lane & segment;
    match mode {
        ShuffleMode::Up => {
            let from = lane as i32 - offset as i32;
            (from.max(0) as u32, from >= most as i32)
        }
        ShuffleMode::Down => (lane + offset, lane + offset <= most),
        ShuffleMode::Butterfly => (lane ^ offset, lane ^ offset <= most),
        ShuffleMode::Index => {
            let from = least | offset & !segment & 0x1f;
            (from, from <= most)
        }
    }
}

fn combine(terms: &mut Terms, op: ReduceOp, format: Format, a: Value, b: Value) -> Option<Value> {
    if let (Value::Concrete(a), Value::Concrete(b)) = (a, b)
        && !format.is_float()
    {
        let signed = format == Format::S32;
        let (a, b) = (a as u32, b as u32);
        let word = match op {
            ReduceOp::Add => a.wrapping_add(b),
            ReduceOp::Min if signed => (a as i32).min(b as i32) as u32,
            ReduceOp::Max if signed => (a as i32).max(b as i32) as u32,
            ReduceOp::Min => a.min(b),
            ReduceOp::Max => a.max(b),
            ReduceOp::And => a & b,
            ReduceOp::Or => a | b,
            ReduceOp::Xor => a ^ b,
            ReduceOp::Popc => return None,
        };
        return Some(Value::Concrete(u64::from(word)));
    }
    let bit_op = match op {
        ReduceOp::Add | ReduceOp::Min | ReduceOp::Max => {
            let read = if op == ReduceOp::Add { plain(format) } else { format };
            let (a, b) = (as_operand(terms, read, a)?, as_operand(terms, read, b)?);
            let term = match op {
                ReduceOp::Add => terms.add(a, b),
                ReduceOp::Min => terms.min(a, b),
                _ => terms.max(a, b),
            };
            return Some(Value::Symbolic(Symbol::number(format, term)));
        }
        ReduceOp::And => BitOp::And,
        ReduceOp::Or => BitOp::Or,
        ReduceOp::Xor => BitOp::Xor,
        ReduceOp::Popc => return None,
    };
    let (a, b) = (as_bits(terms, a, 32)?, as_bits(terms, b, 32)?);
    Some(Value::Symbolic(Symbol::bits(terms.bits(bit_op, 32, a, b, Term::ZERO))))
}
