import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Engine, type WorkerLike } from '../../src/core/engine'
import type { Counters, EngineState, Input, Progress, Report, Request, Response } from '../../src/core/protocol'

const input: Input = { reference: 'a', optimized: 'b', spec: '', single: false }
const report = { verdict: 'equivalent' } as Report

/** A worker under the test's control. */
class Puppet implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null
  onerror: WorkerLike['onerror'] = null
  onmessageerror: WorkerLike['onmessageerror'] = null
  terminated = false
  heard: Request[] = []
  postMessage(message: Request) {
    this.heard.push(message)
  }
  terminate() {
    this.terminated = true
  }
  say(response: Response) {
    this.onmessage?.({ data: response } as MessageEvent<Response>)
  }
  ready() {
    const start = this.heard[0]
    if (start?.kind !== 'start') throw new Error('not started')
    this.say({ kind: 'ready', flavor: start.flavor, threads: start.flavor === 'threads' ? 2 : 1, version: '1' })
  }
  get last() {
    return this.heard.at(-1)!
  }
}

let puppets: Puppet[]
let states: EngineState[]

function engine(isolated: boolean) {
  const engine = new Engine({
    spawn: () => {
      const puppet = new Puppet()
      puppets.push(puppet)
      return puppet
    },
    isolated,
    threads: 2,
  })
  engine.follow(state => states.push(state))
  return engine
}

function counters(): Counters {
  const memory = new SharedArrayBuffer(1024)
  return { memory, at: { cancel: 0, stage: 4, executed: 8, decided: 16, elements: 24, out_of_memory: 32, panic_length: 36, panic_text: 64 } }
}

beforeEach(() => {
  vi.useFakeTimers()
  puppets = []
  states = []
})
afterEach(() => void vi.useRealTimers())

