//! The meaning of a formula, given its inputs: names become arrays, expressions become nodes.
//!
//! A letter (`i` in `sum(i: x[i])`, or in `y[i] = …`) is an axis of its own in front of all others while its body
//! is read ([`Array`]); how far it runs says its range, or else what it indexes. Meanings in the table of functions
//! are read like any text, with their parameters as names; what is wrong inside them is told where they were called.

use super::Problem;
use super::arrays::{Array, Made, shown};
use super::functions::{FUNCTIONS, Function as Row, Meaning, function};
use super::graph::{Fold, Function, Graph, Id, Kind, Number, Op};
use super::parse::parse;
use super::tree::{self, Expression, Item, Letter, Name, Operator, Program, Sign, Statement};
use super::words::{dtype, dtype_name, infinity, instead, own_name, own_parameter};
use crate::base::{Format, FormatClass, Span};
use crate::term::{BitOp, Named};
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

/// How deep functions call one another.
const CALLS: usize = 12;
/// Nodes of a formula.
const NODES: usize = 100_000;

/// An input of a formula: a tensor or a scalar.
#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its extents; `None` while nobody knows them.
    pub shape: Option<Vec<u64>>,
    /// What its elements are.
    pub kind: Kind,
    /// The number that it is.
    pub number: Option<Number>,
}

/// What a name can stand for.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// An array, or a number.
    Array(Array),
    /// `None`
    None,
    /// `'tanh'`
    Text(String),
    /// `[a, b]`
    List(Vec<Value>),
}

/// A name that the formula assigns.
#[derive(Clone, PartialEq, Debug)]
pub struct Assigned {
    /// The name.
    pub name: String,
    /// Its value.
    pub id: Id,
    /// The statement, from 0.
    pub statement: usize,
    /// Where its name stands.
    pub span: Span,
}

/// A formula with its meaning.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Elaborated {
    /// The nodes.
    pub graph: Graph,
    /// What is assigned, each name once, with its last value.
    pub assigned: Vec<Assigned>,
    /// The inputs that it reads.
    pub reads: Vec<usize>,
}

/// Gives a program its meaning.
pub fn elaborate(program: &Program, inputs: &[Input]) -> Result<Elaborated, Vec<Problem>> {
    let mut elaborator = Elaborator {
        inputs,
        graph: Graph::default(),
        letters: Vec::new(),
        names: Vec::new(),
        hidden: (0, 0),
        calls: Vec::new(),
        views: Vec::new(),
        reads: Vec::new(),
    };
    let mut problems = Vec::new();
    let mut assigned: Vec<Assigned> = Vec::new();
    let mut broken: Vec<&str> = Vec::new();
    for (at, statement) in program.statements.iter().enumerate() {
        let name = statement.target.text.as_str();
        match elaborator.statement(statement) {
            Ok(array) => {
                elaborator.names.retain(|(known, _)| known != name);
                elaborator.names.push((name.to_owned(), Value::Array(array)));
                assigned.retain(|known| known.name != name);
                let (name, span) = (name.to_owned(), statement.target.span);
                assigned.push(Assigned { name, id: array.id, statement: at, span });
            }
            Err(problem) => {
                // What follows from a name that has no value is not told again.
                let follows = broken.iter().any(|name| problem.message.contains(&format!("`{name}`")));
                if !follows {
                    problems.push(problem);
                }
                broken.push(name);
            }
        }
    }
    match problems.is_empty() && broken.is_empty() {
        true => {
            elaborator.reads.sort_unstable();
            elaborator.reads.dedup();
            Ok(Elaborated { graph: elaborator.graph, assigned, reads: elaborator.reads })
        }
        false => Err(problems),
    }
}

/// A letter in force.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Bound {
    name: String,
    value: Array,
}

/// What is known while expressions are read.
pub(super) struct Elaborator<'a> {
    inputs: &'a [Input],
    pub(super) graph: Graph,
    pub(super) letters: Vec<Bound>,
    names: Vec<(String, Value)>,
    /// Names and letters before these belong to who called.
    hidden: (usize, usize),
    /// Where the functions were called whose meaning is read.
    calls: Vec<Span>,
    /// As whom or when inputs are read: of an input `old(y)`, `old`.
    views: Vec<String>,
    reads: Vec<usize>,
}

