import { grad } from 'tpu-toolkit/autodiff'
import { unaryNames } from 'tpu-toolkit/functions'
import { logAddExp, logSoftmax, logsumexp, softmax, variance } from 'tpu-toolkit/numerics'
import * as t from 'tpu-toolkit/tensor'
import { type Tensor, tensor } from 'tpu-toolkit/tensor'

const unary = Object.fromEntries(
  unaryNames.map((name) => [name, (x: Tensor) => t.apply(t.ops[name]!, [x], undefined)]),
)
/** The functions of scripts/golden/autodiff.py. */
export const functions: Readonly<Record<string, (a: Tensor, b: Tensor) => Tensor>> = {
  ...unary,
  ...{
    add: t.add,
    sub: t.sub,
    mul: t.mul,
    div: t.div,
    pow: t.pow,
    atan2: t.atan2,
    hypot: t.hypot,
    logAddExp,
  },
  ...{ minimum: t.minimum, maximum: t.maximum, matmul: (a, b) => t.matmul(a, b) },
  softmax: (x) => softmax(x),
  logSoftmax: (x) => logSoftmax(x),
  wherePositive: (a, b) => t.where(t.greater(a, 0), b, t.mul(a, 2)),
  reshapeTransposeFlip: (x) => t.flip(t.transpose(t.reshape(x, [2, 3, 2]), [2, 0, 1]), { axis: [0, 2] }),
  broadcastTo: (x) => t.broadcastTo(x, [2, 3, 4]),
  sliceSteps: (x) => t.slice(x, [1, [null, null, -2], [1, null]]),
  takeRepeated: (x) => t.take(x, tensor([2, 0, 2, 2], { shape: [2, 2], dtype: 'int32' }), { axis: 1 }),
  concatStack: (a, b) => t.stack([t.concat([a, b], { axis: 1 }), t.concat([b, a], { axis: 1 })], { axis: 1 }),
  tril: (x) => t.tril(x, { k: 1 }),
  triu: (x) => t.triu(x, { k: -1 }),
  sum: (x) => t.sum(x, { axis: [0, 2] }),
  mean: (x) => t.mean(x, { axis: 1 }),
  max: (x) => t.max(x, { axis: 1 }),
  min: (x) => t.min(x, { axis: 0 }),
  cumsum: (x) => t.cumsum(x, { axis: 1 }),
  cumprod: (x) => t.cumprod(x, { axis: 0 }),
  logsumexp: (x) => logsumexp(x, { axis: 1 }),
  variance: (x) => variance(x, { axis: 1 }),
  hessianVector: (x, v) => {
    const f = (y: Tensor): Tensor => t.sum(t.mul(t.exp(t.sin(y)), t.flip(y)))
    return grad((y: Tensor) => t.sum(t.mul(grad(f)(y), v)))(x)
  },
}

// A gradient is a few operations of relative error 2^-52 each, and sums of up to 24 of them; JAX's own error beside it.
// lgamma and gelu lean on float64 functions that are good to 2^-44 only.
export const tolerance = (name: string): number =>
  name === 'lgamma' || name === 'gelu' ? 2 ** -43 : 2 ** -47
