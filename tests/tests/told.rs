//! Kernels tell their formulas (`warpproof formula`): what is told is the textbook's formula, and is proved; what
//! has no short one says so. What is written for NumPy is run by NumPy: `formulas/told.txt`.

use warpproof::base::Budget;
use warpproof::formula::{Dialect, parse, write};
use warpproof::report::{self, Input, RunOptions, Telling, Verdict};
use warpproof_tests::corpus::{self, Texts};

fn texts(name: &str) -> Texts {
    let case = corpus::cases().into_iter().find(|case| case.name == name);
    case.unwrap_or_else(|| panic!("no case {name}")).read().expect("readable")
}

fn told(texts: &Texts) -> Telling {
    report::tell(
        &Input { reference: None, single: true, ..texts.input() },
        &RunOptions::default(),
        &Budget::default(),
    )
}

/// The formula that a case's optimized kernel tells, proved once more as a user would write it.
fn formula(name: &str) -> Option<String> {
    let texts = texts(name);
    let telling = told(&texts);
    let formula = telling.formula.clone()?;
    assert!(!telling.checked.is_empty(), "{name}: told, but not checked");
    let (mut spec, _) = warpproof::spec::parse(&texts.spec);
    spec.reference = Default::default();
    spec.formula = None;
    let spec = warpproof::spec::print(&spec);
    let input = Input {
        reference: Some(&formula),
        optimized: &texts.optimized.0,
        spec: Some(&spec),
        ..Input::default()
    };
    let report = report::check(&input, &RunOptions::default(), &Budget::default()).report;
    assert_eq!(report.verdict, Verdict::Equivalent, "{name}: {formula}\n{}", report.summary);
    Some(formula)
}

/// The textbook's formulas, written by hand.
const TOLD: &[(&str, &str)] = &[
    ("equivalent/elementary/elu_is_elu_by_exp", "y = elu(x)"),
    ("equivalent/elementary/mish_is_mish_by_exp", "y = mish(x)"),
    ("equivalent/elementary/silu_by_exp_is_silu_by_tanh", "y = silu(x)"),
    ("equivalent/elementary/softplus_is_softplus_stable", "y = softplus(x)"),
    ("equivalent/formula/gelu", "y = gelu(x)"),
    ("equivalent/formula/gelu_tanh", "y = gelu(x, approximate='tanh')"),
    ("equivalent/formula/layer_norm_welford", "y = layer_norm(x, gamma, beta, eps=1e-5)"),
    ("equivalent/formula/rms_norm", "y = rms_norm(x, w, eps=1e-6)"),
    ("equivalent/formula/running_sum", "out = cumsum(x, axis=-1)"),
    ("equivalent/formula/softmax_online", "y = softmax(x, axis=-1)"),
    ("equivalent/formula/swiglu", "y = silu(gate) * up"),
    ("equivalent/formula/transpose", "out = in.T"),
    ("equivalent/formula/product_mma", "C = A @ B"),
    ("equivalent/formula/flash1_small", "O = softmax(Q @ K.T / 2, axis=-1) @ V"),
    ("equivalent/attention/four_keys_plain_vs_flash1", "O = softmax(Q @ K.T / 2, axis=-1) @ V"),
    ("equivalent/layernorm/n64_two_pass_vs_one_pass", "y = layer_norm(x, gamma, beta, eps=1e-5)"),
    ("equivalent/reduction/dot_kahan", "out = x @ y"),
    ("equivalent/reduction/max", "out = max(x)"),
    ("equivalent/reduction/serial_vs_shuffle_down", "out = sum(x)"),
    (
        "equivalent/triton/flash_causal",
        "O = softmax(where((arange(16) + 8)[:, None] >= arange(32), Q @ K.T / 4, -inf), axis=-1) @ V",
    ),
    ("equivalent/triton/softmax_n100", "y = softmax(x, axis=-1)"),
];

