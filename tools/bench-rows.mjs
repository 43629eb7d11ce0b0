// The rows of `npm run bench` and what they aim at: groups of cases that are measured end to end,
// and the cases that rates, growth and stops are measured on.
//
// A group is one row of the first table. `cases` are names of tests/corpus, or folders of it with a
// pattern for the names within; `native` and `browser` are the seconds (and MiB) that each of its
// cases should take at most.

import { families } from './table-rows.mjs'

/** The cases of a family of the other table. */
const family = word => families.find(({ title }) => title.startsWith(word)).rows.map(([name]) => name)

export const groups = [
  { title: 'reductions of 128 values', cases: family('Reductions'), native: { time: 0.05 }, browser: { time: 0.15 } },
  {
    title: 'softmax of 1,024 values',
    cases: [{ folder: 'equivalent/softmax', names: /^n1024_/ }],
    native: { time: 0.05 },
    browser: { time: 0.15 },
  },
  {
    title: 'matrix product 64 × 64, depth 4,096',
    cases: family('Matrix product'),
    native: { time: 3, memory: 1024 },
    browser: { time: 6, memory: 1536 },
  },
  {
    title: 'attention 16 × 64, 512 keys',
    cases: ['flash1', 'wmma', 'flash2'].map(name => `equivalent/attention/full_plain_vs_${name}`),
    native: { time: 3, memory: 1024 },
    browser: { time: 6 },
  },
  { title: 'convolution, a tile of 128 × 128', cases: ['equivalent/convolution/full'], native: { time: 3 }, browser: { time: 6 } },
  { title: 'TileLang 64 × 64 × 32', cases: ['equivalent/tilelang/plain_vs_tensor_64x64x32'], native: { time: 1 }, browser: { time: 2 } },
]

/** Integer and control work alone: a spec, below the repository's root. */
export const integers = 'crate/benches/kernels/integer.toml'
/** Executing everything, deciding, and the bytes of a multiply-add are measured on this pair … */
export const product = 'equivalent/matmul_paper/k4096_naive_vs_2d'
/** … whose kernels do this many multiply-adds each; growth, on the same pair at an eighth of the depth. */
export const multiplyAdds = 64 * 64 * 4096
export const shallow = 'equivalent/matmul_paper/k512_naive_vs_2d'

export const aims = {
  integers: { rate: 200e6, ratio: 1.6 },
  everything: { rate: 60e6, ratio: 1.9 },
  bytes: 16,
  threads: { native: 1.8, browser: 1.7 },
  growth: 8.5,
  stop: { native: 100, browser: 300 },
}
/** When runs are stopped, in parts of the time that a whole one takes: in every stage. */
export const moments = [0.03, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9]
