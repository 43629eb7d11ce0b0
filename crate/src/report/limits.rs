//! What a run says when it is stopped or meets its budget: in which stage, how far it got, and what
//! to shrink.
//!
//! Guarantees: numbers are of the run itself, never guessed. What to shrink is advice: the largest
//! tensors, the integers and the threads of the question, of which some may be fixed by the code.

use super::bind::Bound;
use super::text::numbers::{bytes, grouped};
use crate::base::{Budget, Exhausted, Stage};
use crate::diag::{Code, Diagnostic};
use crate::sim::Stats;
use crate::spec::{Literal, Spec};
use std::sync::atomic::Ordering;

/// Tensors that the advice names.
const TENSORS: usize = 2;

/// How many more errors there are than the first, in brackets.
#[cold]
pub fn more_errors<'d>(errors: impl Iterator<Item = &'d Diagnostic>) -> String {
    // The last one may say that nobody looked any further.
    let (ends, errors): (Vec<_>, Vec<_>) = errors.partition(|error| error.code == Code::P008);
    match (errors.len() + ends.len(), ends.is_empty()) {
        (0 | 1, _) => String::new(),
        (all, true) => format!(" ({} more)", grouped(all as u64 - 1)),
        (all, false) => format!(" (at least {} more)", grouped(all as u64 - 1)),
    }
}

/// Why the execution of a kernel ended early.
#[cold]
pub fn execution(kernel: &str, why: Exhausted, stats: &Stats, budget: &Budget) -> String {
    let executed = grouped(stats.thread_instructions);
    match why {
        Exhausted::Cancelled => {
            format!("the execution of `{kernel}` was stopped after {executed} thread-instructions")
        }
        Exhausted::Fuel => format!(
            "the execution of `{kernel}` takes more than the {} thread-instructions allowed",
            grouped(budget.fuel)
        ),
        Exhausted::Time => {
            format!(
                "the execution of `{kernel}` takes more time than {}: it ended after {executed} thread-instructions",
                time(budget)
            )
        }
        Exhausted::Memory if stats.bytes <= budget.memory => format!(
            "the question needs more memory than the {} that two kernels and their comparison may hold: the execution of `{kernel}` ended after {executed} thread-instructions",
            bytes(budget.memory.saturating_mul(Budget::SHARES)),
        ),
        Exhausted::Memory => format!(
            "the execution of `{kernel}` needs more memory than the {} allowed: after {executed} thread-instructions it holds {}, with {} terms",
            bytes(budget.memory),
            bytes(stats.bytes),
            grouped(stats.terms)
        ),
    }
}

/// "the 120 seconds allowed".
fn time(budget: &Budget) -> String {
    match budget.seconds {
        Some(1) => "the second allowed".to_owned(),
        Some(seconds) => format!("the {} seconds allowed", grouped(seconds)),
        None => "allowed".to_owned(),
    }
}

/// A question that did not end when it was told to, because its time was up or it held too much memory:
/// in which stage, for a face that ends it all the same.
#[cold]
pub fn overdue(why: Exhausted, budget: &Budget) -> String {
    let stage = budget.progress().stage.load(Ordering::Relaxed);
    let stages = [
        (Stage::Parse, "the texts were read"),
        (Stage::Simulate, "the kernels were executed"),
        (Stage::Decide, "output elements were decided"),
        (Stage::Check, "answers were re-checked"),
    ];
    let doing = stages.iter().find(|(known, _)| *known as u32 == stage);
    let doing = doing.map_or("the report was written", |(_, doing)| doing);
    match why {
        Exhausted::Memory => {
            let most = bytes(budget.memory.saturating_mul(Budget::SHARES));
            format!(
                "the question needs more memory than the {most} that two kernels and their comparison may hold: it ended while {doing}"
            )
        }
        Exhausted::Cancelled => format!("the question was stopped while {doing}"),
        Exhausted::Fuel | Exhausted::Time => {
            format!("the question takes more time than {}: it ended while {doing}", time(budget))
        }
    }
}

/// How a loop did not end: within the budget, and after how many rounds, or it was seen to go on for ever.
#[cold]
pub fn endless(rounds: Option<u64>, stats: &Stats, budget: &Budget) -> String {
    if is_endless(stats, budget) {
        return "never leaves this loop: it comes back to its beginning, and nothing that decides how it goes on has changed".to_owned();
    }
    let allowed = grouped(budget.fuel);
    let rounds = rounds
        .map_or(String::new(), |rounds| format!(" ({} rounds of it, all warps together)", grouped(rounds)));
    format!("does not leave this loop within the {allowed} thread-instructions allowed{rounds}")
}

/// Whether a loop was seen to go on for ever, rather than to need more than the budget.
pub fn is_endless(stats: &Stats, budget: &Budget) -> bool {
    stats.fuel() < budget.fuel
}

