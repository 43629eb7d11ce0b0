// Kernels of one's own: what comes of them when others take their place, when something is missing, and what they are
// called. The kernels are those of somebody who met the page for the first time.

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

const RMS = '[launch]\nblock = 32\n[scalars]\narg3 = 64\n'

/** A page with kernels and a spec, by a link; without a reference, one kernel is analyzed. */
async function question(reference: string | null, optimized: string, spec: string, size = { width: 1280, height: 860 }) {
  const visited = await visit(site, '#' + encode({ reference: reference === null ? '' : kernel(reference), optimized: kernel(optimized), spec, single: reference === null, verdict: null }))
  await visited.page.setViewportSize(size)
  await verdict(visited.page)
  return visited
}

/** The same pasted over what is there: work of the visitor's own. */
async function pasted(page: Page, reference: string, optimized: string) {
  await paste(page, 'reference', kernel(reference))
  await paste(page, 'optimized', kernel(optimized))
}

const spec = (page: Page) => textOf(page, 'spec')
const openSpec = (page: Page) => page.getByTestId('spec-toggle').click()
const idle = (page: Page) => page.getByTestId('idle').textContent()
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-missing'))

/** What a page copies, from now on. */
async function copies(page: Page): Promise<() => Promise<string>> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  return () => page.evaluate(() => navigator.clipboard.readText())
}

test('a copied test says what the arguments are, so that it finds the same', async () => {
  const { page, complaints } = await question('gather_ref.ptx', 'gather_bad.ptx', '[launch]\nblock = 32\ngrid = 2\nctas = "all"\n[tensors.arg1]\ncontents = [3, 1]\n[scalars]\narg3 = 64\n')
  expect(await verdict(page)).toBe('not_equivalent')
  const copied = await copies(page)
  await page.locator('#tab-counterexample').click()
  await page.getByTestId('copy-test').click()
  const written = readSpec(await copied())!
  expect(written['reference']).toMatchObject({ args: ['arg0', 'arg1', 'arg2', 'arg3'] })
  expect(written['optimized']).toMatchObject({ args: ['arg0', 'arg1', 'arg2', 'arg3'] })
  const { page: again } = await question('gather_ref.ptx', 'gather_bad.ptx', await copied())
  expect(await verdict(again)).toBe('not_equivalent')
  await again.context().close()
  expect(complaints).toEqual([])
  await page.context().close()
})

describe('the address', () => {
  test('has no link any more once the question is another one, and a reload keeps the work', async () => {
    const { page } = await question('rms_ref.ptx', 'rms_wrong.ptx', RMS)
    const hash = () => page.evaluate(() => location.hash)
    expect((await hash()).length).toBeGreaterThan(100)
    await page.getByTestId('grid-optimized').fill('2')
    await page.keyboard.press('Tab')
    await expect.poll(hash).toBe('')
    await page.getByTestId('share').click()
    await expect.poll(async () => (await hash()).length).toBeGreaterThan(100)
    await page.getByRole('button', { name: 'Close' }).click()
    await paste(page, 'optimized', kernel('rms_opt.ptx'))
    await expect.poll(hash).toBe('')
    await page.waitForTimeout(500)
    await page.reload()
    await expect.poll(() => textOf(page, 'optimized')).toBe(kernel('rms_opt.ptx'))
    await page.getByTestId('clear').click()
    await expect.poll(() => textOf(page, 'optimized')).toBe('')
    await page.context().close()
  })
})

