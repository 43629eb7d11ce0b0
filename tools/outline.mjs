// Moves parts of functions into functions of their own, so that tools/split.mjs can leave them out
// of what a first visit fetches.
//
// Half of the code in the functions that a run enters is not run: refusals, other instructions,
// other shapes. `segments` are the straight pieces of code that lie between labels and branches;
// whoever counts them in a run knows which have to stay. A stretch of whole statements without
// any that has becomes a function: its parameters are the locals that it may read, its results
// those that it may have written and that are read later, and before them, where it is left in
// more than one way, the number of the way, by which the caller goes on. All results but the first
// go through globals, of which each thread has its own: functions that return several values, which
// compilers hardly use, were seen to go wrong in Node 20, not with --no-liftoff and not in Chromium.
//
// Guaranteed: the module computes what it did; types are checked by whoever compiles it, stack
// heights here. Left where they are: stretches too small to gain anything, with branches that
// carry values, with a return of a value beside other ways out, or with segments of data.

import { I32, MUTABLE, OP, ZERO, declarations, join, list, number, prefixed, signed, usesSegments, walk } from './wasm-binary.mjs'

/** Bytes that a stretch must have: those that calling it takes, and for each parameter and result. */
const CALL_BYTES = 40
const VALUE_BYTES = 4

const NOTHING = 0x40

const opens = opcode => opcode === OP.block || opcode === OP.loop || opcode === OP.if
const leaves = opcode => opcode === OP.br || opcode === OP.brTable || opcode === OP.return || opcode === OP.unreachable
const endsSegment = opcode => leaves(opcode) || opcode === OP.brIf || opcode === OP.if || opcode === OP.else || opcode === OP.end || opcode === OP.loop

/** Where the segments of a body begin. */
export function segments(bytes, { from, to }) {
  const starts = []
  let fresh = true
  walk(bytes, declarations(bytes, from).at, to, (opcode, at) => {
    if (fresh) starts.push(at)
    fresh = endsSegment(opcode)
  })
  return starts
}

/** The module with what does not stay in functions of their own, behind its others. `stays(n, s)`:
 * whether the s-th segment of the n-th body does; `whole(n)`: whether all of that body does. */
export function outline(module, stays, whole) {
  const types = new Types(module)
  const globals = new Globals(module)
  const functions = [...module.functions]
  const added = []
  const known = new Map()
  const addFunction = (parameters, results, body) => {
    const type = types.index(parameters, results)
    const key = `${type} ${body.toString('base64')}`
    if (!known.has(key)) {
      known.set(key, module.functionImports.length + functions.push(type) - 1)
      added.push(body)
    }
    return known.get(key)
  }
  const changed = module.bodies.map((body, n) => (whole(n) ? null : new Body(module, n, segment => stays(n, segment)).rewrite(addFunction, globals)))
  let at = module.bytes.length
  const place = bytes => ({ from: at, to: (at += bytes.length) })
  const bodies = [...module.bodies.map((body, n) => (changed[n] ? place(changed[n]) : body)), ...added.map(place)]
  const bytes = Buffer.concat([module.bytes, ...changed.filter(body => body !== null), ...added])
  return { ...module, bytes, bodies, functions, globals: globals.list, types: types.list, typeBytes: types.bytes() }
}

class Types {
  constructor(module) {
    this.list = [...module.types]
    this.known = new Map(this.list.map((type, index) => [JSON.stringify([type.parameters, type.results]), index]))
  }
  index(parameters, results) {
    const key = JSON.stringify([parameters, results])
    if (!this.known.has(key)) this.known.set(key, this.list.push({ parameters, results }) - 1)
    return this.known.get(key)
  }
  bytes() {
    return list(this.list.map(({ parameters, results }) => join([[0x60], list(parameters.map(type => [type])), list(results.map(type => [type]))])))
  }
}

/** Globals that hand results over. */
class Globals {
  constructor(module) {
    this.list = [...module.globals]
    this.own = new Map() // type -> indices
  }
  /** The n-th of a type, from 0. */
  index(type, n) {
    if (!this.own.has(type)) this.own.set(type, [])
    const own = this.own.get(type)
    if (own.length <= n) own.push(this.list.push({ type: [type, MUTABLE], value: ZERO[type] }) - 1)
    return own[n]
  }
}

