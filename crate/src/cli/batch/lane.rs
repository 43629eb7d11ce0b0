//! One worker at a time: starts it, asks it, and says why it died.
//!
//! A worker is used for many questions, since starting one takes longer than answering a short question; it is
//! started again after it has gone. It has a process group of its own, so that Ctrl-C ends the batch, which takes
//! its workers along, and no worker's death by Ctrl-C is taken for an answer.

use super::manifest::{Asked, Entry};
use super::results::Answer;
use super::worker::Reply;
use super::{Batch, Proof};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How much of what a dying worker says is kept, bytes.
const LAST_WORDS: usize = 4 << 10;

/// Whoever asks one worker.
pub(super) struct Lane<'a> {
    batch: &'a Batch,
    worker: Option<Running>,
}

struct Running {
    child: Child,
    questions: ChildStdin,
    replies: Receiver<String>,
    last_words: Arc<Mutex<Vec<u8>>>,
}

impl<'a> Lane<'a> {
    pub(super) fn new(batch: &'a Batch) -> Lane<'a> {
        Lane { batch, worker: None }
    }

    /// Asks one question; whatever happens, there is an answer.
    pub(super) fn ask(&mut self, entry: &Entry, key: &str, question: &Asked) -> Answer {
        let line = serde_json::to_string(question).unwrap_or_default() + "\n";
        let begun = Instant::now();
        // A worker may have gone after its last answer; then the next one is asked.
        let asked = self.send(&line).or_else(|_| {
            self.end();
            self.send(&line)
        });
        if let Err(error) = asked {
            self.end();
            return Answer::died(entry, key, "crash", &format!("no process could be started: {error}"));
        }
        let Some(worker) = &mut self.worker else { unreachable!("it was just asked") };
        let limit = self.batch.work.limits.time;
        // The worker stops the run by itself, and gives it up a tenth of its time later.
        let patience = Duration::from_secs(limit.saturating_add(limit / 5).saturating_add(5));
        let mut answer = match worker.replies.recv_timeout(patience) {
            Ok(reply) => match serde_json::from_str::<Reply>(&reply) {
                Ok(reply) => {
                    if reply.last {
                        self.end();
                    }
                    return Answer::of(entry, key, reply);
                }
                Err(error) => {
                    Answer::died(entry, key, "crash", &format!("the process said something else: {error}"))
                }
            },
            Err(RecvTimeoutError::Timeout) => {
                let why = format!("no answer within {} s, so its process was ended", patience.as_secs());
                Answer::died(entry, key, "time", &why)
            }
            Err(RecvTimeoutError::Disconnected) => {
                let (kind, why) = worker.death();
                Answer::died(entry, key, kind, &why)
            }
        };
        answer.time = (begun.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        self.end();
        answer
    }

    fn send(&mut self, line: &str) -> std::io::Result<()> {
        // One that has gone would take the question along unread: its pipe may hold it.
        if self.worker.as_mut().is_some_and(|worker| !matches!(worker.child.try_wait(), Ok(None))) {
            self.end();
        }
        if self.worker.is_none() {
            self.worker = Some(start(self.batch)?);
        }
        let Some(worker) = &mut self.worker else { unreachable!("it was just started") };
        worker.questions.write_all(line.as_bytes())?;
        worker.questions.flush()
    }

    fn end(&mut self) {
        if let Some(mut worker) = self.worker.take() {
            let _ = worker.child.kill();
            let _ = worker.child.wait();
        }
    }
}

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

impl Running {
    /// Why it went without an answer.
    fn death(&mut self) -> (&'static str, String) {
        let status = self.child.wait();
        // What it wrote last is read by another thread.
        std::thread::sleep(Duration::from_millis(20));
        let words = self.last_words.lock().map(|words| String::from_utf8_lossy(&words).into_owned());
        let words = words.unwrap_or_default();
        let last = words.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
        if words.contains("memory allocation of") || words.contains("Cannot allocate memory") {
            return ("memory", "it needed more memory than --process-memory allows".to_owned());
        }
        let status = status.map_or("it is gone".to_owned(), |status| status.to_string());
        if status.starts_with("signal: 9") {
            return (
                "memory",
                format!("its process was killed ({status}), as a system short of memory does"),
            );
        }
        (
            "crash",
            format!(
                "its process ended ({status}){}",
                if last.is_empty() { String::new() } else { format!(": {last}") }
            ),
        )
    }
}

fn start(batch: &Batch) -> std::io::Result<Running> {
    let mut command = Command::new(std::env::current_exe()?);
    let work = &batch.work;
    let standard = crate::base::Budget::default().memory >> 20;
    let memory = work.limits.memory.unwrap_or(standard);
    command
        .arg("worker")
        .arg(format!("--process-memory={}", batch.process_memory.unwrap_or(memory.saturating_mul(10))))
        .arg(format!("--threads={}", work.threads))
        .arg(format!("--memory={memory}"))
        .arg(format!("--time={}", work.limits.time));
    if let Some(fuel) = work.limits.fuel {
        command.arg(format!("--fuel={fuel}"));
    }
    if work.proof == Proof::Exact {
        command.arg("--proof=exact");
    }
    if work.no_times {
        command.arg("--no-times");
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (Some(questions), Some(output), Some(errors)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        unreachable!("all three are pipes");
    };
    let (reply, replies) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if reply.send(line).is_err() {
                break;
            }
        }
    });
    let last_words = Arc::new(Mutex::new(Vec::new()));
    let kept = last_words.clone();
    std::thread::spawn(move || keep_last(errors, &kept));
    Ok(Running { child, questions, replies, last_words })
}

fn keep_last(mut errors: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut piece = [0; 1 << 10];
    while let Ok(read @ 1..) = errors.read(&mut piece) {
        let Ok(mut kept) = kept.lock() else { return };
        kept.extend_from_slice(&piece[..read]);
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }
}
