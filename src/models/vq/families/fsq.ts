import {
  checkArray,
  checkInteger,
  checkName,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import {
  add,
  cast,
  checkFloatDType,
  type DType,
  div,
  type FloatDType,
  floor,
  mul,
  rint,
  sub,
  sum,
  Tensor,
  tanh,
  tensor,
} from '../../../tensors/tensor/index.js'
import { straightThrough } from '../gradients/straightThrough.js'
import { checkCodes, checkNumbers, codesOf, rowsOf } from '../rows/rowsOf.js'

/** How numbers become digits. */
export interface FsqOptions {
  /**
   * 'tanh': rounded to the nearest of L values, an even L shifted by half a step; 'symmetric': L intervals of tanh, values
   * from -1 to 1. Default 'tanh'.
   */
  readonly bound?: 'tanh' | 'symmetric'
  /** The dtype of the computation; results are rounded to the dtype of the numbers. Default 'float64'. */
  readonly dtype?: FloatDType
}

/** In what indices are computed from values; whole numbers by default, as they should be. */
export interface FsqIndexOptions {
  /** Values, digits and products each round to it: in bfloat16 indices collide past 256 codes. Default: exact. */
  readonly dtype?: FloatDType
  /** In what the products are added, before the sum is rounded to `dtype`. Default 'float32'. */
  readonly accumulate?: FloatDType
}

/** Numbers, their digits, and the code of all. */
export interface FsqCodes<D extends DType = DType> {
  /** 0 to L - 1 for every number, [..., d]. */
  readonly digits: Tensor<'int32'>
  /** The first level fastest, [...]. */
  readonly codes: Tensor<'int32'>
  /** The value of each digit, with a straight-through gradient, in the dtype of z, [..., d]. */
  readonly quantized: Tensor<D>
}

/** A code of the digits of each number: no codebook to learn. */
export interface Fsq {
  readonly levels: readonly number[]
  /** What a digit counts in the index: the product of the levels before. */
  readonly basis: readonly number[]
  /** How many codes there are: the product of the levels. */
  readonly size: number
  /** Bits of a code: log2 size. */
  readonly bits: number
  /** Codes of z [..., d], whatever its size. */
  encode<D extends FloatDType>(z: Tensor<D>): FsqCodes<D>
  /** The values of codes [...], [..., d]. */
  decode(codes: Tensor<'int32'>): Tensor<'float64'>
  /** The codes of values that `decode` gives, [..., d] -> [...]; in a dtype of their own as floats have them. */
  index(values: Tensor, options?: FsqIndexOptions): Tensor<'float64'>
}

const names: OptionTable<FsqOptions> = { bound: 'optional', dtype: 'optional' }
const indexNames: OptionTable<FsqIndexOptions> = { dtype: 'optional', accumulate: 'optional' }

/**
 * Finite scalar quantisation: every number is bounded and rounded to one of L levels of its own.
 *
 * Shape     z [..., d] for d levels.
 * Dtype     any float; digits and codes are int32.
 * Rounding  every operation once, in `dtype`: tanh(z + shift) half - offset, half to even, with half = (L - 1) 1.001 / 2, offset
 *           1/2 and shift = atanh(offset / half) for an even L, else 0; the value is that over floor(L / 2).
 *           'symmetric': digit = floor((L - 1)(tanh z + 1) / 2 + 1/2), value 2 digit / (L - 1) - 1. The values once to z's dtype.
 * Special   infinite numbers take the outermost level.
 * Gradient  through tanh as if nothing were rounded.
 * Throws    RangeError for fewer than 2 levels, more than 2^31 codes, NaN, and vectors of another length.
 * Source    Mentzer et al., arXiv 2309.15505; lucidrains/vector-quantize-pytorch 1.32.0
 *
 * @example fsq([8, 5, 5, 5]).size // 1000
 * @example fsq([3, 3]).encode(tensor([[-9, 9]])).codes.toNested() // [6]
 * @example fsq([3, 3]).decode(tensor([6], { dtype: 'int32' })).toNested() // [[-1, 1]]
 */
export function fsq(levels: readonly number[], options: FsqOptions = noOptions): Fsq {
  checkArray('fsq', 'levels', levels)
  if (levels.length === 0) throw new RangeError('fsq: there are no levels [an empty array]')
  for (const level of levels) checkInteger('fsq', 'a level', level, 2)
  checkOptions('fsq', options, names, { positional: 'bound' })
  const { bound = 'tanh', dtype = 'float64' } = options
  checkName('fsq', 'bound', bound, ['tanh', 'symmetric'])
  checkFloatDType('fsq', 'dtype', dtype)
  const own = [...levels]
  const basis = own.map((_, i) => own.slice(0, i).reduce((product, level) => product * level, 1))
  const size = own.reduce((product, level) => product * level, 1)
  if (size > 2 ** 31) throw new RangeError(`fsq: more than 2^31 codes [${own.join(' x ')}]`)
  const d = own.length
  const halves = own.map((level) => (bound === 'tanh' ? Math.floor(level / 2) : (level - 1) / 2))
  // What a digit is when its value is 0.
  const middle = bound === 'tanh' ? halves : own.map((level) => (level - 1) / 2)
  const row = (numbers: readonly number[], kind: FloatDType = dtype): Tensor =>
    tensor(numbers, { dtype: kind })
  const checked = (x: Tensor, what: string): void => {
    const { d: length } = rowsOf('fsq', what, x)
    if (length !== d) throw new RangeError(`fsq: vectors of ${d} numbers for ${d} levels [${length}]`)
  }

  /** Bounded, in steps of one digit, 0 where the digit is `middle`. */
  const bounded = (z: Tensor): Tensor => {
    if (bound === 'symmetric') return mul(tanh(z), row(halves))
    const half = own.map((level) => ((level - 1) * (1 + 0.001)) / 2)
    const offset = own.map((level) => (level % 2 === 0 ? 0.5 : 0))
    const shift = half.map((value, i) => Math.atanh(offset[i]! / value))
    return sub(mul(tanh(add(z, row(shift))), row(half)), row(offset))
  }
  const rounded = (steps: Tensor): Tensor => {
    if (bound === 'tanh') return rint(steps)
    return sub(floor(add(add(steps, row(middle)), 0.5)), row(middle))
  }

  return {
    ...{ levels: own, basis, size, bits: Math.log2(size) },
    encode<D extends FloatDType>(z: Tensor<D>): FsqCodes<D> {
      checked(z, 'z')
      checkNumbers('fsq', 'z', z)
      const steps = bounded(cast(z, dtype))
      const whole = rounded(steps)
      const digits = cast(add(cast(whole, 'float64'), row(middle, 'float64')), 'int32') as Tensor<'int32'>
      const codes = sum(mul(digits, tensor(basis, { dtype: 'int32' })), { axis: digits.rank - 1 })
      const quantized = cast(div(straightThrough(steps, whole), row(halves)), z.dtype)
      return { digits, codes, quantized }
    },
    decode(codes) {
      const list = codesOf('fsq', codes)
      checkCodes('fsq', list.data, size)
      const values = new Float64Array(list.size * d)
      for (let i = 0; i < values.length; i++) {
        const j = i % d
        const digit = Math.floor(list.data[(i - j) / d]! / basis[j]!) % own[j]!
        values[i] = bound === 'tanh' ? (digit - halves[j]!) / halves[j]! : (2 * digit) / (own[j]! - 1) - 1
      }
      return new Tensor('float64', [...list.shape, d], values)
    },
    index(values, given = noOptions) {
      checked(values, 'values')
      checkOptions('fsq.index', given, indexNames, { positional: 'dtype' })
      const { dtype: kind, accumulate = 'float32' } = given
      if (kind !== undefined) checkFloatDType('fsq.index', 'dtype', kind)
      checkFloatDType('fsq.index', 'accumulate', accumulate)
      const how = kind ?? 'float64'
      const steps = add(mul(cast(values, how), row(halves, how)), row(middle, how))
      const digits = kind === undefined ? rint(steps) : steps
      const wide = kind === undefined ? 'float64' : accumulate
      const products = cast(mul(digits, row(basis, how)), wide)
      return cast(cast(sum(products, { axis: products.rank - 1, accumulate: wide }), how), 'float64')
    },
  }
}
