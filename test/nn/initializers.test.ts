import { readFileSync } from 'node:fs'
import * as nn from 'tpu-toolkit/nn'
import { key as keyOf } from 'tpu-toolkit/random'
import { matmul, type Tensor, transpose } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

interface Row {
  readonly name: string
  readonly options: Readonly<Record<string, number | string>>
  readonly seed: number
  readonly shape: readonly number[]
  readonly bits: string
}

const { initializers }: { readonly initializers: readonly Row[] } = JSON.parse(
  readFileSync(new URL('../golden/nn/nn.json', import.meta.url), 'utf8'),
)

/** JAX's options in our names. */
const ours: Readonly<Record<string, string>> = {
  in_axis: 'inAxis',
  out_axis: 'outAxis',
  batch_axis: 'batchAxis',
  column_axis: 'columnAxis',
  stddev: 'deviation',
}
const makers: Readonly<Record<string, (options: never) => nn.Initializer>> = {
  variance_scaling: nn.varianceScaling,
  glorot_uniform: nn.glorotUniform,
  glorot_normal: nn.glorotNormal,
  lecun_uniform: nn.lecunUniform,
  lecun_normal: nn.lecunNormal,
  he_uniform: nn.heUniform,
  he_normal: nn.heNormal,
  normal: nn.normalWeights,
  uniform: nn.uniformWeights,
  truncated_normal: nn.truncatedNormalWeights,
  orthogonal: nn.orthogonal,
  constant: ({ value }: { value: number }) => nn.constant(value),
}

function made({ name, options, seed, shape }: Row): Tensor<'float32'> {
  const named = Object.entries(options).map(([option, value]) => [
    ours[option] ?? option,
    typeof value === 'string' ? value.replaceAll('_', '-') : value,
  ])
  return makers[name]!(Object.fromEntries(named) as never)(keyOf(seed), shape)
}

const wordsOf = (bits: string): Uint32Array =>
  Uint32Array.from(bits.match(/.{8}/g)!, (word) => Number.parseInt(word, 16))

describe('initializers', () => {
  it.each(initializers.filter(({ name }) => name !== 'orthogonal'))(
    '$name($options) draws the bits of jax.nn.initializers in $shape',
    (row) => {
      expect(made(row).shape).toEqual(row.shape)
      expect(made(row).toBits()).toEqual(wordsOf(row.bits))
    },
  )

  it.each(initializers.filter(({ name }) => name === 'orthogonal'))(
    'orthogonal($options) is within the error of JAX decomposing in float32, in $shape',
    (row) => {
      const expected = new Float32Array(wordsOf(row.bits).buffer)
      const actual = made(row).toNumbers()
      // LAPACK in float32: each column is off by a few 2^-24 times the square root of the rows, times scale 2.
      actual.forEach((value, i) => {
        expect(Math.abs(value - expected[i]!)).toBeLessThan(2e-6)
      })
    },
  )

  it.each([
    [6, 4],
    [4, 6],
    [3, 3],
    [1, 1],
  ])('orthogonal() gives [%i, %i] orthonormal columns, or rows where they are fewer', (rows, columns) => {
    const q = nn.orthogonal()(keyOf(1), [rows, columns])
    const gram = rows < columns ? matmul(q, transpose(q)) : matmul(transpose(q), q)
    gram.toNumbers().forEach((value, i) => {
      expect(Math.abs(value - (i % (gram.shape[0]! + 1) === 0 ? 1 : 0))).toBeLessThan(2 ** -21)
    })
  })

  it('give an empty tensor for an empty shape', () => {
    for (const maker of [nn.glorotNormal(), nn.orthogonal(), nn.normalWeights(), nn.constant(1)]) {
      expect(maker(keyOf(0), [0, 3]).shape).toEqual([0, 3])
    }
  })

  it('say what is wrong', () => {
    expect(() => nn.glorotNormal()(keyOf(0), [3])).toThrow(
      new RangeError('glorotNormal: a weight of inputs and outputs has two axes or more [3]'),
    )
    expect(() => nn.orthogonal()(keyOf(0), [3])).toThrow(
      new RangeError('orthogonal: shape has fewer than two axes [3]'),
    )
    expect(() => nn.heNormal({ inAxis: 5 })(keyOf(0), [3, 2])).toThrow(
      new RangeError('heNormal: axis is not a whole number from -2 to 1 [5]'),
    )
    expect(() => nn.varianceScaling({ scale: 0, mode: 'fan-in', distribution: 'normal' })).toThrow(RangeError)
    expect(() => nn.lecunNormal()(keyOf(0), [2, -1])).toThrow(
      new RangeError('lecunNormal: a size is not a whole number, 0 or more [-1]'),
    )
  })
})
