import { cast, isFloat, type Tensor } from '../../tensor/index.js'
import { mapTree, type Tree } from '../../tree/index.js'
import {
  type Operand,
  type Program,
  type ProgramOptions,
  programOf,
  type Step,
  type TensorFunction,
} from '../program/program.js'
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

/** A second recording, which throws unless it is the same to the last bit. */
export function checkDeterministic<T extends Tree>(
  op: string,
  first: Program,
  f: TensorFunction<T>,
  inputs: T,
  options: ProgramOptions = {},
): Program {
  const second = programOf(op, f, inputs, options)
  const step = firstDifference(first, second, (a, b) => sameBits(a, b))
  if (step === undefined) return second
  throw new RangeError(
    `${op}: the function is not deterministic, two runs part at step ${step} [${told(first.steps[step])}, then ${told(second.steps[step])}]`,
  )
}

/**
 * Runs the function itself on float64 inputs. If it then takes other operations, or other numbers enter as constants, the
 * code looks at values that the recording does not see. Undefined where both runs are one program; the error's text where
 * the function cannot run in float64 at all.
 */
export function findBranch<T extends Tree>(
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
  const step = firstDifference(first, wide, () => true)
  if (step !== undefined)
    return { kind: 'operations', step, narrow: told(first.steps[step]), wide: told(wide.steps[step]) }
  for (const [i, { operands }] of first.steps.entries()) {
    for (const [k, operand] of operands.entries()) {
      const other = wide.steps[i]!.operands[k]!
      if (typeof operand === 'number' || typeof other === 'number' || !isFloat(operand.dtype)) continue
      const same = isFloat(other.dtype) && sameBits(cast(other, operand.dtype), operand)
      if (!same) return { kind: 'constants', step: i, narrow: String(operand), wide: String(other) }
    }
  }
  return undefined
}

/** The first step at which two programs are not the same; `sameConstant` compares what they read besides. */
function firstDifference(
  a: Program,
  b: Program,
  same: (x: Tensor, y: Tensor) => boolean,
): number | undefined {
  const steps = Math.max(a.steps.length, b.steps.length)
  for (let i = 0; i < steps; i++) {
    const [x, y] = [a.steps[i], b.steps[i]]
    if (!x || !y || x.op !== y.op || x.operands.length !== y.operands.length) return i
    if (!sameShape(x.output, y.output)) return i
    if (!x.operands.every((operand, k) => sameOperand(operand, y.operands[k]!, same))) return i
    if (!same(x.output, y.output)) return i
  }
  const outputs = a.outputs.every((operand, k) => sameOperand(operand, b.outputs[k]!, same))
  return a.outputs.length === b.outputs.length && outputs ? undefined : Math.max(0, steps - 1)
}

function sameOperand(a: Operand, b: Operand, same: (x: Tensor, y: Tensor) => boolean): boolean {
  if (typeof a === 'number' || typeof b === 'number') return a === b
  return sameShape(a, b) && same(a, b)
}

function sameShape(a: Tensor, b: Tensor): boolean {
  return a.rank === b.rank && a.shape.every((length, axis) => length === b.shape[axis])
}

/** A step in words: its operation and result. */
export function told(step: Step | undefined): string {
  if (!step) return 'the end'
  const { op, output, site } = step
  return `${op.name} ${output.dtype} [${output.shape.join(', ')}]${site ? ` at ${site}` : ''}`
}
