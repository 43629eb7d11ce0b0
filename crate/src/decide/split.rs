//! Both ways: what is open is asked again with a condition that a side asks taken to hold, and not to hold.
//!
//! `n == 0 ? 0 : round(x / n)` and `round(x · (n == 0 ? 0 : 1 / n))` have no common form, because the choice stands
//! outside of a function here and inside of it there. Where the condition holds both are 0, and where it does not
//! both are `round(x / n)`. And `s > 0 ? x / s : 0` is `s > 0 ? x / s : x` for a sum of squares s, because x is 0 where
//! that is. Conditions are whether a value is zero, or two are equal, in whatever words ([`zeros`](super::zeros)); what
//! else follows where one holds is put into both sides.
//!
//! Guarantees: *equal* only if evaluation proves each way by itself, and every input goes one of them. Where a
//! condition holds and it is not known of all values what they are there, nothing is divided by what depends on the same
//! elements: that such a divisor is not zero would contradict the way it is on.
//! Misses: more than [`WAYS`] ways; order.

use super::evaluation::{LEAST_BITS, evaluate, meets};
use super::trials::{AHEAD, plainly_different};
use super::witness::Question;
use super::zeros::{Seen, Way, divisors, tests, where_holds, written};
use super::{Certificate, Equality, Method, Options, Problem, Reading, Reason};
use crate::base::{Budget, Exhausted};
use crate::diag::{Assumption, Ledger};
use crate::term::eval::{Cone, Reach, with_operands};
use crate::term::{Node, Relation, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Conditions of a pair that are taken both ways at first.
const FEW: usize = 3;
/// Ways of a pair.
const WAYS: usize = 256;
/// Nodes that are looked at for the ways of a pair, and of all.
const WORK: u64 = 1 << 15;
const WORK_IN_ALL: u64 = 1 << 19;
/// Conditions of which is asked whether another one follows from them.
const OTHERS: usize = 8;

/// Which pairs are asked again, and by how many conditions.
#[derive(Clone, Copy)]
pub(super) enum Round {
    /// Those that ask whether what they divide by is zero: by few.
    Guards,
    /// All, by few.
    Few,
    /// By all conditions, where there are more.
    All,
}

/// Pairs that ask whether what they divide by is zero, proved before their normal forms are compared: of rounded
/// quotients these have many cases. Where a pair is not proved, nothing is said of it.
pub(super) fn decide_guarded(
    options: &Options,
    budget: &Budget,
    problem: &Problem<'_>,
    reading: &Reading<'_>,
    chosen: &[usize],
    ledger: &mut Ledger,
) -> Result<Vec<Option<Equality>>, Exhausted> {
    let (mut divides, mut asks) = (false, false);
    for side in 0..2 {
        let roots: Vec<Term> = chosen.iter().map(|at| reading.roots(side)[*at]).collect();
        for node in Reach::of(reading.terms(side), &roots, budget)?.nodes() {
            let node = reading.terms(side).node_at(node);
            divides |= node.divisor().is_some_and(|divisor| divisor.as_constant().is_none());
            asks |= matches!(node, Node::Compare(..));
        }
    }
    if !divides || !asks {
        return Ok(vec![None; chosen.len()]);
    }
    let terms = [reading.terms(0), reading.terms(1)];
    let (outputs, meanings, elements) = (reading.outputs, &reading.meanings, problem.elements);
    let question = Question { outputs, terms, meanings, elements };
    let pairs: Vec<(Term, Term)> = chosen.iter().map(|at| reading.pair(*at)).collect();
    let open = || Equality::Unknown(Reason { message: String::new(), hint: None });
    let mut found: Vec<Equality> = Vec::with_capacity(chosen.len());
    for pairs in pairs.chunks(AHEAD) {
        let different = plainly_different(&question, pairs, budget)?;
        found.extend(different.into_iter().map(|witness| witness.map_or_else(open, Equality::Different)));
    }
    let assumed = decide_split(options, budget, problem, reading, chosen, &mut found, Round::Guards)?;
    ledger.adopt(&assumed);
    let equal = |found: Equality| matches!(found, Equality::Equal(_)).then_some(found);
    Ok(found.into_iter().map(equal).collect())
}

/// Proves pairs of a reading that are open, `chosen` with their answers, by taking conditions of both sides both ways;
/// gives what that assumes.
pub(super) fn decide_split(
    options: &Options,
    budget: &Budget,
    problem: &Problem<'_>,
    reading: &Reading<'_>,
    chosen: &[usize],
    equalities: &mut [Equality],
    round: Round,
) -> Result<Ledger, Exhausted> {
    let mut assumed = Ledger::default();
    let open: Vec<usize> =
        (0..chosen.len()).filter(|place| matches!(equalities[*place], Equality::Unknown(_))).collect();
    if open.is_empty() {
        return Ok(assumed);
    }
    let roots =
        |side: usize| open.iter().map(|place| reading.roots(side)[chosen[*place]]).collect::<Vec<_>>();
    let mut both = Both { terms: Terms::beside(reading.terms(0)), ..Both::default() };
    let left = copied(&mut both.terms, &mut both.seen, reading.terms(0), &roots(0), budget)?;
    let right = copied(&mut both.terms, &mut both.seen, reading.terms(1), &roots(1), budget)?;
    // The ways of each pair: where they begin among all, and how many there are.
    let (mut ways, mut places) = (Vec::new(), Vec::new());
    for (place, pair) in open.iter().zip(left.into_iter().zip(right)) {
        let begin = ways.len();
        let split = both.split(pair, round, budget)?;
        if !split.ways.is_empty() {
            ways.extend(&split.ways);
            places.push((*place, begin..ways.len(), split));
        }
    }
    let terms = both.terms;
    if ways.is_empty() {
        return Ok(assumed);
    }
    let own = budget.for_part();
    let asks = |pairs| Problem { reference: &terms, optimized: &terms, elements: problem.elements, pairs };
    let read = Reading::of(options, &own, &asks(&ways), &ways, &mut assumed)?;
    let evaluated = evaluate(&own, &read, problem.elements)?;
    let mut shown: Vec<(usize, Certificate, Split)> = Vec::new();
    for (place, ways, split) in places {
        shown.extend(together(&evaluated.proved[ways]).map(|certificate| (place, certificate, split)));
    }
    // What is zero wherever it is divided by proves nothing.
    let divisors: Vec<(Term, Term)> =
        shown.iter().flat_map(|(.., split)| split.divisors.iter().map(|of| (*of, Term::ZERO))).collect();
    let read = Reading::of(options, &own, &asks(&divisors), &divisors, &mut assumed)?;
    let are_zero = if divisors.is_empty() { Vec::new() } else { meets(&own, &read, problem.elements)? };
    let mut are_zero = are_zero.into_iter();
    budget.spend(own.spent())?;
    let (mut any, mut assumes) = (false, false);
    for (place, certificate, split) in shown {
        if are_zero.by_ref().take(split.divisors.len()).filter(|is_zero| *is_zero).count() == 0 {
            equalities[place] = Equality::Equal(certificate);
            any = true;
            assumes |= split.assumes;
        }
    }
    if !any {
        return Ok(Ledger::default());
    }
    let known = |note: &Assumption| !assumes && matches!(note, Assumption::DenominatorNonZero(_));
    for assumption in evaluated.notes.into_iter().filter(|note| !known(note)) {
        assumed.note(assumption, 1, None);
    }
    Ok(assumed)
}

/// Roots in another store, which finds what both sides have in common, with tests for zero written in one way.
pub(super) fn copied(
    new: &mut Terms,
    seen: &mut Seen,
    old: &Terms,
    roots: &[Term],
    budget: &Budget,
) -> Result<Vec<Term>, Exhausted> {
    let mut known: FxHashMap<Term, Term> = FxHashMap::default();
    let reach = Reach::of(old, roots, budget)?;
    let of = |new: &mut Terms, known: &FxHashMap<Term, Term>, term: Term| match term.as_constant() {
        Some(constant) => new.constant(old.constant_at(constant).clone()),
        None => known.get(&term).copied().unwrap_or(term),
    };
    for node in reach.nodes() {
        budget.spend(1)?;
        if new.bytes() > budget.memory {
            return Err(Exhausted::Memory);
        }
        let own = Term::from_node(node);
        let node = with_operands(&old.node_at(node), |operand| of(new, &known, operand));
        let made = written(new, seen, old, &node);
        new.note_through(made, old, own);
        known.insert(own, made);
    }
    Ok(roots.iter().map(|root| of(new, &known, *root)).collect())
}

/// Both sides of all pairs in one store, and what was found out of it.
#[derive(Default)]
struct Both {
    terms: Terms,
    seen: Seen,
    /// Ways of conditions; with each what terms are there, so far.
    done: FxHashMap<(Term, bool), Vec<Way>>,
    /// Whether one condition follows from another one.
    follows: FxHashMap<(Term, Term), bool>,
    /// Nodes that were looked at.
    work: u64,
}

/// The ways of a pair, each a pair by itself, none where nothing is to be gained; and divisors there that must not be
/// zero.
#[derive(Default)]
struct Split {
    ways: Vec<(Term, Term)>,
    divisors: Vec<Term>,
    /// Something is divided by of which it is not known by its way that it is not zero.
    assumes: bool,
}

/// A pair on its way, with conditions that it has not been asked about.
#[derive(Clone, PartialEq)]
struct Open {
    pair: (Term, Term),
    left: Vec<Term>,
    /// Conditions that do not hold there.
    never: Vec<Term>,
}

/// What a pair on its way becomes, and what is divided by there.
#[derive(Default)]
struct Taken {
    ways: Vec<Open>,
    divisors: Vec<Term>,
}

impl Both {
    fn split(&mut self, pair: (Term, Term), round: Round, budget: &Budget) -> Result<Split, Exhausted> {
        let (mut conditions, guards) = self.conditions(pair, budget)?;
        match round {
            Round::Guards if guards == 0 => return Ok(Split::default()),
            // Those have been taken both ways.
            Round::All if conditions.len() <= FEW => return Ok(Split::default()),
            Round::Guards | Round::Few => conditions.truncate(FEW),
            Round::All => {}
        }
        let begin = self.work;
        let is_over = |work: u64, ways: usize| ways > WAYS || work > WORK_IN_ALL || work - begin > WORK;
        let mut ways = vec![Open { pair, left: conditions.clone(), never: Vec::new() }];
        let mut divisors = Vec::new();
        for at in 0..conditions.len() {
            let (mut next, mut more) = (Vec::new(), Vec::new());
            for way in &ways {
                match self.take(way, at, budget)? {
                    Some(taken) => {
                        next.extend(taken.ways);
                        more.extend(taken.divisors);
                    }
                    None => next.push(way.clone()),
                }
                if is_over(self.work, next.len()) {
                    break;
                }
            }
            if is_over(self.work, next.len()) {
                break;
            }
            ways = next;
            divisors.extend(more);
        }
        if matches!(ways.as_slice(), [way] if way.pair == pair) && !self.seen.changed {
            return Ok(Split::default());
        }
        let mut assumes = false;
        for way in &ways {
            assumes |= self.assumes(way, budget)?;
        }
        Ok(Split { ways: ways.into_iter().map(|way| way.pair).collect(), divisors, assumes })
    }

    /// Whether a pair divides on its way by something that may be zero there.
    fn assumes(&mut self, way: &Open, budget: &Budget) -> Result<bool, Exhausted> {
        let divisors = divisors(&self.terms, way.pair, budget)?;
        let tests = tests(&mut self.terms, &mut self.seen, &divisors);
        Ok(tests.into_iter().any(|test| {
            let ways = self.done.entry((test, true));
            let ways = ways.or_insert_with(|| where_holds(&self.terms, &mut self.seen, test, true));
            !ways.is_empty() && !way.never.contains(&test)
        }))
    }

    /// Conditions of a pair: those of divisors first, and how many these are, then those that both sides ask, then
    /// those of one.
    fn conditions(&mut self, pair: (Term, Term), budget: &Budget) -> Result<(Vec<Term>, usize), Exhausted> {
        let divisors = divisors(&self.terms, pair, budget)?;
        let mut found = tests(&mut self.terms, &mut self.seen, &divisors);
        let terms = &self.terms;
        let asked = |root: Term| -> Result<Vec<Term>, Exhausted> {
            let reach = Reach::of(terms, &[root], budget)?;
            let asks = |node: &usize| matches!(terms.node_at(*node), Node::Compare(Relation::Equal, ..));
            Ok(reach.nodes().filter(asks).map(Term::from_node).collect())
        };
        let (own, other) = (asked(pair.0)?, asked(pair.1)?);
        self.work += Reach::of(terms, &[pair.0, pair.1], budget)?.nodes().count() as u64;
        let (mine, theirs): (FxHashSet<Term>, FxHashSet<Term>) =
            (own.iter().copied().collect(), other.iter().copied().collect());
        found.retain(|condition| mine.contains(condition) || theirs.contains(condition));
        let guards = found.len();
        found.extend(own.iter().filter(|condition| theirs.contains(condition)));
        found.extend(own.iter().chain(&other));
        let mut seen = FxHashSet::default();
        found.retain(|condition| seen.insert(*condition));
        Ok((found, guards))
    }

    /// Conditions of a pair that cannot hold where one does not, and those that must: `others`, and what joins several.
    fn implied(
        &mut self,
        pair: (Term, Term),
        (condition, others): (Term, &[Term]),
        budget: &Budget,
    ) -> Result<Vec<(Term, Term)>, Exhausted> {
        let (mut joined, mut parts) = (Vec::new(), FxHashSet::default());
        for node in Reach::of(&self.terms, &[pair.0, pair.1], budget)?.nodes() {
            let node = Term::from_node(node);
            let (a, b, holds) = match self.terms.node(node) {
                Node::And(a, b) => (a, b, true),
                Node::Or(a, b) => (a, b, false),
                _ => continue,
            };
            parts.extend([a, b]);
            joined.push((node, holds));
        }
        let mut found = Vec::new();
        joined.retain(|(other, _)| !parts.contains(other));
        joined
            .extend(others.iter().filter(|other| other.as_constant().is_none()).map(|other| (*other, true)));
        for (other, holds) in joined {
            let said = if holds { Term::FALSE } else { Term::TRUE };
            let follows = match self.follows.get(&(other, condition)) {
                Some(known) => *known,
                None => {
                    let mut ways = where_holds(&self.terms, &mut self.seen, other, holds);
                    let follows = ways
                        .iter_mut()
                        .all(|way| self.terms.replaced(condition, &mut way.known) == Term::TRUE);
                    self.follows.insert((other, condition), follows);
                    follows
                }
            };
            if follows {
                found.push((other, said));
            }
        }
        Ok(found)
    }

    /// A pair where one of its conditions holds, in each way in which it may, and where it does not, with what is divided
    /// by there; nothing if that says nothing, or a side divides by zero.
    fn take(&mut self, open: &Open, at: usize, budget: &Budget) -> Result<Option<Taken>, Exhausted> {
        let (condition, pair) = (open.left[at], open.pair);
        if condition.as_constant().is_some() {
            return Ok(None);
        }
        let mut taken = Taken::default();
        for holds in [true, false] {
            let key = (condition, holds);
            let mut ways = match self.done.remove(&key) {
                Some(done) => done,
                None => where_holds(&self.terms, &mut self.seen, condition, holds),
            };
            let mut never = open.never.clone();
            if !holds {
                let others = &open.left[at + 1..open.left.len().min(at + 1 + OTHERS)];
                let implied = self.implied(pair, (condition, others), budget)?;
                ways.iter_mut().for_each(|way| way.known.extend(implied.iter().copied()));
                never.push(condition);
                never.extend(implied.iter().filter(|(_, is)| *is == Term::FALSE).map(|(other, _)| *other));
            }
            let mut zero = false;
            for way in &mut ways {
                let (sides, divisors) = way.follow(&mut self.terms, &[pair.0, pair.1], budget)?;
                let own = (sides[0], sides[1]);
                self.work += divisors.seen as u64;
                zero |= divisors.is_zero || !way.solved && self.divides_by(condition, own, budget)?;
                let mut of = |all: &[Term]| -> Vec<Term> {
                    all.iter().map(|term| self.terms.replaced(*term, &mut way.known)).collect()
                };
                let left = of(&open.left);
                let never = if holds { of(&open.never) } else { never.clone() };
                taken.ways.push(Open { pair: own, left, never });
                taken.divisors.extend(divisors.changed);
            }
            self.done.insert(key, ways);
            if zero {
                return Ok(None);
            }
        }
        Ok(taken.ways.iter().any(|way| way.pair != pair).then_some(taken))
    }

    /// Whether a pair divides by something that depends on the elements of a condition, or takes a root or logarithm of
    /// it.
    fn divides_by(&self, condition: Term, pair: (Term, Term), budget: &Budget) -> Result<bool, Exhausted> {
        let below = divisors(&self.terms, pair, budget)?;
        if below.is_empty() {
            return Ok(false);
        }
        let divisors = Cone::of(&self.terms, &below, budget)?;
        let asked = Cone::of(&self.terms, &[condition], budget)?;
        Ok(asked.elements().iter().any(|element| divisors.elements().binary_search(element).is_ok()))
    }
}

/// What the ways of a pair say together; nothing where one of them is open.
fn together(ways: &[Option<Certificate>]) -> Option<Certificate> {
    let mut together: Option<Certificate> = None;
    for way in ways {
        let way = way.clone()?;
        together = Some(match (together, way.method) {
            (
                Some(Certificate { method: Method::Evaluation { points, bits }, .. }),
                Method::Evaluation { bits: own, .. },
            ) => Certificate {
                summary: String::new(),
                method: Method::Evaluation { points, bits: bits.min(own) },
            },
            (Some(before), _) if matches!(before.method, Method::Evaluation { .. }) => before,
            _ => way,
        });
    }
    let Certificate { summary, method } = together?;
    let both = match ways.len() {
        1 => "equal with choices taken out of what divides",
        _ => "equal where a condition holds, and where it does not",
    };
    Some(match method {
        Method::Evaluation { points, bits } => {
            let bits = bits.saturating_sub(ways.len().ilog2() + 1);
            if f64::from(bits) < LEAST_BITS {
                return None;
            }
            let summary = format!("{both}: chance of error < 2^-{bits}");
            Certificate { summary, method: Method::Evaluation { points, bits } }
        }
        method => Certificate { summary: format!("{both}: {summary}"), method },
    })
}

#[cfg(test)]
mod tests {
    use super::super::decide;
    use super::*;
    use crate::base::Format;
    use crate::term::Elements;
    use crate::term::Unary;

    const SIZE: u32 = 4;

    /// The largest size of an element, 0 first.
    fn largest(terms: &mut Terms) -> Term {
        (0..SIZE).fold(Term::ZERO, |most, at| {
            let size = terms.unary(Unary::Abs, Term::element(at));
            terms.max(most, size)
        })
    }

    /// Away from zero at halves, as `roundf` is compiled.
    fn rounded(terms: &mut Terms, value: Term) -> Term {
        let half = terms.rational(num_rational::BigRational::new(1.into(), 2.into()));
        let minus = terms.neg(half);
        let negative = terms.compare(Relation::Less, value, Term::ZERO);
        let more = terms.select(negative, minus, half);
        let sum = terms.add(value, more);
        terms.unary(Unary::Trunc, sum)
    }

    type Form = fn(&mut Terms) -> Term;

    fn answer(one: Form, two: Form) -> Equality {
        let (mut reference, mut optimized) = (Terms::new(), Terms::new());
        let pair = (one(&mut reference), two(&mut optimized));
        let mut elements = Elements::default();
        elements.push("x", vec![SIZE.into()], Format::F32, SIZE.into());
        let problem =
            Problem { reference: &reference, optimized: &optimized, elements: &elements, pairs: &[pair] };
        let mut decision = decide(&Options::default(), &Budget::default(), &problem).expect("small");
        decision.groups.remove(0).equality
    }

    fn outside(terms: &mut Terms) -> Term {
        let most = largest(terms);
        let none = terms.compare(Relation::Equal, most, Term::ZERO);
        let part = terms.div(Term::element(1), most);
        let whole = rounded(terms, part);
        terms.select(none, Term::ZERO, whole)
    }

    fn inside(terms: &mut Terms) -> Term {
        let most = largest(terms);
        let none = terms.compare(Relation::Equal, most, Term::ZERO);
        let part = terms.div(Term::ONE, most);
        let factor = terms.select(none, Term::ZERO, part);
        let product = terms.mul(Term::element(1), factor);
        rounded(terms, product)
    }

    /// By `> 0` of a multiple.
    fn by_sign(terms: &mut Terms) -> Term {
        let most = largest(terms);
        let three = terms.integer(3);
        let size = terms.mul(most, three);
        let some = terms.compare(Relation::Less, Term::ZERO, size);
        let part = terms.div(Term::ONE, most);
        let factor = terms.select(some, part, Term::ZERO);
        let product = terms.mul(factor, Term::element(1));
        rounded(terms, product)
    }

    /// 1 where all are zero.
    fn otherwise(terms: &mut Terms) -> Term {
        let most = largest(terms);
        let none = terms.compare(Relation::Equal, most, Term::ZERO);
        let part = terms.div(Term::element(1), most);
        let factor = terms.select(none, Term::ONE, part);
        rounded(terms, factor)
    }

    /// Divides where the divisor is said to be zero.
    fn divides_there(terms: &mut Terms) -> Term {
        let most = largest(terms);
        let none = terms.compare(Relation::Equal, most, Term::ZERO);
        let product = terms.mul(Term::element(1), most);
        let part = terms.div(product, most);
        let chosen = terms.select(none, part, Term::ONE);
        rounded(terms, chosen)
    }

    fn does_not_divide(terms: &mut Terms) -> Term {
        let most = largest(terms);
        let none = terms.compare(Relation::Equal, most, Term::ZERO);
        let part = rounded(terms, Term::element(1));
        let one = rounded(terms, Term::ONE);
        terms.select(none, part, one)
    }

    #[test]
    fn a_choice_inside_of_a_function_is_one_outside_of_it() {
        let forms: [Form; 3] = [outside, inside, by_sign];
        for one in forms {
            for two in forms {
                let found = answer(one, two);
                assert!(matches!(found, Equality::Equal(_)), "{found:?}");
            }
            assert!(!matches!(answer(one, otherwise), Equality::Equal(_)));
            assert!(!matches!(answer(otherwise, one), Equality::Equal(_)));
        }
    }

    #[test]
    fn nothing_is_divided_by_what_a_condition_takes_to_be_zero() {
        assert!(!matches!(answer(divides_there, does_not_divide), Equality::Equal(_)));
        assert!(!matches!(answer(does_not_divide, divides_there), Equality::Equal(_)));
    }
}
