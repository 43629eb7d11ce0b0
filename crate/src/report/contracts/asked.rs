//! A condition evaluated over a run: what its names stand for, and each thing that has to hold.

use super::super::bind::Bound;
use super::super::formula::{exactly, initially, inputs, kind};
use super::{Contract, Failure, plain};
use crate::base::{Budget, Exhausted, Span};
use crate::formula::{self, Elaborated, Evaluation, Id, Input, Op, Operation, Stopped};
use crate::ir::Claim;
use crate::sim::{Observation, Run, TensorState, Thread};
use crate::spec::{self, Literal, Spec};
use crate::term::{Node, Term, Terms, coordinates};
use std::cell::Cell;

/// What a name in a condition stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A tensor before the launch.
    Initial(usize),
    /// A tensor after it.
    Final(usize),
    Scalar(usize),
    /// A register of this thread, or of the other one.
    Register(usize, bool),
    /// A coordinate of this thread, or of the other one.
    Coordinate(usize, bool),
    /// A number.
    Known,
}

/// The names that a condition can use.
pub(super) struct Scope {
    pub(super) inputs: Vec<Input>,
    origins: Vec<Origin>,
}

/// What CUDA calls a thread's coordinates: six numbers.
const COORDINATES: [&str; 6] =
    ["threadIdx.x", "threadIdx.y", "threadIdx.z", "blockIdx.x", "blockIdx.y", "blockIdx.z"];

fn coordinate(thread: Thread, at: usize) -> u32 {
    if at < 3 { thread.tid[at] } else { thread.cta[at - 3] }
}

impl Scope {
    /// Names of a whole launch; `after`: with what the kernel leaves behind.
    pub(super) fn of_launch(spec: &Spec, bound: &Bound, at: usize, run: &Run, after: bool) -> Scope {
        let known = inputs(spec, bound, &|at| reached(run, at));
        let tensors = bound.tensors.len();
        let mut scope = Scope { inputs: Vec::new(), origins: Vec::new() };
        for (index, mut input) in known.into_iter().enumerate() {
            let origin = match index.checked_sub(tensors) {
                None if after => {
                    let state = run.tensors.iter().find(|state| state.tensor == index);
                    if let Some(state) = state {
                        input.kind = kind(Some(state.format));
                    }
                    scope.add(
                        Input { name: format!("old({})", input.name), ..input.clone() },
                        Origin::Initial(index),
                    );
                    Origin::Final(index)
                }
                None => Origin::Initial(index),
                Some(scalar) if scalar < bound.named.len() => Origin::Scalar(scalar),
                Some(_) => Origin::Known,
            };
            scope.add(input, origin);
        }
        scope.launch(&bound.setups[at].launch);
        scope
    }

    /// Names of one thread, and of another one.
    pub(super) fn of_thread(spec: &Spec, bound: &Bound, at: usize, run: &Run, claim: &Claim) -> Scope {
        let mut scope = Scope { inputs: Vec::new(), origins: Vec::new() };
        for (index, input) in
            inputs(spec, bound, &|at| reached(run, at)).into_iter().enumerate().skip(bound.tensors.len())
        {
            let scalar = index - bound.tensors.len();
            let origin = if scalar < bound.named.len() { Origin::Scalar(scalar) } else { Origin::Known };
            scope.add(input, origin);
        }
        scope.launch(&bound.setups[at].launch);
        let views: &[&str] = if claim.others { &["", "other", "other_in_block"] } else { &[""] };
        for view in views {
            let seen = |name: String| if view.is_empty() { name } else { format!("{view}({name})") };
            let other = !view.is_empty();
            for (at, (name, format, _)) in claim.registers.iter().enumerate() {
                let kind = match format {
                    Some(format) => kind(Some(*format)),
                    None => formula::Kind::Truth,
                };
                let input = Input { name: seen(plain(name)), shape: Some(Vec::new()), kind, number: None };
                scope.add(input, Origin::Register(at, other));
            }
            for (at, name) in COORDINATES.iter().enumerate() {
                let kind = formula::Kind::Word(crate::base::Format::S64);
                let input =
                    Input { name: seen((*name).to_owned()), shape: Some(Vec::new()), kind, number: None };
                scope.add(input, Origin::Coordinate(at, other));
            }
        }
        scope
    }

