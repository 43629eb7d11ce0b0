//! Order through memory against its definition: small random programs of weak and strong accesses, fences
//! and loops that wait, of which every schedule and every value that a strong load may see is explored here,
//! with vector clocks of the simplest kind. The simulator follows one schedule. What it calls clean must be so in
//! all of them; a race or a deadlock that it reports must exist in one; and *depends on the schedule* is
//! cautious only so often.
//!
//! The long form (`npm run soak -- signal_oracle`) sets `WARPPROOF_SOAK_SECONDS` and `WARPPROOF_SOAK_SEED`.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};
use warpproof::base::{Budget, Format, Source};
use warpproof::ir;
use warpproof::sim::{
    Binding, BoundParameter, FaultKind, Initial, Options, Schedule, Setup, TensorSetup, simulate,
};
use warpproof::spec::{Launch, Role};
use warpproof::syntax;
use warpproof::term::eval::{Cone, Quantity, Reals, Small, evaluate};
use warpproof::term::{Constant, Interval, Number, Term, Terms};
use warpproof_tests::program::Dice;

/// Words: two for data, two that are signalled with, two locks. All of them hold 0 at first but for the first two.
const WORDS: usize = 6;
const FIRST: [u32; WORDS] = [1001, 2002, 0, 0, 0, 0];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Read(usize),
    Write(usize),
    /// A strong store of a number; whether it releases.
    Set(usize, u32, bool),
    /// A strong update that adds a number; whether it releases.
    Add(usize, u32, bool),
    /// A strong update that adds one, and the end of the agent's code unless it finds a number; whether it acquires and
    /// releases.
    Take(usize, u32, bool),
    /// A strong update that adds a number and remembers what it finds.
    Draw(usize, u32),
    /// Waits until a word is (at least, if so) a number; whether it acquires.
    Await(usize, bool, u32, bool),
    /// A strong load; whether it acquires.
    Peek(usize, bool),
    /// Adds a number to a word, by a weak load and a weak store.
    Plus(usize, u32),
    /// The larger of a word and a number, in the same way.
    Most(usize, u32),
    /// Twice a word and one, in the same way.
    Twice(usize),
    /// Tries until it has changed a word from 0 to 1; whether it acquires, and whether it exchanges whatever it finds.
    Lock(usize, bool, bool),
    /// Puts a word back to 0; whether it releases, and whether it is an update.
    Unlock(usize, bool, bool),
    /// Acquires and releases; whether it also stands in the one order of all such fences.
    Fence(bool),
}

/// Who the agents are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Agents {
    Lanes,
    Warps,
    Blocks,
    /// CTAs whose strong accesses have CTA scope.
    Narrow,
}

#[derive(Debug)]
struct Program {
    agents: Agents,
    /// Who waits looks by updates that add nothing.
    polls: bool,
    code: Vec<Vec<Op>>,
}

fn own_number(agent: usize, position: usize) -> u32 {
    (agent as u32 + 1) * 100 + position as u32
}

fn digest(before: u32, result: u32) -> u32 {
    before.wrapping_mul(31).wrapping_add(result)
}

