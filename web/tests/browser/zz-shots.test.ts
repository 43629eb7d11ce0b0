import examples from 'virtual:gallery'
import { test } from 'vitest'
import { encode } from '../../src/core/share'
import { largeKernel, linkTo } from './large'
import { close, open, verdict, visit } from './page'
const linkOf = (id: string) => '#' + encode({ ...examples.find(e => e.id === id)!.input, verdict: null })
const SHOTS = (process.env['SHOTS'] ?? '').split(' ').filter(Boolean)
test('shots', { timeout: 300_000 }, async () => {
  const site = await open()
  for (const shot of SHOTS) {
    const [id, tab, theme, width, keys] = shot.split(',') as [string, string, 'light' | 'dark', string, string | undefined]
    const { page } = await visit(site, id === 'large' ? linkTo(largeKernel(2000)) : linkOf(id))
    await page.emulateMedia({ colorScheme: theme })
    await page.setViewportSize({ width: Number(width), height: 900 })
    await verdict(page, 120_000)
    await page.locator(`#tab-${tab}`).click()
    await page.waitForTimeout(700)
    if (keys) {
      if (tab === 'timeline') await page.getByTestId('timeline').focus()
      for (const key of keys.split('+')) {
        if (key.startsWith('click:')) await page.locator(key.slice(6)).first().click()
        else if (key.startsWith('wait')) await page.waitForTimeout(Number(key.slice(4)))
        else await page.keyboard.press(key.replace('-', '+'))
      }
    }
    await page.waitForTimeout(500)
    await page.screenshot({ path: `/tmp/shots/${SHOTS.indexOf(shot)}.png` })
    await page.context().close()
  }
  await close(site)
})
