// A spec that sweeps over sizes: all are asked, with progress; one table, the smallest that fails, and the ordinary report
// on every combination.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decode, encode } from '../../src/core/share'
import { close, open, textOf, verdict, visit, type Site } from './page'

let site: Site

beforeAll(async () => {
  site = await open()
})
afterAll(() => close(site))

/** A link to a spec under tests/sweeps, with other values of the first name. */
function link(name: string, values: string): string {
  const file = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../tests/sweeps', `${name}.toml`)
  const spec = fs.readFileSync(file, 'utf8').replace(/^n = ".*"$/m, `n = ${values}`)
  const [reference, optimized] = [...spec.matchAll(/^ptx\s*=\s*"(.*)"/gm)].map(([, ptx]) => fs.readFileSync(path.join(path.dirname(file), ptx!), 'utf8'))
  return '#' + encode({ spec: spec.replace(/^ptx\s*=.*\n/gm, ''), reference: reference!, optimized: optimized!, single: false, verdict: null })
}

const rows = (page: Page) => page.getByTestId('sweep-rows').locator('tbody tr')
const verdicts = (page: Page) => rows(page).evaluateAll(rows => rows.map(row => row.getAttribute('data-verdict')))
const done = (page: Page) => expect.poll(() => page.getByTestId('sweep-worst').count(), { timeout: 60_000 }).toBe(1)

test('every combination is asked, and each leads to its own report', async () => {
  const { page, complaints } = await visit(site, link('saxpy', '"31..34"'))
  await done(page)
  await expect.poll(() => page.locator('#tab-sweep').getAttribute('aria-selected')).toBe('true')
  await expect.poll(() => page.getByTestId('verify').count()).toBeGreaterThan(0)
  expect(await verdicts(page)).toEqual(['out_of_bounds', 'equivalent', 'out_of_bounds', 'out_of_bounds'])
  expect(await page.getByTestId('sweep-lead').textContent()).toContain('6 of 6 combinations')
  expect(await page.getByTestId('sweep-worst').textContent()).toMatch(/n = 31, block = 32.*[Oo]ut of bounds/s)
  expect(await rows(page).nth(1).textContent()).toContain('n = 32, block = 32')
  // What is shown is the smallest that fails; another row shows its own.
  expect(await page.getByTestId('pill').first().textContent()).toMatch(/[Oo]ut of bounds/)
  await rows(page).nth(1).getByRole('button').first().click()
  expect(await verdict(page)).toBe('equivalent')
  expect(await page.getByTestId('combination').textContent()).toContain('n = 32, block = 32')
  // The spec is still the one that sweeps, and so is a link.
  expect(await textOf(page, 'spec').catch(() => '')).not.toContain('n = 32\n')
  await page.getByTestId('share').click()
  const shared = decode(new URL(await page.getByTestId('share-link').inputValue()).hash)
  expect(shared.ok && shared.shared.spec).toContain('n = "31..34"')
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a sweep is stopped with what it has', async () => {
  const { page, complaints } = await visit(site, link('softmax_row', '"1..2000"'))
  await expect.poll(async () => Number(/^\s*(\d+) of/.exec((await page.getByTestId('sweep-lead').textContent({ timeout: 60_000 })) ?? '')?.[1] ?? 0), { timeout: 60_000 }).toBeGreaterThan(3)
  await page.getByTestId('stop').first().click()
  await expect.poll(() => page.getByTestId('pill').first().textContent()).toContain('Stopped')
  await page.locator('#tab-sweep').click()
  expect(await verdicts(page)).toEqual(['equivalent', null])
  expect(await rows(page).nth(1).textContent()).toContain('not asked')
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a sweep that asks too much says so where it is written', async () => {
  const { page, complaints } = await visit(site, link('saxpy', '"1..1000000000"'))
  expect(await verdict(page)).toBe('invalid_spec')
  expect(await page.locator('#panel').textContent()).toContain('takes 999,999,999 values')
  expect(await page.locator('#tab-sweep').count()).toBe(0)
  expect(complaints).toEqual([])
  await page.context().close()
})
