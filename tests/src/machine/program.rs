//! From the syntax tree to something that can be stepped through: names become numbers.
//!
//! One flat list of instructions for the kernel and the device functions of the module. Registers
//! of all functions share one file for each thread (there is no recursion), function parameters
//! one block of memory for each thread.
//!
//! Source: PTX ISA 9.0, chapters 5 and 6 (variables, scopes, operands) and 7 (the ABI).

use super::memory::{self, FUNCTION_BASE, Global, LOCAL_BASE, PARAM_BASE, SHARED_BASE, Space};
use super::op::Op;
use super::soft;
use std::collections::HashMap;
use std::rc::Rc;
use warpproof::base::Format;
use warpproof::syntax::ast;

/// Why a kernel cannot be run here.
pub type Refusal = String;

/// An operand.
#[derive(Clone, Debug)]
pub enum Arg {
    /// A register's number.
    Reg(usize),
    /// A negated predicate.
    Not(usize),
    Int(u64),
    F32(u32),
    F64(u64),
    /// A special register by name.
    Special(Rc<str>),
    /// `%r1.h0`: a part of a register.
    Part(usize, Rc<str>),
    /// `-%r1.h0`
    Minus(Box<Arg>),
    /// An address in a variable's own space.
    Symbol(Space, u64),
    /// `[base + offset]`
    Memory(Box<Arg>, i64),
    /// `[base + offset, …]`
    Place(Box<Arg>, Vec<Arg>),
    /// These bits, whatever they stand for.
    Bits(u64),
    /// `{…}`, or the arguments of a call.
    Vector(Vec<Arg>),
    Pair(Box<Arg>, Box<Arg>),
    Sink,
    /// An instruction.
    Target(usize),
    /// A function.
    Function(usize),
    /// A list of instructions, for `brx`.
    Targets(Vec<usize>),
}

/// An instruction.
#[derive(Debug)]
pub struct Inst {
    pub op: Rc<Op>,
    /// Register and whether it is negated.
    pub guard: Option<(usize, bool)>,
    pub args: Vec<Arg>,
}

/// Where a parameter lies.
#[derive(Clone, Debug)]
pub struct Slot {
    pub address: u64,
    pub size: u64,
    /// A register instead of memory (`.func (.reg …)`).
    pub register: Option<usize>,
}

#[derive(Debug, Default)]
struct Func {
    name: String,
    start: usize,
    parameters: Vec<Slot>,
    returns: Vec<Slot>,
    body: bool,
}

/// A kernel with everything it calls.
#[derive(Debug)]
pub struct Program {
    pub code: Vec<Inst>,
    /// The width of each register.
    pub widths: Vec<u32>,
    pub start: usize,
    /// The kernel's parameters.
    pub parameters: Vec<Slot>,
    pub shared_bytes: u64,
    /// Where dynamic shared memory begins.
    pub dynamic_at: u64,
    pub local_bytes: u64,
    /// Bytes of function parameters.
    pub function_bytes: u64,
    functions: Vec<Func>,
}

impl Program {
    /// The start of a function, and where its parameters and results lie.
    pub fn function(&self, index: usize) -> Option<(usize, &[Slot], &[Slot])> {
        let func = &self.functions[index];
        func.body.then_some((func.start, &func.parameters, &func.returns))
    }

    /// A function's name.
    pub fn function_name(&self, index: usize) -> &str {
        &self.functions[index].name
    }
}

#[derive(Clone, Debug)]
enum Meaning {
    Register(usize),
    Symbol(Space, u64),
    Function(usize),
    Targets(Rc<Vec<String>>),
}

#[derive(Default)]
struct Scope {
    names: HashMap<String, Meaning>,
    /// Prefix, count, first register.
    ranges: Vec<(String, u32, usize)>,
    number: usize,
}

struct Builder<'a> {
    module: &'a ast::Module,
    global: &'a mut Global,
    program: Program,
    scopes: Vec<Scope>,
    next_scope: usize,
    labels: HashMap<(usize, String), usize>,
    /// Instruction, operand, label, the scopes around it.
    pending: Vec<(usize, usize, String, Vec<usize>)>,
    ops: HashMap<String, Rc<Op>>,
    /// Scalars with an address inside, filled once every variable has one.
    dynamic: Vec<(usize, String)>,
}

