//! Where something stands in a text: half-open byte ranges, and which text.

use std::fmt;

/// Half-open byte range `start..end` in one source text.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, serde::Serialize, serde::Deserialize,
)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`; offsets beyond 4 GiB saturate.
    pub fn new(start: usize, end: usize) -> Self {
        let clip = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { start: clip(start), end: clip(end) }
    }

    /// The smallest span that covers both.
    pub fn to(self, end: Span) -> Self {
        Span { start: self.start.min(end.start), end: self.end.max(end.end) }
    }

    /// Without its first bytes.
    pub fn behind(self, bytes: usize) -> Self {
        Span { start: self.end.min(self.start.saturating_add(bytes as u32)), end: self.end }
    }

    /// The text under the span; empty if the span does not fit the text.
    pub fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

/// Which of the texts of a question a span points into.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The reference kernel's PTX.
    Reference,
    /// The optimized kernel's PTX (the only one in a single-kernel analysis).
    Optimized,
    /// The spec file.
    Spec,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::Reference => "reference",
            Source::Optimized => "optimized",
            Source::Spec => "spec",
        })
    }
}
