//! The race detector against the definition: every schedule of small random programs is explored,
//! and the simulator, which follows one schedule, must find a race exactly if there is one, name
//! only real ones, find deadlocks and ambiguous barriers alike, and, where it finds nothing, leave
//! the memory that every schedule leaves (confluence). Races that nobody can see, by stores of one number and by
//! reads that are forgotten, must leave the same in every schedule, too. The paper's condition 𝒳 stands beside both.
//!
//! The long form (`npm run soak -- race_oracle`) sets `WARPPROOF_SOAK_SECONDS` and `WARPPROOF_SOAK_SEED`.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use warpproof::base::{Budget, Format, Source};
use warpproof::ir::{self, Kernel};
use warpproof::sim::{
    Binding, BoundParameter, Disagreement, FaultKind, Initial, Misuse, Options, Race, Schedule, Setup,
    TensorSetup, simulate,
};
use warpproof::spec::{Launch, Role};
use warpproof::syntax;
use warpproof::term::{Interval, Number, Term, Terms};
use warpproof_tests::context;
use warpproof_tests::explore::{Truth, explore};
use warpproof_tests::program::{Agents, At, Dice, GLOBAL, OBJECTS, Op, Program, SLOTS};

/// What one simulated schedule says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    races: BTreeSet<(At, At)>,
    stuck: bool,
    ambiguous: bool,
    unstructured: bool,
    /// Lanes of a warp are not together at an aligned barrier.
    apart: bool,
    /// A mask names a lane that comes with a mask of others.
    masked: bool,
    /// The global words, and what the agents remember; `None` where nobody wrote.
    outputs: Vec<Option<u32>>,
}

/// A program ready to be simulated.
struct Subject<'a> {
    program: &'a Program,
    kernel: Kernel,
    /// For each instruction, which access it is.
    accesses: Vec<Option<At>>,
    setup: Setup,
}

fn prepare(program: &Program) -> Subject<'_> {
    let (ptx, lines) = program.ptx();
    let parsed = syntax::parse(Source::Optimized, &ptx);
    let lowered =
        ir::lower(Source::Optimized, &parsed.module, None).unwrap_or_else(|why| panic!("{why:?}\n{ptx}"));
    let line = |start: u32| ptx.as_bytes()[..start as usize].iter().filter(|byte| **byte == b'\n').count();
    let kernel = lowered.kernel;
    let accesses = kernel.code.iter().map(|instr| lines.get(line(instr.span.start)).copied().flatten());
    let accesses = accesses.collect();
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
    let words = Initial::Concrete(GLOBAL.iter().map(|word| u64::from(*word)).collect());
    let tensors = vec![
        tensor("g", 2, Role::InOut, words),
        tensor("out", program.code.len(), Role::Out, Initial::Undefined),
    ];
    let pointer = |tensor: usize| BoundParameter {
        offset: 8 * tensor as u32,
        size: 8,
        binding: Binding::Pointer { tensor, offset: 0 },
    };
    let block = [program.threads(), 1, 1];
    let launch =
        Launch { grid: [1, 1, 1], block, cluster: [1; 3], ctas: vec![[0, 0, 0]], dynamic_shared: Some(0) };
    let setup = Setup {
        launch,
        tensors,
        views: Vec::new(),
        maps: Default::default(),
        parameters: vec![pointer(0), pointer(1)],
        unknowable: (0, 0),
        contents: Default::default(),
        bounds: Vec::new(),
    };
    Subject { program, kernel, accesses, setup }
}

/// The integer that a constant term is.
fn integer(terms: &Terms, term: Term) -> Option<u32> {
    let number = &terms.constant_at(term.as_constant()?).number;
    let Number::Rational(exact) = number else { return None };
    Interval::of_rational(exact).as_point().map(|value| value as u32)
}

impl Subject<'_> {
    fn run(&self, schedule: Schedule) -> Found {
        // By the definition, conflicting accesses race whatever they store.
        let same_value_stores_race = !self.program.alike && !self.program.idle;
        let options = Options { schedule, timeline_events: 0, same_value_stores_race, ..Options::default() };
        let run = simulate(&options, &Budget::default(), &self.kernel, &self.setup);
        let mut found = Found::default();
        let mut insert = |races: &[Race]| {
            for race in races {
                let place = |instr: u32| self.accesses[instr as usize].expect("an access");
                let (one, two) = (place(race.first.site.instr), place(race.second.site.instr));
                found.races.insert((one.min(two), one.max(two)));
            }
        };
        for suspect in &run.suspects {
            // Two stores, a race if they are of different numbers.
            let number = |term: Term| integer(&run.terms, term).expect("nothing is symbolic");
            let [one, two] = suspect.values.expect("nothing depends on data").map(number);
            match &suspect.fault.kind {
                FaultKind::DataRace(races) if one != two => insert(races),
                FaultKind::DataRace(_) => {}
                other => panic!("unexpected suspect {other:?}"),
            }
        }
        for fault in &run.faults {
            match &fault.kind {
                FaultKind::DataRace(races) => insert(races),
                FaultKind::Deadlock(_) => found.stuck = true,
                FaultKind::BarrierDivergence(Disagreement::Instruction, _) => found.apart = true,
                FaultKind::BarrierDivergence(Disagreement::Party, _) => found.ambiguous = true,
                FaultKind::Misuse(Misuse::Mask, _) => found.masked = true,
                FaultKind::NotStructured(_) | FaultKind::DependsOnSchedule(_) => found.unstructured = true,
                other => panic!("unexpected fault {other:?} in {:?}\n{}", self.program, self.program.ptx().0),
            }
        }
        for tensor in &run.tensors {
            let setup = &self.setup.tensors[tensor.tensor];
            let initial = |at: usize| match &setup.initial {
                Initial::Concrete(words) => words.get(at).map(|word| *word as u32),
                _ => None,
            };
            let cell = |at| match tensor.elements.get(at as u64) {
                Some((term, _)) => integer(&run.terms, term),
                None => initial(at),
            };
            found.outputs.extend((0..setup.reserved as usize).map(cell));
        }
        found
    }
}

