//! Contracts: what the spec and a kernel's author claim, and whether it holds.
//!
//! A condition is an expression in the language of formulas. *Requires* speaks of inputs, scalars and the launch:
//! what is known has to hold, or the launch is refused; what is not becomes facts, which everything else is asked
//! under. *Ensures* speaks of what a kernel leaves behind, *assert* of the registers of one thread, or of each two.
//! A claim is broken if there are inputs for which it does not hold, so it becomes suspects ([`super::suspects`]):
//! proofs, witnesses and the second opinion are those of faults under conditions. `a == b` is asked as two values
//! that must not differ, `a <= b` as max(a, b) and b, and anything else by its negation.
//!
//! Guarantees: no claim counts as held that was not evaluated for every thread that came by, under every condition
//! that it came by under; facts are only used where inputs were found that fulfil them all.
//! Misses: facts that share no inputs with a question, directly or by others, are left out of it.

use super::bind::Bound;
use super::formula::{exactly, initially, inputs};
use super::model::{ContractReport, ContractState};
use super::suspects::{self, exact};
use super::texts::Texts;
use crate::base::{Budget, Exhausted, Source, Span};
use crate::decide::{self, Decision, Equality, Held, Problem, Witness};
use crate::diag::{Assumption, Code, Diagnostic, Label, Ledger};
use crate::formula::{self, Elaborated, Evaluation, Id, Input, Op, Operation, Program, Stopped};
use crate::ir::{Claim, ClaimKind, Kernel};
use crate::sim::{Fault, FaultKind, Observation, Run, Suspect, TensorState, Thread};
use crate::spec::{self, Literal, Spec};
use crate::term::eval::{Cone, Quantity};
use crate::term::{Elements, Node, Relation, Term, Terms};
use num_rational::BigRational;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

/// Pairs of threads that one assertion may compare one by one.
const PAIRS: u64 = 1 << 20;

/// One contract.
pub struct Contract {
    /// What it is.
    pub kind: ClaimKind,
    /// The word for it.
    word: String,
    /// The condition as written.
    text: String,
    source: Source,
    span: Span,
    /// Which of the kernels it is about, and which of that kernel's claims it is; the spec's are of none.
    of: Option<(usize, usize)>,
    program: Program,
    state: ContractState,
    reason: Option<String>,
}

/// All contracts of a question.
#[derive(Default)]
pub struct Contracts {
    all: Vec<Contract>,
}

/// Conditions on the inputs that everything is asked under, over the terms of one run.
#[derive(Default)]
pub struct Facts {
    /// Each with the inputs that it speaks of.
    all: Vec<(Term, Vec<u32>)>,
    /// Inputs that fulfil all; what is not listed is 0.
    example: Vec<(u32, BigRational)>,
}

/// Why contracts cannot be asked about.
pub enum Failure {
    /// They do not fit, or the launch breaks them.
    Wrong(Vec<Diagnostic>),
    /// The budget.
    Exhausted(Exhausted),
}

impl From<Exhausted> for Failure {
    fn from(why: Exhausted) -> Failure {
        Failure::Exhausted(why)
    }
}

/// What a name in a condition stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A tensor before the launch.
    Initial(usize),
    /// A tensor after it.
    Final(usize),
    Scalar(usize),
    /// A register of this thread, or of the other one.
    Register(usize, bool),
    /// A coordinate of this thread, or of the other one.
    Coordinate(usize, bool),
    /// A number.
    Known,
}

/// The names that a condition can use.
struct Scope {
    inputs: Vec<Input>,
    origins: Vec<Origin>,
}

/// What CUDA calls a thread's coordinates: six numbers.
const COORDINATES: [&str; 6] =
    ["threadIdx.x", "threadIdx.y", "threadIdx.z", "blockIdx.x", "blockIdx.y", "blockIdx.z"];

fn coordinate(thread: Thread, at: usize) -> u32 {
    if at < 3 { thread.tid[at] } else { thread.cta[at - 3] }
}

impl Contracts {
    /// Reads all contracts: the spec's, and those of the kernels.
    pub fn read<'k>(
        texts: &Texts<'_>,
        spec: &Spec,
        kernels: impl Iterator<Item = (Source, &'k Kernel)>,
    ) -> Result<Contracts, Vec<Diagnostic>> {
        let mut all = Vec::new();
        let mut wrong = Vec::new();
        let mut read = |kind, word: &str, text: &str, readable: &str, (source, span), of| {
            let (program, problems) = formula::condition(readable);
            for problem in problems {
                wrong.push(told(problem, source, span, text));
            }
            let (word, text) = (word.to_owned(), text.to_owned());
            let (state, reason) = (ContractState::Holds, None);
            all.push(Contract { kind, word, text, source, span, of, program, state, reason });
        };
        let spec_text = texts.text(Source::Spec);
        let sections = [
            (ClaimKind::Requires, "requires", &spec.requires),
            (ClaimKind::Ensures, "ensures", &spec.ensures),
        ];
        for (kind, word, conditions) in sections {
            for condition in conditions {
                let from = condition.span.text(spec_text).find(&condition.code);
                let start = condition.span.start as usize + from.unwrap_or(0);
                let span = from.map_or(condition.span, |_| Span::new(start, start + condition.code.len()));
                read(kind, word, &condition.code, &condition.code, (Source::Spec, span), None);
            }
        }
        for (at, (source, kernel)) in kernels.enumerate() {
            for (index, claim) in kernel.claims.iter().enumerate() {
                let Claim { kind, word, text, span, .. } = claim;
                read(*kind, word, text, &readable(claim), (source, *span), Some((at, index)));
            }
        }
        if wrong.is_empty() { Ok(Contracts { all }) } else { Err(wrong) }
    }

