//! The CTA machine: executes a kernel symbolically under one schedule and reports what happened.
//!
//! One schedule is enough. Without a race, all schedules end with the same memory (the paper's confluence theorem),
//! and a race shows in every schedule (Theorems 1 and 2), because it is defined by what orders two accesses, not by
//! which of them happened to come first.
//!
//! This module knows neither PTX text nor how equality is decided. Its parts:
//!
//! - Control: `machine` schedules warps and groups of lanes, `straight` runs pure instructions together,
//!   `predicate` runs both sides of a branch that depends on data, and `ends` defines how lanes and runs end.
//!   `ways` runs a launch once for each outcome of a condition under which threads synchronize.
//! - Effects: `execute` is the match over effects; `lanewise`, `access`, `atomics`, `barrier`, `collective`,
//!   `matrix`, `copies` and `phaser` implement them.
//! - Copies through the asynchronous proxy: `bulk`; `tensor` for boxes of tensors, whose bytes `boxes` finds and
//!   whose maps a kernel may make itself (`drafts`); `overtaken` for the work of clusters that have not begun; `transactions`
//!   for the bytes that barrier objects count.
//! - Values: `warp`, `memory`, `cells` and `bits` hold them; `batch` lists the bytes that lanes access; `repeats`
//!   and `stretches` reuse results that several warps have in common; `rounding` bounds how far concrete floats may
//!   be from the values they stand for.
//! - Races: `clock` and `race` find them. `accesses` watches single locations access by access: `race` knows no
//!   conditions and no values, so where it finds unordered accesses and the condition or the value may matter, the
//!   kernel is run again with those locations watched. `idle` finds races with loads whose values nobody uses.
//! - Order through memory: `signals` (flags, semaphores, grid barriers), with `releases` for what threads pass on,
//!   and `history` for what was written to a location. `asked` and `needed` find what a waiting loop makes of the
//!   values it loads, `residents` lets CTAs take turns, and `tickets` handles results of atomics. `locks` acquires
//!   locks in one order, `contents` checks whether critical sections commute, and `standoff` looks for cycles of
//!   lock waits.
//! - What the machine chooses or hides: `looks` finds instructions whose outcome the machine chooses, `far` skips
//!   library code for very large arguments, and `unknowable` gives values that no kernel can know before the run.
//! - Further runs: `origins` and `moment` run a kernel again to see where values come from and what a lane does at
//!   a step.
//!
//! Tensors that the spec calls inputs are not watched for races, because there is none where no thread writes; a
//! kernel that does write there is run again with everything watched.
//!
//! Faults under a condition on data are `suspects`: the run continues as if there were none, and the caller, which
//! has a decision procedure, finds out whether the condition can hold. A condition that contradicts itself in an
//! obvious way (`contradiction`) is not a suspect.
//!
//! Missed by design: the rounding of symbolic values (the ledger counts it), NaN in the data, and finer points of the
//! memory model (named in `signals`).

mod access;
mod accesses;
mod asked;
mod atomics;
mod barrier;
mod batch;
mod bits;
mod boxes;
mod bulk;
mod bytes;
mod cells;
mod chosen;
mod claims;
mod clock;
mod cluster;
mod collective;
mod contents;
mod contradiction;
mod coordinates;
mod copies;
mod descriptor;
mod drafts;
mod ends;
mod execute;
mod far;
mod gaps;
mod harvest;
mod history;
mod idle;
mod inspect;
mod lanewise;
mod launch;
mod locks;
mod logic;
mod looks;
mod machine;
mod matrix;
mod memory;
mod missed;
mod moment;
mod needed;
mod notes;
mod ordered_words;
mod origins;
mod outcome;
mod overtaken;
mod pages;
mod phaser;
mod pivots;
mod predicate;
mod race;
mod races;
mod releases;
mod repeats;
mod residents;
mod rounding;
mod rounds;
mod setup;
mod signals;
mod spin;
mod standoff;
mod straight;
mod stretches;
mod suspects;
mod tensor;
mod tensor_memory;
mod texels;
mod textures;
mod tickets;
mod trace;
mod transactions;
mod undefined;
mod unknowable;
mod updates;
mod views;
mod warp;
mod warpgroup;
mod ways;
mod written;

pub use boxes::{Axis, Pixels, TensorMap};
pub use idle::Unordered;
pub use inspect::{Held, Holding, Standstill, inspect};
pub use locks::handed_on;
pub use looks::{ALLOCATED, Look, WORLDS, World, looks};
pub use moment::{Happening, Moment, Seen, moment};
pub use origins::{Origin, Origins, origins};
pub use outcome::{
    AccessKind, Around, Decides, Disagreement, Fault, FaultKind, Misuse, Observation, Place, Race, RaceSide,
    Run, SameStores, Site, Stats, Suspect, TensorState, Thread, Unwritten, WaitGroup, WaitKind,
};
pub use setup::{
    Binding, BoundParameter, Initial, Maps, Options, Sampling, Schedule, Setup, TensorSetup, ViewSetup,
};
pub use trace::{Event, EventKind, InFlight, RaceEnd, Release, Segment, SegmentKind, Timeline};
pub use unknowable::{lowest, source_of, unknowables};
pub use written::Written;

