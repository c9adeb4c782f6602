import type { Tensor } from '../../tensors/tensor/index.js'
import { minus, type Real, toFloat64 } from '../reals/real.js'
import type { Reals } from '../reals/realArithmetic.js'
import type { ShadowRun } from './shadowRun.js'

/** The errors of one operation's result, element by element. */
export interface ElementErrors {
  /** What the run computed. */
  readonly computed: Float64Array
  /** The value of the reference. */
  readonly reference: Float64Array
  /** computed minus the exact result on the operands that the operation got: what its own rounding added. */
  readonly introduced: Float64Array
  /** That exact result minus the reference: what came in with the operands. */
  readonly inherited: Float64Array
}

/** The errors of a step; equal infinities and NaN with NaN are no error. */
export function elementErrors<W>(run: ShadowRun<W>, step: number): ElementErrors {
  const value = run.program.inputs.length + step
  const computed = numbers(run.computed(value))
  const exact = run.exact(step)
  const reference = run.reference.valueOf(value)
  return {
    computed,
    reference: numbers(reference),
    introduced: differences(run.computed(value), exact),
    inherited: differences(exact, reference),
  }
}

/** A wide value as numbers. */
export function numbers(x: unknown): Float64Array {
  if (isReals(x)) return Float64Array.from(x.values, toFloat64)
  const { data } = x as Tensor
  return data instanceof Float64Array ? data : Float64Array.from(data, Number)
}

function isReals(x: unknown): x is Reals {
  return 'values' in (x as object)
}

function differences(a: unknown, b: unknown): Float64Array {
  if (isReals(a) && isReals(b)) return Float64Array.from(a.values, (x, i) => realDifference(x, b.values[i]!))
  const [x, y] = [numbers(a), numbers(b)]
  const result = new Float64Array(x.length)
  if (x === y) return result
  for (let i = 0; i < x.length; i++) {
    const apart = x[i]! - y[i]!
    result[i] = Number.isNaN(apart) ? differenceOfUnlike(x[i]!, y[i]!) : apart
  }
  return result
}

/** 0 between equal infinities, and between NaN and NaN; else NaN. */
function differenceOfUnlike(a: number, b: number): number {
  return a === b || (Number.isNaN(a) && Number.isNaN(b)) ? 0 : Number.NaN
}

function realDifference(a: Real, b: Real): number {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return 0
  return toFloat64(minus(a, b))
}
