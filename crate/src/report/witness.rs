//! A witness as a counterexample: the inputs by tensor, both values, and a spec that replays it.

use super::bind::Bound;
use super::expression::Side;
use super::model::{InputValue, InputValues};
use crate::base::{Budget, Exhausted};
use crate::decide::Witness;
use crate::sim::Setup;
use crate::spec::{self, Contents, Literal, Scalar, Spec};
use crate::term::eval::{Cone, Quantity, Reals, evaluate};
use crate::term::{Number, Term};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{FromPrimitive, One, ToPrimitive};

/// Tensors up to this size are listed whole.
const DENSE: u64 = 64;
/// Elements with a value of their own that are listed.
const LISTED: usize = 256;

/// The witness' inputs, by tensor. `roles` are those that the runs showed, where they are known: an output
/// that has the default everywhere is left out.
#[cold]
pub fn inputs(bound: &Bound, roles: &[spec::Role], witness: &Witness) -> Vec<InputValues> {
    let rest = number(&witness.default);
    let mut all = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for block in bound.elements.blocks() {
        // Of tensors that are numbered in pages there are several blocks.
        if seen.contains(&block.name.as_str()) {
            continue;
        }
        seen.push(&block.name);
        let own = own_values(bound, witness, &block.name);
        let at = bound.tensors.iter().position(|tensor| tensor.name == block.name);
        let tensor = at.map(|at| &bound.tensors[at]);
        let role = at.and_then(|at| roles.get(at).copied().or(bound.tensors[at].role()));
        let given = tensor.and_then(|tensor| tensor.contents());
        let empty = given.is_none() && matches!(role, Some(spec::Role::Out | spec::Role::Scratch));
        if own.is_empty() && empty {
            continue;
        }
        // What nobody can set is told only where the values matter.
        let unknowable = |setup: &Setup| {
            let all = setup.contents.iter().chain([&setup.unknowable]);
            all.into_iter().any(|(first, count)| *count > 0 && *first == block.first)
        };
        if own.is_empty() && bound.setups.iter().any(unknowable) {
            continue;
        }
        // A tensor without a declared shape has no extents to show.
        let open = tensor.is_some_and(|tensor| tensor.shape().is_none());
        let shape = if open { Vec::new() } else { block.shape.clone() };
        let few = !open && u64::from(block.count) <= DENSE;
        if let Some(contents) = given {
            let count = block.count as usize;
            let dense = few.then(|| as_given(contents, count)).flatten();
            all.push(InputValues {
                name: block.name.clone(),
                scalar: false,
                given: true,
                shape,
                format: block.format.to_string(),
                entries: Vec::new(),
                rest: match contents {
                    Contents::Fill(literal) => spec::literal(*literal),
                    _ => String::new(),
                },
                dense,
            });
            continue;
        }
        let dense = few.then(|| {
            let mut values = vec![rest.clone(); block.count as usize];
            for (element, value) in &own {
                values[bound.elements.index(*element) as usize] = number(value);
            }
            values
        });
        let entries = own.iter().take(LISTED).map(|(element, value)| InputValue {
            place: bound.elements.name(*element),
            index: bound.elements.index(*element),
            value: number(value),
        });
        all.push(InputValues {
            name: block.name.clone(),
            scalar: tensor.is_none(),
            given: false,
            shape,
            format: block.format.to_string(),
            entries: entries.collect(),
            rest: rest.clone(),
            dense,
        });
    }
    all
}

/// What the spec gives as contents, element by element, if it says so.
fn as_given(contents: &Contents, count: usize) -> Option<Vec<String>> {
    match contents {
        Contents::Iota => Some((0..count).map(|at| at.to_string()).collect()),
        Contents::Fill(literal) => Some(vec![spec::literal(*literal); count]),
        Contents::List(list) => Some(list.iter().map(|literal| spec::literal(*literal)).collect()),
        Contents::Declared => None,
    }
}

