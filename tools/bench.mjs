// npm run bench: the aims of bench-rows.mjs against what the release program and the built page take,
// end to end, and writes both tables into docs/performance.md, between the markers.
//   npm run bench -- softmax rates      only the rows whose title has one of the words; writes nothing
//   npm run bench -- --native           without a browser; writes nothing
//   npm run bench -- --write …          writes what was measured in any case
//
// A figure is the median of five runs, of three where a run takes more than two seconds; every run
// is a fresh process, or a fresh browser. Native time is the wall clock of the whole process, memory
// its peak resident set. Rates and stages are the report's own timings. A verdict that is not its
// case's folder ends the job with nothing written. Misses: the parts one by one, which are those of
// `cargo bench`.

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { aims, groups, integers, moments, multiplyAdds, product, shallow } from './bench-rows.mjs'
import { openPage } from './browser.mjs'
import { answer, buildPage, buildProgram, watchMachine, corpus, machine, markdown, median, needTime, program, reportSection, short, specOf, texts } from './measure.mjs'
import { fail, root, say, seconds } from './step.mjs'

/** Runs of a question; fewer of a long one (seconds). */
const RUNS = 5
const FEWER = 3
const LONG = 2

const args = process.argv.slice(2)
const native = args.includes('--native')
const words = args.filter(arg => !arg.startsWith('--')).map(word => word.toLowerCase())
const write = args.includes('--write') || (words.length === 0 && !native)
const wanted = title => words.length === 0 || words.some(word => title.toLowerCase().includes(word))

/** Repeats a measurement; what it gives must have a `time`. */
async function repeat(measure) {
  const runs = [await measure()]
  const count = runs[0].time > LONG ? FEWER : RUNS
  while (runs.length < count) runs.push(await measure())
  return runs
}

/** Medians of what runs of one question gave: seconds, MiB, and the stages in milliseconds; and the same of the question asked again, where it was. */
function middle(runs) {
  const of = get => median(runs.map(get))
  const stages = Object.keys(runs[0].timings).map(stage => [stage, of(run => run.timings[stage])])
  const again = runs.every(run => run.again) ? middle(runs.map(run => run.again)) : null
  return { time: of(run => run.time), again, memory: of(run => run.memory), timings: Object.fromEntries(stages), report: runs[0].report }
}

function expect(name, expected, verdict) {
  if (verdict !== expected) fail(`${name}: the verdict is ${verdict}, not ${expected}`)
}

async function runNative(verb, name, spec, expected, threads) {
  const runs = await repeat(() => {
    const run = answer(verb, spec, ...(threads ? ['--threads', String(threads)] : []))
    expect(name, expected, run.report.verdict)
    return { ...run, timings: run.report.timings }
  })
  return middle(runs)
}

async function runBrowser(name, spec, expected, threads, warm) {
  if (page === null) return null
  const runs = await repeat(async () => {
    const run = await page.ask(texts(spec), { threads, warm })
    expect(`${name} in the browser`, expected, run.verdict)
    return run
  })
  return middle(runs)
}

const measured = new Map()

/** A case, natively and in the browser; with as many threads as cores, unless told otherwise. Measured once. */
async function both(name, threads = os.availableParallelism()) {
  const key = `${name} (threads: ${threads})`
  if (!measured.has(key)) measured.set(key, await measure(key, name, threads))
  return measured.get(key)
}

async function measure(key, name, threads) {
  const spec = specOf(name) ?? fail(`there is no case tests/corpus/${name}.toml`)
  const [expected] = name.split('/')
  const here = await runNative('check', name, spec, expected, threads)
  const there = await runBrowser(name, spec, expected, threads, name === product)
  const tab = there ? `; in the browser ${short(there.time)} s, ${there.memory.toFixed(0)} MiB` : ''
  console.log(`  ${threads === os.availableParallelism() ? name : key}: ${short(here.time)} s, ${here.memory.toFixed(0)} MiB${tab}`)
  return { name: path.basename(name), here, there }
}

