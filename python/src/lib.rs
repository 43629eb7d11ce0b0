//! The Python binding: texts in, JSON and the terminal's text out. No logic of its own.
//!
//! A run has a pool of threads of its own, because those of a shared one would be missing in a process that
//! Python has forked. Meanwhile the calling thread holds no lock of Python's: it waits, lets Python handle its
//! signals, and stops the run by its budget when a handler raises (Ctrl-C) or the time is up. A run that has not
//! ended a while after that is given up: the caller gets an answer, and the run ends by itself later. A panic
//! becomes a Python exception.
//!
//! The command line is here, too, so that `pip install` brings `warpproof`: its processes are this package's
//! interpreter again.
//!
//! Missed: what the process holds is not watched, as the command line does; each kernel's run counts its own
//! memory.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;
use serde_json::to_string;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use warpproof::base::{Budget, Exhausted};
use warpproof::cli;
use warpproof::formula::{self, Dialect, FUNCTIONS};
use warpproof::report::{self, Input, Names, Report, RunOptions, TextOptions};

/// How often signals and the clock are looked at.
const STEP: Duration = Duration::from_millis(20);
/// How long a run may go on after it was stopped: a tenth of its time, and at least this.
const GRACE: Duration = Duration::from_secs(1);
/// As much as a main thread has.
const STACK: usize = 8 << 20;

/// The texts of a question and their names: an object of Python's with these attributes.
#[derive(FromPyObject)]
struct Question {
    reference: Option<String>,
    optimized: String,
    spec: String,
    single: bool,
    reference_name: String,
    optimized_name: String,
    spec_name: String,
}

impl Question {
    fn input(&self) -> Input<'_> {
        Input {
            reference: self.reference.as_deref(),
            optimized: &self.optimized,
            spec: Some(&self.spec),
            single: self.single,
            ..Input::default()
        }
    }

    /// A report as a terminal shows it.
    fn text(&self, report: &Report) -> String {
        let names =
            Names { reference: &self.reference_name, optimized: &self.optimized_name, spec: &self.spec_name };
        report::text(report, &self.input(), &names, &TextOptions::default())
    }
}

/// How much a run may take: an object of Python's with these attributes.
#[derive(FromPyObject, Clone, Copy)]
struct Limits {
    /// Seconds.
    time: u64,
    fuel: Option<u64>,
    /// MiB of each kernel's run.
    memory: Option<u64>,
    threads: Option<usize>,
    exact: bool,
}

impl Limits {
    fn budget(&self) -> Budget {
        let standard = Budget::default();
        let memory = self.memory.map_or(standard.memory, |mib| mib.saturating_mul(1 << 20));
        Budget::new(self.fuel.unwrap_or(standard.fuel), memory).within(self.time)
    }

    fn options(&self) -> RunOptions<'_> {
        RunOptions { origins: Some(report::TRACEABLE), exact_proof: self.exact, ..RunOptions::default() }
    }
}

