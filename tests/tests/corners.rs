//! Corners that neither the corpus nor the random kernels get to: each is a small kernel whose answer
//! follows from the manual. They were found by breaking the engine on purpose (`npm run mutants`)
//! where no test noticed.

use warpproof::report::{Report, Verdict};
use warpproof_tests::ask::{analyze, check};

/// A kernel with registers of every kind. `%r0` is the thread; `%rd0` and `%rd1` point to the element
/// of the thread in `x` and in `y`, whose elements have these sizes; `s` is shared memory.
fn kernel(sizes: (u32, u32), body: &str) -> String {
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 x, .param .u64 y)\n{{\n\
         .reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<40>; .reg .b64 %rd<16>;\n\
         .reg .f32 %f<16>; .reg .f64 %fd<8>; .shared .align 16 .b8 s[1024];\n\
         mov.u32 %r0, %tid.x; ld.param.u64 %rd8, [x]; ld.param.u64 %rd9, [y];\n\
         mad.wide.u32 %rd0, %r0, {}, %rd8; mad.wide.u32 %rd1, %r0, {}, %rd9;\n{body}\nret;\n}}\n",
        sizes.0, sizes.1
    )
}

fn spec(grid: u32, block: u32, x: (&str, &str, u32), y: (&str, u32)) -> String {
    format!(
        "[launch]\ngrid = {grid}\nblock = {block}\nctas = \"all\"\n\
         [tensors.x]\ntype = \"{}\"\nshape = [{}]\nrole = \"{}\"\n\
         [tensors.y]\ntype = \"{}\"\nshape = [{}]\nrole = \"out\"\n",
        x.0, x.2, x.1, y.0, y.1
    )
}

#[track_caller]
fn expect(report: &Report, verdict: Verdict) {
    assert_eq!(report.verdict, verdict, "{}\n{:#?}", report.summary, report.diagnostics);
}

/// Half of the lanes have a guard that depends on data; for the others it is plainly false.
#[test]
fn a_guard_that_is_symbolic_in_some_lanes_and_false_in_the_others() {
    let spec = spec(1, 32, ("f32", "in", 32), ("f32", 32));
    let guarded = kernel(
        (4, 4),
        "ld.global.f32 %f1, [%rd0]; setp.lt.u32 %p1, %r0, 16; setp.ne.u32 %p2, %r0, %r0;\n\
         mov.f32 %f2, 0f00000000; @%p1 setp.gt.f32 %p2, %f1, 0f00000000;\n\
         @%p2 mov.f32 %f2, 0f40000000; st.global.f32 [%rd1], %f2;",
    );
    let selected = |otherwise: &str| {
        kernel(
            (4, 4),
            &format!(
                "ld.global.f32 %f1, [%rd0]; setp.lt.u32 %p1, %r0, 16; setp.gt.f32 %p2, %f1, 0f00000000;\n\
                 selp.f32 %f2, 0f40000000, 0f00000000, %p2; @!%p1 mov.f32 %f2, {otherwise};\n\
                 st.global.f32 [%rd1], %f2;"
            ),
        )
    };
    expect(&check(&guarded, &selected("0f00000000"), &spec), Verdict::Equivalent);
    expect(&check(&guarded, &selected("0f40000000"), &spec), Verdict::NotEquivalent);
}

/// Whole numbers are not rounded, so the smallest difference counts; other constants may be.
#[test]
fn large_whole_numbers_that_differ_by_one() {
    let spec_of = |format| spec(1, 32, (format, "in", 32), (format, 32));
    let added = |number: u32| {
        kernel(
            (4, 4),
            &format!("ld.global.u32 %r1, [%rd0]; add.s32 %r2, %r1, {number}; st.global.u32 [%rd1], %r2;"),
        )
    };
    expect(&check(&added(5_000_000), &added(5_000_001), &spec_of("s32")), Verdict::NotEquivalent);
    expect(&check(&added(5_000_000), &added(5_000_000), &spec_of("s32")), Verdict::Equivalent);
    let plain = |number: u32| kernel((4, 4), &format!("st.global.u32 [%rd1], {number};"));
    expect(&check(&plain(5_000_000), &plain(5_000_001), &spec_of("s32")), Verdict::NotEquivalent);
    let scaled = |factor: &str| {
        kernel(
            (4, 4),
            &format!("ld.global.f32 %f1, [%rd0]; mul.f32 %f2, %f1, {factor}; st.global.f32 [%rd1], %f2;"),
        )
    };
    // 2^60, which has no neighbours among doubles; and whole floats beyond 2^24, which are what they say.
    let wide = |number: u64| kernel((4, 8), &format!("st.global.u64 [%rd1], {number};"));
    let wide_spec = spec(1, 32, ("f32", "in", 32), ("s64", 32));
    expect(&check(&wide(1 << 60), &wide((1 << 60) + 1), &wide_spec), Verdict::NotEquivalent);
    let shifted = |number: &str| {
        kernel(
            (4, 4),
            &format!("ld.global.f32 %f1, [%rd0]; add.f32 %f2, %f1, {number}; st.global.f32 [%rd1], %f2;"),
        )
    };
    let (rounded, next) = (shifted("0f4CEB79A3"), shifted("0f4CEB79A4"));
    expect(&check(&rounded, &next, &spec_of("f32")), Verdict::NotEquivalent);
    // 0.1, and the float after the nearest to it.
    let tenths = check(&scaled("0f3DCCCCCD"), &scaled("0f3DCCCCCE"), &spec_of("f32"));
    expect(&tenths, Verdict::EqualUpToRounding);
}

/// Barriers of one block order nothing in another.
#[test]
fn a_barrier_says_nothing_about_other_blocks() {
    let ptx = |read: u32| {
        kernel(
            (4, 4),
            &format!(
                "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, {read};\n\
                 @%p1 ld.global.f32 %f1, [%rd0]; @%p1 st.global.f32 [%rd1], %f1;\n\
                 bar.sync 0; bar.sync 0; bar.sync 0;\n\
                 @!%p1 st.global.f32 [%rd0], 0f3F800000;"
            ),
        )
    };
    let spec = spec(2, 4, ("f32", "inout", 4), ("f32", 4));
    for read in [0, 1] {
        expect(&analyze(&ptx(read), &spec), Verdict::DataRace);
    }
}

