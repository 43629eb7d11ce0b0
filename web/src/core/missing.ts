// The values that only a person can say: which to ask for, and which of them a message is about, so that it leads to its field.

import type { DiagnosticReport, Inference, Side } from './protocol'
import { readSpec, tableAt, valueAt } from './spec-edit'

/** What is missing and worth asking for: not while a text is empty or cannot be read, which no number helps, nor what the
 * spec does say, wrongly. That nobody has chosen among kernels is an error, too, and the choice helps. */
export function askable(inference: Pick<Inference, 'missing' | 'diagnostics'> | null, empty: readonly Side[], spec: string): string[] {
  if (!inference || empty.length > 0) return []
  const chooses = inference.missing.some(name => name.endsWith('.entry'))
  if (!chooses && inference.diagnostics.some(({ severity, primary }) => severity === 'error' && primary && primary.at.source !== 'spec')) return []
  const said = readSpec(spec) ?? {}
  return inference.missing.filter(name => valueAt(tableAt(said, name.slice(0, name.indexOf('.'))), name.slice(name.indexOf('.') + 1)) === undefined)
}

/** A name of `missing`, `scalars.n` or `launch.block`; null where the message names none of them. */
export function missingOf({ message, notes }: Pick<DiagnosticReport, 'message' | 'notes'>, missing: readonly string[]): string | null {
  // What is to be added says it best: "add `n = 128` under [scalars]".
  for (const said of [...notes, message]) {
    const words = new Set(said.match(/[\w$.]+/g))
    const found = missing.find(name => words.has(name.slice(name.indexOf('.') + 1)))
    if (found !== undefined) return found
  }
  return null
}
