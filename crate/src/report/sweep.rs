//! Sweeps: the combinations of a spec with `[sweep]`, each asked as a question of its own.
//!
//! [`combinations`] gives each combination as the text of an ordinary spec; [`Sweeping`] asks them side by side,
//! the smallest first, through [`check`](super::check), as if a user had written each; and sums the answers up in
//! the order of the combinations, so that the report does not depend on the number of threads. The verdict of a
//! sweep is good if all are; otherwise it is that of the smallest combination that has a fault or a counterexample,
//! then of the smallest that cannot be used, then of the smallest without an answer (one that was not asked among
//! them). Only that combination's report is kept, so that memory does not grow with the sweep. A sweep may be asked in
//! parts, in processes that know nothing of one another: [`Sweeping::join`] makes the same report of them.
//!
//! Guaranteed: no combination is left out silently; one that was not asked is in the table as such, and then the
//! verdict is not good. Missed: sizes that were not asked, about which nothing is said.

use super::ask::check;
use super::model::{
    Asked, Combination, CombinationReport, ShownCombination, SizesReport, SweepReport, SweepRow, Verdict,
};
use super::pipeline::FORMAT;
use super::sizes::{AllSizes, of_every_size};
use super::texts::Texts;
use super::{Input, Outcome, RunOptions, assumptions};
use crate::base::{Budget, Exhausted, Source};
use crate::diag::{Code, Diagnostic, Ledger, Severity};
use crate::spec::{Spec, Sweep};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The combinations of a question; none if its spec does not sweep, or cannot be used, which `check` then says.
pub fn combinations(input: &Input<'_>) -> Option<Asked> {
    let (spec, complaints) = input.read_spec();
    let sweep = spec.sweep.as_ref().filter(|sweep| sweep.is_many() && !sweep.is_open())?;
    if complaints.iter().any(|complaint| complaint.severity == Severity::Error) {
        return None;
    }
    Some(asked(input, sweep, &sweep.combinations))
}

/// Combinations of a sweep, each as the text of a spec.
pub(super) fn asked(input: &Input<'_>, sweep: &Sweep, combinations: &[Vec<i64>]) -> Asked {
    let text = input.spec.unwrap_or_default();
    let each = |values: &Vec<i64>| Combination { values: values.clone(), spec: sweep.text_of(text, values) };
    Asked {
        names: sweep.axes.iter().map(|axis| axis.name.clone()).collect(),
        combinations: combinations.iter().map(each).collect(),
    }
}

/// What is wrong with one question about a spec that asks many.
pub(super) fn refusal(spec: &Spec, complaints: &[Diagnostic]) -> Option<Diagnostic> {
    let sweep = spec.sweep.as_ref().filter(|sweep| sweep.is_many())?;
    if complaints.iter().any(|complaint| complaint.severity == Severity::Error) {
        return None;
    }
    Some(many(sweep))
}

#[cold]
fn many(sweep: &Sweep) -> Diagnostic {
    let (first, count) = (&sweep.axes[0], sweep.combinations.len());
    let message = match sweep.is_open() {
        true => "this spec asks about every size, and one size is needed here".to_owned(),
        false => format!("this spec asks {count} questions, and one is needed here"),
    };
    let one: Vec<String> = sweep.combinations[0]
        .iter()
        .zip(&sweep.axes)
        .map(|(value, axis)| format!("--set {}={value}", axis.name))
        .collect();
    Diagnostic::error(Code::V010, message).at(Source::Spec, first.span).note(format!(
        "write one value for each name under [sweep]; on the command line, `{}` does the same",
        one.join(" ")
    ))
}

/// A sweep on its way, or a part of one.
pub struct Sweeping<'a> {
    input: &'a Input<'a>,
    asked: Asked,
    /// What is proved for every size.
    sizes: Option<(SizesReport, Ledger)>,
    /// Which combinations.
    range: Range<usize>,
    next: AtomicUsize,
    answers: Mutex<Answers>,
}