/// Lanes meet at a collective of the same kind, wherever in the program each comes to it, and at no
/// other.
#[test]
fn collectives_meet_their_own_kind() {
    let ptx = |low: &str, high: &str| {
        kernel(
            (4, 4),
            &format!(
                "setp.lt.u32 %p1, %r0, 16; @%p1 bra LOW;\n\
                 {high}; bra DONE;\nLOW: {low};\nDONE: st.global.u32 [%rd1], %r2;"
            ),
        )
    };
    let spec = spec(1, 32, ("u32", "in", 32), ("u32", 32));
    let kinds = [
        "redux.sync.max.u32 %r2, %r0, 0xffffffff",
        "redux.sync.min.u32 %r2, %r0, 0xffffffff",
        "vote.sync.ballot.b32 %r2, %p1, 0xffffffff",
        "shfl.sync.idx.b32 %r2, %r0, 3, 31, 0xffffffff",
        "shfl.sync.bfly.b32 %r2, %r0, 3, 31, 0xffffffff",
        "match.any.sync.b32 %r2, %r0, 0xffffffff",
        "bar.warp.sync 0xffffffff; mov.u32 %r2, 0",
    ];
    for low in kinds {
        let together =
            kernel((4, 4), &format!("setp.lt.u32 %p1, %r0, 16; {low}; st.global.u32 [%rd1], %r2;"));
        for high in kinds {
            if low == high {
                expect(&check(&together, &ptx(low, high), &spec), Verdict::Equivalent);
            } else {
                let verdict = analyze(&ptx(low, high), &spec).verdict;
                assert_eq!(verdict, Verdict::Deadlock, "{low} and {high}");
            }
        }
    }
}

/// Of several faults, the one that explains the others comes first, whichever happened first.
#[test]
fn the_worst_fault_is_the_verdict() {
    let ptx = |first: &str, second: &str| {
        kernel(
            (4, 4),
            &format!(
                "setp.lt.u32 %p1, %r0, 32; @%p1 bra FIRST;\n{second}; bra DONE;\n\
                 FIRST: {first};\nDONE: st.global.f32 [%rd1], 0f00000000;"
            ),
        )
    };
    let spec = spec(1, 64, ("f32", "in", 64), ("f32", 64));
    let faults = [
        ("ld.global.f32 %f1, [%rd0+4096]", Verdict::OutOfBounds),
        ("ld.global.f32 %f1, [%rd8+2]", Verdict::Misaligned),
        ("setp.lt.f32 %p2, %f9, 0f00000000; @%p2 ld.global.f32 %f1, [%rd0]", Verdict::UninitializedRead),
        ("multimem.red.relaxed.sys.global.add.u32 [%rd0], %r0", Verdict::Unsupported),
    ];
    for (worst, (first, verdict)) in faults.iter().enumerate() {
        for (second, _) in &faults[worst..] {
            for (one, two) in [(first, second), (second, first)] {
                let report = analyze(&ptx(one, two), &spec);
                assert_eq!(report.verdict, *verdict, "{one} and {two}: {}", report.summary);
            }
        }
    }
}

/// The masks of lanes, by arithmetic.
#[test]
fn special_registers_are_what_the_manual_says() {
    let spec = spec(1, 64, ("f32", "in", 64), ("u32", 64));
    let rows = [
        ("%lanemask_eq", "shl.b32 %r3, 1, %r2"),
        ("%lanemask_lt", "shl.b32 %r3, 1, %r2; sub.u32 %r3, %r3, 1"),
        ("%lanemask_le", "shl.b32 %r3, 2, %r2; sub.u32 %r3, %r3, 1"),
        ("%lanemask_ge", "shl.b32 %r3, 1, %r2; sub.u32 %r3, %r3, 1; not.b32 %r3, %r3"),
        ("%lanemask_gt", "shl.b32 %r3, 2, %r2; sub.u32 %r3, %r3, 1; not.b32 %r3, %r3"),
        ("%laneid", "mov.u32 %r3, %r2"),
        ("%ntid.x", "mov.u32 %r3, 64"),
        ("%nctaid.x", "mov.u32 %r3, 1"),
    ];
    for (name, body) in rows {
        let special = kernel((4, 4), &format!("mov.u32 %r3, {name}; st.global.u32 [%rd1], %r3;"));
        let plain = |more: &str| {
            kernel((4, 4), &format!("and.b32 %r2, %r0, 31; {body}; {more} st.global.u32 [%rd1], %r3;"))
        };
        expect(&check(&special, &plain(""), &spec), Verdict::Equivalent);
        expect(&check(&special, &plain("xor.b32 %r3, %r3, 0x40000000;"), &spec), Verdict::NotEquivalent);
    }
}

/// Each atomic operation on integers: the old value and what is left, worked out by hand.
#[test]
fn atomics_on_integers() {
    let spec = spec(1, 1, ("f32", "in", 1), ("u32", 2));
    let rows: [(&str, u32, &str, u32); 16] = [
        ("add.u32", 0xffff_fffe, "5", 3),
        ("and.b32", 0x00ff_0ff0, "0x0f0f0f0f", 0x000f_0f00),
        ("or.b32", 0x00ff_0ff0, "0x0f0f0f0f", 0x0fff_0fff),
        ("xor.b32", 0x00ff_0ff0, "0x0f0f0f0f", 0x0ff0_00ff),
        ("min.u32", 0x8000_0000, "7", 7),
        ("min.s32", 0x8000_0000, "7", 0x8000_0000),
        ("max.u32", 0x8000_0000, "7", 0x8000_0000),
        ("max.s32", 0x8000_0000, "7", 7),
        ("exch.b32", 11, "22", 22),
        ("inc.u32", 4, "5", 5),
        ("inc.u32", 5, "5", 0),
        ("dec.u32", 0, "9", 9),
        ("dec.u32", 10, "9", 9),
        ("dec.u32", 3, "9", 2),
        ("cas.b32", 11, "11, 33", 33),
        ("cas.b32", 12, "11, 33", 12),
    ];
    for (op, old, operand, left) in rows {
        let atomic = kernel(
            (4, 4),
            &format!(
                "mov.u32 %r1, {old}; st.shared.u32 [s], %r1; atom.shared.{op} %r2, [s], {operand};\n\
                 ld.shared.u32 %r3, [s]; st.global.u32 [%rd1], %r2; st.global.u32 [%rd1+4], %r3;"
            ),
        );
        let known = |old: u32, left: u32| {
            kernel((4, 4), &format!("st.global.u32 [%rd1], {old}; st.global.u32 [%rd1+4], {left};"))
        };
        let report = check(&known(old, left), &atomic, &spec);
        assert_eq!(report.verdict, Verdict::Equivalent, "{op} {old:#x} {operand}: {}", report.summary);
        expect(&check(&known(old ^ 0x0100_0000, left), &atomic, &spec), Verdict::NotEquivalent);
    }
}

