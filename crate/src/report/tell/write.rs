//! Forms as text in the language of formulas: with letters, or as arrays.
//!
//! With letters everything can be said: `C[i, j] = sum(k: A[i, k] * B[k, j])`. As arrays a form is a value with
//! an axis for each of its free letters, in the order of the letters; what meets is brought to common axes by
//! `.T` and `None`, and a sum over a letter of a product whose factors share nothing else is `A @ B`.

use super::forms::{Affine, Fold, Form, Head, Letter, factors};
use crate::decide::{Exact, Factor};
use crate::term::{Relation, Unary};
use num_rational::{BigRational, Ratio};
use num_traits::{One, Signed, ToPrimitive};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How tightly the outermost operator of a text binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Binds {
    Choice,
    Comparison,
    Bits,
    Sum,
    Product,
    Power,
    Atom,
}

/// A text, how tightly it binds, and the letters of its axes (none where it is written with letters).
#[derive(Clone, Debug)]
struct Written {
    text: String,
    binds: Binds,
    axes: Vec<Letter>,
}

/// What a form is written with.
pub struct Writer<'a> {
    /// The extents of inputs.
    pub shape: &'a dyn Fn(&str) -> Option<Vec<u64>>,
    /// Names that letters must not have.
    pub taken: &'a dyn Fn(&str) -> bool,
    /// The extents of the output's axes.
    pub extents: &'a [u64],
}

/// What letters are called: those of axes, and those that are bound.
const AXES: &[&str] = &["i", "j", "m", "n", "u", "v", "i2", "j2"];
const LETTERS: &[&str] = &["k", "l", "p", "q", "r", "s", "t", "k2", "l2"];

