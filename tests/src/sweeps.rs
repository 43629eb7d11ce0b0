//! The specs under `tests/sweeps`: each asks a question about many sizes.

use crate::corpus::{Case, Texts, root};
use warpproof::base::Budget;
use warpproof::report::{self, Names, RunOptions, SweepReport, Sweeping, TextOptions};

/// The texts of a sweep.
pub fn texts(name: &str) -> Texts {
    let path = root().join("../sweeps").join(name);
    let case = Case { path, name: name.to_owned(), expected: String::new(), today: None };
    case.read().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The answers to a sweep, as the command line asks.
pub fn ask(texts: &Texts, options: &RunOptions<'_>, budget: &Budget) -> SweepReport {
    let input = texts.input();
    let asked = report::combinations(&input).expect("a spec that sweeps");
    Sweeping::new(&input, asked).ask(options, budget)
}

/// The answers to a sweep under `tests/sweeps`, and what the command line prints of them.
pub fn sweep(name: &str) -> (SweepReport, String) {
    let texts = texts(name);
    let options = RunOptions { origins: Some(report::TRACEABLE), ..RunOptions::default() };
    let report = ask(&texts, &options, &Budget::default());
    let input = texts.input();
    let asked = report::combinations(&input).expect("a spec that sweeps");
    let spec = report.shown.as_ref().map(|shown| asked.combinations[shown.at as usize].spec.as_str());
    // The program is called from the repository's root.
    let place = |name: &String| format!("tests/{name}");
    let reference = texts.reference.as_ref().map_or(String::new(), |(_, name)| place(name));
    let optimized = place(&texts.optimized.1);
    let own = format!("tests/sweeps/{name}");
    let names = Names { reference: &reference, optimized: &optimized, spec: &own };
    let text = report::sweep_text(&report, &input, spec, &names, &TextOptions::default());
    (report, text)
}
