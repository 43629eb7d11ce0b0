// What somebody sees who is here for the first time, with kernels of their own: what is unknown is asked for,
// what is the same is said once, and everything leads somewhere.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import examples from 'virtual:gallery'
import { CLASSES } from '../../src/core/timeline'
import { encode } from '../../src/core/share'
import { close, example, markedLines, open, paste, textOf, verdict, visit, type Site } from './page'

let site: Site
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'warpproof-'))

beforeAll(async () => {
  site = await open()
})
afterAll(async () => {
  await close(site)
  fs.rmSync(folder, { recursive: true })
})

const SCALE = (body: string) => `.version 8.0
.target sm_80
.address_size 64
.visible .entry _Z5scalePfi(.param .u64 _Z5scalePfi_param_0, .param .u32 _Z5scalePfi_param_1)
{
.reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<3>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [_Z5scalePfi_param_0]; ld.param.u32 %r1, [_Z5scalePfi_param_1];
mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.s32 %r5, %r3, %r4, %r2;
setp.ge.s32 %p1, %r5, %r1; @%p1 bra DONE;
mul.wide.s32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];
${body}
st.global.f32 [%rd3], %f2;
DONE: ret;
}
`
const DOUBLED = [SCALE('add.f32 %f2, %f1, %f1;'), SCALE('mul.f32 %f2, %f1, 0f40000000;')] as const

describe('what nobody has said', () => {
  test('is asked for: an unknown block is not shown as 1 × 1 × 1, and messages lead to its field', async () => {
    const { page, complaints } = await visit(site)
    await verdict(page)
    await page.getByTestId('clear').click()
    await paste(page, 'reference', DOUBLED[0])
    await paste(page, 'optimized', DOUBLED[1])
    const field = page.locator('[data-missing="launch.block"]')
    await field.waitFor()
    const block = page.getByTestId('block-optimized')
    expect(await block.inputValue()).toBe('')
    expect(await block.getAttribute('placeholder')).toBe('?')
    expect(await block.evaluate(input => input.classList.contains('needs'))).toBe(true)
    await page.getByTestId('spec-form').click()
    const inForm = page.locator('dialog [data-field="launch-block"]')
    await expect.poll(() => inForm.getAttribute('placeholder')).toBe('?')
    expect(await inForm.evaluate(input => input.classList.contains('needs'))).toBe(true)
    await page.getByTestId('spec-close').click()
    // Asked all the same, it answers with a message, which leads there.
    await page.getByTestId('verify').first().click()
    expect(await verdict(page)).toBe('invalid_spec')
    await page.getByTestId('fill-in').first().click()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-missing'))).toBe('launch.block')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('which CTAs ran is said in the headline', async () => {
    const spec = '[launch]\ngrid = [4, 1, 1]\nblock = [32, 1, 1]\n[scalars]\narg1 = 128\n'
    const link = (spec: string) => '#' + encode({ reference: DOUBLED[0], optimized: DOUBLED[1], spec, single: false, verdict: null })
    const { page } = await visit(site, link(spec))
    expect(await verdict(page)).toBe('equivalent')
    expect(await page.getByTestId('ran').textContent()).toBe('CTA (0,0,0) of 4')
    await page.context().close()
    const { page: all } = await visit(site, link(spec.replace('[scalars]', 'ctas = "all"\n[scalars]')))
    expect(await verdict(all)).toBe('equivalent')
    expect(await all.getByTestId('ran').count()).toBe(0)
    await all.context().close()
  })
})

describe('on a phone', () => {
  const inView = (page: Page) => page.getByTestId('verdict').evaluate(element => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight - 60
  })
  // By a key, as visitors do: from then on the page leaves them where they are. (By script it would race with the page,
  // and a key in the very frame in which the page scrolls may be lost.)
  const toTheEnd = (page: Page) => expect.poll(async () => {
    await page.keyboard.press('End')
    return inView(page)
  }).toBe(false)

  test('the verdict’s pill and Verify bring the verdict into view', async () => {
    const { page } = await visit(site)
    await page.setViewportSize({ width: 390, height: 844 })
    await verdict(page)
    await page.setViewportSize({ width: 390, height: 500 })
    await toTheEnd(page)
    await page.locator('.pinned').getByTestId('pill').click()
    await expect.poll(() => inView(page)).toBe(true)
    await toTheEnd(page)
    await page.locator('.pinned').getByTestId('verify').click()
    await expect.poll(async () => (await verdict(page)) !== '' && (await inView(page)), { timeout: 30_000 }).toBe(true)
    // Without a wish nothing moves: a text is edited where it is.
    await paste(page, 'optimized', (await textOf(page, 'optimized')) + '// mine\n')
    await expect.poll(() => page.getByTestId('pill').last().textContent()).toContain('before your edit')
    expect(await page.getByTestId('editor-optimized').evaluate(element => element.getBoundingClientRect().top < innerHeight)).toBe(true)
    await page.context().close()
  })
})

