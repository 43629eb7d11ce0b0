// What of a report's evidence is marked in the editors.

import type { Location, RaceReport, Report } from '../core/protocol'
import { isEndless, presentations, type Tab } from '../core/verdict'
import { text } from '../text'
import type { Mark } from './run'

/** A place in a text, how it is marked, and what stands beside it. */
export interface Marked {
  at: Location
  tone: Mark['tone']
  label: string
}

/** Both accesses of a race. */
export const racing = ({ first, second }: RaceReport): Marked[] => [
  { at: first.at, tone: 'first', label: `${first.thread.text} ${first.action}` },
  { at: second.at, tone: 'second', label: `${second.thread.text} ${second.action}` },
]

/** Where threads wait for others that do not come. */
export const waiting = ({ waits }: Report): Marked[] => waits.map(({ at, threads_text }, index) => ({ at, tone: index === 0 ? 'first' : 'second', label: text.waitHere(threads_text) }))

/** The loop that a thread never leaves, or not within the limit: where it begins, and where it goes back. */
export function looping({ verdict, diagnostics }: Report): Marked[] {
  if (verdict !== 'deadlock' && verdict !== 'resource_limit') return []
  const loop = diagnostics.find(({ code }) => code === 'D003')
  const labels = [...(loop?.primary ? [loop.primary] : []), ...(loop?.related ?? [])]
  return labels.map(({ at, text }, index) => ({ at, tone: index === 0 ? 'first' : 'second', label: text }))
}

/** What is marked when the report arrives. */
export function evident(report: Report): Marked[] {
  if (report.verdict === 'data_race') return report.races.slice(0, 1).flatMap(racing)
  if (isEndless(report) || report.waits.length === 0) {
    const loop = looping(report)
    if (loop.length > 0) return loop
  }
  if (report.waits.length > 0) return waiting(report)
  const fault = report.diagnostics.find(({ severity, primary }) => severity === 'error' && primary?.at.source !== 'spec')
  return fault?.primary && presentations[report.verdict].shape === 'fault' ? [{ at: fault.primary.at, tone: 'first', label: fault.message }] : []
}

/** Whether a tab of evidence has something to show. */
export function hasEvidence(report: Report, tab: Tab): boolean {
  if (tab === 'counterexample') return report.counterexample !== undefined
  if (tab === 'races') return report.races.length > 0
  return tab !== 'waits' || report.waits.length > 0
}
