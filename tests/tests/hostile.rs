//! Input that nobody means well with.
//!
//! Mutated corpus texts (bytes flipped, pieces cut, doubled and swapped, words and numbers replaced
//! from a dictionary of the corpus and of edges) go through the PTX reader and lowering, the spec
//! reader, and whole questions of spec and kernel within a small budget: no panic, and an answer in
//! time. `WARPPROOF_SOAK_SECONDS` and `WARPPROOF_SOAK_SEED` make it long; a failure names target and
//! execution, which together with the seed give the input again. The hand-written cases below say
//! which answer each gives.
//!
//! Misses: no coverage guides the mutations. Texts of a share link are the page's business, and its
//! tests'; the tool itself reads no JSON.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use warpproof::base::{Budget, Source};
use warpproof::report::{self, Input, RunOptions, Verdict};
use warpproof::{ir, spec, syntax};
use warpproof_tests::corpus::cases;
use warpproof_tests::program::Dice;

/// Texts that mutations start from.
struct Seeds {
    /// Spec and PTX of small cases; a single kernel stands on both sides.
    questions: Vec<[String; 3]>,
    words: Vec<String>,
}

const EDGES: [&str; 28] = [
    "0",
    "-1",
    "1",
    "31",
    "32",
    "33",
    "64",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "1e308",
    "nan",
    "0f7F800000",
    "0d7FF8000000000000",
    "0xFFFFFFFFFFFFFFFF",
    "{",
    "}",
    "[",
    "]",
    "\"",
    ";",
    "\u{1f9e8}",
];

/// What others write, with parameters as they have them.
fn producers() -> Vec<[String; 3]> {
    let spec = "[launch]\ngrid = [1, 1, 1]\nblock = [32, 1, 1]\n[optimized]\nargs = [\"A\", \"B\"]\n\
                [tensors.A]\ntype = \"u32\"\nshape = [256]\n[tensors.B]\ntype = \"u32\"\nshape = [256]\n";
    let modules = include_str!("producers.txt").split("=== ").filter_map(|module| module.split_once('\n'));
    modules.map(|(_, module)| [spec.to_owned(), module.to_owned(), module.to_owned()]).collect()
}

fn seeds() -> Seeds {
    let mut questions = producers();
    let mut words: Vec<String> = EDGES.iter().map(|edge| (*edge).to_owned()).collect();
    for case in cases() {
        let Ok(texts) = case.read() else { continue };
        let optimized = texts.optimized.0;
        let reference = texts.reference.map_or_else(|| optimized.clone(), |(text, _)| text);
        if optimized.len() + reference.len() < 5000 {
            questions.push([texts.spec, reference, optimized]);
        }
    }
    for text in questions.iter().step_by(7).flatten() {
        words.extend(text.split_whitespace().take(400).step_by(3).map(str::to_owned));
    }
    words.sort();
    words.dedup();
    Seeds { questions, words }
}

