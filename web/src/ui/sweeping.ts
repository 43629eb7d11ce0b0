// Asks all combinations of a sweep, one after the other, by the engine that answers (whose threads share each), and
// shows the smallest that is not fine, or else the first. Fetched when a spec sweeps, or after the first verdict.

import { added, titleOf, worst, type Sweep } from '../core/sweep'
import type { Asked, Input } from '../core/protocol'
import { session } from './session.svelte'

/** The spec of one combination in place of the one that sweeps. */
const inputOf = ({ question, asked }: Sweep, at: number): Input => ({ ...question, spec: asked.combinations[at]!.spec })

export async function ask(question: Input, asked: Asked): Promise<void> {
  let sweep: Sweep = { question, asked, answers: [], assumptions: [], shown: null }
  session.sweep = sweep
  session.tab = 'sweep'
  const mine = () => session.sweep === sweep
  for (let at = 0; at < asked.combinations.length && !session.halted; at++) {
    const outcome = await session.answer(inputOf(sweep, at))
    // Another question came in meanwhile.
    if (!mine()) return
    if (outcome.kind === 'stopped') break
    if (outcome.kind === 'failed') {
      session.show(question, outcome)
      return
    }
    const { verdict, summary } = outcome.report
    sweep = { ...sweep, answers: [...sweep.answers, { verdict, summary }], assumptions: added(sweep.assumptions, outcome.report) }
    session.sweep = sweep
  }
  const all = sweep.answers.length === asked.combinations.length
  const first = worst(sweep.answers) ?? (all ? 0 : null)
  // Without an answer to all of them, good news about some is no verdict.
  if (first === null) session.show(question, { kind: 'stopped' })
  else {
    await show(first)
    session.tab = 'sweep'
  }
}

/** Shows the ordinary report on a combination: it is asked again, so that the engine has what belongs to it. */
export async function show(at: number): Promise<void> {
  const { sweep } = session
  if (!sweep) return
  session.begin()
  session.marks = []
  session.halted = false
  const input = inputOf(sweep, at)
  const outcome = await session.answer(input)
  if (session.sweep !== sweep) return
  session.sweep = { ...sweep, shown: outcome.kind === 'report' ? { at, title: titleOf(sweep.asked, at) } : null }
  session.show(input, outcome, sweep.question)
}
