// The timeline of a run as something to look at: warps as rows, logical steps as time,
// barrier phases, waits and accesses. Pure data and arithmetic; drawing is the page's.
//
// Time is logical: a warp's steps are the instructions it executes, and whoever leaves a
// barrier continues at the step of the last arrival. So a wait has a length, and barriers
// are vertical lines.

import type { FlatTimeline, WaitReport } from './protocol'

export const KINDS = ['run', 'wait_barrier', 'wait_warp', 'done', 'fault'] as const
export type Kind = (typeof KINDS)[number]
export const ACCESSES = ['read', 'write', 'atomic'] as const
export type AccessKind = (typeof ACCESSES)[number]

export interface Segment {
  warp: number
  start: number
  end: number
  mask: number
  kind: Kind
  instr: number
}

export interface Access {
  warp: number
  step: number
  mask: number
  instr: number
  kind: AccessKind
  shared: boolean
}

export interface Barrier {
  step: number
  id: number
  instr: number
}

/** A stretch between barriers that the whole launch passes. */
export interface Phase {
  from: number
  to: number
  /** What ends it; null for the last. */
  barrier: Barrier | null
}

/** What one warp did in one phase, for the table. */
export interface PhaseSummary {
  warp: number
  phase: number
  executed: number
  waited: number
  reads: number
  writes: number
}

/** The visible stretch of time. */
export interface View {
  from: number
  to: number
}

export class Timeline {
  readonly side: 'reference' | 'optimized'
  readonly warps: number
  readonly steps: number
  readonly truncated: boolean
  readonly barriers: Barrier[]
  #flat: FlatTimeline
  /** First segment of each warp, and one past the last. */
  #segmentStart: Uint32Array
  /** Accesses by warp: indices into the flat array, ascending in time. */
  #accessOrder: Uint32Array
  #accessStart: Uint32Array

