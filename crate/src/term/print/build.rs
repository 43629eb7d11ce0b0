//! From a term to its printable tree.

use super::regular::{Template, coordinates};
use super::{Expression, Mark, Printer};
use crate::base::Format;
use crate::term::eval::{Reach, operands};
use crate::term::flatten::{Flat, Part, flatten_extreme, flatten_product, flatten_sum};
use crate::term::{BitOp, Node, Number, Relation, Rounding, Term, Terms, Unary};
use num_traits::{Signed, ToPrimitive};
use std::collections::BTreeSet;

/// Levels below which everything is left out.
const DEEPEST: usize = 24;
/// Operations that may be written beyond the limit on the ways to marked parts. Where a part is
/// shared at every level, there are exponentially many ways.
const BEYOND: usize = 1_000;
/// Sums of more parts than this are shortened.
const SHOWN: usize = 5;
/// Fewer members than this are written out.
const PATTERN: usize = 4;
/// Names of running indices, outermost first.
const INDICES: [&str; 3] = ["k", "l", "m"];

/// A term, and what stands in its place one step further along each running index.
#[derive(Clone)]
struct Item {
    base: Part,
    along: Vec<Part>,
}

impl Item {
    /// The same operand of every version.
    fn operand(&self, terms: &Terms, at: usize) -> Item {
        let of = |part: &Part| {
            let node = terms.node(part.term());
            Part::Whole(operands(&node)[at].unwrap_or(Term::ZERO))
        };
        Item { base: of(&self.base), along: self.along.iter().map(of).collect() }
    }
}

