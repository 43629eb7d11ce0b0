//! The corpus, and every instruction by itself, on real hardware.
//!
//! `npm run hardware` sets WARPPROOF_HARDWARE to a folder and runs this twice: first it writes a job for
//! every kernel without a fault (`agreement/hardware.rs`) and for every opcode that is a function of its
//! sources' bits (`instructions.rs`), then, once `tests/hardware/run.py` has had a
//! GPU execute them, WARPPROOF_HARDWARE_COMPARE=1 compares what came out with the simulator's terms at
//! those inputs, as `machine.rs` does, and with its results for every opcode. Without a folder the machine plays the GPU on a few jobs, from
//! their files alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use warpproof::isa;
use warpproof_tests::agreement::{Ending, Executed, Job, Tally};
use warpproof_tests::instructions::{
    self, Spelled, Task, float_of, is_open, is_video, lanewise, near, strays, widths, with_parts, word,
};
use warpproof_tests::machine::op::Op;
use warpproof_tests::program::Dice;
use warpproof_tests::subjects::{Subject, subjects};

/// Thread-instructions of a kernel.
const LIMIT: u64 = 3_000_000;
const SEEDS: [u64; 3] = [1, 2, 3];
const PART: &str = "it runs a part of its grid";
const MADE: &str = "it makes tensor maps, whose bytes are the driver's affair";

fn place(folder: &Path, number: usize, seed: u64) -> PathBuf {
    folder.join(format!("{number:04}-{seed}"))
}

/// Writes the jobs of a kernel; none where it has a fault or runs a part of its grid.
fn write(folder: &Path, number: usize, subject: &Subject) -> Ending {
    let question = match subject.question() {
        Ok(question) => question,
        Err(why) => return Ending::Skipped(why),
    };
    let mut execute = |job: &Job, seed: u64| -> Result<Executed, Ending> {
        if !job.is_whole_grid() {
            return Err(Ending::Skipped(PART.to_owned()));
        }
        job.write(&place(folder, number, seed), &subject.ptx).expect("the folder can be written");
        Err(Ending::Agrees(Tally::default()))
    };
    question.compare_with(&SEEDS, LIMIT, &mut execute, &mut |_, _| {})
}

/// Compares what came out of a kernel's jobs.
fn compare(folder: &Path, number: usize, subject: &Subject) -> Ending {
    let question = match subject.question() {
        Ok(question) => question.for_hardware(),
        Err(why) => return Ending::Skipped(why),
    };
    let mut execute = |job: &Job, seed: u64| match job.is_whole_grid() {
        true if subject.ptx.contains("tensormap.cp_fenceproxy") => Err(Ending::Skipped(MADE.to_owned())),
        true => job.outcome(&place(folder, number, seed), &subject.ptx),
        false => Err(Ending::Skipped(PART.to_owned())),
    };
    question.compare_with(&SEEDS, LIMIT, &mut execute, &mut |_, _| {})
}

#[test]
fn hardware_computes_what_the_simulator_says() {
    let Some(folder) = std::env::var_os("WARPPROOF_HARDWARE").map(PathBuf::from) else { return };
    let comparing = std::env::var_os("WARPPROOF_HARDWARE_COMPARE").is_some();
    let (mut tally, mut kernels) = (Tally::default(), 0);
    let mut skipped: BTreeMap<String, u32> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (number, subject) in subjects().iter().enumerate() {
        let ending =
            if comparing { compare(&folder, number, subject) } else { write(&folder, number, subject) };
        match ending {
            Ending::Agrees(more) => {
                kernels += 1;
                tally.add(more);
            }
            Ending::Skipped(why) | Ending::NotAsked(why) => *skipped.entry(why).or_default() += 1,
            Ending::Disagrees(what) => wrong.push(format!("{}: {what}", subject.name)),
        }
    }
    println!("hardware: {kernels} kernels, {tally:?}");
    for (why, count) in &skipped {
        println!("hardware: {count} left out: {why}");
    }
    assert!(wrong.is_empty(), "hardware and simulator disagree:\n{}", wrong.join("\n"));
    assert!(kernels > 0, "nothing was compared");
}

/// Opcodes of a form, and operands of an opcode: as many as a block has threads.
const OPCODES: usize = 250;
const OPERANDS: usize = 1024;

/// Every opcode of the instruction table that is a function of its sources' bits.
fn opcodes() -> Vec<Spelled> {
    let words = isa::rows().filter(|row| lanewise(row)).flat_map(|row| instructions::opcodes(row, OPCODES));
    let video = isa::rows().filter(|row| is_video(row)).flat_map(|row| with_parts(row, 17));
    words.chain(video).collect()
}

/// The same operands for all opcodes of one float format.
fn operands(spelled: &Spelled) -> Vec<[u64; 4]> {
    let float = float_of(spelled).or(Op::new(&spelled.opcode).float);
    let mut dice = Dice(0x9e37_79b9);
    let rows = (0..OPERANDS).map(|_| [(); 4].map(|()| word(&mut dice, float)));
    rows.filter(|row| !is_open(spelled, row)).collect()
}

