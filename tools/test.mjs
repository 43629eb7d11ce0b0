// npm test: sets up and runs everything. `npm test -- rust|python|page|browser` runs one part.

import path from 'node:path'
import { buildPage } from './page.mjs'
import { findBrowser, installPackages } from './setup.mjs'
import { root, say, seconds, step } from './step.mjs'
import { buildWasm } from './wasm.mjs'
import { buildPackage, testPackage } from './wheel.mjs'

const started = Date.now()
const chosen = process.argv.slice(2)
const wants = part => chosen.length === 0 || chosen.includes(part)
const bin = file => path.join(root, 'node_modules', file)
/** Most of the engine's build for browsers, and of some tests, is work for one core: what does not need the other runs beside it. */
const both = wants('rust') && wants('page')
const node = (title, script, ...args) => step(title, process.execPath, [bin(script), ...args], { quiet: both })

await installPackages()
if (both) say('The Rust tests run beside the build and the checks of the page, so lines are mixed.')
const [, hasPackage] = await Promise.all([rust(), page()])
// One of its tests compares with the program that the Rust tests have built.
if (hasPackage) await testPackage()
if (wants('browser')) {
  const browser = await findBrowser()
  await buildPage()
  await step('running the browser tests', process.execPath, [bin('vitest/vitest.mjs'), 'run', '--config', 'web/vitest.browser.config.ts'], { env: { WARPPROOF_CHROMIUM: browser } })
}
say(`Everything passed (${seconds(started)}).`)

async function rust() {
  if (!wants('rust')) return
  await step('checking the Rust formatting', 'cargo', ['fmt', '--all', '--check'])
  // With what is for browsers only: nothing is for others only.
  await step('linting the Rust code', 'cargo', ['clippy', '--locked', '--quiet', '--workspace', '--all-targets', '--features', 'warpproof/wasm', '--', '-D', 'warnings'])
  // The bindgen tool has no tests, and its dependencies would double the build; the Python package has its own.
  await step('running the Rust tests', 'cargo', ['test', '--locked', '--quiet', '--workspace', '--exclude', 'warpproof-bindgen', '--exclude', 'warpproof-python'])
}

async function page() {
  if (wants('page') || wants('browser')) {
    await buildWasm()
  }
  if (wants('page')) {
    await node('checking the types of the page', 'svelte-check/bin/svelte-check', '--workspace', 'web', '--tsconfig', 'tsconfig.json', '--fail-on-warnings', '--output', 'human')
    await node('running the unit tests of the page', 'vitest/vitest.mjs', 'run', '--config', 'web/vitest.config.ts')
  }
  return wants('python') && (await buildPackage())
}
