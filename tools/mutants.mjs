// npm run mutants: breaks the engine on purpose, one small change at a time, and counts how many
// of the broken engines the tests notice.
//
//   npm run mutants -- [--count N] [--seed N] [--modules sim,decide,check,isa] [--quick] [--fresh]
//   npm run mutants -- --only FILE
//
// The changes are those of cargo-mutants, a sample of N drawn by the seed. All of the sample is built
// into one program, each change behind a switch (tools/mutants), because building takes minutes and
// running seconds. The tests run once with no change, which says how long they take and which of
// them get to which change; then, for each change, those that do, the quick ones first, until one
// fails. --quick leaves out the corpus, whose three minutes each change that is missed would wait
// for. A run that was stopped goes on where it was; --fresh begins anew.
//
// --only takes the changes that a file names, a line each as this tool prints them; a line number
// that has moved since is no matter.
//
// A change is caught if a test fails, slow if a test takes five times as long as without it and is
// ended, missed if all pass, unreached if no test gets there. What does not compile is left out.
// Misses: tests of the page and of the command line.

import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { fail, output, root, say, seconds, step } from './step.mjs'

/** The tests, the quick ones first: target and arguments. */
const SUITES = [
  ['warpproof', []],
  ['normal_form', []],
  ['second_look', []],
  ['products', []],
  ['questions', []],
  ['decided', []],
  ['corners', []],
  ['idioms', []],
  ['timeline', []],
  ['origins', []],
  ['export', []],
  ['stopping', []],
  ['instructions', []],
  ['generated', []],
  ['race_oracle', []],
  ['signal_oracle', []],
  ['decisions', []],
  ['machine', []],
  ['corpus', ['verdict::']],
]
/** A test that takes this many times as long as without the change, and some seconds, is ended. */
const PATIENCE = 5
const LEAST_MS = 20_000

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    modules: { type: 'string', default: 'sim,decide,check,isa' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
  },
})
for (const name of ['count', 'seed']) if (!/^\d{1,6}$/.test(values[name])) fail(`--${name} takes a whole number, not "${values[name]}"`)
const modules = values.modules.split(',')
for (const name of modules) if (!fs.existsSync(path.join(root, 'crate/src', name))) fail(`there is no module crate/src/${name}`)
if (output('cargo', ['mutants', '--version']) === null) fail('cargo-mutants is missing: cargo install --locked cargo-mutants')

const folder = path.join(root, 'target/mutants')
const tree = path.join(folder, 'tree')
const resultFile = path.join(folder, 'result.json')
const chosen = SUITES.filter(([name]) => !values.quick || name !== 'corpus')
const only = values.only === undefined ? null : fs.readFileSync(values.only, 'utf8').split('\n').filter(Boolean)
const identity = { count: values.count, only, quick: values.quick, seed: values.seed, modules: values.modules, head: output('git', ['rev-parse', 'HEAD']) }
let state = { identity, mutants: [], unviable: [], outcomes: {} }
if (!values.fresh && fs.existsSync(resultFile)) {
  const before = JSON.parse(fs.readFileSync(resultFile, 'utf8'))
  if (JSON.stringify(before.identity) === JSON.stringify(identity)) state = before
}
const save = () => fs.writeFileSync(resultFile, JSON.stringify(state, null, 1))
const started = Date.now()
fs.mkdirSync(folder, { recursive: true })

/** Numbers from 0 to 1, repeatable (mulberry32). */
function random(seed) {
  let at = seed >>> 0
  return () => {
    at = (at + 0x6d2b79f5) >>> 0
    let word = Math.imul(at ^ (at >>> 15), at | 1)
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61)
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32
  }
}

/** All changes, in an order drawn by the seed; one for each place. */
function draw() {
  const files = modules.flatMap(name => ['-f', `crate/src/${name}/**`])
  const list = spawnSync('cargo', ['mutants', '--list', '--json', '-p', 'warpproof', ...files], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 30 })
  if (list.status !== 0) fail(list.stderr.trim())
  const all = JSON.parse(list.stdout)
  const next = random(Number(values.seed))
  const order = all.map((mutant, id) => ({ ...mutant, id, key: next() })).sort((a, b) => a.key - b.key)
  const places = new Set()
  return (only ? named(order) : order).filter(({ file, span, genre }) => {
    const place = `${file}:${span.start.line}:${span.start.column}`
    if (genre === 'StructField' || places.has(place)) return false
    places.add(place)
    return true
  }).map(({ id, name, file, genre, replacement, span }) => ({ id, name, file, genre, replacement, span }))
}