/// The answers so far, in order.
#[derive(Default)]
struct Answers {
    /// Those behind a gap.
    waiting: BTreeMap<usize, Answer>,
    all: Vec<CombinationReport>,
    ledger: Ledger,
    /// The smallest combinations with a fault, that cannot be used, and without an answer.
    worst: [Option<ShownCombination>; 3],
    why: Option<Exhausted>,
}

/// The answers to neighbouring combinations, as they travel from one process to another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SweepPart {
    combinations: Vec<CombinationReport>,
    ledger: Ledger,
    worst: [Option<ShownCombination>; 3],
    why: Option<Exhausted>,
    time: Option<f64>,
}

struct Answer {
    outcome: Option<Outcome>,
    time: Option<f64>,
}

impl<'a> Sweeping<'a> {
    /// Begins a sweep.
    pub fn new(input: &'a Input<'a>, asked: Asked) -> Self {
        let range = 0..asked.combinations.len();
        Sweeping::part(input, asked, range)
    }

    /// Begins to ask samples of the sizes about which all is asked.
    pub fn of_sizes(input: &'a Input<'a>, all: AllSizes) -> Self {
        let AllSizes { asked, report, ledger } = all;
        Sweeping { sizes: Some((report, ledger)), ..Sweeping::new(input, asked) }
    }

    /// Begins a part of a sweep: the combinations in `range`, as far as there are so many.
    pub fn part(input: &'a Input<'a>, asked: Asked, range: Range<usize>) -> Self {
        let end = range.end.min(asked.combinations.len());
        let range = range.start.min(end)..end;
        Sweeping {
            input,
            asked,
            sizes: None,
            next: AtomicUsize::new(range.start),
            range,
            answers: Mutex::default(),
        }
    }

    /// The report on a sweep of which all parts, in their order, were asked apart: the report of a sweep that was
    /// asked as one. Its time is what the parts took together.
    pub fn join(input: &'a Input<'a>, asked: Asked, parts: Vec<SweepPart>) -> SweepReport {
        let sweeping = Sweeping::new(input, asked);
        let mut time = Some(0.0);
        for part in parts {
            let mut answers = sweeping.answers();
            time = time.zip(part.time).map(|(sum, more)| sum + more);
            answers.all.extend(part.combinations);
            answers.ledger.merge(part.ledger);
            answers.why = answers.why.or(part.why);
            for (worst, of_part) in answers.worst.iter_mut().zip(part.worst) {
                *worst = worst.take().or(of_part);
            }
        }
        sweeping.report(time)
    }

    /// How many combinations have an answer, how many there are, and which is the first that is not fine.
    pub fn progress(&self) -> (usize, usize, Option<String>) {
        let answers = self.answers();
        let worst = answers.worst.iter().flatten().map(|shown| shown.title.clone()).next();
        (answers.all.len() + answers.waiting.len(), self.range.len(), worst)
    }

    /// Asks all combinations, as many at once as there are threads; each within its own share of the budget, and
    /// none once that was stopped.
    pub fn ask(&self, options: &RunOptions<'_>, budget: &Budget) -> SweepReport {
        let time = self.ask_all(options, budget);
        self.report(time)
    }

    /// The same of a part.
    pub fn ask_part(&self, options: &RunOptions<'_>, budget: &Budget) -> SweepPart {
        let time = self.ask_all(options, budget);
        self.take(time)
    }

    /// Gives how long it took.
    fn ask_all(&self, options: &RunOptions<'_>, budget: &Budget) -> Option<f64> {
        let begun = options.clock.map(|clock| clock());
        // Where a difference comes from is asked of the one that is shown.
        let each = RunOptions { threads: None, timeline_events: 0, export: None, origins: None, ..*options };
        let pool = options
            .threads
            .and_then(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok());
        match &pool {
            Some(pool) => pool.broadcast(|_| self.ask_next(&each, budget)),
            None => rayon::broadcast(|_| self.ask_next(&each, budget)),
        };
        self.trace(&pool, options, budget);
        options.clock.zip(begun).map(|(clock, begun)| clock() - begun)
    }

