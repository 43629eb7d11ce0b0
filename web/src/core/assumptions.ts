// Assumptions as they are listed: of a kind of which there are many, one row that holds them all.

import { tabText } from '../text-tabs'
import type { AssumptionReport } from './protocol'

/** Of a kind, so many stand for themselves. */
const FEW = 8

/** An assumption, or many of one kind with what they say together. */
export type AssumptionRow = { one: AssumptionReport } | { text: string; count: number; all: AssumptionReport[] }

/** The rows in the order of the report; a kind stands where its first does. */
export function grouped(assumptions: readonly AssumptionReport[]): AssumptionRow[] {
  const kinds = new Map<string, AssumptionReport[]>()
  for (const assumption of assumptions) kinds.set(assumption.kind, [...(kinds.get(assumption.kind) ?? []), assumption])
  return assumptions.flatMap((one): AssumptionRow[] => {
    const all = kinds.get(one.kind)!
    const says = tabText.assumptions.kinds[one.kind]
    if (all.length <= FEW || !says) return [{ one }]
    if (all[0] !== one) return []
    return [{ text: says(all.length.toLocaleString('en')), count: all.reduce((sum, { count }) => sum + count, 0), all }]
  })
}
