//! A formula in the place of the reference kernel.
//!
//! Its tensors are the kernel's, by name. [`Reference::complete`] writes into the spec what the formula shows
//! (roles, shapes of outputs); [`Reference::run`] leaves behind what a kernel's run would: the elements of its
//! outputs, as terms. Only those elements are computed that the kernel wrote, and all of them where all CTAs ran,
//! so that one tile of a large product costs one tile.
//!
//! What a kernel writes beside that is not compared, and the ledger says so.

use super::arguments::{Asked, assign, mentioned};
use super::bind::{Bound, Named};
use super::variables::declares;
use crate::base::{Budget, Exhausted, Format, Source, Span, nearest};
use crate::diag::{Assumption, Code, Diagnostic, Ledger};
use crate::formula::{self, Elaborated, Evaluation, Input, Kind, Number, Problem, Program, Stopped};
use crate::ir::Kernel;
use crate::sim::{Initial, Run, Stats, TensorState, Written};
use crate::spec::{Argument, Literal, Role, Side, Spec, Tensor};
use crate::term::{Term, Terms};
use num_rational::BigRational;

/// A formula that could be read.
pub struct Reference {
    /// Its assignments.
    pub program: Program,
    /// What stands for it where a kernel is expected.
    pub kernel: Kernel,
}

/// Why a formula has no outputs.
pub enum Failure {
    /// It does not fit.
    Wrong(Vec<Diagnostic>),
    /// The budget.
    Exhausted(Exhausted),
    /// Elements have to be numbered as they are touched.
    Unnumbered,
}

impl From<Vec<Problem>> for Failure {
    fn from(problems: Vec<Problem>) -> Failure {
        Failure::Wrong(problems.into_iter().map(diagnostic).collect())
    }
}

#[cold]
fn diagnostic(problem: Problem) -> Diagnostic {
    let place = problem.span;
    let diagnostic = Diagnostic::error(Code::V012, problem.message);
    let diagnostic = problem.notes.into_iter().fold(diagnostic, Diagnostic::note);
    if place == Span::default() { diagnostic } else { diagnostic.at(Source::Reference, place) }
}

/// Reads a formula.
pub fn read(code: &str) -> Result<Reference, Vec<Diagnostic>> {
    let (program, problems) = formula::parse(code);
    if !problems.is_empty() {
        return Err(problems.into_iter().map(diagnostic).collect());
    }
    let kernel =
        Kernel::of_formula(Source::Reference, program.statements.iter().map(|statement| statement.span));
    Ok(Reference { program, kernel })
}

