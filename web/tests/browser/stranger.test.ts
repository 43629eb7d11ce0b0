// What somebody who walked the page alone ran into: links that took the place of work, answers out of sight on a phone,
// verdicts that a new run hid.

import examples from 'virtual:gallery'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encode } from '../../src/core/share'
import { close, kernel, open, paste, textOf, verdict, verify, visit, type Site } from './page'
import { largeKernel } from './large'

let site: Site

beforeAll(async () => {
  site = await open()
})
afterAll(() => close(site))

const RMS = '[launch]\nblock = 32\n[scalars]\narg3 = 64\n'
const link = (reference: string, optimized: string, spec: string) => '#' + encode({ reference, optimized, spec, single: reference === '', verdict: null })
const exampleLink = (id: string) => {
  const { input } = examples.find(example => example.id === id)!
  return '#' + encode({ ...input, verdict: null })
}

describe('a link in the address bar of a tab that holds own work', () => {
  const other = link(kernel('gather_ref.ptx'), kernel('gather_ref.ptx'), '')
  async function ownWork(): Promise<Page> {
    const { page } = await visit(site)
    await verdict(page)
    await paste(page, 'reference', kernel('rms_ref.ptx'))
    await paste(page, 'optimized', kernel('rms_wrong.ptx'))
    return page
  }
  const isOwn = (page: Page) => expect.poll(() => textOf(page, 'optimized')).toBe(kernel('rms_wrong.ptx'))
  const isOther = (page: Page) => expect.poll(() => textOf(page, 'optimized')).toBe(kernel('gather_ref.ptx'))

  test('says that it was put away, and brings it back', async () => {
    const page = await ownWork()
    await page.goto(site.address + other)
    await isOther(page)
    expect(await page.getByTestId('notice').textContent()).toContain('Your own kernels and their spec were put away')
    await page.getByTestId('notice-action').click()
    await isOwn(page)
    expect(await textOf(page, 'reference')).toBe(kernel('rms_ref.ptx'))
    expect(await page.evaluate(() => location.hash)).toBe('')
    await page.context().close()
  })

  test('leaves it to the browser’s Back, also after a reload', async () => {
    const page = await ownWork()
    await page.goto(site.address + other)
    await isOther(page)
    await page.goBack()
    await isOwn(page)
    await page.goForward()
    await isOther(page)
    await expect.poll(() => page.getByTestId('notice').count()).toBe(1)
    await page.reload()
    await isOther(page)
    await page.getByTestId('notice').waitFor()
    await page.goBack()
    await isOwn(page)
    expect(await textOf(page, 'reference')).toBe(kernel('rms_ref.ptx'))
    await page.context().close()
  })

  test('that comes from another page offers it, too; damaged, it says both', async () => {
    const page = await ownWork()
    await page.waitForTimeout(500)
    await page.goto('about:blank')
    await page.goto(site.address + other.slice(0, -20))
    await expect.poll(() => page.getByTestId('notice').textContent()).toContain('damaged')
    await page.getByTestId('notice-action').click()
    await isOwn(page)
    await page.context().close()
  })

  test('of the same question puts nothing away', async () => {
    const page = await ownWork()
    await page.goto(site.address + link(kernel('rms_ref.ptx'), kernel('rms_wrong.ptx'), ''))
    await expect.poll(() => page.evaluate(() => location.hash.length)).toBeGreaterThan(100)
    await verdict(page)
    expect(await page.getByTestId('notice').count()).toBe(0)
    await page.context().close()
  })
})

