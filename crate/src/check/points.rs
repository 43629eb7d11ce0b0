//! Both sides at points of the reals, in enclosures.

use crate::base::{Budget, Exhausted, Format, FormatClass};
use crate::decide::witness::{Sides, are_unlike};
use crate::decide::{Reading, Witness};
use crate::term::eval::{Cone, Formats, Quantity, Reals, Slots, evaluate, evaluate_roots, number_of};
use crate::term::{Elements, Node, Term, Terms};
use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedSub, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

/// Points at which equalities are tried, at least and at most.
pub(super) const LEAST: usize = 6;
const MOST: usize = 48;
/// Nodes that may be evaluated for more than the least.
const NODES: usize = 200_000;
/// Conditions whose borders are tried one by one on each side, and elements of a condition that are moved.
const BORDERS: usize = 4;
/// Conditions that are looked at from the start, nodes of one, and how often borders are tried together.
const TRIED: usize = 64;
const LARGEST_CONDITION: usize = 4096;
const PACKS: usize = 12;
/// Where a sign is asked for, about how often that is for one condition, and nodes that may be evaluated for all.
const LADDER: [i64; 11] = [-65_536, -4096, -256, -16, -1, 0, 1, 16, 256, 4096, 65_536];
const EVALUATIONS: usize = 32;
const MOST_SPENT: usize = 4_000_000;

/// Nodes up to which all claims are tried at points, whatever the fields say.
pub(super) const SMALL: usize = 400_000;

/// How many points to try for terms of so many nodes together: small terms have room for many
/// orders of their elements, and in large ones a mistake shows at many outputs.
pub(super) fn count(nodes: usize) -> usize {
    (NODES / nodes.max(1)).clamp(LEAST, MOST)
}

/// How two terms compare at the points tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Agreement {
    /// Their enclosures meet at all points where both are defined, which are so many.
    Everywhere(usize),
    /// Both are undefined at all points.
    Nowhere,
    /// Both are defined at none of the points, and one of them is at some: what is assumed about their
    /// domains may hold nowhere.
    OneSided,
    /// Their enclosures are disjoint somewhere.
    Apart(String),
}