    fn take(&self, time: Option<f64>) -> SweepPart {
        let Answers { all, ledger, worst, why, .. } = std::mem::take(&mut *self.answers());
        SweepPart { combinations: all, ledger, worst, why, time }
    }

    /// Asks the combination that is shown once more, with everything that a report can have.
    fn trace(&self, pool: &Option<rayon::ThreadPool>, options: &RunOptions<'_>, budget: &Budget) {
        let shown =
            self.answers().worst.iter().flatten().next().map(|shown| (shown.at, shown.report.verdict));
        let Some((at, verdict)) = shown.filter(|(_, verdict)| *verdict == Verdict::NotEquivalent) else {
            return;
        };
        let input = Input { spec: Some(&self.asked.combinations[at as usize].spec), ..*self.input };
        let options = RunOptions { threads: None, timeline_events: 0, export: None, ..*options };
        let ask = || check(&input, &options, &budget.for_part()).report;
        let report = match pool {
            Some(pool) => pool.install(ask),
            None => ask(),
        };
        // A run that was stopped shows less.
        if let Some(shown) = self.answers().worst.iter_mut().flatten().next()
            && report.verdict == verdict
        {
            shown.report = report;
        }
    }

    /// Asks the smallest that nobody has asked, until there is none.
    fn ask_next(&self, options: &RunOptions<'_>, budget: &Budget) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(combination) = self.asked.combinations[..self.range.end].get(at) else { return };
            if let Err(why) = budget.poll() {
                self.add(at, Answer { outcome: None, time: None }, Some(why));
                continue;
            }
            let begun = options.clock.map(|clock| clock());
            let input = Input { spec: Some(&combination.spec), ..*self.input };
            let outcome = check(&input, options, &budget.for_part());
            let time = options.clock.zip(begun).map(|(clock, begun)| clock() - begun);
            // What the whole was stopped in the middle of has no answer of its own.
            match budget.poll() {
                Err(why) if outcome.report.verdict.exit_status() == 2 => {
                    self.add(at, Answer { outcome: None, time: None }, Some(why));
                }
                _ => self.add(at, Answer { outcome: Some(outcome), time }, None),
            }
        }
    }

    fn answers(&self) -> std::sync::MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn add(&self, at: usize, answer: Answer, why: Option<Exhausted>) {
        let mut answers = self.answers();
        let answers = &mut *answers;
        answers.why = answers.why.or(why);
        answers.waiting.insert(at, answer);
        while let Some(answer) = answers.waiting.remove(&(self.range.start + answers.all.len())) {
            let at = self.range.start + answers.all.len();
            let values = self.asked.combinations[at].values.clone();
            let Some(outcome) = answer.outcome else {
                answers.all.push(CombinationReport {
                    values,
                    verdict: None,
                    summary: String::new(),
                    time: None,
                });
                continue;
            };
            let Outcome { report, ledger, .. } = outcome;
            answers.ledger.merge(ledger);
            answers.all.push(CombinationReport {
                values,
                verdict: Some(report.verdict),
                summary: report.summary.clone(),
                time: answer.time,
            });
            let class = match report.verdict.exit_status() {
                0 => continue,
                1 => 0,
                3 => 1,
                _ => 2,
            };
            if answers.worst[class].is_none() {
                let title = self.title(at);
                answers.worst[class] = Some(ShownCombination { at: at as u32, title, report });
            }
        }
    }

    fn title(&self, at: usize) -> String {
        let each = self.asked.names.iter().zip(&self.asked.combinations[at].values);
        each.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    }

    /// The report on a sweep that did not end when it was told to, for a face that ends it all the same.
    pub fn overdue(&self, why: Exhausted) -> SweepReport {
        self.give_up(why);
        self.report(None)
    }

    /// The same of a part.
    pub fn overdue_part(&self, why: Exhausted) -> SweepPart {
        self.give_up(why);
        self.take(None)
    }

    fn give_up(&self, why: Exhausted) {
        for at in self.range.clone() {
            let known = {
                let answers = self.answers();
                at < self.range.start + answers.all.len() || answers.waiting.contains_key(&at)
            };
            if !known {
                self.add(at, Answer { outcome: None, time: None }, Some(why));
            }
        }
    }

    fn report(&self, time: Option<f64>) -> SweepReport {
        let mut answers = self.answers();
        let answers = &mut *answers;
        let combinations = std::mem::take(&mut answers.all);
        let shown = answers.worst.iter_mut().find_map(Option::take);
        let unasked = combinations.iter().any(|one| one.verdict.is_none());
        let verdict = match &shown {
            Some(shown) if !unasked || shown.report.verdict.exit_status() != 2 => shown.report.verdict,
            _ if unasked && answers.why == Some(Exhausted::Cancelled) => Verdict::Cancelled,
            _ if unasked => Verdict::ResourceLimit,
            _ => good(&combinations),
        };
        let input = self.input;
        let texts = Texts::new(input.reference, input.optimized, input.spec);
        let mut summary = summary(verdict, shown.as_ref(), &combinations, answers.why);
        let mut verdict = verdict;
        if let Some((sizes, ledger)) = &self.sizes {
            (verdict, summary) = of_every_size(verdict, &summary, sizes, &combinations);
            answers.ledger.merge(ledger.clone());
        }
        SweepReport {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            verdict,
            summary,
            names: self.asked.names.clone(),
            sizes: self.sizes.as_ref().map(|(sizes, _)| sizes.clone()),
            rows: rows(&self.asked.names, &combinations),
            shown,
            assumptions: assumptions::cook(&texts, &answers.ledger),
            combinations,
            time,
        }
    }
}

