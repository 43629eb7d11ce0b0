//! Tickets: results of updates that are used, where the schedule says who gets which.
//!
//! `atomicAdd(&arrived, 1)` gives each caller another number. Such a result is a symbol here, and the number that
//! this run gives is its witness. What a branch, an address or a count makes of symbols is computed from the
//! witnesses and written down; at the end every number that another schedule could give has to make the same of
//! it. Then this run stands for all.
//!
//! One number may be special: whoever comes last goes on with the sum of all. Then the launch is run once for each
//! CTA that may get it, in an order in which it does, and all have to leave the same memory; what they do not write
//! alike is a suspect, for who can decide whether it is equal.
//!
//! Which numbers a schedule may give: writes to a place that are in no order stand side by side in its history, in
//! *spans* ([`Place::spans`]). Within one, updates that are all the same give the same numbers in any order; sums of
//! others give the sums of any of them.
//!
//! A ticket tells its thread nothing about others, but for the special one if it is the last of its span: all
//! others are before it then, in every schedule in which it is that.
//!
//! Guarantees: where nothing is reported, all schedules end alike. Misses (and says so): several special numbers;
//! special numbers for threads of one CTA; several spans with one, unless their CTAs have nothing to do with each
//! other; results that are stored, or lead to addresses (work queues).

