//! Faults of a run in words: races with both sides, waiting threads, and one diagnostic each.

use super::arguments::made_up_name;
use super::bind::Bound;
use super::contracts::Contracts;
use super::limits;
use super::model::{AccessReport, RaceReport, ThreadReport, Verdict, WaitReport};
use super::text::numbers::grouped;
use super::texts::{Texts, cuda};
use super::variables::source_name;
use super::witness;
use crate::base::{Budget, Exhausted, Source, Span};
use crate::decide::Witness;
use crate::diag::{Code, Diagnostic, Label};
use crate::ir::Kernel;
use crate::isa::{Effect, Space};
use crate::sim::{
    AccessKind, Around, Decides, Disagreement, Fault, FaultKind, Misuse, Place, Race, RaceSide, Run, Site,
    Thread, Unwritten, WaitGroup, WaitKind,
};

/// Everything the report says about one kernel's faults.
#[derive(Default)]
pub struct Cooked {
    /// The worst verdict among them, and inputs that reach it where it takes some.
    pub worst: Option<Worst>,
    /// Races.
    pub races: Vec<RaceReport>,
    /// Deadlocks and barrier divergence.
    pub waits: Vec<WaitReport>,
    /// One diagnostic a fault (a race: one a race).
    pub diagnostics: Vec<Diagnostic>,
}

/// A fault that names the verdict.
#[derive(Clone)]
pub struct Worst {
    /// The verdict.
    pub verdict: Verdict,
    /// Its code.
    pub code: Code,
    /// What happens, in a sentence.
    pub sentence: String,
    /// Inputs that reach it, where it takes some.
    pub example: Option<Witness>,
}

/// What faults are put into words with.
pub struct Cooking<'a> {
    /// The texts that places are in.
    pub texts: &'a Texts<'a>,
    /// Which of them the kernel is from.
    pub source: Source,
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its run.
    pub run: &'a Run,
    /// What the run was limited by.
    pub budget: &'a Budget,
    /// The names of inputs.
    pub bound: &'a Bound,
    /// What is claimed.
    pub contracts: &'a Contracts,
}

struct Cook<'a> {
    texts: &'a Texts<'a>,
    source: Source,
    kernel: &'a Kernel,
    run: &'a Run,
    budget: &'a Budget,
    bound: &'a Bound,
    contracts: &'a Contracts,
    /// Inputs that reach the present fault.
    example: Option<&'a Witness>,
    /// Why nobody can tell whether the present fault is one.
    open: Option<&'a str>,
    cooked: Cooked,
}

/// The verdicts that faults lead to, worst first.
pub const PRECEDENCE: [Verdict; 13] = [
    Verdict::InvalidSpec,
    Verdict::DataRace,
    Verdict::Deadlock,
    Verdict::BarrierDivergence,
    Verdict::OutOfBounds,
    Verdict::Misaligned,
    Verdict::UninitializedRead,
    Verdict::ContractViolated,
    Verdict::NotStructured,
    Verdict::Unsupported,
    Verdict::ResourceLimit,
    Verdict::Cancelled,
    Verdict::Unknown,
];

/// Position in [`PRECEDENCE`].
pub fn rank(verdict: Verdict) -> usize {
    PRECEDENCE.iter().position(|other| *other == verdict).unwrap_or(PRECEDENCE.len())
}

