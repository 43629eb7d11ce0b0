//! Random valid kernels: a tree of instructions and control flow, printed as PTX.
//!
//! Every register is written before it is used, every index is brought into its array, divisors and
//! arguments of roots and logarithms are in range, and shared memory is touched between barriers that
//! all threads reach: a kernel is free of faults by construction (that the simulator finds none is
//! part of the test). Integers, addresses and control are concrete; integers of a class of their own are small
//! functions of the tensor `m` (s32), floats of the
//! tensors `a` (f32), `b` (f64) and `c` (f16 or bf16).
//!
//! `draw` makes kernels, `rewrite` others that mean the same, `mutate` ones that may not.

mod draw;
mod frame;
mod matrix;
mod mutate;
mod rewrite;
mod rows;

pub use draw::{Size, draw};
pub use mutate::mutate;
pub use rewrite::rewrite;

use std::fmt::Write;

/// Elements of each input tensor: a power of two.
pub const INPUTS: u32 = 64;

/// An operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg {
    Reg(String),
    /// A constant or a special register.
    Imm(String),
    /// `[base + offset]`
    Mem(String, i64),
    Vec(Vec<String>),
    /// `d|p`
    Pair(String, String),
}

/// An instruction. The first operands (`defs` of them) are written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inst {
    pub guard: Option<(String, bool)>,
    pub op: String,
    pub defs: usize,
    pub args: Vec<Arg>,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    Inst(Inst),
    /// Predicate, branch if it does not hold, and the other side.
    If(String, Vec<Stmt>, Vec<Stmt>),
    /// Times (an immediate or a register), and the body.
    Loop(Arg, Vec<Stmt>),
    /// An index below the number of arms.
    Switch(String, Vec<Vec<Stmt>>),
    /// `(result) = function(arguments)`, all 32 bits.
    Call {
        result: String,
        function: &'static str,
        float: bool,
        arguments: Vec<String>,
    },
}

/// A kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Kernel {
    /// Blocks, and threads of each.
    pub blocks: u32,
    pub threads: u32,
    /// Values of each kind that a thread stores: f32, u32, f64, packed halves.
    pub stores: [u32; 4],
    /// The halves are bf16.
    pub brain: bool,
    /// There are integers that depend on data; the last two u32 that a thread stores are such.
    pub symbols: bool,
    pub body: Vec<Stmt>,
    pub registers: Registers,
}

/// How many registers of each class there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Registers {
    pub int: u32,
    pub float: u32,
    pub double: u32,
    pub half: u32,
    pub long: u32,
    pub short: u32,
}

impl Inst {
    /// Registers that are written; a guarded write keeps the old value, so it reads it too.
    pub fn writes(&self) -> Vec<&str> {
        self.args[..self.defs].iter().flat_map(registers).collect()
    }

    /// Registers that are read.
    pub fn reads(&self) -> Vec<&str> {
        let mut reads: Vec<&str> = self.args[self.defs..].iter().flat_map(registers).collect();
        if let Some((guard, _)) = &self.guard {
            reads.push(guard);
            reads.extend(self.writes());
        }
        reads
    }

    fn print(&self, out: &mut String) {
        if let Some((guard, holds)) = &self.guard {
            write!(out, "@{}{guard} ", if *holds { "" } else { "!" }).expect("memory");
        }
        let args: Vec<String> = self.args.iter().map(Arg::print).collect();
        writeln!(out, "{} {};", self.op, args.join(", ")).expect("memory");
    }
}

fn registers(arg: &Arg) -> Vec<&str> {
    match arg {
        Arg::Reg(name) | Arg::Mem(name, _) => vec![name],
        Arg::Vec(names) => names.iter().map(String::as_str).collect(),
        Arg::Pair(one, two) => vec![one, two],
        _ => Vec::new(),
    }
}

impl Arg {
    fn print(&self) -> String {
        match self {
            Arg::Reg(name) | Arg::Imm(name) => name.clone(),
            Arg::Mem(base, offset) => format!("[{base}+{offset}]"),
            Arg::Vec(names) => format!("{{{}}}", names.join(", ")),
            Arg::Pair(one, two) => format!("{one}|{two}"),
        }
    }
}

/// Printing state: labels, and the registers that loops and switches count in.
struct Printer {
    out: String,
    labels: u32,
}

impl Kernel {
    /// The kernel as PTX.
    pub fn ptx(&self) -> String {
        let mut printer = Printer { out: String::new(), labels: 0 };
        frame::open(self, &mut printer.out);
        printer.block(&self.body);
        frame::close(self, &mut printer.out);
        // Loops declare their counters in scopes of their own.
        printer.out
    }