    /// What the report says of each.
    pub fn reports(&self, texts: &Texts<'_>) -> Vec<ContractReport> {
        let each = |contract: &Contract| ContractReport {
            word: contract.word.clone(),
            text: contract.text.clone(),
            state: contract.state,
            reason: contract.reason.clone(),
            at: texts.location(contract.source, contract.span),
        };
        self.all.iter().map(each).collect()
    }

    /// What is left of an answer that contracts leave open, as a sentence: good news need all claims, and inputs
    /// that show something have to fulfil what is required.
    pub fn leave_open(&self, good: bool) -> Option<String> {
        let open = self.all.iter().find(|contract| {
            contract.state == ContractState::Unknown && (contract.kind == ClaimKind::Requires) != good
        })?;
        let reason = open.reason.as_deref().unwrap_or("it was not asked");
        Some(format!("Nobody can tell about `{}`: {reason}.", open.title()))
    }

    /// Where a claim stands.
    pub fn label(&self, index: u32) -> Label {
        let contract = &self.all[index as usize];
        Label { source: contract.source, span: contract.span, text: String::new() }
    }

    /// What is required, as facts over a run's terms.
    pub fn facts(
        &self,
        spec: &Spec,
        bound: &Bound,
        at: usize,
        run: &mut Run,
        budget: &Budget,
    ) -> Result<Facts, Failure> {
        let mut facts = Facts::default();
        let mut wrong = Vec::new();
        for contract in self.all.iter().filter(|contract| contract.kind == ClaimKind::Requires) {
            let owner = contract.of.map_or(bound.setups.len() - 1, |(owner, _)| owner);
            let scope = Scope::of_launch(spec, bound, owner, run, false);
            let elaborated = contract.elaborate(&scope).map_err(|problem| Failure::Wrong(vec![problem]))?;
            let mut asked = Asked::new(contract, bound, at, run, &scope, budget);
            let clauses = asked.clauses(&elaborated)?;
            for (place, term) in clauses {
                if term == Term::FALSE {
                    wrong.push(contract.refused(&scope, &place));
                    break;
                }
                if term != Term::TRUE {
                    let cone = Cone::of(&run.terms, &[term], budget)?;
                    facts.all.push((term, cone.elements().to_vec()));
                }
            }
        }
        if wrong.is_empty() { Ok(facts) } else { Err(Failure::Wrong(wrong)) }
    }

    /// Notes what is required of inputs; what is known to hold is nothing that has to be assumed.
    pub fn note(&self, facts: &Facts, ledger: &mut Ledger) {
        if facts.all.is_empty() {
            return;
        }
        for contract in self.all.iter().filter(|contract| contract.kind == ClaimKind::Requires) {
            let first = Label { source: contract.source, span: contract.span, text: String::new() };
            ledger.note(Assumption::Required(contract.text.clone()), 1, Some(first));
        }
    }

    /// Adds to a run's suspects what its claims would be broken by. `last`: it is the run that the spec's claims
    /// are about.
    pub fn suspect(
        &mut self,
        spec: &Spec,
        bound: &Bound,
        (at, kernel, last): (usize, &Kernel, bool),
        run: &mut Run,
        budget: &Budget,
    ) -> Result<(), Failure> {
        for index in 0..self.all.len() {
            let contract = &self.all[index];
            let mine = contract.of.map_or(last, |(owner, _)| owner == at);
            let found = match contract.kind {
                ClaimKind::Assert if mine => contract.asserted(spec, bound, (at, kernel), run, budget)?,
                ClaimKind::Ensures if mine => {
                    let scope = Scope::of_launch(spec, bound, at, run, true);
                    let elaborated =
                        contract.elaborate(&scope).map_err(|problem| Failure::Wrong(vec![problem]))?;
                    let mut asked = Asked::new(contract, bound, at, run, &scope, budget);
                    match asked.clauses(&elaborated) {
                        Ok(clauses) => Found { clauses: unconditional(clauses), reason: None },
                        Err(failure) => return Err(failure),
                    }
                }
                _ => continue,
            };
            self.list(index, found, run);
        }
        Ok(())
    }

