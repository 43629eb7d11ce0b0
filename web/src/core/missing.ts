// Which of the values that nobody has said yet a message is about, so that the message leads to its field.

import type { DiagnosticReport } from './protocol'

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