/// A number taken to pieces and put together again is that number, and no other.
#[test]
fn bytes_of_symbolic_numbers() {
    let double = spec(1, 2, ("f64", "in", 2), ("f64", 2));
    let load = "ld.global.f64 %fd1, [%rd0];";
    let store = "st.global.f64 [%rd1], %fd2;";
    let same = kernel((8, 8), &format!("{load} mov.f64 %fd2, %fd1; {store}"));
    for (body, equal) in [
        // The bytes of each half turned round, twice.
        (
            "mov.b64 {%r1, %r2}, %fd1; prmt.b32 %r1, %r1, 0, 0x0123; prmt.b32 %r2, %r2, 0, 0x0123;\n\
             prmt.b32 %r1, %r1, 0, 0x0123; prmt.b32 %r2, %r2, 0, 0x0123; mov.b64 %fd2, {%r1, %r2};",
            true,
        ),
        (
            "mov.b64 {%r1, %r2}, %fd1; prmt.b32 %r1, %r1, 0, 0x0123; prmt.b32 %r2, %r2, 0, 0x0123;\n\
             prmt.b32 %r1, %r1, 0, 0x0132; prmt.b32 %r2, %r2, 0, 0x0123; mov.b64 %fd2, {%r1, %r2};",
            false,
        ),
        // Half of a half.
        (
            "mov.b64 {%r1, %r2}, %fd1; shr.u32 %r3, %r1, 16; shl.b32 %r3, %r3, 16; and.b32 %r1, %r1, 65535;\n\
             or.b32 %r1, %r1, %r3; mov.b64 %fd2, {%r1, %r2};",
            true,
        ),
        ("mov.b64 {%r1, %r2}, %fd1; and.b32 %r1, %r1, 65535; mov.b64 %fd2, {%r1, %r2};", false),
        // Pieces that came different ways, and their bytes turned round twice.
        (
            "shl.b32 %r9, %r0, 3; mov.u32 %r8, s; add.u32 %r9, %r8, %r9; st.shared.f64 [%r9], %fd1;\n\
             mov.b64 {%r1, %r2}, %fd1; mov.b32 {%h0, %h7}, %r1; ld.shared.u16 %h1, [%r9+2];\n\
             mov.b32 %r3, {%h0, %h1}; prmt.b32 %r3, %r3, 0, 0x0123; prmt.b32 %r3, %r3, 0, 0x0123;\n\
             mov.b64 %fd2, {%r3, %r2};",
            true,
        ),
        // Through memory, which is read in ever smaller pieces.
        (
            "shl.b32 %r9, %r0, 3; mov.u32 %r8, s; add.u32 %r9, %r8, %r9; st.shared.f64 [%r9], %fd1;\n\
             ld.shared.u32 %r1, [%r9]; ld.shared.u16 %h0, [%r9]; ld.shared.u16 %h1, [%r9+2];\n\
             ld.shared.u16 %h2, [%r9+4]; ld.shared.u16 %h3, [%r9+6];\n\
             ld.shared.u8 %r2, [%r9+7]; mov.b64 %fd2, {%h0, %h1, %h2, %h3};",
            true,
        ),
        (
            "shl.b32 %r9, %r0, 3; mov.u32 %r8, s; add.u32 %r9, %r8, %r9; st.shared.f64 [%r9], %fd1;\n\
             ld.shared.u32 %r1, [%r9]; ld.shared.u16 %h0, [%r9]; ld.shared.u16 %h1, [%r9+2];\n\
             ld.shared.u16 %h2, [%r9+4]; ld.shared.u16 %h3, [%r9+6];\n\
             mov.b64 %fd2, {%h0, %h2, %h1, %h3};",
            false,
        ),
    ] {
        let report = check(&same, &kernel((8, 8), &format!("{load} {body} {store}")), &double);
        assert_eq!(report.verdict == Verdict::Equivalent, equal, "{body}: {}", report.summary);
        assert!(
            [Verdict::Equivalent, Verdict::NotEquivalent, Verdict::Unknown].contains(&report.verdict),
            "{body}: {}",
            report.summary
        );
    }
}

/// Known bytes beside symbolic ones are computed with as numbers.
#[test]
fn known_bytes_beside_symbolic_ones() {
    let spec = spec(1, 2, ("f16", "in", 2), ("u16", 2));
    for (op, mask, above) in [
        ("and.b32", 0x0ff0_ffff_u32, 0x0230_u16),
        ("or.b32", 0x0ff0_0000, 0x1ff4),
        ("xor.b32", 0x0ff0_0000, 0x1dc4),
    ] {
        let ptx = kernel(
            (2, 2),
            &format!(
                "ld.global.b16 %h1, [%rd0]; mov.u16 %h2, 0x1234; mov.b32 %r1, {{%h1, %h2}};\n\
                 {op} %r1, %r1, {mask}; mov.b32 {{%h3, %h4}}, %r1; st.global.u16 [%rd1], %h4;"
            ),
        );
        let known = |above: u16| kernel((2, 2), &format!("mov.u16 %h4, {above}; st.global.u16 [%rd1], %h4;"));
        expect(&check(&known(above), &ptx, &spec), Verdict::Equivalent);
        expect(&check(&known(above ^ 0x100), &ptx, &spec), Verdict::NotEquivalent);
    }
}

