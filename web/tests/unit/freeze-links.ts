// links.json: links that must open for ever, each with the hash of what it holds. Written by
//
//   FREEZE="version 2" npx vitest run --config web/vitest.config.ts freeze
//
// once for each version of the format, before its release; that adds links and touches none.

import crypto from 'node:crypto'
import type { Shared } from '../../src/core/share'

/** What a link holds, as a hash: field by field, so that fields of later versions do not matter. */
export function fingerprint({ reference, optimized, spec, single, verdict, version }: Shared): string {
  return crypto.createHash('sha256').update(JSON.stringify([reference, optimized, spec, single, verdict, version])).digest('hex')
}