impl Reference {
    /// Writes into the spec what the formula shows about the kernel's tensors; the names of those whose shape it is.
    pub fn complete(
        &self,
        spec: &mut Spec,
        optimized: &Kernel,
        ledger: &mut Ledger,
    ) -> Result<Vec<String>, Vec<Diagnostic>> {
        let side = spec.optimized.clone();
        // What is wrong with the arguments is told where they are bound.
        let Some(arguments) = self.assigned(spec, optimized) else { return Ok(Vec::new()) };
        let mut sized = Vec::new();
        let names = names(spec, optimized, &arguments);
        let inputs: Vec<Input> = names.iter().map(|name| name.input(spec)).collect();
        let mentions = self.program.mentions();
        let open = |input: &Input| input.shape.is_none() && mentions.contains(&input.name.as_str());
        let targets: Vec<&str> = self.program.targets();
        let is_tensor = |name: &str| names.iter().any(|known| known.tensor && known.name == name);
        if let Some(stranger) = self.stranger(spec, optimized, &arguments) {
            return Err(vec![stranger]);
        }
        if !targets.iter().any(|target| is_tensor(target)) {
            return Err(vec![self.without_output(&names, optimized, &side)]);
        }
        for tensor in &spec.tensors {
            if matches!(tensor.role, Some(Role::Out | Role::InOut))
                && !targets.contains(&tensor.name.as_str())
            {
                let message = format!("the formula does not say what the output `{}` is", tensor.name);
                let note = format!("assign it, or leave its role out: `{} = …`", tensor.name);
                return Err(vec![
                    Diagnostic::error(Code::V012, message).at(Source::Spec, tensor.span).note(note),
                ]);
            }
        }
        let elaborated = match formula::elaborate(&self.program, &inputs) {
            Ok(elaborated) => Some(elaborated),
            // Sizes that nobody declares are known after the run.
            Err(_) if inputs.iter().any(open) => None,
            Err(problems) => return Err(self.told(problems, optimized, &side)),
        };
        for name in names.iter().filter(|name| name.tensor) {
            let target = targets.contains(&name.name.as_str());
            if !target && !mentions.contains(&name.name.as_str()) {
                continue;
            }
            let at = spec.tensors.iter().position(|tensor| tensor.name == name.name).unwrap_or_else(|| {
                spec.tensors.push(Tensor {
                    name: name.name.clone(),
                    format: None,
                    shape: None,
                    strides: None,
                    role: None,
                    contents: None,
                    span: Span::default(),
                    written: Vec::new(),
                });
                spec.tensors.len() - 1
            });
            let tensor = &mut spec.tensors[at];
            if overlaps(tensor) {
                let message =
                    format!("several elements of `{}` lie at one place, by its strides", tensor.name);
                let note = "a formula takes them for different ones: declare what lies in memory, and use `broadcast_to`";
                return Err(vec![
                    Diagnostic::error(Code::V012, message).at(Source::Spec, tensor.span).note(note),
                ]);
            }
            if !target && tensor.role.is_none() {
                tensor.role = Some(Role::In);
            }
            let found = elaborated.as_ref().and_then(|elaborated| shape_of(elaborated, &name.name));
            let (Some((shape, span)), true) = (found, target) else { continue };
            match &tensor.shape {
                Some(declared) if !fits(declared, &shape) => {
                    let problem = Problem::new(
                        span,
                        format!(
                            "`{}` has the shape {declared:?} and gets a value of shape {shape:?}",
                            name.name
                        ),
                    );
                    return Err(vec![diagnostic(problem)]);
                }
                Some(_) => {}
                None => {
                    let text = format!("`{}` has the shape {shape:?}, as the formula says", name.name);
                    ledger.note(Assumption::Inferred(text), 1, None);
                    tensor.shape = Some(shape);
                    sized.push(name.name.clone());
                }
            }
        }
        Ok(sized)
    }

    /// The arguments of the kernel beside it, where the spec and the formula show them.
    pub fn assigned(&self, spec: &Spec, optimized: &Kernel) -> Option<Vec<Argument>> {
        let asked =
            Asked { source: Source::Optimized, side: &spec.optimized, kernel: optimized, formula: None };
        let own = Asked {
            source: Source::Reference,
            side: &Side::default(),
            kernel: &self.kernel,
            formula: Some(&self.program),
        };
        assign(spec, &[own, asked]).ok()?.arguments.pop()
    }

