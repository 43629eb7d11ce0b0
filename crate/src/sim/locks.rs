//! Locks: words that threads take by an update in a loop, in whatever order the machine lets them.
//!
//! `while (atomicCAS(&lock, 0, 1) != 0);` changes the word of a lock that is free, and leaves it as it is where
//! somebody holds it. Whatever the operation: an update in a loop whose result is used is a *try*; a try that changes
//! the word has taken the lock, and one that does not has only looked. From then on until the word is again what it
//! was, a *section* is under way. Who comes next is the machine's choice. This run makes one, and stands for all:
//!
//! - A thread that finds the lock held only waits. So each try is first shown every word that the lock holds while it
//!   is held, and the thread has to come back to it with nothing changed (as with loads that wait, `signals`).
//! - What a thread did in a section is in order with what others do in theirs, one way or the other: `lock; x += 1;
//!   unlock` is no race. But nobody learns anything by taking a lock, because in another order there is nothing to
//!   learn. Two accesses that nothing else orders are no race exactly if both are in sections of one lock. That an
//!   access is in a section is a question of order, too: the try is before it, by an acquire, and it is before the
//!   end of the section, by a release, whichever threads of the CTA do it; scopes have to hold both threads.
//! - What sections find of one another is any contents: a symbol ([`contents`](super::contents)).
//! - Waits for locks must not go in a circle in any order ([`standoff`](super::standoff)).
//!
//! Runs are repeated until no lock, no word of one and no place that one guards is new.
//!
//! Guarantees: where nothing is reported, all schedules end alike, if every thread that waits gets the lock in the
//! end; lanes of a warp go on independently of one another, as since sm_70. Misses (and the kernel is judged as if
//! there were no locks here): tries that give up, or that come back with something changed; locks that somebody else
//! frees, or whose word is used for more; locks taken under a condition that depends on data.

use super::clock::Arrival;
use super::contents::Contents;
use super::history::{Key, Release};
use super::machine::{Flow, Machine};
use super::outcome::{AccessKind, Fault, FaultKind, Race, Run, Site};
use super::race::lanes;
use super::setup::{Options, Setup};
use super::signals::{self, wide};
use super::standoff::{Events, Standoff};
use super::warp::Group;
use super::{Ended, Watching};
use super::{atomics, spin, tickets, updates};
use crate::base::Budget;
use crate::ir::{Kernel, Reg, RegisterKind};
use crate::isa::{Access, AtomicOp, Effect, Order, Scope, Strength};
use crate::term::{Term, Value};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is taken for granted.
const FAIR: &str = "a thread that waits for a lock gets it in the end: threads go on independently of one another, also lanes of a warp (sm_70 and later)";

/// Contents of each kind that may be handed on, and as many that updates may find.
const MOST: u32 = 1 << 21;

/// Why locks were not followed, and where; and whether there may be some that several threads try to take.
pub(super) type Lost = (Option<Site>, String, bool);

/// A place in memory: region and offset. Of shared memory it stands for that of each CTA.
pub(super) type Word = (usize, u64);

/// What is known of a launch's locks from earlier runs.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Plan {
    /// The words of locks, and what they hold while somebody holds the lock.
    pub(super) held: BTreeMap<Word, BTreeSet<u64>>,
    /// Places whose contents sections hand on, and the locks that guard each.
    pub(super) guarded: BTreeMap<Word, BTreeSet<Word>>,
}

/// The locks of a run.
pub(super) struct Locks {
    plan: Plan,
    found: Plan,
    tries: Vec<bool>,
    locks: BTreeMap<Key, Lock>,
    pub(super) sections: Vec<Section>,
    /// Those that have not ended.
    open: Vec<usize>,
    /// By thread: where it tries, and what it was shown there.
    attempts: FxHashMap<u32, Vec<Attempt>>,
    /// A lock is being taken.
    taking: bool,
    /// By lock, the threads that have tried to take it, and the words that it has held.
    tried: BTreeMap<Key, (BTreeSet<u32>, BTreeSet<u64>)>,
    /// Why this run says nothing about others.
    pub(super) lost: Option<(Site, String)>,
    pub(super) contents: Contents,
    pub(super) standoff: Standoff,
}

/// A lock.
#[derive(Default)]
struct Lock {
    /// The word that frees it.
    free: u64,
    bytes: u32,
    open: Option<usize>,
    taken: bool,
    /// Writes before it was taken first.
    before: Vec<Arrival>,
}

/// What a thread, and those that meet it, do between taking a lock and freeing it.
pub(super) struct Section {
    pub(super) lock: Key,
    /// Who took it, by its global number, in which epoch of its own, and where.
    pub(super) holder: u32,
    took: u32,
    scope: Scope,
    pub(super) site: Site,
    starts: Vec<Start>,
    /// By thread: which starts it knows of.
    members: FxHashMap<u32, Vec<usize>>,
    /// What its end tells others, once it has ended.
    ended: Option<Vec<Release>>,
    /// Who acquires what it leaves does not learn of the sections before it.
    breaks: bool,
    /// Accesses that are no races if they come before the end.
    pending: Vec<Pending>,
    /// What must have happened when it was taken, and before it was freed.
    pub(super) since: Events,
    pub(super) until: Option<Events>,
}

