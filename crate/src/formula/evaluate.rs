//! Elements of a formula as terms.
//!
//! Elements are computed when they are asked for, a stretch of neighbours at a time, and kept only where they are
//! needed more than once; so time and memory follow what is asked, not the shapes of what lies between. Sums of
//! products become chains of multiply-adds, as kernels make them. A choice whose condition is known computes one
//! side only, so that `x[i - 1] if i > 0 else 0` reads no `x[-1]`.

use super::Problem;
use super::graph::{Fold, Function, Graph, Id, Kind, Number, Op, folded};
use super::lex::decimal;
use crate::base::{Budget, Exhausted, Format, FormatClass};
use crate::term::{self, BitOp, Node, Relation, Term, Terms, Unary};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use rustc_hash::FxHashMap;

/// Neighbours that are computed together at most.
const STRETCH: u64 = 4096;
/// Elements of an axis among which an index that depends on data may choose.
const CHOICES: u64 = 1 << 16;

/// Why there is no element.
#[derive(Clone, PartialEq, Debug)]
pub enum Stopped {
    /// The budget.
    Exhausted(Exhausted),
    /// An element of an input has no number yet.
    Unnumbered,
    /// What the formula asks for does not exist.
    Problem(Problem),
}

impl From<Exhausted> for Stopped {
    fn from(why: Exhausted) -> Stopped {
        Stopped::Exhausted(why)
    }
}

type Found<T> = Result<T, Stopped>;

/// A formula being evaluated. `input` gives the element of an input, `None` where it has no number yet.
pub struct Evaluation<'a, F> {
    graph: &'a Graph,
    budget: &'a Budget,
    input: F,
    /// What was built.
    pub terms: Terms,
    /// How often real numbers were made integers that they are taken to fit.
    pub converted: u64,
    /// How often an index came from data, and is taken to lie in its axis.
    pub indexed: u64,
    /// What an index outside of its axis gives; `None`: anything, which is the last element.
    pub outside: Option<Term>,
    /// What is kept, by node; `None` for nodes that are needed once.
    kept: Vec<Option<FxHashMap<u64, Term>>>,
    entries: u64,
}

impl<'a, F: FnMut(&mut Terms, usize, u64) -> Option<Term>> Evaluation<'a, F> {
    /// Nothing is computed yet.
    pub fn new(graph: &'a Graph, budget: &'a Budget, terms: Terms, input: F) -> Self {
        let kept = kept(graph).into_iter().map(|keep| keep.then(FxHashMap::default)).collect();
        Evaluation { graph, budget, input, terms, converted: 0, indexed: 0, outside: None, kept, entries: 0 }
    }

    /// One element, by its place row by row.
    pub fn element(&mut self, id: Id, at: u64) -> Found<Term> {
        let mut one = Vec::with_capacity(1);
        self.stretch(id, at, 1, &mut one)?;
        Ok(one[0])
    }

    /// Neighbouring elements, appended to a list.
    pub fn stretch(&mut self, id: Id, start: u64, length: u64, into: &mut Vec<Term>) -> Found<()> {
        let place = id.0 as usize;
        if self.kept[place].is_none() {
            return self.compute(id, start, length, into);
        }
        let end = start + length;
        let mut at = start;
        while at < end {
            let known = |at: u64| self.kept[place].as_ref().and_then(|kept| kept.get(&at).copied());
            if let Some(term) = known(at) {
                into.push(term);
                at += 1;
                continue;
            }
            let stop = (at + 1..end).find(|at| known(*at).is_some()).unwrap_or(end);
            let from = into.len();
            self.compute(id, at, stop - at, into)?;
            if let Some(kept) = &mut self.kept[place] {
                for (index, term) in (at..stop).zip(&into[from..]) {
                    kept.insert(index, *term);
                }
            }
            self.entries += stop - at;
            at = stop;
        }
        Ok(())
    }