    /// A tensor of the spec that the formula names and the kernel does not take: what it says of that would be said of
    /// nothing. Contents that the spec gives are numbers, whoever takes them.
    #[cold]
    fn stranger(&self, spec: &Spec, optimized: &Kernel, arguments: &[Argument]) -> Option<Diagnostic> {
        let mut taken: Vec<String> = arguments.iter().flat_map(mentioned).map(str::to_owned).collect();
        taken.extend(super::views::variables(spec, optimized).into_iter().map(|(_, name)| name));
        let (targets, mentions) = (self.program.targets(), self.program.mentions());
        let found = spec.tensors.iter().find(|tensor| {
            let name = tensor.name.as_str();
            let read = mentions.contains(&name) && tensor.contents.is_none();
            let takes = taken.iter().any(|known| known == name) || declares(optimized, name);
            (targets.contains(&name) || read) && !takes
        })?;
        let target = self.program.statements.iter().map(|statement| &statement.target);
        let target = target.into_iter().find(|target| target.text == found.name);
        let how = if target.is_some() { "assigns" } else { "reads" };
        let message =
            format!("the formula {how} `{}`, which `{}` does not take", found.name, optimized.title());
        let diagnostic = Diagnostic::error(Code::V012, message);
        let diagnostic = match target {
            Some(target) => diagnostic.at(Source::Reference, target.span),
            None => diagnostic.at(Source::Spec, found.span),
        };
        let mut own: Vec<String> = Vec::new();
        for name in arguments.iter().flat_map(mentioned) {
            if spec.scalars.iter().all(|scalar| scalar.name != name) && own.iter().all(|known| known != name)
            {
                own.push(name.to_owned());
            }
        }
        let names: Vec<String> = own.iter().map(|name| format!("`{name}`")).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let diagnostic = diagnostic.note(match &spec.optimized.args {
            Some(_) => format!(
                "`args` under [optimized] says that it takes {names}: name these under [tensors] and in the formula, or \
                 change `args`"
            ),
            None => format!(
                "it takes {names}: name these under [tensors] and in the formula, or give the parameters your names, one \
                 for each in their order, under [optimized]: `{}`",
                super::arguments::args(optimized)
            ),
        });
        Some(match nearest(&found.name, own.iter().map(String::as_str)) {
            Some(near) => diagnostic.note(format!("did you mean `{near}`?")),
            None => diagnostic,
        })
    }

    /// That nothing would be compared.
    #[cold]
    fn without_output(&self, names: &[Known], optimized: &Kernel, side: &Side) -> Diagnostic {
        let tensors: Vec<String> =
            names.iter().filter(|name| name.tensor).map(|name| format!("`{}`", name.name)).collect();
        let message = match tensors.as_slice() {
            [] => format!("`{}` takes no tensor that the formula could assign", optimized.title()),
            _ => format!("the formula assigns none of the kernel's tensors, {}", tensors.join(", ")),
        };
        let place = self.program.statements.last().map_or(Span::default(), |statement| statement.target.span);
        self.named(Diagnostic::error(Code::V012, message).at(Source::Reference, place), optimized, side)
    }

    #[cold]
    fn told(&self, problems: Vec<Problem>, optimized: &Kernel, side: &Side) -> Vec<Diagnostic> {
        let each = |problem: Problem| {
            let stranger = problem.message.contains("neither a tensor");
            let told = diagnostic(problem);
            if stranger { self.named(told, optimized, side) } else { told }
        };
        problems.into_iter().map(each).collect()
    }

    /// Where the kernel's parameters have no names, how to give them some.
    #[cold]
    fn named(&self, diagnostic: Diagnostic, optimized: &Kernel, side: &Side) -> Diagnostic {
        if side.args.is_some() || optimized.parameters.is_empty() {
            return diagnostic;
        }
        let names = super::arguments::args(optimized);
        diagnostic.note(format!(
            "the kernel's parameters get their names in the spec, one for each, under [optimized]: `{names}`"
        ))
    }

