import * as failures from 'tpu-toolkit/failures'
import { round } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { readText } from '../support/project.js'

// The named event of each failure. The readings of the naive way are held to programs in NumPy, JAX and optax
// (test/golden/failures); how an event moves with the options, to arithmetic or a plain loop over `round`.

const keys: Record<string, object> = JSON.parse(readText('test/golden/failures/readings.json'))

describe('run().naive', () => {
  it.each(failures.gallery.map((failure) => [failure.id, failure] as const))(
    '%s reads what the independent program reads',
    (id, failure) => {
      expect(failure.run().naive).toMatchObject(keys[id]!)
    },
  )

  it('every failure has a key, and no key is left over', () => {
    expect(Object.keys(keys).sort()).toEqual(failures.gallery.map(({ id }) => id).sort())
  })
})

describe('sums that stall', () => {
  it('onesStall.run() stalls at 256 after 256 ones, at 2048 in float16, at 16 in float8_e4m3fn', () => {
    expect(failures.onesStall.run().naive).toMatchObject({ sum: 256, lastChange: 256 })
    expect(failures.onesStall.run({ dtype: 'float16', n: 4096 }).naive).toMatchObject({
      sum: 2048,
      lastChange: 2048,
    })
    expect(failures.onesStall.run({ dtype: 'float8_e4m3fn' }).naive).toMatchObject({
      sum: 16,
      lastChange: 16,
    })
    expect(failures.onesStall.run().stable).toEqual({ sum: 1024 })
  })

  it('onesStall.run({ n }) does not fail with 256 ones or fewer', () => {
    expect(failures.onesStall.run({ n: 256 }).verdict).toEqual({
      holds: false,
      text: 'The sum of 256 ones is 256.',
    })
    expect(failures.onesStall.run({ n: 257 }).verdict.holds).toBe(true)
    expect(failures.onesStall.run({ n: 1 }).verdict.text).toBe('The sum of 1 ones is 1.')
  })

  it('neumaierStalls.run() stalls at 512 after 511 ones; its plain sum at 256, and Kahan goes on', () => {
    const { naive, stable, verdict } = failures.neumaierStalls.run()
    expect(naive).toMatchObject({ sum: 512, lastChange: 511 })
    expect(stable['sum']).toBe(1024)
    expect(verdict.text).toContain('the plain sum ends at 256')
    expect(failures.neumaierStalls.run({ order: 'sequential' }).naive['sum']).toBe(256)
    expect(failures.neumaierStalls.run({ order: { blocked: 16 } }).figure.series[1]?.name).toBe('blocked 16')
  })

  it('lossMetricStuck.run() sticks at 4096 from batch 349 on, as a loop of rounded additions does', () => {
    const { naive, stable } = failures.lossMetricStuck.run()
    expect(naive).toMatchObject({ total: 4096, lastChange: 349, meanLoss: 4096 / 1200 })
    expect(stable['meanLoss']).toBeGreaterThan(10.4)
    expect(stable['meanLoss']).toBeLessThan(10.6)
    for (const loss of [9, 11.9375]) expect(round(4096 + loss, 'bfloat16')).toBe(4096)
    expect(failures.lossMetricStuck.run({ batches: 300 }).verdict.holds).toBe(false)
  })
})

