// What the page reads from others - links, saved pairs, lessons, contents of tensors, specs that its form
// edits - mutated: no exception, an answer within seconds, and an answer that is what it says.
//
// Bytes flip; pieces are cut, doubled and exchanged; words and numbers are replaced from a dictionary of
// the gallery's texts and of edges. A link is mutated as a link, as what is compressed in it, and as what
// it is written from (with a checksum that fits). WARPPROOF_SOAK_SECONDS and WARPPROOF_SOAK_SEED make it
// long (`npm run soak -- page`); a failure names its execution, which the seed gives again.
//
// Misses: no coverage guides the mutations; what the texts mean is the engine's business
// (tests/tests/hostile.rs).

import { describe, expect, test } from 'vitest'
import examples from 'virtual:gallery'
import { MOST_NUMBERS, readContents } from '../../src/core/contents'
import { isLesson, parseLesson } from '../../src/core/lesson'
import { readPair, writePair } from '../../src/core/pair-file'
import { decode, encode, type Shared } from '../../src/core/share'
import { writeDifferences } from '../../src/core/share-numbers'
import { readSpec, setKey, tableAt, valueAt, type TomlTable } from '../../src/core/spec-edit'
import { sealed, wrap } from './wrap'

const SEED = Number(process.env['WARPPROOF_SOAK_SEED'] ?? 1)
const SECONDS = Number(process.env['WARPPROOF_SOAK_SECONDS'] ?? 0)
/** Milliseconds that no reading may take; it takes some 100 on an idle machine at most. */
const PATIENCE = 5_000