/// Small fractions of both signs; the first points are smooth, the others have ties and zeros, are
/// of one sign, far apart, of any magnitude from 2⁻¹⁶ to 2²⁰, or the same for all elements.
fn coordinate(elements: &Elements, point: u64, element: u32) -> Quantity {
    let own = (u64::from(element) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut x = own.wrapping_add(point << 17);
    x = (x ^ x >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 29;
    // Integers are integers, small ones and any: what is read out of their bits has no value elsewhere.
    if let Some(block) = elements.block_of(element)
        && !block.format.is_float()
    {
        // Few that are not 0; small ones, any, and those at the ends of the range.
        let bits = match point % 3 {
            _ if point > 6 && point % 7 == 5 => u64::from(x % 8 == 0),
            0 => x % 7,
            1 => x ^ x << 31,
            _ => ((x & 3) << (block.format.bits() - 2)).wrapping_sub(x >> 2 & 1) ^ x >> 3 & 1,
        };
        return number_of(integer(block.format), bits & u64::MAX >> (64 - block.format.bits()));
    }
    match point {
        0 | 1 => Quantity::dyadic((x % 193) as i64 - 96, 6),
        2 => Quantity::dyadic((x % 97) as i64 + 1, 5),
        3 => Quantity::integer((x % 5) as i64 - 2),
        4 | 5 => Quantity::dyadic((x % 41) as i64 - 20, (x >> 32) as u32 % 4),
        _ => {
            let round = point / 7;
            let sign = if round.is_multiple_of(2) { -1 } else { 1 };
            match point % 7 {
                0 | 1 => Quantity::dyadic((x % 193) as i64 - 96, 5),
                // One sign for all, by turns.
                2 => Quantity::dyadic(((x % 64) as i64 + 1) * sign, 4),
                // Whole numbers and halves, by turns.
                3 => Quantity::dyadic((x % 25) as i64 - 12, (round % 2) as u32),
                4 => Quantity::integer((x % 3) as i64 - 1),
                // One number for all, 0 first, then by turns of both signs.
                5 if round == 1 => Quantity::integer(0),
                5 => Quantity::dyadic(((round * 5 % 9) as i64 + 1) * sign, 1),
                _ => {
                    // Each element goes through all magnitudes in wide steps.
                    let digits = ((x >> 8) % 31 + 1) as i64 * if x >> 40 & 1 == 0 { 1 } else { -1 };
                    match ((own >> 32) % 33 + round * 13) as u32 % 33 {
                        up @ 0..=16 => Quantity::integer(digits << up),
                        down => Quantity::dyadic(digits, down - 16),
                    }
                }
            }
        }
    }
}

/// A number, or the middle of where it is: a rounded constant is known to its last place.
fn middle(value: Quantity) -> Option<Ratio<i64>> {
    match value {
        Quantity::Exact(value) => Some(value),
        _ => {
            let interval = value.interval().filter(|interval| interval.is_bounded())?;
            Ratio::approximate_float(f64::midpoint(interval.low(), interval.high()))
        }
    }
}

/// Whether an element of a format can have a value; of floats, which count as reals, any.
fn is_number_of(format: Format, value: Ratio<i64>) -> bool {
    if format.is_float() {
        return true;
    }
    let (format, bits) = (integer(format), format.bits());
    let least = if format.class() == FormatClass::Signed { -1i128 << (bits - 1) } else { 0 };
    value.is_integer() && (least..least + (1 << bits)).contains(&i128::from(*value.numer()))
}

/// How an integer's bits are read: plain ones as unsigned.
fn integer(format: Format) -> Format {
    if format.class() == FormatClass::Signed {
        return format;
    }
    match format.bits() {
        8 => Format::U8,
        16 => Format::U16,
        32 => Format::U32,
        _ => Format::U64,
    }
}

impl Agreement {
    /// Takes the values of both sides at one more point into account.
    pub(super) fn meet(&mut self, a: Quantity, b: Quantity) {
        let (x, y) = match (a.interval(), b.interval()) {
            (Some(x), Some(y)) => (x, y),
            _ if is_seen(a) && is_seen(b) && (is_beyond(a) || is_beyond(b)) => {
                if a != b {
                    *self = Agreement::Apart(format!(
                        "at a point the two sides are {} and {}",
                        named(a),
                        named(b)
                    ));
                } else if !matches!(self, Agreement::Apart(_)) {
                    *self = self.and_here();
                }
                return;
            }
            (Some(one), None) | (None, Some(one)) => {
                if one.is_bounded() && *self == Agreement::Nowhere {
                    *self = Agreement::OneSided;
                }
                return;
            }
            (None, None) => return,
        };
        if matches!(self, Agreement::Apart(_)) {
            return;
        }
        if x.is_apart(y) || a.order(b).is_ok_and(std::cmp::Ordering::is_ne) {
            *self = Agreement::Apart(format!(
                "at a point the two sides are in [{:e}, {:e}] and [{:e}, {:e}]",
                x.low(),
                x.high(),
                y.low(),
                y.high()
            ));
        } else if x.is_bounded() && y.is_bounded() {
            *self = self.and_here();
        }
    }

    fn and_here(&self) -> Agreement {
        Agreement::Everywhere(if let Agreement::Everywhere(points) = self { points + 1 } else { 1 })
    }
}

/// A value that is seen, for people.
fn named(value: Quantity) -> String {
    match (value, value.interval()) {
        (_, Some(within)) => format!("in [{:e}, {:e}]", within.low(), within.high()),
        (Quantity::Infinity, _) => "∞".to_owned(),
        (Quantity::MinusInfinity, _) => "-∞".to_owned(),
        _ => "not a number".to_owned(),
    }
}

/// Where both sides are evaluated: a point, with some elements on borders.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe<'a> {
    pub(super) point: u64,
    pub(super) moved: &'a [(u32, Quantity)],
}

/// The values of a cone's roots at one point.
pub(super) fn values(
    (cone, slots): (&Cone, &Slots),
    elements: &Elements,
    constants: &[Quantity],
    Probe { point, moved }: Probe<'_>,
    budget: &Budget,
) -> Result<Vec<Quantity>, Exhausted> {
    let element = |element: u32| match moved.binary_search_by_key(&element, |(own, _)| *own) {
        Ok(at) => moved[at].1,
        Err(_) => coordinate(elements, point, element),
    };
    evaluate_roots(cone, slots, &Reals { element: &element, constants }, budget)
}

/// A value of one element at which a condition is a tie, or just beside that, while the condition's other
/// elements stay as they are.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Border {
    own: u32,
    value: Quantity,
    /// All elements of the condition, ascending.
    elements: Vec<u32>,
}

