//! The report as text, for a terminal: verdict and sentence first, then the evidence, then what
//! the answer rests on and what it cost.
//!
//! Excerpts look like rustc's. Colours only underline what words already say; without them the
//! text is the same.

mod evidence;
mod excerpt;
pub(super) mod numbers;
mod sweep;

pub use sweep::sweep_text;

use super::model::{
    AssumptionReport, ContractState, CudaLocation, KernelReport, Level, Report, TextSource, Verdict,
};
use super::pipeline::empty_report as empty;
use super::{Input, texts::Texts};
use anstyle::{AnsiColor, Effects, Style};
use numbers::{bytes, duration, grouped};
use std::fmt::Write;

/// What the texts are called, for excerpts.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The reference PTX.
    pub reference: &'a str,
    /// The optimized (or only) PTX.
    pub optimized: &'a str,
    /// The spec.
    pub spec: &'a str,
}

impl Default for Names<'_> {
    fn default() -> Self {
        Names { reference: "reference.ptx", optimized: "optimized.ptx", spec: "spec.toml" }
    }
}

impl Names<'_> {
    fn of(&self, source: TextSource) -> &str {
        match source {
            TextSource::Reference => self.reference,
            TextSource::Optimized => self.optimized,
            TextSource::Spec => self.spec,
        }
    }
}

/// How to write.
#[derive(Clone, Copy, Debug)]
pub struct TextOptions {
    /// ANSI colours.
    pub colour: bool,
    /// Columns of the terminal.
    pub width: usize,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions { colour: false, width: 110 }
    }
}

/// Writes a report. `input` holds the same texts that the report was made from.
pub fn text(report: &Report, input: &Input<'_>, names: &Names<'_>, options: &TextOptions) -> String {
    let texts = Texts::new(input.reference, input.optimized, input.spec);
    let mut page = Page { report, texts: &texts, names, options, out: String::new() };
    page.verdict();
    page.counterexample();
    page.findings();
    page.waits();
    page.schedules();
    page.outputs();
    page.contracts();
    page.inferred();
    page.assumptions();
    page.kernels();
    page.out
}

/// The report being written.
struct Page<'a> {
    report: &'a Report,
    texts: &'a Texts<'a>,
    names: &'a Names<'a>,
    options: &'a TextOptions,
    out: String,
}

const BOLD: Style = Style::new().effects(Effects::BOLD);
const DIM: Style = Style::new().effects(Effects::DIMMED);
const MARK: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);

/// A character and a colour for a verdict: good, good up to rounding, bad, undecided.
fn look(verdict: Verdict) -> (char, Style) {
    match verdict.exit_status() {
        _ if verdict == Verdict::EqualUpToRounding => {
            ('≈', AnsiColor::Cyan.on_default().effects(Effects::BOLD))
        }
        0 => ('✓', AnsiColor::Green.on_default().effects(Effects::BOLD)),
        1 => ('✗', AnsiColor::Red.on_default().effects(Effects::BOLD)),
        2 => ('?', AnsiColor::Yellow.on_default().effects(Effects::BOLD)),
        _ => ('!', AnsiColor::Yellow.on_default().effects(Effects::BOLD)),
    }
}