    fn add(&mut self, input: Input, origin: Origin) {
        self.inputs.push(input);
        self.origins.push(origin);
    }

    fn launch(&mut self, launch: &spec::Launch) {
        for (name, extents) in [("gridDim", launch.grid), ("blockDim", launch.block)] {
            for (axis, extent) in ["x", "y", "z"].iter().zip(extents) {
                self.add(exactly(&format!("{name}.{axis}"), Literal::Integer(extent.into())), Origin::Known);
            }
        }
    }

    /// The two sides of `e != other(f)`: what depends on one thread alone, and on the other alone.
    pub(super) fn apart(&self, elaborated: &Elaborated) -> Option<(Id, Id)> {
        let graph = &elaborated.graph;
        let Op::Map(Operation::Not, inner) = &graph.node(elaborated.assigned.first()?.id).op else {
            return None;
        };
        let Op::Map(Operation::Equal, sides) = &graph.node(*inner.first()?).op else { return None };
        let depends = |id: Id, other: bool| {
            let mut open = vec![id];
            while let Some(id) = open.pop() {
                let op = &graph.node(id).op;
                if let Op::Input(at) = op
                    && matches!(self.origins[*at], Origin::Register(_, who) | Origin::Coordinate(_, who) if who == other)
                {
                    return true;
                }
                open.extend(op.operands());
            }
            false
        };
        let &[a, b] = sides.as_slice() else { return None };
        match () {
            () if !depends(a, true) && !depends(b, false) => Some((a, b)),
            () if !depends(b, true) && !depends(a, false) => Some((b, a)),
            () => None,
        }
    }
}

/// A condition being evaluated over a run.
pub(super) struct Asked<'a> {
    contract: &'a Contract,
    bound: &'a Bound,
    at: usize,
    run: &'a mut Run,
    scope: &'a Scope,
    budget: &'a Budget,
    /// This thread, and another.
    pub(super) threads: [Option<&'a Observation>; 2],
}

