import { dtypeFacts, isFloat, Tensor } from '../../tensors/tensor/index.js'
import { leavesOf, type Tree } from '../../tensors/tree/index.js'
import { type Program, recorded } from '../program/program.js'
import { bitsBetween } from '../reals/bitsBetween.js'
import { dtypeArithmetic } from '../replay/dtypeArithmetic.js'
import type { ReferenceRun } from '../replay/reference.js'
import { replay } from '../replay/replay.js'
import { isWide, type Policy } from '../replay/wideArithmetic.js'
import { numbers } from '../shadow/elementErrors.js'

/** The function that is tuned, some of its operations wide. */
export type Tuned<T, R> = (inputs: T) => R

/**
 * What must hold of a set of wide operations. An error of the outputs against the reference, each rounded to its own dtype:
 * bits (mean or worst element) or relative error. Or what a user's own run of the function comes to: a number, a verdict,
 * or values that have to stay finite for so many steps.
 */
export type Target<T, R> =
  | { readonly meanBits: number }
  | { readonly maxBits: number }
  | { readonly meanRelative: number }
  | { readonly maxRelative: number }
  | {
      /** A number of the tuned function that must not exceed `atMost`. */
      readonly metric: (f: Tuned<T, R>) => number
      readonly atMost: number
    }
  | {
      /** What must be true of the tuned function. */
      readonly holds: (f: Tuned<T, R>) => boolean
    }
  | {
      /** Values, those of each of `steps` steps, that must be finite. */
      readonly finite: (f: Tuned<T, R>) => Iterable<Tree | number>
      readonly steps: number
    }

/** What a set came to: a number to compare, and whether that is enough. */
export interface Measured {
  readonly value: number
  readonly met: boolean
}

const errorNames = ['meanBits', 'maxBits', 'meanRelative', 'maxRelative'] as const
export type ErrorName = (typeof errorNames)[number]

/** Which error a target bounds, and by what; undefined where it is a run of the user's. */
export function errorTarget(target: object): { name: ErrorName; limit: number } | undefined {
  const name = errorNames.find((known) => known in target)
  return name && { name, limit: (target as Readonly<Record<ErrorName, number>>)[name] }
}

/** Throws unless a target is one. */
export function checkTarget(target: unknown): void {
  const given = (typeof target === 'object' && target !== null ? target : {}) as Record<string, unknown>
  const kinds = [...errorNames, 'metric', 'holds', 'finite']
  const named = kinds.filter((kind) => kind in given)
  const [kind] = named
  if (kind === undefined || named.length > 1) {
    throw new RangeError(`tune: a target is one of ${kinds.join(', ')} [${Object.keys(given).join(', ')}]`)
  }
  const runs = ['metric', 'holds', 'finite'].includes(kind)
  if (runs && typeof given[kind] !== 'function') {
    throw new TypeError(
      `tune: the target's ${kind} is a function of the tuned function [${String(given[kind])}]`,
    )
  }
  const limit = kind === 'metric' ? 'atMost' : kind === 'finite' ? 'steps' : kind
  if (kind === 'holds') return
  const value = given[limit]
  if (typeof value !== 'number' || Number.isNaN(value) || (kind !== 'metric' && value < 0)) {
    throw new RangeError(`tune: the target's ${limit} is not a number from 0 [${String(value)}]`)
  }
  if (kind === 'finite' && !Number.isInteger(value)) {
    throw new RangeError(`tune: the target's steps is not a count [${value}]`)
  }
}

/** Runs the user's target on a function. */
export function measureRun<T, R>(target: Target<T, R>, f: Tuned<T, R>): Measured {
  if ('metric' in target) {
    const value = target.metric(f)
    if (typeof value !== 'number') throw new TypeError(`tune: the metric is not a number [${String(value)}]`)
    return { value, met: value <= target.atMost }
  }
  if ('holds' in target) {
    const met = target.holds(f)
    if (typeof met !== 'boolean') {
      throw new TypeError(`tune: the target's holds is no boolean [${String(met)}]`)
    }
    return { value: met ? 1 : 0, met }
  }
  if (!('finite' in target)) throw new RangeError('tune: an error is not measured by a run')
  let steps = 0
  if (target.steps > 0) {
    for (const values of target.finite(f)) {
      if (!isFiniteTree(values)) return { value: steps, met: false }
      if (++steps >= target.steps) break
    }
  }
  if (steps < target.steps) {
    throw new RangeError(
      `tune: the run gave ${steps} finite values and ended, not ${target.steps} [${steps}]`,
    )
  }
  return { value: steps, met: true }
}

function isFiniteTree(values: Tree | number): boolean {
  if (typeof values === 'number') return Number.isFinite(values)
  return leavesOf(values, { op: 'tune' }).every((x) => x.toNumbers().every(Number.isFinite))
}

/** The four errors of a run by a policy against a reference. */
export function outputErrors(
  program: Program,
  policyOf: (step: number) => Policy,
  reference: ReferenceRun<unknown>,
): Record<ErrorName, number> {
  const arithmetic = dtypeArithmetic('float64')
  const { valueOf } = replay(program, policyOf, arithmetic)
  const outputs = program.outputs.map((output) => {
    const value = valueOf(output)
    const own = recorded(program, output).dtype
    return isWide(value) && isFloat(own)
      ? arithmetic.narrow(value.wide, own)
      : isWide(value)
        ? value.wide
        : value
  })
  return errorsOf(program, outputs, reference)
}

/** The four errors that rounding alone leaves: of the reference's outputs, rounded once to the dtypes that they have. */
export function leastErrors(program: Program, reference: ReferenceRun<unknown>): Record<ErrorName, number> {
  const { narrow } = dtypeArithmetic('float64')
  const outputs = program.outputs.map((output) => {
    const own = recorded(program, output)
    if (!isFloat(own.dtype)) return own
    return narrow(new Tensor('float64', own.shape, numbers(reference.valueOf(output))), own.dtype)
  })
  return errorsOf(program, outputs, reference)
}

/** The four errors of outputs, in the order of the program's. */
export function errorsOf(
  program: Program,
  outputs: readonly Tensor[],
  reference: ReferenceRun<unknown>,
): Record<ErrorName, number> {
  const { widen } = dtypeArithmetic('float64')
  let [count, sumBits, maxBits, sumRelative, maxRelative] = [0, 0, 0, 0, 0]
  for (const [k, output] of program.outputs.entries()) {
    const { dtype, shape } = recorded(program, output)
    if (!isFloat(dtype)) continue
    const exact = numbers(reference.valueOf(output))
    const rounded = widen(new Tensor('float64', shape, exact))
    const nearest = widen(dtypeArithmetic('float64').narrow(rounded, dtype))
    const got = widen(outputs[k]!)
    const bits = bitsBetween(got, nearest, dtypeFacts(dtype))
    const values = got.data as Float64Array
    for (let i = 0; i < values.length; i++) {
      const lost = bits(i)
      const relative = relativeError(values[i]!, exact[i]!)
      count++
      sumBits += lost
      sumRelative += relative
      maxBits = Math.max(maxBits, lost)
      maxRelative = Math.max(maxRelative, relative)
    }
  }
  const n = Math.max(1, count)
  return { meanBits: sumBits / n, maxBits, meanRelative: sumRelative / n, maxRelative }
}

/** |got - exact| / |exact|; infinite where one of them is not a number the other is near. */
function relativeError(got: number, exact: number): number {
  if (Object.is(got, exact) || got === exact) return 0
  const error = Math.abs(got - exact) / Math.abs(exact)
  return Number.isNaN(error) ? Infinity : error
}
