//! [`Spec`] to text: the canonical spelling, which [`parse`](super::parse) reads back as the same
//! spec (positions aside).

use super::maps;
use super::model::{TensorMap, written_at};
use super::parse::AS_DECLARED;
use super::view;
use super::{
    Argument, Contents, Ctas, Formula, Key, LaunchPatch, Literal, Role, Scalar, Side, Spec, Written,
};
use crate::base::Format;
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
        let numbers = |key, numbers: &[u64]| list(&tensor.written, key, 0, numbers);
        lines.extend(tensor.shape.as_ref().map(|shape| format!("shape = {}", numbers(Key::Shape, shape))));
        let strides = tensor.strides.as_ref();
        lines.extend(strides.map(|strides| format!("strides = {}", numbers(Key::Strides, strides))));
        lines.extend(tensor.role.map(|role| format!("role = \"{}\"", role.name())));
        lines.extend(tensor.contents.as_ref().map(|contents| match contents {
            Contents::Declared => format!("initial = \"{AS_DECLARED}\""),
            contents => format!("contents = {}", self::contents(contents)),
        }));
        // A tensor without settings is still declared.
        sections.push(format!("[tensors.{}]\n{}", key(&tensor.name), join(&lines)));
    }
    for named in &spec.views {
        let lines = view::entries(&named.view);
        sections.push(format!("[views.{}]\n{}", key(&named.name), join(&lines)));
    }
    // Names of [sweep] alone stand there.
    let listed = spec.scalars.iter().filter(|scalar| !scalar.swept || scalar.written.is_some());
    let line = |scalar: &Scalar| {
        let value = scalar.written.clone().unwrap_or_else(|| self::scalar(scalar.value));
        format!("{} = {value}", key(&scalar.name))
    };
    sections.push(section("scalars", listed.map(line).collect()));
    if let Some(sweep) = &spec.sweep {
        let mut lines: Vec<String> =
            sweep.axes.iter().map(|axis| format!("{} = {}", key(&axis.name), axis.written)).collect();
        lines.extend(match &sweep.when[..] {
            [when] => Some(format!("when = {}", string(&when.code))),
            when => conditions("when", when),
        });
        sections.push(section("sweep", lines));
    }
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
    if spec.options.tensor_fences_implied {
        options.push("tensor_fences_implied = true".to_owned());
    }
    if let Some(may) = spec.options.optimized_may_require {
        options.push(format!("optimized_may_require = {may}"));
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
            Role::Scratch => "scratch",
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
    let axes = |key, at, axes: [u32; 3]| list(&patch.written, key, at, &axes.map(u64::from));
    lines.extend(patch.grid.map(|grid| format!("grid = {}", axes(Key::Grid, 0, grid))));
    lines.extend(patch.block.map(|block| format!("block = {}", axes(Key::Block, 0, block))));
    lines.extend(patch.cluster.map(|cluster| format!("cluster = {}", axes(Key::Cluster, 0, cluster))));
    lines.extend(patch.ctas.as_ref().map(|ctas| match ctas {
        Ctas::All => "ctas = \"all\"".to_owned(),
        Ctas::List(list) => {
            let each: Vec<String> =
                list.iter().enumerate().map(|(at, cta)| axes(Key::Ctas, at, *cta)).collect();
            format!("ctas = [{}]", each.join(", "))
        }
    }));
    let bytes = |bytes| number(&patch.written, Key::DynamicShared, [0, 0], bytes);
    lines.extend(patch.dynamic_shared.map(|count| format!("dynamic_shared = {}", bytes(count as i64))));
    lines
}

fn side(side: &Side) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(side.ptx.as_ref().map(|path| format!("ptx = {}", string(path))));
    lines.extend(side.entry.as_ref().map(|entry| format!("entry = {}", string(entry))));
    lines.extend(launch(&side.launch));
    if let Some(args) = &side.args {
        let each = |(at, arg)| argument(&side.written, arg, [at, 0]);
        let args: Vec<_> = args.iter().enumerate().map(each).collect();
        lines.push(format!("args = [{}]", args.join(", ")));
    }
    lines
}

/// A number, or the expression for it.
pub(super) fn number(written: &[Written], key: Key, at: [usize; 2], value: i64) -> String {
    written_at(written, key, at, value).map_or_else(|| value.to_string(), string)
}

/// A list of numbers and expressions, the `at`th of a list of lists.
pub(super) fn list(written: &[Written], key: Key, at: usize, values: &[u64]) -> String {
    let each = |(axis, value): (usize, &u64)| number(written, key, [at, axis], *value as i64);
    let each: Vec<String> = values.iter().enumerate().map(each).collect();
    format!("[{}]", each.join(", "))
}

/// What `[scalars]` says of a scalar.
pub(super) fn scalar(value: Result<Literal, Format>) -> String {
    match value {
        Ok(value) => literal(value),
        Err(format) => format!("{{ type = \"{format}\" }}"),
    }
}

fn argument(written: &[Written], argument: &Argument, at: [usize; 2]) -> String {
    match argument {
        Argument::Name(name) => string(name),
        Argument::View(view) => format!("{{ {} }}", view::entries(view).join(", ")),
        Argument::Literal(Literal::Integer(value)) => number(written, Key::Argument, at, *value),
        Argument::Literal(value) => literal(*value),
        Argument::Tensor { tensor, format, offset } => {
            let mut text = format!("{{ tensor = {}", string(tensor));
            if let Some(format) = format {
                let _ = write!(text, ", type = \"{format}\"");
            }
            // An expression may be 0 here and something else for another combination.
            if *offset != 0 || written_at(written, Key::Offset, at, 0).is_some() {
                let _ = write!(text, ", offset = {}", number(written, Key::Offset, at, *offset as i64));
            }
            text + " }"
        }
        Argument::Maps(maps) => {
            let each: Vec<_> = maps
                .iter()
                .enumerate()
                .map(|(part, map)| {
                    let part = if maps.len() == 1 { at[1] } else { part };
                    maps::print(written, map, TensorMap::at(at[0], part))
                })
                .collect();
            match each.as_slice() {
                [one] => one.clone(),
                several => format!("{{ tensor_maps = [{}] }}", several.join(", ")),
            }
        }
        Argument::Struct(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .enumerate()
                .map(|(field, (offset, argument))| {
                    format!("[{offset}, {}]", self::argument(written, argument, [at[0], field]))
                })
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
pub(super) fn string(text: &str) -> String {
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
