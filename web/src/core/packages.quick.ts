// Where the engine comes from in the quick build that `npm start` serves: the package with threads
// is the only one that it makes (web/build/quick.ts puts this in the place of packages.ts).

import threadsUrl from '../pkg-threads/warpproof_bg.wasm?url'
import * as threads from '../pkg-threads/warpproof'
import type { Flavor } from './protocol'

export type Package = typeof import('../pkg-threads/warpproof')

export async function load(flavor: Flavor): Promise<{ engine: Package; start: () => Promise<unknown> }> {
  if (flavor !== 'threads' && !globalThis.crossOriginIsolated) {
    throw new Error('this quick build has only the engine with threads, which browsers allow on localhost and over HTTPS; `npm run build` makes the other one, too')
  }
  return { engine: threads, start: () => threads.default({ module_or_path: threadsUrl }) }
}
