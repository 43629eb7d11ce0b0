//! Plants mutants into a copy of the sources, each behind a switch.
//!
//! Usage: `warpproof-mutants CRATE_ROOT < MUTANTS.json > PLANTED.json`
//!
//! The mutants are those that `cargo mutants --list --json` names, numbered by `id`. Building one
//! program for each of them takes minutes; here all of them go into one program, and the
//! environment variable `WARPPROOF_MUTANT` says which one of them lives (`switch.rs`). Writes the
//! numbers of those that were planted.
//!
//! Not planted: what stands in constants, constant functions and macros, where nothing can be
//! switched; guards with `let`; values of functions that return `impl Trait`; and what overlaps a mutant planted before.

use proc_macro2::{LineColumn, Span};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The module that the switches are in, added to the crate.
const SWITCH: &str = include_str!("switch.rs");

#[derive(Deserialize)]
struct Mutant {
    id: u32,
    /// Relative to the repository.
    file: String,
    genre: String,
    replacement: String,
    span: Place,
}

#[derive(Deserialize)]
struct Place {
    start: Point,
}

/// Line and column, both from 1.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
struct Point {
    line: usize,
    column: usize,
}

impl From<LineColumn> for Point {
    fn from(at: LineColumn) -> Point {
        Point { line: at.line, column: at.column + 1 }
    }
}

/// A change of the text: bytes that are replaced.
struct Edit {
    id: u32,
    bytes: Range<usize>,
    text: String,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("warpproof-mutants: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::args().nth(1).ok_or("usage: warpproof-mutants CRATE_ROOT < MUTANTS.json")?;
    let root = Path::new(&root);
    let mutants: Vec<Mutant> = serde_json::from_reader(std::io::stdin())?;
    let mut files: BTreeMap<&str, Vec<&Mutant>> = BTreeMap::new();
    for mutant in &mutants {
        files.entry(&mutant.file).or_default().push(mutant);
    }
    let mut planted = Vec::new();
    for (file, mutants) in files {
        let path = root.join(file);
        let text = std::fs::read_to_string(&path)?;
        let (text, ids) = plant(&text, &mutants).map_err(|error| format!("{file}: {error}"))?;
        std::fs::write(&path, text)?;
        planted.extend(ids);
    }
    let library = root.join("crate/src/lib.rs");
    let text = std::fs::read_to_string(&library)?;
    std::fs::write(&library, format!("{text}\n#[doc(hidden)]\npub mod mutants;\n"))?;
    std::fs::write(root.join("crate/src/mutants.rs"), SWITCH)?;
    planted.sort_unstable();
    println!("{}", serde_json::to_string(&planted)?);
    Ok(())
}

/// The text with the mutants that could be planted, and their numbers.
fn plant(text: &str, mutants: &[&Mutant]) -> Result<(String, Vec<u32>), syn::Error> {
    let file = syn::parse_file(text)?;
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut places: BTreeMap<Point, Vec<&Mutant>> = BTreeMap::new();
    for mutant in mutants {
        places.entry(mutant.span.start).or_default().push(mutant);
    }
    let mut planter = Planter { text, starts, places, edits: Vec::new() };
    planter.visit_file(&file);
    let mut edits = planter.edits;
    edits.sort_by_key(|edit| (edit.bytes.start, edit.bytes.end));
    let (mut result, mut ids, mut done) = (String::new(), Vec::new(), 0);
    for edit in edits {
        if edit.bytes.start < done {
            continue;
        }
        result.push_str(&text[done..edit.bytes.start]);
        result.push_str(&edit.text);
        done = edit.bytes.end;
        ids.push(edit.id);
    }
    result.push_str(&text[done..]);
    Ok((result, ids))
}

fn switch(id: u32) -> String {
    format!("crate::mutants::on({id})")
}

struct Planter<'a> {
    text: &'a str,
    /// Where each line begins, in bytes.
    starts: Vec<usize>,
    places: BTreeMap<Point, Vec<&'a Mutant>>,
    edits: Vec<Edit>,
}

