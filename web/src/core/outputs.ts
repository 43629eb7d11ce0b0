// What became of the elements of outputs, in words, for what is copied or printed.

import { text } from '../text'
import type { Report } from './protocol'
import { exact } from './verdict'

/** One line for each output of which elements are undecided: how many, and what became of the others. */
export function undecidedTexts({ outputs }: Pick<Report, 'outputs'>): { name: string; counts: string }[] {
  const { equal, close, different, undecided, unwritten } = text.verdict
  return outputs.filter(({ unknown }) => unknown > 0).map(output => {
    const counts = [[output.equal, equal], [output.close, close], [output.different, different], [output.unknown, undecided], [output.unwritten, unwritten]] as const
    return { name: `${output.tensor}[${output.shape.join('×')}]`, counts: counts.filter(([number]) => number > 0).map(([number, say]) => say(exact(number))).join(', ') }
  })
}
