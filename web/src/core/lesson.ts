// A lesson: a short sequence of prepared steps, each with a text and a question. A file is
// TOML:
//
//   lesson = 1
//   title = "Races and barriers"
//   [[step]]
//   title = "A neighbor’s element"
//   text = """Paragraphs, with `code`."""
//   optimized = '''PTX'''          # also reference, spec, single; what is missing stays as it was
//   change = { in = "optimized", find = "bar.sync 0;", replace = "" }   # or: an edit of the step before
//   tab = "races"                  # what to open after the verdict
//   expect = "data_race"           # the verdict that the text talks about
//
// The lessons of the page name cases of the test corpus instead of texts (web/build/lessons.ts).

import { parse } from 'smol-toml'
import { tabText } from '../text-tabs'
import type { Input, Verdict } from './protocol'
import { presentationOf, type Tab } from './verdict'

export interface Step {
  title: string
  paragraphs: string[]
  input: Input
  tab: Tab
  expect: Verdict | null
}

export interface Lesson {
  title: string
  steps: Step[]
}

export type ReadLesson = { ok: true; lesson: Lesson } | { ok: false; message: string }

const TABS: readonly string[] = ['verdict', 'counterexample', 'races', 'waits', 'formula', 'timeline', 'assumptions'] satisfies Tab[]
const SOURCES = ['reference', 'optimized', 'spec'] as const

/** Whether a TOML text means to be a lesson. */
export const isLesson = (file: string): boolean => /^\s*lesson\s*=/m.test(file) && /^\s*\[\[step\]\]/m.test(file)

export function parseLesson(file: string): ReadLesson {
  let data: unknown
  try {
    data = parse(file)
  } catch (error) {
    return { ok: false, message: tabText.lesson.notToml(error instanceof Error ? (error.message.split('\n')[0] ?? '') : '') }
  }
  return readLesson(data)
}

/** Checks the shape and gives every step its whole texts. */
export function readLesson(data: unknown): ReadLesson {
  const fields = table(data)
  if (fields['lesson'] !== 1) return { ok: false, message: tabText.lesson.version((JSON.stringify(fields['lesson']) ?? '').slice(0, 40)) }
  const listed = fields['step']
  if (!Array.isArray(listed) || listed.length === 0) return { ok: false, message: tabText.lesson.noSteps }
  const steps: Step[] = []
  let input: Input = { reference: '', optimized: '', spec: '', single: false }
  for (const [at, each] of listed.entries()) {
    const step = table(each)
    const bad = (what: string): ReadLesson => ({ ok: false, message: tabText.lesson.badStep(at + 1, what) })
    input = { ...input }
    for (const source of SOURCES) {
      const given = step[source]
      if (given === undefined) continue
      if (typeof given !== 'string') return bad(tabText.lesson.notText(source))
      input[source] = given
    }
    if (typeof step['single'] === 'boolean') input.single = step['single']
    if (step['change'] !== undefined) {
      const { in: where, find, replace = '' } = table(step['change'])
      const source = SOURCES.find(source => source === where)
      if (!source || typeof find !== 'string' || typeof replace !== 'string') return bad(tabText.lesson.badChange)
      if (!input[source].includes(find)) return bad(tabText.lesson.notFound(find))
      input[source] = input[source].replace(find, () => replace)
    }
    const { tab, expect, title, text: words } = step
    steps.push({
      title: typeof title === 'string' ? title : '',
      paragraphs: typeof words === 'string' ? words.trim().split(/\n\s*\n/).map(paragraph => paragraph.replace(/\s+/g, ' ')) : [],
      input,
      tab: typeof tab === 'string' && TABS.includes(tab) ? (tab as Tab) : 'verdict',
      expect: typeof expect === 'string' && presentationOf(expect) ? (expect as Verdict) : null,
    })
  }
  return { ok: true, lesson: { title: typeof fields['title'] === 'string' ? fields['title'] : tabText.lesson.untitled, steps } }
}

const table = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {})
