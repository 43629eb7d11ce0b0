// Races that one mistake makes are shown once, with how many there are: an unrolled loop after a missing barrier has
// dozens.

import { tabText } from '../text-tabs'
import type { AccessReport, RaceReport, Report } from './protocol'

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

/** Each group of races for paper: both accesses with their lines, what is missing, and schedules. */
export function racesInWords({ races }: Pick<Report, 'races'>, single: boolean): { title: string; lines: string[]; schedule: string[] }[] {
  const text = tabText.races
  return groupRaces(races).map(group => {
    const { place, space, side, first, second, ordering, schedule } = races[group[0]]!
    const access = ({ thread, action, at, instruction, cuda }: AccessReport) => `${thread.text} ${action}: ${text.accessAt(at.line, instruction.trim(), cuda ? `${cuda.file}:${cuda.line}` : '')}`
    const more = group.length > 1 ? [text.others(group.length - 1, first.cuda !== undefined && second.cuda !== undefined)] : []
    return { title: `${text.touch} ${place} ${text.where(space, single ? '' : side)}`, lines: [access(first), access(second), ordering, ...more], schedule }
  })
}