    /// What a run of a kernel would leave behind that computes the formula.
    pub fn run(&self, spec: &Spec, bound: &Bound, optimized: &Run, budget: &Budget) -> Result<Run, Failure> {
        let reached =
            |at: usize| optimized.tensors.iter().find(|state| state.tensor == at).map(|state| state.reached);
        let inputs = inputs(spec, bound, &|at| reached(at).unwrap_or(0));
        let elaborated = formula::elaborate(&self.program, &inputs)?;
        let setups = &bound.setups[0].tensors;
        let mut wrong = Vec::new();
        for at in elaborated.reads.iter().filter(|at| **at < bound.tensors.len()) {
            let name = &bound.tensors[*at].name;
            let problem = match setups[*at].initial {
                Initial::Undefined => format!("the formula reads `{name}`, which has the role of an output"),
                _ if bound.tensors[*at].is_declared_by_ptx() => {
                    format!(
                        "the formula reads `{name}`, which holds what the PTX declares: give its `contents`"
                    )
                }
                _ => continue,
            };
            wrong.push(
                Diagnostic::error(Code::V012, problem)
                    .note("role = \"inout\" is for what is read and written"),
            );
        }
        let places: Vec<Option<usize>> = (0..bound.tensors.len())
            .map(|at| elaborated.assigned.iter().position(|assigned| assigned.name == bound.tensors[at].name))
            .collect();
        for (tensor, place) in bound.tensors.iter().zip(&places) {
            let Some(assigned) = place.map(|place| &elaborated.assigned[place]) else { continue };
            let (shape, real) =
                (elaborated.graph.shape(assigned.id), elaborated.graph.kind(assigned.id) == Kind::Real);
            let problem = match tensor.shape() {
                Some(declared) if !fits(declared, shape) => {
                    format!(
                        "`{}` has the shape {declared:?} and gets a value of shape {shape:?}",
                        tensor.name
                    )
                }
                _ if real && !tensor.format().is_float() => {
                    format!(
                        "`{}` holds integers and gets real numbers: write `astype(…, {})`",
                        tensor.name,
                        formula::dtype_name(tensor.format())
                    )
                }
                _ => continue,
            };
            wrong.push(diagnostic(Problem::new(assigned.span, problem)));
        }
        if !wrong.is_empty() {
            return Err(Failure::Wrong(wrong));
        }
        self.evaluate(bound, optimized, budget, &elaborated, &places)
    }

    /// Elements of the outputs, over terms of a kernel, with [`OUTSIDE`](super::inside::OUTSIDE) in the place of what
    /// lies outside of an axis; `None` where no index comes from data.
    pub fn values_outside(
        &self,
        (spec, bound): (&Spec, &Bound),
        reached: &dyn Fn(usize) -> u64,
        places: &[(usize, u64)],
        terms: &mut Terms,
        budget: &Budget,
    ) -> Result<Option<Vec<Term>>, Exhausted> {
        // What is wrong with a formula was told when it ran.
        let Ok(elaborated) = formula::elaborate(&self.program, &inputs(spec, bound, reached)) else {
            return Ok(None);
        };
        if !elaborated.graph.takes_indices() {
            return Ok(None);
        }
        let input = |terms: &mut Terms, at: usize, index: u64| input(bound, terms, at, index);
        let mut evaluation = Evaluation::new(&elaborated.graph, budget, std::mem::take(terms), input);
        evaluation.outside = Some(super::inside::OUTSIDE);
        let mut values = Vec::with_capacity(places.len());
        for (tensor, index) in places {
            let name = &bound.tensors[*tensor].name;
            let assigned = elaborated.assigned.iter().find(|assigned| assigned.name == *name);
            values.push(match assigned.map(|assigned| evaluation.element(assigned.id, *index)) {
                Some(Ok(value)) => value,
                Some(Err(Stopped::Exhausted(why))) => return Err(why),
                Some(Err(_)) | None => Term::ZERO,
            });
        }
        let some = evaluation.indexed > 0;
        *terms = evaluation.terms;
        Ok(some.then_some(values))
    }

