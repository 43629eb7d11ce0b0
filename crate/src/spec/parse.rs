//! Spec text to [`Spec`], with everything checked that the text alone can show.
//!
//! Parsing never stops at the first problem: what is unusable is left out and diagnosed, so one
//! run reports all of it. What needs a kernel (argument counts, missing values) is checked where
//! the spec meets one, in `report`.

use super::model::TensorMap;
use super::read::{Node, Reader, span_of};
use super::{Argument, Contents, Ctas, Formula, Key, LaunchPatch, Literal, Role, Scalar, Side, Spec, Tensor};
use super::{maps, sweep, view};
use crate::base::{Source, Span};
use crate::diag::{Code, Diagnostic};
use crate::formula::Whole;
use toml::de::{DeTable, DeValue};

/// Elements that all tensors of a question may have together (the shared numbering has 2^31).
pub const MAX_ELEMENTS: u64 = 1 << 42;

// Limits of every device since compute capability 5.0 (CUDA programming guide, technical
// specifications): threads per block, and extents of block and grid.
/// CTAs of a cluster, where a kernel asks for more than the 8 that always go.
const MAX_CLUSTER: u32 = 16;
const MAX_THREADS: u64 = 1024;
const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
const MAX_GRID: [u32; 3] = [0x7fff_ffff, 0xffff, 0xffff];
// The most shared memory any device gives a CTA (227 KiB, compute capability 9.0 and 10.0).
const MAX_SHARED: u64 = 227 * 1024;

const TOP: &[&str] = &[
    "launch",
    "reference",
    "optimized",
    "formula",
    "contracts",
    "tensors",
    "views",
    "scalars",
    "options",
    "sweep",
];
const LAUNCH: &[&str] = &["grid", "block", "cluster", "ctas", "dynamic_shared"];
const SIDE: &[&str] = &["ptx", "entry", "args", "grid", "block", "cluster", "ctas", "dynamic_shared"];
const FORMULA: &[&str] = &["code"];
const CONTRACTS: &[&str] = &["requires", "ensures"];
const TENSOR: &[&str] = &["type", "shape", "strides", "role", "contents", "initial"];
/// What `initial` can say.
pub(super) const AS_DECLARED: &str = "as declared";
const OPTIONS: &[&str] = &[
    "collectives_order_memory",
    "exact_constants",
    "same_value_stores_race",
    "tensor_fences_implied",
    "optimized_may_require",
];

/// Reads a spec file. The spec is usable if no diagnostic is an error.
pub fn parse(text: &str) -> (Spec, Vec<Diagnostic>) {
    parse_over(text, None)
}

/// Reads a spec file over which another spec will be laid ([`Spec::overlay`]): its integers are the values of
/// those names in expressions, and in `[sweep]` the only ones.
pub fn parse_over(text: &str, over: Option<&Spec>) -> (Spec, Vec<Diagnostic>) {
    let mut reader = Reader::default();
    let mut spec = Spec::default();
    let (document, errors) = DeTable::parse_recoverable(text);
    // What follows a first error comes of it: a bracket that is missing makes one of each line.
    if let Some(error) = errors.first() {
        let span = error.span().map_or(Span::default(), |range| Span::new(range.start, range.end));
        reader.error(span, not_toml(error.message()));
    }
    let tables = document.get_ref();
    names(&mut reader, tables, over, &mut spec);
    let declared = |section: &str| tables.get(section).and_then(|node| node.get_ref().as_table());
    let tensor_names: Vec<&str> = declared("tensors")
        .into_iter()
        .flat_map(|table| table.keys())
        .map(|key| key.get_ref().as_ref())
        .collect();
    for entry in reader.entries("a spec", tables, TOP) {
        if matches!(entry.key, "scalars" | "sweep") {
            continue;
        }
        let Some(table) = reader.table(entry.key, entry.value) else { continue };
        match entry.key {
            "launch" => spec.launch = launch(&mut reader, "[launch]", table, LAUNCH, entry.key_span),
            "reference" => {
                spec.reference = side(&mut reader, "[reference]", table, entry.key_span, &tensor_names);
            }
            "optimized" => {
                spec.optimized = side(&mut reader, "[optimized]", table, entry.key_span, &tensor_names);
            }
            "formula" => spec.formula = formula(&mut reader, table, entry.key_span),
            "contracts" => {
                for entry in reader.entries("[contracts]", table, CONTRACTS) {
                    let conditions = conditions(&mut reader, entry.key, entry.value);
                    match entry.key {
                        "requires" => spec.requires = conditions,
                        _ => spec.ensures = conditions,
                    }
                }
            }
            "tensors" => spec.tensors = tensors(&mut reader, table),
            "views" => spec.views = view::named(&mut reader, table),
            _ => options(&mut reader, table, &mut spec),
        }
    }
    whole(&mut reader, &spec);
    if !errors.is_empty() {
        reader.diagnostics.truncate(1);
    }
    (spec, reader.diagnostics)
}

