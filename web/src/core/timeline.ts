// The timeline of a run as data: warps, logical steps, what ran, waited and happened where. It
// reads the engine's flat arrays in place; the drawing and its worker are in timeline-*.ts.
//
// Time is logical: a warp's steps are the instructions it executes, and whoever leaves a
// barrier continues at the step of the last arrival. Within a stretch of execution, step s
// executes instruction `instr + (s - start)`.

import type { FlatTimeline, TimelineDetail, TimelineOutline } from './protocol'

export const KINDS = ['run', 'wait_barrier', 'wait_warp', 'stuck'] as const
export type Kind = (typeof KINDS)[number]
export const EVENTS = ['shared_read', 'shared_write', 'shared_atomic', 'global_read', 'global_write', 'global_atomic', 'copy', 'collective', 'fault'] as const
export type EventKind = (typeof EVENTS)[number]
export type Side = FlatTimeline['side']
/** What instructions are for, as far as they are told apart; in the order of the Rust type `InstructionClass`. */
export const CLASSES = ['integer', 'float', 'memory', 'control', 'together'] as const
export type InstructionClass = (typeof CLASSES)[number]

/** Columns of the flat arrays. */
export const SEGMENT = 5
export const EVENT = 4
const FLIGHT = 5
export const BARRIER = 4
const RACE = 8

export interface Segment {
  start: number
  end: number
  mask: number
  kind: Kind
  instr: number
}

export interface Event {
  step: number
  mask: number
  kind: EventKind
  instr: number
}

export interface Flight {
  warp: number
  start: number
  end: number
  mask: number
}

export interface Barrier {
  /** Number of its release over the whole run, from 0. */
  index: number
  cta: number
  step: number
  id: number
  instr: number
}

export interface RaceEnd {
  warp: number
  lane: number
  step: number
  instr: number
}

/** The visible stretch of time. */
export interface View {
  from: number
  to: number
}

/** What one warp did between two barriers. */
export interface PhaseSummary {
  warp: number
  /** From 1; 0 for the whole stretch. */
  phase: number
  from: number
  to: number
  executed: number
  waited: number
  reads: number
  writes: number
  other: number
}

/** What stands under a point of the drawing. */
export interface Hit {
  warp: number
  lane: number | null
  step: number
  segment: Segment | null
  /** The instruction that executes, or that the lanes wait at. */
  instr: number | null
  /** The lane whose values can be asked for: the one that is pointed at, or of a warp the first that executes. */
  acting: number | null
  line: number | null
  events: Event[]
}

export class Timeline {
  readonly flat: FlatTimeline
  readonly side: Side
  readonly warps: number
  readonly steps: number
  readonly flights: readonly Flight[][]
  readonly races: readonly { first: RaceEnd; second: RaceEnd }[]
  /** Of each warp, the latest end among its first segments, so that a search may skip them. */
  #latestEnd: (Uint32Array | undefined)[] = []

  constructor(flat: FlatTimeline) {
    this.flat = flat
    this.side = flat.side
    this.warps = flat.warps
    this.steps = Math.max(flat.steps, 1)
    const flights: Flight[][] = Array.from({ length: flat.warps }, () => [])
    for (const [warp, start, end, mask] of rows(flat.flights, FLIGHT)) flights[warp!]?.push({ warp: warp!, start: start!, end: end!, mask: mask! })
    this.flights = flights
    const end = (row: ArrayLike<number>, at: number): RaceEnd => ({ warp: row[at]!, lane: row[at + 1]!, step: row[at + 2]!, instr: row[at + 3]! })
    this.races = [...rows(flat.races, RACE)].map(row => ({ first: end(row, 0), second: end(row, 4) }))
  }

  cta(warp: number): number {
    return Math.floor(warp / this.flat.warpsPerCta)
  }

  line(instr: number): number | null {
    return this.flat.lines[instr] ?? null
  }

  segment(row: number): Segment {
    const { segments } = this.flat
    const at = row * SEGMENT
    return { start: segments[at]!, end: segments[at + 1]!, mask: segments[at + 2]!, kind: KINDS[segments[at + 3]!] ?? 'run', instr: segments[at + 4]! }
  }

  event(row: number): Event {
    const { events } = this.flat
    const at = row * EVENT
    return { step: events[at]!, mask: events[at + 1]!, kind: EVENTS[events[at + 2]!] ?? 'fault', instr: events[at + 3]! }
  }

