//! PTX text to a lowered kernel, with everything said along the way.

use crate::base::Source;
use crate::diag::{Diagnostic, Severity};
use crate::ir::{self, Kernel};
use crate::syntax;

/// One module, read.
pub struct Front {
    /// All kernels of the module, in order.
    pub entries: Vec<String>,
    /// The chosen one, lowered; `None` after an error.
    pub kernel: Option<Kernel>,
    /// What parsing and lowering said.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a module and lowers one of its kernels: the named one, or the only one. A module that
/// does not parse is not lowered: what is missing would be taken for undeclared.
pub fn load(source: Source, text: &str, entry: Option<&str>) -> Front {
    let parsed = syntax::parse(source, text);
    let entries = ir::entries(&parsed.module).into_iter().map(str::to_owned).collect();
    let mut front = Front { entries, kernel: None, diagnostics: parsed.diagnostics };
    if front.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return front;
    }
    match ir::lower(source, &parsed.module, entry) {
        Ok(lowered) => {
            front.diagnostics.extend(lowered.warnings);
            front.kernel = Some(lowered.kernel);
        }
        Err(errors) => front.diagnostics.extend(errors),
    }
    front
}
