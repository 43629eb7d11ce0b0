//! Shapes as text: what the micro-kernels compute, one step a line.
//!
//! `shapes.txt` has a block for each kernel that [`IDIOMS`](super::IDIOMS) names: `[kernel]`, then
//! one line for each step of what the kernel stores, operands first. An operand is `x0`, `x1` (the
//! kernel's inputs in the order of its parameters), `%3` (the step on the fourth line) or a number.
//! `UPDATE_EXPECT=1 cargo test -p warpproof-tests --test idioms` runs the kernels and writes it.
//!
//! Guarantees: what [`print`] writes, [`read`] rebuilds, with the constructors that built it.

use crate::base::{Budget, Exhausted, Format};
use crate::term::eval::{Cone, operands};
use crate::term::{BitOp, Node, Number, Relation, Rounding, Term, Terms, Unary};
use num_rational::BigRational;
use rustc_hash::FxHashMap;

const RELATIONS: [Relation; 3] = [Relation::Less, Relation::LessEqual, Relation::Equal];
const ROUNDINGS: [Rounding; 4] = [Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up];
const NUMBERS: [(&str, Number); 5] = [
    ("+inf", Number::Infinity),
    ("-inf", Number::MinusInfinity),
    ("nan", Number::NotANumber),
    ("true", Number::True),
    ("false", Number::False),
];

/// The steps of a term as text.
pub fn print(terms: &Terms, root: Term, budget: &Budget) -> Result<String, Exhausted> {
    let cone = Cone::of(terms, &[root], budget)?;
    let name = |term: Term| match (term.as_node(), term.as_constant(), term.as_element()) {
        (Some(step), _, _) => format!("%{step}"),
        (_, Some(constant), _) => number(&terms.constant_at(constant).number),
        (_, _, element) => format!("x{}", element.unwrap_or_default()),
    };
    let mut text = String::new();
    for step in cone.steps() {
        text += &operation(terms, step);
        for operand in operands(step).into_iter().flatten() {
            text.push(' ');
            text += &name(operand);
        }
        text.push('\n');
    }
    Ok(text)
}

fn number(number: &Number) -> String {
    match number {
        Number::Rational(value) => value.to_string(),
        Number::Named(named) => named.name().replace(' ', ""),
        other => NUMBERS.iter().find(|(_, known)| known == other).map_or("nan", |(name, _)| name).to_owned(),
    }
}

fn operation(terms: &Terms, node: &Node) -> String {
    match *node {
        Node::Element(_) | Node::Constant(_) => unreachable!("these are no steps"),
        Node::Add(..) => "add".to_owned(),
        Node::Sub(..) => "sub".to_owned(),
        Node::Mul(..) => "mul".to_owned(),
        Node::Fma(..) => "fma".to_owned(),
        Node::Div(..) => "div".to_owned(),
        Node::Max(..) => "max".to_owned(),
        Node::Min(..) => "min".to_owned(),
        Node::Select(..) => "select".to_owned(),
        Node::And(..) => "and".to_owned(),
        Node::Or(..) => "or".to_owned(),
        Node::Not(_) => "not".to_owned(),
        Node::Unary(function, _) => format!("real.{function:?}"),
        Node::Compare(relation, ..) => format!("compare.{relation:?}"),
        Node::Round(mode, format, _) => format!("round.{mode:?}.{format:?}"),
        Node::BitsOf(format, _) => format!("bits_of.{format:?}"),
        Node::FromBits(format, _) => format!("from_bits.{format:?}"),
        Node::Bits(op, width, ..) => format!("bits.{op:?}.{width}"),
        Node::BitConstant(bits) => format!("pattern.{bits}"),
        Node::Apply(function, ..) => format!("apply.{}", terms.function_name(function)),
    }
}

/// Builds the steps of a text over some inputs; the last is the result. `None` if it is no text of
/// [`print`]'s. `numbers` keeps those that were read before.
pub(super) fn read<'t>(
    terms: &mut Terms,
    text: &'t str,
    inputs: &[Term],
    numbers: &mut FxHashMap<&'t str, Term>,
) -> Option<Term> {
    let mut steps: Vec<Term> = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        let operation = words.next()?;
        let mut operands = [Term::ZERO; 3];
        for (place, word) in operands.iter_mut().zip(words) {
            *place = operand(terms, word, inputs, &steps, numbers)?;
        }
        let step = step(terms, operation, operands)?;
        steps.push(step);
    }
    steps.pop()
}

fn operand<'t>(
    terms: &mut Terms,
    word: &'t str,
    inputs: &[Term],
    steps: &[Term],
    numbers: &mut FxHashMap<&'t str, Term>,
) -> Option<Term> {
    if let Some(input) = word.strip_prefix('x') {
        return inputs.get(input.parse::<usize>().ok()?).copied();
    }
    if let Some(step) = word.strip_prefix('%') {
        return steps.get(step.parse::<usize>().ok()?).copied();
    }
    if let Some(known) = numbers.get(word) {
        return Some(*known);
    }
    let term = match NUMBERS.iter().find(|(name, _)| *name == word) {
        Some((_, number)) => terms.constant(crate::term::Constant::new(number.clone(), None)),
        None => terms.rational(word.parse::<BigRational>().ok()?),
    };
    numbers.insert(word, term);
    Some(term)
}

fn step(terms: &mut Terms, operation: &str, [a, b, c]: [Term; 3]) -> Option<Term> {
    let mut words = operation.split('.');
    let (kind, first, second) = (words.next()?, words.next(), words.next());
    let format = |name: Option<&str>| by_name(&Format::ALL, name);
    let node = match kind {
        "add" => Node::Add(a, b),
        "sub" => Node::Sub(a, b),
        "mul" => Node::Mul(a, b),
        "fma" => Node::Fma(a, b, c),
        "div" => Node::Div(a, b),
        "max" => Node::Max(a, b),
        "min" => Node::Min(a, b),
        "select" => Node::Select(a, b, c),
        "and" => Node::And(a, b),
        "or" => Node::Or(a, b),
        "not" => Node::Not(a),
        "real" => Node::Unary(by_name(&Unary::ALL, first)?, a),
        "compare" => Node::Compare(by_name(&RELATIONS, first)?, a, b),
        "round" => Node::Round(by_name(&ROUNDINGS, first)?, format(second)?, a),
        "bits_of" => Node::BitsOf(format(first)?, a),
        "from_bits" => Node::FromBits(format(first)?, a),
        "bits" => Node::Bits(by_name(&BitOp::ALL, first)?, second?.parse().ok()?, a, b, c),
        "pattern" => Node::BitConstant(first?.parse().ok()?),
        "apply" => return Some(terms.apply(first?, a, b)),
        _ => return None,
    };
    Some(terms.made(&node))
}

fn by_name<T: Copy + std::fmt::Debug>(all: &[T], name: Option<&str>) -> Option<T> {
    all.iter().find(|one| Some(format!("{one:?}").as_str()) == name).copied()
}