    fn list(&mut self, index: usize, found: Found, run: &mut Run) {
        let contract = &mut self.all[index];
        if let Some(reason) = found.reason {
            (contract.state, contract.reason) = (ContractState::Unknown, Some(reason));
        }
        let mut seen = FxHashSet::default();
        for Clause { place, path, holds, who, site } in found.clauses {
            if holds == Term::TRUE || path == Term::FALSE || !seen.insert((path, holds)) {
                continue;
            }
            let what = format!("`{}` does not hold{place}{who}", contract.title());
            let fault = Fault::new(FaultKind::Broken(index as u32, what), site);
            if holds == Term::FALSE && path == Term::TRUE {
                (contract.state, contract.reason) = (ContractState::Broken, None);
                run.faults.push(fault);
                return;
            }
            let (condition, values) = question(&mut run.terms, path, holds);
            run.suspects.push(Suspect { fault, condition, values });
        }
    }

    /// Takes over what became of the suspects.
    pub fn settle<'f>(
        &mut self,
        found: impl Iterator<Item = &'f FaultKind>,
        open: impl Iterator<Item = (&'f FaultKind, &'f str)>,
    ) {
        for (kind, why) in open {
            if let FaultKind::Broken(index, _) = kind {
                let contract = &mut self.all[*index as usize];
                (contract.state, contract.reason) = (ContractState::Unknown, Some(why.to_owned()));
            }
        }
        for kind in found {
            if let FaultKind::Broken(index, _) = kind {
                let contract = &mut self.all[*index as usize];
                (contract.state, contract.reason) = (ContractState::Broken, None);
            }
        }
    }

    /// That requirements were not used to prove anything, where nobody knows inputs that fulfil them.
    pub fn unmet(&mut self, why: &str) {
        for contract in self.all.iter_mut().filter(|contract| contract.kind == ClaimKind::Requires) {
            (contract.state, contract.reason) = (ContractState::Unknown, Some(why.to_owned()));
        }
    }
}

/// Whether there are inputs that fulfil all facts.
pub enum Satisfiable {
    /// Some were found.
    Yes,
    /// None exist.
    Never,
    /// Nobody can tell.
    Unknown,
}

impl Facts {
    /// Whether nothing is required of inputs.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Looks for inputs that fulfil all, and keeps them.
    pub fn satisfiable(
        &mut self,
        options: &decide::Options,
        budget: &Budget,
        bound: &Bound,
        terms: &mut Terms,
    ) -> Result<Satisfiable, Exhausted> {
        let all = self.all.iter().map(|(fact, _)| *fact);
        let all = conjunction(terms, all);
        match decide::look_everywhere(terms, &bound.elements, all) {
            Some(Held::Never) => return Ok(Satisfiable::Never),
            Some(Held::At(inputs)) => {
                self.example = inputs;
                return Ok(Satisfiable::Yes);
            }
            None => {}
        }
        let one = terms.select(all, Term::ONE, Term::ZERO);
        let pairs = [(one, Term::ZERO)];
        let terms = &*terms;
        let problem =
            Problem { reference: terms, optimized: terms, elements: &bound.elements, pairs: &pairs };
        let decided = decide::decide_while(options, budget, &problem, |_, _| ())?;
        match decided.decision.groups.first().map(|group| &group.equality) {
            Some(Equality::Different(witness)) => {
                let witness = suspects::listed(terms, &bound.elements, &[one], witness, budget)?;
                let listed: FxHashMap<u32, &BigRational> =
                    witness.inputs.iter().map(|(element, value)| (*element, value)).collect();
                let value = |element: &u32| listed.get(element).copied().unwrap_or(&witness.default).clone();
                let cone = Cone::of(terms, &[one], budget)?;
                self.example = cone.elements().iter().map(|element| (*element, value(element))).collect();
                Ok(Satisfiable::Yes)
            }
            Some(Equality::Equal(_)) => Ok(Satisfiable::Never),
            _ => {
                let known =
                    |at| terms.as_rational(Term::constant(at)).map_or(Quantity::Unknown, Quantity::rational);
                let constants: Vec<_> = (0..terms.constants().len()).map(known).collect();
                let Some(found) = decide::reach(terms, &constants, &bound.elements, one, budget)? else {
                    return Ok(Satisfiable::Unknown);
                };
                self.example = found.into_iter().map(|(element, value)| (element, exact(value))).collect();
                Ok(Satisfiable::Yes)
            }
        }
    }

    /// Inputs that fulfil all, once some were found.
    pub fn example(&self) -> &[(u32, BigRational)] {
        &self.example
    }

    /// Takes over inputs that fulfil the same facts over another run's terms.
    pub fn set_example(&mut self, example: Vec<(u32, BigRational)>) {
        self.example = example;
    }

