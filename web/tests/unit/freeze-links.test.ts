import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import examples from 'virtual:gallery'
import { decode, encode, type Shared } from '../../src/core/share'
import { fingerprint } from './freeze-links'

const file = path.join(import.meta.dirname, 'links.json')
const frozen = JSON.parse(fs.readFileSync(file, 'utf8')) as { name: string; link: string; sha256: string }[]

test('every released version has frozen links', () => {
  const current = encode({ reference: '', optimized: '', spec: '', single: false, verdict: null })[0]!
  for (let version = 1; version <= Number(current); version++) expect(frozen.some(({ link }) => link.startsWith(`#${version}`)), `version ${version}`).toBe(true)
})

test.runIf(process.env['FREEZE'])('freezes', () => {
  const odd: Shared = { reference: 'Größe ≠ 数 🚀\r\n\u0000%r007 %r0+01', optimized: '\ufeff%f1 %f2 %f3\u0005', spec: '', single: true, verdict: 'a_later_verdict', version: '9.9.9' }
  const empty: Shared = { reference: '', optimized: '', spec: '', single: false, verdict: null, version: null }
  const chosen = examples.filter(({ input }) => input.reference.length + input.optimized.length < 20_000).slice(0, 10)
  const all: [string, Shared][] = [...chosen.map(({ id, input, verdict }): [string, Shared] => [id, { ...input, verdict, version: '0.1.0' }]), ['odd characters', odd], ['nothing', empty]]
  for (const [name, shared] of all) {
    const link = '#' + encode(shared)
    expect(decode(link)).toEqual({ ok: true, shared })
    frozen.push({ name: `${process.env['FREEZE']}: ${name}`, link, sha256: fingerprint(shared) })
  }
  fs.writeFileSync(file, JSON.stringify(frozen, null, 1) + '\n')
})
