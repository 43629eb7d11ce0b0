//! The report on a sweep as text: verdict and sentence, the table, and the smallest combination that is not fine
//! as if it had been asked alone.

use super::super::Input;
use super::super::model::{AssumptionReport, Report, SweepReport, Verdict};
use super::super::texts::Texts;
use super::numbers::{duration, grouped};
use super::{BOLD, DIM, Names, Page, TextOptions, look, plural};
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};

/// Rows of the table that are printed at most; the JSON has all.
const ROWS: usize = 60;
/// So many assumptions that differ only in their numbers are printed one by one.
const ALIKE: u64 = 3;

/// Writes the report on a sweep. `input` holds the texts of the sweep, `spec` is the spec of the combination that
/// is shown.
pub fn sweep_text(
    sweep: &SweepReport,
    input: &Input<'_>,
    spec: Option<&str>,
    names: &Names<'_>,
    options: &TextOptions,
) -> String {
    let base = Report { verdict: sweep.verdict, summary: sweep.summary.clone(), ..super::empty() };
    let texts = Texts::new(input.reference, input.optimized, input.spec);
    let mut page = Page { report: &base, texts: &texts, names, options, out: String::new() };
    page.verdict();
    page.every_size(sweep);
    page.table(sweep);
    if let Some(shown) = &sweep.shown {
        let set: Vec<String> = sweep
            .names
            .iter()
            .zip(&sweep.combinations[shown.at as usize].values)
            .map(|(name, value)| format!("--set {name}={value}"))
            .collect();
        page.section(&format!("{}, the smallest of these (`{}` asks it alone)", shown.title, set.join(" ")));
        page.line("");
        let alone = Input { spec: spec.or(input.spec), ..*input };
        page.out += &super::text(&shown.report, &alone, names, options);
    }
    let together = Report { assumptions: shortened(&sweep.assumptions), ..super::empty() };
    let mut rest = Page { report: &together, texts: &texts, names, options, out: String::new() };
    rest.all_assumptions();
    page.out += &rest.out;
    page.out
}

/// Assumptions in words of their own that differ only in numbers (a grid's extent, an index) become one line; the JSON
/// has all.
pub(super) fn shortened(all: &[AssumptionReport]) -> Vec<AssumptionReport> {
    let bare = |text: &str| -> String {
        let mut bare = String::new();
        for c in text.chars() {
            match (c.is_ascii_digit(), bare.ends_with('#')) {
                (true, true) => {}
                (true, false) => bare.push('#'),
                (false, _) => bare.push(c),
            }
        }
        bare
    };
    let own = |kind: &str| {
        let functions = matches!(kind, "denominator_non_zero" | "argument_in_range");
        functions
            || matches!(kind, "other" | "inferred" | "environment" | "constants_rounded" | "word_in_range")
    };
    // Of its words a line is the first, second, …; and how many more it stands for.
    let mut lines: Vec<(u64, u64, AssumptionReport)> = Vec::new();
    let mut known: FxHashMap<u64, usize> = FxHashMap::default();
    for assumption in all {
        let mut words = rustc_hash::FxHasher::default();
        match own(&assumption.kind) {
            true => bare(&assumption.text).hash(&mut words),
            false => assumption.text.hash(&mut words),
        }
        let last = known.entry(words.finish()).or_insert(lines.len());
        match lines.get_mut(*last) {
            Some((ALIKE, more, kept)) => {
                *more += 1;
                kept.count += assumption.count;
            }
            before => {
                let place = before.map_or(1, |(place, ..)| *place + 1);
                *last = lines.len();
                lines.push((place, 0, assumption.clone()));
            }
        }
    }
    let each = |(_, more, mut assumption): (u64, u64, AssumptionReport)| {
        if more > 0 {
            assumption.text += &format!(", and {} more that differ in numbers alone", grouped(more));
        }
        assumption
    };
    lines.into_iter().map(each).collect()
}

impl Page<'_> {
    /// What is proved of each kernel, where a range has no end.
    fn every_size(&mut self, sweep: &SweepReport) {
        let Some(sizes) = &sweep.sizes else { return };
        self.section(&format!("{}: data races, bounds, barrier divergence", sizes.every));
        for kernel in &sizes.kernels {
            let case = if kernel.case.is_empty() { String::new() } else { format!(", {}", kernel.case) };
            let (sign, style) = look(if kernel.proved { Verdict::RaceFree } else { Verdict::Unknown });
            let word = if kernel.proved { "proved" } else { "unknown" };
            let word = self.paint(style, &format!("{sign} {word}"));
            self.line(&format!("  `{}`{case}  {word}", kernel.kernel));
            if let Some(reason) = &kernel.reason {
                self.line(&format!("    {reason}"));
            }
            for place in [&kernel.at, &kernel.other].into_iter().flatten() {
                self.line(&format!("    line {}: {}", place.line, place.excerpt.trim()));
            }
        }
    }

    fn table(&mut self, sweep: &SweepReport) {
        let total = sweep.combinations.len();
        let time = sweep.time.map_or(String::new(), |time| format!(" in {}", duration(time)));
        self.section(&format!(
            "sweep over {} combinations of {}{time}",
            grouped(total as u64),
            sweep.names.join(", ")
        ));
        let widest =
            sweep.rows.iter().take(ROWS).map(|row| row.title.chars().count()).max().unwrap_or(0).min(60);
        for row in sweep.rows.iter().take(ROWS) {
            let word = super::super::sweep::words(row.verdict);
            let painted = match row.verdict {
                Some(verdict) => {
                    let (sign, style) = look(verdict);
                    self.paint(style, &format!("{sign} {word}"))
                }
                None => self.paint(DIM, &format!("· {word}")),
            };
            let pad = " ".repeat(22usize.saturating_sub(word.chars().count()));
            let count = u64::from(row.count);
            let count = format!("{} {}", grouped(count), plural(count, "combination"));
            let line = format!("  {:<widest$}  {painted}{pad}  {}", row.title, self.paint(DIM, &count));
            self.line(&line);
        }
        if sweep.rows.len() > ROWS {
            let more = sweep.rows.len() - ROWS;
            self.line(&format!(
                "  … and {} more {}; --format json has all",
                grouped(more as u64),
                plural(more as u64, "row")
            ));
        }
    }

    /// What the answers to all combinations rest on.
    fn all_assumptions(&mut self) {
        let (name, rows) = ("assumptions of all combinations together", &self.report.assumptions);
        if rows.is_empty() {
            return;
        }
        let name = self.paint(BOLD, name);
        let rows = rows.clone();
        self.out.push('\n');
        self.line(&name);
        self.assumption_rows(&rows.iter().collect::<Vec<_>>());
    }
}