impl Planter<'_> {
    /// The first mutant of a genre at a place.
    fn mutant(&self, at: LineColumn, genre: &str) -> Option<(u32, String)> {
        let here = self.places.get(&at.into())?;
        let mutant = here.iter().find(|mutant| mutant.genre == genre)?;
        Some((mutant.id, mutant.replacement.clone()))
    }

    fn byte(&self, at: LineColumn) -> usize {
        let start = self.starts[at.line - 1];
        let line = &self.text[start..];
        start + line.char_indices().nth(at.column).map_or(line.len(), |(byte, _)| byte)
    }

    fn bytes(&self, span: Span) -> Range<usize> {
        self.byte(span.start())..self.byte(span.end())
    }

    fn source(&self, span: Span) -> &str {
        &self.text[self.bytes(span)]
    }

    fn replace(&mut self, id: u32, span: Span, text: String) {
        let bytes = self.bytes(span);
        self.edits.push(Edit { id, bytes, text });
    }

    fn insert(&mut self, id: u32, at: LineColumn, text: String) {
        let byte = self.byte(at);
        self.edits.push(Edit { id, bytes: byte..byte, text });
    }

    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        if signature.constness.is_some() {
            return;
        }
        // A function that returns `impl Trait` returns one type, and an early return would be another.
        let opaque = matches!(&signature.output, syn::ReturnType::Type(_, kind) if self.source(kind.span()).contains("impl "));
        if let Some(first) = block.stmts.first()
            && !opaque
            && let Some((id, value)) = self.mutant(first.span().start(), "FnValue")
        {
            self.insert(id, first.span().start(), format!("if {} {{ return {value}; }}\n", switch(id)));
        }
        visit::visit_block(self, block);
    }
}

impl<'ast> Visit<'ast> for Planter<'_> {
    // Where nothing can be switched.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_variant(&mut self, _: &'ast syn::Variant) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.body(&item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.body(&item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.body(&item.sig, block);
        }
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if let Some((id, other)) = self.mutant(binary.op.span().start(), "BinaryOperator")
            && !has_let(&binary.left)
            && !has_let(&binary.right)
        {
            let (left, right) = (self.source(binary.left.span()), self.source(binary.right.span()));
            let op = self.source(binary.op.span());
            let text = format!(
                "(if {} {{ ({left}) {other} ({right}) }} else {{ ({left}) {op} ({right}) }})",
                switch(id)
            );
            self.replace(id, binary.span(), text);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        if let Some((id, _)) = self.mutant(unary.span().start(), "UnaryOperator") {
            let (all, operand) = (self.source(unary.span()), self.source(unary.expr.span()));
            let text = format!("(if {} {{ {operand} }} else {{ {all} }})", switch(id));
            self.replace(id, unary.span(), text);
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let start = arm.pat.span().start();
        if let Some((id, _)) = self.mutant(start, "MatchArm") {
            match &arm.guard {
                None => self.insert(id, arm.pat.span().end(), format!(" if !{}", switch(id))),
                Some((_, guard)) if !has_let(guard) => {
                    let text = format!("(!{} && ({}))", switch(id), self.source(guard.span()));
                    self.replace(id, guard.span(), text);
                }
                Some(_) => {}
            }
        }
        if let Some((_, guard)) = &arm.guard
            && let Some((id, value)) = self.mutant(guard.span().start(), "MatchArmGuard")
            && !has_let(guard)
        {
            let text = format!("(if {} {{ {value} }} else {{ {} }})", switch(id), self.source(guard.span()));
            self.replace(id, guard.span(), text);
        }
        visit::visit_arm(self, arm);
    }
}

/// Whether an expression binds names by `let`, as conditions may.
fn has_let(expr: &syn::Expr) -> bool {
    struct Finder(bool);
    impl<'ast> Visit<'ast> for Finder {
        fn visit_expr_let(&mut self, _: &'ast syn::ExprLet) {
            self.0 = true;
        }
        fn visit_expr_block(&mut self, _: &'ast syn::ExprBlock) {}
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    }
    let mut finder = Finder(false);
    finder.visit_expr(expr);
    finder.0
}
