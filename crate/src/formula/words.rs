//! What NumPy and PyTorch call the same things: prefixes, methods, and other names of functions and parameters.
//!
//! `torch.softmax(x, dim=-1)`, `x.sum(axis=1)` and `np.concatenate([a, b])` mean what they mean there. Where the
//! two libraries differ, or PyTorch's function is another one than the table's, the words are refused with what
//! to write: nothing is guessed.

use super::arrays::Made;
use super::graph::Number;
use super::meaning::{Elaborator, Value};
use super::tree::{Argument, Expression, Kind, Name};
use crate::base::{Format, FormatClass, Span};

/// What stands before a function's name and means nothing else, if nothing has that name.
const MODULES: &[(&str, Library)] = &[
    ("np", Library::NumPy),
    ("numpy", Library::NumPy),
    ("jnp", Library::NumPy),
    ("xp", Library::NumPy),
    ("math", Library::NumPy),
    ("torch", Library::PyTorch),
    ("F", Library::PyTorch),
    ("nn", Library::PyTorch),
];

/// Whose words are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Library {
    NumPy,
    PyTorch,
}

/// Other names of functions.
const FUNCTIONS: &[(&str, &str)] = &[
    ("absolute", "abs"),
    ("amax", "max"),
    ("amin", "min"),
    ("arccosh", "acosh"),
    ("arcsinh", "asinh"),
    ("arctan", "atan"),
    ("arctanh", "atanh"),
    ("bmm", "matmul"),
    ("cat", "concat"),
    ("clamp", "clip"),
    ("concatenate", "concat"),
    ("fabs", "abs"),
    ("mm", "matmul"),
    ("permute", "permute_dims"),
    ("power", "pow"),
    ("rint", "round"),
    ("swish", "silu"),
    ("to", "astype"),
    ("type", "astype"),
    ("unsqueeze", "expand_dims"),
    ("view", "reshape"),
];

/// Other names of parameters.
const PARAMETERS: &[(&str, &str)] = &[
    ("dim", "axis"),
    ("dims", "axes"),
    ("keepdim", "keepdims"),
    ("ddof", "correction"),
    ("tensors", "arrays"),
];

/// Functions of PyTorch that are others than the table's of that name.
const OTHERS: &[(&str, &str)] = &[
    ("var", "PyTorch divides by n - 1: write `var(x, axis, correction=1)`"),
    ("std", "PyTorch divides by n - 1: write `std(x, axis, correction=1)`"),
    (
        "layer_norm",
        "PyTorch's takes a shape: write `layer_norm(x, weight, bias, eps=1e-5)`, along the last axis",
    ),
    ("rms_norm", "PyTorch's takes a shape: write `rms_norm(x, weight, eps=…)`, along the last axis"),
    ("cross_entropy", "PyTorch's is the mean over all rows: write `mean(cross_entropy(x, target))`"),
];

/// The names of types, the usual one of each first.
const DTYPES: &[(&str, Format)] = &[
    ("float64", Format::F64),
    ("double", Format::F64),
    ("float32", Format::F32),
    ("float", Format::F32),
    ("tfloat32", Format::Tf32),
    ("float16", Format::F16),
    ("half", Format::F16),
    ("bfloat16", Format::Bf16),
    ("float8_e4m3fn", Format::E4m3),
    ("float8_e5m2", Format::E5m2),
    ("float8_e8m0fnu", Format::Ue8m0),
    ("int64", Format::S64),
    ("long", Format::S64),
    ("int32", Format::S32),
    ("int", Format::S32),
    ("int16", Format::S16),
    ("int8", Format::S8),
    ("uint64", Format::U64),
    ("uint32", Format::U32),
    ("uint16", Format::U16),
    ("uint8", Format::U8),
];

/// The format that a name of a type means.
pub(super) fn dtype(name: &str) -> Option<Format> {
    DTYPES.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
}

/// The name of a format of integers; those of bits alone count as unsigned.
pub fn dtype_name(format: Format) -> &'static str {
    let same = |other: Format| {
        other.bits() == format.bits()
            && (other.class() == FormatClass::Signed) == (format.class() == FormatClass::Signed)
            && !other.is_float()
    };
    DTYPES.iter().find(|(_, other)| same(*other)).map_or("int64", |(name, _)| name)
}

