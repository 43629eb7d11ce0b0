// The page's side of an engine worker: numbered requests, stopping, a watchdog, respawning.
//
// Stopping a threaded run sets a flag in shared memory; a worker that does not obey in time,
// and any single-threaded run, is terminated and started anew, since nothing else reaches a
// busy worker. The watchdog reads the counters of a threaded run: a panic in one pool thread
// leaves the others waiting for ever (wasm aborts the thread only), so the panic hook leaves
// its message in shared memory and the page ends the run.

import { text } from '../text'
import { STAGES, type Asked, type Counters, type EngineState, type Failure, type Flavor, type FunctionHelp, type Inference, type Input, type MemoryQuestion, type MemoryReport, type MomentQuestion, type MomentReport, type OpcodeHelp, type OriginQuestion, type Origins, type Outcome, type Progress, type RepairAnswer, type RepairQuestion, type Request, type Response, type Side, type Telling, type TimelineDetail, type TimelineOutline } from './protocol'

/** The part of a Worker that is used; tests pass their own. */
export interface WorkerLike {
  postMessage(message: Request): void
  terminate(): void
  onmessage: ((event: MessageEvent<Response>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  onmessageerror: ((event: MessageEvent) => void) | null
}

export interface EngineOptions {
  spawn: () => WorkerLike
  /** Whether SharedArrayBuffer, and so the threaded package, may be used. */
  isolated: boolean
  threads: number
}

const POLL_MS = 50
const OBEY_MS = 250 // a canceled run that takes longer is terminated
const POOL_MS = 6_000 // threads that are not there by then never come; a busy machine needs seconds
const DOWNLOAD_MS = 60_000
const READ_MS = 10_000 // reading takes milliseconds; one that takes this long never ends
const AGAIN_MS = 60_000 // some questions run the kernels again, up to dozens of times
/** What takes as long as it takes: watched, and stopped by the visitor. */
const longRuns: readonly Request['kind'][] = ['verify', 'tell']
const runsAgain: readonly Request['kind'][] = ['inspect', 'moment', 'repair', 'origins']

/** When the first elements of a run were decided, and how many those were: those built alike come all at once. */
type Pace = { since: number; decided: number }
const PACE_MS = 1_000 // a pace seen for less is none
const PACE_PART = 0.03 // nor is one over a smaller part of the elements

type Task = {
  id: number
  request: Extract<Request, { id: number }>
  settle: (answer: Response | { kind: 'lost'; failure: Failure }) => void
  onProgress?: (progress: Progress) => void
  onBegin?: () => void
}

export class Engine {
  #options: EngineOptions
  #onState: (state: EngineState) => void = () => {}
  #worker: WorkerLike | null = null
  #state: EngineState = { kind: 'starting' }
  #note: string | null = null
  #flavor: Flavor
  #nextId = 1
  #task: Task | null = null
  #queue: Task[] = []
  #counters: Counters | null = null
  #begun = 0
  #stage = 0
  #poll: ReturnType<typeof setInterval> | undefined
  #startTimer: ReturnType<typeof setTimeout> | undefined
  #readTimer: ReturnType<typeof setTimeout> | undefined
  #lastSum = -1
  #lastMove = 0
  #pace: Pace | null = null

  constructor(options: EngineOptions) {
    this.#options = options
    this.#flavor = options.isolated ? 'threads' : 'single'
    if (!options.isolated) this.#note = text.engine.noIsolation
    this.#spawn()
  }

  /** Tells the state the engine is in, and every one it comes to be in. */
  follow(onState: (state: EngineState) => void): void {
    this.#onState = onState
    onState(this.#state)
  }

  /** What the engine makes of a question before running it: diagnostics, entries, parameters. */
  async infer(input: Input): Promise<Inference | null> {
    const answer = await this.#ask(id => ({ kind: 'infer', id, input }))
    return answer.kind === 'inferred' ? answer.inference : null
  }

  /** What the instruction table says about an opcode. */
  async explain(opcode: string): Promise<OpcodeHelp | null> {
    const answer = await this.#ask(id => ({ kind: 'explain', id, opcode }))
    return (answer.kind === 'explained' && answer.help) || null
  }

  /** The functions that formulas can call. */
  async functions(): Promise<FunctionHelp[]> {
    const answer = await this.#ask(id => ({ kind: 'functions', id }))
    return answer.kind === 'listed' ? answer.functions : []
  }

  /** Answers a question; `stop` ends it early. */
  async verify(input: Input, onProgress: (progress: Progress) => void): Promise<Outcome> {
    // The first question waits until the engine has started; that is not the question's time.
    let started = performance.now()
    const answer = await this.#ask(id => ({ kind: 'verify', id, input }), onProgress, () => (started = performance.now()))
    if (answer.kind === 'verified') {
      if (answer.report.verdict === 'cancelled') return { kind: 'stopped' }
      return { kind: 'report', report: answer.report, recorded: answer.recorded, seconds: (performance.now() - started) / 1000 }
    }
    if (answer.kind === 'failed' || answer.kind === 'lost') {
      return answer.failure.message === STOPPED ? { kind: 'stopped' } : { kind: 'failed', failure: answer.failure }
    }
    return { kind: 'failed', failure: { kind: 'died', message: `unexpected answer “${answer.kind}”`, stack: '' } }
  }

  /** The timeline that the latest run recorded of a kernel, summed up; null if there is none (any more). */
  async outline(side: Side): Promise<TimelineOutline | null> {
    const answer = await this.#ask(id => ({ kind: 'outline', id, side }))
    return (answer.kind === 'outline' && answer.outline) || null
  }

  /** The same one by one. */
  async detail(side: Side): Promise<TimelineDetail | null> {
    const answer = await this.#ask(id => ({ kind: 'detail', id, side }))
    return (answer.kind === 'detail' && answer.detail) || null
  }

  /** The combinations that a spec with [sweep] asks; null where it asks one question, or cannot be used. */
  async combinations(input: Input): Promise<Asked | null> {
    const answer = await this.#ask(id => ({ kind: 'combinations', id, input }))
    return (answer.kind === 'combined' && answer.asked) || null
  }

  /** What a tensor or shared array holds at a barrier; null for texts that do not run. */
  async inspect(input: Input, question: MemoryQuestion): Promise<MemoryReport | null> {
    const answer = await this.#ask(id => ({ kind: 'inspect', id, input, question }))
    return (answer.kind === 'inspected' && answer.memory) || null
  }

  /** What a lane does at a step; null where the kernel, run again, does not come by there. */
  async moment(input: Input, question: MomentQuestion): Promise<MomentReport | null> {
    const answer = await this.#ask(id => ({ kind: 'moment', id, input, question }))
    return (answer.kind === 'happened' && answer.moment) || null
  }

  /** Lines that remove a race, tried out; null where the engine was lost. */
  async repair(input: Input, question: RepairQuestion): Promise<RepairAnswer | null> {
    const answer = await this.#ask(id => ({ kind: 'repair', id, input, question }))
    return answer.kind === 'repaired' ? answer.answer : null
  }

  /** Where the differing parts of a counterexample come from; null if the kernels do not tell. */
  async origins(input: Input, question: OriginQuestion): Promise<Origins | null> {
    const answer = await this.#ask(id => ({ kind: 'origins', id, input, question }))
    return (answer.kind === 'traced' && answer.origins) || null
  }

  /** Finds the formula of a kernel and proves it; `stop` ends that early. Null where the engine was lost. */
  async tell(input: Input, side: Side, onProgress: (progress: Progress) => void): Promise<Telling | 'stopped' | null> {
    const answer = await this.#ask(id => ({ kind: 'tell', id, input, side }), onProgress)
    if (answer.kind === 'told') return answer.telling.report.verdict === 'cancelled' ? 'stopped' : answer.telling
    return answer.kind === 'lost' && answer.failure.message === STOPPED ? 'stopped' : null
  }

  /** Ends the run that is in flight; its promise resolves within a moment. Searches that wait for their turn end at once. */
  stop(): void {
    const waits = ({ request }: Task) => request.kind === 'tell'
    for (const task of this.#queue.filter(waits)) task.settle({ kind: 'lost', failure: { kind: 'died', message: STOPPED, stack: '' } })
    this.#queue = this.#queue.filter(task => !waits(task))
    const task = this.#task
    if (!task || !longRuns.includes(task.request.kind)) return
    if (!this.#counters) {
      this.#lose({ kind: 'died', message: STOPPED, stack: '' })
      return
    }
    Atomics.store(new Uint8Array(this.#counters.memory), this.#counters.at.cancel, 1)
    setTimeout(() => {
      if (this.#task === task) this.#lose({ kind: 'died', message: STOPPED, stack: '' })
    }, OBEY_MS)
  }

  /** Ends the worker for good. */
  dispose(): void {
    clearInterval(this.#poll)
    clearTimeout(this.#startTimer)
    clearTimeout(this.#readTimer)
    this.#worker?.terminate()
    this.#worker = null
  }

  #ask(request: (id: number) => Task['request'], onProgress?: (progress: Progress) => void, onBegin?: () => void): Promise<Parameters<Task['settle']>[0]> {
    const id = this.#nextId++
    return new Promise(settle => {
      const task: Task = { id, request: request(id), settle, ...(onProgress && { onProgress }), ...(onBegin && { onBegin }) }
      this.#queue.push(task)
      this.#next()
    })
  }

  #next(): void {
    if (this.#task || this.#state.kind === 'starting') return
    if (this.#state.kind === 'unusable') {
      const failure: Failure = { kind: 'unusable', message: this.#state.message, stack: '' }
      for (const task of this.#queue.splice(0)) task.settle({ kind: 'lost', failure })
      return
    }
    const task = this.#worker && this.#queue.shift()
    if (!this.#worker || !task) return
    this.#task = task
    this.#begun = performance.now()
    this.#stage = 0
    this.#lastSum = -1
    this.#lastMove = this.#begun
    task.onBegin?.()
    this.#worker.postMessage(task.request)
    if (longRuns.includes(task.request.kind)) this.#poll = setInterval(() => this.#watch(task), POLL_MS)
    else this.#readTimer = setTimeout(() => this.#lose({ kind: 'died', message: text.engine.workerStopped, stack: '' }), runsAgain.includes(task.request.kind) ? AGAIN_MS : READ_MS)
  }

  #finish(answer: Parameters<Task['settle']>[0]): void {
    clearInterval(this.#poll)
    clearTimeout(this.#readTimer)
    const task = this.#task
    this.#task = null
    this.#counters = null
    task?.settle(answer)
    this.#next()
  }

  /** Gives up on the worker and starts another; the task in flight ends with `failure`. */
  #lose(failure: Failure): void {
    this.#worker?.terminate()
    const lost = this.#task
    clearInterval(this.#poll)
    clearTimeout(this.#readTimer)
    this.#task = null
    this.#counters = null
    this.#spawn()
    lost?.settle({ kind: 'lost', failure })
  }

  #watch(task: Task): void {
    if (this.#task !== task) return
    const now = performance.now()
    const progress: Progress = {
      stage: STAGES[this.#stage] ?? 'parse',
      executed: 0,
      decided: 0,
      elements: 0,
      seconds: (now - this.#begun) / 1000,
      silent: null,
      left: null,
    }
    const counters = this.#counters
    if (counters) {
      const { memory, at } = counters
      const words = new Uint32Array(memory)
      const u32 = (address: number) => Atomics.load(words, address >>> 2)
      const u64 = (address: number) => u32(address) + u32(address + 4) * 2 ** 32
      progress.stage = STAGES[u32(at.stage)] ?? 'parse'
      progress.executed = u64(at.executed)
      progress.decided = u64(at.decided)
      progress.elements = u64(at.elements)
      const sum = u32(at.stage) + progress.executed + progress.decided + progress.elements
      if (sum !== this.#lastSum) this.#lastMove = now
      this.#lastSum = sum
      progress.silent = (now - this.#lastMove) / 1000
      progress.left = this.#left(progress, now)
      const length = u32(at.panic_length)
      if (length > 0) {
        const bytes = new Uint8Array(memory).slice(at.panic_text, at.panic_text + length)
        this.#lose({ kind: 'panic', message: new TextDecoder().decode(bytes), stack: '' })
        return
      }
      if (u32(at.out_of_memory) !== 0 && progress.silent > 1.5) {
        this.#lose({ kind: 'memory', message: text.engine.noMemory(progress.executed), stack: '' })
        return
      }
    }
    task.onProgress?.(progress)
  }

  #left({ stage, decided, elements }: Progress, now: number): number | null {
    if (stage !== 'decide') this.#pace = null
    else if (decided > 0) this.#pace ??= { since: now, decided }
    if (!this.#pace) return null
    const { since, decided: first } = this.#pace
    const [done, time] = [decided - first, now - since]
    if (time < PACE_MS || done < PACE_PART * (elements - first)) return null
    return (((elements - decided) / done) * time) / 1000
  }

  #spawn(): void {
    clearTimeout(this.#startTimer)
    this.#setState({ kind: 'starting' })
    let worker: WorkerLike
    try {
      worker = this.#options.spawn()
    } catch (error) {
      this.#worker = null
      this.#setState({ kind: 'unusable', message: error instanceof Error ? error.message : String(error) })
      this.#next()
      return
    }
    this.#worker = worker
    worker.onmessage = event => {
      if (worker === this.#worker) this.#receive(event.data)
    }
    worker.onerror = event => {
      if (worker !== this.#worker) return
      event.preventDefault?.()
      died(event.message || text.engine.workerStopped)
    }
    worker.onmessageerror = () => died(text.engine.workerStopped)
    const died = (message: string) => {
      if (worker !== this.#worker) return
      if (this.#state.kind === 'starting') this.#failStart(message)
      else this.#lose({ kind: 'died', message, stack: '' })
    }
    this.#startTimer = setTimeout(() => this.#failStart(text.engine.slowDownload), DOWNLOAD_MS)
    worker.postMessage({ kind: 'start', flavor: this.#flavor, threads: this.#options.threads })
  }

  #failStart(message: string): void {
    clearTimeout(this.#startTimer)
    this.#worker?.terminate()
    if (this.#flavor === 'threads') {
      this.#flavor = 'single'
      this.#note = text.engine.noThreads
      this.#spawn()
      return
    }
    this.#setState({ kind: 'unusable', message })
    this.#next()
  }

  #receive(response: Response): void {
    switch (response.kind) {
      case 'compiled':
        clearTimeout(this.#startTimer)
        this.#startTimer = setTimeout(() => this.#failStart(text.engine.slowThreads), POOL_MS)
        return
      case 'ready':
        clearTimeout(this.#startTimer)
        this.#setState({ kind: 'ready', flavor: response.flavor, threads: response.threads, version: response.version, note: this.#note })
        this.#next()
        return
      case 'unusable':
        this.#failStart(response.lacking ? text.engine.lacking(response.lacking) : response.message)
        return
    }
    if (response.id !== this.#task?.id) return
    switch (response.kind) {
      case 'begun':
        this.#counters = response.counters
        return
      case 'stage':
        this.#stage = STAGES.indexOf(response.stage)
        return
      case 'failed':
        // The instance is poisoned after a trap: its locks and its stack are as it left them.
        this.#lose(response.failure)
        return
      case 'explained':
      case 'listed':
      case 'inferred':
      case 'verified':
      case 'outline':
      case 'detail':
      case 'combined':
      case 'inspected':
      case 'happened':
      case 'repaired':
      case 'traced':
      case 'told':
        this.#finish(response)
    }
  }

  #setState(state: EngineState): void {
    this.#state = state
    this.#onState(state)
  }
}

const STOPPED = 'stopped by the user'
