//! One instruction for the lanes that execute it: the match over all effects.

use super::bits;
use super::ends;
use super::machine::{Flow, Machine};
use super::memory::window;
use super::outcome::FaultKind;
use super::race::lanes;
use super::signals;
use crate::ir::{Instr, Reg};
use crate::isa::{ClusterOp, CopyOp, Effect, Forbidden, Lanes, PhaserOp, Space, TensorWay, WARP};
use crate::term::Value;

/// What the ledger says of calls that print.
const PRINTS: &str = "what the kernel prints is left out";

impl<'a> Machine<'a> {
    /// Executes the instruction at `pc` for the lanes of `mask` (not empty).
    #[inline(always)]
    pub(super) fn execute(&mut self, index: usize, pc: u32, mask: u32) -> Flow {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        if !self.guards.is_empty() && meets_others(&instr.effect) {
            let outermost = self.guards[0][mask.trailing_zeros() as usize % WARP];
            self.part(outermost);
            let why = "a synchronization or return is reached under a condition that depends on input data";
            self.park(index, mask, pc, FaultKind::NotStructured(why.to_owned()));
            let going_on = mask & !self.warps[index].faulted;
            self.vanish(index, going_on);
            return if going_on == 0 { Flow::Next } else { Flow::Leave };
        }
        if self.phasers.anyone_refused() && acts(&instr.effect) {
            self.not_waiting(index, pc, mask);
        }
        let tries = self.tries(pc);
        if self.locks.is_some() && acts(&instr.effect) && !tries && signals::polled(kernel, instr).is_none() {
            self.act_before_locks(index, pc, mask);
        }
        if let Some(signals) = &mut self.signals
            && !tries
            && (acts(&instr.effect) && signals::polled(kernel, instr).is_none()
                || matches!(instr.effect, Effect::Fence(..)))
        {
            let first = self.first_thread + self.warps[index].first();
            match meets_own(&instr.effect) {
                true => signals.meet(),
                false => signals.act(lanes(mask).map(|lane| first + lane)),
            }
        }
        if !self.near_products.is_empty() && self.near_products[pc as usize] {
            self.near_product(index, pc);
        }
        match &instr.effect {
            Effect::Lanewise(op) => self.lanewise(index, pc, mask, op),
            Effect::Move { .. } => {
                let (to, from) = (kernel.dst(instr)[0], kernel.src(instr)[0]);
                self.warps[index].copy(to, from, mask);
            }
            Effect::Load(access) if !self.updates.is_empty() && self.updates.is_guess(pc) => {
                return self.update(index, pc, mask, *access).unwrap_or(Flow::Next);
            }
            Effect::Load(access) if self.signals.is_some() && signals::is_strong(*access) => {
                self.charge(ends::ACCESS);
                return self.signal_load(index, pc, mask, *access);
            }
            Effect::Load(access) => {
                self.charge(ends::ACCESS);
                self.load(index, pc, mask, *access);
            }
            Effect::Store(access) => {
                self.charge(ends::ACCESS);
                self.store(index, pc, mask, *access);
            }
            Effect::Branch => return Flow::Jump(instr.target),
            other => return self.execute_other(index, pc, mask, other),
        }
        Flow::Next
    }

