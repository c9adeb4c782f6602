import { checkName } from '../../../base/options/index.js'
import { type GemmPrecision, gemm, type Split } from '../../../models/kernels/index.js'
import { key, normal } from '../../../tensors/random/index.js'
import { abs, cast, type FloatDType, matmul, type Tensor } from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, red, say } from '../record/shown.js'

/** The product; `dtype` is that of the operands. */
export interface Bf16x3LowOptions extends DTypeOption {
  /** How operands are cut into bfloat16 parts. Default: 'truncate'. */
  readonly split?: Split
  /** Default: 'high', three passes. */
  readonly precision?: GemmPrecision
  /** Operands of one sign, or of both. Default: 'one'. */
  readonly signs?: 'one' | 'both'
}

const [rows, k] = [16, 512]
const noticed = 2 ** -18

/**
 * Three bfloat16 passes of truncated parts: on positive data every product is too small.
 *
 * Readings  `bias`, the mean error of 256 results relative to the sum of magnitudes; `worst` of them; `low`, results below the exact
 *           ones; `errors`, each. The stable twin rounds its parts to nearest.
 *
 * @example bf16x3Low.run().naive.low // 256
 */
export const bf16x3Low: Failure<Bf16x3LowOptions> = failure<Bf16x3LowOptions>({
  id: 'bf16x3-low',
  title: 'bfloat16 times three with truncated parts: always too small on positive data',
  story:
    'A float32 product on a bfloat16 unit cuts each operand into a high and a low part and leaves out the product of the two low ones. Cut by dropping bits, which is a mask and costs nothing, a low part has the sign of its operand; what is left out is then positive wherever the product is, and errors that could cancel add up. With parts rounded to nearest, low parts have either sign, and are half as large. Activations after a relu, probabilities and squares are positive data.',
  source: 'https://arxiv.org/abs/1904.06376',
  reported:
    'Henry, Tang and Heinecke define the splitting of float32 into two or three bfloat16 parts by rounding each remainder to nearest, and find three products of two parts a little short of float32. Compilers that mask bits instead compute other numbers.',
  repairs: [
    { change: 'parts rounded to nearest', options: { split: 'nearest' } },
    { change: 'six passes', options: { precision: 'highest' } },
    { change: 'operands of both signs', options: { signs: 'both' } },
    { change: 'bfloat16 operands: there is no low part', options: { dtype: 'bfloat16' } },
  ],
  cure: {
    none: 'the parts are cut inside one operation, gemm, whose split and precision take it out: for the doctor it is one step.',
  },
  options: { dtype: 'optional', split: 'optional', precision: 'optional', signs: 'optional' },
  run({ dtype = 'float32', split = 'truncate', precision = 'high', signs = 'one' }) {
    checkName(this.id, 'split', split, ['truncate', 'nearest'])
    checkName(this.id, 'signs', signs, ['one', 'both'])
    const [a, b] = operands(signs, dtype)
    const exact = wideProduct(a, b)
    const whole = wideProduct(abs(a), abs(b))
    const readings = (of: Split, how: GemmPrecision) => {
      const made = gemm(a, b, { precision: how, split: of, dtype: 'float32' }).toNumbers()
      const errors = Array.from(made, (y, i) => (y - exact[i]!) / whole[i]!)
      const bias = errors.reduce((total, error) => total + error, 0) / errors.length
      const worst = Math.max(...errors.map(Math.abs))
      return { bias, worst, low: errors.filter((error) => error < 0).length, errors }
    }
    const [naive, stable] = [readings(split, precision), readings('nearest', precision)]
    const holds = Math.abs(naive.bias) >= noticed
    const line = (of: readonly number[]) => of.map((y, i) => ({ x: i + 1, y }))
    return {
      naive,
      stable,
      holds,
      text: holds
        ? `${say(naive.low)} of ${rows * rows} results are too small, on the mean by ${say(-naive.bias)} of the sum of magnitudes; with parts rounded to nearest the mean error is ${say(stable.bias)}.`
        : `The mean error is ${say(naive.bias)} of the sum of magnitudes.`,
      figure: {
        kind: 'scatter',
        caption: 'The error of every result relative to the sum of the magnitudes of its products.',
        axes: ['result', 'relative error'],
        series: [
          blue('rounded parts', line(stable.errors)),
          red(`${split}, ${precision}`, line(naive.errors)),
        ],
      },
    }
  },
})

function operands(signs: string, dtype: FloatDType): [Tensor<FloatDType>, Tensor<FloatDType>] {
  const drawn = [normal(key(28), [rows, k]), normal(key(29), [k, rows])] as const
  const [a, b] = drawn.map((of) => cast(signs === 'one' ? abs(of) : of, dtype))
  return [a!, b!]
}

function wideProduct(a: Tensor, b: Tensor): Float64Array {
  return Float64Array.from(matmul(cast(a, 'float64'), cast(b, 'float64')).toNumbers())
}
