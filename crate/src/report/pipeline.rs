//! The stages in order.

use super::arguments::Asked;
use super::bind::{Bound, bind};
use super::compare::{Comparison, collect, disagreements, withdraw_unknowables};
use super::contracts::{self, Contracts, Facts, Satisfiable};
use super::evidence::{self, Scene};
use super::expression::Side;
use super::faults::{self, Cooked, Cooking, Worst, rank};
use super::formula::{self, Failure, Reference};
use super::front::{Front, load};
use super::model::*;
use super::portions::{Joined, Portion, Portions, confirmed};
use super::tell::{self, Candidates};
use super::texts::{Texts, cuda};
use super::timeline::Recording;
use super::verdicts::{Verdicts, capital, fault_hint, fault_name, pair_verdict, single_verdict};
use super::{
    Input, Outcome, RunOptions, assumptions, export, grid, inside, limits, one_way, ranges, reaches,
};
use super::{suspects, sweep, witness};
use crate::base::{Budget, Exhausted, Source, Span, Stage};
use crate::check;
use crate::decide::{self, Decision, Equality, Problem, Reading};
use crate::diag::{Assumption, Code, Diagnostic, Label, Ledger, Severity};
use crate::ir::Kernel;
use crate::isa::Effect;
use crate::sim::{self, FaultKind, Run, Setup, World};
use crate::spec::{self, Spec};
use crate::term::Term;
use std::sync::atomic::{AtomicBool, Ordering};

/// Version of the report's shape.
pub(super) const FORMAT: u32 = 1;

/// A question on its way through the stages.
pub(super) struct Question<'a> {
    input: &'a Input<'a>,
    options: &'a RunOptions<'a>,
    budget: &'a Budget,
    pub texts: Texts<'a>,
    report: Report,
    diagnostics: Vec<Diagnostic>,
    ledger: Ledger,
    /// The kernels are equal where no conversion saturates by itself, and not otherwise.
    in_range: bool,
    timelines: Vec<Recording>,
    conditions: Option<String>,
    portion: Option<Portion>,
    candidates: Vec<Candidates>,
    timings: Timings,
    started: f64,
    /// What to try if the budget does not suffice.
    smaller: String,
    /// What the machine chooses.
    pub world: World,
    /// The kernels look at what the machine chooses.
    pub looks: bool,
    /// Whether all CTAs ran is for somebody else to see to.
    pub settled: bool,
    /// The CTAs that ran do not speak for the others.
    pub wants_all: bool,
    /// The kernels ran, without a fault.
    pub ran: bool,
}

/// A report about nothing yet.
pub(super) fn empty_report() -> Report {
    Report {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        verdict: Verdict::Unknown,
        summary: String::new(),
        hint: None,
        kernels: Vec::new(),
        tensors: Vec::new(),
        outputs: Vec::new(),
        checked: None,
        rounding_bound: None,
        counterexample: None,
        reached_by: None,
        contracts: Vec::new(),
        races: Vec::new(),
        waits: Vec::new(),
        diagnostics: Vec::new(),
        assumptions: Vec::new(),
        timings: None,
    }
}

impl<'a> Question<'a> {
    pub fn new(input: &'a Input<'a>, options: &'a RunOptions<'a>, budget: &'a Budget) -> Self {
        let texts = Texts::new(input.reference, input.optimized, input.spec);
        let report = empty_report();
        let started = options.clock.map_or(0.0, |clock| clock());
        Question {
            input,
            options,
            budget,
            texts,
            report,
            diagnostics: Vec::new(),
            ledger: Ledger::default(),
            in_range: false,
            timelines: Vec::new(),
            conditions: None,
            portion: None,
            candidates: Vec::new(),
            timings: Timings::default(),
            started,
            smaller: String::new(),
            world: World::default(),
            looks: false,
            settled: false,
            wants_all: false,
            ran: false,
        }
    }

