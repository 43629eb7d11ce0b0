// A whole question in a URL: both kernels, the spec and the verdict it had.
//
//   link      = "#" version payload
//   version   = one character, "1"
//   payload   = base64url(deflate-raw(sections checksum))   with a preset dictionary
//   section   = key length ":" bytes      key: one letter; length: decimal, in bytes of UTF-8;
//               the kernels are written with differences of numbers (share-numbers.ts) where
//               the key is a capital; the verdict may be followed by a blank and a version
//   checksum  = "#" eight hexadecimal digits (CRC-32 of the sections)
//
// What has its default value is left out. Texts come back byte for byte, as long as they
// are Unicode (an unpaired surrogate becomes U+FFFD). Nothing is uploaded: a fragment never
// leaves the browser.
//
// A damaged link is not an exception but a value that names the broken part and carries
// whatever text could be read: a link is copied through chats that cut it off. A hostile one
// is a damaged one: it is read up to fixed limits and no further.

import { Deflate, Inflate } from 'fflate'
import { tabText } from '../text-tabs'
import { DICTIONARY_1 } from './share-dictionary'
import { canWrite, readDifferences, writeDifferences } from './share-numbers'

/** What a link holds. */
export interface Shared {
  reference: string
  optimized: string
  spec: string
  /** Only the optimized kernel is analyzed. */
  single: boolean
  /** The verdict when the link was made, to be reproduced. */
  verdict: string | null
  /** The version of the engine that found it; null where the link does not say. */
  version: string | null
}

export type Decoded =
  | { ok: true; shared: Shared }
  | { ok: false; part: string; message: string; recovered: Partial<Shared> }

const VERSION = '1'
/** What a link may unpack to, and how long it may be; the largest kernels of the corpus need a tenth. */
const MOST_BYTES = 4 << 20
const MOST_CHARACTERS = 2_000_000
const keys = { r: 'reference', o: 'optimized', R: 'reference', O: 'optimized', s: 'spec', m: 'single', v: 'verdict' } as const
type Key = keyof typeof keys

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const dictionary = encoder.encode(writeDifferences(DICTIONARY_1))

