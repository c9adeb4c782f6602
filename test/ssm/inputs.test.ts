import { foldIn, key, normal } from 'tpu-toolkit/random'
import {
  chunked,
  clamped,
  cumsums,
  type Form,
  factorized,
  forms,
  pairwise,
  pairwiseMaskAfter,
  runningSums,
  type SsmInputs,
  segmentSums,
} from 'tpu-toolkit/ssm'
import { abs, cast, cumsum, ones, sizeOf, type Tensor, tensor, zeros } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const layer = (changes: Partial<SsmInputs> = {}): SsmInputs => ({
  x: ones([4, 2]),
  dt: ones([4]),
  A: tensor(-1),
  B: ones([4, 3]),
  C: ones([4, 3]),
  ...changes,
})
const names = Object.keys(forms) as Form[]
const called: Readonly<Record<Form, string>> = {
  recurrence: 'recurrence',
  factorized: 'factorized',
  clamped: 'clamped',
  pairwise: 'pairwise',
  'pairwise-mask-after': 'pairwiseMaskAfter',
  segsum: 'segsum',
  chunked: 'chunked',
}

describe('chunked', () => {
  it('has chunks of 64 by default', () => {
    const draw = (i: number, shape: readonly number[]): Tensor =>
      cast(tensor(normal(foldIn(key(3), i), sizeOf(shape)), { shape }), 'bfloat16')
    const drawn = {
      ...{ x: draw(0, [130, 1]), dt: abs(draw(1, [130])), A: tensor(-0.01, { dtype: 'bfloat16' }) },
      ...{ B: draw(2, [130, 2]), C: draw(3, [130, 2]) },
    }
    const bits = (options?: { readonly chunk: number }) => chunked(drawn, options).toBits()
    expect(bits()).toEqual(bits({ chunk: 64 }))
    for (const chunk of [32, 63, 65, 128]) expect(bits()).not.toEqual(bits({ chunk }))
  })
})

describe('every form', () => {
  it.each(names)('%s refuses layers whose parts do not fit, naming what is wrong', (form) => {
    const op = called[form]
    const refused = (changes: Partial<SsmInputs>, error: Error): void =>
      expect(() => forms[form](layer(changes))).toThrow(error)
    refused({ x: ones([4]) }, new RangeError(`${op}: x needs the axes [L, P] [4]`))
    refused({ x: ones([0, 2]), dt: ones([0]) }, new RangeError(`${op}: x has no positions [0, 2]`))
    refused({ dt: ones([3]) }, new RangeError(`${op}: dt has not the 4 positions of x [3]`))
    refused({ B: ones([2, 3]) }, new RangeError(`${op}: B is not [4 or 1, 3] at its end [2, 3]`))
    refused({ C: ones([4, 2]) }, new RangeError(`${op}: C is not [4 or 1, 3] at its end [4, 2]`))
    refused(
      { A: tensor(-1, { dtype: 'bfloat16' }) },
      new TypeError(`${op}: dtypes differ, cast one of them [x float32 and A bfloat16]`),
    )
    refused(
      { dt: tensor([1, 1, 1, 1], { dtype: 'int32' }) },
      new TypeError(`${op}: dt needs a floating-point dtype, cast first [int32]`),
    )
  })

  it.each(names)('%s of one position is dt (C . B) x', (form) => {
    const inputs = layer({ x: tensor([[3]]), dt: tensor([2]), B: tensor([[1, 5]]), C: tensor([[1, -1]]) })
    expect(forms[form](inputs).toNested()).toEqual([[-24]])
  })

  it.each([
    ['recurrence', [false, false, true, true]],
    ['chunked', [false, false, true, true]],
    ['factorized', [true, true, true, true]],
    ['clamped', [true, true, true, true]],
    ['pairwise', [true, true, true, true]],
    ['pairwise-mask-after', [true, true, true, true]],
    ['segsum', [true, true, true, true]],
  ] as const)(
    '%s lets a NaN of x through: matrices to all positions they multiply, by 0',
    (form, reached) => {
      const inputs = layer({ x: tensor([[1], [1], [Number.NaN], [1]]) })
      const y = forms[form](inputs, { chunk: 2 }).toNumbers()
      expect([...y].map(Number.isNaN)).toEqual(reached)
    },
  )

  it.each(names)('%s shares A among batches and B and C among heads', (form) => {
    const inputs = layer({ x: ones([2, 3, 4, 2]), dt: ones([2, 3, 4]), A: tensor([-1, -2, -3]) })
    const y = forms[form](inputs)
    expect(y.shape).toEqual([2, 3, 4, 2])
    const alone = forms[form](layer({ A: tensor(-2) })).toNumbers()
    expect([...y.toNumbers().slice(8, 16)]).toEqual([...alone])
    expect([...y.toNumbers().slice(32, 40)]).toEqual([...alone])
  })

  it.each(names.filter((form) => form !== 'recurrence'))('%s refuses an unknown cumsum', (form) => {
    expect(() => forms[form](layer(), { cumsum: 'exact' as never })).toThrow(/: unknown cumsum \[exact\]$/)
  })
})

