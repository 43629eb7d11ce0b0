//! Which names of a spec are which parameters, where neither says so.
//!
//! A name and a parameter can be one by what they are: a tensor is a pointer, to elements of its type where both show
//! one, that are written if it is an output and not written if it is an input; a number with a fraction, or any float,
//! is no integer.
//! [`pair`] has an answer only where these leave a single way; scalars of one value are the same in any way.
//!
//! Guarantees: no order in a file decides.

use super::arguments::{field_name, made_up_name};
use crate::base::Format;
use crate::ir::{Parameter, Reading};
use crate::spec::{Literal, Role, Scalar, Tensor};

/// Steps that the search may take; where they do not suffice, there is no answer.
const STEPS: u32 = 10_000;

/// A parameter, or a field of one.
pub(super) struct Place {
    /// Its made-up name.
    pub name: String,
    /// The PTX or the kernel's signature shows that it is a pointer.
    pub pointer: bool,
    /// Whether it is written through, as far as the signature (not to `const`) or the PTX shows.
    written: Option<bool>,
    pointee: Option<Format>,
    /// As what the kernel takes its number; `None` where it may be either.
    number: Option<Reading>,
    size: u32,
}

/// Whether a pointer is written through, as far as the signature (not to `const`) or the PTX shows.
pub(super) fn written(p: &Parameter) -> Option<bool> {
    match &p.declared {
        Some(declared) if declared.constant => Some(false),
        _ => p.written,
    }
}

/// Parameters in order, each struct as what is read of it.
pub(super) fn places(parameters: &[Parameter]) -> Vec<Place> {
    let mut places = Vec::new();
    for (at, p) in parameters.iter().enumerate() {
        if p.aggregate {
            places.extend(p.fields.iter().map(|field| Place {
                name: field_name(at, p, field),
                pointer: field.pointer,
                written: field.written,
                pointee: field.pointee,
                number: field.number(),
                size: field.size,
            }));
            continue;
        }
        places.push(Place {
            name: made_up_name(at, p),
            pointer: p.pointer,
            written: written(p),
            pointee: p.pointee,
            number: p.number(),
            size: p.size,
        });
    }
    places
}

/// One name for each place, in the order of places, if there is only one way; else the names in file order. There are
/// as many tensors as pointers, and as many scalars as others.
pub(super) fn pair(
    open: &[&Place],
    tensors: &[&Tensor],
    scalars: &[&Scalar],
    outputs: &[&str],
) -> Result<Vec<String>, Vec<String>> {
    let pointers: Vec<&Place> = open.iter().copied().filter(|place| place.pointer).collect();
    let numbers: Vec<&Place> = open.iter().copied().filter(|place| !place.pointer).collect();
    let (pointers, numbers) = (
        only(pointers.len(), &|place, name| points(pointers[place], tensors[name], outputs), &|_, _| false),
        only(numbers.len(), &|place, name| holds(numbers[place], scalars[name]), &|one, other| {
            alike(scalars[one], scalars[other])
        }),
    );
    let single = pointers.is_some() && numbers.is_some();
    let in_order = |count: usize| (0..count).collect::<Vec<_>>();
    let mut tensors =
        pointers.unwrap_or_else(|| in_order(tensors.len())).into_iter().map(|at| &tensors[at].name);
    let mut scalars =
        numbers.unwrap_or_else(|| in_order(scalars.len())).into_iter().map(|at| &scalars[at].name);
    let each = |place: &&Place| if place.pointer { tensors.next() } else { scalars.next() };
    let names = open.iter().filter_map(each).cloned().collect();
    if single { Ok(names) } else { Err(names) }
}

/// Whether a tensor can be what a pointer points at.
fn points(place: &Place, tensor: &Tensor, outputs: &[&str]) -> bool {
    let output = matches!(tensor.role, Some(Role::Out | Role::InOut | Role::Scratch))
        || outputs.contains(&tensor.name.as_str());
    match (place.written, tensor.role) {
        (Some(false), _) if output => return false,
        (Some(true), Some(Role::In)) => return false,
        _ => {}
    }
    // Bits may be of anything; two floats, or a float and an integer, are one only if they are as wide.
    match (place.pointee, tensor.format) {
        (Some(shown), Some(declared)) if shown.is_float() && declared.is_float() => shown == declared,
        (Some(shown), Some(declared)) if shown.is_float() != declared.is_float() && shown.is_float() => false,
        _ => true,
    }
}

/// Whether a scalar can be a parameter.
fn holds(place: &Place, scalar: &Scalar) -> bool {
    let (float, integer) = match place.number {
        Some(Reading::Float(_)) => (true, false),
        Some(Reading::Integer) => (false, true),
        None => (true, true),
    };
    match scalar.value {
        Ok(Literal::Float(_)) => float,
        Ok(_) => true,
        Err(format) if format.is_float() => float,
        Err(format) => integer && format.bytes() <= place.size,
    }
}

/// Whether two scalars are the same number, whatever they are called.
fn alike(one: &Scalar, other: &Scalar) -> bool {
    let fixed = |scalar: &Scalar| !scalar.swept && scalar.written.is_none() && scalar.code.is_none();
    matches!((&one.value, &other.value), (Ok(value), Ok(same)) if value == same) && fixed(one) && fixed(other)
}

/// The only way to give each of `count` places one of as many names, if there is one.
fn only(
    count: usize,
    fits: &dyn Fn(usize, usize) -> bool,
    alike: &dyn Fn(usize, usize) -> bool,
) -> Option<Vec<usize>> {
    let mut search = Search {
        count,
        fits,
        alike,
        taken: vec![false; count],
        way: Vec::new(),
        found: Vec::new(),
        steps: STEPS,
    };
    search.go();
    match (search.steps, &mut search.found[..]) {
        (1.., [one]) => Some(std::mem::take(one)),
        _ => None,
    }
}

struct Search<'a> {
    count: usize,
    fits: &'a dyn Fn(usize, usize) -> bool,
    alike: &'a dyn Fn(usize, usize) -> bool,
    taken: Vec<bool>,
    way: Vec<usize>,
    found: Vec<Vec<usize>>,
    steps: u32,
}

impl Search<'_> {
    fn go(&mut self) {
        let place = self.way.len();
        if place == self.count {
            self.found.push(self.way.clone());
            return;
        }
        for name in 0..self.count {
            self.steps = self.steps.saturating_sub(1);
            if self.steps == 0 || self.found.len() > 1 {
                return;
            }
            let earlier = (0..name).any(|other| !self.taken[other] && (self.alike)(other, name));
            if self.taken[name] || earlier || !(self.fits)(place, name) {
                continue;
            }
            self.taken[name] = true;
            self.way.push(name);
            self.go();
            self.way.pop();
            self.taken[name] = false;
        }
    }
}
