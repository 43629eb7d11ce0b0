//! What PTX and spec show before anything runs.
//!
//! Parses both kernels and binds them, and stops there; the page calls this on every edit to fill
//! its launch strip. Roles and sizes that the spec leaves out stay open: only a run shows them.

use super::Input;
use super::arguments::{Asked, assign, is_used};
use super::bind::bind;
use super::formula;
use super::front::{Front, load};
use super::launch;
use super::limits;
use super::model::{Inference, InferredKernel, InferredParameter, NamedEntry};
use super::pipeline::{diagnostic, side_of};
use super::texts::Texts;
use super::variables::{Settable, settable};
use crate::base::{Budget, Exhausted, Format, Source, Stage, readable};
use crate::diag::{Code, Diagnostic, Ledger, Severity};
use crate::ir::{Field, Kernel, Parameter};
use crate::spec::{self, Argument, Key, LaunchPatch, Literal, Scalar, Spec, Sweep, Tensor, View, Written};

/// Reads both kernels and says what is known about their launch and parameters, or why that takes too long.
pub fn infer(input: &Input<'_>, budget: &Budget) -> Inference {
    budget.enter(Stage::Parse);
    read(input, budget).unwrap_or_else(|why| overdue_inference(input, why, budget))
}

/// What is known of a question that was stopped while it was read, for a face that ends it all the same.
#[cold]
pub fn overdue_inference(input: &Input<'_>, why: Exhausted, budget: &Budget) -> Inference {
    let texts = Texts::new(input.reference, input.optimized, input.spec);
    let code = if why == Exhausted::Cancelled { Code::B002 } else { Code::B001 };
    let stopped = Diagnostic::error(code, limits::overdue(why, budget));
    Inference {
        kernels: Vec::new(),
        missing: Vec::new(),
        spec: input.spec.unwrap_or_default().to_owned(),
        diagnostics: vec![diagnostic(&texts, &[], &stopped)],
        formula: false,
    }
}

