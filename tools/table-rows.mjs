// The rows of docs/performance.md, by family, in the order of the paper (*Equivalence
// Checking of ML GPU Kernels*, arXiv 2511.12638): what `npm run table` runs.
//
// A row is [case, words, paper]: a case of tests/corpus, whose first folder is the verdict that
// it must have; the words of the first column; the paper's own time in seconds, if one is known
// (without it, the family's `paper` stands there).

/** What stands below the table about the figures that were not measured here. */
export const sources =
  'The last column is what the paper (*Equivalence Checking of ML GPU Kernels*, arXiv 2511.12638) gives for its own solver on 24 cores, ' +
  'the execution of the kernels not included, on its own kernels of the same kind and size; a range spans its rows of that kind, and where the column is empty no figure was at hand. ' +
  "The authors' implementation, both phases together and on two cores, takes about 230 s and 2.4 GB for the product of depth 4,096 and about 317 s and 14.7 GB for attention against FlashAttention-2."

const matmul = [
  ['coalesced', 'coalesced'],
  ['shared', 'tiles in shared memory'],
  ['1d', '8 elements per thread'],
  ['2d', '8 × 8 elements per thread'],
  ['vectorised', 'vectorised'],
  ['linear', 'no bank conflicts, by layout'],
  ['padded', 'no bank conflicts, by padding'],
  ['autotuned', 'autotuned'],
  ['warp_tiled', 'a tile per warp'],
  ['double_buffered', 'double-buffered'],
  ['specialised', 'double-buffered, specialised warps'],
]

const tiles = ['32x32x32', '64x32x32', '64x64x32']
const times = tile => tile.replaceAll('x', ' × ')

