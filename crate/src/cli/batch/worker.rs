//! The process that answers: a question a line on standard input, an answer a line on standard output.
//!
//! It asks the system for a limit on its memory, so that a question that needs more ends this process and nothing
//! else, and goes when whoever asks is gone. A run that is given up, a panic, and a run that leaves much memory
//! behind end the process after the answer, so that each question begins with enough.

use super::super::{Proof, Refusal, print, watch};
use super::Work;
use super::manifest::Asked;
use super::results;
use crate::base::{Budget, Exhausted};
use crate::report::{self, Outcome, Portion, Portions, RunOptions, Sweeping, Verdict};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use std::io::BufRead;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Instant;

#[derive(Args)]
pub(in super::super) struct Worker {
    /// MiB that this process may hold.
    #[arg(long, value_name = "MIB")]
    process_memory: u64,
    #[command(flatten)]
    work: Work,
}

/// What a worker says to a question.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Reply {
    /// The verdict and its exit status; none where there is no report.
    pub verdict: Option<(String, u8)>,
    /// The answer in one sentence, or why there is none.
    pub summary: String,
    /// Why there is no report: `input` or `crash`.
    pub died: Option<String>,
    /// Milliseconds.
    pub time: f64,
    /// The report, byte for byte.
    pub report: Option<Box<RawValue>>,
    /// The process ends with this answer.
    pub last: bool,
}

impl Reply {
    pub(super) fn of<T: Serialize>(verdict: Verdict, summary: &str, report: &T, time: f64) -> Reply {
        Reply {
            verdict: Some((verdict.name().to_owned(), verdict.exit_status())),
            summary: summary.to_owned(),
            died: None,
            time,
            report: to_raw_value(report).ok(),
            last: false,
        }
    }

    /// Of a part there is no verdict yet; its report is the part.
    fn part<T: Serialize>(part: &T, begun: Instant) -> Reply {
        Reply {
            verdict: None,
            summary: String::new(),
            died: None,
            time: milliseconds(begun),
            report: to_raw_value(part).ok(),
            last: false,
        }
    }

    pub(super) fn died(why: &str, summary: String, begun: Instant) -> Reply {
        Reply {
            verdict: None,
            summary,
            died: Some(why.to_owned()),
            time: milliseconds(begun),
            report: None,
            last: false,
        }
    }

    /// Where there is no process to blame.
    pub(super) fn crashed(summary: &str) -> Reply {
        Reply::died("crash", summary.to_owned(), Instant::now())
    }

    fn say(&self) {
        // Serializing plain owned data cannot fail.
        print(&serde_json::to_string(self).unwrap_or_default(), 0);
    }

    /// Says it and ends the process.
    fn say_last(self) -> ! {
        Reply { last: true, ..self }.say();
        std::process::exit(0)
    }
}

fn milliseconds(begun: Instant) -> f64 {
    results::milliseconds(begun.elapsed().as_secs_f64() * 1e3)
}

/// Answers until nobody asks.
pub(in super::super) fn work(worker: &Worker) -> Result<u8, Refusal> {
    limit_memory(worker.process_memory.saturating_mul(1 << 20));
    let (ask, asked) = mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if ask.send(line).is_err() {
                break;
            }
        }
        // Nobody waits for an answer any more.
        std::process::exit(0);
    });
    for line in asked {
        let begun = Instant::now();
        let reply = match serde_json::from_str::<Asked>(&line) {
            Err(error) => Reply::died("input", error.to_string(), begun),
            Ok(question) => match catch_unwind(AssertUnwindSafe(|| answer(&question, &worker.work, begun))) {
                Ok(Ok(reply)) => reply,
                Ok(Err(Refusal(why))) => Reply::died("input", why, begun),
                Err(panic) => {
                    let why = panic.downcast_ref::<String>().map(String::as_str);
                    let why = why.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
                    Reply::died("crash", format!("the engine failed, which is a defect of it: {why}"), begun)
                        .say_last()
                }
            },
        };
        // What one question leaves behind is not to count against the next.
        if watch::held().is_some_and(|held| held > worker.process_memory.saturating_mul(1 << 20) / 4) {
            reply.say_last();
        }
        reply.say();
    }
    Ok(0)
}

fn answer(question: &Asked, work: &Work, begun: Instant) -> Result<Reply, Refusal> {
    let overrides = question.overrides()?;
    let input = question.input(overrides.as_ref());
    let clock = || begun.elapsed().as_secs_f64() * 1000.0;
    let options = RunOptions {
        threads: (work.threads > 0).then_some(work.threads),
        clock: (!work.no_times).then_some(&clock as &(dyn Fn() -> f64 + Sync)),
        origins: Some(report::TRACEABLE),
        exact_proof: work.proof == Proof::Exact,
        ..RunOptions::default()
    };
    let budget = work.limits.budget();
    let decided: Option<Vec<Portion>> =
        question.decided.as_ref().and_then(|decided| serde_json::from_str(decided.get()).ok());
    let portions = match (&decided, question.portion, question.portions) {
        (Some(decided), ..) => Portions::Decided(decided),
        (None, Some(which), Some(of)) => Portions::One(which.into(), of.get().into()),
        (None, _, Some(of)) => Portions::Each(of.get().into()),
        (None, _, None) => Portions::Whole,
    };
    let options = RunOptions { portions, ..options };
    Ok(match (report::combinations(&input), question.part) {
        (Some(asked), Some([from, to])) => {
            let sweeping = Sweeping::part(&input, asked, from..to);
            let part = watched(
                &budget,
                |why| Reply::part(&sweeping.overdue_part(why), begun),
                || sweeping.ask_part(&options, &budget),
            );
            Reply::part(&part, begun)
        }
        (Some(asked), None) => {
            let sweeping = Sweeping::new(&input, asked);
            let report = watched(
                &budget,
                |why| {
                    let report = sweeping.overdue(why);
                    Reply::of(report.verdict, &report.summary, &report, milliseconds(begun))
                },
                || sweeping.ask(&options, &budget),
            );
            Reply::of(report.verdict, &report.summary, &report, milliseconds(begun))
        }
        (None, _) => {
            let Outcome { report, portion, .. } = watched(
                &budget,
                |why| {
                    let report = report::overdue(&input, why, &budget);
                    Reply::of(report.verdict, &report.summary, &report, milliseconds(begun))
                },
                || report::check(&input, &options, &budget),
            );
            match portion {
                Some(portion) => Reply::part(&portion, begun),
                None => Reply::of(report.verdict, &report.summary, &report, milliseconds(begun)),
            }
        }
    })
}

/// Runs with a clock beside it; a run that does not end when it is told to is answered by `overdue`, and the process
/// ends.
fn watched<T>(
    budget: &Budget,
    overdue: impl FnOnce(Exhausted) -> Reply + Send,
    run: impl FnOnce() -> T,
) -> T {
    std::thread::scope(|scope| {
        let _watch = watch::Watch::start(scope, budget, move |why| {
            overdue(why).say_last();
        });
        run()
    })
}

/// Asks the system to refuse more memory than this: then an allocation fails, and the process ends.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn limit_memory(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: hands a value to the system. What counts are pages that can be written, not addresses that are taken.
    unsafe {
        libc::setrlimit(libc::RLIMIT_DATA, &limit);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn limit_memory(_bytes: u64) {}
