//! What a kernel asks of the machine it runs on: where memory lies, which lanes act together, which lane
//! is elected, which columns of tensor memory it gets, which thread blocks have not begun.
//!
//! Nothing of that is known before the run, and the machine here has to choose. A kernel only depends on
//! the choice if it looks: compares addresses of different arrays, takes their bits, subtracts, stores or
//! shuffles them; executes `elect.sync`, `activemask` or `clusterlaunchcontrol.try_cancel`. Such instructions are found in the code at
//! once, with addresses followed from parameters and variables through moves and additions (registers are
//! not told apart by time). Where there is one, the question is asked again in other worlds
//! ([`WORLDS`]), and the ledger names it.
//!
//! Guarantees: an address that reaches an instruction through registers is seen there. In the three
//! worlds, every bit of an array's address from its alignment to 2^33 has been both 0 and 1, and arrays
//! have lain in both orders. A tensor is aligned to its elements or to its `.ptr .align` (or as allocators align, [`World::allocated`]), a variable as it
//! is declared; shared arrays at least to 16 bytes.
//! A tensor copy looks at where its box lies if that is not declared to be where its swizzle begins. Dynamic
//! shared memory is assumed to begin at a multiple of 1,024 bytes where there are no static arrays before it.
//! Misses: bits above; comparisons of addresses with 0, which is no array's; addresses of local memory;
//! addresses that come back from memory count as looked at where they are stored. Lanes that the machine
//! has act together outside of branches that depend on data are one group in every world.
//!
//! Sources: PTX ISA 9.0 §5.1 (state spaces), §5.4.5 (alignment), §7.1.1 (`.ptr`), §9.7.13 (`activemask`,
//! `elect.sync`).

use super::memory::{RANK, rank_bit};
use super::setup::{Binding, Setup};
use crate::ir::{Constant, Instr, Kernel, Reg, RegisterKind, Variable};
use crate::isa::{
    self, ClusterOp, CopyOp, Effect, Lanewise, Meaning, Space, Swizzle, TensorMemoryOp, TensorWay,
};

/// How many ways of choosing there are.
pub const WORLDS: u32 = 3;

/// What a run in a world with allocated tensors takes for granted.
pub const ALLOCATED: &str = "tensors begin at multiples of 256 bytes, as `cudaMalloc` puts them: elsewhere a kernel \
                             does what is not defined or not supported";

/// What the machine chooses where PTX leaves it open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct World {
    /// Which choice, below [`WORLDS`].
    pub choice: u32,
    /// Tensors begin at multiples of [`ALLOCATION`] bytes.
    pub allocated: bool,
}

/// Bytes of which the addresses that `cudaMalloc` gives are multiples (CUDA C++ Programming Guide, *Device Memory Accesses*).
pub(super) const ALLOCATION: u32 = 256;

/// An instruction whose outcome is the machine's choice.
pub struct Look {
    /// Where.
    pub instr: u32,
    /// What it asks, for the ledger.
    pub what: String,
}

/// What is taken for granted of shared addresses in a cluster.
fn ranks_stand(kernel: &Kernel) -> String {
    let bit = rank_bit(kernel);
    let where_else = match bit {
        RANK => "as today's hardware has it".to_owned(),
        _ => format!("while today's hardware has it at bit {RANK}"),
    };
    format!(
        ", and the rank of a CTA in its cluster stands from bit {bit} of such an address on, {where_else}"
    )
}

/// Whether there are shared arrays of a cluster in a set.
fn shared_of_cluster(kernel: &Kernel, setup: &Setup, set: Set) -> bool {
    let mut variables = kernel.variables.iter().enumerate();
    let shared = |(at, variable): (usize, &Variable)| {
        variable.space == Space::Shared && bit(setup.tensors.len() + at) & set != 0
    };
    setup.launch.cluster != [1; 3] && variables.any(shared)
}

/// Arrays as bits of a set: tensors, then variables, then textures and surfaces. All bits where there are too many.
type Set = u64;

/// The instructions of a kernel whose outcome is the machine's choice.
pub fn looks(kernel: &Kernel, setup: &Setup) -> Vec<Look> {
    let origins = follow(kernel, setup);
    let mut found = Vec::new();
    for (at, instr) in kernel.code.iter().enumerate() {
        let opcode = kernel.opcode(at as u32);
        let what = match instr.effect {
            Effect::Elect => {
                format!("which lane `{opcode}` elects is the machine's choice: three were tried")
            }
            Effect::ActiveMask => {
                format!(
                    "which lanes `{opcode}` finds together is the machine's choice: all that can be and each alone were tried"
                )
            }
            Effect::Copy(CopyOp::TakeOver { .. }) => {
                let ranks = setup.launch.cluster.iter().product::<u32>() as usize;
                let tried = match setup.launch.ctas.len() > ranks {
                    true => {
                        "that the first to ask takes all that run here, nobody takes any, and each takes one were tried"
                    }
                    false => "no others run here, so only that it gets none was tried",
                };
                format!("which thread blocks `{opcode}` takes over is not known: {tried}")
            }
            Effect::TensorMemory(TensorMemoryOp::Allocate { .. }) => {
                format!("which columns `{opcode}` gives is the machine's choice: three were tried")
            }
            _ => match looked_at(kernel, setup, instr, &origins) {
                0 => continue,
                set => format!(
                    "`{opcode}` looks at where {} lies: three ways to lay out memory were tried{}",
                    names(kernel, setup, set),
                    if shared_of_cluster(kernel, setup, set) { ranks_stand(kernel) } else { String::new() }
                ),
            },
        };
        found.push(Look { instr: at as u32, what });
    }
    found
}

