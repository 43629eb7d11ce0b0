//! Updates that a kernel makes itself: it reads a word, computes another from it, and swaps the two if nobody came
//! between; else it begins again with what it found.
//!
//! ```text
//! old = *p;                                         // the guess; it may also stand in the loop
//! do { seen = old; old = atomicCAS(p, seen, f(seen)); } while (old != seen);
//! ```
//!
//! Whatever the guess is and whoever comes between, in the end the loop has replaced one word `x` by `f(x)` in a
//! single step: it is one atomic update. So it is executed as one. The word that a lane has *seen* is a symbol, which
//! stands for all words; a swap that expects another word (the first guess, if that was no load) fails, and hands the
//! symbol out. What the lane then wants to write is `f` of the symbol: a sum, a product, the larger, the
//! smaller or a bit operation of it and of what does not depend on it is that update of memory, like `atom.add` and
//! its kin, with all that is known of the order of those. Any other `f` is applied as it is to what is there; then
//! no other lane may update the word in no order with it.
//!
//! The loop may also be left before the swap, by what was found (`if (seen >= x) break;`): then `f` leaves the word as
//! it is. Where several elements lie in the word (two halves), each of them is updated.
//!
//! Guesses read any word that they like: they race with nobody, because only the swap says whether they were right.
//! Not so where the loop may be left before the swap: then a plain load is an ordinary one.
//!
//! Guarantees: the loop goes round exactly as long as the swap has failed (floats compare as their bits do, but for -0
//! and NaN, which the report says); what it carries from one round to the next beside the word that it has found decides
//! nothing; and nobody can tell afterwards what it has found, how many rounds there were or by which branch it was left.
//! Misses (and then it is a lock, or an update whose result is used): loops with other branches, that give up, or whose
//! result is used; and *not structured* are guesses from elsewhere that decide something.

use super::atomics::{By, Change};
use super::bits::{as_number, choose};
use super::contents::{KINDS, kind_of};
use super::ends;
use super::machine::{Flow, Machine};
use super::outcome::{AccessKind, FaultKind};
use super::race::lanes;
use crate::base::{Format, FormatClass};
use crate::ir::{Kernel, Reg, RegisterKind};
use crate::isa::{Access, AtomicOp, Effect, Lanewise, Meaning, Strength};
use crate::term::eval::operands;
use crate::term::{BitOp, Node, Relation, Symbol, SymbolKind, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is taken for granted.
const FLOATS: &str = "no float that a compare-and-swap loop compares is -0 or NaN";

/// Why a swap is none of these.
const ELSEWHERE: &str = "a compare-and-swap expects a word from elsewhere";

/// What a kernel's instructions are to loops that update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// Loads a guess for the loop of a swap, or for several.
    Guess(Option<u32>),
    /// The compare-and-swap.
    Swap {
        /// It compares floats.
        floats: bool,
        /// The loop may be left before it, by what was found.
        leaves: bool,
        /// Where a round begins, and in which register the word is that is expected there.
        head: u32,
        carried: Option<Reg>,
    },
}

/// The loops of a kernel that update, and the words that they have seen.
#[derive(Default)]
pub(super) struct Updates {
    roles: FxHashMap<u32, Role>,
    /// The symbols of each swap: for each part of its word, and as what that is taken.
    symbols: FxHashMap<(u32, Format, u32), Term>,
    own: FxHashSet<Term>,
    /// Symbols used, of each kind of numbers.
    used: [u32; KINDS],
    /// Lanes whose swap has just failed: they go round once more, with the symbol.
    again: u32,
    /// Terms that depend on no symbol.
    free: FxHashSet<Term>,
    /// Where each thread has looked last for what a swap expects.
    looked: FxHashMap<(u32, u32), (usize, u64)>,
}

/// Whether an instruction is the compare-and-swap of an update.
pub(super) fn is_swap(kernel: &Kernel, pc: u32) -> bool {
    block(kernel, pc).is_some()
}

/// Whether a kernel makes updates itself.
pub(super) fn has_any(kernel: &Kernel) -> bool {
    (0..kernel.code.len() as u32).any(|pc| is_swap(kernel, pc))
}

/// Where the word comes from that a swap expects.
#[derive(Clone, Copy)]
enum Expects {
    /// What this register carries: a first guess, then what the swap has found.
    Carried(Reg),
    /// What this load in the loop gives: a guess in each round.
    Loaded(u32),
}