/// From here on a thread, and who knows of it, is in a section: an acquire behind the try.
#[derive(Clone, Copy)]
struct Start {
    thread: u32,
    epoch: u32,
    scope: Scope,
    /// It is a `fence.sc`.
    sequential: bool,
}

struct Pending {
    thread: u32,
    epoch: u32,
    /// Starts that it has to be told to, in another order.
    told: Vec<Start>,
    /// Under which condition both are made.
    condition: Term,
    race: Race,
    region: usize,
    /// Other sections may tell it as well: how many have not ended, and whether one has told it.
    open: Rc<Cell<(usize, bool)>>,
}

/// A try or a look of a thread that does not hold the lock yet.
struct Attempt {
    pc: u32,
    key: Key,
    needed: Vec<Value>,
    /// All registers then.
    registers: Vec<Value>,
    shown: BTreeSet<u64>,
}

/// What a try gives.
enum Outcome {
    Show(u64),
    Take,
    Wait,
    Lost,
}

/// Whether a kernel may take locks.
pub(super) fn has_any(kernel: &Kernel) -> bool {
    signals::may_order(kernel) && tries(kernel).contains(&true)
}

/// Numbers that a kernel needs for contents that its locks hand on and that its updates find, of each kind.
pub fn handed_on(kernel: &Kernel) -> u32 {
    if has_any(kernel) || updates::has_any(kernel) { MOST } else { 0 }
}

/// The instructions that may take a lock: none, if none of them is in a loop.
fn tries(kernel: &Kernel) -> Vec<bool> {
    let is_try = |at: usize| {
        let instr = &kernel.code[at];
        let Effect::Atomic { op, access } = instr.effect else { return false };
        let takes = match op {
            AtomicOp::CompareSwap | AtomicOp::Exchange | AtomicOp::Or => true,
            AtomicOp::Add
            | AtomicOp::Multiply
            | AtomicOp::Min
            | AtomicOp::Max
            | AtomicOp::And
            | AtomicOp::Xor
            | AtomicOp::Inc
            | AtomicOp::Dec => false,
        };
        let kept = kernel
            .dst(instr)
            .first()
            .is_some_and(|reg| !matches!(kernel.registers[reg.index()], RegisterKind::Sink));
        takes
            && kept
            && access.vector == 1
            && !access.format.is_float()
            && access.format.bits() >= 32
            && signals::polled(kernel, instr).is_none()
            && !updates::is_swap(kernel, at as u32)
    };
    let read = super::needed::anywhere(kernel);
    let used = |at: usize| kernel.dst(&kernel.code[at]).iter().any(|reg| read[reg.index()]);
    let all: Vec<bool> = (0..kernel.code.len()).map(|at| is_try(at) && used(at)).collect();
    let in_a_loop = |at: usize| spin::cycle(kernel, at as u32).iter().filter(|inside| **inside).count() > 1;
    // The first round of a loop may stand before it.
    let any = (0..all.len()).any(|at| all[at] && in_a_loop(at));
    if any { all } else { vec![false; all.len()] }
}

/// Executes a kernel with locks in one order of those who take them, if that stands for all or shows a fault, or says
/// why it says nothing; and the fuel burnt.
pub(super) fn in_one_order(
    options: &Options,
    budget: &Budget,
    kernel: &Kernel,
    setup: &Setup,
    from: &Watching,
) -> (Run, Option<Lost>, u64) {
    let asked = from.asked.clone();
    let locks = Some(Plan::default());
    let mut watch = Watching { inputs: true, locks, asked, spent: from.spent, ..Watching::default() };
    loop {
        match Machine::new(options, budget, kernel, setup, watch).run() {
            Ended::Again(more) => watch = *more,
            Ended::Whole(run, tickets::Verdict::Lost(lost), burnt) => return (*run, Some(lost), burnt),
            Ended::Whole(run, _, burnt) => return (*run, None, burnt),
        }
    }
}

/// A run on one of several ways, by input data, on which locks are not followed.
pub(super) fn on_a_way(run: Run) -> Run {
    let is_order = |fault: &Fault| matches!(fault.kind, FaultKind::DataRace(_) | FaultKind::Deadlock(_));
    let suspects = run.suspects.iter().map(|suspect| &suspect.fault);
    if !run.faults.iter().chain(suspects).any(is_order) {
        return run;
    }
    without_order(run, (None, "locks are taken on one of several ways, by input data".to_owned(), true))
}

