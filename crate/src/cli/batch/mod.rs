//! `warpproof batch MANIFEST.jsonl --out RESULTS.jsonl`: many questions, answered in processes beside this one.
//!
//! `manifest` reads the questions, `pieces` divides sweeps and puts them together again, `worker` is the process that
//! answers one after the other, `lane` is the thread that keeps one such process and knows why it died, `cluster` has
//! lanes on other machines, `results` is the file of answers, `table` shows it. Here they meet: as many lanes as jobs
//! take questions in the manifest's order, or a cluster does, and this thread writes what they bring.
//!
//! Guaranteed: a question that ends its process (by its memory, its time, or a defect of ours) is a line that says
//! so, and no other question notices. An answer is in the file, whole, before it is counted; a batch that is killed
//! goes on where it was, and what has an answer is not asked again, as long as its texts and the engine's file are
//! the same. Missed: memory is limited by the system on Linux only; elsewhere each run's own count is all there is.

mod cluster;
mod lane;
mod manifest;
mod pieces;
mod results;
mod table;
mod worker;

use super::junit::{TestCase, junit};
use super::{Limits, Program, Proof, Refusal, print, progress, sarif};
use crate::report::{self, Input, Names, Report, SweepReport, TextOptions};
use clap::Args;
pub use lane::Lane;
use manifest::Entry;
pub use manifest::questions;
use pieces::{Gathering, Next, Piece, Pieces};
use results::{Answer, Results, Tally};
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
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
    /// Have the questions answered by the Ray cluster at this address: `auto`, `local`, `HOST:PORT` or `ray://HOST:PORT`
    /// (the Python package's command has this).
    #[arg(long, value_name = "ADDRESS")]
    ray: Option<String>,
    /// Questions at once [default: one for each core, here or of the cluster].
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
    /// Write the findings of all answers at their lines, for reviews.
    #[arg(long, value_name = "FILE.sarif")]
    sarif: Option<PathBuf>,
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

impl Batch {
    /// What a worker is told when it is started.
    fn worker_arguments(&self) -> Vec<String> {
        let work = &self.work;
        let standard = crate::base::Budget::default().memory >> 20;
        let memory = work.limits.memory.unwrap_or(standard);
        let mut arguments = vec![
            "worker".to_owned(),
            format!("--process-memory={}", self.process_memory.unwrap_or(memory.saturating_mul(10))),
            format!("--threads={}", work.threads),
            format!("--memory={memory}"),
            format!("--time={}", work.limits.time),
        ];
        arguments.extend(work.limits.fuel.map(|fuel| format!("--fuel={fuel}")));
        arguments.extend((work.proof == Proof::Exact).then(|| "--proof=exact".to_owned()));
        arguments.extend(work.no_times.then(|| "--no-times".to_owned()));
        arguments
    }

    /// How long an answer may take: a worker stops a run by itself, and gives it up a tenth of its time later.
    fn patience(&self) -> Duration {
        let limit = self.work.limits.time;
        Duration::from_secs(limit.saturating_add(limit / 5).saturating_add(5))
    }
}

/// Runs a batch.
pub(super) fn run(program: &Program, batch: &Batch) -> Result<u8, Refusal> {
    let entries = manifest::read(&batch.manifest)?;
    let written = [&batch.table, &batch.junit, &batch.sarif].into_iter().flatten().chain([&batch.out]);
    let mut written: Vec<PathBuf> = written.map(|path| place(path)).collect();
    if let Some(at) = written.iter().position(|path| *path == place(&batch.manifest)) {
        let path = written[at].display();
        return Err(Refusal(format!("`{path}` is the manifest, and would be written over")));
    }
    written.sort();
    if let Some(pair) = written.windows(2).find(|pair| pair[0] == pair[1]) {
        let path = pair[0].display();
        return Err(Refusal(format!("`{path}` cannot be two of the files that are written")));
    }
    let engine = manifest::engine(&program.engine)?;
    let mut results = Results::open(&batch.out, batch.retry)?;
    results.look_again(&entries)?;
    let begun = Instant::now();
    let ids: HashSet<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
    let known = results.answered(&ids);
    let asked = ask(program, batch, &entries, (&known, &engine), &mut results)?;
    let answers = results.latest(&entries, |_, answer| table::excerpt(answer.report.as_ref()?))?;
    let tally = Tally::of(&answers);
    let seconds = begun.elapsed().as_secs_f64();
    if let Some(path) = &batch.table {
        write(path, &table::page(&entries, &answers, &tally))?;
    }
    if let Some(path) = &batch.junit {
        write(path, &test_cases(&entries, &answers, &texts(&entries, &results)?))?;
    }
    if let Some(path) = &batch.sarif {
        write(path, &findings(&entries, &results)?)?;
    }
    Ok(print(&tally.text(asked, answers.len() - asked, seconds), tally.exit_status()))
}

/// What those who ask bring to the one who writes.
enum Brought {
    Reply(Piece, worker::Reply),
    Answer(Answer),
    /// There will be no more.
    Failed(Refusal),
}

