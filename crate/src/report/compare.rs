//! Which elements of which tensors have to be equal: pairs of terms for `decide`.
//!
//! An output is a tensor whose declared role says so, or, without a declared role, one that a
//! kernel wrote. Of an output, every element that either kernel wrote is compared: with the other
//! kernel's value, or with the initial value where the other kernel leaves it. An element that only
//! one kernel gives a value at all is a difference by itself. Elements that neither writes are
//! counted and reported, never passed over.

use super::bind::{Bound, BoundTensor};
use crate::base::{Format, Source};
use crate::decide::{Decision, Equality, Reason};
use crate::diag::{Assumption, Code, Diagnostic, Label, Ledger};
use crate::ir::Kernel;
use crate::sim::{Run, TensorState, Written, lowest, source_of};
use crate::spec::{Contents, Role};
use crate::term::{Term, Terms, index_name};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// One compared element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Index into [`Comparison::outputs`].
    pub output: usize,
    /// Flat index in the tensor.
    pub index: u64,
    /// The instruction of each kernel that wrote it last.
    pub writers: [Option<u32>; 2],
}

/// An element that only one kernel gives a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OneSided {
    /// Flat index in the tensor.
    pub index: u64,
    /// Which kernel writes it.
    pub writer: Source,
    /// The value.
    pub value: Term,
    /// The instruction that wrote it.
    pub instr: u32,
    /// The other kernel leaves concrete contents there, which may or may not be the same value.
    pub contents: bool,
}

/// One output tensor.
#[derive(Clone, Debug)]
pub struct Output {
    /// Index into [`Bound::tensors`].
    pub tensor: usize,
    /// Extents: declared, or the elements reached.
    pub shape: Vec<u64>,
    /// Elements that only one kernel gives a value.
    pub one_sided: Vec<OneSided>,
    /// Elements that neither writes, and the first of them.
    pub unwritten: u64,
    /// The first element that neither writes.
    pub first_unwritten: Option<u64>,
}

impl Output {
    /// `C[3][5]`
    pub fn name(&self, bound: &Bound, index: u64) -> String {
        format!("{}{}", bound.tensors[self.tensor].name, index_name(&self.shape, index))
    }
}

/// Takes back differences of what depends on values that nobody knows before the run: they may differ
/// between two runs of one kernel as well.
pub fn withdraw_unknowables(
    comparison: &Comparison,
    bound: &Bound,
    runs: &[&Run],
    kernels: &[&Kernel],
    decision: &mut Decision,
) {
    if runs.iter().all(|run| run.unknowable.is_empty()) {
        return;
    }
    let mut seen = vec![FxHashSet::default(); runs.len()];
    for group in &mut decision.groups {
        if matches!(group.equality, Equality::Equal(_)) {
            continue;
        }
        let member = group.members[0] as usize;
        let (f, g) = comparison.pairs[member];
        let source = (0..runs.len()).find_map(|at| {
            let term = if at == 0 { f } else { g };
            unknowable_in(runs[at], kernels[at], bound.setups[at].unknowable.0, term, &mut seen[at])
        });
        let Some(source) = source else { continue };
        let place = comparison.places[member];
        let output = &comparison.outputs[place.output];
        let tensor = &bound.tensors[output.tensor].name;
        let name = output.name(bound, place.index);
        let message = format!("`{name}` depends on `{source}`, which differs from run to run of one kernel");
        let hint = format!("leave it out of the comparison: write `role = \"in\"` under [tensors.{tensor}]");
        group.equality = Equality::Unknown(Reason { message, hint: Some(hint) });
    }
}

/// The name of an unknowable value that a term depends on.
fn unknowable_in<'k>(
    run: &Run,
    kernel: &'k Kernel,
    first: u32,
    term: Term,
    seen: &mut FxHashSet<Term>,
) -> Option<&'k str> {
    let number = lowest(&run.terms, term, (first, run.unknowable.len() as u32), seen)?;
    Some(source_of(kernel, run.unknowable[(number - first) as usize]))
}

