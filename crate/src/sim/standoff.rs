//! Circles of threads that wait for one another's locks, in some order of those who take them.
//!
//! Between two threads only what every schedule performs is certain: what a thread has done is before what it does
//! next, and before what others do once they have met it or have seen what it stored. For each section there is what
//! must have happened when its lock is taken (`since`) and before it is freed (`until`). A section *needs* those that
//! are taken in between: by its own thread, or by whom that meets. Where nobody can go on, whoever holds a lock
//! needs one that another section holds, which needs another one, and so on in a circle; so if no such circle is
//! possible there is no deadlock in any order. A circle is possible if what must have happened for all of its locks
//! to be held (the union of their `since`) frees none of them, takes none of those that are needed, and leaves no
//! lock held twice. It is certain if all of that can be put into one order; then the run is stuck there.
//!
//! A lock that is never freed is a circle with whoever may take it later.
//!
//! Guarantees: a circle that is told exists in some schedule; without one there is no deadlock about locks. Misses: a
//! circle that is possible and not certain is *depends on the schedule*; so it is where threads know of one another
//! by loads, which say less than is assumed here.

use super::history::Key;
use super::locks::Section;
use super::machine::Machine;
use super::outcome::{Fault, FaultKind, WaitGroup, WaitKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A set of takings and freeings, as bits: two of each section.
pub(super) type Events = Rc<Vec<u64>>;

/// What must have happened before threads came to where they are.
#[derive(Default)]
pub(super) struct Standoff {
    known: FxHashMap<u32, Events>,
    /// The same of whoever wrote to a place, and of all that wrote there before.
    written: FxHashMap<(Key, usize), Events>,
    /// Threads have learned by loads.
    loads: bool,
}

fn taking(section: usize) -> usize {
    2 * section
}

fn freeing(section: usize) -> usize {
    2 * section + 1
}

fn has(events: &Events, event: usize) -> bool {
    events.get(event / 64).is_some_and(|word| word >> (event % 64) & 1 == 1)
}

fn add(events: &mut Events, event: usize) {
    let words = Rc::make_mut(events);
    words.resize(words.len().max(event / 64 + 1), 0);
    words[event / 64] |= 1 << (event % 64);
}

/// Whether that added anything.
fn join(events: &mut Events, others: &Events) -> bool {
    let more = |(at, word): (usize, &u64)| word & !events.get(at).copied().unwrap_or(0) != 0;
    if Rc::ptr_eq(events, others) || !others.iter().enumerate().any(more) {
        return false;
    }
    let words = Rc::make_mut(events);
    words.resize(words.len().max(others.len()), 0);
    words.iter_mut().zip(others.iter()).for_each(|(own, other)| *own |= other);
    true
}

fn all(events: &Events) -> impl Iterator<Item = usize> {
    (0..64 * events.len()).filter(|event| has(events, *event))
}

impl Standoff {
    fn of(&self, thread: u32) -> Events {
        self.known.get(&thread).cloned().unwrap_or_default()
    }

    /// A thread takes a lock: what must have happened then, that included.
    pub(super) fn take(&mut self, thread: u32, section: usize) -> Events {
        let mut known = self.of(thread);
        add(&mut known, taking(section));
        self.known.insert(thread, Rc::clone(&known));
        known
    }

    /// A thread frees a lock: what must have happened before.
    pub(super) fn free(&mut self, thread: u32, section: usize) -> Events {
        let until = self.of(thread);
        let mut known = Rc::clone(&until);
        add(&mut known, freeing(section));
        self.known.insert(thread, known);
        until
    }

    /// Some of these threads go on from where all have met.
    pub(super) fn meet(&mut self, came: impl Iterator<Item = u32>, go_on: impl Iterator<Item = u32>) {
        let mut together = Events::default();
        for thread in came {
            if let Some(known) = self.known.get(&thread) {
                join(&mut together, known);
            }
        }
        if !together.is_empty() {
            go_on.for_each(|thread| _ = self.known.insert(thread, Rc::clone(&together)));
        }
    }

    /// A thread has made the write of that number to a place.
    pub(super) fn write(&mut self, thread: u32, key: Key, number: usize) {
        let mut known = self.of(thread);
        if let Some(before) = number.checked_sub(1).and_then(|before| self.written.get(&(key, before))) {
            join(&mut known, before);
        }
        if !known.is_empty() {
            self.written.insert((key, number), known);
        }
    }

    /// A thread has seen it.
    pub(super) fn see(&mut self, thread: u32, key: Key, number: usize) {
        let Some(theirs) = self.written.get(&(key, number)) else { return };
        self.loads |= join(self.known.entry(thread).or_default(), theirs);
    }

    /// Whether one section has ended before another begins, in every schedule.
    pub(super) fn precedes(&self, one: usize, other: &Section) -> bool {
        !self.loads && has(&other.since, freeing(one))
    }
}

/// Sections that hold a lock, and for each a section that waits for it.
type Circle = Vec<(usize, usize)>;

/// The sections of a run.
struct Search<'s> {
    sections: &'s [Section],
    needs: Vec<Vec<usize>>,
    /// A circle that is possible and was not put into an order.
    possible: Option<Circle>,
}

