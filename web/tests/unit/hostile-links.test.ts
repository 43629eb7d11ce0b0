// Links that nobody's page wrote: every one ends as a value that names what is wrong, soon,
// with whatever text could be read.

import { Deflate } from 'fflate'
import { describe, expect, test } from 'vitest'
import { lacking } from '../../src/core/features'
import { decode, encode, type Shared } from '../../src/core/share'
import { DICTIONARY_1 } from '../../src/core/share-dictionary'
import { writeDifferences } from '../../src/core/share-numbers'

const shared: Shared = { reference: 'ref', optimized: '.entry k() { ret; }', spec: '[launch]\n', single: false, verdict: 'equivalent', version: '0.1.0' }
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** A link with these bytes inside, whatever they are. */
function link(bytes: Uint8Array): string {
  const chunks: Uint8Array[] = []
  const stream = new Deflate({ level: 9, dictionary: bytesOf(writeDifferences(DICTIONARY_1)) }, chunk => chunks.push(chunk))
  stream.push(bytes, true)
  return '1' + Buffer.concat(chunks).toString('base64url')
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1))
  }
  return ~crc >>> 0
}
const sealed = (bytes: Uint8Array) => Buffer.concat([bytes, bytesOf('#' + crc32(bytes).toString(16).padStart(8, '0'))])

function broken(text: string) {
  const started = performance.now()
  const decoded = decode(text)
  expect(performance.now() - started).toBeLessThan(5_000) // some 100 ms on an idle machine
  if (decoded.ok) throw new Error('must not pass')
  return decoded
}

describe('a hostile link', () => {
  test('that unpacks to many megabytes is read up to a limit', { timeout: 60_000 }, () => {
    const bomb = broken(link(Buffer.concat([bytesOf('s9:[launch]\nr99999999:'), new Uint8Array(40 << 20)])))
    expect(bomb.part).toBe('size')
    expect(bomb.message).toContain('4 MiB')
    expect(bomb.recovered.spec).toBe('[launch]\n')
    expect(bomb.recovered.reference!.length).toBeLessThanOrEqual(4 << 20)
  })

  test('of many megabytes is not even unpacked', () => {
    expect(broken('1' + 'A'.repeat(5_000_000)).part).toBe('length')
  })

  test('with bytes that are not UTF-8 names the part and keeps the others', () => {
    const decoded = broken(link(sealed(Buffer.concat([bytesOf('s9:[launch]\no4:ab'), new Uint8Array([0xff, 0xc0])]))))
    expect(decoded.part).toBe('text')
    expect(decoded.message).toContain('the optimized kernel')
    expect(decoded.recovered).toEqual({ spec: '[launch]\n', optimized: 'ab\ufffd\ufffd' })
  })

  test.each([
    ['an unknown part', 'x3:abc'],
    ['a prototype’s name', '__proto__:'],
    ['a negative length', 's-1:abc'],
    ['a length in scientific notation', 's1e3:abc'],
    ['an endless length', 's' + '9'.repeat(400) + ':abc'],
    ['no length', 's:abc'],
    ['a length beyond the end', 's50:abc'],
    ['no checksum', 's3:abc'],
    ['a wrong checksum', 's3:abc#00000000'],
  ])('with %s is broken', (_, text) => {
    broken(link(bytesOf(text)))
  })

  test.each(['', '#', '0abc', '2' + encode(shared).slice(1), '<script>', '１' + encode(shared).slice(1), '1', '1 ', '1%00', '1' + '🚀'.repeat(10)])('%j is broken', text => {
    broken(text)
  })

  test('of random characters never gets through, and never throws', () => {
    let seed = 7
    const random = (below: number) => (seed = (seed * 48271) % 0x7fffffff) % below
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const good = encode(shared)
    for (let round = 0; round < 3_000; round++) {
      const noise = Array.from({ length: random(60) }, () => alphabet[random(64)]).join('')
      const at = 1 + random(good.length)
      const mixed = [noise, '1' + noise, good.slice(0, at) + noise, good.slice(0, at) + noise + good.slice(at)][random(4)]!
      const decoded = decode(mixed)
      if (decoded.ok) expect(decoded.shared).toEqual(shared)
    }
  })

  test('with markup in its texts is just text', () => {
    const markup: Shared = { ...shared, spec: '[tensors."<img src=x onerror=alert(1)>"]\n', verdict: '<script>alert(1)</script>' }
    expect(decode(encode(markup))).toEqual({ ok: true, shared: markup })
  })
})

describe('WebAssembly features', () => {
  test('are found where they are', () => {
    expect(lacking('threads')).toEqual([])
    expect(lacking('single')).toEqual([])
  })
  test('are named where they are not', () => {
    expect(lacking('single', { validate: () => false })).toEqual(['SIMD', 'bulk memory', 'reference types'])
    expect(lacking('threads', { validate: () => false })).toContain('threads')
    expect(lacking('single', null as never)).toEqual(['WebAssembly'])
  })
})
