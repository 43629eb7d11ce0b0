//! Names for parts of a form: `softmax(x)` for `exp(x[i] - max(k: x[k])) / sum(k: exp(x[k] - max(l: x[l])))`.
//!
//! A row says what a function is made with and how it is called; whether a part of the form *is* that function
//! of another part is not looked up in its text but tried: the caller evaluates the whole formula with the name
//! in it. So it does not matter how a kernel writes a function, and tricks for numerical stability need no
//! rules of their own.

use super::forms::{Affine, BOUND, Fold, Form, Head, Letter, factors, product, scaled};
use super::write::{Writer, constant};
use crate::decide::Exact;
use crate::term::{Relation, Unary};
use num_traits::ToPrimitive;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Proposals that are tried before a form is left as it is.
const TRIED: usize = 400;
/// Names that a form gets.
const NAMES: usize = 12;
/// Parts of a fold that may be what a function is applied to.
const ARGUMENTS: usize = 24;

/// What a function cannot do without.
#[derive(Clone, Copy)]
enum Made {
    /// One of these functions.
    With(&'static [Unary]),
    /// A choice, a maximum or a minimum.
    Chosen,
}

/// Functions of each element: name, what is written behind the argument (`#` for a number of the kernel's), and
/// what they are made with.
const ELEMENTWISE: &[(&str, &str, Made)] = &[
    ("silu", "", Made::With(&[Unary::Exp, Unary::Tanh])),
    ("gelu", "", Made::With(&[Unary::Erf])),
    ("gelu", ", approximate='tanh'", Made::With(&[Unary::Exp, Unary::Tanh])),
    ("mish", "", Made::With(&[Unary::Exp, Unary::Tanh])),
    ("softplus", "", Made::With(&[Unary::Log])),
    ("sigmoid", "", Made::With(&[Unary::Exp, Unary::Tanh])),
    ("tanh", "", Made::With(&[Unary::Exp])),
    ("relu", "", Made::Chosen),
    ("relu6", "", Made::Chosen),
    ("leaky_relu", ", negative_slope=#", Made::Chosen),
    ("elu", ", alpha=#", Made::With(&[Unary::Exp])),
    ("elu", "", Made::With(&[Unary::Exp])),
    ("hardswish", "", Made::Chosen),
    ("hardsigmoid", "", Made::Chosen),
    ("softsign", "", Made::With(&[Unary::Abs])),
    ("abs", "", Made::Chosen),
];

/// Functions along an axis: name, whether there is a value for each place, whether there may be weights and
/// an eps, and what they are made with.
const ALONG: &[(&str, bool, bool, &[Unary])] = &[
    ("softmax", true, false, &[Unary::Exp]),
    ("log_softmax", true, false, &[Unary::Exp]),
    ("layer_norm", true, true, &[Unary::Sqrt]),
    ("rms_norm", true, true, &[Unary::Sqrt]),
    ("logsumexp", false, false, &[Unary::Log]),
    ("std", false, false, &[Unary::Sqrt]),
    ("var", false, false, &[]),
];

/// The form with names for what has one. `holds` says whether a form is still the kernel's function.
pub fn named(form: &Rc<Form>, writer: &Writer<'_>, holds: &mut dyn FnMut(&Rc<Form>) -> bool) -> Rc<Form> {
    let mut form = form.clone();
    let mut tried = 0;
    for _ in 0..NAMES {
        let mut proposals = proposals(&form, writer);
        proposals.retain(|(what, by)| by.size() < what.size());
        proposals.sort_by_key(|(what, by)| by.size() as i64 - what.size() as i64);
        let mut found = None;
        for (what, by) in proposals {
            if tried == TRIED {
                return form;
            }
            let next = form.replaced(&what, &by);
            // What forgets an input is nothing that needs to be tried.
            if inputs(&next) != inputs(&form) {
                continue;
            }
            tried += 1;
            if holds(&next) {
                found = Some(next);
                break;
            }
        }
        match found {
            Some(next) => form = next,
            None => break,
        }
    }
    form
}

/// The names of the inputs of a form.
fn inputs(form: &Rc<Form>) -> BTreeSet<Rc<str>> {
    let name = |part: &Rc<Form>| match &part.head {
        Head::Input(name) => Some(name.clone()),
        _ => None,
    };
    form.all().iter().filter_map(name).collect()
}

/// Ranges that end where a letter says, as conditions over a whole axis.
pub fn with_whole_ranges(form: &Rc<Form>, writer: &Writer<'_>) -> Rc<Form> {
    let form = form.rebuilt(Affine::clone, &mut |part| with_whole_ranges(part, writer));
    let (Head::Over(fold, letter), [from, to]) = (&form.head, form.holes.as_slice()) else { return form };
    if to.steps.is_empty() || *from != Affine::number(0) {
        return form;
    }
    let Some(extent) = writer.indexed(&form.parts[0], *letter) else { return form };
    let whole = |hole: Affine| Rc::new(Form { head: Head::Whole, holes: vec![hole], parts: Vec::new() });
    let mut last = to.clone();
    last.base -= 1;
    let condition = Form::new(
        Head::Compare(Relation::LessEqual),
        vec![whole(Affine::number(0).plus(*letter, 1)), whole(last)],
    );
    let otherwise = match fold {
        Fold::Sum => Form::whole(0),
        Fold::Max => Form::new(Head::Infinity(false), Vec::new()),
        Fold::Min => Form::new(Head::Infinity(true), Vec::new()),
    };
    let body = Form::new(Head::Select, vec![condition, form.parts[0].clone(), otherwise]);
    let holes = vec![Affine::number(0), Affine::number(extent as i64)];
    Rc::new(Form { head: form.head.clone(), holes, parts: vec![body] })
}

/// What parts of a form may be, smaller.
fn proposals(form: &Rc<Form>, writer: &Writer<'_>) -> Vec<(Rc<Form>, Rc<Form>)> {
    let mut found = Vec::new();
    for part in form.all() {
        let letters = part.letters();
        // A part of it alone, without what cancels; what bits are read is proved as it is written.
        let most = if matches!(part.head, Head::Bits(_)) { 0 } else { ARGUMENTS };
        let alone = part.all().into_iter().skip(1).filter(|inner| inner.letters() == letters);
        found.extend(alone.take(most).map(|inner| (part.clone(), inner)));
        means(&part, &mut found);
        running_sum(&part, &mut found);
        elementwise(&part, &mut found);
        along(&part, writer, &mut found);
    }
    found
}

/// The functions of a row on an argument, alone or with factors of the form that stand outside.
fn with_factors(what: &Rc<Form>, by: Rc<Form>, found: &mut Vec<(Rc<Form>, Rc<Form>)>) {
    let (constant, above, _) = factors(what);
    let one = Exact::integer(1);
    for (at, factor) in above.iter().enumerate() {
        let rest: Vec<Rc<Form>> = above
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .map(|(_, form)| form.clone())
            .collect();
        if *factor != by {
            found.push((what.clone(), product(one.clone(), vec![by.clone(), factor.clone()], Vec::new())));
        }
        if rest.len() == 2 {
            let all = [by.clone()].into_iter().chain(rest).collect();
            found.push((what.clone(), product(one.clone(), all, Vec::new())));
        }
    }
    if !constant.is_one() {
        found.push((what.clone(), product(constant, vec![by.clone()], Vec::new())));
    }
    found.push((what.clone(), by));
}

fn elementwise(what: &Rc<Form>, found: &mut Vec<(Rc<Form>, Rc<Form>)>) {
    let letters = what.letters();
    let chosen = |form: &Rc<Form>| matches!(form.head, Head::Select | Head::All(Fold::Max | Fold::Min));
    let chooses = what.all().iter().any(chosen);
    let numbers = numbers(what);
    for (name, more, made) in ELEMENTWISE {
        let may = match made {
            Made::With(functions) => what.calls(functions),
            Made::Chosen => chooses,
        };
        if !may {
            continue;
        }
        let arguments = what.all().into_iter().skip(1).filter(|part| {
            part.letters() == letters && part.number().is_none() && !matches!(part.head, Head::Compare(_))
        });
        for argument in arguments.take(ARGUMENTS) {
            match more.split_once('#') {
                Some((before, _)) => {
                    let texts = numbers.iter().filter(|number| !number.is_negative()).filter_map(constant);
                    for number in texts {
                        let head = Head::Named(name, format!("{before}{number}"));
                        with_factors(what, Form::new(head, vec![argument.clone()]), found);
                    }
                }
                None => {
                    let head = Head::Named(name, (*more).to_owned());
                    with_factors(what, Form::new(head, vec![argument]), found);
                }
            }
        }
    }
}

/// A sum divided by its length.
fn means(what: &Rc<Form>, found: &mut Vec<(Rc<Form>, Rc<Form>)>) {
    let (constant, above, below) = factors(what);
    let Some(at) = above.iter().position(|factor| matches!(factor.head, Head::Over(Fold::Sum, _))) else {
        return;
    };
    let (mut inner, mut letters, mut length) = (above[at].clone(), Vec::new(), 1i64);
    while let (Head::Over(Fold::Sum, letter), [from, to]) = (&inner.head, inner.holes.as_slice()) {
        if from.base != 0 || !to.steps.is_empty() {
            return;
        }
        letters.push(*letter);
        length = length.saturating_mul(to.base);
        inner = inner.parts[0].clone();
    }
    let times = Exact::integer(length);
    let Some(rest) = constant.times(&times) else { return };
    let simpler = |number: &Exact| number.as_rational().map(|number| number.denom().bits());
    if length == 1 || simpler(&rest) >= simpler(&constant) {
        return;
    }
    let mean = letters.iter().rev().fold(inner, |inner, letter| {
        Form::new(Head::Along("mean", *letter, false, String::new()), vec![inner])
    });
    let mut above = above;
    above[at] = mean;
    found.push((what.clone(), product(rest, above, below)));
}

/// A sum up to a place along an axis.
fn running_sum(what: &Rc<Form>, found: &mut Vec<(Rc<Form>, Rc<Form>)>) {
    let Head::Over(Fold::Sum, letter) = what.head else { return };
    let body = &what.parts[0];
    if body.head != Head::Select || body.parts[0].head != Head::Compare(Relation::LessEqual) {
        return;
    }
    let [low, high] =
        [0, 1].map(|side: usize| body.parts[0].parts[side].holes.first().and_then(Affine::letter));
    if let (Some(low), Some(high)) = (low, high)
        && low == letter
        && high < BOUND
        && !body.parts[1].letters().contains(&high)
    {
        let summed = body.parts[1].renamed(letter, high);
        found.push((what.clone(), Form::new(Head::Along("cumsum", high, true, String::new()), vec![summed])));
    }
}

/// The numbers in a form.
fn numbers(form: &Rc<Form>) -> Vec<Exact> {
    let mut numbers: Vec<Exact> = form.all().iter().filter_map(|part| part.number()).collect();
    numbers.sort();
    numbers.dedup();
    numbers
}

fn along(what: &Rc<Form>, writer: &Writer<'_>, found: &mut Vec<(Rc<Form>, Rc<Form>)>) {
    let parts = what.all();
    let free = what.letters();
    let folds: Vec<&Rc<Form>> = parts.iter().filter(|part| part.bound().is_some()).collect();
    if folds.is_empty() {
        return;
    }
    let numbers = numbers(what);
    let small: Vec<String> = numbers
        .iter()
        .filter(|number| {
            number.as_rational().and_then(ToPrimitive::to_f64).is_some_and(|n| 0.0 < n && n < 0.1)
        })
        .filter_map(constant)
        .collect();
    let masks: Vec<Rc<Form>> = parts
        .iter()
        .filter(|part| {
            part.head == Head::Select && part.parts[2].number().is_some_and(|number| number.is_zero())
        })
        .map(|part| part.parts[0].clone())
        .collect();
    for fold in folds {
        let Some(letter) = fold.bound() else { continue };
        let extent = match fold.holes.as_slice() {
            [_, to] => to.base.to_u64(),
            _ => writer.indexed(&fold.parts[0], letter),
        };
        let inside = fold.parts[0].all();
        let varies = |part: &&Rc<Form>| {
            part.letters().contains(&letter)
                && !matches!(part.head, Head::Compare(_) | Head::Whole)
                && part.head != Head::Call(Unary::Exp)
        };
        let mut arguments: Vec<Rc<Form>> = inside.iter().filter(varies).take(ARGUMENTS).cloned().collect();
        for argument in arguments.clone() {
            // What a product is in an exponent may be taken out of it.
            for number in numbers.iter().filter(|number| !number.is_one() && !number.is_zero()) {
                arguments.extend(scaled(&argument, number).filter(|_| argument.number().is_none()));
            }
        }
        for argument in arguments.clone() {
            for mask in masks.iter().filter(|mask| mask.letters().contains(&letter)) {
                let never = Form::new(Head::Infinity(false), Vec::new());
                arguments.push(Form::new(Head::Select, vec![mask.clone(), argument.clone(), never]));
            }
        }
        for argument in &arguments {
            if what.calls(&[Unary::Exp]) {
                contraction(what, fold, letter, argument, found);
            }
            for (name, keeps, weights, made) in ALONG {
                if !made.is_empty() && !what.calls(made) {
                    continue;
                }
                if !keeps {
                    let by =
                        Form::new(Head::Along(name, letter, false, String::new()), vec![argument.clone()]);
                    with_factors(what, by, found);
                    continue;
                }
                for place in free.iter().copied().filter(|place| *place < BOUND) {
                    if extent != Some(writer.extents[place as usize]) || argument.letters().contains(&place) {
                        continue;
                    }
                    let argument = argument.renamed(letter, place);
                    let whole = |parts: Vec<Rc<Form>>, more: String| {
                        Form::new(Head::Along(name, place, true, more), parts)
                    };
                    if !weights {
                        with_factors(what, whole(vec![argument], String::new()), found);
                        continue;
                    }
                    let vectors: Vec<&Rc<Form>> = parts
                        .iter()
                        .filter(|part| matches!(part.head, Head::Input(_)) && part.letters() == [place])
                        .filter(|part| !argument.all().contains(part))
                        .collect();
                    let mut lists = vec![vec![argument.clone()]];
                    for weight in &vectors {
                        lists.push(vec![argument.clone(), (*weight).clone()]);
                        for bias in vectors.iter().filter(|bias| *bias != weight && *name == "layer_norm") {
                            lists.push(vec![argument.clone(), (*weight).clone(), (*bias).clone()]);
                        }
                    }
                    for list in lists {
                        for eps in &small {
                            with_factors(what, whole(list.clone(), format!(", eps={eps}")), found);
                        }
                        let none = if *name == "rms_norm" { String::new() } else { ", eps=0".to_owned() };
                        with_factors(what, whole(list, none), found);
                    }
                }
            }
        }
    }
}

/// What is weighted by a softmax.
fn contraction(
    what: &Rc<Form>,
    fold: &Rc<Form>,
    letter: Letter,
    argument: &Rc<Form>,
    found: &mut Vec<(Rc<Form>, Rc<Form>)>,
) {
    if !matches!(fold.head, Head::Over(Fold::Sum, _)) {
        return;
    }
    let weights = Form::new(Head::Along("softmax", letter, true, String::new()), vec![argument.clone()]);
    for values in fold.parts[0].all() {
        let plain = matches!(values.head, Head::Input(_)) && values.letters().contains(&letter);
        if plain && !argument.all().contains(&values) {
            let body = product(Exact::integer(1), vec![weights.clone(), values], Vec::new());
            let (head, holes) = (fold.head.clone(), fold.holes.clone());
            with_factors(what, Rc::new(Form { head, holes, parts: vec![body] }), found);
        }
    }
}
