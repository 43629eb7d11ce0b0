// The examples, by family; see web/build/gallery.ts.

import examples from 'virtual:gallery'
import type { Input } from '../core/protocol'

export interface Example {
  id: string
  title: string
  family: string
  text: string
  /** The verdict that the tests hold the engine to. */
  verdict: string
  input: Input
}

export const families: { name: string; examples: Example[] }[] = []
for (const example of examples) {
  const family = families.find(({ name }) => name === example.family)
  if (family) family.examples.push(example)
  else families.push({ name: example.family, examples: [example] })
}

/** What a first visit shows. */
export const firstExample: Example | undefined = examples[0]