/// The loop of an update.
struct Block {
    head: u32,
    /// Its last branch.
    end: u32,
    expects: Expects,
    /// It may be left before the swap, by what it has found.
    leaves: bool,
    /// It compares floats to see whether the swap has failed.
    floats: bool,
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
        let end = (branch + 1..kernel.code.len() as u32).find(is_branch)?;
        let next = &kernel.code[end as usize];
        (next.guard.is_none() && next.target <= pc).then_some((next.target, instr.target, end, false))?
    };
    let leaves: Vec<u32> = (head..pc).filter(is_branch).map(|at| kernel.code[at as usize].target).collect();
    let exits = || leaves.iter().copied().chain([exit]);
    if exits().any(|exit| (head..=end).contains(&exit) || exit as usize >= kernel.code.len()) {
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
    let round = flow(kernel, (head, pc, branch, end), guard.predicate, access.format.bits())?;
    if (round.failed != guard.negated) != back {
        return None;
    }
    // Nobody reads afterwards what depends on the word that was found, and no address does.
    let guess = match round.expects {
        Expects::Carried(reg) => reg,
        Expects::Loaded(load) => kernel.dst(&kernel.code[load as usize])[0],
    };
    let mut tainted = round.others;
    tainted.extend([guess, result]);
    for at in head..=end {
        let instr = &kernel.code[at as usize];
        let is_address = matches!(instr.effect, Effect::Load(_) | Effect::Atomic { .. });
        if is_address && tainted.contains(&kernel.src(instr)[0]) {
            return None;
        }
        if kernel.src(instr).iter().any(|reg| tainted.contains(reg)) {
            tainted.extend(kernel.dst(instr));
        }
    }
    // By which branch the loop is left, nobody can tell afterwards.
    if !leaves.is_empty() {
        if leaves.iter().any(|other| *other != exit) {
            return None;
        }
        tainted.extend((head..=end).flat_map(|at| kernel.dst(&kernel.code[at as usize])));
    }
    let read = |exit: u32| super::needed::at(kernel, exit).iter().any(|reg| tainted.contains(reg));
    let Round { expects, floats, .. } = round;
    let block = Block { head, end, expects, leaves: !leaves.is_empty(), floats };
    // A word that is loaded in the loop has to be a guess.
    let blind = match expects {
        Expects::Loaded(load) => !leaves.is_empty() && !is_strong_load(kernel, load),
        Expects::Carried(_) => false,
    };
    (!blind && !exits().any(read)).then_some(block)
}

/// Whether a comparison asks if its sources differ, or else if they are equal; and that of floats.
fn asks_for_difference(op: &Lanewise, bits: u32) -> Option<(bool, bool)> {
    let Meaning::Compare(holds) = op.meaning else { return None };
    let fits = op.sources == 2 && op.src[..2].iter().all(|format| format.bits() == bits);
    let mut terms = Terms::default();
    let [one, two] = [1, 2].map(|number| terms.integer(number));
    let answers = [(one, one), (one, two), (two, one)].map(|(a, b)| holds(&mut terms, &[a, b]));
    match answers {
        _ if !fits => None,
        [Term::FALSE, Term::TRUE, Term::TRUE] => Some((true, op.src[0].is_float())),
        [Term::TRUE, Term::FALSE, Term::FALSE] => Some((false, op.src[0].is_float())),
        _ => None,
    }
}

/// One round of a loop.
struct Round {
    expects: Expects,
    /// The value of the predicate if the swap has failed, and whether that compares floats.
    failed: bool,
    floats: bool,
    /// What depends on how many rounds there were.
    others: FxHashSet<Reg>,
}