    fn compute(&mut self, id: Id, start: u64, length: u64, into: &mut Vec<Term>) -> Found<()> {
        // What is kept takes about two words a place.
        if self.terms.bytes() + 16 * self.entries > self.budget.memory {
            return Err(Exhausted::Memory.into());
        }
        self.budget.spend(length)?;
        let graph = self.graph;
        let node = graph.node(id);
        match &node.op {
            Op::Input(at) => {
                for index in start..start + length {
                    let element = (self.input)(&mut self.terms, *at, index).ok_or(Stopped::Unnumbered)?;
                    into.push(element);
                }
            }
            Op::Number(number) => {
                let term = self.number(number);
                into.extend(std::iter::repeat_n(term, length as usize));
            }
            Op::Arange(first, step) => {
                for index in start..start + length {
                    let value = i128::from(*first) + i128::from(*step) * i128::from(index);
                    into.push(self.terms.integer(value));
                }
            }
            Op::Reshape(source) => self.stretch(*source, start, length, into)?,
            Op::View(source, offset, steps) => {
                let mut walk = Walk::new(&node.shape, start);
                let last = steps.last().copied().unwrap_or(0);
                let extent = node.shape.last().copied().unwrap_or(1);
                let mut left = length;
                while left > 0 {
                    let from = walk.place(*offset, steps);
                    let along = walk.last().map_or(1, |at| extent - at).min(left);
                    match last {
                        1 => self.stretch(*source, from as u64, along, into)?,
                        0 => {
                            let term = self.element(*source, from as u64)?;
                            into.extend(std::iter::repeat_n(term, along as usize));
                        }
                        _ => {
                            for index in 0..along as i64 {
                                let term = self.element(*source, (from + index * last) as u64)?;
                                into.push(term);
                            }
                        }
                    }
                    walk.advance(along);
                    left -= along;
                }
            }
            Op::Join(sources, axis) => {
                let inner: u64 = node.shape[axis + 1..].iter().product();
                for index in start..start + length {
                    let outer = index / (inner * node.shape[*axis]);
                    let (mut along, rest) = (index / inner % node.shape[*axis], index % inner);
                    for source in sources {
                        let extent = graph.shape(*source)[*axis];
                        if along < extent {
                            let term = self.element(*source, (outer * extent + along) * inner + rest)?;
                            into.push(term);
                            break;
                        }
                        along -= extent;
                    }
                }
            }
            Op::Pad(source, before, around) => {
                let shape = graph.shape(*source);
                let mut walk = Walk::new(&node.shape, start);
                for _ in 0..length {
                    let inside =
                        walk.index.iter().zip(before).zip(shape).try_fold(0, |place, ((at, by), extent)| {
                            let at = at.checked_sub(*by).filter(|at| at < extent)?;
                            Some(place * extent + at)
                        });
                    let term = match inside {
                        Some(place) => self.element(*source, place)?,
                        None => self.element(*around, 0)?,
                    };
                    into.push(term);
                    walk.advance(1);
                }
            }
            Op::Map(Function::Where, parts) => self.choose(parts, start, length, into)?,
            Op::Map(function, parts) => {
                let mut operands = Vec::with_capacity(parts.len());
                for part in parts {
                    let mut operand = Vec::with_capacity(length as usize);
                    self.stretch(*part, start, length, &mut operand)?;
                    operands.push(operand);
                }
                if *function == Function::Divide && operands[1].contains(&Term::ZERO) {
                    let problem = Problem::new(node.span, "this divides by 0")
                        .note("where a condition rules it out, write `… if … else …`, or `where`");
                    return Err(Stopped::Problem(problem));
                }
                for at in 0..length as usize {
                    let term = match operands.as_slice() {
                        [a] => self.apply(*function, &[a[at]]),
                        [a, b] => self.apply(*function, &[a[at], b[at]]),
                        _ => Term::ZERO,
                    };
                    into.push(term);
                }
            }
            Op::Fold(fold, source) => {
                for index in start..start + length {
                    let term = self.fold(*fold, *source, index)?;
                    into.push(term);
                }
            }
            Op::Scan(source) => {
                let row = node.shape.last().copied().unwrap_or(1);
                let (mut sum, mut of) = (Term::ZERO, u64::MAX);
                for index in start..start + length {
                    // From the last sum that is known in this row.
                    let mut next = index - index % row;
                    if of == next && index > next {
                        next = index;
                    } else {
                        sum = Term::ZERO;
                        of = next;
                        let kept = self.kept[id.0 as usize].as_ref();
                        let known = (next..index).rev().find_map(|at| Some((at, *kept?.get(&at)?)));
                        if let Some((at, term)) = known {
                            (sum, next) = (term, at + 1);
                        }
                    }
                    for at in next..=index {
                        let term = self.element(*source, at)?;
                        sum = self.apply(Function::Add, &[sum, term]);
                    }
                    into.push(sum);
                }
            }
            Op::At(source, indices) => {
                let mut columns = Vec::with_capacity(indices.len());
                for index in indices {
                    let mut column = Vec::with_capacity(length as usize);
                    self.stretch(*index, start, length, &mut column)?;
                    columns.push(column);
                }
                for at in 0..length as usize {
                    let place: Vec<Term> = columns.iter().map(|column| column[at]).collect();
                    let term = self.pick(id, *source, &place, 0, 0)?;
                    into.push(term);
                }
            }
        }
        Ok(())
    }