/// The spec of the question with the witness as concrete inputs: running it shows the difference
/// again. `reached` has the elements that the kernels touched, by tensor, for those without a shape.
#[cold]
pub fn replay(spec: &Spec, bound: &Bound, witness: &Witness, reached: &[u64]) -> String {
    let mut spec = spec.clone();
    for (tensor, reached) in bound.tensors.iter().zip(reached) {
        if matches!(tensor.role(), Some(spec::Role::Out | spec::Role::Scratch)) || tensor.contents().is_some()
        {
            continue;
        }
        let own = own_values(bound, witness, &tensor.name);
        let contents = match own.last() {
            None => Contents::Fill(literal(&witness.default)),
            Some((last, _)) => {
                let open = (*reached).max(bound.elements.index(*last) + 1);
                let count = tensor.shape().map_or(open, |shape| shape.iter().product());
                let mut list = vec![literal(&witness.default); count as usize];
                for (element, value) in &own {
                    list[bound.elements.index(*element) as usize] = literal(value);
                }
                Contents::List(list)
            }
        };
        match spec.tensors.iter_mut().find(|declared| declared.name == tensor.name) {
            Some(declared) => declared.contents = Some(contents),
            None => spec.tensors.push(spec::Tensor {
                name: tensor.name.clone(),
                format: tensor.formats.iter().copied().flatten().next(),
                shape: match &contents {
                    Contents::List(list) => Some(vec![list.len() as u64]),
                    _ => None,
                },
                strides: None,
                role: None,
                contents: Some(contents),
                span: Default::default(),
                written: Vec::new(),
            }),
        }
    }
    for block in bound.elements.blocks().iter().filter(|block| block.shape.is_empty()) {
        let own = own_values(bound, witness, &block.name);
        let value = Ok(literal(own.first().map_or(&witness.default, |(_, value)| value)));
        match spec.scalars.iter_mut().find(|scalar| scalar.name == block.name) {
            Some(scalar) => scalar.value = value,
            None => spec.scalars.push(Scalar {
                name: block.name.clone(),
                value,
                span: Default::default(),
                swept: false,
                written: None,
                code: None,
            }),
        }
    }
    spec::print(&spec)
}

/// The elements of a tensor that have a value of their own, ascending in the tensor.
fn own_values<'w>(bound: &Bound, witness: &'w Witness, name: &str) -> Vec<(u32, &'w BigRational)> {
    let mut own: Vec<_> = witness
        .inputs
        .iter()
        .filter(|(element, value)| {
            *value != witness.default
                && bound.elements.block_of(*element).is_some_and(|block| block.name == name)
        })
        .map(|(element, value)| (*element, value))
        .collect();
    own.sort_by_key(|(element, _)| bound.elements.index(*element));
    own
}

/// `3`, `-1/2`.
pub fn number(value: &BigRational) -> String {
    if value.denom().is_one() {
        value.numer().to_string()
    } else {
        format!("{}/{}", value.numer(), value.denom())
    }
}

fn literal(value: &BigRational) -> Literal {
    match value.numer().to_i64().filter(|_| value.denom().is_one()) {
        Some(integer) => Literal::Integer(integer),
        None => Literal::Float(value.to_f64().unwrap_or(0.0)),
    }
}

/// What a side of a pair is at a witness, in decimal: `claimed` encloses it. Where outputs are `integers`, all digits
/// are shown, because one that floats have no place for may be told from its neighbour by nothing else.
#[cold]
pub fn value(
    side: Side<'_>,
    term: Term,
    witness: &Witness,
    claimed: (f64, f64),
    integers: bool,
    budget: &Budget,
) -> Result<String, Exhausted> {
    let exact = if integers { integer(side, term, witness, budget)? } else { None };
    // What formats make of large numbers is not what integers alone come to.
    let exact = exact.filter(|exact| {
        let at = exact.to_f64().unwrap_or(f64::NAN);
        claimed.0 <= at && at <= claimed.1
    });
    Ok(exact.map_or_else(|| enclosure(claimed), |exact| exact.to_string()))
}

