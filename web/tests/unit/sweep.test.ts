// The table of a sweep: neighbors of one verdict share a row, the smallest that is not fine is named, and assumptions
// are added up. Sizes that forms take may be expressions.

import { expect, test } from 'vitest'
import { added, rows, titleOf, worst, type Answer } from '../../src/core/sweep'
import { readCtas, readExtents, readSizes } from '../../src/core/spec-edit'
import type { Asked, AssumptionReport, Report, Verdict } from '../../src/core/protocol'

const asked = (names: string[], values: number[][]): Asked => ({ names, combinations: values.map(values => ({ values, spec: '' })) })
const answers = (of: Asked, verdict: (values: number[]) => Verdict): Answer[] => of.combinations.map(({ values }) => ({ verdict: verdict(values), summary: '' }))
const table = (of: Asked, all: Answer[]) => rows(of, all).map(({ title, verdict, members }) => `${title}: ${verdict} ${members.length}`)
const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1)

test('runs of one verdict share a row', () => {
  const sizes = asked(['n'], upTo(256).map(n => [n]))
  const all = answers(sizes, ([n]) => (n! % 64 === 0 || n! <= 32 ? 'equivalent' : 'not_equivalent'))
  expect(table(sizes, all).slice(0, 4)).toEqual(['n = 1 … 32: equivalent 32', 'n = 33 … 63: not_equivalent 31', 'n = 64: equivalent 1', 'n = 65 … 127: not_equivalent 63'])
  expect(titleOf(sizes, worst(all)!)).toBe('n = 33')
  expect(rows(sizes, all).flatMap(({ members }) => members)).toEqual(upTo(256).map(n => n - 1))
  // What was not asked is a row of its own.
  expect(table(sizes, all.slice(0, 10))).toEqual(['n = 1 … 10: equivalent 10', 'n = 11 … 256: null 246'])
})

test('values under which the names behind have the same verdicts share rows', () => {
  const pairs = [30, 31, 32, 64].flatMap(n => [32, 64].map(block => [n, block]))
  const sizes = asked(['n', 'block'], pairs)
  const full = answers(sizes, ([n, block]) => (n! % block! === 0 ? 'equivalent' : 'out_of_bounds'))
  expect(table(sizes, full)).toEqual(['n = 30, 31: out_of_bounds 4', 'n = 32, block = 32: equivalent 1', 'n = 32, block = 64: out_of_bounds 1', 'n = 64: equivalent 2'])
  const small = answers(sizes, ([, block]) => (block === 32 ? 'equivalent' : 'data_race'))
  expect(rows(sizes, small).map(({ title, members }) => [title, members])).toEqual([
    ['n = 30, 31, 32, 64, block = 32', [0, 2, 4, 6]],
    ['n = 30, 31, 32, 64, block = 64', [1, 3, 5, 7]],
  ])
  expect(table(sizes, answers(sizes, () => 'race_free'))).toEqual(['n = 30, 31, 32, 64, block = 32, 64: race_free 8'])
})

test('a fault counts before what has no answer, however small that is', () => {
  const verdicts: Verdict[] = ['equivalent', 'unknown', 'invalid_spec', 'equal_up_to_rounding', 'deadlock', 'not_equivalent']
  const all = verdicts.map(verdict => ({ verdict, summary: '' }))
  expect(worst(all)).toBe(4)
  expect(worst(all.slice(0, 4))).toBe(2)
  expect(worst(all.slice(0, 2))).toBe(1)
  expect(worst(all.slice(0, 1))).toBe(null)
})

test('assumptions are added up and keep their first place', () => {
  const one = (text: string, count: number): AssumptionReport => ({ kind: 'other', text, count, first: undefined })
  const report = (assumptions: AssumptionReport[]) => ({ assumptions }) as Report
  const both = added(added([], report([one('a', 2)])), report([one('a', 3), one('b', 1)]))
  expect(both.map(({ text, count }) => [text, count])).toEqual([['a', 5], ['b', 1]])
})

test('sizes may be numbers and expressions', () => {
  expect(readSizes('16 x 16')).toEqual([16, 16])
  expect(readSizes('[2,1]')).toEqual([2, 1])
  expect(readSizes('N × 2 * K × 3')).toEqual(['N', '2 * K', 3])
  expect(readSizes('["N", 4]')).toEqual(['N', 4])
  expect(readSizes('max(N, 4) × 2')).toEqual(['max(N, 4)', 2])
  expect(readSizes('(N + block - 1) // block')).toEqual(['(N + block - 1) // block'])
  expect(readSizes('')).toEqual([])
})

test('sizes that are none are refused, not read as others', () => {
  for (const written of ['-4', '1.5', '0', '16 × 0', '1 2 3 4', '', '(33 + 31) // 32', '1e3']) expect(readExtents(written), written).toBeNull()
  expect(readExtents('128')).toEqual([128, 1, 1])
  expect(readExtents('16 × 16')).toEqual([16, 16, 1])
  for (const written of ['-4', '1.5', '(0,0,-1)', '1 2', 'some']) expect(readCtas(written), written).toBeNull()
  expect([readCtas('3'), readCtas('(0,0,0) (1,0,0)'), readCtas('All')]).toEqual([[[3, 0, 0]], [[0, 0, 0], [1, 0, 0]], 'all'])
})
