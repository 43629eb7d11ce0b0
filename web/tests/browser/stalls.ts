// When the machine stood still. A virtual machine whose host gives its time to others stops for tens of
// milliseconds, with everything on it; what a page took meanwhile says nothing about the page.
//
// One process per core, held to it, sleeps four milliseconds at a time and writes down when it woke
// much later than that. A page cannot cause it: Linux lets one who slept go first, whoever computes.
// Misses: stalls shorter than STALL, and stalls of cores that this process may not use.
//
// Where other programs compute all the while, no time says anything about the page: `watchOthers`.

import { spawn } from 'node:child_process'
import fs from 'node:fs'
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

/** Ticks of all cores that were not idle, those that the host took among them, and of this process and what it started. */
function ticks(): { all: number; own: number } {
  const [user, nice, system, , , interrupts, soft, stolen] = /^cpu +(.*)$/m.exec(fs.readFileSync('/proc/stat', 'utf8'))![1]!.split(' ').map(Number) as [number, number, number, number, number, number, number, number]
  const processes = new Map<number, { parent: number; ticks: number }>()
  for (const name of fs.readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      // After the command, which may contain anything: state, parent, …
      const fields = fs.readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ').map(Number)
      // Its own ticks, and those of its children that have ended.
      processes.set(Number(name), { parent: fields[1]!, ticks: fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) })
    } catch {
      // It has ended meanwhile.
    }
  }
  const isOwn = (pid: number): boolean => pid === process.pid || (processes.has(pid) && isOwn(processes.get(pid)!.parent))
  const own = [...processes].filter(([pid]) => isOwn(pid)).reduce((sum, [, process]) => sum + process.ticks, 0)
  return { all: user + nice + system + interrupts + soft + stolen, own }
}

/** Begins to watch what others compute; the result says how many cores they took since then. NaN where that cannot be known. */
export function watchOthers(): () => number {
  if (!fs.existsSync('/proc/stat')) return () => NaN
  const before = { ...ticks(), at: performance.now() }
  return () => {
    const now = ticks()
    return (now.all - before.all - (now.own - before.own)) / ((performance.now() - before.at) / 10)
  }
}