impl Writer<'_> {
    /// The assignment of an output, with letters.
    pub fn by_letters(&self, output: &str, form: &Rc<Form>) -> Option<String> {
        let names = self.names(form)?;
        let body = self.write(form, &mut Scope { names: &names, arrays: false, extents: self.scope() })?;
        let letters: Vec<&str> = (0..self.extents.len() as Letter).map(|at| names[&at].as_str()).collect();
        match letters.is_empty() {
            true => Some(format!("{output} = {}", body.text)),
            false => Some(format!("{output}[{}] = {}", letters.join(", "), body.text)),
        }
    }

    /// The assignment of an output, as arrays.
    pub fn as_arrays(&self, output: &str, form: &Rc<Form>) -> Option<String> {
        let names = FxHashMap::default();
        let mut scope = Scope { names: &names, arrays: true, extents: self.scope() };
        let body = self.write(form, &mut scope)?;
        let all: Vec<Letter> = (0..self.extents.len() as Letter).collect();
        let long = |letter: &Letter| self.extents[*letter as usize] > 1;
        let text = match all.iter().filter(|letter| long(letter)).all(|letter| body.axes.contains(letter)) {
            true => ordered(body, &all)?.text,
            false => self.repeated(form, aligned(body, &all)?.text),
        };
        Some(format!("{output} = {text}"))
    }

    /// A value in the place of all elements.
    fn repeated(&self, form: &Form, text: String) -> String {
        let shape = match self.extents {
            [extent] => extent.to_string(),
            extents => format!("{extents:?}"),
        };
        match form.number() {
            Some(number) if number.is_zero() => format!("zeros({shape})"),
            Some(number) if number.is_one() => format!("ones({shape})"),
            Some(_) => format!("full({shape}, {text})"),
            None => format!("broadcast_to({text}, {:?})", self.extents),
        }
    }

    fn scope(&self) -> FxHashMap<Letter, u64> {
        (0..).zip(self.extents.iter().copied()).collect()
    }

    fn names(&self, form: &Rc<Form>) -> Option<FxHashMap<Letter, String>> {
        let mut bound: Vec<Letter> = form.all().iter().filter_map(|form| form.bound()).collect();
        bound.sort_unstable();
        bound.dedup();
        let free = |list: &'static [&'static str]| list.iter().filter(|name| !(self.taken)(name));
        let axes = (0..self.extents.len() as Letter).zip(free(AXES));
        let names: FxHashMap<Letter, String> = axes
            .chain(bound.iter().rev().copied().zip(free(LETTERS)))
            .map(|(at, name)| (at, (*name).to_owned()))
            .collect();
        (names.len() == self.extents.len() + bound.len()).then_some(names)
    }

    fn write(&self, form: &Rc<Form>, scope: &mut Scope<'_>) -> Option<Written> {
        Some(match &form.head {
            Head::Number(exact) => plain(constant(exact)?, Binds::Product),
            Head::Whole => self.whole(&form.holes[0], scope)?,
            Head::Infinity(true) => plain("inf".to_owned(), Binds::Atom),
            Head::Infinity(false) => plain("-inf".to_owned(), Binds::Sum),
            Head::Input(name) => self.input(name, &form.holes, scope)?,
            Head::All(Fold::Sum) => self.sum(form, scope)?,
            Head::All(fold) => {
                let name = if *fold == Fold::Max { "maximum" } else { "minimum" };
                let parts = self.together(&form.parts, scope)?;
                let mut parts = parts.into_iter();
                let first = parts.next()?;
                parts.fold(first, |all, part| Written {
                    text: format!("{name}({}, {})", all.text, part.text),
                    binds: Binds::Atom,
                    axes: longer(all.axes, part.axes),
                })
            }
            Head::Product(_) => self.product(form, scope)?,
            Head::Call(function) => {
                let inner = self.write(&form.parts[0], scope)?;
                call(called(*function)?, vec![inner])
            }
            Head::Named(name, more) => {
                let Written { text, binds, axes } = call(name, self.together(&form.parts, scope)?);
                Written { text: format!("{}{more})", text.strip_suffix(')')?), binds, axes }
            }
            Head::Select => {
                let parts = self.together(&form.parts, scope)?;
                match (scope.arrays, <[Written; 3]>::try_from(parts).ok()?) {
                    (true, parts) => call("where", parts.into()),
                    (false, [condition, a, b]) => {
                        let a = within(a, Binds::Comparison);
                        plain(format!("{a} if {} else {}", condition.text, b.text), Binds::Choice)
                    }
                }
            }
            Head::Compare(relation) => {
                let sign = match relation {
                    Relation::Less => "<",
                    Relation::LessEqual => "<=",
                    Relation::Equal => "==",
                };
                let parts = self.together(&form.parts, scope)?;
                let [mut a, mut b] = <[Written; 2]>::try_from(parts).ok()?;
                // Rows before columns, as masks are written.
                let mut sign = sign;
                if a.axes > b.axes && *relation == Relation::LessEqual {
                    (a, b, sign) = (b, a, ">=");
                }
                let axes = longer(a.axes.clone(), b.axes.clone());
                let text = format!("{} {sign} {}", within(a, Binds::Sum), within(b, Binds::Sum));
                Written { text, binds: Binds::Comparison, axes }
            }
            Head::Bits(sign) => {
                let parts = self.together(&form.parts, scope)?;
                let [a, b] = <[Written; 2]>::try_from(parts).ok()?;
                let axes = longer(a.axes.clone(), b.axes.clone());
                let text = format!("{} {sign} {}", within(a, Binds::Atom), within(b, Binds::Atom));
                Written { text, binds: Binds::Bits, axes }
            }
            Head::Over(fold, letter) => self.over(form, *fold, *letter, scope)?,
            Head::Along(name, letter, keeps, more) => {
                if !scope.arrays {
                    return None;
                }
                let inner =
                    self.bind(*letter, form, scope, |writer, scope| writer.write(&form.parts[0], scope))?;
                let at = inner.axes.iter().position(|axis| axis == letter)?;
                let mut axes = inner.axes.clone();
                let mut text = format!("{name}({}", inner.text);
                for other in &form.parts[1..] {
                    let other = self.write(other, scope)?;
                    if other.axes != [*letter] {
                        return None;
                    }
                    text += &format!(", {}", other.text);
                }
                text += more;
                let last = at + 1 == axes.len();
                match (more.contains("axis") || name.ends_with("_norm"), *keeps) {
                    (true, _) if last => {}
                    (true, _) => return None,
                    // Of a vector there is one mean.
                    (false, false) if axes.len() == 1 => {}
                    (false, _) => {
                        text += &format!(", axis={}", if last { "-1".to_owned() } else { at.to_string() })
                    }
                }
                if !keeps {
                    axes.remove(at);
                }
                Written { text: text + ")", binds: Binds::Atom, axes }
            }
        })
    }

    /// Does something where a letter has the extent that a form gives it.
    fn bind<T>(
        &self,
        letter: Letter,
        form: &Form,
        scope: &mut Scope<'_>,
        then: impl FnOnce(&Self, &mut Scope<'_>) -> T,
    ) -> T {
        let extent = match form.holes.as_slice() {
            [from, to] if from.base == 0 && from.steps.is_empty() && to.steps.is_empty() => to.base.to_u64(),
            _ => self.indexed(&form.parts[0], letter),
        };
        let before = match extent.filter(|_| form.bound() == Some(letter)) {
            Some(extent) => Some(scope.extents.insert(letter, extent)),
            None => None,
        };
        let result = then(self, scope);
        match before {
            Some(Some(before)) => {
                scope.extents.insert(letter, before);
            }
            Some(None) => {
                scope.extents.remove(&letter);
            }
            None => {}
        }
        result
    }

    /// The extent of the axes that a letter indexes by itself, if they have one.
    pub fn indexed(&self, form: &Rc<Form>, letter: Letter) -> Option<u64> {
        let mut found = None;
        for form in form.all() {
            let Head::Input(name) = &form.head else { continue };
            let shape = (self.shape)(name)?;
            for (hole, extent) in form.holes.iter().zip(shape) {
                if hole.letter() == Some(letter) && found.replace(extent).is_some_and(|known| known != extent)
                {
                    return None;
                }
            }
        }
        found
    }

    fn whole(&self, hole: &Affine, scope: &Scope<'_>) -> Option<Written> {
        if !scope.arrays || hole.steps.is_empty() {
            return scope.affine(hole);
        }
        let [(letter, step)] = hole.steps.as_slice() else { return None };
        let mut text = format!("arange({})", scope.extents.get(letter)?);
        let mut binds = Binds::Atom;
        if *step != 1 {
            (text, binds) = (format!("{step} * {text}"), Binds::Product);
        }
        if hole.base != 0 {
            (text, binds) = (format!("{text} {} {}", sign(hole.base < 0), hole.base.abs()), Binds::Sum);
        }
        Some(Written { text, binds, axes: vec![*letter] })
    }

    fn input(&self, name: &str, holes: &[Affine], scope: &Scope<'_>) -> Option<Written> {
        if holes.is_empty() {
            return Some(plain(name.to_owned(), Binds::Atom));
        }
        let shape = (self.shape)(name)?;
        if !scope.arrays {
            let indices =
                holes.iter().map(|hole| Some(scope.affine(hole)?.text)).collect::<Option<Vec<_>>>()?;
            let text = format!("{name}[{}]", indices.join(", "));
            // Around the tensor lie zeros: the trials say whether they do.
            let leaves = |(hole, extent): (&Affine, &u64)| {
                let (low, high) = scope.ends(hole);
                low < 0 || high >= *extent as i64
            };
            let mut conditions = Vec::new();
            for ((hole, extent), index) in holes.iter().zip(&shape).zip(&indices) {
                if leaves((hole, extent)) {
                    conditions.push(format!("0 <= {index} < {extent}"));
                }
            }
            return Some(match conditions.is_empty() {
                true => plain(text, Binds::Atom),
                false => plain(format!("{text} if {} else 0", conditions.join(" and ")), Binds::Choice),
            });
        }
        let (mut axes, mut items) = (Vec::new(), Vec::new());
        for (hole, extent) in holes.iter().zip(&shape) {
            match hole.steps.as_slice() {
                [] => items.push(hole.base.to_string()),
                [(letter, step)] => {
                    let count = *scope.extents.get(letter)? as i64;
                    let end = hole.base + step * count;
                    let last = end - step;
                    if axes.contains(letter)
                        || hole.base.min(last) < 0
                        || hole.base.max(last) >= *extent as i64
                    {
                        return None;
                    }
                    axes.push(*letter);
                    let bound = |at: i64, open: bool| if open { String::new() } else { at.to_string() };
                    items.push(match step {
                        1 => {
                            // An end that is near that of the axis is counted from there.
                            let rest = *extent as i64 - end;
                            let stop = if rest < hole.base.max(2) { -rest } else { end };
                            format!("{}:{}", bound(hole.base, hole.base == 0), bound(stop, rest == 0))
                        }
                        // What lies beyond the last is not read.
                        step if *step > 0 => {
                            let open = last + step >= *extent as i64;
                            format!("{}:{}:{step}", bound(hole.base, hole.base == 0), bound(last + 1, open))
                        }
                        step => {
                            let first = hole.base + 1 == *extent as i64;
                            format!("{}:{}:{step}", bound(hole.base, first), bound(last - 1, last == 0))
                        }
                    });
                }
                _ => return None,
            }
        }
        while items.last().is_some_and(|item| item == ":") {
            items.pop();
        }
        let text = if items.is_empty() { name.to_owned() } else { format!("{name}[{}]", items.join(", ")) };
        let mut sorted = axes.clone();
        sorted.sort_unstable();
        ordered(Written { text, binds: Binds::Atom, axes }, &sorted)
    }

    /// Parts brought to common axes.
    fn together(&self, parts: &[Rc<Form>], scope: &mut Scope<'_>) -> Option<Vec<Written>> {
        let parts = parts.iter().map(|part| self.write(part, scope)).collect::<Option<Vec<_>>>()?;
        let mut all: Vec<Letter> = parts.iter().flat_map(|part| part.axes.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        parts.into_iter().map(|part| aligned(part, &all)).collect()
    }

    fn sum(&self, form: &Form, scope: &mut Scope<'_>) -> Option<Written> {
        let split = |part: &Rc<Form>| {
            let (constant, above, below) = factors(part);
            let negative = constant.is_negative();
            let constant = if negative { constant.negated() } else { constant };
            (negative, super::forms::product(constant, above, below))
        };
        let mut parts: Vec<(bool, Rc<Form>)> = form.parts.iter().map(split).collect();
        // What is added comes before what is subtracted.
        if parts[0].0
            && let Some(first) = parts.iter().position(|(negative, _)| !negative)
        {
            parts[..=first].rotate_right(1);
        }
        let forms: Vec<Rc<Form>> = parts.iter().map(|(_, part)| part.clone()).collect();
        let written = self.together(&forms, scope)?;
        let (mut text, mut axes) = (String::new(), Vec::new());
        for ((negative, _), part) in parts.iter().zip(written) {
            axes = longer(axes, part.axes.clone());
            let part = within(part, Binds::Product);
            match (text.is_empty(), *negative) {
                (true, true) => text = format!("-{part}"),
                (true, false) => text = part,
                (false, _) => text += &format!(" {} {part}", sign(*negative)),
            }
        }
        Some(Written { text, binds: Binds::Sum, axes })
    }

    fn product(&self, form: &Rc<Form>, scope: &mut Scope<'_>) -> Option<Written> {
        let (by, above, below) = factors(form);
        let parts: Vec<Rc<Form>> = above.iter().chain(&below).cloned().collect();
        let mut written = powers(&parts, above.len(), self.together(&parts, scope)?);
        let below =
            written.split_off(written.iter().position(|(at, _)| *at >= above.len()).unwrap_or(written.len()));
        let mut axes = Vec::new();
        let mut text = String::new();
        for (_, part) in written {
            axes = longer(axes, part.axes.clone());
            let part = within(part, Binds::Product);
            text = if text.is_empty() { part } else { format!("{text} * {part}") };
        }
        let negative = by.is_negative();
        let by = if negative { by.negated() } else { by };
        let inverse = by.reciprocal().filter(|inverse| !by.is_one() && reads_inverted(&by, inverse));
        match &inverse {
            _ if by.is_one() => {}
            Some(inverse) if !text.is_empty() => {
                text =
                    format!("{text} / {}", within(plain(constant(inverse)?, binds_of(inverse)), Binds::Atom))
            }
            _ if text.is_empty() => text = constant(&by)?,
            _ => text = format!("{} * {text}", within(plain(constant(&by)?, binds_of(&by)), Binds::Product)),
        }
        if text.is_empty() {
            text = "1".to_owned();
        }
        for (_, part) in below {
            axes = longer(axes, part.axes.clone());
            text = format!("{text} / {}", within(part, Binds::Power));
        }
        let binds = if negative { Binds::Sum } else { Binds::Product };
        Some(Written { text: if negative { format!("-{text}") } else { text }, binds, axes })
    }

    fn over(&self, form: &Rc<Form>, fold: Fold, letter: Letter, scope: &mut Scope<'_>) -> Option<Written> {
        let body = &form.parts[0];
        let name = match fold {
            Fold::Sum => "sum",
            Fold::Max => "max",
            Fold::Min => "min",
        };
        // Ends that depend on letters were made conditions.
        let [from, to] = form.holes.as_slice() else { return None };
        if *from != Affine::number(0) || !to.steps.is_empty() {
            return None;
        }
        if !scope.arrays {
            let whole = self.indexed(body, letter) == to.base.to_u64()
                && body.all().iter().flat_map(|form| form.holes.iter()).all(|hole| {
                    hole.letter() == Some(letter) || hole.steps.iter().all(|(other, _)| *other != letter)
                });
            let inner = self.bind(letter, form, scope, |writer, scope| writer.write(body, scope))?.text;
            let letter = &scope.names[&letter];
            let range = match whole {
                true => String::new(),
                false => format!(" in 0..{}", to.base),
            };
            return Some(plain(format!("{name}({letter}{range}: {inner})"), Binds::Atom));
        }
        self.bind(letter, form, scope, |writer, scope| {
            if fold == Fold::Sum
                && let Some(product) = writer.matrix(body, letter, scope)
            {
                return Some(product);
            }
            let inner = writer.write(body, scope)?;
            let at = inner.axes.iter().position(|axis| *axis == letter)?;
            let mut axes = inner.axes.clone();
            axes.remove(at);
            let axis = match (axes.is_empty(), at == axes.len()) {
                (true, _) => String::new(),
                (_, true) => ", axis=-1".to_owned(),
                _ => format!(", axis={at}"),
            };
            Some(Written { text: format!("{name}({}{axis})", inner.text), binds: Binds::Atom, axes })
        })
    }

    /// A sum over a letter as a matrix product.
    fn matrix(&self, body: &Rc<Form>, letter: Letter, scope: &mut Scope<'_>) -> Option<Written> {
        let (by, above, below) = factors(body);
        let has = |form: &Rc<Form>| form.letters().contains(&letter);
        let (with, without): (Vec<_>, Vec<_>) = above.into_iter().partition(has);
        if below.iter().any(has) || with.len() < 2 {
            return None;
        }
        // The factors that share the letters of the first make the left side.
        let mut sides: [(Vec<Rc<Form>>, Vec<Letter>); 2] = Default::default();
        sides[0] = (vec![with[0].clone()], with[0].letters());
        for factor in &with[1..] {
            let letters = factor.letters();
            let side = usize::from(!letters.iter().all(|letter| sides[0].1.contains(letter)));
            sides[side].0.push(factor.clone());
            sides[side].1.extend(letters);
        }
        // The smaller side may lie within the larger one: a vector.
        if sides[1].0.is_empty() {
            let vector = sides[0].0.iter().position(|factor| factor.letters() == [letter])?;
            let factor = sides[0].0.remove(vector);
            sides[1] = (vec![factor], vec![letter]);
            if sides[0].0.is_empty() {
                return None;
            }
            sides[0].1 = sides[0].0.iter().flat_map(|factor| factor.letters()).collect();
        }
        let [(mut left, mut rows), (mut right, mut columns)] = sides;
        for letters in [&mut rows, &mut columns] {
            letters.sort_unstable();
            letters.dedup();
        }
        let shared: Vec<Letter> =
            rows.iter().copied().filter(|other| *other != letter && columns.contains(other)).collect();
        let only = |letters: &[Letter]| -> Vec<Letter> {
            letters.iter().copied().filter(|other| *other != letter && !shared.contains(other)).collect()
        };
        let (mut row, mut column) = (only(&rows), only(&columns));
        let vector = row.is_empty() || column.is_empty();
        if vector && (row.len() > 1 || column.len() > 1 || !shared.is_empty()) {
            return None;
        }
        // Products for each of some letters: those that both sides have, and those that one has beside its last.
        let mut each = shared;
        for letters in [&mut row, &mut column] {
            let last = letters.len().saturating_sub(1);
            each.extend(letters.drain(..last));
        }
        each.sort_unstable();
        // A column after a row, if letters shall stand in order.
        if !vector && column < row {
            std::mem::swap(&mut left, &mut right);
            std::mem::swap(&mut row, &mut column);
        }
        let chain = |parts: [&[Letter]; 3]| parts.concat();
        let whole = |forms| super::forms::product(Exact::integer(1), forms, Vec::new());
        let left = aligned(self.write(&whole(left), scope)?, &chain([&each, &row, &[letter]]))?;
        let right = self.columns(&whole(right), (&each, letter, column.first().copied()), scope)?;
        let [left, right] = [within(left, Binds::Atom), within(right, Binds::Atom)];
        let axes = chain([&each, &row, &column]);
        if !axes.is_sorted() {
            return None;
        }
        let product = Written { text: format!("{left} @ {right}"), binds: Binds::Product, axes };
        let rest = super::forms::product(by, without, below);
        if rest.number().is_some_and(|number| number.is_one()) {
            return Some(product);
        }
        // What does not have the letter stands outside.
        let (by, above, below) = factors(&rest);
        let mut all = product;
        let others: Vec<(bool, Rc<Form>)> = above
            .into_iter()
            .map(|form| (false, form))
            .chain(below.into_iter().map(|form| (true, form)))
            .collect();
        for (divides, form) in others {
            let other = self.write(&form, scope)?;
            let axes = longer(all.axes.clone(), other.axes.clone());
            let [a, b] = [aligned(all, &axes)?, aligned(other, &axes)?];
            let sign = if divides { "/" } else { "*" };
            let text = format!("{} {sign} {}", within(a, Binds::Product), within(b, Binds::Atom));
            all = Written { text, binds: Binds::Product, axes };
        }
        if by.is_one() {
            return Some(all);
        }
        let inverse = by.reciprocal().filter(|inverse| reads_inverted(&by, inverse));
        let (sign, constant) = match inverse {
            Some(inverse) => ("/", within(plain(constant(&inverse)?, binds_of(&inverse)), Binds::Atom)),
            None => ("*", within(plain(constant(&by)?, binds_of(&by)), Binds::Atom)),
        };
        Some(Written { text: format!("{} {sign} {constant}", all.text), ..all })
    }
}

impl Writer<'_> {
    /// The right side of a product over a letter: the column counts as the last axis while it is written, so that
    /// nothing is exchanged twice.
    fn columns(
        &self,
        form: &Rc<Form>,
        (each, letter, column): (&[Letter], Letter, Option<Letter>),
        scope: &mut Scope<'_>,
    ) -> Option<Written> {
        let Some(column) = column.filter(|column| *column < letter) else {
            let axes = [each, &[letter], column.as_slice()].concat();
            return aligned(self.write(form, scope)?, &axes);
        };
        let last = form.height().max(letter + 1);
        let before = scope.extents.get(&column).map(|extent| (last, *extent));
        let hidden = before.and_then(|(last, extent)| scope.extents.insert(last, extent));
        let written = self.write(&form.renamed(column, last), scope);
        match hidden {
            Some(extent) => scope.extents.insert(last, extent),
            None => scope.extents.remove(&last),
        };
        aligned(written?, &[each, &[letter, last]].concat())
    }
}

