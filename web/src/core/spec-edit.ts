// Editing the spec file the way a careful person would: one key at a time, leaving
// comments, order and spelling of everything else alone.
//
// Every edit is verified: the new text must parse to the old data with just that key
// changed. Where the text is written in a way that the line editor does not follow
// (inline tables, dotted keys), the file is written anew from its data instead, so an
// edit is never lost.

import { parse, stringify } from 'smol-toml'

export type TomlValue = string | number | boolean | TomlValue[] | { [key: string]: TomlValue }
export type TomlTable = { [key: string]: TomlValue }

/** What a spec says of the CTAs that run, as a person writes it. */
export function ctasText(value: TomlValue | undefined): string {
  if (value === undefined) return '(0,0,0)'
  if (Array.isArray(value)) return value.map(cta => (Array.isArray(cta) ? `(${cta.join(',')})` : String(cta))).join(' ')
  return String(value)
}

/** Whether a spec says a setting of a kernel's launch: its own, or that of both. */
export const saysLaunch = (spec: TomlTable, side: string, key: string): boolean => valueAt(tableAt(spec, side), key) !== undefined || valueAt(tableAt(spec, 'launch'), key) !== undefined

/** Sizes as people write them, "64", "16 x 16", "[2,1]"; with names, each is an expression: "N × 2*K", "(N + 31) // 32".
 * None where something else is written, such as "-4" or "1.5". */
export function readSizes(written: string): (number | string)[] {
  if (!/(?<!\d)[a-wyz_]/i.test(written)) return /^[\s\d×x*,;[\]]*$/i.test(written) ? (written.match(/\d+/g) ?? []).map(Number) : []
  const parts = written.replace(/^\s*\[|\]\s*$/g, '').split(/[×,](?![^(]*\))/).map(part => part.trim().replace(/^"|"$/g, ''))
  return parts.filter(part => part !== '').map(part => (/^\d+$/.test(part) ? Number(part) : part))
}

/** The extents along x, y and z of a grid, a block or a cluster; null where something else is written. */
export function readExtents(written: string): TomlValue[] | null {
  const sizes = readSizes(written)
  if (sizes.length < 1 || sizes.length > 3 || sizes.some(size => typeof size === 'number' && size < 1)) return null
  return [...sizes, 1, 1].slice(0, 3)
}

/** The CTAs that run, as a person writes them: "3", "(0,0,0) (1,0,0)", "all"; null where something else is written. */
export function readCtas(written: string): TomlValue | null {
  if (/^\s*all\s*$/i.test(written)) return 'all'
  if (!/^[\s\d,;()[\]]*$/.test(written)) return null
  const numbers = (written.match(/\d+/g) ?? []).map(Number)
  if (numbers.length === 1) return [[numbers[0]!, 0, 0]]
  return numbers.length > 0 && numbers.length % 3 === 0 ? numbers.flatMap((_, at) => (at % 3 ? [] : [numbers.slice(at, at + 3)])) : null
}

/** The data of a spec file, or null where it is not TOML. */
export function readSpec(text: string): TomlTable | null {
  try {
    return parse(text) as TomlTable
  } catch {
    return null
  }
}

/** Sets (or, with null, removes) `key` of the table at `path`; null when the text is not TOML. */
export function setKey(text: string, path: string[], key: string, value: TomlValue | null): string | null {
  const before = readSpec(text)
  if (!before) return null
  if (value === null && valueAt(path.reduce(tableAt, before), key) === undefined) return text
  const wanted = structuredClone(before)
  let table = wanted
  for (const name of path) {
    const inner = valueAt(table, name)
    table = isTable(inner) ? inner : put(table, name, {})
  }
  if (value === null) delete table[key]
  else put(table, key, value)
  const edited = editLines(text, path, key, value)
  return sameData(readSpec(edited), wanted) ? edited : stringify(wanted) + '\n'
}

/** Whether a tensor or scalar can be called so. */
export const isName = (name: string): boolean => /^[a-z_]\w*$/i.test(name)

/**
 * Gives a tensor or scalar another name, in the arguments of both kernels and where it is described.
 * Arguments that are inferred so far are written down, as they stand in `inferred`, the spec with everything
 * filled in. Null where the text is not TOML, the arguments are not known, or the new name is taken.
 */
export function rename(text: string, inferred: string, from: string, to: string): string | null {
  const full = readSpec(inferred)
  let edited = text
  let found = false
  if (!readSpec(text) || !full) return null
  const taken = (spec: TomlTable) => [tableAt(spec, 'tensors'), tableAt(spec, 'scalars')].some(table => Object.hasOwn(table, to))
  if (!isName(to) || taken(full)) return null
  for (const side of ['reference', 'optimized']) {
    const args = valueAt(tableAt(readSpec(edited)!, side), 'args') ?? valueAt(tableAt(full, side), 'args')
    const renamed = args === undefined ? args : named(args, from, to)
    if (args === undefined || renamed === undefined || JSON.stringify(renamed) === JSON.stringify(args)) continue
    edited = setKey(edited, [side], 'args', renamed) ?? edited
    found = true
  }
  for (const [variable, view] of Object.entries(tableAt(readSpec(edited)!, 'views'))) {
    for (const key of ['texture', 'surface']) {
      if (!isTable(view) || valueAt(view, key) !== from) continue
      edited = setKey(edited, ['views', variable], key, to) ?? edited
      found = true
    }
  }
  // A module variable has the name that its module gives it.
  if (!found) return null
  for (const kind of ['tensors', 'scalars']) {
    const described = valueAt(tableAt(readSpec(edited)!, kind), from)
    if (described !== undefined) edited = renameKey(edited, kind, from, to)
  }
  return edited
}

/** Keys of arguments whose values are words, not names. */
const WORDS = ['type', 'filter', 'address', 'read']