    pub fn answer(&mut self) -> Outcome {
        let (Verdicts { verdict, summary }, kernels) = self.run();
        self.report.verdict = verdict;
        self.report.summary = summary;
        self.budget.enter(Stage::Done);
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.severity);
        self.report.diagnostics =
            self.diagnostics.iter().map(|d| diagnostic(&self.texts, &kernels, d)).collect();
        if !self.in_range {
            self.ledger.remove(|assumption| matches!(assumption, Assumption::Saturates(_)));
        }
        self.report.assumptions = assumptions::cook(&self.texts, &self.ledger);
        if self.options.clock.is_some() {
            self.timings.total = self.now() - self.started;
            self.report.timings = Some(self.timings);
        }
        Outcome {
            report: std::mem::replace(&mut self.report, empty_report()),
            timelines: std::mem::take(&mut self.timelines),
            conditions: self.conditions.take(),
            portion: self.portion.take(),
            candidates: std::mem::take(&mut self.candidates),
            ledger: std::mem::take(&mut self.ledger),
        }
    }

    fn now(&self) -> f64 {
        self.options.clock.map_or(0.0, |clock| clock())
    }

    /// The verdict, and the kernels as far as they could be read.
    fn run(&mut self) -> (Verdicts, Vec<(Source, Kernel)>) {
        self.budget.enter(Stage::Parse);
        let (spec, mut complaints) = self.input.read_spec();
        complaints.extend(sweep::refusal(&spec, &complaints));
        let bad_spec = complaints.iter().any(|d| d.severity == Severity::Error);
        self.diagnostics.extend(complaints);
        let begun = self.now();
        let formula = match self.formula(&spec) {
            Ok(formula) => formula,
            Err(verdicts) => return (verdicts, Vec::new()),
        };
        let fronts = fronts(self.input, &spec);
        self.timings.parse = self.now() - begun;
        let mut kernels = Vec::new();
        let mut broken = None;
        for (source, front) in fronts {
            self.diagnostics.extend(front.diagnostics);
            match front.kernel {
                Some(kernel) => kernels.push((source, kernel)),
                None => broken = broken.or(Some(source)),
            }
        }
        let verdicts = if let Some(source) = broken {
            let summary = self.first_error(source, "the PTX is not usable");
            Verdicts { verdict: Verdict::InvalidPtx, summary }
        } else if bad_spec {
            let summary = self.first_error(Source::Spec, "the spec is not usable");
            Verdicts { verdict: Verdict::InvalidSpec, summary }
        } else {
            self.ask(spec, &kernels, formula.as_ref())
        };
        (verdicts, kernels)
    }

    /// The formula that is the reference, if there is one.
    fn formula(&mut self, spec: &Spec) -> Result<Option<Reference>, Verdicts> {
        let Some(formula) = &spec.formula else { return Ok(None) };
        self.texts.set_formula(formula);
        let both = formula.span != Span::default()
            && self.input.reference.is_some_and(|text| !text.trim().is_empty());
        let read = match both {
            true => Err(vec![
                Diagnostic::error(
                    Code::V012,
                    "there are two references: a kernel, and the formula of the spec",
                )
                .at(Source::Spec, formula.span)
                .note("give one PTX file only, or take [formula] out"),
            ]),
            false => formula::read(&formula.code),
        };
        read.map(Some).map_err(|errors| self.misfit(errors))
    }

    /// That the formula cannot be used.
    #[cold]
    fn misfit(&mut self, errors: Vec<Diagnostic>) -> Verdicts {
        self.diagnostics.extend(errors);
        let summary = self.first_error(Source::Reference, "the formula is not usable");
        Verdicts { verdict: Verdict::InvalidSpec, summary }
    }

    fn ask(&mut self, mut spec: Spec, kernels: &[(Source, Kernel)], formula: Option<&Reference>) -> Verdicts {
        let mut by_formula = Vec::new();
        if let (Some(formula), Some((_, optimized))) = (formula, kernels.last()) {
            match formula.complete(&mut spec, optimized, &mut self.ledger) {
                Ok(sized) => by_formula = sized,
                Err(errors) => return self.misfit(errors),
            }
        }
        if formula.is_some() {
            // What the spec says of a reference kernel is about another one.
            spec.reference = spec::Side::default();
        }
        let spec = &spec;
        let reference = formula.map(|formula| Asked {
            source: Source::Reference,
            side: &spec.reference,
            kernel: &formula.kernel,
            formula: Some(&formula.program),
        });
        let kernels = kernels.iter().map(|(source, kernel)| Asked {
            source: *source,
            side: side_of(spec, *source),
            kernel,
            formula: None,
        });
        let asked: Vec<Asked<'_>> = reference.into_iter().chain(kernels).collect();
        let claiming = asked.iter().map(|asked| (asked.source, asked.kernel));
        let mut contracts = match Contracts::read(&self.texts, spec, claiming) {
            Ok(contracts) => contracts,
            Err(errors) => return self.unfit(errors),
        };
        match bind(spec, &asked) {
            Ok(bound) => {
                let bound = Bound { by_formula, ..bound };
                let verdicts = self.simulate(spec, &asked, bound, formula, &mut contracts);
                self.report.contracts = contracts.reports(&self.texts);
                let status = verdicts.verdict.exit_status();
                match contracts.leave_open(status == 0).filter(|_| status < 2) {
                    Some(open) => {
                        let summary = format!("{open} Without it: {}", verdicts.summary);
                        self.report.counterexample = None;
                        Verdicts { verdict: Verdict::Unknown, summary }
                    }
                    None => verdicts,
                }
            }
            Err(errors) => {
                self.diagnostics.extend(errors);
                let summary = self.first_error(Source::Spec, "the spec is not complete");
                let summary = self.input.without_spec(summary);
                Verdicts { verdict: Verdict::InvalidSpec, summary }
            }
        }
    }

    /// That a contract cannot be used, or is broken by the launch.
    #[cold]
    fn unfit(&mut self, errors: Vec<Diagnostic>) -> Verdicts {
        let source = errors.first().and_then(|error| Some(error.primary.as_ref()?.source));
        self.diagnostics.extend(errors);
        let summary = self.first_error(source.unwrap_or(Source::Spec), "a contract is not usable");
        Verdicts { verdict: Verdict::InvalidSpec, summary }
    }

    #[cold]
    fn failed(&mut self, failure: contracts::Failure) -> Verdicts {
        match failure {
            contracts::Failure::Wrong(errors) => self.unfit(errors),
            contracts::Failure::Exhausted(why) => self.stopped(why),
        }
    }

    /// Runs the kernels; again with agreed formats if the runs show that they read one tensor
    /// differently.
    fn simulate(
        &mut self,
        spec: &Spec,
        asked: &[Asked<'_>],
        mut bound: Bound,
        formula: Option<&Reference>,
        contracts: &mut Contracts,
    ) -> Verdicts {
        self.budget.enter(Stage::Simulate);
        self.smaller = limits::smaller(spec, &bound, None);
        let begun = self.now();
        let options = sim::Options {
            collectives_order_memory: spec.options.collectives_order_memory,
            same_value_stores_race: spec.options.same_value_stores_race,
            tensor_fences_implied: spec.options.tensor_fences_implied,
            schedule: self.options.schedule,
            timeline_events: self.options.timeline_events,
            stop_at_barrier: None,
            world: self.world,
            open_inputs: false,
        };
        let kernels: Vec<&Kernel> = asked.iter().map(|asked| asked.kernel).collect();
        let clock = self.options.clock;
        let reading = self.reading_options(spec);
        let bounds = match contracts.bounds(spec, &bound, &reading, self.budget) {
            Ok(bounds) => bounds,
            Err(exhausted) => return self.stopped(exhausted),
        };
        let bounded = !bounds.is_empty();
        bound.set_bounds(&bounds);
        let mut runs = match formula {
            Some(formula) => match self.run_beside(formula, &options, spec, kernels[1], &bound) {
                Ok(runs) => runs,
                Err(verdicts) => return verdicts,
            },
            None => run_all(&options, self.budget, &kernels, &bound, clock),
        };
        let changes = disagreements(&bound, &runs.iter().map(|(run, _)| run).collect::<Vec<_>>());
        if !changes.is_empty() && formula.is_none() {
            bound.agree(changes);
            runs = run_all(&options, self.budget, &kernels, &bound, clock);
        }
        self.timings.simulate = self.now() - begun;
        self.diagnostics.append(&mut bound.notes);
        self.ledger.merge(std::mem::take(&mut bound.ledger));
        let mut worst: Option<(Worst, usize)> = None;
        bound.settle();
        let mut required = Vec::new();
        for (at, (run, _)) in runs.iter_mut().enumerate() {
            match contracts.facts(spec, &bound, at, run, self.budget) {
                Ok(facts) => required.push(facts),
                Err(failure) => return self.failed(failure),
            }
        }
        if let (Some(facts), Some((run, _))) = (required.last_mut(), runs.last_mut())
            && !facts.is_empty()
        {
            let run = &mut run.terms;
            match facts.satisfiable(&reading, self.budget, &bound, run) {
                Ok(Satisfiable::Yes) => {
                    contracts.note(facts, &mut self.ledger);
                    let example = facts.example().to_vec();
                    required.iter_mut().for_each(|facts| facts.set_example(example.clone()));
                }
                Ok(Satisfiable::Never) => {
                    let message = "no inputs fulfil what is required";
                    return self.unfit(vec![Diagnostic::error(Code::V013, message)]);
                }
                // Indices were followed within what is required.
                Ok(Satisfiable::Unknown) if bounded => {
                    let summary = "No inputs were found that fulfil all that is required.".to_owned();
                    return Verdicts { verdict: Verdict::Unknown, summary };
                }
                Ok(Satisfiable::Unknown) => {
                    contracts.unmet("no inputs were found that fulfil all that is required");
                    required.fill_with(Facts::default);
                }
                Err(exhausted) => return self.stopped(exhausted),
            }
        }
        for (at, (asked, (run, time))) in asked.iter().zip(&mut runs).enumerate() {
            for look in sim::looks(asked.kernel, &bound.setups[at]) {
                self.looks = true;
                let span = asked.kernel.code[look.instr as usize].span;
                let first = Label { source: asked.source, span, text: String::new() };
                self.ledger.note(Assumption::Environment(look.what), 1, Some(first));
            }
            self.ledger.merge(placed(std::mem::take(&mut run.ledger), asked.source));
            if asked.formula.is_none() {
                self.report.kernels.push(kernel_report(asked, &bound.setups[at].launch, run, *time));
            }
            if self.options.timeline_events > 0 && asked.formula.is_none() {
                let timeline = std::mem::take(&mut run.timeline);
                self.timelines.push(Recording::new(&self.texts, asked.source, asked.kernel, timeline));
            }
            if run.faults.is_empty() && asked.formula.is_none() {
                let about = (at, asked.kernel, at + 1 == kernels.len());
                if let Err(failure) = contracts.suspect(spec, &bound, about, run, self.budget) {
                    return self.failed(failure);
                }
            }
            if let Err(exhausted) = required[at].restrict(run, self.budget) {
                return self.stopped(exhausted);
            }
            let known = (&required[at], bound.setups[at].unknowable.0);
            let settled = suspects::judge(&reading, self.budget, asked.kernel, &bound.elements, run, known);
            let settled = match settled {
                Ok(settled) => settled,
                Err(exhausted) => return self.stopped(exhausted),
            };
            contracts.settle(
                settled.found.iter().map(|(fault, _)| &fault.kind),
                settled.open.iter().map(|(fault, why)| (&fault.kind, why.as_str())),
            );
            self.ledger.merge(placed(settled.ledger, asked.source));
            let scene = Cooking {
                texts: &self.texts,
                source: asked.source,
                kernel: asked.kernel,
                run,
                budget: self.budget,
                bound: &bound,
                contracts,
            };
            let Cooked { worst: found, races, waits, diagnostics } =
                faults::cook(&scene, &settled.found, &settled.open);
            self.report.races.extend(races);
            self.report.waits.extend(waits);
            self.diagnostics.extend(diagnostics);
            if let Some(found) = found
                && worst.as_ref().is_none_or(|(worst, _)| rank(found.verdict) < rank(worst.verdict))
            {
                worst = Some((found, at));
            }
        }
        let mut comparison =
            collect(&bound, &mut runs.iter_mut().map(|(run, _)| run).collect::<Vec<_>>(), &kernels);
        bound.settle();
        let question = (spec, &bound, formula);
        let guarded = match inside::guarded(question, &required, &comparison, &mut runs, self.budget) {
            Ok(guarded) => guarded,
            Err(exhausted) => return self.stopped(exhausted),
        };
        let runs: Vec<&Run> = runs.iter().map(|(run, _)| run).collect();
        self.report.tensors = reaches::tensor_reports(&bound, &comparison, &runs, asked);
        self.wants_all =
            !self.settled && grid::should_run(spec, asked, &bound, &comparison, &runs, self.budget.fuel);
        self.ran = worst.is_none();
        if self.wants_all && !matches!(self.options.portions, Portions::Whole) {
            // What is decided elsewhere is about all CTAs.
            let summary = "Other CTAs of the grid were not run.".to_owned();
            return Verdicts { verdict: Verdict::Unknown, summary };
        }
        if let Some((Worst { verdict, code, sentence, example }, at)) = worst {
            if let Some(example) = example {
                let reached: Vec<u64> =
                    (0..bound.tensors.len()).map(|tensor| reaches::reached(tensor, &runs)).collect();
                let inputs = witness::inputs(&bound, &comparison.roles, &example);
                let spec = witness::replay(spec, &bound, &example, &reached);
                self.report.reached_by = Some(ReachedBy { inputs, spec });
            }
            self.report.hint = match verdict {
                Verdict::ResourceLimit => {
                    let threads: u32 = bound.setups[at].launch.block.iter().product();
                    let threads =
                        u64::from(threads.max(1)) * bound.setups[at].launch.ctas.len().max(1) as u64;
                    let executed = runs[at].stats.thread_instructions / threads;
                    Some(limits::smaller(spec, &bound, Some(executed)))
                }
                verdict => fault_hint(verdict, code, &sentence, &bound, &runs),
            };
            let summary = match verdict {
                Verdict::Unknown => format!("In `{}`: {sentence}", asked[at].kernel.title()),
                _ if asked.len() == 1 || formula.is_some() => {
                    format!("{} in `{}`: {sentence}", fault_name(verdict, code), asked[at].kernel.title())
                }
                _ => format!(
                    "{} in the {} kernel `{}`: {sentence}",
                    fault_name(verdict, code),
                    asked[at].source,
                    asked[at].kernel.title()
                ),
            };
            return Verdicts { verdict, summary };
        }
        self.diagnostics.append(&mut comparison.notes);
        self.ledger.merge(std::mem::take(&mut comparison.ledger));
        if asked.len() == 2 && formula.is_none() {
            self.diagnostics.extend(reaches::further(&options, self.budget, asked, &bound, &runs));
        }
        let reached: Vec<u64> =
            (0..bound.tensors.len()).map(|tensor| reaches::reached(tensor, &runs)).collect();
        let side =
            |at: usize| Side { source: asked[at].source, kernel: asked[at].kernel, terms: &runs[at].terms };
        let last = asked.len() - 1;
        let sides = [side(0), side(last)];
        if last == 0 {
            let options = self.reading_options(spec);
            let scene = Scene {
                texts: &self.texts,
                bound: &bound,
                sides,
                reached: &reached,
                options,
                reading: None,
                budget: self.budget,
            };
            match evidence::single(&scene, &comparison) {
                Ok(outputs) => self.report.outputs = outputs,
                Err(exhausted) => return self.stopped(exhausted),
            }
            if cfg!(feature = "afterwards") && self.options.formulas {
                match tell::candidates(&scene, spec, &comparison) {
                    Ok(candidates) => self.candidates = candidates,
                    Err(exhausted) => return self.stopped(exhausted),
                }
            }
            return single_verdict(asked[0].kernel, &self.report);
        }
        self.decide(
            spec,
            &bound,
            sides,
            &comparison,
            required.last().zip(guarded.as_deref()),
            (&reached, &runs),
        )
    }

    /// Runs a kernel, and then its formula for what the kernel wrote.
    fn run_beside(
        &mut self,
        formula: &Reference,
        options: &sim::Options,
        spec: &Spec,
        kernel: &Kernel,
        bound: &Bound,
    ) -> Result<Vec<(Run, Option<f64>)>, Verdicts> {
        let run = |numbered: bool| {
            if numbered {
                bound.number_what_is_touched();
            }
            let begun = self.now();
            let mut run = sim::simulate(options, self.budget, kernel, &bound.setups[1]);
            mark_hidden(&mut run, options, self.budget, kernel, &bound.setups[1]);
            (run, self.options.clock.map(|clock| clock() - begun))
        };
        let mut ran = run(bound.needs_pages());
        if ran.0.unnumbered {
            ran = run(true);
        }
        // Where the kernel has a fault, nothing is compared.
        if !ran.0.faults.is_empty() {
            return Ok(vec![(Run::default(), None), ran]);
        }
        let mut result = formula.run(spec, bound, &ran.0, self.budget);
        if let Err(Failure::Unnumbered) = result {
            ran = run(true);
            result = formula.run(spec, bound, &ran.0, self.budget);
        }
        match result {
            Ok(reference) => Ok(vec![(reference, None), ran]),
            Err(Failure::Wrong(errors)) => Err(self.misfit(errors)),
            Err(Failure::Exhausted(why)) => Err(self.stopped(why)),
            Err(Failure::Unnumbered) => Err(self.stopped(Exhausted::Memory)),
        }
    }

    fn decide(
        &mut self,
        spec: &Spec,
        bound: &Bound,
        sides: [Side<'_>; 2],
        comparison: &Comparison,
        guarded: Option<(&Facts, &[(Term, Term)])>,
        (reached, runs): (&[u64], &[&Run]),
    ) -> Verdicts {
        self.budget.enter(Stage::Decide);
        let begun = self.now();
        let problem = Problem {
            reference: sides[0].terms,
            optimized: sides[1].terms,
            elements: &bound.elements,
            pairs: guarded.map_or(&comparison.pairs, |(_, pairs)| pairs),
        };
        let options = decide::Options { outputs: true, ..self.reading_options(spec) };
        // The page never asks for that; a constant here keeps its code out of what is downloaded.
        if let Some(language) = self.options.export.filter(|_| cfg!(not(target_family = "wasm"))) {
            let kernels = sides.map(|side| side.kernel.name.as_str());
            return self.export(language, &options, &problem, kernels, bound, comparison);
        }
        // One portion is for somebody else. (The page has none; a constant keeps their code out of what is downloaded.)
        if let Portions::One(which, of) = self.options.portions
            && cfg!(not(target_family = "wasm"))
        {
            return match Portion::decide(options, self.budget, &problem, (which, of)) {
                Ok(portion) => {
                    self.portion = Some(portion);
                    let summary = "A portion of the outputs was decided.".to_owned();
                    Verdicts { verdict: Verdict::Unknown, summary }
                }
                Err(exhausted) => self.stopped(exhausted),
            };
        }
        let whole = matches!(self.options.portions, Portions::Whole) || cfg!(target_family = "wasm");
        let decided =
            if whole { self.decided(options, &problem) } else { self.in_portions(options, &problem) };
        let (mut decision, reading, options) = match decided {
            Ok(decided) => decided,
            Err(exhausted) => return self.stopped(exhausted),
        };
        self.in_range = options.in_range;
        self.timings.decide = self.now() - begun - self.timings.check;
        let begun = self.now();
        if let Some((facts, pairs)) = guarded {
            let stores = [problem.reference, problem.optimized];
            if let Err(exhausted) =
                contracts::complete(facts, problem.elements, &mut decision, pairs, stores, self.budget)
            {
                return self.stopped(exhausted);
            }
        }
        withdraw_unknowables(comparison, bound, runs, &sides.map(|side| side.kernel), &mut decision);
        grid::withdraw(comparison, bound, sides.map(|side| side.kernel), &mut decision);
        if let Some(reading) = &reading
            && let about = (&bound.elements, &decision)
            && let Err(why) = one_way::note(&options, self.budget, reading, &sides, about, &mut self.ledger)
        {
            return self.stopped(why);
        }
        self.timings.check += self.now() - begun;
        self.ledger.merge(std::mem::take(&mut decision.ledger));
        let parts = decision.groups.iter().filter_map(|group| match &group.equality {
            Equality::Close(close) => Some(close.part),
            _ => None,
        });
        self.report.rounding_bound = parts.max_by(f64::total_cmp);
        let (reading, budget) = (reading.as_ref(), self.budget);
        let scene = Scene { texts: &self.texts, bound, sides, reached, options, reading, budget };
        let shown = evidence::outputs(&scene, comparison, &decision).and_then(|outputs| {
            let trace = self.trace(spec);
            let trace = trace.as_ref();
            Ok((outputs, evidence::counterexample(&scene, spec, comparison, &decision, trace)?))
        });
        match shown {
            Ok(((outputs, diagnostics), counterexample)) => {
                self.report.outputs = outputs;
                self.report.counterexample = counterexample;
                self.diagnostics.extend(diagnostics);
            }
            Err(exhausted) => return self.stopped(exhausted),
        }
        let integers = !sides[0].kernel.formula && evidence::only_integers(bound, &self.ledger);
        if integers {
            self.ledger.remove(|assumption| *assumption == Assumption::FiniteValues);
        }
        pair_verdict(sides, &mut self.report, integers)
    }

    /// Decides all pairs and confirms the answers; how the pairs were read, and with which options.
    fn decided<'t>(
        &mut self,
        options: decide::Options,
        problem: &Problem<'t>,
    ) -> Result<(Decision, Option<Reading<'t>>, decide::Options), Exhausted> {
        let meanwhile = |reading: &Reading<'_>, unwanted: &AtomicBool| {
            check::values_ahead(self.budget, problem.elements, reading, unwanted)
        };
        let (decided, options) = ranges::decide(options, self.budget, problem, meanwhile)?;
        let (mut decision, reading) = (decided.decision, decided.reading);
        self.budget.enter(Stage::Check);
        let begun = self.now();
        let ahead = check::Ahead { reading: reading.as_ref(), values: decided.meanwhile.flatten() };
        self.report.checked = Some(confirmed(&options, self.budget, problem, &mut decision, ahead)?);
        self.timings.check = self.now() - begun;
        Ok((decision, reading, options))
    }

    /// The same in portions: those that there are, or all of them in turn.
    fn in_portions<'t>(
        &mut self,
        options: decide::Options,
        problem: &Problem<'t>,
    ) -> Result<(Decision, Option<Reading<'t>>, decide::Options), Exhausted> {
        let portions = match self.options.portions {
            Portions::Decided(portions) => portions.to_vec(),
            Portions::Each(of) | Portions::One(_, of) => (0..of)
                .map(|which| Portion::decide(options, self.budget, problem, (which, of)))
                .collect::<Result<_, _>>()?,
            Portions::Whole => Vec::new(),
        };
        let Joined { decision, options, checked } = Portion::join(portions, options, problem.pairs.len());
        self.report.checked = Some(checked);
        let mut unused = Ledger::default();
        let reading = Reading::of(&options, self.budget, problem, problem.pairs, &mut unused)?;
        Ok((decision, Some(reading), options))
    }

    /// How to run the kernels again for the origins of what differs, if that was asked for.
    fn trace(&self, spec: &Spec) -> Option<sim::Options> {
        let most = self.options.origins?;
        let small = self.report.kernels.iter().all(|kernel| kernel.thread_instructions <= most);
        small.then(|| sim::Options {
            collectives_order_memory: spec.options.collectives_order_memory,
            same_value_stores_race: spec.options.same_value_stores_race,
            tensor_fences_implied: spec.options.tensor_fences_implied,
            schedule: self.options.schedule,
            ..sim::Options::default()
        })
    }

    fn reading_options(&self, spec: &Spec) -> decide::Options {
        decide::Options {
            exact_constants: spec.options.exact_constants,
            exact_proof: self.options.exact_proof,
            outputs: false,
            in_range: false,
        }
    }

    /// Writes the conditions down. What they leave out would make them say less than the question,
    /// so it is refused.
    #[cold]
    fn export(
        &mut self,
        language: export::Language,
        options: &decide::Options,
        problem: &Problem<'_>,
        kernels: [&str; 2],
        bound: &Bound,
        comparison: &Comparison,
    ) -> Verdicts {
        let alone = comparison.outputs.iter().find_map(|output| Some((output, output.one_sided.first()?)));
        let name = |at: usize| {
            let place = comparison.places[at];
            comparison.outputs[place.output].name(bound, place.index)
        };
        let written = match alone {
            Some((output, element)) => Err(export::Failure::Refused(format!(
                "only the {} kernel writes `{}`, which no pair of expressions can say",
                element.writer,
                output.name(bound, element.index)
            ))),
            None if comparison.pairs.is_empty() => {
                let message = "there is nothing to compare: neither kernel writes an output";
                Err(export::Failure::Refused(message.to_owned()))
            }
            None => export::conditions(language, options, self.budget, problem, kernels, &name),
        };
        let summary = match written {
            Ok(text) => {
                self.conditions = Some(text);
                "The conditions were written down and not decided.".to_owned()
            }
            Err(export::Failure::Refused(refused)) => {
                format!("The conditions cannot be written down: {refused}.")
            }
            Err(export::Failure::Exhausted(exhausted)) => return self.stopped(exhausted),
        };
        Verdicts { verdict: Verdict::Unknown, summary }
    }

    #[cold]
    fn stopped(&mut self, exhausted: Exhausted) -> Verdicts {
        let (verdict, code) = match exhausted {
            Exhausted::Cancelled => (Verdict::Cancelled, Code::B002),
            Exhausted::Fuel | Exhausted::Memory | Exhausted::Time => (Verdict::ResourceLimit, Code::B001),
        };
        if verdict == Verdict::ResourceLimit {
            self.report.hint = Some(self.smaller.clone());
        }
        let message = limits::comparison(exhausted, self.budget);
        let ran = if self.report.kernels.len() == 1 { "the kernel" } else { "both kernels" };
        let summary = format!("{}; {ran} ran without a fault.", capital(&message));
        self.diagnostics.push(Diagnostic::error(code, message));
        Verdicts { verdict, summary }
    }

    /// The first error, in a sentence with its place.
    #[cold]
    fn first_error(&self, source: Source, otherwise: &str) -> String {
        let errors = || self.diagnostics.iter().filter(|d| d.severity == Severity::Error);
        let here = |d: &&Diagnostic| d.primary.as_ref().is_some_and(|label| label.source == source);
        let Some(first) = errors().find(here).or_else(|| errors().next()) else {
            return format!("{otherwise}.");
        };
        let more = limits::more_errors(errors());
        match &first.primary {
            Some(label) => {
                let at = self.texts.location(label.source, label.span);
                let line = at.line;
                let kernel = self.input.reference_kernel().filter(|text| !text.trim().is_empty());
                let text = match (at.source, kernel) {
                    (TextSource::Spec, _) => "Spec".to_owned(),
                    (TextSource::Reference, None) => "Formula".to_owned(),
                    (_, None) => "PTX".to_owned(),
                    (TextSource::Reference, _) => "Reference PTX".to_owned(),
                    (TextSource::Optimized, _) => "Optimized PTX".to_owned(),
                };
                format!("{text}, line {line}: {}{more}.", first.message)
            }
            None => format!("{}{more}.", capital(&first.message)),
        }
    }
}

