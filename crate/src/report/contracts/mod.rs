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

mod asked;
mod facts;

pub use facts::{Facts, Satisfiable, complete, guarded};

use super::bind::Bound;
use super::model::{ContractReport, ContractState};
use super::texts::Texts;
use crate::base::{Budget, Exhausted, Source, Span};
use crate::decide;
use crate::diag::{Assumption, Code, Diagnostic, Label, Ledger};
use crate::formula::{self, Elaborated, Id, Program};
use crate::ir::{Claim, ClaimKind, Kernel};
use crate::sim::{Fault, FaultKind, Observation, Run, Suspect};
use crate::spec::Spec;
use crate::term::eval::Cone;
use crate::term::{Node, Relation, Term, Terms};
use asked::{Asked, Scope};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why what a kernel requires is not taken.
const NOT_TAKEN: &str =
    "what an optimized kernel requires of inputs is not taken here: the spec may require it";

/// Pairs of threads that one assertion may compare one by one.
const PAIRS: u64 = 1 << 20;

/// Why a claim is not decided about that no run came to.
const NOT_ASKED: &str = "the kernel's run ended before it was decided";

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
    /// Those whose suspects are being decided about.
    asked: Vec<usize>,
    /// Requirements that nothing is asked under.
    not_taken: Vec<Contract>,
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

impl Contracts {
    /// Reads all contracts: the spec's, and those of the kernels.
    pub fn read<'k>(
        texts: &Texts<'_>,
        spec: &Spec,
        kernels: impl Iterator<Item = (Source, &'k Kernel)>,
    ) -> Result<Contracts, Vec<Diagnostic>> {
        let (mut all, mut not_taken) = (Vec::new(), Vec::new());
        let mut wrong = Vec::new();
        let may_require = spec.options.optimized_may_require.unwrap_or(true);
        let mut read = |kind, word: &str, text: &str, readable: &str, (source, span), of| {
            let (program, problems) = formula::condition(readable);
            for problem in problems {
                wrong.push(told(problem, source, span, text));
            }
            let (word, text) = (word.to_owned(), text.to_owned());
            let taken = may_require || source != Source::Optimized || kind != ClaimKind::Requires;
            // A claim holds once that was decided.
            let (state, reason) = match kind {
                ClaimKind::Requires if !taken => (ContractState::Unknown, Some(NOT_TAKEN.to_owned())),
                ClaimKind::Requires => (ContractState::Holds, None),
                _ => (ContractState::Unknown, Some(NOT_ASKED.to_owned())),
            };
            let contract = Contract { kind, word, text, source, span, of, program, state, reason };
            if taken { all.push(contract) } else { not_taken.push(contract) }
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
        if wrong.is_empty() { Ok(Contracts { all, asked: Vec::new(), not_taken }) } else { Err(wrong) }
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
        self.all.iter().chain(&self.not_taken).map(each).collect()
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

    /// The bounds of integers that are required, where inputs are known that fulfil all that is; before the kernels
    /// run, so that indices can be followed.
    pub fn bounds(
        &self,
        spec: &Spec,
        bound: &Bound,
        options: &decide::Options,
        budget: &Budget,
    ) -> Result<Vec<(u32, [i64; 2])>, Exhausted> {
        if self.all.iter().all(|contract| contract.kind != ClaimKind::Requires) {
            return Ok(Vec::new());
        }
        let mut run = Run::default();
        // What is wrong with them is said after the kernels ran.
        let mut facts = match self.facts(spec, bound, bound.setups.len() - 1, &mut run, budget) {
            Ok(facts) => facts,
            Err(Failure::Wrong(_)) => return Ok(Vec::new()),
            Err(Failure::Exhausted(why)) => return Err(why),
        };
        let bounds = facts.bounds(&run.terms);
        if bounds.is_empty() {
            return Ok(bounds);
        }
        Ok(match facts.satisfiable(options, budget, bound, &mut run.terms)? {
            Satisfiable::Yes => bounds,
            Satisfiable::Never | Satisfiable::Unknown => Vec::new(),
        })
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
        match found.reason {
            Some(reason) => (contract.state, contract.reason) = (ContractState::Unknown, Some(reason)),
            None => self.asked.push(index),
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
        for index in self.asked.drain(..) {
            let contract = &mut self.all[index];
            if contract.state == ContractState::Unknown {
                (contract.state, contract.reason) = (ContractState::Holds, None);
            }
        }
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
