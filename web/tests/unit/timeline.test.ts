import { describe, expect, test } from 'vitest'
import type { FlatTimeline } from '../../src/core/protocol'
import { laneText, lanes, Timeline } from '../../src/core/timeline'
import { columnsFor, sumUp } from '../../src/core/timeline-raster'
import { layout, pan, reveal, rowAt, show, visibleRows, zoom } from '../../src/core/timeline-view'

const [RUN, WAIT, STUCK] = [0, 1, 3]
const rows = (...lists: number[][]) => Uint32Array.from(lists.flat())

/** Two warps, one barrier: warp 1 arrives at step 6, warp 0 waits for it from step 4; lanes 16–31 of warp 1 get stuck. */
const flat: FlatTimeline = {
  side: 'optimized',
  warps: 2,
  warpsPerCta: 2,
  steps: 12,
  truncated: false,
  recorded: 12,
  segments: rows(
    [0, 4, 0xffffffff, RUN, 0],
    [4, 6, 0xffffffff, WAIT, 3],
    [6, 12, 0xffffffff, RUN, 4],
    [0, 3, 0x0000ffff, RUN, 0],
    [0, 12, 0xffff0000, STUCK, 3],
    [3, 6, 0x0000ffff, RUN, 0],
    [6, 10, 0x0000ffff, RUN, 4],
  ),
  segmentStarts: rows([0, 3, 7]),
  events: rows(
    [3, 0xffffffff, 1, 3],
    [7, 0xffffffff, 0, 5],
    [2, 0x0000ffff, 1, 2],
    [8, 0x0000ffff, 5, 6],
    [9, 0x0000ffff, 7, 7],
  ),
  eventStarts: rows([0, 2, 5]),
  flights: rows([1, 2, 6, 1, 2]),
  barriers: rows([0, 6, 0, 3]),
  races: rows([0, 3, 3, 3, 1, 5, 8, 6]),
  lines: rows([10, 11, 11, 12, 13, 14, 15, 16]),
  classes: rows([0, 1, 1, 4, 0, 2, 2, 4]),
  levels: [],
}
const timeline = new Timeline(flat)

describe('timeline', () => {
  test('finds the segments of a warp in a stretch of time', () => {
    expect([...timeline.segments(0, 5, 7)].map(({ start, end, kind }) => [start, end, kind])).toEqual([
      [4, 6, 'wait_barrier'],
      [6, 12, 'run'],
    ])
    // A long wait is found from anywhere within it.
    expect([...timeline.segments(1, 11, 12)].map(({ kind }) => kind)).toEqual(['stuck'])
  })

  test('knows the instruction and its line at every step', () => {
    expect(timeline.at(0, null, 2)).toMatchObject({ instr: 2, line: 11, segment: { kind: 'run' } })
    expect(timeline.at(0, null, 5)).toMatchObject({ instr: 3, line: 12, segment: { kind: 'wait_barrier' } })
    expect(timeline.at(0, null, 7)).toMatchObject({ instr: 5, line: 14, events: [{ kind: 'shared_read' }] })
    expect(timeline.at(1, 20, 8)).toMatchObject({ segment: { kind: 'stuck' }, events: [] })
    expect(timeline.at(1, null, 8)).toMatchObject({ segment: { kind: 'run' }, events: [{ kind: 'global_atomic' }] })
  })

  test('finds where a line executes, and who waits at it', () => {
    expect([...timeline.instructionsOn(11)]).toEqual([1, 2])
    expect([...timeline.standing(0, new Set([1, 2]))]).toEqual([1, 2, 0xffffffff, 2, 3, 0xffffffff])
    expect([...timeline.standing(0, new Set([3]))]).toEqual([3, 4, 0xffffffff, 4, 6, 0xffffffff])
  })

  test('keeps masks unsigned, so that lane 31 counts', () => {
    expect([...timeline.segments(1, 11, 12)][0]!.mask).toBe(0xffff0000)
    expect(lanes(0xffff0000)).toBe(16)
    expect(laneText(0x8001000f)).toBe('0–3, 16, 31')
  })

  test('knows both ends of a race and the copies in flight', () => {
    expect(timeline.races).toEqual([{ first: { warp: 0, lane: 3, step: 3, instr: 3 }, second: { warp: 1, lane: 5, step: 8, instr: 6 } }])
    expect(timeline.flights[1]).toEqual([{ warp: 1, start: 2, end: 6, mask: 1 }])
  })

  test('sums up every warp and phase, for the table', () => {
    const whole = { from: 0, to: 12 }
    expect(timeline.summary(whole, 100).map(({ warp, phase, executed, waited, reads, writes, other }) => [warp, phase, executed, waited, reads, writes, other])).toEqual([
      [0, 1, 4, 2, 0, 1, 0],
      [0, 2, 6, 0, 1, 0, 0],
      [1, 1, 6, 6, 0, 1, 0],
      [1, 2, 4, 6, 1, 1, 1],
    ])
    expect(timeline.summary(whole, 2)).toMatchObject([{ warp: 0, phase: 0, executed: 10 }, { warp: 1, phase: 0, executed: 10 }])
    expect(timeline.summary({ from: 7, to: 9 }, 100).map(({ phase }) => phase)).toEqual([2, 2])
  })
})

