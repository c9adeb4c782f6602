import fc from 'fast-check'
import { checkGrads, valueAndGrad } from 'tpu-toolkit/autodiff'
import { type Form, forms, gradientRules, recurrence, type SsmInputs } from 'tpu-toolkit/ssm'
import { abs, cast, mul, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const names = Object.keys(forms) as Form[]

interface Drawn {
  readonly lead: readonly number[]
  readonly L: number
  readonly N: number
  readonly P: number
  readonly shared: boolean
  readonly chunk: number
  readonly values: readonly number[]
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  lead: fc.constantFrom([], [2], [3, 1], [2, 3]),
  L: fc.integer({ min: 1, max: 9 }),
  N: fc.integer({ min: 1, max: 3 }),
  P: fc.integer({ min: 1, max: 3 }),
  shared: fc.boolean(),
  chunk: fc.integer({ min: 1, max: 4 }),
  values: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 24, maxLength: 24 }),
})

/** A layer of the drawn shape: batch and heads in front, A one a head, B and C one for all heads. */
function layerOf({ lead, L, N, P, shared, values }: Drawn): SsmInputs {
  let next = 0
  const draw = (shape: readonly number[], of: (v: number) => number): Tensor => {
    const count = shape.reduce((n, length) => n * length, 1)
    const flat = Float64Array.from({ length: count }, () => of(values[next++ % values.length]!))
    return tensor(flat, { shape, dtype: 'float64' })
  }
  const along = shared ? 1 : L
  const groups = lead.map((length, i) => (i === lead.length - 1 ? 1 : length))
  return {
    x: draw([...lead, L, P], (v) => v),
    dt: draw([...lead, L], (v) => Math.abs(v)),
    A: draw(lead.slice(-1), (v) => -4 * Math.abs(v)),
    B: draw([...groups, along, N], (v) => 2 * v),
    C: draw([...groups, along, N], (v) => 1 - v),
  }
}

/** The layer of absolute values: what the terms of every output add up to. */
const magnitudes = ({ x, dt, A, B, C }: SsmInputs): SsmInputs => ({ x: abs(x), dt, A, B: abs(B), C: abs(C) })

describe(`the forms in float64 (seed ${seed})`, () => {
  it.each(names)('%s is the recurrence to (52 L + 4 N + 16) ulp of the sum of magnitudes', (form) => {
    fc.assert(
      fc.property(drawn, (given) => {
        const layer = layerOf(given)
        const [y, reference] = [forms[form](layer, { chunk: given.chunk }), recurrence(layer)]
        expect(y.shape).toEqual(reference.shape)
        const bound = recurrence(magnitudes(layer)).toNumbers()
        const truth = reference.toNumbers()
        // Exponents of up to 4 L are rounded at most 12 times before exp, which makes relative errors of them; the rest
        // is sums of L and N terms. Subnormal terms add an absolute error.
        const ulps = 52 * given.L + 4 * given.N + 16
        for (const [i, value] of y.toNumbers().entries()) {
          expect(Math.abs(value - truth[i]!)).toBeLessThanOrEqual(ulps * 2 ** -52 * bound[i]! + 2 ** -1022)
        }
      }),
      { seed, numRuns: 60 },
    )
  })

  it.each(names)('the gradient of %s is that of central differences', (form) => {
    fc.assert(
      fc.property(drawn, (given) => {
        const { x, dt, A, B, C } = layerOf({ ...given, lead: given.lead.slice(-1), L: Math.min(given.L, 4) })
        const loss = (...[x, dt, A, B, C]: Tensor[]): Tensor => {
          const y = forms[form]({ x: x!, dt: dt!, A: A!, B: B!, C: C! }, { chunk: given.chunk })
          return sum(mul(y, y))
        }
        checkGrads(loss, [x, dt, A, B, C])
      }),
      { seed, numRuns: 8 },
    )
  })
})

describe('gradientRules', () => {
  const layer: SsmInputs = {
    x: tensor([[1], [-2], [0.5], [3]], { dtype: 'bfloat16' }),
    dt: tensor([0.5, 0.25, 0.125, 0.0625], { dtype: 'bfloat16' }),
    A: tensor(-1, { dtype: 'bfloat16' }),
    B: tensor([[1]], { dtype: 'bfloat16' }),
    C: tensor([[1]], { dtype: 'bfloat16' }),
  }
  const gradientOf = (form: Form, inputs: SsmInputs): Tensor =>
    valueAndGrad((dt) => sum(cast(forms[form]({ ...inputs, dt }, { cumsum: 'stable-keep' }), 'float32')), {
      rules: gradientRules,
    })(inputs.dt)[1]
  const wide = Object.fromEntries(
    Object.entries(layer).map(([name, value]) => [name, cast(value, 'float64')]),
  ) as unknown as SsmInputs

  it.each(['factorized', 'pairwise', 'segsum', 'chunked'] as const)(
    "%s with 'stable-keep' has bfloat16 gradients within 4 ulp of the float64 ones",
    (form) => {
      const gradient = gradientOf(form, layer)
      expect(gradient.dtype).toBe('bfloat16')
      const exact = gradientOf(form, wide).toNumbers()
      const largest = Math.max(...exact.map(Math.abs))
      for (const [i, value] of gradient.toNumbers().entries()) {
        expect(Math.abs(value - exact[i]!)).toBeLessThanOrEqual(4 * 2 ** -8 * largest)
      }
    },
  )

  it('without them, an operation that changes the dtype on the way has no gradient', () => {
    const loss = (dt: Tensor): Tensor => sum(forms.factorized({ ...layer, dt }, { cumsum: 'stable-keep' }))
    expect(() => valueAndGrad(loss)(layer.dt)).toThrow(
      new RangeError('valueAndGrad: no gradient rule for this operation, give one by rules [narrowedExp]'),
    )
  })
})
