//! Small concurrent programs: as kernels for the simulator, and as a transition system whose
//! schedules are all explored, literally by the definition of a race.
//!
//! An agent is a lane of one warp, or lane 0 of a warp of its own. The exploration knows nothing
//! of clocks: it walks every reachable state and notes which conflicting accesses can be executed
//! directly one after the other, both ways round.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use warpproof::base::{Format, Source, Span};
use warpproof::ir::{Constant, Guard, Instr, Kernel, Reg, RegisterKind, SpecialReg, Variable};
use warpproof::isa::{Access, AtomicOp, BarrierOp, Effect, LaneFn, Lanewise, Meaning, Pattern, Space};

/// What an agent does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Reads a shared word.
    Read(u8),
    /// Writes a shared word.
    Write(u8),
    /// Adds to a shared word atomically, ignoring the old value.
    Atomic(u8),
    /// Barrier 0 for everybody.
    SyncAll,
    /// Barrier `id` (1..) for `count` agents; waits or only arrives. Agents that are warps.
    Named { id: u8, count: u8, waits: bool },
    /// Warp barrier for the agents of the mask. Agents that are lanes.
    SyncSet(u8),
}

/// Who the agents are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agents {
    Lanes,
    Warps,
}

/// A program: one list of operations an agent.
#[derive(Clone, Debug)]
pub struct Program {
    pub agents: Agents,
    pub code: Vec<Vec<Op>>,
}

/// An access: agent and position in its list.
pub type At = (usize, usize);

/// What exploring all schedules shows.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// Conflicting accesses that can be executed directly one after the other, both ways round.
    pub races: BTreeSet<(At, At)>,
    /// Some schedule ends with agents that wait for ever.
    pub stuck: bool,
    /// Who meets whom at a barrier depends on the schedule.
    pub ambiguous: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    pc: Vec<usize>,
    waiting: Vec<bool>,
    exited: Vec<bool>,
    /// Arrivals at barriers by id.
    open: BTreeMap<u8, Vec<usize>>,
    /// Who took part in each finished phase, by barrier.
    phases: BTreeMap<u8, Vec<Vec<usize>>>,
}

