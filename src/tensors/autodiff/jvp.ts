import {
  checkArray,
  checkFunction,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { isFloat, type Tensor, zeros } from '../tensor/index.js'
import { pathsOf, type Tree } from '../tree/index.js'
import { pushed } from './forward/push.js'
import type { TangentRules } from './forward/tangentRule.js'
import { checkLike } from './graph/checkLike.js'
import { asVariables, checkDifferentiable, replaceTensors } from './graph/leaves.js'

/** Options of jvp. */
export interface JvpOptions {
  /** Rules of custom operations, which take precedence over the toolkit's. */
  readonly rules?: TangentRules
}

const names: OptionTable<JvpOptions> = { rules: 'optional' }

/**
 * The result of f at its arguments, and how it changes along tangents of them: the derivative of f in one direction, by forward mode.
 *
 * Shape     primals and tangents: lists of trees, alike leaf by leaf; the tangent of the result is like the result.
 * Dtype     all floats; a tangent has the dtype of what it belongs to.
 * Rounding  every operation of a rule rounds once to that dtype. Elementwise: the operand's derivative times its tangent, as in
 *           gradients; the parts of several operands are added first to last. Sums, running sums and matrix products are those of the
 *           tangents, in the forward's order and accumulator; max and min the mean over ties in float64, rounded once. A kernel has that
 *           of its exact function in float64, rounded once, unless its record brings another, as `gemm`'s does.
 * Special   ties, kinks and steps as `grad`; a result that does not depend on the arguments has the tangent 0.
 * Cost      f, then each operation's rule, while the tensors of f are kept.
 * Source    Griewank, Walther, Evaluating Derivatives, 2nd ed., 3.1, doi:10.1137/1.9780898717761
 *
 * @example jvp((x) => mul(x, x), [tensor([1, 2])], [tensor([1, 10])]).map((x) => x.toNested()) // [[1, 4], [2, 40]]
 * @example jvp((x) => mul(x, x), [tensor(2)], [tensor([1])]) // throws jvp: the tangent has another shape than the primal at 0 [1, not ]
 */
// biome-ignore lint/suspicious/noExplicitAny: parameters of any types must be assignable.
export function jvp<A extends readonly any[], R>(
  f: (...args: A) => R,
  primals: readonly [...A],
  tangents: readonly [...A],
  options: JvpOptions = noOptions,
): [result: R, tangent: R] {
  checkFunction('jvp', 'f', f)
  checkArray('jvp', 'primals', primals)
  checkArray('jvp', 'tangents', tangents)
  checkOptions('jvp', options, names)
  for (const [i, primal] of primals.entries()) checkDifferentiable('jvp', primal, `argument ${i}`)
  const given = checkLike('jvp', 'tangent', 'primal', primals, tangents)
  const [inputs, variables] = asVariables(primals)
  const result = f(...(inputs as unknown as A))
  const outputs = pathsOf(result as Tree, { op: 'jvp' }).map(({ leaf }) => leaf)
  for (const { dtype } of outputs) {
    if (!isFloat(dtype)) throw new TypeError(`jvp: f does not return floats, cast them [${dtype}]`)
  }
  const { plain, push } = pushed('jvp', variables, outputs)
  const made = push(given, options.rules)
  let next = 0
  const tangentOf = (x: Tensor): Tensor => made[next++] ?? zeros(x.shape, { dtype: x.dtype })
  return [replaceTensors(result, plain), replaceTensors(result, tangentOf)]
}
