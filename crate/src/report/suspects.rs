//! Which suspects of a run are faults: can the condition hold under which they are met?
//!
//! The simulator lists what is a fault only if a condition on the inputs can hold (`sim/suspects`), and
//! unordered stores that are a race only if their values can differ. Both are questions of equality: a
//! condition never holds if *1 where it holds, else 0* equals 0; two values are the same wherever both
//! are stored if *the value where the condition holds, else 0* is equal on both sides. So they go the way
//! of outputs, through `decide` and its re-check: a certificate dismisses the suspect, a witness is
//! inputs that reach the fault. Conditions that only compare inputs with numbers are looked through before
//! (`decide/grid`). Where neither is found, inputs are looked for once more, by repairing one
//! comparison after the other (`decide/reach`); otherwise nobody can tell.
//!
//! Guarantees: a dismissed suspect is none for any inputs, under the assumptions in the ledger; a found
//! one comes with inputs. Of the suspects at one pair of instructions one is found at most.
//! Misses: a condition that holds only at inputs that no search comes across stays open.

use super::contracts::Facts;
use crate::base::{Budget, Exhausted, Source};
use crate::check;
use crate::decide::{self, Decision, Equality, Group, Held, Problem, Reading, Witness, witness};
use crate::diag::{Assumption, Label, Ledger};
use crate::ir::Kernel;
use crate::sim::{Fault, FaultKind, Place, Run, Site, Suspect, lowest, source_of};
use crate::term::eval::{Cone, Quantity, Small};
use crate::term::print::Printer;
use crate::term::{Elements, Relation, Term, Terms};
use num_rational::BigRational;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// About how many leaves of a condition are shown.
const SHOWN: usize = 24;

/// What became of a run's suspects.
#[derive(Default)]
pub struct Settled {
    /// Faults, with inputs that reach them where it takes some.
    pub found: Vec<(Fault, Option<Witness>)>,
    /// What may be a fault, and what nobody can tell.
    pub open: Vec<(Fault, String)>,
    /// What was assumed to dismiss the others.
    pub ledger: Ledger,
}

/// What a suspect came to.
enum Answer {
    Dismissed,
    /// Two threads store this value.
    Same(Term),
    Found(Witness),
    Open(String),
}

