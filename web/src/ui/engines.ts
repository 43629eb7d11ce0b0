// The engines of the page: one answers questions, one reads along while the user types, one runs
// kernels again for evidence. The first is started before the page is loaded: what it needs is fetched
// and compiled meanwhile.

import { Engine } from '../core/engine'

const options = {
  spawn: () => new Worker(new URL('../core/worker.ts', import.meta.url), { type: 'module', name: 'warpproof' }),
  isolated: globalThis.crossOriginIsolated === true && typeof SharedArrayBuffer !== 'undefined',
  threads: Math.max(1, Math.min(navigator.hardwareConcurrency || 1, 16)),
}

let runner: Engine | null = null

/** The engine that answers; there is one. */
export const startRunner = (): Engine => (runner ??= new Engine(options))

/** Another one, without a pool of threads, that reads. */
export const startReader = (): Engine => new Engine({ ...options, threads: 0 })

/** One that runs kernels again: from the package for one thread, which has everything that is asked after a verdict. */
export const startHelper = (): Engine => new Engine({ ...options, isolated: false, threads: 0 })
