import { grad } from '../../tensors/autodiff/index.js'
import { apply, cast, isFloat, ops, sameShape, sum, type Tensor, tensor } from '../../tensors/tensor/index.js'
import { unroundedConstant } from '../program/constantOf.js'
import { kindOf } from '../program/opKind.js'
import { type Operand, type Program, recorded } from '../program/program.js'
import { accumulatingIn } from '../replay/dtypeArithmetic.js'
import type { ShadowRun } from '../shadow/shadowRun.js'
import type { StepLeaf } from './stepLeaves.js'

/** How far the gradient of one parameter is off, against its own size. */
export interface GradientLeafError {
  readonly name: string
  /** Root of the mean square of the exact gradient. */
  readonly rms: number
  /** That of the error, in units of it. */
  readonly relative: number
  /** The largest error, in units of it. */
  readonly worst: number
  /** The cosine of the angle between the computed gradient and the exact one. */
  readonly cosine: number
}

/** A gradient that the program computes, and its exact value. */
export interface FoundGradient {
  readonly leaf: StepLeaf
  readonly operand: number
  readonly exact: Float64Array
}

/** A part of the largest element up to which two gradients in float64 are one. */
const same = 1e-9

/**
 * The gradients among the values of a step: those that are, in the reference, the derivative of its loss. The derivatives are
 * taken of the program as it was recorded up to the loss; undefined where an operation has no gradient rule.
 */
export function findGradients(
  { program, reference }: ShadowRun<Tensor>,
  leaves: readonly StepLeaf[],
  loss: Operand,
): FoundGradient[] | undefined {
  const exact = lossGradients(program, leaves, loss)
  return (
    exact &&
    leaves.flatMap((leaf, k): FoundGradient[] => {
      const wanted = exact[k]!.toNumbers()
      const largest = wanted.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
      const matches = (i: number): boolean => {
        const { dtype, shape } = program.steps[i]!.output
        if (!isFloat(dtype) || !sameShape(shape, program.inputs[leaf.before]!.shape)) return false
        const values = reference.valueOf(program.inputs.length + i).toNumbers()
        return values.every((x, at) => Math.abs(x - wanted[at]!) <= same * largest)
      }
      if (!(largest > 0)) return []
      // The last one is what the optimizer reads.
      for (let i = program.steps.length - 1; i >= 0; i--) {
        if (matches(i)) return [{ leaf, operand: program.inputs.length + i, exact: wanted }]
      }
      return []
    })
  )
}

/** The derivatives of the loss for the leaves, everything in float64. */
function lossGradients(
  program: Program,
  leaves: readonly StepLeaf[],
  loss: Operand,
): readonly Tensor[] | undefined {
  const n = program.inputs.length
  const needed = ancestorsOf(program, loss)
  const wide = (x: Tensor): Tensor => (isFloat(x.dtype) ? cast(x, 'float64') : x)
  const run = (given: readonly Tensor[]): Tensor => {
    const values = program.inputs.map((x, i) => {
      const k = leaves.findIndex(({ before }) => before === i)
      return k < 0 ? wide(x) : given[k]!
    })
    const valueOf = (operand: Operand): Tensor =>
      typeof operand === 'number' ? values[operand]! : wide(operand)
    for (const [i, { op, operands, attributes, output }] of program.steps.entries()) {
      const constant = unroundedConstant({ op, attributes })
      if (!needed.has(n + i) || !isFloat(output.dtype) || kindOf(op) === 'decides') values.push(wide(output))
      else if (constant !== undefined) values.push(constant)
      else if (op === ops.cast) values.push(wide(valueOf(operands[0]!)))
      else values.push(apply(op, operands.map(valueOf), accumulatingIn(attributes, 'float64')))
    }
    return sum(valueOf(loss))
  }
  try {
    return [...grad(run)(leaves.map(({ before }) => wide(program.inputs[before]!)))]
  } catch (error) {
    if (error instanceof RangeError && error.message.includes('no gradient rule')) return undefined
    throw error
  }
}

function ancestorsOf({ inputs, steps }: Program, operand: Operand): ReadonlySet<number> {
  const found = new Set<number>()
  const open: Operand[] = [operand]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at !== 'number' || at < inputs.length || found.has(at)) continue
    found.add(at)
    open.push(...steps[at - inputs.length]!.operands)
  }
  return found
}

/** The error of a gradient against its root mean square. */
export function gradientErrorOf(
  { program }: ShadowRun<Tensor>,
  { leaf, operand, exact }: FoundGradient,
): GradientLeafError {
  const got = recorded(program, operand).toNumbers()
  let [squares, errors, worst, dot, own] = [0, 0, 0, 0, 0]
  for (let i = 0; i < got.length; i++) {
    const apart = got[i]! - exact[i]!
    squares += exact[i]! ** 2
    errors += apart ** 2
    own += got[i]! ** 2
    dot += got[i]! * exact[i]!
    worst = Math.max(worst, Math.abs(apart))
  }
  const rms = Math.sqrt(squares / got.length)
  return {
    name: leaf.name,
    rms,
    relative: Math.sqrt(errors / got.length) / rms,
    worst: worst / rms,
    cosine: dot / Math.sqrt(own * squares),
  }
}

/** What weighs the errors of gradients so that their sum is the mean square error in units of the mean square. */
export function gradientWeights(
  { program }: ShadowRun<Tensor>,
  found: readonly FoundGradient[],
): Map<Operand, Tensor> {
  return new Map(
    found.map(({ operand, exact }) => {
      const { shape } = recorded(program, operand)
      const got = recorded(program, operand).toNumbers()
      const squares = exact.reduce((total, x) => total + x ** 2, 0)
      const weight = got.map((x, i) => (Number.isFinite(x) ? (x - exact[i]!) / (squares * found.length) : 0))
      return [operand, tensor(weight, { shape, dtype: 'float64' })]
    }),
  )
}