  constructor(flat: FlatTimeline) {
    this.#flat = flat
    this.side = flat.side
    this.warps = flat.warps
    this.steps = Math.max(flat.steps, 1)
    this.truncated = flat.truncated
    this.barriers = []
    for (let at = 0; at < flat.barriers.length; at += 3) {
      this.barriers.push({ step: flat.barriers[at]!, id: flat.barriers[at + 1]!, instr: flat.barriers[at + 2]! })
    }
    this.barriers.sort((a, b) => a.step - b.step)
    this.#segmentStart = groupStarts(flat.segments, 6, flat.warps)
    this.#accessStart = groupStarts(flat.accesses, 6, flat.warps)
    // Counting sort by warp; the engine lists accesses in order of execution.
    const next = this.#accessStart.slice()
    this.#accessOrder = new Uint32Array(flat.accesses.length / 6)
    for (let at = 0; at < this.#accessOrder.length; at++) this.#accessOrder[next[flat.accesses[at * 6]!]!++] = at
  }

  segment(index: number): Segment {
    const row = this.#flat.segments.subarray(index * 6, index * 6 + 6)
    return { warp: row[0]!, start: row[1]!, end: row[2]!, mask: row[3]!, kind: KINDS[row[4]!] ?? 'run', instr: row[5]! }
  }

  /** The segments of a warp that touch `from..to`, in order of their start. */
  *segments(warp: number, from = 0, to = Infinity): Generator<Segment> {
    const [begin, end] = [this.#segmentStart[warp] ?? 0, this.#segmentStart[warp + 1] ?? 0]
    for (let at = begin; at < end; at++) {
      if (this.#flat.segments[at * 6 + 1]! >= to) return
      if (this.#flat.segments[at * 6 + 2]! > from) yield this.segment(at)
    }
  }

  /** The accesses of a warp in `from..to`, ascending in time. */
  *accesses(warp: number, from = 0, to = Infinity): Generator<Access> {
    const [begin, end] = [this.#accessStart[warp] ?? 0, this.#accessStart[warp + 1] ?? 0]
    const stepAt = (at: number) => this.#flat.accesses[this.#accessOrder[at]! * 6 + 1]!
    let low = begin
    let high = end
    while (low < high) {
      const middle = (low + high) >> 1
      if (stepAt(middle) < from) low = middle + 1
      else high = middle
    }
    for (let at = low; at < end && stepAt(at) < to; at++) {
      const row = this.#flat.accesses.subarray(this.#accessOrder[at]! * 6, this.#accessOrder[at]! * 6 + 6)
      yield { warp: row[0]!, step: row[1]!, mask: row[2]!, instr: row[3]!, kind: ACCESSES[row[4]!] ?? 'read', shared: row[5] === 1 }
    }
  }

  /** The first access of a thread at an instruction. */
  findAccess(warp: number, lane: number, instr: number): Access | null {
    for (const access of this.accesses(warp)) if (access.instr === instr && (access.mask >>> lane) & 1) return access
    return null
  }

  /** Byte range of an instruction in the PTX; null for one that the text does not have. */
  span(instr: number): [number, number] | null {
    const start = this.#flat.instructions[instr * 2]
    const end = this.#flat.instructions[instr * 2 + 1]
    return start === undefined || end === undefined ? null : [start, end]
  }

  phases(): Phase[] {
    const phases: Phase[] = []
    let from = 0
    for (const barrier of this.barriers) {
      if (barrier.step <= from && phases.length > 0) continue
      phases.push({ from, to: barrier.step, barrier })
      from = barrier.step
    }
    phases.push({ from, to: this.steps, barrier: null })
    return phases
  }

  /** The whole timeline in words and numbers, for those who cannot see the drawing. */
  summary(): PhaseSummary[] {
    const phases = this.phases()
    const rows: PhaseSummary[] = []
    for (let warp = 0; warp < this.warps; warp++) {
      phases.forEach(({ from, to }, phase) => {
        const row: PhaseSummary = { warp, phase, executed: 0, waited: 0, reads: 0, writes: 0 }
        for (const segment of this.segments(warp, from, to)) {
          const length = Math.min(segment.end, to) - Math.max(segment.start, from)
          if (segment.kind === 'run') row.executed += length
          else if (segment.kind === 'wait_barrier' || segment.kind === 'wait_warp') row.waited += length
        }
        for (const access of this.accesses(warp, from, to)) {
          if (access.kind !== 'write') row.reads++
          if (access.kind !== 'read') row.writes++
        }
        rows.push(row)
      })
    }
    return rows
  }
}

/** The timeline of a run that got stuck: who waits for ever is shown waiting to the end. */
export function withEndlessWaits(flat: FlatTimeline, waits: Pick<WaitReport, 'threads' | 'instr'>[]): FlatTimeline {
  if (waits.length === 0) return flat
  const steps = flat.steps + Math.max(3, Math.ceil(flat.steps / 8))
  const rows: number[][] = []
  for (let at = 0; at < flat.segments.length; at += 6) rows.push([...flat.segments.subarray(at, at + 6)])
  for (const { threads, instr } of waits) {
    const masks = new Map<number, number>()
    for (const thread of threads) masks.set(thread >>> 5, ((masks.get(thread >>> 5) ?? 0) | (1 << (thread & 31))) >>> 0)
    for (const [warp, mask] of masks) {
      const start = rows.reduce((latest, row) => (row[0] === warp && (row[3]! & mask) !== 0 ? Math.max(latest, row[2]!) : latest), 0)
      rows.push([warp, start, steps, mask, KINDS.indexOf('wait_barrier'), instr])
    }
  }
  rows.sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!)
  return { ...flat, steps, segments: Uint32Array.from(rows.flat()) }
}

/** First row of each group when rows are counted by their first column; ends with the total. */
function groupStarts(rows: Uint32Array, columns: number, groups: number): Uint32Array {
  const starts = new Uint32Array(groups + 1)
  for (let at = 0; at < rows.length; at += columns) {
    const group = rows[at]!
    if (group < groups) starts[group + 1]!++
  }
  for (let group = 0; group < groups; group++) starts[group + 1]! += starts[group]!
  return starts
}

/** Rows from top to bottom: a warp, or one lane of a warp that is unfolded. */
export interface Row {
  warp: number
  lane: number | null
  top: number
  height: number
}

const WARP_HEIGHT = 20
const LANE_HEIGHT = 8
const GAP = 3

export function layout(warps: number, unfolded: ReadonlySet<number>): { rows: Row[]; height: number } {
  const rows: Row[] = []
  let top = 0
  for (let warp = 0; warp < warps; warp++) {
    rows.push({ warp, lane: null, top, height: WARP_HEIGHT })
    top += WARP_HEIGHT + GAP
    if (!unfolded.has(warp)) continue
    for (let lane = 0; lane < 32; lane++) {
      rows.push({ warp, lane, top, height: LANE_HEIGHT })
      top += LANE_HEIGHT + 1
    }
    top += GAP
  }
  return { rows, height: top }
}

export function rowAt(rows: Row[], y: number): Row | null {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    const row = rows[middle]!
    if (y < row.top) high = middle
    else if (y >= row.top + row.height + 1) low = middle + 1
    else return row
  }
  return null
}

const SHORTEST = 4

/** Zooms by `factor` (> 1: closer) around a fixed point in time. */
export function zoom(view: View, at: number, factor: number, steps: number): View {
  const length = Math.min(Math.max((view.to - view.from) / factor, Math.min(SHORTEST, steps)), steps)
  const share = (at - view.from) / (view.to - view.from)
  return clamp({ from: at - share * length, to: at + (1 - share) * length }, steps)
}

/** Moves by a share of the visible stretch. */
export function pan(view: View, share: number, steps: number): View {
  const by = (view.to - view.from) * share
  return clamp({ from: view.from + by, to: view.to + by }, steps)
}

function clamp(view: View, steps: number): View {
  const length = Math.min(view.to - view.from, steps)
  const from = Math.min(Math.max(view.from, 0), steps - length)
  return { from, to: from + length }
}

/** How many lanes a mask has. */
export function lanes(mask: number): number {
  let bits = mask >>> 0
  let count = 0
  for (; bits !== 0; bits &= bits - 1) count++
  return count
}
