// Sentences and code of the engine with the names that kernels' authors wrote.

import type { Named } from '../core/names'
import { numerals } from '../core/numerals'
import type { Inference, Report } from '../core/protocol'
import { laterNames } from './later'

export class Naming {
  /** What reads names; it comes after a first verdict. */
  #names = $state.raw<Pick<typeof import('../core/names'), 'readable' | 'parameterName'> | null>(null)
  readonly #named: () => Named[]

  constructor(report: () => Report | null, inference: () => Inference | null) {
    this.#named = () => [...(report()?.kernels.map(({ name, title }) => ({ name, title })) ?? []), ...(inference()?.kernels.flatMap(({ entries }) => entries) ?? [])]
  }

  fetch(): void {
    laterNames().then(names => (this.#names = names), () => undefined)
  }

  /** A text of the engine. */
  plain(words: string): string {
    return numerals(this.#names?.readable(words, this.#named()) ?? words)
  }

  /** What a kernel's parameter is called. */
  parameterName(name: string): string {
    return this.#names?.parameterName(name, this.#named()) ?? name
  }
}