/** The names that a row stands for. */
function casesOf({ cases }) {
  return cases.flatMap(entry => {
    if (typeof entry === 'string') return [entry]
    const names = fs.readdirSync(path.join(corpus, entry.folder)).filter(file => file.endsWith('.toml') && entry.names.test(file))
    return names.sort().map(file => `${entry.folder}/${path.basename(file, '.toml')}`)
  })
}

const worst = (runs, get) => runs.reduce((most, run) => (get(run) > get(most) ? run : most))
const mib = memory => `${memory.toFixed(0)} MiB`
const mark = met => (met ? 'yes' : 'no')

async function groupRow(group) {
  say(group.title)
  const runs = []
  for (const name of casesOf(group)) runs.push(await both(name))
  const cells = side => {
    const aim = group[side === 'here' ? 'native' : 'browser']
    if (runs.some(run => run[side] === null)) return ['', '', '', '', '']
    const slowest = worst(runs, run => run[side].time)
    const largest = Math.max(...runs.map(run => run[side].memory))
    const named = runs.length > 1 ? ` (\`${slowest.name}\`)` : ''
    const middling = runs.length > 1 ? short(median(runs.map(run => run[side].time))) : ''
    const limits = `< ${aim.time} s${aim.memory ? `, < ${mib(aim.memory)}` : ''}`
    const met = slowest[side].time < aim.time && (!aim.memory || largest < aim.memory)
    return [`${short(slowest[side].time)} s${named}`, middling && `${middling} s`, mib(largest), limits, mark(met)]
  }
  const ratios = runs.filter(run => run.there).map(run => run.there.time / run.here.time)
  const warm = runs.every(run => run.there?.again) ? `${short(worst(runs, run => run.there.again.time).there.again.time)} s, ${short(median(runs.map(run => run.there.again.time)))} s` : ''
  return [group.title, String(runs.length), ...cells('here'), ...cells('there'), warm, ratios.length ? `${median(ratios).toFixed(1)} ×` : '']
}

/** Thread-instructions a second of one core: the stage's time with one thread. */
function rate(run, instructions) {
  return run && (instructions / run.timings.simulate) * 1000
}

const million = rate => `${(rate / 1e6).toFixed(0)} M/s`

/** The row of a rate: what it should be natively, and how much less it may be in the browser. */
function rateRow(title, here, there, aim) {
  const slower = there && here / there
  return [title, million(here), `> ${million(aim.rate)}`, mark(here > aim.rate), there ? `${million(there)}, ${slower.toFixed(2)} × slower` : '', `≤ ${aim.ratio} × slower`, there ? mark(slower <= aim.ratio) : '']
}

/** The row of a figure that should stay below a bound, or with `above`, be at least that. */
function boundRow(title, here, there, aim, { show = value => value.toFixed(1), above = false } = {}) {
  const met = (value, bound) => mark(above ? value >= bound : value <= bound)
  const cells = (value, bound) => (value === null ? ['', '', ''] : [show(value), `${above ? '≥' : '≤'} ${show(bound)}`, met(value, bound)])
  return [title, ...cells(here, aim.native), ...cells(there, aim.browser)]
}

async function integerRow() {
  const spec = path.join(root, integers)
  const here = await runNative('analyze', 'integers', spec, 'race_free', 1)
  const there = await runBrowser('integers', spec, 'race_free', 1)
  const instructions = here.report.kernels[0].thread_instructions
  return rateRow('integer and control instructions, one thread', rate(here, instructions), rate(there?.again ?? there, instructions), aims.integers)
}

async function productRows() {
  const one = await both(product, 1)
  const two = await both(product, 2)
  const less = await both(shallow)
  const full = await both(product)
  const instructions = one.here.report.kernels.reduce((sum, kernel) => sum + kernel.thread_instructions, 0)
  const bytes = Math.max(...one.here.report.kernels.map(kernel => kernel.bytes)) / multiplyAdds
  const each = get => [get('here'), one.there && get('there')]
  const deciding = (run, side) => (side === 'there' ? run.there.again : run.here).timings.decide
  const times = { show: value => `${value.toFixed(2)} ×` }
  return [
    rateRow('all instructions of a matrix product, one thread', ...each(side => rate(one[side], instructions)), aims.everything),
    boundRow('bytes held for each multiply-add', bytes, null, { native: aims.bytes }),
    boundRow('deciding with two threads against one', ...each(side => deciding(one, side) / deciding(two, side)), aims.threads, { ...times, above: true }),
    boundRow('time, depth 4,096 against 512', ...each(side => full[side].time / less[side].time), { native: aims.growth, browser: aims.growth }, times),
    boundRow('memory, depth 4,096 against 512', ...each(side => full[side].memory / less[side].memory), { native: aims.growth, browser: aims.growth }, times),
  ]
}