impl Search<'_> {
    fn of(sections: &[Section]) -> Search<'_> {
        let needs = sections.iter().enumerate().map(|(at, section)| {
            let Some(until) = &section.until else { return Vec::new() };
            let later = (0..sections.len()).filter(|other| *other != at);
            later.filter(|other| has(until, taking(*other)) && !has(&section.since, taking(*other))).collect()
        });
        let needs = needs.collect();
        Search { sections, needs, possible: None }
    }

    /// A circle that some schedule closes.
    fn find(&mut self) -> Option<Circle> {
        for at in 0..self.sections.len() {
            if self.sections[at].until.is_none() {
                let lock = self.sections[at].lock;
                for other in (0..self.sections.len()).filter(|other| *other != at) {
                    if self.sections[other].lock == lock && self.closes(&[(at, other)]) {
                        return Some(vec![(at, other)]);
                    }
                }
            }
            if let Some(found) = self.from(at, &mut vec![at], &mut Vec::new()) {
                return Some(found);
            }
        }
        None
    }

    /// The last of `path` holds its lock and needs another. `waiting` are those that wait for the others.
    fn from(&mut self, first: usize, path: &mut Vec<usize>, waiting: &mut Vec<usize>) -> Option<Circle> {
        let last = path[path.len() - 1];
        for needed in self.needs[last].clone() {
            waiting.push(needed);
            let lock = self.sections[needed].lock;
            if lock == self.sections[first].lock && needed != first {
                let of_next = path.iter().cycle().skip(1).zip(waiting.iter());
                let circle: Circle = of_next.map(|(holder, waits)| (*holder, *waits)).collect();
                if self.closes(&circle) {
                    return Some(circle);
                }
            }
            // Each circle is found from its first section.
            for next in first + 1..self.sections.len() {
                let fits = self.sections[next].lock == lock && next != needed && !path.contains(&next);
                if !fits || self.needs[next].is_empty() {
                    continue;
                }
                path.push(next);
                let found = self.from(first, path, waiting);
                path.pop();
                if found.is_some() {
                    return found;
                }
            }
            waiting.pop();
        }
        None
    }

    /// Whether some schedule comes to where these sections hold their locks and those wait for them. One that may,
    /// and was not found, is noted.
    fn closes(&mut self, circle: &[(usize, usize)]) -> bool {
        let mut done = Events::default();
        for (holder, _) in circle {
            join(&mut done, &self.sections[*holder].since);
        }
        let over =
            |(holder, waits): &(usize, usize)| has(&done, freeing(*holder)) || has(&done, taking(*waits));
        if circle.iter().any(over) {
            return false;
        }
        let open: Vec<Key> = all(&done)
            .filter(|event| event % 2 == 0 && !has(&done, event + 1))
            .map(|event| self.sections[event / 2].lock)
            .collect();
        if open.iter().collect::<BTreeSet<_>>().len() < open.len() {
            return false;
        }
        let certain = self.has_order(&done);
        if !certain {
            self.possible.get_or_insert_with(|| circle.to_vec());
        }
        certain
    }

    /// Whether these events, which need no others, can be put into an order: locks that are not freed come last.
    fn has_order(&self, events: &Events) -> bool {
        let mut left: Vec<usize> = all(events).collect();
        let mut done = Events::default();
        let mut held: BTreeSet<Key> = BTreeSet::new();
        while !left.is_empty() {
            let next = |last: bool| {
                left.iter().position(|event| {
                    let section = &self.sections[event / 2];
                    let before = if event % 2 == 0 { Some(&section.since) } else { section.until.as_ref() };
                    let ready = before
                        .is_some_and(|before| all(before).all(|other| other == *event || has(&done, other)));
                    let stays = event % 2 == 0 && !has(events, event + 1);
                    let others = || {
                        left.iter().any(|other| {
                            other != event && other % 2 == 0 && self.sections[other / 2].lock == section.lock
                        })
                    };
                    let free = event % 2 == 1 || !(held.contains(&section.lock) || stays && others());
                    ready && free && stays == last
                })
            };
            let Some(at) = next(false).or_else(|| next(true)) else { return false };
            let event = left.remove(at);
            add(&mut done, event);
            let lock = self.sections[event / 2].lock;
            _ = if event.is_multiple_of(2) { held.insert(lock) } else { held.remove(&lock) };
        }
        true
    }
}

impl<'a> Machine<'a> {
    /// Threads of the CTA meet, counted in it; some go on.
    pub(super) fn lock_meeting(&mut self, came: impl Iterator<Item = u32>, go_on: impl Iterator<Item = u32>) {
        let first = self.first_thread;
        if let Some(locks) = &mut self.locks {
            locks.standoff.meet(came.map(|thread| first + thread), go_on.map(|thread| first + thread));
        }
    }

    /// Do threads wait for one another's locks in a circle, in some order?
    pub(super) fn judge_standoff(&mut self) {
        let Some(locks) = &self.locks else { return };
        // Threads that a fault has stopped do not come to free what they hold.
        if !self.faults.is_empty() {
            return;
        }
        let mut search = Search::of(&locks.sections);
        let certain = search.find();
        let possible = search.possible.take();
        let sure = certain.is_some() && !locks.standoff.loads;
        let Some(circle) = certain.or(possible) else { return };
        let groups: Vec<WaitGroup> = circle
            .iter()
            .map(|(holder, waits)| {
                let (held, waits) = (&locks.sections[*holder], &locks.sections[*waits]);
                let (_, region, offset) = held.lock;
                let place = self.region_place(region, offset, 4).text;
                WaitGroup {
                    threads: vec![waits.site.thread.linear],
                    site: waits.site,
                    kind: WaitKind::Lock { place, holder: Some(held.site) },
                    waits_for: Vec::new(),
                }
            })
            .collect();
        let site = Some(groups[0].site);
        if sure {
            self.faults.push(Fault::new(FaultKind::Deadlock(groups), site));
        } else {
            let why = "threads may come to wait for one another's locks, by who comes first".to_owned();
            self.list_at(site, FaultKind::DependsOnSchedule(why));
        }
    }
}
