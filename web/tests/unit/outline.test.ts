// Code that is moved out of functions (tools/outline.mjs) computes what it did: the engine, with random
// pieces of all its functions moved, gives the same reports on the gallery's examples.

import fs from 'node:fs'
import path from 'node:path'
import examples from 'virtual:gallery'
import { expect, test } from 'vitest'
import type { Package } from '../../src/core/packages'
// @ts-expect-error: a tool without types
import { outline } from '../../../tools/outline.mjs'
// @ts-expect-error: a tool without types
import { bytesOf, parse } from '../../../tools/wasm-binary.mjs'

const engine = path.resolve(import.meta.dirname, '../../src/pkg-single')
const whole = fs.readFileSync(path.join(engine, 'warpproof_bg.wasm'))

/** A number from 0 to 1 for each segment of each function. */
function draw(seed: number, body: number, segment: number): number {
  let bits = Math.imul(seed, 0x9e3779b1) ^ (body * 100_003 + segment)
  for (let round = 0; round < 2; round++) bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b)
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32
}

/** What a fresh instance says of all examples, but for times. */
async function answers(tag: string, bytes: Buffer): Promise<string[]> {
  const instance = (await import(/* @vite-ignore */ `${path.join(engine, 'warpproof.js')}?${tag}`)) as Package
  instance.initSync({ module: new WebAssembly.Module(new Uint8Array(bytes)) })
  return examples.map(({ input }) => {
    const run = new instance.Run()
    const report = run.verify(input!, () => {})
    run.free()
    return JSON.stringify(report, (key, value: unknown) => (key === 'timings' || key === 'time' ? undefined : typeof value === 'bigint' ? String(value) : value))
  })
}

test.each([
  [1, 0.3],
  [2, 0.1],
  [3, 0.8],
])('random pieces of the engine moved out (seed %d, a share of %d stays)', { timeout: 240_000 }, async (seed, share) => {
  const module = parse(whole)
  const moved = outline(module, (body: number, segment: number) => draw(seed, body, segment) < share, () => false)
  expect(moved.functions.length).toBeGreaterThan(module.functions.length + 1000)
  const [before, after] = [await answers('whole', whole), await answers(`moved-${seed}`, bytesOf(moved))]
  expect(before.length).toBeGreaterThan(30)
  expect(examples.flatMap(({ id }, at) => (after[at] === before[at] ? [] : [id]))).toEqual([])
})
