// What a verdict is about, where that is not all that somebody may take it for.

import { text } from '../text'
import { readsGrid } from './kernels'
import type { Report } from './protocol'
import { ctasText, readSpec, saysLaunch, tableAt } from './spec-edit'
import { exact } from './verdict'

/** The texts that a report is about. */
interface Asked {
  reference: string
  optimized: string
  spec: string
}

export interface About {
  kind: 'ran' | 'scope'
  words: string
}

/** Which of the CTAs ran, where some did not; what was guessed; and how much of the outputs was run. */
export function aboutTexts({ kernels, outputs }: Pick<Report, 'kernels' | 'outputs'>, asked: Asked): About[] {
  const spec = readSpec(asked.spec) ?? {}
  const last = kernels.at(-1)
  const all = last?.grid.reduce((product, extent) => product * extent, 1) ?? 0
  const guess = kernels.find(({ side, name, ctas }) => side !== 'spec' && ctas > 0 && !saysLaunch(spec, side, 'grid') && readsGrid(asked[side], name))
  const sum = (of: (output: Report['outputs'][number]) => number) => outputs.reduce((total, output) => total + of(output), 0)
  const elements = sum(output => output.elements)
  const unwritten = sum(output => output.unwritten)
  const about: About[] = []
  if (last && last.ctas > 0 && last.ctas < all) about.push({ kind: 'ran', words: text.verdict.ran(ctasText(tableAt(spec, 'launch')['ctas']), all) })
  if (guess) about.push({ kind: 'scope', words: text.verdict.guessedGrid(guess.grid.join(' × ')) })
  if (unwritten > 0) about.push({ kind: 'scope', words: text.verdict.covered(exact(elements), exact(elements + unwritten)) })
  return about
}
