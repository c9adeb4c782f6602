import {
  add,
  cumprod,
  cumsum,
  exp,
  greater,
  matmul,
  mean,
  mul,
  ones,
  reshape,
  slice,
  sub,
  sum,
  type Tensor,
  tensor,
  where,
} from 'tpu-toolkit'
import { samplesNeeded, significance, significantBits } from 'tpu-toolkit/precision'
import { key } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { type KeyFormat, scalar } from '../../support/precisionKeys.js'
import { readText } from '../../support/project.js'
import { seed } from '../../support/seed.js'

interface Distribution {
  readonly format: KeyFormat
  readonly program: string
  readonly mode: string
  readonly inputs: readonly string[]
  readonly mean: number
  readonly standardDeviation: number
  readonly distribution: readonly (readonly [string, number])[]
}

interface Estimator {
  readonly samples: number
  readonly values: string
  readonly reference: number
  readonly plain: number
  readonly significantCnh: number
  readonly contributingCnh: number
  readonly significantGeneral: number
  readonly cestacDecimalDigits: number
}

interface Trial {
  readonly probability: number
  readonly confidence: number
  readonly n: number
}

const keys = JSON.parse(readText('test/golden/precision/stochastic.json'))

const programs: Readonly<Record<string, (x: readonly Tensor[]) => Tensor>> = {
  sum: (x) => x.reduce((a, b) => add(a, b)),
  absorbed: (x) => x.reduce((a, b) => add(a, b)),
  product: (x) => x.reduce((a, b) => mul(a, b)),
  cancel: ([a, b, c, e]) => sub(mul(a!, b!), mul(c!, e!)),
  horner: ([x]) => sub(mul(add(mul(sub(mul(x!, 1), 3), x!), 3), x!), 1),
}

describe('significance', () => {
  it.each(keys.estimators as Estimator[])(
    'gives the estimators of the key, $samples samples',
    (estimator) => {
      const view = new DataView(new ArrayBuffer(8))
      const samples = estimator.values.match(/.{16}/g)!.map((hex) => {
        view.setBigUint64(0, BigInt(`0x${hex}`))
        return view.getFloat64(0)
      })
      const found = significance(samples, { expected: estimator.reference })
      const close = {
        plain: 'plain',
        significant: 'significantCnh',
        contributing: 'contributingCnh',
        decimalDigits: 'cestacDecimalDigits',
      } as const
      // Quantiles and sums in float64: some 2^-50 each.
      for (const [own, theirs] of Object.entries(close)) {
        expect(Math.abs(found[own as keyof typeof close] - estimator[theirs])).toBeLessThan(1e-12)
      }
      expect(found.general).toBe(estimator.significantGeneral)
    },
  )

  it.each(keys.trials as Trial[])(
    'samplesNeeded($probability, $confidence) is $n',
    ({ probability, confidence, n }) => {
      expect(samplesNeeded(probability, confidence)).toBe(n)
    },
  )

  it('asks for two samples and for probabilities', () => {
    expect(() => significance([1])).toThrow(new RangeError('significance: needs two samples or more [1]'))
    expect(() => significance([1, 2], { confidence: 1 })).toThrow(
      new RangeError('significance: not between 0 and 1 [1]'),
    )
    expect(significance([2, 2, 2]).plain).toBe(Infinity)
    expect(significance([1, -1], { expected: 0 }).general).toBe(0)
  })
})

describe(`significantBits, the laws of the key (seed ${seed})`, () => {
  it.each(keys.distributions as Distribution[])(
    '$program in $format, $mode: the mean within six standard errors, and no other values',
    ({ format, program, mode, inputs, mean, standardDeviation, distribution }) => {
      const samples = 2_000
      const found = significantBits(
        programs[program]!,
        inputs.map((code) => scalar(code, format)),
        { key: key(seed), samples, rounding: mode === 'half' ? 'random' : 'stochastic', check: false },
      ).outputs[0]!
      const standardError = standardDeviation / Math.sqrt(samples)
      expect(Math.abs(found.mean.item() - mean)).toBeLessThanOrEqual(6 * standardError)
      // The law of the sample's deviation is that of chi, wider for a law with tails: a fifth is far outside.
      expect(Math.abs(found.deviation.item() - standardDeviation)).toBeLessThanOrEqual(standardDeviation / 5)
      expect(distribution.length).toBeGreaterThan(0)
    },
  )

  it('a sum in one operation has the law of its additions', () => {
    const { inputs, mean, standardDeviation } = (keys.distributions as Distribution[]).find(
      ({ program, mode, format }) =>
        program === 'absorbed' && mode === 'proportional' && format === 'bfloat16',
    )!
    const terms = tensor(
      inputs.map((code) => scalar(code, 'bfloat16').item()),
      { dtype: 'bfloat16' },
    )
    const samples = 500
    const { outputs } = significantBits((x) => sum(x), terms, { key: key(seed), samples })
    expect(Math.abs(outputs[0]!.mean.item() - mean)).toBeLessThanOrEqual(
      (6 * standardDeviation) / Math.sqrt(samples),
    )
  })
})

