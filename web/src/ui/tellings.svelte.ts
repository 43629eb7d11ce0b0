// What the kernels of the latest run tell of themselves: asked for when first looked at, and kept.

import type { Progress, Report, Side, Telling } from '../core/protocol'
import { session } from './session.svelte'

export type Told =
  | { kind: 'looking'; progress: Progress | null }
  | { kind: 'told'; telling: Telling }
  | { kind: 'stopped' }
  | { kind: 'failed' }

class Tellings {
  /** By side; of the run `#of`. */
  known = $state.raw<Partial<Record<Side, Told>>>({})
  #of: Report | null = null

  /** Asks what a kernel computes, unless that has been done for this run; with `again` also then. */
  async ask(side: Side, again = false): Promise<void> {
    const report = session.report
    if (this.#of !== report) {
      this.#of = report
      this.known = {}
    }
    if (!report || (this.known[side] && !again)) return
    const asked = (told: Told) => {
      if (this.#of === report) this.known = { ...this.known, [side]: told }
    }
    asked({ kind: 'looking', progress: null })
    const telling = await session.again.tell(side, progress => asked({ kind: 'looking', progress }))
    asked(telling === null ? { kind: 'failed' } : telling === 'stopped' ? { kind: 'stopped' } : { kind: 'told', telling })
  }
}

export const tellings = new Tellings()
