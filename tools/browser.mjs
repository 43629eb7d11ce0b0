// A headless Chromium with the built page (web/dist), for measurements: opens a question as a link
// does, and says how long the engine took and how much memory the tab had at most.
//
// Seconds are the page's own count, from asking the worker to its answer. Memory is the peak
// resident set of the tab's process, as Linux counts it: the page, the editors and the engine.

import fs from 'node:fs'
import path from 'node:path'
import { createServer, preview } from 'vite'
import { chromium } from 'playwright-core'
import { fail, root } from './step.mjs'

const web = path.join(root, 'web')
const configFile = path.join(web, 'vite.config.ts')
const flags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
/** The longest that a question may take. */
const PATIENCE = 300_000

/** Serves the page; `ask` answers one question in a browser of its own, `close` ends it. */
export async function openPage() {
  if (!fs.existsSync(path.join(web, 'dist/index.html'))) fail('web/dist is missing: npm run build makes it')
  process.env.WARPPROOF_ISOLATED = '1'
  const modules = await createServer({ root: web, configFile, logLevel: 'error', server: { middlewareMode: true, ws: false } })
  const { encode } = await modules.ssrLoadModule('/src/core/share.ts')
  const server = await preview({ root: web, configFile, logLevel: 'error', preview: { port: 4373, strictPort: false } })
  const [address] = server.resolvedUrls.local

  async function ask({ spec, reference, optimized }) {
    const browser = await chromium.launch({ executablePath: process.env.WARPPROOF_CHROMIUM ?? '/usr/bin/chromium', args: flags })
    try {
      const page = await browser.newPage()
      await page.goto(`${address}#${encode({ spec, reference: reference ?? '', optimized, single: reference === null, verdict: null })}`)
      const element = page.locator('[data-testid="verdict"]')
      await element.waitFor({ timeout: PATIENCE })
      const session = await browser.newBrowserCDPSession()
      const { processInfo } = await session.send('SystemInfo.getProcessInfo')
      const peaks = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => peak(id))
      return {
        verdict: await element.getAttribute('data-verdict'),
        time: Number(await element.getAttribute('data-seconds')),
        memory: Math.max(...peaks),
      }
    } finally {
      await browser.close()
    }
  }

  async function close() {
    await server.close()
    await modules.close()
  }

  return { ask, close }
}

/** MiB. */
function peak(process) {
  const status = fs.readFileSync(`/proc/${process}/status`, 'utf8')
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024
}