use crate::base::Budget;
use crate::ir::Kernel;
use crate::term::Terms;

/// What a run has to watch. Each run of a kernel that finds that more is needed is followed by
/// another: once for inputs and once for places, because nothing is ever taken back, and for tickets as often as more
/// is found out, with the fuel that is left.
#[derive(Default)]
struct Watching {
    /// Inputs too, because the kernel writes them.
    inputs: bool,
    /// Each access to these places for itself ([`accesses`]): there are conflicts, and conditions or
    /// values decide whether they are races.
    places: Option<accesses::Places>,
    /// Loads that race, which are looked for or known ([`idle`]).
    idle: Option<Box<idle::Idle>>,
    /// Results of updates, in an order that is planned.
    tickets: Option<tickets::Plan>,
    /// Locks, in one order of those who take them.
    locks: Option<locks::Plan>,
    /// What is known on the way that is taken, in terms of earlier runs.
    way: ways::Way,
    /// Terms whose origins are looked for.
    asked: Option<origins::Asked>,
    /// Terms of earlier runs, which those of this one are compared with.
    terms: Terms,
    /// Fuel that earlier runs have burnt.
    spent: u64,
}

/// How a run came out.
enum Ended {
    /// It counts, with what tickets say of it, and the fuel burnt so far.
    Whole(Box<Run>, tickets::Verdict, u64),
    /// It has to be repeated, watching this.
    Again(Box<Watching>),
}

/// Executes a kernel. Ends for every input: faults are part of the outcome.
pub fn simulate(options: &Options, budget: &Budget, kernel: &Kernel, setup: &Setup) -> Run {
    if let Some(why) = launch::impossible(kernel, setup) {
        return launch::refused(why);
    }
    let run = follow(options, budget, kernel, setup, Watching::default());
    let run = idle::without(options, budget, kernel, setup, (run, &ways::Way::default()));
    ways::in_each_way(options, budget, kernel, setup, (run, None))
}

/// Executes a kernel along a way, as often as there is more to find out.
fn follow(options: &Options, budget: &Budget, kernel: &Kernel, setup: &Setup, from: Watching) -> Run {
    // Locks are taken in one order, which stands for all if it is seen that it does.
    let mut spent = from.spent;
    if locks::has_any(kernel) && from.way.known.is_none() {
        let (run, lost, burnt) = locks::in_one_order(options, budget, kernel, setup, &from);
        match lost {
            None => return run,
            Some(lost @ (.., true)) => return locks::without_order(run, lost),
            // What no two threads try to take is no lock.
            Some((.., false)) => spent = burnt,
        }
    }
    let on_a_way = locks::has_any(kernel) && from.way.known.is_some();
    let run = follow_tickets(options, budget, kernel, setup, Watching { spent, ..from });
    if on_a_way { locks::on_a_way(run) } else { run }
}

/// The same; nothing is known of locks.
fn follow_tickets(options: &Options, budget: &Budget, kernel: &Kernel, setup: &Setup, from: Watching) -> Run {
    let along = from.way.known.is_some();
    let (mut watch, mut depends) = (from, None);
    loop {
        match machine::Machine::new(options, budget, kernel, setup, watch).run() {
            Ended::Whole(mut run, verdict, _) if along => {
                if !matches!(verdict, tickets::Verdict::Stands(_)) {
                    let why = "what an atomic gives depends on the schedule".to_owned();
                    run.faults.push(Fault::new(FaultKind::DependsOnSchedule(why), None));
                }
                return *run;
            }
            Ended::Whole(_, tickets::Verdict::Special(special, ctas), spent) => {
                let run = tickets::in_each_order(options, budget, kernel, setup, (special, ctas, spent));
                return Run { parting: None, ..run };
            }
            Ended::Whole(_, tickets::Verdict::Known(known), spent) => {
                // Each time there are more of them, within the same fuel.
                let plan = tickets::Plan { known, ..tickets::Plan::default() };
                watch = Watching { inputs: true, tickets: Some(plan), spent, ..Watching::default() };
            }
            // There is more to find out if a number is special; and what races is exact only where updates
            // acquire what they see in this order.
            Ended::Whole(mut run, tickets::Verdict::Depends(site, why), spent) if depends.is_none() => {
                run.faults.retain(|fault| !matches!(fault.kind, FaultKind::DataRace(_)));
                depends = Some((run, site, why));
                let plan = tickets::Plan { hopes: true, ..tickets::Plan::default() };
                watch = Watching { inputs: true, tickets: Some(plan), spent, ..Watching::default() };
            }
            Ended::Whole(mut run, verdict, _) => {
                return match depends {
                    Some((own, ..)) if run.faults.is_empty() => *own,
                    Some((_, site, why)) if !matches!(verdict, tickets::Verdict::Depends(..)) => {
                        run.faults.push(Fault::new(FaultKind::DependsOnSchedule(why), Some(site)));
                        *run
                    }
                    _ => *run,
                };
            }
            Ended::Again(more) => watch = *more,
        }
    }
}
