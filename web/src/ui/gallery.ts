// The examples, by family; see web/build/gallery.ts. The texts of all but the first come when
// one is chosen.

import examples from 'virtual:gallery-list'
import type { Input } from '../core/protocol'

export interface Example {
  id: string
  title: string
  family: string
  text: string
  /** The verdict that the tests hold the engine to. */
  verdict: string
  /** The texts, where the page holds them from the start. */
  input: Input | null
}

export const families: { name: string; examples: Example[] }[] = []
for (const example of examples) {
  const family = families.find(({ name }) => name === example.family)
  if (family) family.examples.push(example)
  else families.push({ name: example.family, examples: [example] })
}

/** What a first visit shows. */
export const firstExample: Example | undefined = examples[0]

/** The texts of an example; rejects where they cannot be fetched. */
export async function inputOf(example: Example): Promise<Input> {
  if (example.input) return example.input
  const { default: inputs } = await import('virtual:gallery-texts')
  const input = inputs[example.id]
  if (!input) throw new Error(`the example “${example.id}” is not in the gallery`)
  return input
}
