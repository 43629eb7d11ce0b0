//! Syntax tree to lowered kernel.
//!
//! One walk over the entry's body emits instructions, resolving names as it goes; device functions
//! are walked again at each call, with registers of their own. Then labels get their indices,
//! `.param` locals of calls become registers where they can, variables get their offsets, the
//! control-flow graph gives the points of reconvergence, and the uses of parameters are followed.
//!
//! Guarantees: only registers that occur get an id; every diagnostic points at the operand it is
//! about; nothing is dropped silently (an unknown instruction becomes one that is unsupported when
//! executed). Misses: an inlined function's registers keep their values from one call in a loop to
//! the next, so an uninitialized read inside a device function shows only on its first execution.
//!
//! Source: PTX ISA 9.0, chapters 5–7 and 9.

mod arguments;
mod body;
mod call;
mod contract;
mod cooperative;
mod indirect;
mod instruction;
mod operand;
mod registers;
mod scope;
mod stack;
mod tensor_memory;
mod variables;
mod vectors;
mod video;
mod views;

use self::arguments::Arguments;
use self::registers::Registers;
use self::scope::Scopes;
use super::kernel::{Claim, Instr, Kernel, Location, Reg, Variable};
use super::{facts, flow, ordered, rounds};
use crate::base::readable;
use crate::base::{Source, Span};
use crate::diag::{Code, Diagnostic};
use crate::ir::Guard;
use crate::isa::Effect;
use crate::syntax::ast::{Function, FunctionDirective, Item, Module, Name};
use rustc_hash::FxHashMap;

/// Instructions that one kernel may have after inlining.
const MAX_INSTRUCTIONS: usize = 2_000_000;

/// Errors that one module may give.
const MAX_ERRORS: usize = 100;

/// A kernel, and what is worth knowing about it.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// Ready to execute.
    pub kernel: Kernel,
    /// Warnings and information.
    pub warnings: Vec<Diagnostic>,
}

/// The names of all kernels with a body, in source order.
pub fn entries(module: &Module) -> Vec<&str> {
    let kernels = module.functions().filter(|function| function.is_entry && function.body.is_some());
    kernels.map(|function| &module.names[function.name.name]).collect()
}

/// Lowers one kernel of a module: the named one, or the only one. `source` is the text that the
/// diagnostics point into.
pub fn lower(source: Source, module: &Module, entry: Option<&str>) -> Result<Lowered, Vec<Diagnostic>> {
    let function = choose(source, module, entry).map_err(|diagnostic| vec![diagnostic])?;
    let mut lowering = Lowering::new(source, module);
    lowering.entry(function);
    lowering.finish(function)
}

/// The kernel to lower.
fn choose<'m>(source: Source, module: &'m Module, entry: Option<&str>) -> Result<&'m Function, Diagnostic> {
    let kernels: Vec<&Function> =
        module.functions().filter(|function| function.is_entry && function.body.is_some()).collect();
    let names = entries(module);
    let listed = || {
        // A name in the source is enough where no other kernel has the same.
        let shown = |name: &&str| {
            let title = readable(name);
            let alone = names.iter().filter(|other| plain(&readable(other)) == plain(&title)).count() == 1;
            format!("`{}`", if alone { &title } else { *name })
        };
        format!("the module has {}", names.iter().map(shown).collect::<Vec<_>>().join(", "))
    };
    match (entry, kernels.as_slice()) {
        (_, []) => Err(without_kernel(source, module)),
        (None, [only]) => Ok(only),
        (None, [_, second, ..]) => {
            let message = format!("the module has {} kernels and none is named", kernels.len());
            Err(Diagnostic::error(Code::V003, message)
                .at(source, second.name.span)
                .note(format!("say which with `entry = \"…\"` in the spec's `[{source}]`; {}", listed())))
        }
        (Some(wanted), _) => {
            let mut same = (0..names.len()).filter(|at| names[*at] == wanted);
            match (same.next(), same.next()) {
                (Some(only), None) => return Ok(kernels[only]),
                // Which of them a GPU would run, nobody says; assemblers refuse such a module.
                (Some(_), Some(second)) => {
                    let message = format!("the module has several kernels of the name `{wanted}`");
                    return Err(Diagnostic::error(Code::V004, message).at(source, kernels[second].name.span));
                }
                _ => {}
            }
            // By its name in the source, where no other kernel has the same.
            let titled: Vec<usize> =
                (0..names.len()).filter(|at| plain(&readable(names[*at])) == plain(wanted)).collect();
            if let [only] = titled[..] {
                return Ok(kernels[only]);
            }
            let near = names.iter().min_by_key(|name| strsim::damerau_levenshtein(name, wanted));
            let close = near.filter(|name| strsim::damerau_levenshtein(name, wanted) <= 1 + wanted.len() / 3);
            let note = match (titled.len(), close) {
                (0, Some(name)) => format!("did you mean {name}?"),
                _ => listed(),
            };
            let count = if titled.is_empty() { "no kernel" } else { "several kernels called" };
            Err(Diagnostic::error(Code::V003, format!("the module has {count} {wanted}")).note(note))
        }
    }
}

