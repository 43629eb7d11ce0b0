// The page's side of the timeline: one frame is under way at a time, the latest wish wins, and a
// browser that cannot paint in a worker paints on the page.

import type { TimelineDetail, TimelineOutline } from './protocol'
import { detailArrays, outlineArrays, type Hit, type PhaseSummary, type Timeline, type View } from './timeline'
import { TimelineHost, type HostRequest, type HostResponse } from './timeline-host'
import type { Scene } from './timeline-paint'

/** A worker that does not greet within this time is given up. */
const GREETING_MS = 3_000

export class TimelineClient {
  #worker: Worker | null = null
  #host: TimelineHost | null = null
  #ready: Promise<void>
  #busy = false
  #wish: { scene: Scene; since: number } | null = null
  #questions = new Map<number, (value: never) => void>()
  #next = 1
  /** Hears of every frame: milliseconds from the wish until it was on the canvas. */
  onFrame: ((milliseconds: number) => void) | null = null

  constructor(spawn: () => Worker) {
    this.#ready = new Promise(ready => {
      const here = () => {
        this.#worker?.terminate()
        this.#worker = null
        this.#host = new TimelineHost()
        ready()
      }
      if (typeof OffscreenCanvas === 'undefined' || typeof Worker === 'undefined') return here()
      try {
        const worker = (this.#worker = spawn())
        const timer = setTimeout(here, GREETING_MS)
        worker.onerror = event => {
          event.preventDefault()
          clearTimeout(timer)
          here()
        }
        worker.onmessage = (event: MessageEvent<HostResponse>) => {
          if (event.data.kind !== 'hello') return this.#hear(event.data)
          clearTimeout(timer)
          ready()
        }
        worker.postMessage({ kind: 'hello' } satisfies HostRequest)
      } catch {
        here()
      }
    })
  }

  /** Paints on this canvas from now on; a canvas can be given only once. */
  async use(canvas: HTMLCanvasElement): Promise<void> {
    await this.#ready
    if (this.#host) this.#host.use(canvas)
    else {
      const offscreen = canvas.transferControlToOffscreen()
      this.#say({ kind: 'canvas', canvas: offscreen }, [offscreen])
    }
  }

  async forget(): Promise<void> {
    await this.#ready
    this.#say({ kind: 'forget' })
  }

  /** Takes a timeline over; its arrays are gone for the caller. */
  async add(outline: TimelineOutline): Promise<void> {
    await this.#ready
    this.#say({ kind: 'outline', outline }, outlineArrays(outline))
  }

  /** The same, of what was added before. */
  async detail(side: Timeline['side'], detail: TimelineDetail): Promise<void> {
    await this.#ready
    this.#say({ kind: 'detail', side, detail }, detailArrays(detail))
  }

  /** Wishes for a frame; a wish that is not yet under way is replaced. */
  async paint(scene: Scene): Promise<void> {
    await this.#ready
    this.#wish = { scene, since: this.#wish?.since ?? performance.now() }
    this.#go()
  }

  at(side: Timeline['side'], warp: number, lane: number | null, step: number): Promise<Hit | null> {
    return this.#ask(id => ({ kind: 'at', id, side, warp, lane, step }))
  }

  table(side: Timeline['side'], view: View, limit: number): Promise<PhaseSummary[] | null> {
    return this.#ask(id => ({ kind: 'table', id, side, view, limit }))
  }

  async #ask<Value>(request: (id: number) => HostRequest): Promise<Value> {
    await this.#ready
    const id = this.#next++
    return new Promise<Value>(settle => {
      this.#questions.set(id, settle as (value: never) => void)
      this.#say(request(id))
    })
  }

  #underWay: number | null = null

  #go(): void {
    if (this.#busy || !this.#wish) return
    const { scene, since } = this.#wish
    this.#wish = null
    this.#busy = true
    this.#underWay = since
    this.#say({ kind: 'paint', scene })
  }

  #say(request: HostRequest, transfer: Transferable[] = []): void {
    if (this.#worker) this.#worker.postMessage(request, transfer)
    else {
      const response = this.#host?.answer(request)
      if (response) queueMicrotask(() => this.#hear(response))
    }
  }

  #hear(response: HostResponse): void {
    if (response.kind === 'painted') {
      this.#busy = false
      if (this.#underWay !== null) this.onFrame?.(performance.now() - this.#underWay)
      this.#go()
    } else if (response.kind === 'answer') {
      this.#questions.get(response.id)?.(response.value as never)
      this.#questions.delete(response.id)
    }
  }
}
