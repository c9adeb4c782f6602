import { fmaFloat32 } from '../../functions/index.js'
import { type FloatDType, full, type Tensor } from '../../tensor/index.js'
import { leavesOf, type Treelike } from '../../tree/index.js'
import type { Elementwise } from './arithmetic.js'
import { type Decoded, decodedOf } from './decoded.js'
import { sumXla } from './sumXla.js'

/**
 * The inner product of two trees of one structure, one element.
 *
 * Rounding  'ieee': each leaf's products and sum in float64, once to the dtype. 'xla-cpu': fused multiply-adds in float32,
 *           ascending, once to the dtype. Then leaf after leaf.
 */
export function innerProduct(a: Elementwise, x: Treelike, y: Treelike): Decoded {
  const beside = leavesOf(y)
  return totalOf(
    a,
    leavesOf(x).map((leaf, i) => leafProduct(a, leaf, beside[i]!)),
  )
}

/** The sum of a function of every leaf's elements: of each leaf, then leaf after leaf. */
export function treeSum(a: Elementwise, tree: Treelike, f: (leaf: Tensor) => Tensor): Decoded {
  return totalOf(
    a,
    leavesOf(tree).map((leaf) => decodedOf(sumXla(f(leaf)))),
  )
}

function leafProduct(a: Elementwise, x: Tensor, y: Tensor): Decoded {
  const [left, right] = [decodedOf(x), decodedOf(y)]
  const wide = a.name === 'ieee' || left.dtype === 'float64'
  let total = 0
  left.values.forEach((value, i) => {
    const other = right.values[i]!
    total = wide ? total + value * other : a.flush(fmaFloat32(a.flush(value), a.flush(other), total))
  })
  return a.map((sum) => sum, { dtype: left.dtype, shape: [], values: Float64Array.of(total) }, 0)
}

function totalOf(a: Elementwise, sums: readonly Decoded[]): Decoded {
  const dtype: FloatDType = sums[0]?.dtype ?? 'float32'
  return sums.reduce((total, sum) => a.add(total, sum), decodedOf(full([], 0, { dtype })))
}
