import { errorBound, layerNorm } from '../../../models/kernels/index.js'
import {
  abs,
  add,
  cast,
  type FloatDType,
  mean,
  square,
  sub,
  type Tensor,
  tensor,
} from '../../../tensors/tensor/index.js'
import type { KernelCase, KernelWay } from './kernelRow.js'

const rows = 4

/** Layer norms of shifted rows, in every order of the steps. */
export const normsCase: KernelCase = {
  name: 'norms',
  title: 'Layer norms',
  about:
    'Four rows of n numbers of mean 16, normalised, against float64 in two passes: float32 steps in two passes, one, and by updates, and the op-by-op form whose every step has the dtype. The shift is what a one-pass variance has to survive.',
  lengthName: 'n',
  trial: ({ input, length, dtype }) => {
    const numbers = input.numbers('x', rows, length)
    const shifted = add(tensor(numbers, { shape: [rows, length], dtype: 'float64' }), 16)
    const x: Tensor<FloatDType> = cast(shifted, dtype)
    const wide = cast(x, 'float64')
    const bounded = (variance: 'two-pass' | 'fast') => () =>
      errorBound(
        'layerNorm',
        { n: length, dtype, variance },
        { largest: largest(abs(wide)), spread: leastSpread(wide) },
      )
    const ways: KernelWay[] = [
      { name: 'two-pass', compute: () => layerNorm(x), bound: bounded('two-pass') },
      { name: 'fast', compute: () => layerNorm(x, { variance: 'fast' }), bound: bounded('fast') },
      { name: 'welford', compute: () => layerNorm(x, { variance: 'welford' }) },
      { name: 'op by op', compute: () => layerNorm(x, { internal: dtype }) },
    ]
    return { reference: Float64Array.from(layerNorm(wide, { order: 'pairwise' }).toNumbers()), ways }
  },
}

function largest(x: Tensor): number {
  return x.toNumbers().reduce((most, y) => Math.max(most, y), 0)
}

/** The least variance of a row. */
function leastSpread(x: Tensor<'float64'>): number {
  const along = { axis: -1, keepDims: true }
  const spreads = mean(square(sub(x, mean(x, along))), along).toNumbers()
  return spreads.reduce((least, y) => Math.min(least, y), Infinity)
}
