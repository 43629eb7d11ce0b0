// Filling in a spec: what another one says of the same question, and this one leaves to be inferred.

import { isTable, readSpec, setKey, tableAt, valueAt, type TomlTable } from './spec-edit'

/** Writes down what `full` says and a text does not; what the text says stays. Null where either is not TOML. */
export function fillIn(text: string, full: string): string | null {
  const whole = readSpec(full)
  if (!whole || !readSpec(text)) return null
  let edited = text
  const fill = (from: TomlTable, path: string[]) => {
    const there = path.reduce(tableAt, readSpec(edited)!)
    for (const [key, value] of Object.entries(from)) {
      const known = valueAt(there, key)
      if (isTable(value) && (known === undefined || isTable(known)) && path.length < 2) fill(value, [...path, key])
      else if (known === undefined && path.length > 0) edited = setKey(edited, path, key, value) ?? edited
    }
  }
  fill(whole, [])
  return edited
}
