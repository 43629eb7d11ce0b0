// Draws a timeline onto a canvas. Colours come from the page's theme.

import { utf16Offset } from '../core/positions'
import { lanes, type Access, type Kind, type Row, type Timeline, type View } from '../core/timeline'

export const LABEL_WIDTH = 74
export const AXIS_HEIGHT = 20

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
}

export function palette(element: Element): Palette {
  const style = getComputedStyle(element)
  const read = (name: string) => style.getPropertyValue(name).trim()
  return {
    text: read('--text'), soft: read('--soft'), line: read('--line'), panel: read('--panel'),
    accent: read('--accent'), good: read('--good'), bad: read('--bad'), warn: read('--warn'), neutral: read('--line-strong'),
  }
}

/** An arc between two accesses that race. */
export interface Arc {
  first: Access
  second: Access
}

export interface Scene {
  timeline: Timeline
  rows: Row[]
  view: View
  width: number
  height: number
  scroll: number
  arc: Arc | null
  /** Instruction whose executions stand out; null for none. */
  instr: number | null
  unfolded: ReadonlySet<number>
}

export function draw(context: CanvasRenderingContext2D, scene: Scene, colours: Palette): void {
  const { timeline, rows, view, width, height, scroll } = scene
  const x = (step: number) => LABEL_WIDTH + ((step - view.from) / (view.to - view.from)) * (width - LABEL_WIDTH)
  const perStep = (width - LABEL_WIDTH) / (view.to - view.from)
  context.fillStyle = colours.panel
  context.fillRect(0, 0, width, height)
  const visible = rows.filter(row => row.top + row.height >= scroll && row.top <= scroll + height - AXIS_HEIGHT)

  context.save()
  context.beginPath()
  context.rect(LABEL_WIDTH, 0, width - LABEL_WIDTH, height)
  context.clip()
  for (const row of visible) {
    const top = AXIS_HEIGHT + row.top - scroll
    let drawnTo = -1
    let drawnKind: Kind | null = null
    for (const segment of timeline.segments(row.warp, view.from, view.to)) {
      if (row.lane !== null && !((segment.mask >>> row.lane) & 1)) continue
      const left = Math.max(x(segment.start), LABEL_WIDTH)
      const right = Math.min(x(segment.end), width)
      // What falls into a pixel that is already painted alike adds nothing.
      if (right <= drawnTo && segment.kind === drawnKind) continue
      const share = row.lane === null ? lanes(segment.mask) / 32 : 1
      paint(context, segment.kind, left, top, Math.max(right - left - (perStep > 6 ? 1 : 0), 0.75), row.height, share, colours)
      drawnTo = right
      drawnKind = segment.kind
    }
    if (perStep < 1.5) continue
    for (const access of timeline.accesses(row.warp, view.from, view.to)) {
      if (row.lane !== null && !((access.mask >>> row.lane) & 1)) continue
      drawAccess(context, access, x(access.step + 0.5), top + row.height / 2, Math.min(perStep * 0.36, row.height * 0.3), colours)
    }
  }
  drawBarriers(context, scene, x, colours)
  if (scene.arc) drawArc(context, scene, scene.arc, x, colours)
  context.restore()

  drawLabels(context, scene, visible, colours)
  drawAxis(context, scene, x, colours)
}

function paint(context: CanvasRenderingContext2D, kind: Kind, left: number, top: number, width: number, height: number, share: number, colours: Palette): void {
  switch (kind) {
    case 'run': {
      context.globalAlpha = 0.24
      context.fillStyle = colours.accent
      context.fillRect(left, top, width, height)
      // The filled part says how many lanes are active.
      context.globalAlpha = 0.62
      context.fillRect(left, top + height * (1 - share), width, height * share)
      context.globalAlpha = 1
      return
    }
    case 'wait_barrier':
    case 'wait_warp': {
      context.strokeStyle = kind === 'wait_barrier' ? colours.warn : colours.soft
      context.lineWidth = 1
      context.save()
      context.beginPath()
      context.rect(left, top, width, height)
      context.clip()
      context.globalAlpha = 0.75
      context.beginPath()
      for (let at = Math.floor(left / 6) * 6 - height; at < left + width; at += 6) {
        context.moveTo(at, top + height)
        context.lineTo(at + height, top)
      }
      context.stroke()
      context.restore()
      return
    }
    case 'done':
      context.fillStyle = colours.line
      context.fillRect(left, top + height / 2 - 0.5, width, 1)
      return
    case 'fault':
      context.fillStyle = colours.bad
      context.fillRect(left, top, Math.max(width, 3), height)
  }
}

