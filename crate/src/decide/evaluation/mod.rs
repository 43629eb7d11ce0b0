//! Equality by evaluation at random points of prime fields: complete for what it follows, linear in
//! the number of nodes, and independent of how a formula is written.
//!
//! Both kernels' terms are evaluated at the same random points of a tower of prime fields
//! ([`field`]), in which the identities that we believe in hold: those of commutative fields, and
//! e^(a+b) = e^a·e^b, e^(ln 2) = 2, 2^1 = 2, through two levels of nesting. What is none of these
//! operations is an *atom* ([`atoms`]): a free variable, one for all that have the same key.
//!
//! # Why equal residues mean equal functions
//!
//! 1. *Atoms as free variables.* If an identity holds whatever the atoms' values are, it holds for
//!    what they stand for. So it may relate atoms in no way that is not true, and need not relate
//!    them in all ways that are: keys decide completeness, never soundness. Two atoms are one if
//!    their keys are, and keys are residues of arguments in all lanes, so a key met by two different
//!    functions is the same accident as in 4.
//! 2. *Conditions* are atoms as well: `if c then a else b` is `b + c·(a - b)` with c free, where
//!    [d > 0] and [d < 0] are two variables and [d = 0] is one minus both. Set c to what it is at some
//!    input, and the identity is one between what the two kernels compute there: a branch that is not
//!    taken is multiplied by an exact 0 before anything is evaluated, so a division by zero in it does
//!    no harm, and nothing is assumed of a guarded denominator. (A guarded denominator that itself
//!    depends on conditions could vanish identically where its guard is off; it is lost.) Where d = 0 is a case like the others:
//!    no set of measure zero is left out. (Two computations that divide by nothing that is zero at an
//!    input, and are one rational function, have one value there: the function is regular at that
//!    point, and both are that value.)
//! 3. *Maxima.* max(a, b) is b + max(a - b, 0), and max(d, 0) one variable for all positive multiples
//!    of d, with max(-d, 0) = max(d, 0) - d; |d|, min, and choices by the sign of d between values
//!    whose difference is a multiple of d are written with it. A maximum of more is a variable known
//!    by its set of candidates, in which a number and its negative are its magnitude, beside which 0 is
//!    none. None of these looks at a sample of the reals.
//! 4. *Chance.* The difference of the two sides is a quotient of polynomials in the residues of
//!    elements, atoms and exponentials, of a degree that is bounded on the way. Unless it is zero, it
//!    vanishes in one lane with a chance of at most degree/p (Schwartz and Zippel), and in all lanes
//!    with the product, since lanes are independent; the same for each pair of keys. The bound is
//!    reported, and below 2^-100 or the pair is not decided here. Two steps are not theorems: residues
//!    come from a hash of the question (Fiat and Shamir), taken for random; and powers 2^h of
//!    exponents with coefficients that are no small integers are taken to be as unrelated as variables
//!    of degree 1 + deg h (for small integers they are Laurent monomials, and it is a theorem).
//! 5. *Roots* ([`roots`]) are elements of F[s₁, …, sₖ] / (sᵢ² - rᵢ): an identity in that ring holds for either
//!    root of each rᵢ, so for the positive one, and never is a root of a residue taken, which would have the
//!    wrong sign in half of all cases (√(x²) would be x by luck). |d| is the root of d², so that |d|² is d²
//!    and max(d, 0) = (d + |d|)/2 satisfies m·(m - d) = 0. √(Π f^k) is Π |f|^⌊k/2⌋ · √f ([`forms`]): factors of
//!    known sign have roots of their own; those of unknown sign make one radicand together, unless their roots
//!    are taken somewhere unguarded: then the ledger says that they are not negative, and evaluation begins
//!    again with that. (What a sign is known from may be undefined where its branch is not taken: then it says
//!    nothing of the same function elsewhere, and is not kept.) What has too many parts keeps its residue with
//!    a free variable for each root, as in 1. Degrees add up as for ordinary products, plus that of rᵢ for each
//!    root that two factors share.
//! 6. *Logarithms* ([`products`], [`forms`]) are a homomorphism from products to sums: ln|f·g| = ln|f| + ln|g|.
//!    A sum is its leading summand times a rest, and the rest's logarithm is an atom; which summand leads is
//!    decided by random reals and decides nothing but completeness, since every value *is* the product that
//!    it is written as. ln is ln|·| where it is defined, and the ledger excludes the rest. Where a leading
//!    summand vanishes and the sum does not, ln|·| extends from the numbers that are finite and not 0 there
//!    to all products as a homomorphism (the reals are a divisible group), and an identity between free
//!    variables holds for that extension. e^(a + c·ln s) = e^a·s^c ([`powers`]) for s > 0, which ln s asks for.
//! 7. *Angles* ([`angles`]): sin and cos are (z ∓ 1/z)/2 (over i), z = e^(iθ) a power as in 4 with a variable for
//!    i·log₂ e, and the i that divides is the first root, i² = -1.
//! 8. *Denominators.* A division by what is zero in some lane is lost, not decided. Where a kernel
//!    divides by what may be zero for some inputs, those inputs are excluded, and the ledger says so.
//!
//! 9. *Linked choices.* What is not proved that way is evaluated once more, with max(d, 0) = q·d and
//!    [d > 0] = q·(1 - e), where q is 1 for d > 0, 0 for d < 0, anything for d = 0, and e is [d = 0]
//!    (`walk/orders`): true for all inputs, with q and e as free variables. The border is left out of
//!    a choice only where both branches were evaluated with an operand solved for d = 0 and are one
//!    there (`walk/borders`). A choice that is thereby found to be a maximum is known by its
//!    candidates, and maxima of minima by the monotone function of thresholds that they are
//!    ([`lattice`]). Divisors that depend on a choice and are guarded are lost here.
//! 10. *Orders.* What is still not proved is evaluated once more, with what several comparisons choose known
//!     by where it stands among the candidates that are compared (`walk/ranks`): beside one of them, all
//!     others are below, equal or above, and what follows from that alone is a Boolean function, which
//!     has one diagram. Where that takes more steps than there are, choices that are maxima of minima are
//!     followed alone (`walk/exchanges`).
//! 11. *Infinities.* A value that is finite, infinite or undefined depending on conditions says where it
//!     is what, by Boolean functions of conditions (`walk/masks`, [`conditions`]), and what it is where
//!     it is finite. Such values are equal if all of that is the same: two functions of free Boolean
//!     variables that are one are one for all inputs. Undefined is equal to undefined alone. A maximum
//!     of masked candidates is a variable known by its candidates and where each of them is there.
//!     Before that, sums that a branch rescales are written as sums that are rescaled always ([`rescaled`]). What is
//!     asked of a sum of numbers that conditions choose is such a function, too (`walk/counts`).
//! 12. *Choices carried outward* ([`carried`], `walk/worlds`). What is still open is evaluated a third time,
//!     with two copies of each step that depends on the sign of d: where d > 0, and where d < 0. Where the
//!     copies are one function, so is the step: it has that value on both sides, and where d = 0 it is what one
//!     of the copies is there, because maxima, minima, absolute values and each comparison by itself are what
//!     one side says (where two comparisons of one formula disagree about the border, copies prove nothing).
//!     Each such meeting counts as a comparison in 4, with the degrees of both copies. A copy is followed
//!     for one d at a time, the one met last, so there are three steps for one at most. Before that, roots are taken
//!     out of what compares them ([`squares`]).
//! 13. *Conditions in other words* (`walk/rows`). Before orders, what is open is evaluated once more with the small steps
//!     that are defined for all inputs written in the exact form of their conditions (`forms/signs`): the same
//!     functions on every border, so nothing new is claimed of what is made of them.
//!
//! 14. *Integers* (`walk/intervals`). A comparison of an integer e with a number is [e < t] for an integer t, one
//!     variable for each, 0 and 1 outside of what e can be. What is chosen by such conditions is multiplied out over
//!     the intervals in which they hold, where [S]·[T] is [S ∩ T]: true at every integer.
//! 15. *Bits* (`walk/bits`). Each bit of an element is a variable; the highest one of an integer is what is left of the
//!     integer without the others. A function of few bits is the sum of products that it is at all settings.
//!
//! Misses (left to the normal forms): most relations between
//! conditions, sums inside logarithms that factor, roots of hidden squares, multiples of π in angles, more
//! than two nested exponentials, chains of thirty and more steps x + (y - x)·w with quotients w, whose bound on
//! the degree doubles with each.
//! Source: Schwartz 1980, Zippel 1979; Wu et al., *Mirage* (OSDI 2025) for exponentials.

