//! PTX text to a lowered kernel, with everything said along the way.

use crate::base::Source;
use crate::diag::{Diagnostic, Severity};
use crate::ir::{self, Kernel};
use crate::syntax;

/// One module, read.
pub struct Front {
    /// All entries of the module, in order.
    pub entries: Vec<String>,
    /// The chosen entry, lowered; `None` after an error.
    pub kernel: Option<Kernel>,
    /// What parsing and lowering said.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a module and lowers one of its entries: the named one, or the only one.
pub fn load(source: Source, text: &str, entry: Option<&str>) -> Front {
    let parsed = syntax::parse(source, text);
    let entries = ir::entries(&parsed.module).into_iter().map(str::to_owned).collect();
    let mut diagnostics = parsed.diagnostics;
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        // A declaration that did not parse is missing: lowering would blame its uses.
        return Front { entries, kernel: None, diagnostics };
    }
    let kernel = match ir::lower(source, &parsed.module, entry) {
        Ok(lowered) => {
            diagnostics.extend(lowered.warnings);
            Some(lowered.kernel)
        }
        Err(errors) => {
            diagnostics.extend(errors);
            None
        }
    };
    Front { entries, kernel, diagnostics }
}
