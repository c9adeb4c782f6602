import { fmaFloat32 } from '../../functions/index.js'
import {
  apply,
  cast,
  type FloatDType,
  full,
  type KnownOp,
  mul,
  reshape,
  sum,
  type Tensor,
} from '../../tensor/index.js'
import { leavesOf, type Treelike } from '../../tree/index.js'
import { arithmeticOf, type Elementwise } from './arithmetic.js'
import { type Decoded, decodedOf, tensorOf } from './decoded.js'
import { floatOf } from './floatOf.js'
import { areRecorded, Recorded } from './recorded.js'
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
  if (!areRecorded(x, y)) return productOf(a, x, y)
  const dtype = floatOf(x.dtype)
  if (a.name !== 'ieee' && dtype !== 'float64') return new Recorded(apply(xlaProductOp, [x, y], undefined))
  const products = mul(cast(x, 'float64'), cast(y, 'float64'))
  return new Recorded(cast(sum(reshape(products, [x.size]), { order: 'sequential' }), dtype))
}

/** The product of 'xla-cpu' as an operation: nothing else adds by fused multiply-adds. */
const xlaProductOp: KnownOp = {
  name: 'innerProduct',
  form: 'whole',
  rounds: 'each step',
  kernel: ([x, y]) => tensorOf(productOf(arithmeticOf('xla-cpu'), x!, y!)),
}

function productOf(a: Elementwise, x: Tensor, y: Tensor): Decoded {
  const [left, right] = [decodedOf(x), decodedOf(y)]
  const wide = a.name === 'ieee' || left.dtype === 'float64'
  let total = 0
  left.values.forEach((value, i) => {
    const other = right.values[i]!
    total = wide ? total + value * other : a.flush(fmaFloat32(a.flush(value), a.flush(other), total))
  })
  return a.map((value) => value, { dtype: left.dtype, shape: [], values: Float64Array.of(total) }, 0)
}

function totalOf(a: Elementwise, sums: readonly Decoded[]): Decoded {
  const dtype: FloatDType = sums[0]?.dtype ?? 'float32'
  return sums.reduce((total, each) => a.add(total, each), decodedOf(full([], 0, { dtype })))
}
