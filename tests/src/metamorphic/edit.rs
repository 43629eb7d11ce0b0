//! Where a kernel stores floats, and how code is put before such a store.

use std::fmt::Write;
use warpproof::base::{Format, Source};
use warpproof::syntax::{
    self,
    ast::{Block, Function, Module, OperandKind, RegisterDeclaration, Statement, Type},
};

/// A store that can be changed.
#[derive(Clone, Debug)]
pub struct Site {
    /// Where its instruction begins, in bytes: at its guard, if it has one.
    pub start: usize,
    /// Where the stored register stands.
    pub value: (usize, usize),
    /// The guard as written, with a blank behind it; or nothing.
    pub guard: String,
}

/// What can be changed in an entry.
#[derive(Clone, Debug)]
pub struct Sites {
    /// Names of its parameters.
    pub parameters: Vec<String>,
    /// Just before the entry, and just inside its body.
    before: usize,
    inside: usize,
    /// Stores of `f32` to global memory.
    pub stores: Vec<Site>,
}

/// Lines for the module, and code that makes `%meta_v` of `%meta_in`.
pub struct Change {
    pub module: Vec<String>,
    pub code: Vec<String>,
}

/// What every changed entry declares.
const REGISTERS: &str = "\n.reg .pred %meta_c, %meta_d;\n.reg .b16 %meta_h;\n\
    .reg .f32 %meta_in, %meta_v, %meta_x, %meta_y;\n.reg .b64 %meta_p, %meta_q;\n\
    .local .align 16 .b8 meta_l[16];\n";

/// The places in an entry (the first one, if none is named); `None` if there is no store of a float
/// register, or the text is not good PTX.
pub fn sites(text: &str, entry: Option<&str>) -> Option<Sites> {
    let parsed = syntax::parse(Source::Optimized, text);
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    let module = &parsed.module;
    let named = |function: &&Function| {
        function.is_entry && entry.is_none_or(|entry| module.names[function.name.name] == *entry)
    };
    let function = module.functions().find(named)?;
    let body = function.body.as_ref()?;
    let parameters = function.parameters.iter().filter_map(|parameter| parameter.name);
    let mut sites = Sites {
        parameters: parameters.map(|name| module.names[name.name].to_owned()).collect(),
        before: function.span.start as usize,
        inside: body.span.start as usize + 1,
        stores: Vec::new(),
    };
    let mut floats = Vec::new();
    registers(module, body, &mut floats);
    stores(text, module, body, &floats, &mut sites.stores);
    (!sites.stores.is_empty()).then_some(sites)
}

/// Names and prefixes of registers that hold an `f32`.
fn registers(module: &Module, block: &Block, floats: &mut Vec<(String, bool)>) {
    let note = |declaration: &RegisterDeclaration, floats: &mut Vec<(String, bool)>| {
        if declaration.ty == Type::Scalar(Format::F32) && declaration.vector.is_none() {
            let name =
                |at: &syntax::ast::RegisterName| (module.names[at.name].to_owned(), at.count.is_some());
            floats.extend(declaration.names.iter().map(name));
        }
    };
    for statement in &block.statements {
        match statement {
            Statement::Registers(declaration) => note(declaration, floats),
            Statement::Block(inner) => registers(module, inner, floats),
            _ => {}
        }
    }
}

fn stores(text: &str, module: &Module, block: &Block, floats: &[(String, bool)], found: &mut Vec<Site>) {
    let is_float = |name: &str| {
        floats.iter().any(|(prefix, many)| match many {
            true => name
                .strip_prefix(prefix.as_str())
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())),
            false => name == prefix,
        })
    };
    for statement in &block.statements {
        match statement {
            Statement::Block(inner) => stores(text, module, inner, floats, found),
            Statement::Instruction(instruction) => {
                let opcode = module.opcode(instruction.opcode);
                let suffixes: Vec<&str> = opcode.suffixes().collect();
                if opcode.base() != "st" || suffixes.first() != Some(&"global") {
                    continue;
                }
                let values: Vec<&syntax::ast::Operand> = match instruction.operands.get(1) {
                    Some(operand) => match &operand.kind {
                        OperandKind::Vector(elements) => elements.iter().collect(),
                        _ => vec![operand],
                    },
                    None => continue,
                };
                // One element of a vector is enough.
                let Some(value) = values.first() else { continue };
                let OperandKind::Name(name) = value.kind else { continue };
                if !is_float(&module.names[name]) {
                    continue;
                }
                let guard = instruction.guard.map_or(String::new(), |guard| {
                    format!("{} ", &text[guard.span.start as usize..guard.span.end as usize])
                });
                let start = instruction
                    .guard
                    .map_or(instruction.span.start, |guard| guard.span.start.min(instruction.span.start));
                found.push(Site {
                    start: start as usize,
                    value: (value.span.start as usize, value.span.end as usize),
                    guard,
                });
            }
            _ => {}
        }
    }
}

/// The text with the code before each of its stores, which then store `%meta_v`.
pub fn apply(text: &str, sites: &Sites, change: &Change) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    out.push_str(&text[..sites.before]);
    for line in &change.module {
        let _ = writeln!(out, "{line}");
    }
    out.push_str(&text[sites.before..sites.inside]);
    out.push_str(REGISTERS);
    let mut at = sites.inside;
    for store in &sites.stores {
        out.push_str(&text[at..store.start]);
        let _ = writeln!(out, "mov.f32 %meta_in, {};", &text[store.value.0..store.value.1]);
        for line in &change.code {
            // What is done for the store is done under its guard.
            let guard = if line.starts_with('@') { "" } else { store.guard.as_str() };
            let _ = writeln!(out, "{guard}{line}");
        }
        out.push_str(&text[store.start..store.value.0]);
        out.push_str("%meta_v");
        at = store.value.1;
    }
    out.push_str(&text[at..]);
    out
}