fn read(input: &Input<'_>, budget: &Budget) -> Result<Inference, Exhausted> {
    let mut texts = Texts::new(input.reference, input.optimized, input.spec);
    let (mut spec, mut diagnostics) = input.read_spec();
    let mut usable = diagnostics.iter().all(|d| d.severity != Severity::Error);
    let mut fronts: Vec<(Source, Front)> = Vec::new();
    let mut formula = None;
    if let Some(written) = &spec.formula {
        texts.set_formula(written);
        match formula::read(&written.code) {
            Ok(read) => formula = Some(read),
            Err(errors) => diagnostics.extend(errors),
        }
    } else if let Some(text) = input.reference_kernel() {
        fronts.push((Source::Reference, load(Source::Reference, text, spec.reference.entry.as_deref())));
    }
    budget.poll()?;
    fronts
        .push((Source::Optimized, load(Source::Optimized, input.optimized, spec.optimized.entry.as_deref())));
    for (_, front) in &mut fronts {
        diagnostics.append(&mut front.diagnostics);
    }
    let shapes: Vec<_> = spec.tensors.iter().map(|tensor| tensor.shape.clone()).collect();
    let optimized = fronts.last().and_then(|(_, front)| front.kernel.as_ref());
    if let (Some(formula), Some(optimized)) = (&formula, optimized)
        && let Err(errors) = formula.complete(&mut spec, optimized, &mut Ledger::default())
    {
        diagnostics.extend(errors);
        usable = false;
    }
    let asked: Vec<Asked<'_>> = fronts
        .iter()
        .filter_map(|(source, front)| {
            let kernel = front.kernel.as_ref()?;
            Some(Asked { source: *source, side: side_of(&spec, *source), kernel, formula: None })
        })
        .collect();
    budget.poll()?;
    let own = formula.as_ref().map(|formula| Asked {
        source: Source::Reference,
        side: &spec.reference,
        kernel: &formula.kernel,
        formula: Some(&formula.program),
    });
    let formulas = usize::from(own.is_some());
    let all: Vec<Asked<'_>> = own.into_iter().chain(asked.iter().copied()).collect();
    let assigned = assign(&spec, &all).ok();
    let assigned = assigned.map(|assigned| assigned.arguments.into_iter().skip(formulas).collect::<Vec<_>>());
    let bound = bind(&spec, &all);
    budget.poll()?;
    let mut complete = spec.clone();
    if complete.sweep.as_ref().is_some_and(Sweep::is_many) {
        // What a formula says of sizes, it says of the first combination.
        for (tensor, declared) in complete.tensors.iter_mut().zip(&shapes) {
            tensor.shape.clone_from(declared);
        }
        for tensor in complete.tensors.iter_mut().skip(shapes.len()) {
            tensor.shape = None;
        }
    }
    // It stays where it was written.
    if input.reference_formula().is_some() {
        complete.formula = None;
    }
    if let Some(assigned) = &assigned {
        write_out(&mut complete, &asked, assigned);
    }
    let arguments = |source: Source| {
        let at = asked.iter().position(|asked| asked.source == source)?;
        Some(assigned.as_ref()?[at].clone())
    };
    let kernels: Vec<InferredKernel> = fronts
        .iter()
        .map(|(source, front)| {
            kernel(&complete, *source, front, arguments(*source).unwrap_or_default(), &asked)
        })
        .collect();
    if usable {
        match bound {
            Ok(bound) => diagnostics.extend(bound.notes),
            Err(errors) => diagnostics.extend(errors),
        }
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.severity);
    let mut missing: Vec<String> = Vec::new();
    for (source, front) in &fronts {
        if front.entries.len() > 1 && side_of(&spec, *source).entry.is_none() {
            missing.push(format!("{source}.entry"));
        }
    }
    if kernels.iter().any(|kernel| kernel.entry.is_some() && !kernel.block_known) {
        missing.push("launch.block".to_owned());
    }
    for parameter in kernels.iter().flat_map(|kernel| &kernel.parameters).filter(|p| p.needs_value) {
        let name = format!("scalars.{}", parameter.bound);
        if !missing.contains(&name) {
            missing.push(name);
        }
    }
    budget.poll()?;
    Ok(Inference {
        kernels,
        missing,
        spec: spec::print(&complete),
        diagnostics: diagnostics.iter().map(|d| diagnostic(&texts, &[], d)).collect(),
        formula: spec.formula.is_some(),
    })
}