/// What the reader of TOML says, in one sentence.
fn not_toml(message: &str) -> String {
    let message = message.lines().next().unwrap_or("this is not TOML");
    match message.strip_suffix(", expected `,`") {
        Some("missing comma between array elements") => {
            "the array before this is not closed: `]` is missing, or a comma".to_owned()
        }
        Some(missing) => missing.to_owned(),
        None => message.to_owned(),
    }
}

fn launch(reader: &mut Reader, what: &str, table: &DeTable<'_>, known: &[&str], span: Span) -> LaunchPatch {
    let mut patch = LaunchPatch { span: Some(span), ..LaunchPatch::default() };
    for entry in reader.entries(what, table, known) {
        match entry.key {
            "grid" => {
                reader.key = Key::Grid;
                patch.grid = reader.axes("grid", entry.value, 1, MAX_GRID);
            }
            "block" => {
                reader.key = Key::Block;
                patch.block = block(reader, entry.value);
            }
            "cluster" => {
                reader.key = Key::Cluster;
                patch.cluster = cluster(reader, entry.value);
            }
            "ctas" => {
                reader.key = Key::Ctas;
                patch.ctas = ctas(reader, entry.value);
            }
            "dynamic_shared" => {
                reader.key = Key::DynamicShared;
                patch.dynamic_shared = reader.integer("dynamic_shared", entry.value, 0, MAX_SHARED);
            }
            _ => {}
        }
        reader.at = [0, 0];
    }
    patch.written = reader.take_written();
    patch
}

fn cluster(reader: &mut Reader, node: &Node<'_>) -> Option<[u32; 3]> {
    let cluster = reader.axes("cluster", node, 1, [MAX_CLUSTER; 3])?;
    let ctas: u32 = cluster.iter().product();
    if ctas > MAX_CLUSTER {
        let message = format!("a cluster has at most {MAX_CLUSTER} CTAs, this one has {ctas}");
        reader.error(span_of(node), message);
        return None;
    }
    Some(cluster)
}

fn block(reader: &mut Reader, node: &Node<'_>) -> Option<[u32; 3]> {
    let block = reader.axes("block", node, 1, MAX_BLOCK)?;
    let threads: u64 = block.iter().map(|extent| u64::from(*extent)).product();
    if threads > MAX_THREADS {
        let message = format!("a block has at most {MAX_THREADS} threads, this one has {threads}");
        reader.error(span_of(node), message);
        return None;
    }
    Some(block)
}

fn ctas(reader: &mut Reader, node: &Node<'_>) -> Option<Ctas> {
    match node.get_ref() {
        DeValue::String(text) if text == "all" => Some(Ctas::All),
        DeValue::Array(items) if !items.is_empty() => items
            .iter()
            .enumerate()
            .map(|(at, item)| {
                reader.at = [at, 0];
                reader.axes("ctas", item, 0, MAX_GRID.map(|extent| extent - 1))
            })
            .collect::<Option<Vec<_>>>()
            .map(Ctas::List),
        _ => {
            reader.error(span_of(node), "`ctas` must be \"all\" or a list like [[0, 0, 0], [1, 0, 0]]");
            None
        }
    }
}

