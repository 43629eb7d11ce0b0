import { describe, expect, test } from 'vitest'
import { MOST_NUMBERS, readContents } from '../../src/core/contents'

describe('contents of a tensor', () => {
  test.each([
    ['1, 2, 3', [1, 2, 3], [3]],
    ['1\n2\r\n3\n', [1, 2, 3], [3]],
    ['a,b\n1,2\n3,4\n5,6\n', [1, 2, 3, 4, 5, 6], [3, 2]],
    ['\ufeff1;2;3\n4;5;6', [1, 2, 3, 4, 5, 6], [2, 3]],
    ['-1.5e3 0 0.25', [-1500, 0, 0.25], [3]],
    ['[1, 2, 3]', [1, 2, 3], [3]],
    ['[[1, 2], [3, 4], [5, 6]]', [1, 2, 3, 4, 5, 6], [3, 2]],
    ['[[[1], [2]]]', [1, 2], [1, 2, 1]],
  ])('%j are read with their shape', (file, numbers, shape) => {
    expect(readContents(file)).toEqual({ ok: true, numbers, shape })
  })

  test.each([
    ['', 'no numbers'],
    ['  \n', 'no numbers'],
    ['[]', 'no numbers'],
    ['1, 2\n3, x\n', '“x” in line 2'],
    ['[1, 2', 'cannot be read as JSON'],
    ['[[1, 2], [3]]', 'differ in length'],
    ['[1, [2]]', 'differ in length'],
    ['[[2], 1]', 'differ in length'],
    ['[1, "2"]', '"2" is not a number'],
    ['[1, null]', 'null is not a number'],
    ['[1, 1e999]', 'larger than any float'],
    ['1, -1e999', '“-1e999” in line 1'],
    ['[[[1], [2]], [[3], 4]]', 'differ in length'],
    ['[[1, 2], [[3], [4]]]', 'differ in length'],
    [Array.from({ length: MOST_NUMBERS + 1 }, () => '1').join(','), '20,001 numbers'],
  ])('%# are refused with the reason', (file, message) => {
    const read = readContents(file)
    expect(read.ok).toBe(false)
    if (!read.ok) expect(read.message).toContain(message)
  })
})
