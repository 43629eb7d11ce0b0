// Findings about elements of outputs that say the same are told once.

import type { DiagnosticReport, Report } from './protocol'

const ELEMENT = /^`([^`]+)`(?: and (\d+) more)?: (.*)$/s

/** The findings of a report; of those that differ in their element alone, the first, with how many there are. */
export function findings({ diagnostics, outputs }: Pick<Report, 'diagnostics' | 'outputs'>): DiagnosticReport[] {
  const told = new Map<string, { finding: DiagnosticReport; element: string; says: string; elements: number }>()
  const found: (DiagnosticReport | string)[] = []
  for (const diagnostic of diagnostics) {
    const read = diagnostic.code.startsWith('Q') ? ELEMENT.exec(diagnostic.message) : null
    if (!read) {
      found.push(diagnostic)
      continue
    }
    const [, element, more = '0', says] = read as unknown as [string, string, string | undefined, string]
    const key = JSON.stringify([diagnostic.code, element.replace(/\[.*/s, ''), says, diagnostic.notes])
    const known = told.get(key)
    if (known) known.elements += Number(more) + 1
    else {
      told.set(key, { finding: diagnostic, element, says, elements: Number(more) + 1 })
      found.push(key)
    }
  }
  return found.map(entry => {
    if (typeof entry !== 'string') return entry
    const { finding, element, says, elements } = told.get(entry)!
    // Reports list so many kinds of elements and no more: where all that differ are told alike, these are all.
    const output = outputs.find(({ tensor }) => tensor === element.replace(/\[.*/s, ''))
    const alone = [...told.values()].filter(other => other.element.replace(/\[.*/s, '') === output?.tensor && other.finding.severity === 'error').length === 1
    const all = finding.code === 'Q001' && output && alone ? Math.max(output.different, elements) : elements
    return all === 1 ? finding : { ...finding, message: `\`${element}\` and ${(all - 1).toLocaleString('en')} more: ${says}` }
  })
}
