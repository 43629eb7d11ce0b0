// npm run batches: ten thousand questions, drawn from the corpus and from mutants of its kernels, asked by
// `warpproof batch` of the package built for release, with one and two workers, on Ray, and with 64 workers that wait
// instead of computing; writes what it measured into docs/performance.md, between the markers.
// `npm run batches -- --questions N` asks fewer, prints, and writes nothing.
//
// Overhead is what a question takes beside the engine: the time of the batch times its workers, less the time that the
// workers say their answers took, by the number of questions. With simulated workers that is all the time but their
// waiting. Memory is that of the batch's own process and of its largest worker, as Linux's /proc has it, every half
// second. Mutants are single changes of a line of the optimized kernel, drawn with a fixed seed; their verdicts count
// for nothing here but time.

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { corpus, exact, machine, markdown, reportSection, short, texts, watchMachine } from './measure.mjs'
import { fail, root, say, seconds, step } from './step.mjs'
import { findPython } from './wheel.mjs'

const at = process.argv.indexOf('--questions')
const wanted = at < 0 ? 10_000 : Number(process.argv[at + 1])
/** Milliseconds: what takes longer is a question of its own, and not of a batch of thousands. */
const LONGEST = 30
const WAIT = 0.1
const venv = path.join(root, 'tools/batches/.venv')
const python = path.join(venv, 'bin/python')
const command = path.join(root, 'tools/batches/command.py')
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'warpproof-batches-'))
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }))

/** Numbers from 0 to 1, the same in every run (mulberry32). */
let state = 22
function random() {
  state = (state + 0x6d2b79f5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}
const pick = list => list[Math.floor(random() * list.length)]

/** Changes of a line; each says which lines it takes. */
const CHANGES = [
  [/^\s*bar\.sync/, () => ''],
  [/^\s*add\.f32/, line => line.replace('add.f32', 'sub.f32')],
  [/^\s*mul\.f32/, line => line.replace('mul.f32', 'add.f32')],
  [/^\s*fma\.rn\.f32/, line => line.replace(/, (%f\d+), (%f\d+), (%f\d+);/, ', $1, $3, $2;')],
  [/^\s*max\.f32/, line => line.replace('max.f32', 'min.f32')],
  [/^\s*setp\.(lt|gt|le|ge)\./, line => line.replace(/setp\.(lt|gt|le|ge)/, (_, how) => `setp.${{ lt: 'le', gt: 'ge', le: 'lt', ge: 'gt' }[how]}`)],
  [/^\s*(ld|st)\.(global|shared)[^[]*\[%\w+\+4\]/, line => line.replace('+4]', '+8]')],
  [/^\s*(shl\.b32|mul\.wide\.[su]32) .*, 4;/, line => line.replace(', 4;', ', 8;')],
  [/^\s*mov\.(f32|b32|u32) %\w+, (0f[0-9A-F]{8}|\d+);/, line => line.replace(/, (0f[0-9A-F]{8}|\d+);/, ', 0;')],
  [/^\s*@!?%p\d+ bra/, line => (line.includes('@!') ? line.replace('@!', '@') : line.replace('@', '@!'))],
]

/** The file of the reference kernel that a spec names, if it names one. */
function referenceOf(spec) {
  const found = /^\[reference\]\n(?:(?!\[).*\n)*?ptx\s*=\s*"(.*)"/m.exec(fs.readFileSync(spec, 'utf8'))
  return found ? { reference: path.join(path.dirname(spec), found[1]) } : {}
}

/** A kernel with one change, or null where this one has no line for it. */
function mutant(ptx) {
  const lines = ptx.split('\n')
  const [takes, change] = pick(CHANGES)
  const fitting = lines.flatMap((line, number) => (takes.test(line) ? [number] : []))
  if (fitting.length === 0) return null
  const number = pick(fitting)
  lines[number] = change(lines[number])
  return lines.join('\n')
}

/** Specs of the corpus: each that is one question about PTX files. */
function* specs(folder = corpus) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory() && !['kernels', 'table', 'known_misses', 'resource_limit'].includes(entry.name) && !entry.name.startsWith('.')) yield* specs(file)
    else if (entry.name.endsWith('.toml') && entry.name !== 'gallery.toml') yield file
  }
}

/** The process tree under one process: [pid, MiB]. */
function tree(pid) {
  const parents = new Map()
  for (const name of fs.readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8')
      const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      parents.set(Number(name), [Number(words[1]), (Number(words[21]) * 4096) / 2 ** 20])
    } catch {
      // It has ended.
    }
  }
  const inside = child => child === pid || (parents.has(child) && inside(parents.get(child)[0]))
  return [...parents].filter(([child]) => inside(child)).map(([child, [, held]]) => [child, held])
}

