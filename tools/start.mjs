// npm start: sets up, builds and serves the playground.
//   --dev         serve with live reload
//   --build-only  build what a host serves, optimized, and stop (web/dist holds the static site)
//   --port N      serve on this port (default 4173, with --dev 5173, or the next free one)
//   --open        open the page in a browser
//
// What it serves is built to be there soon: one engine of the two, less optimized, and no one-file copy.

import { spawn } from 'node:child_process'
import path from 'node:path'
import { buildPage, buildQuickPage } from './page.mjs'
import { installPackages, packageSteps } from './setup.mjs'
import { ownAddress, plan, root, say, sideBySide } from './step.mjs'
import { buildWasm, wasmSteps } from './wasm.mjs'

const args = process.argv.slice(2)
const has = flag => args.includes(flag)
const portAt = args.indexOf('--port')
// Another one for --dev: the service worker of a page once served on a port would answer there.
const port = portAt >= 0 ? Number(args[portAt + 1]) : has('--dev') ? 5173 : 4173

if (has('--build-only')) {
  plan(packageSteps() + wasmSteps() + 2)
  sideBySide(packageSteps() + wasmSteps())
  await Promise.all([installPackages(), buildWasm()])
  await buildPage()
  say('The static site is in web/dist: any static host serves it, at any path. web/dist/warpproof-offline.html is the one-file copy.')
  process.exit(0)
}

say('On two cores with nothing else to do this takes about four minutes and 1.5 GB of disk the first time, seconds later on. What is missing is installed: npm packages, and a Rust compiler with library sources where there is none.')
const engine = { optimize: false, only: ['threads'] }
plan(packageSteps() + wasmSteps(engine) + (has('--dev') ? 0 : 1))
// The compiles of the engine and of wasm-bindgen, while npm installs.
sideBySide(packageSteps() + Math.min(wasmSteps(engine), 2))
await Promise.all([installPackages(), buildWasm(engine)])
if (!has('--dev')) await buildQuickPage()
say('Serving the playground; the address follows (Ctrl+C stops it).')
const vite = path.join(root, 'node_modules/vite/bin/vite.js')
const serve = has('--dev') ? ['web'] : ['preview', 'web']
const server = spawn(process.execPath, [vite, ...serve, '--mode', 'quick', '--port', String(port), ...(has('--open') ? ['--open'] : [])], {
  cwd: root,
  stdio: ['inherit', 'pipe', 'inherit'],
  env: { ...process.env, ...(process.stdout.isTTY && !process.env.NO_COLOR && { FORCE_COLOR: '1' }) },
})
server.stdout.on('data', data => process.stdout.write(ownAddress(String(data))))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal))
server.on('close', code => process.exit(code ?? 0))