pub(super) struct Builder<'a> {
    printer: &'a Printer<'a>,
    marks: BTreeSet<Mark>,
    /// Nodes that are marked or have something marked below them, as bits.
    carriers: Vec<u64>,
    left: usize,
    beyond: usize,
    depth: usize,
    /// What each label stands for, where labels are wanted.
    labels: Option<Vec<Part>>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(printer: &'a Printer<'a>, marks: &[Mark]) -> Self {
        let marks = marks.iter().copied().collect();
        let left = printer.limit.max(1);
        Builder { printer, marks, carriers: Vec::new(), left, beyond: BEYOND, depth: 0, labels: None }
    }

    pub(super) fn labelling(printer: &'a Printer<'a>) -> Self {
        Builder { labels: Some(Vec::new()), ..Builder::new(printer, &[]) }
    }

    pub(super) fn build_labelled(mut self, part: Part) -> (Expression, Vec<Part>) {
        let expression = self.item(&Item { base: part, along: Vec::new() });
        (expression, self.labels.unwrap_or_default())
    }

    pub(super) fn build(mut self, part: Part) -> Expression {
        if !self.marks.is_empty() {
            self.find_carriers(part.term());
        }
        self.item(&Item { base: part, along: Vec::new() })
    }

    fn find_carriers(&mut self, root: Term) {
        let budget = crate::base::Budget::default();
        let Ok(reach) = Reach::of(self.printer.terms, &[root], &budget) else { return };
        self.carriers = vec![0; root.as_node().map_or(0, |node| node / 64 + 1)];
        for node in reach.nodes() {
            let term = Term::from_node(node);
            let carries = self.marks.contains(&Mark::Term(term))
                || self.marks.contains(&Mark::Product(term))
                || operands(&self.printer.terms.node_at(node))
                    .into_iter()
                    .flatten()
                    .any(|operand| self.carries(operand));
            if carries {
                self.carriers[node / 64] |= 1 << (node % 64);
            }
        }
    }

    fn carries(&self, term: Term) -> bool {
        match term.as_node() {
            Some(node) => self.carriers.get(node / 64).is_some_and(|word| word >> (node % 64) & 1 == 1),
            None => self.marks.contains(&Mark::Term(term)),
        }
    }

    fn part_carries(&self, part: Part) -> bool {
        match part {
            Part::Whole(term) => self.carries(term),
            Part::Product(term) => {
                self.marks.contains(&Mark::Product(term))
                    || part.members(self.printer.terms).into_iter().flatten().any(|term| self.carries(term))
            }
        }
    }

    fn item(&mut self, item: &Item) -> Expression {
        let marked = match item.base {
            Part::Whole(term) => self.marks.contains(&Mark::Term(term)),
            Part::Product(term) => self.marks.contains(&Mark::Product(term)),
        };
        if self.left == 0 || self.depth == DEEPEST {
            if self.beyond == 0 || !self.part_carries(item.base) {
                return self.left_out();
            }
            self.beyond -= 1;
        }
        if self.depth == 2 * DEEPEST {
            return self.left_out();
        }
        self.depth += 1;
        let expression = self.unmarked(item);
        self.depth -= 1;
        let expression = match &mut self.labels {
            Some(labels) => {
                labels.push(item.base);
                Expression::Labelled(labels.len() - 1, Box::new(expression))
            }
            None => expression,
        };
        if marked { Expression::Marked(Box::new(expression)) } else { expression }
    }

    /// What is left out counts as a leaf: where factors are shared at every level, there are exponentially
    /// many that lie too deep, and no other leaves.
    fn left_out(&mut self) -> Expression {
        self.left = self.left.saturating_sub(1);
        Expression::Ellipsis
    }

    fn boxed(&mut self, item: &Item, at: usize) -> Box<Expression> {
        let operand = item.operand(self.printer.terms, at);
        Box::new(self.item(&operand))
    }

    fn unmarked(&mut self, item: &Item) -> Expression {
        let terms = self.printer.terms;
        if let Part::Product(_) = item.base {
            return self.product(item);
        }
        match terms.node(item.base.term()) {
            Node::Element(element) => {
                self.left = self.left.saturating_sub(1);
                self.element(element, item)
            }
            Node::Constant(constant) => {
                self.left = self.left.saturating_sub(1);
                let text = number(self.printer, constant);
                match text.strip_prefix('-') {
                    Some(magnitude) => {
                        Expression::Negative(Box::new(Expression::Number(magnitude.to_owned())))
                    }
                    None => Expression::Number(text),
                }
            }
            Node::Add(..) | Node::Sub(..) | Node::Fma(..) => self.sum(item),
            Node::Mul(..) | Node::Div(..) | Node::Unary(Unary::Neg | Unary::Recip, _) => self.product(item),
            Node::Unary(function, _) => self.function(function, item),
            Node::Max(..) => self.extreme(item, "max"),
            Node::Min(..) => self.extreme(item, "min"),
            Node::Select(..) => Expression::If(self.boxed(item, 0), self.boxed(item, 1), self.boxed(item, 2)),
            Node::Round(mode, format, _) => {
                let name = match mode {
                    Rounding::NearestEven => "round",
                    Rounding::Zero => "round_to_zero",
                    Rounding::Down => "round_down",
                    Rounding::Up => "round_up",
                };
                self.call(format!("{name}_{format}"), item, 1)
            }
            Node::Compare(relation, ..) => {
                let sign = match relation {
                    Relation::Less => "<",
                    Relation::LessEqual => "≤",
                    Relation::Equal => "=",
                };
                Expression::Infix(self.boxed(item, 0), sign, self.boxed(item, 1))
            }
            Node::And(..) => Expression::Infix(self.boxed(item, 0), "and", self.boxed(item, 1)),
            Node::Or(..) => Expression::Infix(self.boxed(item, 0), "or", self.boxed(item, 1)),
            Node::Not(_) => self.call("not".to_owned(), item, 1),
            Node::BitsOf(format, _) => self.call(format!("bits_{format}"), item, 1),
            Node::FromBits(format, _) => self.call(format!("from_bits_{format}"), item, 1),
            Node::BitConstant(bits) => {
                self.left = self.left.saturating_sub(1);
                Expression::Number(format!("0x{bits:X}"))
            }
            Node::Bits(op, _, _, b, c) => {
                let operands = if c != Term::ZERO {
                    3
                } else if b != Term::ZERO {
                    2
                } else {
                    1
                };
                self.call(bit_name(op).to_owned(), item, operands)
            }
            Node::Apply(function, _, b) => {
                let operands = if b == Term::ZERO { 1 } else { 2 };
                self.call(terms.function_name(function).to_owned(), item, operands)
            }
        }
    }

    fn call(&mut self, name: String, item: &Item, count: usize) -> Expression {
        let arguments = (0..count).map(|at| *self.boxed(item, at)).collect();
        Expression::Call(name, arguments, count)
    }

    fn function(&mut self, function: Unary, item: &Item) -> Expression {
        let inner = self.boxed(item, 0);
        let name = match function {
            Unary::Exp => return power("e", inner),
            Unary::Exp2 => return power("2", inner),
            Unary::Sqrt => return Expression::Root(2, inner),
            Unary::Cbrt => return Expression::Root(3, inner),
            Unary::Rsqrt => {
                return Expression::Quotient(Box::new(one()), Box::new(Expression::Root(2, inner)));
            }
            Unary::Abs => return Expression::Fenced("|", inner, "|"),
            Unary::Floor => return Expression::Fenced("⌊", inner, "⌋"),
            Unary::Ceil => return Expression::Fenced("⌈", inner, "⌉"),
            Unary::Log => "ln",
            Unary::Log2 => "log₂",
            Unary::Sin => "sin",
            Unary::Cos => "cos",
            Unary::Tanh => "tanh",
            Unary::Erf => "erf",
            Unary::Atan => "atan",
            Unary::Trunc => "trunc",
            Unary::RoundEven => "round",
            // These are parts of products.
            Unary::Neg => return Expression::Negative(inner),
            Unary::Recip => {
                return Expression::Quotient(Box::new(one()), inner);
            }
        };
        Expression::Call(name.to_owned(), vec![*inner], 1)
    }

    // ---- sums and extremes -----------------------------------------------------------------

    fn sum(&mut self, item: &Item) -> Expression {
        let flat = flatten_sum(self.printer.terms, item.base);
        let along: Vec<Flat> = item.along.iter().map(|part| flatten_sum(self.printer.terms, *part)).collect();
        let parts = self.members("Σ", &flat, &along);
        match parts {
            (mut parts, 1) if parts.len() == 1 => match parts.remove(0) {
                (false, only) => only,
                (true, only) => Expression::Negative(Box::new(only)),
            },
            (parts, total) => Expression::Sum(parts, total),
        }
    }

    fn extreme(&mut self, item: &Item, name: &'static str) -> Expression {
        let flat = flatten_extreme(self.printer.terms, item.base);
        let along: Vec<Flat> =
            item.along.iter().map(|part| flatten_extreme(self.printer.terms, *part)).collect();
        let (parts, total) = self.members(name, &flat, &along);
        let mut arguments: Vec<Expression> = parts
            .into_iter()
            .map(|(negative, part)| if negative { Expression::Negative(Box::new(part)) } else { part })
            .collect();
        if total == 1 && arguments.len() == 1 {
            return arguments.remove(0);
        }
        Expression::Call(name.to_owned(), arguments, total)
    }

    /// The printed members of a sum or extreme, and how many there are.
    fn members(
        &mut self,
        symbol: &'static str,
        flat: &Flat,
        along: &[Flat],
    ) -> (Vec<(bool, Expression)>, usize) {
        // A running index needs a name of its own and members without marks.
        let count = flat.list.len();
        if flat.total == count && along.len() < INDICES.len() && along.iter().all(|a| a.list.len() == count) {
            for (skip, drop) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                if count < PATTERN + skip + drop {
                    continue;
                }
                if self.follow(flat, along, skip, count - drop) {
                    return self.pattern(symbol, flat, along, skip, count - drop);
                }
            }
        }
        let version = |at: usize| Item {
            base: flat.list[at].1,
            along: along.iter().filter_map(|a| a.list.get(at).map(|part| part.1)).collect(),
        };
        let mut parts = Vec::new();
        let mut gap = false;
        for at in 0..count {
            let shown = flat.total <= SHOWN || at < 2 || self.part_carries(flat.list[at].1);
            let enough = self.left == 0 && at > 0 && !self.part_carries(flat.list[at].1);
            if !shown || enough {
                gap = true;
                continue;
            }
            if std::mem::take(&mut gap) {
                parts.push((false, Expression::Ellipsis));
            }
            parts.push(self.member(symbol, flat.list[at].0, &version(at)));
        }
        if gap || flat.total > count {
            parts.push((false, Expression::Ellipsis));
        }
        (parts, flat.total)
    }

    /// A member and its sign, which only sums take out of it.
    fn member(&mut self, symbol: &str, negative: bool, item: &Item) -> (bool, Expression) {
        match self.item(item) {
            expression if symbol != "Σ" => (negative, expression),
            expression => match positive(expression) {
                (true, expression) => (!negative, expression),
                (false, expression) => (negative, expression),
            },
        }
    }

    /// Whether members `from..to` follow one pattern, the same one along every outer index.
    fn follow(&self, flat: &Flat, along: &[Flat], from: usize, to: usize) -> bool {
        let (terms, elements) = (self.printer.terms, self.printer.elements);
        let members = |flat: &Flat, at: usize| flat.list[at].1.members(terms);
        let plain = |at: usize| flat.list[at].0 == flat.list[from].0 && !self.part_carries(flat.list[at].1);
        if !(from..to).all(plain) {
            return false;
        }
        let template = |a: &Flat, x: usize, b: &Flat, y: usize| {
            let (a, b) = (members(a, x), members(b, y));
            Template::of(terms, a, b)
        };
        let Some(pattern) = template(flat, from, flat, from + 1).filter(Template::varies) else {
            return false;
        };
        let mut waiting = Vec::new();
        let mut fits = |at: usize| pattern.fits(terms, members(flat, at), (at - from) as i64, &mut waiting);
        let follows = (from..to).all(&mut fits) && pattern.is_even(elements, (to - 1 - from) as i64);
        follows
            && along.iter().all(|other| {
                let Some(first) = template(flat, from, other, from) else { return false };
                (from..to).all(|at| template(flat, at, other, at).is_some_and(|here| here.moves_like(&first)))
            })
    }

    fn pattern(
        &mut self,
        symbol: &'static str,
        flat: &Flat,
        along: &[Flat],
        from: usize,
        to: usize,
    ) -> (Vec<(bool, Expression)>, usize) {
        let version =
            |at: usize| Item { base: flat.list[at].1, along: along.iter().map(|a| a.list[at].1).collect() };
        let mut parts = Vec::new();
        for at in 0..from {
            parts.push(self.member(symbol, flat.list[at].0, &version(at)));
        }
        let mut body = version(from);
        body.along.push(flat.list[from + 1].1);
        let index = INDICES[along.len()];
        let (negative, body) = self.member(symbol, flat.list[from].0, &body);
        let over = Expression::Over(symbol, index, 0, (to - from - 1) as u64, Box::new(body));
        parts.push((negative, over));
        for at in to..flat.list.len() {
            parts.push(self.member(symbol, flat.list[at].0, &version(at)));
        }
        let total = parts.len();
        (parts, total)
    }

    // ---- products --------------------------------------------------------------------------

    fn product(&mut self, item: &Item) -> Expression {
        let terms = self.printer.terms;
        let flat = flatten_product(terms, item.base);
        let along: Vec<Flat> = item.along.iter().map(|part| flatten_product(terms, *part)).collect();
        let mut sides: [Vec<Expression>; 2] = [Vec::new(), Vec::new()];
        let mut negative = flat.negative;
        // Numbers come first.
        let is_number = |part: Part| part.term().as_constant().is_some();
        let order = (0..flat.list.len())
            .filter(|at| is_number(flat.list[*at].1))
            .chain((0..flat.list.len()).filter(|at| !is_number(flat.list[*at].1)));
        for at in order.collect::<Vec<_>>() {
            let (inverted, part) = flat.list[at];
            let versions = along.iter().filter_map(|a| a.list.get(at).map(|part| part.1));
            let factor = Item { base: part, along: versions.collect() };
            let (factor, inverted) = match positive(self.item(&factor)) {
                (true, factor) => {
                    negative = !negative;
                    (factor, inverted)
                }
                (false, factor) => match divisor(factor) {
                    // A reciprocal root joins the other side of the line.
                    (true, factor) => (factor, !inverted),
                    (false, factor) => (factor, inverted),
                },
            };
            sides[usize::from(inverted)].push(factor);
        }
        let has_below = !sides[1].is_empty();
        let [above, below] = sides.map(|mut factors| match factors.len() {
            0 => one(),
            1 => factors.remove(0),
            _ => Expression::Product(factors),
        });
        let value = if has_below { Expression::Quotient(Box::new(above), Box::new(below)) } else { above };
        if negative { Expression::Negative(Box::new(value)) } else { value }
    }

    // ---- leaves ----------------------------------------------------------------------------

    fn element(&self, element: u32, item: &Item) -> Expression {
        let elements = self.printer.elements;
        let (Some(block), Some((_, start))) = (elements.block_of(element), coordinates(elements, element))
        else {
            return Expression::Element(elements.name(element), Vec::new());
        };
        let mut steps = Vec::new();
        for part in &item.along {
            let next = part.term().as_element().and_then(|next| coordinates(elements, next));
            steps.push(next.map_or_else(|| start.clone(), |(_, next)| next));
        }
        let indices = start.iter().enumerate().map(|(axis, first)| {
            let moving: Vec<(i64, &str)> = steps
                .iter()
                .zip(INDICES)
                .map(|(next, name)| (next[axis] - first, name))
                .filter(|(step, _)| *step != 0)
                .collect();
            index(*first, &moving)
        });
        Expression::Element(block.name.clone(), indices.collect())
    }
}

