// The threaded and the single-threaded engine give the same report, byte for byte but for times, on
// every fifth small case of the corpus: the built workers, asked through their own protocol.
// `npm run soak -- wasm` asks all of the corpus and compares with the native program, too.

import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Input, Request, Response } from '../../src/core/protocol'
import { dist } from './host'
import { close, open, visit, type Site } from './page'

const corpus = path.resolve(import.meta.dirname, '../../../tests/corpus')
/** The native program, in the long form. */
const NATIVE = process.env['WARPPROOF_NATIVE']
/** Thread-instructions of the larger kernel: at most, in the short form, and more than, in the long one. */
const SMALL = 20_000
/** Of the small cases one in so many is asked, in the short form. */
const EVERY = 5
const ABOVE = Number(process.env['WARPPROOF_SOAK_ABOVE'] ?? -1)
/** Questions that are asked at a time. */
const BATCH = 20

let site: Site

beforeAll(async () => {
  site = await open()
})
afterAll(() => close(site))

interface Case {
  name: string
  input: Input
  /** Thread-instructions of the larger kernel, as the recorded report has them. */
  size: number
}

/** The cases of the corpus, the small ones first; without the long form some of those whose recorded report says that they are small. */
function cases(): Case[] {
  const files = fs.readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.toml') && file !== 'gallery.toml' && !/(^|\/)\./.test(file)).sort()
  const found = files.flatMap((file): Case[] => {
    const recorded = path.join(corpus, file.replace(/\.toml$/, '.report.txt'))
    const report = fs.existsSync(recorded) ? fs.readFileSync(recorded, 'utf8') : ''
    const ran = [...report.matchAll(/, ([\d,]+) instructions?\b/g)].map(match => Number(match[1]!.replaceAll(',', '')))
    const size = Math.max(0, ...ran)
    if (NATIVE ? size <= ABOVE : report === '' || size > SMALL) return []
    const spec = fs.readFileSync(path.join(corpus, file), 'utf8')
    const ptx = (side: string) => {
      const section = spec.split(new RegExp(`^\\[${side}\\]\\s*$`, 'm'))[1]?.split(/^\[/m)[0]
      const name = section?.match(/^ptx\s*=\s*"([^"]*)"/m)?.[1]
      return name === undefined ? null : fs.readFileSync(path.join(corpus, path.dirname(file), name), 'utf8')
    }
    const [reference, optimized] = [ptx('reference'), ptx('optimized')]
    return optimized === null ? [] : [{ name: file, input: { reference: reference ?? '', optimized, spec, single: reference === null }, size }]
  })
  found.sort((a, b) => a.size - b.size)
  return NATIVE ? found : found.filter((_, at) => at % EVERY === 0)
}

/** A worker of the page's own in the page, started; asked by `ask`. */
async function start(page: Page, flavor: 'threads' | 'single'): Promise<void> {
  const worker = fs.readdirSync(path.join(dist, 'assets')).find(name => /^worker-.*\.js$/.test(name))
  const found = await page.evaluate(
    ([url, flavor]) =>
      new Promise<string>(resolve => {
        const worker = new Worker(url!, { type: 'module' })
        Object.assign(globalThis, { [`engine_${flavor}`]: worker })
        worker.onmessage = ({ data }: MessageEvent<Response>) => {
          if (data.kind === 'ready') resolve(`${data.flavor} ${data.threads}`)
          if (data.kind === 'unusable') resolve(data.message)
        }
        worker.postMessage({ kind: 'start', flavor, threads: flavor === 'threads' ? 3 : 1 } as Request)
      }),
    [`${site.address}assets/${worker}`, flavor] as const,
  )
  expect(found).toBe(flavor === 'threads' ? 'threads 3' : 'single 1')
}

/** The reports on some questions, as JSON without times and without what is absent. */
function ask(page: Page, flavor: 'threads' | 'single', inputs: Input[]): Promise<string[]> {
  return page.evaluate(
    async ([flavor, inputs]) => {
      const worker = (globalThis as unknown as Record<string, Worker>)[`engine_${flavor}`]!
      const reports: string[] = []
      for (const [id, input] of inputs.entries()) {
        const report = await new Promise<unknown>(resolve => {
          worker.onmessage = ({ data }: MessageEvent<Response>) => {
            if (data.kind === 'verified') resolve(data.report)
            if (data.kind === 'failed') resolve(data.failure)
          }
          worker.postMessage({ kind: 'verify', id, input } as Request)
        })
        reports.push(JSON.stringify(report, (key, value: unknown) => (key === 'timings' || key === 'time' || value === null ? undefined : value)))
      }
      return reports
    },
    [flavor, inputs] as const,
  )
}

/** What the native program says. Its report has the origins of what differs, which the page asks for later. */
function native(file: string): string {
  const args = ['check', '--no-times', '--format', 'json', '--threads', '2', '--spec', path.join(corpus, file)]
  let printed: string
  try {
    printed = execFileSync(NATIVE!, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    printed = (error as { stdout: string }).stdout // the exit status is the verdict's
  }
  return JSON.stringify(JSON.parse(printed), (key, value: unknown) => (key === 'timings' || key === 'time' || key === 'origins' || value === null ? undefined : value))
}

/** The first place at which two reports differ. */
function differs(a: string, b: string): string | null {
  if (a === b) return null
  let at = 0
  while (a[at] === b[at]) at++
  return `…${a.slice(Math.max(0, at - 60), at + 60)}… and …${b.slice(Math.max(0, at - 60), at + 60)}…`
}

test('the threaded, the single-threaded and, in the long form, the native engine agree', { timeout: NATIVE ? 14_400_000 : 1_800_000 }, async () => {
  const all = cases()
  if (ABOVE < 0) expect(all.length).toBeGreaterThan(NATIVE ? 1300 : 300)
  const { page, complaints } = await visit(site)
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
  await start(page, 'threads')
  await start(page, 'single')
  const found: string[] = []
  const verdicts = new Set<string>()
  for (let from = 0; from < all.length; from += BATCH) {
    const batch = all.slice(from, from + BATCH)
    const inputs = batch.map(({ input }) => input)
    const [threads, single] = await Promise.all([ask(page, 'threads', inputs), ask(page, 'single', inputs)])
    for (const [at, { name }] of batch.entries()) {
      verdicts.add(/"verdict":"(\w+)"/.exec(single[at]!)?.[1] ?? 'none')
      const builds = differs(threads[at]!, single[at]!)
      if (builds) found.push(`${name}: threads and single: ${builds}`)
      const machines = NATIVE ? differs(native(name), single[at]!) : null
      if (machines) found.push(`${name}: native and single: ${machines}`)
    }
    if (NATIVE) console.log(`${from + batch.length} of ${all.length} cases, up to ${batch.at(-1)!.size.toLocaleString('en')} thread-instructions, ${found.length} disagreements`)
  }
  expect(found).toEqual([])
  expect(complaints).toEqual([])
  // Failed runs agree, too, and would say nothing.
  expect(verdicts.has('none')).toBe(false)
  if (ABOVE < 0) expect(verdicts.size).toBeGreaterThan(8)
  await page.context().close()
})
