//! Shared pieces of the test suites.

pub mod agreement;
pub mod corpus;
pub mod instructions;
pub mod machine;
pub mod numeric;
pub mod program;