/// What to write for functions that there are not.
const INSTEAD: &[(&str, &str)] = &[
    ("add", "`a + b`"),
    ("bincount", "`y[i] = sum(j: x[j] == i)`"),
    ("divide", "`a / b`"),
    ("dot", "`a @ b`"),
    ("embedding", "`take(weight, x)`"),
    ("equal", "`a == b`"),
    ("floor_divide", "`a // b`"),
    ("fmod", "`x - y * trunc(x / y)`"),
    ("len", "`x.shape[0]`"),
    ("linear", "`x @ weight.T + bias`"),
    ("logical_and", "`a & b`"),
    ("logical_not", "`~a`"),
    ("logical_or", "`a | b`"),
    ("masked_fill", "`where(mask, value, x)`"),
    ("mod", "`x % y`"),
    ("mul", "`a * b`"),
    ("multiply", "`a * b`"),
    ("norm", "`sqrt(sum(x * x))`"),
    ("outer", "`a[:, None] * b[None, :]`"),
    ("pad", "`concat([zeros(1), x])`"),
    ("range", "`arange(…)`; a letter's range is `k in 0..3`"),
    ("remainder", "`x % y`"),
    ("repeat", "`broadcast_to(x, shape)`"),
    ("roll", "`concat([x[-1:], x[:-1]])`"),
    ("size", "`x.shape[0]`"),
    ("squeeze", "`x[:, 0]`, or `reshape(x, shape)`"),
    ("sub", "`a - b`"),
    ("subtract", "`a - b`"),
    ("swapaxes", "`permute_dims(x, axes)`"),
    ("tile", "`broadcast_to(x, shape)`"),
    ("transpose", "`x.T`, `x.mT` for the last two axes, or `permute_dims(x, axes)`"),
    ("tril", "`where(arange(n)[:, None] >= arange(n)[None, :], x, 0)`"),
    ("triu", "`where(arange(n)[:, None] <= arange(n)[None, :], x, 0)`"),
];

/// What to write for a function that there is not.
pub(super) fn instead(name: &str) -> Option<&'static str> {
    INSTEAD.iter().find(|(other, _)| *other == name).map(|(_, instead)| *instead)
}

/// The infinity that `float('-inf')` means.
pub(super) fn infinity(text: &str) -> Option<Number> {
    match text.trim_start_matches('+') {
        "inf" | "infinity" => Some(Number::Infinity),
        "-inf" | "-infinity" => Some(Number::MinusInfinity),
        _ => None,
    }
}

/// The table's name of a function.
pub(super) fn own_name(name: &str) -> &str {
    FUNCTIONS.iter().find(|(other, _)| *other == name).map_or(name, |(_, own)| own)
}

/// The table's name of a parameter.
pub(super) fn own_parameter(name: &str) -> &str {
    PARAMETERS.iter().find(|(other, _)| *other == name).map_or(name, |(_, own)| own)
}

impl Elaborator<'_> {
    /// `np.exp(x)`, or `x.sum(axis=1)`.
    pub(super) fn method(
        &mut self,
        base: &Expression,
        name: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Made<Value> {
        let library = self.library(base);
        let own = own_name(&name.text);
        let chosen = arguments.iter().any(|argument| {
            argument.name.as_ref().is_some_and(|name| own_parameter(&name.text) == "correction")
        });
        let other = OTHERS.iter().find(|(other, _)| *other == own && !chosen);
        match (library, other) {
            (Some(Library::PyTorch), Some((_, what))) => return self.wrong(name.span, *what),
            (None, Some(("var" | "std", _))) => {
                let what = format!(
                    "NumPy's `.{own}()` divides by n and PyTorch's by n - 1: say `correction=0` or `correction=1`"
                );
                return self.wrong(name.span, what);
            }
            _ => {}
        }
        if library.is_none() && name.text == "t" && arguments.is_empty() {
            return self.attribute(base, &Name { text: "T".to_owned(), span: name.span });
        }
        let mut given = Vec::new();
        if library.is_none() {
            given.push((None, self.value(base)?, base.span));
        }
        for argument in arguments {
            given.push((argument.name.clone(), self.value(&argument.value)?, argument.value.span));
        }
        // `x.reshape(2, 3)`
        let several = given.len() > 2 && given.iter().all(|(name, ..)| name.is_none());
        if library.is_none() && several && matches!(own, "reshape" | "permute_dims") {
            let extents: Vec<Value> = given.drain(1..).map(|(_, value, _)| value).collect();
            given.push((None, Value::List(extents), span));
        }
        self.call(name, given, span)
    }

    /// `np.inf`
    pub(super) fn of_module(&mut self, base: &Expression, name: &Name) -> Option<Made<Value>> {
        self.library(base)?;
        let own = if name.text == "newaxis" { "None" } else { &name.text };
        let constant = matches!(own, "pi" | "e" | "inf" | "None") || dtype(own).is_some();
        constant.then(|| self.name(own, name.span))
    }

    /// The library whose module an expression is: `torch.nn.functional`.
    fn library(&self, base: &Expression) -> Option<Library> {
        match &base.kind {
            Kind::Name(name) if !self.knows(name) => {
                MODULES.iter().find(|(module, _)| module == name).map(|(_, library)| *library)
            }
            Kind::Attribute(base, name) if matches!(name.text.as_str(), "nn" | "functional" | "special") => {
                self.library(base)
            }
            _ => None,
        }
    }
}