/// A narrow number that a load has extended keeps its sign through memory, where it may be read as
/// something else.
#[test]
fn extended_numbers_through_memory() {
    for (narrow, stored, read, equal) in [
        ("u8", "u32", "u32", Some(true)),
        // The same, which is not noticed.
        ("u8", "u32", "s32", None),
        ("u16", "u32", "s32", None),
        ("s8", "s32", "s32", Some(true)),
        ("s8", "s32", "u32", Some(false)),
        ("s16", "s32", "u32", Some(false)),
    ] {
        let size = if narrow.ends_with('8') { 1 } else { 2 };
        let spec = spec(1, 2, (narrow, "in", 2), ("f32", 2));
        let through = kernel(
            (size, 4),
            &format!(
                "shl.b32 %r9, %r0, 2; mov.u32 %r8, s; add.u32 %r9, %r8, %r9; ld.global.{narrow} %r1, [%rd0];\n\
                 st.shared.{stored} [%r9], %r1; ld.shared.{read} %r2, [%r9];\n\
                 cvt.rn.f32.{read} %f1, %r2; st.global.f32 [%rd1], %f1;"
            ),
        );
        let direct = kernel(
            (size, 4),
            &format!(
                "ld.global.{narrow} %r1, [%rd0]; cvt.rn.f32.{stored} %f1, %r1; st.global.f32 [%rd1], %f1;"
            ),
        );
        let report = check(&direct, &through, &spec);
        let summary = &report.summary;
        match equal {
            Some(true) => assert_eq!(report.verdict, Verdict::Equivalent, "{narrow} {read}: {summary}"),
            Some(false) => assert_ne!(report.verdict, Verdict::Equivalent, "{narrow} {read}: {summary}"),
            None => assert_ne!(report.verdict, Verdict::NotEquivalent, "{narrow} {read}: {summary}"),
        }
    }
}

/// An unsigned input has no negative values, so no counterexample has one.
#[test]
fn counterexamples_keep_to_the_inputs_types() {
    let ptx = |compute: &str| {
        kernel(
            (4, 4),
            &format!(
                "ld.global.u32 %r1, [%rd0]; cvt.rn.f32.u32 %f1, %r1; {compute} st.global.f32 [%rd1], %f2;"
            ),
        )
    };
    let spec = spec(1, 2, ("u32", "in", 2), ("f32", 2));
    let report = check(&ptx("mov.f32 %f2, %f1;"), &ptx("abs.f32 %f2, %f1;"), &spec);
    assert_ne!(report.verdict, Verdict::NotEquivalent, "{}", report.summary);
    let report = check(&ptx("mov.f32 %f2, %f1;"), &ptx("max.f32 %f2, %f1, 0f00000000;"), &spec);
    assert_ne!(report.verdict, Verdict::NotEquivalent, "{}", report.summary);
    expect(
        &check(&ptx("mov.f32 %f2, %f1;"), &ptx("max.f32 %f2, %f1, 0f40000000;"), &spec),
        Verdict::NotEquivalent,
    );
}

/// Integers that depend on data: constants and patterns with their highest bit set are small negative
/// numbers to instructions that do not care about signs.
#[test]
fn symbolic_integers_are_twos_complement() {
    let ptx = |load: &str, compute: &str| {
        kernel((4, 4), &format!("ld.global.{load} %r1, [%rd0]; {compute}; st.global.b32 [%rd1], %r2;"))
    };
    for (ty, one, two, equal) in [
        ("s32", "add.s32 %r2, %r1, -1", "sub.s32 %r2, %r1, 1", Some(true)),
        ("s32", "add.u32 %r2, %r1, 0xffffffff", "sub.s32 %r2, %r1, 1", Some(true)),
        ("u32", "add.s32 %r2, %r1, -1", "sub.u32 %r2, %r1, 1", Some(true)),
        (
            "s32",
            "mul.lo.s32 %r2, %r1, -3",
            "mov.u32 %r3, 0; mad.lo.s32 %r2, %r1, 3, %r3; neg.s32 %r2, %r2",
            Some(true),
        ),
        ("s32", "add.s32 %r2, %r1, -1", "sub.s32 %r2, %r1, 2", Some(false)),
        ("s32", "not.b32 %r2, %r1; add.s32 %r2, %r2, 1", "neg.s32 %r2, %r1", Some(true)),
        ("s32", "xor.b32 %r2, %r1, -1; add.s32 %r2, %r2, 2", "sub.s32 %r2, 1, %r1", Some(true)),
        ("s32", "not.b32 %r2, %r1", "neg.s32 %r2, %r1", Some(false)),
        // What the bits of a complement are is still seen.
        (
            "s32",
            "not.b32 %r3, %r1; and.b32 %r2, %r3, 7",
            "and.b32 %r3, %r1, 7; sub.s32 %r2, 7, %r3",
            Some(true),
        ),
        (
            "s32",
            "not.b32 %r3, %r1; and.b32 %r2, %r3, 7",
            "and.b32 %r3, %r1, 7; sub.s32 %r2, 8, %r3",
            Some(false),
        ),
        // The operands of a bit operation may change places.
        (
            "s32",
            "ld.global.b32 %r3, [%rd8]; not.b32 %r4, %r1; or.b32 %r2, %r4, %r3",
            "ld.global.b32 %r3, [%rd8]; neg.s32 %r4, %r1; sub.s32 %r4, %r4, 1; or.b32 %r2, %r3, %r4",
            Some(true),
        ),
        // Equal, which need not be proved; a counterexample would be wrong.
        ("u32", "not.b32 %r2, %r1; add.u32 %r2, %r2, 1; sub.u32 %r2, 0, %r2", "mov.u32 %r2, %r1", None),
        (
            "s32",
            "shr.s32 %r3, %r1, 31; xor.b32 %r2, %r1, %r3; sub.s32 %r2, %r2, %r3",
            "abs.s32 %r2, %r1",
            None,
        ),
        (
            "s32",
            "setp.eq.s32 %p1, %r1, -1; selp.u32 %r2, 1, 0, %p1",
            "setp.eq.b32 %p1, %r1, 0xffffffff; selp.u32 %r2, 1, 0, %p1",
            Some(true),
        ),
        // At one, this is 2³¹ or -2³¹, which are the same bits.
        ("u32", "shl.b32 %r2, %r1, 31", "mul.lo.u32 %r2, %r1, 0x80000000", None),
        ("s32", "shl.b32 %r2, %r1, 31", "mul.lo.u32 %r2, %r1, 0x80000000", None),
        ("s32", "shl.b32 %r2, %r1, 2", "mul.lo.s32 %r2, %r1, 5", Some(false)),
        ("s32", "setp.eq.s32 %p1, %r1, -1; selp.u32 %r2, 1, 0, %p1", "mov.u32 %r2, 0", Some(false)),
        (
            "u32",
            "setp.eq.u32 %p1, %r1, 3; selp.u32 %r2, 1, 0, %p1",
            "setp.eq.b32 %p1, %r1, 3; selp.u32 %r2, 1, 0, %p1",
            Some(true),
        ),
    ] {
        let spec = spec(1, 2, (ty, "in", 2), (ty, 2));
        for load in ["b32", ty] {
            let report = check(&ptx(load, one), &ptx(load, two), &spec);
            let verdict = report.verdict;
            match equal {
                Some(true) => assert_eq!(verdict, Verdict::Equivalent, "{one} and {two}: {}", report.summary),
                Some(false) => {
                    assert_eq!(verdict, Verdict::NotEquivalent, "{one} and {two}: {}", report.summary);
                }
                None => assert_ne!(verdict, Verdict::NotEquivalent, "{one} and {two}: {}", report.summary),
            }
        }
    }
}

