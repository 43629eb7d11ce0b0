import { describe, expect, test } from 'vitest'
import { elementName, further, lookUp, newest, readIndex, writeIndex } from '../../src/core/elements'
import type { MemoryQuestion, MemoryReport } from '../../src/core/protocol'

describe('an index as it is written', () => {
  test.each([
    ['3, 17', [4, 32], 113],
    [' 3 17 ', [4, 32], 113],
    ['[3][17]', [4, 32], 113],
    ['C[3][17]', [4, 32], 113],
    ['C2[3][17]', [4, 32], 113],
    ['0', [1], 0],
    ['1,2,3', [2, 3, 4], 23],
    ['4, 0', [4, 32], 'outside'],
    ['0, 32', [4, 32], 'outside'],
    ['99999999999999999999', [128], 'outside'],
    ['', [128], 'unreadable'],
    ['-1', [128], 'unreadable'],
    ['1.5', [128], 'unreadable'],
    ['x', [128], 'unreadable'],
    ['3', [4, 32], 'unreadable'],
    ['3, 1, 7', [4, 32], 'unreadable'],
  ] as const)('%j in %j', (written, shape, flat) => expect(readIndex(written, shape)).toBe(flat))

  test('is read as it is written out, for every element', () => {
    for (const shape of [[7], [3, 5], [2, 3, 4], [1, 1]]) {
      const count = shape.reduce((product, extent) => product * extent)
      for (let flat = 0; flat < count; flat++) {
        expect(readIndex(writeIndex(flat, shape), shape)).toBe(flat)
        expect(readIndex(elementName('t', flat, shape), shape)).toBe(flat)
      }
    }
  })

  test('leads on by elements and rows, up to the ends', () => {
    expect(further(31, [4, 32], { columns: 1 })).toBe(32)
    expect(further(31, [4, 32], { rows: 1 })).toBe(63)
    expect(further(31, [4, 32], { rows: -1 })).toBe(null)
    expect(further(0, [4, 32], { columns: -1 })).toBe(null)
    expect(further(127, [4, 32], { columns: 1 })).toBe(null)
  })
})

/** An engine that holds one tensor, in windows of 16 by 16, and chooses their width. */
function engine(name: string, shape: number[], columns: number) {
  const asked: MemoryQuestion[] = []
  const count = shape.reduce((product, extent) => product * extent, 1)
  const rows = Math.ceil(count / columns)
  const ask = (question: MemoryQuestion): Promise<MemoryReport> => {
    asked.push(question)
    const row = Math.min(question.row, rows - 1)
    const column = Math.min(question.column, columns - 1)
    const flat = (y: number, x: number) => (row + y) * columns + column + x
    const cells = Array.from({ length: Math.min(16, rows - row) }, (_, y) =>
      Array.from({ length: Math.min(16, columns - column) }, (_, x) => ({ place: elementName(name, flat(y, x), shape), value: undefined, bits: flat(y, x) % 2 === 1 })).filter((_, x) => flat(y, x) < count),
    )
    return Promise.resolve({ names: [{ name, shared: false, shape, format: 'f32' }], chosen: 0, rows, columns, row, column, cells, reached: true })
  }
  return { ask, asked }
}

describe('looking an element up', () => {
  test.each([
    { shape: [32, 64], columns: 64, most: 1 },
    { shape: [3, 4, 50], columns: 50, most: 1 },
    { shape: [128], columns: 16, most: 2 },
    { shape: [1024], columns: 32, most: 2 },
    { shape: [1000], columns: 16, most: 2 },
  ])('finds every element of $shape', async ({ shape, columns, most }) => {
    const count = shape.reduce((product, extent) => product * extent)
    for (let flat = 0; flat < count; flat += 7) {
      const { ask, asked } = engine('y', shape, columns)
      const { found } = await lookUp(ask, { reference: true, tensor: 'y', shape, flat }, null)
      expect(found).toMatchObject({ place: elementName('y', flat, shape), bits: flat % 2 === 1 })
      expect(asked.length).toBeLessThanOrEqual(most)
    }
  })

  test('asks nothing where the window holds it already', async () => {
    const { ask, asked } = engine('y', [32, 64], 64)
    const { view } = await lookUp(ask, { reference: false, tensor: 'y', shape: [32, 64], flat: 0 }, null)
    await lookUp(ask, { reference: false, tensor: 'y', shape: [32, 64], flat: 15 * 64 + 15 }, view)
    expect(asked.length).toBe(1)
    await lookUp(ask, { reference: false, tensor: 'y', shape: [32, 64], flat: 16 }, view)
    expect(asked[1]).toMatchObject({ row: 0, column: 16 })
  })

  test('says what there is none of', async () => {
    const of = (tensor: string, flat: number) => ({ reference: true, tensor, shape: [64], flat })
    expect((await lookUp(engine('x', [64], 8).ask, of('y', 3), null)).found).toBe('absent')
    expect((await lookUp(() => Promise.resolve(null), of('y', 3), null)).found).toBe('failed')
    // The other kernel reaches more of it.
    expect((await lookUp(engine('y', [16], 4).ask, of('y', 40), null)).found).toEqual({ place: 'y[40]', value: undefined, bits: false })
  })
})

test('of the questions that wait, only the newest is asked', async () => {
  const begun: number[] = []
  const release: (() => void)[] = []
  const ask = newest(async (question: number, overtaken) => {
    begun.push(question)
    await new Promise<void>(resolve => release.push(resolve))
    return overtaken() ? -1 : question * 10
  })
  const first = ask(1)
  await expect.poll(() => begun).toEqual([1])
  const answers = [first, ask(2), ask(3)]
  release[0]!()
  expect(await answers[0]).toBe(null)
  expect(await answers[1]).toBe(null)
  await expect.poll(() => release.length).toBe(2)
  release[1]!()
  expect(await answers[2]).toBe(30)
  expect(begun).toEqual([1, 3])
})
