//! Texts that are not PTX, or not quite: the parser ends, does not panic, points into the text, and
//! whatever it accepts without an error round-trips.
//!
//! [`fuzz`] is the whole fuzz target: bytes in, properties checked. The tests feed it for about a
//! second: random bytes, random sequences of PTX's own tokens, real kernels cut and mutated, and
//! small patterns repeated to sizes at which anything slower than linear would not end.

use super::corpus;
use crate::base::Source;
use crate::syntax::{MAX_ERRORS, parse, print};

/// Checks every promise of `parse` that needs no expectation on one text.
fn fuzz(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let parsed = parse(Source::Reference, &text);
    assert!(parsed.diagnostics.len() <= MAX_ERRORS + 1);
    for diagnostic in &parsed.diagnostics {
        let span = diagnostic.primary.as_ref().expect("a place").span;
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{span:?}: {text}");
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{span:?} splits a character");
        assert!(!diagnostic.message.is_empty() && !diagnostic.message.contains('\n'));
    }
    let printed = print(&parsed.module);
    let again = parse(Source::Reference, &printed);
    assert!(again.diagnostics.is_empty(), "{text}\n{printed}\n{:#?}", again.diagnostics);
    assert_eq!(print(&again.module), printed, "{text}");
    if parsed.diagnostics.is_empty() {
        assert!(again.module.without_spans() == parsed.module.without_spans(), "{text}\n{printed}");
    }
}

/// SplitMix64: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }

    fn of<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.below(choices.len())]
    }
}

/// What PTX is made of, and what it is not.
const TOKENS: &[&str] = &[
    " ",
    "\n",
    "\r\n",
    "\t",
    ";",
    ";\n",
    ",",
    ", ",
    ":",
    "{",
    "}",
    "{\n",
    "}\n",
    "(",
    ")",
    "[",
    "]",
    "@",
    "@!",
    "!",
    "|",
    "+",
    "-",
    "+-",
    "*",
    "/",
    "%",
    "<",
    ">",
    "<<",
    "=",
    "==",
    "&",
    "&&",
    "^",
    "~",
    "?",
    ".",
    "_",
    "%r1",
    "%rd<4>",
    "%p",
    "$L__BB0_1",
    "a",
    "x.y",
    "%tid.x",
    "s[4]",
    "s[%r1+1]",
    "%r1.h0",
    ".b128 ",
    "generic(",
    "0xFF(",
    "0",
    "017",
    "09",
    "1",
    "-1",
    "0x1F",
    "0X",
    "0b1",
    "1.5",
    "1e",
    "1e999",
    "0f3F800000",
    "0f3F8",
    "0d3FF0000000000000",
    "18446744073709551616",
    "5U",
    ".version 8.0\n",
    ".version",
    ".target sm_80\n",
    ".address_size 64\n",
    ".visible ",
    ".extern ",
    ".weak ",
    ".entry k",
    ".func f",
    ".param ",
    ".reg ",
    ".reg.b32 ",
    ".shared ",
    ".global ",
    ".const ",
    ".local ",
    ".b32 ",
    ".f32 ",
    ".u64 ",
    ".pred ",
    ".v4 ",
    ".align 4 ",
    ".align ",
    ".ptr ",
    ".maxntid 1",
    ".noreturn",
    ".loc 1 2 3 ",
    ".file 1 \"a\"\n",
    ".pragma \"x\";",
    ".section .debug_str {",
    ".alias a, b;",
    ".attribute(.managed) ",
    ".branchtargets ",
    ".callprototype ",
    ".calltargets ",
    "L:",
    "ret;",
    "add.s32 ",
    "ld.global.f32 ",
    "call ",
    "call.uni (r), f, (a);\n",
    "mov.b64 {a, b}, c;",
    "bar.sync 0;\n",
    "// c\n",
    "/* c */",
    "/*",
    "*/",
    "# 1\n",
    "\"",
    "\"s\"",
    "\\",
    "\0",
    "\u{1}",
    "é",
    "∑",
    "\u{feff}",
    "'",
    "`",
];

#[test]
fn random_bytes() {
    let mut random = Random(1);
    for _ in 0..20_000 {
        let length = random.below(200);
        let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        fuzz(&bytes);
    }
}

#[test]
fn random_tokens() {
    let mut random = Random(2);
    for round in 0..100_000 {
        let mut text = String::new();
        if round % 2 == 0 {
            text.push_str(".visible .entry k() {\n");
        }
        for _ in 0..random.below(40) {
            text.push_str(random.of(TOKENS));
        }
        if round % 3 == 0 {
            text.push_str("; }");
        }
        fuzz(text.as_bytes());
    }
}