describe('on a phone', () => {
  const size = { width: 390, height: 844 }
  /** Whether something is in view, above what is pinned to the edge. */
  const inView = (page: Page, testId: string) =>
    page.evaluate(id => {
      const box = document.querySelector(`[data-testid="${id}"]`)?.getBoundingClientRect()
      return box !== undefined && box.top >= 0 && box.bottom <= innerHeight - 50
    }, testId)
  /** It stays in view, also once everything that comes later is there. */
  async function staysInView(page: Page, testId: string, of = ''): Promise<void> {
    await page.waitForTimeout(900)
    await expect.poll(() => inView(page, testId), { message: of }).toBe(true)
  }

  test('an example’s answer comes into view, whatever it is', async () => {
    const { page } = await visit(site)
    await page.setViewportSize(size)
    await verdict(page)
    const outcomes = [...new Map(examples.map(example => [example.verdict, example])).values()]
    expect(outcomes.length).toBeGreaterThan(5)
    for (const { id, verdict: wanted } of outcomes) {
      await page.getByTestId('examples').click()
      await page.locator(`[data-example="${id}"]`).click()
      await expect.poll(() => verdict(page)).toBe(wanted)
      await staysInView(page, 'verdict', id)
    }
    await page.context().close()
  })

  test('so does that of own kernels: faults, missing values, unreadable PTX', async () => {
    const faulty = [
      ['data_race', exampleLink('data_race/softmax/n128_buffer_reuse')],
      ['deadlock', link('', kernel('mbar.ptx'), '[launch]\nblock = 64\n')],
      ['invalid_spec', link(kernel('rms_ref.ptx'), kernel('rms_wrong.ptx'), '')],
      ['invalid_ptx', link(kernel('rms_ref.ptx'), kernel('rms_wrong.ptx').replace('mul.f32', 'mull.f32 ,'), RMS)],
      ['not_equivalent', link(kernel('rms_ref.ptx'), kernel('rms_wrong.ptx'), RMS)],
    ]
    for (const [wanted, address] of faulty) {
      const { page } = await visit(site, address)
      await page.setViewportSize(size)
      expect(await verdict(page)).toBe(wanted)
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
      await page.locator('.pinned').getByTestId('verify').click()
      await expect.poll(() => verdict(page)).toBe(wanted)
      await staysInView(page, 'verdict', wanted)
      await page.context().close()
    }
  })

  test('of a lesson’s step its text comes first', async () => {
    const { page } = await visit(site)
    await page.setViewportSize(size)
    await verdict(page)
    await page.getByTestId('examples').click()
    await page.locator('[data-lesson="0"]').click()
    const atTop = () => page.getByTestId('lesson').evaluate(element => Math.abs(element.getBoundingClientRect().top) < 60)
    for (let step = 0; step < 4; step++) {
      await page.waitForTimeout(1500)
      await expect.poll(atTop, { message: `step ${step}` }).toBe(true)
      await page.getByTestId('lesson-next').click()
    }
    await page.context().close()
  })
})

describe('a new run', () => {
  test('keeps the verdict before it, as one of before, while it goes on and after Stop', async () => {
    const { page } = await visit(site, link('', largeKernel(4), ''))
    expect(await verdict(page)).toBe('race_free')
    await page.locator('#tab-assumptions').click()
    const panel = () => page.locator('#panel').textContent()
    const before = await panel()
    expect(before).not.toContain('There is no verdict yet')
    await paste(page, 'optimized', largeKernel(50_000))
    await page.getByTestId('verify').first().click()
    await page.getByTestId('stop').first().waitFor()
    expect(await panel()).toContain('This is about the run before, with the verdict “No faults found”.')
    expect(await panel()).toContain(before!.trim())
    await page.getByTestId('stop').first().click()
    await page.getByTestId('verify').first().waitFor()
    expect(await panel()).toContain('This is about the run before')
    await page.locator('#tab-formula').click()
    await expect.poll(panel).toContain('no answer yet')
    await page.locator('#tab-verdict').click()
    await expect.poll(panel).toMatch(/Stopped.*Before this run: No faults found\./s)
    await paste(page, 'optimized', largeKernel(4))
    expect(await verify(page)).toBe('race_free')
    expect(await page.getByTestId('earlier').count()).toBe(0)
    await page.context().close()
  })
})

describe('what cannot be taken', () => {
  test('is refused where it was written: a block that is no size', async () => {
    const { page } = await visit(site)
    await verdict(page)
    const block = page.getByTestId('block-optimized')
    const before = await block.inputValue()
    for (const written of ['-4', '1.5', '0']) {
      await block.fill(written)
      await page.keyboard.press('Tab')
      expect(await block.evaluate(input => (input as HTMLInputElement).validationMessage)).toBe(`“${written}” does not fit here. Write one to three whole numbers from 1, such as 128 or 16 × 16.`)
      expect(await block.inputValue()).toBe(written)
    }
    await block.fill('64')
    await page.keyboard.press('Tab')
    await expect.poll(() => block.inputValue()).toBe('64 × 1 × 1')
    expect(before).not.toBe('')
    await page.context().close()
  })

  test('is named: empty files, machine code, files too many', async () => {
    const { page } = await visit(site)
    await verdict(page)
    const choose = async (...files: { name: string; content: string | Buffer }[]) => {
      await page.getByTestId('examples').click()
      await page.getByTestId('open-files').setInputFiles(files.map(({ name, content }) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })))
    }
    const notice = () => page.getByTestId('notice').textContent()
    const before = await textOf(page, 'reference')
    await choose({ name: 'a.ptx', content: '' })
    await expect.poll(notice).toContain('a.ptx is empty.')
    await choose({ name: 'k.cubin', content: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 0, 0]) })
    await expect.poll(notice).toContain('cuobjdump -ptx k.cubin')
    await choose({ name: 'pic.png', content: Buffer.from([0x89, 0x50, 0, 1]) }, { name: 'b.ptx', content: '' })
    await expect.poll(notice).toContain('b.ptx is empty. pic.png is not text.')
    expect(await textOf(page, 'reference')).toBe(before)
    await choose(...['a', 'b_ref', 'c_opt'].map(name => ({ name: `${name}.ptx`, content: kernel('gather_ref.ptx') + `// ${name}\n` })))
    await expect.poll(notice).toContain('Two kernels are compared: b_ref.ptx and c_opt.ptx were opened, a.ptx was not.')
    expect(await textOf(page, 'optimized')).toContain('// c_opt')
    await page.context().close()
  })
})

