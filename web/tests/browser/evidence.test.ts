// Evidence as a person follows it: memory at a barrier, a barrier against a race, a counterexample.

import examples from 'virtual:gallery'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encode } from '../../src/core/share'
import { close, example, markedLines, open, textOf, verdict, visit, type Site } from './page'

let site: Site

beforeAll(async () => {
  site = await open()
})
afterAll(() => close(site))

const at = (id: string) => example(site, id)

test('stepping from barrier to barrier shows what memory holds', async () => {
  const { page, complaints } = await at(examples[0]!.id)
  await page.locator('#tab-timeline').click()
  await page.getByLabel('Next barrier').click()
  const memory = page.getByTestId('memory')
  await expect.poll(() => memory.locator('td').count(), { timeout: 20_000 }).toBe(128)
  await expect.poll(() => memory.locator('td').nth(5).textContent()).toBe('x[5]')
  await memory.locator('td button').nth(5).focus()
  await expect.poll(() => page.getByTestId('memory-value').locator('math').textContent()).toBe('x5')
  // At the end of the run, the output is there.
  await page.getByLabel('Next barrier').click()
  await page.getByTestId('memory-name').selectOption('y')
  await expect.poll(() => memory.locator('td').first().textContent(), { timeout: 20_000 }).toMatch(/max/)
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a barrier that was tried is offered against a race, and works', async () => {
  const { page, complaints, input } = await at('data_race/softmax/n128_buffer_reuse')
  await page.locator('#tab-races').click()
  const apply = page.getByTestId('apply-repair')
  await apply.waitFor({ timeout: 30_000 })
  await apply.click()
  await expect.poll(() => textOf(page, 'optimized')).not.toBe(input.optimized)
  await expect.poll(async () => (await textOf(page, 'optimized')).match(/bar\.sync 0;/g)!.length).toBeGreaterThan((input.optimized.match(/bar\.sync 0;/g) ?? []).length)
  await page.locator('#tab-verdict').click()
  await expect.poll(() => page.getByTestId('verdict').getAttribute('data-verdict'), { timeout: 30_000 }).toBe('equivalent')
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a counterexample shows both formulas, the difference marked, and is copied as a test', async () => {
  const { page, complaints } = await at('not_equivalent/softmax/n4_no_rescale')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.locator('#tab-counterexample').click()
  const formulas = page.locator('#panel figure math')
  await expect.poll(() => formulas.count()).toBe(2)
  await expect.poll(() => formulas.first().evaluate(math => math.namespaceURI)).toBe('http://www.w3.org/1998/Math/MathML')
  await page.getByTestId('copy-test').click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('contents = ')
  expect(complaints).toEqual([])
  await page.context().close()
})

/** x[t + 1] against x[t], whose extents nobody gives, at an index that the spec gives or does not. */
const shifted = (by: number) => `.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry shift(.param .u64 shift_param_0, .param .u64 shift_param_1, .param .u64 shift_param_2)\n.reqntid 4\n{\n.reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [shift_param_0]; ld.param.u64 %rd2, [shift_param_1]; ld.param.u64 %rd3, [shift_param_2];\nmov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5+${4 * by}];\nadd.s64 %rd6, %rd2, %rd4; ld.global.f32 %f2, [%rd6]; mul.f32 %f3, %f1, %f2;\nadd.s64 %rd7, %rd3, %rd4; st.global.f32 [%rd7], %f3;\nret;\n}\n`

