import { type GradientRules, grad } from '../../tensors/autodiff/index.js'
import {
  add,
  apply,
  cast,
  dtypeFacts,
  isFloat,
  mul,
  ops,
  sum,
  type Tensor,
  tensor,
  zeros,
} from '../../tensors/tensor/index.js'
import { unroundedConstant } from '../program/constantOf.js'
import { kindOf } from '../program/opKind.js'
import { type Operand, type Program, recorded } from '../program/program.js'
import { spacing } from '../program/spacing.js'
import { accumulatingIn } from '../replay/dtypeArithmetic.js'
import { runStep } from '../replay/replay.js'
import { isWide } from '../replay/wideArithmetic.js'
import { elementErrors, numbers } from './elementErrors.js'
import type { ShadowRun } from './shadowRun.js'

/** What the first-order ranking says of one step. */
export interface Prediction {
  readonly firstOrder: number
  readonly share: number
}

/** The ranking, and what it has to explain. */
export interface FirstOrder {
  readonly predictions: ReadonlyMap<number, Prediction>
  /** The outputs' error, in the unit of the shares: steps of their dtypes, all elements together. */
  readonly error: number
}

/**
 * By step, its introduced error times the derivative of the output's error there, the reverse mode giving all derivatives in
 * one pass over the reference run in float64. Undefined where an operation has no gradient rule.
 */
export function firstOrder<W>(
  run: ShadowRun<W>,
  steps: readonly number[],
  rules: GradientRules | undefined,
): FirstOrder | undefined {
  const { program } = run
  const weights = new Map<Operand, Tensor>()
  let error = 0
  let count = 0
  for (const output of program.outputs) {
    const { dtype, shape } = recorded(program, output)
    if (!isFloat(dtype) || typeof output !== 'number') continue
    const grid = dtypeFacts(dtype)
    const got = numbers(run.computed(output))
    const exact = numbers(run.reference.valueOf(output))
    const flagged = run.tainted.get(output - program.inputs.length)
    const weight = got.map((value, i) => {
      const apart = value - exact[i]!
      count++
      if (flagged?.[i] || !Number.isFinite(apart)) return 0
      const step = spacing(exact[i]!, grid)
      error += Math.abs(apart) / step
      return (apart < 0 ? -1 : 1) / step
    })
    weights.set(output, tensor(weight, { shape, dtype: 'float64' }))
  }
  const differentiable = [...program.steps.keys()].filter((i) => {
    const { op, output } = program.steps[i]!
    return isFloat(output.dtype) && kindOf(op) !== 'decides'
  })
  const gradients = weights.size === 0 ? undefined : sensitivities(run, differentiable, weights, rules)
  if (!gradients) return undefined
  const n = Math.max(count, 1)
  const readers = readersOf(program)
  const slopes = new Map(differentiable.map((step, k) => [step, gradients[k]!.data as Float64Array]))
  const predictions = new Map(
    steps.map((step) => {
      const share = dot(elementErrors(run, step).introduced, slopes.get(step)!)
      const left = Math.abs(error - movedBy(run, step, readers[step] ?? [], slopes, weights))
      return [step, { firstOrder: Math.log2(1 + error / n) - Math.log2(1 + left / n), share }]
    }),
  )
  return { predictions, error }
}

/**
 * How far the output moves, to first order, if a step does not round: what its consumers then give, rounded as they do it
 * once more, times the slopes there. (Taking the slope at the step itself would credit it with errors that an exact
 * consumer, such as a halving, makes good again.)
 */
function movedBy<W>(
  run: ShadowRun<W>,
  step: number,
  readers: readonly number[],
  slopes: ReadonlyMap<number, Float64Array>,
  weights: ReadonlyMap<Operand, Tensor>,
): number {
  const { program, arithmetic } = run
  const value = program.inputs.length + step
  let moved = 0
  const weight = weights.get(value)
  if (weight) moved += dot(elementErrors(run, step).introduced, weight.data as Float64Array)
  const exact = { wide: run.exact(step) }
  for (const j of readers) {
    const consumer = program.steps[j]!
    const slope = slopes.get(j)
    if (!slope) continue
    const args = consumer.operands.map((operand) => (operand === value ? exact : recorded(program, operand)))
    const again = runStep(consumer, args, 'own', arithmetic)
    const now = numbers(isWide(again) ? again.wide : arithmetic.widen(again))
    const before = numbers(run.computed(program.inputs.length + j))
    moved += dot(
      before.map((x, i) => (x === now[i] ? 0 : x - now[i]!)),
      slope,
    )
  }
  return moved
}

/** By step, the steps that read it. */
function readersOf(program: Program): number[][] {
  const n = program.inputs.length
  const readers: number[][] = program.steps.map(() => [])
  for (const [i, { operands }] of program.steps.entries()) {
    for (const operand of new Set(operands)) {
      if (typeof operand === 'number' && operand >= n) readers[operand - n]!.push(i)
    }
  }
  return readers
}

function dot(errors: Float64Array, slope: Float64Array): number {
  let total = 0
  for (let i = 0; i < errors.length; i++) {
    if (errors[i] !== 0 && slope[i] !== 0) total += errors[i]! * slope[i]!
  }
  return total
}

/** The derivatives of the weighted outputs for a change at each step. */
export function sensitivities<W>(
  { program }: ShadowRun<W>,
  steps: readonly number[],
  weights: ReadonlyMap<Operand, Tensor>,
  rules: GradientRules | undefined,
): Tensor[] | undefined {
  const place = new Map(steps.map((step, k) => [step, k]))
  const weighted = (changes: readonly Tensor[]): Tensor => {
    const values: Tensor[] = program.inputs.map(wide)
    const valueOf = (operand: Operand): Tensor =>
      typeof operand === 'number' ? values[operand]! : wide(operand)
    for (const [i, step] of program.steps.entries()) {
      const { op, attributes, output } = step
      const k = place.get(i)
      if (!isFloat(output.dtype) || kindOf(op) === 'decides') {
        values.push(wide(output))
      } else {
        const args = step.operands.map(valueOf)
        const constant = unroundedConstant(step)
        const value = constant
          ? constant
          : op === ops.cast
            ? cast(args[0]!, 'float64')
            : wide(apply(op, args, accumulatingIn(attributes, 'float64')))
        values.push(k === undefined ? value : add(value, changes[k]!))
      }
    }
    return [...weights]
      .map(([output, weight]) => sum(mul(values[output as number]!, weight)))
      .reduce((a, b) => add(a, b))
  }
  const none = steps.map((step) => zeros(program.steps[step]!.output.shape, { dtype: 'float64' }))
  if (none.length === 0) return []
  try {
    return [...grad(weighted, rules ? { rules } : {})(none)]
  } catch (error) {
    if (error instanceof RangeError && error.message.includes('no gradient rule')) return undefined
    throw error
  }
}

function wide(x: Tensor): Tensor {
  return isFloat(x.dtype) ? cast(x, 'float64') : x
}
