import { Matrix, SingularValueDecomposition } from 'ml-matrix'
import { covarianceSpectrum, fromMatrix, stableCovariance, toMatrix } from 'tpu-toolkit/numerics'
import { type DType, tensor, zeros } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

describe('toMatrix and fromMatrix', () => {
  it.each(['bfloat16', 'float8_e4m3fn', 'float32', 'float64', 'int32', 'uint32', 'bool'] as const)(
    'fromMatrix(toMatrix(%s), { dtype }) has the same bits',
    (dtype) => {
      const values =
        dtype === 'bool'
          ? [[0, 1, 1]]
          : [
              [0, 1, 7],
              [3, 2, 5],
            ]
      const x = tensor(values, { dtype })
      expect(toMatrix(x)).toBeInstanceOf(Matrix)
      const back = fromMatrix(toMatrix(x), { dtype })
      expect([back.dtype, back.shape, back.toBits()]).toEqual([dtype, x.shape, x.toBits()])
    },
  )

  it('toMatrix keeps rows as rows, and -0, Inf, NaN and the smallest subnormal', () => {
    const odd = [-0, Number.POSITIVE_INFINITY, Number.NaN, 2 ** -149, -1.5, 0.1]
    const x = tensor(odd, { shape: [3, 2], dtype: 'float64' })
    expect(toMatrix(x).to2DArray()).toEqual([odd.slice(0, 2), odd.slice(2, 4), odd.slice(4)])
    expect(fromMatrix(toMatrix(x)).toBits()).toEqual(x.toBits())
  })

  it.each([[[0, 3]], [[2, 0]], [[0, 0]], [[1, 1]]])('toMatrix and fromMatrix keep the shape %j', (shape) => {
    const matrix = toMatrix(zeros(shape))
    expect([matrix.rows, matrix.columns]).toEqual(shape)
    expect(fromMatrix(matrix).shape).toEqual(shape)
  })

  it('fromMatrix rounds once, straight from float64', () => {
    // Above the midpoint of 1 and 1 + 2^-7 by less than float32 shows.
    const matrix = new Matrix([[1 + 2 ** -8 + 2 ** -40]])
    expect(fromMatrix(matrix, { dtype: 'bfloat16' }).item()).toBe(1 + 2 ** -7)
    expect(fromMatrix(matrix, { dtype: 'float32' }).item()).toBe(1 + 2 ** -8)
  })

  it('toMatrix shares no memory with the tensor', () => {
    const x = tensor([[1, 2]], { dtype: 'float64' })
    toMatrix(x).set(0, 0, 7)
    expect(x.toNested()).toEqual([[1, 2]])
  })

  it('errors name the shape, the type or the dtype', () => {
    expect(() => toMatrix(tensor([1, 2]))).toThrow(new RangeError('toMatrix: needs two axes [2]'))
    expect(() => toMatrix(tensor(1))).toThrow(new RangeError('toMatrix: needs two axes []'))
    expect(() => fromMatrix([[1]] as never)).toThrow(
      new TypeError('fromMatrix: needs a Matrix of ml-matrix [object]'),
    )
    expect(() => fromMatrix(undefined as never)).toThrow(
      new TypeError('fromMatrix: needs a Matrix of ml-matrix [undefined]'),
    )
    expect(() => fromMatrix(new Matrix([[1]]), { dtype: 'bf16' as DType })).toThrow(
      new TypeError('tensor: unknown dtype, did you mean bfloat16 [bf16]'),
    )
  })
})

describe('covarianceSpectrum(c).condition', () => {
  it('is the ratio of the singular values of a covariance, as ml-matrix decomposes it', () => {
    const z = tensor(
      Float64Array.from({ length: 60 }, (_, i) => Math.sin(i * i) * (1 + (i % 4))),
      {
        shape: [15, 4],
        dtype: 'float64',
      },
    )
    const c = stableCovariance(z)
    const { condition } = covarianceSpectrum(c)
    expect(condition).toBeGreaterThan(1)
    // Either decomposition is off by about d 2^-53 of the largest value, so the smallest by condition times that.
    const theirs = new SingularValueDecomposition(toMatrix(c)).condition
    expect(Math.abs(condition / theirs - 1)).toBeLessThan(2 * 4 * 2 ** -52 * condition)
  })

  it('is exact for diagonals, and Infinity for singular, indefinite and zero matrices', () => {
    const diagonal = (...values: number[]) =>
      tensor(values.map((value, i) => values.map((_, j) => (i === j ? value : 0))))
    expect(covarianceSpectrum(diagonal(0.5, 4)).condition).toBe(8)
    expect(covarianceSpectrum(diagonal(3)).condition).toBe(1)
    for (const c of [diagonal(1, 0), diagonal(1, -1), diagonal(0, 0)]) {
      expect(covarianceSpectrum(c).condition).toBe(Number.POSITIVE_INFINITY)
    }
  })
})