    /// Lets inputs fulfil also the facts that do not concern a question. `cone`: the inputs that it depends on.
    pub fn complete(&self, elements: &Elements, cone: &FxHashSet<u32>, witness: &mut Witness) {
        if self.all.is_empty() {
            return;
        }
        if let Some(point) = witness.point.take() {
            let value = |element: &u32| match decide::witness::plain(elements, point, *element) {
                Quantity::Exact(value) => exact(value),
                _ => witness.default.clone(),
            };
            let mut concerned: Vec<u32> = cone.iter().copied().collect();
            concerned.sort_unstable();
            witness.inputs = concerned.iter().map(|element| (*element, value(element))).collect();
        }
        let others = self.example.iter().filter(|(element, _)| !cone.contains(element));
        witness.inputs.extend(others.cloned());
        witness.inputs.sort_by_key(|(element, _)| *element);
    }

    /// The facts that concern what some terms depend on, as one condition.
    pub fn about(&self, terms: &mut Terms, roots: &[Term], budget: &Budget) -> Result<Term, Exhausted> {
        if self.all.is_empty() {
            return Ok(Term::TRUE);
        }
        let cone = Cone::of(terms, roots, budget)?;
        self.concerning(terms, cone.elements().iter().copied().collect(), budget)
    }

    /// The facts that concern some inputs, directly or by others, as one condition.
    fn concerning(
        &self,
        terms: &mut Terms,
        mut reached: FxHashSet<u32>,
        budget: &Budget,
    ) -> Result<Term, Exhausted> {
        let mut used = vec![false; self.all.len()];
        loop {
            let mut more = false;
            for (used, (_, elements)) in used.iter_mut().zip(&self.all) {
                if !*used && elements.iter().any(|element| reached.contains(element)) {
                    *used = true;
                    more |= elements.iter().fold(false, |more, element| reached.insert(*element) | more);
                }
            }
            budget.spend(self.all.len() as u64)?;
            if !more {
                break;
            }
        }
        let facts = self.all.iter().zip(used).filter(|(_, used)| *used).map(|((fact, _), _)| *fact);
        Ok(conjunction(terms, facts))
    }

    /// Lets a run's suspects count only where the facts hold.
    pub fn restrict(&self, run: &mut Run, budget: &Budget) -> Result<(), Exhausted> {
        if self.all.is_empty() {
            return Ok(());
        }
        for at in 0..run.suspects.len() {
            let Suspect { condition, values, .. } = &run.suspects[at];
            let condition = *condition;
            let roots: Vec<Term> = [condition].into_iter().chain(values.iter().flatten().copied()).collect();
            let facts = self.about(&mut run.terms, &roots, budget)?;
            run.suspects[at].condition = run.terms.and(facts, condition);
        }
        Ok(())
    }
}

fn conjunction(terms: &mut Terms, facts: impl Iterator<Item = Term>) -> Term {
    facts.fold(Term::TRUE, |all, fact| terms.and(all, fact))
}

/// One thing that has to hold.
struct Clause {
    /// Where in the condition: ` at [3]`.
    place: String,
    /// Under which condition it counts.
    path: Term,
    holds: Term,
    /// For whom: ` (thread 3)`.
    who: String,
    site: Option<crate::sim::Site>,
}

struct Found {
    clauses: Vec<Clause>,
    /// Why it cannot be told.
    reason: Option<String>,
}

fn unconditional(clauses: Vec<(String, Term)>) -> Vec<Clause> {
    let each = |(place, holds)| Clause { place, path: Term::TRUE, holds, who: String::new(), site: None };
    clauses.into_iter().map(each).collect()
}

/// The condition under which a clause is broken, and the values that must differ for that.
fn question(terms: &mut Terms, path: Term, holds: Term) -> (Term, Option<[Term; 2]>) {
    let below = |terms: &mut Terms, a: Term, b: Term| Some([terms.max(a, b), b]);
    let values = match terms.node(holds) {
        Node::Compare(Relation::Equal, a, b) => Some([a, b]),
        Node::Compare(Relation::LessEqual, a, b) => below(terms, a, b),
        Node::Not(inner) => match terms.node(inner) {
            Node::Compare(Relation::Less, a, b) => below(terms, b, a),
            _ => None,
        },
        _ => None,
    };
    if values.is_some() {
        return (path, values);
    }
    let broken = terms.not(holds);
    (terms.and(path, broken), None)
}

/// A condition's text with names in the place of registers, of the same length.
fn readable(claim: &Claim) -> String {
    claim.registers.iter().fold(claim.text.clone(), |text, (name, ..)| text.replace(name, &plain(name)))
}

/// `%tid.x` as a name.
fn plain(register: &str) -> String {
    register.replace(['%', '.', '$'], "_")
}

fn told(problem: formula::Problem, source: Source, span: Span, text: &str) -> Diagnostic {
    let within = formula::within_condition(problem.span, text);
    let place = Span { start: span.start + within.start, end: span.start + within.end };
    let diagnostic = Diagnostic::error(Code::V013, problem.message).at(source, place);
    problem.notes.into_iter().fold(diagnostic, Diagnostic::note)
}

