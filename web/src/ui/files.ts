// Files that come in: by a button or dropped on the page. What a file is shows in its name
// and its text; a file that is none of what the page knows is named and left alone.

import { isLesson, parseLesson } from '../core/lesson'
import { readPair } from '../core/pair-file'
import { text } from '../text'
import { session } from './session.svelte'

export { readLesson } from '../core/lesson'

const MOST_BYTES = 8 << 20

export type Side = 'reference' | 'optimized'

const warn = (message: string) => (session.notice = { tone: 'warn', text: message })

/** Opens files; PTX goes to `side`, two of them to both sides in the order of their names. */
export async function openFiles(files: readonly File[], side: Side | null): Promise<void> {
  const kernels: string[] = []
  for (const file of [...files].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (file.size > MOST_BYTES) return void warn(text.files.tooLarge(file.name))
    const content = await file.text()
    if (content.includes('\0') || content.includes('\ufffd')) return void warn(text.files.notText(file.name))
    if (/\.json$/i.test(file.name)) {
      const pair = readPair(content)
      if (!pair.ok) return void warn(text.pairFile.refused(file.name, pair.message))
      session.open(pair.shared)
      return
    }
    if (/\.toml$/i.test(file.name)) {
      if (isLesson(content)) {
        const read = parseLesson(content)
        if (!read.ok) return void warn(text.pairFile.refused(file.name, read.message))
        session.startLesson(read.lesson)
        return
      }
      session.edit('spec', content)
      continue
    }
    if (!/\.(ptx|txt)$/i.test(file.name) && !/^\s*\.version\b/m.test(content)) return void warn(text.files.unknown(file.name))
    kernels.push(content)
  }
  if (kernels.length === 1) session.edit(session.single ? 'optimized' : (side ?? (session.reference === '' ? 'reference' : 'optimized')), kernels[0]!)
  else if (kernels.length > 1) {
    session.setSingle(false)
    session.edit('reference', kernels[0]!)
    session.edit('optimized', kernels[1]!)
  }
}
