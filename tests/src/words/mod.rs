//! Narrow integers on all their values: kernels of many forms, by the simulator and by the machine.
//!
//! A *form* loads a word or two out of four bytes of its thread, does one to three things with them, and
//! stores the result ([`draw`]). All forms of a question are one kernel. The simulator gives a term for
//! each form, which is evaluated exactly ([`value`]) at the bytes of every thread of the machine; both must
//! agree. Whether two forms are the same function of the first byte is then known without anybody
//! expecting anything: the machine has computed both on all its 256 values.

pub mod draw;
pub mod rounds;
pub mod value;

use crate::machine::{Machine, memory::Global, program};
use draw::{Form, Out};
use value::{Point, Value};
use warpproof::base::{Budget, Format, Source};
use warpproof::sim::{self, Binding, BoundParameter, Initial, Options, Run, Setup, TensorSetup};
use warpproof::spec::Launch;
use warpproof::term::eval::{Cone, evaluate};
use warpproof::term::{Elements, Term};
use warpproof::{ir, syntax};

/// Threads that the simulator runs.
pub const LANES: usize = 32;
/// Threads of a block of the machine.
const BLOCK: usize = 256;

/// What the four bytes of a thread are declared as.
pub const LAYOUTS: [Format; 6] = [Format::U8, Format::S8, Format::U16, Format::S16, Format::U32, Format::S32];

/// Many forms with what both made of them.
pub struct Outcome {
    pub run: Run,
    pub elements: Elements,
    /// Of each form, the term of the first thread.
    pub terms: Vec<Term>,
    /// Of each form, what the machine stored for each row.
    pub results: Vec<Vec<u64>>,
}

fn text(forms: &[Form]) -> String {
    let mut body = String::new();
    for (at, form) in forms.iter().enumerate() {
        body += &form.body;
        body += &form.store(at);
    }
    let outs: String = Out::ALL.iter().map(|out| format!(", .param .u64 k_{out:?}")).collect();
    let bases: String = Out::ALL
        .iter()
        .map(|out| {
            format!(
                "ld.param.u64 %o{out:?}, [k_{out:?}]; mul.wide.u32 %t, %n, {}; add.s64 %o{out:?}, %o{out:?}, %t;\n",
                out.bytes() * forms.len()
            )
        })
        .collect();
    let names: String = Out::ALL.iter().map(|out| format!(", %o{out:?}")).collect();
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 k_x{outs})\n{{\n.shared .align 8 .b8 s[{}];\n\
         .reg .b64 %x, %t{names}; .reg .b32 %n, %c, %b, %s; .reg .pred %p<4>;\n\
         .reg .b16 %h<16>; .reg .b32 %r<16>; .reg .b64 %d<16>;\n\
         mov.u32 %n, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %b, %ntid.x; mov.u32 %s, s;\n\
         mad.lo.u32 %s, %n, 8, %s; mad.lo.u32 %n, %c, %b, %n;\n\
         ld.param.u64 %x, [k_x]; mul.wide.u32 %t, %n, 4; add.s64 %x, %x, %t;\n{bases}{body}ret;\n}}\n",
        8 * BLOCK
    )
}

/// A tensor of so many elements in a row.
pub(crate) fn tensor(name: &str, format: Format, count: u64, initial: Initial) -> TensorSetup {
    TensorSetup {
        variable: None,
        name: name.to_owned(),
        format: Some(format),
        shape: Some(vec![count]),
        strides: None,
        role: None,
        initial,
        reserved: count,
        others: None,
    }
}

fn launch(blocks: usize, threads: usize) -> Launch {
    let ctas = (0..blocks as u32).map(|at| [at, 0, 0]).collect();
    Launch {
        grid: [blocks as u32, 1, 1],
        block: [threads as u32, 1, 1],
        cluster: [1; 3],
        ctas,
        dynamic_shared: Some(0),
    }
}

