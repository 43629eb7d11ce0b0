//! The command line: reads files, hands texts to `report`, prints what comes back.
//!
//! Exit status: 0 the property holds, 1 it does not, 2 no answer, 3 unusable input (also wrong
//! usage, so that a script never takes a typing error for a verdict).

mod batch;
mod explain;
mod files;
mod junit;
mod progress;
mod sarif;
mod sweep;
mod watch;

use crate::base::Budget;
use crate::report::export::Language;
use crate::report::{self, Input, Names, Outcome, Portions, Report, RunOptions, TextOptions};
use crate::spec::{self, Spec};
pub use batch::{Lane, questions};
use clap::{Args, Parser, Subcommand, ValueEnum};
use files::Question;
pub use files::Refusal;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Unusable input or usage.
const UNUSABLE: u8 = 3;

/// Proves that two GPU kernels compute the same thing, or shows where they do not.
#[derive(Parser)]
#[command(name = "warpproof", version, max_term_width = 100)]
#[command(after_help = "Exit status: 0 the property holds, 1 it does not, 2 no answer, 3 unusable input.")]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Compare two kernels: equivalent, or a counterexample, or a race, deadlock, … in one of them.
    Check(Check),
    /// Look at one kernel: races, deadlocks, bounds; prints what it computes.
    Analyze(Analyze),
    /// Say what a kernel computes, as a formula that is proved: `O = softmax(Q @ K.T / 8, axis=-1) @ V`.
    Formula(Formula),
    /// Print a spec with everything that the PTX shows filled in.
    Infer(Infer),
    /// Ask many questions, in processes of their own: one JSON object a line in, one a line out.
    Batch(batch::Batch),
    /// Answers questions of a batch on standard input; `batch` starts it.
    #[command(hide = true)]
    Worker(batch::Worker),
    /// Explain a diagnostic code, such as R001; without one, list them all.
    Explain {
        /// The code.
        code: Option<String>,
    },
    /// Print the table of supported instructions.
    Coverage,
}

#[derive(Args)]
struct Check {
    /// The reference kernel's PTX; may be left out if the spec names the files.
    reference: Option<PathBuf>,
    /// The optimized kernel's PTX.
    #[arg(requires = "reference")]
    optimized: Option<PathBuf>,
    /// Print the verification conditions, for other solvers, instead of deciding them.
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    export: Option<Export>,
    /// Decide the outputs in so many portions, one after the other, as `batch` has many machines do.
    #[arg(long, value_name = "COUNT", conflicts_with = "export", value_parser = clap::value_parser!(u16).range(1..))]
    portions: Option<u16>,
    #[command(flatten)]
    run: Run,
}

#[derive(Args)]
struct Analyze {
    /// The kernel's PTX; may be left out if the spec names the file.
    kernel: Option<PathBuf>,
    #[command(flatten)]
    run: Run,
}