/** A set of locals. */
class Locals {
  constructor(count, words = new Uint32Array((count + 31) >> 5)) {
    this.words = words
  }
  copy() {
    return new Locals(0, this.words.slice())
  }
  has(local) {
    return ((this.words[local >> 5] >>> (local & 31)) & 1) === 1
  }
  add(local) {
    this.words[local >> 5] |= 1 << (local & 31)
  }
  remove(local) {
    this.words[local >> 5] &= ~(1 << (local & 31))
  }
  addAll(other) {
    for (let word = 0; word < this.words.length; word++) this.words[word] |= other.words[word]
    return this
  }
  same(other) {
    return this.words.every((word, index) => word === other.words[index])
  }
}

/** One function's instructions, and what is known at each. */
class Body {
  constructor(module, n, stays) {
    this.module = module
    const { from, to } = module.bodies[n]
    const { groups, at } = declarations(module.bytes, from)
    const type = module.types[module.functions[n]]
    this.groups = groups
    this.results = type.results
    this.localTypes = [...type.parameters, ...groups.flatMap(([count, local]) => Array.from({ length: count }, () => local))]
    this.code = []
    walk(module.bytes, at, to, (opcode, start, end, value) => this.code.push({ opcode, from: start, to: end, value }))
    this.stay = [0] // how many of the first k segments stay
    this.segment = [] // of an instruction its segment
    let fresh = true
    for (const { opcode } of this.code) {
      if (fresh) this.stay.push(this.stay.at(-1) + (stays(this.stay.length - 1) ? 1 : 0))
      fresh = endsSegment(opcode)
      this.segment.push(this.stay.length - 2)
    }
  }

  /** The body anew, or null if nothing of it moves. */
  rewrite(addFunction, globals) {
    if (!this.structure()) return null
    const found = []
    this.search(0, this.code.length - 1, found)
    if (found.length === 0) return null
    this.liveness()
    let scratch = null // a local for the number of the way out
    const useScratch = () => (scratch ??= this.localTypes.length)
    const parts = []
    let at = this.code[0].from
    for (const stretch of found) {
      const call = this.extract(stretch, addFunction, globals, useScratch)
      if (call === null) continue
      parts.push(this.module.bytes.subarray(at, this.code[stretch.from].from), call)
      at = this.code[stretch.to - 1].to
    }
    if (parts.length === 0) return null
    parts.push(this.module.bytes.subarray(at, this.code.at(-1).to))
    const groups = scratch === null ? this.groups : [...this.groups, [1, I32]]
    return join([list(groups.map(([count, type]) => [...number(count), type])), ...parts])
  }

  /** Finds for each instruction the construct that it lies in, where constructs end, and the height
   * of the stack before it; false where an instruction's effect is not known. */
  structure() {
    const frames = [{ start: -1, opcode: OP.block, results: this.results.length, base: 0 }]
    this.height = new Int32Array(this.code.length + 1)
    this.partner = new Int32Array(this.code.length).fill(-1) // of an opening instruction its end
    this.enclosing = [] // of an instruction the frames around it, innermost last, as a linked list
    let height = 0
    let reachable = true
    let chain = { frame: frames[0], outer: null }
    for (let index = 0; index < this.code.length; index++) {
      const { opcode, value } = this.code[index]
      this.height[index] = height
      this.enclosing.push(chain)
      const frame = frames.at(-1)
      if (!reachable && opcode !== OP.end && opcode !== OP.else) return false
      if (opens(opcode)) {
        const type = this.blockType(index)
        if (type.parameters.length > 0) return false
        if (opcode === OP.if) height--
        frames.push({ start: index, opcode, results: type.results.length, base: height })
        chain = { frame: frames.at(-1), outer: chain }
      } else if (opcode === OP.else || opcode === OP.end) {
        if (reachable && height !== frame.base + frame.results) throw new Error(`the stack has ${height} values instead of ${frame.base + frame.results}`)
        if (opcode === OP.else) {
          frame.middle = index
          height = frame.base
        } else {
          frame.end = index
          if (frame.start >= 0) this.partner[frame.start] = index
          frames.pop()
          chain = chain.outer
          height = frame.base + frame.results
        }
        reachable = true
      } else if (leaves(opcode)) reachable = false
      else {
        const effect = this.effect(opcode, value)
        if (effect === null) return false
        height += effect[1] - effect[0]
        this.code[index].pops = effect[0]
      }
    }
    this.height[this.code.length] = height
    return true
  }

  blockType(index) {
    const { from, to, value } = this.code[index]
    const short = to - from === 2
    if (short && value === NOTHING) return { parameters: [], results: [] }
    return short && value > NOTHING ? { parameters: [], results: [value] } : this.module.types[value]
  }

