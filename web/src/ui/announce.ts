// What the page says aloud when the state of a run changes.

import { presentations } from '../core/verdict'
import type { Run } from './session.svelte'

export function announcement(run: Run, stale: boolean): string {
  switch (run.kind) {
    case 'idle':
      return ''
    case 'running':
      return 'Verifying…'
    case 'stopped':
      return 'Stopped.'
    case 'failed':
      return `Tool error: ${run.failure.message}`
    case 'done':
      return stale ? 'Edited since the last verdict.' : `${presentations[run.report.verdict].word}. ${run.report.summary.replaceAll('`', '')}`
  }
}