describe('the engine client', () => {
  test('asks for threads only where the page is isolated', () => {
    engine(true)
    engine(false)
    expect(puppets.map(puppet => puppet.heard[0])).toEqual([
      { kind: 'start', flavor: 'threads', threads: 2 },
      { kind: 'start', flavor: 'single', threads: 2 },
    ])
    puppets[1]!.ready()
    expect(states.at(-1)).toMatchObject({ kind: 'ready', threads: 1, note: expect.stringContaining('not cross-origin isolated') })
  })

  test('falls back to one thread where threads do not come', () => {
    engine(true)
    puppets[0]!.say({ kind: 'compiled' })
    vi.advanceTimersByTime(6001)
    expect(puppets[0]!.terminated).toBe(true)
    expect(puppets[1]!.heard[0]).toMatchObject({ flavor: 'single' })
    puppets[1]!.ready()
    expect(states.at(-1)).toMatchObject({ kind: 'ready', flavor: 'single', note: expect.stringContaining('Threads did not start') })
  })

  test('is unusable, and says why, when nothing loads', async () => {
    const client = engine(false)
    const outcome = client.verify(input, () => {})
    puppets[0]!.say({ kind: 'unusable', message: 'no WebAssembly here' })
    expect(states.at(-1)).toEqual({ kind: 'unusable', message: 'no WebAssembly here' })
    expect(await outcome).toMatchObject({ kind: 'failed', failure: { kind: 'unusable' } })
  })

  test('is unusable, and says why, where the browser makes no worker', async () => {
    const client = new Engine({
      spawn: () => {
        throw new Error('workers are forbidden here')
      },
      isolated: false,
      threads: 1,
    })
    client.follow(state => states.push(state))
    expect(states).toEqual([{ kind: 'unusable', message: 'workers are forbidden here' }])
    expect(await client.verify(input, () => {})).toMatchObject({ kind: 'failed', failure: { kind: 'unusable' } })
  })

  test('answers requests one at a time, in order', async () => {
    const client = engine(true)
    const [first, second] = [client.verify(input, () => {}), client.infer(input)]
    puppets[0]!.ready()
    expect(puppets[0]!.heard.map(({ kind }) => kind)).toEqual(['start', 'verify'])
    puppets[0]!.say({ kind: 'verified', id: 1, report, recorded: [] })
    expect(await first).toMatchObject({ kind: 'report', report })
    expect(puppets[0]!.last).toMatchObject({ kind: 'infer', id: 2 })
    puppets[0]!.say({ kind: 'inferred', id: 2, inference: { kernels: [], missing: [], spec: '', diagnostics: [], formula: false } })
    expect(await second).not.toBeNull()
  })

  test('reads progress from shared memory', () => {
    const client = engine(true)
    const seen: Progress[] = []
    void client.verify(input, progress => seen.push(progress))
    puppets[0]!.ready()
    const shared = counters()
    puppets[0]!.say({ kind: 'begun', id: 1, counters: shared })
    const words = new Uint32Array(shared.memory)
    words[1] = 1
    words[2] = 5
    words[3] = 1
    vi.advanceTimersByTime(60)
    expect(seen.at(-1)).toMatchObject({ stage: 'simulate', executed: 2 ** 32 + 5, decided: 0 })
    vi.advanceTimersByTime(2000)
    expect(seen.at(-1)!.silent).toBeGreaterThan(1.5)
  })

  test('says how long comparing will still take, once there is a pace', () => {
    const client = engine(true)
    const seen: Progress[] = []
    void client.verify(input, progress => seen.push(progress))
    puppets[0]!.ready()
    const shared = counters()
    puppets[0]!.say({ kind: 'begun', id: 1, counters: shared })
    const words = new Uint32Array(shared.memory)
    const at = shared.at
    const set = (address: number, value: number) => (words[address >>> 2] = value)
    set(at.stage, 2)
    set(at.elements, 1100)
    set(at.decided, 100) // built alike: at once
    vi.advanceTimersByTime(60)
    expect(seen.at(-1)).toMatchObject({ stage: 'decide', left: null })
    set(at.decided, 350)
    vi.advanceTimersByTime(2000)
    expect(seen.at(-1)!.left).toBeGreaterThan(5)
    expect(seen.at(-1)!.left).toBeLessThan(7)
    set(at.stage, 3)
    vi.advanceTimersByTime(60)
    expect(seen.at(-1)!.left).toBeNull()
  })

  test('stops a threaded run through the flag, keeping the worker', async () => {
    const client = engine(true)
    const outcome = client.verify(input, () => {})
    puppets[0]!.ready()
    const shared = counters()
    puppets[0]!.say({ kind: 'begun', id: 1, counters: shared })
    client.stop()
    expect(new Uint8Array(shared.memory)[0]).toBe(1)
    puppets[0]!.say({ kind: 'verified', id: 1, report: { ...report, verdict: 'cancelled' }, recorded: [] })
    expect(await outcome).toEqual({ kind: 'stopped' })
    vi.advanceTimersByTime(1000)
    expect(puppets).toHaveLength(1)
  })

  test('terminates a run that does not obey, and a single-threaded one at once', async () => {
    const client = engine(true)
    const outcome = client.verify(input, () => {})
    puppets[0]!.ready()
    puppets[0]!.say({ kind: 'begun', id: 1, counters: counters() })
    client.stop()
    vi.advanceTimersByTime(300)
    expect(await outcome).toEqual({ kind: 'stopped' })
    expect(puppets[0]!.terminated).toBe(true)

    const single = engine(false)
    const other = single.verify(input, () => {})
    puppets[2]!.ready()
    single.stop()
    expect(await other).toEqual({ kind: 'stopped' })
    expect(puppets[2]!.terminated).toBe(true)
    puppets[3]!.ready()
    expect(states.at(-1)).toMatchObject({ kind: 'ready' })
  })

  test('a search for a formula shows progress, is stopped as a run is, and ends with what was found', async () => {
    const client = engine(true)
    const early = client.tell(input, 'optimized', () => {})
    client.stop()
    expect(await early).toBe('stopped')

    const seen: Progress[] = []
    const stopped = client.tell(input, 'optimized', progress => seen.push(progress))
    puppets[0]!.ready()
    expect(puppets[0]!.last).toMatchObject({ kind: 'tell', side: 'optimized' })
    const shared = counters()
    puppets[0]!.say({ kind: 'begun', id: 2, counters: shared })
    new Uint32Array(shared.memory)[shared.at.stage >>> 2] = 2
    // As long as it takes.
    vi.advanceTimersByTime(120_000)
    expect(seen.at(-1)).toMatchObject({ stage: 'decide' })
    client.stop()
    expect(new Uint8Array(shared.memory)[0]).toBe(1)
    const telling = { formula: 'y = x', forms: undefined, outputs: [], checked: [], report }
    puppets[0]!.say({ kind: 'told', id: 2, telling: { ...telling, report: { ...report, verdict: 'cancelled' } } })
    expect(await stopped).toBe('stopped')

    const found = client.tell(input, 'reference', () => {})
    puppets[0]!.say({ kind: 'told', id: 3, telling })
    expect(await found).toEqual(telling)

    const lost = client.tell(input, 'reference', () => {})
    puppets[0]!.onerror?.({ message: 'boom', preventDefault: () => {} } as ErrorEvent)
    expect(await lost).toBeNull()
  })

  test('a panic in a pool thread reaches the user with its message', async () => {
    const client = engine(true)
    const outcome = client.verify(input, () => {})
    puppets[0]!.ready()
    const shared = counters()
    puppets[0]!.say({ kind: 'begun', id: 1, counters: shared })
    const message = new TextEncoder().encode('index out of range')
    new Uint8Array(shared.memory).set(message, shared.at.panic_text)
    new Uint32Array(shared.memory)[shared.at.panic_length / 4] = message.length
    vi.advanceTimersByTime(60)
    expect(await outcome).toMatchObject({ kind: 'failed', failure: { kind: 'panic', message: 'index out of range' } })
    expect(puppets[0]!.terminated).toBe(true)
    expect(puppets).toHaveLength(2)
  })

  test('a failed allocation that leaves the run silent is reported as memory', async () => {
    const client = engine(true)
    const outcome = client.verify(input, () => {})
    puppets[0]!.ready()
    const shared = counters()
    puppets[0]!.say({ kind: 'begun', id: 1, counters: shared })
    vi.advanceTimersByTime(100)
    new Uint32Array(shared.memory)[shared.at.out_of_memory / 4] = 1
    vi.advanceTimersByTime(2500)
    expect(await outcome).toMatchObject({ kind: 'failed', failure: { kind: 'memory' } })
  })

  test('a worker that dies is replaced, and the next request works', async () => {
    const client = engine(true)
    const outcome = client.verify(input, () => {})
    puppets[0]!.ready()
    puppets[0]!.onerror?.({ message: 'boom', preventDefault: () => {} } as ErrorEvent)
    expect(await outcome).toMatchObject({ kind: 'failed', failure: { kind: 'died', message: 'boom' } })
    puppets[1]!.ready()
    const again = client.verify(input, () => {})
    puppets[1]!.say({ kind: 'verified', id: 2, report, recorded: [] })
    expect(await again).toMatchObject({ kind: 'report' })
  })

  test('late answers of an earlier run are not taken for the current one', async () => {
    const client = engine(true)
    const first = client.verify(input, () => {})
    puppets[0]!.ready()
    puppets[0]!.say({ kind: 'verified', id: 1, report, recorded: [] })
    await first
    const second = client.verify(input, () => {})
    puppets[0]!.say({ kind: 'verified', id: 1, report: { ...report, verdict: 'data_race' }, recorded: [] })
    puppets[0]!.say({ kind: 'verified', id: 2, report, recorded: [] })
    expect(await second).toMatchObject({ report: { verdict: 'equivalent' } })
  })
})