impl Elaborator<'_> {
    /// Where a problem is told: inside the meaning of a function, where that was called.
    pub(super) fn place(&self, span: Span) -> Span {
        self.calls.first().copied().unwrap_or(span)
    }

    #[cold]
    pub(super) fn wrong<T>(&self, span: Span, message: impl Into<String>) -> Made<T> {
        Err(Problem::new(self.place(span), message))
    }

    fn statement(&mut self, statement: &Statement) -> Made<Array> {
        let Statement { target, letters, value, .. } = statement;
        let known = ["pi", "e", "inf", "True", "False", "None"];
        if known.contains(&target.text.as_str()) {
            return self.wrong(target.span, format!("`{}` is a constant", target.text));
        }
        let Some(letters) = letters else { return self.array(value) };
        let declared = self.inputs.iter().find(|input| input.name == target.text);
        let declared = declared.and_then(|input| input.shape.clone());
        if let Some(shape) = declared.as_ref().filter(|shape| shape.len() != letters.len()) {
            let message = format!(
                "`{}` has the shape {}, and {} on the left",
                target.text,
                shown(shape),
                counted(letters.len(), "index", "indices")
            );
            return self.wrong(target.span, message);
        }
        let mut extents = Vec::new();
        for (axis, letter) in letters.iter().enumerate() {
            let found = match &declared {
                Some(shape) => Some(shape[axis]),
                None => self.indexed(&letter.text, value)?,
            };
            match found {
                Some(extent) => extents.push((letter.clone(), 0, extent)),
                None => {
                    let message = format!(
                        "how far `{}` runs is not known: give `{}` a shape in the spec, or index something by `{}` alone",
                        letter.text, target.text, letter.text
                    );
                    return self.wrong(letter.span, message);
                }
            }
        }
        let body = self.with_letters(&extents, |this| this.array(value))?;
        if !self.graph.shape(body.id)[letters.len()..].is_empty() {
            let message = format!(
                "the value of each element has to be a single number, and has the shape {}",
                shown(&self.graph.shape(body.id)[letters.len()..])
            );
            return self.wrong(value.span, message);
        }
        let shape: Vec<u64> = extents.iter().map(|(.., extent)| *extent).collect();
        let whole = Array { id: body.id, frame: 0 };
        let extents = Array { id: self.push(Op::Number(zero()), shape, Kind::Whole, value.span)?, frame: 0 };
        let (spread, _) = self.broadcast(&[whole, extents], value.span)?;
        Ok(spread[0])
    }

    /// Reads something with letters in force, each from a number to another.
    fn with_letters<T>(
        &mut self,
        letters: &[(Name, i64, u64)],
        read: impl FnOnce(&mut Self) -> Made<T>,
    ) -> Made<T> {
        let before = self.letters.len();
        let after = before + letters.len();
        let mut bound = Vec::new();
        for (at, (name, from, extent)) in letters.iter().enumerate() {
            if letters[..at].iter().any(|(other, ..)| other.text == name.text) {
                return self.wrong(name.span, format!("the letter `{}` stands here twice", name.text));
            }
            let line = self.push(Op::Arange(*from, 1), vec![*extent], Kind::Word(Format::S64), name.span)?;
            let mut shape = vec![1; after];
            shape[before + at] = *extent;
            let id = self.reshaped(line, shape, name.span)?;
            bound.push(Bound { name: name.text.clone(), value: Array { id, frame: after } });
        }
        self.letters.extend(bound);
        let result = read(self);
        self.letters.truncate(before);
        result
    }

    /// How far a letter may run that indexes something in an expression.
    fn indexed(&mut self, letter: &str, expression: &Expression) -> Made<Option<u64>> {
        let mut found: Option<(u64, String)> = None;
        let mut open = vec![expression];
        while let Some(expression) = open.pop() {
            open.extend(expression.parts());
            let tree::Kind::Index(base, items) = &expression.kind else { continue };
            let tree::Kind::Name(name) = &base.kind else { continue };
            let Some(shape) = self.shape_of_name(name) else { continue };
            let taken = items.iter().filter(|item| **item != Item::New && **item != Item::Rest).count();
            let mut axis = 0;
            for item in items {
                match item {
                    Item::New => continue,
                    Item::Rest => {
                        axis += shape.len().saturating_sub(taken);
                        continue;
                    }
                    Item::At(Expression { kind: tree::Kind::Name(found_here), .. })
                        if found_here == letter =>
                    {
                        let Some(extent) = shape.get(axis).copied() else { continue };
                        match &found {
                            Some((other, place)) if *other != extent => {
                                let message = format!(
                                    "`{letter}` runs over {other} elements of `{place}` and over {extent} of `{name}`"
                                );
                                return Err(Problem::new(self.place(expression.span), message).note(
                                    format!("give it a range: `{letter} in 0..{}`", extent.min(*other)),
                                ));
                            }
                            _ => found = Some((extent, name.clone())),
                        }
                    }
                    _ => {}
                }
                axis += 1;
            }
        }
        Ok(found.map(|(extent, _)| extent))
    }

    fn shape_of_name(&self, name: &str) -> Option<Vec<u64>> {
        let known = self.names[self.hidden.0..].iter().rev().find(|(known, _)| known == name);
        match known {
            Some((_, Value::Array(array))) => Some(self.own(*array)),
            Some(_) => None,
            None => self.inputs.iter().find(|input| input.name == name)?.shape.clone(),
        }
    }

    /// An expression that is an array or a number.
    pub(super) fn array(&mut self, expression: &Expression) -> Made<Array> {
        let value = self.value(expression)?;
        self.as_array(value, expression.span)
    }

    pub(super) fn as_array(&mut self, value: Value, span: Span) -> Made<Array> {
        match value {
            Value::Array(array) => self.lifted(array, span),
            Value::List(_) => {
                self.wrong(span, "a list has no place here; `stack([a, b])` makes an array of arrays")
            }
            Value::None => self.wrong(span, "`None` has no place here"),
            Value::Text(text) => self.wrong(span, format!("the text '{text}' has no place here")),
        }
    }

    /// An expression.
    pub(super) fn value(&mut self, expression: &Expression) -> Made<Value> {
        let span = expression.span;
        if self.graph.len() > NODES {
            return self.wrong(span, "this formula is too large");
        }
        let array = match &expression.kind {
            tree::Kind::Number(value, whole) => {
                let kind = if *whole { Kind::Whole } else { Kind::Real };
                self.constant_of(Number::Rational(value.clone()), kind, span)?
            }
            tree::Kind::Name(name) => return self.name(name, span),
            tree::Kind::Text(text) => return Ok(Value::Text(text.clone())),
            tree::Kind::List(items) => {
                return items.iter().map(|item| self.value(item)).collect::<Made<_>>().map(Value::List);
            }
            tree::Kind::Unary(sign, inner) => {
                let inner = self.array(inner)?;
                self.signed(*sign, inner, span)?
            }
            tree::Kind::Binary(operator, left, right) => {
                if matches!(operator, Operator::Equal | Operator::NotEqual) {
                    let (a, b) = (self.value(left)?, self.value(right)?);
                    if let (Value::Text(a), Value::Text(b)) = (&a, &b) {
                        let holds = (a == b) == (*operator == Operator::Equal);
                        return self.condition(holds, span).map(Value::Array);
                    }
                    let (a, b) = (self.as_array(a, left.span)?, self.as_array(b, right.span)?);
                    return self.operation(*operator, a, b, span).map(Value::Array);
                }
                let (a, b) = (self.array(left)?, self.array(right)?);
                self.operation(*operator, a, b, span)?
            }
            tree::Kind::IsNone(inner) => {
                let holds = self.value(inner)? == Value::None;
                self.condition(holds, span)?
            }
            tree::Kind::If(condition, then, otherwise) => {
                let condition = self.array(condition)?;
                let condition = self.truth(condition, span)?;
                match self.graph.number(condition.id) {
                    Some(Number::True) => return self.value(then),
                    Some(Number::False) => return self.value(otherwise),
                    _ => {}
                }
                let (then, otherwise) = (self.array(then)?, self.array(otherwise)?);
                self.choice(condition, then, otherwise, span)?
            }
            tree::Kind::Call(view, arguments) if arguments.len() == 1 && self.is_view(&view.text) => {
                self.views.push(view.text.clone());
                let seen = self.value(&arguments[0].value);
                self.views.pop();
                return seen;
            }
            tree::Kind::Call(function, arguments) => {
                let mut given = Vec::new();
                for argument in arguments {
                    given.push((argument.name.clone(), self.value(&argument.value)?, argument.value.span));
                }
                return self.call(function, given, span);
            }
            tree::Kind::Over(function, letters, body) => self.over(function, letters, body, span)?,
            tree::Kind::Index(base, items) => {
                let base = self.value(base)?;
                return self.index(base, items, span);
            }
            tree::Kind::Attribute(base, name) => {
                return match self.of_module(base, name) {
                    Some(constant) => constant,
                    None => self.attribute(base, name),
                };
            }
            tree::Kind::Method(base, name, arguments) => return self.method(base, name, arguments, span),
        };
        Ok(Value::Array(array))
    }

    pub(super) fn condition(&mut self, holds: bool, span: Span) -> Made<Array> {
        self.constant(if holds { Number::True } else { Number::False }, span)
    }

    /// Whether a name means something here.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.letters[self.hidden.1..].iter().any(|letter| letter.name == name)
            || self.names[self.hidden.0..].iter().any(|(known, _)| known == name)
            || self.calls.is_empty() && self.inputs.iter().any(|input| input.name == name)
    }

    pub(super) fn name(&mut self, name: &str, span: Span) -> Made<Value> {
        if let Some(letter) = self.letters[self.hidden.1..].iter().rev().find(|letter| letter.name == name) {
            let value = letter.value;
            return self.lifted(value, span).map(Value::Array);
        }
        if let Some((_, value)) = self.names[self.hidden.0..].iter().rev().find(|(known, _)| known == name) {
            return Ok(value.clone());
        }
        if self.calls.is_empty()
            && let Some(at) = self.input_named(name)
        {
            return self.input(at, span).map(Value::Array);
        }
        let number = match name {
            "pi" => Number::Named(Named::Pi),
            "inf" => Number::Infinity,
            "True" => Number::True,
            "False" => Number::False,
            "None" => return Ok(Value::None),
            "e" => {
                let one = self.whole(1, span)?;
                return self.map(Function::Exp, &[one], Kind::Real, span).map(Value::Array);
            }
            // Types are named like this.
            _ if name == "bool" || dtype(name).is_some() => return Ok(Value::Text(name.to_owned())),
            _ => return Err(self.unknown(name, span)),
        };
        self.constant(number, span).map(Value::Array)
    }

    /// The input that a name means, as it is seen here.
    fn input_named(&self, name: &str) -> Option<usize> {
        let find = |name: &str| self.inputs.iter().position(|input| input.name == name);
        let viewed = |view: &String| find(&format!("{view}({name})"));
        self.views.iter().rev().find_map(viewed).or_else(|| find(name))
    }

    /// Whether inputs can be seen in this way.
    fn is_view(&self, name: &str) -> bool {
        let seen = |input: &Input| input.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('('));
        self.calls.is_empty() && self.inputs.iter().any(seen)
    }

    fn input(&mut self, at: usize, span: Span) -> Made<Array> {
        let Input { name, shape, kind, number } = &self.inputs[at];
        let Some(shape) = shape.clone() else {
            return Err(Problem::new(span, format!("the shape of `{name}` is not known"))
                .note(format!("write `shape = [64, 64]`, with its extents, under [tensors.{name}]")));
        };
        self.reads.push(at);
        if let Some(number) = number.clone() {
            return self.constant_of(number, self.inputs[at].kind, span);
        }
        let kind = *kind;
        let id = self.push(Op::Input(at), shape, kind, span)?;
        self.lifted(Array { id, frame: 0 }, span)
    }

    #[cold]
    fn unknown(&self, name: &str, span: Span) -> Problem {
        let problem = Problem::new(
            self.place(span),
            format!("`{name}` is neither a tensor, a scalar, nor assigned before"),
        );
        let names = self.inputs.iter().map(|input| input.name.as_str());
        let names = names.chain(self.names.iter().map(|(name, _)| name.as_str()));
        let all: Vec<&str> = names.collect();
        if function(name).is_some() {
            return problem.note(format!("`{name}` is a function: call it"));
        }
        match crate::base::nearest(name, all.iter().copied()) {
            Some(near) => problem.note(format!("did you mean `{near}`?")),
            None if all.is_empty() => problem,
            None => {
                let list = all.iter().take(12).map(|name| format!("`{name}`")).collect::<Vec<_>>();
                problem.note(format!("there are {}", list.join(", ")))
            }
        }
    }

    fn signed(&mut self, sign: Sign, inner: Array, span: Span) -> Made<Array> {
        match sign {
            Sign::Plus => self.numeric(inner, span),
            Sign::Minus => self.arithmetic(Function::Negate, &[inner], span),
            Sign::Not => {
                let inner = self.truth(inner, span)?;
                self.map(Function::Not, &[inner], Kind::Truth, span)
            }
            Sign::Invert => match self.kind(inner) {
                Kind::Truth => self.map(Function::Not, &[inner], Kind::Truth, span),
                Kind::Word(format) => {
                    let bits = Function::Bits(BitOp::Not, format);
                    self.map(bits, &[inner], Kind::Word(format), span)
                }
                Kind::Whole => {
                    let (one, minus) =
                        (self.whole(1, span)?, self.arithmetic(Function::Negate, &[inner], span)?);
                    self.arithmetic(Function::Subtract, &[minus, one], span)
                }
                Kind::Real => self.wrong(span, "`~` is for conditions and integers"),
            },
        }
    }

    pub(super) fn operation(&mut self, operator: Operator, a: Array, b: Array, span: Span) -> Made<Array> {
        let function = match operator {
            Operator::Add => return self.arithmetic(Function::Add, &[a, b], span),
            Operator::Subtract => return self.arithmetic(Function::Subtract, &[a, b], span),
            Operator::Multiply => return self.arithmetic(Function::Multiply, &[a, b], span),
            Operator::Matrix => return self.matrix(a, b, span),
            Operator::Power => return self.power(a, b, span),
            Operator::Divide => return self.quotient(a, b, span),
            Operator::FloorDivide => return self.floor_quotient(a, b, span),
            Operator::Remainder => {
                let quotient = self.floor_quotient(a, b, span)?;
                let product = self.arithmetic(Function::Multiply, &[quotient, b], span)?;
                return self.arithmetic(Function::Subtract, &[a, product], span);
            }
            Operator::And | Operator::Or => {
                let (a, b) = (self.truth(a, span)?, self.truth(b, span)?);
                let function = if operator == Operator::And { Function::And } else { Function::Or };
                return self.map(function, &[a, b], Kind::Truth, span);
            }
            Operator::BitAnd
            | Operator::BitOr
            | Operator::BitXor
            | Operator::ShiftLeft
            | Operator::ShiftRight => {
                return self.bits(operator, a, b, span);
            }
            Operator::Less | Operator::Greater => Function::Less,
            Operator::LessEqual | Operator::GreaterEqual => Function::LessEqual,
            Operator::Equal | Operator::NotEqual => Function::Equal,
        };
        let (a, b) = (self.numeric(a, span)?, self.numeric(b, span)?);
        let order = match operator {
            Operator::Greater | Operator::GreaterEqual => [b, a],
            _ => [a, b],
        };
        let holds = self.map(function, &order, Kind::Truth, span)?;
        match operator {
            Operator::NotEqual => self.map(Function::Not, &[holds], Kind::Truth, span),
            _ => Ok(holds),
        }
    }

    pub(super) fn quotient(&mut self, a: Array, b: Array, span: Span) -> Made<Array> {
        let (a, b) = (self.numeric(a, span)?, self.numeric(b, span)?);
        if self.graph.rational(b.id).is_some_and(Zero::is_zero) {
            return self.wrong(span, "this divides by 0");
        }
        self.map(Function::Divide, &[a, b], Kind::Real, span)
    }

    fn floor_quotient(&mut self, a: Array, b: Array, span: Span) -> Made<Array> {
        let kind = match self.together(&[a, b]) {
            Kind::Truth => Kind::Word(Format::S8),
            kind => kind,
        };
        let quotient = self.quotient(a, b, span)?;
        // Where there are no signs it is the machine's division.
        let round = match kind {
            Kind::Word(format) if format.class() != FormatClass::Signed => Function::Trunc,
            _ => Function::Floor,
        };
        let floor = self.map(round, &[quotient], kind, span)?;
        self.wrapped(floor, span)
    }

    fn bits(&mut self, operator: Operator, a: Array, b: Array, span: Span) -> Made<Array> {
        if (self.kind(a), self.kind(b)) == (Kind::Truth, Kind::Truth) {
            let function = match operator {
                Operator::BitAnd => Function::And,
                Operator::BitOr => Function::Or,
                Operator::BitXor => {
                    let not = self.map(Function::Not, &[b], Kind::Truth, span)?;
                    return self.choice(a, not, b, span);
                }
                _ => return self.wrong(span, "a condition cannot be shifted"),
            };
            return self.map(function, &[a, b], Kind::Truth, span);
        }
        let kind = self.together(&[a, b]);
        let format = match kind {
            Kind::Word(format) => format,
            Kind::Whole => Format::S64,
            Kind::Truth | Kind::Real => {
                let note = match operator {
                    Operator::BitXor => "a power is `x ** 2`",
                    _ => "they bind closer than comparisons: `(a < b) | (c < d)`",
                };
                let message = "operations on bits are for integers and conditions";
                return Err(Problem::new(self.place(span), message).note(note));
            }
        };
        let signed = format.class() == FormatClass::Signed;
        let op = match operator {
            Operator::BitAnd => BitOp::And,
            Operator::BitOr => BitOp::Or,
            Operator::BitXor => BitOp::Xor,
            Operator::ShiftLeft => BitOp::ShiftLeft,
            _ if signed => BitOp::ShiftRightSigned,
            _ => BitOp::ShiftRight,
        };
        self.map(Function::Bits(op, format), &[a, b], kind, span)
    }

    pub(super) fn power(&mut self, base: Array, power: Array, span: Span) -> Made<Array> {
        let (base, exponent) = (self.numeric(base, span)?, power);
        if let Some(value) = self.graph.rational(power.id).cloned() {
            let (_, shape) = self.broadcast(&[base, power], span)?;
            if shape.len() > self.graph.shape(base.id).len() {
                return self.wrong(span, "the exponent has more axes than what it is the power of");
            }
            let whole =
                |value: &BigRational| value.to_integer().to_i64().filter(|power| power.abs() <= 1 << 20);
            if let (true, Some(power)) = (value.is_integer(), whole(&value)) {
                let result = match self.kind(base) {
                    kind @ (Kind::Word(_) | Kind::Whole)
                        if power >= 0 && self.kind(exponent) != Kind::Real =>
                    {
                        self.map(Function::Power(power), &[base], kind, span)?
                    }
                    _ => self.map(Function::Power(power), &[base], Kind::Real, span)?,
                };
                return self.wrapped(result, span);
            }
            let halves = value.denom().to_u32() == Some(2);
            if let (true, Some(power)) =
                (halves, value.numer().to_i64().filter(|power| power.abs() <= 1 << 20))
            {
                let root = self.map(Function::Sqrt, &[base], Kind::Real, span)?;
                return self.map(Function::Power(power), &[root], Kind::Real, span);
            }
        }
        if self.graph.rational(base.id).is_some_and(|base| *base == BigRational::from_integer(2.into())) {
            return self.map(Function::Exp2, &[power], Kind::Real, span);
        }
        let log = self.map(Function::Log, &[base], Kind::Real, span)?;
        let product = self.map(Function::Multiply, &[power, log], Kind::Real, span)?;
        self.map(Function::Exp, &[product], Kind::Real, span)
    }

    pub(super) fn choice(&mut self, condition: Array, a: Array, b: Array, span: Span) -> Made<Array> {
        let condition = self.truth(condition, span)?;
        let kind = self.together(&[a, b]);
        let (a, b) = match kind {
            Kind::Truth => (a, b),
            _ => (self.numeric(a, span)?, self.numeric(b, span)?),
        };
        let (a, b) = (self.taking(a, kind, span)?, self.taking(b, kind, span)?);
        self.map(Function::Where, &[condition, a, b], kind, span)
    }

    /// A written whole number as the words that it stands beside.
    fn taking(&mut self, array: Array, kind: Kind, span: Span) -> Made<Array> {
        match (kind, self.kind(array)) {
            (Kind::Word(format), Kind::Whole) => self.map(Function::Wrap(format), &[array], kind, span),
            _ => Ok(array),
        }
    }

    fn over(&mut self, name: &Name, letters: &[Letter], body: &Expression, span: Span) -> Made<Array> {
        let fold = match name.text.as_str() {
            "sum" | "mean" => Fold::Sum,
            "prod" => Fold::Product,
            "max" => Fold::Max,
            "min" => Fold::Min,
            "all" | "forall" => Fold::All,
            "any" | "exists" => Fold::Any,
            "argmax" => Fold::ArgMax,
            "argmin" => Fold::ArgMin,
            _ => {
                let message = format!(
                    "`{}` does not run over letters: sum, prod, mean, max, min, all, any, argmax and argmin do",
                    name.text
                );
                return self.wrong(name.span, message);
            }
        };
        let mut extents = Vec::new();
        for letter in letters {
            let extent = match &letter.range {
                Some((from, to)) => {
                    let (start, end) = (self.known_integer(from)?, self.known_integer(to)?);
                    if end <= start {
                        let message = format!("the range {start}..{end} is empty");
                        return self.wrong(from.span.to(to.span), message);
                    }
                    (letter.name.clone(), start, end.abs_diff(start))
                }
                None => match self.indexed(&letter.name.text, body)? {
                    Some(extent) => (letter.name.clone(), 0, extent),
                    None => return self.wrong(letter.name.span, unknown_range(&letter.name.text)),
                },
            };
            extents.push(extent);
        }
        let before = self.letters.len();
        let inner = self.with_letters(&extents, |this| {
            let array = this.array(body)?;
            // Each letter counts, also where the body does not depend on it.
            let mut shape = vec![1; before];
            shape.extend(extents.iter().map(|(.., extent)| *extent));
            let ones = Op::Number(if this.kind(array) == Kind::Truth { Number::True } else { zero() });
            let id = this.push(ones, shape, Kind::Whole, span)?;
            let (spread, _) = this.broadcast(&[array, Array { id, frame: this.letters.len() }], span)?;
            Ok(spread[0])
        })?;
        // The new letters' axes become own axes.
        let inner = Array { id: inner.id, frame: before };
        let axes: Vec<usize> = (0..letters.len()).collect();
        let result = self.folded(fold, inner, &axes, false, span)?;
        if name.text != "mean" {
            return Ok(result);
        }
        let count = extents.iter().fold(1i64, |count, (.., extent)| count.saturating_mul(*extent as i64));
        let count = self.whole(count, span)?;
        self.quotient(result, count, span)
    }

    /// The whole number that an expression is known to be.
    pub(super) fn known_integer(&mut self, expression: &Expression) -> Made<i64> {
        let value = self.value(expression)?;
        match self.as_integer(&value) {
            Some(value) => Ok(value),
            None => self.wrong(expression.span, "this has to be a whole number that is known"),
        }
    }

    pub(super) fn as_integer(&self, value: &Value) -> Option<i64> {
        let Value::Array(array) = value else { return None };
        match self.graph.number(array.id)? {
            Number::Rational(value) if value.is_integer() => value.to_integer().to_i64(),
            Number::True => Some(1),
            Number::False => Some(0),
            _ => None,
        }
    }

    pub(super) fn attribute(&mut self, base: &Expression, name: &Name) -> Made<Value> {
        // `blockDim.x`
        if let tree::Kind::Name(first) = &base.kind
            && self.calls.is_empty()
            && let Some(at) = self.input_named(&format!("{first}.{}", name.text))
        {
            return self.input(at, base.span.to(name.span)).map(Value::Array);
        }
        let array = self.array(base)?;
        let own = self.own(array);
        match name.text.as_str() {
            "T" | "mT" => {
                if own.len() < 2 && name.text == "T" {
                    return Ok(Value::Array(array));
                }
                if own.len() < 2 {
                    return self
                        .wrong(name.span, format!("`.{}` needs two axes, not {}", name.text, shown(&own)));
                }
                let mut order: Vec<usize> = (0..own.len()).collect();
                match name.text.as_str() {
                    "T" => order.reverse(),
                    _ => order.swap(own.len() - 2, own.len() - 1),
                }
                self.permuted(array, &order, name.span).map(Value::Array)
            }
            "shape" => {
                let each = own.iter().map(|extent| self.whole(*extent as i64, name.span).map(Value::Array));
                each.collect::<Made<_>>().map(Value::List)
            }
            "dtype" => {
                let name = match self.kind(array) {
                    Kind::Truth => "bool",
                    Kind::Whole => "int64",
                    Kind::Word(format) => dtype_name(format),
                    Kind::Real => "float32",
                };
                Ok(Value::Text(name.to_owned()))
            }
            "ndim" => self.whole(own.len() as i64, name.span).map(Value::Array),
            "size" => self.whole(super::arrays::count(&own) as i64, name.span).map(Value::Array),
            _ => {
                let text = &name.text;
                self.wrong(
                    name.span,
                    format!(
                        "`.{text}` is unknown; there are `.T`, `.mT`, `.shape`, `.ndim`, `.size` and `.dtype`"
                    ),
                )
            }
        }
    }

    /// A function of the table, called.
    pub(super) fn call(
        &mut self,
        name: &Name,
        given: Vec<(Option<Name>, Value, Span)>,
        span: Span,
    ) -> Made<Value> {
        let Some(row) = function(own_name(&name.text)) else {
            // `float('-inf')`
            if let [(None, Value::Text(text), _)] = given.as_slice()
                && name.text == "float"
                && let Some(number) = infinity(text)
            {
                return self.constant(number, span).map(Value::Array);
            }
            // `float32(x)`
            if dtype(&name.text).is_some() && given.len() == 1 {
                let mut given = given;
                given.push((None, Value::Text(name.text.clone()), name.span));
                let cast = Name { text: "astype".to_owned(), span: name.span };
                return self.call(&cast, given, span);
            }
            let names = FUNCTIONS.iter().map(|function| function.name);
            let problem =
                Problem::new(self.place(name.span), format!("there is no function `{}`", name.text));
            if let Some(instead) = instead(&name.text) {
                return Err(problem.note(format!("write {instead}")));
            }
            return Err(match crate::base::nearest(&name.text, names) {
                Some(near) => problem.note(format!("did you mean `{near}`?")),
                None => problem,
            });
        };
        if self.calls.len() == CALLS {
            return self.wrong(span, "functions call one another too deep");
        }
        let values = self.parameters(row, given, span)?;
        let value = match row.meaning {
            Meaning::Primitive(primitive) => self.primitive(primitive, &values, span)?,
            Meaning::Text(text) => {
                let (program, value) = meaning_of(text);
                let hidden = (self.names.len(), self.letters.len());
                let before = std::mem::replace(&mut self.hidden, hidden);
                self.names.extend(values);
                self.calls.push(span);
                let result = self.body(&program, value.as_ref());
                self.calls.pop();
                self.names.truncate(hidden.0);
                self.hidden = before;
                result?
            }
        };
        if self.calls.is_empty() { self.typed(value, span) } else { Ok(value) }
    }

    /// What a function gives has a type: written whole numbers become integers of 64 bits.
    fn typed(&mut self, value: Value, span: Span) -> Made<Value> {
        let Value::Array(array) = value else { return Ok(value) };
        if self.kind(array) != Kind::Whole {
            return Ok(value);
        }
        self.in_kind(array, Kind::Word(Format::S64), span).map(Value::Array)
    }

    /// The same elements, counted as another kind.
    pub(super) fn in_kind(&mut self, array: Array, kind: Kind, span: Span) -> Made<Array> {
        let shape = self.shape(array.id);
        let op = match self.graph.node(array.id).op.clone() {
            number @ Op::Number(_) => number,
            _ => Op::Reshape(array.id),
        };
        Ok(Array { id: self.push(op, shape, kind, span)?, frame: array.frame })
    }

    fn body(&mut self, program: &Program, value: Option<&Expression>) -> Made<Value> {
        for statement in &program.statements {
            let array = self.value(&statement.value)?;
            self.names.push((statement.target.text.clone(), array));
        }
        match value {
            Some(value) => self.value(value),
            None => self.wrong(Span::default(), "this function has no value"),
        }
    }

    /// A value for each parameter of a function.
    fn parameters(
        &mut self,
        row: &Row,
        given: Vec<(Option<Name>, Value, Span)>,
        span: Span,
    ) -> Made<Vec<(String, Value)>> {
        let parameters = row.parameters();
        let wrong = |message: String| {
            Problem::new(span, message)
                .note(format!("it is `{}({})`: {}", row.name, row.parameters, row.help))
        };
        let mut values: Vec<Option<Value>> = vec![None; parameters.len()];
        for (at, (name, value, place)) in given.into_iter().enumerate() {
            let text_at = place;
            let place = match &name {
                None if at < parameters.len() => at,
                None => {
                    let many = counted(parameters.len(), "argument", "arguments");
                    return Err(self.told(wrong(format!("`{}` takes {many} at most", row.name))));
                }
                Some(name) => {
                    match parameters.iter().position(|(known, _)| *known == own_parameter(&name.text)) {
                        Some(place) => place,
                        None => {
                            return Err(
                                self.told(wrong(format!("`{}` has no parameter `{}`", row.name, name.text)))
                            );
                        }
                    }
                }
            };
            if let (Some(known), Value::Text(text)) = (row.texts(place), &value)
                && !known.contains(&text.as_str())
            {
                let known: Vec<String> = known.iter().map(|text| format!("'{text}'")).collect();
                let message = format!("`{}` is {}, not '{text}'", parameters[place].0, known.join(" or "));
                return Err(self.told(Problem { span: text_at, ..wrong(message) }));
            }
            if values[place].replace(value).is_some() {
                let message = format!("`{}` gets `{}` twice", row.name, parameters[place].0);
                return Err(self.told(wrong(message)));
            }
        }
        let mut all = Vec::new();
        for ((name, default), value) in parameters.into_iter().zip(values) {
            let value = match (value, default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.value(&default)?,
                (None, None) => {
                    return Err(self.told(wrong(format!("`{}` needs `{name}`", row.name))));
                }
            };
            all.push((name.to_owned(), value));
        }
        Ok(all)
    }

    #[cold]
    fn told(&self, problem: Problem) -> Problem {
        Problem { span: self.place(problem.span), ..problem }
    }
}

