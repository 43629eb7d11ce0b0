//! A question bound and ready to run, for those who ask about one kernel again: its memory at a
//! barrier, its races with another barrier in it.

use super::Input;
use super::arguments::Asked;
use super::bind::{Bound, bind};
use super::contracts::Contracts;
use super::formula;
use super::front::load;
use super::pipeline::side_of;
use super::texts::Texts;
use crate::base::{Budget, Source};
use crate::decide;
use crate::diag::Severity;
use crate::ir::Kernel;
use crate::sim::Setup;

/// Kernels and their spec.
pub struct Ready {
    pub kernels: Vec<(Source, Kernel)>,
    pub bound: Bound,
    /// The user's choices of how terms are read.
    pub options: decide::Options,
}

impl Ready {
    /// Reads and binds; `None` for texts that the pipeline refuses.
    pub fn new(input: &Input<'_>, budget: &Budget) -> Option<Ready> {
        let (mut spec, complaints) = input.read_spec();
        if complaints.iter().any(|d| d.severity == Severity::Error) {
            return None;
        }
        let mut kernels = Vec::new();
        if let Some(text) = input.reference_kernel().filter(|_| spec.formula.is_none()) {
            let front = load(Source::Reference, text, spec.reference.entry.as_deref());
            kernels.push((Source::Reference, front.kernel?));
        }
        let front = load(Source::Optimized, input.optimized, spec.optimized.entry.as_deref());
        kernels.push((Source::Optimized, front.kernel?));
        // What a formula assigns tells which parameter is which.
        if let Some(read) = spec.formula.as_ref().and_then(|formula| formula::read(&formula.code).ok()) {
            let assigned = read.assigned(&spec, &kernels[0].1);
            spec.optimized.args = assigned.map_or(spec.optimized.args.take(), Some);
        }
        let asked: Vec<Asked<'_>> = kernels
            .iter()
            .map(|(source, kernel)| Asked {
                source: *source,
                side: side_of(&spec, *source),
                kernel,
                formula: None,
            })
            .collect();
        let mut bound = bind(&spec, &asked).ok()?;
        let options =
            decide::Options { exact_constants: spec.options.exact_constants, ..decide::Options::default() };
        let texts = Texts::new(input.reference, input.optimized, input.spec);
        let claiming = asked.iter().map(|asked| (asked.source, asked.kernel));
        let contracts = Contracts::read(&texts, &spec, claiming).ok()?;
        let bounds = contracts.bounds(&spec, &bound, &options, budget).ok()?;
        drop(asked);
        bound.set_bounds(&bounds);
        Some(Ready { kernels, bound, options })
    }

    /// One of the kernels, with what it starts from, to be run alone.
    pub fn side(&self, side: Source) -> Option<(&Kernel, &Setup)> {
        let at = self.kernels.iter().position(|(source, _)| *source == side)?;
        self.bound.number_what_is_touched();
        Some((&self.kernels[at].1, &self.bound.setups[at]))
    }
}