fn side(reader: &mut Reader, what: &str, table: &DeTable<'_>, span: Span, tensors: &[&str]) -> Side {
    let mut side =
        Side { launch: launch(reader, what, table, SIDE, span), span: Some(span), ..Side::default() };
    for entry in reader.all_entries(table) {
        match entry.key {
            "ptx" => side.ptx = reader.string("ptx", entry.value),
            "entry" => side.entry = reader.string("entry", entry.value),
            "args" => {
                side.span = Some(span_of(entry.value));
                side.args = arguments(reader, entry.value, tensors);
                side.written = reader.take_written();
            }
            _ => {}
        }
    }
    side
}

fn formula(reader: &mut Reader, table: &DeTable<'_>, span: Span) -> Option<Formula> {
    let entries = reader.entries("[formula]", table, FORMULA);
    let Some(entry) = entries.first() else {
        reader.error(span, "[formula] needs `code = \"\"\" … \"\"\"`, for example `y = exp(x)`");
        return None;
    };
    let code = reader.string("code", entry.value)?;
    if code.trim().is_empty() {
        reader.error(span_of(entry.value), "the formula is empty; it assigns the outputs: `y = exp(x)`");
        return None;
    }
    Some(Formula { code, span: span_of(entry.value) })
}

/// A condition, or several.
fn conditions(reader: &mut Reader, key: &str, node: &Node<'_>) -> Vec<Formula> {
    let items = match node.get_ref() {
        DeValue::Array(items) => items.iter().collect(),
        _ => vec![node],
    };
    let condition = |node: &Node<'_>| {
        let code = reader.string(key, node)?;
        if code.trim().is_empty() {
            reader.error(span_of(node), format!("an empty condition: `{key} = [\"all(x > 0)\"]`"));
            return None;
        }
        Some(Formula { code, span: span_of(node) })
    };
    items.into_iter().filter_map(condition).collect()
}

fn arguments(reader: &mut Reader, node: &Node<'_>, tensors: &[&str]) -> Option<Vec<Argument>> {
    let DeValue::Array(items) = node.get_ref() else {
        reader.error(span_of(node), "`args` must be a list, one entry for each kernel parameter");
        return None;
    };
    let each = |(at, item): (usize, &Node<'_>)| {
        reader.at = [at, 0];
        argument(reader, item, tensors)
    };
    items.iter().enumerate().map(each).collect()
}

/// Whether an argument is an expression: it is no name of the spec, and cannot be one of a parameter.
fn calculates(reader: &Reader, text: &str, tensors: &[&str]) -> bool {
    let letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '%');
    if tensors.contains(&text) || text.starts_with('%') || text.chars().all(letter) && !text.contains('%') {
        return false;
    }
    let known = |name: &&str| reader.names.iter().any(|(known, _)| known == name);
    text.contains(['+', '*', '%', '(', '/'])
        || Whole::parse(text).is_ok_and(|whole| whole.names().iter().all(known))
}