test('inputs of a counterexample: tensors without extents are no scalars, and contents are those of the spec', async () => {
  const spec = '[tensors.arg1]\ntype = "f32"\nshape = [4]\ncontents = [3, 5, 7, 9]\n'
  const { page, complaints } = await visit(site, '#' + encode({ reference: shifted(0), optimized: shifted(1), spec, single: false, verdict: null }))
  expect(await verdict(page)).toBe('not_equivalent')
  await page.locator('#tab-counterexample').click()
  const input = (name: string) => page.locator('.inputs li', { hasText: name }).first()
  await expect.poll(() => input('arg1').locator('td').allTextContents()).toEqual(['3', '5', '7', '9'])
  expect(await input('arg0').textContent()).toMatch(/arg0\[[01]\] = \S+, all others 0/)
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a marked term leads to the lines of both kernels, by mouse and by keyboard', async () => {
  const { page, complaints } = await at('not_equivalent/softmax/n4_no_rescale')
  await page.locator('#tab-counterexample').click()
  const terms = page.locator('#panel math .marked.picks')
  await expect.poll(() => terms.count(), { timeout: 20_000 }).toBe(2)
  const inView = (source: string) =>
    page.locator(`[data-testid="editor-${source}"]`).evaluate(editor => {
      const { top, bottom } = editor.getBoundingClientRect()
      return [...editor.querySelectorAll('.wp-mark')].some(line => line.getBoundingClientRect().top >= top && line.getBoundingClientRect().bottom <= bottom)
    })
  // Both editors stand somewhere else before.
  for (const source of ['reference', 'optimized']) await page.locator(`[data-testid="editor-${source}"] .cm-scroller`).evaluate(scroller => scroller.scrollTo(0, 0))
  await expect.poll(() => markedLines(page, 'reference')).toEqual([])
  await terms.last().click()
  await expect.poll(() => markedLines(page, 'optimized')).toEqual(expect.arrayContaining([expect.stringContaining('fma.rn.f32')]))
  await expect.poll(() => markedLines(page, 'reference')).toEqual(expect.arrayContaining([expect.stringContaining('fma.rn.f32')]))
  await expect.poll(() => inView('optimized')).toBe(true)
  await expect.poll(() => inView('reference')).toBe(true)
  // The same from the keyboard: from the formula to the button with the term's name, and Enter.
  await page.locator('#tab-verdict').click()
  await page.getByText(/differ: there are inputs/).first().waitFor()
  await page.locator('#tab-counterexample').click()
  await page.locator('#panel figure .box').first().focus()
  await expect.poll(() => terms.count(), { timeout: 20_000 }).toBe(2)
  await page.keyboard.press('Tab')
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/^Show the lines/)
  await page.keyboard.press('Enter')
  const own = page.locator('[data-testid="editor-reference"] .wp-mark-first')
  await expect.poll(() => own.count()).toBeGreaterThan(0)
  // The list says it in words, with the CUDA line.
  await expect.poll(() => page.getByTestId('origins-optimized').innerText()).toMatch(/made by fma\.rn\.f32 at optimized line 118 \(CUDA online_no_rescale\.cu:13\), thread 0/)
  // And so does the plain text.
  await page.getByRole('button', { name: 'as text' }).first().click()
  await page.locator('#panel figure mark button').first().click()
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a store and an output show what they compute', async () => {
  const { page, complaints } = await at('not_equivalent/softmax/n4_no_rescale')
  await page.locator('#tab-counterexample').click()
  // The line of the optimized kernel's store, at its opcode.
  await page.getByText(/^stored at line/).last().click()
  const store = page.locator('[data-testid="editor-optimized"] .wp-mark').first()
  // The editor may still be scrolling there: looked for anew each time, as an eye does.
  let nudge = 2
  const hover = async () => {
    const opcode = await store.evaluate(line => {
      const range = document.createRange()
      const node = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
      while (node.nextNode()) {
        const at = node.currentNode.textContent!.indexOf('st')
        if (at < 0) continue
        range.setStart(node.currentNode, at)
        range.setEnd(node.currentNode, at + 1)
        const { x, y, height } = range.getBoundingClientRect()
        return { x, y: y + height / 2 }
      }
      return { x: 0, y: 0 }
    })
    await page.mouse.move(opcode.x + (nudge = 5 - nudge), opcode.y)
    await page.locator('.wp-hover .wp-value math').first().waitFor({ timeout: 3_000 }).catch(() => undefined)
    return page.locator('.wp-hover .wp-value math').count()
  }
  await expect.poll(hover, { timeout: 40_000 }).toBeGreaterThan(0)
  await page.locator('[data-parameter="y"]').click()
  await expect.poll(() => page.getByTestId('output-value').locator('math').count()).toBe(2)
  expect(complaints).toEqual([])
  await page.context().close()
})

