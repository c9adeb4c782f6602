import { vjp } from 'tpu-toolkit/autodiff'
import { round } from 'tpu-toolkit/bf16'
import {
  attention,
  attentionGrad,
  type Backward,
  causalMask,
  type FlashOptions,
  flashAttention,
} from 'tpu-toolkit/kernels'
import { key, normal } from 'tpu-toolkit/random'
import { cast, mul, type Tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const { fround: f } = Math
const [tq, tk, d, blockQ, blockK] = [10, 11, 6, 4, 3]
const drawn = (seed: number, t: number): Tensor<'bfloat16'> =>
  cast(mul(normal(key(seed), [1, t, d]), 2), 'bfloat16')
const [q, k, v, g] = [drawn(1, tq), drawn(2, tk), drawn(3, tk), drawn(4, tq)] as const
const scale = f(0.3)
const masked = f(-0.7 * 3.4028234663852886e38)

/** What a kernel does with a block, one number at a time, written from its source. */
interface Kernel {
  readonly options: FlashOptions
  /** The probability of a pair from its product and what the forward pass left of its row. */
  readonly p: (product: number, isAllowed: boolean, row: Row) => number
  readonly ds: (dp: number, delta: number, p: number, product: number) => number
  readonly scaledAtEnd?: boolean
  readonly roundsBlocks?: boolean
  /** Queries are scaled beforehand, in bfloat16. */
  readonly beforehand?: boolean
}
interface Row {
  readonly lse: number
  readonly m: number
  readonly l: number
}

const plain = (dp: number, delta: number, p: number): number => f(f(dp - delta) * p)
const kernels: Readonly<Record<string, Kernel>> = {
  flash2: {
    options: { form: 'flash2', backward: 'flash2' },
    p: (s, is, { lse }) => (is ? f(Math.exp(f(f(s * scale) - lse))) : 0),
    ds: plain,
    scaledAtEnd: true,
  },
  'flash2 of powers of two': {
    options: { form: 'flash2', backward: 'flash2', exponent: '2-unfused' },
    p: (s, is, { lse }) => (is ? f(2 ** f(f(s * f(scale * f(Math.LOG2E))) - f(lse * f(Math.LOG2E)))) : 0),
    ds: plain,
    scaledAtEnd: true,
  },
  pallas: {
    options: { form: 'pallas', backward: 'pallas' },
    p: (s, is, { m, l }) => f(f(Math.exp(f(f(f(s * scale) + (is ? 0 : masked)) - m))) * f(1 / l)),
    ds: (dp, delta, p) => f(plain(dp, delta, p) * scale),
  },
  splash: {
    options: { form: 'splash', backward: 'splash' },
    p: (s, is, { lse }) => f(Math.exp(f((is ? s : masked) - lse))),
    ds: plain,
    beforehand: true,
  },
  'splash with a cap': {
    options: { form: 'splash', backward: 'splash', softCap: 2 },
    p: (s, is, { lse }) => f(Math.exp(f((is ? f(f(Math.tanh(f(s / 2))) * 2) : masked) - lse))),
    ds: (dp, delta, p, s) => {
      const t = f(Math.tanh(f(s / 2)))
      const part = f(plain(dp, delta, p) * f(1 - t))
      return f(part + f(part * t))
    },
    beforehand: true,
  },
  'splash, fused': {
    options: { form: 'splash', backward: 'splash-fused' },
    p: (s, is, { lse }) => f(Math.exp(f((is ? s : masked) - lse))),
    ds: plain,
    beforehand: true,
    roundsBlocks: true,
  },
}

const dot = (length: number, term: (e: number) => number): number => {
  let sum = 0
  for (let e = 0; e < length; e++) sum = f(sum + term(e))
  return sum
}

/** Gradients by loops over pairs, causal, in bfloat16. */
function emulated({ options, ...kernel }: Kernel): { dq: number[]; dk: number[]; dv: number[] } {
  const all = { ...options, scale, mask: causalMask(), blockQ, blockK }
  const { out, logsumexp, max, sum } = flashAttention(q, k, v, all)
  const [Q, K, V, G, O] = [q, k, v, g, out].map((x) => x.toNumbers())
  const rows = [logsumexp, max, sum].map((x) => x.toNumbers())
  const read = kernel.beforehand ? Q!.map((x) => round(x * round(scale))) : Q!
  const [dq, dk, dv] = [tq, tk, tk].map((t) => new Float32Array(t * d)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ]
  for (let i0 = 0; i0 < tq; i0 += blockQ) {
    const i1 = Math.min(tq, i0 + blockQ)
    for (let j0 = 0; j0 < tk && j0 <= i1 - 1; j0 += blockK) {
      const j1 = Math.min(tk, j0 + blockK)
      const [p, ds] = [new Map<number, number>(), new Map<number, number>()]
      for (let i = i0; i < i1; i++) {
        const row = { lse: rows[0]![i]!, m: rows[1]![i]!, l: rows[2]![i]! }
        const delta = dot(d, (e) => f(O![i * d + e]! * G![i * d + e]!))
        for (let j = j0; j < j1; j++) {
          const product = dot(d, (e) => read[i * d + e]! * K![j * d + e]!)
          const weight = kernel.p(product, i >= j, row)
          const dp = dot(d, (e) => G![i * d + e]! * V![j * d + e]!)
          p.set(i * tk + j, round(weight))
          ds.set(i * tk + j, round(kernel.ds(dp, delta, weight, product)))
        }
      }
      for (let e = 0; e < d; e++) {
        for (let i = i0; i < i1; i++) {
          const own = dot(j1 - j0, (j) => ds.get(i * tk + j0 + j)! * K![(j0 + j) * d + e]!)
          dq[i * d + e] = dq[i * d + e]! + (kernel.roundsBlocks ? round(own) : own)
        }
        for (let j = j0; j < j1; j++) {
          dk[j * d + e] =
            dk[j * d + e]! + dot(i1 - i0, (i) => ds.get((i0 + i) * tk + j)! * read[(i0 + i) * d + e]!)
          dv[j * d + e] =
            dv[j * d + e]! + dot(i1 - i0, (i) => p.get((i0 + i) * tk + j)! * G![(i0 + i) * d + e]!)
        }
      }
    }
  }
  const last = (total: Float32Array): number[] =>
    [...total].map((x) => round(kernel.scaledAtEnd ? f(x * scale) : x))
  return {
    dq: last(dq).map((x) => (kernel.beforehand ? round(x * round(scale)) : x)),
    dk: last(dk),
    dv: [...dv].map((x) => round(x)),
  }
}

describe('attentionGrad with the backward pass of a kernel', () => {
  it.each(Object.entries(kernels))('has the bits of %s, and autodiff the same', (_, kernel) => {
    const options = { ...kernel.options, scale, mask: causalMask(), blockQ, blockK }
    const { dq, dk, dv } = attentionGrad(q, k, v, g, options)
    const wanted = emulated(kernel)
    expect([...dq.toNumbers()]).toEqual(wanted.dq)
    expect([...dk.toNumbers()]).toEqual(wanted.dk)
    expect([...dv.toNumbers()]).toEqual(wanted.dv)
    const [, pull] = vjp(
      (...x: Tensor<'bfloat16'>[]) => flashAttention(x[0]!, x[1]!, x[2]!, options).out,
      q,
      k,
      v,
    )
    expect(pull(g).map((x) => x.toBits())).toEqual([dq, dk, dv].map((x) => x.toBits()))
  })

  it('differs from the common pass in bits but for splash, and stays as near to the exact gradient', () => {
    const wide = [q, k, v].map((x) => cast(x, 'float64'))
    const [, exact] = vjp(
      (...x: Tensor<'float64'>[]) => attention(x[0]!, x[1]!, x[2]!, { scale, mask: causalMask() }).out,
      ...wide,
    )
    const slopes = exact(cast(g, 'float64')).map((x) => x.toNumbers())
    const different: string[] = []
    for (const [name, { options }] of Object.entries(kernels)) {
      if (options.softCap !== undefined) continue
      const run = (backward: Backward): Tensor[] => {
        const all = { ...options, scale, mask: causalMask(), blockQ, blockK }
        const { dq, dk, dv } = attentionGrad(q, k, v, g, { ...all, backward })
        return [dq, dk, dv]
      }
      const [own, common] = [run(options.backward!), run('common')]
      const codes = (all: readonly Tensor[]): string => all.map((x) => x.toBits().join()).join(';')
      if (codes(own) !== codes(common)) different.push(name)
      for (const [n, x] of own.entries()) {
        const largest = slopes[n]!.reduce((most, y) => Math.max(most, Math.abs(y)), 0)
        const off = x.toNumbers().reduce((most, y, i) => Math.max(most, Math.abs(y - slopes[n]![i]!)), 0)
        // A few roundings to bfloat16, of products whose sizes are those of the largest.
        expect(off).toBeLessThan(2 ** -4 * largest)
      }
    }
    // Splash without a cap has the common pass, where every row has a pair; pallas differs in an element of a thousand.
    expect(different).toEqual(['flash2', 'flash2 of powers of two', 'splash, fused'])
  })

  it('keeps what a row without a pair does: probabilities of 1 in splash, the average in pallas, 0 in the others', () => {
    const segments = { q: Array.from({ length: tq }, () => 1), kv: Array.from({ length: tk }, () => 2) }
    const ofValues = (form: 'flash2' | 'pallas' | 'splash', backward: Backward): number[] =>
      [...attentionGrad(q, k, v, g, { form, backward, segments }).dv.toNumbers()].slice(0, d)
    const total = Array.from({ length: d }, (_, e) => dot(tq, (i) => g.toNumbers()[i * d + e]!))
    expect(ofValues('splash', 'splash')).toEqual(total.map((x) => round(x)))
    const share = round(f(1 / tk))
    const means = Array.from({ length: d }, (_, e) =>
      round(dot(tq, (i) => share * g.toNumbers()[i * d + e]!)),
    )
    expect(ofValues('pallas', 'pallas')).toEqual(means)
    expect(ofValues('flash2', 'flash2')).toEqual(Array(d).fill(0))
    expect(ofValues('splash', 'common')).toEqual(Array(d).fill(0))
  })

  it('is refused where it is that of another form, or has no soft cap', () => {
    expect(() => attentionGrad(q, k, v, g, { backward: 'pallas' })).toThrow(
      'attentionGrad: the backward pass of another form [pallas, form flash2]',
    )
    expect(() => flashAttention(q, k, v, { form: 'pallas', backward: 'splash-fused' })).toThrow(
      'flashAttention: the backward pass of another form [splash-fused, form pallas]',
    )
    expect(() => attentionGrad(q, k, v, g, { backward: 'flash2', softCap: 5 })).toThrow(
      'attentionGrad: backward flash2 has no softCap [5]',
    )
    expect(() => attentionGrad(q, k, v, g, { backward: 'splsh' as Backward })).toThrow(
      /backward.*\[splsh\]|splsh/,
    )
  })
})