/** An argument with another name: `"x"`, `{ tensor = "x" }`, `{ texture = "x" }`, and all within `fields`. */
function named(value: TomlValue, from: string, to: string): TomlValue {
  if (value === from) return to
  if (Array.isArray(value)) return value.map(inner => named(inner, from, to))
  if (typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, WORDS.includes(key) ? inner : named(inner, from, to)]))
}

/** `[kind.from]` becomes `[kind.to]`, or `from = …` within `[kind]` `to = …`. */
function renameKey(text: string, kind: string, from: string, to: string): string {
  const before = readSpec(text)!
  const wanted = structuredClone(before)
  const entries = Object.entries(tableAt(wanted, kind)).map(([key, value]) => [key === from ? to : key, value] as const)
  put(wanted, kind, Object.fromEntries(entries))
  const lines = text.split('\n')
  const header = lines.findIndex(line => sameHeader(line, `[${kind}.${writeKey(from)}]`))
  if (header >= 0) lines[header] = lines[header]!.replace(/\[[^\]]*\]/, () => `[${kind}.${writeKey(to)}]`)
  else {
    const start = lines.findIndex(line => sameHeader(line, `[${kind}]`))
    const at = lines.findIndex((line, at) => at > start && unquote(/^\s*("[^"]*"|[A-Za-z0-9_-]+)\s*=/.exec(line)?.[1] ?? '') === from)
    if (start >= 0 && at > start) lines[at] = lines[at]!.replace(/("[^"]*"|[A-Za-z0-9_-]+)(?=\s*=)/, () => writeKey(to))
  }
  const edited = lines.join('\n')
  return sameData(readSpec(edited), wanted) ? edited : stringify(wanted) + '\n'
}

/** What stands at a key. Keys are names of kernels' parameters: `constructor` and `__proto__` are keys like any other. */
export const valueAt = (table: TomlTable, key: string): TomlValue | undefined => (Object.hasOwn(table, key) ? table[key] : undefined)

/** The table at a key; an empty one where there is none. */
export function tableAt(table: TomlTable, key: string): TomlTable {
  const value = valueAt(table, key)
  return isTable(value) ? value : {}
}

// TOML has dates, which are objects here.
export const isTable = (value: TomlValue | undefined): value is TomlTable => typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)

function put<Value extends TomlValue>(table: TomlTable, key: string, value: Value): Value {
  Object.defineProperty(table, key, { value, writable: true, enumerable: true, configurable: true })
  return value
}

function editLines(text: string, path: string[], key: string, value: TomlValue | null): string {
  const lines = text.split('\n')
  const header = `[${path.map(writeKey).join('.')}]`
  const start = lines.findIndex(line => sameHeader(line, header))
  const entry = value === null ? null : `${writeKey(key)} = ${writeValue(value)}`
  if (start < 0) {
    if (entry === null) return text
    const body = text.replace(/\n+$/, '')
    return `${body}${body === '' ? '' : '\n\n'}${header}\n${entry}\n`
  }
  let end = lines.findIndex((line, at) => at > start && /^\s*\[/.test(line))
  if (end < 0) end = lines.length
  for (let at = start + 1; at < end; at++) {
    const match = /^(\s*)("[^"]*"|[A-Za-z0-9_-]+)\s*=/.exec(lines[at] ?? '')
    if (!match || unquote(match[2] ?? '') !== key) continue
    const last = lastLineOfValue(lines, at)
    const comment = at === last ? commentOf(lines[at] ?? '') : ''
    lines.splice(at, last - at + 1, ...(entry === null ? [] : [`${match[1]}${entry}${comment}`]))
    return lines.join('\n')
  }
  if (entry === null) return text
  let after = end
  while (after > start + 1 && (lines[after - 1] ?? '').trim() === '') after--
  lines.splice(after, 0, entry)
  return lines.join('\n') + (after === lines.length - 1 && !text.endsWith('\n') ? '\n' : '')
}

const sameHeader = (line: string, header: string) => line.replace(/#.*$/, '').replace(/\s+/g, '') === header.replace(/\s+/g, '')
const writeKey = (key: string) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key))
const unquote = (key: string) => (key.startsWith('"') ? key.slice(1, -1) : key)

function writeValue(value: TomlValue): string {
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`
  if (typeof value === 'object') return `{ ${Object.entries(value).map(([key, inner]) => `${writeKey(key)} = ${writeValue(inner)}`).join(', ')} }`
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** The line on which the value that begins on line `at` ends: brackets outside of strings are counted. */
function lastLineOfValue(lines: string[], at: number): number {
  let depth = 0
  for (let line = at; line < lines.length; line++) {
    const bare = (lines[line] ?? '').replace(/"(\\.|[^"\\])*"|'[^']*'/g, '').replace(/#.*$/, '')
    for (const character of bare) {
      if (character === '[' || character === '{') depth++
      if (character === ']' || character === '}') depth--
    }
    if (depth <= 0) return line
  }
  return at
}

function commentOf(line: string): string {
  const bare = line.replace(/"(\\.|[^"\\])*"|'[^']*'/g, string => ' '.repeat(string.length))
  const hash = bare.indexOf('#')
  return hash < 0 ? '' : ' ' + line.slice(hash)
}

function sameData(a: TomlTable | null, b: TomlTable): boolean {
  const canonical = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(canonical)
    if (value === null || typeof value !== 'object') return typeof value === 'bigint' ? Number(value) : value
    const entries = Object.entries(value).map(([key, inner]) => [key, canonical(inner)] as const)
    return Object.fromEntries(entries.sort(([x], [y]) => (x < y ? -1 : 1)))
  }
  return JSON.stringify(canonical(a)) === JSON.stringify(canonical(b))
}
