import { expect, test } from 'vitest'
import documents from 'virtual:documents'
import { readDocument } from '../../build/documents'
import type { Block, Inline } from '../../src/core/documents'

test('Markdown becomes headings, texts, lists, code and tables', () => {
  const markdown = '# A title\n\nOne `a < b`, **two** and [three](spec.md#here).\n\n- x\n- *y*\n\n```\n&lt; & <\n```\n\n| a | b |\n| --- | ---: |\n| 1<br>2 | `p\\|q` |\n\n<!-- begin -->\n'
  expect(readDocument('sample', markdown)).toEqual({
    name: 'sample',
    title: 'A title',
    blocks: [
      { paragraph: ['One ', { code: 'a < b' }, ', ', { strong: ['two'] }, ' and ', { document: 'spec', inside: ['three'] }, '.'] },
      { list: [[{ paragraph: ['x'] }], [{ paragraph: [{ em: ['y'] }] }]], ordered: false },
      { code: '&lt; & <' },
      { head: [['a'], ['b']], rows: [[['1', { line: true }, '2'], [{ code: 'p|q' }]]], right: [false, true] },
    ],
  })
  expect(() => readDocument('sample', 'No title')).toThrow('docs/sample.md')
  expect(() => readDocument('sample', '# T\n\n> quoted')).toThrow('blockquote')
})

test('links between documents lead to one of them', () => {
  const names = documents.map(({ name }) => name)
  const inline = (each: Inline): string[] => (typeof each === 'string' ? [] : 'document' in each ? [each.document] : 'strong' in each ? each.strong.flatMap(inline) : 'em' in each ? each.em.flatMap(inline) : [])
  const block = (each: Block): string[] => ('paragraph' in each ? each.paragraph.flatMap(inline) : 'list' in each ? each.list.flat().flatMap(block) : 'rows' in each ? each.rows.flat(2).flatMap(inline) : [])
  const links = documents.flatMap(({ blocks }) => blocks.flatMap(block))
  expect(links.length).toBeGreaterThan(4)
  for (const link of links) expect(names).toContain(link)
})
