import { expect, test } from 'vitest'
import { numerals } from '../../src/core/numerals'

test('powers are raised, and names are left alone', () => {
  expect(numerals('prime fields of 2^60 elements: chance of error < 2^-180')).toBe('prime fields of 2⁶⁰ elements: chance of error < 2⁻¹⁸⁰')
  expect(numerals('x^2, a^b, 10^')).toBe('x^2, a^b, 10^')
})

test('counts are grouped; places, names and parts of other numbers are not', () => {
  expect(numerals('y is … (at least 1048576 terms), after 65536 thread-instructions')).toBe('y is … (at least 1,048,576 terms), after 65,536 thread-instructions')
  expect(numerals('at byte 65536 of a; thread 12345 waits; 1.50000 bytes; 4096 terms; r12345 terms')).toBe('at byte 65536 of a; thread 12345 waits; 1.50000 bytes; 4096 terms; r12345 terms')
})
