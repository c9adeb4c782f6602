import {
  apply,
  cast,
  type DType,
  flip,
  isFloat,
  type Op,
  ops,
  type Range,
  reshape,
  slice,
  transpose,
} from '../../tensor/index.js'
import type { GradientRule } from './gradientRule.js'
import { scatter } from './scatter.js'
import { howToSum, unbroadcast } from './sumOptions.js'

const reshapeRule: GradientRule = ({ g, inputs }) => [reshape(g, inputs[0]!.shape)]

const transposeRule: GradientRule<{ axes: readonly number[] }> = ({ g, attributes: { axes } }) => [
  transpose(
    g,
    axes.map((_, axis) => axes.indexOf(axis)),
  ),
]

const flipRule: GradientRule<{ axes: readonly number[] }> = ({ g, attributes: { axes } }) => [
  axes.length === 0 ? g : flip(g, { axis: axes }),
]

/** Where each element was read from, it is added. */
const readingRule =
  (op: Op): GradientRule =>
  ({ g, inputs, attributes, sum }) => [scatter(g, op, attributes, inputs[0]!.shape, howToSum(g, sum))]

const concatRule: GradientRule<{ axis: number }> = ({ g, inputs, needs, attributes: { axis } }) => {
  let before = 0
  return inputs.map(({ shape }, i) => {
    const ranges: Range[] = shape.map(() => null)
    ranges[axis] = [before, before + shape[axis]!]
    before += shape[axis]!
    return needs[i] ? slice(g, ranges) : undefined
  })
}

/** The rule of tril and triu: the same selection. */
const triangleRule =
  (op: Op): GradientRule =>
  ({ g, attributes }) => [apply(op, [g], attributes)]

/** Straight through in the dtype of the input; nothing flows from or to integers. */
const castRule: GradientRule<{ dtype: DType }> = ({ g, inputs: [x], attributes: { dtype } }) => [
  isFloat(dtype) && isFloat(x!.dtype) ? cast(g, x!.dtype) : undefined,
]

/** The rules of operations that move elements, and of casts. */
export const layoutRules: Readonly<
  Record<
    'reshape' | 'transpose' | 'flip' | 'broadcastTo' | 'slice' | 'take' | 'concat' | 'tril' | 'triu' | 'cast',
    GradientRule
  >
> = {
  reshape: reshapeRule,
  transpose: transposeRule,
  flip: flipRule,
  broadcastTo: ({ g, inputs, sum }) => [unbroadcast(g, inputs[0]!.shape, sum)],
  slice: readingRule(ops.slice),
  take: readingRule(ops.take),
  concat: concatRule,
  tril: triangleRule(ops.tril),
  triu: triangleRule(ops.triu),
  cast: castRule,
}
