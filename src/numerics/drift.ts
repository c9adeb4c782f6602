import { checkArray, checkOptions, noOptions, type OptionTable } from '../base/options/index.js'
import { cast, type NumberArray, slice, Tensor, tensor } from '../tensors/tensor/index.js'
import { checkShapes } from './checkShapes.js'
import { exactSum } from './exactSum.js'
import { sameNumber } from './sameNumber.js'
import { ulpDistance } from './ulpDistance.js'
import { checkFloats } from './wide.js'

/** How far computed numbers lie from reference numbers. */
export interface Drift {
  /** Largest |actual - reference|. */
  readonly maxAbs: number
  /** Largest |actual - reference| / |reference|; Infinity where only the reference is 0. */
  readonly maxRel: number
  /** Root mean square of actual - reference. */
  readonly rms: number
  /**
   * Norm of actual - reference, divided by the norm of the reference: what is left to say where small elements make `maxRel`
   * large. Infinity where only the reference is 0.
   */
  readonly normRel: number
  /** The same as signal to quantization noise in dB, -20 log10 of normRel; Infinity without an error. */
  readonly sqnr: number
  /** Largest distance in steps of the dtype of actual, the reference rounded to it. */
  readonly maxUlps: number
  /** Mean of actual - reference with its sign: 0 for errors that cancel, |bias| = maxAbs for a constant one. */
  readonly bias: number
  /** Position (from 0, row-major) of the first element further than `tolerance` from its reference; null where none is. */
  readonly firstPast: number | null
  /**
   * For one-dimensional running values that stall, which is that what is added changes nothing any more: how many elements
   * there were (from 1) when the value last changed. 256 for a bfloat16 sum of 1,000 ones. Null if the values keep changing, if the
   * reference does not change either (by more than one step of the dtype), if the last value is right to a step, and in
   * other ranks.
   */
  readonly stallIndex: number | null
}

/** What `firstPast` looks for. */
export interface DriftOptions {
  /** Largest |actual - reference| that is let pass, one for all or one an element. Default 0. */
  readonly tolerance?: number | NumberArray
}

const driftNames: OptionTable<DriftOptions> = { tolerance: 'optional' }

/**
 * Measures a computed tensor against a reference, in float64.
 *
 * Shape     both alike; the reference a tensor of any float dtype, or numbers in row-major order. No elements: all 0.
 * Special   NaN compared with NaN, and an infinity with itself, is no error; compared with anything else maxAbs, maxRel, rms and
 *           maxUlps are Infinity and the bias is what the differences add up to, NaN if one is.
 * Error     the differences are rounded to float64, nothing else matters.
 *
 * @example drift(tensor([255, 256, 256], { dtype: 'bfloat16' }), [255, 256, 257]).maxAbs // 1
 * @example drift(tensor([255, 256, 256, 256], { dtype: 'bfloat16' }), [255, 257, 259, 261]).stallIndex // 2
 */
export function drift(
  actual: Tensor,
  reference: Tensor | NumberArray | readonly number[],
  options: DriftOptions = noOptions,
): Drift {
  checkOptions('drift', options, driftNames, { positional: 'tolerance' })
  const { tolerance = 0 } = options
  if (typeof tolerance !== 'number') checkArray('drift', 'tolerance', tolerance)
  checkFloats('drift', actual)
  const expected = reference instanceof Tensor ? reference : numbers(actual, reference)
  checkFloats('drift', expected)
  checkShapes('drift', actual, expected)
  const rounded = cast(expected, actual.dtype)
  const ulps = ulpDistance(actual, rounded).toNumbers()
  const values = actual.toNumbers()
  const truth = expected.toNumbers()
  if (typeof tolerance !== 'number' && tolerance.length !== values.length) {
    throw new RangeError(`drift: not one tolerance an element [${tolerance.length}, not ${values.length}]`)
  }

  let maxAbs = 0
  let maxRel = 0
  let maxUlps = 0
  let firstPast: number | null = null
  const errors = values.map((value, i) => difference(value, truth[i]!))
  for (let i = 0; i < errors.length; i++) {
    const distance = Math.abs(errors[i]!)
    const error = Number.isNaN(distance) ? Infinity : distance
    if (firstPast === null && !(error <= (typeof tolerance === 'number' ? tolerance : tolerance[i]!))) {
      firstPast = i
    }
    maxAbs = Math.max(maxAbs, error)
    if (error > 0) maxRel = Math.max(maxRel, error === Infinity ? error : error / Math.abs(truth[i]!))
    maxUlps = Math.max(maxUlps, ulps[i]!)
  }
  const rms = rootMeanSquare(errors, maxAbs)
  const normRel = rms === 0 ? 0 : rms / sizeOfFinite(truth)
  return {
    maxAbs,
    maxRel,
    rms,
    normRel,
    sqnr: 20 * Math.log10(1 / normRel),
    maxUlps,
    bias: errors.length === 0 ? 0 : exactSum(errors) / errors.length,
    firstPast,
    stallIndex: actual.rank === 1 && ulps.at(-1)! > 1 ? stallIndex(values, rounded) : null,
  }
}

function numbers(like: Tensor, list: NumberArray | readonly number[]): Tensor {
  checkArray('drift', 'the reference', list)
  if (list.length !== like.size) {
    throw new RangeError(`drift: shapes differ [${like.shape.join(', ')} and ${list.length}]`)
  }
  return tensor(Float64Array.from(list), { shape: like.shape, dtype: 'float64' })
}

/** actual - reference; 0 where both are NaN or the same infinity. */
function difference(value: number, truth: number): number {
  return sameNumber(value, truth) ? 0 : value - truth
}

/** Scaled by the largest, so that no square over- or underflows. */
function rootMeanSquare(errors: Float64Array, largest: number): number {
  if (largest === 0 || largest === Infinity) return largest
  return largest * Math.sqrt(exactSum(errors.map((error) => (error / largest) ** 2)) / errors.length)
}

/** Root mean square of the elements that are finite, over the count of all. */
function sizeOfFinite(truth: Float64Array): number {
  const finite = truth.map((x) => (Number.isFinite(x) ? x : 0))
  return rootMeanSquare(
    finite,
    finite.reduce((most, x) => Math.max(most, Math.abs(x)), 0),
  )
}

/** The place of the last change, if the reference moves on by more than one step after it. */
function stallIndex(values: Float64Array, reference: Tensor): number | null {
  const last = values.length - 1
  let i = last
  while (i >= 0 && sameNumber(values[i]!, i === 0 ? 0 : values[i - 1]!)) i--
  if (i === last || Number.isNaN(values[last]!)) return null
  const then = i < 0 ? 0 : reference.toNumbers()[i]!
  return ulpDistance(slice(reference, [last]), then).item() > 1 ? i + 1 : null
}
