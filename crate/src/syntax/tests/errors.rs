//! What a person reads when a text is not PTX: message, place, and what was still understood.

use expect_test::{Expect, expect};

use crate::base::Source;
use crate::diag::{CODES, Code};
use crate::syntax::{MAX_ERRORS, parse, print};

/// The diagnostics of a text, and the module that was read all the same.
fn check(text: &str, expected: Expect) {
    let parsed = parse(Source::Optimized, text);
    let errors = super::errors(text, &parsed);
    expected.assert_eq(&format!("{errors}---\n{}", print(&parsed.module)));
}

#[test]
fn every_example_of_the_table_gives_its_code_alone() {
    for (code, row) in CODES.iter().filter(|(_, row)| row.name.starts_with('P')) {
        let found = parse(Source::Reference, row.example).diagnostics;
        let last = found.last().unwrap_or_else(|| panic!("{code}: no error"));
        assert_eq!(last.code, *code, "{found:#?}");
        assert!(found.len() == 1 || found.len() == MAX_ERRORS + 1, "{found:#?}");
    }
}

#[test]
fn several_errors_in_one_run() {
    check(
        "
.version 8.0
.entry k(.param .u64 p)
{
	.reg .b32 %r<4>
	add.s32 %r1 %r2, %r3;
	mul.lo.s32 %r1, , 3;
	ld.global.u32 %r1, [%rd1;
	mov.b64 {%r1, %r2, %rd1;
	mov.u32 %r1, 0xZZ;
	.nonsense 5;
	sub.s32 %r1, %r2, %r3;
	@%p1
	ret;
}
.entry l() { ret }
.entry m() { ret; }
",
        expect![[r#"
            5:16 P001 expected `,` or `;` before the end of the line «>»
            6:14 P001 expected `,` or `;`, found `%r2` «%r2»
            7:18 P001 expected an operand, found `,` «,»
            8:26 P001 expected `+`, `,` or `]`, found `;` «;»
            9:25 P001 expected `,` or `}`, found `;` «;»
            10:15 P001 expected a number, found `0xZZ` «0xZZ»
            11:2 P001 expected a statement, found `.nonsense` «.nonsense»
            16:18 P001 expected an operand or `;`, found `}` «}»
            ---
            .version 8.0
            .entry k(.param .u64 p)
            {
            	sub.s32 %r1, %r2, %r3;
            	@%p1 ret;
            }
            .entry l()
            {
            }
            .entry m()
            {
            	ret;
            }
        "#]],
    );
}

/// A body's diagnostics, with places in the body's own text (its first line is line 1).
fn check_body(text: &str, expected: Expect) {
    check(&format!(".entry k() {{ {text}\n}}"), expected);
}

#[test]
fn a_missing_semicolon_costs_no_statement() {
    check_body(
        "\n\tmov.u32 %r1, 5 // no end\n\tmov.u32 %r2, 6;\n\tbar.sync\n\tret;",
        expect![[r#"
        2:15 P001 expected `,` or `;` before the end of the line «5»
        ---
        .entry k()
        {
        	mov.u32 %r2, 6;
        	bar.sync ret;
        }
    "#]],
    );
    check(
        ".alias f, g\n.version 8.0\n.global .b32 a\n.global .b32 b;",
        expect![[r#"
        1:11 P001 expected `;` before the end of the line «g»
        3:14 P001 expected `,` or `;` before the end of the line «a»
        ---
        .version 8.0
        .global .b32 a;
        .global .b32 b;
    "#]],
    );
}

#[test]
fn a_directive_after_a_missing_semicolon_is_no_suffix() {
    check_body(
        "\n\tret\n\t.loc 1 2 3\n\tret;",
        expect![[r#"
            2:4 P001 expected an operand or `;` before the end of the line «t»
            ---
            .entry k()
            {
            	.loc 1 2 3
            	ret;
            }
        "#]],
    );
}

#[test]
fn a_body_without_end_does_not_hide_the_next_function() {
    check(
        ".entry k() {\n\tret;\n.visible .entry l() {\n\tret;\n}\n.entry m() { {\n\tret;\n}",
        expect![[r#"
            1:12 P004 this `{` is never closed «{»
            6:12 P004 this `{` is never closed «{»
            ---
            .entry k()
            {
            	ret;
            }
            .visible .entry l()
            {
            	ret;
            }
            .entry m()
            {
            	{
            		ret;
            	}
            }
        "#]],
    );
    check(
        ".entry k() {\n.extern .shared .b8 s[];\n.extern .func f();",
        expect![[r#"
        1:12 P004 this `{` is never closed «{»
        ---
        .entry k()
        {
        	.extern .shared .b8 s[];
        }
        .extern .func f();
    "#]],
    );
}

#[test]
fn a_brace_too_many_ends_only_the_body() {
    check(
        ".entry k() {\n\tret; }\n}\n.entry l() { ret; }",
        expect![[r#"
        3:1 P001 expected a directive such as `.visible .entry`, found `}` «}»
        ---
        .entry k()
        {
        	ret;
        }
        .entry l()
        {
        	ret;
        }
    "#]],
    );
}

#[test]
fn nested_scopes_survive_an_error_before_them() {
    check_body(
        "\n\tmov.b32 %r1 %r2\n\t{\n\t.reg .b32 a;\n\tmov.b32 a, 1;\n\t}\n\tret;",
        expect![[r#"
        2:14 P001 expected `,` or `;`, found `%r2` «%r2»
        ---
        .entry k()
        {
        	{
        		.reg .b32 a;
        		mov.b32 a, 1;
        	}
        	ret;
        }
    "#]],
    );
}

#[test]
fn comments_and_strings_are_blamed_where_they_start() {
    check(
        ".version 8.0\n.entry k() { ret; /* never\n.entry l() { }\n",
        expect![[r#"
        2:19 P002 this comment is never closed «/*»
        ---
        .version 8.0
        .entry k()
        {
        	ret;
        }
    "#]],
    );
    check(
        "/* never",
        expect![[r#"
        1:1 P002 this comment is never closed «/*»
        ---
    "#]],
    );
    check(
        ".file 1 \"k.cu\n.version 8.0\n",
        expect![[r#"
        1:9 P003 this string is never closed «\"k.cu»
        ---
        .version 8.0
    "#]],
    );
    check_body(
        ".pragma \"nounroll;\n\tret;",
        expect![[r#"
            1:22 P003 this string is never closed «\"nounroll;»
            ---
            .entry k()
            {
            	ret;
            }
        "#]],
    );
    check(
        ".section .debug_str { .b8 1\n",
        expect![[r#"
        1:21 P004 this `{` is never closed «{»
        ---
    "#]],
    );
    check(
        ".section .debug_str { /* \n}\n",
        expect![[r#"
            1:23 P002 this comment is never closed «/*»
            ---
        "#]],
    );
}

#[test]
fn numbers() {
    check_body(
        "mov.b64 %rd1, 0x10000000000000000;",
        expect![[r#"
        1:28 P005 `0x10000000000000000` does not fit 64 bits «0x10000000000000000»
        ---
        .entry k()
        {
        }
    "#]],
    );
    check_body(
        "mov.f32 %f1, 0f3F8; mov.f32 %f1, 0f3F8000000;",
        expect![[r#"
            1:27 P001 expected `0f` and 8 hexadecimal digits, found `0f3F8` «0f3F8»
            1:47 P001 expected `0f` and 8 hexadecimal digits, found `0f3F8000000` «0f3F8000000»
            ---
            .entry k()
            {
            }
        "#]],
    );
    check_body(
        "mov.u32 %r1, 09; mov.u32 %r1, 0x; mov.u32 %r1, 12ab; mov.f64 %fd1, 1e999;",
        expect![[r#"
        1:27 P001 expected a number, found `09` «09»
        1:44 P001 expected a number, found `0x` «0x»
        1:61 P001 expected a number, found `12ab` «12ab»
        1:81 P005 `1e999` does not fit a 64-bit float «1e999»
        ---
        .entry k()
        {
        }
    "#]],
    );
    check_body(
        "mov.u32 %r1, 4/(2-2); mov.u32 %r1, 1.5%2; mov.u32 %r1, ~1.5;",
        expect![[r#"
        1:29 P005 this constant expression divides by zero «(»
        1:53 P001 expected whole numbers on both sides of this operator, found `2` «2»
        1:70 P001 expected a whole number, found `1.5` «1.5»
        ---
        .entry k()
        {
        }
    "#]],
    );
    check_body(
        ".reg .b32 %r<5000000000>; .reg .b32 %r<-1>; .shared .b8 s[1.5]; ld.u32 %r1, [1.5];",
        expect![[r#"
            1:27 P005 `5000000000` does not fit 32 bits «5000000000»
            1:53 P001 expected a number of registers, found `-` «-»
            1:72 P001 expected a number of elements or `]`, found `1.5` «1.5»
            1:91 P001 expected an address, found `1.5` «1.5»
            ---
            .entry k()
            {
            }
        "#]],
    );
}

#[test]
fn declarations() {
    check_body(
        ".reg %r1;\n.reg .q32 %r1;\n.reg .b32 .b64 a;\n.reg .b32 5;\n.shared s[4];",
        expect![[r#"
        1:19 P001 expected a type, found `%r1` «%r1»
        2:6 P001 expected a type, found `.q32` «.q32»
        3:11 P001 expected a name, found `.b64` «.b64»
        4:11 P001 expected a register name, found `5` «5»
        5:9 P001 expected a type, found `s` «s»
        ---
        .entry k()
        {
        }
    "#]],
    );
    check(
        ".entry k(.param .u64 a .param .u64 b)\n{ ret; }\n.entry (.param .u64 a) { }\n.entry k(u64 a) { }\n.visible .nonsense\n.global .u32 x = ;\n.global .u32 y = {1, 2;\n.entry l() { ret; }",
        expect![[r#"
            1:24 P001 expected `,` or `)`, found `.param` «.param»
            3:8 P001 expected a function name, found `(` «(»
            4:10 P001 expected a parameter such as `.param .u64 name`, found `u64` «u64»
            5:10 P001 expected `.entry`, `.func` or a state space, found `.nonsense` «.nonsense»
            6:18 P001 expected a number, a symbol or `{`, found `;` «;»
            7:23 P001 expected `,` or `}`, found `;` «;»
            ---
            .entry l()
            {
            	ret;
            }
        "#]],
    );
    check(
        ".version eight\n.target 80\n.address_size 48\nret;\n",
        expect![[r#"
        1:10 P001 expected a version such as `9.0`, found `eight` «eight»
        2:9 P001 expected a target such as `sm_80`, found `80` «80»
        3:15 P001 expected `32` or `64`, found `48` «48»
        ---
    "#]],
    );
}

#[test]
fn operands() {
    check_body(
        "add.s32 %r1, 5 %r2; ld.u32 %r1, [];\n\tld.u32 %r1, [%r1*4];\n\tld.u32 %r1, [%r1+%r2];\n\tmov.b64 {}, %r1;\n\tadd %r1, (%r2), 1;",
        expect![[r#"
            1:29 P001 expected `,` or `;`, found `%r2` «%r2»
            1:47 P001 expected an address, found `]` «]»
            2:18 P001 expected `+`, `,` or `]`, found `*` «*»
            3:19 P001 expected an offset in bytes, found `%r2` «%r2»
            4:11 P001 expected an operand, found `}` «}»
            5:12 P001 expected a number, found `%r2` «%r2»
            ---
            .entry k()
            {
            }
        "#]],
    );
    check_body(
        "@ ret;\n\t@5 ret;\n\t5;\n\tcall (%r1, f;\n\tadd.s32 %r1, a [1], 2;\n\tp: .callprototype (.param .b32 _) f ();\n\t.callprototype _;",
        expect![[r#"
            1:19 P001 expected an instruction, found `;` «;»
            2:3 P001 expected a predicate after `@`, found `5` «5»
            3:2 P001 expected a statement, found `5` «5»
            4:14 P001 expected `,` or `)`, found `;` «;»
            5:17 P001 expected `,` or `;`, found `[` «[»
            6:36 P001 expected `_` in the place of the function's name, found `f` «f»
            7:2 P001 expected a label before this directive, found `.callprototype` «.callprototype»
            ---
            .entry k()
            {
            }
        "#]],
    );
}

#[test]
fn nesting_ends() {
    let deep = "{".repeat(300) + &"}".repeat(300);
    let text =
        format!(".entry k() {{ ret; {deep} exit; }}\n.entry l() {{ mov.b32 a, {}1; ret; }}", "(".repeat(300));
    let parsed = parse(Source::Optimized, &text);
    expect![[r#"
        1:274 P006 nested more than 256 levels deep «{»
        2:280 P006 nested more than 256 levels deep «(»
    "#]]
    .assert_eq(&super::errors(&text, &parsed));
    let ends: Vec<_> = parsed
        .module
        .functions()
        .map(|it| it.body.as_ref().map_or(0, |body| body.statements.len()))
        .collect();
    assert_eq!(ends, [3, 1], "what surrounds the depth is read");
}

#[test]
fn junk() {
    check(
        "\0\0\0",
        expect![[r#"
        ---
    "#]],
    );
    check(
        "",
        expect![[r#"
        ---
    "#]],
    );
    check(
        "\u{7f}ELF\u{2}\u{1}\u{1}3\0\0\0 .shstrtab\0",
        expect![[r#"
            1:1 P009 this is a compiled binary, not a PTX file «\u{7f}»
            ---
        "#]],
    );
    check(
        "// Grüße\n.version 8.0\n.entry größe() { ret; }\n",
        expect![[r#"
        3:10 P007 expected `{` or `;`, found `ö` «ö»
        ---
        .version 8.0
    "#]],
    );
    check(
        "__global__ void k(float *a) { a[threadIdx.x] = 1; }",
        expect![[r#"
        1:1 P009 this is CUDA C++, not a PTX file «__global__»
        ---
    "#]],
    );
}

#[test]
fn other_languages_are_named_with_the_way_to_ptx() {
    for (text, name, way) in [
        ("__global__ void k(float *a) { }", "CUDA C++", "nvcc -ptx"),
        ("#include <cuda.h>\nint main() { }", "CUDA C++", "godbolt"),
        ("#include <cuda.h>\nint main() { }", "CUDA C++", ".triton/cache"),
        ("import triton\n@triton.jit\ndef k(): pass", "Python", "asm[\"ptx\"]"),
        ("target triple = \"nvptx64\"\ndefine void @k() { ret void }", "LLVM IR", "llc"),
        ("define void @k(ptr %0) {\n  ret void\n}", "LLVM IR", "llc"),
        ("        /*0000*/                   MOV R1, c[0x0][0x28] ;", "SASS", "cuobjdump"),
        ("MOV R1, c[0x0][0x28] ;\nS2R R4, SR_CTAID.X ;", "SASS", "cuobjdump"),
        ("ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;", "a fragment of PTX", ".version"),
        ("module {\n  tt.func public @k(%arg0: !tt.ptr<f32>) {", "MLIR", ".triton/cache"),
    ] {
        let found = parse(Source::Optimized, text).diagnostics;
        let [only] = found.as_slice() else { panic!("{text}: {found:?}") };
        assert_eq!(only.code, Code::P009, "{text}");
        assert!(only.message.contains(name) && only.message.ends_with("not a PTX file"), "{}", only.message);
        assert!(only.notes.iter().any(|note| note.contains(way)), "{:?}", only.notes);
        assert!(only.primary.is_some(), "{text}");
    }
    for text in ["hello", "{", ""] {
        assert!(parse(Source::Optimized, text).diagnostics.iter().all(|it| it.code != Code::P009), "{text}");
    }
}