impl Program {
    fn ptx(&self) -> String {
        let warps = self.agents == Agents::Warps;
        let scope = if self.agents == Agents::Narrow { "cta" } else { "gpu" };
        let mut lines: Vec<String> = [
            ".version 8.5\n.target sm_90\n.address_size 64",
            ".visible .entry program(.param .u64 g, .param .u64 out)\n{",
            ".reg .pred %lead, %p;\n.reg .b32 %who, %lane, %v, %own, %acc, %none;\n.reg .b64 %g, %out;",
            "ld.param.u64 %g, [g];\nld.param.u64 %out, [out];\nmov.u32 %acc, 0;\nmov.u32 %v, 0;\nmov.u32 %lane, %laneid;",
            if warps { "setp.eq.u32 %lead, %lane, 0;" } else { "setp.eq.u32 %lead, 0, 0;" },
            match self.agents {
                Agents::Lanes => "mov.u32 %who, %tid.x;",
                Agents::Warps => "mov.u32 %who, %tid.x;\nshr.u32 %who, %who, 5;",
                Agents::Blocks | Agents::Narrow => "mov.u32 %who, %ctaid.x;",
            },
        ]
        .map(str::to_owned)
        .to_vec();
        let targets: Vec<String> = (0..self.code.len()).map(|agent| format!("A{agent}")).collect();
        lines.push(format!("ts: .branchtargets {};\nbrx.idx %who, ts;", targets.join(", ")));
        for (agent, ops) in self.code.iter().enumerate() {
            lines.push(format!("A{agent}:"));
            for (position, op) in ops.iter().enumerate() {
                let at = |word: usize| format!("[%g+{}]", 4 * word);
                let remember = "mad.lo.u32 %acc, %acc, 31, %v;";
                let order = |strong: bool, name: &'static str| if strong { name } else { "relaxed" };
                lines.push(match *op {
                    Op::Read(word) => format!("@%lead ld.global.u32 %v, {};\n{remember}", at(word)),
                    Op::Write(word) => format!(
                        "add.u32 %own, %acc, {};\n@%lead st.global.u32 {}, %own;",
                        own_number(agent, position),
                        at(word)
                    ),
                    Op::Set(word, value, releases) => format!(
                        "@%lead st.{}.{scope}.global.u32 {}, {value};",
                        order(releases, "release"),
                        at(word)
                    ),
                    Op::Add(word, value, releases) => format!(
                        "@%lead red.{}.{scope}.global.add.u32 {}, {value};",
                        order(releases, "release"),
                        at(word)
                    ),
                    Op::Take(word, value, orders) => format!(
                        "atom.{}.{scope}.global.add.u32 %v, {}, 1;\nsetp.ne.u32 %p, %v, {value};\n@%p bra E{agent};",
                        order(orders, "acq_rel"),
                        at(word)
                    ),
                    Op::Draw(word, value) => format!(
                        "@%lead atom.relaxed.{scope}.global.add.u32 %v, {}, {value};\n{remember}",
                        at(word)
                    ),
                    Op::Peek(word, acquires) => format!(
                        "@%lead ld.{}.{scope}.global.u32 %v, {};\n{remember}",
                        order(acquires, "acquire"),
                        at(word)
                    ),
                    Op::Plus(word, value) => format!(
                        "@%lead ld.global.u32 %own, {0};\nadd.u32 %own, %own, {value};\n@%lead st.global.u32 {0}, %own;",
                        at(word)
                    ),
                    Op::Most(word, value) => format!(
                        "@%lead ld.global.u32 %own, {0};\nmax.u32 %own, %own, {value};\n@%lead st.global.u32 {0}, %own;",
                        at(word)
                    ),
                    Op::Twice(word) => format!(
                        "@%lead ld.global.u32 %own, {0};\nmad.lo.u32 %own, %own, 2, 1;\n@%lead st.global.u32 {0}, %own;",
                        at(word)
                    ),
                    Op::Unlock(word, releases, true) => format!(
                        "@%lead atom.{}.{scope}.global.exch.b32 %none, {}, 0;",
                        order(releases, "release"),
                        at(word)
                    ),
                    Op::Unlock(word, releases, false) => format!(
                        "@%lead st.{}.{scope}.global.u32 {}, 0;",
                        order(releases, "release"),
                        at(word)
                    ),
                    Op::Lock(word, acquires, swaps) => {
                        let label = format!("{agent}_{position}");
                        let before = if warps { format!("@!%lead bra D{label};\n") } else { String::new() };
                        let after = if warps { format!("\nD{label}: bar.warp.sync -1;") } else { String::new() };
                        format!(
                            "{before}L{label}: atom.{}.{scope}.global.{}.b32 %v, {}, {};\nsetp.ne.u32 %p, %v, 0;\n@%p bra L{label};{after}",
                            order(acquires, "acquire"),
                            if swaps { "exch" } else { "cas" },
                            at(word),
                            if swaps { "1" } else { "0, 1" },
                        )
                    }
                    Op::Fence(false) => format!("fence.acq_rel.{scope};"),
                    Op::Fence(true) => format!("fence.sc.{scope};"),
                    Op::Await(word, least, value, acquires) => {
                        let label = format!("{agent}_{position}");
                        let before = if warps { format!("@!%lead bra D{label};\n") } else { String::new() };
                        let after = if warps { format!("\nD{label}: bar.warp.sync -1;") } else { String::new() };
                        let fails = if least { "lt" } else { "ne" };
                        format!(
                            "{before}W{label}: {}.{}.{scope}.global{}.u32 %v, {}{};\nsetp.{fails}.u32 %p, %v, {value};\n@%p bra W{label};{after}",
                            if self.polls { "atom" } else { "ld" },
                            order(acquires, "acquire"),
                            if self.polls { ".add" } else { "" },
                            at(word),
                            if self.polls { ", 0" } else { "" },
                        )
                    }
                });
            }
            lines.push(format!("E{agent}:"));
            lines.push(format!("@%lead st.global.u32 [%out+{}], %acc;\nexit;", 4 * agent));
        }
        lines.push("}".to_owned());
        lines.join("\n") + "\n"
    }
}

// ---- every execution ---------------------------------------------------------------------------

type Clock = Vec<usize>;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Write {
    value: u32,
    /// Agent and position; `None` for what was there.
    by: Option<(usize, usize)>,
    update: bool,
    /// What those know who acquire it.
    released: Clock,
    /// What its agent knew.
    had: Clock,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    pc: Vec<usize>,
    /// From where on each agent has left operations out.
    left_out: Vec<usize>,
    /// For each agent and other agent, how many of its operations happen before.
    knows: Vec<Clock>,
    fenced: Vec<Clock>,
    /// The fences in one order: agent, position, and what it knew then.
    in_order: Vec<(usize, usize, Clock)>,
    /// What strong reads and updates have seen: agent, position, word, and place in its history.
    saw: Vec<(usize, usize, usize, usize)>,
    seen: Vec<Clock>,
    /// How far each agent has got in each word's history.
    got: Vec<[usize; WORDS]>,
    words: Vec<Vec<Write>>,
    digests: Vec<u32>,
}

