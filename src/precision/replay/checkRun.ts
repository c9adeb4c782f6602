import { sameShape } from '../../tensors/tensor/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import { constantText, isConstant } from '../program/constantOf.js'
import {
  type Operand,
  type Program,
  type ProgramOptions,
  programOf,
  type Step,
  type TensorFunction,
} from '../program/program.js'
import { sameBits } from './replay.js'

/** A second recording, which throws unless it is the same to the last bit. */
export function checkDeterministic<T extends Treelike>(
  op: string,
  first: Program,
  f: TensorFunction<T>,
  inputs: T,
  options: ProgramOptions = {},
): Program {
  const second = programOf(op, f, inputs, options)
  const step = firstDifference(first, second)
  if (step === undefined) return second
  throw new RangeError(
    `${op}: the function is not deterministic, two runs part at step ${step} [${describeStep(first.steps[step])}, then ${describeStep(second.steps[step])}]`,
  )
}

/** The first step at which two programs are not the same to the last bit. */
function firstDifference(a: Program, b: Program): number | undefined {
  const steps = Math.max(a.steps.length, b.steps.length)
  for (let i = 0; i < steps; i++) {
    const [x, y] = [a.steps[i], b.steps[i]]
    if (!x || !y || x.op !== y.op || x.operands.length !== y.operands.length) return i
    if (!sameShape(x.output.shape, y.output.shape)) return i
    if (!x.operands.every((operand, k) => sameOperand(operand, y.operands[k]!))) return i
    if (!sameBits(x.output, y.output)) return i
  }
  const outputs = a.outputs.every((operand, k) => sameOperand(operand, b.outputs[k]!))
  return a.outputs.length === b.outputs.length && outputs ? undefined : Math.max(0, steps - 1)
}

function sameOperand(a: Operand, b: Operand): boolean {
  if (typeof a === 'number' || typeof b === 'number') return a === b
  return sameShape(a.shape, b.shape) && sameBits(a, b)
}

/** A step in words: its operation and result. */
export function describeStep(step: Step | undefined): string {
  if (!step) return 'the end'
  const { op, output, site } = step
  if (isConstant(step)) return `constant ${constantText(step)}`
  return `${op.name} ${output.dtype} [${output.shape.join(', ')}]${site ? ` at ${site}` : ''}`
}
