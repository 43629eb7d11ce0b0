//! From texts to an answer: runs the stages in order and puts the outcome into words.
//!
//! [`check`] compares two kernels, [`analyze`] looks at one, [`infer`] says what a PTX file shows
//! before anything runs (the page calls it on every edit). The order of the stages: parse and lower
//! both kernels side by side (`front`); bind arguments (`arguments`, `launch`, `bind`); simulate
//! both side by side; faults (`faults`) decide the verdict if there are any; otherwise output
//! elements are paired (`compare`), decided, re-checked, and shown (`evidence`, `witness`).
//!
//! Guarantees: the same inputs and options give the same [`Report`], whatever the number of
//! threads; nothing here reads a clock (faces pass one in, if they want times); a verdict of
//! *equivalent* means that something was compared, every pair was proved equal, and `check`
//! confirmed each certificate.
//!
//! Which fault names the verdict when there are several: `faults::PRECEDENCE`.

mod arguments;
mod ask;
mod assumptions;
mod bind;
mod compare;
mod contracts;
mod coverage;
mod difference;
mod encode;
mod evidence;
pub mod export;
mod expression;
mod families;
mod faults;
#[cfg(test)]
mod forged;
mod formula;
mod front;
mod functions;
mod grid;
mod infer;
mod inside;
mod inspect;
mod launch;
mod leaves;
mod limits;
mod maps;
mod model;
mod moment;
mod one_way;
mod origins;
mod pairing;
mod pipeline;
mod portions;
mod pyramid;
mod ranges;
mod reaches;
mod ready;
mod repair;
#[cfg(test)]
mod said;
mod sizes;
mod suspects;
mod sweep;
mod tell;
mod text;
mod texts;
mod timeline;
mod variables;
mod verdicts;
mod views;
mod witness;

pub use coverage::coverage;
pub use functions::{function, functions};
pub use infer::{infer, overdue_inference};
pub use inspect::{MemoryCell, MemoryName, MemoryQuestion, MemoryReport, inspect};
pub use model::*;
// `Level` is the pyramid's.
pub use ask::{analyze, check, overdue};
pub use model::Level as FindingLevel;
pub use moment::{MomentQuestion, MomentReport, MomentValue, moment};
pub use origins::{OriginQuestion, TRACEABLE, origins};
pub use portions::{Portion, Portions};
pub use pyramid::Level;
pub use repair::{NewLine, Repair, RepairAnswer, RepairQuestion, repair};
pub use sizes::{AllSizes, all_sizes};
pub use sweep::{SweepPart, Sweeping, combinations};
pub use tell::{Candidates, tell};
pub use text::{Names, TextOptions, sweep_text, text};
pub use timeline::{FlatTimeline, InstructionClass, Recording, TimelineDetail};

use crate::base::Span;
use crate::diag::Ledger;
use crate::sim::Schedule;
use crate::spec::{self, Spec};

/// The texts of a question.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input<'a> {
    /// The reference: a kernel's PTX, or a formula ([`crate::formula`]); `None` to look at one kernel alone, or
    /// where the spec has a formula.
    pub reference: Option<&'a str>,
    /// The optimized kernel's PTX, or the only kernel's.
    pub optimized: &'a str,
    /// The spec file.
    pub spec: Option<&'a str>,
    /// Settings that win over the spec file's.
    pub overrides: Option<&'a Spec>,
    /// Look at the optimized kernel alone, whatever the spec says of a reference.
    pub single: bool,
    /// Run all CTAs where the spec leaves open which run.
    pub all_ctas: bool,
}

