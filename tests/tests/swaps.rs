//! Updates that kernels make around a compare-and-swap, against their definition: small random programs of two or
//! three threads whose loops load, swap and go round in different ways, all of whose interleavings are explored here,
//! one access at a time. Each is compared with its threads one after the other. What is called equivalent must end like
//! that in every interleaving, for every input that is tried; a data race must be one; and what is one commutative
//! operation on each word must be proved.
//!
//! The long form (`npm run soak -- swaps`) sets `WARPPROOF_SOAK_SECONDS` and `WARPPROOF_SOAK_SEED`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::{Duration, Instant};
use warpproof::report::Verdict;
use warpproof_tests::ask::check;
use warpproof_tests::program::Dice;

const WORDS: usize = 2;
const INPUTS: usize = 6;

/// What becomes of a word `w`, by an input `x`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Function {
    Add,
    Subtract,
    Multiply,
    Max,
    Min,
    /// `w < x ? x : w`.
    Larger,
    /// `w / 2 + x`.
    Halve,
    /// `x`.
    Put,
    /// `x - w`.
    Reverse,
}

/// How it is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// The guess is loaded before the loop; whether by a strong load.
    Before(bool),
    /// It is loaded in each round.
    Inside,
    /// It is a constant.
    Constant,
    /// The loop is left early where the word would stay as it is.
    Early,
    /// Floats are compared.
    Floats,
    /// A branch leaves, and another one goes round.
    TwoBranches,
    /// Tried once.
    Once,
    /// The new word is computed from the first guess.
    Stale,
    /// By `atom.add` itself.
    Atomic,
    /// A plain store of `x`.
    Store,
}

#[derive(Clone, Copy, Debug)]
struct Op {
    word: usize,
    function: Function,
    input: usize,
    form: Form,
}

/// By phase, which barriers end, and by thread.
type Program = Vec<Vec<Vec<Op>>>;

fn function(function: Function, w: f64, x: f64) -> f64 {
    match function {
        Function::Add => w + x,
        Function::Subtract => w - x,
        Function::Multiply => w * x,
        Function::Max | Function::Larger => w.max(x),
        Function::Min => w.min(x),
        Function::Halve => w / 2.0 + x,
        Function::Put => x,
        Function::Reverse => x - w,
    }
}

fn random(dice: &mut Dice) -> Program {
    let threads = 2 + dice.below(2) as usize;
    // Mostly one function for each word.
    let functions = [Function::Add, Function::Subtract, Function::Multiply, Function::Max, Function::Min];
    let others = [Function::Larger, Function::Halve, Function::Put, Function::Reverse];
    let any = |dice: &mut Dice| match dice.below(3) {
        0 => others[dice.below(4) as usize],
        _ => functions[dice.below(5) as usize],
    };
    let usual: [Function; WORDS] = [any(dice), any(dice)];
    let strict = dice.below(2) == 0;
    let phases = 1 + dice.below(2);
    (0..phases)
        .map(|_| {
            let thread = |dice: &mut Dice| {
                let count = 1 + dice.below(2) / (threads as u64 - 1);
                (0..count).map(|_| op(dice, &usual, strict, any)).collect()
            };
            (0..threads).map(|_| thread(dice)).collect()
        })
        .collect()
}

fn op(dice: &mut Dice, usual: &[Function; WORDS], strict: bool, any: impl Fn(&mut Dice) -> Function) -> Op {
    let word = dice.below(WORDS as u64) as usize;
    let function = if strict || dice.below(3) > 0 { usual[word] } else { any(dice) };
    let input = dice.below(INPUTS as u64) as usize;
    let ordered = matches!(function, Function::Max | Function::Min | Function::Larger);
    let form = match dice.below(if strict { 12 } else { 16 }) {
        0..=2 => Form::Before(false),
        3 => Form::Before(true),
        4 | 5 => Form::Inside,
        6 => Form::Constant,
        7 => Form::Floats,
        8 | 9 => Form::TwoBranches,
        10 if ordered => Form::Early,
        11 if function == Function::Add => Form::Atomic,
        12 => Form::Once,
        13 => Form::Stale,
        14 => Form::Store,
        _ => Form::Before(false),
    };
    Op { word, function, input, form }
}

