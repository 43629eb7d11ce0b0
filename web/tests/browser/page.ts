// A served copy of the page, a browser, and the words that tests use about them.

import examples from 'virtual:gallery'
import { chromium, type Browser, type Page } from 'playwright-core'
import { preview, type PreviewServer } from 'vite'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import path from 'node:path'
import { encode } from '../../src/core/share'

const web = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

/** The PTX of a kernel of these tests. */
export const kernel = (name: string) => fs.readFileSync(path.join(web, 'tests/browser/kernels', name), 'utf8')

export interface Site {
  browser: Browser
  server: PreviewServer
  address: string
}

/** Serves web/dist and starts a browser; `isolated` says whether COOP and COEP are sent. */
export async function open({ isolated = true } = {}): Promise<Site> {
  process.env['WARPPROOF_ISOLATED'] = isolated ? '1' : '0'
  const server = await preview({ root: web, configFile: path.join(web, 'vite.config.ts'), logLevel: 'error', preview: { port: isolated ? 4371 : 4372, strictPort: false } })
  const browser = await launch()
  return { browser, server, address: server.resolvedUrls!.local[0]! }
}

export const launch = (): Promise<Browser> => chromium.launch({ executablePath: process.env['WARPPROOF_CHROMIUM'] ?? '/usr/bin/chromium', args: flags })

export async function close(site: Site): Promise<void> {
  // Of a test that failed, pages are left, and rewritten files may be on their way to them.
  for (const page of site.browser.contexts().flatMap(context => context.pages())) await page.unrouteAll({ behavior: 'ignoreErrors' })
  await site.browser.close()
  await site.server.close()
}

/** A visitor: a page of its own, and every complaint of its console. Without a service worker, which offline.test.ts is about. */
export async function visit(site: Site, fragment = ''): Promise<{ page: Page; complaints: string[] }> {
  const context = await site.browser.newContext({ viewport: { width: 1280, height: 860 }, serviceWorkers: 'block' })
  const page = await context.newPage()
  const complaints = watch(page, site.address)
  await page.goto(site.address + fragment)
  return { page, complaints }
}

/** What the page complains about from now on, and whom it asks who is not its own host. */
export function watch(page: Page, address: string): string[] {
  const complaints: string[] = []
  page.on('console', message => {
    if (message.text().includes('blocked by Playwright')) return
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => {
    if (!request.url().startsWith(address) && !/^(data|blob):/.test(request.url())) complaints.push(`request to ${request.url()}`)
  })
  return complaints
}

/** From now on the page gets the files whose address matches changed by `change`; ends with `leave`. */
export async function rewrite(page: Page, files: RegExp, change: (text: string) => string): Promise<void> {
  await page.route(files, async route => {
    const response = await route.fetch()
    await route.fulfill({ response, body: change(await response.text()) })
  })
}

/** Closes a page once no rewritten file is on its way to it: closing would break the fetch off, and fail the run. */
export async function leave(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'wait' })
  await page.context().close()
}

/** Waits for the verdict of the texts as they are, and names it. */
export async function verdict(page: Page, timeout = 60_000): Promise<string> {
  await page.locator('[data-testid="verdict"]').waitFor({ timeout })
  return (await page.locator('[data-testid="verdict"]').getAttribute('data-verdict')) ?? ''
}

/** An example on a page of its own, once its verdict is there. */
export async function example(site: Site, id: string) {
  const { input } = examples.find(example => example.id === id)!
  const { page, complaints } = await visit(site, '#' + encode({ ...input, verdict: null }))
  await verdict(page)
  return { page, complaints, input }
}

/** Presses Verify and waits for the new verdict. */
export async function verify(page: Page): Promise<string> {
  await page.getByTestId('verify').first().click()
  await page.locator('#tab-verdict').click()
  return verdict(page)
}

/** The whole text of an editor, also what is scrolled out of sight. */
export function textOf(page: Page, source: 'reference' | 'optimized' | 'spec'): Promise<string> {
  return page.evaluate(name => {
    interface Content extends Element {
      cmTile?: { view: { state: { doc: unknown } } }
      cmView?: { view: { state: { doc: unknown } } }
    }
    const content = document.querySelector<Content>(`[data-testid="editor-${name}"] .cm-content`)
    const view = (content?.cmTile ?? content?.cmView)?.view
    return String(view?.state.doc)
  }, source)
}

/** Replaces the whole text of an editor, as a paste does. */
export async function paste(page: Page, source: 'reference' | 'optimized', text: string): Promise<void> {
  // A line, not the text: on a phone most of that is folded away.
  await page.locator(`[data-testid="editor-${source}"] .cm-line`).first().click()
  await page.keyboard.press('Control+a')
  await page.evaluate(text => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    document.activeElement!.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, text)
}

/** Lines of an editor that evidence has marked, as they are shown. */
export function markedLines(page: Page, source: 'reference' | 'optimized'): Promise<string[]> {
  return page.locator(`[data-testid="editor-${source}"] .wp-mark`).allTextContents()
}
