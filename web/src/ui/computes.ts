// What the outputs compute, over the reals, as far as the latest run shows it: by tensor, and by
// the line that stores.

import type { Expression, Side, TextSource } from '../core/protocol'
import { session } from './session.svelte'

export interface Computed {
  /** The element that stands for its group: `C[0][0]`. */
  element: string
  expression: Expression
}

/** The values that the run on these very texts has shown; nothing once a text has changed. */
function all(): { tensor: string; source: TextSource; computed: Computed }[] {
  if (session.stale) return []
  return (session.report?.outputs ?? []).flatMap(({ tensor, groups }) =>
    groups.flatMap(({ sample, reference, optimized }) => [
      ...(reference ? [{ tensor, source: 'reference' as const, computed: { element: sample, expression: reference } }] : []),
      ...(optimized ? [{ tensor, source: 'optimized' as const, computed: { element: sample, expression: optimized } }] : []),
    ]),
  )
}

/** What a store computes: of its elements, the first of each group. */
export function storedAt(source: TextSource, line: number): Computed[] {
  return all().filter(({ source: of, computed }) => of === source && computed.expression.stored_at?.line === line).map(({ computed }) => computed)
}

/** What a tensor holds in the end, by the kernel that is looked at: the optimized one, or the only one. */
export function endsAs(tensor: string): Computed | null {
  const found = all().filter(of => of.tensor === tensor)
  return (found.find(({ source }) => source === 'optimized') ?? found[0])?.computed ?? null
}

/** The elements of an output that the report shows, by flat index. */
export function listed(tensor: string): { index: number; reference?: Expression | undefined; optimized?: Expression | undefined }[] {
  return session.report?.outputs.find(output => output.tensor === tensor)?.groups ?? []
}

/** Why what a kernel holds at its end may not be what it computes. */
export function spoilt(side: Side): 'fault' | 'limit' | null {
  const report = session.report
  if (report?.verdict === 'resource_limit') return 'limit'
  return report?.diagnostics.some(({ severity, primary }) => severity === 'error' && primary?.at.source === side) ? 'fault' : null
}
