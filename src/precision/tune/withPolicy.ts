import { checkArray, checkFunction, checkOptions, type OptionTable } from '../../base/options/index.js'
import {
  apply,
  cast,
  checkFloatDType,
  type DType,
  type FloatDType,
  isFloat,
  ops,
  Tensor,
  withTrace,
} from '../../tensors/tensor/index.js'
import { leavesOf, replaceLeaves, type Tree, type Treelike } from '../../tensors/tree/index.js'
import { isConstant, unroundedConstant } from '../program/constantOf.js'
import { kindOf } from '../program/opKind.js'
import { type Operand, programOf, recorded, type Step } from '../program/program.js'
import { checkGroupBy, type GroupBy, stepNames } from '../program/stepName.js'
import { accumulatorOf, type Choice, checkChoice, roundedBy } from '../replay/choice.js'
import { accumulatingIn } from '../replay/dtypeArithmetic.js'
import { adds, toNearest } from '../replay/replay.js'
import { fitsFloat32 } from './throughFloat32.js'

/** Which operations run in a wider dtype than their own: plain data, but for a function that names them. */
export interface WidePolicy {
  /** Names of operations, as `groupBy` makes them. */
  readonly wide: readonly string[]
  /** What they round to. Default 'float32'. */
  readonly dtype?: FloatDType
  /** The dtype that only they leave; an operation of another one stays as it is. Default 'bfloat16'. */
  readonly narrow?: FloatDType
  /** How operations are named. Default 'operation'. */
  readonly groupBy?: GroupBy
  /** By name, operations that run in yet another way: narrower, adding in another dtype, rounding at random. */
  readonly choices?: Readonly<Record<string, Choice>>
}

const policyNames: OptionTable<WidePolicy> = {
  wide: 'required',
  dtype: 'optional',
  narrow: 'optional',
  groupBy: 'optional',
  choices: 'optional',
}

/**
 * The same function with some of its operations in a wider dtype, their gradients too: `f` runs as it is, and what it did
 * is done once more, changed. Results have the dtypes that f gives them. It may be handed to `valueAndGrad`, called in
 * every step of a training run, and may itself take gradients, whose operations then have names of their own.
 *
 * Shape     as f. Tensors that f closes over count as constants: what a gradient is asked for must be among the inputs.
 * Rounding  a wide operation takes its operands as they are and rounds once, to the wider dtype; what reads it reads that,
 *           and rounds once to its own. Steps that only move, pick or negate pass a wide value on.
 * Special   decisions (comparisons, floors) are made anew on what they then get; branches in the code follow the narrow
 *           values. Names that no operation has are no error: the code of one step may not reach all.
 * Cost      the run of f, and what changes.
 *
 * @example withPolicy((x) => sub(add(x, 1), x), { wide: ['add#0'] })(tensor(256, { dtype: 'bfloat16' })).item() // 1
 */
export function withPolicy<T extends Treelike, R extends Tree>(
  f: (inputs: T) => R,
  policy: WidePolicy,
): (inputs: T) => R {
  checkFunction('withPolicy', 'f', f)
  checkOptions('withPolicy', policy, policyNames)
  const { wide, dtype = 'float32', narrow = 'bfloat16', groupBy = 'operation', choices = {} } = policy
  checkArray('withPolicy', 'wide', wide)
  checkGroupBy('withPolicy', groupBy)
  for (const given of [dtype, narrow]) {
    if (!isFloat(given as DType)) {
      throw new TypeError(`withPolicy: needs a floating-point dtype [${String(given)}]`)
    }
    checkFloatDType('withPolicy', 'dtype', given)
  }
  for (const choice of Object.values(choices)) checkChoice('withPolicy', choice)
  const names = new Set(wide)
  return (inputs) => {
    let result: R | undefined
    let first = Infinity
    const watched = (traced: T): R => {
      for (const { trace } of leavesOf(traced)) first = Math.min(first, trace!.serial)
      result = f(traced)
      return result
    }
    const bare = replaceLeaves(inputs, leavesOf(inputs).map(withoutTrace)) as T
    const program = programOf('withPolicy', watched, bare, { nonFinite: true, sites: groupBy === 'site' })
    checkClosed(leavesOf(result!), first)
    const values = leavesOf(inputs)
    const valueOf = (operand: Operand): Tensor => (typeof operand === 'number' ? values[operand]! : operand)
    const called = stepNames(program, groupBy)
    for (const [i, step] of program.steps.entries()) {
      const chosen = step.output.dtype === narrow && kindOf(step.op) === 'rounds' && choices[called[i]!]
      if (chosen) {
        values.push(
          runChosen(step, step.operands.map(valueOf), isConstant(step) ? toNearest(chosen) : chosen, i),
        )
        continue
      }
      const target = step.output.dtype === narrow && names.has(called[i]!) ? dtype : undefined
      const was = step.operands.map((operand) => recorded(program, operand))
      const rounds = kindOf(step.op) === 'rounds'
      values.push(runTraced(step, was, step.operands.map(valueOf), rounds ? target : undefined, adds(step)))
    }
    const outputs = leavesOf(result!)
    return replaceLeaves(
      result as Tree,
      program.outputs.map((output, k) => {
        const value = valueOf(output)
        const own = outputs[k]!.dtype
        return value.dtype === own ? value : cast(value, own)
      }),
    ) as R
  }
}

