import { expect, test } from 'vitest'
import { entries, replacesKernel } from '../../src/core/kernels'

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
