import {
  checkFunction,
  checkName,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { eye, isFloat, reshape, sizeOf, type Tensor, transpose, zeros } from '../tensor/index.js'
import { pathsOf, type Replaced, replaceLeaves, type Tree } from '../tree/index.js'
import { recorded } from './backward.js'
import { type BackwardOptions, backwardNames } from './backwardOptions.js'
import { pushed } from './forward/push.js'
import type { TangentRules } from './forward/tangentRule.js'
import { type Gradient, positions } from './grad.js'
import { asVariables, checkDifferentiable, replaceTensors } from './graph/leaves.js'
import { vmap } from './vmap/vmap.js'

/** Options of hessian. */
export interface HessianOptions<N = number | readonly number[]> extends BackwardOptions {
  /** Which argument the derivatives are for, or which; negative ones from the end. Default 0. */
  readonly argnums?: N
  /** Rules of own operations in forward mode. */
  readonly tangentRules?: TangentRules
}

/** Options of jacobian. */
export interface JacobianOptions<N = number | readonly number[]> extends HessianOptions<N> {
  /**
   * 'reverse': a backward pass for each element of the result (jax.jacrev). 'forward': a forward pass for each element of the
   * argument (jax.jacfwd). The same derivatives by other operations, and so other roundings. Default: 'reverse'.
   */
  readonly mode?: 'reverse' | 'forward'
}

const hessianNames: OptionTable<HessianOptions> = {
  ...backwardNames,
  argnums: 'optional',
  tangentRules: 'optional',
}
const jacobianNames: OptionTable<JacobianOptions> = { ...hessianNames, mode: 'optional' }

/** One argument, or several of them. */
export type Argnums = number | readonly [number, ...number[]]

/**
 * All first derivatives of f: a function of the same arguments. The passes go through `vmap`, as one.
 *
 * Shape     a tree of f's result, in the place of each tensor a tree of the argument, of tensors [...result, ...argument]; for
 *           several `argnums` an array of such trees.
 * Dtype     floats. Mode 'reverse' gives the argument's dtype, 'forward' the result's.
 * Rounding  each row (column) has the bits of `vjp` (`jvp`) at a unit vector.
 * Special   0 where f does not depend on an argument.
 * Cost      one pass over tensors that have an axis more, as long as the result (the argument) has elements.
 *
 * @example jacobian((x) => mul(x, x))(tensor([1, 2])).toNested() // [[2, 0], [0, 4]]
 * @example jacobian((x, y) => mul(x, y), { mode: 'forward', argnums: 1 })(tensor([3, 5]), tensor(2)).toNested() // [3, 5]
 */
// biome-ignore lint/suspicious/noExplicitAny: parameters of any types must be assignable.
export function jacobian<A extends readonly any[], R, N extends Argnums = 0>(
  f: (...args: A) => R,
  options: JacobianOptions<N> = noOptions,
): (...args: A) => Replaced<R, Gradient<A, N>> {
  checkFunction('jacobian', 'f', f)
  checkOptions('jacobian', options, jacobianNames, { positional: 'argnums' })
  const { mode = 'reverse' } = options
  checkName('jacobian', 'mode', mode, ['reverse', 'forward'])
  return (...args) => derivatives('jacobian', f, args, mode, options) as Replaced<R, Gradient<A, N>>
}

/**
 * All second derivatives of f, forward over reverse as jax.hessian.
 *
 * Shape     of a scalar function of one tensor [...shape]: [...shape, ...shape]. Else the jacobian of the jacobian: in the place
 *           of each tensor of the result a tree of the argument, in the place of each of those another.
 * Dtype     the argument's.
 * Rounding  every operation of the backward pass, and of the tangents of all its operations, rounds once.
 * Cost      as `jacobian` of `jacobian`.
 *
 * @example hessian((x) => sum(mul(square(x), x)))(tensor([1, 2])).toNested() // [[6, 0], [0, 12]]
 */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function hessian<A extends readonly any[], R, N extends Argnums = 0>(
  f: (...args: A) => R,
  options: HessianOptions<N> = noOptions,
): (...args: A) => Replaced<R, Replaced<Gradient<A, N>, Gradient<A, N>>> {
  checkFunction('hessian', 'f', f)
  checkOptions('hessian', options, hessianNames, { positional: 'argnums' })
  const first = (...args: A): unknown => derivatives('hessian', f, args, 'reverse', options)
  return (...args) =>
    derivatives('hessian', first, args, 'forward', options) as Replaced<
      R,
      Replaced<Gradient<A, N>, Gradient<A, N>>
    >
}

function derivatives<A extends readonly unknown[]>(
  op: string,
  f: (...args: A) => unknown,
  args: A,
  mode: 'reverse' | 'forward',
  options: HessianOptions,
): unknown {
  const { argnums = 0, tangentRules, ...backward } = options
  const chosen = positions(op, typeof argnums === 'number' ? [argnums] : argnums, args.length)
  for (const place of chosen) checkDifferentiable(op, args[place], `argument ${place}`)
  const [trees, variables] = asVariables(chosen.map((place) => args[place]))
  const inputs: unknown[] = [...args]
  for (const [i, place] of chosen.entries()) inputs[place] = trees[i]
  const result = f(...(inputs as unknown as A))
  const outputs = pathsOf(result as Tree, { op }).map(({ leaf }) => leaf)
  for (const { dtype } of outputs) {
    if (!isFloat(dtype)) throw new TypeError(`${op}: f does not return floats, cast them [${dtype}]`)
  }
  const blocks =
    mode === 'reverse'
      ? reverseBlocks(op, variables, outputs, backward)
      : forwardBlocks(op, variables, outputs, tangentRules)
  const rows = blocks.map((row) => {
    let next = 0
    const own = replaceTensors(trees, () => row[next++]!)
    return typeof argnums === 'number' ? own[0] : own
  })
  return replaceLeaves(result as Tree, rows)
}

/** Of each output by each variable, a backward pass for every element of the output. */
function reverseBlocks(
  op: string,
  variables: readonly Tensor[],
  outputs: readonly Tensor[],
  options: BackwardOptions,
): Tensor[][] {
  const { pull } = recorded(op, variables, outputs)
  return outputs.map((output, k) => {
    const rows = vmap((g: Tensor): Tensor[] => {
      const seeds = outputs.map((_, i) => (i === k ? g : undefined))
      return pull(seeds, options).map((part, i) => part ?? zerosLike(variables[i]!))
    })(basisOf(output))
    return rows.map((row, i) => reshape(row, [...output.shape, ...variables[i]!.shape]))
  })
}

/** The same, a forward pass for every element of the variable. */
function forwardBlocks(
  op: string,
  variables: readonly Tensor[],
  outputs: readonly Tensor[],
  rules: TangentRules | undefined,
): Tensor[][] {
  const { push } = pushed(op, variables, outputs)
  const columns = variables.map((x, k) =>
    vmap((t: Tensor): Tensor[] => {
      const tangents = variables.map((_, i) => (i === k ? t : undefined))
      return push(tangents, rules).map((part, i) => part ?? zerosLike(outputs[i]!))
    })(basisOf(x)),
  )
  return outputs.map((output, i) =>
    columns.map((column, k) => {
      const x = variables[k]!
      const flat = reshape(column[i]!, [sizeOf(x.shape), sizeOf(output.shape)])
      return reshape(transpose(flat), [...output.shape, ...x.shape])
    }),
  )
}

function zerosLike({ dtype, shape }: Tensor): Tensor {
  return zeros(shape, { dtype })
}

/** A tensor for every element of another, 1 there and 0 elsewhere. */
function basisOf({ dtype, shape }: Tensor): Tensor {
  const size = sizeOf(shape)
  return reshape(eye(size, { dtype }), [size, ...shape])
}
