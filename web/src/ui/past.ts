// Questions that others took the place of: New, an example, a lesson, a file. One step brings a whole one back: both
// kernels, the spec, the form.

import type { Input } from '../core/protocol'
import type { Example } from './gallery'

/** Questions that can be brought back, at most. */
const MOST = 20

/** A question as it was, with what it began as. */
export interface Whole {
  input: Input
  given: Input
  example: Example | null
  /** It is the visitor's own. */
  edited: boolean
  /** It had an answer. */
  asked: boolean
}

export class Past {
  #before: Whole[] = []
  /** Those that were given up for an earlier one. */
  #after: Whole[] = []

  get latest(): Whole | undefined {
    return this.#before.at(-1)
  }

  /** Another question is about to take the place of this one. */
  remember(whole: Whole): void {
    const { reference, optimized, spec } = whole.input
    if (`${reference}${optimized}${spec}`.trim() === '') return
    this.#before = [...this.#before, whole].slice(-MOST)
    this.#after = []
  }

  /** The question before this one, which is remembered for `forward`; null where there is none. */
  back(now: Whole): Whole | null {
    return this.#move(now, this.#before, this.#after)
  }

  forward(now: Whole): Whole | null {
    return this.#move(now, this.#after, this.#before)
  }

  /** An edit begins another way. */
  forgetForward(): void {
    this.#after = []
  }

  #move(now: Whole, from: Whole[], to: Whole[]): Whole | null {
    const whole = from.pop() ?? null
    if (whole) to.push(now)
    return whole
  }
}