/// What names and extents letters have where a form is written.
struct Scope<'a> {
    names: &'a FxHashMap<Letter, String>,
    arrays: bool,
    extents: FxHashMap<Letter, u64>,
}

impl Scope<'_> {
    /// The least and the largest value of an index, of letters whose extents are known.
    fn ends(&self, hole: &Affine) -> (i64, i64) {
        hole.steps.iter().fold((hole.base, hole.base), |(low, high), (letter, step)| {
            let most = step * (self.extents.get(letter).map_or(1, |extent| *extent as i64) - 1);
            (low + most.min(0), high + most.max(0))
        })
    }

    /// `2 * i + k - 1`
    fn affine(&self, hole: &Affine) -> Option<Written> {
        let mut text = String::new();
        for (letter, step) in &hole.steps {
            let name = self.names.get(letter)?;
            let magnitude = if step.abs() == 1 { name.clone() } else { format!("{} * {name}", step.abs()) };
            match text.is_empty() {
                true if *step < 0 => text = format!("-{magnitude}"),
                true => text = magnitude,
                false => text += &format!(" {} {magnitude}", sign(*step < 0)),
            }
        }
        let binds = match (hole.steps.as_slice(), hole.base) {
            ([], base) => {
                return Some(plain(base.to_string(), if base < 0 { Binds::Sum } else { Binds::Atom }));
            }
            ([(_, 1)], 0) => Binds::Atom,
            ([(_, step)], 0) if *step > 0 => Binds::Product,
            _ => Binds::Sum,
        };
        // What falls reads better from its start: 7 - k.
        if let (Some(rest), true) = (text.strip_prefix('-'), hole.base > 0) {
            return Some(plain(format!("{} - {rest}", hole.base), binds));
        }
        if hole.base != 0 {
            text += &format!(" {} {}", sign(hole.base < 0), hole.base.abs());
        }
        Some(plain(text, binds))
    }
}

