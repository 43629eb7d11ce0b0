// Where the engine's WebAssembly comes from on a served page: two packages, one of which is
// loaded, in two parts (tools/split.mjs): a first verdict needs the first part alone. The one-file
// copy has packages.onefile.ts in its place (web/build/onefile.ts).

import singleUrl from '../pkg-single/warpproof_first.wasm?url'
import threadsUrl from '../pkg-threads/warpproof_first.wasm?url'
import type { Flavour } from './protocol'

export type Package = typeof import('../pkg-single/warpproof')

export interface Loaded {
  engine: Package
  /** Fetches and compiles the first part. */
  start: () => Promise<unknown>
  /** Fetches and compiles the second part ahead of the first call into it. */
  fetchRest: () => Promise<void>
}

/** Loads the JavaScript of one of the two packages. */
export async function load(flavour: Flavour): Promise<Loaded> {
  if (flavour === 'threads') {
    const [engine, { fetchRest }] = await Promise.all([import('../pkg-threads/warpproof'), import('../pkg-threads/rest.js')])
    return { engine: engine as unknown as Package, start: () => engine.default({ module_or_path: threadsUrl }), fetchRest }
  }
  const [engine, { fetchRest }] = await Promise.all([import('../pkg-single/warpproof'), import('../pkg-single/rest.js')])
  return { engine, start: () => engine.default({ module_or_path: singleUrl }), fetchRest }
}
