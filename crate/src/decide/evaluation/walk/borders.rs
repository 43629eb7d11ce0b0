//! Whether two values meet where a difference vanishes.
//!
//! Let d be a sum of parts, one of them c·t with a constant c. Where d = 0, t is t - d/c. So what
//! depends on t is evaluated again with that in its place, and what comes to 0 there, whatever the
//! variables are, is 0 wherever d is: no input is left out. (The other way round nothing is claimed:
//! d may vanish elsewhere for other reasons, and other parts may be tried.)
//!
//! Cost: the steps between t and what is asked; all together no more than a multiple of the cone,
//! beyond which borders count as different, which is never wrong.

use super::*;
use crate::term::eval::operands;

/// Steps that all questions together may visit, for each step of the cone.
const VISITS: usize = 8;
/// Parts of one difference that are tried.
const PARTS: usize = 12;

/// What is supposed, while something is.
pub(super) struct Supposed {
    active: bool,
    element: Option<(u32, Value)>,
    left: usize,
    known: FxHashMap<(Term, Term, Term, Option<Term>), bool>,
    /// The first step that has an element for an operand, if that was asked.
    users: FxHashMap<u32, usize>,
}

impl Supposed {
    pub(super) fn new(steps: usize) -> Supposed {
        Supposed {
            active: false,
            element: None,
            left: VISITS * steps + 4096,
            known: FxHashMap::default(),
            users: FxHashMap::default(),
        }
    }

    /// Whether anything is.
    pub(super) fn any(&self) -> bool {
        self.active
    }

    pub(super) fn element(&self, element: u32) -> Option<Value> {
        self.element.filter(|(supposed, _)| *supposed == element).map(|(_, value)| value)
    }
}

/// A step as it was before something was supposed.
struct Kept {
    step: usize,
    small: Small,
    sample: f64,
    at: [Residue; LEVELS],
    asked: Option<Asked>,
    largest: Option<Set>,
    smallest: Option<Set>,
    place: Option<Place>,
    shape: Option<Shape>,
    condition: Option<Place>,
}

