// Splits the engine in two: what a first visit's verdict runs, and the rest.
//
// A first visitor waits for the engine's download, and the prepared softmax pair uses less than
// a fifth of it. So the engine is run on that pair in Node with marks in its code, and the functions
// that were entered become one module (`warpproof_first.wasm`), the others a second one
// (`warpproof_rest.wasm`), which web/src/core fetches after the first verdict, before any other
// question, or at once when a function of it is called. What the functions that were entered
// hold beside that goes to the second, too (tools/outline.mjs), unless the gallery's other examples
// run it often: it may be where other questions spend their time. The whole (`warpproof_bg.wasm`)
// stays as it is for the one-file copy and for Node.
//
// How: the first module's memory, tables, globals and functions are exported, and the rest
// imports them, so both run on the same state. A function of the rest that the first module
// calls, exports or has in its table is a stub there, which has the rest loaded if it is not
// and then calls it through a table of its own; loading puts the rest's functions into the
// engine's table, too, so indirect calls go straight to them. Nothing is compiled differently:
// the bodies are the whole module's, with other indices.
//
// With threads, some functions run in other threads only than the one that is watched here:
// those of rayon and what it rests on belong to the first module by name, and so does what calls
// them in functions that were entered.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { outline, segments } from './outline.mjs'
import { I32, KIND, MUTABLE, ZERO, bytesOf, declarations, globalBytes, join, list, namesFunction, number, parse, plainSegment, segment, signed, sized, usesSegments, walk, write } from './wasm-binary.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
/** The specs of the gallery's examples; a first visit verifies the first. */
const examples = () => [...fs.readFileSync(path.join(root, 'tests/corpus/gallery.toml'), 'utf8').matchAll(/^case = "(.*)"$/gm)].map(([, name]) => path.join(root, 'tests/corpus', name))
/** In any part of a name that is not reached here but belongs to the first module: what runs with several
 * threads; and what a browser has and Node has not, and the allocator, whose ways depend on what came before. */
