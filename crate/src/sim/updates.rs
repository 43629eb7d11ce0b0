//! Updates that a kernel makes itself: it reads a word, computes another from it, and swaps the two if nobody came
//! between; else it begins again with what it found.
//!
//! ```text
//! old = *p;                                         // the guess
//! do { seen = old; old = atomicCAS(p, seen, f(seen)); } while (old != seen);
//! ```
//!
//! Whatever the guess is and whoever comes between, in the end the loop has replaced one word `x` by `f(x)` in a
//! single step: it is one atomic update. So it is executed as one. The word that a lane has *seen* is a symbol, which
//! stands for all words; a swap that expects another word (the first guess, if that was no load) only hands the symbol
//! out, as if it had failed. What the lane then wants to write is `f` of the symbol: a sum, a product, the larger, the
//! smaller or a bit operation of it and of what does not depend on it is that update of memory, like `atom.add` and
//! its kin, with all that is known of the order of those. Any other `f` is applied as it is to what is there; then
//! no other lane may update the word in no order with it.
//!
//! Guesses read any word that they like: they race with nobody, because only the swap says whether they were right.
//!
//! Guarantees: the loop is one basic block that goes round exactly as long as the swap has failed, carries nothing
//! from one round to the next but the word that it has found, and nobody reads that word afterwards. Misses (and then
//! it is a lock, or an update whose result is used): loops with ways of their own, with counters, that compare floats,
//! or whose result is used.

use super::atomics::Change;
use super::bits::as_number;
use super::ends;
use super::machine::Machine;
use super::outcome::{AccessKind, FaultKind};
use super::race::lanes;
use super::unknowable::lowest;
use crate::base::{Format, FormatClass};
use crate::ir::{Kernel, Reg, RegisterKind};
use crate::isa::{Access, AtomicOp, Effect, Meaning};
use crate::term::{BitOp, Node, Relation, Symbol, SymbolKind, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a kernel's instructions are to loops that update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// Loads the first guess of the loop whose swap that is.
    Guess(u32),
    /// The compare-and-swap.
    Swap,
}

/// The loops of a kernel that update, and the words that they have seen.
#[derive(Default)]
pub(super) struct Updates {
    roles: FxHashMap<u32, Role>,
    /// The symbols of each swap, by the format that its word is taken as.
    symbols: FxHashMap<(u32, Format), Term>,
    /// Terms that depend on no symbol.
    free: FxHashSet<Term>,
}

/// Whether an instruction is the compare-and-swap of an update.
pub(super) fn is_swap(kernel: &Kernel, pc: u32) -> bool {
    block(kernel, pc).is_some()
}

/// Whether a kernel makes updates itself.
pub(super) fn has_any(kernel: &Kernel) -> bool {
    (0..kernel.code.len() as u32).any(|pc| is_swap(kernel, pc))
}

/// The loop of an update.
struct Block {
    head: u32,
    /// Its last branch.
    end: u32,
    /// The register in which it carries what it has found.
    carried: Reg,
}

/// The loop of which a compare-and-swap is the update.
fn block(kernel: &Kernel, pc: u32) -> Option<Block> {
    let swap = &kernel.code[pc as usize];
    let Effect::Atomic { op: AtomicOp::CompareSwap, access } = swap.effect else { return None };
    let result = *kernel.dst(swap).first()?;
    let kept = !matches!(kernel.registers[result.index()], RegisterKind::Sink);
    if !kept || access.vector != 1 || swap.guard.is_some() {
        return None;
    }
    let is_branch = |at: &u32| matches!(kernel.code[*at as usize].effect, Effect::Branch);
    let branch = (pc + 1..kernel.code.len() as u32).find(is_branch)?;
    let instr = &kernel.code[branch as usize];
    let guard = instr.guard?;
    // Either the branch goes back where they differ, or it leaves where they do not, and another one goes back.
    let (head, exit, end, back) = if instr.target <= pc {
        (instr.target, branch + 1, branch, true)
    } else {
        let next = kernel.code.get(branch as usize + 1)?;
        let returns = matches!(next.effect, Effect::Branch) && next.guard.is_none() && next.target <= pc;
        returns.then_some((next.target, instr.target, branch + 1, false))?
    };
    let inside = head..=branch;
    if inside.contains(&exit) || exit as usize >= kernel.code.len() {
        return None;
    }
    let enters = |target: u32| target > head && target <= end;
    let from_outside = kernel.code.iter().any(|instr| match instr.effect {
        Effect::Branch => enters(instr.target),
        Effect::BranchIndexed => kernel.tables[instr.target as usize].iter().any(|target| enters(*target)),
        _ => false,
    });
    if from_outside {
        return None;
    }
    let (carried, failed) = flow(kernel, (head, pc, branch), guard.predicate, access.format.bits())?;
    if (failed != guard.negated) != back {
        return None;
    }
    // Nobody reads afterwards what depends on the word that was found.
    let mut tainted: FxHashSet<Reg> = [carried, result].into_iter().collect();
    for at in head..=branch {
        let instr = &kernel.code[at as usize];
        if kernel.src(instr).iter().any(|reg| tainted.contains(reg)) {
            tainted.extend(kernel.dst(instr));
        }
    }
    let needed = super::needed::at(kernel, exit);
    (!needed.iter().any(|reg| tainted.contains(reg))).then_some(Block { head, end, carried })
}

