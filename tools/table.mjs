// npm run table: runs the release program on the cases of table-rows.mjs, one after the other,
// and writes what it measured into the README, between the markers. `npm run table -- WORD …`
// runs only the families whose title has one of the words, prints them, and writes nothing.
//
// Everything but time and memory is what the JSON report says, except in the browser: there every
// pair is opened in the built page once more (tools/browser.mjs). Time is the wall clock of the
// whole process in one run: reading, executing both kernels, comparing, re-checking, writing the
// report. Memory is the peak resident set of that process, as GNU time sees it; Node cannot ask
// for a child's. A verdict that is not its case's folder ends the job with nothing written.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { families, sources } from './table-rows.mjs'
import { openPage } from './browser.mjs'
import { fail, output, root, say, seconds, step } from './step.mjs'

const readme = path.join(root, 'README.md')
const corpus = path.join(root, 'tests/corpus')
const markers = ['<!-- table:begin -->', '<!-- table:end -->']
const program = path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, 'target'), 'release/warpproof')

const exact = number => number.toLocaleString('en-US')
/** Three digits are enough for large numbers: 6,143 and 75.6 M. */
const rounded = number => (number < 1_000_000 ? exact(number) : `${Number((number / 1e6).toPrecision(3))} M`)
const pair = numbers => (new Set(numbers).size === 1 ? numbers[0] : numbers.join(' / '))
const short = time => (time < 1 ? time.toFixed(3) : time < 100 ? time.toFixed(1) : time.toFixed(0))

/** The lines of a PTX file that a case names, for the reference first. */
function ptxLines(spec) {
  const files = [...fs.readFileSync(spec, 'utf8').matchAll(/^ptx\s*=\s*"(.*)"/gm)].map(([, file]) => file)
  return files.map(file => exact(fs.readFileSync(path.join(path.dirname(spec), file), 'utf8').trimEnd().split('\n').length))
}

/** The texts of a case, as the page takes them. */
function texts(file) {
  const text = fs.readFileSync(file, 'utf8')
  const side = name => {
    const section = new RegExp(`^\\[${name}\\]\\n(?:(?!\\[).*\\n)*?ptx\\s*=\\s*"(.*)"`, 'm').exec(text)
    return section ? fs.readFileSync(path.join(path.dirname(file), section[1]), 'utf8') : null
  }
  return { spec: text.replace(/^ptx\s*=.*\n/gm, ''), reference: side('reference'), optimized: side('optimized') }
}

/** Runs one case; null where there is none. */
async function measure(name) {
  const spec = path.join(corpus, `${name}.toml`)
  if (!fs.existsSync(spec)) {
    console.error(`  no case tests/corpus/${name}.toml: left out`)
    return null
  }
  const peak = path.join(os.tmpdir(), `warpproof-table-${process.pid}`)
  const started = process.hrtime.bigint()
  const run = spawnSync('time', ['-q', '-f', '%M', '-o', peak, program, 'check', '--spec', spec, '--format', 'json'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  })
  const time = Number(process.hrtime.bigint() - started) / 1e9
  if (run.error) fail(`${name}: ${run.error.message}`)
  let report
  try {
    report = JSON.parse(run.stdout)
  } catch {
    fail(`${name}: no report: ${run.stderr.trim()}`)
  }
  const memory = Number(fs.readFileSync(peak, 'utf8').trim()) / 1024
  fs.rmSync(peak)
  const expected = name.split('/')[0]
  if (report.verdict !== expected) fail(`${name}: the verdict is ${report.verdict}: ${report.summary}`)
  const browser = await page.ask(texts(spec))
  if (browser.verdict !== expected) fail(`${name}: in the browser the verdict is ${browser.verdict}`)
  console.log(`  ${name}: ${report.verdict}, ${short(time)} s, ${memory.toFixed(0)} MiB; in the browser ${short(browser.time)} s, ${browser.memory.toFixed(0)} MiB`)
  return { report, time, memory, browser, lines: ptxLines(spec) }
}

