// The timeline as a person uses it, and how fast it is on a large run.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import examples from 'virtual:gallery'
import { encode } from '../../src/core/share'
import { largeKernel, linkTo } from './large'
import { close, open, verdict, visit, type Site } from './page'
import { awake, watchOthers, watchStalls } from './stalls'

/** Cores that others may take while a frame's time says something. */
const OTHERS = 0.25

let site: Site

beforeAll(async () => {
  site = await open()
})
afterAll(() => close(site))

/** The frames that `act` causes, each from the wish for it until it is on the canvas, in milliseconds since 1970. */
async function frames(page: Page, act: () => Promise<void>): Promise<(readonly [from: number, to: number])[]> {
  await page.evaluate(() => {
    const store = globalThis as unknown as { frames: [number, number][]; observer?: PerformanceObserver }
    store.frames = []
    store.observer ??= new PerformanceObserver(list => {
      for (const { name, startTime, duration } of list.getEntries()) {
        const from = performance.timeOrigin + startTime
        if (name === 'timeline-frame') store.frames.push([from, from + duration])
      }
    })
    store.observer.observe({ entryTypes: ['measure'] })
  })
  await act()
  await page.waitForTimeout(300)
  return page.evaluate(() => (globalThis as unknown as { frames: [number, number][] }).frames)
}

const linkOf = (id: string) => {
  const { input } = examples.find(example => example.id === id)!
  return '#' + encode({ ...input, verdict: null })
}

/** Opens a case at its timeline; `hover` is what the cursor stands on, in words. */
async function timelineOf(fragment: string) {
  const { page, complaints } = await visit(site, fragment)
  await verdict(page, 120_000)
  await page.locator('#tab-timeline').click()
  const canvas = page.getByTestId('timeline')
  await page.locator('[data-testid="timeline"][data-whole="true"]').waitFor()
  const view = async () => ((await canvas.getAttribute('data-view')) ?? '').split(' ').map(Number) as [number, number]
  return { page, complaints, canvas, view, words: () => page.getByTestId('timeline-hover').textContent() }
}

/** How many pixels of the canvas have about a color of the theme. */
function inked(page: Page, name: string): Promise<number> {
  return page.evaluate(async variable => {
    const canvas = document.querySelector<HTMLCanvasElement>('[data-testid="timeline"]')!
    const probe = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d')!
    // Painted from the element itself: what a person sees.
    probe.drawImage(canvas, 0, 0)
    const style = getComputedStyle(document.documentElement).getPropertyValue(variable).trim()
    const wanted = [1, 3, 5].map(at => parseInt(style.slice(at, at + 2), 16))
    const { data } = probe.getImageData(0, 0, canvas.width, canvas.height)
    let count = 0
    for (let at = 0; at < data.length; at += 4) if (wanted.every((channel, of) => Math.abs(data[at + of]! - channel) < 24)) count++
    return count
  }, name)
}

test('a stall of the machine is taken from the times it covers, once, and from no other', () => {
  const stalls = [[100, 150], [120, 160], [300, 400]] as const
  expect(awake(90, 170, stalls)).toBe(20)
  expect(awake(110, 130, stalls)).toBe(0)
  expect(awake(160, 300, stalls)).toBe(140)
  expect(awake(350, 500, stalls)).toBe(100)
})

describe('a large run', () => {
  test('1,024 threads and 2 million events: drawn within 300 ms, moved within 33 ms', { timeout: 300_000, retry: 2 }, async () => {
    const { page } = await visit(site, linkTo(largeKernel(13_000)))
    await verdict(page, 150_000)
    const watch = watchStalls()
    const others = watchOthers()
    // A person reads the verdict first; what the timeline needs is fetched meanwhile.
    await page.waitForTimeout(1000)
    const shown = await frames(page, async () => {
      await page.evaluate(() => {
        const store = globalThis as unknown as { clicked: number }
        document.querySelector('#tab-timeline')!.addEventListener('click', () => (store.clicked = performance.timeOrigin + performance.now()), { once: true })
      })
      await page.locator('#tab-timeline').click()
      await page.waitForFunction(() => (globalThis as unknown as { frames: unknown[] }).frames.length > 0)
    })
    const clicked = await page.evaluate(() => (globalThis as unknown as { clicked: number }).clicked)
    await expect.poll(() => page.getByTestId('timeline-size').textContent()).toContain('32 warps')
    expect(Number((await page.getByTestId('timeline').getAttribute('data-events')) ?? 0)).toBeGreaterThan(2_000_000)
    expect(await page.getByTestId('timeline-cut').count()).toBe(0)

    const canvas = page.getByTestId('timeline')
    await canvas.focus()
    const moved = await frames(page, async () => {
      for (const key of [...'wwwwwwwwwwwwdddddddddddd', ...'aaaaaaassssssssssss', ...'wwwwwwwwwwwwwwwwwwwwwwwwddddddddss']) await page.keyboard.press(key)
    })
    const taken = others()
    const stalls = await watch.end()
    const first = awake(clicked, shown[0]![1], stalls)
    const of = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!
    const p95 = of(moved.map(([from, to]) => awake(from, to, stalls)))
    console.log(`first paint ${first.toFixed(0)} ms; ${moved.length} frames, p95 ${p95.toFixed(1)} ms (${of(moved.map(([from, to]) => to - from)).toFixed(1)} ms with ${stalls.length} stalls of the machine)`)
    expect(moved.length).toBeGreaterThan(20)
    // On a machine that is busy with something else, frames are late whatever the page does.
    if (taken > OTHERS) console.log(`not judged: other programs took ${taken.toFixed(2)} cores meanwhile`)
    else {
      expect(first).toBeLessThanOrEqual(300)
      expect(p95).toBeLessThanOrEqual(33)
    }
    await page.context().close()
  })
})

