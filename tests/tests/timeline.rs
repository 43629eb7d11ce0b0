//! The timeline of real kernels: who ran what when, and what the drawing builds on.

use std::ops::Deref;
use warpproof::base::Budget;
use warpproof::report::{
    self, FlatTimeline, MomentQuestion, MomentReport, Report, RunOptions, TimelineDetail,
};
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

/// Asks what a lane does at a step of the optimized kernel.
fn moment(name: &str, [warp, lane, step, instr]: [u32; 4]) -> Option<MomentReport> {
    let case = corpus::cases().into_iter().find(|case| case.name == name);
    let texts = case.unwrap_or_else(|| panic!("no case {name}")).read().expect("readable");
    let question = MomentQuestion { reference: false, warp, lane, step, instr };
    report::moment(&texts.input(), &question, &Budget::default())
}

/// Every step of a run can be asked about, and what is told is the instruction that the timeline has there:
/// a store into an output has the expression that the report gives that element.
#[test]
fn a_step_of_the_timeline_is_told_with_its_instruction_its_place_and_its_value() {
    let name = "equivalent/softmax/n128_naive_precise_vs_online_fast";
    let (report, flats) = recorded(name, 1 << 20);
    let flat = flats.last().expect("a timeline");
    let lines = &flat.lines;
    let (mut asked, mut stores) = (0, 0);
    for warp in 0..flat.warps {
        for [start, end, mask, kind, instr] in segments(flat, warp).filter(|row| row[3] == RUN) {
            assert_eq!(kind, RUN);
            // Not each step: they are hundreds, and each is a run.
            for step in (start..end).step_by(7) {
                let at = instr + step - start;
                let lane = mask.trailing_zeros();
                let told = moment(name, [warp, lane, step, at]).unwrap_or_else(|| panic!("step {step}"));
                assert!(!told.instruction.is_empty() && lines[at as usize] > 0);
                asked += 1;
            }
        }
    }
    for warp in 0..flat.warps {
        for [step, mask, _, instr] in events(flat, warp).filter(|row| row[2] == 4) {
            let lane = mask.trailing_zeros();
            let told = moment(name, [warp, lane, step, instr]).expect("a store");
            assert!(told.instruction.contains("st.global"), "{}", told.instruction);
            let (place, stored) = (told.place.expect("a place"), told.values[0].value.clone());
            let groups = report.outputs.iter().flat_map(|output| &output.groups);
            for group in groups.filter(|group| group.sample == place) {
                let shown = group.optimized.as_ref().map(|value| &value.text);
                assert_eq!(shown, stored.as_ref().map(|value| &value.text));
                stores += 1;
            }
        }
    }
    assert!(asked > 20 && stores > 0, "{asked} {stores}");
}

/// What a load brings is the element of its place; an address is told as what it points to; and nothing is
/// told of an instruction that does not run there, or of lanes that do not take part.
#[test]
fn a_moment_is_exactly_the_one_that_is_asked_for() {
    let name = "equivalent/softmax/n128_naive_precise_vs_online_fast";
    let flat = last(name);
    let [step, mask, _, instr] = events(&flat, 0).find(|row| row[2] == 3).expect("a load");
    let lane = 31 - mask.leading_zeros();
    let told = moment(name, [0, lane, step, instr]).expect("a load");
    let value = told.values[0].value.as_ref().expect("a value");
    assert_eq!(told.place.as_deref(), Some(value.text.as_str()));
    assert!(!told.values[0].register.is_empty() && told.instruction.contains(&told.values[0].register));
    let addresses = (0..step).rev().filter_map(|earlier| {
        let [start, _, _, _, first] = segments(&flat, 0).find(|row| row[0] <= earlier && earlier < row[1])?;
        moment(name, [0, lane, earlier, first + earlier - start])?.values.first()?.address.clone()
    });
    assert_eq!(addresses.take(1).next(), told.place);
    assert_eq!(moment(name, [0, lane, step, instr + 1]), None);
    assert_eq!(moment(name, [0, lane, step + 1, instr]), None);
    assert_eq!(moment(name, [99, lane, step, instr]), None);
    assert_eq!(moment(name, [0, 32, step, instr]), None);
}

/// In kernels of every kind, whose steps are taken at random places, what is told is a line of the text.
#[test]
fn moments_of_all_families_are_told() {
    let mut told = 0;
    for case in corpus::cases().into_iter().filter(|case| case.name.starts_with("equivalent/")).step_by(29) {
        let (_, flats) = recorded(&case.name, 1 << 16);
        let Some(flat) = flats.last().filter(|flat| flat.side != warpproof::base::Source::Reference) else {
            continue;
        };
        if flat.truncated || flat.steps > 20_000 {
            continue;
        }
        let warp = flat.warps / 2;
        let Some([start, end, mask, _, instr]) =
            segments(flat, warp).filter(|row| row[3] == RUN).max_by_key(|row| row[1] - row[0])
        else {
            continue;
        };
        let step = (start + end) / 2;
        let found = moment(&case.name, [warp, mask.trailing_zeros(), step, instr + step - start]);
        told += u32::from(found.is_some_and(|found| !found.instruction.is_empty()));
    }
    assert!(told >= 10, "{told}");
}

/// The classes that the drawing colours are those that the opcodes say.
#[test]
fn instructions_are_classed_by_what_they_are_for() {
    use warpproof::report::InstructionClass;
    let name = "equivalent/softmax/n128_naive_precise_vs_online_fast";
    let case = corpus::cases().into_iter().find(|case| case.name == name).expect("a case");
    let text = case.read().expect("readable").optimized.0;
    let flat = last(name);
    let mut seen = 0;
    for (line, class) in flat.lines.iter().zip(&flat.classes) {
        let line = text.lines().nth(*line as usize - 1).expect("a line");
        let is = |words: &[&str]| words.iter().any(|word| line.contains(word));
        let expected = match () {
            () if is(&["ld.", "st."]) => InstructionClass::Memory,
            () if is(&["bra", "ret;"]) => InstructionClass::Control,
            () if is(&["bar.sync", "shfl"]) => InstructionClass::Together,
            () if is(&["fma.", "ex2.", "max.f32", "div.rn", "mul.f32"]) => InstructionClass::Float,
            () if is(&["tid.x", "shl.b32", "mul.wide", "add.s64"]) => InstructionClass::Integer,
            () => continue,
        };
        assert_eq!(*class, expected as u32, "{line}");
        seen |= 1 << expected as u32;
    }
    assert_eq!(seen, 0b11111);
}
