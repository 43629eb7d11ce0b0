//! PTX text to a syntax tree.

// Fields that say what they are called need no second sentence.
#![allow(missing_docs)]

pub mod ast;
mod names;