/// That a text has no kernel, at what it has instead.
#[cold]
fn without_kernel(source: Source, module: &Module) -> Diagnostic {
    let message = "the module has no .entry with a body";
    let diagnostic = Diagnostic::error(Code::V003, message);
    match module.functions().next() {
        Some(entry) if entry.is_entry => diagnostic.at(source, entry.name.span).note(
            "this is a declaration: give the PTX of the file that has the kernel's instructions",
        ),
        Some(function) => diagnostic.at(source, function.name.span).note(
            "a `.func` runs only where a kernel calls it: give the PTX of the whole file, with the `.entry` that \
             does; a `__device__` function becomes a kernel as `__global__`",
        ),
        None => diagnostic.at(source, Span::default()).note(
            "the text has no instructions: give the PTX of a kernel, all of what `nvcc -ptx` or `cuobjdump -ptx` \
             writes, from `.version` on",
        ),
    }
}

/// A name without the spaces that people write differently in it.
fn plain(name: &str) -> String {
    name.split_whitespace().collect()
}

/// Where a label stands.
struct Label {
    at: Option<u32>,
}

/// A function being walked.
struct Frame {
    function: Name,
    /// Where `ret` goes; `None` in the kernel itself.
    after: Option<u32>,
}

/// What the instructions of one statement share.
#[derive(Clone, Copy)]
struct Context {
    guard: Option<Guard>,
    span: Span,
    row: u32,
    opcode: u32,
}

/// An instruction to emit.
struct Emit<'a> {
    effect: Effect,
    dst: &'a [Reg],
    src: &'a [Reg],
    offset: i64,
    target: u32,
}

/// An error was reported; the statement is given up.
struct Reported;

type Try<T> = Result<T, Reported>;

/// The state of lowering one kernel.
struct Lowering<'m> {
    source: Source,
    module: &'m Module,
    functions: FxHashMap<Name, &'m Function>,
    scopes: Scopes,
    registers: Registers,
    code: Vec<Instr>,
    operands: Vec<Reg>,
    labels: Vec<Label>,
    /// Instructions whose target is a label.
    jumps: Vec<(u32, u32)>,
    /// Label lists of indexed branches: each becomes a jump table.
    tables: Vec<Vec<u32>>,
    target_lists: Vec<&'m [crate::syntax::ast::Ident]>,
    variables: Vec<Variable>,
    /// Module-scope variables that exist already, and function-scope ones that all calls share.
    variable_ids: FxHashMap<u32, u32>,
    /// Module-scope variables by name, filled at the first look-up.
    module_names: FxHashMap<Name, &'m crate::syntax::ast::Variable>,
    arguments: Arguments,
    parameters: Vec<super::kernel::Parameter>,
    parameter_bytes: u32,
    frames: Vec<Frame>,
    location: u32,
    locations: Vec<Location>,
    location_ids: FxHashMap<Location, u32>,
    /// The last location at a place, which has no caller here.
    calls: FxHashMap<Location, u32>,
    files: Vec<String>,
    file_ids: FxHashMap<u64, u32>,
    notes: Vec<(u32, String)>,
    opcodes: Vec<String>,
    opcode_ids: FxHashMap<Name, u32>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    resolved: instruction::Cache,
    /// Registers that stand in brackets where an instruction reaches out of the CTA, whatever it does there.
    addresses: Vec<Reg>,
    /// Calls inlined so far.
    inlined: usize,
    /// The variables that stand for functions.
    function_variables: FxHashMap<Name, u32>,
    /// The functions whose address is taken, once somebody asked.
    taken: Option<Vec<Name>>,
    /// The variable of the stack, and the register that says where it ends.
    stack: Option<(u32, Reg)>,
    claims: Vec<Claim>,
}