pub(super) fn fronts(input: &Input<'_>, spec: &Spec) -> Vec<(Source, Front)> {
    let optimized = || load(Source::Optimized, input.optimized, spec.optimized.entry.as_deref());
    match input.reference_kernel().filter(|_| spec.formula.is_none()) {
        Some(text) => {
            let (reference, optimized) =
                rayon::join(|| load(Source::Reference, text, spec.reference.entry.as_deref()), optimized);
            vec![(Source::Reference, reference), (Source::Optimized, optimized)]
        }
        None => vec![(Source::Optimized, optimized())],
    }
}

/// The spec's section of a kernel.
pub fn side_of(spec: &Spec, source: Source) -> &spec::Side {
    match source {
        Source::Reference => &spec.reference,
        Source::Optimized | Source::Spec => &spec.optimized,
    }
}

/// Runs one kernel, or two side by side; with the milliseconds each took.
fn run_all(
    options: &sim::Options,
    budget: &Budget,
    kernels: &[&Kernel],
    bound: &Bound,
    clock: Option<&(dyn Fn() -> f64 + Sync)>,
) -> Vec<(Run, Option<f64>)> {
    let one_done = AtomicBool::new(false);
    let run = |at: usize| {
        let begun = clock.map(|clock| clock());
        let mut run = sim::simulate(options, budget, kernels[at], &bound.setups[at]);
        mark_hidden(&mut run, options, budget, kernels[at], &bound.setups[at]);
        let time = clock.zip(begun).map(|(clock, begun)| clock() - begun);
        // Whoever is done first leaves a thread idle: it gets ready for the decision.
        let idle = kernels.len() > 1 && !one_done.swap(true, Ordering::Relaxed);
        if idle && run.faults.is_empty() && rayon::current_num_threads() > 1 {
            rayon::spawn(decide::prepare);
        }
        (run, time)
    };
    on_each(bound, kernels.len(), run, |(run, _)| run.unnumbered)
}