impl Form {
    /// The letter that it binds.
    pub fn bound(&self) -> Option<Letter> {
        match self.head {
            Head::Over(_, letter) | Head::Along(_, letter, false, _) => Some(letter),
            _ => None,
        }
    }
}

/// Factors with their places, equal ones behind one another as a power; those from `below` on divide.
fn powers(forms: &[Rc<Form>], below: usize, written: Vec<Written>) -> Vec<(usize, Written)> {
    let mut found: Vec<(usize, Written)> = Vec::new();
    let mut at = 0;
    while at < forms.len() {
        let end = if at < below { below } else { forms.len() };
        let times = (at..end).take_while(|other| forms[*other] == forms[at]).count();
        let mut factor = written[at].clone();
        if times > 1 {
            factor.text = format!("{} ** {times}", within(factor.clone(), Binds::Atom));
            factor.binds = Binds::Power;
        }
        found.push((at, factor));
        at += times;
    }
    found
}

fn plain(text: String, binds: Binds) -> Written {
    Written { text, binds, axes: Vec::new() }
}

fn sign(negative: bool) -> &'static str {
    if negative { "-" } else { "+" }
}

/// The text, between brackets where it binds less tightly than what is around it.
fn within(written: Written, least: Binds) -> String {
    if written.binds < least { format!("({})", written.text) } else { written.text }
}