    /// The element of a source at indices, of which those before `axis` led to `place`.
    fn pick(&mut self, id: Id, source: Id, indices: &[Term], axis: usize, place: u64) -> Found<Term> {
        let graph = self.graph;
        let Some(index) = indices.get(axis) else { return self.element(source, place) };
        let extent = graph.shape(source)[axis];
        if let Some(value) = self.terms.as_rational(*index) {
            let inside = value.to_integer().to_u64().filter(|at| value.is_integer() && *at < extent);
            return match inside {
                Some(at) => self.pick(id, source, indices, axis + 1, place * extent + at),
                None => {
                    let message = format!("index {value} of an axis of {extent}");
                    let note = "where a condition rules it out, write `… if … else …`, or `where`";
                    Err(Stopped::Problem(Problem::new(graph.node(id).span, message).note(note)))
                }
            };
        }
        if extent > CHOICES {
            let message = format!("this index depends on data, among {extent} elements");
            let note = "give the tensor that it depends on `contents` in the spec";
            return Err(Stopped::Problem(Problem::new(graph.node(id).span, message).note(note)));
        }
        self.indexed += 1;
        // The last is what is left: an index outside has no value.
        let (mut chosen, others) = match self.outside {
            None => (self.pick(id, source, indices, axis + 1, place * extent + extent - 1)?, extent - 1),
            Some(outside) => (outside, extent),
        };
        for at in (0..others).rev() {
            let number = self.terms.integer(at.into());
            let here = self.terms.compare(Relation::Equal, *index, number);
            let term = self.pick(id, source, indices, axis + 1, place * extent + at)?;
            chosen = self.terms.select(here, term, chosen);
        }
        Ok(chosen)
    }

    /// `where`, of which only the side is computed that counts.
    fn choose(&mut self, parts: &[Id], start: u64, length: u64, into: &mut Vec<Term>) -> Found<()> {
        let [condition, a, b] = parts else { return Ok(()) };
        let mut conditions = Vec::with_capacity(length as usize);
        self.stretch(*condition, start, length, &mut conditions)?;
        if conditions.iter().all(|condition| *condition == Term::TRUE) {
            return self.stretch(*a, start, length, into);
        }
        if conditions.iter().all(|condition| *condition == Term::FALSE) {
            return self.stretch(*b, start, length, into);
        }
        for (at, condition) in (start..).zip(conditions) {
            let term = match condition {
                Term::TRUE => self.element(*a, at)?,
                Term::FALSE => self.element(*b, at)?,
                _ => {
                    let (a, b) = (self.element(*a, at)?, self.element(*b, at)?);
                    self.terms.select(condition, a, b)
                }
            };
            into.push(term);
        }
        Ok(())
    }