  /** How many values an instruction takes and gives, or null. */
  effect(opcode, value) {
    const { functionImports, functions, types } = this.module
    const of = type => [type.parameters.length, type.results.length]
    if (opcode === OP.call) return of(types[value < functionImports.length ? functionImports[value].type : functions[value - functionImports.length]])
    if (opcode === OP.callIndirect) {
      const [takes, gives] = of(types[value])
      return [takes + 1, gives]
    }
    return effects(opcode)
  }

  /** The greatest stretches between two instructions of one construct of which nothing stays, into `found`. */
  search(from, to, found) {
    for (let index = from; index < to; ) {
      if (this.anyStays(index, index + 1)) {
        index = this.within(index, found)
        continue
      }
      let end = index
      while (end < to && !this.anyStays(end, this.after(end))) end = this.after(end)
      const stretch = end > index ? this.trim(index, end) : null
      if (stretch) {
        found.push(stretch)
        index = stretch.to
      } else index = this.within(index, found)
    }
  }

  /** Looks into the construct that begins here, if one does; where to go on. */
  within(index, found) {
    const end = this.partner[index]
    if (end < 0) return index + 1
    const middle = this.code[index].opcode === OP.if ? this.middleOf(index) : null
    this.search(index + 1, middle ?? end, found)
    if (middle !== null) this.search(middle + 1, end, found)
    return end + 1
  }

  middleOf(index) {
    return this.enclosing[index + 1].frame.middle ?? null
  }

  /** The instruction after this one and all within it. */
  after(index) {
    return this.partner[index] < 0 ? index + 1 : this.partner[index] + 1
  }

  anyStays(from, to) {
    return this.stay[this.segment[to - 1] + 1] > this.stay[this.segment[from]]
  }

  /** The longest beginning of a stretch that leaves the stack as it was and does not touch what lies there; null if there is none that is worth moving. */
  trim(from, to) {
    const base = this.height[from]
    let last = null
    for (let index = from; index < to; ) {
      const { opcode, pops = opcode === OP.brTable || opcode === OP.if ? 1 : opcode === OP.return ? this.results.length : 0 } = this.code[index]
      if (this.height[index] - pops < base) break
      index = this.after(index)
      if (leaves(opcode) || this.height[index] === base) last = index
      if (leaves(opcode)) break
    }
    if (last === null || this.code[last - 1].to - this.code[from].from < CALL_BYTES) return null
    const stretch = { from, to: last, ...this.ways(from, last) }
    return stretch.labels === null ? null : stretch
  }

  /** How a stretch is left: at its end, and the constructs outside whose labels it branches to; null if it cannot be moved. */
  ways(from, to) {
    const inside = []
    const labels = new Map() // frame -> how many labels lie between, seen from the stretch
    let returns = false
    for (let index = from; index < to; index++) {
      const { opcode, value } = this.code[index]
      if (usesSegments(opcode)) return { labels: null }
      if (opens(opcode)) inside.push(index)
      else if (opcode === OP.end) inside.pop()
      else if (opcode === OP.return && this.results.length > 0) returns = true
      else if (opcode === OP.return) labels.set(this.outward(from, Infinity), null)
      else if (opcode === OP.br || opcode === OP.brIf || opcode === OP.brTable) {
        for (const label of [value].flat()) if (label >= inside.length) labels.set(this.outward(from, label - inside.length), null)
      }
    }
    const falls = !leaves(this.code[to - 1].opcode)
    if (returns && (falls || labels.size > 0)) return { labels: null }
    const targets = [...labels.keys()]
    if (targets.some(({ frame }) => frame.opcode !== OP.loop && frame.results > 0)) return { labels: null }
    return { labels: targets, falls, returns }
  }

  /** The link of the construct that a label outside of a stretch means. */
  outward(from, label) {
    let chain = this.enclosing[from]
    for (; label > 0 && chain.outer !== null; label--) chain = chain.outer
    return chain
  }

  depth(from, target) {
    let depth = 0
    for (let chain = this.enclosing[from]; chain !== target; chain = chain.outer) depth++
    return depth
  }

