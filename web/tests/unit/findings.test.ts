import { expect, test } from 'vitest'
import { findings } from '../../src/core/findings'
import type { DiagnosticReport, Report } from '../../src/core/protocol'

const finding = (code: string, message: string): DiagnosticReport => ({ code, message, severity: 'error', notes: [], related: [] }) as unknown as DiagnosticReport
const output = (tensor: string, different: number) => ({ tensor, different }) as unknown as Report['outputs'][number]
const say = (diagnostics: DiagnosticReport[], ...outputs: Report['outputs']) => findings({ diagnostics, outputs }).map(({ message }) => message)

test('512 elements with one reason are one line, however many of them the report lists', () => {
  const listed = Array.from({ length: 16 }, (_, at) => finding('Q001', `\`y[${at}]\`: the kernels give different values`))
  expect(say(listed, output('y', 512))).toEqual(['`y[0]` and 511 more: the kernels give different values'])
  expect(say([...listed, finding('Q003', '`y[99]`: only one kernel writes it')], output('y', 512))).toEqual([
    '`y[0]` and 15 more: the kernels give different values',
    '`y[99]`: only one kernel writes it',
  ])
})

test('other reasons, other tensors and findings that are about no element stay apart', () => {
  const race = finding('R001', 'data race on `y[0]`: two threads')
  const all = [race, finding('Q001', '`y[0]` and 3 more: different'), finding('Q001', '`z[0]`: different'), finding('Q003', '`y[4]`: something else'), race]
  expect(say(all, output('y', 4), output('z', 1))).toEqual([race.message, '`y[0]` and 3 more: different', '`z[0]`: different', '`y[4]`: something else', race.message])
})
