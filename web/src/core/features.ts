// What the engine needs of a browser's WebAssembly, asked before anything is downloaded: each
// probe is the smallest module that uses one feature (source: GoogleChromeLabs/wasm-feature-detect).

import type { Flavor } from './protocol'

const HEADER = [0, 97, 115, 109, 1, 0, 0, 0]
const probes: { name: string; flavor?: Flavor; module: number[] }[] = [
  { name: 'SIMD', module: [1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11] },
  { name: 'bulk memory', module: [1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1, 10, 14, 1, 12, 0, 65, 0, 65, 0, 65, 0, 252, 10, 0, 0, 11] },
  { name: 'reference types', module: [1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 7, 1, 5, 0, 208, 112, 26, 11] },
  { name: 'threads', flavor: 'threads', module: [1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 5, 4, 1, 3, 1, 1, 10, 11, 1, 9, 0, 65, 0, 254, 16, 2, 0, 26, 11] },
]

/** The features that this browser lacks for one of the packages; ['WebAssembly'] where it has none at all. */
export function lacking(flavor: Flavor, engine: Pick<typeof WebAssembly, 'validate'> | undefined = globalThis.WebAssembly): string[] {
  if (typeof engine?.validate !== 'function') return ['WebAssembly']
  return probes.filter(probe => (probe.flavor ?? flavor) === flavor && !engine.validate(new Uint8Array([...HEADER, ...probe.module]))).map(({ name }) => name)
}