test('any element of an output shows what both kernels compute, by index and by keyboard', async () => {
  const { page, complaints } = await at('data_race/matmul/one_barrier')
  await page.locator('[data-parameter="C"]').focus()
  await page.keyboard.press('Enter')
  const field = page.getByLabel('Element of C')
  const sides = page.getByTestId('output-value').locator('.side')
  const status = page.getByTestId('element-status')
  const formulas = () => page.getByTestId('output-value').locator('math').allTextContents()
  await field.focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('3, 17')
  await expect.poll(formulas).toEqual(['Σk=063A3,k·Bk,17', expect.stringMatching(/^A3,0·B\d+,17/)])
  // A fault is said beside the kernel that has it, and nowhere else.
  expect(await sides.first().textContent()).not.toContain('fault')
  expect(await sides.last().textContent()).toContain('This kernel has a fault')
  // What a screen reader says is the value, by name.
  await expect.poll(() => status.textContent()).toMatch(/^C\[3\]\[17\]: Σ\[k=0…63\] A\[3\]\[k\]·B\[k\]\[17\]/)
  // On by a row with the arrow key, and back by an element with the button.
  await page.keyboard.press('ArrowDown')
  expect(await field.inputValue()).toBe('4, 17')
  await page.getByLabel('Element before').press('Enter')
  expect(await field.inputValue()).toBe('4, 16')
  await expect.poll(async () => (await formulas())[0]).toBe('Σk=063A4,k·Bk,16')
  // Of what is typed in haste, the last is answered.
  for (const index of ['5, 20', '6, 25', 'C[31][20]']) await field.fill(index)
  await expect.poll(async () => (await formulas())[0]).toBe('Σk=063A31,k·Bk,20')
  await field.fill('32, 0')
  await expect.poll(() => status.textContent()).toBe('There is no such element: the last one of C is 31, 31.')
  await field.fill('7')
  await expect.poll(() => status.textContent()).toMatch(/^Write an index like 31, 31/)
  // What stays is under its own name.
  expect(await sides.first().textContent()).toMatch(/^Reference C\[31\]\[20\]/)
  // After an edit, what it says is about other texts.
  await page.locator('.panel:popover-open [data-field="role"]').selectOption('inout')
  await expect.poll(() => status.textContent()).toMatch(/^The texts have changed/)
  expect(await sides.count()).toBe(0)
  expect(complaints).toEqual([])
  await page.context().close()
})

test('an element that a kernel never writes, and an engine without an answer, are said', async () => {
  const { page, complaints } = await at('deadlock/softmax/n128_different_barriers')
  const sides = page.getByTestId('output-value').locator('.side')
  await page.locator('[data-parameter="y"]').click()
  await page.getByLabel('Element of y').fill('5')
  await expect.poll(() => sides.last().textContent()).toMatch(/No thread that was run writes it\..*This kernel has a fault/)
  // A worker that cannot be had: the next question, of another run, has no answer.
  await page.keyboard.press('Escape')
  await page.locator('#tab-verdict').click()
  await page.getByTestId('verify').first().click()
  await verdict(page)
  await page.evaluate(() => {
    window.Worker = class extends EventTarget {
      constructor() {
        super()
        setTimeout(() => (this as unknown as Worker).onerror?.(new ErrorEvent('error', { message: 'gone' })))
      }
      postMessage() {}
      terminate() {}
    } as unknown as typeof Worker
  })
  await page.locator('[data-parameter="y"]').click()
  await page.getByLabel('Element of y').fill('6')
  await expect.poll(() => sides.first().textContent()).toMatch(/The engine has no answer.*Try again/)
  expect(complaints).toEqual([])
  await page.context().close()
})
