//! What sections of locks hand on to one another: contents of memory of which nobody knows who has written them.
//!
//! Where a section first touches a place that its lock guards ([`locks`](super::locks)), the place gets a symbol for
//! whatever is there. When the next section comes, or somebody else for whom all of them are over, what the place
//! holds is a function of such symbols: what the section makes of any contents. Two sections that may come in either
//! order *commute* if each place holds the same after both, one way or the other, from any contents; and if all pairs
//! do, all orders leave the same, because neighbours can change places until one order has become the other. What a
//! place holds in the end is what this run's order has made of what was there.
//!
//! Sums, products, maxima and minima of what is there and of what no section hands on commute in plain sight. Other
//! pairs are put together both ways, and whoever knows how to decide is asked whether these can differ (`suspects`).
//!
//! Whatever else depends on a symbol depends on the order: other places, conditions of faults, and what a section
//! makes of what another one found.
//!
//! Guarantees: where nothing is reported, every order of sections leaves the same. Misses: sections that commute
//! only from the contents that there are in fact.

use super::bits::as_number;
use super::history::Key;
use super::machine::Machine;
use super::outcome::{Fault, FaultKind, Site, Suspect, TensorState};
use crate::base::{Format, FormatClass};
use crate::isa::{Access, Effect};
use crate::term::eval::{Cone, operands};
use crate::term::{Node, Symbol, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Kinds of numbers that symbols stand for: reals, signed and unsigned integers.
pub(super) const KINDS: usize = 3;

/// The contents that sections have found.
#[derive(Default)]
pub(super) struct Contents {
    /// Who has touched a place last.
    owned: BTreeMap<Key, Option<usize>>,
    /// As what numbers the contents of places are taken.
    formats: BTreeMap<Key, Format>,
    given: Vec<Given>,
    /// Symbols used, of each kind.
    used: [u32; KINDS],
    /// What symbols stand for in this run's order, and terms that are made of them.
    settled: FxHashMap<Term, Term>,
    symbols: FxHashMap<Term, usize>,
    /// Terms without symbols.
    free: FxHashSet<Term>,
}

/// Contents that a section has found somewhere.
struct Given {
    key: Key,
    section: usize,
    /// The symbol; `None` where nobody had written everything.
    symbol: Option<Term>,
    after: Option<Term>,
}

/// How a section changes what it has found, in plain sight.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Nothing,
    Sum,
    Product,
    Max,
    Min,
}

/// The kind of a format's numbers.
pub(super) fn kind_of(format: Format) -> usize {
    match format.class() {
        FormatClass::Float => 0,
        FormatClass::Signed => 1,
        FormatClass::Unsigned | FormatClass::Bits => 2,
    }
}

/// As what number a place is taken, of what it is declared as and accessed as.
fn numbers(declared: Format, accessed: Format, bytes: u32) -> Format {
    let format = match (declared.is_float(), accessed.is_float() && accessed.bytes() == bytes) {
        (false, true) => accessed,
        _ => declared,
    };
    let unsigned = [Format::U8, Format::U16, Format::U32, Format::U64];
    let same = |unsigned: &Format| format.class() == FormatClass::Bits && unsigned.bits() == format.bits();
    unsigned.into_iter().find(same).unwrap_or(format)
}

impl<'a> Machine<'a> {
    /// The bytes of a region's elements.
    pub(super) fn unit_of(&self, region: usize) -> u64 {
        u64::from(self.memory.regions[region].format.map_or(4, Format::bytes))
    }

    /// Lanes are about to access memory: what locks guard there becomes what their sections have found.
    pub(super) fn own_contents(&mut self, index: usize, pc: u32, mask: u32, access: Access) {
        if !self.locks.as_ref().is_some_and(|locks| locks.guards_any()) {
            return;
        }
        let total = u64::from(access.format.bytes()) * u64::from(access.vector);
        for (lane, region, offset) in self.spots(index, pc, mask, access) {
            let state = &self.memory.regions[region];
            if offset + total > state.size.unwrap_or(state.limit) {
                continue;
            }
            let unit = self.unit_of(region);
            let first = offset / unit * unit;
            for at in (first..offset + total).step_by(unit as usize) {
                let Some(locks) = &self.locks else { return };
                let Some(words) = locks.guards((region, at)) else { continue };
                let thread = self.first_thread + self.warps[index].first() + lane;
                let section = locks.section_in(thread, words);
                self.prepare_at(region, at, unit as u32, access, super::outcome::AccessKind::Read);
                self.own_content((index, pc, lane), (region, at, unit as u32), section, access.format);
            }
        }
    }

