// The Python environment of the solvers that Warpproof is compared with, in a folder that git ignores.

import fs from 'node:fs'
import path from 'node:path'
import { root, step } from './step.mjs'

export const venv = path.join(root, 'tests/peers/.venv')

/** Pinned, so that figures of different days compare. mpmath is SymPy's own need. */
export const wheels = ['sympy==1.14.0', 'mpmath==1.3.0', 'symengine==0.15.0', 'z3-solver==5.4.0.0']

/** Makes the environment, unless it is there. */
export async function install() {
  const stamp = path.join(venv, 'wheels.txt')
  const wanted = wheels.join('\n')
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return
  await step('making a Python environment', 'python3', ['-m', 'venv', '--clear', venv])
  const pip = path.join(venv, 'bin/pip')
  await step(`installing ${wheels.join(', ')} from PyPI`, pip, ['install', '--quiet', '--no-deps', ...wheels])
  fs.writeFileSync(stamp, wanted)
}
