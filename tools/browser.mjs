// A headless Chromium with the built page (web/dist), for measurements: opens a question as a link
// does, and says how long the engine took and how much memory the tab had at most; or stops it
// again and again.
//
// Seconds are the page's own count, from asking the worker to its answer; the engine's start is not
// among them; its compiler's warming up is, but for `again`. Memory is the peak resident set of the tab's process,
// as Linux counts it: the page, the editors and the engine.

import fs from 'node:fs'
import path from 'node:path'
import { createServer, preview } from 'vite'
import { chromium } from 'playwright-core'
import { findBrowser } from './setup.mjs'
import { fail, root } from './step.mjs'

const web = path.join(root, 'web')
const configFile = path.join(web, 'vite.config.ts')
const flags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
/** The longest that a question may take. */
const PATIENCE = 300_000
/** Seconds; for a run that takes longer, the browser's compiler makes no difference any more. */
const LONG = 2
/** Milliseconds that the compiler gets to finish what it has begun. */
const PAUSE = 1_500

/** Serves the page; `close` ends it. Every question gets a browser of its own. */
export async function openPage() {
  if (!fs.existsSync(path.join(web, 'dist/index.html'))) fail('web/dist is missing: npm run build makes it')
  const executablePath = await findBrowser()
  process.env.WARPPROOF_ISOLATED = '1'
  const modules = await createServer({ root: web, configFile, logLevel: 'error', server: { middlewareMode: true, ws: false } })
  const { encode } = await modules.ssrLoadModule('/src/core/share.ts')
  const { stopAndTime } = await modules.ssrLoadModule('/tests/browser/stop.ts')
  const server = await preview({ root: web, configFile, logLevel: 'error', preview: { port: 4373, strictPort: false } })
  const [address] = server.resolvedUrls.local

  /** Opens a question in a fresh browser, with as many engine threads as cores or with `threads`. */
  async function visit({ spec, reference, optimized }, threads, use) {
    const browser = await chromium.launch({ executablePath, args: flags })
    try {
      // What the service worker fetches after a verdict is no part of a measurement.
      const page = await browser.newPage({ serviceWorkers: 'block' })
      if (threads) await page.addInitScript(count => Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => count }), threads)
      await page.goto(`${address}#${encode({ spec, reference: reference ?? '', optimized, single: reference === null, verdict: null })}`)
      return await use(page, browser)
    } finally {
      await browser.close()
    }
  }

  /** Answers a question: verdict, seconds, the report's timings in milliseconds, peak MiB of the tab;
   * and `again`, time and timings of the same question asked a third time in that tab, null for a
   * long one unless `warm` asks for it. */
  function ask(question, { threads, warm = false } = {}) {
    return visit(question, threads, async (page, browser) => {
      const element = page.locator('[data-testid="verdict"]')
      const answered = () => element.waitFor({ timeout: PATIENCE })
      const took = async () => ({
        time: Number(await element.getAttribute('data-seconds')),
        timings: JSON.parse(await element.getAttribute('data-timings')),
      })
      await answered()
      const first = { verdict: await element.getAttribute('data-verdict'), memory: await tabPeak(browser), ...(await took()) }
      if (first.time > LONG && !warm) return { ...first, again: null }
      let again = null
      for (let times = 0; times < 2; times++) {
        await page.waitForTimeout(PAUSE)
        await page.getByTestId('verify').first().click()
        await answered()
        again = await took()
      }
      return { ...first, again }
    })
  }

  /** Starts and stops a question once for each delay (ms); how long each stop took, in milliseconds (of runs that were over by then, nothing). */
  function stops(question, delays) {
    return visit(question, undefined, async page => {
      const times = []
      await page.getByTestId('stop').first().waitFor()
      for (const [at, delay] of delays.entries()) {
        if (at > 0) await page.getByTestId('verify').first().click()
        // From the engine's first sign of life, or its start would count.
        await page.getByText(/thread-instructions/).first().waitFor({ timeout: PATIENCE })
        await page.waitForTimeout(delay)
        const time = await page.evaluate(stopAndTime)
        if (time !== null) times.push(time)
      }
      return times
    })
  }

  async function close() {
    await server.close()
    await modules.close()
  }

  return { ask, stops, close }
}

/** The most that the largest tab has held so far, in MiB. */
async function tabPeak(browser) {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const of = id => Number(/^VmHWM:\s*(\d+) kB/m.exec(fs.readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) / 1024
  return Math.max(...processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => of(id)))
}
