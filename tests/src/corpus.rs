//! The cases under `tests/corpus`: where they are, what they expect, and how one is run.
//!
//! A case is a spec file; its first folder is the verdict. Cases under `known_misses/` expect the
//! folder below it, and say in a comment line `# today: <verdict>` what comes out instead.

use std::path::{Component, Path, PathBuf};
use warpproof::base::Budget;
use warpproof::report::{self, Input, Names, Outcome, RunOptions, TextOptions};
use warpproof::sim::Schedule;
use warpproof::spec;

/// Thread-instructions a case may execute: far more than any needs, far less than a hang.
const FUEL: u64 = 500_000_000;
/// Bytes a kernel of a case may hold.
const MEMORY: u64 = 2 << 30;

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// The spec file.
    pub path: PathBuf,
    /// Its path below `tests/corpus`, without the extension; the name of its tests.
    pub name: String,
    /// The verdict that the semantics give.
    pub expected: String,
    /// What comes out today, if it is a known miss.
    pub today: Option<String>,
}

/// The texts of a case.
pub struct Texts {
    /// The spec.
    pub spec: String,
    /// The reference PTX and its name.
    pub reference: Option<(String, String)>,
    /// The optimized (or only) PTX and its name.
    pub optimized: (String, String),
}

/// `tests/corpus`.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// All cases, by name.
pub fn cases() -> Vec<Case> {
    let root = root();
    let mut cases: Vec<Case> = files(&root, "toml")
        .into_iter()
        .filter(|path| *path != root.join("gallery.toml"))
        .map(|path| {
            let below = path.strip_prefix(&root).expect("found below the root").with_extension("");
            let mut folders = below.components().filter_map(|part| match part {
                Component::Normal(name) => name.to_str(),
                _ => None,
            });
            let first = folders.next().unwrap_or_default();
            let miss = first == "known_misses";
            let expected = if miss { folders.next().unwrap_or_default() } else { first }.to_owned();
            let today = miss.then(|| {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                let line = text.lines().find_map(|line| line.strip_prefix("# today: "));
                line.unwrap_or_else(|| panic!("{}: no `# today: <verdict>` line", path.display()))
                    .trim()
                    .to_owned()
            });
            let name = below.to_string_lossy().replace('\\', "/");
            Case { path, name, expected, today }
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!cases.is_empty(), "no cases under {}", root.display());
    cases
}

/// All files below a folder with an extension, sorted.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                // Build environments of the corpus live in hidden folders.
                if !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

impl Case {
    /// Reads the spec and the PTX files it names.
    pub fn read(&self) -> Result<Texts, String> {
        let text = |path: &Path| {
            std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let spec = text(&self.path)?;
        let (parsed, _) = spec::parse(&spec);
        let folder = self.path.parent().expect("a file lies in a folder");
        let ptx = |name: &String| -> Result<(String, String), String> {
            Ok((text(&folder.join(name))?, name.trim_start_matches("../").to_owned()))
        };
        let reference = parsed.reference.ptx.as_ref().map(ptx).transpose()?;
        let optimized = parsed.optimized.ptx.as_ref().map(ptx).transpose()?;
        Ok(Texts {
            spec,
            reference,
            optimized: optimized.ok_or("the spec names no `ptx` under [optimized]")?,
        })
    }
}

impl Texts {
    /// The question.
    pub fn input(&self) -> Input<'_> {
        Input {
            reference: self.reference.as_ref().map(|(text, _)| text.as_str()),
            optimized: &self.optimized.0,
            spec: Some(&self.spec),
            ..Input::default()
        }
    }

    /// Runs the question without times.
    pub fn run(&self, threads: usize, schedule: Schedule) -> Outcome {
        self.run_within(FUEL, threads, schedule)
    }

    /// The same with a limit on the thread-instructions of each kernel.
    pub fn run_within(&self, fuel: u64, threads: usize, schedule: Schedule) -> Outcome {
        self.run_on(&Budget::new(fuel, MEMORY), threads, schedule)
    }

    /// The same, and the steps of the comparison.
    pub fn run_counted(&self, threads: usize, schedule: Schedule) -> (Outcome, u64) {
        let budget = Budget::new(FUEL, MEMORY);
        (self.run_on(&budget, threads, schedule), budget.spent())
    }

    fn run_on(&self, budget: &Budget, threads: usize, schedule: Schedule) -> Outcome {
        let options = RunOptions { threads: Some(threads), schedule, ..RunOptions::default() };
        report::check(&self.input(), &options, budget)
    }

    /// The report as text.
    pub fn render(&self, outcome: &Outcome) -> String {
        let names = Names {
            reference: self.reference.as_ref().map_or("", |(_, name)| name),
            optimized: &self.optimized.1,
            spec: "the case",
        };
        report::text(&outcome.report, &self.input(), &names, &TextOptions::default())
    }

    /// The question whether one of its kernels equals itself; `None` if its own run has a fault
    /// to report first.
    pub fn itself(&self, reference: bool) -> Option<Texts> {
        let (mut spec, _) = spec::parse(&self.spec);
        spec.formula = None;
        let ptx = if reference {
            spec.optimized = spec.reference.clone();
            self.reference.clone()?
        } else {
            spec.reference = spec.optimized.clone();
            self.optimized.clone()
        };
        Some(Texts { spec: spec::print(&spec), reference: Some(ptx.clone()), optimized: ptx })
    }
}
