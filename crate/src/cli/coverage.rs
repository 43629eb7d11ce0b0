//! `warpproof coverage`: the instruction table as Markdown, as the README shows it.

/// The table.
pub fn table() -> String {
    String::new()
}