/// Runs `work` beside Python; `overdue` answers for a run that does not end when it is told to.
fn run<T: Send + 'static>(
    py: Python<'_>,
    limits: &Limits,
    work: impl FnOnce(&Budget) -> T + Send + 'static,
    overdue: impl FnOnce(Exhausted, &Budget) -> T,
) -> PyResult<T> {
    let budget = limits.budget();
    let pool = ThreadPoolBuilder::new()
        .num_threads(limits.threads.unwrap_or(0))
        .stack_size(STACK)
        .build()
        .map_err(|error| PyRuntimeError::new_err(format!("no threads: {error}")))?;
    let (done, mut answer) = channel();
    let shared = budget.clone();
    pool.spawn(move || drop(done.send(catch_unwind(AssertUnwindSafe(|| work(&shared))))));
    let begun = Instant::now();
    let limit = Duration::from_secs(limits.time);
    loop {
        match wait(py, &mut answer, STEP) {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(panic)) => return Err(failure(panic.as_ref())),
            Err(RecvTimeoutError::Disconnected) => return Err(failure(&"a thread ended")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(interrupt) = py.check_signals() {
            budget.cancel();
            let _ = wait(py, &mut answer, GRACE);
            return Err(interrupt);
        }
        if begun.elapsed() >= limit {
            budget.stop(Exhausted::Time);
            if begun.elapsed() >= limit + GRACE.max(limit / 10) {
                return Ok(overdue(Exhausted::Time, &budget));
            }
        }
    }
}

/// Waits for an answer while other threads of Python go on.
fn wait<T: Send>(py: Python<'_>, answer: &mut Receiver<T>, time: Duration) -> Result<T, RecvTimeoutError> {
    py.detach(move || answer.recv_timeout(time))
}

/// A panic as Python's exception.
fn failure(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    PyRuntimeError::new_err(format!("the engine failed, which is a defect of it: {text}"))
}

/// An answer as JSON, as a terminal shows it, and as an exit status.
type Answer = (String, String, u8);

/// Answers a question.
#[pyfunction]
fn check(py: Python<'_>, question: Question, limits: Limits) -> PyResult<Answer> {
    let question = Arc::new(question);
    let its = question.clone();
    let work = move |budget: &Budget| report::check(&its.input(), &limits.options(), budget).report;
    let report = run(py, &limits, work, |why, budget| report::overdue(&question.input(), why, budget))?;
    Ok((report.to_json(), question.text(&report), report.verdict.exit_status()))
}

/// Finds the formula of the optimized kernel; nothing if time was up.
#[pyfunction]
fn tell(py: Python<'_>, question: Question, limits: Limits) -> PyResult<Option<Answer>> {
    let question = Arc::new(question);
    let its = question.clone();
    let work = move |budget: &Budget| Some(report::tell(&its.input(), &limits.options(), budget));
    let telling = run(py, &limits, work, |_, _| None)?;
    Ok(telling.map(|telling| {
        let text = format!("{}\n{}", telling.text(), question.text(&telling.report));
        (telling.to_json(), text, telling.exit_status())
    }))
}

/// What PTX and spec show before anything runs, as JSON.
#[pyfunction]
fn infer(py: Python<'_>, question: Question, limits: Limits) -> PyResult<String> {
    let question = Arc::new(question);
    let its = question.clone();
    let overdue = |why, budget: &Budget| report::overdue_inference(&question.input(), why, budget);
    let inference = run(py, &limits, move |budget| report::infer(&its.input(), budget), overdue)?;
    // Serializing plain owned data to a string cannot fail.
    Ok(to_string(&inference).unwrap_or_default())
}

/// The functions of formulas: name, parameters, and what each gives.
#[pyfunction]
fn functions() -> Vec<(&'static str, &'static str, &'static str)> {
    FUNCTIONS.iter().map(|row| (row.name, row.parameters, row.help)).collect()
}

/// A formula as a program for NumPy; nothing if it cannot be written for NumPy.
#[pyfunction]
fn numpy(code: &str) -> Option<String> {
    let (program, problems) = formula::parse(code);
    if problems.is_empty() { formula::write(&program, Dialect::NumPy, &|_| None) } else { None }
}

/// The dictionary of links, as the page has it: what stands between the backquotes.
#[pyfunction]
fn link_dictionary() -> &'static str {
    include_str!("../../web/src/core/share-dictionary.ts").split('`').nth(1).unwrap_or_default()
}

/// Runs a command line, the program's name first, and gives its exit status. `own` starts this program again, `ray`
/// what hands questions over to Ray, and `engine` is the file of this module.
#[pyfunction]
fn command_line(
    py: Python<'_>,
    arguments: Vec<OsString>,
    own: Vec<OsString>,
    ray: Vec<OsString>,
    engine: PathBuf,
) -> u8 {
    let program = cli::Program { own, ray: Some(ray), engine };
    py.detach(|| cli::run(&program, arguments))
}

/// The questions of a batch's manifest, as JSON.
#[pyfunction]
fn questions(py: Python<'_>, manifest: PathBuf) -> PyResult<String> {
    py.detach(|| cli::questions(&manifest)).map_err(|cli::Refusal(why)| PyValueError::new_err(why))
}

/// Asks a batch's worker, which is a process that `command` starts; whatever becomes of it, there are replies.
#[pyclass]
struct Lane(Mutex<cli::Lane>);

#[pymethods]
impl Lane {
    #[new]
    fn new(command: Vec<OsString>, patience: u64) -> Lane {
        Lane(Mutex::new(cli::Lane::new(command, Duration::from_secs(patience))))
    }

    fn ask(&self, py: Python<'_>, question: &str) -> String {
        py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).ask_line(question))
    }
}

#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(tell, module)?)?;
    module.add_function(wrap_pyfunction!(infer, module)?)?;
    module.add_function(wrap_pyfunction!(functions, module)?)?;
    module.add_function(wrap_pyfunction!(numpy, module)?)?;
    module.add_function(wrap_pyfunction!(link_dictionary, module)?)?;
    module.add_function(wrap_pyfunction!(command_line, module)?)?;
    module.add_function(wrap_pyfunction!(questions, module)?)?;
    module.add_class::<Lane>()
}