/// Every shared word is written before anything else happens, so that no read is undefined.
fn with_prologue(agents: Agents, bodies: Vec<Vec<Op>>, counts: bool, expected: u8) -> Program {
    let mut code = bodies;
    for (agent, ops) in code.iter_mut().enumerate() {
        let mut start: Vec<Op> = if agent == 0 { (0..2).map(Op::Write).collect() } else { Vec::new() };
        start.push(Op::SyncAll);
        start.append(ops);
        *ops = start;
    }
    Program { agents, code, counts, expected, alike: false, idle: false }
}

/// What a random program is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Theme {
    Barriers,
    Atomics,
    Collectives,
    Copies,
    Objects,
    Arrivals,
    /// Lanes, and one barrier object that orders nothing.
    Relaxed,
    /// Lanes, and aligned barriers.
    Aligned,
}

const THEMES: [Theme; 8] = [
    Theme::Barriers,
    Theme::Atomics,
    Theme::Collectives,
    Theme::Copies,
    Theme::Objects,
    Theme::Arrivals,
    Theme::Relaxed,
    Theme::Aligned,
];

fn access(dice: &mut Dice, theme: Theme) -> Op {
    let words = if theme == Theme::Arrivals { [0, 2, 2, 3] } else { [0, 0, 1, 2] };
    let word = words[dice.below(4) as usize];
    match (dice.below(8), theme) {
        (0..3, Theme::Atomics) => [Op::Add, Op::Max, Op::Fetch][dice.below(3) as usize](word),
        (0, _) => Op::Add(word),
        (1..4, _) => Op::Write(word),
        _ => Op::Read(word),
    }
}

/// Half of the programs are drawn operation by operation, which often deadlocks; the others as a
/// sequence of accesses and meetings that some schedule runs through.
fn random_program(dice: &mut Dice, theme: Theme) -> Program {
    let of_lanes = matches!(theme, Theme::Collectives | Theme::Relaxed | Theme::Aligned);
    let lanes = of_lanes || dice.below(2) == 0;
    let agents = if lanes { Agents::Lanes } else { Agents::Warps };
    // Copies that arrive happen at so many moments that three agents are enough.
    let count = 2 + dice.below(if theme == Theme::Arrivals { 2 } else { 3 }) as usize;
    let expected = 1 + dice.below(2) as u8;
    // What differs is put in afterwards.
    let like = match theme {
        Theme::Relaxed => Theme::Objects,
        Theme::Aligned => Theme::Barriers,
        theme => theme,
    };
    let mut bodies = match dice.below(2) {
        0 => scattered(dice, like, lanes, count),
        _ => planned(dice, like, lanes, count, expected),
    };
    if theme == Theme::Relaxed {
        relax(dice, &mut bodies);
    }
    let counts = dice.below(4) == 0 && theme != Theme::Aligned;
    let mut program = with_prologue(agents, bodies, counts, expected);
    if dice.below(2) == 0 {
        // Agent 0 looks at what is left.
        program.code.iter_mut().for_each(|ops| ops.push(Op::SyncAll));
        program.code[0].extend([Op::Read(0), Op::Read(1)]);
    }
    if theme == Theme::Aligned {
        align(dice, &mut program.code);
    }
    program
}

/// One barrier object is left, whose arrivals, waits or both become relaxed.
fn relax(dice: &mut Dice, bodies: &mut [Vec<Op>]) {
    let which = dice.below(3);
    for op in bodies.iter_mut().flatten() {
        *op = match *op {
            Op::Arrive(_) if which != 0 => Op::ArriveRelaxed(0),
            Op::Arrive(_) => Op::Arrive(0),
            Op::Await { parity, .. } if which != 1 => Op::AwaitRelaxed { object: 0, parity },
            Op::Await { parity, .. } => Op::Await { object: 0, parity },
            op => op,
        };
    }
}

/// Barriers become aligned: mostly each agent's n-th is one instruction for all of them.
fn align(dice: &mut Dice, bodies: &mut [Vec<Op>]) {
    let strays = dice.below(2) == 0;
    for ops in bodies {
        let mut round = 0;
        for op in ops.iter_mut().filter(|op| **op == Op::SyncAll) {
            round += 1;
            *op = match dice.below(8) {
                0 if strays => Op::SyncAll,
                1 if strays => Op::Aligned((round + 1) % SLOTS),
                _ => Op::Aligned(round % SLOTS),
            };
        }
    }
}

