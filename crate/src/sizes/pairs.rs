//! Two threads that stand for any two, and what they may do to each other.
//!
//! Between two barriers: a walk from the start, and one from behind each barrier, up to the next barriers meets the
//! accesses that two threads of a CTA may make at the same time. What the walk through the whole kernel called the
//! same for all threads of a CTA is one unknown for both; everything else has a copy for the second thread. Accesses
//! to global memory of two CTAs may always meet.

use super::poly::{Condition, Poly, Unknown};
use super::prover::{Access, Kind, Prover};
use super::solve::Found;
use super::unknowns::Scope;
use super::{Question, Stop, Unproved};
use crate::base::Budget;
use crate::ir::{Kernel, SpecialReg};
use crate::isa::{Scope as Reach, Space};
use std::collections::BTreeMap;

impl From<Stop> for Unproved {
    fn from(stop: Stop) -> Unproved {
        Unproved { reason: stop.reason, pc: stop.pc, other: None, possible: false }
    }
}

/// The instructions whose results are assumed to fit.
pub(super) fn prove(
    kernel: &Kernel,
    question: &Question,
    work: u64,
    budget: &Budget,
) -> Result<Vec<u32>, Unproved> {
    let mut prover = Prover::new(kernel, question, work, budget)?;
    let sizes = prover.table.len();
    let whole = prover.part(0, true)?;
    let first = prover.first_state()?;
    prover.walk(&whole, first.clone(), true)?;
    let all = std::mem::take(&mut prover.seen);
    let main = prover.table.len();
    let cta = Together { shared: main, scope: Scope::Cta };

    let mut uniform = BTreeMap::new();
    for (block, (condition, path)) in &all.branches {
        uniform.insert(*block, prover.is_uniform(condition, path, cta));
    }
    if let Some(block) = prover.graph.parting(&whole, &|block| uniform.get(&block).copied().unwrap_or(true)) {
        let pc = Some(prover.graph.last(block) as u32);
        let reason = "threads of one CTA may part here on their way to different barriers".to_owned();
        return Err(Unproved { reason, pc, other: None, possible: true });
    }
    for access in &all.accesses {
        prover.stays_inside(access)?;
    }
    prover.fresh_loads(&all.accesses)?;

    let mut starts = vec![(0, first)];
    for (block, state) in all.behind {
        starts.extend(prover.graph.next[block].first().map(|(to, _)| (*to, state)));
    }
    for (entry, state) in starts {
        let part = prover.part(entry, false)?;
        prover.walk(&part, state, false)?;
        let seen = std::mem::take(&mut prover.seen);
        prover.keep_apart(&seen.accesses, cta)?;
    }
    let ctas = Together { shared: sizes, scope: Scope::Launch };
    prover.keep_apart(&all.accesses, ctas)?;
    prover.budget()?;
    Ok(prover.assumed.into_iter().collect())
}

/// Which unknowns two threads have in common: of the first so many, those of that scope.
#[derive(Clone, Copy)]
struct Together {
    shared: u32,
    scope: Scope,
}

/// The second thread's unknowns.
struct Other<'p, 'a> {
    prover: &'p mut Prover<'a>,
    together: Together,
    copies: BTreeMap<Unknown, Poly>,
}

impl Other<'_, '_> {
    fn poly(&mut self, poly: &Poly) -> Poly {
        poly.unknowns().for_each(|unknown| self.copy(unknown));
        let own = poly.put_in(&|unknown| self.copies.get(&unknown).cloned());
        own.unwrap_or_else(|| Poly::unknown(self.prover.table.add(Scope::Thread, None, None)))
    }

    fn condition(&mut self, condition: &Condition) -> Condition {
        condition.unknowns().into_iter().for_each(|unknown| self.copy(unknown));
        condition.put_in(&|unknown| self.copies.get(&unknown).cloned(), &|_| false)
    }

    fn copy(&mut self, unknown: Unknown) {
        let known = self.prover.table.get(unknown).clone();
        let shared = unknown.0 < self.together.shared && known.scope <= self.together.scope;
        if shared || self.copies.contains_key(&unknown) {
            return;
        }
        let copy = self.prover.table.add(known.scope, known.low, known.high);
        self.copies.insert(unknown, Poly::unknown(copy));
        let facts = self.condition(&known.facts);
        self.prover.table.set_facts(copy, facts);
    }
}