mod angles;
mod atoms;
mod carried;
mod conditions;
mod constants;
mod demands;
#[cfg(test)]
mod families;
mod field;
mod forms;
mod heads;
mod lattice;
mod powers;
mod products;
mod rescaled;
mod roots;
mod sets;
mod squares;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_choices;
#[cfg(test)]
mod tests_random;
mod value;
mod walk;

use super::{Certificate, Method, Reading};
use crate::base::{Budget, Exhausted};
use crate::diag::Assumption;
use crate::term::eval::Cone;
use crate::term::print::Printer;
use crate::term::{Elements, Node, Term, Unary};
use atoms::{Atoms, Way};
use carried::{Expanded, Origin, inward};
use field::{LANES, Residue, random};
use products::Bases;
use rescaled::rescaled;
use rustc_hash::{FxHashMap, FxHashSet};
use squares::squared;
use std::collections::BTreeSet;
use value::{Kind, Value};
use walk::masks::{Shape, alike};
use walk::rows::Rows;
use walk::{Domain, Walk};

/// The exponent of 2 that the chance of error has to stay below.
pub(super) const LEAST_BITS: f64 = 100.0;
/// Bytes that a node may take while both sides are evaluated, and how many of the budgets that are for
/// simulating a kernel they may take together (2,048 keys of attention: two and a half).
const NODE_BYTES: u64 = 160;
const MOST_BUDGETS: u64 = 4;
/// Leaves shown of what is assumed not to be zero.
const SHOWN: usize = 24;