/// The habits of other producers, among them what no kernel of the corpus has.
fn producers() -> Vec<Vec<u8>> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/tests/producers.txt");
    let text = std::fs::read_to_string(path).expect("the modules are committed");
    let modules = text.split("=== ").filter_map(|module| module.split_once('\n'));
    modules.map(|(_, text)| text.as_bytes().to_vec()).collect()
}

#[test]
fn the_habits_of_other_producers_cut_mixed_and_mutated() {
    let mut random = Random(4);
    let modules = producers();
    assert!(modules.len() > 100);
    for _ in 0..20_000 {
        let mut text = modules[random.below(modules.len())].clone();
        for _ in 0..1 + random.below(4) {
            if text.is_empty() {
                break;
            }
            let at = random.below(text.len());
            match random.below(5) {
                0 => text.truncate(at + 1),
                1 => text[at] = random.below(256) as u8,
                2 => drop(text.splice(at..at, random.of(TOKENS).bytes())),
                3 => {
                    // A piece of another module.
                    let other = &modules[random.below(modules.len())];
                    let from = random.below(other.len());
                    let piece = other[from..(from + random.below(60)).min(other.len())].to_vec();
                    drop(text.splice(at..at, piece));
                }
                _ => drop(text.drain(at..(at + 1 + random.below(20)).min(text.len()))),
            }
        }
        fuzz(&text);
    }
}

#[test]
fn real_kernels_cut_and_mutated() {
    let mut random = Random(3);
    let kernels: Vec<Vec<u8>> = corpus::ptx_under(&corpus::kernels())
        .iter()
        .map(|path| std::fs::read(path).expect("a readable file"))
        .filter(|text| text.len() < 20_000)
        .collect();
    assert!(!kernels.is_empty());
    for _ in 0..6000 {
        let mut text = kernels[random.below(kernels.len())].clone();
        for _ in 0..random.below(4) {
            let at = random.below(text.len());
            match random.below(4) {
                0 => text.truncate(at + 1),
                1 => text[at] = random.below(256) as u8,
                2 => drop(text.splice(at..at, random.of(TOKENS).bytes())),
                _ => drop(text.drain(at..(at + 1 + random.below(40)).min(text.len()))),
            }
        }
        fuzz(&text);
    }
}

#[test]
fn patterns_repeated_without_end() {
    const TIMES: usize = 100_000;
    const PATTERNS: &[&str] = &[
        "{",
        "}",
        "{}",
        "(",
        "()",
        "[",
        "[]",
        "{\n",
        "\n{\n",
        "{;",
        "\"",
        "\\\"",
        "\"\n",
        "/*",
        "/**/",
        "//",
        "#",
        "*/",
        ";",
        ":",
        "a:",
        "a",
        ".",
        ".a",
        "a.b ",
        "a ",
        "::",
        "a::",
        "@",
        "@a ",
        "!",
        "-",
        "~",
        "+",
        "1+",
        "1",
        "0x",
        "1.",
        "%",
        "%r",
        "_",
        ",",
        "a,",
        "{a,",
        "(1,",
        "[a+",
        "a|",
        "=",
        "<",
        "a<",
        "?",
        "1?1:",
        "(.s64)",
        "\0",
        "\u{1}",
        "é",
        " ",
        "\n",
        "\t\r\n",
        ".reg .b32 a;",
        ".reg .b32 a<",
        ".loc 1 2 3\n",
        ".entry k() {",
        ".entry k(",
        ".section .a {",
        ".section .a {\"",
        ".visible ",
        ".global .b8 a[1] = {",
        "add.s32 a, b\n",
        "mov.b32 {",
        "{.reg .b32 a; mov.b32 a, a;}",
        ".shared .b32 ",
        ".maxntid 1 ",
        ".pragma \"",
        "a {\n",
        "a }\n",
    ];
    for start in ["", ".entry k() { ", ".entry k() { mov.b32 a, ", ".global .b32 a = "] {
        for pattern in PATTERNS {
            let text = format!("{start}{}", pattern.repeat(TIMES));
            let parsed = parse(Source::Reference, &text);
            assert!(parsed.diagnostics.len() <= MAX_ERRORS + 1);
        }
    }
}

#[test]
fn one_line_of_fifty_megabytes() {
    const SIZE: usize = 50 << 20;
    for (start, pattern, end, errors) in [
        (".entry k() { /*", "x", "*/ ret; }", 0),
        (".entry ", "k", "() { ret; }", 0),
        (".global .b8 a[] = {", "255, ", "1};", 0),
        (".entry k() { ", "add.s32 %r1, %r2, 0x10; ", "}", 0),
        (".entry k() { ", "@ ] ", "}", 1),
    ] {
        let text = format!("{start}{}{end}", pattern.repeat(SIZE / pattern.len()));
        assert_eq!(parse(Source::Reference, &text).diagnostics.len(), errors, "{start}");
    }
}
