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

interface Kernel {
  name: string
  content: string
  side: Side | null
}

/** Opens files; PTX goes to `side`, or to the side that its name speaks of; two of them to both sides, in the
 * order of their names where these do not say which is which. What is not opened is named, with the reason. */
export async function openFiles(files: readonly File[], side: Side | null): Promise<void> {
  const problems: string[] = []
  const kernels: Kernel[] = []
  let spec: string | null = null
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1))
  const texts: { name: string; content: string }[] = []
  for (const file of sorted) {
    const content = await textOf(file, problems)
    if (content !== null) texts.push({ name: file.name, content })
  }
  const ptx = texts.map(({ content }) => content).filter(content => IS_PTX.test(content))
  // What comes with its source is shown beside it.
  const isSource = (name: string) => [session.reference, session.optimized, ...ptx].some(text => [...sourceFiles(text).values()].some(named => isNamed(named, name)))
  const sources: Record<string, string> = {}
  for (const { name, content } of texts) {
    const others = () => sorted.map(file => file.name).filter(other => other !== name)
    if (/\.json$/i.test(name)) {
      const pair = readPair(content)
      if (pair.ok) {
        session.open(pair.shared)
        return warn(others().length > 0 ? [tabText.files.pairAlone(name, others())] : [])
      }
      problems.push(tabText.pairFile.refused(name, pair.message))
    } else if (/\.toml$/i.test(name) && isLesson(content)) {
      const read = parseLesson(content)
      if (read.ok) {
        session.startLesson(read.lesson)
        return warn(others().length > 0 ? [tabText.files.lessonAlone(name, others())] : [])
      }
      problems.push(tabText.pairFile.refused(name, read.message))
    } else if (/\.toml$/i.test(name)) {
      if (spec !== null) problems.push(tabText.files.secondSpec(name))
      spec ??= content
    } else if (isSource(name)) sources[name] = content
    // CUDA beside PTX is no kernel to compare, which has to be PTX.
    else if (/\.cuh?$/i.test(name) && ptx.length > 0) problems.push(tabText.files.noSource(name))
    else if (!/\.(ptx|txt|py|cuh?)$/i.test(name) && !IS_PTX.test(content)) problems.push(tabText.files.unknown(name))
    // A formula can only be the reference.
    else kernels.push({ name, content, side: /\.py$/i.test(name) ? 'reference' : sideOf(name) })
  }
  if (spec !== null) session.edit('spec', spec)
  const chosen = pairOf(kernels)
  const left = kernels.filter(kernel => !chosen.includes(kernel)).map(({ name }) => name)
  if (left.length > 0) problems.push(tabText.files.tooMany(chosen.map(({ name }) => name), left))
  take(chosen, side)
  session.sources = { ...session.sources, ...sources }
  warn(problems)
}

/** What PTX begins with, behind comments. */
const IS_PTX = /^\s*\.version\b/m

/** The text of a file; null, and a problem more, where it has none. */
async function textOf(file: File, problems: string[]): Promise<string | null> {
  const { name } = file
  const start = [...new Uint8Array(await file.slice(0, 4).arrayBuffer())].join(' ')
  const content = file.size > MOST_BYTES || MACHINE_CODE.includes(start) ? '' : await file.text()
  if (MACHINE_CODE.includes(start)) problems.push(tabText.files.machineCode(name))
  else if (file.size > MOST_BYTES) problems.push(tabText.files.tooLarge(name))
  else if (content.trim() === '') problems.push(tabText.files.empty(name))
  else if (content.includes('\0') || content.includes('\ufffd')) problems.push(tabText.files.notText(name))
  else return content
  return null
}

/** First bytes of an ELF file (a cubin, an object file, a program) and of a CUDA fat binary. */
const MACHINE_CODE = ['127 69 76 70', '80 237 85 186']

/** Of several kernels those that are compared: a reference and an optimized one by their names, else the first two. */
function pairOf(kernels: readonly Kernel[]): Kernel[] {
  const named = (['reference', 'optimized'] as const).map(side => kernels.find(kernel => kernel.side === side))
  return kernels.length > 2 && named[0] && named[1] ? [named[0], named[1]] : kernels.slice(0, 2)
}

function take([first, second]: readonly Kernel[], side: Side | null): void {
  if (first && !second) session.edit(session.single ? 'optimized' : (side ?? first.side ?? (session.reference === '' ? 'reference' : 'optimized')), first.content)
  else if (first && second) {
    const turned = first.side === 'optimized' ? second.side !== 'optimized' : first.side === null && second.side === 'reference'
    session.setSingle(false)
    session.edit('reference', (turned ? second : first).content)
    session.edit('optimized', (turned ? first : second).content)
  }
}

/** Says what was not opened, before what the page says about what was. */
function warn(problems: readonly string[]): void {
  if (problems.length === 0) return
  const said = session.notice?.action ? session.notice : null
  session.notice = { tone: 'warn', text: [...problems, ...(said ? [said.text] : [])].join(' '), ...(said?.action && { action: said.action }) }
}
