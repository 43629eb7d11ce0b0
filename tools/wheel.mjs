// The Python package: builds its wheel in a virtual environment that git ignores and runs its tests there, and those
// of examples/. Where there is no Python from 3.10 on, or no PyPI, one line says so, and nothing fails.
//
// The wheel is built with cargo's dev profile: compiling the engine takes it under three minutes of one core; `pip
// install ./python` builds for release.

import fs from 'node:fs'
import path from 'node:path'
import { output, root, say, step } from './step.mjs'

const folder = path.join(root, 'python')
const venv = path.join(folder, '.venv')
const inside = name => path.join(venv, process.platform === 'win32' ? `Scripts/${name}.exe` : `bin/${name}`)

/** What builds and tests the package. Pinned, so that a test fails for our reasons. */
const tools = ['maturin==1.16.0', 'pytest==9.2.0', 'pytest-xdist==3.8.0', 'mypy==2.4.1', 'pyyaml==6.0.4']
/** What the package can do more with; where a platform has no wheel of it, its tests are skipped. */
const optional = ['numpy', 'nvidia-cuda-nvrtc-cu12==12.9.86', 'triton==3.9.0', 'ray==2.60.0']

/** The first Python from 3.10 on that can make environments. */
export const findPython = () => ['python3', 'python'].find(name => output(name, ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))']) !== null)

/** Builds the Python package and installs it where its tests are; whether it could be. */
export async function buildPackage() {
  const python = findPython()
  if (python === undefined) {
    say('The Python package is not tested: that needs Python 3.10 or later with its module venv.')
    return false
  }
  const stamp = path.join(venv, 'wheels.txt')
  const wanted = [...tools, ...optional].join('\n')
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, 'utf8') !== wanted) {
    await step('making a Python environment', python, ['-m', 'venv', '--clear', venv])
    const status = await step(`installing ${tools.join(', ')} from PyPI`, inside('pip'), ['install', '--quiet', ...tools], { fatal: false })
    if (status !== 0) {
      say('The Python package is not tested: its tools could not be installed from PyPI.')
      return false
    }
    for (const wheel of optional) {
      const status = await step(`installing ${wheel} from PyPI`, inside('pip'), ['install', '--quiet', '--only-binary', ':all:', wheel], { fatal: false })
      if (status !== 0) say(`Without ${wheel}, its tests are skipped.`)
    }
    fs.writeFileSync(stamp, wanted)
  }
  const wheels = path.join(venv, 'wheels')
  fs.rmSync(wheels, { recursive: true, force: true })
  await step('building the Python package', inside('maturin'), ['build', '--quiet', '--locked', '--profile', 'dev', '--out', wheels, '--manifest-path', path.join(folder, 'Cargo.toml')])
  const [wheel] = fs.readdirSync(wheels)
  await step('installing it', inside('pip'), ['install', '--quiet', '--force-reinstall', '--no-deps', path.join(wheels, wheel)])
  return true
}

/** Tests what `buildPackage` has installed. */
export async function testPackage() {
  await step('checking the types of the Python package', inside('mypy'), ['warpproof'], { cwd: folder })
  // `pytest`, not `python -m pytest`, which would import the folder in the place of what is installed.
  await step('running the tests of the Python package', inside('pytest'), ['-q', '-n', '2'], { cwd: folder })
  for (const example of fs.readdirSync(path.join(root, 'examples'))) {
    await step(`running the tests of examples/${example}`, inside('pytest'), ['-q'], { cwd: path.join(root, 'examples', example) })
  }
}