impl Page<'_> {
    fn paint(&self, style: Style, text: &str) -> String {
        match self.options.colour {
            true => format!("{}{text}{}", style.render(), style.render_reset()),
            false => text.to_owned(),
        }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    /// A blank line and a section's name.
    fn section(&mut self, name: &str) {
        let name = self.paint(BOLD, name);
        self.out.push('\n');
        self.line(&name);
    }

    /// A paragraph, indented, wrapped at the terminal's width.
    fn paragraph(&mut self, indent: usize, text: &str) {
        let width = self.options.width.saturating_sub(indent).max(40);
        let mut line = String::new();
        for word in text.split(' ') {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                let full = format!("{:indent$}{line}", "");
                self.line(&full);
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        let full = format!("{:indent$}{line}", "");
        self.line(&full);
    }

    fn verdict(&mut self) {
        let (sign, style) = look(self.report.verdict);
        let name = self.report.verdict.name().replace('_', " ");
        let head = self.paint(style, &format!("{sign} {name}"));
        self.line(&head);
        let (summary, hint) = (self.report.summary.clone(), self.report.hint.clone());
        self.paragraph(2, &summary);
        if let Some(hint) = hint {
            self.paragraph(2, &format!("Try: {hint}"));
        }
    }

    /// What is claimed, and what became of it.
    fn contracts(&mut self) {
        let report = self.report;
        if report.contracts.is_empty() {
            return;
        }
        self.section("contracts");
        let refused = report.verdict == Verdict::InvalidSpec;
        for contract in &report.contracts {
            let state = match (contract.state, contract.word.as_str()) {
                _ if refused => "not asked",
                (ContractState::Holds, "requires" | "config") => "required",
                (ContractState::Holds, _) => "holds",
                (ContractState::Broken, _) => "broken",
                (ContractState::Unknown, _) => "unknown",
            };
            let reason = contract.reason.as_ref().filter(|_| !refused);
            let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
            self.paragraph(2, &format!("{state}  {} {}{reason}", contract.word, contract.text));
        }
    }

    /// What the spec left out.
    fn inferred(&mut self) {
        let report = self.report;
        let mut lines: Vec<String> = report
            .diagnostics
            .iter()
            .filter(|d| d.severity == Level::Info && d.code == "V011")
            .map(|d| d.message.clone())
            .collect();
        let arguments =
            |text: &str| text.starts_with("inferred: the arguments") || text.starts_with("inferred: block");
        let assumed = report.assumptions.iter().filter(|a| a.kind == "inferred" && !arguments(&a.text));
        lines.extend(assumed.map(|a| a.text.trim_start_matches("inferred: ").to_owned()));
        if lines.is_empty() {
            return;
        }
        self.section("inferred, because the spec does not say it");
        for line in lines {
            self.paragraph(2, &line);
        }
    }

    /// What the answer rests on. A race or a stray access does not rest on real arithmetic: there
    /// only what concerns every answer is listed.
    fn assumptions(&mut self) {
        let report = self.report;
        let arithmetic = matches!(
            report.verdict,
            Verdict::Equivalent
                | Verdict::EqualUpToRounding
                | Verdict::NotEquivalent
                | Verdict::RaceFree
                | Verdict::Unknown
        );
        let rows: Vec<_> = report
            .assumptions
            .iter()
            .filter(|a| a.kind != "inferred" && (arithmetic || a.kind == "other"))
            .cloned()
            .collect();
        if rows.is_empty() {
            return;
        }
        self.section("assumptions");
        self.assumption_rows(&sweep::shortened(&rows).iter().collect::<Vec<_>>());
    }

    fn assumption_rows(&mut self, rows: &[&AssumptionReport]) {
        let counts = rows.iter().map(|row| grouped(row.count).len()).max().unwrap_or(1);
        let texts = rows.iter().map(|row| row.text.chars().count()).max().unwrap_or(0).min(56);
        for row in rows {
            let place = match &row.first {
                Some(at) => format!("first at {}:{}", file_name(self.names.of(at.source)), at.line),
                None => String::new(),
            };
            let place = self.paint(DIM, &place);
            let line = format!("  {:>counts$}× {:<texts$}  {place}", grouped(row.count), row.text);
            self.line(&line);
        }
    }

    fn kernels(&mut self) {
        let report = self.report;
        if report.kernels.is_empty() {
            return;
        }
        self.section(if report.kernels.len() == 1 { "kernel" } else { "kernels" });
        let widest = report.kernels.iter().map(|kernel| kernel.title.chars().count()).max().unwrap_or(0);
        for kernel in &report.kernels {
            let line = kernel_line(kernel, report.kernels.len() > 1, widest);
            self.line(&line);
        }
        if let Some(timings) = &report.timings {
            let line = format!(
                "  {} in all: parse {}, simulate {}, decide {}, check {}",
                duration(timings.total),
                duration(timings.parse),
                duration(timings.simulate),
                duration(timings.decide),
                duration(timings.check)
            );
            self.line(&line);
        }
    }
}

fn kernel_line(kernel: &KernelReport, sides: bool, widest: usize) -> String {
    let extents = |[x, y, z]: [u32; 3]| match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}×{y}"),
        _ => format!("{x}×{y}×{z}"),
    };
    let mut line = String::from("  ");
    if sides {
        let side = match kernel.side {
            TextSource::Reference => "reference",
            TextSource::Optimized | TextSource::Spec => "optimized",
        };
        let _ = write!(line, "{side}  ");
    }
    let _ = write!(line, "{:<widest$}  ", kernel.title);
    if kernel.grid != [1, 1, 1] {
        let _ = write!(line, "grid {}, ", extents(kernel.grid));
    }
    if kernel.ctas != 1 {
        let _ = write!(line, "{} CTAs run, ", kernel.ctas);
    }
    let _ =
        write!(line, "block {}, {} instructions", extents(kernel.block), grouped(kernel.thread_instructions));
    if kernel.barriers > 0 {
        let _ = write!(line, ", {} {}", grouped(kernel.barriers), plural(kernel.barriers, "barrier"));
    }
    if kernel.warp_syncs > 0 {
        let _ = write!(line, ", {} {}", grouped(kernel.warp_syncs), plural(kernel.warp_syncs, "warp sync"));
    }
    let _ = write!(line, ", {}", bytes(kernel.bytes));
    if let Some(time) = kernel.time {
        let _ = write!(line, ", {}", duration(time));
    }
    line
}

/// A place in the CUDA source as a report writes it: `copy.h:32, inlined at product.cu:41`.
fn cuda_text(cuda: &CudaLocation) -> String {
    let mut text = format!("{}:{}", file_name(&cuda.file), cuda.line);
    for (at, call) in cuda.inlined_at.iter().enumerate() {
        let join = if at == 0 { ", inlined at" } else { "," };
        text = format!("{text}{join} {}:{}", file_name(&call.file), call.line);
    }
    text
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn plural(count: u64, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}
