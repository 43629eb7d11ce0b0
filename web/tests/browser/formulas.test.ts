// A formula as the reference: written, completed, faulty, pasted, put back, and shared.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import examples from 'virtual:gallery'
import { close, open, paste, textOf, verdict, verify, visit, type Site } from './page'

let site: Site

beforeAll(async () => {
  site = await open()
})
afterAll(async () => {
  await close(site)
})

const reference = (page: Page) => page.locator('[data-testid="editor-reference"] .cm-content')

/** Rewrites the formula by hand. */
async function write(page: Page, formula: string): Promise<void> {
  await reference(page).click()
  await page.keyboard.press('Control+a')
  // By the editor: a browser that types over colored lines itself writes style attributes, which the page forbids.
  await page.keyboard.press('Delete')
  await page.keyboard.type(formula)
}

describe('a formula', () => {
  test('takes the place of the kernel, is completed, shows its faults, and is put back', async () => {
    const { page, complaints } = await visit(site)
    await verdict(page)
    const kernel = await textOf(page, 'reference')
    await page.getByTestId('as-formula').click()
    await expect.poll(() => textOf(page, 'reference')).toContain('y = x')
    await expect.poll(() => reference(page).getAttribute('aria-label')).toBe('Reference, a formula')

    await write(page, 'y = soft')
    await page.locator('.cm-tooltip-autocomplete').getByText('softmax', { exact: true }).waitFor()
    expect(await page.locator('.cm-tooltip-autocomplete').textContent()).toContain('softplus')
    await page.keyboard.press('Escape')
    await page.keyboard.type('max(z)')
    await expect.poll(() => page.locator('.cm-lintRange-error').textContent()).toBe('z')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('x')
    await expect.poll(() => page.locator('.cm-lintRange-error').count()).toBe(0)
    expect(await textOf(page, 'reference')).toBe('y = softmax(x)')
    expect(await verify(page)).toBe('equivalent')
    expect(await page.locator('[role="tabpanel"]').first().textContent()).toContain('The formula and softmax_online')

    await write(page, 'y = softmax(2 * x)')
    await page.keyboard.press('Escape')
    expect(await verify(page)).toBe('not_equivalent')
    await page.locator('#tab-counterexample').click()
    await expect.poll(() => page.locator('[role="tabpanel"]').first().textContent()).toContain('y[')

    await page.getByTestId('as-kernel').click()
    await expect.poll(() => textOf(page, 'reference')).toBe(kernel)
    expect(await verify(page)).toBe('equivalent')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('is known by what it looks like, keeps the cursor, and travels in a link', async () => {
    const { page, complaints } = await visit(site)
    await verdict(page)
    await paste(page, 'reference', '')
    await write(page, 'y = exp(x)')
    // The pane became one of formulas under the writer's hands.
    expect(await textOf(page, 'reference')).toBe('y = exp(x)')
    await page.keyboard.press('Escape')
    await page.keyboard.type(' / sum(exp(x))')
    await page.keyboard.press('Escape')
    expect(await textOf(page, 'reference')).toContain(' / sum(exp(x))')
    expect(await verify(page)).toBe('equivalent')
    await page.getByTestId('share').click()
    await expect.poll(() => page.getByTestId('share-link').inputValue()).toContain('#')
    const link = await page.getByTestId('share-link').inputValue()
    const other = await visit(site, link.slice(link.indexOf('#')))
    expect(await verdict(other.page)).toBe('equivalent')
    await expect.poll(() => textOf(other.page, 'reference')).toContain('exp(x) / sum(exp(x))')
    await expect.poll(() => other.page.getByTestId('as-formula').getAttribute('aria-pressed')).toBe('true')
    expect([...complaints, ...other.complaints]).toEqual([])
    await other.page.context().close()
    await page.context().close()
  })

  test.each(examples.filter(({ family }) => family === 'Formulas'))('is an example: $title', async ({ id, verdict: promised }) => {
    const { page, complaints } = await visit(site)
    await verdict(page)
    await page.getByTestId('examples').click()
    await page.locator(`[data-example="${id}"]`).click()
    await expect.poll(() => page.getByTestId('as-formula').getAttribute('aria-pressed')).toBe('true')
    await expect.poll(() => verdict(page)).toBe(promised)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