use super::history::{Key, Place, Write};
use super::locks::Lost;
use super::machine::Machine;
use super::outcome::{Fault, FaultKind, Run, Site, Suspect, TensorState, Thread};
use super::race::lanes;
use super::setup::{Options, Setup};
use super::{Ended, Watching, updates};
use crate::base::{Budget, Format};
use crate::ir::{Kernel, Reg, RegisterKind};
use crate::isa::Effect;
use crate::term::eval::{Cone, Quantity, Reals, Small, evaluate};
use crate::term::{Likeness, Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers that a ticket may be, at most.
const MOST: usize = 1 << 12;

/// How a launch is run for its tickets.
#[derive(Clone, Default)]
pub(super) struct Plan {
    /// The CTA to begin with.
    pub(super) first: usize,
    /// For a place with a special number, that number.
    pub(super) special: BTreeMap<Key, Special>,
    /// Which updates, by their results' count in the run, come next in every schedule to what they see.
    pub(super) known: BTreeSet<usize>,
    /// The CTAs that may get those.
    pub(super) parties: BTreeSet<u32>,
    /// All others are taken to be before whoever makes an update, to find special numbers.
    pub(super) hopes: bool,
}

/// The tickets of a run.
#[derive(Default)]
pub(super) struct Tickets {
    pub(super) plan: Plan,
    drawn: Vec<Drawn>,
    /// Results that are no symbols: nobody may come between.
    unread: Vec<Drawn>,
    /// Special numbers that were given: where, and as which write.
    given: Vec<Drawn>,
    /// Results so far.
    turns: usize,
    /// The result of the update that is being made is used.
    pub(super) used: bool,
    /// Which ticket an unknowable value is.
    numbers: FxHashMap<u32, usize>,
    /// What witnesses make of terms.
    words: FxHashMap<Term, Option<u64>>,
    /// CTAs of which one has learned of the other.
    met: BTreeSet<(u32, u32)>,
}

/// A ticket.
struct Drawn {
    turn: usize,
    key: Key,
    /// Which write to the place it is.
    at: usize,
    witness: u64,
    site: Site,
    /// What was asked of it, and the answer.
    asked: Vec<(Term, u64)>,
}

/// A number that is not like the others.
#[derive(Clone, Copy)]
pub(super) struct Special {
    pub(super) number: u64,
    /// Whoever gets it comes last of all that stand in no order.
    pub(super) last: bool,
}

/// What a ticket may be: in which span of the history, and which numbers.
struct Chance {
    span: [usize; 2],
    numbers: Vec<u64>,
}

/// What tickets say of a run.
pub(super) enum Verdict {
    /// It stands for all, but for who gets the special numbers; the CTAs that have got them.
    Stands(BTreeSet<u32>),
    /// There are special numbers, and these CTAs may get them.
    Special(BTreeMap<Key, Special>, BTreeSet<u32>),
    /// These come next to what they see in every schedule: it is to be seen what that gives.
    Known(BTreeSet<usize>),
    /// It stands for itself: where, and why not for others.
    Depends(Site, String),
    /// The same, by its locks.
    Lost(Lost),
}

/// Whether results of updates are used.
pub(super) fn uses_results(kernel: &Kernel) -> bool {
    (0u32..).zip(&kernel.code).any(|(pc, instr)| {
        let kept = |reg: &Reg| !matches!(kernel.registers[reg.index()], RegisterKind::Sink);
        let is_update = matches!(instr.effect, Effect::Atomic { .. });
        is_update && kernel.dst(instr).iter().any(kept) && !updates::is_swap(kernel, pc)
    })
}

impl Tickets {
    pub(super) fn new(plan: Plan) -> Tickets {
        Tickets { plan, ..Tickets::default() }
    }

    /// Whether who makes the next update acquires what it sees: the same in every schedule, or so it is hoped.
    pub(super) fn next_is_sure(&self) -> bool {
        self.used && (self.plan.hopes || self.plan.known.contains(&self.turns))
    }

    /// A CTA learns of another.
    pub(super) fn meet(&mut self, one: u32, other: u32) {
        self.met.insert((one, other));
    }
}

impl<'a> Machine<'a> {
    /// What a lane gets of an update that it has made, the last of its place.
    pub(super) fn draw_ticket(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        (region, offset): (usize, u64),
        format: Format,
        old: Value,
    ) -> Value {
        let (first, most) = self.setup.unknowable;
        let at = self.unknowable.len() as u32;
        let key = (self.cta_of(region), region, offset);
        let site = Site { instr: pc, thread: self.thread(self.warps[index].first() + lane) };
        let global = self.first_thread + self.warps[index].first() + lane;
        let writes = self.signals.as_ref().and_then(|signals| Some(signals.places.get(&key)?.writes.len()));
        let Some(tickets) = &mut self.tickets else { return old };
        let turn = tickets.turns;
        tickets.turns += 1;
        let new =
            |witness: u64| Drawn { turn, key, at: writes.unwrap_or(1) - 1, witness, site, asked: Vec::new() };
        let Value::Concrete(witness) = old else {
            tickets.unread.push(new(0));
            return old;
        };
        let of_floats = format.is_float();
        let special = tickets.plan.special.get(&key).is_some_and(|special| special.number == witness);
        if special || tickets.plan.hopes || tickets.plan.known.contains(&turn) {
            // Who goes on with this number has its update behind, and all that it found.
            let place = self.signals.as_mut().and_then(|signals| signals.places.get_mut(&key));
            if let (Some(place), Some(writes)) = (place, writes) {
                let progress = place.progress.entry(global).or_default();
                progress.tried = progress.tried.max(writes - 1);
            }
        }
        if special {
            tickets.given.push(new(witness));
            return old;
        }
        let format = match format.bits() {
            32 => Format::U32,
            64 => Format::U64,
            _ => format,
        };
        let plain = matches!(format, Format::U32 | Format::U64) && !of_floats;
        if !plain || at >= most || tickets.plan.known.contains(&turn) {
            tickets.unread.push(new(witness));
            return old;
        }
        tickets.numbers.insert(first + at, tickets.drawn.len());
        tickets.drawn.push(new(witness));
        self.unknowable.push(pc);
        Value::Symbolic(Symbol::number(format, Term::element(first + at)))
    }

    /// Gives lanes the words that their tickets make of a register, where nothing else is in it.
    #[inline]
    pub(super) fn open_tickets(&mut self, index: usize, reg: Reg, mask: u32) {
        if self.tickets.is_none() {
            return;
        }
        for lane in lanes(mask) {
            let Value::Symbolic(symbol) = self.warps[index].get(reg, lane) else { continue };
            if let Some(word) = self.word_of(symbol.term) {
                self.warps[index].set(reg, lane, Value::Concrete(word));
            }
        }
    }

    /// What the witnesses make of a term in which there are only tickets; it is asked for.
    fn word_of(&mut self, term: Term) -> Option<u64> {
        let tickets = self.tickets.as_ref()?;
        if let Some(word) = tickets.words.get(&term) {
            return *word;
        }
        let cone = match Cone::of(&self.terms, &[term], self.budget) {
            Ok(cone) => cone,
            Err(why) => {
                self.exhausted = Some(why);
                return None;
            }
        };
        let own: Option<Vec<usize>> =
            cone.elements().iter().map(|element| tickets.numbers.get(element).copied()).collect();
        let own = own.filter(|own| !own.is_empty());
        let constants = self.known_constants();
        let word = own.as_ref().and_then(|_| {
            self.word(&cone, &constants, |element| tickets.drawn[tickets.numbers[&element]].witness)
        });
        let tickets = self.tickets.as_mut()?;
        tickets.words.insert(term, word);
        for at in own.filter(|_| word.is_some()).unwrap_or_default() {
            tickets.drawn[at].asked.push((term, word?));
        }
        word
    }

    pub(super) fn known_constants(&self) -> Vec<Quantity> {
        let constants = 0..self.terms.constants().len();
        let known = |at| super::chosen::known(&self.terms, Term::constant(at)).unwrap_or(Quantity::Unknown);
        constants.map(known).collect()
    }

    /// The value of a cone over integers.
    pub(super) fn word(
        &self,
        cone: &Cone,
        constants: &[Quantity],
        value: impl Fn(u32) -> u64,
    ) -> Option<u64> {
        let element = |element: u32| match i64::try_from(value(element)) {
            Ok(word) => Quantity::Exact(Small::from_integer(word)),
            Err(_) => Quantity::Unknown,
        };
        let domain = Reals { element: &element, constants };
        match evaluate(cone, &domain, self.budget, &mut Vec::new()).ok()?[0] {
            Quantity::Condition(holds) => Some(u64::from(holds)),
            Quantity::Bits(word) => Some(word),
            Quantity::Exact(number) if number.is_integer() => Some(number.to_integer() as u64),
            _ => None,
        }
    }

    // ---- the end ---------------------------------------------------------------------------

    /// Whether the run stands for all.
    pub(super) fn judge_tickets(&mut self, tensors: &[TensorState]) -> Verdict {
        let Some(tickets) = self.tickets.take() else { return Verdict::Stands(BTreeSet::new()) };
        let verdict =
            self.judged(&tickets, tensors).unwrap_or_else(|(site, why)| Verdict::Depends(site, why));
        self.tickets = Some(tickets);
        verdict
    }

    fn judged(&self, tickets: &Tickets, tensors: &[TensorState]) -> Result<Verdict, (Site, String)> {
        let Some(signals) = &self.signals else { return Ok(Verdict::Stands(BTreeSet::new())) };
        let mut spans: BTreeMap<Key, Vec<[usize; 2]>> = BTreeMap::new();
        let mut span_of = |drawn: &Drawn| {
            let place = signals.places.get(&drawn.key).filter(|place| place.writes.len() <= MOST)?;
            let spans = spans.entry(drawn.key).or_insert_with(|| place.spans());
            spans.get(spans.partition_point(|[_, to]| *to < drawn.at)).copied()
        };
        for drawn in &tickets.unread {
            if span_of(drawn).is_none_or(|[from, to]| from < to) {
                return Err(self.order_matters(drawn));
            }
        }
        let mut chances = Vec::with_capacity(tickets.drawn.len());
        for drawn in &tickets.drawn {
            let found = span_of(drawn).and_then(|span| {
                let numbers = signals.places[&drawn.key].found_by(drawn.at, span, MOST)?;
                Some(Chance { span, numbers })
            });
            match found {
                Some(chance) => chances.push(chance),
                None => return Err(self.order_matters(drawn)),
            }
        }
        // Who was given a special number is the one who gets it, where it is one.
        let given: Vec<(&Drawn, [usize; 2])> =
            tickets.given.iter().filter_map(|drawn| Some((drawn, span_of(drawn)?))).collect();
        if let Some(drawn) = tickets.given.iter().find(|drawn| span_of(drawn).is_none()) {
            return Err(self.order_matters(drawn));
        }
        let depends = |at: usize| self.order_matters(&tickets.drawn[at]);
        let Some(left) = self.left_behind(tickets, tensors) else { return Err(depends(0)) };
        let is_known = |at: &usize| chances[*at].numbers.len() == 1;
        if let Some(at) = left.iter().find(|at| !is_known(at)) {
            return Err(depends(*at));
        }
        // Which numbers make the same of everything, and where not all do.
        let constants = self.known_constants();
        let mut like: Vec<Vec<u64>> = Vec::with_capacity(tickets.drawn.len());
        let mut split: BTreeMap<(Key, [usize; 2]), Vec<usize>> = BTreeMap::new();
        for (at, chance) in chances.iter().enumerate() {
            like.push(self.answered_alike(tickets, &chances, at, &constants));
            if like[at].len() < chance.numbers.len() {
                split.entry((tickets.drawn[at].key, chance.span)).or_default();
            }
        }
        for (at, drawn) in tickets.drawn.iter().enumerate() {
            if let Some(all) = split.get_mut(&(drawn.key, chances[at].span)) {
                all.push(at);
            }
        }
        let judged =
            |drawn: &Drawn, span: [usize; 2]| span[0] == span[1] || split.contains_key(&(drawn.key, span));
        if let Some((drawn, _)) = given.iter().find(|(drawn, span)| !judged(drawn, *span)) {
            return Err(self.order_matters(drawn));
        }
        let (mut special, mut holders) = (BTreeMap::new(), BTreeSet::new());
        let mut parties: Vec<BTreeSet<u32>> = Vec::new();
        for ((key, span), all) in &split {
            let [from, to] = *span;
            let place = &signals.places[key];
            // Whoever has another number goes on the same with each of the others.
            let rest = |value: u64| {
                all.iter().filter(|at| tickets.drawn[**at].witness != value).all(|at| {
                    chances[*at].numbers.iter().all(|number| *number == value || like[*at].contains(number))
                })
            };
            let holder = |value: u64| {
                let mut holders =
                    (from..=to).filter(|at| place.writes[at - 1].value == Value::Concrete(value));
                holders.next().filter(|_| holders.next().is_none())
            };
            let planned = tickets.plan.special.get(key).map(|special| special.number);
            let candidates: Vec<u64> = match planned {
                Some(number) => vec![number],
                None => all.iter().rev().map(|at| tickets.drawn[*at].witness).collect(),
            };
            let found = candidates.into_iter().find_map(|number| {
                let holder = holder(number).filter(|_| rest(number))?;
                let fits = planned.is_none_or(|_| tickets.plan.special[key].last == (holder == to));
                fits.then_some((Special { number, last: holder == to }, holder))
            });
            let writers: Option<Vec<u32>> =
                place.writes[from..=to].iter().map(|write| self.updater(write)).collect();
            let party: BTreeSet<u32> = writers.iter().flatten().copied().collect();
            let all_apart = writers.is_some_and(|writers| writers.len() == party.len());
            let (Some((number, holder)), true) = (found, all_apart && place.are_like(*span)) else {
                return Err(depends(all[0]));
            };
            if special.insert(*key, number).is_some() {
                return Err(depends(all[0]));
            }
            holders.extend(self.updater(&place.writes[holder]));
            parties.push(party);
        }
        if let Some(all) = split.values().next().filter(|_| !are_apart(&parties, &tickets.met)) {
            return Err(depends(all[0]));
        }
        let ctas: BTreeSet<u32> = parties.into_iter().flatten().collect();
        if !tickets.plan.special.is_empty() {
            let others = split.values().next().filter(|_| ctas != tickets.plan.parties).map(|all| all[0]);
            let wrong = others.or(left.first().copied());
            return wrong.map_or(Ok(Verdict::Stands(holders)), |at| Err(depends(at)));
        }
        if special.is_empty() {
            // Whoever surely comes next acquires what it sees, and has a number.
            let sure = |at: &usize| chances[*at].span[0] == chances[*at].span[1];
            let new: BTreeSet<usize> =
                (0..chances.len()).filter(sure).map(|at| tickets.drawn[at].turn).collect();
            if new.is_empty() || left.is_empty() && self.races.found.is_empty() {
                return left.first().map_or(Ok(Verdict::Stands(BTreeSet::new())), |at| Err(depends(*at)));
            }
            return Ok(Verdict::Known(tickets.plan.known.union(&new).copied().collect()));
        }
        Ok(Verdict::Special(special, ctas))
    }

    /// The CTA of a thread that has made an update.
    fn updater(&self, write: &Write) -> Option<u32> {
        let by = write.by.as_ref().filter(|_| write.update.is_some())?;
        Some(by.thread / self.clocks.count())
    }

    /// The numbers with which a ticket would have been answered the same, whatever the others are.
    fn answered_alike(
        &self,
        tickets: &Tickets,
        chances: &[Chance],
        at: usize,
        constants: &[Quantity],
    ) -> Vec<u64> {
        let mut numbers = chances[at].numbers.clone();
        for (term, word) in &tickets.drawn[at].asked {
            let Ok(cone) = Cone::of(&self.terms, &[*term], self.budget) else { return Vec::new() };
            let own = |element: &u32| tickets.numbers[element];
            let others: Vec<usize> = cone.elements().iter().map(own).filter(|other| *other != at).collect();
            let ways =
                others.iter().try_fold(1usize, |ways, other| ways.checked_mul(chances[*other].numbers.len()));
            let Some(ways) = ways.filter(|ways| *ways <= MOST) else { return Vec::new() };
            numbers.retain(|number| {
                (0..ways).all(|way| {
                    let value = |element: u32| {
                        let (own, mut rest) = (tickets.numbers[&element], way);
                        if own == at {
                            return *number;
                        }
                        for other in others.iter().take_while(|other| **other != own) {
                            rest /= chances[*other].numbers.len();
                        }
                        chances[own].numbers[rest % chances[own].numbers.len()]
                    };
                    self.word(&cone, constants, value) == Some(*word)
                })
            });
        }
        numbers
    }

    /// The tickets that are in what the kernel leaves; `None` where the budget did not suffice to look.
    fn left_behind(&self, tickets: &Tickets, tensors: &[TensorState]) -> Option<Vec<usize>> {
        if tickets.drawn.is_empty() {
            return Some(Vec::new());
        }
        let terms = tensors.iter().flat_map(|state| state.elements.iter().map(|(_, term, _)| term));
        let cone = Cone::of(&self.terms, &terms.collect::<Vec<Term>>(), self.budget).ok()?;
        let own = cone.elements().iter().filter_map(|element| tickets.numbers.get(element).copied());
        Some(own.collect())
    }

    /// Who might have come first.
    fn order_matters(&self, drawn: &Drawn) -> (Site, String) {
        let (cta, region, offset) = drawn.key;
        let place = self.signals.as_ref().and_then(|signals| signals.places.get(&(cta, region, offset)));
        let text = self.region_place(region, offset, place.map_or(4, |place| place.bytes)).text;
        let own = |place: &Place| Some(place.writes.get(drawn.at)?.by.as_ref()?.thread);
        let other = place.and_then(|place| {
            let own = own(place);
            let writers = place.writes.iter().rev().filter_map(|write| write.by.as_ref());
            writers.map(|by| by.thread).find(|thread| Some(*thread) != own)
        });
        let who = other.map_or("another thread".to_owned(), |other| self.global_thread(other).to_string());
        (drawn.site, format!("the value of this atomic on {text} depends on whether {who} comes first"))
    }
}

/// Executes a kernel once for each CTA that may get a special number, in an order in which it does: all have to leave
/// the same.
pub(super) fn in_each_order(
    options: &Options,
    budget: &Budget,
    kernel: &Kernel,
    setup: &Setup,
    (special, ctas, before): (BTreeMap<Key, Special>, BTreeSet<u32>, u64),
) -> Run {
    let (mut open, mut first, mut watch) = (ctas.clone(), None::<Run>, Watching::default());
    let (mut turn, mut spent, mut places) = (0, before, None);
    // Elements that are not written alike: they may be equal all the same.
    let (mut likeness, mut doubts) = (Likeness::default(), Vec::new());
    while turn < setup.launch.ctas.len() && !open.is_empty() {
        watch.inputs = true;
        watch.spent = spent;
        watch.tickets =
            Some(Plan { first: turn, special: special.clone(), parties: ctas.clone(), ..Plan::default() });
        let (mut run, verdict) = match Machine::new(options, budget, kernel, setup, watch).run() {
            Ended::Whole(run, verdict, burnt) => {
                spent = burnt;
                (*run, verdict)
            }
            Ended::Again(more) => {
                // From the first on, watching more.
                places = more.places.clone();
                (open, first, watch, turn) = (ctas.clone(), None, *more, 0);
                (likeness, doubts) = (Likeness::default(), Vec::new());
                continue;
            }
        };
        let Verdict::Stands(holders) = verdict else {
            // Where others are special as well, what races is not known.
            run.faults.retain(|fault| !matches!(fault.kind, FaultKind::DataRace(_)));
            return run;
        };
        if !run.faults.is_empty() {
            return run;
        }
        open.retain(|cta| !holders.contains(cta));
        let cta = setup.launch.ctas[turn];
        let unlike =
            first.as_ref().map(|first| unlike(&run.terms, &mut likeness, &first.tensors, &run.tensors));
        for (tensor, index, writer, values) in unlike.into_iter().flatten() {
            let name = &setup.tensors[tensor].name;
            let why = format!("what `{name}` holds in the end at [{index}] depends on which CTA comes last");
            let thread = Thread { cta, tid: [0; 3], linear: 0 };
            let site = Some(Site { instr: writer, thread }).filter(|_| (writer as usize) < kernel.code.len());
            let fault = Fault::new(FaultKind::DependsOnSchedule(why), site);
            let Some(values) = values else {
                run.faults.push(fault);
                return run;
            };
            doubts.push(Suspect { fault, condition: Term::TRUE, values: Some(values) });
        }
        watch =
            Watching { terms: std::mem::take(&mut run.terms), places: places.clone(), ..Watching::default() };
        first.get_or_insert(run);
        turn += 1;
    }
    let Some(mut run) = first else { return Run::default() };
    run.terms = watch.terms;
    run.suspects.extend(doubts);
    if let Some(cta) = open.first() {
        let [x, y, z] = setup.launch.ctas[*cta as usize];
        let why = format!(
            "what an atomic gives depends on the schedule, and no order was found in which CTA ({x},{y},{z}) gets the number that is not like the others"
        );
        run.faults.push(Fault::new(FaultKind::DependsOnSchedule(why), None));
    }
    run
}

/// An element that two runs do not leave alike: tensor, index, who wrote it, and the two values if both wrote it.
type Unlike = (usize, u64, u32, Option<[Term; 2]>);

fn unlike(terms: &Terms, likeness: &mut Likeness, one: &[TensorState], other: &[TensorState]) -> Vec<Unlike> {
    let mut all = Vec::new();
    for (one, other) in one.iter().zip(other) {
        for ((at, value, writer), (index, new, _)) in one.elements.iter().zip(other.elements.iter()) {
            if at != index {
                all.push((one.tensor, at, writer, None));
                return all;
            }
            if !likeness.alike(terms, value, new) {
                all.push((one.tensor, at, writer, Some([value, new])));
            }
        }
        if one.elements.len() != other.elements.len() {
            let longer = if one.elements.len() > other.elements.len() { one } else { other };
            all.extend(longer.elements.iter().last().map(|(at, _, writer)| (one.tensor, at, writer, None)));
        }
    }
    all
}

/// Whether parties have no CTA in common and none of one has learned of another's.
fn are_apart(parties: &[BTreeSet<u32>], met: &BTreeSet<(u32, u32)>) -> bool {
    let mut groups: Vec<BTreeSet<u32>> = Vec::new();
    let pairs = met.iter().map(|(one, other)| BTreeSet::from([*one, *other]));
    for new in parties.iter().cloned().chain(pairs) {
        let (joined, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| !group.is_disjoint(&new));
        groups = apart;
        groups.push(joined.into_iter().flatten().chain(new).collect());
    }
    groups.iter().all(|group| parties.iter().filter(|party| !party.is_disjoint(group)).count() <= 1)
}
