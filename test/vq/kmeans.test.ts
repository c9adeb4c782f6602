import fc from 'fast-check'
import { key } from 'tpu-toolkit/random'
import { slice, type Tensor, take, tensor, zeros } from 'tpu-toolkit/tensor'
import { assign, kmeans, kmeansPlusPlus, miniBatchKmeans } from 'tpu-toolkit/vq'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { float64Of, relativeGap, VqKeys } from '../support/vqKeys.js'

const keys = new VqKeys('kmeans')

interface KmeansCase {
  readonly name: string
  readonly n: number
  readonly k: number
  readonly iterations: number
  readonly weighted: boolean
  readonly finalInertia: string
}

describe.each(keys.cases<KmeansCase>())('kmeans, the keys of $name', (one) => {
  const { name, n, k, iterations, weighted } = one
  const [x, init] = [keys.floats(`${name}_x`), keys.floats(`${name}_init`)]
  const weights = weighted ? keys.floats(`${name}_weights`).toNumbers() : undefined
  const codes = keys.whole(`${name}_codes`)
  const centroids = keys.floats(`${name}_centroids`)
  const d = x.shape[1]!

  it('has the centroids, inertia and codes of every step', () => {
    for (let t = 0; t < iterations; t++) {
      const run = kmeans(x, { init, iterations: t + 1, ...(weights && { weights }) })
      const right = centroids.toNumbers().subarray(t * k * d, (t + 1) * k * d)
      expect(relativeGap(run.centroids, right)).toBeLessThanOrEqual(1e-12)
      const before =
        t === 0
          ? init
          : tensor(centroids.toNumbers().slice((t - 1) * k * d, t * k * d), {
              shape: [k, d],
              dtype: 'float64',
            })
      expect(Array.from(assign(x, before).data)).toEqual(codes.slice(t * n, (t + 1) * n))
    }
    const run = kmeans(x, { init, iterations, ...(weights && { weights }) })
    const inertias = keys.floats(`${name}_inertia`).toNumbers()
    // Once it has settled nothing changes.
    const padded = Array.from(inertias, (_, i) => run.inertias[Math.min(i, run.inertias.length - 1)]!)
    expect(relativeGap(padded, inertias)).toBeLessThanOrEqual(1e-12)
    expect(Array.from(run.codes.data)).toEqual(keys.whole(`${name}_final_codes`))
    const final = float64Of(one.finalInertia)
    expect(Math.abs(run.inertia - final) / final).toBeLessThanOrEqual(1e-12)
  })
})

const plusPlus = new VqKeys('kmeanspp')

describe.each(plusPlus.cases<{ name: string; k: number; first: string; trials: number }>())(
  'kmeansPlusPlus, the keys of $name',
  ({ name, k, first, trials }) => {
    it('chooses the same rows, with the same potential', () => {
      const run = kmeansPlusPlus(plusPlus.floats(`${name}_x`), k, {
        first: float64Of(first),
        uniforms: plusPlus.floats(`${name}_u`).toNumbers(),
        trials,
      })
      expect(Array.from(run.rows.data)).toEqual(plusPlus.whole(`${name}_chosen`))
      expect(relativeGap(run.potential, plusPlus.floats(`${name}_potential`))).toBeLessThanOrEqual(1e-12)
    })
  },
)

describe('miniBatchKmeans, the key', () => {
  it('has the codes, centroids and counts of every batch', () => {
    const batch = new VqKeys('minibatch')
    const { batches, batchSize } = batch.facts as unknown as { batches: number; batchSize: number }
    const means = miniBatchKmeans()
    const x = batch.floats('x')
    let state = means.init(batch.floats('init'))
    const [rows, codes] = [batch.whole('rows'), batch.whole('codes')]
    const centroids = batch.floats('centroids').toNumbers()
    for (let b = 0; b < batches; b++) {
      const own = rows.slice(b * batchSize, (b + 1) * batchSize)
      const [mine, next] = means.update(take(x, own, { axis: 0 }), state)
      state = next
      expect(Array.from(mine.data)).toEqual(codes.slice(b * batchSize, (b + 1) * batchSize))
      const right = centroids.subarray(b * state.centroids.size, (b + 1) * state.centroids.size)
      expect(relativeGap(state.centroids, right)).toBeLessThanOrEqual(1e-12)
    }
    expect(Array.from(state.counts.toNumbers())).toEqual(batch.whole('counts'))
  })

  it('counts in bfloat16 no further than 256', () => {
    const means = miniBatchKmeans({ dtype: 'bfloat16' })
    let state = means.init(zeros([1, 1]))
    for (let i = 0; i < 300; i++) state = means.update(zeros([1, 1]), state)[1]
    expect(state.counts.item()).toBe(256)
  })
})