    /// The instructions that are rarer, or that cost more than a call. Kept apart, because the browser
    /// begins with slow code and its optimizing compiler is the sooner done the smaller a function is.
    #[inline(never)]
    fn execute_other(&mut self, index: usize, pc: u32, mask: u32, effect: &Effect) -> Flow {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        match effect {
            Effect::Pack { bits } => self.pack(index, instr, mask, *bits),
            Effect::Unpack { bits } => self.unpack(index, instr, mask, *bits),
            Effect::ToGeneric(space) => self.shift_address(index, pc, mask, window(*space)),
            Effect::FromGeneric(space) => self.shift_address(index, pc, mask, window(*space).wrapping_neg()),
            Effect::IsSpace(space) => self.is_space(index, pc, mask, *space),
            Effect::Atomic { access, .. } => {
                self.charge(ends::ATOMIC * threads(mask));
                if let Some(flow) = self.update(index, pc, mask, *access) {
                    return flow;
                }
                if self.tries(pc) {
                    return self.lock_try(index, pc, mask, *access);
                }
                if let Some(polled) = signals::polled(kernel, instr).filter(|_| self.waits_through_memory) {
                    return self.signal_load(index, pc, mask, polled);
                }
                self.atomic(index, pc, mask, *access);
            }
            Effect::BranchIndexed => return self.branch_indexed(index, pc, mask),
            Effect::Exit => {
                self.exit(index, mask);
                return Flow::Leave;
            }
            Effect::Forbidden(what) => {
                let fault = match what {
                    Forbidden::Extern => {
                        FaultKind::Forbidden(format!("`{}` is called, which has no body", kernel.opcode(pc)))
                    }
                    Forbidden::Call => FaultKind::Forbidden(
                        "a function is called by itself, or through a register that points to none that is known"
                            .to_owned(),
                    ),
                    Forbidden::Assertion => FaultKind::Abort("an assertion fails".to_owned()),
                    Forbidden::Trap => FaultKind::Abort("the kernel traps".to_owned()),
                    Forbidden::Print => {
                        let noted = self.granted.entry(PRINTS).or_insert((0, pc));
                        noted.0 += u64::from(mask.count_ones());
                        return Flow::Next;
                    }
                };
                self.park(index, mask, pc, fault);
                let going_on = mask & !self.warps[index].faulted;
                if going_on != 0 {
                    self.vanish(index, going_on);
                    return Flow::Leave;
                }
            }
            Effect::Barrier { op, aligned } => {
                self.charge(ends::ARRIVAL * threads(mask));
                return self.barrier(index, pc, mask, *op, *aligned);
            }
            Effect::WarpSync
            | Effect::Shuffle(_)
            | Effect::Vote(_)
            | Effect::Match { .. }
            | Effect::Redux { .. }
            | Effect::Elect
            | Effect::Matrix(_) => {
                self.charge(ends::ACCESS);
                return self.meet(index, pc, mask);
            }
            Effect::TensorMemory(op) if !op.is_of_whole_warp() => {
                self.charge(ends::OBJECT * threads(mask));
                self.on_tensor_memory(index, pc, mask, *op);
            }
            Effect::TensorMemory(_) | Effect::Copy(CopyOp::Publish) => {
                self.charge(ends::ACCESS);
                return self.meet(index, pc, mask);
            }
            Effect::Copy(op) => {
                self.charge(ends::OBJECT * threads(mask));
                self.copy(index, pc, mask, *op);
            }
            Effect::Phaser(op) => {
                self.charge(ends::OBJECT * threads(mask));
                return self.phaser(index, pc, mask, *op);
            }
            Effect::Cluster(op) => {
                self.charge(ends::ARRIVAL * threads(mask));
                return self.of_cluster(index, pc, mask, *op);
            }
            Effect::ActiveMask => {
                // Lanes that part may stay apart for as long as nothing makes them meet.
                let warp = &self.warps[index];
                let whole = mask == warp.alive() && !warp.parted;
                let words = match self.options.world.choice {
                    1 if !whole => std::array::from_fn(|lane| 1 << lane),
                    _ => [u64::from(mask); WARP],
                };
                self.warps[index].set_concrete(kernel.dst(instr)[0], mask, &words);
            }
            Effect::Fence(..) if self.relaxed => {
                let first = self.warps[index].first();
                super::race::lanes(mask).for_each(|lane| self.clocks.fence(first + lane));
            }
            Effect::Fence(scope, order) => self.signal_fence(index, pc, mask, *scope, *order),
            Effect::Nothing => {}
            Effect::Fetch(fetch) => {
                self.charge(ends::ACCESS * threads(mask));
                self.fetch(index, pc, mask, *fetch);
            }
            Effect::Inquire(what) => self.inquire(index, pc, mask, *what),
            Effect::SurfacePlace(place) => self.surface_place(index, pc, mask, *place),
            Effect::IsView(kind) => self.is_view(index, pc, mask, *kind),
            Effect::ReadClock => self.read_unknowable(index, pc, mask),
            Effect::Response(answer) => self.read_response(index, pc, mask, *answer),
            Effect::Claim(claim) => {
                self.charge(ends::OBJECT * threads(mask));
                self.note_claim(index, pc, mask, *claim);
            }
            Effect::Unsupported => {
                self.park(index, mask, pc, FaultKind::Unsupported(self.kernel.note(pc).to_owned()));
            }
            Effect::Lanewise(_)
            | Effect::Move { .. }
            | Effect::Load(_)
            | Effect::Store(_)
            | Effect::Branch => {
                unreachable!("execute does these")
            }
        }
        Flow::Next
    }