/// Follows which register holds what through one round of a loop: the register that carries the word, and the
/// value of the predicate if the swap has failed.
fn flow(
    kernel: &Kernel,
    (head, swap, branch): (u32, u32, u32),
    predicate: Reg,
    bits: u32,
) -> Option<(Reg, bool)> {
    // A value is that of a register as the round begins, or that of an instruction's destination.
    #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    enum Holds {
        Old(Reg),
        New(u32, u32),
    }
    let mut now: FxHashMap<Reg, Holds> = FxHashMap::default();
    let mut before: FxHashSet<Reg> = FxHashSet::default();
    let (mut expected, mut tests) = (None, FxHashMap::default());
    for at in head..branch {
        let instr = &kernel.code[at as usize];
        if instr.guard.is_some() {
            return None;
        }
        for reg in kernel.src(instr) {
            let is_register = matches!(kernel.registers[reg.index()], RegisterKind::Virtual { .. });
            if is_register && !now.contains_key(reg) {
                before.insert(*reg);
            }
        }
        let holds = |at: usize| {
            let reg = kernel.src(instr)[at];
            now.get(&reg).copied().unwrap_or(Holds::Old(reg))
        };
        let mut copied = None;
        match &instr.effect {
            Effect::Move { .. } => copied = Some(holds(0)),
            Effect::Lanewise(op) => {
                let of_bits = |format: &Format| !format.is_float() && format.bits() == bits;
                let asks = matches!(op.meaning, Meaning::Compare(_)) && op.pattern.op == BitOp::Equal;
                if asks && op.sources == 2 && op.src[..2].iter().all(of_bits) {
                    let (one, other) = (holds(0), holds(1));
                    let found = Holds::New(swap, 0);
                    if expected.is_some_and(|seen| [(seen, found), (found, seen)].contains(&(one, other))) {
                        tests.insert(Holds::New(at, 0), op.pattern.negate);
                        tests.insert(Holds::New(at, 1), !op.pattern.negate);
                    }
                }
            }
            Effect::Atomic { .. } if at == swap => expected = Some(holds(1)),
            Effect::Pack { .. }
            | Effect::Unpack { .. }
            | Effect::ToGeneric(_)
            | Effect::FromGeneric(_)
            | Effect::Load(_)
            | Effect::Nothing => {}
            _ => return None,
        }
        for (which, reg) in kernel.dst(instr).iter().enumerate() {
            now.insert(*reg, copied.unwrap_or(Holds::New(at, which as u32)));
        }
    }
    let Holds::Old(carried) = expected? else { return None };
    let alone = before.iter().all(|reg| *reg == carried || !now.contains_key(reg));
    let goes_on = now.get(&carried) == Some(&Holds::New(swap, 0));
    let differ = *tests.get(now.get(&predicate)?)?;
    (alone && goes_on).then_some((carried, differ))
}

/// The loads whose values are nothing but the first guess of a loop.
fn guesses(kernel: &Kernel, block: &Block) -> Vec<u32> {
    let inside = block.head..=block.end;
    // Registers that only hand a guess on to the loop.
    let mut handing: FxHashSet<Reg> = FxHashSet::from_iter([block.carried]);
    let mut loads = Vec::new();
    let mut open = vec![block.carried];
    while let Some(reg) = open.pop() {
        let is_read = |at: u32| {
            let instr = &kernel.code[at as usize];
            let hands_on = matches!(instr.effect, Effect::Move { .. })
                && !inside.contains(&at)
                && kernel.dst(instr).iter().all(|to| handing.contains(to));
            let guards = instr.guard.is_some_and(|guard| guard.predicate == reg);
            guards || kernel.src(instr).contains(&reg) && !hands_on && !inside.contains(&at)
        };
        if (0..kernel.code.len() as u32).any(is_read) {
            continue;
        }
        for at in (0..kernel.code.len() as u32).filter(|at| !inside.contains(at)) {
            let instr = &kernel.code[at as usize];
            if !kernel.dst(instr).contains(&reg) {
                continue;
            }
            match instr.effect {
                Effect::Load(access) if access.vector == 1 => loads.push(at),
                Effect::Move { .. } => {
                    let from = kernel.src(instr)[0];
                    let is_register = matches!(kernel.registers[from.index()], RegisterKind::Virtual { .. });
                    if is_register && handing.insert(from) {
                        open.push(from);
                    }
                }
                _ => {}
            }
        }
    }
    loads
}