fn call(name: &str, parts: Vec<Written>) -> Written {
    let axes = parts.iter().fold(Vec::new(), |axes, part| longer(axes, part.axes.clone()));
    let texts: Vec<String> = parts.into_iter().map(|part| part.text).collect();
    Written { text: format!("{name}({})", texts.join(", ")), binds: Binds::Atom, axes }
}

/// The letters of both, in order.
fn longer(mut a: Vec<Letter>, b: Vec<Letter>) -> Vec<Letter> {
    a.extend(b);
    a.sort_unstable();
    a.dedup();
    a
}

/// A value with its axes in another order.
fn ordered(written: Written, axes: &[Letter]) -> Option<Written> {
    let axes: Vec<Letter> = axes.iter().copied().filter(|axis| written.axes.contains(axis)).collect();
    if axes.len() != written.axes.len() {
        return None;
    }
    if axes == written.axes {
        return Some(written);
    }
    let place = |axis: &Letter| written.axes.iter().position(|own| own == axis);
    let order = axes.iter().map(place).collect::<Option<Vec<_>>>()?;
    let count = order.len();
    let turned = order[count - 2..] == [count - 1, count - 2]
        && order[..count - 2].iter().enumerate().all(|(at, axis)| at == *axis);
    let text = match (count, turned) {
        (2, _) => turned_back(within(written, Binds::Atom), ".T"),
        (_, true) => turned_back(within(written, Binds::Atom), ".mT"),
        _ => format!("permute_dims({}, {order:?})", written.text),
    };
    Some(Written { text, binds: Binds::Atom, axes })
}

