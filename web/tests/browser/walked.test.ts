// What a stranger met who walked the whole page: answers that were thrown away, claims about runs that never were, and things
// that lay on top of each other.

import examples from 'virtual:gallery'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encode } from '../../src/core/share'
import { close, kernel, markedLines, open, paste, textOf, verdict, visit, type Site } from './page'

let site: Site

beforeAll(async () => {
  site = await open()
})
afterAll(() => close(site))

const RMS = '[launch]\nblock = 32\n[scalars]\narg3 = 64\n'
const link = (reference: string, optimized: string, spec: string) => '#' + encode({ reference, optimized, spec, single: reference === '', verdict: null })
const rms = (spec: string) => link(kernel('rms_ref.ptx'), kernel('rms_opt.ptx'), spec)
const panel = (page: Page) => page.locator('#panel').textContent()

/** A kernel of one thread block and two pointers, with these lines between its loads and its store. */
const small = (lines: string, threads = 64) => `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y)
.reqntid ${threads}
{
.reg .pred %p<4>;
.reg .b32 %r<9>;
.reg .b64 %rd<9>;
.reg .f32 %f<9>;
ld.param.u64 %rd1, [x];
ld.param.u64 %rd2, [y];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd4, %rd1, %rd3;
add.s64 %rd5, %rd2, %rd3;
ld.global.f32 %f1, [%rd4];
${lines}
st.global.f32 [%rd5], %f2;
ret;
}
`
const SCALE = small('mul.f32 %f2, %f1, 0f40800000;')
const ENDLESS = small('mov.f32 %f2, %f1;\nLOOP:\nsetp.eq.u32 %p1, %r1, %r1;\n@%p1 bra LOOP;')

describe('of what was not run', () => {
  test('no tab claims anything', async () => {
    const { page } = await visit(site, rms(''))
    expect(await verdict(page)).toBe('invalid_spec')
    for (const tab of ['races', 'counterexample', 'timeline', 'assumptions']) {
      await page.locator(`#tab-${tab}`).click()
      await expect.poll(() => page.getByTestId('nothing').textContent(), { message: tab }).toContain('The kernels were not run')
    }
    await page.context().close()
  })

  test('or only in part, that is said, and no arrow tells the direction of a parameter', async () => {
    const { page } = await visit(site, link('', ENDLESS, ''))
    expect(await verdict(page)).toBe('deadlock')
    await page.locator('#tab-races').click()
    await expect.poll(() => page.getByTestId('nothing').textContent()).toContain('up to where the run stopped')
    expect(await page.locator('.chip .role').count()).toBe(0)
    const finished = await visit(site, link('', SCALE, ''))
    expect(await verdict(finished.page)).toBe('race_free')
    await expect.poll(() => finished.page.locator('.chip .role').allTextContents()).toEqual(['→', '←'])
    await finished.page.context().close()
    await page.context().close()
  })
})