    fn pack(&mut self, index: usize, instr: &Instr, mask: u32, width: u32) {
        let kernel = self.kernel;
        let (to, from) = (kernel.dst(instr)[0], kernel.src(instr));
        for lane in lanes(mask) {
            let mut parts: Vec<Value> = from.iter().map(|reg| self.warps[index].get(*reg, lane)).collect();
            let mut part_bits = width / parts.len() as u32;
            while parts.len() > 1 {
                part_bits *= 2;
                let pairs = parts.chunks_exact(2);
                parts =
                    pairs.map(|pair| bits::concat(&mut self.terms, pair[0], pair[1], part_bits)).collect();
            }
            self.warps[index].set(to, lane, parts[0]);
        }
    }

    fn unpack(&mut self, index: usize, instr: &Instr, mask: u32, width: u32) {
        let kernel = self.kernel;
        let (to, from) = (kernel.dst(instr), kernel.src(instr)[0]);
        let part_bits = width / to.len() as u32;
        for lane in lanes(mask) {
            let value = self.warps[index].get(from, lane);
            for (at, reg) in to.iter().enumerate() {
                let part = bits::slice(&mut self.terms, value, width, at as u32 * part_bits, part_bits);
                self.warps[index].set(*reg, lane, part);
            }
        }
    }

    fn shift_address(&mut self, index: usize, pc: u32, mask: u32, by: u64) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (to, from) = (kernel.dst(instr)[0], kernel.src(instr)[0]);
        if by == 0 {
            self.warps[index].copy(to, from, mask);
            return;
        }
        let mut moved = 0;
        for lane in lanes(self.warps[index].undefined(from) & mask) {
            let value = self.warps[index].get(from, lane);
            if let Some(value) = super::gaps::shifted(&mut self.terms, value, by) {
                self.warps[index].set(to, lane, value);
                moved |= 1 << lane;
            }
        }
        let known = self.concrete_lanes(index, pc, mask & !moved, from, "an address");
        let mut words: Lanes = *self.warps[index].lanes(from);
        for word in &mut words {
            *word = word.wrapping_add(by);
        }
        self.warps[index].set_concrete(to, known, &words);
    }

    fn is_space(&mut self, index: usize, pc: u32, mask: u32, space: Space) {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let (to, from) = (kernel.dst(instr)[0], kernel.src(instr)[0]);
        let known = self.concrete_lanes(index, pc, mask, from, "an address");
        let words = *self.warps[index].lanes(from);
        let words = words.map(|address| u64::from(self.memory.lies_in(space, address)));
        self.warps[index].set_concrete(to, known, &words);
    }

    fn branch_indexed(&mut self, index: usize, pc: u32, mask: u32) -> Flow {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let table = &kernel.tables[instr.target as usize];
        let selector = kernel.src(instr)[0];
        let known = self.concrete_lanes(index, pc, mask, selector, "the branch index");
        self.warps[index].parted = true;
        // Suspects under a condition go anywhere.
        let lost = mask & !known & !self.warps[index].faulted;
        if let Some(target) = table.first()
            && lost != 0
        {
            self.warps[index].resume(*target, lost);
        }
        for lane in lanes(known) {
            let at = self.warps[index].word(selector, lane) as u32 as usize;
            match table.get(at) {
                Some(target) => self.warps[index].resume(*target, 1 << lane),
                None => {
                    let why = format!("branch index {at} is beyond the {} targets", table.len());
                    self.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                }
            }
        }
        Flow::Leave
    }

    /// The lanes of `mask` on which a register is concrete; the others stop at a fault that says
    /// what is not known.
    pub(super) fn concrete_lanes(&mut self, index: usize, pc: u32, mask: u32, reg: Reg, what: &str) -> u32 {
        let special = self.warps[index].special(reg) & mask;
        if special == 0 {
            return mask;
        }
        self.open_tickets(index, reg, special);
        let special = self.warps[index].special(reg) & mask;
        if special == 0 {
            return mask;
        }
        let unwritten = self.decide(index, pc, special, reg, what);
        if unwritten != 0 {
            self.halt(index, unwritten);
        }
        let special = self.warps[index].special(reg) & mask | unwritten;
        let symbolic = special & !unwritten;
        if symbolic != 0 {
            let why = self.dependence(index, reg, symbolic, what);
            self.park(index, symbolic, pc, FaultKind::NotStructured(why));
        }
        mask & !special
    }
}