/// Everything to compare.
#[derive(Default)]
pub struct Comparison {
    /// The output tensors.
    pub outputs: Vec<Output>,
    /// Terms of both kernels (of a single kernel: its term twice).
    pub pairs: Vec<(Term, Term)>,
    /// Where each pair belongs.
    pub places: Vec<Place>,
    /// Roles by tensor: as declared, or as the runs show.
    pub roles: Vec<Role>,
    /// What was inferred, and warnings.
    pub notes: Vec<Diagnostic>,
    /// What was assumed.
    pub ledger: Ledger,
}

/// Collects the pairs of one or two runs.
pub fn collect(bound: &Bound, runs: &mut [&mut Run], kernels: &[&Kernel]) -> Comparison {
    let mut comparison = Comparison::default();
    for (at, tensor) in bound.tensors.iter().enumerate() {
        // Taken out, because initial contents may have to be made terms of the runs.
        let states: Vec<Option<TensorState>> = runs.iter_mut().map(|run| take_state(run, at)).collect();
        let written = states.iter().flatten().any(|state| state.written);
        let read = states.iter().flatten().any(|state| state.read);
        let role = tensor.role().unwrap_or(match (written, read) {
            (false, _) => Role::In,
            (true, true) => Role::InOut,
            (true, false) => Role::Out,
        });
        comparison.roles.push(role);
        comparison.variable(bound, at, &states);
        let private = tensor.private && tensor.role().is_none();
        if private && written {
            let why = match tensor.is_variable() {
                true => "the other module has no variable of that name",
                false => "the formula does not assign it",
            };
            let message = format!("`{}` is not compared: {why}", tensor.name);
            comparison.ledger.note(Assumption::Environment(message), 1, None);
        }
        if tensor.role().is_none() && written && !private {
            comparison.ledger.note(Assumption::Inferred(format!("`{}` is an output", tensor.name)), 1, None);
        }
        let reached = states.iter().flatten().map(|state| state.reached).max().unwrap_or(0);
        if tensor.shape().is_none() && reached > 0 {
            let text = format!(
                "`{}` has {reached} elements, as far as addresses reach: its bounds were not checked",
                tensor.name
            );
            comparison.ledger.note(Assumption::Inferred(text), 1, None);
        }
        if private || role == Role::Scratch {
            // Neither an input nor an output of both.
        } else if role == Role::In {
            if written {
                comparison.notes.push(
                    Diagnostic::warning(
                        Code::Q003,
                        format!(
                            "`{}` is declared as an input, but is written; it is not compared",
                            tensor.name
                        ),
                    )
                    .note("use role = \"inout\" to compare it"),
                );
            }
        } else {
            let [first, last] = [0, states.len() - 1];
            let mut initial = |side: usize, index: u64| {
                let own = states[side].as_ref();
                let others = states[first].as_ref().into_iter().chain(states[last].as_ref());
                let written = own.into_iter().chain(others).find(|state| state.written);
                initial(bound, at, side, written, &mut runs[side].terms, index)
            };
            let both = ([&states[first], &states[last]], first == last);
            comparison.output(at, tensor, both, &mut |side, index| {
                initial(if side == 0 { first } else { last }, index)
            });
        }
        for (run, state) in runs.iter_mut().zip(states) {
            run.tensors.extend(state);
        }
    }
    for (run, kernel) in runs.iter().zip(kernels).filter(|(run, _)| run.dynamic_reached > 0) {
        let reached = run.dynamic_reached;
        let text = format!(
            "{reached} bytes of dynamic shared memory, as far as addresses reach (`{}`)",
            kernel.title()
        );
        comparison.ledger.note(Assumption::Inferred(text), 1, None);
    }
    for (at, run) in runs.iter().enumerate().filter(|(_, run)| !run.unknowable.is_empty()) {
        comparison.unknowable(bound, run, kernels[at], bound.setups[at].unknowable.0);
    }
    comparison
}

fn take_state(run: &mut Run, tensor: usize) -> Option<TensorState> {
    let at = run.tensors.iter().position(|state| state.tensor == tensor)?;
    Some(run.tensors.remove(at))
}