impl<'m> Lowering<'m> {
    fn new(source: Source, module: &'m Module) -> Self {
        let mut functions: FxHashMap<Name, &Function> = FxHashMap::default();
        let (mut files, mut file_ids) = (Vec::new(), FxHashMap::default());
        for item in &module.items {
            match item {
                Item::Function(function) => {
                    // A body wins over prototypes.
                    let known = functions.entry(function.name.name).or_insert(function);
                    if known.body.is_none() {
                        *known = function;
                    }
                }
                Item::File(file) => {
                    file_ids.insert(file.number, files.len() as u32);
                    files.push(module.names[file.path].to_owned());
                }
                _ => {}
            }
        }
        for item in &module.items {
            if let Item::Alias(alias) = item
                && let Some(target) = functions.get(&alias.target.name)
            {
                functions.insert(alias.alias.name, target);
            }
        }
        let mut lowering = Lowering {
            source,
            module,
            functions,
            scopes: Scopes::default(),
            registers: Registers::default(),
            code: Vec::new(),
            operands: Vec::new(),
            labels: Vec::new(),
            jumps: Vec::new(),
            tables: Vec::new(),
            target_lists: Vec::new(),
            variables: Vec::new(),
            variable_ids: FxHashMap::default(),
            module_names: FxHashMap::default(),
            arguments: Arguments::default(),
            parameters: Vec::new(),
            parameter_bytes: 0,
            frames: Vec::new(),
            location: u32::MAX,
            locations: Vec::new(),
            location_ids: FxHashMap::default(),
            calls: FxHashMap::default(),
            files,
            file_ids,
            notes: Vec::new(),
            opcodes: Vec::new(),
            opcode_ids: FxHashMap::default(),
            errors: Vec::new(),
            warnings: Vec::new(),
            resolved: instruction::Cache::default(),
            addresses: Vec::new(),
            inlined: 0,
            function_variables: FxHashMap::default(),
            taken: None,
            stack: None,
            claims: Vec::new(),
        };
        lowering.scopes.open();
        for item in &module.items {
            if let Item::Registers(registers) = item {
                lowering.declare_registers(registers);
            }
        }
        lowering
    }

    /// Appends an instruction and returns its index.
    fn emit(&mut self, context: Context, emit: Emit<'_>) -> u32 {
        let at = self.code.len() as u32;
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(emit.dst);
        let middle = self.operands.len() as u32;
        self.operands.extend_from_slice(emit.src);
        let end = self.operands.len() as u32;
        self.code.push(Instr {
            effect: emit.effect,
            guard: context.guard,
            dst: start..middle,
            src: middle..end,
            offset: emit.offset,
            target: emit.target,
            span: context.span,
            location: self.location,
            row: context.row,
            opcode: context.opcode,
        });
        at
    }

    /// Appends an instruction without offset and target.
    fn plain(&mut self, context: Context, effect: Effect, dst: &[Reg], src: &[Reg]) -> u32 {
        self.emit(context, Emit { effect, dst, src, offset: 0, target: 0 })
    }

    /// Appends an instruction that is unsupported when executed, and says why.
    #[cold]
    fn unsupported(&mut self, context: Context, why: String) {
        let at = self.plain(context, Effect::Unsupported, &[], &[]);
        self.notes.push((at, why));
    }

    /// Appends a jump to a label.
    fn jump(&mut self, context: Context, label: u32) {
        let at = self.plain(context, Effect::Branch, &[], &[]);
        self.jumps.push((at, label));
    }

    fn new_label(&mut self) -> u32 {
        self.labels.push(Label { at: None });
        self.labels.len() as u32 - 1
    }

    /// Puts a label where the next instruction will stand.
    fn place(&mut self, label: u32) {
        self.labels[label as usize].at = Some(self.code.len() as u32);
    }

    /// Reports an error.
    #[cold]
    fn error(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.errors.len() < MAX_ERRORS && !self.errors.contains(&diagnostic) {
            self.errors.push(diagnostic);
        } else if self.errors.len() == MAX_ERRORS && !self.errors.contains(&diagnostic) {
            let message = format!("more than {MAX_ERRORS} errors: the rest of the kernel was not read");
            let place = diagnostic.primary.clone();
            self.errors.push(Diagnostic { primary: place, ..Diagnostic::error(Code::P008, message) });
        }
        Reported
    }

    /// Reports an error at a place.
    fn error_at(&mut self, code: Code, span: Span, message: impl Into<String>) -> Reported {
        self.error_saying(code, span, message.into())
    }

