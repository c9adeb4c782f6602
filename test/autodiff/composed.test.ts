import { checkGrads, grad } from 'tpu-toolkit/autodiff'
import { norm, std } from 'tpu-toolkit/numerics'
import * as t from 'tpu-toolkit/tensor'
import { type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const x = tensor([0.3, -1.2, 2.1, 0.7, 1.6, -0.4, 0.9, -2.2, 1.1, 0.2, -0.8, 1.4], {
  shape: [3, 4],
  dtype: 'float64',
})
const int32 = (values: t.Nested) => tensor(values, { dtype: 'int32' })

/** A scalar of any tensor: its elements under unlike weights. */
const weighed = (y: Tensor): Tensor => {
  const weights = Float64Array.from({ length: y.size }, (_, i) => Math.cos(1 + i))
  return t.sum(t.mul(y, tensor(weights, { shape: y.shape, dtype: 'float64' })))
}

describe('gradients of operations made of others agree with differences', () => {
  const functions: Readonly<Record<string, (v: Tensor) => Tensor>> = {
    clip: (v) => t.clip(v, -1, 1.5),
    outer: (v) => t.outer(t.slice(v, [0]), t.slice(v, [1])),
    prod: (v) => t.prod(v, { axis: 1 }),
    'prod over all': (v) => t.prod(v),
    squeeze: (v) => t.squeeze(t.expandDims(v, [0, 2])),
    pad: (v) => t.pad(v, [[1, 0], 2], { value: 3 }),
    roll: (v) => t.roll(v, 3, { axis: 1 }),
    sort: (v) => t.sort(v, { axis: 0 }),
    topK: (v) => t.topK(v, 2).values,
    takeAlongAxis: (v) =>
      t.takeAlongAxis(
        v,
        int32([
          [0, 0, -1],
          [1, 2, 1],
          [3, 3, 3],
        ]),
      ),
    scatterAdd: (v) => t.scatterAdd(v, [0, 2, 0], t.square(v)),
    'scatterAdd along the last': (v) =>
      t.scatterAdd(t.slice(v, [null, [0, 2]]), [1, 1, 0, 1], v, { axis: 1 }),
    einsum: (v) => t.einsum('ij,kj,j->ik', [v, t.exp(v), t.slice(v, [2])]),
    'einsum of a diagonal': (v) => t.einsum('ii,i->i', [t.matmul(v, t.transpose(v)), t.slice(v, [null, 0])]),
    norm: (v) => norm(v, { axis: 1 }),
    'norm of order 1': (v) => norm(v, { ord: 1 }),
    'norm of order Infinity': (v) => norm(v, { ord: Infinity, axis: 0 }),
    std: (v) => std(v, { axis: 1 }),
  }
  it.each(Object.entries(functions))('%s', (_, f) => {
    // The default step is 2^-17; the difference is off by h^2 / 6 third derivatives, here at most a few hundred.
    checkGrads((v: Tensor) => weighed(f(v)), [x], { tolerance: 1e-7 })
  })
  it('argsort, all and any have none', () => {
    const position = (v: Tensor): Tensor => t.sum(t.mul(t.cast(t.argsort(v), 'float64'), v))
    expect(grad(position)(tensor([3, 1, 2], { dtype: 'float64' })).toNested()).toEqual([1, 2, 0])
    const masked = (v: Tensor): Tensor => t.sum(t.where(t.any(v, { axis: 0 }), v, 0))
    expect(grad(masked)(tensor([[0, 2]], { dtype: 'float64' })).toNested()).toEqual([[0, 1]])
  })
})
