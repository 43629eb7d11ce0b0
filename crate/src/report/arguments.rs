//! Which argument each kernel parameter gets.
//!
//! The spec's `args` decide. Where they are missing: the other kernel's arguments by position, if
//! it has as many parameters; names that PTX and spec share, those made up from the parameters (`arg0`)
//! among them; the spec's remaining tensors for the remaining pointers and its remaining scalars for the rest,
//! if there are exactly as many and their types, roles and values leave one way only ([`pairing`](super::pairing);
//! where they leave several, the order of a file decides nothing, and the spec has to say which it is); and otherwise
//! names made up from the parameters, shared by both kernels by position. A struct counts as the fields
//! that are read of it, named after their offsets. Whatever is chosen this way is reported as inferred. Parameters at
//! the end that no instruction reads need no argument: Triton adds two of them to every kernel.

use super::pairing;
use super::variables::{declares, source_name};
use crate::base::{Format, FormatClass, Source, Span, nearest};
use crate::diag::{Code, Diagnostic};
use crate::formula::Program;
use crate::ir::{Constant, Field, Kernel, Parameter, RegisterKind};
use crate::isa::{Geometry, ViewKind};
use crate::spec::{Argument, Literal, Scalar, Side, Spec, Tensor, View};

/// One kernel of the question.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// Which text it comes from.
    pub source: Source,
    /// What the spec says about it.
    pub side: &'a Side,
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The formula for which the kernel only stands.
    pub formula: Option<&'a Program>,
}

/// The arguments of each kernel, in the order of its parameters.
pub struct Assigned {
    /// One list a kernel, each as long as the kernel's parameters.
    pub arguments: Vec<Vec<Argument>>,
    /// What was inferred, and warnings.
    pub notes: Vec<Diagnostic>,
}