/// Follows which register holds what through one round of a loop that goes on by that predicate.
fn flow(
    kernel: &Kernel,
    (head, swap, branch, end): (u32, u32, u32, u32),
    predicate: Reg,
    bits: u32,
) -> Option<Round> {
    // A value is that of a register as the round begins, or that of an instruction's destination.
    #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    enum Holds {
        Old(Reg),
        New(u32, u32),
    }
    let mut now: FxHashMap<Reg, Holds> = FxHashMap::default();
    let mut before: FxHashSet<Reg> = FxHashSet::default();
    let (mut expected, mut tests, mut test) = (None, FxHashMap::default(), None);
    for at in head..=end {
        let instr = &kernel.code[at as usize];
        if instr.guard.is_some() && !matches!(instr.effect, Effect::Branch) {
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
                if let Some((differ, floats)) = asks_for_difference(op, bits) {
                    let (one, other) = (holds(0), holds(1));
                    let found = Holds::New(swap, 0);
                    if expected.is_some_and(|seen| [(seen, found), (found, seen)].contains(&(one, other))) {
                        tests.insert(Holds::New(at, 0), (differ, floats));
                        tests.insert(Holds::New(at, 1), (!differ, floats));
                    }
                }
            }
            Effect::Atomic { .. } if at == swap => expected = Some(holds(1)),
            Effect::Pack { .. }
            | Effect::Unpack { .. }
            | Effect::ToGeneric(_)
            | Effect::FromGeneric(_)
            | Effect::Load(_)
            | Effect::Fence(..)
            | Effect::Nothing => {}
            Effect::Branch if at == branch => test = now.get(&predicate).copied(),
            Effect::Branch if at == end || at < swap && instr.guard.is_some() => {}
            _ => return None,
        }
        for (which, reg) in kernel.dst(instr).iter().enumerate() {
            now.insert(*reg, copied.unwrap_or(Holds::New(at, which as u32)));
        }
    }
    let (differ, floats) = *tests.get(&test?)?;
    let expects = match expected? {
        Holds::Old(reg) if now.get(&reg) == Some(&Holds::New(swap, 0)) => Expects::Carried(reg),
        Holds::New(at, 0) if is_guess(kernel, at) => Expects::Loaded(at),
        _ => return None,
    };
    // What else is carried from round to round decides nothing.
    let own = |reg: &Reg| matches!(expects, Expects::Carried(carried) if carried == *reg);
    let mut others: FxHashSet<Reg> =
        before.iter().filter(|reg| !own(reg) && now.contains_key(reg)).copied().collect();
    let alone = (head..=end).chain(head..=end).all(|at| {
        let instr = &kernel.code[at as usize];
        let reads = kernel.src(instr).iter().any(|reg| others.contains(reg));
        let asks = instr.guard.is_some_and(|guard| others.contains(&guard.predicate));
        if reads {
            others.extend(kernel.dst(instr));
        }
        let acts = reads && matches!(instr.effect, Effect::Load(_) | Effect::Atomic { .. });
        !asks && !acts
    });
    alone.then_some(Round { expects, failed: differ, floats, others })
}

fn is_strong_load(kernel: &Kernel, at: u32) -> bool {
    matches!(kernel.code[at as usize].effect, Effect::Load(access) if matches!(access.strength, Strength::Strong(..)))
}

/// Whether an instruction loads one word.
fn is_guess(kernel: &Kernel, at: u32) -> bool {
    matches!(kernel.code[at as usize].effect, Effect::Load(access) if access.vector == 1)
}