  /** Which locals may be read after each instruction, before they are written. */
  liveness() {
    const none = new Locals(this.localTypes.length)
    this.live = Array.from({ length: this.code.length + 1 }, () => none) // before an instruction
    const atLoop = new Map()
    const ofLabel = ({ frame: { opcode, start, end } }) => (start < 0 ? none : opcode === OP.loop ? (atLoop.get(start) ?? none) : this.live[end + 1])
    this.liveAtLabel = ofLabel
    for (let changed = true; changed; ) {
      changed = false
      const live = new Locals(this.localTypes.length)
      const become = other => live.words.set(other.words)
      for (let index = this.code.length - 1; index >= 0; index--) {
        const { opcode, value } = this.code[index]
        const target = label => this.outward(index, label)
        if (opcode === OP.localGet) live.add(value)
        else if (opcode === OP.localSet || opcode === OP.localTee) live.remove(value)
        else if (opcode === OP.br) become(ofLabel(target(value)))
        else if (opcode === OP.brIf) live.addAll(ofLabel(target(value)))
        else if (opcode === OP.brTable) {
          become(none)
          for (const label of value) live.addAll(ofLabel(target(label)))
        } else if (opcode === OP.return || opcode === OP.unreachable) become(none)
        else if (opcode === OP.else) become(this.live[this.enclosing[index].frame.end + 1])
        else if (opcode === OP.if) {
          // `live` is what the first arm reads; the other begins behind `else`, or is what follows.
          const middle = this.middleOf(index)
          live.addAll(this.live[(middle ?? this.partner[index]) + 1])
        } else if (opcode === OP.loop && !live.same(atLoop.get(index) ?? none)) {
          atLoop.set(index, live.copy())
          changed = true
        }
        this.live[index] = live.copy()
      }
    }
  }

  /** Makes a function of a stretch; the code that calls it, or null if it is not worth it. */
  extract({ from, to, labels, falls, returns }, addFunction, globals, useScratch) {
    const { bytes } = this.module
    const used = new Set()
    const written = new Set()
    for (let index = from; index < to; index++) {
      const { opcode, value } = this.code[index]
      if (opcode === OP.localGet || opcode === OP.localSet || opcode === OP.localTee) used.add(value)
      if (opcode === OP.localSet || opcode === OP.localTee) written.add(value)
    }
    const later = new Locals(this.localTypes.length)
    if (falls) later.addAll(this.live[to])
    labels.forEach(target => later.addAll(this.liveAtLabel(target)))
    const ascending = (a, b) => a - b
    const parameters = [...used].filter(local => this.live[from].has(local)).sort(ascending)
    const results = [...written].filter(local => later.has(local)).sort(ascending)
    if (this.code[to - 1].to - this.code[from].from < CALL_BYTES + VALUE_BYTES * (parameters.length + results.length)) return null

    const ways = labels.length + (falls ? 1 : 0)
    const own = [...used].filter(local => !parameters.includes(local)).sort(ascending)
    const position = new Map([...parameters, ...own].map((local, at) => [local, at]))
    const way = used.size // the local with the number of the way out, where there are several
    const several = ways > 1
    const wrappers = labels.length === 0 ? 0 : labels.length + (several ? 1 : 0)

    const code = []
    let inside = 0
    const label = value => number(value < inside ? value : inside + labels.indexOf(this.outward(from, value - inside)))
    for (let index = from; index < to; index++) {
      const { opcode, value, from: at, to: end } = this.code[index]
      if (opens(opcode)) inside++
      else if (opcode === OP.end) inside--
      if (opcode === OP.localGet || opcode === OP.localSet || opcode === OP.localTee) code.push([opcode, ...number(position.get(value))])
      else if (opcode === OP.br || opcode === OP.brIf) code.push([opcode, ...label(value)])
      else if (opcode === OP.brTable) code.push([opcode, ...number(value.length - 1), ...value.flatMap(label)])
      else if (opcode === OP.return && !returns) code.push([OP.br, ...label(Infinity)])
      else code.push(bytes.subarray(at, end))
    }
    const before = Array.from({ length: wrappers }, () => [OP.block, NOTHING])
    const behind = []
    if (several) {
      if (falls) behind.push([OP.br, ...number(labels.length)])
      labels.forEach((_, at) => behind.push([OP.end, 0x41], signed(at + 1), [OP.localSet], number(way), [OP.br], number(labels.length - 1 - at)))
      behind.push([OP.end])
    } else if (wrappers > 0) behind.push([OP.end])
    const typeOf = local => this.localTypes[local]
    // The one result proper is the way out, or else the first local.
    const [direct, handed] = several ? [[way], results] : [results.slice(0, 1).map(local => position.get(local)), results.slice(1)]
    const nth = new Map()
    const through = handed.map(local => {
      const n = nth.get(typeOf(local)) ?? 0
      nth.set(typeOf(local), n + 1)
      return { local, global: number(globals.index(typeOf(local), n)) }
    })
    const declared = [...own.map(typeOf), ...(several ? [I32] : [])]
    const body = join([
      list(declared.map(type => [1, type])), ...before, ...code, ...behind,
      ...through.flatMap(({ local, global }) => [[OP.localGet], number(position.get(local)), [OP.globalSet], global]),
      ...direct.flatMap(at => [[OP.localGet], number(at)]), [OP.end],
    ])
    const types = returns ? this.results : several ? [I32] : results.slice(0, 1).map(typeOf)
    const callee = addFunction(parameters.map(typeOf), types, body)

    const depths = labels.map(target => this.depth(from, target))
    const call = [...parameters.flatMap(local => [[OP.localGet], number(local)]), [OP.call], number(callee)]
    if (!several && results.length > 0) call.push([OP.localSet], number(results[0]))
    for (const { local, global } of through) call.push([OP.globalGet], global, [OP.localSet], number(local))
    if (returns) call.push([OP.return])
    else if (ways === 0) call.push([OP.unreachable])
    else if (!several && !falls) call.push([OP.br], number(depths[0]))
    else if (several && falls && labels.length === 1) call.push([OP.brIf], number(depths[0]))
    else if (several && falls) {
      const scratch = number(useScratch())
      call.push([OP.localSet], scratch, [OP.block, NOTHING, OP.localGet], scratch, [OP.brTable], number(labels.length), [0], depths.flatMap(depth => number(depth + 1)), [OP.end])
    } else if (several) call.push([OP.brTable], number(labels.length), [depths[0], ...depths].flatMap(depth => number(depth)))
    return join(call)
  }
}

