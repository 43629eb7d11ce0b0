// Everything a build needs, found or installed: npm packages, the Rust toolchain
// and both WebAssembly packages; for the tests, a browser too.

import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { aptInstall, fail, root, say, step } from './step.mjs'

const lockHash = () => crypto.createHash('sha256').update(fs.readFileSync(path.join(root, 'package-lock.json'))).digest('hex')
const stamp = path.join(root, 'node_modules/.warpproof-lock')
const areInstalled = () => fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === lockHash()

/** How many steps `installPackages` takes. */
export const packageSteps = () => (areInstalled() ? 0 : 1)

/** Installs the npm packages of package-lock.json unless exactly those are installed. */
export async function installPackages() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) fail(`Node ${process.versions.node} is too old: version 20.19 or newer is needed (https://nodejs.org).`)
  if (areInstalled()) return
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  await step('installing the npm packages', npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { quiet: true })
  fs.writeFileSync(stamp, lockHash())
}

const browserPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** The path of a Chromium for the browser tests. */
export async function findBrowser() {
  const named = process.env.WARPPROOF_CHROMIUM
  if (named) return fs.existsSync(named) ? named : fail(`WARPPROOF_CHROMIUM=${named} does not exist.`)
  const there = browserPaths.find(file => fs.existsSync(file))
  if (there) return there
  say('The browser tests need Chromium, which is not here.')
  if ((await aptInstall('Chromium', ['chromium'])) && fs.existsSync(browserPaths[0])) return browserPaths[0]
  fail('Chromium is missing: install it (Debian: `apt-get install chromium`) or name one in WARPPROOF_CHROMIUM.')
}
