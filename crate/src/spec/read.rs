//! Reading typed values out of TOML: each reader returns `None` after saying what is wrong.
//!
//! Positions come from the `toml` crate's spanned document; nothing here knows the spec's keys.

use super::model::{Key, Written};
use crate::base::{Format, Source, Span, nearest};
use crate::diag::{Code, Diagnostic};
use crate::formula::{Problem, Whole};
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

/// A value with its place.
pub type Node<'t> = Spanned<DeValue<'t>>;

/// One `key = value` of a table.
pub struct Entry<'a, 't> {
    pub key: &'a str,
    pub key_span: Span,
    pub value: &'a Node<'t>,
}

/// Collects what is wrong while values are read.
#[derive(Default)]
pub struct Reader {
    pub diagnostics: Vec<Diagnostic>,
    /// The integers that expressions may name.
    pub names: Vec<(String, i64)>,
    /// Which integer is being read, and its place in lists.
    pub key: Key,
    pub at: [usize; 2],
    /// The integers that were read from expressions.
    written: Vec<Written>,
}

/// The place of a node.
pub fn span_of<T>(node: &Spanned<T>) -> Span {
    Span::new(node.span().start, node.span().end)
}

/// "a string", "an integer", … as it stands in the file.
fn describe(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

fn integer(value: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(value.as_str(), value.radix()).ok()
}

impl Reader {
    /// Says that something is wrong at a place.
    pub fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.diagnostics.push(Diagnostic::error(Code::V010, message).at(Source::Spec, span));
        self.diagnostics.last_mut().expect("just pushed")
    }

    #[cold]
    fn expected(&mut self, what: &str, wanted: &str, found: &Node<'_>) {
        let message = format!("`{what}` must be {wanted}, not {}", describe(found.get_ref()));
        self.error(span_of(found), message);
    }

    /// The entries of a table in file order; keys that are not `known` are diagnosed and left out.
    pub fn entries<'a, 't>(
        &mut self,
        what: &str,
        table: &'a DeTable<'t>,
        known: &[&str],
    ) -> Vec<Entry<'a, 't>> {
        let mut entries = self.all_entries(table);
        entries.retain(|entry| {
            if known.contains(&entry.key) {
                return true;
            }
            let diagnostic = self.error(entry.key_span, format!("{what} has no key `{}`", entry.key));
            match nearest(entry.key, known.iter().copied()) {
                Some(name) => diagnostic.notes.push(format!("did you mean `{name}`?")),
                None => diagnostic.notes.push(format!("it has {}", quoted(known))),
            }
            false
        });
        entries
    }

    /// The entries of a table whose keys the user chooses, in file order.
    pub fn all_entries<'a, 't>(&mut self, table: &'a DeTable<'t>) -> Vec<Entry<'a, 't>> {
        let mut entries: Vec<_> = table
            .iter()
            .map(|(key, value)| Entry { key: key.get_ref(), key_span: span_of(key), value })
            .collect();
        entries.sort_by_key(|entry| entry.key_span.start);
        entries
    }

    pub fn table<'a, 't>(&mut self, what: &str, node: &'a Node<'t>) -> Option<&'a DeTable<'t>> {
        let table = node.get_ref().as_table();
        if table.is_none() {
            self.expected(what, "a table", node);
        }
        table
    }

    pub fn string(&mut self, what: &str, node: &Node<'_>) -> Option<String> {
        let text = node.get_ref().as_str().map(str::to_owned);
        if text.is_none() {
            self.expected(what, "a string", node);
        }
        text
    }

    pub fn boolean(&mut self, what: &str, node: &Node<'_>) -> Option<bool> {
        let value = node.get_ref().as_bool();
        if value.is_none() {
            self.expected(what, "true or false", node);
        }
        value
    }

    /// Says what is wrong with an expression.
    #[cold]
    pub fn problem(&mut self, span: Span, what: &str, problem: Problem) {
        let diagnostic = self.error(span, format!("{what}: {}", problem.message));
        diagnostic.notes.extend(problem.notes);
    }

    /// The value of an expression, which is noted for the integer that is being read.
    pub fn expression(&mut self, what: &str, node: &Node<'_>, code: &str) -> Option<i64> {
        match Whole::parse(code).and_then(|whole| whole.number(&self.names)) {
            Ok(value) => {
                let code = code.trim().to_owned();
                self.written.push(Written { key: self.key, at: self.at, code, value });
                Some(value)
            }
            Err(problem) => {
                self.problem(span_of(node), &format!("`{what}`"), problem);
                None
            }
        }
    }

    /// The integers that were read from expressions since the last time.
    pub fn take_written(&mut self) -> Vec<Written> {
        (self.key, self.at) = (Key::Nothing, [0, 0]);
        std::mem::take(&mut self.written)
    }

    /// An integer from `low` to `high`, or an expression for one.
    pub fn integer(&mut self, what: &str, node: &Node<'_>, low: u64, high: u64) -> Option<u64> {
        self.within(what, node, low.into(), high.into()).and_then(|value| value.try_into().ok())
    }

    /// The same, which may be less than 0.
    pub fn signed(&mut self, what: &str, node: &Node<'_>, low: i64, high: i64) -> Option<i64> {
        self.within(what, node, low.into(), high.into()).and_then(|value| value.try_into().ok())
    }

    fn within(&mut self, what: &str, node: &Node<'_>, low: i128, high: i128) -> Option<i128> {
        if let DeValue::String(code) = node.get_ref()
            && self.key != Key::Nothing
        {
            let value = self.expression(what, node, code)?;
            let within = Some(i128::from(value)).filter(|value| (low..=high).contains(value));
            if within.is_none() {
                let message =
                    format!("`{what}` must be from {low} to {high}, and `{}` is {value}", code.trim());
                let diagnostic = self.error(span_of(node), message);
                diagnostic
                    .notes
                    .push("`when` under [sweep] leaves combinations out: `when = \"N > 0\"`".to_owned());
            }
            return within;
        }
        let DeValue::Integer(value) = node.get_ref() else {
            self.expected(what, "an integer", node);
            return None;
        };
        let found = integer(value).filter(|value| (low..=high).contains(value));
        if found.is_none() {
            self.error(span_of(node), format!("`{what}` must be from {low} to {high}, not {value}"));
        }
        found
    }

    /// A literal argument or element.
    pub fn literal(&mut self, what: &str, node: &Node<'_>) -> Option<super::Literal> {
        let literal = match node.get_ref() {
            DeValue::Integer(value) => {
                integer(value).and_then(|value| i64::try_from(value).ok()).map(super::Literal::Integer)
            }
            DeValue::Float(value) => value.as_str().parse().ok().map(super::Literal::Float),
            _ => {
                self.expected(what, "a number", node);
                return None;
            }
        };
        if literal.is_none() {
            self.error(span_of(node), format!("`{what}` does not fit in 64 bits"));
        }
        literal
    }

    /// A list of integers from `low` to `high`; a lone integer is a list of one.
    pub fn integers(&mut self, what: &str, node: &Node<'_>, low: u64, high: u64) -> Option<Vec<u64>> {
        match node.get_ref() {
            DeValue::Integer(_) | DeValue::String(_) => Some(vec![self.integer(what, node, low, high)?]),
            DeValue::Array(items) => {
                let each = |(at, item): (usize, &Node<'_>)| {
                    self.at[1] = at;
                    self.integer(what, item, low, high)
                };
                items.iter().enumerate().map(each).collect::<Option<Vec<_>>>()
            }
            _ => {
                self.expected(what, "a list of integers", node);
                None
            }
        }
    }

    /// A list of integers from `low` to `high`, which may be less than 0; a lone integer is a list of one.
    pub fn signed_integers(&mut self, what: &str, node: &Node<'_>, low: i64, high: i64) -> Option<Vec<i64>> {
        let DeValue::Array(items) = node.get_ref() else {
            return Some(vec![self.signed(what, node, low, high)?]);
        };
        let each = |(at, item): (usize, &Node<'_>)| {
            self.at[1] = at;
            self.signed(what, item, low, high)
        };
        items.iter().enumerate().map(each).collect()
    }

    /// One to three integers for the axes x, y, z, each from `low` to its axis' limit; missing
    /// axes are `low`.
    pub fn axes(&mut self, what: &str, node: &Node<'_>, low: u32, high: [u32; 3]) -> Option<[u32; 3]> {
        let values = match node.get_ref() {
            DeValue::Array(items) if items.is_empty() || items.len() > 3 => {
                let message = format!("`{what}` has one to three numbers (x, y, z), not {}", items.len());
                self.error(span_of(node), message);
                return None;
            }
            DeValue::Array(items) => items
                .iter()
                .zip(["x", "y", "z"])
                .zip(high)
                .enumerate()
                .map(|(at, ((item, axis), high))| {
                    self.at[1] = at;
                    self.integer(&format!("{what} {axis}"), item, u64::from(low), u64::from(high))
                })
                .collect::<Option<Vec<_>>>()?,
            _ => vec![self.integer(what, node, u64::from(low), u64::from(high[0]))?],
        };
        let axis = |at: usize| values.get(at).map_or(low, |value| *value as u32);
        Some([axis(0), axis(1), axis(2)])
    }

    /// A scalar format by name.
    pub fn format(&mut self, what: &str, node: &Node<'_>) -> Option<Format> {
        let name = self.string(what, node)?;
        let format = Format::from_name(name.trim_start_matches('.'));
        let format = format.filter(|format| !format.is_below_byte());
        if format.is_none() {
            let names: Vec<&str> = Format::ALL
                .iter()
                .filter(|format| !format.is_below_byte())
                .map(|format| format.name())
                .collect();
            let diagnostic = self.error(span_of(node), format!("`{name}` is not a type"));
            match alias(&name).or_else(|| nearest(&name, names.iter().copied())) {
                Some(near) => diagnostic.notes.push(format!("did you mean `{near}`?")),
                None => diagnostic.notes.push(format!("types are {}", quoted(&names))),
            }
        }
        format
    }
}

/// The name of a type in other languages, in PTX's words.
fn alias(name: &str) -> Option<&'static str> {
    Some(match name.to_lowercase().as_str() {
        "float" | "float32" | "fp32" => "f32",
        "double" | "float64" | "fp64" => "f64",
        "half" | "float16" | "fp16" => "f16",
        "bfloat16" => "bf16",
        "int" | "int32" | "i32" => "s32",
        "long" | "int64" | "i64" => "s64",
        "int16" | "i16" => "s16",
        "int8" | "i8" | "char" => "s8",
        "unsigned" | "uint" | "uint32" => "u32",
        "uint64" => "u64",
        "uint16" => "u16",
        "uint8" | "byte" => "u8",
        "fp8" | "float8_e4m3" | "e4m3fn" => "e4m3",
        "float8_e5m2" => "e5m2",
        "float8_e8m0fnu" | "e8m0" => "ue8m0",
        // Packed two a byte, or four in three.
        "e2m1" | "e2m3" | "e3m2" | "fp4" | "fp6" | "float4_e2m1fn_x2" => "u8",
        _ => return None,
    })
}

/// "`a`, `b` and `c`"
pub fn quoted(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => "no keys".to_owned(),
    }
}
