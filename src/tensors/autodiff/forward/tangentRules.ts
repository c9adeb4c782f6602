import { unaryNames } from '../../../numbers/functions/index.js'
import {
  type Accumulation,
  abs,
  add,
  apply,
  broadcastTo,
  type Casting,
  cast,
  constantOp,
  div,
  equal,
  flushOp,
  greaterEqual,
  indexedOps,
  isFloat,
  logAddExpOp,
  mul,
  noRows,
  type Op,
  type OpTable,
  opNames,
  ops,
  reshape,
  sameShape,
  scaleGradientOp,
  stopGradientOp,
  sum,
  type Tensor,
  where,
  zeros,
} from '../../tensor/index.js'
import { recordOf } from '../graph/recordOf.js'
import { variableOp } from '../graph/variable.js'
import { arithmeticRules, logAddExpRule } from '../rules/arithmeticRules.js'
import type { GradientRule } from '../rules/gradientRule.js'
import { partOp } from '../rules/part.js'
import { polygammaRules } from '../rules/polygamma.js'
import { takeAtRules } from '../rules/scatter.js'
import { unaryRules } from '../rules/unaryRules.js'
import { cumprodTangent } from './cumprodTangent.js'
import type { TangentRule, TangentRules } from './tangentRule.js'

const fitted = (x: Tensor, shape: readonly number[]): Tensor =>
  sameShape(x.shape, shape) ? x : broadcastTo(x, shape)

/** Tangents of the operands, added first to last. */
function total(parts: readonly Tensor[]): Tensor | undefined {
  return parts.length === 0 ? undefined : parts.reduce((sum, part) => add(sum, part))
}

/** Of an elementwise operation: its derivative times the tangent is its derivative times the cotangent, operand by operand. */
export const symmetric =
  (rule: GradientRule): TangentRule =>
  ({ tangents, inputs, output, attributes }) => {
    const { shape } = output
    const spread = inputs.map((x) => fitted(x, shape))
    return total(
      tangents.flatMap((t, i) => {
        if (!t) return []
        const needs = inputs.map((_, k) => k === i)
        const part = rule({ g: fitted(t, shape), inputs: spread, output, attributes, needs, sum: {} })[i]
        return part ? [part] : []
      }),
    )
  }

/** Of an operation that is linear in its first operand: itself, on the tangent. */
const linear =
  (op: Op): TangentRule =>
  ({ tangents: [t], inputs, attributes }) =>
    t && apply(op, [t, ...inputs.slice(1)], attributes)

/** A tangent, or zeros. */
const orZeros = (t: Tensor | undefined, x: Tensor): Tensor => t ?? zeros(x.shape, { dtype: x.dtype })

const concatTangent: TangentRule = ({ tangents, inputs, attributes }) =>
  apply(
    ops.concat,
    inputs.map((x, i) => orZeros(tangents[i], x)),
    attributes,
  )

/** Selected, never multiplied. */
const whereTangent: TangentRule = ({ tangents: [, left, right], inputs: [condition, a, b], output }) =>
  fitted(
    where(condition!, left ?? zeros([], { dtype: a!.dtype }), right ?? zeros([], { dtype: b!.dtype })),
    output.shape,
  )

/** To the dtype of the result; nothing goes to or from integers. */
const castTangent: TangentRule<Casting> = ({ tangents: [t], attributes: { dtype } }) =>
  t && isFloat(dtype) ? cast(t, dtype) : undefined

/** t B + A t, in the forward's order and accumulator. */
const matmulTangent: TangentRule<Accumulation> = ({
  tangents: [left, right],
  inputs: [a, b],
  attributes,
}) => {
  const product = (x: Tensor, y: Tensor): Tensor => apply(ops.matmul, [x, y], attributes)
  return total([...(left ? [product(left, b!)] : []), ...(right ? [product(a!, right)] : [])])
}

/** The mean of the tangents of those that are the extremum, in float64 and rounded once; NaN where that is NaN. */
const extremumTangent: TangentRule<{ axes: readonly number[] }> = ({
  tangents: [t],
  inputs: [x],
  output,
  attributes: { axes },
}) => {
  const shape = x!.shape.map((length, axis) => (axes.includes(axis) ? 1 : length))
  const best = equal(x!, reshape(output, shape))
  const along = (values: Tensor): Tensor =>
    reshape(sum(cast(values, 'float64'), { axis: axes }), output.shape)
  return cast(div(along(where(best, t!, 0)), along(best)), x!.dtype)
}

const table: OpTable<TangentRule> = {
  ...noRows('decides', 'bits'),
  ...recordOf(unaryNames, (name) => {
    const rule = unaryRules[name]
    return rule === 'none' ? 'none' : symmetric(rule)
  }),
  ...recordOf(
    ['add', 'sub', 'mul', 'div', 'rem', 'pow', 'atan2', 'hypot', 'minimum', 'maximum'] as const,
    (name) => symmetric(arithmeticRules[name]),
  ),
  ...recordOf(
    [
      ...(['reshape', 'transpose', 'broadcastTo', 'flip', 'slice', 'take', 'tril', 'triu'] as const),
      ...(['sum', 'mean', 'cumsum'] as const),
    ],
    (name) => linear(ops[name]),
  ),
  where: whereTangent,
  cast: castTangent,
  concat: concatTangent,
  max: extremumTangent,
  min: extremumTangent,
  cumprod: cumprodTangent,
  matmul: matmulTangent,
}

/** The rule of every operation of tensor, numerics and this folder. What is missing here has none. */
export const tangentRules: TangentRules = new Map<Op, TangentRule | 'none'>([
  ...opNames.map((name): [Op, TangentRule | 'none'] => [ops[name], table[name]]),
  [constantOp, 'none'],
  [stopGradientOp, 'none'],
  [scaleGradientOp, ({ tangents: [t], attributes: { scale } }) => mul(t!, scale as number)],
  [variableOp, ({ tangents: [t] }) => t],
  [flushOp, ({ tangents: [t], inputs: [x] }) => where(greaterEqual(abs(x!), 2 ** -126), t!, 0)],
  [logAddExpOp, symmetric(logAddExpRule)],
  ...polygammaRules.map(([op, rule]): [Op, TangentRule] => [op, symmetric(rule)]),
  ...[indexedOps.scatter, partOp].map((op): [Op, TangentRule] => [op, linear(op)]),
  ...takeAtRules.map(([op]): [Op, TangentRule] => [op, linear(op)]),
])
