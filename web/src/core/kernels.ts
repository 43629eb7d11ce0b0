// Which kernels a PTX text holds, read without the engine, and their parameters as the page shows them.

import type { Inference, InferredKernel, InferredParameter, Side } from './protocol'

const headsOf = (ptx: string) => [...ptx.matchAll(/\.entry\s+([\w$]+)/g)]

/** The names of a text's kernels. */
export const entries = (ptx: string): string[] => headsOf(ptx).map(([, name]) => name!)

/** The line that a kernel begins on; 1 where the text has none of that name. */
export const lineOf = (ptx: string, entry: string): number => ptx.slice(0, headsOf(ptx).find(([, name]) => name === entry)?.index ?? 0).split('\n').length

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
  const optimized = speaks('opt', 'optimized', 'optimised', 'fast')
  return reference === optimized ? null : reference ? 'reference' : 'optimized'
}

/** Whether a kernel reads which block of the grid it is in, or how many there are. */
export function readsGrid(ptx: string, entry: string | null | undefined): boolean {
  const start = headsOf(ptx).find(([, name]) => name === entry)?.index
  if (start === undefined) return /%n?ctaid\b/.test(ptx)
  const end = ptx.slice(start + 1).search(/\.entry\b/)
  return /%n?ctaid\b/.test(ptx.slice(start, end < 0 ? undefined : start + 1 + end))
}

/** What a parameter is called: as the spec names it, else by its place. */
export const nameOf = ({ bound, name }: Pick<InferredParameter, 'bound' | 'name'>): string => bound || name.replace(/^.+_param_(?=\d+$)/, 'arg')

/** Parameters once each, as kernels mostly share them, with the sides that have them. A structure is shown by its fields, where these are known. */
export function parametersOf(kernels: readonly InferredKernel[]): { key: string; parameter: InferredParameter; sides: Side[] }[] {
  const seen = new Map<string, { key: string; parameter: InferredParameter; sides: Side[] }>()
  for (const { side, parameters } of kernels) {
    for (const parameter of parameters.filter(({ name }) => !parameters.some(field => field.name.startsWith(`${name}+`)))) {
      const key = parameter.bound || `${side}:${parameter.name}`
      const known = seen.get(key)
      if (known) known.sides.push(side as Side)
      else seen.set(key, { key, parameter, sides: [side as Side] })
    }
  }
  return [...seen.values()]
}

/** Parameters of which nothing is known, because those of the two kernels do not fit together, are what they were of the same kernel before. */
export function keepParameters(now: Inference, before: Inference | null): Inference {
  const known = ({ side, entry }: InferredKernel) => (entry ? before?.kernels.find(kernel => kernel.side === side && kernel.entry === entry)?.parameters : undefined)
  return { ...now, kernels: now.kernels.map(kernel => (kernel.parameters.length > 0 ? kernel : { ...kernel, parameters: known(kernel) ?? [] })) }
}
