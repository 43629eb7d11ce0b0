// Values that only a person can say: which are asked for, and how answers come into the spec.

import { expect, test } from 'vitest'
import { keysOf, readAnswer } from '../../src/core/answers'
import { readsGrid } from '../../src/core/kernels'
import { askable, fieldOf, isUnchosen, missingOf, onlyUnchosen, wantedBy } from '../../src/core/missing'
import type { DiagnosticReport, Inference } from '../../src/core/protocol'
import { readyArgs } from '../../src/core/ready-args'

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
  expect(askable(inference(missing, ['spec']), [], '[sweep]\nn = "1..99999999"\n')).toEqual(['launch.block'])
  expect(askable(null, [], '')).toEqual([])
})

test('a kernel that reads its place in the grid is told from others of its file', () => {
  const two = '.visible .entry a(\n)\n{ mov.u32 %r1, %ctaid.x; }\n.visible .entry b(\n)\n{ mov.u32 %r1, %tid.x; }\n'
  expect(readsGrid(two, 'a')).toBe(true)
  expect(readsGrid(two, 'b')).toBe(false)
  expect(readsGrid(two, null)).toBe(true)
  expect(readsGrid('.entry c() { mov.u32 %r1, %nctaid.y; }', 'c')).toBe(true)
})

test('a message leads to the field of the value that it names', () => {
  const missing = ['reference.entry', 'launch.block', 'scalars.arg3', 'scalars.arg30']
  const of = (message: string, ...notes: string[]) => missingOf({ message, notes }, missing)
  expect(of('parameter 3 of `k` (.u32) needs a value', 'add `arg30 = 128` under [scalars], with the value the kernel is launched with')).toBe('scalars.arg30')
  expect(of('`arg3`, parameter 4 of `k`, needs a value')).toBe('scalars.arg3')
  expect(of('the PTX does not say how many threads run `k`', 'add `block = [128, 1, 1]` under [launch]')).toBe('launch.block')
  expect(of('something else')).toBeNull()
})

const error = (message: string, notes: string[] = [], more: object = {}) => ({ code: 'V010', severity: 'error', message, notes, ...more }) as unknown as DiagnosticReport

test('what a run has found missing is asked for, too, and its message leads there', () => {
  const found = error('parameter 3 (`arg2`) of `k` (.u32) needs a value', ['add `arg2 = 128` under [scalars], with the value the kernel is launched with'])
  expect(wantedBy([found, error('something else', ['add `ctas = "all"` under [launch]']), { ...found, severity: 'info' } as DiagnosticReport])).toEqual(['scalars.arg2'])
  expect(askable(inference(['launch.block']), [], '', wantedBy([found]))).toEqual(['launch.block', 'scalars.arg2'])
  expect(askable(inference(['scalars.arg2']), [], '', wantedBy([found]))).toEqual(['scalars.arg2'])
  expect(askable(inference([]), [], '[scalars]\narg2 = 4\n', wantedBy([found]))).toEqual([])
  expect(fieldOf(found, ['launch.block', 'scalars.arg2'], '')).toBe('scalars.arg2')
})

test('a message about nothing that is missing leads to no field; one about a CTA leads to that of the CTAs', () => {
  const spec = { primary: { at: { source: 'spec' } } }
  expect(fieldOf(error('the parameters do not correspond'), ['launch.block'], '')).toBeNull()
  const outside = error('CTA [5, 0, 0] is outside the grid of 2×1×1 (it counts from 0)', [], spec)
  expect(fieldOf(outside, [], '[launch]\nctas = [[5, 0, 0]]\n')).toBe('launch.ctas')
  expect(fieldOf(outside, [], '[reference]\nctas = [[5, 0, 0]]\n')).toBeNull()
})

test('that a kernel has to be chosen is known by what is to be added', () => {
  const several = error('the module has 4 kernels and none is named', ['say which with `entry = "…"` in the spec\'s `[optimized]`; the module has `add`'], { code: 'V003' })
  expect(isUnchosen(several)).toBe(true)
  expect(isUnchosen(error('the module has no kernel k', ['the module has `add`'], { code: 'V003' }))).toBe(false)
  expect(onlyUnchosen({ verdict: 'invalid_ptx', diagnostics: [several, { ...several, severity: 'info' } as DiagnosticReport] })).toBe(true)
  expect(onlyUnchosen({ verdict: 'invalid_ptx', diagnostics: [several, error('the block has 2048 threads')] })).toBe(false)
  expect(onlyUnchosen({ verdict: 'invalid_ptx', diagnostics: [] })).toBe(false)
})

test('arguments that stand ready in a message are read with their sides, unless the spec has them', () => {
  const both = 'say what each is, for example under [reference] `args = ["a", "n"]` and under [optimized] `args = ["a"]`'
  expect(readyArgs([both], '')).toEqual([{ side: 'reference', args: ['a', 'n'] }, { side: 'optimized', args: ['a'] }])
  expect(readyArgs([both], '[optimized]\nargs = ["a"]\n')).toEqual([{ side: 'reference', args: ['a', 'n'] }])
  expect(readyArgs(['write `args = ["x"]` under [optimized]'], '')).toEqual([{ side: 'optimized', args: ['x'] }])
  expect(readyArgs(['add the names under [optimized]; if the spec lists them in that order: `args = [{ fields = [[0, "x"], [8, "n"]] }]`'], '')).toEqual([{ side: 'optimized', args: [{ fields: [[0, 'x'], [8, 'n']] }] }])
  expect(readyArgs(['`args` under [optimized] says that it takes `x`'], '')).toEqual([])
  expect(readyArgs(['under [optimized]: `args = ["x", …]`'], '')).toEqual([])
  expect(readyArgs([both], 'not = = TOML')).toEqual([])
})