/// What evaluation found.
pub(super) struct Evaluated {
    /// For each pair of the reading, why it is equal, if it was found to be.
    pub(super) proved: Vec<Option<Certificate>>,
    /// What that assumes.
    pub(super) notes: BTreeSet<Assumption>,
    /// Whether there were more orders than are followed.
    exhausted: bool,
}

impl Evaluated {
    /// Of so many pairs, none.
    pub(super) fn nothing(count: usize) -> Evaluated {
        Evaluated { proved: vec![None; count], notes: BTreeSet::new(), exhausted: false }
    }
}

/// Evaluates both sides of all pairs of a reading.
pub(super) fn evaluate(
    budget: &Budget,
    reading: &Reading<'_>,
    elements: &Elements,
) -> Result<Evaluated, Exhausted> {
    let count = reading.roots(0).len();
    let nothing = Evaluated::nothing(count);
    if !has_room(budget, reading) {
        return Ok(nothing);
    }
    let cones = [0, 1].map(|side| Cone::of(reading.terms(side), reading.roots(side), budget));
    let [left, right] = cones;
    let cones = [left?, right?];
    let seed = seed_of(reading, &cones);
    let plain = [None, None];
    let mut evaluated =
        at_points(budget, reading, elements, (&cones, plain), seed, (Way::Apart, [0, 1], false))?.0;
    let open: Vec<usize> = (0..count).filter(|at| evaluated.proved[*at].is_none()).collect();
    if open.is_empty() || !cones.iter().any(has_orders) {
        return Ok(evaluated);
    }
    // What is left, with choices linked to maxima.
    let mut cones = cones_of(budget, reading, &open)?;
    for (side, cone) in cones.iter_mut().enumerate() {
        if let Some(new) = rescaled(reading.terms(side), cone, reading.meanings.side(side)) {
            *cone = new;
        }
        if let Some(new) = squared(cone, reading.meanings.side(side)) {
            *cone = new;
        }
    }
    let insides = [0, 1].map(|side| inward(&cones[side], reading.meanings.side(side)));
    let [left, right] = cones;
    let [inner, other] = insides;
    let cones = [inner.unwrap_or(left), other.unwrap_or(right)];
    let seed = [seed[1], seed[0]];
    let (linked, origins) =
        at_points(budget, reading, elements, (&cones, plain), seed, (Way::Linked, [0, 1], false))?;
    // What that leaves, with choices carried outward.
    let steps: usize = cones.iter().map(|cone| cone.steps().len()).sum();
    let asked = origins.iter().any(|origins| !origins.is_empty());
    let room = COPIES * steps as u64 * NODE_BYTES <= MOST_BUDGETS * budget.memory;
    let further = if asked && room && linked.proved.iter().any(Option::is_none) {
        let expanded = [0, 1].map(|side| Expanded::of(&cones[side], &origins[side]));
        let carried = [0, 1].map(|side| Some(&expanded[side]));
        let seed = [random(seed, 1), random(seed, 2)];
        at_points(budget, reading, elements, (&cones, carried), seed, (Way::Linked, [0, 1], false))?.0
    } else {
        Evaluated::nothing(open.len())
    };
    // Copies divide by what their steps divide by: all of it is assumed where a step is.
    evaluated.notes.extend(further.notes);
    if linked.proved.iter().chain(&further.proved).any(Option::is_some) {
        evaluated.notes.extend(linked.notes);
    }
    for (at, certificates) in open.into_iter().zip(linked.proved.into_iter().zip(further.proved)) {
        evaluated.proved[at] = certificates.0.or(certificates.1);
    }
    // What that leaves, with conditions in the form that says what they ask.
    let open: Vec<usize> = (0..count).filter(|at| evaluated.proved[*at].is_none()).collect();
    if !open.is_empty() {
        let cones = cones_of(budget, reading, &open)?;
        let seed = [random(seed, 128), random(seed, 129)];
        let found =
            at_points(budget, reading, elements, (&cones, plain), seed, (Way::Apart, [0, 1], true))?.0;
        evaluated.notes.extend(found.notes);
        for (at, certificate) in open.into_iter().zip(found.proved) {
            evaluated.proved[at] = certificate;
        }
    }
    // And what that leaves, by orders of candidates. (What is one of several things and none of the others
    // is what these leave, on the side that is read first.)
    let mut ways = vec![(Way::Ranked, [0, 1]), (Way::Ranked, [1, 0])];
    for turn in 0u64.. {
        let open: Vec<usize> = (0..count).filter(|at| evaluated.proved[*at].is_none()).collect();
        if open.is_empty() || ways.is_empty() {
            break;
        }
        let (way, sides) = ways.remove(0);
        let cones = cones_of(budget, reading, &open)?;
        let seed = [random(seed, 3 + turn), random(seed, 64 + turn)];
        let ranked = at_points(budget, reading, elements, (&cones, plain), seed, (way, sides, false))?.0;
        evaluated.notes.extend(ranked.notes);
        for (at, certificate) in open.into_iter().zip(ranked.proved) {
            evaluated.proved[at] = certificate;
        }
        // Where there are too many orders, choices that are maxima of minima are followed alone.
        if ranked.exhausted {
            ways = if way == Way::Ranked { vec![(Way::Exchanged, sides)] } else { Vec::new() };
        }
    }
    Ok(evaluated)
}

