//! The functions of formulas as Markdown, for `docs/formulas.md`, and one of them in full, for the command line.

use crate::formula::{FUNCTIONS, Function, Meaning};
use std::fmt::Write;

/// One row a function, in the order of the table.
pub fn functions() -> String {
    let mut table = String::from("| function | what it gives |\n| --- | --- |\n");
    for Function { name, parameters, help, .. } in FUNCTIONS {
        let _ = writeln!(table, "| `{name}({parameters})` | {} |", help.replace('|', "\\|"));
    }
    table
}

/// A function and what it means.
pub fn function(name: &str) -> Option<String> {
    let Function { name, parameters, meaning, help } =
        FUNCTIONS.iter().find(|function| function.name == name)?;
    let mut text = format!("{name}({parameters}): {help}\n");
    if let Meaning::Text(meaning) = meaning {
        text += "\nIn a formula the same as:\n\n";
        for line in meaning.lines() {
            let _ = writeln!(text, "    {}", line.trim());
        }
    }
    Some(text)
}