describe('state-space models', () => {
  it('decayAboveOne.run(): a prefix lies above the one before at step 160, the decay is exp(8)', () => {
    const { naive, stable } = failures.decayAboveOne.run()
    expect(naive).toEqual({ maxDecay: round(Math.exp(8), 'bfloat16'), rising: 2, firstRise: 160 })
    expect(stable).toEqual({ maxDecay: 1, rising: 0 })
  })

  it('decayAboveOne.run({ order }) never rises where rounding is monotone: sequentially, in any dtype', () => {
    for (const dtype of ['bfloat16', 'float16', 'float8_e5m2', 'float32'] as const) {
      expect(failures.decayAboveOne.run({ dtype, order: 'sequential' }).naive).toMatchObject({
        rising: 0,
        firstRise: null,
      })
    }
  })

  it('maskAfterExp.run(): the loss is right and every gradient is NaN', () => {
    const { naive, stable, verdict } = failures.maskAfterExp.run()
    expect(naive['loss']).toBe(stable['loss'])
    expect(naive['nanGradients']).toBe(64)
    // The smallest multiple of 2 beyond ln of the largest bfloat16, 88.72.
    expect(naive['exponent']).toBe(90)
    expect(verdict.text).toBe(
      'The loss is 74, as it should be, and 64 of 64 gradients are NaN: exp(90) overflows at [0, 45], the mask hides it, and in the backward pass 0 times Inf is NaN.',
    )
    expect(stable['nanGradients']).toBe(0)
    // d/da_k of sum_(i >= j) exp(a_(j+1) + ... + a_i): the decays of the pairs that straddle k; a_1 is in none.
    const exact = (k: number): number => {
      let total = 0
      for (let j = 1; j < k; j++) for (let i = k; i <= 64; i++) total += Math.exp(-2 * (i - j))
      return total
    }
    const gradients = stable['gradients'] as number[]
    expect(gradients[0]).toBe(0)
    // 64 additions of bfloat16 numbers, each off by at most 2^-8 of their largest sum, which is below 1.
    for (let k = 2; k <= 64; k++) expect(Math.abs(gradients[k - 1]! - exact(k))).toBeLessThan(64 * 2 ** -8)
  })

  it('maskAfterExp.run({ rate }) begins to fail where an exponent passes ln of the largest bfloat16, 88.72', () => {
    expect(failures.maskAfterExp.run({ n: 2, rate: 88.5 }).verdict.holds).toBe(false)
    expect(failures.maskAfterExp.run({ n: 2, rate: 89 }).verdict.holds).toBe(true)
    expect(failures.maskAfterExp.run({ n: 2, rate: 89, dtype: 'float32' }).verdict.holds).toBe(true)
    expect(failures.maskAfterExp.run({ n: 2, rate: 89, dtype: 'float64' }).verdict.holds).toBe(false)
  })

  it('decayRoundsToOne.run(): the decay is 1 and the state is 100 for ever', () => {
    const { naive, stable } = failures.decayRoundsToOne.run()
    expect(naive).toEqual({ decay: 1, afterInput: 100, final: 100 })
    // h = (1 - d^100) / (1 - d), then d^3000 of it; 3,100 roundings of float64.
    const decay = Math.exp(-0.001)
    const after = (1 - decay ** 100) / (1 - decay)
    expect(stable['afterInput'] as number).toBeCloseTo(after, 9)
    expect(stable['final'] as number).toBeCloseTo(after * decay ** 3000, 9)
    // Half the distance to the neighbour of 1 below is 2^-9.
    expect(failures.decayRoundsToOne.run({ rate: 2 ** -9 }).verdict.holds).toBe(true)
    expect(failures.decayRoundsToOne.run({ rate: 2 ** -9 + 2 ** -16 }).verdict.holds).toBe(false)
  })
})