    /// A row of a source, folded.
    fn fold(&mut self, fold: Fold, source: Id, row: u64) -> Found<Term> {
        let graph = self.graph;
        let length = graph.shape(source).last().copied().unwrap_or(1);
        let first = row * length;
        let products = match fold {
            Fold::Sum => self.products(source),
            _ => None,
        };
        let mut result = match fold {
            Fold::Sum => Term::ZERO,
            Fold::Product => Term::ONE,
            Fold::Max | Fold::ArgMax => Term::MINUS_INFINITY,
            Fold::Min | Fold::ArgMin => Term::INFINITY,
            Fold::All => Term::TRUE,
            Fold::Any => Term::FALSE,
        };
        let mut place = Term::ZERO;
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < length {
            let count = STRETCH.min(length - at);
            left.clear();
            right.clear();
            if let Some((a, b)) = products {
                self.stretch(a, first + at, count, &mut left)?;
                self.stretch(b, first + at, count, &mut right)?;
                for (a, b) in left.iter().zip(&right) {
                    result = self.terms.fma(*a, *b, result);
                }
            } else {
                self.stretch(source, first + at, count, &mut left)?;
                for (index, term) in (at..).zip(left.iter().copied()) {
                    result = match fold {
                        Fold::Sum => self.apply(Function::Add, &[result, term]),
                        Fold::Product => self.apply(Function::Multiply, &[result, term]),
                        Fold::Max => self.apply(Function::Maximum, &[result, term]),
                        Fold::Min => self.apply(Function::Minimum, &[result, term]),
                        Fold::All => self.terms.and(result, term),
                        Fold::Any => self.terms.or(result, term),
                        Fold::ArgMax | Fold::ArgMin => {
                            let (a, b) = if fold == Fold::ArgMax { (result, term) } else { (term, result) };
                            let better = self.terms.compare(Relation::Less, a, b);
                            let number = self.terms.integer(index.into());
                            // The first place has nothing before it.
                            place =
                                if index == 0 { number } else { self.terms.select(better, number, place) };
                            let function =
                                if fold == Fold::ArgMax { Function::Maximum } else { Function::Minimum };
                            self.apply(function, &[result, term])
                        }
                    };
                }
            }
            at += count;
        }
        Ok(if matches!(fold, Fold::ArgMax | Fold::ArgMin) { place } else { result })
    }

    /// The factors of a source that is a product of reals and is not kept.
    fn products(&self, mut source: Id) -> Option<(Id, Id)> {
        while self.kept[source.0 as usize].is_none()
            && let Op::Reshape(inner) = self.graph.node(source).op
        {
            source = inner;
        }
        let node = self.graph.node(source);
        match &node.op {
            Op::Map(Function::Multiply, parts)
                if self.kept[source.0 as usize].is_none() && node.kind == Kind::Real =>
            {
                Some((parts[0], parts[1]))
            }
            _ => None,
        }
    }

    fn number(&mut self, number: &Number) -> Term {
        match number {
            Number::Rational(value) => match double(value) {
                Some((double, error)) => self.terms.computed(Format::F64, double.to_bits(), error),
                None => self.terms.rational(value.clone()),
            },
            Number::Named(name) => self.terms.named(*name),
            Number::Infinity => Term::INFINITY,
            Number::MinusInfinity => Term::MINUS_INFINITY,
            Number::True => Term::TRUE,
            Number::False => Term::FALSE,
        }
    }

    /// What a constant is exactly.
    fn exact(&self, term: Term) -> Option<Number> {
        let constant = self.terms.constant_at(term.as_constant()?);
        if constant.rounded.is_some() || constant.error() != 0.0 {
            return None;
        }
        Some(match &constant.number {
            term::Number::Rational(value) => Number::Rational(value.clone()),
            term::Number::Infinity => Number::Infinity,
            term::Number::MinusInfinity => Number::MinusInfinity,
            term::Number::True => Number::True,
            term::Number::False => Number::False,
            term::Number::Named(_) | term::Number::NotANumber | term::Number::Unwritten => return None,
        })
    }

