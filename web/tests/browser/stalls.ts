// When the machine stood still. A virtual machine whose host gives its time to others stops for tens of
// milliseconds, with everything on it; what a page took meanwhile says nothing about the page.
//
// One process per core, held to it, sleeps four milliseconds at a time and writes down when it woke
// much later than that. A page cannot cause it: Linux lets one who slept go first, whoever computes.
// Misses: stalls shorter than STALL, and stalls of cores that this process may not use.

import { spawn } from 'node:child_process'
import os from 'node:os'

/** Milliseconds that a sleeper on a core that merely has much to do does not wait. */
const STALL = 20

/** A time without the machine, in milliseconds since 1970. */
export type Stall = readonly [from: number, to: number]

const sleeper = `
const cell = new Int32Array(new SharedArrayBuffer(4))
const now = () => performance.timeOrigin + performance.now()
for (let last = now(); ; ) {
  Atomics.wait(cell, 0, 0, 4)
  const woken = now()
  if (woken - last > ${STALL}) require('node:fs').writeSync(1, (last + 4) + ' ' + woken + '\\n')
  last = woken
}`

/** Watches until `end` is called, which gives the stalls so far. */
export function watchStalls(): { end: () => Promise<Stall[]> } {
  const watchers = Array.from({ length: os.availableParallelism() }, (_, core) => {
    const child = spawn('taskset', ['-c', String(core), process.execPath, '-e', sleeper], { stdio: ['ignore', 'pipe', 'inherit'] })
    let written = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (written += text))
    const closed = new Promise<void>((resolve, reject) => child.on('close', () => resolve()).on('error', reject))
    return { child, closed, text: () => written }
  })
  return {
    end: async () => {
      for (const { child } of watchers) child.kill()
      await Promise.all(watchers.map(({ closed }) => closed))
      return watchers.flatMap(({ text }) => text().trimEnd().split('\n').filter(Boolean).map(line => line.split(' ').map(Number) as unknown as Stall))
    },
  }
}

/** How many of the milliseconds between two times no stall covers. */
export function awake(from: number, to: number, stalls: readonly Stall[]): number {
  let left = to - from
  let until = from
  for (const [begin, end] of [...stalls].sort((a, b) => a[0] - b[0])) {
    const start = Math.max(begin, until)
    const stop = Math.min(end, to)
    if (stop <= start) continue
    left -= stop - start
    until = stop
  }
  return left
}
