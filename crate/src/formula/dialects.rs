//! A formula as a program for NumPy or PyTorch, or as LaTeX.
//!
//! What a library lacks is defined in front, from the table of functions: `def softmax(x, axis=-1): …`. An
//! assignment with letters becomes loops over elements, slow and exactly what it says. What cannot be said
//! (convolutions in NumPy) is `None`, never something similar.

use super::functions::{Meaning, function};
use super::tree::{Argument, Expression, Item, Kind, Operator, Program, Sign, Statement};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use std::fmt::Write;

/// For whom a formula is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Dialect {
    NumPy,
    PyTorch,
    Latex,
}

/// A text, and how tightly its outermost operator binds.
type Bound = (String, u8);

const CHOICE: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const SUM: u8 = 9;
const PRODUCT: u8 = 10;
const UNARY: u8 = 11;
const POWER: u8 = 12;
const ATOM: u8 = 13;

/// The formula for someone else; `shape` gives the extents of tensors.
pub fn write(
    program: &Program,
    dialect: Dialect,
    shape: &dyn Fn(&str) -> Option<Vec<u64>>,
) -> Option<String> {
    let mut writer = Writer { dialect, shape, defined: Vec::new(), definitions: String::new() };
    let lines: Vec<String> =
        program.statements.iter().map(|statement| writer.statement(statement)).collect::<Option<_>>()?;
    if dialect == Dialect::Latex {
        return Some(format!("\\begin{{align*}}\n{}\n\\end{{align*}}\n", lines.join(" \\\\\n")));
    }
    let imports = match dialect {
        Dialect::NumPy => "import math\nimport numpy as np\n",
        _ => "import math\nimport torch\nimport torch.nn.functional as F\n",
    };
    Some(format!("{imports}\n{}{}\n", writer.definitions, lines.join("\n")))
}

/// What PyTorch has under a name of its own, with its module.
const TORCH: &[(&str, &str)] = &[
    ("softmax", "torch.softmax"),
    ("log_softmax", "torch.log_softmax"),
    ("logsumexp", "torch.logsumexp"),
    ("sigmoid", "torch.sigmoid"),
    ("relu", "torch.relu"),
    ("relu6", "F.relu6"),
    ("leaky_relu", "F.leaky_relu"),
    ("elu", "F.elu"),
    ("silu", "F.silu"),
    ("gelu", "F.gelu"),
    ("mish", "F.mish"),
    ("softplus", "F.softplus"),
    ("softsign", "F.softsign"),
    ("hardswish", "F.hardswish"),
    ("hardsigmoid", "F.hardsigmoid"),
    ("hardtanh", "F.hardtanh"),
    ("group_norm", "F.group_norm"),
    ("mse_loss", "F.mse_loss"),
    ("conv1d", "F.conv1d"),
    ("conv2d", "F.conv2d"),
    ("max_pool2d", "F.max_pool2d"),
    ("avg_pool2d", "F.avg_pool2d"),
    ("erf", "torch.erf"),
    ("max", "torch.amax"),
    ("min", "torch.amin"),
    ("concat", "torch.cat"),
    ("permute_dims", "torch.permute"),
    ("expand_dims", "torch.unsqueeze"),
];

/// What NumPy has under another name.
const NUMPY: &[(&str, &str)] = &[
    ("concat", "np.concatenate"),
    ("permute_dims", "np.transpose"),
    ("pow", "np.power"),
    ("atan", "np.arctan"),
    ("asinh", "np.arcsinh"),
    ("acosh", "np.arccosh"),
    ("atanh", "np.arctanh"),
    ("expand_dims", "np.expand_dims"),
    ("take", "np.take"),
    ("cbrt", "np.cbrt"),
];

/// What both have under this name.
const BOTH: &[&str] = &[
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "square",
    "reciprocal",
    "abs",
    "sign",
    "floor",
    "ceil",
    "round",
    "trunc",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "maximum",
    "minimum",
    "clip",
    "where",
    "sum",
    "prod",
    "mean",
    "max",
    "min",
    "all",
    "any",
    "argmax",
    "argmin",
    "var",
    "std",
    "cumsum",
    "reshape",
    "stack",
    "broadcast_to",
    "flip",
    "arange",
    "zeros",
    "ones",
    "full",
    "matmul",
    "einsum",
];

struct Writer<'a> {
    dialect: Dialect,
    shape: &'a dyn Fn(&str) -> Option<Vec<u64>>,
    /// The functions that stand in front.
    defined: Vec<&'static str>,
    definitions: String,
}

