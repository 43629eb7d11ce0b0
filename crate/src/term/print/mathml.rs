//! Trees as presentation MathML.
//!
//! Indices are subscripts, quotients fractions, marked parts `<mrow class="marked">`.

use super::{Expression, counted};

impl Expression {
    /// A whole `<math>` element, in display style.
    pub fn to_mathml(&self) -> String {
        let mut text = String::from("<math display=\"block\">");
        write(self, &mut text);
        text.push_str("</math>");
        text
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn operator(sign: &str, out: &mut String) {
    out.push_str("<mo>");
    out.push_str(&escape(sign));
    out.push_str("</mo>");
}

fn row(out: &mut String, content: impl FnOnce(&mut String)) {
    out.push_str("<mrow>");
    content(out);
    out.push_str("</mrow>");
}

fn fenced(open: &str, inner: &Expression, close: &str, out: &mut String) {
    row(out, |out| {
        operator(open, out);
        write(inner, out);
        operator(close, out);
    });
}

/// Brackets around what would otherwise run into its neighbours.
fn factor(expression: &Expression, out: &mut String) {
    let loose = match expression {
        Expression::Marked(inner) => return marked(out, |out| factor(inner, out)),
        Expression::Sum(..)
        | Expression::Negative(_)
        | Expression::If(..)
        | Expression::Infix(..)
        | Expression::Over(..) => true,
        Expression::Number(text) => text.contains(['/', ' ']),
        _ => false,
    };
    if loose { fenced("(", expression, ")", out) } else { write(expression, out) }
}

fn marked(out: &mut String, content: impl FnOnce(&mut String)) {
    out.push_str("<mrow class=\"marked\">");
    content(out);
    out.push_str("</mrow>");
}

fn write(expression: &Expression, out: &mut String) {
    match expression {
        Expression::Element(name, indices) if indices.is_empty() => {
            out.push_str(&format!("<mi>{}</mi>", escape(name)));
        }
        Expression::Element(name, indices) => {
            out.push_str(&format!("<msub><mi>{}</mi>", escape(name)));
            row(out, |out| {
                for (at, index) in indices.iter().enumerate() {
                    if at > 0 {
                        operator(",", out);
                    }
                    write_index(index, out);
                }
            });
            out.push_str("</msub>");
        }
        Expression::Number(text) if text.starts_with(|c: char| c.is_ascii_digit()) && !text.contains(' ') => {
            out.push_str(&format!("<mn>{}</mn>", escape(text)));
        }
        Expression::Number(text) => out.push_str(&format!("<mi>{}</mi>", escape(text))),
        Expression::Sum(parts, total) => row(out, |out| {
            for (at, (negative, part)) in parts.iter().enumerate() {
                match (at, negative) {
                    (_, true) => operator("-", out),
                    (0, false) => {}
                    (_, false) => operator("+", out),
                }
                let bracket = *negative && matches!(part, Expression::Sum(..));
                if bracket { fenced("(", part, ")", out) } else { write(part, out) }
            }
            if parts.iter().any(|(_, part)| *part == Expression::Ellipsis) {
                out.push_str(&format!("<mtext> ({})</mtext>", counted(*total)));
            }
        }),
        Expression::Product(factors) => row(out, |out| {
            for (at, part) in factors.iter().enumerate() {
                if at > 0 {
                    operator("·", out);
                }
                factor(part, out);
            }
        }),
        Expression::Quotient(above, below) => {
            out.push_str("<mfrac>");
            write(above, out);
            write(below, out);
            out.push_str("</mfrac>");
        }
        Expression::Negative(inner) => row(out, |out| {
            operator("-", out);
            factor(inner, out);
        }),
        Expression::Power(base, exponent) => {
            out.push_str("<msup>");
            factor(base, out);
            write(exponent, out);
            out.push_str("</msup>");
        }
        Expression::Root(3, inner) => {
            out.push_str("<mroot>");
            write(inner, out);
            out.push_str("<mn>3</mn></mroot>");
        }
        Expression::Root(_, inner) => {
            out.push_str("<msqrt>");
            write(inner, out);
            out.push_str("</msqrt>");
        }
        Expression::Fenced(open, inner, close) => fenced(open, inner, close, out),
        Expression::Call(name, arguments, total) => row(out, |out| {
            if let [over @ Expression::Over(symbol, ..)] = arguments.as_slice()
                && symbol == name
            {
                return write(over, out);
            }
            out.push_str(&format!("<mi>{}</mi>", escape(name)));
            operator("(", out);
            for (at, argument) in arguments.iter().enumerate() {
                if at > 0 {
                    operator(",", out);
                }
                write(argument, out);
            }
            operator(")", out);
            if arguments.contains(&Expression::Ellipsis) {
                out.push_str(&format!("<mtext> ({total} values)</mtext>"));
            }
        }),
        Expression::Over(symbol, index, first, last, body) => row(out, |out| {
            let range = format!("<mrow><mi>{index}</mi><mo>=</mo><mn>{first}</mn></mrow>");
            out.push_str(&format!("<munderover><mo>{symbol}</mo>{range}<mn>{last}</mn></munderover>"));
            let bracket = matches!(**body, Expression::Sum(..) | Expression::Negative(_));
            if bracket { fenced("(", body, ")", out) } else { write(body, out) }
        }),
        Expression::If(condition, a, b) => row(out, |out| {
            operator("{", out);
            out.push_str("<mtable columnalign=\"left\"><mtr><mtd>");
            write(a, out);
            out.push_str("</mtd><mtd><mtext>if </mtext>");
            write(condition, out);
            out.push_str("</mtd></mtr><mtr><mtd>");
            write(b, out);
            out.push_str("</mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable>");
        }),
        Expression::Infix(a, sign, b) => row(out, |out| {
            write(a, out);
            operator(sign, out);
            write(b, out);
        }),
        Expression::Ellipsis => operator("…", out),
        Expression::Labelled(_, inner) => write(inner, out),
        Expression::Marked(inner) => marked(out, |out| write(inner, out)),
    }
}

/// `2k+3`: letters are identifiers, digits numbers.
fn write_index(index: &str, out: &mut String) {
    let mut rest = index;
    while let Some(first) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let length = if digits > 0 { digits } else { first.len_utf8() };
        let (piece, tail) = rest.split_at(length);
        match first {
            '0'..='9' => out.push_str(&format!("<mn>{piece}</mn>")),
            '+' | '-' => operator(piece, out),
            _ => out.push_str(&format!("<mi>{}</mi>", escape(piece))),
        }
        rest = tail;
    }
}
