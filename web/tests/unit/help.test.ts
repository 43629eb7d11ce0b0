// What the page says of verdicts in its help is what the documents say.

import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { presentations } from '../../src/core/verdict'
import { tabText } from '../../src/text-tabs'

test('the help lists every verdict, in the words and the order of docs/verdicts.md', () => {
  const { meanings } = tabText.help
  expect(meanings.flatMap(({ verdicts }) => [...verdicts]).sort()).toEqual(Object.keys(presentations).sort())
  const rows = fs.readFileSync(path.resolve(import.meta.dirname, '../../../docs/verdicts.md'), 'utf8').split('\n').filter(line => line.startsWith('| `'))
  const told = rows.map(row => {
    const [names, , means] = row.slice(2, -2).split(' | ')
    // Keys of reports are for those who read reports; two sentences are plainer here.
    const plainer = means!.replace(/ \(`\w+`\)/g, '').replace('while it lives', 'while it is in use').replace('an instruction without a meaning here', 'an instruction that is not supported yet')
    return { verdicts: [...names!.matchAll(/\w+/g)].map(([name]) => name), means: `${plainer.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')}.` }
  })
  expect(meanings.map(({ verdicts, means }) => ({ verdicts: [...verdicts], means: means[0]!.toLowerCase() + means.slice(1) }))).toEqual(told)
})
