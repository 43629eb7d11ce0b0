//! Numbers that a kernel computes from known ones alone, as the hardware rounds them: what their rounding
//! explains is equal up to rounding, and not equivalent; what it cannot explain is a difference.
//!
//! 1/3 + 2²⁰ - 2²⁰ is 0.375 in f32 and 1/3 over the reals: the hardware's sum may be 1/24 off. Another
//! way to compute 1/3 gives 0.33333334.

use warpproof::report::{Report, Verdict};
use warpproof_tests::ask::check;

const SPEC: &str = "[launch]\nblock = 32\n\
    [tensors.x]\ntype = \"f32\"\nshape = [32]\nrole = \"in\"\n\
    [tensors.y]\ntype = \"f32\"\nshape = [32]\nrole = \"out\"\n";

/// A kernel that leaves in `y` what `body` leaves in `%f9`; `%f0` is the thread's element of `x`.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 x, .param .u64 y)\n{{\n\
         .reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %rd<6>; .reg .f32 %f<10>; .shared .align 4 .b8 s[128];\n\
         mov.u32 %r0, %tid.x; ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];\n\
         mad.wide.u32 %rd3, %r0, 4, %rd1; mad.wide.u32 %rd4, %r0, 4, %rd2;\n\
         ld.global.f32 %f0, [%rd3]; shl.b32 %r1, %r0, 2; mov.u32 %r2, s; add.u32 %r1, %r1, %r2;\n\
         {body}\nst.global.f32 [%rd4], %f9;\nret;\n}}\n"
    )
}

/// A third, once nearly right and once through a large sum, in `%f1`.
const THIRD: &str = "mov.f32 %f1, 0f3F800000; div.rn.f32 %f1, %f1, 0f40400000;";
const COARSE: &str = "mov.f32 %f1, 0f3F800000; div.rn.f32 %f1, %f1, 0f40400000;\n\
    add.rn.f32 %f1, %f1, 0f49800000; sub.rn.f32 %f1, %f1, 0f49800000;";

fn times(number: &str) -> String {
    kernel(&format!("{number}\nmul.f32 %f9, %f0, %f1;"))
}

#[track_caller]
fn expect(report: &Report, verdict: Verdict) {
    assert_eq!(report.verdict, verdict, "{}\n{:#?}", report.summary, report.diagnostics);
}

/// What is equal up to rounding: 0.375 is a third up to a ninth of it, and 0.41 up to a twelfth.
#[track_caller]
fn is_rounding(report: &Report) {
    expect(report, Verdict::EqualUpToRounding);
    let bound = report.rounding_bound.expect("a bound");
    assert!((0.03..0.13).contains(&bound), "{bound}");
    assert!(report.assumptions.iter().any(|assumed| assumed.kind == "constants_rounded"), "{report:#?}");
}

#[test]
fn what_rounding_may_explain_is_equal_up_to_rounding() {
    is_rounding(&check(&times(THIRD), &times(COARSE), SPEC));
    is_rounding(&check(&times(COARSE), &times(THIRD), SPEC));
}

#[test]
fn what_rounding_cannot_explain_is_different() {
    let literal = |bits: &str| times(&format!("mov.f32 %f1, {bits};"));
    // 0.42 is too far from 0.375, 0.41 is not; and 0.375 that stands in the text is what it is.
    expect(&check(&times(COARSE), &literal("0f3ED70A3D"), SPEC), Verdict::NotEquivalent);
    is_rounding(&check(&times(COARSE), &literal("0f3ED1EB85"), SPEC));
    expect(&check(&times(THIRD), &literal("0f3EC00000"), SPEC), Verdict::NotEquivalent);
    // The other sign.
    let negated = format!("{COARSE} neg.f32 %f1, %f1;");
    expect(&check(&times(COARSE), &times(&negated), SPEC), Verdict::NotEquivalent);
}

#[test]
fn the_bound_goes_where_the_number_goes() {
    let ways = [
        "st.shared.f32 [%r1], %f1; bar.sync 0; ld.shared.f32 %f1, [%r1];",
        "mov.b32 %r3, %f1; shfl.sync.bfly.b32 %r3|%p1, %r3, 1, 31, -1; mov.b32 %f1, %r3;",
        "neg.f32 %f1, %f1; abs.f32 %f1, %f1;",
        "mov.b32 %r3, %f1; xor.b32 %r3, %r3, 0x80000000; mov.b32 %f1, %r3; neg.f32 %f1, %f1;",
        "setp.lt.u32 %p1, %r0, 64; selp.f32 %f1, %f1, 0f00000000, %p1;",
        "mul.f32 %f1, %f1, 0f40000000; mul.f32 %f1, %f1, 0f3F000000;",
    ];
    for way in ways {
        is_rounding(&check(&times(THIRD), &times(&format!("{COARSE}\n{way}")), SPEC));
    }
    // Lanes of their own: the number differs from lane to lane, and only the first few are looked at.
    let by_lane =
        |sum: &str| times(&format!("cvt.rn.f32.u32 %f1, %r0; div.rn.f32 %f1, %f1, 0f40400000;\n{sum}"));
    let sum = "add.rn.f32 %f1, %f1, 0f49800000; sub.rn.f32 %f1, %f1, 0f49800000;";
    expect(&check(&by_lane(""), &by_lane(sum), SPEC), Verdict::EqualUpToRounding);
    let wrong = "add.rn.f32 %f1, %f1, 0f49800000; sub.rn.f32 %f1, %f1, 0f49800008;";
    expect(&check(&by_lane(""), &by_lane(wrong), SPEC), Verdict::NotEquivalent);
}

#[test]
fn numbers_that_round_to_nothing_are_not_zero() {
    // 0.1 + 2²¹ - 2²¹ is 0, and may be 0.1 off.
    let gone = "mov.f32 %f1, 0f3DCCCCCD; add.rn.f32 %f1, %f1, 0f4A000000; sub.rn.f32 %f1, %f1, 0f4A000000;";
    let literal = |bits: &str| times(&format!("mov.f32 %f1, {bits};"));
    expect(&check(&times(gone), &literal("0f3DCCCCCD"), SPEC), Verdict::Unknown);
    expect(&check(&times(gone), &literal("0f3E800000"), SPEC), Verdict::NotEquivalent);
}

#[test]
fn outputs_that_depend_on_no_input_are_compared_alike() {
    let alone = |number: &str| kernel(&format!("{number}\nmov.f32 %f9, %f1;"));
    is_rounding(&check(&alone(THIRD), &alone(COARSE), SPEC));
    expect(&check(&alone(COARSE), &alone("mov.f32 %f1, 0f3F000000;"), SPEC), Verdict::NotEquivalent);
    expect(&check(&alone(COARSE), &alone(COARSE), SPEC), Verdict::Equivalent);
}

#[test]
fn rounding_to_an_integer_on_purpose_is_no_error() {
    // 2.75 + 1.5·2²³ - 1.5·2²³ is 3, whatever is below.
    let magic = "mov.f32 %f1, 0f40300000; add.rn.f32 %f1, %f1, 0f4B400000; sub.rn.f32 %f1, %f1, 0f4B400000;";
    let literal = |bits: &str| times(&format!("mov.f32 %f1, {bits};"));
    expect(&check(&times(magic), &literal("0f40400000"), SPEC), Verdict::Equivalent);
    expect(&check(&times(magic), &literal("0f40300000"), SPEC), Verdict::NotEquivalent);
}