fn argument(reader: &mut Reader, node: &Node<'_>, tensors: &[&str]) -> Option<Argument> {
    match node.get_ref() {
        DeValue::String(code) if calculates(reader, code, tensors) => {
            reader.key = Key::Argument;
            reader.expression("args", node, code).map(|value| Argument::Literal(Literal::Integer(value)))
        }
        DeValue::String(name) => Some(Argument::Name(name.clone().into_owned())),
        DeValue::Integer(_) | DeValue::Float(_) => reader.literal("args", node).map(Argument::Literal),
        DeValue::Boolean(value) => Some(Argument::Literal(Literal::Integer(i64::from(*value)))),
        DeValue::Table(table) if table.contains_key("fields") => {
            let entries = reader.entries("a struct argument", table, &["fields"]);
            let DeValue::Array(items) = entries.first()?.value.get_ref() else {
                reader.error(
                    span_of(entries.first()?.value),
                    "`fields` must be a list of [byte offset, argument]",
                );
                return None;
            };
            let argument = reader.at[0];
            let each = |(at, item): (usize, &Node<'_>)| {
                reader.at = [argument, at];
                field(reader, item, tensors)
            };
            items.iter().enumerate().map(each).collect::<Option<Vec<_>>>().map(Argument::Struct)
        }
        DeValue::Table(table) if view::is_view(table) => {
            view::read(reader, "a texture or surface argument", table).map(Argument::View)
        }
        DeValue::Table(table) if table.contains_key("tensor_map") => {
            let at = TensorMap::at(reader.at[0], reader.at[1]);
            maps::one(reader, node, table, at).map(|map| Argument::Maps(vec![map]))
        }
        DeValue::Table(table) if table.contains_key("tensor_maps") => {
            let entries = reader.entries("an argument", table, &["tensor_maps"]);
            let at = reader.at[0];
            maps::several(reader, entries.first()?.value, at).map(Argument::Maps)
        }
        DeValue::Table(table) => {
            let (mut tensor, mut format, mut offset) = (None, None, 0);
            for entry in reader.entries("a tensor argument", table, &["tensor", "type", "offset"]) {
                match entry.key {
                    "tensor" => tensor = Some(reader.string("tensor", entry.value)?),
                    "type" => format = Some(reader.format("type", entry.value)?),
                    _ => {
                        reader.key = Key::Offset;
                        offset = reader.integer("offset", entry.value, 0, MAX_ELEMENTS)?;
                    }
                }
            }
            if tensor.is_none() {
                reader.error(span_of(node), "this argument does not say which tensor: add `tensor = \"…\"`");
            }
            Some(Argument::Tensor { tensor: tensor?, format, offset })
        }
        _ => {
            reader.error(
                span_of(node),
                "an argument is a name, a number, { tensor = \"…\", type = \"…\" }, { texture = \"…\", filter = \"…\" }, { surface = \"…\" }, { tensor_map = \"…\", box = […] } or { fields = [[0, \"…\"], …] }",
            );
            None
        }
    }
}

fn field(reader: &mut Reader, node: &Node<'_>, tensors: &[&str]) -> Option<(u32, Argument)> {
    match node.get_ref() {
        DeValue::Array(pair) if pair.len() == 2 => {
            // Kernel parameters are limited to 32,764 bytes since CUDA 12.1.
            reader.key = Key::Nothing;
            let offset = reader.integer("field offset", &pair[0], 0, 32_764)? as u32;
            let argument = argument(reader, &pair[1], tensors)?;
            if matches!(argument, Argument::Struct(_)) {
                reader.error(
                    span_of(&pair[1]),
                    "a field is not a struct: give its fields with their own offsets",
                );
                return None;
            }
            Some((offset, argument))
        }
        _ => {
            reader.error(span_of(node), "a field is [byte offset, argument], for example [8, \"A\"]");
            None
        }
    }
}

fn tensors(reader: &mut Reader, table: &DeTable<'_>) -> Vec<Tensor> {
    let mut tensors = Vec::new();
    for entry in reader.all_entries(table) {
        let what = format!("[tensors.{}]", entry.key);
        if let Some(table) = reader.table(&format!("tensors.{}", entry.key), entry.value) {
            tensors.push(tensor(reader, &what, entry.key, table, entry.key_span));
        }
    }
    tensors
}

