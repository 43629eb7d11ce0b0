// Arguments that a message has ready for the spec: "under [reference] `args = ["x", "n"]` and under [optimized] `args = ["x"]`".

import type { Side } from './protocol'
import { readSpec, tableAt, valueAt, type TomlValue } from './spec-edit'

export interface ReadyArgs {
  side: Side
  args: TomlValue[]
}

/** The lines in notes that can be written as they stand, and are not in the spec yet. */
export function readyArgs(notes: readonly string[], spec: string): ReadyArgs[] {
  const written = readSpec(spec)
  if (!written) return []
  const said = ({ side, args }: ReadyArgs) => JSON.stringify(valueAt(tableAt(written, side), 'args')) === JSON.stringify(args)
  return notes.flatMap(linesOf).filter(line => !said(line))
}

function linesOf(note: string): ReadyArgs[] {
  const parts = [...note.matchAll(/\[(reference|optimized)\]|\bargs = (\[[^`\n]*\])/g)]
  // The side stands before its line, or after it: "`args = […]` under [optimized]".
  const step = parts[0]?.[1] === undefined ? 1 : -1
  return parts.flatMap(([, , list], at) => {
    const side = parts[at + step]?.[1]
    const args = list === undefined ? undefined : valueAt(readSpec(`args = ${list}`) ?? {}, 'args')
    return side !== undefined && Array.isArray(args) ? [{ side: side as Side, args }] : []
  })
}