/// Copies that arrive at two barrier objects have ended once their thread has waited for them, or for the
/// later arrival. That the first arrival has happened is another matter: what a look at it sees is open.
#[test]
fn waiting_for_copies_is_not_waiting_for_their_arrivals() {
    let ptx = |wait: &str, look: &str| {
        kernel(
            (4, 4),
            &format!(
                "mbarrier.init.shared.b64 [s+512], 1; mbarrier.init.shared.b64 [s+520], 1;\n\
                 cp.async.ca.shared.global [s], [%rd8], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [s+512];\n\
                 cp.async.ca.shared.global [s+16], [%rd8], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [s+520];\n\
                 {wait}; ld.shared.b32 %r3, [s]; ld.shared.b32 %r3, [s+16]; {look}; st.global.b32 [%rd1], %r2;"
            ),
        )
    };
    let spec = spec(1, 1, ("s32", "in", 1), ("s32", 1));
    let all = "cp.async.wait_all";
    let later = "later: mbarrier.try_wait.parity.shared.b64 %p1, [s+520], 0; @!%p1 bra later";
    let first = "first: mbarrier.try_wait.parity.shared.b64 %p1, [s+512], 0; @!%p1 bra first";
    let one = "mov.b32 %r2, 1";
    let look = "mbarrier.test_wait.parity.shared.b64 %p1, [s+512], 0; selp.u32 %r2, 1, 0, %p1";
    let seen = ptx(all, one);
    for wait in [all, later] {
        expect(&check(&seen, &ptx(wait, one), &spec), Verdict::Equivalent);
        expect(&check(&seen, &ptx(wait, look), &spec), Verdict::NotStructured);
        expect(&check(&seen, &ptx(wait, &format!("{first}; {one}")), &spec), Verdict::Equivalent);
        expect(&check(&seen, &ptx(&format!("{wait}; {first}"), look), &spec), Verdict::Equivalent);
    }
    // The second copy has not ended where only the first has arrived.
    expect(&check(&seen, &ptx(first, one), &spec), Verdict::DataRace);
}

/// Only operations that say so do not care which operand comes first.
#[test]
fn shifts_care_which_operand_comes_first() {
    let ptx = |compute: &str| {
        let loads = "ld.global.b32 %r1, [%rd8]; ld.global.b32 %r2, [%rd8+4];";
        kernel((4, 4), &format!("{loads} {compute}; st.global.b32 [%rd1], %r3;"))
    };
    let spec = spec(1, 1, ("s32", "in", 2), ("s32", 1));
    for (op, equal) in [("and", true), ("or", true), ("xor", true), ("shl", false), ("shr", false)] {
        let [one, two] = ["%r1, %r2", "%r2, %r1"].map(|from| ptx(&format!("{op}.b32 %r3, {from}")));
        let verdict = check(&one, &two, &spec).verdict;
        assert_eq!(verdict == Verdict::Equivalent, equal, "{op}: {verdict:?}");
    }
}

/// A sum of a signed number is signed, however narrow the number was when it was loaded.
#[test]
fn sums_of_narrow_signed_numbers_are_signed() {
    let spec = spec(1, 2, ("s8", "in", 2), ("f32", 2));
    let ptx = |convert: &str| {
        kernel(
            (1, 4),
            &format!(
                "ld.global.s8 %r1, [%rd0]; add.s32 %r2, %r1, 1; cvt.rn.f32.{convert} %f1, %r2;\n\
                 st.global.f32 [%rd1], %f1;"
            ),
        )
    };
    expect(&check(&ptx("s32"), &ptx("s32"), &spec), Verdict::Equivalent);
    let report = check(&ptx("s32"), &ptx("u32"), &spec);
    assert_ne!(report.verdict, Verdict::Equivalent, "{}", report.summary);
}

/// A sum or product that leaves 32 bits is another number once it is turned into a float. Inputs at
/// which that happens show nothing; others do.
#[test]
fn integers_that_overflow_before_they_become_floats() {
    let spec_of = |format| spec(1, 32, (format, "in", 64), ("f32", 32));
    let kernel_of = |body: &str| {
        kernel((8, 4), &format!("ld.global.v2.u32 {{%r1, %r2}}, [%rd0];\n{body}\nst.global.f32 [%rd1], %f1;"))
    };
    // 2^32 times anything is 0.
    let plain = kernel_of("cvt.rn.f32.s32 %f1, %r1;");
    let wrapped = |offset: u32| {
        kernel_of(&format!(
            "mul.lo.s32 %r3, %r1, 65536; mul.lo.s32 %r3, %r3, 65536; add.s32 %r3, %r3, %r1;\n\
             add.s32 %r3, %r3, {offset}; cvt.rn.f32.s32 %f1, %r3;"
        ))
    };
    assert_ne!(check(&plain, &wrapped(0), &spec_of("s32")).verdict, Verdict::NotEquivalent);
    expect(&check(&plain, &wrapped(1), &spec_of("s32")), Verdict::NotEquivalent);
    // A difference of unsigned numbers is never negative.
    let difference =
        |body: &str| kernel_of(&format!("sub.s32 %r3, %r1, %r2; cvt.rn.f32.u32 %f1, %r3;\n{body}"));
    let clamped = difference("max.f32 %f1, %f1, 0f00000000;");
    assert_ne!(check(&difference(""), &clamped, &spec_of("u32")).verdict, Verdict::NotEquivalent);
    let capped = difference("min.f32 %f1, %f1, 0f40400000;");
    expect(&check(&difference(""), &capped, &spec_of("u32")), Verdict::NotEquivalent);
    // The same where the difference is compared, and divided.
    let compared =
        |test: &str| kernel_of(&format!("sub.s32 %r3, %r1, %r2;\n{test}\ncvt.rn.f32.u32 %f1, %r4;"));
    let positive = compared("setp.ge.u32 %p1, %r3, 0; selp.u32 %r4, 1, 0, %p1;");
    assert_ne!(
        check(&positive, &compared("mov.u32 %r4, 1;"), &spec_of("u32")).verdict,
        Verdict::NotEquivalent
    );
    let halved = compared("div.u32 %r4, %r3, 2;");
    let half = compared("shr.u32 %r4, %r3, 1;");
    assert_ne!(check(&halved, &half, &spec_of("u32")).verdict, Verdict::NotEquivalent);
}