/// Does something with each kernel of a question: side by side, unless elements have to be numbered as
/// they are touched, which `unnumbered` finds in a result.
pub fn on_each<R: Send>(
    bound: &Bound,
    kernels: usize,
    run: impl Fn(usize) -> R + Sync,
    unnumbered: impl Fn(&R) -> bool,
) -> Vec<R> {
    if kernels == 2 && !bound.needs_pages() && !bound.pages.is_open() {
        let (reference, optimized) = rayon::join(|| run(0), || run(1));
        if !unnumbered(&reference) && !unnumbered(&optimized) {
            return vec![reference, optimized];
        }
    }
    bound.number_what_is_touched();
    (0..kernels).map(run).collect()
}

/// Says of each race whether it is one only because a warp's collectives do not order memory: whether
/// a second run, in which they do, is without it.
#[cold]
fn mark_hidden(run: &mut Run, options: &sim::Options, budget: &Budget, kernel: &Kernel, setup: &Setup) {
    let races = |run: &Run| -> Vec<(u32, u32)> {
        run.races().map(|race| (race.first.site.instr, race.second.site.instr)).collect()
    };
    let collective = |effect: &Effect| {
        matches!(
            effect,
            Effect::Matrix(_)
                | Effect::Shuffle(_)
                | Effect::Vote(_)
                | Effect::Match { .. }
                | Effect::Redux { .. }
                | Effect::Elect
        )
    };
    if !kernel.code.iter().any(|instr| collective(&instr.effect))
        || options.collectives_order_memory
        || races(run).is_empty()
    {
        return;
    }
    let options = sim::Options { collectives_order_memory: true, timeline_events: 0, ..*options };
    let ordered = sim::simulate(&options, budget, kernel, setup);
    let ends = |fault: &sim::Fault| matches!(fault.kind, FaultKind::Exhausted(_) | FaultKind::EndlessLoop(_));
    if ordered.faults.iter().any(ends) {
        return;
    }
    let remaining = races(&ordered);
    for race in run.races_mut() {
        race.hidden_by_collectives = !remaining.contains(&(race.first.site.instr, race.second.site.instr));
    }
}

