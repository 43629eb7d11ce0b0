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
optimized_may_require = false
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
    spec.views.iter_mut().for_each(|view| view.span = Span::default());
    for axis in spec.sweep.iter_mut().flat_map(|sweep| &mut sweep.axes) {
        (axis.span, axis.values_span) = (Span::default(), Span::default());
    }
    spec.sweep.iter_mut().flat_map(|sweep| &mut sweep.when).for_each(|when| when.span = Span::default());
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
    assert_eq!(spec.options.optimized_may_require, Some(false));
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
            "`role` is \"in\", \"out\", \"inout\" or \"scratch\", not \"output\"",
        ),
        (
            "[scalars]\nn = \"x\"",
            "\"x\"",
            "`n`: `x` is not the name of a known integer; give it a value: `x = 64` under [scalars], or \
             `x = \"1..65\"` under [sweep]",
        ),
        ("[scalars]\nn = [1]", "[1]", "`n` must be a number, not an array"),
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
        (
            "[reference]\nargs = [{ texture = \"x\", filter = \"liner\" }]",
            "\"liner\"",
            "`filter` is not \"liner\"; did you mean \"linear\"?",
        ),
        (
            "[reference]\nargs = [{ surface = \"x\", address = \"clamp\" }]",
            "address",
            "a surface is not sampled: it has neither filter nor address mode",
        ),
        (
            "[reference]\nargs = [{ texture = \"x\", surface = \"y\" }]",
            "surface",
            "a view is a `texture` or a `surface`, not both",
        ),
        ("[views.t]\ntexture = \"x\"\nchannels = 3", "3", "a texel has 1, 2 or 4 channels"),
        (
            "[views.t]\naddress = []",
            "[]",
            "`address` has one mode, or one for each of up to three coordinates",
        ),
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

