// The page on a host that sends no headers, without network, and as one file from a disk.

import fs from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import examples from 'virtual:gallery'
import { dist, host } from './host'
import { launch, paste, textOf, verdict, verify, watch } from './page'

let browser: Browser

beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

async function visit(address: string): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  const page = await context.newPage()
  const complaints = watch(page, address.split('#')[0]!)
  await page.goto(address)
  return { page, complaints }
}

/** Chooses an example and waits for its verdict. */
async function choose(page: Page, id: string): Promise<string> {
  await page.getByTestId('examples').click()
  await page.locator(`[data-example="${id}"]`).click()
  await page.locator('#tab-verdict').click()
  return verdict(page)
}

/** Waits until a newer version is offered; says how far the browser is with it if it is not. */
async function offered(page: Page): Promise<void> {
  await page.getByTestId('take-over').waitFor({ timeout: 60_000 }).catch(async (error: unknown) => {
    const state = await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration()
      const [installing, waiting, active] = [registration?.installing?.state, registration?.waiting?.state, registration?.active?.state]
      return JSON.stringify({ controlled: navigator.serviceWorker.controller !== null, installing, waiting, active, caches: await caches.keys() })
    })
    throw new Error(`no newer version is offered: ${state}`, { cause: error })
  })
}

const kept = (page: Page) => page.waitForFunction(() => document.documentElement.dataset['offline'] === 'kept', undefined, { timeout: 60_000 })

describe('on a plain static host, at a sub-path', () => {
  test('the first visit is isolated and threaded, and every example verifies after the network is cut', { timeout: 300_000 }, async () => {
    const site = await host('/some/where/')
    const { page, complaints } = await visit(site.address)
    expect(await verdict(page)).toBe('equivalent')
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
    await expect.poll(() => page.getByTestId('engine').textContent()).toMatch(/[2-9] threads/)
    await kept(page)
    // Two engines and a reload, and still every file came once (but the page itself, which came before there was a service worker).
    for (const name of new Set(site.asked.filter(name => name.endsWith('.wasm')))) expect(site.asked.filter(other => other === name)).toHaveLength(1)

    await site.cut()
    await page.reload()
    expect(await verdict(page)).toBe('equivalent')
    for (const { id, verdict: expected } of examples) expect(await choose(page, id), id).toBe(expected)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('a new version is kept whole, and shown when the user wants it', { timeout: 300_000 }, async () => {
    const site = await host('/')
    const { page } = await visit(site.address)
    await verdict(page)
    await kept(page)
    // As another build would: another index.html, another list of hashes.
    const { createHash } = await import('node:crypto')
    const index = fs.readFileSync(path.join(dist, 'index.html'), 'utf8')
    const next = index.replace('<title>', '<title>Next: ')
    const hash = (text: string) => 'sha256-' + createHash('sha256').update(text).digest('base64')
    site.change('index.html', next)
    site.change('sw.js', fs.readFileSync(path.join(dist, 'sw.js'), 'utf8').replace(/VERSION = '\w+'/, "VERSION = 'next'").replace(hash(index), hash(next)))
    const other = await page.context().newPage()
    await other.goto(site.address)
    await verdict(other)
    await page.reload()
    await verdict(page)
    expect(await page.title()).not.toContain('Next')
    await offered(page)
    await offered(other)
    await page.getByTestId('take-over').click()
    await page.waitForFunction(() => document.title.startsWith('Next'), undefined, { timeout: 60_000 })
    expect(await verdict(page)).toBe('equivalent')
    // A tab that was open meanwhile keeps its texts until its visitor wants the new version, too.
    expect(await other.title()).not.toContain('Next')
    await other.getByTestId('take-over').click()
    await other.waitForFunction(() => document.title.startsWith('Next'), undefined, { timeout: 60_000 })
    expect(await verdict(other)).toBe('equivalent')
    await site.cut()
    await page.context().close()
  })
})

describe('the one-file copy', () => {
  test('verifies every example from a disk, in silence, and takes edits and links', { timeout: 300_000 }, async () => {
    const address = 'file://' + path.join(dist, 'warpproof-offline.html')
    const { page, complaints } = await visit(address)
    expect(await verdict(page)).toBe('equivalent')
    // On one thread, and with the verdicts that threads find above.
    await expect.poll(() => page.getByTestId('engine').textContent()).toContain('1 thread')
    for (const { id, verdict: expected } of examples) expect(await choose(page, id), id).toBe(expected)
    expect(await choose(page, 'data_race/softmax/n128_buffer_reuse')).toBe('data_race')
    const edited = (await textOf(page, 'optimized')) + '// edited\n'
    await paste(page, 'optimized', edited)
    expect(await verify(page)).toBe('data_race')
    await page.getByTestId('share').click()
    const field = page.getByTestId('share-link')
    await expect.poll(() => field.inputValue()).toContain('warpproof-offline.html#')
    await expect.poll(() => page.getByTestId('share-note').textContent()).toContain('open nowhere else')
    const link = await field.inputValue()
    const again = await visit(link)
    expect(await verdict(again.page)).toBe('data_race')
    await expect.poll(() => textOf(again.page, 'optimized')).toBe(edited)
    expect([...complaints, ...again.complaints]).toEqual([])
    await again.page.context().close()
    await page.getByRole('button', { name: 'Close' }).first().click()
    await page.getByLabel('Help').click()
    await page.getByTestId('open-documents').click()
    await expect.poll(() => page.getByTestId('documents').getByRole('article').textContent()).toContain('names the verdict')
    await page.context().close()
  })

  test('is offered by the page', async () => {
    const site = await host()
    const { page } = await visit(site.address)
    await verdict(page)
    await page.getByLabel('Help').click()
    const download = page.waitForEvent('download')
    await page.getByTestId('one-file').click()
    const file = await (await download).path()
    expect(fs.readFileSync(file, 'utf8')).toBe(fs.readFileSync(path.join(dist, 'warpproof-offline.html'), 'utf8'))
    await site.cut()
    await page.context().close()
  })
})
