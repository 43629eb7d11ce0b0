//! The rows of the instruction table, a file for each chapter of the manual.

use super::table::Row;

pub(super) mod compare;
mod control;
mod convert;
mod copies;
pub(super) mod extern_math;
mod float;
mod integer;
mod logic;
mod matrix;
mod memory;
mod missing;
mod moves;
mod parts;

/// All rows. The order is fixed: a row's number stands in lowered instructions.
pub(super) const ALL: &[&[Row]] = &[
    integer::ROWS,
    float::ROWS,
    compare::ROWS,
    logic::ROWS,
    moves::ROWS,
    convert::ROWS,
    memory::ROWS,
    control::ROWS,
    copies::ROWS,
    matrix::ROWS,
    parts::ROWS,
    missing::ROWS,
];