impl Walk<'_> {
    /// Whether two terms are one where `a = b`.
    pub(super) fn meet(&mut self, d: [Term; 2], one: Term, two: Term) -> bool {
        self.settled(d, one, Some(two))
    }

    /// Whether a term is 0 where `a = b`.
    pub(super) fn is_zero_where(&mut self, d: [Term; 2], term: Term) -> bool {
        self.settled(d, term, None)
    }

    fn settled(&mut self, [a, b]: [Term; 2], one: Term, two: Option<Term>) -> bool {
        if self.supposed.active {
            return false;
        }
        let key = (a, b, one, two);
        if let Some(known) = self.supposed.known.get(&key) {
            return *known;
        }
        let found = self.look([a, b], one, two);
        self.supposed.known.insert(key, found);
        found
    }

    fn look(&mut self, [a, b]: [Term; 2], one: Term, two: Option<Term>) -> bool {
        let difference = self.get(a, ALL).minus(self.get(b, ALL), ALL);
        let mut parts = self.parts(a, b);
        // Those computed last first: little depends on them.
        parts.sort_by_key(|(term, _)| std::cmp::Reverse(term.as_node().map_or(-1, |step| step as i64)));
        parts.dedup_by_key(|(term, _)| *term);
        let goals: Vec<Term> = [Some(one), two].into_iter().flatten().collect();
        for (term, coefficient) in parts {
            let instead = self.get(term, ALL).minus(difference.times(coefficient.inverse(ALL), ALL), ALL);
            if !instead.is_finite() {
                continue;
            }
            let Some(values) = self.suppose(term, instead, &goals) else { continue };
            let zero = |level: usize| match values[..] {
                [one, two] => one.at[level] == two.at[level],
                _ => values[0].at[level] == ZERO,
            };
            if values.iter().all(Value::is_finite) && zero(0) {
                return true;
            }
        }
        false
    }

    /// Parts of `a - b` with constant coefficients.
    fn parts(&self, a: Term, b: Term) -> Vec<(Term, Value)> {
        let mut open = vec![(a, Value::ONE), (b, Value::ONE.negated(ALL))];
        let mut parts = Vec::new();
        while let Some((term, coefficient)) = open.pop() {
            if term.as_constant().is_some() || parts.len() >= PARTS {
                continue;
            }
            parts.push((term, coefficient));
            let Some(step) = term.as_node() else { continue };
            let constant = |term: Term| term.as_constant().map(|_| self.get(term, ALL));
            let mut scaled = |a: Term, b: Term| match (constant(a), constant(b)) {
                (None, Some(factor)) => open.push((a, coefficient.times(factor, ALL))),
                (Some(factor), None) => open.push((b, coefficient.times(factor, ALL))),
                _ => {}
            };
            match self.cone.steps()[step] {
                Node::Add(a, b) => open.extend([(a, coefficient), (b, coefficient)]),
                Node::Sub(a, b) => open.extend([(a, coefficient), (b, coefficient.negated(ALL))]),
                Node::Unary(Unary::Neg, a) => open.push((a, coefficient.negated(ALL))),
                Node::Mul(a, b) => scaled(a, b),
                Node::Fma(a, b, c) => {
                    scaled(a, b);
                    open.push((c, coefficient));
                }
                Node::Div(a, b) => {
                    if let Some(below) = constant(b) {
                        open.push((a, coefficient.times(below.inverse(ALL), ALL)));
                    }
                }
                _ => {}
            }
        }
        parts
    }

    /// The values of `goals` if `term` had another one.
    fn suppose(&mut self, term: Term, value: Value, goals: &[Term]) -> Option<Vec<Value>> {
        let affected = self.between(term, goals)?;
        let guarded = self.guarded;
        let doubtful = std::mem::replace(&mut self.atoms.bases.doubtful, true);
        self.supposed.active = true;
        let mut kept = Vec::with_capacity(affected.len() + 1);
        match (term.as_node(), term.as_element()) {
            (Some(step), _) => {
                kept.push(self.keep(step));
                self.write(step, value);
            }
            (_, Some(element)) => self.supposed.element = Some((element, value)),
            _ => {}
        }
        for step in affected {
            kept.push(self.keep(step));
            let Demand { levels, guarded, .. } = self.demands.steps[step];
            self.guarded = guarded;
            let node = self.cone.steps()[step];
            let value = self.node(Term::from_node(step), &node, levels);
            self.write(step, value);
        }
        let values = goals.iter().map(|goal| self.get(*goal, 1)).collect();
        for Kept { step, small, sample, at, asked, largest, smallest, place, shape, condition } in kept {
            self.steps[step] = small;
            if let Some(own) = self.samples.get_mut(step) {
                *own = sample;
            }
            self.write_levels(step, at);
            let own = Term::from_node(step);
            restore(&mut self.asked, own, asked);
            restore(&mut self.largest, own, largest);
            restore(&mut self.smallest, own, smallest);
            restore(&mut self.places, own, place);
            restore(&mut self.shapes, own, shape);
            restore(&mut self.conditions, own, condition);
        }
        self.supposed.active = false;
        self.supposed.element = None;
        self.guarded = guarded;
        self.atoms.bases.doubtful = doubtful;
        Some(values)
    }

    /// The first step that an element is an operand of.
    fn first_user(&mut self, term: Term) -> usize {
        if self.supposed.users.is_empty() {
            for (at, node) in self.cone.steps().iter().enumerate() {
                for element in operands(node).into_iter().flatten().filter_map(Term::as_element) {
                    self.supposed.users.entry(element).or_insert(at);
                }
            }
        }
        term.as_element().and_then(|element| self.supposed.users.get(&element)).copied().unwrap_or_default()
    }

    /// Steps that depend on a term and that goals depend on, ascending.
    fn between(&mut self, term: Term, goals: &[Term]) -> Option<Vec<usize>> {
        let first = match term.as_node() {
            Some(step) => step + 1,
            None => self.first_user(term),
        };
        let mut open: Vec<usize> = goals.iter().filter_map(|goal| goal.as_node()).collect();
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        while let Some(step) = open.pop() {
            if step < first || !seen.insert(step) {
                continue;
            }
            self.supposed.left = self.supposed.left.checked_sub(1)?;
            open.extend(operands(&self.cone.steps()[step]).into_iter().flatten().filter_map(Term::as_node));
        }
        let mut order: Vec<usize> = seen.into_iter().collect();
        order.sort_unstable();
        let mut affected: FxHashSet<Term> = FxHashSet::default();
        affected.insert(term);
        order.retain(|step| {
            let depends =
                operands(&self.cone.steps()[*step]).into_iter().flatten().any(|a| affected.contains(&a));
            if depends {
                affected.insert(Term::from_node(*step));
            }
            depends
        });
        // What is known of products was made of the values that there are.
        let plain = |step: &usize| {
            let Demand { products, split, .. } = self.demands.steps[*step];
            products == 0 && !split && !self.demands.powers.contains_key(step)
        };
        let own = term.as_node();
        (order.iter().all(plain) && own.iter().all(plain)).then_some(order)
    }

    fn keep(&mut self, step: usize) -> Kept {
        let own = Term::from_node(step);
        let at = std::array::from_fn(|level| self.levels[level].get(step).copied().unwrap_or(ZERO));
        Kept {
            step,
            small: self.steps[step],
            sample: self.samples.get(step).copied().unwrap_or_default(),
            at,
            asked: self.asked.remove(&own),
            largest: self.largest.remove(&own),
            smallest: self.smallest.remove(&own),
            place: self.places.remove(&own),
            shape: self.shapes.remove(&own),
            condition: self.conditions.remove(&own),
        }
    }

    fn write(&mut self, step: usize, value: Value) {
        let Value { kind, sign, chosen, degree, sample, parts, at } = value;
        self.steps[step] = Small { kind, sign, chosen, degree, parts };
        if let Some(own) = self.samples.get_mut(step) {
            *own = sample;
        }
        self.write_levels(step, at);
    }

    fn write_levels(&mut self, step: usize, at: [Residue; LEVELS]) {
        for (values, at) in self.levels.iter_mut().zip(at).filter(|(values, _)| !values.is_empty()) {
            values[step] = at;
        }
    }
}

fn restore<T>(map: &mut FxHashMap<Term, T>, own: Term, kept: Option<T>) {
    match kept {
        Some(kept) => map.insert(own, kept),
        None => map.remove(&own),
    };
}