/// Chooses an argument for every parameter of every kernel.
pub fn assign(spec: &Spec, kernels: &[Asked<'_>]) -> Result<Assigned, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut notes = Vec::new();
    let mut chosen: Vec<Option<Vec<Argument>>> = Vec::new();
    for asked in kernels {
        let mut explicit = asked.side.args.clone();
        if let Some(args) = &mut explicit {
            let (needed, all) = (needed(asked.kernel).len(), asked.kernel.parameters.len());
            match (needed..=all).contains(&args.len()) {
                true => args.resize(all, UNREAD),
                false => errors.push(wrong_count(asked, args.len())),
            }
        }
        chosen.push(explicit);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    // The kernel whose arguments the spec shows goes first: the other follows it.
    let outputs: Vec<&str> =
        kernels.iter().filter_map(|asked| asked.formula).flat_map(Program::targets).collect();
    let shown: Vec<_> = kernels.iter().map(|asked| declared(spec, asked.kernel, &outputs)).collect();
    let is_open = |at: &usize| matches!(shown[*at], Some(Err(_)));
    let order = (0..kernels.len()).filter(|at| !is_open(at)).chain((0..kernels.len()).filter(is_open));
    for at in order {
        if chosen[at].is_some() {
            continue;
        }
        let asked = &kernels[at];
        let follows = |other: &usize| *other != at && kernels[*other].formula.is_none();
        let other = (0..kernels.len()).find(|other| follows(other) && chosen[*other].is_some());
        let from_spec = || match &shown[at] {
            Some(Ok(found)) => Ok(Some(found.clone())),
            Some(Err(guess)) => Err(vec![several(spec, asked, guess)]),
            None => Ok(None),
        };
        let (mut arguments, how) = match other {
            Some(other) => match follow(asked, &kernels[other], chosen[other].as_deref().unwrap_or_default())
            {
                Some(found) => found,
                None => {
                    let (model, theirs) = (&kernels[other], chosen[other].as_deref().unwrap_or_default());
                    let found = from_spec()?.filter(|(mine, _)| agree((asked, mine), (model, theirs)));
                    found.ok_or_else(|| vec![cannot_follow(asked, model)])?
                }
            },
            None => from_spec()?.unwrap_or_else(|| made_up(asked.kernel)),
        };
        arguments.resize(asked.kernel.parameters.len(), UNREAD);
        if !asked.kernel.parameters.is_empty() {
            let names = describe(asked.kernel, &arguments);
            notes.push(Diagnostic::info(
                Code::V011,
                format!("the arguments of `{}` were inferred {how}: {names}", asked.kernel.title()),
            ));
        }
        chosen[at] = Some(arguments);
    }
    let arguments: Vec<_> = chosen.into_iter().flatten().collect();
    notes.extend(strangers(spec, kernels, &arguments));
    Ok(Assigned { arguments, notes })
}

/// Every name an argument mentions.
pub fn mentioned(argument: &Argument) -> Vec<&str> {
    match argument {
        Argument::Name(name) | Argument::Tensor { tensor: name, .. } => vec![name],
        Argument::View(view) => view.tensor.iter().map(String::as_str).collect(),
        Argument::Literal(_) => Vec::new(),
        Argument::Maps(maps) => maps.iter().map(|map| map.tensor.as_str()).collect(),
        Argument::Struct(fields) => fields.iter().flat_map(|(_, field)| mentioned(field)).collect(),
    }
}

/// Whether any instruction can read the parameter's bytes.
pub fn is_used(kernel: &Kernel, parameter: &Parameter) -> bool {
    let bytes = parameter.offset..parameter.offset + parameter.size.max(1);
    kernel.registers.iter().any(|register| {
        matches!(register, RegisterKind::Constant(Constant::ParameterAddress(at)) if bytes.contains(at))
    })
}

/// What a parameter gets that nothing reads.
const UNREAD: Argument = Argument::Literal(Literal::Integer(0));

/// The parameters without those at the end that nothing reads; all where nothing reads any.
fn needed(kernel: &Kernel) -> &[Parameter] {
    let last = kernel.parameters.iter().rposition(|parameter| is_used(kernel, parameter));
    last.map_or(&kernel.parameters, |last| &kernel.parameters[..=last])
}

#[cold]
fn wrong_count(asked: &Asked<'_>, found: usize) -> Diagnostic {
    let kernel = asked.kernel;
    let diagnostic = Diagnostic::error(
        Code::V010,
        format!(
            "`args` has {found} entries, `{}` has {} parameters",
            kernel.title(),
            kernel.parameters.len()
        ),
    )
    .note(format!("they are {}", parameters(kernel)));
    match asked.side.span {
        Some(span) => diagnostic.at(Source::Spec, span),
        None => diagnostic,
    }
}

fn parameters(kernel: &Kernel) -> String {
    if kernel.parameters.is_empty() {
        return "none".to_owned();
    }
    kernel.parameters.iter().enumerate().map(described).collect::<Vec<_>>().join(", ")
}

/// `x` (pointer to f32)
fn described((at, p): (usize, &Parameter)) -> String {
    let name = made_up_name(at, p);
    match (p.aggregate, p.pointer, p.pointee) {
        (true, ..) => format!("`{name}` ({} bytes)", p.size),
        (_, true, Some(format)) => format!("`{name}` (pointer to {format})"),
        (_, true, None) => format!("`{name}` (pointer)"),
        _ => format!("`{name}` (.{})", p.format),
    }
}

/// Whether one parameter can stand for another.
fn fits(p: &Parameter, q: &Parameter) -> bool {
    let number = |p: &Parameter| !p.aggregate && !p.pointer;
    let other = |p: &Parameter, q: &Parameter| p.format.is_float() && is_integer(q.format);
    let unlike = number(p) && number(q) && (other(p, q) || other(q, p));
    p.aggregate == q.aggregate && (p.pointer == q.pointer || p.size == q.size) && !unlike
}

fn is_integer(format: Format) -> bool {
    matches!(format.class(), FormatClass::Signed | FormatClass::Unsigned)
}

/// Whether parameters that get one argument can stand for each other.
fn agree((asked, mine): (&Asked<'_>, &[Argument]), model: (&Asked<'_>, &[Argument])) -> bool {
    asked.kernel.parameters.iter().zip(mine).all(|(p, argument)| agrees(p, argument, model))
}

/// The same of one parameter: all that get its argument in the other kernel fit it.
fn agrees(p: &Parameter, argument: &Argument, (model, theirs): (&Asked<'_>, &[Argument])) -> bool {
    let mut same = model.kernel.parameters.iter().zip(theirs).filter(|(_, other)| *other == argument);
    !matches!(argument, Argument::Name(_)) || same.all(|(q, _)| fits(p, q))
}

/// In what parameters do not correspond: their number, or the first that is something else.
fn unlike(asked: &Asked<'_>, other: &Asked<'_>) -> String {
    let (mine, theirs) = (&asked.kernel.parameters, &other.kernel.parameters);
    let mut pairs = theirs.iter().zip(mine).enumerate();
    match pairs.find(|(_, (q, p))| !fits(p, q)) {
        Some((at, (q, p))) if mine.len() == theirs.len() => format!(
            ": parameter {} is {} in the {} and {} in the {}",
            at + 1,
            described((at, q)),
            other.source,
            described((at, p)),
            asked.source
        ),
        _ => format!(" ({} and {})", theirs.len(), mine.len()),
    }
}

#[cold]
fn cannot_follow(asked: &Asked<'_>, other: &Asked<'_>) -> Diagnostic {
    let (kernel, model) = (asked.kernel, other.kernel);
    // What cannot be the same has names of its own.
    let (mut own, theirs) = (made_up(kernel).0, made_up(model).0);
    for (argument, p) in own.iter_mut().zip(&kernel.parameters) {
        if !agrees(p, argument, (other, &theirs))
            && let Argument::Name(name) = argument
        {
            *name += "_too";
        }
    }
    Diagnostic::error(
        Code::V010,
        format!(
            "the parameters of the {} `{}` and the {} `{}` do not correspond by position{}",
            other.source,
            model.title(),
            asked.source,
            kernel.title(),
            unlike(asked, other)
        ),
    )
    .note(format!("the {} has {}", other.source, parameters(model)))
    .note(format!("the {} has {}", asked.source, parameters(kernel)))
    .note(format!(
        "say in the spec what each is, with one name for what both have, for example under [{}] `{}` and under [{}] `{}`",
        other.source,
        args(model),
        asked.source,
        written(&own)
    ))
}

/// A line for the spec that gives each parameter a name.
pub fn args(kernel: &Kernel) -> String {
    written(&made_up(kernel).0)
}

const BY_KIND: &str = "from the other kernel's, by what they are, since these are in another order (those of one kind in \
                       theirs; if that is not what is meant, say so with `args`)";

/// Which parameters of the other kernel these are, if the two have the same kinds of parameters in another order: read
/// or written through, floats or integers.
fn in_another_order(mine: &[Parameter], theirs: &[Parameter]) -> Option<Vec<usize>> {
    let kinds = |parameters: &[Parameter]| -> Option<Vec<(bool, bool, u32)>> {
        let kind = |p: &Parameter| match (p.aggregate, p.pointer) {
            (true, _) => None,
            (_, true) => Some((true, pairing::written(p)?, 0)),
            _ => Some((false, p.format.is_float(), p.size)),
        };
        parameters.iter().map(kind).collect()
    };
    let (mine, theirs) = (kinds(mine)?, kinds(theirs)?);
    if mine == theirs {
        return None;
    }
    let mut taken = vec![false; theirs.len()];
    mine.iter()
        .map(|kind| {
            let at = (0..theirs.len()).find(|at| !taken[*at] && theirs[*at] == *kind)?;
            taken[at] = true;
            Some(at)
        })
        .collect()
}

/// The other kernel's arguments, by name where both kernels use the same parameter names, else by
/// position.
fn follow(
    asked: &Asked<'_>,
    other: &Asked<'_>,
    theirs: &[Argument],
) -> Option<(Vec<Argument>, &'static str)> {
    let (all, model) = (&asked.kernel.parameters, &other.kernel.parameters);
    let (mine, model) = match all.len() == model.len() {
        true => (&all[..], &model[..]),
        false => (needed(asked.kernel), needed(other.kernel)),
    };
    if mine.len() != model.len() {
        return None;
    }
    let by_name: Option<Vec<usize>> = mine
        .iter()
        .map(|p| spoken(p).and_then(|name| model.iter().position(|q| spoken(q) == Some(name))))
        .collect();
    let (order, how) = match by_name {
        Some(order) => (order, "from the other kernel's, by name"),
        None => match in_another_order(mine, model) {
            Some(order) => (order, BY_KIND),
            None => ((0..mine.len()).collect(), "from the other kernel's, by position"),
        },
    };
    let fits = order.iter().zip(mine).all(|(at, p)| fits(p, &model[*at]));
    // What this kernel alone reads of a struct has a name of its own.
    let more = |p: &Parameter, argument: Argument, at: usize| match argument {
        Argument::Struct(mut fields) => {
            let own =
                p.fields.iter().filter(|field| fields.iter().all(|(offset, _)| *offset != field.offset));
            let own: Vec<_> = own.map(|field| named(at, &model[at], field)).collect();
            fields.extend(own);
            fields.sort_by_key(|(offset, _)| *offset);
            Argument::Struct(fields)
        }
        argument => argument,
    };
    // "Stored in another type here" is about the other kernel only.
    fn here(argument: &Argument) -> Argument {
        match argument {
            Argument::Tensor { tensor, offset: 0, .. } => Argument::Name(tensor.clone()),
            Argument::Tensor { tensor, offset, .. } => {
                Argument::Tensor { tensor: tensor.clone(), format: None, offset: *offset }
            }
            Argument::Struct(fields) => {
                Argument::Struct(fields.iter().map(|(offset, field)| (*offset, here(field))).collect())
            }
            argument => argument.clone(),
        }
    }
    // What the other has as a texture, this one may have as memory.
    let each = |(at, p): (&usize, &Parameter)| match here(&theirs[*at]) {
        Argument::View(View { tensor: Some(tensor), .. }) if p.pointer && p.view.is_none() => {
            Argument::Name(tensor)
        }
        argument => more(p, argument, *at),
    };
    fits.then(|| (order.iter().zip(mine).map(each).collect(), how))
}

/// Arguments by names of the spec; or, where the spec does not say which is which, one way that it could be.
type Shown = Result<(Vec<Argument>, &'static str), Vec<Argument>>;

/// The names that the spec declares: those the PTX uses itself or that are made up from it, and the others by what
/// they are.
fn declared(spec: &Spec, kernel: &Kernel, outputs: &[&str]) -> Option<Shown> {
    let among = |parameters| declared_of(spec, kernel, parameters, outputs);
    among(&kernel.parameters).or_else(|| among(needed(kernel)))
}

fn declared_of(spec: &Spec, kernel: &Kernel, parameters: &[Parameter], outputs: &[&str]) -> Option<Shown> {
    let is_tensor = |name: &str| spec.tensors.iter().any(|tensor| tensor.name == name);
    let known = |name: &str| is_tensor(name) || spec.scalars.iter().any(|scalar| scalar.name == name);
    let own = parameters.iter().map(|p| spoken(p).filter(|name| known(name)));
    if let Some(names) = own.collect::<Option<Vec<_>>>() {
        let arguments = names.into_iter().map(|name| Argument::Name(name.to_owned())).collect();
        return Some(Ok((arguments, "from the parameters' names")));
    }
    if parameters.iter().any(|p| p.aggregate && p.fields.is_empty()) {
        return None;
    }
    let places = pairing::places(parameters);
    let (found, open): (Vec<_>, Vec<_>) = places.iter().partition(|place| known(&place.name));
    let found: Vec<&str> = found.into_iter().map(|place| place.name.as_str()).collect();
    let others = |name: &str| !found.contains(&name);
    let pointers = open.iter().filter(|place| place.pointer).count();
    let tensors: Vec<&Tensor> = spec
        .tensors
        .iter()
        .filter(|tensor| others(&tensor.name) && !declares(kernel, &tensor.name))
        .collect();
    let scalars = positional(spec, open.len() - pointers, &others);
    if !found.is_empty() && tensors.is_empty() && scalars.as_ref().is_none_or(Vec::is_empty) {
        let (arguments, how) = made_up(kernel);
        return Some(Ok((arguments.into_iter().take(parameters.len()).collect(), how)));
    }
    if pointers != tensors.len() {
        return None;
    }
    let paired = pairing::pair(&open, &tensors, &scalars?, outputs);
    let arguments = |names: Vec<String>| {
        let mut names = names.into_iter();
        let mut next = |name: String| match known(&name) {
            true => Argument::Name(name),
            false => Argument::Name(names.next().unwrap_or_default()),
        };
        let each = |(at, p): (usize, &Parameter)| match p.aggregate {
            true => Argument::Struct(
                p.fields.iter().map(|field| (field.offset, next(field_name(at, p, field)))).collect(),
            ),
            false => next(made_up_name(at, p)),
        };
        parameters.iter().enumerate().map(each).collect::<Vec<_>>()
    };
    Some(match paired {
        Ok(names) => Ok((arguments(names), "from the spec's tensors and scalars, by what they are")),
        Err(guess) => Err(arguments(guess)),
    })
}

/// That the names of the spec could be the parameters in several ways.
#[cold]
fn several(spec: &Spec, asked: &Asked<'_>, guess: &[Argument]) -> Diagnostic {
    let message = format!(
        "the spec does not say which parameter of `{}` each of its tensors and scalars is",
        asked.kernel.title()
    );
    let diagnostic = Diagnostic::error(Code::V010, message)
        .note(format!(
            "add the names in the order of the parameters under [{}]; if the spec lists them in that order: `{}`",
            asked.source,
            written(guess)
        ))
        .note(format!("the parameters are {}", parameters(asked.kernel)));
    let first = spec.tensors.iter().map(|tensor| tensor.span).find(|span| *span != Span::default());
    match asked.side.span.or(first) {
        Some(span) => diagnostic.at(Source::Spec, span),
        None => diagnostic,
    }
}

/// Names as a line of the spec.
fn written(arguments: &[Argument]) -> String {
    let names = |argument: &Argument| {
        mentioned(argument).first().map_or_else(String::new, |name| format!("{name:?}"))
    };
    let each = |argument: &Argument| match argument {
        Argument::Struct(fields) => {
            let fields = fields.iter().map(|(offset, field)| format!("[{offset}, {}]", names(field)));
            format!("{{ fields = [{}] }}", fields.collect::<Vec<_>>().join(", "))
        }
        argument => names(argument),
    };
    format!("args = [{}]", arguments.iter().map(each).collect::<Vec<_>>().join(", "))
}

/// The scalars that a kernel takes, in file order, if there are as many: those that `[scalars]` lists, with or without
/// the swept ones that are more than the extent of a launch (`block = "block"`).
fn positional<'a>(spec: &'a Spec, count: usize, among: &dyn Fn(&str) -> bool) -> Option<Vec<&'a Scalar>> {
    let names = |takes: &dyn Fn(&Scalar) -> bool| -> Vec<&'a Scalar> {
        spec.scalars.iter().filter(|scalar| among(&scalar.name) && takes(scalar)).collect()
    };
    let listed = |scalar: &Scalar| !scalar.swept || scalar.written.is_some();
    let (_, launches) = spec.calculated();
    let choices = [names(&|scalar| listed(scalar) || !launches.contains(&scalar.name)), names(&listed)];
    choices.into_iter().find(|names| names.len() == count)
}

/// Names made up from the parameters.
#[cold]
fn made_up(kernel: &Kernel) -> (Vec<Argument>, &'static str) {
    let each = |(at, p): (usize, &Parameter)| match p.fields[..] {
        [] => Argument::Name(made_up_name(at, p)),
        _ => Argument::Struct(p.fields.iter().map(|field| named(at, p, field)).collect()),
    };
    (kernel.parameters.iter().enumerate().map(each).collect(), "from the PTX")
}

pub(super) fn made_up_name(at: usize, parameter: &Parameter) -> String {
    spoken(parameter).map_or_else(|| format!("arg{at}"), str::to_owned)
}

/// A field with a name made up from its struct's and its offset.
fn named(at: usize, parameter: &Parameter, field: &Field) -> (u32, Argument) {
    (field.offset, Argument::Name(field_name(at, parameter, field)))
}

pub(super) fn field_name(at: usize, parameter: &Parameter, field: &Field) -> String {
    format!("{}_{}", made_up_name(at, parameter), field.offset)
}

/// A parameter's name, unless a compiler numbered it (`kernel_param_3`).
fn spoken(parameter: &Parameter) -> Option<&str> {
    let numbered = parameter
        .name
        .rsplit_once("param_")
        .is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    (!numbered).then_some(parameter.name.as_str())
}

fn describe(kernel: &Kernel, arguments: &[Argument]) -> String {
    let kind = |view: Option<(ViewKind, Option<Geometry>)>,
                pointer: bool,
                pointee: Option<Format>,
                format: Format| {
        match (pointer, pointee, format.class()) {
            _ if view.is_some() => view.map_or_else(String::new, |(kind, _)| kind.name().to_owned()),
            (true, Some(format), _) => format!("pointer to {format}"),
            (true, None, _) => "pointer".to_owned(),
            (false, _, FormatClass::Float) => format!("float {format}"),
            (false, ..) => format!("integer {}", integer_name(format)),
        }
    };
    let each = |(p, argument): (&Parameter, &Argument)| {
        if let Argument::Struct(fields) = argument {
            let each = |(offset, argument): &(u32, Argument)| {
                let names = mentioned(argument).join(", ");
                let field = p.fields.iter().find(|field| field.offset == *offset);
                let kind = field.map_or_else(
                    || "not read".to_owned(),
                    |field| kind(field.view, field.pointer, field.pointee, field.format),
                );
                if names.is_empty() { kind } else { format!("`{names}` ({kind})") }
            };
            return format!("a struct of {}", fields.iter().map(each).collect::<Vec<_>>().join(", "));
        }
        let kind = match p.aggregate && !p.pointer {
            true => format!("{} bytes", p.size),
            false => kind(p.view, p.pointer, p.pointee, p.format),
        };
        let names = mentioned(argument).join(", ");
        let kind = if let Argument::Maps(_) = argument { "tensor map".to_owned() } else { kind };
        if names.is_empty() { kind } else { format!("`{names}` ({kind})") }
    };
    kernel.parameters.iter().zip(arguments).map(each).collect::<Vec<_>>().join(", ")
}

fn integer_name(format: Format) -> String {
    format!(".{format}")
}

/// Declared tensors and scalars that no kernel takes: usually a slip in a name.
#[cold]
fn strangers(spec: &Spec, kernels: &[Asked<'_>], arguments: &[Vec<Argument>]) -> Vec<Diagnostic> {
    let mut used: Vec<&str> = arguments.iter().flatten().flat_map(mentioned).collect();
    used.extend(spec.views.iter().filter_map(|named| named.view.tensor.as_deref()));
    let views = kernels.iter().flat_map(|asked| &asked.kernel.variables);
    let views: Vec<String> = views
        .filter(|variable| variable.view.is_some())
        .map(|variable| source_name(&variable.name))
        .collect();
    used.extend(views.iter().map(String::as_str));
    let variable = |name: &&str| kernels.iter().any(|asked| declares(asked.kernel, name));
    used.extend(spec.tensors.iter().map(|tensor| tensor.name.as_str()).filter(variable));
    let (calculated, _) = spec.calculated();
    used.extend(calculated.iter().map(String::as_str));
    used.extend(kernels.iter().filter_map(|asked| asked.formula).flat_map(Program::mentions));
    let declared = spec
        .tensors
        .iter()
        .map(|tensor| (&tensor.name, tensor.span, "tensor"))
        .chain(spec.scalars.iter().map(|scalar| (&scalar.name, scalar.span, "scalar")));
    let variables: Vec<String> = kernels
        .iter()
        .flat_map(|asked| &asked.kernel.module_variables)
        .flat_map(|name| [name.clone(), source_name(name)])
        .collect();
    let lost = spec.views.iter().filter(|view| !variables.contains(&view.name)).map(|view| {
        let message = format!("no kernel's module has a variable `{}`", view.name);
        let diagnostic = Diagnostic::warning(Code::V010, message).at(Source::Spec, view.span);
        match nearest(&view.name, variables.iter().map(String::as_str)) {
            Some(near) => diagnostic.note(format!("did you mean `{near}`?")),
            None => diagnostic,
        }
    });
    let lost: Vec<Diagnostic> = lost.collect();
    declared
        .filter(|(name, ..)| !used.contains(&name.as_str()))
        .map(|(name, span, kind)| {
            let diagnostic = Diagnostic::warning(Code::V010, format!("no kernel takes the {kind} `{name}`"))
                .at(Source::Spec, span);
            match nearest(name, used.iter().copied()) {
                Some(near) => diagnostic.note(format!("did you mean `{near}`?")),
                None => diagnostic,
            }
        })
        .chain(lost)
        .collect()
}