fn mutate(dice: &mut Dice, seeds: &Seeds, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=dice.below(4) {
        let length = bytes.len() as u64;
        if length == 0 {
            break;
        }
        let at = dice.below(length) as usize;
        let end = at + dice.below((length - at as u64).min(60) + 1) as usize;
        match dice.below(8) {
            0 => bytes[at] ^= 1 << dice.below(8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].to_vec();
                let to = dice.below(length) as usize;
                bytes.splice(to..to, piece);
            }
            3 | 4 => {
                // A whole word or number is replaced.
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"._%$".contains(byte);
                let start = bytes[..at].iter().rposition(|byte| !is_word(byte)).map_or(0, |at| at + 1);
                let stop =
                    bytes[at..].iter().position(|byte| !is_word(byte)).map_or(bytes.len(), |more| at + more);
                let word = &seeds.words[dice.below(seeds.words.len() as u64) as usize];
                bytes.splice(start..stop.max(start), word.bytes());
            }
            5 => {
                let word = &seeds.words[dice.below(seeds.words.len() as u64) as usize];
                bytes.splice(at..at, word.bytes());
            }
            6 => bytes.truncate(at),
            _ => {
                // Two lines change places.
                let mut lines: Vec<Vec<u8>> =
                    bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
                let count = lines.len() as u64;
                lines.swap(dice.below(count) as usize, dice.below(count) as usize);
                bytes = lines.join(&b'\n');
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Runs a target many times on all cores and counts the executions; or the one that failed, again.
fn fuzz(name: &str, short: u64, target: impl Fn(&mut Dice, &Seeds) + Sync) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let until = number("WARPPROOF_SOAK_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let first = number("WARPPROOF_SOAK_SEED").unwrap_or(1);
    let seeds = seeds();
    assert!(seeds.questions.len() > 100, "{} small cases", seeds.questions.len());
    let dice = |execution: u64| Dice((first << 40 ^ execution).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    if let Some(execution) = number("WARPPROOF_SOAK_EXECUTION") {
        let begun = Instant::now();
        target(&mut dice(execution), &seeds);
        println!("{name}: execution {execution} of seed {first} took {:?}", begun.elapsed());
        return;
    }
    let next = AtomicU64::new(0);
    let failed = AtomicU64::new(u64::MAX);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |cores| cores.get()) {
            scope.spawn(|| {
                loop {
                    let execution = next.fetch_add(1, Ordering::Relaxed);
                    let over = until.map_or(execution >= short, |until| Instant::now() >= until);
                    if over || failed.load(Ordering::Relaxed) != u64::MAX {
                        break;
                    }
                    let begun = Instant::now();
                    let run = || target(&mut dice(execution), &seeds);
                    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err();
                    if panicked || begun.elapsed() > Duration::from_secs(30) {
                        failed.store(execution, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner();
    assert!(failed == u64::MAX, "{name}: execution {failed} of seed {first} panicked or took too long");
    println!("{name}: {} executions, seed {first}", next.into_inner().min(until.map_or(short, |_| u64::MAX)));
}

fn pick<'a>(dice: &mut Dice, seeds: &'a Seeds) -> &'a [String; 3] {
    &seeds.questions[dice.below(seeds.questions.len() as u64) as usize]
}

#[test]
fn any_text_is_read_as_ptx_or_refused() {
    fuzz("PTX text", 6_000, |dice, seeds| {
        let seed = pick(dice, seeds);
        let text = mutate(dice, seeds, &seed[2]);
        let parsed = syntax::parse(Source::Optimized, &text);
        let _ = syntax::print(&parsed.module);
        for entry in ir::entries(&parsed.module) {
            let _ = ir::lower(Source::Optimized, &parsed.module, Some(entry));
        }
    });
}

#[test]
fn any_text_is_read_as_a_spec_or_refused() {
    fuzz("spec text", 20_000, |dice, seeds| {
        let seed = pick(dice, seeds);
        let text = mutate(dice, seeds, &seed[0]);
        let (read, _) = spec::parse(&text);
        let _ = spec::parse(&spec::print(&read));
    });
}

#[test]
fn any_question_gets_an_answer() {
    fuzz("spec and kernel", 1_500, |dice, seeds| {
        let [spec, reference, optimized] = pick(dice, seeds);
        let which = dice.below(3);
        let spec = if which != 1 { mutate(dice, seeds, spec) } else { spec.clone() };
        let optimized = if which != 0 { mutate(dice, seeds, optimized) } else { optimized.clone() };
        let input = Input {
            reference: Some(reference),
            optimized: &optimized,
            spec: Some(&spec),
            ..Input::default()
        };
        let options = RunOptions { threads: None, ..RunOptions::default() };
        let report = report::check(&input, &options, &Budget::new(20_000, 64 << 20)).report;
        assert!(!report.to_json().is_empty());
    });
}

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

fn kernel(module: &str, body: &str) -> String {
    format!(
        "{HEAD}{module}\n.visible .entry k(.param .u64 k_param_0)\n.reqntid 1\n{{\n\
         .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>;\n\
         ld.param.u64 %rd1, [k_param_0];\n{body}\nret;\n}}\n"
    )
}

const SPEC: &str =
    "[optimized]\nargs = [\"x\"]\n[tensors.x]\ntype = \"f32\"\nshape = [4]\nrole = \"inout\"\n";

/// The verdict, and words that the report has to say.
#[track_caller]
fn answer(ptx: &str, spec: &str, verdict: Verdict, says: &str) {
    let input = Input { reference: None, optimized: ptx, spec: Some(spec), ..Input::default() };
    let begun = Instant::now();
    let report = report::analyze(&input, &RunOptions::default(), &Budget::new(1 << 20, 256 << 20)).report;
    let text = report.to_json();
    assert_eq!(report.verdict, verdict, "{}\n{:#?}", report.summary, report.diagnostics);
    assert!(text.contains(says), "`{says}` is not in\n{text}");
    assert!(begun.elapsed() < Duration::from_secs(10), "it took {:?}", begun.elapsed());
}

#[test]
fn addresses_that_overflow_are_out_of_bounds() {
    let wraps = "add.s64 %rd2, %rd1, 9223372036854775807; add.s64 %rd2, %rd2, 9223372036854775807;\n\
                 st.global.f32 [%rd2+2147483644], 0f00000000;";
    answer(&kernel("", wraps), SPEC, Verdict::OutOfBounds, "writes");
    let last = "mov.u64 %rd2, 0xfffffffffffffffc; st.global.v4.f32 [%rd2+12], {%f0, %f0, %f0, %f0};";
    let report = kernel("", &format!("mov.f32 %f0, 0f00000000; {last}"));
    let input = Input { reference: None, optimized: &report, spec: Some(SPEC), ..Input::default() };
    let verdict = report::analyze(&input, &RunOptions::default(), &Budget::default()).report.verdict;
    assert!([Verdict::OutOfBounds, Verdict::Misaligned].contains(&verdict), "{verdict:?}");
}

#[test]
fn shapes_and_launches_beyond_any_machine_are_refused() {
    let ptx = kernel("", "");
    for shape in ["9223372036854775807", "4294967296, 4294967296", "9223372036854775808"] {
        let spec = SPEC.replace("shape = [4]", &format!("shape = [{shape}]"));
        answer(&ptx, &spec, Verdict::InvalidSpec, "");
    }
    let free = ptx.replace(".reqntid 1\n", "");
    for block in ["[0, 1, 1]", "[4294967296, 1, 1]", "[4294967295, 4294967295, 64]", "[-1, 1, 1]"] {
        answer(&free, &format!("[launch]\nblock = {block}\n{SPEC}"), Verdict::InvalidSpec, "block");
    }
    let grid = "[launch]\ngrid = [2147483647, 65535, 65535]\nctas = \"all\"\n";
    answer(&ptx, &format!("{grid}{SPEC}"), Verdict::InvalidSpec, "CTA");
    let shared = "[launch]\ndynamic_shared = 9223372036854775807\n";
    answer(&ptx, &format!("{shared}{SPEC}"), Verdict::InvalidSpec, "shared");
}

/// Memory follows what is touched, not what is declared.
#[test]
fn tensors_beyond_the_memory_budget_cost_nothing_until_they_are_touched() {
    for shape in ["200000000", "20000, 10000", "2097152, 2097152"] {
        let spec = SPEC.replace("shape = [4]", &format!("shape = [{shape}]"));
        answer(&kernel("", ""), &spec, Verdict::RaceFree, "");
    }
    let module = ".global .align 4 .b8 huge[2000000000];";
    let body = "mov.u64 %rd2, huge; mov.f32 %f1, 0f00000000; st.global.f32 [%rd2+1999999996], %f1;";
    answer(&kernel(module, body), SPEC, Verdict::RaceFree, "");
}

#[test]
fn shared_memory_of_a_gigabyte_is_refused() {
    let module = ".shared .align 4 .b8 huge[1073741824];";
    let body = "mov.u32 %r1, huge; mov.f32 %f1, 0f00000000; st.shared.f32 [%r1], %f1;";
    answer(&kernel(module, body), SPEC, Verdict::InvalidSpec, "shared");
}

/// A member mask of lanes that have returned, named by one that is not in it.
#[test]
fn a_member_mask_without_its_own_lane_is_a_fault() {
    let body = "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 ret; bar.warp.sync 2;";
    let ptx = kernel("", body).replace(".reqntid 1\n", ".reqntid 32\n");
    answer(&ptx, SPEC, Verdict::BarrierDivergence, "member mask 0x00000002");
    let early = body.replace("@%p1 ret; bar.warp.sync 2;", "@!%p1 bar.warp.sync 2;");
    let ptx = kernel("", &early).replace(".reqntid 1\n", ".reqntid 32\n");
    answer(&ptx, SPEC, Verdict::BarrierDivergence, "member mask 0x00000002");
}

#[test]
fn functions_that_call_themselves_are_unsupported() {
    let module = ".func f() { call.uni f; ret; }\n.func g();\n.func h() { call.uni g; ret; }\n.func g() { call.uni h; ret; }";
    answer(&kernel(module, "call.uni f;"), SPEC, Verdict::Unsupported, "call");
    answer(&kernel(module, "call.uni g;"), SPEC, Verdict::Unsupported, "call");
    answer(&kernel(module, ""), SPEC, Verdict::RaceFree, "");
}

/// Two entries into one loop: no structured program has that, and the machine needs no structure.
#[test]
fn irreducible_control_flow_runs() {
    let body = "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra B;\n\
                A: add.s32 %r2, %r2, 1;\nB: add.s32 %r2, %r2, 10; setp.lt.u32 %p2, %r2, 40; @%p2 bra A;\n\
                cvt.rn.f32.u32 %f1, %r2; st.global.f32 [%rd1], %f1;";
    answer(&kernel("", body), SPEC, Verdict::RaceFree, "43");
    // A choice by data into the middle of a loop has no structure to follow both ways.
    let data = "mov.u32 %r2, 0; ld.global.f32 %f2, [%rd1]; setp.gt.f32 %p1, %f2, 0f00000000; @%p1 bra B;\n\
                A: add.s32 %r2, %r2, 1;\nB: add.s32 %r2, %r2, 10; setp.lt.u32 %p2, %r2, 40; @%p2 bra A;\n\
                cvt.rn.f32.u32 %f1, %r2; st.global.f32 [%rd1], %f1;";
    let ptx = kernel("", data);
    let input = Input { reference: None, optimized: &ptx, spec: Some(SPEC), ..Input::default() };
    let verdict =
        report::analyze(&input, &RunOptions::default(), &Budget::new(1 << 20, 256 << 20)).report.verdict;
    assert!([Verdict::NotStructured, Verdict::RaceFree].contains(&verdict), "{verdict:?}");
}

#[test]
fn a_loop_without_end_is_stopped() {
    answer(&kernel("", "L: bra L;"), SPEC, Verdict::Deadlock, "");
}