#[test]
fn kernels_tell_the_formulas_of_the_textbook() {
    let mut wrong = Vec::new();
    for (name, expected) in TOLD {
        let found = formula(name);
        if found.as_deref() != Some(*expected) {
            wrong.push(format!("{name}: {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_has_no_name_is_told_with_letters() {
    // A convolution by an implicit matrix product, channels last, with zeros around the image.
    let found = formula("equivalent/formula/convolution").expect("a formula");
    assert!(found.starts_with("y[i, j, m] = sum("), "{found}");
    assert!(found.contains("if 0 <= ") && found.contains("else 0"), "{found}");
}

#[test]
fn what_has_no_short_formula_says_so() {
    // A table of sixty-four angles, computed by the kernel.
    let telling = told(&texts("equivalent/rope/powf_vs_exp2f_fast"));
    assert_eq!(telling.formula, None);
    assert_eq!(telling.exit_status(), 2);
    assert!(telling.summary().starts_with("No short formula was found"), "{}", telling.summary());
    assert!(telling.report.outputs.iter().all(|output| !output.groups.is_empty()));
}

#[test]
fn a_kernel_with_a_fault_tells_nothing() {
    let name = corpus::cases().into_iter().find(|case| case.expected == "data_race").expect("a race").name;
    let telling = told(&texts(&name));
    assert_eq!(telling.formula, None);
    assert_eq!(telling.report.verdict, Verdict::DataRace, "{name}");
    assert!(telling.exit_status() == 1 && telling.checked.is_empty());
}

#[test]
fn other_sizes_are_checked_where_the_spec_has_them() {
    let telling = told(&texts("equivalent/formula/gelu"));
    assert!(telling.checked.len() > 1, "{:?}", telling.checked);
    assert_ne!(telling.checked[0].sizes, telling.checked[1].sizes);
}

/// The programs of `told.txt` are those that are written today (`UPDATE_EXPECT=1` puts them there, and
/// `told.py` runs them); `formulas.rs` compares the values.
#[test]
fn programs_for_numpy_are_those_that_numpy_ran() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/formulas/told.txt");
    let text = std::fs::read_to_string(path).expect("told.txt");
    let cases: Vec<String> = text.trim_end().split("\n\n").map(with_its_program).collect();
    let today = cases.join("\n\n") + "\n";
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &today).expect("told.txt is written");
    }
    assert!(today == text, "the programs for NumPy are others: see tests/formulas/told.py");
    assert!(cases.len() > 15, "{} cases", cases.len());
}

/// A case of `told.txt` with the program that is written for its formula today.
fn with_its_program(case: &str) -> String {
    let lines = |marks: &[&str]| -> Vec<&str> {
        case.lines().filter(|line| marks.iter().any(|mark| line.starts_with(mark))).collect()
    };
    let code: Vec<&str> = lines(&["| "]).into_iter().map(|line| &line[2..]).collect();
    let code = code.join("\n");
    let extents = |line: &&str| -> (String, Vec<u64>) {
        let words: Vec<&str> = line.split(' ').collect();
        let extents = words[3].trim_matches(['(', ')']).split(',');
        (words[1].to_owned(), extents.map(|extent| extent.parse().expect("an extent")).collect())
    };
    let shapes: Vec<(String, Vec<u64>)> = lines(&["< ", "> "]).iter().map(extents).collect();
    let shape = |name: &str| shapes.iter().find(|(known, _)| known == name).map(|(_, shape)| shape.clone());
    let (program, problems) = parse(&code);
    assert!(problems.is_empty(), "{code}: {problems:?}");
    let written = write(&program, Dialect::NumPy, &shape).expect("a program");
    let ran: Vec<String> =
        written.trim_end().lines().map(|line| format!(": {line}").trim_end().to_owned()).collect();
    let ran: Vec<&str> = ran.iter().map(String::as_str).collect();
    [lines(&["| "]), ran, lines(&["< ", "> "])].concat().join("\n")
}

#[test]
fn formulas_read_as_pytorch_and_latex() {
    let shape = |name: &str| ["y", "x", "w", "b", "Q", "K", "V", "O"].contains(&name).then(|| vec![4, 8]);
    let written = |code: &str, dialect| write(&parse(code).0, dialect, &shape).expect("a text");
    let torch = |code: &str| written(code, Dialect::PyTorch).lines().last().unwrap_or_default().to_owned();
    assert_eq!(torch("y = softmax(x, axis=-1)"), "y = torch.softmax(x, dim=-1)");
    assert_eq!(torch("y = sum(x, axis=0, keepdims=True)"), "y = torch.sum(x, dim=0, keepdim=True)");
    assert_eq!(torch("y = maximum(x, 0)"), "y = torch.clamp(x, min=0)");
    assert_eq!(
        torch("y = layer_norm(x, w, b, eps=1e-5)"),
        "y = F.layer_norm(x, (x).shape[-1:], w, b, eps=1e-5)"
    );
    assert_eq!(torch("y = x / sqrt(2)"), "y = x / math.sqrt(2)");
    let latex = |code: &str| written(code, Dialect::Latex).lines().nth(1).unwrap_or_default().to_owned();
    assert_eq!(
        latex("O = softmax(Q @ K.T / 8, axis=-1) @ V"),
        "O &= \\operatorname{softmax}\\left(\\frac{Q K^{\\top}}{8},\\, \\text{axis}=-1\\right) V"
    );
    assert_eq!(
        latex("y[i, j] = sum(k: x[i, k] * w[k, j])"),
        "y_{i, j} &= \\sum_{k} x_{i, k} \\cdot w_{k, j}"
    );
    assert_eq!(latex("y = exp(x) / 2"), "y &= \\frac{e^{x}}{2}");
}
