// What the page says aloud when the state of a run changes.

import { presentationFor } from '../core/verdict'
import { text } from '../text'
import type { Run } from './run'

export function announcement(run: Run, stale: boolean, single: boolean): string {
  switch (run.kind) {
    case 'idle':
      return ''
    case 'running':
      return single ? text.running.analyzing : text.running.verifying
    case 'stopped':
      return text.verdict.stopped
    case 'failed':
      return `${text.failure.titles[run.failure.kind]}: ${run.failure.message}`
    case 'done':
      return stale ? text.verdict.edited : `${presentationFor(run.report).word}. ${run.report.summary.replaceAll('`', '')}`
  }
}
