import { checkOptions, type OptionTable } from '../../base/options/index.js'
import {
  broadcastTo,
  concat,
  type FloatDType,
  full,
  max,
  minimum,
  reshape,
  type Shape,
  slice,
  type Tensor,
  zeros,
} from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { stateTree, zerosLike } from '../arithmetic/fullLike.js'
import { zipLeaves } from '../arithmetic/leafwise.js'
import { updateMoment } from '../arithmetic/moments.js'
import { inDtype, type Scalar } from '../arithmetic/operand.js'
import type { GradientTransformation } from '../transformation.js'

/** The constants of SM3. */
export interface ScaleBySm3Options extends ArithmeticOption {
  /** Decay of the momentum. Default: 0.9. */
  readonly b1?: Scalar
  /** Decay of the sums of squares, 1 for sums that only grow. Default: 1. */
  readonly b2?: Scalar
  /** Added under the root. Default: 1e-8. */
  readonly eps?: Scalar
}

/** The names of `ScaleBySm3Options`. */
export const scaleBySm3Names: OptionTable<ScaleBySm3Options> = {
  b1: 'optional',
  b2: 'optional',
  eps: 'optional',
  ...arithmeticNames,
}

/**
 * The largest sums of squares: of each leaf one number for every index of every axis, axis after axis in one vector. And the
 * momentum.
 */
export type Sm3State = { readonly mu: Tree; readonly nu: Tree }

/**
 * SM3: Adagrad in the memory of a matrix's borders. An element's sum of squares is g^2 plus the least of what its row,
 * column, ... keep, and they keep the largest of theirs; u = g / sqrt(sum + eps), then momentum.
 *
 * Rounding  1 / sqrt once. XLA's rsqrt is the processor's estimate: up to 2 ulp apart from it.
 * Source    Memory-efficient adaptive optimization, arXiv:1901.11150
 */
export function scaleBySm3(options: ScaleBySm3Options = {}): GradientTransformation<Sm3State> {
  checkOptions('scaleBySm3', options, scaleBySm3Names)
  const { b1 = 0.9, b2 = 1, eps = 1e-8 } = options
  const a = arithmeticOf(options.arithmetic)
  checkScalar('scaleBySm3', 'b1', b1, 0, 1)
  checkScalar('scaleBySm3', 'b2', b2, 0, 1)
  checkScalar('scaleBySm3', 'eps', eps, 0)
  return {
    recordable: true,
    init: (params) => ({
      mu: stateTree(params, (p) => zeros([bordersOf(p.shape)], { dtype: p.dtype })),
      nu: zerosLike(params),
    }),
    update(updates, state) {
      const trees = [updates, state.mu, state.nu] as const
      const [out, mu, nu] = zipLeaves('scaleBySm3', trees, ([g, borders, momentum]) => {
        const least = spread(borders!, g!.shape)
        const square = a.mul(b2 === 1 ? 1 : a.oneMinus(b2), a.mul(g!, g!))
        const total = a.add(square, a.mul(b2, least))
        const inverse = a.whereAbove(a.rsqrt(a.add(total, eps)), total)
        const next = updateMoment(a, b1, a.mul(g!, inverse), momentum!)
        return [next, inDtype(gathered(total, g!.shape), borders!.dtype as FloatDType), next]
      })
      return [out, { mu, nu }]
    },
  }
}

function bordersOf(shape: Shape): number {
  return shape.length === 0 ? 1 : shape.reduce((total, length) => total + length, 0)
}

/** Of every element the least that its borders keep. */
function spread(borders: Tensor, shape: Shape): Tensor {
  if (shape.length === 0) return reshape(borders, [])
  let offset = 0
  const spreads = shape.map((length, axis): Tensor => {
    const along = shape.map((_, other) => (other === axis ? length : 1))
    const own = slice(borders, [[offset, offset + length]])
    offset += length
    return broadcastTo(reshape(own, along), shape)
  })
  return spreads.reduce((least, each) => minimum(least, each))
}

/** Of every border the largest of its elements. */
function gathered(totals: Tensor, shape: Shape): Tensor {
  if (totals.size === 0) return full([bordersOf(shape)], -Infinity, { dtype: totals.dtype as FloatDType })
  if (shape.length === 0) return reshape(totals, [1])
  return concat(
    shape.map((length, axis): Tensor => {
      const others = shape.flatMap((_, other) => (other === axis ? [] : [other]))
      return others.length === 0 ? totals : reshape(max(totals, { axis: others }), [length])
    }),
  )
}