/// A matrix with its axes exchanged; exchanged twice, it is as it was.
fn turned_back(text: String, by: &str) -> String {
    match text.strip_suffix(by) {
        Some(plain) => plain.to_owned(),
        None => text + by,
    }
}

/// A value with axes of length 1 where it lacks some.
fn aligned(written: Written, axes: &[Letter]) -> Option<Written> {
    let written = ordered(written, axes)?;
    let Some(first) = axes.iter().position(|axis| written.axes.contains(axis)) else { return Some(written) };
    let items: Vec<&str> =
        axes[first..].iter().map(|axis| if written.axes.contains(axis) { ":" } else { "None" }).collect();
    let Some(last) = items.iter().rposition(|item| *item == "None") else { return Some(written) };
    let own = written.axes.clone();
    // Axes behind the last `None` need no mention; those of a matrix are exchanged behind it.
    let text = within(written, Binds::Atom);
    let (text, by) = match text.strip_suffix(".mT") {
        Some(plain) if last + 2 < items.len() => (plain.to_owned(), ".mT"),
        _ => (text, ""),
    };
    let text = format!("{text}[{}]{by}", items[..=last].join(", "));
    Some(Written { text, binds: Binds::Atom, axes: own })
}

fn called(function: Unary) -> Option<&'static str> {
    Some(match function {
        Unary::Sqrt => "sqrt",
        Unary::Exp => "exp",
        Unary::Exp2 => "exp2",
        Unary::Log => "log",
        Unary::Log2 => "log2",
        Unary::Sin => "sin",
        Unary::Cos => "cos",
        Unary::Tanh => "tanh",
        Unary::Erf => "erf",
        Unary::Atan => "atan",
        Unary::Cbrt => "cbrt",
        Unary::Abs => "abs",
        Unary::Floor => "floor",
        Unary::Ceil => "ceil",
        Unary::Trunc => "trunc",
        Unary::RoundEven => "round",
        Unary::Neg | Unary::Recip | Unary::Rsqrt => return None,
    })
}

