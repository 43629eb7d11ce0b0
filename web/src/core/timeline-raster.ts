// Rows of the timeline as pixels. A row is first summed up per pixel column (from the coarsest
// level whose bins still fit into a pixel, or from the recording itself when it is close), then
// painted column by column into a buffer, so a frame costs what its pixels cost, however many
// events lie behind them. What is done often is in small functions: browsers compile those first,
// and the first frames are the ones that a person waits for.

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
    for (let bin = from; bin < to; bin++) addBin(words, (base + bin) * 4, weight, columns, x)
  }
}

function addBin(words: Uint32Array, at: number, weight: number, { ran, waited, shares, reads, writes, flags }: Columns, x: number): void {
  ran[x]! |= words[at]!
  waited[x]! |= words[at + 1]!
  const parts = words[at + 2]!
  shares[0][x]! += (parts & 255) * weight
  shares[1][x]! += ((parts >>> 8) & 255) * weight
  shares[2][x]! += ((parts >>> 16) & 255) * weight
  shares[3][x]! += (parts >>> 24) * weight
  const counts = words[at + 3]!
  reads[x]! += counts & 255
  writes[x]! += (counts >>> 8) & 255
  flags[x]! |= counts >>> 24
}

function fromRecording(timeline: Timeline, warp: number, view: View, width: number, columns: Columns): void {
  const { segments, events } = timeline.flat
  const scale = width / (view.to - view.from)
  const [first, last] = timeline.segmentRows(warp, view.from, view.to)
  for (let row = first; row < last; row++) addSegment(segments, row * SEGMENT, view.from, scale, width, columns)
  const [begin, end] = timeline.eventRows(warp, view.from, view.to)
  for (let row = begin; row < end; row++) addEvent(events, row * EVENT, view.from, scale, width, columns)
  for (const { start, end: ended } of timeline.flights[warp] ?? []) {
    const left = Math.max(0, Math.floor((start - view.from) * scale))
    const right = Math.min(width, (ended - view.from) * scale)
    for (let x = left; x < right; x++) columns.flags[x]! |= FLAG_IN_FLIGHT
  }
}

function addSegment(segments: Uint32Array, at: number, origin: number, scale: number, width: number, columns: Columns): void {
  const left = Math.max(0, (segments[at]! - origin) * scale)
  const right = Math.min(width, (segments[at + 1]! - origin) * scale)
  if (right <= left) return
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

function addEvent(events: Uint32Array, at: number, origin: number, scale: number, width: number, { reads, writes, flags }: Columns): void {
  const x = Math.min(width - 1, Math.max(0, Math.floor((events[at]! + 0.5 - origin) * scale)))
  const kind = events[at + 2]!
  if (kind === 0 || kind === 3) reads[x]!++
  else if (kind < 6) writes[x]!++
  else if (kind === 8) flags[x]! |= FLAG_FAULT
}

/** Colors as pixels of a canvas. */
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
    const line = stuck > 0 ? ink.stuck : barrier >= warp ? ink.wait : ink.warp
    const pale = stuck > 0 ? ink.stuckPale : ink.waitPale
    const waitFrom = clamp(waitTop, first, last)
    const runFrom = clamp(runTop, first, last)
    const at = left + x
    if (busy) strip(pixels, first * stride + at, stride, waitFrom - first, ink.runPale)
    if (waiting > 0) hatch(pixels, waitFrom * stride + at, stride, runFrom - waitFrom, (at + waitFrom) % 5, line, pale)
    strip(pixels, runFrom * stride + at, stride, last - runFrom, ink.run)
    if (lane !== null) continue
    if (dots) {
      if (columns.reads[x]! > 0) dab(pixels, at, stride, top + 1, top + 2, first, last, ink.read)
      if (columns.writes[x]! > 0) dab(pixels, at, stride, top + 3, top + 5, first, last, ink.write)
    }
    if (flags & FLAG_IN_FLIGHT) dab(pixels, at, stride, top + height - 3, top + height, first, last, ink.copy)
    if (flags & FLAG_FAULT) dab(pixels, at, stride, top, top + height, first, last, ink.fault)
  }
}

/** Paints so many pixels downwards. */
function strip(pixels: Uint32Array, at: number, stride: number, count: number, color: number): void {
  for (const end = at + count * stride; at < end; at += stride) pixels[at] = color
}

/** The same in stripes that lean: every fifth pixel is of the line's color. */
function hatch(pixels: Uint32Array, at: number, stride: number, count: number, phase: number, line: number, pale: number): void {
  for (const end = at + count * stride; at < end; at += stride) {
    pixels[at] = phase === 0 ? line : pale
    phase = phase === 4 ? 0 : phase + 1
  }
}

/** Paints `from..to` of a column, as far as it lies in `first..last`. */
function dab(pixels: Uint32Array, x: number, stride: number, from: number, to: number, first: number, last: number, color: number): void {
  const begin = clamp(from, first, last)
  strip(pixels, begin * stride + x, stride, clamp(to, first, last) - begin, color)
}

function clamp(value: number, low: number, high: number): number {
  return value < low ? low : value > high ? high : value
}

function bitCount(mask: number): number {
  let bits = mask - ((mask >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
