import { expect, test } from 'vitest'
import { entries, keepParameters, lineOf, nameOf, parametersOf, replacesKernel, sideOf } from '../../src/core/kernels'
import type { Inference, InferredKernel } from '../../src/core/protocol'

const kernel = (name: string, body = '\tret;') => `.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry ${name}(\n\t.param .u64 ${name}_param_0\n)\n{\n${body}\n}\n`

test('kernels are found by name', () => {
  expect(entries(kernel('softmax') + kernel('_Z4copyPf'))).toEqual(['softmax', '_Z4copyPf'])
  expect(entries('__global__ void k() {}')).toEqual([])
  expect([lineOf(kernel('a') + kernel('b'), 'b'), lineOf(kernel('a'), 'b')]).toEqual([13, 1])
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
  expect(['a_opt.ptx', 'fast.sm_90.ptx', 'softmax-optimized.ptx', 'gemm_optimised.ptx'].map(sideOf)).toEqual(['optimized', 'optimized', 'optimized', 'optimized'])
  expect(['softmax.ptx', 'refine.ptx', 'option.ptx', 'opt_vs_ref.ptx'].map(sideOf)).toEqual([null, null, null, null])
})

const parameter = (name: string, bound: string) => ({ name, bound }) as unknown as InferredKernel['parameters'][number]
const inferred = (side: string, entry: string | null, ...parameters: InferredKernel['parameters']) => ({ side, entry, parameters }) as unknown as InferredKernel

test('parameters are there once, a structure by its fields where these are known', () => {
  const struct = [parameter('k_param_0', ''), parameter('k_param_0+0', 'arg0_0'), parameter('k_param_0+8', 'arg0_8'), parameter('k_param_1', 'n')]
  const found = parametersOf([inferred('reference', 'r', parameter('r_param_0', 'n'), parameter('r_param_1', '')), inferred('optimized', 'k', ...struct)])
  expect(found.map(({ parameter, sides }) => [nameOf(parameter), sides])).toEqual([['n', ['reference', 'optimized']], ['arg1', ['reference']], ['arg0_0', ['optimized']], ['arg0_8', ['optimized']]])
})

test('parameters that are known no longer stay as long as the kernel is the same', () => {
  const of = (...kernels: InferredKernel[]) => ({ kernels }) as unknown as Inference
  const before = of(inferred('reference', 'r', parameter('r_param_0', 'x')), inferred('optimized', 'k', parameter('k_param_0', 'x')))
  const names = (inference: Inference) => inference.kernels.map(({ parameters }) => parameters.map(nameOf))
  expect(names(keepParameters(of(inferred('reference', 'r'), inferred('optimized', 'other')), before))).toEqual([['x'], []])
  expect(names(keepParameters(of(inferred('reference', 'r', parameter('r_param_0', 'y')), inferred('optimized', null)), before))).toEqual([['y'], []])
  expect(names(keepParameters(of(inferred('reference', 'r')), null))).toEqual([[]])
})