function withoutTrace(x: Tensor): Tensor {
  return x.trace ? new Tensor(x.dtype, x.shape, x.data) : x
}

/**
 * Runs one step on operands of any width, so that what it does is traced; `target` where it is to be wide. Computed in
 * float64 wherever dtypes meet, and rounded once: the numbers are those of `replay`.
 */
function runTraced(
  { op, attributes, output }: Step,
  was: readonly Tensor[],
  args: readonly Tensor[],
  target: FloatDType | undefined,
  adding: boolean,
): Tensor {
  const own = output.dtype
  const sameDTypes = args.every((arg, k) => arg.dtype === was[k]!.dtype)
  if (sameDTypes && target === undefined) {
    if (args.some((arg, k) => arg.data !== was[k]!.data)) return apply(op, args, attributes)
    return args.some(({ trace }) => trace) ? withTrace(output, op, args, attributes) : output
  }
  const constant = unroundedConstant({ op, attributes })
  if (constant) return cast(constant, target ?? own)
  if (op === ops.cast) return cast(args[0]!, target ?? own)
  if (!isFloat(own)) return apply(op, args.map(toFloat64), attributes)
  if (kindOf(op) !== 'rounds') return apply(op, alike(args), attributes)
  const how = target && adding ? accumulatingIn(attributes, target) : attributes
  const inside = fitsFloat32(op, args, target ?? own, how) ? 'float32' : 'float64'
  return cast(
    apply(
      op,
      args.map((x) => (isFloat(x.dtype) ? cast(x, inside) : x)),
      how,
    ),
    target ?? own,
  )
}

/** Runs one step as a choice says, from its exact result: the numbers are those of `replay`. */
function runChosen(step: Step, args: readonly Tensor[], choice: Choice, number: number): Tensor {
  const { op, attributes } = step
  const exact = (): Tensor => {
    if (op === ops.cast) return toFloat64(args[0]!)
    const inside = adds(step) ? accumulatorOf(step, choice) : 'float64'
    return apply(op, args.map(toFloat64), accumulatingIn(attributes, inside))
  }
  return roundedBy(unroundedConstant(step) ?? exact(), choice, number)
}

function toFloat64(x: Tensor): Tensor {
  return isFloat(x.dtype) ? cast(x, 'float64') : x
}

/** Floats in one dtype that holds them all: their own, or float64. */
function alike(args: readonly Tensor[]): readonly Tensor[] {
  const [first, ...others] = args.filter(({ dtype }) => isFloat(dtype))
  return others.every(({ dtype }) => dtype === first?.dtype) ? args : args.map(toFloat64)
}

/** Throws where results depend on something under a gradient that is not among the inputs: its gradient would be lost. */
function checkClosed(outputs: readonly Tensor[], first: number): void {
  const seen = new Set<number>()
  const open = [...outputs]
  for (let x = open.pop(); x; x = open.pop()) {
    const { trace } = x
    if (!trace || seen.has(trace.serial)) continue
    if (trace.serial < first) {
      throw new RangeError(
        `withPolicy: the function reads a tensor under a gradient that is not among its inputs [${trace.op.name}]`,
      )
    }
    seen.add(trace.serial)
    open.push(...trace.inputs)
  }
}
