// Reads and writes WebAssembly modules as far as splitting them needs (tools/outline.mjs,
// tools/split.mjs): their sections, and the instructions of a body one after another.
//
// Core specification 3.0, 5.4 (instructions) and 5.5 (modules); what the Rust compiler and
// wasm-opt emit here (threads, SIMD, bulk memory, references), and an error for anything else.

const SECTION = { custom: 0, type: 1, import: 2, function: 3, table: 4, memory: 5, global: 6, export: 7, start: 8, element: 9, code: 10, data: 11, count: 12 }
export const KIND = { function: 0, table: 1, memory: 2, global: 3 }

/** A cursor over bytes. */
export class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    Object.assign(this, { bytes, at, end })
  }
  byte() {
    return this.bytes[this.at++]
  }
  number() {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++]
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  /** A number whose value does not matter. */
  pass(count = 1) {
    for (; count > 0; count--) while (this.bytes[this.at++] >= 128);
  }
  text() {
    const length = this.number()
    this.at += length
    return Buffer.from(this.bytes.subarray(this.at - length, this.at)).toString('utf8')
  }
  list(read) {
    return Array.from({ length: this.number() }, (_, index) => read(this, index))
  }
  slice(from) {
    return this.bytes.subarray(from, this.at)
  }
  /** The bytes that `read` passes over. */
  raw(read) {
    const from = this.at
    read(this)
    return this.slice(from)
  }
}

const limits = reader => {
  const flags = reader.byte()
  reader.pass(flags & 1 ? 2 : 1)
}
const tableType = reader => {
  reader.pass()
  limits(reader)
}
const globalType = reader => void (reader.at += 2)
const IMPORTED = { [KIND.function]: reader => reader.number(), [KIND.table]: reader => reader.raw(tableType), [KIND.memory]: reader => reader.raw(limits), [KIND.global]: reader => reader.raw(globalType) }

/** What follows an opcode. */
const PLAIN = 0
const NUMBER = 1
const MEMORY = 2
const TWO = 3
const LABELS = 4
const TYPES = 5
const FLOAT = 6
const SHAPES = new Uint8Array(256).fill(255)
for (const [from, to, shape] of [
  [0x00, 0x01, PLAIN], [0x02, 0x04, NUMBER], [0x05, 0x05, PLAIN], [0x0b, 0x0b, PLAIN], [0x0c, 0x0d, NUMBER], [0x0e, 0x0e, LABELS], [0x0f, 0x0f, PLAIN],
  [0x10, 0x10, NUMBER], [0x11, 0x11, TWO], [0x12, 0x12, NUMBER], [0x13, 0x13, TWO], [0x1a, 0x1b, PLAIN], [0x1c, 0x1c, TYPES],
  [0x20, 0x26, NUMBER], [0x28, 0x3e, MEMORY], [0x3f, 0x42, NUMBER], [0x43, 0x44, FLOAT], [0x45, 0xc4, PLAIN], [0xd0, 0xd0, NUMBER], [0xd1, 0xd1, PLAIN], [0xd2, 0xd2, NUMBER],
]) SHAPES.fill(shape, from, to + 1)

function memoryArgument(reader) {
  if (reader.number() & 64) reader.pass()
  reader.pass()
}

/** The opcodes that others ask about. One behind a prefix byte is `prefixed(prefix, number)`. */
export const OP = { unreachable: 0x00, block: 0x02, loop: 0x03, if: 0x04, else: 0x05, end: 0x0b, br: 0x0c, brIf: 0x0d, brTable: 0x0e, return: 0x0f, call: 0x10, callIndirect: 0x11, returnCall: 0x12, localGet: 0x20, localSet: 0x21, localTee: 0x22, globalGet: 0x23, globalSet: 0x24, refFunc: 0xd2 }
export const prefixed = (prefix, minor) => (prefix << 12) | minor
/** Whether an instruction names a function. */
export const namesFunction = opcode => opcode === OP.call || opcode === OP.returnCall || opcode === OP.refFunc
/** Whether it uses a segment of data or of elements, which only the module that has them can. */
export const usesSegments = opcode => opcode >> 12 === 0xfc && [8, 9, 12, 13].includes(opcode & 0xfff)

/** The groups of locals that a body declares, as [count, type], and where its instructions begin. */
export function declarations(bytes, start) {
  const reader = new Reader(bytes, start)
  const groups = reader.list(group => [group.number(), group.byte()])
  return { groups, at: reader.at }
}