/// The same for pairs of conditions in one pass, without what orders say: which of them are one condition.
pub(super) fn meets(
    budget: &Budget,
    reading: &Reading<'_>,
    elements: &Elements,
) -> Result<Vec<bool>, Exhausted> {
    let all: Vec<usize> = (0..reading.roots(0).len()).collect();
    if !has_room(budget, reading) {
        return Ok(vec![false; all.len()]);
    }
    let cones = cones_of(budget, reading, &all)?;
    let seed = seed_of(reading, &cones);
    let over = (&cones, [None, None]);
    let found = at_points(budget, reading, elements, over, seed, (Way::Apart, [0, 1], false))?.0;
    Ok(found.proved.iter().map(Option::is_some).collect())
}

/// Whether both sides can be evaluated within the memory that there is.
fn has_room(budget: &Budget, reading: &Reading<'_>) -> bool {
    let nodes = (reading.terms(0).len() + reading.terms(1).len()) as u64;
    nodes * NODE_BYTES <= MOST_BUDGETS * budget.memory
}

/// The cones of some pairs.
fn cones_of(budget: &Budget, reading: &Reading<'_>, chosen: &[usize]) -> Result<[Cone; 2], Exhausted> {
    let cones = [0, 1].map(|side| {
        let roots: Vec<Term> = chosen.iter().map(|at| reading.roots(side)[*at]).collect();
        Cone::of(reading.terms(side), &roots, budget)
    });
    let [left, right] = cones;
    Ok([left?, right?])
}

