import fc from 'fast-check'
import { type DType, reshape, slice, take, tensor, zeros } from 'tpu-toolkit/tensor'
import { assign, compareAssignments, type DistanceOptions, distances, type Metric } from 'tpu-toolkit/vq'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { VqKeys } from '../support/vqKeys.js'

const keys = new VqKeys('assign')
const cases = keys.cases<{ name: string }>().map(({ name }) => name)
const metrics = [
  ['euclidean', 'sq'],
  ['dot', 'dots'],
  ['cosine', 'cos'],
] as const

describe.each(cases)('assign, the keys of %s', (name) => {
  const [x, c] = [keys.floats(`${name}_x`), keys.floats(`${name}_c`)]
  it.each(metrics)('has the codes by %s', (metric) => {
    expect(Array.from(assign(x, c, { metric }).data)).toEqual(keys.whole(`${name}_${metric}`))
  })

  it.each(metrics)('has the numbers compared, by %s, within 1e-12', (metric, column) => {
    const [mine, right] = [
      distances(x, c, { metric }).toNumbers(),
      keys.floats(`${name}_${column}`).toNumbers(),
    ]
    // Each of a row's numbers is of the size of its largest terms.
    const [ax, ac] = [norms(x.toNumbers(), x.shape[1]!), norms(c.toNumbers(), c.shape[1]!)]
    mine.forEach((value, i) => {
      const [row, code] = [Math.floor(i / ac.length), i % ac.length]
      const size = { sq: (ax[row]! + ac[code]!) ** 2, dots: ax[row]! * ac[code]!, cos: 1 }[column]
      expect(Math.abs(value - right[i]!)).toBeLessThanOrEqual(1e-12 * size)
    })
  })
})

function norms(values: Float64Array, d: number): number[] {
  return Array.from({ length: values.length / d }, (_, i) =>
    Math.hypot(...values.subarray(i * d, (i + 1) * d)),
  )
}

const misassign = new VqKeys('misassign')
const arithmetics = misassign.facts['arithmetics'] as string[]
const wide = ['f32', 'bf16-f32', 'bf16'] as const
const rounding: Readonly<Record<(typeof wide)[number], DistanceOptions>> = {
  f32: { dtype: 'float32' },
  'bf16-f32': { dtype: 'bfloat16', accumulate: 'float32' },
  bf16: { dtype: 'bfloat16' },
}

function optionsOf(arithmetic: string): DistanceOptions {
  const form = (['direct', 'expanded', 'no-x2', 'centred'] as const).find((one) =>
    arithmetic.startsWith(one),
  )!
  return { form, ...rounding[arithmetic.slice(form.length + 1) as 'f32'] }
}

describe.each(misassign.cases<{ name: string; wrong: Record<string, number> }>())(
  'assign, misassigned: $name',
  ({ name, wrong }) => {
    const [x, c] = [misassign.floats(`${name}_x`), misassign.floats(`${name}_c`)]
    it('has the codes of the real distances', () => {
      expect(Array.from(assign(x, c).data)).toEqual(misassign.whole(`${name}_exact`))
    })

    it.each(arithmetics)('has the codes, and the wrong ones, of %s', (arithmetic) => {
      const codes = Array.from(assign(x, c, optionsOf(arithmetic)).data)
      expect(codes).toEqual(misassign.whole(`${name}_${arithmetic}`))
      const exact = misassign.whole(`${name}_exact`)
      expect(codes.filter((code, i) => code !== exact[i]).length).toBe(wrong[arithmetic])
    })

    it('compareAssignments counts the same', () => {
      const options = optionsOf('expanded-bf16-f32')
      expect(compareAssignments(x, c, options).wrong).toBe(wrong['expanded-bf16-f32'])
    })
  },
)

