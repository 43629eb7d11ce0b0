//! One kernel of a corpus case, run concretely and symbolically, and whether both agree.
//!
//! The spec's arguments are bound here once more, in a few lines: tensors get random numbers, the
//! machine runs on their bits, the simulator on their symbols, and each output term is evaluated at
//! those numbers. Integers must agree exactly; floats within the running error bound; elements that
//! nothing wrote must still hold the garbage that was there, and tensors that the simulator calls
//! unwritten their old bytes.

use crate::machine::{integer, soft, tensor::Map};
use crate::numeric::{Point, Precision, Value, tiny, unit};
use crate::program::Dice;
use rustc_apfloat::Round;
use std::collections::BTreeSet;
use warpproof::base::{Budget, Format, FormatClass, Source};
use warpproof::decide::idioms;
use warpproof::diag::Assumption;
use warpproof::ir::{self, Kernel};
use warpproof::isa::ViewKind;
use warpproof::sim::{
    self, Axis, Binding, BoundParameter, FaultKind, Initial, Maps, Options, Pixels, Run, Sampling, Schedule,
    Setup, TensorSetup, ViewSetup,
};
use warpproof::spec::{Argument, Contents, Ctas, Launch, Literal, Role, Side, Spec, TensorMap};
use warpproof::syntax::{self, ast};
use warpproof::term::Term;
use warpproof::term::eval::{Cone, evaluate};

mod hardware;
mod job;

pub use job::{Execute, Executed, Job, Pointer};

/// Why a kernel beyond the limit is not compared.
pub const TOO_LARGE: &str = "more thread-instructions than the limit";

/// How a comparison ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Ending {
    /// They agree.
    Agrees(Tally),
    /// There was nothing to run: what the case leaves out or the simulator does not follow.
    NotAsked(String),
    /// It was not done, and why.
    Skipped(String),
    /// They do not agree: what and where.
    Disagrees(String),
}

/// What was compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Elements compared within a bound that means something.
    pub tight: u64,
    /// Elements whose bound is between a twentieth and a half of the value (or of 1).
    pub loose: u64,
    /// Elements whose bound is wider still, so that the comparison says little.
    pub wide: u64,
    /// Elements without a bound.
    pub lost: u64,
    /// Elements that nobody writes, found unwritten.
    pub untouched: u64,
    /// Runs of the machine.
    pub runs: u64,
    /// Thread-instructions of the machine.
    pub steps: u64,
}

impl Tally {
    /// Adds another.
    pub fn add(&mut self, other: Tally) {
        self.tight += other.tight;
        self.loose += other.loose;
        self.wide += other.wide;
        self.lost += other.lost;
        self.untouched += other.untouched;
        self.runs += other.runs;
        self.steps += other.steps;
    }
}

/// An output element in one run of the machine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    pub tensor: usize,
    pub index: usize,
    pub format: Format,
    pub bits: u64,
    /// How far the machine may be from the real numbers; `None` where no bound can be given.
    pub error: Option<f64>,
}

/// Whole numbers below this are exact in the evaluation.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// One kernel with its launch.
pub struct Question {
    module: ast::Module,
    kernel: Kernel,
    setup: Setup,
    /// Elements in the shared numbering.
    count: usize,
    /// The tensor maps as the machine has them.
    maps: Vec<Map>,
    /// Symbolic scalars: format and element.
    scalars: Vec<(Format, u32)>,
    precision: Precision,
}

/// The value of a literal in a format, as bits.
fn encode(literal: Literal, format: Format) -> u64 {
    match literal {
        Literal::Integer(value) if !format.is_float() => integer::cut(value as u64, format.bits()),
        Literal::Integer(value) => soft::from_value(format, value as f64, Round::NearestTiesToEven),
        Literal::Float(value) if !format.is_float() => {
            let float = if format.bits() == 64 { Format::F64 } else { Format::F32 };
            soft::from_value(float, value, Round::NearestTiesToEven)
        }
        Literal::Float(value) => soft::from_value(format, value, Round::NearestTiesToEven),
    }
}

