// The values that only a person can say: which to ask for, and which field a message is about, so that it leads there.

import type { DiagnosticReport, Inference, Report, Side } from './protocol'
import { readSpec, tableAt, valueAt } from './spec-edit'

type Told = Pick<DiagnosticReport, 'message' | 'notes' | 'severity' | 'primary'>

/** Whether the spec text says what has this name, `scalars.n`, `launch.block`; a scalar also under [sweep]. */
function says(spec: string, name: string): boolean {
  const said = readSpec(spec) ?? {}
  const [table, key] = [name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)]
  return [table, ...(table === 'scalars' ? ['sweep'] : [])].some(table => valueAt(tableAt(said, table), key) !== undefined)
}

/** What is missing and worth asking for: not while a text is empty or cannot be read, which no number helps, nor what the
 * spec does say, wrongly. That nobody has chosen among kernels is an error, too, and the choice helps. `wanted` is what a
 * run has found missing besides. */
export function askable(inference: Pick<Inference, 'missing' | 'diagnostics'> | null, empty: readonly Side[], spec: string, wanted: readonly string[] = []): string[] {
  if (!inference || empty.length > 0) return []
  const chooses = inference.missing.some(name => name.endsWith('.entry'))
  if (!chooses && inference.diagnostics.some(({ severity, primary }) => severity === 'error' && primary && primary.at.source !== 'spec')) return []
  return [...new Set([...inference.missing, ...wanted])].filter(name => !says(spec, name))
}

/** The values that errors ask for, by what is to be added: "add `n = 128` under [scalars]". */
export function wantedBy(diagnostics: readonly Pick<Told, 'severity' | 'notes'>[]): string[] {
  const notes = diagnostics.filter(({ severity }) => severity === 'error').flatMap(({ notes }) => notes)
  return notes.flatMap(note => /`([\w$]+) = [^`]*` under \[scalars\]/.exec(note)?.slice(1, 2).map(name => `scalars.${name}`) ?? [])
}

/** A name of `missing`, `scalars.n` or `launch.block`; null where the message names none of them. */
export function missingOf({ message, notes }: Pick<Told, 'message' | 'notes'>, missing: readonly string[]): string | null {
  // What is to be added says it best: "add `n = 128` under [scalars]".
  for (const said of [...notes, message]) {
    const words = new Set(said.match(/[\w$.]+/g))
    const found = missing.find(name => words.has(name.slice(name.indexOf('.') + 1)))
    if (found !== undefined) return found
  }
  return null
}

/** The field that helps against an error: of a missing value, or `launch.ctas`, where the spec names a CTA that the grid does not have. */
export function fieldOf(told: Told, missing: readonly string[], spec: string): string | null {
  if (told.severity !== 'error') return null
  if (/^CTA \[.* is outside the grid/.test(told.message) && says(spec, 'launch.ctas')) return 'launch.ctas'
  return told.primary ? (wantedBy([told]).find(name => missing.includes(name)) ?? null) : missingOf(told, missing)
}

/** Whether an error says that a text holds several kernels, and nobody has chosen one. */
export const isUnchosen = ({ code, notes }: Pick<DiagnosticReport, 'code' | 'notes'>): boolean => code === 'V003' && notes.some(note => note.includes('`entry = '))

/** Whether that is all that is wrong. */
export function onlyUnchosen({ verdict, diagnostics }: Pick<Report, 'verdict' | 'diagnostics'>): boolean {
  return verdict === 'invalid_ptx' && diagnostics.some(isUnchosen) && diagnostics.every(found => found.severity !== 'error' || isUnchosen(found))
}
