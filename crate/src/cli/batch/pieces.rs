//! What is asked at once: a question, or a part of one that sweeps.
//!
//! [`Pieces`] hands questions out in the manifest's order, to whoever has time; a sweep of many combinations goes out in
//! parts, so that many processes answer it. [`Gathering`] puts the replies to parts together again. Parts are as large
//! on every machine, and a joined report is that of the whole, byte for byte, as long as no clock ended anything.
//!
//! Replies to parts of a sweep that is not complete are kept in a file beside the results (`RESULTS.jsonl.parts`), so
//! that a batch that was stopped asks no part twice, either; the file goes when the batch is complete.

use super::super::Refusal;
use super::manifest::{Asked, Entry, key};
use super::results::{self, Answer};
use super::worker::Reply;
use crate::report::{self, SweepPart, Sweeping};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Combinations of a sweep that one process answers in a row.
const PART: usize = 64;

/// Something to ask.
pub(super) struct Piece {
    /// The question's place in the manifest.
    pub entry: usize,
    pub key: Arc<str>,
    /// Which part of how many.
    part: (usize, usize),
    asked: Arc<Asked>,
    range: Option<[usize; 2]>,
}

impl Piece {
    /// The line that a worker reads.
    pub(super) fn line(&self) -> String {
        // Serializing plain owned data cannot fail.
        match self.range {
            None => serde_json::to_string(&*self.asked).unwrap_or_default(),
            range => {
                serde_json::to_string(&Asked { part: range, ..(*self.asked).clone() }).unwrap_or_default()
            }
        }
    }
}

/// What comes next.
pub(super) enum Next {
    /// Something to ask.
    Ask(Piece),
    /// An answer that there is without asking: what cannot be read, or a sweep whose last part was kept.
    Known(Answer),
}

/// The questions that are still to be asked.
pub(super) struct Pieces<'a> {
    entries: &'a [Entry],
    answered: &'a HashSet<(String, String)>,
    exact: bool,
    waiting: Mutex<Waiting>,
    /// How many had an answer before.
    pub old: AtomicUsize,
}

#[derive(Default)]
struct Waiting {
    next: usize,
    parts: VecDeque<Piece>,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(
        entries: &'a [Entry],
        answered: &'a HashSet<(String, String)>,
        exact: bool,
    ) -> Pieces<'a> {
        Pieces { entries, answered, exact, waiting: Mutex::default(), old: AtomicUsize::new(0) }
    }

    /// The next that has no answer yet.
    pub(super) fn next(&self, gathering: &Gathering) -> Option<Next> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(piece) = waiting.parts.pop_front() {
                match gathering.kept(&piece) {
                    None => return Some(Next::Ask(piece)),
                    Some(reply) => match gathering.add(&self.entries[piece.entry], &piece, reply) {
                        Some(answer) => return Some(Next::Known(answer)),
                        None => continue,
                    },
                }
            }
            let at = waiting.next;
            let entry = self.entries.get(at)?;
            waiting.next += 1;
            let asked = match entry.question() {
                Ok(asked) => asked,
                Err(Refusal(why)) => return Some(Next::Known(Answer::died(entry, "", "input", &why))),
            };
            let key = key(&asked, self.exact);
            if self.answered.contains(&(entry.id.clone(), key.clone())) {
                self.old.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            let combinations = combinations(&asked);
            let parts = combinations.div_ceil(PART).max(1);
            let (key, asked): (Arc<str>, _) = (key.into(), Arc::new(asked));
            waiting.parts.extend((0..parts).map(|part| Piece {
                entry: at,
                key: key.clone(),
                part: (part, parts),
                asked: asked.clone(),
                range: (parts > 1).then(|| [part * PART, combinations.min((part + 1) * PART)]),
            }));
        }
    }

    /// Hands nothing out any more.
    pub(super) fn stop(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = Waiting { next: self.entries.len(), parts: VecDeque::new() };
    }
}

