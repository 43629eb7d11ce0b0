//! Tests of the lowering, and of every row of the instruction table through it: each instruction
//! is written as PTX, parsed, lowered and executed on edge values, and compared with an evaluation
//! written down independently (exact integers and rationals, `exact`).

mod exact;
mod fields;
mod floats;
mod integers;
mod kernels;
mod meanings;
mod parts;
mod probe;
mod rows;