/// How to run.
#[derive(Clone, Copy, Default)]
pub struct RunOptions<'a> {
    /// Threads to use; `None` for the ambient pool.
    pub threads: Option<usize>,
    /// Timeline events to keep for each kernel; 0 for none.
    pub timeline_events: usize,
    /// The schedule of warps (verdicts do not depend on it; tests vary it).
    pub schedule: Schedule,
    /// Milliseconds since some moment, for times in the report; `None` leaves them out.
    pub clock: Option<&'a (dyn Fn() -> f64 + Sync)>,
    /// Trace what differs in a counterexample to instructions ([`Counterexample::origins`]), if no
    /// kernel executed more thread-instructions than this: it costs another, slower run of each.
    pub origins: Option<u64>,
    /// Write the verification conditions down in this language instead of deciding them.
    pub export: Option<export::Language>,
    /// Prove without chance: normal forms alone, no evaluation at random points.
    pub exact_proof: bool,
    /// In how many portions the outputs are decided, and where.
    pub portions: Portions<'a>,
    /// Of a single kernel without faults, look for what its outputs may be ([`Outcome::candidates`]).
    pub formulas: bool,
}

/// What a run gives: the report, and the large arrays that stay out of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The report.
    pub report: Report,
    /// One a kernel that ran.
    pub timelines: Vec<Recording>,
    /// The verification conditions, if they were asked for and the kernels have no fault; the
    /// report's verdict is then *unknown*, since nothing was decided.
    pub conditions: Option<String>,
    /// What was decided of the outputs, if only a portion was asked for and it came to that; the report is then about
    /// nothing else.
    pub portion: Option<Portion>,
    /// What the outputs may be, if that was asked; nothing of it is proved.
    pub candidates: Vec<Candidates>,
    /// The report's assumptions, before they are put into words.
    pub ledger: Ledger,
}

impl OutputGroup {
    /// The elements that the reason is about, and the reason.
    fn place_and_reason(&self) -> String {
        format!("`{}`: {}", self.pattern.as_ref().unwrap_or(&self.sample), self.reason)
    }

    /// The reason, after the first element has been named: `at C[i][j]: …` where it has letters.
    fn at_reason(&self) -> String {
        match &self.pattern {
            Some(pattern) => format!("at {pattern}: {}", self.reason),
            None => self.reason.clone(),
        }
    }
}

impl Report {
    /// The report as indented JSON.
    pub fn to_json(&self) -> String {
        // Serializing plain owned data to a string cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl Input<'_> {
    /// The reference's text if that is a formula.
    fn reference_formula(&self) -> Option<&str> {
        self.reference.filter(|text| crate::formula::looks_like_formula(text))
    }

    /// The reference's text if that is a kernel's.
    fn reference_kernel(&self) -> Option<&str> {
        self.reference.filter(|text| !crate::formula::looks_like_formula(text))
    }

    /// The spec for the reference kernel where that is looked at alone, in the optimized one's place. What it
    /// promises of results it promises of the optimized kernel, and is left out.
    pub fn spec_of_reference(&self) -> String {
        let (mut spec, _) = self.read_spec();
        spec.optimized = std::mem::take(&mut spec.reference);
        spec.ensures.clear();
        spec.formula = None;
        spec::print(&spec)
    }

    /// The spec's text with the overrides laid over it, for a question that has the same in one text.
    pub fn whole_spec(&self) -> String {
        match self.overrides {
            None => self.spec.unwrap_or_default().to_owned(),
            Some(_) => spec::print(&self.read_spec().0),
        }
    }

    /// What the PTX leaves open, where nobody wrote a spec that could say it.
    fn without_spec(&self, summary: String) -> String {
        match self.spec.is_none_or(|text| text.trim().is_empty()) {
            true => format!("A spec is needed, because PTX does not say everything. {summary}"),
            false => summary,
        }
    }

    /// The spec with the overrides laid over it, and what is wrong with it.
    fn read_spec(&self) -> (Spec, Vec<crate::diag::Diagnostic>) {
        let (mut spec, diagnostics) = spec::parse_over(self.spec.unwrap_or(""), self.overrides);
        if let Some(overrides) = self.overrides {
            spec.overlay(overrides);
        }
        if self.all_ctas && !spec.names_ctas() {
            spec.launch.ctas = Some(spec::Ctas::All);
        }
        if self.single {
            spec.formula = None;
        } else if let Some(code) = self.reference_formula()
            && spec.formula.is_none()
        {
            spec.formula = Some(spec::Formula { code: code.to_owned(), span: Span::default() });
        }
        (spec, diagnostics)
    }
}