/** Of all changes, those that --only names: alike but for the line, and of these the nearest. */
function named(all) {
  return only.flatMap(line => {
    const [, file, at, what] = /(crate\/\S+?):(\d+):(\d+: .*)$/.exec(line) ?? fail(`--only: not a change: ${line}`)
    const alike = all.flatMap(mutant => {
      const [, own, where, which] = /(crate\/\S+?):(\d+):(\d+: .*)$/.exec(mutant.name) ?? []
      return own === file && which === what ? [{ mutant, far: Math.abs(where - at) }] : []
    })
    if (alike.length === 0) say(`gone: ${line}`)
    return alike.sort((a, b) => a.far - b.far).slice(0, 1).map(({ mutant }) => mutant)
  })
}

/** A copy of what git knows, as it is now. */
function copyTree() {
  fs.rmSync(path.join(tree, 'crate'), { recursive: true, force: true })
  for (const file of output('git', ['ls-files', '-z', 'Cargo.toml', 'Cargo.lock', 'README.md', 'crate', 'tests', 'tools', 'web/lessons', 'docs']).split('\0').filter(Boolean)) {
    const [from, to] = [path.join(root, file), path.join(tree, file)]
    if (!fs.existsSync(from)) continue
    const text = fs.readFileSync(from)
    if (fs.existsSync(to) && fs.readFileSync(to).equals(text)) continue
    fs.mkdirSync(path.dirname(to), { recursive: true })
    fs.writeFileSync(to, text)
  }
}

const environment = { ...process.env, CARGO_TARGET_DIR: path.join(folder, 'build'), CARGO_PROFILE_DEV_DEBUG: 'false', RUSTFLAGS: '-Awarnings' }

/** Builds the tests; what cargo said, message by message. */
function build() {
  const targets = chosen.slice(1).flatMap(([name]) => ['--test', name])
  const run = args => spawnSync('cargo', ['test', '--locked', '--no-run', '--message-format=json', '--quiet', ...args], { cwd: tree, env: environment, encoding: 'utf8', maxBuffer: 2 ** 30 })
  const messages = []
  for (const args of [['-p', 'warpproof', '--lib'], ['-p', 'warpproof-tests', ...targets]]) {
    const { stdout, status } = run(args)
    messages.push(...stdout.split('\n').filter(line => line.startsWith('{')).map(line => JSON.parse(line)))
    if (status !== 0) return { ok: false, messages }
  }
  return { ok: true, messages }
}

/**
 * The changes that stand where the compiler complains; if there is none, the last one above, or the
 * first arm below that is gone from a `match`.
 */
function blamed(messages) {
  const ids = new Set()
  const named = text => [...text.matchAll(/crate::mutants::on\((\d+)\)/g)].map(([, id]) => Number(id))
  for (const { reason, message } of messages) {
    if (reason !== 'compiler-message' || message.level !== 'error' || message.spans.length === 0) continue
    const spans = message.spans.map(({ file_name: file, line_start: from, line_end: to, is_primary: primary }) => {
      const lines = fs.readFileSync(path.join(tree, file), 'utf8').split('\n')
      const arms = lines.slice(to).filter(line => line.includes('!crate::mutants::on('))
      return { primary, here: named(lines.slice(from - 1, to).join('\n')), above: named(lines.slice(0, from - 1).join('\n')), arm: named(arms.join('\n')) }
    })
    const here = spans.flatMap(span => span.here)
    const above = spans.filter(({ primary }) => primary).flatMap(span => span.above.slice(-1))
    const arm = message.code?.code === 'E0004' ? spans.filter(({ primary }) => primary).flatMap(span => span.arm.slice(0, 1)) : []
    for (const id of [here, arm, above].find(some => some.length > 0) ?? []) ids.add(id)
  }
  return ids
}