impl Contract {
    fn title(&self) -> String {
        format!("{} {}", self.word, self.text)
    }

    fn told(&self, problem: formula::Problem) -> Diagnostic {
        told(problem, self.source, self.span, &self.text)
    }

    fn elaborate(&self, scope: &Scope) -> Result<Elaborated, Diagnostic> {
        let elaborated = formula::elaborate(&self.program, &scope.inputs)
            .map_err(|problems| self.told(problems.into_iter().next().expect("there is a problem")))?;
        let root = elaborated.assigned.first().map(|assigned| assigned.id);
        if root.is_some_and(|id| elaborated.graph.kind(id) != formula::Kind::Truth) {
            let message = "a contract is a condition, and this is a number".to_owned();
            let whole = Span { start: 0, end: self.text.len() as u32 + 3 };
            return Err(self.told(formula::Problem::new(whole, message)));
        }
        Ok(elaborated)
    }

    /// Whether the condition names something.
    fn mentions(&self, name: &str) -> bool {
        let word = |c: char| c.is_alphanumeric() || "_.".contains(c);
        self.text.split(|c| !word(c)).any(|found| found == name)
    }

    /// That the launch breaks a requirement.
    fn refused(&self, scope: &Scope, place: &str) -> Diagnostic {
        let message = format!("`{}` does not hold{place}", self.title());
        let known = scope.inputs.iter().filter(|input| self.mentions(&input.name));
        let values: Vec<String> = known
            .filter_map(|input| match input.number.as_ref()? {
                formula::Number::Rational(value) => Some(format!("`{}` is {value}", input.name)),
                _ => None,
            })
            .collect();
        let diagnostic = Diagnostic::error(Code::V013, message).at(self.source, self.span);
        if values.is_empty() { diagnostic } else { diagnostic.note(values.join(", ")) }
    }

    /// An assertion, for every thread that came by.
    fn asserted(
        &self,
        spec: &Spec,
        bound: &Bound,
        (at, kernel): (usize, &Kernel),
        run: &mut Run,
        budget: &Budget,
    ) -> Result<Found, Failure> {
        let Some((_, index)) = self.of else { return Ok(Found { clauses: Vec::new(), reason: None }) };
        let claim = &kernel.claims[index];
        let scope = Scope::of_thread(spec, bound, at, run, claim);
        let elaborated = self.elaborate(&scope).map_err(|problem| Failure::Wrong(vec![problem]))?;
        let mine = |observation: &&Observation| observation.claim as usize == index;
        let seen: Vec<Observation> = run.observations.iter().filter(mine).cloned().collect();
        if claim.others {
            return self.compared((bound, at), (&scope, &elaborated), &seen, run, budget);
        }
        let mut clauses = Vec::new();
        for observation in &seen {
            let mut asked = Asked::new(self, bound, at, run, &scope, budget);
            asked.threads = [Some(observation), None];
            for (place, holds) in asked.clauses(&elaborated)? {
                let who = format!(" ({})", observation.site.thread);
                let path = observation.condition;
                clauses.push(Clause { place, path, holds, who, site: Some(observation.site) });
            }
        }
        Ok(Found { clauses, reason: None })
    }

    /// An assertion about each two threads that come by equally often.
    fn compared(
        &self,
        (bound, at): (&Bound, usize),
        (scope, elaborated): (&Scope, &Elaborated),
        seen: &[Observation],
        run: &mut Run,
        budget: &Budget,
    ) -> Result<Found, Failure> {
        let block_only = self.text.contains("other_in_block(") && !self.text.contains("other(");
        // Who is compared with whom: by visit, and by CTA if only the block counts.
        let mut groups: FxHashMap<(u32, [u32; 3]), Vec<usize>> = FxHashMap::default();
        for (index, observation) in seen.iter().enumerate() {
            let cta = if block_only { observation.site.thread.cta } else { [0; 3] };
            groups.entry((observation.visit, cta)).or_default().push(index);
        }
        let mut order: Vec<_> = groups.into_iter().collect();
        order.sort_unstable();
        let apart = scope.apart(elaborated);
        let mut clauses = Vec::new();
        let mut pairs = 0u64;
        for (_, members) in order {
            let candidates = match &apart {
                Some(sides) => {
                    self.meetings((bound, at), (scope, elaborated), *sides, (seen, &members), run, budget)?
                }
                None => None,
            };
            let each: Vec<(usize, usize)> = match candidates {
                Some(few) => few,
                None => {
                    pairs += members.len() as u64 * (members.len() as u64 - 1);
                    if pairs > PAIRS {
                        let reason = format!(
                            "{} threads come by, which are too many to compare each with each other",
                            seen.len()
                        );
                        return Ok(Found { clauses: Vec::new(), reason: Some(reason) });
                    }
                    let others = |one: usize| {
                        members.iter().copied().filter(move |two| *two != one).map(move |two| (one, two))
                    };
                    members.iter().copied().flat_map(others).collect()
                }
            };
            for (one, two) in each {
                let mut asked = Asked::new(self, bound, at, run, scope, budget);
                asked.threads = [Some(&seen[one]), Some(&seen[two])];
                for (place, holds) in asked.clauses(elaborated)? {
                    let who = format!(" ({} and {})", seen[one].site.thread, seen[two].site.thread);
                    let path = run.terms.and(seen[one].condition, seen[two].condition);
                    clauses.push(Clause { place, path, holds, who, site: Some(seen[one].site) });
                }
            }
        }
        Ok(Found { clauses, reason: None })
    }