describe('what is missing', () => {
  test('of two empty editors, and of one, is said where the answer would be', async () => {
    const { page, complaints } = await visit(site)
    await verdict(page)
    await page.getByTestId('clear').click()
    await expect.poll(() => page.getByTestId('block-optimized').inputValue()).toBe('')
    expect(await page.getByTestId('block-optimized').getAttribute('placeholder')).toBe('?')
    expect(await page.getByTestId('intro').textContent()).toContain('Paste PTX into the editors')
    await page.getByTestId('verify').first().click()
    await expect.poll(() => idle(page)).toBe('Two kernels are needed')
    expect(await page.getByTestId('sources').textContent()).toContain('~/.triton/cache')
    const copied = await copies(page)
    await page.getByTestId('copy-code').first().click()
    expect(await copied()).toBe('nvcc -ptx -arch=sm_80 kernel.cu -o kernel.ptx')
    // Source instead of PTX is told at once, without a word about the side that is empty.
    await paste(page, 'optimized', kernel('rms_opt.cu'))
    const findings = page.locator('.findings li')
    await expect.poll(() => findings.allTextContents()).toHaveLength(1)
    expect(await findings.first().textContent()).toContain('this is CUDA C++, not a PTX file')
    expect(await findings.first().getByTestId('copy-code').count()).toBeGreaterThan(1)
    expect(await idle(page)).toBe('The reference is empty')
    await page.getByTestId('verify').first().click()
    expect(await idle(page)).toBe('The reference is empty')
    await paste(page, 'optimized', kernel('rms_opt.ptx'))
    await expect.poll(() => findings.count()).toBe(0)
    await page.getByText('Analyze one').click()
    await page.getByTestId('clear').click()
    await page.getByTestId('verify').first().click()
    await expect.poll(() => idle(page)).toBe('The kernel is empty')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('a message about a value leads to its field, and a block that is no number is refused', async () => {
    const { page } = await question('rms_ref.ptx', 'rms_wrong.ptx', '')
    expect(await verdict(page)).toBe('invalid_spec')
    expect(await page.getByTestId('ask').textContent()).toContain('how the kernels are launched')
    await page.getByTestId('fill-in').filter({ hasText: 'needs a value' }).first().click()
    expect(await focused(page)).toBe('scalars.arg3')
    await page.getByTestId('fill-in').filter({ hasText: 'how many threads' }).first().click()
    expect(await focused(page)).toBe('launch.block')
    await page.locator('[data-missing="launch.block"]').fill('abc')
    await page.locator('[data-missing="scalars.arg3"]').fill('64')
    await page.getByRole('button', { name: 'Verify with these' }).click()
    await expect.poll(() => page.getByTestId('ask').getByRole('alert').textContent()).toContain('“abc” is no size of a block')
    expect(await focused(page)).toBe('launch.block')
    await page.locator('[data-missing="launch.block"]').fill('16 × 2')
    await page.getByRole('button', { name: 'Verify with these' }).click()
    await expect.poll(() => verdict(page)).not.toBe('invalid_spec')
    await openSpec(page)
    expect(await spec(page)).toContain('block = [16, 2, 1]')
    await page.context().close()
  })

  test('where kernels have to be chosen, nothing is said about launches', async () => {
    const two = kernel('rms_ref.ptx') + kernel('gather_ref.ptx').replace(/^[^]*?(?=\.visible)/, '')
    const { page } = await visit(site, '#' + encode({ reference: two, optimized: two, spec: '', single: false, verdict: null }))
    await verdict(page)
    const asked = page.getByTestId('ask')
    await expect.poll(() => asked.textContent()).toContain('The PTX holds several kernels')
    expect(await asked.textContent()).not.toContain('how the kernels are launched')
    expect(await page.getByTestId('block-optimized').inputValue()).toBe('')
    await page.getByTestId('spec-form').click()
    const entry = page.locator('dialog [data-field="optimized-entry"]')
    await expect.poll(() => entry.locator('option').allTextContents()).toEqual(['Choose a kernel', 'rmsnorm_ref', 'embed'])
    await entry.selectOption({ label: 'embed' })
    await expect.poll(() => page.getByTestId('entry-optimized').inputValue()).toMatch(/^_Z5embed/)
    await page.context().close()
  })
})

describe('one undo', () => {
  test('after New, an example or a lesson brings all of one’s own question back', async () => {
    const { page, complaints } = await visit(site)
    await verdict(page)
    await pasted(page, 'rms_ref.ptx', 'rms_wrong.ptx')
    await page.getByTestId('block-optimized').fill('32')
    await page.keyboard.press('Tab')
    await expect.poll(() => page.locator('[data-missing="scalars.arg3"]').count()).toBe(1)
    await page.locator('[data-missing="scalars.arg3"]').fill('64')
    await page.locator('[data-testid="ask"] button').click()
    expect(await verdict(page)).toBe('not_equivalent')
    const own = async () => {
      await expect.poll(() => textOf(page, 'optimized')).toBe(kernel('rms_wrong.ptx'))
      expect(await textOf(page, 'reference')).toBe(kernel('rms_ref.ptx'))
      expect(await page.getByTestId('block-optimized').inputValue()).toMatch(/^32/)
      await expect.poll(() => page.locator('[data-parameter="arg3"]').textContent()).toContain('= 64')
      expect(await verdict(page)).toBe('not_equivalent')
    }
    const undo = async (side: string) => {
      await page.locator(`[data-testid="editor-${side}"] .cm-content`).click()
      await page.keyboard.press('Control+z')
    }
    await page.getByTestId('clear').click()
    await expect.poll(() => textOf(page, 'optimized')).toBe('')
    await undo('reference')
    await own()
    // What was given up can be had again.
    await page.keyboard.press('Control+y')
    await expect.poll(() => textOf(page, 'optimized')).toBe('')
    await undo('optimized')
    await own()
    await page.getByTestId('examples').click()
    await page.locator('[data-example="data_race/softmax/n128_buffer_reuse"]').click()
    expect(await verdict(page)).toBe('data_race')
    // What was typed since is undone first.
    await page.locator('[data-testid="editor-optimized"] .cm-content').click()
    await page.keyboard.insertText('// mine')
    await page.keyboard.press('Control+z')
    await expect.poll(() => textOf(page, 'optimized')).not.toContain('// mine')
    await page.keyboard.press('Control+z')
    await own()
    // The notice says so, too.
    await page.getByTestId('clear').click()
    await page.getByTestId('notice-action').click()
    await own()
    await page.getByTestId('examples').click()
    await page.locator('[data-lesson="0"]').click()
    await expect.poll(() => page.getByTestId('lesson').count()).toBe(1)
    await page.getByTestId('lesson-next').click()
    await page.getByText('Leave the lesson').click()
    await own()
    expect(await page.getByTestId('lesson').count()).toBe(0)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('of a kernel that was pasted over an example’s brings the example’s spec back', async () => {
    const { page } = await visit(site)
    await verdict(page)
    await openSpec(page)
    const before = await spec(page)
    expect(before).not.toBe('')
    await paste(page, 'optimized', kernel('rms_wrong.ptx'))
    await expect.poll(() => spec(page)).toBe('')
    await page.locator('[data-testid="editor-optimized"] .cm-content').click()
    await page.keyboard.press('Control+z')
    await expect.poll(() => spec(page)).toBe(before)
    expect(await verify(page)).toBe('equivalent')
    await page.context().close()
  })
})

test('kernels, parameters and arrays are called as in their source', async () => {
  const { page } = await question(null, 'rms_opt.ptx', RMS)
  const chip = page.locator('[data-parameter="arg2"]')
  await expect.poll(() => chip.getAttribute('title')).toMatch(/^parameter 3 of rmsnorm_vec4: /)
  await chip.click()
  await expect.poll(() => page.locator('.panel:popover-open h3').textContent()).toContain('parameter 3 of rmsnorm_vec4')
  await page.keyboard.press('Escape')
  await page.locator('#tab-timeline').click()
  await page.getByLabel('Previous barrier').click()
  await expect.poll(() => page.getByTestId('memory-name').locator('option').allTextContents(), { timeout: 60_000 }).toContainEqual(expect.stringMatching(/^sh \(shared/))
  expect(await page.getByTestId('memory').textContent()).not.toContain('_Z')
  await page.getByTestId('memory-name').selectOption({ label: 'sh (shared f32[32])' })
  await expect.poll(() => page.getByTestId('memory').locator('td button').first().getAttribute('title'), { timeout: 60_000 }).toMatch(/^sh\[0\] = /)
  // The box at the pointer says the place, and is whole although there is one warp.
  const canvas = page.getByTestId('timeline')
  await expect.poll(() => canvas.getAttribute('data-whole'), { timeout: 30_000 }).toBe('true')
  await canvas.focus()
  const box = page.getByTestId('timeline-moment')
  for (let steps = 0; steps < 90; steps++) {
    await page.keyboard.press('Shift+ArrowRight')
    await page.waitForTimeout(30)
    if (/^st\.shared/.test((await box.textContent()) ?? '')) break
  }
  await expect.poll(() => box.textContent(), { timeout: 60_000 }).toContain('at sh[0]')
  const inside = () => box.evaluate(element => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    return ([[left + 8, top + 8], [right - 8, bottom - 8]] as const).every(([x, y]) => {
      element.style.pointerEvents = 'auto'
      const found = document.elementFromPoint(x, y)
      element.style.pointerEvents = ''
      return element.contains(found)
    })
  })
  await expect.poll(inside).toBe(true)
  await page.context().close()
})

test('one kernel is the kernel, and its lines are lines', async () => {
  const { page } = await question(null, 'mbar.ptx', '[launch]\nblock = 64\n')
  expect(await verdict(page)).toBe('deadlock')
  expect(await page.getByTestId('verify').first().getAttribute('title')).toBe('Analyze (Ctrl+Enter)')
  const said = async () => (await page.locator('#panel').textContent()) ?? ''
  expect(await said()).toContain('line 76')
  expect(await said()).not.toMatch(/optimized/i)
  await page.locator('#tab-waits').click()
  await expect.poll(said).toContain('wait at')
  await expect.poll(said).not.toMatch(/optimized|_Z/i)
  // The note is below the line that it is about, and covers none of it.
  const mark = page.locator('[data-testid="editor-optimized"] .wp-mark').first()
  expect(await mark.evaluate(line => [line.getAttribute('data-mark'), getComputedStyle(line, '::after').display])).toEqual(['threads 0–63 wait here', 'block'])
  const { page: racy } = await question(null, 'mm_race.ptx', '[launch]\nblock = [8, 8]\nctas = "all"\n[scalars]\narg3 = 12\narg4 = 10\narg5 = 20\n')
  await racy.locator('#tab-races').click()
  const cards = racy.getByTestId('race')
  // Of 32 races, those between the same two lines of the source are one card.
  await expect.poll(() => cards.count()).toBe(2)
  expect(await cards.allTextContents()).not.toContainEqual(expect.stringMatching(/optimized/i))
  await cards.first().getByTestId('alike').click()
  expect(await cards.first().getByTestId('alike').textContent()).toBe('15 more races between these two lines of the source')
  expect(await racy.getByTestId('race-alike').count()).toBe(32)
  await cards.first().getByTestId('race-alike').nth(3).click()
  await expect.poll(() => cards.first().locator('h3').textContent()).toContain('a[3]')
  expect(await cards.first().locator('[aria-current="true"]').count()).toBe(1)
  await racy.context().close()
  await page.context().close()
})

describe('what is shown', () => {
  test('a pasted kernel from its beginning, and the source pane closes with its kernel', async () => {
    const { page } = await question('rms_ref.ptx', 'rms_wrong.ptx', RMS)
    await page.getByTestId('source-reference').click()
    await expect.poll(() => page.getByTestId('source-pane-reference').count()).toBe(1)
    await paste(page, 'reference', kernel('gather_ref.ptx'))
    await expect.poll(() => page.getByTestId('source-pane-reference').count()).toBe(0)
    const shown = () => page.locator('[data-testid="editor-reference"] .cm-scroller').evaluate(scroller => {
      const { top, bottom } = scroller.getBoundingClientRect()
      return [...scroller.querySelectorAll('.cm-line')].filter(line => line.getBoundingClientRect().top >= top && line.getBoundingClientRect().bottom <= bottom).map(line => line.textContent).join('\n')
    })
    await expect.poll(shown).toContain('.visible .entry')
    await page.context().close()
  })

  test('sentences are whole: spaces, exact counts, labels beside formulas', async () => {
    const { page } = await question('rms_ref.ptx', 'rms_wrong.ptx', RMS, { width: 420, height: 860 })
    const outputs = page.locator('.outputs')
    expect(await outputs.textContent()).toContain('at arg2[i], i = 3, 7 … 63: the optimized kernel has')
    const label = outputs.locator('.value .name').first()
    expect(await label.evaluate(element => element.getClientRects().length)).toBe(1)
    // The bar of a fraction is as long as what is below it, also where there is too little room.
    await page.locator('[data-parameter="arg2"]').click()
    const sides = page.locator('.panel:popover-open mfrac')
    await expect.poll(() => sides.count()).toBeGreaterThan(1)
    const shorter = () => page.locator('.panel:popover-open').evaluate(panel => [...panel.querySelectorAll('math')].filter(math => math.getBoundingClientRect().width + 1 < math.firstElementChild!.getBoundingClientRect().width).length)
    expect(await shorter()).toBe(0)
    await page.context().close()
  })

  test('on a phone the form begins at its beginning, and a kernel’s name is whole', async () => {
    const { page } = await question('rms_ref.ptx', 'rms_wrong.ptx', RMS, { width: 390, height: 844 })
    const name = page.locator('code.entry').first()
    expect(await name.evaluate(element => element.scrollWidth <= element.clientWidth)).toBe(true)
    await page.getByTestId('spec-form').click()
    await page.locator('dialog[open] [data-testid="editor-spec"]').waitFor()
    await page.waitForTimeout(300)
    expect(await page.evaluate(() => [...document.querySelectorAll('dialog[open], dialog[open] *')].filter(element => element.scrollTop > 0).length)).toBe(0)
    await page.context().close()
  })

  test('what is shared says its inputs, and that a link to this computer opens only here', async () => {
    const { page } = await question('rms_ref.ptx', 'rms_wrong.ptx', RMS)
    await page.getByTestId('share').click()
    await expect.poll(() => page.getByTestId('share-note').textContent()).toMatch(/served by this computer \(.*\), so its links open nowhere else/)
    await page.getByTestId('share-as-markdown').click()
    expect(await page.getByTestId('share-link').inputValue()).toMatch(/Inputs on which the kernels differ: `arg2\[3\]` = 8[^]*- `arg0 f32`: [^]*opens only on the computer/)
    await page.keyboard.press('Escape')
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
    await expect.poll(() => page.getByTestId('print-sheet').textContent()).toContain('arg0 f32: ')
    await page.context().close()
  })
})