    #[cold]
    fn error_saying(&mut self, code: Code, span: Span, message: String) -> Reported {
        self.error(Diagnostic::error(code, message).at(self.source, span))
    }

    fn text(&self, name: Name) -> &'m str {
        &self.module.names[name]
    }

    /// Walks the kernel.
    fn entry(&mut self, function: &'m Function) {
        let caller = self.scopes.open_function();
        self.declare_parameters(function);
        self.frames.push(Frame { function: function.name.name, after: None });
        let start = Span { start: function.span.start, end: function.span.start };
        self.open_stack(Context { guard: None, span: start, row: u32::MAX, opcode: u32::MAX });
        if let Some(body) = &function.body {
            self.block(body);
        }
        self.frames.pop();
        self.scopes.close_function(caller);
        // Running off the end of a kernel ends the thread.
        let context = Context { guard: None, span: end_of(function), row: u32::MAX, opcode: u32::MAX };
        self.plain(context, Effect::Exit, &[], &[]);
    }

    /// Resolves what had to wait for the end.
    fn finish(mut self, function: &Function) -> Result<Lowered, Vec<Diagnostic>> {
        if self.code.len() > MAX_INSTRUCTIONS {
            let message = format!("the kernel has more than {MAX_INSTRUCTIONS} instructions after inlining");
            self.error_at(Code::B001, function.name.span, message);
        }
        let last = self.code.len() as u32 - 1;
        let targets: Vec<u32> = self.labels.iter().map(|label| label.at.unwrap_or(last)).collect();
        for (at, label) in &self.jumps {
            self.code[*at as usize].target = targets[*label as usize];
        }
        for target in self.tables.iter_mut().flatten() {
            *target = targets[*target as usize];
        }
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        self.settle_arguments();
        let layout = self.lay_out_variables();
        let (required_block, max_block) =
            (self.block_directive(function, "reqntid"), self.block_directive(function, "maxntid"));
        let clustered = ["reqnctapercluster", "maxclusterrank"]
            .into_iter()
            .any(|name| self.block_directive(function, name).is_some());
        let required_cluster = self.block_directive(function, "reqnctapercluster");
        let outside = |variable: &&crate::syntax::ast::Variable| {
            matches!(
                variable.space,
                crate::syntax::ast::StateSpace::Global
                    | crate::syntax::ast::StateSpace::Const
                    | crate::syntax::ast::StateSpace::Tex
            )
        };
        let module_variables = self.module.variables().filter(outside);
        let module_variables =
            module_variables.map(|variable| self.text(variable.name.name).to_owned()).collect();
        let mut kernel = Kernel {
            name: self.text(function.name.name).to_owned(),
            parameters: self.parameters,
            parameter_bytes: self.parameter_bytes,
            registers: self.registers.kinds,
            register_names: self.registers.names,
            code: self.code,
            operands: self.operands,
            tables: self.tables,
            variables: self.variables,
            module_variables,
            shared_bytes: layout.shared,
            local_bytes: layout.local,
            opcodes: self.opcodes,
            source: self.source,
            formula: false,
            locations: self.locations,
            files: self.files,
            required_block,
            max_block,
            clustered,
            required_cluster,
            notes: self.notes,
            claims: self.claims,
            reconverge: Vec::new(),
            rounds: Vec::new(),
        };
        ordered::join(&mut kernel);
        kernel.reconverge = flow::reconvergence(&kernel);
        kernel.rounds = rounds::rounds(&kernel);
        facts::infer(&mut kernel, &self.addresses);
        facts::declare(&mut kernel);
        Ok(Lowered { kernel, warnings: self.warnings })
    }

    /// `.reqntid 16, 16` as three extents.
    fn block_directive(&self, function: &Function, name: &str) -> Option<[u32; 3]> {
        function.directives.iter().find_map(|directive| match directive {
            FunctionDirective::Numbers(numbers) if self.text(numbers.name) == name => {
                let extent =
                    |at: usize| numbers.numbers.get(at).map_or(1, |n| u32::try_from(*n).unwrap_or(u32::MAX));
                Some([extent(0), extent(1), extent(2)])
            }
            _ => None,
        })
    }
}

/// The closing brace of a function.
fn end_of(function: &Function) -> Span {
    function
        .body
        .as_ref()
        .map_or(function.span, |body| Span { start: body.span.end.saturating_sub(1), end: body.span.end })
}
