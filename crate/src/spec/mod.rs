//! The spec file: how both kernels are launched, and what their parameters are.
//!
//! TOML in (`docs/spec.md`), [`Spec`] out. Everything is optional
//! here; what is missing is inferred where a kernel is bound to its arguments, and reported.

mod model;
mod parse;
mod print;
mod read;
mod suggest;
#[cfg(test)]
mod tests;

pub use parse::{MAX_ELEMENTS, parse};
pub use print::{literal, print};
pub use suggest::nearest;

pub use model::{
    Argument, Contents, Ctas, Formula, Launch, LaunchPatch, Literal, Options, Role, Scalar, Side, Spec,
    Tensor,
};