    /// Of `e != other(f)`: the pairs of threads with equal numbers, if all are known.
    fn meetings(
        &self,
        (bound, at): (&Bound, usize),
        (scope, elaborated): (&Scope, &Elaborated),
        (own, other): (Id, Id),
        (seen, members): (&[Observation], &[usize]),
        run: &mut Run,
        budget: &Budget,
    ) -> Result<Option<Vec<(usize, usize)>>, Failure> {
        let mut by_value: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
        let mut values = Vec::new();
        for member in members {
            let mut asked = Asked::new(self, bound, at, run, scope, budget);
            asked.threads = [Some(&seen[*member]), Some(&seen[*member])];
            let [own, other] = [asked.one(elaborated, own)?, asked.one(elaborated, other)?];
            if own.as_constant().is_none() || other.as_constant().is_none() {
                return Ok(None);
            }
            values.push((own, *member));
            by_value.entry(other).or_default().push(*member);
        }
        let meets = |(own, member): (Term, usize)| {
            let two = by_value.get(&own)?.iter().copied().find(|two| *two != member)?;
            Some((member, two))
        };
        Ok(Some(values.into_iter().filter_map(meets).take(1).collect()))
    }
}

impl Scope {
    /// Names of a whole launch; `after`: with what the kernel leaves behind.
    fn of_launch(spec: &Spec, bound: &Bound, at: usize, run: &Run, after: bool) -> Scope {
        let known = inputs(spec, bound, &|at| reached(run, at));
        let tensors = bound.tensors.len();
        let mut scope = Scope { inputs: Vec::new(), origins: Vec::new() };
        for (index, mut input) in known.into_iter().enumerate() {
            let origin = match index.checked_sub(tensors) {
                None if after => {
                    let state = run.tensors.iter().find(|state| state.tensor == index);
                    if let Some(state) = state {
                        input.kind = super::formula::kind(Some(state.format));
                    }
                    scope.add(
                        Input { name: format!("old({})", input.name), ..input.clone() },
                        Origin::Initial(index),
                    );
                    Origin::Final(index)
                }
                None => Origin::Initial(index),
                Some(scalar) if scalar < bound.named.len() => Origin::Scalar(scalar),
                Some(_) => Origin::Known,
            };
            scope.add(input, origin);
        }
        scope.launch(&bound.setups[at].launch);
        scope
    }

    /// Names of one thread, and of another one.
    fn of_thread(spec: &Spec, bound: &Bound, at: usize, run: &Run, claim: &Claim) -> Scope {
        let mut scope = Scope { inputs: Vec::new(), origins: Vec::new() };
        for (index, input) in
            inputs(spec, bound, &|at| reached(run, at)).into_iter().enumerate().skip(bound.tensors.len())
        {
            let scalar = index - bound.tensors.len();
            let origin = if scalar < bound.named.len() { Origin::Scalar(scalar) } else { Origin::Known };
            scope.add(input, origin);
        }
        scope.launch(&bound.setups[at].launch);
        let views: &[&str] = if claim.others { &["", "other", "other_in_block"] } else { &[""] };
        for view in views {
            let seen = |name: String| if view.is_empty() { name } else { format!("{view}({name})") };
            let other = !view.is_empty();
            for (at, (name, format, _)) in claim.registers.iter().enumerate() {
                let kind = match format {
                    Some(format) => super::formula::kind(Some(*format)),
                    None => formula::Kind::Truth,
                };
                let input = Input { name: seen(plain(name)), shape: Some(Vec::new()), kind, number: None };
                scope.add(input, Origin::Register(at, other));
            }
            for (at, name) in COORDINATES.iter().enumerate() {
                let kind = formula::Kind::Word(crate::base::Format::S64);
                let input =
                    Input { name: seen((*name).to_owned()), shape: Some(Vec::new()), kind, number: None };
                scope.add(input, Origin::Coordinate(at, other));
            }
        }
        scope
    }

    fn add(&mut self, input: Input, origin: Origin) {
        self.inputs.push(input);
        self.origins.push(origin);
    }

