import { unaryNames } from '../../functions/index.js'
import { stopGradientOp } from '../../numerics/index.js'
import {
  type Axes,
  apply,
  broadcastTo,
  type Casting,
  type Joining,
  type Op,
  type OpTable,
  opNames,
  ops,
  reshape,
  type Shaping,
  type Slicing,
  sizeOf,
  type Taking,
  type Tensor,
  takeAlongAtOp,
  takeAtOp,
  transpose,
} from '../../tensor/index.js'
import { recordOf } from '../graph/recordOf.js'
import { variableOp } from '../graph/variable.js'
import { type Part, partOp } from '../rules/part.js'
import { type Scatter, type ScatterAt, scatterAtOp, scatterOp } from '../rules/scatter.js'
import type { BatchContext, BatchRule, BatchRules } from './batchRule.js'

/** An operand of a batch as one of `rank` axes for each element, missing ones in front, so that elements broadcast as before. */
function aligned({ inputs, batched }: BatchContext, i: number, rank: number): Tensor {
  const x = inputs[i]!
  if (!batched[i] || x.rank === rank + 1) return x
  const missing = new Array<number>(rank + 1 - x.rank).fill(1)
  return reshape(x, [x.shape[0]!, ...missing, ...x.shape.slice(1)])
}

/** An operand with the batch as its first axis, repeated where it has none. */
export function spread({ inputs, batched, size }: BatchContext, i: number): Tensor {
  const x = inputs[i]!
  return batched[i] ? x : broadcastTo(x, [size, ...x.shape])
}

/** The shape of an operand for one element. */
function elementShape({ inputs, batched }: BatchContext, i: number): readonly number[] {
  return batched[i] ? inputs[i]!.shape.slice(1) : inputs[i]!.shape
}

const elementwise =
  (op: Op): BatchRule =>
  (context) =>
    apply(
      op,
      context.inputs.map((_, i) => aligned(context, i, context.shape.length)),
      context.attributes,
    )

const castRule: BatchRule<Casting> = (context) => {
  if (typeof context.attributes.options?.random === 'function') {
    throw new RangeError(
      'vmap: cast draws random numbers from a function, in another order for a batch [cast]',
    )
  }
  return elementwise(ops.cast as Op)(context)
}

/** The same on the operand with its batch. */
const same =
  (op: Op): BatchRule =>
  ({ inputs, attributes }) =>
    apply(op, inputs, attributes)

/** One operand, whose axes are one further back. */
const shifted =
  (op: Op): BatchRule<{ readonly axes?: readonly number[]; readonly axis?: number }> =>
  ({ inputs, attributes }) => {
    const { axes, axis } = attributes
    return apply(op, inputs, {
      ...attributes,
      ...(axes ? { axes: axes.map((each) => each + 1) } : {}),
      ...(axis === undefined ? {} : { axis: axis + 1 }),
    })
  }

const reshapeRule: BatchRule<Shaping> = ({ inputs, size, attributes: { shape } }) =>
  apply(ops.reshape, inputs, { shape: [size, ...shape] })

const transposeRule: BatchRule<Axes> = ({ inputs, attributes: { axes } }) =>
  apply(ops.transpose, inputs, { axes: [0, ...axes.map((axis) => axis + 1)] })

const broadcastToRule: BatchRule<Shaping> = (context) => {
  const { shape } = context.attributes
  return apply(ops.broadcastTo, [aligned(context, 0, shape.length)], { shape: [context.size, ...shape] })
}

const sliceRule: BatchRule<Slicing> = (context) => {
  const { shape, start, strides } = context.attributes
  const attributes = {
    shape: [context.size, ...shape],
    start,
    strides: [sizeOf(elementShape(context, 0)), ...strides],
  }
  return apply(ops.slice, context.inputs, attributes)
}

const takeRule: BatchRule<Taking> = ({ inputs, size, attributes: { indices, axis, shape } }) =>
  apply(ops.take, inputs, { indices, axis: axis + 1, shape: [size, ...shape] })

const concatRule: BatchRule<Joining> = (context) =>
  apply(
    ops.concat,
    context.inputs.map((_, i) => spread(context, i)),
    { axis: context.attributes.axis + 1 },
  )