impl Writer<'_> {
    fn statement(&mut self, statement: &Statement) -> Option<String> {
        let target = statement.target.text.as_str();
        let value = self.expression(&statement.value)?.0;
        let Some(letters) = &statement.letters else {
            return Some(match self.dialect {
                Dialect::Latex => format!("{} &= {value}", name_in_latex(target)),
                _ => format!("{target} = {value}"),
            });
        };
        let letters: Vec<&str> = letters.iter().map(|letter| letter.text.as_str()).collect();
        if self.dialect == Dialect::Latex {
            return Some(format!("{}_{{{}}} &= {value}", name_in_latex(target), letters.join(", ")));
        }
        let shape = (self.shape)(target).filter(|shape| shape.len() == letters.len())?;
        let module = self.module();
        let mut text = format!("{target} = {module}.empty({shape:?})\n");
        let mut indent = String::new();
        for (letter, extent) in letters.iter().zip(shape) {
            let _ = writeln!(text, "{indent}for {letter} in range({extent}):");
            indent += "    ";
        }
        Some(format!("{text}{indent}{target}[{}] = {value}", letters.join(", ")))
    }

    fn module(&self) -> &'static str {
        if self.dialect == Dialect::PyTorch { "torch" } else { "np" }
    }

    fn within(&mut self, expression: &Expression, least: u8) -> Option<String> {
        let (text, binds) = self.expression(expression)?;
        Some(match (binds < least, self.dialect) {
            (false, _) => text,
            (true, Dialect::Latex) => format!("\\left({text}\\right)"),
            (true, _) => format!("({text})"),
        })
    }

    fn expression(&mut self, expression: &Expression) -> Option<Bound> {
        let latex = self.dialect == Dialect::Latex;
        Some(match &expression.kind {
            Kind::Number(value, whole) => (number(value, *whole, latex)?, ATOM),
            Kind::Name(name) => (self.name(name), ATOM),
            Kind::Text(text) if latex => (format!("\\text{{{text}}}"), ATOM),
            Kind::Text(text) => (format!("'{text}'"), ATOM),
            Kind::List(items) => {
                let items =
                    items.iter().map(|item| Some(self.expression(item)?.0)).collect::<Option<Vec<_>>>()?;
                (format!("[{}]", items.join(", ")), ATOM)
            }
            Kind::Unary(sign, a) => match sign {
                Sign::Not if latex => (format!("\\neg {}", self.within(a, NOT)?), NOT),
                Sign::Not => (format!("not {}", self.within(a, NOT)?), NOT),
                Sign::Minus => (format!("-{}", self.within(a, UNARY)?), if latex { SUM } else { UNARY }),
                Sign::Plus => (format!("+{}", self.within(a, UNARY)?), UNARY),
                Sign::Invert => (format!("~{}", self.within(a, UNARY)?), UNARY),
            },
            Kind::Binary(operator, a, b) => self.binary(*operator, a, b)?,
            Kind::If(condition, a, b) if latex => {
                let [condition, a, b] =
                    [condition, a, b].map(|part| self.expression(part).map(|part| part.0));
                (cases(&condition?, &a?, &b?), ATOM)
            }
            Kind::If(condition, a, b) => {
                let (condition, b) = (self.within(condition, OR)?, self.expression(b)?.0);
                (format!("{} if {condition} else {b}", self.within(a, OR)?), CHOICE)
            }
            Kind::IsNone(a) => (format!("{} is None", self.within(a, SUM)?), COMPARISON),
            Kind::Call(function, arguments) => self.call(&function.text, arguments)?,
            Kind::Method(base, method, arguments) => {
                let first = Argument { name: None, value: (**base).clone() };
                let all: Vec<Argument> = std::iter::once(first).chain(arguments.iter().cloned()).collect();
                self.call(&method.text, &all)?
            }
            Kind::Over(fold, letters, body) => {
                let mut ranges = Vec::new();
                for letter in letters {
                    let name = &letter.name.text;
                    ranges.push(match (&letter.range, latex) {
                        (Some((from, to)), true) => {
                            let (from, to) = (self.within(from, SUM)?, self.within(to, SUM)?);
                            format!("{from} \\le {name} < {to}")
                        }
                        (None, true) => name.clone(),
                        (Some((from, to)), false) => {
                            let (from, to) = (self.expression(from)?.0, self.expression(to)?.0);
                            format!("for {name} in range({from}, {to})")
                        }
                        (None, false) => format!("for {name} in range({})", self.extent(name, body)?),
                    });
                }
                let fold = fold.text.as_str();
                if latex {
                    let sign = match fold {
                        "sum" => "\\sum".to_owned(),
                        "prod" => "\\prod".to_owned(),
                        "max" | "min" => format!("\\{fold}"),
                        other => format!("\\operatorname{{{other}}}"),
                    };
                    let body = self.within(body, PRODUCT)?;
                    return Some((format!("{sign}_{{{}}} {body}", ranges.join(",\\, ")), SUM));
                }
                let fold = match fold {
                    "sum" | "max" | "min" | "all" | "any" => fold,
                    "prod" => "math.prod",
                    _ => return None,
                };
                (format!("{fold}({} {})", self.expression(body)?.0, ranges.join(" ")), ATOM)
            }
            Kind::Index(base, items) => {
                let base = self.within(base, ATOM)?;
                let items = items.iter().map(|item| self.item(item)).collect::<Option<Vec<_>>>()?.join(", ");
                (if latex { format!("{base}_{{{items}}}") } else { format!("{base}[{items}]") }, ATOM)
            }
            Kind::Attribute(base, attribute) => {
                let base = self.within(base, ATOM)?;
                match (latex, attribute.text.as_str()) {
                    (true, "T" | "mT") => (format!("{base}^{{\\top}}"), POWER),
                    (true, other) => (format!("{base}.\\mathrm{{{other}}}"), ATOM),
                    (false, other) => (format!("{base}.{other}"), ATOM),
                }
            }
        })
    }

    fn name(&self, name: &str) -> String {
        let own = (self.shape)(name).is_some();
        match (self.dialect, name) {
            (Dialect::Latex, "pi") if !own => "\\pi".to_owned(),
            (Dialect::Latex, "inf") if !own => "\\infty".to_owned(),
            (Dialect::Latex, name) => name_in_latex(name),
            (_, "pi" | "e" | "inf") if !own => format!("math.{name}"),
            (_, name) => name.to_owned(),
        }
    }

    fn binary(&mut self, operator: Operator, a: &Expression, b: &Expression) -> Option<Bound> {
        use Operator::*;
        let latex = self.dialect == Dialect::Latex;
        if latex && operator == Divide {
            let [a, b] = [a, b].map(|part| self.expression(part).map(|part| part.0));
            return Some((format!("\\frac{{{}}}{{{}}}", a?, b?), ATOM));
        }
        if latex && operator == Power {
            return Some((format!("{}^{{{}}}", self.within(a, ATOM)?, self.expression(b)?.0), POWER));
        }
        let (sign, binds) = match operator {
            Add => ("+", SUM),
            Subtract => ("-", SUM),
            Multiply if latex => ("\\cdot", PRODUCT),
            Multiply => ("*", PRODUCT),
            Divide => ("/", PRODUCT),
            FloorDivide => ("//", PRODUCT),
            Remainder if latex => ("\\bmod", PRODUCT),
            Remainder => ("%", PRODUCT),
            Power => ("**", POWER),
            Matrix if latex => ("", PRODUCT),
            Matrix => ("@", PRODUCT),
            Less => ("<", COMPARISON),
            LessEqual => (if latex { "\\le" } else { "<=" }, COMPARISON),
            Greater => (">", COMPARISON),
            GreaterEqual => (if latex { "\\ge" } else { ">=" }, COMPARISON),
            Equal => (if latex { "=" } else { "==" }, COMPARISON),
            NotEqual => (if latex { "\\ne" } else { "!=" }, COMPARISON),
            And => (if latex { "\\land" } else { "and" }, AND),
            Or => (if latex { "\\lor" } else { "or" }, OR),
            BitAnd => (if latex { "\\mathbin{\\&}" } else { "&" }, 7),
            BitXor => (if latex { "\\oplus" } else { "^" }, 6),
            BitOr => ("|", 5),
            ShiftLeft => (if latex { "\\ll" } else { "<<" }, 8),
            ShiftRight => (if latex { "\\gg" } else { ">>" }, 8),
        };
        // The right side of what is not associative binds tighter; a power, its left side.
        let [left, right] = match operator {
            Power => [binds + 1, UNARY],
            _ => [binds, binds + 1],
        };
        let (a, b) = (self.within(a, left)?, self.within(b, right)?);
        Some((if sign.is_empty() { format!("{a} {b}") } else { format!("{a} {sign} {b}") }, binds))
    }

    fn call(&mut self, name: &str, arguments: &[Argument]) -> Option<Bound> {
        let function = function(name)?;
        let torch = self.dialect == Dialect::PyTorch;
        if self.dialect == Dialect::Latex {
            return self.call_in_latex(name, arguments);
        }
        let values = arguments
            .iter()
            .map(|argument| Some(self.expression(&argument.value)?.0))
            .collect::<Option<Vec<_>>>()?;
        // Of numbers alone, and of single elements, Python's own.
        let constant = arguments.len() == 1 && is_constant(&arguments[0].value);
        if constant && ["sqrt", "log", "exp", "sin", "cos", "tanh", "erf"].contains(&name) {
            return Some((format!("math.{name}({})", values[0]), ATOM));
        }
        if name == "astype" {
            let value = if torch { format!("({})", values[0]) } else { format!("np.asarray({})", values[0]) };
            let method = if torch { "to" } else { "astype" };
            // `x.dtype` is a type as it is.
            let dtype = match &arguments.get(1)?.value.kind {
                Kind::Attribute(..) => values[1].clone(),
                _ => format!("{}.{}", self.module(), values[1]),
            };
            return Some((format!("{value}.{method}({dtype})"), ATOM));
        }
        if torch && name == "layer_norm" {
            let mut text = format!("F.layer_norm({0}, ({0}).shape[-1:]", values[0]);
            for (argument, value) in arguments.iter().zip(&values).skip(1) {
                let name = argument.name.as_ref().map_or(String::new(), |name| format!("{}=", name.text));
                let _ = write!(text, ", {name}{value}");
            }
            return Some((text + ")", ATOM));
        }
        // A tensor and a number have no `torch.maximum`.
        if torch
            && ["maximum", "minimum"].contains(&name)
            && let Some(at) = arguments.iter().position(|argument| is_constant(&argument.value))
        {
            let bound = if name == "maximum" { "min" } else { "max" };
            return Some((format!("torch.clamp({}, {bound}={})", values.get(1 - at)?, values[at]), ATOM));
        }
        let called = self.called(function.name, &function.meaning)?;
        let parts: Vec<String> = arguments
            .iter()
            .zip(values)
            .map(|(argument, value)| match &argument.name {
                Some(parameter) => format!("{}={value}", self.parameter(&called, name, &parameter.text)),
                None => value,
            })
            .collect();
        Some((format!("{called}({})", parts.join(", ")), ATOM))
    }

    /// What a function is called, once it is defined where that is needed.
    fn called(&mut self, name: &'static str, meaning: &Meaning) -> Option<String> {
        let torch = self.dialect == Dialect::PyTorch;
        let own = if torch { TORCH } else { NUMPY };
        if let Some((_, called)) = own.iter().find(|(known, _)| *known == name) {
            return Some((*called).to_owned());
        }
        if BOTH.contains(&name) {
            return Some(format!("{}.{name}", self.module()));
        }
        if !self.defined.contains(&name) {
            self.defined.push(name);
            let definition = match (meaning, name) {
                (Meaning::Text(text), _) => self.definition(name, text)?,
                (_, "erf") => "erf = np.vectorize(math.erf)\n\n".to_owned(),
                _ => return None,
            };
            self.definitions += &definition;
        }
        Some(name.to_owned())
    }

    /// A function of the table in Python.
    fn definition(&mut self, name: &str, text: &str) -> Option<String> {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let (last, before) = lines.split_last()?;
        let (program, problems) = super::parse(&format!("{}\nresult = {last}", before.join("\n")));
        if !problems.is_empty() {
            return None;
        }
        let parameters = function(name)?.parameters;
        let mut definition = format!("def {name}({parameters}):\n");
        let (result, parts) = program.statements.split_last()?;
        for part in parts {
            let _ = writeln!(definition, "    {}", self.statement(part)?);
        }
        let _ = writeln!(definition, "    return {}\n", self.expression(&result.value)?.0);
        Some(definition)
    }

    /// What a parameter is called by a library's function.
    fn parameter<'b>(&self, called: &str, name: &str, parameter: &'b str) -> &'b str {
        match (self.dialect, parameter) {
            (Dialect::NumPy, "correction") if called.starts_with("np.") => "ddof",
            (Dialect::PyTorch, "axis") if called.contains('.') && name != "expand_dims" => "dim",
            (Dialect::PyTorch, "axis") if called.contains('.') => "dim",
            (Dialect::PyTorch, "keepdims") if called.contains('.') => "keepdim",
            _ => parameter,
        }
    }

    fn call_in_latex(&mut self, name: &str, arguments: &[Argument]) -> Option<Bound> {
        let mut parts = Vec::new();
        for argument in arguments {
            let value = self.expression(&argument.value)?.0;
            parts.push(match &argument.name {
                Some(parameter) => format!("\\text{{{}}}={value}", parameter.text.replace('_', "\\_")),
                None => value,
            });
        }
        let text = match (name, parts.as_slice()) {
            ("sqrt", [a]) => format!("\\sqrt{{{a}}}"),
            ("abs", [a]) => format!("\\left|{a}\\right|"),
            ("floor", [a]) => format!("\\left\\lfloor {a}\\right\\rfloor"),
            ("ceil", [a]) => format!("\\left\\lceil {a}\\right\\rceil"),
            ("exp", [a]) => return Some((format!("e^{{{a}}}"), POWER)),
            ("exp2", [a]) => return Some((format!("2^{{{a}}}"), POWER)),
            ("log", [a]) => format!("\\ln\\left({a}\\right)"),
            ("log2", [a]) => format!("\\log_2\\left({a}\\right)"),
            ("sin" | "cos" | "tanh", [a]) => format!("\\{name}\\left({a}\\right)"),
            ("where", [condition, a, b]) => cases(condition, a, b),
            _ => {
                let name = name.replace('_', "\\_");
                format!("\\operatorname{{{name}}}\\left({}\\right)", parts.join(",\\, "))
            }
        };
        Some((text, ATOM))
    }

    fn item(&mut self, item: &Item) -> Option<String> {
        Some(match item {
            Item::At(at) => self.expression(at)?.0,
            Item::New => "None".to_owned(),
            Item::Rest => "...".to_owned(),
            Item::Slice([start, stop, step]) => {
                let mut part = |part: &Option<Box<Expression>>| match part {
                    Some(part) => Some(self.expression(part)?.0),
                    None => Some(String::new()),
                };
                let (start, stop, step) = (part(start)?, part(stop)?, part(step)?);
                let step = if step.is_empty() { step } else { format!(":{step}") };
                format!("{start}:{stop}{step}")
            }
        })
    }

    /// The length of the axis that a letter indexes.
    fn extent(&self, letter: &str, body: &Expression) -> Option<u64> {
        let mut open = vec![body];
        while let Some(expression) = open.pop() {
            if let Kind::Index(base, items) = &expression.kind
                && let Kind::Name(tensor) = &base.kind
                && let Some(shape) = (self.shape)(tensor)
            {
                let is_letter =
                    |item: &Item| matches!(item, Item::At(at) if at.kind == Kind::Name(letter.to_owned()));
                if let Some(at) = items.iter().position(is_letter) {
                    return shape.get(at).copied();
                }
            }
            open.extend(expression.parts());
        }
        None
    }
}

