// The timelines of the latest run: fetched from the engine when first looked at, then held by the
// timeline's worker. The page keeps only what its words and buttons need.

import type { Report, Side } from '../core/protocol'
import { Barriers } from '../core/timeline'
import { TimelineClient } from '../core/timeline-client'
import { session } from './session.svelte'

/** What the page knows of a timeline. */
export interface TimelineInfo {
  side: Side
  warps: number
  warpsPerCta: number
  steps: number
  events: number
  truncated: boolean
  barriers: Barriers
  /** Of each instruction, what it is for. */
  classes: Uint32Array
  /** Its detail is there. */
  whole: boolean
}

class Timelines {
  /** By side; of the run `#of`. */
  known = $state.raw<Partial<Record<Side, TimelineInfo>>>({})
  /** There before it is needed: this file comes after the first verdict. */
  readonly client = new TimelineClient(() => new Worker(new URL('../core/timeline-worker.ts', import.meta.url), { type: 'module', name: 'warpproof-timeline' }))
  #of: Report | null = null
  #asked = new Set<Side>()

  /** Starts fetching a kernel's timeline, unless that has been done for this run. */
  async fetch(side: Side): Promise<void> {
    const report = session.report
    if (this.#of !== report) {
      this.#of = report
      this.#asked.clear()
      this.known = {}
      void this.client.forget()
    }
    if (!report || this.#asked.has(side)) return
    this.#asked.add(side)
    const outline = await session.outline(side)
    if (!outline || this.#of !== report) return
    const { warps, warpsPerCta, truncated, recorded } = outline
    const [steps, barriers, classes] = [Math.max(outline.steps, 1), new Barriers(outline.barriers.slice()), outline.classes.slice()]
    await this.client.add(outline)
    this.known = { ...this.known, [side]: { side, warps, warpsPerCta, steps, events: recorded, truncated, barriers, classes, whole: false } }
    // The first picture does not wait for this.
    const detail = await session.detail(side)
    if (!detail || this.#of !== report) return
    await this.client.detail(side, detail)
    this.known = { ...this.known, [side]: { ...this.known[side]!, whole: true } }
  }
}

export const timelines = new Timelines()
