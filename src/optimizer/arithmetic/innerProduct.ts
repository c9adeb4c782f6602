import { fmaFloat32 } from '../../numbers/functions/index.js'
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
} from '../../tensors/tensor/index.js'
import { leavesOf, type Treelike } from '../../tensors/tree/index.js'
import { type Elementwise, flushed } from './arithmetic.js'
import { floatOf, inDtype } from './operand.js'
import { sumXla } from './sumXla.js'

/**
 * The inner product of two trees of one structure, one element.
 *
 * Rounding  'ieee': each leaf's products and sum in float64, once to the dtype. 'xla-cpu': fused multiply-adds in float32,
 *           ascending, once to the dtype. Then leaf after leaf.
 */
export function innerProduct(a: Elementwise, x: Treelike, y: Treelike): Tensor {
  const beside = leavesOf(y)
  return totalOf(
    a,
    leavesOf(x).map((leaf, i) => leafProduct(a, leaf, beside[i]!)),
  )
}

/** The sum of a function of every leaf's elements: of each leaf, then leaf after leaf. */
export function treeSum(a: Elementwise, tree: Treelike, f: (leaf: Tensor) => Tensor): Tensor {
  return totalOf(
    a,
    leavesOf(tree).map((leaf) => sumXla(f(leaf))),
  )
}

function leafProduct(a: Elementwise, x: Tensor, y: Tensor): Tensor {
  const dtype = floatOf(x.dtype)
  if (a.name !== 'ieee' && dtype !== 'float64') return apply(xlaProductOp, [x, y], undefined)
  const products = mul(inDtype(x, 'float64'), inDtype(y, 'float64'))
  return inDtype(sum(reshape(products, [x.size]), { order: 'sequential' }), dtype)
}

/** The product of 'xla-cpu' as an operation: nothing else adds by fused multiply-adds. */
const xlaProductOp: KnownOp = {
  name: 'innerProduct',
  form: 'whole',
  rounds: 'each step',
  kernel: ([x, y]) => {
    const [left, right] = [cast(x!, 'float32').data, cast(y!, 'float32').data]
    let total = 0
    for (let i = 0; i < left.length; i++) {
      total = flushed(fmaFloat32(flushed(left[i]!), flushed(right[i]!), total))
    }
    return cast(full([], total), x!.dtype)
  },
}

function totalOf(a: Elementwise, sums: readonly Tensor[]): Tensor {
  const dtype = (sums[0]?.dtype ?? 'float32') as FloatDType
  return sums.reduce((total, each) => a.add(total, each), full([], 0, { dtype }))
}
