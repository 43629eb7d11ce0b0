//! Shared pieces of the test suites.

pub mod affine;
pub mod agreement;
pub mod algebra;
pub mod ask;
pub mod context;
pub mod corpus;
pub mod explore;
pub mod generate;
pub mod instructions;
pub mod machine;
pub mod metamorphic;
pub mod numeric;
pub mod program;
pub mod subjects;
pub mod sweeps;
pub mod words;
