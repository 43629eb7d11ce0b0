// Values that only a person can say: which are asked for, and how answers come into the spec.

import { expect, test } from 'vitest'
import { keysOf, readAnswer } from '../../src/core/answers'
import { readsGrid } from '../../src/core/kernels'
import { askable } from '../../src/core/missing'
import type { Inference } from '../../src/core/protocol'

const inference = (missing: string[], errors: string[] = []) =>
  ({ missing, diagnostics: errors.map(source => ({ severity: 'error', primary: { at: { source } } })) }) as unknown as Inference

test('answers become keys of the spec, all of them or none', () => {
  const answer = (name: string, written: string, chosen = false) => ({ name, written, chosen })
  expect(keysOf([answer('optimized.entry', 'k', true), answer('launch.block', '16 × 16'), answer('scalars.n', ' 20 ')])).toEqual({
    keys: [{ path: ['optimized'], key: 'entry', value: 'k' }, { path: ['launch'], key: 'block', value: [16, 16, 1] }, { path: ['scalars'], key: 'n', value: 20 }],
    wrong: [],
  })
  expect(keysOf([answer('launch.block', 'abc'), answer('scalars.n', '20'), answer('scalars.m', '')])).toEqual({ keys: [], wrong: ['launch.block', 'scalars.m'] })
  expect(readAnswer('launch.block', 'N')).toBeNull()
  expect(readAnswer('scalars.eps', '1e-5')).toBe(1e-5)
})

test('nothing is asked under texts that are empty or cannot be read, nor what the spec says wrongly', () => {
  const missing = ['launch.block', 'scalars.n']
  expect(askable(inference(missing), [], '')).toEqual(missing)
  expect(askable(inference(missing), ['optimized'], '')).toEqual([])
  expect(askable(inference(missing, ['optimized']), [], '')).toEqual([])
  expect(askable(inference(missing, ['spec']), [], '[launch]\nblock = 2048\n')).toEqual(['scalars.n'])
  expect(askable(null, [], '')).toEqual([])
})

test('a kernel that reads its place in the grid is told from others of its file', () => {
  const two = '.visible .entry a(\n)\n{ mov.u32 %r1, %ctaid.x; }\n.visible .entry b(\n)\n{ mov.u32 %r1, %tid.x; }\n'
  expect(readsGrid(two, 'a')).toBe(true)
  expect(readsGrid(two, 'b')).toBe(false)
  expect(readsGrid(two, null)).toBe(true)
  expect(readsGrid('.entry c() { mov.u32 %r1, %nctaid.y; }', 'c')).toBe(true)
})
