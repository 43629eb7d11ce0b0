//! One diagnostic with the lines it is about.

use super::{Page, cuda_text};
use crate::base::Source;
use crate::report::model::{DiagnosticReport, LabelReport, Level, Location, TextSource};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level as Title, Renderer, Snippet};

/// Lines between two places that still belong in one excerpt.
const NEAR: u32 = 2000;

impl Page<'_> {
    /// A diagnostic as rustc would show it.
    pub(super) fn excerpt(&mut self, diagnostic: &DiagnosticReport) {
        let level = match diagnostic.severity {
            Level::Error => Title::ERROR,
            Level::Warning => Title::WARNING,
            Level::Info => Title::INFO,
        };
        let mut group =
            Group::with_title(level.primary_title(diagnostic.message.as_str()).id(diagnostic.code.as_str()));
        let labels: Vec<(&LabelReport, bool)> = diagnostic
            .primary
            .iter()
            .map(|label| (label, true))
            .chain(diagnostic.related.iter().map(|label| (label, false)))
            .collect();
        for window in windows(&labels) {
            if let Some(snippet) = self.snippet(&window) {
                group = group.element(snippet);
            }
        }
        if !labels.is_empty() {
            for note in &diagnostic.notes {
                group = group.element(Title::NOTE.message(note.as_str()));
            }
        }
        let renderer = if self.options.colour { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.decor_style(DecorStyle::Unicode).term_width(self.options.width);
        let rendered = renderer.render(&[group]);
        self.out.push('\n');
        for line in rendered.lines() {
            self.line(line);
        }
        // Without a place there is no gutter for notes to hang on.
        if labels.is_empty() {
            for note in &diagnostic.notes {
                self.paragraph(2, &format!("note: {note}"));
            }
        }
    }

    /// The lines of some places of one text.
    fn snippet<'s>(
        &'s self,
        window: &[(&LabelReport, bool)],
    ) -> Option<Snippet<'s, annotate_snippets::Annotation<'s>>> {
        let source = window.first()?.0.at.source;
        let text = self.texts.text(match source {
            TextSource::Reference => Source::Reference,
            TextSource::Optimized => Source::Optimized,
            TextSource::Spec => Source::Spec,
        });
        let start = window.iter().map(|(label, _)| line_start(text, &label.at)).min()?;
        let end = window.iter().map(|(label, _)| line_end(text, &label.at)).max()?;
        let first = window.iter().map(|(label, _)| label.at.line).min()?;
        let mut snippet =
            Snippet::source(text.get(start..end)?).line_start(first as usize).path(self.names.of(source));
        for (label, primary) in window {
            let kind = if *primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let from = (label.at.start as usize).clamp(start, end);
            // A place of several lines is marked on its first.
            let to = (label.at.end as usize).clamp(from, line_end(text, &label.at).max(from));
            let mut words = label.text.clone();
            if let Some(cuda) = &label.cuda {
                words = format!("{words} ({})", cuda_text(cuda)).trim_start().to_owned();
            }
            let annotation = kind.span(from - start..to - start);
            snippet = snippet.annotation(if words.is_empty() { annotation } else { annotation.label(words) });
        }
        Some(snippet)
    }
}

/// Places grouped by text, and by nearness within it; the primary place's group first.
fn windows<'a>(labels: &[(&'a LabelReport, bool)]) -> Vec<Vec<(&'a LabelReport, bool)>> {
    let mut windows: Vec<Vec<(&LabelReport, bool)>> = Vec::new();
    for label in labels {
        let near = windows.iter_mut().find(|window| {
            let first = &window[0].0.at;
            first.source == label.0.at.source && first.line.abs_diff(label.0.at.line) <= NEAR
        });
        match near {
            Some(window) => window.push(*label),
            None => windows.push(vec![*label]),
        }
    }
    windows
}

fn line_start(text: &str, at: &Location) -> usize {
    let start = (at.start as usize).min(text.len());
    text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

fn line_end(text: &str, at: &Location) -> usize {
    let start = (at.start as usize).min(text.len());
    text.get(start..).and_then(|rest| rest.find('\n')).map_or(text.len(), |length| start + length)
}
