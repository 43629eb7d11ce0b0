// The state of a run, and what the page shows of one beside its report.

import type { Failure, Progress, Report, TextSource } from '../core/protocol'

export type Run =
  | { kind: 'idle' }
  | { kind: 'running'; progress: Progress | null }
  | { kind: 'done'; report: Report; seconds: number }
  | { kind: 'stopped' }
  | { kind: 'failed'; failure: Failure }

/** A line of an editor that evidence points at. */
export interface Mark {
  source: TextSource
  line: number
  tone: 'first' | 'second' | 'here'
  label: string
}

/** A line that an editor is to show. */
export interface Focus {
  source: TextSource
  line: number
  column: number
  /** The page is not scrolled for it. */
  still: boolean
}

export interface Notice {
  tone: 'info' | 'warn'
  text: string
  /** What a button in it does. */
  action?: { label: string; run: () => void }
}