/// Whether a factor is easier to read as a divisor; 0.01 is not.
fn reads_inverted(number: &Exact, inverse: &Exact) -> bool {
    let text = |number: &Exact| constant(number).unwrap_or_default();
    let tenths = text(inverse).strip_prefix('1').is_some_and(|zeros| zeros.trim_matches('0').is_empty());
    let length = |number: &Exact| constant(number).map_or(usize::MAX, |text| text.len());
    length(inverse) < length(number) && !tenths
}

fn binds_of(exact: &Exact) -> Binds {
    match exact.as_rational() {
        Some(rational) if rational.is_negative() => Binds::Sum,
        Some(rational) if decimal(rational).is_some() => Binds::Atom,
        None if exact.coefficient().is_one() && exact.factors().len() == 1 => {
            let (_, power) = exact.factors()[0];
            if power.is_positive() { Binds::Atom } else { Binds::Product }
        }
        _ => Binds::Product,
    }
}

/// A number in the language: `1e-05`, `2 / 3`, `sqrt(2 / pi)`.
pub fn constant(exact: &Exact) -> Option<String> {
    let rational = exact.coefficient();
    let (mut above, mut below): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut roots = [1u64, 1];
    for (factor, power) in exact.factors() {
        if let Factor::Prime(prime) = factor {
            // Powers of primes lie between 0 and 1.
            if *power != Ratio::new(1, 2) {
                return None;
            }
            roots[0] = roots[0].checked_mul(*prime)?;
            continue;
        }
        let name = match factor {
            Factor::Pi => "pi",
            Factor::Ln2 => "log(2)",
            Factor::Ln10 => "log(10)",
            Factor::E => "e",
            Factor::Prime(_) => return None,
        };
        let side = if power.is_negative() { &mut below } else { &mut above };
        side.push(match power.abs() {
            power if power.is_one() => name.to_owned(),
            power if power == Ratio::new(1, 2) => format!("sqrt({name})"),
            power if power.is_integer() => format!("{name} ** {power}"),
            _ => return None,
        });
    }
    // √2/2 is 1/√2, and 8·√2 is √128.
    let mut rational = rational.clone();
    if roots[0] > 1 {
        let square =
            |part: &num_bigint::BigInt| part.to_u64().filter(|part| part.is_power_of_two() || *part < 1000);
        if let (Some(p), Some(q)) = (square(&rational.numer().abs()), square(rational.denom())) {
            let root = Ratio::new(p.checked_mul(p)?.checked_mul(roots[0])?, q.checked_mul(q)?);
            roots = [*root.numer(), *root.denom()];
            let negative = rational.is_negative();
            rational = BigRational::one();
            if negative {
                rational = -rational;
            }
        }
    }
    match roots {
        [1, 1] => {}
        [p, 1] => above.push(format!("sqrt({p})")),
        [1, q] => below.push(format!("sqrt({q})")),
        [p, q] => above.push(format!("sqrt({p} / {q})")),
    }
    let text = match decimal(&rational) {
        Some(text) => text,
        None => {
            below.insert(0, rational.denom().to_string());
            rational.numer().to_string()
        }
    };
    let mut text = match (text.as_str(), above.is_empty()) {
        ("1", false) => above.join(" * "),
        ("-1", false) => format!("-{}", above.join(" * ")),
        (_, false) => format!("{text} * {}", above.join(" * ")),
        (_, true) => text,
    };
    for part in below {
        text += &format!(" / {part}");
    }
    Some(text)
}

/// A rational as a decimal, if it is one and short: `0.044715`, `1e-05`.
fn decimal(rational: &BigRational) -> Option<String> {
    if rational.is_integer() {
        return Some(rational.to_string());
    }
    let float = rational.to_f64()?;
    let small = float.abs() < 1e-3;
    let text = if small { format!("{float:e}") } else { format!("{float}") };
    let same = crate::formula::decimal(float);
    let exact = matches!(same, Some(crate::formula::Number::Rational(same)) if same == *rational);
    (exact && text.len() <= 10).then_some(text)
}
