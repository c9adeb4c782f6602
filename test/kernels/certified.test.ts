import { grad } from 'tpu-toolkit/autodiff'
import {
  applyRope,
  assignExperts,
  attention,
  attentionGrad,
  blockScaledMatmul,
  causalMask,
  combine,
  defineKernel,
  dispatch,
  errorBound,
  type FlashOptions,
  flashAttention,
  fp8Matmul,
  gemm,
  layerNorm,
  rmsNorm,
  ropeCache,
  ropeFrequencies,
  route,
  windowMask,
} from 'tpu-toolkit/kernels'
import { certify, shadow } from 'tpu-toolkit/precision'
import { key, normal } from 'tpu-toolkit/random'
import { abs, add, cast, max, mul, sigmoid, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const drawn = (seed: number, shape: readonly number[]): Tensor<'bfloat16'> =>
  cast(normal(key(seed), shape), 'bfloat16')
const [q, k, v] = [drawn(1, [2, 6, 4]), drawn(2, [1, 7, 4]), drawn(3, [1, 7, 4])]
const w = cast(normal(key(4), [4, 4]), 'float32')
const wide = (x: Tensor): Tensor<'float64'> => cast(x, 'float64')
const largest = (x: Tensor): number => max(abs(cast(x, 'float64'))).item()

/** Functions of q, k, v, and the same with every float in float64 by other operations. */
type Claim = readonly [run: (x: readonly Tensor[]) => Tensor, exact: (x: readonly Tensor[]) => Tensor]

function attends(options: FlashOptions): Claim {
  const { mask, scale, softCap, segments } = options
  const same = {
    ...(mask && { mask }),
    ...(scale !== undefined && { scale }),
    ...(softCap !== undefined && { softCap }),
    ...(segments && { segments }),
  }
  return [
    ([a, b, c]) =>
      flashAttention(a as Tensor<'bfloat16'>, b as Tensor<'bfloat16'>, c as Tensor<'bfloat16'>, options).out,
    ([a, b, c]) => attention(wide(a!), wide(b!), wide(c!), same).out,
  ]
}

const blocks = { blockQ: 4, blockK: 3 }
const claims: Readonly<Record<string, Claim>> = {
  flash2: attends({ ...blocks, mask: causalMask() }),
  'flash2 of powers of two': attends({ ...blocks, exponent: '2', mask: windowMask({ left: 2, right: 1 }) }),
  'flash2, capped, segments': attends({
    ...blocks,
    softCap: 2,
    segments: { q: [0, 0, 0, 1, 1, 1], kv: [0, 0, 0, 0, 1, 1, 1] },
  }),
  splash: attends({ ...blocks, form: 'splash', mask: causalMask() }),
  pallas: attends({ ...blocks, form: 'pallas', mask: causalMask({ offset: 1 }) }),
  'pallas, one block': attends({ form: 'pallas' }),
  bfloat16: attends({ ...blocks, form: 'bfloat16' }),
}

/** The same of operands that carry errors: sums of thirds, as computed and in float64. */
const blurred = (x: readonly Tensor[]): Tensor[] =>
  x.map((one) => add(mul(one, tensor(0.3, { dtype: one.dtype as 'bfloat16' })), one))

function expectInside(bounds: Tensor, result: Tensor, exact: Tensor): void {
  const [seen, wanted] = [result.toNumbers(), exact.toNumbers()]
  for (const [i, bound] of bounds.toNumbers().entries()) {
    expect(Math.abs(seen[i]! - wanted[i]!)).toBeLessThanOrEqual(bound + 2 ** -45)
  }
}

describe('certify of kernels', () => {
  it.each(Object.entries(claims))(
    'bounds %s of exact operands, nearly by what it is off',
    (_, [run, exact]) => {
      const { results, bounds, unknown } = certify(run, [q, k, v], { check: false })
      const off = exact([q, k, v])
      expect(unknown).toEqual([])
      expectInside(bounds[0]!, results[0]!, off)
      // Half an ulp of the largest output, and the error of what forms round before.
      expect(largest(bounds[0]!)).toBeLessThan(2 ** -5)
    },
  )

  it.each(Object.entries(claims))('bounds %s of operands that carry errors', (_, [run, exact]) => {
    const { results, bounds, unknown } = certify((x) => run(blurred(x)), [q, k, v], { check: false })
    expect(unknown).toEqual([])
    // 0.3 is what bfloat16 makes of it: that is what the function closes over.
    const real = [q, k, v].map((x) => wide(x)).map((x) => add(mul(x, 0.30078125), x))
    expectInside(bounds[0]!, results[0]!, exact(real))
    expect(largest(bounds[0]!)).toBeLessThan(1)
  })

  it.each(['flash2', 'splash', 'pallas'] as const)('bounds the gradient of %s', (form) => {
    const options = { ...blocks, form, mask: causalMask() }
    const f = ([a, b, c]: readonly Tensor[]): Tensor[] =>
      [0, 1, 2].map((n) =>
        grad((x: Tensor): Tensor => {
          const all = [a!, b!, c!].map((one, i) => (i === n ? x : one)) as Tensor<'bfloat16'>[]
          return sum(cast(flashAttention(all[0]!, all[1]!, all[2]!, options).out, 'float32'))
        })([a!, b!, c!][n]!),
      )
    const { results, bounds, unknown } = certify(f, [q, k, v], { check: false })
    expect(unknown).toEqual([])
    const exact = [0, 1, 2].map((n) =>
      grad((x: Tensor): Tensor => {
        const all = [q, k, v].map((one, i) => wide(i === n ? x : one))
        return sum(attention(all[0]!, all[1]!, all[2]!, { mask: causalMask() }).out)
      })(wide([q, k, v][n]!)),
    )
    for (const [n, bound] of bounds.entries()) {
      expectInside(bound, results[n]!, exact[n]!)
      expect(largest(bound)).toBeLessThan(0.2)
    }
  })

  it('bounds a block of a model: norm, positions, attention, product, norm', () => {
    const cache = ropeCache(ropeFrequencies({ dim: 4 }), [0, 1, 2, 3, 4, 5])
    const f = (x: Tensor<'bfloat16'>): Tensor => {
      const y = applyRope(rmsNorm(x), cache)
      const out = flashAttention(y, y, x, { mask: causalMask() }).out
      return layerNorm(gemm(cast(out, 'float32'), w, { precision: 'high' }), { variance: 'welford' })
    }
    const { bounds, unknown } = certify(f, drawn(5, [6, 4]), { check: false })
    expect(unknown).toEqual([])
    expect(largest(bounds[0]!)).toBeLessThan(2)
  })

  it('follows experts: certain ones bring nothing, those that errors may turn are named and count', () => {
    const x = tensor([...drawn(5, [6, 4]).toNumbers()], { shape: [6, 4] })
    const of = (blur: (logits: Tensor) => Tensor) =>
      certify(
        (y: Tensor): Tensor => {
          const { experts, weights } = route(blur(y), { k: 2 })
          const places = assignExperts(experts, { experts: 4, capacity: 6 })
          return combine(dispatch(y, places), places, weights)
        },
        x,
        { check: false },
      )
    const [sharp, blurry] = [of((y) => y), of((y) => mul(y, 0.3))]
    for (const { unknown } of [sharp, blurry]) expect(unknown).toEqual([])
    for (const { bounds, open } of [sharp, blurry]) {
      expect(open).toEqual([])
      expect(largest(bounds[0]!)).toBeLessThan(2 ** -18)
    }
    const tied = certify((y: Tensor) => route(mul(y, 0.1), { k: 1 }).weights, tensor([[0.3, 0.3, 0]]), {
      check: false,
    })
    expect(tied.open.map(({ op }) => op)).toEqual(['topExperts'])
  })

  it('bounds products in fp8 by what their codes leave out', () => {
    const x = cast(q, 'float32')
    const rows = tensor([...x.toNumbers().slice(0, 8)], { shape: [2, 4] })
    const [scaled, tiled] = [
      certify(([a, b]) => fp8Matmul(a!, b!, { scales: { a: 64, b: 64 } }), [rows, w], { check: false }),
      certify(([a, b]) => blockScaledMatmul(a!, b!, { block: 2 }), [rows, w], { check: false }),
    ]
    const size = largest(gemm(abs(rows), abs(w), { precision: 'F32_F32_F32' }))
    for (const { bounds, unknown } of [scaled, tiled]) {
      expect(unknown).toEqual([])
      expect(largest(bounds[0]!)).toBeGreaterThan(2 ** -9 * size)
      expect(largest(bounds[0]!)).toBeLessThan(2 ** -2 * size)
    }
  })

  it('is inside the a-priori bound of gemm, of which it knows the data', () => {
    const rows = cast(normal(key(9), [3, 4]), 'float32')
    const { bounds } = certify(([a, b]) => gemm(a!, b!), [rows, w], { check: false })
    const sumAbs = largest(gemm(abs(rows), abs(w), { precision: 'F32_F32_F32' })) * (1 + 2 ** -20)
    const maxAbs = Math.max(largest(rows), largest(w))
    expect(largest(bounds[0]!)).toBeLessThanOrEqual(errorBound('gemm', { k: 4 }, { sumAbs, maxAbs }).bound)
  })

  it("takes a kernel of one's own by its exact function, or by its bound where operands are exact", () => {
    const record = {
      name: 'gate',
      forward: ([x]: readonly Tensor[]): Tensor => sigmoid(x!),
      gradient: ({ g, output }: { readonly g: Tensor; readonly output: Tensor }) => [
        mul(g, mul(output, add(mul(output, -1), 1))),
      ],
      samples: [{ inputs: [drawn(7, [3])], attributes: undefined }],
    }
    const known = defineKernel({ ...record, exact: ([x]) => sigmoid(x!) })
    const promised = defineKernel({ ...record, bound: () => 2 ** -8 })
    const x = drawn(8, [5])
    const twice = (y: Tensor): Tensor => add(y, y)
    const of = (kernel: typeof known, f = (y: Tensor): Tensor => y) =>
      certify((y: Tensor) => kernel.run([f(y)], undefined), x, { check: false })
    expect(largest(of(known).bounds[0]!)).toBeLessThanOrEqual(2 ** -8)
    expect(largest(of(known, (y) => mul(y, y)).bounds[0]!)).toBeLessThan(2 ** -5)
    expect(of(promised).bounds[0]!.toNumbers()).toEqual(Float64Array.from([1, 1, 1, 1, 1], () => 2 ** -8))
    expect(of(promised, (y) => twice(mul(y, y))).unknown).toEqual(['gate'])
    expect(() => defineKernel({ ...record, exact: ([y]) => twice(sigmoid(y!)) })).toThrow(
      /defineKernel: exact of gate is not its forward in float64, element 0 \[/,
    )
  })
})

describe('shadow of flashAttention', () => {
  it('is exact attention: what it finds is what the form loses', () => {
    for (const [run, exact] of Object.values(claims)) {
      const beside = shadow((x: readonly Tensor[]) => run(x), [q, k, v], { check: false })
      const [found] = beside.outputs()
      expect(found!.max).toBeGreaterThan(0)
      const { reference } = beside.errors(beside.program.steps.length - 1)
      expectInside(
        tensor(new Float64Array(reference.length), { dtype: 'float64' }),
        tensor(reference, { dtype: 'float64' }),
        exact([q, k, v]),
      )
    }
  })

  it('of a gradient is the exact one', () => {
    const cotangent = drawn(6, [2, 6, 4])
    const f = ([a, b, c]: readonly Tensor<'bfloat16'>[]): Tensor =>
      attentionGrad(a!, b!, c!, cotangent, blocks).dq
    const beside = shadow(f as (x: readonly Tensor[]) => Tensor, [q, k, v], { check: false })
    const weighed = grad((x: Tensor) => sum(mul(attention(wide(x), wide(k), wide(v)).out, wide(cotangent))))(
      wide(q),
    )
    const { reference } = beside.errors(beside.program.steps.length - 1)
    for (const [i, x] of weighed.toNumbers().entries()) {
      expect(Math.abs(reference[i]! - x)).toBeLessThan(2 ** -45)
    }
  })
})