/// The loads whose values are nothing but guesses of loops, each with the loop's swap if there is only one.
fn guesses(kernel: &Kernel, blocks: &[(u32, Block)]) -> FxHashMap<u32, Option<u32>> {
    let all = || 0..kernel.code.len() as u32;
    let is_move = |at: u32| matches!(kernel.code[at as usize].effect, Effect::Move { .. });
    let is_inside = |block: &Block, at: u32| (block.head..=block.end).contains(&at);
    let mut found = FxHashMap::default();
    // Registers that only hand guesses on to loops, and the swaps of those.
    let mut handing: FxHashMap<Reg, FxHashSet<u32>> = FxHashMap::default();
    let mut open = Vec::new();
    for (swap, block) in blocks {
        match block.expects {
            Expects::Loaded(load) => {
                found.insert(load, Some(*swap));
            }
            Expects::Carried(reg) => open.push((reg, *swap)),
        }
    }
    while let Some((reg, swap)) = open.pop() {
        if !handing.entry(reg).or_default().insert(swap) {
            continue;
        }
        for at in all().filter(|at| is_move(*at) && !blocks.iter().any(|(_, block)| is_inside(block, *at))) {
            let instr = &kernel.code[at as usize];
            let from = kernel.src(instr)[0];
            if kernel.dst(instr)[0] == reg
                && matches!(kernel.registers[from.index()], RegisterKind::Virtual { .. })
            {
                open.push((from, swap));
            }
        }
    }
    loop {
        let is_read = |reg: Reg| {
            all().any(|at| {
                let instr = &kernel.code[at as usize];
                let carries = |(_, block): &(u32, Block)| {
                    is_inside(block, at) && matches!(block.expects, Expects::Carried(own) if own == reg)
                };
                let reads = kernel.src(instr).contains(&reg)
                    || instr.guard.is_some_and(|guard| guard.predicate == reg);
                let hands_on = is_move(at) && handing.contains_key(&kernel.dst(instr)[0]);
                reads && !blocks.iter().any(carries) && !hands_on
            })
        };
        let Some(read) = handing.keys().copied().find(|reg| is_read(*reg)) else { break };
        handing.remove(&read);
    }
    // What a loop is left by has to be a word that was there.
    let leaves = |swap: u32| blocks.iter().any(|(own, block)| *own == swap && block.leaves);
    for at in all().filter(|at| is_guess(kernel, *at)) {
        let instr = &kernel.code[at as usize];
        let Some(swaps) = handing.get(&kernel.dst(instr)[0]) else { continue };
        let one = swaps.iter().copied().next().filter(|_| swaps.len() == 1);
        if !swaps.iter().any(|swap| leaves(*swap)) || is_strong_load(kernel, at) && one.is_some() {
            found.insert(at, one);
        }
    }
    found
}

impl Updates {
    pub(super) fn new(kernel: &Kernel) -> Updates {
        let all = 0..kernel.code.len() as u32;
        let blocks: Vec<(u32, Block)> = all.filter_map(|pc| Some((pc, block(kernel, pc)?))).collect();
        let mut roles = FxHashMap::default();
        if blocks.is_empty() {
            return Updates::default();
        }
        for (pc, block) in &blocks {
            let carried = match block.expects {
                Expects::Carried(reg) => Some(reg),
                Expects::Loaded(_) => None,
            };
            roles.insert(
                *pc,
                Role::Swap { floats: block.floats, leaves: block.leaves, head: block.head, carried },
            );
        }
        roles.extend(guesses(kernel, &blocks).into_iter().map(|(load, swap)| (load, Role::Guess(swap))));
        Updates { roles, ..Updates::default() }
    }

    /// Whether there are none.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.roles.is_empty()
    }

    /// Whether a load is a guess.
    pub(super) fn is_guess(&self, pc: u32) -> bool {
        matches!(self.roles.get(&pc), Some(Role::Guess(_)))
    }
}

/// What each part of a word of a place is taken as: what the place holds, or what it is accessed as.
fn taken_as(declared: Option<Format>, accessed: Format) -> Format {
    let fits = |format: &Format| {
        format.bits() >= 8 && format.bits() <= accessed.bits() && format.class() != FormatClass::Bits
    };
    declared.filter(fits).unwrap_or(accessed.as_integer(false))
}

/// A word that a swap finds: as what its parts are taken, and the symbol of each.
struct Found {
    format: Format,
    parts: Vec<Term>,
    word: Value,
}

impl<'a> Machine<'a> {
    /// Executes a load that is a guess, or the swap of an update, if it is one.
    #[inline(never)]
    pub(super) fn update(&mut self, index: usize, pc: u32, mask: u32, access: Access) -> Option<Flow> {
        match *self.updates.roles.get(&pc)? {
            Role::Guess(swap) => {
                self.charge(ends::ACCESS);
                self.guess(index, (pc, swap), mask, access);
                Some(Flow::Next)
            }
            Role::Swap { carried, head, .. } => {
                let swap = self.kernel.dst(&self.kernel.code[pc as usize])[0];
                self.updates.again = 0;
                self.swap(index, pc, mask, access);
                let again = self.updates.again;
                if again == 0 {
                    return Some(Flow::Next);
                }
                let Some(carried) = carried else {
                    // What was loaded in the loop is no word of this place.
                    self.park(index, again, pc, FaultKind::NotStructured(ELSEWHERE.to_owned()));
                    return Some(Flow::Next);
                };
                for lane in lanes(again) {
                    let word = self.warps[index].get(swap, lane);
                    self.warps[index].set(carried, lane, word);
                }
                let going = mask & !again & !self.warps[index].faulted;
                if going == 0 {
                    return Some(Flow::Jump(head));
                }
                self.warps[index].parted = true;
                self.warps[index].resume(head, again);
                self.warps[index].resume(pc + 1, going);
                Some(Flow::Leave)
            }
        }
    }

