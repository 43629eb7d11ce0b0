import { expect, test } from 'vitest'
import { parameterName, readable, sourceName } from '../../src/core/names'

test.each([
  // As crate/src/report/variables.rs has them.
  ['w', 'w'],
  ['_ZL1w', 'w'],
  ['_ZN2ns1wE', 'ns::w'],
  ['_ZN2ns5innerL1wE', 'ns::inner::w'],
  ['_ZZ4scanPfE6buffer', 'buffer'],
  ['_ZZ4EDGEE4edge_0', 'edge'],
  ['_ZZ4scanPfE3E1x', 'E1x'],
  ['_ZZ4scanE9short', '_ZZ4scanE9short'],
  ['_ZN28_INTERNAL_00000000_4_k_cu_wi2ns30_GLOBAL__N__00000000_4_k_cu_wi4anonE', 'ns::anon'],
  ['_ZN12_GLOBAL__N_11wE', 'w'],
  ['_Z9999w', '_Z9999w'],
  ['_ZN2ns', '_ZN2ns'],
  ['_ZZ', '_ZZ'],
  ['_Z', '_Z'],
])('%s is %s in its source', (mangled, name) => expect(sourceName(mangled)).toBe(name))

const kernels = [
  { name: '_Z7softmaxIfLi256EEvPKT_PS0_', title: 'softmax<float, 256>' },
  { name: 'plain', title: 'plain' },
]

test('names in a sentence are those of the source', () => {
  expect(readable('at _ZZ12rmsnorm_vec4PK6float4S1_PS_ifE2sh[0], in _Z7softmaxIfLi256EEvPKT_PS0_', kernels)).toBe('at sh[0], in softmax<float, 256>')
  expect(readable('x[3] = a_Zb', kernels)).toBe('x[3] = a_Zb')
})

test('parameters are counted from 1, and have the name of their kernel', () => {
  expect(parameterName('_Z7softmaxIfLi256EEvPKT_PS0__param_0', kernels)).toBe('parameter 1 of softmax<float, 256>')
  expect(parameterName('_Z11rmsnorm_refPKfS0_Pfif_param_3', [])).toBe('parameter 4 of rmsnorm_ref')
  expect(parameterName('plain_param_2', kernels)).toBe('parameter 3 of plain')
  expect(parameterName('x', kernels)).toBe('x')
  expect(readable('they are _Z7softmaxIfLi256EEvPKT_PS0__param_1', kernels)).toBe('they are parameter 2 of softmax<float, 256>')
})
