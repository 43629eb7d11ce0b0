// npm run bench:counts: executed machine instructions of a few small questions, against
// tests/bench-counts.json. A guard against getting slower where seconds are too noisy to tell.
//   npm run bench:counts                  compares; exit status 1 if one takes over 3 % more
//   npm run bench:counts -- --update      writes what it counted
//
// Callgrind counts what the release program executes with one thread. That depends on the program,
// the compiler and a little on the C library, not on the machine's speed or load. Fewer than
// expected fails nothing, but should be written down, or the gain can be lost unseen.
// Misses: cache misses and waiting, which take time and no instructions; and several threads.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { buildProgram, exact, program, specOf } from './measure.mjs'
import { fail, output, root, say } from './step.mjs'

const file = path.join(root, 'tests/bench-counts.json')
/** What a count may be off by. */
const TOLERANCE = 0.03

/** Each for another part of the engine: what it mostly does stands beside it. */
const workloads = [
  ['equivalent/harris/v1_vs_v7_shuffle', 'start-up, warp collectives, one long sum'],
  ['equivalent/softmax/n128_naive_precise_vs_online_fast', 'recognizing expf, normal forms, re-checking'],
  ['equivalent/matmul_paper/naive_vs_2d', 'shared memory and its race shadow, multiply-adds'],
  ['equivalent/attention/one_warp_plain_vs_flash2', 'matrix instructions, sums of quotients'],
  ['equivalent/convolution/small', 'index tables, copies, matrix instructions'],
  ['not_equivalent/softmax/n4_no_rescale', 'the search for inputs, shrinking, the counterexample'],
  ['data_race/harris/v6_unrolled', 'races and their schedules'],
]

function count(name) {
  const spec = specOf(name) ?? fail(`there is no case tests/corpus/${name}.toml`)
  const args = ['--tool=callgrind', '--callgrind-out-file=/dev/null', program, 'check', '--no-times', '--threads', '1', '--format', 'json', '--spec', spec]
  const { stdout, stderr } = spawnSync('valgrind', args, { encoding: 'utf8', maxBuffer: 2 ** 30 })
  const counted = Number(/Collected\s*:\s*(\d+)/.exec(stderr)?.[1])
  if (!counted) fail(`${name}: valgrind counted nothing: ${stderr.trim().split('\n').pop()}`)
  const [expected] = name.split('/')
  const { verdict } = JSON.parse(stdout)
  if (verdict !== expected) fail(`${name}: the verdict is ${verdict}, not ${expected}`)
  return counted
}

if (output('valgrind', ['--version']) === null) fail('Counting needs valgrind; on Debian: apt-get install valgrind')
await buildProgram()
const compiler = output('rustc', ['--version'])
const before = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : { compiler, counts: {} }
say(`Counting ${workloads.length} workloads …`)
const counts = {}
const slower = []
for (const [name, about] of workloads) {
  counts[name] = count(name)
  const expected = before.counts[name]
  const change = expected ? counts[name] / expected - 1 : 0
  const words = expected ? `${change < 0 ? '−' : '+'}${Math.abs(change * 100).toFixed(1)} %` : 'new'
  console.log(`  ${exact(counts[name]).padStart(16)}  ${words.padStart(8)}  ${name} (${about})`)
  if (change > TOLERANCE) slower.push(name)
}
if (process.argv.includes('--update')) {
  fs.writeFileSync(file, `${JSON.stringify({ compiler, counts }, null, 2)}\n`)
  say('tests/bench-counts.json is up to date.')
} else if (slower.length > 0) {
  const other = compiler === before.compiler ? '' : ` They were counted with ${before.compiler}; this is ${compiler}.`
  fail(`${slower.length} of ${workloads.length} execute over ${TOLERANCE * 100} % more instructions than tests/bench-counts.json says.${other} If that has to be: npm run bench:counts -- --update`)
} else {
  say('No workload executes more instructions than it should.')
}
