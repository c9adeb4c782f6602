import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { key } from 'tpu-toolkit/random'
import { grid, integers, linear, log, random, type Search, type Space, sobol } from 'tpu-toolkit/sweep'
import { describe, expect, it } from 'vitest'
import { root } from '../support/project.js'
import { seed } from '../support/seed.js'

interface SobolKey {
  readonly denominator: number
  readonly cases: readonly { dimensions: number; points: number; numerators: readonly number[] }[]
}
const golden: SobolKey = JSON.parse(readFileSync(`${root}test/golden/sweep/sobol.json`, 'utf8'))

describe('grid', () => {
  it('grid() has every combination once, the last parameter fastest', () => {
    expect(grid().configurations({ a: [1, 2], b: ['x', 'y', 'x'] })).toEqual([
      { a: 1, b: 'x' },
      { a: 1, b: 'y' },
      { a: 2, b: 'x' },
      { a: 2, b: 'y' },
    ])
    expect(grid().configurations({})).toEqual([{}])
  })

  it('grid() takes as many values of a range as it has points, both ends among them', () => {
    const of = (space: Space): unknown[] =>
      grid()
        .configurations(space)
        .map(({ a }) => a)
    expect(of({ a: log(1e-4, 1e-2, { points: 5 }) })).toEqual([1e-4, 3.16228e-4, 1e-3, 3.16228e-3, 1e-2])
    expect(of({ a: linear(-1, 1, { points: 5 }) })).toEqual([-1, -0.5, 0, 0.5, 1])
    expect(of({ a: integers(3, 6) })).toEqual([3, 4, 5, 6])
    expect(of({ a: integers(1, 9, { points: 3 }) })).toEqual([1, 5, 9])
    expect(of({ a: linear(2, 3, { points: 1 }) })).toEqual([2])
  })

  it.each([
    [
      () => grid().configurations({ a: log(1, 2) }),
      'grid: a range without points, give them or search at random [a]',
    ],
    [() => grid().configurations({ a: [] }), 'grid: a list without values [a]'],
    [
      () => grid().configurations({ a: integers(1, 2000), b: integers(1, 2000) }),
      'grid: more than a million combinations [a, b]',
    ],
    [() => log(0, 1), 'log: from is not a finite number, 5e-324 or more [0]'],
    [() => log(2, 1), 'log: to is not a finite number, 2 or more [1]'],
    [() => integers(1.5, 2), 'integers: from is not a whole number, -9007199254740991 or more [1.5]'],
    [() => linear(0, 1, { points: 0 }), 'linear: points is not a whole number from 1 to 10000 [0]'],
    [
      () =>
        sobol({ trials: 1 }).configurations(
          Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`p${i}`, [0, 1]])),
        ),
      'sobol: more parameters vary than there are directions for, 64 [65]',
    ],
  ])('%s is a RangeError', (call, message) => {
    expect(call).toThrow(new RangeError(message))
  })
})

describe(`random and sobol (seed ${seed})`, () => {
  it.each(golden.cases.map(({ dimensions, points, numerators }) => ({ dimensions, points, numerators })))(
    "sobol({ trials: $points }) in $dimensions dimensions is SciPy's sequence",
    ({ dimensions, points, numerators }) => {
      const names = Array.from({ length: dimensions }, (_, i) => `p${String(i).padStart(2, '0')}`)
      const space = Object.fromEntries(names.map((name) => [name, integers(0, golden.denominator - 1)]))
      const found = sobol({ trials: points }).configurations(space)
      expect(found.flatMap((params) => names.map((name) => params[name]))).toEqual(numerators)
    },
  )

  it('sobol({ key }) keeps as many trials in each half and quarter of every range as without', () => {
    const space = { a: integers(0, 3), b: linear(0, 4) }
    for (const shift of [undefined, key(seed), key(seed + 1)]) {
      const found = sobol({ trials: 64, ...(shift ? { key: shift } : {}) }).configurations(space)
      expect(found.length).toBe(64)
      for (const name of ['a', 'b'] as const) {
        const counts = [0, 0, 0, 0]
        for (const params of found) counts[Math.floor(Number(params[name]))]!++
        expect(counts).toEqual([16, 16, 16, 16])
      }
    }
    const first = (k: number): unknown => sobol({ trials: 1, key: key(k) }).configurations(space)[0]
    expect(first(seed)).not.toEqual(first(seed + 1))
  })

  const spaces = fc.dictionary(
    fc.string({ minLength: 1, maxLength: 3 }),
    fc.oneof(
      fc.uniqueArray(fc.oneof(fc.integer(), fc.boolean(), fc.string()), { minLength: 1, maxLength: 5 }),
      fc.tuple(fc.integer(), fc.nat()).map(([from, span]) => integers(from, from + span)),
      fc
        .tuple(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), fc.double({ min: 1, max: 1e6, noNaN: true }))
        .map(([from, times]) => log(from, from * times)),
      fc
        .tuple(fc.integer({ min: -1000, max: 1000 }), fc.nat(1000))
        .map(([from, span]) => linear(from, from + span)),
    ),
    { maxKeys: 5 },
  )
  const searches: readonly (readonly [string, (trials: number) => Search])[] = [
    ['random', (trials) => random({ trials, key: key(seed) })],
    ['sobol', (trials) => sobol({ trials })],
  ]
  it.each(searches)(
    '%s stays inside of the space, is a beginning of itself with more trials, and does not look at the order of names',
    (_, search) => {
      fc.assert(
        fc.property(spaces, (space) => {
          const found = search(16).configurations(space)
          expect(search(40).configurations(space).slice(0, found.length)).toEqual(found)
          expect(search(16).configurations(Object.fromEntries(Object.entries(space).reverse()))).toEqual(
            found,
          )
          for (const params of found) {
            expect(Object.keys(params)).toEqual(Object.keys(space))
            for (const [name, values] of Object.entries(space)) {
              const value = params[name]!
              if (!('kind' in values)) {
                expect(values).toContain(value)
                continue
              }
              expect(value).toBeGreaterThanOrEqual(values.from)
              expect(value).toBeLessThanOrEqual(values.to)
              if (values.kind === 'integers') expect(Number.isInteger(value)).toBe(true)
            }
          }
        }),
        { seed, numRuns: 60 },
      )
    },
  )

  it('random(trials) spreads a log range evenly over its decades: within 6 standard deviations', () => {
    const n = 3000
    const found = random({ trials: n, key: key(seed) }).configurations({ lr: log(1e-4, 1e-1) })
    const counts = [0, 0, 0]
    for (const { lr } of found) counts[Math.min(2, Math.floor(Math.log10(Number(lr)) + 4))]!++
    const bound = 6 * Math.sqrt(n * (1 / 3) * (2 / 3))
    for (const count of counts) expect(Math.abs(count - n / 3)).toBeLessThan(bound)
  })

  it("random(trials) draws jax.random.uniform(fold_in(key, i)): jax 0.10.2's, put on the range", () => {
    const found = random({ trials: 2, key: key(0) }).configurations({ lr: log(1e-4, 1e-2) })
    expect(found).toEqual([{ lr: 0.00483758 }, { lr: 0.000103416 }])
  })

  it('random(trials) tries a configuration once, however often it is drawn', () => {
    expect(random({ trials: 50, key: key(1) }).configurations({ a: [1, 2], b: [3] })).toHaveLength(2)
  })
})