describe('pixels', () => {
  test('a column says who ran, who waited, and how much', () => {
    const columns = columnsFor(6)
    sumUp(timeline, 0, { from: 0, to: 12 }, 6, columns)
    expect([...columns.shares[0]].map(Math.round)).toEqual([255, 255, 0, 255, 255, 255])
    expect([...columns.shares[1]].map(Math.round)).toEqual([0, 0, 255, 0, 0, 0])
    expect([...columns.writes]).toEqual([0, 1, 0, 0, 0, 0])
    expect([...columns.reads]).toEqual([0, 0, 0, 1, 0, 0])
  })

  test('a level stands for the recording where its bins fit into pixels', () => {
    // Two bins of 8 steps a warp: warp 1 ran with its lower half, and its upper half is stuck.
    const words = rows([0, 0, 0, 0], [0, 0, 0, 0], [0xffff, 0xffff0000, 128 | (128 << 24), 1 << 8], [0xffff, 0xffff0000, (128 << 24) | 32, 1 | (1 << 24)])
    const columns = columnsFor(1)
    sumUp(new Timeline({ ...flat, levels: [{ shift: 3, bins: 2, words }] }), 1, { from: 0, to: 12 }, 1, columns)
    expect(columns.ran[0]).toBe(0xffff)
    expect(columns.waited[0]).toBe(0xffff0000)
    expect([columns.shares[0][0], columns.shares[3][0], columns.reads[0], columns.writes[0], columns.flags[0]]).toEqual([80, 128, 1, 1, 1])
  })
})

describe('view', () => {
  test('unfolding a warp gives its lanes rows below it', () => {
    const { rows, height } = layout(3, new Set([1]))
    expect(rows).toHaveLength(3 + 32)
    expect(rowAt(rows, rows[1]!.top + 2)).toMatchObject({ warp: 1, lane: null })
    expect(rowAt(rows, rows[2]!.top + 1)).toMatchObject({ warp: 1, lane: 0 })
    expect(rows[34]!.top + rows[34]!.height).toBeLessThanOrEqual(height)
    expect(rowAt(rows, height + 50)).toBeNull()
    expect(visibleRows(rows, rows[2]!.top, rows[4]!.top).map(({ lane }) => lane)).toContain(1)
  })

  test('zooming keeps the point under the mouse and ends at four steps', () => {
    const near = zoom({ from: 0, to: 100 }, 25, 2, 100)
    expect(near).toEqual({ from: 12.5, to: 62.5 })
    expect(zoom(near, 25, 0.01, 100)).toEqual({ from: 0, to: 100 })
    const deep = zoom(near, 25, 1000, 100)
    expect(deep.to - deep.from).toBe(4)
  })

  test('moving stops at the ends', () => {
    expect(pan({ from: 10, to: 20 }, -5, 100)).toEqual({ from: 0, to: 10 })
    expect(pan({ from: 10, to: 20 }, 50, 100)).toEqual({ from: 90, to: 100 })
    expect(show(98, 99, 100)).toEqual({ from: 96, to: 100 })
    expect(reveal({ from: 10, to: 20 }, 15, 100)).toEqual({ from: 10, to: 20 })
    expect(reveal({ from: 10, to: 20 }, 40, 100)).toEqual({ from: 31, to: 41 })
  })
})
