// Both kernels, the spec and the verdict as one file: JSON, for what is too long for a link
// or should lie in a repository. Reading checks the shape and says what does not fit.

import { tabText } from '../text-tabs'
import type { Shared } from './share'

const FORMAT = 1

export function writePair(shared: Shared): string {
  return JSON.stringify({ warpproof: FORMAT, ...shared }, null, 2) + '\n'
}

export type ReadPair = { ok: true; shared: Shared } | { ok: false; message: string }

export function readPair(file: string): ReadPair {
  const bad = (message: string): ReadPair => ({ ok: false, message })
  let data: unknown
  try {
    data = JSON.parse(file)
  } catch {
    return bad(tabText.pairFile.notJson)
  }
  if (typeof data !== 'object' || data === null || !('warpproof' in data)) return bad(tabText.pairFile.notOurs)
  const fields = data as Record<string, unknown>
  if (fields['warpproof'] !== FORMAT) return bad(tabText.pairFile.version(JSON.stringify(fields['warpproof']).slice(0, 40)))
  const string = (key: string) => fields[key] ?? ''
  const [reference, optimized, spec, verdict, version] = [string('reference'), string('optimized'), string('spec'), fields['verdict'] ?? null, fields['version'] ?? null]
  for (const [key, value] of Object.entries({ reference, optimized, spec })) if (typeof value !== 'string') return bad(tabText.pairFile.notText(key))
  return {
    ok: true,
    shared: {
      reference: String(reference),
      optimized: String(optimized),
      spec: String(spec),
      single: fields['single'] === true,
      verdict: typeof verdict === 'string' ? verdict : null,
      version: typeof version === 'string' ? version : null,
    },
  }
}
