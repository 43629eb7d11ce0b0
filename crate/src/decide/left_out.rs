//! Divisors that are zero where both kernels leave the division out.
//!
//! That a divisor is not zero is assumed where a kernel divides. Where neither does, because of what they have asked, both
//! have numbers, and a proof that divided says nothing of these: in `m0 || !m1 ? c / c : 2` against 1, with c the count of
//! what holds, c is not zero, and 2 is not 1 where nothing holds. So what was proved is asked again on each way in which
//! a divisor is zero ([`zeros`](super::zeros)).
//!
//! Guarantees: where it is known what follows of a zero, and no side divides by it there, a pair that stays equal is
//! equal there as well, by a proof of its own.
//! Misses: divisors of which that is not known, and those after [`WORK`] nodes: that they are not zero stays an
//! assumption. Cost: each pair that divides under a choice once more for each of its divisors.

use super::evaluation::meets;
use super::split::copied;
use super::trials::smallest;
use super::witness::{Question, big, plain};
use super::zeros::{Seen, Way, divisors, tests, where_holds};
use super::{Equality, Options, Problem, Reading, Reason, Witness, portion};
use crate::base::{Budget, Exhausted};
use crate::diag::Ledger;
use crate::term::eval::{Quantity, Reach, operands};
use crate::term::print::Printer;
use crate::term::{Elements, Node, Term, Terms};
use num_rational::BigRational;
use rustc_hash::{FxHashMap, FxHashSet};

/// Nodes that are looked at.
const WORK: u64 = 1 << 20;
/// Leaves shown of a divisor.
const SHOWN: usize = 24;

/// A pair where a divisor is zero.
struct Zero {
    /// Whose it is, among those that were asked about.
    at: usize,
    condition: Term,
    /// Elements that are something there.
    known: FxHashMap<u32, Term>,
    /// That is all that follows.
    solved: bool,
    /// What is divided by there.
    divisors: Vec<Term>,
}

/// For each pair, another answer than that it is equal, if it is not shown to be where a divisor is zero that both sides
/// leave out; and what the other ones assume there.
pub(super) fn left_out(
    options: &Options,
    question: &Question<'_>,
    pairs: &[(Term, Term)],
    budget: &Budget,
) -> Result<(Vec<Option<Equality>>, Ledger), Exhausted> {
    let mut answers = vec![None; pairs.len()];
    let mut ledger = Ledger::default();
    let roots = |side: usize| pairs.iter().map(move |(a, b)| [*a, *b][side]).collect::<Vec<Term>>();
    let choose =
        [choosing(question.terms[0], &roots(0), budget)?, choosing(question.terms[1], &roots(1), budget)?];
    let places: Vec<usize> = (0..pairs.len()).filter(|at| choose[0][*at] || choose[1][*at]).collect();
    if places.is_empty() {
        return Ok((answers, ledger));
    }
    let (mut terms, mut seen) = (Terms::beside(question.terms[0]), Seen::default());
    let mut copies = Vec::with_capacity(2);
    for side in 0..2 {
        let roots: Vec<Term> = places.iter().map(|at| [pairs[*at].0, pairs[*at].1][side]).collect();
        match copied(&mut terms, &mut seen, question.terms[side], &roots, budget) {
            Ok(copy) => copies.push(copy),
            // There is no room for a second look.
            Err(Exhausted::Memory) => return Ok((answers, ledger)),
            Err(why) => return Err(why),
        }
    }
    let mut ways: FxHashMap<Term, Vec<Way>> = FxHashMap::default();
    let (mut asked, mut zeros, mut work) = (Vec::new(), Vec::new(), 0);
    for (place, at) in places.iter().enumerate() {
        if work > WORK {
            break;
        }
        let pair = (copies[0][place], copies[1][place]);
        let divisors = divisors(&terms, pair, budget)?;
        for condition in tests(&mut terms, &mut seen, &divisors) {
            let known =
                ways.entry(condition).or_insert_with(|| where_holds(&terms, &mut seen, condition, true));
            for way in known {
                let (elements, solved) = (way.elements(), way.solved);
                let (a, first) = way.follow(&mut terms, &[pair.0], budget)?;
                let (b, second) = way.follow(&mut terms, &[pair.1], budget)?;
                work += (first.seen + second.seen) as u64;
                if !first.is_zero && !second.is_zero && a != b {
                    asked.push((a[0], b[0]));
                    let divisors = [first.changed, second.changed].concat();
                    zeros.push(Zero { at: *at, condition, known: elements, solved, divisors });
                }
            }
        }
    }
    if asked.is_empty() {
        return Ok((answers, ledger));
    }
    let own = budget.for_part();
    let problem =
        Problem { reference: &terms, optimized: &terms, elements: question.elements, pairs: &asked };
    let options = Options { outputs: false, ..*options };
    let decided = portion::decide(&options, &own, &problem, |_, _| ())?.decision;
    ledger.adopt(&decided.ledger);
    let open: Vec<(&Zero, &Equality)> = decided
        .groups
        .iter()
        .filter(|group| !matches!(group.equality, Equality::Equal(_) | Equality::Close(_)))
        .flat_map(|group| group.members.iter().map(|member| (&zeros[*member as usize], &group.equality)))
        .collect();
    // A side may divide by zero there in another way than is seen.
    let divisors: Vec<(Term, Term)> =
        open.iter().flat_map(|(zero, _)| zero.divisors.iter().map(|of| (*of, Term::ZERO))).collect();
    let mut are_zero = match divisors.is_empty() {
        true => Vec::new(),
        false => {
            let read = Reading::of(&options, &own, &problem, &divisors, &mut Ledger::default())?;
            meets(&own, &read, question.elements)?
        }
    }
    .into_iter();
    budget.spend(own.spent())?;
    for (zero, equality) in open {
        let divides = are_zero.by_ref().take(zero.divisors.len()).filter(|is_zero| *is_zero).count() > 0;
        if answers[zero.at].is_some() || divides {
            continue;
        }
        let witness = match equality {
            Equality::Different(witness) => {
                let value = |element: u32| zero.value(&terms, question.elements, witness, element);
                smallest(question, pairs[zero.at], &value, true, budget)?
            }
            _ => None,
        };
        answers[zero.at] = match witness {
            Some(witness) => Some(Equality::Different(witness)),
            None if zero.solved => {
                Some(Equality::Unknown(open_there(&terms, question.elements, zero.condition)))
            }
            None => None,
        };
    }
    Ok((answers, ledger))
}