describe('what is the same', () => {
  test('512 elements that differ are one finding, and one element is no “1 like”', async () => {
    const { page } = await example(site, 'not_equivalent/transpose/same_block')
    const findings = page.locator('.findings li')
    await expect.poll(() => findings.count()).toBe(1)
    expect(await findings.first().textContent()).toContain('out[0][16] and 511 more: the kernels give different values')
    expect(await page.locator('.outputs').textContent()).not.toMatch(/\d+ like /)
    await page.context().close()
  })

  test('the formula that both compute stands on the verdict’s page', async () => {
    const { page } = await visit(site)
    expect(await verdict(page)).toBe('equivalent')
    const formula = page.locator('.outputs .value').first()
    expect(await formula.locator('math').count()).toBe(1)
    expect(await formula.locator('math').evaluate(math => math.getBoundingClientRect().height)).toBeGreaterThan(20)
    await page.context().close()
  })

  test('answers that are confirmed at sample points only say so', async () => {
    const { page } = await visit(site, link('equal_up_to_rounding/constants/pi_in_two_halves'))
    expect(await verdict(page)).toBe('equal_up_to_rounding')
    expect(await page.getByTestId('checked').textContent()).toContain('confirmed at sample points only')
    await page.context().close()
  })
})

describe('input that cannot be used', () => {
  const alone = (optimized: string, spec: string) => '#' + encode({ reference: '', optimized, spec, single: true, verdict: null })
  const kernel = (body: string) => `.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n${body}\nmul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2;\nret;\n}\n`

  test.each([
    ['CUDA C++', '__global__ void k(float *x) { x[threadIdx.x] = 1; }', /this is CUDA C\+\+.*nvcc/s],
    ['LLVM IR', 'target triple = "nvptx64"\ndefine void @k(ptr %0) {\n  ret void\n}\n', /this is LLVM IR/],
    ['a part of a kernel', 'ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;', /a fragment of PTX.*\.version/s],
  ])('is recognized: %s', async (_, text, message) => {
    const { page } = await visit(site, alone(text, ''))
    expect(await verdict(page)).toBe('invalid_ptx')
    expect(await page.locator('#panel').textContent()).toMatch(message)
    await page.context().close()
  })

  test('a shuffle from a lane that does not exist is told as that', async () => {
    const { page } = await visit(site, alone(kernel('shfl.sync.down.b32 %r2, %r1, 1, 31, 0xffffffff;'), '[launch]\nblock = [100, 1, 1]\n'))
    expect(['uninitialized_read', 'barrier_divergence']).toContain(await verdict(page))
    expect(await page.locator('#panel').textContent()).toMatch(/lane \d+, which does not take part|lanes? .* that (do|does) not exist|names? lane/)
    await page.context().close()
  })

  test('a loop that never ends is named, with its lines', { timeout: 240_000 }, async () => {
    const { page } = await visit(site, alone(kernel('mov.u32 %r2, 0;\n$L:\nadd.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra $L;'), '[launch]\nblock = [1, 1, 1]\n'))
    expect(await verdict(page, 200_000)).toBe('resource_limit')
    expect(await page.locator('#panel').textContent()).toMatch(/D003/)
    await page.context().close()
  })
})

/** A link to a case of the corpus. */
function link(name: string): string {
  const file = path.resolve(import.meta.dirname, '../../../tests/corpus', `${name}.toml`)
  const spec = fs.readFileSync(file, 'utf8')
  const [reference, optimized] = [...spec.matchAll(/^ptx\s*=\s*"(.*)"/gm)].map(([, ptx]) => fs.readFileSync(path.join(path.dirname(file), ptx!), 'utf8'))
  return '#' + encode({ spec: spec.replace(/^ptx\s*=.*\n/gm, ''), reference: reference!, optimized: optimized!, single: false, verdict: null })
}

