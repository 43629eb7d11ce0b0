// Where the engine's WebAssembly comes from on a served page: two files beside it, of which
// one is loaded. The one-file copy has packages.onefile.ts in its place (web/build/onefile.ts).

import singleUrl from '../pkg-single/warpproof_bg.wasm?url'
import threadsUrl from '../pkg-threads/warpproof_bg.wasm?url'
import type { Flavour } from './protocol'

export type Package = typeof import('../pkg-single/warpproof')

/** Loads and compiles one of the two packages. */
export async function load(flavour: Flavour): Promise<Package> {
  if (flavour === 'threads') {
    const loaded = await import('../pkg-threads/warpproof')
    await loaded.default({ module_or_path: threadsUrl })
    return loaded as unknown as Package
  }
  const loaded = await import('../pkg-single/warpproof')
  await loaded.default({ module_or_path: singleUrl })
  return loaded
}