describe('values that are missing', () => {
  const field = (page: Page, name: string) => page.locator(`[data-missing="${name}"]`)

  test('are used when they are written and Verify is pressed, or Ctrl+Enter', async () => {
    for (const go of ['button', 'keys']) {
      const { page } = await visit(site, rms(''))
      expect(await verdict(page)).toBe('invalid_spec')
      await field(page, 'launch.block').fill('32')
      await field(page, 'scalars.arg3').fill('64')
      if (go === 'button') await page.getByTestId('verify').first().click()
      else await page.keyboard.press('Control+Enter')
      await expect.poll(() => verdict(page), { message: go }).toBe('equivalent')
      await page.getByTestId('spec-toggle').click()
      expect(await textOf(page, 'spec')).toMatch(/block = \[32, 1, 1\][^]*arg3 = 64/)
      await page.context().close()
    }
  })

  test('that cannot be read are told, and nothing is run', async () => {
    const { page } = await visit(site, rms(''))
    await verdict(page)
    await field(page, 'launch.block').fill('abc')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => page.getByTestId('ask').textContent()).toContain('“abc” is no size of a block')
    expect(await field(page, 'launch.block').inputValue()).toBe('abc')
    await page.context().close()
  })

  test('are not asked for under a text that is no PTX, or where the spec says one wrongly', async () => {
    const { page } = await visit(site, link(kernel('rms_ref.ptx'), '__global__ void k(float *x) { x[threadIdx.x] = 1; }', ''))
    expect(await verdict(page)).toBe('invalid_ptx')
    expect(await page.getByTestId('ask').count()).toBe(0)
    expect(await page.getByTestId('to-fill').count()).toBe(0)
    await page.goto(site.address + link('', SCALE.replace('.reqntid 64\n', ''), '[launch]\nblock = 2048\n'))
    await expect.poll(() => verdict(page)).toBe('invalid_spec')
    expect(await page.getByTestId('ask').count()).toBe(0)
    await page.context().close()
  })

  test('a field of the strip counts on Ctrl+Enter, too', async () => {
    const { page } = await visit(site, link('', SCALE.replace('.reqntid 64\n', ''), ''))
    expect(await verdict(page)).toBe('invalid_spec')
    await page.getByTestId('block-optimized').fill('16')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => verdict(page)).toBe('race_free')
    await page.context().close()
  })
})

test('an endless loop is called so, and its lines are marked', async () => {
  const { page } = await visit(site, link('', ENDLESS, ''))
  expect(await verdict(page)).toBe('deadlock')
  expect(await page.getByTestId('verdict').textContent()).toContain('Endless loop')
  expect(await page.getByTestId('pill').first().textContent()).toContain('Endless loop')
  expect((await markedLines(page, 'optimized')).join()).toContain('bra')
  await page.getByTestId('loop').click()
  await page.context().close()
})

test('elements that compute alike are one formula', async () => {
  const { page } = await visit(site, link('', SCALE, ''))
  expect(await verdict(page)).toBe('race_free')
  await expect.poll(() => page.getByTestId('folded').allTextContents()).toEqual(['y[i] = 4·x[i]'])
  expect(await panel(page)).toContain('and 56 more elements')
  await page.context().close()
})

test('a grid that nobody has said is marked as a guess where the kernel reads its block’s index', async () => {
  const grid = small('mov.u32 %r2, %ctaid.x;\nmov.f32 %f2, %f1;')
  const { page } = await visit(site, link('', grid, ''))
  await verdict(page)
  const needs = () => page.getByTestId('grid-optimized').evaluate(input => input.classList.contains('needs'))
  await expect.poll(needs).toBe(true)
  expect(await page.getByTestId('scope').textContent()).toBe('with a guessed grid of 1 × 1 × 1')
  await page.getByTestId('grid-optimized').fill('2')
  await page.keyboard.press('Control+Enter')
  await expect.poll(needs).toBe(false)
  await expect.poll(() => page.getByTestId('ran').count()).toBe(1)
  expect(await page.getByTestId('scope').count()).toBe(0)
  await page.context().close()
})

test('at every width the buttons stand beside the chips, and the verdict has its word', async () => {
  const spec = '[launch]\nblock = 32\n[reference]\ngrid = [4, 1, 1]\n[optimized]\ngrid = [2, 1, 1]\n[scalars]\narg3 = 64\n'
  const { page } = await visit(site, rms(spec))
  await verdict(page)
  for (const width of [820, 1024, 1152, 1280]) {
    await page.setViewportSize({ width, height: 760 })
    const seen = await page.evaluate(() => {
      const actions = document.querySelector('.actions')!.getBoundingClientRect()
      const chips = [...document.querySelectorAll('.chip')].map(chip => chip.getBoundingClientRect())
      const word = document.querySelector('[data-testid="pill"] .word')!
      return { over: chips.some(chip => chip.right > actions.left && chip.left < actions.right && chip.bottom > actions.top && chip.top < actions.bottom), cut: word.scrollWidth > word.clientWidth, wide: document.documentElement.scrollWidth > innerWidth }
    })
    expect(seen, String(width)).toEqual({ over: false, cut: false, wide: false })
  }
  await page.context().close()
})