#[test]
fn textures_and_surfaces_are_read_and_written() {
    let text = "[optimized]\nargs = [{ texture = \"image\", type = \"u8\", channels = 4, filter = \"linear\", \
                address = [\"wrap\", \"clamp\"], normalized = true, read = \"normalized_float\" }, \
                { surface = \"out\" }, { fields = [[0, { texture = \"table\" }]] }]\n\n\
                [views.smooth]\nfilter = \"linear\"\naddress = \"mirror\"\n";
    let (spec, diagnostics) = parse(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(print(&spec), text);
    assert_eq!(spec.views[0].view.filter, Some(super::Filter::Linear));
    let Some([Argument::View(image), Argument::View(out), _]) = spec.optimized.args.as_deref() else {
        panic!("{spec:?}");
    };
    assert_eq!((image.tensor.as_deref(), image.address.len(), image.surface), (Some("image"), 2, false));
    assert!(out.surface);
}

const SWEPT: &str = r#"
[launch]
grid = ["(N + block - 1) // block"]
block = "block"
ctas = [["(N - 1) // block"]]
dynamic_shared = "4 * M"
[optimized]
args = ["x", { tensor = "y", offset = "N % 4" }, "N", "2 * N + 1", { fields = [[0, "x"], [8, "N - 1"]] }]
[tensors.x]
shape = ["N", "2 * K"]
strides = ["K * 2", 1]
[tensors.y]
shape = "max(N, 4)"
[scalars]
K = 4
M = "N * K"
[sweep]
N = "30..33"
block = [64, 32, 32]
when = "N % 2 == 0 and block > K"
"#;

#[test]
fn a_sweep_is_read_as_its_first_combination() {
    let (spec, diagnostics) = parse(SWEPT);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let sweep = spec.sweep.as_ref().unwrap();
    assert_eq!(sweep.combinations, [[30, 32], [30, 64], [32, 32], [32, 64]]);
    assert_eq!(spec.launch.grid, Some([1, 1, 1]));
    assert_eq!(spec.launch.block, Some([32, 1, 1]));
    assert_eq!(spec.launch.ctas, Some(Ctas::List(vec![[0, 0, 0]])));
    assert_eq!(spec.launch.dynamic_shared, Some(480));
    assert_eq!(spec.tensors[0].shape, Some(vec![30, 8]));
    assert_eq!(spec.tensors[0].strides, Some(vec![8, 1]));
    assert_eq!(spec.tensors[1].shape, Some(vec![30]));
    let names: Vec<_> = spec.scalars.iter().map(|scalar| (scalar.name.as_str(), scalar.value)).collect();
    let integer = |value| Ok(Literal::Integer(value));
    assert_eq!(names, [("K", integer(4)), ("M", integer(120)), ("N", integer(30)), ("block", integer(32))]);
    let args = spec.optimized.args.as_ref().unwrap();
    assert_eq!(args[1], Argument::Tensor { tensor: "y".into(), format: None, offset: 2 });
    assert_eq!(args[2], Argument::Name("N".into()));
    assert_eq!(args[3], Argument::Literal(Literal::Integer(61)));
    let last = Argument::Literal(Literal::Integer(29));
    assert_eq!(args[4], Argument::Struct(vec![(0, Argument::Name("x".into())), (8, last)]));
}

#[test]
fn a_combination_is_a_spec_as_a_user_would_write_it() {
    let (spec, _) = parse(SWEPT);
    let sweep = spec.sweep.as_ref().unwrap();
    for values in &sweep.combinations {
        let text = sweep.text_of(SWEPT, values);
        let by_hand = SWEPT.replace("\"30..33\"", &values[0].to_string());
        assert_eq!(text, by_hand.replace("[64, 32, 32]", &values[1].to_string()));
        let (one, diagnostics) = parse(&text);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        assert_eq!(one.tensors[0].shape, Some(vec![values[0] as u64, 8]));
        assert_eq!(one.launch.block, Some([values[1] as u32, 1, 1]));
        assert_eq!(one.sweep.unwrap().combinations, std::slice::from_ref(values));
    }
}

#[test]
fn printing_keeps_sweeps_and_expressions() {
    let (spec, _) = parse(SWEPT);
    let printed = print(&spec);
    let (again, diagnostics) = parse(&printed);
    assert!(diagnostics.is_empty(), "{printed}\n{diagnostics:?}");
    assert_eq!(bare(again), bare(spec.clone()));
    for part in [
        "grid = [\"(N + block - 1) // block\", 1, 1]",
        "shape = [\"N\", \"2 * K\"]",
        "ctas = [[\"(N - 1) // block\", 0, 0]]",
        "dynamic_shared = \"4 * M\"",
        "offset = \"N % 4\"",
        "[8, \"N - 1\"]",
        "M = \"N * K\"",
        "N = \"30..33\"",
        "when = \"N % 2 == 0 and block > K\"",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    // A number that was changed since is what is printed.
    let mut changed = spec;
    changed.tensors[0].shape = Some(vec![7, 8]);
    assert!(print(&changed).contains("shape = [7, \"2 * K\"]"));
}

#[test]
fn what_is_laid_over_a_spec_counts_in_its_expressions() {
    let over = parse("[launch]\nblock = 128\n[scalars]\nN = 32\nK = 2").0;
    let (mut spec, diagnostics) = parse_over(SWEPT, Some(&over));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    spec.overlay(&over);
    assert_eq!(spec.sweep.as_ref().unwrap().combinations, [[32, 32], [32, 64]]);
    assert_eq!(spec.tensors[0].shape, Some(vec![32, 4]));
    assert_eq!(spec.launch.block, Some([128, 1, 1]));
    let printed = print(&spec);
    assert!(printed.contains("block = [128, 1, 1]") && printed.contains("N = 32"), "{printed}");
    let odd = parse("[scalars]\nN = 31").0;
    let (_, diagnostics) = parse_over(SWEPT, Some(&odd));
    assert_eq!(diagnostics[0].message, "`when` holds for none of the 2 combinations");
    let named = parse("[scalars]\nn = 6").0;
    let (spec, diagnostics) =
        parse_over("[tensors.x]\nshape = \"m\"\n[scalars]\nm = \"2 * n\"", Some(&named));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(spec.tensors[0].shape, Some(vec![12]));
    let no_integer = parse("[scalars]\nn = 6.5").0;
    let (_, diagnostics) = parse_over("[tensors.x]\nshape = \"n\"\n[scalars]\nn = 4", Some(&no_integer));
    assert!(diagnostics[0].message.contains("`n` is not the name of a known integer"), "{diagnostics:?}");
    let half = parse("[scalars]\nN = 0.5").0;
    assert!(!parse_over(SWEPT, Some(&half)).1.is_empty());
}

#[test]
fn ranges_are_those_of_rust() {
    let values = |range: &str| {
        let (spec, diagnostics) = parse(&format!("[sweep]\nN = {range}"));
        let sweep = spec.sweep.unwrap();
        assert_eq!(diagnostics.is_empty(), !sweep.combinations.is_empty(), "{diagnostics:?}");
        sweep.combinations.into_iter().flatten().collect::<Vec<_>>()
    };
    assert_eq!(values("\"1..4\""), [1, 2, 3]);
    assert_eq!(values("\"1..=4\""), [1, 2, 3, 4]);
    assert_eq!(values("\"64..257 step 64\""), [64, 128, 192, 256]);
    assert_eq!(values("\"64..256 step 64\""), [64, 128, 192]);
    assert_eq!(values("\" -2 .. 1 \""), [-2, -1, 0]);
    assert_eq!(values("[3, 1, 3]"), [1, 3]);
    assert_eq!(values("7"), [7]);
    assert_eq!(values("\"1..257\"").len(), 256);
    assert_eq!(values("\"9223372036854775806..=9223372036854775807\"").len(), 2);
    for wrong in
        ["\"4..4\"", "\"x\"", "\"1..5 step 0\"", "\"1..5 step -1\"", "[]", "\"\"", "\"..\"", "true", "[0.5]"]
    {
        assert_eq!(values(wrong), [0i64; 0], "{wrong}");
    }
}

#[test]
fn a_sweep_that_cannot_be_used_says_what_to_write() {
    let usage = "write a list such as `[32, 64]`, or a range such as \"1..257\" (1 to 256), \"1..=256\", \"64..1025 step 64\" or \"1..\" (every size)";
    let cases = [
        ("[sweep]\nN = \"1 to 5\"", "\"1 to 5\"", format!("`N` is no list and no range of integers; {usage}")),
        (
            "[sweep]\nN = \"1..1000000000\"",
            "\"1..1000000000\"",
            "`N` takes 999999999 values; a name may take 65536; a step leaves most of them out: \"1..100000 step \
             997\"; what breaks at ragged sizes does so at small ones"
                .to_owned(),
        ),
        (
            "[sweep]\nN = \"1..1001\"\nM = \"1..1001\"",
            "N",
            "[sweep] has 1000000 combinations; at most 10000 can be asked (1000 of `N`, 1000 of `M`); give fewer \
             values, or a step: \"64..1025 step 64\"; `when = \"N % block == 0\"` chooses among them"
                .to_owned(),
        ),
        (
            "[sweep]\nN = \"1..257\"\nwhen = \"N > 300\"",
            "when",
            "`when` holds for none of the 256 combinations".to_owned(),
        ),
        (
            "[sweep]\nN = \"1..257\"\nwhen = \"N % M == 0\"",
            "\"N % M == 0\"",
            "`when`, for N = 1: `M` is not the name of a known integer; did you mean `N`?".to_owned(),
        ),
        (
            "[sweep]\nN = \"0..5\"\nwhen = \"8 % N == 0\"",
            "\"8 % N == 0\"",
            "`when`, for N = 0: this divides by zero".to_owned(),
        ),
        (
            "[sweep]\nN = \"0..5\"\n[tensors.x]\nshape = \"N\"",
            "\"N\"",
            "`shape` must be from 1 to 4398046511104, and `N` is 0; `when` under [sweep] leaves combinations out: \
             `when = \"N > 0\"`"
                .to_owned(),
        ),
        (
            "[scalars]\nK = 0\n[launch]\ngrid = \"64 // K\"",
            "\"64 // K\"",
            "`grid`: this divides by zero".to_owned(),
        ),
        (
            "[sweep]\nwhen = \"1 > 0\"",
            "when",
            "[sweep] has no names: `when` chooses among their values; give a name several values: `N = \"1..257\"`"
                .to_owned(),
        ),
        (
            "[sweep]\nmin = [1, 2]",
            "min",
            "`min` cannot be swept: expressions could not name it; a name has letters, digits and `_`, begins with a \
             letter, and is no word of the language"
                .to_owned(),
        ),
        ("[tensors.n]\n[sweep]\nn = [1, 2]", "n", "`n` is both a tensor and a scalar".to_owned()),
        ("sweep = 3", "3", "`sweep` must be a table, not an integer".to_owned()),
    ];
    for (text, at, message) in cases {
        assert_eq!(complaint(text), (at.to_owned(), message), "{text}");
    }
}

#[test]
fn a_swept_scalar_takes_the_values_of_the_sweep() {
    let (spec, diagnostics) = parse("[scalars]\nn = 64\nm = \"n + 1\"\n[sweep]\nn = \"2..5\"");
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let values: Vec<_> = spec.scalars.iter().map(|scalar| scalar.value).collect();
    assert_eq!(values, [Ok(Literal::Integer(2)), Ok(Literal::Integer(3))]);
    assert_eq!(print(&spec), "[scalars]\nn = 64\nm = \"n + 1\"\n\n[sweep]\nn = \"2..5\"\n");
}

#[test]
fn a_frozen_spec_has_its_values_and_no_expressions() {
    let text = "[tensors.x]\nshape = [\"n\", \"2 * n\"]\n[scalars]\nn = 64\nm = \"n + 1\"\n[sweep]\nn = \"2..5\"\nwhen = \"n < 4\"\n";
    let (mut spec, _) = parse(text);
    // As whoever tries a kernel at another size changes it.
    spec.scalars[0].value = Ok(Literal::Integer(7));
    spec.tensors[0].shape = Some(vec![7, 4]);
    let printed = print(&spec.frozen());
    assert_eq!(printed, "[tensors.x]\nshape = [7, 4]\n\n[scalars]\nn = 7\nm = 3\n\n[sweep]\nn = 7\n");
    let (again, diagnostics) = parse(&printed);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(bare(again.frozen()), bare(spec.frozen()));
}

#[test]
fn one_bracket_that_is_missing_is_one_error() {
    let (_, errors) = parse("[launch]\nblock = [128, 1, 1\n[tensors.x]\ntype = \"f32\"\nshape = [128]\n");
    let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
    assert_eq!(messages, ["the array before this is not closed: `]` is missing, or a comma"]);
}