/// Puts a kernel's faults into words: those of the run, those that inputs were found for, and what may be
/// one.
pub fn cook(cooking: &Cooking<'_>, found: &[(Fault, Option<Witness>)], open: &[(Fault, String)]) -> Cooked {
    let Cooking { texts, source, kernel, run, budget, bound, contracts } = *cooking;
    let cooked = Cooked::default();
    let mut cook =
        Cook { texts, source, kernel, run, budget, bound, contracts, example: None, open: None, cooked };
    for fault in &run.faults {
        cook.fault(fault);
    }
    for (fault, witness) in found {
        cook.example = witness.as_ref();
        let before = cook.cooked.diagnostics.len();
        cook.fault(fault);
        if let Some(inputs) = witness.as_ref().and_then(|witness| inputs(bound, witness)) {
            for diagnostic in &mut cook.cooked.diagnostics[before..] {
                *diagnostic = diagnostic.clone().note(format!("for example with {inputs}"));
            }
        }
    }
    cook.example = None;
    for (fault, why) in open {
        cook.open = Some(why);
        cook.fault(fault);
    }
    let mut cooked = cook.cooked;
    if run.unlisted > 0
        && let Some(last) = cooked.diagnostics.pop()
    {
        let text = match run.unlisted {
            1 => "one more fault of this kernel is not listed".to_owned(),
            more => format!("{more} more faults of this kernel are not listed"),
        };
        cooked.diagnostics.push(last.note(text));
    }
    if run.more_suspects
        && let Some(last) = cooked.diagnostics.pop()
    {
        let text = "there are more: of the faults that depend on the inputs, only the first were looked at";
        cooked.diagnostics.push(last.note(text));
    }
    let races = cooked.races.len();
    if let Some(worst) = &mut cooked.worst
        && (run.unlisted > 0 || run.more_suspects)
        && (worst.verdict, races > 1) == (Verdict::DataRace, true)
    {
        worst.sentence += &format!(" This is one of at least {races} races.");
    }
    for variable in kernel.variables.iter().filter(|variable| variable.name.starts_with("_Z")) {
        cooked.rename(&variable.name, &source_name(&variable.name));
    }
    for (at, parameter) in kernel.parameters.iter().enumerate() {
        let name = made_up_name(at, parameter);
        if name != parameter.name {
            cooked.rename(&parameter.name, &name);
        }
    }
    cooked
}

impl Cooked {
    #[cold]
    fn rename(&mut self, mangled: &str, name: &str) {
        let rename = |text: &mut String| {
            if text.contains(mangled) {
                *text = text.replace(mangled, name);
            }
        };
        if let Some(worst) = &mut self.worst {
            rename(&mut worst.sentence);
        }
        for race in &mut self.races {
            rename(&mut race.place);
            rename(&mut race.ordering);
            race.schedule.iter_mut().for_each(rename);
        }
        for diagnostic in &mut self.diagnostics {
            rename(&mut diagnostic.message);
            diagnostic.notes.iter_mut().for_each(rename);
            let labels = diagnostic.primary.iter_mut().chain(&mut diagnostic.related);
            labels.for_each(|label| rename(&mut label.text));
        }
        for wait in &mut self.waits {
            rename(&mut wait.waits_at);
        }
    }
}

