//! Terms for people: as text, as text with marks, as MathML.
//!
//! A term is first turned into an [`Expression`], a small tree: sums, products and maxima are
//! flattened, quotients collected, and where the summands follow a pattern the sum becomes one
//! (`Σ A[0][k]·B[k][0]`); what does not fit the size limit becomes `…`. Two renderers read the
//! tree. Building takes the same steps for the same term, so the text is deterministic.
//!
//! Guarantees: the tree is bounded whatever the term; a Σ or a max over an index is printed only
//! after every one of its members was seen to follow the pattern; a marked part is shown even if
//! its neighbours are left out (unless a `…` above it swallowed the whole branch).
//! Misses: nothing is simplified; `x - x` prints as such.

mod build;
mod mathml;
mod regular;
#[cfg(test)]
mod tests;
mod text;

use super::flatten::{COUNTED, Part};
use super::{Elements, Term, Terms};

/// What a printer needs to know.
pub struct Printer<'a> {
    /// The store.
    pub terms: &'a Terms,
    /// The names of elements.
    pub elements: &'a Elements,
    /// How an entry of the constant table reads, if it has a better name than its digits.
    pub constant: &'a dyn Fn(usize) -> Option<String>,
    /// About how many leaves to show.
    pub limit: usize,
}

/// How many terms a shortened sum has, in words: counting ends somewhere.
fn counted(total: usize) -> String {
    if total < COUNTED { format!("{total} terms") } else { format!("at least {COUNTED} terms") }
}

/// A part of a term to be marked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// The term itself, wherever it occurs.
    Term(Term),
    /// The product of the first two operands of this multiply-add.
    Product(Term),
}

impl From<Part> for Mark {
    fn from(part: Part) -> Mark {
        match part {
            Part::Whole(term) => Mark::Term(term),
            Part::Product(term) => Mark::Product(term),
        }
    }
}

/// A piece of text, and whether it is marked.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Segment {
    /// The text.
    pub text: String,
    /// Whether it belongs to a marked part.
    pub marked: bool,
}

/// A printable tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expression {
    /// A tensor element or scalar: name and indices.
    Element(String, Vec<String>),
    /// A number or a named constant.
    Number(String),
    /// Parts added up, each with whether it is subtracted; how many there are in all.
    Sum(Vec<(bool, Expression)>, usize),
    /// Factors.
    Product(Vec<Expression>),
    /// Numerator and denominator.
    Quotient(Box<Expression>, Box<Expression>),
    /// The negative.
    Negative(Box<Expression>),
    /// Base and exponent.
    Power(Box<Expression>, Box<Expression>),
    /// A root: degree (2 or 3) and what is under it.
    Root(u8, Box<Expression>),
    /// Something between brackets that mean something: |x|, ⌊x⌋, ⌈x⌉.
    Fenced(&'static str, Box<Expression>, &'static str),
    /// A function and its arguments; how many arguments there are in all.
    Call(String, Vec<Expression>, usize),
    /// Σ, max or min over an index: symbol, index, first and last value, body.
    Over(&'static str, &'static str, u64, u64, Box<Expression>),
    /// Condition, value if it holds, value otherwise.
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    /// Two sides of a comparison or a junction, and its sign.
    Infix(Box<Expression>, &'static str, Box<Expression>),
    /// What was left out.
    Ellipsis,
    /// A marked part.
    Marked(Box<Expression>),
    /// Like what is inside; the number tells which part of the term it prints
    /// ([`Printer::labelled`]).
    Labelled(usize, Box<Expression>),
}

impl Expression {
    /// Without the label around it.
    pub fn bare(&self) -> &Expression {
        match self {
            Expression::Labelled(_, inner) => inner.bare(),
            _ => self,
        }
    }

    /// The parts, in the order in which the text has them.
    pub fn children(&self) -> Vec<&Expression> {
        match self {
            Expression::Element(..) | Expression::Number(_) | Expression::Ellipsis => Vec::new(),
            Expression::Sum(parts, _) => parts.iter().map(|(_, part)| part).collect(),
            Expression::Product(parts) | Expression::Call(_, parts, _) => parts.iter().collect(),
            Expression::Quotient(a, b) | Expression::Power(a, b) | Expression::Infix(a, _, b) => vec![a, b],
            Expression::Negative(inner)
            | Expression::Root(_, inner)
            | Expression::Fenced(_, inner, _)
            | Expression::Over(.., inner)
            | Expression::Marked(inner)
            | Expression::Labelled(_, inner) => vec![inner],
            Expression::If(condition, a, b) => vec![condition, a, b],
        }
    }
}

impl Printer<'_> {
    /// The printable tree of a term.
    pub fn expression(&self, term: Term, marks: &[Mark]) -> Expression {
        build::Builder::new(self, marks).build(Part::Whole(term))
    }

    /// The same tree with a label on everything that prints a part of the term, and those parts.
    pub fn labelled(&self, term: Term) -> (Expression, Vec<Part>) {
        build::Builder::labelling(self).build_labelled(Part::Whole(term))
    }

    /// The printable tree of a part of a term.
    pub fn part(&self, part: Part, marks: &[Mark]) -> Expression {
        build::Builder::new(self, marks).build(part)
    }

    /// The term as one line.
    pub fn text(&self, term: Term) -> String {
        self.expression(term, &[]).to_string()
    }
}
