//! A question whose spec has `[sweep]`: all combinations, with progress, and one report about them.

use super::files::Question;
use super::{Format, Refusal, Run, names, print, progress, stop_on_interrupt, wants_colour, watch};
use crate::report::{self, Asked, Input, RunOptions, SweepReport, Sweeping, TextOptions};
use std::process::ExitCode;

/// Asks all combinations and prints what came of it. The time is that of the whole sweep; fuel and memory are those
/// of each combination.
pub(super) fn answer(
    question: &Question,
    input: &Input<'_>,
    run: &Run,
    options: &RunOptions<'_>,
    asked: Asked,
) -> Result<ExitCode, Refusal> {
    let budget = run.limits.budget();
    stop_on_interrupt(&budget);
    let specs: Vec<String> = asked.combinations.iter().map(|combination| combination.spec.clone()).collect();
    let sweeping = Sweeping::new(input, asked);
    let shown = |report: &SweepReport| match run.format {
        Format::Json => report.to_json(),
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
