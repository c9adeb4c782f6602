import { unaryNames } from '../../../numbers/functions/index.js'
import {
  type Axes,
  apply,
  broadcastTo,
  type Casting,
  hadamardOp,
  indexedOps,
  type Joining,
  type Op,
  type OpTable,
  opNames,
  ops,
  reshape,
  type Scattering,
  type ScatteringAt,
  type Shaping,
  type Slicing,
  scaleGradientOp,
  sizeOf,
  slice,
  stack,
  stopGradientOp,
  type Taking,
  type Tensor,
  takeAlongAxis,
  transpose,
  zeros,
} from '../../tensor/index.js'
import { recordOf } from '../graph/recordOf.js'
import { variableOp } from '../graph/variable.js'
import { type Part, partOp } from '../rules/part.js'
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

/** One element after the other, for what can be done no other way. */
export const oneByOne =
  (op: Op): BatchRule =>
  ({ inputs, batched, size, attributes, dtype, shape }) => {
    if (size === 0) return zeros([0, ...shape], { dtype })
    const results = Array.from({ length: size }, (_, element): Tensor => {
      const own = inputs.map((x, i) => (batched[i] ? slice(x, [element]) : x))
      return apply(op, own, attributes)
    })
    return stack(results)
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
  return elementwise(ops.cast)(context)
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
  ...recordOf(unaryNames, (name) => elementwise(ops[name])),
  ...recordOf(
    [
      ...([
        'add',
        'sub',
        'mul',
        'div',
        'rem',
        'minimum',
        'maximum',
        'pow',
        'atan2',
        'hypot',
        'where',
      ] as const),
      ...(['bitwiseAnd', 'bitwiseOr', 'bitwiseXor', 'bitwiseNot', 'leftShift', 'truncDiv'] as const),
      ...(['rightShiftArithmetic', 'rightShiftLogical', 'populationCount', 'countLeadingZeros'] as const),
      ...(['equal', 'notEqual', 'less', 'lessEqual', 'greater', 'greaterEqual'] as const),
      ...(['logicalAnd', 'logicalOr', 'logicalNot', 'isFinite', 'isInf', 'isNaN'] as const),
      // Whose batch axes align as those of elementwise operations do.
      'matmul',
    ],
    (name) => elementwise(ops[name]),
  ),
  ...recordOf(
    [
      ...(['flip', 'sum', 'mean', 'max', 'min', 'argmax', 'argmin', 'argsort', 'cumsum', 'cumprod'] as const),
      ...(['reduceAnd', 'reduceOr', 'reduceXor'] as const),
    ],
    (name) => shifted(ops[name]),
  ),
  tril: same(ops.tril),
  triu: same(ops.triu),
  cast: castRule,
  bitcast: same(ops.bitcast),
  reshape: reshapeRule,
  transpose: transposeRule,
  broadcastTo: broadcastToRule,
  slice: sliceRule,
  take: takeRule,
  concat: concatRule,
}

/** Positions of each element of the batch, one tensor behind the other. */
const scatterRule: BatchRule<Scattering> = ({ inputs, size, attributes: { positions, shape, how } }) => {
  const all = new Int32Array(size * positions.length)
  const step = sizeOf(shape)
  for (let i = 0; i < size; i++) {
    for (const [k, position] of positions.entries()) all[i * positions.length + k] = i * step + position
  }
  return apply(indexedOps.scatter, inputs, { positions: all, shape: [size, ...shape], how })
}

/** Rows by indices: those of the tensor's own batch where both have one. */
const takeAtRule: BatchRule<Omit<Taking, 'indices'>> = (context) => {
  const { inputs, batched, size, attributes } = context
  const { axis, shape } = attributes
  const [x, indices] = inputs as [Tensor, Tensor]
  if (!batched[1]) return apply(indexedOps.takeAt, inputs, { axis: axis + 1, shape: [size, ...shape] })
  if (!batched[0]) {
    const among = [...shape.slice(0, axis), size, ...shape.slice(axis)]
    const rows = apply(indexedOps.takeAt, inputs, { axis, shape: among })
    return transpose(rows, [axis, ...among.map((_, i) => i).filter((i) => i !== axis)])
  }
  // Indices for every element that is read, along one axis of tensors of equal rank.
  const own = x.shape.slice(1)
  const count = sizeOf(indices.shape.slice(1))
  const around = own.map((_, i) => (i === axis ? count : 1))
  const every = own.map((length, i) => (i === axis ? count : length))
  const places = broadcastTo(reshape(indices, [size, ...around]), [size, ...every]) as Tensor<'int32'>
  return reshape(takeAlongAxis(x, places, { axis: axis + 1 }), [size, ...shape])
}

/** What reads back a batch of readings by the same indices; by indices of their own one element after the other. */
const scatterAtRule: BatchRule<ScatteringAt> = (context) => {
  const { batched, size, attributes } = context
  if (batched[1]) return oneByOne(indexedOps.scatterAt)(context)
  const { taking, shape, how } = attributes
  return apply(indexedOps.scatterAt, [spread(context, 0), context.inputs[1]!], {
    taking: { axis: taking.axis + 1, shape: [size, ...taking.shape] },
    shape: [size, ...shape],
    how,
  })
}

const partRule: BatchRule<Part> = ({ inputs, attributes: { axis, from, to } }) =>
  apply(partOp, inputs, { axis: axis + 1, from, to })

/** The rule of every operation of tensor and of this folder that has one; others go element by element. */
export const batchRules: BatchRules = new Map<Op, BatchRule>([
  ...opNames.flatMap((name): [Op, BatchRule][] => {
    const rule = table[name]
    return rule === 'none' ? [] : [[ops[name], rule]]
  }),
  [variableOp, same(variableOp)],
  [stopGradientOp, same(stopGradientOp)],
  [scaleGradientOp, same(scaleGradientOp)],
  [indexedOps.scatter, scatterRule],
  [indexedOps.scatterAt, scatterAtRule],
  [indexedOps.takeAt, takeAtRule],
  [partOp, partRule],
  [hadamardOp, shifted(hadamardOp) as BatchRule],
])
