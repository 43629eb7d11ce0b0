// Running one step of a longer job: what it is doing goes to the terminal first,
// its output follows as it comes, and a step that stays silent says every
// 20 seconds, after two minutes every minute, that it is still alive. A failed step ends the whole job. A job that
// knows its steps beforehand (`plan`) says before each one how many are left, and a
// step that takes minutes says how many more: by what it took the last time, else by
// what it takes on two idle cores, how much slower the steps before it were than there, and how
// busy the machine is; of cargo, the more it has done, by how fast that went.

import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import path from 'node:path'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')

const HEARTBEAT_MS = 20_000
/** From then on, in seconds, a silent step says so every minute. */
const LONG = 120
const colour = process.stdout.isTTY && !process.env.NO_COLOR
const paint = (code, text) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text)

/** What steps took the last time, in seconds, by their titles. */
const timesFile = path.join(root, 'target/step-times.json')
/** How many times longer than on two idle cores the latest step took that says so. */
let slowness = 1

function lastTimes() {
  try {
    return JSON.parse(fs.readFileSync(timesFile, 'utf8'))
  } catch {
    return {}
  }
}

function remember(title, took) {
  try {
    fs.mkdirSync(path.dirname(timesFile), { recursive: true })
    fs.writeFileSync(timesFile, JSON.stringify({ ...lastTimes(), [title]: Math.round(took) }))
  } catch {
    // It is a guess less, the next time.
  }
}

/**
 * How many seconds a step of cargo will take in all. `crates` says how many are built, of how many, and since when only
 * the last one is left; that one takes the share `last` of the time, however many there are. The first few say little, so
 * `before`, what was expected, counts for less and less.
 */
export function forecast(before, elapsed, { done, all, lastSince = null }, last) {
  if (!last || !all) return before
  if (lastSince !== null) return Math.max(lastSince / (1 - last), elapsed)
  const part = ((1 - last) * done) / Math.max(1, all - 1)
  if (part <= 0) return before
  const trust = Math.min(1, part / ((1 - last) / 2))
  return Math.max(trust * (elapsed / part) + (1 - trust) * before, elapsed)
}

/** What is left of a step, in words; nothing where nobody knows. */
export function left(usual, elapsed) {
  if (!usual) return ''
  const more = usual - elapsed
  if (more < 5) return elapsed > usual * 1.1 ? '; longer than expected' : '; nearly done'
  return more < 90 ? `; about ${Math.ceil(more / 10) * 10} s more` : `; about ${Math.round(more / 60)} min more`
}

let planned = 0
let begun = 0

/** How many steps follow, so that each can say which one it is. */
export function plan(steps) {
  planned = steps
  begun = 0
}

/** Says that the next `steps` steps run at the same time. */
export function sideBySide(steps) {
  if (steps > 1) say(`Steps 1 to ${steps} run side by side, so their lines are mixed.`)
}

/** What Vite says, less how to serve other computers: nobody who starts the playground has asked for that. */
export const ownAddress = output => output.replace(/^.*\buse .*--host.*\r?\n/gm, '')

/** One sentence to the person who waits. */
export function say(sentence) {
  console.log(`${paint('36', '▸')} ${sentence}`)
}

/** What runs now. */
const running = new Set()

/** Ends the job, and what runs beside it, with one sentence that says what to do. */
export function fail(sentence) {
  console.error(`${paint('31', '✗')} ${sentence}`)
  for (const child of running) child.kill()
  process.exit(1)
}

export const seconds = since => `${((Date.now() - since) / 1000).toFixed(1)} s`

/**
 * Runs `command` in the repository, saying `title` before and the time after.
 * Resolves to the exit status; with `fatal` (the default) a non-zero status ends the job.
 * `usual` is how many seconds it takes on two idle cores, if that is long.
 * `quiet` shows the output of a step only if it fails, and of cargo how many crates are built.
 * `last` is the share of the time that cargo's last crate takes.
 */