/// What an expression is the negative of, or else itself; and which it is.
fn positive(expression: Expression) -> (bool, Expression) {
    match expression {
        Expression::Negative(inner) => (true, *inner),
        Expression::Labelled(label, inner) => {
            let (negative, inner) = positive(*inner);
            (negative, Expression::Labelled(label, Box::new(inner)))
        }
        other => (false, other),
    }
}

/// What an expression is one divided by, or else itself; and which it is.
fn divisor(expression: Expression) -> (bool, Expression) {
    match expression {
        Expression::Quotient(above, below) if *above.bare() == one() => (true, *below),
        Expression::Labelled(label, inner) => {
            let (found, inner) = divisor(*inner);
            (found, Expression::Labelled(label, Box::new(inner)))
        }
        other => (false, other),
    }
}

fn one() -> Expression {
    Expression::Number("1".to_owned())
}

/// `2k+3`
fn index(first: i64, moving: &[(i64, &str)]) -> String {
    let mut text = String::new();
    for (step, name) in moving {
        match (step, text.is_empty()) {
            (1, true) => text.push_str(name),
            (1, false) => text.push_str(&format!("+{name}")),
            (-1, _) => text.push_str(&format!("-{name}")),
            (step, false) if *step > 0 => text.push_str(&format!("+{step}{name}")),
            _ => text.push_str(&format!("{step}{name}")),
        }
    }
    match (first, text.is_empty()) {
        (_, true) => first.to_string(),
        (0, false) => text,
        // A falling index reads better from its start: 7-k.
        _ if text.starts_with('-') => format!("{first}{text}"),
        _ if first > 0 => format!("{text}+{first}"),
        _ => format!("{text}{first}"),
    }
}

