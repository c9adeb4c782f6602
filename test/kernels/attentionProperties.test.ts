import fc from 'fast-check'
import { grad, valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import {
  andMask,
  attention,
  attentionGrad,
  causalMask,
  chunkedMask,
  errorBound,
  type FlashOptions,
  flashAttention,
  globalMask,
  type Mask,
  orMask,
  prefixMask,
  stridedMask,
  windowMask,
} from 'tpu-toolkit/kernels'
import { key, normal } from 'tpu-toolkit/random'
import { abs, cast, type FloatDType, mul, sum, Tensor, tensor, zeros } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { WorstRatios } from '../support/expectBounded.js'
import { seed } from '../support/seed.js'

type Three = readonly [Tensor<FloatDType>, Tensor<FloatDType>, Tensor<FloatDType>]

const offset = fc.integer({ min: -6, max: 6 })
const small = fc.integer({ min: 1, max: 9 })
const mask: fc.Arbitrary<Mask> = fc.oneof(
  fc.record({ offset }).map(causalMask),
  fc.record({ left: fc.option(small), right: fc.option(small), offset }).map(windowMask),
  fc.record({ size: small }).map(chunkedMask),
  fc.record({ stride: small }).map(stridedMask),
  fc.tuple(small, small).map(([length, count]) => orMask(prefixMask({ length }), globalMask({ count }))),
  fc
    .tuple(small, offset)
    .map(([left, at]) => andMask(windowMask({ left, right: left }), causalMask({ offset: at }))),
)

const problem = fc.record({
  kvHeads: fc.integer({ min: 1, max: 2 }),
  group: fc.integer({ min: 1, max: 3 }),
  tq: fc.integer({ min: 0, max: 20 }),
  tk: fc.integer({ min: 0, max: 20 }),
  d: fc.integer({ min: 1, max: 9 }),
  dv: fc.integer({ min: 1, max: 5 }),
  blockQ: small,
  blockK: small,
  size: fc.constantFrom(0.1, 1, 4),
  draw: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  mask: fc.option(mask, { nil: undefined }),
  softCap: fc.option(fc.constantFrom(1, 20), { nil: undefined }),
})
type Problem = typeof problem extends fc.Arbitrary<infer P> ? P : never

function operands(given: Problem, dtype: FloatDType): Three {
  const { kvHeads, group, tq, tk, d, dv, size, draw } = given
  const one = (k: number, shape: readonly number[]): Tensor<FloatDType> =>
    cast(mul(normal(key(draw + k), shape), size), dtype) as Tensor<FloatDType>
  return [one(0, [kvHeads * group, tq, d]), one(1, [kvHeads, tk, d]), one(2, [kvHeads, tk, dv])]
}

const widened = (x: Three): Three => x.map((one) => cast(one, 'float64')) as unknown as Three
const bitsOf = (x: Tensor): string => x.toBits().join(' ')

function shared({ mask: of, softCap }: Problem): Pick<FlashOptions, 'mask' | 'softCap'> {
  return { ...(of ? { mask: of } : {}), ...(softCap === undefined ? {} : { softCap }) }
}

/** The largest scale sum |q k| of all pairs. */
function logitSum([q, k]: Three): number {
  const [x, y] = [abs(cast(q, 'float64')), abs(cast(k, 'float64'))]
  const [d, heads, tk] = [q.shape[2]!, q.shape[0]!, k.shape[1]!]
  const [a, b] = [x.toNumbers(), y.toNumbers()]
  let most = 0
  for (let h = 0; h < heads; h++) {
    const of = Math.floor(h / (heads / k.shape[0]!))
    for (let i = 0; i < q.shape[1]!; i++) {
      for (let j = 0; j < tk; j++) {
        let total = 0
        for (let e = 0; e < d; e++) total += a[(h * q.shape[1]! + i) * d + e]! * b[(of * tk + j) * d + e]!
        most = Math.max(most, total / Math.sqrt(d))
      }
    }
  }
  return most
}

describe(`flashAttention (seed ${seed})`, () => {
  const ways: readonly (readonly [string, FloatDType, FlashOptions])[] = [
    ['float32', 'float32', {}],
    ['float32, base 2', 'float32', { exponent: '2' }],
    ['bfloat16', 'bfloat16', {}],
    ['float16', 'float16', {}],
    ['bfloat16, probabilities float32', 'bfloat16', { probsDtype: 'float32' }],
    ['splash', 'bfloat16', { form: 'splash' }],
    ['pallas', 'bfloat16', { form: 'pallas' }],
    ['every step bfloat16', 'bfloat16', { form: 'bfloat16' }],
  ]
  it.each(ways)('flashAttention(%s) stays inside errorBound of exact whole rows', (kind, dtype, options) => {
    const worst = new WorstRatios()
    fc.assert(
      fc.property(problem, (given) => {
        const base = shared(given)
        if (options.form === 'pallas' || options.exponent) delete (base as { softCap?: number }).softCap
        const three = operands(given, dtype)
        const { out } = flashAttention(...three, {
          ...base,
          ...options,
          blockQ: given.blockQ,
          blockK: given.blockK,
        })
        const [q, k, v] = widened(three)
        const exact = attention(q, k, v, base)
        const weighted = attention(q, k, abs(v), base).out.toNumbers()
        const lse = exact.logsumexp.toNumbers()
        const sums = logitSum(three)
        const maxValue = abs(v)
          .toNumbers()
          .reduce((a, b) => Math.max(a, b), 0)
        const [got, want] = [out.toNumbers(), exact.out.toNumbers()]
        for (let e = 0; e < got.length; e++) {
          // What a fully masked row gives is a matter of its own: see below.
          if (lse[Math.floor(e / given.dv)] === -Infinity) continue
          const { tk, d, blockK } = given
          const { softCap } = base
          const { bound } = errorBound(
            'attention',
            { dtype, d, tk, blockK, ...options, ...(softCap === undefined ? {} : { softCap }) },
            { logitSum: sums, weighted: weighted[e]!, maxValue },
          )
          worst.expectBounded(kind, Math.abs(got[e]! - want[e]!), bound, () => JSON.stringify(given))
        }
      }),
      { seed, numRuns: 20 },
    )
    // Neither broken nor idle: worst cases of sums are far from draws, where each step rounds so most of all.
    expect(worst.of(kind)).toBeGreaterThan(0.002)
  })

  it('flashAttention and its gradient with skipped blocks have the bits of those with none', () => {
    fc.assert(
      fc.property(
        problem,
        fc.array(fc.nat(2), { minLength: 20, maxLength: 20 }),
        fc.constantFrom('flash2', 'bfloat16'),
        (given, ids, form) => {
          const three = operands(given, 'bfloat16')
          const { tq, tk, blockQ, blockK } = given
          const sorted = [...ids].sort()
          const [q, kv] = [sorted.slice(0, tq), sorted.slice(0, tk)]
          const dense = tensor(
            q.flatMap((one) => kv.map((other) => one === other)),
            { shape: [tq, tk], dtype: 'bool' },
          )
          const skipping = { blockQ, blockK, form, mask: dense } as const
          const visiting = { blockQ, blockK, form, segments: { q, kv } } as const
          const [a, b] = [flashAttention(...three, skipping), flashAttention(...three, visiting)]
          expect([a.out, a.out32, a.logsumexp].map(bitsOf)).toEqual([b.out, b.out32, b.logsumexp].map(bitsOf))
          const [da, db] = [
            attentionGrad(...three, a.out, skipping),
            attentionGrad(...three, a.out, visiting),
          ]
          expect([da.dq, da.dk, da.dv].map(bitsOf)).toEqual([db.dq, db.dk, db.dv].map(bitsOf))
        },
      ),
      { seed, numRuns: 20 },
    )
  })

  it('flashAttention in float32 has the gradient of attention in float64, but for roundings', () => {
    fc.assert(
      fc.property(problem, (given) => {
        const three = operands(given, 'float32')
        const options = shared(given)
        const { blockQ, blockK, tq, tk, d, dv, group } = given
        const of = (f: (...x: Three) => Tensor, x: Three): Tensor[] => {
          const squares = (...y: Three): Tensor => sum(mul(f(...y), f(...y)))
          return grad(squares, { argnums: [0, 1, 2] })(...x) as unknown as Tensor[]
        }
        const tiled = of((...x) => flashAttention(...x, { ...options, blockQ, blockK }).out, three)
        const whole = of((...x) => attention(...x, options).out, widened(three))
        const [q, k, v] = three.map((x) =>
          x.toNumbers().reduce((most, y) => Math.max(most, Math.abs(y)), 0),
        ) as [number, number, number]
        // Probabilities are off by their logits' error, then come sums; each gradient sums terms p (dp - delta) of at most
        // 2 dv |dO| |v|, dO = 2 out, over the rows and heads that share an operand.
        const epsilon =
          (8 + 2 * (d + 4) * logitSum(three) + tk + tq * group + 8 * Math.ceil(tk / blockK)) * 2 ** -24
        const tolerance = 2 * epsilon * 4 * dv * v * v * Math.max(q, k, 1) * Math.max(1, tq * group)
        for (const [i, g] of tiled.entries()) {
          const [got, want] = [g.toNumbers(), whole[i]!.toNumbers()]
          for (let e = 0; e < got.length; e++) {
            expect(Math.abs(got[e]! - want[e]!)).toBeLessThanOrEqual(tolerance)
          }
        }
      }),
      { seed, numRuns: 15 },
    )
  })
})

describe('flashAttention, what is special', () => {
  const draw = (shape: readonly number[], k: number): Tensor<'bfloat16'> =>
    cast(normal(key(k), shape), 'bfloat16')
  const three = [draw([2, 6, 4], 1), draw([1, 6, 4], 2), draw([1, 6, 3], 3)] as const

  it('a fully masked row: 0 in flash2 and bfloat16; means of the visited, NaN or 0 where none was, in JAX kernels', () => {
    const options = { mask: causalMask({ offset: -4 }), blockQ: 4, blockK: 2 }
    const rows = (form: 'flash2' | 'splash' | 'pallas' | 'bfloat16'): number[][] => {
      const { out, logsumexp } = flashAttention(...three, { ...options, form })
      return [out, logsumexp].map((x) => [...x.toNumbers()].slice(0, 3))
    }
    const [zero, none] = [
      [0, 0, 0],
      [-Infinity, -Infinity, -Infinity],
    ]
    expect(rows('flash2')).toEqual([zero, none])
    expect(rows('bfloat16')).toEqual([zero, none])
    expect(rows('splash')).toEqual([[NaN, NaN, NaN], none])
    expect(rows('pallas')).toEqual([zero, none])
  })

  it('flashAttention of no queries is empty, of no keys 0 and -Inf', () => {
    const none = flashAttention(zeros([2, 0, 4]), zeros([1, 3, 4]), zeros([1, 3, 5]))
    expect([none.out.shape, none.logsumexp.shape]).toEqual([
      [2, 0, 5],
      [2, 0],
    ])
    for (const f of [flashAttention, attention]) {
      const { out, logsumexp } = f(zeros([2, 3, 4]), zeros([1, 0, 4]), zeros([1, 0, 2]))
      expect([out.shape, [...new Set(out.toNumbers())], [...new Set(logsumexp.toNumbers())]]).toEqual([
        [2, 3, 2],
        [0],
        [-Infinity],
      ])
    }
  })

  it('flashAttention of a batch is that of each', () => {
    const [q, k, v] = [draw([3, 4, 5, 8], 4), draw([3, 2, 7, 8], 5), draw([3, 2, 7, 8], 6)]
    const all = flashAttention(q, k, v, { blockQ: 2, blockK: 3 }).out.toBits()
    const part = <D extends FloatDType>(x: Tensor<D>, b: number): Tensor<D> => {
      const n = x.size / 3
      return new Tensor(x.dtype, x.shape.slice(1), x.data.slice(b * n, (b + 1) * n) as typeof x.data)
    }
    const each = [0, 1, 2].map((b) =>
      bitsOf(flashAttention(part(q, b), part(k, b), part(v, b), { blockQ: 2, blockK: 3 }).out),
    )
    expect(each.join(' ')).toBe(all.join(' '))
  })

  it('flashAttention sums exactly where a product leaves float32', () => {
    const of = (x: readonly number[]): Tensor<'bfloat16'> =>
      tensor(x, { shape: [2, 1, 2], dtype: 'bfloat16' })
    // Half of the smallest subnormal breaks a tie upwards beside an odd one, and would be 0 alone; 2^140 is no -Inf beside Inf.
    const q = of([2 ** -75, 2 ** -75, 2 ** 70, 2 ** 70])
    const k = of([2 ** -74, 2 ** -75, 2 ** 70, -(2 ** 70)])
    const { max } = flashAttention(q, k, k, { scale: 1 })
    expect([...max.toNumbers()]).toEqual([2 ** -148, Infinity])
  })

  it('compile(flashAttention) and its gradient have the bits of running them', () => {
    const options = { blockQ: 4, blockK: 4, mask: causalMask() } as const
    const step = (
      q: Tensor<'bfloat16'>,
      k: Tensor<'bfloat16'>,
      v: Tensor<'bfloat16'>,
    ): readonly [Tensor, readonly Tensor[]] =>
      valueAndGrad(
        (...x: [Tensor<'bfloat16'>, Tensor<'bfloat16'>, Tensor<'bfloat16'>]) =>
          sum(flashAttention(...x, options).out),
        { argnums: [0, 1, 2] },
      )(q, k, v)
    const [compiled, eager] = [compile(step)(...three), step(...three)]
    expect([compiled[0], ...compiled[1]].map(bitsOf)).toEqual([eager[0], ...eager[1]].map(bitsOf))
  })

  it('the gradient of logsumexp is the probabilities', () => {
    const [q, k, v] = three.map((x) => cast(x, 'float32')) as [
      Tensor<'float32'>,
      Tensor<'float32'>,
      Tensor<'float32'>,
    ]
    const tiled = grad((x: Tensor<'float32'>) => sum(flashAttention(x, k, v, { blockK: 2 }).logsumexp))(
      q,
    ).toNumbers()
    const whole = grad((x: Tensor<'float64'>) =>
      sum(attention(x, cast(k, 'float64'), cast(v, 'float64')).logsumexp),
    )(cast(q, 'float64')).toNumbers()
    for (const [i, g] of tiled.entries()) expect(Math.abs(g - whole[i]!)).toBeLessThanOrEqual(2 ** -18)
  })

  it('a gradient of its gradient is refused, and attention has it', () => {
    const [q, k, v] = three.map((x) => cast(x, 'float32')) as [
      Tensor<'float32'>,
      Tensor<'float32'>,
      Tensor<'float32'>,
    ]
    const twice =
      (f: (x: Tensor<'float32'>) => Tensor): (() => Tensor) =>
      () =>
        grad((x: Tensor<'float32'>) => sum(mul(grad((y: Tensor<'float32'>) => sum(f(y)))(x), 2)))(q)
    expect(twice((x) => flashAttention(x, k, v).out)).toThrow(
      /^attentionGrad: a tiled gradient has no gradient of its own/,
    )
    expect(twice((x) => attention(x, k, v).out)().shape).toEqual([2, 6, 4])
  })

  it('flashAttention of 16,384 queries and keys holds no array of their product', () => {
    const t = 16384
    const x = zeros([1, t, 2])
    const before = process.memoryUsage().arrayBuffers
    const { out } = flashAttention(x, x, x, { mask: windowMask({ left: 63, right: 0 }) })
    // A sixteenth of a bit for each pair, bool masks included; an array of them would be 268 million elements.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan((t * t) / 16)
    expect(out.shape).toEqual([1, t, 2])
  })
})
