//! Warpproof: equivalence checking of GPU kernels given as PTX.
//!
//! The data flow is the module list: [`syntax`] parses, [`ir`] lowers, [`spec`] says how the
//! kernel is launched, [`sim`] executes one thread block symbolically, [`decide`] compares the
//! outputs, [`check`] re-checks what `decide` claims, [`report`] puts the answer into words.
//! A module imports only from layers above its own (`ARCHITECTURE.md`); a test walks the edges.

pub mod base;
pub mod diag;
pub mod term;

pub mod decide;
pub mod isa;

pub mod check;
pub mod syntax;

pub mod ir;
pub mod spec;

pub mod formula;
pub mod sim;
pub mod sizes;

pub mod report;

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "wasm")]
pub mod wasm;
