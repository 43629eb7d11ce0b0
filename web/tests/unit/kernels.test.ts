import { expect, test } from 'vitest'
import { entries, replacesKernel, sideOf } from '../../src/core/kernels'

const kernel = (name: string, body = '\tret;') => `.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry ${name}(\n\t.param .u64 ${name}_param_0\n)\n{\n${body}\n}\n`

test('kernels are found by name', () => {
  expect(entries(kernel('softmax') + kernel('_Z4copyPf'))).toEqual(['softmax', '_Z4copyPf'])
  expect(entries('__global__ void k() {}')).toEqual([])
})

test('another kernel is a new question; an edit of the same one is not', () => {
  const given = kernel('softmax')
  expect(replacesKernel(given, given, kernel('gemm'))).toBe(true)
  expect(replacesKernel(given, given, kernel('softmin'))).toBe(true)
  expect(replacesKernel(given, '', kernel('gemm'))).toBe(true)
  expect(replacesKernel(given, given, '__global__ void gemm(float *a) {}\n')).toBe(true)
  expect(replacesKernel(given, given, kernel('softmax', '\tbar.sync 0;\n\tret;'))).toBe(false)
  expect(replacesKernel(given, given, given.replace('softmax(', 'softmaxx('))).toBe(false)
  expect(replacesKernel(given, '', given)).toBe(false)
  expect(replacesKernel(given, given, '')).toBe(false)
})

test('a file says in its name which side it is for', () => {
  expect(['softmax_ref.ptx', 'Naive-2.ptx', 'base.ptx'].map(sideOf)).toEqual(['reference', 'reference', 'reference'])
  expect(['a_opt.ptx', 'fast.sm_90.ptx', 'softmax-optimized.ptx'].map(sideOf)).toEqual(['optimized', 'optimized', 'optimized'])
  expect(['softmax.ptx', 'refine.ptx', 'option.ptx', 'opt_vs_ref.ptx'].map(sideOf)).toEqual([null, null, null, null])
})
