// Paints one frame of a timeline. What is dense is painted as pixels (timeline-raster.ts); what
// is sparse, or close, is drawn over it: barriers, single events, races, who waits for whom.

import { BARRIER, CLASSES, lanes, SEGMENT, type EventKind, type InstructionClass, type RaceEnd, type Timeline, type View } from './timeline'
import { columnsFor, paintRow, sumUp, type Columns, type Ink } from './timeline-raster'
import { AXIS_HEIGHT, LABEL_WIDTH, visibleRows, type Row } from './timeline-view'

/** CSS colors, of the page's theme. */
export interface Palette {
  text: string
  soft: string
  line: string
  panel: string
  accent: string
  good: string
  bad: string
  warn: string
  neutral: string
  special: string
  classes: Record<InstructionClass, string>
}

/** Threads of one warp that wait for threads of another. */
export interface WaitArrow {
  from: number
  to: number
}

/** A frame: what to show, and how. Sizes are CSS pixels. */
export interface Scene {
  side: Timeline['side']
  view: View
  scroll: number
  width: number
  height: number
  scale: number
  unfolded: number[]
  /** Of a warp. */
  rowHeight: number
  palette: Palette
  /** What rows are called. */
  words: { cta: string; warp: string; lane: string }
  /** Line of the PTX whose executions stand out; null for none. */
  litLine: number | null
  /** The keyboard's or mouse's place; null for none. */
  cursor: { warp: number; lane: number | null; step: number } | null
  /** Steps that are being selected; null for none. */
  selection: View | null
  arrows: WaitArrow[]
  /** Number of the race whose arc stands out; null for none. */
  race: number | null
  /** Number of a barrier's release that stands out; null for none. */
  barrier: number | null
}

type Context = OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D

/** Steps this wide show single events. */
const CLOSE = 6
/** Steps this wide, in pixels, show what their instructions are for. */
const CLASSED = 1
/** Barriers closer than this many pixels are thinned out, and pale. */
const DENSE = 6
/** Arcs and arrows drawn at most. */
const ARCS = 32

export class Painter {
  #columns: Columns = columnsFor(0)
  #image: ImageData | null = null
  #inks = new Map<string, Ink>()
  /** Where the lit line executes, by warp; of one line at a time. */
  #lit: { timeline: Timeline; line: number; instrs: Set<number>; byWarp: Map<number, Uint32Array> } | null = null

  paint(context: Context, timeline: Timeline, rows: readonly Row[], scene: Scene): void {
    const { view, width, height, scale, scroll, palette } = scene
    const visible = visibleRows(rows, scroll, scroll + height - AXIS_HEIGHT)
    context.setTransform(1, 0, 0, 1, 0, 0)
    this.#raster(context, timeline, visible, scene)
    context.setTransform(scale, 0, 0, scale, 0, 0)
    const plot = width - LABEL_WIDTH
    const x = (step: number) => LABEL_WIDTH + ((step - view.from) / (view.to - view.from)) * plot
    const perStep = plot / (view.to - view.from)

    context.save()
    context.beginPath()
    context.rect(LABEL_WIDTH, AXIS_HEIGHT - 5, plot, height)
    context.clip()
    if (perStep >= CLASSED) drawClasses(context, timeline, visible, scene, x)
    this.#light(context, timeline, visible, scene, x)
    drawBarriers(context, timeline, visible, scene, x)
    if (perStep >= CLOSE) drawEvents(context, timeline, visible, scene, x, perStep)
    const y = (warp: number, lane: number | null) => {
      const row = (lane === null ? undefined : find(rows, warp, lane)) ?? find(rows, warp, null)
      return AXIS_HEIGHT + (row ? row.top + row.height / 2 : 0) - scroll
    }
    timeline.races.slice(0, ARCS).forEach(({ first, second }, number) => {
      // One race stands out; many at once say nothing.
      context.globalAlpha = number === scene.race ? 1 : 0.22
      if (number !== scene.race) drawArc(context, first, second, x, y, 1.2, palette)
    })
    context.globalAlpha = 1
    const race = scene.race === null ? undefined : timeline.races[scene.race]
    if (race) drawArc(context, race.first, race.second, x, y, 2.5, palette)
    scene.arrows.slice(0, ARCS).forEach((arrow, at) => drawWait(context, x(timeline.steps) - 14 - (at % 6) * 13, y(arrow.from, null), y(arrow.to, null), palette))
    if (scene.selection) {
      const [left, right] = [x(scene.selection.from), x(scene.selection.to)]
      context.fillStyle = palette.accent
      context.globalAlpha = 0.16
      context.fillRect(left, 0, right - left, height)
      context.globalAlpha = 1
      for (const at of [left, right]) context.fillRect(at - 0.5, 0, 1, height)
    }
    if (scene.cursor) {
      const row = find(rows, scene.cursor.warp, scene.cursor.lane)
      context.strokeStyle = palette.text
      context.lineWidth = 1
      if (row) context.strokeRect(x(scene.cursor.step), AXIS_HEIGHT + row.top - scroll, Math.max(perStep, 2), row.height)
    }
    context.restore()
    drawLabels(context, timeline, visible, scene)
    drawAxis(context, scene, x)
  }

