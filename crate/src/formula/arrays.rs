//! Arrays while a formula is given its meaning: broadcasting, kinds of elements, views and folds.
//!
//! Inside `sum(i: …)` a value has one axis for each letter, before its own axes; they are there with length 1
//! where the value does not depend on the letter. So everything that is said of arrays holds there, too.

use super::Problem;
use super::graph::{Fold, Function, Id, Kind, Number, Op, folded};
use super::meaning::Elaborator;
use crate::base::{Format, FormatClass, Span};
use num_rational::BigRational;

/// Elements that an array of a formula may have.
const ELEMENTS: u64 = 1 << 50;

/// A node whose first axes belong to letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Array {
    pub(super) id: Id,
    pub(super) frame: usize,
}

pub(super) type Made<T> = Result<T, Problem>;

/// `(16, 64)`
pub(super) fn shown(shape: &[u64]) -> String {
    match shape {
        [] => "a single number".to_owned(),
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The step of each axis where elements lie row by row.
pub(super) fn row_major(shape: &[u64]) -> Vec<i64> {
    let mut strides = vec![1i64; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(shape[axis] as i64);
    }
    strides
}

pub(super) fn count(shape: &[u64]) -> u64 {
    shape.iter().fold(1u64, |count, extent| count.saturating_mul(*extent))
}

impl Elaborator<'_> {
    /// Adds a node.
    pub(super) fn push(&mut self, op: Op, shape: Vec<u64>, kind: Kind, span: Span) -> Made<Id> {
        if count(&shape) > ELEMENTS {
            let message = format!("an array of shape {} has too many elements", shown(&shape));
            return Err(Problem::new(self.place(span), message));
        }
        let place = self.place(span);
        self.graph
            .push(op, shape, kind, place)
            .map_err(|_| Problem::new(place, "this formula applies too many operations one after the other"))
    }

    pub(super) fn shape(&self, id: Id) -> Vec<u64> {
        self.graph.shape(id).to_vec()
    }

    /// The axes that do not belong to letters.
    pub(super) fn own(&self, array: Array) -> Vec<u64> {
        self.graph.shape(array.id)[array.frame..].to_vec()
    }

    pub(super) fn kind(&self, array: Array) -> Kind {
        self.graph.node(array.id).kind
    }

    /// A number without axes.
    pub(super) fn constant(&mut self, number: Number, span: Span) -> Made<Array> {
        let kind = match number {
            Number::True | Number::False => Kind::Truth,
            Number::Rational(ref value) if value.is_integer() => Kind::Whole,
            _ => Kind::Real,
        };
        self.constant_of(number, kind, span)
    }

    /// A number without axes, of a kind.
    pub(super) fn constant_of(&mut self, number: Number, kind: Kind, span: Span) -> Made<Array> {
        let frame = self.letters.len();
        let id = self.push(Op::Number(number), vec![1; frame], kind, span)?;
        Ok(Array { id, frame })
    }

    pub(super) fn whole(&mut self, value: i64, span: Span) -> Made<Array> {
        self.constant(Number::Rational(BigRational::from_integer(value.into())), span)
    }

    /// The same elements in another shape.
    pub(super) fn reshaped(&mut self, id: Id, shape: Vec<u64>, span: Span) -> Made<Id> {
        if self.graph.shape(id) == shape {
            return Ok(id);
        }
        let kind = self.graph.node(id).kind;
        let op = match self.graph.node(id).op.clone() {
            number @ Op::Number(_) => number,
            Op::Reshape(source) if self.graph.shape(source) == shape => return Ok(source),
            Op::Reshape(source) => Op::Reshape(source),
            _ => Op::Reshape(id),
        };
        self.push(op, shape, kind, span)
    }

    /// A value with an axis for each letter that there is now.
    pub(super) fn lifted(&mut self, array: Array, span: Span) -> Made<Array> {
        let letters = self.letters.len();
        if array.frame == letters {
            return Ok(array);
        }
        let mut shape = self.shape(array.id);
        shape.splice(array.frame..array.frame, std::iter::repeat_n(1, letters - array.frame));
        Ok(Array { id: self.reshaped(array.id, shape, span)?, frame: letters })
    }

    /// An array repeated to a shape of as many axes or more, whose last ones are its own.
    fn spread(&mut self, id: Id, from: &[u64], to: &[u64], span: Span) -> Made<Id> {
        if count(from) == count(to) {
            return self.reshaped(id, to.to_vec(), span);
        }
        let kind = self.graph.node(id).kind;
        if let Op::Number(number) = self.graph.node(id).op.clone() {
            return self.push(Op::Number(number), to.to_vec(), kind, span);
        }
        let strides = row_major(from).into_iter().zip(from).map(|(stride, extent)| match extent {
            1 => 0,
            _ => stride,
        });
        let strides = strides.collect();
        self.push(Op::View(id, 0, strides), to.to_vec(), kind, span)
    }

    /// All arrays in the one shape that they fit together.
    pub(super) fn broadcast(&mut self, arrays: &[Array], span: Span) -> Made<(Vec<Array>, Vec<u64>)> {
        let letters = self.letters.len();
        let mut all = Vec::new();
        for array in arrays {
            all.push(self.lifted(*array, span)?);
        }
        let rank = all.iter().map(|array| self.own(*array).len()).max().unwrap_or(0);
        let mut aligned = Vec::new();
        for array in &all {
            let mut shape = self.shape(array.id);
            let missing = rank - (shape.len() - letters);
            shape.splice(letters..letters, std::iter::repeat_n(1, missing));
            aligned.push(shape);
        }
        let mut shape = vec![1; letters + rank];
        for other in &aligned {
            for (extent, other) in shape.iter_mut().zip(other) {
                if *extent == 1 {
                    *extent = *other;
                } else if *other != 1 && *other != *extent {
                    let shapes: Vec<String> = all.iter().map(|array| shown(&self.own(*array))).collect();
                    let message = format!("shapes {} do not fit together", shapes.join(" and "));
                    return Err(Problem::new(self.place(span), message)
                        .note("from the last axis on, extents have to be equal, or one of them 1"));
                }
            }
        }
        let mut spread = Vec::new();
        for (array, from) in all.iter().zip(&aligned) {
            spread.push(Array { id: self.spread(array.id, from, &shape, span)?, frame: letters });
        }
        Ok((spread, shape))
    }

    /// A function of arrays, element by element.
    pub(super) fn map(
        &mut self,
        function: Function,
        arrays: &[Array],
        kind: Kind,
        span: Span,
    ) -> Made<Array> {
        let (arrays, shape) = self.broadcast(arrays, span)?;
        let numbers: Option<Vec<Number>> =
            arrays.iter().map(|array| self.graph.number(array.id).cloned()).collect();
        let numbers = numbers.as_ref().map(|numbers| numbers.iter().collect::<Vec<_>>());
        let op = match numbers.and_then(|numbers| folded(function, &numbers)) {
            Some(number) => Op::Number(number),
            None => Op::Map(function, arrays.iter().map(|array| array.id).collect()),
        };
        Ok(Array { id: self.push(op, shape, kind, span)?, frame: self.letters.len() })
    }

    /// Numbers: 1 for a condition that holds, 0 for one that does not; as NumPy counts, of 64 bits.
    pub(super) fn numeric(&mut self, array: Array, span: Span) -> Made<Array> {
        match self.kind(array) {
            Kind::Truth => self.map(Function::Indicator, &[array], Kind::Word(Format::S64), span),
            _ => Ok(array),
        }
    }

    /// Conditions: whether numbers are not 0.
    pub(super) fn truth(&mut self, array: Array, span: Span) -> Made<Array> {
        if self.kind(array) == Kind::Truth {
            return Ok(array);
        }
        let zero = self.whole(0, span)?;
        let is_zero = self.map(Function::Equal, &[array, zero], Kind::Truth, span)?;
        self.map(Function::Not, &[is_zero], Kind::Truth, span)
    }

    /// What kinds give together, as NumPy 2 promotes them: written whole numbers take the type of what they meet.
    pub(super) fn together(&self, arrays: &[Array]) -> Kind {
        let kinds = arrays.iter().map(|array| self.kind(*array));
        kinds.reduce(promoted).unwrap_or(Kind::Whole)
    }

    /// Sums, differences and products; integers wrap around.
    pub(super) fn arithmetic(&mut self, function: Function, arrays: &[Array], span: Span) -> Made<Array> {
        let kind = self.together(arrays);
        if kind == Kind::Truth {
            return self.conditions(function, arrays, span);
        }
        let mut numbers = Vec::new();
        for array in arrays {
            numbers.push(self.numeric(*array, span)?);
        }
        let result = self.map(function, &numbers, kind, span)?;
        self.wrapped(result, span)
    }

    /// Arithmetic of conditions gives conditions, as in NumPy.
    fn conditions(&mut self, function: Function, arrays: &[Array], span: Span) -> Made<Array> {
        let function = match function {
            Function::Add | Function::Maximum => Function::Or,
            Function::Multiply | Function::Minimum => Function::And,
            Function::Abs => return Ok(arrays[0]),
            _ => {
                return self
                    .wrong(span, "conditions have no difference: use `~`, `^`, or `astype(…, int32)`");
            }
        };
        self.map(function, arrays, Kind::Truth, span)
    }

    /// An array of integers, each in its word.
    pub(super) fn wrapped(&mut self, array: Array, span: Span) -> Made<Array> {
        match self.kind(array) {
            Kind::Word(format) => self.map(Function::Wrap(format), &[array], Kind::Word(format), span),
            _ => Ok(array),
        }
    }

    /// The same array with its own axes in another order.
    pub(super) fn permuted(&mut self, array: Array, order: &[usize], span: Span) -> Made<Array> {
        let shape = self.shape(array.id);
        let strides = row_major(&shape);
        let axes: Vec<usize> = (0..array.frame).chain(order.iter().map(|axis| array.frame + axis)).collect();
        let to: Vec<u64> = axes.iter().map(|axis| shape[*axis]).collect();
        let steps: Vec<i64> = axes.iter().map(|axis| strides[*axis]).collect();
        if axes.iter().copied().eq(0..shape.len()) {
            return Ok(array);
        }
        let kind = self.kind(array);
        Ok(Array { id: self.push(Op::View(array.id, 0, steps), to, kind, span)?, frame: array.frame })
    }

    /// Folds own axes.
    pub(super) fn folded(
        &mut self,
        fold: Fold,
        array: Array,
        axes: &[usize],
        keep: bool,
        span: Span,
    ) -> Made<Array> {
        let fold = match (fold, self.kind(array)) {
            (Fold::Max, Kind::Truth) => Fold::Any,
            (Fold::Min, Kind::Truth) => Fold::All,
            _ => fold,
        };
        let mut array = match fold {
            Fold::All | Fold::Any => self.truth(array, span)?,
            _ => self.numeric(array, span)?,
        };
        let kind = match (fold, self.kind(array)) {
            (Fold::ArgMax | Fold::ArgMin, _) => Kind::Word(Format::S64),
            // As NumPy does: sums of narrow integers are wide.
            (Fold::Sum | Fold::Product, Kind::Word(format)) => Kind::Word(match format.class() {
                FormatClass::Signed => Format::S64,
                _ => Format::U64,
            }),
            (Fold::Sum | Fold::Product, Kind::Whole) => Kind::Word(Format::S64),
            (_, kind) => kind,
        };
        let own = self.own(array);
        let kept: Vec<usize> = (0..own.len()).filter(|axis| !axes.contains(axis)).collect();
        let order: Vec<usize> = kept.iter().chain(axes).copied().collect();
        array = self.permuted(array, &order, span)?;
        let frame = self.graph.shape(array.id)[..array.frame].to_vec();
        let length = count(&axes.iter().map(|axis| own[*axis]).collect::<Vec<_>>());
        let outer: Vec<u64> = frame.iter().copied().chain(kept.iter().map(|axis| own[*axis])).collect();
        let with: Vec<u64> = outer.iter().copied().chain([length]).collect();
        let source = self.reshaped(array.id, with, span)?;
        let id = match length {
            1 if !matches!(fold, Fold::ArgMax | Fold::ArgMin) => self.reshaped(source, outer, span)?,
            _ => self.push(Op::Fold(fold, source), outer, kind, span)?,
        };
        let mut result = Array { id, frame: array.frame };
        if matches!(fold, Fold::Sum | Fold::Product) {
            result = self.wrapped(result, span)?;
        }
        if keep {
            let each =
                own.iter().enumerate().map(|(axis, extent)| if axes.contains(&axis) { 1 } else { *extent });
            let shape = frame.into_iter().chain(each).collect();
            result.id = self.reshaped(result.id, shape, span)?;
        }
        Ok(result)
    }

    /// Products summed along own axes: they stay in their type, as NumPy's do.
    pub(super) fn summed(&mut self, products: Array, axes: &[usize], span: Span) -> Made<Array> {
        let kind = self.kind(products);
        let fold = if kind == Kind::Truth { Fold::Any } else { Fold::Sum };
        let sum = self.folded(fold, products, axes, false, span)?;
        match kind {
            Kind::Word(format) => self.map(Function::Wrap(format), &[sum], kind, span),
            _ => Ok(sum),
        }
    }

    /// Products of the last axes, summed.
    pub(super) fn matrix(&mut self, a: Array, b: Array, span: Span) -> Made<Array> {
        let (a, b) = (self.lifted(a, span)?, self.lifted(b, span)?);
        let (left, right) = (self.own(a), self.own(b));
        let wrong = || {
            let message = format!("`@` of shapes {} and {}", shown(&left), shown(&right));
            Problem::new(self.place(span), message)
        };
        if left.is_empty() || right.is_empty() {
            return Err(wrong().note("both sides need an axis; multiply by a number with `*`"));
        }
        let (rows, columns) = (left.len() > 1, right.len() > 1);
        let inner = left[left.len() - 1];
        let other = if columns { right[right.len() - 2] } else { right[0] };
        if inner != other {
            let error = wrong();
            return Err(error.note(format!(
                "the last axis of the left side ({inner}) is summed with the {} of the right one ({other})",
                if columns { "last axis but one" } else { "axis" }
            )));
        }
        // Rows × 1 × inner, and 1 × columns × inner.
        let frame = self.graph.shape(a.id)[..a.frame].to_vec();
        let mut shape: Vec<u64> = frame.iter().chain(&left[..left.len() - 1]).copied().collect();
        if !rows {
            shape.push(1);
        }
        shape.extend([1, inner]);
        let a = Array { id: self.reshaped(a.id, shape, span)?, frame: a.frame };
        let mut b = b;
        if columns {
            let mut order: Vec<usize> = (0..right.len()).collect();
            order.swap(right.len() - 2, right.len() - 1);
            b = self.permuted(b, &order, span)?;
        }
        let own = self.own(b);
        let frame = self.graph.shape(b.id)[..b.frame].to_vec();
        let batch = own.len() - if columns { 2 } else { 1 };
        let mut shape: Vec<u64> = frame.into_iter().chain(own[..batch].iter().copied()).collect();
        shape.push(1);
        shape.push(if columns { own[own.len() - 2] } else { 1 });
        shape.push(inner);
        let b = Array { id: self.reshaped(b.id, shape, span)?, frame: b.frame };
        let products = self.arithmetic(Function::Multiply, &[a, b], span)?;
        let rank = self.own(products).len();
        let sum = self.summed(products, &[rank - 1], span)?;
        let mut shape = self.shape(sum.id);
        if !columns {
            shape.pop();
        }
        if !rows {
            let at = if columns { shape.len() - 2 } else { shape.len() - 1 };
            shape.remove(at);
        }
        Ok(Array { id: self.reshaped(sum.id, shape, span)?, frame: sum.frame })
    }
}

/// What two kinds give together.
fn promoted(a: Kind, b: Kind) -> Kind {
    match (a, b) {
        (Kind::Real, _) | (_, Kind::Real) => Kind::Real,
        // No integer holds both; NumPy takes floats.
        (Kind::Word(Format::U64), Kind::Word(other)) | (Kind::Word(other), Kind::Word(Format::U64))
            if other.class() == FormatClass::Signed =>
        {
            Kind::Real
        }
        (Kind::Word(a), Kind::Word(b)) => Kind::Word(wider(a, b)),
        (Kind::Word(format), _) | (_, Kind::Word(format)) => Kind::Word(format),
        (Kind::Truth, Kind::Truth) => Kind::Truth,
        (Kind::Truth, Kind::Whole) | (Kind::Whole, Kind::Truth) => Kind::Word(Format::S64),
        (Kind::Whole, Kind::Whole) => Kind::Whole,
    }
}

/// The format that holds the integers of two.
fn wider(a: Format, b: Format) -> Format {
    if a.bits() != b.bits() {
        let (wide, narrow) = if a.bits() > b.bits() { (a, b) } else { (b, a) };
        // What is wider holds all of the narrower, unless that has a sign and it has none.
        let signed = |format: Format| format.class() == FormatClass::Signed;
        return if signed(narrow) && !signed(wide) { signed_beyond(wide) } else { wide };
    }
    match a.class() == b.class() {
        true => a,
        false => signed_beyond(a),
    }
}

/// The signed format of twice the width, or of 64 bits.
fn signed_beyond(format: Format) -> Format {
    match format.bits() {
        8 => Format::S16,
        16 => Format::S32,
        _ => Format::S64,
    }
}
