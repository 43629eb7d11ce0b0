// Fields follow the spec, messages lead to the fields that they are about, and what is not the visitor's own is not called so.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encode } from '../../src/core/share'
import { readSpec } from '../../src/core/spec-edit'
import { close, kernel, open, paste, textOf, verdict, verify, visit, type Site } from './page'

let site: Site

beforeAll(async () => {
  site = await open()
})
afterAll(() => close(site))

/** A page with kernels and a spec, by a link; without a reference, one kernel is analyzed. */
async function question(reference: string | null, optimized: string, spec: string) {
  const visited = await visit(site, '#' + encode({ reference: reference === null ? '' : kernel(reference), optimized: kernel(optimized), spec, single: reference === null, verdict: null }))
  await verdict(visited.page)
  return visited
}

const SAXPY = '[launch]\nblock = 32\ngrid = 4\n[scalars]\narg3 = 128\n'
const focused = (page: Page) => page.evaluate(() => Object.assign({}, (document.activeElement as HTMLElement).dataset) as Record<string, string>)
const chips = (page: Page) => page.locator('[data-parameter]').evaluateAll(chips => chips.map(chip => chip.getAttribute('data-parameter')))

/** The lines of an editor that are in sight. */
const shown = (page: Page, side: string) => page.locator(`[data-testid="editor-${side}"] .cm-scroller`).evaluate(scroller => {
  const { top, bottom } = scroller.getBoundingClientRect()
  return [...scroller.querySelectorAll('.cm-line')].filter(line => line.getBoundingClientRect().top >= top && line.getBoundingClientRect().bottom <= bottom).map(line => line.textContent).join('\n')
})

describe('the fields of the strip', () => {
  test('say what the spec says after every change, also where that is the same as before', async () => {
    const { page } = await question('saxpy.ptx', 'saxpy.ptx', SAXPY)
    for (const [field, written, says] of [['ctas', '0', '(0,0,0)'], ['ctas', '0', '(0,0,0)'], ['ctas', 'ALL', 'all'], ['ctas', 'ALL', 'all'], ['ctas', '', ''], ['block-optimized', '64', '64 × 1 × 1'], ['block-optimized', '64', '64 × 1 × 1']] as const) {
      await page.getByTestId(field).fill(written)
      await page.keyboard.press('Enter')
      await expect.poll(() => page.getByTestId(field).inputValue(), { message: written }).toBe(says)
    }
    await page.context().close()
  })

  test('keep what is refused, marked, and nothing is run until it is mended or the question is another', async () => {
    const { page } = await question('saxpy.ptx', 'saxpy.ptx', SAXPY)
    const field = page.getByTestId('ctas')
    const seconds = await page.getByTestId('verdict').getAttribute('data-seconds')
    await field.fill('0 1')
    await page.keyboard.press('Tab')
    expect(await field.evaluate(input => (input as HTMLInputElement).validationMessage)).toContain('several places such as (0,0,0) (1,0,0)')
    for (const ask of [() => page.getByTestId('verify').first().click(), () => page.keyboard.press('Control+Enter')]) {
      await ask()
      await page.waitForTimeout(300)
      expect(await page.getByTestId('verdict').getAttribute('data-seconds')).toBe(seconds)
      expect((await focused(page))['testid']).toBe('ctas')
      expect(await field.inputValue()).toBe('0 1')
      expect(await field.evaluate(input => input.matches(':invalid'))).toBe(true)
    }
    await field.fill('(0,0,0) (1,0,0)')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => page.getByTestId('ran').textContent()).toContain('(0,0,0) (1,0,0) of 4')
    await field.fill('0 1')
    await page.keyboard.press('Tab')
    await page.getByTestId('clear').click()
    await expect.poll(() => field.inputValue()).toBe('')
    expect(await page.locator('input:invalid').count()).toBe(0)
    await page.context().close()
  })

  test('are where a message about a CTA that the grid does not have leads', async () => {
    const { page } = await question('saxpy.ptx', 'saxpy.ptx', SAXPY.replace('grid = 4', 'grid = 2\nctas = [[5, 0, 0]]'))
    for (const message of ['fill-in', 'spec-problem']) {
      await page.locator('#tab-verdict').focus()
      await page.getByTestId(message).click()
      await expect.poll(async () => (await focused(page))['testid'], { message }).toBe('ctas')
    }
    await page.context().close()
  })
})

test('every message about a missing value leads to its field, also where the other kernel has another kind of value of that name', async () => {
  const { page } = await question('saxpy.ptx', 'saxpy_swapped.ptx', '[launch]\nblock = 64\n[reference]\nargs = ["x", "y", "s", "n"]\n[optimized]\nargs = ["x", "y", "s", "t"]\n[scalars]\nn = 64\n')
  expect(await verdict(page)).toBe('invalid_spec')
  await page.getByTestId('fill-in').filter({ hasText: 'needs a value' }).click()
  await expect.poll(async () => (await focused(page))['missing']).toBe('scalars.s')
  expect(await page.getByTestId('to-fill').textContent()).toContain('1 to fill in')
  await page.context().close()
})

test('a spec that was put away takes its names along, also where the kernels have different parameters', async () => {
  const { page } = await visit(site)
  await verdict(page)
  await expect.poll(() => chips(page)).toContain('x')
  await paste(page, 'optimized', kernel('gather_ref.ptx'))
  await expect.poll(() => page.getByTestId('notice').textContent()).toContain('its spec was put away')
  await expect.poll(() => chips(page)).not.toContain('x')
  await page.context().close()
})

