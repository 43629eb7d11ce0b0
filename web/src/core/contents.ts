// Concrete contents for a tensor from a small file: JSON (a list, nested for the shape) or
// numbers separated by commas, semicolons, blanks and lines (CSV; its rows and columns are
// the shape).

import { tabText } from '../text-tabs'

/** More would make the spec unreadable; a tensor of this size belongs in symbolic form. */
export const MOST_NUMBERS = 20_000
/** No file of so many numbers is larger. */
export const MOST_BYTES = 2 << 20

export type Contents = { ok: true; numbers: number[]; shape: number[] } | { ok: false; message: string }

export function readContents(file: string): Contents {
  const trimmed = file.replace(/^\ufeff/, '').trim()
  if (trimmed === '') return { ok: false, message: tabText.contents.empty }
  const read = trimmed.startsWith('[') ? fromJson(trimmed) : fromCsv(trimmed)
  if (read.ok && read.numbers.length > MOST_NUMBERS) return { ok: false, message: tabText.contents.tooMany(read.numbers.length, MOST_NUMBERS) }
  return read
}

function fromJson(file: string): Contents {
  let data: unknown
  try {
    data = JSON.parse(file)
  } catch {
    return { ok: false, message: tabText.contents.notJson }
  }
  const shape: number[] = []
  const numbers: number[] = []
  let fault: string | null = null
  let deep: number | null = null
  const walk = (value: unknown, depth: number) => {
    if (fault !== null) return
    if (Array.isArray(value)) {
      shape[depth] ??= value.length
      if (shape[depth] !== value.length || depth > 8 || (deep !== null && depth >= deep)) fault = tabText.contents.ragged
      for (const inner of value) walk(inner, depth + 1)
    } else if (typeof value === 'number' && Number.isFinite(value)) {
      deep ??= depth
      if (depth !== deep || depth !== shape.length) fault = tabText.contents.ragged // a number beside a list
      numbers.push(value)
    } else fault = typeof value === 'number' ? tabText.contents.infinite : tabText.contents.notNumber(JSON.stringify(value).slice(0, 40))
  }
  walk(data, 0)
  if (fault === null && numbers.length === 0) fault = tabText.contents.empty
  return fault === null ? { ok: true, numbers, shape } : { ok: false, message: fault }
}

function fromCsv(file: string): Contents {
  const rows: number[][] = []
  for (const [at, line] of file.split(/\r\n|\r|\n/).entries()) {
    const cells = line.split(/[\s,;]+/).filter(Boolean)
    if (cells.length === 0) continue
    const row = cells.map(Number)
    const bad = row.findIndex(value => !Number.isFinite(value))
    // A first line of names is a header.
    if (bad >= 0 && at === 0 && row.every(value => Number.isNaN(value))) continue
    if (bad >= 0) return { ok: false, message: tabText.contents.notNumberAt(cells[bad]!.slice(0, 40), at + 1) }
    rows.push(row)
  }
  const numbers = rows.flat()
  if (numbers.length === 0) return { ok: false, message: tabText.contents.empty }
  const columns = rows[0]!.length
  const even = rows.every(row => row.length === columns)
  return { ok: true, numbers, shape: rows.length > 1 && columns > 1 && even ? [rows.length, columns] : [numbers.length] }
}