describe('where forms part', () => {
  // A span of 100, past the 88.72 that float32 and bfloat16 hold.
  const long = layer({ dt: tensor([50, 50, 50, 1e-3]), x: ones([4, 1]), B: ones([1, 1]), C: ones([1, 1]) })

  it('factorized is Inf past the largest exponent of 88.72 and NaN where Bh is 0, pairwise is neither', () => {
    expect(factorized(long).toNumbers()[0]).toBe(Infinity)
    expect(factorized({ ...long, A: tensor(-2) }).toNumbers()[0]).toBeNaN()
    expect(pairwise(long).toNumbers().every(Number.isFinite)).toBe(true)
  })
  it('clamped is finite there and wrong: it cuts exponents at its limit', () => {
    const y = clamped(long).toNumbers()
    expect(y.every(Number.isFinite)).toBe(true)
    expect(y[0]).not.toBe(pairwise(long).toNumbers()[0])
    expect(() => clamped(long, { limit: Number.NaN })).toThrow(
      new RangeError('clamped: limit is not a finite number [NaN]'),
    )
  })
  it('pairwiseMaskAfter is NaN from Inf above the diagonal', () => {
    expect(pairwiseMaskAfter(long).toNumbers().some(Number.isNaN)).toBe(true)
  })
  it('chunked gives the same for a chunk longer than the sequence as segsum, and refuses a chunk of 0', () => {
    expect(chunked(layer(), { chunk: 100 }).toBits()).toEqual(forms.segsum(layer()).toBits())
    expect(() => chunked(layer(), { chunk: 0 })).toThrow(
      new RangeError('chunked: chunk is not a whole number from 1 [0]'),
    )
  })
  it('the cumsum decides in bfloat16: 128 steps of 1/16 behind a 16 stand still, or not', () => {
    const dt = tensor([16, ...Array.from({ length: 128 }, () => 1 / 16)], { dtype: 'bfloat16' })
    const at = (name: keyof typeof cumsums): number =>
      runningSums(dt, { cumsum: name }).sums.toNumbers().at(-1)!
    expect([at('sequential'), at('stable'), at('stable-keep')]).toEqual([16, 24, 24])
  })
})

describe('runningSums', () => {
  const dt = tensor([255, 1, 1, 1, 1, 0.5, Number.NaN], { dtype: 'bfloat16' })
  it.each(Object.entries(cumsums))("'%s' is cumsum in its order and accumulator", (name, how) => {
    const { sums, accumulate } = runningSums(dt, { cumsum: name as keyof typeof cumsums })
    const { order = 'sequential', keep } = how
    const expected = keep
      ? cumsum(cast(dt, 'float32'), { order })
      : cumsum(dt, { order, accumulate: how.accumulate ?? 'bfloat16' })
    expect([sums.dtype, accumulate]).toEqual([keep ? 'float32' : 'bfloat16', how.accumulate ?? 'bfloat16'])
    expect([...sums.toBits()]).toEqual([...expected.toBits()])
  })
  it('of float64 steps adds in float64, whatever the name says', () => {
    const { sums, accumulate } = runningSums(tensor([1, 2 ** -40], { dtype: 'float64' }), {
      cumsum: 'stable',
    })
    expect([accumulate, sums.toNumbers()[1]]).toEqual(['float64', 1 + 2 ** -40])
  })
  it('keeps sums in another dtype where dtypes.sums says so', () => {
    const { sums } = runningSums(dt, { dtypes: { sums: 'float64' } })
    expect([sums.dtype, sums.toNumbers()[4]]).toEqual(['float64', 256])
  })
  it('of no steps is empty', () => expect(runningSums(zeros([0])).sums.shape).toEqual([0]))
})

describe('segmentSums', () => {
  it('adds every segment on its own, along leading axes too', () => {
    const a = tensor([
      [1, 2, 3],
      [10, 20, 30],
    ])
    expect((segmentSums(a) as Tensor).toNested()).toEqual([
      [
        [0, 0, 0],
        [2, 0, 0],
        [5, 3, 0],
      ],
      [
        [0, 0, 0],
        [20, 0, 0],
        [50, 30, 0],
      ],
    ])
  })
})