/// What hardware gives for an opcode beside what the simulator gives.
fn compare_opcode(
    place: &Path,
    spelled: &Spelled,
    task: &Task,
    rows: &[[u64; 4]],
    simulated: &[Vec<u64>],
) -> Ending {
    let after = match task.job().outcome(place, &task.ptx) {
        Ok(after) => after,
        Err(ending) => return ending,
    };
    let width = widths(spelled).map_or(64, |(d, _)| d[0]);
    let fits =
        |one: &[u64], two: &[u64]| one.iter().zip(two).all(|(one, two)| near(spelled, width, *one, *two));
    let results = task.read(&after.images[1]);
    let differ: Vec<usize> = (0..rows.len())
        .filter(|at| strays(spelled, &rows[*at]).is_none() && !fits(&results[*at], &simulated[*at]))
        .collect();
    match differ.first() {
        None => Ending::Agrees(Tally::default()),
        Some(at) => Ending::Disagrees(format!(
            "{:x?}: hardware {:x?}, simulator {:x?}; {} of {} operands",
            rows[*at],
            results[*at],
            simulated[*at],
            differ.len(),
            rows.len()
        )),
    }
}

#[test]
fn hardware_computes_each_instruction() {
    let Some(folder) = std::env::var_os("WARPPROOF_HARDWARE").map(PathBuf::from) else { return };
    let comparing = std::env::var_os("WARPPROOF_HARDWARE_COMPARE").is_some();
    let (mut agree, mut skipped, mut wrong) = (0, BTreeMap::<String, u32>::new(), Vec::new());
    for (number, spelled) in opcodes().iter().enumerate() {
        let rows = operands(spelled);
        let Some(task) = Task::new(spelled, &rows) else { continue };
        let place = folder.join(format!("opcode-{number:04}"));
        let simulated = match task.simulated() {
            Ok(simulated) => simulated,
            Err(why) => {
                let open = "what it gives is open, or differs between manual and driver".to_owned();
                let why = if why.contains("left open") { open } else { why };
                *skipped.entry(why).or_default() += 1;
                continue;
            }
        };
        if !comparing {
            task.job().write(&place, &task.ptx).expect("the folder can be written");
            continue;
        }
        match compare_opcode(&place, spelled, &task, &rows, &simulated) {
            Ending::Agrees(_) => agree += 1,
            Ending::Skipped(why) | Ending::NotAsked(why) => *skipped.entry(why).or_default() += 1,
            Ending::Disagrees(what) => wrong.push(format!("{}: {what}", spelled.opcode)),
        }
    }
    println!("hardware: {agree} opcodes agree on {OPERANDS} operands each");
    for (why, count) in &skipped {
        println!("hardware: {count} opcodes left out: {why}");
    }
    assert!(
        wrong.is_empty(),
        "hardware and simulator disagree on {} opcodes:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(!comparing || agree > 0, "no opcode was compared");
}

/// The files say everything: from them alone the machine gets what the comparison expects, and one bit
/// that is wrong shows.
#[test]
fn jobs_survive_their_files() {
    let folder = std::env::temp_dir().join(format!("warpproof-hardware-{}", std::process::id()));
    let few: Vec<Subject> =
        subjects().into_iter().filter(|subject| subject.name.contains("/softmax/n4_")).collect();
    assert!(few.len() > 4);
    let mut spoilt = 0;
    'kernels: for (number, subject) in few.iter().enumerate() {
        if write(&folder, number, subject) != Ending::Agrees(Tally::default()) {
            continue;
        }
        let question = subject.question().expect("it was written");
        for seed in SEEDS {
            let place = place(&folder, number, seed);
            let job = Job::read(&place).expect("it was written");
            assert_eq!(std::fs::read_to_string(place.join("kernel.ptx")).expect("so was this"), subject.ptx);
            // The machine has no functions from outside.
            let Ok(after) = question.on_machine(&job, seed, LIMIT) else { continue 'kernels };
            for (at, image) in after.images.iter().enumerate() {
                std::fs::write(place.join(format!("{at}.out")), image).expect("the folder can be written");
            }
        }
        assert!(matches!(compare(&folder, number, subject), Ending::Agrees(_)), "{}", subject.name);
        // The highest bit of the fraction of the last output, an f32.
        let last = place(&folder, number, 1).join("1.out");
        let mut image = std::fs::read(&last).expect("it was written");
        let fraction = image.len() - 2;
        image[fraction] ^= 0x40;
        std::fs::write(&last, image).expect("the folder can be written");
        assert!(matches!(compare(&folder, number, subject), Ending::Disagrees(_)), "{}", subject.name);
        spoilt += 1;
    }
    assert!(spoilt > 4);
    std::fs::remove_dir_all(&folder).expect("it is there");
}