// ---- the definition ------------------------------------------------------------------------

/// Where a thread is: in which operation, at which access of it, and which words it has seen and wants to write.
type Place = (usize, u8, [u64; 2]);

/// The memories in which the interleavings end.
fn ends(program: &Program, x: &[f64], first: [f64; WORDS]) -> BTreeSet<[u64; WORDS]> {
    let mut memories = BTreeSet::from([first.map(f64::to_bits)]);
    for phase in program {
        let mut seen = BTreeSet::new();
        let mut after = BTreeSet::new();
        let mut open: Vec<([u64; WORDS], Vec<Place>)> =
            memories.iter().map(|memory| (*memory, vec![(0, 0, [0; 2]); phase.len()])).collect();
        while let Some((memory, places)) = open.pop() {
            if !seen.insert((memory, places.clone())) {
                continue;
            }
            let mut over = true;
            for (thread, ops) in phase.iter().enumerate() {
                let Some(op) = ops.get(places[thread].0) else { continue };
                over = false;
                let (mut memory, mut places) = (memory, places.clone());
                step(op, x[op.input], &mut memory, &mut places[thread]);
                open.push((memory, places));
            }
            if over {
                after.insert(memory);
            }
        }
        memories = after;
    }
    memories
}

/// One access of a thread.
fn step(op: &Op, x: f64, memory: &mut [u64; WORDS], place: &mut Place) {
    let word = &mut memory[op.word];
    let of = |seen: u64| function(op.function, f64::from_bits(seen), x).to_bits();
    let next = (place.0 + 1, 0, [0; 2]);
    let (_, at, [seen, wanted]) = *place;
    match (op.form, at) {
        (Form::Atomic, _) => {
            *word = of(*word);
            *place = next;
        }
        (Form::Store, _) => {
            *word = x.to_bits();
            *place = next;
        }
        (Form::Constant, 0) => *place = (place.0, 1, [0; 2]),
        (_, 0) => *place = (place.0, 1, [*word, of(*word)]),
        (Form::Early, _) if of(seen) == seen => *place = next,
        (form, _) => {
            let new = if form == Form::Stale { wanted } else { of(seen) };
            let found = *word;
            if found == seen {
                *word = new;
            }
            *place = match form {
                _ if found == seen => next,
                Form::Once => next,
                Form::Inside => (place.0, 0, [0; 2]),
                _ => (place.0, 1, [found, wanted]),
            };
        }
    }
}

/// Whether an operation of some forms meets another access in no order with it.
fn meets(program: &Program, forms: &[Form]) -> bool {
    program.iter().any(|phase| {
        let all =
            || phase.iter().enumerate().flat_map(|(thread, ops)| ops.iter().map(move |op| (thread, op)));
        all().any(|(thread, op)| {
            // Stores of one value do not race.
            let same =
                |with: &Op| (with.form, op.form) == (Form::Store, Form::Store) && with.input == op.input;
            let meets = |(other, with): (usize, &Op)| other != thread && with.word == op.word && !same(with);
            forms.contains(&op.form) && all().any(meets)
        })
    })
}

/// Whether each word is updated by one commutative operation only, in ways that are understood.
fn is_plain(program: &Program) -> bool {
    program.iter().all(|phase| {
        let mut of_word: BTreeMap<usize, BTreeSet<Function>> = BTreeMap::new();
        phase.iter().flatten().all(|op| {
            let sort = match op.function {
                Function::Subtract => Function::Add,
                Function::Larger => Function::Max,
                function => function,
            };
            of_word.entry(op.word).or_default().insert(sort);
            let commutes = matches!(sort, Function::Add | Function::Multiply | Function::Max | Function::Min);
            let known = !matches!(op.form, Form::Once | Form::Stale | Form::Store);
            commutes && known && of_word[&op.word].len() == 1
        })
    })
}