impl SweepReport {
    /// The report as indented JSON.
    pub fn to_json(&self) -> String {
        // Serializing plain owned data to a string cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// The verdict of combinations that are all fine: the weakest.
fn good(combinations: &[CombinationReport]) -> Verdict {
    let has = |verdict| combinations.iter().any(|one| one.verdict == Some(verdict));
    match () {
        () if has(Verdict::EqualUpToRounding) => Verdict::EqualUpToRounding,
        () if has(Verdict::RaceFree) => Verdict::RaceFree,
        () => Verdict::Equivalent,
    }
}

pub(super) fn words(verdict: Option<Verdict>) -> String {
    verdict.map_or("not asked".to_owned(), |verdict| verdict.name().replace('_', " "))
}

/// `3 not equivalent, 250 equivalent, 3 not asked`
pub(super) fn counts(combinations: &[CombinationReport], but: Option<Verdict>) -> String {
    let mut counts: Vec<(Option<Verdict>, usize)> = Vec::new();
    for one in combinations.iter().filter(|one| but.is_none() || one.verdict != but) {
        match counts.iter_mut().find(|(verdict, _)| *verdict == one.verdict) {
            Some((_, count)) => *count += 1,
            None => counts.push((one.verdict, 1)),
        }
    }
    let each = counts.into_iter().map(|(verdict, count)| format!("{count} {}", words(verdict)));
    each.collect::<Vec<_>>().join(", ")
}

fn summary(
    verdict: Verdict,
    shown: Option<&ShownCombination>,
    combinations: &[CombinationReport],
    why: Option<Exhausted>,
) -> String {
    let total = combinations.len();
    let unasked = combinations.iter().filter(|one| one.verdict.is_none()).count();
    let mut text = match shown.filter(|shown| shown.report.verdict == verdict) {
        Some(shown) => {
            let same = combinations.iter().filter(|one| one.verdict == Some(verdict)).count();
            let rest = counts(combinations, Some(verdict));
            let rest = if rest.is_empty() { String::new() } else { format!(" The others: {rest}.") };
            let which = match same {
                1 => format!("only one of {total} combinations"),
                _ if same == total => format!("smallest of {total} combinations, all"),
                _ => format!("smallest of {same} combinations (of {total})"),
            };
            format!("{} is the {which} with this verdict.{rest}", shown.title)
        }
        None if unasked > 0 => {
            let more = counts(combinations, None);
            format!("Of {total} combinations, {} were asked: {more}.", total - unasked)
        }
        None => {
            let each = counts(combinations, None);
            match each.contains(',') {
                true => format!("All {total} combinations are fine: {each}."),
                false => format!("All {total} combinations are {}.", words(Some(verdict))),
            }
        }
    };
    if unasked > 0 {
        text += match why {
            Some(Exhausted::Time) => " Then the time was up.",
            Some(Exhausted::Memory) => " Then the process held too much memory.",
            _ => " Then it was stopped.",
        };
    }
    text + " Nothing is said about other sizes."
}

/// Combinations under one value of the name before.
#[derive(PartialEq, Eq)]
enum Shape {
    /// All with this verdict.
    Same(Option<Verdict>),
    /// By the values of the next name.
    Mixed(Vec<Part>),
}

struct Part {
    values: Vec<i64>,
    shape: Shape,
    count: usize,
    first: usize,
}

/// Which combinations they are is another matter.
impl PartialEq for Part {
    fn eq(&self, other: &Part) -> bool {
        self.values == other.values && self.shape == other.shape
    }
}

impl Eq for Part {}

/// Neighbours with one verdict, put together: values of a name under which all combinations of the names behind
/// it have the same verdicts share a row.
fn rows(names: &[String], combinations: &[CombinationReport]) -> Vec<SweepRow> {
    let shape = shape(combinations, 0, 0);
    let whole = Part { values: Vec::new(), shape, count: combinations.len(), first: 0 };
    let mut rows = Vec::new();
    match whole.shape {
        Shape::Same(verdict) => {
            let each = names.iter().enumerate().map(|(axis, name)| {
                let mut values: Vec<i64> = combinations.iter().map(|one| one.values[axis]).collect();
                values.sort_unstable();
                values.dedup();
                format!("{name} = {}", range(&values))
            });
            let title = each.collect::<Vec<_>>().join(", ");
            rows.push(SweepRow { title, verdict, count: whole.count as u32, first: 0 });
        }
        Shape::Mixed(parts) => parts.iter().for_each(|part| write(names, "", 0, part, &mut rows)),
    }
    rows
}

fn shape(combinations: &[CombinationReport], axis: usize, first: usize) -> Shape {
    let verdict = combinations.first().and_then(|one| one.verdict);
    if combinations.iter().all(|one| one.verdict == verdict) {
        return Shape::Same(verdict);
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut from = first;
    for group in combinations.chunk_by(|a, b| a.values[axis] == b.values[axis]) {
        let (value, shape) = (group[0].values[axis], shape(group, axis + 1, from));
        match parts.last_mut() {
            Some(last) if last.shape == shape => {
                last.values.push(value);
                last.count += group.len();
                add_counts(&mut last.shape, &shape);
            }
            _ => parts.push(Part { values: vec![value], shape, count: group.len(), first: from }),
        }
        from += group.len();
    }
    Shape::Mixed(parts)
}

/// Counts of shapes that are alike, added up.
fn add_counts(shape: &mut Shape, more: &Shape) {
    if let (Shape::Mixed(parts), Shape::Mixed(more)) = (shape, more) {
        for (part, more) in parts.iter_mut().zip(more) {
            part.count += more.count;
            add_counts(&mut part.shape, &more.shape);
        }
    }
}

fn write(names: &[String], before: &str, axis: usize, part: &Part, rows: &mut Vec<SweepRow>) {
    let join = if before.is_empty() { "" } else { ", " };
    let title = format!("{before}{join}{} = {}", names[axis], range(&part.values));
    match &part.shape {
        Shape::Same(verdict) => {
            rows.push(SweepRow {
                title,
                verdict: *verdict,
                count: part.count as u32,
                first: part.first as u32,
            });
        }
        Shape::Mixed(parts) => {
            parts.iter().for_each(|inner| write(names, &title, axis + 1, inner, rows));
        }
    }
}

/// `1 … 32`, `32, 64, 128`, `64 … 1024 step 64`, `3 … 977 (40 values)`
fn range(values: &[i64]) -> String {
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return String::new() };
    let step = values.get(1).map_or(1, |second| second.wrapping_sub(*first));
    let even = values.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step);
    match values.len() {
        _ if even && step == 1 && values.len() > 2 => format!("{first} … {last}"),
        1..=4 => values.iter().map(i64::to_string).collect::<Vec<_>>().join(", "),
        _ if even => format!("{first} … {last} step {step}"),
        count => format!("{first} … {last} ({count} values)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(
        names: &[&str],
        values: &[Vec<i64>],
        verdict: impl Fn(&[i64]) -> Option<Verdict>,
    ) -> Vec<(String, Option<Verdict>, u32, u32)> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let each = |values: &Vec<i64>| CombinationReport {
            values: values.clone(),
            verdict: verdict(values),
            summary: String::new(),
            time: None,
        };
        let combinations: Vec<_> = values.iter().map(each).collect();
        let rows = rows(&names, &combinations);
        assert_eq!(rows.iter().map(|row| row.count as usize).sum::<usize>(), values.len());
        rows.into_iter().map(|row| (row.title, row.verdict, row.count, row.first)).collect()
    }

    const GOOD: Option<Verdict> = Some(Verdict::Equivalent);
    const BAD: Option<Verdict> = Some(Verdict::DataRace);

    #[test]
    fn neighbours_of_one_verdict_share_a_row() {
        let sizes: Vec<_> = (1..=40).map(|n| vec![n]).collect();
        let row = |title: &str, verdict, count, first| (title.to_owned(), verdict, count, first);
        assert_eq!(
            table(&["n"], &sizes, |values| if values[0] == 33 { None } else { GOOD }),
            [row("n = 1 … 32", GOOD, 32, 0), row("n = 33", None, 1, 32), row("n = 34 … 40", GOOD, 7, 33)]
        );
        assert_eq!(table(&["n"], &sizes, |_| GOOD), [row("n = 1 … 40", GOOD, 40, 0)]);
    }

    #[test]
    fn values_under_which_all_is_alike_share_rows() {
        let row = |title: &str, verdict, count, first| (title.to_owned(), verdict, count, first);
        let sizes: Vec<_> =
            [30, 31, 32, 64].iter().flat_map(|n| [32, 64].map(|block| vec![*n, block])).collect();
        assert_eq!(
            table(&["n", "block"], &sizes, |values| if values[1] == 32 { GOOD } else { BAD }),
            [
                row("n = 30, 31, 32, 64, block = 32", GOOD, 4, 0),
                row("n = 30, 31, 32, 64, block = 64", BAD, 4, 1)
            ]
        );
        // Combinations that `when` leaves out keep nobody apart.
        let some: Vec<_> = sizes.iter().filter(|values| values[0] % values[1] == 0).cloned().collect();
        assert_eq!(table(&["n", "block"], &some, |_| GOOD), [row("n = 32, 64, block = 32, 64", GOOD, 3, 0)]);
    }

    #[test]
    fn values_are_written_shortly() {
        let step: Vec<i64> = (1..=16).map(|at| at * 64).collect();
        for (values, text) in [
            (&[7][..], "7"),
            (&[7, 8], "7, 8"),
            (&[7, 8, 9], "7 … 9"),
            (&[32, 64, 128], "32, 64, 128"),
            (&step, "64 … 1024 step 64"),
            (&[1, 2, 4, 8, 16], "1 … 16 (5 values)"),
            (&[i64::MIN, i64::MAX], "-9223372036854775808, 9223372036854775807"),
        ] {
            assert_eq!(range(values), text);
        }
    }
}
