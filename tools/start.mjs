// npm start: sets up, builds and serves the playground.
//   --dev         serve with live reload and skip wasm-opt
//   --build-only  stop after the build (web/dist holds the static site)
//   --port N      serve on this port (default 4173, with --dev 5173, or the next free one)
//   --open        open the page in a browser

import { spawn } from 'node:child_process'
import path from 'node:path'
import { buildPage } from './page.mjs'
import { installPackages } from './setup.mjs'
import { root, say } from './step.mjs'
import { buildWasm } from './wasm.mjs'

const args = process.argv.slice(2)
const has = flag => args.includes(flag)
const portAt = args.indexOf('--port')
// Another one for --dev: the service worker of a page once served on a port would answer there.
const port = portAt >= 0 ? Number(args[portAt + 1]) : has('--dev') ? 5173 : 4173

await installPackages()
await buildWasm({ optimise: !has('--dev') })
const vite = path.join(root, 'node_modules/vite/bin/vite.js')
if (!has('--dev')) await buildPage()
if (has('--build-only')) {
  say('The static site is in web/dist: any static host serves it, at any path. web/dist/warpproof-offline.html is the one-file copy.')
  process.exit(0)
}
say('Serving the playground; the address follows (Ctrl+C stops it).')
const serve = has('--dev') ? ['web'] : ['preview', 'web']
const server = spawn(process.execPath, [vite, ...serve, '--port', String(port), ...(has('--open') ? ['--open'] : [])], { cwd: root, stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal))
server.on('close', code => process.exit(code ?? 0))
