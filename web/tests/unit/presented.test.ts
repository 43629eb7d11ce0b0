// How verdicts, assumptions, advice and races are put on the page.

import { expect, test } from 'vitest'
import { grouped } from '../../src/core/assumptions'
import { hintHere } from '../../src/core/budget'
import type { AssumptionReport, RaceReport, Report } from '../../src/core/protocol'
import { racesInWords } from '../../src/core/races'
import { isEndless, otherNames, presentationFor, presentations } from '../../src/core/verdict'
import { looping } from '../../src/ui/evidence'
import { tabText } from '../../src/text-tabs'
import { text } from '../../src/text'

const deadlock = (...codes: string[]) =>
  ({ verdict: 'deadlock', waits: [], diagnostics: codes.map(code => ({ code, severity: 'error', primary: { at: { line: 35 }, text: 'the loop begins here' }, related: [{ at: { line: 41 }, text: 'and goes back here' }] })) }) as unknown as Report

test('a loop that is never left is called so, and leads to its lines; threads that wait are a deadlock', () => {
  expect(presentationFor(deadlock('D003'))).toEqual({ ...presentations.deadlock, word: 'Endless loop' })
  expect(looping(deadlock('D003')).map(({ at, tone }) => [at.line, tone])).toEqual([[35, 'first'], [41, 'second']])
  expect(isEndless(deadlock('D001', 'D003'))).toBe(false)
  expect(presentationFor(deadlock('D001')).word).toBe('Deadlock')
  expect(looping({ ...deadlock('D003'), verdict: 'data_race' })).toEqual([])
})

test('a file of several kernels is not invalid: one is to be chosen', () => {
  const several = { verdict: 'invalid_ptx', diagnostics: [{ code: 'V003', severity: 'error', notes: ['say which with `entry = "…"`'] }] } as unknown as Report
  expect(presentationFor(several)).toEqual({ ...presentations.invalid_ptx, word: 'Choose a kernel' })
  expect(presentationFor({ ...several, diagnostics: [] }).word).toBe('Invalid PTX')
})

test('the help says which verdicts have other names in the documents', () => {
  expect(otherNames()).toEqual([
    { word: 'No faults found', name: 'race free' },
    { word: 'Different', name: 'not equivalent' },
    { word: 'Limit reached', name: 'resource limit' },
    { word: 'Stopped', name: 'cancelled' },
    { word: 'Inconclusive', name: 'unknown' },
  ])
  expect(tabText.help.names(otherNames())).toContain('“No faults found” is “race free”')
})

const assumption = (kind: string, at: number): AssumptionReport => ({ kind, text: `${kind} ${at}`, count: 2, first: undefined })

test('many assumptions of a kind are one row, a few stand for themselves', () => {
  const many = Array.from({ length: 840 }, (_, at) => assumption('constant_recovered', at))
  const few = [assumption('rounding_ignored', 0), assumption('finite_values', 0)]
  const rows = grouped([few[0]!, ...many, few[1]!])
  expect(rows).toEqual([{ one: few[0] }, { text: '840 constants stand for the decimals that they round', count: 1680, all: many }, { one: few[1] }])
  expect(grouped(many.slice(0, 8)).length).toBe(8)
  // Kinds that the page does not know are listed whole.
  expect(grouped(Array.from({ length: 20 }, (_, at) => assumption('of_tomorrow', at))).length).toBe(20)
})

test('no advice asks for a budget that the page has no control for', () => {
  expect(hintHere('ask about a smaller problem that runs the same code (fewer threads (128)), or allow a larger budget')).toBe(`ask about a smaller problem that runs the same code (fewer threads (128)); ${text.verdict.budget}`)
  expect(hintHere('look for a loop that counts past its end; or allow a larger budget')).toBe(`look for a loop that counts past its end; ${text.verdict.budget}`)
  expect(hintHere('allow a larger budget')).toBe(text.verdict.budget)
  expect(hintHere('set `contents` in the spec')).toBe('set `contents` in the spec')
})

test('a race on paper has both accesses with their lines, and its schedules', () => {
  const access = (line: number, action: string, instruction: string) => ({ thread: { text: `thread ${line}` }, action, at: { line }, instruction })
  const race = { side: 'optimized', space: 'shared', place: 's[16]', hidden_by_collectives: false, ordering: 'no barrier lies between the two accesses', schedule: ['run thread 67', 'run thread 74'], first: access(67, 'writes', 'st.shared.f32 [%rd1], %f1;'), second: access(74, 'reads', 'ld.shared.f32 %f2, [%rd1];') } as unknown as RaceReport
  expect(racesInWords({ races: [race] }, true)).toEqual([
    { title: 'Two threads touch s[16] (shared memory)', lines: ['thread 67 writes: line 67, st.shared.f32 [%rd1], %f1;', 'thread 74 reads: line 74, ld.shared.f32 %f2, [%rd1];', 'no barrier lies between the two accesses'], schedule: ['run thread 67', 'run thread 74'] },
  ])
})