impl Updates {
    pub(super) fn new(kernel: &Kernel) -> Updates {
        let mut roles = FxHashMap::default();
        for pc in 0..kernel.code.len() as u32 {
            let Some(block) = block(kernel, pc) else { continue };
            roles.insert(pc, Role::Swap);
            for guess in guesses(kernel, &block) {
                roles.insert(guess, Role::Guess(pc));
            }
        }
        Updates { roles, ..Updates::default() }
    }

    /// Whether there are none.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.roles.is_empty()
    }
}

/// The number that a word of a place is taken as: what the place holds, or what it is accessed as.
fn number(declared: Option<Format>, accessed: Format) -> Format {
    let fits = |format: &Format| format.bits() == accessed.bits() && format.class() != FormatClass::Bits;
    declared.filter(fits).unwrap_or(accessed.as_integer(false))
}

impl<'a> Machine<'a> {
    /// Executes a load that is a guess, or the swap of an update. Whether it was one.
    #[inline(never)]
    pub(super) fn update(&mut self, index: usize, pc: u32, mask: u32, access: Access) -> bool {
        match self.updates.roles.get(&pc) {
            Some(Role::Guess(swap)) => {
                let swap = *swap;
                self.charge(ends::ACCESS);
                self.guess(index, (pc, swap), mask, access);
                true
            }
            Some(Role::Swap) => {
                self.swap(index, pc, mask, access);
                true
            }
            None => false,
        }
    }

    fn guess(&mut self, index: usize, (pc, swap): (u32, u32), mask: u32, access: Access) {
        let dst = self.kernel.dst(&self.kernel.code[pc as usize])[0];
        let mask = self.concrete_guess(index, pc, mask, access);
        self.for_each_batch(index, pc, mask, access, AccessKind::Read, |machine, batch| {
            let format = number(machine.memory.regions[batch.region].format, access.format);
            let Some(symbol) = machine.symbol_of(swap, format) else { return };
            for lane in lanes(batch.mask) {
                machine.warps[index].set(dst, lane, Value::Symbolic(Symbol::number(format, symbol)));
            }
        });
    }

    /// Lanes whose guess is at a known address; to the others any word is as good as any other.
    fn concrete_guess(&mut self, index: usize, pc: u32, mask: u32, access: Access) -> u32 {
        let instr = &self.kernel.code[pc as usize];
        let (base, dst) = (self.kernel.src(instr)[0], self.kernel.dst(instr)[0]);
        let symbolic = self.warps[index].special(base) & mask;
        let zero = Value::Concrete(0);
        lanes(symbolic).for_each(|lane| self.warps[index].set(dst, lane, zero));
        let _ = access;
        mask & !symbolic
    }

    /// The symbol for the word that a swap finds; `None` where there are no more numbers.
    fn symbol_of(&mut self, swap: u32, format: Format) -> Option<Term> {
        if let Some(symbol) = self.updates.symbols.get(&(swap, format)) {
            return Some(*symbol);
        }
        let (first, count) = self.setup.unknowable;
        let at = self.unknowable.len() as u32;
        if at >= count {
            return None;
        }
        self.unknowable.push(swap);
        let symbol = Term::element(first + at);
        self.updates.symbols.insert((swap, format), symbol);
        Some(symbol)
    }