// ---- What instructions do to the stack (core specification 3.0, 5.4).

/** [opcode from, to, values taken, values given] */
const EFFECTS = new Map()
const listed = (from, to, takes, gives) => {
  for (let opcode = from; opcode <= to; opcode++) EFFECTS.set(opcode, [takes, gives])
}
for (const row of [
  [0x01, 0x01, 0, 0], [0x1a, 0x1a, 1, 0], [0x1b, 0x1c, 3, 1], [OP.brIf, OP.brIf, 1, 0],
  [0x20, 0x20, 0, 1], [0x21, 0x21, 1, 0], [0x22, 0x22, 1, 1], [0x23, 0x23, 0, 1], [0x24, 0x24, 1, 0],
  [0x28, 0x35, 1, 1], [0x36, 0x3e, 2, 0], [0x3f, 0x3f, 0, 1], [0x40, 0x40, 1, 1], [0x41, 0x44, 0, 1],
  [0x45, 0x45, 1, 1], [0x46, 0x4f, 2, 1], [0x50, 0x50, 1, 1], [0x51, 0x66, 2, 1], [0x67, 0x69, 1, 1], [0x6a, 0x78, 2, 1], [0x79, 0x7b, 1, 1],
  [0x7c, 0x8a, 2, 1], [0x8b, 0x91, 1, 1], [0x92, 0x98, 2, 1], [0x99, 0x9f, 1, 1], [0xa0, 0xa6, 2, 1], [0xa7, 0xc4, 1, 1], [0xd0, 0xd0, 0, 1], [0xd2, 0xd2, 0, 1],
]) listed(...row)
for (const [prefix, from, to, takes, gives] of [
  [0xfc, 0, 7, 1, 1], [0xfc, 10, 11, 3, 0],
  // Vectors: loads, a store, a constant, and what has two operands unless it is listed below.
  [0xfd, 0, 10, 1, 1], [0xfd, 11, 11, 2, 0], [0xfd, 12, 12, 0, 1], [0xfd, 13, 255, 2, 1], [0xfd, 82, 82, 3, 1], [0xfd, 88, 91, 2, 0],
  ...[[15, 22], [24, 25], [27, 27], [29, 29], [31, 31], [33, 33], [77, 77], [83, 83], [92, 100], [103, 106], [116, 117], [122, 122], [124, 129], [131, 132], [135, 138], [148, 148],
    [160, 164], [167, 170], [192, 196], [199, 202], [224, 227], [236, 239], [248, 255]].map(([from, to]) => [0xfd, from, to, 1, 1]),
  [0xfe, 3, 3, 0, 0], [0xfe, 0x10, 0x16, 1, 1], [0xfe, 0x17, 0x1d, 2, 0], [0xfe, 0x1e, 0x47, 2, 1], [0xfe, 0x48, 0x4e, 3, 1],
]) listed(prefixed(prefix, from), prefixed(prefix, to), takes, gives)

/** How many values an instruction takes and gives whose effect is its opcode's; null for the others. */
const effects = opcode => EFFECTS.get(opcode) ?? null