fn is_constant(expression: &Expression) -> bool {
    match &expression.kind {
        Kind::Number(..) => true,
        Kind::Name(name) => ["pi", "e", "inf"].contains(&name.as_str()),
        Kind::Unary(..) | Kind::Binary(..) => expression.parts().into_iter().all(is_constant),
        _ => false,
    }
}

fn number(value: &BigRational, whole: bool, latex: bool) -> Option<String> {
    if value.is_integer() {
        return Some(if whole || latex { value.to_string() } else { format!("{value}.0") });
    }
    let float = value.to_f64()?;
    let text = if float.abs() < 1e-3 { format!("{float:e}") } else { format!("{float}") };
    Some(match (latex, text.split_once('e')) {
        (true, Some(("1", power))) => format!("10^{{{power}}}"),
        (true, Some((digits, power))) => format!("{digits} \\cdot 10^{{{power}}}"),
        _ => text,
    })
}

fn cases(condition: &str, a: &str, b: &str) -> String {
    format!("\\begin{{cases}} {a} & \\text{{if }} {condition} \\\\ {b} & \\text{{otherwise}} \\end{{cases}}")
}

/// A name of one letter as it is, others upright; what follows a `_` is an index.
fn name_in_latex(name: &str) -> String {
    match name.chars().count() {
        1 => name.to_owned(),
        _ => format!("\\mathrm{{{}}}", name.replace('_', "\\_")),
    }
}
