// npm run table: runs the release program on the cases of table-rows.mjs, one after the other,
// and writes what it measured into docs/performance.md, between the markers. `npm run table -- WORD …`
// runs only the families whose title has one of the words, prints them, and writes nothing.
//
// Everything but time and memory is what the JSON report says, except in the browser: there every
// pair is opened in the built page once more (tools/browser.mjs). Time is the wall clock of the
// whole process in one run: reading, executing both kernels, comparing, re-checking, writing the
// report. Memory is the peak resident set of that process, as GNU time sees it; Node cannot ask
// for a child's. A verdict that is not its case's folder ends the job with nothing written.

import fs from 'node:fs'
import path from 'node:path'
import { families, sources } from './table-rows.mjs'
import { openPage } from './browser.mjs'
import { answer, buildPage, buildProgram, watchMachine, exact, machine, markdown, needTime, reportSection, rounded, short, specOf, texts } from './measure.mjs'
import { fail, say, seconds } from './step.mjs'

const pair = numbers => (new Set(numbers).size === 1 ? numbers[0] : numbers.join(' / '))

/** The lines of a PTX file that a case names, for the reference first. */
function ptxLines(spec) {
  const files = [...fs.readFileSync(spec, 'utf8').matchAll(/^ptx\s*=\s*"(.*)"/gm)].map(([, file]) => file)
  return files.map(file => exact(fs.readFileSync(path.join(path.dirname(spec), file), 'utf8').trimEnd().split('\n').length))
}

/** Runs one case; null where there is none. */
async function measure(name) {
  const spec = specOf(name)
  if (spec === null) {
    console.error(`  no case tests/corpus/${name}.toml: left out`)
    return null
  }
  const { report, time, memory } = answer('check', spec)
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
  return [cells]
}

async function table(family) {
  say(family.title)
  const rows = []
  for (const entry of family.rows) rows.push(...(await row(family, entry)))
  if (rows.length === 0) return []
  return [`**${family.title}.** ${family.about}`, markdown(columns, rows, 2)]
}

const legend =
  'Where a cell has two numbers, the reference comes first; one number holds for both. Instructions are executed thread-instructions; a block sync is a barrier that opened, a warp sync a warp-level barrier or collective (`shfl.sync`, `mma.sync`, `ldmatrix`, …) that was carried out; ' +
  'threads are those of all CTAs that ran; PTX lines are those of the whole file; memory is the peak resident set of the process. ' +
  'In the browser (headless Chromium, as many engine threads as cores) time runs from asking the engine to its answer, and memory is the peak of the tab, page and editors included.'

const words = process.argv.slice(2).map(word => word.toLowerCase())
const chosen = families.filter(({ title }) => words.length === 0 || words.some(word => title.toLowerCase().includes(word)))
if (chosen.length === 0) fail(`No family has one of these words in its title: ${words.join(', ')}`)
needTime()
const report = reportSection('table')

const started = Date.now()
await buildProgram()
await buildPage()
const watched = await watchMachine()
const page = await openPage()
const tables = []
for (const family of chosen) tables.push(...(await table(family)))
await page.close()
const where = `${machine('npm run table', watched)} One run each, from the start of \`warpproof check\` to the end of its report.`
const section = [where, legend, ...tables, sources].join('\n\n')
if (words.length === 0) {
  report.replace(section)
  say(`docs/performance.md is up to date (${seconds(started)}).`)
} else {
  console.log(`\n${section}`)
}
