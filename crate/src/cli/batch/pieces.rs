//! What is asked at once: a question, a part of one that sweeps, or a portion of one's outputs.
//!
//! [`Pieces`] hands questions out in the manifest's order, to whoever has time; a sweep of many combinations goes out in
//! parts, and a question that says in how many portions its outputs are decided goes out portion by portion, so that many
//! processes answer it. [`Gathering`] puts the replies to parts together again; what portions came to is handed out once
//! more, to whoever writes the report. Parts are the same on every machine, and a joined report is that of one
//! process, byte for byte, as long as no clock ended anything.
//!
//! Replies to parts of a question that is not complete are kept in a file beside the results (`RESULTS.jsonl.parts`), so
//! that a batch that was stopped asks no part twice, either; the file goes when the batch is complete.

use super::super::Refusal;
use super::manifest::{Asked, Entry, key};
use super::results::{self, Answer};
use super::worker::Reply;
use crate::report::{self, SweepPart, Sweeping};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

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
    about: About,
}

/// What of a question a piece is.
enum About {
    Whole,
    /// Combinations of a sweep, from one on and before another.
    Combinations([usize; 2]),
    /// A portion of the outputs.
    Portion(u16),
    /// What all portions came to, and how long that took, milliseconds.
    Decided(Box<RawValue>, f64),
}

impl Piece {
    /// The line that a worker reads.
    pub(super) fn line(&self) -> String {
        let all = || (*self.asked).clone();
        let asked = match &self.about {
            About::Whole => all(),
            About::Combinations(range) => Asked { part: Some(*range), ..all() },
            About::Portion(which) => Asked { portion: Some(*which), ..all() },
            About::Decided(decided, _) => Asked { decided: Some(decided.clone()), ..all() },
        };
        // Serializing plain owned data cannot fail.
        serde_json::to_string(&asked).unwrap_or_default()
    }

    /// By what a kept reply is found again, if it is one to a part.
    fn range(&self) -> Option<[usize; 2]> {
        match self.about {
            About::Combinations(range) => Some(range),
            About::Portion(which) => Some([which.into(), usize::from(which) + 1]),
            About::Whole | About::Decided(..) => None,
        }
    }