    fn evaluate(
        &self,
        bound: &Bound,
        optimized: &Run,
        budget: &Budget,
        elaborated: &Elaborated,
        places: &[Option<usize>],
    ) -> Result<Run, Failure> {
        let input = |terms: &mut Terms, at: usize, index: u64| input(bound, terms, at, index);
        let mut evaluation = Evaluation::new(&elaborated.graph, budget, noted(bound), input);
        let whole = bound.setups[1].launch.runs_all();
        let mut tensors = Vec::new();
        for (at, place) in places.iter().enumerate() {
            let state = optimized.tensors.iter().find(|state| state.tensor == at);
            let format = state.map_or(bound.tensors[at].format(), |state| state.format);
            let mut own = TensorState {
                tensor: at,
                format,
                read: elaborated.reads.contains(&at),
                written: place.is_some(),
                reached: 0,
                elements: Written::default(),
            };
            if let Some(place) = place {
                let assigned = &elaborated.assigned[*place];
                let count: u64 = elaborated.graph.shape(assigned.id).iter().product();
                let mut stretch = |from: u64, to: u64| -> Result<(), Failure> {
                    let mut values = Vec::new();
                    evaluation.stretch(assigned.id, from, to - from, &mut values).map_err(|stopped| {
                        match stopped {
                            Stopped::Exhausted(why) => Failure::Exhausted(why),
                            Stopped::Unnumbered => Failure::Unnumbered,
                            Stopped::Problem(problem) => Failure::Wrong(vec![diagnostic(problem)]),
                        }
                    })?;
                    for (index, value) in (from..to).zip(values) {
                        let kind = elaborated.graph.kind(assigned.id);
                        let value = stored(&mut evaluation.terms, kind, format, value);
                        own.elements.push(index, value, assigned.statement as u32);
                    }
                    Ok(())
                };
                if whole {
                    for from in (0..count).step_by(TOGETHER as usize) {
                        stretch(from, count.min(from + TOGETHER))?;
                    }
                } else if let Some(state) = state {
                    let mut indices = state
                        .elements
                        .iter()
                        .map(|(index, ..)| index)
                        .take_while(|at| *at < count)
                        .peekable();
                    while let Some(first) = indices.next() {
                        let mut end = first + 1;
                        while end - first < TOGETHER && indices.next_if_eq(&end).is_some() {
                            end += 1;
                        }
                        stretch(first, end)?;
                    }
                }
            }
            if own.read || own.written {
                tensors.push(own);
            }
        }
        let mut ledger = Ledger::default();
        if evaluation.converted > 0 {
            ledger.note(Assumption::ConvertedInRange, evaluation.converted, None);
        }
        if evaluation.indexed > 0 {
            let what = "indices that the formula takes from data lie in their axes, from 0 on".to_owned();
            ledger.note(Assumption::Other(what), evaluation.indexed, None);
        }
        let terms = evaluation.terms;
        Ok(Run {
            ledger,
            stats: Stats { bytes: terms.bytes(), terms: terms.len() as u64, ..Stats::default() },
            terms,
            tensors,
            ..Run::default()
        })
    }
}

/// Some elements of one output as a formula gives them; nothing where it does not fit, or not soon.
///
/// `reached` says how many elements of a tensor the kernel touched.
pub fn elements(
    code: &str,
    (spec, bound): (&Spec, &Bound),
    reached: &dyn Fn(usize) -> u64,
    (output, shape): (usize, &[u64]),
    indices: &[u64],
    budget: &Budget,
) -> Option<(Terms, Vec<Term>)> {
    let (program, problems) = formula::parse(code);
    if !problems.is_empty() {
        return None;
    }
    let elaborated = formula::elaborate(&program, &inputs(spec, bound, reached)).ok()?;
    let tensor = &bound.tensors[output];
    let assigned = elaborated.assigned.iter().find(|assigned| assigned.name == tensor.name)?;
    let (kind, format) = (elaborated.graph.kind(assigned.id), tensor.format());
    if !fits(shape, elaborated.graph.shape(assigned.id)) || (kind == Kind::Real && !format.is_float()) {
        return None;
    }
    let input = |terms: &mut Terms, at: usize, index: u64| input(bound, terms, at, index);
    let mut evaluation = Evaluation::new(&elaborated.graph, budget, noted(bound), input);
    let value = |index: &u64| {
        let value = evaluation.element(assigned.id, *index).ok()?;
        Some(stored(&mut evaluation.terms, kind, format, value))
    };
    let values = indices.iter().map(value).collect::<Option<Vec<_>>>()?;
    Some((evaluation.terms, values))
}