impl Question {
    /// Reads one kernel of a spec.
    pub fn new(ptx: &str, spec: &Spec, side: &Side) -> Result<Question, String> {
        let parsed = syntax::parse(Source::Optimized, ptx);
        let lowered = ir::lower(Source::Optimized, &parsed.module, side.entry.as_deref())
            .map_err(|_| "the PTX is not usable".to_owned())?;
        let kernel = lowered.kernel;
        let grid = side.launch.grid.or(spec.launch.grid).unwrap_or([1, 1, 1]);
        let block = side.launch.block.or(spec.launch.block).or(kernel.required_block);
        let ctas = match side.launch.ctas.clone().or(spec.launch.ctas.clone()) {
            Some(Ctas::List(list)) => list,
            Some(Ctas::All) => {
                let [x, y, z] = grid;
                (0..x * y * z).map(|at| [at % x, at / x % y, at / (x * y)]).collect()
            }
            None => vec![[0, 0, 0]],
        };
        let launch = Launch {
            grid,
            block: block.ok_or("the spec does not give the block")?,
            ctas,
            cluster: side
                .launch
                .cluster
                .or(spec.launch.cluster)
                .or(kernel.required_cluster)
                .unwrap_or([1; 3]),
            dynamic_shared: side.launch.dynamic_shared.or(spec.launch.dynamic_shared),
        };
        let mut question = Question {
            module: parsed.module,
            kernel,
            setup: Setup {
                launch,
                tensors: Vec::new(),
                views: Vec::new(),
                parameters: Vec::new(),
                maps: Maps::default(),
                unknowable: (0, 0),
                contents: Default::default(),
                bounds: Vec::new(),
            },
            count: 0,
            maps: Vec::new(),
            scalars: Vec::new(),
            precision: Precision {
                format: Format::S64,
                unit: 0.0,
                tiny: 0.0,
                narrows: false,
                computed: [0.0; 2],
                exact: true,
            },
        };
        question.bind(spec, side)?;
        question.measure();
        Ok(question)
    }

    /// The rows of the instruction table that the kernel has.
    pub fn rows(&self) -> BTreeSet<u32> {
        self.kernel.code.iter().map(|instr| instr.row).collect()
    }