export async function step(title, command, args, { env = {}, cwd = root, fatal = true, quiet = false, usual = 0, last = 0 } = {}) {
  begun += 1
  say(`${begun <= planned ? `${begun} of ${planned}: ` : ''}${title} …`)
  const started = Date.now()
  const expected = usual && (lastTimes()[title] ?? usual * Math.max(slowness, os.loadavg()[0] / os.availableParallelism()))
  let lastOutput = started
  let lastWord = started
  let said = ''
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...(quiet && { CARGO_TERM_PROGRESS_WHEN: 'always', CARGO_TERM_PROGRESS_WIDTH: '80' }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const kept = []
  const crates = { done: 0, all: 0, lastSince: null }
  for (const [stream, sink] of [[child.stdout, process.stdout], [child.stderr, process.stderr]]) {
    stream.on('data', data => {
      lastOutput = Date.now()
      if (!quiet) sink.write(data)
      else {
        kept.push(data)
        const built = /\] (\d+)\/(\d+)(?!.*\] \d+\/)/s.exec(String(data))
        if (built) [crates.done, crates.all] = [Number(built[1]), Number(built[2])]
        if (built && crates.done === crates.all - 1) crates.lastSince ??= (Date.now() - started) / 1000
      }
    })
  }
  const heartbeat = setInterval(() => {
    const elapsed = (Date.now() - started) / 1000
    const wait = quiet && elapsed < LONG ? 0 : elapsed < LONG ? HEARTBEAT_MS : 3 * HEARTBEAT_MS
    if (Date.now() - (quiet ? lastWord : lastOutput) < wait - 1000) return
    lastWord = lastOutput = Date.now()
    const done = !crates.all ? 'still working' : `${crates.done} of ${crates.all} crates${last && crates.lastSince !== null ? ', and the last one is most of the work,' : ''}`
    const more = left(forecast(expected, elapsed, crates, last), elapsed)
    // That it takes longer is said once.
    console.log(`  … ${title}: ${done} after ${Math.round(elapsed)} s${more === said && more.includes('longer') ? '' : more}`)
    said = more
  }, HEARTBEAT_MS)
  const status = await new Promise(resolve => {
    child.on('error', error => {
      console.error(`  ${command}: ${error.message}`)
      resolve(127)
    })
    child.on('close', code => resolve(code ?? 1))
  })
  clearInterval(heartbeat)
  running.delete(child)
  if (status !== 0) {
    if (quiet) process.stderr.write(Buffer.concat(kept).toString().replace(/^.*Building \[.*\r?\n?/gm, ''))
    if (fatal) fail(`${title}: failed after ${seconds(started)} (exit status ${status})`)
  } else {
    const took = (Date.now() - started) / 1000
    if (usual) {
      slowness = Math.max(1, took / usual)
      remember(title, took)
    }
    console.log(`  ${paint('32', '✓')} ${title} (${seconds(started)})`)
  }
  return status
}

/** The trimmed standard output of a command, or null when it is missing or fails. */
export function output(command, args, env = {}) {
  const result = spawnSync(command, args, { cwd: root, env: { ...process.env, ...env }, encoding: 'utf8' })
  return result.status === 0 ? result.stdout.trim() : null
}

/** The words that let this user run apt-get without being asked: [], ['sudo', '-n'] or null. */
export function aptPrefix() {
  if (output('apt-get', ['--version']) === null) return null
  if (process.getuid?.() === 0) return []
  return output('sudo', ['-n', 'true']) === null ? null : ['sudo', '-n']
}

/** Installs Debian packages; false when apt-get is missing, not permitted or fails. */
export async function aptInstall(what, packages) {
  const prefix = aptPrefix()
  if (prefix === null) return false
  const run = (title, args) => {
    const [command, ...rest] = [...prefix, 'apt-get', ...args]
    return step(title, command, rest, { env: { DEBIAN_FRONTEND: 'noninteractive' }, fatal: false, quiet: true })
  }
  if ((await run('reading the Debian package lists', ['update'])) !== 0) return false
  return (await run(`installing ${what} with apt-get (${packages.join(' ')})`, ['install', '-y', '--no-install-recommends', ...packages])) === 0
}