impl Cook<'_> {
    #[cold]
    fn fault(&mut self, fault: &Fault) {
        match &fault.kind {
            FaultKind::DataRace(races) => races.iter().for_each(|race| self.race(race)),
            FaultKind::Deadlock(groups) => {
                let what = "threads wait for one another and none can go on";
                self.wait(Verdict::Deadlock, Code::D001, what, groups);
            }
            FaultKind::BarrierDivergence(Disagreement::Party, groups) => {
                let what = "threads disagree about who takes part in a barrier";
                self.wait(Verdict::BarrierDivergence, Code::D002, what, groups);
            }
            FaultKind::BarrierDivergence(Disagreement::Instruction, groups) => {
                let what = "threads of one warp do not execute an aligned barrier together";
                self.wait(Verdict::BarrierDivergence, Code::D004, what, groups);
            }
            FaultKind::BarrierDivergence(Disagreement::Round, groups) => {
                let what =
                    "threads of one warp come to an aligned barrier in different rounds of a loop around it";
                self.wait(Verdict::BarrierDivergence, Code::D004, what, groups);
            }
            kind => self.single(kind, fault),
        }
    }

    /// What an access reaches that is not all inside: "reads 4 elements from `x[28]` on, of which the last 2 lie".
    #[cold]
    fn reached(&self, kind: AccessKind, place: &Place, site: Option<Site>) -> String {
        let verb = verb(kind);
        let instr = site.and_then(|site| self.kernel.code.get(site.instr as usize));
        let bytes = match instr.map(|instr| &instr.effect) {
            Some(Effect::Load(access) | Effect::Store(access)) => {
                u64::from(access.format.bytes()) * u64::from(access.vector)
            }
            _ => 0,
        };
        let unit = u64::from(place.unit.max(1));
        let elements = bytes / unit;
        if elements < 2 || unit < 2 || place.name == place.text {
            let comma = if place.name == place.text { "" } else { "," };
            return format!("{verb} `{}`{comma}", place.text);
        }
        let inside = place.size.and_then(|size| size.checked_sub(u64::try_from(place.offset).ok()?));
        let which = match inside.map(|bytes| bytes / unit).filter(|inside| *inside > 0) {
            Some(inside) if inside + 1 == elements => ", of which the last lies".to_owned(),
            Some(inside) if inside < elements => format!(", of which the last {} lie", elements - inside),
            _ => ",".to_owned(),
        };
        format!("{verb} {elements} elements from `{}` on{which}", place.text)
    }

    /// Faults of one instruction.
    #[cold]
    fn single(&mut self, kind: &FaultKind, fault: &Fault) {
        let who = fault.site.map_or("the launch".to_owned(), |site| thread_name(site.thread));
        let (verdict, code, message) = match kind {
            FaultKind::OutOfBounds(access, place) => {
                let by_formula = self.bound.by_formula.contains(&place.name);
                let size = size_note(place, by_formula);
                let reached = self.reached(*access, place, fault.site);
                let message = match place.name == place.text {
                    true => format!("{who} {reached}, where no tensor and no variable lies"),
                    false => format!("{who} {reached} outside {}{size}", region(place)),
                };
                (Verdict::OutOfBounds, Code::M001, message)
            }
            FaultKind::Misaligned(access, place, bytes) => {
                let verb = verb(*access);
                let message = format!(
                    "{who} {verb} {bytes} bytes at offset {} of {}, which is not a multiple of {bytes}",
                    place.offset,
                    region(place)
                );
                (Verdict::Misaligned, Code::M002, message)
            }
            FaultKind::Uninitialized(from, decides) => {
                let message = uninitialized(&who, fault.site, from, decides);
                (Verdict::UninitializedRead, Code::M003, message)
            }
            FaultKind::UninitializedMemory(place) => {
                let message = format!("{who} uses `{}` before anything is written there", place.text);
                (Verdict::UninitializedRead, Code::M003, message)
            }
            FaultKind::Broken(_, what) => (Verdict::ContractViolated, Code::A002, what.clone()),
            FaultKind::Abort(how) => (Verdict::ContractViolated, Code::A001, format!("{how} ({who})")),
            FaultKind::NotStructured(why) => (Verdict::NotStructured, Code::U002, format!("{why} ({who})")),
            FaultKind::WaitsForOthers(why) => (Verdict::NotStructured, Code::U005, format!("{why} ({who})")),
            FaultKind::DependsOnSchedule(why) => {
                (Verdict::NotStructured, Code::U004, format!("{why} ({who})"))
            }
            FaultKind::Unsupported(why) => (Verdict::Unsupported, Code::U001, format!("{why} ({who})")),
            FaultKind::Forbidden(what) => (Verdict::Unsupported, Code::U003, format!("{what} ({who})")),
            FaultKind::EndlessLoop(around) => {
                let rounds = around.map(|around| around.rounds);
                let how = limits::endless(rounds, &self.run.stats, self.budget);
                // A thread that stopped at another fault might have ended the loop.
                let alone =
                    self.run.faults.iter().all(|fault| matches!(fault.kind, FaultKind::EndlessLoop(_)));
                let shown = limits::is_endless(&self.run.stats, self.budget) && alone;
                let verdict = if shown { Verdict::Deadlock } else { Verdict::ResourceLimit };
                (verdict, Code::D003, format!("{who} {how}"))
            }
            FaultKind::Exhausted(why) => {
                let (verdict, code) = match why {
                    Exhausted::Cancelled => (Verdict::Cancelled, Code::B002),
                    Exhausted::Fuel | Exhausted::Memory | Exhausted::Time => {
                        (Verdict::ResourceLimit, Code::B001)
                    }
                };
                let message = limits::execution(&self.kernel.title(), *why, &self.run.stats, self.budget);
                (verdict, code, message)
            }
            FaultKind::Launch(why) => (
                Verdict::InvalidSpec,
                Code::V010,
                format!("`{}` cannot be launched: {why}", self.kernel.title()),
            ),
            FaultKind::Misuse(misuse, what) => {
                let code = match misuse {
                    Misuse::Mask => Code::D005,
                    Misuse::Warp => Code::D006,
                    Misuse::Object => Code::D007,
                    Misuse::Transactions => Code::D008,
                    Misuse::Cluster => Code::D009,
                    Misuse::Columns => Code::M004,
                };
                let verdict = match misuse {
                    Misuse::Columns => Verdict::OutOfBounds,
                    Misuse::Mask | Misuse::Warp | Misuse::Object | Misuse::Transactions | Misuse::Cluster => {
                        Verdict::BarrierDivergence
                    }
                };
                (verdict, code, format!("{who} {what}"))
            }
            FaultKind::DataRace(_) | FaultKind::Deadlock(_) | FaultKind::BarrierDivergence(..) => return,
        };
        let (verdict, code, message) = match self.open {
            Some(why) => (Verdict::Unknown, Code::Q002, format!("{why}; otherwise {message}")),
            None => (verdict, code, message),
        };
        let mut diagnostic = Diagnostic::error(code, message.clone());
        match (kind, fault.site) {
            (FaultKind::EndlessLoop(Some(Around { first, last, .. })), _) => {
                diagnostic = diagnostic.at(self.source, self.span_of(*first));
                label(&mut diagnostic, "the loop begins here");
                diagnostic = diagnostic.related(self.source, self.span_of(*last), "and goes back here");
            }
            (
                FaultKind::Uninitialized(
                    Unwritten::Memory(_, from)
                    | Unwritten::Racing(_, from)
                    | Unwritten::Lane(_, from)
                    | Unwritten::Column(_, _, from),
                    decides,
                ),
                site,
            ) => {
                diagnostic = diagnostic.at(self.source, self.span(*from));
                label(&mut diagnostic, format!("{} reads it here", thread_name(from.thread)));
                if let Some(site) = site {
                    let text = format!("{} {} here", thread_name(site.thread), deed(decides));
                    diagnostic = diagnostic.related(self.source, self.span(site), text);
                }
            }
            (FaultKind::Broken(contract, _), _) => {
                let Label { source, span, .. } = self.contracts.label(*contract);
                diagnostic = diagnostic.at(source, span);
            }
            (_, Some(site)) => diagnostic = diagnostic.at(self.source, self.span(site)),
            (_, None) => {}
        }
        if matches!(kind, FaultKind::EndlessLoop(_)) && self.run.stats.fuel() >= self.budget.fuel {
            diagnostic = diagnostic.note(limits::FUEL);
        }
        if !fault.others.is_empty() {
            let more = match fault.more {
                0 => String::new(),
                more => format!(", and {} more", grouped(more)),
            };
            let do_so = if fault.others.len() == 1 && fault.more == 0 { "does" } else { "do" };
            diagnostic = diagnostic.note(format!("so {do_so} {}{more}", threads_text(&fault.others)));
        }
        if let FaultKind::OutOfBounds(_, place) = kind
            && place.size.is_none()
            && matches!(place.space, Space::Global | Space::Generic)
        {
            diagnostic = diagnostic.note(match place.name.starts_with("address ") {
                true => "it lies in no tensor: a pointer among the arguments may be taken for a number, or an index is far beyond what any tensor holds; name the arguments under `args`, and declare their shapes, as in `[tensors.x]` with `shape = [1024]`".to_owned(),
                false => format!(
                    "the size of `{0}` is taken from the addresses reached, of which this is none; write `[tensors.{0}]` with `shape = [1024]`, and an offset in `args` if the pointer leads into its middle",
                    place.name
                ),
            });
        }
        self.note_worst(verdict, code, format!("{message}."));
        self.cooked.diagnostics.push(diagnostic);
    }

    #[cold]
    fn race(&mut self, race: &Race) {
        let (mut first, mut second) = (self.access(&race.first), self.access(&race.second));
        // Of two thread blocks, the first is one as well.
        if first.thread.cta != second.thread.cta {
            for access in [&mut first, &mut second] {
                if access.thread.cta == [0, 0, 0] {
                    access.thread.text += " of CTA (0,0,0)";
                }
            }
        }
        let place = &race.place.text;
        let lack = match race.unfenced {
            true => "no proxy fence lies between the two",
            false => "nothing orders the two",
        };
        let message = format!(
            "data race on `{place}`: {} {} it, {} {} it, and {lack}",
            first.thread.text, first.action, second.thread.text, second.action
        );
        let (code, message) = match self.open {
            Some(why) => (Code::Q002, format!("{why}; otherwise there is a {message}")),
            None => (self.code_of(race), message),
        };
        let mut diagnostic =
            Diagnostic::error(code, message.clone()).at(self.source, self.span(race.first.site)).related(
                self.source,
                self.span(race.second.site),
                format!("{} {} here", second.thread.text, second.action),
            );
        label(&mut diagnostic, format!("{} {} here", first.thread.text, first.action));
        if !race.ordering.is_empty() {
            diagnostic = diagnostic.note(race.ordering.clone());
        }
        if race.hidden_by_collectives {
            diagnostic =
                diagnostic.note("with `collectives_order_memory = true` under [options] this is not a race");
        }
        let summary = format!(
            "{} {} `{place}` (line {}) and {} {} it (line {}), and {lack}.",
            first.thread.text, first.action, first.at.line, second.thread.text, second.action, second.at.line
        );
        if self.open.is_some() {
            self.note_worst(Verdict::Unknown, code, format!("{message}."));
            self.cooked.diagnostics.push(diagnostic);
            return;
        }
        self.note_worst(Verdict::DataRace, code, summary);
        self.cooked.diagnostics.push(diagnostic);
        self.cooked.races.push(RaceReport {
            side: self.source.into(),
            first,
            second,
            place: place.clone(),
            space: race.place.space.name().to_owned(),
            ordering: race.ordering.clone(),
            schedule: race.schedule.clone(),
            hidden_by_collectives: race.hidden_by_collectives,
        });
    }

    /// Why synchronization does not help.
    fn code_of(&self, race: &Race) -> Code {
        let incoherent = |side: &RaceSide| {
            let instr = self.kernel.code.get(side.site.instr as usize);
            instr.is_some_and(|instr| instr.effect.is_incoherent())
        };
        let view = |side: &RaceSide| {
            let instr = self.kernel.code.get(side.site.instr as usize);
            instr.is_some_and(|instr| instr.effect.is_view_read())
        };
        let atomic = |side: &RaceSide| side.kind == AccessKind::Atomic;
        match (&race.first, &race.second) {
            _ if race.unfenced => Code::R004,
            (one, two) if view(one) || view(two) => Code::R005,
            (one, two) if incoherent(one) || incoherent(two) => Code::R002,
            (one, two) if atomic(one) && atomic(two) => Code::R003,
            _ => Code::R001,
        }
    }

    #[cold]
    fn access(&self, side: &RaceSide) -> AccessReport {
        let span = self.span(side.site);
        AccessReport {
            thread: thread(side.site.thread),
            action: verb(side.kind).to_owned(),
            at: self.texts.location(self.source, span),
            instruction: instruction(span.text(self.texts.text(self.source))),
            instr: side.site.instr,
            cuda: cuda(self.kernel, side.site.instr),
        }
    }

    #[cold]
    fn wait(&mut self, verdict: Verdict, code: Code, what: &str, groups: &[WaitGroup]) {
        let mut diagnostic: Option<Diagnostic> = None;
        let mut sentences = Vec::new();
        for group in groups {
            let span = self.span(group.site);
            let report = WaitReport {
                side: self.source.into(),
                fault: verdict,
                threads: group.threads.clone(),
                threads_text: threads_text(&group.threads),
                at: self.texts.location(self.source, span),
                instruction: instruction(span.text(self.texts.text(self.source))),
                instr: group.site.instr,
                cuda: cuda(self.kernel, group.site.instr),
                waits_at: match (code, &group.kind) {
                    (Code::D004, WaitKind::Barrier { id, .. }) => apart_at(*id, group, groups),
                    (_, kind) => waits_at(kind),
                },
                waits_for: group.waits_for.clone(),
                waits_for_text: threads_text(&group.waits_for),
            };
            let one = report.threads.len() == 1;
            let (wait, come) = if one { ("waits", "comes") } else { ("wait", "come") };
            sentences.push(match code {
                Code::D004 if report.waits_for.is_empty() => {
                    format!("{} {come} to it at line {}", report.threads_text, report.at.line)
                }
                _ => {
                    format!("{} {wait} at line {} ({})", report.threads_text, report.at.line, report.waits_at)
                }
            });
            let text = match report.waits_for.is_empty() {
                true if code == Code::D004 => format!("{} {come} here", report.threads_text),
                false if code == Code::D004 => {
                    format!("{} {wait} here without {}", report.threads_text, report.waits_for_text)
                }
                true => format!("{} {wait} here: {}", report.threads_text, report.waits_at),
                false => format!(
                    "{} {wait} here for {}: {}",
                    report.threads_text, report.waits_for_text, report.waits_at
                ),
            };
            diagnostic = Some(match diagnostic {
                Some(diagnostic) => diagnostic.related(self.source, span, text),
                None => {
                    let mut first = Diagnostic::error(code, what).at(self.source, span);
                    label(&mut first, text);
                    first
                }
            });
            self.cooked.waits.push(report);
        }
        let sentences = sentences.join("; ");
        let sentence = match code {
            Code::D004 => format!("{what}: {sentences}."),
            _ => format!("{sentences}."),
        };
        self.note_worst(verdict, code, sentence);
        self.cooked.diagnostics.extend(diagnostic);
    }

    #[cold]
    fn note_worst(&mut self, verdict: Verdict, code: Code, sentence: String) {
        if self.cooked.worst.as_ref().is_none_or(|worst| rank(verdict) < rank(worst.verdict)) {
            self.cooked.worst = Some(Worst { verdict, code, sentence, example: self.example.cloned() });
        }
    }

    fn span(&self, site: Site) -> Span {
        self.span_of(site.instr)
    }

    fn span_of(&self, instr: u32) -> Span {
        self.kernel.code.get(instr as usize).map(|instr| instr.span).unwrap_or_default()
    }
}

