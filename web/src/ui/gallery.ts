// The examples; see web/build/gallery.ts. The page holds the first one; the list of all comes after the
// first verdict, the texts of the others when one is chosen.

import first from 'virtual:gallery-first'
import { laterExamples } from './later'
import type { Input } from '../core/protocol'

export interface Example {
  id: string
  title: string
  family: string
  text: string
  /** The verdict that the tests hold the engine to. */
  verdict: string
}

export interface Family {
  name: string
  examples: Example[]
}

export type FullExample = Example & { input: Input }

/** What a first visit shows. */
export const firstExample: FullExample = first

/** All examples, by family; rejects where they cannot be fetched. */
export async function families(): Promise<Family[]> {
  const families: Family[] = []
  for (const example of (await laterExamples()).default) {
    const family = families.find(({ name }) => name === example.family)
    if (family) family.examples.push(example)
    else families.push({ name: example.family, examples: [example] })
  }
  return families
}

/** The texts of an example; rejects where they cannot be fetched. */
export async function inputOf(example: Example): Promise<Input> {
  if (example.id === first.id) return first.input
  const { default: inputs } = await import('virtual:gallery-texts')
  const input = inputs[example.id]
  if (!input) throw new Error(`the example “${example.id}” is not in the gallery`)
  return input
}