    fn guess(&mut self, index: usize, (pc, swap): (u32, Option<u32>), mask: u32, access: Access) {
        let instr = &self.kernel.code[pc as usize];
        let (base, dst) = (self.kernel.src(instr)[0], self.kernel.dst(instr)[0]);
        // Where the address depends on data, any word is as good as any other, if the loop is not left by it.
        let symbolic = self.warps[index].special(base) & mask;
        let role = swap.and_then(|swap| self.updates.roles.get(&swap));
        if symbolic != 0 && matches!(role, Some(Role::Swap { leaves: true, .. })) {
            let why = "a loop is left by a word whose address depends on input data".to_owned();
            self.park(index, symbolic, pc, FaultKind::NotStructured(why));
        }
        lanes(symbolic).for_each(|lane| self.warps[index].set(dst, lane, Value::Concrete(0)));
        self.for_each_batch(index, pc, mask & !symbolic, access, AccessKind::Read, |machine, batch| {
            let found = swap.and_then(|swap| machine.word_found(swap, batch.region, access.format));
            // Any word will do: the first swap fails.
            let word = found.map_or(Value::Concrete(0), |found| found.word);
            for lane in lanes(batch.mask) {
                machine.warps[index].set(dst, lane, word);
                let thread = machine.warps[index].first() + lane;
                let place = (batch.region, batch.offsets[lane as usize]);
                machine.updates.looked.extend(swap.map(|swap| ((swap, thread), place)));
            }
        });
    }

    /// The word that a swap finds; `None` where there are no more numbers.
    fn word_found(&mut self, swap: u32, region: usize, accessed: Format) -> Option<Found> {
        let format = taken_as(self.memory.regions[region].format, accessed);
        // From the last number on: locks begin with the first.
        let kind = kind_of(format);
        let (first, count) = self.setup.contents[kind];
        let mut parts = Vec::new();
        for part in 0..accessed.bits() / format.bits() {
            let used = self.updates.used[kind];
            let symbol = match self.updates.symbols.get(&(swap, format, part)) {
                Some(symbol) => *symbol,
                None if used >= count / 2 => return None,
                None => {
                    self.updates.used[kind] += 1;
                    let symbol = Term::element(first + count - 1 - used);
                    self.updates.symbols.insert((swap, format, part), symbol);
                    self.updates.own.insert(symbol);
                    symbol
                }
            };
            parts.push(symbol);
        }
        let values: Vec<Value> =
            parts.iter().map(|symbol| Value::Symbolic(Symbol::number(format, *symbol))).collect();
        let word = self.pack_parts(&values, accessed.bits());
        Some(Found { format, parts, word })
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
        let role = self.updates.roles.get(&pc).copied();
        let compares_floats = matches!(role, Some(Role::Swap { floats: true, .. }));
        let loaded = matches!(role, Some(Role::Swap { carried: None, .. }));
        self.for_each_batch(index, pc, mask, access, AccessKind::Atomic, |machine, batch| {
            for lane in lanes(batch.mask) {
                let Some(found) = machine.word_found(pc, batch.region, access.format) else {
                    let why = "more compare-and-swap loops than have numbers".to_owned();
                    machine.park(index, 1 << lane, pc, FaultKind::Unsupported(why));
                    continue;
                };
                let [seen, wanted] = [1, 2].map(|at| machine.warps[index].get(src[at], lane));
                let place = (batch.region, batch.offsets[lane as usize]);
                let thread = machine.warps[index].first() + lane;
                if loaded && machine.updates.looked.get(&(pc, thread)) != Some(&place) {
                    machine.park(index, 1 << lane, pc, FaultKind::NotStructured(ELSEWHERE.to_owned()));
                    continue;
                }
                machine.warps[index].set(dst, lane, found.word);
                if seen != found.word {
                    machine.updates.again |= 1 << lane;
                } else {
                    machine.replace((index, pc, lane), access, &found, wanted, place);
                    if compares_floats {
                        machine.granted.entry(FLOATS).or_insert((0, pc)).0 += 1;
                    }
                }
            }
        });
    }