describe(`assign (seed ${seed})`, () => {
  // In eighths: no square underflows.
  const numbers = (most: number) =>
    fc.integer({ min: -8 * most, max: 8 * most }).map((eighths) => eighths / 8)
  const vectors = fc
    .record({
      n: fc.integer({ min: 1, max: 40 }),
      k: fc.integer({ min: 1, max: 24 }),
      d: fc.integer({ min: 1, max: 24 }),
    })
    .chain(({ n, k, d }) =>
      fc.record({
        x: fc.array(numbers(100), { minLength: n * d, maxLength: n * d }),
        c: fc.array(numbers(100), { minLength: k * d, maxLength: k * d }),
        sizes: fc.constant({ n, k, d }),
        scale: fc.constantFrom(1, 2 ** -200, 2 ** 300, 2 ** -20),
        offset: fc.constantFrom(0, 1000, 1e7),
      }),
    )

  it('gives the first least of distances, products and cosines, however it is computed', () => {
    fc.assert(
      fc.property(
        vectors,
        fc.constantFrom<Metric>('euclidean', 'dot'),
        ({ x, c, sizes, scale, offset }, metric) => {
          const { n, k, d } = sizes
          const move = (values: number[]) => values.map((value) => (value + offset) * scale)
          const table = tensor(move(c), { shape: [k, d], dtype: 'float64' })
          // Rows many times over, so that the product in float32 is used.
          const many = tensor(move(x), { shape: [n, d], dtype: 'float64' })
          const rows = take(
            many,
            Array.from({ length: 20 * n }, (_, i) => i % n),
            { axis: 0 },
          )
          const codes = assign(rows, table, { metric }).data
          const all = distances(many, table, { metric }).toNumbers()
          for (let i = 0; i < codes.length; i++) {
            const row = all.subarray((i % n) * k, ((i % n) + 1) * k)
            const best = metric === 'dot' ? Math.max(...row) : Math.min(...row)
            expect(codes[i]).toBe(row.indexOf(best))
          }
        },
      ),
      { seed, numRuns: 60 },
    )
  })

  it('of the codebook itself gives each row its first equal: coding is idempotent', () => {
    fc.assert(
      fc.property(vectors, ({ x, sizes: { n, d } }) => {
        const rows = tensor(x, { shape: [n, d], dtype: 'float64' })
        const once = take(rows, assign(rows, rows), { axis: 0 })
        expect(once.toNumbers()).toEqual(rows.toNumbers())
      }),
      { seed, numRuns: 40 },
    )
  })

  it('of long vectors is that of short parts of the rows', () => {
    const rows = tensor(
      Float64Array.from({ length: 900 * 12 }, (_, i) => Math.sin(i * i)),
      { shape: [900, 12], dtype: 'float64' },
    )
    const table = slice(rows, [[0, 50]])
    const all = assign(rows, table).data
    expect(all.slice(0, 50)).toEqual(Int32Array.from({ length: 50 }, (_, i) => i))
    expect(all.slice(100, 110)).toEqual(assign(slice(rows, [[100, 110]]), table).data)
  })

  it('takes any leading axes, and rows of any float', () => {
    const x = tensor([
      [[0.2], [0.9]],
      [[0.6], [0.1]],
    ])
    const table = tensor([[0], [1]], { dtype: 'bfloat16' })
    expect(assign(x, table).toNested()).toEqual([
      [0, 1],
      [1, 0],
    ])
    expect(assign(zeros([0, 1]), table).shape).toEqual([0])
    expect(assign(reshape(x, [4, 1]), table, { dtype: 'bfloat16', form: 'expanded' }).toNested()).toEqual([
      0, 1, 1, 0,
    ])
    expect(assign(zeros([0, 1]), table, { form: 'expanded' }).shape).toEqual([0])
  })

  it.each([
    ['NaN', () => assign(tensor([[1], [Number.NaN]]), tensor([[1]])), 'row 1 of x is not finite [NaN]'],
    [
      'infinite codes',
      () => assign(tensor([[1]]), tensor([[1], [Infinity]])),
      'row 1 of codebook is not finite [Infinity]',
    ],
    ['no codes', () => assign(tensor([[1]]), zeros([0, 1])), 'codebook has no codes [0, 1]'],
    [
      'vectors of no numbers',
      () => assign(zeros([3, 0]), zeros([2, 0])),
      'x has vectors of no numbers [3, 0]',
    ],
    [
      'other vectors',
      () => assign(tensor([[1, 2]]), tensor([[1]])),
      'vectors of 2 numbers, a codebook of others [1, 1]',
    ],
    ['one number', () => assign(tensor(1), tensor([[1]])), 'x is one number, no rows of vectors [float32]'],
    [
      'a flat codebook',
      () => assign(tensor([[1]]), tensor([1])),
      'codebook is no table of rows and columns [1]',
    ],
    [
      'integers',
      () => assign(zeros([1, 1], { dtype: 'int32' as DType }), tensor([[1]])),
      'x has no floating-point dtype, cast first [int32]',
    ],
    [
      'a form of cosine',
      () => assign(tensor([[1]]), tensor([[1]]), { metric: 'cosine', form: 'centred' }),
      'only euclidean distances have other forms than direct [cosine, centred]',
    ],
  ])('refuses %s', (_, call, message) => {
    expect(call).toThrow(`assign: ${message}`)
  })
})
