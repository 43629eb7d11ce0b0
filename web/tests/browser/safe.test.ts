// What happens when somebody means harm or something breaks: a named state, soon, with the
// text kept, and a page that works on. The aim is three seconds; a loaded machine gets
// three times that before a test fails.

import fs from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import examples from 'virtual:gallery'
import { encode } from '../../src/core/share'
import { dist } from './host'
import { close, leave, open, rewrite, textOf, verdict, verify, visit, type Site } from './page'

const SOON = 9_000

let site: Site
let plain: Site

beforeAll(async () => {
  site = await open()
  plain = await open({ isolated: false })
})
afterAll(() => Promise.all([close(site), close(plain)]))

const first = examples[0]!
const link = (changes: object = {}) => '#' + encode({ ...first.input, verdict: null, ...changes })

test('the policy allows nothing from elsewhere, nothing inline, no eval', () => {
  for (const [name, scripts] of [['index.html', "'self' 'wasm-unsafe-eval'"], ['warpproof-offline.html', /^'sha256-[\w+/=]{44}' 'wasm-unsafe-eval'$/]] as const) {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(fs.readFileSync(path.join(dist, name), 'utf8'))?.[1]?.replaceAll('&#39;', "'")
    const directives = Object.fromEntries(policy!.split('; ').map(part => [part.split(' ')[0], part.split(' ').slice(1).join(' ')]))
    expect(directives['default-src']).toBe("'none'")
    expect(directives['script-src']).toMatch(scripts)
    expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:|\*/)
  }
})

describe('links', () => {
  test('with markup in every name show it as text', async () => {
    const name = '<img src=x onerror=alert(1)>'
    const spec = first.input.spec + `\n[tensors."${name}"]\ntype = "f32"\nshape = [4]\n[scalars]\n"<script>alert(2)</script>" = 3\n`
    const reference = first.input.reference.replaceAll('softmax_naive', 'softmax_naive<svg/onload=alert(3)>')
    for (const fragment of [link({ spec, verdict: '<b>fine</b>' }), link({ reference, spec })]) {
      const { page, complaints } = await visit(site, fragment)
      const dialogs: string[] = []
      page.on('dialog', dialog => {
        dialogs.push(dialog.message())
        void dialog.dismiss()
      })
      await verdict(page)
      await page.getByTestId('spec-toggle').click()
      await expect.poll(() => textOf(page, 'spec')).toBe(spec)
      expect(await page.evaluate(() => document.querySelectorAll('#app img, #app script, #app [onload], #app [onerror], #app b').length)).toBe(0)
      expect(dialogs).toEqual([])
      expect(complaints).toEqual([])
      await page.context().close()
    }
  })

  test.each([
    ['a newer version', () => '#9' + link().slice(2), 'newer', ''],
    ['a cut', () => link().slice(0, -200), 'cut off', first.input.reference],
    ['a stray character', () => link() + '%20and%20more', 'cannot stand in a link', first.input.reference],
    ['noise', () => '#1' + 'zzzz'.repeat(500), 'damaged', null],
  ])('with %s say so, keep the text and leave a page that works', async (_, fragment, message, kept) => {
    const { page, complaints } = await visit(site, fragment())
    await expect.poll(() => page.getByTestId('notice').textContent(), { timeout: SOON }).toContain(message)
    if (kept !== null) await expect.poll(() => textOf(page, 'reference')).toBe(kept)
    await page.getByTestId('examples').click()
    await page.locator(`[data-example="${first.id}"]`).click()
    expect(await verdict(page)).toBe('equivalent')
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

/** The state of a tool error: its kind, its title, and how long it took to come. */
async function failure(page: Page): Promise<{ kind: string | null; title: string | null; after: number }> {
  const started = Date.now()
  const error = page.getByTestId('tool-error')
  await error.waitFor({ timeout: 60_000 })
  return { kind: await error.getAttribute('data-kind'), title: await error.textContent(), after: Date.now() - started }
}

describe('the engine', () => {
  test('that dies is named and replaced', async () => {
    const { page } = await visit(site)
    await verdict(page)
    for (const worker of page.workers()) {
      await worker.evaluate(() => {
        self.onmessage = () => {
          setTimeout(() => {
            throw new Error('forced death')
          })
        }
      }).catch(() => undefined) // rayon's workers sleep and do not answer
      if (worker === page.workers()[0]) break
    }
    await page.getByTestId('verify').first().click()
    const { kind, title, after } = await failure(page)
    expect(kind).toBe('died')
    expect(title).toContain('Tool error')
    expect(after).toBeLessThan(SOON)
    await expect.poll(() => page.locator('#panel').textContent()).toContain('forced death')
    expect(await verify(page)).toBe('equivalent')
    await page.context().close()
  })

  test('that gets no more memory says so, and how far it was', async () => {
    const { page } = await visit(site)
    await rewrite(page, /\/assets\/warpproof-\w+.*\.js$/, text => text.replace('maximum:65536', 'maximum:400'))
    await page.goto('about:blank')
    await page.goto(site.address + '#' + encode({ ...matmul(), verdict: null }))
    const { kind, title } = await failure(page)
    expect(kind).toBe('memory')
    expect(title).toContain('Out of memory')
    await expect.poll(() => page.locator('#panel').textContent()).toMatch(/[\d,]+ thread-instructions|no more memory|allocation/)
    // What needs less works again.
    await page.getByTestId('examples').click()
    await page.locator('[data-example="race_free/pattern/own_slot"]').click()
    expect(await verdict(page)).toBe('race_free')
    await leave(page)
  })

  test('without isolation runs on one thread and says why, soon', async () => {
    const { page } = await visit(plain)
    const engine = page.getByTestId('engine')
    await expect.poll(() => engine.textContent(), { timeout: SOON }).toContain('1 thread')
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(false)
    await expect.poll(() => engine.getAttribute('title')).toContain('not cross-origin isolated')
    expect(await verdict(page)).toBe('equivalent')
    await page.context().close()
  })

  test.each([
    ['SIMD', 'const validate = WebAssembly.validate; WebAssembly.validate = bytes => bytes.length > 40 && validate(bytes);', 'SIMD'],
    ['WebAssembly', 'delete self.WebAssembly;', 'no WebAssembly'],
  ])('in a browser without %s says so; the texts stay', async (_, sabotage, message) => {
    const { page } = await visit(site)
    await rewrite(page, /\/assets\/worker-.*\.js$/, text => sabotage + text)
    await page.goto('about:blank')
    await page.goto(site.address)
    const { kind, after } = await failure(page)
    expect(kind).toBe('unusable')
    expect(after).toBeLessThan(SOON)
    await expect.poll(() => page.locator('#panel').textContent()).toContain(message)
    await expect.poll(() => page.getByTestId('engine').textContent()).toContain('unavailable')
    await expect.poll(() => textOf(page, 'reference')).toBe(first.input.reference)
    await leave(page)
  })
})

/** A case that needs more memory than the tests leave it. */
function matmul() {
  const file = path.resolve(dist, '../../tests/corpus/equivalent/matmul_paper/k4096_naive_vs_2d.toml')
  const spec = fs.readFileSync(file, 'utf8')
  const [reference, optimized] = [...spec.matchAll(/^ptx\s*=\s*"(.*)"/gm)].map(([, ptx]) => fs.readFileSync(path.join(path.dirname(file), ptx!), 'utf8'))
  return { spec: spec.replace(/^ptx\s*=.*\n/gm, ''), reference: reference!, optimized: optimized!, single: false }
}