const table: OpTable<BatchRule> = {
  ...recordOf(unaryNames, (name) => elementwise(ops[name] as Op)),
  ...recordOf(
    [
      ...(['add', 'sub', 'mul', 'div', 'minimum', 'maximum', 'pow', 'atan2', 'where'] as const),
      ...(['equal', 'notEqual', 'less', 'lessEqual', 'greater', 'greaterEqual'] as const),
      ...(['logicalAnd', 'logicalOr', 'logicalNot', 'isFinite', 'isInf', 'isNaN'] as const),
      // Whose batch axes align as those of elementwise operations do.
      'matmul',
    ],
    (name) => elementwise(ops[name] as Op),
  ),
  ...recordOf(
    ['flip', 'sum', 'mean', 'max', 'min', 'argmax', 'argmin', 'argsort', 'cumsum', 'cumprod'] as const,
    (name) => shifted(ops[name] as Op),
  ),
  tril: same(ops.tril as Op),
  triu: same(ops.triu as Op),
  cast: castRule,
  reshape: reshapeRule,
  transpose: transposeRule,
  broadcastTo: broadcastToRule,
  slice: sliceRule,
  take: takeRule,
  concat: concatRule,
}

/** Positions of each element of the batch, one tensor behind the other. */
const scatterRule: BatchRule<Scatter> = ({ inputs, size, attributes: { positions, shape, how } }) => {
  const all = new Int32Array(size * positions.length)
  const step = sizeOf(shape)
  for (let i = 0; i < size; i++) {
    for (const [k, position] of positions.entries()) all[i * positions.length + k] = i * step + position
  }
  return apply(scatterOp, inputs, { positions: all, shape: [size, ...shape], how })
}

/** Rows by indices: those of the tensor's own batch where both have one. */
const takeAtRule: BatchRule<Omit<Taking, 'indices'>> = (context) => {
  const { inputs, batched, size, attributes } = context
  const { axis, shape } = attributes
  const [x, indices] = inputs as [Tensor, Tensor]
  if (!batched[1]) return apply(takeAtOp, inputs, { axis: axis + 1, shape: [size, ...shape] })
  if (!batched[0]) {
    const among = [...shape.slice(0, axis), size, ...shape.slice(axis)]
    const rows = apply(takeAtOp, inputs, { axis, shape: among })
    return transpose(rows, [axis, ...among.map((_, i) => i).filter((i) => i !== axis)])
  }
  const { places } = alongEvery(indices, x.shape.slice(1), axis)
  return reshape(apply(takeAlongAtOp, [x, places], { axis: axis + 1 }), [size, ...shape])
}

const takeAlongAtRule: BatchRule<{ readonly axis: number }> = (context) =>
  apply(takeAlongAtOp, [spread(context, 0), spread(context, 1)], { axis: context.attributes.axis + 1 })

/** What reads back a batch of readings: the readings' own axis is one further back; indices with a batch go with every element. */
const scatterAtRule: BatchRule<ScatterAt> = (context) => {
  const { batched, size, attributes } = context
  const { reader, taking, shape, how } = attributes
  const axis = taking.axis + 1
  const g = spread(context, 0)
  const whole = [size, ...shape]
  if (reader === 'takeAlongAt') {
    return apply(scatterAtOp, [g, spread(context, 1)], { reader, taking: { axis }, shape: whole, how })
  }
  const [, indices] = context.inputs as [Tensor, Tensor]
  if (!batched[1]) {
    const told = { axis, shape: [size, ...taking.shape!] }
    return apply(scatterAtOp, [g, indices], { reader, taking: told, shape: whole, how })
  }
  const { places, every } = alongEvery(indices, shape, taking.axis)
  const read = reshape(g, [size, ...every])
  return apply(scatterAtOp, [read, places], { reader: 'takeAlongAt', taking: { axis }, shape: whole, how })
}

/** Indices of a batch into an axis of tensors of a shape, for every element that is read, in the tensors' own rank. */
function alongEvery(
  indices: Tensor,
  own: readonly number[],
  axis: number,
): { places: Tensor; every: readonly number[] } {
  const size = indices.shape[0]!
  const count = sizeOf(indices.shape.slice(1))
  const around = own.map((_, i) => (i === axis ? count : 1))
  const every = own.map((length, i) => (i === axis ? count : length))
  return { places: broadcastTo(reshape(indices, [size, ...around]), [size, ...every]), every }
}

const partRule: BatchRule<Part> = ({ inputs, attributes: { axis, from, to } }) =>
  apply(partOp, inputs, { axis: axis + 1, from, to })

/** The rule of every operation of tensor and of this folder that has one; others go element by element. */
export const batchRules: BatchRules = new Map<Op, BatchRule>([
  ...opNames.flatMap((name): [Op, BatchRule][] => {
    const rule = table[name]
    return rule === 'none' ? [] : [[ops[name] as Op, rule]]
  }),
  [variableOp, same(variableOp)],
  [stopGradientOp, same(stopGradientOp)],
  [scatterOp as Op, scatterRule],
  [scatterAtOp as Op, scatterAtRule],
  [takeAtOp as Op, takeAtRule],
  [takeAlongAtOp as Op, takeAlongAtRule],
  [partOp as Op, partRule],
])