    fn bind(&mut self, spec: &Spec, side: &Side) -> Result<(), String> {
        let arguments = side.args.as_ref().ok_or("the spec does not list the arguments")?;
        let mut named = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&self.kernel.parameters) {
            match argument {
                Argument::Struct(fields) => named.extend(fields.iter().map(|(offset, field)| {
                    let next = fields.iter().map(|(at, _)| *at).filter(|at| at > offset).min();
                    let room = next.unwrap_or(parameter.size).saturating_sub(*offset);
                    let room = if let Argument::Maps(_) = field { room.min(128) } else { room.min(8) };
                    (field.clone(), parameter.offset + offset, room, None)
                })),
                _ => {
                    let format = (!parameter.aggregate).then_some(parameter.format);
                    named.push((argument.clone(), parameter.offset, parameter.size, format));
                }
            }
        }
        for tensor in &spec.tensors {
            // Both read the initializers of a module variable that is not bound.
            if tensor.contents == Some(Contents::Declared) && tensor.role != Some(Role::Out) {
                continue;
            }
            let own = named.iter().find_map(|(argument, ..)| match argument {
                Argument::Tensor { tensor: name, format, .. } if *name == tensor.name => *format,
                Argument::View(view) if view.tensor.as_ref() == Some(&tensor.name) => view.format,
                Argument::Maps(maps) => maps.iter().find(|map| map.tensor == tensor.name)?.format,
                _ => None,
            });
            let format = own.or(tensor.format).ok_or("a tensor without a type")?;
            let shape = tensor.shape.clone().ok_or("a tensor without a shape")?;
            let count: u64 = shape.iter().product();
            let initial = match (&tensor.contents, tensor.role) {
                (Some(Contents::Declared), _) => return Err("a module variable that is written".to_owned()),
                (Some(Contents::Iota), _) => Initial::Concrete(
                    (0..count).map(|at| encode(Literal::Integer(at as i64), format)).collect(),
                ),
                (Some(Contents::Fill(literal)), _) => Initial::Concrete(vec![encode(*literal, format)]),
                (Some(Contents::List(list)), _) => {
                    Initial::Concrete(list.iter().map(|literal| encode(*literal, format)).collect())
                }
                (None, Some(Role::Out)) => Initial::Undefined,
                (None, _) => Initial::Symbolic { first: self.count as u32 },
            };
            self.count += count as usize;
            if self.count > 1 << 22 {
                return Err("tensors of more than four million elements".to_owned());
            }
            self.setup.tensors.push(TensorSetup {
                variable: None,
                name: tensor.name.clone(),
                format: Some(format),
                shape: Some(shape),
                strides: tensor.strides.clone(),
                role: tensor.role,
                initial,
                reserved: count,
                others: None,
            });
        }
        for (argument, offset, size, format) in named {
            let pointer = |name: &str, element: u64| {
                let tensor = self.setup.tensors.iter().position(|tensor| tensor.name == name)?;
                Some(Binding::Pointer { tensor, offset: element })
            };
            let fallback = || match size {
                1 => Format::B8,
                2 => Format::B16,
                4 => Format::B32,
                _ => Format::B64,
            };
            let binding = match &argument {
                Argument::Tensor { tensor, offset, .. } => {
                    pointer(tensor, *offset).ok_or("a tensor nobody declares")?
                }
                Argument::Literal(literal) => {
                    let float = matches!(literal, Literal::Float(_)) && size == 4;
                    Binding::Bits(encode(
                        *literal,
                        format.unwrap_or_else(|| if float { Format::F32 } else { fallback() }),
                    ))
                }
                Argument::Name(name) => match pointer(name, 0) {
                    Some(pointer) => pointer,
                    None => {
                        let scalar = spec.scalars.iter().find(|scalar| scalar.name == *name);
                        let own = format.filter(|format| format.is_float());
                        match scalar.map(|scalar| scalar.value) {
                            Some(Ok(literal)) => {
                                Binding::Bits(encode(literal, format.unwrap_or_else(fallback)))
                            }
                            Some(Err(declared)) => {
                                self.symbol(own.filter(|_| declared.is_float()).unwrap_or(declared))
                            }
                            None => self.symbol(own.ok_or("an argument nobody declares")?),
                        }
                    }
                },
                Argument::View(view) => {
                    let name = view.tensor.as_ref().ok_or("a view of nothing")?;
                    let tensor = self.setup.tensors.iter().position(|tensor| tensor.name == *name);
                    let parameter = self.kernel.parameters.iter().find(|own| own.offset == offset);
                    let shown = parameter.and_then(|parameter| parameter.view);
                    self.setup.views.push(ViewSetup {
                        name: name.clone(),
                        kind: if view.surface { ViewKind::Surface } else { ViewKind::Texture },
                        tensor: Some(tensor.ok_or("a tensor nobody declares")?),
                        variable: None,
                        geometry: shown.and_then(|(_, geometry)| geometry),
                        channels: view.channels,
                        sampling: Sampling {
                            filter: view.filter,
                            address: view.address.clone(),
                            normalized: view.normalized,
                            read: view.read,
                        },
                    });
                    Binding::View(self.setup.views.len() - 1)
                }
                Argument::Maps(maps) => {
                    let first = self.maps.len();
                    maps.iter().try_for_each(|map| self.map(map))?;
                    if size == 128 {
                        Binding::Map(first)
                    } else {
                        self.setup.maps.stored.push((first, maps.len()));
                        Binding::Maps(self.setup.maps.stored.len() - 1)
                    }
                }
                Argument::Struct(_) => return Err("a struct in a struct".to_owned()),
            };
            let size = match binding {
                Binding::Symbolic(format, _) => size.min(format.bytes()),
                _ => size,
            };
            self.setup.parameters.push(BoundParameter { offset, size, binding });
        }
        Ok(())
    }

    /// A tensor map, for the machine and for the simulator.
    fn map(&mut self, map: &TensorMap) -> Result<(), String> {
        let setups = &self.setup.tensors;
        let tensor = setups.iter().position(|tensor| tensor.name == map.tensor);
        let tensor = tensor.ok_or("a tensor map of a tensor nobody declares")?;
        let format = setups[tensor].format.ok_or("a tensor without a type")?;
        let shape = map.shape.clone().or(setups[tensor].shape.clone()).ok_or("a tensor without a shape")?;
        let swizzle = map.swizzle.ok_or("a swizzle that the machine does not have")?;
        if map.interleave.is_some() || map.nan {
            return Err("a tensor map that the machine does not have".to_owned());
        }
        let own = setups[tensor].strides.clone().filter(|_| map.shape.is_none());
        let strides = map.strides.clone().or(own).unwrap_or_else(|| {
            let mut strides = vec![1; shape.len()];
            for at in (0..shape.len() - 1).rev() {
                strides[at] = strides[at + 1] * shape[at + 1];
            }
            strides
        });
        // The innermost dimension has no traversal stride.
        let mut steps = map.steps.clone().unwrap_or_else(|| vec![1; shape.len()]);
        *steps.last_mut().ok_or("a tensor map without dimensions")? = 1;
        // A box of pixels is one of single pixels with their channels.
        let (span, pixels) = match &map.corners {
            None => (map.span.clone(), None),
            Some(corners) => {
                let ends = corners.lower.iter().zip(&corners.upper).zip(&shape[1..]);
                let window: Vec<(i64, i64)> =
                    ends.map(|((lower, upper), size)| (*lower, *size as i64 + upper - 1)).rev().collect();
                let mut span = vec![1; shape.len()];
                *span.last_mut().ok_or("a tensor map without dimensions")? = map.span[1];
                (span, Some(Pixels { count: map.span[0] as u32, window }))
            }
        };
        let bytes = u64::from(format.bytes());
        let inner = |values: &[u64]| values.iter().rev().copied().collect::<Vec<u64>>();
        self.maps.push(Map {
            tensor,
            offset: map.offset * bytes,
            ty: format.name(),
            bytes,
            sizes: inner(&shape),
            strides: inner(&strides).iter().map(|stride| stride * bytes).collect(),
            span: inner(&span),
            steps: inner(&steps),
            pixels: pixels.clone().map(|pixels| (pixels.count.into(), pixels.window)),
            swizzle: swizzle.name(),
        });
        let axes = (0..shape.len()).rev().map(|at| Axis {
            size: shape[at],
            stride: strides[at],
            span: span[at] as u32,
            step: steps[at] as u32,
        });
        self.setup.maps.all.push(sim::TensorMap {
            tensor,
            format,
            offset: map.offset,
            axes: axes.collect(),
            swizzle,
            pixels,
            nan: false,
            unsupported: None,
        });
        Ok(())
    }

    fn symbol(&mut self, format: Format) -> Binding {
        let element = self.count as u32;
        self.scalars.push((format, element));
        self.count += 1;
        Binding::Symbolic(format, Term::element(element))
    }

    /// The coarsest format of the kernel's arithmetic, and whether values are narrowed on the way.
    fn measure(&mut self) {
        let mut coarsest = Format::S64;
        let (mut narrows, mut underflow) = (false, 0f64);
        // Products in tensor memory say the type of their sums in a descriptor; those of f16 are loaded in halves.
        let packs = self.kernel.opcodes.iter().any(|opcode| opcode.contains(".pack::16b"));
        if packs && self.kernel.opcodes.iter().any(|opcode| opcode.starts_with("tcgen05.mma")) {
            coarsest = Format::F16;
        }
        for opcode in &self.kernel.opcodes {
            let parts: Vec<&str> = opcode.split('.').collect();
            let moves = ["ld", "st", "mov", "cp", "ldmatrix", "stmatrix", "selp", "setp"].contains(&parts[0]);
            let changes = parts[..2.min(parts.len())] == ["cp", "reduce"];
            if changes && parts.contains(&"tensor") {
                for map in &self.setup.maps.all {
                    coarsest = coarser(coarsest, map.format);
                }
            }
            if moves && !changes {
                continue;
            }
            for part in &parts[1..] {
                let format = match *part {
                    "f16x2" => Some(Format::F16),
                    "bf16x2" => Some(Format::Bf16),
                    "e4m3x2" => Some(Format::E4m3),
                    "e5m2x2" => Some(Format::E5m2),
                    "e2m3x2" => Some(Format::E2m3),
                    "e3m2x2" => Some(Format::E3m2),
                    "e2m1x2" => Some(Format::E2m1),
                    "ue8m0x2" => Some(Format::Ue8m0),
                    name => Format::from_name(name),
                };
                let Some(format) = format.filter(|format| format.is_float()) else { continue };
                // A widening conversion and a product's operands are exact.
                if parts[0] == "cvt" && parts.last() == Some(part) && parts.len() > 2 {
                    continue;
                }
                // Multiplying halves into an f32 sum loses nothing; tf32 operands are cut.
                if matches!(parts[0], "mma" | "wmma")
                    && !matches!(format, Format::F64 | Format::F32 | Format::Tf32)
                {
                    let sums = parts.iter().filter(|name| **name == *part).count();
                    if parts.contains(&"f32") && sums <= 2 {
                        continue;
                    }
                }
                narrows |= parts[0] == "cvt";
                underflow = underflow.max(tiny(format));
                coarsest = coarser(coarsest, format);
            }
        }
        for tensor in &self.setup.tensors {
            // Storing rounds where an output is narrower than the arithmetic.
            let format = tensor.format.unwrap_or(Format::F32);
            if format.is_float() && tensor.role != Some(Role::In) && unit(format) > unit(coarsest) {
                narrows = true;
                coarsest = format;
            }
        }
        self.precision = Precision {
            format: coarsest,
            unit: unit(coarsest) * if narrows { 2.0 } else { 1.0 },
            tiny: tiny(coarsest).max(underflow),
            narrows,
            computed: [0.0; 2],
            exact: true,
        };
    }

    /// Numbers for all elements that a seed picks, each held exactly by its tensor's format.
    fn numbers(&self, seed: u64) -> (Vec<f64>, Vec<Vec<u64>>) {
        let mut dice = Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1);
        let mut values = vec![0.0; self.count];
        let mut pick = |format: Format| -> (u64, f64) {
            let bits = match format.class() {
                FormatClass::Float => {
                    let fine = dice.below(1 << 20) as f64 / f64::from(1 << 20);
                    let value = match seed % 3 {
                        0 => 2.0 * fine - 1.0,
                        1 => 0.25 + fine,
                        _ => dice.below(9) as f64 - 4.0,
                    };
                    soft::from_value(format, value, Round::NearestTiesToEven)
                }
                FormatClass::Signed => integer::cut((dice.below(9) as i64 - 4) as u64, format.bits()),
                _ => dice.below(8),
            };
            (bits, soft::value(format, bits))
        };
        let mut contents = Vec::new();
        for tensor in &self.setup.tensors {
            let format = tensor.format.unwrap_or(Format::F32);
            contents.push(match &tensor.initial {
                Initial::Symbolic { first } => (0..tensor.reserved as usize)
                    .map(|at| {
                        let (bits, value) = pick(format);
                        values[*first as usize + at] = value;
                        bits
                    })
                    .collect(),
                Initial::Undefined | Initial::Declared => Vec::new(),
                Initial::Concrete(bits) => bits.clone(),
            });
        }
        for (format, element) in &self.scalars {
            values[*element as usize] = pick(*format).1;
        }
        (values, contents)
    }

    /// Runs the simulator once, and the machine for each seed, within the given thread-instructions.
    pub fn compare(&self, seeds: &[u64], limit: u64) -> Ending {
        self.compare_and_see(seeds, limit, &mut |_, _| {})
    }

    /// The same; `see` gets every element that is written, with the seed.
    pub fn compare_and_see(&self, seeds: &[u64], limit: u64, see: &mut dyn FnMut(u64, Sample)) -> Ending {
        self.compare_with(seeds, limit, &mut |job, seed| self.on_machine(job, seed, limit), see)
    }

    /// The same with something else than the machine.
    pub fn compare_with(
        &self,
        seeds: &[u64],
        limit: u64,
        execute: Execute<'_>,
        see: &mut dyn FnMut(u64, Sample),
    ) -> Ending {
        let budget = Budget::new(limit, 1 << 30);
        let options = Options { timeline_events: 0, schedule: Schedule::Ascending, ..Options::default() };
        let run = sim::simulate(&options, &budget, &self.kernel, &self.setup);
        // The limit is one of execution, not of evaluating the terms.
        let budget = Budget::default();
        if let Some(fault) = run.faults.first() {
            return match &fault.kind {
                FaultKind::Exhausted(_) | FaultKind::EndlessLoop(_) => Ending::NotAsked(TOO_LARGE.to_owned()),
                FaultKind::NotStructured(_)
                | FaultKind::DependsOnSchedule(_)
                | FaultKind::WaitsForOthers(_)
                | FaultKind::Unsupported(_) => {
                    Ending::NotAsked("the simulator does not follow it".to_owned())
                }
                FaultKind::DataRace(_) => Ending::Skipped("it races: its result is not defined".to_owned()),
                _ => Ending::Skipped("the simulator reports another fault".to_owned()),
            };
        }
        if run.more_suspects {
            return Ending::Skipped("more hangs on the inputs than is listed".to_owned());
        }
        let mut tally = Tally::default();
        let mut reached = 0;
        for seed in seeds {
            match self.meets_fault(&run, *seed, &budget) {
                Some(false) => {}
                Some(true) => {
                    reached += 1;
                    continue;
                }
                None => return Ending::Skipped("whether a fault is met cannot be evaluated".to_owned()),
            }
            match self.once(&run, *seed, &budget, execute, see) {
                Ending::Agrees(more) => tally.add(more),
                // What it found finite, and what the machine has for it, is in no term.
                Ending::Disagrees(_) if asks_for_infinity(&run) => {
                    let why = "it asks whether what it computes is finite, and on the machine it is not";
                    return Ending::Skipped(why.to_owned());
                }
                other => return other,
            }
        }
        if reached == seeds.len() && reached > 0 {
            return Ending::Skipped("each of the inputs drawn meets a fault".to_owned());
        }
        Ending::Agrees(tally)
    }

    /// Whether a seed's inputs meet a fault that hangs on the inputs: its condition holds. Two stores that
    /// race only if they differ count as met.
    fn meets_fault(&self, run: &Run, seed: u64, budget: &Budget) -> Option<bool> {
        let conditions: Vec<Term> = run.suspects.iter().map(|suspect| suspect.condition).collect();
        if conditions.is_empty() {
            return Some(false);
        }
        let (_, values) = self.job(seed);
        let (found, _) = self.evaluate(&run.terms, &conditions, &values, budget)?;
        let mut met = false;
        for value in found {
            match value {
                Value::Condition(Some(holds)) => met |= holds,
                _ => return None,
            }
        }
        Some(met)
    }

    fn once(
        &self,
        run: &Run,
        seed: u64,
        budget: &Budget,
        execute: Execute<'_>,
        see: &mut dyn FnMut(u64, Sample),
    ) -> Ending {
        let (job, values) = self.job(seed);
        let executed = match execute(&job, seed) {
            Ok(executed) => executed,
            Err(ending) => return ending,
        };
        let mut tally = Tally { runs: 1, steps: executed.steps, ..Tally::default() };
        for (at, (tensor, state)) in self.setup.tensors.iter().zip(&run.tensors).enumerate() {
            let bytes = tensor.format.unwrap_or(Format::F32).bytes() as usize;
            let places = places(tensor);
            let bits = |image: &[u8], place: usize| {
                let bytes = &image[place * bytes..(place + 1) * bytes];
                bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
            };
            let read = |place: usize| bits(&executed.images[at], place);
            let old = |place: usize| bits(&job.images[at], place);
            let mut written = Vec::new();
            for (index, place) in places.iter().enumerate() {
                match state.elements.get(index as u64) {
                    Some((term, _)) => written.push((index, *place, term)),
                    _ if read(*place) != old(*place) => {
                        return Ending::Disagrees(format!(
                            "{}[{index}] changed, and the simulator saw nobody write it",
                            tensor.name
                        ));
                    }
                    _ => tally.untouched += 1,
                }
            }
            if state.format.bytes() as usize != bytes && !written.is_empty() {
                return Ending::Skipped("a tensor written in another format".to_owned());
            }
            let roots: Vec<Term> = written.iter().map(|(.., term)| *term).collect();
            let (mut found, overflows) = match self.evaluate(&run.terms, &roots, &values, budget) {
                Some(found) => found,
                None => return Ending::Skipped("terms too large to evaluate".to_owned()),
            };
            // What inlined library code does with bits, read as the function it computes.
            if found.iter().any(|value| matches!(value, Value::Lost(_)))
                && let Ok(Some(rewritten)) = idioms::rewrite(&run.terms, &roots, budget)
                && let Some((second, _)) = self.evaluate(&rewritten.terms, &rewritten.roots, &values, budget)
            {
                for (first, second) in found.iter_mut().zip(second) {
                    if matches!(first, Value::Lost(_)) {
                        *first = second;
                    }
                }
            }
            for ((index, place, _), value) in written.iter().zip(found) {
                let error = match value {
                    Value::Real(_, error) => Some(error),
                    Value::Bits(_) => Some(0.0),
                    _ => None,
                };
                let (tensor, index, format) = (at, *index, state.format);
                see(seed, Sample { tensor, index, format, bits: read(*place), error });
                // The real number is finite, the kernel's is not, and its format may be why.
                let real = matches!(value, Value::Real(real, _) if real.is_finite());
                if overflows && real && !soft::value(state.format, read(*place)).is_finite() {
                    tally.wide += 1;
                    continue;
                }
                if let Err(why) = self.agree(state.format, read(*place), value, &mut tally) {
                    return Ending::Disagrees(format!(
                        "{}[{index}], seed {seed}: {why}",
                        self.setup.tensors[tensor].name
                    ));
                }
            }
        }
        Ending::Agrees(tally)
    }

    /// The values of the roots, and whether one on the way is too large for the coarsest format.
    fn evaluate(
        &self,
        terms: &warpproof::term::Terms,
        roots: &[Term],
        values: &[f64],
        budget: &Budget,
    ) -> Option<(Vec<Value>, bool)> {
        let cone = Cone::of(terms, roots, budget).ok()?;
        let point = Point { terms, elements: values, precision: self.precision };
        let mut steps = Vec::new();
        let found = evaluate(&cone, &point, budget, &mut steps).ok()?;
        let format = self.precision.format;
        let largest = soft::value(format, soft::infinity(format) - 1);
        let beyond =
            |value: &Value| matches!(value, Value::Real(value, error) if value.abs() + error > largest);
        Some((found, format.is_float() && steps.iter().any(beyond)))
    }

    fn agree(&self, format: Format, bits: u64, value: Value, tally: &mut Tally) -> Result<(), String> {
        let got = soft::value(format, bits);
        let (expected, error) = match value {
            Value::Real(value, error) => (value, error),
            Value::Bits(expected) if expected == bits => {
                tally.tight += 1;
                return Ok(());
            }
            Value::Bits(expected) => return Err(format!("bits {bits:#x}, expected {expected:#x}")),
            Value::Condition(_) => return Err("a condition was stored".to_owned()),
            Value::Lost(_) => {
                tally.lost += 1;
                return Ok(());
            }
        };
        // A number of 64 bits beyond what the evaluation holds exactly.
        if !format.is_float() && expected.abs() >= EXACT {
            tally.lost += 1;
            return Ok(());
        }
        if !format.is_float() && error == 0.0 {
            let expected = integer::cut(expected as i128 as u64, format.bits());
            tally.tight += 1;
            return if bits == expected { Ok(()) } else { Err(format!("{bits:#x}, expected {expected:#x}")) };
        }
        // The analysis is of first order and takes one order of each sum: twice its bound.
        let bound = 2.0 * error + unit(format) * expected.abs() + tiny(format);
        let largest = soft::value(format, soft::infinity(format) - 1);
        if format.is_float() && expected.abs() + bound >= largest && expected.is_finite() {
            tally.wide += 1;
            return Ok(());
        }
        if got == expected || (got - expected).abs() <= bound {
            let size = expected.abs().max(1.0);
            *match () {
                _ if bound <= 0.05 * size => &mut tally.tight,
                _ if bound <= 0.5 * size => &mut tally.loose,
                _ => &mut tally.wide,
            } += 1;
            return Ok(());
        }
        Err(format!("{got:e} ({bits:#x}), expected {expected:e} within {bound:e}"))
    }
}

/// Whether a run took something that the kernel asks about to be finite.
fn asks_for_infinity(run: &Run) -> bool {
    run.ledger.entries().any(|(assumption, _)| matches!(assumption, Assumption::AskedFinite(_)))
}

fn coarser(one: Format, two: Format) -> Format {
    if unit(two) > unit(one) { two } else { one }
}

/// Where the elements lie, in elements.
fn places(tensor: &TensorSetup) -> Vec<usize> {
    let shape = tensor.shape.clone().unwrap_or_default();
    let strides = tensor
        .strides
        .clone()
        .unwrap_or_else(|| (0..shape.len()).map(|at| shape[at + 1..].iter().product()).collect());
    (0..tensor.reserved)
        .map(|flat| {
            let mut rest = flat;
            let mut place = 0;
            for (extent, stride) in shape.iter().zip(&strides).rev() {
                place += rest % extent * stride;
                rest /= extent;
            }
            place as usize
        })
        .collect()
}
