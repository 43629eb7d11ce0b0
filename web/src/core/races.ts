// Races that one mistake makes are shown once, with how many there are: an unrolled loop after a missing barrier has
// dozens.

import type { AccessReport, RaceReport } from './protocol'

/** Numbers of the races that are alike, in the order of the report. */
export type RaceGroup = [number, ...number[]]

/** Where an access stands for its author: the line of the source, of which a compiler may have made many instructions;
 * without one, what the instruction does. */
function placeOf({ cuda, action, instruction }: AccessReport): string {
  if (!cuda) return `${action} ${instruction.trim().split(/\s/)[0]}`
  return [cuda, ...cuda.inlined_at].map(({ file, line }) => `${file}:${line}`).join(' ') + ` ${action}`
}

/** Races between the same two lines of the source, or instructions of the same kinds, on the same array. */
export function groupRaces(races: readonly RaceReport[]): RaceGroup[] {
  const groups = new Map<string, RaceGroup>()
  for (const [at, { side, space, place, first, second, hidden_by_collectives }] of races.entries()) {
    const key = JSON.stringify([side, space, place.replace(/\[.*$/s, ''), hidden_by_collectives, ...[placeOf(first), placeOf(second)].sort()])
    const known = groups.get(key)
    if (known) known.push(at)
    else groups.set(key, [at])
  }
  return [...groups.values()]
}
