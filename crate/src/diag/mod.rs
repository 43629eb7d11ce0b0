//! The one diagnostic type and the one table of codes.
//!
//! A diagnostic names what happened (`message`), where (`primary`, `related`), and what to do
//! (`notes`). Messages are lower case and name the PTX thing.

mod codes;
mod ledger;

pub use codes::{CODES, Code, CodeRow};
pub use ledger::{Assumption, Ledger, Noted};

use crate::base::{Source, Span};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The question cannot be answered as asked, or the answer is bad news.
    Error,
    /// Worth knowing.
    Warning,
    /// What the tool inferred or assumed.
    Info,
}

/// A place and what happens there.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Label {
    /// Which text.
    pub source: Source,
    /// Where in it.
    pub span: Span,
    /// What happens there; may be empty for the primary place.
    pub text: String,
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Row of the code table.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// The place it is about.
    pub primary: Option<Label>,
    /// Other places that matter.
    pub related: Vec<Label>,
    /// What to do, or what else to know.
    pub notes: Vec<String>,
}

// Cold: that something is wrong is the exception, and there are many places that say so.
impl Diagnostic {
    #[cold]
    fn new(code: Code, severity: Severity, message: String) -> Self {
        Diagnostic { code, severity, message, primary: None, related: Vec::new(), notes: Vec::new() }
    }

    /// An error without a place yet.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message.into())
    }

    /// The same as a warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message.into())
    }

    /// The same as information.
    pub fn info(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Info, message.into())
    }

    /// Sets the primary place.
    #[cold]
    pub fn at(mut self, source: Source, span: Span) -> Self {
        self.primary = Some(Label { source, span, text: String::new() });
        self
    }

    /// Adds another place that matters.
    pub fn related(mut self, source: Source, span: Span, text: impl Into<String>) -> Self {
        self.add_related(Label { source, span, text: text.into() });
        self
    }

    #[cold]
    fn add_related(&mut self, label: Label) {
        self.related.push(label);
    }

    /// Adds a note.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.add_note(text.into());
        self
    }

    #[cold]
    fn add_note(&mut self, text: String) {
        self.notes.push(text);
    }
}
