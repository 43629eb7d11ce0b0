//! One worker at a time: starts it, asks it, and says why it died.
//!
//! A worker is used for many questions, since starting one takes longer than answering a short question; it is
//! started again after it has gone. It has a process group of its own, so that Ctrl-C ends the batch, which takes
//! its workers along, and no worker's death by Ctrl-C is taken for an answer.

use super::worker::Reply;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How much of what a dying worker says is kept, bytes.
const LAST_WORDS: usize = 4 << 10;

/// Whoever asks one worker.
pub struct Lane {
    command: Vec<OsString>,
    patience: Duration,
    worker: Option<Running>,
}

struct Running {
    child: Child,
    questions: ChildStdin,
    replies: Receiver<String>,
    last_words: LastWords,
}

impl Lane {
    /// One that starts its worker by this command when there is a question, and ends it if an answer takes longer
    /// than `patience`.
    pub fn new(command: Vec<OsString>, patience: Duration) -> Lane {
        Lane { command, patience, worker: None }
    }

    /// Asks a question, which is a line of JSON; the reply is one, too.
    pub fn ask_line(&mut self, question: &str) -> String {
        // Serializing plain owned data cannot fail.
        serde_json::to_string(&self.ask(question)).unwrap_or_default()
    }

    /// Asks one question; whatever happens, there is a reply.
    pub(super) fn ask(&mut self, question: &str) -> Reply {
        let line = question.to_owned() + "\n";
        let begun = Instant::now();
        // A worker may have gone after its last answer; then the next one is asked.
        let asked = self.send(&line).or_else(|_| {
            self.end();
            self.send(&line)
        });
        if let Err(error) = asked {
            self.end();
            return Reply::died("crash", format!("no process could be started: {error}"), begun);
        }
        let Some(worker) = &mut self.worker else { unreachable!("it was just asked") };
        let (kind, why) = match worker.replies.recv_timeout(self.patience) {
            Ok(reply) => match serde_json::from_str::<Reply>(&reply) {
                Ok(reply) => {
                    if reply.last {
                        self.end();
                    }
                    return reply;
                }
                Err(error) => ("crash", format!("the process said something else: {error}")),
            },
            Err(RecvTimeoutError::Timeout) => {
                ("time", format!("no answer within {} s, so its process was ended", self.patience.as_secs()))
            }
            Err(RecvTimeoutError::Disconnected) => worker.death(),
        };
        self.end();
        Reply::died(kind, why, begun)
    }

    fn send(&mut self, line: &str) -> std::io::Result<()> {
        // One that has gone would take the question along unread: its pipe may hold it.
        if self.worker.as_mut().is_some_and(|worker| !matches!(worker.child.try_wait(), Ok(None))) {
            self.end();
        }
        if self.worker.is_none() {
            self.worker = Some(start(&self.command)?);
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

impl Drop for Lane {
    fn drop(&mut self) {
        self.end();
    }
}

impl Running {
    /// Why it went without an answer.
    fn death(&mut self) -> (&'static str, String) {
        let status = self.child.wait();
        let words = self.last_words.text();
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

fn start(command: &[OsString]) -> std::io::Result<Running> {
    let (child, questions, output, last_words) = process(command)?;
    let (reply, replies) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if reply.send(line).is_err() {
                break;
            }
        }
    });
    Ok(Running { child, questions, replies, last_words })
}

/// Starts a process in a group of its own, with pipes for everything.
pub(super) fn process(command: &[OsString]) -> std::io::Result<(Child, ChildStdin, ChildStdout, LastWords)> {
    let [program, arguments @ ..] = command else { return Err(std::io::ErrorKind::NotFound.into()) };
    let mut command = Command::new(program);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (Some(questions), Some(output), Some(errors)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        unreachable!("all three are pipes");
    };
    let last_words = LastWords::default();
    let kept = last_words.clone();
    std::thread::spawn(move || kept.keep(errors));
    Ok((child, questions, output, last_words))
}

/// The end of what a process writes on standard error.
#[derive(Clone, Default)]
pub(super) struct LastWords(Arc<Mutex<Vec<u8>>>);

impl LastWords {
    /// What it wrote, of a process that has ended.
    pub(super) fn text(&self) -> String {
        // Another thread reads it.
        std::thread::sleep(Duration::from_millis(20));
        self.0.lock().map(|words| String::from_utf8_lossy(&words).into_owned()).unwrap_or_default()
    }

    fn keep(&self, mut errors: impl Read) {
        let mut piece = [0; 1 << 10];
        while let Ok(read @ 1..) = errors.read(&mut piece) {
            let Ok(mut kept) = self.0.lock() else { return };
            kept.extend_from_slice(&piece[..read]);
            let surplus = kept.len().saturating_sub(LAST_WORDS);
            kept.drain(..surplus);
        }
    }
}