  #raster(context: Context, timeline: Timeline, visible: readonly Row[], { view, width, height, scale, scroll, palette }: Scene): void {
    const [wide, high] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
    if (this.#image?.width !== wide || this.#image.height !== high) this.#image = new ImageData(wide, high)
    const pixels = new Uint32Array(this.#image.data.buffer)
    const ink = this.#ink(context, palette)
    pixels.fill(ink.panel)
    const left = Math.round(LABEL_WIDTH * scale)
    const plot = wide - left
    if (plot > 0) {
      if (this.#columns.ran.length !== plot) this.#columns = columnsFor(plot)
      const dots = plot / scale / (view.to - view.from) < CLOSE
      let summed = -1
      for (const row of visible) {
        if (row.warp !== summed) sumUp(timeline, row.warp, view, plot, this.#columns)
        summed = row.warp
        const top = Math.round((AXIS_HEIGHT + row.top - scroll) * scale)
        paintRow(pixels, wide, this.#columns, row.lane, left, plot, top, Math.round(row.height * scale), high, ink, dots)
      }
    }
    context.putImageData(this.#image, 0, 0)
  }

  #light(context: Context, timeline: Timeline, visible: readonly Row[], { litLine, view, scroll, palette }: Scene, x: (step: number) => number): void {
    if (litLine === null) return
    if (this.#lit?.line !== litLine || this.#lit.timeline !== timeline) {
      this.#lit = { timeline, line: litLine, instrs: timeline.instructionsOn(litLine), byWarp: new Map() }
    }
    const { instrs, byWarp } = this.#lit
    if (instrs.size === 0) return
    context.fillStyle = palette.special
    for (const row of visible) {
      let found = byWarp.get(row.warp)
      if (!found) byWarp.set(row.warp, (found = timeline.standing(row.warp, instrs)))
      let drawnTo = -Infinity
      for (let at = 0; at < found.length; at += 3) {
        const [start, end, mask] = [found[at]!, found[at + 1]!, found[at + 2]!]
        if (end <= view.from || start >= view.to || (row.lane !== null && !((mask >>> row.lane) & 1))) continue
        const [left, right] = [x(start), Math.max(x(end), x(start) + 1)]
        if (right <= drawnTo + 0.5) continue
        const share = row.lane === null ? lanes(mask) / 32 : 1
        const top = AXIS_HEIGHT + row.top - scroll
        const [from, length] = [Math.max(left, drawnTo), right - Math.max(left, drawnTo)]
        // Over it all, but thin enough that what lies below still shows.
        context.globalAlpha = 0.45
        context.fillRect(from, top + row.height * (1 - share), length, row.height * share)
        context.globalAlpha = 1
        context.fillRect(from, top + row.height - Math.min(5, row.height / 3), length, Math.min(5, row.height / 3))
        drawnTo = right
      }
    }
  }

  /** Colors of the theme as pixels, mixed with what is behind them. */
  #ink(context: Context, palette: Palette): Ink {
    const key = JSON.stringify(palette)
    const known = this.#inks.get(key)
    if (known) return known
    const panel = channels(context, palette.panel)
    const mix = (color: string, share: number) => {
      const [r, g, b] = channels(context, color)!.map((channel, at) => Math.round(channel * share + panel[at]! * (1 - share)))
      return (0xff000000 | (b! << 16) | (g! << 8) | r!) >>> 0
    }
    const ink: Ink = {
      panel: mix(palette.panel, 1),
      run: mix(palette.accent, 0.72), runPale: mix(palette.accent, 0.22),
      wait: mix(palette.warn, 0.85), waitPale: mix(palette.warn, 0.13), warp: mix(palette.soft, 0.8),
      stuck: mix(palette.bad, 0.9), stuckPale: mix(palette.bad, 0.16),
      read: mix(palette.soft, 1), write: mix(palette.text, 1), copy: mix(palette.good, 0.9), fault: mix(palette.bad, 1),
    }
    this.#inks.set(key, ink)
    return ink
  }
}

/** Red, green and blue of a CSS color: the canvas understands every notation. */
function channels(context: Context, color: string): [number, number, number] {
  context.fillStyle = '#000'
  context.fillStyle = color
  const text = String(context.fillStyle)
  if (/^#[0-9a-f]{6}$/i.test(text)) return [parseInt(text.slice(1, 3), 16), parseInt(text.slice(3, 5), 16), parseInt(text.slice(5, 7), 16)]
  const numbers = text.match(/[\d.]+/g)?.map(Number) ?? []
  return [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0]
}

function find(rows: readonly Row[], warp: number, lane: number | null): Row | undefined {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (rows[middle]!.warp < warp) low = middle + 1
    else high = middle
  }
  const row = rows[lane === null ? low : low + 1 + lane]
  return row?.warp === warp && row.lane === lane ? row : undefined
}

/** What executes, in the colors of what instructions are for; stretches of one color are drawn at once. */
function drawClasses(context: Context, timeline: Timeline, visible: readonly Row[], { view, scroll, palette }: Scene, x: (step: number) => number): void {
  const { classes, segments } = timeline.flat
  const paths = CLASSES.map(() => new Path2D())
  for (const row of visible) {
    const [first, last] = timeline.segmentRows(row.warp, view.from, view.to)
    for (let at = first * SEGMENT; at < last * SEGMENT; at += SEGMENT) {
      const [start, end, mask, kind, instr] = [segments[at]!, segments[at + 1]!, segments[at + 2]!, segments[at + 3]!, segments[at + 4]!]
      if (kind !== 0 || (row.lane !== null && !((mask >>> row.lane) & 1))) continue
      const height = row.lane === null ? Math.max(1, Math.round((lanes(mask) * row.height) / 32)) : row.height
      const top = AXIS_HEIGHT + row.top - scroll + row.height - height
      const to = Math.min(end, Math.ceil(view.to))
      for (let from = Math.max(start, Math.floor(view.from)); from < to; ) {
        const of = classes[instr + from - start] ?? 0
        let until = from + 1
        while (until < to && (classes[instr + until - start] ?? 0) === of) until++
        paths[of]?.rect(x(from), top, x(until) - x(from), height)
        from = until
      }
    }
  }
  paths.forEach((path, at) => {
    context.fillStyle = palette.classes[CLASSES[at]!]
    context.fill(path)
  })
}

function drawBarriers(context: Context, timeline: Timeline, visible: readonly Row[], { view, scroll, palette, height, barrier }: Scene, x: (step: number) => number): void {
  context.fillStyle = palette.good
  const { barriers } = timeline.flat
  const byCta = new Map<number, { top: number; bottom: number; last: number }>()
  for (const row of visible) {
    const cta = timeline.cta(row.warp)
    const extent = byCta.get(cta)
    if (extent) extent.bottom = Math.max(extent.bottom, row.top + row.height)
    else byCta.set(cta, { top: row.top, bottom: row.top + row.height, last: -Infinity })
  }
  let inView = 0
  for (let at = 0; at < barriers.length; at += BARRIER) {
    const step = barriers[at + 1]!
    if (step >= view.from && step <= view.to && byCta.has(barriers[at]!)) inView++
  }
  const dense = inView * DENSE > (x(view.to) - x(view.from)) * byCta.size
  const apart = (DENSE * (view.to - view.from)) / (x(view.to) - x(view.from))
  for (let at = 0; at < barriers.length; at += BARRIER) {
    const step = barriers[at + 1]!
    if (step < view.from || step > view.to) continue
    const extent = byCta.get(barriers[at]!)
    if (!extent) continue
    const chosen = at / BARRIER === barrier
    // Denser than this they would hide what lies between them.
    if (step - extent.last < apart && !chosen) continue
    extent.last = step
    const top = Math.max(AXIS_HEIGHT - 5, AXIS_HEIGHT + extent.top - scroll - 3)
    const thick = chosen ? 4 : 1.5
    context.globalAlpha = dense && !chosen ? 0.3 : 1
    context.fillRect(Math.round(x(step)) - thick / 2, top, thick, Math.min(height, AXIS_HEIGHT + extent.bottom - scroll + 3) - top)
  }
  context.globalAlpha = 1
}

/** Reads are circles, writes squares, atomics diamonds, global ones hollow; copies are arrows, collectives bars. */
function drawEvents(context: Context, timeline: Timeline, visible: readonly Row[], { view, scroll, palette }: Scene, x: (step: number) => number, perStep: number): void {
  context.lineWidth = 1.2
  const kinds: { fits: (kind: EventKind) => boolean; hollow: boolean; color: string }[] = [
    { fits: kind => kind.startsWith('shared'), hollow: false, color: palette.text },
    { fits: kind => kind.startsWith('global'), hollow: true, color: palette.text },
    { fits: kind => kind === 'copy', hollow: false, color: palette.good },
    { fits: kind => kind === 'collective', hollow: false, color: palette.special },
    { fits: kind => kind === 'fault', hollow: true, color: palette.bad },
  ]
  const paths = kinds.map(() => new Path2D())
  for (const row of visible) {
    const r = Math.max(1.5, Math.min(perStep * 0.34, row.height * 0.27))
    const cy = AXIS_HEIGHT + row.top - scroll + row.height / 2
    const [first, last] = timeline.eventRows(row.warp, Math.floor(view.from), view.to)
    for (let at = first; at < last; at++) {
      const { kind, mask, step } = timeline.event(at)
      if (row.lane !== null && !((mask >>> row.lane) & 1)) continue
      const path = paths[kinds.findIndex(({ fits }) => fits(kind))]
      if (path) shape(path, kind, x(step + 0.5), cy, r)
    }
  }
  paths.forEach((path, at) => {
    const { hollow, color } = kinds[at]!
    context.fillStyle = context.strokeStyle = color
    if (hollow) context.stroke(path)
    else context.fill(path)
  })
}

function shape(path: Path2D, kind: EventKind, x: number, y: number, r: number): void {
  if (kind === 'shared_read' || kind === 'global_read') {
    path.moveTo(x + r, y)
    path.arc(x, y, r, 0, Math.PI * 2)
  } else if (kind === 'shared_write' || kind === 'global_write') path.rect(x - r, y - r, 2 * r, 2 * r)
  else if (kind === 'collective') path.rect(x - r / 3, y - r * 1.5, (2 * r) / 3, r * 3)
  else if (kind === 'fault') {
    path.moveTo(x - r, y - r)
    path.lineTo(x + r, y + r)
    path.moveTo(x + r, y - r)
    path.lineTo(x - r, y + r)
  } else if (kind === 'copy') {
    path.moveTo(x - r, y - r)
    path.lineTo(x + r, y)
    path.lineTo(x - r, y + r)
    path.closePath()
  } else {
    path.moveTo(x, y - r * 1.3)
    path.lineTo(x + r * 1.3, y)
    path.lineTo(x, y + r * 1.3)
    path.lineTo(x - r * 1.3, y)
    path.closePath()
  }
}

function drawArc(context: Context, first: RaceEnd, second: RaceEnd, x: (step: number) => number, y: (warp: number, lane: number | null) => number, width: number, palette: Palette): void {
  const [x1, y1, x2, y2] = [x(first.step + 0.5), y(first.warp, first.lane), x(second.step + 0.5), y(second.warp, second.lane)]
  context.strokeStyle = palette.bad
  context.lineWidth = width
  context.beginPath()
  context.moveTo(x1, y1)
  const level = Math.abs(y1 - y2) < 8
  const [aside, down] = level ? [0, Math.min(70, Math.max(26, Math.abs(x2 - x1) / 4))] : [36, 0]
  context.bezierCurveTo(x1 + aside, y1 + down, x2 + aside, y2 + down, x2, y2)
  context.stroke()
  for (const [cx, cy] of [[x1, y1], [x2, y2]] as const) {
    context.beginPath()
    context.arc(cx, cy, 5, 0, Math.PI * 2)
    context.stroke()
  }
}

/** An arrow from who waits to whom it waits for. */
function drawWait(context: Context, x: number, from: number, to: number, palette: Palette): void {
  context.strokeStyle = context.fillStyle = palette.bad
  context.lineWidth = 1.5
  const bulge = from === to ? 22 : Math.min(60, 16 + Math.abs(to - from) / 6)
  const end = from === to ? to + 7 : to
  context.beginPath()
  context.moveTo(x, from - (from === to ? 5 : 0))
  context.bezierCurveTo(x - bulge, from - (from === to ? 5 : 0), x - bulge, end, x - 6, end)
  context.stroke()
  context.beginPath()
  context.moveTo(x, end)
  context.lineTo(x - 8, end - 4.5)
  context.lineTo(x - 8, end + 4.5)
  context.closePath()
  context.fill()
}

function drawLabels(context: Context, timeline: Timeline, visible: readonly Row[], { scroll, unfolded, palette, words }: Scene): void {
  context.textBaseline = 'middle'
  context.fillStyle = palette.soft
  context.textAlign = 'left'
  const several = timeline.cta(timeline.warps - 1) > 0
  const open = new Set(unfolded)
  for (const row of visible) {
    const y = AXIS_HEIGHT + row.top - scroll + row.height / 2
    if (y < AXIS_HEIGHT) continue
    if (row.lane !== null) {
      if (row.lane % 8 !== 0) continue
      context.font = '9px system-ui, sans-serif'
      context.fillText(`${words.lane} ${row.lane}`, 22, y)
      continue
    }
    context.font = '11.5px system-ui, sans-serif'
    const inside = row.warp % timeline.flat.warpsPerCta
    const name = several ? `${words.cta} ${timeline.cta(row.warp)} · ${inside}` : `${words.warp} ${inside}`
    context.fillText(`${open.has(row.warp) ? '▾' : '▸'} ${name}`, 6, y)
  }
}

function drawAxis(context: Context, { view, width, palette }: Scene, x: (step: number) => number): void {
  context.fillStyle = palette.panel
  context.fillRect(0, 0, width, AXIS_HEIGHT - 5)
  context.fillStyle = palette.soft
  context.font = '11px system-ui, sans-serif'
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  const rough = (view.to - view.from) / Math.max(2, (width - LABEL_WIDTH) / 110)
  const power = 10 ** Math.floor(Math.log10(rough))
  const tick = Math.max(1, [1, 2, 5, 10].map(factor => factor * power).find(candidate => candidate >= rough) ?? 10 * power)
  for (let step = Math.ceil(view.from / tick) * tick; step <= view.to; step += tick) {
    const at = x(step)
    if (at < LABEL_WIDTH + 8 || at > width - 12) continue
    context.fillText(step.toLocaleString('en'), at, 8)
  }
  context.textAlign = 'left'
  context.fillText('step', 6, 8)
}
