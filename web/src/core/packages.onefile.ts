// Where the engine's WebAssembly comes from in the one-file copy: it is part of the file,
// compressed and as base64. A page opened from a disk is never isolated, so there is the
// single-threaded package alone.

import packed from 'virtual:engine'
import * as single from '../pkg-single/warpproof'
import type { Flavor } from './protocol'

export type Package = typeof import('../pkg-single/warpproof')

export async function load(flavor: Flavor): Promise<{ engine: Package; start: () => Promise<unknown> }> {
  if (flavor === 'threads') throw new Error('the one-file copy has no threads')
  return { engine: single, start }
}

async function start(): Promise<void> {
  const bytes = Uint8Array.from(atob(packed), character => character.charCodeAt(0))
  const unpacked = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')))
  await single.default({ module_or_path: await unpacked.arrayBuffer() })
}