/// Steps that one has at most with its copies.
const COPIES: u64 = 3;

/// Whether a cone has choices by comparisons.
fn has_orders(cone: &Cone) -> bool {
    let asks = |node: &Node| {
        matches!(node, Node::Compare(..) | Node::Max(..) | Node::Min(..) | Node::Unary(Unary::Abs, _))
    };
    cone.steps().iter().any(asks)
}

/// What evaluation at some points found, and which choices go on outside of each step.
type Found = (Evaluated, [FxHashMap<usize, Origin>; 2]);

/// The same at the points that belong to a seed.
fn at_points(
    budget: &Budget,
    reading: &Reading<'_>,
    elements: &Elements,
    over: (&[Cone; 2], [Option<&Expanded>; 2]),
    seed: [u64; 2],
    ways: (Way, [usize; 2], bool),
) -> Result<Found, Exhausted> {
    let (found, asked) = with_signs(budget, reading, elements, over, seed, ways, FxHashSet::default())?;
    // √(v/c) is √v/√c where √v and √c are asked elsewhere, at whatever place.
    if asked.is_empty() || found.0.proved.iter().all(Option::is_some) {
        return Ok(found);
    }
    Ok(with_signs(budget, reading, elements, over, seed, ways, asked)?.0)
}

/// The same with bases that are not negative; and which others are not, if that may help.
fn with_signs(
    budget: &Budget,
    reading: &Reading<'_>,
    elements: &Elements,
    (cones, carried): (&[Cone; 2], [Option<&Expanded>; 2]),
    seed: [u64; 2],
    (way, sides, by_forms): (Way, [usize; 2], bool),
    assumed: FxHashSet<Residue>,
) -> Result<(Found, FxHashSet<Residue>), Exhausted> {
    let (mut atoms, mut names) = (Atoms::new(seed, way), Vec::new());
    atoms.bases.assumed = assumed;
    let mut values: [Vec<Value>; 2] = Default::default();
    let mut shapes: [Vec<Option<Shape>>; 2] = Default::default();
    let mut origins: [FxHashMap<usize, Origin>; 2] = Default::default();
    let (mut key_degree, mut compared, mut notes) = (1.0f32, 0, BTreeSet::new());
    for side in sides {
        let (terms, meanings) = (reading.terms(side), reading.meanings.side(side));
        let cone = carried[side].map_or(&cones[side], |expanded| &expanded.cone);
        let copies = carried[side];
        let rows = by_forms.then(|| Rows::of(budget, elements, terms, meanings, cone));
        let over = (cone, copies, rows);
        let mut walk = Walk::over((side, terms, elements), over, meanings, &mut atoms, &mut names, budget)?;
        values[side] = (0..cone.roots().len()).map(|root| walk.root(root)).collect();
        if way != Way::Apart {
            shapes[side] = (0..values[side].len()).map(|root| walk.root_shape(root)).collect();
        }
        if way == Way::Linked && copies.is_none() {
            origins[side] = walk.origins();
        }
        key_degree = key_degree.max(walk.key_degree);
        compared += walk.products.count() + walk.worlds.compared();
        let name = |constant: usize| reading.meanings.name(side, constant).map(str::to_owned);
        let printer = Printer { terms, elements, constant: &name, limit: SHOWN };
        notes.extend(walk.domains.iter().map(|domain| match domain {
            Domain::NotZero(term) => Assumption::DenominatorNonZero(printer.text(*term)),
            Domain::InRange(term) => Assumption::ArgumentInRange(printer.text(*term)),
        }));
    }
    let compared = (compared + atoms.count() + atoms.conditions.count() + values[0].len()) as f64;
    let proved: Vec<Option<Certificate>> = values[0]
        .iter()
        .zip(&values[1])
        .enumerate()
        .map(|(at, (a, b))| {
            let shapes = [0, 1].map(|side| shapes[side].get(at).and_then(Option::as_ref));
            let same = match (a.kind, b.kind) {
                (Kind::Finite, Kind::Finite) => a.at[0] == b.at[0],
                (Kind::Lost, _) | (_, Kind::Lost) => {
                    matches!(shapes, [Some(a), Some(b)] if alike(&mut atoms, a, b))
                }
                (a, b) => a == b,
            };
            let mut degree: f32 = [a, b].iter().map(|value| value.degree[0] + value.degree[1]).sum();
            degree += shapes.iter().flatten().map(|shape| 2.0 * shape.degree()).sum::<f32>();
            let bits = error_bits(degree.max(2.0 * key_degree).into(), compared);
            (same && bits >= LEAST_BITS).then(|| certificate(bits))
        })
        .collect();
    // What the linked way found out of copies stands on what was assumed of their steps.
    let kept = way == Way::Linked && carried[0].is_none();
    if !kept && proved.iter().all(Option::is_none) {
        notes.clear();
    }
    let Bases { asked, together, .. } = atoms.bases;
    let asked = asked.into_iter().filter(|base| together.contains(base)).collect();
    Ok(((Evaluated { proved, notes, exhausted: atoms.lattice.is_exhausted() }, origins), asked))
}