/// Values of single elements at which a comparison of two numbers that are linear in them, or a clamp, is a
/// tie, and one above and below it, or integers between which it changes sides: what holds at one value
/// only (`x == 37`), or beyond 65504, is met by no random point. The first [`TRIED`] conditions are looked
/// at, and as many spread over the rest.
pub(super) fn borders(
    terms: &Terms,
    cone: &Cone,
    elements: &Elements,
    constants: &[Quantity],
    budget: &Budget,
) -> Result<Vec<Border>, Exhausted> {
    // A clamp is a comparison with a number, beyond which it shows.
    let clamps = |a: &Term, b: &Term| a.as_constant().is_some() || b.as_constant().is_some();
    let is_condition = |step: &Node| match step {
        Node::Compare(..) => true,
        Node::Max(a, b) | Node::Min(a, b) => clamps(a, b),
        _ => false,
    };
    let steps = cone.steps();
    let mut conditions: Vec<usize> = (0..steps.len()).filter(|at| is_condition(&steps[*at])).collect();
    let rest = conditions.split_off(TRIED.min(conditions.len()));
    conditions.extend(rest.iter().step_by(rest.len().div_ceil(TRIED).max(1)));
    let mut found: Vec<Border> = Vec::new();
    let mut spent = 0;
    for at in conditions {
        let (Node::Compare(_, a, b) | Node::Max(a, b) | Node::Min(a, b)) = terms.node(cone.node(at)) else {
            continue;
        };
        let both = Cone::of(terms, &[a, b], budget)?;
        if both.steps().len() > LARGEST_CONDITION || spent > MOST_SPENT {
            continue;
        }
        let slots = Slots::of(&both);
        for own in both.elements().iter().copied().take(BORDERS) {
            let difference = |value: Quantity| {
                let probe = Probe { point: 0, moved: &[(own, value)] };
                let values = values((&both, &slots), elements, constants, probe, budget)?;
                let [a, b] = [middle(values[0]), middle(values[1])];
                Ok::<_, Exhausted>(a.zip(b).and_then(|(a, b)| a.checked_sub(&b)))
            };
            let values = match linear(&difference)? {
                Some(root) => {
                    let beside = [root.checked_add(&Ratio::ONE), root.checked_sub(&Ratio::ONE)];
                    [Some(root)].into_iter().chain(beside).flatten().collect()
                }
                None => crossings(&difference)?,
            };
            spent += EVALUATIONS * both.steps().len();
            if values.is_empty() {
                continue;
            }
            let format = elements.block_of(own).map(|block| block.format);
            for value in values {
                let value = Quantity::Exact(value);
                let is_new = || !found.iter().any(|border| border.own == own && border.value == value);
                if format.is_none_or(|format| middle(value).is_some_and(|at| is_number_of(format, at)))
                    && is_new()
                {
                    found.push(Border { own, value, elements: both.elements().to_vec() });
                }
            }
            break;
        }
    }
    Ok(found)
}

/// By how much the two numbers of a condition differ, by the value of one element.
type Difference<'a> = &'a dyn Fn(Quantity) -> Result<Option<Ratio<i64>>, Exhausted>;

/// Where a difference that is linear is 0.
fn linear(difference: Difference<'_>) -> Result<Option<Ratio<i64>>, Exhausted> {
    let [zero, one, two] = [0, 1, 2].map(|value| difference(Quantity::integer(value)));
    let (Some(zero), Some(one), Some(two)) = (zero?, one?, two?) else { return Ok(None) };
    let Some(slope) = one.checked_sub(&zero).filter(|slope| !slope.is_zero()) else { return Ok(None) };
    if two.checked_sub(&one) != Some(slope) {
        return Ok(None);
    }
    Ok(zero.checked_div(&slope).filter(|root| *root.numer() != i64::MIN).map(|root| -root))
}

/// Neighbouring integers between which a difference changes its sign.
fn crossings(difference: Difference<'_>) -> Result<Vec<Ratio<i64>>, Exhausted> {
    let sign =
        |at: i64| Ok::<_, Exhausted>(difference(Quantity::integer(at))?.map(|value| value.cmp(&Ratio::ZERO)));
    let signs = LADDER.iter().map(|at| sign(*at)).collect::<Result<Vec<_>, _>>()?;
    let mut found = Vec::new();
    for (ends, signs) in LADDER.windows(2).zip(signs.windows(2)) {
        let (Some(below), Some(above)) = (signs[0], signs[1]) else { continue };
        if below == above {
            continue;
        }
        let (mut low, mut high) = (ends[0], ends[1]);
        while high - low > 1 {
            let middle = i64::midpoint(low, high);
            if sign(middle)? == Some(below) { low = middle } else { high = middle }
        }
        found.extend([low, high].map(Ratio::from_integer));
    }
    Ok(found)
}

/// Elements with the values that they are moved to.
type Move = Vec<(u32, Quantity)>;

/// What to move at once: the first few borders alone, and all of them together with others whose conditions
/// have no element in common, so that outputs which are alike are all tried, at the price of one.
pub(super) fn moves(borders: &[Border]) -> Vec<Move> {
    let alone = borders.iter().take(3 * BORDERS).map(|border| vec![(border.own, border.value)]);
    let mut packs: Vec<(Move, FxHashSet<u32>)> = Vec::new();
    for border in borders {
        let is_free = |taken: &FxHashSet<u32>| border.elements.iter().all(|element| !taken.contains(element));
        let place = match packs.iter().position(|(_, taken)| is_free(taken)) {
            Some(place) => place,
            None if packs.len() < PACKS => {
                packs.push(<_>::default());
                packs.len() - 1
            }
            None => continue,
        };
        packs[place].0.push((border.own, border.value));
        packs[place].1.extend(&border.elements);
    }
    let together = packs.into_iter().map(|(mut moved, _)| {
        moved.sort_by_key(|(own, _)| *own);
        moved
    });
    alone.chain(together.filter(|moved| moved.len() > 1)).collect()
}

