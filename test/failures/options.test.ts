import * as failures from 'tpu-toolkit/failures'
import { describe, expect, it } from 'vitest'

describe('run(options) refuses what it cannot take', () => {
  it.each(
    failures.gallery
      .filter(({ id }) => id !== 'clip-then-zero-nans')
      .map((failure) => [failure.id, failure] as const),
  )('%s: an integer dtype', (id, failure) => {
    const run = (): unknown => failure.run({ dtype: 'int32' })
    expect(run).toThrow(new TypeError(`${id}: dtype is no floating-point dtype [int32]`))
  })

  it.each(failures.gallery.map((failure) => [failure.id, failure] as const))(
    '%s: a name that it does not know, what is no record',
    (id, failure) => {
      expect(() => failure.run({ banana: 1 } as object)).toThrow(
        new RangeError(
          `${id}: unknown option, there are ${Object.keys(failure.options).join(', ')} [banana]`,
        ),
      )
      for (const options of [5, null, 'bfloat16']) {
        expect(() => failure.run(options as unknown as object)).toThrow(`${id}: options are not an object`)
      }
    },
  )

  const wrong = <O extends object>(failure: failures.Failure<O>, options: O, message: string) =>
    [message, () => failure.run(options), message] as const

  it.each([
    wrong(failures.onesStall, { n: 0 }, 'ones-stall: n is not a whole number from 1 to 1048576 [0]'),
    wrong(failures.onesStall, { n: 2.5 }, 'ones-stall: n is not a whole number from 1 to 1048576 [2.5]'),
    wrong(
      failures.neumaierStalls,
      { n: Number.NaN },
      'neumaier-stall: n is not a whole number from 1 to 1048576 [NaN]',
    ),
    wrong(
      failures.lossMetricStuck,
      { batches: -1 },
      'loss-metric-stuck: batches is not a whole number from 1 to 1048576 [-1]',
    ),
    wrong(failures.decayAboveOne, { n: 1 }, 'decay-above-one: n is not a whole number from 2 to 1024 [1]'),
    wrong(
      failures.batchChangesRow,
      { dtype: 'float32' },
      "batch-changes-row: the unit's dtype is bfloat16 or float16 [float32]",
    ),
    wrong(
      failures.batchChangesRow,
      { way: 'packed' as 'batch' },
      'batch-changes-row: unknown way, there are batch, chunked, split-k, tiles [packed]',
    ),
    wrong(
      failures.batchChangesRow,
      { chunk: 33 },
      'batch-changes-row: chunk is not a whole number from 1 to 32 [33]',
    ),
    wrong(
      failures.maskAfterExp,
      { mask: 'never' as 'after' },
      'mask-after-exp: unknown mask, there are after, before [never]',
    ),
    wrong(
      failures.maskAfterExp,
      { rate: Number.NaN },
      'mask-after-exp: rate is not a number from 0 to 1000 [NaN]',
    ),
    wrong(failures.maskAfterExp, { n: 0 }, 'mask-after-exp: n is not a whole number from 1 to 256 [0]'),
    wrong(
      failures.decayRoundsToOne,
      { rate: -1 },
      'decay-rounds-to-one: rate is not a number from 0 to 1 [-1]',
    ),
    wrong(
      failures.decayRoundsToOne,
      { inputSteps: 0 },
      'decay-rounds-to-one: inputSteps is not a whole number from 1 to 1000 [0]',
    ),
    wrong(failures.epsUnderflow, { eps: -1 }, 'eps-underflow: eps is not a number from 0 to 1 [-1]'),
    wrong(failures.beta2RoundsToOne, { b2: 2 }, 'beta2-rounds-to-one: b2 is not a number from 0 to 1 [2]'),
    wrong(
      failures.updateUnderHalfUlp,
      { learningRate: 2 },
      'update-under-half-ulp: learningRate is not a number from 0 to 1 [2]',
    ),
    wrong(
      failures.updateUnderHalfUlp,
      { steps: 0 },
      'update-under-half-ulp: steps is not a whole number from 1 to 10000 [0]',
    ),
    wrong(
      failures.updateUnderHalfUlp,
      { mode: 'none' as 'kahan' },
      'storedParams: unknown mode, there are nearest, master, kahan, stochastic [none]',
    ),
    wrong(failures.emaStall, { tau: 1.5 }, 'ema-stall: tau is not a number from 0 to 1 [1.5]'),
    wrong(failures.emaStall, { steps: 0 }, 'ema-stall: steps is not a whole number from 1 to 100000 [0]'),
    wrong(
      failures.gradientAccumulation,
      { microBatches: 0 },
      'gradient-accumulation: microBatches is not a whole number from 1 to 65536 [0]',
    ),
    wrong(
      failures.ringAllReduce,
      { replicas: 1 },
      'ring-all-reduce: replicas is not a whole number from 2 to 1024 [1]',
    ),
    wrong(
      failures.ropePositionsAlias,
      { positions: 1 },
      'rope-positions-alias: positions is not a whole number from 2 to 32768 [1]',
    ),
    wrong(
      failures.negativeVariance,
      { method: 'no-pass' as 'one-pass' },
      'negative-variance: unknown method, did you mean one-pass [no-pass]',
    ),
    wrong(
      failures.negativeVariance,
      { mean: Infinity },
      'negative-variance: mean is not a number from -1000 to 1000 [Infinity]',
    ),
    wrong(
      failures.covarianceLosesRank,
      { mean: Number.NaN },
      'covariance-loses-rank: mean is not a number from -1000 to 1000 [NaN]',
    ),
    wrong(
      failures.tanhReachesBound,
      { limit: 0 },
      'tanh-reaches-bound: limit is not a number from 0.015625 to 100 [0]',
    ),
    wrong(
      failures.tanhReachesBound,
      { maxDelta: -1 },
      'boundedClockBias: maxDelta is not a finite number, 0 or more [-1]',
    ),
    wrong(
      failures.lossScaleCollapse,
      { logit: 0 },
      'loss-scale-collapse: logit is not a number from 1 to 1000000000 [0]',
    ),
    wrong(
      failures.clipThenZeroNans,
      { form: 'other' as 'shifted' },
      'clip-then-zero-nans: unknown form, there are unshifted, shifted [other]',
    ),
    wrong(
      failures.clipThenZeroNans,
      { target: 0 },
      'clip-then-zero-nans: target is not a number from 1 to 1000 [0]',
    ),
  ])('%s', (_, run, message) => {
    expect(run).toThrow(new RangeError(message))
  })
})