/// "x[3] = -1 and y[0] = 2, everything else 0", as far as there is room.
#[cold]
fn inputs(bound: &Bound, witness: &Witness) -> Option<String> {
    const SHOWN: usize = 8;
    let mut values = Vec::new();
    for input in witness::inputs(bound, &[], witness) {
        values.extend(input.entries.into_iter().map(|entry| format!("{} = {}", entry.place, entry.value)));
    }
    let more = values.len().saturating_sub(SHOWN);
    values.truncate(SHOWN);
    if more > 0 {
        values.push(format!("{more} more"));
    }
    let rest = witness::number(&witness.default);
    match values.split_last() {
        None if bound.elements.blocks().is_empty() => None,
        None => Some(format!("all inputs {rest}")),
        Some((last, [])) => Some(format!("{last}, all else {rest}")),
        Some((last, first)) => Some(format!("{} and {last}, all else {rest}", first.join(", "))),
    }
}

/// Says what happens at the primary place.
fn label(diagnostic: &mut Diagnostic, text: impl Into<String>) {
    if let Some(primary) = &mut diagnostic.primary {
        primary.text = text.into();
    }
}

/// What nobody wrote, who read it, and what came of it.
#[cold]
fn uninitialized(who: &str, site: Option<Site>, from: &Unwritten, decides: &Decides) -> String {
    let (what, reader) = match from {
        Unwritten::Register(register) => {
            let unwritten = format!("register `{register}`, which nothing has written");
            return match decides {
                Decides::Use(what) => format!("{who} decides {what} by {unwritten}"),
                Decides::Output(place) => format!("`{}` is left with bits of {unwritten}", place.text),
            };
        }
        Unwritten::Memory(place, from) => {
            (format!("`{}` before anything is written there", place.text), from.thread)
        }
        Unwritten::Racing(place, from) => {
            (format!("`{}` while another thread stores there", place.text), from.thread)
        }
        Unwritten::Lane(lane, from) => (format!("lane {lane}, which does not take part"), from.thread),
        Unwritten::Column(lane, column, from) => (
            format!("bits in lane {lane}, column {column} of tensor memory that nothing has written"),
            from.thread,
        ),
    };
    let reads = format!("{} reads {what}", thread_name(reader));
    match (decides, site) {
        (Decides::Use(what), Some(site)) if site.thread == reader => {
            format!("{reads}, and decides {what} by it")
        }
        (Decides::Use(what), _) => format!("{reads}, and {who} decides {what} by it"),
        (Decides::Output(place), _) => format!("{reads}, and what it read is left in `{}`", place.text),
    }
}

