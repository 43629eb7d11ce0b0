// Contracts on the verdict's tab: what holds, what does not, for which inputs, and where it stands.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import examples from 'virtual:gallery'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encode } from '../../src/core/share'
import { close, markedLines, open, verdict, visit, type Site } from './page'

let site: Site

beforeAll(async () => {
  site = await open()
})
afterAll(() => close(site))

/** A link to a case of the corpus about one kernel, with other PTX where that is named. */
function link(name: string, ptx?: string): string {
  const file = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../tests/corpus', `${name}.toml`)
  const spec = fs.readFileSync(file, 'utf8')
  const own = path.resolve(path.dirname(file), /^ptx\s*=\s*"(.*)"/m.exec(spec)![1]!)
  const optimized = fs.readFileSync(ptx ? path.join(path.dirname(own), ptx) : own, 'utf8')
  return '#' + encode({ spec: spec.replace(/^ptx\s*=.*\n/gm, ''), reference: '', optimized, single: true, verdict: null })
}

test('examples lead to contracts of both kinds', async () => {
  const { page, complaints } = await visit(site)
  await verdict(page)
  const found = examples.filter(({ family }) => family === 'Contracts')
  expect(found.map(({ verdict }) => verdict)).toContain('contract_violated')
  for (const { id, verdict: promised } of found) {
    await page.getByTestId('examples').click()
    await page.locator(`[data-example="${id}"]`).click()
    await expect.poll(() => page.getByTestId('contracts').locator('li').count()).toBeGreaterThan(0)
    expect(await verdict(page)).toBe(promised)
  }
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a broken promise is named with inputs, and leads to its line of the spec', async () => {
  const { page, complaints } = await visit(site, link('contract_violated/contracts/sorted'))
  expect(await verdict(page)).toBe('contract_violated')
  const contracts = page.getByTestId('contracts').locator('li')
  expect(await contracts.count()).toBe(2)
  expect(await contracts.nth(0).textContent()).toMatch(/broken.*ensures forall/)
  expect(await contracts.nth(1).textContent()).toMatch(/holds.*ensures sum\(y\) == sum\(x\)/)
  expect(await page.locator('#panel').textContent()).toContain('for example with x[0] = ')
  await contracts.nth(0).getByRole('button').click()
  await page.getByTestId('editor-spec').waitFor()
  await expect.poll(() => page.locator('[data-testid="editor-spec"] .wp-mark').textContent()).toContain('ensures')
  // On a phone nothing is wider than the page.
  await page.setViewportSize({ width: 390, height: 860 })
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a broken assertion leads to its line of the kernel, beside the race that it foretold', async () => {
  const { page, complaints } = await visit(site, link('race_free/contracts/indices_swizzle', 'indices.2.wrong.ptx'))
  expect(await verdict(page)).toBe('data_race')
  const broken = page.getByTestId('contracts').locator('li', { hasText: 'broken' })
  expect(await broken.textContent()).toContain('assert %r2 != other(%r2)')
  await broken.getByRole('button').click()
  await expect.poll(async () => (await markedLines(page, 'optimized')).join('\n')).toContain('warpproof: assert')
  expect(complaints).toEqual([])
  await page.context().close()
})