impl<'a> Asked<'a> {
    pub(super) fn new(
        contract: &'a Contract,
        bound: &'a Bound,
        at: usize,
        run: &'a mut Run,
        scope: &'a Scope,
        budget: &'a Budget,
    ) -> Asked<'a> {
        Asked { contract, bound, at, run, scope, budget, threads: [None; 2] }
    }

    /// Everything that has to hold, each with its place in the condition.
    pub(super) fn clauses(&mut self, elaborated: &Elaborated) -> Result<Vec<(String, Term)>, Failure> {
        let graph = &elaborated.graph;
        let root = elaborated.assigned[0].id;
        let many: u64 = graph.shape(root).iter().product();
        let mut found = Vec::new();
        let whole: Vec<(Id, u64, Vec<u64>)> = (0..many)
            .rev()
            .map(|index| {
                let shape = graph.shape(root);
                (root, index, if shape.is_empty() { Vec::new() } else { coordinates(index, shape) })
            })
            .collect();
        self.evaluate(elaborated, |evaluation| {
            let mut open = whole;
            while let Some((id, index, path)) = open.pop() {
                match &graph.node(id).op {
                    Op::Fold(formula::Fold::All, source) => {
                        let extent = graph.shape(*source).last().copied().unwrap_or(1);
                        for at in (0..extent).rev() {
                            let path = path.iter().copied().chain([at]).collect();
                            open.push((*source, index * extent + at, path));
                        }
                    }
                    Op::Map(Operation::And, both) => {
                        open.extend(both.iter().rev().map(|id| (*id, index, path.clone())));
                    }
                    Op::Reshape(source) => {
                        let shape = graph.shape(*source);
                        let place = if path.len() == 1 { coordinates(index, shape) } else { path };
                        open.push((*source, index, place));
                    }
                    _ => {
                        let term = evaluation.element(id, index)?;
                        let place = match path.as_slice() {
                            [] => String::new(),
                            path => format!(" at {path:?}"),
                        };
                        let mut parts = vec![term];
                        while let Some(term) = parts.pop() {
                            match evaluation.terms.node(term) {
                                Node::And(a, b) => parts.extend([b, a]),
                                _ => found.push((place.clone(), term)),
                            }
                        }
                    }
                }
            }
            Ok(found)
        })
    }

    /// One number of a condition.
    pub(super) fn one(&mut self, elaborated: &Elaborated, id: Id) -> Result<Term, Failure> {
        self.evaluate(elaborated, |evaluation| evaluation.element(id, 0))
    }

    fn evaluate<R>(
        &mut self,
        elaborated: &Elaborated,
        work: impl FnOnce(
            &mut Evaluation<'_, &mut dyn FnMut(&mut Terms, usize, u64) -> Option<Term>>,
        ) -> Result<R, Stopped>,
    ) -> Result<R, Failure> {
        let terms = std::mem::take(&mut self.run.terms);
        let unwritten = Cell::new(None);
        let (bound, at, origins, threads) = (self.bound, self.at, &self.scope.origins, self.threads);
        let states = &self.run.tensors;
        let mut input = |terms: &mut Terms, input: usize, index: u64| -> Option<Term> {
            let thread = |other: bool| threads[usize::from(other)];
            match origins[input] {
                Origin::Initial(tensor) => initially(bound, at, terms, tensor, index),
                Origin::Final(tensor) => match left(states, tensor, index) {
                    Some(value) => Some(value),
                    None if matches!(
                        bound.setups[at].tensors[tensor].initial,
                        crate::sim::Initial::Undefined
                    ) =>
                    {
                        unwritten.set(Some((tensor, index)));
                        None
                    }
                    None => initially(bound, at, terms, tensor, index),
                },
                Origin::Scalar(scalar) => Some(bound.named[scalar].term(terms)),
                Origin::Register(register, other) => Some(thread(other)?.values[register]),
                Origin::Coordinate(axis, other) => {
                    Some(terms.integer(coordinate(thread(other)?.site.thread, axis).into()))
                }
                Origin::Known => None,
            }
        };
        let mut evaluation = Evaluation::new(
            &elaborated.graph,
            self.budget,
            terms,
            &mut input as &mut dyn FnMut(&mut Terms, usize, u64) -> Option<Term>,
        );
        let result = work(&mut evaluation);
        self.run.terms = evaluation.terms;
        result.map_err(|stopped| match stopped {
            Stopped::Exhausted(why) => Failure::Exhausted(why),
            Stopped::Problem(problem) => Failure::Wrong(vec![self.contract.told(problem)]),
            Stopped::Unnumbered => match unwritten.get() {
                Some((tensor, index)) => {
                    let tensor = &bound.tensors[tensor];
                    let shape = tensor.shape().cloned().unwrap_or_default();
                    let name = format!("{}{}", tensor.name, crate::term::index_name(&shape, index));
                    let message =
                        format!("`{}` speaks of `{name}`, which nobody writes", self.contract.title());
                    let whole = Span { start: 0, end: u32::MAX };
                    let problem = formula::Problem::new(whole, message);
                    Failure::Wrong(vec![self.contract.told(match bound.setups[at].launch.runs_all() {
                        true => problem,
                        false => problem.note("only some CTAs run: write `ctas = \"all\"` under [launch]"),
                    })])
                }
                None => Failure::Exhausted(Exhausted::Memory),
            },
        })
    }
}

/// What a run has left in an element, if it wrote there.
fn left(states: &[TensorState], tensor: usize, index: u64) -> Option<Term> {
    let state = states.iter().find(|state| state.tensor == tensor)?;
    state.elements.get(index).map(|(term, _)| term)
}

/// Elements of a tensor that a run touched.
fn reached(run: &Run, tensor: usize) -> u64 {
    run.tensors.iter().find(|state| state.tensor == tensor).map_or(0, |state| state.reached)
}
