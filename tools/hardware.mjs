// npm run hardware: the corpus on a real GPU, through the driver, from the very PTX, beside what the
// simulator says of the same inputs.
//
//   npm run hardware                        on a machine with a GPU
//   npm run hardware -- --write FOLDER      writes the jobs, for another machine
//   npm run hardware -- --compare FOLDER    compares what it made of them
//
// In between, the other machine runs `python3 tests/hardware/run.py FOLDER`: it needs Python 3 and the
// driver, nothing else. What is compared, and how closely: tests/tests/hardware.rs.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { fail, output, root, step } from './step.mjs'

const { values } = parseArgs({ options: { write: { type: 'string' }, compare: { type: 'string' } } })
if (values.write && values.compare) fail('--write and --compare are two runs')
if (values.compare && !fs.existsSync(values.compare)) fail(`there is no folder ${values.compare}`)
if (values.write && fs.existsSync(values.write) && fs.readdirSync(values.write).length > 0) fail(`${values.write} is not empty`)

const whole = !values.write && !values.compare
const driver = "import ctypes; ctypes.CDLL('libcuda.so.1')"
if (whole && output('python3', ['-c', driver]) === null) fail('python3 finds no libcuda.so.1: this needs a GPU and its driver. --write and --compare do the rest on this machine')

const folder = path.resolve(values.write ?? values.compare ?? fs.mkdtempSync(path.join(os.tmpdir(), 'warpproof-hardware-')))
const test = (title, more = {}) =>
  step(title, 'cargo', ['test', '--locked', '--quiet', '-p', 'warpproof-tests', '--test', 'hardware', 'hardware_computes', '--', '--nocapture'], {
    env: { WARPPROOF_HARDWARE: folder, ...more },
  })

if (!values.compare) await test('writing jobs')
if (whole) await step('executing them on the GPU', 'python3', [path.join(root, 'tests/hardware/run.py'), folder])
if (!values.write) await test('comparing', { WARPPROOF_HARDWARE_COMPARE: '1' })
if (whole) fs.rmSync(folder, { recursive: true })
