// Finds a Rust compiler that comes with its library source.
//
// The threaded build recompiles std with atomics (`-Z build-std`), which a plain
// rustup toolchain cannot do without the `rust-src` component. The order below
// prefers what is already there to anything that downloads:
//   1. WARPPROOF_RUSTC, a compiler named by the user;
//   2. a rustup toolchain that has rust-src;
//   3. Debian's /usr/bin/rustc with its sources;
//   4. Debian's packages, where apt-get may be used;
//   5. a rustup toolchain installed for the purpose.
// Stable compilers do: RUSTC_BOOTSTRAP=1 unlocks the two unstable flags used.

import fs from 'node:fs'
import path from 'node:path'
import { aptInstall, fail, output, say, step } from './step.mjs'

const OLDEST = [1, 93] // older compilers link shared memory differently (see tools/wasm.mjs)
const RUSTUP_VERSION = '1.96.0' // the version the flags were checked with
const DEBIAN_PACKAGES = ['rustc-web', 'rust-web-src', 'lld-22']

/** A usable compiler, or null: { rustc, version, linker } where linker is null when rustc finds its own. */
function examine(rustc) {
  const version = output(rustc, ['--version'])
  const sysroot = version && output(rustc, ['--print', 'sysroot'])
  if (!sysroot) return null
  const [major, minor] = /(\d+)\.(\d+)/.exec(version).slice(1).map(Number)
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) return null
  if (!fs.existsSync(path.join(sysroot, 'lib/rustlib/src/rust/library/Cargo.lock'))) return null
  const host = /host: (\S+)/.exec(output(rustc, ['-vV']))[1]
  const ownLinker = [path.join(sysroot, 'lib/rustlib', host, 'bin/rust-lld'), '/usr/bin/rust-lld'].some(fs.existsSync)
  const linker = ownLinker ? null : findWasmLd()
  if (!ownLinker && !linker) return null
  return { rustc, version, linker }
}

/** LLVM's WebAssembly linker, the newest of the versions installed. */
function findWasmLd() {
  const inBin = fs.existsSync('/usr/bin') ? fs.readdirSync('/usr/bin').filter(name => /^wasm-ld(-\d+)?$/.test(name)) : []
  const versionOf = name => Number(/-(\d+)$/.exec(name)?.[1] ?? 0)
  inBin.sort((a, b) => versionOf(b) - versionOf(a))
  return inBin.length ? path.join('/usr/bin', inBin[0]) : null
}

function rustupToolchains() {
  const listed = output('rustup', ['toolchain', 'list', '-v'])
  if (!listed) return []
  return listed
    .split('\n')
    .map(line => line.trim().split(/\s+/).pop())
    .filter(folder => folder.startsWith('/') || /^[A-Z]:/i.test(folder))
    .map(folder => path.join(folder, 'bin', process.platform === 'win32' ? 'rustc.exe' : 'rustc'))
}

/** The compiler for the wasm builds; ends the job with advice when there is none to be had. */
export async function findToolchain() {
  if (output('cargo', ['--version']) === null) {
    fail('Rust is missing: install it from https://rustup.rs and run this again.')
  }
  if (process.env.WARPPROOF_RUSTC) {
    const found = examine(process.env.WARPPROOF_RUSTC)
    if (!found) fail(`WARPPROOF_RUSTC=${process.env.WARPPROOF_RUSTC} is not a Rust ${OLDEST.join('.')}+ compiler with library sources and a WebAssembly linker.`)
    say(`Using the compiler named by WARPPROOF_RUSTC: ${found.version}.`)
    return found
  }
  for (const rustc of rustupToolchains()) {
    const found = examine(rustc)
    if (found) {
      say(`Using the rustup toolchain with rust-src at ${path.dirname(path.dirname(rustc))}: ${found.version}.`)
      return found
    }
  }
  const debian = '/usr/bin/rustc'
  const already = examine(debian)
  if (already) {
    say(`Using Debian's ${already.version} with its library sources.`)
    return already
  }
  say('No Rust compiler with library sources here; the engine for browsers needs one, so it is being installed (some 600 MB, a minute or two).')
  if (await aptInstall("Debian's Rust compiler with sources", DEBIAN_PACKAGES)) {
    const found = examine(debian)
    if (found) return found
  }
  if (output('rustup', ['--version']) !== null) {
    const status = await step(`installing Rust ${RUSTUP_VERSION} with rust-src through rustup`, 'rustup',
      ['toolchain', 'install', RUSTUP_VERSION, '--profile', 'minimal', '--component', 'rust-src'], { fatal: false })
    const found = status === 0 && rustupToolchains().map(examine).find(Boolean)
    if (found) return found
  }
  fail(`No way to a Rust compiler with library sources: run \`rustup toolchain install ${RUSTUP_VERSION} --component rust-src\`, or as root \`apt-get install ${DEBIAN_PACKAGES.join(' ')}\`, or name one in WARPPROOF_RUSTC.`)
}