/// The chance of error is below 2 to the minus this: any of so many pairs may meet by accident, in
/// each lane with a chance of degree/p, p above 2^59.9 and a residue up to 5/4 as likely as 1/p.
fn error_bits(degree: f64, compared: f64) -> f64 {
    LANES as f64 * (59.9 - 1.25f64.log2() - degree.max(1.0).log2()) - 2.0 * (compared + 2.0).log2()
}

fn certificate(bits: f64) -> Certificate {
    // By tens, so that a group of outputs says one thing.
    let bits = (bits / 10.0) as u32 * 10;
    let summary = format!(
        "equal at {LANES} random points of prime fields of 2^60 elements and more: chance of error < 2^-{bits}"
    );
    Certificate { summary, method: Method::Evaluation { points: LANES as u32, bits } }
}

/// A hash of both cones and of what their constants mean: who writes a kernel cannot choose the points.
fn seed_of(reading: &Reading<'_>, cones: &[Cone; 2]) -> [u64; 2] {
    use std::hash::{Hash, Hasher};
    let mut seed = [0x7761_7270_7072_6f6f, 0x662d_6576_616c_7561];
    let mut absorb = |word: u64| {
        seed = [random(seed, word), random([seed[1], seed[0]], !word)];
    };
    for (side, cone) in cones.iter().enumerate() {
        for step in cone.steps() {
            let mut hasher = rustc_hash::FxHasher::default();
            step.hash(&mut hasher);
            absorb(hasher.finish());
        }
        for root in cone.roots() {
            absorb(u64::from(Term::raw(*root)));
        }
        for constant in cone.constants() {
            let mut hasher = rustc_hash::FxHasher::default();
            format!("{:?}", reading.meanings.side(side)[*constant as usize]).hash(&mut hasher);
            absorb(hasher.finish());
        }
    }
    seed
}