fn power(base: &str, exponent: Box<Expression>) -> Expression {
    Expression::Power(Box::new(Expression::Number(base.to_owned())), exponent)
}

/// How a constant reads: its given name, else the shortest decimal (a fraction where that is no
/// decimal).
fn number(printer: &Printer<'_>, constant: usize) -> String {
    if let Some(name) = (printer.constant)(constant) {
        return name;
    }
    let entry = printer.terms.constant_at(constant);
    let value = match &entry.number {
        Number::Rational(value) => value,
        Number::Named(named) => return named.name().to_owned(),
        Number::Infinity => return "∞".to_owned(),
        Number::MinusInfinity => return "-∞".to_owned(),
        Number::NotANumber => return "NaN".to_owned(),
        Number::Unwritten => return "nothing written".to_owned(),
        Number::True => return "true".to_owned(),
        Number::False => return "false".to_owned(),
    };
    let small = value.is_integer() && value.numer().bits() < 40;
    let short = value.numer().bits() < 24 && value.denom().bits() < 24;
    match (entry.rounded, value.to_f64()) {
        _ if small => value.to_string(),
        // What no format has rounded is that very integer.
        (None, _) if value.is_integer() => whole(value.numer()),
        (Some(Format::F64), Some(float)) => decimal(float, format!("{float}"), format!("{float:e}")),
        (Some(_), Some(float)) => decimal(float, format!("{}", float as f32), format!("{:e}", float as f32)),
        // Exact: a terminating decimal if it is short, else the fraction.
        (None, Some(float)) if is_decimal(value) && format!("{float}").len() < 10 => format!("{float}"),
        (None, _) if short => value.to_string(),
        (None, Some(float)) => decimal(float, format!("{float}"), format!("{float:e}")),
        (_, None) => value.to_string(),
    }
}

