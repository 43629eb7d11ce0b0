import { describe, expect, test } from 'vitest'
import type { FlatTimeline } from '../../src/core/protocol'
import { lanes, layout, pan, rowAt, Timeline, withEndlessWaits, zoom } from '../../src/core/timeline'

const RUN = 0
const WAIT = 1
const DONE = 3

/** Two warps, one barrier: warp 1 arrives at step 6, warp 0 waits for it from step 4. */
const flat: FlatTimeline = {
  side: 'optimized',
  warps: 2,
  steps: 12,
  truncated: false,
  segments: Uint32Array.from([
    [0, 0, 4, 0xffffffff, RUN, 0],
    [0, 4, 6, 0xffffffff, WAIT, 4],
    [0, 6, 12, 0xffffffff, RUN, 5],
    [1, 0, 3, 0x0000ffff, RUN, 0],
    [1, 3, 6, 0xffff0000, RUN, 0],
    [1, 6, 10, 0xffffffff, RUN, 5],
    [1, 10, 12, 0xffffffff, DONE, 9],
  ].flat()),
  barriers: Uint32Array.from([6, 0, 4]),
  accesses: Uint32Array.from([
    [1, 2, 0x0000ffff, 2, 1, 1],
    [0, 3, 0xffffffff, 3, 1, 1],
    [0, 7, 0xffffffff, 6, 0, 1],
    [1, 8, 0xffffffff, 7, 2, 0],
  ].flat()),
  instructions: Uint32Array.from([0, 5, 6, 11, 12, 20]),
}
const timeline = new Timeline(flat)

describe('timeline', () => {
  test('finds the segments of a warp in a stretch of time', () => {
    expect([...timeline.segments(0, 5, 7)].map(({ start, end, kind }) => [start, end, kind])).toEqual([
      [4, 6, 'wait_barrier'],
      [6, 12, 'run'],
    ])
    expect([...timeline.segments(1)]).toHaveLength(4)
  })

  test('keeps masks unsigned, so that lane 31 counts', () => {
    const upper = [...timeline.segments(1, 3, 4)][0]!
    expect(upper.mask).toBe(0xffff0000)
    expect(lanes(upper.mask)).toBe(16)
    expect(lanes(0xffffffff)).toBe(32)
  })

  test('lists accesses by warp in order of time', () => {
    expect([...timeline.accesses(0)].map(({ step, kind }) => [step, kind])).toEqual([[3, 'write'], [7, 'read']])
    expect([...timeline.accesses(1, 3)].map(({ step, shared }) => [step, shared])).toEqual([[8, false]])
  })

  test('finds the access of one thread', () => {
    expect(timeline.findAccess(1, 3, 2)?.step).toBe(2)
    expect(timeline.findAccess(1, 20, 2)).toBeNull()
  })

  test('splits time at barriers', () => {
    expect(timeline.phases()).toEqual([
      { from: 0, to: 6, barrier: { step: 6, id: 0, instr: 4 } },
      { from: 6, to: 12, barrier: null },
    ])
  })

  test('sums each warp and phase up', () => {
    expect(timeline.summary()).toEqual([
      { warp: 0, phase: 0, executed: 4, waited: 2, reads: 0, writes: 1 },
      { warp: 0, phase: 1, executed: 6, waited: 0, reads: 1, writes: 0 },
      { warp: 1, phase: 0, executed: 6, waited: 0, reads: 0, writes: 1 },
      { warp: 1, phase: 1, executed: 4, waited: 0, reads: 1, writes: 1 },
    ])
  })

  test('knows where instructions stand in the text', () => {
    expect(timeline.span(1)).toEqual([6, 11])
    expect(timeline.span(99)).toBeNull()
  })

  test('shows who waits for ever until the end', () => {
    const stuck = new Timeline(withEndlessWaits(flat, [{ threads: [0, 1, 31], instr: 7 }]))
    expect(stuck.steps).toBeGreaterThan(flat.steps)
    const last = [...stuck.segments(0)].at(-1)!
    expect(last).toEqual({ warp: 0, start: 12, end: stuck.steps, mask: 0x80000003, kind: 'wait_barrier', instr: 7 })
    expect([...stuck.segments(1)]).toHaveLength(4)
    expect(withEndlessWaits(flat, [])).toBe(flat)
  })

  test('of a launch without events is empty, not broken', () => {
    const none = new Uint32Array()
    const empty = new Timeline({ ...flat, warps: 0, steps: 0, segments: none, barriers: none, accesses: none, instructions: none })
    expect(empty.summary()).toEqual([])
    expect(empty.phases()).toHaveLength(1)
  })
})

describe('rows', () => {
  test('unfold into 32 lanes', () => {
    const folded = layout(4, new Set())
    const unfolded = layout(4, new Set([1]))
    expect(folded.rows).toHaveLength(4)
    expect(unfolded.rows).toHaveLength(36)
    expect(unfolded.height).toBeGreaterThan(folded.height)
  })

  test('are found by height', () => {
    const { rows, height } = layout(4, new Set([1]))
    for (const row of rows) expect(rowAt(rows, row.top + row.height / 2)).toBe(row)
    expect(rowAt(rows, height + 50)).toBeNull()
  })
})

describe('the view', () => {
  test('zooms around a fixed point', () => {
    const view = zoom({ from: 0, to: 100 }, 25, 2, 100)
    expect(view).toEqual({ from: 12.5, to: 62.5 })
  })

  test('never leaves the run', () => {
    expect(zoom({ from: 0, to: 100 }, 10, 0.1, 100)).toEqual({ from: 0, to: 100 })
    expect(pan({ from: 80, to: 100 }, 5, 100)).toEqual({ from: 80, to: 100 })
    expect(pan({ from: 5, to: 25 }, -5, 100)).toEqual({ from: 0, to: 20 })
    const close = zoom({ from: 0, to: 100 }, 50, 1e9, 100)
    expect(close.to - close.from).toBe(4)
  })
})