/// What a formula may name: tensors, the kernel's scalars, and the spec's.
pub(super) fn inputs(spec: &Spec, bound: &Bound, reached: &dyn Fn(usize) -> u64) -> Vec<Input> {
    let mut inputs: Vec<Input> = Vec::new();
    for (at, tensor) in bound.tensors.iter().enumerate() {
        // Of what is open, as many elements as the kernel reached.
        let open = || Some(reached(at)).filter(|some| *some > 0).map(|some| vec![some]);
        let (shape, kind) = (tensor.shape().cloned().or_else(open), kind(Some(tensor.format())));
        inputs.push(Input { name: tensor.name.clone(), shape, kind, number: None });
    }
    let written = |name: &str| spec.scalars.iter().find(|scalar| scalar.name == name)?.value.ok();
    inputs.extend(bound.named.iter().map(|named| match written(&named.name) {
        // An integer has no sign in a parameter of bits, and a float no kind.
        Some(value) if !named.format.is_float() => exactly(&named.name, value),
        _ => named.input(),
    }));
    for scalar in &spec.scalars {
        if inputs.iter().all(|input| input.name != scalar.name)
            && let Ok(value) = scalar.value
        {
            inputs.push(exactly(&scalar.name, value));
        }
    }
    inputs
}

/// A store that knows the elements of the inputs.
fn noted(bound: &Bound) -> Terms {
    let mut terms = Terms::new();
    for block in bound.elements.blocks() {
        terms.note_elements(block.first, block.format);
    }
    terms
}

/// An element of an input, or a scalar.
fn input(bound: &Bound, terms: &mut Terms, at: usize, index: u64) -> Option<Term> {
    match at.checked_sub(bound.setups[0].tensors.len()) {
        None => initially(bound, 0, terms, at, index),
        Some(scalar) => Some(bound.named[scalar].term(terms)),
    }
}

/// What an element of a tensor is for a kernel before the launch; `None` if it has no number yet.
pub(super) fn initially(
    bound: &Bound,
    kernel: usize,
    terms: &mut Terms,
    tensor: usize,
    index: u64,
) -> Option<Term> {
    let setup = &bound.setups[kernel].tensors[tensor];
    if let Some(bits) = setup.initial.bits(index) {
        return Some(terms.number(setup.format.unwrap_or(Format::F32), bits));
    }
    let term = bound.number(tensor, index)?;
    if let (Some(element), true) = (term.as_element(), index >= bound.tensors[tensor].reserved) {
        terms.note_elements(element, bound.tensors[tensor].format());
    }
    Some(term)
}

/// A value as it is stored in a format.
fn stored(terms: &mut Terms, kind: Kind, format: Format, value: Term) -> Term {
    let value = match kind {
        Kind::Truth => terms.select(value, Term::ONE, Term::ZERO),
        _ => value,
    };
    if format.is_float() { value } else { terms.wrapped(format, value) }
}

/// Elements of an output that are computed together.
const TOGETHER: u64 = 4096;

/// A name that the kernel or the spec knows.
struct Known {
    name: String,
    tensor: bool,
    /// The format that a parameter has.
    format: Option<Format>,
}

impl Known {
    fn input(&self, spec: &Spec) -> Input {
        let tensor = spec.tensors.iter().find(|tensor| tensor.name == self.name);
        let scalar = spec.scalars.iter().find(|scalar| scalar.name == self.name);
        match (self.tensor, scalar.map(|scalar| scalar.value)) {
            (true, _) => Input {
                name: self.name.clone(),
                shape: tensor.and_then(|tensor| tensor.shape.clone()),
                kind: kind(tensor.and_then(|tensor| tensor.format)),
                number: None,
            },
            (false, Some(Ok(value))) => exactly(&self.name, value),
            (false, _) => Input {
                name: self.name.clone(),
                shape: Some(Vec::new()),
                kind: kind(self.format),
                number: None,
            },
        }
    }
}