    fn launch(&mut self, launch: &spec::Launch) {
        for (name, extents) in [("gridDim", launch.grid), ("blockDim", launch.block)] {
            for (axis, extent) in ["x", "y", "z"].iter().zip(extents) {
                self.add(exactly(&format!("{name}.{axis}"), Literal::Integer(extent.into())), Origin::Known);
            }
        }
    }

    /// The two sides of `e != other(f)`: what depends on one thread alone, and on the other alone.
    fn apart(&self, elaborated: &Elaborated) -> Option<(Id, Id)> {
        let graph = &elaborated.graph;
        let Op::Map(Operation::Not, inner) = &graph.node(elaborated.assigned.first()?.id).op else {
            return None;
        };
        let Op::Map(Operation::Equal, sides) = &graph.node(*inner.first()?).op else { return None };
        let depends = |id: Id, other: bool| {
            let mut open = vec![id];
            while let Some(id) = open.pop() {
                let op = &graph.node(id).op;
                if let Op::Input(at) = op
                    && matches!(self.origins[*at], Origin::Register(_, who) | Origin::Coordinate(_, who) if who == other)
                {
                    return true;
                }
                open.extend(op.operands());
            }
            false
        };
        let (&[a, b], true) = (sides.as_slice(), true) else { return None };
        match () {
            () if !depends(a, true) && !depends(b, false) => Some((a, b)),
            () if !depends(b, true) && !depends(a, false) => Some((b, a)),
            () => None,
        }
    }
}

/// A condition being evaluated over a run.
struct Asked<'a> {
    contract: &'a Contract,
    bound: &'a Bound,
    at: usize,
    run: &'a mut Run,
    scope: &'a Scope,
    budget: &'a Budget,
    /// This thread, and another.
    threads: [Option<&'a Observation>; 2],
}

impl<'a> Asked<'a> {
    fn new(
        contract: &'a Contract,
        bound: &'a Bound,
        at: usize,
        run: &'a mut Run,
        scope: &'a Scope,
        budget: &'a Budget,
    ) -> Asked<'a> {
        Asked { contract, bound, at, run, scope, budget, threads: [None; 2] }
    }

    /// Everything that has to hold, each with its place in the condition.
    fn clauses(&mut self, elaborated: &Elaborated) -> Result<Vec<(String, Term)>, Failure> {
        let graph = &elaborated.graph;
        let root = elaborated.assigned[0].id;
        let many: u64 = graph.shape(root).iter().product();
        let mut found = Vec::new();
        let whole: Vec<(Id, u64, Vec<u64>)> = (0..many)
            .rev()
            .map(|index| {
                let shape = graph.shape(root);
                (root, index, if shape.is_empty() { Vec::new() } else { unravelled(index, shape) })
            })
            .collect();
        self.evaluate(elaborated, |evaluation| {
            let mut open = whole;
            while let Some((id, index, path)) = open.pop() {
                match &graph.node(id).op {
                    Op::Fold(formula::Fold::All, source) => {
                        let extent = graph.shape(*source).last().copied().unwrap_or(1);
                        for at in (0..extent).rev() {
                            let path = path.iter().copied().chain([at]).collect();
                            open.push((*source, index * extent + at, path));
                        }
                    }
                    Op::Map(Operation::And, both) => {
                        open.extend(both.iter().rev().map(|id| (*id, index, path.clone())));
                    }
                    Op::Reshape(source) => {
                        let shape = graph.shape(*source);
                        let place = if path.len() == 1 { unravelled(index, shape) } else { path };
                        open.push((*source, index, place));
                    }
                    _ => {
                        let term = evaluation.element(id, index)?;
                        let place = match path.as_slice() {
                            [] => String::new(),
                            path => format!(" at {path:?}"),
                        };
                        let mut parts = vec![term];
                        while let Some(term) = parts.pop() {
                            match evaluation.terms.node(term) {
                                Node::And(a, b) => parts.extend([b, a]),
                                _ => found.push((place.clone(), term)),
                            }
                        }
                    }
                }
            }
            Ok(found)
        })
    }

    /// One number of a condition.
    fn one(&mut self, elaborated: &Elaborated, id: Id) -> Result<Term, Failure> {
        self.evaluate(elaborated, |evaluation| evaluation.element(id, 0))
    }

    fn evaluate<R>(
        &mut self,
        elaborated: &Elaborated,
        work: impl FnOnce(
            &mut Evaluation<'_, &mut dyn FnMut(&mut Terms, usize, u64) -> Option<Term>>,
        ) -> Result<R, Stopped>,
    ) -> Result<R, Failure> {
        let terms = std::mem::take(&mut self.run.terms);
        let unwritten = Cell::new(None);
        let (bound, at, origins, threads) = (self.bound, self.at, &self.scope.origins, self.threads);
        let states = &self.run.tensors;
        let mut input = |terms: &mut Terms, input: usize, index: u64| -> Option<Term> {
            let thread = |other: bool| threads[usize::from(other)];
            match origins[input] {
                Origin::Initial(tensor) => initially(bound, at, terms, tensor, index),
                Origin::Final(tensor) => match left(states, tensor, index) {
                    Some(value) => Some(value),
                    None if matches!(
                        bound.setups[at].tensors[tensor].initial,
                        crate::sim::Initial::Undefined
                    ) =>
                    {
                        unwritten.set(Some((tensor, index)));
                        None
                    }
                    None => initially(bound, at, terms, tensor, index),
                },
                Origin::Scalar(scalar) => Some(bound.named[scalar].term(terms)),
                Origin::Register(register, other) => Some(thread(other)?.values[register]),
                Origin::Coordinate(axis, other) => {
                    Some(terms.integer(coordinate(thread(other)?.site.thread, axis).into()))
                }
                Origin::Known => None,
            }
        };
        let mut evaluation = Evaluation::new(
            &elaborated.graph,
            self.budget,
            terms,
            &mut input as &mut dyn FnMut(&mut Terms, usize, u64) -> Option<Term>,
        );
        let result = work(&mut evaluation);
        self.run.terms = evaluation.terms;
        result.map_err(|stopped| match stopped {
            Stopped::Exhausted(why) => Failure::Exhausted(why),
            Stopped::Problem(problem) => Failure::Wrong(vec![self.contract.told(problem)]),
            Stopped::Unnumbered => match unwritten.get() {
                Some((tensor, index)) => {
                    let tensor = &bound.tensors[tensor];
                    let shape = tensor.shape().cloned().unwrap_or_default();
                    let name = format!("{}{}", tensor.name, crate::term::index_name(&shape, index));
                    let message =
                        format!("`{}` speaks of `{name}`, which nobody writes", self.contract.title());
                    let whole = Span { start: 0, end: u32::MAX };
                    let problem = formula::Problem::new(whole, message);
                    Failure::Wrong(vec![self.contract.told(match bound.setups[at].launch.runs_all() {
                        true => problem,
                        false => problem.note("only some CTAs run: write `ctas = \"all\"` under [launch]"),
                    })])
                }
                None => Failure::Exhausted(Exhausted::Memory),
            },
        })
    }
}

