//! Texts that are not PTX, and how to get PTX from them: people paste what they have.
//!
//! A text is looked at here only if the parser found nothing in it. Each language is one row: how it is
//! recognized, what it is called, and the ways to PTX. What is recognized is a guess, and decides
//! nothing but the words of an error that is reported in any case.

/// A language that kernels are written or shown in.
pub(super) struct Foreign {
    /// As in *this is …, not a PTX file*.
    pub(super) name: &'static str,
    /// How to get PTX, one way a sentence.
    pub(super) ways: &'static [&'static str],
    is: fn(&str) -> bool,
}

const COMPILER_EXPLORER: &str =
    "without a compiler at hand: https://godbolt.org, language CUDA C++; its device view shows the PTX";

const TRITON_CACHE: &str = "Triton keeps the PTX of all that it compiles: `ls ~/.triton/cache/*/*.ptx`";

const LANGUAGES: &[Foreign] = &[
    Foreign {
        name: "SASS, the machine code of one GPU",
        ways: &[
            "`cuobjdump -ptx FILE` extracts the PTX where the file still holds it",
            "else compile the source again: `nvcc -ptx -arch=sm_80 kernel.cu -o kernel.ptx`",
        ],
        is: |text| {
            ["/*0000*/", "/*0010*/", ".headerflags", "c[0x0][0x", "SR_TID.", "SR_CTAID."]
                .iter()
                .any(|word| text.contains(word))
        },
    },
    Foreign {
        name: "Python",
        ways: &[
            "Triton: `kernel[grid](…).asm[\"ptx\"]` holds the PTX of a launch, and `~/.triton/cache` the files `*.ptx` of all of them",
            "TileLang and others print CUDA C++: `nvcc -ptx -arch=sm_80 kernel.cu -o kernel.ptx`",
        ],
        is: |text| {
            ["@triton.jit", "import triton", "T.prim_func", "tilelang", "import torch"]
                .iter()
                .any(|word| text.contains(word))
        },
    },
    Foreign {
        name: "HIP, AMD's dialect of CUDA C++",
        ways: &[
            "kernels themselves are mostly CUDA C++: without `#include <hip/hip_runtime.h>` and the calls of the host, `nvcc -ptx -arch=sm_80 kernel.cu -o kernel.ptx` compiles them",
            "code for AMD's GPUs is no PTX, and nothing here reads it",
        ],
        is: |text| {
            ["hip/hip_runtime", "hipLaunchKernel", "hipMalloc", "hipMemcpy"]
                .iter()
                .any(|word| text.contains(word))
        },
    },
    Foreign {
        name: "CUDA C++",
        ways: &[
            "compile it: `nvcc -ptx -arch=sm_80 kernel.cu -o kernel.ptx`",
            COMPILER_EXPLORER,
            TRITON_CACHE,
        ],
        is: |text| {
            ["__global__", "__device__", "#include", "threadIdx."].iter().any(|word| text.contains(word))
        },
    },
    Foreign {
        name: "LLVM IR",
        ways: &["`llc -march=nvptx64 -mcpu=sm_80 kernel.ll -o kernel.ptx` makes PTX of it"],
        is: |text| {
            let begins = text.lines().any(|line| line.starts_with("define "));
            begins || text.contains("target triple") || text.contains("define ptx_kernel")
        },
    },
    Foreign {
        name: "MLIR, a compiler's intermediate form",
        ways: &[
            "Triton keeps the PTX beside it: `~/.triton/cache` has a file `*.ptx` for each `*.ttir` and `*.ttgir`, and `kernel[grid](…).asm[\"ptx\"]` holds it",
        ],
        is: |text| {
            ["tt.func", "func.func", "llvm.func", "gpu.module", "#ttg."]
                .iter()
                .any(|word| text.contains(word))
        },
    },
    Foreign {
        name: "a compiled binary",
        ways: &["`cuobjdump -ptx FILE` extracts the PTX of a cubin or an executable, if it holds any"],
        is: |text| text.starts_with("\u{7f}ELF"),
    },
    Foreign {
        name: "a fragment of PTX without the kernel around it",
        ways: &[
            "give the whole file, from its `.version` line on: where instructions stand and what registers and parameters are is said around them",
        ],
        is: |text| {
            text.lines().filter(|line| line.trim_end().ends_with(';') && line.contains('%')).count() > 0
        },
    },
];

/// What a text that is no PTX at all probably is.
pub(super) fn recognize(text: &str) -> Option<&'static Foreign> {
    // PTX with a mistake in its first line is PTX.
    let directive =
        |word: &str| [".version", ".entry", ".func"].iter().any(|directive| word.starts_with(directive));
    if text.split_whitespace().any(directive) {
        return None;
    }
    LANGUAGES.iter().find(|language| (language.is)(text))
}