/// A run in which locks were not followed. What it takes for races, or for a deadlock, locks may keep from happening.
pub(super) fn without_order(mut run: Run, (site, why, _): Lost) -> Run {
    let is_order = |fault: &Fault| matches!(fault.kind, FaultKind::DependsOnSchedule(_));
    let is_race = |fault: &Fault| matches!(fault.kind, FaultKind::DataRace(_) | FaultKind::Deadlock(_));
    run.faults.retain(|fault| !is_race(fault));
    run.suspects.retain(|suspect| !is_race(&suspect.fault));
    if !run.faults.iter().any(is_order) {
        run.faults.push(Fault::new(FaultKind::DependsOnSchedule(why), site));
    }
    run
}

impl Locks {
    pub(super) fn new(kernel: &Kernel, plan: Plan) -> Locks {
        Locks {
            found: plan.clone(),
            plan,
            tries: tries(kernel),
            locks: BTreeMap::new(),
            sections: Vec::new(),
            open: Vec::new(),
            attempts: FxHashMap::default(),
            taking: false,
            tried: BTreeMap::new(),
            lost: None,
            contents: Contents::default(),
            standoff: Standoff::default(),
        }
    }

    /// Whether this run has found more locks, or places that they guard, than were known.
    fn has_more(&self) -> bool {
        self.lost.is_none() && self.found != self.plan
    }

    /// Whether several threads have tried to take some lock.
    pub(super) fn any_shared(&self) -> bool {
        !self.found.held.is_empty()
    }

    /// What the next run has to know, if this one has found more, or new places where accesses meet.
    pub(super) fn next_plan(&self, places: bool) -> Option<Plan> {
        (self.has_more() || places && self.lost.is_none()).then(|| self.found.clone())
    }

    /// Whether an instruction may take a lock.
    pub(super) fn is_try(&self, pc: u32) -> bool {
        self.tries[pc as usize]
    }

    fn is_lock(&self, (cta, region, offset): Key) -> bool {
        self.locks.contains_key(&(cta, region, offset)) || self.plan.held.contains_key(&(region, offset))
    }

    /// The section of a lock of these that a thread is in.
    pub(super) fn section_in(&self, thread: u32, locks: &BTreeSet<Word>) -> Option<usize> {
        let own = |at: &&usize| {
            let section = &self.sections[**at];
            locks.contains(&(section.lock.1, section.lock.2)) && section.members.contains_key(&thread)
        };
        self.open.iter().find(own).copied()
    }

    /// Whether a lock is being taken.
    pub(super) fn is_taking(&self) -> bool {
        self.taking
    }

    /// Which locks guard a place.
    pub(super) fn guards(&self, place: Word) -> Option<&BTreeSet<Word>> {
        self.plan.guarded.get(&place)
    }

    /// Whether locks guard anything.
    pub(super) fn guards_any(&self) -> bool {
        !self.plan.guarded.is_empty()
    }

    /// The open sections that a thread is in.
    pub(super) fn sections_of(&self, thread: u32) -> Rc<[u32]> {
        let own = |at: &&usize| self.sections[**at].members.contains_key(&thread);
        self.open.iter().filter(own).map(|at| *at as u32).collect()
    }
}

impl<'a> Machine<'a> {
    /// Nothing is said about other orders.
    pub(super) fn lose(&mut self, (index, pc, mask): (usize, u32, u32), why: &str) {
        let thread = self.thread(self.warps[index].first() + mask.trailing_zeros());
        if let Some(locks) = &mut self.locks {
            locks.lost.get_or_insert((Site { instr: pc, thread }, why.to_owned()));
        }
        self.park(index, mask, pc, FaultKind::DependsOnSchedule(why.to_owned()));
    }

    /// Whether a place is the word of a lock.
    pub(super) fn is_lock(&self, region: usize, offset: u64) -> bool {
        let cta = self.cta_of(region);
        self.locks.as_ref().is_some_and(|locks| locks.is_lock((cta, region, offset)))
    }

    /// Whether an instruction may take a lock in this run.
    pub(super) fn tries(&self, pc: u32) -> bool {
        self.locks.as_ref().is_some_and(|locks| locks.is_try(pc))
    }

    /// Where the holder of a lock took it.
    pub(super) fn holder_of(&self, region: usize, offset: u64) -> Option<Site> {
        let locks = self.locks.as_ref()?;
        let open = locks.locks.get(&(self.cta_of(region), region, offset))?.open?;
        Some(locks.sections[open].site)
    }

    /// Lanes do something to others: none of them may be about to take a lock.
    pub(super) fn act_before_locks(&mut self, index: usize, pc: u32, mask: u32) {
        let first = self.first_thread + self.warps[index].first();
        let Some(locks) = self.locks.as_ref().filter(|locks| !locks.attempts.is_empty()) else { return };
        let early = lanes(mask).filter(|lane| locks.attempts.contains_key(&(first + lane)));
        let early = early.fold(0, |mask, lane| mask | 1 << lane);
        if early != 0 {
            self.lose((index, pc, early), "a thread that finds a lock held does something else");
        }
    }

