// What part of a timeline is seen: rows from top to bottom, zooming and moving in time.

import type { View } from './timeline'

export const LABEL_WIDTH = 92
export const AXIS_HEIGHT = 20

/** Rows from top to bottom: a warp, or one lane of a warp that is unfolded. */
export interface Row {
  warp: number
  lane: number | null
  top: number
  height: number
}

const WARP_HEIGHT = 20
const TALLEST = 56
const LANE_HEIGHT = 9
const GAP = 3

/** How high a warp's row is where so many of them have `height` pixels: few warps use what is there. */
export function rowHeight(warps: number, height: number): number {
  return Math.max(WARP_HEIGHT, Math.min(TALLEST, Math.floor((height - AXIS_HEIGHT) / Math.max(1, warps)) - GAP))
}

/** What so many warps use at most, in pixels. */
export const mostHeight = (warps: number): number => AXIS_HEIGHT + warps * (TALLEST + GAP) + GAP

export function layout(warps: number, unfolded: ReadonlySet<number>, warpHeight = WARP_HEIGHT): { rows: Row[]; height: number } {
  const rows: Row[] = []
  let top = 0
  for (let warp = 0; warp < warps; warp++) {
    rows.push({ warp, lane: null, top, height: warpHeight })
    top += warpHeight + GAP
    if (!unfolded.has(warp)) continue
    for (let lane = 0; lane < 32; lane++) {
      rows.push({ warp, lane, top, height: LANE_HEIGHT })
      top += LANE_HEIGHT + 1
    }
    top += GAP
  }
  return { rows, height: top }
}

/** The rows that touch `from..to`. */
export function visibleRows(rows: readonly Row[], from: number, to: number): Row[] {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (rows[middle]!.top + rows[middle]!.height < from) low = middle + 1
    else high = middle
  }
  const visible: Row[] = []
  for (let at = low; at < rows.length && rows[at]!.top <= to; at++) visible.push(rows[at]!)
  return visible
}

export function rowAt(rows: readonly Row[], y: number): Row | null {
  const [row] = visibleRows(rows, y, y)
  return row && y >= row.top && y < row.top + row.height + 1 ? row : null
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

/** Shows a stretch, not shorter than can be drawn. */
export function show(from: number, to: number, steps: number): View {
  const length = Math.min(Math.max(to - from, Math.min(SHORTEST, steps)), steps)
  const middle = (from + to) / 2
  return clamp({ from: middle - length / 2, to: middle + length / 2 }, steps)
}

/** Moves as little as possible so that a step is seen. */
export function reveal(view: View, step: number, steps: number): View {
  const margin = (view.to - view.from) * 0.1
  if (step >= view.from + margin / 2 && step <= view.to - margin / 2) return view
  const by = step < view.from + margin ? step - view.from - margin : step - view.to + margin
  return clamp({ from: view.from + by, to: view.to + by }, steps)
}

function clamp(view: View, steps: number): View {
  const length = Math.min(view.to - view.from, steps)
  const from = Math.min(Math.max(view.from, 0), steps - length)
  return { from, to: from + length }
}