/// What an element holds that a kernel did not write: its symbol, or its concrete contents, as elements of the format
/// in which it writes others, or the other kernel does.
fn initial(
    bound: &Bound,
    tensor: usize,
    side: usize,
    written: Option<&TensorState>,
    terms: &mut Terms,
    index: u64,
) -> Option<Term> {
    let BoundTensor { declared, .. } = &bound.tensors[tensor];
    let (role, contents) =
        declared.as_ref().map_or((None, false), |tensor| (tensor.role, tensor.contents.is_some()));
    if matches!(role, Some(Role::Out | Role::Scratch)) {
        return None;
    }
    if !contents {
        return bound.number(tensor, index);
    }
    let setup = &bound.setups[side].tensors[tensor];
    let format = written?.format;
    if setup.format.is_some_and(|own| own.bits() != format.bits()) {
        return None;
    }
    Some(terms.number(format, setup.initial.bits(index)?))
}

impl Comparison {
    /// Names the outputs of a run that depend on unknowable values.
    fn unknowable(&mut self, bound: &Bound, run: &Run, kernel: &Kernel, first: u32) {
        let mut seen = FxHashSet::default();
        for state in &run.tensors {
            let name = &bound.tensors[state.tensor].name;
            let sources = state.elements.iter().filter_map(|(_, term, writer)| {
                Some((unknowable_in(run, kernel, first, term, &mut seen)?, writer))
            });
            let mut counts: BTreeMap<&str, (u64, u32)> = BTreeMap::new();
            for (source, writer) in sources {
                counts.entry(source).or_insert((0, writer)).0 += 1;
            }
            for (source, (count, writer)) in counts {
                let message = format!("`{name}` depends on `{source}`, which differs from run to run");
                let first = kernel.code.get(writer as usize).map(|instr| Label {
                    source: kernel.source,
                    span: instr.span,
                    text: String::new(),
                });
                self.ledger.note(Assumption::Environment(message), count, first);
            }
        }
    }

    /// What is assumed of a module variable that some kernel accesses.
    fn variable(&mut self, bound: &Bound, at: usize, states: &[Option<TensorState>]) {
        let tensor = &bound.tensors[at];
        if !tensor.is_variable() || !states.iter().flatten().any(|state| state.read || state.written) {
            return;
        }
        let name = &tensor.name;
        let told = match tensor.contents() {
            None => format!("`{name}` is a module variable: the host may set it, so it may hold anything"),
            Some(Contents::Declared) => format!(
                "`{name}` holds what the PTX declares, although the host may set it and earlier launches may change it"
            ),
            Some(_) => return,
        };
        let place = tensor.place.as_ref();
        self.ledger.note(Assumption::Environment(told), 1, place.map(|(label, _)| label.clone()));
        if let Some((label, true)) = place
            && tensor.is_left_to_the_host()
        {
            let message =
                format!("`{name}` has an initializer, and the host may overwrite it: any contents count");
            let note = format!("if nobody does, write `initial = \"as declared\"` under [tensors.{name}]");
            self.notes.push(Diagnostic::info(Code::V011, message).at(label.source, label.span).note(note));
        }
    }

