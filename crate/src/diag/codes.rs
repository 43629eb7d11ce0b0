//! THE table of diagnostic codes. A code is one row; everything that lists codes reads this.
//!
//! Letters: P parse, V validate, U unsupported, R race, D deadlock and divergence, M memory,
//! A abort, Q equality, B budget.

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct CodeRow {
    /// `P001`, …
    pub name: &'static str,
    /// What it is, in a few words.
    pub what: &'static str,
    /// Why it matters and what to do; like the example, only where it can be asked for (`afterwards`).
    pub why: &'static str,
    /// The smallest input that shows it (PTX or spec); tests run it. Empty where the input is a
    /// whole pair (then a corpus case shows it).
    pub example: &'static str,
}

/// A text that the engine without `afterwards` does not carry.
const fn help(text: &'static str) -> &'static str {
    if cfg!(feature = "afterwards") { text } else { "" }
}

macro_rules! codes {
    ($($name:ident: $what:literal, $why:literal, $example:literal;)*) => {
        /// A diagnostic's code.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum Code { $($name),* }

        /// All codes, in order.
        pub const CODES: &[(Code, CodeRow)] = &[
            $((Code::$name, CodeRow { name: stringify!($name), what: $what, why: help($why), example: help($example) })),*
        ];
    };
}

codes! {
    P001: "unexpected text", "The parser met something that cannot stand here. The message names what was expected.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { add.s32 %r1 %r2; }";
    P002: "comment without end", "A `/*` has no `*/`, so everything after it is a comment. Close it.", ".version 8.0\n.entry k() { ret; /* done }";
    P003: "string without end", "A string ends on the line on which it starts. Close it with a double quote.", ".file 1 \"kernel.cu\n.version 8.0";
    P004: "brace without end", "A body, scope or section is opened but not closed. Close it, or look for the brace before it that is one too few.", ".entry k() { { ret; }";
    P005: "number without a value", "The number needs more bits than its place has, or a constant expression divides by zero.", ".entry k() { mov.b64 %rd1, 18446744073709551616; }";
    P006: "nested too deeply", "Braces, brackets and parentheses are followed 256 levels deep, so that no text can exhaust the stack. No compiler comes near.", ".entry k() { mov.b32 %r1, ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~1; }";
    P007: "not text", "A control character or a letter beyond ASCII stands outside comments and strings. The text may be a binary (a cubin) or in another encoding.", ".entry k() { ret\u{1}; }";
    P008: "too many errors", "The rest of the text was not read. Where even the first lines fail, it may not be PTX.", "a; b; c; d; e; f; g; h; i; j; k; l; m; n; o; p; q; r; s; t; u;";
    P009: "not PTX", "The text is in another language, or is a piece of a kernel. The message says how to get PTX from it.", "__global__ void k(float *a) { a[threadIdx.x] = 1; }";
    V001: "unknown name", "A register, variable, label or function is used but not declared in this scope.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .b32 %r<3>; add.s32 %r1, %r2, %r9; ret; }";
    V002: "operands do not fit", "The instruction exists but not with these operands or types.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .b32 %r<3>; add.s32 %r1, %r2; ret; }";
    V003: "no kernel", "The module has no .entry, or none with the name the spec gives.", ".version 8.0\n.target sm_80\n.address_size 64\n.func f() { ret; }";
    V004: "declared twice", "A label, parameter, variable or kernel is declared twice in one scope, so a mention of it could mean either.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { L: L: ret; }";
    V010: "unusable spec", "The spec file does not say something that is needed, or says it wrongly.", "[launch]\nblock = 0\n";
    V011: "inferred", "The spec left this out; it was inferred from the PTX.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n.reqntid 32\n{\n    ret;\n}\n";
    V012: "unusable formula", "The formula cannot be read, or does not fit its tensors. The message names the place, and both shapes where two do not fit.", "";
    V013: "unusable contract", "A contract (`requires`, `ensures`, or an `assert` in a comment of the kernel) cannot be read, does not fit its tensors, or is broken by the launch itself. The message names the place.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n.reqntid 1\n{\n    // warpproof: asert 1 < 2\n    ret;\n}\n";
    U001: "unsupported instruction", "A thread executes an instruction whose meaning Warpproof does not know.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n.reqntid 1\n{\n    .reg .b32 %r<2>;\n    mov.b32 %r1, 7;\n    mystery.u32 %r1, %r1;\n    ret;\n}\n";
    U002: "symbolic value where a concrete one is needed", "An address, branch or barrier depends on input data, so one run does not stand for all.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 x)\n.reqntid 1\n{\n    .reg .b32 %r<2>;\n    .reg .b64 %rd<4>;\n    ld.param.u64 %rd1, [x];\n    ld.global.u32 %r1, [%rd1];\n    mul.wide.u32 %rd2, %r1, 4;\n    add.s64 %rd3, %rd1, %rd2;\n    st.global.u32 [%rd3], 0;\n    ret;\n}\n";
    U003: "unknown call", "A thread reaches a call of a function that is not known here, of itself, or through a register. What it does cannot be followed.", ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func f();\n.entry k()\n.reqntid 1\n{\n    call f, ();\n    ret;\n}\n";
    U004: "depends on the schedule", "What a thread gets depends on which of several comes first, although nothing races: the result of an atomic that is used, or the phase of a barrier object. One run does not stand for all.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 x)\n.reqntid 2\n{\n    .reg .b32 %r<2>;\n    .reg .b64 %rd<4>;\n    ld.param.u64 %rd1, [x];\n    atom.global.add.u32 %r1, [%rd1], 1;\n    mul.wide.u32 %rd2, %r1, 4;\n    add.s64 %rd3, %rd1, %rd2;\n    st.global.u32 [%rd3+4], 0;\n    ret;\n}\n";
    U005: "waits for CTAs that are not run", "A thread waits through memory, and CTAs of the grid that the spec does not run might end the wait. Run them all: `ctas = \"all\"`.", "";
    R001: "data race", "Two threads touch the same bytes, at least one writes, and no synchronization orders them.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n.reqntid 2\n{\n    .shared .b32 s;\n    .reg .b32 %r<2>;\n    mov.u32 %r1, %tid.x;\n    st.shared.u32 [s], %r1;\n    ret;\n}\n";
    R002: "non-coherent load of what is written", "`ld.global.nc` reads through a cache that does not learn of writes; it is for memory that nothing writes while the kernel runs. Load with `ld.global`, in CUDA without `__ldg` and without `const __restrict__`.", ".version 8.8\n.target sm_90\n.address_size 64\n.entry k(.param .u64 x)\n.reqntid 1\n{\n    .reg .b32 %r<2>;\n    .reg .b64 %rd<2>;\n    ld.param.u64 %rd1, [x];\n    ld.global.nc.u32 %r1, [%rd1];\n    st.global.u32 [%rd1], %r1;\n    ret;\n}\n";
    R003: "atomics with too narrow a scope", "Two atomics on one location exclude each other only if the scope of each holds the thread of the other. Use `.gpu`, which is the default, where threads of several CTAs meet.", "";
    R004: "missing proxy fence", "Bulk copies go through the asynchronous proxy. What threads have written themselves they see only behind `fence.proxy.async`, whatever barriers lie in between: in the thread that has written, before it arrives anywhere, or in the thread that starts the copy.", ".version 8.8\n.target sm_90\n.address_size 64\n.entry k(.param .u64 x)\n.reqntid 1\n{\n    .shared .align 16 .b8 s[16];\n    .reg .b64 %rd<2>;\n    ld.param.u64 %rd1, [x];\n    st.shared.v4.u32 [s], {1, 2, 3, 4};\n    cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16;\n    cp.async.bulk.commit_group;\n    cp.async.bulk.wait_group 0;\n    ret;\n}\n";
    R005: "read of a texture or surface that is written", "Textures and surfaces are read through a cache that does not learn of what the kernel itself writes, through a surface or a pointer, not even in the thread that has written. Write to another array, or read through a pointer.", "";
    D001: "deadlock", "A set of threads waits for one another for ever.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n.reqntid 2\n{\n    .reg .pred %p<2>;\n    .reg .b32 %r<2>;\n    mov.u32 %r1, %tid.x;\n    setp.eq.u32 %p1, %r1, 0;\n    @%p1 bar.sync 1;\n    @!%p1 bar.sync 2;\n    ret;\n}\n";
    D002: "barrier divergence", "Threads wait at one barrier with different ideas of who takes part.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n.reqntid 64\n{\n    .reg .pred %p<2>;\n    .reg .b32 %r<2>;\n    mov.u32 %r1, %tid.x;\n    setp.lt.u32 %p1, %r1, 32;\n    @%p1 bar.sync 1, 32;\n    @!%p1 bar.sync 1, 64;\n    ret;\n}\n";
    D003: "endless loop", "A thread comes back to the beginning of a loop, and nothing that decides how it goes on has changed; or it spends all of its instructions there.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n.reqntid 1\n{\nL:\n    bra L;\n}\n";
    D004: "aligned barrier in divergent code", "`bar.sync` and `barrier.sync.aligned` must be executed by all threads of a warp with one instruction; in conditional code the condition must be the same for the whole warp. Move the barrier out of the branch, or use `barrier.sync`.", ".version 8.8\n.target sm_90\n.address_size 64\n.entry k()\n.reqntid 32\n{\n    .reg .pred %p<2>;\n    .reg .b32 %r<3>;\n    mov.u32 %r1, %tid.x;\n    and.b32 %r2, %r1, 1;\n    setp.eq.u32 %p1, %r2, 0;\n    @%p1 bar.sync 0;\n    @!%p1 bar.sync 0;\n    ret;\n}\n";
    D005: "wrong member mask", "The mask of a warp's collective must name the lanes that execute it, each of them with that same mask.", ".version 8.8\n.target sm_90\n.address_size 64\n.entry k()\n.reqntid 32\n{\n    bar.warp.sync 0xfffffffe;\n    ret;\n}\n";
    D006: "collective without its whole warp", "Matrix instructions are executed by all 32 threads of a warp, products of a warpgroup by its four warps, which start the same ones in the same order; their meaning is undefined once one has returned.", ".version 8.8\n.target sm_90\n.address_size 64\n.entry k(.param .u64 x)\n.reqntid 32\n{\n    .reg .pred %p<2>;\n    .reg .b32 %r<3>;\n    mov.u32 %r1, %tid.x;\n    setp.lt.u32 %p1, %r1, 16;\n    @%p1 ret;\n    movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\n    ret;\n}\n";
    D007: "barrier object overwritten", "The bytes of an `mbarrier` object belong to it from `mbarrier.init` to `mbarrier.inval`: other loads, stores and copies there, or a second `init`, are undefined.", ".version 8.8\n.target sm_90\n.address_size 64\n.entry k()\n.reqntid 1\n{\n    .shared .b64 s;\n    mbarrier.init.shared.b64 [s], 1;\n    st.shared.u32 [s], 0;\n    ret;\n}\n";
    D008: "transaction count out of range", "An `mbarrier` object counts from -(2²⁰ - 1) to 2²⁰ - 1 bytes, and a bulk copy moves a multiple of 16.", ".version 8.8\n.target sm_90\n.address_size 64\n.entry k()\n.reqntid 1\n{\n    .shared .b64 s;\n    mbarrier.init.shared.b64 [s], 1;\n    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [s], 1048576;\n    ret;\n}\n";
    D009: "barrier of the cluster misused", "Each thread of a cluster arrives at its barrier once, then waits there, and then may arrive again. A second arrival before the wait, or a wait without an arrival, is undefined.", ".version 8.8\n.target sm_90\n.address_size 64\n.entry k()\n.reqntid 32\n.reqnctapercluster 1\n{\n    barrier.cluster.arrive;\n    barrier.cluster.arrive;\n    barrier.cluster.wait;\n    ret;\n}\n";
    M001: "out of bounds", "An access leaves its tensor or variable.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n.reqntid 1\n{\n    .shared .b32 s;\n    .reg .b32 %r<2>;\n    mov.b32 %r1, 0;\n    st.shared.u32 [s+4], %r1;\n    ret;\n}\n";
    M002: "misaligned", "An address is not a multiple of the access size.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n.reqntid 1\n{\n    .shared .align 4 .b8 s[8];\n    .reg .b32 %r<2>;\n    mov.b32 %r1, 0;\n    st.shared.u32 [s+2], %r1;\n    ret;\n}\n";
    M003: "uninitialized read", "A value that nothing has written decides an address or a branch, or is left in an output.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n.reqntid 1\n{\n    .shared .b32 s;\n    .reg .pred %p<2>;\n    .reg .b32 %r<2>;\n    ld.shared.u32 %r1, [s];\n    setp.eq.u32 %p1, %r1, 0;\n    @%p1 trap;\n    ret;\n}\n";
    M004: "tensor memory misused", "Columns of tensor memory are used from `tcgen05.alloc` to `tcgen05.dealloc`; all that a thread block takes it gives back before it ends, and a warp reaches 32 of the 128 lanes.", ".version 8.8\n.target sm_100a\n.address_size 64\n.entry k()\n.reqntid 32\n{\n    .shared .b32 s;\n    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 32;\n    ret;\n}\n";
    M005: "one kernel reaches further", "The spec does not say how large a tensor is, and one kernel accesses more of it than the other: whether that is out of bounds, only its size tells.", "";
    A001: "the kernel stops itself", "An assertion fails or a trap is reached: what the kernel itself rules out happens, for all inputs or for those shown. Nothing that it computes counts then.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n.reqntid 1\n{\n    trap;\n}\n";
    A002: "a contract is broken", "What the kernel's author or the spec claims does not hold: for all inputs, or for those shown.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n.reqntid 32\n{\n    .reg .b32 %r<2>;\n    mov.u32 %r1, %tid.x;\n    // warpproof: assert %r1 < 16\n    ret;\n}\n";
    Q001: "outputs differ", "There are inputs for which the two kernels give different values.", "";
    Q002: "not decided", "Neither a proof nor a counterexample was found.", "";
    Q003: "output not written", "An output element is written by one kernel only, or by neither.", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 x)\n.reqntid 1\n{\n    .reg .b64 %rd<2>;\n    .reg .f32 %f<2>;\n    ld.param.u64 %rd1, [x];\n    mov.f32 %f1, 0f3F800000;\n    st.global.f32 [%rd1+4], %f1;\n    ret;\n}\n";
    B001: "budget exhausted", "The run needed more instructions, memory or time than allowed.", "";
    B002: "cancelled", "The run was stopped.", "";
}

impl Code {
    /// The code's row.
    pub fn row(self) -> &'static CodeRow {
        &CODES[self as usize].1
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.row().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_enum() {
        for (at, (code, row)) in CODES.iter().enumerate() {
            assert_eq!(*code as usize, at);
            assert!(!row.what.is_empty() && !row.why.is_empty());
        }
    }
}