pub(super) fn zero() -> Number {
    Number::Rational(BigRational::zero())
}

fn unknown_range(letter: &str) -> String {
    format!(
        "how far `{letter}` runs is not known: write `{letter} in 0..64`, or index something by `{letter}` alone"
    )
}

pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    }
}

/// A meaning in the table: lines that name parts, and the value.
fn meaning_of(text: &str) -> (Program, Option<Expression>) {
    let (lines, value) = text.rsplit_once('\n').unwrap_or(("", text));
    let (mut program, _) = parse(&format!("{lines}\nvalue = {value}"));
    let value = program.statements.pop().map(|statement| statement.value);
    (program, value)
}

impl Row {
    /// The parameters, with their defaults.
    pub(super) fn parameters(&self) -> Vec<(&'static str, Option<Expression>)> {
        let each = |parameter: &'static str| match parameter.split_once('=') {
            Some((name, default)) => (name.trim(), meaning_of(default).1),
            None => (parameter.trim(), None),
        };
        self.parameters.split(", ").map(each).collect()
    }

    /// The texts that a parameter may be, if it is a text.
    fn texts(&self, place: usize) -> Option<Vec<&'static str>> {
        let (name, default) = self.parameters.split(", ").nth(place)?.split_once('=')?;
        let own = default.trim().strip_prefix('\'')?.strip_suffix('\'')?;
        let Meaning::Text(text) = self.meaning else { return None };
        let compared = format!("{} == '", name.trim());
        let others = text.split(compared.as_str()).skip(1).filter_map(|rest| rest.split('\'').next());
        Some([own].into_iter().chain(others).collect())
    }
}