/** The fragment (without "#") for a question. */
export function encode(shared: Omit<Shared, 'version'> & Partial<Shared>): string {
  const kernel = (key: 'r' | 'o', text: string): [Key, string] =>
    canWrite(text) ? [key === 'r' ? 'R' : 'O', writeDifferences(text)] : [key, text]
  const values: [Key, string][] = [
    ['s', shared.spec],
    kernel('r', shared.reference),
    kernel('o', shared.optimized),
    ['m', shared.single ? '1' : ''],
    ['v', shared.verdict === null ? '' : shared.verdict + (shared.version ? ` ${shared.version}` : '')],
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
  const link = fragment.replace(/^#/, '')
  const broken = (part: string, message: string, recovered: Partial<Shared> = {}): Decoded => ({ ok: false, part, message, recovered })
  if (link === '') return broken('link', tabText.link.empty)
  if (link[0] !== VERSION) return broken('version', tabText.link.version(link[0] ?? ''))
  if (link.length > MOST_CHARACTERS) return broken('length', tabText.link.tooLong(MOST_CHARACTERS))
  const payload = link.slice(1)
  const bad = payload.search(/[^A-Za-z0-9_-]/)
  const { bytes, state } = inflate(fromBase64url(bad < 0 ? payload : payload.slice(0, bad)))
  const { shared, part, end, missing, notText } = readSections(bytes)
  if (state === 'too large') return broken('size', tabText.link.tooLarge(MOST_BYTES >> 20), shared)
  if (bad >= 0) return broken('alphabet', tabText.link.alphabet(bad + 2, String.fromCodePoint(payload.codePointAt(bad) ?? 0)), shared)
  if (part !== null) return broken(part, tabText.link.incomplete(part, missing, state === 'cut'), shared)
  const checksum = decoder.decode(bytes.subarray(end))
  if (checksum !== '#' + crc32(bytes.subarray(0, end)).toString(16).padStart(8, '0')) return broken('checksum', tabText.link.checksum, shared)
  if (notText !== null) return broken('text', tabText.link.notText(notText), shared)
  return { ok: true, shared: { reference: '', optimized: '', spec: '', single: false, verdict: null, version: null, ...shared } }
}

interface Sections {
  shared: Partial<Shared>
  /** The first incomplete part. */
  part: string | null
  end: number
  missing: number
  /** The first part that is not UTF-8. */
  notText: string | null
}

/** Reads sections until the checksum, the end or nonsense. */
function readSections(bytes: Uint8Array): Sections {
  const shared: Partial<Shared> = {}
  const { parts } = tabText.link
  let notText: string | null = null
  let at = 0
  const until = (part: string | null, missing = 0): Sections => ({ shared, part, end: at, missing, notText })
  while (at < bytes.length && bytes[at] !== 0x23) {
    const key = String.fromCharCode(bytes[at] ?? 0)
    if (!Object.hasOwn(keys, key)) return until(parts.list)
    const name = keys[key as Key]
    const colon = bytes.subarray(at, at + 12).indexOf(0x3a)
    const digits = decoder.decode(bytes.subarray(at + 1, at + Math.max(colon, 1)))
    if (!/^\d{1,8}$/.test(digits)) return until(parts[name])
    const [from, to] = [at + colon + 1, at + colon + 1 + Number(digits)]
    const value = decoder.decode(bytes.subarray(from, to))
    if (name === 'single') shared.single = value === '1'
    else if (name === 'verdict') readVerdict(shared, value)
    else shared[name] = key === 'R' || key === 'O' ? readDifferences(value) : value
    if (to > bytes.length) return until(parts[name], to - bytes.length)
    if (notText === null && value.includes('\ufffd') && !isText(bytes.subarray(from, to))) notText = parts[name]
    at = to
  }
  return until(at < bytes.length ? null : parts.link)
}

function readVerdict(shared: Partial<Shared>, value: string): void {
  const blank = value.indexOf(' ')
  shared.verdict = blank < 0 ? value : value.slice(0, blank)
  shared.version = blank < 0 ? null : value.slice(blank + 1)
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

function deflate(bytes: Uint8Array): Uint8Array {
  const chunks: Uint8Array[] = []
  const stream = new Deflate({ level: 9, mem: 12, dictionary }, chunk => chunks.push(chunk))
  stream.push(bytes, true)
  return join(chunks)
}

interface Inflated {
  bytes: Uint8Array
  state: 'whole' | 'cut' | 'too large'
  /** Where the push began that failed; else the length. */
  reached: number
}

/** Inflates as far as the data goes, and no further than the limit. */
function inflate(bytes: Uint8Array): Inflated {
  const read = inflateBy(bytes, bytes.length)
  // A push that fails yields nothing: what lies before the fault, or the limit, comes out of small ones.
  return read.state === 'whole' ? read : inflateBy(bytes, read.reached)
}

/** Inflates in large pushes, because each costs as much as a large one, and from `careful` on in small ones. */
function inflateBy(bytes: Uint8Array, careful: number): Inflated {
  const chunks: Uint8Array[] = []
  let [size, at, whole] = [0, 0, false]
  const stream = new Inflate({ dictionary }, (chunk, final) => {
    size += chunk.length
    if (size > MOST_BYTES) throw new RangeError('too large')
    chunks.push(chunk)
    whole ||= final
  })
  try {
    while (at < bytes.length) {
      const next = at + (at < careful ? 4096 : 32)
      stream.push(bytes.subarray(at, next), next >= bytes.length)
      at = next
    }
  } catch {
    whole = false
  }
  return { bytes: join(chunks), state: size > MOST_BYTES ? 'too large' : whole ? 'whole' : 'cut', reached: at }
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
