// What people do with the page beyond the verdict: fill in the spec, bring and take files,
// follow a lesson, show it to a class, print it.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import examples from 'virtual:gallery'
import documents from 'virtual:documents'
import lessons from 'virtual:lessons'
import { readLesson } from '../../src/core/lesson'
import { close, open, paste, textOf, verdict, verify, visit, type Site } from './page'

let site: Site
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'warpproof-'))

beforeAll(async () => {
  site = await open()
})
afterAll(async () => {
  await close(site)
  fs.rmSync(folder, { recursive: true })
})

const first = examples[0]!

function file(name: string, content: string): string {
  const full = path.join(folder, name)
  fs.writeFileSync(full, content)
  return full
}

const spec = (page: Page) => page.evaluate(() => [...document.querySelectorAll('dialog[open] [data-testid="editor-spec"] .cm-line')].map(line => line.textContent).join('\n'))

describe('the form', () => {
  test('edits the launch of one kernel, a tensor, its contents and an option; inferred values are marked', async () => {
    const { page, complaints } = await visit(site)
    await verdict(page)
    await page.getByTestId('spec-form').click()
    const field = (name: string) => page.locator(`dialog [data-field="${name}"]`)
    const inX = (name: string) => page.locator(`[data-section="x"] [data-field="${name}"]`)

    await expect.poll(() => field('reference-block').getAttribute('placeholder')).toBe('128 × 1 × 1')
    await expect.poll(() => field('reference-entry').getAttribute('placeholder')).toBe('softmax_naive')
    await field('reference-block').fill('64, 2')
    await field('reference-block').press('Tab')
    await expect.poll(() => spec(page)).toContain('[reference]\nargs = ["x", "y"]\nblock = [64, 2, 1]')

    await inX('strides').fill('2')
    await inX('strides').press('Tab')
    await expect.poll(() => spec(page)).toContain('strides = [2]')
    await inX('role').selectOption('')
    await expect.poll(() => spec(page)).not.toContain('role = "in"')
    await inX('import').setInputFiles(file('bad.csv', '1,2\n3,zwei\n'))
    await expect.poll(() => page.locator('[data-section="x"] [role="alert"]').textContent()).toContain('“zwei” in line 2')
    await inX('import').setInputFiles(file('small.json', '[3, 1, 4]'))
    await expect.poll(() => spec(page)).toContain('contents = [3, 1, 4]')
    await page.getByText('Constants like').click()
    await expect.poll(() => spec(page)).toContain('exact_constants = true')

    // The text edits the form as well.
    await page.locator('dialog[open] [data-testid="editor-spec"] .cm-content').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete') // or Chromium itself keeps styles of the text it replaces, which the policy blocks
    await page.keyboard.insertText(first.input.spec)
    await expect.poll(() => field('reference-block').inputValue()).toBe('')
    await page.getByTestId('spec-close').click()
    expect(await verify(page)).toBe('equivalent')
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

describe('files', () => {
  test('a saved pair, two kernels and a spec open as what they are', async () => {
    const { page } = await visit(site)
    await verdict(page)
    const race = examples.find(({ id }) => id === 'data_race/softmax/n128_buffer_reuse')!
    const choose = async (...files: string[]) => {
      await page.getByTestId('examples').click()
      await page.getByTestId('open-files').setInputFiles(files)
    }
    await choose(file('pair.warpproof.json', JSON.stringify({ warpproof: 1, ...race.input, verdict: 'data_race', version: null })))
    await expect.poll(() => page.getByTestId('pill').first().textContent(), { timeout: 30_000 }).toContain('reproduced here')
    await choose(file('a.ptx', first.input.reference), file('b.ptx', first.input.optimized), file('c.toml', first.input.spec))
    await expect.poll(() => textOf(page, 'reference')).toBe(first.input.reference)
    expect(await verify(page)).toBe('equivalent')
    // Names that say which side they are for count for more than their order.
    await choose(file('k_opt.ptx', first.input.optimized + '// opt\n'), file('k_ref.ptx', first.input.reference + '// ref\n'))
    await expect.poll(() => textOf(page, 'reference')).toBe(first.input.reference + '// ref\n')
    await expect.poll(() => textOf(page, 'optimized')).toBe(first.input.optimized + '// opt\n')
    await choose(file('a.ptx', first.input.reference), file('b.ptx', first.input.optimized))
    await expect.poll(() => textOf(page, 'reference')).toBe(first.input.reference)
    await choose(file('broken.json', '{"warpproof": 1, "ref'))
    await expect.poll(() => page.getByTestId('notice').textContent()).toContain('broken.json cannot be opened')
    await expect.poll(() => textOf(page, 'reference')).toBe(first.input.reference)
    await page.context().close()
  })

  test('PTX dropped on an editor goes there', async () => {
    const { page } = await visit(site)
    await verdict(page)
    const dropped = first.input.reference + '// dropped\n'
    const data = await page.evaluateHandle(text => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([text], 'k.ptx'))
      return transfer
    }, dropped)
    const target = page.locator('[data-testid="editor-reference"] .cm-content')
    await target.dispatchEvent('dragover', { dataTransfer: data })
    await target.dispatchEvent('drop', { dataTransfer: data })
    await expect.poll(() => textOf(page, 'reference')).toBe(dropped)
    await expect.poll(() => textOf(page, 'optimized')).toBe(first.input.optimized)
    await page.context().close()
  })
})

describe('lessons', () => {
  test.each(lessons.map((data, at) => [at, data] as const))('lesson %i leads through its steps, each with the verdict it talks about', { timeout: 180_000 }, async (at, data) => {
    const read = readLesson(data)
    if (!read.ok) throw new Error(read.message)
    const { page, complaints } = await visit(site)
    await verdict(page)
    await page.getByTestId('examples').click()
    await page.locator(`[data-lesson="${at}"]`).click()
    for (const [number, step] of read.lesson.steps.entries()) {
      await expect.poll(() => page.getByTestId('lesson').textContent()).toContain(step.title)
      await expect.poll(() => page.locator(`#tab-${step.tab}`).getAttribute('aria-selected'), { timeout: 60_000 }).toBe('true')
      await page.locator('#tab-verdict').click()
      expect(await verdict(page), step.title).toBe(step.expect)
      if (number < read.lesson.steps.length - 1) await page.getByTestId('lesson-next').click()
    }
    await page.getByTestId('lesson-end').click()
    await expect.poll(() => page.getByTestId('lesson').count()).toBe(0)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('a lesson comes from a file, survives an edit, and can be restored', async () => {
    const { page } = await visit(site)
    await verdict(page)
    await page.getByTestId('examples').click()
    const { optimized, spec } = examples.find(({ id }) => id === 'race_free/pattern/own_slot')!.input
    await page.getByTestId('open-files').setInputFiles(file('own.toml', `lesson = 1\ntitle = "My own"\n[[step]]\ntitle = "Look"\ntext = "At <b>this</b>."\nsingle = true\nexpect = "race_free"\nspec = '''\n${spec}'''\noptimized = '''\n${optimized}'''\n`))
    const lesson = page.getByTestId('lesson')
    await expect.poll(() => lesson.textContent()).toContain('At <b>this</b>.')
    expect(await verdict(page)).toBe('race_free')
    await paste(page, 'optimized', optimized + '// mine\n')
    expect(await lesson.count()).toBe(1)
    await lesson.getByText('Restore this step').click()
    await expect.poll(() => textOf(page, 'optimized')).toBe(optimized)
    await page.context().close()
  })
})

test('the documents are read on the page, and lead to one another', async () => {
  const { page, complaints } = await visit(site)
  await verdict(page)
  await page.getByLabel('Help').click()
  await page.getByTestId('open-documents').click()
  const article = page.getByTestId('documents').getByRole('article')
  await expect.poll(() => article.textContent()).toContain('names the verdict')
  for (const { title } of documents) {
    await page.getByTestId('documents').getByRole('navigation').getByRole('button', { name: title, exact: true }).click()
    await expect.poll(() => article.getByRole('heading').first().textContent()).toBe(title)
  }
  await page.getByTestId('documents').getByRole('button', { name: 'Lessons', exact: true }).click()
  await article.getByRole('button', { name: 'verdicts.md' }).click()
  await expect.poll(() => article.getByRole('heading').first().textContent()).toBe('Verdicts')
  expect(complaints).toEqual([])
  await page.context().close()
})

test('large type fits a projector', async () => {
  const { page } = await visit(site)
  await verdict(page)
  const height = () => page.locator('.headline').first().evaluate(element => element.getBoundingClientRect().height)
  const before = await height()
  await page.getByLabel('Help').click()
  await page.getByTestId('present').click()
  await expect.poll(height).toBeGreaterThan(before * 1.3)
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight)).toBe(true)
  await page.context().close()
})

test('paper gets the verdict, what it rests on, and both texts', async () => {
  const { page } = await visit(site)
  await verdict(page)
  await page.emulateMedia({ media: 'print' })
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
  const sheet = page.getByTestId('print-sheet')
  await sheet.waitFor()
  for (const part of ['Equivalent', 'softmax_naive', 'block 128×1×1', 'no value is infinite or NaN', first.input.reference, first.input.optimized, first.input.spec]) await expect.poll(() => sheet.textContent()).toContain(part)
  await expect.poll(() => page.locator('header').isVisible()).toBe(false)
  // Lines are numbered, as the places in the answer are.
  await expect.poll(() => sheet.locator('.numbered').first().locator('span').count()).toBe(first.input.reference.replace(/\n$/, '').split('\n').length)
  expect(await sheet.locator('.numbered span').first().evaluate(line => getComputedStyle(line, '::before').content)).toContain('counter')
  await page.context().close()
})
