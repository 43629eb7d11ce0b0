// npm run screenshots: pictures of the page's main states in target/screenshots, to be looked
// at. `npm run screenshots -- NAME…` makes those whose names contain NAME. `-- --readme` also
// renews the picture in the README (docs/page.png).

import fs from 'node:fs'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { preview } from 'vite'
import { findBrowser } from './setup.mjs'
import { fail, root, say } from './step.mjs'

const web = path.join(root, 'web')
const out = path.join(root, 'target/screenshots')
const args = process.argv.slice(2)
const wanted = args.filter(arg => !arg.startsWith('--'))
if (!fs.existsSync(path.join(web, 'dist/index.html'))) fail('web/dist is missing: npm run build makes it')

const server = await preview({ root: web, configFile: path.join(web, 'vite.config.ts'), logLevel: 'error', preview: { port: 4374, strictPort: false } })
const [address] = server.resolvedUrls.local
const browser = await chromium.launch({ executablePath: await findBrowser(), args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] })

const example = id => async page => {
  await page.getByTestId('examples').click()
  await page.locator(`[data-example="${id}"]`).click()
  await page.locator('[data-testid="verdict"]').waitFor({ timeout: 60_000 })
}
const tab = name => page => page.locator(`#tab-${name}`).click()
const click = id => page => page.getByTestId(id).first().click()
const lesson = at => async page => {
  await page.getByTestId('examples').click()
  await page.locator(`[data-lesson="${at}"]`).click()
  await page.locator('[data-testid="verdict"]').waitFor()
}
/** The formula of a kernel, in one of the languages, once it is found. */
const tells = language => async page => {
  await page.locator('#tab-formula').click()
  await page.getByTestId(`told-as-${language}`).click({ timeout: 60_000 })
}
const next = async page => {
  await page.getByTestId('lesson-next').click()
  await page.locator('#tab-races[aria-selected="true"]').waitFor()
}

/** Each state: what to do after the first verdict, and how to look at it. */
const states = {
  'first-visit': { steps: [] },
  dark: { steps: [], dark: true },
  examples: { steps: [click('examples')] },
  different: { steps: [example('not_equivalent/softmax/n4_no_rescale')] },
  counterexample: { steps: [example('not_equivalent/softmax/n4_no_rescale'), tab('counterexample')] },
  race: { steps: [example('data_race/softmax/n128_buffer_reuse'), tab('races')] },
  deadlock: { steps: [example('deadlock/softmax/n128_different_barriers')] },
  timeline: { steps: [tab('timeline')] },
  assumptions: { steps: [tab('assumptions')] },
  formula: { steps: [tells('formula')] },
  'formula-numpy': { steps: [tells('numpy')], dark: true },
  'formula-narrow': { steps: [tells('torch')], width: 390 },
  'formula-none': { steps: [example('data_race/softmax/n128_buffer_reuse'), tab('formula'), page => page.locator('#panel .warn').waitFor()] },
  contracts: { steps: [example('contract_violated/contracts/sorted')] },
  'contracts-in-kernel': { steps: [example('race_free/contracts/indices_swizzle')] },
  'contracts-narrow': { steps: [example('contract_violated/contracts/sorted')], width: 390 },
  'spec-form': { steps: [click('spec-form')] },
  'spec-form-narrow': { steps: [click('spec-form')], width: 390 },
  toml: { steps: [click('spec-toggle')] },
  parameter: { steps: [page => page.locator('[data-parameter]').first().click()] },
  share: { steps: [click('share')] },
  'share-markdown': { steps: [click('share'), click('share-as-markdown')] },
  help: { steps: [page => page.getByLabel('Help').click()] },
  lesson: { steps: [lesson(0), next] },
  'lesson-softmax': { steps: [lesson(1)] },
  presentation: { steps: [page => page.getByLabel('Help').click(), click('present')] },
  narrow: { steps: [], width: 390 },
  'narrow-lesson': { steps: [lesson(0)], width: 390 },
  'smallest-320': { steps: [], width: 320 },
  '4k': { steps: [], width: 3840, height: 2160 },
  contrast: { steps: [], contrast: true },
  'broken-link': { steps: [], fragment: '#9abc', noVerdict: true },
  differs: { steps: [], fragment: await promisedLink() },
  print: { steps: [page => page.emulateMedia({ media: 'print' }), page => page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))] },
}

/** A link whose verdict is not what comes out. */
async function promisedLink() {
  const { createServer } = await import('vite')
  const modules = await createServer({ root: web, configFile: path.join(web, 'vite.config.ts'), logLevel: 'error', server: { middlewareMode: true, ws: false } })
  const { encode } = await modules.ssrLoadModule('/src/core/share.ts')
  const { default: examples } = await modules.ssrLoadModule('virtual:gallery')
  await modules.close()
  return '#' + encode({ ...examples[0].input, verdict: 'not_equivalent', version: '0.0.9' })
}

fs.mkdirSync(out, { recursive: true })
for (const [name, { steps, dark = false, width = 1280, height = 860, fragment = '', noVerdict = false, contrast = false }] of Object.entries(states)) {
  if (wanted.length > 0 && !wanted.some(part => name.includes(part))) continue
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce', serviceWorkers: 'block', ...(contrast && { forcedColors: 'active', contrast: 'more' }) })
  const page = await context.newPage()
  await page.goto(address + fragment)
  if (!noVerdict) await page.locator('[data-testid="verdict"]').waitFor({ timeout: 60_000 })
  for (const step of steps) await step(page)
  await page.waitForTimeout(400)
  await page.screenshot({ path: path.join(out, `${name}.png`), fullPage: width < 800 || name === 'print' })
  await context.close()
}
if (args.includes('--readme')) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 780 }, colorScheme: 'light', reducedMotion: 'reduce', serviceWorkers: 'block' })
  const page = await context.newPage()
  await page.goto(address)
  await example('data_race/softmax/n128_buffer_reuse')(page)
  await tab('races')(page)
  await page.getByTestId('intro').getByRole('button').click()
  await page.getByTestId('apply-repair').waitFor({ timeout: 60_000 })
  await page.waitForTimeout(400)
  fs.mkdirSync(path.join(root, 'docs'), { recursive: true })
  await page.screenshot({ path: path.join(root, 'docs/page.png') })
}
await browser.close()
await server.close()
say(`The pictures are in ${path.relative(root, out)}.`)