/// All names: the spec's, and those of the kernel's arguments.
fn names(spec: &Spec, kernel: &Kernel, arguments: &[Argument]) -> Vec<Known> {
    let mut names: Vec<Known> = Vec::new();
    for tensor in &spec.tensors {
        names.push(Known { name: tensor.name.clone(), tensor: true, format: None });
    }
    for scalar in &spec.scalars {
        names.push(Known { name: scalar.name.clone(), tensor: false, format: scalar.value.err() });
    }
    for (parameter, argument) in kernel.parameters.iter().zip(arguments) {
        for name in mentioned(argument) {
            if names.iter().all(|known| known.name != name) {
                let tensor =
                    parameter.pointer || matches!(argument, Argument::Tensor { .. } | Argument::View(_));
                names.push(Known { name: name.to_owned(), tensor, format: Some(parameter.format) });
            }
        }
    }
    names
}

/// A scalar that is known.
pub(super) fn exactly(name: &str, value: Literal) -> Input {
    let (number, kind) = match value {
        Literal::Integer(value) => {
            (Some(Number::Rational(BigRational::from_integer(value.into()))), Kind::Word(Format::S64))
        }
        // As it is written: 0.1 is a tenth.
        Literal::Float(value) => (formula::decimal(value), Kind::Real),
    };
    Input { name: name.to_owned(), shape: Some(Vec::new()), kind, number }
}

pub(super) fn kind(format: Option<Format>) -> Kind {
    match format {
        Some(format) if !format.is_float() => Kind::Word(format),
        _ => Kind::Real,
    }
}

/// Whether strides may lead several elements to one place.
fn overlaps(tensor: &Tensor) -> bool {
    let (Some(strides), Some(shape)) = (&tensor.strides, &tensor.shape) else { return false };
    let mut axes: Vec<(u64, u64)> =
        strides.iter().copied().zip(shape.iter().copied()).filter(|(_, extent)| *extent > 1).collect();
    axes.sort_unstable();
    let mut reach = 0u64;
    axes.into_iter().any(|(stride, extent)| {
        let beyond = stride > reach;
        reach = reach.saturating_add(stride.saturating_mul(extent - 1));
        !beyond
    })
}

/// Whether a value can be assigned: axes of length 1 may be missing.
fn fits(declared: &[u64], value: &[u64]) -> bool {
    let long = |shape: &[u64]| shape.iter().copied().filter(|extent| *extent != 1).collect::<Vec<_>>();
    long(declared) == long(value)
}

fn shape_of(elaborated: &Elaborated, name: &str) -> Option<(Vec<u64>, Span)> {
    let assigned = elaborated.assigned.iter().find(|assigned| assigned.name == name)?;
    Some((elaborated.graph.shape(assigned.id).to_vec(), assigned.span))
}

impl Named {
    /// A scalar parameter as the formula sees it: a whole number is known, anything else is what the kernel gets.
    fn input(&self) -> Input {
        let number = match self.term {
            Err(bits) if !self.format.is_float() => {
                let mut terms = Terms::new();
                let term = terms.number(self.format, bits);
                terms.as_rational(term).cloned().map(Number::Rational)
            }
            _ => None,
        };
        let kind = if number.is_some() { Kind::Word(Format::S64) } else { kind(Some(self.format)) };
        Input { name: self.name.clone(), shape: Some(Vec::new()), kind, number }
    }

    pub(super) fn term(&self, terms: &mut Terms) -> Term {
        match self.term {
            Ok(term) => term,
            Err(bits) => terms.number(self.format, bits),
        }
    }
}