    /// A function of terms.
    fn apply(&mut self, function: Function, operands: &[Term]) -> Term {
        if operands.iter().all(|operand| operand.as_constant().is_some()) {
            let numbers: Option<Vec<Number>> = operands.iter().map(|operand| self.exact(*operand)).collect();
            let numbers = numbers.as_ref().map(|numbers| numbers.iter().collect::<Vec<_>>());
            if let Some(number) = numbers.and_then(|numbers| folded(function, &numbers)) {
                return self.number(&number);
            }
        }
        let a = operands[0];
        let b = operands.get(1).copied().unwrap_or(Term::ZERO);
        let terms = &mut self.terms;
        match function {
            Function::Add => terms.add(a, b),
            Function::Subtract => terms.sub(a, b),
            Function::Multiply => terms.mul(a, b),
            Function::Divide => terms.div(a, b),
            Function::Negate => terms.neg(a),
            Function::Power(power) => {
                let whole = to_power(terms, a, power.unsigned_abs());
                if power < 0 { terms.div(Term::ONE, whole) } else { whole }
            }
            Function::Exp => terms.unary(Unary::Exp, a),
            Function::Exp2 => terms.unary(Unary::Exp2, a),
            Function::Log => terms.unary(Unary::Log, a),
            Function::Log2 => terms.unary(Unary::Log2, a),
            Function::Sqrt => terms.unary(Unary::Sqrt, a),
            Function::Cbrt => terms.unary(Unary::Cbrt, a),
            Function::Abs => terms.unary(Unary::Abs, a),
            Function::Sin => terms.unary(Unary::Sin, a),
            Function::Cos => terms.unary(Unary::Cos, a),
            Function::Tanh => terms.unary(Unary::Tanh, a),
            Function::Atan => terms.unary(Unary::Atan, a),
            Function::Erf => terms.unary(Unary::Erf, a),
            Function::Floor => terms.unary(Unary::Floor, a),
            Function::Ceil => terms.unary(Unary::Ceil, a),
            Function::Round => terms.unary(Unary::RoundEven, a),
            Function::Trunc => terms.unary(Unary::Trunc, a),
            Function::Maximum => terms.extreme_unless_undefined(a, b, true),
            Function::Minimum => terms.extreme_unless_undefined(a, b, false),
            Function::Less => terms.compare(Relation::Less, a, b),
            Function::LessEqual => terms.compare(Relation::LessEqual, a, b),
            Function::Equal => terms.compare(Relation::Equal, a, b),
            Function::And => terms.and(a, b),
            Function::Or => terms.or(a, b),
            Function::Not => terms.not(a),
            Function::Indicator => terms.select(a, Term::ONE, Term::ZERO),
            Function::Wrap(format) => match whole(terms, a) {
                Some(value) => terms.number(format, remainder(&value, 64)),
                None => terms.wrapped(format, a),
            },
            Function::Integer(format) => {
                let rounded = terms.unary(Unary::Trunc, a);
                if format.bits() < 32 {
                    return terms.wrapped(format, rounded);
                }
                terms.note_conversion(format, rounded, rounded);
                self.converted += 1;
                rounded
            }
            Function::Bits(op, format) => {
                let width = format.bits() as u8;
                let (a, b) = (
                    word(terms, format, a),
                    if op == BitOp::Not { Term::ZERO } else { word(terms, format, b) },
                );
                let (a, b) = if op.commutes() && a > b { (b, a) } else { (a, b) };
                // Of what is not negative both shifts make the same.
                let op = match op {
                    BitOp::ShiftRightSigned if is_extended(terms, a) => BitOp::ShiftRight,
                    op => op,
                };
                let bits = terms.bits(op, width, a, b, Term::ZERO);
                terms.from_bits(format, bits)
            }
            // It is not computed like the others.
            Function::Where => Term::ZERO,
        }
    }
}

/// `a` to a power, by squaring.
fn to_power(terms: &mut Terms, a: Term, mut power: u64) -> Term {
    let (mut result, mut square) = (Term::ONE, a);
    while power > 0 {
        if power & 1 == 1 {
            result = terms.mul(result, square);
        }
        power >>= 1;
        if power > 0 {
            square = terms.mul(square, square);
        }
    }
    result
}

fn whole(terms: &Terms, term: Term) -> Option<BigInt> {
    terms.as_rational(term).filter(|value| value.is_integer()).map(BigRational::to_integer)
}