describe('optimizers', () => {
  it('epsUnderflow.run(): eps is 0 in float16 and the parameter NaN from the first step on', () => {
    const { naive, stable } = failures.epsUnderflow.run()
    expect(naive).toEqual({ eps: 0, parameter: Number.NaN, firstNaNStep: 1 })
    expect(stable['firstNaNStep']).toBe(null)
    // 2^-25 is half the smallest number, and goes to even, which is 0.
    expect(failures.epsUnderflow.run({ eps: 2 ** -25 }).verdict.holds).toBe(true)
    expect(failures.epsUnderflow.run({ eps: 2 ** -25 * 1.01 }).verdict.holds).toBe(false)
  })

  it('beta2RoundsToOne.run(): b2 is 1 and nu ends where it was when the gradients became small', () => {
    const { naive, stable } = failures.beta2RoundsToOne.run()
    expect(naive).toMatchObject({ b2: 1 })
    expect(naive['final']).toBe(naive['peak'])
    // 1,400 steps of three float32 roundings, and the little that gradients of 0.001 add.
    const [peak, final] = [stable['peak'] as number, stable['final'] as number]
    expect(Math.abs(final - peak * 0.999 ** 1400)).toBeLessThan(1400 * 3 * 2 ** -24 * final + 1e-6)
    expect(failures.beta2RoundsToOne.run({ dtype: 'float16' }).naive['b2']).toBe(round(0.999, 'float16'))
  })

  it('updateUnderHalfUlp.run(): no step moves the weight; master, Kahan and stochastic ones come to about 0.5', () => {
    expect(failures.updateUnderHalfUlp.run().naive).toEqual({ weight: 1, moved: 0 })
    for (const mode of ['master', 'kahan'] as const) {
      expect(failures.updateUnderHalfUlp.run({ mode }).naive['weight']).toBe(0.5)
    }
    // Of 64 weights the mean: each is the sum of 500 draws of variance at most 2^-18 (a step is 2^-8 or less).
    const { naive } = failures.updateUnderHalfUlp.run({ mode: 'stochastic' })
    expect(Math.abs((naive['weight'] as number) - 0.5)).toBeLessThan(6 * Math.sqrt((500 * 2 ** -18) / 64))
    // Half an ulp below 1 is 2^-9: a tie goes back to 1, anything more moves.
    expect(failures.updateUnderHalfUlp.run({ learningRate: 2 ** -9 }).verdict.holds).toBe(true)
    expect(failures.updateUnderHalfUlp.run({ learningRate: 2 ** -9 + 2 ** -20 }).verdict.holds).toBe(false)
  })

  it('emaStall.run(): the average moves last in step 206, with half the way to go', () => {
    const { naive, stable } = failures.emaStall.run()
    expect(naive).toMatchObject({ target: 0.50390625, lastChange: 206 })
    expect(stable['gap'] as number).toBeLessThan(1e-4)
    // The same step on bare numbers: (1 - tau) + q(tau) target, each product and the sum rounded.
    const q = (x: number): number => round(x, 'bfloat16')
    let target = 0
    for (let step = 0; step < 3000; step++) target = q(q(1 - 0.996) + q(q(0.996) * target))
    expect(target).toBe(naive['target'])
  })
})

describe('gradients of many', () => {
  it('gradientAccumulation.run(): micro-batch 256 is the last that counts', () => {
    expect(failures.gradientAccumulation.run().naive).toEqual({ gradient: 256, lastCounted: 256 })
    expect(failures.gradientAccumulation.run({ microBatches: 258 }).verdict.holds).toBe(true)
    expect(failures.gradientAccumulation.run({ microBatches: 1 }).naive).toEqual({
      gradient: 1,
      lastCounted: 1,
    })
    expect(
      failures.gradientAccumulation.run({ dtype: 'float16', microBatches: 4096 }).naive['gradient'],
    ).toBe(2048)
  })

  it('ringAllReduce.run(): rings of 2 to 256, the last one off by 6 %, a tree by less than 1 %', () => {
    const { naive, stable } = failures.ringAllReduce.run()
    expect(naive['replicas']).toEqual([2, 4, 8, 16, 32, 64, 128, 256])
    expect(naive['worst'] as number).toBeGreaterThan(0.05)
    // One rounding to bfloat16 of means below 2: half of 2^-7.
    expect(stable['worst'] as number).toBeLessThanOrEqual(2 ** -8)
    expect(failures.ringAllReduce.run({ order: 'tree' }).naive['worst'] as number).toBeLessThan(0.01)
    expect(failures.ringAllReduce.run({ replicas: 3 }).naive['replicas']).toEqual([2])
  })
})