#[derive(Default, Debug)]
struct Truth {
    race: bool,
    stuck: bool,
    /// Words and what agents remember.
    endings: BTreeSet<Vec<u32>>,
    states: usize,
}

fn join(own: &mut Clock, other: &Clock) {
    own.iter_mut().zip(other).for_each(|(own, other)| *own = (*own).max(*other));
}

impl Program {
    fn explore(&self) -> Truth {
        let count = self.code.len();
        let zero = vec![0; count];
        let first = |value: u32| {
            vec![Write { value, by: None, update: false, released: zero.clone(), had: zero.clone() }]
        };
        let start = State {
            pc: vec![0; count],
            left_out: vec![usize::MAX; count],
            knows: vec![zero.clone(); count],
            fenced: vec![zero.clone(); count],
            in_order: Vec::new(),
            saw: Vec::new(),
            seen: vec![zero.clone(); count],
            got: vec![[0; WORDS]; count],
            words: FIRST.iter().map(|value| first(*value)).collect(),
            digests: vec![0; count],
        };
        let mut truth = Truth::default();
        let mut known = HashSet::from([start.clone()]);
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            let mut ends = true;
            for agent in 0..count {
                for next in self.step(&state, agent, &mut truth) {
                    ends = false;
                    if known.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
            if ends {
                let stuck = (0..count).any(|agent| state.pc[agent] < self.code[agent].len());
                truth.stuck |= stuck;
                if !stuck {
                    let last = state.words.iter().filter_map(|word| word.last()).map(|write| write.value);
                    truth.endings.insert(last.chain(state.digests.iter().copied()).collect());
                }
            }
        }
        truth.states = known.len();
        truth
    }

    /// The word that an operation is about, whether it writes, and whether it is strong for others.
    fn access(&self, op: Op) -> Option<(usize, bool, bool)> {
        let strong = self.agents != Agents::Narrow;
        match op {
            Op::Read(word) => Some((word, false, false)),
            Op::Write(word) | Op::Plus(word, _) | Op::Most(word, _) | Op::Twice(word) => {
                Some((word, true, false))
            }
            Op::Lock(word, ..) | Op::Unlock(word, ..) => Some((word, true, strong)),
            Op::Set(word, ..) | Op::Add(word, ..) | Op::Take(word, ..) | Op::Draw(word, _) => {
                Some((word, true, strong))
            }
            // An update that adds nothing counts as a read: nobody can tell whether it happened.
            Op::Await(word, ..) | Op::Peek(word, _) => Some((word, false, strong)),
            Op::Fence(_) => None,
        }
    }

    /// Whether an access races with one that another agent has made, or is about to repeat.
    fn races(&self, state: &State, agent: usize, op: Op) -> bool {
        let Some((word, writes, strong)) = self.access(op) else { return false };
        (0..self.code.len()).filter(|other| *other != agent).any(|other| {
            let waits = |at: usize| {
                at == state.pc[other] && matches!(self.code[other][at], Op::Await(..) | Op::Lock(..))
            };
            let done = state.pc[other].min(state.left_out[other]);
            (0..self.code[other].len()).filter(|at| *at < done || waits(*at)).any(|at| {
                self.access(self.code[other][at]).is_some_and(|(place, wrote, was_strong)| {
                    place == word
                        && (writes || wrote)
                        && !(strong && was_strong)
                        && state.knows[agent][other] <= at
                })
            })
        })
    }

    /// An agent executes a fence that has a place in the order of all of its kind. Another one comes first for sure if
    /// it is before a write that is seen, or overwritten by what is seen, before this one: otherwise the read would be
    /// before the write. Of two fences, the later knows what the earlier knew.
    fn put_in_order(&self, state: &mut State, agent: usize) {
        loop {
            let before = state.knows[agent].clone();
            let known = &before;
            let is_first = |other: usize, at: usize| {
                let seen = |word: usize| {
                    let saw = state.saw.iter().filter(|saw| saw.2 == word && known[saw.0] > saw.1);
                    saw.map(|saw| saw.3).max()
                };
                (0..WORDS)
                    .filter_map(|word| Some((word, seen(word)?)))
                    .any(|(word, last)| state.words[word][..=last].iter().any(|write| write.had[other] > at))
            };
            let fences = state.in_order.iter().filter(|(other, at, _)| is_first(*other, *at));
            let mut after = before.clone();
            fences.for_each(|(.., clock)| join(&mut after, clock));
            if after == before {
                break;
            }
            state.knows[agent] = after;
        }
    }

    fn step(&self, state: &State, agent: usize, truth: &mut Truth) -> Vec<State> {
        let at = state.pc[agent];
        let Some(op) = self.code[agent].get(at).copied() else { return Vec::new() };
        truth.race |= self.races(state, agent, op);
        let orders = self.agents != Agents::Narrow;
        // A fence right before a write releases the write, too: whoever sees it has it behind.
        let fenced = at > 0 && matches!(self.code[agent][at - 1], Op::Fence(_));
        let mut next = state.clone();
        next.pc[agent] += 1;
        next.knows[agent][agent] = at + 1;
        let write = |next: &mut State, word: usize, value: u32, update: bool, own: Option<Clock>| {
            let mut released = if update {
                next.words[word].last().map_or(Vec::new(), |last| last.released.clone())
            } else {
                vec![0; self.code.len()]
            };
            if let Some(own) = own.filter(|_| orders) {
                join(&mut released, &own);
            }
            let had = next.knows[agent].clone();
            if update {
                next.saw.push((agent, at, word, next.words[word].len() - 1));
            }
            next.words[word].push(Write { value, by: Some((agent, at)), update, released, had });
            next.got[agent][word] = next.words[word].len() - 1;
        };
        match op {
            Op::Read(word) => {
                let value = next.words[word].last().map_or(0, |last| last.value);
                next.digests[agent] = digest(next.digests[agent], value);
                vec![next]
            }
            Op::Write(word) => {
                let value = own_number(agent, at).wrapping_add(next.digests[agent]);
                write(&mut next, word, value, false, None);
                vec![next]
            }
            Op::Plus(word, _) | Op::Most(word, _) | Op::Twice(word) => {
                let value = next.words[word].last().map_or(0, |last| last.value);
                let value = match op {
                    Op::Plus(_, more) => value.wrapping_add(more),
                    Op::Most(_, other) => value.max(other),
                    _ => value.wrapping_mul(2).wrapping_add(1),
                };
                write(&mut next, word, value, false, None);
                vec![next]
            }
            Op::Lock(word, acquires, _) => {
                let (found, released) = next.words[word]
                    .last()
                    .map_or((0, Vec::new()), |last| (last.value, last.released.clone()));
                if found != 0 {
                    return Vec::new();
                }
                join(if acquires { &mut next.knows[agent] } else { &mut next.seen[agent] }, &released);
                let own = if fenced { &next.knows } else { &next.fenced }[agent].clone();
                write(&mut next, word, 1, true, Some(own));
                vec![next]
            }
            Op::Unlock(word, releases, updates) => {
                let own = if releases || fenced { &next.knows } else { &next.fenced }[agent].clone();
                write(&mut next, word, 0, updates, Some(own));
                vec![next]
            }
            Op::Set(word, value, releases) => {
                let own = if releases || fenced { &next.knows } else { &next.fenced }[agent].clone();
                write(&mut next, word, value, false, Some(own));
                vec![next]
            }
            Op::Take(word, special, orders) => {
                let (found, released) = next.words[word]
                    .last()
                    .map_or((0, Vec::new()), |last| (last.value, last.released.clone()));
                join(if orders { &mut next.knows[agent] } else { &mut next.seen[agent] }, &released);
                let own = if orders || fenced { &next.knows } else { &next.fenced }[agent].clone();
                write(&mut next, word, found.wrapping_add(1), true, Some(own));
                if found != special {
                    next.left_out[agent] = at + 1;
                    next.pc[agent] = self.code[agent].len();
                }
                vec![next]
            }
            Op::Draw(word, value) => {
                let (found, released) = next.words[word]
                    .last()
                    .map_or((0, Vec::new()), |last| (last.value, last.released.clone()));
                join(&mut next.seen[agent], &released);
                let own = if fenced { &next.knows } else { &next.fenced }[agent].clone();
                write(&mut next, word, found.wrapping_add(value), true, Some(own));
                next.digests[agent] = digest(next.digests[agent], found);
                vec![next]
            }
            Op::Add(word, value, releases) => {
                let own = if releases || fenced { &next.knows } else { &next.fenced }[agent].clone();
                let value = next.words[word].last().map_or(0, |last| last.value).wrapping_add(value);
                write(&mut next, word, value, true, Some(own));
                vec![next]
            }
            Op::Fence(sequential) => {
                let seen = next.seen[agent].clone();
                join(&mut next.knows[agent], &seen);
                if sequential && orders {
                    self.put_in_order(&mut next, agent);
                    next.in_order.push((agent, at, next.knows[agent].clone()));
                }
                next.fenced[agent] = next.knows[agent].clone();
                vec![next]
            }
            Op::Await(word, ..) | Op::Peek(word, _) => {
                let history = &state.words[word];
                let known = |write: &Write| {
                    write.by.is_none_or(|(other, at)| other == agent || state.knows[agent][other] > at)
                };
                let oldest = history.iter().rposition(known).unwrap_or(0).max(state.got[agent][word]);
                // An update finds what is there.
                let polls = self.polls && matches!(op, Op::Await(..));
                let oldest = if polls { history.len() - 1 } else { oldest };
                let mut all = Vec::new();
                for (got, seen) in history.iter().enumerate().skip(oldest) {
                    let passes = match op {
                        Op::Await(_, true, value, _) => seen.value >= value,
                        Op::Await(_, false, value, _) => seen.value == value,
                        _ => true,
                    };
                    if !passes {
                        continue;
                    }
                    let mut next = next.clone();
                    next.got[agent][word] = got;
                    if !polls {
                        next.saw.push((agent, at, word, got));
                    }
                    let acquires = matches!(op, Op::Await(.., true) | Op::Peek(_, true));
                    join(
                        if acquires { &mut next.knows[agent] } else { &mut next.seen[agent] },
                        &seen.released,
                    );
                    if polls {
                        let own = if fenced { &next.knows } else { &next.fenced }[agent].clone();
                        write(&mut next, word, seen.value, true, Some(own));
                    }
                    if matches!(op, Op::Peek(..)) {
                        next.digests[agent] = digest(next.digests[agent], seen.value);
                    }
                    all.push(next);
                }
                all
            }
        }
    }
}

// ---- the simulator -----------------------------------------------------------------------------

#[derive(Debug, Default)]
struct Found {
    race: bool,
    stuck: bool,
    depends: bool,
    why: Vec<String>,
    ending: Vec<Option<u32>>,
}

fn integer(terms: &Terms, term: Term) -> Option<u32> {
    let number = &terms.constant_at(term.as_constant()?).number;
    let Number::Rational(exact) = number else { return None };
    Interval::of_rational(exact).as_point().map(|value| value as u32)
}

/// Whether two terms have the same values at a few points.
fn seem_equal(terms: &Terms, values: &[Term; 2]) -> bool {
    let budget = Budget::default();
    let Ok(cone) = Cone::of(terms, values, &budget) else { return false };
    let known = |constant: &Constant| match &constant.number {
        Number::Rational(number) => Quantity::rational(number),
        _ => Quantity::Unknown,
    };
    let constants: Vec<Quantity> = terms.constants().iter().map(known).collect();
    (1..17).all(|round| {
        let element = |number: u32| {
            Quantity::Exact(Small::from_integer((i64::from(number) * 7919 + round * 104_729) % 4001))
        };
        let domain = Reals { element: &element, constants: &constants };
        match evaluate(&cone, &domain, &budget, &mut Vec::new()).as_deref() {
            Ok([Quantity::Exact(one), Quantity::Exact(two)]) => one == two,
            Ok([Quantity::Bits(one), Quantity::Bits(two)]) => one == two,
            _ => false,
        }
    })
}

impl Program {
    fn run(&self, schedule: Schedule) -> Found {
        let ptx = self.ptx();
        let parsed = syntax::parse(Source::Optimized, &ptx);
        let lowered =
            ir::lower(Source::Optimized, &parsed.module, None).unwrap_or_else(|why| panic!("{why:?}\n{ptx}"));
        let count = self.code.len() as u32;
        let tensor = |name: &str, count: usize, role, initial| TensorSetup {
            variable: None,
            name: name.to_owned(),
            format: Some(Format::U32),
            shape: Some(vec![count as u64]),
            strides: None,
            role: Some(role),
            initial,
            reserved: count as u64,
            others: None,
        };
        let words = Initial::Concrete(FIRST.iter().map(|word| u64::from(*word)).collect());
        let tensors = vec![
            tensor("g", WORDS, Role::InOut, words),
            tensor("out", self.code.len(), Role::Out, Initial::Undefined),
        ];
        let pointer = |tensor: usize| BoundParameter {
            offset: 8 * tensor as u32,
            size: 8,
            binding: Binding::Pointer { tensor, offset: 0 },
        };
        let (grid, block) = match self.agents {
            Agents::Lanes => (1, count),
            Agents::Warps => (1, 32 * count),
            Agents::Blocks | Agents::Narrow => (count, 1),
        };
        let launch = Launch {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            ctas: (0..grid).map(|cta| [cta, 0, 0]).collect(),
            cluster: [1; 3],
            dynamic_shared: Some(0),
        };
        let setup = Setup {
            launch,
            tensors,
            parameters: vec![pointer(0), pointer(1)],
            maps: Default::default(),
            unknowable: (64, 64),
            contents: [(128, 64), (192, 64), (256, 64)],
            views: Vec::new(),
            bounds: Vec::new(),
        };
        let same_value_stores_race = true;
        let options = Options { schedule, timeline_events: 0, same_value_stores_race, ..Options::default() };
        let run = simulate(&options, &Budget::default(), &lowered.kernel, &setup);
        let mut found = Found::default();
        for fault in &run.faults {
            match &fault.kind {
                FaultKind::DataRace(races) => {
                    found.race = true;
                    found.why.extend(races.iter().map(|race| race.schedule.join(" ")));
                }
                FaultKind::Deadlock(_) | FaultKind::EndlessLoop(_) => found.stuck = true,
                FaultKind::DependsOnSchedule(why) => {
                    found.depends = true;
                    found.why.push(why.clone());
                }
                other => panic!("unexpected fault {other:?} in {self:?}\n{ptx}"),
            }
        }
        // Sections that commute only if two terms are equal, which is not decided here.
        for suspect in &run.suspects {
            if !suspect.values.is_some_and(|values| seem_equal(&run.terms, &values)) {
                found.depends = true;
                found.why.push("sections do not commute".to_owned());
            }
        }
        for (at, first) in FIRST.iter().enumerate() {
            let cell = run.tensors.iter().find(|tensor| tensor.tensor == 0);
            let cell = cell.and_then(|tensor| tensor.elements.get(at as u64));
            found.ending.push(cell.map_or(Some(*first), |(term, _)| integer(&run.terms, term)));
        }
        for at in 0..self.code.len() {
            let cell = run.tensors.iter().find(|tensor| tensor.tensor == 1);
            let cell = cell.and_then(|tensor| tensor.elements.get(at as u64));
            found.ending.push(cell.and_then(|(term, _)| integer(&run.terms, term)));
        }
        found
    }
}

// ---- programs ----------------------------------------------------------------------------------

/// Half are drawn operation by operation; the others hand data on as kernels do, and then lose or change
/// an operation or two.
fn random_program(dice: &mut Dice) -> Program {
    let agents = match dice.below(10) {
        0..3 => Agents::Lanes,
        3..5 => Agents::Warps,
        5..9 => Agents::Blocks,
        _ => Agents::Narrow,
    };
    let count = 2 + dice.below(2) as usize;
    let mut code = vec![Vec::new(); count];
    if dice.below(2) == 0 {
        for ops in &mut code {
            for _ in 0..1 + dice.below(4) {
                ops.push(any(dice));
            }
        }
    } else {
        plan(dice, &mut code);
        for _ in 0..dice.below(3) {
            let agent = dice.below(count as u64) as usize;
            if code[agent].is_empty() {
                continue;
            }
            let at = dice.below(code[agent].len() as u64) as usize;
            match dice.below(3) {
                0 => drop(code[agent].remove(at)),
                1 => code[agent][at] = any(dice),
                _ => code[agent].insert(at, any(dice)),
            }
        }
    }
    let draws = |op: &Op| matches!(op, Op::Take(..) | Op::Draw(..));
    let takes = code.iter().flatten().any(draws);
    let agents = if takes && agents == Agents::Warps { Agents::Blocks } else { agents };
    if !code.iter().flatten().any(|op| matches!(op, Op::Await(..))) {
        let agent = dice.below(count as u64) as usize;
        // Whoever waits for nothing acquires nothing.
        match takes {
            true => code[agent].insert(0, Op::Await(2, true, 0, false)),
            false => code[agent].push(Op::Await(2, true, dice.below(3) as u32, true)),
        }
    }
    Program { agents, polls: dice.below(4) == 0, code }
}

fn any(dice: &mut Dice) -> Op {
    let data = dice.below(2) as usize;
    let flag = 2 + usize::from(dice.below(4) == 0);
    let strong = dice.below(3) != 0;
    match dice.below(13) {
        12 if dice.below(2) == 0 => Op::Draw(flag, 1 + u32::from(dice.below(6) == 0)),
        12 => Op::Take(flag, dice.below(3) as u32, strong),
        0 | 1 => Op::Read(data),
        2 | 3 => Op::Write(data),
        4 => Op::Set(flag, dice.below(3) as u32, strong),
        5 | 6 => Op::Add(flag, 1 + u32::from(dice.below(6) == 0), strong),
        7 => Op::Fence(dice.below(2) == 0),
        8 => Op::Peek(flag, strong),
        9 if dice.below(4) == 0 => Op::Write(flag),
        9 if dice.below(4) == 0 => Op::Read(flag),
        _ => Op::Await(flag, dice.below(2) == 0, 1 + dice.below(2) as u32, strong),
    }
}

/// Somebody hands data to somebody, a few times: by a flag, by turns, or where all meet.
fn plan(dice: &mut Dice, code: &mut [Vec<Op>]) {
    let count = code.len();
    let release = |dice: &mut Dice, ops: &mut Vec<Op>, op: fn(usize, u32, bool) -> Op, flag, value| {
        let fence = dice.below(3) == 0;
        if fence {
            ops.push(Op::Fence(dice.below(2) == 0));
        }
        ops.push(op(flag, value, !fence));
    };
    let acquire = |dice: &mut Dice, ops: &mut Vec<Op>, flag, least, value| {
        let fence = dice.below(3) == 0;
        ops.push(Op::Await(flag, least, value, !fence));
        if fence {
            ops.push(Op::Fence(dice.below(2) == 0));
        }
    };
    match dice.below(7) {
        // What one has done and fenced, another hands on without a fence of its own.
        6 => {
            code[0].extend([Op::Write(0), Op::Fence(dice.below(4) != 0)]);
            release(dice, &mut code[0], Op::Set, 2, 1);
            acquire(dice, &mut code[1], 2, false, 1);
            code[1].push(Op::Set(3, 1, dice.below(4) == 0));
            let to = count - 1;
            code[to].extend([
                Op::Await(3, false, 1, dice.below(4) == 0),
                Op::Fence(dice.below(4) != 0),
                Op::Read(0),
            ]);
        }
        // The last one, or another one, goes on.
        4 | 5 => {
            let last = if dice.below(4) == 0 { dice.below(count as u64) as usize } else { count - 1 };
            let orders = dice.below(3) != 0;
            for (agent, ops) in code.iter_mut().enumerate() {
                if agent < 2 {
                    ops.push(Op::Write(agent));
                }
                if !orders {
                    ops.push(Op::Fence(dice.below(2) == 0));
                }
                ops.push(Op::Take(2, last as u32, orders));
                if !orders {
                    ops.push(Op::Fence(dice.below(2) == 0));
                }
                match dice.below(3) {
                    0 => ops.push(Op::Set(3, 1, true)),
                    1 => ops.push(Op::Write(2)),
                    _ => {}
                }
            }
            // All that may be last do the same.
            if dice.below(3) != 0 {
                code.iter_mut().for_each(|ops| ops.push(Op::Set(3, 1, true)));
            } else if dice.below(2) == 0 {
                code.iter_mut().for_each(|ops| ops.push(Op::Read(0)));
            }
        }
        // A counter that only grows: who waits for little may see much.
        3 => {
            let from = dice.below(count as u64) as usize;
            for value in 1..3 {
                code[from].push(Op::Write(value - 1));
                code[from].push(Op::Set(2, value as u32, dice.below(3) != 0));
            }
            for to in (0..count).filter(|to| *to != from) {
                let value = 1 + dice.below(2) as usize;
                acquire(dice, &mut code[to], 2, true, value as u32);
                code[to].push(Op::Read(dice.below(value as u64) as usize));
            }
        }
        0 => {
            let from = dice.below(count as u64) as usize;
            code[from].push(Op::Write(0));
            release(dice, &mut code[from], Op::Set, 2, 1);
            for to in (0..count).filter(|to| *to != from) {
                acquire(dice, &mut code[to], 2, false, 1);
                code[to].push(Op::Read(0));
            }
        }
        1 => {
            for turn in 0..count {
                let agent = if dice.below(2) == 0 { turn } else { count - 1 - turn };
                if code[agent].is_empty() {
                    acquire(dice, &mut code[agent], 2, false, turn as u32);
                    code[agent].extend([Op::Read(0), Op::Write(0)]);
                    let op = if dice.below(2) == 0 {
                        Op::Set(2, turn as u32 + 1, true)
                    } else {
                        Op::Add(2, 1, true)
                    };
                    code[agent].push(op);
                }
            }
        }
        _ => {
            for (agent, ops) in code.iter_mut().enumerate() {
                if agent < 2 {
                    ops.push(Op::Write(agent));
                }
                release(dice, ops, Op::Add, 2, 1);
                acquire(dice, ops, 2, true, count as u32);
                ops.push(Op::Read(1 - agent % 2));
            }
        }
    }
}

/// Agents take one or two locks, one after the other or one in the other, and change words meanwhile; then they lose
/// or change an operation or two.
fn locking_program(dice: &mut Dice) -> Program {
    let agents = match dice.below(12) {
        0..4 => Agents::Lanes,
        4..6 => Agents::Warps,
        6..11 => Agents::Blocks,
        _ => Agents::Narrow,
    };
    let count = 2 + dice.below(2) as usize;
    let commutes = dice.below(3) != 0;
    let kind = dice.below(4);
    let (fenced, swaps) = (dice.below(3) == 0, dice.below(3) == 0);
    let mut code = vec![Vec::new(); count];
    for ops in &mut code {
        let change = |dice: &mut Dice, word: usize| match dice.below(10) {
            _ if commutes && kind.is_multiple_of(2) => Op::Plus(word, 1 + dice.below(9) as u32),
            _ if commutes => Op::Most(word, 1000 + dice.below(2000) as u32),
            0 => Op::Read(word),
            1 => Op::Write(word),
            2 => Op::Twice(word),
            3 | 4 => Op::Most(word, 1000 + dice.below(2000) as u32),
            _ => Op::Plus(word, 1 + dice.below(9) as u32),
        };
        let lock = |ops: &mut Vec<Op>, word: usize| {
            ops.push(Op::Lock(word, !fenced, swaps));
            if fenced {
                ops.push(Op::Fence(false));
            }
        };
        let unlock = |dice: &mut Dice, ops: &mut Vec<Op>, word: usize| {
            if fenced {
                ops.push(Op::Fence(false));
            }
            ops.push(Op::Unlock(word, !fenced, dice.below(2) == 0));
        };
        match dice.below(8) {
            // One in the other.
            0 | 1 if count == 2 => {
                let outer = 4 + usize::from(dice.below(4) == 0);
                lock(ops, outer);
                lock(ops, 9 - outer);
                ops.push(change(dice, 0));
                unlock(dice, ops, 9 - outer);
                unlock(dice, ops, outer);
            }
            // One after the other.
            2 if count == 2 => {
                for (word, data) in [(4, 0), (5, 1)] {
                    lock(ops, word);
                    ops.push(change(dice, data));
                    unlock(dice, ops, word);
                }
            }
            _ => {
                lock(ops, 4);
                ops.push(change(dice, 0));
                if dice.below(3) == 0 {
                    ops.push(change(dice, 1));
                }
                unlock(dice, ops, 4);
            }
        }
    }
    if dice.below(2) == 0 {
        for _ in 0..1 + dice.below(2) {
            let agent = dice.below(count as u64) as usize;
            let at = dice.below(code[agent].len() as u64) as usize;
            let other = match dice.below(12) {
                0 => Op::Lock(4 + dice.below(2) as usize, true, swaps),
                1 => Op::Unlock(4 + dice.below(2) as usize, true, dice.below(2) == 0),
                2 => Op::Unlock(4, false, dice.below(2) == 0),
                3 => Op::Lock(4, false, swaps),
                4 => Op::Set(2, 1, true),
                5 => Op::Await(2, false, 1, true),
                6 => Op::Set(4, dice.below(2) as u32, true),
                7 => Op::Peek(4, true),
                8 => Op::Fence(dice.below(2) == 0),
                9 => Op::Twice(0),
                10 => Op::Read(0),
                _ => Op::Plus(0, 3),
            };
            match dice.below(3) {
                0 if code[agent].len() > 1 => drop(code[agent].remove(at)),
                1 => code[agent][at] = other,
                _ => code[agent].insert(at, other),
            }
        }
    }
    Program { agents, polls: false, code }
}

#[derive(Default, Debug)]
struct Tally {
    programs: u32,
    clean: u32,
    race: u32,
    stuck: u32,
    depends: u32,
    /// *Depends on the schedule*, though every schedule ends alike.
    cautious: u32,
}

fn compare(program: &Program, tally: &mut Tally) {
    let truth = program.explore();
    tally.programs += 1;
    for schedule in [Schedule::Ascending, Schedule::Descending, Schedule::Random(1), Schedule::Random(2)] {
        let found = program.run(schedule);
        let show =
            || format!("under {schedule:?}: {found:?}, truth {truth:?} of {program:?}\n{}", program.ptx());
        assert!(!found.race || truth.race, "No such race: {}", show());
        assert!(!found.stuck || truth.stuck || truth.race, "No such deadlock: {}", show());
        if !found.race && !found.stuck && !found.depends {
            assert!(!truth.race, "Missed race: {}", show());
            assert!(!truth.stuck, "Missed deadlock: {}", show());
            assert_eq!(truth.endings.len(), 1, "Several endings: {}", show());
            let ending: Option<Vec<u32>> = found.ending.iter().copied().collect();
            assert_eq!(ending.as_ref(), truth.endings.first(), "Another ending: {}", show());
        }
        if schedule == Schedule::Ascending {
            tally.clean += u32::from(!found.race && !found.stuck && !found.depends);
            tally.race += u32::from(found.race);
            tally.stuck += u32::from(found.stuck);
            tally.depends += u32::from(found.depends);
            let alone = found.depends && !found.race && !found.stuck;
            if alone
                && !truth.race
                && !truth.stuck
                && truth.endings.len() == 1
                && std::env::var("WHY").is_ok()
            {
                println!("why {:?} {:?}", found.why, program);
            }
            tally.cautious += u32::from(alone && !truth.race && !truth.stuck && truth.endings.len() == 1);
        }
    }
}

fn follow(draw: fn(&mut Dice) -> Program, programs: u32) -> Tally {
    let setting = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seconds = setting("WARPPROOF_SOAK_SECONDS");
    let mut dice = Dice(setting("WARPPROOF_SOAK_SEED").unwrap_or(20_261_124) | 1);
    let started = Instant::now();
    let mut tally = Tally::default();
    let goes_on = |tally: &Tally| match seconds {
        Some(seconds) => started.elapsed() < Duration::from_secs(seconds),
        None => tally.programs < programs,
    };
    while goes_on(&tally) {
        compare(&draw(&mut dice), &mut tally);
    }
    println!("{tally:?}");
    tally
}

#[test]
fn one_schedule_stands_for_all_that_signals_allow() {
    let tally = follow(random_program, 3000);
    // Every kind was seen, often, and caution is the exception.
    let share = |part: u32| f64::from(part) / f64::from(tally.programs);
    assert!(share(tally.clean) > 0.05 && share(tally.race) > 0.1 && share(tally.stuck) > 0.02, "{tally:?}");
    assert!(share(tally.cautious) < 0.1, "{tally:?}");
}

#[test]
fn one_order_of_those_who_take_locks_stands_for_all() {
    let tally = follow(locking_program, 2000);
    let share = |part: u32| f64::from(part) / f64::from(tally.programs);
    assert!(share(tally.clean) > 0.2 && share(tally.race) > 0.1 && share(tally.stuck) > 0.05, "{tally:?}");
    assert!(share(tally.cautious) < 0.1, "{tally:?}");
}