/// Decides about all suspects of a run, in which `unknowable` is the first number of a value that nobody knows before.
pub fn judge(
    options: &decide::Options,
    budget: &Budget,
    kernel: &Kernel,
    elements: &Elements,
    run: &mut Run,
    (facts, unknowable): (&Facts, u32),
) -> Result<Settled, Exhausted> {
    let mut settled = Settled::default();
    for same in &run.same_stores {
        let stores = Stores { sites: [same.first, same.second], place: &same.place, count: same.count };
        stores.note(kernel, &run.terms, elements, same.value, &mut settled.ledger);
    }
    // The first at each place is asked about by itself: mostly that settles the place.
    let mut places: BTreeMap<(u32, u32, u8), Vec<usize>> = BTreeMap::new();
    for (at, suspect) in run.suspects.iter().enumerate() {
        places.entry(key(&suspect.fault)).or_default().push(at);
    }
    let first: Vec<usize> = places.values().map(|suspects| suspects[0]).collect();
    let mut answers = ask(options, budget, elements, run, &first, &mut settled.ledger)?;
    let is_found = |at: &usize| matches!(answers.get(at), Some(Answer::Found(_)));
    // Where there is a fault, nobody waits to learn which further stores are of the same value.
    let any = first.iter().any(is_found);
    let rest: Vec<usize> = places
        .values()
        .filter(|suspects| !is_found(&suspects[0]))
        .flat_map(|suspects| suspects[1..].iter().copied())
        .filter(|at| !any || run.suspects[*at].values.is_none())
        .collect();
    answers.append(&mut ask(options, budget, elements, run, &rest, &mut settled.ledger)?);
    let suspects = std::mem::take(&mut run.suspects);
    let mut seen = FxHashSet::default();
    for places in places.into_values() {
        let (mut open, mut looked) = (None, false);
        for at in places {
            let fault = || suspects[at].fault.clone();
            match answers.remove(&at) {
                None => {}
                Some(Answer::Dismissed) if looked => {}
                Some(Answer::Dismissed) => {
                    looked = true;
                    let Suspect { condition, fault, .. } = &suspects[at];
                    let asked = vec![*condition];
                    if !decide::resting_on_reals(options, budget, &run.terms, elements, asked)?.is_empty() {
                        note_dismissed(kernel, fault, &mut settled.ledger);
                    }
                }
                Some(Answer::Same(value)) => {
                    let FaultKind::DataRace(races) = &suspects[at].fault.kind else { continue };
                    let Some(race) = races.first() else { continue };
                    let sites = [race.first.site, race.second.site];
                    let stores = Stores { sites, place: &race.place, count: 1 };
                    stores.note(kernel, &run.terms, elements, Some(value), &mut settled.ledger);
                }
                Some(Answer::Found(mut witness)) => {
                    let suspect = &suspects[at];
                    let numbers = (unknowable, run.unknowable.len() as u32);
                    if let Some(number) = lowest(&run.terms, suspect.condition, numbers, &mut seen) {
                        let source = source_of(kernel, run.unknowable[(number - unknowable) as usize]);
                        let why = format!(
                            "whether this is a fault depends on {source}, which differs from run to run"
                        );
                        let kind = FaultKind::NotStructured(why);
                        settled.found.push((Fault { kind, ..fault() }, None));
                        open = None;
                        break;
                    }
                    let roots: Vec<Term> =
                        [suspect.condition].into_iter().chain(suspect.values.into_iter().flatten()).collect();
                    let cone: FxHashSet<u32> =
                        Cone::of(&run.terms, &roots, budget)?.elements().iter().copied().collect();
                    let depends = !cone.is_empty();
                    facts.complete(elements, &cone, &mut witness);
                    settled.found.push((fault(), depends.then_some(witness)));
                    open = None;
                    break;
                }
                Some(Answer::Open(why)) => open = open.or(Some((fault(), why))),
            }
        }
        settled.open.extend(open);
    }
    if run.more_suspects
        && settled.found.is_empty()
        && settled.open.is_empty()
        && let Some(last) = suspects.last()
    {
        let why = "there are too many conditions to decide about all of them".to_owned();
        settled.open.push((last.fault.clone(), why));
    }
    Ok(settled)
}

/// What reports tell apart: the instructions, and the kind of fault.
fn key(fault: &Fault) -> (u32, u32, u8) {
    let at = fault.site.map_or(u32::MAX, |site| site.instr);
    match &fault.kind {
        // Of each contract one.
        FaultKind::Broken(contract, _) => (u32::MAX - 1, *contract, 5),
        FaultKind::DataRace(races) => {
            let other = races.first().map_or(u32::MAX, |race| race.first.site.instr);
            (at.min(other), at.max(other), 0)
        }
        FaultKind::OutOfBounds(..) => (at, at, 1),
        FaultKind::Misaligned(..) => (at, at, 2),
        FaultKind::Uninitialized(..) | FaultKind::UninitializedMemory(_) => (at, at, 3),
        _ => (at, at, 4),
    }
}