    /// A lane replaces the word that it has found.
    fn replace(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        access: Access,
        found: &Found,
        wanted: Value,
        (region, offset): (usize, u64),
    ) {
        // Whether it does so may depend on the word, if there are several ways.
        let asked = self.guards.last().map(|guards| guards[lane as usize]);
        let asked = asked.filter(|condition| self.depends_on_found(*condition));
        let wanted = match asked {
            Some(condition) => choose(&mut self.terms, condition, wanted, found.word, access.format),
            None => wanted,
        };
        let Some(changes) = self.changes_of(found, wanted, access.format, (region, offset)) else {
            let why = "what a compare-and-swap writes is not known".to_owned();
            self.park(index, 1 << lane, pc, FaultKind::NotStructured(why));
            return;
        };
        let guards = asked.map(|_| std::mem::take(&mut self.guards));
        for (at, change) in changes {
            let place = (region, offset + at);
            self.update_lane((index, pc, lane), access.strength, &change, false, place);
        }
        self.guards = guards.unwrap_or_else(|| std::mem::take(&mut self.guards));
    }

    /// Whether a term depends on words that swaps find.
    fn depends_on_found(&mut self, term: Term) -> bool {
        let updates = &mut self.updates;
        let (mut open, mut seen) = (vec![term], FxHashSet::default());
        while let Some(term) = open.pop() {
            if updates.free.contains(&term) || !seen.insert(term) {
                continue;
            }
            if updates.own.contains(&term) {
                return true;
            }
            if term.as_node().is_some() {
                open.extend(operands(&self.terms.node(term)).into_iter().flatten());
            }
        }
        updates.free.extend(seen);
        false
    }

    /// What it is to replace a word by a function of it: how each part changes, by the bytes before it.
    fn changes_of(
        &mut self,
        found: &Found,
        wanted: Value,
        accessed: Format,
        (region, offset): (usize, u64),
    ) -> Option<Vec<(u64, Change)>> {
        let width = found.format.bits();
        let mut parts = Vec::new();
        for (at, symbol) in (0u32..).zip(&found.parts) {
            let part = super::bits::slice(&mut self.terms, wanted, accessed.bits(), at * width, width);
            let same = part == Value::Symbolic(Symbol::number(found.format, *symbol));
            parts.push(if same {
                None
            } else {
                Some(self.in_plain_sight(part, (*symbol, found.format), accessed.bytes()))
            });
        }
        let op = parts.iter().flatten().flatten().map(|change| change.op).next();
        if let Some(op) = op
            && parts.iter().flatten().all(Option::is_some)
        {
            // A part that stays as it is belongs to the update of the others.
            let stays = || Change { op, format: found.format, by: By::Nothing, of: accessed.bytes() };
            let changes = parts.into_iter().map(|part| part.flatten().unwrap_or_else(stays));
            let bytes = u64::from(found.format.bytes());
            return Some((0u64..).map(|at| at * bytes).zip(changes).collect());
        }
        let new = match wanted {
            Value::Symbolic(wanted) => {
                let mut known = FxHashMap::default();
                for (at, symbol) in (0u64..).zip(&found.parts) {
                    let bytes = found.format.bytes();
                    let place = offset + at * u64::from(bytes);
                    let there = self.memory.regions[region].cells.read(&mut self.terms, place, bytes);
                    known.insert(*symbol, as_number(&mut self.terms, found.format, there)?);
                }
                let term = self.terms.replaced(wanted.term, &mut known);
                // Words that were found elsewhere stand for nothing here.
                if self.depends_on_found(term) {
                    return None;
                }
                Value::Symbolic(Symbol { term, ..wanted })
            }
            known @ Value::Concrete(_) => known,
            Value::Undefined(_) => return None,
        };
        let format = accessed.of_bits();
        Some(vec![(
            0,
            Change { op: AtomicOp::CompareSwap, format, by: By::Itself(new), of: accessed.bytes() },
        )])
    }