/// Runs forms on rows of four bytes, with the bytes declared in a format. `Err` says why not.
pub fn execute(forms: &[Form], layout: Format, rows: &[[u8; 4]]) -> Result<Outcome, String> {
    assert!(rows.len().is_multiple_of(BLOCK), "whole blocks");
    let text = text(forms);
    let parsed = syntax::parse(Source::Optimized, &text);
    if let Some(first) = parsed.diagnostics.first() {
        return Err(format!("{first:?}"));
    }
    let lowered = ir::lower(Source::Optimized, &parsed.module, None)
        .map_err(|errors| format!("{:?}", errors.first().map(|error| error.message.clone())))?;
    let count = LANES as u64 * 4 / u64::from(layout.bytes());
    let mut tensors = vec![tensor("x", layout, count, Initial::Symbolic { first: 0 })];
    let outputs = (LANES * forms.len()) as u64;
    tensors.extend(
        Out::ALL.iter().map(|out| tensor(&format!("{out:?}"), out.format(), outputs, Initial::Undefined)),
    );
    let parameters = (0..tensors.len())
        .map(|tensor| BoundParameter {
            offset: 8 * tensor as u32,
            size: 8,
            binding: Binding::Pointer { tensor, offset: 0 },
        })
        .collect();
    let setup = Setup {
        maps: Default::default(),
        unknowable: (0, 0),
        contents: Default::default(),
        bounds: Vec::new(),
        launch: launch(1, LANES),
        tensors,
        views: Vec::new(),
        parameters,
    };
    let options = Options { timeline_events: 0, ..Options::default() };
    let run = sim::simulate(&options, &Budget::default(), &lowered.kernel, &setup);
    if let Some(fault) = run.faults.first() {
        return Err(format!("the simulator: {:?}", fault.kind));
    }
    let mut elements = Elements::default();
    elements.push("x", vec![count], layout, count);
    let results = on_machine(&parsed.module, forms, rows)?;
    let term = |form: usize| {
        let tensor = 1 + forms[form].out as usize;
        let state = run.tensors.iter().find(|state| state.tensor == tensor)?;
        state.elements.get(form as u64).map(|(term, _)| term)
    };
    let terms: Option<Vec<Term>> = (0..forms.len()).map(term).collect();
    let terms = terms.ok_or("a form stored nothing")?;
    Ok(Outcome { run, elements, terms, results })
}

fn on_machine(
    module: &syntax::ast::Module,
    forms: &[Form],
    rows: &[[u8; 4]],
) -> Result<Vec<Vec<u64>>, String> {
    let mut global = Global::default();
    let program =
        program::build(module, None, &mut global).map_err(|why| format!("the machine has no {why}"))?;
    let mut parameters = global.place(rows.concat()).to_le_bytes().to_vec();
    let bases: Vec<u64> =
        Out::ALL.iter().map(|out| global.place(vec![0xa5; out.bytes() * rows.len() * forms.len()])).collect();
    parameters.extend(bases.iter().flat_map(|base| base.to_le_bytes()));
    let launch = launch(rows.len() / BLOCK, BLOCK);
    let mut machine = Machine::new(&program, &launch, global, &parameters, 1);
    machine.run(1 << 40).map_err(|stop| format!("the machine: {stop:?}"))?;
    Ok(forms
        .iter()
        .enumerate()
        .map(|(at, form)| {
            let bytes = form.out.bytes();
            let read = |row: usize| {
                let place = bases[form.out as usize] + ((row * forms.len() + at) * bytes) as u64;
                machine.global.read(place, bytes).unwrap_or(0)
            };
            (0..rows.len()).map(read).collect()
        })
        .collect())
}

/// What of each form the simulator's terms give otherwise than the machine, at all rows, and the forms that
/// could not be compared everywhere.
pub fn disagreements(
    forms: &[Form],
    layout: Format,
    rows: &[[u8; 4]],
    outcome: &Outcome,
) -> (Vec<String>, Vec<String>) {
    let (mut wrong, mut lost) = (Vec::new(), Vec::new());
    let mut told = vec![[false; 2]; forms.len()];
    let each = layout.bytes() as usize;
    for lane in 0..LANES {
        let term = |form: usize| {
            let tensor = 1 + forms[form].out as usize;
            let state = outcome.run.tensors.iter().find(|state| state.tensor == tensor)?;
            state.elements.get((lane * forms.len() + form) as u64).map(|(term, _)| term)
        };
        let roots: Vec<Term> = (0..forms.len()).map(|form| term(form).expect("every lane stores")).collect();
        let cone = Cone::of(&outcome.run.terms, &roots, &Budget::default()).expect("ample");
        for row in (lane..rows.len()).step_by(LANES) {
            let mut numbers = vec![0; LANES * 4 / each];
            for (at, bytes) in rows[row].chunks(each).enumerate() {
                let bits = bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
                numbers[lane * 4 / each + at] = value::integer(layout, bits);
            }
            let point = Point { terms: &outcome.run.terms, elements: &numbers };
            let found = evaluate(&cone, &point, &Budget::default(), &mut Vec::new()).expect("ample");
            for (at, value) in found.into_iter().enumerate() {
                let stored = outcome.results[at][row];
                let same = value::same(forms[at].out.format(), stored, value);
                if same == Some(true) || told[at][usize::from(same.is_none())] {
                    continue;
                }
                told[at][usize::from(same.is_none())] = true;
                let list = if same.is_none() { &mut lost } else { &mut wrong };
                let said = match value {
                    Value::Lost(why) => why.to_owned(),
                    value => format!("{value:?}"),
                };
                list.push(format!(
                    "{layout:?} {:02x?}: {stored:#x} on the machine, {said} as a term: {}",
                    rows[row],
                    forms[at].body.replace('\n', " ")
                ));
            }
        }
    }
    (wrong, lost)
}
