//! The spec file: how both kernels are launched, and what their parameters are.
//!
//! TOML in (`docs/spec.md`), [`Spec`] out. Everything is optional
//! here; what is missing is inferred where a kernel is bound to its arguments, and reported. Integers may be written
//! as expressions over the names of `[sweep]` and the integers of `[scalars]`; a spec that sweeps is read as it is for
//! the first combination, and `sweep` gives the text of each.

mod maps;
mod model;
mod parse;
mod print;
mod read;
mod sweep;
#[cfg(test)]
mod tests;
mod view;

pub use maps::MOST_DIMENSIONS;
pub use parse::{MAX_ELEMENTS, parse, parse_over};
pub use print::{literal, print};

pub use model::{
    Argument, Axis, Contents, Corners, Ctas, Formula, Key, Launch, LaunchPatch, Literal, Open, Options, Role,
    Scalar, Side, Spec, Sweep, Tensor, TensorMap, Written, written_at,
};
pub use view::{AddressMode, Filter, NamedView, ReadMode, View};
