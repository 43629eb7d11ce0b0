//! The corpus: every case gives the verdict of its folder, and the report beside it.
//!
//! For each case one test of the verdict and of the text (`<case>.report.txt`; `UPDATE_EXPECT=1`
//! rewrites the text, and never where the verdict is not the folder's), one that its spec prints and
//! parses back; for every other case a second run: either the JSON does not depend on the number of
//! threads, or the verdict does not depend on the schedule. For each kernel of an equivalent or race-free
//! case, one that it equals itself. For each PTX file, one that printing and parsing gives the tree back.
//!
//! Which second run a case has depends on its name; `npm run soak -- corpus` does both for all.
//!
//! Cases that are more work than [`LIGHT`] are run once: what further runs show, the smaller sizes of the
//! same kernels show too.

use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use warpproof::base::Source;
use warpproof::report::{Outcome, Report, Verdict};
use warpproof::sim::Schedule;
use warpproof::{spec, syntax};
use warpproof_tests::corpus::{Case, Texts, cases, files, root};

/// Thread-instructions of both kernels, and steps of the comparison, up to which a case is run in every way.
const LIGHT: u64 = 20_000_000;

/// Thread-instructions up to which a kernel is compared with itself.
const ITSELF: u64 = 3_000_000;

/// A case, and its first run, which its tests share.
struct Subject {
    case: Case,
    first: OnceLock<Result<First, String>>,
}

struct First {
    texts: Texts,
    outcome: Outcome,
    /// Thread-instructions of both kernels, and steps of the comparison.
    work: u64,
}

impl Subject {
    fn first(&self) -> Result<&First, Failed> {
        let run = || {
            let texts = self.case.read()?;
            let (outcome, steps) = texts.run_counted(1, Schedule::Ascending);
            let executed: u64 = outcome.report.kernels.iter().map(|kernel| kernel.thread_instructions).sum();
            Ok(First { texts, outcome, work: executed + steps })
        };
        self.first.get_or_init(run).as_ref().map_err(|error| error.clone().into())
    }
}

