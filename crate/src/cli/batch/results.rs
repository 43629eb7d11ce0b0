//! The file of answers: appended a line at a time, read again when a batch goes on.
//!
//! A line is written in one piece; what a kill cut off is removed when the batch goes on. Of several lines with one
//! id the last one counts. One batch at a time has the file.

use super::super::Refusal;
use super::manifest::Entry;
use super::worker::Reply;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// One answer, as the file has it.
#[derive(Serialize, Deserialize)]
pub(super) struct Answer {
    /// The question's.
    pub id: String,
    /// What was asked, as a number.
    pub key: String,
    /// The verdict; none where the question died.
    pub verdict: Option<String>,
    /// What it died of: `memory`, `time`, `crash`, or `input` that could not be read.
    pub died: Option<String>,
    /// The answer in one sentence, or the reason why there is none.
    pub summary: String,
    /// As that of the command line.
    pub exit_status: u8,
    /// Whether it is what the manifest expects, if that says anything.
    pub as_expected: Option<bool>,
    /// Milliseconds.
    pub time: f64,
    /// The report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Box<RawValue>>,
}

impl Answer {
    pub(super) fn of(entry: &Entry, key: &str, reply: Reply) -> Answer {
        let Some((verdict, exit_status)) = reply.verdict else {
            let mut answer =
                Answer::died(entry, key, reply.died.as_deref().unwrap_or("crash"), &reply.summary);
            answer.time = reply.time;
            return answer;
        };
        Answer {
            id: entry.id.clone(),
            key: key.to_owned(),
            as_expected: entry.expects(Some(&verdict)),
            verdict: Some(verdict),
            died: None,
            summary: reply.summary,
            exit_status,
            time: reply.time,
            report: reply.report,
        }
    }

    pub(super) fn died(entry: &Entry, key: &str, why: &str, summary: &str) -> Answer {
        Answer {
            id: entry.id.clone(),
            key: key.to_owned(),
            verdict: None,
            died: Some(why.to_owned()),
            summary: summary.to_owned(),
            exit_status: if why == "input" { 3 } else { 2 },
            as_expected: entry.expects(None),
            time: 0.0,
            report: None,
        }
    }

    /// It holds, or is what the manifest expects.
    pub(super) fn is_fine(&self) -> bool {
        self.as_expected.unwrap_or(self.exit_status == 0)
    }

    /// The verdict, or what it died of.
    pub(super) fn kind(&self) -> &str {
        self.verdict.as_deref().or(self.died.as_deref()).unwrap_or("crash")
    }
}

/// By what a question that could not be read is known again: no key begins so.
pub(super) fn unread(why: &str) -> String {
    format!("unread: {why}")
}

/// Whether a line that does not end is an answer that was cut off: `{"id":"…","key":"…`, up to anywhere.
fn is_cut_off(text: &[u8]) -> bool {
    let mut left = text;
    for (at, start) in [&b"{\"id\":\""[..], b",\"key\":\""].into_iter().enumerate() {
        match left.strip_prefix(start) {
            Some(rest) => left = rest,
            None => return start.starts_with(left),
        }
        if at == 0 {
            // The id, as JSON has it.
            let mut escaped = false;
            let end = left.iter().position(|byte| {
                let ends = *byte == b'"' && !escaped;
                escaped = *byte == b'\\' && !escaped;
                ends
            });
            match end {
                Some(end) => left = &left[end + 1..],
                None => return true,
            }
        }
    }
    true
}

/// The last answer to each question.
pub(super) type Latest = HashMap<String, Answer>;

/// The file.
pub(super) struct Results {
    path: PathBuf,
    file: File,
    answered: HashMap<String, String>,
}

impl Results {
    /// Opens or makes the file. With `retry`, what died or ended at a limit does not count as answered.
    pub(super) fn open(path: &Path, retry: bool) -> Result<Results, Refusal> {
        let refusal = |error| Refusal(format!("`{}` cannot be used: {error}", path.display()));
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(refusal)?;
        if file.try_lock().is_err() {
            return Err(Refusal(format!("another batch writes to `{}`", path.display())));
        }
        let mut answered = HashMap::new();
        let mut whole = 0;
        each(path, &file, |answer, end| {
            // What could not be read has no key: it is looked at again, which costs nothing.
            let was_read = !answer.key.is_empty();
            let again = answer.died.is_some() || answer.verdict.as_deref() == Some("resource_limit");
            if !(retry && again && was_read) {
                let key = if was_read { answer.key } else { unread(&answer.summary) };
                answered.insert(answer.id, key);
            } else {
                answered.remove(&answer.id);
            }
            whole = end;
        })?;
        // What a kill cut off.
        file.set_len(whole).map_err(refusal)?;
        Ok(Results { path: path.to_owned(), file, answered })
    }