    /// The spec of one kernel against another, or of one alone.
    pub fn spec(&self) -> String {
        let block =
            format!("grid = [{}, 1, 1]\nblock = [{}, 1, 1]\nctas = \"all\"", self.blocks, self.threads);
        let args = r#"args = ["a", "b", "c", "x", "y", "z", "w", "n", "m"]"#;
        let mut spec = format!("[launch]\n{block}\n[reference]\n{args}\n[optimized]\n{args}\n");
        let mut tensor = |name: &str, ty: &str, count: u32, role: &str| {
            // What is not stored has one element that nobody writes.
            let count = count.max(1);
            writeln!(spec, "[tensors.{name}]\ntype = \"{ty}\"\nshape = [{count}]\nrole = \"{role}\"")
                .expect("memory");
        };
        tensor("a", "f32", INPUTS, "in");
        tensor("b", "f64", INPUTS, "in");
        let half = if self.brain { "bf16" } else { "f16" };
        let threads = self.blocks * self.threads;
        tensor("c", half, INPUTS, "in");
        tensor("x", "f32", threads * self.stores[0], "out");
        tensor("y", "u32", threads * self.stores[1], "out");
        tensor("z", "f64", threads * self.stores[2], "out");
        tensor("w", half, threads * 2 * self.stores[3], "out");
        tensor("n", "s32", INPUTS, "in");
        let words: Vec<String> =
            (0..INPUTS).map(|at| (i64::from(at * 37 % 64) * 2 - 50).to_string()).collect();
        writeln!(spec, "contents = [{}]", words.join(", ")).expect("memory");
        let m = format!("[tensors.m]\ntype = \"s32\"\nshape = [{INPUTS}]\nrole = \"in\"\n");
        spec + &m
    }
}

impl Printer {
    fn line(&mut self, line: std::fmt::Arguments) {
        self.out.write_fmt(line).expect("memory");
        self.out.push('\n');
    }

    fn block(&mut self, body: &[Stmt]) {
        for stmt in body {
            let label = self.labels;
            match stmt {
                Stmt::Inst(inst) => inst.print(&mut self.out),
                Stmt::If(predicate, then, other) => {
                    self.labels += 1;
                    self.line(format_args!("@!{predicate} bra E{label};"));
                    self.block(then);
                    if !other.is_empty() {
                        self.line(format_args!("bra F{label};"));
                    }
                    self.line(format_args!("E{label}:"));
                    if !other.is_empty() {
                        self.block(other);
                        self.line(format_args!("F{label}:"));
                    }
                }
                Stmt::Loop(times, body) => {
                    self.labels += 1;
                    self.line(format_args!("{{ .reg .u32 %k{label}; .reg .pred %y{label};"));
                    self.line(format_args!("mov.u32 %k{label}, {};", times.print()));
                    self.line(format_args!("L{label}: setp.eq.u32 %y{label}, %k{label}, 0;"));
                    self.line(format_args!("@%y{label} bra M{label};"));
                    self.block(body);
                    self.line(format_args!("sub.u32 %k{label}, %k{label}, 1;"));
                    self.line(format_args!("bra L{label};\nM{label}:\n}}"));
                }
                Stmt::Switch(index, arms) => {
                    self.labels += 1;
                    let targets: Vec<String> = (0..arms.len()).map(|arm| format!("S{label}_{arm}")).collect();
                    self.line(format_args!("T{label}: .branchtargets {};", targets.join(", ")));
                    self.line(format_args!("brx.idx {index}, T{label};"));
                    for (arm, body) in arms.iter().enumerate() {
                        self.line(format_args!("S{label}_{arm}:"));
                        self.block(body);
                        self.line(format_args!("bra U{label};"));
                    }
                    self.line(format_args!("U{label}:"));
                }
                Stmt::Call { result, function, float, arguments } => {
                    let ty = if *float { "f32" } else { "b32" };
                    self.line(format_args!("{{"));
                    for (at, argument) in arguments.iter().enumerate() {
                        self.line(format_args!(".param .b32 q{at};\nst.param.{ty} [q{at}], {argument};"));
                    }
                    let names: Vec<String> = (0..arguments.len()).map(|at| format!("q{at}")).collect();
                    self.line(format_args!(
                        ".param .b32 q;\ncall.uni (q), {function}, ({});",
                        names.join(", ")
                    ));
                    self.line(format_args!("ld.param.{ty} {result}, [q];\n}}"));
                }
            }
        }
    }
}
