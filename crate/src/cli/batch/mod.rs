//! `warpproof batch MANIFEST.jsonl --out RESULTS.jsonl`: many questions, answered in processes beside this one.
//!
//! `manifest` reads the questions, `worker` is the process that answers one after the other, `lane` is the thread
//! that keeps one such process and knows why it died, `results` is the file of answers, `table` shows it. Here they
//! meet: as many lanes as jobs take questions in the manifest's order, and this thread writes what they bring.
//!
//! Guaranteed: a question that ends its process (by its memory, its time, or a defect of ours) is a line that says
//! so, and no other question notices. An answer is in the file, whole, before it is counted; a batch that is killed
//! goes on where it was, and what has an answer is not asked again, as long as its texts and Warpproof's version are
//! the same. Missed: memory is limited by the system on Linux only; elsewhere each run's own count is all there is.

mod lane;
mod manifest;
mod results;
mod table;
mod worker;

use super::junit::{TestCase, junit};
use super::{Limits, Proof, Refusal, print, progress};
use clap::Args;
use lane::Lane;
use manifest::{Entry, key};
use results::{Answer, Results, Tally};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
pub(super) use worker::{Worker, work};

/// How often a batch without a terminal says how far it is.
const NEWS: Duration = Duration::from_secs(30);

#[derive(Args)]
pub(super) struct Batch {
    /// The questions: one JSON object a line.
    manifest: PathBuf,
    /// Where the answers go, one JSON object a line, as they come; what it holds already is not asked again.
    #[arg(long, value_name = "RESULTS.jsonl")]
    out: PathBuf,
    /// Questions at once [default: one for each core].
    #[arg(long)]
    jobs: Option<usize>,
    /// MiB that a process may hold before the system stops it (Linux) [default: ten times --memory].
    #[arg(long, value_name = "MIB")]
    process_memory: Option<u64>,
    /// Ask again what died, or ended at a limit.
    #[arg(long)]
    retry: bool,
    /// Write all answers as a page, in one file.
    #[arg(long, value_name = "FILE.html")]
    table: Option<PathBuf>,
    /// Write all answers as test cases.
    #[arg(long, value_name = "FILE.xml")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    work: Work,
}

/// What all questions of a batch have in common.
#[derive(Args)]
pub(super) struct Work {
    /// Threads for each question.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    #[command(flatten)]
    limits: Limits,
    /// What a proof may rest on.
    #[arg(long, value_enum, default_value_t = Proof::Any)]
    proof: Proof,
    /// Leave times out of reports, so that equal questions have equal reports.
    #[arg(long)]
    no_times: bool,
}

/// Runs a batch.
pub(super) fn run(batch: &Batch) -> Result<ExitCode, Refusal> {
    let entries = manifest::read(&batch.manifest)?;
    let mut results = Results::open(&batch.out, batch.retry)?;
    let begun = Instant::now();
    let ids: HashSet<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
    let known = results.answered(&ids);
    let asked = ask(batch, &entries, &known, &mut results)?;
    let answers = results.latest(&entries)?;
    let tally = Tally::of(&answers);
    let seconds = begun.elapsed().as_secs_f64();
    if let Some(path) = &batch.table {
        write(path, &table::page(&entries, &answers, &tally))?;
    }
    if let Some(path) = &batch.junit {
        write(path, &test_cases(&entries, &answers))?;
    }
    Ok(print(&tally.text(asked, answers.len() - asked, seconds), tally.exit_status()))
}

/// Asks what is not known; gives how many that were.
fn ask(
    batch: &Batch,
    entries: &[Entry],
    known: &HashSet<(String, String)>,
    results: &mut Results,
) -> Result<usize, Refusal> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let jobs = batch.jobs.unwrap_or(cores).clamp(1, entries.len().max(1));
    let (next, done, bad, old) =
        (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let begun = Instant::now();
    let news = || {
        let (done, old) = (done.load(Ordering::Relaxed), old.load(Ordering::Relaxed));
        let answered = done + old;
        let bad = match bad.load(Ordering::Relaxed) {
            0 => String::new(),
            bad => format!(", {bad} not fine"),
        };
        let left = match done {
            0 => String::new(),
            done => {
                let seconds = begun.elapsed().as_secs_f64() / done as f64 * (entries.len() - answered) as f64;
                format!(", about {} more", results::duration(seconds))
            }
        };
        format!("{answered} of {} questions{bad}{left}", entries.len())
    };
    std::thread::scope(|scope| {
        let (bring, brought) = mpsc::channel::<Answer>();
        for _ in 0..jobs {
            let (bring, next, old) = (bring.clone(), &next, &old);
            scope.spawn(move || {
                let mut lane = Lane::new(batch);
                while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let answer = match entry.question() {
                        Err(Refusal(why)) => Answer::died(entry, "", "input", &why),
                        Ok(question) => {
                            let key = key(&question, batch.work.proof == Proof::Exact);
                            if known.contains(&(entry.id.clone(), key.clone())) {
                                old.fetch_add(1, Ordering::Relaxed);
                                continue;
                            }
                            lane.ask(entry, &key, &question)
                        }
                    };
                    if bring.send(answer).is_err() {
                        return;
                    }
                }
            });
        }
        drop(bring);
        let shows = std::io::IsTerminal::is_terminal(&std::io::stderr());
        let _line = progress::Line::start(scope, news);
        loop {
            match brought.recv_timeout(NEWS) {
                Ok(answer) => {
                    bad.fetch_add(usize::from(!answer.is_fine()), Ordering::Relaxed);
                    done.fetch_add(1, Ordering::Relaxed);
                    if let Err(refusal) = results.add(&answer) {
                        // Answers that cannot be kept are not worth asking for; the lanes end by themselves.
                        next.store(entries.len(), Ordering::Relaxed);
                        return Err(refusal);
                    }
                }
                Err(RecvTimeoutError::Timeout) if !shows => eprintln!("{} …", news()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(done.load(Ordering::Relaxed)),
            }
        }
    })
}

fn test_cases(entries: &[Entry], answers: &results::Latest) -> String {
    let cases: Vec<TestCase<'_>> = entries
        .iter()
        .filter_map(|entry| answers.get(&entry.id))
        .map(|answer| TestCase {
            name: &answer.id,
            kind: answer.kind(),
            exit_status: match answer.as_expected {
                Some(true) => 0,
                Some(false) => answer.exit_status.max(1),
                None => answer.exit_status,
            },
            summary: &answer.summary,
            text: "",
            time: Some(answer.time / 1000.0),
        })
        .collect();
    junit("warpproof batch", &cases)
}

fn write(path: &Path, text: &str) -> Result<(), Refusal> {
    std::fs::write(path, text)
        .map_err(|error| Refusal(format!("`{}` cannot be written: {error}", path.display())))
}
