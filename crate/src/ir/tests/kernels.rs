//! Whole kernels: scopes, calls, variables, labels, parameters, diagnostics.

use super::probe::lowered;
use crate::base::Source;
use crate::ir::{Lowered, dump, entries, lower};
use crate::syntax::parse;
use expect_test::{Expect, expect};

const HEAD: &str = ".version 9.0\n.target sm_80\n.address_size 64\n";

fn check(text: &str, expected: Expect) {
    let shown = match lowered(&format!("{HEAD}{text}")) {
        Ok(Lowered { kernel, warnings }) => {
            let warnings: String = warnings.iter().map(|w| format!("warning: {}\n", w.message)).collect();
            dump(&kernel) + &warnings
        }
        Err(errors) => errors,
    };
    expected.assert_eq(&shown);
}

/// All PTX files of the corpus, in order.
fn corpus() -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpus"))];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(folder).expect("the corpus is there");
        for path in entries.map(|entry| entry.expect("readable").path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ptx") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// What compilers emit lowers without an error, and everything in it is supported but for the
/// cases that are there to be unsupported.
#[test]
fn the_corpus_lowers() {
    let files = corpus();
    assert!(!files.is_empty());
    for path in files {
        let shown = path.display();
        let text = std::fs::read_to_string(&path).expect("readable");
        // These are there to be invalid.
        let invalid =
            ["undeclared_register", "two_of_a_name"].iter().any(|name| shown.to_string().contains(name));
        let unsupported = ["unsupported", "im2col"].iter().any(|name| shown.to_string().contains(name));
        let parsed = parse(Source::Optimized, &text);
        for entry in entries(&parsed.module) {
            match lower(Source::Optimized, &parsed.module, Some(entry)) {
                Ok(Lowered { kernel, .. }) => {
                    assert!(unsupported || kernel.notes.is_empty(), "{shown}: {:?}", kernel.notes);
                    assert!(dump(&kernel).lines().count() >= kernel.code.len());
                }
                Err(errors) => assert!(invalid, "{shown}: {errors:#?}"),
            }
        }
    }
}

#[test]
fn scopes_hide_and_restore_names() {
    check(
        ".entry k() { .reg .b32 %r<3>, x; mov.u32 x, 1;
           { .reg .b16 x; mov.u16 x, 2; { .reg .b64 x; mov.u64 x, 3; } mov.u16 x, 4; }
           add.s32 %r1, x, %r2; ret; }",
        expect![[r#"
            kernel k
               0: x = move.32 1
               1: x = move.16 2
               2: x = move.64 3
               3: x = move.16 4
               4: %r1 = add<b32 b32 -> b32> x, %r2
               5: exit
               6: exit
        "#]],
    );
}

#[test]
fn a_million_declared_registers_cost_nothing() {
    let kernel = lowered(&format!("{HEAD}.entry k() {{ .reg .b32 %r<1000000>; mov.u32 %r999999, 7; ret; }}"));
    assert_eq!(kernel.expect("lowers").kernel.registers.len(), 2);
}

#[test]
fn control_flow_meets_at_the_nearest_common_point() {
    check(
        ".entry k(.param .u32 n) { .reg .pred %p<3>; .reg .b32 %r<5>;
           ld.param.u32 %r1, [n];
           mov.u32 %r2, %tid.x;
         LOOP:
           setp.lt.u32 %p1, %r2, %r1;
           @!%p1 bra DONE;
           and.b32 %r3, %r2, 1;
           setp.eq.u32 %p2, %r3, 0;
           @%p2 bra EVEN;
           add.u32 %r2, %r2, 3;
           bra.uni NEXT;
         EVEN:
           add.u32 %r2, %r2, 1;
         NEXT:
           bar.sync 0;
           bra LOOP;
         DONE:
           @%p2 exit;
           ret; }",
        expect![[r#"
            kernel k
            param n .u32 at 0 size 4
               0: %r1 = load.param.u32 [&param+0+0]
               1: %r2 = move.32 %tid.x
               2: %p1 = setp<u32 u32 -> b8> %r2, %r1
               3: @!%p1 branch -> 12 meets 12
               4: %r3 = and<b32 b32 -> b32> %r2, 1
               5: %p2 = setp<b32 b32 -> b8> %r3, 0
               6: @%p2 branch -> 9 meets 10
               7: %r2 = add<b32 b32 -> b32> %r2, 3
               8: branch -> 10
               9: %r2 = add<b32 b32 -> b32> %r2, 1
              10: barrier { op: sync { counted: false }, aligned: true } 0
              11: branch -> 2
              12: @%p2 exit
              13: exit
              14: exit
        "#]],
    );
}

#[test]
fn indexed_branches_get_a_table() {
    check(
        ".entry k() { .reg .b32 %r<3>; mov.u32 %r1, %laneid;
           TABLE: .branchtargets A, B, A;
           brx.idx %r1, TABLE;
         A: mov.u32 %r2, 1; bra END;
         B: mov.u32 %r2, 2;
         END: ret; }",
        expect![[r#"
            kernel k
               0: %r1 = move.32 %laneid
               1: branch_indexed %r1 -> [2, 4, 2] meets 5
               2: %r2 = move.32 1
               3: branch -> 5
               4: %r2 = move.32 2
               5: exit
               6: exit
        "#]],
    );
}

#[test]
fn calls_are_inlined_with_registers_for_arguments() {
    check(
        ".func (.param .b32 out) twice(.param .b32 in, .param .b32 how) {
           .reg .f32 %f<4>; .reg .pred %p; .reg .b32 %r<2>;
           ld.param.f32 %f1, [in]; ld.param.u32 %r1, [how];
           setp.eq.u32 %p, %r1, 0;
           @%p bra OTHER;
           add.f32 %f2, %f1, %f1; st.param.f32 [out], %f2; ret;
         OTHER: st.param.f32 [out], %f1; ret; }
         .entry k(.param .u64 p) { .reg .f32 %f<4>; .reg .b64 %rd<3>;
           ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; ld.global.f32 %f1, [%rd2];
           { .param .b32 a; .param .b32 b; .param .b32 r;
             st.param.f32 [a+0], %f1; st.param.b32 [b], 1;
             call.uni (r), twice, (a, b);
             ld.param.f32 %f2, [r+0]; }
           st.global.f32 [%rd2+4], %f2; ret; }",
        expect![[r#"
            kernel k
            param p .u64 at 0 size 8 pointer to f32
               0: %rd1 = load.param.u64 [&param+0+0]
               1: %rd2 = from_generic.global %rd1
               2: %f1 = load.global.f32 [%rd2+0]
               3: a = move.32 %f1
               4: b = move.32 1
               5: %f1 = move.32 a
               6: %r1 = move.32 b
               7: %p = setp<b32 b32 -> b8> %r1, 0
               8: @%p branch -> 12 meets 14
               9: %f2 = add<f32 f32 -> f32> %f1, %f1
              10: r = move.32 %f2
              11: branch -> 14
              12: r = move.32 %f1
              13: branch -> 14
              14: %f2 = move.32 r
              15: store.global.f32 [%rd2+4], %f2
              16: exit
              17: exit
        "#]],
    );
}

#[test]
fn arguments_that_are_read_piecewise_live_in_memory() {
    check(
        ".func (.param .b32 out) low(.param .align 8 .b8 in[8]) {
           .reg .b32 %r<2>; ld.param.u16 %r1, [in+2]; st.param.b32 [out], %r1; ret; }
         .entry k() { .reg .b32 %r<3>; .reg .b64 %rd<2>; mov.u64 %rd1, 0x123456789;
           { .param .align 8 .b8 a[8]; .param .b32 r; st.param.b64 [a], %rd1;
             call.uni (r), low, (a); ld.param.b32 %r2, [r]; } ret; }",
        expect![[r#"
            kernel k
            var 0 .local a .b8 align 8 size 8 at 0
               0: %rd1 = move.64 0x123456789
               1: store.local.b64 [&a+0], %rd1
               2: %r1 = load.local.u16 [&a+2]
               3: r = move.32 %r1
               4: branch -> 5
               5: %r2 = move.32 r
               6: exit
               7: exit
        "#]],
    );
}

#[test]
fn known_math_and_forbidden_calls() {
    check(
        ".extern .func (.param .b32 r) __nv_expf (.param .b32 x);
         .extern .func (.param .b32 r) mystery (.param .b32 x);
         .extern .func __assertfail (.param .b64 m);
         .func f(.param .b32 n) { .param .b32 a; call f, (a); ret; }
         .entry k() { .reg .f32 %f<3>; .reg .pred %p; .reg .b64 %rd<2>; mov.f32 %f1, 1.5;
           setp.gt.f32 %p, %f1, 0f00000000;
           { .param .b32 a; .param .b32 r; st.param.f32 [a], %f1;
             @%p call.uni (r), __nv_expf, (a); ld.param.f32 %f2, [r];
             call (r), mystery, (a);
             @%p call f, (a); }
           { .param .b64 m; call.uni __assertfail, (m); }
           ret; }",
        expect![[r#"
            kernel k
               0: %f1 = move.32 0x3fc00000
               1: %p = setp<f32 f32 -> b8> %f1, 0
               2: a = move.32 %f1
               3: @%p r5 = move.32 a
               4: @%p r6 = call<f32 -> f32> r5
               5: @%p r = move.32 r6
               6: %f2 = move.32 r
               7: forbidden(extern)
               8: @!%p branch -> 11
               9: forbidden(call)
              10: branch -> 11
              11: forbidden(assertion)
              12: exit
              13: exit
        "#]],
    );
}

#[test]
fn variables_are_laid_out_and_initialized() {
    check(
        ".global .align 4 .f32 table[2][2] = { {1.0, 0f40000000}, {3} };
         .global .u64 pointers[2] = { table, generic(table)+8 };
         .global .align 8 .b8 packed[16] = { 1, 0xFF(table), 0xFF00(table) };
         .const .b16 never_used = 7;
         .shared .align 8 .b8 tile[12];
         .extern .shared .align 16 .b8 dynamic[];
         .entry k() { .reg .b64 %rd<5>; .shared .f64 one; .local .align 8 .b8 depot[20];
           mov.u64 %rd1, pointers; mov.u64 %rd2, one; mov.u64 %rd3, tile+4; mov.u64 %rd4, dynamic;
           mov.u64 %rd1, depot; mov.u64 %rd1, packed; ret; }",
        expect![[r#"
            kernel k
            var 0 .shared one .f64 align 8 size 8 at 0
            var 1 .local depot .b8 align 8 size 20 at 0
            var 2 .global pointers .u64 align 8 size 16 at 0 = 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 [0] = &table [8] = generic(&table+8)
            var 3 .global table .f32 align 4 size 16 at 0 = 00 00 80 3f 00 00 00 40 00 00 40 40
            var 4 .shared tile .b8 align 8 size 12 at 8
            var 5 .shared dynamic .b8 align 16 dynamic at 32
            var 6 .global packed .b8 align 8 size 16 at 0 = 01 00 00 00 00 00 00 00 00 [1] = &table
               0: %rd1 = move.64 &pointers
               1: %rd2 = move.64 &one
               2: %rd3 = move.64 &tile+4
               3: %rd4 = move.64 &dynamic
               4: %rd1 = move.64 &depot
               5: %rd1 = move.64 &packed
               6: exit
               7: exit
        "#]],
    );
}

#[test]
fn structs_have_the_fields_that_are_read() {
    // Overlapping loads are one field, bytes that are copied together another, what is not used none; pointers are
    // followed through local memory.
    check(
        ".entry k(.param .align 8 .b8 s[48], .param .align 4 .b8 pair[8], .param .align 8 .b8 whole[8]) {
           .reg .b64 %rd<9>; .reg .b32 %r<5>; .reg .b16 %rs<9>; .reg .f32 %f<4>;
           .local .align 8 .b8 copy[32];
           mov.u64 %rd1, copy;
           ld.param.u64 %rd2, [s]; st.local.u64 [%rd1], %rd2;
           ld.param.u32 %r1, [s+8]; ld.param.u16 %rs1, [s+8];
           ld.param.v4.u8 {%rs2, %rs3, %rs4, %rs5}, [s+12]; st.local.v4.u8 [%rd1+12], {%rs2, %rs3, %rs4, %rs5};
           ld.param.v2.f32 {%f1, %f2}, [s+16];
           ld.param.v2.u8 {%rs6, %rs7}, [s+24];
           ld.param.u64 %rd3, [pair]; mov.b64 {%r2, %r3}, %rd3;
           ld.param.u64 %rd4, [whole];
           add.f32 %f1, %f1, %f1; add.u16 %rs6, %rs6, %rs1; add.u32 %r1, %r1, %r2;
           ld.local.u64 %rd5, [%rd1]; st.f32 [%rd5], %f1; ret; }",
        expect![[r#"
            kernel k
            param s .b8 at 0 size 48
              field .u64 at 0 size 8 pointer to f32
              field .u32 at 8 size 4
              field .b32 at 12 size 4
              field .f32 at 16 size 4
              field .u8 at 24 size 1
            param pair .b8 at 48 size 8
            param whole .b8 at 56 size 8
            var 0 .local copy .b8 align 8 size 32 at 0
               0: %rd1 = move.64 &copy
               1: %rd2 = load.param.u64 [&param+0+0]
               2: store.local.u64 [%rd1+0], %rd2
               3: %r1 = load.param.u32 [&param+0+8]
               4: %rs1 = load.param.u16 [&param+0+8]
               5: %rs2, %rs3, %rs4, %rs5 = load.param.v4.u8 [&param+0+12]
               6: store.local.v4.u8 [%rd1+12], %rs2, %rs3, %rs4, %rs5
               7: %f1, %f2 = load.param.v2.f32 [&param+0+16]
               8: %rs6, %rs7 = load.param.v2.u8 [&param+0+24]
               9: %rd3 = load.param.u64 [&param+48+0]
              10: %r2, %r3 = unpack.64 %rd3
              11: %rd4 = load.param.u64 [&param+56+0]
              12: %f1 = add<f32 f32 -> f32> %f1, %f1
              13: %rs6 = add<b16 b16 -> b16> %rs6, %rs1
              14: %r1 = add<b32 b32 -> b32> %r1, %r2
              15: %rd5 = load.local.u64 [%rd1+0]
              16: store.generic.f32 [%rd5+0], %f1
              17: exit
              18: exit
        "#]],
    );
    // Where it reads at a place that it works out, nobody knows.
    check(
        ".entry k(.param .align 8 .b8 s[48]) {
           .reg .b64 %rd<9>; .reg .b32 %r<5>;
           mov.u64 %rd1, s; mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1; add.u64 %rd3, %rd1, %rd2;
           ld.param.u64 %rd4, [%rd3]; ld.param.u64 %rd5, [s+8]; st.u64 [%rd5], %rd4; ret; }",
        expect![[r#"
            kernel k
            param s .b8 at 0 size 48 pointer to u64
               0: %rd1 = move.64 &param+0
               1: %r1 = move.32 %tid.x
               2: %rd2 = cvt<u32 -> u64> %r1
               3: %rd3 = add<b64 b64 -> b64> %rd1, %rd2
               4: %rd4 = load.param.u64 [%rd3+0]
               5: %rd5 = load.param.u64 [&param+0+8]
               6: store.generic.u64 [%rd5+0], %rd4
               7: exit
               8: exit
        "#]],
    );
}

#[test]
fn parameters_show_what_they_point_to() {
    check(
        ".entry k(.param .u64 x, .param .u64 .ptr .global .align 4 y, .param .u64 n, .param .u64 unused,
                  .param .align 8 .b8 s[16]) {
           .reg .b64 %rd<12>; .reg .b32 %r<8>; .reg .b16 %rs<3>; .reg .pred %p;
           ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u64 %rd3, [n]; ld.param.u64 %rd7, [s+8];
           cvta.to.global.u64 %rd4, %rd1;
         L: ld.global.b32 %r1, [%rd4];
           add.f32 %r2, %r1, %r1;
           add.s64 %rd4, %rd4, %rd3;
           setp.ne.s64 %p, %rd4, 0; @%p bra L;
           mad.wide.u32 %rd5, %r3, 4, %rd2;
           mov.b32 {%rs1, %rs2}, %r4; add.f16 %rs1, %rs1, %rs2;
           st.global.b32 [%rd5], %r4;
           ld.global.s32 %r5, [%rd7]; ret; }",
        expect![[r#"
            kernel k
            param x .u64 at 0 size 8 pointer to f32
            param y .u64 at 8 size 8 pointer to f16
            param n .u64 at 16 size 8
            param unused .u64 at 24 size 8
            param s .b8 at 32 size 16
              field .u64 at 8 size 8 pointer to s32
               0: %rd1 = load.param.u64 [&param+0+0]
               1: %rd2 = load.param.u64 [&param+8+0]
               2: %rd3 = load.param.u64 [&param+16+0]
               3: %rd7 = load.param.u64 [&param+32+8]
               4: %rd4 = from_generic.global %rd1
               5: %r1 = load.global.b32 [%rd4+0]
               6: %r2 = add<f32 f32 -> f32> %r1, %r1
               7: %rd4 = add<b64 b64 -> b64> %rd4, %rd3
               8: %p = setp<b64 b64 -> b8> %rd4, 0
               9: @%p branch -> 5 meets 10
              10: %rd5 = mad<u32 u32 u64 -> u64> %r3, 4, %rd2
              11: %rs1, %rs2 = unpack.32 %r4
              12: %rs1 = add<f16 f16 -> f16> %rs1, %rs2
              13: store.global.b32 [%rd5+0], %r4
              14: %r5 = load.global.s32 [%rd7+0]
              15: exit
              16: exit
        "#]],
    );
}

#[test]
fn pointers_inside_struct_parameters_are_followed_through_a_moved_address() {
    check(
        ".entry k(.param .align 8 .b8 s[24]) { .reg .b64 %rd<5>; .reg .f32 %f<2>;
           mov.b64 %rd1, s; ld.param.u64 %rd2, [%rd1+16];
           cvta.to.global.u64 %rd3, %rd2; ld.global.f32 %f1, [%rd3]; ret; }",
        expect![[r#"
            kernel k
            param s .b8 at 0 size 24
              field .u64 at 16 size 8 pointer to f32
               0: %rd1 = move.64 &param+0
               1: %rd2 = load.param.u64 [%rd1+16]
               2: %rd3 = from_generic.global %rd2
               3: %f1 = load.global.f32 [%rd3+0]
               4: exit
               5: exit
        "#]],
    );
}

#[test]
fn calls_that_double_at_every_level_end_in_a_diagnostic() {
    let mut text = format!("{HEAD}.func f0() {{ ret; }}\n");
    for level in 1..60 {
        text += &format!(".func f{level}() {{ call f{0}; call f{0}; }}\n", level - 1);
    }
    text += ".entry k() { call f59; ret; }";
    let errors = lowered(&text).expect_err("too large");
    assert!(errors.starts_with("B001"), "{errors}");
}

#[test]
fn a_function_that_only_shares_its_name_with_known_math_is_unknown() {
    check(
        ".extern .func (.param .b32 r) log (.param .b32 x);
         .entry k() { .param .b32 a; .param .b32 r; st.param.b32 [a], 1; call (r), log, (a); ret; }",
        expect![[r#"
            kernel k
               0: a = move.32 1
               1: forbidden(extern)
               2: exit
               3: exit
        "#]],
    );
}

#[test]
fn deep_nesting_through_calls_ends_in_a_diagnostic() {
    let deep = |inner: &str| format!("{}{inner}{}", "{".repeat(100), "}".repeat(100));
    let mut text = format!("{HEAD}.func f0() {{ ret; }}\n");
    for level in 1..30 {
        text += &format!(".func f{level}() {{ {} ret; }}\n", deep(&format!("call f{};", level - 1)));
    }
    text += ".entry k() { call f29; ret; }";
    let errors = lowered(&text).expect_err("too deep");
    assert!(errors.starts_with("B001"), "{errors}");
}

#[test]
fn absurd_numbers_do_no_harm() {
    let absurd = lowered(&format!(
        "{HEAD}.global .b8 huge[4294967295][4294967295]; .global .align 4 .b8 far[2][1073741824] = {{ {{1}}, {{2}} }};
         .entry k(.param .align 1073741824 .b8 p[4294967295]) {{ .reg .b64 %rd<3>; .reg .b32 %r<3>;
           mov.u64 %rd1, far; mov.u64 %rd2, huge;
           ld.param.v4.b32 {{%r1, %r1, %r1, %r1}}, [p+9223372036854775807];
           {{ .param .b32 a; st.param.b32 [a+9223372036854775807], %r1; }}
           ld.global.u32 %r1, [%rd1+-9223372036854775808]; ret; }}"
    ));
    assert!(absurd.is_err());
}

#[test]
fn vectors_pairs_and_sinks() {
    check(
        ".entry k(.param .u64 p) { .reg .b32 %r<8>; .reg .v2 .f32 v; .reg .b64 %rd<3>; .reg .pred %p<3>;
           ld.param.u64 %rd1, [p];
           ld.global.v4.b32 {%r1, _, %r2, %r3}, [ %rd1 + 0 ];
           ld.global.b32 { %r4 }, [%rd1+16];
           ld.global.v2.f32 v, [%rd1+24];
           add.f32 v.x, v.x, v.y;
           mov.b64 {%r5, _}, %rd1;
           shfl.sync.bfly.b32 %r6|%p1, %r5, 16, 31, -1;
           shfl.sync.down.b32 %r6|_, %r5, 1, 31, 0xffffffff;
           setp.lt.s32 _|%p2, %r1, %r2;
           st.global.v2.b32 [%rd1+-8], {%r6, 0x3f800000};
           atom.global.add.u32 _, [%rd1], 1;
           ret; }",
        expect![[r#"
            kernel k
            param p .u64 at 0 size 8 pointer to f32
               0: %rd1 = load.param.u64 [&param+0+0]
               1: %r1, _, %r2, %r3 = load.global.v4.b32 [%rd1+0]
               2: %r4 = load.global.b32 [%rd1+16]
               3: v.x, v.y = load.global.v2.f32 [%rd1+24]
               4: v.x = add<f32 f32 -> f32> v.x, v.y
               5: %r5, _ = unpack.64 %rd1
               6: %r6, %p1 = shuffle(butterfly) %r5, 16, 31, 0xffffffff
               7: %r6 = shuffle(down) %r5, 1, 31, 0xffffffff
               8: _, %p2 = setp<s32 s32 -> b8> %r1, %r2
               9: store.global.v2.b32 [%rd1-8], %r6, 0x3f800000
              10: atomic add.global.strong.u32 [%rd1+0], 1
              11: exit
              12: exit
        "#]],
    );
}

#[test]
fn unknown_instructions_are_kept_until_executed() {
    check(
        ".entry k() { .reg .b32 %r<4>; .reg .pred %p; ad.s32 %r1, %r2, %r3; add.wrap.s32 %r1, %r2, %r3;
           setp.lo.s32 %p, %r2, %r3;
           multimem.red.add.u32 [%r1], %r2;
           mov.u32 %r1, %clock; mov.u32 %r2, %smid; ret; }",
        expect![[r#"
            kernel k
               0: unsupported (the instruction ad.s32 is not known (did you mean add?))
               1: unsupported (add with .wrap is not supported)
               2: unsupported (setp.lo is for unsigned numbers, not for .s32: write setp.lt with .s32, or with .u32 if unsigned numbers are meant)
               3: unsupported (multimem.red.add.u32 is not supported yet; it belongs to: several GPUs)
               4: %clock = readclock
               5: %r1 = move.32 %clock
               6: %smid = readclock
               7: %r2 = move.32 %smid
               8: exit
               9: exit
        "#]],
    );
}

#[test]
fn mistakes_are_reported_where_they_stand() {
    check(
        ".entry k(.param .u64 p) { .reg .b32 %r<4>, count; .reg .b64 %rd<3>; .reg .f32 %f<3>; .reg .pred %p; .shared .b32 s;
           add.s32 coumt, %r1, %r2;
           add.s32 %r1, %rd1, %r2;
           add.s32 %r1, %r2;
           add.f32 %f1, %f2, 1;
           setp.lt.s32 %r1, %r2, %r3;
           selp.b32 %r1, %r2, %r3, %r1;
           ld.global.u32 %r1, [s];
           ld.global.u32 %r1, %rd1;
           ld.global.v2.u32 %r1, [%rd1];
           st.param.u64 [p], %rd1;
           bra NOWHERE;
           @%r1 bra END;
           mov.u32 %tid.x, %r1;
           mov.u16 %r1, 3;
         END: ret; }",
        expect![[r#"
            V001 register coumt is not declared here at `coumt` (did you mean count?)
            V002 %rd1 has 64 bits; the instruction takes 32 here at `%rd1`
            V002 add takes 3 operands, not 2 at `add.s32 %r1, %r2;` (the form is `add{.sat}.type d, a, b`)
            V002 an integer stands where an .f32 is wanted at `1` (write the number with a decimal point or as bits, like 0f3F800000)
            V002 %r1 is no predicate; the instruction takes one here at `%r1`
            V002 %r1 is no predicate; the instruction takes one here at `%r1`
            V002 s lives in .shared, not in .global at `[s]`
            V002 a single value stands where an address in brackets is wanted at `%rd1` (the form is `ld{.mmio}{.sem}{.scope}{.ss}{.cop}{.l1}{.l2}{.l2evict}{.pre}{.vec}.type d, [a]{, b}`)
            V002 2 elements are wanted here, not 1 at `%r1`
            V002 a kernel's parameters cannot be written at `[p]`
            V001 label NOWHERE is not declared here at `NOWHERE`
            V002 %r1 is no predicate register at `@%r1`
            V002 %tid.x cannot be written at `%tid.x`
            V002 %r1 has 32 bits; the instruction takes 16 here at `%r1`"#]],
    );
}

#[test]
fn kernels_are_chosen_by_name() {
    let text = format!("{HEAD}.entry first() {{ ret; }} .entry second() {{ ret; }}");
    let parsed = parse(Source::Optimized, &text);
    let chosen = |entry| match lower(Source::Optimized, &parsed.module, entry) {
        Ok(lowered) => lowered.kernel.name,
        Err(errors) => format!("{} ({})", errors[0].message, errors[0].notes.join("; ")),
    };
    expect!["second"].assert_eq(&chosen(Some("second")));
    expect![[r#"the module has 2 kernels and none is named (say which with `entry = "…"` in the spec's `[optimized]`; the module has `first`, `second`)"#]].assert_eq(&chosen(None));
    expect!["the module has no kernel secnod (did you mean second?)"].assert_eq(&chosen(Some("secnod")));
}

#[test]
fn calls_without_a_body_are_named_by_their_function() {
    let kernel = lowered(&super::probe::module("call.uni (%f1), expf, (%f2);")).expect("lowers").kernel;
    let call = kernel.code.iter().position(|instr| matches!(instr.effect, crate::isa::Effect::Lanewise(_)));
    assert_eq!(kernel.opcode(call.expect("one instruction") as u32), "expf");
}
