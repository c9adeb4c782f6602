import {
  type AccumulateOptions,
  apply,
  indexedOps,
  type Op,
  reshape,
  type Scattering,
  type ScatteringAt,
  sizeOf,
  type Taking,
  Tensor,
  take,
} from '../../tensor/index.js'
import type { GradientRule } from './gradientRule.js'
import { howToSum } from './sumOptions.js'

/**
 * The gradient of an operation that reads elements of a tensor of `shape`, slice or take: every element of g is added
 * where it was read, an element that was read more than once in the order of reading and as `how` says.
 */
export function scatter(
  g: Tensor,
  op: Op,
  attributes: unknown,
  shape: readonly number[],
  how: Required<AccumulateOptions>,
): Tensor {
  const size = sizeOf(shape)
  // The operation itself, run on the elements' own numbers, says where it reads.
  const places = new Tensor(
    'int32',
    shape,
    Int32Array.from({ length: size }, (_, i) => i),
  )
  const positions = op.kernel([places], attributes).data as Int32Array
  return apply(indexedOps.scatter, [g], { positions, shape, how })
}

/** The rule of scatter: read what was added. */
export const scatterRule: GradientRule<Scattering> = ({ g, inputs: [x], attributes: { positions } }) => [
  reshape(take(reshape(g, [g.size]), new Tensor('int32', [positions.length], positions)), x!.shape),
]

/** The rule of take with indices as an operand. */
const takeAtRule: GradientRule<Omit<Taking, 'indices'>> = ({
  g,
  inputs: [x, indices],
  attributes: taking,
  sum,
}) => [apply(indexedOps.scatterAt, [g, indices!], { taking, shape: x!.shape, how: howToSum(g, sum) })]

/** The rule of its gradient: read what was added. */
const scatterAtRule: GradientRule<ScatteringAt> = ({ g, inputs: [, indices], attributes: { taking } }) => [
  apply(indexedOps.takeAt, [g, indices!], taking),
]

/** The rules of take with indices that are recorded. */
export const takeAtRules: readonly (readonly [Op, GradientRule])[] = [
  [indexedOps.takeAt, takeAtRule as GradientRule],
  [indexedOps.scatterAt, scatterAtRule as GradientRule],
]
