//! `warpproof explain R001`: a row of the code table, in full; `warpproof explain softmax`: a function of formulas.

use super::files::Refusal;
use crate::diag::CODES;
use crate::report;
use std::fmt::Write;

/// One code in full, or the list of all.
pub fn explain(code: Option<&str>) -> Result<String, Refusal> {
    let Some(wanted) = code else {
        return Ok(CODES.iter().fold(String::new(), |mut list, (_, row)| {
            let _ = writeln!(list, "{}  {}", row.name, row.what);
            list
        }));
    };
    if let Some(text) = report::function(wanted) {
        return Ok(text);
    }
    let Some((_, row)) = CODES.iter().find(|(_, row)| row.name.eq_ignore_ascii_case(wanted)) else {
        return Err(Refusal(format!(
            "there is no code and no function `{wanted}`; `warpproof explain` lists the codes, docs/formulas.md the functions"
        )));
    };
    let mut text = format!("{}: {}\n\n{}\n", row.name, row.what, row.why);
    if !row.example.is_empty() {
        let _ = write!(text, "\nFor example:\n\n");
        for line in row.example.lines() {
            let _ = writeln!(text, "    {line}");
        }
    }
    Ok(text)
}
