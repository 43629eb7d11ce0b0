import { expect, test } from 'vitest'
import type { RaceReport } from '../../src/core/protocol'
import { groupRaces } from '../../src/core/races'
import { exact } from '../../src/core/verdict'

const access = (line: number | null, action: string, instruction: string) => ({ action, instruction, ...(line !== null && { cuda: { file: 'k.cu', line, column: 1, inlined_at: [] } }) })
const race = (place: string, first: object, second: object) => ({ side: 'optimized', space: 'shared', place, hidden_by_collectives: false, first, second }) as unknown as RaceReport

test('the races of an unrolled loop after one missing barrier are one, by lines of the source', () => {
  const races = Array.from({ length: 8 }, (_, at) => race(`a[${at}]`, access(9, 'reads', `ld.shared.f32 %f${at}, [%rd5+${4 * at}]`), access(6, 'writes', 'st.shared.f32 [%rd3], %f1')))
  expect(groupRaces(races)).toEqual([[0, 1, 2, 3, 4, 5, 6, 7]])
  const turned = races.map(({ first, second, ...rest }) => ({ ...rest, first: second, second: first }))
  expect(groupRaces([...races, ...turned]).length).toBe(1)
  expect(groupRaces([...races, race('b[0]', access(9, 'reads', ''), access(6, 'writes', '')), race('a[0]', access(9, 'reads', ''), access(12, 'writes', ''))])).toEqual([[0, 1, 2, 3, 4, 5, 6, 7], [8], [9]])
})

test('without lines of the source, by what the instructions do', () => {
  const races = ['%f1', '%f2'].map(register => race('a[0]', access(null, 'reads', `ld.shared.f32 ${register}, [%rd1]`), access(null, 'writes', 'st.shared.f32 [%rd3], %f9')))
  expect(groupRaces([...races, race('a[0]', access(null, 'writes', 'st.shared.f32 [%rd1], %f1'), access(null, 'writes', 'st.shared.f32 [%rd3], %f9'))])).toEqual([[0, 1], [2]])
})

test('counts of elements are exact', () => {
  expect(exact(16_384)).toBe('16,384')
  expect(exact(1)).toBe('1')
})
