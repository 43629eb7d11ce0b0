//! What a spec file says, and what it is told when it says it wrongly.

use super::*;
use crate::base::{Format, Span};

const DESIGN: &str = r#"
[launch]
grid = [1, 1, 1]
block = [64, 1, 1]
ctas = [[0, 0, 0]]
dynamic_shared = 0
[reference]
entry = "gemm_ref"
block = [16, 16]
args = ["A", "B", "C", "K"]
[optimized]
args = ["A", { tensor = "B", type = "f16" }, { fields = [[0, "C"], [8, 64]] }, 64]
[tensors.B]
type = "f32"
shape = [16, 64]
role = "in"
[tensors.A]
contents = [[0, 1.5], [2, -3]]
[scalars]
K = 64
alpha = { type = "f32" }
[options]
exact_constants = true
same_value_stores_race = true
"#;

/// Without positions: two spellings of one spec become equal.
fn bare(mut spec: Spec) -> Spec {
    for patch in [&mut spec.launch, &mut spec.reference.launch, &mut spec.optimized.launch] {
        patch.span = None;
    }
    spec.reference.span = None;
    spec.optimized.span = None;
    spec.tensors.iter_mut().for_each(|tensor| tensor.span = Span::default());
    spec.scalars.iter_mut().for_each(|scalar| scalar.span = Span::default());
    spec
}

/// The only complaint about a spec: the text it points at, and what it says.
fn complaint(text: &str) -> (String, String) {
    let (_, diagnostics) = parse(text);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    let diagnostic = &diagnostics[0];
    let span = diagnostic.primary.as_ref().expect("a place").span;
    let notes = diagnostic.notes.iter().map(|note| format!("; {note}")).collect::<String>();
    (span.text(text).to_owned(), format!("{}{notes}", diagnostic.message))
}

#[test]
fn the_example_of_the_readme_reads_as_written() {
    let (spec, diagnostics) = parse(DESIGN);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(spec.launch.block, Some([64, 1, 1]));
    assert_eq!(spec.reference.launch.block, Some([16, 16, 1]));
    let names: Vec<_> = spec.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    assert_eq!(names, ["B", "A"], "file order");
    let args = spec.optimized.args.as_ref().unwrap();
    assert_eq!(args[1], Argument::Tensor { tensor: "B".into(), format: Some(Format::F16), offset: 0 });
    assert_eq!(args[3], Argument::Literal(Literal::Integer(64)));
    assert_eq!(spec.scalars[1].value, Err(Format::F32));
    assert!(spec.options.exact_constants && spec.options.same_value_stores_race);
}

#[test]
fn printing_and_reading_back_changes_nothing() {
    let (mut spec, _) = parse(DESIGN);
    spec.tensors[0].name = "odd \"name\"\n".into();
    spec.tensors[0].contents = Some(Contents::Fill(Literal::Float(1.0)));
    spec.tensors[1].contents = Some(Contents::Declared);
    let printed = print(&spec);
    let (again, diagnostics) = parse(&printed);
    assert!(diagnostics.is_empty(), "{printed}\n{diagnostics:?}");
    assert_eq!(bare(again.clone()), bare(spec));
    assert_eq!(print(&again), printed);
}

#[test]
fn an_empty_spec_is_a_spec() {
    assert_eq!(parse(""), (Spec::default(), Vec::new()));
    assert_eq!(print(&Spec::default()), "");
}

#[test]
fn what_is_wrong_is_pointed_at() {
    let cases = [
        ("[launch]\nblok = [1]", "blok", "[launch] has no key `blok`; did you mean `block`?"),
        ("[launch]\nblock = 0", "0", "`block` must be from 1 to 1024, not 0"),
        ("[launch]\nblock = [64, -1]", "-1", "`block y` must be from 1 to 1024, not -1"),
        ("[launch]\nblock = [64, 32]", "[64, 32]", "a block has at most 1024 threads, this one has 2048"),
        ("[launch]\ngrid = [1,1,1,1]", "[1,1,1,1]", "`grid` has one to three numbers (x, y, z), not 4"),
        (
            "[launch]\ngrid = 2\nctas = [[2]]",
            "launch",
            "CTA [2, 0, 0] is outside the grid of 2×1×1 (it counts from 0)",
        ),
        (
            "[launch]\ndynamic_shared = 999999",
            "999999",
            "`dynamic_shared` must be from 0 to 232448, not 999999",
        ),
        ("[tensors.A]\ntype = \"float\"", "\"float\"", "`float` is not a type; did you mean `f32`?"),
        (
            "[tensors.A]\nshape = [4194304, 4194304]",
            "[4194304, 4194304]",
            "a tensor has at most 4398046511104 elements",
        ),
        ("[tensors.A]\nshape = 4\nstrides = [1, 2]", "[1, 2]", "2 strides for 1 dimensions"),
        (
            "[tensors.A]\ninitial = \"zero\"",
            "\"zero\"",
            "`initial` is \"as declared\": what the PTX declares",
        ),
        (
            "[tensors.A]\ncontents = 1\ninitial = \"as declared\"",
            "initial",
            "a tensor has `contents` or `initial`, not both",
        ),
        (
            "[tensors.A]\nshape = 3\ncontents = [1, 2]",
            "[1, 2]",
            "`contents` has 2 numbers, the shape has 3 elements",
        ),
        (
            "[tensors.A]\nrole = \"output\"",
            "\"output\"",
            "`role` is \"in\", \"out\" or \"inout\", not \"output\"",
        ),
        ("[scalars]\nn = \"x\"", "\"x\"", "`n` must be a number, not a string"),
        ("[tensors.n]\n[scalars]\nn = 1", "n", "`n` is both a tensor and a scalar"),
        (
            "[options]\nexact_constant = true",
            "exact_constant",
            "[options] has no key `exact_constant`; did you mean `exact_constants`?",
        ),
        (
            "[reference]\nargs = [{ type = \"f16\" }]",
            "{ type = \"f16\" }",
            "this argument does not say which tensor: add `tensor = \"…\"`",
        ),
        ("tensors = 3", "3", "`tensors` must be a table, not an integer"),
    ];
    for (text, at, message) in cases {
        assert_eq!(complaint(text), (at.to_owned(), message.to_owned()), "{text}");
    }
}

#[test]
fn broken_toml_is_a_diagnostic() {
    let (_, diagnostics) = parse("[launch\nblock = 1");
    assert!(!diagnostics.is_empty());
    let deep = format!("[scalars]\nn = {}", "[".repeat(100_000));
    assert!(!parse(&deep).1.is_empty());
}
