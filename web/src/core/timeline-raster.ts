// Rows of the timeline as pixels. A row is first summed up per pixel column (from the coarsest
// level whose bins still fit into a pixel, or from the recording itself when it is close), then
// painted column by column into a buffer, so a frame costs what its pixels cost, however many
// events lie behind them.

import { EVENT, SEGMENT, type Timeline, type View } from './timeline'

/** What happened in each pixel column of a row. */
export interface Columns {
  ran: Uint32Array
  waited: Uint32Array
  /** Shares of 255: ran, waited at a barrier, waited for lanes, waits for ever. */
  shares: [Float32Array, Float32Array, Float32Array, Float32Array]
  reads: Uint16Array
  writes: Uint16Array
  /** Bits of the pyramid's flags. */
  flags: Uint8Array
}

export const FLAG_FAULT = 1
export const FLAG_IN_FLIGHT = 2

export function columnsFor(width: number): Columns {
  const shares = (): Float32Array => new Float32Array(width)
  return {
    ran: new Uint32Array(width), waited: new Uint32Array(width), shares: [shares(), shares(), shares(), shares()],
    reads: new Uint16Array(width), writes: new Uint16Array(width), flags: new Uint8Array(width),
  }
}

/** Sums up what a warp did in each of `width` pixel columns of `view`. */
export function sumUp(timeline: Timeline, warp: number, view: View, width: number, columns: Columns): void {
  for (const array of [columns.ran, columns.waited, ...columns.shares, columns.reads, columns.writes, columns.flags]) array.fill(0)
  const perPixel = (view.to - view.from) / width
  const fitting = timeline.flat.levels.filter(({ shift }) => 2 ** shift <= perPixel)
  // The recording comes later than its sum.
  const level = fitting[fitting.length - 1] ?? (timeline.flat.segments.length === 0 ? timeline.flat.levels[0] : undefined)
  if (level) fromLevel(level, warp, view, width, columns)
  else fromRecording(timeline, warp, view, width, columns)
}

function fromLevel(level: Timeline['flat']['levels'][number], warp: number, view: View, width: number, columns: Columns): void {
  const { words, bins, shift } = level
  const size = 2 ** shift
  const perPixel = (view.to - view.from) / width
  const base = warp * bins
  for (let x = 0; x < width; x++) {
    const from = Math.max(0, Math.floor((view.from + x * perPixel) / size))
    const to = Math.min(bins, Math.max(from + 1, Math.ceil((view.from + (x + 1) * perPixel) / size)))
    const weight = 1 / (to - from)
    for (let bin = from; bin < to; bin++) {
      const at = (base + bin) * 4
      columns.ran[x]! |= words[at]!
      columns.waited[x]! |= words[at + 1]!
      const [shares, counts] = [words[at + 2]!, words[at + 3]!]
      columns.shares[0][x]! += (shares & 255) * weight
      columns.shares[1][x]! += ((shares >>> 8) & 255) * weight
      columns.shares[2][x]! += ((shares >>> 16) & 255) * weight
      columns.shares[3][x]! += (shares >>> 24) * weight
      columns.reads[x]! += counts & 255
      columns.writes[x]! += (counts >>> 8) & 255
      columns.flags[x]! |= counts >>> 24
    }
  }
}

