import { expect, test } from 'vitest'
import { folded } from '../../src/core/fold'
import type { OutputGroup } from '../../src/core/protocol'

const groups = (count: number, sample: (at: number) => string, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => ({ answer: 'single', elements: 1, sample: sample(at), index: at, reason: '', optimized: { text: text(at), marks: [], mathml: '' } }) as unknown as OutputGroup)
const rows = (groups: OutputGroup[]) => folded(groups).map(({ groups, element, text }) => (element === '' ? groups[0].sample : `${groups.length}: ${element} = ${text}`))

test('elements that compute alike are one row', () => {
  expect(rows(groups(8, at => `y[${at}]`, at => `4·x[${at}]`))).toEqual(['8: y[i] = 4·x[i]'])
  expect(rows(groups(4, at => `y[${at}]`, at => `x[0] + x[${at}]·x[${at + 1}]`))).toEqual(['4: y[i] = x[0] + x[i]·x[i + 1]'])
  expect(rows(groups(4, at => `y[3][${at}]`, at => `x[${20 * at + 3}]·w[3][${7 - at}]`))).toEqual(['4: y[3][i] = x[20·i + 3]·w[3][7 - i]'])
  // A letter that the formula has means something else.
  expect(rows(groups(3, at => `y[${at}]`, at => `x[${at}]·(Σ[i=0…7] (x[i]))`))).toEqual(['3: y[j] = x[j]·(Σ[i=0…7] (x[i]))'])
})

test('others are not', () => {
  expect(rows(groups(2, at => `y[${at}]`, at => `x[${at}]`))).toEqual(['y[0]', 'y[1]'])
  expect(rows(groups(3, at => `y[${at}]`, at => `x[${at * at}]`))).toEqual(['y[0]', 'y[1]', 'y[2]'])
  // What is left out may differ.
  expect(rows(groups(3, at => `y[${at}]`, at => `x[${at}] + … (12 terms)`))).toEqual(['y[0]', 'y[1]', 'y[2]'])
  const compared = groups(3, at => `y[${at}]`, at => `x[${at}]`).map(group => ({ ...group, answer: 'different' as const, reason: 'it lacks a factor' }))
  expect(rows(compared)).toEqual(['y[0]', 'y[1]', 'y[2]'])
  // A boundary stands alone, and the rest is one row.
  expect(rows([...groups(1, () => 'y[0]', () => '0'), ...groups(5, at => `y[${at + 1}]`, at => `x[${at}]`)])).toEqual(['y[0]', '5: y[i] = x[i - 1]'])
})
