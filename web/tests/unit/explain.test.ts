import { expect, test } from 'vitest'
import { explainLiteral } from '../../src/core/constants'
import { utf16Offset } from '../../src/core/positions'
import { explainRegister } from '../../src/core/registers'
import { count, duration, presentationOf, size } from '../../src/core/verdict'

test('float literals are numbers, and constants where they are recognizable', () => {
  expect(explainLiteral('0f3FB8AA3B')).toBe('1.442695 ≈ log₂ e')
  expect(explainLiteral('0fBF317218')).toBe('−0.69314718 ≈ −ln 2')
  expect(explainLiteral('0f40000000')).toBe('2')
  expect(explainLiteral('0fFF800000')).toBe('−∞')
  expect(explainLiteral('0d400921FB54442D18')).toBe('3.141592653589793 ≈ π')
  expect(explainLiteral('0f3FB8AA3')).toBeNull()
})

test('special registers are told from ordinary ones', () => {
  expect(explainRegister('%tid.x')).toContain('along x')
  expect(explainRegister('%laneid')).toContain('lane')
  expect(explainRegister('%r12')).toBeNull()
  expect(explainRegister('%constructor')).toBeNull()
})

test('byte offsets fall on the right characters', () => {
  expect(utf16Offset('plain', 3)).toBe(3)
  expect(utf16Offset('größe', 3)).toBe(3)
  expect(utf16Offset('größe', 4)).toBe(3)
  expect(utf16Offset('🚀x', 4)).toBe(2)
  expect(utf16Offset('🚀x', 99)).toBe(3)
})

test('numbers are for people', () => {
  expect([999, 9_999, 12_345, 999_999, 1_234_567].map(count)).toEqual(['999', '9,999', '12.3 thousand', '1 million', '1.23 million'])
  expect([0.01, 3.2, 420, 1240, 125_000].map(duration)).toEqual(['0.01 ms', '3 ms', '420 ms', '1.24 s', '2 min 5 s'])
  expect([100, 2048, 1.4 * 2 ** 20].map(size)).toEqual(['100 B', '2 KiB', '1.4 MiB'])
})

test('a verdict of a later version is not taken for a known one', () => {
  expect(presentationOf('equivalent')?.tone).toBe('good')
  expect(presentationOf('toString')).toBeNull()
})
