//! From the terms of single elements to one form with letters.
//!
//! A [`Form`] is a term without its numbers: every index, every end of a range is a *hole*, an affine function
//! of letters. [`Forms::of`] makes the form of one element: sums, maxima and minima are flattened, and members
//! that are one form and whose holes make a grid become one member under a letter. [`general`] makes one form
//! of those of several elements: the heads have to be the same, and each hole affine in the coordinates.
//!
//! Nothing here is a proof: a form speaks for the elements that it was made from, and what is made of it is
//! checked like any other formula.
//! Misses: sums whose members differ in more than their indices and number more than a few; grids with holes in
//! them; indices that are not affine.

use crate::base::{Format, FormatClass};
use crate::decide::{Exact, Factor, Meaning};
use crate::formula::dtype_name;
use crate::term::flatten::{Part, flatten_extreme, flatten_product, flatten_sum};
use crate::term::{BitOp, Elements, Node, Relation, Term, Terms, Unary};
use num_rational::Ratio;
use num_traits::{Signed, ToPrimitive};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A letter: those of the output's axes come first, from 0 on; those that are bound, by their height.
pub type Letter = u8;
/// The lowest letter that is bound.
pub const BOUND: Letter = 8;
/// Members that are no family are written out up to that many.
const WRITTEN: usize = 8;
/// Fewer members than this are no family.
const FAMILY: usize = 3;
/// Levels of a term.
const DEEPEST: usize = 48;
/// Parts of terms that are looked at.
const MOST: usize = 4_000_000;

/// `base + Σ step · letter`
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Affine {
    /// The number.
    pub base: i64,
    /// The letters, ascending, with their steps, none of them 0.
    pub steps: Vec<(Letter, i64)>,
}

impl Affine {
    /// A number.
    pub fn number(base: i64) -> Affine {
        Affine { base, steps: Vec::new() }
    }

    /// Adds a letter with a step.
    pub fn plus(mut self, letter: Letter, step: i64) -> Affine {
        if step != 0 {
            let at = self.steps.partition_point(|(known, _)| *known < letter);
            match self.steps.get_mut(at).filter(|(known, _)| *known == letter) {
                Some(known) => known.1 += step,
                None => self.steps.insert(at, (letter, step)),
            }
            self.steps.retain(|(_, step)| *step != 0);
        }
        self
    }

    /// The letter that it is, if it is one.
    pub fn letter(&self) -> Option<Letter> {
        match self.steps.as_slice() {
            [(letter, 1)] if self.base == 0 => Some(*letter),
            _ => None,
        }
    }
}

/// What folds members into one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Fold {
    Sum,
    Max,
    Min,
}