#[derive(Args)]
struct Formula {
    /// The kernel's PTX; may be left out if the spec names the file.
    kernel: Option<PathBuf>,
    /// Print the formula alone, in this language.
    #[arg(long = "as", value_enum, value_name = "LANGUAGE")]
    language: Option<FormulaLanguage>,
    #[command(flatten)]
    run: Run,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormulaLanguage {
    /// The language of formulas: a reference for `warpproof check`.
    Formula,
    /// A Python program for NumPy.
    Numpy,
    /// A Python program for PyTorch.
    Torch,
    /// Lines of an align* in LaTeX.
    Latex,
}

#[derive(Args)]
struct Infer {
    /// One PTX file, or the reference and the optimized kernel's.
    #[arg(num_args = 1..=2, required = true)]
    files: Vec<PathBuf>,
    /// A spec to complete.
    #[arg(long)]
    spec: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
}

#[derive(Args)]
struct Limits {
    /// Thread-instructions that each kernel may execute (those that cost more count for more); their
    /// comparison may take two steps for each.
    #[arg(long, value_name = "COUNT")]
    fuel: Option<u64>,
    /// MiB that each kernel's run may hold.
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// Seconds that the whole question may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..))]
    time: u64,
}

impl Limits {
    fn budget(&self) -> Budget {
        let standard = Budget::default();
        Budget::new(
            self.fuel.unwrap_or(standard.fuel),
            self.memory.map_or(standard.memory, |mib| mib.saturating_mul(1 << 20)),
        )
        .within(self.time)
    }
}

/// What wins over the spec.
#[derive(Args, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Launch {
    /// Threads along x, y, z, over what the spec says.
    #[arg(long, value_name = "X,Y,Z")]
    block: Option<String>,
    /// CTAs along x, y, z, over what the spec says.
    #[arg(long, value_name = "X,Y,Z")]
    grid: Option<String>,
    /// CTAs to run: "all", or one as x,y,z.
    #[arg(long, value_name = "X,Y,Z")]
    ctas: Option<String>,
    /// Give a scalar a value, over what the spec says; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

#[derive(Args)]
struct Run {
    /// How the kernels are launched and what their parameters are.
    #[arg(long)]
    spec: Option<PathBuf>,
    /// How to print the report.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Threads to use [default: one for each core].
    #[arg(long)]
    threads: Option<usize>,
    #[command(flatten)]
    launch: Launch,
    #[command(flatten)]
    limits: Limits,
    /// What a proof may rest on.
    #[arg(long, value_enum, default_value_t = Proof::Any)]
    proof: Proof,
    /// Leave times out, so that equal questions print equal reports.
    #[arg(long)]
    no_times: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For the terminal.
    Text,
    /// The whole report.
    Json,
    /// Findings at their lines, for reviews: SARIF 2.1.0.
    Sarif,
    /// Answers as test cases, for continuous integration: JUnit's XML.
    Junit,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Proof {
    /// Evaluation at random points too, with a chance of error below 2^-100.
    Any,
    /// Normal forms alone, without chance: slower, and not for every size.
    Exact,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Export {
    /// SMT-LIB 2: unsatisfiable only if the kernels are equivalent.
    Smt2,
    /// A Python program for SymPy.
    Sympy,
}

impl From<Export> for Language {
    fn from(export: Export) -> Language {
        match export {
            Export::Smt2 => Language::Smt2,
            Export::Sympy => Language::Sympy,
        }
    }
}

/// Lets the allocator keep what was freed: glibc hands it back to the system above 128 KiB, and the
/// page faults of fetching it again took a tenth of a short question's time.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn keep_freed_memory() {
    // The largest that glibc takes.
    const OWN_PAGES_FROM: i32 = 32 << 20;
    // SAFETY: sets two numbers of the allocator, before there is a second thread.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, OWN_PAGES_FROM);
        libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn keep_freed_memory() {}

/// How this program is started again, with arguments behind these.
#[derive(Clone, Debug)]
pub struct Program {
    /// Itself, with a command of its own.
    pub own: Vec<OsString>,
    /// What hands questions over to Ray for `batch --ray`; only the Python package has it.
    pub ray: Option<Vec<OsString>>,
    /// The file that this code is in: another one may answer otherwise.
    pub engine: PathBuf,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let engine = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("warpproof"));
    run(&Program { own: vec![engine.clone().into()], ray: None, engine }, std::env::args_os()).into()
}

/// Runs a command line, the program's name first, and gives its exit status.
pub fn run(program: &Program, arguments: impl IntoIterator<Item = OsString>) -> u8 {
    keep_freed_memory();
    let command = match Command::try_parse_from(arguments) {
        Ok(command) => command,
        Err(error) => {
            let _ = error.print();
            // `--help` and `--version` are errors to clap, but not to the user.
            return if error.use_stderr() { UNUSABLE } else { 0 };
        }
    };
    let done = match command.verb {
        Verb::Check(check) => files::pair(check.reference, check.optimized, check.run.spec.as_deref())
            .and_then(|question| answer(&question, &check.run, check.export, check.portions)),
        Verb::Analyze(analyze) => files::single(analyze.kernel, analyze.run.spec.as_deref())
            .and_then(|question| answer(&question, &analyze.run, None, None)),
        Verb::Formula(formula) => tell(formula),
        Verb::Infer(infer) => infer_spec(infer),
        Verb::Batch(batch) => batch::run(program, &batch),
        Verb::Worker(worker) => batch::work(&worker),
        Verb::Explain { code } => explain::explain(code.as_deref()).map(|text| print(&text, 0)),
        Verb::Coverage => Ok(print(&report::coverage(), 0)),
    };
    done.unwrap_or_else(|refusal| {
        let _ = writeln!(std::io::stderr(), "warpproof: {}", refusal.0);
        UNUSABLE
    })
}

fn answer(
    question: &Question,
    run: &Run,
    export: Option<Export>,
    portions: Option<u16>,
) -> Result<u8, Refusal> {
    if export.is_some() && question.single {
        return Err(Refusal("`--export` needs two kernels to compare: name the reference, too".to_owned()));
    }
    let overrides = overrides(&run.launch)?;
    let input = Input {
        reference: question.reference.as_ref().map(|file| file.text.as_str()),
        optimized: &question.optimized.text,
        spec: question.spec.as_ref().map(|file| file.text.as_str()),
        overrides: overrides.as_ref(),
        single: question.single,
        ..Input::default()
    };
    let budget = run.limits.budget();
    let started = std::time::Instant::now();
    let clock = || started.elapsed().as_secs_f64() * 1000.0;
    let options = RunOptions {
        threads: run.threads,
        clock: (!run.no_times).then_some(&clock as &(dyn Fn() -> f64 + Sync)),
        export: export.map(Language::from),
        origins: Some(report::TRACEABLE),
        exact_proof: run.proof == Proof::Exact,
        portions: portions.map_or(Portions::Whole, |count| Portions::Each(count.into())),
        ..RunOptions::default()
    };
    if export.is_none()
        && let Some(asked) = report::combinations(&input)
    {
        return sweep::answer(question, &input, run, &options, sweep::Wanted::Combinations(asked));
    }
    if export.is_none()
        && let Some(all) = report::all_sizes(&input, &budget)
    {
        return sweep::answer(question, &input, run, &options, sweep::Wanted::EverySize(all));
    }
    stop_on_interrupt(&budget);
    let progress = progress::Display::start(&budget);
    let Outcome { report, conditions, .. } = std::thread::scope(|scope| {
        let given_up = |why| {
            let report = &report::overdue(&input, why, &budget);
            let (status, text) = (report.verdict.exit_status(), shown(question, &input, run, report));
            match export {
                Some(_) => drop(writeln!(std::io::stderr(), "{}", text.trim_end())),
                None => drop(print(&text, status)),
            }
            std::process::exit(status.into())
        };
        let _watch = watch::Watch::start(scope, &budget, given_up);
        report::check(&input, &options, &budget)
    });
    progress.stop();
    if let Some(conditions) = conditions {
        return Ok(print(&conditions, 0));
    }
    let status = report.verdict.exit_status();
    let text = shown(question, &input, run, &report);
    if export.is_some() {
        // Why there are no conditions is no part of a file that standard output goes to.
        let _ = writeln!(std::io::stderr(), "{}", text.trim_end());
        return Ok(status);
    }
    Ok(print(&text, status))
}

/// What a kernel computes.
fn tell(formula: Formula) -> Result<u8, Refusal> {
    let Formula { kernel, language, run } = formula;
    if !matches!(run.format, Format::Text | Format::Json) {
        return Err(Refusal("`formula` prints text or JSON; `analyze` has the other formats".to_owned()));
    }
    let question = files::single(kernel, run.spec.as_deref())?;
    let overrides = overrides(&run.launch)?;
    let input = Input {
        reference: None,
        optimized: &question.optimized.text,
        spec: question.spec.as_ref().map(|file| file.text.as_str()),
        overrides: overrides.as_ref(),
        single: true,
        ..Input::default()
    };
    let budget = run.limits.budget();
    stop_on_interrupt(&budget);
    let options =
        RunOptions { threads: run.threads, exact_proof: run.proof == Proof::Exact, ..RunOptions::default() };
    let telling = std::thread::scope(|scope| {
        let given_up = |why| {
            let report = &report::overdue(&input, why, &budget);
            let status = report.verdict.exit_status();
            print(&shown(&question, &input, &run, report), status);
            std::process::exit(status.into())
        };
        let _watch = watch::Watch::start(scope, &budget, given_up);
        report::tell(&input, &options, &budget)
    });
    let status = telling.exit_status();
    let of = |form: fn(&report::FormulaForms) -> &Option<String>| {
        telling.forms.as_ref().and_then(|all| form(all).clone())
    };
    let alone = language.map(|language| match language {
        FormulaLanguage::Formula => telling.formula.clone(),
        FormulaLanguage::Numpy => of(|forms| &forms.numpy),
        FormulaLanguage::Torch => of(|forms| &forms.torch),
        FormulaLanguage::Latex => of(|forms| &forms.latex),
    });
    let written = match alone {
        Some(Some(text)) => text,
        Some(None) => {
            let more = if telling.formula.is_some() { " It cannot be written in this language." } else { "" };
            let _ = writeln!(std::io::stderr(), "{}{more}", telling.summary());
            return Ok(status.max(2));
        }
        None if run.format == Format::Json => telling.to_json(),
        None => format!("{}\n{}", telling.text(), shown(&question, &input, &run, &telling.report)),
    };
    Ok(print(&written, status))
}

/// A report as it is printed.
fn shown(question: &Question, input: &Input<'_>, run: &Run, report: &Report) -> String {
    match run.format {
        Format::Json => report.to_json(),
        Format::Sarif => names(question, |names| sarif::sarif(report, names)),
        Format::Junit => names(question, |names| {
            junit::junit(
                "warpproof",
                &[junit::TestCase {
                    name: &title(question),
                    kind: report.verdict.name(),
                    exit_status: report.verdict.exit_status(),
                    summary: &report.summary,
                    text: &report::text(report, input, names, &TextOptions::default()),
                    time: report.timings.map(|timings| timings.total / 1000.0),
                }],
            )
        }),
        Format::Text => {
            let options = TextOptions { colour: wants_colour(), ..TextOptions::default() };
            names(question, |names| report::text(report, input, names, &options))
        }
    }
}

/// A question by its files: the spec's name, or the kernels'.
fn title(question: &Question) -> String {
    match (&question.spec, &question.reference) {
        (Some(spec), _) => spec.name.clone(),
        (None, Some(reference)) => format!("{} = {}", reference.name, question.optimized.name),
        (None, None) => question.optimized.name.clone(),
    }
}

/// Writes with the names of the question's files.
fn names(question: &Question, write: impl FnOnce(&Names<'_>) -> String) -> String {
    let name = |file: &Option<files::File>| file.as_ref().map_or(String::new(), |file| file.name.clone());
    let (reference, spec) = (name(&question.reference), name(&question.spec));
    write(&Names { reference: &reference, optimized: &question.optimized.name, spec: &spec })
}

/// `--block`, `--grid`, `--ctas` and `--set` as a spec laid over the file's.
fn overrides(run: &Launch) -> Result<Option<Spec>, Refusal> {
    let mut launch = String::new();
    for (key, value) in [("grid", &run.grid), ("block", &run.block)] {
        if let Some(value) = value {
            launch += &format!("{key} = [{}]\n", value.replace(['x', '×'], ","));
        }
    }
    match run.ctas.as_deref() {
        Some("all") => launch += "ctas = \"all\"\n",
        Some(cta) => launch += &format!("ctas = [[{cta}]]\n"),
        None => {}
    }
    let mut scalars = String::new();
    for setting in &run.set {
        let Some((name, value)) = setting.split_once('=') else {
            return Err(Refusal(format!("`--set {setting}` needs a value: `--set {setting}=128`")));
        };
        scalars += &format!("\"{}\" = {value}\n", name.trim());
    }
    if launch.is_empty() && scalars.is_empty() {
        return Ok(None);
    }
    let (spec, complaints) = spec::parse(&format!("[launch]\n{launch}[scalars]\n{scalars}"));
    // Whether a CTA lies in the grid shows only together with the file's grid.
    let inside = |d: &&crate::diag::Diagnostic| run.grid.is_some() || !d.message.contains("outside the grid");
    match complaints.iter().find(inside) {
        Some(complaint) => Err(Refusal(format!("on the command line: {}", complaint.message))),
        None => Ok(Some(spec)),
    }
}

fn infer_spec(infer: Infer) -> Result<u8, Refusal> {
    let mut files = infer.files.into_iter();
    let (first, second) = (files.next(), files.next());
    let question = match second {
        Some(_) => files::pair(first, second, infer.spec.as_deref())?,
        None => files::single(first, infer.spec.as_deref())?,
    };
    let input = Input {
        reference: question.reference.as_ref().map(|file| file.text.as_str()),
        optimized: &question.optimized.text,
        spec: question.spec.as_ref().map(|file| file.text.as_str()),
        ..Input::default()
    };
    let budget = infer.limits.budget();
    stop_on_interrupt(&budget);
    let inference = std::thread::scope(|scope| {
        let given_up = |why| {
            print(&inferred(&report::overdue_inference(&input, why, &budget)), UNUSABLE);
            std::process::exit(UNUSABLE.into())
        };
        let _watch = watch::Watch::start(scope, &budget, given_up);
        report::infer(&input, &budget)
    });
    let unusable =
        inference.kernels.is_empty() || inference.kernels.iter().any(|kernel| kernel.entry.is_none());
    Ok(print(&inferred(&inference), if unusable { UNUSABLE } else { 0 }))
}

/// A spec with what was inferred, and what there is to say about it as comments.
fn inferred(inference: &report::Inference) -> String {
    let mut text = String::new();
    for diagnostic in &inference.diagnostics {
        let place =
            diagnostic.primary.as_ref().map_or(String::new(), |label| format!("line {}: ", label.at.line));
        text += &format!("# {place}{}\n", diagnostic.message);
        text.extend(diagnostic.notes.iter().map(|note| format!("#   {note}\n")));
    }
    for name in &inference.missing {
        text += &format!("# {name} = …   only you can know this value\n");
    }
    format!("{text}\n{}", inference.spec)
}

fn wants_colour() -> bool {
    std::io::stdout().is_terminal()
        && anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// Prints to standard output; a closed pipe is not an error of ours.
fn print(text: &str, status: u8) -> u8 {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    if !text.ends_with('\n') {
        let _ = out.write_all(b"\n");
    }
    let _ = out.flush();
    status
}

/// The first Ctrl-C asks the run to stop and report how far it got; the second ends it.
fn stop_on_interrupt(budget: &Budget) {
    let budget = budget.clone();
    let _ = ctrlc::set_handler(move || {
        if budget.poll().is_err() {
            std::process::exit(130);
        }
        budget.cancel();
    });
}