function fromRecording(timeline: Timeline, warp: number, view: View, width: number, columns: Columns): void {
  const { segments, events } = timeline.flat
  const scale = width / (view.to - view.from)
  const [first, last] = timeline.segmentRows(warp, view.from, view.to)
  for (let row = first; row < last; row++) {
    const at = row * SEGMENT
    const left = Math.max(0, (segments[at]! - view.from) * scale)
    const right = Math.min(width, (segments[at + 1]! - view.from) * scale)
    if (right <= left) continue
    const mask = segments[at + 2]!
    const kind = segments[at + 3]!
    const share = (bitCount(mask) * 255) / 32
    const shares = columns.shares[kind as 0 | 1 | 2 | 3]
    const masks = kind === 0 ? columns.ran : columns.waited
    for (let x = Math.floor(left); x < right; x++) {
      shares[x]! += share * (Math.min(right, x + 1) - Math.max(left, x))
      masks[x]! |= mask
    }
  }
  const [begin, end] = timeline.eventRows(warp, view.from, view.to)
  for (let row = begin; row < end; row++) {
    const x = Math.min(width - 1, Math.max(0, Math.floor((events[row * EVENT]! + 0.5 - view.from) * scale)))
    const kind = events[row * EVENT + 2]!
    if (kind === 0 || kind === 3) columns.reads[x]!++
    else if (kind < 6) columns.writes[x]!++
    else if (kind === 8) columns.flags[x]! |= FLAG_FAULT
  }
  for (const { start, end: ended } of timeline.flights[warp] ?? []) {
    const left = Math.max(0, Math.floor((start - view.from) * scale))
    const right = Math.min(width, (ended - view.from) * scale)
    for (let x = left; x < right; x++) columns.flags[x]! |= FLAG_IN_FLIGHT
  }
}

/** Colours as pixels of a canvas. */
export interface Ink {
  panel: number
  run: number
  runPale: number
  wait: number
  waitPale: number
  warp: number
  stuck: number
  stuckPale: number
  read: number
  write: number
  copy: number
  fault: number
  lit: number
}

/** Paints a warp's row, or one lane of it, `height` pixels high from `top` on. */
export function paintRow(pixels: Uint32Array, stride: number, columns: Columns, lane: number | null, left: number, width: number, top: number, height: number, bottom: number, ink: Ink, dots: boolean): void {
  const [first, last] = [Math.max(0, top), Math.min(bottom, top + height)]
  for (let x = 0; x < width; x++) {
    let run = columns.shares[0][x]!
    let barrier = columns.shares[1][x]!
    let warp = columns.shares[2][x]!
    let stuck = columns.shares[3][x]!
    if (lane !== null) {
      const ran = (columns.ran[x]! >>> lane) & 1
      // What both ran and waited within a pixel shows as running.
      const waits = ran === 0 && ((columns.waited[x]! >>> lane) & 1) === 1
      run = ran * 255
      stuck = waits && stuck > 0 ? 255 : 0
      barrier = waits && stuck === 0 && barrier > 0 ? 255 : 0
      warp = waits && stuck === 0 && barrier === 0 ? 255 : 0
    }
    const flags = columns.flags[x]!
    const busy = run > 0
    if (!busy && barrier === 0 && warp === 0 && stuck === 0 && flags === 0) continue
    const runTop = top + height - Math.max(busy ? 1 : 0, Math.round((Math.min(run, 255) * height) / 255))
    const waiting = barrier + warp + stuck
    const waitTop = waiting > 0 ? runTop - Math.max(1, Math.round((Math.min(waiting, 255) * height) / 255)) : runTop
    const [line, pale] = stuck > 0 ? [ink.stuck, ink.stuckPale] : barrier >= warp ? [ink.wait, ink.waitPale] : [ink.warp, ink.waitPale]
    for (let y = first; y < last; y++) {
      let colour: number
      if (y >= runTop) colour = ink.run
      else if (y >= waitTop && waiting > 0) colour = (left + x + y) % 5 === 0 ? line : pale
      else if (busy) colour = ink.runPale
      else continue
      pixels[y * stride + left + x] = colour
    }
    const put = (y: number, colour: number) => {
      if (y >= first && y < last) pixels[y * stride + left + x] = colour
    }
    if (lane === null && dots) {
      if (columns.reads[x]! > 0) put(top + 1, ink.read)
      if (columns.writes[x]! > 0) {
        put(top + 3, ink.write)
        put(top + 4, ink.write)
      }
    }
    if (lane === null && flags & FLAG_IN_FLIGHT) for (let y = top + height - 3; y < top + height; y++) put(y, ink.copy)
    if (flags & FLAG_FAULT && lane === null) for (let y = top; y < top + height; y++) put(y, ink.fault)
  }
}

function bitCount(mask: number): number {
  let bits = mask - ((mask >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
