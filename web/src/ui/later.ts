// What a first visitor does not need before the first verdict: fetched after it, when nobody waits,
// or at once when it is wanted earlier.

import type { Component } from 'svelte'

/** Fetches a module once; again where that failed. */
function once<T>(fetch: () => Promise<T>): () => Promise<T> {
  let module: Promise<T> | null = null
  return () => {
    module ??= fetch().catch((error: unknown) => {
      module = null
      throw error
    })
    return module
  }
}

/** The tabs of the results but the verdict's. */
export const laterTabs = {
  counterexample: once(() => import('./CounterexampleTab.svelte')),
  races: once(() => import('./RacesTab.svelte')),
  waits: once(() => import('./WaitsTab.svelte')),
  sweep: once(() => import('./SweepTab.svelte')),
  formula: once(() => import('./FormulaTab.svelte')),
  timeline: once(() => import('./TimelineTab.svelte')),
  assumptions: once(() => import('./AssumptionsTab.svelte')),
} as const

/** A dialog, whose component opens itself. */
export type LaterDialog = () => Promise<{ default: Component<Record<string, never>, { open: () => void | Promise<void> }> }>

export const laterDialogs = {
  share: once(() => import('./ShareDialog.svelte')),
  help: once(() => import('./HelpDialog.svelte')),
  documents: once(() => import('./DocumentsDialog.svelte')),
  form: once(() => import('./SpecForm.svelte')),
} satisfies Record<string, LaterDialog>

/** What a report finds. */
export const laterFindings = once(() => import('./Findings.svelte'))

/** Which races one mistake makes. */
export const laterRaces = once(() => import('./editor-whole'))

/** What reads the names of the PTX. */
export const laterNames = once(() => import('./editor-whole'))

/** What stands in the place of an answer. */
export const laterIdle = once(() => import('./Idle.svelte'))

/** What numbers and special registers of PTX mean. */
export const laterWords = once(() => import('./editor-whole'))

/** What asks a sweep. */
export const laterSweep = once(() => import('./sweeping'))

/** What a parameter's panel holds. */
export const laterPanel = once(() => import('./ParameterPanel.svelte'))

/** What the list of examples shows. */
export const laterExamples = once(() => import('virtual:gallery-list'))

/** What shows a lesson. */
export const laterLesson = once(() => import('./LessonBar.svelte'))

/** The project's documents; not fetched before they are asked for. */
export const laterDocuments = once(() => import('virtual:documents'))

/** What is printed. */
export const laterPrint = once(() => import('./PrintSheet.svelte'))

/** Both kernels as one diff. */
export const laterDiff = once(() => import('./DiffEditor.svelte'))

/** Formulas in an editor. */
export const laterFormula = once(() => import('./formula-editing'))

/** The source beside the PTX, and the sources of the examples. */
export const laterSource = once(() => import('./SourcePane.svelte'))
export const laterSources = once(() => import('virtual:gallery-sources'))

/** Finding in an editor, and what it does with whole texts. */
export const laterSearch = once(() => import('./editor-whole'))

/** Files that come in, and the format of links. */
export const laterFiles = once(() => import('./files'))
export const laterLinks = once(() => import('../core/share'))

/** Fetches all of it; what cannot be had now is asked for again when it is wanted. */
export function fetchLater(): void {
  for (const part of [...Object.values(laterTabs), ...Object.values(laterDialogs), laterExamples, laterFindings, laterIdle, laterRaces, laterLesson, laterPrint, laterDiff, laterFormula, laterSource, laterSearch, laterPanel, laterFiles, laterLinks, laterSweep]) part().catch(() => undefined)
}
