//! What is required of inputs, as facts that everything else is asked under.
//!
//! Guarantees: facts are used only where inputs were found that fulfil them all; facts that share no inputs with
//! a question, directly or by others, are left out of it, which makes no difference then.

use super::super::bind::Bound;
use super::super::suspects::{self, exact};
use crate::base::{Budget, Exhausted};
use crate::decide::{self, Decision, Equality, Held, Problem, Witness};
use crate::sim::{Run, Suspect};
use crate::term::eval::{Cone, Quantity};
use crate::term::{Elements, Node, Relation, Term, Terms};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use rustc_hash::{FxHashMap, FxHashSet};

/// Conditions on the inputs that everything is asked under, over the terms of one run.
#[derive(Default)]
pub struct Facts {
    /// Each with the inputs that it speaks of.
    pub(super) all: Vec<(Term, Vec<u32>)>,
    /// Inputs that fulfil all; what is not listed is 0.
    example: Vec<(u32, BigRational)>,
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

    /// Looks for inputs that fulfil all, and keeps them. Facts that share no inputs are fulfilled apart.
    pub fn satisfiable(
        &mut self,
        options: &decide::Options,
        budget: &Budget,
        bound: &Bound,
        terms: &mut Terms,
    ) -> Result<Satisfiable, Exhausted> {
        self.example.clear();
        let mut answer = Satisfiable::Yes;
        for facts in self.apart() {
            budget.poll()?;
            let all = conjunction(terms, facts.into_iter().map(|fact| self.all[fact].0));
            match fulfilled(options, budget, &bound.elements, terms, all)? {
                Fulfilled::At(inputs) => self.example.extend(inputs),
                Fulfilled::Never => return Ok(Satisfiable::Never),
                Fulfilled::Unknown => answer = Satisfiable::Unknown,
            }
        }
        self.example.sort_by_key(|(element, _)| *element);
        Ok(answer)
    }

    /// Facts that share inputs together, directly or by others, in the order of the first of each.
    fn apart(&self) -> Vec<Vec<usize>> {
        let mut group: Vec<usize> = (0..self.all.len()).collect();
        fn root(group: &mut [usize], mut at: usize) -> usize {
            while group[at] != at {
                group[at] = group[group[at]];
                at = group[at];
            }
            at
        }
        let mut first: FxHashMap<u32, usize> = FxHashMap::default();
        for (at, (_, elements)) in self.all.iter().enumerate() {
            for element in elements {
                let other = *first.entry(*element).or_insert(at);
                let (a, b) = (root(&mut group, at), root(&mut group, other));
                group[a.max(b)] = a.min(b);
            }
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.all.len()];
        for at in 0..self.all.len() {
            members[root(&mut group, at)].push(at);
        }
        members.retain(|members| !members.is_empty());
        members
    }