test('arguments that a message has ready are written by a click, and the chips stay meanwhile', async () => {
  const { page } = await visit(site)
  await verdict(page)
  await page.getByTestId('clear').click()
  await paste(page, 'reference', kernel('four.ptx'))
  await expect.poll(() => chips(page)).toEqual(['arg0', 'arg1', 'arg2', 'arg3'])
  await page.getByTestId('block-optimized').fill('64')
  await page.keyboard.press('Enter')
  await paste(page, 'optimized', kernel('three.ptx'))
  expect(await verify(page)).toBe('invalid_spec')
  expect(await chips(page)).toEqual(['arg0', 'arg1', 'arg2', 'arg3'])
  await page.getByTestId('write-args').click()
  await expect.poll(() => page.getByTestId('write-args').count()).toBe(0)
  expect(readSpec(await textOf(page, 'spec'))).toMatchObject({ reference: { args: ['arg0', 'arg1', 'arg2', 'arg3'] }, optimized: { args: ['arg0', 'arg1', 'arg2'] } })
  await page.locator('[data-missing="scalars.arg3"]').fill('64')
  await page.keyboard.press('Enter')
  // What it wrote down is in the order of the kernels, which have theirs in another: a difference, and no message about the spec.
  await expect.poll(() => verdict(page)).toBe('not_equivalent')
  await page.context().close()
})

test('of several kernels one is to be chosen: that is no fault of the PTX, the menu opens, and the editor goes there', async () => {
  const { page } = await visit(site)
  await verdict(page)
  await page.getByText('Analyze one').click()
  await page.getByTestId('clear').click()
  await paste(page, 'optimized', kernel('several.ptx'))
  await expect.poll(() => page.getByTestId('idle').textContent()).toBe('Choose a kernel')
  await page.getByTestId('verify').first().click()
  await expect.poll(() => page.getByTestId('verdict').textContent()).toMatch(/Choose a kernel$/)
  expect(await page.getByTestId('pill').first().textContent()).toContain('Choose a kernel')
  await expect.poll(async () => (await focused(page))['missing']).toBe('optimized.entry')
  expect(await page.locator('[data-missing="optimized.entry"]').evaluate(menu => menu.matches(':open'))).toBe(true)
  await page.keyboard.press('Escape')
  const panel = await page.locator('#panel').textContent()
  expect(panel).toContain('The PTX holds several kernels. Choose the one that runs.')
  expect(panel).not.toMatch(/\[optimized\]|Invalid|line 47/)
  expect(await page.getByTestId('errors-optimized').count()).toBe(0)
  await page.getByTestId('entry-optimized').selectOption({ label: 'ns::st' })
  await expect.poll(() => shown(page, 'optimized')).toContain('.entry _ZN2ns2st')
  await expect.poll(() => page.getByTestId('idle').textContent()).toBe('A few values are missing')
  expect(await page.getByTestId('pill').count()).toBe(0)
  await page.context().close()
})

test('a structure is shown by its fields, and the form names parameters, too', async () => {
  const { page } = await question(null, 'struct.ptx', '')
  await expect.poll(() => chips(page)).toEqual(['arg0_0', 'arg0_8', 'arg0_16', 'arg0_20', 'arg1', 'arg2'])
  await page.getByTestId('spec-form').click()
  const section = (name: string) => page.locator(`dialog[open] [data-section="${name}"]`)
  await section('arg1').locator('[data-field="name"]').fill('weights')
  await page.keyboard.press('Tab')
  await section('weights').waitFor()
  await section('weights').locator('[data-field="name"]').fill('arg2')
  await page.keyboard.press('Tab')
  expect(await section('weights').getByRole('alert').textContent()).toContain('This name is taken')
  await page.getByTestId('spec-close').click()
  await expect.poll(() => chips(page)).toEqual(['arg0_0', 'arg0_8', 'arg0_16', 'arg0_20', 'weights', 'arg2'])
  await page.context().close()
})

test('an example that was looked at in another way is nobody’s own kernels', async () => {
  const { page } = await visit(site)
  await verdict(page)
  await page.getByText('Analyze one').click()
  await page.getByTestId('clear').click()
  await expect.poll(() => textOf(page, 'optimized')).toBe('')
  await page.waitForTimeout(200)
  expect(await page.getByTestId('notice').count()).toBe(0)
  await page.context().close()
})

test('the first kernel that is pasted is shown from its beginning, with nothing more fetched', async () => {
  const context = await site.browser.newContext({ viewport: { width: 1280, height: 860 }, serviceWorkers: 'block' })
  const page = await context.newPage()
  await page.route(/editor-whole/, route => route.abort())
  await page.goto(site.address)
  await verdict(page)
  await page.getByTestId('clear').click()
  await paste(page, 'optimized', kernel('several.ptx'))
  await expect.poll(() => shown(page, 'optimized')).toContain('.visible .entry _Z3addPKfS0_Pf')
  await page.waitForTimeout(300)
  expect(await shown(page, 'optimized')).toContain('.visible .entry _Z3addPKfS0_Pf')
  await context.close()
})

test('one element of many that compute alike is an example of them', async () => {
  const { page } = await visit(site)
  await verdict(page)
  await expect.poll(() => page.locator('.outputs .value .name').first().textContent()).toBe('y[0], for example, is')
  await page.context().close()
})

test('a link of another version says what to do', async () => {
  const { page } = await visit(site, '#hAAAA')
  await expect.poll(() => page.getByTestId('notice').textContent()).toMatch(/begins with “h”.*Copy the whole link again.*reload/)
  await page.context().close()
})
