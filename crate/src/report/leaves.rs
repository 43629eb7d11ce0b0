//! Parameters and fields of structs: the places that arguments go to, with what the kernel shows of each.

use super::arguments::{Asked, is_used, made_up_name};
use super::maps;
use crate::base::{Format, FormatClass, Source, Span};
use crate::diag::{Code, Diagnostic};
use crate::ir::{Field, Parameter, Reading};
use crate::isa::{Geometry, ViewKind};
use crate::spec::Argument;

/// A parameter, or a field of one.
pub struct Leaf<'a> {
    pub offset: u32,
    pub size: u32,
    /// Declared type; of a field, as what it is read, if it is.
    pub format: Option<Format>,
    /// As what the kernel takes its number; `None` where it may be either.
    pub number: Option<Reading>,
    /// It may hold anything where nothing is said of it: a flag in a struct, or padding.
    pub any: bool,
    /// The PTX uses it as a pointer.
    pub pointer: bool,
    pub pointee: Option<Format>,
    /// The PTX uses it as a texture or a surface.
    pub view: Option<(ViewKind, Option<Geometry>)>,
    pub argument: &'a Argument,
    /// For messages: "parameter 4 (`n`) of `saxpy`".
    pub what: String,
    /// Some instruction can read it.
    pub used: bool,
    /// Where the spec says what it is.
    pub span: Option<Span>,
}

impl<'a> Leaf<'a> {
    /// The bytes of a tensor map.
    fn of_map(offset: u32, argument: &'a Argument, what: String, used: bool, span: Option<Span>) -> Leaf<'a> {
        Leaf {
            offset,
            size: maps::BYTES,
            format: None,
            number: None,
            any: false,
            pointer: false,
            pointee: None,
            view: None,
            argument,
            what,
            used,
            span,
        }
    }

    /// What it is, and where that says less, as what the kernel takes it.
    pub fn kind(&self) -> String {
        let declared = self.format.map_or_else(|| "a field".to_owned(), |format| format!(".{format}"));
        let bits = self.format.is_none_or(|format| format.class() == FormatClass::Bits);
        match self.number {
            Some(Reading::Integer) if bits => format!("{declared}, which the kernel reads as an integer,"),
            Some(Reading::Float(float)) if self.format != Some(float) => {
                format!("{declared}, which the kernel reads as {float},")
            }
            _ => declared,
        }
    }
}

/// The parameters of a kernel, each struct as its fields.
pub fn leaves<'a>(
    asked: &Asked<'a>,
    arguments: &'a [Argument],
    errors: &mut Vec<Diagnostic>,
) -> Vec<Leaf<'a>> {
    let mut leaves = Vec::new();
    for (at, (parameter, argument)) in asked.kernel.parameters.iter().zip(arguments).enumerate() {
        // Compilers number parameters behind the kernel's name, which says nothing more than where they stand.
        let own = made_up_name(at, parameter);
        let name = match (parameter.name == own, argument) {
            (false, Argument::Name(name)) => name,
            _ => &own,
        };
        let what = format!("parameter {} (`{name}`) of `{}`", at + 1, asked.kernel.title());
        let used = is_used(asked.kernel, parameter);
        if let Argument::Struct(fields) = argument {
            for (offset, field) in fields {
                let next = fields.iter().map(|(at, _)| *at).filter(|at| at > offset).min();
                let room = next.unwrap_or(parameter.size).min(parameter.size).saturating_sub(*offset);
                if room == 0 {
                    errors.push(complaint(
                        asked,
                        format!("{what}, has {} bytes: no field fits at offset {offset}", parameter.size),
                    ));
                    continue;
                }
                if let Argument::Maps(_) = field
                    && room >= maps::BYTES
                {
                    let what = format!("the field at byte {offset} of {what}");
                    leaves.push(Leaf::of_map(parameter.offset + offset, field, what, used, asked.side.span));
                    continue;
                }
                // As far as the kernel reads it.
                let own = parameter.fields.iter().find(|own| own.offset == *offset && own.size <= room);
                leaves.push(Leaf {
                    offset: parameter.offset + offset,
                    size: own.map_or(1 << room.min(8).ilog2(), |own| own.size),
                    format: own.map(|own| own.format),
                    number: own.and_then(Field::number),
                    any: own.is_some_and(Field::is_any),
                    pointer: own.is_some_and(|own| own.pointer),
                    pointee: own.and_then(|own| own.pointee),
                    view: own.and_then(|own| own.view),
                    argument: field,
                    what: format!("the field at byte {offset} of {what}"),
                    used,
                    span: asked.side.span,
                });
            }
            continue;
        }
        if let Argument::Maps(_) = argument
            && parameter.size == maps::BYTES
        {
            leaves.push(Leaf::of_map(parameter.offset, argument, what, used, asked.side.span));
            continue;
        }
        if parameter.aggregate && parameter.size == maps::BYTES && used && parameter.fields.is_empty() {
            let message = format!(
                "{what} has the {} bytes of a tensor map: what it holds has to be said",
                parameter.size
            );
            errors.push(
                complaint(asked, message)
                    .note("write its argument as { tensor_map = \"A\", box = [64, 64], swizzle = \"128B\" }: the tensor, and what the host gives to cuTensorMapEncodeTiled, the outermost dimension first"),
            );
            continue;
        }
        if parameter.aggregate && parameter.size > 8 && used {
            let message =
                format!("{what}, is a struct of {} bytes: what it holds has to be said", parameter.size);
            errors.push(
                complaint(asked, message)
                    .note("write its argument as { fields = [[0, \"A\"], [8, 64]] }: byte offset and name or number of each field"),
            );
            continue;
        }
        leaves.push(Leaf {
            offset: parameter.offset,
            size: parameter.size,
            format: (!parameter.aggregate).then_some(parameter.format),
            number: Parameter::number(parameter),
            any: false,
            pointer: parameter.pointer,
            pointee: parameter.pointee,
            view: parameter.view,
            argument,
            what,
            used,
            span: asked.side.span,
        });
    }
    leaves
}

#[cold]
fn complaint(asked: &Asked<'_>, message: String) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::V010, message);
    match asked.side.span {
        Some(span) => diagnostic.at(Source::Spec, span),
        None => diagnostic,
    }
}
