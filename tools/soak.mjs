// npm run soak: the long forms of the tests that draw random inputs.
//
//   npm run soak -- [--seed N] [--seconds N] [instructions|machine|hostile …]
//
// Each suite runs for the given time (10 minutes without one) and prints what it executed; the seed
// (1 without one) makes a failure repeatable. Tests of a suite that share its name run side by side.

import { parseArgs } from 'node:util'
import { fail, say, seconds, step } from './step.mjs'

/** The suites of tests/tests, and the tests in each that have a long form. */
const SUITES = { instructions: 'every_row_computes', machine: '', hostile: 'any_' }

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, seconds: { type: 'string', default: '600' } },
  allowPositionals: true,
})
for (const [name, text] of Object.entries(values)) {
  if (!/^\d{1,15}$/.test(text)) fail(`--${name} takes a whole number, not "${text}"`)
}
const unknown = positionals.filter(name => !(name in SUITES))
if (unknown.length > 0) fail(`no suite "${unknown[0]}": there are ${Object.keys(SUITES).join(', ')}`)

const started = Date.now()
const env = { WARPPROOF_SOAK_SEED: values.seed, WARPPROOF_SOAK_SECONDS: values.seconds }
for (const name of positionals.length > 0 ? positionals : Object.keys(SUITES)) {
  const args = ['test', '--locked', '--quiet', '-p', 'warpproof-tests', '--test', name, '--', '--nocapture']
  await step(`soaking ${name}, seed ${values.seed}`, 'cargo', SUITES[name] ? [...args, SUITES[name]] : args, { env })
}
say(`Nothing was found (${seconds(started)}).`)
