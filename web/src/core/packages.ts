// Where the engine's WebAssembly comes from on a served page: two packages. The one with threads is what a
// visitor waits for, and lacks what is asked after a verdict (tools/wasm.mjs); the other one has everything. The one-file copy has packages.onefile.ts in its place (web/build/onefile.ts).

import singleUrl from '../pkg-single/warpproof_bg.wasm?url'
import threadsUrl from '../pkg-threads/warpproof_bg.wasm?url'
import type { Flavor } from './protocol'

export type Package = typeof import('../pkg-single/warpproof')

export interface Loaded {
  engine: Package
  /** Fetches and compiles the WebAssembly. */
  start: () => Promise<unknown>
}

/** Loads the JavaScript of one of the two packages. */
export async function load(flavor: Flavor): Promise<Loaded> {
  if (flavor === 'threads') {
    const engine = await import('../pkg-threads/warpproof')
    return { engine: engine as unknown as Package, start: () => engine.default({ module_or_path: threadsUrl }) }
  }
  const engine = await import('../pkg-single/warpproof')
  return { engine, start: () => engine.default({ module_or_path: singleUrl }) }
}
