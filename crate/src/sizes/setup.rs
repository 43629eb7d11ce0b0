//! The question as unknowns: sizes, the launch, tensors, parameters.

use super::graph::Graph;
use super::poly::{Condition, Poly, Unknown};
use super::prover::{Memory, Prover, Seen, Value};
use super::solve::Work;
use super::unknowns::{Scope, Table};
use super::{Extent, Given, LARGEST, Named, Question, Stop};
use crate::base::Budget;
use crate::formula::{Argument, Expression, Operator, Sign, Syntax};
use crate::ir::{Kernel, SpecialReg};
use crate::isa::{Space, WARP};
use num_traits::ToPrimitive;
use std::collections::{BTreeMap, BTreeSet};

// Limits of every device since compute capability 5.0 (CUDA programming guide, technical specifications).
const THREADS: i128 = 1024;
const BLOCK: [i128; 3] = [1024, 1024, 64];
const GRID: [i128; 3] = [0x7fff_ffff, 0xffff, 0xffff];
/// Where addresses of global memory, and in the window of a CTA or thread, end.
const ADDRESSES: i128 = 1 << 48;
const WINDOW: i128 = 1 << 24;

/// What an expression over integers is.
enum Whole {
    Number(Poly),
    Truth(Condition),
}

impl<'a> Prover<'a> {
    pub(super) fn new(
        kernel: &'a Kernel,
        question: &'a Question,
        work: u64,
        budget: &'a Budget,
    ) -> Result<Prover<'a>, Stop> {
        let graph = Graph::new(kernel)
            .map_err(|pc| Stop { pc: Some(pc), reason: "a jump through a table of targets".to_owned() })?;
        if kernel.clustered {
            return Err(Stop { pc: None, reason: "clusters of CTAs".to_owned() });
        }
        let written = (0..graph.count()).map(|block| {
            let each = graph.instructions(block).map(|pc| kernel.dst(&kernel.code[pc]));
            each.flatten().copied().collect()
        });
        let written = written.collect();
        let live = graph.live(kernel);
        let mut prover = Prover {
            kernel,
            question,
            graph,
            table: Table::default(),
            work: Work { left: work },
            budget,
            sizes: Vec::new(),
            facts: Vec::new(),
            memories: Vec::new(),
            bases: BTreeSet::new(),
            specials: BTreeMap::new(),
            parameters: Vec::new(),
            variables: BTreeMap::new(),
            fits: BTreeMap::new(),
            leads_small: BTreeMap::new(),
            numbers: BTreeMap::new(),
            ratios: BTreeMap::new(),
            assumed: BTreeSet::new(),
            seen: Seen::default(),
            quick: 0,
            live,
            written,
        };
        let names = prover.names()?;
        prover.launch(&names)?;
        prover.memories(&names)?;
        Ok(prover)
    }

    /// The names, and the conditions on them.
    fn names(&mut self) -> Result<BTreeMap<String, Poly>, Stop> {
        let mut names = BTreeMap::new();
        for name in &self.question.names {
            let value = match &name.value {
                Named::Is(extent) => self.extent(extent, &names)?,
                Named::Open { from, step: 1 } => {
                    let from = i128::from(*from);
                    let unknown = self.table.add(Scope::Launch, Some(from), Some(LARGEST.into()));
                    self.sizes.push(unknown);
                    Poly::unknown(unknown)
                }
                Named::Open { from, step } => {
                    let most = (LARGEST - from) / step;
                    let unknown = self.table.add(Scope::Launch, Some(0), Some(most.into()));
                    self.sizes.push(unknown);
                    let steps = Poly::unknown(unknown).scaled((*step).into());
                    steps.and_then(|steps| steps.offset((*from).into())).unwrap_or_default()
                }
            };
            names.insert(name.name.clone(), value);
        }
        for when in &self.question.when {
            match self.whole(when.expression(), &names) {
                Some(Whole::Truth(condition)) => self.facts.push(condition),
                // What cannot be said is left out: then more is asked than has to be.
                Some(Whole::Number(_)) | None => {}
            }
        }
        Ok(names)
    }

    fn extent(&mut self, extent: &Extent, names: &BTreeMap<String, Poly>) -> Result<Poly, Stop> {
        match extent {
            Extent::Known(value) => Ok(Poly::constant((*value).into())),
            Extent::Written(whole) => match self.whole(whole.expression(), names) {
                Some(Whole::Number(poly)) => Ok(poly),
                _ => Err(Stop {
                    pc: None,
                    reason: "a size of the spec is no polynomial of the names".to_owned(),
                }),
            },
        }
    }

    fn whole(&mut self, expression: &Expression, names: &BTreeMap<String, Poly>) -> Option<Whole> {
        macro_rules! number {
            ($inner:expr) => {
                match self.whole($inner, names)? {
                    Whole::Number(poly) => poly,
                    Whole::Truth(_) => return None,
                }
            };
        }
        macro_rules! truth {
            ($inner:expr) => {
                match self.whole($inner, names)? {
                    Whole::Truth(condition) => condition,
                    Whole::Number(_) => return None,
                }
            };
        }
        let number = |poly: Poly| Some(Whole::Number(poly));
        let truth = |condition: Condition| Some(Whole::Truth(condition));
        match &expression.kind {
            Syntax::Number(value, true) => number(Poly::constant(value.to_integer().to_i128()?)),
            Syntax::Name(name) => number(names.get(name)?.clone()),
            Syntax::Unary(Sign::Not, inner) => truth(truth!(inner).not()?),
            Syntax::Unary(Sign::Minus, inner) => number(number!(inner).scaled(-1)?),
            Syntax::Unary(Sign::Plus, inner) => number(number!(inner)),
            Syntax::If(condition, yes, no) => {
                let (condition, yes, no) = (truth!(condition), number!(yes), number!(no));
                let other = condition.not()?;
                number(self.choose(vec![(condition, yes), (other, no)])?)
            }
            Syntax::Binary(Operator::And, a, b) => truth(Condition::all([truth!(a), truth!(b)])),
            Syntax::Binary(Operator::Or, a, b) => truth(Condition::any([truth!(a), truth!(b)])),
            Syntax::Binary(operator, a, b) => {
                let (a, b) = (number!(a), number!(b));
                match operator {
                    Operator::Add => number(a.plus(&b, 1)?),
                    Operator::Subtract => number(a.plus(&b, -1)?),
                    Operator::Multiply => number(a.times(&b)?),
                    Operator::FloorDivide => number(self.divided(&a, &b)?),
                    Operator::Remainder => number(a.plus(&self.divided(&a, &b)?.times(&b)?, -1)?),
                    Operator::Power => {
                        number(Poly::constant(a.value()?.checked_pow(u32::try_from(b.value()?).ok()?)?))
                    }
                    Operator::Less => truth(Condition::less(&a, &b)?),
                    Operator::LessEqual => truth(Condition::at_most(&a, &b)?),
                    Operator::Greater => truth(Condition::less(&b, &a)?),
                    Operator::GreaterEqual => truth(Condition::at_most(&b, &a)?),
                    Operator::Equal => truth(Condition::equal(&a, &b)?),
                    Operator::NotEqual => truth(Condition::equal(&a, &b)?.not()?),
                    _ => None,
                }
            }
            Syntax::Call(function, arguments) => {
                let mut values = Vec::new();
                for Argument { value, .. } in arguments {
                    values.push(number!(value));
                }
                let mut rest = values.into_iter();
                let mut value = rest.next()?;
                match function.text.as_str() {
                    "min" | "max" => {
                        for other in rest {
                            value = self.extreme(&value, &other, function.text == "max")?;
                        }
                        number(value)
                    }
                    "abs" => number(self.extreme(&value, &value.scaled(-1)?, true)?),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// `a // b`; a divisor that is not positive has no quotient here.
    fn divided(&mut self, a: &Poly, b: &Poly) -> Option<Poly> {
        if let Some(divisor) = b.value() {
            return if divisor > 0 { self.table.quotient(a, divisor) } else { None };
        }
        if self.table.interval(b).0? < 1 {
            return None;
        }
        let key = (a.clone(), b.clone());
        if let Some(known) = self.ratios.get(&key) {
            return Some(known.clone());
        }
        // a = q·b + r, 0 ≤ r < b.
        let positive = self.table.interval(a).0.is_some_and(|low| low >= 0);
        let scope = self.table.scope(a).max(self.table.scope(b));
        let most = self.table.interval(a).1.filter(|_| positive);
        let unknown = self.table.add(scope, positive.then_some(0), most);
        let quotient = Poly::unknown(unknown);
        let rest = a.plus(&quotient.times(b)?, -1)?;
        self.table.set_facts(
            unknown,
            Condition::all([Condition::at_least(rest.clone()), Condition::less(&rest, b)?]),
        );
        self.ratios.insert(key, quotient.clone());
        Some(quotient)
    }

    fn launch(&mut self, names: &BTreeMap<String, Poly>) -> Result<(), Stop> {
        let question = self.question;
        let mut threads = Some(Poly::constant(1));
        for axis in 0..3u8 {
            let at = usize::from(axis);
            for (extents, most, size, own, scope) in [
                (&question.block, BLOCK[at], SpecialReg::Ntid(axis), SpecialReg::Tid(axis), Scope::Thread),
                (&question.grid, GRID[at], SpecialReg::Nctaid(axis), SpecialReg::Ctaid(axis), Scope::Cta),
            ] {
                let extent = self.extent(&extents[at], names)?;
                // Launches beyond the limits do not happen.
                let fits = [
                    extent.offset(-1).map(Condition::at_least),
                    extent.scaled(-1).and_then(|poly| poly.offset(most)).map(Condition::at_least),
                ];
                self.facts.extend(fits.into_iter().flatten().filter(|fact| *fact != Condition::True));
                let extent = self.named(&extent, most);
                let index = match extent.value() {
                    Some(1) => Poly::default(),
                    _ => {
                        let last = extent.value().map_or(most, |value| value.min(most)) - 1;
                        let unknown = self.table.add(scope, Some(0), Some(last));
                        let below = Condition::less(&Poly::unknown(unknown), &extent);
                        self.table.set_facts(unknown, below.unwrap_or(Condition::True));
                        Poly::unknown(unknown)
                    }
                };
                if size == SpecialReg::Ntid(axis) {
                    threads = threads.and_then(|threads| threads.times(&extent));
                }
                self.specials.insert(size, extent);
                self.specials.insert(own, index);
            }
        }
        let most = threads.and_then(|threads| threads.scaled(-1)?.offset(THREADS)).map(Condition::at_least);
        self.facts.extend(most.filter(|fact| *fact != Condition::True));
        // The lane: the thread's number in the CTA, modulo 32.
        let of = |special: SpecialReg| self.specials.get(&special).cloned().unwrap_or_default();
        let [x, y, z] = [0, 1, 2].map(|axis| of(SpecialReg::Tid(axis)));
        let [width, height] = [0, 1].map(|axis| of(SpecialReg::Ntid(axis)));
        let row = z.times(&height).and_then(|rows| rows.plus(&y, 1));
        if let Some(number) = row.and_then(|row| row.times(&width)?.plus(&x, 1)) {
            let warp = self.table.quotient(&number, WARP as i128);
            let lane = warp.and_then(|warp| number.plus(&warp, -(WARP as i128)));
            self.specials.extend(lane.map(|lane| (SpecialReg::LaneId, lane)));
        }
        let dynamic = self.extent(&question.dynamic_shared, names)?;
        self.facts.extend(Some(Condition::at_least(dynamic.clone())).filter(|fact| *fact != Condition::True));
        self.specials.insert(SpecialReg::DynamicSharedSize, dynamic);
        Ok(())
    }

    /// An extent that is more than one unknown, as one: it lies within the limits, which then is no question.
    fn named(&mut self, extent: &Poly, most: i128) -> Poly {
        if extent.value().is_some() || extent.terms().count() == 1 && extent.degree() == 1 {
            return extent.clone();
        }
        let unknown = self.table.add(Scope::Launch, Some(1), Some(most));
        let named = Poly::unknown(unknown);
        match Condition::equal(&named, extent) {
            Some(fact) => {
                self.table.set_facts(unknown, fact);
                named
            }
            None => extent.clone(),
        }
    }

    fn memory(&mut self, name: &str, space: Space, bytes: Option<Poly>) -> usize {
        let end = if matches!(space, Space::Global | Space::Const) { ADDRESSES } else { WINDOW };
        let scope = if space == Space::Local { Scope::Thread } else { Scope::Launch };
        let own = self.table.add(scope, Some(0), Some(end));
        let generic = match space {
            Space::Global => own,
            _ => self.table.add(scope, Some(0), Some(ADDRESSES)),
        };
        self.bases.extend([own, generic]);
        self.memories.push(Memory { name: name.to_owned(), space, bytes, bases: [own, generic] });
        self.memories.len() - 1
    }

    fn memories(&mut self, names: &BTreeMap<String, Poly>) -> Result<(), Stop> {
        let question = self.question;
        for tensor in &question.tensors {
            let variable = tensor.variable.map(|index| &self.kernel.variables[index]);
            let bytes = match (variable.and_then(|variable| variable.size), &tensor.shape) {
                (Some(size), _) => Some(Poly::constant(size.into())),
                (None, None) => None,
                (None, Some(shape)) => {
                    let mut extents = Vec::new();
                    for extent in shape {
                        let extent = self.extent(extent, names)?;
                        let some = extent.offset(-1).map(Condition::at_least);
                        self.facts.extend(some.filter(|fact| *fact != Condition::True));
                        extents.push(extent);
                    }
                    let elements = match &tensor.strides {
                        None => extents.iter().try_fold(Poly::constant(1), |all, extent| all.times(extent)),
                        Some(strides) => {
                            let mut last = Some(Poly::constant(1));
                            for (extent, stride) in extents.iter().zip(strides) {
                                let stride = self.extent(stride, names)?;
                                let more = extent.offset(-1).and_then(|steps| steps.times(&stride));
                                last = last.zip(more).and_then(|(last, more)| last.plus(&more, 1));
                            }
                            last
                        }
                    };
                    elements.and_then(|elements| elements.scaled(tensor.bytes.into()))
                }
            };
            let space = variable.map_or(Space::Global, |variable| variable.space);
            let memory = self.memory(&tensor.name, space, bytes);
            if let Some(index) = tensor.variable {
                self.variables.insert(index as u32, memory);
            }
        }
        for (index, variable) in self.kernel.variables.iter().enumerate() {
            if self.variables.contains_key(&(index as u32)) || variable.is_function {
                continue;
            }
            let bytes = match variable.size {
                Some(size) => Some(Poly::constant(size.into())),
                None => self.specials.get(&SpecialReg::DynamicSharedSize).cloned(),
            };
            // Names of the same dynamic memory are one.
            let dynamic = variable.size.is_none() && variable.space == Space::Shared;
            let same = |(other, memory): (&u32, &usize)| {
                let known = &self.kernel.variables[*other as usize];
                (dynamic && known.size.is_none() && known.space == Space::Shared).then_some(*memory)
            };
            let memory = match self.variables.iter().find_map(same) {
                Some(memory) => memory,
                None => self.memory(&variable.name, variable.space, bytes),
            };
            self.variables.insert(index as u32, memory);
        }
        for (offset, size, given) in &question.parameters {
            let value = match given {
                Given::Any => Value::Data(Scope::Launch),
                Given::Integer(extent) => Value::Number(self.extent(extent, names)?),
                Given::Pointer { tensor, offset, bytes } => {
                    let element = self.extent(offset, names)?;
                    let base = Poly::unknown(self.memories[*tensor].bases[1]);
                    match element.scaled((*bytes).into()).and_then(|offset| base.plus(&offset, 1)) {
                        Some(address) => Value::Number(address),
                        None => Value::Data(Scope::Launch),
                    }
                }
            };
            self.parameters.push((*offset, *size, value));
        }
        Ok(())
    }

    /// This thread's, or its CTA's, indices that are not always 0.
    pub(super) fn own_index(&self, special: impl Fn(u8) -> SpecialReg) -> Vec<Unknown> {
        (0..3).filter_map(|axis| self.specials.get(&special(axis))?.unknowns().next()).collect()
    }
}