  /** Gets a warp ready to be searched, which takes a while for a long run. */
  prepare(warp: number): Uint32Array {
    const { segments, segmentStarts } = this.flat
    return (this.#latestEnd[warp] ??= runningMaximum(segments, SEGMENT, 1, segmentStarts[warp] ?? 0, segmentStarts[warp + 1] ?? 0))
  }

  /** Rows of a warp's segments that may touch `from..to`: first, and one past the last. */
  segmentRows(warp: number, from: number, to: number): [number, number] {
    const { segments, segmentStarts } = this.flat
    const [begin, end] = [segmentStarts[warp] ?? 0, segmentStarts[warp + 1] ?? 0]
    const latest = this.prepare(warp)
    const first = begin + search(end - begin, at => latest[at]! > from)
    return [first, Math.max(first, begin + search(end - begin, at => segments[(begin + at) * SEGMENT]! >= to))]
  }

  /** Rows of a warp's events in `from..to`: first, and one past the last. */
  eventRows(warp: number, from: number, to: number): [number, number] {
    const { events, eventStarts } = this.flat
    const [begin, end] = [eventStarts[warp] ?? 0, eventStarts[warp + 1] ?? 0]
    const at = (step: number) => begin + search(end - begin, row => events[(begin + row) * EVENT]! >= step)
    return [at(from), at(to)]
  }

  /** The segments of a warp that touch `from..to`, in order of their start. */
  *segments(warp: number, from = 0, to = Infinity): Generator<Segment> {
    const [first, last] = this.segmentRows(warp, from, to)
    for (let row = first; row < last; row++) if (this.flat.segments[row * SEGMENT + 1]! > from) yield this.segment(row)
  }

  /** What stands at a step of a warp, or of one of its lanes. */
  at(warp: number, lane: number | null, step: number): Hit {
    const hit: Hit = { warp, lane, step, segment: null, instr: null, acting: null, line: null, events: [] }
    const has = (mask: number) => lane === null || ((mask >>> lane) & 1) === 1
    for (const segment of this.segments(warp, step, step + 1)) {
      if (!has(segment.mask)) continue
      // Of several things at once, what executes is shown.
      if (hit.segment === null || segment.kind === 'run') hit.segment = segment
    }
    if (hit.segment) {
      const { kind, instr, start, mask } = hit.segment
      if (kind === 'run') hit.acting = lane ?? 31 - Math.clz32(mask & -mask)
      hit.instr = kind === 'run' ? instr + step - start : instr
      hit.line = this.line(hit.instr)
    }
    const [first, last] = this.eventRows(warp, step, step + 1)
    for (let row = first; row < last; row++) {
      const event = this.event(row)
      if (has(event.mask)) hit.events.push(event)
    }
    return hit
  }

  /** When lanes of a warp stand at one of some instructions: start, end, mask, row by row. */
  standing(warp: number, instrs: ReadonlySet<number>): Uint32Array {
    const { segments, segmentStarts } = this.flat
    const sorted = [...instrs].sort((a, b) => a - b)
    const found: number[] = []
    for (let row = segmentStarts[warp] ?? 0; row < (segmentStarts[warp + 1] ?? 0); row++) {
      const at = row * SEGMENT
      const [start, end, mask, kind, instr] = [segments[at]!, segments[at + 1]!, segments[at + 2]!, segments[at + 3]!, segments[at + 4]!]
      for (const wanted of sorted) {
        if (kind === 0) {
          const step = start + wanted - instr
          if (step >= start && step < end) found.push(step, step + 1, mask)
        } else if (wanted === instr) found.push(start, end, mask)
      }
    }
    return Uint32Array.from(found)
  }

  /** The instructions on a line of the PTX. */
  instructionsOn(line: number): Set<number> {
    const on = new Set<number>()
    this.flat.lines.forEach((of, instr) => {
      if (of === line) on.add(instr)
    })
    return on
  }

  /** Where the phases of a CTA end. */
  phaseEnds(cta: number): number[] {
    const { barriers } = this.flat
    const steps = new Set<number>([this.steps])
    for (let at = 0; at < barriers.length; at += BARRIER) if (barriers[at] === cta) steps.add(barriers[at + 1]!)
    return [...steps].sort((a, b) => a - b)
  }

  /** What each warp did in `view`: phase by phase, or, where that would be more than `limit` rows, in sum. */
  summary(view: View, limit: number): PhaseSummary[] {
    const list: PhaseSummary[] = []
    const stretches: { warp: number; phase: number; from: number; to: number }[] = []
    const ends = new Map<number, number[]>()
    for (let warp = 0; warp < this.warps && stretches.length <= limit; warp++) {
      const cta = this.cta(warp)
      if (!ends.has(cta)) ends.set(cta, this.phaseEnds(cta))
      let from = 0
      ends.get(cta)!.forEach((to, phase) => {
        if (to > view.from && from < view.to) stretches.push({ warp, phase: phase + 1, from, to })
        from = to
      })
    }
    if (stretches.length > limit) {
      stretches.length = 0
      for (let warp = 0; warp < this.warps; warp++) stretches.push({ warp, phase: 0, from: Math.floor(view.from), to: Math.ceil(view.to) })
    }
    for (const { warp, phase, from, to } of stretches.slice(0, limit)) {
      const row: PhaseSummary = { warp, phase, from, to, executed: 0, waited: 0, reads: 0, writes: 0, other: 0 }
      for (const segment of this.segments(warp, from, to)) {
        const length = Math.min(segment.end, to) - Math.max(segment.start, from)
        if (segment.kind === 'run') row.executed += length
        else row.waited += length
      }
      const [first, last] = this.eventRows(warp, from, to)
      for (let at = first; at < last; at++) {
        const kind = this.flat.events[at * EVENT + 2]!
        if (kind === 0 || kind === 3 || kind === 2 || kind === 5) row.reads++
        if (kind === 1 || kind === 4 || kind === 2 || kind === 5) row.writes++
        if (kind > 5) row.other++
      }
      list.push(row)
    }
    return list
  }
}

/** The barriers of a run, which can be very many. */
export class Barriers {
  readonly #flat: Uint32Array

