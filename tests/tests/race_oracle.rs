//! The race detector against the definition: every schedule of small random programs is explored,
//! and the simulator, which follows one schedule, must find a race exactly if there is one, name
//! only real ones, and find deadlocks and ambiguous barriers alike.

use std::collections::BTreeSet;
use warpproof::base::Budget;
use warpproof::sim::{FaultKind, Options, Schedule, Setup, simulate};
use warpproof::spec::Launch;
use warpproof_tests::program::{Agents, At, Dice, Op, Program};

/// What one simulated schedule says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    races: BTreeSet<(At, At)>,
    stuck: bool,
    ambiguous: bool,
    uninitialized: bool,
}

fn run(program: &Program, schedule: Schedule) -> Found {
    let (kernel, accesses) = program.kernel();
    let threads = match program.agents {
        Agents::Lanes => program.code.len() as u32,
        Agents::Warps => 32 * program.code.len() as u32,
    };
    let launch = Launch { grid: [1, 1, 1], block: [threads, 1, 1], ctas: vec![[0, 0, 0]], dynamic_shared: 0 };
    let setup = Setup { launch, tensors: Vec::new(), parameters: Vec::new() };
    let options = Options { schedule, ..Options::default() };
    let run = simulate(&options, &Budget::default(), &kernel, &setup);
    let mut found = Found::default();
    for fault in &run.faults {
        match &fault.kind {
            FaultKind::DataRace(races) => {
                for race in races {
                    let place = |instr: u32| accesses[instr as usize].expect("races are between accesses");
                    let (one, two) = (place(race.first.site.instr), place(race.second.site.instr));
                    found.races.insert((one.min(two), one.max(two)));
                }
            }
            FaultKind::Deadlock(_) => found.stuck = true,
            FaultKind::BarrierDivergence(_) => found.ambiguous = true,
            FaultKind::UninitializedMemory(_) => found.uninitialized = true,
            other => panic!("unexpected fault {other:?} in {program:?}"),
        }
    }
    found
}

/// Every word is written before anything else happens, so that no read is undefined.
fn with_prologue(agents: Agents, bodies: Vec<Vec<Op>>) -> Program {
    let mut code = bodies;
    for (agent, ops) in code.iter_mut().enumerate() {
        let mut start: Vec<Op> = if agent == 0 { (0..3).map(Op::Write).collect() } else { Vec::new() };
        start.push(Op::SyncAll);
        start.append(ops);
        *ops = start;
    }
    Program { agents, code }
}

fn access(dice: &mut Dice) -> Op {
    let word = dice.below(2) as u8;
    match dice.below(5) {
        0 | 1 => Op::Read(word),
        2 | 3 => Op::Write(word),
        _ => Op::Atomic(word),
    }
}

fn random_program(dice: &mut Dice) -> Program {
    let agents = if dice.below(2) == 0 { Agents::Lanes } else { Agents::Warps };
    let count = 2 + dice.below(2) as usize;
    let named_count = 2 + dice.below(count as u64 - 1) as u8;
    let mut bodies = Vec::new();
    for agent in 0..count {
        let length = 1 + dice.below(4);
        let body = (0..length).map(|_| match (dice.below(10), agents) {
            (0..6, _) => access(dice),
            (6, _) => Op::SyncAll,
            (_, Agents::Lanes) => {
                let all = (1u64 << count) - 1;
                Op::SyncSet((dice.below(all + 1) | 1 << agent) as u8)
            }
            (_, Agents::Warps) => {
                Op::Named { id: 1 + dice.below(2) as u8, count: named_count, waits: dice.below(3) != 0 }
            }
        });
        bodies.push(body.collect());
    }
    with_prologue(agents, bodies)
}

fn schedules() -> [Schedule; 5] {
    [Schedule::Ascending, Schedule::Descending, Schedule::Random(1), Schedule::Random(2), Schedule::Random(3)]
}

#[test]
fn one_schedule_tells_what_all_schedules_show() {
    let mut dice = Dice(0x5eed_0001);
    let (mut racy, mut clean, mut stuck, mut ambiguous) = (0, 0, 0, 0);
    for _ in 0..4000 {
        let program = random_program(&mut dice);
        let truth = program.explore();
        for schedule in schedules() {
            let found = run(&program, schedule);
            assert!(
                found.races.is_subset(&truth.races),
                "Theorem 2: {found:?} is not all real, truth {truth:?} of {program:?} under {schedule:?}"
            );
            if truth.ambiguous {
                assert!(found.ambiguous, "missed: {truth:?} of {program:?} under {schedule:?}");
                continue;
            }
            assert!(
                !found.ambiguous,
                "false alarm: {found:?}, truth {truth:?} of {program:?} under {schedule:?}"
            );
            assert_eq!(
                found.races.is_empty(),
                truth.races.is_empty(),
                "Theorem 1: found {found:?}, truth {truth:?} of {program:?} under {schedule:?}"
            );
            assert_eq!(
                found.stuck, truth.stuck,
                "{found:?}, truth {truth:?} of {program:?} under {schedule:?}"
            );
        }
        racy += u32::from(!truth.races.is_empty());
        clean += u32::from(truth.races.is_empty());
        stuck += u32::from(truth.stuck);
        ambiguous += u32::from(truth.ambiguous);
    }
    // The generator must reach every kind, or the test says nothing.
    assert!(racy > 500 && clean > 500 && stuck > 200 && ambiguous > 50, "{racy} {clean} {stuck} {ambiguous}");
}

/// Order is transitive: 1 writes, 1 and 2 meet, 2 and 3 meet, 3 reads. The paper's 𝒳, which asks
/// whether 1 and 3 met, would call this a race; no execution can swap the two.
#[test]
fn order_through_a_third_agent_counts() {
    let bodies = vec![
        vec![Op::Write(0), Op::SyncSet(0b011)],
        vec![Op::SyncSet(0b011), Op::SyncSet(0b110)],
        vec![Op::SyncSet(0b110), Op::Read(0)],
    ];
    let program = with_prologue(Agents::Lanes, bodies);
    assert!(program.explore().races.is_empty());
    assert_eq!(run(&program, Schedule::Ascending), Found::default());
}

#[test]
fn the_same_without_the_second_meeting_races() {
    let bodies = vec![vec![Op::Write(0), Op::SyncSet(0b011)], vec![Op::SyncSet(0b011)], vec![Op::Read(0)]];
    let program = with_prologue(Agents::Lanes, bodies);
    let races = program.explore().races;
    assert_eq!(races.len(), 1);
    assert_eq!(run(&program, Schedule::Ascending).races, races);
}