/// What somebody does with what nobody wrote.
fn deed(decides: &Decides) -> String {
    match decides {
        Decides::Use(what) => format!("decides {what} by it"),
        Decides::Output(place) => format!("stores it in `{}`", place.text),
    }
}

fn thread(thread: Thread) -> ThreadReport {
    ThreadReport { cta: thread.cta, tid: thread.tid, linear: thread.linear, text: thread_name(thread) }
}

fn thread_name(thread: Thread) -> String {
    thread.to_string()
}

fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "reads",
        AccessKind::Write => "writes",
        AccessKind::Atomic => "atomically updates",
    }
}

fn region(place: &Place) -> String {
    format!("`{}` ({} memory)", place.name, place.space.name())
}

fn size_note(place: &Place, by_formula: bool) -> String {
    let unit = u64::from(place.unit);
    let says = if by_formula { " because the formula says so" } else { "" };
    match place.size {
        Some(size) if unit > 1 && size == unit => format!(", which has 1 element of {unit} bytes{says}"),
        Some(size) if unit > 1 && size % unit == 0 => {
            format!(", which has {} elements of {unit} bytes{says}", size / unit)
        }
        Some(size) => format!(", which has {size} bytes{says}"),
        None => String::new(),
    }
}

/// What is wrong at an aligned barrier. How many have arrived says nothing there, because it counts whole warps.
#[cold]
fn apart_at(id: u32, group: &WaitGroup, groups: &[WaitGroup]) -> String {
    let warp = group.threads.first().map_or(0, |thread| thread / 32);
    let how = match (groups.len(), groups.iter().all(|other| other.site.instr == group.site.instr)) {
        (1, _) => "of which only some threads come to it",
        (_, true) => "whose threads come to it in different rounds of a loop",
        (_, false) => "whose threads come to it at different instructions",
    };
    format!("barrier {id}, which counts whole warps: this is a part of warp {warp}, {how}")
}