/** Numbers that a seed and an execution give again (mulberry32). */
class Dice {
  #at: number
  constructor(seed: number, execution: number) {
    this.#at = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(execution, 0x85ebca6b)) >>> 0
  }
  below(limit: number): number {
    this.#at = (this.#at + 0x6d2b79f5) >>> 0
    let word = Math.imul(this.#at ^ (this.#at >>> 15), this.#at | 1)
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61)
    return Math.floor((((word ^ (word >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!
  }
}

const EDGES = ['', '0', '-1', '-0', '1e999', '9'.repeat(20), '4294967296', '1e-7', 'NaN', 'null', 'true', '{}', '[]', '[[]]', '{', '}', '[', ']', '"', "'''", '\\', '\\u0000', '#', ':', ',', '\0', '\ufeff', '\ufffd', '\ud800', '🧨', '__proto__', 'constructor', 'toString', 'valueOf', '{"toString":1,"valueOf":1}', '<script>', '\r\n', '['.repeat(10_000)]
const inputs = examples.map(({ input }) => input).sort((a, b) => a.optimized.length - b.optimized.length)
/** Small questions above all: a mutation of a long one seldom hits what matters, and takes long. */
const kernel = (body: string) => `.version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 x)\n{\n${body}\tret;\n}\n`
const tiny = ['', '\t.reg .b32 %r<3>;\n\tmov.u32 %r1, %tid.x;\n\tadd.s32 %r2, %r1, 8;\n', '// Größe ≠ 数 🚀\r\n'].map(body => ({
  reference: body === '' ? '' : kernel(body),
  optimized: kernel(body),
  spec: '[launch]\nblock = [32, 1, 1]\n[tensors.x]\ntype = "f32"\n',
  single: body === '',
}))
const small = [...tiny, ...tiny, ...inputs.slice(0, 6)]
const words = [...new Set(inputs.flatMap(({ optimized, spec }) => `${optimized} ${spec}`.match(/[\w.%$]+|\S/g) ?? []))]

const encoder = new TextEncoder()

function mutate(dice: Dice, text: string): string {
  const word = () => (dice.below(3) === 0 ? dice.pick(EDGES) : dice.pick(words))
  for (let rounds = dice.below(4); rounds >= 0; rounds--) {
    const at = dice.below(text.length + 1)
    const end = Math.min(text.length, at + dice.below(60))
    const [before, piece, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)]
    switch (dice.below(7)) {
      case 0:
        text = before + String.fromCharCode((text.charCodeAt(at) || 0) ^ (1 << dice.below(8))) + text.slice(at + 1)
        break
      case 1:
        text = before + after
        break
      case 2:
        text = before + piece + piece + after
        break
      case 3:
        text = before + word() + text.slice(at)
        break
      case 4:
        text = before.replace(/[\w.%$]+$/, '') + word() + text.slice(at).replace(/^[\w.%$]+/, '')
        break
      case 5:
        text = before
        break
      default: {
        const lines = text.split('\n')
        const [one, other] = [dice.below(lines.length), dice.below(lines.length)]
        ;[lines[one], lines[other]] = [lines[other]!, lines[one]!]
        text = lines.join('\n')
      }
    }
  }
  return text
}

/** Runs a target as often as it is to, or as long; the first failure names its execution. */
function fuzz(times: number, target: (dice: Dice) => void): void {
  const until = performance.now() + SECONDS * 1000
  let executions = 0
  let slowest = 0
  for (; SECONDS > 0 ? performance.now() < until : executions < times; executions++) {
    const begun = performance.now()
    try {
      target(new Dice(SEED, executions))
    } catch (error) {
      throw new Error(`execution ${executions} of seed ${SEED}`, { cause: error })
    }
    slowest = Math.max(slowest, performance.now() - begun)
    if (slowest > PATIENCE) throw new Error(`execution ${executions} of seed ${SEED} took ${slowest.toFixed(0)} ms`)
  }
  console.log(`${expect.getState().currentTestName}: ${executions.toLocaleString('en')} executions, seed ${SEED}; the longest took ${slowest.toFixed(0)} ms`)
}

const shared = (dice: Dice): Shared => ({ ...dice.pick(dice.below(100) === 0 ? inputs : small), verdict: dice.pick([null, 'equivalent', 'data_race']), version: null })

/** The sections of a question, as share.ts describes them. */
function sectionsOf({ reference, optimized, spec, single, verdict }: Shared): string {
  const section = (key: string, value: string) => (value === '' ? '' : `${key}${encoder.encode(value).length}:${value}`)
  return section('s', spec) + section('R', writeDifferences(reference)) + section('o', optimized) + section('m', single ? '1' : '') + section('v', verdict ?? '')
}

/** Only what a field may hold. */
function checkShared(value: Partial<Shared>): void {
  for (const key of ['reference', 'optimized', 'spec'] as const) if (value[key] !== undefined && typeof value[key] !== 'string') throw new Error(`${key} is no text`)
  if (value.single !== undefined && typeof value.single !== 'boolean') throw new Error('single')
  if (value.verdict !== undefined && value.verdict !== null && typeof value.verdict !== 'string') throw new Error('verdict')
}

const usual = Object.getOwnPropertyNames(Object.prototype).join()
/** A spec without a key of the table at `path`, which is there, if only for that. */
function without(data: TomlTable, path: string[], key: string): TomlTable {
  const copy = structuredClone(data)
  let table = copy
  for (const name of path) {
    const inner = tableAt(table, name)
    Object.defineProperty(table, name, { value: inner, writable: true, enumerable: true, configurable: true })
    table = inner
  }
  delete table[key]
  return copy
}

/** Nobody else's objects have changed. */
const unspoilt = () => {
  if (Object.getOwnPropertyNames(Object.prototype).join() !== usual) throw new Error('the prototype of all objects has changed')
}

describe('mutated', { timeout: SECONDS * 1000 + 120_000 }, () => {
  test('links end as a question or as a value that names the broken part', () => {
    let read = 0
    const links = small.map(input => encode({ ...input, verdict: null }))
    const deflated = links.map(link => Buffer.from(link.slice(1), 'base64url'))
    fuzz(3_000, dice => {
      const ways = [
        () => mutate(dice, dice.pick(links)),
        () => {
          const bytes = Uint8Array.from(dice.pick(deflated))
          for (let flips = dice.below(4); flips >= 0; flips--) bytes[dice.below(bytes.length)]! ^= 1 << dice.below(8)
          return '1' + Buffer.from(bytes).toString('base64url')
        },
        () => {
          const sections = encoder.encode(mutate(dice, sectionsOf(shared(dice))))
          if (dice.below(4) === 0) sections[dice.below(sections.length)]! ^= 1 << dice.below(8)
          return wrap(dice.below(8) === 0 ? sealed(sections, dice.below(2 ** 32)) : sealed(sections))
        },
      ]
      const decoded = decode(dice.pick(ways)())
      checkShared(decoded.ok ? decoded.shared : decoded.recovered)
      if (!decoded.ok) {
        if (decoded.part === '' || decoded.message === '') throw new Error('no reason')
        return
      }
      read++
      // Writing a link takes twenty times as long as reading it.
      if (dice.below(100) === 0) expect(decode(encode(decoded.shared))).toEqual({ ok: true, shared: decoded.shared })
    })
    expect(read).toBeGreaterThan(100)
  })

  test('saved pairs are read or refused with a reason', () => {
    let read = 0
    fuzz(3_000, dice => {
      const pair = readPair(mutate(dice, writePair(shared(dice))))
      unspoilt()
      if (!pair.ok) return void expect(pair.message).not.toBe('')
      read++
      checkShared(pair.shared)
      expect(readPair(writePair(pair.shared))).toEqual(pair)
    })
    expect(read).toBeGreaterThan(100)
  })

  test('lessons are read or refused with a reason', () => {
    let read = 0
    const lesson = (dice: Dice) => {
      const { reference, optimized, spec, single } = shared(dice)
      const step = (body: string) => `[[step]]\ntitle = "One"\ntext = """\nWords.\n\nMore words, with \`code\`.\n"""\n${body}\n`
      return (
        'lesson = 1\ntitle = "A lesson"\n' +
        step(`reference = '''\n${reference}'''\noptimized = '''\n${optimized}'''\nspec = '''\n${spec}'''\nsingle = ${single}\nexpect = "equivalent"`) +
        step(`change = { in = "optimized", find = "ret;", replace = "ret;" }\ntab = "races"`)
      )
    }
    fuzz(2_000, dice => {
      const text = mutate(dice, lesson(dice))
      isLesson(text)
      const result = parseLesson(text)
      unspoilt()
      if (!result.ok) return void expect(result.message).not.toBe('')
      read++
      if (result.lesson.steps.length === 0) throw new Error('a lesson of nothing')
      for (const { title, paragraphs, input } of result.lesson.steps) {
        checkShared(input)
        for (const words of [title, ...paragraphs]) if (typeof words !== 'string') throw new Error('no words')
      }
    })
    expect(read).toBeGreaterThan(100)
  })

  test('contents are numbers in a shape, or refused with a reason', () => {
    let read = 0
    const files = ['1, 2, 3\n4, 5, 6\n', 'a;b\n1;2\n3;4\n', '[1, 2.5, -3e-2]', '[[1, 2], [3, 4], [5, 6]]', '[[[1], [2]], [[3], [4]]]', '\ufeff0.5 0.25\n']
    fuzz(20_000, dice => {
      const contents = readContents(mutate(dice, dice.pick(files)))
      if (!contents.ok) return void expect(contents.message).not.toBe('')
      read++
      const { numbers, shape } = contents
      if (!numbers.every(Number.isFinite)) throw new Error(`not a finite number in ${numbers.join()}`)
      if (numbers.length === 0 || numbers.length > MOST_NUMBERS) throw new Error(`${numbers.length} numbers`)
      if (shape.reduce((product, extent) => product * extent, 1) !== numbers.length) throw new Error(`shape ${shape.join()} of ${numbers.length}`)
    })
    expect(read).toBeGreaterThan(1_000)
  })

  test('specs are edited in one key and no other, or are no TOML', () => {
    let edited = 0
    const names = ['A', 'y', 'in', 'a.b', '', '"', '__proto__', 'constructor', 'k_param_0']
    fuzz(6_000, dice => {
      const text = mutate(dice, dice.pick(inputs).spec)
      const path = dice.below(3) === 0 ? ['launch'] : ['tensors', dice.pick(names)]
      const [key, value] = [dice.pick(['type', 'shape', 'contents', '__proto__', 'grid']), dice.pick([null, 'f32', [2, 3], 0.5, ['a"b', '\n'], { in: 1 }])]
      const before = readSpec(text)
      const after = setKey(text, path, key, value)
      unspoilt()
      if (before === null) return void expect(after).toBeNull()
      edited++
      const data = readSpec(after!)!
      expect(valueAt(path.reduce(tableAt, data), key) ?? null).toEqual(value)
      expect(without(data, path, key)).toEqual(without(before, path, key))
    })
    expect(edited).toBeGreaterThan(500)
  })
})
