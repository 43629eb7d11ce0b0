//! Proofs for every size: what is proved stays true at each size that the machine is asked about, what is broken is
//! found, and what cannot be followed says so. `SIZES` and `SIZES_SEED` set how many random kernels are asked.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use warpproof::base::Budget;
use warpproof::report::{self, Input, RunOptions, SweepReport, Sweeping, Verdict};
use warpproof_tests::affine::{Draw, kernel, spec};
use warpproof_tests::corpus::{Case, Texts, files, root};

/// Shares work out to as many threads as there are.
fn each<T: Sync>(all: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(one);
                }
            });
        }
    });
}

fn cases(folder: &str) -> Vec<PathBuf> {
    files(&root().join("../sizes").join(folder), "toml")
}

fn texts(path: &Path) -> Texts {
    let name = path.display().to_string();
    let case = Case { path: path.to_path_buf(), name: name.clone(), expected: String::new(), today: None };
    case.read().unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn ask(input: &Input<'_>) -> SweepReport {
    let budget = Budget::default();
    let all = report::all_sizes(input, &budget).expect("a spec about every size");
    Sweeping::of_sizes(input, all).ask(&RunOptions { threads: Some(1), ..RunOptions::default() }, &budget)
}

fn reason(report: &SweepReport) -> String {
    let sizes = report.sizes.as_ref().expect("asked about every size");
    let open = sizes.kernels.iter().filter(|kernel| !kernel.proved);
    open.map(|kernel| {
        let place =
            kernel.at.as_ref().map_or(String::new(), |at| format!(" at line {}: {}", at.line, at.excerpt));
        format!("{} {}{place}", kernel.case, kernel.reason.as_deref().unwrap_or_default())
    })
    .collect::<Vec<_>>()
    .join("; ")
}

#[test]
fn kernels_without_faults_are_proved_for_every_size() {
    let all = cases("proved");
    assert!(all.len() >= 12, "{} kernels", all.len());
    each(&all, |path| {
        let report = ask(&texts(path).input());
        assert_eq!(
            report.verdict,
            Verdict::RaceFree,
            "{}: {}\n{}",
            path.display(),
            report.summary,
            reason(&report)
        );
        assert!(report.sizes.is_some_and(|sizes| sizes.proved && !sizes.kernels.is_empty()));
        assert!(
            report.summary.starts_with("No data race, no access out of bounds and no barrier divergence")
        );
    });
}

#[test]
fn faults_are_found_at_some_size() {
    let all = cases("broken");
    assert!(all.len() >= 12, "{} kernels", all.len());
    each(&all, |path| {
        let report = ask(&texts(path).input());
        let name = path.display();
        assert!(report.sizes.as_ref().is_some_and(|sizes| !sizes.proved), "{name} is proved");
        assert_eq!(report.verdict.exit_status(), 1, "{name}: {}\n{}", report.summary, reason(&report));
    });
}

#[test]
fn what_cannot_be_followed_is_unknown_and_says_why() {
    for path in cases("unknown") {
        let texts = texts(&path);
        let report = ask(&texts.input());
        let name = path.display();
        assert_eq!(report.verdict, Verdict::Unknown, "{name}: {}", report.summary);
        let because = texts.spec.lines().find_map(|line| line.strip_prefix("# because: "));
        let because = because.unwrap_or_else(|| panic!("{name} does not say why"));
        assert!(reason(&report).contains(because), "{name}: {}", reason(&report));
        assert!(report.summary.contains("sizes were asked one by one"), "{name}: {}", report.summary);
    }
}

/// Faults at sizes that no sample has. Each was proved not to be there once.
#[test]
fn faults_that_no_sample_has_are_not_proved_away() {
    let all = cases("never_proved");
    assert!(all.len() >= 9, "{} kernels", all.len());
    each(&all, |path| {
        let report = ask(&texts(path).input());
        let name = path.display();
        assert!(report.sizes.as_ref().is_some_and(|sizes| !sizes.proved), "{name} is proved");
        assert_ne!(report.verdict, Verdict::RaceFree, "{name}: {}", report.summary);
    });
}

#[test]
fn a_question_about_every_size_is_refused_where_one_is_asked() {
    let path = cases("proved").remove(0);
    let texts = texts(&path);
    assert!(report::combinations(&texts.input()).is_none());
    let outcome = report::check(&texts.input(), &RunOptions::default(), &Budget::default());
    assert_eq!(outcome.report.verdict, Verdict::InvalidSpec);
    assert!(outcome.report.summary.contains("every size"), "{}", outcome.report.summary);
}

/// The machine's verdict on one size.
fn machine(text: &str, sizes: [u64; 3]) -> Verdict {
    let spec = spec(Some(sizes));
    let input = Input { optimized: text, spec: Some(&spec), ..Input::default() };
    let budget = Budget::new(20_000_000, 256 << 20);
    report::analyze(&input, &RunOptions { threads: Some(1), ..RunOptions::default() }, &budget).report.verdict
}

#[test]
fn what_is_proved_of_random_kernels_holds_at_every_size_that_is_asked() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (count, seed) = (number("SIZES").unwrap_or(24), number("SIZES_SEED").unwrap_or(1));
    let open = spec(None);
    let [proved, broken, unknown] = [0, 0, 0].map(AtomicU64::new);
    let add = |counter: &AtomicU64| counter.fetch_add(1, Ordering::Relaxed);
    each(&(0..count).collect::<Vec<u64>>(), |at| {
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(*at);
        let text = kernel(seed);
        let input = Input { optimized: &text, spec: Some(&open), ..Input::default() };
        let budget = Budget::new(100_000_000, 256 << 20);
        let all = report::all_sizes(&input, &budget).expect("a spec about every size");
        if !all.proved() {
            let report = Sweeping::of_sizes(&input, all).ask(&RunOptions::default(), &budget);
            add(if report.verdict.exit_status() == 1 { &broken } else { &unknown });
            return;
        }
        add(&proved);
        let mut draw = Draw::new(seed ^ 0xabcd);
        for _ in 0..30 {
            let most = draw.below(3);
            let sizes = [1 + draw.below([8, 40, 150][most as usize]), 1 + draw.below(4), 1 + draw.below(70)];
            let verdict = machine(&text, sizes);
            let fault = matches!(
                verdict,
                Verdict::DataRace | Verdict::OutOfBounds | Verdict::BarrierDivergence | Verdict::Deadlock
            );
            assert!(!fault, "seed {seed}, n, g, b = {sizes:?}: {verdict:?}, and was proved\n{text}");
        }
    });
    let [proved, broken, unknown]: [u64; 3] = [proved, broken, unknown].map(AtomicU64::into_inner);
    println!("{count} kernels: {proved} proved, {broken} broken, {unknown} unknown");
    assert!(
        proved * 10 > count && broken * 10 > count,
        "{proved} proved, {broken} broken, {unknown} unknown"
    );
}
