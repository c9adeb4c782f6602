import { layerNorm, logSoftmax, logsumexp, rmsNorm, softmax, variance } from 'tpu-toolkit/numerics'
import { seeded } from 'tpu-toolkit/random'
import {
  cast,
  type FloatDType,
  full,
  max,
  mean,
  slice,
  stack,
  type Tensor,
  tensor,
  transpose,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { bfloat16, hexOf, readKey } from '../support/reductionKeys.js'
import { seed } from '../support/seed.js'

interface Case {
  readonly n: number
  readonly offset: number
  readonly scale: number
  readonly x: string
  readonly bf16: Record<string, string>
  readonly f32_internal: Record<string, string>
  readonly f64: { var: number; logsumexp: number; mean: number }
}

const { cases } = readKey<{ cases: Case[] }>('normalisers')

type Way = <D extends FloatDType>(x: Tensor<D>, internal: FloatDType) => Tensor<D>
const ways: Record<string, Way> = {
  softmax: (x, internal) => softmax(x, { internal }),
  log_softmax: (x, internal) => logSoftmax(x, { internal }),
  logsumexp: (x, internal) => logsumexp(x, { internal }),
  mean: (x, internal) => mean(x, { accumulate: internal }),
  var_two_pass: (x, internal) => variance(x, { internal }),
  var_one_pass: (x, internal) => variance(x, { internal, method: 'one-pass' }),
  var_welford: (x, internal) => variance(x, { internal, method: 'welford' }),
  layer_norm: (x, internal) => layerNorm(x, { internal }),
  rms_norm: (x, internal) => rmsNorm(x, { internal }),
}

describe('normalisers, 63 cases', () => {
  it.each(Object.entries(ways))('%s is the recorded code, op by op and in float32', (name, way) => {
    for (const { n, offset, scale, x, bf16, f32_internal } of cases) {
      const where = `${name} n ${n} offset ${offset} scale ${scale}`
      expect(hexOf(way(bfloat16(x), 'bfloat16')), where).toBe(bf16[name])
      expect(hexOf(way(bfloat16(x), 'float32')), `${where} float32`).toBe(f32_internal[name])
    }
  })

  it('logsumexp and variance in float64 are the recorded float64 values', () => {
    for (const { n, x, f64 } of cases) {
      const wide = cast(bfloat16(x), 'float64')
      // Plain bounds of n sums and one log: of the largest element, and of the sum of squares about the mean.
      const slip = (n + 4) * 2 ** -53 * (1 + Math.max(...wide.toNumbers().map(Math.abs)))
      expect(Math.abs(logsumexp(wide).item() - f64.logsumexp)).toBeLessThanOrEqual(2 * slip)
      expect(Math.abs(variance(wide).item() - f64.var)).toBeLessThanOrEqual(
        4 * slip * Math.sqrt(f64.var) + slip ** 2,
      )
    }
  })
})

describe('softmax, logSoftmax, logsumexp', () => {
  it('logsumexp takes the order and the accumulator of its sum', () => {
    const x = full([300], 0, { dtype: 'bfloat16' })
    // Ones stall at 256 in bfloat16: log 256 is 5.545, log 300 is 5.704.
    expect(logsumexp(x, { accumulate: 'bfloat16' }).item()).toBe(5.53125)
    expect(logsumexp(x, { accumulate: 'float32', order: 'pairwise' }).item()).toBe(5.71875)
  })
  const minus = -Infinity
  const nan = Number.NaN

  it.each(['bfloat16', 'float16', 'float32', 'float64'] as const)(
    'rows of -Inf, of +Inf and of NaN come out as documented in %s, in every form',
    (dtype) => {
      for (const internal of [dtype, 'float32', 'float64'] as const) {
        const row = (values: number[]) => tensor(values, { dtype })
        expect(softmax(row([minus, minus]), { internal }).toNested()).toEqual([nan, nan])
        expect(logSoftmax(row([minus, minus]), { internal }).toNested()).toEqual([nan, nan])
        expect(logsumexp(row([minus, minus]), { internal }).item()).toBe(minus)
        expect(softmax(row([0, Infinity]), { internal }).toNested()).toEqual([nan, nan])
        expect(logsumexp(row([0, Infinity]), { internal }).item()).toBe(Infinity)
        expect(logsumexp(row([minus, Infinity]), { internal }).item()).toBe(Infinity)
        expect(softmax(row([0, nan]), { internal }).toNested()).toEqual([nan, nan])
        expect(logsumexp(row([0, nan]), { internal }).item()).toBe(nan)
        expect(softmax(row([0, minus]), { internal }).toNested()).toEqual([1, 0])
        expect(logSoftmax(row([0, minus]), { internal }).toNested()).toEqual([0, minus])
        expect(softmax(row([7]), { internal }).toNested()).toEqual([1])
        expect(logsumexp(row([7]), { internal }).item()).toBe(7)
      }
    },
  )

  it(`softmax is off by (2 D + n + 2) u relatively, in float32 by half an ulp more than 2^-24 of that (seed ${seed})`, () => {
    const random = seeded(`softmax ${seed}`)
    const ratios = { bfloat16: 0, float32: 0 }
    for (let draw = 0; draw < 300; draw++) {
      const n = 1 + Math.floor(random() * 16)
      const x = tensor(
        Float64Array.from({ length: n }, () => random() * 4),
        { dtype: 'bfloat16' },
      )
      const values = x.toNumbers()
      const largest = Math.max(...values)
      const D = largest - Math.min(...values)
      const total = values.reduce((s, v) => s + Math.exp(v - largest), 0)
      for (const internal of ['bfloat16', 'float32'] as const) {
        const u = internal === 'bfloat16' ? 2 ** -8 : 2 ** -24
        const inside = Math.expm1((2 * D + n + 2) * u)
        const bound = internal === 'bfloat16' ? inside : 2 ** -8 + inside
        softmax(x, { internal })
          .toNumbers()
          .forEach((y, i) => {
            const exact = Math.exp(values[i]! - largest) / total
            ratios[internal] = Math.max(ratios[internal], Math.abs(y - exact) / exact / bound)
          })
      }
    }
    for (const ratio of Object.values(ratios)) {
      expect(ratio).toBeLessThanOrEqual(1)
      expect(ratio).toBeGreaterThan(0.2)
    }
  })

  it('no elements: nothing to normalise, and a log-sum of -Inf', () => {
    expect(softmax(tensor([])).toNested()).toEqual([])
    expect(logSoftmax(tensor([], { shape: [2, 0] })).shape).toEqual([2, 0])
    expect(logsumexp(tensor([])).item()).toBe(minus)
    expect(logsumexp(tensor([], { shape: [2, 0] }), { axis: 1 }).toNested()).toEqual([minus, minus])
  })

  it.each(['softmax', 'log_softmax', 'layer_norm', 'rms_norm'])('%s runs along any axis', (name) => {
    const { x } = cases.find(({ n, scale }) => n === 128 && scale === 1)!
    const rows = bfloat16(x, [8, 16])
    const op = { softmax, log_softmax: logSoftmax, layer_norm: layerNorm, rms_norm: rmsNorm }[name]!
    for (const internal of ['bfloat16', 'float32'] as const) {
      const whole = op(rows, { internal })
      expect(hexOf(transpose(op(transpose(rows), { axis: 0, internal })))).toBe(hexOf(whole))
      expect(hexOf(slice(whole, [3]))).toBe(hexOf(op(slice(rows, [3]), { internal })))
    }
  })

  it('logsumexp reduces one axis, several, or all, and keeps them if told', () => {
    const x = tensor([
      [0, 0],
      [0, 0],
    ])
    expect(logsumexp(x).item()).toBe(Math.fround(Math.log(4)))
    expect(logsumexp(x, { axis: [0, 1], keepDims: true }).shape).toEqual([1, 1])
    expect(logsumexp(x, { axis: -1 }).shape).toEqual([2])
    expect(logsumexp(x, { axis: 0, keepDims: true }).shape).toEqual([1, 2])
  })

  it('the sum inside takes an order and an accumulator', () => {
    const x = tensor(new Float64Array(600), { dtype: 'bfloat16' })
    expect(max(softmax(x, { accumulate: 'bfloat16' })).item()).toBe(2 ** -8)
    expect(max(softmax(x)).item()).toBe(tensor(1 / 600, { dtype: 'bfloat16' }).item())
    expect(max(softmax(x, { accumulate: 'bfloat16', order: { windowed: 32 } })).item()).toBeLessThan(2 ** -9)
  })

  it('integers, unknown dtypes and negative eps are refused', () => {
    expect(() => softmax(tensor([1], { dtype: 'int32' }))).toThrow(
      new TypeError('softmax: needs a floating-point dtype, cast first [int32]'),
    )
    expect(() => logsumexp(tensor([1]), { internal: 'int32' as never })).toThrow(
      new TypeError('logsumexp: needs a floating-point dtype, cast first [int32]'),
    )
    expect(() => layerNorm(tensor([1]), { eps: -1 })).toThrow(
      new RangeError('layerNorm: eps is not a finite number, 0 or more [-1]'),
    )
    expect(() => rmsNorm(tensor([1]), { eps: Number.NaN })).toThrow(
      new RangeError('rmsNorm: eps is not a finite number, 0 or more [NaN]'),
    )
  })
})

describe('layerNorm and rmsNorm', () => {
  it('an eps that the dtype rounds to 0 divides by 0: float16 and 1e-8', () => {
    const same = tensor([1, 1], { dtype: 'float16' })
    expect(layerNorm(same, { eps: 1e-8 }).toNested()).toEqual([Number.NaN, Number.NaN])
    expect(layerNorm(same, { eps: 1e-8, internal: 'float32' }).toNested()).toEqual([0, 0])
  })

  it('specials stay where they are: NaN everywhere along the axis, Inf kills the others', () => {
    const rows = stack([tensor([1, Number.NaN]), tensor([1, Infinity]), tensor([1, -1])])
    expect(layerNorm(rows, { eps: 0 }).toNested()).toEqual([
      [Number.NaN, Number.NaN],
      [Number.NaN, Number.NaN],
      [1, -1],
    ])
    expect(rmsNorm(rows, { eps: 0 }).toNested()).toEqual([
      [Number.NaN, Number.NaN],
      [0, Number.NaN],
      [1, -1],
    ])
  })

  it('several axes count as one', () => {
    const x = tensor([
      [-1, 1],
      [1, -1],
    ])
    expect(layerNorm(x, { axis: [0, 1], eps: 0 }).toNested()).toEqual(x.toNested())
  })
})
