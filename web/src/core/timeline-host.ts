// Holds timelines and paints them: in its worker, or on the page where a browser has none.

import { Timeline, withoutDetail, type Hit, type PhaseSummary, type View } from './timeline'
import { Painter, type Scene } from './timeline-paint'
import { layout, type Row } from './timeline-view'
import type { TimelineDetail, TimelineOutline } from './protocol'

/** What is asked of a host. */
export type HostRequest =
  | { kind: 'hello' }
  | { kind: 'canvas'; canvas: OffscreenCanvas }
  /** Another run: what is held goes. */
  | { kind: 'forget' }
  | { kind: 'outline'; outline: TimelineOutline }
  | { kind: 'detail'; side: Timeline['side']; detail: TimelineDetail }
  | { kind: 'paint'; scene: Scene }
  | { kind: 'at'; id: number; side: Timeline['side']; warp: number; lane: number | null; step: number }
  | { kind: 'table'; id: number; side: Timeline['side']; view: View; limit: number }

export type HostResponse =
  | { kind: 'hello' }
  /** A frame is on the canvas; how long it took. */
  | { kind: 'painted'; milliseconds: number }
  | { kind: 'answer'; id: number; value: Hit | PhaseSummary[] | null }

export class TimelineHost {
  #timelines = new Map<Timeline['side'], Timeline>()
  #painter = new Painter()
  #canvas: OffscreenCanvas | HTMLCanvasElement | null = null
  #layout: { timeline: Timeline; key: string; rows: Row[] } | null = null

  use(canvas: OffscreenCanvas | HTMLCanvasElement): void {
    this.#canvas = canvas
  }

  answer(request: HostRequest): HostResponse | null {
    switch (request.kind) {
      case 'hello':
        return { kind: 'hello' }
      case 'canvas':
        this.use(request.canvas)
        return null
      case 'forget':
        this.#timelines.clear()
        this.#layout = null
        this.#painter = new Painter()
        return null
      case 'outline':
        this.#timelines.set(request.outline.side, new Timeline(withoutDetail(request.outline)))
        return null
      case 'detail': {
        const known = this.#timelines.get(request.side)
        if (known) this.#hold(new Timeline({ ...known.flat, ...request.detail }))
        return null
      }
      case 'paint': {
        const begun = performance.now()
        this.#paint(request.scene)
        return { kind: 'painted', milliseconds: performance.now() - begun }
      }
      case 'at':
        return { kind: 'answer', id: request.id, value: this.#timelines.get(request.side)?.at(request.warp, request.lane, request.step) ?? null }
      case 'table':
        return { kind: 'answer', id: request.id, value: this.#timelines.get(request.side)?.summary(request.view, request.limit) ?? null }
    }
  }

  /** Takes a whole timeline, and gets its warps ready one by one: frames go first. */
  #hold(timeline: Timeline): void {
    this.#timelines.set(timeline.side, timeline)
    let warp = 0
    const next = () => {
      if (warp === timeline.warps || this.#timelines.get(timeline.side) !== timeline) return
      timeline.prepare(warp++)
      setTimeout(next)
    }
    setTimeout(next)
  }

  #paint(scene: Scene): void {
    const timeline = this.#timelines.get(scene.side)
    const canvas = this.#canvas
    if (!timeline || !canvas || scene.width <= 0 || scene.height <= 0) return
    const [width, height] = [Math.round(scene.width * scene.scale), Math.round(scene.height * scene.scale)]
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width
      canvas.height = height
    }
    const context = canvas.getContext('2d', { alpha: false }) as OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D | null
    if (!context) return
    const key = `${scene.rowHeight} ${scene.unfolded.join()}`
    if (this.#layout?.timeline !== timeline || this.#layout.key !== key) {
      this.#layout = { timeline, key, rows: layout(timeline.warps, new Set(scene.unfolded), scene.rowHeight).rows }
    }
    this.#painter.paint(context, timeline, this.#layout.rows, scene)
  }
}