fn names(kernel: &Kernel, setup: &Setup, set: Set) -> String {
    let tensors = setup.tensors.iter().map(|tensor| tensor.name.as_str());
    let all = tensors.chain(kernel.variables.iter().map(|variable| variable.name.as_str()));
    let all = all.chain(setup.views.iter().map(|view| view.name.as_str()));
    let named: Vec<String> = all
        .enumerate()
        .filter(|(at, _)| *at < 64 && set >> at & 1 == 1 && set != Set::MAX)
        .map(|(_, name)| format!("`{name}`"))
        .collect();
    match named.as_slice() {
        [] => "an array".to_owned(),
        named => named.join(" or "),
    }
}

fn bit(at: usize) -> Set {
    if at < 64 { 1 << at } else { Set::MAX }
}

/// The arrays into which each register may point.
fn follow(kernel: &Kernel, setup: &Setup) -> Vec<Set> {
    let mut origins: Vec<Set> = kernel.registers.iter().map(|kind| named(kernel, setup, kind)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for instr in &kernel.code {
            let set = result(kernel, setup, instr, &origins);
            for reg in kernel.dst(instr) {
                changed |= set & !origins[reg.index()] != 0;
                origins[reg.index()] |= set;
            }
        }
    }
    origins
}

/// The array whose address a constant register holds.
fn named(kernel: &Kernel, setup: &Setup, kind: &RegisterKind) -> Set {
    let RegisterKind::Constant(Constant::Address { variable, .. } | Constant::AddressHalf { variable, .. }) =
        kind
    else {
        return 0;
    };
    let variable = *variable as usize;
    match kernel.variables[variable].space {
        Space::Global | Space::Const | Space::Shared => {
            let tensor = setup.tensors.iter().position(|tensor| tensor.variable == Some(variable));
            bit(tensor.unwrap_or(setup.tensors.len() + variable))
        }
        Space::Local | Space::Param | Space::Generic => 0,
    }
}

/// The arrays into which what an instruction computes may point.
fn result(kernel: &Kernel, setup: &Setup, instr: &Instr, origins: &[Set]) -> Set {
    let src = kernel.src(instr);
    let of = |at: usize| src.get(at).map_or(0, |reg: &Reg| origins[reg.index()]);
    match &instr.effect {
        Effect::Load(access) if access.space == Space::Param => {
            let pointers = setup.parameters.iter().filter_map(|parameter| match parameter.binding {
                Binding::Pointer { tensor, .. } => Some((parameter.offset, tensor)),
                Binding::View(view) => {
                    Some((parameter.offset, setup.tensors.len() + kernel.variables.len() + view))
                }
                Binding::Bits(_) | Binding::Symbolic(..) | Binding::Map(_) | Binding::Maps(_) => None,
            });
            match kernel.registers[src[0].index()] {
                RegisterKind::Constant(Constant::ParameterAddress(base)) => {
                    let from = i64::from(base) + instr.offset;
                    let bytes = i64::from(access.format.bytes()) * i64::from(access.vector);
                    let read = from..from + bytes;
                    pointers
                        .filter(|(at, _)| read.contains(&i64::from(*at)))
                        .fold(0, |set, (_, t)| set | bit(t))
                }
                _ => pointers.fold(0, |set, (_, tensor)| set | bit(tensor)),
            }
        }
        Effect::Cluster(ClusterOp::Address { .. }) => of(0),
        Effect::Move { .. }
        | Effect::FromGeneric(_)
        | Effect::ToGeneric(_)
        | Effect::Pack { .. }
        | Effect::Unpack { .. }
        | Effect::Shuffle(_) => (0..src.len()).fold(0, |set, at| set | of(at)),
        Effect::Lanewise(op) => match kind(instr, op) {
            Kind::Sum => of(0) | of(1),
            Kind::Difference if one_array(of(0), of(1)) => 0,
            Kind::Difference => of(0) | of(1),
            Kind::Product => of(2),
            Kind::Copy => of(0),
            Kind::Other | Kind::Comparison => 0,
        },
        _ => 0,
    }
}

/// What a pure instruction does with an address.
enum Kind {
    Sum,
    Difference,
    /// Of the first two operands, to which the third is added.
    Product,
    Copy,
    Comparison,
    Other,
}