fn tensor(reader: &mut Reader, what: &str, name: &str, table: &DeTable<'_>, span: Span) -> Tensor {
    let mut tensor = Tensor {
        name: name.to_owned(),
        format: None,
        shape: None,
        strides: None,
        role: None,
        contents: None,
        span,
        written: Vec::new(),
    };
    let (mut strides_span, mut contents_span) = (span, span);
    let mut initial_span = None;
    for entry in reader.entries(what, table, TENSOR) {
        match entry.key {
            "type" => tensor.format = reader.format("type", entry.value),
            "shape" => {
                (reader.key, reader.at) = (Key::Shape, [0, 0]);
                tensor.shape = shape(reader, entry.value);
            }
            "strides" => {
                (reader.key, reader.at) = (Key::Strides, [0, 0]);
                strides_span = span_of(entry.value);
                tensor.strides = reader.integers("strides", entry.value, 0, MAX_ELEMENTS);
            }
            "role" => tensor.role = role(reader, entry.value),
            "initial" => {
                initial_span = Some(entry.key_span);
                match entry.value.get_ref() {
                    DeValue::String(text) if text == AS_DECLARED => {}
                    _ => {
                        let message = format!("`initial` is \"{AS_DECLARED}\": what the PTX declares");
                        reader.error(span_of(entry.value), message);
                    }
                }
            }
            _ => {
                contents_span = span_of(entry.value);
                tensor.contents = contents(reader, entry.value);
            }
        }
    }
    tensor.written = reader.take_written();
    if let Some(span) = initial_span {
        if tensor.contents.is_some() {
            reader.error(span, "a tensor has `contents` or `initial`, not both");
        }
        contents_span = span;
        tensor.contents = Some(Contents::Declared);
    }
    if let Some(strides) = &tensor.strides {
        match &tensor.shape {
            Some(shape) if shape.len() == strides.len() => extent(reader, shape, strides, strides_span),
            Some(shape) => {
                let message = format!("{} strides for {} dimensions", strides.len(), shape.len());
                reader.error(strides_span, message);
            }
            None => {
                reader.error(strides_span, "`strides` needs a `shape`");
            }
        }
    }
    if let (Some(Contents::List(list)), Some(shape)) = (&tensor.contents, &tensor.shape) {
        let count: u64 = shape.iter().product();
        if list.len() as u64 != count {
            let message = format!("`contents` has {} numbers, the shape has {count} elements", list.len());
            reader.error(contents_span, message);
        }
    }
    if tensor.role == Some(Role::Out) && tensor.contents.is_some() {
        let diagnostic = reader.error(contents_span, "an output has no contents at the start");
        diagnostic.notes.push("use role = \"inout\" if the kernel reads them".to_owned());
    }
    tensor
}

fn shape(reader: &mut Reader, node: &Node<'_>) -> Option<Vec<u64>> {
    let shape = reader.integers("shape", node, 1, MAX_ELEMENTS)?;
    let count = shape.iter().try_fold(1u64, |count, extent| count.checked_mul(*extent));
    match count {
        Some(count) if count <= MAX_ELEMENTS => Some(shape),
        _ => {
            reader.error(span_of(node), format!("a tensor has at most {MAX_ELEMENTS} elements"));
            None
        }
    }
}

/// Checks that the furthest element of a strided tensor has an address.
fn extent(reader: &mut Reader, shape: &[u64], strides: &[u64], span: Span) {
    let last = shape
        .iter()
        .zip(strides)
        .try_fold(0u64, |last, (extent, stride)| last.checked_add((extent - 1).checked_mul(*stride)?));
    if last.is_none_or(|last| last >= MAX_ELEMENTS) {
        reader.error(span, format!("with these strides the tensor spans more than {MAX_ELEMENTS} elements"));
    }
}

fn role(reader: &mut Reader, node: &Node<'_>) -> Option<Role> {
    let name = reader.string("role", node)?;
    match name.as_str() {
        "in" => Some(Role::In),
        "out" => Some(Role::Out),
        "inout" => Some(Role::InOut),
        "scratch" => Some(Role::Scratch),
        _ => {
            reader.error(
                span_of(node),
                format!("`role` is \"in\", \"out\", \"inout\" or \"scratch\", not \"{name}\""),
            );
            None
        }
    }
}

fn contents(reader: &mut Reader, node: &Node<'_>) -> Option<Contents> {
    match node.get_ref() {
        DeValue::String(text) if text == "iota" => Some(Contents::Iota),
        DeValue::Integer(_) | DeValue::Float(_) => reader.literal("contents", node).map(Contents::Fill),
        DeValue::Array(_) => {
            let mut list = Vec::new();
            flatten(reader, node, &mut list)?;
            if list.is_empty() {
                reader.error(span_of(node), "`contents` is empty");
                return None;
            }
            Some(Contents::List(list))
        }
        _ => {
            reader.error(span_of(node), "`contents` is \"iota\", a number or a list of numbers");
            None
        }
    }
}