    fn own_content(
        &mut self,
        (index, pc, lane): (usize, u32, u32),
        (region, at, bytes): (usize, u64, u32),
        section: Option<usize>,
        accessed: Format,
    ) {
        let key = (self.cta_of(region), region, at);
        let Some(locks) = &self.locks else { return };
        if locks.contents.owned.get(&key).copied().flatten() == section {
            return;
        }
        if self.memory.regions[region].cells.granule() > bytes {
            self.memory.regions[region].refine(&mut self.terms, bytes);
        }
        self.close_content(key, bytes);
        let Some(section) = section else {
            self.settle_content(key, bytes);
            return;
        };
        let declared = self.memory.regions[region].format.unwrap_or(Format::U32);
        let Some(locks) = &mut self.locks else { return };
        let own = || numbers(declared, accessed, bytes);
        let format = *locks.contents.formats.entry(key).or_insert_with(own);
        let value = self.memory.regions[region].cells.read(&mut self.terms, at, bytes);
        let before = match value {
            Value::Undefined(_) => None,
            value => as_number(&mut self.terms, format, value),
        };
        let kind = kind_of(format);
        let (first, most) = self.setup.contents[kind];
        let Some(locks) = &mut self.locks else { return };
        let contents = &mut locks.contents;
        if before.is_some() && contents.used[kind] >= most / 2 {
            self.lose((index, pc, 1 << lane), "more contents are handed on by locks than have numbers");
            return;
        }
        contents.owned.insert(key, Some(section));
        let given = contents.given.len();
        let symbol = before.map(|_| Term::element(first + contents.used[kind]));
        contents.used[kind] += u32::from(symbol.is_some());
        contents.symbols.extend(symbol.map(|symbol| (symbol, given)));
        contents.given.push(Given { key, section, symbol, after: None });
        if let Some((symbol, before)) = symbol.zip(before) {
            let before = self.settled(before);
            if let Some(locks) = &mut self.locks {
                locks.contents.settled.insert(symbol, before);
            }
        }
        if let Some(symbol) = symbol {
            let value = Value::Symbolic(Symbol::number(format, symbol));
            self.memory.regions[region].cells.write(&mut self.terms, at, bytes, value);
        }
    }

    /// A section leaves a place to others.
    fn close_content(&mut self, key: Key, bytes: u32) {
        let (_, region, at) = key;
        let Some(locks) = &mut self.locks else { return };
        if locks.contents.owned.insert(key, None).flatten().is_none() {
            return;
        }
        let format = locks.contents.formats.get(&key).copied().unwrap_or(Format::U32);
        let value = self.memory.regions[region].cells.read(&mut self.terms, at, bytes);
        let after = match value {
            Value::Undefined(_) => None,
            value => as_number(&mut self.terms, format, value),
        };
        let Some(locks) = &mut self.locks else { return };
        if let Some(given) = locks.contents.given.iter_mut().rev().find(|given| given.key == key) {
            given.after = after;
        }
    }

    /// A place gets what this run's order of sections has made of it.
    fn settle_content(&mut self, (_, region, at): Key, bytes: u32) {
        let format = self.memory.regions[region].format.unwrap_or(Format::U32);
        let value = self.memory.regions[region].cells.read(&mut self.terms, at, bytes);
        let Value::Symbolic(symbol) = value else { return };
        let term = self.settled(symbol.term);
        if term == symbol.term {
            return;
        }
        let cone = Cone::of(&self.terms, &[term], self.budget).ok();
        let cone = cone.filter(|cone| cone.elements().is_empty() && !format.is_float());
        let word = cone.and_then(|cone| self.word(&cone, &self.known_constants(), |_| 0));
        let value = match word {
            Some(word) => Value::Concrete(super::bits::mask(word, bytes * 8)),
            None => Value::Symbolic(Symbol { term, ..symbol }),
        };
        self.memory.regions[region].cells.write(&mut self.terms, at, bytes, value);
    }