/// Few bits of an integer, taken out in several ways, are one number.
#[test]
fn bits_taken_out_of_words() {
    let spec_of = |format| spec(1, 32, (format, "in", 32), ("f32", 32));
    let kernel_of = |body: &str| {
        kernel((4, 4), &format!("ld.global.u32 %r1, [%rd0];\n{body}\nst.global.f32 [%rd1], %f1;"))
    };
    let masked = kernel_of("shr.u32 %r2, %r1, 8; and.b32 %r2, %r2, 15; cvt.rn.f32.u32 %f1, %r2;");
    let shifted = kernel_of("shl.b32 %r2, %r1, 20; shr.u32 %r2, %r2, 28; cvt.rn.f32.u32 %f1, %r2;");
    let moved = kernel_of("and.b32 %r2, %r1, 3840; cvt.rn.f32.u32 %f1, %r2; mul.f32 %f1, %f1, 0f3b800000;");
    // 2^23 + 256·n as a float.
    let fraction = kernel_of(
        "lop3.b32 %r2, %r1, 3840, 1258291200, 0xea; mov.b32 %f1, %r2;\n\
         sub.f32 %f1, %f1, 0f4b000000; mul.f32 %f1, %f1, 0f3b800000;",
    );
    let parts = kernel_of(
        "and.b32 %r2, %r1, 256; and.b32 %r3, %r1, 3584; xor.b32 %r3, %r3, 3584; sub.s32 %r3, 3584, %r3;\n\
         add.s32 %r2, %r2, %r3; shr.u32 %r2, %r2, 8; cvt.rn.f32.u32 %f1, %r2;",
    );
    for (at, way) in [&shifted, &moved, &fraction, &parts].into_iter().enumerate() {
        let report = check(&masked, way, &spec_of("u32"));
        assert_eq!(report.verdict, Verdict::Equivalent, "way {at}: {}", report.summary);
    }
    let beside = kernel_of("shr.u32 %r2, %r1, 9; and.b32 %r2, %r2, 15; cvt.rn.f32.u32 %f1, %r2;");
    let fewer = kernel_of("shr.u32 %r2, %r1, 8; and.b32 %r2, %r2, 7; cvt.rn.f32.u32 %f1, %r2;");
    let signed = kernel_of("shl.b32 %r2, %r1, 20; shr.s32 %r2, %r2, 28; cvt.rn.f32.s32 %f1, %r2;");
    for (at, wrong) in [beside, fewer, signed.clone()].iter().enumerate() {
        let report = check(&masked, wrong, &spec_of("u32"));
        assert_eq!(report.verdict, Verdict::NotEquivalent, "{at}: {}", report.summary);
    }
    // A sign put there by an exclusive or.
    let biased = kernel_of(
        "shr.u32 %r2, %r1, 8; and.b32 %r2, %r2, 15; xor.b32 %r2, %r2, 8; cvt.rn.f32.u32 %f1, %r2;\n\
         add.f32 %f1, %f1, 0fc1000000;",
    );
    expect(&check(&signed, &biased, &spec_of("s32")), Verdict::Equivalent);
}

/// Floats that are not negative have the order of their bits; others do not.
#[test]
fn maxima_of_floats_as_integers() {
    let spec = spec(1, 32, ("f32", "in", 64), ("f32", 32));
    let kernel_of = |body: &str| {
        kernel((8, 4), &format!("ld.global.v2.f32 {{%f1, %f2}}, [%rd0];\n{body}\nst.global.f32 [%rd1], %f3;"))
    };
    let sizes = "abs.f32 %f1, %f1; abs.f32 %f2, %f2;";
    let bits =
        |op: &str| format!("mov.b32 %r1, %f1; mov.b32 %r2, %f2; {op} %r3, %r1, %r2; mov.b32 %f3, %r3;");
    for op in ["max", "min"] {
        let floats = kernel_of(&format!("{sizes} {op}.f32 %f3, %f1, %f2;"));
        for format in ["s32", "u32"] {
            let integers = kernel_of(&format!("{sizes} {}", bits(&format!("{op}.{format}"))));
            expect(&check(&floats, &integers, &spec), Verdict::Equivalent);
        }
        let signed = kernel_of(&format!("{op}.f32 %f3, %f1, %f2;"));
        let wrong = kernel_of(&bits(&format!("{op}.s32")));
        expect(&check(&signed, &wrong, &spec), Verdict::NotEquivalent);
    }
}

/// The low byte of an integer that fits is the integer; of one that does not, it is another.
#[test]
fn integers_that_fit_in_a_byte() {
    let spec = spec(1, 32, ("f32", "in", 32), ("s8", 32));
    let kernel_of = |low: &str, high: &str, first: bool| {
        let clamp = format!("max.f32 %f1, %f1, {low}; min.f32 %f1, %f1, {high};");
        let round = if first { "cvt.rni.f32.f32 %f1, %f1;" } else { "" };
        kernel(
            (4, 1),
            &format!(
                "ld.global.f32 %f1, [%rd0]; {round} {clamp} cvt.rni.s32.f32 %r1, %f1; st.global.u8 [%rd1], %r1;"
            ),
        )
    };
    let (low, high) = ("0fc3000000", "0f42fe0000"); // -128, 127
    let reference = kernel_of(low, high, true);
    expect(&check(&reference, &kernel_of(low, high, false), &spec), Verdict::Equivalent);
    expect(&check(&reference, &kernel_of(low, "0f42fc0000", false), &spec), Verdict::NotEquivalent);
    // 128 is -128 in a byte.
    expect(&check(&reference, &kernel_of(low, "0f43000000", false), &spec), Verdict::NotEquivalent);
}

