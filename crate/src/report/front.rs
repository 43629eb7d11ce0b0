//! PTX text to a lowered kernel, with everything said along the way.

use crate::base::Source;
use crate::diag::{Code, Diagnostic};
use crate::ir::Kernel;
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
    let _ = entry;
    Front {
        entries: Vec::new(),
        kernel: None,
        diagnostics: vec![Diagnostic::error(Code::V003, "lowering is not there yet")]
            .into_iter()
            .chain(parsed.diagnostics)
            .collect(),
    }
}