/// Rows may be written as nested lists.
fn flatten(reader: &mut Reader, node: &Node<'_>, list: &mut Vec<Literal>) -> Option<()> {
    match node.get_ref() {
        DeValue::Array(items) => items.iter().try_for_each(|item| flatten(reader, item, list)),
        _ => reader.literal("contents", node).map(|literal| list.push(literal)),
    }
}

/// `[sweep]` and `[scalars]`: what expressions in the rest of the file may name. A name of both is a scalar that
/// `[sweep]` gives its values.
fn names(reader: &mut Reader, tables: &DeTable<'_>, over: Option<&Spec>, spec: &mut Spec) {
    let table = |reader: &mut Reader, key: &str| {
        let node = tables.get(key)?;
        reader.table(key, node)
    };
    let whole = |scalar: &Scalar| match scalar.value {
        Ok(Literal::Integer(value)) => Some((scalar.name.clone(), value)),
        _ => None,
    };
    let fixed: Vec<_> = over.into_iter().flat_map(|over| &over.scalars).filter_map(whole).collect();
    let listed = table(reader, "scalars");
    if let Some(swept) = table(reader, "sweep") {
        // Conditions are about the names that are swept, and plain integers.
        let mut known = fixed.clone();
        for (key, value) in listed.into_iter().flat_map(|listed| listed.iter()) {
            if let DeValue::Integer(number) = value.get_ref()
                && let Ok(number) = i64::from_str_radix(number.as_str(), number.radix())
            {
                known.push((key.get_ref().to_string(), number));
            }
        }
        let sweep = sweep::read(reader, swept, &fixed, &known);
        for scalar in over.into_iter().flat_map(|over| &over.scalars) {
            if let Some(axis) = sweep.axes.iter().find(|axis| axis.name == scalar.name)
                && whole(scalar).is_none()
            {
                reader.error(
                    axis.span,
                    format!("`{}` is swept over integers, and is set to another value", axis.name),
                );
            }
        }
        let first = sweep.combinations.first();
        for (at, axis) in sweep.axes.iter().enumerate() {
            // Without combinations the spec is not usable; its other complaints are about some value.
            let value = first.map_or_else(|| axis.values.first().copied(), |values| values.get(at).copied());
            reader.names.push((axis.name.clone(), value.unwrap_or_default()));
        }
        spec.sweep = Some(sweep);
    }
    let swept: Vec<(String, i64)> = reader.names.clone();
    for (name, value) in &fixed {
        if swept.iter().all(|(known, _)| known != name) {
            reader.names.push((name.clone(), *value));
        }
    }
    // What is laid over the file is what a name stands for, also where that is no integer.
    let given: Vec<&str> =
        over.into_iter().flat_map(|over| &over.scalars).map(|scalar| scalar.name.as_str()).collect();
    spec.scalars = listed.map_or_else(Vec::new, |listed| scalars(reader, listed, &swept, &given));
    for (at, axis) in spec.sweep.iter().flat_map(|sweep| &sweep.axes).enumerate() {
        if spec.scalars.iter().all(|scalar| scalar.name != axis.name) {
            let (name, value) = (axis.name.clone(), Ok(Literal::Integer(swept[at].1)));
            spec.scalars.push(Scalar {
                name,
                value,
                span: axis.span,
                swept: true,
                written: None,
                code: None,
            });
        }
    }
}

