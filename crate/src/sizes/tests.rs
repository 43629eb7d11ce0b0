//! Small questions about the solver; whole kernels are asked in the tests' own package.
