// Which kernels a PTX text holds, read without the engine.

import type { Side } from './protocol'

/** The names of a text's kernels. */
export const entries = (ptx: string): string[] => [...ptx.matchAll(/\.entry\s+([\w$]+)/g)].map(([, name]) => name!)

/** Whether an edit puts another kernel in the place of `given`'s, at one go: pasted or opened. Somebody who
 * types at a kernel's name, or changes a line of it, still works on the same one. */
export function replacesKernel(given: string, before: string, after: string): boolean {
  let head = 0
  while (head < before.length && before[head] === after[head]) head++
  let tail = 0
  while (tail < Math.min(before.length, after.length) - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  // A whole kernel may differ from another in its name alone.
  const whole = after.slice(0, head).lastIndexOf('\n') + 1
  const inserted = after.slice(whole, after.length - tail)
  const known = new Set(entries(given))
  return after.length - tail - head > 1 && /\.entry\b|__global__/.test(inserted) && !entries(after).some(name => known.has(name))
}

/** The side that a file's name speaks of: `softmax_ref.ptx`, `opt-2.ptx`. */
export function sideOf(name: string): Side | null {
  const words = name.toLowerCase().split(/[^a-z]+/)
  const speaks = (...of: string[]) => words.some(word => of.includes(word))
  const reference = speaks('ref', 'reference', 'naive', 'baseline', 'base')
  const optimized = speaks('opt', 'optimized', 'optimized', 'fast')
  return reference === optimized ? null : reference ? 'reference' : 'optimized'
}

/** Whether a kernel reads which block of the grid it is in, or how many there are. */
export function readsGrid(ptx: string, entry: string | null | undefined): boolean {
  const start = entry ? [...ptx.matchAll(/\.entry\s+([\w$]+)/g)].find(([, name]) => name === entry)?.index : undefined
  if (start === undefined) return /%n?ctaid\b/.test(ptx)
  const end = ptx.slice(start + 1).search(/\.entry\b/)
  return /%n?ctaid\b/.test(ptx.slice(start, end < 0 ? undefined : start + 1 + end))
}
