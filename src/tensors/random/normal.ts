import { checkName, checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import type { Key } from '../../numbers/threefry/index.js'
import { roundingTo, type Shape, type Tensor } from '../tensor/index.js'
import { bits } from './bits.js'
import { destination } from './destination.js'
import { erfInverseFloat32 } from './erf.js'
import { isShape, shaped } from './shaped.js'
import { type DrawOptions, drawNames, fillUniform } from './uniform.js'

/** The dtypes of normal draws. */
export type NormalDType = 'float32' | 'bfloat16' | 'float16'

/** Options of `normal`. */
export interface NormalOptions<D extends NormalDType = NormalDType> extends DrawOptions {
  /** The dtype of the tensor that a shape gives. Default: 'float32'. */
  dtype?: D
}

const names: OptionTable<NormalOptions> = { ...drawNames, dtype: 'optional' }

const sqrt2 = Math.fround(Math.SQRT2)
/** The float32 above -1: the inverse error function is finite from here. */
const aboveMinusOne = -1 + 2 ** -24

/**
 * n float32 from the standard normal distribution: sqrt(2) erfinv(u), u uniform on (-1, 1).
 * Scale and shift are the caller's, each with its own rounding. A shape with a `dtype` of 16 bits gives what JAX draws in it:
 * from as many random bits as its significand has, so 128 values in bfloat16 and 1,024 in float16.
 *
 * Shape     [n], an array; of a shape a tensor, the same numbers row-major. Element i does not depend on n.
 * Rounding  float32 throughout, in the operations of XLA on CPU: equal to jax.random.normal there. In 16 bits the uniform draw,
 *           the inverse error function and the product are each rounded to the dtype.
 * Special   finite: |x| <= 5.42, the resolution of 23 random bits; 2.89 in bfloat16, 3.49 in float16.
 * Cost      allocates the result only, not even that with `out`.
 * Source    jax 0.10.2
 *
 * @example normal(key(0), 2) // 1.622642159461975,2.0252647399902344
 * @example normal(key(0), [2, 3]).shape // [2,3]
 */
export function normal(key: Key, n: number, options?: DrawOptions): Float32Array
export function normal<D extends NormalDType = 'float32'>(
  key: Key,
  shape: Shape,
  options?: NormalOptions<D>,
): Tensor<D>
export function normal(
  key: Key,
  n: number | Shape,
  options: NormalOptions = noOptions,
): Float32Array | Tensor {
  checkOptions('normal', options, names, { positional: 'out' })
  const { out, dtype = 'float32' } = options
  checkName('normal', 'dtype', dtype, ['float32', 'bfloat16', 'float16'])
  if (isShape(n)) {
    const draw = (size: number): Float32Array =>
      dtype === 'float32' ? normal(key, size) : narrowNormal(key, size, dtype)
    return shaped('normal', n, dtype, out, draw)
  }
  if (dtype !== 'float32') {
    throw new RangeError(`normal: a number of elements is drawn in float32, ask for a shape [${dtype}]`)
  }
  const values = destination('normal', n, Float32Array, out)
  fillUniform('normal', key, values, aboveMinusOne, 1)
  for (let i = 0; i < n; i++) values[i] = sqrt2 * erfInverseFloat32(values[i]!)
  return values
}

/** The values in 16 bits, by the random bits: of the low byte of a word in bfloat16, of its low half in float16. */
function narrowNormal(key: Key, n: number, dtype: 'bfloat16' | 'float16'): Float32Array {
  const [width, significand] = dtype === 'bfloat16' ? ([8, 7] as const) : ([16, 10] as const)
  const round = roundingTo(dtype)
  const low = -1 + 2 ** -(significand + 1)
  // 1 - low rounds to 2, so that the draws are odd multiples of the least one.
  const table = Float32Array.from({ length: 2 ** significand }, (_, i) => {
    const u = Math.max(low, i * 2 ** (1 - significand) + low)
    return round(Math.fround(round(Math.SQRT2) * round(erfInverseFloat32(round(u)))))
  })
  const words = width === 8 ? bits(key, n, { width }) : bits(key, n, { width: 16 })
  return Float32Array.from(words, (word) => table[word >>> (width - significand)]!)
}