fn main() {
    let mut arguments = Arguments::from_args();
    // Cases hold large terms; more of them at a time than cores would only fight for memory.
    arguments.test_threads =
        arguments.test_threads.or(std::thread::available_parallelism().ok().map(|cores| cores.get()));
    let whole = std::env::var_os("WARPPROOF_SOAK_SECONDS").is_some();
    let mut trials = Vec::new();
    let mut kernels = BTreeSet::new();
    // A case's other tests need its first run: they come behind the next case's, for which nobody waits.
    let mut waiting = Vec::new();
    for case in cases() {
        if case.today.is_none() && ["equivalent", "race_free"].contains(&case.expected.as_str()) {
            trials.extend(selves(&case, &mut kernels));
        }
        let lot = case.name.bytes().fold(0, |sum: u8, byte| sum.wrapping_add(byte)) % 4;
        let subject = Arc::new(Subject { case, first: OnceLock::new() });
        let mut own = Vec::new();
        for (kind, asked, test) in [
            ("verdict", true, verdict as fn(&Subject) -> Result<(), Failed>),
            ("same", lot == 0 || whole, same_report),
            ("schedule", lot == 1 || whole, same_verdict_on_another_schedule),
            ("spec", true, spec_round_trip),
        ] {
            if !asked {
                continue;
            }
            let (subject, name) = (subject.clone(), format!("{kind}::{}", subject.case.name));
            own.push(Trial::test(name, move || test(&subject)));
        }
        trials.push(own.remove(0));
        trials.append(&mut waiting);
        waiting = own;
    }
    trials.append(&mut waiting);
    for path in files(&root().join("kernels"), "ptx") {
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        trials.push(Trial::test(format!("round_trip::{name}"), move || round_trip(&path)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn verdict(subject: &Subject) -> Result<(), Failed> {
    let case = &subject.case;
    let First { texts, outcome, .. } = subject.first()?;
    let found = outcome.report.verdict.name();
    let text = texts.render(outcome);
    if let Some(today) = &case.today {
        return match found {
            _ if found == case.expected => {
                Err(format!("this known miss is answered rightly now: move it to {}/", case.expected).into())
            }
            _ if found == today => Ok(()),
            _ => Err(format!("this known miss was {today} and is {found} now\n{text}").into()),
        };
    }
    if found != case.expected {
        return Err(format!("expected {}, found {found}\n{text}", case.expected).into());
    }
    confirmed(&outcome.report)?;
    compare(&case.path.with_extension("report.txt"), &text)
}

/// A right verdict for a wrong reason is none: nothing was left undecided or unconfirmed.
fn confirmed(report: &Report) -> Result<(), Failed> {
    let unknown: u64 = report.outputs.iter().map(|output| output.unknown).sum();
    let equal = [Verdict::Equivalent, Verdict::EqualUpToRounding].contains(&report.verdict);
    if equal && unknown > 0 {
        return Err("equivalent, with undecided elements".into());
    }
    let close: u64 = report.outputs.iter().map(|output| output.close).sum();
    if (report.verdict == Verdict::EqualUpToRounding) != (close > 0 && report.rounding_bound.is_some())
        && equal
    {
        return Err("equal up to rounding is not what its elements are".into());
    }
    let shows = report.counterexample.is_some() || report.diagnostics.iter().any(|d| d.code == "Q003");
    if report.verdict == Verdict::NotEquivalent && !shows {
        return Err("not equivalent, without a counterexample".into());
    }
    match report.checked {
        Some(checked) if checked.refuted > 0 => {
            Err(format!("{} answers could not be confirmed", checked.refuted).into())
        }
        Some(checked) if equal && checked.confirmed + checked.by_points == 0 => {
            Err("equivalent, and nothing was confirmed".into())
        }
        None if equal || report.verdict == Verdict::NotEquivalent => {
            Err("compared, and not checked a second time".into())
        }
        _ => Ok(()),
    }
}

fn compare(path: &Path, text: &str) -> Result<(), Failed> {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return std::fs::write(path, text).map_err(Failed::from);
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    if expected == text {
        return Ok(());
    }
    let line = expected.lines().zip(text.lines()).position(|(a, b)| a != b);
    let line = line.unwrap_or(expected.lines().count().min(text.lines().count()));
    Err(format!(
        "{} differs from line {} on (UPDATE_EXPECT=1 rewrites it)\nexpected: {}\nfound:    {}\n\n{text}",
        path.display(),
        line + 1,
        expected.lines().nth(line).unwrap_or("(the end)"),
        text.lines().nth(line).unwrap_or("(the end)"),
    )
    .into())
}

fn same_report(subject: &Subject) -> Result<(), Failed> {
    let First { texts, outcome, work } = subject.first()?;
    if *work > LIGHT {
        return Ok(());
    }
    let first = outcome.report.to_json();
    let second = texts.run(3, Schedule::Ascending).report.to_json();
    if first != second {
        let line = first.lines().zip(second.lines()).find(|(a, b)| a != b);
        return Err(format!("two runs, with 1 and 3 threads, give different reports: {line:?}").into());
    }
    Ok(())
}

/// Whether a run says itself that what it found depends on the schedule: then it stands for no other one.
/// In `tensor/copies_specialised_no_full` consumers that do not wait arrive at `empty` once for each tile. If
/// the producer goes first it passes its waits at once and its writes race with their reads. If they go first,
/// the phase that the producer waits for by its parity is over before it looks: it never writes, so that no
/// race is there, and what they read nobody has written.
fn depends_on_the_schedule(report: &Report) -> bool {
    report.diagnostics.iter().any(|diagnostic| diagnostic.code == "U004")
}

fn same_verdict_on_another_schedule(subject: &Subject) -> Result<(), Failed> {
    let First { texts, outcome, work } = subject.first()?;
    if *work > LIGHT {
        return Ok(());
    }
    let other = texts.run(1, Schedule::Random(7)).report;
    let faults = [&outcome.report, &other]
        .iter()
        .all(|report| depends_on_the_schedule(report) && report.verdict.exit_status() == 1);
    // A loop is watched while its threads run in one go, which they do not under this schedule: there it ends at the
    // limit, which both were before an endless loop had a verdict of its own.
    let endless = outcome.report.diagnostics.iter().any(|diagnostic| diagnostic.code == "D003")
        && other.verdict == Verdict::ResourceLimit;
    if other.verdict != outcome.report.verdict && !faults && !endless {
        return Err(format!("another schedule gives {}: {}", other.verdict.name(), other.summary).into());
    }
    Ok(())
}

fn spec_round_trip(subject: &Subject) -> Result<(), Failed> {
    let (spec, complaints) = spec::parse(&subject.case.read()?.spec);
    if !complaints.is_empty() {
        let expected = subject.case.expected == "invalid_spec";
        return if expected { Ok(()) } else { Err(format!("{complaints:?}").into()) };
    }
    let printed = spec::print(&spec);
    let (again, complaints) = spec::parse(&printed);
    if !complaints.is_empty() || spec::print(&again) != printed {
        return Err(format!("printed, the spec reads differently\n{printed}\n{complaints:?}").into());
    }
    Ok(())
}

/// Each kernel under each launch once: a kernel equals itself.
fn selves(case: &Case, seen: &mut BTreeSet<(String, String)>) -> Vec<Trial> {
    let Ok(texts) = case.read() else { return Vec::new() };
    [(true, "reference"), (false, "optimized")]
        .into_iter()
        .filter_map(|(reference, side)| {
            let itself = texts.itself(reference)?;
            seen.insert((itself.optimized.1.clone(), itself.spec.clone())).then(|| {
                Trial::test(format!("itself::{}::{side}", case.name), move || equals_itself(&itself))
            })
        })
        .collect()
}

fn equals_itself(texts: &Texts) -> Result<(), Failed> {
    let outcome = texts.run_within(ITSELF, 1, Schedule::Ascending);
    match outcome.report.verdict {
        Verdict::Equivalent => Ok(()),
        // Too large to be run twice.
        Verdict::ResourceLimit => Ok(()),
        other => {
            Err(format!("a kernel against itself is {}\n{}", other.name(), texts.render(&outcome)).into())
        }
    }
}

fn round_trip(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let first = syntax::parse(Source::Optimized, &text);
    if !first.diagnostics.is_empty() {
        // Broken on purpose; what it says is the business of its case.
        return Ok(());
    }
    let printed = syntax::print(&first.module);
    let second = syntax::parse(Source::Optimized, &printed);
    if !second.diagnostics.is_empty() {
        return Err(format!("printed, it does not parse: {:?}", second.diagnostics[0]).into());
    }
    if syntax::print(&second.module) != printed {
        return Err("printed and parsed, it prints differently".into());
    }
    Ok(())
}