#[cold]
fn waits_at(kind: &WaitKind) -> String {
    match kind {
        WaitKind::Barrier { id, arrived, expected } => {
            format!("barrier {id}, {arrived} of {expected} threads have arrived")
        }
        WaitKind::Phaser { object, lacks, owed } => {
            let arrivals = if *lacks == 1 { "arrival" } else { "arrivals" };
            let lack = match (*lacks, *owed) {
                (lacks, 0) => format!("lacks {lacks} {arrivals}"),
                (0, 1..) => format!("is owed {owed} bytes that no copy brings"),
                (0, _) => format!("has got {} bytes more than it expects", -owed),
                (lacks, 1..) => {
                    format!("lacks {lacks} {arrivals}, and is owed {owed} bytes that no copy brings")
                }
                (lacks, _) => {
                    format!("lacks {lacks} {arrivals}, and has got {} bytes more than it expects", -owed)
                }
            };
            format!("barrier object `{object}`, whose phase {lack}")
        }
        WaitKind::Cluster { arrived } => {
            format!("the barrier of the cluster, where {arrived} threads have arrived")
        }
        WaitKind::Products { late } => {
            let warps = if late.len() == 1 { "warp" } else { "warps" };
            format!(
                "products of its warpgroup, whose group {warps} {} {} not closed",
                ranges(late),
                if late.len() == 1 { "has" } else { "have" }
            )
        }
        WaitKind::Columns { wanted } => {
            format!("{wanted} columns of tensor memory, of which fewer are free side by side")
        }
        WaitKind::Lock { place, holder: Some(holder) } => {
            format!("the lock {place}, which {} has taken and cannot free", holder.thread)
        }
        WaitKind::Lock { place, holder: None } => format!("the lock {place}, which is never free"),
        WaitKind::Memory { place } => format!("{place} to change, which nobody does"),
        WaitKind::Lanes { missing } => {
            let lanes: Vec<u32> = (0..32).filter(|lane| missing >> lane & 1 == 1).collect();
            format!(
                "warp barrier, missing {} {}",
                if lanes.len() == 1 { "lane" } else { "lanes" },
                ranges(&lanes)
            )
        }
    }
}

