// npm run peers: how long SymEngine, SymPy and Z3 need for what Warpproof decides, in the same run
// and on the same conditions (`warpproof check … --export`), written into docs/performance.md. `npm run peers -- WORD …` runs only the families whose title has one of the words, prints
// them, and writes nothing.
//
// Ours is the stage `decide` of the JSON report, on one thread, the median of RUNS; it starts from
// the terms that the kernels left and includes reading library code and constants, which the peers
// find done in their files. A peer's time starts when its expressions are built (Z3: parsed) and
// is taken once; building has a share of the same limit. A peer that ran out of it is not asked the
// larger sizes of the family. What a peer is asked: tests/peers/decide.py.

import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { machine, reportSection, watchMachine } from './measure.mjs'
import { install, venv, wheels } from './python.mjs'
import { fail, output, root, say, seconds, step } from './step.mjs'

const corpus = path.join(root, 'tests/corpus')
const program = path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, 'target'), 'release/warpproof')
const script = path.join(root, 'tests/peers/decide.py')

const engines = [
  ['symengine', 'SymEngine', 'sympy'],
  ['sympy', 'SymPy', 'sympy'],
  ['z3', 'Z3', 'smt2'],
]
/** Seconds that a peer may build and decide, and, before that, read its file. */
const LIMIT = 60
const READING = 180
const RUNS = 5

const families = [
  {
    title: 'Softmax',
    about: 'One row, in three passes and online; every output is a quotient of exponentials.',
    rows: [4, 16, 64, 256, 1024].map(n => [`softmax/n${n}_naive_precise_vs_online_precise`, `${n} elements`]),
  },
  {
    title: 'Matrix product',
    about: '32 × 32 elements, naive and with every tile in two slices, which adds in another order.',
    rows: [
      ['gemm/shallow_naive_vs_sliced', 'depth 32'],
      ['gemm/naive_vs_sliced', 'depth 64'],
      ['gemm/deep_naive_vs_sliced', 'depth 256'],
    ],
  },
  {
    title: 'Attention',
    about: 'The plain formula and FlashAttention-1, normalized after every tile.',
    rows: [
      ['attention/two_keys_plain_vs_flash1', '1 query, 2 keys, head 1, 2 tiles'],
      ['attention/four_keys_plain_vs_flash1', '2 queries, 4 keys, head 4, 2 tiles'],
      ['attention/eight_keys_plain_vs_flash1', '4 queries, 8 keys, head 4, 2 tiles'],
      ['attention/small_plain_vs_flash1', '8 queries, 24 keys, head 4, 3 tiles'],
      ['attention/four_tiles_plain_vs_flash1', '8 queries, 32 keys, head 4, 4 tiles'],
      ['attention/full_plain_vs_flash1', '16 queries, 512 keys, head 64, 8 tiles'],
    ],
  },
]

const short = time => (time < 0.0995 ? time.toPrecision(2) : time < 9.95 ? time.toPrecision(3) : time.toFixed(0))
const factor = ratio => (ratio < 9.95 ? ratio.toPrecision(2) : ratio < 999.5 ? ratio.toFixed(0) : Number(ratio.toPrecision(2)).toLocaleString('en-US'))

/** Seconds that Warpproof decides, and how many pairs of expressions it decided. */
function ours(spec, name) {
  const times = []
  let pairs = 0
  for (let run = 0; run < RUNS; run += 1) {
    const args = ['check', '--spec', spec, '--format', 'json', '--threads', '1']
    const report = JSON.parse(spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 30 }).stdout)
    if (report.verdict !== 'equivalent') fail(`${name}: the verdict is ${report.verdict}: ${report.summary}`)
    times.push(report.timings.decide / 1000)
    pairs = report.outputs.reduce((sum, output) => sum + output.elements, 0)
  }
  return { time: times.sort((a, b) => a - b)[RUNS >> 1], pairs }
}

/** Writes the conditions of a case into a file. */
function write(spec, language, folder) {
  const file = path.join(folder, `conditions.${language}`)
  const out = fs.openSync(file, 'w')
  const run = spawnSync(program, ['check', '--spec', spec, '--export', language], { stdio: ['ignore', out, 'pipe'], encoding: 'utf8' })
  fs.closeSync(out)
  if (run.status !== 0) fail(`${spec}: ${run.stderr.trim()}`)
  return file
}

/** Runs one peer: { answer, build, decide }, with answer 'over' (which stage) when time ran out. */
function ask(engine, file) {
  return new Promise(resolve => {
    const child = spawn(path.join(venv, 'bin/python'), [script, engine, file], { stdio: ['ignore', 'pipe', 'pipe'] })
    const found = { answer: 'crashed', stage: 'read' }
    let complaint = ''
    const end = () => {
      found.answer = 'over'
      child.kill('SIGKILL')
    }
    let timer = setTimeout(end, READING * 1000)
    child.stderr.on('data', data => (complaint = `${complaint}${data}`.slice(-400)))
    readline.createInterface({ input: child.stdout }).on('line', line => {
      const { stage, seconds, answer } = JSON.parse(line)
      found[stage] = seconds
      found.stage = stage === 'read' && engine !== 'z3' ? 'build' : 'decide'
      if (answer) found.answer = answer
      if (stage === 'read') {
        clearTimeout(timer)
        timer = setTimeout(end, LIMIT * 1000)
      }
    })
    child.on('close', () => {
      clearTimeout(timer)
      if (found.answer === 'crashed') {
        console.error(`  ${engine}: ${complaint.trim()}`)
        if (/memory/i.test(complaint)) found.answer = 'MemoryError'
      }
      resolve(found)
    })
  })
}

