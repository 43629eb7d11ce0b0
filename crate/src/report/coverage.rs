//! The instruction table as Markdown, as `warpproof coverage` prints it and the README shows it.

/// One row an instruction: name, forms, meaning, where the manual has it.
pub fn coverage() -> String {
    String::new()
}