/// Puts everything inferred into the spec: arguments, tensors and their types, symbolic scalars,
/// blocks that the PTX requires.
fn write_out(spec: &mut Spec, asked: &[Asked<'_>], arguments: &[Vec<Argument>]) {
    let calculates = [&spec.reference, &spec.optimized].iter().any(|side| !side.written.is_empty());
    for (asked, arguments) in asked.iter().zip(arguments) {
        let side = match asked.source {
            Source::Reference => &mut spec.reference,
            Source::Optimized | Source::Spec => &mut spec.optimized,
        };
        // Numbers that expressions make would be those of one combination.
        if !calculates {
            side.args.get_or_insert_with(|| arguments.clone());
        }
        if spec.launch.block.is_none() && side.launch.block.is_none() {
            side.launch.block = asked.kernel.required_block;
        }
        for Part { argument, pointer, pointee, format, .. } in parts(asked.kernel, arguments) {
            let (Argument::Name(name)
            | Argument::Tensor { tensor: name, .. }
            | Argument::View(View { tensor: Some(name), .. })) = argument
            else {
                continue;
            };
            if spec.scalars.iter().any(|scalar| scalar.name == *name) {
                continue;
            }
            let known = spec.tensors.iter_mut().find(|tensor| tensor.name == *name);
            match known {
                Some(tensor) => tensor.format = tensor.format.or(pointee),
                None if pointer => spec.tensors.push(Tensor {
                    name: name.clone(),
                    format: pointee,
                    shape: None,
                    strides: None,
                    role: None,
                    contents: None,
                    span: Default::default(),
                    written: Vec::new(),
                }),
                None if format.is_float() => {
                    spec.scalars.push(Scalar {
                        name: name.clone(),
                        value: Err(format),
                        span: Default::default(),
                        swept: false,
                        written: None,
                        code: None,
                    });
                }
                None => {}
            }
        }
    }
    for (asked, arguments) in asked.iter().zip(arguments) {
        for variable in settable(spec, asked.kernel, arguments) {
            match spec.tensors.iter_mut().find(|tensor| tensor.name == variable.name) {
                Some(tensor) => tensor.format = tensor.format.or(variable.format),
                None => spec.tensors.push(Tensor {
                    name: variable.name,
                    format: variable.format,
                    shape: None,
                    strides: None,
                    role: None,
                    contents: None,
                    span: Default::default(),
                    written: Vec::new(),
                }),
            }
        }
    }
    // One block for both kernels belongs into [launch].
    if spec.launch.block.is_none()
        && asked.len() == 2
        && spec.reference.launch.block.is_some()
        && spec.reference.launch.block == spec.optimized.launch.block
        && blocks(&spec.reference.launch) == blocks(&spec.optimized.launch)
    {
        let written = blocks(&spec.reference.launch);
        spec.launch.written.extend(written);
        spec.launch.block = spec.reference.launch.block.take();
        spec.optimized.launch.block = None;
    }
}

/// The extents of a block that are expressions.
fn blocks(launch: &LaunchPatch) -> Vec<Written> {
    launch.written.iter().filter(|written| written.key == Key::Block).cloned().collect()
}

fn kernel(
    spec: &Spec,
    source: Source,
    front: &Front,
    arguments: Vec<Argument>,
    asked: &[Asked<'_>],
) -> InferredKernel {
    let side = side_of(spec, source);
    let kernel = front.kernel.as_ref();
    let other = asked.iter().find(|asked| asked.source != source);
    let fallback = other.and_then(|other| other.side.launch.block.or(other.kernel.required_block));
    let resolved = kernel
        .and_then(|k| launch::resolve(spec, side, Some(source), k, fallback, &mut Ledger::default()).ok());
    let stated = side.launch.block.or(spec.launch.block);
    InferredKernel {
        side: source.into(),
        entries: front
            .entries
            .iter()
            .map(|name| NamedEntry { name: name.clone(), title: readable(name).into_owned() })
            .collect(),
        entry: kernel.map(|kernel| kernel.name.clone()),
        title: kernel.map(|kernel| kernel.title().into_owned()),
        grid: side.launch.grid.or(spec.launch.grid).unwrap_or([1, 1, 1]),
        block_known: resolved.is_some() || stated.is_some(),
        block: resolved.map(|resolved| resolved.launch.block).or(stated).unwrap_or([1, 1, 1]),
        proposed_blocks: kernel.map_or_else(Vec::new, launch::proposed),
        required_block: kernel.and_then(|kernel| kernel.required_block),
        shared_bytes: kernel.map_or(0, |kernel| kernel.shared_bytes),
        dynamic_shared: kernel.is_some_and(launch::uses_dynamic_shared),
        parameters: kernel.map_or_else(Vec::new, |k| {
            let parameters = parts(k, &arguments).map(|part| parameter(spec, k, part));
            parameters.chain(variables(spec, k, &arguments)).collect()
        }),
    }
}

/// The module variables that the host may set, in the form of parameters.
fn variables(spec: &Spec, kernel: &Kernel, arguments: &[Argument]) -> Vec<InferredParameter> {
    let each = |variable: Settable| {
        let declared = &kernel.variables[variable.index];
        let tensor = spec.tensors.iter().find(|tensor| tensor.name == variable.name);
        let format = tensor.and_then(|tensor| tensor.format).or(variable.format);
        let bytes = variable.bytes.map_or_else(String::new, |bytes| format!(", {bytes} bytes"));
        InferredParameter {
            name: declared.name.clone(),
            kind: "pointer".to_owned(),
            declared: format!(".{} .{}{bytes}", declared.space.name(), declared.format),
            element: format.map_or_else(String::new, |format| format.to_string()),
            shape: tensor.and_then(|tensor| tensor.shape.clone()).unwrap_or_default(),
            role: tensor
                .and_then(|tensor| tensor.role)
                .map_or_else(String::new, |role| role.name().to_owned()),
            bound: variable.name,
            value: String::new(),
            needs_value: false,
        }
    };
    settable(spec, kernel, arguments).into_iter().map(each).collect()
}

/// A parameter, or a field of a struct, with its argument.
struct Part<'a> {
    parameter: &'a Parameter,
    argument: &'a Argument,
    /// The offset of a field.
    field: Option<u32>,
    pointer: bool,
    pointee: Option<Format>,
    format: Format,
    /// It may hold anything where nothing is said of it.
    any: bool,
}

/// Parameters in order, each struct with what is read of it.
fn parts<'a>(kernel: &'a Kernel, arguments: &'a [Argument]) -> impl Iterator<Item = Part<'a>> {
    kernel.parameters.iter().zip(arguments).flat_map(|(parameter, argument)| {
        let whole = Part {
            parameter,
            argument,
            field: None,
            pointer: parameter.pointer,
            pointee: parameter.pointee,
            format: parameter.format,
            any: false,
        };
        let fields: &[_] = match argument {
            Argument::Struct(fields) => fields,
            _ => &[],
        };
        let field = |(offset, argument): &'a (u32, Argument)| {
            let own = parameter.fields.iter().find(|field| field.offset == *offset)?;
            let (any, Field { pointer, pointee, format, .. }) = (own.is_any(), *own);
            Some(Part { parameter, argument, field: Some(*offset), pointer, pointee, format, any })
        };
        [whole].into_iter().chain(fields.iter().filter_map(field)).collect::<Vec<_>>()
    })
}