/// What the warps before computed is taken over only for the same values, however often they came by.
#[test]
fn stretches_on_other_values_are_run_again() {
    let spec = spec(3, 96, ("f32", "in", 3), ("f32", 288));
    // `%r3` is 0 in every lane; where it is worked out lane by lane, nothing is known to be shared.
    let powers = |zero: &str, block: &str, turns: &str| {
        let body = format!(
            "{zero} mov.u32 %r1, %ctaid.x; {block} add.u32 %r4, %r4, %r3;\n\
             mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd8, %rd2; ld.global.f32 %f1, [%rd2];\n\
             mov.f32 %f2, %f1; add.u32 %r5, %r1, {turns};\n\
             $again:\n\
             mul.f32 %f3, %f2, %f1; add.f32 %f4, %f3, %f1; mul.f32 %f5, %f4, 0f3F000000; add.f32 %f2, %f5, %f3;\n\
             sub.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra $again;\n\
             mad.lo.u32 %r6, %r1, 96, %r0; mul.wide.u32 %rd3, %r6, 4; add.s64 %rd3, %rd9, %rd3;\n\
             st.global.f32 [%rd3], %f2;"
        );
        kernel((4, 4), &body)
    };
    let own = "mov.u32 %r4, %r1;";
    let plain = powers("shr.u32 %r3, %r0, 20;", own, "1");
    for zero in ["mov.u32 %r3, 0;", "shr.u32 %r3, %r0, 20;"] {
        expect(&check(&plain, &powers(zero, own, "1"), &spec), Verdict::Equivalent);
        expect(&check(&plain, &powers(zero, "mov.u32 %r4, 0;", "1"), &spec), Verdict::NotEquivalent);
        expect(&check(&plain, &powers(zero, own, "2"), &spec), Verdict::NotEquivalent);
    }
}

/// What reading an instruction over the reals or the integers takes for granted, by instruction.
#[test]
fn each_instruction_says_what_it_takes_for_granted() {
    // Two warps that compute the same, so that the second takes the results of the first over.
    let spec = spec(1, 64, ("f32", "in", 2), ("f32", 64));
    for (compute, kinds) in [
        ("add.f32 %f3, %f1, %f2", &["rounding_ignored", "finite_values"][..]),
        ("mul.ftz.f32 %f3, %f1, %f2", &["rounding_ignored", "flush_to_zero_ignored", "finite_values"]),
        ("max.f32 %f3, %f1, %f2", &["finite_values"]),
        ("neg.f32 %f3, %f1", &["finite_values"]),
        ("rcp.approx.f32 %f3, %f1", &["approximation_exact", "finite_values"]),
        ("cvt.rn.f16.f32 %h1, %f1; cvt.f32.f16 %f3, %h1", &["conversion_identity", "finite_values"]),
        ("cvt.f64.f32 %fd1, %f1; cvt.rn.f32.f64 %f3, %fd1", &["conversion_identity", "finite_values"]),
        (
            "cvt.rzi.s32.f32 %r1, %f1; cvt.rn.f32.s32 %f3, %r1",
            &["conversion_identity", "converted_in_range", "finite_values"],
        ),
        ("cvt.rzi.s16.f32 %h1, %f1; cvt.rn.f32.s16 %f3, %h1", &["finite_values"]),
    ] {
        let text = format!(
            "ld.global.f32 %f1, [%rd8]; ld.global.f32 %f2, [%rd8+4]; {compute}; st.global.f32 [%rd1], %f3;"
        );
        let text = kernel((4, 4), &text);
        let report = check(&text, &text, &spec);
        let mut found: Vec<&str> =
            report.assumptions.iter().map(|assumption| assumption.kind.as_str()).collect();
        let mut kinds = kinds.to_vec();
        found.retain(|kind| *kind != "inferred");
        found.sort_unstable();
        found.dedup();
        kinds.sort_unstable();
        assert_eq!(found, kinds, "{compute}");
        // On both sides, in every thread: finite values once for each instruction that touches floats, all
        // else once for the instruction that it is about.
        for assumption in report.assumptions.iter().filter(|assumption| assumption.kind != "inferred") {
            let instructions = match assumption.kind.as_str() {
                "finite_values" => compute.split(';').count() as u64,
                _ => 1,
            };
            assert_eq!(assumption.count, 2 * 64 * instructions, "{compute}: {assumption:?}");
        }
    }
}

/// A difference that is always zero has a root, and what divides by it is no number on any input.
#[test]
fn what_divides_by_zero_on_every_input_is_no_number() {
    let spec = spec(1, 32, ("f32", "in", 32), ("f32", 32));
    let ptx = |compute: &str| {
        kernel(
            (4, 4),
            &format!(
                "ld.global.f32 %f1, [%rd0]; add.f32 %f2, %f1, %f1; mul.f32 %f3, %f1, 0f40000000;\n\
                 sub.f32 %f4, %f2, %f3; {compute}; st.global.f32 [%rd1], %f5;"
            ),
        )
    };
    let zero = ptx("mov.f32 %f5, 0f00000000");
    expect(&check(&ptx("mov.f32 %f5, %f4"), &zero, &spec), Verdict::Equivalent);
    expect(&check(&ptx("sqrt.rn.f32 %f5, %f4"), &zero, &spec), Verdict::Equivalent);
    expect(&check(&ptx("mul.f32 %f5, %f4, %f4"), &zero, &spec), Verdict::Equivalent);
    for nothing in ["rcp.rn.f32 %f5, %f4", "rsqrt.approx.f32 %f5, %f4", "div.rn.f32 %f5, %f1, %f4"] {
        expect(&check(&ptx(nothing), &zero, &spec), Verdict::NotEquivalent);
        expect(&check(&zero, &ptx(nothing), &spec), Verdict::NotEquivalent);
    }
}

