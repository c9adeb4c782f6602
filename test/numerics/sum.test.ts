import { formatNames } from 'tpu-toolkit/formats'
import {
  logSoftmax,
  logsumexp,
  naiveMean,
  naiveSum,
  norm,
  softmax,
  std,
  variance,
} from 'tpu-toolkit/numerics'
import { einsum, full, mean, prod, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

/** Results of jax 0.10.2 on a CPU, operations one by one, of ((37 i) mod 101) / 64, i below 300; prod of twenty 1.25. */
const jaxResults = {
  bfloat16: {
    ...{ sum: 234, mean: 0.78125, variance: 0.2080078125, std: 0.45703125, norm: 15.625, prod: 86.5 },
    ...{ logsumexp: 6.59375, softmax: 0.003753662109375, logSoftmax: -5.59375, dot: 245 },
  },
  float16: {
    ...{ sum: 233.875, mean: 0.77978515625, variance: 0.2076416015625, std: 0.45556640625, norm: 15.640625 },
    ...{
      prod: 86.75,
      logsumexp: 6.5859375,
      softmax: 0.0037517547607421875,
      logSoftmax: -5.5859375,
      dot: 244.625,
    },
  },
}

describe('defaults of sums in narrow formats', () => {
  it.each(['bfloat16', 'float16'] as const)('%s results equal those of jax.numpy and jax.nn', (dtype) => {
    const x = tensor(
      Float64Array.from({ length: 300 }, (_, i) => ((37 * i) % 101) / 64),
      { dtype },
    )
    const at = (y: Tensor): number => y.toNumbers()[100]!
    expect({
      sum: sum(x).item(),
      mean: mean(x).item(),
      variance: variance(x).item(),
      std: std(x).item(),
      norm: norm(x).item(),
      prod: prod(full([20], 1.25, { dtype })).item(),
      logsumexp: logsumexp(x).item(),
      softmax: at(softmax(x)),
      logSoftmax: at(logSoftmax(x)),
      dot: einsum('i,i->', [x, x]).item(),
    }).toEqual(jaxResults[dtype])
  })

  it('mean of 1,024 bfloat16 numbers 2.3 is 2.296875, of 4,096 numbers .25 is .25, as jnp.mean', () => {
    const x = full([1024], 2.3, { dtype: 'bfloat16' })
    expect(mean(x).item()).toBe(2.296875)
    expect(naiveMean(x).item()).toBe(1)
    expect(mean(full([4096], 0.25, { dtype: 'bfloat16' })).item()).toBe(0.25)
  })

  it.each(formatNames)('naiveSum and naiveMean of %s are the sums with its own accumulator', (dtype) => {
    const x = tensor(
      Float64Array.from({ length: 600 }, (_, i) => 2 ** (i % 3)),
      { shape: [2, 300], dtype },
    )
    for (const options of [{}, { axis: 1 }, { axis: 0, keepDims: true }, { order: 'pairwise' as const }]) {
      const named = { ...options, accumulate: dtype }
      expect(naiveSum(x, options).toBits()).toEqual(sum(x, named).toBits())
      expect(naiveMean(x, options).toBits()).toEqual(mean(x, named).toBits())
    }
  })

  it('an internal dtype that is given is that of the sums, an accumulator alone keeps the operations narrow', () => {
    const x = full([600], 1, { dtype: 'bfloat16' })
    expect(norm(x, { ord: 1 }).item()).toBe(600)
    expect(norm(x, { ord: 1, internal: 'bfloat16' }).item()).toBe(256)
    expect(norm(x, { ord: 1, internal: 'bfloat16', accumulate: 'float32' }).item()).toBe(600)
    const near = tensor([100, 101, 102], { dtype: 'bfloat16' })
    expect(variance(near, { method: 'one-pass', accumulate: 'bfloat16' }).item()).toBe(-64)
    expect(variance(near, { method: 'one-pass', internal: 'bfloat16' }).item()).toBe(-64)
  })

  it('integers and other options are refused', () => {
    expect(() => naiveSum(tensor([1], { dtype: 'int32' }))).toThrow(
      new TypeError('naiveSum: needs a floating-point dtype, cast first [int32]'),
    )
    expect(() => naiveMean(tensor([1]), { accumulate: 'float32' } as never)).toThrow(
      'naiveMean: unknown option',
    )
  })
})
