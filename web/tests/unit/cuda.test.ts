import { describe, expect, test } from 'vitest'
import examples from 'virtual:gallery'
import sources from 'virtual:gallery-sources'
import { isNamed, sourceFiles, sourceLines } from '../../src/core/cuda'

const PTX = `.version 8.0
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<3>;
	.loc	1 10 5
	mov.u32 %r1, %tid.x;
	@%p1 bra $L;
	.loc	2 7 0, function_name $L__info_string0, inlined_at 1 12 9
	add.u32 %r2, %r1, 1;
$L:
	// nothing
	ret;
}
.visible .entry other()
{
	ret;
}
	.file	1 "/home/x/a.cu"
	.file	2 "b.cuh", 1700000000, 12
`

describe('lines of the source', () => {
  test('are those of the directive before, until another or the end of the function', () => {
    const lines = sourceLines(PTX)
    expect(lines[4]).toEqual([])
    expect(lines[6]).toEqual([{ file: '/home/x/a.cu', line: 10 }])
    expect(lines[7]).toEqual(lines[6])
    expect(lines[9]).toEqual([{ file: 'b.cuh', line: 7 }, { file: '/home/x/a.cu', line: 12 }])
    expect([lines[8], lines[10], lines[11]]).toEqual([[], [], []])
    expect(lines[12]).toEqual(lines[9])
    expect(lines[16]).toEqual([])
  })

  test('name files by their last part', () => {
    expect(isNamed('/home/x/a.cu', 'a.cu')).toBe(true)
    expect(isNamed('C:\\x\\a.cu', 'a.cu')).toBe(true)
    expect(isNamed('/home/x/a.cu', 'b.cu')).toBe(false)
  })

  test('of the examples lie in sources that the page has', () => {
    let checked = 0
    for (const { input } of examples) {
      for (const ptx of [input.reference, input.optimized]) {
        if (![...sourceFiles(ptx).values()].some(file => sources[file] !== undefined)) continue
        const places = sourceLines(ptx).flat().filter(({ file }) => sources[file] !== undefined)
        expect(places.length).toBeGreaterThan(3)
        for (const { file, line } of places) expect(line, file).toBeLessThanOrEqual(sources[file]!.split('\n').length)
        checked++
      }
    }
    expect(checked).toBeGreaterThan(20)
  })
})
