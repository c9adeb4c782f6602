import { bits, foldIn, type Key } from '../../tensors/random/index.js'
import { cast, dtypeFacts, isFloat, Tensor } from '../../tensors/tensor/index.js'
import { isConstant } from '../program/constantOf.js'
import { kindOf } from '../program/opKind.js'
import type { Operand, Program, Step } from '../program/program.js'
import { runWidened } from '../replay/dtypeArithmetic.js'
import { steppingOf } from './steppingRules.js'
import { type RandomRounding, stochasticRound } from './stochasticRound.js'

/** The values of one sample. */
export interface StochasticRun {
  readonly valueOf: (operand: Operand) => Tensor
}

/**
 * Runs a program with its chosen steps rounded at random. The random word of a rounding depends on the key, the step and
 * the element alone, so the same roundings fall whatever else is chosen.
 */
export function stochasticRun(
  program: Program,
  chosen: (step: number) => boolean,
  key: Key,
  mode: RandomRounding,
): StochasticRun {
  const values: Tensor[] = [...program.inputs]
  const valueOf = (operand: Operand): Tensor => (typeof operand === 'number' ? values[operand]! : operand)
  for (const [i, step] of program.steps.entries()) {
    const args = step.operands.map(valueOf)
    const random = roundsAtRandom(step) && chosen(i)
    values.push(
      random ? runAtRandom(step, args, foldIn(key, i), mode) : step.op.kernel(args, step.attributes),
    )
  }
  return { valueOf }
}

/** Whether a step can be rounded at random: one that rounds, to something narrower than float64. Constants are not noise. */
export function roundsAtRandom(step: Step): boolean {
  const { op, output } = step
  if (isConstant(step)) return false
  return isFloat(output.dtype) && output.dtype !== 'float64' && kindOf(op) === 'rounds'
}

function runAtRandom(step: Step, args: readonly Tensor[], key: Key, mode: RandomRounding): Tensor {
  const { output } = step
  const wide = args.map((x) => (isFloat(x.dtype) ? cast(x, 'float64') : x))
  const exact = steppingOf(step.op)?.(step, wide, key, mode) ?? runWidened(step, wide, 'float64').toNumbers()
  const grid = dtypeFacts(output.dtype)
  const words = bits(key, output.size)
  const rounded = Float64Array.from(exact, (x, i) => stochasticRound(x, grid, words[i]!, mode))
  return cast(new Tensor('float64', output.shape, rounded), output.dtype)
}
