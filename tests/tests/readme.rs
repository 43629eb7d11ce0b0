//! The README shows what the program prints: its console blocks and its coverage table are checked
//! against real runs. `UPDATE_EXPECT=1` rewrites them.

use std::path::{Path, PathBuf};
use warpproof::base::Budget;
use warpproof::report::{self, RunOptions};
use warpproof_tests::corpus::{Case, root};

fn readme() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")
}

/// What a command of the README prints.
fn output(command: &str) -> String {
    let path = command
        .strip_prefix("warpproof check --no-times --spec tests/corpus/")
        .unwrap_or_else(|| panic!("the README runs `{command}`, which this test does not know"));
    let case = Case {
        path: root().join(path),
        name: path.to_owned(),
        expected: path.split('/').next().unwrap_or_default().to_owned(),
        today: None,
    };
    let texts = case.read().expect("a case of the corpus");
    // As the command line asks.
    let options = RunOptions { threads: Some(1), origins: Some(report::TRACEABLE), ..RunOptions::default() };
    let outcome = report::check(&texts.input(), &options, &Budget::default());
    assert_eq!(outcome.report.verdict.name(), case.expected, "{path}");
    // The README calls the program from the repository's root.
    let text = texts.render(&outcome);
    text.replace("kernels/", "tests/corpus/kernels/")
}

#[test]
fn the_readme_shows_real_runs() {
    let text = std::fs::read_to_string(readme()).expect("a README");
    let mut fresh = String::new();
    let mut lines = text.lines().peekable();
    let mut runs = 0;
    while let Some(line) = lines.next() {
        fresh += line;
        fresh.push('\n');
        if line == "```console" {
            let command = lines.next().expect("a command");
            fresh += &format!("{command}\n{}", output(command.trim_start_matches("$ ")));
            runs += 1;
            while lines.peek().is_some_and(|line| *line != "```") {
                lines.next();
            }
        } else if line == "<!-- coverage -->" {
            fresh += &format!("\n{}\n", report::coverage().trim());
            fresh.push('\n');
            while lines.peek().is_some_and(|line| *line != "<!-- /coverage -->") {
                lines.next();
            }
        }
    }
    assert!(runs >= 3, "the README shows {runs} runs");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(readme(), &fresh).expect("a writable README");
    }
    let shown = std::fs::read_to_string(readme()).expect("a README");
    let different = shown.lines().zip(fresh.lines()).find(|(a, b)| a != b);
    assert!(shown == fresh, "UPDATE_EXPECT=1 rewrites it; the first difference: {different:?}");
}
