import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { close, open, paste, textOf, verdict, visit, type Site } from './page'

let site: Site

beforeAll(async () => {
  site = await open()
})
afterAll(() => close(site))

const themes = ['light', 'dark'] as const
const widths = [1280, 390]

test.each(themes.flatMap(theme => widths.map(width => [theme, width] as const)))('axe finds nothing in %s at %i pixels', { timeout: 240_000 }, async (theme, width) => {
  const { page } = await visit(site)
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  await page.setViewportSize({ width, height: 860 })
  await verdict(page)
  const problems: string[] = []
  const look = async (state: string) => {
    const { violations } = await new AxeBuilder({ page }).analyze()
    problems.push(...violations.map(({ id, nodes }) => `${state}: ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`))
  }
  await look('verdict')
  for (const tab of ['timeline', 'assumptions']) {
    await page.locator(`#tab-${tab}`).click()
    await look(tab)
  }
  await page.getByTestId('spec-toggle').click()
  await look('spec as text')
  await page.locator('[data-parameter]').first().click()
  await look('parameter')
  await page.keyboard.press('Escape')
  await page.getByTestId('examples').click()
  await look('examples')
  await page.keyboard.press('Escape')
  await page.getByLabel('Help').click()
  await look('help')
  await page.keyboard.press('Escape')
  await paste(page, 'optimized', (await textOf(page, 'optimized')).replace(/\tbar\.sync[^\n]*\n/, ''))
  await look('edited')
  await page.keyboard.press('Control+Enter')
  await page.locator('#tab-verdict').click()
  expect(await verdict(page)).toBe('data_race')
  await look('race')
  await page.locator('#tab-races').click()
  await look('races')
  expect(problems).toEqual([])
  await page.context().close()
})
