// How each verdict is presented: a word, a tone, a shape (never color alone), and the tab
// that holds its evidence.

import { text } from '../text'
import { onlyUnchosen } from './missing'
import type { Report, Verdict } from './protocol'

export type Tone = 'good' | 'bad' | 'warn' | 'neutral'
export type Shape = 'check' | 'approx' | 'differ' | 'race' | 'stuck' | 'fault' | 'question' | 'limit' | 'input'
export type Tab = 'verdict' | 'sweep' | 'counterexample' | 'races' | 'waits' | 'formula' | 'timeline' | 'assumptions'

export interface Presentation {
  word: string
  tone: Tone
  shape: Shape
}

export const presentations: Record<Verdict, Presentation> = {
  equivalent: { word: text.verdicts.equivalent, tone: 'good', shape: 'check' },
  equal_up_to_rounding: { word: text.verdicts.equal_up_to_rounding, tone: 'good', shape: 'approx' },
  race_free: { word: text.verdicts.race_free, tone: 'good', shape: 'check' },
  not_equivalent: { word: text.verdicts.not_equivalent, tone: 'bad', shape: 'differ' },
  data_race: { word: text.verdicts.data_race, tone: 'bad', shape: 'race' },
  deadlock: { word: text.verdicts.deadlock, tone: 'bad', shape: 'stuck' },
  barrier_divergence: { word: text.verdicts.barrier_divergence, tone: 'bad', shape: 'stuck' },
  out_of_bounds: { word: text.verdicts.out_of_bounds, tone: 'bad', shape: 'fault' },
  misaligned: { word: text.verdicts.misaligned, tone: 'bad', shape: 'fault' },
  uninitialized_read: { word: text.verdicts.uninitialized_read, tone: 'bad', shape: 'fault' },
  contract_violated: { word: text.verdicts.contract_violated, tone: 'bad', shape: 'fault' },
  not_structured: { word: text.verdicts.not_structured, tone: 'warn', shape: 'question' },
  unsupported: { word: text.verdicts.unsupported, tone: 'warn', shape: 'question' },
  invalid_ptx: { word: text.verdicts.invalid_ptx, tone: 'warn', shape: 'input' },
  invalid_spec: { word: text.verdicts.invalid_spec, tone: 'warn', shape: 'input' },
  resource_limit: { word: text.verdicts.resource_limit, tone: 'warn', shape: 'limit' },
  cancelled: { word: text.verdicts.cancelled, tone: 'neutral', shape: 'limit' },
  unknown: { word: text.verdicts.unknown, tone: 'warn', shape: 'question' },
}

/** The verdict by its name in links and specs; null for names of later versions. */
export function presentationOf(name: string): Presentation | null {
  return Object.hasOwn(presentations, name) ? presentations[name as Verdict] : null
}

/** How a report is presented. A loop that is never left is no deadlock in anybody's words, nor is a file of several kernels invalid. */
export function presentationFor(report: Pick<Report, 'verdict' | 'diagnostics'>): Presentation {
  const presentation = presentations[report.verdict]
  if (onlyUnchosen(report)) return { ...presentation, word: text.editors.choose }
  return isEndless(report) ? { ...presentation, word: text.verdicts.endless } : presentation
}

/** Whether the deadlock is a thread that never leaves a loop, and none that waits for another. */
export const isEndless = ({ verdict, diagnostics }: Pick<Report, 'verdict' | 'diagnostics'>): boolean => verdict === 'deadlock' && diagnostics.find(({ code }) => code === 'D001' || code === 'D003')?.code === 'D003'

/** Verdicts that the documents and the command line name otherwise: the page's words, and theirs. */
export const otherNames = (): { word: string; name: string }[] =>
  Object.entries(presentations)
    .map(([verdict, { word }]) => ({ word, name: verdict.replaceAll('_', ' ') }))
    .filter(({ word, name }) => word.toLowerCase() !== name)

/** The tab to open for a report: its evidence, where that says more than the sentence. */
export function evidenceTab(report: Report): Tab | null {
  if (report.verdict === 'data_race' && report.races.length > 0) return 'races'
  if (report.counterexample && report.verdict === 'not_equivalent') return 'counterexample'
  if (report.waits.length > 0) return 'waits'
  return null
}

const units = ['', ' thousand', ' million', ' billion', ' trillion']

/** A count for people: 999, 12.3 thousand, 4.56 million. */
export function count(value: number): string {
  if (value < 10_000) return value.toLocaleString('en')
  const rounded = Number(value.toPrecision(3))
  const power = Math.min(Math.floor(Math.log10(rounded) / 3), units.length - 1)
  return `${Number((rounded / 1000 ** power).toPrecision(3))}${units[power]}`
}

/** A count of elements: people compare it with the extents of a tensor. */
export const exact = (value: number): string => value.toLocaleString('en')

/** A duration for people: 3 ms, 420 ms, 1.24 s, 2 min 5 s. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1) return `${milliseconds.toPrecision(1)} ms`
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toPrecision(3)} s`
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`
}

/** A size for people: 12 KiB, 3.4 MiB. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), 4)
  return `${Number((bytes / 1024 ** power).toPrecision(3))} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`
}