const columns = ['pair', 'verdict', 'instructions', 'block syncs', 'warp syncs', 'threads', 'PTX lines', 'time (s)', 'memory (MiB)', 'browser (s)', 'browser (MiB)', 'paper (s)']

async function row(family, [name, words, paper]) {
  const measured = await measure(name)
  if (measured === null) return []
  const { report, time, memory, browser, lines } = measured
  const both = cell => pair(report.kernels.map(cell))
  const cells = [
    words,
    report.verdict.replaceAll('_', ' '),
    both(kernel => rounded(kernel.thread_instructions)),
    both(kernel => exact(kernel.barriers)),
    both(kernel => exact(kernel.warp_syncs)),
    both(kernel => exact(kernel.ctas * kernel.block.reduce((a, b) => a * b))),
    pair(lines),
    short(time),
    memory.toFixed(0),
    short(browser.time),
    browser.memory.toFixed(0),
    paper ?? family.paper ?? '',
  ]
  return [`| ${cells.join(' | ')} |`]
}

async function table(family) {
  say(family.title)
  const rows = []
  for (const entry of family.rows) rows.push(...(await row(family, entry)))
  if (rows.length === 0) return []
  const rule = columns.map((_, at) => (at < 2 ? '---' : '---:')).join(' | ')
  return [`**${family.title}.** ${family.about}`, [`| ${columns.join(' | ')} |`, `| ${rule} |`, ...rows].join('\n')]
}

function machine(load) {
  const [cpu] = os.cpus()
  const memory = `${(os.totalmem() / 2 ** 30).toFixed(0)} GiB`
  const shared = load > 0.3 ? ` Other work ran on the machine at the time (load ${load.toFixed(1)} before the first row), so times are longer than they have to be.` : ''
  return (
    `Measured on ${new Date().toISOString().slice(0, 10)} on ${os.availableParallelism()} cores (${cpu.model.trim()}, ${memory}) by \`npm run table\`, one run each, ` +
    `from the start of \`warpproof check\` to the end of its report.${shared}`
  )
}

const legend =
  'Where a cell has two numbers, the reference comes first; one number holds for both. Instructions are executed thread-instructions; a block sync is a barrier that opened, a warp sync a warp-level barrier or collective (`shfl.sync`, `mma.sync`, `ldmatrix`, …) that was carried out; ' +
  'threads are those of all CTAs that ran; PTX lines are those of the whole file; memory is the peak resident set of the process. ' +
  'In the browser (headless Chromium, as many engine threads as cores) time runs from asking the engine to its answer, and memory is the peak of the tab, page and editors included.'

const words = process.argv.slice(2).map(word => word.toLowerCase())
const chosen = families.filter(({ title }) => words.length === 0 || words.some(word => title.toLowerCase().includes(word)))
if (chosen.length === 0) fail(`No family has one of these words in its title: ${words.join(', ')}`)
if (output('time', ['--version']) === null) fail('GNU time is missing; on Debian: apt-get install time')
const text = fs.readFileSync(readme, 'utf8')
const [begin, end] = markers.map(marker => text.indexOf(marker))
if (begin < 0 || end < begin) fail(`README.md has no section between ${markers.join(' and ')}`)

const started = Date.now()
await step('building the program', 'cargo', ['build', '--release', '--locked', '--quiet', '-p', 'warpproof'])
await step('building the page', process.execPath, [path.join(root, 'tools/start.mjs'), '--build-only'])
const [load] = os.loadavg()
const page = await openPage()
const tables = []
for (const family of chosen) tables.push(...(await table(family)))
await page.close()
const section = [machine(load), legend, ...tables, sources].join('\n\n')
if (words.length === 0) {
  fs.writeFileSync(readme, `${text.slice(0, begin + markers[0].length)}\n\n${section}\n\n${text.slice(end)}`)
  say(`The README is up to date (${seconds(started)}).`)
} else {
  console.log(`\n${section}`)
}