describe('by keyboard', () => {
  test('the arrows go through the examples, Home and End through the tabs, and an editor says how to leave it', async () => {
    const { page } = await visit(site)
    await verdict(page)
    await page.getByTestId('examples').focus()
    await page.keyboard.press('Enter')
    await page.locator('[data-lesson="0"]').waitFor()
    const at = () => page.evaluate(() => [document.activeElement?.getAttribute('data-testid'), document.activeElement?.getAttribute('data-lesson')].find(name => name) ?? document.activeElement?.getAttribute('data-example'))
    await page.keyboard.press('ArrowDown')
    expect(await at()).toBe('open-files')
    await page.keyboard.press('ArrowDown')
    expect(await at()).toBe('0')
    await page.keyboard.press('End')
    expect(await at()).toBe(await page.locator('[data-example]').last().getAttribute('data-example'))
    await page.keyboard.press('Home')
    expect(await at()).toBe('open-files')
    await page.keyboard.press('Escape')
    const tab = () => page.evaluate(() => document.activeElement?.id)
    await page.locator('#tab-verdict').focus()
    await page.keyboard.press('End')
    expect(await tab()).toBe('tab-assumptions')
    await page.keyboard.press('Home')
    expect(await tab()).toBe('tab-verdict')
    const hint = () => page.getByTestId('editor-optimized').evaluate(host => getComputedStyle(host, '::after').content)
    expect(await hint()).toBe('none')
    await page.locator('[data-testid="editor-optimized"] .cm-content').focus()
    expect(await hint()).toBe('"Esc, then Tab leaves"')
    await page.context().close()
  })
})

describe('words', () => {
  test('of one kernel speak of analyzing it', async () => {
    const { page } = await visit(site, link('', kernel('mbar.ptx'), '[launch]\nblock = 64\n'))
    await verdict(page)
    await paste(page, 'optimized', kernel('mbar.ptx') + '// mine\n')
    await page.getByRole('button', { name: 'Analyze again' }).waitFor()
    await page.context().close()
  })

  test('about what is missing count it, and a name that is none is refused with the reason', async () => {
    const { page } = await visit(site, link(kernel('rms_ref.ptx'), kernel('rms_wrong.ptx'), ''))
    await verdict(page)
    await expect.poll(() => page.getByTestId('ask').textContent()).toContain('These are guesses')
    await page.getByTestId('block-optimized').fill('32')
    await page.keyboard.press('Tab')
    await expect.poll(() => page.getByTestId('ask').textContent()).toContain('This is a guess;')
    await page.locator('[data-parameter="arg0"]').click()
    await page.locator('[data-field="name"]').first().fill('my input-1')
    await page.keyboard.press('Tab')
    await expect.poll(() => page.locator('.refused').textContent()).toBe('“my input-1” cannot be a name: write letters, digits and _, beginning with a letter or _.')
    await page.context().close()
  })

  test('of a counterexample name its scalars', async () => {
    const { page } = await visit(site, link(kernel('rms_ref.ptx'), kernel('rms_wrong.ptx'), RMS))
    await verdict(page)
    await page.locator('#tab-counterexample').click()
    await expect.poll(() => page.locator('.inputs').textContent()).toMatch(/arg3.*= 64/s)
    await page.context().close()
  })

  test('on a phone, after New, the strip of tabs shows the one that is active', async () => {
    const { page } = await visit(site)
    await page.setViewportSize({ width: 390, height: 844 })
    await verdict(page)
    const shows = (id: string) => page.locator(`#${id}`).evaluate(tab => {
      const [box, strip] = [tab.getBoundingClientRect(), tab.parentElement!.getBoundingClientRect()]
      return box.left >= strip.left - 1 && box.right <= strip.right + 1
    })
    await page.locator('#tab-assumptions').click()
    await expect.poll(() => shows('tab-assumptions')).toBe(true)
    expect(await shows('tab-verdict')).toBe(false)
    await page.getByTestId('clear').click()
    await expect.poll(() => shows('tab-verdict')).toBe(true)
    await page.context().close()
  })
})