  constructor(flat: Uint32Array) {
    this.#flat = flat
  }

  get length(): number {
    return this.#flat.length / BARRIER
  }

  at(index: number): Barrier | undefined {
    const [cta, step, id, instr] = this.#flat.subarray(index * BARRIER, (index + 1) * BARRIER)
    return instr === undefined ? undefined : { index, cta: cta!, step: step!, id: id!, instr }
  }
}

/** A timeline whose detail is not there yet. */
export const withoutDetail = (outline: TimelineOutline): FlatTimeline => ({
  ...outline, segments: new Uint32Array(0), segmentStarts: new Uint32Array(outline.warps + 1), events: new Uint32Array(0), eventStarts: new Uint32Array(outline.warps + 1),
})

const buffers = (arrays: Uint32Array[]): ArrayBuffer[] => arrays.map(({ buffer }) => buffer as ArrayBuffer)

/** The buffers of an outline, to be handed over rather than copied. */
export const outlineArrays = ({ flights, barriers, races, lines, classes, levels }: TimelineOutline): ArrayBuffer[] => buffers([flights, barriers, races, lines, classes, ...levels.map(({ words }) => words)])

/** The same of a detail. */
export const detailArrays = ({ segments, segmentStarts, events, eventStarts }: TimelineDetail): ArrayBuffer[] => buffers([segments, segmentStarts, events, eventStarts])

/** How many lanes a mask has. */
export function lanes(mask: number): number {
  let bits = mask >>> 0
  let count = 0
  for (; bits !== 0; bits &= bits - 1) count++
  return count
}

/** The lanes of a mask as a person writes them: `0–15, 20`. */
export function laneText(mask: number): string {
  const parts: string[] = []
  for (let lane = 0; lane < 32; lane++) {
    if (!((mask >>> lane) & 1)) continue
    let last = lane
    while (last < 31 && (mask >>> (last + 1)) & 1) last++
    parts.push(last === lane ? `${lane}` : `${lane}–${last}`)
    lane = last
  }
  return parts.join(', ')
}

function* rows(numbers: Uint32Array, columns: number): Generator<Uint32Array> {
  for (let at = 0; at + columns <= numbers.length; at += columns) yield numbers.subarray(at, at + columns)
}

/** The first of `count` numbers from 0 for which a condition holds that holds for all after it. */
function search(count: number, holds: (at: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

function runningMaximum(numbers: Uint32Array, columns: number, column: number, begin: number, end: number): Uint32Array {
  const found = new Uint32Array(end - begin)
  let latest = 0
  for (let row = begin; row < end; row++) {
    latest = Math.max(latest, numbers[row * columns + column]!)
    found[row - begin] = latest
  }
  return found
}