/// Reads a kernel; global variables are laid out in `global`.
pub fn build(module: &ast::Module, entry: Option<&str>, global: &mut Global) -> Result<Program, Refusal> {
    let program = Program {
        code: Vec::new(),
        widths: Vec::new(),
        start: 0,
        parameters: Vec::new(),
        shared_bytes: SHARED_BASE,
        dynamic_at: 0,
        local_bytes: LOCAL_BASE,
        function_bytes: FUNCTION_BASE,
        functions: Vec::new(),
    };
    let mut builder = Builder {
        module,
        global,
        program,
        scopes: vec![Scope::default()],
        next_scope: 1,
        labels: HashMap::new(),
        pending: Vec::new(),
        ops: HashMap::new(),
        dynamic: Vec::new(),
    };
    builder.module(entry)?;
    Ok(builder.program)
}

impl Builder<'_> {
    fn text(&self, name: ast::Name) -> &str {
        &self.module.names[name]
    }

    fn module(&mut self, entry: Option<&str>) -> Result<(), Refusal> {
        let module = self.module;
        for variable in module.variables() {
            self.variable(variable)?;
        }
        for function in module.functions().filter(|function| !function.is_entry) {
            let name = self.text(function.name.name).to_owned();
            let known = self.program.functions.iter().position(|func| func.name == name);
            let index = known.unwrap_or(self.program.functions.len());
            if known.is_none() {
                self.program.functions.push(Func { name: name.clone(), ..Func::default() });
            }
            self.program.functions[index].body |= function.body.is_some();
            self.scopes[0].names.insert(name, Meaning::Function(index));
        }
        for function in module.functions() {
            let Some(body) = &function.body else { continue };
            let name = self.text(function.name.name).to_owned();
            if function.is_entry && entry.is_some_and(|entry| entry != name) {
                continue;
            }
            self.open();
            let start = self.program.code.len();
            let returns = self.slots(&function.returns, false)?;
            let parameters = self.slots(&function.parameters, function.is_entry)?;
            if function.is_entry {
                self.program.start = start;
                self.program.parameters = parameters;
            } else if let Some(Meaning::Function(index)) = self.scopes[0].names.get(&name).cloned() {
                let func = &mut self.program.functions[index];
                (func.start, func.parameters, func.returns) = (start, parameters, returns);
            }
            self.block(body)?;
            self.emit(Op::new("ret"), None, Vec::new());
            self.scopes.pop();
        }
        for (inst, arg, label, scopes) in std::mem::take(&mut self.pending) {
            let find = |label: &str| {
                scopes.iter().rev().find_map(|scope| self.labels.get(&(*scope, label.to_owned())).copied())
            };
            let target = match self.program.code[inst].args[arg].clone() {
                Arg::Targets(_) => {
                    let names = label.split(' ').map(|label| find(label).ok_or(format!("no label {label}")));
                    Arg::Targets(names.collect::<Result<_, _>>()?)
                }
                _ => Arg::Target(find(&label).ok_or(format!("no label {label}"))?),
            };
            self.program.code[inst].args[arg] = target;
        }
        self.program.dynamic_at = self.program.shared_bytes.next_multiple_of(16);
        for (inst, name) in std::mem::take(&mut self.dynamic) {
            let at = self.program.dynamic_at;
            fn patch(arg: &mut Arg, at: u64) {
                match arg {
                    Arg::Symbol(Space::Shared, address) if *address >= DYNAMIC => {
                        *address = (*address - DYNAMIC).wrapping_add(at);
                    }
                    Arg::Memory(base, _) => patch(base, at),
                    Arg::Vector(parts) => parts.iter_mut().for_each(|part| patch(part, at)),
                    _ => {}
                }
            }
            debug_assert!(!name.is_empty());
            self.program.code[inst].args.iter_mut().for_each(|arg| patch(arg, at));
        }
        Ok(())
    }

    fn open(&mut self) {
        self.scopes.push(Scope { number: self.next_scope, ..Scope::default() });
        self.next_scope += 1;
    }

    fn define(&mut self, name: &str, meaning: Meaning) {
        self.scopes.last_mut().expect("a scope is open").names.insert(name.to_owned(), meaning);
    }

    fn slots(&mut self, parameters: &[ast::Parameter], entry: bool) -> Result<Vec<Slot>, Refusal> {
        let mut slots = Vec::new();
        let mut next = PARAM_BASE;
        for parameter in parameters {
            let (size, align) =
                extent(parameter.ty, parameter.vector, &parameter.dimensions, parameter.align)?;
            let name = parameter.name.map(|name| self.text(name.name).to_owned()).unwrap_or_default();
            if parameter.space == ast::StateSpace::Reg {
                let register = self.register(parameter.ty)?;
                self.define(&name, Meaning::Register(register));
                slots.push(Slot { address: 0, size, register: Some(register) });
                continue;
            }
            let block = if entry { &mut next } else { &mut self.program.function_bytes };
            let address = block.next_multiple_of(align);
            *block = address + size;
            self.define(&name, Meaning::Symbol(Space::Param, address));
            slots.push(Slot { address, size, register: None });
        }
        Ok(slots)
    }

    fn register(&mut self, ty: ast::Type) -> Result<usize, Refusal> {
        let width = match ty {
            ast::Type::Scalar(format) => format.bits(),
            ast::Type::Predicate => 1,
            ast::Type::F16x2 | ast::Type::Bf16x2 => 32,
            _ => return Err(format!("registers of .{}", ty.name())),
        };
        self.program.widths.push(width);
        Ok(self.program.widths.len() - 1)
    }

    fn variable(&mut self, variable: &ast::Variable) -> Result<(), Refusal> {
        let name = self.text(variable.name.name).to_owned();
        if variable.count.is_some() {
            return Err("a range of variables".to_owned());
        }
        let open = variable.dimensions.first() == Some(&None) && variable.initializer.is_none();
        let (size, align) = extent(variable.ty, variable.vector, &variable.dimensions, variable.align)?;
        let meaning = match variable.space {
            ast::StateSpace::Shared if open => Meaning::Symbol(Space::Shared, DYNAMIC),
            ast::StateSpace::Shared => {
                let address = self.program.shared_bytes.next_multiple_of(align);
                self.program.shared_bytes = address + size;
                Meaning::Symbol(Space::Shared, address)
            }
            ast::StateSpace::Local => {
                let address = self.program.local_bytes.next_multiple_of(align);
                self.program.local_bytes = address + size;
                Meaning::Symbol(Space::Local, address)
            }
            ast::StateSpace::Param => {
                let address = self.program.function_bytes.next_multiple_of(align);
                self.program.function_bytes = address + size;
                Meaning::Symbol(Space::Param, address)
            }
            ast::StateSpace::Global | ast::StateSpace::Const => {
                let size = match (&variable.initializer, open) {
                    (None, true) => return Err("an external array in global memory".to_owned()),
                    _ => size,
                };
                let mut bytes = vec![0u8; size as usize];
                if let Some(init) = &variable.initializer {
                    let mut at = 0;
                    self.initial(init, variable.ty, &mut bytes, &mut at)?;
                }
                Meaning::Symbol(Space::Global, self.global.place(bytes))
            }
            ast::StateSpace::Reg | ast::StateSpace::Tex => return Err("a texture".to_owned()),
        };
        self.define(&name, meaning);
        Ok(())
    }

    fn initial(
        &mut self,
        init: &ast::Initializer,
        ty: ast::Type,
        bytes: &mut Vec<u8>,
        at: &mut usize,
    ) -> Result<(), Refusal> {
        let ast::Type::Scalar(format) = ty else {
            return Err("an initialized variable of rare type".to_owned());
        };
        let value = match &init.kind {
            ast::InitializerKind::List(list) => {
                return list.iter().try_for_each(|init| self.initial(init, ty, bytes, at));
            }
            ast::InitializerKind::Literal(ast::Literal::Integer { bits, .. }) => *bits,
            ast::InitializerKind::Literal(ast::Literal::F32(bits)) => u64::from(*bits),
            ast::InitializerKind::Literal(ast::Literal::F64(bits)) if format == Format::F64 => *bits,
            ast::InitializerKind::Literal(ast::Literal::F64(bits)) => {
                u64::from((f64::from_bits(*bits) as f32).to_bits())
            }
            ast::InitializerKind::Address { symbol, offset } => {
                self.address(*symbol, false)?.wrapping_add_signed(*offset)
            }
            ast::InitializerKind::Generic { symbol, offset } => {
                self.address(*symbol, true)?.wrapping_add_signed(*offset)
            }
            _ => return Err("an initializer of rare kind".to_owned()),
        };
        let count = format.bytes() as usize;
        if bytes.len() < *at + count {
            bytes.resize(*at + count, 0);
        }
        bytes[*at..*at + count].copy_from_slice(&value.to_le_bytes()[..count]);
        *at += count;
        Ok(())
    }

    fn address(&self, symbol: ast::Name, generic: bool) -> Result<u64, Refusal> {
        match self.find(self.text(symbol)) {
            Some(Meaning::Symbol(space, own)) => Ok(if generic { memory::generic(space, own) } else { own }),
            _ => Err("an address of nothing known".to_owned()),
        }
    }

    fn find(&self, name: &str) -> Option<Meaning> {
        for scope in self.scopes.iter().rev() {
            if let Some(meaning) = scope.names.get(name) {
                return Some(meaning.clone());
            }
            let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            for (prefix, count, first) in &scope.ranges {
                if let Some(number) = name.strip_prefix(prefix.as_str())
                    && number.len() <= digits
                    && let Ok(number) = number.parse::<u32>()
                    && number < *count
                {
                    return Some(Meaning::Register(first + number as usize));
                }
            }
        }
        None
    }

    fn block(&mut self, block: &ast::Block) -> Result<(), Refusal> {
        use ast::Statement as S;
        // Lists of targets may stand behind their use.
        for statement in &block.statements {
            if let S::BranchTargets(list) = statement {
                let names = list.targets.iter().map(|target| self.text(target.name).to_owned()).collect();
                let label = self.text(list.label.name).to_owned();
                self.define(&label, Meaning::Targets(Rc::new(names)));
            }
        }
        for statement in &block.statements {
            match statement {
                S::Instruction(inst) => self.instruction(inst)?,
                S::Label(label) => {
                    let scope = self.scopes.last().expect("a scope is open").number;
                    let name = self.text(label.name).to_owned();
                    self.labels.insert((scope, name), self.program.code.len());
                }
                S::Block(block) => {
                    self.open();
                    self.block(block)?;
                    self.scopes.pop();
                }
                S::Registers(declaration) => self.registers(declaration)?,
                S::Variable(variable) => self.variable(variable)?,
                S::Location(_)
                | S::Pragma(_)
                | S::BranchTargets(_)
                | S::CallTargets(_)
                | S::CallPrototype(_)
                | S::Contract(_) => {}
            }
        }
        Ok(())
    }

    fn registers(&mut self, declaration: &ast::RegisterDeclaration) -> Result<(), Refusal> {
        if declaration.vector.is_some() {
            return Err("vector registers".to_owned());
        }
        for register in &declaration.names {
            let name = self.text(register.name).to_owned();
            let first = self.program.widths.len();
            for _ in 0..register.count.unwrap_or(1) {
                self.register(declaration.ty)?;
            }
            match register.count {
                Some(count) => {
                    self.scopes.last_mut().expect("a scope is open").ranges.push((name, count, first));
                }
                None => self.define(&name, Meaning::Register(first)),
            }
        }
        Ok(())
    }

    fn emit(&mut self, op: Op, guard: Option<(usize, bool)>, args: Vec<Arg>) {
        let op = self.ops.entry(op.text.clone()).or_insert_with(|| Rc::new(op)).clone();
        self.program.code.push(Inst { op, guard, args });
    }

    fn instruction(&mut self, inst: &ast::Instruction) -> Result<(), Refusal> {
        let op = Op::new(self.module.opcode(inst.opcode).text());
        let guard = match inst.guard {
            Some(guard) => match self.find(self.text(guard.register)) {
                Some(Meaning::Register(register)) => Some((register, guard.negated)),
                _ => return Err("a guard that is no register".to_owned()),
            },
            None => None,
        };
        let branch = matches!(op.base.as_str(), "bra" | "brx");
        let mut args = Vec::new();
        for (at, operand) in inst.operands.iter().enumerate() {
            if branch && let ast::OperandKind::Name(name) = operand.kind {
                let label = self.text(name).to_owned();
                let scopes: Vec<usize> = self.scopes.iter().map(|scope| scope.number).collect();
                if let Some(Meaning::Targets(list)) = self.find(&label) {
                    self.pending.push((self.program.code.len(), at, list.join(" "), scopes));
                    args.push(Arg::Targets(Vec::new()));
                    continue;
                }
                if op.base == "bra" {
                    self.pending.push((self.program.code.len(), at, label, scopes));
                    args.push(Arg::Sink);
                    continue;
                }
            }
            args.push(self.operand(&operand.kind)?);
        }
        self.emit(op, guard, args);
        Ok(())
    }

    fn name(&mut self, name: ast::Name, offset: i64) -> Result<Arg, Refusal> {
        let text = self.text(name).to_owned();
        match self.find(&text) {
            Some(Meaning::Register(register)) => Ok(Arg::Reg(register)),
            Some(Meaning::Symbol(space, own)) => {
                if space == Space::Shared && own >= DYNAMIC {
                    self.dynamic.push((self.program.code.len(), text));
                }
                Ok(Arg::Symbol(space, own.wrapping_add_signed(offset)))
            }
            Some(Meaning::Function(index)) => Ok(Arg::Function(index)),
            Some(Meaning::Targets(_)) => Ok(Arg::Targets(Vec::new())),
            None if text.starts_with('%') || text == "WARP_SZ" => Ok(Arg::Special(text.into())),
            // A prototype of an indirect call.
            None => Ok(Arg::Sink),
        }
    }

    fn operand(&mut self, kind: &ast::OperandKind) -> Result<Arg, Refusal> {
        use ast::OperandKind as K;
        Ok(match kind {
            K::Name(name) => self.name(*name, 0)?,
            K::Offset { name, offset } => self.name(*name, *offset)?,
            K::Element { .. } => return Err("an element of an array".to_owned()),
            K::Component { name, component } => {
                if let Some(Meaning::Register(register)) = self.find(self.text(*name)) {
                    return Ok(Arg::Part(register, self.text(*component).into()));
                }
                let text = format!("{}.{}", self.text(*name), self.text(*component));
                if !text.starts_with('%') || self.find(self.text(*name)).is_some() {
                    return Err("a part of a vector register".to_owned());
                }
                Arg::Special(text.into())
            }
            K::Literal(ast::Literal::Integer { bits, .. }) => Arg::Int(*bits),
            K::Literal(ast::Literal::F32(bits)) => Arg::F32(*bits),
            K::Literal(ast::Literal::F64(bits)) => Arg::F64(*bits),
            K::Address(address) => {
                let base = match address.base {
                    Some(name) => self.name(name, 0)?,
                    None => Arg::Int(0),
                };
                Arg::Memory(Box::new(base), address.offset)
            }
            K::Minus(inner) => Arg::Minus(Box::new(self.operand(&inner.kind)?)),
            K::Coordinates(coordinates) => {
                let base = self.operand(&K::Address(coordinates.address))?;
                let rest: Result<Vec<Arg>, Refusal> =
                    coordinates.rest.iter().map(|operand| self.operand(&operand.kind)).collect();
                Arg::Place(Box::new(base), rest?)
            }
            K::Not(name) => match self.name(*name, 0)? {
                Arg::Reg(register) => Arg::Not(register),
                _ => return Err("a negation of no register".to_owned()),
            },
            K::Sink => Arg::Sink,
            K::Vector(parts) | K::List(parts) => {
                Arg::Vector(parts.iter().map(|part| self.operand(&part.kind)).collect::<Result<_, _>>()?)
            }
            K::Pair(pair) => {
                Arg::Pair(Box::new(self.operand(&pair.0.kind)?), Box::new(self.operand(&pair.1.kind)?))
            }
        })
    }
}