test('a notice goes with the next verdict that is asked for', async () => {
  const { page } = await visit(site)
  await verdict(page)
  await paste(page, 'reference', kernel('rms_ref.ptx'))
  await paste(page, 'optimized', kernel('rms_opt.ptx'))
  await page.getByTestId('notice').waitFor()
  await page.getByTestId('verify').first().click()
  await expect.poll(() => verdict(page)).toBe('invalid_spec')
  // Nothing was run: it may help.
  expect(await page.getByTestId('notice').count()).toBe(1)
  await page.locator('[data-missing="launch.block"]').fill('32')
  await page.locator('[data-missing="scalars.arg3"]').fill('64')
  await page.getByTestId('verify').first().click()
  await expect.poll(() => verdict(page)).toBe('equivalent')
  await expect.poll(() => page.getByTestId('notice').count()).toBe(0)
  await page.context().close()
})

test('Share copies when its button is pressed, not before', async () => {
  const { page } = await visit(site, rms(RMS))
  await verdict(page)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(() => navigator.clipboard.writeText('mine'))
  await page.getByTestId('share').click()
  await expect.poll(() => page.getByTestId('share-link').inputValue()).toContain('#1')
  expect(await page.getByRole('button', { name: 'Copied' }).count()).toBe(0)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine')
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('#1')
  await page.context().close()
})

test('the button of an editor takes several files, like a drop, and says whose it is', async () => {
  const { page } = await visit(site)
  await verdict(page)
  const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
  expect(await page.getByLabel('Open file: Reference').count()).toBe(1)
  expect(await page.getByLabel('Open file: Optimized').count()).toBe(1)
  await page.getByTestId('open-optimized').setInputFiles([file('a_opt.ptx', kernel('rms_opt.ptx')), file('b_ref.ptx', kernel('rms_ref.ptx')), file('s.toml', RMS)])
  await expect.poll(() => textOf(page, 'reference')).toBe(kernel('rms_ref.ptx'))
  expect(await textOf(page, 'optimized')).toBe(kernel('rms_opt.ptx'))
  await page.context().close()
})

test('paper has both accesses of a race, and both formulas of a difference', async () => {
  for (const [id, wanted] of [['data_race/softmax/n128_buffer_reuse', /writes: line \d+[^]*reads: line \d+|reads: line \d+[^]*writes: line \d+/], ['not_equivalent/softmax/n4_no_rescale', /Reference: e\^[^]*Optimized: e\^/]] as const) {
    const { input } = examples.find(example => example.id === id)!
    const { page } = await visit(site, '#' + encode({ ...input, verdict: null }))
    await verdict(page)
    await page.waitForTimeout(1500)
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
    await expect.poll(() => page.getByTestId('print-sheet').textContent(), { message: id }).toMatch(wanted)
    await page.context().close()
  }
})

test('a formula typed over another breaks no rule of the page', async () => {
  const { page, complaints } = await visit(site)
  await verdict(page)
  await page.getByTestId('as-formula').click()
  await page.locator('[data-testid="editor-reference"] .cm-content').click()
  for (const formula of ['y = softmax(x)', 'y = exp(x) / sum(exp(x))']) {
    await page.keyboard.press('Control+a')
    await page.keyboard.type(formula)
    await page.keyboard.press('Escape')
  }
  await expect.poll(() => textOf(page, 'reference')).toContain('y = exp(x)')
  expect(complaints).toEqual([])
  await page.context().close()
})

test('the help and the document say which verdicts have two names', async () => {
  const { page } = await visit(site)
  await verdict(page)
  await page.getByRole('button', { name: 'Help' }).click()
  await expect.poll(() => page.getByTestId('other-names').first().textContent()).toContain('“No faults found” is “race free”')
  await page.getByTestId('open-documents').click()
  await expect.poll(() => page.getByTestId('documents').getByTestId('other-names').count()).toBe(1)
  await page.context().close()
})
