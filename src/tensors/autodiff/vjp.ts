import { checkFunction, checkOptions } from '../../base/options/index.js'
import { isFloat, zeros } from '../tensor/index.js'
import { pathsOf, type Tree } from '../tree/index.js'
import { recorded } from './backward.js'
import { type BackwardOptions, backwardNames } from './backwardOptions.js'
import { checkLike } from './graph/checkLike.js'
import { asVariables, checkDifferentiable, replaceTensors } from './graph/leaves.js'

/** What vjp gives: the result of f, and the way back from a cotangent of it to those of the arguments. */
export type Pullback<A, R> = (cotangent: R, options?: BackwardOptions) => A

/**
 * The result of f at its arguments, and its pullback: from a cotangent of the result, a tree of its structure, dtypes
 * and shapes, to the cotangents of all arguments. The pullback may be called any number of times.
 *
 * Shape, Dtype, Rounding, Special   as `grad`; the options of a backward pass are the pullback's.
 *
 * @example vjp((x) => mul(x, x), tensor([1, 2]))[1](tensor([1, 10]))[0].toNested() // [2, 40]
 * @example vjp((x) => mul(x, x), tensor(2))[1](tensor([1])) // throws vjp: the cotangent has another shape than the result [1, not ]
 */
// biome-ignore lint/suspicious/noExplicitAny: parameters of any types must be assignable.
export function vjp<A extends readonly any[], R>(
  f: (...args: A) => R,
  ...primals: A
): [result: R, pullback: Pullback<A, R>] {
  checkFunction('vjp', 'f', f)
  for (const [i, primal] of primals.entries()) checkDifferentiable('vjp', primal, `argument ${i}`)
  const [inputs, variables] = asVariables(primals)
  const result = f(...inputs)
  const outputs = pathsOf(result as Tree, { op: 'vjp' })
  for (const { leaf } of outputs) {
    if (!isFloat(leaf.dtype)) throw new TypeError(`vjp: f does not return floats, cast them [${leaf.dtype}]`)
  }
  const leaves = outputs.map(({ leaf }) => leaf)
  const { plain, pull } = recorded('vjp', variables, leaves)
  const pullback: Pullback<A, R> = (cotangent, options = {}) => {
    checkOptions('vjp', options, backwardNames)
    const seeds = checkLike('vjp', 'cotangent', 'result', result, cotangent)
    const cotangents = pull(seeds, options)
    let next = 0
    return replaceTensors(
      primals,
      (leaf) => cotangents[next++] ?? zeros(leaf.shape, { dtype: leaf.dtype }),
    ) as A
  }
  return [replaceTensors(result, plain), pullback]
}
