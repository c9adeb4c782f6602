import { grad } from 'tpu-toolkit/autodiff'
import {
  attention,
  attentionGrad,
  causalMask,
  errorBound,
  type FlashFormName,
  type FlashOptions,
  flashAttention,
} from 'tpu-toolkit/kernels'
import { certify } from 'tpu-toolkit/precision'
import { seeded } from 'tpu-toolkit/random'
import { abs, cast, matmul, matrixTranspose, mul, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const count = Number(process.env['CERTIFY_DRAWS'] ?? 60)
const wide = (x: Tensor): Tensor<'float64'> => cast(x, 'float64')

type Triple = readonly [Tensor<'float64'>, Tensor<'float64'>, Tensor<'float64'>]

interface Draw {
  readonly operands: readonly [Tensor<'float32'>, Tensor<'float32'>, Tensor<'float32'>]
  readonly cotangent: Tensor<'float32'>
  readonly options: FlashOptions
  /** The options that say what is computed, for the reference. */
  readonly meant: FlashOptions
  readonly d: number
  readonly tk: number
}

function drawn(draw: () => number): Draw {
  const below = (n: number): number => Math.floor(draw() * n)
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!
  const [tq, tk, d, dv] = [1 + below(3), 1 + below(6), 1 + below(12), 1 + below(3)]
  const form = pick<FlashFormName>(['flash2', 'flash2', 'splash', 'pallas', 'bfloat16'])
  const dtype =
    form === 'bfloat16' ? 'bfloat16' : pick(['float32', 'float32', 'bfloat16', 'float16'] as const)
  const spread = 2 ** (below(5) - 2)
  // Most queries and keys have few bits, so that the products are exact and what rounds is the scale.
  const coarse = draw() < 0.7
  const random = (shape: number[], few: boolean): Tensor<'float32'> => {
    const value = (): number => (few ? Math.round(draw() * 8 - 4) / 4 : draw() * 2 - 1)
    const size = shape.reduce((n, k) => n * k, 1)
    return cast(
      tensor(
        Float64Array.from({ length: size }, () => spread * value()),
        { shape },
      ),
      dtype,
    ) as never
  }
  const exponent = form === 'flash2' ? pick(['e', 'e', '2', '2-unfused'] as const) : 'e'
  const meant: FlashOptions = {
    // Powers of two are less the largest product, not the largest logit: they need a scale above 0.
    ...(draw() < 0.5 && {
      scale: pick([0.1, 1 / 3, exponent === 'e' ? -0.7 : 0.7, draw() * 3, 1e-3 * draw()]),
    }),
    ...(draw() < 0.5 &&
      form !== 'pallas' &&
      exponent === 'e' && { softCap: pick([0.3, 50.1, draw() * 10 + 0.01]) }),
    ...(draw() < 0.4 && { mask: causalMask() }),
  }
  return {
    operands: [random([tq, d], coarse), random([tk, d], coarse), random([tk, dv], false)],
    cotangent: random([tq, dv], false),
    options: { ...meant, form, exponent, blockQ: 1 + below(3), blockK: 1 + below(6) },
    ...{ meant, d, tk },
  }
}

/** What passes its bound, in words; the reference is float64, whose own error is left to it. */
function violation(
  result: Tensor,
  exact: Tensor,
  bound: Float64Array | readonly number[],
): string | undefined {
  const [seen, wanted] = [result.toNumbers(), exact.toNumbers()]
  for (const [i, most] of bound.entries()) {
    const off = Math.abs(seen[i]! - wanted[i]!)
    if (!(off <= most * (1 + 2 ** -40) + 2 ** -46 * Math.abs(wanted[i]!) + 2 ** -52)) {
      return `element ${i}: ${off} > ${most}`
    }
  }
  return undefined
}

function expectNone(draw: number, options: FlashOptions, found: string | undefined): void {
  const of = `draw ${draw}, ${JSON.stringify(options)}: `
  expect(of + found).toBe(`${of}undefined`)
}

describe(`bounds of ${count} random attentions (seed ${seed})`, () => {
  it('certify(flashAttention) and certify(attention) are above the true error: scale and softCap count with their rounding', () => {
    const draw = seeded(`certified ${seed}`)
    for (let i = 0; i < count; i++) {
      const { operands, options, meant } = drawn(draw)
      const [q, k, v] = operands.map(wide) as unknown as Triple
      const exact = attention(q, k, v, meant).out
      const flash = certify(([a, b, c]) => flashAttention(a!, b!, c!, options).out32, [...operands], {
        check: false,
      })
      const whole = certify(
        ([a, b, c]) => attention(a!, b!, c!, { ...meant, internal: 'float32' }).out,
        [...operands],
        { check: false },
      )
      for (const { results, bounds } of [flash, whole]) {
        expectNone(i, options, violation(results[0]!, exact, bounds[0]!.toNumbers()))
      }
    }
  })

  it('certify(attentionGrad) is above the true error', () => {
    const draw = seeded(`certified gradients ${seed}`)
    for (let i = 0; i < count; i++) {
      const { operands, cotangent, options, meant } = drawn(draw)
      const { results, bounds } = certify(
        ([a, b, c]) => {
          const { dq, dk, dv } = attentionGrad(a!, b!, c!, cotangent, options)
          return [dq, dk, dv]
        },
        [...operands],
        { check: false },
      )
      const exact = grad(
        (a: Triple[0], b: Triple[0], c: Triple[0]) =>
          sum(mul(attention(a, b, c, meant).out, wide(cotangent))),
        { argnums: [0, 1, 2] },
      )(...(operands.map(wide) as unknown as Triple)) as unknown as Tensor[]
      for (const [n, bound] of bounds.entries()) {
        expectNone(i, options, violation(results[n]!, exact[n]!, bound.toNumbers()))
      }
    }
  })

  it("errorBound('attention') is above the true error", () => {
    const draw = seeded(`bounded ${seed}`)
    let worst = 0
    for (let i = 0; i < count; i++) {
      const { operands, options, meant, d, tk } = drawn(draw)
      const [q, k, v] = operands.map(wide) as unknown as Triple
      const { form, exponent, blockK, softCap } = options
      const [out, weighted] = [v, abs(v) as typeof v].map((x) =>
        attention(q, k, x, meant).out.toNumbers(),
      ) as [Float64Array, Float64Array]
      const logits = matmul(abs(q), matrixTranspose(abs(k))).toNumbers()
      const logitSum = Math.max(...logits) * Math.abs(meant.scale ?? 1 / Math.sqrt(d)) * (1 + 2 ** -40)
      const seen = flashAttention(...operands, options).out.toNumbers()
      const known = { dtype: operands[0].dtype, d, tk, ...(softCap !== undefined && { softCap }) }
      for (const [e, r] of out.entries()) {
        const { bound } = errorBound(
          'attention',
          { ...known, form: form!, exponent: exponent!, blockK: blockK! },
          { logitSum, weighted: weighted[e]! * (1 + 2 ** -40) },
        )
        const off = Math.abs(seen[e]! - r)
        expectNone(i, options, off <= bound ? undefined : `element ${e}: ${off} > ${bound}`)
        worst = Math.max(worst, off / bound)
      }
    }
    // A bound that no draw comes near would show nothing.
    expect(worst).toBeGreaterThan(0.1)
  })
})