const THREADED = /rayon|decide::prepare|idioms::prepare|decide::evaluation|::check::|crossbeam|::sync::/
const UNSEEN = /\bwasm_(bindgen|sync)|web_sys|js_sys|\bstd\[|panicking|initThreadPool|dlmalloc|raw_vec|drop_slow|__r/

/** How often all examples together may run a piece of code that is not in the first module, where it costs a call. */
const SELDOM = 1000

/** A global of its own, 0 at first. */
const ZERO_COUNTER = globalBytes({ type: [I32, MUTABLE], value: ZERO[I32] })

/** The segments of a body that name functions for which `wanted` holds. */
function callers(module, { from, to }, starts, wanted) {
  const found = new Set()
  let segment = -1
  walk(module.bytes, declarations(module.bytes, from).at, to, (opcode, at, _, index) => {
    if (starts[segment + 1] === at) segment++
    if (namesFunction(opcode) && wanted(index)) found.add(segment)
  })
  return found
}

/** Segments that are counted in one run: V8 allows 100,000 exports. */
const COUNTED = 90_000

/** The module with a global for each of some segments of code, counted over all bodies, in which is counted how often it runs. */
function counting(module, starts, counted) {
  const first = module.globals.length
  let segment = 0
  const bodies = module.bodies.map(({ from, to }, n) => {
    const parts = []
    let at = from
    for (const start of starts[n]) {
      const counter = segment++ - counted.from
      if (counter < 0 || counter >= counted.count) continue
      const global = number(first + counter)
      parts.push(module.bytes.subarray(at, start), [0x23], global, [0x41, 1, 0x6a, 0x24], global)
      at = start
    }
    return sized(join([...parts, module.bytes.subarray(at, to)]))
  })
  const counters = Array.from({ length: counted.count }, (_, index) => index)
  return write(module, {
    ...module, globals: [...module.globals.map(globalBytes), ...counters.map(() => ZERO_COUNTER)],
    exports: [...module.exports, ...counters.map(index => ({ name: `~${index}`, kind: KIND.global, index: first + index }))],
    elements: module.elements.map(plainSegment), bodies,
  })
}

/** Runs the engine in processes of their own: how often each segment of code runs in a first visit, and in all examples. */
function count(folder, module, starts) {
  const total = starts.reduce((sum, { length }) => sum + length, 0)
  const file = path.join(folder, 'counting.wasm')
  const counts = { first: [], all: [] }
  for (let from = 0; from < total; from += COUNTED) {
    fs.writeFileSync(file, counting(module, starts, { from, count: Math.min(COUNTED, total - from) }))
    const run = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--run', folder, file], { encoding: 'utf8', maxBuffer: 1 << 26 })
    if (run.status !== 0) throw new Error(`the engine does not run in Node:\n${run.stderr}`)
    const { first, all } = JSON.parse(run.stdout)
    counts.first = counts.first.concat(first)
    counts.all = counts.all.concat(all)
  }
  fs.rmSync(file)
  return counts
}

/** The runs themselves: what the page asks before its first verdict, and what follows it at once; then the other examples. */
async function runExamples(folder, file) {
  globalThis.self ??= { addEventListener() {} } // wasm-bindgen-rayon listens when it is loaded
  const { texts } = await import('./measure.mjs')
  const engine = await import(pathToFileURL(path.join(folder, 'warpproof.js')))
  const exports = engine.initSync({ module: new WebAssembly.Module(fs.readFileSync(file)) })
  const ask = example => {
    const { spec, reference, optimized } = texts(example)
    const input = { spec, reference: reference ?? '', optimized, single: reference === null }
    engine.infer(input)
    const run = new engine.Run()
    run.addresses()
    const { verdict } = run.verify(input, () => {})
    const expected = path.basename(path.dirname(path.dirname(example)))
    if (verdict !== expected) throw new Error(`${example} is ${verdict}`)
    run.recorded()
    run.prepare()
    run.free()
  }
  const counts = () => Object.keys(exports).filter(name => /^~\d+$/.test(name)).map(name => exports[name].value >>> 0)
  engine.version()
  // Also what the page asks when something went wrong.
  engine.panicMessage()
  engine.outOfMemory()
  engine.engineMemory()
  const [pair, ...others] = examples()
  ask(pair)
  const first = counts()
  others.forEach(ask)
  process.stdout.write(JSON.stringify({ first, all: counts() }))
}

/** Writes `warpproof_first.wasm` and `warpproof_rest.wasm` beside the whole, which loses its
 * names, and lets the JavaScript binding load the rest. */
export function splitPackage(folder) {
  const wholeFile = path.join(folder, 'warpproof_bg.wasm')
  const module = parse(fs.readFileSync(wholeFile))
  if (module.names.size === 0) throw new Error('the functions have no names')
  const imported = module.functionImports.length
  const starts = module.bodies.map(body => segments(module.bytes, body))
  const begins = [] // of a body the number of its first segment
  starts.reduce((sum, { length }) => (begins.push(sum), sum + length), 0)
  const counts = count(folder, module, starts)
  const name = index => module.names.get(index) ?? ''
  const threaded = index => THREADED.test(name(index))
  const unseen = module.bodies.map((_, n) => threaded(n + imported) || UNSEEN.test(name(n + imported)))
  const entered = module.bodies.map((_, n) => counts.first[begins[n]] > 0)
  const forThreads = module.bodies.map((body, n) => (entered[n] ? callers(module, body, starts[n], threaded) : null))
  const runs = segment => counts.first[segment] > 0 || counts.all[segment] > SELDOM
  const stays = (n, segment) => runs(begins[n] + segment) || forThreads[n].has(segment)
  const outlined = outline(module, stays, n => unseen[n] || !entered[n])
  const { first, rest } = split(outlined, n => entered[n] || unseen[n])
  fs.writeFileSync(path.join(folder, 'warpproof_first.wasm'), first)
  fs.writeFileSync(path.join(folder, 'warpproof_rest.wasm'), rest)
  fs.writeFileSync(wholeFile, bytesOf(module))
  bind(folder)
  return { first: first.length, rest: rest.length }
}

/** `isFirst(n)`: whether the n-th function that is not imported belongs to the first module. */
function split(module, isFirst) {
  if (module.imports.some(({ kind }) => kind === KIND.table || kind === KIND.global)) throw new Error('an imported table or global')
  const imported = module.functionImports.length
  const calls = module.bodies.map(({ from, to }) => {
    const sites = []
    let segments = false
    walk(module.bytes, declarations(module.bytes, from).at, to, (opcode, at, end, index) => {
      if (namesFunction(opcode)) sites.push({ start: at + 1, end, index })
      segments ||= usesSegments(opcode)
    })
    return { sites, segments }
  })
  const inFirst = module.bodies.map((_, n) => isFirst(n) || calls[n].segments)
  const belongs = index => index < imported || inFirst[index - imported]

  // What the first module names: stubs where it is the rest's.
  const stubs = new Map()
  const stub = index => {
    if (!belongs(index) && !stubs.has(index)) stubs.set(index, stubs.size)
  }
  calls.forEach(({ sites }, n) => inFirst[n] && sites.forEach(({ index }) => stub(index)))
  module.exports.forEach(({ kind, index }) => kind === KIND.function && stub(index))
  module.elements.forEach(({ functions }) => functions.forEach(stub))
  if (module.start !== null) stub(module.start)

  const typeOf = index => (index < imported ? module.functionImports[index].type : module.functions[index - imported])
  const kept = module.bodies.map((_, n) => n).filter(n => inFirst[n])
  const moved = module.bodies.map((_, n) => n).filter(n => !inFirst[n])
  const loader = imported // the import that has the rest loaded comes after the others
  const firstIndex = new Map(Array.from({ length: imported }, (_, index) => [index, index]))
  kept.forEach((n, at) => firstIndex.set(imported + n, imported + 1 + at))
  for (const [index, slot] of stubs) firstIndex.set(index, imported + 1 + kept.length + slot)

  const used = [...new Set(moved.flatMap(n => calls[n].sites.map(({ index }) => index)).filter(belongs))]
  const restIndex = new Map(used.map((index, at) => [index, at]))
  moved.forEach((n, at) => restIndex.set(imported + n, used.length + at))

  const body = (n, indices) => {
    const { from, to } = module.bodies[n]
    const parts = []
    let at = from
    for (const { start, end, index } of calls[n].sites) {
      parts.push(module.bytes.subarray(at, start), number(indices.get(index)))
      at = end
    }
    return sized(join([...parts, module.bytes.subarray(at, to)]))
  }

  const voidType = module.types.length // () -> ()
  const typeBytes = withVoidType(module)
  const loaded = module.globals.length
  const own = module.tables.length
  const stubBody = ([index, slot]) => {
    const parameters = Array.from({ length: module.types[typeOf(index)].parameters.length }, (_, at) => [0x20, ...number(at)]).flat()
    return sized(join([[0, 0x23], number(loaded), [0x45, 0x04, 0x40, 0x10], number(loader), [0x0b], parameters, [0x41], signed(slot), [0x11], number(typeOf(index)), number(own), [0x0b]]))
  }
  const slots = join([[0x70, 1], number(stubs.size), number(stubs.size)])
  const memoryImport = module.imports.find(({ kind }) => kind === KIND.memory)
  const shared = [
    { name: '~m', kind: KIND.memory, index: 0, type: memoryImport?.type ?? module.memories[0] },
    ...[...module.tables, slots].map((type, index) => ({ name: `~t${index}`, kind: KIND.table, index, type })),
    ...module.globals.map(({ type }, index) => ({ name: `~g${index}`, kind: KIND.global, index, type })),
  ]
  const sharedFunctions = used.map((index, at) => ({ name: `+${at.toString(36)}`, kind: KIND.function, index: firstIndex.get(index), type: typeOf(index) }))
  const inOrder = [...stubs.keys()]
  const first = write({ ...module, typeBytes }, {
    imports: [...module.imports.filter(({ kind }) => kind !== KIND.function), ...module.functionImports, { from: 'rest', name: 'load', kind: KIND.function, type: voidType }],
    functions: [...kept.map(n => module.functions[n]), ...inOrder.map(typeOf)],
    tables: [...module.tables, slots],
    globals: [...module.globals.map(globalBytes), ZERO_COUNTER],
    exports: [
      ...module.exports.map(entry => (entry.kind === KIND.function ? { ...entry, index: firstIndex.get(entry.index) } : entry)),
      ...shared, ...sharedFunctions, { name: '~loaded', kind: KIND.global, index: loaded },
    ],
    start: module.start === null ? null : firstIndex.get(module.start),
    elements: module.elements.map(({ offset, functions }) => segment(0, offset, functions.map(index => firstIndex.get(index)))),
    bodies: [...kept.map(n => body(n, firstIndex)), ...[...stubs].map(stubBody)],
  })
  const rest = write(module, {
    imports: [...shared, ...sharedFunctions].map(({ name, kind, type }) => ({ from: 'first', name, kind, type })),
    functions: moved.map(n => module.functions[n]),
    memories: [],
    globals: [],
    exports: [],
    elements: [
      ...module.elements.flatMap(({ offset, functions }) => stretches(functions.map(belongs)).map(([from, to]) => segment(0, offset + from, functions.slice(from, to).map(index => restIndex.get(index))))),
      ...(inOrder.length > 0 ? [segment(own, 0, inOrder.map(index => restIndex.get(index)))] : []),
    ],
    bodies: moved.map(n => body(n, restIndex)),
    count: null,
    data: null,
  })
  return { first, rest }
}

function withVoidType(module) {
  const size = number(module.types.length).length
  return join([number(module.types.length + 1), module.typeBytes.subarray(size), [0x60, 0, 0]])
}

/** The [from, to) where `flags` are false. */
function stretches(flags) {
  const found = []
  flags.forEach((flag, at) => {
    if (flag) return
    const last = found.at(-1)
    if (last?.[1] === at) last[1]++
    else found.push([at, at + 1])
  })
  return found
}

/** Makes the generated JavaScript hand the loader to the first module. */
function bind(folder) {
  const file = path.join(folder, 'warpproof.js')
  let places = 0
  const source = fs.readFileSync(file, 'utf8').replace(/const imports = (__wbg_get_imports\(\w*\));/g, (_, call) => {
    places++
    return `const imports = { ...${call}, rest: { load: () => loadRest(wasmInstance) } };`
  })
  if (places !== 2) throw new Error(`wasm-bindgen's JavaScript asks for its imports in ${places} places, not in 2`)
  fs.writeFileSync(file, `import { loadRest } from './rest.js';\n${source}`)
  fs.copyFileSync(path.join(root, 'tools/rest.js'), path.join(folder, 'rest.js'))
  fs.writeFileSync(path.join(folder, 'rest.d.ts'), 'export function fetchRest(): Promise<void>\nexport function loadRest(instance: WebAssembly.Instance): void\n')
}

if (process.argv[2] === '--run') await runExamples(process.argv[3], process.argv[4])