impl Program {
    /// Explores every schedule.
    pub fn explore(&self) -> Truth {
        let agents = self.code.len();
        let start = State {
            pc: vec![0; agents],
            waiting: vec![false; agents],
            exited: vec![false; agents],
            open: BTreeMap::new(),
            phases: BTreeMap::new(),
        };
        let mut truth = Truth::default();
        let mut endings = HashSet::new();
        let mut seen = HashSet::from([start.clone()]);
        let mut todo = vec![start];
        while let Some(state) = todo.pop() {
            let runnable: Vec<usize> =
                (0..agents).filter(|agent| !state.waiting[*agent] && !state.exited[*agent]).collect();
            if runnable.is_empty() {
                truth.stuck |= state.exited.iter().any(|exited| !exited);
                endings.insert(state.phases.clone());
            }
            self.note_races(&state, &runnable, &mut truth);
            for agent in runnable {
                let next = self.step(&state, agent);
                if seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        truth.ambiguous = endings.len() > 1;
        truth
    }

    fn note_races(&self, state: &State, runnable: &[usize], truth: &mut Truth) {
        for (at, one) in runnable.iter().enumerate() {
            for two in &runnable[at + 1..] {
                // Executing the one leaves the other enabled (accesses block nobody), so both
                // orders are executions.
                let ops = (self.code[*one].get(state.pc[*one]), self.code[*two].get(state.pc[*two]));
                if let (Some(x), Some(y)) = ops
                    && conflict(*x, *y)
                {
                    truth.races.insert(((*one, state.pc[*one]), (*two, state.pc[*two])));
                }
            }
        }
    }

    fn step(&self, state: &State, agent: usize) -> State {
        let mut next = state.clone();
        match self.code[agent].get(state.pc[agent]) {
            None => {
                next.exited[agent] = true;
                self.complete(&mut next, 0);
                self.complete_sets(&mut next);
            }
            Some(Op::Read(_) | Op::Write(_) | Op::Atomic(_)) => next.pc[agent] += 1,
            Some(Op::SyncAll) => {
                next.waiting[agent] = true;
                next.open.entry(0).or_default().push(agent);
                self.complete(&mut next, 0);
            }
            Some(Op::Named { id, waits, .. }) => {
                next.open.entry(*id).or_default().push(agent);
                if *waits {
                    next.waiting[agent] = true;
                } else {
                    next.pc[agent] += 1;
                }
                self.complete(&mut next, *id);
            }
            Some(Op::SyncSet(_)) => {
                next.waiting[agent] = true;
                self.complete_sets(&mut next);
            }
        }
        next
    }

    fn complete(&self, state: &mut State, id: u8) {
        let Some(arrived) = state.open.get(&id) else { return };
        let exited = state.exited.iter().filter(|exited| **exited).count();
        let full = match id {
            0 => arrived.len() + exited >= self.code.len(),
            _ => arrived.len() >= self.named_count(id),
        };
        if !full || arrived.is_empty() {
            return;
        }
        let mut party = state.open.remove(&id).unwrap_or_default();
        for agent in &party {
            let here = match self.code[*agent].get(state.pc[*agent]) {
                Some(Op::SyncAll) => id == 0,
                Some(Op::Named { id: other, .. }) => *other == id,
                _ => false,
            };
            if state.waiting[*agent] && here {
                state.waiting[*agent] = false;
                state.pc[*agent] += 1;
            }
        }
        party.sort_unstable();
        state.phases.entry(id).or_default().push(party);
    }

    fn complete_sets(&self, state: &mut State) {
        for mask in 1..1u8 << self.code.len() {
            let members: Vec<usize> = (0..self.code.len())
                .filter(|agent| mask >> agent & 1 == 1 && !state.exited[*agent])
                .collect();
            let come = |agent: &usize| {
                state.waiting[*agent] && self.code[*agent].get(state.pc[*agent]) == Some(&Op::SyncSet(mask))
            };
            if !members.is_empty() && members.iter().all(come) {
                for agent in members {
                    state.waiting[agent] = false;
                    state.pc[agent] += 1;
                }
            }
        }
    }

    /// All uses of one barrier number have the same count here.
    fn named_count(&self, id: u8) -> usize {
        let uses = self.code.iter().flatten().find_map(|op| match op {
            Op::Named { id: other, count, .. } if *other == id => Some(usize::from(*count)),
            _ => None,
        });
        uses.unwrap_or(usize::MAX)
    }

    /// The program as a kernel, and for each instruction which access it is.
    pub fn kernel(&self) -> (Kernel, Vec<Option<At>>) {
        Builder::new().build(self)
    }
}

fn conflict(x: Op, y: Op) -> bool {
    let place = |op| match op {
        Op::Read(at) | Op::Write(at) | Op::Atomic(at) => Some(at),
        Op::SyncAll | Op::Named { .. } | Op::SyncSet(_) => None,
    };
    let reads = |op| matches!(op, Op::Read(_));
    let atomic = |op| matches!(op, Op::Atomic(_));
    place(x).is_some() && place(x) == place(y) && !(reads(x) && reads(y)) && !(atomic(x) && atomic(y))
}

struct Builder {
    kernel: Kernel,
    accesses: Vec<Option<At>>,
}

impl Builder {
    fn new() -> Self {
        let shared = Variable {
            name: "s".to_owned(),
            space: Space::Shared,
            format: Format::B32,
            align: 4,
            size: Some(64),
            offset: 0,
            init: Vec::new(),
            relocations: Vec::new(),
            initialised: false,
            span: Span::default(),
        };
        let kernel = Kernel {
            name: "program".to_owned(),
            parameters: Vec::new(),
            parameter_bytes: 0,
            registers: Vec::new(),
            register_names: Vec::new(),
            code: Vec::new(),
            operands: Vec::new(),
            tables: Vec::new(),
            variables: vec![shared],
            shared_bytes: 64,
            local_bytes: 0,
            opcodes: Vec::new(),
            source: Source::Optimized,
            locations: Vec::new(),
            files: Vec::new(),
            required_block: None,
            max_block: None,
            notes: Vec::new(),
            reconverge: Vec::new(),
        };
        Builder { kernel, accesses: Vec::new() }
    }

    fn register(&mut self, kind: RegisterKind) -> Reg {
        self.kernel.registers.push(kind);
        self.kernel.register_names.push(String::new());
        Reg(self.kernel.registers.len() as u32 - 1)
    }

    fn constant(&mut self, bits: u64) -> Reg {
        self.register(RegisterKind::Constant(Constant::Bits(bits)))
    }

    /// The address of a shared word.
    fn word(&mut self, word: u8) -> Reg {
        let offset = i64::from(word) * 4;
        self.register(RegisterKind::Constant(Constant::Address { variable: 0, offset, generic: false }))
    }

    fn emit(&mut self, effect: Effect, guard: Option<Guard>, dst: &[Reg], src: &[Reg], at: Option<At>) {
        let start = self.kernel.operands.len() as u32;
        self.kernel.operands.extend_from_slice(dst);
        let middle = self.kernel.operands.len() as u32;
        self.kernel.operands.extend_from_slice(src);
        let end = self.kernel.operands.len() as u32;
        self.kernel.code.push(Instr {
            effect,
            guard,
            dst: start..middle,
            src: middle..end,
            offset: 0,
            target: 0,
            span: Span::default(),
            location: u32::MAX,
            row: u32::MAX,
            opcode: u32::MAX,
        });
        self.accesses.push(at);
    }

    fn build(mut self, program: &Program) -> (Kernel, Vec<Option<At>>) {
        let who = match program.agents {
            Agents::Lanes => SpecialReg::LaneId,
            Agents::Warps => SpecialReg::WarpId,
        };
        let who = self.register(RegisterKind::Special(who));
        let lane = self.register(RegisterKind::Special(SpecialReg::LaneId));
        let leader = self.register(RegisterKind::Virtual { bits: 1 });
        let value = self.register(RegisterKind::Virtual { bits: 32 });
        let is_zero: LaneFn = |src, out| out[0] = src[0].map(|word| u64::from(word == 0));
        let test = Lanewise {
            concrete: is_zero,
            meaning: Meaning::None,
            dst: Format::B8,
            src: [Format::B32; 4],
            sources: 1,
            destinations: 1,
            pattern: Pattern::OTHER,
            operation: u32::MAX,
        };
        let tested = if program.agents == Agents::Warps { lane } else { self.constant(0) };
        self.emit(Effect::Lanewise(test), None, &[leader], &[tested], None);
        let zero = self.constant(0);
        let access = Access { space: Space::Shared, format: Format::B32, vector: 1, strong: false };
        let guard = Some(Guard { predicate: leader, negated: false });
        if program.agents == Agents::Warps {
            // Words are zero at the start, written by warp 0 before a barrier: reads are defined.
            self.emit(Effect::Nothing, None, &[], &[], None);
        }
        self.emit(Effect::BranchIndexed, None, &[], &[who], None);
        let mut table = Vec::new();
        for (agent, ops) in program.code.iter().enumerate() {
            table.push(self.kernel.code.len() as u32);
            for (position, op) in ops.iter().enumerate() {
                let at = Some((agent, position));
                match *op {
                    Op::Read(word) => {
                        let address = self.word(word);
                        self.emit(Effect::Load(access), guard, &[value], &[address], at);
                    }
                    Op::Write(word) => {
                        let address = self.word(word);
                        self.emit(Effect::Store(access), guard, &[], &[address, zero], at);
                    }
                    Op::Atomic(word) => {
                        let address = self.word(word);
                        let effect = Effect::Atomic { op: AtomicOp::Add, access };
                        self.emit(effect, guard, &[], &[address, zero], at);
                    }
                    Op::SyncAll => {
                        let op = BarrierOp::Sync { counted: false };
                        self.emit(Effect::Barrier { op, aligned: false }, None, &[], &[zero], None);
                    }
                    Op::Named { id, count, waits } => {
                        let id = self.constant(u64::from(id));
                        let count = self.constant(u64::from(count) * 32);
                        let op = if waits { BarrierOp::Sync { counted: true } } else { BarrierOp::Arrive };
                        self.emit(Effect::Barrier { op, aligned: true }, None, &[], &[id, count], None);
                    }
                    Op::SyncSet(mask) => {
                        let mask = self.constant(u64::from(mask));
                        self.emit(Effect::WarpSync, None, &[], &[mask], None);
                    }
                }
            }
            self.emit(Effect::Exit, None, &[], &[], None);
        }
        self.kernel.tables.push(table);
        self.kernel.reconverge = vec![u32::MAX; self.kernel.code.len()];
        (self.kernel, self.accesses)
    }
}

/// A small deterministic generator of pseudo-random numbers.
pub struct Dice(pub u64);

impl Dice {
    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}
