//! Every schedule of a small program, literally by the definitions.
//!
//! The exploration knows nothing of clocks: it walks every reachable state and notes which
//! conflicting accesses can happen directly one after the other, both ways round; who is left
//! waiting where nothing can go on; and which outputs the endings have.
//!
//! A background copy happens at some moment between its start and the wait that covers it, on its
//! own. Copies that arrive at a barrier object do so at some moment after they have happened. A
//! collective that orders no memory (a vote, a shuffle) lets nobody go on before all have come, and
//! still gives no order to accesses: races are those of the program without it, among the accesses
//! that are reached with it. The same holds for a barrier object whose arrivals, or whose waits, are all
//! relaxed.

use crate::program::{At, GLOBAL, OBJECTS, ONE_NUMBER, Op, Program, WORDS, digest, own_number};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What exploring all schedules shows.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// Conflicting accesses that can be executed directly one after the other, both ways round.
    pub races: BTreeSet<(At, At)>,
    /// Atomics with that property, of different operations or where the result of one is used: no
    /// race, but the outcome depends on their order.
    pub observed: BTreeSet<(At, At)>,
    /// Some schedule ends with agents that wait for ever.
    pub stuck: bool,
    /// Who meets whom at a barrier depends on the schedule.
    pub ambiguous: bool,
    /// At an aligned barrier the agents, lanes of one warp, do not all stand at one instruction.
    pub apart: bool,
    /// A lane reads another that has returned.
    pub undefined: bool,
    /// Memory and what the agents remember, in each ending; agents that are stuck show their place.
    pub endings: BTreeSet<Ending>,
    /// States visited.
    pub states: usize,
}

/// How a schedule ends.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ending {
    pub places: Vec<usize>,
    pub memory: [u32; WORDS],
    pub digests: Vec<u32>,
}

/// A copy under way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Flight {
    at: At,
    /// How many groups its agent had committed before. Commits since then make it old.
    group: u8,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    pc: Vec<usize>,
    waiting: Vec<bool>,
    exited: Vec<bool>,
    /// Arrivals at barriers by id.
    open: BTreeMap<u8, Vec<usize>>,
    /// Who took part in each finished phase, by barrier; for waits, which phase they saw.
    phases: BTreeMap<u8, Vec<Vec<usize>>>,
    memory: [u32; WORDS],
    /// What each operation read.
    results: BTreeMap<At, u32>,
    copies: Vec<Flight>,
    commits: Vec<u8>,
    objects: [Object; OBJECTS],
    /// Arrivals of copies to come: of which operation, at which object, and the copies that have to
    /// happen first.
    triggers: Vec<(At, u8, Vec<At>)>,
}

/// A barrier object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Object {
    /// Arrivals in the present phase, how many it lacks, and its number.
    arrived: Vec<usize>,
    lacking: u8,
    phase: u8,
}

/// The barrier objects among the phases.
const OBJECT: u8 = 200;
/// Waits of each agent for barrier objects.
const AWAITED: u8 = 210;
/// Phases of barrier objects that each agent has asked for one more arrival.
const RAISED: u8 = 220;
/// The copies that agent `n` has arrive by its operation `p` arrive as agent `COPIES * (p + 1) + n`.
const COPIES: usize = 100;

/// Explores every schedule.
pub fn explore(program: &Program) -> Truth {
    let (mut truth, reached) = walk(program, false);
    if program.code.iter().flatten().any(|op| op.is_collective() || op.is_relaxed()) {
        let (bare, _) = walk(program, true);
        let real = |pair: &&(At, At)| reached.contains(&pair.0) && reached.contains(&pair.1);
        truth.races = bare.races.iter().filter(real).copied().collect();
        truth.observed = bare.observed.iter().filter(real).copied().collect();
        truth.states += bare.states;
    }
    truth
}