/// Which roots divide, or take a root or a logarithm, under a choice.
fn choosing(terms: &Terms, roots: &[Term], budget: &Budget) -> Result<Vec<bool>, Exhausted> {
    let mut choosing: FxHashSet<Term> = FxHashSet::default();
    for node in Reach::of(terms, roots, budget)?.nodes() {
        let own = terms.node_at(node);
        let is = match own {
            Node::Select(_, a, b) if terms.is_partial(a) || terms.is_partial(b) => true,
            _ => operands(&own).into_iter().flatten().any(|operand| choosing.contains(&operand)),
        };
        if is {
            choosing.insert(Term::from_node(node));
        }
    }
    Ok(roots.iter().map(|root| choosing.contains(root)).collect())
}

impl Zero {
    /// An element's value at the inputs of a witness, and where the divisor is zero.
    fn value(&self, terms: &Terms, elements: &Elements, witness: &Witness, element: u32) -> BigRational {
        let term = self.known.get(&element).copied().unwrap_or(Term::element(element));
        if let Some(number) = terms.as_rational(term) {
            return number.clone();
        }
        let element = term.as_element().unwrap_or(element);
        match witness.point.map(|point| plain(elements, point, element)) {
            Some(Quantity::Exact(value)) => big(value),
            _ => {
                let listed = witness.inputs.iter().find(|(other, _)| *other == element);
                listed.map_or_else(|| witness.default.clone(), |(_, value)| value.clone())
            }
        }
    }
}

fn open_there(terms: &Terms, elements: &Elements, condition: Term) -> Reason {
    let name = |_: usize| None;
    let text = Printer { terms, elements, constant: &name, limit: SHOWN }.text(condition);
    Reason {
        message: format!(
            "both sides are equal elsewhere, but where {text} neither divides by it, and nothing shows that they are \
             equal there"
        ),
        hint: Some(
            "look at what both compute there, or say with `requires` that such inputs do not occur"
                .to_owned(),
        ),
    }
}
