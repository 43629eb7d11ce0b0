// npm run soak: the long forms of the tests that draw random inputs.
//
//   npm run soak -- [--seed N] [--seconds N] [corpus|forged|decisions|instructions|machine|words|generated|metamorphic|race_oracle|signal_oracle|swaps|hostile|solvers|page …]
//   npm run soak -- --seed N --execution K hostile
//   npm run soak -- --above N machine
//   npm run soak -- [--above N] wasm
//
// Each suite runs for the given time (10 minutes without one) and prints what it executed; the seed
// (1 without one) makes a failure repeatable; of `hostile`, the execution that failed can be run
// alone. Tests of a suite that share its name run side by side.
//
// `machine` with --above compares every kernel of more than N thread-instructions once, however long
// that takes.
//
// `corpus` runs every case of the corpus under another schedule and with another number of threads,
// too; `npm test` does one of the two for every other case.
//
// `forged` spoils the answers about every case of the corpus, too, and not about one in six.
//
// `page` mutates what the page reads: links, saved pairs, lessons, contents, specs; each for the time.
//
// `wasm`, which runs only if it is named, asks the threaded, the single-threaded and the native engine
// about every case of the corpus, or about those of more than N thread-instructions, the small ones
// first; their reports must be the same. It takes as long as it takes, and says how far it got.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { buildPage } from './page.mjs'
import { install, venv } from './python.mjs'
import { findBrowser, installPackages } from './setup.mjs'
import { fail, root, say, seconds, step } from './step.mjs'
import { buildWasm } from './wasm.mjs'

/** The suites of tests/tests (`forged`: of the library), and the tests in each that have a long form. */
const SUITES = {
  corpus: '',
  forged: '',
  decisions: '',
  instructions: 'every_row_computes',
  machine: '',
  words: 'narrow_integers',
  generated: '',
  metamorphic: '',
  race_oracle: 'one_schedule',
  signal_oracle: 'one_schedule',
  swaps: '',
  hostile: 'any_',
  solvers: '',
  page: '',
}

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, seconds: { type: 'string', default: '600' }, execution: { type: 'string' }, above: { type: 'string' } },
  allowPositionals: true,
})
for (const [name, text] of Object.entries(values)) {
  if (!/^\d{1,15}$/.test(text)) fail(`--${name} takes a whole number, not "${text}"`)
}
if (values.execution && positionals.join() !== 'hostile') fail('--execution is for the suite hostile alone')
if (values.above && !['wasm', 'machine'].includes(positionals.join())) fail('--above is for the suite wasm or the suite machine alone')
const unknown = positionals.filter(name => !(name in SUITES) && name !== 'wasm')
if (unknown.length > 0) fail(`no suite "${unknown[0]}": there are ${Object.keys(SUITES).join(', ')} and wasm`)

/** Verdicts beside those of SymPy, SymEngine and Z3 (tests/peers/agree.py). */
async function solvers(env) {
  await install()
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'warpproof-solvers-'))
  // A question takes the solvers a second or three.
  const pairs = String(Math.ceil(Number(values.seconds)))
  await step('writing questions', 'cargo', ['test', '--locked', '--quiet', '-p', 'warpproof-tests', '--test', 'solvers'], {
    env: { ...env, WARPPROOF_SOLVERS: folder, WARPPROOF_SOLVERS_PAIRS: pairs },
  })
  const program = path.join(root, 'tests/peers/agree.py')
  await step(`comparing verdicts, seed ${values.seed}`, path.join(venv, 'bin/python'), [program, folder, values.seconds])
  fs.rmSync(folder, { recursive: true })
}

const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
const started = Date.now()
const env = { WARPPROOF_SOAK_SEED: values.seed, WARPPROOF_SOAK_SECONDS: values.seconds, ...(values.execution && { WARPPROOF_SOAK_EXECUTION: values.execution }), ...(values.above && { WARPPROOF_SOAK_ABOVE: values.above }) }
for (const name of positionals.length > 0 ? positionals : Object.keys(SUITES)) {
  if (name === 'wasm') {
    await agreement()
    continue
  }
  if (name === 'solvers') {
    await solvers(env)
    continue
  }
  if (name === 'page') {
    await installPackages()
    await step(`soaking page, seed ${values.seed}`, process.execPath, [vitest, 'run', '--config', 'web/vitest.config.ts', 'web/tests/unit/fuzz.test.ts'], { env })
    continue
  }
  const where = name === 'forged' ? ['-p', 'warpproof', '--lib', name] : ['-p', 'warpproof-tests', '--test', name]
  const args = ['test', '--locked', '--quiet', ...where, '--', '--nocapture']
  await step(`soaking ${name}, seed ${values.seed}`, 'cargo', SUITES[name] ? [...args, SUITES[name]] : args, { env })
}

/** The three engines on the whole corpus. */
async function agreement() {
  await installPackages()
  await buildWasm()
  await buildPage()
  await step('building the program', 'cargo', ['build', '--release', '--locked', '--quiet', '-p', 'warpproof'])
  const program = process.platform === 'win32' ? 'warpproof.exe' : 'warpproof'
  const native = path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, 'target'), 'release', program)
  const args = [vitest, 'run', '--config', 'web/vitest.browser.config.ts', 'web/tests/browser/agreement.test.ts']
  await step('comparing the engines on the corpus', process.execPath, args, { env: { WARPPROOF_CHROMIUM: await findBrowser(), WARPPROOF_NATIVE: native, ...(values.above && { WARPPROOF_SOAK_ABOVE: values.above }) } })
}

say(`Nothing was found (${seconds(started)}).`)