/// Asks about some suspects at once.
fn ask(
    options: &decide::Options,
    budget: &Budget,
    elements: &Elements,
    run: &mut Run,
    suspects: &[usize],
    ledger: &mut Ledger,
) -> Result<BTreeMap<usize, Answer>, Exhausted> {
    let mut found = BTreeMap::new();
    let mut asked = Vec::new();
    for at in suspects {
        let Suspect { condition, values, .. } = &run.suspects[*at];
        match decide::look_everywhere(&run.terms, elements, *condition) {
            Some(Held::Never) => {
                found.insert(*at, Answer::Dismissed);
            }
            Some(Held::At(inputs)) if values.is_none() => {
                found.insert(*at, Answer::Found(holding(inputs)));
            }
            _ => asked.push(*at),
        }
    }
    let suspects = asked.as_slice();
    let mut pairs = Vec::new();
    let mut wanted = Vec::new();
    for at in suspects {
        let suspect = &run.suspects[*at];
        pairs.push((run.terms.select(suspect.condition, Term::ONE, Term::ZERO), Term::ZERO));
        let values = suspect.values.unwrap_or([Term::ZERO; 2]);
        let [one, two] = values.map(|value| run.terms.select(suspect.condition, value, Term::ZERO));
        pairs.push((one, two));
        wanted.push((clearly_reached(&mut run.terms, &run.suspects[*at]), Term::ZERO));
    }
    if pairs.is_empty() {
        return Ok(found);
    }
    let problem = Problem { reference: &run.terms, optimized: &run.terms, elements, pairs: &pairs };
    let decided = decide::decide_while(options, budget, &problem, |_, _| ())?;
    let mut decision = decided.decision;
    let ahead = check::Ahead { reading: decided.reading.as_ref(), values: None };
    let checked = check::decision(options, budget, &problem, &decision, ahead)?;
    check::withdraw(&mut decision, &checked.refuted);
    let mut equalities: Vec<Option<&Equality>> = vec![None; pairs.len()];
    for group in &decision.groups {
        for member in &group.members {
            equalities[*member as usize] = Some(&group.equality);
        }
    }
    let search = Search { options, budget, problem: &problem, reading: decided.reading.as_ref() };
    let mut repaired = BTreeMap::new();
    for (at, asked) in suspects.iter().zip(0..) {
        let pair = 2 * asked + usize::from(run.suspects[*at].values.is_some());
        if matches!(equalities[pair], Some(Equality::Unknown(_)))
            && let Some(witness) = search.search(wanted[asked])?
        {
            repaired.insert(pair, Equality::Different(witness));
        }
    }
    for (pair, equality) in &repaired {
        equalities[*pair] = Some(equality);
    }
    let printed = |term: Term| text(&run.terms, elements, term);
    for (at, asked) in suspects.iter().zip(equalities.chunks_exact(2)) {
        let suspect = &run.suspects[*at];
        let can_hold = |equality: &Equality| match equality {
            Equality::Equal(_) => Answer::Dismissed,
            Equality::Different(witness) => {
                let cone = [suspect.condition].into_iter().chain(suspect.values.into_iter().flatten());
                listed(&run.terms, elements, &cone.collect::<Vec<_>>(), witness, budget)
                    .map_or_else(|_| Answer::Open("the budget is used up".to_owned()), Answer::Found)
            }
            Equality::Unknown(_) | Equality::Close(_) => {
                Answer::Open(format!("cannot tell whether {} can hold", printed(suspect.condition)))
            }
        };
        let (Some(condition), Some(values)) = (asked[0], asked[1]) else { continue };
        let mut answer = can_hold(condition);
        if let (Some([one, two]), false) = (suspect.values, matches!(answer, Answer::Dismissed)) {
            answer = match values {
                Equality::Equal(_) => Answer::Same(one),
                Equality::Different(_) => can_hold(values),
                Equality::Unknown(_) | Equality::Close(_) => {
                    let (one, two) = (printed(one), printed(two));
                    Answer::Open(match suspect.fault.kind {
                        FaultKind::Broken(..) => format!("cannot tell whether {one} and {two} are the same"),
                        _ => format!(
                            "cannot tell whether the values differ that both threads store, {one} and {two}"
                        ),
                    })
                }
            };
        }
        found.insert(*at, answer);
    }
    ledger.merge(decision.ledger);
    Ok(found)
}

/// 1 where a suspect is a fault, else 0. Values have to differ by more than their rounding.
fn clearly_reached(terms: &mut Terms, suspect: &Suspect) -> Term {
    let mut condition = suspect.condition;
    if let Some([one, two]) = suspect.values {
        let apart = terms.rational(BigRational::new(1.into(), 8.into()));
        let (more, other_more) = (terms.add(one, apart), terms.add(two, apart));
        let below = terms.compare(Relation::Less, more, two);
        let above = terms.compare(Relation::Less, other_more, one);
        let differ = terms.or(below, above);
        condition = terms.and(condition, differ);
    }
    terms.select(condition, Term::ONE, Term::ZERO)
}

/// A search for inputs that make conditions hold, where `decide` came across none.
struct Search<'a, 'b> {
    options: &'a decide::Options,
    budget: &'a Budget,
    problem: &'a Problem<'b>,
    reading: Option<&'a Reading<'b>>,
}

