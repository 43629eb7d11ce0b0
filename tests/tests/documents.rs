//! The documents show what the program prints: console blocks and the table of instructions in the
//! README and in `docs/` are checked against real runs (`UPDATE_EXPECT=1` rewrites them). Their links
//! lead somewhere, and the README stays short.

use std::path::{Path, PathBuf};
use warpproof::base::Budget;
use warpproof::report::{self, Input, RunOptions};
use warpproof_tests::corpus::{Case, root};
use warpproof_tests::sweeps::sweep;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The documents at the top and the pages of `docs/`, with their texts, none with the marks of a merge in it.
fn documents() -> Vec<(PathBuf, String)> {
    let mut paths =
        ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(|name| project().join(name)).to_vec();
    for entry in std::fs::read_dir(project().join("docs")).expect("a folder of documents") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a document");
            assert!(
                !text.contains("\n<<<<<<<") && !text.contains("\n>>>>>>>"),
                "a merge in {}",
                path.display()
            );
            (path, text)
        })
        .collect()
}

/// What a command prints: `warpproof check` or `analyze` on a case of the corpus, or `check` on a sweep; whole or
/// its first lines.
fn output(command: &str) -> String {
    let (command, lines) = match command.split_once(" | head -") {
        Some((command, lines)) => (command, lines.parse().expect("a number of lines")),
        None => (command, usize::MAX),
    };
    if let Some(path) = command.strip_prefix("warpproof check --no-times --spec tests/sweeps/") {
        let (report, text) = sweep(path);
        assert!(report.shown.is_some(), "{path}");
        return text.lines().take(lines).map(|line| format!("{line}\n")).collect();
    }
    let verbs =
        ["check", "analyze"].map(|verb| (verb, format!("warpproof {verb} --no-times --spec tests/corpus/")));
    let (verb, path) = verbs
        .iter()
        .find_map(|(verb, prefix)| Some((*verb, command.strip_prefix(prefix)?)))
        .unwrap_or_else(|| panic!("a document runs `{command}`, which this test does not know"));
    let case = Case {
        path: root().join(path),
        name: path.to_owned(),
        expected: path.split('/').next().unwrap_or_default().to_owned(),
        today: None,
    };
    let texts = case.read().expect("a case of the corpus");
    // As the command line asks.
    let options = RunOptions { threads: Some(1), origins: Some(report::TRACEABLE), ..RunOptions::default() };
    let input = Input { single: verb == "analyze", ..texts.input() };
    let outcome = report::check(&input, &options, &Budget::default());
    assert_eq!(outcome.report.verdict.name(), case.expected, "{path}");
    // Documents call the program from the repository's root.
    let text = texts.render(&outcome).replace("kernels/", "tests/corpus/kernels/");
    let text = text.replace("▸ the case:", &format!("▸ tests/corpus/{path}:"));
    text.lines().take(lines).map(|line| format!("{line}\n")).collect()
}

/// What is made of a table of the program.
fn table(mark: &str) -> Option<String> {
    match mark {
        "<!-- coverage -->" => Some(report::coverage()),
        "<!-- functions -->" => Some(report::functions()),
        _ => None,
    }
}

/// A document with what its commands print today, and how many commands it runs.
fn fresh(text: &str) -> (String, usize) {
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
        } else if let Some(table) = table(line) {
            fresh += &format!("\n{}\n\n", table.trim());
            let end = line.replace("<!-- ", "<!-- /");
            while lines.peek().is_some_and(|line| *line != end) {
                lines.next();
            }
        }
    }
    (fresh, runs)
}

#[test]
fn documents_show_real_runs() {
    let mut runs = 0;
    for (path, text) in documents() {
        let (fresh, shown) = fresh(&text);
        runs += shown;
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, &fresh).expect("a writable document");
            continue;
        }
        let different = text.lines().zip(fresh.lines()).find(|(a, b)| a != b);
        assert!(
            text == fresh,
            "{}: UPDATE_EXPECT=1 rewrites it; first difference: {different:?}",
            path.display()
        );
    }
    assert!(runs >= 10, "the documents show {runs} runs");
}

#[test]
fn the_readme_is_short_and_verdicts_are_complete() {
    let documents = documents();
    let text = |name: &str| {
        &documents.iter().find(|(path, _)| path.ends_with(name)).unwrap_or_else(|| panic!("no {name}")).1
    };
    assert!(text("README.md").lines().count() <= 200);
    let verdicts = text("docs/verdicts.md");
    // The corpus has a folder for each verdict that is the same on every machine.
    for entry in std::fs::read_dir(root()).expect("the corpus") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name");
        if entry.path().is_file()
            || name.starts_with('.')
            || ["kernels", "known_misses", "table"].contains(&name.as_str())
        {
            continue;
        }
        assert!(verdicts.contains(&format!("`{name}`")), "docs/verdicts.md does not list {name}");
        assert!(verdicts.contains(&format!("\n## {}\n", name.replace('_', " "))), "no section on {name}");
    }
}

/// Relative links of a Markdown text, without their anchors.
fn links(text: &str) -> Vec<&str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.split('#').next().unwrap_or_default())
        .filter(|target| !target.is_empty() && !target.contains("://") && !target.contains('`'))
        .collect()
}

#[test]
fn links_lead_somewhere() {
    let mut checked = 0;
    let more = ["CONTRIBUTING.md", "tests/corpus/README.md"].map(|name| {
        let path = project().join(name);
        let text = std::fs::read_to_string(&path).expect("a document");
        (path, text)
    });
    for (path, text) in documents().into_iter().chain(more) {
        for link in links(&text) {
            let target = path.parent().expect("a folder").join(link);
            assert!(target.exists(), "{}: `{link}` leads nowhere", path.display());
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} links");
}
