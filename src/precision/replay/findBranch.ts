import { cast, isFloat, ops, sameShape, Tensor } from '../../tensors/tensor/index.js'
import { mapTree, type Treelike } from '../../tensors/tree/index.js'
import { unroundedConstant } from '../program/constantOf.js'
import { type Operand, type Program, programOf, type Step, type TensorFunction } from '../program/program.js'
import { describeStep } from './checkRun.js'
import { sameBits } from './replay.js'

/** Where a function did something else in float64 than in its own dtypes: a tool that follows one recording misses it. */
export interface Branch {
  /** 'operations' part, or a number that went into the recording has another value. */
  readonly kind: 'operations' | 'constants'
  /** Number of the first step that differs. */
  readonly step: number
  /** What it is on the inputs as given. */
  readonly narrow: string
  /** What it is on the inputs in float64. */
  readonly wide: string
}

/**
 * Runs the function itself on float64 inputs. If it then takes other operations, or other numbers enter as constants, the
 * code looks at values that the recording does not see. Casts between floats are left out of the comparison, since code
 * may ask for a dtype, and so is the rounding of constants. Undefined where both runs are one program; the error's text
 * where the function cannot run in float64 at all.
 */
export function findBranch<T extends Treelike>(
  op: string,
  first: Program,
  f: TensorFunction<T>,
  inputs: T,
): Branch | string | undefined {
  let wide: Program
  try {
    wide = programOf(op, f, mapTree((x: Tensor) => (isFloat(x.dtype) ? cast(x, 'float64') : x), inputs) as T)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const [a, b] = [outlineOf(first), outlineOf(wide)]
  for (let i = 0; i < Math.max(a.steps.length, b.steps.length); i++) {
    const [x, y] = [a.steps[i], b.steps[i]]
    if (!x || !y || !isAlike(x, y)) {
      const at = x?.index ?? Math.max(0, first.steps.length - 1)
      return { kind: 'operations', step: at, narrow: describeStep(x?.step), wide: describeStep(y?.step) }
    }
  }
  const ends = a.outputs.every((output, k) => sameSource(output, b.outputs[k]))
  if (a.outputs.length !== b.outputs.length || !ends) {
    const last = first.steps.length - 1
    return { kind: 'operations', step: Math.max(0, last), narrow: 'its results', wide: 'others' }
  }
  for (const [i, { operands, index }] of a.steps.entries()) {
    for (const [k, operand] of operands.entries()) {
      const other = b.steps[i]!.operands[k]!
      if (operand instanceof Tensor && other instanceof Tensor && !isSameNumber(operand, other)) {
        return { kind: 'constants', step: index, ...theDifference(operand, other) }
      }
    }
  }
  return undefined
}

/** A step of an outline, with its number in the program. */
interface OutlineStep {
  readonly index: number
  readonly step: Step
  readonly operands: readonly Operand[]
}

/** A program as its code wrote it, whatever dtype it ran in: without casts between floats, constants as they were given. */
function outlineOf(program: Program): { steps: OutlineStep[]; outputs: Operand[] } {
  const n = program.inputs.length
  const places: Operand[] = program.inputs.map((_, i) => i)
  const placeOf = (operand: Operand): Operand => (typeof operand === 'number' ? places[operand]! : operand)
  const steps: OutlineStep[] = []
  for (const [index, step] of program.steps.entries()) {
    const [x] = step.operands
    const constant = unroundedConstant(step)
    if (constant) {
      places.push(constant)
    } else if (step.op === ops.cast && isFloat(step.output.dtype) && isFloat(dtypeOf(program, x!))) {
      places.push(placeOf(x!))
    } else {
      places.push(n + steps.length)
      steps.push({ index, step, operands: step.operands.map(placeOf) })
    }
  }
  return { steps, outputs: program.outputs.map(placeOf) }
}

function dtypeOf(program: Program, operand: Operand): Tensor['dtype'] {
  if (typeof operand !== 'number') return operand.dtype
  const n = program.inputs.length
  return operand < n ? program.inputs[operand]!.dtype : program.steps[operand - n]!.output.dtype
}

function isAlike(a: OutlineStep, b: OutlineStep): boolean {
  return (
    a.step.op === b.step.op &&
    a.operands.length === b.operands.length &&
    sameShape(a.step.output.shape, b.step.output.shape) &&
    a.operands.every((operand, k) => sameSource(operand, b.operands[k]))
  )
}

/** Whether two operands are the same value of both programs, or constants of one shape. */
function sameSource(a: Operand, b: Operand | undefined): boolean {
  if (typeof a === 'number' || typeof b === 'number') return a === b
  return b !== undefined && sameShape(a.shape, b.shape)
}

/** Whether two constants are equal, after rounding. Values that are not floats are compared where the program reads them. */
function isSameNumber(narrow: Tensor, wide: Tensor): boolean {
  if (!isFloat(narrow.dtype)) return true
  return isFloat(wide.dtype) && sameBits(cast(wide, narrow.dtype), narrow)
}

/** Two constants in few words: three values, from the first on that differs. */
function theDifference(narrow: Tensor, wide: Tensor): Pick<Branch, 'narrow' | 'wide'> {
  const [a, b] = [cast(narrow, 'float64').data, cast(cast(wide, narrow.dtype), 'float64').data]
  const from = a.findIndex((value, i) => !Object.is(value, b[i]))
  return { narrow: shortly(narrow, from), wide: shortly(wide, from) }
}

/** A tensor in few words: three of its values. */
function shortly(x: Tensor, from: number): string {
  const values = Array.from(x.toNumbers().subarray(from, from + 3), String).join(', ')
  if (x.rank === 0) return values
  const after = from + 3 < x.size ? `, ... of ${x.size}` : ''
  return `${from > 0 ? '..., ' : ''}${values}${after}`
}
