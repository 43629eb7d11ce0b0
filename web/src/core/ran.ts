// How much of the kernels a report is about: of what was not run, nothing can be said.

import type { Report, Verdict } from './protocol'

/** Nothing; up to where a fault or a limit stopped it, as far as the report tells; or all of what was asked. */
export type Ran = 'nothing' | 'part' | 'all'

/** Verdicts that only kernels have which ran to their ends. */
const FINISHED: readonly Verdict[] = ['equivalent', 'equal_up_to_rounding', 'race_free', 'not_equivalent']
/** What is said before anything runs. */
const REFUSED: readonly Verdict[] = ['invalid_ptx', 'invalid_spec']

/** A report lists outputs only where every kernel ran to its end without a fault. */
export function ranOf({ verdict, kernels, outputs }: Pick<Report, 'verdict' | 'kernels' | 'outputs'>): Ran {
  if (outputs.length > 0 || FINISHED.includes(verdict)) return 'all'
  const idle = kernels.every(kernel => kernel.thread_instructions === 0)
  return idle && (kernels.length > 0 || REFUSED.includes(verdict)) ? 'nothing' : 'part'
}

/** Whether a run left CTAs of a grid out, in any of its kernels. */
export const leftOut = ({ kernels }: Pick<Report, 'kernels'>): boolean => kernels.some(({ grid, ctas }) => ctas > 0 && ctas < grid.reduce((all, extent) => all * extent, 1))

/** What a report shows of a tensor; of a run that did not end, or did not reach it, only what was declared. */
export function shownOf(report: Pick<Report, 'verdict' | 'kernels' | 'outputs' | 'tensors'> | null, name: string): { element: string; shape: number[]; role: string } {
  const tensor = report?.tensors.find(tensor => tensor.name === name)
  if (!report || !tensor) return { element: '', shape: [], role: '' }
  const { optimized_format, reference_format, shape, declared_shape, role, declared_role } = tensor
  const ended = ranOf(report) === 'all'
  return {
    element: optimized_format ?? reference_format ?? '',
    shape: ended || declared_shape ? shape : [],
    role: declared_role || (ended && shape.some(extent => extent > 0)) ? role : '',
  }
}
