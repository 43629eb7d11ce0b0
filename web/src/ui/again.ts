// What is asked after a verdict, which runs kernels again: by an engine of its own, for the one that answers must stay free
// for the next question.

import type { Engine } from '../core/engine'
import type { Asked, Counterexample, FunctionHelp, Input, MemoryQuestion, MemoryReport, MomentQuestion, MomentReport, OpcodeHelp, Origins, Progress, RaceReport, RepairAnswer, Side, Telling } from '../core/protocol'
import { startHelper } from './engines'

export class Again {
  /** The texts that the latest run is about. */
  readonly #verified: () => Input
  #helper: Engine | null = null
  #of: Input | null = null
  #lexicon: Engine | null = null

  constructor(verified: () => Input) {
    this.#verified = verified
  }

  /** What a tensor or shared array of the latest run holds at a barrier. */
  async memory(question: MemoryQuestion): Promise<MemoryReport | null> {
    return await this.#engine().inspect(this.#verified(), question)
  }

  /** What a lane of the latest run does at a step of the timeline. */
  async moment(question: MomentQuestion): Promise<MomentReport | null> {
    return await this.#engine().moment(this.#verified(), question)
  }

  /** Lines that remove a race of the latest run, tried out. */
  async repair({ side, first, second }: RaceReport): Promise<RepairAnswer | null> {
    return (await this.#engine().repair(this.#verified(), { reference: side === 'reference', first: first.instr, second: second.instr })) ?? null
  }

  /** Where the differing parts of the latest run's counterexample come from. */
  async origins({ tensor, index }: Counterexample): Promise<Origins | null> {
    return await this.#engine().origins(this.#verified(), { tensor, index })
  }

  /** What a kernel of the latest run computes, as a formula. */
  async tell(side: Side, onProgress: (progress: Progress) => void): Promise<Telling | 'stopped' | null> {
    return await this.#engine().tell(this.#verified(), side, onProgress)
  }

  stopTelling(): void {
    this.#helper?.stop()
  }

  /** What a spec with [sweep] asks. */
  async combinations(input: Input): Promise<Asked | null> {
    return await (this.#helper ??= startHelper()).combinations(input)
  }

  /** Ends what is being asked: another run begins. */
  end(): void {
    this.#helper?.dispose()
    this.#helper = null
  }

  /** What the instruction table says about an opcode. */
  async explain(opcode: string): Promise<OpcodeHelp | null> {
    return await this.#help().explain(opcode)
  }

  /** The functions that formulas can call. */
  async functions(): Promise<FunctionHelp[]> {
    return await this.#help().functions()
  }

  #engine(): Engine {
    if (this.#of !== this.#verified()) this.end()
    this.#of = this.#verified()
    return (this.#helper ??= startHelper())
  }

  /** The engine that explains: it has everything and never runs a kernel. A first visit does without. */
  #help(): Engine {
    return (this.#lexicon ??= startHelper())
  }
}