fn kind(instr: &Instr, op: &Lanewise) -> Kind {
    if let Meaning::Compare(_) = op.meaning {
        return Kind::Comparison;
    }
    match isa::row(instr.row).map(|row| row.name) {
        Some("add" | "selp") => Kind::Sum,
        Some("sub") => Kind::Difference,
        Some("mad") => Kind::Product,
        Some("cvt" | "cvta" | "mov") if !op.dst.is_float() => Kind::Copy,
        _ => Kind::Other,
    }
}

/// Whether two addresses surely lead into one array.
fn one_array(a: Set, b: Set) -> bool {
    a == b && a.is_power_of_two()
}

/// What the addresses of boxes have to be multiples of, for swizzles to be as if they began at 0.
fn box_alignment(setup: &Setup) -> u32 {
    setup.maps.all.iter().map(|map| map.swizzle.period()).fold(Swizzle::None.period(), u32::max)
}

/// Where drivers of today put dynamic shared memory: at a multiple of so many bytes.
const ASSUMED: u32 = 1024;

/// Whether dynamic shared memory is all that a kernel has.
fn is_all_dynamic(kernel: &Kernel) -> bool {
    kernel.variables.iter().all(|variable| variable.space != Space::Shared || variable.size.is_none())
}

/// The arrays in shared memory, of some, in which a box need not lie as it has to, for all that the PTX says.
fn loose(kernel: &Kernel, setup: &Setup, of: impl Fn(&Variable) -> bool) -> Set {
    let least = box_alignment(setup);
    let loose =
        |variable: &Variable| variable.space == Space::Shared && variable.align < least && of(variable);
    let variables = kernel.variables.iter().enumerate().filter(|(_, variable)| loose(variable));
    variables.fold(0, |set, (at, _)| set | bit(setup.tensors.len() + at))
}

/// Whether an instruction reads or writes a box in shared memory.
fn moves_box(instr: &Instr) -> bool {
    matches!(instr.effect, Effect::Copy(CopyOp::Tensor(copy)) if copy.way != TensorWay::Prefetch)
}

/// What dynamic shared memory is taken to begin at a multiple of, because boxes are put there by constant
/// offsets and the PTX does not say so.
pub(super) fn assumed_alignment(kernel: &Kernel, setup: &Setup) -> Option<u32> {
    if !is_all_dynamic(kernel) || !kernel.code.iter().any(moves_box) {
        return None;
    }
    let arrays = loose(kernel, setup, |_| true);
    let origins = follow(kernel, setup);
    let put = |instr: &Instr| moves_box(instr) && origins[kernel.src(instr)[0].index()] & arrays != 0;
    kernel.code.iter().any(put).then_some(ASSUMED)
}

/// The arrays whose addresses an instruction looks at.
fn looked_at(kernel: &Kernel, setup: &Setup, instr: &Instr, origins: &[Set]) -> Set {
    let src = kernel.src(instr);
    let of = |at: usize| src.get(at).map_or(0, |reg: &Reg| origins[reg.index()]);
    let all = |from: usize| (from..src.len()).fold(0, |set, at| set | of(at));
    match &instr.effect {
        // Which function a register means is no question of where it lies.
        Effect::Lanewise(_) if isa::row(instr.row).is_some_and(|row| row.name == "call") => 0,
        Effect::Lanewise(op) => match kind(instr, op) {
            Kind::Sum if isa::row(instr.row).is_some_and(|row| row.name == "selp") => of(2),
            Kind::Sum if of(0) != 0 && of(1) != 0 => of(0) | of(1),
            Kind::Sum | Kind::Copy => 0,
            Kind::Difference if of(1) == 0 || one_array(of(0), of(1)) => 0,
            Kind::Difference => of(0) | of(1),
            Kind::Product => of(0) | of(1),
            Kind::Comparison => {
                let null = |at: usize| {
                    src.get(at).is_some_and(|reg| {
                        matches!(kernel.registers[reg.index()], RegisterKind::Constant(Constant::Bits(0)))
                    })
                };
                let opcode = kernel.opcodes.get(instr.opcode as usize).map_or("", String::as_str);
                let equality = opcode.contains(".eq.") || opcode.contains(".ne.");
                if one_array(of(0), of(1)) || equality && (null(0) || null(1)) { 0 } else { of(0) | of(1) }
            }
            Kind::Other => all(0),
        },
        Effect::Store(_) | Effect::Atomic { .. } => all(1),
        Effect::Vote(_) | Effect::Match { .. } | Effect::Redux { .. } => all(0),
        // Where a box lies decides how it is swizzled, and whether it may lie there.
        Effect::Copy(_) if moves_box(instr) => {
            let assumed = is_all_dynamic(kernel);
            of(0) & loose(kernel, setup, |variable| variable.size.is_some() || !assumed)
        }
        _ => 0,
    }
}
