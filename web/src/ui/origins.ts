// Where the differing parts of a counterexample come from, as marks in the editors.

import type { Origins, OriginStep, PartOrigin } from '../core/protocol'
import { tabText } from '../text-tabs'
import { session } from './session.svelte'

const text = tabText.origins
const SHOWN = 60

/** The beginning of a long expression. */
export const shortened = (of: string): string => (of.length > SHOWN ? `${of.slice(0, SHOWN)}…` : of)

/** What a step did, before its opcode. */
export function did({ role, of }: OriginStep, part: PartOrigin): string {
  return role === 'makes' && of !== part.text ? text.did.makesOther(shortened(of)) : text.did[role](shortened(of))
}

/** Marks the lines of a part, and those of its counterpart in the other kernel; both editors show theirs. */
export function show(origins: Origins, side: 'reference' | 'optimized', at: number): void {
  const own = origins[side][at]
  if (!own) return
  const others = origins[side === 'reference' ? 'optimized' : 'reference']
  // Parts correspond where there are as many; otherwise the other kernel shows all of its own.
  const counterparts = others.length === origins[side].length ? others.slice(at, at + 1) : others
  session.mark([...places([own], 'first'), ...places(counterparts, 'second')])
}

function places(parts: PartOrigin[], tone: 'first' | 'second') {
  const lines = new Map<number, { at: OriginStep['at']; tone: typeof tone; labels: Set<string> }>()
  for (const { at, role, of } of parts.flatMap(part => part.steps)) {
    const line = lines.get(at.line) ?? { at, tone, labels: new Set() }
    line.labels.add(text.here[role](shortened(of)))
    lines.set(at.line, line)
  }
  return [...lines.values()].map(({ at, labels }) => ({ at, tone, label: [...labels].join(', ') }))
}
