// Files that come in: by a button or dropped on the page. What a file is shows in its name
// and its text; a file that is none of what the page knows is named and left alone.

import { isNamed, sourceFiles } from '../core/cuda'
import { sideOf } from '../core/kernels'
import { isLesson, parseLesson } from '../core/lesson'
import { readPair } from '../core/pair-file'
import type { Side } from '../core/protocol'
import { tabText } from '../text-tabs'
import { session } from './session.svelte'

export { readLesson } from '../core/lesson'

const MOST_BYTES = 8 << 20

const warn = (message: string) => (session.notice = { tone: 'warn', text: message })

/** Opens files; PTX goes to `side`, or to the side that its name speaks of; two of them to both sides, in the
 * order of their names where these do not say which is which. */
export async function openFiles(files: readonly File[], side: Side | null): Promise<void> {
  const kernels: { content: string; side: Side | null }[] = []
  for (const file of [...files].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (file.size > MOST_BYTES) return void warn(tabText.files.tooLarge(file.name))
    const content = await file.text()
    if (content.includes('\0') || content.includes('\ufffd')) return void warn(tabText.files.notText(file.name))
    if (/\.json$/i.test(file.name)) {
      const pair = readPair(content)
      if (!pair.ok) return void warn(tabText.pairFile.refused(file.name, pair.message))
      session.open(pair.shared)
      return
    }
    if (/\.toml$/i.test(file.name)) {
      if (isLesson(content)) {
        const read = parseLesson(content)
        if (!read.ok) return void warn(tabText.pairFile.refused(file.name, read.message))
        session.startLesson(read.lesson)
        return
      }
      session.edit('spec', content)
      continue
    }
    if ([session.reference, session.optimized].some(ptx => [...sourceFiles(ptx).values()].some(name => isNamed(name, file.name)))) {
      session.sources = { ...session.sources, [file.name]: content }
      continue
    }
    if (!/\.(ptx|txt|py|cuh?)$/i.test(file.name) && !/^\s*\.version\b/m.test(content)) return void warn(tabText.files.unknown(file.name))
    // A formula can only be the reference.
    kernels.push({ content, side: /\.py$/i.test(file.name) ? 'reference' : sideOf(file.name) })
  }
  const [first, second] = kernels
  if (first && !second) session.edit(session.single ? 'optimized' : (side ?? first.side ?? (session.reference === '' ? 'reference' : 'optimized')), first.content)
  else if (first && second) {
    const turned = first.side === 'optimized' ? second.side !== 'optimized' : first.side === null && second.side === 'reference'
    session.setSingle(false)
    session.edit('reference', (turned ? second : first).content)
    session.edit('optimized', (turned ? first : second).content)
  }
}
