// What the page says of a run that did not end, or never began, claims nothing.

import { expect, test } from 'vitest'
import type { Report } from '../../src/core/protocol'
import { leftOut, ranOf, shownOf } from '../../src/core/ran'
import { markdown } from '../../src/core/share-texts'
import { presentations } from '../../src/core/verdict'
import { tabText } from '../../src/text-tabs'

const kernel = (thread_instructions: number) => ({ side: 'optimized', name: 'k', title: 'k', grid: [4, 1, 1], block: [32, 1, 1], ctas: 1, thread_instructions })
const report = (verdict: string, rest: object = {}) => ({ verdict, summary: '', kernels: [], outputs: [], tensors: [], assumptions: [], diagnostics: [], ...rest }) as unknown as Report

test('each verdict says how much was run', () => {
  const ran = Object.fromEntries(Object.keys(presentations).map(verdict => [verdict, ranOf(report(verdict, { kernels: verdict.startsWith('invalid') ? [] : [kernel(9)] }))]))
  expect(ran).toMatchObject({ invalid_ptx: 'nothing', invalid_spec: 'nothing', deadlock: 'part', barrier_divergence: 'part', out_of_bounds: 'part', not_structured: 'part', unsupported: 'part', resource_limit: 'part', unknown: 'part', data_race: 'part' })
  expect(Object.keys(ran).filter(verdict => ran[verdict] === 'all').sort()).toEqual(['equal_up_to_rounding', 'equivalent', 'not_equivalent', 'race_free'])
})

test('a report with outputs is about kernels that ran to their ends; one without an instruction about none', () => {
  expect(ranOf(report('unknown', { kernels: [kernel(9)], outputs: [{}] }))).toBe('all')
  expect(ranOf(report('unsupported', { kernels: [kernel(0)] }))).toBe('nothing')
  // How far it got is not said.
  expect(ranOf(report('resource_limit'))).toBe('part')
})

test('no tab without evidence claims more than was run', () => {
  for (const { none } of [tabText.races, tabText.waits, tabText.assumptions]) expect(none.part()).toContain('up to where the run stopped')
  expect(tabText.ran.nothing(true)).toMatch(/^The kernel was not run/)
  expect(tabText.races.none.all(true)).toContain('in the CTAs that ran')
  expect(leftOut(report('race_free', { kernels: [kernel(9)] }))).toBe(true)
})

const tensor = (rest: object) => ({ name: 'y', optimized_format: 'f32', shape: [8], declared_shape: false, role: 'in', declared_role: false, ...rest })

test('a role is shown where it is declared, or a run to the end reached the tensor', () => {
  const roleOf = (verdict: string, rest: object = {}) => shownOf(report(verdict, { kernels: [kernel(9)], tensors: [tensor(rest)] }), 'y').role
  expect(roleOf('race_free', { role: 'out' })).toBe('out')
  expect(roleOf('race_free', { shape: [] })).toBe('')
  expect(roleOf('deadlock')).toBe('')
  expect(roleOf('out_of_bounds', { role: 'out', declared_role: true })).toBe('out')
  expect(shownOf(null, 'y')).toEqual({ element: '', shape: [], role: '' })
  expect(shownOf(report('deadlock', { tensors: [tensor({})] }), 'y')).toEqual({ element: 'f32', shape: [], role: '' })
  expect(markdown(report('deadlock', { tensors: [tensor({})] }), '', 'https://example.org/#1')).not.toContain('(input)')
})
