// Races between the same two instructions are one mistake: they are shown once, with how many there are.

import type { RaceReport } from './protocol'

/** Numbers of the races between two instructions, in the order of the report. */
export type RaceGroup = [number, ...number[]]

export function groupRaces(races: readonly RaceReport[]): RaceGroup[] {
  const groups = new Map<string, RaceGroup>()
  for (const [at, { side, space, first, second }] of races.entries()) {
    const key = `${side} ${space} ${Math.min(first.instr, second.instr)} ${Math.max(first.instr, second.instr)}`
    const known = groups.get(key)
    if (known) known.push(at)
    else groups.set(key, [at])
  }
  return [...groups.values()]
}