fn scattered(dice: &mut Dice, theme: Theme, lanes: bool, count: usize) -> Vec<Vec<Op>> {
    let named_count = 2 + dice.below(count as u64 - 1) as u8;
    let body = |dice: &mut Dice, agent: usize| {
        let mask = |dice: &mut Dice| (dice.below(1 << count) | 1 << agent) as u8;
        // Four agents have so many schedules that their lists are short.
        let length = 1 + dice.below(if count == 4 { 3 } else { 4 });
        let op = |dice: &mut Dice| match (dice.below(10), theme) {
            (0..5, _) => access(dice, theme),
            (5..8, Theme::Collectives) => match dice.below(4) {
                0 => Op::Shuffle(mask(dice)),
                1 => Op::Fence,
                _ => Op::Vote(mask(dice)),
            },
            (5..9, Theme::Copies) => copying(dice),
            (5..9, Theme::Arrivals) => match dice.below(6) {
                0 | 1 => Op::Copy { to: dice.below(2) as u8, from: 2 + dice.below(2) as u8 },
                2 | 3 => Op::ArriveCopies { object: object(dice), counted: dice.below(3) != 0 },
                4 => Op::Await { object: object(dice), parity: u8::from(dice.below(5) == 0) },
                _ if dice.below(4) == 0 => Op::Arrive(object(dice)),
                _ => waiting(dice),
            },
            (5..9, Theme::Objects) => match dice.below(2) {
                0 => Op::Arrive(object(dice)),
                _ => Op::Await { object: object(dice), parity: u8::from(dice.below(5) == 0) },
            },
            (5, _) | (6, Theme::Barriers) => Op::SyncAll,
            _ if lanes => Op::SyncSet(mask(dice)),
            _ => Op::Named { id: 1 + dice.below(2) as u8, count: named_count, waits: dice.below(3) != 0 },
        };
        (0..length).map(|_| op(dice)).collect()
    };
    (0..count).map(|agent| body(dice, agent)).collect()
}

/// A barrier object: mostly the first one, since programs are short.
fn object(dice: &mut Dice) -> u8 {
    u8::from(dice.below(4) == 0)
}

fn copying(dice: &mut Dice) -> Op {
    match dice.below(6) {
        0 | 1 => Op::Copy { to: dice.below(2) as u8, from: 2 + dice.below(2) as u8 },
        2..5 => waiting(dice),
        _ => Op::WaitAll,
    }
}

/// What a thread does about the copies it has started.
fn waiting(dice: &mut Dice) -> Op {
    [Op::WaitAll, Op::Commit, Op::WaitGroups(dice.below(2) as u8)][dice.below(3) as usize]
}

fn planned(dice: &mut Dice, theme: Theme, lanes: bool, count: usize, expected: u8) -> Vec<Vec<Op>> {
    let mut bodies = vec![Vec::new(); count];
    let room = match count {
        2 if theme == Theme::Arrivals => 6,
        2 | 3 => 4,
        _ => 3,
    };
    let (mut parities, mut ended) = ([0; OBJECTS], vec![false; count]);
    for _ in 0..3 + dice.below(6) {
        let members: Vec<usize> =
            (0..count).filter(|agent| bodies[*agent].len() < room && dice.below(3) != 0).collect();
        let mask = members.iter().fold(0, |mask, agent| mask | 1 << agent);
        let agent = dice.below(count as u64) as usize;
        let object = object(dice);
        let parity = &mut parities[usize::from(object)];
        match (dice.below(8), theme) {
            (0, _) if ended.iter().all(|ended| !ended) => {
                bodies.iter_mut().for_each(|ops| ops.push(Op::SyncAll))
            }
            (1, Theme::Objects) if members.len() > usize::from(expected) => {
                let (arrive, wait) = members.split_at(expected.into());
                arrive.iter().for_each(|agent| bodies[*agent].push(Op::Arrive(object)));
                let wait_for = Op::Await { object, parity: *parity };
                wait.iter().for_each(|agent| bodies[*agent].push(wait_for));
                *parity ^= 1;
            }
            (1..4, Theme::Arrivals) if members.len() > usize::from(expected) => {
                let (arrive, wait) = members.split_at(expected.into());
                for agent in arrive {
                    let ops = &mut bodies[*agent];
                    let (to, from) = (dice.below(2) as u8, 2 + dice.below(2) as u8);
                    match dice.below(4) {
                        0 => ops.push(Op::Arrive(object)),
                        1 => ops.extend([
                            Op::Copy { to, from },
                            Op::ArriveCopies { object, counted: false },
                            Op::Arrive(object),
                        ]),
                        _ => ops.extend([Op::Copy { to, from }, Op::ArriveCopies { object, counted: true }]),
                    }
                }
                let wait_for = Op::Await { object, parity: *parity };
                wait.iter().for_each(|agent| bodies[*agent].push(wait_for));
                *parity ^= 1;
            }
            (1, Theme::Collectives) => members.iter().for_each(|agent| bodies[*agent].push(Op::Vote(mask))),
            (1 | 2, _) if lanes => members.iter().for_each(|agent| bodies[*agent].push(Op::SyncSet(mask))),
            (1 | 2, _) if members.len() > 1 => {
                let (id, count) = (1 + dice.below(3) as u8, members.len() as u8);
                let arrives = members[dice.below(members.len() as u64) as usize];
                for agent in members {
                    bodies[agent].push(Op::Named { id: id + 3 * count, count, waits: agent != arrives });
                }
            }
            (3, Theme::Barriers) => ended[agent] = true,
            (3..5, Theme::Copies) => bodies[agent].push(copying(dice)),
            (4, Theme::Arrivals) if bodies[agent].len() < room => bodies[agent].push(waiting(dice)),
            _ if bodies[agent].len() < room => bodies[agent].push(access(dice, theme)),
            _ => {}
        }
    }
    bodies
}