describe('significantBits', () => {
  const x = tensor([0.1, 0.2, 0.3])

  it('draws the same roundings whatever else is chosen', () => {
    const f = (v: Tensor): Tensor[] => [mul(v, v), exp(v)]
    const all = significantBits(f, x, { key: key(3) })
    const first = significantBits(f, x, { key: key(3), steps: (_, i) => i === 0 })
    expect(first.outputs[0]!.mean.toNested()).toEqual(all.outputs[0]!.mean.toNested())
    expect(first.outputs[1]!.deviation.toNested()).toEqual([0, 0, 0])
    expect(first.steps).toEqual([0])
  })

  it.each([
    ['sum', (v: Tensor) => sum(v), 6],
    ['mean', (v: Tensor) => mean(v), 2],
    ['cumsum', (v: Tensor) => cumsum(v), [1, 3, 6]],
    ['cumprod', (v: Tensor) => cumprod(v), [1, 2, 6]],
    ['matmul', (v: Tensor) => matmul(reshape(v, [1, 3]), reshape(v, [3, 1])), [[14]]],
  ] as const)('runs %s as it is where no step rounds', (_, f, exact) => {
    const { outputs } = significantBits(f, tensor([1, 2, 3]), { key: key(1), samples: 3 })
    expect(outputs[0]!.mean.toNested()).toEqual(exact)
  })

  it('finds the precision of one rounding, and the bits that cancellation leaves', () => {
    const one = significantBits((v) => mul(v, v), x, { key: key(1), samples: 60 })
    for (const bits of one.outputs[0]!.plain.toNumbers()) expect(bits).toBeGreaterThan(23)
    const lost = significantBits((v) => sub(add(v, 1000), 1000), x, { key: key(1), samples: 60 })
    for (const bits of lost.outputs[0]!.plain.toNumbers()) expect(bits).toBeLessThan(15)
  })

  it('says what it cannot see: agreement, overflow, decisions', () => {
    const still = significantBits((v) => add(v, v), x, { key: key(1) })
    expect(still.unseen[1]).toBe('output 0: 3 of 3 elements never changed: exact, or all samples wrong alike')
    const over = significantBits((v) => exp(mul(v, 1000)), x, { key: key(1) })
    expect(over.unseen.join('\n')).toContain('elements overflowed or are NaN: no bits to compare')
    const branch = significantBits((v) => where(greater(v, 0.15), v, mul(v, v)), x, { key: key(1) })
    expect(branch.unseen.at(-1)).toBe('step 1 greater bool [3]: decided alike in all samples, right or wrong')
    const torn = significantBits((v) => where(greater(mul(v, v), slice(mul(v, v), [0])), v, 0), ones([1]), {
      key: key(1),
    })
    expect(torn.unseen.length).toBeGreaterThan(1)
  })

  it('leaves float64 steps alone', () => {
    const run = significantBits((v) => mul(v, v), tensor([0.1], { dtype: 'float64' }), { key: key(1) })
    expect(run.steps).toEqual([])
  })

  it('refuses what makes no sense', () => {
    const f = (v: Tensor): Tensor => mul(v, v)
    expect(() => significantBits(f, x, { key: key(1), samples: 1 })).toThrow(
      new RangeError('significantBits: needs two samples or more [1]'),
    )
    expect(() => significantBits(f, x, {} as never)).toThrow(
      new RangeError('significantBits: option key is missing [no options]'),
    )
    expect(() => significantBits(f, x, { key: key(1), rounding: 'up' as never })).toThrow(
      new RangeError('significantBits: unknown rounding [up]'),
    )
    let calls = 0
    expect(() => significantBits((v) => mul(v, calls++), x, { key: key(1) })).toThrow('is not deterministic')
  })
})
