//! Shared pieces of the test suites.

pub mod corpus;
pub mod program;