impl Search<'_, '_> {
    /// Inputs for which the first of a pair is 1, re-checked like those of `decide`.
    fn search(&self, asked: (Term, Term)) -> Result<Option<Witness>, Exhausted> {
        let read = self.reading.and_then(|reading| Some((reading, reading.of_pair(asked)?.0)));
        let (terms, root, constants) = match read {
            Some((reading, root)) => (reading.terms(0), root, reading.meanings.enclosures(0)),
            None => {
                let terms = self.problem.reference;
                let known = |at: usize| terms.as_rational(Term::constant(at)).map(Quantity::rational);
                let constants = (0..terms.constants().len()).map(|at| known(at).unwrap_or(Quantity::Unknown));
                (terms, asked.0, constants.collect())
            }
        };
        let found = decide::reach(terms, &constants, self.problem.elements, root, self.budget)?;
        let Some(inputs) = found else { return Ok(None) };
        let witness = holding(inputs.into_iter().map(|(element, value)| (element, exact(value))).collect());
        let problem = Problem { pairs: &[asked], ..*self.problem };
        let equality = Equality::Different(witness.clone());
        let decision =
            Decision { groups: vec![Group { members: vec![0], equality }], ledger: Ledger::default() };
        let ahead = check::Ahead { reading: None, values: None };
        let checked = check::decision(self.options, self.budget, &problem, &decision, ahead)?;
        Ok(checked.refuted.is_empty().then_some(witness))
    }
}

/// Inputs for which a condition holds, as a witness.
fn holding(inputs: Vec<(u32, BigRational)>) -> Witness {
    Witness {
        point: None,
        inputs,
        default: BigRational::from_integer(0.into()),
        values: [(1.0, 1.0), (0.0, 0.0)],
        difference: String::new(),
    }
}

/// A number as a rational of any size.
pub(super) fn exact(value: Small) -> BigRational {
    BigRational::new((*value.numer()).into(), (*value.denom()).into())
}

/// A witness with all inputs that the terms depend on.
pub(super) fn listed(
    terms: &Terms,
    elements: &Elements,
    roots: &[Term],
    witness: &Witness,
    budget: &Budget,
) -> Result<Witness, Exhausted> {
    let mut witness = witness.clone();
    if let Some(point) = witness.point.take() {
        let cone = Cone::of(terms, roots, budget)?;
        let value = |element: &u32| match witness::plain(elements, point, *element) {
            Quantity::Exact(value) => exact(value),
            _ => witness.default.clone(),
        };
        witness.inputs = cone.elements().iter().map(|element| (*element, value(element))).collect();
    }
    Ok(witness)
}

fn text(terms: &Terms, elements: &Elements, term: Term) -> String {
    Printer { terms, elements, constant: &|_| None, limit: SHOWN }.text(term)
}

/// A fault is none because its condition holds for no real numbers, and with rounding it might.
fn note_dismissed(kernel: &Kernel, fault: &Fault, ledger: &mut Ledger) {
    let Some(site) = fault.site else { return };
    let Some(instr) = kernel.code.get(site.instr as usize) else { return };
    let first = Label { source: kernel.source, span: instr.span, text: String::new() };
    let opcode = kernel.opcode(site.instr).to_owned();
    ledger.note(Assumption::NoFaultOverReals(opcode), 1, Some(first));
}

/// Two threads that store one value.
struct Stores<'a> {
    sites: [Site; 2],
    place: &'a Place,
    count: u64,
}

impl Stores<'_> {
    /// That this is no race is an assumption.
    fn note(
        &self,
        kernel: &Kernel,
        terms: &Terms,
        elements: &Elements,
        value: Option<Term>,
        ledger: &mut Ledger,
    ) {
        let [one, two] = self.sites.map(|site| site.thread);
        let value = value.map_or_else(|| "one value".to_owned(), |value| text(terms, elements, value));
        let what = format!(
            "threads that store the same value to the same place do not race: {one} and {two} store {value} to `{}`",
            self.place.text
        );
        let span = kernel.code.get(self.sites[0].instr as usize).map(|instr| instr.span);
        let first = span.map(|span| Label { source: Source::Optimized, span, text: String::new() });
        ledger.note(Assumption::Other(what), self.count, first);
    }
}
