// axe in every state of the page, at two widths, in light, dark and high contrast. What does
// not depend on colors is looked at once a state; contrast, in all three.

import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import examples from 'virtual:gallery'
import { encode } from '../../src/core/share'
import { close, leave, open, paste, rewrite, textOf, verdict, visit, type Site } from './page'

let site: Site

beforeAll(async () => {
  site = await open()
})
afterAll(() => close(site))

const looks = [
  { name: 'light', media: { colorScheme: 'light', contrast: 'no-preference' } },
  { name: 'dark', media: { colorScheme: 'dark', contrast: 'no-preference' } },
  { name: 'dark, high contrast', media: { colorScheme: 'dark', contrast: 'more' } },
] as const

test.concurrent.each([1280, 390])('axe finds nothing at %i pixels', { timeout: 600_000 }, async width => {
  const problems: string[] = []
  /** Asks for a look and waits until the page wears it. */
  const wear = async (page: Page, { colorScheme, contrast }: (typeof looks)[number]['media']) => {
    await page.emulateMedia({ colorScheme, contrast, reducedMotion: 'reduce' })
    await page.waitForFunction(scheme => document.documentElement.dataset['theme'] === scheme, colorScheme)
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  }
  const ready = async (page: Page) => {
    await page.getByTestId('theme').waitFor()
    await wear(page, looks[0].media)
    await page.setViewportSize({ width, height: 860 })
    return page
  }
  const look = async (page: Page, state: string) => {
    for (const [at, { name, media }] of looks.entries()) {
      await wear(page, media)
      const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] })
      const { violations } = await (at === 0 ? axe : axe.withRules('color-contrast')).analyze()
      problems.push(...violations.map(({ id, nodes }) => `${state}, ${name}: ${id}: ${nodes.slice(0, 3).map(({ target }) => target.join(' ').slice(-120)).join(', ')} (${nodes.length})`))
    }
    await wear(page, looks[0].media)
  }
  const escape = (page: Page) => page.keyboard.press('Escape')

  const page = await ready((await visit(site)).page)
  await verdict(page)
  await look(page, 'verdict')
  for (const tab of ['timeline', 'assumptions']) {
    await page.locator(`#tab-${tab}`).click()
    await look(page, tab)
  }
  await page.locator('#tab-timeline').click()
  await page.getByTestId('timeline').focus()
  await page.keyboard.press('Shift+ArrowRight')
  await page.getByTestId('timeline-moment').waitFor()
  await look(page, 'timeline, at a step')
  await page.locator('#tab-formula').click()
  await page.getByTestId('told').waitFor()
  await look(page, 'formula')
  await page.locator('#panel summary').click()
  await look(page, 'formula, with its assumptions')
  await page.locator('[data-parameter]').first().click()
  await page.locator('.panel:popover-open .fields').waitFor()
  await look(page, 'parameter')
  await escape(page)
  await page.locator('[data-parameter="y"]').click()
  await page.getByTestId('output-value').locator('math').waitFor()
  await look(page, 'output')
  await page.getByTestId('element').fill('128')
  await look(page, 'no such element')
  await escape(page)
  await page.getByTestId('spec-form').click()
  await page.locator('dialog[open] .cm-content').waitFor()
  await look(page, 'form')
  await page.getByTestId('spec-close').click()
  await page.getByTestId('spec-toggle').click()
  await look(page, 'spec as text')
  await page.getByTestId('spec-toggle').click()
  await page.getByTestId('share').click()
  await look(page, 'share')
  await escape(page)
  await page.getByLabel('Help').click()
  await look(page, 'help')
  await page.getByTestId('open-documents').click()
  await page.getByTestId('documents').getByRole('article').getByText('not equivalent').first().waitFor()
  await look(page, 'documents')
  await escape(page)
  await escape(page)
  await paste(page, 'optimized', (await textOf(page, 'optimized')).replace(/\tbar\.sync[^\n]*\n/, ''))
  await page.locator('[data-testid="editor-optimized"] .cm-content').focus()
  await page.keyboard.press('Control+f')
  await page.locator('.cm-search').waitFor()
  await look(page, 'edited, and something is looked for')
  await escape(page)
  await page.keyboard.press('Control+Enter')
  await page.locator('#tab-verdict').click()
  expect(await verdict(page)).toBe('data_race')
  await look(page, 'race')
  await page.locator('#tab-races').click()
  await look(page, 'races')
  await page.getByTestId('examples').click()
  await page.locator('[data-lesson="0"]').waitFor()
  await look(page, 'examples')
  await page.locator('[data-example="not_equivalent/softmax/n4_no_rescale"]').click()
  await verdict(page)
  await page.locator('#tab-counterexample').click()
  await look(page, 'counterexample')
  await page.getByTestId('source-optimized').click()
  await page.getByTestId('source-pane-optimized').getByRole('listbox').waitFor()
  await look(page, 'source beside the PTX')
  await page.getByTestId('examples').click()
  await page.locator('[data-lesson="0"]').click()
  await verdict(page)
  await look(page, 'lesson')
  await page.context().close()

  const visitWith = async (fragment: string) => ready((await visit(site, fragment)).page)
  const differs = await visitWith('#' + encode({ ...examples[0]!.input, verdict: 'not_equivalent', version: '0.0.1' }))
  await verdict(differs)
  await look(differs, 'another verdict than the link said')
  await differs.context().close()
  const broken = await visitWith('#9')
  await broken.getByTestId('notice').waitFor()
  await look(broken, 'broken link, empty editors')
  await paste(broken, 'optimized', '.version 8.0\n.target sm_80\nbogus')
  await broken.keyboard.press('Control+Enter')
  await broken.getByTestId('idle').getByText('The reference is empty').waitFor()
  await broken.locator('.findings li').first().waitFor()
  await look(broken, 'one empty editor')
  await paste(broken, 'reference', '.version 8.0\n.target sm_80\nbogus')
  await broken.keyboard.press('Control+Enter')
  expect(await verdict(broken)).toBe('invalid_ptx')
  await look(broken, 'invalid PTX')
  await broken.context().close()
  const { page: failing } = await visit(site)
  await rewrite(failing, /\/assets\/worker-.*\.js$/, text => 'delete self.WebAssembly;' + text)
  await failing.goto('about:blank')
  await failing.goto(site.address)
  await ready(failing)
  await failing.getByTestId('tool-error').waitFor()
  await look(failing, 'tool error')
  await leave(failing)
  expect(problems).toEqual([])
})