/// What the limit on instructions counts, and how it is raised.
pub const FUEL: &str = "an instruction of a warp counts for 32 threads at least, an access or a barrier for several instructions; on the command line, `--fuel` raises the limit";

/// Why what follows the execution ended early: the comparison, or of a single kernel, the listing of
/// its outputs.
#[cold]
pub fn comparison(why: Exhausted, budget: &Budget) -> String {
    let progress = budget.progress();
    let stage = progress.stage.load(Ordering::Relaxed);
    let single = stage == Stage::Simulate as u32;
    let subject = if single { "the analysis" } else { "the comparison" };
    let what = match why {
        Exhausted::Cancelled => "was stopped".to_owned(),
        Exhausted::Fuel => {
            // How far portions got depends on the threads.
            return format!("{subject} takes more than the {} steps allowed", grouped(budget.steps()));
        }
        Exhausted::Time => format!("takes more time than {}: it ended", time(budget)),
        Exhausted::Memory => {
            format!("needs more memory than the {} allowed: it ended", bytes(budget.memory))
        }
    };
    let [decided, elements] =
        [&progress.decided, &progress.elements].map(|count| grouped(count.load(Ordering::Relaxed)));
    if single {
        format!("{subject} {what} while the outputs were put into words")
    } else if stage == Stage::Decide as u32 && progress.elements.load(Ordering::Relaxed) == 0 {
        format!("{subject} {what} before output elements were decided")
    } else if stage == Stage::Decide as u32 {
        format!("{subject} {what} after {decided} of {elements} output elements were decided")
    } else {
        let answers = match elements.as_str() {
            "1" => "the answer for 1 output element was".to_owned(),
            _ => format!("the answers for {elements} output elements were"),
        };
        format!("{subject} {what} while {answers} re-checked")
    }
}

/// What to try after a budget is used up, by so many instructions of each thread if that is known. A number of the
/// question that four nested loops up to it would not explain is no reason.
pub fn smaller(spec: &Spec, bound: &Bound, executed: Option<u64>) -> String {
    let explains = |value: i64| {
        executed.is_none_or(|executed| u128::from(value.unsigned_abs()).pow(4) * 64 >= u128::from(executed))
    };
    let mut tensors: Vec<(u64, String)> = bound
        .tensors
        .iter()
        .filter_map(|tensor| Some((tensor, tensor.shape()?)))
        .map(|(tensor, shape)| (shape.iter().product(), extents(&tensor.name, shape)))
        .filter(|(elements, _)| *elements > 1)
        .collect();
    // The first of equals stays first.
    tensors.sort_by_key(|(elements, _)| std::cmp::Reverse(*elements));
    let tensors: Vec<String> = tensors.into_iter().take(TENSORS).map(|(_, text)| text).collect();
    let scalars: Vec<String> = spec
        .scalars
        .iter()
        .filter_map(|scalar| match scalar.value {
            Ok(Literal::Integer(value)) if value > 1 && explains(value) => {
                Some(format!("`{} = {value}`", scalar.name))
            }
            _ => None,
        })
        .collect();
    let mut integers = spec.scalars.iter().filter_map(|scalar| match scalar.value {
        Ok(Literal::Integer(value)) => Some(value),
        _ => None,
    });
    if let (Some(executed), Some(first)) = (executed, integers.next())
        && !explains(first)
        && !integers.any(explains)
    {
        return format!(
            "look for a loop that counts past its end: each thread has executed about {} instructions, which {} explains; or allow a larger budget",
            grouped(executed),
            if spec.scalars.len() == 1 {
                format!("not even `{} = {first}`", spec.scalars[0].name)
            } else {
                "no number of the question".to_owned()
            }
        );
    }
    let threads = bound.setups.iter().map(|setup| {
        let block: u64 = setup.launch.block.iter().map(|count| u64::from(*count)).product();
        block * setup.launch.ctas.len() as u64
    });
    let threads = threads.max().filter(|threads| *threads > 1).map(grouped);
    let ways = [
        ("shorter tensors", tensors),
        ("smaller integers", scalars),
        ("fewer threads", threads.into_iter().collect()),
    ];
    let ways: Vec<String> = ways
        .iter()
        .filter(|(_, named)| !named.is_empty())
        .map(|(what, named)| format!("{what} ({})", named.join(", ")))
        .collect();
    match ways.is_empty() {
        true => "allow a larger budget".to_owned(),
        false => {
            format!(
                "ask about a smaller problem that runs the same code ({}), or allow a larger budget",
                ways.join(", ")
            )
        }
    }
}

/// `A[64][4096]`: the extents as they are declared.
fn extents(name: &str, shape: &[u64]) -> String {
    let extents: String = shape.iter().map(|extent| format!("[{extent}]")).collect();
    format!("`{name}{extents}`")
}
