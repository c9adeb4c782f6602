import {
  add,
  cast,
  type DType,
  type FloatDType,
  isFloat,
  matmul,
  notEqual,
  reshape,
  type Shape,
  sizeOf,
  sub,
  type Tensor,
  wideDType,
} from '../../../tensors/tensor/index.js'
import type { Operation } from '../module.js'
import { reshaped, resultType, transposed } from '../moving/moves.js'
import { fields, has, integers } from '../values/attributes.js'
import type { Context, Lowering } from '../values/lowering.js'
import { single } from '../values/lowering.js'
import { Complex, complex, real, type Value } from '../values/value.js'
import { type Algorithm, algorithmOf } from './algorithm.js'

/** Which axes of two operands go together. */
export interface DotDimensions {
  readonly leftBatch: readonly number[]
  readonly rightBatch: readonly number[]
  readonly left: readonly number[]
  readonly right: readonly number[]
}

/** Which dtype the result of a product has, and in which it adds. */
export interface DotSemantics {
  readonly result: DType
  readonly accumulate: FloatDType | undefined
  readonly algorithm?: Algorithm
}

/** How a product adds, by the options and its algorithm. */
export function dotSemantics(op: Operation, { semantics }: Context): DotSemantics {
  const { dtype } = resultType(op)
  const algorithm = has(op, 'algorithm') ? algorithmOf(op) : undefined
  if (!isFloat(dtype)) return { result: dtype, accumulate: undefined }
  const wide = semantics.dot === 'operands' ? dtype : wideDType(dtype)
  return { result: dtype, accumulate: algorithm?.accumulate ?? wide, ...(algorithm && { algorithm }) }
}

/** The product of matrices [batch..., m, k] and [batch..., k, n] with the semantics of a StableHLO product. */
export function product(a: Tensor, b: Tensor, { result, accumulate, algorithm }: DotSemantics): Tensor {
  if (algorithm) return algorithm.product(a, b, (x, y) => plain(x, y, accumulate), result)
  if (a.dtype === 'bool') {
    const counted = matmul(cast(a, 'int32'), cast(b, 'int32'))
    return result === 'bool' ? notEqual(counted, 0) : cast(counted, result)
  }
  if (!isFloat(a.dtype) || accumulate === undefined) {
    if (a.dtype === result && b.dtype === result) return matmul(a, b)
    return cast(matmul(cast(a, result), cast(b, result)), result)
  }
  if (a.dtype === b.dtype && a.dtype === result) return plain(a, b, accumulate)
  // Products of narrower operands are exact in what is added in, or rounded there once.
  const wide = accumulate === 'float64' || a.dtype === 'float64' ? 'float64' : 'float32'
  const done = plain(cast(a, wide), cast(b, wide), accumulate)
  return done.dtype === result ? done : cast(done, result)
}

function plain(a: Tensor, b: Tensor, accumulate: FloatDType | undefined): Tensor {
  return accumulate === undefined || accumulate === wideDType(a.dtype)
    ? matmul(a, b)
    : matmul(a, b, { accumulate })
}

/** Two operands as matrices, their product, and its axes apart again: batch, free ones of the left, free ones of the right. */
export function contracted(
  a: Tensor,
  b: Tensor,
  { leftBatch, rightBatch, left, right }: DotDimensions,
  multiply: (x: Tensor, y: Tensor) => Tensor,
): Tensor {
  const freeA = a.shape.flatMap((_, axis) => (leftBatch.includes(axis) || left.includes(axis) ? [] : [axis]))
  const freeB = b.shape.flatMap((_, axis) =>
    rightBatch.includes(axis) || right.includes(axis) ? [] : [axis],
  )
  const lengths = (x: Tensor, axes: readonly number[]): Shape => axes.map((axis) => x.shape[axis]!)
  const batch = lengths(a, leftBatch)
  const m = lengths(a, freeA)
  const n = lengths(b, freeB)
  const k = sizeOf(lengths(a, left))
  const lead = batch.length === 0 ? [] : [sizeOf(batch)]
  const x = reshaped(transposed(a, [...leftBatch, ...freeA, ...left]), [...lead, sizeOf(m), k])
  const y = reshaped(transposed(b, [...rightBatch, ...right, ...freeB]), [...lead, k, sizeOf(n)])
  return reshape(multiply(x, y), [...batch, ...m, ...n])
}

/** A product of complex numbers by four of real ones. */
function products(a: Value, b: Value, multiply: (x: Tensor, y: Tensor) => Tensor): Tensor | Complex {
  if (!(a instanceof Complex)) return multiply(real(a), real(b))
  const other = complex(b)
  return new Complex(
    sub(multiply(a.re, other.re), multiply(a.im, other.im)),
    add(multiply(a.re, other.im), multiply(a.im, other.re)),
  )
}

const dotGeneral: Lowering = (op, context) => {
  const entries = fields(op, 'dot_dimension_numbers')
  const list = (name: string): readonly number[] => integers(op, name, [], entries)
  const dims: DotDimensions = {
    leftBatch: list('lhs_batching_dimensions'),
    rightBatch: list('rhs_batching_dimensions'),
    left: list('lhs_contracting_dimensions'),
    right: list('rhs_contracting_dimensions'),
  }
  const semantics = dotSemantics(op, context)
  return single(([a, b]) =>
    products(a, b, (x, y) => contracted(x, y, dims, (left, right) => product(left, right, semantics))),
  )
}

/** The product of an old text: the last axis of the left one with the first of the right one. */
const dot: Lowering = (op, context) => {
  const semantics = dotSemantics(op, context)
  return single(([a, b]) =>
    products(a, b, (x, y) => {
      const dims: DotDimensions = { leftBatch: [], rightBatch: [], left: [x.rank - 1], right: [0] }
      return contracted(x, y, dims, (left, right) => product(left, right, semantics))
    }),
  )
}

/** Products of matrices. */
export const dots: Readonly<Record<'stablehlo.dot' | 'stablehlo.dot_general', Lowering>> = {
  'stablehlo.dot': dot,
  'stablehlo.dot_general': dotGeneral,
}