export const families = [
  {
    title: 'Reductions (table 1)',
    about: "Harris's seven versions, 128 values.",
    rows: [
      ['equivalent/harris/v0_serial_vs_v1', 'one thread, version 1'],
      ['equivalent/harris/v1_vs_v2_strided', 'version 1, version 2 (neighbouring threads)'],
      ['equivalent/harris/v1_vs_v3_sequential', 'version 1, version 3 (sequential addresses)'],
      ['equivalent/harris/v1_vs_v4_first_add', 'version 1, version 4 (first addition while loading)'],
      ['data_race/harris/v5_unrolled_warp', 'version 1, version 5 (last warp unrolled)'],
      ['data_race/harris/v6_unrolled', 'version 1, version 6 (unrolled completely)'],
      ['data_race/harris/v7_many_adds', 'version 1, version 7 (several additions per thread)'],
      ['equivalent/harris/v1_vs_v5_syncwarp', 'version 1, version 5 with `__syncwarp`'],
      ['equivalent/harris/v1_vs_v6_syncwarp', 'version 1, version 6 with `__syncwarp`'],
      ['equivalent/harris/v1_vs_v7_syncwarp', 'version 1, version 7 with `__syncwarp`'],
      ['equivalent/harris/v1_vs_v5_shuffle', 'version 1, version 5 with shuffles'],
      ['equivalent/harris/v1_vs_v6_shuffle', 'version 1, version 6 with shuffles'],
      ['equivalent/harris/v1_vs_v7_shuffle', 'version 1, version 7 with shuffles'],
    ],
  },
  {
    title: 'Matrix product (table 2)',
    about: "Boehm's versions, a tile of 64 × 64 elements, depth 4,096.",
    paper: '500–570',
    rows: matmul.map(([name, text]) => [`equivalent/matmul_paper/k4096_naive_vs_${name}`, `naive, ${text}`]),
  },
  {
    title: 'Attention (table 3)',
    about: '16 queries, 512 keys, head 64; the plain formula has one thread per query.',
    paper: '22–171',
    rows: [
      ['equivalent/attention/full_plain_vs_flash1', 'plain, FlashAttention-1'],
      ['equivalent/attention/full_plain_vs_wmma', 'plain, FlashAttention-1 with `wmma`'],
      ['equivalent/attention/full_plain_vs_flash2', 'plain, FlashAttention-2 with `mma.sync`', '140'],
      ['equivalent/attention/full_flash1_vs_flash2', 'FlashAttention-1, FlashAttention-2', ''],
    ],
  },
  {
    title: 'Causal attention (table 4)',
    about: 'The same sizes; the mask inside the tile, and with the tiles that no row sees left out.',
    rows: [
      ['equivalent/attention/full_causal_plain_vs_flash1', 'plain, FlashAttention-1'],
      ['equivalent/attention/full_causal_plain_vs_flash1_skip', 'plain, FlashAttention-1, tiles left out'],
      ['equivalent/attention/full_causal_plain_vs_wmma', 'plain, FlashAttention-1 with `wmma`'],
      ['equivalent/attention/full_causal_plain_vs_wmma_skip', 'plain, FlashAttention-1 with `wmma`, tiles left out'],
      ['equivalent/attention/full_causal_plain_vs_flash2', 'plain, FlashAttention-2'],
      ['equivalent/attention/full_causal_plain_vs_flash2_skip', 'plain, FlashAttention-2, tiles left out'],
    ],
  },
  {
    title: 'Convolution (section 6.2)',
    about: 'Direct, and as a matrix product on tensor cores with index tables in shared memory.',
    rows: [
      ['equivalent/convolution/full', 'direct, matrix product of 128 × 128 by 256 threads'],
      ['out_of_bounds/convolution/prefetch_past_table', 'direct, matrix product that reads past its index table'],
      ['equivalent/convolution/prefetch_into_longer_table', 'direct, the same with a longer table'],
    ],
  },
  {
    title: 'GEMM variants (table 5)',
    about: 'As a code generator writes them: 32 × 32 elements, 512 threads.',
    rows: [
      ['equivalent/gemm/naive_vs_tiled', 'naive, tiles in shared memory'],
      ['equivalent/gemm/naive_vs_sliced', 'naive, two slices of every tile'],
      ['equivalent/gemm/naive_vs_mma_tf32', 'naive, tensor cores in tf32'],
      ['equivalent/gemm/naive_vs_mma_f16', 'naive, tensor cores in f16'],
    ],
  },
  {
    title: 'Compiler output: TileLang (table 6)',
    about: 'Matrix products, by CUDA cores (plain) and by tensor cores, without a pipeline and with two or three stages of `cp.async`.',
    rows: [
      ...tiles.map(tile => [`equivalent/tilelang/plain_vs_tensor_${tile}`, `plain, tensor ${times(tile)}`, '11–440']),
      ...tiles.map(tile => [`equivalent/tilelang/plain_vs_tensor_${tile}_stages2`, `plain, tensor ${times(tile)}, two stages`]),
      ...tiles.map(tile => [`equivalent/tilelang/plain_vs_tensor_${tile}_stages3`, `plain, tensor ${times(tile)}, three stages`]),
    ],
  },
  {
    title: 'Compiler output: Triton',
    about: 'Against CUDA.',
    rows: [
      ['equivalent/triton/softmax_n1000', 'softmax, rows of 1,000'],
      ['equivalent/triton/softmax_online_n512', 'online softmax, rows of 512'],
      ['equivalent/triton/layer_norm', 'layer norm, rows of 100'],
      ['equivalent/triton/rms_norm', 'RMS norm, rows of 100'],
      ['equivalent/triton/gelu_tanh', 'GELU by tanh, 500 elements'],
      ['equivalent/triton/gelu_erf', 'GELU by erf, 500 elements'],
      ['equivalent/triton/silu', 'SiLU, 500 elements'],
      ['equivalent/triton/swiglu', 'SwiGLU, 500 elements'],
      ['equivalent/triton/matmul_f16_tiles', 'matrix product, 128 × 128 × 256, tensor cores in f16'],
      ['equivalent/triton/matmul_tf32', 'matrix product, 32 × 32 × 64, tensor cores in tf32'],
      ['equivalent/triton/flash_full', 'attention, 16 queries, 512 keys, head 64'],
      ['equivalent/triton/flash_full_causal', 'the same, causal'],
    ],
  },
  {
    title: 'Races found in real projects',
    about: 'As OpenMM and Megatron-LM had them, before and after the repair, against one thread per result.',
    rows: [
      ['data_race/field/bucket_positions_before', 'bucket positions, before'],
      ['equivalent/field/bucket_positions_after', 'bucket positions, after'],
      ['data_race/field/range_before_precise', 'range, before'],
      ['equivalent/field/range_after_precise', 'range, after'],
      ['data_race/field/reduce_value_before_precise', 'reduced value, before'],
      ['equivalent/field/reduce_value_after_precise', 'reduced value, after'],
      ['data_race/field/layernorm_rows_before_precise', 'layer norm, before'],
      ['equivalent/field/layernorm_rows_after_precise', 'layer norm, after'],
      ['data_race/field/layernorm_grad_input_before_precise', 'gradient of its input, before'],
      ['equivalent/field/layernorm_grad_input_after_precise', 'gradient of its input, after'],
    ],
  },
]
