// Every message between the page and an engine worker, and every state a run can be in.
//
// One request is in flight per worker; answers carry its number. A run in the threaded
// engine also shares counters: addresses in the engine's shared memory, which the page reads
// while the worker is busy, and a flag it sets to stop the run.

import type { Addresses, Asked, FunctionHelp, Inference, Input, MemoryQuestion, MemoryReport, MomentQuestion, MomentReport, OpcodeHelp, OriginQuestion, Origins, RepairAnswer, RepairQuestion, Report, Stage, Telling, TimelineDetail, TimelineOutline } from '../pkg-single/warpproof'

// The engine's own types, generated from the Rust ones.
export type {
  AccessReport, Asked, AssumptionReport, CheckedFormula, Combination, Counterexample, CudaLocation, DiagnosticReport, Expression, FunctionHelp, Inference, InferredKernel,
  InferredParameter, Input, InputValues, KernelReport, Location, MemoryCell, MemoryQuestion, MemoryReport, MomentQuestion, MomentReport, OpcodeHelp, OriginQuestion, Origins, OriginStep, OutputGroup, PartOrigin, RaceReport, Repair, RepairAnswer, RepairQuestion, Report, Stage, Telling, TextSource, TimelineDetail, TimelineOutline, Verdict, WaitReport,
} from '../pkg-single/warpproof'

/** One of the two kernels. */
export type Side = TimelineOutline['side']

/** A timeline; its detail may come later, and is empty until then. */
export type FlatTimeline = TimelineOutline & TimelineDetail

/** Which of the two WebAssembly packages runs. */
export type Flavor = 'threads' | 'single'

/** What the page asks of a worker. */
export type Request =
  | { kind: 'start'; flavor: Flavor; threads: number }
  | { kind: 'explain'; id: number; opcode: string }
  | { kind: 'functions'; id: number }
  | { kind: 'infer'; id: number; input: Input }
  | { kind: 'verify'; id: number; input: Input }
  | { kind: 'combinations'; id: number; input: Input }
  /** The timeline that the latest run recorded of a kernel: summed up, and one by one. */
  | { kind: 'outline'; id: number; side: Side }
  | { kind: 'detail'; id: number; side: Side }
  | { kind: 'inspect'; id: number; input: Input; question: MemoryQuestion }
  | { kind: 'moment'; id: number; input: Input; question: MomentQuestion }
  | { kind: 'repair'; id: number; input: Input; question: RepairQuestion }
  | { kind: 'origins'; id: number; input: Input; question: OriginQuestion }
  | { kind: 'tell'; id: number; input: Input; side: Side }

/** What a worker says. */
export type Response =
  /** The module is compiled; threads are being started. */
  | { kind: 'compiled' }
  | { kind: 'ready'; flavor: Flavor; threads: number; version: string }
  /** With what the browser's WebAssembly lacks, if it is that. */
  | { kind: 'unusable'; message: string; lacking?: string[] }
  | { kind: 'begun'; id: number; counters: Counters | null }
  | { kind: 'stage'; id: number; stage: Stage }
  | { kind: 'explained'; id: number; help: OpcodeHelp | undefined }
  | { kind: 'listed'; id: number; functions: FunctionHelp[] }
  | { kind: 'inferred'; id: number; inference: Inference }
  | { kind: 'verified'; id: number; report: Report; recorded: Side[] }
  | { kind: 'outline'; id: number; outline: TimelineOutline | undefined }
  | { kind: 'detail'; id: number; detail: TimelineDetail | undefined }
  /** What a sweep asks; nothing where the spec asks one question. */
  | { kind: 'combined'; id: number; asked: Asked | undefined }
  | { kind: 'inspected'; id: number; memory: MemoryReport | undefined }
  | { kind: 'happened'; id: number; moment: MomentReport | undefined }
  | { kind: 'repaired'; id: number; answer: RepairAnswer }
  | { kind: 'traced'; id: number; origins: Origins | undefined }
  | { kind: 'told'; id: number; telling: Telling }
  | { kind: 'failed'; id: number; failure: Failure }

/** The engine's shared memory, and where a run's counters stand in it. */
export interface Counters {
  memory: SharedArrayBuffer
  at: Addresses
}

/** What a run is doing. */
export interface Progress {
  stage: Stage
  executed: number
  decided: number
  elements: number
  /** Seconds since the run began. */
  seconds: number
  /** Seconds since a counter last moved; null where counters cannot be read. */
  silent: number | null
  /** Seconds that comparing will still take at the pace seen so far; null until there is a pace. */
  left: number | null
}

/** Why there is no report. */
export interface Failure {
  kind: 'panic' | 'memory' | 'died' | 'unusable'
  message: string
  stack: string
}

/** How a run ended. */
export type Outcome = { kind: 'report'; report: Report; recorded: Side[]; seconds: number } | { kind: 'stopped' } | { kind: 'failed'; failure: Failure }

/** The engine as the page shows it. */
export type EngineState =
  | { kind: 'starting' }
  | { kind: 'ready'; flavor: Flavor; threads: number; version: string; note: string | null }
  /** With what the browser's WebAssembly lacks, if it is that. */
  | { kind: 'unusable'; message: string; lacking?: string[] }

/** The stages in order; the engine counts them from 0. */
export const STAGES: readonly Stage[] = ['parse', 'simulate', 'decide', 'check', 'done']