/// Every schedule, with collectives or as if they were not there; and the accesses that some
/// schedule comes to.
fn walk(program: &Program, bare: bool) -> (Truth, BTreeSet<At>) {
    let agents = program.code.len();
    let start = State {
        pc: vec![0; agents],
        waiting: vec![false; agents],
        exited: vec![false; agents],
        open: BTreeMap::new(),
        phases: BTreeMap::new(),
        memory: [0, 0, GLOBAL[0], GLOBAL[1]],
        results: BTreeMap::new(),
        copies: Vec::new(),
        commits: vec![0; agents],
        objects: std::array::from_fn(|_| Object { arrived: Vec::new(), lacking: program.expected, phase: 0 }),
        triggers: Vec::new(),
    };
    let mut walk = Walk { program, bare, truth: Truth::default(), reached: BTreeSet::new() };
    let mut parties = HashSet::new();
    let mut seen = HashSet::from([start.clone()]);
    let mut todo = vec![start];
    while let Some(state) = todo.pop() {
        walk.note_conflicts(&state);
        let next = walk.successors(&state);
        if next.is_empty() {
            walk.truth.stuck |= state.exited.iter().any(|exited| !exited);
            parties.insert(state.phases.clone());
            let digests = (0..agents).map(|agent| walk.remembered(&state, agent)).collect();
            walk.truth.endings.insert(Ending { places: state.pc.clone(), memory: state.memory, digests });
        }
        for next in next {
            if seen.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    walk.truth.ambiguous = parties.len() > 1;
    walk.truth.states = seen.len();
    (walk.truth, walk.reached)
}

struct Walk<'a> {
    program: &'a Program,
    bare: bool,
    truth: Truth,
    reached: BTreeSet<At>,
}

/// One access that can happen next: by whom (copies are hands of their own), where, what.
struct Enabled {
    hand: usize,
    at: At,
    word: u8,
    op: Op,
}

impl Walk<'_> {
    fn op(&self, at: At) -> Option<Op> {
        self.program.code[at.0].get(at.1).copied()
    }

    fn remembered(&self, state: &State, agent: usize) -> u32 {
        state.results.range((agent, 0)..(agent + 1, 0)).fold(0, |sum, (_, result)| digest(sum, *result))
    }

    fn enabled(&self, state: &State) -> Vec<Enabled> {
        let mut enabled = Vec::new();
        for agent in 0..state.pc.len() {
            let at = (agent, state.pc[agent]);
            if state.waiting[agent] || state.exited[agent] {
                continue;
            }
            if let Some(op) = self.op(at)
                && let Some(word) = op.word()
            {
                enabled.push(Enabled { hand: agent, at, word, op });
            }
        }
        for (which, copy) in state.copies.iter().enumerate() {
            if let Some(Op::Copy { to, from }) = self.op(copy.at) {
                for (word, op) in [(to, Op::Write(to)), (from, Op::Read(from))] {
                    enabled.push(Enabled { hand: state.pc.len() + which, at: copy.at, word, op });
                }
            }
        }
        enabled
    }

    /// Happening leaves the other enabled (accesses block nobody), so both orders are executions.
    fn note_conflicts(&mut self, state: &State) {
        let enabled = self.enabled(state);
        self.reached.extend(enabled.iter().map(|access| access.at));
        for (at, one) in enabled.iter().enumerate() {
            for two in &enabled[at + 1..] {
                if one.hand == two.hand || one.word != two.word {
                    continue;
                }
                let pair = (one.at.min(two.at), one.at.max(two.at));
                match (one.op, two.op) {
                    (Op::Read(_) | Op::Peek(_), Op::Read(_) | Op::Peek(_))
                    | (Op::Add(_), Op::Add(_))
                    | (Op::Max(_), Op::Max(_)) => {}
                    (Op::Add(_) | Op::Max(_) | Op::Fetch(_), Op::Add(_) | Op::Max(_) | Op::Fetch(_)) => {
                        self.truth.observed.insert(pair);
                    }
                    _ => {
                        self.truth.races.insert(pair);
                    }
                }
            }
        }
    }

    fn successors(&mut self, state: &State) -> Vec<State> {
        let mut all = Vec::new();
        for agent in 0..state.pc.len() {
            if !state.waiting[agent] && !state.exited[agent] {
                all.extend(self.step(state, agent));
            }
        }
        for which in 0..state.copies.len() {
            let mut next = state.clone();
            let flight = next.copies.remove(which);
            if let Some(Op::Copy { to, from }) = self.op(flight.at) {
                next.memory[usize::from(to)] = next.memory[usize::from(from)];
            }
            all.push(next);
        }
        for which in 0..state.triggers.len() {
            let ((agent, position), object, copies) = &state.triggers[which];
            if !state.copies.iter().any(|flight| copies.contains(&flight.at)) {
                let mut next = state.clone();
                next.triggers.remove(which);
                self.arrive(&mut next, *object, COPIES * (position + 1) + agent);
                all.push(next);
            }
        }
        all
    }

    /// Somebody arrives at a barrier object.
    fn arrive(&self, state: &mut State, which: u8, who: usize) {
        let object = &mut state.objects[usize::from(which)];
        object.arrived.push(who);
        object.lacking -= 1;
        if object.lacking == 0 {
            let mut party = std::mem::take(&mut object.arrived);
            party.sort_unstable();
            state.phases.entry(OBJECT + which).or_default().push(party);
            object.lacking = self.program.expected;
            object.phase += 1;
        }
    }

    /// An access happens.
    fn happen(&self, state: &mut State, at: At) {
        let Some(op) = self.op(at) else { return };
        let word = usize::from(op.word().unwrap_or(0));
        let own = own_number(at.0, at.1);
        let old = state.memory[word];
        state.memory[word] = match op {
            Op::Write(_) if self.program.alike => ONE_NUMBER,
            Op::Write(_) => own.wrapping_add(self.remembered(state, at.0)),
            Op::Add(_) | Op::Fetch(_) => old.wrapping_add(own),
            Op::Max(_) => old.max(own),
            _ => old,
        };
        if matches!(op, Op::Read(_) | Op::Fetch(_)) {
            state.results.insert(at, old);
        }
    }

    fn step(&mut self, state: &State, agent: usize) -> Option<State> {
        let at = (agent, state.pc[agent]);
        let mut next = state.clone();
        let op = self.op(at);
        let under_way = |left: u8| {
            let own = |copy: &&Flight| copy.at.0 == agent;
            // Groups committed since it started, its own included.
            state.copies.iter().filter(own).any(|copy| state.commits[agent] - copy.group > left)
        };
        match op {
            None => {
                next.exited[agent] = true;
                self.complete(&mut next, 0);
                self.complete_sets(&mut next);
            }
            Some(op) if op.word().is_some() => {
                self.happen(&mut next, at);
                next.pc[agent] += 1;
            }
            Some(op) if self.bare && (op.is_collective() || self.is_loose(op)) => next.pc[agent] += 1,
            Some(Op::Fence) => next.pc[agent] += 1,
            Some(Op::SyncAll | Op::Aligned(_)) => {
                next.waiting[agent] = true;
                next.open.entry(0).or_default().push(agent);
                self.complete(&mut next, 0);
            }
            Some(Op::Named { id, waits, .. }) => {
                next.open.entry(id).or_default().push(agent);
                if waits {
                    next.waiting[agent] = true;
                } else {
                    next.pc[agent] += 1;
                }
                self.complete(&mut next, id);
            }
            Some(Op::SyncSet(_) | Op::Vote(_) | Op::Shuffle(_)) => {
                next.waiting[agent] = true;
                self.complete_sets(&mut next);
            }
            Some(Op::Copy { .. }) => {
                next.copies.push(Flight { at, group: state.commits[agent] });
                next.pc[agent] += 1;
            }
            Some(Op::Commit) => {
                next.commits[agent] += 1;
                next.pc[agent] += 1;
            }
            Some(Op::WaitGroups(left)) if under_way(left) => return None,
            Some(Op::WaitAll) if state.copies.iter().any(|copy| copy.at.0 == agent) => return None,
            Some(Op::WaitGroups(_) | Op::WaitAll) => next.pc[agent] += 1,
            Some(Op::Arrive(object) | Op::ArriveRelaxed(object)) => {
                next.pc[agent] += 1;
                self.arrive(&mut next, object, agent);
            }
            Some(Op::ArriveCopies { object, counted }) => {
                if !counted {
                    let raised = &mut next.objects[usize::from(object)];
                    raised.lacking += 1;
                    let phase = usize::from(raised.phase);
                    next.phases.entry(RAISED + agent as u8).or_default().push(vec![at.1, phase]);
                }
                let own = state.copies.iter().map(|copy| copy.at).filter(|at| at.0 == agent);
                next.triggers.push((at, object, own.collect()));
                next.pc[agent] += 1;
            }
            Some(Op::Await { object, parity } | Op::AwaitRelaxed { object, parity }) => {
                let phase = state.objects[usize::from(object)].phase;
                if phase & 1 == parity & 1 {
                    return None;
                }
                let seen = next.phases.entry(AWAITED + agent as u8).or_default();
                seen.push(vec![at.1, usize::from(phase)]);
                next.pc[agent] += 1;
            }
            Some(_) => {}
        }
        Some(next)
    }

    /// Whether an operation is about a barrier object of which all arrivals, or all waits, are relaxed.
    fn is_loose(&self, op: Op) -> bool {
        let about = |op: Op| match op {
            Op::Arrive(object) | Op::ArriveRelaxed(object) => Some((object, true)),
            Op::Await { object, .. } | Op::AwaitRelaxed { object, .. } => Some((object, false)),
            _ => None,
        };
        let Some((which, _)) = about(op) else { return false };
        let all = self.program.code.iter().flatten().filter(|op| about(**op).is_some_and(|at| at.0 == which));
        let (mut strong, mut relaxed) = ([false; 2], false);
        for op in all {
            relaxed |= op.is_relaxed();
            strong[usize::from(about(*op).is_some_and(|at| at.1))] |= !op.is_relaxed();
        }
        relaxed && !(strong[0] && strong[1])
    }

    fn complete(&mut self, state: &mut State, id: u8) {
        let Some(arrived) = state.open.get(&id) else { return };
        let exited = state.exited.iter().filter(|exited| **exited).count();
        let full = match id {
            0 => arrived.len() + exited >= self.program.code.len(),
            _ => arrived.len() >= self.named_count(id),
        };
        if !full || arrived.is_empty() {
            return;
        }
        let mut party = state.open.remove(&id).unwrap_or_default();
        party.sort_unstable();
        let size = if self.program.agents == crate::program::Agents::Warps { 32 } else { 1 };
        let odd = party.iter().filter(|agent| **agent % 2 == 1).count() as u32 * size;
        let at_barrier: Vec<Option<Op>> =
            party.iter().map(|agent| self.op((*agent, state.pc[*agent]))).collect();
        let aligned = at_barrier.iter().any(|op| matches!(op, Some(Op::Aligned(_))));
        self.truth.apart |= aligned && at_barrier.iter().any(|op| *op != at_barrier[0]);
        for agent in &party {
            let at = (*agent, state.pc[*agent]);
            let here = match self.op(at) {
                Some(Op::SyncAll | Op::Aligned(_)) => id == 0,
                Some(Op::Named { id: other, .. }) => other == id,
                _ => false,
            };
            if state.waiting[*agent] && here {
                state.waiting[*agent] = false;
                state.pc[*agent] += 1;
                if id == 0 && self.program.counts {
                    state.results.insert(at, odd);
                }
            }
        }
        state.phases.entry(id).or_default().push(party);
    }

    fn complete_sets(&mut self, state: &mut State) {
        for mask in 1..1u8 << self.program.code.len() {
            for op in [Op::SyncSet(mask), Op::Vote(mask), Op::Shuffle(mask)] {
                let members: Vec<usize> = (0..self.program.code.len())
                    .filter(|agent| mask >> agent & 1 == 1 && !state.exited[*agent])
                    .collect();
                let come =
                    |agent: &usize| state.waiting[*agent] && self.op((*agent, state.pc[*agent])) == Some(op);
                if members.is_empty() || !members.iter().all(come) {
                    continue;
                }
                let giver = mask.trailing_zeros() as usize;
                let result = match op {
                    Op::Vote(_) => {
                        Some(members.iter().filter(|agent| **agent % 2 == 1).map(|agent| 1 << agent).sum())
                    }
                    Op::Shuffle(_) if state.exited[giver] => {
                        self.truth.undefined = true;
                        Some(0)
                    }
                    Op::Shuffle(_) => Some(own_number(giver, state.pc[giver])),
                    _ => None,
                };
                for agent in members {
                    if let Some(result) = result {
                        state.results.insert((agent, state.pc[agent]), result);
                    }
                    state.waiting[agent] = false;
                    state.pc[agent] += 1;
                }
            }
        }
    }

    /// All uses of one barrier number have the same count here.
    fn named_count(&self, id: u8) -> usize {
        let uses = self.program.code.iter().flatten().find_map(|op| match op {
            Op::Named { id: other, count, .. } if *other == id => Some(usize::from(*count)),
            _ => None,
        });
        uses.unwrap_or(usize::MAX)
    }
}
