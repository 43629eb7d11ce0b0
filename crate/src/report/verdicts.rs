//! Verdicts and their sentences, from what a report lists.
//!
//! Guarantees: good news need every element that is compared; what is open is never counted in.

use super::bind::{Bound, BoundTensor};
use super::expression::Side;
use super::model::*;
use super::text::numbers::grouped;
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
        many => format!("it writes {} output elements", grouped(many)),
    };
    let title = kernel.title();
    let unbounded = unbounded(report);
    let summary = match unbounded.is_empty() {
        true => format!("`{title}` runs without data races, deadlocks, or accesses out of bounds; {writes}."),
        false => format!("`{title}` runs without data races or deadlocks; {writes}.{unbounded}"),
    };
    Verdicts { verdict: Verdict::RaceFree, summary }
}

pub fn pair_verdict(sides: [Side<'_>; 2], report: &mut Report, integers: bool) -> Verdicts {
    let [reference, optimized] = sides.map(|side| match side.kernel.formula {
        true => "the formula".to_owned(),
        false => format!("`{}`", side.kernel.title()),
    });
    // Of two kernels of one name, that is said once.
    let (both, two) = match reference == optimized {
        true => (format!("Both kernels ({optimized})"), format!("The two kernels (both {optimized})")),
        false => {
            let both = format!("{} and {optimized}", capital(&reference));
            (both.clone(), both)
        }
    };
    let in_reference = if sides[0].kernel.formula { "by the formula" } else { "in the reference" };
    let sum = |count: fn(&OutputReport) -> u64| report.outputs.iter().map(count).sum::<u64>();
    let (elements, different, unknown) = (sum(|o| o.elements), sum(|o| o.different), sum(|o| o.unknown));
    let first =
        |answer: Answer| report.outputs.iter().flat_map(|o| &o.groups).find(|group| group.answer == answer);
    if different > 0 {
        let summary = match (&report.counterexample, first(Answer::Different)) {
            (Some(c), _) => format!(
                "{two} differ: there are inputs for which `{}` is {} {in_reference} and {} in the optimized kernel.",
                c.element, c.reference_value, c.optimized_value
            ),
            (None, Some(group)) => {
                format!("{two} differ at {}.", group.place_and_reason())
            }
            (None, None) => format!("{two} differ."),
        };
        return Verdicts { verdict: Verdict::NotEquivalent, summary };
    }
    if unknown > 0 {
        let group = first(Answer::Unknown);
        let hint = group.and_then(|group| group.hint.clone());
        // At how many inputs something was tried is said of the elements that it is true of.
        let mut open = report.outputs.iter().flat_map(|o| &o.groups).filter(|g| g.answer == Answer::Unknown);
        let alike = open.all(|group| group.hint == hint);
        let hint = hint.map(|hint| match group.filter(|_| !alike) {
            Some(group) => format!("of `{}`: {hint}", group.pattern.as_ref().unwrap_or(&group.sample)),
            None => hint,
        });
        let why = group.map_or_else(String::new, |group| format!(" {}.", group.place_and_reason()));
        report.hint = hint;
        let summary = match elements - unknown {
            0 => format!("No proof and no counterexample was found.{why}"),
            equal => format!(
                "{} of {} output elements are equal; {} could not be decided.{why}",
                grouped(equal),
                grouped(elements),
                grouped(unknown)
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
    let count = if elements == 1 { "element".to_owned() } else { format!("{} elements", grouped(elements)) };
    let close = sum(|o| o.close);
    if close > 0 {
        let summary = format!(
            "{both} compute the same {count} of {} up to the rounding of constants: {}.{}",
            tensors.join(", "),
            match close == elements {
                true => bound(report),
                false => format!("{} are equal; of the others, {}", grouped(elements - close), bound(report)),
            },
            unbounded(report)
        );
        return Verdicts { verdict: Verdict::EqualUpToRounding, summary };
    }
    let summary = format!(
        "{both} compute the same {count} of {}{}.{}",
        tensors.join(", "),
        if integers { "" } else { " over the real numbers" },
        unbounded(report)
    );
    Verdicts { verdict: Verdict::Equivalent, summary }
}

/// That bounds were not checked where sizes are as large as what is accessed; empty where all are declared.
#[cold]
fn unbounded(report: &Report) -> String {
    const NAMED: usize = 4;
    let open =
        |tensor: &&TensorReport| !tensor.declared_shape && tensor.shape.iter().any(|extent| *extent > 0);
    let mut names: Vec<String> =
        report.tensors.iter().filter(open).map(|tensor| format!("`{}`", tensor.name)).collect();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    match names.split_last() {
        None => String::new(),
        Some((one, [])) => format!(" The bounds of {one} were not checked: the spec does not say its size."),
        Some((last, first)) => {
            format!(
                " The bounds of {} and {last} were not checked: the spec does not say their sizes.",
                first.join(", ")
            )
        }
    }
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
        Verdict::Deadlock if code == Code::D003 => "Endless loop",
        Verdict::Deadlock => "Deadlock",
        Verdict::BarrierDivergence => "Barrier divergence",
        Verdict::OutOfBounds => "Out of bounds",
        Verdict::Misaligned => "Misaligned access",
        Verdict::UninitializedRead => "Uninitialized read",
        Verdict::ContractViolated if code == Code::A002 => "Broken contract",
        Verdict::ContractViolated => "The kernel stops itself",
        Verdict::NotStructured => "Depends on input data",
        Verdict::Unsupported => "Unsupported",
        Verdict::ResourceLimit => "Limit reached",
        Verdict::Cancelled => "Stopped",
        Verdict::InvalidSpec => "Impossible launch",
        _ => "Fault",
    }
}

/// What to try about a fault, of which the sentence names the tensors that it depends on.
#[cold]
pub fn fault_hint(
    verdict: Verdict,
    code: Code,
    sentence: &str,
    bound: &Bound,
    runs: &[&Run],
) -> Option<String> {
    let named = |(_, tensor): &(usize, &BoundTensor)| {
        let contents = sentence.split("the contents of ").nth(1).unwrap_or_default();
        contents.contains(&format!("`{}`", tensor.name))
    };
    let hint = match verdict {
        Verdict::NotStructured if code == Code::U004 => {
            "let every order of the threads give the same, or wait until they are done".to_owned()
        }
        Verdict::NotStructured if code == Code::U005 => {
            "run all CTAs of the grid: `ctas = \"all\"` in the spec".to_owned()
        }
        Verdict::NotStructured => match bound.tensors.iter().enumerate().find(named) {
            Some((at, tensor)) => contents_or_bounds(tensor, at, runs),
            None => "set `contents` in the spec for the tensor that it depends on, or bound its values: `requires = \
                     [\"all(0 <= TENSOR) and all(TENSOR < 16)\"]` under [contracts]"
                .to_owned(),
        },
        Verdict::Unknown => "set `contents` in the spec for the tensor that the condition reads".to_owned(),
        _ => return None,
    };
    let mut hint = hint;
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

/// How the spec says what an index tensor holds, as lines to paste.
#[cold]
fn contents_or_bounds(tensor: &BoundTensor, at: usize, runs: &[&Run]) -> String {
    let name = &tensor.name;
    let reached = runs.iter().flat_map(|run| &run.tensors).filter(|state| state.tensor == at);
    // The run ended at the first fault: it may have reached more.
    let most = reached.map(|state| state.reached).max().unwrap_or(1).max(128).next_power_of_two();
    let (shape, with) = match tensor.shape() {
        Some(_) => (String::new(), String::new()),
        None => (
            format!("`shape = [{most}]`, with the number of its elements, and "),
            ", beside the shape,".to_owned(),
        ),
    };
    format!(
        "say what `{name}` holds: under [tensors.{name}] {shape}`contents = \"iota\"` or a list of numbers; or{with} \
         how large its values are: `requires = [\"all(0 <= {name}) and all({name} < 16)\"]` under [contracts], with \
         the number of rows that they choose from"
    )
}

pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
