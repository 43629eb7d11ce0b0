// A whole question in a URL: both kernels, the spec and the verdict it had.
//
//   link      = "#" version payload
//   version   = one character, "1"
//   payload   = base64url(deflate-raw(sections checksum))   with a preset dictionary
//   section   = key length ":" bytes      key: one letter; length: decimal, in bytes of UTF-8;
//               the kernels are written with differences of numbers (share-numbers.ts) where
//               the key is a capital
//   checksum  = "#" eight hexadecimal digits (CRC-32 of the sections)
//
// What has its default value is left out. Texts come back byte for byte, as long as they
// are Unicode (an unpaired surrogate becomes U+FFFD). Nothing is uploaded: a fragment never
// leaves the browser.
//
// A damaged link is not an exception but a value that names the broken part and carries
// whatever text could be read: a link is copied through chats that cut it off.

import { Deflate, Inflate } from 'fflate'
import { DICTIONARY_1 } from './share-dictionary'
import { canWrite, readDifferences, writeDifferences } from './share-numbers'

/** What a link holds. */
export interface Shared {
  reference: string
  optimized: string
  spec: string
  /** Only the optimized kernel is analysed. */
  single: boolean
  /** The verdict when the link was made, to be reproduced. */
  verdict: string | null
}

export type Decoded =
  | { ok: true; shared: Shared }
  | { ok: false; part: string; message: string; recovered: Partial<Shared> }

const VERSION = '1'
const keys = { r: 'reference', o: 'optimized', R: 'reference', O: 'optimized', s: 'spec', m: 'single', v: 'verdict' } as const
type Key = keyof typeof keys

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const dictionary = encoder.encode(writeDifferences(DICTIONARY_1))

/** The fragment (without "#") for a question. */
export function encode(shared: Shared): string {
  const kernel = (key: 'r' | 'o', text: string): [Key, string] =>
    canWrite(text) ? [key === 'r' ? 'R' : 'O', writeDifferences(text)] : [key, text]
  const values: [Key, string][] = [
    ['s', shared.spec],
    kernel('r', shared.reference),
    kernel('o', shared.optimized),
    ['m', shared.single ? '1' : ''],
    ['v', shared.verdict ?? ''],
  ]
  const parts: Uint8Array[] = []
  for (const [key, value] of values) {
    if (value === '') continue
    const bytes = encoder.encode(value)
    parts.push(encoder.encode(`${key}${bytes.length}:`), bytes)
  }
  const sections = join(parts)
  const checksum = encoder.encode('#' + crc32(sections).toString(16).padStart(8, '0'))
  return VERSION + toBase64url(deflate(join([sections, checksum])))
}

/** Reads a fragment, with or without its "#". */
export function decode(fragment: string): Decoded {
  const text = fragment.replace(/^#/, '')
  const broken = (part: string, message: string, recovered: Partial<Shared> = {}): Decoded => ({ ok: false, part, message, recovered })
  if (text === '') return broken('link', 'the link is empty')
  if (text[0] !== VERSION) {
    return broken('version', `the link is of version “${text[0]}”, which this page does not know; it may come from a newer one`)
  }
  const payload = text.slice(1)
  const bad = payload.search(/[^A-Za-z0-9_-]/)
  const { bytes, complete } = inflate(fromBase64url(bad < 0 ? payload : payload.slice(0, bad)))
  const { shared, part, end, missing } = readSections(bytes)
  if (bad >= 0) {
    return broken('alphabet', `character ${bad + 2} of the link, “${payload[bad]}”, cannot stand in a link; it was probably added on the way`, shared)
  }
  if (part !== null) {
    const hint = complete ? '' : '; the link was probably cut off'
    return broken(part, `${part} is incomplete${missing > 0 ? ` (${missing} bytes are missing)` : ''}${hint}`, shared)
  }
  const checksum = decoder.decode(bytes.subarray(end))
  if (checksum !== '#' + crc32(bytes.subarray(0, end)).toString(16).padStart(8, '0')) {
    return broken('checksum', 'the checksum does not fit, so the texts may not be what was shared', shared)
  }
  return { ok: true, shared: { reference: '', optimized: '', spec: '', single: false, verdict: null, ...shared } }
}

/** Reads sections until the checksum, the end or nonsense; `part` names the first incomplete one. */
function readSections(bytes: Uint8Array): { shared: Partial<Shared>; part: string | null; end: number; missing: number } {
  const shared: Partial<Shared> = {}
  let at = 0
  while (at < bytes.length && bytes[at] !== 0x23) {
    const key = String.fromCharCode(bytes[at] ?? 0)
    if (!Object.hasOwn(keys, key)) return { shared, part: 'the list of parts', end: at, missing: 0 }
    const name = keys[key as Key]
    const colon = bytes.indexOf(0x3a, at)
    const length = colon < 0 ? NaN : Number(decoder.decode(bytes.subarray(at + 1, colon)))
    if (!Number.isSafeInteger(length) || length < 0) return { shared, part: title(name), end: at, missing: 0 }
    const value = decoder.decode(bytes.subarray(colon + 1, colon + 1 + length))
    if (name === 'single') shared.single = value === '1'
    else shared[name] = key === 'R' || key === 'O' ? readDifferences(value) : value
    const missing = colon + 1 + length - bytes.length
    if (missing > 0) return { shared, part: title(name), end: at, missing }
    at = colon + 1 + length
  }
  return at < bytes.length ? { shared, part: null, end: at, missing: 0 } : { shared, part: 'the link', end: at, missing: 0 }
}

const title = (name: string) => (name === 'reference' || name === 'optimized' ? `the ${name} kernel` : `the ${name}`)

function deflate(bytes: Uint8Array): Uint8Array {
  const chunks: Uint8Array[] = []
  const stream = new Deflate({ level: 9, mem: 12, dictionary }, chunk => chunks.push(chunk))
  stream.push(bytes, true)
  return join(chunks)
}

/** Inflates as far as the data goes; small pushes let everything before a fault come out. */
function inflate(bytes: Uint8Array): { bytes: Uint8Array; complete: boolean } {
  const chunks: Uint8Array[] = []
  let complete = false
  const stream = new Inflate({ dictionary }, (chunk, final) => {
    chunks.push(chunk)
    complete ||= final
  })
  try {
    for (let at = 0; at < bytes.length; at += 32) stream.push(bytes.subarray(at, at + 32), at + 32 >= bytes.length)
  } catch {
    complete = false
  }
  return { bytes: join(chunks), complete }
}

function join(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function toBase64url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}

function fromBase64url(text: string): Uint8Array {
  const usable = text.length % 4 === 1 ? text.slice(0, -1) : text
  const binary = atob(usable.replace(/-/g, '+').replace(/_/g, '/'))
  return Uint8Array.from(binary, character => character.charCodeAt(0))
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1))
  }
  return ~crc >>> 0
}
