// A kernel tells its formula: on its tab, in other languages, as the reference, and where there is none.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { close, example, open, paste, textOf, verdict, visit, type Site } from './page'

let site: Site

beforeAll(async () => {
  site = await open()
})
afterAll(() => close(site))

const at = (id: string) => example(site, id)

const told = (page: Page) => page.getByTestId('told').textContent({ timeout: 60_000 })
const panel = (page: Page) => page.locator('#panel').textContent()

test('softmax is told by both kernels, in four languages, and becomes the reference', async () => {
  const { page, complaints } = await visit(site)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await verdict(page)
  const kernel = await textOf(page, 'reference')
  // By keyboard, as the other tabs.
  await page.locator('#tab-verdict').focus()
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('ArrowRight')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('tab-formula')
  expect(await told(page)).toMatch(/^y = softmax\(x(, axis=-1)?\)$/)
  expect(await panel(page)).toContain('softmax_online computes this formula')
  expect(await page.getByTestId('told-for').locator('li').first().textContent()).toMatch(/x\[128\].*128 elements/)
  // As in the editors, names of functions have a color of their own.
  const color = (text: string) => page.getByTestId('told').getByText(text, { exact: true }).first().evaluate(piece => getComputedStyle(piece).color)
  expect(await color('softmax')).not.toBe(await color('x'))

  await page.getByTestId('told-as-numpy').click()
  await expect.poll(() => told(page)).toContain('np.')
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('np.')
  await page.getByTestId('told-as-torch').click()
  await expect.poll(() => told(page)).toContain('torch')
  await page.getByTestId('told-as-latex').click()
  await expect.poll(() => told(page)).toContain('\\begin{align*}')

  await page.getByTestId('tell-reference').click()
  await expect.poll(() => panel(page), { timeout: 60_000 }).toContain('softmax_naive computes this formula')
  await page.locator('#panel summary').click()
  await expect.poll(() => page.locator('#panel details').textContent()).toContain('reference line')

  await page.getByTestId('use-formula').click()
  await expect.poll(() => textOf(page, 'reference')).toContain('softmax(x')
  expect(await verdict(page)).toBe('equivalent')
  await expect.poll(() => panel(page)).toContain('The formula and softmax_online')
  await page.locator('#tab-formula').click()
  await told(page)
  // Only a kernel can be asked.
  expect(await page.getByTestId('tell-reference').count()).toBe(0)
  await page.getByTestId('as-kernel').click()
  await expect.poll(() => textOf(page, 'reference')).toBe(kernel)
  await expect.poll(() => panel(page)).toContain('run again')
  expect(complaints).toEqual([])
  await page.context().close()
})

test('the search can be stopped, and begun again', async () => {
  const { page, complaints } = await at('equivalent/formula/flash2_causal')
  await page.locator('#tab-formula').click()
  await page.getByTestId('stop-telling').click()
  await expect.poll(() => panel(page)).toContain('You stopped')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByTestId('stop-telling').waitFor()
  await expect.poll(() => page.getByTestId('telling').textContent()).toMatch(/\d s: /)
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a kernel with a fault has no formula, and a question that was edited has none yet', async () => {
  const { page, complaints } = await at('data_race/softmax/n128_buffer_reuse')
  await page.locator('#tab-formula').click()
  await expect.poll(() => panel(page), { timeout: 60_000 }).toMatch(/No formula.*race/)
  await page.getByTestId('tell-reference').click()
  expect(await told(page)).toContain('softmax(x')
  await paste(page, 'optimized', (await textOf(page, 'optimized')) + '// edited\n')
  await expect.poll(() => panel(page)).toContain('run again')
  expect(await page.getByTestId('told').count()).toBe(0)
  expect(complaints).toEqual([])
  await page.context().close()
})