const rowsOf = (values: number[], d: number): Tensor<'float64'> =>
  tensor(values.slice(0, values.length - (values.length % d)), {
    shape: [Math.floor(values.length / d), d],
    dtype: 'float64',
  })

describe(`kmeans (seed ${seed})`, () => {
  const rows = fc
    .tuple(
      fc.array(fc.double({ min: -8, max: 8, noNaN: true }), { minLength: 24, maxLength: 120 }),
      fc.integer({ min: 1, max: 3 }),
    )
    .map(([values, d]) => rowsOf(values, d))

  it('never raises the inertia, and its codes are those of its centroids', () => {
    fc.assert(
      fc.property(
        rows,
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom('keep', 'farthest'),
        (x, k, empty) => {
          const run = kmeans(x, { k, key: key(seed), empty })
          const all = [...run.inertias, run.inertia]
          // What float64 rounds of a mean.
          for (let i = 1; i < all.length && empty === 'keep'; i++) {
            expect(all[i]).toBeLessThanOrEqual(all[i - 1]! * (1 + 1e-12) + 1e-20)
          }
          expect(run.codes.data).toEqual(assign(x, run.centroids).data)
        },
      ),
      { seed, numRuns: 60 },
    )
  })

  it('permutes its codes with its rows', () => {
    fc.assert(
      fc.property(rows, (x) => {
        const n = x.shape[0]!
        const order = Array.from({ length: n }, (_, i) => (i * 7 + 3) % n)
        if (new Set(order).size < n) return
        const init = slice(x, [[0, Math.min(4, n)]])
        const [a, b] = [
          kmeans(x, { init, iterations: 1 }),
          kmeans(take(x, order, { axis: 0 }), { init, iterations: 1 }),
        ]
        expect(relativeGap(a.centroids, b.centroids)).toBeLessThanOrEqual(1e-13)
      }),
      { seed, numRuns: 40 },
    )
  })

  it('moves an empty code to the farthest row, as scikit-learn 1.9.1', () => {
    // KMeans(4, init=..., n_init=1, max_iter=1, algorithm='lloyd') of these rows.
    const x = tensor(
      [
        [0, 0],
        [1, 0],
        [0, 1],
        [10, 10],
        [11, 10],
        [30, 0],
      ],
      { dtype: 'float64' },
    )
    const init = tensor(
      [
        [0, 0],
        [10, 10],
        [100, 100],
      ],
      { dtype: 'float64' },
    )
    const run = kmeans(x, { init, iterations: 1, empty: 'farthest' })
    expect(run.centroids.toNested()).toEqual([
      [1 / 3, 1 / 3],
      [10.5, 10],
      [30, 0],
    ])
  })

  it('moves no row twice to empty codes, none without weight, none that lies on its code', () => {
    const x = tensor([[0], [0], [10], [50]], { dtype: 'float64' })
    const init = tensor([[0], [100], [200]], { dtype: 'float64' })
    const run = kmeans(x, { init, iterations: 1, empty: 'farthest', weights: [1, 1, 2, 0] })
    expect(run.centroids.toNested()).toEqual([[0], [10], [200]])
  })

  it('splits the largest code in two where that is the rule', () => {
    const x = tensor([[1], [2], [3], [40]], { dtype: 'float64' })
    const init = tensor([[2], [40], [99]], { dtype: 'float64' })
    const run = kmeans(x, { init, iterations: 1, empty: 'split' })
    expect(run.centroids.toNested()).toEqual([[2 * (1 - 1 / 1024)], [40], [2 * (1 + 1 / 1024)]])
  })

  it('of one code is the mean; of as many codes as rows has no error', () => {
    const x = tensor([[1], [2], [6]], { dtype: 'float64' })
    expect(kmeans(x, { k: 1, key: key(0) }).centroids.toNested()).toEqual([[3]])
    expect(kmeans(x, { k: 3, key: key(0) }).inertia).toBe(0)
  })

  it('rounds centroids once, to the dtype of the rows', () => {
    const x = tensor([[1], [1], [2]], { dtype: 'bfloat16' })
    const run = kmeans(x, { k: 1, key: key(0) })
    expect(run.centroids.dtype).toBe('bfloat16')
    expect(run.centroids.item()).toBe(1.3359375)
  })

  it.each([
    [
      'more codes than rows',
      () => kmeans(tensor([[1]]), { k: 2, key: key(0) }),
      'more codes than rows [2 of 1]',
    ],
    [
      'an init of more codes',
      () => kmeans(tensor([[1]]), { init: zeros([2, 1]) }),
      'more codes than rows [2 of 1]',
    ],
    ['no rows', () => kmeans(zeros([0, 2]), { k: 1, key: key(0) }), 'more codes than rows [1 of 0]'],
    [
      'no codes',
      () => kmeans(tensor([[1]]), { k: 0, key: key(0) }),
      'k is not a whole number, 1 or more [0]',
    ],
    [
      'NaN',
      () => kmeans(tensor([[1], [Number.NaN]]), { init: tensor([[1]]) }),
      'row 1 of x is not finite [NaN]',
    ],
    [
      'vectors of no numbers',
      () => kmeans(zeros([2, 0]), { k: 1, key: key(0) }),
      'x has vectors of no numbers [2, 0]',
    ],
    [
      'other vectors',
      () => kmeans(tensor([[1]]), { init: tensor([[1, 2]]) }),
      'vectors of 1 numbers, a codebook of others [1, 2]',
    ],
    [
      'negative weights',
      () => kmeans(tensor([[1]]), { init: tensor([[1]]), weights: [-1] }),
      'a weight is negative or not finite [-1]',
    ],
    [
      'a weight too few',
      () => kmeans(tensor([[1], [2]]), { init: tensor([[1]]), weights: [1] }),
      'not a weight for each row [1, not 2]',
    ],
    [
      'k without a key',
      () => kmeans(tensor([[1]]), { k: 1 }),
      'k without a key to draw the first codes by [1]',
    ],
    [
      'an unknown rule',
      () => kmeans(tensor([[1]]), { init: tensor([[1]]), empty: 'splitt' as 'split' }),
      'unknown empty, did you mean split [splitt]',
    ],
  ])('refuses %s', (_, call, message) => {
    expect(call).toThrow(`kmeans: ${message}`)
  })
})