    fn swap(&mut self, index: usize, pc: u32, mask: u32, access: Access) {
        self.own_contents(index, pc, mask, access);
        let mask = self.at_each_address(index, pc, mask, access, Machine::swap);
        let mask = self.follow(index, pc, mask);
        if mask == 0 {
            return;
        }
        let instr = &self.kernel.code[pc as usize];
        let (dst, src) = (self.kernel.dst(instr)[0], self.kernel.src(instr));
        self.for_each_batch(index, pc, mask, access, AccessKind::Atomic, |machine, batch| {
            for lane in lanes(batch.mask) {
                let (region, offset) = (batch.region, batch.offsets[lane as usize]);
                let format = number(machine.memory.regions[region].format, access.format);
                let Some(symbol) = machine.symbol_of(pc, format) else {
                    let why = "more compare-and-swap loops than have numbers".to_owned();
                    machine.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                    continue;
                };
                let word = Value::Symbolic(Symbol::number(format, symbol));
                let [seen, wanted] = [1, 2].map(|at| machine.warps[index].get(src[at], lane));
                // The loop goes round once more, now with the symbol, or it is over.
                machine.warps[index].set(dst, lane, word);
                if seen != word {
                    continue;
                }
                if let Some((at, change)) = machine.change_to(wanted, (symbol, format), (region, offset)) {
                    machine.update_lane((index, pc, lane), access.strength, &change, false, (region, offset + at));
                } else {
                    let why = "what a compare-and-swap writes is not known".to_owned();
                    machine.park(index, 1 << lane, pc, FaultKind::NotStructured(why));
                }
            }
        });
    }

    /// What it is to replace a word by a function of it: at which byte of the word, and how.
    fn change_to(
        &mut self,
        wanted: Value,
        (symbol, format): (Term, Format),
        (region, offset): (usize, u64),
    ) -> Option<(u64, Change)> {
        let bits = format.bits();
        if let Value::Symbolic(wanted) = wanted
            && let Some((op, format, operand)) = self.in_plain_sight(wanted, (symbol, format))
        {
            return Some((0, Change { op, format, operands: vec![operand] }));
        }
        let swap = |new| Change { op: AtomicOp::Exchange, format: format.of_bits(), operands: vec![new] };
        let Value::Symbolic(wanted) = wanted else {
            return matches!(wanted, Value::Concrete(_)).then(|| (0, swap(wanted)));
        };
        let there = self.memory.regions[region].cells.read(&mut self.terms, offset, bits / 8);
        let there = as_number(&mut self.terms, format, there)?;
        let mut known = FxHashMap::from_iter([(symbol, there)]);
        let term = self.terms.replaced(wanted.term, &mut known);
        Some((0, swap(Value::Symbolic(Symbol { term, ..wanted }))))
    }

    /// The update that a function of a word is, in plain sight, and its operand.
    fn in_plain_sight(
        &mut self,
        wanted: Symbol,
        (symbol, format): (Term, Format),
    ) -> Option<(AtomicOp, Format, Value)> {
        // The word, as a number of a format.
        let is_word = |machine: &Self, term: Term, taken: Format| match machine.terms.node(term) {
            Node::FromBits(as_format, bits) if as_format == taken => {
                matches!(machine.terms.node(bits), Node::BitsOf(held, of) if (held, of) == (format, symbol))
            }
            _ => term == symbol && taken == format,
        };
        let (taken, term) = match wanted.kind {
            SymbolKind::Number(taken) if taken.bits() == format.bits() => (taken, wanted.term),
            _ => return None,
        };
        let split = |machine: &Self, a: Term, b: Term| match (is_word(machine, a, taken), is_word(machine, b, taken)) {
            (true, false) => Some(b),
            (false, true) => Some(a),
            _ => None,
        };
        let (op, operand) = match self.terms.node(term) {
            Node::Add(a, b) => (AtomicOp::Add, split(self, a, b)?),
            Node::Sub(a, b) if is_word(self, a, taken) => (AtomicOp::Add, self.terms.neg(b)),
            Node::Fma(a, b, c) if is_word(self, c, taken) => (AtomicOp::Add, self.terms.mul(a, b)),
            Node::Mul(a, b) => (AtomicOp::Multiply, split(self, a, b)?),
            Node::Max(a, b) => (AtomicOp::Max, split(self, a, b)?),
            Node::Min(a, b) => (AtomicOp::Min, split(self, a, b)?),
            Node::Select(condition, a, b) => {
                let other = split(self, a, b)?;
                let Node::Compare(Relation::Less | Relation::LessEqual, lesser, greater) =
                    self.terms.node(condition)
                else {
                    return None;
                };
                // `lesser < greater ? a : b`
                match (a, b) == (greater, lesser) {
                    true => (AtomicOp::Max, other),
                    false if (a, b) == (lesser, greater) => (AtomicOp::Min, other),
                    false => return None,
                }
            }
            _ => return None,
        };
        let numbers = (self.setup.unknowable.0, self.unknowable.len() as u32);
        if lowest(&self.terms, operand, numbers, &mut self.updates.free).is_some() {
            return None;
        }
        Some((op, taken, Value::Symbolic(Symbol::number(taken, operand))))
    }
}
