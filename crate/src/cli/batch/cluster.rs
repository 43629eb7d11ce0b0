//! `--ray`: a process of the Python package stands where the lanes stand, and hands questions over to Ray.
//!
//! It reads `{"number": 7, "question": {…}}` lines, and as soon as one is answered it writes `{"number": 7, "reply":
//! {…}}`, in any order. It reads only as far ahead as the cluster has room, so that the questions wait here, in a pipe
//! of a few kilobytes. On each machine, the same workers answer that answer here (`lane`), so replies are the same.
//!
//! Guaranteed: what came back is kept whatever happens to the cluster. Missed: how the cluster divides its machines
//! is Ray's matter.

use super::super::{Program, Refusal};
use super::lane::process;
use super::pieces::{Gathering, Next, Piece, Pieces};
use super::{Batch, Brought};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Serialize)]
struct Line<'a> {
    number: u64,
    question: &'a RawValue,
}

#[derive(Deserialize)]
struct Replied {
    number: u64,
    reply: super::worker::Reply,
}

/// What the cluster has not answered yet.
#[derive(Default)]
struct Asked {
    pieces: Mutex<HashMap<u64, Piece>>,
}

impl Asked {
    fn pieces(&self) -> MutexGuard<'_, HashMap<u64, Piece>> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks all pieces by the cluster at this address.
pub(super) fn ask(
    program: &Program,
    batch: &Batch,
    address: &str,
    pieces: &Pieces<'_>,
    gathering: &Gathering,
    bring: &Sender<Brought>,
) -> Result<(), Refusal> {
    let Some(ray) = &program.ray else {
        return Err(Refusal(
            "`--ray` is the Python package's: `pip install './python[ray]'` in the repository, and the command \
             `warpproof` that comes with it"
                .to_owned(),
        ));
    };
    let mut command = ray.clone();
    command.extend(["--address".into(), address.into()]);
    command.extend(["--patience".into(), batch.patience().as_secs().to_string().into()]);
    command.extend(["--threads".into(), batch.work.threads.max(1).to_string().into()]);
    if let Some(jobs) = batch.jobs {
        command.extend(["--jobs".into(), jobs.to_string().into()]);
    }
    command.push("--".into());
    command.extend(batch.worker_arguments().into_iter().map(Into::into));
    let (mut child, questions, replies, last_words) =
        process(&command).map_err(|error| Refusal(format!("no process could be started: {error}")))?;
    let asked = Asked::default();
    let all_said = std::thread::scope(|scope| {
        let feeding = scope.spawn(|| feed(questions, &asked, pieces, gathering, bring));
        listen(replies, &asked, bring);
        pieces.stop();
        // Whoever still writes notices that nobody reads.
        let _ = child.kill();
        feeding.join().unwrap_or(false)
    });
    let status = child.wait();
    let left = asked.pieces().len();
    if all_said && left == 0 && !pieces.are_open() {
        return Ok(());
    }
    let words = last_words.text();
    let said: Vec<&str> = words.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let said = said
        .last()
        .map_or_else(|| status.map_or(String::new(), |status| status.to_string()), |last| (*last).to_owned());
    Err(Refusal(format!("Ray is gone: {said}. What was answered is kept, and the same command goes on")))
}

/// Says all questions; whether nothing is left to say.
fn feed(
    mut questions: ChildStdin,
    asked: &Asked,
    pieces: &Pieces<'_>,
    gathering: &Gathering,
    bring: &Sender<Brought>,
) -> bool {
    let mut number = 0;
    while let Some(next) = pieces.next(gathering) {
        let piece = match next {
            Next::Known(answer) => {
                let _ = bring.send(Brought::Answer(answer));
                continue;
            }
            Next::Ask(piece) => piece,
        };
        number += 1;
        let question = RawValue::from_string(piece.line()).unwrap_or_default();
        let line = serde_json::to_string(&Line { number, question: &question }).unwrap_or_default() + "\n";
        asked.pieces().insert(number, piece);
        if questions.write_all(line.as_bytes()).and_then(|()| questions.flush()).is_err() {
            return false;
        }
    }
    true
}

/// Takes replies until there are no more.
fn listen(replies: ChildStdout, asked: &Asked, bring: &Sender<Brought>) {
    for line in BufReader::new(replies).lines().map_while(Result::ok) {
        let Ok(Replied { number, reply }) = serde_json::from_str(&line) else { continue };
        let Some(piece) = asked.pieces().remove(&number) else { continue };
        if bring.send(Brought::Reply(piece, reply)).is_err() {
            return;
        }
    }
}
