//! Verdicts and their sentences, from what a report lists.
//!
//! Guarantees: good news need every element that is compared; what is open is never counted in.

use super::bind::Bound;
use super::expression::Side;
use super::model::*;
use crate::diag::Code;
use crate::ir::Kernel;
use crate::sim::Run;

/// A verdict and its sentence.
pub struct Verdicts {
    pub verdict: Verdict,
    pub summary: String,
}

#[cold]
pub fn single_verdict(kernel: &Kernel, report: &Report) -> Verdicts {
    let outputs: u64 = report.outputs.iter().map(|output| output.elements).sum();
    let writes = match outputs {
        0 => "it writes no output".to_owned(),
        1 => "it writes 1 output element".to_owned(),
        many => format!("it writes {many} output elements"),
    };
    let summary = format!(
        "`{}` runs without data races, deadlocks, or accesses out of bounds; {writes}.",
        kernel.title()
    );
    Verdicts { verdict: Verdict::RaceFree, summary }
}

pub fn pair_verdict(sides: [Side<'_>; 2], report: &mut Report) -> Verdicts {
    let [reference, optimized] = sides.map(|side| match side.kernel.formula {
        true => "the formula".to_owned(),
        false => format!("`{}`", side.kernel.title()),
    });
    let reference = capital(&reference);
    let in_reference = if sides[0].kernel.formula { "by the formula" } else { "in the reference" };
    let sum = |count: fn(&OutputReport) -> u64| report.outputs.iter().map(count).sum::<u64>();
    let (elements, different, unknown) = (sum(|o| o.elements), sum(|o| o.different), sum(|o| o.unknown));
    let first =
        |answer: Answer| report.outputs.iter().flat_map(|o| &o.groups).find(|group| group.answer == answer);
    if different > 0 {
        let summary = match (&report.counterexample, first(Answer::Different)) {
            (Some(c), _) => format!(
                "{reference} and {optimized} differ: there are inputs for which `{}` is {} {in_reference} and {} in the optimized kernel.",
                c.element, c.reference_value, c.optimized_value
            ),
            (None, Some(group)) => {
                format!("{reference} and {optimized} differ at {}.", group.place_and_reason())
            }
            (None, None) => format!("{reference} and {optimized} differ."),
        };
        return Verdicts { verdict: Verdict::NotEquivalent, summary };
    }
    if unknown > 0 {
        let group = first(Answer::Unknown);
        let hint = group.and_then(|group| group.hint.clone());
        let why = group.map_or_else(String::new, |group| format!(" {}.", group.place_and_reason()));
        report.hint = hint;
        let summary = match elements - unknown {
            0 => format!("No proof and no counterexample was found.{why}"),
            equal => format!(
                "{equal} of {elements} output elements are equal; {unknown} could not be decided.{why}"
            ),
        };
        return Verdicts { verdict: Verdict::Unknown, summary };
    }
    if elements == 0 {
        report.hint = Some("check the roles, the shapes and the launch: an output needs role = \"out\" or a kernel that writes it".to_owned());
        let summary = "There is nothing to compare: neither kernel writes an output.".to_owned();
        return Verdicts { verdict: Verdict::Unknown, summary };
    }
    let tensors = report
        .outputs
        .iter()
        .filter(|output| output.elements > 0)
        .map(|output| format!("`{}`", output.tensor));
    let tensors: Vec<_> = tensors.collect();
    let count = if elements == 1 { "element".to_owned() } else { format!("{elements} elements") };
    let close = sum(|o| o.close);
    if close > 0 {
        let summary = format!(
            "{reference} and {optimized} compute the same {count} of {} up to the rounding of constants: {}.",
            tensors.join(", "),
            match close == elements {
                true => bound(report),
                false => format!("{} are equal; of the others, {}", elements - close, bound(report)),
            }
        );
        return Verdicts { verdict: Verdict::EqualUpToRounding, summary };
    }
    let summary = format!(
        "{reference} and {optimized} compute the same {count} of {} over the real numbers.",
        tensors.join(", ")
    );
    Verdicts { verdict: Verdict::Equivalent, summary }
}

/// How far outputs that are equal up to rounding may be apart.
#[cold]
fn bound(report: &Report) -> String {
    format!(
        "with the constants as written they differ by no more than {:.1e} of the largest coefficient, or of their \
         values at plain inputs, and the rounding of constants explains that",
        report.rounding_bound.unwrap_or(f64::INFINITY)
    )
}

#[cold]
pub fn fault_name(verdict: Verdict, code: Code) -> &'static str {
    match verdict {
        Verdict::NotStructured if code == Code::U004 => "Depends on the schedule",
        Verdict::NotStructured if code == Code::U005 => "Waits for CTAs that are not run",
        Verdict::DataRace => "Data race",
        Verdict::Deadlock => "Deadlock",
        Verdict::BarrierDivergence => "Barrier divergence",
        Verdict::OutOfBounds => "Out of bounds",
        Verdict::Misaligned => "Misaligned access",
        Verdict::UninitializedRead => "Uninitialized read",
        Verdict::ContractViolated if code == Code::A002 => "A contract is broken",
        Verdict::ContractViolated => "The kernel stops itself",
        Verdict::NotStructured => "Depends on input data",
        Verdict::Unsupported => "Unsupported",
        Verdict::ResourceLimit => "Budget exhausted",
        Verdict::Cancelled => "Stopped",
        Verdict::InvalidSpec => "Impossible launch",
        _ => "Fault",
    }
}

#[cold]
pub fn fault_hint(verdict: Verdict, code: Code, bound: &Bound, runs: &[&Run]) -> Option<String> {
    let hint = match verdict {
        Verdict::NotStructured if code == Code::U004 => {
            "let every order of the threads give the same, or wait until they are done"
        }
        Verdict::NotStructured if code == Code::U005 => {
            "run all CTAs of the grid: `ctas = \"all\"` in the spec"
        }
        Verdict::NotStructured => {
            "set `contents` in the spec for the tensor that it depends on, or bound its values: `requires = \
             [\"all(0 <= TENSOR) and all(TENSOR < 1000)\"]` under [contracts]"
        }
        Verdict::Unknown => "set `contents` in the spec for the tensor that the condition reads",
        _ => return None,
    };
    let mut hint = hint.to_owned();
    let read =
        |at: usize| runs.iter().any(|run| run.tensors.iter().any(|state| state.tensor == at && state.read));
    let variables = bound.tensors.iter().enumerate();
    let variables = variables.filter(|(at, tensor)| tensor.is_left_to_the_host() && read(*at));
    for (_, tensor) in variables {
        let name = &tensor.name;
        hint += &format!(
            "; `{name}` is a module variable: write its `contents`, or `initial = \"as declared\"`, under [tensors.{name}]"
        );
    }
    Some(hint)
}

pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
