//! Outputs that were shown equal, though one kernel leaves out a division by zero that the other one makes.
//!
//! `m ? x / c : 0` divides where the mask lets something through, and then the count c is not zero. `(m ? x : 0) / c`
//! divides everywhere, and where the mask lets nothing through, that is 0 / 0. Evaluation calls the two equal, because
//! it assumes that c is not zero; but the first kernel has asked, in its own way, and the second one has not.
//!
//! Guarantees: a pair is taken back only with inputs at which one side has a number, the other one none, and the side
//! that has one leaves something out that has no real result ([`Done`](crate::term::eval::Done)). Where nothing is
//! left out (`x / z * z` against `x`), the assumption in the ledger says what has to hold.
//! Misses: inputs that are not the same number everywhere. Cost: a few evaluations of what divides under a choice,
//! and none where nothing does.

use super::Witness;
use super::witness::{Excluded, Question, admits, ends, thresholds};
use crate::base::{Budget, Exhausted};
use crate::term::eval::{Cone, Formats, Machine, Quantity, Reach, Reals, Small, evaluate};
use crate::term::{Node, Term};
use num_rational::{BigRational, Ratio};

/// So many of the numbers that the kernels compare with are tried.
const THRESHOLDS: usize = 3;

/// For each pair, inputs at which one side leaves out what the other one does, if such were found; or, of those that
/// divide where they have `asked` not to, any at which that tells the sides apart.
pub(super) fn avoided(
    question: &Question<'_>,
    pairs: &[(Term, Term)],
    asked: &[bool],
    budget: &Budget,
) -> Result<Vec<Option<Witness>>, Exhausted> {
    let mut found = vec![None; pairs.len()];
    let partial =
        |(a, b): &(Term, Term)| question.terms[0].is_partial(*a) || question.terms[1].is_partial(*b);
    let places: Vec<usize> = (0..pairs.len()).filter(|at| partial(&pairs[*at])).collect();
    let roots = [
        places.iter().map(|at| pairs[*at].0).collect::<Vec<Term>>(),
        places.iter().map(|at| pairs[*at].1).collect(),
    ];
    let mut any = false;
    for (terms, roots) in question.terms.into_iter().zip(&roots) {
        any |= Reach::of(terms, roots, budget)?.nodes().any(|node| match terms.node_at(node) {
            Node::Select(_, a, b) => terms.is_partial(a) || terms.is_partial(b),
            _ => false,
        });
    }
    if !any && !asked.contains(&true) {
        return Ok(found);
    }
    let cones =
        [Cone::of(question.terms[0], &roots[0], budget)?, Cone::of(question.terms[1], &roots[1], budget)?];
    let constants = [question.meanings.enclosures(0), question.meanings.enclosures(1)];
    let formats = Formats::of(question.terms, &cones);
    let compared = thresholds(&cones, &[question.meanings.quantities(0), question.meanings.quantities(1)]);
    let compared = compared.into_iter().filter(|value| value.is_integer() && value.numer().abs() > 1);
    let everywhere = [0, 1, -1].map(Ratio::from_integer).into_iter().chain(compared.take(THRESHOLDS));
    for number in everywhere.filter(|number| admits(question.elements, &cones, *number)) {
        let seen = |side: usize| {
            let element = |_: u32| Quantity::Exact(number);
            let reals = || Reals { element: &element, constants: &constants[side] };
            let seen = evaluate(
                &cones[side],
                &Machine { reals: reals(), terms: question.terms[side] },
                budget,
                &mut Vec::new(),
            )?;
            // What overflows on the way shows nothing.
            let certain = match &formats[side] {
                None => vec![true; seen.len()],
                Some(formats) => {
                    let held = formats.evaluate(&cones[side], &reals(), budget, &mut Vec::new())?;
                    held.iter()
                        .zip(&seen)
                        .map(|(held, seen)| !seen.value.is_finite() || *held == seen.value)
                        .collect()
                }
            };
            Ok::<_, Exhausted>(seen.into_iter().zip(certain))
        };
        for (at, ((a, certain), (b, also))) in places.iter().zip(seen(0)?.zip(seen(1)?)) {
            let both = Excluded([a, b]);
            if found[*at].is_none() && certain && also && (both.is_avoided() || asked[*at] && both.differs())
            {
                found[*at] = Some(Witness {
                    point: None,
                    inputs: Vec::new(),
                    default: big(number),
                    values: both.values().map(ends),
                    difference: both.sentence(),
                });
            }
        }
    }
    Ok(found)
}

fn big(value: Small) -> BigRational {
    BigRational::new((*value.numer()).into(), (*value.denom()).into())
}
