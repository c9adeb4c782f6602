import { covarianceSpectrum, naiveCovariance, stableCovariance } from 'tpu-toolkit/numerics'
import { cast, slice, stack, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { bfloat16, hexOf, readKey } from '../support/reductionKeys.js'

interface Summary {
  readonly mean: number
  readonly method: string
  readonly max_eig: number
  readonly min_eig: number
  readonly n_above_1e_3_max: number
  readonly n_negative: number
  readonly effective_rank: number
}

const key = readKey<{
  summary: Summary[]
  bits: Record<string, { X: string; out: Record<string, string> }>
}>('covariance')

type Way = (z: Tensor<'bfloat16'>) => Tensor<'bfloat16'>
const ways: Record<string, Way> = {
  naive_bf16: (z) => naiveCovariance(z),
  bf16_values_f32_accumulate: (z) => naiveCovariance(z, { accumulate: 'float32' }),
  f32_internal_cast: (z) => cast(stableCovariance(z), 'bfloat16'),
  one_pass_bf16: (z) => naiveCovariance(z, { method: 'one-pass' }),
}

describe.each([0, 10, 100])('covariance of 512 rows of 64 columns, mean %i', (mean) => {
  const { X, out } = key.bits[`mean${mean}`]!
  const z = bfloat16(X, [512, 64])

  it.each(Object.entries(ways))('%s gives the recorded codes', (name, way) => {
    expect(Object.keys(out)).toEqual(Object.keys(ways))
    expect(hexOf(way(z))).toBe(out[name])
  })

  it.each(Object.keys(ways))('the spectrum of %s is the recorded one', (name) => {
    const summary = key.summary.find((row) => row.mean === mean && row.method === name)!
    const found = covarianceSpectrum(bfloat16(out[name]!, [64, 64]))
    // Two backward stable decompositions: each eigenvalue within about d 2^-53 of the largest.
    const noise = 64 * 2 ** -52 * summary.max_eig
    expect(Math.abs(found.eigenvalues[0]! - summary.max_eig)).toBeLessThanOrEqual(noise)
    expect(Math.abs(found.eigenvalues.at(-1)! - summary.min_eig)).toBeLessThanOrEqual(noise)
    expect(found.rank).toBe(summary.n_above_1e_3_max)
    // d log d times the noise of a share, which is noise / trace.
    expect(Math.abs(found.effectiveRank - summary.effective_rank)).toBeLessThanOrEqual(
      summary.effective_rank * 64 * Math.log(64) * 64 * 2 ** -52,
    )
    // At mean 100 the others are 0 but for noise, whose signs mean nothing.
    if (found.rank > 1) expect(found.negative).toBe(summary.n_negative)
  })
})

describe('stableCovariance and naiveCovariance', () => {
  const z = tensor([
    [1, 2],
    [3, 6],
    [8, 1],
  ])

  it('agree with the definition where nothing is rounded', () => {
    const expected = [
      [13, -4],
      [-4, 7],
    ]
    expect(stableCovariance(z).toNested()).toEqual(expected)
    expect(naiveCovariance(cast(z, 'bfloat16')).toNested()).toEqual(expected)
  })

  it('naiveCovariance at mean 100 has effective rank 1, stableCovariance keeps it near 60', () => {
    const far = bfloat16(key.bits['mean100']!.X, [512, 64])
    expect(covarianceSpectrum(naiveCovariance(far)).effectiveRank).toBeCloseTo(1, 10)
    expect(covarianceSpectrum(stableCovariance(far)).effectiveRank).toBeGreaterThan(59.9)
  })

  it('stableCovariance(z) is float32, float64 for float64, symmetric', () => {
    expect(stableCovariance(cast(z, 'bfloat16')).dtype).toBe('float32')
    expect(stableCovariance(cast(z, 'float64')).dtype).toBe('float64')
    const c = stableCovariance(bfloat16(key.bits['mean10']!.X, [512, 64])).toNested() as number[][]
    for (let i = 0; i < 64; i++) for (let j = 0; j < i; j++) expect(c[i]![j]).toBe(c[j]![i])
  })

  it('go batch by batch', () => {
    const other = tensor([
      [0, 1],
      [1, 0],
      [5, 5],
    ])
    const both = stack([z, other])
    for (const covariance of [stableCovariance, naiveCovariance]) {
      expect(hexOf(slice(covariance(both), [1]), 8)).toBe(hexOf(covariance(other), 8))
    }
  })

  it('refuse one row, a vector, integers and an unknown method', () => {
    expect(() => stableCovariance(tensor([[1, 2, 3]]))).toThrow(
      new RangeError('stableCovariance: needs two rows or more [1, 3]'),
    )
    expect(() => naiveCovariance(tensor([1, 2]))).toThrow(
      new RangeError('naiveCovariance: needs rows of columns [2]'),
    )
    expect(() => naiveCovariance(tensor([[1], [2]], { dtype: 'int32' }))).toThrow(
      new TypeError('naiveCovariance: needs a floating-point dtype, cast first [int32]'),
    )
    expect(() => naiveCovariance(z, { method: 'three-pass' as never })).toThrow(
      new RangeError('naiveCovariance: unknown method [three-pass]'),
    )
  })

  it('a column with Inf or NaN gives NaN there only', () => {
    const c = stableCovariance(
      tensor([
        [1, Infinity],
        [2, 3],
      ]),
    )
    expect(c.toNested()).toEqual([
      [0.5, Number.NaN],
      [Number.NaN, Number.NaN],
    ])
  })
})

describe('covarianceSpectrum', () => {
  it('counts equal directions, one direction, none', () => {
    const eye = tensor([
      [3, 0, 0],
      [0, 3, 0],
      [0, 0, 3],
    ])
    expect(covarianceSpectrum(eye)).toMatchObject({ rank: 3, negative: 0 })
    expect(covarianceSpectrum(eye).effectiveRank).toBeCloseTo(3, 14)
    expect(covarianceSpectrum(tensor([[0]]))).toMatchObject({ effectiveRank: 0, rank: 0, negative: 0 })
  })

  it('an indefinite matrix has negative eigenvalues, in descending order', () => {
    const { eigenvalues, negative } = covarianceSpectrum(
      tensor([
        [1, 2],
        [2, 1],
      ]),
    )
    expect(eigenvalues[0]).toBeCloseTo(3, 14)
    expect(eigenvalues[1]).toBeCloseTo(-1, 14)
    expect(negative).toBe(1)
  })

  it('refuses what is not square or not finite', () => {
    expect(() => covarianceSpectrum(tensor([[1, 2]]))).toThrow(
      new RangeError('covarianceSpectrum: needs a square matrix [1, 2]'),
    )
    expect(() => covarianceSpectrum(tensor([[Number.NaN]]))).toThrow(
      new RangeError('covarianceSpectrum: needs finite elements [NaN]'),
    )
  })
})