    fn output(
        &mut self,
        at: usize,
        tensor: &BoundTensor,
        (states, alone): ([&Option<TensorState>; 2], bool),
        initial: &mut dyn FnMut(usize, u64) -> Option<Term>,
    ) {
        let reached = states.iter().filter_map(|state| Some(state.as_ref()?.reached)).max();
        let shape = tensor.shape().cloned().unwrap_or_else(|| vec![reached.unwrap_or(0)]);
        let count: u64 = shape.iter().product();
        let output = self.outputs.len();
        let contents = tensor.contents().is_some();
        let mut one_sided = Vec::new();
        let (mut written, mut first_unwritten) = (0, None);
        let mut sides = states.map(|state| {
            let elements = state.as_ref().map(|state| &state.elements);
            elements.into_iter().flat_map(Written::iter).peekable()
        });
        // A single kernel is compared with itself: the pairs list its outputs.
        while let Some(index) = sides.iter_mut().filter_map(|side| Some(side.peek()?.0)).min() {
            if index != written && first_unwritten.is_none() {
                first_unwritten = Some(written);
            }
            written += 1;
            let mut side = |at: usize| sides[at].next_if(|(next, ..)| *next == index);
            let (reference, optimized) = (side(0), side(1));
            let writer = |side: Option<(u64, Term, u32)>| side.map(|(.., writer)| writer);
            let writers = [writer(reference), writer(optimized)];
            let value = |side: usize,
                         written: Option<(u64, Term, u32)>,
                         initial: &mut dyn FnMut(usize, u64) -> Option<Term>| {
                written.map(|(_, term, _)| term).or_else(|| initial(side, index))
            };
            match (value(0, reference, initial), value(1, optimized, initial)) {
                (Some(f), Some(g)) => {
                    self.pairs.push((f, g));
                    self.places.push(Place { output, index, writers });
                }
                (Some(value), None) => {
                    let (writer, instr) = (Source::Reference, writers[0].unwrap_or(u32::MAX));
                    one_sided.push(OneSided { index, writer, value, instr, contents });
                }
                (None, Some(value)) => {
                    let (writer, instr) = (Source::Optimized, writers[1].unwrap_or(u32::MAX));
                    one_sided.push(OneSided { index, writer, value, instr, contents });
                }
                (None, None) => {}
            }
        }
        if written < count {
            first_unwritten = first_unwritten.or(Some(written));
        }
        let unwritten = count.saturating_sub(written);
        let output = Output { tensor: at, shape, one_sided, unwritten, first_unwritten };
        if let Some(first) = output.first_unwritten {
            let first = format!("{}{}", tensor.name, index_name(&output.shape, first));
            let who = if alone { "the kernel does not write" } else { "neither kernel writes" };
            let message = match unwritten {
                _ if unwritten == count => format!("{who} the output `{}`", tensor.name),
                1 => format!("{who} the element `{first}`"),
                _ => format!(
                    "{who} {unwritten} of the {count} elements of `{}`, the first of them `{first}`",
                    tensor.name
                ),
            };
            let declared = tensor.role().is_some();
            self.notes.push(match declared {
                true => Diagnostic::warning(Code::Q003, message),
                false => Diagnostic::info(Code::Q003, message),
            });
        }
        self.outputs.push(output);
    }
}

/// A format for every tensor whose format was left to the runs, and on which they disagree in a
/// way that would compare integers with reals. Floats win: plain loads and stores of bits move
/// them too. Of two floats of one width the first counts: both kernels can be given the same bytes, which
/// are then other numbers to the other (where widths differ, each has the same numbers in its own format).
pub fn disagreements(bound: &Bound, runs: &[&Run]) -> Vec<(usize, Format)> {
    let mut found = Vec::new();
    for (at, tensor) in bound.tensors.iter().enumerate() {
        if tensor.given.iter().any(|given| *given) || matches!(tensor.contents(), Some(Contents::List(_))) {
            continue;
        }
        let states = runs.iter().filter_map(|run| run.tensors.iter().find(|state| state.tensor == at));
        let formats: Vec<Format> = states.filter(|s| s.read || s.written).map(|state| state.format).collect();
        // Whether integers have a sign has to be agreed upon: an element is one number.
        let classes = |format: &Format| (format.class(), format.bytes());
        let first = formats.first().map(classes);
        if formats.iter().all(|format| format.is_float()) {
            let exact = |format: &Format| if *format == Format::Tf32 { Format::F32 } else { *format };
            let same_bytes =
                |one: &Format, other: &Format| one.bytes() == other.bytes() && exact(one) != exact(other);
            if formats.iter().skip(1).any(|format| same_bytes(&formats[0], format)) {
                found.push((at, formats[0]));
            }
            continue;
        }
        if formats.iter().all(|format| Some(classes(format)) == first) {
            continue;
        }
        if let Some(float) = formats.iter().find(|format| format.is_float()) {
            found.push((at, *float));
        } else if let Some(narrow) = formats.iter().min_by_key(|format| format.bytes()) {
            found.push((at, *narrow));
        }
    }
    found
}