/// "threads 0–15 and 32", "thread 3".
#[cold]
pub fn threads_text(threads: &[u32]) -> String {
    match threads {
        [] => String::new(),
        [one] => format!("thread {one}"),
        many => format!("threads {}", ranges(many)),
    }
}

/// Ascending numbers as ranges: `0–15, 32`. Long lists end in `…`.
#[cold]
fn ranges(numbers: &[u32]) -> String {
    const SHOWN: usize = 8;
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.wrapping_add(1) == *number => *last = *number,
            _ => runs.push((*number, *number)),
        }
    }
    let more = runs.len() > SHOWN;
    let mut parts: Vec<String> = runs
        .iter()
        .take(SHOWN)
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first}–{last}"),
        })
        .collect();
    if more {
        parts.push(format!("… ({} in all)", numbers.len()));
    }
    parts.join(", ")
}

/// One line, without the semicolon.
fn instruction(text: &str) -> String {
    text.trim_end_matches(';').split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_read_as_ranges() {
        assert_eq!(threads_text(&[3]), "thread 3");
        assert_eq!(threads_text(&[0, 1, 2, 3, 32]), "threads 0–3, 32");
        assert_eq!(threads_text(&[0, 1]), "threads 0, 1");
        let odd: Vec<u32> = (0..32).map(|n| 2 * n + 1).collect();
        assert_eq!(threads_text(&odd), "threads 1, 3, 5, 7, 9, 11, 13, 15, … (32 in all)");
    }
}
