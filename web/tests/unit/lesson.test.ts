import { describe, expect, test } from 'vitest'
import builtIn from 'virtual:lessons'
import { isLesson, parseLesson, readLesson } from '../../src/core/lesson'

const FILE = `
lesson = 1
title = "Two steps"
[[step]]
title = "First"
text = """
One paragraph,
in two lines.

Another with \`code\`.
"""
optimized = '''
.entry k() { bar.sync 0; ret; }
'''
single = true
expect = "race_free"
[[step]]
change = { in = "optimized", find = "bar.sync 0; ", replace = "" }
tab = "timeline"
`

describe('a lesson file', () => {
  test('becomes steps that hold their whole texts', () => {
    expect(isLesson(FILE)).toBe(true)
    expect(isLesson('[launch]\nblock = [64, 1, 1]\n')).toBe(false)
    const input = { reference: '', spec: '', single: true }
    expect(parseLesson(FILE)).toEqual({
      ok: true,
      lesson: {
        title: 'Two steps',
        steps: [
          { title: 'First', paragraphs: ['One paragraph, in two lines.', 'Another with `code`.'], input: { ...input, optimized: '.entry k() { bar.sync 0; ret; }\n' }, tab: 'verdict', expect: 'race_free' },
          { title: '', paragraphs: [], input: { ...input, optimized: '.entry k() { ret; }\n' }, tab: 'timeline', expect: null },
        ],
      },
    })
  })

  test.each([
    ['lesson = 1\n[[step', 'TOML'],
    ['lesson = 2\n[[step]]', 'version 2'],
    ['lesson = 1\n', 'no [[step]]'],
    ['lesson = 1\n[[step]]\noptimized = 3', 'step 1: “optimized” is not text'],
    ['lesson = 1\n[[step]]\n[[step]]\nchange = { in = "optimized", find = "x" }', 'step 2: “x” does not occur'],
    ['lesson = 1\n[[step]]\nchange = { in = "__proto__", find = "x" }', 'a change needs'],
  ])('%j is refused with the reason', (file, message) => {
    const read = parseLesson(file)
    expect(read.ok).toBe(false)
    if (!read.ok) expect(read.message).toContain(message)
  })
})

test('the page’s lessons are whole, and every step says what to expect', () => {
  expect(builtIn).not.toHaveLength(0)
  for (const data of builtIn) {
    const read = readLesson(data)
    if (!read.ok) throw new Error(read.message)
    expect(read.lesson.steps.length).toBeGreaterThan(3)
    for (const step of read.lesson.steps) {
      expect(step.title).not.toBe('')
      expect(step.paragraphs.length).toBeGreaterThan(0)
      expect(step.input.optimized).toContain('.entry')
      expect(step.expect).not.toBeNull()
    }
  }
})