/** Plants a sample that compiles, and builds it. The tests' programs by name. */
async function prepare() {
  if (state.mutants.length === 0) state.mutants = draw()
  await step('building the planter', 'cargo', ['build', '--locked', '--quiet', '-p', 'warpproof-mutants'])
  const planter = path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, 'target'), 'debug/warpproof-mutants')
  for (let round = 1; round <= 12; round++) {
    const out = new Set(state.unviable)
    const sample = state.mutants.filter(({ id }) => !out.has(id)).slice(0, Number(values.count))
    copyTree()
    const run = spawnSync(planter, [tree], { input: JSON.stringify(sample), encoding: 'utf8' })
    if (run.status !== 0) fail(run.stderr.trim())
    const planted = new Set(JSON.parse(run.stdout))
    // What cannot be planted makes room for others.
    const left = sample.filter(({ id }) => !planted.has(id)).map(({ id }) => id)
    if (left.length > 0) {
      const gone = new Set(left)
      state.mutants = state.mutants.filter(({ id }) => !gone.has(id))
      continue
    }
    say(`compiling ${planted.size} changes, round ${round} …`)
    const { ok, messages } = build()
    if (ok) {
      save()
      const programs = messages.filter(({ executable }) => executable).map(({ executable, target, manifest_path: manifest }) => [target.name, { executable, cwd: path.dirname(manifest) }])
      return { sample, programs: Object.fromEntries(programs) }
    }
    const ids = blamed(messages)
    if (ids.size === 0) fail(`the changed program does not compile:\n${messages.find(({ message }) => message?.level === 'error')?.message.rendered}`)
    state.unviable.push(...ids)
    save()
  }
  return fail('the changed program does not compile after twelve attempts')
}

/** Runs a suite: how long it took, and 'passed', 'failed' or 'slow'. */
function test({ executable, cwd }, args, env, limit) {
  return new Promise(resolve => {
    const begun = Date.now()
    const child = spawn(executable, ['--quiet', ...args], { cwd, env: { ...environment, ...env }, stdio: 'ignore', detached: true })
    let slow = false
    const timer = setTimeout(() => {
      slow = true
      process.kill(-child.pid, 'SIGKILL')
    }, limit)
    child.on('close', code => {
      clearTimeout(timer)
      resolve({ time: Date.now() - begun, how: slow ? 'slow' : code === 0 ? 'passed' : 'failed' })
    })
  })
}

const { sample, programs } = await prepare()
const suites = []
for (const [name, args] of chosen) {
  const seenFile = path.join(folder, `seen-${name}`)
  fs.rmSync(seenFile, { force: true })
  const { how, time } = await test(programs[name], args, { WARPPROOF_MUTANTS_SEEN: seenFile }, 3_600_000)
  if (how !== 'passed') fail(`the tests of ${name} do not pass without a change: ${programs[name].executable}`)
  const seen = new Set(fs.existsSync(seenFile) ? fs.readFileSync(seenFile, 'utf8').split('\n').filter(Boolean).map(Number) : [])
  console.log(`  ${name}: ${(time / 1000).toFixed(1)} s, gets to ${seen.size} of ${sample.length} changes`)
  suites.push({ name, args, seen, limit: Math.max(LEAST_MS, PATIENCE * time) })
}

for (const [at, { id, name }] of sample.entries()) {
  if (state.outcomes[id]) continue
  const reaching = suites.filter(({ seen }) => seen.has(id))
  let outcome = { how: reaching.length === 0 ? 'unreached' : 'missed' }
  for (const { name: suite, args, limit } of reaching) {
    const { how } = await test(programs[suite], args, { WARPPROOF_MUTANT: String(id) }, limit)
    if (how === 'passed') continue
    outcome = { how: how === 'failed' ? 'caught' : 'slow', by: suite }
    break
  }
  state.outcomes[id] = outcome
  save()
  console.log(`  ${at + 1}/${sample.length} ${outcome.how}${outcome.by ? ` by ${outcome.by}` : ''}: ${name}`)
}

const moduleOf = file => file.split('/')[2]
const kinds = ['caught', 'slow', 'missed', 'unreached']
console.log(`\n| module | changes | ${kinds.join(' | ')} |\n| --- |${' ---: |'.repeat(kinds.length + 1)}`)
for (const name of [...modules, 'all']) {
  const here = sample.filter(({ file }) => name === 'all' || moduleOf(file) === name)
  console.log(`| ${name} | ${here.length} | ${kinds.map(kind => here.filter(({ id }) => state.outcomes[id].how === kind).length).join(' | ')} |`)
}
const open = sample.filter(({ id }) => ['missed', 'unreached'].includes(state.outcomes[id].how))
fs.writeFileSync(path.join(folder, 'missed.txt'), open.map(({ id, name }) => `${state.outcomes[id].how}: ${name}\n`).join(''))
say(`${open.length} of ${sample.length} were not noticed: target/mutants/missed.txt (${seconds(started)}; ${state.unviable.length} more did not compile).`)