/** Walks the instructions of a body (from behind its declarations): `visit(opcode, from, to, value)`,
 * where `value` is the instruction's first number, and of `br_table` all its labels. */
export function walk(bytes, start, end, visit) {
  const reader = new Reader(bytes, start, end)
  while (reader.at < end) {
    const from = reader.at
    let opcode = reader.byte()
    let value = 0
    switch (SHAPES[opcode]) {
      case PLAIN:
        break
      case NUMBER:
        value = reader.number()
        break
      case MEMORY:
        memoryArgument(reader)
        break
      case TWO:
        value = reader.number()
        reader.pass()
        break
      case LABELS:
        value = reader.list(label => label.number())
        value.push(reader.number())
        break
      case FLOAT:
        reader.at += opcode === 0x43 ? 4 : 8
        break
      case TYPES:
        reader.pass(reader.number())
        break
      default: {
        const minor = reader.number()
        prefixedImmediates(reader, opcode, minor)
        opcode = prefixed(opcode, minor)
      }
    }
    visit(opcode, from, reader.at, value)
  }
}

function prefixedImmediates(reader, prefix, minor) {
  if (prefix === 0xfc && minor <= 17) reader.pass(minor < 8 ? 0 : [8, 10, 12, 14].includes(minor) ? 2 : 1)
  else if (prefix === 0xfd) {
    if (minor < 12 || minor === 92 || minor === 93) memoryArgument(reader)
    else if (minor === 12 || minor === 13) reader.at += 16
    else if (minor >= 21 && minor <= 34) reader.at += 1
    else if (minor >= 84 && minor <= 91) {
      memoryArgument(reader)
      reader.at += 1
    }
  } else if (prefix === 0xfe) {
    if (minor === 3) reader.at += 1
    else memoryArgument(reader)
  } else throw new Error(`opcode ${prefix.toString(16)} ${minor}`)
}

/** A module in parts. Function indices count the imported ones first. */
export function parse(bytes) {
  const reader = new Reader(bytes, 8)
  const module = { bytes, types: [], typeBytes: null, imports: [], functionImports: [], functions: [], tables: [], memories: [], globals: [], exports: [], start: null, elements: [], bodies: [], data: null, count: null, names: new Map() }
  while (reader.at < bytes.length) {
    const id = reader.byte()
    const size = reader.number()
    const section = new Reader(bytes, reader.at, reader.at + size)
    reader.at += size
    switch (id) {
      case SECTION.custom:
        if (section.text() === 'name') names(section, module.names)
        break
      case SECTION.type:
        module.typeBytes = bytes.subarray(section.at, section.end)
        module.types = section.list(type => {
          if (type.byte() !== 0x60) throw new Error('a type that is no function')
          return { parameters: type.list(item => item.byte()), results: type.list(item => item.byte()) }
        })
        break
      case SECTION.import:
        module.imports = section.list(entry => {
          const [from, name, kind] = [entry.text(), entry.text(), entry.byte()]
          return { from, name, kind, type: IMPORTED[kind](entry) }
        })
        module.functionImports = module.imports.filter(({ kind }) => kind === KIND.function)
        break
      case SECTION.function:
        module.functions = section.list(entry => entry.number())
        break
      case SECTION.table:
        module.tables = section.list(entry => entry.raw(tableType))
        break
      case SECTION.memory:
        module.memories = section.list(entry => entry.raw(limits))
        break
      case SECTION.global:
        module.globals = section.list(entry => {
          const type = entry.raw(globalType)
          const value = entry.raw(() => constant(entry))
          return { type, value }
        })
        break
      case SECTION.export:
        module.exports = section.list(entry => ({ name: entry.text(), kind: entry.byte(), index: entry.number() }))
        break
      case SECTION.start:
        module.start = section.number()
        break
      case SECTION.element:
        module.elements = section.list(entry => {
          if (entry.number() !== 0 || entry.byte() !== 0x41) throw new Error('a segment of elements that is not plain')
          const offset = entry.number()
          if (entry.byte() !== 0x0b) throw new Error('an offset that is not plain')
          return { offset, functions: entry.list(item => item.number()) }
        })
        break
      case SECTION.code:
        module.bodies = section.list(entry => {
          const size = entry.number()
          entry.at += size
          return { from: entry.at - size, to: entry.at }
        })
        break
      case SECTION.data:
        module.data = bytes.subarray(section.at, section.end)
        break
      case SECTION.count:
        module.count = bytes.subarray(section.at, section.end)
        break
      default:
        throw new Error(`section ${id}`)
    }
  }
  return module
}

