import { cast, dtypeFacts, type FloatDType, isFloat, type Tensor } from '../../tensor/index.js'
import { type Operand, type Program, recorded } from '../program/program.js'
import { bitsApart } from '../reals/bitsOfError.js'

/** How many bits of the outputs are right. */
export interface BitsKept {
  readonly mean: number
  /** Of the worst element. */
  readonly worst: number
  /** Significand bits that the outputs' dtype has; of several dtypes the mean over the elements. */
  readonly of: number
}

/**
 * Counts right bits of some results: the precision of each element's dtype less the bits between it and the reference rounded to that
 * dtype, none below 0.
 */
export function bitsKept(
  program: Program,
  operands: readonly Operand[],
  valueOf: (operand: Operand) => Tensor,
  exactOf: (operand: Operand, dtype: FloatDType) => Tensor,
): BitsKept {
  let [total, count, worst, precisions] = [0, 0, Infinity, 0]
  for (const output of operands) {
    const { dtype } = recorded(program, output)
    if (!isFloat(dtype)) continue
    const grid = dtypeFacts(dtype)
    const { precision } = dtypeFacts(dtype)
    const got = cast(valueOf(output), 'float64').data
    const exact = cast(exactOf(output, dtype as FloatDType), 'float64').data
    for (let i = 0; i < got.length; i++) {
      const kept = Math.max(0, precision - bitsApart(Number(got[i]), Number(exact[i]), grid))
      total += kept
      precisions += precision
      worst = Math.min(worst, kept)
      count++
    }
  }
  return count === 0 ? { mean: 0, worst: 0, of: 0 } : { mean: total / count, worst, of: precisions / count }
}