/// What a form does with its parts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Head {
    /// A number that is no whole one.
    Number(Exact),
    /// The whole number in the hole.
    Whole,
    /// ±∞.
    Infinity(bool),
    /// An element of an input, by its name; a hole for each axis.
    Input(Rc<str>),
    /// All added, maximized, minimized.
    All(Fold),
    /// The first so many multiplied, and divided by the others.
    Product(usize),
    /// A function.
    Call(Unary),
    /// The first if the condition holds, else …: condition, then, else.
    Select,
    /// A comparison.
    Compare(Relation),
    /// An operator on the bits of integers.
    Bits(&'static str),
    /// A function of the language, by name: all parts are its arguments, and what is written behind them.
    Named(&'static str, String),
    /// The part folded over a letter, from the first hole up to and without the second.
    Over(Fold, Letter),
    /// A function of whole arrays, by name, along a letter; whether it has a value for each place along it, and
    /// what is written behind its parts.
    Along(&'static str, Letter, bool, String),
}

/// A term with letters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Form {
    /// What it is.
    pub head: Head,
    /// Its numbers.
    pub holes: Vec<Affine>,
    /// What it is made of.
    pub parts: Vec<Rc<Form>>,
}

impl Form {
    /// A form without holes.
    pub fn new(head: Head, parts: Vec<Rc<Form>>) -> Rc<Form> {
        Rc::new(Form { head, holes: Vec::new(), parts })
    }

    /// A whole number.
    pub fn whole(number: i64) -> Rc<Form> {
        Rc::new(Form { head: Head::Whole, holes: vec![Affine::number(number)], parts: Vec::new() })
    }

    /// The number that it is.
    pub fn number(&self) -> Option<Exact> {
        match &self.head {
            Head::Number(exact) => Some(exact.clone()),
            Head::Whole if self.holes[0].steps.is_empty() => Some(Exact::integer(self.holes[0].base)),
            _ => None,
        }
    }

    /// The letters that are free in it, ascending.
    pub fn letters(&self) -> Vec<Letter> {
        let mut found = Vec::new();
        self.note_letters(&mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    fn note_letters(&self, found: &mut Vec<Letter>) {
        found.extend(self.holes.iter().flat_map(|hole| hole.steps.iter().map(|(letter, _)| *letter)));
        for part in &self.parts {
            match self.head {
                Head::Over(_, bound) | Head::Along(_, bound, false, _) => {
                    found.extend(part.letters().into_iter().filter(|letter| *letter != bound))
                }
                _ => part.note_letters(found),
            }
        }
    }

    /// The form with other holes and parts.
    pub fn rebuilt(
        &self,
        hole: impl Fn(&Affine) -> Affine,
        part: &mut dyn FnMut(&Rc<Form>) -> Rc<Form>,
    ) -> Rc<Form> {
        let parts = self.parts.iter().map(part).collect();
        Rc::new(Form { head: self.head.clone(), holes: self.holes.iter().map(hole).collect(), parts })
    }

    /// Whether it is made with such a function.
    pub fn calls(&self, functions: &[Unary]) -> bool {
        matches!(self.head, Head::Call(function) if functions.contains(&function))
            || self.parts.iter().any(|part| part.calls(functions))
    }

    /// The form with another letter in the place of one.
    pub fn renamed(&self, from: Letter, to: Letter) -> Rc<Form> {
        let hole = |hole: &Affine| {
            hole.steps.iter().fold(Affine::number(hole.base), |sum, (letter, step)| {
                sum.plus(if *letter == from { to } else { *letter }, *step)
            })
        };
        let renamed = self.rebuilt(hole, &mut |part| part.renamed(from, to));
        match &renamed.head {
            Head::Along(name, letter, keeps, more) if *letter == from => {
                let head = Head::Along(name, to, *keeps, more.clone());
                Rc::new(Form { head, holes: Vec::new(), parts: renamed.parts.clone() })
            }
            _ => renamed,
        }
    }

    /// The form with something else for each part that is the same as `what`.
    pub fn replaced(self: &Rc<Form>, what: &Rc<Form>, by: &Rc<Form>) -> Rc<Form> {
        if self == what {
            return by.clone();
        }
        self.rebuilt(Affine::clone, &mut |part| part.replaced(what, by))
    }

    /// It and everything in it, outermost first, each once.
    pub fn all(self: &Rc<Form>) -> Vec<Rc<Form>> {
        let (mut found, mut seen, mut at) = (vec![self.clone()], FxHashSet::default(), 0);
        while at < found.len() {
            for part in found[at].clone().parts.iter() {
                if seen.insert(part.clone()) {
                    found.push(part.clone());
                }
            }
            at += 1;
        }
        found
    }

    /// How much it takes to write it: a power is as long as what it is a power of, and a sign is for nothing.
    pub fn size(&self) -> usize {
        let again = |at: usize| match self.head {
            Head::Product(_) if at == 0 => *self.parts[0] == *Form::whole(-1),
            Head::Product(multiplied) => at != multiplied && self.parts[at] == self.parts[at - 1],
            _ => false,
        };
        let parts = self.parts.iter().enumerate().filter(|(at, _)| !again(*at));
        1 + parts.map(|(_, part)| part.size()).sum::<usize>()
    }

    /// The form without the bases of its holes, and the bases.
    pub fn split(&self, bases: &mut Vec<i64>) -> Form {
        let bare = |hole: &Affine| Affine { base: 0, steps: hole.steps.clone() };
        bases.extend(self.holes.iter().map(|hole| hole.base));
        Form {
            head: self.head.clone(),
            holes: self.holes.iter().map(bare).collect(),
            parts: self.parts.iter().map(|part| Rc::new(part.split(bases))).collect(),
        }
    }

    /// The same with letters added to its holes, in the order in which [`Form::split`] lists them.
    fn moved(&self, at: &mut usize, steps: &dyn Fn(usize) -> Vec<(Letter, i64)>) -> Rc<Form> {
        let hole = |(hole, at): (&Affine, usize)| {
            steps(at).into_iter().fold(hole.clone(), |sum, (letter, step)| sum.plus(letter, step))
        };
        let first = *at;
        let holes = self.holes.iter().zip(first..).map(hole).collect();
        *at += self.holes.len();
        let parts = self.parts.iter().map(|part| part.moved(at, steps)).collect();
        Rc::new(Form { head: self.head.clone(), holes, parts })
    }

    /// The letter above all that are bound in it.
    pub fn height(&self) -> Letter {
        let own = match self.head {
            Head::Over(_, letter) | Head::Along(_, letter, false, _) => letter + 1,
            _ => BOUND,
        };
        self.parts.iter().map(|part| part.height()).max().unwrap_or(BOUND).max(own)
    }
}

/// The forms of a kernel's terms.
pub struct Forms<'a> {
    terms: &'a Terms,
    elements: &'a Elements,
    meanings: &'a [Meaning],
    /// The format that values are stored in.
    stored: Format,
    known: FxHashMap<Term, Option<Rc<Form>>>,
    spent: usize,
}

impl<'a> Forms<'a> {
    /// Over some terms, whose constants mean this, and which are stored in a format.
    pub fn new(terms: &'a Terms, elements: &'a Elements, meanings: &'a [Meaning], stored: Format) -> Self {
        Forms { terms, elements, meanings, stored, known: FxHashMap::default(), spent: 0 }
    }

    /// The form of one term.
    pub fn of(&mut self, term: Term) -> Option<Rc<Form>> {
        self.part(Part::Whole(term), 0)
    }

    fn part(&mut self, part: Part, depth: usize) -> Option<Rc<Form>> {
        self.spent += 1;
        if depth == DEEPEST || self.spent > MOST {
            return None;
        }
        let Part::Whole(term) = part else { return self.product(part, depth) };
        if let Some(known) = self.known.get(&term) {
            return known.clone();
        }
        let found = self.whole(term, depth);
        self.known.insert(term, found.clone());
        found
    }

    fn whole(&mut self, term: Term, depth: usize) -> Option<Rc<Form>> {
        let below = depth + 1;
        let of = |forms: &mut Self, term| forms.part(Part::Whole(term), below);
        Some(match self.terms.node(term) {
            Node::Element(element) => self.element(element)?,
            Node::Constant(constant) => self.constant(constant)?,
            Node::Add(..) | Node::Sub(..) | Node::Fma(..) => {
                let flat = flatten_sum(self.terms, Part::Whole(term));
                self.fold(Fold::Sum, flat.total, flat.list, below)?
            }
            Node::Max(..) | Node::Min(..) => {
                let flat = flatten_extreme(self.terms, Part::Whole(term));
                let larger = matches!(self.terms.node(term), Node::Max(..));
                self.fold(if larger { Fold::Max } else { Fold::Min }, flat.total, flat.list, below)?
            }
            Node::Mul(..) | Node::Div(..) | Node::Unary(Unary::Neg | Unary::Recip, _) => {
                self.product(Part::Whole(term), depth)?
            }
            Node::Unary(Unary::Rsqrt, a) => {
                let root = Form::new(Head::Call(Unary::Sqrt), vec![of(self, a)?]);
                Form::new(Head::Product(0), vec![root])
            }
            Node::Unary(Unary::Exp2, a) => {
                let exponent = of(self, a)?;
                if exponent.number().is_some_and(|number| number.is_zero()) {
                    return Some(Form::whole(1));
                }
                match natural(&exponent) {
                    Some(natural) => Form::new(Head::Call(Unary::Exp), vec![natural]),
                    None => Form::new(Head::Call(Unary::Exp2), vec![exponent]),
                }
            }
            Node::Unary(function, a) => {
                let inner = of(self, a)?;
                match function == Unary::Exp && inner.number().is_some_and(|number| number.is_zero()) {
                    true => Form::whole(1),
                    false => Form::new(Head::Call(function), vec![inner]),
                }
            }
            Node::Select(condition, a, b) => {
                Form::new(Head::Select, vec![of(self, condition)?, of(self, a)?, of(self, b)?])
            }
            Node::Compare(relation, a, b) => {
                Form::new(Head::Compare(relation), vec![of(self, a)?, of(self, b)?])
            }
            Node::FromBits(format, word) => self.word(format, word, below)?,
            _ => return None,
        })
    }

    /// The number that a word holds in a format.
    fn word(&mut self, format: Format, word: Term, depth: usize) -> Option<Rc<Form>> {
        let signed = format.class() == FormatClass::Signed;
        let integer = |signed: bool, bits: Term, terms: &Terms| match terms.node(bits) {
            Node::BitConstant(bits) => Format::ALL.into_iter().find(|format| {
                let class = if signed { FormatClass::Signed } else { FormatClass::Unsigned };
                format.class() == class && u64::from(format.bits()) == bits
            }),
            _ => None,
        };
        Some(match self.terms.node(word) {
            // Integers wrap around where they are stored, as those of a formula do.
            Node::BitsOf(own, a) if own == format => self.part(Part::Whole(a), depth + 1)?,
            Node::BitConstant(bits) if !format.is_float() => {
                let number = i64::try_from(bits).ok()?;
                let wraps = signed && format.bits() < 64 && number >> (format.bits() - 1) != 0;
                Form::whole(if wraps { number - (1 << format.bits()) } else { number })
            }
            Node::Bits(op @ (BitOp::Extend | BitOp::ExtendSigned), _, a, narrow, _) if !format.is_float() => {
                let narrow = integer(op == BitOp::ExtendSigned, narrow, self.terms)?;
                let inner = self.word(narrow, a, depth + 1)?;
                Form::new(Head::Named("astype", format!(", {}", dtype_name(format))), vec![inner])
            }
            Node::Bits(op, width, a, b, _) if !format.is_float() && u32::from(width) == format.bits() => {
                let sign = match op {
                    BitOp::And => "&",
                    BitOp::Or => "|",
                    BitOp::Xor => "^",
                    BitOp::ShiftLeft => "<<",
                    BitOp::ShiftRightSigned if signed => ">>",
                    // Of what is not negative both shifts make the same.
                    BitOp::ShiftRight if !signed || self.is_extended(a) => ">>",
                    _ => return None,
                };
                let mut parts = vec![self.word(format, a, depth + 1)?, self.word(format, b, depth + 1)?];
                if op.commutes() && parts[0].number().is_some() {
                    parts.swap(0, 1);
                }
                Form::new(Head::Bits(sign), parts)
            }
            _ => return None,
        })
    }

    /// Whether a word has zeros above what it was extended from.
    fn is_extended(&self, word: Term) -> bool {
        matches!(self.terms.node(word), Node::Bits(BitOp::Extend, ..))
    }

    fn element(&self, element: u32) -> Option<Rc<Form>> {
        let block = self.elements.block_of(element)?;
        let indices = coordinates(block.index(element), &block.shape);
        let holes = indices.into_iter().map(Affine::number).collect();
        let input = Rc::new(Form { head: Head::Input(block.name.as_str().into()), holes, parts: Vec::new() });
        // A product of bytes is a byte in the language of formulas, and none here.
        let narrow = !block.format.is_float() && block.format.bits() < self.stored.bits();
        Some(match narrow && !self.stored.is_float() {
            true => Form::new(Head::Named("astype", format!(", {}", dtype_name(self.stored))), vec![input]),
            false => input,
        })
    }

    fn constant(&self, constant: usize) -> Option<Rc<Form>> {
        Some(match self.meanings.get(constant)? {
            Meaning::Number(exact) => number(exact),
            Meaning::Infinity => Form::new(Head::Infinity(true), Vec::new()),
            Meaning::MinusInfinity => Form::new(Head::Infinity(false), Vec::new()),
            Meaning::NotANumber | Meaning::Unwritten | Meaning::True | Meaning::False => return None,
        })
    }

    fn product(&mut self, part: Part, depth: usize) -> Option<Rc<Form>> {
        let flat = flatten_product(self.terms, part);
        let (mut above, mut below) = (Vec::new(), Vec::new());
        let mut constant = Exact::integer(if flat.negative { -1 } else { 1 });
        for (inverted, part) in flat.list {
            // A product that is listed as one factor of itself is no product.
            let form = match part {
                Part::Whole(term) => self.part(Part::Whole(term), depth + 1)?,
                Part::Product(_) => return None,
            };
            match form.number().filter(|number| !inverted || !number.is_zero()) {
                Some(number) if inverted => constant = constant.times(&number.reciprocal()?)?,
                Some(number) => constant = constant.times(&number)?,
                None => {
                    // A product of products is one product; 1/√ comes as such.
                    let (more, less) = match form.head {
                        Head::Product(multiplied) => form.parts.split_at(multiplied),
                        _ => (std::slice::from_ref(&form), [].as_slice()),
                    };
                    let (more, less) = if inverted { (less, more) } else { (more, less) };
                    above.extend(more.iter().cloned());
                    below.extend(less.iter().cloned());
                }
            }
        }
        // Numbers of factors that were products themselves.
        let mut own = Vec::new();
        for form in std::mem::take(&mut above) {
            match form.number() {
                Some(number) => constant = constant.times(&number)?,
                None => own.push(form),
            }
        }
        let mut under = Vec::new();
        for form in std::mem::take(&mut below) {
            match form.number().filter(|number| !number.is_zero()) {
                Some(number) => constant = constant.times(&number.reciprocal()?)?,
                None => under.push(form),
            }
        }
        Some(product(constant, own, under))
    }

    fn fold(&mut self, fold: Fold, total: usize, list: Vec<(bool, Part)>, depth: usize) -> Option<Rc<Form>> {
        if list.len() < total {
            return None;
        }
        let mut members = Vec::with_capacity(list.len());
        for (negative, part) in list {
            let form = self.part(part, depth)?;
            let form = if negative { negated(&form)? } else { form };
            // A sum of sums is one sum.
            match form.head {
                Head::All(inner) if inner == fold => members.extend(form.parts.iter().cloned()),
                _ => members.push(form),
            }
        }
        if fold == Fold::Sum {
            members = collected(members)?;
        }
        rolled(fold, members)
    }
}

/// Summands that are the same but for their numbers, together.
fn collected(members: Vec<Rc<Form>>) -> Option<Vec<Rc<Form>>> {
    type Factors = (Vec<Rc<Form>>, Vec<Rc<Form>>);
    let mut places: FxHashMap<Factors, usize> = FxHashMap::default();
    let mut found: Vec<(Exact, Option<Factors>)> = Vec::with_capacity(members.len());
    for member in members {
        let (number, above, below) = factors(&member);
        if above.is_empty() && below.is_empty() {
            found.push((number, None));
            continue;
        }
        let factors = (above, below);
        match places.get(&factors) {
            Some(at) if found[*at].0.plus(&number).is_some() => found[*at].0 = found[*at].0.plus(&number)?,
            _ => {
                places.insert(factors.clone(), found.len());
                found.push((number, Some(factors)));
            }
        }
    }
    let form = |(constant, factors): (Exact, Option<Factors>)| {
        let (above, below) = factors.unwrap_or_default();
        product(constant, above, below)
    };
    Some(found.into_iter().filter(|(number, _)| !number.is_zero()).map(form).collect())
}

/// A number as a form.
pub fn number(exact: &Exact) -> Rc<Form> {
    let whole = exact.as_rational().filter(|rational| rational.is_integer());
    match whole.and_then(|whole| whole.to_integer().to_i64()).filter(|whole| whole.abs() < 1 << 31) {
        Some(whole) => Form::whole(whole),
        None => Form::new(Head::Number(exact.clone()), Vec::new()),
    }
}

/// A product of a number and forms, and forms that divide it.
pub fn product(constant: Exact, mut above: Vec<Rc<Form>>, mut below: Vec<Rc<Form>>) -> Rc<Form> {
    // What is on both sides cancels.
    below.retain(|form| match above.iter().position(|other| other == form) {
        Some(at) => {
            above.remove(at);
            false
        }
        None => true,
    });
    if constant.is_zero() {
        return Form::whole(0);
    }
    for forms in [&mut above, &mut below] {
        for at in 0..forms.len() {
            if let Some(same) = (at + 2..forms.len()).find(|same| forms[*same] == forms[at]) {
                forms[at + 1..=same].rotate_right(1);
            }
        }
    }
    if !constant.is_one() || (above.is_empty() && below.is_empty()) {
        above.insert(0, number(&constant));
    }
    if above.len() == 1 && below.is_empty() {
        return above.remove(0);
    }
    let multiplied = above.len();
    above.extend(below);
    Form::new(Head::Product(multiplied), above)
}

/// The number in front of a form, and what is behind it: what is multiplied, and what divides.
pub fn factors(form: &Rc<Form>) -> (Exact, Vec<Rc<Form>>, Vec<Rc<Form>>) {
    if let Some(number) = form.number() {
        return (number, Vec::new(), Vec::new());
    }
    let Head::Product(multiplied) = form.head else {
        return (Exact::integer(1), vec![form.clone()], Vec::new());
    };
    let (above, below) = form.parts.split_at(multiplied);
    match above.split_first() {
        Some((first, rest)) if first.number().is_some() => {
            (first.number().unwrap_or_else(|| Exact::integer(1)), rest.to_vec(), below.to_vec())
        }
        _ => (Exact::integer(1), above.to_vec(), below.to_vec()),
    }
}

/// A form times a number.
pub fn scaled(form: &Rc<Form>, by: &Exact) -> Option<Rc<Form>> {
    if let Head::All(Fold::Sum) = form.head {
        let parts = form.parts.iter().map(|part| scaled(part, by)).collect::<Option<Vec<_>>>()?;
        return Some(Form::new(form.head.clone(), parts));
    }
    let (constant, above, below) = factors(form);
    Some(product(constant.times(by)?, above, below))
}

fn negated(form: &Rc<Form>) -> Option<Rc<Form>> {
    scaled(form, &Exact::integer(-1))
}

/// The exponent to the base e of a power of 2, if each summand has a factor log₂ e.
fn natural(exponent: &Rc<Form>) -> Option<Rc<Form>> {
    let by = Factor::Ln2.to_the(1)?;
    let has = |form: &Rc<Form>| {
        let (constant, ..) = factors(form);
        constant
            .factors()
            .iter()
            .any(|(factor, power)| *factor == Factor::Ln2 && *power == Ratio::from_integer(-1))
    };
    let each = match form_of_sum(exponent) {
        Some(parts) => parts.iter().all(has),
        None => has(exponent),
    };
    each.then(|| scaled(exponent, &by)).flatten()
}

fn form_of_sum(form: &Form) -> Option<&[Rc<Form>]> {
    matches!(form.head, Head::All(Fold::Sum)).then_some(form.parts.as_slice())
}

/// The bases of the holes of members that are one form without them, and the members.
type Family = Vec<(Vec<i64>, Rc<Form>)>;

/// Members that are one form, folded over letters.
fn rolled(fold: Fold, members: Vec<Rc<Form>>) -> Option<Rc<Form>> {
    let mut families: Vec<(Form, Family)> = Vec::new();
    let mut places: FxHashMap<Form, usize> = FxHashMap::default();
    for member in members {
        let mut bases = Vec::new();
        let bare = member.split(&mut bases);
        let at = *places.entry(bare.clone()).or_insert_with(|| {
            families.push((bare, Vec::new()));
            families.len() - 1
        });
        families[at].1.push((bases, member));
    }
    let mut parts: Vec<Rc<Form>> = Vec::new();
    let mut numbers = Vec::new();
    for (_, mut family) in families {
        if fold != Fold::Sum {
            let mut seen = FxHashSet::default();
            family.retain(|(bases, _)| seen.insert(bases.clone()));
        }
        if fold == Fold::Sum && family[0].1.number().is_some() {
            numbers.extend(family.into_iter().filter_map(|(_, form)| form.number()));
            continue;
        }
        match (family.len() >= FAMILY).then(|| grid(fold, &family)).flatten() {
            Some(over) => parts.push(over),
            None if family.len() <= WRITTEN => parts.extend(family.into_iter().map(|(_, form)| form)),
            None => return None,
        }
    }
    // Numbers that a kernel adds are one number, where they have one name.
    let mut sums: Vec<Exact> = Vec::new();
    for number in numbers {
        match sums.iter_mut().find_map(|sum| sum.plus(&number).map(|total| (sum, total))) {
            Some((sum, total)) => *sum = total,
            None => sums.push(number),
        }
    }
    parts.extend(sums.iter().filter(|sum| !sum.is_zero()).map(number));
    match parts.len() {
        0 => Some(Form::whole(0)),
        1 => parts.pop(),
        2..=WRITTEN if fold == Fold::Sum => Some(sum_of(parts)),
        2..=WRITTEN => Some(Form::new(Head::All(fold), parts)),
        _ => None,
    }
}

/// A sum; what all its members are sums over letters of, times something without these letters, stands outside.
fn sum_of(parts: Vec<Rc<Form>>) -> Rc<Form> {
    let outside = |part: &Rc<Form>| -> Vec<Rc<Form>> {
        let (mut bound, mut inner) = (Vec::new(), part);
        while let Head::Over(Fold::Sum, letter) = inner.head {
            bound.push(letter);
            inner = &inner.parts[0];
        }
        let has = |factor: &Rc<Form>| factor.letters().iter().any(|letter| bound.contains(letter));
        let (_, above, _) = factors(inner);
        if bound.is_empty() { Vec::new() } else { above.into_iter().filter(|factor| !has(factor)).collect() }
    };
    let mut shared = outside(&parts[0]);
    shared.dedup();
    shared.retain(|factor| parts[1..].iter().all(|part| outside(part).contains(factor)));
    let without = |part: &Rc<Form>| shared.iter().fold(part.clone(), |part, factor| divided(&part, factor));
    let sum = Form::new(Head::All(Fold::Sum), parts.iter().map(without).collect());
    product(Exact::integer(1), [sum].into_iter().chain(shared).collect(), Vec::new())
}

/// A sum over letters of a product, without one of its factors.
fn divided(form: &Rc<Form>, by: &Rc<Form>) -> Rc<Form> {
    if let Head::Over(Fold::Sum, _) = form.head {
        return form.rebuilt(Affine::clone, &mut |part| divided(part, by));
    }
    let (constant, mut above, below) = factors(form);
    if let Some(at) = above.iter().position(|factor| factor == by) {
        above.remove(at);
    }
    product(constant, above, below)
}

/// A family as a fold over as many letters as its grid has directions.
fn grid(fold: Fold, family: &[(Vec<i64>, Rc<Form>)]) -> Option<Rc<Form>> {
    let mut sorted: Vec<&(Vec<i64>, Rc<Form>)> = family.iter().collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    let set: FxHashSet<&[i64]> = sorted.iter().map(|(bases, _)| bases.as_slice()).collect();
    if set.len() < sorted.len() {
        return None;
    }
    let origin = &sorted[0].0;
    let mut reached: FxHashSet<Vec<i64>> = FxHashSet::from_iter([origin.clone()]);
    let mut directions: Vec<(Vec<i64>, i64)> = Vec::new();
    while reached.len() < sorted.len() {
        let (next, _) = sorted.iter().find(|(bases, _)| !reached.contains(bases))?;
        let step: Vec<i64> = next.iter().zip(origin).map(|(a, b)| a - b).collect();
        let along = |start: &[i64], times: i64| -> Vec<i64> {
            start.iter().zip(&step).map(|(a, s)| a + times * s).collect()
        };
        let mut count = 1;
        while set.contains(along(origin, count).as_slice()) && !reached.contains(&along(origin, count)) {
            count += 1;
        }
        if directions.len() == 3 || count < 2 {
            return None;
        }
        let before: Vec<Vec<i64>> = reached.iter().cloned().collect();
        for start in &before {
            for times in 1..count {
                let place = along(start, times);
                if !set.contains(place.as_slice()) || !reached.insert(place) {
                    return None;
                }
            }
        }
        directions.push((step, count));
    }
    let mut form = sorted[0].1.clone();
    let lowest = form.height();
    let letters: Vec<Letter> = (lowest..).take(directions.len()).collect();
    let steps = |hole: usize| -> Vec<(Letter, i64)> {
        letters.iter().zip(&directions).map(|(letter, (step, _))| (*letter, step[hole])).collect()
    };
    form = form.moved(&mut 0, &steps);
    // What all summands are multiplied by stands outside.
    let mut by = Exact::integer(1);
    if fold == Fold::Sum && form.number().is_none() {
        let (constant, above, below) = factors(&form);
        (by, form) = (constant, product(Exact::integer(1), above, below));
    }
    for (letter, (_, count)) in letters.iter().zip(&directions) {
        let holes = vec![Affine::number(0), Affine::number(*count)];
        form = Rc::new(Form { head: Head::Over(fold, *letter), holes, parts: vec![form] });
    }
    Some(product(by, vec![form], Vec::new()))
}

/// One form for several elements, given with their coordinates: the first, then its neighbour along each axis
/// that has one (its number), then any others.
pub fn general(samples: &[(Vec<i64>, Rc<Form>)], axes: &[usize]) -> Option<Rc<Form>> {
    let (first, forms) = (&samples[0], samples.iter().map(|(_, form)| &**form).collect::<Vec<&Form>>());
    let alike = |form: &&Form| {
        form.head == forms[0].head
            && form.holes.len() == forms[0].holes.len()
            && form.parts.len() == forms[0].parts.len()
    };
    if !forms.iter().all(alike) {
        return None;
    }
    let mut holes = Vec::new();
    for at in 0..forms[0].holes.len() {
        let own = &forms[0].holes[at];
        if forms.iter().any(|form| form.holes[at].steps != own.steps) {
            return None;
        }
        let mut hole = Affine::number(own.base);
        for (axis, sample) in axes.iter().zip(&samples[1..]) {
            let moved = sample.0[*axis] - first.0[*axis];
            let (step, rest) = (sample.1.holes[at].base - own.base, moved);
            if step % rest != 0 {
                return None;
            }
            hole = hole.plus(*axis as Letter, step / rest);
            hole.base -= step / rest * first.0[*axis];
        }
        let value = |coordinates: &[i64]| {
            hole.steps.iter().fold(hole.base, |sum, (axis, step)| sum + step * coordinates[*axis as usize])
        };
        if samples.iter().any(|(coordinates, form)| value(coordinates) != form.holes[at].base) {
            return None;
        }
        for (letter, step) in &own.steps {
            hole = hole.plus(*letter, *step);
        }
        holes.push(hole);
    }
    let parts = (0..forms[0].parts.len()).map(|at| {
        let of: Vec<(Vec<i64>, Rc<Form>)> =
            samples.iter().map(|(place, form)| (place.clone(), form.parts[at].clone())).collect();
        general(&of, axes)
    });
    let parts = parts.collect::<Option<Vec<_>>>()?;
    Some(Rc::new(Form { head: forms[0].head.clone(), holes, parts }))
}

/// The indices of an element by its place row by row.
pub fn coordinates(index: u64, shape: &[u64]) -> Vec<i64> {
    crate::term::coordinates(index, shape).into_iter().map(|at| at as i64).collect()
}
