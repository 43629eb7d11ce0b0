import { expect, test } from 'vitest'
import { raised } from '../../src/core/powers'

test('powers are raised, and names are left alone', () => {
  expect(raised('prime fields of 2^60 elements: chance of error < 2^-180')).toBe('prime fields of 2⁶⁰ elements: chance of error < 2⁻¹⁸⁰')
  expect(raised('x^2, a^b, 10^')).toBe('x^2, a^b, 10^')
})