fn schedules() -> [Schedule; 5] {
    [Schedule::Ascending, Schedule::Descending, Schedule::Random(1), Schedule::Random(2), Schedule::Random(3)]
}

/// What was seen in many programs.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    programs: u32,
    states: usize,
    racy: u32,
    /// Racy ones whose schedules end differently.
    racy_differ: u32,
    /// Neither race nor deadlock, the same order of atomics and partners at barriers in all schedules.
    clean: u32,
    stuck: u32,
    ambiguous: u32,
    observed: u32,
    undefined: u32,
    apart: u32,
    /// *Not structured* for atomics whose order could tell, though with these numbers it does not.
    cautious: u32,
    /// A race by [`strict`] alone.
    strict: u32,
    /// With races that nobody can see, and no others.
    idle: u32,
}

/// Whether an access by an agent may race although no two schedules swap it: the arrival of copies
/// tells those who wait what has been copied, and not what else its agent has done. (The manual has
/// the arrival triggered by the system, and gives it no release of the thread's own accesses.)
fn strict(program: &Program, (agent, position): At) -> bool {
    let ops = &program.code[agent];
    let arrives = ops[position..].iter().any(|op| matches!(op, Op::ArriveCopies { .. }));
    arrives && !matches!(ops[position], Op::Copy { .. })
}

/// Whether all races are between a store and a read that is forgotten, of global words.
fn is_idle(program: &Program, races: &BTreeSet<(At, At)>) -> bool {
    let op = |(agent, position): At| program.code[agent][position];
    races.iter().all(|(one, two)| {
        matches!((op(*one), op(*two)), (Op::Peek(word), Op::Write(_)) | (Op::Write(word), Op::Peek(_)) if word >= 2)
    })
}

/// The same program, of whose reads some are forgotten, with shared and global words mostly exchanged.
fn forgetful(dice: &mut Dice, program: &Program) -> Program {
    let mut program = Program { idle: true, ..program.clone() };
    let exchanged = 2 * u8::from(dice.below(4) != 0);
    for ops in &mut program.code {
        // Behind what gives shared words their first values.
        for op in ops.iter_mut().skip_while(|op| **op != Op::SyncAll) {
            *op = match *op {
                Op::Read(word) if dice.below(3) != 0 => Op::Peek(word ^ exchanged),
                Op::Read(word) => Op::Read(word ^ exchanged),
                Op::Write(word) => Op::Write(word ^ exchanged),
                Op::Add(word) => Op::Add(word ^ exchanged),
                Op::Max(word) => Op::Max(word ^ exchanged),
                Op::Fetch(word) => Op::Fetch(word ^ exchanged),
                other => other,
            };
        }
    }
    program
}

/// Compares one program with its truth.
fn compare(program: &Program, tally: &mut Tally) {
    let mut truth = explore(program);
    if program.alike {
        let stores = |(agent, position): At| matches!(program.code[agent][position], Op::Write(_));
        truth.races.retain(|(one, two)| !(stores(*one) && stores(*two)));
    }
    let mut unseen = BTreeSet::new();
    if program.idle && !truth.races.is_empty() && is_idle(program, &truth.races) {
        if truth.stuck || truth.apart || truth.ambiguous || !truth.observed.is_empty() {
            return; // Races count where something else is wrong.
        }
        unseen = std::mem::take(&mut truth.races);
        tally.idle += 1;
    }
    tally.programs += 1;
    tally.states += truth.states;
    if truth.undefined {
        tally.undefined += 1;
        return;
    }
    let subject = prepare(program);
    let show = || format!("truth {truth:?} of {program:?}\n{}", program.ptx().0);
    // Where nothing is in doubt, all schedules end alike.
    let sure = truth.races.is_empty() && truth.observed.is_empty() && !truth.ambiguous;
    assert!(!sure || truth.endings.len() == 1, "Confluence: {}", show());
    let (mut cautious, mut stricter) = (false, false);
    for schedule in schedules() {
        let found = subject.run(schedule);
        let show = || format!("under {schedule:?}: {found:?}, {}", show());
        let allowed = |(one, two): &(At, At)| {
            // Masks are not explored.
            truth.races.contains(&(*one, *two))
                || found.masked && unseen.contains(&(*one, *two))
                || strict(program, *one)
                || strict(program, *two)
        };
        assert!(found.races.iter().all(allowed), "Theorem 2: {}", show());
        if truth.ambiguous {
            assert!(found.ambiguous || found.unstructured, "missed: {}", show());
            continue;
        }
        assert!(!found.ambiguous, "false alarm: {}", show());
        if !found.unstructured {
            assert_eq!(found.apart, truth.apart, "aligned barriers: {}", show());
        }
        if found.unstructured {
            // The thread stops there, so what it would have done later is not seen.
            assert!(!truth.observed.is_empty(), "false alarm: {}", show());
            cautious |= truth.endings.len() == 1;
            continue;
        }
        if truth.races.is_empty() && !found.races.is_empty() {
            stricter = true;
            continue;
        }
        assert_eq!(found.races.is_empty(), truth.races.is_empty(), "Theorem 1: {}", show());
        assert_eq!(found.stuck, truth.stuck, "{}", show());
        if truth.races.is_empty() {
            assert!(truth.observed.is_empty() || truth.endings.len() == 1, "missed: {}", show());
            let ending = truth.endings.first().expect("a schedule ends");
            let returned = |agent: usize| ending.places[agent] == program.code[agent].len();
            let words = ending.memory[2..].iter().map(|word| Some(*word));
            let digests = ending.digests.iter().enumerate().map(|(at, sum)| returned(at).then_some(*sum));
            let outputs: Vec<Option<u32>> = words.chain(digests).collect();
            assert_eq!(found.outputs, outputs, "Confluence: {}", show());
        }
    }
    count(&truth, tally);
    tally.cautious += u32::from(cautious);
    tally.strict += u32::from(stricter);
}

