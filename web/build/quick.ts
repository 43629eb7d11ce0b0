// The quick build (`--mode quick`, what `npm start` serves): one engine, no one-file copy.

import path from 'node:path'
import type { Plugin } from 'vite'

/** Takes the engine from packages.quick.ts; the workers' build needs it too. */
export function oneEngine(source: string): Plugin {
  return {
    name: 'warpproof-one-engine',
    enforce: 'pre',
    // Served with live reload, a worker's modules have a query.
    resolveId: (id, importer) => (id === './packages' && importer?.replace(/\?.*$/, '').endsWith('worker.ts') ? path.join(source, 'core/packages.quick.ts') : null),
  }
}
