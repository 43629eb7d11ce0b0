// Lines that remove races of the latest run: looked for when a race is looked at, and kept for paper.

import type { RaceReport, RepairAnswer } from '../core/protocol'
import { session } from './session.svelte'

class Repairs {
  #found = $state.raw<{ race: RaceReport; answer: RepairAnswer } | null>(null)

  /** What was found of a race. */
  known(race: RaceReport): RepairAnswer | null {
    return this.#found?.race === race ? this.#found.answer : null
  }

  /** Has them looked for; null where the engine was lost. */
  async look(race: RaceReport): Promise<RepairAnswer | null> {
    const known = this.known(race)
    if (known) return known
    const answer = await session.again.repair(race)
    if (answer) this.#found = { race, answer }
    return answer
  }
}

export const repairs = new Repairs()