/// The low bits of an integer.
fn remainder(value: &BigInt, bits: u32) -> u64 {
    value.mod_floor(&(BigInt::from(1) << bits)).to_u64().unwrap_or(0)
}

/// The bits of an integer in a format.
fn word(terms: &mut Terms, format: Format, term: Term) -> Term {
    match whole(terms, term) {
        Some(value) => terms.bit_constant(remainder(&value, format.bits())),
        None => match terms.node(term) {
            Node::FromBits(from, bits) if from.bits() == format.bits() && !from.is_float() => bits,
            // An element has its own bits, and above them zeros or its sign, as kernels load it.
            Node::Element(element) => match terms.element_format(element) {
                Some(own) if own.bits() < format.bits() && !own.is_float() => {
                    let signed = own.class() == FormatClass::Signed;
                    let op = if signed { BitOp::ExtendSigned } else { BitOp::Extend };
                    let bits = terms.bits_of(own, term);
                    let narrow = terms.bit_constant(own.bits().into());
                    terms.bits(op, format.bits() as u8, bits, narrow, Term::ZERO)
                }
                _ => terms.bits_of(format, term),
            },
            _ => terms.bits_of(format, term),
        },
    }
}

/// Whether a word has zeros above what it was extended from.
fn is_extended(terms: &Terms, word: Term) -> bool {
    matches!(terms.node(word), Node::Bits(BitOp::Extend, ..))
}

/// Which nodes are worth keeping: what is computed, and read more than once.
fn kept(graph: &Graph) -> Vec<bool> {
    let mut often: Vec<bool> = (0..graph.len()).map(|at| graph.node(Id(at as u32)).uses > 1).collect();
    let mut keep = vec![false; graph.len()];
    for at in (0..graph.len()).rev() {
        let node = graph.node(Id(at as u32));
        keep[at] = match node.op {
            Op::Map(..) | Op::Fold(..) | Op::At(..) => often[at],
            Op::Scan(_) => true,
            _ => false,
        };
        let repeats = match &node.op {
            Op::View(source, ..) => {
                graph.shape(*source).iter().product::<u64>() < node.shape.iter().product::<u64>()
            }
            Op::At(..) | Op::Pad(..) => true,
            _ => false,
        };
        for operand in node.op.operands() {
            often[operand.0 as usize] |= repeats || often[at] && !keep[at];
        }
    }
    keep
}

/// Indices in a shape, one after the other.
struct Walk<'a> {
    shape: &'a [u64],
    index: Vec<u64>,
}

impl<'a> Walk<'a> {
    fn new(shape: &'a [u64], mut start: u64) -> Self {
        let mut index = vec![0; shape.len()];
        for (at, extent) in index.iter_mut().zip(shape).rev() {
            *at = start % extent;
            start /= extent;
        }
        Walk { shape, index }
    }

    fn last(&self) -> Option<u64> {
        self.index.last().copied()
    }

    fn place(&self, offset: i64, steps: &[i64]) -> i64 {
        self.index.iter().zip(steps).fold(offset, |place, (at, step)| place + *at as i64 * step)
    }

    /// Goes on by so many elements of the last axis, not beyond its end.
    fn advance(&mut self, by: u64) {
        let mut by = by;
        for (at, extent) in self.index.iter_mut().zip(self.shape).rev() {
            *at += by;
            if *at < *extent {
                return;
            }
            *at -= extent;
            by = 1;
        }
    }
}
/// The double that a long decimal is the shortest text of, and how far what its author meant may be: Python writes
/// `1 / 3` so. A number that somebody writes is shorter, and is exactly what it says.
fn double(value: &BigRational) -> Option<(f64, f64)> {
    if value.is_integer() {
        return None;
    }
    let double = value.to_f64().filter(|double| double.is_normal())?;
    let text = format!("{:e}", double.abs());
    let digits = text.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit);
    let long = digits.count() >= LONG;
    // A few operations of a host, each rounded.
    (long && decimal(double)? == Number::Rational(value.clone()))
        .then(|| (double, double.abs() * f64::EPSILON * 2.0))
}

/// From how many digits on a decimal is what was computed in doubles.
const LONG: usize = 15;