function constant(reader) {
  for (;;) {
    const opcode = reader.byte()
    if (opcode === 0x0b) return
    if (opcode === 0x43) reader.at += 4
    else if (opcode === 0x44) reader.at += 8
    else if ([0x41, 0x42, 0x23, 0xd0].includes(opcode)) reader.pass()
    else throw new Error(`a global's value with opcode ${opcode.toString(16)}`)
  }
}

function names(section, into) {
  while (section.at < section.end) {
    const id = section.byte()
    const end = section.number() + section.at
    if (id === 1) for (const [index, name] of section.list(entry => [entry.number(), entry.text()])) into.set(index, name)
    section.at = end
  }
}

// ---- Writing.

export const I32 = 0x7f
export const MUTABLE = 1
/** By type of value the expression for its zero: i32, i64, f32, f64, v128. */
export const ZERO = {
  0x7f: [0x41, 0, 0x0b],
  0x7e: [0x42, 0, 0x0b],
  0x7d: [0x43, ...Buffer.alloc(4), 0x0b],
  0x7c: [0x44, ...Buffer.alloc(8), 0x0b],
  0x7b: [0xfd, 0x0c, ...Buffer.alloc(16), 0x0b],
}

export function number(value) {
  const bytes = []
  do {
    const low = value % 128
    value = Math.floor(value / 128)
    bytes.push(value > 0 ? low | 128 : low)
  } while (value > 0)
  return bytes
}

/** A non-negative number where a signed one is read (`i32.const`). */
export function signed(value) {
  const bytes = []
  for (;;) {
    const low = value & 127
    value >>= 7
    if (value === 0 && low < 64) return [...bytes, low]
    bytes.push(low | 128)
  }
}

const text = value => {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from(number(bytes.length)), bytes])
}
const buffer = part => (Array.isArray(part) ? Buffer.from(part) : part)
export const join = parts => Buffer.concat(parts.map(buffer))
export const list = parts => join([number(parts.length), ...parts])

/** A module from [section, contents] in order; empty contents are left out. */
function assemble(sections) {
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
  return join([header, ...sections.filter(([, body]) => body !== null).map(([id, body]) => join([[id], number(body.length), body]))])
}

/** A body with its size before it. */
export const sized = body => join([number(body.length), body])
/** A segment of functions for a table. */
export const segment = (table, offset, functions) => (table === 0 ? join([[0, 0x41], signed(offset), [0x0b], list(functions.map(number))]) : join([[2], number(table), [0x41], signed(offset), [0x0b, 0], list(functions.map(number))]))
export const plainSegment = ({ offset, functions }) => segment(0, offset, functions)
export const globalBytes = ({ type, value }) => join([type, value])
const importBytes = ({ from, name, kind, type }) => join([text(from), text(name), [kind], typeof type === 'number' ? number(type) : type])

/** A module as a file, made of the given parts; its types, and what is not given of memories, data and their number, are `module`'s. */
export function write(module, { imports, functions, tables = [], memories = module.memories, globals, exports, start = null, elements, bodies, count = module.count, data = module.data }) {
  const some = items => (items.length > 0 ? list(items) : null)
  return assemble([
    [SECTION.type, module.typeBytes],
    [SECTION.import, some(imports.map(importBytes))],
    [SECTION.function, some(functions.map(number))],
    [SECTION.table, some(tables)],
    [SECTION.memory, some(memories)],
    [SECTION.global, some(globals)],
    [SECTION.export, some(exports.map(({ name, kind, index }) => join([text(name), [kind], number(index)])))],
    [SECTION.start, start === null ? null : Buffer.from(number(start))],
    [SECTION.element, some(elements)],
    [SECTION.count, count],
    [SECTION.code, some(bodies)],
    [SECTION.data, data],
  ])
}

/** A parsed module as a file, without names. */
export function bytesOf(module) {
  return write(module, {
    ...module, globals: module.globals.map(globalBytes), elements: module.elements.map(plainSegment),
    bodies: module.bodies.map(({ from, to }) => sized(module.bytes.subarray(from, to))),
  })
}