describe('kmeansPlusPlus', () => {
  it('never draws a row that is chosen already while another is left, not even for u = 0', () => {
    const x = tensor([[0], [0], [5]])
    expect(kmeansPlusPlus(x, 2, { uniforms: [0] }).rows.toNested()).toEqual([0, 2])
    // 0 is the first row; running sums 0, 1, 5, 14 of squares.
    const line = tensor([[0], [1], [2], [3]])
    const drawn = (u: number) => kmeansPlusPlus(line, 2, { uniforms: [u] }).rows.toNested()
    expect([0, 1 / 14, 5 / 14, 1 - 2 ** -53].map(drawn)).toEqual([1, 2, 3, 3].map((row) => [0, row]))
  })

  it.each([
    ['too few draws', () => kmeansPlusPlus(zeros([3, 1]), 3, { uniforms: [0] }), 'needs 2 uniforms [1]'],
    ['a draw of 1', () => kmeansPlusPlus(zeros([3, 1]), 2, { uniforms: [1] }), 'uniforms is not below 1 [1]'],
    ['no draws', () => kmeansPlusPlus(zeros([3, 1]), 2), 'neither a key nor uniforms to draw rows by [none]'],
  ])('refuses %s', (_, call, message) => {
    expect(call).toThrow(`kmeansPlusPlus: ${message}`)
  })
})