fn parameter(spec: &Spec, kernel: &Kernel, part: Part<'_>) -> InferredParameter {
    let Part { parameter, argument, field, pointer, pointee, format, any } = part;
    let mut inferred = InferredParameter {
        name: match field {
            Some(offset) => format!("{}+{offset}", parameter.name),
            None => parameter.name.clone(),
        },
        kind: match format {
            _ if parameter.aggregate && field.is_none() => "struct",
            _ if pointer => "pointer",
            format if format.is_float() => "float",
            _ => "integer",
        }
        .to_owned(),
        declared: match (parameter.aggregate, field) {
            (true, None) => format!(".b8[{}]", parameter.size),
            (_, Some(offset)) => format!(".{format} at byte {offset}"),
            _ => format!(".{format}"),
        },
        bound: String::new(),
        element: String::new(),
        shape: Vec::new(),
        role: String::new(),
        value: String::new(),
        needs_value: false,
    };
    let mut literal = |value: Literal| inferred.value = spec::literal(value);
    match argument {
        Argument::Literal(value) => literal(*value),
        Argument::Struct(_) | Argument::View(View { tensor: None, .. }) => {}
        Argument::Maps(maps) => {
            inferred.kind = "tensor map".to_owned();
            inferred.bound = maps.first().map_or_else(String::new, |map| map.tensor.clone());
        }
        Argument::View(View { tensor: Some(name), .. })
        | Argument::Name(name)
        | Argument::Tensor { tensor: name, .. } => {
            inferred.bound = name.clone();
            if let Some(tensor) = spec.tensors.iter().find(|tensor| tensor.name == *name) {
                inferred.kind = "pointer".to_owned();
                let here = match argument {
                    Argument::Tensor { format, .. } => *format,
                    _ => None,
                };
                let format = here.or(tensor.format).or(pointee);
                inferred.element = format.map_or_else(String::new, |format| format.to_string());
                inferred.shape = tensor.shape.clone().unwrap_or_default();
                inferred.role = tensor.role.map_or_else(String::new, |role| role.name().to_owned());
            } else {
                match spec.scalars.iter().find(|scalar| scalar.name == *name).map(|scalar| scalar.value) {
                    Some(Ok(value)) => inferred.value = spec::literal(value),
                    Some(Err(format)) => inferred.element = format.to_string(),
                    None if !pointer && !any => {
                        inferred.needs_value = is_used(kernel, parameter);
                    }
                    None => {}
                }
            }
        }
    }
    inferred
}
