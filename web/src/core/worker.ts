// The engine's worker: the only file that calls WebAssembly. It answers one request at a
// time; everything it says is a Response of protocol.ts, in numbers and names: the words are the
// page's, which need not be fetched twice.

import { lacking } from './features'
import { load, type Package } from './packages'
import type { Flavor, Input, Request, Response } from './protocol'
import { detailArrays, outlineArrays } from './timeline'

/** Seconds that a question may take. Work is counted before that; this is for a slow machine. */
const LIMIT_S = 300

type Run = InstanceType<Package['Run']>

let engine: Package | null = null
let flavor: Flavor = 'single'
/** The latest run, which holds the recorded timelines. */
let latest: Run | null = null

const say = (response: Response, transfer: Transferable[] = []) => self.postMessage(response, { transfer })

self.onmessage = async (event: MessageEvent<Request>) => {
  const request = event.data
  if (request.kind === 'start') {
    try {
      const missing = lacking(request.flavor)
      if (missing.length > 0) say({ kind: 'unusable', message: '', lacking: missing })
      else await start(request.flavor, request.threads)
    } catch (error) {
      say({ kind: 'unusable', message: error instanceof Error ? error.message : String(error) })
    }
    return
  }
  try {
    await answer(request)
  } catch (error) {
    // A trap. The panic hook has kept the message; the stack tells where.
    const panic = engine?.panicMessage() ?? ''
    const stack = error instanceof Error ? (error.stack ?? '') : ''
    const kind = panic !== '' ? 'panic' : engine?.outOfMemory() ? 'memory' : 'died'
    say({ kind: 'failed', id: request.id, failure: { kind, message: panic || String(error), stack } })
  }
}

/** Loads a package; with `threads` > 0 the threaded one also starts its pool. */
async function start(wanted: Flavor, threads: number): Promise<void> {
  flavor = wanted
  const loading = await load(wanted)
  const loaded = loading.engine
  await loading.start()
  if (wanted === 'threads') {
    say({ kind: 'compiled' })
    if (threads > 0) await (loaded as Package & { initThreadPool: (threads: number) => Promise<unknown> }).initThreadPool(threads)
  }
  engine = loaded
  say({ kind: 'ready', flavor, threads: wanted === 'threads' ? Math.max(threads, 1) : 1, version: engine.version() })
}

/** A question with the limit on its time: nobody beside this worker looks at the clock. */
const timed = (input: Input): Input => ({ ...input, seconds: LIMIT_S })

/** Tells where a run's counters stand, if the page can read them. */
function begin(id: number, run: Run): void {
  const memory = engine!.engineMemory().buffer
  const shared = flavor === 'threads' && memory instanceof SharedArrayBuffer
  say({ kind: 'begun', id, counters: shared ? { memory, at: run.addresses() } : null })
}

async function answer(request: Exclude<Request, { kind: 'start' }>): Promise<void> {
  if (!engine) throw new Error('the engine is not loaded')
  switch (request.kind) {
    case 'explain':
      say({ kind: 'explained', id: request.id, help: engine.explain(request.opcode) })
      return
    case 'functions':
      say({ kind: 'listed', id: request.id, functions: engine.functions() })
      return
    case 'infer':
      say({ kind: 'inferred', id: request.id, inference: engine.infer(timed(request.input)) })
      return
    case 'combinations':
      say({ kind: 'combined', id: request.id, asked: engine.combinations(request.input) })
      return
    case 'inspect':
      say({ kind: 'inspected', id: request.id, memory: engine.inspect(timed(request.input), request.question) })
      return
    case 'moment':
      say({ kind: 'happened', id: request.id, moment: engine.moment(timed(request.input), request.question) })
      return
    case 'repair':
      say({ kind: 'repaired', id: request.id, answer: engine.repair(timed(request.input), request.question) })
      return
    case 'origins':
      say({ kind: 'traced', id: request.id, origins: engine.origins(timed(request.input), request.question) })
      return
    case 'tell': {
      const run = new engine.Run()
      begin(request.id, run)
      const telling = run.tell(timed(request.input), request.side === 'reference', stage => say({ kind: 'stage', id: request.id, stage }))
      run.free()
      say({ kind: 'told', id: request.id, telling })
      return
    }
    case 'verify': {
      latest?.free()
      latest = null
      const run = new engine.Run()
      begin(request.id, run)
      const report = run.verify(timed(request.input), stage => say({ kind: 'stage', id: request.id, stage }))
      latest = run
      say({ kind: 'verified', id: request.id, report, recorded: run.recorded() })
      // Now that the answer is out, and before anybody asks.
      run.prepare()
      return
    }
    // The arrays are copies of the engine's; handing them over saves the page another one.
    case 'outline': {
      const outline = latest?.outline(request.side)
      say({ kind: 'outline', id: request.id, outline }, outline ? outlineArrays(outline) : [])
      return
    }
    case 'detail': {
      const detail = latest?.detail(request.side)
      say({ kind: 'detail', id: request.id, detail }, detail ? detailArrays(detail) : [])
    }
  }
}
