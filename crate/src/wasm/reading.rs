//! What is asked while one reads and types: what an instruction does, and which functions formulas have.

use crate::formula::FUNCTIONS;
use crate::isa;
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// What the instruction table says about an opcode.
#[derive(Serialize, tsify::Tsify)]
pub struct OpcodeHelp {
    /// How it is written.
    form: &'static str,
    /// What it does, in one line.
    summary: &'static str,
    /// What it means over the reals.
    real: &'static str,
    /// Section of PTX ISA 9.0.
    section: &'static str,
    /// Whether threads may execute it here.
    supported: bool,
}

/// A function that formulas can call.
#[derive(Serialize, tsify::Tsify)]
pub struct FunctionHelp {
    /// Its name.
    name: &'static str,
    /// Its parameters with their defaults.
    parameters: &'static str,
    /// What it gives, in one line.
    help: &'static str,
}

/// What the instruction table says about an opcode, written with its suffixes.
#[wasm_bindgen(unchecked_return_type = "OpcodeHelp | undefined")]
pub fn explain(opcode: &str) -> Result<JsValue, JsError> {
    let mut parts = opcode.split('.');
    let base = parts.next().unwrap_or_default();
    let suffixes: Vec<&str> = parts.collect();
    let help = isa::row_for(base, &suffixes).map(|row| OpcodeHelp {
        form: row.forms.first().copied().unwrap_or(row.name),
        summary: row.summary,
        real: row.real,
        section: row.section,
        supported: row.support == isa::Support::Full,
    });
    Ok(serde_wasm_bindgen::to_value(&help)?)
}

/// The functions of formulas.
#[wasm_bindgen(unchecked_return_type = "FunctionHelp[]")]
pub fn functions() -> Result<JsValue, JsError> {
    let rows = FUNCTIONS.iter().map(|row| FunctionHelp {
        name: row.name,
        parameters: row.parameters,
        help: row.help,
    });
    Ok(serde_wasm_bindgen::to_value(&rows.collect::<Vec<_>>())?)
}
