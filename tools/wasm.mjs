// Builds the engine's two WebAssembly packages:
//   web/src/pkg-threads   shared memory and rayon on web workers, for isolated pages: a verdict
//   web/src/pkg-single    one thread, for pages without COOP/COEP headers, and for what is asked after a verdict
// A package whose inputs have not changed is left alone.

import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fail, root, say, step } from './step.mjs'
import { findToolchain } from './toolchain.mjs'

const TARGET = 'wasm32-unknown-unknown'
const STACK_BYTES = 8 << 20
const linkArgs = args => args.flatMap(arg => ['-C', `link-arg=${arg}`])

export const flavours = {
  threads: {
    features: 'threads',
    // The quick build has no other package.
    quick: 'threads,afterwards',
    rustflags: [
      '-C', 'target-feature=+atomics,+bulk-memory,+mutable-globals,+simd128',
      // Since 1.93 the atomics feature no longer implies shared memory (symptom:
      // `DataCloneError: Memory could not be cloned`); since mid 2026 wasm-bindgen
      // reads __heap_base.
      ...linkArgs(['--shared-memory', '--import-memory', '--max-memory=4294967296', '--export=__heap_base',
        '--export=__wasm_init_tls', '--export=__tls_size', '--export=__tls_align', '--export=__tls_base']),
    ],
    // What the optimizer may assume of browsers: all of these have shipped since 2023.
    optimize: ['--enable-threads'],
  },
  single: { features: 'wasm,afterwards', rustflags: ['-C', 'target-feature=+simd128'], optimize: [] },
}

const packageFolder = name => path.join(root, `web/src/pkg-${name}`)

function filesUnder(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const full = path.join(folder, entry.name)
    return entry.isDirectory() ? filesUnder(full) : [full]
  })
}

/** A hash over everything that decides what the package contains. */
function inputsHash(name, optimize) {
  const inputs = [
    ...filesUnder(path.join(root, 'crate/src')),
    ...['crate/Cargo.toml', 'Cargo.toml', 'Cargo.lock', 'tools/wasm.mjs', 'tools/bindgen/src/main.rs'].map(file => path.join(root, file)),
  ].sort()
  const hash = crypto.createHash('sha256').update(JSON.stringify([name, optimize]))
  for (const file of inputs) hash.update(path.relative(root, file)).update('\0').update(fs.readFileSync(file)).update('\0')
  return hash.digest('hex')
}

const isFresh = (name, hash) => {
  const stamp = path.join(packageFolder(name), 'inputs.sha256')
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === hash
}

/** The packages among `only` that are out of date. Without `optimize` an optimized one will do, too, if it has everything. */
function stalePackages(optimize, only) {
  const hashes = name => (optimize ? [true] : flavours[name].quick ? [false] : [false, true]).map(way => inputsHash(name, way))
  return only.map(name => ({ name, hashes: hashes(name) })).filter(({ name, hashes }) => !hashes.some(hash => isFresh(name, hash)))
}

/** How many steps `buildWasm` takes. */
export function wasmSteps({ optimize = true, only = Object.keys(flavours) } = {}) {
  const stale = stalePackages(optimize, only).length
  return stale === 0 ? 0 : 1 + stale * (optimize ? 3 : 2)
}

/** Builds what is out of date. `optimize: false` builds for a short build: less optimization, none of
 * it at link time, no wasm-opt. */
export async function buildWasm({ optimize = true, only = Object.keys(flavours) } = {}) {
  const stale = stalePackages(optimize, only)
  if (stale.length === 0) {
    say('The WebAssembly engine is up to date.')
    return
  }
  const toolchain = await findToolchain()
  // Not the dev profile: there, dependencies are optimized for the tests.
  const bindgen = step('building wasm-bindgen', 'cargo', [
    'build', '--locked', '-p', 'warpproof-bindgen', '--target-dir', bindgenTarget, '--release',
    ...['opt-level=0', 'debug=false', 'lto="off"', 'codegen-units=16'].flatMap(setting => ['--config', `profile.release.${setting}`]),
  ], { quiet: true, usual: 30 })
  // Most of each is one crate optimized as a whole, which is work for one core.
  await Promise.all(stale.map(({ name, hashes }) => buildPackage(name, hashes[0], toolchain, optimize, bindgen)))
}

