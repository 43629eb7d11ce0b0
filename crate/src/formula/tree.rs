//! What the text of a formula says, before anything is known about its tensors.

use crate::base::Span;
use num_rational::BigRational;

/// A formula: assignments, in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// The assignments.
    pub statements: Vec<Statement>,
}

impl Program {
    /// The names that it reads, letters among them.
    pub fn mentions(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut open: Vec<&Expression> = self.statements.iter().map(|statement| &statement.value).collect();
        while let Some(expression) = open.pop() {
            if let Kind::Name(name) = &expression.kind
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
            open.extend(expression.parts());
        }
        names
    }

    /// The names that it assigns.
    pub fn targets(&self) -> Vec<&str> {
        self.statements.iter().map(|statement| statement.target.text.as_str()).collect()
    }
}

/// `y = …`, or `y[i, j] = …`.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// What is assigned.
    pub target: Name,
    /// The letters that stand for its indices, where it has some.
    pub letters: Option<Vec<Name>>,
    /// The value.
    pub value: Expression,
    /// All of it.
    pub span: Span,
}

/// A name and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// An expression and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    /// What it is.
    pub kind: Kind,
    /// Where.
    pub span: Span,
}

impl Expression {
    /// The expressions that it is made of.
    pub fn parts<'a>(&'a self) -> Vec<&'a Expression> {
        match &self.kind {
            Kind::Number(..) | Kind::Name(_) | Kind::Text(_) => Vec::new(),
            Kind::List(items) => items.iter().collect(),
            Kind::Unary(_, a) | Kind::IsNone(a) | Kind::Attribute(a, _) => vec![a],
            Kind::Binary(_, a, b) => vec![a, b],
            Kind::If(a, b, c) => vec![a, b, c],
            Kind::Call(_, arguments) => arguments.iter().map(|argument| &argument.value).collect(),
            Kind::Method(base, _, arguments) => {
                std::iter::once(&**base).chain(arguments.iter().map(|argument| &argument.value)).collect()
            }
            Kind::Over(_, letters, body) => {
                let ends = letters.iter().flat_map(|letter| &letter.range).flat_map(|(from, to)| [from, to]);
                ends.chain([&**body]).collect()
            }
            Kind::Index(base, items) => {
                let of = |item: &'a Item| -> Vec<&'a Expression> {
                    match item {
                        Item::At(at) => vec![at],
                        Item::Slice(parts) => parts.iter().flatten().map(|part| &**part).collect(),
                        Item::New | Item::Rest => Vec::new(),
                    }
                };
                std::iter::once(&**base).chain(items.iter().flat_map(of)).collect()
            }
        }
    }
}

/// What an expression can be.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// A decimal number, exactly, and whether it is written as a whole one: 8 and not 8.0.
    Number(BigRational, bool),
    /// A tensor, a scalar, an earlier assignment, a letter, or a constant.
    Name(String),
    /// `'tanh'`
    Text(String),
    /// `[a, b]`, `(a, b)`
    List(Vec<Expression>),
    /// `-a`, `~a`, `not a`
    Unary(Sign, Box<Expression>),
    /// `a + b`
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// `a if c else b`: the condition, then the two.
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `a is None`
    IsNone(Box<Expression>),
    /// `f(a, axis=1)`
    Call(Name, Vec<Argument>),
    /// `sum(i, j in 0..3: body)`
    Over(Name, Vec<Letter>, Box<Expression>),
    /// `a[i, ::-1]`
    Index(Box<Expression>, Vec<Item>),
    /// `a.T`
    Attribute(Box<Expression>, Name),
    /// `a.sum(axis=1)`, `np.exp(a)`
    Method(Box<Expression>, Name, Vec<Argument>),
}

/// An argument of a call.
#[derive(Clone, PartialEq, Debug)]
pub struct Argument {
    /// `axis` in `axis=1`.
    pub name: Option<Name>,
    /// The value.
    pub value: Expression,
}

/// A letter that runs over a range.
#[derive(Clone, PartialEq, Debug)]
pub struct Letter {
    /// The letter.
    pub name: Name,
    /// From where and to where (not included); `None` where what it indexes says so.
    pub range: Option<(Expression, Expression)>,
}

/// What stands between brackets behind an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// An index.
    At(Expression),
    /// `start:stop:step`
    Slice([Option<Box<Expression>>; 3]),
    /// `None`: a new axis.
    New,
    /// `...`: all axes that are not mentioned.
    Rest,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Sign {
    Minus,
    Plus,
    Invert,
    Not,
}

/// Operators with two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    Power,
    Matrix,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}