    // ---- taking ----------------------------------------------------------------------------

    /// Lanes try to take locks.
    pub(super) fn lock_try(&mut self, index: usize, pc: u32, mask: u32, access: Access) -> Flow {
        if !self.guards.is_empty() {
            let why = match self.kernel.code[pc as usize].effect {
                Effect::Atomic { op: AtomicOp::CompareSwap, .. } => {
                    "a compare-and-swap is made under a condition that depends on input data, and the loop around it is not one that is followed as an update"
                }
                _ => "a lock is taken under a condition that depends on input data",
            };
            self.lose((index, pc, mask), why);
            return Flow::Next;
        }
        let bytes = access.format.bytes();
        let (mut going, mut waiting, mut other) = (0, 0, mask);
        for (lane, region, offset) in self.spots(index, pc, mask, access) {
            let state = &self.memory.regions[region];
            let inside = offset + u64::from(bytes) <= state.size.unwrap_or(state.limit);
            if !inside || offset % u64::from(bytes) != 0 {
                continue;
            }
            other &= !(1 << lane);
            self.prepare_at(region, offset, bytes, access, AccessKind::Atomic);
            let key = (self.cta_of(region), region, offset);
            match self.outcome(index, pc, lane, key, access) {
                Outcome::Show(word) => {
                    let dst = self.kernel.dst(&self.kernel.code[pc as usize])[0];
                    self.warps[index].set(dst, lane, Value::Concrete(word));
                    going |= 1 << lane;
                }
                Outcome::Take => {
                    self.take_lock(index, pc, lane, key, access);
                    going |= 1 << lane;
                }
                Outcome::Wait => waiting |= 1 << lane,
                Outcome::Lost => {}
            }
        }
        if other != 0 {
            // Bad addresses are told there.
            self.atomic(index, pc, other, access);
            going |= other;
        }
        self.go_on_or_wait(index, pc, going, waiting)
    }

    fn go_on_or_wait(&mut self, index: usize, pc: u32, going: u32, waiting: u32) -> Flow {
        if waiting == 0 {
            return Flow::Next;
        }
        self.warps[index].spinning.push((Group { pc, mask: waiting }, self.changes));
        let going = going & !self.warps[index].faulted;
        if going != 0 {
            self.warps[index].parted = true;
            self.warps[index].resume(pc + 1, going);
        }
        Flow::Leave
    }

    fn outcome(&mut self, index: usize, pc: u32, lane: u32, key: Key, access: Access) -> Outcome {
        let kernel = self.kernel;
        let instr = &kernel.code[pc as usize];
        let Effect::Atomic { op, .. } = instr.effect else { return Outcome::Lost };
        let bytes = access.format.bytes();
        let operands: Vec<Value> =
            kernel.src(instr)[1..].iter().map(|reg| self.warps[index].get(*reg, lane)).collect();
        let word = self.memory.regions[key.1].cells.read(&mut self.terms, key.2, bytes);
        let known = matches!(word, Value::Concrete(_));
        let (Some(operands), true) = (atomics::words(&operands), known) else {
            let why = match op {
                AtomicOp::CompareSwap => {
                    "a compare-and-swap finds a word that depends on input data, and the loop around it is not one that is followed as an update"
                }
                _ => "the word of a lock depends on input data",
            };
            self.lose((index, pc, 1 << lane), why);
            return Outcome::Lost;
        };
        let Value::Concrete(word) = word else { return Outcome::Lost };
        let leaves = |word: u64| atomics::leaves(op, access.format, word, &operands);
        let shown = match self.come_to(index, pc, lane, key, Some(word).filter(|word| leaves(*word))) {
            Some(Ok(word)) if leaves(word) => return Outcome::Show(word),
            Some(Ok(_)) => Err("a lock is taken from whoever holds it"),
            Some(Err(why)) => Err(why),
            None => Ok(()),
        };
        if let Err(why) = shown {
            self.lose((index, pc, 1 << lane), why);
            return Outcome::Lost;
        }
        let cta = self.locks.as_ref().and_then(|locks| locks.locks.get(&key));
        let is_held = cta.is_some_and(|lock| lock.open.is_some());
        match (is_held, leaves(word)) {
            (_, true) => Outcome::Wait,
            (false, false) => Outcome::Take,
            (true, false) => {
                self.lose((index, pc, 1 << lane), "a lock is taken from whoever holds it");
                Outcome::Lost
            }
        }
    }

