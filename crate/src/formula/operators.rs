//! Indexing, and the functions of the table that the language itself cannot say.

use super::Problem;
use super::arrays::{Array, Made, count, row_major, shown};
use super::functions::Primitive;
use super::graph::{Fold, Function, Kind, Number, Op};
use super::meaning::{Elaborator, Value, counted, zero};
use super::tree::{Expression, Item};
use super::words::dtype;
use crate::base::{Format, FormatClass, Span};

/// What stands for an axis of an array that is indexed.
enum Along {
    /// So many elements from one on, with a step.
    Line { start: i64, step: i64, extent: u64 },
    /// One element.
    Point(i64),
    /// The elements that an array says.
    Array(Array),
    /// An axis that the array does not have.
    New,
}

impl Elaborator<'_> {
    /// `base[items]`
    pub(super) fn index(&mut self, base: Value, items: &[Item], span: Span) -> Made<Value> {
        if let Value::List(list) = &base {
            let [Item::At(at)] = items else {
                return self.wrong(span, "a list has one index");
            };
            let at = self.known_integer(at)?;
            let place = if at < 0 { at + list.len() as i64 } else { at };
            return match usize::try_from(place).ok().and_then(|place| list.get(place)) {
                Some(value) => Ok(value.clone()),
                None => {
                    self.wrong(span, format!("index {at} of {}", counted(list.len(), "entry", "entries")))
                }
            };
        }
        let base = self.as_array(base, span)?;
        let own = self.own(base);
        let taken = items.iter().filter(|item| !matches!(item, Item::New | Item::Rest)).count();
        if taken > own.len() {
            let message = format!("{} for the shape {}", counted(taken, "index", "indices"), shown(&own));
            return self.wrong(span, message);
        }
        let mut along = Vec::new();
        let mut axis = 0;
        let mut rest = false;
        for item in items {
            match item {
                Item::New => along.push(Along::New),
                Item::Rest if rest => return self.wrong(span, "`...` stands here twice"),
                Item::Rest => {
                    rest = true;
                    for _ in taken..own.len() {
                        along.push(Along::Line { start: 0, step: 1, extent: own[axis] });
                        axis += 1;
                    }
                }
                Item::At(index) => {
                    along.push(self.at(index, own[axis])?);
                    axis += 1;
                }
                Item::Slice(parts) => {
                    along.push(self.slice(parts, own[axis], span)?);
                    axis += 1;
                }
            }
        }
        along.extend(own[axis..].iter().map(|extent| Along::Line { start: 0, step: 1, extent: *extent }));
        let result = match along.iter().any(|along| matches!(along, Along::Array(_))) {
            true => self.gather(base, along, span),
            false => self.line_up(base, &along, span),
        };
        result.map(Value::Array)
    }

    fn at(&mut self, index: &Expression, extent: u64) -> Made<Along> {
        let value = self.value(index)?;
        if let Value::Array(array) = value
            && self.kind(array) == Kind::Truth
        {
            let message = "the shape of what a condition picks is not known; use `where`";
            return self.wrong(index.span, message);
        }
        if let Some(at) = self.as_integer(&value) {
            let place = if at < 0 { at + extent as i64 } else { at };
            if place < 0 || place >= extent as i64 {
                return self.wrong(index.span, format!("index {at} of an axis of {extent}"));
            }
            return Ok(Along::Point(place));
        }
        let array = self.as_array(value, index.span)?;
        match self.kind(array) {
            Kind::Real => self.wrong(index.span, "an index is a whole number, and this is a real one"),
            _ => Ok(Along::Array(array)),
        }
    }

    /// Python's slices.
    fn slice(&mut self, parts: &[Option<Box<Expression>>; 3], extent: u64, span: Span) -> Made<Along> {
        let mut known = [None; 3];
        for (known, part) in known.iter_mut().zip(parts) {
            if let Some(part) = part {
                *known = Some(self.known_integer(part)?);
            }
        }
        let [start, stop, step] = known;
        let (step, length) = (step.unwrap_or(1), extent as i64);
        if step == 0 {
            return self.wrong(span, "a step of 0");
        }
        let place = |at: i64, least: i64, most: i64| {
            let at = if at < 0 { at.saturating_add(length) } else { at };
            at.clamp(least, most)
        };
        let (start, stop) = match step > 0 {
            true => {
                (start.map_or(0, |at| place(at, 0, length)), stop.map_or(length, |at| place(at, 0, length)))
            }
            false => (
                start.map_or(length - 1, |at| place(at, -1, length - 1)),
                stop.map_or(-1, |at| place(at, -1, length - 1)),
            ),
        };
        let span_of = if step > 0 { stop - start } else { start - stop };
        if span_of <= 0 {
            return self.wrong(span, "this slice is empty");
        }
        let extent = (span_of as u64).div_ceil(step.unsigned_abs());
        Ok(Along::Line { start, step, extent })
    }

    /// Points and lines: a view.
    fn line_up(&mut self, base: Array, along: &[Along], span: Span) -> Made<Array> {
        let shape = self.shape(base.id);
        let strides = row_major(&shape);
        let (mut to, mut steps) = (shape[..base.frame].to_vec(), strides[..base.frame].to_vec());
        let (mut offset, mut axis) = (0, base.frame);
        for along in along {
            match along {
                Along::New => {
                    to.push(1);
                    steps.push(0);
                    continue;
                }
                Along::Point(at) => offset += at * strides[axis],
                Along::Line { start, step, extent } => {
                    offset += start * strides[axis];
                    steps.push(step * strides[axis]);
                    to.push(*extent);
                }
                Along::Array(_) => {}
            }
            axis += 1;
        }
        let kind = self.kind(base);
        let id = match offset == 0 && count(&to) == count(&shape) && steps.iter().all(|step| *step >= 0) {
            true if self.keeps_order(&to, &steps) => self.reshaped(base.id, to, span)?,
            _ => self.push(Op::View(base.id, offset, steps), to, kind, span)?,
        };
        Ok(Array { id, frame: base.frame })
    }

    /// Whether a view of all elements has them in their order.
    fn keeps_order(&self, shape: &[u64], steps: &[i64]) -> bool {
        let expected = row_major(shape);
        shape
            .iter()
            .zip(steps)
            .zip(expected)
            .all(|((extent, step), expected)| *extent == 1 || *step == expected)
    }

    /// Indices that are arrays. Their axes stand where the first of them stands if all of them are neighbours, and
    /// before the others if not, as in NumPy.
    fn gather(&mut self, base: Array, along: Vec<Along>, span: Span) -> Made<Array> {
        let letters = base.frame;
        let arrays: Vec<Array> = along
            .iter()
            .filter_map(|along| match along {
                Along::Array(array) => Some(*array),
                _ => None,
            })
            .collect();
        let (_, together) = self.broadcast(&arrays, span)?;
        let rank = together.len() - letters;
        let is_index = |along: &Along| matches!(along, Along::Array(_) | Along::Point(_));
        let first = along.iter().position(is_index).unwrap_or(0);
        let last = along.iter().rposition(is_index).unwrap_or(0);
        let neighbours = along[first..=last].iter().all(is_index);
        // The axes of the result: where lines come to lie, and where the indices do.
        let lines = |part: &[Along]| {
            part.iter().filter(|along| matches!(along, Along::Line { .. } | Along::New)).count()
        };
        let before = if neighbours { lines(&along[..first]) } else { 0 };
        let total = lines(&along) + rank;
        let mut indices = Vec::new();
        // Letters that the base itself depends on are axes of it.
        let base_shape = self.shape(base.id);
        for (letter, extent) in base_shape[..letters].iter().enumerate() {
            let mut shape = vec![1; letters + total];
            shape[letter] = *extent;
            indices.push(self.counting(0, 1, *extent, shape, span)?);
        }
        let mut line = 0;
        for along in along {
            // Where the next line lies among the axes of the result.
            let at = if line < before { line } else { line + rank };
            match along {
                Along::New => line += 1,
                Along::Line { start, step, extent } => {
                    let mut shape = vec![1; letters + total];
                    shape[letters + at] = extent;
                    indices.push(self.counting(start, step, extent, shape, span)?);
                    line += 1;
                }
                Along::Point(at) => {
                    let shape = vec![1; letters + total];
                    indices.push(self.counting(at, 1, 1, shape, span)?);
                }
                Along::Array(array) => {
                    let array = self.lifted(array, span)?;
                    let mut shape = self.shape(array.id);
                    let missing = rank - (shape.len() - letters);
                    shape.splice(letters..letters, std::iter::repeat_n(1, before + missing));
                    shape.resize(letters + total, 1);
                    indices.push(Array { id: self.reshaped(array.id, shape, span)?, frame: letters });
                }
            }
        }
        let (indices, shape) = self.broadcast(&indices, span)?;
        let kind = self.kind(base);
        let op = Op::At(base.id, indices.into_iter().map(|index| index.id).collect());
        Ok(Array { id: self.push(op, shape, kind, span)?, frame: letters })
    }

    /// Numbers from one on with a step, in a shape that has them along one axis.
    fn counting(&mut self, start: i64, step: i64, extent: u64, shape: Vec<u64>, span: Span) -> Made<Array> {
        let line = self.push(Op::Arange(start, step), vec![extent], Kind::Word(Format::S64), span)?;
        Ok(Array { id: self.reshaped(line, shape, span)?, frame: self.letters.len() })
    }

    /// A function that the language cannot say.
    pub(super) fn primitive(
        &mut self,
        primitive: Primitive,
        values: &[(String, Value)],
        span: Span,
    ) -> Made<Value> {
        let arguments = Arguments { values, span };
        let array = match primitive {
            Primitive::Real(function) => self.real(function, &arguments)?,
            Primitive::Rounding(function) => self.whole_part(function, &arguments)?,
            Primitive::Arithmetic(function) => {
                let each = (0..values.len()).map(|at| arguments.array(self, at));
                let each = each.collect::<Made<Vec<_>>>()?;
                self.arithmetic(function, &each, span)?
            }
            Primitive::Fold(fold) => self.reduction(fold, &arguments)?,
            Primitive::Where => {
                let [condition, a, b] =
                    [arguments.array(self, 0)?, arguments.array(self, 1)?, arguments.array(self, 2)?];
                self.choice(condition, a, b, span)?
            }
            Primitive::Mean => {
                let sum = self.reduction(Fold::Sum, &arguments)?;
                let count = self.count_along(&arguments)?;
                self.quotient(sum, count, span)?
            }
            Primitive::Count => self.count_along(&arguments)?,
            Primitive::CumSum => {
                let array = arguments.array(self, 0)?;
                let array = self.numeric(array, span)?;
                let rank = self.own(array).len();
                let axis = match (&arguments.values[1].1, rank) {
                    (Value::None, 1) => 0,
                    (Value::None, _) => {
                        let message =
                            format!("along which of {rank} axes? `cumsum(x, axis=-1)` is along the last");
                        return self.wrong(span, message);
                    }
                    _ => arguments.axis(self, 1, rank)?,
                };
                self.running(array, axis, span)?
            }
            Primitive::Reshape => {
                let array = arguments.array(self, 0)?;
                let shape = arguments.shape(self, 1, Some(count(&self.own(array))))?;
                self.in_shape(array, &shape, span)?
            }
            Primitive::Permute => {
                let array = arguments.array(self, 0)?;
                let rank = self.own(array).len();
                let axes = arguments.axes(self, 1, rank)?;
                if axes.len() != rank {
                    return self.wrong(
                        span,
                        format!(
                            "{} for the shape {}",
                            counted(axes.len(), "axis", "axes"),
                            shown(&self.own(array))
                        ),
                    );
                }
                self.permuted(array, &axes, span)?
            }
            Primitive::ExpandDims => {
                let array = arguments.array(self, 0)?;
                let mut shape = self.own(array);
                let axis = arguments.axis(self, 1, shape.len() + 1)?;
                shape.insert(axis, 1);
                self.in_shape(array, &shape, span)?
            }
            Primitive::Concat | Primitive::Stack => self.join(primitive == Primitive::Stack, &arguments)?,
            Primitive::BroadcastTo => {
                let array = arguments.array(self, 0)?;
                let shape = arguments.shape(self, 1, None)?;
                self.spread_to(array, &shape, span)?
            }
            Primitive::Full => {
                let shape = arguments.shape(self, 0, None)?;
                let value = arguments.array(self, 1)?;
                self.spread_to(value, &shape, span)?
            }
            Primitive::Arange => self.arange(&arguments)?,
            Primitive::Take => {
                let array = arguments.array(self, 0)?;
                let indices = arguments.array(self, 1)?;
                let own = self.own(array);
                let axis = arguments.axis(self, 2, own.len())?;
                let each = |at: usize| match at == axis {
                    true => Along::Array(indices),
                    false => Along::Line { start: 0, step: 1, extent: own[at] },
                };
                if !matches!(self.kind(indices), Kind::Whole | Kind::Word(_)) {
                    return self.wrong(span, "indices are whole numbers");
                }
                self.gather(array, (0..own.len()).map(each).collect(), span)?
            }
            Primitive::Flip => {
                let array = arguments.array(self, 0)?;
                let own = self.own(array);
                let axes = arguments.axes(self, 1, own.len())?;
                let each = |(at, extent): (usize, &u64)| match axes.contains(&at) {
                    true => Along::Line { start: *extent as i64 - 1, step: -1, extent: *extent },
                    false => Along::Line { start: 0, step: 1, extent: *extent },
                };
                let along: Vec<Along> = own.iter().enumerate().map(each).collect();
                self.line_up(array, &along, span)?
            }
            Primitive::Cast => self.cast(&arguments)?,
            Primitive::Einsum => self.einsum(&arguments)?,
            Primitive::Conv1d => self.convolution(1, &arguments)?,
            Primitive::Conv2d => self.convolution(2, &arguments)?,
            Primitive::MaxPool2d => self.pool(true, &arguments)?,
            Primitive::AvgPool2d => self.pool(false, &arguments)?,
        };
        Ok(Value::Array(array))
    }

    fn real(&mut self, function: Function, arguments: &Arguments<'_>) -> Made<Array> {
        let array = arguments.array(self, 0)?;
        let array = self.numeric(array, arguments.span)?;
        self.map(function, &[array], Kind::Real, arguments.span)
    }

    fn whole_part(&mut self, function: Function, arguments: &Arguments<'_>) -> Made<Array> {
        let array = arguments.array(self, 0)?;
        let array = self.numeric(array, arguments.span)?;
        match self.kind(array) {
            Kind::Word(_) | Kind::Whole => Ok(array),
            kind => self.map(function, &[array], kind, arguments.span),
        }
    }

    fn reduction(&mut self, fold: Fold, arguments: &Arguments<'_>) -> Made<Array> {
        let array = arguments.array(self, 0)?;
        let own = self.own(array);
        let axes = arguments.axes(self, 1, own.len())?;
        let keep = arguments.flag(self, 2)?;
        if matches!(fold, Fold::ArgMax | Fold::ArgMin) && axes.len() != 1 && axes.len() != own.len() {
            return self.wrong(arguments.span, "the place of an element is along one axis, or among all");
        }
        self.folded(fold, array, &axes, keep, arguments.span)
    }

    fn count_along(&mut self, arguments: &Arguments<'_>) -> Made<Array> {
        let array = arguments.array(self, 0)?;
        let own = self.own(array);
        let axes = arguments.axes(self, 1, own.len())?;
        let along: Vec<u64> = axes.iter().map(|axis| own[*axis]).collect();
        self.whole(count(&along) as i64, arguments.span)
    }

    fn running(&mut self, array: Array, axis: usize, span: Span) -> Made<Array> {
        let rank = self.own(array).len();
        let mut order: Vec<usize> = (0..rank).collect();
        order.swap(axis, rank - 1);
        let turned = self.permuted(array, &order, span)?;
        let kind = match self.kind(turned) {
            Kind::Word(format) if format.class() == FormatClass::Signed => Kind::Word(Format::S64),
            Kind::Word(_) => Kind::Word(Format::U64),
            Kind::Whole => Kind::Word(Format::S64),
            kind => kind,
        };
        let shape = self.shape(turned.id);
        let id = self.push(Op::Scan(turned.id), shape, kind, span)?;
        let sum = self.wrapped(Array { id, frame: turned.frame }, span)?;
        self.permuted(sum, &order, span)
    }

    fn in_shape(&mut self, array: Array, shape: &[u64], span: Span) -> Made<Array> {
        let own = self.own(array);
        if count(&own) != count(shape) {
            let message = format!(
                "the shape {} has {}, and {} has {}",
                shown(&own),
                counted(count(&own) as usize, "element", "elements"),
                shown(shape),
                count(shape)
            );
            return self.wrong(span, message);
        }
        let frame = self.graph.shape(array.id)[..array.frame].iter();
        let full = frame.chain(shape).copied().collect();
        Ok(Array { id: self.reshaped(array.id, full, span)?, frame: array.frame })
    }

    fn spread_to(&mut self, array: Array, shape: &[u64], span: Span) -> Made<Array> {
        let own = self.own(array);
        let full = vec![1; self.letters.len()].into_iter().chain(shape.iter().copied()).collect();
        let like = self.push(Op::Number(zero()), full, Kind::Whole, span)?;
        let like = Array { id: like, frame: self.letters.len() };
        let fits = own.len() <= shape.len()
            && own.iter().rev().zip(shape.iter().rev()).all(|(from, to)| from == to || *from == 1);
        if !fits {
            return self
                .wrong(span, format!("the shape {} does not spread to {}", shown(&own), shown(shape)));
        }
        Ok(self.broadcast(&[array, like], span)?.0[0])
    }

    fn join(&mut self, new_axis: bool, arguments: &Arguments<'_>) -> Made<Array> {
        let span = arguments.span;
        let Value::List(list) = &arguments.values[0].1 else {
            return self.wrong(span, "the arrays stand in a list: `[a, b]`");
        };
        let mut arrays = Vec::new();
        for value in list {
            arrays.push(self.as_array(value.clone(), span)?);
        }
        let Some(first) = arrays.first() else { return self.wrong(span, "no arrays are given") };
        let rank = self.own(*first).len() + usize::from(new_axis);
        let axis = arguments.axis(self, 1, rank)?;
        let letters = self.letters.len();
        // Letters that only some depend on.
        let mut frame = vec![1; letters];
        for array in &arrays {
            let shape = self.graph.shape(array.id);
            frame.iter_mut().zip(shape).for_each(|(extent, other)| *extent = (*extent).max(*other));
        }
        let kind = self.together(&arrays);
        let (mut ids, mut extent, mut others) = (Vec::new(), 0, None);
        for array in arrays {
            let mut shape = self.own(array);
            if new_axis {
                shape.insert(axis, 1);
            }
            if shape.len() != rank {
                return self.wrong(span, format!("the arrays have {} and {} axes", rank, shape.len()));
            }
            extent += shape[axis];
            let mut other = shape.clone();
            other[axis] = 1;
            match &others {
                None => others = Some(other),
                Some(before) if *before != other => {
                    let message = format!(
                        "the shapes {} and {} differ beside axis {axis}",
                        shown(before),
                        shown(&other)
                    );
                    return self.wrong(span, message);
                }
                Some(_) => {}
            }
            let array = self.in_shape(array, &shape, span)?;
            let array = if kind == Kind::Truth { array } else { self.numeric(array, span)? };
            let full = frame.iter().copied().chain(shape).collect();
            let like = Array { id: self.push(Op::Number(zero()), full, Kind::Whole, span)?, frame: letters };
            ids.push(self.broadcast(&[array, like], span)?.0[0].id);
        }
        let mut shape = others.unwrap_or_default();
        shape[axis] = extent;
        let full = frame.into_iter().chain(shape).collect();
        let id = self.push(Op::Join(ids, letters + axis), full, kind, span)?;
        self.wrapped(Array { id, frame: letters }, span)
    }

    fn arange(&mut self, arguments: &Arguments<'_>) -> Made<Array> {
        let span = arguments.span;
        let first = arguments.integer(self, 0)?;
        let (start, stop) = match &arguments.values[1].1 {
            Value::None => (0, first),
            _ => (first, arguments.integer(self, 1)?),
        };
        let step = arguments.integer(self, 2)?;
        let length = if step > 0 { stop.saturating_sub(start) } else { start.saturating_sub(stop) };
        if step == 0 || length <= 0 {
            return self.wrong(span, format!("arange({start}, {stop}, {step}) is empty"));
        }
        let extent = length.unsigned_abs().div_ceil(step.unsigned_abs());
        let shape = vec![1; self.letters.len()].into_iter().chain([extent]).collect();
        self.counting(start, step, extent, shape, span)
    }

    fn cast(&mut self, arguments: &Arguments<'_>) -> Made<Array> {
        let span = arguments.span;
        let array = arguments.array(self, 0)?;
        let Value::Text(name) = &arguments.values[1].1 else {
            return self.wrong(span, "a type is a name such as float32 or int8");
        };
        if name == "bool" {
            return self.truth(array, span);
        }
        let Some(format) = dtype(name) else {
            return self
                .wrong(span, format!("there is no type `{name}`; try float32, float16, int32 or uint8"));
        };
        let array = self.numeric(array, span)?;
        if format.is_float() {
            // The same numbers: nothing rounds.
            return self.in_kind(array, Kind::Real, span);
        }
        let function = match self.kind(array) {
            Kind::Real => Function::Integer(format),
            _ => Function::Wrap(format),
        };
        self.map(function, &[array], Kind::Word(format), span)
    }

    /// Letters of each operand, and of the result.
    fn einsum(&mut self, arguments: &Arguments<'_>) -> Made<Array> {
        let span = arguments.span;
        let Value::Text(text) = &arguments.values[0].1 else {
            return self.wrong(span, "the subscripts are a text such as 'ij,jk->ik'");
        };
        let clean = text.replace(' ', "");
        let (from, to) = match clean.split_once("->") {
            Some((from, to)) => (from.to_owned(), Some(to.to_owned())),
            None => (clean.clone(), None),
        };
        let subscripts: Vec<Vec<char>> = from.split(',').map(|part| part.chars().collect()).collect();
        let operands: Vec<&Value> = arguments.values[1..]
            .iter()
            .map(|(_, value)| value)
            .filter(|value| **value != Value::None)
            .collect();
        if operands.len() != subscripts.len()
            || !clean.chars().all(|c| c.is_ascii_alphabetic() || ",->".contains(c))
        {
            let message =
                format!("'{text}' does not name the axes of {}", counted(operands.len(), "array", "arrays"));
            return self.wrong(span, message);
        }
        let mut letters: Vec<(char, u64)> = Vec::new();
        let mut arrays = Vec::new();
        for (value, axes) in operands.into_iter().zip(&subscripts) {
            let array = self.as_array(value.clone(), span)?;
            let own = self.own(array);
            if own.len() != axes.len() {
                let axes: String = axes.iter().collect();
                return self.wrong(span, format!("'{axes}' for an array of shape {}", shown(&own)));
            }
            for (letter, extent) in axes.iter().zip(&own) {
                match letters.iter().find(|(known, _)| known == letter) {
                    Some((_, known)) if known != extent => {
                        let message =
                            format!("the letter {letter} stands for axes of {known} and of {extent}");
                        return self.wrong(span, message);
                    }
                    Some(_) => {}
                    None => letters.push((*letter, *extent)),
                }
            }
            arrays.push(array);
        }
        let once = |letter: char| from.chars().filter(|c| *c == letter).count() == 1;
        let kept: Vec<char> = match to {
            Some(to) => to.chars().collect(),
            None => {
                let mut kept: Vec<char> = letters.iter().map(|(c, _)| *c).filter(|c| once(*c)).collect();
                kept.sort_unstable();
                kept
            }
        };
        let known = |letter: &char| letters.iter().any(|(c, _)| c == letter);
        if let Some(letter) = kept.iter().find(|letter| !known(letter)) {
            return self.wrong(span, format!("no array has the axis {letter}"));
        }
        // The axes of the result, then those that are summed.
        let mut order = kept.clone();
        order.extend(letters.iter().map(|(c, _)| *c).filter(|c| !kept.contains(c)));
        let mut product: Option<Array> = None;
        for (array, axes) in arrays.into_iter().zip(&subscripts) {
            let shape = self.shape(array.id);
            let strides = row_major(&shape);
            let (mut to, mut steps) = (shape[..array.frame].to_vec(), strides[..array.frame].to_vec());
            for letter in &order {
                // A letter that stands twice is the diagonal.
                let own = axes.iter().enumerate().filter(|(_, axis)| *axis == letter);
                let step: Option<i64> = own.map(|(at, _)| strides[array.frame + at]).reduce(|a, b| a + b);
                let extent = letters.iter().find(|(c, _)| c == letter).map_or(1, |(_, extent)| *extent);
                to.push(if step.is_some() { extent } else { 1 });
                steps.push(step.unwrap_or(0));
            }
            let kind = self.kind(array);
            let id = self.push(Op::View(array.id, 0, steps), to, kind, span)?;
            let array = Array { id, frame: array.frame };
            product = Some(match product {
                None => array,
                Some(before) => self.arithmetic(Function::Multiply, &[before, array], span)?,
            });
        }
        let Some(product) = product else { return self.wrong(span, "no arrays are given") };
        let summed: Vec<usize> = (kept.len()..order.len()).collect();
        if summed.is_empty() {
            return Ok(product);
        }
        self.summed(product, &summed, span)
    }

    /// A number around an array: so many elements before and behind each of its last two axes.
    fn padded(&mut self, array: Array, by: [u64; 2], around: Number, span: Span) -> Made<Array> {
        if by == [0, 0] {
            return Ok(array);
        }
        let mut shape = self.shape(array.id);
        let rank = shape.len();
        let mut before = vec![0; rank];
        for (axis, by) in [rank - 2, rank - 1].into_iter().zip(by) {
            before[axis] = by;
            shape[axis] += 2 * by;
        }
        let around = self.constant(around, span)?.id;
        let kind = self.kind(array);
        let id = self.push(Op::Pad(array.id, before, around), shape, kind, span)?;
        Ok(Array { id, frame: array.frame })
    }

    /// Two-dimensional convolution; one-dimensional with a height of 1.
    fn convolution(&mut self, rank: usize, arguments: &Arguments<'_>) -> Made<Array> {
        let span = arguments.span;
        let (x, w) = (arguments.array(self, 0)?, arguments.array(self, 1)?);
        if x.frame > 0 {
            return self.wrong(
                span,
                "a convolution has no place inside `sum(i: …)`; give it a name in a line before",
            );
        }
        let (shape, filter) = (self.own(x), self.own(w));
        if shape.len() != rank + 2 || filter.len() != rank + 2 {
            let message = format!("a convolution of shapes {} and {}", shown(&shape), shown(&filter));
            let axes = if rank == 1 { "length" } else { "height, width" };
            return self.wrong(span, message).map_err(|problem: Problem| {
                problem.note(format!(
                    "they are (batch, channels, {axes}) and (channels out, channels in, {axes})"
                ))
            });
        }
        let [stride, padding, dilation] = [3, 4, 5].map(|at| arguments.pair(self, at, rank));
        let ([stride, padding, dilation], groups) =
            ([stride?, padding?, dilation?], arguments.integer(self, 6)?);
        let two = |shape: &[u64]| match rank {
            1 => vec![shape[0], shape[1], 1, shape[2]],
            _ => shape.to_vec(),
        };
        let (full, filter) = (two(&shape), two(&filter));
        let x = self.in_shape(x, &full, span)?;
        let w = self.in_shape(w, &filter, span)?;
        let x = self.padded(x, padding, zero(), span)?;
        let [n, c, h, width] = <[u64; 4]>::try_from(self.own(x)).unwrap_or_default();
        let [o, per, kh, kw] = <[u64; 4]>::try_from(filter.clone()).unwrap_or_default();
        let g = u64::try_from(groups).unwrap_or(0);
        if g == 0 || per.checked_mul(g) != Some(c) || o % g != 0 {
            let message = format!(
                "{c} channels, filters of {per}, and {} of {o}",
                counted(g as usize, "group", "groups")
            );
            return self.wrong(span, message);
        }
        let reach = |extent: u64, filter: u64, axis: usize| {
            let last = extent.checked_sub(dilation[axis].checked_mul(filter - 1)?.checked_add(1)?)?;
            Some(last / stride[axis] + 1)
        };
        let (Some(oh), Some(ow)) = (reach(h, kh, 0), reach(width, kw, 1)) else {
            return self
                .wrong(span, format!("the filter {} is larger than the padded input", shown(&filter[2..])));
        };
        let all = vec![n, g, o / g, oh, ow, per, kh, kw];
        let (row, plane) = (width as i64, (h * width) as i64);
        let [sh, sw] = stride.map(|step| step as i64);
        let [dh, dw] = dilation.map(|step| step as i64);
        let steps = vec![c as i64 * plane, per as i64 * plane, 0, sh * row, sw, plane, dh * row, dw];
        let kind = self.kind(x);
        let windows = Array { id: self.push(Op::View(x.id, 0, steps), all.clone(), kind, span)?, frame: 0 };
        let one = (per * kh * kw) as i64;
        let steps = vec![0, (o / g) as i64 * one, one, 0, 0, (kh * kw) as i64, kw as i64, 1];
        let kind = self.kind(w);
        let weights = Array { id: self.push(Op::View(w.id, 0, steps), all, kind, span)?, frame: 0 };
        let products = self.arithmetic(Function::Multiply, &[windows, weights], span)?;
        let sum = self.summed(products, &[5, 6, 7], span)?;
        let mut result = self.in_shape(sum, &[n, o, oh, ow], span)?;
        if arguments.values[2].1 != Value::None {
            let bias = arguments.array(self, 2)?;
            let bias = self.in_shape(bias, &[o, 1, 1], span)?;
            result = self.arithmetic(Function::Add, &[result, bias], span)?;
        }
        match rank {
            1 => self.in_shape(result, &[n, o, ow], span),
            _ => Ok(result),
        }
    }

    fn pool(&mut self, max: bool, arguments: &Arguments<'_>) -> Made<Array> {
        let span = arguments.span;
        let x = arguments.array(self, 0)?;
        let own = self.own(x);
        if own.len() < 2 {
            return self.wrong(span, format!("pooling needs height and width, not {}", shown(&own)));
        }
        let window = arguments.pair(self, 1, 2)?;
        let stride = match arguments.values[2].1 {
            Value::None => window,
            _ => arguments.pair(self, 2, 2)?,
        };
        let padding = arguments.pair(self, 3, 2)?;
        let around = if max { Number::MinusInfinity } else { zero() };
        let x = self.padded(x, padding, around, span)?;
        let shape = self.shape(x.id);
        let strides = row_major(&shape);
        let lead = shape.len() - 2;
        let (mut to, mut steps) = (shape[..lead].to_vec(), strides[..lead].to_vec());
        for axis in 0..2 {
            let Some(last) = shape[lead + axis].checked_sub(window[axis]) else {
                return self
                    .wrong(span, format!("the window {} is larger than the padded input", shown(&window)));
            };
            to.push(last / stride[axis] + 1);
            steps.push(stride[axis] as i64 * strides[lead + axis]);
        }
        to.extend(window);
        steps.extend(&strides[lead..]);
        let kind = self.kind(x);
        let rank = to.len() - x.frame;
        let windows = Array { id: self.push(Op::View(x.id, 0, steps), to, kind, span)?, frame: x.frame };
        let fold = if max { Fold::Max } else { Fold::Sum };
        let result = self.folded(fold, windows, &[rank - 2, rank - 1], false, span)?;
        if max {
            return Ok(result);
        }
        let count = self.whole((window[0] * window[1]) as i64, span)?;
        self.quotient(result, count, span)
    }
}

