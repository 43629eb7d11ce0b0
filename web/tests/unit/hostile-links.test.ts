// Links that nobody's page wrote: every one ends as a value that names what is wrong, soon,
// with whatever text could be read. fuzz.test.ts has the random ones.

import { describe, expect, test } from 'vitest'
import { lacking } from '../../src/core/features'
import { decode, encode, type Shared } from '../../src/core/share'
import { sealed, wrap } from './wrap'

const shared: Shared = { reference: 'ref', optimized: '.entry k() { ret; }', spec: '[launch]\n', single: false, verdict: 'equivalent', version: '0.1.0' }
const bytesOf = (text: string) => new TextEncoder().encode(text)

function broken(text: string) {
  const started = performance.now()
  const decoded = decode(text)
  expect(performance.now() - started).toBeLessThan(5_000) // some 100 ms on an idle machine
  if (decoded.ok) throw new Error('must not pass')
  return decoded
}

describe('a hostile link', () => {
  test('that unpacks to many megabytes is read up to a limit', { timeout: 60_000 }, () => {
    const bomb = broken(wrap(Buffer.concat([bytesOf('s9:[launch]\nr99999999:'), new Uint8Array(40 << 20)])))
    expect(bomb.part).toBe('size')
    expect(bomb.message).toContain('4 MiB')
    expect(bomb.recovered.spec).toBe('[launch]\n')
    expect(bomb.recovered.reference!.length).toBeLessThanOrEqual(4 << 20)
  })

  test('of many megabytes is not even unpacked', () => {
    expect(broken('1' + 'A'.repeat(5_000_000)).part).toBe('length')
  })

  test('with bytes that are not UTF-8 names the part and keeps the others', () => {
    const decoded = broken(wrap(sealed(Buffer.concat([bytesOf('s9:[launch]\no4:ab'), new Uint8Array([0xff, 0xc0])]))))
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
    broken(wrap(bytesOf(text)))
  })

  test.each(['', '#', '0abc', '2' + encode(shared).slice(1), '<script>', '１' + encode(shared).slice(1), '1', '1 ', '1%00', '1' + '🚀'.repeat(10)])('%j is broken', text => {
    broken(text)
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
