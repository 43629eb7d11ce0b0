//! A witness as a counterexample: the inputs by tensor, both values, and a spec that replays it.

use super::bind::Bound;
use super::model::{InputValue, InputValues};
use crate::decide::Witness;
use crate::sim::Setup;
use crate::spec::{self, Contents, Literal, Scalar, Spec};
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

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
        if own.is_empty() && matches!(role, Some(spec::Role::Out | spec::Role::Scratch)) {
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
        let given = tensor.and_then(|tensor| tensor.contents());
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

/// An enclosure in decimal: as many digits as are certain, at most six.
pub fn enclosure((low, high): (f64, f64)) -> String {
    if low.is_nan() {
        return "undefined (NaN)".to_owned();
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
    fn enclosures_show_certain_digits() {
        assert_eq!(enclosure((0.5, 0.5)), "0.5");
        assert_eq!(enclosure((0.333333333, 0.333333334)), "≈ 0.3333333");
        assert_eq!(enclosure((2.0, 3.0)), "between 2 and 3");
        assert_eq!(enclosure((1e-12, 1e-12)), "1e-12");
        assert_eq!(enclosure((f64::NEG_INFINITY, f64::NEG_INFINITY)), "-∞");
        assert_eq!(enclosure((-1.0, 1.0)), "between -1 and 1");
    }
}