fn scalars(reader: &mut Reader, table: &DeTable<'_>, swept: &[(String, i64)], given: &[&str]) -> Vec<Scalar> {
    let mut scalars = Vec::new();
    for entry in reader.all_entries(table) {
        let (mut written, mut code) = (None, None);
        let value = match entry.value.get_ref() {
            DeValue::Table(table) => {
                let entries = reader.entries("a symbolic scalar", table, &["type"]);
                match entries.first() {
                    Some(format) => reader.format("type", format.value).map(Err),
                    None => {
                        reader.error(span_of(entry.value), "a symbolic scalar is { type = \"f32\" }");
                        None
                    }
                }
            }
            DeValue::Boolean(value) => Some(Ok(Literal::Integer(i64::from(*value)))),
            DeValue::String(text) => {
                let value = reader.expression(entry.key, entry.value, text);
                written = Some(super::print::string(text.trim()));
                code = Some(text.trim().to_owned());
                value.map(|value| Ok(Literal::Integer(value)))
            }
            _ => reader.literal(entry.key, entry.value).map(Ok),
        };
        let Some(mut value) = value else { continue };
        let of_sweep = swept.iter().find(|(name, _)| name == entry.key);
        if let Some((_, swept)) = of_sweep {
            written = written.or(Some(super::print::scalar(value)));
            value = Ok(Literal::Integer(*swept));
        } else if let Ok(Literal::Integer(own)) = value
            && !given.contains(&entry.key)
        {
            reader.names.push((entry.key.to_owned(), own));
        }
        let (name, span) = (entry.key.to_owned(), entry.key_span);
        scalars.push(Scalar { name, value, span, swept: of_sweep.is_some(), written, code });
    }
    reader.take_written();
    scalars
}

fn options(reader: &mut Reader, table: &DeTable<'_>, spec: &mut Spec) {
    for entry in reader.entries("[options]", table, OPTIONS) {
        let Some(value) = reader.boolean(entry.key, entry.value) else { continue };
        match entry.key {
            "collectives_order_memory" => spec.options.collectives_order_memory = value,
            "same_value_stores_race" => spec.options.same_value_stores_race = value,
            "tensor_fences_implied" => spec.options.tensor_fences_implied = value,
            "optimized_may_require" => spec.options.optimized_may_require = Some(value),
            _ => spec.options.exact_constants = value,
        }
    }
}

/// What only several sections together can show.
fn whole(reader: &mut Reader, spec: &Spec) {
    for scalar in &spec.scalars {
        if let Some(tensor) = spec.tensors.iter().find(|tensor| tensor.name == scalar.name) {
            reader.diagnostics.push(
                Diagnostic::error(Code::V010, format!("`{}` is both a tensor and a scalar", scalar.name))
                    .at(Source::Spec, scalar.span)
                    .related(Source::Spec, tensor.span, "the tensor"),
            );
        }
    }
    let elements = spec
        .tensors
        .iter()
        .filter_map(|tensor| tensor.shape.as_ref())
        .fold(0u64, |sum, shape| sum.saturating_add(shape.iter().product::<u64>()));
    if elements > MAX_ELEMENTS {
        let span = spec.tensors.first().map_or(Span::default(), |tensor| tensor.span);
        reader.error(
            span,
            format!("the tensors have {elements} elements together; at most {MAX_ELEMENTS} fit"),
        );
    }
    let kernels = [&spec.reference.launch, &spec.optimized.launch];
    let mut told = Vec::new();
    for kernel in kernels {
        let grid = kernel.grid.or(spec.launch.grid).unwrap_or([1, 1, 1]);
        let (ctas, span) = match (&kernel.ctas, &spec.launch.ctas) {
            (Some(ctas), _) => (ctas, kernel.span),
            (None, Some(ctas)) => (ctas, spec.launch.span),
            (None, None) => continue,
        };
        let Ctas::List(list) = ctas else { continue };
        let outside = list.iter().find(|cta| cta.iter().zip(grid).any(|(at, extent)| *at >= extent));
        if let Some(cta) = outside.filter(|_| !told.contains(&span)) {
            told.push(span);
            let [x, y, z] = grid;
            let message = format!("CTA {cta:?} is outside the grid of {x}×{y}×{z} (it counts from 0)");
            reader.error(span.unwrap_or_default(), message);
        }
    }
}