/// The integer that a term is at a witness, if it is a known one.
fn integer(
    side: Side<'_>,
    term: Term,
    witness: &Witness,
    budget: &Budget,
) -> Result<Option<BigInt>, Exhausted> {
    let cone = Cone::of(side.terms, &[term], budget)?;
    let known = |element: u32| witness.inputs.iter().find(|(listed, _)| *listed == element);
    let element =
        |element: u32| Quantity::rational(known(element).map_or(&witness.default, |(_, value)| value));
    let quantity = |number: &Number| match number {
        Number::Rational(value) => Quantity::rational(value),
        _ => Quantity::Unknown,
    };
    let constants: Vec<Quantity> =
        side.terms.constants().iter().map(|constant| quantity(&constant.number)).collect();
    let domain = Reals { element: &element, constants: &constants };
    let values = evaluate(&cone, &domain, budget, &mut Vec::new())?;
    Ok(whole(values[0]))
}

/// The integer that a value is, if it is a certain one.
fn whole(value: Quantity) -> Option<BigInt> {
    match value {
        Quantity::Exact(value) => value.is_integer().then(|| (*value.numer()).into()),
        Quantity::Large(low, within) => {
            let least = BigInt::from_f64(within.low().ceil())?;
            let modulus = BigInt::one() << 64;
            let found = &least + (BigInt::from(low) - &least).mod_floor(&modulus);
            let next = &found + modulus;
            let most = BigInt::from_f64(within.high().floor())?;
            (found <= most && next > most).then_some(found)
        }
        _ => None,
    }
}

/// An enclosure in decimal: as many digits as are certain, at most six.
pub fn enclosure((low, high): (f64, f64)) -> String {
    if low.is_nan() {
        return "undefined (NaN)".to_owned();
    }
    // ∞ or -∞, as the sign of a zero has it.
    if low == f64::NEG_INFINITY && high == f64::INFINITY {
        return "±∞".to_owned();
    }
    if low == high {
        return plain(low);
    }
    let middle = low + (high - low) / 2.0;
    for digits in (1..=6).rev() {
        let text = format!("{middle:.digits$e}");
        let rounded: f64 = text.parse().unwrap_or(middle);
        // Half a unit in the last shown digit covers the enclosure.
        // Around zero there is no first digit: the power saturates, and no digits are certain.
        let unit = 10f64.powi((middle.abs().log10().floor() as i32).saturating_sub(digits as i32));
        if (rounded - low).abs() <= unit && (high - rounded).abs() <= unit {
            return format!("≈ {}", plain(rounded));
        }
    }
    format!("between {} and {}", plain(low), plain(high))
}

fn plain(value: f64) -> String {
    let size = value.abs();
    if size.is_infinite() {
        return if value > 0.0 { "∞" } else { "-∞" }.to_owned();
    }
    let (digits, scientific) = (format!("{value}"), format!("{value:e}"));
    if (1e-4..1e9).contains(&size) || digits.len() <= scientific.len() { digits } else { scientific }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_known_beyond_what_floats_hold() {
        let power = |power: u32| BigInt::from(2).pow(power);
        for exact in [power(53) + 1, power(64) - power(32), -power(63) + 5, power(70) + 1] {
            assert_eq!(whole(Quantity::rational(&exact.clone().into())), Some(exact));
        }
        // Neighbours with one remainder lie in one enclosure.
        assert_eq!(whole(Quantity::rational(&BigRational::from_integer(power(130) + 1))), None);
        assert_eq!(whole(Quantity::rational(&BigRational::new(1.into(), 2.into()))), None);
    }

    #[test]
    fn enclosures_show_certain_digits() {
        assert_eq!(enclosure((0.5, 0.5)), "0.5");
        assert_eq!(enclosure((0.333333333, 0.333333334)), "≈ 0.3333333");
        assert_eq!(enclosure((2.0, 3.0)), "between 2 and 3");
        assert_eq!(enclosure((1e-12, 1e-12)), "1e-12");
        assert_eq!(enclosure((f64::NEG_INFINITY, f64::NEG_INFINITY)), "-∞");
        assert_eq!(enclosure((-1.0, 1.0)), "between -1 and 1");
    }
}