fn count(truth: &Truth, tally: &mut Tally) {
    tally.racy += u32::from(!truth.races.is_empty());
    tally.racy_differ += u32::from(!truth.races.is_empty() && truth.endings.len() > 1);
    let sure = truth.races.is_empty() && truth.observed.is_empty() && !truth.ambiguous;
    tally.clean += u32::from(sure && !truth.stuck);
    tally.stuck += u32::from(truth.stuck);
    tally.ambiguous += u32::from(truth.ambiguous);
    tally.observed += u32::from(!truth.observed.is_empty());
    tally.apart += u32::from(truth.apart);
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn one_schedule_tells_what_all_schedules_show() {
    let until = number("WARPPROOF_SOAK_SECONDS").map(|time| Instant::now() + Duration::from_secs(time));
    let seed = number("WARPPROOF_SOAK_SEED").unwrap_or(1);
    let mut dice = Dice(0x5eed_0001_u64.wrapping_mul(2 * seed + 1));
    let mut tallies = [Tally::default(); 8];
    let (mut alike, mut idle) = (Tally::default(), Tally::default());
    let mut second = Dice(0x5eed_0003_u64.wrapping_mul(2 * seed + 1));
    let programs = |theme| if theme == Theme::Barriers { 1500 } else { 700 };
    loop {
        for (theme, tally) in THEMES.into_iter().zip(&mut tallies) {
            for _ in 0..programs(theme) {
                let program = random_program(&mut dice, theme);
                compare(&program, tally);
                compare(&forgetful(&mut second, &program), &mut idle);
                compare(&Program { alike: true, ..program }, &mut alike);
            }
        }
        if until.is_none_or(|until| Instant::now() >= until) {
            break;
        }
    }
    for (theme, tally) in THEMES.into_iter().zip(&tallies) {
        println!("races: seed {seed}, {theme:?}: {tally:?}");
        // The generator must reach every kind, or the test says nothing.
        assert!(tally.racy > 100 && tally.clean > 100 && tally.stuck > 20, "{theme:?}: {tally:?}");
        assert!(tally.racy_differ > 50, "{theme:?}: {tally:?}");
    }
    println!("races: seed {seed}, stores of one number: {alike:?}");
    println!("races: seed {seed}, reads that are forgotten: {idle:?}");
    assert!(idle.racy > 100 && idle.clean > 1000 && idle.idle > 100, "{idle:?}");
    assert!(alike.racy > 100 && alike.clean > 1000 && alike.racy_differ > 50, "{alike:?}");
    assert!(tallies[0].ambiguous > 10 && tallies[4].ambiguous > 20, "{tallies:?}");
    assert!(tallies[1].observed > 30, "{tallies:?}");
    assert!(tallies[7].apart > 50, "{tallies:?}");
    assert!(10 * tallies[5].strict < tallies[5].clean, "{tallies:?}");
    assert!(tallies.iter().all(|tally| 10 * tally.cautious < tally.clean), "{tallies:?}");
}

/// How the paper's 𝒳 and the definition compare on programs of reads, writes and meetings.
#[derive(Clone, Copy, Default, Debug)]
struct Beside {
    programs: u32,
    both: u32,
    neither: u32,
    only_context: u32,
    only_truth: u32,
}

fn beside(program: &Program, tally: &mut Beside) -> Option<bool> {
    let context = !context::races(program)?.is_empty();
    let truth = !explore(program).races.is_empty();
    tally.programs += 1;
    *match (context, truth) {
        (true, true) => &mut tally.both,
        (false, false) => &mut tally.neither,
        (true, false) => &mut tally.only_context,
        (false, true) => &mut tally.only_truth,
    } += 1;
    Some(context == truth)
}

/// An access, some meetings of two or three, and an access of somebody to the same word.
fn meetings(dice: &mut Dice, count: usize) -> Vec<Vec<Op>> {
    let mut bodies = vec![Vec::new(); count];
    bodies[dice.below(count as u64) as usize].push(Op::Write(0));
    for _ in 0..2 + dice.below(3) {
        let mask = 1 + dice.below((1 << count) - 1) as u8;
        if matches!(mask.count_ones(), 2 | 3) {
            let members = (0..count).filter(|agent| mask >> agent & 1 == 1);
            members.for_each(|agent| bodies[agent].push(Op::SyncSet(mask)));
        }
    }
    bodies[dice.below(count as u64) as usize].push([Op::Read(0), Op::Write(0)][dice.below(2) as usize]);
    bodies
}

#[test]
fn the_papers_condition_reports_all_races_and_some_that_are_none() {
    let mut dice = Dice(0x5eed_0002);
    let mut tally = Beside::default();
    while tally.programs < 4000 {
        let count = 3 + dice.below(2) as usize;
        let bodies = match dice.below(4) {
            0 => scattered(&mut dice, Theme::Barriers, true, count),
            _ => meetings(&mut dice, count),
        };
        beside(&with_prologue(Agents::Lanes, bodies, false, 1), &mut tally);
    }
    println!("races: beside the paper's condition: {tally:?}");
    assert_eq!(tally.only_truth, 0, "the paper's condition misses a race");
    assert!(tally.only_context > 10 && tally.both > 500 && tally.neither > 500, "{tally:?}");
}

/// Every program of one word and two or three lanes with so many operations on which both
/// conditions differ; with `met`, only those whose lanes come to every meeting themselves.
fn differences(length: usize, met: bool, tried: &mut Beside) -> Vec<Program> {
    let alphabet = |agent: usize, count: usize| -> Vec<Op> {
        let masks = (1..1u8 << count).filter(move |mask| mask >> agent & 1 == 1 && mask.count_ones() > 1);
        [Op::Read(0), Op::Write(0)].into_iter().chain(masks.map(Op::SyncSet)).collect()
    };
    let mut found = Vec::new();
    for count in 2..=3 {
        // How many operations each agent has; then each of them counts through its alphabet.
        for lengths in splits(length, count) {
            let places: Vec<usize> =
                lengths.iter().enumerate().flat_map(|(agent, length)| vec![agent; *length]).collect();
            let letters: Vec<Vec<Op>> = (0..count).map(|agent| alphabet(agent, count)).collect();
            let mut digits = vec![0; length];
            loop {
                let mut code = vec![Vec::new(); count];
                for (digit, agent) in digits.iter().zip(&places) {
                    code[*agent].push(letters[*agent][*digit]);
                }
                let program = Program {
                    agents: Agents::Lanes,
                    code,
                    counts: false,
                    expected: 1,
                    alike: false,
                    idle: false,
                };
                if (!met || everybody_comes(&program)) && beside(&program, tried) == Some(false) {
                    found.push(program);
                }
                let carry = (0..length).find(|at| digits[*at] + 1 < letters[places[*at]].len());
                let Some(at) = carry else { break };
                digits[at] += 1;
                digits[..at].fill(0);
            }
        }
    }
    found
}

/// Whether each meeting has all its members: each comes to it as often as the others.
fn everybody_comes(program: &Program) -> bool {
    (1..1u8 << program.code.len()).all(|mask| {
        let members = program.code.iter().enumerate().filter(|(agent, _)| mask >> agent & 1 == 1);
        let times = members.map(|(_, ops)| ops.iter().filter(|op| **op == Op::SyncSet(mask)).count());
        times.collect::<BTreeSet<_>>().len() == 1
    })
}

/// All programs of one word, shortest first, until both conditions differ. Lane 0 writes, lane 2
/// reads, and lane 1 is the link between them: by returning, or by meeting both.
#[test]
fn the_smallest_programs_on_which_the_papers_condition_differs() {
    let returning = vec![vec![Op::Write(0)], vec![Op::SyncSet(0b011)], vec![Op::SyncSet(0b110), Op::Read(0)]];
    let meeting = vec![
        vec![Op::Write(0), Op::SyncSet(0b011)],
        vec![Op::SyncSet(0b011), Op::SyncSet(0b110)],
        vec![Op::SyncSet(0b110), Op::Read(0)],
    ];
    for (met, smallest, example) in [(false, 4, returning), (true, 6, meeting)] {
        let mut tried = Beside::default();
        let shorter: usize = (2..smallest).map(|length| differences(length, met, &mut tried).len()).sum();
        let found = differences(smallest, met, &mut tried);
        println!("races: all lanes come: {met}; {tried:?}; {} differ, one is {example:?}", found.len());
        assert_eq!(shorter, 0);
        assert_eq!(tried.only_truth, 0, "the paper's condition misses a race");
        assert!(found.iter().any(|program| program.code == example));
    }
}

/// All ways to write a number as a sum of so many.
fn splits(total: usize, parts: usize) -> Vec<Vec<usize>> {
    if parts == 1 {
        return vec![vec![total]];
    }
    let with = |first: usize| {
        splits(total - first, parts - 1).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    (0..=total).flat_map(with).collect()
}

/// The simulator on that program, with initialized memory: no race.
#[test]
fn order_through_a_third_agent_counts() {
    for first in [vec![Op::Write(0)], vec![Op::Write(0), Op::SyncSet(0b011)]] {
        let bodies =
            vec![first, vec![Op::SyncSet(0b011), Op::SyncSet(0b110)], vec![Op::SyncSet(0b110), Op::Read(0)]];
        let program = with_prologue(Agents::Lanes, bodies, false, 1);
        assert!(explore(&program).races.is_empty());
        assert!(!context::races(&program).expect("its language").is_empty());
        let found = prepare(&program).run(Schedule::Ascending);
        assert!(found.races.is_empty() && !found.stuck && !found.unstructured, "{found:?}");
    }
}

#[test]
fn the_same_without_the_second_meeting_races() {
    let bodies = vec![vec![Op::Write(0), Op::SyncSet(0b011)], vec![Op::SyncSet(0b011)], vec![Op::Read(0)]];
    let program = with_prologue(Agents::Lanes, bodies, false, 1);
    let races = explore(&program).races;
    assert_eq!(races.len(), 1);
    assert_eq!(prepare(&program).run(Schedule::Ascending).races, races);
}

/// Agent 0 raises a word, agent 1 meets it and adds; agent 2, ordered with neither, adds too. Sums
/// commute with each other and not with the maximum, which the newest atomic must not hide.
#[test]
fn an_atomic_of_another_kind_is_not_hidden_by_a_newer_one() {
    for first in [Op::Max(0), Op::Fetch(0)] {
        let bodies =
            vec![vec![first, Op::SyncSet(0b011)], vec![Op::SyncSet(0b011), Op::Add(0)], vec![Op::Add(0)]];
        let mut program = with_prologue(Agents::Lanes, bodies, false, 1);
        program.code.iter_mut().for_each(|ops| ops.push(Op::SyncAll));
        program.code[0].push(Op::Read(0));
        assert!(explore(&program).endings.len() > 1);
        let subject = prepare(&program);
        for schedule in schedules() {
            assert!(subject.run(schedule).unstructured, "{first:?} under {schedule:?}");
        }
    }
}

/// An observed atomic before a barrier of all says nothing about the atomics behind it; nor does one
/// before a meeting of two about those of one of them.
#[test]
fn a_meeting_ends_what_was_observed() {
    for first in [Op::Max(0), Op::Fetch(0)] {
        let all = vec![vec![first, Op::SyncAll, Op::Add(0)], vec![Op::SyncAll, Op::Add(0)]];
        let two = Op::SyncSet(0b011);
        let some = vec![vec![first, two], vec![two, Op::Add(0), Op::Add(0)], vec![]];
        // Lane 2 has returned before the barrier lets the others go.
        let returned = [all.clone(), vec![vec![]]].concat();
        for bodies in [all, some, returned] {
            let program = with_prologue(Agents::Lanes, bodies, false, 1);
            let truth = explore(&program);
            assert!(truth.endings.len() == 1 && truth.observed.is_empty());
            let subject = prepare(&program);
            for schedule in schedules() {
                assert!(!subject.run(schedule).unstructured, "{program:?} under {schedule:?}");
            }
        }
    }
}

/// What the tests below say of the barrier objects.
const ARRIVES: Op = Op::ArriveCopies { object: 0, counted: true };
const AWAIT: Op = Op::Await { object: 0, parity: 0 };
const AWAIT_SECOND: Op = Op::Await { object: 1, parity: 0 };

/// Agent 0 copies, the copy arrives at the barrier object, and somebody writes what was copied: no
/// race for whoever has waited for the object, or for agent 0 and whom it tells if it has waited for
/// the copy itself; a race for everybody else.
#[test]
fn who_has_waited_for_an_arriving_copy_may_write_what_it_read() {
    let copy = [Op::Copy { to: 1, from: 2 }, ARRIVES];
    let after = |more: &[Op]| [&copy, more].concat();
    let groups = [Op::Copy { to: 0, from: 3 }, Op::Commit, Op::Copy { to: 1, from: 2 }, Op::Commit, ARRIVES];
    let two = [copy, [Op::Copy { to: 0, from: 3 }, Op::ArriveCopies { object: 1, counted: true }]].concat();
    for (races, bodies) in [
        (false, vec![copy.to_vec(), vec![AWAIT, Op::Write(2), Op::Read(1)]]),
        (false, vec![after(&[AWAIT, Op::Write(2), Op::Write(1)]), vec![]]),
        (false, vec![after(&[AWAIT, Op::SyncAll]), vec![Op::SyncAll, Op::Write(2)]]),
        (false, vec![after(&[Op::SyncAll]), vec![Op::SyncAll, AWAIT, Op::Write(2), Op::Write(1)]]),
        // The agent that waited tells another one.
        (false, vec![copy.to_vec(), vec![AWAIT, Op::SyncSet(0b110)], vec![Op::SyncSet(0b110), Op::Write(2)]]),
        (true, vec![after(&[Op::Write(2)]), vec![]]),
        (true, vec![after(&[Op::SyncAll]), vec![Op::SyncAll, Op::Write(2)]]),
        (true, vec![copy.to_vec(), vec![Op::Write(2)]]),
        // Agent 0 waits for its copies, too.
        (false, vec![after(&[Op::WaitAll, Op::Write(2), Op::Read(1)]), vec![AWAIT, Op::Read(1)]]),
        (false, vec![after(&[Op::WaitAll, Op::SyncAll]), vec![Op::SyncAll, Op::Write(2)]]),
        (false, vec![after(&[Op::Commit, Op::WaitGroups(0), Op::Write(2)]), vec![]]),
        (true, vec![after(&[Op::Commit, Op::WaitGroups(1), Op::Write(2)]), vec![]]),
        (true, vec![after(&[Op::WaitAll]), vec![Op::Write(2)]]),
        // Of two groups that arrive together it waits for the first one.
        (false, vec![[&groups, &[Op::WaitGroups(1), Op::Write(3), Op::Write(0)][..]].concat(), vec![]]),
        (true, vec![[&groups, &[Op::WaitGroups(1), Op::Write(2)][..]].concat(), vec![]]),
        (true, vec![[&groups, &[Op::WaitGroups(1), Op::Read(1)][..]].concat(), vec![]]),
        (false, vec![[&groups, &[Op::WaitGroups(0), Op::Write(2), Op::Write(1)][..]].concat(), vec![]]),
        // Copies that arrive at two objects: to have waited for all of them, or for the later arrival, is
        // to have waited for both copies, and to have waited for the first arrival for its own alone.
        (false, vec![[&two, &[Op::WaitAll, Op::Write(2), Op::Write(3)][..]].concat(), vec![]]),
        (false, vec![two.to_vec(), vec![AWAIT_SECOND, Op::Write(2), Op::Write(3)]]),
        (false, vec![two.to_vec(), vec![AWAIT, Op::Write(2)]]),
        (true, vec![two.to_vec(), vec![AWAIT, Op::Write(3)]]),
        // The copy after the arrival has nobody who waits for it.
        (true, vec![after(&[Op::Copy { to: 0, from: 3 }]), vec![AWAIT, Op::Write(3)]]),
    ] {
        let program = with_prologue(Agents::Lanes, bodies, false, 1);
        let truth = explore(&program);
        assert_eq!(!truth.races.is_empty(), races, "{program:?}: {truth:?}");
        let subject = prepare(&program);
        for schedule in schedules() {
            let found = subject.run(schedule);
            assert_eq!(found.races, truth.races, "{program:?} under {schedule:?}: {found:?}");
            assert!(!found.unstructured && !found.ambiguous, "{program:?} under {schedule:?}: {found:?}");
        }
    }
}

/// Copies of one agent arrive at two barrier objects. Whoever knows of the later arrival, or that the
/// copies have happened, does not know of the first arrival: which phase of the first object its own
/// arrival counts for is open, unless it has waited for that as well.
#[test]
fn a_later_arrival_does_not_tell_of_an_earlier_one_elsewhere() {
    let two = [Op::Copy { to: 1, from: 2 }, ARRIVES, Op::ArriveCopies { object: 1, counted: true }];
    let meets = [&two[..], &[Op::WaitAll, Op::SyncAll]].concat();
    for (agent, told) in [(two.to_vec(), AWAIT_SECOND), (meets, Op::SyncAll)] {
        for (open, waits) in [(true, None), (false, Some(AWAIT))] {
            let other: Vec<Op> =
                [told].into_iter().chain(waits).chain([Op::Arrive(0), Op::Read(1), Op::Write(2)]).collect();
            let program = with_prologue(Agents::Lanes, vec![agent.clone(), other], false, 1);
            let truth = explore(&program);
            assert_eq!(truth.ambiguous, open, "{program:?}: {truth:?}");
            let subject = prepare(&program);
            for schedule in schedules() {
                let found = subject.run(schedule);
                assert_eq!(found.unstructured, open, "{program:?} under {schedule:?}: {found:?}");
                assert_eq!(found.races, truth.races, "{program:?} under {schedule:?}: {found:?}");
            }
        }
    }
}

/// Copies that arrive beyond the expected arrivals: whoever waits for the phase waits for them only
/// if they are announced before one that is expected.
#[test]
fn further_arrivals_are_announced_before_the_phase_can_end() {
    let further = [Op::Copy { to: 1, from: 2 }, Op::ArriveCopies { object: 0, counted: false }];
    let late = vec![further.to_vec(), vec![Op::Arrive(0)], vec![AWAIT, Op::Write(2)]];
    let early = vec![[&further[..], &[Op::Arrive(0)]].concat(), vec![], vec![AWAIT, Op::Write(2)]];
    for (open, bodies) in [(true, late), (false, early)] {
        let program = with_prologue(Agents::Lanes, bodies, false, 1);
        let truth = explore(&program);
        assert_eq!(truth.ambiguous, open, "{truth:?}");
        let subject = prepare(&program);
        for schedule in schedules() {
            let found = subject.run(schedule);
            assert_eq!(found.unstructured, open, "{program:?} under {schedule:?}: {found:?}");
            assert!(open || found.races.is_empty(), "{program:?} under {schedule:?}: {found:?}");
        }
    }
}

/// Lane 1 reads, meets lane 0, and reads again; lane 2 has read as well, and meets lane 0 later. The
/// second read of lane 1 is unordered with what lane 0 writes then, though its first read is not.
#[test]
fn a_later_read_is_not_taken_for_an_earlier_one() {
    for mirrored in [false, true] {
        let place = |agent: usize| if mirrored { 2 - agent } else { agent };
        let with = |a: usize, b: usize| Op::SyncSet(1 << place(a) | 1 << place(b));
        for (again, races) in [(true, true), (false, false)] {
            let mut reader = vec![Op::Read(0), with(0, 1)];
            reader.extend(again.then_some(Op::Read(0)));
            let mut bodies = vec![Vec::new(); 3];
            bodies[place(0)] = vec![with(0, 1), with(0, 2), Op::Write(0)];
            bodies[place(1)] = reader;
            bodies[place(2)] = vec![Op::Read(0), with(0, 2)];
            let program = with_prologue(Agents::Lanes, bodies, false, 1);
            let truth = explore(&program);
            assert_eq!(!truth.races.is_empty(), races);
            let subject = prepare(&program);
            for schedule in schedules() {
                assert_eq!(subject.run(schedule).races, truth.races, "{program:?} under {schedule:?}");
            }
        }
    }
}