/// A run does not know which text its kernel came from.
fn placed(ledger: Ledger, source: Source) -> Ledger {
    let mut placed = Ledger::default();
    for (assumption, noted) in ledger.entries() {
        let first = noted.first.clone().map(|mut label| {
            label.source = source;
            label
        });
        placed.note(assumption.clone(), noted.count, first);
    }
    placed
}

fn kernel_report(asked: &Asked<'_>, launch: &spec::Launch, run: &Run, time: Option<f64>) -> KernelReport {
    KernelReport {
        side: asked.source.into(),
        name: asked.kernel.name.clone(),
        title: asked.kernel.title().into_owned(),
        grid: launch.grid,
        block: launch.block,
        ctas: launch.ctas.len() as u32,
        thread_instructions: run.stats.thread_instructions,
        warp_instructions: run.stats.warp_instructions,
        barriers: run.stats.cta_barriers,
        warp_syncs: run.stats.warp_syncs,
        bytes: run.stats.bytes,
        terms: run.stats.terms,
        time,
    }
}

/// A diagnostic with its places; the kernels know the CUDA lines.
pub fn diagnostic(
    texts: &Texts<'_>,
    kernels: &[(Source, Kernel)],
    diagnostic: &Diagnostic,
) -> DiagnosticReport {
    let label = |label: &Label| {
        let kernel = kernels.iter().find(|(source, _)| *source == label.source).map(|(_, kernel)| kernel);
        let instr = kernel.and_then(|kernel| {
            let at = kernel.code.iter().position(|instr| instr.span == label.span)?;
            cuda(kernel, at as u32)
        });
        LabelReport { at: texts.location(label.source, label.span), text: label.text.clone(), cuda: instr }
    };
    DiagnosticReport {
        code: diagnostic.code.to_string(),
        severity: diagnostic.severity.into(),
        message: diagnostic.message.clone(),
        primary: diagnostic.primary.as_ref().filter(|label| label.span != Span::default()).map(label),
        related: diagnostic.related.iter().map(label).collect(),
        notes: diagnostic.notes.clone(),
    }
}