    /// The operation on the bits of a part, if it is one.
    fn changed_bits(&mut self, bits: Term, (symbol, format): (Term, Format), of: u32) -> Option<Change> {
        let Node::Bits(op, _, a, b, _) = self.terms.node(bits) else { return None };
        let op = match op {
            BitOp::And => AtomicOp::And,
            BitOp::Or => AtomicOp::Or,
            BitOp::Xor => AtomicOp::Xor,
            _ => return None,
        };
        let is_part =
            |term| matches!(self.terms.node(term), Node::BitsOf(held, of) if (held, of) == (format, symbol));
        let operand = match (is_part(a), is_part(b)) {
            (true, false) => b,
            (false, true) => a,
            _ => return None,
        };
        let by = By::Operands(vec![Value::Symbolic(Symbol::bits(operand))]);
        (!self.depends_on_found(operand)).then(|| Change { op, format: format.of_bits(), by, of })
    }

    /// A choice between the bits of a part and those of a number, as a choice between numbers of that one's format.
    fn chosen_bits(&mut self, bits: Term, (symbol, format): (Term, Format)) -> Option<(Format, Term)> {
        let terms = &mut self.terms;
        let Node::Select(condition, a, b) = terms.node(bits) else { return None };
        let (Node::BitsOf(first, one), Node::BitsOf(second, two)) = (terms.node(a), terms.node(b)) else {
            return None;
        };
        let taken = if (first, one) == (format, symbol) { second } else { first };
        let [one, two] = [(first, one), (second, two)]
            .map(|(held, term)| as_number(terms, taken, Value::Symbolic(Symbol::number(held, term))));
        let chosen = terms.select(condition, one?, two?);
        Some((taken, chosen))
    }

    /// The update that a function of a part of a word is, in plain sight.
    fn in_plain_sight(&mut self, wanted: Value, (symbol, format): (Term, Format), of: u32) -> Option<Change> {
        let Value::Symbolic(wanted) = wanted else { return None };
        let (taken, term) = match wanted.kind {
            SymbolKind::Number(taken) => (taken, wanted.term),
            SymbolKind::Bits => match self.changed_bits(wanted.term, (symbol, format), of) {
                Some(change) => return Some(change),
                None => self.chosen_bits(wanted.term, (symbol, format))?,
            },
            SymbolKind::Condition => return None,
        };
        if taken.bits() != format.bits() {
            return None;
        }
        // The part, as a number of the format that is wanted.
        let is_part = |terms: &Terms, term: Term| match terms.node(term) {
            Node::FromBits(own, bits) if own == taken => {
                matches!(terms.node(bits), Node::BitsOf(held, of) if (held, of) == (format, symbol))
            }
            _ => term == symbol && taken == format,
        };
        let other = |terms: &Terms, a: Term, b: Term| match (is_part(terms, a), is_part(terms, b)) {
            (true, false) => Some(b),
            (false, true) => Some(a),
            _ => None,
        };
        let terms = &mut self.terms;
        let (op, operand) = match terms.node(term) {
            Node::Add(a, b) => (AtomicOp::Add, other(terms, a, b)?),
            Node::Sub(a, b) if is_part(terms, a) => (AtomicOp::Add, terms.neg(b)),
            Node::Fma(a, b, c) if is_part(terms, c) => (AtomicOp::Add, terms.mul(a, b)),
            Node::Mul(a, b) => (AtomicOp::Multiply, other(terms, a, b)?),
            Node::Max(a, b) => (AtomicOp::Max, other(terms, a, b)?),
            Node::Min(a, b) => (AtomicOp::Min, other(terms, a, b)?),
            // The larger of the two is one by now, if terms see it.
            Node::Select(condition, a, b) => {
                let asked = terms.node(condition);
                let (asked, a, b) = match asked {
                    Node::Not(condition) => (terms.node(condition), b, a),
                    _ => (asked, a, b),
                };
                let Node::Compare(Relation::Less | Relation::LessEqual, lesser, greater) = asked else {
                    return None;
                };
                // `lesser < greater ? a : b`
                let op = match (a, b) {
                    _ if (a, b) == (greater, lesser) => AtomicOp::Max,
                    _ if (a, b) == (lesser, greater) => AtomicOp::Min,
                    _ => return None,
                };
                (op, other(terms, a, b)?)
            }
            _ => return None,
        };
        let by = By::Operands(vec![Value::Symbolic(Symbol::number(taken, operand))]);
        (!self.depends_on_found(operand)).then_some(Change { op, format: taken, by, of })
    }
}
