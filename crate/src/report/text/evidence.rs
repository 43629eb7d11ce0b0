//! What the verdict rests on: the counterexample, the findings, who waits for whom, the outputs.

use super::numbers::grouped;
use super::{DIM, MARK, Page, cuda_text, file_name};
use crate::report::model::{Answer, Expression, InputValues, Level, OriginRole, OutputGroup, PartOrigin};

/// Findings shown with excerpts.
const FINDINGS: usize = 4;
/// Characters of a part whose origin is told.
const PART: usize = 70;
/// Lines of one expression; the rest is left out.
const LINES: usize = 8;
/// Findings listed after those, a line each; the rest is counted.
const LISTED: usize = 12;

impl Page<'_> {
    /// The inputs that tell the kernels apart, and both expressions.
    pub(super) fn counterexample(&mut self) {
        let report = self.report;
        let Some(counterexample) = &report.counterexample else { return };
        self.section(&format!("counterexample at {}", counterexample.element));
        for input in &counterexample.inputs {
            let text = format!("{} = {}", input.name, values(input));
            self.paragraph(2, &text);
        }
        let element = &counterexample.element;
        let both = [
            ("reference", &counterexample.reference_value, &counterexample.reference),
            ("optimized", &counterexample.optimized_value, &counterexample.optimized),
        ];
        self.line("");
        for (side, value, expression) in &both {
            let place = expression.as_ref().map_or_else(String::new, |e| self.stored(e));
            // Values that are not exact begin with their own sign.
            let equals = if value.starts_with(|c: char| c.is_ascii_digit() || c == '-') { "= " } else { "" };
            let line = format!("  {side}  {element} {equals}{value}{place}");
            self.line(&line);
        }
        self.line("");
        for (side, _, expression) in both {
            if let Some(expression) = expression {
                self.expression(&format!("  {side}  "), expression);
            }
        }
        if !counterexample.difference.is_empty() {
            self.line("");
            self.paragraph(2, &counterexample.difference);
        }
        if let Some(origins) = &counterexample.origins {
            self.line("");
            self.line("  where the difference comes from");
            for (side, parts) in [("reference", &origins.reference), ("optimized", &origins.optimized)] {
                for part in parts {
                    self.origin(side, part);
                }
            }
        }
    }

    /// The instructions that a differing part comes from.
    fn origin(&mut self, side: &str, part: &PartOrigin) {
        self.line(&format!("  {side}  {}", shortened(&part.text)));
        for step in &part.steps {
            let did = match step.role {
                OriginRole::Makes if step.of == part.text => "made by".to_owned(),
                OriginRole::Makes => format!("{} made by", shortened(&step.of)),
                OriginRole::Reads => format!("{} read by", shortened(&step.of)),
                OriginRole::MakesAround => format!("as a part of {} made by", shortened(&step.of)),
                OriginRole::Stores if step.opcode.is_empty() => "written".to_owned(),
                OriginRole::Stores => "stored by".to_owned(),
            };
            let did = if step.opcode.is_empty() { did } else { format!("{did} {}", step.opcode) };
            let cuda = step.cuda.as_ref().map_or_else(String::new, |cuda| format!(", {}", cuda_text(cuda)));
            let who = if step.thread.is_empty() { String::new() } else { format!(", {}", step.thread) };
            let file = file_name(self.names.of(step.at.source));
            let text = format!("{did} at {file}:{}{cuda}{who}", step.at.line);
            self.paragraph(13, &text);
        }
    }

    /// Where an element's last store stands.
    fn stored(&self, expression: &Expression) -> String {
        let Some(at) = &expression.stored_at else { return String::new() };
        let cuda = match &expression.cuda {
            Some(cuda) => format!(", {}", cuda_text(cuda)),
            None => String::new(),
        };
        let file = file_name(self.names.of(at.source));
        let formula = self.report.kernels.iter().all(|kernel| kernel.side != at.source);
        let did = if formula { "written" } else { "stored" };
        self.paint(DIM, &format!("   {did} at {file}:{}{cuda}", at.line))
    }

    /// An expression, wrapped; marked parts are coloured, or underlined by carets without colours.
    fn expression(&mut self, head: &str, expression: &Expression) {
        let indent = head.chars().count();
        let width = self.options.width.saturating_sub(indent).max(40);
        let marked = |at: usize| {
            expression.marks.iter().any(|[from, to]| (*from as usize..*to as usize).contains(&at))
        };
        let mut lines: Vec<Vec<(char, bool)>> = vec![Vec::new()];
        for word in words(&expression.text) {
            let (from, text) = word;
            let room = lines.last().map_or(0, Vec::len);
            if room > 0 && room + text.chars().count() > width {
                lines.push(Vec::new());
            }
            let line = lines.last_mut().expect("never empty");
            line.extend(text.char_indices().map(|(at, c)| (c, marked(from + at))));
        }
        if lines.len() > LINES {
            lines.truncate(LINES);
            lines.last_mut().expect("never empty").extend("…".chars().map(|c| (c, false)));
        }
        for (number, line) in lines.iter().enumerate() {
            let lead = if number == 0 { head.to_owned() } else { " ".repeat(indent) };
            let text = self.marked(line);
            self.line(&format!("{lead}{text}"));
            if !self.options.colour && line.iter().any(|(_, mark)| *mark) {
                let carets: String = line.iter().map(|(_, mark)| if *mark { '^' } else { ' ' }).collect();
                self.line(&format!("{:indent$}{carets}", ""));
            }
        }
    }

    fn marked(&self, line: &[(char, bool)]) -> String {
        line.chunk_by(|a, b| a.1 == b.1)
            .map(|run| {
                let text: String = run.iter().map(|(c, _)| *c).collect();
                if run[0].1 { self.paint(MARK, &text) } else { text }
            })
            .collect()
    }

    /// Errors and warnings with excerpts.
    pub(super) fn findings(&mut self) {
        let report = self.report;
        let shown: Vec<_> = report
            .diagnostics
            .iter()
            .filter(|d| d.severity != Level::Info)
            // The counterexample and the outputs show these better.
            .filter(|d| !["Q001", "Q002"].contains(&d.code.as_str()) || report.outputs.is_empty())
            .collect();
        for diagnostic in shown.iter().take(FINDINGS) {
            self.excerpt(diagnostic);
        }
        if shown.len() > FINDINGS {
            self.line("");
            for diagnostic in shown.iter().skip(FINDINGS).take(LISTED) {
                let place = match &diagnostic.primary {
                    Some(label) => {
                        format!("{}:{}: ", file_name(self.names.of(label.at.source)), label.at.line)
                    }
                    None => String::new(),
                };
                let text = format!("{place}{}: {}", diagnostic.code, diagnostic.message);
                self.paragraph(0, &text);
            }
        }
        if shown.len() > FINDINGS + LISTED {
            let rest = format!("… and {} more findings", shown.len() - FINDINGS - LISTED);
            self.line(&rest);
        }
        let infos = report.diagnostics.iter().filter(|d| d.severity == Level::Info && d.code != "V011");
        let infos: Vec<_> = infos.map(|d| format!("note: {}", d.message)).collect();
        if !infos.is_empty() {
            self.line("");
        }
        for info in infos {
            self.paragraph(0, &info);
        }
    }

    /// Who waits where, for whom.
    pub(super) fn waits(&mut self) {
        let report = self.report;
        if report.waits.is_empty() {
            return;
        }
        self.section("who waits for whom");
        for wait in &report.waits {
            let place = format!("{}:{}", self.names.of(wait.at.source), wait.at.line);
            self.line(&format!("  {} at {place}, `{}`", wait.threads_text, wait.instruction));
            self.line(&format!("    {}", wait.waits_at));
            if !wait.waits_for.is_empty() {
                self.line(&format!("    waits for {}", wait.waits_for_text));
            }
        }
    }

    /// A schedule of the first race in either order.
    pub(super) fn schedules(&mut self) {
        let report = self.report;
        let Some(race) = report.races.first().filter(|race| !race.schedule.is_empty()) else { return };
        self.section(&format!("schedules that show the race on {}", race.place));
        for (at, step) in race.schedule.iter().enumerate() {
            self.paragraph(2, &format!("{}. {step}", at + 1));
        }
    }

    /// How the output tensors compare.
    pub(super) fn outputs(&mut self) {
        let report = self.report;
        if report.outputs.is_empty() {
            return;
        }
        self.section("outputs");
        for output in &report.outputs {
            let shape: String = output.shape.iter().map(|extent| format!("[{extent}]")).collect();
            let mut counts = Vec::new();
            let single = output.groups.iter().any(|group| group.answer == Answer::Single);
            match single {
                true => counts.push(format!("{} written", grouped(output.elements))),
                false => {
                    let all = [
                        (output.equal, "equal"),
                        (output.close, "equal up to rounding"),
                        (output.different, "different"),
                        (output.unknown, "undecided"),
                    ];
                    counts.extend(
                        all.iter()
                            .filter(|(count, _)| *count > 0)
                            .map(|(count, word)| format!("{} {word}", grouped(*count))),
                    );
                }
            }
            if output.unwritten > 0 {
                counts.push(format!("{} not written", grouped(output.unwritten)));
            }
            let line = format!("  {}{shape}: {}", output.tensor, counts.join(", "));
            self.line(&line);
            output.groups.iter().for_each(|group| self.group(group, single));
            if output.more_groups > 0 {
                let line = format!("    … and {} more", grouped(output.more_groups));
                self.line(&line);
            }
        }
        self.checked();
    }

    /// What the second opinion came to.
    fn checked(&mut self) {
        let Some(checked) = self.report.checked else { return };
        let parts = [
            (
                checked.by_field,
                "confirmed by another evaluation, in fields of other primes around two random inputs",
            ),
            (checked.confirmed - checked.by_field, "confirmed a second time"),
            (checked.by_points, "confirmed at sample points only"),
            (checked.open, "could not be evaluated a second time"),
            (checked.skipped, "like others that were confirmed"),
            (checked.refuted, "taken back"),
        ];
        let parts: Vec<_> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{} {what}", grouped(*count)))
            .collect();
        if !parts.is_empty() {
            self.paragraph(2, &format!("of these answers: {}", parts.join(", ")));
        }
    }

    /// `: reason`, unless the counterexample has said it.
    fn because(&self, group: &OutputGroup) -> String {
        let said = self.report.counterexample.as_ref().is_some_and(|c| c.difference == group.reason);
        if said || group.reason.is_empty() { String::new() } else { format!(": {}", group.at_reason()) }
    }

    fn group(&mut self, group: &OutputGroup, single: bool) {
        if single {
            if let Some(expression) = &group.optimized {
                self.expression(&format!("    {} = ", group.sample), expression);
            }
            return;
        }
        let word = match group.answer {
            Answer::Equal | Answer::Single => "equal",
            Answer::Close => "equal up to rounding",
            Answer::Different => "different",
            Answer::Unknown => "undecided",
        };
        let others = match group.elements {
            1 => String::new(),
            more => format!(" and {} more", grouped(more - 1)),
        };
        let line = format!("{}{others}: {word}{}", group.sample, self.because(group));
        self.paragraph(4, &line);
        // The counterexample shows its own; the equal ones show what both compute.
        if group.answer != Answer::Different {
            let sides = [("reference", &group.reference), ("optimized", &group.optimized)];
            for (side, expression) in sides {
                if let Some(expression) = expression {
                    self.expression(&format!("      {side}  "), expression);
                }
            }
        }
    }
}

/// `[0, 1, 0, 0]`, or the elements that matter and the value of the rest.
fn values(input: &InputValues) -> String {
    if input.scalar {
        return input.entries.first().map_or(&input.rest, |own| &own.value).clone();
    }
    match &input.dense {
        Some(dense) if dense.len() <= 16 => format!("[{}]", dense.join(", ")),
        _ if input.rest.is_empty() => "as the spec says".to_owned(),
        _ if input.entries.is_empty() => format!("{} everywhere", input.rest),
        _ => {
            let own: Vec<_> =
                input.entries.iter().take(16).map(|e| format!("{} = {}", e.place, e.value)).collect();
            let more = if input.entries.len() > 16 { ", …" } else { "" };
            format!("{{ {}{more}, all others {} }}", own.join(", "), input.rest)
        }
    }
}

/// The beginning of a long expression.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(PART) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Words with the blanks behind them, and where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive(' ').map(move |word| {
        let at = start;
        start += word.len();
        (at, word)
    })
}
