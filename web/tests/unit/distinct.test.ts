import { describe, expect, test } from 'vitest'
import { distinct } from '../../src/core/distinct'

describe('texts in small cells', () => {
  test('stay whole where they fit, and equal ones look alike', () => {
    expect(distinct(['x[0]', 'x[1]', 'x[0]'], 8)).toEqual(['x[0]', 'x[1]', 'x[0]'])
    expect(distinct(['a'.repeat(20), 'a'.repeat(20)], 8)).toEqual(['aaaaaaa…', 'aaaaaaa…'])
  })

  test('show where they differ: at the beginning, in the middle, at the end', () => {
    const row = (part: (at: number) => string) => distinct(Array.from({ length: 64 }, (_, at) => part(at)), 14)
    for (const shown of [
      row(at => `e^(x[${at}] - max[k=0…127] (x[k]))`),
      row(at => `e^(max[k=0…127] (x[k])) + x[${at}] + y[0] + y[1]`),
      row(at => `max(x[0], x[1], x[2], x[3], x[4], x[5], x[${at + 6}])`),
      row(at => `1234567890·(max[k=0…127] (x[k])) / ${1000 + at}`),
    ]) {
      expect(new Set(shown).size, shown.join(' | ')).toBe(64)
      expect(Math.max(...shown.map(text => text.length))).toBeLessThanOrEqual(14)
    }
  })

  test('begin with the name that makes the difference', () => {
    expect(distinct(['max(x[0], x[1], x[16])', 'max(x[0], x[1], x[17])'], 12)).toEqual(['…[1], x[16])', '…[1], x[17])'])
  })
})
