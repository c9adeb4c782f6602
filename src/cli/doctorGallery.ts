import { grad } from '../autodiff/index.js'
import { covarianceSpectrum, logSoftmax, naiveCovariance, variance } from '../numerics/index.js'
import { exponential, key, uniform } from '../random/index.js'
import {
  add,
  arange,
  cast,
  concat,
  cos,
  cumsum,
  exp,
  full,
  max,
  mul,
  neg,
  ones,
  reshape,
  sin,
  slice,
  sub,
  sum,
  type Tensor,
  tensor,
  tril,
  where,
  zeros,
} from '../tensor/index.js'
import { type DoctorCase, doctorCase } from './doctorCase.js'
import { draws } from './doctorDraws.js'

const allOnes = ones([1024], { dtype: 'bfloat16' })
const activations = draws(1, [256], { mean: 30 })
const features = draws(16, [512, 8], { mean: 100 })
const losses = tensor(uniform(key(14), 1200, { minval: 9, maxval: 12 }), { dtype: 'bfloat16' })
const decaySteps = mul(tensor(exponential(key(3), 256), { dtype: 'bfloat16' }), -8)
const margins = tensor(
  Array.from({ length: 49 }, (_, i) => [i / 4, 0]),
  { dtype: 'bfloat16' },
)
const gradients = { total: zeros([1], { dtype: 'bfloat16' }), gradient: ones([1], { dtype: 'bfloat16' }) }
const descent = { weight: ones([1], { dtype: 'bfloat16' }), gradient: ones([1], { dtype: 'bfloat16' }) }
const followed = { target: zeros([1], { dtype: 'bfloat16' }), online: ones([1], { dtype: 'bfloat16' }) }
const last = (x: Tensor): number => x.toNumbers().at(-1)!
const exactTotal = last(cumsum(cast(losses, 'float64')))

/** Cases of the gallery whose computation can be run with wider operations, each with the gallery's data and verdict. */
export const galleryCases: readonly DoctorCase[] = [
  doctorCase({
    id: 'ones-stall',
    title: 'the running sum of 1,024 ones',
    f: (x: Tensor) => cumsum(x),
    inputs: allOnes,
    question: 'the sum is 1,024',
    target: { holds: (g) => last(g(allOnes)) === 1024 },
  }),
  doctorCase({
    id: 'neumaier-stall',
    title: 'the compensated running sum of 1,024 ones',
    f: (x: Tensor) => cumsum(x, { order: 'neumaier' }),
    inputs: allOnes,
    question: 'the sum is 1,024',
    target: { holds: (g) => last(g(allOnes)) === 1024 },
  }),
  doctorCase({
    id: 'loss-metric-stuck',
    title: 'the running total of 1,200 losses between 9 and 12',
    f: (x: Tensor) => cumsum(x),
    inputs: losses,
    question: 'the total not below nine tenths of the exact one',
    target: { holds: (g) => last(g(losses)) >= 0.9 * exactTotal },
  }),
  doctorCase({
    id: 'decay-above-one',
    title: 'decays exp(cs_i - cs_j) from an associative scan',
    f: decays,
    inputs: decaySteps,
    question: 'no decay is above 1',
    target: { holds: (g) => max(g(decaySteps)).item() <= 1 },
  }),
  doctorCase({
    id: 'mask-after-exp',
    title: 'the gradient of decays that are masked after exp; wide is float64',
    f: maskedGradient,
    inputs: full([64], -2, { dtype: 'bfloat16' }),
    question: 'no gradient is NaN',
    target: {
      holds: (g) =>
        g(full([64], -2, { dtype: 'bfloat16' }))
          .toNumbers()
          .every(Number.isFinite),
    },
    // float32 ends where bfloat16 does.
    wide: 'float64',
    groupBy: 'name',
  }),
  doctorCase({
    id: 'decay-rounds-to-one',
    title: 'the recurrence h = exp(-0.001) h + x, 30 inputs and 900 steps without',
    f: recurrence,
    inputs: tensor([0.001], { dtype: 'bfloat16' }),
    question: 'the state falls below half of what it was when the input ended',
    target: {
      holds: (g) => {
        const [end, final] = g(tensor([0.001], { dtype: 'bfloat16' })).toNumbers()
        return final! < end! / 2
      },
    },
    groupBy: 'name',
  }),
  doctorCase({
    id: 'gradient-accumulation',
    title:
      'the gradients of 512 micro-batches, added up one by one; wide is an accumulator that is kept wide',
    f: accumulated,
    inputs: gradients,
    question: 'the sum is 512',
    target: { holds: (g) => g(gradients).item() === 512 },
    groupBy: 'name',
  }),
  doctorCase({
    id: 'update-under-half-ulp',
    title: 'a weight that 500 steps of 0.001 lead from 1 to 0.5; wide is a weight that is kept wide',
    f: descended,
    inputs: descent,
    question: 'the weight within a hundredth of 0.5',
    target: { holds: (g) => Math.abs(g(descent).item() - 0.5) <= 0.01 },
    groupBy: 'name',
  }),
  doctorCase({
    id: 'ema-stall',
    title: 'a moving average that keeps 0.996 of itself, 1,200 steps; wide is an average that is kept wide',
    f: average,
    inputs: followed,
    question: 'the average within a hundredth of the weight',
    target: { holds: (g) => 1 - g(followed).item() <= 0.01 },
    groupBy: 'name',
  }),
  doctorCase({
    id: 'rope-positions-alias',
    title: 'rotary embeddings of 1,024 positions',
    f: rotary,
    inputs: { positions: arange(0, 1024), exponents: tensor(frequencyExponents()) },
    question: 'no two positions beside each other are alike',
    target: {
      holds: (g) => !aliased(g({ positions: arange(0, 1024), exponents: tensor(frequencyExponents()) })),
    },
  }),
  doctorCase({
    id: 'log-softmax-collapse',
    title: 'the loss of a class that leads by 0 ... 12',
    f: (x: Tensor) => neg(slice(logSoftmax(x), [null, 0])),
    inputs: margins,
    question: 'no loss is 0',
    target: {
      holds: (g) =>
        g(margins)
          .toNumbers()
          .every((loss) => loss > 0),
    },
  }),
  doctorCase({
    id: 'negative-variance',
    title: 'the variance of 256 activations with mean 30 in one pass',
    f: (x: Tensor) => variance(x, { method: 'one-pass', accumulate: 'float32' }),
    inputs: activations,
    question: 'the variance is not negative',
    target: { holds: (g) => g(activations).item() >= 0 },
  }),
  doctorCase({
    id: 'covariance-loses-rank',
    title: 'the covariance of 8 features with mean 100',
    f: (z: Tensor) => naiveCovariance(z),
    inputs: features,
    question: 'the covariance has rank 8',
    target: { holds: (g) => covarianceSpectrum(g(features)).rank === 8 },
  }),
]