// ---- PTX -----------------------------------------------------------------------------------

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 px, .param .u64 pw)\n{\n\
                    .reg .pred %p<400>;\n.reg .b32 %r<400>;\n.reg .f32 %f<400>;\n.reg .b64 %x, %w;\n\
                    ld.param.u64 %x, [px];\nld.param.u64 %w, [pw];\ncvta.to.global.u64 %x, %x;\n\
                    cvta.to.global.u64 %w, %w;\nmov.u32 %r0, %tid.x;\n";

fn compute(function: Function, at: usize) -> String {
    let (new, w, x, p) =
        (format!("%f{}", at + 2), format!("%f{}", at + 1), format!("%f{at}"), format!("%p{at}"));
    match function {
        Function::Add => format!("add.f32 {new}, {w}, {x};"),
        Function::Subtract => format!("sub.f32 {new}, {w}, {x};"),
        Function::Multiply => format!("mul.f32 {new}, {x}, {w};"),
        Function::Max => format!("max.f32 {new}, {x}, {w};"),
        Function::Min => format!("min.f32 {new}, {w}, {x};"),
        Function::Larger => format!("setp.lt.f32 {p}, {w}, {x};\nselp.f32 {new}, {x}, {w}, {p};"),
        Function::Halve => format!("fma.rn.f32 {new}, {w}, 0f3F000000, {x};"),
        Function::Put => format!("mov.f32 {new}, {x};"),
        Function::Reverse => format!("sub.f32 {new}, {x}, {w};"),
    }
}

/// An operation by registers from `at` on.
fn text(op: &Op, at: usize, alone: bool) -> String {
    let place = format!("[%w+{}]", 4 * op.word);
    let compute = compute(op.function, at);
    let (x, w, new) = (format!("%f{at}"), format!("%f{}", at + 1), format!("%f{}", at + 2));
    let (seen, bits, old, p) =
        (format!("%r{at}"), format!("%r{}", at + 1), format!("%r{}", at + 2), format!("%p{}", at + 1));
    let mut out = format!("ld.global.f32 {x}, [%x+{}];\n", 4 * op.input);
    let guess = |strong: bool| {
        let how = if strong { "ld.relaxed.gpu.global" } else { "ld.global" };
        format!("{how}.b32 {seen}, {place};\n")
    };
    let swap = format!("mov.b32 {bits}, {new};\natom.global.cas.b32 {old}, {place}, {seen}, {bits};\n");
    let body = format!("mov.b32 {w}, {seen};\n{compute}\n{swap}");
    let round = format!("setp.ne.s32 {p}, {old}, {seen};\nmov.b32 {seen}, {old};\n@{p} bra L{at};\n");
    let load = format!("ld.global.f32 {w}, {place};\n");
    let _ = match op.form {
        _ if alone && op.form == Form::Store => writeln!(out, "st.global.f32 {place}, {x};"),
        _ if alone => write!(out, "{load}{compute}\nst.global.f32 {place}, {new};\n"),
        Form::Atomic => writeln!(out, "red.global.add.f32 {place}, {x};"),
        Form::Store => writeln!(out, "st.global.f32 {place}, {x};"),
        Form::Before(strong) => write!(out, "{}L{at}:\n{body}{round}", guess(strong)),
        Form::Constant => write!(out, "mov.b32 {seen}, 0;\nL{at}:\n{body}{round}"),
        Form::Inside => {
            write!(out, "L{at}:\n{}{body}setp.eq.b32 {p}, {seen}, {old};\n@!{p} bra L{at};\n", guess(false))
        }
        Form::Floats => write!(
            out,
            "{}L{at}:\n{body}mov.b32 {new}, {old};\nsetp.neu.f32 {p}, {new}, {w};\nmov.b32 {seen}, {old};\n\
             @{p} bra L{at};\n",
            guess(false)
        ),
        Form::TwoBranches => write!(
            out,
            "{}L{at}:\n{body}setp.eq.s32 {p}, {seen}, {old};\n@{p} bra D{at};\nmov.b32 {seen}, {old};\n\
             bra L{at};\nD{at}:\n",
            guess(false)
        ),
        Form::Early => {
            let stays = if op.function == Function::Min { "le" } else { "ge" };
            write!(
                out,
                "{}L{at}:\nmov.b32 {w}, {seen};\nsetp.{stays}.f32 {p}, {w}, {x};\n@{p} bra D{at};\n\
                 mov.f32 {new}, {x};\n{swap}{round}D{at}:\n",
                guess(true)
            )
        }
        Form::Once => write!(out, "{}{body}", guess(true)),
        Form::Stale => write!(
            out,
            "{}mov.b32 {w}, {seen};\n{compute}\nmov.b32 {bits}, {new};\nL{at}:\n\
             atom.global.cas.b32 {old}, {place}, {seen}, {bits};\n{round}",
            guess(true)
        ),
    };
    out
}

/// The kernel; `alone`, one thread does all that its threads would do, one after the other.
fn kernel(program: &Program, alone: bool) -> String {
    let (mut out, mut at) = (HEAD.to_owned(), 10);
    for (number, phase) in program.iter().enumerate() {
        for (thread, ops) in phase.iter().enumerate() {
            if !alone {
                let _ = write!(out, "setp.ne.s32 %p{at}, %r0, {thread};\n@%p{at} bra T{number}_{thread};\n");
                at += 1;
            }
            for op in ops {
                out += &text(op, at, alone);
                at += 4;
            }
            let _ = writeln!(out, "T{number}_{thread}:");
        }
        if !alone {
            out += "bar.sync 0;\n";
        }
    }
    out + "ret;\n}\n"
}

#[test]
fn updates_are_what_their_interleavings_make_of_words() {
    let variable = |name| std::env::var(name).ok().and_then(|text: String| text.parse::<u64>().ok());
    let seconds = variable("WARPPROOF_SOAK_SECONDS");
    let mut dice = Dice(variable("WARPPROOF_SOAK_SEED").unwrap_or(7) << 1 | 1);
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(0));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for round in 0.. {
        if seconds.map_or(round == 1500, |_| Instant::now() > end) {
            break;
        }
        let program = random(&mut dice);
        let threads = program[0].len();
        let spec = format!(
            "[reference]\nblock = 1\nargs = [\"x\", \"w\"]\n[optimized]\nblock = {threads}\nargs = [\"x\", \"w\"]\n\
             [tensors.x]\ntype = \"f32\"\nshape = [{INPUTS}]\n\
             [tensors.w]\ntype = \"f32\"\nshape = [{WORDS}]\nrole = \"inout\"\n"
        );
        let (reference, optimized) = (kernel(&program, true), kernel(&program, false));
        let report = check(&reference, &optimized, &spec);
        let said = || format!("{program:?}\n{optimized}\n{:?}: {}", report.verdict, report.summary);
        // Numbers of which sums, products and halves are exact.
        let mut differ = false;
        for _ in 0..4 {
            let mut number = |_| dice.below(9) as f64 - 3.0;
            let x: [f64; INPUTS] = std::array::from_fn(&mut number);
            let first: [f64; WORDS] = std::array::from_fn(&mut number);
            let one = program.iter().flatten().flatten().fold(first, |mut words, op| {
                let word = &mut words[op.word];
                *word = if op.form == Form::Store {
                    x[op.input]
                } else {
                    function(op.function, *word, x[op.input])
                };
                words
            });
            let ends = ends(&program, &x, first.map(|number| number + 0.0));
            differ |= ends.iter().any(|end| end.map(f64::from_bits) != one);
        }
        let races = meets(&program, &[Form::Store]);
        // Where nothing waits for a word, a strong load counts as a plain one.
        let looks = meets(&program, &[Form::Once, Form::Stale]);
        let kind = match report.verdict {
            Verdict::Equivalent => {
                assert!(!differ && !races, "it is called equivalent: {}", said());
                "equivalent"
            }
            Verdict::DataRace => {
                assert!(races || looks, "it is called a race: {}", said());
                "races"
            }
            Verdict::NotStructured | Verdict::Unknown => {
                assert!(!is_plain(&program), "it should be proved: {}", said());
                if differ { "depends on the order" } else { "not seen to be the same in any order" }
            }
            _ => panic!("it can be nothing else: {}", said()),
        };
        *counts.entry(kind).or_default() += 1;
        if races {
            assert!(report.verdict != Verdict::Unknown, "{}", said());
        }
    }
    println!("{counts:?}");
    let of = |kind| counts.get(kind).copied().unwrap_or(0);
    assert!(
        seconds.is_some() || ["equivalent", "races", "depends on the order"].iter().all(|kind| of(kind) > 50)
    );
}