    fn is_portion(&self) -> bool {
        matches!(self.about, About::Portion(_))
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
    /// What the engine is told by.
    engine: &'a str,
    exact: bool,
    waiting: Mutex<Waiting>,
    /// Whoever waits for portions that others are at.
    more: Condvar,
    /// How many had an answer before.
    pub old: AtomicUsize,
}

#[derive(Default)]
struct Waiting {
    next: usize,
    parts: VecDeque<Piece>,
    /// Questions whose portions are not all decided.
    open: usize,
    stopped: bool,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(
        entries: &'a [Entry],
        answered: &'a HashSet<(String, String)>,
        engine: &'a str,
        exact: bool,
    ) -> Pieces<'a> {
        Pieces {
            entries,
            answered,
            engine,
            exact,
            waiting: Mutex::default(),
            more: Condvar::new(),
            old: AtomicUsize::new(0),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next that has no answer yet; waits for portions that others are at.
    pub(super) fn next(&self, gathering: &Gathering) -> Option<Next> {
        let mut waiting = self.waiting();
        loop {
            if waiting.stopped {
                return None;
            }
            if let Some(piece) = waiting.parts.pop_front() {
                let Some(reply) = gathering.kept(&piece) else { return Some(Next::Ask(piece)) };
                match gathering.add(&self.entries[piece.entry], &piece, reply) {
                    Added::Nothing => {}
                    Added::Answer(answer) => {
                        waiting.open -= usize::from(piece.is_portion());
                        return Some(Next::Known(*answer));
                    }
                    Added::Ask(whole) => {
                        waiting.open -= 1;
                        return Some(Next::Ask(whole));
                    }
                }
                continue;
            }
            let at = waiting.next;
            let Some(entry) = self.entries.get(at) else {
                if waiting.open == 0 {
                    // Others may wait for what will not come.
                    self.more.notify_all();
                    return None;
                }
                waiting = self.more.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            waiting.next += 1;
            let asked = match entry.question() {
                Ok(asked) => asked,
                Err(Refusal(why)) if self.answered.contains(&(entry.id.clone(), results::unread(&why))) => {
                    self.old.fetch_add(1, Ordering::Relaxed);
                    continue;
                }
                Err(Refusal(why)) => return Some(Next::Known(Answer::died(entry, "", "input", &why))),
            };
            let key = key(&asked, self.engine, self.exact);
            if self.answered.contains(&(entry.id.clone(), key.clone())) {
                self.old.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            let combinations = combinations(&asked);
            let portions = asked.portions.filter(|_| combinations.is_none()).map_or(1, |count| count.get());
            let (key, asked): (Arc<str>, _) = (key.into(), Arc::new(asked));
            let parts = match combinations {
                Some(all) => all.div_ceil(PART).max(1),
                None => portions.into(),
            };
            waiting.open += usize::from(portions > 1);
            waiting.parts.extend((0..parts).map(|part| Piece {
                entry: at,
                key: key.clone(),
                part: (part, parts),
                asked: asked.clone(),
                about: match combinations {
                    _ if parts == 1 => About::Whole,
                    Some(all) => About::Combinations([part * PART, all.min((part + 1) * PART)]),
                    None => About::Portion(part as u16),
                },
            }));
        }
    }

    /// Takes a reply in; gives the answer if there is one now.
    pub(super) fn take_in(&self, gathering: &Gathering, piece: &Piece, reply: Reply) -> Option<Answer> {
        let added = gathering.add(&self.entries[piece.entry], piece, reply);
        let mut waiting = self.waiting();
        let answer = match added {
            Added::Nothing => return None,
            Added::Answer(answer) => {
                waiting.open -= usize::from(piece.is_portion());
                Some(*answer)
            }
            Added::Ask(whole) => {
                waiting.open -= 1;
                waiting.parts.push_front(whole);
                None
            }
        };
        self.more.notify_all();
        answer
    }

    /// Hands nothing out any more.
    pub(super) fn stop(&self) {
        self.waiting().stopped = true;
        self.more.notify_all();
    }

    /// Whether there are portions that nobody has put together.
    pub(super) fn are_open(&self) -> bool {
        self.waiting().open > 0
    }
}

/// What a reply came to.
enum Added {
    /// Parts are missing.
    Nothing,
    Answer(Box<Answer>),
    /// All portions are decided, and somebody is to write the report.
    Ask(Piece),
}

/// How many combinations a question asks, if it sweeps.
fn combinations(asked: &Asked) -> Option<usize> {
    let overrides = asked.overrides().ok()?;
    Some(report::combinations(&asked.input(overrides.as_ref()))?.combinations.len())
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
        self.kept.get(&(piece.key.to_string(), piece.range()?)).cloned()
    }

    /// Takes a reply in.
    fn add(&self, entry: &Entry, piece: &Piece, reply: Reply) -> Added {
        let (part, parts) = piece.part;
        let answer = |reply: Reply| Added::Answer(Box::new(Answer::of(entry, &piece.key, reply)));
        let Some(range) = piece.range() else {
            return answer(match piece.about {
                About::Decided(_, before) => {
                    Reply { time: results::milliseconds(before + reply.time), ..reply }
                }
                _ => reply,
            });
        };
        let complete = {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            let replies = open.entry(piece.entry).or_insert_with(|| vec![None; parts]);
            replies[part] = Some(reply.clone());
            let complete = replies.iter().all(Option::is_some);
            if complete { open.remove(&piece.entry) } else { None }
        };
        if !self.kept.contains_key(&(piece.key.to_string(), range))
            && (complete.is_none() || piece.is_portion())
        {
            self.keep(Kept { key: piece.key.to_string(), range, reply });
        }
        let Some(replies) = complete else { return Added::Nothing };
        let replies: Vec<Reply> = replies.into_iter().flatten().collect();
        if !piece.is_portion() {
            return answer(joined(&piece.asked, replies));
        }
        match decided(replies) {
            Ok((decided, time)) => Added::Ask(Piece {
                entry: piece.entry,
                key: piece.key.clone(),
                part: (0, 1),
                asked: piece.asked.clone(),
                about: About::Decided(decided, time),
            }),
            Err(reply) => answer(*reply),
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

/// What all portions came to, and how long that took; or the question's answer, if it did not come to that: a fault, say,
/// which every portion finds.
fn decided(replies: Vec<Reply>) -> Result<(Box<RawValue>, f64), Box<Reply>> {
    let time = results::milliseconds(replies.iter().map(|reply| reply.time).sum());
    let portions: Vec<&RawValue> = replies
        .iter()
        .filter(|reply| reply.died.is_none() && reply.verdict.is_none())
        .filter_map(|reply| reply.report.as_deref())
        .collect();
    if portions.len() == replies.len()
        && let Ok(all) = to_raw_value(&portions)
    {
        return Ok((all, time));
    }
    let is_last = |reply: &&Reply| reply.died.is_some() || reply.verdict.is_some();
    let found = replies.iter().find(is_last).cloned();
    let broken =
        || Reply::crashed("the portions of a question do not fit together, which is a defect of ours");
    Err(Box::new(Reply { time, ..found.unwrap_or_else(broken) }))
}