test('rows of memory are labeled by index, and cells that differ look different', async () => {
  const { page } = await visit(site)
  await verdict(page)
  await page.locator('#tab-timeline').click()
  await page.getByLabel('Previous barrier').click()
  const memory = page.getByTestId('memory')
  await expect.poll(() => memory.locator('table').count(), { timeout: 60_000 }).toBe(1)
  await expect.poll(() => memory.locator('th[scope="row"]').allTextContents()).toContain('[16]')
  expect((await memory.locator('th[scope="col"]').allTextContents()).slice(0, 3)).toEqual(['Index', '+0', '+1'])
  await memory.getByTestId('memory-name').selectOption('y')
  await expect.poll(() => memory.locator('td button').first().getAttribute('title'), { timeout: 60_000 }).toMatch(/^y\[0\] = .*max/)
  const cells = await memory.locator('td button').evaluateAll(buttons => buttons.map(button => ({ all: button.getAttribute('title')!.replace(/^[^=]*= /, ''), shown: button.textContent! })))
  expect(cells.length).toBe(128)
  expect(new Set(cells.map(({ all }) => all)).size).toBe(128)
  expect(new Set(cells.map(({ shown }) => shown)).size).toBe(128)
  await page.context().close()
})

describe('the timeline', () => {
  /** How many pixels of an element have a color, nearly, as it is painted. */
  async function pixels(page: Page, element: string, colors: string[]): Promise<number[]> {
    const picture = (await page.locator(element).screenshot()).toString('base64')
    return page.evaluate(async ({ picture, colors }) => {
      const image = new Image()
      image.src = `data:image/png;base64,${picture}`
      await image.decode()
      const canvas = new OffscreenCanvas(image.width, image.height)
      const context = canvas.getContext('2d')!
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, image.width, image.height)
      const style = getComputedStyle(document.documentElement)
      return colors.map(name => {
        const wanted = style.getPropertyValue(name).trim()
        const [r, g, b] = [1, 3, 5].map(at => parseInt(wanted.slice(at, at + 2), 16)) as [number, number, number]
        let found = 0
        for (let at = 0; at < data.length; at += 4) if (Math.abs(data[at]! - r) + Math.abs(data[at + 1]! - g) + Math.abs(data[at + 2]! - b) < 12) found++
        return found
      })
    }, { picture, colors })
  }

  test('colors what instructions are for, in rows that use the height', async () => {
    const { page } = await visit(site)
    await verdict(page)
    await page.locator('#tab-timeline').click()
    const canvas = page.getByTestId('timeline')
    await expect.poll(() => canvas.getAttribute('data-whole'), { timeout: 30_000 }).toBe('true')
    await canvas.focus()
    for (let times = 0; times < 6; times++) await page.keyboard.press('KeyW')
    const colors = CLASSES.map(name => `--class-${name}`)
    await expect.poll(async () => Math.min(...(await pixels(page, '[data-testid="timeline"]', colors.slice(0, 3))))).toBeGreaterThan(200)
    // Four warps: each has more than the least of 20 pixels.
    expect(Number(await canvas.getAttribute('data-row-height'))).toBeGreaterThan(30)
    await page.setViewportSize({ width: 1280, height: 500 })
    await expect.poll(async () => Number(await canvas.getAttribute('data-row-height'))).toBeLessThan(30)
    await page.context().close()
  })

  test('says at the pointer what executes there, on which address, with which value', async () => {
    const { page, complaints } = await visit(site)
    await verdict(page)
    await page.locator('#tab-timeline').click()
    const canvas = page.getByTestId('timeline')
    await expect.poll(() => canvas.getAttribute('data-whole'), { timeout: 30_000 }).toBe('true')
    const text = await textOf(page, 'optimized')
    // From the beginning the cursor goes from step to step, by keyboard, until it stands at the first load of the input.
    const box = page.getByTestId('timeline-moment')
    await canvas.click({ position: { x: 94, y: 40 } })
    await canvas.focus()
    for (let steps = 0; steps < 60; steps++) {
      await page.keyboard.press('Shift+ArrowRight')
      await page.waitForTimeout(50)
      if (/^ld\.global/.test((await box.textContent()) ?? '')) break
    }
    await expect.poll(() => box.textContent(), { timeout: 60_000 }).toMatch(/ld\.global\S* %f\d+, \[%rd\d+\];.*at x\[0\].*%f\d+ = x\[0\]/)
    const line = /line (\d+)/.exec((await page.getByTestId('timeline-hover').textContent()) ?? '')?.[1]
    expect(text.split('\n')[Number(line) - 1]).toContain('ld.global')
    // By mouse, on another warp, the values are those of its first lane.
    await page.keyboard.press('Shift+ArrowDown')
    await expect.poll(() => box.textContent(), { timeout: 60_000 }).toContain('= x[32]')
    const bounds = (await canvas.boundingBox())!
    await page.mouse.move(bounds.x + bounds.width / 2, bounds.y + 40)
    await expect.poll(() => box.textContent(), { timeout: 60_000 }).not.toContain('= x[32]')
    await page.mouse.move(bounds.x + 20, bounds.y + 40)
    await expect.poll(() => box.count()).toBe(0)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

describe('the source of a kernel', () => {
  const race = examples.find(({ id }) => id === 'data_race/softmax/n128_buffer_reuse')!

  test('stands beside its PTX: marks are on its lines, and a click on a line shows its PTX', async () => {
    const { page, complaints } = await example(site, race.id)
    await page.getByTestId('source-optimized').click()
    const pane = page.getByTestId('source-pane-optimized')
    await expect.poll(() => pane.locator('.first').textContent()).toContain('expf(value - buffer[0])')
    await expect.poll(() => pane.locator('.second').textContent()).toContain('buffer[i] = e')
    // From the PTX to the source: the line of the cursor.
    await page.locator('[data-testid="editor-optimized"] .cm-line', { hasText: 'st.shared' }).last().click()
    await expect.poll(() => pane.locator('[aria-selected="true"]').count()).toBe(1)
    // And back.
    await pane.locator('[data-line="13"]').click()
    const lines = () => markedLines(page, 'optimized')
    await expect.poll(async () => (await lines()).some(line => line.includes('ex2.approx')), { timeout: 20_000 }).toBe(true)
    expect((await lines()).some(line => line.includes('st.shared'))).toBe(false)
    // By keyboard.
    await pane.getByRole('listbox').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await lines()).some(line => line.includes('st.shared'))).toBe(true)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('is asked for where it is not at hand, and opened; one that no kernel names is no source', async () => {
    const ptx = race.input.optimized.replaceAll('softmax/mutants/block_no_barrier.cu', '/home/me/mine.cu')
    const { page } = await visit(site, '#' + encode({ ...race.input, optimized: ptx, verdict: null }))
    await verdict(page)
    await page.getByTestId('source-optimized').click()
    const pane = page.getByTestId('source-pane-optimized')
    await expect.poll(() => pane.textContent()).toContain('was compiled from mine.cu')
    const file = path.join(folder, 'mine.cu')
    fs.writeFileSync(file, Array.from({ length: 20 }, (_, at) => `line ${at + 1} of mine`).join('\n'))
    await page.getByTestId('examples').click()
    await page.getByTestId('open-files').setInputFiles([file])
    await expect.poll(() => pane.textContent()).toContain('line 20 of mine')
    expect(await textOf(page, 'optimized')).toBe(ptx)
    await page.context().close()
  })

  test('may come together with its PTX; other CUDA beside PTX is named and left alone', async () => {
    const ptx = race.input.optimized.replaceAll('softmax/mutants/block_no_barrier.cu', '/home/me/mine.cu')
    const { page } = await visit(site)
    await verdict(page)
    const file = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })
    await page.getByTestId('examples').click()
    await page.getByTestId('open-files').setInputFiles([file('mine.cu', 'line 1 of mine\n'), file('mine_opt.ptx', ptx), file('mine_ref.ptx', race.input.reference), file('other.cu', '__global__ void k() {}')])
    await expect.poll(() => textOf(page, 'optimized')).toBe(ptx)
    expect(await textOf(page, 'reference')).toBe(race.input.reference)
    await expect.poll(() => page.getByTestId('notice').textContent()).toContain('other.cu was not opened: it is CUDA C++')
    await page.getByTestId('source-optimized').click()
    await expect.poll(() => page.getByTestId('source-pane-optimized').textContent()).toContain('line 1 of mine')
    await page.context().close()
  })
})

test('the page leads to its documents and to its own source', async () => {
  const { page } = await visit(site)
  await verdict(page)
  await page.getByLabel('Help').click()
  await page.getByTestId('open-documents').waitFor()
  expect(await page.locator('dialog[open]').evaluate(dialog => dialog.scrollTop)).toBe(0)
  const address = await page.getByTestId('source').getAttribute('href')
  if (!address!.startsWith('http')) {
    const packed = await page.context().request.get(new URL(address!, site.address).href)
    expect(packed.status()).toBe(200)
    // A tar file has the names of its files in plain sight.
    expect(gunzipSync(await packed.body()).includes('warpproof/ARCHITECTURE.md')).toBe(true)
  }
  await page.context().close()
})