fn threads(mask: u32) -> u64 {
    u64::from(mask.count_ones())
}

/// Instructions that a thread may not execute under a symbolic condition.
pub(super) fn meets_others(effect: &Effect) -> bool {
    match effect {
        Effect::Exit
        | Effect::Barrier { .. }
        | Effect::WarpSync
        | Effect::Shuffle(_)
        | Effect::Vote(_)
        | Effect::Match { .. }
        | Effect::Redux { .. }
        | Effect::Elect
        | Effect::Matrix(_)
        | Effect::TensorMemory(_)
        | Effect::Phaser(_)
        | Effect::ActiveMask => true,
        Effect::Cluster(op) => matches!(op, ClusterOp::Arrive { .. } | ClusterOp::Wait),
        Effect::Copy(CopyOp::Tensor(copy)) => copy.way != TensorWay::Prefetch,
        Effect::Copy(op) => !matches!(op, CopyOp::Fence { .. } | CopyOp::HalfFence | CopyOp::Prefetch),
        Effect::Lanewise(_)
        | Effect::Move { .. }
        | Effect::Pack { .. }
        | Effect::Unpack { .. }
        | Effect::ToGeneric(_)
        | Effect::FromGeneric(_)
        | Effect::IsSpace(_)
        | Effect::IsView(_)
        | Effect::Fetch(_)
        | Effect::Inquire(_)
        | Effect::SurfacePlace(_)
        | Effect::Load(_)
        | Effect::Store(_)
        | Effect::Atomic { .. }
        | Effect::Branch
        | Effect::BranchIndexed
        | Effect::Forbidden(_)
        | Effect::Fence(..)
        | Effect::ReadClock
        | Effect::Response(_)
        | Effect::Claim(_)
        | Effect::Nothing
        | Effect::Unsupported => false,
    }
}

/// Instructions by which threads of one CTA meet, and do nothing to anybody else.
pub(super) fn meets_own(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Barrier { .. }
            | Effect::WarpSync
            | Effect::Shuffle(_)
            | Effect::Vote(_)
            | Effect::Match { .. }
            | Effect::Redux { .. }
    )
}

/// Instructions by which a thread acts on others or on memory; what it must not do between two
/// tests of a barrier object that it waits for.
fn acts(effect: &Effect) -> bool {
    match effect {
        Effect::Store(_) | Effect::Atomic { .. } | Effect::Forbidden(_) => true,
        Effect::Phaser(PhaserOp::Test { .. }) => false,
        other => meets_others(other),
    }
}