/** Milliseconds from Ctrl-C to the end of the process that was told `delay` ms after it began; null where it was over by then. */
function stopNative(delay) {
  return new Promise(resolve => {
    const child = spawn(program, ['check', '--spec', specOf(product), '--format', 'json'], { stdio: ['ignore', 'pipe', 'inherit'] })
    let told = null
    const output = []
    const timer = setTimeout(() => {
      told = performance.now()
      child.kill('SIGINT')
    }, delay)
    child.stdout.on('data', data => output.push(data))
    child.on('close', () => {
      clearTimeout(timer)
      const took = told === null ? null : performance.now() - told
      const { verdict } = JSON.parse(Buffer.concat(output).toString())
      resolve(verdict === 'cancelled' ? took : null)
    })
  })
}

async function stopRow() {
  const whole = await both(product)
  const delays = run => moments.map(part => part * run.time * 1000)
  const here = []
  for (const delay of delays(whole.here)) here.push(await stopNative(delay))
  const known = here.filter(took => took !== null)
  const there = page && (await page.stops(texts(specOf(product)), delays(whole.there)))
  const list = times => times.map(took => took.toFixed(0)).join(', ')
  console.log(`  stopped within ${list(known)} ms${there ? `; in the browser ${list(there)} ms` : ''}`)
  const show = value => `${value.toFixed(0)} ms`
  return boundRow('from Stop to its effect, the longest of several', Math.max(...known), there?.length ? Math.max(...there) : null, aims.stop, { show })
}

const pairColumns = ['pairs', 'number', 'native, slowest', 'median', 'memory', 'aim', 'met', 'browser, slowest', 'median', 'memory', 'aim', 'met', 'asked again: slowest, median', 'browser : native']
const rateColumns = ['rate', 'native', 'aim', 'met', 'browser', 'aim', 'met']
const legend =
  `Every figure is the median of ${RUNS} runs, of ${FEWER} where a run takes more than ${LONG} s; a row of several pairs shows the slowest, the median pair and the largest memory. ` +
  'Native time is that of the whole process, from its start to the end of its report, and memory its peak resident set; in the browser (headless Chromium, as many engine threads as cores) time runs from asking the engine to its answer, in a fresh browser each time, whose compiler still has to warm up, or where the table says so, the third time in the same tab, and memory is the peak of the tab, page and editors included. ' +
  'Rates are thread-instructions a second of one core; those of integers and of two threads in the browser are of the question asked again.'

const parts = [
  ['rates: integers', integerRow],
  ['rates: product', productRows],
  ['stop', stopRow],
]

const chosen = groups.filter(({ title }) => wanted(title))
const chosenParts = parts.filter(([title]) => wanted(title))
if (chosen.length + chosenParts.length === 0) fail(`No row has one of these words in its title: ${words.join(', ')}`)
needTime()
const report = reportSection('bench')

const started = Date.now()
await buildProgram()
if (!native) await buildPage()
const watched = await watchMachine()
const page = native ? null : await openPage()
const sections = []
const pairRows = []
for (const group of chosen) pairRows.push(await groupRow(group))
if (pairRows.length > 0) sections.push(markdown(pairColumns, pairRows))
const rateRows = []
for (const [title, measure] of chosenParts) {
  say(title)
  const rows = await measure()
  rateRows.push(...(Array.isArray(rows[0]) ? rows : [rows]))
}
if (rateRows.length > 0) sections.push(markdown(rateColumns, rateRows))
await page?.close()
const section = [`${machine('npm run bench', watched)} ${legend}`, ...sections].join('\n\n')
if (write) {
  report.replace(section)
  say(`docs/performance.md is up to date (${seconds(started)}).`)
} else {
  console.log(`\n${section}`)
}