/** Reads are circles, writes are squares, atomics are diamonds; global ones are hollow. */
function drawAccess(context: CanvasRenderingContext2D, access: Access, x: number, y: number, radius: number, colours: Palette): void {
  const r = Math.max(radius, 1)
  context.beginPath()
  if (access.kind === 'read') context.arc(x, y, r, 0, Math.PI * 2)
  else if (access.kind === 'write') context.rect(x - r, y - r, 2 * r, 2 * r)
  else {
    context.moveTo(x, y - r * 1.3)
    context.lineTo(x + r * 1.3, y)
    context.lineTo(x, y + r * 1.3)
    context.lineTo(x - r * 1.3, y)
    context.closePath()
  }
  if (access.shared) {
    context.fillStyle = colours.text
    context.fill()
  } else {
    context.strokeStyle = colours.text
    context.lineWidth = 1.2
    context.stroke()
  }
}

function drawBarriers(context: CanvasRenderingContext2D, { timeline, view, height }: Scene, x: (step: number) => number, colours: Palette): void {
  context.fillStyle = colours.good
  let last = -10
  for (const { step } of timeline.barriers) {
    if (step < view.from || step > view.to) continue
    const at = x(step)
    if (at - last < 1) continue
    last = at
    context.fillRect(Math.round(at) - 0.75, AXIS_HEIGHT - 5, 1.5, height)
  }
}

function drawArc(context: CanvasRenderingContext2D, { rows, scroll }: Scene, { first, second }: Arc, x: (step: number) => number, colours: Palette): void {
  const y = (access: Access) => {
    const row = rows.find(({ warp, lane }) => warp === access.warp && lane === null)
    return AXIS_HEIGHT + (row ? row.top + row.height / 2 : 0) - scroll
  }
  const [x1, y1, x2, y2] = [x(first.step + 0.5), y(first), x(second.step + 0.5), y(second)]
  context.strokeStyle = colours.bad
  context.lineWidth = 2
  context.beginPath()
  context.moveTo(x1, y1)
  const level = y1 === y2
  const [aside, down] = level ? [0, Math.min(70, Math.max(26, Math.abs(x2 - x1) / 4))] : [36, 0]
  context.bezierCurveTo(x1 + aside, y1 + down, x2 + aside, y2 + down, x2, y2)
  context.stroke()
  for (const [cx, cy] of [[x1, y1], [x2, y2]] as const) {
    context.beginPath()
    context.arc(cx, cy, 5, 0, Math.PI * 2)
    context.stroke()
  }
}

function drawLabels(context: CanvasRenderingContext2D, { scroll, unfolded }: Scene, visible: Row[], colours: Palette): void {
  context.textBaseline = 'middle'
  context.fillStyle = colours.soft
  for (const row of visible) {
    if (row.lane !== null) continue
    const y = AXIS_HEIGHT + row.top - scroll + row.height / 2
    if (y < AXIS_HEIGHT) continue
    context.font = '11.5px system-ui, sans-serif'
    context.textAlign = 'left'
    context.fillText(`${unfolded.has(row.warp) ? '▾' : '▸'} warp ${row.warp}`, 6, y)
  }
}

function drawAxis(context: CanvasRenderingContext2D, { view, width }: Scene, x: (step: number) => number, colours: Palette): void {
  context.fillStyle = colours.panel
  context.fillRect(0, 0, width, AXIS_HEIGHT - 5)
  context.fillStyle = colours.soft
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

/** The line (from 1) of an instruction in the PTX text. */
export function lineOf(timeline: Timeline, instr: number, ptx: string): number | null {
  const span = timeline.span(instr)
  if (!span) return null
  const at = utf16Offset(ptx, span[0])
  let line = 1
  for (let index = ptx.indexOf('\n'); index >= 0 && index < at; index = ptx.indexOf('\n', index + 1)) line++
  return line
}
