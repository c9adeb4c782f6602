import {
  checkInteger,
  checkNumber,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { softmax } from '../../../numerics/index.js'
import {
  cast,
  checkFloatDType,
  type FloatDType,
  greater,
  log,
  matmul,
  maximum,
  mean,
  mul,
  neg,
  reshape,
  sub,
  sum,
  Tensor,
  tensor,
  transpose,
  where,
} from '../../../tensors/tensor/index.js'
import { straightThrough } from '../gradients/straightThrough.js'
import { checkCodes, checkNumbers, codesOf, rowsOf } from '../rows/rowsOf.js'

/** Signs, and the codes that they are. */
export interface LfqCodes<D extends FloatDType = FloatDType> {
  /** The bits of each vector as a number, the first the most significant, [...]. */
  readonly codes: Tensor<'int32'>
  /** -1 and 1, with a straight-through gradient, [..., d]. */
  readonly quantized: Tensor<D>
}

/** How entropies are measured. */
export interface LfqEntropyOptions {
  /** The inverse of the softmax's temperature. Default 100. */
  readonly inverseTemperature?: number
  /** What a probability counts at least inside the logarithm: 0 log 0 has no gradient in float16. Default 1e-5. */
  readonly floor?: number
  /** How much the codebook's entropy counts in the loss. Default 1. */
  readonly diversity?: number
  /** The dtype of the computation. Default 'float64'. */
  readonly dtype?: FloatDType
}

/** Entropies in natural units. */
export interface LfqEntropies {
  /** The mean of the entropies of each vector's distribution over codes: low when vectors are sure. */
  readonly sample: Tensor
  /** The entropy of the mean distribution: high when all codes are used. */
  readonly codebook: Tensor
  /** sample - diversity codebook. */
  readonly loss: Tensor
}

/** A code of signs: no codebook to learn. */
export interface Lfq {
  readonly dim: number
  /** 2^dim. */
  readonly size: number
  /** Codes of z [..., dim]. */
  encode<D extends FloatDType>(z: Tensor<D>): LfqCodes<D>
  /** The signs of codes [...], [..., dim]. */
  decode(codes: Tensor<'int32'>): Tensor<'float32'>
  /** How sure vectors are of their codes, and how evenly codes are used. */
  entropies(z: Tensor, options?: LfqEntropyOptions): LfqEntropies
}

const entropyNames: OptionTable<LfqEntropyOptions> = {
  ...{ inverseTemperature: 'optional', floor: 'optional', diversity: 'optional', dtype: 'optional' },
}

/**
 * Quantisation without a look-up: every number is its sign, and the signs are the code.
 *
 * Shape     z [..., dim].
 * Dtype     any float; codes are int32.
 * Rounding  none in codes; entropies are those of softmax(2 b z.c), every operation once, in `dtype`.
 * Special   0 counts as negative.
 * Gradient  of the signs straight through; of entropies through the softmax.
 * Throws    RangeError for dim outside 1 to 30, vectors of another length, NaN; entropies of more than 2^20 codes.
 * Cost      entropies 2 n dim 2^dim operations.
 * Source    Yu et al., arXiv 2310.05737; lucidrains/vector-quantize-pytorch 1.32.0
 *
 * @example lfq(3).encode(tensor([[0.5, -2, 0]])).codes.toNested() // [4]
 * @example lfq(3).decode(tensor([4], { dtype: 'int32' })).toNested() // [[1, -1, -1]]
 */
export function lfq(dim: number): Lfq {
  checkInteger('lfq', 'dim', dim, 1, 30)
  const size = 2 ** dim
  const signs = (codes: ArrayLike<number>): Float32Array => {
    const values = new Float32Array(codes.length * dim)
    for (let i = 0; i < values.length; i++) {
      const j = i % dim
      values[i] = (codes[(i - j) / dim]! >>> (dim - 1 - j)) & 1 ? 1 : -1
    }
    return values
  }
  const rows = (z: Tensor): number => {
    const { n, d } = rowsOf('lfq', 'z', z)
    if (d !== dim) throw new RangeError(`lfq: vectors of ${dim} numbers are coded [${d}]`)
    checkNumbers('lfq', 'z', z)
    return n
  }
  return {
    ...{ dim, size },
    encode<D extends FloatDType>(z: Tensor<D>): LfqCodes<D> {
      rows(z)
      const bits = greater(z, 0)
      const weights = tensor(
        Array.from({ length: dim }, (_, j) => 2 ** (dim - 1 - j)),
        { dtype: 'int32' },
      )
      const codes = sum(mul(cast(bits, 'int32'), weights), { axis: z.rank - 1 })
      const one = tensor(1, { dtype: z.dtype })
      return { codes, quantized: straightThrough(z, where(bits, one, neg(one)) as Tensor<D>) }
    },
    decode(codes) {
      const list = codesOf('lfq', codes)
      checkCodes('lfq', list.data, size)
      return new Tensor('float32', [...list.shape, dim], signs(list.data))
    },
    entropies(z, given = noOptions) {
      const n = rows(z)
      checkOptions('lfq.entropies', given, entropyNames, { positional: 'inverseTemperature' })
      const { inverseTemperature = 100, floor = 1e-5, diversity = 1, dtype = 'float64' } = given
      checkNumber('lfq.entropies', 'inverseTemperature', inverseTemperature, 0)
      checkNumber('lfq.entropies', 'floor', floor, 0, 1)
      checkNumber('lfq.entropies', 'diversity', diversity)
      checkFloatDType('lfq.entropies', 'dtype', dtype)
      if (dim > 20) throw new RangeError(`lfq.entropies: more than 2^20 codes [2^${dim}]`)
      if (n === 0) throw new RangeError('lfq.entropies: there are no vectors [0]')
      const all = tensor(signs(Int32Array.from({ length: size }, (_, i) => i)), { shape: [size, dim], dtype })
      const flat = reshape(cast(z, dtype), [n, dim])
      const scores = mul(matmul(flat, transpose(all), { accumulate: dtype }), 2 * inverseTemperature)
      const p = softmax(scores, { axis: 1 })
      const entropy = (q: Tensor): Tensor => neg(sum(mul(q, log(maximum(q, floor))), { axis: q.rank - 1 }))
      const sample = mean(entropy(p))
      const codebook = entropy(mean(p, { axis: 0 }))
      return { sample, codebook, loss: sub(sample, mul(codebook, diversity)) }
    },
  }
}
