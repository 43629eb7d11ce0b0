//! The instruction table, and the library code that is recognized, as Markdown: what `warpproof
//! coverage` prints and the `docs/instructions.md` shows.

use crate::decide::idioms::IDIOMS;
use crate::isa;
use std::fmt::Write;

/// One row an instruction, in the manual's order; below it, what is known and not yet executed, and
/// the functions whose inlined code is recognized.
pub fn coverage() -> String {
    let mut table =
        String::from("| instruction | forms | over the reals | PTX ISA |\n| --- | --- | --- | --- |\n");
    let mut missing: Vec<(&str, Vec<String>)> = Vec::new();
    for line in isa::coverage() {
        match line.missing {
            None => {
                let forms: Vec<String> =
                    line.forms.iter().map(|form| format!("`{}`", escape(form))).collect();
                let _ = writeln!(
                    table,
                    "| `{}` | {} | {} | {} |",
                    line.name,
                    forms.join("<br>"),
                    escape(line.real),
                    line.section
                );
            }
            Some(family) => {
                let name = format!("`{}`", line.name);
                match missing.iter_mut().find(|(known, _)| *known == family) {
                    Some((_, names)) if names.contains(&name) => {}
                    Some((_, names)) => names.push(name),
                    None => missing.push((family, vec![name])),
                }
            }
        }
    }
    if !missing.is_empty() {
        table.push_str("\nKnown, and not executed yet:\n\n");
        for (family, names) in missing {
            let _ = writeln!(table, "- {family}: {}", names.join(", "));
        }
    }
    let mut functions: Vec<String> = IDIOMS.iter().map(|idiom| format!("`{}`", idiom.name)).collect();
    functions.dedup();
    table.push_str("\nLibrary functions recognized in the code that NVRTC and Triton inline for them: ");
    table.push_str(&functions.join(", "));
    table.push_str(".\n");
    table
}

/// A bar would end the cell.
fn escape(text: &str) -> String {
    text.replace('|', "\\|")
}