    /// What a term stands for in this run's order.
    fn settled(&mut self, term: Term) -> Term {
        match &mut self.locks {
            Some(locks) => self.terms.replaced(term, &mut locks.contents.settled),
            None => term,
        }
    }

    /// The contents that a term is made of.
    fn contents_in(&mut self, term: Term) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let Some(locks) = self.locks.as_mut().filter(|locks| !locks.contents.symbols.is_empty()) else {
            return found;
        };
        let contents = &mut locks.contents;
        let (mut open, mut seen) = (vec![term], FxHashSet::default());
        while let Some(term) = open.pop() {
            if contents.free.contains(&term) || !seen.insert(term) {
                continue;
            }
            found.extend(contents.symbols.get(&term).copied());
            if term.as_node().is_some() {
                open.extend(operands(&self.terms.node(term)).into_iter().flatten());
            }
        }
        if found.is_empty() {
            contents.free.extend(seen);
        }
        found
    }

    /// Whether a term depends on what sections have found.
    pub(super) fn depends_on_order(&mut self, term: Term) -> bool {
        !self.contents_in(term).is_empty()
    }

    /// Whether an access by an instruction is one of which it is noted what it finds and leaves.
    pub(super) fn is_followed(&self, pc: u32, (region, at): (usize, u64)) -> bool {
        let unit = self.unit_of(region);
        let effect = &self.kernel.code[pc as usize].effect;
        let own = matches!(effect, Effect::Load(_) | Effect::Store(_) | Effect::Atomic { .. });
        own || self.locks.as_ref().is_none_or(|locks| locks.guards((region, at / unit * unit)).is_none())
    }

    /// The shared memory of the running CTA goes.
    pub(super) fn end_contents(&mut self) {
        let cta = self.cta_index + 1;
        self.close_contents(cta);
    }

    fn close_contents(&mut self, cta: u32) {
        let Some(locks) = &self.locks else { return };
        let own = locks.contents.owned.range((cta, 0, 0)..(cta + 1, 0, 0));
        let keys: Vec<Key> = own.map(|(key, _)| *key).collect();
        for key in keys {
            let bytes = self.unit_of(key.1) as u32;
            self.close_content(key, bytes);
        }
    }

    // ---- the end ---------------------------------------------------------------------------

    /// All sections are over: do they commute? Memory gets what they have made together.
    pub(super) fn judge_contents(&mut self) {
        if self.locks.as_ref().is_none_or(|locks| locks.contents.given.is_empty()) {
            return;
        }
        self.close_contents(0);
        self.cut_suspects();
        self.ask_whether_all_commute();
        let Some(locks) = &self.locks else { return };
        let keys: Vec<Key> = locks.contents.owned.range(..(1, 0, 0)).map(|(key, _)| *key).collect();
        for key in keys {
            let bytes = self.unit_of(key.1) as u32;
            self.settle_content(key, bytes);
        }
    }

    /// What is a fault only by what a section has found.
    fn cut_suspects(&mut self) {
        let mut found = std::mem::take(&mut self.suspects.found);
        for suspect in &mut found {
            let values = suspect.values.into_iter().flatten();
            let roots: Vec<Term> = std::iter::once(suspect.condition).chain(values).collect();
            if roots.into_iter().any(|root| self.depends_on_order(root)) {
                let why = "whether this is a fault depends on the order in which a lock is taken".to_owned();
                suspect.fault.kind = FaultKind::DependsOnSchedule(why);
            }
        }
        self.suspects.found = found;
        let parting = self.parting;
        let claimed: Vec<Term> = self
            .claims
            .found
            .iter()
            .flat_map(|seen| seen.values.iter().copied().chain([seen.condition]))
            .collect();
        if parting.into_iter().chain(claimed).any(|term| self.depends_on_order(term)) {
            self.parting = None;
            let why = "what a thread does depends on the order in which a lock is taken".to_owned();
            self.list_at(None, FaultKind::DependsOnSchedule(why));
        }
    }

    fn ask_whether_all_commute(&mut self) {
        let Some(locks) = &self.locks else { return };
        // By lock and place, what was given there.
        let mut places: BTreeMap<Key, BTreeMap<Key, Vec<usize>>> = BTreeMap::new();
        for (at, given) in locks.contents.given.iter().enumerate() {
            let lock = locks.sections[given.section].lock;
            places.entry(lock).or_default().entry(given.key).or_default().push(at);
        }
        for (lock, places) in places {
            let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
            for (key, all) in &places {
                if let Some(more) = self.in_doubt(*key, all) {
                    pairs.extend(more);
                }
            }
            for (one, two) in pairs {
                self.ask_whether_two_commute(lock, one, two);
            }
        }
    }

    /// Pairs of sections that may not commute at a place, or may because of what they do there.
    fn in_doubt(&mut self, key: Key, all: &[usize]) -> Option<Vec<(usize, usize)>> {
        let changes: Vec<Option<Change>> = all.iter().map(|at| self.change(*at)).collect();
        if changes.iter().all(|change| change.is_some() && *change == changes[0]) {
            return None;
        }
        let locks = self.locks.as_ref()?;
        let given = &locks.contents.given;
        let bare = all.iter().any(|at| given[*at].symbol.is_none() || given[*at].after.is_none());
        if bare && all.len() > 1 {
            let (one, two) = (given[all[0]].section, given[all[1]].section);
            self.orders_differ((one, two), key);
            return None;
        }
        let foreign = all.iter().copied().find(|at| {
            let locks = self.locks.as_ref();
            let Some((section, after)) = locks.map(|locks| {
                let given = &locks.contents.given[*at];
                (given.section, given.after)
            }) else {
                return false;
            };
            let found = after.map(|after| self.contents_in(after)).unwrap_or_default();
            let Some(locks) = &self.locks else { return false };
            found.iter().any(|at| locks.contents.given[*at].section != section)
        });
        let locks = self.locks.as_ref()?;
        let sections: Vec<usize> = all.iter().map(|at| locks.contents.given[*at].section).collect();
        if let Some(at) = foreign {
            let one = locks.contents.given[at].section;
            let two = sections.iter().copied().find(|other| *other != one).unwrap_or(one);
            self.orders_differ((one, two), key);
            return None;
        }
        let apart = |one: usize, two: usize| {
            let standoff = &locks.standoff;
            !standoff.precedes(one, &locks.sections[two]) && !standoff.precedes(two, &locks.sections[one])
        };
        let mut pairs = Vec::new();
        for (at, one) in sections.iter().enumerate() {
            for two in &sections[at + 1..] {
                if one != two && apart(*one, *two) {
                    pairs.push((*one.min(two), *one.max(two)));
                }
            }
        }
        Some(pairs)
    }

    /// How a section changes what it has found at a place, if that is plain to see.
    fn change(&mut self, at: usize) -> Option<Change> {
        let given = &self.locks.as_ref()?.contents.given[at];
        let (symbol, after) = (given.symbol?, given.after?);
        if after == symbol {
            return Some(Change::Nothing);
        }
        [Change::Sum, Change::Product, Change::Max, Change::Min]
            .into_iter()
            .find(|change| self.is_change(symbol, after, *change))
    }

    /// Whether a term is a symbol, and what no section has found, put together by one operation.
    fn is_change(&mut self, symbol: Term, term: Term, change: Change) -> bool {
        let mut term = term;
        while term != symbol {
            let (sides, factor) = match (change, self.terms.node(term)) {
                (Change::Sum, Node::Add(a, b))
                | (Change::Product, Node::Mul(a, b))
                | (Change::Max, Node::Max(a, b))
                | (Change::Min, Node::Min(a, b)) => ([a, b], None),
                (Change::Sum, Node::Fma(a, b, c)) => ([c, a], Some(b)),
                (Change::Sum, Node::Sub(a, b)) => ([a, b], None),
                _ => return false,
            };
            if factor.is_some_and(|factor| self.depends_on_order(factor)) {
                return false;
            }
            // Of a difference or a multiply-add only the first of these is a summand like others.
            let both = !matches!(self.terms.node(term), Node::Fma(..) | Node::Sub(..));
            term = match sides.map(|side| self.depends_on_order(side)) {
                [true, false] => sides[0],
                [false, true] if both => sides[1],
                _ => return false,
            };
        }
        true
    }

    /// What two sections make of any contents, one way and the other, must be the same.
    fn ask_whether_two_commute(&mut self, lock: Key, one: usize, two: usize) {
        let Some(locks) = &self.locks else { return };
        let of = |section: usize| -> BTreeMap<Key, (Term, Term)> {
            let own = locks.contents.given.iter().filter(|given| given.section == section);
            own.filter_map(|given| Some((given.key, (given.symbol?, given.after?)))).collect()
        };
        let (first, second) = (of(one), of(two));
        // What is there before both: the first section's symbols, or the second's.
        let begin: FxHashMap<Term, Term> =
            second.iter().filter_map(|(key, (symbol, _))| Some((*symbol, first.get(key)?.0))).collect();
        let mut alone = BTreeMap::new();
        for (key, (_, after)) in &second {
            let after = self.terms.replaced(*after, &mut begin.clone());
            alone.insert(*key, after);
        }
        let then_second: FxHashMap<Term, Term> =
            second.iter().filter_map(|(key, (symbol, _))| Some((*symbol, first.get(key)?.1))).collect();
        let then_first: FxHashMap<Term, Term> =
            first.iter().filter_map(|(key, (symbol, _))| Some((*symbol, *alone.get(key)?))).collect();
        let keys: BTreeSet<Key> = first.keys().chain(second.keys()).copied().collect();
        for key in keys {
            let forth = match second.get(&key) {
                Some((_, after)) => self.terms.replaced(*after, &mut then_second.clone()),
                None => first[&key].1,
            };
            let back = match first.get(&key) {
                Some((_, after)) => self.terms.replaced(*after, &mut then_first.clone()),
                None => alone[&key],
            };
            if forth != back {
                let (site, why) = self.who_comes_first((one, two), lock, key);
                let fault = Fault::new(FaultKind::DependsOnSchedule(why), Some(site));
                self.suspects.ask(Suspect { fault, condition: Term::TRUE, values: Some([forth, back]) });
            }
        }
    }

    fn orders_differ(&mut self, (one, two): (usize, usize), key: Key) {
        let Some(locks) = &self.locks else { return };
        let lock = locks.sections[one].lock;
        let (site, why) = self.who_comes_first((one, two), lock, key);
        self.list_at(Some(site), FaultKind::DependsOnSchedule(why));
    }

    fn who_comes_first(&self, (one, two): (usize, usize), lock: Key, key: Key) -> (Site, String) {
        let place =
            |(_, region, offset): Key| self.region_place(region, offset, self.unit_of(region) as u32).text;
        let none = Site { instr: 0, thread: self.thread(0) };
        let site = |at: usize| self.locks.as_ref().map_or(none, |locks| locks.sections[at].site);
        let why = format!(
            "what {} holds in the end depends on whether {} or {} takes the lock {} first",
            place(key),
            site(one).thread,
            site(two).thread,
            place(lock)
        );
        (site(two), why)
    }

    /// What a run leaves elsewhere must not depend on what sections have found.
    pub(super) fn judge_left_behind(&mut self, tensors: &[TensorState]) {
        if self.locks.as_ref().is_none_or(|locks| locks.contents.symbols.is_empty()) {
            return;
        }
        for state in tensors {
            let found = state.elements.iter().find(|(_, term, _)| self.depends_on_order(*term));
            let Some((at, term, writer)) = found else { continue };
            let given = self.contents_in(term).into_iter().next();
            let Some((given, locks)) = given.zip(self.locks.as_ref()) else { continue };
            let given = &locks.contents.given[given];
            let section = &locks.sections[given.section];
            let place = |(_, region, offset): Key| {
                self.region_place(region, offset, self.unit_of(region) as u32).text
            };
            let why = format!(
                "what `{}` holds in the end at [{at}] depends on what {} finds in {} when it takes the lock {}, and so on who comes first",
                self.setup.tensors[state.tensor].name,
                section.site.thread,
                place(given.key),
                place(section.lock)
            );
            let known = (writer as usize) < self.kernel.code.len();
            let site = Site { instr: writer, thread: section.site.thread };
            self.list_at(Some(if known { site } else { section.site }), FaultKind::DependsOnSchedule(why));
        }
    }
}