describe('functions and statistics', () => {
  it('ropePositionsAlias.run(): position 257 is taken for 256, 513 positions of 1,024 are left', () => {
    const { naive, stable } = failures.ropePositionsAlias.run()
    const kept = new Set(Array.from({ length: 1024 }, (_, i) => round(i, 'bfloat16')))
    expect(naive).toEqual({ distinct: kept.size, firstAlias: 257 })
    expect(stable).toEqual({ distinct: 1024, firstAlias: null })
    expect(failures.ropePositionsAlias.run({ dtype: 'float16', positions: 2051 }).naive['firstAlias']).toBe(
      2049,
    )
  })

  it('logSoftmaxCollapse.run(): the loss is 0 from a margin of 5.75 on, the first with e^-m at most 2^-8', () => {
    const { naive, stable } = failures.logSoftmaxCollapse.run()
    expect(naive).toMatchObject({ firstZero: 5.75, loss: 0 })
    expect(stable['loss']).toBe(round(Math.log1p(Math.exp(-5.75)), 'bfloat16'))
    for (const [i, loss] of (naive['losses'] as number[]).entries()) {
      expect(loss === 0).toBe(Math.exp(-i / 4) <= 2 ** -8)
    }
  })

  it('negativeVariance.run(): -4, and NaN behind the root; in two passes near 1', () => {
    const { naive, stable } = failures.negativeVariance.run()
    expect(naive).toEqual({ variance: -4, normalised: Number.NaN })
    expect(stable['variance'] as number).toBeCloseTo(1.1, 1)
    expect(failures.negativeVariance.run({ method: 'welford' }).verdict.holds).toBe(false)
  })

  it('covarianceLosesRank.run(): rank 1 of 8', () => {
    const { naive, stable } = failures.covarianceLosesRank.run()
    expect(naive['rank']).toBe(1)
    expect(naive['effectiveRank'] as number).toBeCloseTo(1, 9)
    expect(stable['rank']).toBe(8)
    expect(stable['effectiveRank'] as number).toBeGreaterThan(7.9)
  })

  it('tanhReachesBound.run(): at the bound from 3.46875 on, with slope 0', () => {
    expect(failures.tanhReachesBound.run().naive).toEqual({ reached: 3.46875, slope: 0 })
    expect(round(Math.tanh(3.46875), 'bfloat16')).toBe(1)
    expect(round(Math.tanh(3.453125), 'bfloat16')).toBeLessThan(1)
    expect(failures.tanhReachesBound.run({ dtype: 'float32', limit: 10 }).naive['reached']).toBe(9.015625)
  })
})

describe('attention', () => {
  it('attentionTies.run(): three of four outputs too far from zero; a rest of half an ulp is needed for it', () => {
    const { naive, stable } = failures.attentionTies.run()
    expect(naive).toMatchObject({ away: 1540, toward: 508 })
    expect(Math.abs(stable['bias'] as number)).toBeLessThan(0.1)
    expect(failures.attentionTies.run({ gap: 6 }).verdict.holds).toBe(false)
  })

  it('attentionMaskedRow.run(): rows of skipped blocks are NaN, other rows without a key leak', () => {
    expect(failures.attentionMaskedRow.run().naive).toMatchObject({ nanRows: 16, leakingRows: 4 })
    expect(failures.attentionMaskedRow.run({ block: 64 }).naive).toMatchObject({
      nanRows: 0,
      leakingRows: 20,
    })
    expect(failures.attentionMaskedRow.run({ form: 'pallas' }).naive).toMatchObject({
      nanRows: 0,
      leakingRows: 4,
    })
    expect(failures.attentionMaskedRow.run().stable).toMatchObject({ nanRows: 0, leakingRows: 0 })
  })

  it('attentionFusedExponent.run(): the exponent is what rounding m c lost', () => {
    const { naive, stable } = failures.attentionFusedExponent.run()
    expect(naive).toMatchObject({ exponent: 7916, probability: Infinity, notFinite: 256 })
    expect(stable).toMatchObject({ exponent: 0, probability: 1, notFinite: 0 })
  })
})

describe('runs that are dead', () => {
  it('lossScaleCollapse.run(): sixteen halvings down to 1, every step skipped', () => {
    const { naive, stable } = failures.lossScaleCollapse.run()
    expect(naive).toMatchObject({ scale: 1, skipped: 40 })
    expect((naive['scales'] as number[]).slice(0, 18)).toEqual([
      ...Array.from({ length: 17 }, (_, i) => 2 ** (16 - i)),
      1,
    ])
    expect(stable).toMatchObject({ scale: 65536, skipped: 0 })
    // 65504 is the largest float16; from 65520 on a number rounds to Inf.
    expect(failures.lossScaleCollapse.run({ logit: 65_000 }).verdict.holds).toBe(false)
    expect(failures.lossScaleCollapse.run({ logit: 66_000 }).verdict.holds).toBe(true)
  })

  it('clipThenZeroNans.run(): not finite from step 449 to the end, the parameter frozen from step 484 on', () => {
    const { naive, stable } = failures.clipThenZeroNans.run()
    expect(naive).toMatchObject({ firstNonFinite: 449, lastMove: 484, badSteps: 252 })
    expect(Number.isFinite(naive['loss'])).toBe(false)
    // The last finite parameter lies under ln of the largest float32, the frozen one above it.
    expect(naive['parameter'] as number).toBeGreaterThan(Math.log(3.4028234663852886e38))
    expect(stable).toMatchObject({ firstNonFinite: null, lastMove: 700, badSteps: 0 })
  })
})
