//! The rows of the instruction table, a file for each chapter of the manual.

use super::table::Row;

/// The rows of a chapter: name and section of the manual, how far it is supported (fully, if nothing is said), forms, what
/// builds the action, what it is over the real numbers where there is more to say than the summary, the summary, and an
/// example.
macro_rules! rows {
    ($($name:literal $section:literal $support:ident
        [$($form:expr),+] $build:expr, $real:literal, $summary:expr, $example:literal;)*) => {
        pub(super) const ROWS: &[$crate::isa::table::Row] = &[$($crate::isa::table::Row {
            name: $name,
            forms: &[$($form),+],
            build: $build,
            real: $real,
            section: $section,
            summary: $summary,
            example: $example,
            support: $crate::isa::table::Support::$support,
        }),*];
    };
    ($($name:literal $section:literal [$($form:expr),+] $build:expr, $real:literal, $summary:expr, $example:literal;)*) => {
        rows! { $($name $section Full [$($form),+] $build, $real, $summary, $example;)* }
    };
    ($($name:literal $section:literal [$($form:expr),+] $build:expr, $summary:expr, $example:literal;)*) => {
        rows! { $($name $section Full [$($form),+] $build, "", $summary, $example;)* }
    };
}

pub(super) mod compare;
mod control;
mod convert;
pub mod copies;
pub(super) mod extern_math;
mod float;
mod integer;
mod logic;
mod matrix;
mod memory;
mod missing;
mod moves;
mod parts;
mod tcgen05;
mod textures;
mod warpgroup;

/// The chapters, each without its help where nobody can ask for it: the engine that a visitor waits for.
macro_rules! chapters {
    ($($chapter:ident),* $(,)?) => {
        &[$(if cfg!(feature = "afterwards") { $chapter::ROWS } else { &without_help::<{ $chapter::ROWS.len() }>($chapter::ROWS) }),*]
    };
}

/// All rows. The order is fixed: a row's number stands in lowered instructions.
pub(super) const ALL: &[&[Row]] = chapters![
    integer, float, compare, logic, moves, convert, memory, control, copies, matrix, warpgroup, tcgen05,
    parts, textures, missing,
];

const fn without_help<const ROWS: usize>(chapter: &[Row]) -> [Row; ROWS] {
    let mut rows = [chapter[0]; ROWS];
    let mut at = 0;
    while at < ROWS {
        rows[at] = Row { real: "", section: "", summary: "", example: "", ..chapter[at] };
        at += 1;
    }
    rows
}
