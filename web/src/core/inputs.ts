// The inputs of a counterexample in words, for what is copied or printed.

import { tabText } from '../text-tabs'
import { nameOf } from './kernels'
import type { Counterexample, InferredKernel } from './protocol'

/** Elements that are listed one by one. */
const LISTED = 16
/** Of a tensor of many. */
const MOST = 64

/** One line for each input: `x[3] = 1, all others 0`. */
export function inputTexts({ inputs }: Pick<Counterexample, 'inputs'>): { name: string; values: string }[] {
  const { all, others, given } = tabText.counterexample
  return inputs.map(({ name, format, shape, scalar, entries, rest, dense, given: said }) => {
    const declared = `${name} ${format}${shape.length > 0 ? `[${shape.join('×')}]` : ''}`
    if (scalar) return { name: declared, values: entries[0]?.value ?? rest }
    if (dense && dense.length <= LISTED) return { name: declared, values: dense.join(', ') }
    if (said && rest === '') return { name: declared, values: given }
    const listed = entries.slice(0, MOST).map(({ place, value }) => `${place} = ${value}`)
    return { name: declared, values: [...listed, `${listed.length > 0 ? others : all} ${rest}`].join(', ') }
  })
}

/** The kernels' scalars that have a value and are none of a counterexample's inputs already, once each. */
export function scalarsOf(kernels: readonly InferredKernel[], { inputs }: Pick<Counterexample, 'inputs'>): { name: string; type: string; value: string }[] {
  const found = new Map<string, { name: string; type: string; value: string }>()
  for (const parameter of kernels.flatMap(({ parameters }) => parameters)) {
    const { kind, element, declared, value } = parameter
    const called = nameOf(parameter)
    if (['integer', 'float'].includes(kind) && value !== '' && !inputs.some(input => input.name === called)) found.set(called, { name: called, type: element || declared, value })
  }
  return [...found.values()]
}
