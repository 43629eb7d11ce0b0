import { describe, expect, test } from 'vitest'
import { readSpec, rename, setKey, tableAt, valueAt, type TomlTable } from '../../src/core/spec-edit'
import { fillIn } from '../../src/core/spec-fill'

const spec = `# how it runs
[launch]
grid = [1, 1, 1]   # one block
block = [
  64, # lanes
  1, 1,
]

[tensors.A]
type = "f32"
shape = [16, 64]

[scalars]
K = 64
`

test('a changed value keeps comments and order', () => {
  const edited = setKey(spec, ['launch'], 'grid', [2, 1, 1])
  expect(edited).toBe(spec.replace('[1, 1, 1] ', '[2, 1, 1]').replace('  # one', ' # one').replace(']  #', '] #'))
})

test('a value over several lines is replaced whole', () => {
  expect(setKey(spec, ['launch'], 'block', [32, 1, 1])).toContain('block = [32, 1, 1]\n\n[tensors.A]')
})

test('a new key goes to the end of its table', () => {
  expect(setKey(spec, ['tensors', 'A'], 'role', 'in')).toContain('shape = [16, 64]\nrole = "in"\n\n[scalars]')
})

test('a new table goes to the end', () => {
  expect(setKey(spec, ['tensors', 'out put'], 'type', 'f16')).toBe(spec + '\n[tensors."out put"]\ntype = "f16"\n')
})

test('null removes a key', () => {
  const edited = setKey(spec, ['tensors', 'A'], 'shape', null)!
  expect(readSpec(edited)).toEqual({ launch: { grid: [1, 1, 1], block: [64, 1, 1] }, tensors: { A: { type: 'f32' } }, scalars: { K: 64 } })
  expect(edited).toContain('# lanes')
})

test('an empty file grows its first table', () => {
  expect(setKey('', ['launch'], 'block', [8, 1, 1])).toBe('[launch]\nblock = [8, 1, 1]\n')
})

test('inline tables and dotted keys are edited through their data', () => {
  const edited = setKey('tensors.A = { type = "f32", shape = [4] }\n', ['tensors', 'A'], 'shape', [8])!
  expect(readSpec(edited)).toEqual({ tensors: { A: { type: 'f32', shape: [8] } } })
})

test('removing what is not there changes nothing', () => {
  const text = 'tensors.A = { type = "f32" } # inline\n'
  expect(setKey(text, ['tensors', 'B'], 'shape', null)).toBe(text)
  expect(setKey(text, ['tensors', 'A'], 'shape', null)).toBe(text)
})

test.each(['__proto__', 'constructor', 'toString'])('a tensor called %s is a tensor like any other', name => {
  const edited = setKey(setKey(spec, ['tensors', name], 'type', 'f16')!, ['tensors', name], 'shape', [2])!
  expect(edited).toBe(`${spec}\n[tensors.${name}]\ntype = "f16"\nshape = [2]\n`)
  const tensors = readSpec(edited)!['tensors'] as TomlTable
  expect(Object.entries(tensors)).toEqual([
    ['A', { type: 'f32', shape: [16, 64] }],
    [name, { type: 'f16', shape: [2] }],
  ])
  expect(valueAt(tableAt(tensors, name), 'type')).toBe('f16')
  expect(({} as Record<string, unknown>)['type']).toBeUndefined()
})

test.each(['__proto__', 'constructor'])('a key called %s is a key like any other', key => {
  const edited = setKey(spec, ['tensors', 'A'], key, 1)!
  expect(edited).toContain(`shape = [16, 64]\n${key} = 1\n`)
  expect(setKey(edited, ['tensors', 'A'], key, null)).toBe(spec)
})

test('text that is not TOML is left to the user', () => {
  expect(setKey('[launch\n', ['launch'], 'block', [1, 1, 1])).toBeNull()
})

describe('a new name', () => {
  const inferred = spec + '\n[reference]\nargs = ["A", { fields = [[0, "K"], [8, { tensor = "A", offset = 4 }]] }]\n[optimized]\nargs = ["K", "A"]\n'

  test('goes into the arguments of both kernels and to what describes it, and leaves comments', () => {
    const edited = rename(spec, inferred, 'A', 'weights')!
    expect(edited).toContain('grid = [1, 1, 1]   # one block')
    expect(edited).toContain('[tensors.weights]\ntype = "f32"')
    const data = readSpec(edited)!
    expect(tableAt(data, 'reference')['args']).toEqual(['weights', { fields: [[0, 'K'], [8, { tensor: 'weights', offset: 4 }]] }])
    expect(tableAt(data, 'optimized')['args']).toEqual(['K', 'weights'])
    expect(rename(edited, edited, 'K', 'depth')).toContain('depth = 64')
  })

  test('goes into textures and the views of module variables, and is no filter', () => {
    const textures = spec + '\n[reference]\nargs = [{ texture = "A", filter = "linear" }]\n[optimized]\nargs = ["linear"]\n[views.table]\ntexture = "A"\n'
    const data = readSpec(rename(textures, textures, 'A', 'image')!)!
    expect(tableAt(data, 'reference')['args']).toEqual([{ texture: 'image', filter: 'linear' }])
    expect(tableAt(tableAt(data, 'views'), 'table')['texture']).toBe('image')
    const other = readSpec(rename(textures, textures, 'linear', 'x')!)!
    expect(tableAt(other, 'reference')['args']).toEqual([{ texture: 'A', filter: 'linear' }])
  })

  test('is refused where it is taken, where nothing has the old one, and where the text is no TOML', () => {
    expect(rename(spec, inferred, 'A', 'K')).toBe(null)
    expect(rename(spec, inferred, 'A', '')).toBe(null)
    expect(rename(spec, inferred, 'module_variable', 'B')).toBe(null)
    expect(rename('[[[', inferred, 'A', 'B')).toBe(null)
    expect(rename(spec, '', 'A', 'B')).toBe(null)
  })

  test('may be a name that JavaScript knows', () => {
    expect(Object.hasOwn(tableAt(readSpec(rename(spec, inferred, 'A', '__proto__')!)!, 'tensors'), '__proto__')).toBe(true)
  })
})

test('what is missing is written down, and nothing of what is there is changed', () => {
  const full = '[launch]\ngrid = [9, 9, 9]\nblock = [64, 1, 1]\n[reference]\nargs = ["a", "b"]\n[tensors.A]\ntype = "f16"\nrole = "in"\n[scalars]\nK = 1\nM = { type = "f32" }\n'
  const filled = fillIn(spec + 'M = 2.5\n', full)!
  expect(filled.startsWith(spec.split('[tensors.A]')[0]!)).toBe(true)
  expect(readSpec(filled)).toEqual({
    launch: { grid: [1, 1, 1], block: [64, 1, 1] },
    tensors: { A: { type: 'f32', shape: [16, 64], role: 'in' } },
    scalars: { K: 64, M: 2.5 },
    reference: { args: ['a', 'b'] },
  })
  expect(fillIn('[', full)).toBeNull()
})
