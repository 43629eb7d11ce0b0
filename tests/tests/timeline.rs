//! The timeline of real kernels: who ran what when, and what the drawing builds on.

use std::ops::Deref;
use warpproof::base::Budget;
use warpproof::report::{self, FlatTimeline, Report, RunOptions, TimelineDetail};
use warpproof_tests::corpus;

/// All of a timeline.
struct Whole {
    flat: FlatTimeline,
    detail: TimelineDetail,
}

impl Deref for Whole {
    type Target = FlatTimeline;

    fn deref(&self) -> &FlatTimeline {
        &self.flat
    }
}

const RUN: u32 = 0;
const STUCK: u32 = 3;
const COPY: u32 = 6;
const COLLECTIVE: u32 = 7;
const FAULT: u32 = 8;

fn recorded(name: &str, limit: usize) -> (Report, Vec<Whole>) {
    let case = corpus::cases().into_iter().find(|case| case.name == name);
    let texts = case.unwrap_or_else(|| panic!("no case {name}")).read().expect("readable");
    let options = RunOptions { timeline_events: limit, ..RunOptions::default() };
    let outcome = report::check(&texts.input(), &options, &Budget::default());
    let flat = outcome
        .timelines
        .iter()
        .map(|recording| Whole { flat: recording.flatten(), detail: recording.detail() })
        .collect();
    (outcome.report, flat)
}

fn last(name: &str) -> Whole {
    recorded(name, 1 << 20).1.pop().expect("a timeline")
}

/// Segments of a warp: start, end, mask, kind, instruction.
fn segments(flat: &Whole, warp: u32) -> impl Iterator<Item = [u32; 5]> {
    let [from, to] = [warp, warp + 1].map(|at| flat.detail.segment_starts[at as usize] as usize * 5);
    flat.detail.segments[from..to].chunks(5).map(|row| [row[0], row[1], row[2], row[3], row[4]])
}

/// Events of a warp: step, mask, kind, instruction.
fn events(flat: &Whole, warp: u32) -> impl Iterator<Item = [u32; 4]> {
    let [from, to] = [warp, warp + 1].map(|at| flat.detail.event_starts[at as usize] as usize * 4);
    flat.detail.events[from..to].chunks(4).map(|row| [row[0], row[1], row[2], row[3]])
}

/// Every access lies in a stretch whose arithmetic gives the very instruction; nobody runs twice at
/// once; steps ascend.
#[test]
fn a_stretch_of_execution_says_which_instruction_ran_at_each_step() {
    for name in [
        "equivalent/harris/v1_vs_v5_shuffle",
        "equivalent/attention/four_tiles_plain_vs_flash1",
        "data_race/matmul/one_barrier",
        "data_race/attention/flash2_wait_count",
        "equivalent/triton/softmax_online_n512",
    ] {
        for flat in recorded(name, 1 << 22).1 {
            assert!(!flat.truncated && flat.warps > 0, "{name}");
            for warp in 0..flat.warps {
                let runs: Vec<_> = segments(&flat, warp).filter(|segment| segment[3] == RUN).collect();
                let mut before = 0;
                for [step, mask, kind, instr] in events(&flat, warp).filter(|event| event[2] < COLLECTIVE) {
                    assert!(step >= before, "{name}: events of warp {warp} ascend");
                    before = step;
                    let at = runs.partition_point(|run| run[0] <= step);
                    let found = runs[..at].iter().rev().take(64).any(|[start, end, lanes, _, first]| {
                        step < *end && first + step - start == instr && lanes & mask == mask
                    });
                    assert!(found, "{name}: warp {warp} step {step}: event {kind} at instruction {instr}");
                }
                for pair in runs.windows(2) {
                    let overlap = pair[1][0] < pair[0][1] && pair[0][2] & pair[1][2] != 0;
                    assert!(!overlap, "{name}: warp {warp} runs twice: {pair:?}");
                }
            }
        }
    }
}

#[test]
fn both_ends_of_a_race_stand_where_the_instructions_executed() {
    for name in ["data_race/matmul/one_barrier", "data_race/softmax/n128_buffer_reuse"] {
        let (report, flats) = recorded(name, 1 << 22);
        let flat = flats.iter().find(|flat| !flat.races.is_empty()).expect("a racy kernel");
        let races: Vec<_> = report.races.iter().filter(|race| race.side == flat.side.into()).collect();
        assert_eq!(flat.races.len(), races.len() * 8, "{name}");
        for (ends, race) in flat.races.chunks(8).zip(races) {
            for (end, side) in ends.chunks(4).zip([&race.first, &race.second]) {
                let &[warp, lane, step, instr] = end else { unreachable!() };
                assert_eq!(
                    (warp, lane, instr),
                    (side.thread.linear / 32, side.thread.linear % 32, side.instr)
                );
                let seen = events(flat, warp)
                    .any(|[at, mask, _, what]| (at, what) == (step, instr) && mask >> lane & 1 == 1);
                assert!(seen, "{name}: {end:?}");
                assert_eq!(flat.lines[instr as usize], side.at.line);
            }
        }
    }
}

#[test]
fn who_waits_for_ever_waits_to_the_end() {
    let (report, flats) = recorded("deadlock/softmax/n128_different_barriers", 1 << 20);
    let wait = report.waits.first().expect("waiting threads");
    let flat = flats.iter().find(|flat| wait.side == flat.side.into()).expect("its timeline");
    for thread in &wait.threads {
        let stuck = segments(flat, thread / 32).any(|[_, end, mask, kind, instr]| {
            (end, kind, instr) == (flat.steps, STUCK, wait.instr) && mask >> (thread % 32) & 1 == 1
        });
        assert!(stuck, "thread {thread}");
    }
}

#[test]
fn copies_are_in_flight_until_their_wait() {
    let flat = last("data_race/attention/flash2_wait_count");
    let starts =
        (0..flat.warps).flat_map(|warp| events(&flat, warp)).filter(|event| event[2] == COPY).count();
    assert!(starts > 0 && !flat.flights.is_empty());
    for flight in flat.flights.chunks(5) {
        let &[warp, start, end, mask, instr] = flight else { unreachable!() };
        assert!(start < end && end <= flat.steps, "{flight:?}");
        let began = events(&flat, warp).any(|[step, lanes, kind, what]| {
            (step, kind, what) == (start, COPY, instr) && lanes & mask == mask
        });
        assert!(began, "{flight:?}");
    }
    let flying = flat.levels[0].words.chunks(4).filter(|bin| bin[3] >> 24 & 2 != 0).count();
    assert!(flying > 0);
}

#[test]
fn shuffles_and_faults_are_events() {
    let of = |flat: &Whole, kind: u32| {
        (0..flat.warps)
            .flat_map(|warp| events(flat, warp).collect::<Vec<_>>())
            .filter(|event| event[2] == kind)
            .count()
    };
    assert!(of(&last("equivalent/harris/v1_vs_v5_shuffle"), COLLECTIVE) > 0);
    assert_eq!(of(&last("out_of_bounds/convolution/prefetch_past_table"), FAULT), 1);
}

#[test]
fn a_recording_that_is_cut_says_so() {
    let (whole, flats) = recorded("data_race/matmul/one_barrier", 100);
    assert!(flats.iter().all(|flat| flat.truncated));
    let kept = |flat: &Whole| {
        flat.detail.segments.len() / 5 + flat.detail.events.len() / 4 + flat.barriers.len() / 4
    };
    assert!(flats.iter().all(|flat| kept(flat) <= 100));
    // And it changes nothing else.
    assert_eq!(whole, recorded("data_race/matmul/one_barrier", 0).0);
}