    /// Integers of inputs that facts about them alone bound, by element.
    pub fn bounds(&self, terms: &Terms) -> Vec<(u32, [i64; 2])> {
        let mut found: FxHashMap<u32, [i64; 2]> = FxHashMap::default();
        for (fact, elements) in &self.all {
            let [element] = elements[..] else { continue };
            let Some([low, high]) = bound_in(terms, element, *fact, true) else { continue };
            let known = found.entry(element).or_insert([i64::MIN, i64::MAX]);
            *known = [known[0].max(low), known[1].min(high)];
        }
        let mut found: Vec<(u32, [i64; 2])> = found.into_iter().collect();
        found.sort_unstable();
        found
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

/// Between which integers an element lies where a comparison with a number holds, or where it does not.
fn bound_in(terms: &Terms, element: u32, fact: Term, holds: bool) -> Option<[i64; 2]> {
    let (relation, a, b) = match terms.node(fact) {
        Node::Not(inner) => return bound_in(terms, element, inner, !holds),
        Node::Compare(relation, a, b) => (relation, a, b),
        Node::And(a, b) | Node::Or(a, b) => {
            let both = matches!(terms.node(fact), Node::And(..)) == holds;
            let [one, other] = [a, b].map(|fact| bound_in(terms, element, fact, holds));
            return match (one, other) {
                (Some([low, high]), Some([least, most])) if both => Some([low.max(least), high.min(most)]),
                (Some([low, high]), Some([least, most])) => Some([low.min(least), high.max(most)]),
                (Some(bound), None) | (None, Some(bound)) if both => Some(bound),
                _ => None,
            };
        }
        _ => return None,
    };
    let is_own = |term: Term| term.as_element() == Some(element);
    let (number, above) = match (terms.as_rational(a), terms.as_rational(b)) {
        (Some(number), None) if is_own(b) => (number, true),
        (None, Some(number)) if is_own(a) => (number, false),
        _ => return None,
    };
    // `number < e` is `e >= ⌊number⌋ + 1`; what does not hold is the other way round.
    let (up, down) = (number.ceil().to_integer().to_i64()?, number.floor().to_integer().to_i64()?);
    match (relation, holds, above) {
        (Relation::Equal, true, _) if up == down => Some([up, up]),
        (Relation::Less, true, true) | (Relation::LessEqual, false, false) => {
            Some([down.checked_add(1)?, i64::MAX])
        }
        (Relation::LessEqual, true, true) | (Relation::Less, false, false) => Some([up, i64::MAX]),
        (Relation::Less, true, false) | (Relation::LessEqual, false, true) => {
            Some([i64::MIN, up.checked_sub(1)?])
        }
        (Relation::LessEqual, true, false) | (Relation::Less, false, true) => Some([i64::MIN, down]),
        (Relation::Equal, ..) => None,
    }
}

/// Inputs that fulfil some facts, if that can be told.
enum Fulfilled {
    At(Vec<(u32, BigRational)>),
    Never,
    Unknown,
}

/// Looks for inputs that fulfil facts that belong together: at all inputs that matter, where these are few; by
/// search; and where that finds none, by asking whether there are none.
fn fulfilled(
    options: &decide::Options,
    budget: &Budget,
    elements: &Elements,
    terms: &mut Terms,
    facts: Term,
) -> Result<Fulfilled, Exhausted> {
    match decide::look_everywhere(terms, elements, facts) {
        Some(Held::Never) => return Ok(Fulfilled::Never),
        Some(Held::At(inputs)) => return Ok(Fulfilled::At(inputs)),
        None => {}
    }
    let one = terms.select(facts, Term::ONE, Term::ZERO);
    let terms = &*terms;
    let known = |at| terms.as_rational(Term::constant(at)).map_or(Quantity::Unknown, Quantity::rational);
    let constants: Vec<_> = (0..terms.constants().len()).map(known).collect();
    if let Some(found) = decide::reach(terms, &constants, elements, one, budget)? {
        return Ok(Fulfilled::At(
            found.into_iter().map(|(element, value)| (element, exact(value))).collect(),
        ));
    }
    let pairs = [(one, Term::ZERO)];
    let problem = Problem { reference: terms, optimized: terms, elements, pairs: &pairs };
    let decided = decide::decide_while(options, budget, &problem, |_, _| ())?;
    Ok(match decided.decision.groups.first().map(|group| &group.equality) {
        Some(Equality::Different(witness)) => {
            let witness = suspects::listed(terms, elements, &[one], witness, budget)?;
            let listed: FxHashMap<u32, &BigRational> =
                witness.inputs.iter().map(|(element, value)| (*element, value)).collect();
            let value = |element: &u32| listed.get(element).copied().unwrap_or(&witness.default).clone();
            let cone = Cone::of(terms, &[one], budget)?;
            Fulfilled::At(cone.elements().iter().map(|element| (*element, value(element))).collect())
        }
        Some(Equality::Equal(_)) => Fulfilled::Never,
        _ => Fulfilled::Unknown,
    })
}

fn conjunction(terms: &mut Terms, facts: impl Iterator<Item = Term>) -> Term {
    facts.fold(Term::TRUE, |all, fact| terms.and(all, fact))
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
