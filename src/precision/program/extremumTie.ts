import { ops, sameShape } from '../../tensors/tensor/index.js'
import { type Operand, type Program, recorded, type Step } from './program.js'

/** A comparison of numbers with their own maximum or minimum, lane by lane: what the gradient of either goes by. */
export interface ExtremumTie {
  /** Number of the step that is the maximum or minimum. */
  readonly extremum: number
  /** What it is of, and what is compared with it. */
  readonly of: Operand
  readonly sign: 1 | -1
  readonly axes: readonly number[]
}

/** What a step compares, if it is numbers with their own extremum; undefined of every other step. */
export function extremumTieOf(program: Program, { op, operands }: Step): ExtremumTie | undefined {
  const [of, other] = operands
  if (op !== ops.equal || typeof other !== 'number' || of === undefined) return undefined
  const extremum = reshapedFrom(program, other) - program.inputs.length
  const step = program.steps[extremum]
  if (!step || (step.op !== ops.max && step.op !== ops.min) || step.operands[0] !== of) return undefined
  const { axes } = step.attributes as { readonly axes: readonly number[] }
  const { shape } = recorded(program, of)
  const kept = shape.map((length, axis) => (axes.includes(axis) ? 1 : length))
  if (!sameShape(recorded(program, other).shape, kept)) return undefined
  return { extremum, of, sign: step.op === ops.max ? 1 : -1, axes }
}

/** The value that is shared out equally among the elements that tie, if a step hands it to them; else undefined. */
export function sharedOut(
  program: Program,
  { op, operands }: Step,
): { readonly tie: ExtremumTie; readonly total: Operand } | undefined {
  const [condition, share] = operands
  if (op !== ops.where || typeof condition !== 'number' || share === undefined) return undefined
  const comparison = stepOf(program, condition)
  const tie = comparison && extremumTieOf(program, comparison)
  const division = stepOf(program, reshapedFrom(program, share, true))
  if (!tie || division?.op !== ops.div) return undefined
  const [total, ties] = division.operands
  const count = stepOf(program, reshapedFrom(program, ties!, true))
  if (count?.op !== ops.sum || stepOf(program, count.operands[0]!)?.op !== ops.cast) return undefined
  const counted = stepOf(program, count.operands[0]!)!.operands[0]
  const { axes } = count.attributes as { readonly axes: readonly number[] }
  if (counted !== condition || axes.join() !== tie.axes.join()) return undefined
  return { tie, total: total! }
}

function stepOf(program: Program, operand: Operand): Step | undefined {
  return typeof operand === 'number' ? program.steps[operand - program.inputs.length] : undefined
}

/** The value before reshapes (and casts, on request); -1 if it is not the result of a step. */
function reshapedFrom(program: Program, operand: Operand, casts = false): number {
  let at = operand
  for (;;) {
    const step = stepOf(program, at)
    if (!step || (step.op !== ops.reshape && !(casts && step.op === ops.cast))) {
      return typeof at === 'number' ? at : -1
    }
    at = step.operands[0]!
  }
}
