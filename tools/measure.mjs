// What `npm run table` and `npm run bench` have in common: the cases of tests/corpus, one native
// process that answers one question, how figures are written, and a section of a document that is replaced.
//
// Time is the wall clock of the whole process, memory the peak resident set as GNU time sees it;
// Node cannot ask for a child's.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fail, output, root, step } from './step.mjs'

export const corpus = path.join(root, 'tests/corpus')
export const program = path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, 'target'), 'release/warpproof')

export const exact = number => number.toLocaleString('en-US')
/** Three digits are enough for large numbers: 6,143 and 75.6 M. */
export const rounded = number => (number < 1_000_000 ? exact(number) : `${Number((number / 1e6).toPrecision(3))} M`)
/** Seconds. */
export const short = time => (time < 1 ? time.toFixed(3) : time < 100 ? time.toFixed(1) : time.toFixed(0))

/** The middle one; of an even number of them, the mean of the two in the middle. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The spec file of a case, or null where there is no such case. */
export function specOf(name) {
  const spec = path.join(corpus, `${name}.toml`)
  return fs.existsSync(spec) ? spec : null
}

/** The texts that a spec file names, as the page takes them. */
export function texts(file) {
  const text = fs.readFileSync(file, 'utf8')
  const side = name => {
    const section = new RegExp(`^\\[${name}\\]\\n(?:(?!\\[).*\\n)*?ptx\\s*=\\s*"(.*)"`, 'm').exec(text)
    return section ? fs.readFileSync(path.join(path.dirname(file), section[1]), 'utf8') : null
  }
  return { spec: text.replace(/^ptx\s*=.*\n/gm, ''), reference: side('reference'), optimized: side('optimized') }
}

/** Ends the job where GNU time is missing. */
export function needTime() {
  if (output('time', ['--version']) === null) fail('GNU time is missing; on Debian: apt-get install time')
}

/** Builds the release program. */
export function buildProgram() {
  return step('building the program', 'cargo', ['build', '--release', '--locked', '--quiet', '-p', 'warpproof'])
}

/** Builds the page. */
export function buildPage() {
  return step('building the page', process.execPath, [path.join(root, 'tools/start.mjs'), '--build-only'])
}

/** Answers one question in a process of its own: { report, time in seconds, memory in MiB }. */
export function answer(verb, spec, ...options) {
  const peak = path.join(os.tmpdir(), `warpproof-peak-${process.pid}`)
  const started = process.hrtime.bigint()
  const run = spawnSync('time', ['-q', '-f', '%M', '-o', peak, program, verb, '--spec', spec, '--format', 'json', ...options], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  })
  const time = Number(process.hrtime.bigint() - started) / 1e9
  if (run.error) fail(`${spec}: ${run.error.message}`)
  const memory = Number(fs.readFileSync(peak, 'utf8').trim()) / 1024
  fs.rmSync(peak)
  try {
    return { report: JSON.parse(run.stdout), time, memory }
  } catch {
    return fail(`${spec}: no report: ${run.stderr.trim()}`)
  }
}

/** What else the machine has to do when measurements begin, for `machine`. */
export async function watchMachine() {
  return { busy: await busyCores(), before: processorTime() }
}

/** Processor time so far that was asked for, and of that what a virtual machine's host gave to others; null where Linux does not say. */
function processorTime() {
  if (!fs.existsSync('/proc/stat')) return null
  const [user, nice, system, , , irq, softirq, stolen] = fs.readFileSync('/proc/stat', 'utf8').split('\n')[0].split(/ +/).slice(1).map(Number)
  return { asked: user + nice + system + irq + softirq + stolen, stolen }
}

/** How many cores are busy with something else, seen over two seconds. */
async function busyCores() {
  const sum = () => os.cpus().map(({ times: { idle, ...rest } }) => [idle, Object.values(rest).reduce((a, b) => a + b)])
  const before = sum()
  await new Promise(done => setTimeout(done, 2000))
  const shares = sum().map(([idle, work], at) => (work - before[at][1]) / Math.max(1, idle - before[at][0] + work - before[at][1]))
  return shares.reduce((a, b) => a + b)
}

/** Where and when, in a sentence, and what others took of the machine since it was watched. */
export function machine(command, { busy, before }) {
  const [cpu] = os.cpus()
  const memory = `${(os.totalmem() / 2 ** 30).toFixed(0)} GiB`
  const shared = busy > 0.2 ? ` Other work took ${busy.toFixed(1)} of the cores when the first row began, so times are longer than they have to be.` : ''
  const now = processorTime()
  const stolen = now && before ? (now.stolen - before.stolen) / Math.max(1, now.asked - before.asked) : 0
  const taken = stolen > 0.02 ? ` The machine is a virtual one, whose host gave ${(stolen * 100).toFixed(0)} % of the processor time to others meanwhile.` : ''
  return `Measured on ${new Date().toISOString().slice(0, 10)} on ${os.availableParallelism()} cores (${cpu.model.trim()}, ${memory}) by \`${command}\`.${shared}${taken}`
}

/** The part of a document between `<!-- name:begin -->` and `<!-- name:end -->`; `replace` writes it. */
export function reportSection(name, document = 'docs/performance.md') {
  const report = path.join(root, document)
  const markers = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`]
  const find = text => {
    const [begin, end] = markers.map(marker => text.indexOf(marker))
    if (begin < 0 || end < begin) fail(`${document} has no section between ${markers.join(' and ')}`)
    return [begin + markers[0].length, end]
  }
  find(fs.readFileSync(report, 'utf8'))
  return {
    replace(section) {
      // Read again: the measurements took minutes.
      const text = fs.readFileSync(report, 'utf8')
      const [begin, end] = find(text)
      fs.writeFileSync(report, `${text.slice(0, begin)}\n\n${section}\n\n${text.slice(end)}`)
    },
  }
}

/** A Markdown table; columns after the first `left` are set to the right. */
export function markdown(columns, rows, left = 1) {
  const rule = columns.map((_, at) => (at < left ? '---' : '---:'))
  return [columns, rule, ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}
