//! Trees as text, with or without marks.

use super::{Expression, Segment, counted};
use std::fmt;

/// How tightly a tree binds; brackets go around what binds less than its place asks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Condition,
    Sum,
    Product,
    Power,
    Atom,
}

fn binding(expression: &Expression) -> Binding {
    match expression {
        Expression::If(..) | Expression::Infix(..) => Binding::Condition,
        Expression::Sum(..) | Expression::Negative(_) => Binding::Sum,
        Expression::Product(_) | Expression::Quotient(..) | Expression::Over(..) => Binding::Product,
        Expression::Power(..) => Binding::Power,
        // A fraction or a product in a constant's name binds like one.
        Expression::Number(text) if text.contains(['/', '·', ' ']) => Binding::Product,
        Expression::Element(..)
        | Expression::Number(_)
        | Expression::Root(..)
        | Expression::Fenced(..)
        | Expression::Call(..)
        | Expression::Ellipsis => Binding::Atom,
        Expression::Marked(inner) | Expression::Labelled(_, inner) => binding(inner),
    }
}

struct Writer {
    segments: Vec<Segment>,
    marked: bool,
}

impl Writer {
    fn push(&mut self, text: &str) {
        match self.segments.last_mut() {
            Some(last) if last.marked == self.marked => last.text.push_str(text),
            _ => self.segments.push(Segment { text: text.to_owned(), marked: self.marked }),
        }
    }

    /// Writes a tree where at least `needed` is expected.
    fn within(&mut self, expression: &Expression, needed: Binding) {
        if binding(expression) < needed {
            self.push("(");
            self.write(expression);
            self.push(")");
        } else {
            self.write(expression);
        }
    }

    fn write(&mut self, expression: &Expression) {
        match expression {
            Expression::Element(name, indices) => {
                self.push(name);
                for index in indices {
                    self.push(&format!("[{index}]"));
                }
            }
            Expression::Number(text) => self.push(text),
            Expression::Sum(parts, total) => self.sum(parts, *total),
            Expression::Product(factors) => {
                for (at, factor) in factors.iter().enumerate() {
                    if at > 0 {
                        self.push("·");
                    }
                    // A product inside a product keeps its brackets only below a line.
                    let last = at + 1 == factors.len();
                    let over = matches!(factor, Expression::Over(..)) && !last;
                    self.within(factor, if over { Binding::Power } else { Binding::Product });
                }
            }
            Expression::Quotient(above, below) => {
                let over = matches!(**above, Expression::Over(..));
                self.within(above, if over { Binding::Power } else { Binding::Product });
                self.push("/");
                self.within(below, Binding::Power);
            }
            Expression::Negative(inner) => {
                self.push("-");
                self.within(inner, Binding::Product);
            }
            Expression::Power(base, exponent) => {
                self.within(base, Binding::Atom);
                self.push("^");
                self.within(exponent, Binding::Atom);
            }
            Expression::Root(degree, inner) => {
                self.push(if *degree == 3 { "∛" } else { "√" });
                match **inner {
                    Expression::Element(..) | Expression::Number(_) => self.within(inner, Binding::Atom),
                    _ => self.fenced("(", inner, ")"),
                }
            }
            Expression::Fenced(open, inner, close) => self.fenced(open, inner, close),
            Expression::Call(name, arguments, total) => {
                self.push(name);
                if let [over @ Expression::Over(symbol, ..)] = arguments.as_slice()
                    && symbol == name
                {
                    // The extreme over an index is written by the index alone.
                    self.range(over);
                    return;
                }
                self.push("(");
                for (at, argument) in arguments.iter().enumerate() {
                    if at > 0 {
                        self.push(", ");
                    }
                    match argument {
                        Expression::Over(symbol, ..) => {
                            self.push(symbol);
                            self.range(argument);
                        }
                        _ => self.write(argument),
                    }
                }
                self.push(")");
                if arguments.contains(&Expression::Ellipsis) {
                    self.push(&format!(" ({total} values)"));
                }
            }
            Expression::Over(symbol, ..) => {
                self.push(symbol);
                self.range(expression);
            }
            Expression::If(condition, a, b) => {
                self.push("if ");
                self.write(condition);
                self.push(" then ");
                self.within(a, Binding::Sum);
                self.push(" else ");
                self.write(b);
            }
            Expression::Infix(a, sign, b) => {
                self.within(a, Binding::Sum);
                self.push(&format!(" {sign} "));
                self.within(b, Binding::Sum);
            }
            Expression::Ellipsis => self.push("…"),
            Expression::Labelled(_, inner) => self.write(inner),
            Expression::Marked(inner) => {
                let before = std::mem::replace(&mut self.marked, true);
                self.write(inner);
                self.marked = before;
            }
        }
    }

    fn fenced(&mut self, open: &str, inner: &Expression, close: &str) {
        self.push(open);
        self.write(inner);
        self.push(close);
    }

    /// `[k=0…63](body)`: what stands behind Σ and max.
    fn range(&mut self, over: &Expression) {
        let Expression::Over(symbol, index, first, last, body) = over else { return };
        self.push(&format!("[{index}={first}…{last}] "));
        // Σ binds like a product; an extreme needs its brackets.
        if *symbol == "Σ" { self.within(body, Binding::Product) } else { self.fenced("(", body, ")") }
    }

    fn sum(&mut self, parts: &[(bool, Expression)], total: usize) {
        for (at, (negative, part)) in parts.iter().enumerate() {
            self.push(match (at, negative) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            });
            self.within(part, if *negative { Binding::Product } else { Binding::Sum });
        }
        if parts.iter().any(|(_, part)| *part == Expression::Ellipsis) {
            self.push(&format!(" ({})", counted(total)));
        }
    }
}

impl Expression {
    /// The text in pieces, so that marked parts can be shown as such.
    pub fn segments(&self) -> Vec<Segment> {
        let mut writer = Writer { segments: Vec::new(), marked: false };
        writer.write(self);
        writer.segments
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.segments().iter().try_for_each(|segment| f.write_str(&segment.text))
    }
}