/// What is not decided names what only one side has, and counts what both have.
#[test]
fn an_undecided_difference_counts_what_both_have() {
    let spec = spec(1, 1, ("f32", "in", 3), ("f32", 1));
    // Hermite's identity: no law of the procedure's, so that neither a proof nor inputs are found.
    let ptx = |floors: &str, sum: &str| {
        kernel(
            (4, 4),
            &format!(
                "ld.global.f32 %f1, [%rd8]; ld.global.f32 %f2, [%rd8+4]; ld.global.f32 %f3, [%rd8+8];\n\
                 {floors} {sum} st.global.f32 [%rd1], %f4;"
            ),
        )
    };
    let two = "add.f32 %f4, %f4, %f2;";
    let three = "add.f32 %f4, %f4, %f2; add.f32 %f4, %f4, %f3;";
    let floor = "cvt.rmi.f32.f32";
    let of_twice = format!("add.f32 %f5, %f1, %f1; {floor} %f4, %f5;");
    let of_halves =
        format!("add.f32 %f5, %f1, 0f3F000000; {floor} %f5, %f5; {floor} %f6, %f1; add.f32 %f4, %f5, %f6;");
    for (sum, beside) in
        [("", ""), (two, " (beside one term that both have)"), (three, " (beside 2 terms that both have)")]
    {
        let report = check(&ptx(&of_twice, sum), &ptx(&of_halves, sum), &spec);
        expect(&report, Verdict::Unknown);
        let reference = "floor(2·x[0])";
        let optimized = "floor(1/2 + x[0]) + floor(x[0])";
        let difference = format!("reference {reference}, optimized {optimized}{beside}.");
        assert!(report.summary.ends_with(&difference), "{}", report.summary);
    }
}

/// Up to three parts that one side lacks are named, more are counted.
#[test]
fn parts_that_one_side_lacks_are_named_or_counted() {
    let spec = spec(1, 1, ("f32", "in", 5), ("f32", 1));
    let ptx = |summands: usize| {
        let adds: String = (1..=summands)
            .map(|at| format!("ld.global.f32 %f1, [%rd8+{}]; add.f32 %f2, %f2, %f1; ", 4 * at))
            .collect();
        kernel((4, 4), &format!("ld.global.f32 %f2, [%rd8]; {adds}st.global.f32 [%rd1], %f2;"))
    };
    for (summands, named) in [
        (1, "summand x[1]"),
        (2, "summands x[1] and x[2]"),
        (3, "summands x[1], x[2] and x[3]"),
        (4, "4 summands, the first x[1]"),
    ] {
        let report = check(&ptx(0), &ptx(summands), &spec);
        expect(&report, Verdict::NotEquivalent);
        let difference = report.counterexample.expect("a counterexample").difference;
        assert!(difference.ends_with(named), "{difference}");
    }
}

/// A kernel's memory has its registers in it: 32 words of 8 bytes each.
#[test]
fn registers_count_as_memory() {
    let spec = spec(1, 32, ("u32", "in", 32), ("u32", 32));
    let memory = |registers: usize| {
        let loads: String = (1..registers).map(|at| format!("add.s32 %q{at}, %r0, {at}; ")).collect();
        let sums: String = (1..registers).map(|at| format!("add.s32 %q0, %q0, %q{at}; ")).collect();
        let body =
            format!(".reg .b32 %q<{registers}>; mov.b32 %q0, 0; {loads}{sums}st.global.u32 [%rd1], %q0;");
        analyze(&kernel((4, 4), &body), &spec).kernels[0].bytes
    };
    let (few, many) = (memory(10), memory(1010));
    assert!(many - few >= 1000 * 32 * 8, "{few} bytes and {many} bytes");
}

/// Operations on the bits of a number that leave them as they are leave the number.
#[test]
fn bits_that_stay_are_the_number() {
    let spec = spec(1, 32, ("f32", "in", 32), ("f32", 32));
    let ptx = |compute: &str| {
        let loads = "ld.global.b32 %r1, [%rd0]; mov.b32 %r2, %r1;";
        kernel((4, 4), &format!("{loads} {compute} st.global.b32 [%rd1], %r2;"))
    };
    for (same, compute) in [
        (true, "or.b32 %r2, %r1, 0;"),
        (true, "or.b32 %r2, 0, %r1;"),
        (true, "xor.b32 %r2, %r1, 0;"),
        (true, "add.u32 %r2, %r1, 0;"),
        (true, "and.b32 %r2, %r1, -1;"),
        (true, "shl.b32 %r2, %r1, 0;"),
        (true, "shr.u32 %r2, %r1, 0;"),
        (true, "shr.s32 %r2, %r1, 0;"),
        (false, "and.b32 %r2, %r1, 0;"),
        (false, "or.b32 %r2, %r1, 0x80000000;"),
        (false, "xor.b32 %r2, %r1, 0x80000000;"),
    ] {
        let verdict = if same { Verdict::Equivalent } else { Verdict::NotEquivalent };
        expect(&check(&ptx(""), &ptx(compute), &spec), verdict);
    }
}

/// A fault that only a value can reach which nobody knows before the run is none that inputs reach; one that data
/// can reach as well is.
#[test]
fn a_fault_that_unknowable_values_decide_about() {
    let spec = spec(1, 1, ("u32", "in", 1), ("u32", 1));
    let traps = |condition: &str| {
        kernel(
            (4, 4),
            &format!(
                "mov.u32 %r1, %smid; ld.global.u32 %r2, [%rd0]; {condition}\n\
                 @%p1 trap; mov.u32 %r3, 7; st.global.u32 [%rd1], %r3;"
            ),
        )
    };
    let by_slot = analyze(&traps("setp.gt.u32 %p1, %r1, 200;"), &spec);
    expect(&by_slot, Verdict::NotStructured);
    assert!(by_slot.summary.contains("%smid"), "{}", by_slot.summary);
    expect(&analyze(&traps("setp.gt.u32 %p1, %r2, 200;"), &spec), Verdict::ContractViolated);
    expect(&analyze(&traps("setp.ne.u32 %p1, %r1, %r1;"), &spec), Verdict::RaceFree);
}
