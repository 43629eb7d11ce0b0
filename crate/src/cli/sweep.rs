//! A question whose spec has `[sweep]`: all combinations, with progress, and one report about them.

use super::files::Question;
use super::junit::{TestCase, junit};
use super::sarif::sarif_of_sweep;
use super::{Format, Refusal, Run, names, print, progress, stop_on_interrupt, title, wants_colour, watch};
use crate::report::{self, AllSizes, Asked, Input, RunOptions, SweepReport, Sweeping, TextOptions};

/// What is asked.
pub(super) enum Wanted {
    Combinations(Asked),
    /// And what is proved of every size already.
    EverySize(AllSizes),
}

/// Asks all combinations and prints what came of it. The time is that of the whole sweep; fuel and memory are those
/// of each combination.
pub(super) fn answer(
    question: &Question,
    input: &Input<'_>,
    run: &Run,
    options: &RunOptions<'_>,
    asked: Wanted,
) -> Result<u8, Refusal> {
    let budget = run.limits.budget();
    stop_on_interrupt(&budget);
    let of = |asked: &Asked| -> Vec<String> {
        asked.combinations.iter().map(|combination| combination.spec.clone()).collect()
    };
    let (specs, sweeping) = match asked {
        Wanted::Combinations(asked) => (of(&asked), Sweeping::new(input, asked)),
        Wanted::EverySize(all) => (of(all.asked()), Sweeping::of_sizes(input, all)),
    };
    let shown = |report: &SweepReport| match run.format {
        Format::Json => report.to_json(),
        Format::Sarif => names(question, |names| sarif_of_sweep(report, names)),
        Format::Junit => cases(&title(question), report),
        Format::Text => {
            let spec = report.shown.as_ref().and_then(|shown| specs.get(shown.at as usize));
            let options = TextOptions { colour: wants_colour(), ..TextOptions::default() };
            names(question, |names| {
                report::sweep_text(report, input, spec.map(String::as_str), names, &options)
            })
        }
    };
    let report = std::thread::scope(|scope| {
        let given_up = |why| {
            let report = &sweeping.overdue(why);
            let status = report.verdict.exit_status();
            print(&shown(report), status);
            std::process::exit(status.into())
        };
        let _watch = watch::Watch::start(scope, &budget, given_up);
        let _line = progress::Line::start(scope, || {
            let (done, all, worst) = sweeping.progress();
            let worst = worst.map_or(String::new(), |title| format!("; {title} is not fine"));
            format!("{done} of {all} combinations{worst}")
        });
        sweeping.ask(options, &budget)
    });
    Ok(print(&shown(&report), report.verdict.exit_status()))
}

/// A test case for each combination.
fn cases(suite: &str, report: &SweepReport) -> String {
    let titles: Vec<String> = report
        .combinations
        .iter()
        .map(|asked| {
            let values = report.names.iter().zip(&asked.values);
            values.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
        })
        .collect();
    let cases: Vec<TestCase<'_>> = report
        .combinations
        .iter()
        .zip(&titles)
        .map(|(asked, title)| TestCase {
            name: title,
            kind: asked.verdict.map_or("not_asked", |verdict| verdict.name()),
            // What was not asked has no answer.
            exit_status: asked.verdict.map_or(2, |verdict| verdict.exit_status()),
            summary: if asked.verdict.is_some() { &asked.summary } else { "not asked" },
            text: "",
            time: asked.time.map(|time| time / 1000.0),
        })
        .collect();
    junit(suite, &cases)
}
