import {
  checkName,
  checkNumber,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import {
  decode,
  encode,
  type FloatFormat,
  type FormatName,
  format,
  formatNames,
  nextDown,
  nextUp,
  round,
} from '../../numbers/formats/index.js'
import { checkTensor, exp, isFloat, sub, type Tensor } from '../../tensors/tensor/index.js'

/** Options of `ratioReport` and `ratioLevels`. */
export interface RatioOptions {
  /** Default 0.2. */
  readonly clip?: number
}

/** What the ratios of two policies are. */
export interface RatioReport {
  readonly count: number
  /** The share that is exactly 1. */
  readonly exactlyOne: number
  /** The share that is farther from 1 than the clip. */
  readonly beyondClip: number
  /** Different ratios. */
  readonly distinct: number
  readonly least: number
  readonly greatest: number
  /** The mean of (ratio - 1) - log ratio, of the rounded ones, in float64. */
  readonly approxKl: number
}

const ratioNames: OptionTable<RatioOptions> = { clip: 'optional' }

/**
 * What is seen of a policy's change through its ratios e^(new - old), in the dtype of the log-probabilities.
 *
 * Shape     both [n].
 * Rounding  the difference and its exponential, once each.
 * Throws    TypeError if they are not float tensors of one dtype; RangeError for other shapes.
 *
 * @example const at = (x) => tensor([x], { dtype: 'bfloat16' })
 * ratioReport(at(-0.6875), at(-0.69140625)).least // 1.0078125
 */
export function ratioReport(logProbs: Tensor, old: Tensor, options: RatioOptions = noOptions): RatioReport {
  checkTensor('ratioReport: log-probabilities', logProbs)
  checkTensor('ratioReport: the old ones', old)
  const clip = clipOf('ratioReport', options)
  if (!isFloat(logProbs.dtype)) throw new TypeError(`ratioReport: no floats, cast them [${logProbs.dtype}]`)
  const difference = sub(logProbs, old)
  const ratios = exp(difference).toNumbers()
  const logs = difference.toNumbers()
  const share = (f: (ratio: number) => boolean): number => ratios.filter(f).length / ratios.length
  return {
    count: ratios.length,
    exactlyOne: share((ratio) => ratio === 1),
    beyondClip: share((ratio) => Math.abs(ratio - 1) > clip),
    distinct: new Set(ratios).size,
    least: ratios.reduce((a, b) => Math.min(a, b), Infinity),
    greatest: ratios.reduce((a, b) => Math.max(a, b), -Infinity),
    approxKl: ratios.reduce((total, ratio, i) => total + (ratio - 1 - logs[i]!), 0) / ratios.length,
  }
}

/** Which ratios a format has. */
export interface RatioLevels {
  /** The bounds of the clip, rounded. */
  readonly clipLow: number
  readonly clipHigh: number
  /** Ratios from the lower bound to below 1, and from above 1 to the upper bound. */
  readonly valuesBelowOne: number
  readonly valuesAboveOne: number
  /**
   * Between these two every difference of log-probabilities gives exactly 1: it is rounded to the format, then its exponential. Where
   * rounding turns, to the one side or to the other.
   */
  readonly ratioIsOneUpTo: number
  readonly ratioIsOneDownTo: number
}

/**
 * How many ratios a format has between the bounds of the clip, and which differences of log-probabilities give exactly 1.
 *
 * Throws    RangeError for unknown formats, and a clip outside of 0 to 1.
 *
 * @example ratioLevels('bfloat16').valuesAboveOne // 26
 */
export function ratioLevels(name: FormatName, options: RatioOptions = noOptions): RatioLevels {
  checkName('ratioLevels', 'format', name, formatNames)
  const clip = clipOf('ratioLevels', options)
  const facts = format(name)
  const [low, one, high] = [1 - clip, 1, 1 + clip].map((x) => encode(x, facts)) as [number, number, number]
  return {
    clipLow: decode(low, facts),
    clipHigh: decode(high, facts),
    valuesBelowOne: one - low,
    valuesAboveOne: high - one,
    ratioIsOneUpTo: turn(facts, nextUp),
    ratioIsOneDownTo: turn(facts, nextDown),
  }
}

/** Half way between the last difference whose exponential is 1 and the next, away from 0. */
function turn(facts: FloatFormat, onward: (value: number, of: FloatFormat) => number): number {
  // The real limit is no value of the format; from its rounding one step leads to the first that is beyond, at most.
  let last = round(Math.log((1 + onward(1, facts)) / 2), facts)
  while (round(Math.exp(last), facts) !== 1) {
    last = onward === nextUp ? nextDown(last, facts) : nextUp(last, facts)
  }
  return (last + onward(last, facts)) / 2
}

function clipOf(op: string, options: RatioOptions): number {
  checkOptions(op, options, ratioNames, { positional: 'clip' })
  const { clip = 0.2 } = options
  checkNumber(op, 'clip', clip, 0, 1)
  return clip
}