impl Prover<'_> {
    /// Whether all threads of a CTA that come to a branch together go the same way.
    fn is_uniform(&mut self, condition: &Condition, path: &[Condition], together: Together) -> bool {
        if self.table.scope_of(condition) <= Scope::Cta {
            return true;
        }
        let length = self.table.len();
        let Some(not) = condition.not() else { return false };
        let mut all = vec![condition.clone()];
        all.extend_from_slice(path);
        let mut other = Other { prover: self, together, copies: BTreeMap::new() };
        let rest: Vec<Condition> =
            std::iter::once(&not).chain(path).map(|condition| other.condition(condition)).collect();
        all.extend(rest);
        let same = self.solve(&all) == Found::Refuted;
        self.table.truncate(length);
        same
    }

    fn title(&self, access: &Access) -> String {
        let verb = match access.kind {
            Kind::Read => "reads",
            Kind::Write => "writes",
            Kind::Update(..) => "updates",
        };
        format!("{verb} `{}`", self.memories[access.memory].name)
    }

    fn stays_inside(&mut self, access: &Access) -> Result<(), Unproved> {
        self.budget()?;
        let memory = &self.memories[access.memory];
        let Some(bytes) = memory.bytes.clone() else {
            let name = &memory.name;
            let reason = format!("nobody says how large `{name}` is: give its `shape`");
            return Err(Unproved { reason, pc: Some(access.pc), other: None, possible: false });
        };
        let below = access.offset.scaled(-1).and_then(|poly| poly.offset(-1));
        let above = access.offset.offset(access.bytes - 1).and_then(|end| end.plus(&bytes, -1));
        for (poly, side) in [(below, "before"), (above, "behind")] {
            let inside = poly.is_some_and(|poly| {
                let mut all = vec![Condition::at_least(poly)];
                all.extend_from_slice(&access.path);
                self.solve(&all) == Found::Refuted
            });
            if !inside {
                let name = &self.memories[access.memory].name;
                let verb = if access.kind == Kind::Read { "read" } else { "write" };
                let reason = format!(
                    "a thread may {verb} {side} the {} of `{name}`",
                    match side {
                        "before" => "first byte",
                        _ => "last byte",
                    }
                );
                return Err(Unproved { reason, pc: Some(access.pc), other: None, possible: true });
            }
        }
        Ok(())
    }

    /// Nothing orders a load through the cache that never learns of writes with a write, not even of its own thread.
    fn fresh_loads(&self, accesses: &[Access]) -> Result<(), Unproved> {
        for load in accesses.iter().filter(|access| access.stale) {
            let writes = |access: &&Access| access.memory == load.memory && access.kind != Kind::Read;
            if let Some(write) = accesses.iter().find(writes) {
                let reason = format!(
                    "a non-coherent load of `{}`, which the kernel also writes",
                    self.memories[load.memory].name
                );
                return Err(Unproved { reason, pc: Some(load.pc), other: Some(write.pc), possible: true });
            }
        }
        Ok(())
    }

    /// No two threads touch the same bytes, one of them writing.
    fn keep_apart(&mut self, accesses: &[Access], together: Together) -> Result<(), Unproved> {
        let across = together.scope == Scope::Launch;
        let special = if across { SpecialReg::Ctaid } else { SpecialReg::Tid };
        let axes = self.own_index(special);
        if axes.is_empty() {
            return Ok(());
        }
        for (at, a) in accesses.iter().enumerate() {
            self.budget()?;
            for b in &accesses[at..] {
                let same = std::ptr::eq(a, b);
                if self.conflicts(a, b, across) && !self.apart(a, b, &axes, same, together) {
                    let whose = if across { "threads of two CTAs" } else { "two threads of one CTA" };
                    let place = if a.pc == b.pc {
                        format!("{whose} may meet here: one {}, and so does the other", self.title(a))
                    } else {
                        format!(
                            "{whose} may meet: one {}, and the other {} it",
                            self.title(a),
                            match b.kind {
                                Kind::Read => "reads",
                                Kind::Write => "writes",
                                Kind::Update(..) => "updates",
                            }
                        )
                    };
                    let other = (a.pc != b.pc).then_some(b.pc);
                    return Err(Unproved { reason: place, pc: Some(a.pc), other, possible: true });
                }
            }
        }
        Ok(())
    }

    /// Whether accesses to one byte would be a race.
    fn conflicts(&self, a: &Access, b: &Access, across: bool) -> bool {
        let space = self.memories[a.memory].space;
        let shared =
            if across { space == Space::Global } else { matches!(space, Space::Global | Space::Shared) };
        let both = match (a.kind, b.kind) {
            (Kind::Read, Kind::Read) => false,
            (Kind::Update(f, x, p), Kind::Update(g, y, q)) => {
                let reaches = |reach: Reach| !across || reach >= Reach::Gpu;
                f != g || x != y || !reaches(p) || !reaches(q)
            }
            _ => true,
        };
        a.memory == b.memory && shared && both
    }

    fn apart(&mut self, a: &Access, b: &Access, axes: &[Unknown], same: bool, together: Together) -> bool {
        let length = self.table.len();
        let mut other = Other { prover: self, together, copies: BTreeMap::new() };
        let offset = other.poly(&b.offset);
        let path: Vec<Condition> = b.path.iter().map(|condition| other.condition(condition)).collect();
        let mut different = Vec::new();
        for axis in axes {
            let (own, its) = (Poly::unknown(*axis), other.poly(&Poly::unknown(*axis)));
            different.extend(Condition::less(&own, &its));
            if !same {
                different.extend(Condition::less(&its, &own));
            }
        }
        let mut all =
            match a.offset.plus(&offset, -1).and_then(|distance| touching(&distance, a.bytes, b.bytes)) {
                Some(Condition::False) => {
                    self.table.truncate(length);
                    return true;
                }
                Some(condition) => vec![condition],
                None => Vec::new(),
            };
        all.push(Condition::any(different));
        all.extend_from_slice(&a.path);
        all.extend(path);
        let apart = self.solve(&all) == Found::Refuted;
        self.table.truncate(length);
        apart
    }
}

/// That accesses of so many bytes at places so far apart share one.
fn touching(distance: &Poly, bytes: i128, other: i128) -> Option<Condition> {
    let (low, high) = (1 - bytes, other - 1);
    let common = distance.common();
    if common == 0 {
        let value = distance.value()?;
        return Some(if (low..=high).contains(&value) { Condition::True } else { Condition::False });
    }
    let rest = distance.constant_part().rem_euclid(common);
    let first = low + (rest - low).rem_euclid(common);
    let mut values = Vec::new();
    let mut value = first;
    while value <= high && values.len() < 5 {
        values.push(Condition::zero(distance.offset(-value)?));
        value += common;
    }
    match values.len() {
        5 => Some(Condition::all([
            Condition::at_least(distance.offset(-low)?),
            Condition::at_least(distance.scaled(-1)?.offset(high)?),
        ])),
        _ => Some(Condition::any(values)),
    }
}
