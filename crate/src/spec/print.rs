//! [`Spec`] to text: the canonical spelling, which [`parse`](super::parse) reads back as the same
//! spec (positions aside).

use super::parse::AS_DECLARED;
use super::{Argument, Contents, Ctas, Formula, LaunchPatch, Literal, Role, Side, Spec};
use std::fmt::Write;

/// The spec as a TOML file.
pub fn print(spec: &Spec) -> String {
    let mut sections = Vec::new();
    sections.push(section("launch", launch(&spec.launch)));
    sections.push(section("reference", side(&spec.reference)));
    sections.push(section("optimized", side(&spec.optimized)));
    if let Some(formula) = &spec.formula {
        sections.push(format!("[formula]\ncode = {}\n", lines(&formula.code)));
    }
    let conditions = |key: &str, conditions: &[Formula]| {
        let each: Vec<String> = conditions.iter().map(|condition| string(&condition.code)).collect();
        (!each.is_empty()).then(|| format!("{key} = [{}]", each.join(", ")))
    };
    let contracts = [conditions("requires", &spec.requires), conditions("ensures", &spec.ensures)];
    sections.push(section("contracts", contracts.into_iter().flatten().collect()));
    for tensor in &spec.tensors {
        let mut lines = Vec::new();
        lines.extend(tensor.format.map(|format| format!("type = \"{format}\"")));
        lines.extend(tensor.shape.as_ref().map(|shape| format!("shape = {shape:?}")));
        lines.extend(tensor.strides.as_ref().map(|strides| format!("strides = {strides:?}")));
        lines.extend(tensor.role.map(|role| format!("role = \"{}\"", role.name())));
        lines.extend(tensor.contents.as_ref().map(|contents| match contents {
            Contents::Declared => format!("initial = \"{AS_DECLARED}\""),
            contents => format!("contents = {}", self::contents(contents)),
        }));
        // A tensor without settings is still declared.
        sections.push(format!("[tensors.{}]\n{}", key(&tensor.name), join(&lines)));
    }
    let scalars = spec.scalars.iter().map(|scalar| match scalar.value {
        Ok(value) => format!("{} = {}", key(&scalar.name), literal(value)),
        Err(format) => format!("{} = {{ type = \"{format}\" }}", key(&scalar.name)),
    });
    sections.push(section("scalars", scalars.collect()));
    let mut options = Vec::new();
    if spec.options.collectives_order_memory {
        options.push("collectives_order_memory = true".to_owned());
    }
    if spec.options.exact_constants {
        options.push("exact_constants = true".to_owned());
    }
    if spec.options.same_value_stores_race {
        options.push("same_value_stores_race = true".to_owned());
    }
    sections.push(section("options", options));
    sections.retain(|section| !section.is_empty());
    sections.join("\n")
}

impl Role {
    /// The spelling in spec files.
    pub const fn name(self) -> &'static str {
        match self {
            Role::In => "in",
            Role::Out => "out",
            Role::InOut => "inout",
        }
    }
}

fn section(name: &str, lines: Vec<String>) -> String {
    if lines.is_empty() { String::new() } else { format!("[{name}]\n{}", join(&lines)) }
}

fn join(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{line}");
        text
    })
}

fn launch(patch: &LaunchPatch) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(patch.grid.map(|grid| format!("grid = {grid:?}")));
    lines.extend(patch.block.map(|block| format!("block = {block:?}")));
    lines.extend(patch.ctas.as_ref().map(|ctas| match ctas {
        Ctas::All => "ctas = \"all\"".to_owned(),
        Ctas::List(list) => format!("ctas = {list:?}"),
    }));
    lines.extend(patch.dynamic_shared.map(|bytes| format!("dynamic_shared = {bytes}")));
    lines
}

fn side(side: &Side) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(side.ptx.as_ref().map(|path| format!("ptx = {}", string(path))));
    lines.extend(side.entry.as_ref().map(|entry| format!("entry = {}", string(entry))));
    lines.extend(launch(&side.launch));
    if let Some(args) = &side.args {
        let args: Vec<_> = args.iter().map(argument).collect();
        lines.push(format!("args = [{}]", args.join(", ")));
    }
    lines
}

fn argument(argument: &Argument) -> String {
    match argument {
        Argument::Name(name) => string(name),
        Argument::Literal(value) => literal(*value),
        Argument::Tensor { tensor, format, offset } => {
            let mut text = format!("{{ tensor = {}", string(tensor));
            if let Some(format) = format {
                let _ = write!(text, ", type = \"{format}\"");
            }
            if *offset != 0 {
                let _ = write!(text, ", offset = {offset}");
            }
            text + " }"
        }
        Argument::Struct(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|(offset, field)| format!("[{offset}, {}]", self::argument(field)))
                .collect();
            format!("{{ fields = [{}] }}", fields.join(", "))
        }
    }
}

fn contents(contents: &Contents) -> String {
    match contents {
        Contents::Iota => "\"iota\"".to_owned(),
        Contents::Declared => string(AS_DECLARED),
        Contents::Fill(value) => literal(*value),
        Contents::List(list) => {
            let list: Vec<_> = list.iter().map(|value| literal(*value)).collect();
            format!("[{}]", list.join(", "))
        }
    }
}

/// TOML writes `1.0`, `inf` and `nan`; integers have no point.
pub fn literal(value: Literal) -> String {
    match value {
        Literal::Integer(value) => value.to_string(),
        Literal::Float(value) => toml::Value::Float(value).to_string(),
    }
}

/// A basic string: one line, whatever the text (keys allow no other).
fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// A string of several lines.
fn lines(text: &str) -> String {
    let plain = |c: char| c == '\n' || c == '\t' || !c.is_control();
    if text.chars().all(plain) && !text.contains("'''") && !text.ends_with('\'') {
        // A line end behind the quotes is not part of the text.
        return format!("'''\n{text}'''");
    }
    string(text)
}

fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { string(name) }
}
