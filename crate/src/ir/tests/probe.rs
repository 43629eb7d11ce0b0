//! One instruction, written as PTX and executed on many operands.

use crate::base::Source;
use crate::ir::{Kernel, Lowered, Reg, RegisterKind, lower};
use crate::isa::{Effect, Lanes, WARP};
use crate::syntax::parse;
use std::collections::{BTreeMap, BTreeSet};

/// A module around instructions that use the registers `%p %rs %r %rd %f %fd`.
pub(super) fn module(instructions: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n\
         .extern .func (.param .b32 result) expf (.param .b32 x);\n\
         .entry k() {{\n\
         .reg .pred %p<10>; .reg .b8 %b<10>; .reg .b16 %rs<10>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .b128 %rq<10>;\n\
         .reg .f32 %f<10>; .reg .f64 %fd<10>;\n\
         T: .branchtargets L;\n{instructions}\nL: ret;\n}}\n"
    )
}

/// Lowers the only kernel of a text; diagnostics as lines.
pub(super) fn lowered(text: &str) -> Result<Lowered, String> {
    let parsed = parse(Source::Optimized, text);
    let said = |diagnostics: &[crate::diag::Diagnostic]| {
        let each = diagnostics.iter().map(|error| {
            let place = error.primary.as_ref().map_or("", |label| label.span.text(text));
            let notes: String = error.notes.iter().map(|note| format!(" ({note})")).collect();
            format!("{} {} at `{place}`{notes}", error.code, error.message)
        });
        each.collect::<Vec<_>>().join("\n")
    };
    if !parsed.diagnostics.is_empty() {
        return Err(said(&parsed.diagnostics));
    }
    lower(Source::Optimized, &parsed.module, None).map_err(|errors| said(&errors))
}

/// Is shown each probe, and how to check it.
pub(super) type Visit<'a> = &'a mut dyn FnMut(Probe, &dyn Fn(&Probe));

/// A lowered instruction with the means to execute it.
pub(super) struct Probe {
    pub(super) text: String,
    kernel: Kernel,
    registers: BTreeMap<String, Reg>,
}

impl Probe {
    pub(super) fn new(instruction: &str) -> Probe {
        let text = format!("{instruction};");
        let kernel = lowered(&module(&text)).unwrap_or_else(|why| panic!("{instruction}: {why}")).kernel;
        let registers = kernel
            .register_names
            .iter()
            .enumerate()
            .filter(|(_, name)| !name.is_empty())
            .map(|(at, name)| (name.clone(), Reg(at as u32)))
            .collect();
        Probe { text, kernel, registers }
    }

    /// The rows that the instruction is made of.
    pub(super) fn rows(&self) -> BTreeSet<u32> {
        self.kernel.code.iter().map(|instr| instr.row).collect()
    }

    /// Executes straight-line pure code.
    fn run(&self, inputs: &[(&str, Lanes)], outputs: &[&str]) -> Vec<Lanes> {
        let mut registers: Vec<Lanes> = self
            .kernel
            .registers
            .iter()
            .map(|kind| match kind {
                RegisterKind::Constant(crate::ir::Constant::Bits(bits)) => [*bits; WARP],
                _ => [0; WARP],
            })
            .collect();
        for (name, lanes) in inputs {
            let Some(reg) = self.registers.get(*name) else { panic!("{} has no {name}", self.text) };
            registers[reg.index()] = *lanes;
        }
        for instr in &self.kernel.code {
            let zero = [0; WARP];
            let src: Vec<Lanes> = self.kernel.src(instr).iter().map(|reg| registers[reg.index()]).collect();
            let dst = self.kernel.dst(instr);
            match instr.effect {
                Effect::Lanewise(lanes) => {
                    let of = |at: usize| src.get(at).unwrap_or(&zero);
                    let mut out = [[0; WARP]; 2];
                    let [first, second] = &mut out;
                    (lanes.concrete)(&[of(0), of(1), of(2), of(3)], first, second);
                    for (at, reg) in dst.iter().enumerate() {
                        registers[reg.index()] = out[at];
                    }
                }
                Effect::Move { .. } => registers[dst[0].index()] = src[0],
                Effect::Pack { bits } => {
                    let part = bits / src.len() as u32;
                    let mask = (1u64 << part) - 1;
                    registers[dst[0].index()] = std::array::from_fn(|lane| {
                        src.iter().rev().fold(0, |word, source| word << part | source[lane] & mask)
                    });
                }
                Effect::Unpack { bits } => {
                    let part = bits / dst.len() as u32;
                    let mask = (1u64 << part) - 1;
                    for (at, reg) in dst.iter().enumerate() {
                        registers[reg.index()] = src[0].map(|word| word >> (part * at as u32) & mask);
                    }
                }
                Effect::Exit => break,
                ref other => panic!("{}: {other:?}", self.text),
            }
        }
        outputs.iter().map(|name| registers[self.registers[*name].index()]).collect()
    }

    /// Executes the instruction on every combination of the sources' values and compares with the
    /// expected bits. `same` says when two results are the same.
    pub(super) fn check(
        &self,
        sources: &[(&str, &[u64])],
        outputs: &[&str],
        expected: impl Fn(&[u64]) -> Vec<u64>,
    ) {
        let mut batch: Vec<Vec<u64>> = Vec::with_capacity(WARP);
        let total: usize = sources.iter().map(|(_, values)| values.len()).product();
        for number in 0..total {
            let mut rest = number;
            let pick = |values: &[u64]| {
                let value = values[rest % values.len()];
                rest /= values.len();
                value
            };
            batch.push(sources.iter().map(|(_, values)| *values).map(pick).collect());
            if batch.len() < WARP && number + 1 < total {
                continue;
            }
            let inputs: Vec<(&str, Lanes)> = sources
                .iter()
                .enumerate()
                .map(|(at, (name, _))| {
                    (*name, std::array::from_fn(|lane| batch.get(lane).map_or(0, |values| values[at])))
                })
                .collect();
            let results = self.run(&inputs, outputs);
            for (lane, values) in batch.iter().enumerate() {
                let got: Vec<u64> = results.iter().map(|lanes| lanes[lane]).collect();
                let want = expected(values);
                assert!(got == want, "{} on {values:x?}: {got:x?}, expected {want:x?}", self.text);
            }
            batch.clear();
        }
    }
}
