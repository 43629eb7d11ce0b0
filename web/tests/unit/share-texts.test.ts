import { describe, expect, test } from 'vitest'
import { readPair, writePair } from '../../src/core/pair-file'
import type { Report } from '../../src/core/protocol'
import type { Shared } from '../../src/core/share'
import { embed, markdown, thisComputer } from '../../src/core/share-texts'

const report = {
  verdict: 'equivalent',
  summary: '`a_b` and `c` compute the same 4 elements of `y`, <b>bold</b> [x](y).',
  version: '0.1.0',
  kernels: [
    { side: 'reference', title: 'a_b', grid: [1, 1, 1], block: [64, 1, 1] },
    { side: 'optimized', title: 'c', grid: [2, 1, 1], block: [32, 1, 1] },
  ],
  tensors: [
    { name: 'x', shape: [2, 2], role: 'in', optimized_format: 'f16', reference_format: 'f32' },
    { name: 'y', shape: [4], role: 'out', reference_format: 'f32' },
  ],
  outputs: [],
  assumptions: [{ text: '`add.f32` is computed without rounding', count: 12_345 }, { text: 'no value is NaN', count: 1 }],
} as unknown as Report

describe('what is shared', () => {
  test('as Markdown says verdict, launch, assumptions, version and link', () => {
    expect(markdown(report, 'a = "``"\n', 'https://host/#1abc')).toBe(
      [
        '✅ **Equivalent**. `a_b` and `c` compute the same 4 elements of `y`, \\<b\\>bold\\</b\\> \\[x\\](y).',
        '',
        '|  | Kernel | Grid | Block |',
        '| --- | --- | --- | --- |',
        '| Reference | `a_b` | 1×1×1 | 64×1×1 |',
        '| Optimized | `c` | 2×1×1 | 32×1×1 |',
        '',
        'Tensors: `x` f16[2×2] (input), `y` f32[4] (output)',
        '',
        '<details><summary>Rests on 2 assumptions</summary>',
        '',
        '- `add.f32` is computed without rounding (12,345×)',
        '- no value is NaN',
        '',
        '</details>',
        '',
        '<details><summary>Launch, shapes and scalars</summary>',
        '',
        '```toml',
        'a = "``"',
        '```',
        '',
        '</details>',
        '',
        '[Reproduce it with Warpproof 0.1.0](https://host/#1abc)',
      ].join('\n'),
    )
    expect(markdown(report, '', 'L', ['CTA (0,0,0) of 4', 'with a guessed grid of 1 × 1 × 1'])).toMatch(/^[^\n]*\*\* \(CTA \(0,0,0\) of 4, with a guessed grid of 1 × 1 × 1\)\. /)
    expect(markdown(null, '', 'L')).toBe('[Open in Warpproof](L)')
  })

  test('as Markdown says of an inconclusive answer how much is undecided, and what to try', () => {
    const outputs = [
      { tensor: 'y', shape: [4, 1024], elements: 4096, equal: 1096, close: 0, different: 0, unknown: 3000, unwritten: 0 },
      { tensor: 'z', shape: [4], elements: 4, equal: 4, close: 0, different: 0, unknown: 0, unwritten: 0 },
    ]
    const written = markdown({ ...report, verdict: 'unknown', outputs, hint: 'the two sides agree at all 114 inputs tried' } as unknown as Report, '', 'https://host/#1abc')
    expect(written).toContain('\n\n- `y[4×1024]`: 1,096 equal, 3,000 undecided\n\nthe two sides agree at all 114 inputs tried\n\n|')
    expect(written).not.toContain('`z[4]`')
  })

  test('as HTML cannot be broken out of', () => {
    const html = embed({ ...report, summary: '"><script>alert(1)</script>' }, 'https://host/#1"x')
    expect(html.match(/</g)).toHaveLength(2)
    expect(html).toContain('&quot;&gt;&lt;script&gt;')
  })

  test('as a file comes back', () => {
    const shared: Shared = { reference: 'a\r\n\u0000', optimized: 'ü🚀', spec: '', single: true, verdict: 'data_race', version: '0.1.0' }
    expect(readPair(writePair(shared))).toEqual({ ok: true, shared })
  })

  test.each([
    ['', 'not JSON'],
    ['{"warpproof": 1, "refer', 'cut off'],
    ['[1]', 'not a file of Warpproof'],
    ['null', 'not a file of Warpproof'],
    ['{"warpproof": 2}', 'version 2'],
    ['{"warpproof": {"toString": 1, "valueOf": 1}}', 'version {"toString":1,"valueOf":1}'],
    ['{"warpproof": 1, "reference": 5}', '“reference” is not text'],
  ])('as a file that is %j says what is wrong', (file, message) => {
    const read = readPair(file)
    expect(read.ok).toBe(false)
    if (!read.ok) expect(read.message).toContain(message)
  })
})

describe('a review', () => {
  const counterexample = {
    element: 'y[3]', reference_value: '8', optimized_value: '0',
    inputs: [
      { name: 'a', scalar: true, given: false, shape: [], format: 'f32', entries: [{ index: 0, place: 'a', value: '2.5' }], rest: '0' },
      { name: 'x', scalar: false, given: false, shape: [64], format: 'f32', entries: [{ index: 3, place: 'x[3]', value: '8' }], rest: '1' },
      { name: 'z', scalar: false, given: false, shape: [3], format: 's32', entries: [], rest: '0', dense: ['1', '0', '2'] },
    ],
  }

  test('has the inputs on which the kernels differ', () => {
    const written = markdown({ ...report, verdict: 'not_equivalent', counterexample } as unknown as Report, '', 'https://host/#1abc')
    expect(written).toContain('Inputs on which the kernels differ: `y[3]` = 8 (Reference), 0 (Optimized)')
    expect(written).toContain('- `a f32`: 2.5\n- `x f32[64]`: x\\[3\\] = 8, all others 1\n- `z s32[3]`: 1, 0, 2\n')
  })

  test('has one sign before a value that is rounded', () => {
    const rounded = { ...counterexample, element: 'y[0]', reference_value: '≈ 0.17', optimized_value: '≈ 0.2' }
    expect(markdown({ ...report, verdict: 'not_equivalent', counterexample: rounded } as unknown as Report, '', 'https://host/#1abc')).toContain('`y[0]` ≈ 0.17 (Reference), ≈ 0.2 (Optimized)')
  })

  test('says of a link to this computer that it opens only here', () => {
    for (const here of ['http://localhost:4173/#1', 'http://127.0.0.1:8000/a/#1', 'http://[::1]/#1', 'file:///tmp/a.html#1']) {
      expect(thisComputer(here), here).not.toBeNull()
      expect(markdown(report, '', here), here).toContain('(the link opens only on the computer that it was made on)')
    }
    for (const elsewhere of ['https://host/#1', 'https://localhost.example.org/#1', 'https://127.example.org/#http://localhost/']) expect(thisComputer(elsewhere), elsewhere).toBeNull()
    expect(markdown(report, '', 'https://host/#1')).not.toContain('opens only')
  })
})
