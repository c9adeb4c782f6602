import { checkOptions, type OptionTable } from '../../options/index.js'
import { type FloatDType, type Shape, sizeOf, zeros } from '../../tensor/index.js'
import type { Tree } from '../../tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { type Decoded, decodedOf, type Scalar, tensorOf, valuesFor } from '../arithmetic/decoded.js'
import { stateTree, zerosLike } from '../arithmetic/fullLike.js'
import { zipLeaves } from '../arithmetic/leafwise.js'
import { updateMoment } from '../arithmetic/moments.js'
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
    init: (params) => ({
      mu: stateTree(params, (p) => zeros([bordersOf(p.shape)], { dtype: p.dtype })),
      nu: zerosLike(params),
    }),
    update(updates, state) {
      const trees = [updates, state.mu, state.nu] as const
      const [out, mu, nu] = zipLeaves('scaleBySm3', trees, ([g, borders, momentum]) => {
        const least = spread(decodedOf(borders!), g!.shape)
        const square = a.mul(b2 === 1 ? 1 : a.oneMinus(b2), a.mul(g!, g!))
        const total = a.add(square, a.mul(b2, least))
        const inverse = a.map((root, s) => (s > 0 ? root : 0), a.rsqrt(a.add(total, eps)), total)
        const next = tensorOf(updateMoment(a, b1, a.mul(g!, inverse), momentum!))
        return [next, tensorOf(gathered(total, g!.shape), borders!.dtype as FloatDType), next]
      })
      return [out, { mu, nu }]
    },
  }
}

function bordersOf(shape: Shape): number {
  return shape.length === 0 ? 1 : shape.reduce((total, length) => total + length, 0)
}

/** Calls f with every element's index and the places of its row, column, ... in the borders. */
function eachBorder(shape: Shape, f: (element: number, border: number) => void): void {
  const axes = shape.length === 0 ? [1] : shape
  const size = sizeOf(axes)
  let [offset, inner] = [0, size]
  for (const length of axes) {
    inner /= length
    for (let i = 0; i < size; i++) f(i, offset + (Math.floor(i / inner) % length))
    offset += length
  }
}

/** Of every element the least that its borders keep. */
function spread(borders: Decoded, shape: Shape): Decoded {
  const size = sizeOf(shape)
  const values = valuesFor(borders.dtype, size).fill(Number.POSITIVE_INFINITY)
  eachBorder(shape, (i, border) => {
    values[i] = Math.min(values[i]!, borders.values[border]!)
  })
  return { dtype: borders.dtype, shape, values }
}

/** Of every border the largest of its elements. */
function gathered(totals: Decoded, shape: Shape): Decoded {
  const values = valuesFor(totals.dtype, bordersOf(shape)).fill(Number.NEGATIVE_INFINITY)
  eachBorder(shape, (i, border) => {
    values[border] = Math.max(values[border]!, totals.values[i]!)
  })
  return { dtype: totals.dtype, shape: [values.length], values }
}