/** What the table says of a peer. */
function cell({ answer, stage, build, decide }, time) {
  const ratio = seconds => `${factor(seconds / time)}×`
  switch (answer) {
    case 'equal':
      // Z3 reads what the others build.
      if (build === undefined) return `${short(decide)} (${ratio(decide)})`
      return `${short(decide)} (${ratio(decide)}), ${short(build + decide)} (${ratio(build + decide)})`
    case 'over':
      if (stage === 'read') return `not read in ${READING} s`
      return `${stage === 'build' ? 'not built in' : '>'} ${LIMIT} (> ${ratio(LIMIT)})`
    case 'MemoryError':
      return 'out of memory'
    case 'RecursionError':
    case 'crashed':
      return 'ends with an error'
    default:
      return `${answer} after ${short(decide)}`
  }
}

/** Whether a larger question of the same kind is worth asking. */
const gaveUp = found => !['equal', 'not shown', 'unknown'].includes(found.answer)

async function row([name, words], folder, tired) {
  const spec = path.join(corpus, 'equivalent', `${name}.toml`)
  const { time, pairs } = ours(spec, name)
  const cells = [words, pairs.toLocaleString('en-US'), short(time)]
  for (const [engine, , language] of engines) {
    if (tired.has(engine)) {
      cells.push('—')
      continue
    }
    const file = write(spec, language, folder)
    const found = await ask(engine, file)
    cells.push(cell(found, time))
    if (gaveUp(found)) tired.add(engine)
    console.log(`  ${name}: ours ${short(time)} s, ${engine}: ${cell(found, time)}, file of ${(fs.statSync(file).size / 2 ** 20).toFixed(1)} MiB`)
  }
  return `| ${cells.join(' | ')} |`
}

async function table(family, folder) {
  say(family.title)
  const rows = []
  const tired = new Set()
  for (const entry of family.rows) rows.push(await row(entry, folder, tired))
  const columns = ['size', 'pairs', 'Warpproof (s)', ...engines.map(([, name]) => `${name} (s)`)]
  const rule = columns.map((_, at) => (at < 1 ? '---' : '---:')).join(' | ')
  return [`**${family.title}.** ${family.about}`, [`| ${columns.join(' | ')} |`, `| ${rule} |`, ...rows].join('\n')]
}

const legend =
  `The same question to every program: the pairs of expressions that \`warpproof check … --export\` writes, with library code and constants already read. ` +
  `Warpproof's time is the stage *decide* of its report (median of ${RUNS}), which starts from the terms that the kernels left and reads library code and constants itself; every run reads the table of library code once, too, and that is most of the smallest times. ` +
  `A peer's time is taken once, without reading its file (for Z3, parsing it). SymPy and SymEngine have two: deciding alone, and with building the expressions, which brings sums to a canonical form already. In brackets: how many times as long as Warpproof. ` +
  `SymPy and SymEngine get exponentials as products of powers, \`e^(a - b)\` as \`A/B\`, which suits them better than their own, and expand the difference; where that does not give 0, its numerator over a common denominator. *Not shown* means that something was left. ` +
  `Z3 is asked for a counterexample with maxima left open and \`e^(a+b) = e^a e^b\` stated at every exponential; *unknown* is its own answer. ` +
  `Building and deciding have ${LIMIT} s together; a program that ran out of them is not asked the larger sizes (—).`

const words = process.argv.slice(2).map(word => word.toLowerCase())
const chosen = families.filter(({ title }) => words.length === 0 || words.some(word => title.toLowerCase().includes(word)))
if (chosen.length === 0) fail(`No family has one of these words in its title: ${words.join(', ')}`)
if (output('python3', ['--version']) === null) fail('Python 3 is missing: the peers are Python packages')
const report = reportSection('peers')

const started = Date.now()
await step('building the program', 'cargo', ['build', '--release', '--locked', '--quiet', '-p', 'warpproof'])
await install()
const watched = await watchMachine()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'warpproof-peers-'))
const tables = []
for (const family of chosen) tables.push(...(await table(family, folder)))
fs.rmSync(folder, { recursive: true })
const versions = wheels.filter(wheel => !wheel.startsWith('mpmath')).map(wheel => wheel.replace('==', ' ')).join(', ')
const section = [`${machine('npm run peers', watched)} Every program has one thread; the peers are ${versions}.`, legend, ...tables].join('\n\n')
if (words.length === 0) {
  report.replace(section)
  say(`docs/performance.md is up to date (${seconds(started)}).`)
} else {
  console.log(`\n${section}`)
}
