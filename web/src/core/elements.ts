// Elements of tensors: by indices as people write them, and in the windows that the engine shows of memory.

import type { MemoryCell, MemoryQuestion, MemoryReport } from './protocol'

/** Rows and columns of the engine's window, at most. */
const WINDOW = 16

const count = (shape: readonly number[]) => shape.reduce((product, extent) => product * extent, 1)

/** The flat index that `3, 17`, `[3][17]` or `C[3][17]` means; what it is where it means none. */
export function readIndex(written: string, shape: readonly number[]): number | 'unreadable' | 'outside' {
  const text = written.trim().replace(/^[^[\]\s,]*(?=\[)/, '')
  if (!/^[\d\s,[\]]*$/.test(text)) return 'unreadable'
  const indices = (text.match(/\d+/g) ?? []).map(Number)
  if (indices.length !== shape.length) return 'unreadable'
  if (indices.some((index, axis) => index >= shape[axis]!)) return 'outside'
  return indices.reduce((flat, index, axis) => flat * shape[axis]! + index, 0)
}

function indicesOf(flat: number, shape: readonly number[]): number[] {
  const indices: number[] = []
  for (let axis = shape.length - 1, rest = flat; axis >= 0; axis--) {
    indices.unshift(rest % shape[axis]!)
    rest = Math.floor(rest / shape[axis]!)
  }
  return indices
}

/** `3, 17`: what `readIndex` reads. */
export const writeIndex = (flat: number, shape: readonly number[]): string => indicesOf(flat, shape).join(', ')

/** `C[3][17]`, as the engine names it. */
export const elementName = (tensor: string, flat: number, shape: readonly number[]): string => tensor + indicesOf(flat, shape).map(index => `[${index}]`).join('')

/** The element that lies `columns` elements and `rows` rows further; null where the tensor ends. */
export function further(flat: number, shape: readonly number[], { columns = 0, rows = 0 }: { columns?: number; rows?: number }): number | null {
  const to = flat + columns + rows * (shape.at(-1) ?? 1)
  return to >= 0 && to < count(shape) ? to : null
}

/** A kernel's element at its end: what the engine found there, or that the kernel does not use the tensor. */
export type Found = MemoryCell | 'absent' | 'failed'

/** Asks what a kernel's element holds at its end. The engine shows memory in windows: `known` is the latest one, and the one
 * that the answer was found in is returned. A window's width is the engine's to choose, so a first one may lie elsewhere. */
export async function lookUp(
  ask: (question: MemoryQuestion) => Promise<MemoryReport | null>,
  { reference, tensor, shape, flat }: { reference: boolean; tensor: string; shape: readonly number[]; flat: number },
  known: MemoryReport | null,
): Promise<{ found: Found; view: MemoryReport | null }> {
  const place = elementName(tensor, flat, shape)
  let view = known
  for (let asked = 0; ; asked++) {
    if (view) {
      const of = view.chosen === undefined ? undefined : view.names[view.chosen]
      if (of?.name !== tensor) return { found: 'absent', view }
      const cell = view.cells.flat().find(cell => cell.place === place)
      if (cell) return { found: cell, view }
      // One kernel may reach less of a tensor than the other.
      if (flat >= count(of.shape)) return { found: { place, value: undefined, bits: false }, view }
    }
    if (asked === 2) return { found: 'failed', view }
    const columns = Math.max(1, view?.columns ?? shape.at(-1) ?? 1)
    const [row, column] = [Math.floor(flat / columns), flat % columns]
    view = await ask({ reference, name: tensor, barrier: undefined, row: row - (row % WINDOW), column: column - (column % WINDOW) })
    if (!view) return { found: 'failed', view }
  }
}

/** Answers questions one after the other; of those that wait, only the newest is asked. `null`: a newer one came. */
export function newest<Question, Answer>(answer: (question: Question, overtaken: () => boolean) => Promise<Answer>): (question: Question) => Promise<Answer | null> {
  let latest = 0
  let before: Promise<unknown> = Promise.resolve()
  return question => {
    const number = ++latest
    const overtaken = () => number !== latest
    const turn = before.then(async () => {
      if (overtaken()) return null
      const answered = await answer(question, overtaken)
      return overtaken() ? null : answered
    })
    before = turn.catch(() => undefined)
    return turn
  }
}
