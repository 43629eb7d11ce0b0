// What a shared question looks like elsewhere: a Markdown block for a review, and HTML that
// embeds the page. Names come from users, so markup in them is written as text.

import { text } from '../text'
import { tabText } from '../text-tabs'
import { hintHere } from './budget'
import { inputTexts } from './inputs'
import { undecidedTexts } from './outputs'
import { numerals } from './numerals'
import type { Report } from './protocol'
import { shownOf } from './ran'
import { presentationFor } from './verdict'

const times = (extents: readonly number[]) => extents.join('×')
/** Outside of code spans, where it would be markup. */
const plain = (part: string) => part.split(/(`[^`]*`)/).map((piece, at) => (at % 2 ? piece : numerals(piece).replace(/[<>[\]*_]/g, character => `\\${character}`))).join('')

/** A block for a code review: verdict and what it is about, launch, assumptions, the spec with shapes and scalars, version, link; with
 * no report, the link alone. */
export function markdown(report: Report | null, spec: string, link: string, about: readonly string[] = []): string {
  if (!report) return `[${tabText.share.open}](${link})${thisComputer(link) === null ? '' : ` (${tabText.share.onlyHere})`}`
  const { word, tone } = presentationFor(report)
  const sign = { good: '✅', bad: '❌', warn: '⚠️', neutral: '◽' }[tone]
  const lines = [`${sign} **${word}**${about.length > 0 ? ` (${about.join(', ')})` : ''}. ${plain(report.summary)}`, '']
  for (const { name, counts } of undecidedTexts(report)) lines.push(`- \`${name}\`: ${counts}`)
  if (report.hint) lines.push(...(lines.at(-1) === '' ? [] : ['']), plain(hintHere(report.hint)))
  if (lines.at(-1) !== '') lines.push('')
  if (report.counterexample) {
    const { element, reference_value, optimized_value } = report.counterexample
    lines.push(`${tabText.share.inputs}: \`${element}\` ${reference_value.startsWith('≈') ? '' : '= '}${reference_value} (${text.sides['reference']}), ${optimized_value} (${text.sides['optimized']})`, '')
    for (const { name, values } of inputTexts(report.counterexample)) lines.push(`- \`${name}\`: ${plain(values)}`)
    lines.push('')
  }
  if (report.kernels.length > 0) {
    lines.push(`| ${tabText.share.columns.join(' | ')} |`, '| --- | --- | --- | --- |')
    for (const { side, title, grid, block } of report.kernels) lines.push(`| ${report.kernels.length === 1 && side === 'optimized' ? text.editors.kernel : text.sides[side]} | \`${title}\` | ${times(grid)} | ${times(block)} |`)
    lines.push('')
  }
  if (report.tensors.length > 0) {
    const told = report.tensors.map(({ name }) => {
      const { element, shape, role } = shownOf(report, name)
      return `\`${name}\` ${element}${shape.length > 0 ? `[${times(shape)}]` : ''}${role === '' ? '' : ` (${text.tensor.roles[role] ?? role})`}`
    })
    lines.push(`${tabText.share.tensors}: ${told.join(', ')}`, '')
  }
  if (report.assumptions.length > 0) {
    lines.push(`<details><summary>${text.share.restsOn(report.assumptions.length)}</summary>`, '')
    for (const { text: assumed, count } of report.assumptions) lines.push(`- ${plain(assumed)}${count > 1 ? ` (${count.toLocaleString('en')}×)` : ''}`)
    lines.push('', '</details>', '')
  }
  const toml = spec.trim()
  if (toml !== '') {
    // A fence longer than any run of backticks in the text.
    const fence = '`'.repeat(Math.max(3, ...[...toml.matchAll(/`+/g)].map(([run]) => run.length + 1)))
    lines.push(`<details><summary>${tabText.share.spec}</summary>`, '', `${fence}toml`, toml, fence, '', '</details>', '')
  }
  lines.push(`[${tabText.share.reproduce(report.version)}](${link})${thisComputer(link) === null ? '' : ` (${tabText.share.onlyHere})`}`)
  return lines.join('\n')
}

/** Where a link leads that nobody else can follow: to a file, or to a server of this computer. Null for others. */
export function thisComputer(link: string): string | null {
  if (link.startsWith('file:')) return 'file'
  return /^https?:\/\/(localhost|[^/:]+\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)(?=[:/#]|$)/.exec(link)?.[1] ?? null
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (part: string) => part.replace(/[&<>"']/g, character => escapes[character] ?? character)

/** HTML that shows the page, with this question, inside another one. */
export function embed(report: Report | null, link: string): string {
  const title = report ? `${presentationFor(report).word}: ${report.summary.replaceAll('`', '')}` : tabText.share.open
  return `<iframe src="${escaped(link)}" title="${escaped(title)}" width="100%" height="760" loading="lazy" style="border:1px solid #ccc"></iframe>`
}