describe('the timeline', () => {
  test('a click leads to the line, and the line lights its lanes', async () => {
    const { page, complaints, canvas, words } = await timelineOf(linkOf(examples[0]!.id))
    const box = (await canvas.boundingBox())!
    await canvas.click({ position: { x: box.width / 2, y: 30 } })
    await expect.poll(words).toMatch(/warp 0.*step .*line \d+/)
    const line = Number(/line (\d+)/.exec((await words())!)![1])
    const active = page.locator('[data-testid="editor-optimized"] .cm-activeLineGutter').first()
    await expect.poll(() => active.textContent()).toBe(String(line))
    // Going there has put the editor's cursor on the line, and the timeline shows where it runs.
    await expect.poll(() => inked(page, '--syn-special')).toBeGreaterThan(10)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('everything works by keyboard', async () => {
    const { page, canvas, view, words } = await timelineOf(linkOf(examples[0]!.id))
    await canvas.focus()
    const whole = await view()
    const width = async () => (await view()).reduce((from, to) => to - from)
    await page.keyboard.press('w')
    await expect.poll(width).toBeLessThan(whole[1] - whole[0])
    const closer = await view()
    await page.keyboard.press('d')
    await expect.poll(async () => (await view())[0]).toBeGreaterThan(closer[0])
    await page.keyboard.press('ArrowLeft')
    await expect.poll(async () => (await view())[0]).toBeCloseTo(closer[0])
    await page.keyboard.press('f')
    await expect.poll(view).toEqual(whole)
    // The words come from the worker after the key: each is awaited before the next key.
    await expect.poll(words).not.toMatch(/step/)
    await page.keyboard.press('Shift+ArrowRight')
    await expect.poll(words).toMatch(/warp 0 .*step/)
    const step = Number(/step ([\d,]+)/.exec((await words())!)![1]!.replace(',', ''))
    await page.keyboard.press('Shift+ArrowRight')
    await expect.poll(words).toContain(`step ${(step + 1).toLocaleString('en')}`)
    // Unfolded, the row below a warp is its lane 0.
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowDown')
    await expect.poll(words).toContain('warp 0, lane 0')
    await page.keyboard.press('n')
    await expect.poll(() => page.getByTestId('barrier-position').textContent()).toMatch(/Barrier 1 of/)
    await page.keyboard.press('p')
    await page.keyboard.press('Enter')
    const line = async () => /line (\d+)/.exec((await words()) ?? '')?.[1]
    const active = () => page.locator('[data-testid="editor-optimized"] .cm-activeLineGutter').first().textContent()
    await expect.poll(async () => (await active()) === (await line())).toBe(true)
    await page.context().close()
  })

  test('dragging selects steps, which can be zoomed to', async () => {
    const { page, canvas, view } = await timelineOf(linkOf(examples[0]!.id))
    const box = (await canvas.boundingBox())!
    await page.mouse.move(box.x + 300, box.y + 60)
    await page.mouse.down()
    await page.mouse.move(box.x + 500, box.y + 60, { steps: 4 })
    await page.mouse.up()
    const button = page.getByText(/^Zoom to/)
    const steps = Number(/[\d,]+/.exec((await button.textContent())!)![0].replace(',', ''))
    await button.click()
    await expect.poll(async () => (await view()).reduce((from, to) => Math.abs(to - from - steps))).toBeLessThanOrEqual(1)
    await canvas.dblclick({ position: { x: 400, y: 60 } })
    await expect.poll(async () => (await view())[0]).toBe(0)
    await page.mouse.move(box.x + 400, box.y + 60)
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -200)
    await page.keyboard.up('Control')
    await expect.poll(async () => (await view())[0]).toBeGreaterThan(0)
    await page.context().close()
  })

  test('a race is an arc, a deadlock shows who waits for whom', async () => {
    const racy = await timelineOf(linkOf('data_race/matmul/one_barrier'))
    await expect.poll(() => inked(racy.page, '--bad')).toBeGreaterThan(20)
    await racy.page.context().close()
    const stuck = await timelineOf(linkOf('deadlock/softmax/n128_different_barriers'))
    await expect.poll(() => inked(stuck.page, '--bad')).toBeGreaterThan(20)
    await stuck.canvas.focus()
    await stuck.page.keyboard.press('Shift+ArrowRight')
    await stuck.page.keyboard.press('d')
    await stuck.page.context().close()
  })

  test('the table has the same numbers', async () => {
    const { page } = await timelineOf(linkOf(examples[0]!.id))
    await page.getByText('The same as a table').click()
    const table = page.getByTestId('timeline-table')
    await expect.poll(() => table.locator('tbody tr').count()).toBeGreaterThan(2)
    await expect.poll(() => table.locator('tbody th').first().textContent()).toBe('warp 0')
    await page.context().close()
  })
})