/// The arguments of a call, by their places.
struct Arguments<'a> {
    values: &'a [(String, Value)],
    span: Span,
}

impl Arguments<'_> {
    fn array(&self, of: &mut Elaborator<'_>, at: usize) -> Made<Array> {
        of.as_array(self.values[at].1.clone(), self.span)
    }

    #[cold]
    fn wrong<T>(&self, of: &Elaborator<'_>, at: usize, what: &str) -> Made<T> {
        of.wrong(self.span, format!("`{}` has to be {what}", self.values[at].0))
    }

    fn integer(&self, of: &Elaborator<'_>, at: usize) -> Made<i64> {
        match of.as_integer(&self.values[at].1) {
            Some(value) => Ok(value),
            None => self.wrong(of, at, "a whole number that is known"),
        }
    }

    fn flag(&self, of: &Elaborator<'_>, at: usize) -> Made<bool> {
        match of.as_integer(&self.values[at].1) {
            Some(value) => Ok(value != 0),
            None => self.wrong(of, at, "True or False"),
        }
    }

    fn integers(&self, of: &Elaborator<'_>, at: usize) -> Made<Vec<i64>> {
        let found = match &self.values[at].1 {
            Value::List(list) => list.iter().map(|value| of.as_integer(value)).collect(),
            value => of.as_integer(value).map(|value| vec![value]),
        };
        match found {
            Some(found) => Ok(found),
            None => self.wrong(of, at, "a whole number or a list of them, all known"),
        }
    }

    /// An axis of so many.
    fn axis(&self, of: &Elaborator<'_>, at: usize, rank: usize) -> Made<usize> {
        let axis = self.integer(of, at)?;
        resolve(axis, rank).map_or_else(|| of.wrong(self.span, no_axis(axis, rank)), Ok)
    }

    /// Axes of so many, all of them where nothing is said.
    fn axes(&self, of: &Elaborator<'_>, at: usize, rank: usize) -> Made<Vec<usize>> {
        if self.values[at].1 == Value::None {
            return Ok((0..rank).collect());
        }
        let mut axes = Vec::new();
        for axis in self.integers(of, at)? {
            match resolve(axis, rank) {
                Some(axis) if axes.contains(&axis) => {
                    return of.wrong(self.span, format!("axis {axis} stands twice"));
                }
                Some(axis) => axes.push(axis),
                None => return of.wrong(self.span, no_axis(axis, rank)),
            }
        }
        Ok(axes)
    }

    /// A shape, in which one extent may be -1 where the number of elements is known.
    fn shape(&self, of: &Elaborator<'_>, at: usize, elements: Option<u64>) -> Made<Vec<u64>> {
        let extents = self.integers(of, at)?;
        let known: u64 = count(&extents.iter().filter(|e| **e > 0).map(|e| *e as u64).collect::<Vec<_>>());
        let open = extents.iter().filter(|extent| **extent == -1).count();
        let each = |extent: &i64| match (extent, elements) {
            (-1, Some(elements)) if open == 1 && known > 0 && elements % known == 0 => Some(elements / known),
            (extent, _) if *extent > 0 => Some(*extent as u64),
            _ => None,
        };
        match extents.iter().map(each).collect() {
            Some(shape) => Ok(shape),
            None => self.wrong(of, at, "a list of extents, all at least 1"),
        }
    }

    /// A number for both axes, or one for each; the first is 1 (of padding: 0) where there is one axis.
    fn pair(&self, of: &Elaborator<'_>, at: usize, rank: usize) -> Made<[u64; 2]> {
        let padding = self.values[at].0 == "padding";
        let numbers = self.integers(of, at)?;
        let both = match (numbers.as_slice(), rank) {
            ([one], 1) => [i64::from(!padding), *one],
            ([one], _) => [*one, *one],
            ([a, b], 2) => [*a, *b],
            _ => return self.wrong(of, at, "one number, or one for each axis"),
        };
        let least = i64::from(!padding);
        if both.iter().any(|number| *number < least || *number > 1 << 20) {
            return self.wrong(of, at, &format!("{least} or more"));
        }
        Ok(both.map(|number| number as u64))
    }
}

fn resolve(axis: i64, rank: usize) -> Option<usize> {
    let axis = if axis < 0 { axis + rank as i64 } else { axis };
    usize::try_from(axis).ok().filter(|axis| *axis < rank)
}

fn no_axis(axis: i64, rank: usize) -> String {
    match rank {
        0 => format!("there is no axis {axis}: this is a single number"),
        1 => format!("there is no axis {axis}: there is one axis, 0"),
        _ => format!("there is no axis {axis}: there are {rank}, 0 to {}", rank - 1),
    }
}