/// Why a witness does not show a difference, if it does not.
pub(super) fn refute_witness(
    reading: &Reading<'_>,
    (a, b): (Term, Term),
    witness: &Witness,
    budget: &Budget,
) -> Result<Option<String>, Exhausted> {
    let inputs: FxHashMap<u32, Quantity> =
        witness.inputs.iter().map(|(element, value)| (*element, Quantity::rational(value))).collect();
    let rest = Quantity::rational(&witness.default);
    let element = |element: u32| inputs.get(&element).copied().unwrap_or(rest);
    let (mut values, mut on_machine) = ([Quantity::Unknown; 2], [Quantity::Unknown; 2]);
    let terms = [0, 1].map(|side| reading.terms(side));
    let cones = [Cone::of(terms[0], &[a], budget)?, Cone::of(terms[1], &[b], budget)?];
    let formats = Formats::of(terms, &cones);
    for (side, cone) in cones.iter().enumerate() {
        let constants = reading.meanings.enclosures(side);
        let domain = Reals { element: &element, constants: &constants };
        values[side] = evaluate(cone, &domain, budget, &mut Vec::new())?[0];
        // What is claimed is what the machine makes of large numbers; over the reals they have to differ, too.
        on_machine[side] = match &formats[side] {
            Some(formats) => formats.evaluate(cone, &domain, budget, &mut Vec::new())?[0],
            None => values[side],
        };
    }
    let are_apart = on_machine == values
        || matches!((values[0].interval(), values[1].interval()), (Some(x), Some(y)) if x.is_apart(y))
        || values[0].order(values[1]).is_ok_and(std::cmp::Ordering::is_ne)
        || values.iter().all(|value| is_seen(*value))
            && values[0] != values[1]
            && values.contains(&Quantity::NotANumber);
    if values.contains(&Quantity::Undefined) {
        let constants = [0, 1].map(|side| reading.meanings.enclosures(side));
        let sides = Sides { terms, cones: &cones, constants: &constants };
        let found = sides.where_excluded(&formats, &element, budget)?.into_iter().next().flatten();
        return Ok(match found.map(|found| found.values()).filter(|values| are_unlike(*values)) {
            Some(values) => refute_values(values, witness),
            None => Some("a side has no value at the witness".to_owned()),
        });
    }
    if !are_apart {
        return Ok(Some("the two sides are not certainly apart at the witness over the reals".to_owned()));
    }
    Ok(refute_values(on_machine, witness))
}

/// Whether it is a number, or certainly none because of infinities that a kernel wrote.
fn is_seen(value: Quantity) -> bool {
    value.interval().is_some() || is_beyond(value)
}

fn is_beyond(value: Quantity) -> bool {
    matches!(value, Quantity::Infinity | Quantity::MinusInfinity | Quantity::Pole | Quantity::NotANumber)
}

/// Why the values at a witness do not show a difference, if they do not.
pub(super) fn refute_values(values: [Quantity; 2], witness: &Witness) -> Option<String> {
    let claimed = |value: Quantity, (low, high): (f64, f64)| match value {
        Quantity::NotANumber => low.is_nan() && high.is_nan(),
        Quantity::Infinity => low == f64::INFINITY,
        Quantity::MinusInfinity => high == f64::NEG_INFINITY,
        Quantity::Pole => (low, high) == (f64::NEG_INFINITY, f64::INFINITY),
        _ => value.interval().is_some_and(|value| value.low() <= high && low <= value.high()),
    };
    let apart = match (values[0].interval(), values[1].interval()) {
        (Some(x), Some(y)) => {
            x.is_apart(y) || values[0].order(values[1]).is_ok_and(std::cmp::Ordering::is_ne)
        }
        (None, Some(_)) => is_beyond(values[0]),
        (Some(_), None) => is_beyond(values[1]),
        (None, None) => is_beyond(values[0]) && is_beyond(values[1]) && values[0] != values[1],
    };
    let message = if apart && (0..2).all(|side| claimed(values[side], witness.values[side])) {
        return None;
    } else if apart {
        "the values at the witness are not those reported"
    } else if values.iter().all(|value| value.interval().is_some()) {
        "the two sides are not certainly apart at the witness"
    } else {
        "a side has no value at the witness"
    };
    Some(message.to_owned())
}