function decays(steps: Tensor): Tensor {
  const n = steps.size
  const sums = cumsum(steps, { order: 'associative' })
  return exp(tril(sub(reshape(sums, [n, 1]), reshape(sums, [1, n]))))
}

function maskedGradient(steps: Tensor): Tensor {
  const n = steps.size
  const lower = tril(tensor(new Float32Array(n * n).fill(1), { shape: [n, n], dtype: 'bool' }))
  return grad((a: Tensor) => {
    const sums = cumsum(a)
    const exponents = sub(reshape(sums, [n, 1]), reshape(sums, [1, n]))
    return sum(where(lower, exp(exponents), 0), { accumulate: 'float32' })
  })(steps)
}

/** The state when the input ends, and at the end. */
function recurrence(rate: Tensor): Tensor {
  const decay = exp(neg(rate))
  let h = mul(decay, 0)
  let end = h
  for (let t = 0; t < 930; t++) {
    h = mul(decay, h)
    if (t < 30) h = add(h, 1)
    if (t === 29) end = h
  }
  return concat([end, h])
}

/** The sum of one gradient, 512 times. */
function accumulated({ total, gradient }: { readonly [name: string]: Tensor }): Tensor {
  let sums = total!
  for (let i = 0; i < 512; i++) sums = add(sums, gradient!)
  return sums
}

function descended({ weight, gradient }: { readonly [name: string]: Tensor }): Tensor {
  let w = weight!
  for (let i = 0; i < 500; i++) w = sub(w, mul(gradient!, 0.001))
  return w
}

function average({ target, online }: { readonly [name: string]: Tensor }): Tensor {
  let kept: Tensor = target!
  for (let i = 0; i < 1200; i++) kept = add(kept, mul(sub(online!, kept), 1 - 0.996))
  return kept
}

function rotary({ positions, exponents }: { readonly [name: string]: Tensor }): Tensor {
  const at = reshape(cast(positions!, 'bfloat16'), [1024, 1])
  const angles = mul(at, exp(cast(exponents!, 'bfloat16')))
  return concat([cos(angles), sin(angles)], { axis: 1 })
}

function frequencyExponents(): Float64Array {
  return Float64Array.from({ length: 16 }, (_, i) => (-i * Math.log(10_000)) / 16)
}

function aliased(table: Tensor): boolean {
  const width = table.shape[1]!
  const bits = table.toBits()
  const rows = Array.from({ length: table.shape[0]! }, (_, i) =>
    bits.slice(i * width, (i + 1) * width).join(),
  )
  return rows.some((row, i) => i > 0 && row === rows[i - 1])
}