/// What a run has left in an element, if it wrote there.
fn left(states: &[TensorState], tensor: usize, index: u64) -> Option<Term> {
    let state = states.iter().find(|state| state.tensor == tensor)?;
    state.elements.get(index).map(|(term, _)| term)
}

/// Elements of a tensor that a run touched.
fn reached(run: &Run, tensor: usize) -> u64 {
    run.tensors.iter().find(|state| state.tensor == tensor).map_or(0, |state| state.reached)
}

/// A flat index as one along each axis.
fn unravelled(index: u64, shape: &[u64]) -> Vec<u64> {
    let mut rest = index;
    let mut path: Vec<u64> = shape
        .iter()
        .rev()
        .map(|extent| {
            let at = rest % extent.max(&1);
            rest /= extent.max(&1);
            at
        })
        .collect();
    path.reverse();
    path
}

/// Pairs of outputs under the facts that concern them: where those do not hold, both are 0. `None` where nothing is
/// required of inputs. One store for each kernel.
pub fn guarded(
    required: &[Facts],
    pairs: &[(Term, Term)],
    stores: &mut [&mut Terms],
    budget: &Budget,
) -> Result<Option<Vec<(Term, Term)>>, Exhausted> {
    if required.iter().all(Facts::is_empty) {
        return Ok(None);
    }
    let last = stores.len() - 1;
    let mut guarded = Vec::with_capacity(pairs.len());
    for (f, g) in pairs {
        // What either side depends on counts for both.
        let mut elements = FxHashSet::default();
        for (at, root) in [(0, *f), (last, *g)] {
            elements.extend(Cone::of(stores[at], &[root], budget)?.elements().iter().copied());
        }
        let mut side = |at: usize, value: Term| -> Result<Term, Exhausted> {
            let condition = required[at].concerning(stores[at], elements.clone(), budget)?;
            Ok(stores[at].select(condition, value, Term::ZERO))
        };
        guarded.push((side(0, *f)?, side(last, *g)?));
    }
    Ok(Some(guarded))
}

/// Lets the inputs of counterexamples fulfil all that is required; `pairs` are those that were decided.
pub fn complete(
    facts: &Facts,
    elements: &Elements,
    decision: &mut Decision,
    pairs: &[(Term, Term)],
    [reference, optimized]: [&Terms; 2],
    budget: &Budget,
) -> Result<(), Exhausted> {
    if facts.is_empty() {
        return Ok(());
    }
    for group in &mut decision.groups {
        let Equality::Different(witness) = &mut group.equality else { continue };
        let (f, g) = pairs[group.members[0] as usize];
        let mut cone = FxHashSet::default();
        for (terms, root) in [(reference, f), (optimized, g)] {
            cone.extend(Cone::of(terms, &[root], budget)?.elements().iter().copied());
        }
        facts.complete(elements, &cone, witness);
    }
    Ok(())
}
