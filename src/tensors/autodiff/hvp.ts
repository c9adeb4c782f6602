import { checkFunction } from '../../base/options/index.js'
import { cast, square, Tensor, zeros as zerosOf } from '../tensor/index.js'
import { leavesOf, mapTree, replaceLeaves, type Tree } from '../tree/index.js'
import { grad } from './grad.js'
import type { Treelike } from './graph/treelike.js'
import { jvp } from './jvp.js'

/** A scalar loss of parameters, and of what comes after them. */
// biome-ignore lint/suspicious/noExplicitAny: parameters of any types must be assignable.
type Loss<P extends Treelike, B extends readonly any[]> = (params: P, ...batch: B) => Tensor

/**
 * The product of the Hessian of a scalar loss with a tree v like the parameters, forward over reverse: the Hessian itself is never made.
 *
 * Shape, Dtype   those of the parameters. Rounding as `jvp` of `grad`. Cost about three gradients.
 *
 * @example hvp((x) => sum(mul(square(x), x)), tensor([1, 2]), tensor([1, 10])).toNested() // [6, 120]
 */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function hvp<P extends Treelike, B extends readonly any[]>(
  loss: Loss<P, B>,
  params: P,
  v: P,
  ...batch: B
): P {
  checkFunction('hvp', 'loss', loss)
  const gradient = grad((p: P) => loss(p, ...batch)) as (p: P) => P
  return jvp(gradient, [params], [v])[1]
}

/**
 * The diagonal of the Hessian of a scalar loss, a tree like the parameters: one product with it for each parameter.
 *
 * Shape, Dtype, Rounding as `hvp`. Cost three gradients a parameter: for small models, and to check estimates such as
 * `hutchinsonEstimatorDiagHessian`'s.
 *
 * @example hessianDiag((x) => sum(mul(square(x), x)), tensor([1, 2])).toNested() // [6, 12]
 */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function hessianDiag<P extends Treelike, B extends readonly any[]>(
  loss: Loss<P, B>,
  params: P,
  ...batch: B
): P {
  checkFunction('hessianDiag', 'loss', loss)
  const leaves = leavesOf(params as Tree)
  const zeros = leaves.map(({ dtype, shape }): Tensor => zerosOf(shape, { dtype }))
  const diagonal = leaves.map((leaf, k): Tensor => {
    const values = Float64Array.from({ length: leaf.size }, (_, i) => {
      const one = oneAt(leaf, i)
      const column = replaceLeaves(
        params as Tree,
        zeros.map((zero, at) => (at === k ? one : zero)),
      )
      return leavesOf(hvp(loss, params, column as P, ...batch) as Tree)[k]!.toNumbers()[i]!
    })
    return cast(new Tensor('float64', leaf.shape, values), leaf.dtype)
  })
  return replaceLeaves(params as Tree, diagonal) as P
}

/**
 * The diagonal of the empirical Fisher information: the squares of the gradient of a negative log-likelihood, a tree like the parameters.
 *
 * Shape, Dtype   those of the parameters. Rounding as `grad`, then once.
 *
 * @example fisherDiag((w, x) => sum(mul(w, x)), tensor([1, 2]), tensor([3, 4])).toNested() // [9, 16]
 */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function fisherDiag<P extends Treelike, B extends readonly any[]>(
  negativeLogLikelihood: Loss<P, B>,
  params: P,
  ...batch: B
): P {
  checkFunction('fisherDiag', 'negativeLogLikelihood', negativeLogLikelihood)
  const slopes = grad((p: P) => negativeLogLikelihood(p, ...batch))(params) as Tree
  return mapTree((slope): Tensor => square(slope), slopes) as P
}

function oneAt({ dtype, shape, size }: Tensor, at: number): Tensor {
  const values = new Float64Array(size)
  values[at] = 1
  return cast(new Tensor('float64', shape, values), dtype)
}