/// Asks what is not known; gives how many that were.
fn ask(
    program: &Program,
    batch: &Batch,
    entries: &[Entry],
    (known, engine): (&HashSet<(String, String)>, &str),
    results: &mut Results,
) -> Result<usize, Refusal> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let pieces = Pieces::new(entries, known, engine, batch.work.proof == Proof::Exact);
    let gathering = Gathering::open(&batch.out, batch.retry);
    let (done, bad) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let begun = Instant::now();
    let news = || {
        let (done, old) = (done.load(Ordering::Relaxed), pieces.old.load(Ordering::Relaxed));
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
    let asked = std::thread::scope(|scope| {
        let (bring, brought) = mpsc::channel::<Brought>();
        let (pieces, gathering) = (&pieces, &gathering);
        match &batch.ray {
            Some(address) => {
                let bring = bring.clone();
                scope.spawn(move || {
                    if let Err(refusal) = cluster::ask(program, batch, address, pieces, gathering, &bring) {
                        let _ = bring.send(Brought::Failed(refusal));
                    }
                });
            }
            None => {
                for _ in 0..batch.jobs.unwrap_or(cores).max(1) {
                    let bring = bring.clone();
                    scope.spawn(move || work_through(program, batch, pieces, gathering, &bring));
                }
            }
        }
        drop(bring);
        let shows = std::io::IsTerminal::is_terminal(&std::io::stderr());
        let _line = progress::Line::start(scope, news);
        loop {
            let answer = match brought.recv_timeout(NEWS) {
                Ok(Brought::Answer(answer)) => answer,
                Ok(Brought::Reply(piece, reply)) => match pieces.take_in(gathering, &piece, reply) {
                    Some(answer) => answer,
                    None => continue,
                },
                Ok(Brought::Failed(refusal)) => return Err(refusal),
                Err(RecvTimeoutError::Timeout) => {
                    if !shows {
                        eprintln!("{} …", news());
                    }
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(done.load(Ordering::Relaxed)),
            };
            bad.fetch_add(usize::from(!answer.is_fine()), Ordering::Relaxed);
            done.fetch_add(1, Ordering::Relaxed);
            if let Err(refusal) = results.add(&answer) {
                // Answers that cannot be kept are not worth asking for; who asks ends by itself.
                pieces.stop();
                return Err(refusal);
            }
        }
    })?;
    gathering.close();
    Ok(asked)
}

/// Asks one worker after the other question, until there are no more.
fn work_through(
    program: &Program,
    batch: &Batch,
    pieces: &Pieces<'_>,
    gathering: &Gathering,
    bring: &mpsc::Sender<Brought>,
) {
    let arguments = batch.worker_arguments().into_iter().map(OsString::from);
    let mut lane = Lane::new(program.own.iter().cloned().chain(arguments).collect(), batch.patience());
    while let Some(next) = pieces.next(gathering) {
        let brought = match next {
            Next::Known(answer) => Brought::Answer(answer),
            Next::Ask(piece) => {
                let reply = lane.ask(&piece.line());
                Brought::Reply(piece, reply)
            }
        };
        if bring.send(brought).is_err() {
            return;
        }
    }
}

/// The findings of all answers as SARIF, in the manifest's order.
fn findings(entries: &[Entry], results: &Results) -> Result<String, Refusal> {
    let of = |entry: &Entry, answer: &Answer| {
        // What the manifest expects is no finding.
        if answer.is_fine() {
            return None;
        }
        let question = entry.question().ok()?;
        let found = sarif::findings(answer.report.as_ref()?.get(), &question.names())?;
        serde_json::value::to_raw_value(&found).ok()
    };
    let answers = results.latest(entries, of)?;
    let found = entries.iter().filter_map(|entry| answers.get(&entry.id)?.report.as_ref());
    let found = found.filter_map(|found| serde_json::from_str::<Vec<serde_json::Value>>(found.get()).ok());
    Ok(sarif::log(env!("CARGO_PKG_VERSION"), found.flatten().collect()))
}

/// The reports of what is not fine, as a terminal shows them; of a sweep, that of the combination that it shows.
fn texts(entries: &[Entry], results: &Results) -> Result<HashMap<String, String>, Refusal> {
    let of = |entry: &Entry, answer: &Answer| {
        if answer.is_fine() {
            return None;
        }
        let asked = entry.question().ok()?;
        let overrides = asked.overrides().ok()?;
        let text = shown(answer.report.as_ref()?.get(), &asked.input(overrides.as_ref()), &asked.names())?;
        serde_json::value::to_raw_value(&text).ok()
    };
    let texts = results.latest(entries, of)?.into_iter().filter_map(|(id, answer)| {
        let text = serde_json::from_str::<String>(answer.report?.get()).ok()?;
        Some((id, text))
    });
    Ok(texts.collect())
}

/// A kept report as a terminal shows it.
fn shown(report: &str, input: &Input<'_>, names: &Names<'_>) -> Option<String> {
    let options = TextOptions::default();
    if let Ok(sweep) = serde_json::from_str::<SweepReport>(report) {
        let asked = report::combinations(input);
        let at = sweep.shown.as_ref().map(|shown| shown.at as usize);
        let spec = at.and_then(|at| Some(asked?.combinations.get(at)?.spec.clone()));
        return Some(report::sweep_text(&sweep, input, spec.as_deref(), names, &options));
    }
    let report: Report = serde_json::from_str(report).ok()?;
    Some(report::text(&report, input, names, &options))
}

fn test_cases(entries: &[Entry], answers: &results::Latest, texts: &HashMap<String, String>) -> String {
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
            text: texts.get(&answer.id).map_or("", String::as_str),
            time: Some(answer.time / 1000.0),
        })
        .collect();
    junit("warpproof batch", &cases)
}

/// A path by which a file is known however it is named, whether or not it is there.
fn place(path: &Path) -> PathBuf {
    let whole = |path: &Path| path.canonicalize().ok();
    let beside = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(whole(folder)?.join(path.file_name()?))
    };
    whole(path).or_else(beside).unwrap_or_else(|| path.to_owned())
}

fn write(path: &Path, text: &str) -> Result<(), Refusal> {
    std::fs::write(path, text)
        .map_err(|error| Refusal(format!("`{}` cannot be written: {error}", path.display())))
}
