// Paints a small made-up run before a real one is asked for. A browser compiles code well only
// after it has run for a while, and the first frames of a large run would be the ones to wait.

import { BARRIER, EVENT, SEGMENT, Timeline, type View } from './timeline'
import { Painter, type Palette, type Scene } from './timeline-paint'
import { AXIS_HEIGHT, layout } from './timeline-view'

const WARPS = 8
const STEPS = 1 << 12
/** Steps of a bin of the sum, as a power of two. */
const SHIFT = 3
const WIDTH = 1000
const ROW = 20
/** Frames of each view. */
const ROUNDS = 16

const GRAY = '#808080'
const PALETTE: Palette = { text: GRAY, soft: GRAY, line: GRAY, panel: GRAY, accent: GRAY, good: GRAY, bad: GRAY, warn: GRAY, neutral: GRAY, special: GRAY, classes: { integer: GRAY, float: GRAY, memory: GRAY, control: GRAY, together: GRAY } }

/** Everything that a run can have, over and over. */
function madeUp(): Timeline {
  const [segments, segmentStarts, events, eventStarts]: [number[], number[], number[], number[]] = [[], [0], [], [0]]
  for (let warp = 0; warp < WARPS; warp++) {
    for (let step = 0; step < STEPS; step += 8) {
      const kind = (step >> 3) & 3
      segments.push(step, step + 5, 0xffffffff, 0, 0, step + 5, step + 8, 0xffff << (step & 15), kind, 0)
      for (let at = 0; at < 8; at++) events.push(step + at, 0xffffffff, (step + at) % 9, 0)
    }
    segmentStarts.push(segments.length / SEGMENT)
    eventStarts.push(events.length / EVENT)
  }
  const bins = STEPS >> SHIFT
  const words = Uint32Array.from({ length: WARPS * bins * 4 }, (_, at) => Math.imul(at + 1, 0x9e3779b9))
  const barriers = Uint32Array.from({ length: STEPS }, (_, at) => (at % BARRIER === 1 ? at : 0))
  return new Timeline({
    side: 'optimized', warps: WARPS, warpsPerCta: WARPS, steps: STEPS, truncated: false, recorded: 0,
    segments: Uint32Array.from(segments), segmentStarts: Uint32Array.from(segmentStarts), events: Uint32Array.from(events), eventStarts: Uint32Array.from(eventStarts),
    flights: Uint32Array.of(1, 16, 64, 1, 2), barriers, races: Uint32Array.of(0, 3, 3, 0, 1, 5, 8, 0), lines: Uint32Array.of(1), classes: Uint32Array.of(0, 1, 2, 3, 4), levels: [{ shift: SHIFT, bins, words }],
  })
}

/** Goes on, frame by frame, until its frames are painted or `isWanted` says that there is something real to do. */
export function warmUp(isWanted: () => boolean): void {
  const timeline = madeUp()
  const { rows } = layout(WARPS, new Set([1]), ROW)
  const height = AXIS_HEIGHT + rows.reduce((bottom, row) => Math.max(bottom, row.top + row.height), 0)
  const context = new OffscreenCanvas(WIDTH, height).getContext('2d', { alpha: false })
  if (!context) return
  const painter = new Painter()
  const views: View[] = [{ from: 0, to: STEPS }, { from: 0, to: STEPS * 2 }, { from: 100, to: 1100 }, { from: 200, to: 300 }]
  let frame = 0
  const paint = () => {
    if (isWanted() || frame === views.length * ROUNDS) return
    const scene: Scene = {
      side: 'optimized', view: views[frame % views.length]!, scroll: 0, width: WIDTH, height, scale: 1, unfolded: [1], rowHeight: ROW, palette: PALETTE, words: { cta: '', warp: '', lane: '' },
      litLine: frame % 2 === 0 ? null : 1, cursor: null, selection: null, arrows: [], race: null, barrier: null,
    }
    painter.paint(context, timeline, rows, scene)
    frame++
    setTimeout(paint)
  }
  setTimeout(paint)
}
