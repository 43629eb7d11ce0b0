// The engine's worker: the only file that calls WebAssembly. It answers one request at a
// time; everything it says is a Response of protocol.ts.

import { text } from '../text'
import { lacking } from './features'
import { load, type Package } from './packages'
import type { Flavour, Request, Response } from './protocol'

let engine: Package | null = null
let flavour: Flavour = 'single'

const say = (response: Response, transfer: Transferable[] = []) => self.postMessage(response, { transfer })

self.onmessage = async (event: MessageEvent<Request>) => {
  const request = event.data
  if (request.kind === 'start') {
    try {
      await start(request.flavour, request.threads)
    } catch (error) {
      say({ kind: 'unusable', message: error instanceof Error ? error.message : String(error) })
    }
    return
  }
  try {
    answer(request)
  } catch (error) {
    // A trap. The panic hook has kept the message; the stack tells where.
    const panic = engine?.panicMessage() ?? ''
    const stack = error instanceof Error ? (error.stack ?? '') : ''
    const kind = panic !== '' ? 'panic' : engine?.outOfMemory() ? 'memory' : 'died'
    say({ kind: 'failed', id: request.id, failure: { kind, message: panic || String(error), stack } })
  }
}

/** Loads a package; with `threads` > 0 the threaded one also starts its pool. */
async function start(wanted: Flavour, threads: number): Promise<void> {
  flavour = wanted
  const missing = lacking(wanted)
  if (missing.length > 0) throw new Error(text.engine.lacking(missing))
  const loaded = await load(wanted)
  if (wanted === 'threads') {
    say({ kind: 'compiled' })
    if (threads > 0) await (loaded as Package & { initThreadPool: (threads: number) => Promise<unknown> }).initThreadPool(threads)
  }
  engine = loaded
  say({ kind: 'ready', flavour, threads: wanted === 'threads' ? Math.max(threads, 1) : 1, version: engine.version() })
}

function answer(request: Exclude<Request, { kind: 'start' }>): void {
  if (!engine) throw new Error('the engine is not loaded')
  switch (request.kind) {
    case 'explain':
      say({ kind: 'explained', id: request.id, help: engine.explain(request.opcode) })
      return
    case 'infer':
      say({ kind: 'inferred', id: request.id, inference: engine.infer(request.input) })
      return
    case 'verify': {
      const run = new engine.Run()
      const memory = engine.engineMemory().buffer
      const shared = flavour === 'threads' && memory instanceof SharedArrayBuffer
      say({ kind: 'begun', id: request.id, counters: shared ? { memory, at: run.addresses() } : null })
      const report = run.verify(request.input, stage => say({ kind: 'stage', id: request.id, stage }))
      const timelines = run.timelines()
      run.free()
      // The arrays are copies of the engine's; handing them over saves the page another one.
      const arrays = timelines.flatMap(({ segments, barriers, accesses, instructions }) => [segments, barriers, accesses, instructions])
      say({ kind: 'verified', id: request.id, report, timelines }, arrays.map(({ buffer }) => buffer as ArrayBuffer))
    }
  }
}