/// How many combinations a question asks.
fn combinations(asked: &Asked) -> usize {
    let Ok(overrides) = asked.overrides() else { return 1 };
    report::combinations(&asked.input(overrides.as_ref())).map_or(1, |all| all.combinations.len())
}

/// A reply to a part, as the file beside the results has it.
#[derive(Serialize, Deserialize)]
struct Kept {
    key: String,
    range: [usize; 2],
    reply: Reply,
}

/// Replies to parts whose question is not complete.
pub(super) struct Gathering {
    path: PathBuf,
    kept: HashMap<(String, [usize; 2]), Reply>,
    open: Mutex<HashMap<usize, Vec<Option<Reply>>>>,
}

impl Gathering {
    /// Reads what an earlier run has kept; with `retry`, not what died.
    pub(super) fn open(results: &Path, retry: bool) -> Gathering {
        let mut name = results.as_os_str().to_owned();
        name.push(".parts");
        let path = PathBuf::from(name);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        // A line that a kill cut off is no JSON, and its part is asked again.
        let kept = text.lines().filter_map(|line| serde_json::from_str::<Kept>(line).ok());
        let kept = kept.filter(|kept| !(retry && kept.reply.died.is_some()));
        let kept = kept.map(|kept| ((kept.key, kept.range), kept.reply)).collect();
        if !text.is_empty() && !text.ends_with('\n') {
            let _ = OpenOptions::new().append(true).open(&path).and_then(|mut file| file.write_all(b"\n"));
        }
        Gathering { path, kept, open: Mutex::default() }
    }

    fn kept(&self, piece: &Piece) -> Option<Reply> {
        self.kept.get(&(piece.key.to_string(), piece.range?)).cloned()
    }

    /// Takes a reply in; gives the answer if that was the last part.
    pub(super) fn add(&self, entry: &Entry, piece: &Piece, reply: Reply) -> Option<Answer> {
        let (part, parts) = piece.part;
        let Some(range) = piece.range else { return Some(Answer::of(entry, &piece.key, reply)) };
        let complete = {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            let replies = open.entry(piece.entry).or_insert_with(|| vec![None; parts]);
            replies[part] = Some(reply.clone());
            let complete = replies.iter().all(Option::is_some);
            if complete { open.remove(&piece.entry) } else { None }
        };
        match complete {
            Some(replies) => {
                let replies: Vec<Reply> = replies.into_iter().flatten().collect();
                Some(Answer::of(entry, &piece.key, joined(&piece.asked, replies)))
            }
            None => {
                if !self.kept.contains_key(&(piece.key.to_string(), range)) {
                    self.keep(Kept { key: piece.key.to_string(), range, reply });
                }
                None
            }
        }
    }

    /// What cannot be kept costs no answer, only time if this batch is stopped.
    fn keep(&self, kept: Kept) {
        let line = serde_json::to_string(&kept).unwrap_or_default() + "\n";
        let file: std::io::Result<File> = OpenOptions::new().create(true).append(true).open(&self.path);
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }

    /// All questions have an answer.
    pub(super) fn close(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// One reply of all parts: if one of them died, the question did.
fn joined(asked: &Asked, replies: Vec<Reply>) -> Reply {
    let time = results::milliseconds(replies.iter().map(|reply| reply.time).sum());
    if let Some(died) = replies.iter().find(|reply| reply.died.is_some()) {
        return Reply { time, ..died.clone() };
    }
    let parts: Option<Vec<SweepPart>> =
        replies.iter().map(|reply| serde_json::from_str(reply.report.as_ref()?.get()).ok()).collect();
    let overrides = asked.overrides().unwrap_or_default();
    let input = asked.input(overrides.as_ref());
    let (Some(parts), Some(all)) = (parts, report::combinations(&input)) else {
        return Reply {
            time,
            ..Reply::crashed("the parts of a sweep do not fit together, which is a defect of ours")
        };
    };
    let report = Sweeping::join(&input, all, parts);
    Reply::of(report.verdict, &report.summary, &report, time)
}