const bindgenTarget = path.join(root, 'target/bindgen')

async function buildPackage(name, hash, toolchain, optimize, bindgenBuilt) {
  const flavour = flavours[name]
  const targetDir = path.join(root, optimize ? 'target/wasm' : 'target/wasm-dev', name)
  const linker = toolchain.linker ? ['-C', `linker=${toolchain.linker}`, '-C', 'linker-flavor=wasm-ld'] : []
  await step(`compiling the engine to WebAssembly (${name})`, 'cargo', [
    'build', '--release', '--locked', '-p', 'warpproof', '--lib', '--target', TARGET, '--target-dir', targetDir,
    '--no-default-features', '--features', (!optimize && flavour.quick) || flavour.features, '-Z', 'build-std=panic_abort,std',
    ...(optimize ? ['-Z', 'build-std-features=optimize_for_size'] : []),
  ], {
    quiet: true,
    usual: optimize ? 300 : 200,
    // The engine itself, which needs all the others.
    last: optimize ? 0.7 : 0.57,
    env: {
      RUSTC: toolchain.rustc,
      RUSTC_BOOTSTRAP: '1',
      CARGO_PROFILE_RELEASE_DEBUG: 'false',
      // For the smallest size: a visitor waits for the download, and a browser compiles what it runs for the first
      // time. Against 's' that is 12 % less to download, but up to a quarter more time for large kernels
      // (docs/performance.md).
      ...(optimize
        ? { CARGO_PROFILE_RELEASE_OPT_LEVEL: 'z', CARGO_PROFILE_RELEASE_LTO: 'fat', CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '1' }
        : { CARGO_PROFILE_RELEASE_OPT_LEVEL: '1', CARGO_PROFILE_RELEASE_LTO: 'off', CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '16', CARGO_PROFILE_RELEASE_INCREMENTAL: 'true' }),
      CARGO_ENCODED_RUSTFLAGS: [
        ...linker, ...flavour.rustflags, ...linkArgs(['-z', `stack-size=${STACK_BYTES}`]),
        '--remap-path-prefix', `${root}=.`,
        // Where a panic happened is told by file and line: each column is a number to download.
        '-Z', 'location-detail=file,line',
      ].join('\x1f'),
    },
  })
  const out = packageFolder(name)
  fs.rmSync(out, { recursive: true, force: true })
  fs.mkdirSync(out, { recursive: true })
  await bindgenBuilt
  const bindgen = path.join(bindgenTarget, 'release', process.platform === 'win32' ? 'warpproof-bindgen.exe' : 'warpproof-bindgen')
  await step(`writing the JavaScript binding (${name})`, bindgen, [path.join(targetDir, TARGET, 'release/warpproof.wasm'), out])
  // wasm-bindgen-rayon's workers import their package by folder ("../../..").
  fs.writeFileSync(path.join(out, 'package.json'), JSON.stringify({ type: 'module', main: 'warpproof.js', types: 'warpproof.d.ts', sideEffects: ['./snippets/*'] }, null, 2))
  if (optimize) {
    const wasm = path.join(out, 'warpproof_bg.wasm')
    // LLVM has optimized already: -O3 makes nothing faster but the download larger (its inlining), the
    // first run slower (browsers compile more) and this step four times as long.
    await step(`optimizing it with wasm-opt (${name})`, process.execPath, [
      path.join(root, 'node_modules/binaryen/bin/wasm-opt'), '-O1', '--reorder-functions', '--strip-debug', '--strip-producers',
      '--enable-simd', '--enable-bulk-memory', '--enable-mutable-globals', '--enable-nontrapping-float-to-int',
      '--enable-sign-ext', '--enable-reference-types', '--enable-multivalue', ...flavour.optimize, wasm, '-o', wasm,
    ])
  }
  fs.writeFileSync(path.join(out, 'inputs.sha256'), hash)
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const only = process.argv.slice(2).filter(arg => arg in flavours)
  await buildWasm({ optimize: !process.argv.includes('--fast'), only: only.length ? only : undefined })
}