/// Stands for the beginning of dynamic shared memory until the static part is known.
const DYNAMIC: u64 = 1 << 40;

/// Size and alignment in bytes.
fn extent(
    ty: ast::Type,
    vector: Option<u8>,
    dimensions: &[Option<u64>],
    align: Option<u64>,
) -> Result<(u64, u64), Refusal> {
    let element = match ty {
        ast::Type::Scalar(format) => u64::from(format.bytes()),
        ast::Type::F16x2 | ast::Type::Bf16x2 => 4,
        ast::Type::B128 => 16,
        _ => return Err(format!("variables of .{}", ty.name())),
    } * u64::from(vector.unwrap_or(1));
    let count = dimensions.iter().try_fold(1u64, |count, extent| count.checked_mul(extent.unwrap_or(0)));
    let size = count.and_then(|count| count.checked_mul(element)).filter(|size| *size < 1 << 30);
    Ok((size.ok_or("a huge variable")?, align.unwrap_or(element).max(1)))
}

impl Arg {
    /// A literal's bits in an instruction of that type.
    pub fn literal(&self, float: Option<Format>) -> Option<u64> {
        match *self {
            Arg::Int(bits) => Some(bits),
            Arg::F32(bits) if float == Some(Format::F64) => Some(f64::from(f32::from_bits(bits)).to_bits()),
            Arg::F32(bits) => Some(u64::from(bits)),
            Arg::F64(bits) if float == Some(Format::F64) || float.is_none() => Some(bits),
            Arg::F64(bits) => {
                Some(soft::convert(Format::F64, float?, bits, rustc_apfloat::Round::NearestTiesToEven))
            }
            _ => None,
        }
    }
}
