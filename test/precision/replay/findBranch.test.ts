import {
  add,
  boundedClockBias,
  cast,
  cumprod,
  geluTanh,
  greater,
  layerNorm,
  logAddExp,
  logSoftmax,
  logsumexp,
  matmul,
  max,
  maximum,
  mean,
  mul,
  naiveSum,
  reshape,
  rmsNorm,
  sigmoid,
  softmax,
  square,
  stableCovariance,
  stableCumsum,
  stableDecay,
  stableExp,
  stableMatmul,
  sub,
  sum,
  type Tensor,
  take,
  tensor,
  variance,
  where,
} from 'tpu-toolkit'
import { grad } from 'tpu-toolkit/autodiff'
import { shadow } from 'tpu-toolkit/precision'
import { key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'

const draw = (seed: number, shape: number[]): Tensor =>
  cast(
    tensor(
      normal(
        key(seed),
        shape.reduce((n, length) => n * length, 1),
      ),
      { shape },
    ),
    'bfloat16',
  )
const x = draw(1, [4, 6])
const w = draw(2, [6, 6])
const ours: Readonly<Record<string, (x: Tensor, w: Tensor) => Tensor>> = {
  softmax: (x) => softmax(x),
  'logSoftmax of two products': (x, w) => logSoftmax(matmul(geluTanh(matmul(x, w)), w)),
  logsumexp: (x) => logsumexp(x),
  logAddExp: (x) => logAddExp(x, 0),
  layerNorm: (x) => layerNorm(x),
  rmsNorm: (x) => rmsNorm(x),
  variance: (x) => variance(x),
  stableCumsum: (x) => stableCumsum(x),
  stableMatmul: (x, w) => stableMatmul(x, w),
  stableCovariance: (x) => stableCovariance(x),
  stableExp: (x) => stableExp(x),
  stableDecay: (x) => stableDecay(mul(square(x), -0.01), stableCumsum(square(x))),
  boundedClockBias: (x) => boundedClockBias(x, { maxDelta: 0.1 }),
  max: (x) => max(x, { axis: 1 }),
  mean: (x) => mean(x, { axis: 0 }),
  cumprod: (x) => cumprod(x),
  take: (x) => take(x, [0, 0, 3]),
  where: (x) => where(greater(x, 0.1), mul(x, 0.1), sigmoid(x)),
  maximum: (x) => maximum(mul(x, 0.3), 0.7),
}

describe('shadow, its check for branches', () => {
  it.each(Object.keys(ours))('%s and its gradient are no branch', (name) => {
    const f = ours[name]!
    expect(shadow(([a, b]) => f(a!, b!), [x, w]).branch).toBeUndefined()
    const gradient = ([a, b]: readonly Tensor[]): Tensor[] =>
      grad((v: readonly Tensor[]) => sum(square(f(v[0]!, v[1]!))))([a!, b!]) as Tensor[]
    expect(shadow(gradient as never, [x, w] as never).branch).toBeUndefined()
  })

  it('a constant that rounding changed is no branch, one that was computed of values is', () => {
    expect(shadow((v) => mul(v, 0.999), x).branch).toBeUndefined()
    expect(shadow((v) => mul(v, 0.1 * 3), x).branch).toBeUndefined()
    const read = shadow((v) => mul(v, naiveSum(v).item()), x)
    expect(read.branch).toMatchObject({ kind: 'constants' })
  })

  it('says a large constant in three values', () => {
    const f = (v: Tensor): Tensor =>
      add(v, tensor(Array.from(sub(v, 1).toNumbers(), Math.sqrt), { shape: v.shape, dtype: v.dtype }))
    const { branch } = shadow(f, reshape(cast(mul(square(draw(3, [64])), 100), 'bfloat16'), [64]))
    // Step 0 rounds the constant; its numbers are shown from the first on that depends on the rounding of v - 1.
    expect(branch).toEqual({
      kind: 'constants',
      step: 1,
      narrow: expect.stringMatching(/^\.\.\., [\d.]+, [\d.]+, [\d.]+, \.\.\. of 64$/),
      wide: expect.stringMatching(/^\.\.\., [\d.]+, [\d.]+, [\d.]+, \.\.\. of 64$/),
    })
    if (typeof branch === 'object') expect(branch.narrow).not.toBe(branch.wide)
  })
})