    /// Says once more what the manifest expects otherwise by now.
    pub(super) fn look_again(&mut self, entries: &[Entry]) -> Result<(), Refusal> {
        let entries: HashMap<&str, &Entry> = entries.iter().map(|entry| (entry.id.as_str(), entry)).collect();
        // Where the last line of each question ends that says something else than the manifest.
        let mut stale: HashMap<String, u64> = HashMap::new();
        each(&self.path, &self.file, |answer, end| {
            let Some(entry) = entries.get(answer.id.as_str()) else { return };
            match entry.expects(answer.verdict.as_deref()) == answer.as_expected {
                true => drop(stale.remove(&answer.id)),
                false => drop(stale.insert(answer.id, end)),
            }
        })?;
        if stale.is_empty() {
            return Ok(());
        }
        // Lines are added meanwhile, which would move the place where the file is read.
        let read = File::open(&self.path)
            .map_err(|error| Refusal(format!("`{}` cannot be read: {error}", self.path.display())))?;
        let path = self.path.clone();
        let mut failed = None;
        each(&path, &read, |mut answer, end| {
            let Some(entry) = entries.get(answer.id.as_str()) else { return };
            if failed.is_none() && stale.get(&answer.id) == Some(&end) {
                answer.as_expected = entry.expects(answer.verdict.as_deref());
                failed = self.add(&answer).err();
            }
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// Which questions have an answer, with their keys.
    pub(super) fn answered(&self, ids: &HashSet<&str>) -> HashSet<(String, String)> {
        let of_these = self.answered.iter().filter(|(id, _)| ids.contains(id.as_str()));
        of_these.map(|(id, key)| (id.clone(), key.clone())).collect()
    }

    /// Adds an answer.
    pub(super) fn add(&mut self, answer: &Answer) -> Result<(), Refusal> {
        // Serializing plain owned data cannot fail.
        let line = serde_json::to_string(answer).unwrap_or_default() + "\n";
        self.file
            .write_all(line.as_bytes())
            .map_err(|error| Refusal(format!("`{}` cannot be written: {error}", self.path.display())))
    }

    /// The last answer to each of these questions, seen as the manifest sees it now; of reports, what `excerpt` takes.
    pub(super) fn latest(
        &self,
        entries: &[Entry],
        excerpt: impl Fn(&Entry, &Answer) -> Option<Box<RawValue>>,
    ) -> Result<Latest, Refusal> {
        let entries: HashMap<&str, &Entry> = entries.iter().map(|entry| (entry.id.as_str(), entry)).collect();
        let mut latest = Latest::new();
        each(&self.path, &self.file, |mut answer, _| {
            if let Some(entry) = entries.get(answer.id.as_str()) {
                answer.as_expected = entry.expects(answer.verdict.as_deref());
                answer.report = excerpt(entry, &answer);
                latest.insert(answer.id.clone(), answer);
            }
        })?;
        Ok(latest)
    }
}

/// Hands over each answer of the file and where its line ends; a last line that was cut off is left out.
fn each(path: &Path, file: &File, mut take: impl FnMut(Answer, u64)) -> Result<(), Refusal> {
    let broken = |line: usize, error: String| Refusal(format!("{}:{line}: {error}", path.display()));
    let mut reader = BufReader::new(file);
    reader.seek(SeekFrom::Start(0)).map_err(|error| broken(1, error.to_string()))?;
    let (mut end, mut text) = (0, Vec::new());
    for line in 1.. {
        text.clear();
        let read = reader.read_until(b'\n', &mut text).map_err(|error| broken(line, error.to_string()))?;
        if text.last() != Some(&b'\n') {
            // What a kill cut off begins as every line does; anything else is somebody's file.
            if !is_cut_off(&text) {
                return Err(broken(line, "this is no answer of a batch, and is left as it is".to_owned()));
            }
            break;
        }
        end += read as u64;
        match serde_json::from_slice(&text) {
            Ok(answer) => take(answer, end),
            Err(error) => {
                let why = format!("this is no answer of a batch, and is left as it is: {error}");
                return Err(broken(line, why));
            }
        }
    }
    Ok(())
}

/// How many questions have which answer.
pub(super) struct Tally {
    /// By verdict or reason, with the worst exit status.
    pub kinds: BTreeMap<(u8, String), usize>,
    /// Not as the manifest expects.
    unexpected: usize,
    status: u8,
}

impl Tally {
    pub(super) fn of(answers: &Latest) -> Tally {
        let mut tally = Tally { kinds: BTreeMap::new(), unexpected: 0, status: 0 };
        let mut statuses = HashSet::new();
        for answer in answers.values() {
            let kind = match &answer.died {
                Some(why) => format!("died: {why}"),
                None => answer.kind().replace('_', " "),
            };
            *tally.kinds.entry((answer.exit_status, kind)).or_default() += 1;
            tally.unexpected += usize::from(answer.as_expected == Some(false));
            statuses.insert(match answer.as_expected {
                Some(true) => 0,
                Some(false) => 1,
                None => answer.exit_status,
            });
        }
        // A property that does not hold, then input that cannot be used, then no answer.
        tally.status = [1, 3, 2].into_iter().find(|status| statuses.contains(status)).unwrap_or(0);
        tally
    }

    /// 0 all hold or are as expected, 1 some do not, 2 some have no answer, 3 some could not be asked.
    pub(super) fn exit_status(&self) -> u8 {
        self.status
    }

    /// For the terminal.
    pub(super) fn text(&self, asked: usize, before: usize, seconds: f64) -> String {
        let before = if before > 0 { format!(", {before} answered before") } else { String::new() };
        let mut text = format!("{asked} questions asked in {}{before}", duration(seconds));
        let width = self.kinds.values().max().map_or(0, |most| most.to_string().len());
        for ((_, kind), count) in &self.kinds {
            let _ = write!(text, "\n  {count:>width$} {kind}");
        }
        if self.unexpected > 0 {
            let _ = write!(text, "\n  {} of them not as the manifest expects", self.unexpected);
        }
        text
    }
}

/// Milliseconds as they are written: to the microsecond.
pub(super) fn milliseconds(time: f64) -> f64 {
    (time * 1e3).round() / 1e3
}

/// Seconds in words: `4.2 s`, `3 min`, `2.5 h`.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        _ if seconds < 9.95 => format!("{seconds:.1} s"),
        _ if seconds < 100.0 => format!("{seconds:.0} s"),
        _ if seconds < 5400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}
