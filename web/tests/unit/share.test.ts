import { describe, expect, test } from 'vitest'
import { decode, encode, type Shared } from '../../src/core/share'
import { fingerprint } from './freeze-links'
import frozen from './links.json'

const question: Shared = {
  reference: '.version 8.0\n.target sm_80\n.visible .entry k()\n{\n\tret;\n}\n',
  optimized: '.version 8.0\r\n// Grüße, 数学, 🚀 \u0000 and a trailing blank \n\n',
  spec: '[launch]\nblock = [64, 1, 1]\n',
  single: false,
  verdict: 'equivalent',
  version: null,
}

/** A kernel of about `lines` lines that does not repeat itself much. */
function kernel(lines: number): string {
  const body = Array.from({ length: lines }, (_, at) => {
    const [a, b, c] = [at + 1, (at * 7) % 97, (at * 13) % 89]
    return [`\tfma.rn.f32 \t%f${a}, %f${b}, %f${c}, %f${at};`, `\tld.shared.f32 \t%f${a}, [%r${b}+${c * 4}];`, `\tadd.s32 \t%r${a}, %r${b}, ${c};`][at % 3]
  })
  return `.version 8.7\n.target sm_80\n.address_size 64\n\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n${body.join('\n')}\n\tret;\n}\n`
}

describe('share links', () => {
  test('come back byte for byte', () => {
    expect(decode('#' + encode(question))).toEqual({ ok: true, shared: question })
  })

  test('leave defaults out', () => {
    const empty: Shared = { reference: '', optimized: '', spec: '', single: false, verdict: null, version: null }
    expect(encode(empty).length).toBeLessThan(20)
    expect(decode(encode(empty))).toEqual({ ok: true, shared: empty })
  })

  test('use only characters that survive in a URL', () => {
    expect(encode(question)).toMatch(/^[A-Za-z0-9_-]+$/)
  })

  test('stay short for two 300-line kernels', () => {
    const link = encode({ ...question, reference: kernel(300), optimized: kernel(300).replaceAll('add.s32', 'sub.s32') })
    expect(link.length).toBeLessThanOrEqual(5000)
  })

  test('of the first example stay under 2,000 characters', async () => {
    const { default: examples } = await import('virtual:gallery')
    const first = examples[0]!
    const link = encode({ ...first.input, verdict: first.verdict })
    expect(link.length).toBeLessThanOrEqual(2000)
  })

  test('bring every example back byte for byte', async () => {
    const { default: examples } = await import('virtual:gallery')
    expect(examples.length).toBeGreaterThan(10)
    for (const { input, verdict } of examples) expect(decode(encode({ ...input, verdict }))).toEqual({ ok: true, shared: { ...input, verdict, version: null } })
  })

  test('keep numbers that look like registers but are not', () => {
    const odd = '%r007 %r0 %r00 +0 +01 %r12x %rd12.5 %r99999999999999999999 +5+5+5 %p<12> %f1|%p2 a+b+3 %r1%r2 %tid.x %r-1 %R5'
    const shared = { ...question, reference: odd, optimized: odd + '\u0005' }
    expect(decode(encode(shared))).toEqual({ ok: true, shared })
  })

  test('carry the version that found the verdict', () => {
    const shared = { ...question, version: '0.1.0-beta.2' }
    expect(decode(encode(shared))).toEqual({ ok: true, shared })
  })

  // links.json holds links as they were released, oldest first. If one fails, the format
  // changed: add a version instead. New links are added (tests/unit/freeze-links.ts), old ones never touched.
  test.each(frozen.map(entry => [entry.name, entry] as const))('frozen: %s opens for ever', (_, { link, sha256 }) => {
    const decoded = decode(link)
    if (!decoded.ok) throw new Error(decoded.message)
    expect(fingerprint(decoded.shared)).toBe(sha256)
  })

  test('cut off anywhere name the broken part and keep the text before it', () => {
    const long = { ...question, reference: kernel(100), optimized: kernel(200) }
    const link = encode(long)
    const decoded = decode(link.slice(0, Math.floor(link.length * 0.8)))
    if (decoded.ok) throw new Error('a cut link must not pass')
    expect(decoded.part).toBe('the optimized kernel')
    expect(decoded.message).toContain('cut off')
    expect(decoded.recovered.spec).toBe(long.spec)
    expect(decoded.recovered.reference).toBe(long.reference)
    expect(long.optimized.startsWith(decoded.recovered.optimized!)).toBe(true)
    expect(decoded.recovered.optimized!.length).toBeGreaterThan(1000)
    for (let length = 0; length < link.length; length += 7) expect(decode(link.slice(0, length)).ok).toBe(false)
  })

  test('with a changed character are never taken for whole', () => {
    const link = encode({ ...question, reference: kernel(20) })
    for (let at = 1; at < link.length; at++) {
      const changed = link.slice(0, at) + (link[at] === 'A' ? 'B' : 'A') + link.slice(at + 1)
      const decoded = decode(changed)
      // The last character may hold padding bits that carry nothing.
      if (decoded.ok) expect(decoded.shared).toEqual({ ...question, reference: kernel(20) })
    }
  })

  test('with foreign characters say which', () => {
    const link = encode(question)
    const decoded = decode(link.slice(0, 40) + ' ' + link.slice(40))
    if (decoded.ok) throw new Error('must not pass')
    expect(decoded.part).toBe('alphabet')
    expect(decoded.message).toContain('character 41')
  })

  test('of an unknown version say so', () => {
    const decoded = decode('9abc')
    if (decoded.ok) throw new Error('must not pass')
    expect(decoded.part).toBe('version')
    expect(decoded.message).toContain('newer')
  })
})