    /// A thread comes to a try or a look: the next word that it is to be shown, of those of a held lock and the one
    /// that is there, if it has to wait for that; `None` if it has been shown all and has always come back.
    fn come_to(
        &mut self,
        index: usize,
        pc: u32,
        lane: u32,
        key: Key,
        now: Option<u64>,
    ) -> Option<Result<u64, &'static str>> {
        let registers = self.needed_at(pc);
        let needed: Vec<Value> = registers.iter().map(|reg| self.warps[index].get(*reg, lane)).collect();
        let warp = &self.warps[index];
        let registers = || (0..warp.register_count()).map(|at| warp.get(Reg(at as u32), lane)).collect();
        let thread = self.first_thread + self.warps[index].first() + lane;
        let locks = self.locks.as_mut()?;
        locks.tried.entry(key).or_default().0.insert(thread);
        let own = locks.attempts.entry(thread).or_default();
        if own.iter().any(|other| other.key != key) {
            return Some(Err("a thread waits for several locks at once"));
        }
        let at = own.iter().position(|before| before.pc == pc).unwrap_or_else(|| {
            let (needed, shown) = (needed.clone(), BTreeSet::new());
            own.push(Attempt { pc, key, needed, registers: registers(), shown });
            own.len() - 1
        });
        if own[at].needed != needed {
            return Some(Err("how a thread goes on depends on how often it finds a lock held"));
        }
        let words = locks.plan.held.get(&(key.1, key.2)).into_iter().flatten().copied();
        let word = words.chain(now).find(|word| !own[at].shown.contains(word))?;
        own[at].shown.insert(word);
        Some(Ok(word))
    }

    fn take_lock(&mut self, index: usize, pc: u32, lane: u32, key: Key, access: Access) {
        let thread = self.warps[index].first() + lane;
        let global = self.first_thread + thread;
        let bytes = access.format.bytes();
        let Value::Concrete(free) = self.memory.regions[key.1].cells.read(&mut self.terms, key.2, bytes)
        else {
            return;
        };
        let own = self.locks.as_mut().and_then(|locks| locks.attempts.remove(&global)).unwrap_or_default();
        if !self.go_on_alike(&own, free) || !self.stay(&own, key, free) {
            let why = "how a thread goes on depends on which of its tries takes the lock";
            self.lose((index, pc, 1 << lane), why);
            return;
        }
        // Whoever wrote there before did not know of a lock.
        let written = self.signals.as_ref().is_some_and(|signals| signals.places.contains_key(&key));
        let Some(locks) = &mut self.locks else { return };
        if written {
            locks.tried.entry(key).or_default().0.insert(u32::MAX);
        }
        locks.taking = true;
        if let Some(signals) = &mut self.signals {
            signals.act([global].into_iter());
        }
        self.atomic(index, pc, 1 << lane, access);
        let held = self.memory.regions[key.1].cells.read(&mut self.terms, key.2, bytes);
        let site = Site { instr: pc, thread: self.thread(thread) };
        self.clocks.step(thread);
        let took = self.clocks.epoch(thread);
        let Strength::Strong(scope, order) = access.strength else { return };
        let Some(locks) = &mut self.locks else { return };
        locks.taking = false;
        let lock = locks.locks.entry(key).or_default();
        let early = lock.before.iter().all(|before| self.clocks.relies(before, thread));
        let same = !lock.taken || lock.free == free && lock.bytes == bytes;
        let Value::Concrete(held) = held else { return };
        if !early || !same {
            let why = match early {
                false => "a lock is taken that may not be made yet",
                true => "the word of a free lock is not always the same",
            };
            self.lose((index, pc, 1 << lane), why);
            return;
        }
        let at = locks.sections.len();
        (lock.free, lock.bytes, lock.open, lock.taken) = (free, bytes, Some(at), true);
        locks.tried.entry(key).or_default().1.insert(held);
        let since = locks.standoff.take(global, at);
        locks.sections.push(Section {
            lock: key,
            holder: global,
            took,
            scope,
            site,
            starts: Vec::new(),
            members: FxHashMap::default(),
            ended: None,
            breaks: false,
            pending: Vec::new(),
            since,
            until: None,
        });
        locks.open.push(at);
        self.granted.entry(FAIR).or_insert((0, pc)).0 += 1;
        if order.acquires() {
            self.start_section(at, thread, scope, false);
        }
    }

    /// Whether a thread goes on in the same way from each of the tries at which it may take a lock, and so from each
    /// look that shows it free.
    fn go_on_alike(&mut self, attempts: &[Attempt], free: u64) -> bool {
        let (tries, looks): (Vec<&Attempt>, Vec<&Attempt>) =
            attempts.iter().partition(|attempt| self.tries(attempt.pc));
        [tries, looks].into_iter().filter(|all| all.len() > 1).all(|all| {
            let landing = |machine: &mut Self, at: &Attempt| machine.landing(at.pc, &at.registers, free);
            let first = landing(self, all[0]);
            first.is_some() && all[1..].iter().all(|attempt| landing(self, attempt) == first)
        })
    }

    /// Whether a thread that waits comes to one of its tries and looks again with the words that it was not shown.
    fn stay(&mut self, attempts: &[Attempt], key: Key, free: u64) -> bool {
        let held = self.locks.as_ref().and_then(|locks| locks.plan.held.get(&(key.1, key.2)));
        let held: Vec<u64> = held.into_iter().flatten().copied().collect();
        attempts.iter().all(|attempt| {
            let free = (!self.tries(attempt.pc)).then_some(free);
            let words = held.iter().copied().chain(free);
            words.filter(|word| !attempt.shown.contains(word)).all(|word| {
                let landing = self.landing(attempt.pc, &attempt.registers, word);
                let is_it = |other: &Attempt, (pc, needed): &(u32, Vec<Value>)| {
                    other.pc == *pc && other.needed == *needed
                };
                landing.is_some_and(|landing| attempts.iter().any(|other| is_it(other, &landing)))
            })
        })
    }

    /// A thread has acquired what a lock gives: it is in the section from now on.
    fn start_section(&mut self, at: usize, thread: u32, scope: Scope, sequential: bool) {
        let global = self.first_thread + thread;
        let epoch = self.clocks.epoch(thread);
        let Some(locks) = &mut self.locks else { return };
        let section = &mut locks.sections[at];
        section.starts.push(Start { thread: global, epoch, scope, sequential });
        let number = section.starts.len() - 1;
        section.members.entry(global).or_default().push(number);
    }

    /// A thread executes a fence: it may be the acquire behind a try, by this thread or by one that it has met since.
    pub(super) fn lock_fence(&mut self, thread: u32, scope: Scope, order: Order) {
        let global = self.first_thread + thread;
        let Some(locks) = self.locks.as_ref().filter(|_| order.acquires()) else { return };
        let sequential = order == Order::Sequential && wide(scope);
        let starts = |at: &usize| {
            let section = &locks.sections[*at];
            let own = section.holder == global;
            own || sequential && self.clocks.ordered(section.holder, section.took, thread)
        };
        let mine: Vec<usize> = locks.open.iter().copied().filter(starts).collect();
        if mine.is_empty() {
            return;
        }
        self.clocks.step(thread);
        for at in mine {
            let own = self.locks.as_ref().map_or(scope, |locks| locks.sections[at].scope);
            self.start_section(at, thread, scope.min(own), sequential);
        }
    }

    /// Threads know more than before: in which sections are they?
    pub(super) fn lock_learned(&mut self, threads: impl Iterator<Item = u32>) {
        let first = self.first_thread;
        let Some(locks) = self.locks.as_mut().filter(|locks| !locks.open.is_empty()) else { return };
        for thread in threads {
            for at in &locks.open {
                let section = &mut locks.sections[*at];
                for (number, start) in section.starts.iter().enumerate() {
                    if self.clocks.ordered(start.thread, start.epoch, thread) {
                        let known = section.members.entry(first + thread).or_default();
                        if !known.contains(&number) {
                            known.push(number);
                        }
                    }
                }
            }
        }
    }

    // ---- looking ---------------------------------------------------------------------------

    /// Strong loads of the words of locks: whether the lanes all look at some, and what comes of it.
    pub(super) fn lock_look(&mut self, index: usize, pc: u32, mask: u32, access: Access) -> Option<Flow> {
        self.locks.as_ref()?;
        let spots = self.spots(index, pc, mask, access);
        let of_lock = |spot: &&(u32, usize, u64)| self.is_lock(spot.1, spot.2);
        let count = spots.iter().filter(of_lock).count();
        if count == 0 {
            return None;
        }
        if count < spots.len() || spots.len() < mask.count_ones() as usize || access.vector > 1 {
            self.lose((index, pc, mask), "a load looks at locks and at other places");
            return Some(Flow::Next);
        }
        if !self.guards.is_empty() {
            self.lose((index, pc, mask), "a lock is looked at under a condition that depends on input data");
            return Some(Flow::Next);
        }
        let (mut going, mut waiting) = (0, 0);
        for (lane, region, offset) in spots {
            let key = (self.cta_of(region), region, offset);
            let held = self.locks.as_ref().and_then(|locks| locks.locks.get(&key));
            let is_held = held.is_some_and(|lock| lock.open.is_some());
            let now = is_held.then(|| {
                let cells = &self.memory.regions[region].cells;
                match cells.read(&mut self.terms, offset, access.format.bytes()) {
                    Value::Concrete(word) => Some(word),
                    Value::Symbolic(_) | Value::Undefined(_) => None,
                }
            });
            let now = now.flatten();
            match self.come_to(index, pc, lane, key, now) {
                Some(Ok(word)) => {
                    self.load(index, pc, 1 << lane, access);
                    self.fill_element((index, pc, lane), (region, offset), access, 0, Value::Concrete(word));
                    going |= 1 << lane;
                }
                Some(Err(why)) => self.lose((index, pc, 1 << lane), why),
                None => {
                    if is_held {
                        waiting |= 1 << lane;
                    } else {
                        self.load(index, pc, 1 << lane, access);
                        self.note_free((index, pc, lane), (region, offset), access.format.bytes());
                        going |= 1 << lane;
                    }
                }
            }
        }
        Some(self.go_on_or_wait(index, pc, going, waiting))
    }

    /// A look shows a lane a free lock.
    fn note_free(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        (region, offset): (usize, u64),
        bytes: u32,
    ) {
        let thread = self.first_thread + self.warps[index].first() + lane;
        let word = self.memory.regions[region].cells.read(&mut self.terms, offset, bytes);
        let own = self.locks.as_mut().and_then(|locks| locks.attempts.get_mut(&thread));
        let here = own.into_iter().flatten().find(|attempt| attempt.pc == pc);
        if let (Some(here), Value::Concrete(word)) = (here, word) {
            here.shown.insert(word);
        }
    }

    // ---- freeing ---------------------------------------------------------------------------

    /// A lane has written a place: if it is the word of a lock, whether that frees it.
    pub(super) fn lock_write(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        (region, offset, bytes): (usize, u64, u32),
        (strength, updates): (Strength, bool),
    ) -> bool {
        let cta = self.cta_of(region);
        let Some(locks) = &self.locks else { return false };
        if locks.taking {
            return true;
        }
        let near = |at: u64, size: u32| at < offset + u64::from(bytes) && offset < at + u64::from(size);
        let from = offset.saturating_sub(8);
        let mut known = locks.locks.range((cta, region, from)..(cta, region, offset + u64::from(bytes)));
        let mut planned = locks.plan.held.range((region, from)..(region, offset + u64::from(bytes)));
        let touched = known.find(|((.., at), lock)| near(*at, lock.bytes.max(4))).map(|((.., at), _)| *at);
        let touched = touched.or_else(|| planned.find(|((_, at), _)| near(*at, 4)).map(|((_, at), _)| *at));
        let Some(at) = touched else { return false };
        let key = (cta, region, offset);
        let thread = self.warps[index].first() + lane;
        let global = self.first_thread + thread;
        let same =
            at == offset && locks.locks.get(&key).is_none_or(|lock| !lock.taken || lock.bytes == bytes);
        let value = self.memory.regions[region].cells.read(&mut self.terms, offset, bytes);
        if !same || !self.guards.is_empty() {
            self.lose((index, pc, 1 << lane), "the word of a lock is written in another way");
            return true;
        }
        let stamp = self.clocks.stamp(thread);
        let Some(locks) = &mut self.locks else { return true };
        let lock = locks.locks.entry(key).or_default();
        let Some(at) = lock.open else {
            if lock.taken {
                self.lose((index, pc, 1 << lane), "a lock is written by a thread that does not hold it");
            } else {
                lock.before.push(stamp);
            }
            return true;
        };
        let section = &locks.sections[at];
        let inside = section.holder == global || self.clocks.ordered(section.holder, section.took, thread);
        if !inside || value != Value::Concrete(lock.free) {
            let why = match inside {
                false => "a lock is freed by a thread that does not hold it",
                true => "the word of a lock changes while somebody holds it",
            };
            self.lose((index, pc, 1 << lane), why);
            return true;
        }
        lock.open = None;
        locks.open.retain(|open| *open != at);
        let until = locks.standoff.free(global, at);
        self.end_section((pc, thread), at, (strength, updates), until);
        true
    }

    fn end_section(
        &mut self,
        (pc, thread): (u32, u32),
        at: usize,
        (strength, updates): (Strength, bool),
        until: Events,
    ) {
        let released = self.own_releases(pc, thread, strength);
        let Some(locks) = &mut self.locks else { return };
        let section = &mut locks.sections[at];
        let pending = std::mem::take(&mut section.pending);
        section.until = Some(until);
        for Pending { thread, epoch, told, condition, race, region, open } in pending {
            let (left, told_before) = open.get();
            let tells = told_before || self.tells(&released, (thread, epoch), &told);
            open.set((left - 1, tells));
            if left == 1 && !tells {
                let pair = (race.first.site.instr, race.second.site.instr);
                match condition {
                    Term::TRUE => self.list_race(pair, region, |_| race),
                    _ => self.suspect_race(region, condition, None, |_| race, pair),
                }
            }
        }
        // An update hands on what it finds; a store hands on what its thread has learned.
        let hands_on = |locks: &Locks| {
            let starts = &locks.sections[at].starts;
            updates
                || starts.iter().any(|start| self.tells(&released, (start.thread, start.epoch), &[*start]))
        };
        let breaks = !self.locks.as_deref().is_some_and(hands_on);
        if let Some(locks) = &mut self.locks {
            locks.sections[at].breaks = breaks;
            locks.sections[at].ended = Some(released);
        }
    }

    /// Whether the end of a section tells what a thread did in an epoch to who is in another by these starts.
    fn tells(&self, released: &[Release], (thread, epoch): (u32, u32), starts: &[Start]) -> bool {
        released.iter().any(|release| {
            super::clock::Clocks::precedes(thread, epoch, &release.arrival)
                && starts.iter().any(|start| {
                    let far = wide(start.scope) && wide(release.scope);
                    match release.sequential {
                        true => start.sequential && far,
                        false => far || self.clocks.same_cta(release.arrival.thread, start.thread),
                    }
                })
        })
    }

    /// Whether a lock keeps two accesses that nothing else orders from being made at once: both are in sections of it.
    /// The second is one of the present lane, and its section may have to end first to tell.
    pub(super) fn excludes(
        &mut self,
        (before, other, epoch): (&[u32], u32, u32),
        (now, thread, own_epoch): (&[u32], u32, u32),
        (region, at, condition): (usize, u64, Term),
        race: impl FnOnce(&mut Self) -> Race,
    ) -> bool {
        let Some(locks) = &self.locks else { return false };
        let (mut common, mut is_told): (Vec<(usize, usize)>, bool) = (Vec::new(), false);
        for one in before {
            for two in now.iter().filter(|two| *two != one) {
                let (first, second) = (&locks.sections[*one as usize], &locks.sections[*two as usize]);
                let Some(ended) = first.ended.as_ref().filter(|_| first.lock == second.lock) else {
                    continue;
                };
                let starts: Vec<Start> =
                    second.members.get(&thread).into_iter().flatten().map(|at| second.starts[*at]).collect();
                is_told |= self.tells(ended, (other, epoch), &starts);
                common.push((*one as usize, *two as usize));
            }
        }
        if !is_told {
            return false;
        }
        let race = race(self);
        let Some(locks) = &mut self.locks else { return false };
        // In the other order any of the locks may tell.
        let open = Rc::new(Cell::new((common.len(), false)));
        for (one, two) in &common {
            let first = &locks.sections[*one];
            let told = first.members.get(&other).into_iter().flatten().map(|at| first.starts[*at]).collect();
            let (race, open) = (race.clone(), Rc::clone(&open));
            let pending = Pending { thread, epoch: own_epoch, told, condition, race, region, open };
            locks.sections[*two].pending.push(pending);
        }
        let words = common.iter().map(|(one, _)| (locks.sections[*one].lock.1, locks.sections[*one].lock.2));
        let words: BTreeSet<Word> = words.collect();
        self.guard(region, at, &words);
        true
    }

    /// These locks guard a place.
    fn guard(&mut self, region: usize, at: u64, words: &BTreeSet<Word>) {
        let unit = self.unit_of(region);
        let Some(locks) = &mut self.locks else { return };
        let place = (region, at / unit * unit);
        match locks.found.guarded.get_mut(&place) {
            Some(known) => known.retain(|word| words.contains(word)),
            None => _ = locks.found.guarded.insert(place, words.clone()),
        }
        if locks.found.guarded[&place].is_empty() {
            let site = locks.sections.first().map(|section| section.site);
            if let Some(site) = site {
                let why = "different locks guard one place".to_owned();
                locks.lost.get_or_insert((site, why));
            }
        }
    }

    // ---- the end ---------------------------------------------------------------------------

    /// All threads have done what they do. Does this run stand for all orders?
    pub(super) fn judge_locks(&mut self) {
        let Some(locks) = &mut self.locks else { return };
        // What one thread alone takes is no lock.
        for ((_, region, offset), (_, words)) in locks.tried.iter().filter(|(_, (by, _))| by.len() > 1) {
            locks.found.held.entry((*region, *offset)).or_default().extend(words);
        }
        let Some(locks) = &self.locks else { return };
        let left = locks.attempts.keys().copied().min();
        let is_stuck = self.faults.iter().any(|fault| matches!(fault.kind, FaultKind::Deadlock(_)));
        if let Some(thread) = left.filter(|_| !is_stuck) {
            let site = Site { instr: locks.attempts[&thread][0].pc, thread: self.global_thread(thread) };
            let why = "a thread that finds a lock held does something else".to_owned();
            if let Some(locks) = &mut self.locks {
                locks.lost.get_or_insert((site, why));
            }
        }
        if self.locks.as_ref().is_some_and(|locks| locks.has_more()) {
            return;
        }
        let Some(locks) = &mut self.locks else { return };
        let many = |at: &Section| locks.sections.iter().filter(|other| other.lock == at.lock).count() > 2;
        let broken = locks.sections.iter().find(|section| section.breaks && many(section));
        if let Some(site) = broken.map(|section| section.site).filter(|_| self.races.found.is_empty()) {
            let why = "a section tells the next of what it has not acquired itself".to_owned();
            locks.lost.get_or_insert((site, why));
        }
        self.judge_standoff();
        self.judge_contents();
    }
}