/// An integer with all of its digits; one that ends in many zeros as a power of ten.
fn whole(value: &num_bigint::BigInt) -> String {
    let text = value.to_string();
    let digits = text.trim_start_matches('-');
    let (first, rest) = digits.trim_end_matches('0').split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    let sign = &text[..text.len() - digits.len()];
    let scientific = format!("{sign}{first}{point}{rest}e{}", digits.len() - 1);
    if scientific.len() < text.len() { scientific } else { text }
}

fn is_decimal(value: &num_rational::BigRational) -> bool {
    let mut rest = value.denom().abs();
    for prime in [2u8, 5] {
        while (&rest % prime) == num_bigint::BigInt::ZERO {
            rest /= prime;
        }
    }
    rest == num_bigint::BigInt::from(1)
}

fn decimal(value: f64, plain: String, scientific: String) -> String {
    if (1e-4..1e7).contains(&value.abs()) { plain } else { scientific }
}

fn bit_name(op: BitOp) -> &'static str {
    match op {
        BitOp::And => "bit_and",
        BitOp::Or => "bit_or",
        BitOp::Xor => "bit_xor",
        BitOp::Not => "bit_not",
        BitOp::ShiftLeft => "shift_left",
        BitOp::ShiftRight => "shift_right",
        BitOp::ShiftRightSigned => "shift_right_signed",
        BitOp::Add => "bit_add",
        BitOp::Sub => "bit_sub",
        BitOp::Mul => "bit_mul",
        BitOp::MulHigh => "bit_mul_high",
        BitOp::Min => "bit_min",
        BitOp::Max => "bit_max",
        BitOp::MinSigned => "bit_min_signed",
        BitOp::MaxSigned => "bit_max_signed",
        BitOp::Negate => "bit_negate",
        BitOp::Concat => "concat",
        BitOp::Slice => "slice",
        BitOp::Extend => "extend",
        BitOp::ExtendSigned => "extend_signed",
        BitOp::PopCount => "popcount",
        BitOp::LeadingZeros => "leading_zeros",
        BitOp::Reverse => "reverse_bits",
        BitOp::Equal => "bit_equal",
        BitOp::Less => "bit_less",
        BitOp::LessSigned => "bit_less_signed",
        BitOp::Other => "bit_operation",
    }
}