/** Asks a batch; { wall, engine, memory } in seconds and MiB. */
async function batch(title, manifest, options, env = {}) {
  say(`${title} …`)
  const out = path.join(work, `${title.replaceAll(/\W+/g, '-')}.jsonl`)
  const begun = Date.now()
  const child = spawn(python, [command, 'batch', manifest, '--out', out, '--time', '2', ...options], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.resume()
  const memory = []
  const watching = setInterval(() => {
    const all = tree(child.pid)
    const own = all.find(([pid]) => pid === child.pid)?.[1] ?? 0
    const largest = Math.max(0, ...all.filter(([pid]) => pid !== child.pid).map(([, held]) => held))
    memory.push({ own, largest })
  }, 500)
  const status = await new Promise(done => child.on('exit', done))
  clearInterval(watching)
  const wall = (Date.now() - begun) / 1000
  if (status === 3 || status === null) fail(`${title}: the batch ended with ${status}`)
  const answers = fs.readFileSync(out, 'utf8').trimEnd().split('\n').map(line => JSON.parse(line))
  const engine = answers.reduce((sum, answer) => sum + answer.time, 0) / 1000
  console.log(`  ${answers.length} answers in ${short(wall)} s, of which ${short(engine)} s are the engine's`)
  return { wall, engine, memory, answers }
}

const started = Date.now()
const found = findPython()
if (found === undefined) fail('this needs Python 3.10 or later')
if (!fs.existsSync(python)) {
  await step('making a Python environment', found, ['-m', 'venv', venv])
  await step('installing maturin and Ray', python, ['-m', 'pip', 'install', '--quiet', 'maturin==1.16.0', 'ray==2.60.0'])
}
const wheels = path.join(venv, 'wheels')
fs.rmSync(wheels, { recursive: true, force: true })
await step('building the Python package for release', path.join(venv, 'bin/maturin'), ['build', '--release', '--quiet', '--locked', '--out', wheels, '--manifest-path', path.join(root, 'python/Cargo.toml')])
await step('installing it', python, ['-m', 'pip', 'install', '--quiet', '--force-reinstall', '--no-deps', path.join(wheels, fs.readdirSync(wheels)[0])])

// Which cases are short.
const cases = [...specs()]
const all = path.join(work, 'corpus.jsonl')
fs.writeFileSync(all, cases.map(spec => JSON.stringify({ id: spec, spec })).join('\n'))
const { answers } = await batch('the corpus', all, ['--jobs', String(os.availableParallelism())])
const brief = answers.filter(({ verdict, time }) => verdict !== null && time <= LONGEST).map(({ id }) => id).sort()
const lines = brief.map(spec => JSON.stringify({ id: path.relative(corpus, spec), spec })).slice(0, wanted)
while (lines.length < wanted) {
  const spec = pick(brief)
  const { optimized } = texts(spec)
  const changed = optimized && mutant(optimized)
  if (changed) lines.push(JSON.stringify({ id: `mutant ${lines.length} of ${path.relative(corpus, spec)}`, spec, ...referenceOf(spec), optimized_text: changed }))
}
const manifest = path.join(work, 'questions.jsonl')
fs.writeFileSync(manifest, lines.join('\n'))
say(`${exact(lines.length)} questions: ${exact(Math.min(brief.length, wanted))} cases of the corpus and ${exact(Math.max(0, wanted - brief.length))} mutants`)

const watched = await watchMachine()
const runs = [
  ['1 worker', 1, ['--jobs', '1'], {}],
  ['2 workers', 2, ['--jobs', '2'], {}],
  ['Ray, 1 worker', 1, ['--ray', 'here'], { WORKERS: '1' }],
  ['Ray, 2 workers', 2, ['--ray', 'here'], { WORKERS: '2' }],
  ['64 simulated workers', 64, ['--jobs', '64'], { SIMULATED: '1', SIMULATED_SECONDS: String(WAIT) }],
  ['Ray, 64 simulated workers', 64, ['--ray', 'here'], { SIMULATED: '1', SIMULATED_SECONDS: String(WAIT), WORKERS: '64' }],
]
const rows = []
const curves = []
for (const [title, workers, options, env] of runs) {
  const load = os.loadavg()[0]
  const { wall, engine, memory } = await batch(title, manifest, options, env)
  const overhead = ((wall * workers - engine) / lines.length) * 1000
  const most = Math.max(...memory.map(({ own }) => own))
  rows.push([title, short(wall), (lines.length / wall).toFixed(0), (engine / lines.length * 1000).toFixed(1), overhead.toFixed(1), `${((engine / (wall * workers)) * 100).toFixed(0)} %`, most.toFixed(0), load.toFixed(1)])
  if (!env.SIMULATED) {
    const when = share => memory[Math.min(memory.length - 1, Math.floor(memory.length * share))] ?? { own: 0, largest: 0 }
    curves.push([title, ...[0.1, 0.25, 0.5, 0.75, 0.98].map(share => `${when(share).own.toFixed(0)}, ${when(share).largest.toFixed(0)}`)])
  }
}
const section = [
  `${machine('npm run batches', watched)} ${exact(lines.length)} questions, of which ${exact(Math.min(brief.length, wanted))} are the cases of the corpus that take at most ${LONGEST} ms, and the others mutants of these. Simulated workers wait ${WAIT} s for each question and compute nothing. Overhead counts for each worker: on a machine with fewer free cores than workers it is mostly waiting for a core. Ray's rows have the start of the cluster in them.`,
  markdown(['workers', 'whole (s)', 'questions a second', 'engine, each (ms)', 'overhead, each (ms)', 'workers busy', 'memory of the batch (MiB)', 'load before'], rows),
  'Memory of the batch’s own process and of its largest worker, MiB, after these parts of the time:',
  markdown(['workers', '10 %', '25 %', '50 %', '75 %', '98 %'], curves),
].join('\n\n')
console.log(`\n${section}\n`)
if (at < 0) reportSection('batches').replace(section)
say(`Done (${seconds(started)}).`)
